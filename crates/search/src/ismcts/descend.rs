//! A descent: from a state that a role considers possible through the nodes of all roles to a choice of the
//! updated role that is to be evaluated.

use super::running_match::RunningMatch;
use ggp_game::{EvalError, Goals, Move, Playouts, Recalled, Role, StateMachine};

/// A descent ends after this many joint moves, so that an endless game does not hold it.
const MOST_STEPS: usize = 1000;

/// A choice is evaluated in this many visits before descents go on from it. These visits give its arms their
/// first means.
const EVALUATIONS: u32 = 8;

/// A choice of the updated role on the way of a descent.
pub(super) struct Step {
    /// The key of the information set.
    pub(super) key: u64,
    pub(super) arm: usize,
    /// The probability with which the arm was drawn.
    pub(super) probability: f64,
    /// The probability with which the updated role's own strategy makes the choices before this one, divided by
    /// the probability with which the descent has drawn them.
    pub(super) reach: f64,
}

/// A finished descent.
pub(super) struct Descent<S> {
    /// The role whose statistics are updated.
    pub(super) role: Role,
    pub(super) steps: Vec<Step>,
    pub(super) end: End<S>,
}

/// The state in which a descent ends.
pub(super) enum End<S> {
    /// The value of the last state for the updated role, as a share.
    Valued(f64),
    /// The updated role has the choice `key`, whose `moves` are to be evaluated.
    Choice {
        key: u64,
        moves: Vec<Move>,
        reach: f64,
        /// The state after each of `moves`.
        after: Vec<S>,
    },
}

impl<M: Playouts> RunningMatch<M> {
    /// Descends from `state`. The statistics of `role` are to be updated.
    pub(super) fn descend(
        &mut self,
        mut state: Recalled<M::State>,
        role: Role,
    ) -> Result<Descent<M::State>, EvalError> {
        let game = self.recall.game().clone();
        let mut steps: Vec<Step> = Vec::new();
        let mut reach = 1.0;
        let mut legal: Vec<Vec<Move>> = vec![Vec::new(); game.role_count()];
        let mut made = 0;
        let end = loop {
            // 1. A terminal state gives the value. So does a state from which the match cannot go on.
            let over = self.recall.is_terminal(&state)?;
            for (legal, role) in legal.iter_mut().zip(game.roles()).filter(|_| !over) {
                self.recall.legal_moves(&state, role, legal)?;
            }
            if over || made == MOST_STEPS || legal.iter().any(Vec::is_empty) {
                let mut goals = vec![Goals::None; legal.len()];
                self.recall.goals(&state, &mut goals)?;
                let goals = goals[role.index()];
                break End::Valued(if over { goals.score() } else { goals.estimate() }.share());
            }
            // 2. The other roles draw their moves by their current strategies.
            let mut joint = Vec::with_capacity(legal.len());
            for (legal, other) in legal.iter().zip(game.roles()) {
                let node = (other != role && legal.len() > 1)
                    .then(|| self.tree.get(state.observed(other).key()))
                    .flatten();
                let drawn = match node.filter(|node| node.moves() == legal) {
                    Some(node) => node.draw(&mut self.random),
                    None => self.random.below(legal.len()),
                };
                joint.push(legal[drawn]);
            }
            // 3. The updated role draws its move. A choice with few visits is evaluated instead.
            let own = &legal[role.index()];
            if own.len() > 1 {
                let key = state.observed(role).key();
                let node = self.tree.node(key, own).filter(|node| node.moves() == own);
                let Some(node) = node.filter(|node| node.visits() >= EVALUATIONS) else {
                    let mut after = Vec::with_capacity(own.len());
                    for &mv in own {
                        joint[role.index()] = mv;
                        after.push(self.recall.machine().next_state(state.state(), &joint)?);
                    }
                    break End::Choice { key, moves: own.clone(), reach, after };
                };
                let (arm, probability) = match self.selection {
                    Selection::Ucb(exploration) => {
                        let arm = node.ucb(exploration);
                        node.expect(arm);
                        self.pending.push((key, arm));
                        (arm, 1.0)
                    }
                    Selection::RegretMatching => node.explore(&mut self.random),
                };
                joint[role.index()] = own[arm];
                steps.push(Step { key, arm, probability, reach });
                if self.selection == Selection::RegretMatching {
                    reach *= node.probability(arm) / probability;
                }
            }
            state = self.recall.next_state(&state, &joint)?;
            made += 1;
        };
        Ok(Descent { role, steps, end })
    }
}

/// How the updated role draws its moves in a descent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Selection {
    /// By upper confidence bounds with this exploration constant: the role is the only one that chooses.
    Ucb(f64),
    /// By regret matching, which leads to mixed strategies.
    RegretMatching,
}
