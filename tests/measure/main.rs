//! Measures the strength and the speed of players: `cargo run --release -p ggp-tests --bin measure --
//! COMMAND …`.
//!
//! * `speed FILE…`: playouts backed up per second of CPU time by the search in lanes, by `uct` on the
//!   network, and by the search on the interpreter, and the share of time in playouts.
//! * `duel A B SECONDS MATCHES FILE…`: the first player's mean goal share at equal CPU time a move,
//!   seats rotated, with its standard error; a player with `iterations` gets those instead. SECONDS is
//!   one time for both, or A's:B's. MATCHES is a number of matches, or FIRST-AFTER to go on with others.
//!   CPU time, so that other work on the machine does not decide matches; `0.5w` is wall clock time, as
//!   players of several threads need.
//! * `mixed SPEC SEEDS FILE…`: the frequency of the player's moves over so many seeds in each information set
//!   of a small game of hidden information, of two roles of constant sum, and the exploitability of these
//!   frequencies as a share of the range of goals.
//! * `puzzles START PLAY [K/N] [NAME…]`: plays every one-player game of the corpus with these clocks.
//! * `random SECONDS MATCHES STEPS [K/N] [NAME…]`: `mcts` against random players in every other game of
//!   the corpus: so many timed moves, then random ones; goals, and every illegal or late move.
//! * `growth [--svg FILE] [--runs N] [FAMILY…]`: how the time and the memory of building a network, and the speed
//!   of playouts, change with the size of a game, in families of generated rulesheets; a median of N processes
//!   each. The chart of build time against ground rules goes to FILE.

mod bank;
mod corpus;
mod duel;
mod growth;
mod mixed;
mod puzzles;
mod random;
mod speed;
mod stage;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rest = args.get(1..).unwrap_or(&[]);
    match args.first().map(String::as_str) {
        Some("bank") => bank::run(rest),
        Some("speed") => speed::run(rest),
        Some("duel") => duel::run(rest),
        Some("mixed") => mixed::run(rest),
        Some("puzzles") => puzzles::run(rest),
        Some("random") => random::run(rest),
        Some("growth") => growth::run(rest),
        _ => panic!("speed, duel, mixed, puzzles, random or growth"),
    }
}
