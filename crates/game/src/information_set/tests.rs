//! Tests of information sets: enumeration, sampling and renewal.

use super::*;
use crate::{Game, Interpreter};
use std::sync::Arc;

/// The rules of a game in which a prize is behind one of three doors. The seer picks a door, and the host
/// opens another one without the prize.
const DOORS: &str = "
    (role random) (role seer) (door 1) (door 2) (door 3) (init hiding)
    (<= chosen (true (picked ?d)))
    (<= (legal random (hide ?d)) (door ?d) (true hiding))
    (<= (legal random (open ?d)) (door ?d) (true (picked ?p)) (distinct ?d ?p) (not (true (prize ?d))))
    (<= (legal random idle) (not (true hiding)) (not chosen))
    (<= (legal seer idle) (true hiding))
    (<= (legal seer (pick ?d)) (door ?d) (not (true hiding)))
    (<= (next (prize ?d)) (does random (hide ?d)))
    (<= (next (prize ?d)) (true (prize ?d)))
    (<= (next (picked ?d)) (does seer (pick ?d)))
    (<= (sees seer (opened ?d)) (does random (open ?d)))
    (<= terminal (true over)) (<= (goal ?r 50) (role ?r))";

fn doors() -> Interpreter {
    Interpreter::new(&Arc::new(Game::new(ggp_gdl::parse(DOORS.as_bytes()).unwrap()).unwrap()))
}

fn own(machine: &mut Interpreter, set: &InformationSet<Interpreter>, text: &str) -> Move {
    let mut legal = Vec::new();
    set.legal_moves(machine, &mut legal).unwrap();
    legal.into_iter().find(|&mv| machine.move_text(mv) == text).unwrap()
}

#[test]
fn the_other_door_is_twice_as_likely() {
    let mut machine = doors();
    let seer = Role(1);
    let mut set = InformationSet::initial(&mut machine, seer, 100).unwrap();
    for (text, seen) in [("idle", &[][..]), ("(pick 1)", &[]), ("(pick 1)", &["(opened 3)"])] {
        let mv = own(&mut machine, &set, text);
        let seen: Vec<Fact> = seen.iter().map(|&s| Fact::from_canonical(s)).collect();
        set.update(&mut machine, mv, &seen, 1).unwrap();
    }
    assert_eq!(set.extent(), Extent::Enumerated);
    let mut found = Vec::new();
    for (state, weight) in set.states() {
        let mut facts = Vec::new();
        machine.facts(state, &mut facts).unwrap();
        let prize = facts.iter().find(|fact| fact.functor() == "prize").unwrap().as_str().to_owned();
        found.push((prize, (weight * 3000.0).round() as u32));
    }
    found.sort();
    assert_eq!(found, [("(prize 1)".to_owned(), 1000), ("(prize 2)".to_owned(), 2000)]);
    let draws = (0..3000u32).filter(|i| set.draw(i * 1_431_655) == Some(&set.states()[0].0)).count();
    assert!((900..2100).contains(&draws));
}

#[test]
fn what_cannot_have_been_seen_leaves_no_state_and_the_bound_holds() {
    let mut machine = doors();
    let mut set = InformationSet::initial(&mut machine, Role(1), 2).unwrap();
    let idle = own(&mut machine, &set, "idle");
    set.update(&mut machine, idle, &[], 1).unwrap();
    assert_eq!((set.states().len(), set.extent()), (2, Extent::Sampled));
    let pick = own(&mut machine, &set, "(pick 2)");
    set.update(&mut machine, pick, &[Fact::from_canonical("thunder")], 1).unwrap();
    assert!(set.states().is_empty() && set.draw(0).is_none());
}

/// The rules of a game in which a left and a right digit are hidden from the seer. In each turn the seer
/// asks for one of the two digits and perceives it, but perceives nothing in the first turn.
const DIGITS: &str = "
    (role random) (role seer) (init hiding)
    (digit 0) (digit 1) (digit 2) (digit 3) (digit 4) (digit 5) (digit 6) (digit 7) (digit 8) (digit 9)
    (<= (legal random (hide ?a ?b)) (digit ?a) (digit ?b) (true hiding))
    (<= (legal random idle) (not (true hiding)))
    (legal seer left) (legal seer right)
    (<= (next (left ?a)) (does random (hide ?a ?b)))
    (<= (next (right ?b)) (does random (hide ?a ?b)))
    (<= (next (left ?a)) (true (left ?a)))
    (<= (next (right ?b)) (true (right ?b)))
    (<= (sees seer ?a) (does seer left) (true (left ?a)))
    (<= (sees seer ?b) (does seer right) (true (right ?b)))
    (<= terminal (true over)) (<= (goal ?r 50) (role ?r))";

/// The seer's information set after `turns`, with the machine that made it. A turn is the seer's move
/// and its percepts.
fn after(turns: &[(&str, &[&str])], bound: usize, seed: u64) -> (Interpreter, InformationSet<Interpreter>) {
    let game = Game::new(ggp_gdl::parse(DIGITS.as_bytes()).unwrap()).unwrap();
    let mut machine = Interpreter::new(&Arc::new(game));
    let mut set = InformationSet::initial(&mut machine, Role(1), bound).unwrap();
    for (number, (own, seen)) in turns.iter().enumerate() {
        let seen: Vec<Fact> = seen.iter().map(|&text| Fact::from_canonical(text)).collect();
        let turn = number as u32 + 1;
        set.follow(&mut machine, Observation::Percepts { turn, own, seen: &seen }, seed).unwrap();
    }
    (machine, set)
}

#[test]
fn all_states_are_kept_while_they_fit() {
    let (mut machine, set) = after(&[("left", &[]), ("left", &["3"])], 100, 1);
    assert_eq!((set.states().len(), set.extent()), (10, Extent::Enumerated));
    let knowledge = set.knowledge(&mut machine).unwrap();
    assert_eq!(knowledge.certain, [Fact::from_canonical("(left 3)")]);
    assert_eq!(knowledge.possible.len(), 10);
    for (number, (fact, share)) in knowledge.possible.iter().enumerate() {
        assert_eq!(fact.as_str(), format!("(right {number})"));
        assert!((share - 0.1).abs() < 1e-9);
    }
    assert_eq!(set.history()[1].own, "left");
}

#[test]
fn a_sample_has_the_shares_of_the_possible_states() {
    // Of 100 states, 50 are kept in each of 200 samples: each left digit has 5 of them in the mean.
    let mut shares = [0.0; 10];
    for seed in 0..200 {
        let (mut machine, set) = after(&[("left", &[])], 50, seed);
        assert_eq!(set.extent(), Extent::Sampled);
        assert!((30..=50).contains(&set.states().len()), "{}", set.states().len());
        assert!((set.states().iter().map(|state| state.1).sum::<f64>() - 1.0).abs() < 1e-9);
        for (fact, share) in set.knowledge(&mut machine).unwrap().possible {
            if let Some(digit) = fact.as_str().strip_prefix("(left ") {
                shares[digit[..1].parse::<usize>().unwrap()] += share / 200.0;
            }
        }
    }
    // The standard deviation of a mean share is at most 0.003.
    assert!(shares.iter().all(|share| (share - 0.1).abs() < 0.015), "{shares:?}");
}

#[test]
fn a_sample_that_the_percepts_refute_is_renewed() {
    // 20 of 100 states are kept; those with a certain left and right digit are mostly not among them.
    for seed in 0..20 {
        let turns: [(&str, &[&str]); 3] = [("left", &[]), ("left", &["7"]), ("right", &["4"])];
        let (mut machine, set) = after(&turns, 20, seed);
        assert_eq!(set.extent(), Extent::Sampled);
        let knowledge = set.knowledge(&mut machine).unwrap();
        let known: Vec<&str> = knowledge.certain.iter().map(Fact::as_str).collect();
        assert_eq!(known, ["(left 7)", "(right 4)"], "seed {seed}");
    }
}

#[test]
fn walks_through_a_long_history_have_weights() {
    let rules = "(role random) (role seer) (init on) (<= (next on) (true on)) (legal seer idle)
        (digit 0) (digit 1) (digit 2) (digit 3) (digit 4) (digit 5) (digit 6) (digit 7) (digit 8) (digit 9)
        (<= (legal random (roll ?d)) (digit ?d)) (<= (sees seer ?d) (does random (roll ?d)))
        (<= terminal (true over)) (<= (goal ?r 50) (role ?r))";
    let game = Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap();
    let mut machine = Interpreter::new(&Arc::new(game));
    let start = machine.initial_state().unwrap();
    // One of ten joint moves agrees in each turn. The product of the shares is no positive `f64`.
    let turn = OwnTurn { own: "idle".to_owned(), seen: vec![Fact::from_canonical("3")] };
    let history = vec![&turn; 330];
    let walks = Walks { role: Role(1), start: &start, history: &history };
    let walked = walks.states(&mut machine, 2, &mut Sequence::new(1)).unwrap();
    assert_eq!(walked.len(), 2);
    let mut states = merge(Vec::new(), walked);
    normalise(&mut states);
    assert_eq!(states.len(), 1);
    assert!((states[0].1 - 1.0).abs() < 1e-9, "{}", states[0].1);
}

#[test]
fn what_disagrees_is_an_error_and_changes_nothing() {
    let (mut machine, mut set) = after(&[("left", &[]), ("left", &["3"])], 100, 1);
    let seen = [Fact::from_canonical("4")];
    let turn = Observation::Percepts { turn: 3, own: "left", seen: &seen };
    let error = set.follow(&mut machine, turn, 1).unwrap_err();
    assert_eq!(error.to_string(), "no possible state agrees with the observations");
    assert_eq!((set.states().len(), set.history().len()), (10, 2));
    let turn = Observation::Percepts { turn: 3, own: "sideways", seen: &seen };
    let error = set.follow(&mut machine, turn, 1).unwrap_err();
    assert!(error.to_string().contains("`sideways` is not a move of seer"), "{error}");
}
