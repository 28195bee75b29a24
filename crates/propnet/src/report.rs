//! Sizes of everything between the rules and the running gates: what was grounded, removed and kept.

use crate::evaluator::{Phase, PhasePrograms};
use crate::net::PropNet;
use crate::rows::Row;
use crate::schedule::{Block, FIRST_STATE, Program};

/// Sizes of the grounded rules. All zeros for a network that was not made by grounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroundCounts {
    /// Facts that do not depend on the state, as far as they were demanded.
    pub fixed_facts: usize,
    /// Facts that hold in some state according to the relaxed rules (an over-approximation).
    pub possible_facts: usize,
    /// Rules that depend on the state or on the moves, including rules that grounding adds.
    pub rules: usize,
    /// Instances of these rules; one instance may stand for many moves.
    pub instances: u64,
    /// The number of instances if each stood for one move of each role.
    pub instances_by_move: u64,
    /// Instances with a satisfiable condition and a demanded head.
    pub kept: u64,
    /// Two-input gates of the kept instances without further simplification: a conjunction for each
    /// instance and a disjunction for each fact.
    pub gates: u64,
    /// Nodes of the network, including those that no output needs.
    pub nodes: usize,
}

/// Gates of one program after each compilation step, goals included: two-input gates before `mapped`,
/// two- and three-input gates from there on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// Gates that the terminal condition, goals, legal moves and relevant fluents need, with constant
    /// fluents and those determined by the phase replaced by their values.
    pub needed: usize,
    /// After replacing each move set by a disjunction of single moves.
    pub lowered: usize,
    /// After merging each conjunction that has a single reader, a conjunction, into that reader.
    pub flattened: usize,
    /// After factoring out common literals.
    pub factored: usize,
    /// After sharing common pairs of inputs.
    pub shared: usize,
    /// Gates of two or three inputs. Gates needed by two sections of a step may count twice.
    pub mapped: usize,
    /// After adding gates that copy bits to their target rows: the gates that run.
    pub scheduled: usize,
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
pub struct Report {
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

impl Report {
    /// The report on the programs `single` and `playouts`, with `words` words per row of a playout.
    pub(crate) fn new(net: &PropNet, single: &Program, playouts: &PhasePrograms, words: usize) -> Report {
        let programs = playouts.phases.iter().map(|phase| &phase.program);
        let program_bytes = programs.chain([single]).map(Program::bytes).sum();
        let row = words * size_of::<u64>();
        let waiting =
            if playouts.defer.is_some() { playouts.phases.len() * playouts.fluents.len() } else { 0 };
        Report {
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
            .map(|choice| choice.base as usize + choice.moves.len().next_multiple_of(crate::schedule::GROUP));
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
        let report = PropNetMachine::new(&game, net).unwrap().report();
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
