//! Rings of pits, as in games of sowing.

use crate::candidate::Candidate;
use crate::evidence::Evidence;
use crate::fluent::Column;
use crate::layer::layer;
use crate::model::{BoardModel, Cell, Coordinate, Side};
use crate::scene::{UNIT, signed};
use std::collections::{BTreeMap, BTreeSet};

/// Lays out a ring of pits: a track of numbers whose places lie opposite each other in pairs, except for at most two
/// stores. The pits of the first role come to the bottom, or those of a role that is called south. If a relation leads
/// round the ring, it gives the order of the pits. Returns whether there is such a ring.
pub(crate) fn pits(relations: &[Vec<Vec<String>>], model: &mut BoardModel) -> bool {
    let values = model.columns.values.clone();
    let counts = model.layers.len() == 1 && model.layers[0].content.len() == 1 && is_count(model);
    if !counts || values.len() < 6 {
        return false;
    }
    let position = |value: &String| values.iter().position(|v| v == value);
    let opposite = relations.iter().filter(|tuples| tuples[0].len() == 2).find_map(|tuples| {
        let mut partner: BTreeMap<usize, usize> = BTreeMap::new();
        for tuple in tuples {
            let (a, b) = (position(&tuple[0])?, position(&tuple[1])?);
            for (one, other) in [(a, b), (b, a)] {
                if *partner.entry(one).or_insert(other) != other || a == b {
                    return None;
                }
            }
        }
        (partner.len() + 2 >= values.len()).then_some(partner)
    });
    let Some(opposite) = opposite else { return false };
    // The role of each pit, if facts name it.
    let mut owner: BTreeMap<usize, usize> = BTreeMap::new();
    for tuples in relations.iter().filter(|tuples| tuples[0].len() == 2) {
        for tuple in tuples {
            let [one, two] = [&tuple[0], &tuple[1]];
            for (role, pit) in [(one, two), (two, one)] {
                let role = model.roles.iter().position(|name| name == role);
                if let (Some(role), Some(pit)) = (role, position(pit)) {
                    owner.entry(pit).or_insert(role);
                }
            }
        }
    }
    let below = model.roles.iter().position(|role| role.eq_ignore_ascii_case("south")).unwrap_or(0);
    let of_below = |pit: &usize| owner.get(pit) == Some(&below);
    let mut bottom: Vec<usize> = opposite.keys().copied().filter(of_below).collect();
    let halves =
        bottom.len() * 2 == opposite.len() && bottom.iter().all(|pit| !bottom.contains(&opposite[pit]));
    if !halves {
        bottom = opposite.keys().copied().filter(|pit| *pit < opposite[pit]).collect();
    }
    let mut top: Vec<usize> = bottom.iter().map(|pit| opposite[pit]).collect();
    let pits: Vec<usize> = opposite.keys().copied().collect();
    let turned = |ring: Vec<usize>| -> Option<Vec<usize>> {
        let count = ring.len();
        let is_below = |at: usize| bottom.contains(&ring[at % count]);
        let start = (0..count).find(|&at| is_below(at) && !is_below(at + count - 1))?;
        let ring: Vec<usize> = (start..start + count).map(|at| ring[at % count]).collect();
        ring[..count / 2].iter().all(|pit| bottom.contains(pit)).then_some(ring)
    };
    if let Some(ring) = ring(relations, &values, &pits).and_then(turned) {
        // It leads to the right below and to the left above.
        let (first, second) = ring.split_at(ring.len() / 2);
        (bottom, top) = (first.to_vec(), second.iter().rev().copied().collect());
    }
    let mut places = vec![[0, 0]; values.len()];
    for (number, (below, above)) in bottom.iter().zip(&top).enumerate() {
        let x = (signed(number) + 1) * UNIT;
        places[*below] = [x, UNIT];
        places[*above] = [x, 0];
    }
    let stores: Vec<usize> = (0..values.len()).filter(|pit| !opposite.contains_key(pit)).collect();
    for (number, store) in stores.iter().enumerate() {
        let own = owner.get(store).map_or(number == 0, |role| *role == below);
        let x = if own { (signed(bottom.len()) + 1) * UNIT } else { 0 };
        places[*store] = [x, UNIT / 2];
    }
    model.places = places;
    model.cell = Cell::Pit;
    true
}

/// Makes marks on pits of the fluents beside the board whose facts name a pit each, such as the place of the hand that
/// sows.
pub(crate) fn mark_pits(evidence: &Evidence<'_>, model: &mut BoardModel) {
    if model.cell != Cell::Pit || !model.index.is_empty() {
        return;
    }
    for (number, table) in evidence.tables.iter().enumerate() {
        let is_beside = |side: &Side| side.relation == table.name && side.arity == table.arity;
        let names_pit = |column: &Column| {
            let domain = &column.domain;
            let on_board = domain.iter().all(|value| model.columns.position(value).is_some());
            column.coordinate == Coordinate::whole(vec![0]) && !domain.is_empty() && on_board
        };
        let marks = matches!(table.columns.as_slice(), [column] if table.arity == 1 && names_pit(column));
        if marks && model.side.iter().any(is_beside) {
            let reading = Candidate { table: number, x: 0, y: None, index: Vec::new(), score: 0.0 };
            model.layers.push(layer(table, &reading, 0));
            model.side.retain(|side| !is_beside(side));
        }
    }
}

/// The pits, among `values`, in the order in which a relation leads round them. It may lead each role past its own store.
fn ring(relations: &[Vec<Vec<String>>], values: &[String], pits: &[usize]) -> Option<Vec<usize>> {
    let position = |value: &String| values.iter().position(|v| v == value);
    relations.iter().filter(|tuples| (2..=3).contains(&tuples[0].len())).find_map(|tuples| {
        let mut after: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for tuple in tuples {
            let [.., from, to] = tuple.as_slice() else { return None };
            after.entry(position(from)?).or_default().insert(position(to)?);
        }
        let only = |places: &[usize]| -> Option<usize> {
            let next: BTreeSet<usize> =
                places.iter().filter_map(|place| after.get(place)).flatten().copied().collect();
            let mut next = next.into_iter().filter(|place| pits.contains(place));
            next.next().filter(|_| next.next().is_none())
        };
        let mut order = vec![*pits.first()?];
        while order.len() <= pits.len() {
            let at = order[order.len() - 1];
            let next = only(&[at]).or_else(|| {
                let stores: Vec<usize> = after.get(&at)?.iter().copied().collect();
                only(&stores)
            })?;
            if next == order[0] {
                break;
            }
            order.push(next);
        }
        (order.len() == pits.len()).then_some(order)
    })
}

/// Whether the contents of the first layer are numbers, or numbered names as `s0`, `s1`.
fn is_count(model: &BoardModel) -> bool {
    let digits = |value: &String| {
        let shown = model.glyphs.get(value).unwrap_or(value);
        shown.parse::<u64>().is_ok()
    };
    let values = model.layers[0].values.first();
    values.is_some_and(|values| values.len() > 2 && values.iter().all(digits))
}

#[cfg(test)]
mod tests {
    use crate::Cell;
    use crate::sample::{facts, model};

    /// Three pits for each role and two stores, with these rules beside them. The sowing leads from a to f; both roles pass
    /// the store of the other one.
    fn rules(beside: &str) -> String {
        let ring = "(role north) (role south) (hole a) (hole b) (hole c) (hole d) (hole e) (hole f) (hole mine) (hole his)
            (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (<= (init (pit ?p 3)) (hole ?p))
            (facing a d) (facing b e) (facing c f) (has south a) (has south b) (has south c) (has north d)
            (has north e) (has north f) (after south a b) (after south b c) (after south c mine)
            (after south mine d) (after south d e) (after south e f) (after south f a) (after north a b)
            (after north b c) (after north c d) (after north d e) (after north e f) (after north f his)
            (after north his a) (<= (legal ?r (sow ?p)) (has ?r ?p))
            (<= (next (pit ?p ?n)) (true (pit ?p ?m)) (succ ?n ?m) (does ?r (sow ?p)))
            (<= (next (pit ?p ?n)) (true (pit ?p ?n)) (not (does south (sow ?p))))
            (<= (other ?p ?q) (facing ?p ?q)) (<= (other ?p ?q) (facing ?q ?p)) (<= (goal ?r 0) (role ?r))
            (<= terminal (true (pit a 0)) (other a ?p))";
        format!("{ring} {beside}")
    }

    #[test]
    fn pits_lie_in_the_order_in_which_they_are_sown() {
        let model = model(&rules(""));
        assert_eq!(model.cell, Cell::Pit);
        let at = |name: &str| model.places[model.columns.position(name).expect("a pit")];
        let line = |names: [&str; 3]| names.map(at);
        assert_eq!(line(["a", "b", "c"]), [[100, 100], [200, 100], [300, 100]]);
        assert_eq!(line(["d", "e", "f"]), [[300, 0], [200, 0], [100, 0]]);
    }

    #[test]
    fn a_fact_that_names_a_pit_marks_it() {
        let model = model(&rules(
            "(<= (next (hand ?p)) (does ?r (sow ?p))) (<= (next (last ?r)) (does ?r (sow ?p)))",
        ));
        let position = model.place(&facts(&["(pit a 3)", "(hand b)", "(last south)"]));
        let marked: Vec<&str> = (0..position.squares.len())
            .filter(|&pit| position.squares[pit].iter().any(|token| token.layer == 1))
            .map(|pit| model.columns.values[pit].as_str())
            .collect();
        assert_eq!(marked, ["b"]);
        let beside: Vec<&str> = position.side.iter().map(|beside| beside.relation.as_str()).collect();
        assert_eq!(beside, ["last"]);
    }
}
