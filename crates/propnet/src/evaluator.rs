//! The programs for playouts, one for each phase (the step number modulo the game's period). Plain programs
//! draw among all legal moves, programs with decisive moves only among the decisive ones. All machines of a
//! network share the programs.

use crate::circuit::Sharing;
use crate::dependence::Dependence;
use crate::guard::Sizes;
use crate::latch::Kept;
use crate::leaves::LeafGates;
use crate::net::{Fluent, PropNet};
use crate::node::Signal;
use crate::program::{Choice, Layout, Outputs, Program};
use crate::schedule::Compiler;
use crate::select::{LEAF_MOVES, MAX_MOVES, SelectionTree};
use crate::specialise::{Specialised, constant_fluents, needed_fluents, phases, specialise};
use crate::state::BitState;
use ggp_game::{EvalError, Fact, Move, StopToken};
use serde::{Deserialize, Serialize};

/// The program for playout steps in one phase (the step number modulo the game's period).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Phase {
    pub(crate) program: Program,
    /// For each role, the tree by which its move is drawn. `None` if the role has at most one move in this
    /// phase. The trees follow from `moves`, and their serialised form is empty.
    #[serde(skip)]
    pub(crate) trees: Vec<Option<SelectionTree>>,
    /// For each role, the gates that compute its legal moves leaf by leaf, if there are some. They follow from the
    /// program.
    #[serde(skip)]
    pub(crate) leaves: Vec<Option<LeafGates>>,
    /// For each role, the moves that have a row in this phase, as indices into the role's moves of the
    /// original network.
    pub(crate) moves: Vec<Vec<u32>>,
    /// The fluents whose values the phase determines, each with its value.
    pub(crate) fixed: Vec<(u32, bool)>,
}

impl Phase {
    /// The [`Move`] that belongs to row `at` of `choice`. `moves` lists the moves of each role as [`Move`]
    /// values, in the order of the original network.
    pub(crate) fn move_at(&self, choice: &Choice, at: usize, moves: &[Vec<Move>]) -> Move {
        let original = self.moves[choice.role][choice.moves[at] as usize];
        moves[choice.role][original as usize]
    }
}

/// The programs for playouts, one for each phase (the step number modulo the game's period).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PhasePrograms {
    pub(crate) phases: Vec<Phase>,
    /// The fluents that have a state row, in ascending order.
    pub(crate) fluents: Vec<u32>,
    /// The number of rows behind the state rows that keep their values from step to step and are false where a
    /// playout begins.
    pub(crate) kept_rows: usize,
    /// The fluents that the programs assume never to change, each with its value.
    pub(crate) constants: Vec<(u32, bool)>,
    /// Whether the playouts of all lanes begin together, because guards may then leave out more gates.
    pub(crate) together: bool,
    /// The number of rows that the largest program needs. This field and the fields below follow from the
    /// fields above and are not serialised.
    #[serde(skip)]
    pub(crate) rows: usize,
    /// The number of rows behind them that the leaves of the legal moves share.
    #[serde(skip)]
    pub(crate) shared_rows: usize,
    #[serde(skip)]
    pub(crate) scratch: usize,
    /// The number of gates of the goals, if it exceeds the number of state rows. Storing an ended state is
    /// then cheaper than evaluating its goals, so the goals of many ended playouts are evaluated together.
    /// `None` if the goals of each playout are evaluated when the playout ends.
    #[serde(skip)]
    pub(crate) defer: Option<usize>,
}

/// If more than this fraction of a step's gates serve both the terminal condition and the legal moves, these
/// gates run only once in each step. The cost is that a lane whose playout ends stays idle for one step.
const SHARE_FROM: f64 = 0.08;

/// Playouts begin together if more than one in this many gates has a guard.
const TOGETHER_FROM: usize = 2;

impl PhasePrograms {
    /// Programs for playouts from any state that is reachable from the initial state.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn reachable(net: &PropNet, stop: &StopToken) -> Result<PhasePrograms, EvalError> {
        let dependence = Dependence::new(net);
        let constant = constant_fluents(net, &dependence, stop)?;
        let phases = phases(net, &dependence, &constant, stop)?;
        drop(dependence);
        PhasePrograms::new(net, &constant, phases, stop)
    }

    /// Programs for playouts from arbitrary states.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn general(net: &PropNet, stop: &StopToken) -> Result<PhasePrograms, EvalError> {
        PhasePrograms::new(net, &vec![None; net.fluents.len()], vec![Vec::new()], stop)
    }

    /// Programs for steps from states that are reachable from the initial state. The first one serves states of any
    /// phase. If there are several phases, `phases`, those of them follow. All fluents have a state row. So have all
    /// percepts: they are like fluents that nothing reads.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn episodes(
        net: &PropNet,
        phases: &[Phase],
        stop: &StopToken,
    ) -> Result<PhasePrograms, EvalError> {
        let mut net = net.clone();
        let percepts = net.roles.iter().flat_map(|role| &role.sees);
        let percept =
            |(fact, next): &(Fact, Signal)| Fluent { fact: fact.clone(), initial: false, next: *next };
        let percepts: Vec<Fluent> = percepts.map(percept).collect();
        net.fluents.extend(percepts);
        let net = &net;
        let constant = constant_fluents(net, &Dependence::new(net), stop)?;
        let own = phases.iter().filter(|_| phases.len() > 1).map(|phase| phase.fixed.clone());
        let phases: Vec<_> = std::iter::once(Vec::new()).chain(own).collect();
        let nets = specialised(net, &constant, &phases, stop)?;
        let fluents = (0..net.fluents.len() as u32).collect();
        PhasePrograms::with_fluents(&nets, fluents, &constant, phases, stop)
    }

    fn new(
        net: &PropNet,
        constant: &[Option<bool>],
        phases: Vec<Vec<(u32, bool)>>,
        stop: &StopToken,
    ) -> Result<PhasePrograms, EvalError> {
        PhasePrograms::of(&specialised(net, constant, &phases, stop)?, constant, phases, stop)
    }

    /// The number of gates of a step, summed over all phases.
    pub(crate) fn gates(&self) -> usize {
        self.phases.iter().map(|phase| phase.program.gates_per_step()).sum()
    }

    /// The programs of `nets`, the networks of `phases`, where the fluents with a value in `constant` never change.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn of(
        nets: &[Specialised],
        constant: &[Option<bool>],
        phases: Vec<Vec<(u32, bool)>>,
        stop: &StopToken,
    ) -> Result<PhasePrograms, EvalError> {
        let fluents = needed_fluents(&nets.iter().map(|one| &one.net).collect::<Vec<_>>());
        PhasePrograms::with_fluents(nets, fluents, constant, phases, stop)
    }

    /// The same as [`PhasePrograms::of`]. The fluents with a state row are `fluents`, in ascending order.
    fn with_fluents(
        nets: &[Specialised],
        fluents: Vec<u32>,
        constant: &[Option<bool>],
        phases: Vec<Vec<(u32, bool)>>,
        stop: &StopToken,
    ) -> Result<PhasePrograms, EvalError> {
        let kept = Kept::of_phases(&nets.iter().map(|one| &one.net).collect::<Vec<_>>());
        let kept_rows = kept.first().map_or(0, Kept::rows);
        let outputs: Vec<Outputs<'_>> =
            nets.iter().zip(kept).map(|(one, kept)| Outputs::of(one, &fluents, kept)).collect();
        let compilers = outputs.iter().map(|one| Compiler::new(one, Sharing::Best, stop));
        let compilers: Vec<Compiler<'_>> = compilers.collect::<Result<_, _>>()?;
        let shared = compilers.iter().any(|one| one.shared_by_terminal_and_legal() > SHARE_FROM);
        let layout = if shared { Layout::Share } else { Layout::Refill };
        let programs = compilers.iter().map(|one| one.compile(layout, Sizes::LANES, stop));
        let programs: Vec<Program> = programs.collect::<Result<_, _>>()?;
        let phases: Vec<Phase> = nets
            .iter()
            .zip(programs)
            .zip(phases)
            .map(|((one, program), fixed)| Phase {
                program,
                trees: Vec::new(),
                leaves: Vec::new(),
                moves: one.moves.clone(),
                fixed,
            })
            .collect();
        let constants = constant.iter().enumerate();
        let constants = constants.filter_map(|(fluent, value)| Some((fluent as u32, (*value)?))).collect();
        let all: usize = phases.iter().map(|phase| phase.program.gates_per_step()).sum();
        let guarded: usize = phases.iter().map(|phase| phase.program.guarded_gates()).sum();
        let together = guarded * TOGETHER_FROM > all;
        let (rows, shared_rows, scratch, defer) = (0, 0, 0, None);
        let programs = PhasePrograms {
            phases,
            fluents,
            kept_rows,
            constants,
            together,
            rows,
            shared_rows,
            scratch,
            defer,
        };
        Ok(programs.completed())
    }

    /// Computes the fields that follow from the programs, the moves and the fluents.
    pub(crate) fn completed(mut self) -> PhasePrograms {
        let tree = |moves: &Vec<u32>| (moves.len() > 1).then(|| SelectionTree::new(moves.len()));
        for phase in &mut self.phases {
            phase.trees = phase.moves.iter().map(tree).collect();
        }
        self.rows = self.phases.iter().map(|phase| phase.program.rows).max().unwrap_or(1);
        self.shared_rows = 0;
        for phase in &mut self.phases {
            let program = &phase.program;
            let leaves = program.choices.iter().map(|choice| LeafGates::new(program, choice, self.rows));
            phase.leaves = leaves.collect();
            if phase.leaves.iter().any(Option::is_some) {
                self.shared_rows = LEAF_MOVES;
            }
        }
        let trees = self.phases.iter().flat_map(|phase| phase.trees.iter().flatten());
        self.scratch = trees.map(SelectionTree::scratch).max().unwrap_or(0);
        let goals = self.phases.iter().map(|phase| phase.program.gates_of_goals()).max().unwrap_or(0);
        self.defer = (goals > self.fluents.len()).then_some(goals);
        self
    }

    /// Whether the gates that serve both the terminal condition and the legal moves run only once in each
    /// step (see [`Layout::Share`]).
    pub(crate) fn shares_terminal(&self) -> bool {
        self.phases.iter().any(|phase| phase.program.layout == Layout::Share)
    }

    /// The index of the phase of `state`. `None` if the state belongs to no phase, or if a fluent that the
    /// programs assume to be constant has another value in the state.
    pub(crate) fn phase_of(&self, state: &BitState) -> Option<usize> {
        let agrees = |values: &[(u32, bool)]| {
            values.iter().all(|&(fluent, value)| state.has(fluent as usize) == value)
        };
        if !agrees(&self.constants) {
            return None;
        }
        self.phases.iter().position(|phase| agrees(&phase.fixed))
    }
}

/// `net` specialised to each phase: the constant fluents and the fluents that the phase determines get their
/// values.
pub(crate) fn specialised(
    net: &PropNet,
    constant: &[Option<bool>],
    phases: &[Vec<(u32, bool)>],
    stop: &StopToken,
) -> Result<Vec<Specialised>, EvalError> {
    let in_phase = |values: &Vec<(u32, bool)>| {
        let mut fixed = constant.to_vec();
        for &(fluent, value) in values {
            fixed[fluent as usize] = Some(value);
        }
        specialise(net, &fixed, stop)
    };
    phases.iter().map(in_phase).collect()
}

impl<'a> Outputs<'a> {
    fn of(one: &'a Specialised, fluents: &'a [u32], kept: Kept) -> Outputs<'a> {
        let moves = one.moves.iter().map(|moves| (0..moves.len() as u32).collect()).collect();
        Outputs { net: &one.net, fluents, moves, percepts: false, kept, verdicts: &one.verdicts }
    }
}

/// Whether every role has at most [`MAX_MOVES`] moves, so that each lane can choose among them.
pub(crate) fn fits(net: &PropNet) -> bool {
    net.roles.iter().all(|role| role.moves.len() <= MAX_MOVES)
}
