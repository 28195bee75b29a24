//! GGP over HTTP, both ends.

pub mod comply;
pub mod host;
pub mod http;
pub mod player;
pub mod remote;
pub mod scramble;
mod wire;
