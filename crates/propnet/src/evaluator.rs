//! What all machines of a network share: the programs, one a phase for playouts and one for
//! single states.

use crate::decisive::decisive;
use crate::net::PropNet;
use crate::schedule::{Choice, Compiler, Layout, Outputs, Program};
use crate::select::{MAX_MOVES, Tree};
use crate::specialise::{Specialised, constant_fluents, needed_fluents, phases, specialise};
use crate::state::BitState;
use crate::twins::Twins;
use ggp_game::{EvalError, Move, StopToken};

/// One phase's program.
#[derive(Clone, Debug)]
pub(crate) struct Phase {
    pub(crate) program: Program,
    /// Per role, the tree that chooses; none where there is at most one move.
    pub(crate) trees: Vec<Option<Tree>>,
    /// Per role, the original index of each move that has a row.
    pub(crate) moves: Vec<Vec<u32>>,
    /// The fluents that this phase fixes.
    pub(crate) fixed: Vec<(u32, bool)>,
}

impl Phase {
    /// The move that row `at` of `choice` stands for; `moves` are, per role, the machine's numbers of its
    /// moves.
    pub(crate) fn move_at(&self, choice: &Choice, at: usize, moves: &[Vec<Move>]) -> Move {
        let original = self.moves[choice.role][choice.moves[at] as usize];
        moves[choice.role][original as usize]
    }
}

/// Programs for playouts: one a phase.
#[derive(Clone, Debug)]
pub(crate) struct PhasePrograms {
    pub(crate) phases: Vec<Phase>,
    /// The fluents that have a state row, ascending.
    pub(crate) fluents: Vec<u32>,
    /// Fluents assumed never to change, with their values.
    pub(crate) constants: Vec<(u32, bool)>,
    pub(crate) rows: usize,
    pub(crate) scratch: usize,
    /// How many gates the goals take, if that is more than keeping an ended playout's state aside:
    /// then goals are evaluated for many playouts at once.
    pub(crate) defer: Option<usize>,
}

/// Where more than this share of a step's gates serves both the terminal condition and the legal
/// moves, they are computed once, and a lane that ends stays idle for one step.
const SHARE_FROM: f64 = 0.08;

/// Networks of more nodes are left without decisive moves: what it takes to see them grows with the square.
const LARGEST: usize = 30_000;
/// So are those whose phases would have more gates than this in all before they are shared: sharing takes
/// time.
const MOST_GATES: usize = 100_000;
/// A step with decisive moves may take so many times the gates of a plain one.
const DEARER_AT_MOST: usize = 8;

impl PhasePrograms {
    /// Programs for any state that play from the initial state can reach.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn reachable(net: &PropNet, stop: &StopToken) -> Result<PhasePrograms, EvalError> {
        let constant = constant_fluents(net, stop)?;
        let phases = phases(net, &constant, stop)?;
        PhasePrograms::new(net, &constant, phases, stop)
    }

    /// Programs for the states of [`PhasePrograms::reachable`], `plain`, in which a role that can win
    /// at once does so, but for `nature`, and of `twins` only one is legal; none where that changes nothing or
    /// would cost too much.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn decisive(
        net: &PropNet,
        plain: &PhasePrograms,
        nature: Option<usize>,
        twins: Option<&Twins>,
        stop: &StopToken,
    ) -> Result<Option<PhasePrograms>, EvalError> {
        if net.nodes.len() > LARGEST {
            return Ok(None);
        }
        let mut constant = vec![None; net.fluents.len()];
        plain.constants.iter().for_each(|&(fluent, value)| constant[fluent as usize] = Some(value));
        let phases: Vec<_> = plain.phases.iter().map(|phase| phase.fixed.clone()).collect();
        let all = specialised(net, &constant, &phases, stop)?;
        let one_each = twins.and_then(|twins| twins.one_each(&all));
        stop.check()?;
        let Some(nets) = decisive(one_each.as_ref().unwrap_or(&all), nature).or(one_each) else {
            return Ok(None);
        };
        stop.check()?;
        if nets.iter().map(|one| one.net.counts().gates).sum::<usize>() > MOST_GATES {
            return Ok(None);
        }
        let programs = PhasePrograms::of(&nets, &constant, phases, stop)?;
        Ok((programs.gates() <= plain.gates() * DEARER_AT_MOST).then_some(programs))
    }

    /// Programs for any state at all.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn general(net: &PropNet, stop: &StopToken) -> Result<PhasePrograms, EvalError> {
        PhasePrograms::new(net, &vec![None; net.fluents.len()], vec![Vec::new()], stop)
    }

    fn new(
        net: &PropNet,
        constant: &[Option<bool>],
        phases: Vec<Vec<(u32, bool)>>,
        stop: &StopToken,
    ) -> Result<PhasePrograms, EvalError> {
        PhasePrograms::of(&specialised(net, constant, &phases, stop)?, constant, phases, stop)
    }

    /// Gates of a step, all phases together.
    fn gates(&self) -> usize {
        self.phases.iter().map(|phase| phase.program.gates_per_step()).sum()
    }

    fn of(
        nets: &[Specialised],
        constant: &[Option<bool>],
        phases: Vec<Vec<(u32, bool)>>,
        stop: &StopToken,
    ) -> Result<PhasePrograms, EvalError> {
        let fluents = needed_fluents(&nets.iter().map(|one| &one.net).collect::<Vec<_>>());
        let outputs: Vec<Outputs<'_>> = nets.iter().map(|one| Outputs::of(one, &fluents)).collect();
        let compilers = outputs.iter().map(|one| Compiler::new(one, true, stop));
        let compilers: Vec<Compiler<'_>> = compilers.collect::<Result<_, _>>()?;
        let shared = compilers.iter().any(|one| one.shared_by_terminal_and_legal() > SHARE_FROM);
        let layout = if shared { Layout::Share } else { Layout::Refill };
        let programs = compilers.iter().map(|one| one.compile(layout, stop));
        let programs: Vec<Program> = programs.collect::<Result<_, _>>()?;
        let phases: Vec<Phase> = nets
            .iter()
            .zip(programs)
            .zip(phases)
            .map(|((one, program), fixed)| {
                let tree = |moves: &Vec<u32>| (moves.len() > 1).then(|| Tree::new(moves.len()));
                let trees = one.moves.iter().map(tree).collect();
                Phase { program, trees, moves: one.moves.clone(), fixed }
            })
            .collect();
        let rows = phases.iter().map(|phase| phase.program.rows).max().unwrap_or(1);
        let trees = phases.iter().flat_map(|phase| phase.trees.iter().flatten());
        let scratch = trees.map(Tree::scratch).max().unwrap_or(0);
        let constants = constant.iter().enumerate();
        let constants = constants.filter_map(|(fluent, value)| Some((fluent as u32, (*value)?))).collect();
        let goals = phases.iter().map(|phase| phase.program.gates_of_goals()).max().unwrap_or(0);
        let defer = (goals > fluents.len()).then_some(goals);
        Ok(PhasePrograms { phases, fluents, constants, rows, scratch, defer })
    }

    /// Whether the terminal condition and the legal moves are computed together.
    pub(crate) fn shares_terminal(&self) -> bool {
        self.phases.iter().any(|phase| phase.program.layout == Layout::Share)
    }

    /// The phase that `state` is in; none if it is in none, or differs in a constant.
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

/// `net` in each phase, with the values that these are known by and those that never change.
fn specialised(
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
    fn of(one: &'a Specialised, fluents: &'a [u32]) -> Outputs<'a> {
        let moves = one.moves.iter().map(|moves| (0..moves.len() as u32).collect()).collect();
        Outputs { net: &one.net, fluents, moves, percepts: false }
    }
}

/// Whether lanes can choose among the moves of every role.
pub(crate) fn fits(net: &PropNet) -> bool {
    net.roles.iter().all(|role| role.moves.len() <= MAX_MOVES)
}
