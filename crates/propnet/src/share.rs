//! Sharing: a pair of inputs that several conjunctions have in common gets a cell of its own.

use crate::circuit::{Cell, Circuit};
use crate::node::Signal;
use ggp_game::{EvalError, StopToken};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// The maximum number of pairs of inputs that sharing considers. The widest gates are excluded first.
const PAIRS: usize = 3_000_000;
/// A pair of inputs gets a gate of its own if at least this many conjunctions contain the pair. Each use of
/// the pair leaves its conjunction one input shorter. A conjunction takes one three-input gate for every two
/// inputs, so each use saves half a gate.
const USES: u32 = 3;

/// Two inputs, in ascending order.
type Pair = (Signal, Signal);

/// The pairs that may get a cell.
#[derive(Default)]
struct Pairs {
    /// For each pair, its conjunctions, as a range of `cells`. Some of these may no longer contain the pair.
    users: FxHashMap<Pair, Range<usize>>,
    cells: Vec<u32>,
    /// The pairs by the number of their conjunctions. The number may be too large.
    queue: BinaryHeap<(u32, Reverse<Pair>)>,
    tally: Tally,
}

/// Counts how many conjunctions contain an input, for a list of conjunctions.
#[derive(Default)]
struct Tally {
    /// For each signal, the number of conjunctions counted so far. Zero between two lists.
    counts: Vec<u32>,
    /// For each signal that [`USES`] conjunctions contain, where the next of them goes.
    places: Vec<usize>,
    /// The signals whose count is not zero.
    counted: Vec<Signal>,
}

fn number(signal: Signal) -> usize {
    signal.node() * 2 + usize::from(signal.is_negated())
}

impl Pairs {
    /// Adds the pairs of `one` and an input in `inputs` of the conjunctions `at`, if enough conjunctions contain
    /// the pair. `inputs` gives the inputs of a conjunction without `one`.
    fn add<'a>(&mut self, one: Signal, at: &[u32], inputs: impl Fn(u32) -> &'a [Signal]) {
        let Tally { counts, places, counted } = &mut self.tally;
        for &input in at.iter().flat_map(|&at| inputs(at)) {
            let number = number(input);
            if number >= counts.len() {
                counts.resize(number + 1, 0);
                places.resize(number + 1, 0);
            }
            if counts[number] == 0 {
                counted.push(input);
            }
            counts[number] += 1;
        }
        for &two in counted.iter().filter(|&&two| counts[number(two)] >= USES) {
            let count = counts[number(two)];
            let pair = (one.min(two), one.max(two));
            let start = self.cells.len();
            self.cells.resize(start + count as usize, 0);
            places[number(two)] = start;
            self.users.insert(pair, start..start + count as usize);
            self.queue.push((count, Reverse(pair)));
        }
        for &at in at {
            for &input in inputs(at) {
                let number = number(input);
                if counts[number] >= USES {
                    self.cells[places[number]] = at;
                    places[number] += 1;
                }
            }
        }
        counted.drain(..).for_each(|two| counts[number(two)] = 0);
    }

    /// Takes the pair that the most conjunctions contain, the smallest pair among equals, and the
    /// conjunctions. `None` once no pair is left that enough conjunctions contain.
    fn take(&mut self, circuit: &Circuit, stop: &StopToken) -> Result<Option<(Pair, Vec<u32>)>, EvalError> {
        while let Some((count, Reverse(pair))) = self.queue.pop() {
            stop.check()?;
            let Some(users) = self.users.get_mut(&pair) else { continue };
            let mut end = users.start;
            for place in users.clone() {
                let at = self.cells[place];
                let inputs = circuit.inputs(at as usize);
                if inputs.binary_search(&pair.0).is_ok() && inputs.binary_search(&pair.1).is_ok() {
                    self.cells[end] = at;
                    end += 1;
                }
            }
            users.end = end;
            let now = users.len() as u32;
            if now >= USES && now < count {
                self.queue.push((now, Reverse(pair)));
                continue;
            }
            if let Some(users) = self.users.remove(&pair).filter(|_| now >= USES) {
                return Ok(Some((pair, self.cells[users].to_vec())));
            }
        }
        Ok(None)
    }
}

impl Circuit {
    /// Creates a cell for each pair of inputs that several conjunctions have in common, starting with the
    /// most frequent pair.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn share_pairs(&mut self, stop: &StopToken) -> Result<(), EvalError> {
        let mut pairs = self.common_pairs(stop)?;
        while let Some((pair, cells)) = pairs.take(self, stop)? {
            // A conjunction of just this pair serves as the shared cell.
            let whole = cells.iter().find(|&&at| self.width(at as usize) == 2).copied();
            let shared = match whole {
                Some(at) => Signal::of_node(at as usize),
                None => self.push(Cell::And(vec![pair.0, pair.1])),
            };
            let readers: Vec<u32> = cells.into_iter().filter(|&at| at as usize != shared.node()).collect();
            for &at in &readers {
                if let Cell::And(inputs) = &mut self.cells[at as usize] {
                    inputs.retain(|&input| input != pair.0 && input != pair.1);
                }
            }
            pairs.add(shared, &readers, |at| self.inputs(at as usize));
            for &at in &readers {
                if let Cell::And(inputs) = &mut self.cells[at as usize] {
                    let place = inputs.partition_point(|&input| input < shared);
                    inputs.insert(place, shared);
                }
            }
        }
        Ok(())
    }

    /// The pairs of inputs that several conjunctions have in common. The inputs of each conjunction must be
    /// in ascending order.
    fn common_pairs(&self, stop: &StopToken) -> Result<Pairs, EvalError> {
        let mut by_width: Vec<usize> = (0..self.cells.len()).filter(|&at| self.width(at) > 1).collect();
        by_width.sort_by_key(|&at| self.width(at));
        let mut count = 0;
        let fits = |at: &usize| {
            let width = self.width(*at);
            count += width * (width - 1) / 2;
            count <= PAIRS
        };
        let mut uses: Vec<(Signal, u32)> = Vec::new();
        for at in by_width.into_iter().take_while(fits) {
            uses.extend(self.inputs(at).iter().map(|&input| (input, at as u32)));
        }
        uses.sort_unstable();
        let mut pairs = Pairs::default();
        for same in uses.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() >= USES as usize) {
            stop.check()?;
            let one = same[0].0;
            let cells: Vec<u32> = same.iter().map(|&(_, at)| at).collect();
            pairs.add(one, &cells, |at| {
                let inputs = self.inputs(at as usize);
                &inputs[inputs.partition_point(|&input| input <= one)..]
            });
        }
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::USES;
    use crate::circuit::{Cell, Circuit};
    use crate::node::Signal;
    use crate::steps::Steps;
    use ggp_game::StopToken;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const INPUTS: u32 = 6;

    proptest! {
        #[test]
        fn sharing_keeps_the_functions_and_leaves_no_frequent_pair(
            conjunctions in prop::collection::btree_set(prop::collection::btree_map(0..INPUTS, any::<bool>(), 2..6), 1..16)
        ) {
            let mut cells = vec![Cell::False];
            cells.extend((0..INPUTS).map(Cell::State));
            for inputs in &conjunctions {
                let literals = inputs.iter().map(|(&bit, &on)| Signal::of_node(bit as usize + 1).negated_if(!on));
                cells.push(Cell::And(literals.collect()));
            }
            let roots: Vec<Signal> = (INPUTS as usize + 1..cells.len()).map(Signal::of_node).collect();
            let mut circuit = Circuit { cells, components: Vec::new(), roots, steps: Steps::default() };

            circuit.share_pairs(&StopToken::new()).unwrap();

            for (inputs, &root) in conjunctions.iter().zip(&circuit.roots) {
                for state in 0..1 << INPUTS {
                    let holds = inputs.iter().all(|(&bit, &on)| (state >> bit & 1 == 1) == on);
                    prop_assert_eq!(circuit.value(root, state), holds, "{:?} in state {:b}", inputs, state);
                }
            }
            let mut users: BTreeMap<(Signal, Signal), u32> = BTreeMap::new();
            for at in 0..circuit.cells.len() {
                let inputs = circuit.inputs(at);
                prop_assert!(inputs.is_sorted());
                for (i, &one) in inputs.iter().enumerate() {
                    inputs[i + 1..].iter().for_each(|&two| *users.entry((one, two)).or_default() += 1);
                }
            }
            prop_assert!(users.values().all(|&users| users < USES), "{users:?}");
        }
    }
}
