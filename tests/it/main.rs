//! The integration tests, one module a subject.

mod five;
mod invalid;
mod perft;
mod positions;
mod published;
mod rulesheets;
