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
    /// The number of state bits kept during playouts.
    pub fluents: usize,
    /// For each phase, the number of gates (of two or three inputs) evaluated in each step, without the
    /// goals.
    pub phases: Vec<usize>,
    /// The number of rows in use. A row holds the values of one proposition in all playouts that run at once.
    pub rows: usize,
    /// Whether the goals of many ended playouts are evaluated together, because they take many gates.
    pub defers_goals: bool,
    /// Whether the gates that serve both the terminal condition and the legal moves run only once in each
    /// step.
    pub shares_terminal: bool,
    /// Whether the last gates of some role's legal moves run leaf by leaf, when the choice of moves looks at them.
    pub chooses_by_leaf: bool,
}

impl ProgramCounts {
    pub(crate) fn of(programs: &PhasePrograms) -> ProgramCounts {
        ProgramCounts {
            fluents: programs.fluents.len(),
            phases: programs.phases.iter().map(|phase| phase.program.gates_per_step()).collect(),
            rows: programs.phases.iter().map(|phase| phase.program.live_rows).max().unwrap_or(0),
            defers_goals: programs.defer.is_some(),
            shares_terminal: programs.shares_terminal(),
            chooses_by_leaf: programs.shared_rows > 0,
        }
    }
}

/// Sizes of a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of gates that the outputs need, counted as two-input gates.
    pub gates: usize,
    /// The number of fluents, which are the bits of a state.
    pub fluents: usize,
    /// The number of moves of all roles.
    pub moves: usize,
    /// The number of move sets that gates read.
    pub move_sets: usize,
    /// The number of fixpoint components.
    pub components: usize,
    /// The number of unknowns of all fixpoint components.
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

/// Sizes of one phase of playouts. A game of period `n` has `n` phases; step `t` runs phase `t` mod `n`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseReport {
    /// The number of fluents whose values the phase determines.
    pub fixed: usize,
    /// For each role, the number of moves that can be legal in this phase.
    pub moves: Vec<usize>,
    /// The number of gates after each compilation step.
    pub steps: Steps,
    /// The number of gates evaluated in each step, without the gates of the goals.
    pub gates_per_step: usize,
    /// The number of these gates that are left out of a step if a value, their guard, is false in all playouts
    /// that run at once.
    pub guarded_gates: usize,
    /// The number of gates of the goals alone.
    pub gates_of_goals: usize,
    /// The depth of the circuit: the number of gates on its longest path.
    pub levels: usize,
    /// The number of runs. A run is a maximal sequence of gates of one kind.
    pub runs: usize,
    /// The number of fixpoint loops. A loop is iterated until its unknowns no longer change.
    pub loops: usize,
    /// The number of unknowns of all fixpoint loops.
    pub unknowns: usize,
    /// The number of rows in use. A row holds the values of one proposition in all playouts that run at once.
    pub rows: usize,
    /// The number of rows in use for intermediate values, which are neither state bits nor moves.
    pub working_rows: usize,
}

/// Sizes of a machine's network and programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetReport {
    /// The number of fluents of the network.
    pub fluents: usize,
    /// The number of fluents that never change from the initial state on.
    pub constant: usize,
    /// The number of state bits kept during playouts.
    pub state_bits: usize,
    /// The programs for playouts: one per phase.
    pub phases: Vec<PhaseReport>,
    /// The number of gates of the program for single states, after each compilation step.
    pub single: Steps,
    /// The number of rows of the program for single states.
    pub single_rows: usize,
    /// The number of playouts that run at once.
    pub lanes: usize,
    /// Whether the goals of many ended playouts are evaluated together, because they take many gates.
    pub defers_goals: bool,
    /// Whether the gates that serve both the terminal condition and the legal moves run only once in each
    /// step.
    pub shares_terminal: bool,
    /// The number of bytes of the programs, which all threads share.
    pub program_bytes: usize,
    /// The number of bytes of the rows that each thread has for itself.
    pub thread_bytes: usize,
}

impl NetReport {
    /// The report on the programs `single` and `playouts`, where the rows of playouts have `words` words.
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
            Block::Run(_) | Block::Guard { .. } => None,
        });
        let loops: Vec<usize> = loops.collect();
        let runs = program.blocks().map(|block| match block {
            Block::Loop { body, .. } => body.len(),
            Block::Run(_) => 1,
            Block::Guard { .. } => 0,
        });
        let after_moves = program.choices.iter().flat_map(|choice| {
            let moves = choice.base as usize + choice.moves.len().next_multiple_of(GROUP);
            [moves, choice.sets.as_ref().map_or(0, |sets| sets.rows.end as usize)]
        });
        let working_from = after_moves.max().unwrap_or(FIRST_STATE as usize);
        PhaseReport {
            fixed: phase.fixed.len(),
            moves: phase.moves.iter().map(Vec::len).collect(),
            steps: program.steps,
            gates_per_step: program.gates_per_step(),
            guarded_gates: program.guarded_gates(),
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
