//! GGP over HTTP, both ends.

pub mod http;
pub mod player;
pub mod remote;
pub mod scramble;
mod wire;
