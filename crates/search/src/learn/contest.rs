//! [`Contest`]: a match of a search with a policy against searches without it.

use super::self_play::OPENING;
use crate::limits::{Halt, Limits};
use crate::node::Phase;
use crate::options::MctsOptions;
use crate::policy::Policy;
use crate::search::Search;
use ggp_game::rng::{Sequence, mix};
use ggp_game::{EvalError, Move, Playouts, Role};
use std::sync::Arc;

/// A search with the policy has so many times the descents of a search of self-play: about as many as a player has.
const LONGER: u64 = 10;
/// A search without the policy has one more descent for so many, since it needs less time for each.
const HANDICAP: u64 = 10;
/// A match of two seats has so many times the descents of a match of self-play: the mean of its two searches.
pub(super) const TIMES: f64 = LONGER as f64 * (1.0 + 0.5 / HANDICAP as f64);

/// What the matches have in common.
#[derive(Debug)]
pub(super) struct Contest<M: Playouts> {
    machine: M,
    options: MctsOptions,
    /// The number of descents for each move of the search with the policy.
    descents: u64,
}

impl<M: Playouts> Contest<M> {
    /// Matches on `machine`. `options` are those of self-play.
    pub(super) fn new(machine: &M, options: &MctsOptions) -> Contest<M> {
        let descents = LONGER * options.iterations.unwrap_or(1);
        Contest { machine: machine.clone(), options: options.clone(), descents }
    }

    /// The roles but chance.
    pub(super) fn seats(&self) -> Vec<Role> {
        let game = self.machine.game();
        game.roles().filter(|&role| game.nature() != Some(role)).collect()
    }

    /// Plays the match `number`: the role that has the policy rotates, and each opening is played once by each role.
    /// Returns the share of this role (see [`Trial::share`](super::Trial::share)), or `None` if a limit ends the match.
    pub(super) fn play(
        &self,
        policy: &Arc<Policy>,
        number: u64,
        limits: &Limits,
    ) -> Result<Option<f64>, EvalError> {
        let (game, seats) = (self.machine.game(), self.seats());
        let seat = seats[(number % seats.len() as u64) as usize];
        let seed = mix(self.options.seed() ^ mix(!(number / seats.len() as u64)));
        let mut random = Sequence::new(seed);
        let mut searches = Vec::with_capacity(game.role_count());
        for role in game.roles() {
            let options = MctsOptions { seed: Some(seed ^ u64::from(role.0)), ..self.options.clone() };
            let mut search = Search::new(self.machine.clone(), &options)?;
            if role == seat {
                search.use_policy(policy.clone())?;
            }
            searches.push(search);
        }
        let mut drawn = random.below(OPENING + 1);
        loop {
            for search in &mut searches {
                search.open_root()?;
            }
            let first = &searches[0];
            let root = first.tree.root();
            if first.tree[root].phase == Phase::Ended {
                let goal = |role: Role| {
                    let goal = first.tree.stats(root)[role.index()].bounds.proven();
                    goal.map_or(0.0, |goal| f64::from(goal) / 100.0)
                };
                let all: f64 = seats.iter().map(|&role| goal(role)).sum();
                let others = (all - goal(seat)) / (seats.len() - 1).max(1) as f64;
                return Ok(Some(0.5 + 0.5 * (goal(seat) - others)));
            }
            // Moves go from search to search as texts, because each search has a machine of its own.
            let drawn_joint = first.draw_joint(true, &mut random);
            let text = |mv: &Move| first.worker.machine.move_text(*mv).to_owned();
            let mut texts: Vec<String> = drawn_joint.iter().map(text).collect();
            if drawn > 0 {
                drawn -= 1;
            } else {
                for &role in &seats {
                    let search = &mut searches[role.index()];
                    let more = if role == seat { 0 } else { self.descents / HANDICAP };
                    match choose(search, role, self.descents + more, limits)? {
                        Some(mv) => search.worker.machine.move_text(mv).clone_into(&mut texts[role.index()]),
                        None => return Ok(None),
                    }
                }
            }
            for search in &mut searches {
                let joint = search.machine().parse_joint(&texts)?;
                search.advance(&joint)?;
            }
        }
    }
}

/// The move that `search` chooses for `role`; `None` if a limit other than its descents ends it.
fn choose<M: Playouts>(
    search: &mut Search<M>,
    role: Role,
    descents: u64,
    limits: &Limits,
) -> Result<Option<Move>, EvalError> {
    if search.choices(role)? > 1 {
        let limits = Limits { iterations: Some(descents), ..limits.clone() };
        match search.run(&limits.for_role(role)) {
            Halt::Iterations | Halt::Decided | Halt::Full => {}
            _ => return Ok(None),
        }
    }
    search.best_move(role)
}
