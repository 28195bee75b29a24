//! Tests with a game in which every state contains new terms: the interpreter releases memory, and the states
//! and moves that it has returned remain valid.

use ggp_datalog::Limits;
use ggp_game::rng::Stream;
use ggp_game::{Fact, FluentSet, Game, Goal, Goals, Interpreter, Move, Role, StateMachine};
use ggp_gdl::Strictness;
use std::collections::HashSet;
use std::sync::Arc;

const LEDGER: &str = include_str!("../../../tests/soak/ledger.kif");
const PRICES: [&str; 3] = ["fair", "high", "low"];

fn ledger(terms: usize) -> Interpreter {
    let description = ggp_gdl::parse(LEDGER.as_bytes()).expect("well formed");
    let limits = Limits { terms, ..Limits::default() };
    Interpreter::new(&Arc::new(Game::with_limits(description, Strictness::Strict, limits).expect("it loads")))
}

fn tick(number: u32) -> String {
    let digits: Vec<String> = format!("{number:06}").chars().map(String::from).collect();
    format!("(tick {})", digits.join(" "))
}

fn facts(machine: &mut Interpreter, state: &FluentSet) -> Vec<String> {
    let mut out = Vec::new();
    machine.facts(state, &mut out).unwrap();
    out.iter().map(|fact| fact.as_str().to_owned()).collect()
}

fn legal(machine: &mut Interpreter, state: &FluentSet, role: u8) -> Vec<Move> {
    let mut out = Vec::new();
    machine.legal_moves(state, Role(role), &mut out).unwrap();
    out
}

fn texts(machine: &Interpreter, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|&mv| machine.move_text(mv).to_owned()).collect()
}

/// An independent model of the rules: a state, which [`Ledger::advance`] changes by the prices of one step.
#[derive(Clone, Default)]
struct Ledger {
    step: u32,
    deals: u32,
    last: Option<[usize; 2]>,
    contract: Option<u32>,
}

impl Ledger {
    fn facts(&self) -> Vec<String> {
        let mut facts = vec![format!("(clock {})", tick(self.step)), format!("(deals {})", tick(self.deals))];
        if let Some(page) = self.contract.map(tick) {
            facts.push(format!("(contract (page {page} (page {page} end)))"));
        }
        if let Some([bid, ask]) = self.last {
            let last = tick(self.step - 1);
            facts.push(format!("(sent buyer (bid {last} {}))", PRICES[bid]));
            facts.push(format!("(sent seller (ask {last} {}))", PRICES[ask]));
        }
        facts.sort();
        facts
    }

    fn advance(&mut self, prices: [usize; 2]) {
        if prices[0] == prices[1] {
            self.contract = Some(self.step);
            self.deals += 1;
        }
        self.last = Some(prices);
        self.step += 1;
    }
}

/// Makes a random walk of `steps` joint moves and checks each state against [`Ledger`]. Calls `each` with
/// every state except the last.
fn walk(machine: &mut Interpreter, steps: u32, mut each: impl FnMut(&mut Interpreter, &FluentSet)) -> Ledger {
    let mut state = machine.initial_state().unwrap();
    let mut known = Ledger::default();
    for step in 0..steps {
        assert_eq!(facts(machine, &state), known.facts());
        assert!(!machine.is_terminal(&state).unwrap());
        let moves = [legal(machine, &state, 0), legal(machine, &state, 1)];
        for (word, moves) in ["bid", "ask"].into_iter().zip(&moves) {
            let expected = PRICES.map(|price| format!("({word} {} {price})", tick(step)));
            assert_eq!(texts(machine, moves), expected);
        }
        let prices = [0, 1].map(|role| Stream::new(3, 0).below(step, Role(role), 3) as usize);
        each(machine, &state);
        state = machine.next_state(&state, &[moves[0][prices[0]], moves[1][prices[1]]]).unwrap();
        known.advance(prices);
    }
    assert_eq!(facts(machine, &state), known.facts());
    known
}

#[test]
fn a_long_walk_comes_across_many_times_the_terms_that_the_bound_allows() {
    // Each step makes at least ten new terms.
    let known = walk(&mut ledger(1_000), 6_000, |_, _| {});
    assert!(known.deals > 1_500 && known.contract.is_some());
}

#[test]
fn states_and_moves_stay_valid_whatever_has_been_released() {
    let mut machine = ledger(1_000);
    let mut kept = Vec::new();
    walk(&mut machine, 500, |machine, state| {
        kept.push((state.clone(), legal(machine, state, 0), legal(machine, state, 1)));
    });
    let different: HashSet<FluentSet> = kept.iter().map(|(state, ..)| state.clone()).collect();
    assert_eq!(different.len(), kept.len());
    // A second walk with the same moves leads to equal states, in the machine and in a clone of it.
    for machine in [&mut machine.clone(), &mut machine] {
        let mut again = kept.iter();
        walk(machine, 500, |machine, state| {
            let (known, bids, asks) = again.next().expect("as many");
            assert!(state == known && different.contains(state));
            assert_eq!((&legal(machine, state, 0), &legal(machine, state, 1)), (bids, asks));
        });
    }
    // The states are valid in any order and in several threads. A machine whose bound allows all terms at
    // once gives the same answers.
    let roomy = ledger(1_000_000);
    let after = |machine: &mut Interpreter, state: &FluentSet, joint: [Move; 2]| {
        let next = machine.next_state(state, &joint).unwrap();
        facts(machine, &next)
    };
    std::thread::scope(|scope| {
        for turn in 0..2 {
            let (mut machine, mut roomy, kept) = (machine.clone(), roomy.clone(), &kept);
            scope.spawn(move || {
                for number in 0..kept.len() {
                    let (state, bids, asks) = &kept[(number * 197 + turn) % kept.len()];
                    let told: Vec<Fact> =
                        facts(&mut machine, state).into_iter().map(Fact::from_canonical).collect();
                    assert_eq!(machine.state_of(&told).as_ref(), Ok(state));
                    let same = roomy.state_of(&told).unwrap();
                    let both = [legal(&mut roomy, &same, 0), legal(&mut roomy, &same, 1)];
                    for (bid, ask) in [(0, 0), (0, 1), (2, 1)] {
                        let joint = [bids[bid], asks[ask]];
                        let next = after(&mut machine, state, joint);
                        assert_eq!(next, after(&mut roomy, &same, [both[0][bid], both[1][ask]]));
                    }
                }
            });
        }
    });
}

#[test]
fn many_joint_moves_in_one_state_are_evaluated_within_the_bound() {
    let mut machine = ledger(1_000);
    let mut last = None;
    walk(&mut machine, 300, |_, state| last = Some(state.clone()));
    let state = last.expect("a state");
    let moves = [legal(&mut machine, &state, 0), legal(&mut machine, &state, 1)];
    let mut states = HashSet::new();
    for number in 0..9_000 {
        let joint = [moves[0][number % 3], moves[1][number / 3 % 3]];
        states.insert(machine.next_state(&state, &joint).unwrap());
        assert_eq!(legal(&mut machine, &state, 0), moves[0]);
    }
    assert_eq!(states.len(), 9);
}

#[test]
fn moves_are_numbered_anew_once_they_are_released() {
    let mut machine = ledger(10_000);
    let mut state = machine.initial_state().unwrap();
    assert!(!machine.has_many_moves());
    let first = legal(&mut machine, &state, 0);
    assert_eq!(machine.parse_move("(bid (tick 0 0 0 0 0 0) low)"), Some(first[2]));
    let mut steps = 0;
    while !machine.has_many_moves() {
        let joint = [legal(&mut machine, &state, 0)[1], legal(&mut machine, &state, 1)[1]];
        state = machine.next_state(&state, &joint).unwrap();
        steps += 1;
    }
    let before = legal(&mut machine, &state, 0);
    let before = texts(&machine, &before);
    machine.release_moves();
    assert!(!machine.has_many_moves());
    assert_eq!(machine.parse_move("(bid (tick 0 0 0 0 0 0) low)"), None);
    let anew = legal(&mut machine, &state, 0);
    assert_eq!(texts(&machine, &anew), before);
    assert!(anew.iter().all(|mv| mv.index() < 6), "{anew:?}");
    let joint = [anew[1], legal(&mut machine, &state, 1)[1]];
    state = machine.next_state(&state, &joint).unwrap();
    assert!(facts(&mut machine, &state).contains(&format!("(clock {})", tick(steps + 1))));
}

#[test]
fn the_end_of_the_ledger_is_reached_and_scored() {
    let mut machine = ledger(1_000);
    walk(&mut machine, 200, |_, _| {});
    for (contract, goals) in [(999_950, [0, 100]), (999_850, [100, 0])] {
        let page = tick(contract);
        let told = [
            format!("(clock {})", tick(999_999)),
            format!("(contract (page {page} (page {page} end)))"),
            format!("(deals {})", tick(199_999)),
        ];
        let told: Vec<Fact> = told.into_iter().map(Fact::from_canonical).collect();
        let state = machine.state_of(&told).unwrap();
        let joint = [legal(&mut machine, &state, 0)[0], legal(&mut machine, &state, 1)[1]];
        let end = machine.next_state(&state, &joint).unwrap();
        assert!(machine.is_terminal(&end).unwrap());
        let mut found = [Goals::None; 2];
        machine.goals(&end, &mut found).unwrap();
        assert_eq!(found.map(|goals| goals.only().map(Goal::value)), goals.map(Some));
    }
}
