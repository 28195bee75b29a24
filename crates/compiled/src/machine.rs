//! The state machine on compiled code.

use crate::code::Mode;
use crate::compiled::{Asked, Compiled};
use crate::engine::Engine;
use crate::ground::term;
use crate::key::NONE;
use crate::layout::Layout;
use crate::measured::Measured;
use crate::recalled::{Recalled, Session};
use crate::texts::Texts;
use ggp_datalog::{RelationId, Value};
use ggp_game::{
    EvalError, Fact, Game, Goal, Goals, Hints, MAX_TEXT, Move, Role, StateMachine, StopToken, canonical_term,
    too_much_text,
};
use std::sync::Arc;

/// A state of a [`CompiledMachine`]: the set of the fluents that are true, as sorted codes. Valid in every machine
/// of the same game that comes from the same build.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CodeSet(Arc<[u32]>);

impl CodeSet {
    pub(crate) fn codes(&self) -> &[u32] {
        &self.0
    }
}

/// A [`StateMachine`] that evaluates compiled rules.
#[derive(Clone, Debug)]
pub struct CompiledMachine {
    compiled: Arc<Compiled>,
    engine: Engine,
    texts: Arc<Texts>,
    initial: Option<CodeSet>,
    /// The state in the inputs.
    loaded: Option<CodeSet>,
    /// The memory for recalling, and the state that is its present one.
    recalled: Option<Box<Recalled>>,
    present: Option<CodeSet>,
    /// The effort at which a trial playout is cut off.
    most_effort: u64,
    codes: Vec<u32>,
    args: Vec<u32>,
    key: Vec<u32>,
}

impl CompiledMachine {
    /// The number of procedures into which the rules are compiled, and the number of their operations.
    pub fn code_size(&self) -> (usize, usize) {
        let procedures = &self.compiled.code.procedures;
        let operations = procedures.iter().flat_map(|procedure| &procedure.rules).map(|ops| ops.len());
        (procedures.len(), operations.sum())
    }

    pub(crate) fn of(compiled: Arc<Compiled>, engine: Engine) -> CompiledMachine {
        CompiledMachine {
            texts: Arc::new(Texts::new(compiled.moves.size as usize)),
            compiled,
            engine,
            initial: None,
            loaded: None,
            recalled: None,
            present: None,
            most_effort: u64::MAX,
            codes: Vec::new(),
            args: Vec::new(),
            key: Vec::new(),
        }
    }

    pub(crate) fn compiled(&self) -> &Arc<Compiled> {
        &self.compiled
    }

    pub(crate) fn game_of(&self) -> Arc<Game> {
        Arc::clone(&self.compiled.game)
    }

    /// Prepares the machine for recalling, if the game allows it.
    pub(crate) fn start_recall(&mut self, layout: &Layout, next: &[Asked], legal: &[(Asked, usize)]) {
        let recalled = Recalled::new(&self.compiled, &mut self.engine, layout, (next, legal));
        self.recalled = recalled.map(Box::new);
    }

    /// The time spent so far, in units of about five nanoseconds.
    pub(crate) fn effort_spent(&self) -> u64 {
        match &self.engine.tracing {
            Some(tracing) => tracing.recall.effort + tracing.recall.walk_effort + 4 * self.engine.work,
            None => 2 * self.engine.work,
        }
    }

    /// The part of the effort for the recall of known answers.
    pub(crate) fn walk_effort(&self) -> u64 {
        self.engine.tracing.as_ref().map_or(0, |tracing| tracing.recall.walk_effort)
    }

    /// Cuts playouts with recalled answers off when the effort has reached `most`.
    pub(crate) fn limit_effort(&mut self, most: u64) {
        self.most_effort = most;
    }

    /// Fails if the machine is interrupted. Recalled answers alone never check it.
    #[inline]
    pub(crate) fn check_interrupt(&self) -> Result<(), EvalError> {
        let flag = self.engine.interrupt.as_ref();
        let is_raised = flag.is_some_and(|flag| flag.load(std::sync::atomic::Ordering::Relaxed));
        if is_raised { Err(EvalError::Interrupted) } else { Ok(()) }
    }

    /// Whether the effort has reached its limit.
    #[inline]
    pub(crate) fn is_spent(&self) -> bool {
        self.most_effort != u64::MAX && self.effort_spent() > self.most_effort
    }

    /// Whether the machine recalls answers from earlier evaluations.
    pub fn recalls(&self) -> bool {
        self.recalled.is_some()
    }

    pub(crate) fn session(&mut self) -> Option<Session<'_>> {
        let CompiledMachine { compiled, engine, recalled, .. } = self;
        Some(Session { compiled, engine, own: recalled.as_mut()? })
    }

    /// Makes `state` the present one of the recalled questions. `None` if the machine does not recall.
    #[inline]
    pub(crate) fn recall(&mut self, state: &CodeSet) -> Option<Session<'_>> {
        self.recalled.as_ref()?;
        if self.loaded.take().is_some() {
            self.session()?.spoil();
        }
        let is_present =
            self.present.as_ref().is_some_and(|own| Arc::ptr_eq(&own.0, &state.0) || own == state);
        if !is_present {
            if self.session()?.is_full() {
                self.end_recall();
                return None;
            }
            self.session()?.load(&state.0);
            self.present = Some(state.clone());
        }
        self.session()
    }

    /// Gives up recalling and frees its memory.
    pub(crate) fn end_recall(&mut self) {
        (self.recalled, self.engine.tracing, self.present) = (None, None, None);
        self.engine.clear_from(0);
    }

    /// The present state is no longer that of the last call of [`CompiledMachine::recall`].
    pub(crate) fn leave(&mut self) {
        self.present = None;
    }

    /// The goals in the answers of the procedure `goal`.
    pub(crate) fn goals_in(engine: &Engine, values: &[u32]) -> Goals {
        let text = |value: u32| engine.values.text(Value::from_index(value as usize));
        Goals::of(values.iter().map(|&value| Goal::from_text(&text(value))))
    }

    pub(crate) fn set_initial(&mut self, initial: CodeSet) {
        self.initial = Some(initial);
    }

    pub(crate) fn limit_work(&mut self, work: u64) {
        self.engine.most_work = work;
    }

    pub(crate) fn work(&self) -> u64 {
        self.engine.work
    }

    pub(crate) fn end_trial(&mut self) {
        self.engine.most_work = u64::MAX;
        self.engine.interrupt = None;
        self.leave();
    }

    /// Records the sizes of the inputs.
    pub(crate) fn observe(&self, measured: &mut Measured) {
        let shapes = &self.compiled.code.inputs;
        for (at, (shape, input)) in shapes.iter().zip(&self.engine.inputs).enumerate() {
            measured.observe(at, shape.arity, &input.rows, input.len);
        }
    }

    /// Records the effort of each procedure. `shapes` gives their relations and modes.
    pub(crate) fn effort(&self, shapes: &[(RelationId, Vec<Mode>)], measured: &mut Measured) {
        for (shape, &(questions, answers, work)) in shapes.iter().zip(&self.engine.effort) {
            let seen = measured.procedures.entry(shape.clone()).or_default();
            if shape.1.contains(&Mode::Free) || questions > 0.0 {
                *seen = (seen.0 + questions, seen.1 + answers, seen.2 + work);
            }
        }
    }

    /// Fills the inputs with `state`.
    #[inline]
    fn load(&mut self, state: &CodeSet) {
        if self.loaded.as_ref().is_some_and(|own| Arc::ptr_eq(&own.0, &state.0) || own == state) {
            return;
        }
        if let Some(mut session) = self.session() {
            session.spoil();
        }
        let CompiledMachine { compiled, engine, args, .. } = self;
        engine.clear_from(1);
        engine.make_room();
        engine.inputs[..compiled.first_move_input].iter_mut().for_each(crate::table::InputTable::clear);
        for &code in &*state.0 {
            args.clear();
            let family = compiled.fluents.decode(code, args);
            if let Some(input) = compiled.fluent_inputs[family] {
                let input = &mut engine.inputs[input as usize];
                input.rows.extend_from_slice(args);
                input.len += 1;
            }
            if let Some(input) = compiled.whole_fluents {
                let functor = compiled.fluents.families[family].functor;
                let arguments: Vec<Value> = args.iter().map(|&a| Value::from_index(a as usize)).collect();
                let whole = engine.values.term(functor, &arguments).index() as u32;
                let input = &mut engine.inputs[input as usize];
                input.rows.push(whole);
                input.len += 1;
            }
        }
        self.loaded = Some(state.clone());
    }

    fn load_joint(&mut self, state: &CodeSet, joint: &[Move]) {
        self.load(state);
        let CompiledMachine { compiled, engine, args, .. } = self;
        engine.clear_from(2);
        engine.inputs[compiled.first_move_input..].iter_mut().for_each(crate::table::InputTable::clear);
        for (&role, mv) in compiled.roles.iter().zip(joint) {
            args.clear();
            args.push(role);
            let family = compiled.moves.decode(mv.0, args);
            if let Some(input) = compiled.move_inputs[family] {
                let input = &mut engine.inputs[input as usize];
                input.rows.extend_from_slice(args);
                input.len += 1;
            }
            if let Some(input) = compiled.whole_moves {
                let functor = compiled.moves.families[family].functor;
                let arguments: Vec<Value> =
                    args[1..].iter().map(|&a| Value::from_index(a as usize)).collect();
                let whole = engine.values.term(functor, &arguments).index() as u32;
                let input = &mut engine.inputs[input as usize];
                input.rows.extend([role, whole]);
                input.len += 1;
            }
        }
    }

    /// Forgets the loaded state after a failed evaluation.
    pub(crate) fn forget<T>(&mut self, answer: Result<T, EvalError>) -> Result<T, EvalError> {
        if answer.is_err() {
            (self.loaded, self.present) = (None, None);
            if let Some(mut session) = self.session() {
                session.spoil();
            }
        }
        answer
    }

    /// Asks all procedures of `which` and collects the sorted codes of the carried terms in `codes`.
    fn collect(&mut self, which: Carried, role: Option<u32>) -> Result<(), EvalError> {
        let CompiledMachine { compiled, engine, codes, key, .. } = self;
        let (asked, encoding) = match which {
            Carried::Next => (&compiled.next, &compiled.fluents),
            Carried::Legal => (&compiled.legal, &compiled.moves),
        };
        codes.clear();
        key.clear();
        key.extend(role);
        for Asked { procedure, family, .. } in asked {
            let Some(question) = engine.ask(&compiled.code, *procedure, key)? else { continue };
            let memo = &engine.memos[*procedure as usize];
            let width = compiled.code.procedures[*procedure as usize].width;
            let question = memo.questions[question as usize];
            if width == 0 {
                if question.holds {
                    codes.extend(family.and_then(|family| encoding.code(family, &[])));
                }
                continue;
            }
            let mut answer = question.first;
            while answer != NONE {
                let row = &memo.answers[answer as usize * width..][..width];
                let code = match family {
                    Some(family) => encoding.code(*family, row),
                    None => encoding.code_of(Value::from_index(row[0] as usize), &engine.values),
                };
                let unknown = || EvalError::TooLarge("a term outside its computed bounds".to_owned());
                codes.push(code.ok_or_else(unknown)?);
                answer = memo.next[answer as usize];
            }
        }
        codes.sort_unstable();
        codes.dedup();
        Ok(())
    }
}

/// The size of the texts of some facts after a text of `len` bytes joins those of `bytes` bytes.
///
/// # Errors
/// When it exceeds [`MAX_TEXT`].
fn more_text(bytes: usize, len: usize) -> Result<usize, EvalError> {
    let all = bytes + len;
    if all > MAX_TEXT { Err(too_much_text("facts", MAX_TEXT)) } else { Ok(all) }
}

/// A kind of carried terms.
#[derive(Clone, Copy)]
enum Carried {
    Next,
    Legal,
}

impl StateMachine for CompiledMachine {
    type State = CodeSet;

    fn game(&self) -> &Arc<Game> {
        &self.compiled.game
    }

    fn name(&self) -> &'static str {
        "compiled"
    }

    fn initial_state(&mut self) -> Result<CodeSet, EvalError> {
        Ok(self.initial.clone().expect("the build sets it"))
    }

    fn is_terminal(&mut self, state: &CodeSet) -> Result<bool, EvalError> {
        if let Some(mut session) = self.recall(state) {
            let answer = session.is_terminal();
            return self.forget(answer);
        }
        self.load(state);
        let Some(terminal) = self.compiled.terminal else { return Ok(false) };
        let answer = self.engine.ask(&self.compiled.code, terminal, &[]);
        let question = self.forget(answer)?;
        let holds = |question: u32| self.engine.memos[terminal as usize].questions[question as usize].holds;
        Ok(question.is_some_and(holds))
    }

    fn legal_moves(&mut self, state: &CodeSet, role: Role, out: &mut Vec<Move>) -> Result<(), EvalError> {
        out.clear();
        if let Some(mut session) = self.recall(state) {
            let answer = session.refresh_legal(role.index());
            if answer.is_ok() {
                out.extend(session.own.legal[role.index()].iter().map(Move));
            }
            return self.forget(answer);
        }
        self.load(state);
        let role = self.compiled.roles[role.index()];
        let answer = self.collect(Carried::Legal, Some(role));
        self.forget(answer)?;
        out.extend(self.codes.iter().map(|&code| Move(code)));
        if !self.compiled.moves.is_ordered {
            out.sort_by_cached_key(|mv| self.compiled.moves.text(mv.0, &self.engine.values));
        }
        Ok(())
    }

    fn next_state(&mut self, state: &CodeSet, joint: &[Move]) -> Result<CodeSet, EvalError> {
        let mut codes = std::mem::take(&mut self.codes);
        if let Some(mut session) = self.recall(state) {
            session.set_moves(joint.iter().map(|mv| mv.0));
            let answer = session.find_next();
            session.next_codes(&mut codes);
            let next = CodeSet(codes.as_slice().into());
            self.codes = codes;
            return self.forget(answer.map(|()| next));
        }
        self.codes = codes;
        self.load_joint(state, joint);
        let answer = self.collect(Carried::Next, None);
        self.forget(answer)?;
        Ok(CodeSet(self.codes.as_slice().into()))
    }

    fn goals(&mut self, state: &CodeSet, out: &mut [Goals]) -> Result<(), EvalError> {
        if let Some(mut session) = self.recall(state) {
            let answer = out.iter_mut().enumerate().try_for_each(|(role, goals)| {
                *goals = session.goals(role, CompiledMachine::goals_in)?;
                Ok(())
            });
            return self.forget(answer);
        }
        self.load(state);
        out.fill(Goals::None);
        let Some(goal) = self.compiled.goal else { return Ok(()) };
        for (at, goals) in out.iter_mut().enumerate() {
            let role = self.compiled.roles[at];
            let answer = self.engine.ask(&self.compiled.code, goal, &[role]);
            let Some(question) = self.forget(answer)? else { continue };
            let memo = &self.engine.memos[goal as usize];
            let mut found = Vec::new();
            let mut answer = memo.questions[question as usize].first;
            while answer != NONE {
                found.push(memo.answers[answer as usize]);
                answer = memo.next[answer as usize];
            }
            found.sort_unstable();
            found.dedup();
            *goals = CompiledMachine::goals_in(&self.engine, &found);
        }
        Ok(())
    }

    fn facts(&mut self, state: &CodeSet, out: &mut Vec<Fact>) -> Result<(), EvalError> {
        out.clear();
        let mut bytes = 0;
        for &code in &*state.0 {
            let text = self.compiled.fluents.text(code, &self.engine.values);
            bytes = more_text(bytes, text.len())?;
            out.push(Fact::from_canonical(text));
        }
        out.sort_unstable();
        Ok(())
    }

    fn state_of(&mut self, facts: &[Fact]) -> Result<CodeSet, EvalError> {
        let mut codes = Vec::with_capacity(facts.len());
        self.loaded = None;
        for fact in facts {
            let value = term(fact.as_str(), &mut self.engine.values);
            let code = value.and_then(|value| {
                self.compiled.fluents.code_of(Value::from_index(value as usize), &self.engine.values)
            });
            codes.push(code.ok_or_else(|| EvalError::UnknownFact(fact.as_str().to_owned()))?);
        }
        codes.sort_unstable();
        codes.dedup();
        Ok(CodeSet(codes.into()))
    }

    fn percepts(
        &mut self,
        state: &CodeSet,
        joint: &[Move],
        role: Role,
        out: &mut Vec<Fact>,
    ) -> Result<(), EvalError> {
        out.clear();
        self.load_joint(state, joint);
        let compiled = Arc::clone(&self.compiled);
        let mut bytes = 0;
        for Asked { procedure, functor, .. } in &compiled.sees {
            let answer = self.engine.ask(&compiled.code, *procedure, &[compiled.roles[role.index()]]);
            let Some(question) = self.forget(answer)? else { continue };
            let width = compiled.code.procedures[*procedure as usize].width;
            let question = self.engine.memos[*procedure as usize].questions[question as usize];
            let mut rows: Vec<Vec<Value>> = Vec::new();
            if width == 0 && question.holds {
                rows.push(Vec::new());
            }
            let memo = &self.engine.memos[*procedure as usize];
            let mut answer = question.first;
            while answer != NONE {
                let row = &memo.answers[answer as usize * width..][..width];
                rows.push(row.iter().map(|&value| Value::from_index(value as usize)).collect());
                answer = memo.next[answer as usize];
            }
            for row in rows {
                let percept = match functor {
                    Some(functor) => self.engine.values.term(*functor, &row),
                    None => row[0],
                };
                bytes = more_text(bytes, self.engine.values.text_len(percept) as usize)?;
                out.push(Fact::from_canonical(self.engine.values.text(percept)));
            }
        }
        out.sort_unstable();
        out.dedup();
        Ok(())
    }

    fn heap_bytes(&self, state: &CodeSet) -> usize {
        2 * size_of::<usize>() + size_of_val(&*state.0)
    }

    fn move_text(&self, mv: Move) -> &str {
        self.texts.get(mv.index(), || self.compiled.moves.text(mv.0, &self.engine.values))
    }

    fn parse_move(&mut self, text: &str) -> Option<Move> {
        let text = canonical_term(text)?;
        let value = term(&text, &mut self.engine.values).map(|value| Value::from_index(value as usize));
        let exact = value.and_then(|value| self.compiled.moves.code_of(value, &self.engine.values));
        exact.or_else(|| self.compiled.moves.folded(&text, &self.engine.values)).map(Move)
    }

    fn interrupt_on(&mut self, stop: &StopToken) {
        self.engine.interrupt = Some(stop.flag());
    }
}

impl Hints for CompiledMachine {}
