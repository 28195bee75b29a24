//! The integration tests, one module a subject.

mod five;
mod perft;
mod positions;
mod rulesheets;
