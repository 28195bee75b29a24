//! The integration tests, one module a subject.

mod any_bytes;
mod evaluable;
mod invalid;
mod own_rulesheets;
mod protocol;
mod published;
