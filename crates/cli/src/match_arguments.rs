//! The arguments of `ggp match`.

use crate::number::{seconds, whole};
use crate::reasoner::Reasoning;
use crate::rulesheet::Level;
use crate::seats::kinds_help;
use crate::sequential;
use ggp_arena::{OnFault, Pairing, Shard};
use std::path::PathBuf;
use std::time::Duration;

/// The maximum number of matches of a tournament.
const MAX_MATCHES: u64 = 100_000_000;

/// Play many matches and report which player is stronger
///
/// All players play each other in all games, with every seating of every opening. With --out, each
/// result is written as soon as its match ends; --resume with the same arguments continues a run
/// that was stopped, without losing or repeating a match.
///
/// Players outside of this program are tried before the first match. If one cannot be started or
/// reached, the command ends with exit code 3. --on-fault concerns faults during matches: they are
/// counted in the result, and do not change the exit code.
///
/// The first lines of the result name players that were at fault in more than a tenth of their
/// matches, and the stronger player. To call a player stronger takes 30 pairs: a pair is two
/// matches with the same opening in which two players have swapped their seats. Pairs with the same
/// opening count as one pair here.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = kinds_help(true) + "
Examples:
  ggp match games/hex.kif --player a=mcts:iterations=200 --player b=random --games 100
  ggp match games/*.kif --player new=mcts --player old=uct --playclock 0.1 --out results.jsonl
  ggp match games/*.kif --player new=mcts --player old=uct --playclock 0.1 --resume results.jsonl
  ggp match games/nim.kif --player a=mcts --player b=uct --iterations 100 --openings 2 \\
    --games 5000 --sprt elo0=0 elo1=20
  ggp match games/nim.kif --player a=mcts --player 'b=cmd:./mine --fast' --shard 3/16 --out 3.jsonl")]
pub(crate) struct Arguments {
    /// The rulesheets, in KIF
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) level: Level,
    /// A player that takes part; given once for each player
    #[arg(long, value_name = "NAME=SPEC", required = true)]
    pub(crate) player: Vec<String>,
    /// The number of matches; rounded up, so that every player has every seat in the last opening, too
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = matches)]
    pub(crate) games: u64,
    /// The pairing: roundrobin, or gauntlet (the first player against each of the others)
    #[arg(long, value_name = "NAME", default_value_t)]
    pub(crate) pairing: Pairing,
    /// Seconds for each move; 1 by default, unlimited if all searches have a limit of iterations
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) playclock: Option<Duration>,
    /// Seconds for each player before the first move. By default 0, but players outside of this program
    /// then have 5 seconds to answer START
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) startclock: Option<Duration>,
    /// The iterations for each move of every search whose specification gives none
    #[arg(long, value_name = "N", value_parser = whole(1u64..))]
    pub(crate) iterations: Option<u64>,
    /// The seed of openings, players and all other random numbers
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0u64..))]
    pub(crate) seed: u64,
    /// Begin each match with K random joint moves, which are the same for all seatings
    #[arg(long, visible_alias = "plies", value_name = "K", default_value_t = 0, value_parser = whole(0u32..))]
    pub(crate) openings: u32,
    /// The number of matches played at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1u16..))]
    pub(crate) concurrency: u16,
    /// Let the players of a match think at the same time instead of one after the other
    #[arg(long)]
    pub(crate) parallel: bool,
    /// What happens if a player is at fault: `random` or `first` (a random or the first legal move is made for
    /// it), or `forfeit`
    #[arg(long, value_name = "POLICY", default_value_t)]
    pub(crate) on_fault: OnFault,
    /// Append each result to FILE, with one line of JSON for each match
    #[arg(long, value_name = "FILE.jsonl", conflicts_with = "resume")]
    pub(crate) out: Option<PathBuf>,
    /// Go on with the run that wrote FILE: play the matches that are not in it. Results in FILE beyond --games are not
    /// rated
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) resume: Option<PathBuf>,
    /// Write a record of every match to DIR, as JSON in the format of ggp.org
    #[arg(long, value_name = "DIR")]
    pub(crate) save: Option<PathBuf>,
    /// End when a sequential test (SPRT) has decided whether the first of two players is stronger than the
    /// second by elo0 or by elo1: the terms elo0=E elo1=E alpha=P beta=P, by default 0, 10, 0.05 and 0.05. FILE
    /// comes before this option
    #[arg(long, value_name = "TERM", num_args = 0..=4, value_parser = sequential::term)]
    pub(crate) sprt: Option<Vec<String>>,
    /// Play part K of N, for runs on N machines
    #[arg(long, value_name = "K/N")]
    pub(crate) shard: Option<Shard>,
    /// Write the results as an HTML page
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reasoning: Reasoning,
}

/// Parses the number of matches.
fn matches(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) => Err("there is nothing to play: 1 or more are wanted".to_owned()),
        Ok(number @ 1..=MAX_MATCHES) => Ok(number),
        Ok(_) => Err(format!("{MAX_MATCHES} matches are the most")),
        Err(_) => Err(format!("a whole number from 1 to {MAX_MATCHES} is wanted")),
    }
}
