//! The games on which strength is judged: a development suite, on which a change is tried and constants are tuned,
//! and a confirmation suite, which decides about it. Each has races, lines, territory, captures, and a game of more
//! than a hundred legal moves. The split is fixed: a game that has been tuned on confirms nothing.

use ggp_game::Game;
use ggp_propnet::PropNetMachine;
use std::path::{Path, PathBuf};

/// Breakthrough and its like; lines, one of them with 225 moves; connection and territory; captures.
pub(crate) const DEVELOPMENT: [&str; 9] = [
    "breakthrough",
    "pawnToQueen",
    "connectFour_9x6",
    "gomoku_15x15",
    "quad_5x5",
    "hexPie",
    "knightazons",
    "checkers-mustjump",
    "ttcc4_2player",
];

/// The same kinds of games; the largest is `amazons_8x8`.
pub(crate) const CONFIRMATION: [&str; 8] = [
    "breakthroughSmall",
    "connect5",
    "nineBoardTicTacToe",
    "pentagoSuicide.v1",
    "dotsAndBoxes",
    "amazons_8x8",
    "checkersTorus.v1",
    "othelloSuicide",
];

/// Five games of each suite, for measurements that take long. No kind of game is left out.
pub(crate) const TEN: [&str; 10] = [
    "breakthrough",
    "pawnToQueen",
    "connectFour_9x6",
    "hexPie",
    "checkers-mustjump",
    "breakthroughSmall",
    "connect5",
    "nineBoardTicTacToe",
    "dotsAndBoxes",
    "othelloSuicide",
];

/// Games in which two roles choose at once, small enough to be solved exactly: up to some hundred thousand states.
pub(crate) const SIMULTANEOUS: [&str; 2] = ["chickentictactoe", "biddingTicTacToe"];

/// The games of the suite `name`: `development`, `confirmation`, `ten`, `all` or `simultaneous`.
pub(crate) fn named(name: &str) -> Vec<String> {
    let names = match name {
        "development" => DEVELOPMENT.to_vec(),
        "confirmation" => CONFIRMATION.to_vec(),
        "ten" => TEN.to_vec(),
        "all" => [&DEVELOPMENT[..], &CONFIRMATION[..]].concat(),
        "simultaneous" => SIMULTANEOUS.to_vec(),
        _ => panic!("the suites are development, confirmation, ten, all and simultaneous"),
    };
    names.into_iter().map(str::to_owned).collect()
}

/// The suite to which a game belongs.
pub(crate) fn of(game: &str) -> &'static str {
    if DEVELOPMENT.contains(&game) {
        "development"
    } else if CONFIRMATION.contains(&game) {
        "confirmation"
    } else {
        "others"
    }
}

/// The network of a game: of the corpus by its name, or of a file by its path. There is no time limit, so that the
/// load of the machine does not decide which games are measured.
pub(crate) fn network(game: &str) -> PropNetMachine {
    let path = path(game);
    let rules = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    ggp_tests::network(&rules)
}

/// The name of a game that is given by its name or its path.
pub(crate) fn name(game: &str) -> String {
    let file =
        Path::new(game).file_name().map_or_else(String::new, |file| file.to_string_lossy().into_owned());
    file.strip_suffix(".kif").unwrap_or(&file).to_owned()
}

/// The number of roles of a game that think.
pub(crate) fn thinkers(game: &Game) -> usize {
    game.role_count() - usize::from(game.nature().is_some())
}

fn path(game: &str) -> PathBuf {
    if Path::new(game).extension().is_some_and(|extension| extension == "kif") {
        return PathBuf::from(game);
    }
    let corpus = ggp_tests::corpus().expect("the corpus");
    corpus.join("rules").join(format!("{game}.kif"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suites_share_no_game_and_hold_the_ten() {
        let all = named("all");
        let mut distinct = all.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!((all.len(), distinct.len()), (17, 17));
        assert!(TEN.iter().all(|game| all.contains(&(*game).to_owned())));
        assert_eq!(TEN.iter().filter(|game| of(game) == "development").count(), 5);
    }
}
