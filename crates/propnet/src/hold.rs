//! Fluents that hold their values: a fluent whose next value is its old value, except where some literal clears
//! it or some product sets it. In a step in which these literals are false in all lanes the fluent needs no gate.
//! The new value is therefore computed in the fluent's own row, in groups of fluents that share a literal.

use crate::circuit::{Cell, Circuit};
use crate::gate::{Literal, conjunction, conjunction_with_clause};
use crate::gates::{Leaf, Mapper, Section, Value, ValueGate};
use crate::guard::group;
use crate::node::Signal;
use rustc_hash::{FxHashMap, FxHashSet};

/// A next value with more products than this is computed outside its row.
const PRODUCTS: usize = 3;

/// One change of a fluent's row.
#[derive(Clone, Copy, Debug)]
struct Update {
    fluent: u32,
    change: Change,
    /// The signal that is false wherever the update changes nothing.
    guard: Signal,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    /// The fluent becomes false where the signal holds.
    Clear(Signal),
    /// The fluent becomes true where both signals hold.
    Set(Signal, Signal),
}

impl Change {
    /// The signals that the change reads. A change of one signal has it twice.
    fn signals(self) -> [Signal; 2] {
        match self {
            Change::Clear(one) => [one, one],
            Change::Set(one, two) => [one, two],
        }
    }
}

/// The updates of all fluents that are computed in their own rows.
#[derive(Default)]
pub(crate) struct Holds {
    /// For each output, whether its fluent is computed in its own row.
    held: Vec<bool>,
    updates: Vec<Update>,
    group_from: usize,
}

impl Holds {
    /// Finds the fluents that hold their values. `next` gives the next value of each of `fluents`; `others` are
    /// further outputs of the next-state section. Fluents count only if one of their updates is in a group of
    /// `group_from` updates.
    pub(crate) fn find(
        circuit: &Circuit,
        fluents: &[u32],
        next: &[Signal],
        others: &[Signal],
        group_from: usize,
    ) -> Holds {
        let fanouts = circuit.fanouts();
        let mut changes: Vec<Option<Vec<Change>>> = fluents
            .iter()
            .zip(next)
            .map(|(&fluent, &signal)| changes(circuit, &fanouts, fluent, signal))
            .collect();
        // Updates run after all other gates, in any order of the fluents, so they read no row that they write.
        let mut read: FxHashSet<u32> = FxHashSet::default();
        let mut reads = |signal: Signal| {
            if let Cell::State(fluent) = circuit.cells[circuit.resolved(signal).node()] {
                read.insert(fluent);
            }
        };
        for &signal in others {
            reads(signal);
        }
        for (changes, &signal) in changes.iter().zip(next) {
            for change in changes.iter().flatten() {
                change.signals().into_iter().for_each(&mut reads);
            }
            if changes.is_none() {
                reads(signal);
            }
        }
        for (changes, fluent) in changes.iter_mut().zip(fluents) {
            if read.contains(fluent) {
                *changes = None;
            }
        }
        // A conjunction or a leaf is stored as it is, a disjunction as its negation, which cannot serve as a guard.
        let mut uses: FxHashMap<Signal, usize> = FxHashMap::default();
        for signal in changes.iter().flatten().flatten().flat_map(|change| change.signals()) {
            *uses.entry(signal).or_default() += usize::from(!signal.is_negated());
        }
        let mut holds = Holds { group_from, ..Holds::default() };
        for (changes, &fluent) in changes.iter().zip(fluents) {
            let of_fluent: Vec<Update> = changes
                .iter()
                .flatten()
                .map(|&change| {
                    let guard = match change {
                        Change::Clear(one) => one,
                        Change::Set(one, two) => {
                            if uses[&one] >= uses[&two] {
                                one
                            } else {
                                two
                            }
                        }
                    };
                    Update { fluent, change, guard }
                })
                .collect();
            let held = of_fluent.iter().any(|update| uses[&update.guard] >= group_from);
            holds.held.push(held);
            if held {
                holds.updates.extend(of_fluent);
            }
        }
        holds
    }

    /// Whether the fluent of the output `at` is computed in its own row.
    pub(crate) fn has(&self, at: usize) -> bool {
        self.held.get(at).is_some_and(|&held| held)
    }

    /// The signals that the updates read.
    pub(crate) fn signals(&self) -> impl Iterator<Item = Signal> + '_ {
        self.updates.iter().flat_map(|update| update.change.signals())
    }

    /// The gates of the updates, in guarded groups. The signals that they read must have been mapped.
    pub(crate) fn section(&self, mapper: &mut Mapper<'_>) -> Section {
        let mut groups: Vec<(Literal<Value>, Vec<ValueGate>)> = Vec::new();
        let mut section = Vec::new();
        for clears in [true, false] {
            let mut of_guard: FxHashMap<Signal, usize> = FxHashMap::default();
            groups.clear();
            for update in &self.updates {
                if matches!(update.change, Change::Clear(_)) != clears {
                    continue;
                }
                let out = mapper.leaf(Leaf::State(update.fluent));
                let (kind, inputs) = match update.change {
                    Change::Clear(one) => conjunction(&[(out, false), mapper.literal(!one)], false),
                    Change::Set(one, two) if one == two => {
                        conjunction(&[(out, true), mapper.literal(!one)], true)
                    }
                    Change::Set(one, two) => {
                        let (one, two) = (mapper.literal(!one), mapper.literal(!two));
                        conjunction_with_clause((out, true), one, two, true)
                    }
                };
                let at = *of_guard.entry(update.guard).or_insert_with(|| {
                    groups.push((mapper.literal(update.guard), Vec::new()));
                    groups.len() - 1
                });
                groups[at].1.push(ValueGate { kind, out, inputs });
            }
            for ((guard, negated), mut gates) in groups.drain(..) {
                gates.sort_by_key(|gate| gate.kind as usize);
                let guard = (!negated && gates.len() >= self.group_from).then_some(guard);
                section.extend(group(guard, gates));
            }
        }
        section
    }
}

/// How the next value `signal` of `fluent` differs from its value. `None` if the value is not held.
fn changes(circuit: &Circuit, fanouts: &[u32], fluent: u32, signal: Signal) -> Option<Vec<Change>> {
    let signal = circuit.resolved(signal);
    let terms = circuit.inputs(signal.node());
    let is_fluent = |signal: Signal| {
        let signal = circuit.resolved(signal);
        !signal.is_negated() && matches!(circuit.cells[signal.node()], Cell::State(one) if one == fluent)
    };
    if fanouts[signal.node()] != 1 || terms.len() > PRODUCTS + 1 {
        return None;
    }
    if !signal.is_negated() {
        return match *terms {
            [one, two] if is_fluent(one) => Some(vec![Change::Clear(!circuit.resolved(two))]),
            [one, two] if is_fluent(two) => Some(vec![Change::Clear(!circuit.resolved(one))]),
            _ => None,
        };
    }
    let (mut held, mut changes) = (false, Vec::new());
    for &term in terms {
        let product = circuit.resolved(!term);
        if is_fluent(product) {
            if std::mem::replace(&mut held, true) {
                return None;
            }
            continue;
        }
        match *circuit.inputs(product.node()) {
            [one, two] if !product.is_negated() && fanouts[product.node()] == 1 => {
                if is_fluent(one) || is_fluent(two) {
                    if std::mem::replace(&mut held, true) {
                        return None;
                    }
                    changes.push(Change::Clear(!circuit.resolved(if is_fluent(one) { two } else { one })));
                } else {
                    changes.push(Change::Set(circuit.resolved(one), circuit.resolved(two)));
                }
            }
            _ => changes.push(Change::Set(product, product)),
        }
    }
    held.then_some(changes)
}
