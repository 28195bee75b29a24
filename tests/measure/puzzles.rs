//! One-player games: the goal that the player reaches with a start clock and a play clock.

use crate::{corpus, stage};
use ggp_game::{Clocks, Deadline, Goal, Observation, Player, Role, StateMachine, StopToken};
use ggp_propnet::PropNetMachine;
use ggp_search::{MctsOptions, MctsPlayer};
use std::time::{Duration, Instant};

pub(crate) fn run(args: &[String]) {
    let [start, play, rest @ ..] = args else { panic!("START PLAY [K/N] [NAME…]") };
    let seconds = |text: &String| Duration::from_secs_f64(text.parse().expect("seconds"));
    let clocks = Clocks { start: seconds(start), play: seconds(play) };
    let (mut solved, mut solvable) = (0, 0);
    for (name, game) in corpus::games(rest, |game| game.role_count() == 1) {
        let machine = match stage::network(&game) {
            Ok(machine) => machine,
            Err(error) => {
                println!("{name:<36} not grounded: {error}");
                continue;
            }
        };
        let best = machine.net().roles()[0].goals.iter().map(|&(goal, _)| goal.value()).max();
        let began = Instant::now();
        let (goal, steps, first, late) = one(&machine, clocks);
        let reached = goal.map_or(0, Goal::value);
        // The largest goal in the rules may be unreachable, so the solved share is a lower bound.
        solvable += u32::from(best == Some(100));
        solved += u32::from(reached == 100);
        println!(
            "{name:<36} goal {reached:>3} of {:>3} in {steps} steps, start clock used {first:.1?}, \
             all {:.1?}, late {late}",
            best.unwrap_or(0),
            began.elapsed()
        );
    }
    println!("{solved} of {solvable} whose rules name 100");
}

/// Plays one match. Returns the goal, the number of steps, the time used of the start clock, and the late
/// moves.
fn one(machine: &PropNetMachine, clocks: Clocks) -> (Option<Goal>, u32, Duration, u32) {
    let mut referee = machine.clone();
    let own = machine.clone();
    let mut player = MctsPlayer::new(MctsOptions::default(), move |_, _, _| Ok(own.clone()));
    let stop = StopToken::new();
    let game = referee.game().clone();
    let began = Instant::now();
    player.start(&game, Role(0), clocks, Deadline::after(clocks.start), &stop).expect("a start");
    let first = began.elapsed();
    let mut state = referee.initial_state().expect("a state");
    let mut last: Option<Vec<String>> = None;
    let (mut steps, mut late) = (0, 0);
    while !referee.is_terminal(&state).expect("evaluable") {
        let seen = last.as_deref().map_or(Observation::Start, Observation::Moves);
        let asked = Instant::now();
        let Ok(text) = player.play(seen, Deadline::after(clocks.play), &stop) else { break };
        late += u32::from(asked.elapsed() > clocks.play + Duration::from_millis(50));
        let mv = referee.parse_move(&text).expect("a move");
        let mut legal = Vec::new();
        referee.legal_moves(&state, Role(0), &mut legal).expect("evaluable");
        assert!(legal.contains(&mv), "{text} is not legal");
        state = referee.next_state(&state, &[mv]).expect("evaluable");
        last = Some(vec![text]);
        steps += 1;
    }
    let mut goals = [ggp_game::Goals::None];
    referee.goals(&state, &mut goals).expect("evaluable");
    (goals[0].largest(), steps, first, late)
}
