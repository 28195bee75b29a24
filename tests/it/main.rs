//! The integration tests, one module a subject.

mod five;
mod invalid;
mod means;
mod perft;
mod positions;
mod published;
mod rulesheets;
