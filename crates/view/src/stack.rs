//! Towers of things that stand on things, as in `(on a b)`. The towers are drawn side by side. Each tower
//! begins with a base that never moves, or with a thing that stands on nothing.
//!
//! A fluent with two arguments describes towers if all these conditions hold. The two arguments share at
//! least half of their values. These values are not integers, and if no base exists, no facts such as
//! `(succ a b)` chain them. The facts of the fluent change. No thing stands on two things, under two things
//! or above itself. Another fluent describes single things, as `(clear a)` does. If all of this holds, the
//! first argument is the upper thing.

use crate::conduct::sizes;
use crate::evidence::Evidence;
use crate::fluent::{Row, Table};
use crate::model::{Axis, BoardModel, Kind, Layer, Order, Square};
use crate::moves::Gesture;
use crate::order::order;
use crate::position::{Position, Token};
use ggp_game::split_term;
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of things in all towers together.
const MAX_THINGS: usize = 32;

/// If some fluent describes towers, fills the empty `model` with these towers. Returns whether there is such
/// a fluent.
pub(crate) fn stack(evidence: &Evidence<'_>, model: &mut BoardModel) -> bool {
    let Some(table) = evidence.tables.iter().find(|table| stands(evidence, table)) else { return false };
    let [uppers, lowers] = [0, 1].map(|column: usize| table.columns[column].domain.clone());
    let bases: Vec<&str> = lowers.iter().filter(|l| !uppers.contains(l)).map(String::as_str).collect();
    let things: Vec<&str> = uppers.iter().map(String::as_str).collect();
    let (values, how) = order(if bases.is_empty() { &things } else { &bases }, &evidence.chains, |_| true);
    model.kind = Kind::Grid;
    model.stacked = true;
    model.columns = Axis { values, order: how };
    let heights = (1..=things.len()).rev().map(|height| height.to_string());
    model.rows = Axis { values: heights.collect(), order: Order::Integers };
    model.groups = vec![table.name.clone()];
    model.layers = vec![Layer {
        relation: table.name.clone(),
        arity: table.arity,
        group: 0,
        x: table.columns[1].coordinate.clone(),
        y: None,
        index: Vec::new(),
        content: vec![table.columns[0].coordinate.clone()],
        values: vec![uppers],
        empty: None,
        ground: false,
        walls: BTreeMap::new(),
        compares: None,
        walker: false,
        to: None,
    }];
    let layer = &model.layers[0];
    model.sizes = sizes(&table.states, &layer.values[0], &layer.x, &layer.content[0]);
    true
}

fn stands(evidence: &Evidence<'_>, table: &Table<'_>) -> bool {
    let [upper, lower] = table.columns.as_slice() else { return false };
    let domain = |column: usize| table.columns[column].domain.iter().collect::<BTreeSet<_>>();
    let (uppers, lowers) = (domain(0), domain(1));
    let common = uppers.intersection(&lowers).count();
    let alike = common * 2 >= uppers.len().max(lowers.len()) && (2..=MAX_THINGS).contains(&uppers.len());
    let counts = [upper, lower].iter().any(|column| {
        let values: Vec<&str> = column.domain.iter().map(String::as_str).collect();
        match order(&values, &evidence.chains, |_| true).1 {
            Order::Integers => true,
            // Facts may chain things by size. If there are no bases, however, the chain orders the lines of a
            // board.
            Order::Successor => lowers.is_subset(&uppers),
            _ => false,
        }
    });
    let tells = |other: &Table<'_>| match other.columns.as_slice() {
        [only] => {
            let of_things = only.domain.iter().all(|v| uppers.contains(v) || lowers.contains(v));
            of_things && other.states.iter().any(|state| state.len() > 1)
        }
        _ => false,
    };
    let is_flat = table.arity == 2 && [upper, lower].iter().all(|column| column.coordinate.path.len() == 1);
    is_flat
        && alike
        && !counts
        && table.changes()
        && table.states.iter().all(|state| is_forest(state))
        && evidence.tables.iter().any(tells)
}

/// Whether no thing stands on two things, under two things or above itself.
fn is_forest(state: &[Row<'_>]) -> bool {
    let below: BTreeMap<&str, &str> = state.iter().map(|row| (row[0], row[1])).collect();
    let lowers: BTreeSet<&str> = below.values().copied().collect();
    below.len() == state.len()
        && lowers.len() == state.len()
        && below.keys().all(|thing| foot(&below, thing).is_some())
}

/// The base of the tower in which `thing` stands, and the height of `thing` above it. `None` if things stand
/// on each other in a circle.
fn foot<'a>(below: &BTreeMap<&'a str, &'a str>, thing: &'a str) -> Option<(&'a str, usize)> {
    let (mut at, mut height) = (thing, 0);
    while let Some(&next) = below.get(at) {
        (at, height) = (next, height + 1);
        if height > below.len() {
            return None;
        }
    }
    Some((at, height))
}

impl BoardModel {
    /// Puts every thing on its tower. `facts` are the texts of the facts of the fluent that describes towers.
    pub(crate) fn pile(&self, facts: &[&str], squares: &mut [Vec<Token>]) {
        let pairs = facts.iter().filter_map(|fact| match split_term(fact).1.as_slice() {
            [upper, lower] => Some((*upper, *lower)),
            _ => None,
        });
        let below: BTreeMap<&str, &str> = pairs.collect();
        for thing in self.layers.iter().flat_map(|layer| &layer.values).flatten() {
            let Some((base, height)) = foot(&below, thing) else { continue };
            let Some(column) = self.columns.position(base) else { continue };
            // A base that is not itself a thing has no square; it lies below the lowest row.
            let is_below = !self.layers[0].values[0].iter().any(|value| value == base);
            let Some(row) = self.rows.values.len().checked_sub(1 + height - usize::from(is_below)) else {
                continue;
            };
            let token = Token { content: vec![thing.clone()], owner: None, layer: 0, percent: None };
            squares[self.square_number(Square { board: 0, row, column })].push(token);
        }
    }

    /// The gesture of a move on towers. An argument that names a thing means the square where the thing
    /// stands. An argument that names a base means the lowest free square above the base.
    pub(crate) fn gesture_on_towers(&self, mv: &str, position: &Position) -> Gesture {
        let (mut found, mut rest) = (Vec::new(), Vec::new());
        let width = self.columns.values.len();
        let tokens = |number: usize| position.squares.get(number).map_or(&[][..], Vec::as_slice);
        for argument in split_term(mv).1 {
            let is_it = |token: &Token| token.content.first().is_some_and(|thing| thing == argument);
            let stands = (0..position.squares.len()).find(|&number| tokens(number).iter().any(is_it));
            let base = self.columns.position(argument).and_then(|column| {
                (0..self.rows.values.len())
                    .rev()
                    .map(|row| row * width + column)
                    .find(|&n| tokens(n).is_empty())
            });
            match stands.or(base) {
                Some(number) => found.push(Square { board: 0, row: number / width, column: number % width }),
                None => rest.push(argument.to_owned()),
            }
        }
        match *found.as_slice() {
            [] => Gesture::Button,
            [square] => Gesture::Choose { square, rest },
            _ => Gesture::Path { squares: found, rest },
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::sample::{facts, game};
    use crate::{Gesture, Square, infer};

    const RULES: &str = "(role r) (init (on a b)) (init (bare c)) (init (bare a))
        (<= (legal r (put ?x ?y)) (true (bare ?x)) (true (bare ?y)) (distinct ?x ?y))
        (<= (next (on ?x ?y)) (does r (put ?x ?y)))
        (<= (next (on ?x ?y)) (true (on ?x ?y)) (not (moved ?x)))
        (<= (moved ?x) (does r (put ?x ?y)))
        (<= (next (bare ?x)) (true (bare ?x)) (not (covered ?x)))
        (<= (next (bare ?y)) (does r (put ?x ?z)) (true (on ?x ?y)))
        (<= (covered ?y) (does r (put ?x ?y)))
        (<= (goal r 0) (role r)) (<= terminal (true (on b a)))";

    #[test]
    fn things_on_things_are_towers() {
        let game = game(RULES);
        let second = facts(&["(bare a)", "(bare b)", "(on a c)"]);
        let model = infer(&game, &[second]);
        assert!(model.stacked, "{model:?}");
        let position = model.place(&facts(&["(bare a)", "(on a c)", "(on c b)"]));
        let at = |column: &str, height: &str| Square {
            board: 0,
            row: model.rows.position(height).expect("a height"),
            column: model.columns.position(column).expect("a base"),
        };
        for (thing, square) in [("b", at("b", "1")), ("c", at("b", "2")), ("a", at("b", "3"))] {
            assert_eq!(position.squares[model.square_number(square)][0].content, [thing]);
        }
        assert_eq!(position.squares.iter().flatten().count(), 3);
        let expected = Gesture::Path { squares: vec![at("b", "3"), at("b", "1")], rest: vec![] };
        assert_eq!(model.gesture("(put a b)", &position), expected);
        // Things in a cycle stand on nothing. They are left out, and the placement ends.
        let ring = model.place(&facts(&["(on a b)", "(on b a)"]));
        assert_eq!(ring.squares.iter().flatten().count(), 1);
    }
}
