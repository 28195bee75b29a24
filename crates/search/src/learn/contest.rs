//! [`Contest`]: a match of a search with a novelty, a policy or minimax values, against searches without it. Every second
//! match of self-play is one, so that self-play tries out what it teaches. In the others, one search plays all roles, whose
//! tree teaches more.

use super::self_play::SelfPlayMatch;
use crate::arm::Arm;
use crate::batch_size::BatchSizing;
use crate::draw::index_at;
use crate::evaluation::Evaluation;
use crate::limits::{Halt, Limits};
use crate::node::Phase;
use crate::options::MctsOptions;
use crate::policy::Policy;
use crate::search::Search;
use ggp_game::rng::{Sequence, mix};
use ggp_game::{EvalError, Move, Playouts, Role};
use std::sync::{Arc, Mutex, PoisonError};

/// The least number of leaves in a batch of self-play. A search of few descents that begins with one leaf spends most of its
/// time on batches that leave lanes idle.
const LEAVES: u32 = 32;
/// The largest number of random steps at the beginning of a match.
const OPENING: usize = 6;
/// In a trial, a search with the novelty has so many times the descents of a search of self-play: about as many as a player
/// has.
const LONGER: u64 = 30;
/// A search without the novelty has one more descent for so many, since it needs less time for each.
const HANDICAP: u64 = 10;
/// A match of short searches has so many times the descents of a match of self-play: the mean of its two searches.
pub(super) const SHORT: f64 = 1.0 + 0.5 / HANDICAP as f64;
/// A match of a trial of the policy has so many times the descents of a match of self-play.
pub(super) const LONG: f64 = LONGER as f64 * SHORT;

/// The technique that one search of a match has and the other searches do not have.
#[derive(Debug)]
pub(super) enum Novelty {
    Policy(Arc<Policy>),
    /// Minimax values. A search begins with this evaluation, and leaves here what the match has taught it.
    Minimax(Mutex<Evaluation>),
}

/// What the matches have in common.
#[derive(Debug)]
pub(super) struct Contest<M: Playouts> {
    machine: M,
    options: MctsOptions,
    /// The number of descents for each move of the search with the novelty.
    descents: u64,
    /// The evaluation with which all searches begin, if they use minimax values.
    evaluation: Option<Evaluation>,
    /// Whether the match is one of self-play: its positions are kept, moves are drawn by their visits, and each match has
    /// an opening of its own.
    teaches: bool,
}

impl<M: Playouts> Contest<M> {
    /// Matches of a trial on `machine`: long searches that choose their best moves. `options` are those of self-play.
    pub(super) fn of_trial(machine: &M, options: &MctsOptions) -> Contest<M> {
        let descents = LONGER * options.iterations.unwrap_or(1);
        Contest {
            machine: machine.clone(),
            options: options.clone(),
            descents,
            evaluation: None,
            teaches: false,
        }
    }

    /// Matches on `machine` that decide within seconds: searches as long as those of self-play that choose their best moves.
    pub(super) fn of_short_trial(machine: &M, options: &MctsOptions) -> Contest<M> {
        Contest { teaches: false, ..Contest::of_self_play(machine, options) }
    }

    /// Matches of self-play on `machine`.
    pub(super) fn of_self_play(machine: &M, options: &MctsOptions) -> Contest<M> {
        let descents = options.iterations.unwrap_or(1);
        let batch = BatchSizing { least_leaves: LEAVES, ..options.batch };
        let options = MctsOptions { batch, ..options.clone() };
        Contest { machine: machine.clone(), options, descents, evaluation: None, teaches: true }
    }

    /// The matches with searches of which all use minimax values, if there is an `evaluation`.
    pub(super) fn with_minimax(self, evaluation: Option<&Evaluation>) -> Contest<M> {
        Contest { evaluation: evaluation.cloned(), ..self }
    }

    /// The roles but chance.
    pub(super) fn seats(&self) -> Vec<Role> {
        let game = self.machine.game();
        game.roles().filter(|&role| game.nature() != Some(role)).collect()
    }

    /// Plays the match `number`. The role that has the novelty rotates. In a trial, each opening is played once by each role.
    pub(super) fn play(
        &self,
        novelty: Option<&Novelty>,
        number: u64,
        limits: &Limits,
    ) -> Result<SelfPlayMatch, EvalError> {
        let (game, seats) = (self.machine.game(), self.seats());
        let of_seats = seats.len() as u64;
        let (turn, opening, is_contested) = if self.teaches {
            (number / 2, number, novelty.is_some() && number.is_multiple_of(2))
        } else {
            (number, number / of_seats, true)
        };
        let at = (turn % of_seats) as usize;
        let seat = seats[at];
        let seed = mix(self.options.seed() ^ mix(!opening));
        let mut random = Sequence::new(seed);
        let players = if is_contested { game.role_count() } else { 1 };
        let mut searches = Vec::with_capacity(players);
        for player in 0..players {
            let options = MctsOptions { seed: Some(seed ^ player as u64), ..self.options.clone() };
            let mut search = Search::new(self.machine.clone(), &options)?;
            search.evaluation.clone_from(&self.evaluation);
            match novelty.filter(|_| !is_contested || player == seat.index()) {
                Some(Novelty::Policy(policy)) => search.use_policy(policy.clone())?,
                Some(Novelty::Minimax(evaluation)) => {
                    search.evaluation =
                        Some(evaluation.lock().unwrap_or_else(PoisonError::into_inner).clone());
                }
                None => {}
            }
            searches.push(search);
        }
        let played = self.play_on(&mut searches, &seats, at, &mut random, limits)?;
        if let Some(Novelty::Minimax(evaluation)) = novelty
            && let Some(taught) = searches.swap_remove(seat.index().min(players - 1)).evaluation
        {
            // A match on another thread may have taught its copy more.
            let mut evaluation = evaluation.lock().unwrap_or_else(PoisonError::into_inner);
            if taught.steps() >= evaluation.steps() {
                *evaluation = taught;
            }
        }
        Ok(SelfPlayMatch { number, ..played })
    }

    /// Plays a match of `searches` to its end. Each role has a search of its own, and the one of `seats[at]` has the
    /// novelty; or one search plays all roles.
    fn play_on(
        &self,
        searches: &mut [Search<M>],
        seats: &[Role],
        at: usize,
        random: &mut Sequence,
        limits: &Limits,
    ) -> Result<SelfPlayMatch, EvalError> {
        let players = searches.len();
        let is_contested = players > 1;
        let mut played = SelfPlayMatch::default();
        let mut drawn = random.below(OPENING + 1);
        loop {
            for search in &mut *searches {
                search.open_root()?;
            }
            // A match ends once a search has proved its result: further play would teach nothing.
            if let Some(goals) = searches.iter().find_map(|search| search.result(seats)) {
                let own = goals[at];
                let others = (goals.iter().sum::<f64>() - own) / (seats.len() - 1).max(1) as f64;
                played.share = is_contested.then_some(0.5 + 0.5 * (own - others));
                // A match counts as one search at least: learning ends also where no match needs one.
                played.descents = played.descents.max(self.descents);
                return Ok(played);
            }
            // Moves go from search to search as texts, because each search has a machine of its own.
            let first = &searches[0];
            let drawn_joint = first.draw_joint(true, random);
            let text = |mv: &Move| first.worker.machine.move_text(*mv).to_owned();
            let mut texts: Vec<String> = drawn_joint.iter().map(text).collect();
            if drawn > 0 {
                drawn -= 1;
            } else {
                for &role in seats {
                    let search = &mut searches[role.index().min(players - 1)];
                    let is_faster = is_contested && role != seats[at];
                    let more = if is_faster { self.descents / HANDICAP } else { 0 };
                    let descents = self.descents + more;
                    match self.choose(search, role, descents, limits, random, &mut played)? {
                        Some(mv) => search.worker.machine.move_text(mv).clone_into(&mut texts[role.index()]),
                        None => return Ok(played),
                    }
                }
            }
            for search in &mut *searches {
                let joint = search.machine().parse_joint(&texts)?;
                search.advance(&joint)?;
            }
        }
    }

    /// The move that `search` chooses for `role`; `None` if a limit other than its descents ends it.
    fn choose(
        &self,
        search: &mut Search<M>,
        role: Role,
        descents: u64,
        limits: &Limits,
        random: &mut Sequence,
        played: &mut SelfPlayMatch,
    ) -> Result<Option<Move>, EvalError> {
        if search.choices(role)? < 2 {
            return search.best_move(role);
        }
        let limits = Limits { iterations: Some(descents), ..limits.clone() };
        let halt = search.run(&limits.for_role(role));
        if self.teaches {
            played.descents += descents;
            search.append_samples(&mut played.samples, usize::MAX, &Limits::default())?;
        }
        match halt {
            Halt::Iterations if self.teaches => Ok(Some(search.draw_move(role, false, random))),
            Halt::Iterations | Halt::Decided | Halt::Full => search.best_move(role),
            _ => Ok(None),
        }
    }
}

impl<M: Playouts> Search<M> {
    /// The shares that `seats` get at the root, if it is an end of the game or all of them are proved. A missing goal
    /// counts 0.
    fn result(&self, seats: &[Role]) -> Option<Vec<f64>> {
        let root = self.tree.root();
        let has_ended = self.tree[root].phase == Phase::Ended;
        let proved = seats.iter().map(|role| self.tree.stats(root)[role.index()].bounds.proven());
        proved.map(|goal| goal.or(has_ended.then_some(0)).map(|goal| f64::from(goal) / 100.0)).collect()
    }

    /// A joint move at the root of moves that [`Search::draw_move`] draws.
    pub(super) fn draw_joint(&self, uniformly: bool, random: &mut Sequence) -> Vec<Move> {
        self.tree.each_role().map(|role| self.draw_move(role, uniformly, random)).collect()
    }

    /// A move of `role` at the root, for variety in self-play: drawn uniformly from the legal moves, or in proportion to
    /// the squares of the visits.
    pub(super) fn draw_move(&self, role: Role, uniformly: bool, random: &mut Sequence) -> Move {
        let arms = self.tree.arms(self.tree.root(), role);
        let weight = |arm: &Arm| if uniformly { 1.0 } else { f64::from(arm.visits).powi(2) + 1e-9 };
        let point = random.between(0.0..arms.iter().map(weight).sum());
        arms[index_at(point, arms.iter().map(weight)).unwrap_or(0)].mv
    }
}
