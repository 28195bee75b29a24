//! GGP over HTTP, both ends: any game manager can use our players, and our manager any player.
//!
//! | module | what it holds |
//! |---|---|
//! | [`http`] | one request and one reply per connection, within bounds |
//! | [`player`] | the player's end: [`player::serve_player`] |
//! | [`remote`] | the manager's end of one player: [`remote::RemotePlayer`], a [`ggp_game::Player`] |
//! | [`host`] | the manager's end of a match: previews, scrambling, a record on disk |
//! | [`scramble`] | other words for a rulesheet |
//! | [`comply`] | an examination of anyone's player |
//!
//! The text of messages is [`ggp_game::message`]; the referee is [`ggp_arena`]'s, which cannot tell
//! a remote player from a local one. Three dialects are understood: ggp-base's and Sancho's,
//! Stanford's (lower case, PING), and Dresden's (upper case; turn, move and percepts in GDL-II).
//!
//! Invariants: no message makes the process read or write a file; everything that comes from
//! outside is bounded in size, number and time; nothing here knows a search or a network.

pub mod comply;
pub mod host;
pub mod http;
pub mod player;
pub mod remote;
pub mod scramble;
mod wire;
