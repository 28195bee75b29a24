//! The construction of a compiled game: domains, codes, and two compilations. Trial playouts on the code of the
//! first compilation measure the sizes by which the second one orders the conditions of the rules.

use crate::code::Mode;
use crate::compiled::{Asked, Compiled};
use crate::domains::Domains;
use crate::encoding::Encoding;
use crate::engine::Engine;
use crate::ground::{Ground, term};
use crate::layout::Layout;
use crate::machine::CompiledMachine;
use crate::measured::Measured;
use crate::plan::{Compiler, Rules};
use crate::recalled::{MOST_PARTS, grouping};
use crate::refusal::Refusal;
use ggp_datalog::{EvalError as DatalogError, Functor, Limits, Program, RelationId};
use ggp_game::lower::{Carrier, Form, Lowering};
use ggp_game::rng::Stream;
use ggp_game::{EvalError, Fact, Game, Goals, Interpreter, Move, StateMachine, StopToken};
use std::sync::Arc;

/// The work of the trial playouts of each compilation, and the most steps of such a playout.
const TRIAL_WORK: u64 = 400_000;
const TRIAL_STEPS: u32 = 300;
const TRIAL_PLAYOUTS: u64 = 12;

/// A trial playout evaluates the goals in every state whose number is a multiple of this.
const GOALS_EVERY: u32 = 16;

/// The maximum number of states from trial playouts by which fluents are grouped to variables, and the number of
/// their fluents above which no state is added.
const SAMPLES: usize = 1000;
const SAMPLED_FLUENTS: usize = 1 << 18;

/// The most effort of the trial playouts with recalled answers, and the number of steps after which the effort is
/// compared with that of the steps before.
const RECALL_EFFORT: u64 = 50_000_000;
const RECALL_STEPS: f64 = 4_000.0;

/// The share of the effort before that counts as falling, and the multiple of the effort without recalled answers
/// that is not expected to fall enough.
const FALLING: f64 = 0.93;
const HOPELESS: f64 = 12.0;

/// The number of compilations. Each is measured, and the fastest is kept.
const COMPILATIONS: usize = 3;

impl CompiledMachine {
    /// Compiles the rules of `game`. The build usually takes less than a second, and several seconds if the trial
    /// playouts need many steps to measure the machine. `stop` interrupts it.
    ///
    /// # Errors
    /// The reason why the game cannot be compiled.
    pub fn new(game: &Arc<Game>, stop: &StopToken) -> Result<CompiledMachine, Refusal> {
        compile(game, Strategy::Measured, stop)
    }

    /// The same as [`CompiledMachine::new`] with a given strategy. [`CompiledMachine::recalls`] tells whether the
    /// machine recalls answers.
    ///
    /// # Errors
    /// The reason why the game cannot be compiled.
    pub fn with_strategy(
        game: &Arc<Game>,
        strategy: Strategy,
        stop: &StopToken,
    ) -> Result<CompiledMachine, Refusal> {
        compile(game, strategy, stop)
    }
}

/// The way in which a machine evaluates its rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Strategy {
    /// The way that trial playouts find the fastest.
    #[default]
    Measured,
    /// Each state is evaluated by itself.
    Plain,
    /// Answers are recalled from earlier evaluations, where the game allows it.
    Recalling,
}

fn compile(game: &Arc<Game>, strategy: Strategy, stop: &StopToken) -> Result<CompiledMachine, Refusal> {
    let description = game.description();
    let lowering = Lowering::stratified(description);
    let unordered = |_| Refusal::Unordered("a relation".to_owned());
    let program = Program::new(lowering.signatures.clone(), lowering.rules.clone()).map_err(unordered)?;
    let mut values = lowering.values.clone();
    let limits = Limits { interrupt: Some(stop.flag()), ..game.limits().clone() };
    let ground = Ground::new(&lowering, &program, &mut values, &limits).map_err(|error| match error {
        DatalogError::Interrupted => Refusal::Interrupted,
        other => Refusal::Trial(game.eval_error(&other)),
    })?;
    let domains = Domains::new(&lowering, &ground, &mut values, stop)?;
    let given = |carriers: &[Carrier], what| Encoding::new(&lowering, carriers, &domains, &values, what);
    let fluents = given(&[Carrier::Init, Carrier::Next], "fluents")?;
    let moves = given(&[Carrier::Legal], "moves")?;
    let name = |relation| lowering.relation(description, relation, if relation == "goal" { 2 } else { 0 });
    let (terminal, goal) = (name("terminal"), name("goal"));
    let mut inputs: Vec<RelationId> =
        lowering.forms(Carrier::True).iter().map(|form| form.relation).collect();
    let first_move_input = inputs.len();
    inputs.extend(lowering.forms(Carrier::Does).iter().map(|form| form.relation));
    let rules = Rules { lowering: &lowering, program: &program, domains: &domains, inputs: &inputs };
    let mut roles = Vec::new();
    for role in game.roles() {
        let known = term(game.role_name(role), &mut values);
        roles.push(known.ok_or_else(|| Refusal::Unordered("role".to_owned()))?);
    }
    let tables = ground.into_tables();
    let initial = initial_facts(game, stop)?;
    let mut measured = Measured::default();
    for (at, input) in inputs.iter().enumerate().skip(first_move_input) {
        let arity = lowering.signatures[input.index()].arity;
        measured.observe(at, arity, &vec![0; arity], 1);
    }
    let mut best: Option<(CompiledMachine, f64)> = None;
    let mut failed = None;
    let mut samples = Vec::new();
    let mut layout = None;
    for number in 0..COMPILATIONS {
        let mut compiler = Compiler::new(&rules, tables.clone(), &measured);
        let roots = Roots::new(&mut compiler, &lowering, terminal, goal, (&fluents, &moves));
        let parts = layout.as_ref().map(|layout| {
            let most = if number % 2 == 1 { MOST_PARTS } else { 1 };
            roots.parts(&mut compiler, &lowering, layout, (&moves, most))
        });
        let (code, shapes) = compiler.finish(stop)?;
        let input_of = |carrier, encoding: &Encoding, first: usize| -> (Vec<Option<u32>>, Option<u32>) {
            let forms = lowering.forms(carrier);
            let find = |functor: Option<Functor>| {
                forms.iter().position(|form| form.functor == functor).map(|at| (first + at) as u32)
            };
            (encoding.families.iter().map(|family| find(Some(family.functor))).collect(), find(None))
        };
        let (fluent_inputs, whole_fluents) = input_of(Carrier::True, &fluents, 0);
        let (move_inputs, whole_moves) = input_of(Carrier::Does, &moves, first_move_input);
        let engine = Engine::new(&code, values.clone(), game.limits());
        let compiled = Compiled {
            game: Arc::clone(game),
            code,
            fluents: fluents.clone(),
            moves: moves.clone(),
            fluent_inputs,
            whole_fluents,
            move_inputs,
            whole_moves,
            first_move_input,
            roles: roles.clone(),
            terminal: roots.terminal,
            goal: roots.goal,
            next: roots.next,
            legal: roots.legal,
            sees: roots.sees,
        };
        let mut machine = CompiledMachine::of(Arc::new(compiled), engine);
        machine.interrupt_on(stop);
        let start = machine.state_of(&initial).map_err(Refusal::Trial)?;
        machine.set_initial(start);
        let trial = trial(&mut machine, &mut measured, (number == 0).then_some(&mut samples));
        let failure = match trial.failure {
            Some(EvalError::Interrupted) => return Err(Refusal::Interrupted),
            failure => failure,
        };
        machine.effort(&shapes, &mut measured);
        if number == 0 {
            layout = Layout::new(&fluents, &samples);
            if layout.is_some() && failure.is_none() {
                continue;
            }
        }
        if let Some(error) = failure {
            failed = Some(error);
            continue;
        }
        let facts = samples.iter().map(Vec::len).sum::<usize>() as f64 / samples.len().max(1) as f64;
        let plain = machine.effort_spent() as f64 / f64::from(trial.steps).max(1.0) + 10.0 * facts;
        let mut candidates = Vec::new();
        if let (Some(layout), Some((next, legal))) = (&layout, &parts) {
            let mut recalling = machine.clone();
            recalling.start_recall(layout, next, legal);
            if recalling.recalls() {
                match recall_trial(&mut recalling, plain) {
                    Ok(cost) => candidates.push((recalling, cost)),
                    Err(EvalError::Interrupted) => return Err(Refusal::Interrupted),
                    Err(_) => {}
                }
            }
        }
        candidates.push((machine, plain));
        for (machine, mut cost) in candidates {
            let is_wanted = match strategy {
                Strategy::Measured => true,
                Strategy::Plain => !machine.recalls(),
                Strategy::Recalling => machine.recalls(),
            };
            if !is_wanted {
                cost = f64::MAX;
            }
            if best.as_ref().is_none_or(|(_, least)| cost < *least) {
                best = Some((machine, cost));
            }
        }
    }
    match (best, failed) {
        (Some((mut machine, _)), _) => {
            machine.end_trial();
            Ok(machine)
        }
        (None, Some(error)) => Err(Refusal::Trial(error)),
        (None, None) => unreachable!("there is a compilation"),
    }
}

/// Plays playouts with recalled answers until the effort for each step no longer falls. Returns that effort, or
/// infinity if it stays above `plain`, the effort without recalled answers.
fn recall_trial(machine: &mut CompiledMachine, plain: f64) -> Result<f64, EvalError> {
    machine.limit_work(machine.work() + RECALL_EFFORT);
    let start = machine.initial_state()?;
    let roles = machine.game().role_count();
    let (mut joint, mut goals) = (vec![Move(0); roles], vec![Goals::None; roles]);
    let (mut number, mut last) = (0, f64::MAX);
    let end = machine.effort_spent() + RECALL_EFFORT;
    loop {
        let (begin, recalled) = (machine.effort_spent(), machine.walk_effort());
        let mut steps = 0.0;
        while machine.effort_spent() <= begin + RECALL_EFFORT / 16 && steps < RECALL_STEPS {
            machine.limit_effort(begin + RECALL_EFFORT / 4);
            let stream = Stream::new(7, number);
            if machine.recall(&start).is_none() {
                return Ok(f64::INFINITY);
            }
            let played = machine.play(stream, TRIAL_STEPS, (&mut joint, None), &mut goals);
            let Some((made, _)) = machine.forget(played)? else { return Ok(f64::INFINITY) };
            steps += f64::from(made) + 1.0;
            number += 1;
        }
        machine.limit_effort(u64::MAX);
        let effort = (machine.effort_spent() - begin) as f64 / steps;
        let least = (machine.walk_effort() - recalled) as f64 / steps;
        if effort >= FALLING * last || machine.effort_spent() > end {
            return Ok(effort.min(last));
        }
        if least > plain || (number > 20 && effort > HOPELESS * plain) {
            return Ok(f64::INFINITY);
        }
        last = effort;
    }
}

fn initial_facts(game: &Arc<Game>, stop: &StopToken) -> Result<Vec<Fact>, Refusal> {
    let mut interpreter = Interpreter::new(game);
    interpreter.interrupt_on(stop);
    let facts = interpreter.initial_state().and_then(|state| interpreter.facts_of(&state));
    facts.map_err(|error| match error {
        EvalError::Interrupted => Refusal::Interrupted,
        other => Refusal::Trial(other),
    })
}

/// The result of a trial.
struct Trial {
    /// The number of states that were evaluated.
    steps: u32,
    failure: Option<EvalError>,
}

/// Plays playouts until they have taken [`TRIAL_WORK`] rows. A state may take more, up to the tenfold.
fn trial(
    machine: &mut CompiledMachine,
    measured: &mut Measured,
    samples: Option<&mut Vec<Vec<u32>>>,
) -> Trial {
    machine.limit_work(10 * TRIAL_WORK);
    let mut steps = 0;
    let failure = playouts(machine, measured, &mut steps, samples).err();
    Trial { steps, failure }
}

fn playouts(
    machine: &mut CompiledMachine,
    measured: &mut Measured,
    steps: &mut u32,
    mut samples: Option<&mut Vec<Vec<u32>>>,
) -> Result<(), EvalError> {
    let game = Arc::clone(machine.game());
    let mut legal: Vec<Move> = Vec::new();
    let mut sampled = 0;
    for number in 0..TRIAL_PLAYOUTS {
        let stream = Stream::new(7, number);
        let mut state = machine.initial_state()?;
        for step in 0..TRIAL_STEPS {
            if machine.work() > TRIAL_WORK && *steps > 0 {
                return Ok(());
            }
            if let Some(samples) = samples.as_mut().filter(|samples| samples.len() < SAMPLES)
                && sampled < SAMPLED_FLUENTS
            {
                sampled += state.codes().len();
                samples.push(state.codes().to_vec());
            }
            let over = machine.is_terminal(&state)?;
            let mut joint = Vec::new();
            for role in game.roles() {
                machine.legal_moves(&state, role, &mut legal)?;
                if !legal.is_empty() {
                    joint.push(legal[stream.below(step, role, legal.len() as u32) as usize]);
                }
            }
            if over || step % GOALS_EVERY == 0 {
                machine.goals_of(&state)?;
            }
            machine.observe(measured);
            *steps += 1;
            if over || joint.len() < game.role_count() {
                break;
            }
            let next = machine.next_state(&state, &joint)?;
            machine.observe(measured);
            state = next;
        }
    }
    Ok(())
}

/// The procedures that a machine asks.
struct Roots {
    terminal: Option<u32>,
    goal: Option<u32>,
    next: Vec<Asked>,
    legal: Vec<Asked>,
    sees: Vec<Asked>,
}

/// The procedures for the next values of variables, and for groups of legal moves, with the number of the moves'
/// bound arguments.
type Parts = (Vec<Asked>, Vec<(Asked, usize)>);

impl Roots {
    fn parts(
        &self,
        compiler: &mut Compiler<'_>,
        lowering: &Lowering,
        layout: &Layout,
        (moves, most): (&Encoding, usize),
    ) -> Parts {
        let relation = |carrier: Carrier, functor: Option<Functor>| {
            let form = lowering.forms(carrier).iter().find(|form| form.defined && form.functor == functor);
            form.expect("the root comes from a form").relation
        };
        let mut next = Vec::new();
        for asked in &self.next {
            let Some(family) = asked.family else { continue };
            let relation = relation(Carrier::Next, asked.functor);
            let mut modes = vec![Mode::Free; lowering.signatures[relation.index()].arity];
            layout.groups[family].keys.iter().for_each(|&(column, _)| modes[column] = Mode::Bound);
            next.push(Asked { procedure: compiler.procedure(relation, &modes), ..asked.clone() });
        }
        let mut legal = Vec::new();
        for asked in &self.legal {
            let Some(family) = asked.family else { continue };
            let relation = relation(Carrier::Legal, asked.functor);
            let sizes: Vec<usize> = moves.families[family].columns.iter().map(|c| c.values.len()).collect();
            let bound = grouping(&sizes, most);
            let mut modes = vec![Mode::Free; 1 + sizes.len()];
            modes[..=bound].fill(Mode::Bound);
            legal.push((Asked { procedure: compiler.procedure(relation, &modes), ..asked.clone() }, bound));
        }
        (next, legal)
    }

    fn new(
        compiler: &mut Compiler<'_>,
        lowering: &Lowering,
        terminal: Option<RelationId>,
        goal: Option<RelationId>,
        (fluents, moves): (&Encoding, &Encoding),
    ) -> Roots {
        let terminal = terminal.map(|relation| compiler.root(relation, Vec::new()));
        let goal = goal.map(|relation| compiler.root(relation, vec![Mode::Bound, Mode::Free]));
        let mut carried = |carrier: Carrier, encoding: Option<&Encoding>| -> Vec<Asked> {
            let forms: Vec<Form> =
                lowering.forms(carrier).iter().filter(|form| form.defined).copied().collect();
            let asked = |form: Form| {
                let arity = lowering.signatures[form.relation.index()].arity;
                let mut modes = vec![Mode::Free; arity];
                modes[..carrier.prefix()].fill(Mode::Bound);
                let family = form.functor.and_then(|functor| encoding?.family(functor));
                Asked { procedure: compiler.root(form.relation, modes), functor: form.functor, family }
            };
            forms.into_iter().map(asked).collect()
        };
        Roots {
            terminal,
            goal,
            next: carried(Carrier::Next, Some(fluents)),
            legal: carried(Carrier::Legal, Some(moves)),
            sees: carried(Carrier::Sees, None),
        }
    }
}
