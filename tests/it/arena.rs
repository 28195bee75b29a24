//! Matches and tournaments with real games and players: faults, records, killed and resumed runs, shards.

use ggp_arena::{
    CommandPlayer, Contest, Ending, Entrant, Event, FaultKind, Finish, MachineReferee, MatchEvent,
    MatchResult, MatchSetup, Observer, OnFault, Outcome, Pairing, PlayerRequest, Players, Record, Referee,
    Run, Seat, Shard, Standings, Tournament, merge, read_results,
};
use ggp_game::{
    Clocks, Deadline, EvalError, Fact, Game, Interpreter, Observation, PlayError, Player, Role, StateMachine,
    StopToken,
};
use ggp_search::{MctsPlayer, PlayerSpec, RandomPlayer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const NO_CLOCK: Clocks = Clocks { start: Duration::MAX, play: Duration::MAX };

fn game(rules: &str) -> Arc<Game> {
    Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap())
}

fn published(name: &str) -> Contest {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../games").join(format!("{name}.kif"));
    Contest { name: name.to_owned(), game: game(&std::fs::read_to_string(path).unwrap()) }
}

/// Local players and external programs.
struct Local;

impl Players for Local {
    fn player(
        &self,
        entrant: &Entrant,
        _game: &Arc<Game>,
        request: &PlayerRequest<'_>,
    ) -> Result<Box<dyn Player>, PlayError> {
        if let Some(command) = entrant.spec.strip_prefix("cmd:") {
            return Ok(Box::new(CommandPlayer::spawn(command, request.match_id, request.grace)?));
        }
        let spec: PlayerSpec = entrant.spec.parse().map_err(|e| PlayError::Unable(format!("{e}")))?;
        Ok(match spec.with_seed(request.seed) {
            PlayerSpec::Mcts(options) => {
                Box::new(MctsPlayer::new(options, |game: &Arc<Game>, _, _: &StopToken| {
                    Ok(Interpreter::new(game))
                }))
            }
            PlayerSpec::Random(options) => {
                Box::new(RandomPlayer::new(&options, |game: &Arc<Game>, _, _: &StopToken| {
                    Ok(Interpreter::new(game))
                }))
            }
        })
    }

    fn referee(&self, game: &Arc<Game>) -> Result<Box<dyn Referee>, PlayError> {
        Ok(Box::new(MachineReferee::new(Interpreter::new(game))))
    }
}

fn tournament(contests: Vec<Contest>, players: &[(&str, &str)]) -> Tournament {
    let entrant =
        |(name, spec): &(&str, &str)| Entrant { name: (*name).to_owned(), spec: (*spec).to_owned() };
    Tournament {
        entrants: players.iter().map(entrant).collect(),
        contests,
        pairing: Pairing::RoundRobin,
        seed: 11,
        clocks: NO_CLOCK,
        grace: Duration::ZERO,
        start_patience: Duration::ZERO,
        on_fault: OnFault::Random,
        opening_plies: 2,
        parallel: false,
        max_steps: 10_000,
    }
}

/// A private directory, removed on drop.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("ggp-arena-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The results by match id, without the members that differ when a match is played again (times).
fn content(path: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    read_results(path, |mut result| {
        (result.time, result.ended) = (Vec::new(), 0);
        let before = all.insert(result.id.clone(), serde_json::to_string(&result).unwrap());
        assert_eq!(before, None, "{} was played twice", result.id);
    })
    .unwrap();
    all
}

fn play(tournament: &Tournament, run: &Run) -> ggp_arena::RunReport {
    tournament.run(&Local, run, &mut |_| {}, &StopToken::new()).unwrap()
}

fn small_league() -> Tournament {
    tournament(
        vec![published("tic_tac_toe"), published("three_player_tic_tac_toe"), published("eight_puzzle")],
        &[("mcts", "mcts:iterations=8"), ("dice", "random")],
    )
}

const SMALL_LEAGUE: u64 = 40;

#[test]
fn a_torn_file_is_resumed_and_the_results_are_the_same() {
    let scratch = Scratch::new("torn");
    let league = small_league();
    let whole = scratch.file("whole.jsonl");
    let run = Run { out: Some(whole.clone()), concurrency: 2, ..Run::new(SMALL_LEAGUE) };
    let report = play(&league, &run);
    assert_eq!((report.finish, report.progress.done), (Finish::Complete, SMALL_LEAGUE));
    let expected = content(&whole);
    assert_eq!(expected.len() as u64, SMALL_LEAGUE);
    let bytes = std::fs::read(&whole).unwrap();
    // Cut before, at and after a line end, inside a line, and at the start.
    let line_end = bytes.iter().position(|&b| b == b'\n').unwrap();
    for cut in [0, 1, line_end, line_end + 1, line_end + 2, bytes.len() / 2, bytes.len() - 1] {
        let torn = scratch.file("torn.jsonl");
        std::fs::write(&torn, &bytes[..cut]).unwrap();
        let again = Run { out: Some(torn.clone()), resume: true, ..Run::new(SMALL_LEAGUE) };
        let report = play(&league, &again);
        assert_eq!(report.progress.done, SMALL_LEAGUE);
        assert_eq!(content(&torn), expected, "cut at {cut}");
    }
    // Without `resume`, the file is not overwritten. Results of another tournament are refused.
    let refused = league.run(&Local, &run, &mut |_| {}, &StopToken::new()).unwrap_err();
    assert!(refused.to_string().contains("holds results already"), "{refused}");
    let other = Tournament { seed: 12, ..small_league() };
    let resumed = Run { resume: true, ..run };
    let refused = other.run(&Local, &resumed, &mut |_| {}, &StopToken::new()).unwrap_err();
    let why = "belongs to another tournament (`seed` was 11 and is 12 now)";
    assert!(refused.to_string().contains(why), "{refused}");
}

#[test]
fn a_stopped_run_goes_on_where_it_was() {
    let scratch = Scratch::new("stopped");
    let league = small_league();
    let out = scratch.file("out.jsonl");
    let run = Run { out: Some(out.clone()), concurrency: 2, resume: true, ..Run::new(SMALL_LEAGUE) };
    let stop = StopToken::new();
    let mut ended = 0;
    let count = &mut |event: Event<'_>| {
        if let Event::Ended { .. } = event {
            ended += 1;
            if ended == 5 {
                stop.stop();
            }
        }
    };
    let report = league.run(&Local, &run, count, &stop).unwrap();
    assert_eq!(report.finish, Finish::Stopped);
    let before = content(&out).len() as u64;
    assert!((5..SMALL_LEAGUE).contains(&before), "{before}");
    let report = play(&league, &run);
    assert_eq!(report.progress.played, SMALL_LEAGUE - before);
    assert_eq!(report.standings.matches(), SMALL_LEAGUE);
    let fresh = scratch.file("fresh.jsonl");
    play(&league, &Run { out: Some(fresh.clone()), ..Run::new(SMALL_LEAGUE) });
    assert_eq!(content(&out), content(&fresh));
}

/// The body of the child process that the next test starts and kills; it tests nothing on its own.
#[test]
#[ignore = "run by another test, which kills it"]
fn child_that_is_killed() {
    let Some(out) = std::env::var_os("GGP_ARENA_OUT") else { return };
    let run = Run { out: Some(out.into()), concurrency: 2, resume: true, ..Run::new(SMALL_LEAGUE) };
    play(&small_league(), &run);
}

#[test]
fn a_killed_run_loses_nothing_and_repeats_nothing() {
    let scratch = Scratch::new("killed");
    let out = scratch.file("out.jsonl");
    let mut kills = 0;
    loop {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "arena::child_that_is_killed", "--ignored"])
            .env("GGP_ARENA_OUT", &out)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Each run lasts longer than the one before, so that the tournament ends on slow machines too.
        let until = Instant::now() + Duration::from_millis(15 + 37 * kills);
        let ended = loop {
            if let Some(status) = child.try_wait().unwrap() {
                assert!(status.success());
                break true;
            }
            if Instant::now() >= until {
                child.kill().unwrap();
                child.wait().unwrap();
                break false;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        if ended {
            break;
        }
        kills += 1;
    }
    assert!(kills > 0, "it was never killed");
    let fresh = scratch.file("fresh.jsonl");
    play(&small_league(), &Run { out: Some(fresh.clone()), ..Run::new(SMALL_LEAGUE) });
    assert_eq!(content(&out), content(&fresh));
}

#[test]
fn shards_merged_are_the_whole() {
    let scratch = Scratch::new("shards");
    let league = small_league();
    let whole = scratch.file("whole.jsonl");
    play(&league, &Run { out: Some(whole.clone()), ..Run::new(SMALL_LEAGUE) });
    let mut parts = Vec::new();
    for index in 1..=3 {
        let part = scratch.file(&format!("{index}.jsonl"));
        let shard = Shard { index, count: 3 };
        play(&league, &Run { out: Some(part.clone()), shard, ..Run::new(SMALL_LEAGUE) });
        assert!(!content(&part).is_empty());
        parts.push(part);
    }
    // Matches of a duplicate file count once.
    parts.push(parts[0].clone());
    let merged = scratch.file("merged.jsonl");
    let mut out = std::fs::File::create(&merged).unwrap();
    let report = merge(&parts, &mut out).unwrap();
    assert_eq!((report.written, report.conflicts), (SMALL_LEAGUE, 0));
    assert_eq!(report.duplicates, content(&parts[0]).len() as u64);
    assert_eq!(content(&merged), content(&whole));
    let summary = |files: &[PathBuf]| Standings::of_files(files).unwrap().0.summary();
    let (of_parts, of_whole) = (summary(&parts), summary(&[whole]));
    assert_eq!(of_parts.pairs, of_whole.pairs);
    assert_eq!(of_parts.matches, SMALL_LEAGUE);
}

#[test]
fn the_stronger_player_is_found_in_every_seat() {
    let league = Tournament {
        opening_plies: 1,
        ..tournament(vec![published("tic_tac_toe")], &[("dice", "random"), ("mcts", "mcts:iterations=100")])
    };
    let run = Run { sprt: Some("elo0=0 elo1=100".parse().unwrap()), ..Run::new(400) };
    let report = play(&league, &run);
    let names: Vec<String> = report.standings.summary().players.into_iter().map(|p| p.name).collect();
    assert_eq!(names, ["mcts", "dice"]);
    // The first entrant is the weaker player.
    assert_eq!(report.finish, Finish::Decided(ggp_arena::elo::Hypothesis::H0));
    assert!(report.progress.done < 400);
    let three = Tournament {
        entrants: small_league().entrants,
        ..tournament(vec![published("tic_tac_toe")], &[("a", "random")])
    };
    let again = three.run(&Local, &run, &mut |_| {}, &StopToken::new()).unwrap();
    assert_eq!(again.finish, Finish::Decided(ggp_arena::elo::Hypothesis::H1));
}

/// Players whose referee stops the run when it is asked for an opening.
struct StopsAtOpening(StopToken);

struct StoppingReferee(Box<dyn Referee>, StopToken);

impl Players for StopsAtOpening {
    fn player(
        &self,
        entrant: &Entrant,
        game: &Arc<Game>,
        request: &PlayerRequest<'_>,
    ) -> Result<Box<dyn Player>, PlayError> {
        Local.player(entrant, game, request)
    }

    fn referee(&self, game: &Arc<Game>) -> Result<Box<dyn Referee>, PlayError> {
        Ok(Box::new(StoppingReferee(Local.referee(game)?, self.0.clone())))
    }
}

impl Referee for StoppingReferee {
    fn game(&self) -> &Arc<Game> {
        self.0.game()
    }

    fn play(
        &mut self,
        setup: MatchSetup,
        seats: &mut [Seat],
        observer: &mut dyn Observer,
        stop: &StopToken,
    ) -> Outcome {
        self.0.play(setup, seats, observer, stop)
    }

    fn opening(&mut self, seed: u64, plies: u32, stop: &StopToken) -> Result<Vec<Vec<String>>, EvalError> {
        self.1.stop();
        while !stop.is_stopped() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(self.0.opening(seed, plies, stop), Err(EvalError::Interrupted));
        Err(EvalError::Interrupted)
    }
}

#[test]
fn a_run_stopped_while_an_opening_is_drawn_ends_well() {
    let league = tournament(vec![published("tic_tac_toe")], &[("a", "random"), ("b", "random")]);
    let stop = StopToken::new();
    let report = league.run(&StopsAtOpening(stop.clone()), &Run::new(4), &mut |_| {}, &stop).unwrap();
    assert_eq!((report.finish, report.progress.done), (Finish::Stopped, 0));
}

mod interruptions;
#[cfg(unix)]
mod programs;

/// A player that answers from a list and records what it observes.
struct Scripted {
    answers: Vec<&'static str>,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Player for Scripted {
    fn start(
        &mut self,
        _: &Arc<Game>,
        _: Role,
        _: Clocks,
        _: Deadline,
        _: &StopToken,
    ) -> Result<(), PlayError> {
        Ok(())
    }

    fn play(&mut self, seen: Observation<'_>, _: Deadline, _: &StopToken) -> Result<String, PlayError> {
        self.seen.lock().unwrap().push(format!("{seen:?}"));
        assert!(!self.answers.is_empty(), "nothing left to say");
        Ok(self.answers.remove(0).to_owned())
    }

    fn stop(&mut self, seen: Observation<'_>) {
        self.seen.lock().unwrap().push(format!("stop {seen:?}"));
    }
}

type Sights = Arc<Mutex<Vec<String>>>;

fn scripted(answers: &[&'static str]) -> (Seat, Sights) {
    let seen = Sights::default();
    let player = Scripted { answers: answers.to_vec(), seen: Arc::clone(&seen) };
    (Seat::Player(Box::new(player)), seen)
}

fn referee_match(rules: &str, setup: MatchSetup, seats: &mut [Seat]) -> Outcome {
    let mut referee = MachineReferee::new(Interpreter::new(&game(rules)));
    referee.play(setup, seats, &mut (), &StopToken::new())
}

const COIN: &str = "(role random) (role guesser) (init start)
    (<= (legal random (toss heads)) (true start)) (<= (legal random (toss tails)) (true start))
    (<= (legal random none) (not (true start)))
    (<= (legal guesser wait) (true start))
    (<= (legal guesser (guess heads)) (true (fell ?x))) (<= (legal guesser (guess tails)) (true (fell ?x)))
    (<= (next (fell ?x)) (does random (toss ?x)))
    (<= (next (end ?x ?y)) (true (fell ?x)) (does guesser (guess ?y)))
    (<= (sees guesser (coin hidden)) (does random (toss ?x)))
    (<= terminal (true (end ?x ?y)))
    (<= (goal guesser 100) (true (end ?x ?x))) (<= (goal guesser 0) (true (end ?x ?y)) (distinct ?x ?y))
    (goal random 0)";

#[test]
fn percepts_are_all_that_a_player_of_gdl_ii_is_told() {
    let (guesser, seen) = scripted(&["wait", "(guess heads)"]);
    let mut seats = [Seat::Nature, guesser];
    let setup = MatchSetup::new("m", NO_CLOCK);
    let outcome = referee_match(COIN, setup.clone(), &mut seats);
    assert_eq!((outcome.ending, outcome.steps), (Ending::Terminal, 2));
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0], "Start");
    assert!(seen[1].contains("turn: 1, own: \"wait\", seen: [Fact(\"(coin hidden)\")]"), "{}", seen[1]);
    assert!(seen[2].starts_with("stop Percepts { turn: 2"), "{}", seen[2]);
    // Over many matches, both sides of the coin are equally frequent.
    let mut referee = MachineReferee::new(Interpreter::new(&game(COIN)));
    let wins = (0..200).filter(|&seed| {
        let mut seats = [Seat::Nature, scripted(&["wait", "(guess heads)"]).0];
        let setup = MatchSetup { seed, ..setup.clone() };
        referee.play(setup, &mut seats, &mut (), &StopToken::new()).goals[1] == Some(100)
    });
    let wins = wins.count();
    assert!((70..=130).contains(&wins), "{wins} of 200");
}

/// A player whose answer to START is that of the function.
struct Starter(fn() -> Result<(), PlayError>);

impl Player for Starter {
    fn start(
        &mut self,
        _: &Arc<Game>,
        _: Role,
        _: Clocks,
        _: Deadline,
        _: &StopToken,
    ) -> Result<(), PlayError> {
        (self.0)()
    }

    fn play(&mut self, _: Observation<'_>, _: Deadline, _: &StopToken) -> Result<String, PlayError> {
        Ok("go".to_owned())
    }
}

#[test]
fn only_a_player_that_is_not_ready_in_time_is_late() {
    let starts: [fn() -> Result<(), PlayError>; 3] = [
        || {
            std::thread::sleep(Duration::from_millis(5));
            Ok(())
        },
        || Err(PlayError::TimedOut),
        || Err(PlayError::Unable("ready after the next update".to_owned())),
    ];
    let rules = "(role a) (init s) (legal a go) (<= (next t) (true s)) (<= terminal (true t)) (goal a 1)";
    let clocks = Clocks { start: Duration::ZERO, play: Duration::MAX };
    let setup = MatchSetup { grace: Duration::ZERO, ..MatchSetup::new("m", clocks) };
    let faults = starts.map(|start| {
        let outcome = referee_match(rules, setup.clone(), &mut [Seat::Player(Box::new(Starter(start)))]);
        outcome.faults.iter().map(|fault| (fault.kind, fault.late_start)).collect::<Vec<_>>()
    });
    assert_eq!(faults, [true, true, false].map(|late| [(FaultKind::Start, late)]));
}

#[test]
fn a_player_that_panics_is_gone_and_the_match_goes_on() {
    let mut seats = [Seat::Nature, scripted(&["wait"]).0];
    let outcome = referee_match(COIN, MatchSetup::new("m", NO_CLOCK), &mut seats);
    assert_eq!(outcome.ending, Ending::Terminal);
    let faults: Vec<(u32, FaultKind)> = outcome.faults.iter().map(|f| (f.step, f.kind)).collect();
    assert_eq!(faults, [(1, FaultKind::Crash)]);
}

#[test]
fn rules_that_get_stuck_or_go_on_are_reported() {
    let stuck = "(role a) (init s) (<= (legal a go) (true s)) (<= (next t) (true s)) (<= terminal (true u)) (goal a 1)";
    let outcome = referee_match(stuck, MatchSetup::new("m", NO_CLOCK), &mut [scripted(&["go"]).0]);
    assert_eq!((outcome.ending, outcome.goals), (Ending::NoLegalMove { role: 0 }, vec![None]));
    let endless = "(role a) (init s) (legal a go) (next s) (<= terminal (true t)) (goal a 1)";
    let setup = MatchSetup { max_steps: 3, ..MatchSetup::new("m", NO_CLOCK) };
    let outcome = referee_match(endless, setup, &mut [scripted(&["go", "go", "go"]).0]);
    assert_eq!((outcome.ending, outcome.steps), (Ending::StepLimit, 3));
    let too_few = referee_match(endless, MatchSetup::new("m", NO_CLOCK), &mut []);
    assert!(matches!(too_few.ending, Ending::Unplayed(_)));
}

/// Counts the events that it observes.
#[derive(Default)]
struct Watcher {
    states: u32,
    joints: u32,
    ended: bool,
}

impl Observer for Watcher {
    fn wants_facts(&self) -> bool {
        true
    }

    fn observe(&mut self, event: MatchEvent<'_>) {
        match event {
            MatchEvent::State { step, facts, .. } => {
                assert_eq!(step, self.states);
                assert!(!facts.is_empty());
                self.states += 1;
            }
            MatchEvent::Joint { moves, thinking, reports, .. } => {
                assert_eq!((moves.len(), thinking.len()), (2, 2));
                assert!(reports(0).is_none());
                self.joints += 1;
            }
            MatchEvent::End(outcome) => self.ended = outcome.ending == Ending::Terminal,
        }
    }
}

#[test]
fn a_record_tells_the_whole_match_and_replays() -> Result<(), EvalError> {
    let contest = published("tic_tac_toe");
    let mut machine = Interpreter::new(&contest.game);
    let mut referee = MachineReferee::new(machine.clone());
    let never = StopToken::new();
    let opening = referee.opening(3, 2, &never)?;
    assert_eq!(opening, referee.opening(3, 2, &never)?);
    assert_eq!(opening.len(), 2);
    let dice = |seed| {
        let entrant = Entrant { name: "dice".to_owned(), spec: "random".to_owned() };
        let request =
            PlayerRequest { match_id: "m", seed, grace: Duration::ZERO, start_patience: Duration::ZERO };
        Seat::Player(Local.player(&entrant, &contest.game, &request).unwrap())
    };
    let (bad, _) = scripted(&["(mark 9 9)"; 9]);
    let mut watcher = Watcher::default();
    let setup = MatchSetup {
        opening: opening.clone(),
        record: Some(Record {
            player_names_from_host: vec!["dice".into(), "bad".into()],
            ..Record::default()
        }),
        ..MatchSetup::new("m.1", NO_CLOCK)
    };
    let outcome = referee.play(setup, &mut [dice(1), bad], &mut watcher, &never);
    assert_eq!((watcher.states, watcher.joints, watcher.ended), (outcome.steps + 1, outcome.steps, true));
    let record = outcome.record.unwrap();
    let record = Record::read(&record.to_json()).unwrap();
    assert!(record.is_completed && !record.is_aborted);
    assert_eq!(record.states.len(), record.moves.len() + 1);
    assert_eq!(record.errors.len(), record.states.len());
    assert_eq!(record.state_times.len(), record.states.len());
    assert_eq!(record.errors[3], ["", "IL (mark 9 9)"]);
    assert_eq!(record.joint_moves().unwrap()[..2], opening);
    assert_eq!(record.random_token.len(), 32);
    // The text form of the record gives the same states.
    let lines = Record::read(&record.to_lines()).unwrap();
    let mut state = machine.initial_state()?;
    let mut facts: Vec<Fact> = Vec::new();
    for (step, joint) in lines.joint_moves().unwrap().iter().enumerate() {
        machine.facts(&state, &mut facts)?;
        assert_eq!(record.state(step).unwrap(), facts);
        for role in contest.game.roles() {
            machine.legal_moves(&state, role, &mut Vec::new())?;
        }
        let joint = machine.parse_joint(joint).unwrap();
        state = machine.next_state(&state, &joint)?;
    }
    machine.facts(&state, &mut facts)?;
    assert_eq!(record.last_state().unwrap(), facts);
    assert!(machine.is_terminal(&state)?);
    Ok(())
}
