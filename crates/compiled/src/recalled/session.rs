//! The steps of a machine that recalls: loading a state, answering questions about it, advancing to the next state.

use super::{NEXT, Recalled};
use crate::compiled::Compiled;
use crate::engine::{Engine, Tracing};
use crate::key::NONE;
use crate::recall::UNKNOWN;
use ggp_game::{EvalError, Goals};

/// The maximum size of the recalled sets in words, and the maximum number of questions.
const MOST_SET_WORDS: usize = 1 << 22;
const MOST_QUESTIONS: usize = 1 << 19;

/// A machine's parts for an evaluation with recall.
pub(crate) struct Session<'a> {
    pub(crate) compiled: &'a Compiled,
    pub(crate) engine: &'a mut Engine,
    pub(crate) own: &'a mut Recalled,
}

impl Session<'_> {
    fn tracing(&mut self) -> &mut Tracing {
        self.engine.tracing.as_mut().expect("the machine recalls")
    }

    /// The value of a question's variable.
    #[inline]
    fn answer(&mut self, variable: u32, procedure: u32, key: &[u32]) -> Result<u32, EvalError> {
        let recall = &mut self.engine.tracing.as_mut().expect("the machine recalls").recall;
        if recall.values[variable as usize] != UNKNOWN || recall.walk(variable) {
            return Ok(recall.values[variable as usize]);
        }
        self.fill_inputs();
        self.engine.evaluate(&self.compiled.code, procedure, variable, key)?;
        Ok(self.tracing().recall.values[variable as usize])
    }

    /// The inputs of the engine hold something else.
    pub(crate) fn spoil(&mut self) {
        self.own.is_stale = (true, true);
    }

    /// Fills the inputs of the engine with the present state and moves.
    #[cold]
    fn fill_inputs(&mut self) {
        let Session { compiled, engine, own } = self;
        let (state, moves) = own.is_stale;
        let first = compiled.first_move_input;
        if state {
            engine.clear_from(1);
            engine.make_room();
            engine.inputs[..first].iter_mut().for_each(crate::table::InputTable::clear);
        } else if moves {
            engine.clear_from(2);
        }
        let tracing = engine.tracing.as_ref().expect("the machine recalls");
        let (layout, fluents) = (&tracing.sources.layout, &compiled.fluents);
        let args = &mut own.scratch;
        if state {
            for (family, group) in layout.groups.iter().enumerate() {
                let Some(input) = compiled.fluent_inputs[family] else { continue };
                let input = &mut engine.inputs[input as usize];
                for variable in group.first..group.first + group.count {
                    let value = tracing.recall.values[variable as usize];
                    if value == 0 {
                        continue;
                    }
                    let base = layout.base(fluents, variable);
                    for rest in own.values[family].get(value) {
                        args.clear();
                        fluents.decode(base + rest, args);
                        input.rows.extend_from_slice(args);
                        input.variables.push(variable);
                        input.len += 1;
                    }
                }
            }
        }
        if moves || state {
            engine.inputs[first..].iter_mut().for_each(crate::table::InputTable::clear);
            for (role, &term) in compiled.roles.iter().enumerate() {
                if let Some((input, args)) = tracing.moves.present(role)
                    && let Some(input) = engine.inputs.get_mut(input as usize)
                {
                    input.rows.push(term);
                    input.rows.extend_from_slice(args);
                    input.variables.push(role as u32);
                    input.len += 1;
                }
            }
        }
        let facts: usize = engine.inputs.iter().map(|input| input.len).sum();
        engine.tracing.as_mut().expect("the machine recalls").recall.effort += 4 * facts as u64;
        own.is_stale = (false, false);
    }

    /// Whether the memory for recalling has grown too large.
    pub(crate) fn is_full(&mut self) -> bool {
        let words: usize = self.own.values.iter().map(|sets| sets.rows().len() + sets.len()).sum();
        let tracing = self.tracing();
        let more: usize = tracing.sets.iter().map(|sets| sets.rows().len() + sets.len()).sum();
        words + more > MOST_SET_WORDS
            || tracing.recall.has_many_reads()
            || tracing.recall.values.len() > MOST_QUESTIONS
    }

    /// Makes the state with these codes the present one.
    pub(crate) fn load(&mut self, state: &[u32]) {
        let Session { compiled, engine, own } = self;
        let tracing = engine.tracing.as_mut().expect("the machine recalls");
        let layout = &tracing.sources.layout;
        own.pairs.clear();
        own.pairs.extend(state.iter().map(|&code| layout.locate(&compiled.fluents, code)));
        own.pairs.sort_unstable();
        let mut rest = &*own.pairs;
        let mut variable = 0;
        let recall = &mut tracing.recall;
        while let Some(&(next, _)) = rest.first() {
            (variable..next).for_each(|variable| recall.set(variable, 0));
            let count = rest.iter().take_while(|pair| pair.0 == next).count();
            own.scratch.clear();
            own.scratch.extend(rest[..count].iter().map(|pair| pair.1));
            recall.set(next, own.values[layout.family(next)].number(&own.scratch));
            rest = &rest[count..];
            variable = next + 1;
        }
        (variable..layout.variables as u32).for_each(|variable| recall.set(variable, 0));
        recall.changed();
        own.different = None;
        own.is_stale.0 = true;
    }

    /// Whether the present state is terminal.
    pub(crate) fn is_terminal(&mut self) -> Result<bool, EvalError> {
        let (Some(variable), Some(procedure)) = (self.own.terminal, self.compiled.terminal) else {
            return Ok(false);
        };
        Ok(self.answer(variable, procedure, &[])? == 1)
    }

    /// The goals of a role in the present state.
    pub(crate) fn goals(
        &mut self,
        role: usize,
        goals: impl Fn(&Engine, &[u32]) -> Goals,
    ) -> Result<Goals, EvalError> {
        let (Some(variable), Some(procedure)) = (self.own.goals[role], self.compiled.goal) else {
            return Ok(Goals::None);
        };
        let value = self.answer(variable, procedure, &[self.compiled.roles[role]])? as usize;
        if self.own.goal_values.len() <= value {
            self.own.goal_values.resize(value + 1, None);
        }
        if let Some(known) = self.own.goal_values[value] {
            return Ok(known);
        }
        let rows = self.tracing().sets[procedure as usize].get(value as u32).to_vec();
        let found = goals(self.engine, &rows);
        self.own.goal_values[value] = Some(found);
        Ok(found)
    }

    /// Brings the legal moves of a role in the present state up to date.
    #[inline]
    pub(crate) fn refresh_legal(&mut self, role: usize) -> Result<(), EvalError> {
        let mut list = std::mem::take(&mut self.tracing().recall.lists[1 + role]);
        for &variable in &list {
            let (at, value, procedure) = self.ask(variable)?;
            let own = &mut *self.own;
            let part = &mut own.parts[at];
            if part.answer == value {
                continue;
            }
            let before = std::mem::replace(&mut part.answer, value);
            let legal = &mut own.legal[role];
            if self.compiled.code.procedures[procedure].width == 0 {
                legal.put(part.target, value == 1);
                continue;
            }
            let base = part.target;
            while own.codes[procedure].len() <= value as usize {
                let number = own.codes[procedure].len() as u32;
                let tracing = self.engine.tracing.as_ref().expect("the machine recalls");
                let columns = &self.compiled.moves.families[part.family as usize].columns;
                let columns = &columns[part.key.len() - 1..];
                let rows = tracing.sets[procedure].get(number).chunks_exact(columns.len());
                let code = |row: &[u32]| -> u32 {
                    let digits = columns.iter().zip(row);
                    digits.map(|(c, &value)| c.numbering.numbers[value as usize] * c.stride).sum()
                };
                own.codes[procedure].push(rows.map(code).collect());
            }
            for code in &own.codes[procedure][before as usize] {
                legal.put(base + code, false);
            }
            for code in &own.codes[procedure][value as usize] {
                legal.put(base + code, true);
            }
        }
        list.clear();
        self.tracing().recall.lists[1 + role] = list;
        Ok(())
    }

    /// The part of a question, the question's answer, and the part's procedure.
    #[inline]
    fn ask(&mut self, variable: u32) -> Result<(usize, u32, usize), EvalError> {
        let Session { engine, own, .. } = self;
        let recall = &mut engine.tracing.as_mut().expect("the machine recalls").recall;
        let at = own.parts_of[variable as usize - recall.first()] as usize;
        let procedure = own.parts[at].procedure;
        if recall.values[variable as usize] == UNKNOWN && !recall.walk(variable) {
            let key = own.parts[at].key.clone();
            let value = self.answer(variable, procedure, &key)?;
            return Ok((at, value, procedure as usize));
        }
        Ok((at, recall.values[variable as usize], procedure as usize))
    }

    /// Sets the moves of the roles.
    #[inline]
    pub(crate) fn set_moves(&mut self, moves: impl Iterator<Item = u32>) {
        let Session { compiled, engine, own } = self;
        let tracing = &mut **engine.tracing.as_mut().expect("the machine recalls");
        for (role, mv) in moves.enumerate() {
            let mut number = own.made[role][mv as usize];
            if number == NONE {
                own.scratch.clear();
                let family = compiled.moves.decode(mv, &mut own.scratch);
                let input = compiled.move_inputs[family].unwrap_or(NONE);
                number = tracing.moves.add(role, input, &own.scratch);
                own.made[role][mv as usize] = number;
            }
            tracing.moves.set(&mut tracing.recall, role, number);
        }
        tracing.recall.changed();
        own.is_stale.1 = true;
    }

    /// Computes the next values of all variables after the present moves.
    #[inline]
    pub(crate) fn find_next(&mut self) -> Result<(), EvalError> {
        let mut list = std::mem::take(&mut self.tracing().recall.lists[NEXT as usize]);
        for &variable in &list {
            let (at, value, procedure) = self.ask(variable)?;
            let own = &mut *self.own;
            let part = &own.parts[at];
            let known = &mut own.next_values[procedure];
            while known.len() <= value as usize {
                let number = known.len() as u32;
                let tracing = self.engine.tracing.as_ref().expect("the machine recalls");
                let group = &tracing.sources.layout.groups[part.family as usize];
                let columns = &self.compiled.fluents.families[part.family as usize].columns;
                let mut rests: Vec<u32> = Vec::new();
                if group.rest.is_empty() {
                    rests.push(0);
                } else {
                    for row in tracing.sets[procedure].get(number).chunks_exact(group.rest.len()) {
                        let digits = group.rest.iter().zip(row);
                        let digit = |(&column, &value): (&usize, &u32)| {
                            columns[column].numbering.numbers[value as usize] * columns[column].stride
                        };
                        rests.push(digits.map(digit).sum());
                    }
                }
                rests.sort_unstable();
                known.push(own.values[part.family as usize].number(&rests));
            }
            own.next[part.target as usize] = known[value as usize];
            if let Some(different) = &mut own.different {
                different.push(part.target);
            }
        }
        list.clear();
        self.tracing().recall.lists[NEXT as usize] = list;
        Ok(())
    }

    /// Makes the next state the present one.
    #[inline]
    pub(crate) fn advance(&mut self) {
        let Session { engine, own, .. } = self;
        let recall = &mut engine.tracing.as_mut().expect("the machine recalls").recall;
        if let Some(different) = &mut own.different {
            for variable in different.drain(..) {
                recall.set(variable, own.next[variable as usize]);
            }
        } else {
            for (variable, &value) in own.next.iter().enumerate() {
                recall.set(variable as u32, value);
            }
            own.different = Some(Vec::new());
        }
        recall.changed();
        own.is_stale.0 = true;
    }

    /// The sorted codes of the next state.
    pub(crate) fn next_codes(&mut self, codes: &mut Vec<u32>) {
        let tracing = self.engine.tracing.as_ref().expect("the machine recalls");
        let (layout, fluents) = (&tracing.sources.layout, &self.compiled.fluents);
        codes.clear();
        for (family, group) in layout.groups.iter().enumerate() {
            for variable in group.first..group.first + group.count {
                let value = self.own.next[variable as usize];
                if value != 0 {
                    let base = layout.base(fluents, variable);
                    codes.extend(self.own.values[family].get(value).iter().map(|rest| base + rest));
                }
            }
        }
        codes.sort_unstable();
    }
}
