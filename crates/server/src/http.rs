//! Just enough HTTP: one request and one reply per connection, as programs of 2005 to 2016 write
//! them (captured bytes), within bounds of size and time.
//!
//! Why this is not a server or client library. Eleven captured requests and seven replies were put
//! to axum 0.8.9 on hyper 1.12, `tiny_http` 0.12 and ureq 3.5:
//!
//! | bytes | hyper | `tiny_http` |
//! |---|---|---|
//! | request without Content-Length, closed for writing or not | text lost | text lost |
//! | length smaller than the text, or counted in characters | text cut | text cut |
//! | length larger than the text, connection kept open | waits | waits |
//! | HTTP/1.1, keep-alive; OPTIONS | kept open | kept open |
//! | lines that end with LF | read | no answer |
//!
//! ureq writes HTTP/1.1 with lower-case headers in an order of its own, where players expect the
//! reference server's bytes; it refuses a status line without a number, and a reply that is
//! shorter than its length; and it cuts one that is longer. The head's grammar is another matter:
//! httparse 1 reads all eleven requests, so it is used, and the framing around it is ours.
//!
//! Threads block; deadlines are total, not per read. A player serves a handful of managers, and its
//! cores are for thinking.

pub(crate) mod limits;
pub(crate) mod listen;
pub(crate) mod post;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod text;
pub(crate) mod timed;

pub use limits::HttpLimits;
pub use post::{Address, AddressError, DEFAULT_PORT};
pub use reply::{Answer, ReplyError};
