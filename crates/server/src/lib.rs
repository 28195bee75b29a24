//! GGP over HTTP, both ends.

pub mod http;
