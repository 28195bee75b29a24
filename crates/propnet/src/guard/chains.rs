//! Chains: sequences of gates that narrow one value by one product after the other. The gates of many chains that
//! share a literal form a group. Where the literal is false, they leave the values of their chains as they are.

use super::{Unit, group};
use crate::gate::Kind;
use crate::gates::{Section, Value, ValueGate};
use rustc_hash::FxHashMap;

/// Gates run in stages only if at least one in this many gates is in a chain.
const GROUPED_FROM: usize = 8;

/// A chain: gates that narrow one value, each read by the next only.
struct Chain {
    gates: Vec<ValueGate>,
    /// The stage in which all inputs of the chain are known.
    stage: u32,
}

/// The gates that run between the last groups of chains and the next ones, and these groups.
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

/// Finds chains and groups their gates. The gates run in stages: in each stage first the gates outside groups,
/// then the groups. The value of a chain with gates in groups is known in the stage after these groups.
pub(super) fn chains(units: Vec<Unit>, uses: &[u32], group_from: usize) -> Section {
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
        return units.into_iter().flat_map(Unit::items).collect();
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
            let at = *group_of.entry((number, guard)).or_insert_with(|| {
                groups.push((guard, Vec::new()));
                groups.len() - 1
            });
            groups[at].1.push(gate);
        }
        stage_of.insert(last, number + 1);
    }

    let mut section = Vec::new();
    for Stage { units, groups } in stages {
        section.extend(units.into_iter().flat_map(Unit::items));
        for (guard, gates) in groups {
            let guard = (gates.len() >= group_from).then_some(guard);
            section.extend(group(guard, gates));
        }
    }
    section
}
