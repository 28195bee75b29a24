//! Sizes of a network and of its programs: the fluents, moves, gates and rows before and after each
//! compilation step.

use crate::evaluator::{Phase, PhasePrograms};
use crate::net::PropNet;
use crate::node::Node;
use crate::program::{Block, FIRST_STATE, GROUP, Program};
use crate::rows::Row;
use crate::steps::Steps;
use crate::walk::Walk;

/// Sizes of the programs that run playouts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramCounts {
    /// State bits kept during playouts.
    pub fluents: usize,
    /// Per phase, the gates (of two or three inputs) evaluated per step, without the goals.
    pub phases: Vec<usize>,
    /// Rows in use.
    pub rows: usize,
    /// Whether the goals of many ended playouts are evaluated together, because they take many gates.
    pub defers_goals: bool,
    /// Whether the terminal condition and the legal moves share their gates.
    pub shares_terminal: bool,
}

impl ProgramCounts {
    pub(crate) fn of(programs: &PhasePrograms) -> ProgramCounts {
        ProgramCounts {
            fluents: programs.fluents.len(),
            phases: programs.phases.iter().map(|phase| phase.program.gates_per_step()).collect(),
            rows: programs.phases.iter().map(|phase| phase.program.live_rows).max().unwrap_or(0),
            defers_goals: programs.defer.is_some(),
            shares_terminal: programs.shares_terminal(),
        }
    }
}

/// Sizes of a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Gates that the outputs need, counted as two-input gates.
    pub gates: usize,
    /// Fluents: bits of a state.
    pub fluents: usize,
    /// Moves of all roles.
    pub moves: usize,
    /// Move sets that gates read.
    pub move_sets: usize,
    /// Fixpoint components.
    pub components: usize,
    /// Unknowns of all fixpoint components.
    pub recursive: usize,
}

impl PropNet {
    /// Sizes of the part of the network that the outputs need.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { fluents: self.fluents.len(), ..Counts::default() };
        counts.moves = self.roles.iter().map(|role| role.moves.len()).sum();
        let mut walk = Walk::new(self);
        walk.on(self.outputs(), |node| match node {
            Node::And(inputs) => counts.gates += inputs.len() - 1,
            Node::MoveSet(_) => counts.move_sets += 1,
            Node::Variable(_) => counts.recursive += 1,
            Node::False | Node::State(_) | Node::Fixpoint(_) => {}
        });
        counts.components = (0..self.components.len()).filter(|&at| walk.has_met_component(at)).count();
        counts
    }
}

/// One phase of playouts. A game of period `n` has `n` phases; step `t` runs phase `t` mod `n`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseReport {
    /// Fluents whose values the phase determines.
    pub fixed: usize,
    /// Per role, the number of moves that can be legal.
    pub moves: Vec<usize>,
    /// Gates after each compilation step.
    pub steps: Steps,
    /// Gates evaluated per step, without the gates of the goals.
    pub gates_per_step: usize,
    /// Gates of the goals alone.
    pub gates_of_goals: usize,
    /// The depth of the circuit: gates on the longest path.
    pub levels: usize,
    /// Runs: maximal sequences of gates of one kind.
    pub runs: usize,
    /// Fixpoint loops, which are iterated until a recursion is stable.
    pub loops: usize,
    /// Unknowns of all fixpoint loops.
    pub unknowns: usize,
    /// Rows in use.
    pub rows: usize,
    /// Rows in use for intermediate values: neither state bits nor moves.
    pub working_rows: usize,
}

/// Sizes of a machine's network and programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetReport {
    /// Fluents of the network.
    pub fluents: usize,
    /// Fluents that never change from the initial state on.
    pub constant: usize,
    /// State bits kept during playouts.
    pub state_bits: usize,
    /// The programs for playouts: one per phase.
    pub phases: Vec<PhaseReport>,
    /// Gates of the program for single states, after each compilation step.
    pub single: Steps,
    /// Rows of the program for single states.
    pub single_rows: usize,
    /// Playouts that run at once.
    pub lanes: usize,
    /// Whether the goals of many ended playouts are evaluated together, because they take many gates.
    pub defers_goals: bool,
    /// Whether the terminal condition and the legal moves share their gates.
    pub shares_terminal: bool,
    /// Bytes of the programs, which all threads share.
    pub program_bytes: usize,
    /// Bytes of the rows, which each thread has for itself.
    pub thread_bytes: usize,
}

impl NetReport {
    /// The report on the programs `single` and `playouts`, with `words` words per row of a playout.
    pub(crate) fn new(net: &PropNet, single: &Program, playouts: &PhasePrograms, words: usize) -> NetReport {
        let programs = playouts.phases.iter().map(|phase| &phase.program);
        let program_bytes = programs.chain([single]).map(Program::bytes).sum();
        let row = words * size_of::<u64>();
        let waiting =
            if playouts.defer.is_some() { playouts.phases.len() * playouts.fluents.len() } else { 0 };
        NetReport {
            fluents: net.fluents.len(),
            constant: playouts.constants.len(),
            state_bits: playouts.fluents.len(),
            phases: playouts.phases.iter().map(PhaseReport::new).collect(),
            single: single.steps,
            single_rows: single.live_rows,
            lanes: 64 * words,
            defers_goals: playouts.defer.is_some(),
            shares_terminal: playouts.shares_terminal(),
            program_bytes,
            thread_bytes: (playouts.rows + 2 * playouts.scratch + waiting) * row
                + single.rows * size_of::<Row<1>>(),
        }
    }
}

impl PhaseReport {
    fn new(phase: &Phase) -> PhaseReport {
        let program = &phase.program;
        let loops = program.blocks().filter_map(|block| match block {
            Block::Loop { unknowns, .. } => Some(unknowns.len()),
            Block::Run(_) => None,
        });
        let loops: Vec<usize> = loops.collect();
        let runs = program.blocks().map(|block| match block {
            Block::Loop { body, .. } => body.len(),
            Block::Run(_) => 1,
        });
        let after_moves = program
            .choices
            .iter()
            .map(|choice| choice.base as usize + choice.moves.len().next_multiple_of(GROUP));
        let working_from = after_moves.max().unwrap_or(FIRST_STATE as usize);
        PhaseReport {
            fixed: phase.fixed.len(),
            moves: phase.moves.iter().map(Vec::len).collect(),
            steps: program.steps,
            gates_per_step: program.gates_per_step(),
            gates_of_goals: program.gates_of_goals(),
            levels: program.levels(),
            runs: runs.sum(),
            loops: loops.len(),
            unknowns: loops.iter().sum(),
            rows: program.live_rows,
            working_rows: program.live_rows.saturating_sub(working_from),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{GroundLimits, PropNet, PropNetMachine};
    use ggp_game::{Game, StopToken};
    use std::sync::Arc;

    #[test]
    fn counts_are_those_made_by_hand() {
        let rules = "(role r) (thing 1) (thing 2) (thing 3) (init (on 1)) (init (always))
            (<= (legal r (light ?x)) (thing ?x)) (legal r noop)
            (<= (next (on ?x)) (does r (light ?x)))
            (<= (next (on ?x)) (true (on ?x)) (does r (light ?y)) (distinct ?x ?y))
            (<= (next (on ?x)) (true (on ?x)) (does r noop))
            (<= (next (always)) (true (always)))
            (<= terminal (true (on 2)) (true (on 3))) (goal r 100)";
        let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
        let net = PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).unwrap();
        let counts = *net.grounding();
        // Instances: 3 things get lit, 3 stay lit by 2 other moves each, 3 by noop, 1 always, 1 terminal.
        assert_eq!((counts.rules, counts.instances, counts.instances_by_move), (5, 11, 14));
        assert_eq!(counts.kept, 11);
        // Inputs of the instances: 3 × 1, 3 × 2, 3 × 2, 1, 2. Heads: 3, 1, 1.
        assert_eq!(counts.gates, 18 - 5);
        let report = PropNetMachine::new(net).unwrap().report();
        // No output depends on the first thing.
        assert_eq!((report.fluents, report.constant, report.state_bits), (4, 1, 2));
        let [phase] = &report.phases[..] else { panic!("one phase: {report:?}") };
        assert_eq!((phase.fixed, phase.moves.as_slice(), phase.loops), (0, [4].as_slice(), 0));
        // Needed: two disjunctions of three inputs with two conjunctions each, and the terminal condition.
        // Lowering adds the two sets of two moves. Factoring `on` out saves one gate for each thing.
        let steps = &phase.steps;
        assert_eq!((steps.needed, steps.lowered, steps.flattened), (9, 11, 11));
        assert_eq!((steps.factored, steps.shared), (9, 9));
        assert!(phase.levels >= 2 && phase.rows <= 32 && report.thread_bytes > 32 * 64, "{report:?}");
    }
}
