//! A game of one role that falls into parts, each move concerning one of them: every part is searched apart,
//! layer by layer, and the ways found are put one after the other (factoring; Günther, Schiffel &
//! Thielscher 2009). Where several towers are to be moved the states of one are gone through, not those of all at once.
//!
//! What comes of it counts only once the machine of the whole game has seen it through.

use crate::beam::Beam;
use crate::dice::Dice;
use crate::line::Line;
use crate::search::Search;
use ggp_game::{EvalError, Goals, Move, Playouts, Role};

/// The part of the memory bound that parts may take beside the tree's and that of layers.
const MEMORY_PART: usize = 8;

/// The parts, and how far they have been searched.
#[derive(Debug)]
pub(crate) struct Subgames<M: Playouts> {
    machines: Vec<M>,
    /// The search through each part; empty before it begins.
    searches: Vec<Apart<M::State>>,
    /// The part that is searched next.
    next: usize,
    /// Whether nothing more is to be had from here.
    over: bool,
}

/// The search through one part.
#[derive(Debug)]
enum Apart<S> {
    Under(Beam<S>),
    /// Moves after which all holds that is asked of the part.
    Found(Vec<Move>),
}

impl<M: Playouts> Subgames<M> {
    /// Those of the machine's game, if it falls into any.
    pub(crate) fn of(machine: &mut M) -> Option<Subgames<M>> {
        let machines = machine.subgames();
        (!machines.is_empty()).then(|| Subgames { machines, searches: Vec::new(), next: 0, over: false })
    }

    /// Begins anew from wherever the next step is made.
    pub(crate) fn restart(&mut self) {
        self.searches.clear();
        self.over = false;
    }

    /// Searches on in one part, from `root` at first, with about `bytes` for all. The moves of all parts one after the
    /// other, as soon as each has its own.
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
    /// Some of the search through the parts of the game, if it has any.
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

    /// The line from `state` by `moves`, as far as it takes to end the game; none if they do not end it.
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
