//! The integration tests, one module a subject.

mod invalid;
mod protocol;
mod published;
