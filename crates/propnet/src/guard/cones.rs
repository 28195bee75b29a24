//! Cones: conjunctions with a large condition that nothing else reads. A cone is false where its guard is false.

use super::{Unit, inputs};
use crate::gate::Kind;
use crate::gates::{Value, ValueGate};
use rustc_hash::FxHashMap;

/// Cones are no larger than this, which bounds the time to find them.
const CONE_UP_TO: usize = 4096;
/// The number of gates that the search for the cones of a section may visit, for each gate of the section.
const VISITS: usize = 64;

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
pub(super) fn cones(gates: Vec<ValueGate>, uses: &[u32], group_from: usize) -> Vec<Unit> {
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
