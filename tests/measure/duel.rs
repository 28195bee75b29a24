//! Matches between two searches with equal time.

use crate::stage;
use crate::statistics::Mean;
use ggp_game::{CpuClock, Deadline, Game, Role, StateMachine, StopToken};
use ggp_propnet::PropNetMachine;
use ggp_search::{Halt, Limits, MctsOptions, Search};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn run(args: &[String]) {
    let [a, b, seconds, matches, files @ ..] = args else { panic!("A B SECONDS MATCHES FILE…") };
    let (start, seconds) = seconds.split_once('+').unwrap_or(("0", seconds));
    let start = Duration::from_secs_f64(start.parse().expect("the seconds of the start clock"));
    let (of_a, of_b) = seconds.split_once(':').unwrap_or((seconds, seconds));
    let budgets = [Budget::read(of_a), Budget::read(of_b)];
    let number = |text: &str| text.parse::<u64>().expect("MATCHES");
    let matches = match matches.split_once('-') {
        Some((first, after)) => number(first)..number(after),
        None => 0..number(matches),
    };
    let (mut all, mut all_others) = (Mean::default(), Mean::default());
    for file in files {
        let game = stage::game(Path::new(file));
        let machine = stage::network(&game).expect("a network");
        let (mut mean, mut of_others, mut uses) = (Mean::default(), Mean::default(), Uses::default());
        let mut by_seat = vec![Mean::default(); game.role_count()];
        let mut playouts = [0; 2];
        for number in matches.clone() {
            let seat = number as usize % game.role_count();
            let options = [stage::options(a, number), stage::options(b, number)];
            let (share, others) =
                play(&game, &machine, &options, seat, (start, budgets), &mut playouts, &mut uses);
            by_seat[seat].add(share);
            mean.add(share);
            of_others.add(others);
            all.add(share);
            all_others.add(others);
        }
        let ratio = playouts[0] as f64 / playouts[1].max(1) as f64;
        let by_seat: Vec<String> = by_seat.iter().map(|mean| format!("{:.2}", mean.mean())).collect();
        let (name, by_seat) = (stage::name(Path::new(file)), by_seat.join(" "));
        let others = of_others.mean();
        println!(
            "{name:<24} {mean}   others {others:.3}   by seat {by_seat}   playouts {ratio:.1} : 1   policy in {}   minimax in {}",
            uses.policy, uses.minimax
        );
    }
    println!("{:<24} {all}   others {:.3}", "all", all_others.mean());
}

/// The time per move.
#[derive(Clone, Copy)]
enum Budget {
    /// CPU time of one thread.
    Cpu(Duration),
    Wall(Duration),
}

impl Budget {
    fn read(text: &str) -> Budget {
        let time = |text: &str| Duration::from_secs_f64(text.parse().expect("SECONDS"));
        text.strip_suffix('w').map_or_else(|| Budget::Cpu(time(text)), |wall| Budget::Wall(time(wall)))
    }
}

/// The number of matches in which the first player uses a learnt policy, and minimax values.
#[derive(Default)]
struct Uses {
    policy: u64,
    minimax: u64,
}

/// Plays one match. Returns the goal share of `seat`, which the first player has, and the mean of those of all other roles
/// but chance: where the goals have no constant sum, the share of `seat` alone says little.
fn play(
    game: &Arc<Game>,
    machine: &PropNetMachine,
    options: &[MctsOptions; 2],
    seat: usize,
    (start, budgets): (Duration, [Budget; 2]),
    playouts: &mut [u64; 2],
    uses: &mut Uses,
) -> (f64, f64) {
    let mut referee = machine.clone();
    let who = |role: Role| usize::from(role.index() != seat);
    let search = |role: Role| {
        let options = &options[who(role)];
        let mut search = Search::new(machine.clone(), options).expect("a search");
        begin(&mut search, role, start);
        search
    };
    let mut searches: Vec<Search<PropNetMachine>> = game.roles().map(search).collect();
    uses.policy += u64::from(searches[seat].has_policy());
    uses.minimax += u64::from(searches[seat].has_minimax());
    let mut state = referee.initial_state().expect("a state");
    let mut goals = vec![ggp_game::Goals::None; game.role_count()];
    while !referee.is_terminal(&state).expect("evaluable") {
        let mut joint = Vec::new();
        for (role, search) in game.roles().zip(&mut searches) {
            if search.choices(role).expect("evaluable") > 1 {
                match options[who(role)].iterations {
                    Some(iterations) => {
                        search.run_for_move(&Limits::iterations(iterations).for_role(role), role);
                    }
                    None => match budgets[who(role)] {
                        Budget::Cpu(time) => think(search, time, |search, limits| {
                            search.run_for_move(&limits.for_role(role), role)
                        }),
                        Budget::Wall(time) => {
                            search.run_for_move(&Limits::time(time).for_role(role), role);
                        }
                    },
                }
            }
            joint.push(search.best_move(role).expect("evaluable").expect("a move"));
        }
        state = referee.next_state(&state, &joint).expect("evaluable");
        for search in &mut searches {
            search.advance(&joint).expect("evaluable");
        }
    }
    for (role, search) in game.roles().zip(&searches) {
        playouts[who(role)] += search.playouts();
    }
    referee.goals(&state, &mut goals).expect("evaluable");
    let share = |seat: usize| goals[seat].score().share();
    let others = game.roles().filter(|&role| role.index() != seat && game.nature() != Some(role));
    let of_others: Vec<f64> = others.map(|role| share(role.index())).collect();
    (share(seat), Mean::of(&of_others).mean())
}

/// Prepares a player. With a start clock of `start`, a player that has a file of knowledge, which need not exist, plays against
/// itself by wall clock, and every player then searches the initial state for the rest, in CPU time. Without one, a
/// player uses the lesson that its file has.
///
/// # Panics
/// If there is a lesson and no start clock to improve it, and the lesson has failed its test.
fn begin(search: &mut Search<PropNetMachine>, role: Role, start: Duration) {
    let clock = CpuClock::of_this_thread();
    let deadline = if start.is_zero() { Deadline::never() } else { Deadline::after(start) };
    let learner = search.study(role, deadline, &StopToken::new()).expect("a file of knowledge");
    if start.is_zero() {
        let has_lesson = learner.is_some_and(|learner| !learner.generations().is_empty());
        assert!(!has_lesson || search.has_policy(), "the lesson has failed its test");
        return;
    }
    think(search, start.saturating_sub(clock.elapsed()), |search, limits| search.run(&limits.for_role(role)));
}

/// Lets `run` search for `budget` of CPU time. If other processes take CPU time before the deadline, the search
/// continues.
pub(crate) fn think<M: ggp_game::Playouts>(
    search: &mut Search<M>,
    budget: Duration,
    run: impl Fn(&mut Search<M>, Limits) -> Halt,
) {
    let clock = CpuClock::of_this_thread();
    loop {
        let left = budget.saturating_sub(clock.elapsed());
        if left < budget / 20 {
            return;
        }
        let before = search.playouts();
        let halt = run(search, Limits::time(left));
        // Stop if the remaining time is too short for one batch.
        if halt != Halt::Deadline || search.playouts() == before {
            return;
        }
    }
}
