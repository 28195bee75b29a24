//! The compiler: orders the conditions of each rule for each choice of bound arguments, and writes operations.
//!
//! Tests of given relations come as soon as their values are known. A beam search orders the other conditions by
//! their expected cost. [`Measured`] gives the expected sizes.

mod draft;
mod order;

use crate::code::{Code, Mode, Op, Operand, Procedure};
use crate::domains::Domains;
use crate::key::{KeySpace, Numbering};
use crate::measured::Measured;
use crate::refusal::Refusal;
use crate::table::{InputShape, StaticTable};
use draft::Draft;
use ggp_datalog::{Argument, Atom, Literal, Program, RelationId, Rule};
use ggp_game::StopToken;
use ggp_game::lower::{Lowering, MOVE_LEVEL, STATE_LEVEL};
use rustc_hash::FxHashMap;

/// The maximum number of questions that a procedure addresses directly.
const DIRECT_QUESTIONS: usize = 1 << 14;

/// The maximum number of procedures.
const MOST_PROCEDURES: usize = 4000;

/// An input with at most this expected number of tuples is scanned in place of being indexed.
const SCANNED: f64 = 2.5;

/// The place of a relation's tuples.
#[derive(Clone, Copy, Debug)]
enum Source {
    Static(u32),
    Input(u32),
    Derived,
}

/// The relation of a procedure, and the modes of its arguments.
pub(crate) type Shape = (RelationId, Vec<Mode>);

/// The parts of a game that all its compilations share.
pub(crate) struct Rules<'a> {
    pub(crate) lowering: &'a Lowering,
    pub(crate) program: &'a Program,
    pub(crate) domains: &'a Domains,
    /// The relations that the machine fills, in the order of [`Code::inputs`].
    pub(crate) inputs: &'a [RelationId],
}

/// Writes the code of all procedures that some roots need.
pub(crate) struct Compiler<'a> {
    rules: &'a Rules<'a>,
    measured: &'a Measured,
    sources: Vec<Source>,
    rules_of: Vec<Vec<&'a Rule>>,
    numberings: FxHashMap<(RelationId, usize), Option<Numbering>>,
    code: Code,
    known: FxHashMap<(RelationId, Vec<Mode>), u32>,
    open: Vec<(u32, RelationId, Vec<Mode>)>,
    /// The relation and the modes of each procedure.
    shapes: Vec<Shape>,
    /// For each relation, whether it depends on itself.
    is_recursive: Vec<bool>,
    /// The number of beginnings of orders that the search may still try with a wide beam.
    beginnings: usize,
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(
        rules: &'a Rules<'a>,
        ground: Vec<Option<StaticTable>>,
        measured: &'a Measured,
    ) -> Compiler<'a> {
        let count = rules.lowering.signatures.len();
        let mut rules_of: Vec<Vec<&Rule>> = vec![Vec::new(); count];
        for rule in &rules.lowering.rules {
            rules_of[rule.head.relation.index()].push(rule);
        }
        let mut code = Code::default();
        let mut sources = vec![Source::Derived; count];
        for (relation, table) in ground.into_iter().enumerate() {
            if let Some(table) = table {
                sources[relation] = Source::Static(code.statics.len() as u32);
                code.statics.push(table);
            }
        }
        let mut compiler = Compiler {
            rules,
            measured,
            sources,
            rules_of,
            numberings: FxHashMap::default(),
            code,
            known: FxHashMap::default(),
            open: Vec::new(),
            shapes: Vec::new(),
            is_recursive: recursive(rules.program),
            beginnings: order::BEGINNINGS,
        };
        for (at, &input) in rules.inputs.iter().enumerate() {
            let arity = rules.lowering.signatures[input.index()].arity;
            let columns = (0..arity).map(|column| compiler.numbering(input, column)).collect();
            compiler.sources[input.index()] = Source::Input(at as u32);
            compiler.code.inputs.push(InputShape { arity, columns, indexes: Vec::new() });
        }
        compiler
    }

    /// The number of a procedure that gives all tuples of `relation` to a caller who knows the arguments with
    /// the mode [`Mode::Bound`]. Its answers can contain duplicates.
    pub(crate) fn root(&mut self, relation: RelationId, modes: Vec<Mode>) -> u32 {
        let procedure = self.add(relation, modes);
        self.code.procedures[procedure as usize].distinct = false;
        procedure
    }

    /// Compiles all procedures that the roots need. Returns the code, and the relation and the modes of each
    /// procedure.
    pub(crate) fn finish(mut self, stop: &StopToken) -> Result<(Code, Vec<Shape>), Refusal> {
        while let Some((procedure, relation, modes)) = self.open.pop() {
            if self.code.procedures.len() > MOST_PROCEDURES {
                return Err(Refusal::TooMany("questions to its rules".to_owned()));
            }
            let mut rules = Vec::new();
            let mut registers = modes.len() + 1;
            if let Source::Derived = self.sources[relation.index()] {
                for rule in self.rules_of[relation.index()].clone() {
                    if stop.is_stopped() {
                        return Err(Refusal::Interrupted);
                    }
                    let (ops, used) = self.rule(rule, &modes)?;
                    registers = registers.max(used);
                    rules.push(ops);
                }
            } else {
                let args: Vec<Argument> =
                    (0..modes.len() as u32).map(|at| Argument::Variable(ggp_datalog::Variable(at))).collect();
                let atom = Atom { relation, args };
                let body = vec![Literal::Positive(atom.clone())];
                let copy = Rule { head: atom, body, variables: modes.len() as u32, label: 0 };
                let (ops, used) = self.rule(&copy, &modes)?;
                registers = registers.max(used);
                rules.push(ops);
            }
            let calls =
                |ops: &[Op]| ops.iter().filter(|op| matches!(op, Op::Ask { .. } | Op::Each { .. })).count();
            rules.sort_by_key(|ops| calls(ops));
            let own = &mut self.code.procedures[procedure as usize];
            own.rules = rules;
            own.registers = registers;
        }
        Ok((self.code, self.shapes))
    }

    fn add(&mut self, relation: RelationId, modes: Vec<Mode>) -> u32 {
        let procedure = self.code.procedures.len() as u32;
        let mut numberings = Vec::new();
        for column in (0..modes.len()).filter(|&column| modes[column] == Mode::Bound) {
            numberings.push(self.numbering(relation, column));
        }
        let is_bounded = |column: usize| {
            modes[column] == Mode::Ignored || self.rules.domains.of(relation, column).listed().is_some()
        };
        let is_bounded = (0..modes.len()).all(is_bounded);
        let is_traced = is_bounded
            && self.rules.program.level(relation) >= STATE_LEVEL
            && !self.is_recursive[relation.index()];
        let columns: Vec<Option<&Numbering>> = numberings.iter().map(Option::as_ref).collect();
        let width = modes.iter().filter(|&&mode| mode == Mode::Free).count();
        self.code.procedures.push(Procedure {
            rules: Vec::new(),
            space: KeySpace::new(&columns, DIRECT_QUESTIONS),
            width,
            registers: 0,
            level: self.rules.program.level(relation),
            distinct: true,
            is_bounded,
            is_traced,
        });
        self.open.push((procedure, relation, modes.clone()));
        self.shapes.push((relation, modes));
        procedure
    }

    pub(crate) fn procedure(&mut self, relation: RelationId, modes: &[Mode]) -> u32 {
        if let Some(&known) = self.known.get(&(relation, modes.to_vec())) {
            return known;
        }
        let procedure = self.add(relation, modes.to_vec());
        self.known.insert((relation, modes.to_vec()), procedure);
        procedure
    }

    fn numbering(&mut self, relation: RelationId, column: usize) -> Option<Numbering> {
        let domains = self.rules.domains;
        let make = || {
            let domain = domains.of(relation, column).listed()?;
            Some(Numbering::of(&domain.iter().collect::<Vec<u32>>()))
        };
        self.numberings.entry((relation, column)).or_insert_with(make).clone()
    }

    /// The operations of `rule` for callers with `modes`, and the number of registers that they use.
    fn rule(&mut self, rule: &Rule, modes: &[Mode]) -> Result<(Box<[Op]>, usize), Refusal> {
        let bound_count = modes.iter().filter(|&&mode| mode == Mode::Bound).count();
        let mut draft = Draft {
            rule,
            bound: vec![None; rule.variables as usize],
            done: vec![false; rule.body.len()],
            wanted: vec![false; rule.variables as usize],
            ops: Vec::new(),
            registers: bound_count,
            loops: 0,
            bound_in: vec![0; rule.variables as usize],
        };
        let mut register = 0;
        for (&argument, &mode) in rule.head.args.iter().zip(modes) {
            match (mode, argument) {
                (Mode::Free, Argument::Variable(variable)) => draft.wanted[variable.index()] = true,
                (Mode::Bound, argument) => {
                    let own = Operand::register(register);
                    match (argument, draft.operand(argument)) {
                        (Argument::Variable(variable), None) => {
                            draft.bound[variable.index()] = Some(register as u32);
                        }
                        (_, Some(other)) => {
                            draft.ops.push(Op::Compare { a: own, b: other, equal: true });
                        }
                        (Argument::Value(_), None) => unreachable!("a value is an operand"),
                    }
                    register += 1;
                }
                _ => {}
            }
        }
        for next in self.order(&draft) {
            self.place_tests(&mut draft);
            let is_atom = matches!(rule.body[next], Literal::Positive(_) | Literal::Negative(_));
            if draft.done[next] || !is_atom {
                continue;
            }
            draft.done[next] = true;
            let (Literal::Positive(atom) | Literal::Negative(atom)) = &rule.body[next] else {
                unreachable!("only atoms are ordered")
            };
            self.place(&mut draft, atom, matches!(rule.body[next], Literal::Positive(_)));
        }
        self.place_tests(&mut draft);
        let free = || rule.head.args.iter().zip(modes).filter(|(_, mode)| **mode == Mode::Free);
        let row: Option<Box<[Operand]>> = free().map(|(&argument, _)| draft.operand(argument)).collect();
        let name = || self.rules.lowering.signatures[rule.head.relation.index()].name.clone();
        let (Some(row), true) = (row, draft.done.iter().all(|&done| done)) else {
            return Err(Refusal::Unordered(name()));
        };
        let resume = free().filter_map(|(argument, _)| argument.variable());
        let resume = resume.map(|variable| draft.bound_in[variable.index()]).max().unwrap_or(0);
        draft.ops.push(Op::Answer { row, resume });
        Ok((draft.ops.into(), draft.registers))
    }

    /// Adds the operations for all conditions that need no loop and no procedure.
    fn place_tests(&mut self, draft: &mut Draft<'_>) {
        loop {
            let before = draft.ops.len();
            for at in 0..draft.rule.body.len() {
                if draft.done[at] {
                    continue;
                }
                match &draft.rule.body[at] {
                    Literal::Distinct(a, b) => {
                        let (Some(a), Some(b)) = (draft.operand(*a), draft.operand(*b)) else { continue };
                        draft.ops.push(Op::Compare { a, b, equal: false });
                    }
                    Literal::Compose { term, functor, args } => {
                        let operands: Option<Box<[Operand]>> =
                            args.iter().map(|&argument| draft.operand(argument)).collect();
                        match (draft.operand(*term), operands, term) {
                            (Some(whole), _, _) => {
                                draft.done[at] = true;
                                let columns: Vec<usize> = (0..args.len()).collect();
                                let outputs = draft.outputs(args, &columns);
                                draft.ops.push(Op::Take { term: whole, functor: *functor, outputs });
                            }
                            (None, Some(operands), Argument::Variable(variable)) => {
                                let register = draft.bind(variable.index());
                                draft.ops.push(Op::Make { functor: *functor, args: operands, register });
                            }
                            _ => continue,
                        }
                    }
                    Literal::Positive(atom) | Literal::Negative(atom) => {
                        let is_derived = matches!(self.sources[atom.relation.index()], Source::Derived);
                        let all: Option<Vec<Operand>> =
                            atom.args.iter().map(|&argument| draft.operand(argument)).collect();
                        if is_derived || all.is_none() {
                            continue;
                        }
                        draft.done[at] = true;
                        self.place(draft, atom, matches!(draft.rule.body[at], Literal::Positive(_)));
                    }
                }
                draft.done[at] = true;
            }
            if draft.ops.len() == before {
                return;
            }
        }
    }

    /// Adds the operation for `atom`, whose literal is marked as done.
    fn place(&mut self, draft: &mut Draft<'_>, atom: &Atom, holds: bool) {
        let modes = draft.modes(atom, usize::MAX);
        let bound: Vec<usize> = (0..modes.len()).filter(|&c| modes[c] == Mode::Bound).collect();
        let free: Vec<usize> = (0..modes.len()).filter(|&c| modes[c] == Mode::Free).collect();
        let key: Box<[Operand]> =
            bound.iter().map(|&c| draft.operand(atom.args[c]).expect("it is bound")).collect();
        match self.sources[atom.relation.index()] {
            Source::Static(table) => {
                let index = self.code.statics[table as usize].index(&bound) as u32;
                if free.is_empty() {
                    draft.ops.push(Op::StaticTest { table, index, key, holds });
                    return;
                }
                let (outputs, once) = draft.begin_loop(&atom.args, &free);
                draft.ops.push(Op::StaticLoop { table, index, key, outputs, once });
            }
            Source::Input(table) => {
                let expected = self.measured.input(table as usize, 0, |_| false);
                let level = self.rules.program.level(atom.relation);
                if holds && (expected < SCANNED || level == MOVE_LEVEL) {
                    let used: Vec<usize> = (0..modes.len()).filter(|&c| modes[c] != Mode::Ignored).collect();
                    let (outputs, once) = draft.begin_loop(&atom.args, &used);
                    draft.ops.push(Op::InputScan { table, outputs, once });
                    return;
                }
                let index = self.code.inputs[table as usize].index(&bound) as u32;
                if free.is_empty() {
                    draft.ops.push(Op::InputTest { table, index, key, holds });
                    return;
                }
                let (outputs, once) = draft.begin_loop(&atom.args, &free);
                draft.ops.push(Op::InputLoop { table, index, key, outputs, once });
            }
            Source::Derived => {
                let procedure = self.procedure(atom.relation, &modes);
                if free.is_empty() {
                    draft.ops.push(Op::Ask { procedure, key, holds });
                    return;
                }
                draft.loops += 1;
                let numbers: Vec<Argument> = free.iter().map(|&c| atom.args[c]).collect();
                let columns: Vec<usize> = (0..numbers.len()).collect();
                let outputs = draft.outputs(&numbers, &columns);
                draft.ops.push(Op::Each { procedure, key, outputs });
            }
        }
    }
}

/// For each relation, whether it depends on itself.
fn recursive(program: &Program) -> Vec<bool> {
    let mut is_recursive = vec![false; program.signatures().len()];
    for stratum in program.strata().iter().filter(|stratum| stratum.recursive) {
        stratum.relations.iter().for_each(|relation| is_recursive[relation.index()] = true);
    }
    is_recursive
}
