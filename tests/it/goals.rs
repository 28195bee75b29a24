//! Rules that give a role no goal or several. Both machines distinguish these cases in the same playouts.
//! The search maximizes the largest goal, and matches are scored and recorded by it.

use super::protocol::schema::violations;
use ggp_arena::{
    Ending, GoalsGiven, MachineReferee, MatchResult, MatchSetup, Outcome, Record, Referee, Seat,
};
use ggp_game::{Clocks, Goal, Goals, Interpreter, Move, PlayoutPlan, Playouts, Role, StopToken};
use ggp_search::{Halt, Limits, MctsOptions, MctsPlayer, Search, Solver};
use ggp_tests::{game, network};
use serde_json::{Value, json};
use std::time::Duration;

/// Two roles take one or two pieces in turn. The role that takes the last piece has goal 100; both also
/// have 0.
const SLIP: &str = "
    (role first) (role second) (init (heap 5)) (init (control first))
    (other first second) (other second first)
    (minus 5 1 4) (minus 5 2 3) (minus 4 1 3) (minus 4 2 2) (minus 3 1 2) (minus 3 2 1)
    (minus 2 1 1) (minus 2 2 0) (minus 1 1 0)
    (<= (legal ?r (take ?n)) (true (control ?r)) (true (heap ?h)) (minus ?h ?n ?rest))
    (<= (legal ?r noop) (other ?r ?o) (true (control ?o)))
    (<= (next (heap ?rest)) (does ?r (take ?n)) (true (heap ?h)) (minus ?h ?n ?rest))
    (<= (next (control ?o)) (true (control ?r)) (other ?r ?o))
    (<= terminal (true (heap 0)))
    (<= (goal ?r 100) (true (heap 0)) (true (control ?o)) (other ?r ?o))
    (<= (goal ?r 0) (role ?r) (true (heap 0)))";

/// A game of one step, after which only the second role has a goal.
const LEFT_OUT: &str = "
    (role first) (role second) (init (step 1)) (<= (legal ?r go) (role ?r)) (<= (next (step 2)) (true (step 1)))
    (<= terminal (true (step 2))) (<= (goal second 40) (true (step 2)))";

fn goal(value: u8) -> Goal {
    Goal::new(value).expect("a goal")
}

/// The number, steps and goals of `count` playouts.
fn played<M: Playouts>(machine: &mut M, count: usize) -> Vec<(usize, u32, Vec<Goals>)> {
    let start = machine.initial_state().expect("a state");
    let plan = PlayoutPlan { per_start: count, ..PlayoutPlan::new(3) };
    let mut all = Vec::new();
    let mut note = |p: ggp_game::Playout<'_>| all.push((p.index, p.steps, p.goals.to_vec()));
    machine.playouts(&[start], plan, &mut note).expect("playouts");
    all.sort_unstable_by_key(|&(index, ..)| index);
    all
}

#[test]
fn both_machines_play_the_same_playouts_to_the_same_goals() {
    for (rules, winner, loser) in [
        (SLIP, Goals::Several(goal(100)), Goals::One(goal(0))),
        (LEFT_OUT, Goals::One(goal(40)), Goals::None),
    ] {
        // Many playouts run in lanes, a single one does not.
        for count in [700, 1] {
            let ours = played(&mut Interpreter::new(&game(rules)), count);
            assert_eq!(ours, played(&mut network(rules), count));
            for (_, _, goals) in &ours {
                assert!(*goals == [winner, loser] || *goals == [loser, winner], "{goals:?}");
            }
        }
    }
}

/// The first role is to move and wins by taking two.
fn goes_for_the_largest<M: Playouts>(machine: &M, name: &str) {
    for options in [MctsOptions::default(), MctsOptions::uct()] {
        let mut search = Search::new(machine.clone(), &options).expect("a search");
        search.run(&Limits::iterations(600));
        let best: Option<Move> = search.best_move(Role(0)).expect("evaluable");
        assert_eq!(search.machine().move_text(best.expect("a move")), "(take 2)", "{name}");
        let best = &search.report(Role(0)).candidates[0];
        assert!(best.proven == Some(100) || best.score > Some(80.0), "{name}: {best:?}");
    }
    let mut machine = machine.clone();
    let start = machine.initial_state().expect("a state");
    for (role, value) in [(0, 100), (1, 0)] {
        let mut solver = Solver::new(machine.clone(), start.clone(), Role(role), 1 << 20);
        assert_eq!(solver.run(&Limits::iterations(10_000)), Halt::Decided);
        let solution = solver.solution();
        assert_eq!((solution.low, solution.high), (value, value), "{name}");
    }
}

#[test]
fn the_search_goes_for_the_largest_goal() {
    goes_for_the_largest(&Interpreter::new(&game(SLIP)), "interpreter");
    goes_for_the_largest(&network(SLIP), "network");
}

/// The recorded match of two searches.
fn matched(rules: &str) -> Outcome {
    let game = game(rules);
    let clocks = Clocks { start: Duration::MAX, play: Duration::MAX };
    let record = Record { player_names_from_host: vec!["a".to_owned(), "b".to_owned()], ..Record::default() };
    let setup = MatchSetup { record: Some(record), ..MatchSetup::new("m", clocks) };
    let options = MctsOptions { iterations: Some(300), ..MctsOptions::default() };
    let player = || {
        let make = |game: &std::sync::Arc<_>, _, _: &StopToken| Ok(Interpreter::new(game));
        Seat::Player(Box::new(MctsPlayer::new(options.clone(), make)))
    };
    let mut referee = MachineReferee::new(Interpreter::new(&game));
    referee.play(setup, &mut [player(), player()], &mut (), &StopToken::new())
}

#[test]
fn matches_are_scored_by_the_largest_goal_and_records_say_so() {
    for (rules, goals, given, told, texts) in [
        (
            SLIP,
            [100, 0],
            [Goals::Several(goal(100)), Goals::One(goal(0))],
            [GoalsGiven::Several, GoalsGiven::One],
            ["100 (the largest of several goals)", "0"],
        ),
        (
            LEFT_OUT,
            [0, 40],
            [Goals::None, Goals::One(goal(40))],
            [GoalsGiven::None, GoalsGiven::One],
            ["0 (the rules give no goal)", "40"],
        ),
    ] {
        let outcome = matched(rules);
        assert_eq!((&outcome.ending, &outcome.faults[..]), (&Ending::Terminal, &[][..]));
        assert_eq!(outcome.goals, goals.map(Some));
        assert_eq!(outcome.given, given);
        assert_eq!([0, 1].map(|role| outcome.score_text(role)), texts);

        let record = outcome.record.expect("a record");
        let mut shown: Value = serde_json::from_str(&record.to_json()).expect("JSON");
        assert_eq!(shown["goalValues"], json!(goals));
        assert_eq!(shown["goalsGiven"], json!(told));
        assert_eq!(Record::read(&shown.to_string()).expect("a record"), record);
        // Apart from `goalsGiven`, the record has the standard form.
        shown.as_object_mut().expect("an object").remove("goalsGiven");
        let schema = serde_json::from_str(include_str!("../protocol/record.schema.json")).expect("JSON");
        assert_eq!(violations(&schema, &shown), Vec::<String>::new());

        let result = MatchResult::of_record(&record);
        assert!(result.is_scored(), "ratings count it");
        assert_eq!((result.goals, result.goals_given), (goals.map(Some).to_vec(), told.to_vec()));
    }
}

#[test]
fn records_of_well_formed_games_have_the_published_members_only() {
    let rules = SLIP.replace("(role ?r) (true (heap 0))", "(true (heap 0)) (true (control ?r))");
    let record = matched(&rules).record.expect("a record");
    assert_eq!(record.goal_values, [Some(100), Some(0)]);
    assert!(!record.to_json().contains("goalsGiven"));
}
