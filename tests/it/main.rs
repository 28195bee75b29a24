//! The integration tests, one module a subject.

mod any_bytes;
mod invalid;
mod published;
