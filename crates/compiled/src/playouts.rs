//! Random playouts with recalled questions.

use crate::machine::{CodeSet, CompiledMachine};
use ggp_game::rng::Stream;
use ggp_game::{Batches, EvalError, Goals, Move, Playout, PlayoutPlan, StepwisePlayouts};

/// The number of steps of a playout between two checks of the memory for answers.
const STEPS_PER_CHECK: u32 = 256;

impl Batches for CompiledMachine {
    fn clones_agree(&self) -> bool {
        true
    }

    fn playouts(
        &mut self,
        starts: &[CodeSet],
        plan: PlayoutPlan,
        sink: &mut dyn FnMut(Playout<'_>),
    ) -> Result<(), EvalError> {
        let roles = self.compiled().roles.len();
        let mut stepwise = StepwisePlayouts::new(roles);
        let mut moves = Vec::new();
        let mut joint = vec![Move(0); roles];
        let mut goals = vec![Goals::None; roles];
        for index in 0..starts.len() * plan.per_start {
            let start = &starts[index / plan.per_start];
            let number = plan.first.wrapping_add(index as u64);
            let is_plain = plan.preferred.is_some_and(|preferred| preferred.applies(number));
            // The machine gives up recalling when its memory for answers is full.
            if is_plain || self.recall(start).is_none() {
                sink(stepwise.play(self, start, index, &plan, |_| Ok(true))?);
                continue;
            }
            let stream = Stream::new(plan.seed, number);
            moves.clear();
            let recorded = plan.moves.then_some(&mut moves);
            let played = self.play(stream, plan.max_steps, (&mut joint, recorded), &mut goals);
            let Some((steps, terminal)) = self.forget(played)? else {
                self.end_recall();
                sink(stepwise.play(self, start, index, &plan, |_| Ok(true))?);
                continue;
            };
            sink(Playout { index, goals: &goals, steps, moves: &moves, terminal });
        }
        Ok(())
    }
}

impl CompiledMachine {
    /// Plays one playout from the state that was recalled last. Returns its number of steps, and whether its last
    /// state is terminal. `None` if the memory for answers has become full.
    pub(crate) fn play(
        &mut self,
        stream: Stream,
        max_steps: u32,
        (joint, mut moves): (&mut [Move], Option<&mut Vec<Move>>),
        goals: &mut [Goals],
    ) -> Result<Option<(u32, bool)>, EvalError> {
        self.leave();
        let game = self.game_of();
        let mut steps = 0;
        let terminal = 'playout: loop {
            let is_spent = self.is_spent();
            self.check_interrupt()?;
            let mut session = self.session().expect("the machine recalls");
            if steps % STEPS_PER_CHECK == STEPS_PER_CHECK - 1 && session.is_full() {
                return Ok(None);
            }
            if session.is_terminal()? {
                break true;
            }
            if steps == max_steps || is_spent {
                break false;
            }
            for role in game.roles() {
                session.refresh_legal(role.index())?;
                let legal = &session.own.legal[role.index()];
                if legal.count == 0 {
                    break 'playout false;
                }
                joint[role.index()] = Move(legal.nth(stream.below(steps, role, legal.count)));
            }
            if let Some(moves) = &mut moves {
                moves.extend_from_slice(joint);
            }
            session.set_moves(joint.iter().map(|mv| mv.0));
            session.find_next()?;
            session.advance();
            steps += 1;
        };
        let mut session = self.session().expect("the machine recalls");
        for (role, goals) in goals.iter_mut().enumerate() {
            *goals = session.goals(role, CompiledMachine::goals_in)?;
        }
        Ok(Some((steps, terminal)))
    }
}
