//! Playouts, which run in lanes or, if there are only few, one after the other. This module also implements
//! [`Batches`], the queries about many states at once, and [`Hints`] for a search.

use super::{PropNetMachine, WORDS};
use crate::lanes::{Lanes, Observer, Run, SweepStep};
use crate::nearness::Nearness;
use crate::prefer::Preferred;
use crate::single::SinglePlayouts;
use crate::state::BitState;
use crate::subgames::subgames;
use ggp_game::{
    Batches, DecisiveMoves, EvalError, Fact, GoalParts, Goals, Hints, Move, Playout, PlayoutPlan,
    RestrictedMoves, Role, StateMachine, StopToken,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// If a call asks for at most this many playouts, they run one after the other, because sweeps over all lanes
/// would take longer. The value is an estimate and not measured for each game.
const SINGLES: usize = 3;

/// The time limit for building the machines of all subgames. If it is exceeded, the game counts as having no
/// subgames.
const SUBGAMES_WITHIN: Duration = Duration::from_millis(600);

/// Buffers for the playouts of one set of programs, created on first use.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlayoutBuffers {
    lanes: Option<Box<Lanes<WORDS>>>,
    single: Option<Box<SinglePlayouts>>,
}

impl PlayoutBuffers {
    /// Plays `run`: its playouts one after the other if `few` is set, otherwise in lanes.
    fn play(
        &mut self,
        run: &Run<'_>,
        few: bool,
        stop: &StopToken,
        sink: &mut dyn FnMut(Playout<'_>),
        observer: Option<Observer<'_>>,
    ) {
        let roles = run.net.roles.len();
        if few {
            self.single
                .get_or_insert_with(|| Box::new(SinglePlayouts::new(run.programs, roles)))
                .play(run, stop, sink);
        } else {
            let lanes = self.lanes.get_or_insert_with(|| Box::new(Lanes::new(run.programs, roles)));
            lanes.play(run, stop, sink, observer);
        }
    }
}

impl PropNetMachine {
    /// Like [`Batches::playouts`](ggp_game::Batches::playouts), but calls `observer` with each part of a
    /// sweep when that part ends. A sweep plays one step of all playouts that run at once. With an observer,
    /// even a few playouts run at once and not one after the other.
    ///
    /// # Errors
    /// See [`StateMachine`].
    pub fn observed_playouts(
        &mut self,
        starts: &[BitState],
        plan: PlayoutPlan,
        sink: &mut dyn FnMut(Playout<'_>),
        mut observer: Option<&mut dyn FnMut(SweepStep)>,
    ) -> Result<(), EvalError> {
        let (mut reachable, mut others) = (Vec::new(), Vec::new());
        let mut before: Option<(usize, bool)> = None;
        let mut goals = vec![Goals::None; self.shared.net.roles.len()];
        for (number, start) in starts.iter().enumerate() {
            let known = before.filter(|&(other, _)| starts[other] == *start);
            let terminal = match known {
                _ if plan.no_terminal_start => false,
                Some((_, terminal)) => terminal,
                None => self.is_terminal(start)?,
            };
            before = Some((number, terminal));
            if terminal || plan.max_steps == 0 {
                self.goals(start, &mut goals)?;
                for index in number * plan.per_start..(number + 1) * plan.per_start {
                    sink(Playout { index, goals: &goals, steps: 0, moves: &[], terminal });
                }
            } else if self.shared.reachable.phase_of(start).is_some() {
                reachable.push(number as u32);
            } else {
                others.push(number as u32);
            }
        }
        let shared = Arc::clone(&self.shared);
        let run = |programs, chosen| Run {
            net: &shared.net,
            programs,
            preferred: plan.preferred.map(|preference| Preferred::new(programs, &shared.moves, preference)),
            kernels: self.kernels,
            moves: &shared.moves,
            starts,
            chosen,
            plan,
        };
        let few = observer.is_none() && (reachable.len() + others.len()) * plan.per_start <= SINGLES;
        let stop = self.stop.clone();
        if !reachable.is_empty() {
            let observer: Option<Observer<'_>> = match &mut observer {
                Some(observer) => Some(&mut **observer),
                None => None,
            };
            let decisive = if plan.decisive { shared.narrowed().programs() } else { None };
            let stage = if decisive.is_some() { &mut self.decisive } else { &mut self.reachable };
            let programs = decisive.unwrap_or(&shared.reachable);
            stage.play(&run(programs, &reachable), few, &stop, sink, observer);
        }
        if !others.is_empty() {
            let programs = shared.general(&stop)?;
            self.general.play(&run(programs, &others), few, &stop, sink, observer);
        }
        stop.check()
    }
}

impl Batches for PropNetMachine {
    fn lanes(&self) -> usize {
        64 * WORDS
    }

    fn clones_agree(&self) -> bool {
        true
    }

    fn next_states(
        &mut self,
        states: &[&BitState],
        joints: &[Move],
        out: &mut Vec<BitState>,
    ) -> Result<(), EvalError> {
        self.batch_next(states, joints, out)
    }

    fn outcomes(
        &mut self,
        states: &[&BitState],
        over: &mut Vec<bool>,
        goals: &mut Vec<Goals>,
    ) -> Result<(), EvalError> {
        self.batch_outcomes(states, over, goals);
        Ok(())
    }

    fn all_legal_moves(&mut self, states: &[&BitState], out: &mut Vec<Vec<Move>>) -> Result<(), EvalError> {
        self.batch_legal(states, out);
        Ok(())
    }

    fn playouts(
        &mut self,
        starts: &[BitState],
        plan: PlayoutPlan,
        sink: &mut dyn FnMut(Playout<'_>),
    ) -> Result<(), EvalError> {
        self.observed_playouts(starts, plan, sink, None)
    }
}

impl Hints for PropNetMachine {
    fn prepare_decisive(&mut self) {
        self.shared.narrowed();
    }

    fn decisive(&mut self) -> DecisiveMoves {
        self.shared.narrowed().moves(&self.shared.reachable)
    }

    fn distinct_moves(&mut self, role: Role, moves: &mut Vec<Move>) {
        let Some(equivalent) = self.shared.equivalent() else { return };
        let own = &self.shared.own[role.index()];
        let class = |at: u32| equivalent.first(role.index(), at);
        let mut first: FxHashMap<u32, u32> = FxHashMap::default();
        for &at in moves.iter().filter_map(|mv| own.get(mv)) {
            let kept = first.entry(class(at)).or_insert(at);
            *kept = (*kept).min(at);
        }
        moves.retain(|mv| own.get(mv).is_none_or(|&at| first.get(&class(at)) == Some(&at)));
    }

    fn subgames(&mut self) -> Vec<PropNetMachine> {
        let began = Instant::now();
        let machines = subgames(&self.shared.net).map(|net| {
            let is_late = began.elapsed() > SUBGAMES_WITHIN;
            (!is_late).then(|| PropNetMachine::new(net).ok())?
        });
        machines.collect::<Option<_>>().unwrap_or_default()
    }

    fn decisive_moves(
        &mut self,
        states: &[&BitState],
        out: &mut Vec<RestrictedMoves>,
    ) -> Result<(), EvalError> {
        self.batch_decisive(states, out);
        Ok(())
    }

    fn nearness(&mut self, states: &[&BitState], role: Role, out: &mut Vec<f32>) -> Result<(), EvalError> {
        out.clear();
        self.nearness_of(role)?.measure(states, out);
        Ok(())
    }

    fn goal_parts(&mut self, states: &[&BitState], role: Role, out: &mut GoalParts) -> Result<(), EvalError> {
        self.nearness_of(role)?.parts(states, out);
        Ok(())
    }

    fn fluents(&self) -> Vec<Fact> {
        self.shared.net.fluents.iter().map(|fluent| fluent.fact.clone()).collect()
    }

    fn fluent_contexts(&mut self, most: usize) -> Vec<Vec<u32>> {
        crate::context::of_fluents(&self.shared.net, most, &self.stop).unwrap_or_default()
    }

    fn fluent_words<'s>(&self, state: &'s BitState) -> &'s [u64] {
        state.words()
    }
}

impl PropNetMachine {
    /// The evaluation of a role's best goal. The last one is kept.
    fn nearness_of(&mut self, role: Role) -> Result<&mut Nearness, EvalError> {
        let known = self.nearness.take().filter(|nearness| nearness.role() == role);
        let nearness = match known {
            Some(nearness) => nearness,
            None => Box::new(Nearness::new(&self.shared.net, role, &self.stop)?),
        };
        Ok(self.nearness.insert(nearness))
    }
}
