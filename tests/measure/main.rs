//! Measures the strength and the speed of players: `cargo run --release -p ggp-tests --bin measure --
//! COMMAND …`.
//!
//! * `speed FILE…`: playouts backed up per second of CPU time by the search in lanes, by `uct` on the
//!   network, and by the search on the interpreter, and the share of time in playouts.
//! * `duel A B SECONDS MATCHES FILE…`: the first player's mean goal share at equal CPU time a move,
//!   seats rotated, with its standard error, the mean share of the other roles, and the number of matches in which
//!   the first player had a learnt policy. A player with `iterations` gets those instead. SECONDS is one time for
//!   both, or A's:B's, in CPU time, so that other work on the machine does not decide matches; `0.5w` is wall clock
//!   time, as players of several threads need. A start clock may stand before it, as in `20+0.25`. MATCHES is a number
//!   of matches, or FIRST-AFTER to go on with others.
//! * `threads N SECONDS GAME…`: the iterations per second of wall clock time of a search with one thread, of one with N
//!   threads, and of N searches side by side. The machine must have N processors for it alone.
//! * `mixed SPEC SEEDS FILE…`: the frequency of the player's moves over so many seeds in each information set
//!   of a small game of hidden information, of two roles of constant sum, and the exploitability of these
//!   frequencies as a share of the range of goals.
//! * `puzzles START PLAY [K/N] [NAME…]`: plays every one-player game of the corpus with these clocks.
//! * `random SECONDS MATCHES STEPS [K/N] [NAME…]`: `mcts` against random players in every other game of
//!   the corpus: so many timed moves, then random ones; goals, and every illegal or late move.
//! * `growth [--svg FILE] [--runs N] [FAMILY…]`: how the time and the memory of building a network, and the speed
//!   of playouts, change with the size of a game, in families of generated rulesheets; a median of N processes
//!   each. The chart of build time against ground rules goes to FILE.
//!
//! The ruler: measures of a search's quality that cost seconds or minutes, over the games of two suites that the
//! source names ([`suite`]). Each takes players such as `mcts mcts:mast=off`, and searches the same positions with each.
//! Searches have fixed descents and given seeds, so that a table repeats; costs are CPU times.
//!
//! * `deviation [PLAYER…]`: the standard deviation of the root's score over `--seeds`.
//! * `jump [PLAYER…]`: the difference of the scores of successive own turns in self-play of `--matches`.
//! * `logloss [PLAYER…]`: log-loss of the visit shares against searches of `--times` times the descents.
//! * `exploit [PLAYER…]`: what a best reply gains against the strategy of a search where two roles choose at once, in games
//!   of at most `--states` states, which are solved exactly.
//! * `bank [PLAYER…]`: the share of a bank of proved positions that a search proves in `--seconds` of CPU time, and in
//!   `--descents`. `--bank FILE` is another bank; `--build` prints one.
//! * `scaling [PLAYER…]`: the share of `--times` the descents against `--descents`, in `--matches` a game.
//! * `spsa [PLAYER]`: tunes the constants of the search together, one pair of matches an iteration, at `--descents`; `--out
//!   FILE` keeps every iteration with its seed and goes on with them, up to `--iterations`.
//! * `sprt A B`: the sequential test with `--elo0`, `--elo1` and at most `--matches`; `--out FILE` keeps the results
//!   and goes on with them.
//!
//! All take `--suite development|confirmation|ten|all|simultaneous` or `--games NAME,NAME` (of the corpus, or files),
//! `--descents N`, `--seed N` of the positions, `--jobs N` threads (`exploit` has one), and `--json` for lines of JSON; those on
//! positions take `--positions N` a game and `--seeds N`.

mod arguments;
mod bank;
mod contest;
mod corpus;
mod deviation;
mod duel;
mod exploit;
mod growth;
mod jobs;
mod jump;
mod logloss;
mod mixed;
mod probe;
mod puzzles;
mod random;
mod scaling;
mod self_play;
mod speed;
mod sprt;
mod spsa;
mod stage;
mod statistics;
mod suite;
mod table;
mod threads;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rest = args.get(1..).unwrap_or(&[]);
    match args.first().map(String::as_str) {
        Some("speed") => speed::run(rest),
        Some("duel") => duel::run(rest),
        Some("mixed") => mixed::run(rest),
        Some("puzzles") => puzzles::run(rest),
        Some("random") => random::run(rest),
        Some("growth") => growth::run(rest),
        Some("deviation") => deviation::run(rest),
        Some("jump") => jump::run(rest),
        Some("logloss") => logloss::run(rest),
        Some("exploit") => exploit::run(rest),
        Some("bank") => bank::run(rest),
        Some("scaling") => scaling::run(rest),
        Some("spsa") => spsa::run(rest),
        Some("sprt") => sprt::run(rest),
        Some("threads") => threads::run(rest),
        _ => panic!(
            "speed, duel, mixed, puzzles, random, growth, deviation, jump, logloss, exploit, bank, scaling, spsa, sprt or threads"
        ),
    }
}
