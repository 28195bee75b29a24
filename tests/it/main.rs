//! The integration tests, one module a subject.

mod any_bytes;
mod evaluable;
mod five;
mod grounding;
mod invalid;
mod means;
mod own_rulesheets;
mod perft;
mod positions;
mod propnet;
mod protocol;
mod published;
mod rulesheets;
mod semantics;
mod walks;
