//! The construction of a compiled game: domains, codes, and two compilations. Trial playouts on the code of the
//! first compilation measure the sizes by which the second one orders the conditions of the rules.

use crate::code::Mode;
use crate::compiled::{Asked, Compiled};
use crate::domains::Domains;
use crate::encoding::Encoding;
use crate::engine::Engine;
use crate::ground::{Ground, term};
use crate::machine::CompiledMachine;
use crate::measured::Measured;
use crate::plan::{Compiler, Rules};
use crate::refusal::Refusal;
use ggp_datalog::{EvalError as DatalogError, Functor, Limits, Program, RelationId};
use ggp_game::lower::{Carrier, Form, Lowering};
use ggp_game::rng::Stream;
use ggp_game::{EvalError, Game, Interpreter, Move, StateMachine, StopToken};
use std::sync::Arc;

/// The work of the trial playouts of each compilation, and the most steps of such a playout.
const TRIAL_WORK: u64 = 400_000;
const TRIAL_STEPS: u32 = 300;
const TRIAL_PLAYOUTS: u64 = 12;

/// A trial playout evaluates the goals in every state whose number is a multiple of this.
const GOALS_EVERY: u32 = 16;

/// The number of compilations. Each is measured, and the fastest is kept.
const COMPILATIONS: usize = 4;

impl CompiledMachine {
    /// Compiles the rules of `game`. The build takes at most about a second. `stop` interrupts it.
    ///
    /// # Errors
    /// The reason why the game cannot be compiled.
    pub fn new(game: &Arc<Game>, stop: &StopToken) -> Result<CompiledMachine, Refusal> {
        compile(game, stop)
    }
}

fn compile(game: &Arc<Game>, stop: &StopToken) -> Result<CompiledMachine, Refusal> {
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
    let domains = Domains::new(&lowering, &ground, &mut values);
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
    let mut measured = Measured::default();
    for (at, input) in inputs.iter().enumerate().skip(first_move_input) {
        let arity = lowering.signatures[input.index()].arity;
        measured.observe(at, arity, &vec![0; arity], 1);
    }
    let mut best: Option<(CompiledMachine, f64, Option<EvalError>)> = None;
    for _ in 0..COMPILATIONS {
        let mut compiler = Compiler::new(&rules, tables.clone(), &measured);
        let roots = Roots::new(&mut compiler, &lowering, terminal, goal, (&fluents, &moves));
        let (code, shapes) = compiler.finish()?;
        let input_of = |carrier, encoding: &Encoding, first: usize| -> (Vec<Option<u32>>, Option<u32>) {
            let forms = lowering.forms(carrier);
            let find = |functor: Option<Functor>| {
                forms.iter().position(|form| form.functor == functor).map(|at| (first + at) as u32)
            };
            (encoding.families.iter().map(|family| find(Some(family.functor))).collect(), find(None))
        };
        let (fluent_inputs, whole_fluents) = input_of(Carrier::True, &fluents, 0);
        let (move_inputs, whole_moves) = input_of(Carrier::Does, &moves, first_move_input);
        let engine = Engine::new(&code, values.clone(), game.limits().terms);
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
        let initial = initial_facts(game)?;
        let mut machine = CompiledMachine::of(Arc::new(compiled), engine);
        machine.interrupt_on(stop);
        let start = machine.state_of(&initial).map_err(Refusal::Trial)?;
        machine.set_initial(start);
        let trial = trial(&mut machine, &mut measured);
        let failure = match trial.failure {
            Some(EvalError::Interrupted) => return Err(Refusal::Interrupted),
            failure => failure,
        };
        machine.effort(&shapes, &mut measured);
        let speed = f64::from(trial.steps) / (trial.work as f64).max(1.0);
        if best.as_ref().is_none_or(|(_, fastest, _)| speed > *fastest) {
            best = Some((machine, speed, failure));
        }
    }
    match best {
        Some((mut machine, _, None)) => {
            machine.end_trial();
            Ok(machine)
        }
        Some((_, _, Some(error))) => Err(Refusal::Trial(error)),
        None => unreachable!("there is a compilation"),
    }
}

fn initial_facts(game: &Arc<Game>) -> Result<Vec<ggp_game::Fact>, Refusal> {
    let mut interpreter = Interpreter::new(game);
    let state = interpreter.initial_state().map_err(Refusal::Trial)?;
    interpreter.facts_of(&state).map_err(Refusal::Trial)
}

/// The result of a trial.
struct Trial {
    /// The number of states that were evaluated.
    steps: u32,
    work: u64,
    failure: Option<EvalError>,
}

/// Plays playouts until they have taken [`TRIAL_WORK`] rows. A state may take more, up to the tenfold.
fn trial(machine: &mut CompiledMachine, measured: &mut Measured) -> Trial {
    machine.limit_work(10 * TRIAL_WORK);
    let mut steps = 0;
    let failure = playouts(machine, measured, &mut steps).err();
    Trial { steps, work: machine.work(), failure }
}

fn playouts(
    machine: &mut CompiledMachine,
    measured: &mut Measured,
    steps: &mut u32,
) -> Result<(), EvalError> {
    let game = Arc::clone(machine.game());
    let mut legal: Vec<Move> = Vec::new();
    for number in 0..TRIAL_PLAYOUTS {
        let stream = Stream::new(7, number);
        let mut state = machine.initial_state()?;
        for step in 0..TRIAL_STEPS {
            if machine.work() > TRIAL_WORK && *steps > 0 {
                return Ok(());
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

impl Roots {
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
