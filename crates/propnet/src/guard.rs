//! Guards: groups of gates that are left out of a step if a value, the guard of the group, is false in all lanes.
//!
//! Two kinds of groups are found among the gates of a section. A cone is a conjunction with a large condition
//! that nothing else reads: it is false where its guard is false. A chain is a sequence of gates that narrow one
//! value by one product after the other; the gates of many chains that share a literal form a group, and where
//! the literal is false they leave the values of their chains as they are.

use crate::gate::Kind;
use crate::gates::{Item, Section, Value, ValueGate};
use rustc_hash::FxHashMap;

/// The sizes from which guards save more than they cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// Sections with fewer gates get no guards: their rows stay in the first-level cache, where tests cost as much
    /// as they save.
    pub(crate) section: usize,
    /// A group has at least this many gates.
    pub(crate) group: usize,
}

impl Sizes {
    /// The sizes for playouts in lanes.
    pub(crate) const LANES: Sizes = Sizes { section: 2048, group: 32 };
}

/// Gates run in stages only if at least one in this many gates is in a chain.
const GROUPED_FROM: usize = 8;
/// Cones are no larger than this, which bounds the time to find them.
const CONE_UP_TO: usize = 4096;
/// The number of gates that the search for the cones of a section may visit, for each gate of the section.
const VISITS: usize = 64;

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
}

/// Groups the gates of `section` behind guards. `uses` gives the number of readers of each value: inputs of gates
/// of any section, and outputs. Sections with loops, small sections and sections without large groups stay as
/// they are.
pub(crate) fn guarded(section: Section, uses: &[u32], sizes: Sizes) -> Section {
    let has_loop = section.iter().any(|item| !matches!(item, Item::Gate(_)));
    if has_loop || section.len() < sizes.section {
        return section;
    }
    let gates: Vec<ValueGate> = section
        .into_iter()
        .filter_map(|item| match item {
            Item::Gate(gate) => Some(gate),
            _ => None,
        })
        .collect();
    let units = cones(gates, uses, sizes.group);
    chains(units, uses, sizes.group)
}

/// The inputs of a gate, each once.
pub(crate) fn inputs(gate: &ValueGate) -> impl Iterator<Item = Value> + '_ {
    let is_first = |at: &usize| !gate.inputs[..*at].contains(&gate.inputs[*at]);
    (0..3).filter(is_first).map(|at| gate.inputs[at])
}

/// The number of the first inputs of a gate of this kind that make it false where one of them is false.
fn factors(kind: Kind) -> usize {
    match kind {
        Kind::And | Kind::And2Not => 2,
        Kind::And3 => 3,
        Kind::AndNot | Kind::AndNor | Kind::AndOr | Kind::AndOrNot | Kind::AndNand => 1,
        _ => 0,
    }
}

/// Finds cones, the outermost first.
fn cones(gates: Vec<ValueGate>, uses: &[u32], group_from: usize) -> Vec<Unit> {
    let writer: FxHashMap<Value, usize> = gates.iter().enumerate().map(|(at, gate)| (gate.out, at)).collect();
    // For each gate, the root of its cone.
    let mut cone_of: Vec<Option<usize>> = vec![None; gates.len()];
    let mut guards: FxHashMap<usize, Value> = FxHashMap::default();
    let mut visits = VISITS * gates.len();
    for root in (0..gates.len()).rev() {
        if cone_of[root].is_some() {
            continue;
        }
        let mut best: Option<(Vec<usize>, Value)> = None;
        for &guard in &gates[root].inputs[..factors(gates[root].kind)] {
            // A value that only the root needs is a part of its condition, and rarely false in all lanes.
            if writer.contains_key(&guard) && uses[guard as usize] == 1 {
                continue;
            }
            let cone = cone(&gates, &writer, uses, &cone_of, root, guard, &mut visits);
            if cone.len() >= group_from && best.as_ref().is_none_or(|(other, _)| cone.len() > other.len()) {
                best = Some((cone, guard));
            }
        }
        if let Some((cone, guard)) = best {
            for at in cone {
                cone_of[at] = Some(root);
            }
            guards.insert(root, guard);
        }
    }
    // The gates of a cone run just before its root: nothing else reads them.
    let mut inside: FxHashMap<usize, Vec<ValueGate>> = FxHashMap::default();
    let mut units = Vec::new();
    for (at, gate) in gates.into_iter().enumerate() {
        match cone_of[at] {
            None => units.push(Unit::Gate(gate)),
            Some(root) => {
                inside.entry(root).or_default().push(gate);
                if root == at {
                    let gates = inside.remove(&root).unwrap_or_default();
                    units.push(Unit::Cone { guard: guards[&root], gates });
                }
            }
        }
    }
    units
}

/// The gates that only `root` needs, apart from those of its input `guard`. Empty if there are too many.
fn cone(
    gates: &[ValueGate],
    writer: &FxHashMap<Value, usize>,
    uses: &[u32],
    cone_of: &[Option<usize>],
    root: usize,
    guard: Value,
    visits: &mut usize,
) -> Vec<usize> {
    let mut cone = vec![root];
    let mut left: FxHashMap<Value, u32> = FxHashMap::default();
    let mut next = 0;
    while next < cone.len() {
        let gate = &gates[cone[next]];
        next += 1;
        for input in inputs(gate) {
            if *visits == 0 || cone.len() > CONE_UP_TO {
                return Vec::new();
            }
            *visits -= 1;
            let Some(&at) = writer.get(&input) else { continue };
            let left = left.entry(input).or_insert(uses[input as usize]);
            *left -= 1;
            if *left == 0 && input != guard && cone_of[at].is_none() {
                cone.push(at);
            }
        }
    }
    cone
}

/// A chain: gates that narrow one value, each read by the next only.
struct Chain {
    gates: Vec<ValueGate>,
    /// The stage in which all inputs of the chain are known.
    stage: u32,
}

/// What runs between the last groups of chains and the next ones.
#[derive(Default)]
struct Stage {
    units: Vec<Unit>,
    /// The gates of chains, by the guard that they share.
    groups: Vec<(Value, Vec<ValueGate>)>,
}

/// The stage with the index `number`, which is created if necessary.
fn stage(stages: &mut Vec<Stage>, number: u32) -> &mut Stage {
    let number = number as usize;
    if stages.len() <= number {
        stages.resize_with(number + 1, Stage::default);
    }
    &mut stages[number]
}

/// The items of a unit.
fn items(unit: Unit) -> Vec<Item> {
    match unit {
        Unit::Gate(gate) => vec![Item::Gate(gate)],
        Unit::Cone { guard, gates } => {
            let root = gates.last().map(|gate| gate.out);
            let gates = gates.into_iter().map(Item::Gate);
            [Item::Guard(guard)].into_iter().chain(gates).chain([Item::End(root)]).collect()
        }
    }
}

/// Finds chains and groups their gates. The gates run in stages: in each stage first the gates outside groups,
/// then the groups. The value of a chain with gates in groups is known in the stage after these groups.
fn chains(units: Vec<Unit>, uses: &[u32], group_from: usize) -> Section {
    let narrows = |gate: &ValueGate| gate.kind == Kind::AndNand;
    // For each value, the number of gates that narrow a chain by a product with the value.
    let mut shared: FxHashMap<Value, usize> = FxHashMap::default();
    let mut writer: FxHashMap<Value, usize> = FxHashMap::default();
    for (at, unit) in units.iter().enumerate() {
        if let Unit::Gate(gate) = unit {
            writer.insert(gate.out, at);
            if narrows(gate) {
                gate.inputs[1..].iter().for_each(|&input| *shared.entry(input).or_default() += 1);
            }
        }
    }
    let guard_of = |gate: &ValueGate| {
        let [_, one, two] = gate.inputs;
        let count = |value: Value| shared.get(&value).copied().unwrap_or(0);
        let guard = if count(one) >= count(two) { one } else { two };
        (narrows(gate) && count(guard) >= group_from).then_some(guard)
    };
    let members = |unit: &Unit| matches!(unit, Unit::Gate(gate) if guard_of(gate).is_some());
    let grouped = units.iter().filter(|unit| members(unit)).count();
    if grouped * GROUPED_FROM < units.len() {
        return units.into_iter().flat_map(items).collect();
    }

    // Each chain by its last gate; a gate whose only reader continues its chain is not a last one.
    let mut follows: Vec<Option<usize>> = vec![None; units.len()];
    let mut is_last = vec![false; units.len()];
    for (at, unit) in units.iter().enumerate() {
        let Unit::Gate(gate) = unit else { continue };
        if guard_of(gate).is_none() {
            continue;
        }
        is_last[at] = true;
        let acc = gate.inputs[0];
        if let Some(&before) = writer.get(&acc).filter(|_| uses[acc as usize] == 1) {
            follows[at] = Some(before);
            is_last[before] = false;
        }
    }
    let mut chain_of: Vec<Option<usize>> = vec![None; units.len()];
    let mut chains: Vec<Vec<usize>> = Vec::new();
    for at in (0..units.len()).rev().filter(|&at| is_last[at]) {
        let mut chain = vec![at];
        let mut first = at;
        while let Some(before) = follows[first] {
            first = before;
            chain.push(before);
        }
        chain.reverse();
        if chain.len() > 1 {
            for &at in &chain {
                chain_of[at] = Some(chains.len());
            }
            chains.push(chain);
        }
    }

    let mut stage_of: FxHashMap<Value, u32> = FxHashMap::default();
    let mut stages: Vec<Stage> = Vec::new();
    let mut group_of: FxHashMap<(u32, Value), usize> = FxHashMap::default();
    let mut open: Vec<Chain> = chains.iter().map(|_| Chain { gates: Vec::new(), stage: 0 }).collect();
    for (at, unit) in units.into_iter().enumerate() {
        let known = |value: Value| stage_of.get(&value).copied().unwrap_or(0);
        let of_inputs = unit.gates().iter().flat_map(|gate| gate.inputs).map(known).max().unwrap_or(0);
        let (Some(number), Unit::Gate(gate)) = (chain_of[at], &unit) else {
            stage_of.extend(unit.gates().iter().map(|gate| (gate.out, of_inputs)));
            stage(&mut stages, of_inputs).units.push(unit);
            continue;
        };
        let chain = &mut open[number];
        chain.gates.push(*gate);
        chain.stage = chain.stage.max(of_inputs);
        if chain.gates.len() < chains[number].len() {
            // The stage of a value inside the chain is not asked for: only the chain reads it.
            continue;
        }
        let (number, last) = (chain.stage, gate.out);
        let stage = stage(&mut stages, number);
        let mut gates = std::mem::take(&mut chain.gates).into_iter();
        if let Some(mut first) = gates.next() {
            first.out = last;
            stage.units.push(Unit::Gate(first));
        }
        for mut gate in gates {
            let Some(guard) = guard_of(&gate) else { continue };
            (gate.inputs[0], gate.out) = (last, last);
            let groups = &mut stage.groups;
            let group = *group_of.entry((number, guard)).or_insert_with(|| {
                groups.push((guard, Vec::new()));
                groups.len() - 1
            });
            groups[group].1.push(gate);
        }
        stage_of.insert(last, number + 1);
    }

    let mut section = Vec::new();
    for Stage { units, groups } in stages {
        section.extend(units.into_iter().flat_map(items));
        for (guard, gates) in groups {
            let is_guarded = gates.len() >= group_from;
            if is_guarded {
                section.push(Item::Guard(guard));
            }
            section.extend(gates.into_iter().map(Item::Fixed));
            if is_guarded {
                section.push(Item::End(None));
            }
        }
    }
    section
}
