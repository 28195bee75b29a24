//! The evaluation of compiled code: top-down, with a memo for each procedure.
//!
//! A procedure that is asked a new question runs all its rules and stores the answers in its memo; the caller
//! then loops over them. A procedure without free arguments ends at its first answer. An explicit stack holds
//! the running questions, so deep recursion needs no deep call stack.
//!
//! A question can depend on itself. A running question that is asked again gives the answers found so far. The
//! outermost question of such a circle, its leader, is repeated until no new answer appears (linear tabling,
//! Zhou & Sato 2003). Until then, the other questions of the circle are provisional, and each round evaluates
//! them again. Stratification ensures that a negated question is never part of the circle of its caller.

mod questions;
mod trace;

use crate::code::{Code, Op, Operand, Output};
use crate::key::NONE;
use crate::memo::{Memo, Status};
use crate::table::InputTable;
use ggp_datalog::{Limits, Value, Values};
use ggp_game::EvalError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
pub(crate) use trace::{Sources, Tracing};

/// The number of rows and questions between two checks of the interrupt flag and of the bounds.
const CHECKED: u64 = 1 << 13;

/// The maximum size of all memos and recalled questions together, in words.
const MOST_WORDS: usize = 100_000_000;

/// The size of a recalled question in words, without its tree and its reads.
const RECALLED_WORDS: usize = 20;

/// The size of the memos of static relations, in words, above which they are emptied between two evaluations, and
/// the number of temporary terms above which they are.
const CROWDED_WORDS: usize = 6_000_000;
const CROWDED_TERMS: usize = 400_000;

/// The values of a key.
type SmallKey = Vec<u32>;

/// A running question.
#[derive(Clone, Copy, Debug)]
struct Activation {
    procedure: u32,
    question: u32,
    rule: u32,
    op: u32,
    /// The first register.
    base: u32,
    /// The number of frames below this activation's frames.
    frames: u32,
    /// The smallest depth of a running question on which the answers so far depend, or [`NONE`].
    waits: u32,
    /// The number of provisional questions when the evaluation began.
    provisional: u32,
    /// The round in which the evaluation began last, and the number of answers in all memos then.
    round: u32,
    answers: u64,
    /// The work before the evaluation.
    work: u64,
    /// The question's variable, or [`NONE`] if it is not traced, and the depth of the innermost traced question.
    variable: u32,
    owner: u32,
}

/// A running loop.
#[derive(Clone, Copy, Debug)]
struct Frame {
    op: u32,
    cursor: u32,
    end: u32,
    /// The loop's range of the pending variables, and the first one that it has not read.
    pending: u32,
    open: u32,
    last: u32,
}

impl Frame {
    fn new(op: usize, cursor: u32, end: u32, pending: u32) -> Frame {
        Frame { op: op as u32, cursor, end, pending, open: pending, last: pending }
    }
}

/// The memory of an evaluation.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    pub(crate) values: Values,
    pub(crate) inputs: Vec<InputTable>,
    pub(crate) memos: Vec<Memo>,
    /// For each level, the procedures whose memos are not empty.
    touched: [Vec<u32>; 3],
    /// For each procedure: questions evaluated, answers and work, since the engine was made.
    pub(crate) effort: Vec<(f64, f64, f64)>,
    registers: Vec<u32>,
    frames: Vec<Frame>,
    running: Vec<Activation>,
    provisional: Vec<(u32, u32)>,
    scratch: Vec<Value>,
    row: Vec<u32>,
    round: u32,
    answers: u64,
    pub(crate) work: u64,
    /// The work at which an evaluation fails.
    pub(crate) most_work: u64,
    /// The bounds on terms.
    limits: Limits,
    permanent: usize,
    pub(crate) interrupt: Option<Arc<AtomicBool>>,
    /// The memory for traced evaluations, and whether the present evaluation is traced.
    pub(crate) tracing: Option<Box<Tracing>>,
    is_tracing: bool,
}

#[inline(always)]
fn read(outputs: &[Output], row: &[u32], registers: &mut [u32]) -> bool {
    for output in outputs {
        match *output {
            Output::Bind(column, register) => registers[register as usize] = row[column as usize],
            Output::Check(column, operand) => {
                if row[column as usize] != operand.get(registers) {
                    return false;
                }
            }
        }
    }
    true
}

/// Checks the bounds of `limits` on terms after `term` has been made. The text of a term can double in length with each
/// level of nesting, so that few terms have a text that fits no memory.
#[inline]
fn check_term(term: Value, values: &Values, limits: &Limits) -> Result<(), EvalError> {
    let is_within = values.len() <= limits.terms
        && values.depth(term) <= limits.depth
        && values.text_len(term) <= limits.text;
    if is_within { Ok(()) } else { Err(term_error(term, values, limits)) }
}

/// The error of [`check_term`]: the bound that `term` exceeds.
#[cold]
fn term_error(term: Value, values: &Values, limits: &Limits) -> EvalError {
    let Limits { terms, depth, text, .. } = limits;
    EvalError::TooLarge(if values.len() > *terms {
        format!("an evaluation makes more than {terms} different terms")
    } else if values.depth(term) > *depth {
        format!("an evaluation nests terms more than {depth} deep")
    } else {
        format!("an evaluation makes terms that are longer than {text} bytes")
    })
}

impl Engine {
    /// An engine for `code`, whose terms are in `values`. `limits` gives the bounds on terms.
    pub(crate) fn new(code: &Code, mut values: Values, limits: &Limits) -> Engine {
        values.keep(0);
        Engine {
            permanent: values.len(),
            values,
            inputs: vec![InputTable::default(); code.inputs.len()],
            memos: vec![Memo::default(); code.procedures.len()],
            touched: Default::default(),
            effort: vec![(0.0, 0.0, 0.0); code.procedures.len()],
            registers: Vec::new(),
            frames: Vec::new(),
            running: Vec::new(),
            provisional: Vec::new(),
            scratch: Vec::new(),
            row: Vec::new(),
            round: 0,
            answers: 0,
            work: 0,
            most_work: u64::MAX,
            limits: limits.clone(),
            interrupt: None,
            tracing: None,
            is_tracing: false,
        }
    }

    /// Forgets all answers that depend on an input of `level` or above.
    pub(crate) fn clear_from(&mut self, level: usize) {
        for level in level..3 {
            for procedure in self.touched[level].drain(..) {
                self.memos[procedure as usize].clear();
            }
        }
    }

    /// Frees the memory of static answers and temporary terms if they take too much. No answer may be in use.
    pub(crate) fn make_room(&mut self) {
        let words: usize = self.touched[0].iter().map(|&p| self.memos[p as usize].words()).sum();
        if words > CROWDED_WORDS || self.values.len() > self.permanent + CROWDED_TERMS {
            self.clear_from(0);
            self.values.release();
        }
    }

    /// Checks the interrupt flag and the bounds.
    #[cold]
    fn check(&self) -> Result<(), EvalError> {
        if self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(EvalError::Interrupted);
        }
        if self.work > self.most_work {
            return Err(EvalError::TooLarge("an evaluation takes too many steps".to_owned()));
        }
        let recalled = self.tracing.as_ref().map_or(0, |tracing| tracing.recall.values.len());
        let words = self.memos.iter().map(Memo::words).sum::<usize>() + recalled * RECALLED_WORDS;
        if words + self.running.len() * 16 + self.registers.len() > MOST_WORDS {
            return Err(EvalError::TooLarge("an evaluation makes too many facts".to_owned()));
        }
        Ok(())
    }

    /// Runs until no question is running.
    fn run(&mut self, code: &Code) -> Result<(), EvalError> {
        'activation: loop {
            let Some(&top) = self.running.last() else { return Ok(()) };
            let depth = self.running.len() as u32 - 1;
            let procedure = &code.procedures[top.procedure as usize];
            let base = top.base as usize;
            let (mut rule, mut at) = (top.rule as usize, top.op as usize);
            'rule: loop {
                let Some(ops) = procedure.rules.get(rule) else {
                    self.finish(code);
                    continue 'activation;
                };
                'op: loop {
                    let pending = if self.is_tracing { self.pending() } else { 0 };
                    let registers = &mut self.registers[base..];
                    // 1. Forward: a test holds or fails; a loop pushes a frame.
                    let holds = match &ops[at] {
                        Op::Compare { a, b, equal } => (a.get(registers) == b.get(registers)) == *equal,
                        Op::StaticTest { table, index, key, holds } => {
                            let table = &code.statics[*table as usize];
                            let key = key.iter().map(|operand| operand.get(registers));
                            let (start, end) = table.indexes[*index as usize].find(table.arity, key);
                            (start < end) == *holds
                        }
                        Op::InputTest { table, index, key, holds } => {
                            let shape = &code.inputs[*table as usize];
                            let key = key.iter().map(|operand| operand.get(registers));
                            let first = self.inputs[*table as usize].find(shape, *index as usize, key);
                            let is_true = (first != NONE) == *holds;
                            if self.is_tracing {
                                let Op::InputTest { key, .. } = &ops[at] else {
                                    unreachable!("it is a test")
                                };
                                self.note_test(code, base, *table, *index, key);
                            }
                            is_true
                        }
                        Op::StaticLoop { table, index, key, .. } => {
                            let table = &code.statics[*table as usize];
                            let key = key.iter().map(|operand| operand.get(registers));
                            let (cursor, end) = table.indexes[*index as usize].find(table.arity, key);
                            self.frames.push(Frame::new(at, cursor, end, pending));
                            false
                        }
                        Op::InputLoop { table, index, key, .. } => {
                            let shape = &code.inputs[*table as usize];
                            let key = key.iter().map(|operand| operand.get(registers));
                            let cursor = self.inputs[*table as usize].find(shape, *index as usize, key);
                            self.frames.push(Frame::new(at, cursor, 0, pending));
                            if self.is_tracing {
                                self.note_loop(code, base, &ops[at]);
                            }
                            false
                        }
                        Op::InputScan { table, .. } => {
                            let end = self.inputs[*table as usize].len as u32;
                            self.frames.push(Frame::new(at, 0, end, pending));
                            if self.is_tracing {
                                self.note_loop(code, base, &ops[at]);
                            }
                            false
                        }
                        Op::Take { term, functor, outputs } => {
                            let term = Value::from_index(term.get(registers) as usize);
                            self.values.functor(term) == *functor && {
                                self.row.clear();
                                let arguments = self.values.arguments(term);
                                self.row.extend(arguments.iter().map(|argument| argument.index() as u32));
                                read(outputs, &self.row, registers)
                            }
                        }
                        Op::Make { functor, args, register } => {
                            self.scratch.clear();
                            let value =
                                |operand: &Operand| Value::from_index(operand.get(registers) as usize);
                            self.scratch.extend(args.iter().map(value));
                            let term = self.values.term(*functor, &self.scratch);
                            check_term(term, &self.values, &self.limits)?;
                            registers[*register as usize] = term.index() as u32;
                            true
                        }
                        Op::Ask { procedure: asked, key, .. } | Op::Each { procedure: asked, key, .. }
                            if self.is_tracing && code.procedures[*asked as usize].is_traced =>
                        {
                            let values: SmallKey = key.iter().map(|operand| operand.get(registers)).collect();
                            let known = self.recalled(code, *asked, values.iter().copied());
                            if let Some(Err(variable)) = known {
                                self.work += 1;
                                if self.work.is_multiple_of(CHECKED) {
                                    self.check()?;
                                }
                                let space = &code.procedures[*asked as usize].space;
                                let memo = &mut self.memos[*asked as usize];
                                let question = memo.question(space, values.iter().copied());
                                self.row.clear();
                                self.row.extend_from_slice(&values);
                                let own = &mut self.running[depth as usize];
                                (own.rule, own.op) = (rule as u32, at as u32);
                                let question = question.expect("the question has a variable");
                                self.start(code, *asked, question, variable);
                                continue 'activation;
                            }
                            let value = known.map_or(0, |value| value.unwrap_or(0));
                            if let Op::Ask { holds, .. } = &ops[at] {
                                (value == 1) == *holds
                            } else {
                                let tracing = self.tracing.as_ref().expect("it traces");
                                let (cursor, end) = tracing.sets[*asked as usize].span(value);
                                self.frames.push(Frame::new(at, cursor, end, pending));
                                false
                            }
                        }
                        Op::Ask { procedure: asked, key, .. } | Op::Each { procedure: asked, key, .. } => {
                            let space = &code.procedures[*asked as usize].space;
                            let memo = &mut self.memos[*asked as usize];
                            let values = key.iter().map(|operand| operand.get(registers));
                            let question = memo.question(space, values.clone());
                            let mut noted = None;
                            if let Some(question) = question {
                                let known = memo.questions[question as usize];
                                let is_used = match known.status {
                                    Status::Complete => {
                                        if self.is_tracing && code.procedures[*asked as usize].level > 0 {
                                            noted = Some(known.serial);
                                        }
                                        true
                                    }
                                    Status::Running => {
                                        let own = &mut self.running[depth as usize];
                                        own.waits = own.waits.min(known.waits);
                                        true
                                    }
                                    Status::Provisional if known.round >= self.round => {
                                        let own = &mut self.running[depth as usize];
                                        own.waits = own.waits.min(known.waits);
                                        true
                                    }
                                    Status::Provisional | Status::Open => false,
                                };
                                if !is_used {
                                    self.row.clear();
                                    self.row.extend(values);
                                    self.work += 1;
                                    if self.work.is_multiple_of(CHECKED) {
                                        self.check()?;
                                    }
                                    let own = &mut self.running[depth as usize];
                                    (own.rule, own.op) = (rule as u32, at as u32);
                                    self.start(code, *asked, question, NONE);
                                    continue 'activation;
                                }
                            }
                            if let Some(serial) = noted {
                                self.note_answer(serial);
                            }
                            let memo = &self.memos[*asked as usize];
                            if let Op::Ask { holds, .. } = &ops[at] {
                                let is_true = question.is_some_and(|q| memo.questions[q as usize].holds);
                                is_true == *holds
                            } else {
                                let (cursor, end) =
                                    question.map_or((NONE, NONE), |question| memo.span(question));
                                self.frames.push(Frame::new(at, cursor, end, pending));
                                false
                            }
                        }
                        Op::Answer { row, resume } => {
                            if procedure.width == 0 {
                                self.succeed(code);
                                continue 'activation;
                            }
                            self.row.clear();
                            self.row.extend(row.iter().map(|operand| operand.get(registers)));
                            let memo = &mut self.memos[top.procedure as usize];
                            if memo.answer(top.question, &self.row, procedure.distinct) {
                                self.answers += 1;
                                self.effort[top.procedure as usize].1 += 1.0;
                            }
                            self.drop_frames((top.frames + resume) as usize);
                            false
                        }
                    };
                    if holds {
                        at += 1;
                        continue 'op;
                    }
                    // 2. Back: the next row of the innermost loop.
                    loop {
                        if self.frames.len() == top.frames as usize {
                            (rule, at) = (rule + 1, 0);
                            continue 'rule;
                        }
                        self.work += 1;
                        if self.work.is_multiple_of(CHECKED) {
                            self.check()?;
                        }
                        if self.is_tracing {
                            self.note_step(ops);
                        }
                        let registers = &mut self.registers[base..];
                        let frame = self.frames.last_mut().expect("a loop runs");
                        let op = frame.op as usize;
                        let fits = match &ops[op] {
                            Op::StaticLoop { table, index, outputs, once, .. }
                                if frame.cursor < frame.end =>
                            {
                                let table = &code.statics[*table as usize];
                                let first = frame.cursor as usize * table.arity;
                                let row = &table.indexes[*index as usize].rows[first..first + table.arity];
                                frame.cursor += 1;
                                let fits = read(outputs, row, registers);
                                if fits && *once {
                                    frame.cursor = frame.end;
                                }
                                fits
                            }
                            Op::InputScan { table, outputs, once } if frame.cursor < frame.end => {
                                let arity = code.inputs[*table as usize].arity;
                                let first = frame.cursor as usize * arity;
                                let row = &self.inputs[*table as usize].rows[first..first + arity];
                                frame.cursor += 1;
                                let fits = read(outputs, row, registers);
                                if fits && *once {
                                    frame.cursor = frame.end;
                                    frame.open = frame.last;
                                }
                                fits
                            }
                            Op::InputLoop { table, index, outputs, once, .. } if frame.cursor != NONE => {
                                let arity = code.inputs[*table as usize].arity;
                                let input = &self.inputs[*table as usize];
                                let first = frame.cursor as usize * arity;
                                let row = &input.rows[first..first + arity];
                                frame.cursor = input.next(*index as usize, frame.cursor);
                                let fits = read(outputs, row, registers);
                                if fits && *once {
                                    frame.cursor = NONE;
                                    frame.open = frame.last;
                                }
                                fits
                            }
                            Op::Each { procedure: asked, outputs, .. }
                                if self.is_tracing && code.procedures[*asked as usize].is_traced =>
                            {
                                if frame.cursor == frame.end {
                                    self.frames.pop();
                                    continue;
                                }
                                let width = code.procedures[*asked as usize].width;
                                let sets = &self.tracing.as_ref().expect("it traces").sets[*asked as usize];
                                let row = &sets.rows()[frame.cursor as usize..][..width];
                                frame.cursor += width as u32;
                                read(outputs, row, registers)
                            }
                            Op::Each { procedure: asked, outputs, .. } if frame.cursor != NONE => {
                                let memo = &self.memos[*asked as usize];
                                let width = code.procedures[*asked as usize].width;
                                let first = frame.cursor as usize * width;
                                let row = &memo.answers[first..first + width];
                                frame.cursor = if frame.cursor == frame.end {
                                    NONE
                                } else {
                                    memo.next[frame.cursor as usize]
                                };
                                read(outputs, row, registers)
                            }
                            _ => {
                                self.drop_frames(self.frames.len() - 1);
                                continue;
                            }
                        };
                        if fits {
                            at = op + 1;
                            continue 'op;
                        }
                    }
                }
            }
        }
    }
}
