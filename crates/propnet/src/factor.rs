//! Factoring: takes a literal that several terms of a disjunction have in common out of these terms.

use crate::circuit::{Cell, Circuit};
use crate::node::Signal;
use ggp_game::{EvalError, StopToken};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// The terms of one disjunction: negated inputs of a cell that are conjunctions without another reader.
#[derive(Default)]
struct Terms {
    /// For each term, its position among the inputs of the cell, and the conjunction.
    members: Vec<(usize, usize)>,
    /// For each term, whether a factor has been taken out of it.
    taken: Vec<bool>,
    /// Each literal with each term that contains it, in ascending order.
    uses: Vec<(Signal, u32)>,
    /// The literals that at least two terms contain, in ascending order, each with its range of `uses`.
    common: Vec<(Signal, Range<usize>)>,
    /// For each literal of `common`, the number of terms that contain it and that are not taken.
    counts: Vec<u32>,
    /// The literals of `common` by count; among equals by the number of readers, if that matters. A count may be
    /// too large, because it falls when a term is taken.
    queue: BinaryHeap<(u32, Reverse<(u32, Signal)>)>,
}

impl Terms {
    /// Collects the terms of the disjunction whose negation is the cell `at`. If `fewest_readers` is set, the
    /// literal with the fewest readers comes first among literals that equally many terms contain.
    fn collect(&mut self, circuit: &Circuit, fanouts: &[u32], fewest_readers: bool, at: usize) {
        self.members.clear();
        for (position, &signal) in circuit.inputs(at).iter().enumerate() {
            let cell = signal.node();
            if signal.is_negated() && fanouts[cell] == 1 && matches!(circuit.cells[cell], Cell::And(_)) {
                self.members.push((position, cell));
            }
        }
        self.uses.clear();
        self.common.clear();
        self.counts.clear();
        if self.members.len() < 2 {
            return;
        }
        for (term, &(_, cell)) in (0..).zip(&self.members) {
            self.uses.extend(circuit.inputs(cell).iter().map(|&literal| (literal, term)));
        }
        self.uses.sort_unstable();
        let mut start = 0;
        for same in self.uses.chunk_by(|a, b| a.0 == b.0) {
            let end = start + same.len();
            if same.len() > 1 {
                self.common.push((same[0].0, start..end));
                self.counts.push(same.len() as u32);
            }
            start = end;
        }
        self.taken.clear();
        self.taken.resize(self.members.len(), false);
        let readers = |literal: Signal| if fewest_readers { fanouts[literal.node()] } else { 0 };
        let counted = self.common.iter().zip(&self.counts);
        self.queue =
            counted.map(|(&(literal, _), &count)| (count, Reverse((readers(literal), literal)))).collect();
    }

    /// Takes the terms of the literal that the most terms contain, the smallest literal among equals. Returns
    /// the literal and the cells of these terms. `None` if no two terms that are left have a literal in common.
    fn take(&mut self, circuit: &Circuit) -> Option<(Signal, Vec<usize>)> {
        loop {
            let (count, Reverse((readers, factor))) = self.queue.pop()?;
            let at = self.index(factor)?;
            let now = self.counts[at];
            if now != count {
                if now > 1 {
                    self.queue.push((now, Reverse((readers, factor))));
                }
                continue;
            }
            let mut cells = Vec::with_capacity(count as usize);
            for &(_, term) in &self.uses[self.common[at].1.clone()] {
                if std::mem::replace(&mut self.taken[term as usize], true) {
                    continue;
                }
                let cell = self.members[term as usize].1;
                cells.push(cell);
                for &literal in circuit.inputs(cell) {
                    if let Some(other) = self.index(literal) {
                        self.counts[other] -= 1;
                    }
                }
            }
            return Some((factor, cells));
        }
    }

    fn index(&self, literal: Signal) -> Option<usize> {
        self.common.binary_search_by_key(&literal, |&(literal, _)| literal).ok()
    }
}

impl Circuit {
    /// Factors out common literals: ¬(l r₁) ¬(l r₂) becomes ¬(l (r₁ ∨ r₂)). The literal that the most terms
    /// contain comes first. If `fewest_readers` is set, the literal with the fewest readers comes first among
    /// equals, otherwise the smallest literal.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised.
    pub(crate) fn factor(&mut self, fewest_readers: bool, stop: &StopToken) -> Result<(), EvalError> {
        let mut fanouts = self.fanouts();
        let mut pending: Vec<usize> = (0..self.cells.len()).collect();
        let mut terms = Terms::default();
        while let Some(at) = pending.pop() {
            stop.check()?;
            terms.collect(self, &fanouts, fewest_readers, at);
            let mut products = Vec::new();
            while let Some((factor, cells)) = terms.take(self) {
                stop.check()?;
                let clause = self.without(factor, cells);
                // A term that consists of the factor alone absorbs the other terms.
                if clause.contains(&Signal::FALSE) {
                    products.push(!factor);
                    continue;
                }
                let rest = self.push(Cell::And(clause));
                pending.push(rest.node());
                let product = self.push(Cell::And(vec![factor, !rest]));
                fanouts.extend([1, 1]);
                products.push(!product);
            }
            if let (false, Cell::And(inputs)) = (products.is_empty(), &mut self.cells[at]) {
                let mut taken =
                    terms.members.iter().zip(&terms.taken).filter(|&(_, &taken)| taken).peekable();
                let mut position = 0..;
                inputs.retain(|_| {
                    let position = position.next();
                    taken.next_if(|&(&(term, _), _)| Some(term) == position).is_none()
                });
                inputs.append(&mut products);
            }
        }
        Ok(())
    }

    /// Removes `factor` from the conjunctions `cells`. Returns the negations of what is left of them, in
    /// ascending order. These include the constant false if nothing is left of one.
    fn without(&mut self, factor: Signal, cells: Vec<usize>) -> Vec<Signal> {
        let mut clause = Vec::with_capacity(cells.len());
        for cell in cells {
            let Cell::And(literals) = &mut self.cells[cell] else { continue };
            literals.retain(|&literal| literal != factor);
            clause.push(match literals[..] {
                [] => Signal::FALSE,
                [one] => {
                    self.cells[cell] = Cell::False;
                    !one
                }
                _ => !Signal::of_node(cell),
            });
        }
        clause.sort_unstable();
        clause.dedup();
        clause
    }
}

#[cfg(test)]
mod tests {
    use crate::circuit::{Cell, Circuit};
    use crate::node::Signal;
    use crate::steps::Steps;
    use ggp_game::StopToken;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const INPUTS: u32 = 6;

    proptest! {
        #[test]
        fn factoring_keeps_the_function_and_leaves_no_common_literal(
            terms in prop::collection::btree_set(prop::collection::btree_map(0..INPUTS, any::<bool>(), 1..5), 1..12),
            fewest_readers: bool,
        ) {
            // The negated disjunction of `terms`. Every state bit has a second reader.
            let mut cells = vec![Cell::False];
            cells.extend((0..INPUTS).map(Cell::State));
            let mut none = Vec::new();
            for term in &terms {
                let literals = term.iter().map(|(&bit, &on)| Signal::of_node(bit as usize + 1).negated_if(!on));
                cells.push(Cell::And(literals.collect()));
                none.push(!Signal::of_node(cells.len() - 1));
            }
            cells.push(Cell::And(none));
            let root = Signal::of_node(cells.len() - 1);
            let mut roots: Vec<Signal> = (1..=INPUTS as usize).map(Signal::of_node).collect();
            roots.push(root);
            let mut circuit = Circuit { cells, components: Vec::new(), roots, steps: Steps::default() };

            circuit.factor(fewest_readers, &StopToken::new()).unwrap();

            for state in 0..1 << INPUTS {
                let holds = terms.iter().any(|term| term.iter().all(|(&bit, &on)| (state >> bit & 1 == 1) == on));
                prop_assert_eq!(circuit.value(root, state), !holds, "state {:b}", state);
            }
            let mut seen = BTreeSet::new();
            for &input in circuit.inputs(root.node()) {
                if input.node() > INPUTS as usize {
                    for &literal in circuit.inputs(input.node()) {
                        prop_assert!(seen.insert(literal), "{literal:?} is in two terms");
                    }
                }
            }
        }
    }
}
