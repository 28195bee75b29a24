//! External programs as players: their faults, and how the referee handles them.

use super::*;

/// A shell program that answers START with ready, and each PLAY by `play`.
fn program(play: &str) -> String {
    format!(
        "cmd:sh -c 'while read line; do case $line in *START*) echo ready;; *PLAY*) {play};; *) echo done;; esac; done'"
    )
}

const CLOCKS: Clocks = Clocks { start: Duration::from_secs(5), play: Duration::from_millis(40) };

fn faults(play: &str, on_fault: OnFault) -> (Vec<MatchResult>, BTreeMap<FaultKind, u64>) {
    let spec = if play.is_empty() { "cmd:sleep 100".to_owned() } else { program(play) };
    let league = Tournament {
        clocks: if play.is_empty() { Clocks { start: Duration::from_millis(40), ..CLOCKS } } else { CLOCKS },
        on_fault,
        opening_plies: 0,
        ..tournament(vec![published("tic_tac_toe")], &[("bad", &spec), ("good", "random")])
    };
    let mut results = Vec::new();
    let run = Run::new(2);
    let report = league
        .run(
            &Local,
            &run,
            &mut |event| {
                if let Event::Ended { result, .. } = event {
                    results.push(result.clone());
                }
            },
            &StopToken::new(),
        )
        .unwrap();
    let summary = report.standings.summary();
    let of = |name: &str| summary.players.iter().find(|p| p.name == name).unwrap().faults.clone();
    assert!(of("good").is_empty(), "{:?}", of("good"));
    (results, of("bad"))
}

#[test]
fn each_fault_is_counted_and_each_policy_obeyed() {
    let cases = [
        ("echo nonsense", FaultKind::Illegal),
        ("exit 1", FaultKind::Crash),
        (":", FaultKind::Timeout),
        ("sleep 0.2; echo noop", FaultKind::Timeout),
    ];
    for (play, kind) in cases {
        for on_fault in [OnFault::Random, OnFault::First] {
            let (results, counts) = faults(play, on_fault);
            assert!(results.iter().all(|r| r.ending == "terminal" && r.is_scored()), "{play}: {results:?}");
            // One fault for each of its moves, in two matches of 5 to 9 steps.
            assert!(counts[&kind] >= 6, "{play}: {counts:?}");
            assert_eq!(counts.len(), 1, "{play}: {counts:?}");
        }
        let (results, counts) = faults(play, OnFault::Forfeit);
        assert_eq!(counts, BTreeMap::from([(kind, 2)]), "{play}");
        for result in results {
            let bad = result.players.iter().position(|p| p.as_deref() == Some("bad")).unwrap();
            assert_eq!(
                (result.ending.as_str(), result.goals[bad], result.goals[1 - bad]),
                ("forfeit", Some(0), Some(100))
            );
        }
    }
}

#[test]
fn one_that_is_not_there_at_the_start_loses_no_match() {
    let (results, counts) = faults("", OnFault::Forfeit);
    assert_eq!(counts, BTreeMap::from([(FaultKind::Start, 2)]));
    assert!(results.iter().all(|r| r.ending == "unplayed" && !r.is_scored() && r.goals == [None, None]));
    assert!(results[0].why.contains("did not start"), "{}", results[0].why);
}

#[test]
fn a_program_that_cannot_be_started_stops_the_tournament_before_it_begins() {
    let league =
        tournament(vec![published("tic_tac_toe")], &[("bad", "cmd:/no/such/program"), ("good", "random")]);
    let error = league.run(&Local, &Run::new(2), &mut |_| panic!("nothing happens"), &StopToken::new());
    let text = error.unwrap_err().to_string();
    assert!(text.contains("player bad in tic_tac_toe") && text.contains("/no/such/program"), "{text}");
}

#[test]
fn a_program_that_plays_well_formed_moves_has_no_faults() {
    let straight = game(
        "(role a) (role b) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
         (legal a (go right)) (legal b wait)
         (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
         (<= terminal (true (at 3))) (goal a 100) (goal b 0)",
    );
    let mut referee = MachineReferee::new(Interpreter::new(&straight));
    let clocks = Clocks { start: Duration::from_secs(5), play: Duration::from_secs(5) };
    for parallel in [false, true] {
        let make = |spec: &str| {
            let entrant = Entrant { name: "p".to_owned(), spec: spec.to_owned() };
            let request = PlayerRequest {
                match_id: "m1",
                seed: 1,
                grace: Duration::ZERO,
                start_patience: Duration::ZERO,
            };
            Seat::Player(Local.player(&entrant, &straight, &request).unwrap())
        };
        let mut seats = [make(&program("echo \"( go  right )\"")), make("random")];
        let opening = vec![vec!["(go right)".to_owned(), "wait".to_owned()]];
        let setup = MatchSetup { parallel, opening, ..MatchSetup::new("m1", clocks) };
        let outcome = referee.play(setup, &mut seats, &mut (), &StopToken::new());
        assert_eq!((outcome.ending, outcome.goals), (Ending::Terminal, vec![Some(100), Some(0)]));
        assert_eq!((outcome.faults, outcome.steps, outcome.accounts[0].moves), (vec![], 3, 2));
    }
}
