//! The subset of HTTP that GGP programs use: one request and one reply per connection, with bounds of size
//! and time.
//!
//! The framing is written by hand, because general libraries misread the bytes that programs of 2005 to 2016
//! send. The table shows how axum 0.8.9 on hyper 1.12 and `tiny_http` 0.12 read eleven captured requests:
//!
//! | bytes | hyper | `tiny_http` |
//! |---|---|---|
//! | request without Content-Length, closed for writing or not | text lost | text lost |
//! | length smaller than the text, or counted in characters | text cut | text cut |
//! | length larger than the text, connection kept open | waits | waits |
//! | HTTP/1.1, keep-alive; OPTIONS | kept open | kept open |
//! | lines that end with LF | read | no answer |
//!
//! The client ureq 3.5 writes HTTP/1.1 with lower-case headers in its own order, but players expect the
//! reference server's bytes. Of seven captured replies, ureq refuses the one whose status line has no number
//! and the one that is shorter than its declared length, and it cuts the one that is longer. The heads are
//! parsed by httparse 1, which reads all eleven requests.
//!
//! Each connection has a thread that blocks while it reads and writes. A deadline covers a whole message, not
//! one read. A player serves few managers, and its cores are needed for the search.

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
