//! The General Game Playing protocol over HTTP, for both sides. On the player's side,
//! [`player::serve_player`] makes any [`ggp_game::Player`] available to game managers, and
//! [`player::serve_lines`] does so on a pair of streams. On the manager's side,
//! [`remote::RemotePlayer`] is a [`ggp_game::Player`] that exchanges messages with a player in another
//! program. [`host`] manages a whole match with previews, scrambling and a record on disk; [`scramble`]
//! renames the symbols of a rulesheet; [`comply`] tests a player's conformance; [`http`] reads and writes one
//! request and one reply per connection.
//!
//! [`ggp_protocol`] reads and writes the text of messages. The referee comes from [`ggp_arena`] and treats
//! remote and local players alike. The crate supports three dialects: that of ggp-base and Sancho, Stanford's
//! (lower case, PING), and Dresden's (upper case; turn, move and percepts in GDL-II). Invariants: no message
//! makes the process read or write a file; all input from outside is bounded in size, number and time; the
//! crate depends on no search and no propositional network.
//!
//! # Examples
//! ```
//! use ggp_server::http::Address;
//! let address: Address = "http://localhost:9147/".parse().unwrap();
//! assert_eq!(address.to_string(), "http://localhost:9147/");
//! assert!("http://".parse::<Address>().is_err());
//! ```

pub mod comply;
pub mod host;
pub mod http;
pub mod player;
pub mod remote;
pub mod scramble;
mod wire;
