//! A bank of positions with proven goals, from the ends of matches of the search against itself.

use crate::stage;
use ggp_game::{CpuClock, Deadline, Move, Role, StateMachine};
use ggp_propnet::PropNetMachine;
use ggp_search::{Halt, Limits, MctsOptions, Search};
use std::path::Path;
use std::time::Duration;

pub(crate) fn run(args: &[String]) {
    match args {
        [verb, spec, seconds, matches, files @ ..] if verb == "make" => {
            let matches =
                matches.split_once('-').map_or((0, matches.as_str()), |(a, b)| (a.parse().unwrap(), b));
            for file in files {
                make(
                    spec,
                    seconds.parse().expect("SECONDS"),
                    matches.0..matches.1.parse().expect("MATCHES"),
                    file,
                );
            }
        }
        [verb, spec, seconds, seeds, bank] if verb == "find" => {
            find(spec, seconds.parse().expect("SECONDS"), seeds.parse().expect("SEEDS"), bank);
        }
        _ => panic!("make SPEC SECONDS MATCHES FILE… or find SPEC SECONDS SEEDS BANK"),
    }
}

/// The goal of the role to move that a search of `seconds` proves in `state`.
fn proved(
    machine: &PropNetMachine,
    state: &<PropNetMachine as StateMachine>::State,
    options: &MctsOptions,
    seconds: f64,
) -> Option<(Role, u8, u64)> {
    let mut search = Search::from_state(machine.clone(), options, state.clone()).expect("a search");
    let role = search.machine().game().clone().roles().find(|&role| search.choices(role).unwrap() > 1)?;
    let limits = Limits::default().for_role(role);
    let clock = CpuClock::of_this_thread();
    let budget = Duration::from_secs_f64(seconds);
    let halt = loop {
        let left = budget.saturating_sub(clock.elapsed());
        let limits = match options.iterations {
            Some(_) => Limits { iterations: options.iterations, ..limits.clone() },
            None => limits.clone().until(Deadline::after(left)),
        };
        let halt = search.run(&limits);
        if halt != Halt::Deadline || left < budget / 50 {
            break halt;
        }
    };
    let report = search.report(role);
    let proven = report.candidates.iter().filter_map(|candidate| candidate.proven).max();
    if let Some(counts) = search.prover_counts()
        && std::env::var("COUNTS").is_ok()
    {
        eprintln!("{} iterations {counts:?} {halt:?}", report.iterations);
    }
    (halt == Halt::Decided).then_some((role, proven.unwrap_or(255), report.iterations))
}

fn make(spec: &str, seconds: f64, matches: std::ops::Range<u64>, file: &str) {
    let game = stage::game(Path::new(file));
    let machine = stage::network(&game).expect("a network");
    for number in matches {
        let mut referee = machine.clone();
        let mut player =
            Search::new(machine.clone(), &stage::options("mcts", 1000 + number)).expect("a search");
        let mut states = vec![referee.initial_state().expect("a state")];
        let mut joints: Vec<Vec<Move>> = Vec::new();
        while !referee.is_terminal(states.last().unwrap()).expect("evaluable") {
            player.run(&Limits::iterations(3000));
            let joint: Vec<Move> =
                game.roles().map(|role| player.best_move(role).unwrap().unwrap()).collect();
            states.push(referee.next_state(states.last().unwrap(), &joint).expect("evaluable"));
            player.advance(&joint).expect("evaluable");
            joints.push(joint);
        }
        let mut failed = 0;
        for at in (0..states.len().saturating_sub(5)).rev().step_by(2) {
            let mut tries = spec
                .split('+')
                .map(|spec| proved(&machine, &states[at], &stage::options(spec, number), seconds));
            let Some((role, goal, iterations)) = tries.find_map(|found| found) else {
                failed += 1;
                if failed == 2 {
                    break;
                }
                continue;
            };
            let texts = |joint: &Vec<Move>| {
                joint.iter().map(|&mv| referee.move_text(mv)).collect::<Vec<_>>().join("|")
            };
            let moves: Vec<String> = joints[..at].iter().map(texts).collect();
            let left = states.len() - 1 - at;
            println!("{file}\t{left}\t{role:?}\t{goal}\t{iterations}\t{}", moves.join(";"));
        }
    }
}

fn find(spec: &str, seconds: f64, seeds: u64, bank: &str) {
    let text = std::fs::read_to_string(bank).expect("a bank");
    let mut lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    lines.sort_by_key(|line| line[0]);
    let (mut all, mut total) = (0, 0);
    for of_game in lines.chunk_by(|a, b| a[0] == b[0]) {
        let game = stage::game(Path::new(of_game[0][0]));
        let mut machine = stage::network(&game).expect("a network");
        let (mut found, mut wrong) = (0, 0);
        for line in of_game {
            let mut state = machine.initial_state().expect("a state");
            for joint in line[5].split(';').filter(|joint| !joint.is_empty()) {
                let joint: Vec<Move> =
                    joint.split('|').map(|text| machine.parse_move(text).expect("a move")).collect();
                state = machine.next_state(&state, &joint).expect("evaluable");
            }
            for seed in 0..seeds {
                if let Some((_, goal, _)) = proved(&machine, &state, &stage::options(spec, seed), seconds) {
                    found += 1;
                    wrong += u64::from(goal.to_string() != line[3]);
                }
            }
        }
        let count = of_game.len() as u64 * seeds;
        println!("{:<24} {found:>4} of {count:>4}   {wrong} wrong", stage::name(Path::new(of_game[0][0])));
        (all, total) = (all + found, total + count);
    }
    println!("{:<24} {all:>4} of {total:>4}", "all");
}
