//! The parts of a search for games of one role, beside the tree search: the best variation found, a beam search, a
//! search over the conditions of the goal, and separate searches of independent subgames.

use crate::beam::Beam;
use crate::conditions::ConditionSearch;
use crate::descent::{Descent, DescentState};
use crate::node::Phase;
use crate::search::Search;
use crate::technique::Technique;
use crate::variation::Variation;
use ggp_game::{EvalError, Goals, Move, Playouts, Role};

/// The beam search may use the memory bound divided by this number, in addition to the memory of the tree.
const BEAM_PART: usize = 2;
/// The subgame searches may use the memory bound divided by this number, in addition to the memory of the
/// tree and the beam search.
const SUBGAMES_PART: usize = 8;

/// The number of beam-search steps for each batch of playouts.
const BEAM_STEPS: usize = 2;

/// The number of steps of the search over the goal's conditions for each batch of playouts.
const CONDITION_STEPS: usize = 16;

impl<M: Playouts> Search<M> {
    /// Replaces the best variation if `descents` or their playouts found a better one. Only for games of
    /// one role.
    pub(crate) fn update_best_variation(&mut self, descents: &[Descent<M::State>]) {
        let mut share = self.best_variation.as_ref().map_or(-1.0, |best| best.share);
        if let Some(best) = self.worker.simulation.take_best(share) {
            let mut ready =
                descents.iter().filter(|descent| matches!(descent.progress, DescentState::Playing));
            if let Some(descent) = ready.nth(best.start) {
                share = best.share;
                self.best_variation = Some(Variation::new(&self.tree, &descent.path, &best.moves, share));
            }
        }
        for Descent { path, .. } in descents {
            let leaf = path.leaf();
            let ended = self.tree[leaf].phase == Phase::Ended;
            let goal = self.tree.stats(leaf)[0].bounds.low_share();
            if ended && goal > share {
                share = goal;
                self.best_variation = Some(Variation::new(&self.tree, path, &[], share));
            }
        }
    }

    /// Performs some steps of the searches beside the tree search. These steps are about as much work as a batch of
    /// playouts. Does nothing in games of several roles.
    pub(crate) fn search_single_role(&mut self) -> Result<(), EvalError> {
        if self.tree.roles() != 1 || !self.options.has(Technique::Line) {
            return Ok(());
        }
        if self.options.has(Technique::Conditions) {
            let root = &self.tree[self.tree.root()].state;
            let search = self.conditions.get_or_insert_with(|| ConditionSearch::new(root.clone()));
            for _ in 0..CONDITION_STEPS {
                let share = self.best_variation.as_ref().map_or(-1.0, |best| best.share);
                let found = search.step(&mut self.worker.machine, share, &mut self.worker.random)?;
                if found.is_some() {
                    self.best_variation = found;
                }
            }
        }
        if !self.options.has(Technique::Beam) {
            return Ok(());
        }
        self.step_subgames()?;
        let bytes = self.options.memory_bytes() / BEAM_PART;
        let root = &self.tree[self.tree.root()].state;
        let beam = self.beam.get_or_insert_with(|| Beam::new(root.clone(), bytes, self.beam_width));
        for _ in 0..BEAM_STEPS {
            let share = self.best_variation.as_ref().map_or(-1.0, |best| best.share);
            if let Some(variation) = beam.step(&mut self.worker.machine, share, &mut self.worker.random)? {
                self.best_variation = Some(variation);
            }
        }
        Ok(())
    }

    /// Performs some steps of the subgame searches, if the game has subgames.
    fn step_subgames(&mut self) -> Result<(), EvalError> {
        let Some(subgames) = self.subgames.as_mut().filter(|subgames| !subgames.finished) else {
            return Ok(());
        };
        let root = &self.tree[self.tree.root()].state;
        let Some(moves) =
            subgames.step(root, self.options.memory_bytes() / SUBGAMES_PART, &mut self.worker.random)?
        else {
            return Ok(());
        };
        subgames.finished = true;
        let root = root.clone();
        let variation = self.replay(root, moves)?;
        let share = self.best_variation.as_ref().map_or(-1.0, |best| best.share);
        if let Some(variation) = variation.filter(|variation| variation.share > share) {
            self.best_variation = Some(variation);
        }
        Ok(())
    }

    /// Plays `moves` from `state` until the game ends. Returns the moves played as a variation. `None` if a
    /// move is illegal, or if the game does not end with these moves.
    fn replay(&mut self, mut state: M::State, mut moves: Vec<Move>) -> Result<Option<Variation>, EvalError> {
        let machine = &mut self.worker.machine;
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
        Ok(Some(Variation::of(moves, goals[0].score().share())))
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::{Halt, Limits};
    use crate::options::MctsOptions;
    use crate::search::Search;
    use crate::technique::{Technique, Techniques};
    use crate::test_games;
    use ggp_game::{Move, Role};

    #[test]
    fn the_variation_to_the_goal_is_found_and_played_out() {
        // Means say almost nothing here: one of 3⁷ lines reaches the goal.
        for options in [
            MctsOptions {
                techniques: Techniques::all().with(Technique::Solver, false),
                ..MctsOptions::default()
            },
            MctsOptions::default(),
        ] {
            let mut search = Search::new(test_games::combination(&[1, 0, 2, 2, 1, 0, 1]), &options).unwrap();
            assert_eq!(search.run(&Limits::iterations(50_000)), Halt::Decided);
            let principal = search.report(Role(0)).principal.concat();
            assert_eq!(
                principal,
                ["1", "0", "2", "2", "1", "0", "1"],
                "all of it, not only what was visited"
            );
            for digit in [1, 0, 2, 2, 1, 0, 1] {
                let mv = search.best_move(Role(0)).unwrap().unwrap();
                assert_eq!(mv, Move(digit));
                search.advance(&[mv]).unwrap();
            }
            assert_eq!(search.state(), &[7, 7]);
        }
    }

    #[test]
    fn a_variation_that_the_match_leaves_is_discarded() {
        let options = MctsOptions {
            techniques: Techniques::all().with(Technique::Solver, false).with(Technique::Beam, false),
            ..MctsOptions::default()
        };
        let mut search = Search::new(test_games::combination(&[1, 0, 2]), &options).unwrap();
        assert_eq!(search.run(&Limits::iterations(5000)), Halt::Decided);
        search.advance(&[Move(2)]).unwrap();
        assert!(search.best_variation.is_none());
        assert_eq!(search.run(&Limits::iterations(50)), Halt::Iterations);
        assert!(search.best_variation.as_ref().is_some_and(|best| best.share < 1.0));
    }
}
