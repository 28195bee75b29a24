//! The subset of HTTP that GGP programs use: one request and one reply per connection, with bounds of size
//! and time.
//!
//! The framing is written by hand, because general libraries misread the bytes that programs of 2005 to 2016
//! send. The table shows what axum 0.8.9 on hyper 1.12 and `tiny_http` 0.12 do with eleven captured requests.
//! Some rows stand for several requests:
//!
//! | captured request | hyper | `tiny_http` |
//! |---|---|---|
//! | no Content-Length; the sender then ends its stream, or does not | text lost | text lost |
//! | Content-Length smaller than the text, or counted in characters | text cut | text cut |
//! | length larger than the text, stream not ended | waits for more | waits for more |
//! | HTTP/1.1 with keep-alive; method OPTIONS | connection kept open | connection kept open |
//! | lines that end with LF | read | no answer |
//!
//! Requests to players are also written by hand. Players expect the bytes that ggp-base, the reference
//! server, sends, but the client ureq 3.5 writes HTTP/1.1 with lower-case headers in an order of its own.
//! Replies of players are read by hand too, because ureq mistreats three of seven captured replies. It
//! refuses one without a number in its status line, refuses one that is shorter than its declared length, and
//! cuts one that is longer than its declared length. Only the parsing of heads is left to a library:
//! httparse 1 parses the heads of all eleven requests.
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
pub use post::{Address, AddressError, DEFAULT_PORT, status};
pub use reply::{Answer, ReplyError};
