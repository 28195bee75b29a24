//! The selection of corpus games: all of one kind, those that are named, or one part of them.

use crate::stage;
use ggp_game::Game;
use std::sync::Arc;

/// The games of the corpus that `wanted` accepts, restricted to the given names or to part K of N.
pub(crate) fn games(
    args: &[String],
    wanted: impl Fn(&Game) -> bool,
) -> impl Iterator<Item = (String, Arc<Game>)> {
    let part = args.first().and_then(|arg| arg.split_once('/'));
    let part = part.and_then(|(k, n)| Some((k.parse::<usize>().ok()?, n.parse::<usize>().ok()?)));
    let names: Vec<String> = args[usize::from(part.is_some())..].to_vec();
    let (k, n) = part.unwrap_or((1, 1));
    let corpus = ggp_tests::corpus().expect("the corpus");
    let all: Vec<(String, Arc<Game>)> = ggp_tests::rulesheets_in(&corpus.join("rules"))
        .iter()
        .map(|path| (stage::name(path), stage::game(path)))
        .filter(|(_, game)| wanted(game))
        .collect();
    all.into_iter()
        .enumerate()
        .filter(move |(number, (name, _))| number % n + 1 == k && (names.is_empty() || names.contains(name)))
        .map(|(_, game)| game)
}
