//! `mcts` against random players.

use crate::statistics::Mean;
use crate::{corpus, stage};
use ggp_game::{
    Clocks, Deadline, Move, Observation, Player, Playout, PlayoutPlan, Playouts, Role, StopToken, rng,
};
use ggp_search::{MctsOptions, MctsPlayer};
use std::time::{Duration, Instant};

/// Tolerance for a late move.
const GRACE: Duration = Duration::from_millis(50);

/// Number of playouts that decide whether a game is constant-sum.
const PLAYOUTS: usize = 512;

pub(crate) fn run(args: &[String]) {
    let [seconds, matches, steps, rest @ ..] = args else { panic!("SECONDS MATCHES STEPS [K/N] [NAME…]") };
    let clock = Duration::from_secs_f64(seconds.parse().expect("SECONDS"));
    let (matches, steps): (u64, u32) = (matches.parse().expect("MATCHES"), steps.parse().expect("STEPS"));
    let (mut all, mut constant) = (Mean::default(), Mean::default());
    for (name, game) in corpus::games(rest, |game| game.role_count() > 1) {
        let machine = match stage::network(&game) {
            Ok(machine) => machine,
            Err(error) => {
                println!("{name:<36} not grounded: {error}");
                continue;
            }
        };
        let (mut mean, mut faults) = (0.0, Faults::default());
        for number in 0..matches {
            let seat = Role((number % game.role_count() as u64) as u8);
            let mut one = Match { machine: machine.clone(), seat, seed: number, clock, steps };
            mean += one.play(&mut faults) / matches as f64;
        }
        all.add(mean);
        let is_constant = is_constant_sum(machine);
        if is_constant {
            constant.add(mean);
        }
        let kind = if is_constant { "constant" } else { "general" };
        let Faults { illegal, late, failed, latest } = faults;
        println!(
            "{name:<36} {mean:.3}  {kind:<8} illegal {illegal} late {late} (most {latest:.0?}) failed {failed}"
        );
    }
    println!("all: {all}, constant-sum ones: {constant}");
}

/// Whether the goals of all roles have the same sum in every one of [`PLAYOUTS`] random playouts.
fn is_constant_sum<M: Playouts>(mut machine: M) -> bool {
    let starts = [machine.initial_state().expect("a state")];
    let plan = PlayoutPlan { per_start: PLAYOUTS, ..PlayoutPlan::new(1) };
    let mut sums = Vec::new();
    let mut note = |playout: Playout<'_>| {
        if playout.terminal {
            sums.push(playout.goals.iter().map(|goal| u32::from(goal.score().value())).sum::<u32>());
        }
    };
    machine.playouts(&starts, plan, &mut note).expect("evaluable");
    sums.iter().all(|&sum| sum == sums[0])
}

#[derive(Default)]
struct Faults {
    illegal: u32,
    late: u32,
    failed: u32,
    latest: Duration,
}

struct Match<M> {
    machine: M,
    seat: Role,
    seed: u64,
    clock: Duration,
    steps: u32,
}

impl<M: Playouts + 'static> Match<M> {
    /// Plays one match. Returns the goal share of the searching player.
    fn play(&mut self, faults: &mut Faults) -> f64 {
        let game = self.machine.game().clone();
        let own = self.machine.clone();
        let options = MctsOptions { seed: Some(self.seed), ..MctsOptions::default() };
        let mut player = MctsPlayer::new(options, move |_, _, _| Ok(own.clone()));
        let stop = StopToken::new();
        let clocks = Clocks { start: self.clock, play: self.clock };
        player.start(&game, self.seat, clocks, Deadline::after(self.clock), &stop).expect("a start");
        let stream = rng::Stream::new(self.seed, 1);
        let mut state = self.machine.initial_state().expect("a state");
        let mut last: Option<Vec<String>> = None;
        let mut legal = Vec::new();
        let mut step = 0;
        'playing: while !self.machine.is_terminal(&state).expect("evaluable") {
            let mut joint: Vec<Move> = Vec::new();
            for role in game.roles() {
                self.machine.legal_moves(&state, role, &mut legal).expect("evaluable");
                if legal.is_empty() {
                    break 'playing;
                }
                let drawn = legal[stream.below(step, role, legal.len() as u32) as usize];
                let timed = role == self.seat && step < self.steps;
                joint.push(if timed {
                    self.ask(&mut player, last.as_deref(), &legal, faults).unwrap_or(drawn)
                } else {
                    drawn
                });
            }
            state = self.machine.next_state(&state, &joint).expect("evaluable");
            last = Some(joint.iter().map(|&mv| self.machine.move_text(mv).to_owned()).collect());
            step += 1;
        }
        let mut goals = vec![ggp_game::Goals::None; game.role_count()];
        self.machine.goals(&state, &mut goals).expect("evaluable");
        goals[self.seat.index()].score().share()
    }

    fn ask(
        &mut self,
        player: &mut MctsPlayer<M>,
        last: Option<&[String]>,
        legal: &[Move],
        faults: &mut Faults,
    ) -> Option<Move> {
        let seen = last.map_or(Observation::Start, Observation::Moves);
        let began = Instant::now();
        let answer = player.play(seen, Deadline::after(self.clock), &StopToken::new());
        let over = began.elapsed().saturating_sub(self.clock);
        faults.latest = faults.latest.max(over);
        faults.late += u32::from(over > GRACE);
        let Ok(text) = answer else {
            faults.failed += 1;
            return None;
        };
        let mv = self.machine.parse_move(&text).filter(|mv| legal.contains(mv));
        faults.illegal += u32::from(mv.is_none());
        mv
    }
}
