//! What was grounded, removed and kept: the sizes of everything between the rules and the gates
//! that run.

use crate::evaluator::{Phase, PhasePrograms};
use crate::net::PropNet;
use crate::rows::Row;
use crate::schedule::{Block, FIRST_STATE, Program};

/// What grounding made of a game's rules. All zeros for a network that was built otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroundCounts {
    /// Facts that do not depend on the state, as far as they were asked for.
    pub fixed_facts: usize,
    /// Facts that hold in some states, as far as grounding can tell.
    pub possible_facts: usize,
    /// Rules that depend on the state or on the moves, those that grounding adds included.
    pub rules: usize,
    /// Their instances; one may stand for many moves.
    pub instances: u64,
    /// How many they were, if each stood for one move of each role.
    pub instances_by_move: u64,
    /// The instances that are not contradictory in themselves, and whose heads are of use.
    pub kept: u64,
    /// Two-input gates that the kept instances would be, were nothing else simplified: a
    /// conjunction each, and a disjunction for each fact.
    pub gates: u64,
    /// Nodes of the network, with those that nothing reads any more.
    pub nodes: usize,
}

/// Gates of one program after each step on the way to it: of two inputs until `mapped`, with the
/// goals all the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// What terminal, goals, legal moves and the fluents that matter need, with fluents fixed
    /// that never change or follow from the phase.
    pub needed: usize,
    /// The same, with each set of moves as a disjunction of moves.
    pub lowered: usize,
    /// After merging conjunctions into the only one that reads them.
    pub flattened: usize,
    /// After taking common factors out.
    pub factored: usize,
    /// After sharing pairs of inputs.
    pub shared: usize,
    /// Gates of two or three inputs; what two sections of a step need may be there twice.
    pub mapped: usize,
    /// After adding what copies bits to where they are expected: what runs.
    pub scheduled: usize,
}

/// One phase of playouts: all steps, or every second one, …
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseReport {
    /// Fluents whose values follow from the phase.
    pub fixed: usize,
    /// Per role, the moves that can be legal.
    pub moves: Vec<usize>,
    /// Gates after each step.
    pub steps: Steps,
    /// Gates that a step runs without goals, and gates of the goals alone.
    pub gates_per_step: usize,
    /// See `gates_per_step`.
    pub gates_of_goals: usize,
    /// The longest chain of gates that read one another.
    pub levels: usize,
    /// Runs of gates of one kind.
    pub runs: usize,
    /// Loops that are repeated until a recursion is stable, and their unknowns.
    pub loops: usize,
    /// See `loops`.
    pub unknowns: usize,
    /// Rows in use, and those of them that gates need beside state and moves.
    pub rows: usize,
    /// See `rows`.
    pub working_rows: usize,
}

/// What a machine is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Fluents of the network.
    pub fluents: usize,
    /// Of these, those that never change from the initial state on.
    pub constant: usize,
    /// State bits that playouts keep.
    pub state_bits: usize,
    /// Playouts' programs: one a phase.
    pub phases: Vec<PhaseReport>,
    /// Gates of the program for single states, by step.
    pub single: Steps,
    /// Its rows.
    pub single_rows: usize,
    /// Playouts at a time.
    pub lanes: usize,
    /// Whether goals are so costly that they are evaluated for many ended playouts at once.
    pub defers_goals: bool,
    /// Whether the terminal condition and the legal moves are computed together.
    pub shares_terminal: bool,
    /// Bytes of the programs, which all threads share.
    pub program_bytes: usize,
    /// Bytes of the rows that each thread has for itself.
    pub thread_bytes: usize,
}

impl Report {
    /// The report on `single` and `playouts`, run with `words` words a row.
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
        // Three things lit; three left alone, by two moves each; three by one; always; terminal.
        assert_eq!((counts.rules, counts.instances, counts.instances_by_move), (5, 11, 14));
        assert_eq!(counts.kept, 11);
        // Inputs: 3 × 1, 3 × 2, 3 × 2, 1, 2; heads: 3, 1, 1.
        assert_eq!(counts.gates, 18 - 5);
        let report = PropNetMachine::new(&game, net).unwrap().report();
        // Nothing depends on the first thing.
        assert_eq!((report.fluents, report.constant, report.state_bits), (4, 1, 2));
        let [phase] = &report.phases[..] else { panic!("one phase: {report:?}") };
        assert_eq!((phase.fixed, phase.moves.as_slice(), phase.loops), (0, [4].as_slice(), 0));
        // Two disjunctions of three, with two conjunctions each; both lit at the end. Then the two
        // sets of two moves. Then `on` as a common factor: a gate less for each.
        let steps = &phase.steps;
        assert_eq!((steps.needed, steps.lowered, steps.flattened), (9, 11, 11));
        assert_eq!((steps.factored, steps.shared), (9, 9));
        assert!(phase.levels >= 2 && phase.rows <= 32 && report.thread_bytes > 32 * 64, "{report:?}");
    }
}
