//! The reads of running questions, for [`Recall`].
//!
//! A traced question is one of a procedure that depends on the state, is not recursive, and has bounded arguments.
//! The reads of other questions count as those of the innermost traced question that runs.

use super::{Activation, Engine, Frame};
use crate::code::{Code, Op, Operand, Output};
use crate::encoding::Encoding;
use crate::key::NONE;
use crate::layout::{Layout, Place};
use crate::memo::Memo;
use crate::moves::MoveVariables;
use crate::recall::{LONGEST, Recall, UNKNOWN};
use crate::sets::Sets;
use std::sync::Arc;

/// The variables behind the inputs.
#[derive(Debug)]
pub(crate) struct Sources {
    pub(crate) fluents: Encoding,
    pub(crate) layout: Layout,
    /// For each input of fluents, the family of its fluents. `None` if no fluent can occur in it.
    pub(crate) families: Vec<Option<usize>>,
    /// For each input of fluents and each of its indexes, the place of the variable that a key names.
    pub(crate) places: Vec<Vec<Option<Place>>>,
    /// The terms of the roles.
    pub(crate) roles: Vec<u32>,
}

/// The reads of a running question.
#[derive(Clone, Default, Debug)]
struct Trace {
    reads: Vec<u32>,
    /// Whether an answer was used whose reads are not known.
    is_partial: bool,
    serial: u32,
    /// The variable of the question.
    variable: u32,
}

/// The memory for traced evaluations.
#[derive(Clone, Debug)]
pub(crate) struct Tracing {
    pub(crate) sources: Arc<Sources>,
    pub(crate) recall: Recall,
    pub(crate) moves: MoveVariables,
    /// For each procedure, the numbers of its questions, which are never forgotten, and the variables of these.
    names: Vec<Memo>,
    variables: Vec<Vec<u32>>,
    /// For each procedure, the sets of answers to its questions.
    pub(crate) sets: Vec<Sets>,
    /// For each running question, by depth.
    traces: Vec<Trace>,
    serial: u32,
    /// The variables that running loops will read, if they get so far.
    pending: Vec<u32>,
    scratch: Vec<u32>,
}

impl Tracing {
    pub(crate) fn new(sources: Arc<Sources>, procedures: usize, lists: usize) -> Tracing {
        Tracing {
            recall: Recall::new(sources.layout.variables, lists),
            moves: MoveVariables::new(sources.roles.len()),
            sources,
            names: vec![Memo::default(); procedures],
            variables: vec![Vec::new(); procedures],
            sets: vec![Sets::default(); procedures],
            traces: Vec::new(),
            serial: 0,
            pending: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// The variable of a question. `None` if a value of the key cannot occur, so that there is no answer.
    pub(crate) fn variable(
        &mut self,
        code: &Code,
        procedure: u32,
        key: impl ExactSizeIterator<Item = u32> + Clone,
    ) -> Option<u32> {
        let space = &code.procedures[procedure as usize].space;
        let number = self.names[procedure as usize].question(space, key)? as usize;
        let own = &mut self.variables[procedure as usize];
        if number == own.len() {
            own.push(self.recall.add());
        }
        Some(own[number])
    }

    /// Forgets the evaluation that has failed.
    pub(super) fn abandon(&mut self) {
        self.pending.clear();
        self.recall.forget_all();
    }

    fn log(&mut self, owner: u32, variable: u32) {
        let trace = &mut self.traces[owner as usize];
        // Without a tree, the order of the reads does not matter, and a read may count twice.
        let is_known = if trace.reads.len() <= LONGEST {
            trace.reads.contains(&variable)
        } else {
            trace.reads.last() == Some(&variable)
        };
        if !is_known {
            trace.reads.push(variable);
        }
    }

    /// Appends the variables that hold the tuples of an input with a key of the index `index` to `pending`.
    fn find_key(&mut self, code: &Code, owner: u32, table: u32, index: u32, key: impl Fn(usize) -> u32) {
        let place =
            self.sources.places.get(table as usize).and_then(|places| places[index as usize].as_ref());
        if let Some(place) = place {
            self.pending.extend(place.variable(key));
            return;
        }
        let shape = &code.inputs[table as usize];
        let columns = &shape.indexes[index as usize].0;
        let known = |column: usize| Some(key(columns.iter().position(|&own| own == column)?));
        self.find(owner, table, shape.arity, known);
    }

    /// Appends the variables that hold the tuples of an input with the `known` values to `pending`.
    fn find(&mut self, owner: u32, table: u32, arity: usize, known: impl Fn(usize) -> Option<u32>) {
        let Sources { fluents, layout, families, roles, .. } = &*self.sources;
        match families.get(table as usize) {
            Some(Some(family)) => layout.variables(fluents, *family, known, &mut self.pending),
            Some(None) => {}
            None => {
                let question = self.traces[owner as usize].variable;
                let is_whole = self.recall.reads_moves(question);
                if !is_whole && arity > 1 && (1..arity).all(|column| known(column).is_none()) {
                    self.recall.read_moves(question);
                }
                let own = known(0);
                for (role, &term) in roles.iter().enumerate() {
                    if own.is_none_or(|own| own == term) {
                        if is_whole {
                            let whole =
                                self.moves.variable(&mut self.recall, NONE, role as u32, &[].into_iter());
                            self.pending.push(whole);
                            continue;
                        }
                        let key = (1..arity).map(|column| known(column).unwrap_or(NONE));
                        let variable = self.moves.variable(&mut self.recall, table, role as u32, &key);
                        self.pending.push(variable);
                    }
                }
            }
        }
    }
}

impl Engine {
    fn owner(&self) -> u32 {
        self.running.last().map_or(NONE, |top| top.owner)
    }

    /// The answer to a question of a traced procedure, as a value of its variable. `Err` with the variable if the
    /// question must be evaluated; `None` if there is no answer.
    pub(super) fn recalled(
        &mut self,
        code: &Code,
        procedure: u32,
        key: impl ExactSizeIterator<Item = u32> + Clone,
    ) -> Option<Result<u32, u32>> {
        let owner = self.owner();
        let tracing = self.tracing.as_mut().expect("it traces");
        let variable = tracing.variable(code, procedure, key)?;
        tracing.log(owner, variable);
        if tracing.recall.values[variable as usize] == UNKNOWN && !tracing.recall.walk(variable) {
            return Some(Err(variable));
        }
        Some(Ok(tracing.recall.values[variable as usize]))
    }

    /// Notes the test of an input.
    #[cold]
    pub(super) fn note_test(&mut self, code: &Code, base: usize, table: u32, index: u32, key: &[Operand]) {
        let owner = self.owner();
        let registers = &self.registers[base..];
        let tracing = self.tracing.as_mut().expect("it traces");
        let start = tracing.pending.len();
        tracing.find_key(code, owner, table, index, |position| key[position].get(registers));
        for at in start..tracing.pending.len() {
            tracing.log(owner, tracing.pending[at]);
        }
        tracing.pending.truncate(start);
    }

    /// Notes the begin of the innermost loop, over an input.
    #[cold]
    pub(super) fn note_loop(&mut self, code: &Code, base: usize, op: &Op) {
        let owner = self.owner();
        let registers = &self.registers[base..];
        let tracing = self.tracing.as_mut().expect("it traces");
        let start = tracing.pending.len();
        match op {
            Op::InputLoop { table, index, key, .. } => {
                tracing.find_key(code, owner, *table, *index, |position| key[position].get(registers));
                // The tuples with one key are chained in the opposite order.
                tracing.pending[start..].reverse();
            }
            Op::InputScan { table, outputs, .. } => {
                let own = |operand: Operand| {
                    outputs.iter().any(|output| match *output {
                        Output::Bind(_, register) => Operand::register(register as usize) == operand,
                        Output::Check(..) => false,
                    })
                };
                let known = |column: usize| {
                    outputs.iter().find_map(|output| match *output {
                        Output::Check(at, operand) if at as usize == column && !own(operand) => {
                            Some(operand.get(registers))
                        }
                        _ => None,
                    })
                };
                tracing.find(owner, *table, code.inputs[*table as usize].arity, known);
            }
            _ => {}
        }
        let end = tracing.pending.len() as u32;
        let frame = self.frames.last_mut().expect("a loop runs");
        (frame.pending, frame.open, frame.last) = (start as u32, start as u32, end);
    }

    /// Notes what the innermost loop reads to find its next row.
    #[cold]
    pub(super) fn note_step(&mut self, ops: &[Op]) {
        let frame = self.frames.last().expect("a loop runs");
        match ops[frame.op as usize] {
            Op::InputScan { table, .. } => {
                let row = (frame.cursor < frame.end).then_some(frame.cursor);
                self.note_row(table, true, row);
            }
            Op::InputLoop { table, .. } => {
                let row = (frame.cursor != NONE).then_some(frame.cursor);
                self.note_row(table, false, row);
            }
            _ => {}
        }
    }

    /// Notes that the innermost loop reads its variables up to that of `row`, or all if `row` is `None`.
    fn note_row(&mut self, table: u32, is_ascending: bool, row: Option<u32>) {
        let owner = self.owner();
        let row = row.map(|row| self.inputs[table as usize].variables[row as usize]);
        let tracing = self.tracing.as_mut().expect("it traces");
        let is_move = table as usize >= tracing.sources.families.len();
        let frame = self.frames.last_mut().expect("a loop runs");
        while frame.open < frame.last {
            let variable = tracing.pending[frame.open as usize];
            let place = if is_move { tracing.moves.role(variable) } else { variable };
            if row.is_some_and(|row| if is_ascending { place > row } else { place < row }) {
                break;
            }
            tracing.log(owner, variable);
            frame.open += 1;
        }
    }

    /// Drops the frames from `count` on.
    #[inline(always)]
    pub(super) fn drop_frames(&mut self, count: usize) {
        if self.is_tracing {
            self.release(count);
        }
        self.frames.truncate(count);
    }

    #[cold]
    fn release(&mut self, count: usize) {
        let tracing = self.tracing.as_mut().expect("it traces");
        if let Some(Frame { pending, .. }) = self.frames.get(count) {
            tracing.pending.truncate(*pending as usize);
        }
    }

    /// The end of the variables that the running loops will read.
    pub(super) fn pending(&self) -> u32 {
        self.tracing.as_ref().map_or(0, |tracing| tracing.pending.len() as u32)
    }

    /// Notes the use of a known answer to a question that is not traced, of a procedure that depends on the state.
    #[cold]
    pub(super) fn note_answer(&mut self, serial: u32) {
        let owner = self.owner();
        let trace = &mut self.tracing.as_mut().expect("it traces").traces[owner as usize];
        trace.is_partial |= trace.serial != serial;
    }

    /// Begins the trace of the question that starts at `depth`, or continues that of its caller. Returns the depth of
    /// the traced question and its serial number.
    pub(super) fn begin_trace(&mut self, depth: u32, variable: u32) -> (u32, u32) {
        let is_traced = variable != NONE;
        let owner = if is_traced { depth } else { self.owner() };
        let tracing = self.tracing.as_mut().expect("it traces");
        if tracing.traces.len() <= depth as usize {
            tracing.traces.resize_with(depth as usize + 1, Trace::default);
        }
        if is_traced {
            tracing.serial = tracing.serial.wrapping_add(1);
            let trace = &mut tracing.traces[depth as usize];
            trace.reads.clear();
            trace.is_partial = false;
            trace.serial = tracing.serial;
            trace.variable = variable;
        }
        (owner, tracing.traces[owner as usize].serial)
    }

    /// Stores the answers of a traced question that has ended and is no longer running.
    pub(super) fn end_trace(&mut self, code: &Code, ended: &Activation) {
        let procedure = ended.procedure as usize;
        let memo = &self.memos[procedure];
        let question = &memo.questions[ended.question as usize];
        let width = code.procedures[procedure].width;
        let tracing = self.tracing.as_mut().expect("it traces");
        let value = if width == 0 {
            u32::from(question.holds)
        } else {
            let mut rows: Vec<&[u32]> = Vec::new();
            let mut answer = question.first;
            while answer != NONE {
                rows.push(&memo.answers[answer as usize * width..][..width]);
                answer = memo.next[answer as usize];
            }
            rows.sort_unstable();
            rows.dedup();
            tracing.scratch.clear();
            for row in rows {
                tracing.scratch.extend_from_slice(row);
            }
            tracing.sets[procedure].number(&tracing.scratch)
        };
        let trace = &tracing.traces[ended.owner as usize];
        let reads = (!trace.is_partial).then_some(&*trace.reads);
        tracing.recall.learn(ended.variable, value, reads);
    }
}
