//! GGP over HTTP, both ends.

pub mod http;
mod message;
pub mod player;
pub mod scramble;
