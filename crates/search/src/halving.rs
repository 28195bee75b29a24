//! Sequential halving of the root's moves (Karnin, Koren & Somekh 2013; in trees Pepels et al. 2014).
//!
//! UCT keeps the regret of all its visits small, and visits the moves of a wide root almost equally often. A player needs
//! the best move alone. So after a first part of the time, the search keeps the better half
//! of the moves, then the better half of those, down to two.

use crate::limits::{Halt, Limits};
use crate::node::{Chooser, Phase};
use crate::search::Search;
use crate::technique::Technique;
use ggp_game::{Deadline, Move, Playouts, Role};
use std::time::Instant;

/// The share of the time, or of the iterations, in which all moves are searched.
const WHOLE: f64 = 0.4;

/// The number of moves that the last round searches.
const LEAST: usize = 2;

/// Moves are dropped only if those of the root have this many visits on average. In a slow game, and with a short clock, so few
/// visits say nothing.
const KNOWN: usize = 2;

/// The number of rounds in which so many moves are halved; 1 if there is nothing to halve.
fn rounds(moves: usize) -> u32 {
    moves.div_ceil(LEAST).next_power_of_two().ilog2().max(1)
}

impl<M: Playouts> Search<M> {
    /// Searches for the move that `role` plays next, until a limit is reached. In games of two roles, where only `role`
    /// has a choice, the root's moves are halved round by round, so that the visits of the last moves say which is
    /// better; those of the others are few. Elsewhere, and without [`Technique::Halving`], this is [`Search::run`].
    pub fn run_for_move(&mut self, limits: &Limits, role: Role) -> Halt {
        if !self.two_player.has(Technique::Halving) {
            return self.run(limits);
        }
        let (began, left, before) = (Instant::now(), limits.deadline.remaining(), self.counts.iterations);
        let up_to = |share: f64, done: u64| Limits {
            deadline: left.map_or(limits.deadline, |left| Deadline(Some(began + left.mul_f64(share)))),
            iterations: limits.iterations.map(|most| ((most as f64 * share) as u64).saturating_sub(done)),
            ..limits.clone()
        };
        // 1. All moves.
        let mut halt = self.run(&up_to(WHOLE, 0));
        // 2. Rounds of equal length, each with half of the moves of the round before. The last one ends at the limits.
        let moves = self.known_choices(role);
        let rounds = rounds(moves);
        for round in 1..=rounds {
            if !matches!(halt, Halt::Deadline | Halt::Iterations) {
                break;
            }
            let share = WHOLE + (1.0 - WHOLE) * f64::from(round) / f64::from(rounds);
            let part = up_to(share, self.counts.iterations - before);
            halt = self.run_round(&part, role, moves, round);
        }
        halt
    }

    /// One part of a search for the move that `role` plays next, for a caller who divides [`Search::run_for_move`] into
    /// parts. `spent` is the share of the search that is over before this part, from 0 to 1.
    pub fn run_part_for_move(&mut self, limits: &Limits, role: Role, spent: f64) -> Halt {
        if !self.two_player.has(Technique::Halving) || spent < WHOLE {
            return self.run(limits);
        }
        let moves = self.known_choices(role);
        let rounds = rounds(moves);
        let over = (spent - WHOLE) / (1.0 - WHOLE) * f64::from(rounds);
        self.run_round(limits, role, moves, (over as u32 + 1).min(rounds))
    }

    /// Searches the best of `role`'s moves at the root that the round `round` of halving keeps of `moves` moves; all if
    /// `moves` is 0.
    fn run_round(&mut self, limits: &Limits, role: Role, moves: usize, round: u32) -> Halt {
        if moves == 0 {
            return self.run(limits);
        }
        self.run_among(limits, role, &self.best_moves(role, (moves >> round).max(LEAST)))
    }

    /// The number of `role`'s moves at the root if no other role has a choice there and they have visits enough, else 0.
    fn known_choices(&self, role: Role) -> usize {
        let id = self.tree.root();
        let root = &self.tree[id];
        if root.phase != Phase::Open || !matches!(root.chooser, Chooser::One(one) if one == role) {
            return 0;
        }
        let moves = self.tree.arms(id, role).len();
        if root.visits as usize >= KNOWN * moves { moves } else { 0 }
    }

    /// The `most` best moves of `role` at the root that can give it more than its security level, as [`Search::best_move`]
    /// ranks them. If no move can, the best of those that give the security level.
    fn best_moves(&self, role: Role, most: usize) -> Vec<Move> {
        let root = self.tree.root();
        let level = self.tree.security_level(root, role);
        let with = |least: u8| self.tree.arms(root, role).iter().filter(move |arm| arm.bounds.high >= least);
        let mut arms: Vec<_> = with(level.saturating_add(1)).collect();
        if arms.is_empty() {
            arms = with(level).collect();
        }
        let known = self.known_visits(arms.iter().map(|arm| arm.visits).max().unwrap_or(0));
        arms.sort_by(|one, other| {
            self.rank(other, known).partial_cmp(&self.rank(one, known)).unwrap_or(std::cmp::Ordering::Equal)
        });
        arms.iter().take(most).map(|arm| arm.mv).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::bounds::Bounds;
    use crate::limits::{Halt, Limits};
    use crate::options::MctsOptions;
    use crate::search::Search;
    use crate::technique::Technique;
    use crate::test_games::{self, Rules, TestMachine};
    use ggp_game::{Candidate, Move, Playouts, Role};
    use std::time::Duration;

    fn by_move(search: &Search<impl Playouts>) -> Vec<Candidate> {
        let mut candidates = search.report(Role(0)).candidates;
        candidates.sort_by(|one, other| one.mv.cmp(&other.mv));
        candidates
    }

    #[test]
    fn each_round_searches_half_of_the_moves_of_the_round_before() {
        let options = MctsOptions { seed: Some(5), ..MctsOptions::default() };
        let mut whole = Search::new(test_games::tic_tac_toe(), &options).unwrap();
        whole.run(&Limits::iterations(160));
        let mut halved = Search::new(test_games::tic_tac_toe(), &options).unwrap();
        assert_eq!(halved.run_for_move(&Limits::iterations(400), Role(0)), Halt::Iterations);
        assert_eq!(halved.report(Role(0)).iterations, 400);
        let (before, after) = (by_move(&whole), by_move(&halved));
        let mut more: Vec<u64> =
            before.iter().zip(&after).map(|(one, other)| other.visits - one.visits).collect();
        more.sort_unstable();
        // Four of nine moves are left in the first round of 80, and two of them in the other rounds.
        assert_eq!(more[..5], [0; 5], "{before:?} {after:?}");
        assert!(more[5..].iter().all(|&visits| visits > 0), "{before:?} {after:?}");
        assert!(more[5] + more[6] < 80 && more[7] + more[8] > 160, "{before:?} {after:?}");
    }

    #[test]
    fn rounds_keep_moves_that_can_surpass_what_is_secured() {
        let options = MctsOptions { seed: Some(5), ..MctsOptions::default() };
        let mut search = Search::new(test_games::tic_tac_toe(), &options).unwrap();
        search.run(&Limits::iterations(160));
        let bound = |search: &mut Search<_>, bounds: &[(usize, Bounds)]| {
            let root = search.tree.root();
            let ranked: Vec<Move> = search.best_moves(Role(0), 9);
            for &(rank, bounds) in bounds {
                let arm = search.tree[root].arms.iter_mut().find(|arm| arm.mv == ranked[rank]).unwrap();
                arm.bounds = bounds;
            }
            ranked
        };
        // The best move loses, and the second one attains no more than the third one secures.
        let (lost, drawn) = (Bounds::exact(0), Bounds::exact(50));
        let at_most_drawn = Bounds { low: 0, high: 50 };
        let ranked = bound(&mut search, &[(0, lost), (1, at_most_drawn), (2, drawn)]);
        let kept = search.best_moves(Role(0), 4);
        assert!(kept.len() == 4 && kept.iter().all(|mv| ranked[3..].contains(mv)), "{ranked:?} {kept:?}");
        let all: Vec<_> = (0..6).map(|rank| (rank, at_most_drawn)).collect();
        let rest = bound(&mut search, &all);
        let kept = search.best_moves(Role(0), 9);
        assert!(kept.len() == 8 && !kept.contains(&ranked[0]), "{ranked:?} {rest:?} {kept:?}");
    }

    #[test]
    fn parts_of_a_search_halve_the_moves_too() {
        let options = MctsOptions { seed: Some(5), ..MctsOptions::default() };
        let mut search = Search::new(test_games::tic_tac_toe(), &options).unwrap();
        let searched = |search: &mut Search<_>, spent: f64| {
            let before = by_move(search);
            search.run_part_for_move(&Limits::iterations(40), Role(0), spent);
            let after = by_move(search);
            let visits = |mv: &str| before.iter().find(|one| one.mv == mv).map_or(0, |one| one.visits);
            after.iter().filter(|one| one.visits > visits(&one.mv)).count()
        };
        let counts =
            [0.0, 0.1, 0.2, 0.3, 0.41, 0.5, 0.61, 0.7, 0.9, 1.0].map(|spent| searched(&mut search, spent));
        assert!(counts[..4].iter().all(|&moves| moves > 4), "{counts:?}");
        assert!(counts[4..6].iter().all(|&moves| moves <= 4), "{counts:?}");
        assert!(counts[6..].iter().all(|&moves| moves <= 2), "{counts:?}");
    }

    /// Whether a search for a move is the same as any search of these limits.
    fn is_plain<R: Rules>(machine: &TestMachine<R>, options: &MctsOptions, iterations: u64) -> bool {
        let searched = |halves: bool| {
            let mut search = Search::new(machine.clone(), options).unwrap();
            let limits = Limits::iterations(iterations);
            if halves {
                search.run_for_move(&limits, Role(0))
            } else {
                search.run(&limits)
            };
            by_move(&search)
        };
        searched(true) == searched(false)
    }

    #[test]
    fn nothing_is_halved_without_the_technique_or_visits_enough_or_where_several_choose_or_three_play() {
        let options = MctsOptions { seed: Some(5), ..MctsOptions::default() };
        assert!(!is_plain(&test_games::tic_tac_toe(), &options, 300));
        assert!(is_plain(&test_games::tic_tac_toe(), &options, 40), "16 visits of 9 moves are too few");
        let without =
            MctsOptions { techniques: options.techniques.with(Technique::Halving, false), ..options.clone() };
        assert!(is_plain(&test_games::tic_tac_toe(), &without, 300));
        assert!(is_plain(&test_games::heap(3, 3), &options, 300));
        let (win, draw, loss) = ([100, 0], [50, 50], [0, 100]);
        let matrix = test_games::matrix(&[&[draw, loss, win], &[win, draw, loss], &[loss, win, draw]]);
        assert!(is_plain(&matrix, &options, 300));
    }

    #[test]
    fn a_search_for_a_move_keeps_its_time_and_ends_with_a_proof() {
        let mut search = Search::new(test_games::tic_tac_toe(), &MctsOptions::default()).unwrap();
        let short = Limits::time(Duration::from_millis(30));
        assert!(matches!(search.run_for_move(&short, Role(0)), Halt::Deadline | Halt::Decided));
        assert!(search.counts.elapsed < Duration::from_secs(5));
        // Role 0 wins at once.
        let state = vec![1, 1, 0, 2, 2, 0, 0, 0, 0, 0];
        let mut search =
            Search::from_state(test_games::tic_tac_toe(), &MctsOptions::default(), state).unwrap();
        let halt = search.run_for_move(&Limits::iterations(100_000).for_role(Role(0)), Role(0));
        assert_eq!(halt, Halt::Decided);
        assert!(search.report(Role(0)).iterations < 100_000);
    }
}
