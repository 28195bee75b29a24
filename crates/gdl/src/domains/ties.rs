//! Counts ties between arguments of fluents and arguments of moves. A tie is a variable of a rule whose
//! values come from both arguments, directly or through other relations.

use super::{Domains, Holder, Occurrences, Place};
use crate::{Atom, Description, Literal, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The maximum number of passes over the rules. The passes follow values from fluents and moves through other
/// relations.
const TIE_ROUNDS: usize = 6;

impl Domains {
    /// For each pair of an argument of a fluent and an argument of a move, counts the variables whose values
    /// come from both, directly or through relations that depend on the state or on the moves. Stores the
    /// counts in `self.ties`.
    pub(super) fn tie(&mut self, description: &Description, occurrences: &[(Occurrences, Occurrences)]) {
        let dynamic = dynamic_relations(description);
        let mut carries = vec![false; self.nodes.len()];
        for (&(holder, ..), &place) in &self.places {
            carries[place.0 as usize] = match holder {
                Holder::Relation(relation) => dynamic.contains(&relation),
                Holder::Inside(..) => false,
            };
        }
        let fluents: FxHashSet<Place> = self.tree(super::FLUENT).into_iter().collect();
        let moves: FxHashSet<Place> = self.tree(super::MOVE).into_iter().collect();
        // For each argument of a dynamic relation, the arguments of fluents and moves from which its values
        // come.
        let mut stands_for: FxHashMap<Place, Vec<Place>> = FxHashMap::default();
        let ends = |stands_for: &FxHashMap<Place, Vec<Place>>, places: &[Place]| {
            let mut ends: Vec<Place> = Vec::new();
            for place in places {
                if fluents.contains(place) || moves.contains(place) {
                    ends.push(*place);
                } else if let Some(known) = stands_for.get(place) {
                    ends.extend(known);
                }
            }
            ends.sort_unstable();
            ends.dedup();
            ends
        };
        // For each variable of each rule: the number of its places in the head, and all its places, beginning
        // with those in the head.
        let mut variables: Vec<(usize, Vec<Place>)> = Vec::new();
        for (head, body) in occurrences {
            let mut by_variable: BTreeMap<Symbol, (usize, Vec<Place>)> = BTreeMap::new();
            for &(variable, place) in head {
                let entry = by_variable.entry(variable).or_default();
                entry.0 += 1;
                entry.1.push(place);
            }
            for &(variable, place) in body {
                by_variable.entry(variable).or_default().1.push(place);
            }
            variables.extend(by_variable.into_values());
        }
        for _ in 0..TIE_ROUNDS {
            let mut changed = false;
            for (heads, places) in &variables {
                if !places[..*heads].iter().any(|place| carries[place.0 as usize]) {
                    continue;
                }
                let ends = ends(&stands_for, places);
                for &place in places[..*heads].iter().filter(|place| carries[place.0 as usize]) {
                    let known = stands_for.entry(place).or_default();
                    let before = known.len();
                    known.extend(&ends);
                    known.sort_unstable();
                    known.dedup();
                    changed |= known.len() > before;
                }
            }
            if !changed {
                break;
            }
        }
        for (_, places) in &variables {
            let ends = ends(&stands_for, places);
            let (of_fluents, of_moves): (Vec<Place>, Vec<Place>) =
                ends.iter().partition(|&p| fluents.contains(p));
            for &fluent in &of_fluents {
                for &mv in &of_moves {
                    *self.ties.entry((fluent, mv)).or_default() += 1;
                }
            }
        }
    }

    /// The place `root` and the places of all arguments nested inside it.
    fn tree(&self, root: Place) -> Vec<Place> {
        let mut out = Vec::new();
        let mut stack = vec![root];
        while let Some(place) = stack.pop() {
            for &(function, arity) in &self.nodes[place.0 as usize].functions {
                stack.extend((0..arity).filter_map(|i| self.inside(place, function, arity, i)));
            }
            out.push(place);
        }
        out
    }
}

/// The relations that depend, directly or indirectly, on `true` or `does`.
fn dynamic_relations(description: &Description) -> FxHashSet<Symbol> {
    let starts = |atom: &Atom| matches!(description.name(atom.relation), "true" | "does");
    let mut readers: FxHashMap<Symbol, Vec<Symbol>> = FxHashMap::default();
    let mut dynamic = FxHashSet::default();
    let mut stack = Vec::new();
    for rule in &description.rules {
        for atom in rule.body.iter().filter_map(Literal::atom) {
            if starts(atom) {
                if dynamic.insert(rule.head.relation) {
                    stack.push(rule.head.relation);
                }
            } else {
                readers.entry(atom.relation).or_default().push(rule.head.relation);
            }
        }
    }
    while let Some(relation) = stack.pop() {
        for &reader in readers.get(&relation).into_iter().flatten() {
            if dynamic.insert(reader) {
                stack.push(reader);
            }
        }
    }
    dynamic
}
