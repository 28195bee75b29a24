//! Beam search for games of one role, layer by layer. It expands every distinct successor state while a
//! layer is small. In a larger layer it keeps the states with the highest score (`score.rs`). Each round restarts from the root with twice the width of the round before.
//!
//! There is no opponent, so a variation to a goal needs to be found only once. If a round has pruned no
//! state, the search is exhaustive and the best goal found is optimal.

mod score;

use self::score::ScoreWeights;
use crate::children::{Child, children};
use crate::table::hash_of;
use crate::variation::Variation;
use ggp_game::rng::Sequence;
use ggp_game::{EvalError, Goals, Move, Playouts, Role};
use rustc_hash::FxHashSet;

/// The width of the first round. Each later round doubles the width.
const FIRST_WIDTH: usize = 256;
/// The approximate number of children created at once: enough to fill the lanes, few enough to stop in time.
const CHILDREN: usize = 1024;
/// A layer is pruned to the width when its number of states exceeds the width times this factor.
const SLACK: usize = 4;
/// How a state was reached: its parent, as an index into the previous layer, and the move.
type Link = (u32, Move);

/// A beam search from one root.
#[derive(Debug)]
pub(crate) struct Beam<S> {
    root: S,
    width: usize,
    round: usize,
    /// The states of the current layer.
    layer: Vec<S>,
    /// How many states of `layer` have been expanded. They are the first ones in it.
    expanded: usize,
    /// One inner list for each layer, from the layer after the root to the current one. It holds the link of
    /// each state in that layer.
    links: Vec<Vec<Link>>,
    next: Vec<Candidate<S>>,
    /// The hashes of the states found in this round.
    seen: FxHashSet<u64>,
    /// Whether this round has skipped a state: because it pruned the state, or because it dropped a move
    /// that is equivalent to another move.
    pruned: bool,
    /// Whether all states reachable from the root have been seen.
    exhausted: bool,
    branching: usize,
    bytes: usize,
    legal: Vec<Vec<Move>>,
    nearness: Vec<f32>,
}

#[derive(Debug)]
struct Candidate<S> {
    state: S,
    link: Link,
    score: f32,
}

impl<S: Clone + Eq + std::hash::Hash> Beam<S> {
    /// Creates a search from `root` with a memory bound of about `bytes`. The first round has the width
    /// `width`, but at least [`FIRST_WIDTH`]; `None` stands for [`FIRST_WIDTH`].
    pub(crate) fn new(root: S, bytes: usize, width: Option<usize>) -> Beam<S> {
        let mut beam = Beam {
            root,
            width: width.unwrap_or(FIRST_WIDTH).max(FIRST_WIDTH),
            round: 0,
            layer: Vec::new(),
            expanded: 0,
            links: Vec::new(),
            next: Vec::new(),
            seen: FxHashSet::default(),
            pruned: false,
            exhausted: false,
            branching: 1,
            bytes,
            legal: Vec::new(),
            nearness: Vec::new(),
        };
        beam.begin_round();
        beam
    }

    /// Whether the search is over because it has seen all states reachable from the root.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// The width of the current round: the number of states that pruning keeps in a layer.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    fn begin_round(&mut self) {
        self.layer = vec![self.root.clone()];
        self.expanded = 0;
        self.links.clear();
        self.next.clear();
        self.seen.clear();
        self.pruned = false;
    }

    /// Expands some states of the current layer, or proceeds to the next layer if all are expanded. Among the
    /// variations that end in a terminal child of a state expanded here, returns the one with the best share
    /// (goal divided by 100). `None` if no share exceeds `above`.
    ///
    /// # Errors
    /// The machine's errors. The states then stay unexpanded, so that a later call can expand them.
    pub(crate) fn step<M: Playouts<State = S>>(
        &mut self,
        machine: &mut M,
        above: f64,
        random: &mut Sequence,
    ) -> Result<Option<Variation>, EvalError> {
        if self.exhausted {
            return Ok(None);
        }
        if self.expanded == self.layer.len() {
            self.next_layer(machine);
            return Ok(None);
        }
        let count = (CHILDREN / self.branching.max(1)).max(1).min(self.layer.len() - self.expanded);
        let children = self.unseen_children(machine, count)?;
        let (over, goals) = match self.evaluate(machine, &children) {
            Ok(evaluated) => evaluated,
            Err(error) => {
                // The next step creates these children again, so their hashes must not mark them as repeated.
                for (state, _) in &children {
                    self.seen.remove(&hash_of(state));
                }
                return Err(error);
            }
        };
        self.branching = (children.len() / count).max(1);
        self.expanded += count;
        let weights = ScoreWeights::of_round(self.round);
        let (mut best, mut found) = (above, None);
        for (at, (state, link)) in children.into_iter().enumerate() {
            let share = goals[at].score().share();
            if over[at] {
                if share > best {
                    best = share;
                    found = Some(self.variation(link, share));
                }
                continue;
            }
            let near = self.nearness.get(at).copied().unwrap_or(0.0);
            let mut score = weights.of_goal(near, share as f32, random);
            if weights.mobility > 0.0 {
                score += weights.of_moves(self.legal[at].len(), self.branching);
            }
            self.next.push(Candidate { state, link, score });
        }
        if self.next.len() > self.width * SLACK {
            self.prune();
        }
        Ok(found)
    }

    /// Creates the children of the next `count` states of the layer. Returns those children that have not
    /// been seen in this round, each with its link.
    fn unseen_children<M: Playouts<State = S>>(
        &mut self,
        machine: &mut M,
        count: usize,
    ) -> Result<Vec<(S, Link)>, EvalError> {
        let parents: Vec<&S> = self.layer[self.expanded..][..count].iter().collect();
        machine.all_legal_moves(&parents, &mut self.legal)?;
        for legal in &mut self.legal {
            let all = legal.len();
            machine.distinct_moves(Role(0), legal);
            // The states after the dropped equivalent moves are not created, so the search is not exhaustive.
            self.pruned |= legal.len() < all;
        }
        let all = children(machine, &parents, &self.legal)?;
        let mut unseen = Vec::new();
        let room = !self.is_full();
        for Child { parent, mv, state } in all {
            let hash = hash_of(&state);
            let new = if room { self.seen.insert(hash) } else { !self.seen.contains(&hash) };
            if new {
                unseen.push((state, ((self.expanded + parent) as u32, mv)));
            }
        }
        Ok(unseen)
    }

    /// Returns two lists: whether each of `children` is terminal, and the goals of each. Stores how near
    /// each child is to the best goal. Also stores the legal moves of each child if this round's
    /// [`ScoreWeights`] give mobility a weight.
    fn evaluate<M: Playouts<State = S>>(
        &mut self,
        machine: &mut M,
        children: &[(S, Link)],
    ) -> Result<(Vec<bool>, Vec<Goals>), EvalError> {
        let states: Vec<&S> = children.iter().map(|(state, _)| state).collect();
        let (mut over, mut goals) = (Vec::new(), Vec::new());
        machine.outcomes(&states, &mut over, &mut goals)?;
        machine.nearness(&states, Role(0), &mut self.nearness)?;
        if ScoreWeights::of_round(self.round).mobility > 0.0 {
            machine.all_legal_moves(&states, &mut self.legal)?;
        }
        Ok((over, goals))
    }

    /// Proceeds to the next layer, or starts the next round if there is no next layer.
    fn next_layer<M: Playouts<State = S>>(&mut self, machine: &M) {
        if self.next.is_empty() || self.is_full() {
            self.exhausted = !self.pruned && !self.is_full();
            if !self.exhausted {
                self.round += 1;
                let of_state = size_of::<Candidate<S>>() + machine.heap_bytes(&self.root);
                let most = self.bytes / 2 / (of_state * (SLACK + 1));
                self.width = (self.width * 2).min(most).max(FIRST_WIDTH);
                self.begin_round();
            }
            return;
        }
        if self.next.len() > self.width {
            self.prune();
        }
        let (states, links) = self.next.drain(..).map(|one| (one.state, one.link)).unzip();
        self.layer = states;
        self.links.push(links);
        self.expanded = 0;
    }

    /// Whether the memory for the hashes of seen states is used up. After that, the search could not recognise
    /// repeated states.
    fn is_full(&self) -> bool {
        self.seen.len() * SEEN_BYTES >= self.bytes / 2
    }

    /// Keeps only the best states of the next layer.
    fn prune(&mut self) {
        self.pruned = true;
        self.next.select_nth_unstable_by(self.width, |a, b| b.score.total_cmp(&a.score));
        self.next.truncate(self.width);
    }

    /// The variation from the root to a child of a state in the current layer. `parent` and `mv` form the
    /// link of the child, and `share` is the goal in the child divided by 100.
    fn variation(&self, (parent, mv): Link, share: f64) -> Variation {
        let mut moves = vec![mv];
        let mut at = parent;
        for links in self.links.iter().rev() {
            let (before, mv) = links[at as usize];
            moves.push(mv);
            at = before;
        }
        moves.reverse();
        Variation::of(moves, share)
    }
}

/// The bytes counted for each seen state: its hash, its link, and an allowance for free slots of the hash
/// set.
const SEEN_BYTES: usize = 32;

#[cfg(test)]
mod tests {
    use super::Beam;
    use crate::test_games::{self, Rules, TestMachine};
    use crate::variation::Variation;
    use ggp_game::rng::Sequence;
    use ggp_game::{Move, StateMachine};

    const CODE: [u32; 7] = [1, 0, 2, 2, 1, 0, 1];

    /// Runs the beam search of a combination lock ([`CODE`]) to the end. Returns the number of steps that
    /// failed.
    fn open<R: Rules>(mut machine: TestMachine<R>) -> usize {
        let root = machine.initial_state().unwrap();
        let mut beam = Beam::new(root, 1 << 24, None);
        let (mut best, mut failed) = (None, 0);
        let mut random = Sequence::new(1);
        for _ in 0..10_000 {
            let above = best.as_ref().map_or(-1.0, |best: &Variation| best.share);
            match beam.step(&mut machine, above, &mut random) {
                Ok(found) => best = found.or(best),
                Err(_) => failed += 1,
            }
        }
        assert!(beam.is_exhausted());
        let mut variation = best.unwrap();
        assert!((variation.share - 1.0).abs() < 1e-9, "its share is {}", variation.share);
        for digit in CODE {
            assert_eq!(variation.next(), Some(Move(digit)));
            variation = variation.after(Move(digit)).unwrap();
        }
        assert_eq!(variation.next(), None);
        failed
    }

    #[test]
    fn a_small_game_is_searched_to_the_end() {
        assert_eq!(open(test_games::combination(&CODE)), 0);
    }

    #[test]
    fn a_step_that_is_interrupted_is_repeated_in_full() {
        assert_eq!(open(test_games::interrupted_combination(&CODE, 5)), 5);
    }
}
