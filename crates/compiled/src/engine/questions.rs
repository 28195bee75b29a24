//! The begin and the end of the evaluation of a question.

use super::{Activation, Engine};
use crate::code::Code;
use crate::key::NONE;
use crate::memo::Status;
use ggp_game::EvalError;

impl Engine {
    /// Evaluates a procedure for a key. Returns the number of the question in the procedure's memo; `None` if
    /// there is no answer.
    #[inline]
    pub(crate) fn ask(&mut self, code: &Code, procedure: u32, key: &[u32]) -> Result<Option<u32>, EvalError> {
        let space = &code.procedures[procedure as usize].space;
        let memo = &mut self.memos[procedure as usize];
        let Some(question) = memo.question(space, key.iter().copied()) else { return Ok(None) };
        if memo.questions[question as usize].status == Status::Complete {
            return Ok(Some(question));
        }
        self.row.clear();
        self.row.extend_from_slice(key);
        self.start(code, procedure, question, NONE);
        self.complete(code)?;
        Ok(Some(question))
    }

    /// Evaluates a traced question, whose variable is unknown.
    #[cold]
    pub(crate) fn evaluate(
        &mut self,
        code: &Code,
        procedure: u32,
        variable: u32,
        key: &[u32],
    ) -> Result<(), EvalError> {
        let space = &code.procedures[procedure as usize].space;
        let question = self.memos[procedure as usize].question(space, key.iter().copied());
        let question = question.expect("the question has a variable");
        self.row.clear();
        self.row.extend_from_slice(key);
        self.is_tracing = true;
        self.start(code, procedure, question, variable);
        let answer = self.complete(code);
        self.is_tracing = false;
        answer
    }

    fn complete(&mut self, code: &Code) -> Result<(), EvalError> {
        if let Err(error) = self.run(code) {
            while let Some(top) = self.running.pop() {
                self.spend(&top);
            }
            self.provisional.clear();
            self.frames.clear();
            self.clear_from(0);
            self.values.release();
            if let Some(tracing) = &mut self.tracing {
                tracing.abandon();
            }
            return Err(error);
        }
        Ok(())
    }

    /// Pushes the activation of a question whose key is in `row`.
    #[inline]
    pub(super) fn start(&mut self, code: &Code, procedure: u32, question: u32, variable: u32) {
        let own = &code.procedures[procedure as usize];
        let base = match self.running.last() {
            Some(caller) => caller.base as usize + code.procedures[caller.procedure as usize].registers,
            None => 0,
        };
        if self.registers.len() < base + own.registers {
            self.registers.resize((base + own.registers) * 2, 0);
        }
        self.registers[base..base + self.row.len()].copy_from_slice(&self.row);
        let depth = self.running.len() as u32;
        let (owner, serial) = if self.is_tracing { self.begin_trace(depth, variable) } else { (NONE, 0) };
        let asked = &mut self.memos[procedure as usize].questions[question as usize];
        asked.status = Status::Running;
        asked.waits = depth;
        asked.round = self.round;
        asked.serial = serial;
        if question == 0 {
            self.touched[usize::from(own.level)].push(procedure);
        }
        self.running.push(Activation {
            procedure,
            question,
            rule: 0,
            op: 0,
            base: base as u32,
            frames: self.frames.len() as u32,
            waits: NONE,
            provisional: self.provisional.len() as u32,
            round: self.round,
            answers: self.answers,
            work: self.work,
            variable,
            owner,
        });
    }

    /// Ends the evaluation of the innermost question, or begins its next round.
    #[inline]
    pub(super) fn finish(&mut self, code: &Code) {
        let top = self.running.last_mut().expect("a question runs");
        let (procedure, question, waits) = (top.procedure, top.question, top.waits);
        let depth = self.running.len() as u32 - 1;
        let asked = &mut self.memos[procedure as usize].questions[question as usize];
        if waits < depth {
            let top = self.running.pop().expect("a question runs");
            asked.status = Status::Provisional;
            asked.waits = waits;
            self.provisional.push((procedure, question));
            self.spend(&top);
            let caller = self.running.last_mut().expect("the question waits for another");
            caller.waits = caller.waits.min(waits);
            return;
        }
        let top = self.running.last_mut().expect("a question runs");
        if waits == depth && self.answers != top.answers {
            self.round += 1;
            (top.rule, top.op, top.waits) = (0, 0, NONE);
            (top.round, top.answers) = (self.round, self.answers);
            asked.round = self.round;
            return;
        }
        asked.status = Status::Complete;
        let top = self.running.pop().expect("a question runs");
        self.settle(&top, true);
        self.spend(&top);
        if top.variable != NONE {
            self.end_trace(code, &top);
        }
    }

    /// Ends the evaluation of the innermost question, which has no free arguments, because it holds.
    #[inline]
    pub(super) fn succeed(&mut self, code: &Code) {
        let top = self.running.pop().expect("a question runs");
        let asked = &mut self.memos[top.procedure as usize].questions[top.question as usize];
        asked.status = Status::Complete;
        asked.holds = true;
        self.answers += 1;
        self.effort[top.procedure as usize].1 += 1.0;
        self.drop_frames(top.frames as usize);
        self.settle(&top, false);
        self.spend(&top);
        if top.variable != NONE {
            self.end_trace(code, &top);
        }
    }

    /// Decides the provisional questions that began after `top`. They are complete if `complete` holds and if
    /// the last round evaluated them. Otherwise they are open again.
    #[inline]
    pub(super) fn settle(&mut self, top: &Activation, complete: bool) {
        if self.provisional.len() == top.provisional as usize {
            return;
        }
        for (procedure, question) in self.provisional.drain(top.provisional as usize..) {
            let asked = &mut self.memos[procedure as usize].questions[question as usize];
            if asked.status == Status::Provisional {
                let is_known = complete && asked.round >= top.round;
                asked.status = if is_known { Status::Complete } else { Status::Open };
            }
        }
    }

    #[inline]
    pub(super) fn spend(&mut self, top: &Activation) {
        let effort = &mut self.effort[top.procedure as usize];
        effort.0 += 1.0;
        effort.2 += (self.work - top.work) as f64;
    }
}
