//! Games of one role that decompose into independent subgames. Each move affects only one subgame. Each
//! subgame is searched separately by a beam search, and the solutions are concatenated (factoring; Günther,
//! Schiffel & Thielscher 2009). The number of states is then the sum over the subgames instead of the
//! product.
//!
//! The caller must replay the concatenated moves in the whole game before it uses them.

use crate::beam::Beam;
use ggp_game::rng::Sequence;
use ggp_game::{EvalError, Move, Playouts};

/// The subgames and the progress of their searches.
#[derive(Debug)]
pub(crate) struct Subgames<M: Playouts> {
    machines: Vec<M>,
    /// The search of each subgame, in the order of the subgames. Empty before the first step.
    searches: Vec<SubgameSearch<M::State>>,
    /// The index of the subgame that the next step searches.
    next: usize,
    /// Whether the searches from the current root are over, with or without a solution.
    pub(crate) finished: bool,
}

/// The progress of one subgame.
#[derive(Debug)]
enum SubgameSearch<S> {
    Searching(Beam<S>),
    /// The subgame is solved by these moves, which reach its goal.
    Solved(Vec<Move>),
}

impl<M: Playouts> Subgames<M> {
    /// The subgames of the machine's game; `None` if the game does not decompose.
    pub(crate) fn of(machine: &mut M) -> Option<Subgames<M>> {
        let machines = machine.subgames();
        (!machines.is_empty()).then(|| Subgames { machines, searches: Vec::new(), next: 0, finished: false })
    }

    /// Discards all progress. The next call of [`Subgames::step`] begins anew, from the root given in that
    /// call.
    pub(crate) fn restart(&mut self) {
        self.searches.clear();
        self.finished = false;
    }

    /// Continues the search of one subgame from the state `root`. All subgames together use about `bytes`
    /// of memory. Returns the concatenated moves once every subgame has a solution, and `None` before.
    pub(crate) fn step(
        &mut self,
        root: &M::State,
        bytes: usize,
        random: &mut Sequence,
    ) -> Result<Option<Vec<Move>>, EvalError> {
        let Subgames { machines, searches, next, finished } = self;
        if searches.is_empty() {
            let each = bytes / machines.len();
            let beam = || SubgameSearch::Searching(Beam::new(root.clone(), each, None));
            let begun = machines.iter_mut().map(|machine| {
                let is_done = machine.is_terminal(root)?;
                Ok(if is_done { SubgameSearch::Solved(Vec::new()) } else { beam() })
            });
            *searches = begun.collect::<Result<_, EvalError>>()?;
        }
        for _ in 0..searches.len() {
            let at = *next;
            *next = (at + 1) % searches.len();
            if let SubgameSearch::Searching(beam) = &mut searches[at] {
                if let Some(variation) = beam.step(&mut machines[at], 0.0, random)? {
                    searches[at] = SubgameSearch::Solved(variation.moves().collect());
                } else {
                    *finished = beam.is_exhausted();
                }
                return Ok(None);
            }
        }
        let found = searches.iter().flat_map(|search| match search {
            SubgameSearch::Solved(moves) => moves.as_slice(),
            SubgameSearch::Searching(_) => &[],
        });
        Ok(Some(found.copied().collect()))
    }
}
