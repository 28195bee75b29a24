//! Guards: groups of gates that are left out of a step if a value, the guard of the group, is false in all lanes.
//!
//! Two kinds of groups are found among the gates of a section. A cone is a conjunction with a large condition
//! that nothing else reads: it is false where its guard is false. A chain is a sequence of gates that narrow one
//! value by one product after the other; the gates of many chains that share a literal form a group, and where
//! the literal is false they leave the values of their chains as they are.

mod chains;
mod cones;

use self::chains::chains;
use self::cones::cones;
use crate::allocate::OutputValues;
use crate::gates::{Item, Section, Value, ValueGate};

/// The sizes from which guards save more than they cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// Sections with fewer gates get no guards: their rows stay in the first-level cache, where tests cost as much
    /// as they save.
    pub(crate) section: usize,
    /// A group has at least this many gates.
    pub(crate) group: usize,
    /// Groups split the runs of gates of one kind, and guards take blocks of their own. A section has at least this
    /// many gates with guards for each block that it has more for the groups, or it gets no guards.
    pub(crate) each_block: usize,
}

impl Sizes {
    /// The sizes for playouts in lanes.
    pub(crate) const LANES: Sizes = Sizes { section: 2048, group: 32, each_block: 10 };
}

/// Gates that run or are left out together.
enum Unit {
    Gate(ValueGate),
    Cone { guard: Value, gates: Vec<ValueGate> },
}

impl Unit {
    fn gates(&self) -> &[ValueGate] {
        match self {
            Unit::Gate(gate) => std::slice::from_ref(gate),
            Unit::Cone { gates, .. } => gates,
        }
    }

    /// The items of the unit, in execution order.
    fn items(self) -> Vec<Item> {
        match self {
            Unit::Gate(gate) => vec![Item::Gate(gate)],
            Unit::Cone { guard, gates } => {
                let root = gates.last().map(|gate| gate.out);
                let gates = gates.into_iter().map(Item::Gate);
                [Item::Guard(guard)].into_iter().chain(gates).chain([Item::End(root)]).collect()
            }
        }
    }
}

/// Groups the gates of `section` behind guards. `uses` gives the number of readers of each value: inputs of gates
/// of any section, and outputs. `None` for sections with loops, small sections and sections without large groups.
pub(crate) fn guarded(section: &Section, uses: &[u32], sizes: Sizes) -> Option<Section> {
    if section.len() < sizes.section {
        return None;
    }
    let gate = |item: &Item| if let Item::Gate(gate) = item { Some(*gate) } else { None };
    let gates: Vec<ValueGate> = section.iter().map(gate).collect::<Option<_>>()?;
    let units = cones(gates, uses, sizes.group);
    let section = chains(units, uses, sizes.group);
    section.iter().any(|item| matches!(item, Item::Guard(_))).then_some(section)
}

/// The items of gates that narrow their own rows, behind `guard` if there is one.
pub(crate) fn group(guard: Option<Value>, gates: Vec<ValueGate>) -> impl Iterator<Item = Item> {
    let end = guard.map(|_| Item::End(None));
    guard.map(Item::Guard).into_iter().chain(gates.into_iter().map(Item::Fixed)).chain(end)
}

/// Whether the guards of `grouped` save more than its further blocks cost. `plain` has the same gates without
/// guards. Both are in execution order.
pub(crate) fn pays(plain: &Section, grouped: &Section, sizes: Sizes) -> bool {
    let more = blocks(grouped).saturating_sub(blocks(plain));
    guarded_gates(grouped) >= more.saturating_mul(sizes.each_block)
}

/// The number of blocks of a section without loops: runs of gates of one kind, guards, and ends of groups.
fn blocks(section: &Section) -> usize {
    let mut last = None;
    let starts = section.iter().filter(|item| {
        let kind = match item {
            Item::Gate(gate) | Item::Fixed(gate) => Some(gate.kind),
            Item::Loop(_) | Item::Guard(_) | Item::End(_) => None,
        };
        std::mem::replace(&mut last, kind) != kind || kind.is_none()
    });
    starts.count()
}

/// The number of gates behind guards.
fn guarded_gates(section: &Section) -> usize {
    let mut is_behind = false;
    let counts = section.iter().map(|item| {
        is_behind = matches!(item, Item::Guard(_)) || is_behind && !matches!(item, Item::End(_));
        if is_behind { item.gates() } else { 0 }
    });
    counts.sum()
}

/// The inputs of a gate, each once.
pub(crate) fn inputs(gate: &ValueGate) -> impl Iterator<Item = Value> + '_ {
    let is_first = |at: &usize| !gate.inputs[..*at].contains(&gate.inputs[*at]);
    (0..3).filter(is_first).map(|at| gate.inputs[at])
}

/// For each value, the number of its readers: gates and outputs.
pub(crate) fn uses(values: usize, sections: &[Section], held: &Section, outputs: &OutputValues) -> Vec<u32> {
    let mut uses = vec![0; values];
    for item in sections.iter().flatten().chain(held) {
        match item {
            Item::Gate(gate) | Item::Fixed(gate) => inputs(gate).for_each(|input| uses[input as usize] += 1),
            Item::Guard(value) => uses[*value as usize] += 1,
            Item::Loop(recursion) => {
                recursion.gates.iter().flat_map(inputs).for_each(|input| uses[input as usize] += 1);
                recursion.bodies.iter().for_each(|&(value, _)| uses[value as usize] += 1);
            }
            Item::End(_) => {}
        }
    }
    outputs.iter().for_each(|(value, _)| uses[value as usize] += 1);
    uses
}

#[cfg(test)]
mod tests {
    use super::{Sizes, pays};
    use crate::gate::Kind;
    use crate::gates::{Item, Section, ValueGate};

    fn gates(kinds: &[Kind]) -> impl Iterator<Item = Item> + '_ {
        let gate = |(out, &kind)| Item::Gate(ValueGate { kind, out, inputs: [0; 3] });
        (1..).zip(kinds).map(gate)
    }

    #[test]
    fn guards_pay_only_if_groups_split_few_runs() {
        let sizes = Sizes { section: 0, group: 1, each_block: 4 };
        let grouped = |first: &[Kind], group: &[Kind]| -> Section {
            let group = [Item::Guard(0)].into_iter().chain(gates(group)).chain([Item::End(None)]);
            gates(first).chain(group).collect()
        };
        let plain: Section = gates(&[Kind::And; 9]).chain(gates(&[Kind::And3; 9])).collect();
        // The guard and the end of the group are two more blocks.
        assert!(pays(&plain, &grouped(&[Kind::And; 9], &[Kind::And3; 9]), sizes));
        assert!(!pays(&plain, &grouped(&[Kind::And; 11], &[Kind::And3; 7]), sizes));
        // The gates of one kind outside the group become a run of their own.
        let split = |gates: usize| {
            grouped(&[Kind::And3], &[[Kind::And; 9].as_slice(), &vec![Kind::And3; gates]].concat())
        };
        assert!(!pays(&plain, &split(2), sizes));
        assert!(pays(&plain, &split(3), sizes));
    }
}
