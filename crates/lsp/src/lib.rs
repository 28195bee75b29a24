//! A language server for rulesheets in the Game Description Language, on the Language Server Protocol (LSP) 3.17.
//!
//! The answers come from [`ggp_ide`]. One thread owns the documents and talks to the client; workers answer from
//! snapshots of the text, so a slow answer delays no keystroke. Findings come in two tiers: those of the parser and the
//! checks at once, those that need the game to be built and played a fifth of a second after the last change, on a
//! thread of their own that stops when the text changes again. Results about an older version are dropped. The same
//! thread plays longer on demand, and tells which rules never fired.
//!
//! Invariants: input from the client is bounded in every dimension, and wrong input is answered by an error. A request
//! is answered exactly once. Findings are published with the version that they are about.

mod answers;
mod client;
mod commands;
mod conversion;
mod documents;
mod server;
mod simulation;
mod transport;
mod trial;
mod workers;

pub use server::{End, serve};
pub use transport::{Connection, MAX_MESSAGE_BYTES, connect, stdio};
