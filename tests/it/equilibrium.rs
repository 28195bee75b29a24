//! Solutions of games of hidden information: published values, and a best response that shares no code with the
//! solver.

use ggp_equilibrium::{Behaviour, BeliefError, Budget, CfrPlus, UnfoldError, Unfolding, best_play};
use ggp_game::{Deadline, Fact, JointMoves, Move, Playouts, Role, StateMachine, StopToken};
use ggp_propnet::PropNetMachine;
use std::collections::{BTreeMap, HashMap};

fn machine(name: &str) -> PropNetMachine {
    ggp_tests::network(&ggp_tests::rulesheet(name))
}

/// The strategies of an equilibrium, by role and by what the role has done and seen.
type Strategies = HashMap<(String, Vec<Vec<String>>), BTreeMap<String, f64>>;

/// The best response of one role to given strategies, straight from the definition: a search over what the role
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

/// Solves the game to the exploitability `target`. Returns the first role's value and the exploitability, as the
/// solver and as the [`Responder`] compute it.
fn solve(name: &str, target: f64) -> (f64, f64, f64) {
    let mut machine = machine(name);
    let stop = StopToken::new();
    let budget = Budget { bytes: 1 << 30, deadline: Deadline::never(), stop: &stop };
    let tree = Unfolding::new(&mut machine, &budget).expect("it fits");
    let equilibrium = CfrPlus::new(&tree).expect("two roles of constant sum").run(target, &budget);
    let by_set = |set: Behaviour| ((set.role, set.history), set.moves.into_iter().collect());
    let strategies: Strategies = equilibrium.behaviour(&tree).map(by_set).collect();
    assert_eq!(strategies.len(), tree.set_count());
    let game = machine.game().clone();
    let players: Vec<Role> = game.roles().filter(|&role| game.nature() != Some(role)).collect();
    let responses: f64 = [(players[0], players[1]), (players[1], players[0])]
        .into_iter()
        .map(|(role, other)| {
            let mut machine = machine.clone();
            let start = vec![(machine.initial_state().expect("evaluates"), Vec::new(), 1.0)];
            Responder { machine, role, other, strategies: &strategies }.value(start)
        })
        .sum();
    (equilibrium.goals[0], equilibrium.exploitability, (responses - 100.0) / 200.0)
}

#[test]
fn kuhn_poker_has_its_published_value() {
    let (value, exploitability, confirmed) = solve("kuhn_poker", 1e-5);
    // A chip is 25 goals, and the first player loses 1/18 of a chip (Kuhn 1950).
    assert!((value - (50.0 - 25.0 / 18.0)).abs() < 2e-3, "{value}");
    assert!(exploitability <= 1e-5, "{exploitability}");
    assert!((confirmed - exploitability).abs() < 1e-9, "{confirmed} and {exploitability}");
}

#[test]
fn liars_dice_is_solved_and_a_best_response_confirms_it() {
    // A coarse target keeps the test short; the acceptance script asks for more.
    let (value, exploitability, confirmed) = solve("liars_dice", 0.01);
    assert!((48.0..49.2).contains(&value), "{value}");
    assert!(exploitability <= 0.01, "{exploitability}");
    assert!((confirmed - exploitability).abs() < 1e-9, "{confirmed} and {exploitability}");
}

#[test]
fn one_role_against_chance_plays_best() {
    let stop = StopToken::new();
    let budget = Budget { bytes: 1 << 30, deadline: Deadline::never(), stop: &stop };
    let mut hall = machine("monty_hall");
    let guest = hall.game().role_named("guest").expect("a role");
    let best = best_play(&mut hall, guest, &budget).expect("it is small");
    assert!((best.value - 200.0 / 3.0).abs() < 1e-9, "{}", best.value);
    let moves: Vec<&str> = best.plan.iter().map(|planned| planned.mv.as_str()).collect();
    assert_eq!(moves, ["(choose 1)", "change", "change"]);
    let mut codes = machine("mastermind");
    let breaker = codes.game().role_named("breaker").expect("a role");
    let best = best_play(&mut codes, breaker, &budget).expect("it is small");
    // The best strategy needs 206 guesses for all 64 codes; each guess beyond the first costs 10.
    assert!((best.value - (110.0 - 10.0 * 206.0 / 64.0)).abs() < 1e-6, "{}", best.value);
}

#[test]
fn what_is_too_large_or_too_long_is_refused_with_its_size() {
    let mut dice = machine("liars_dice");
    let stop = StopToken::new();
    let small = Budget { bytes: 1 << 20, deadline: Deadline::never(), stop: &stop };
    let refusal = Unfolding::new(&mut dice, &small).expect_err("it needs some MiB");
    assert!(
        matches!(refusal, UnfoldError::Full { nodes, turns, mib: 1 } if nodes > 1000 && turns > 1),
        "{refusal}"
    );
    let mut codes = machine("mastermind");
    let breaker = codes.game().role_named("breaker").expect("a role");
    let refusal = best_play(&mut codes, breaker, &small).expect_err("it needs some MiB");
    assert!(matches!(refusal, BeliefError::Full { .. }), "{refusal}");
    stop.stop();
    let refusal = Unfolding::new(&mut dice, &small).expect_err("it is stopped");
    assert!(matches!(refusal, UnfoldError::Stopped { turn: 1, .. }), "{refusal}");
}

#[test]
fn roles_that_do_not_know_their_moves_are_named() {
    // The guesser's second move depends on a coin that it does not see.
    let rules = "(role random) (role guesser) (role other) (init toss) (side heads) (side tails)
        (<= (legal random (toss ?s)) (true toss) (side ?s)) (<= (legal random wait) (not (true toss)))
        (<= (legal guesser wait) (true toss)) (<= (legal guesser (say ?s)) (true (fell ?s)))
        (<= (legal guesser pass) (true (fell ?s))) (legal other wait)
        (<= (next (fell ?s)) (does random (toss ?s))) (<= (next over) (not (true toss)))
        (<= (sees guesser nothing) (true never)) (<= (next never) (true never))
        (<= terminal (true over)) (<= (goal ?r 50) (role ?r))";
    let game = ggp_tests::game(rules);
    let mut machine = ggp_game::Interpreter::new(&game);
    let stop = StopToken::new();
    let budget = Budget { bytes: 1 << 24, deadline: Deadline::never(), stop: &stop };
    let refusal = Unfolding::new(&mut machine, &budget).expect_err("ill-formed");
    assert_eq!(refusal.to_string(), "guesser has different legal moves after equal moves and percepts: wait");
}
