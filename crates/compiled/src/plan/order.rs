//! The search for the order of a rule's conditions.

use super::draft::Draft;
use super::{Compiler, Source};
use crate::code::Mode;
use ggp_datalog::{Argument, Literal};

/// The assumed share of pairs of values that differ.
const DIFFERENT: f64 = 0.9;

/// The number of orders that the search keeps at each length, for rules with few atoms and for others, and the
/// number of atoms that counts as few.
const WIDE_BEAM: usize = 48;
const NARROW_BEAM: usize = 4;
const FEW_ATOMS: usize = 12;

/// The number of beginnings of orders that the search tries in all rules together before it keeps only one at each
/// length.
pub(super) const BEGINNINGS: usize = 1_000_000;

/// The beginning of an order of conditions.
#[derive(Clone)]
struct Order<'a> {
    draft: Draft<'a>,
    sequence: Vec<usize>,
    /// The expected number of rows.
    rows: f64,
    /// The expected cost so far.
    cost: f64,
}

impl Order<'_> {
    fn score(&self) -> f64 {
        self.cost + self.rows
    }

    /// Appends the condition `at`, which gives `rows` rows for each row so far and costs `cost`.
    fn take(&mut self, at: usize, rows: f64, cost: f64) {
        self.draft.done[at] = true;
        self.sequence.push(at);
        self.cost += self.rows * (cost + rows);
        self.rows *= rows;
        for argument in self.draft.rule.body[at].arguments() {
            if let Argument::Variable(variable) = argument {
                let is_known = self.draft.bound[variable.index()].is_some();
                if !is_known {
                    self.draft.bound[variable.index()] = Some(0);
                }
            }
        }
    }
}

impl Compiler<'_> {
    /// The expected rows and cost of the condition `at` as the next one. `None` if it cannot come next.
    fn expected(&self, draft: &Draft<'_>, at: usize) -> Option<(f64, f64)> {
        let (atom, positive) = match &draft.rule.body[at] {
            Literal::Positive(atom) => (atom, true),
            Literal::Negative(atom) => (atom, false),
            _ => return None,
        };
        let modes = draft.modes(atom, at);
        if !positive && modes.iter().any(|&mode| mode != Mode::Bound) {
            return None;
        }
        let bound = |column: usize| modes[column] == Mode::Bound;
        let (rows, cost) = match self.sources[atom.relation.index()] {
            Source::Static(table) => (self.code.statics[table as usize].expected(bound), 1.0),
            Source::Input(input) => (self.measured.input(input as usize, modes.len(), bound), 1.0),
            Source::Derived => {
                let columns = (0..modes.len()).filter(|&column| modes[column] == Mode::Free);
                let size = |column: usize| {
                    let domain = self.rules.domains.of(atom.relation, column).listed();
                    domain.map_or(100, |domain| domain.iter().count())
                };
                let most = columns.map(|column| size(column) as f64).product();
                self.measured.procedure(atom.relation, &modes, most)
            }
        };
        let rows = if modes.contains(&Mode::Free) {
            rows
        } else if positive {
            rows.clamp(0.02, 0.98)
        } else {
            1.0 - rows.clamp(0.02, 0.98)
        };
        Some((rows, cost))
    }

    /// The order of the atoms with the lowest expected cost, found by a beam search.
    pub(super) fn order(&mut self, draft: &Draft<'_>) -> Vec<usize> {
        let start = Draft { ops: Vec::new(), ..draft.clone() };
        let mut beam = vec![Order { draft: start, sequence: Vec::new(), rows: 1.0, cost: 0.0 }];
        self.settle(&mut beam[0]);
        let atoms =
            draft.rule.body.iter().filter(|l| matches!(l, Literal::Positive(_) | Literal::Negative(_)));
        let width = match atoms.count() {
            _ if self.beginnings == 0 => 1,
            few if few <= FEW_ATOMS => WIDE_BEAM,
            _ => NARROW_BEAM,
        };
        let mut best: Option<Order<'_>> = None;
        let mut tried = 0;
        loop {
            let mut longer: Vec<Order<'_>> = Vec::new();
            for state in &beam {
                if state.draft.done.iter().all(|&done| done)
                    && best.as_ref().is_none_or(|best| state.score() < best.score())
                {
                    best = Some(state.clone());
                }
                for at in (0..draft.rule.body.len()).filter(|&at| !state.draft.done[at]) {
                    let Some((rows, cost)) = self.expected(&state.draft, at) else { continue };
                    tried += 1;
                    let mut next = state.clone();
                    next.take(at, rows, cost);
                    self.settle(&mut next);
                    match longer.iter_mut().find(|other| other.draft.done == next.draft.done) {
                        Some(other) if other.score() <= next.score() => {}
                        Some(other) => *other = next,
                        None => longer.push(next),
                    }
                }
            }
            if longer.is_empty() {
                self.beginnings = self.beginnings.saturating_sub(tried);
                return best.map_or_else(Vec::new, |best| best.sequence);
            }
            longer.sort_by(|a, b| a.score().total_cmp(&b.score()));
            longer.truncate(width);
            beam = longer;
        }
    }

    /// Takes all conditions that [`Compiler::place_tests`] would place now.
    fn settle(&self, state: &mut Order<'_>) {
        loop {
            let mut changed = false;
            for at in 0..state.draft.rule.body.len() {
                if state.draft.done[at] {
                    continue;
                }
                let rule = state.draft.rule;
                let has = |argument: &Argument| state.draft.operand(*argument).is_some();
                let expected = match &rule.body[at] {
                    Literal::Distinct(a, b) if has(a) && has(b) => Some((DIFFERENT, 0.5)),
                    Literal::Compose { term, args, .. } if has(term) || args.iter().all(has) => {
                        Some((1.0, 2.0))
                    }
                    Literal::Positive(atom) | Literal::Negative(atom)
                        if !matches!(self.sources[atom.relation.index()], Source::Derived)
                            && atom.args.iter().all(has) =>
                    {
                        self.expected(&state.draft, at)
                    }
                    _ => None,
                };
                if let Some((rows, cost)) = expected {
                    state.take(at, rows, cost);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }
}
