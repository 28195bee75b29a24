//! Games of one role that decompose into independent subgames, where each move affects one of them. Each
//! subgame is searched separately by a beam search, and the solutions are concatenated (factoring; Günther,
//! Schiffel & Thielscher 2009). The number of states is then the sum over the subgames instead of the
//! product.
//!
//! The concatenated line counts only after the machine of the whole game has played it.

use crate::beam::Beam;
use crate::dice::Dice;
use crate::line::Line;
use crate::search::Search;
use ggp_game::{EvalError, Goals, Move, Playouts, Role};

/// Subgames may use one part in this many of the memory bound, in addition to the tree and the beam search.
const MEMORY_PART: usize = 8;

/// The subgames and the progress of their searches.
#[derive(Debug)]
pub(crate) struct Subgames<M: Playouts> {
    machines: Vec<M>,
    /// The search of each subgame; empty before it begins.
    searches: Vec<Apart<M::State>>,
    /// The subgame that is searched next.
    next: usize,
    /// Whether the search from this root is finished, with or without a solution.
    over: bool,
}

/// The progress of one subgame.
#[derive(Debug)]
enum Apart<S> {
    Under(Beam<S>),
    /// Moves that reach the subgame's goal.
    Found(Vec<Move>),
}

impl<M: Playouts> Subgames<M> {
    /// The subgames of the machine's game; `None` if it does not decompose.
    pub(crate) fn of(machine: &mut M) -> Option<Subgames<M>> {
        let machines = machine.subgames();
        (!machines.is_empty()).then(|| Subgames { machines, searches: Vec::new(), next: 0, over: false })
    }

    /// Discards all progress; the next step begins from the root that it is given.
    pub(crate) fn restart(&mut self) {
        self.searches.clear();
        self.over = false;
    }

    /// Continues the search of one subgame, from `root`, with about `bytes` for all of them. Once every
    /// subgame has a solution, returns the concatenated moves.
    fn step(
        &mut self,
        root: &M::State,
        bytes: usize,
        dice: &mut Dice,
    ) -> Result<Option<Vec<Move>>, EvalError> {
        let Subgames { machines, searches, next, over } = self;
        if searches.is_empty() {
            let each = bytes / machines.len();
            let beam = || Apart::Under(Beam::new(root.clone(), each, None));
            let begun = machines.iter_mut().map(|machine| {
                let is_done = machine.is_terminal(root)?;
                Ok(if is_done { Apart::Found(Vec::new()) } else { beam() })
            });
            *searches = begun.collect::<Result<_, EvalError>>()?;
        }
        for _ in 0..searches.len() {
            let at = *next;
            *next = (at + 1) % searches.len();
            if let Apart::Under(beam) = &mut searches[at] {
                if let Some(line) = beam.step(&mut machines[at], 0.0, dice)? {
                    searches[at] = Apart::Found(line.moves().collect());
                } else {
                    *over = beam.is_exhausted();
                }
                return Ok(None);
            }
        }
        let found = searches.iter().flat_map(|search| match search {
            Apart::Found(moves) => moves.as_slice(),
            Apart::Under(_) => &[],
        });
        Ok(Some(found.copied().collect()))
    }
}

impl<M: Playouts> Search<M> {
    /// Performs some steps of the subgame searches, if the game has subgames.
    pub(crate) fn search_subgames(&mut self) -> Result<(), EvalError> {
        let Some(subgames) = self.subgames.as_mut().filter(|subgames| !subgames.over) else { return Ok(()) };
        let root = &self.tree[self.tree.root()].state;
        let Some(moves) =
            subgames.step(root, self.options.memory_bytes() / MEMORY_PART, &mut self.own.dice)?
        else {
            return Ok(());
        };
        subgames.over = true;
        let root = root.clone();
        let line = self.played(root, moves)?;
        let share = self.line.as_ref().map_or(-1.0, |line| line.share);
        if let Some(line) = line.filter(|line| line.share > share) {
            self.line = Some(line);
        }
        Ok(())
    }

    /// Plays `moves` from `state` until the game ends. Returns that line; `None` if a move is illegal or the
    /// game does not end.
    fn played(&mut self, mut state: M::State, mut moves: Vec<Move>) -> Result<Option<Line>, EvalError> {
        let machine = &mut self.own.machine;
        let mut legal = Vec::new();
        let mut made = 0;
        while !machine.is_terminal(&state)? {
            machine.legal_moves(&state, Role(0), &mut legal)?;
            let Some(mv) = moves.get(made).filter(|mv| legal.contains(mv)) else { return Ok(None) };
            state = machine.next_state(&state, &[*mv])?;
            made += 1;
        }
        moves.truncate(made);
        let mut goals = [Goals::None];
        machine.goals(&state, &mut goals)?;
        Ok(Some(Line::of(moves, goals[0].score().share())))
    }
}
