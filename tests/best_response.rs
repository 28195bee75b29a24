//! A best response to given strategies in a game of two roles and chance, straight from the definition. It
//! shares no code with the solver of the crate `ggp-equilibrium`, which it checks.

use ggp_game::{Fact, JointMoves, Move, Playouts, Role};
use std::collections::{BTreeMap, HashMap};

/// A role's history: for each turn, the text of its move and those of its percepts.
pub type History = Vec<Vec<String>>;

/// The probability of each move, by role and by what the role has done and seen. A choice without an entry is
/// uniform.
pub type Strategies = HashMap<(String, History), BTreeMap<String, f64>>;

/// The best response of one role: a search over what the role
/// knows, which is a list of states, each with the other role's history and its probability.
struct Responder<'a, M> {
    machine: M,
    role: Role,
    other: Role,
    strategies: &'a Strategies,
}

/// A state that the responding role holds possible, the history of the other role in it, and its probability.
type Possible<S> = (S, Vec<Vec<String>>, f64);

impl<M: Playouts> Responder<'_, M> {
    fn legal(&mut self, state: &M::State, role: Role) -> Vec<Move> {
        let mut legal = Vec::new();
        self.machine.legal_moves(state, role, &mut legal).expect("evaluates");
        legal
    }

    /// The probability of each move of the other role and of chance.
    fn shares(&mut self, state: &M::State, role: Role, history: &[Vec<String>]) -> Vec<(Move, f64)> {
        let legal = self.legal(state, role);
        let even = 1.0 / legal.len() as f64;
        let name = self.machine.game().role_name(role).to_owned();
        let known = self.strategies.get(&(name, history.to_vec())).filter(|_| role == self.other);
        let share = |mv: Move| known.map_or(even, |moves| moves[self.machine.move_text(mv)]);
        legal.iter().map(|&mv| (mv, share(mv))).collect()
    }

    fn history(
        &mut self,
        state: &M::State,
        joint: &[Move],
        role: Role,
        before: &[Vec<String>],
    ) -> Vec<Vec<String>> {
        let mut seen: Vec<Fact> = Vec::new();
        self.machine.percepts(state, joint, role, &mut seen).expect("evaluates");
        let own = self.machine.move_text(joint[role.index()]).to_owned();
        let turn = std::iter::once(own).chain(seen.iter().map(|fact| fact.as_str().to_owned())).collect();
        before.iter().cloned().chain([turn]).collect()
    }

    /// The goal that the role expects at most, times the probability of `possible`.
    fn value(&mut self, possible: Vec<Possible<M::State>>) -> f64 {
        let mut ended = 0.0;
        let mut open = Vec::new();
        for (state, history, share) in possible {
            if self.machine.is_terminal(&state).expect("evaluates") {
                let goals = self.machine.goals_of(&state).expect("evaluates");
                ended += share * f64::from(goals[self.role.index()].score().value());
            } else {
                open.push((state, history, share));
            }
        }
        let Some((state, ..)) = open.first() else { return ended };
        let state = state.clone();
        let values: Vec<f64> =
            self.legal(&state, self.role).into_iter().map(|own| self.after(&open, own)).collect();
        ended + values.into_iter().fold(f64::NEG_INFINITY, f64::max)
    }

    /// The value of the move `own` in the states of `open`: what the role sees tells what it knows next.
    fn after(&mut self, open: &[Possible<M::State>], own: Move) -> f64 {
        let mut seen: BTreeMap<Vec<Vec<String>>, Vec<Possible<M::State>>> = BTreeMap::new();
        let roles: Vec<Role> = self.machine.game().roles().collect();
        for (state, history, share) in open {
            let choices: Vec<Vec<(Move, f64)>> = roles
                .iter()
                .map(
                    |&role| {
                        if role == self.role { vec![(own, 1.0)] } else { self.shares(state, role, history) }
                    },
                )
                .collect();
            let moves: Vec<Vec<Move>> =
                choices.iter().map(|choice| choice.iter().map(|&(mv, _)| mv).collect()).collect();
            let mut joints = JointMoves::new(&moves);
            while let Some(joint) = joints.next() {
                let joint = joint.to_vec();
                let of = |(choice, mv): (&Vec<(Move, f64)>, &Move)| {
                    choice.iter().find(|(other, _)| other == mv).expect("a choice").1
                };
                let likely: f64 = share * choices.iter().zip(&joint).map(of).product::<f64>();
                if likely > 0.0 {
                    let knows = self.history(state, &joint, self.role, &[]);
                    let others = self.history(state, &joint, self.other, history);
                    let next = self.machine.next_state(state, &joint).expect("evaluates");
                    seen.entry(knows).or_default().push((next, others, likely));
                }
            }
        }
        seen.into_values().map(|possible| self.value(possible)).sum()
    }
}

/// The exploitability of the strategies of both roles, as a share of the range of goals from 0 to 100: half of
/// the sum of what both roles gain by best responses. The goals of the two roles must have the sum 100.
pub fn exploitability<M: Playouts>(machine: &M, strategies: &Strategies) -> f64 {
    let game = machine.game().clone();
    let players: Vec<Role> = game.roles().filter(|&role| game.nature() != Some(role)).collect();
    let response = |role: Role, other: Role| {
        let mut machine = machine.clone();
        let start = vec![(machine.initial_state().expect("evaluates"), Vec::new(), 1.0)];
        Responder { machine, role, other, strategies }.value(start)
    };
    (response(players[0], players[1]) + response(players[1], players[0]) - 100.0) / 200.0
}
