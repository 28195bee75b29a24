//! Fences: walls of a maze that never change. Where things go only from square to square of a relation that never
//! changes, such as `(passage (room 1 1) east (room 2 1))`, a wall stands between neighbours that it does not relate.

use crate::model::{BoardModel, Kind, Layer, Square, TextPart};
use crate::scene::signed;
use ggp_game::split_term;
use ggp_gdl::{Description, Rule, Term, TermId};
use std::collections::BTreeSet;

/// At least this share of all neighbours in one row, and of those in one column, have a passage between them.
const OPEN: f64 = 0.25;
/// At least this share of the tuples of a relation name two squares.
const ON_BOARD: f64 = 0.9;
/// A board with more squares than this has no fences.
const MAX_SQUARES: usize = 2_500;
/// The most constants of a tuple that are read.
const MAX_LEAVES: usize = 12;

/// Pairs of squares, given by their numbers, the smaller number first.
type Pairs = BTreeSet<(usize, usize)>;

/// The fences of `model`: the square to the left of a fence or above it, and the side. `relations` has the tuples of the
/// relations that never change, and `names` their names.
pub(crate) fn fences(
    description: &Description,
    names: &[String],
    relations: &[Vec<Vec<String>>],
    model: &BoardModel,
) -> Vec<(Square, [i32; 2])> {
    let count = model.columns.values.len() * model.rows.values.len();
    let flat =
        matches!(model.kind, Kind::Grid | Kind::Occupancy) && model.places.is_empty() && !model.stacked;
    if !flat || model.board_count() > 1 || count > MAX_SQUARES {
        return Vec::new();
    }
    let ways = names.iter().zip(relations).filter(|(name, _)| is_way(description, name, model));
    let passages: Pairs = ways.filter_map(|(_, tuples)| pairs(tuples, model)).flatten().collect();
    let exists = |number: &usize| model.holes.binary_search(&model.square(*number)).is_err();
    let squares: Vec<usize> = (0..count).filter(exists).collect();
    let mut out = Vec::new();
    for side in [[1, 0], [0, 1]] {
        let next = |&square: &usize| Some((square, neighbour(model, square, side).filter(exists)?));
        let all: Vec<(usize, usize)> = squares.iter().filter_map(next).collect();
        let shut: Vec<&(usize, usize)> = all.iter().filter(|pair| !passages.contains(pair)).collect();
        if all.is_empty() || ((all.len() - shut.len()) as f64) < OPEN * all.len() as f64 {
            return Vec::new();
        }
        out.extend(shut.into_iter().map(|pair| (model.square(pair.0), side)));
    }
    if is_connected(&squares, &passages) { out } else { Vec::new() }
}

/// The square next to `square` on a side.
fn neighbour(model: &BoardModel, square: usize, side: [i32; 2]) -> Option<usize> {
    let (width, height) = (model.columns.values.len(), model.rows.values.len());
    let column = usize::try_from(signed(square % width) + side[0]).ok()?;
    let row = usize::try_from(signed(square / width) + side[1]).ok()?;
    (column < width && row < height).then_some(row * width + column)
}

/// Whether passages lead from each square to each other one.
fn is_connected(squares: &[usize], passages: &Pairs) -> bool {
    let mut left: BTreeSet<usize> = squares.iter().copied().collect();
    let mut stack: Vec<usize> = left.pop_first().into_iter().collect();
    while let Some(square) = stack.pop() {
        let onward = passages.range((square, 0)..(square + 1, 0)).map(|pair| pair.1);
        let back = passages.iter().filter(|pair| pair.1 == square).map(|pair| pair.0);
        let next: Vec<usize> = onward.chain(back).filter(|next| left.contains(next)).collect();
        for square in next {
            left.remove(&square);
            stack.push(square);
        }
    }
    left.is_empty()
}

/// Whether some rule asks the relation `name` where the thing on a square may go.
fn is_way(description: &Description, name: &str, model: &BoardModel) -> bool {
    let of_layer = |term: TermId| match description.terms.get(term) {
        Term::Compound(function, args) => {
            let is =
                |layer: &Layer| layer.relation == description.name(*function) && layer.arity == args.len();
            model.layers.iter().any(is).then(|| args.to_vec())
        }
        _ => None,
    };
    let asks = |rule: &Rule| {
        let things: Vec<TermId> = rule
            .positive()
            .filter(|atom| description.name(atom.relation) == "true" && atom.args.len() == 1)
            .filter_map(|atom| of_layer(atom.args[0]))
            .flatten()
            .filter(|term| !description.terms.is_ground(*term))
            .collect();
        let is_asked = |term: &TermId| things.contains(term);
        rule.positive().any(|atom| description.name(atom.relation) == name && atom.args.iter().any(is_asked))
    };
    description.rules.iter().any(asks)
}

/// The neighbouring squares that tuples relate. `None` if they do not relate squares, or squares that do not touch.
fn pairs(tuples: &[Vec<String>], model: &BoardModel) -> Option<Pairs> {
    let layer = model.layers.first().filter(|layer| layer.x.part == TextPart::Whole)?;
    let column_first = layer.x.path < layer.y.as_ref()?.path;
    let width = model.columns.values.len();
    let square = |leaves: &[&str], at: usize| -> Option<usize> {
        let (x, y) = if column_first { (leaves[at], leaves[at + 1]) } else { (leaves[at + 1], leaves[at]) };
        Some(model.rows.position(y)? * width + model.columns.position(x)?)
    };
    let leaves: Vec<Vec<&str>> = tuples.iter().map(|tuple| leaves(tuple)).collect();
    let count = leaves.first()?.len();
    if leaves.iter().any(|tuple| tuple.len() != count) {
        return None;
    }
    let read = |first: usize, second: usize| -> Option<Pairs> {
        let pair = |tuple: &Vec<&str>| Some((square(tuple, first)?, square(tuple, second)?));
        let found: Vec<(usize, usize)> = leaves.iter().filter_map(pair).collect();
        let touch = |&(a, b): &(usize, usize)| {
            let (a, b) = (model.square(a), model.square(b));
            a != b && a.column.abs_diff(b.column) <= 1 && a.row.abs_diff(b.row) <= 1
        };
        let enough = found.len() as f64 >= ON_BOARD * leaves.len() as f64;
        (enough && found.iter().all(touch))
            .then(|| found.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect())
    };
    let places = (0..count.saturating_sub(3))
        .flat_map(|first| (first + 2..count - 1).map(move |second| (first, second)));
    places.into_iter().find_map(|(first, second)| read(first, second))
}

/// The constants in a tuple, in the order in which they are written.
fn leaves(tuple: &[String]) -> Vec<&str> {
    let mut stack: Vec<&str> = tuple.iter().rev().map(String::as_str).collect();
    let mut out = Vec::new();
    while let Some(term) = stack.pop().filter(|_| out.len() < MAX_LEAVES) {
        let (_, arguments) = split_term(term);
        if arguments.is_empty() {
            out.push(term);
        }
        stack.extend(arguments.into_iter().rev());
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::sample::{facts, game};
    use crate::{BoardModel, infer};
    use std::collections::BTreeSet;

    /// A walker in six rooms. The relation `way` says from which room one comes to which.
    fn house(ways: &str) -> BoardModel {
        let rules = format!(
            "(role r) (init (in (room 1 1))) (init (shut (door (room 2 1) (room 3 1)))) {ways}
            (<= (base (in ?a)) (way ?a ?d ?b)) (<= (base (in ?b)) (way ?a ?d ?b))
            (base (shut (door (room 2 1) (room 3 1))))
            (<= (legal r (go ?d)) (true (in ?a)) (way ?a ?d ?b) (not (true (shut (door ?a ?b)))))
            (<= (legal r open) (true (in ?a)))
            (<= (next (in ?b)) (true (in ?a)) (does r (go ?d)) (way ?a ?d ?b))
            (<= (next (in ?a)) (true (in ?a)) (does r open))
            (<= (next (shut ?d)) (true (shut ?d)) (not (does r open)))
            (<= (goal r 0) (role r)) (<= terminal (true (in (room 3 2))))"
        );
        let state = |at: &str| facts(&[&format!("(in (room {at}))"), "(shut (door (room 2 1) (room 3 1)))"]);
        infer(&game(&rules), &["1 1", "2 1", "1 1", "1 2", "2 2"].map(state))
    }

    const WAYS: &str = "(way (room 1 1) east (room 2 1)) (way (room 2 1) east (room 3 1))
        (way (room 3 1) north (room 3 2)) (way (room 1 1) north (room 1 2)) (way (room 1 2) east (room 2 2))";

    #[test]
    fn neighbours_without_a_passage_have_a_wall_between_them() {
        let house = house(WAYS);
        let position = house.place(&facts(&["(in (room 1 1))", "(shut (door (room 2 1) (room 3 1)))"]));
        let walls: BTreeSet<(String, [i32; 2])> =
            position.lines.iter().map(|line| (house.square_name(line.from), line.side)).collect();
        let walls: Vec<(&str, [i32; 2])> = walls.iter().map(|wall| (wall.0.as_str(), wall.1)).collect();
        // The first one is the door.
        assert_eq!(walls, [("2 1", [1, 0]), ("2 2", [0, 1]), ("2 2", [1, 0])]);
    }

    #[test]
    fn ways_to_all_neighbours_or_in_rows_alone_are_no_maze() {
        let more = "(way (room 2 2) east (room 3 2)) (way (room 2 1) north (room 2 2))";
        assert!(house(&format!("{WAYS} {more}")).fences.is_empty());
        let rows = "(way (room 1 1) east (room 2 1)) (way (room 2 1) east (room 3 1))
            (way (room 1 2) east (room 2 2)) (way (room 2 2) east (room 3 2))";
        assert!(house(rows).fences.is_empty());
    }
}
