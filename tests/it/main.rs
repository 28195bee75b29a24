//! The integration tests, one module per subject.

mod any_bytes;
mod arena;
mod board;
mod comparisons;
mod decisive;
mod equivalent_moves;
mod evaluable;
mod explain;
mod five;
mod goals;
mod grounding;
mod invalid;
mod means;
mod perft;
mod positions;
mod proofs;
mod propnet;
mod protocol;
mod published;
mod rulesheets;
mod semantics;
mod skips;
mod subgames;
mod tactics;
mod techniques;
mod walks;
