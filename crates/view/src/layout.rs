//! The layout of a board as a graph: hexagons, rings of pits, and boards that are parts of one board. Relations of the
//! rules that never change tell which squares are neighbours, opposite each other or in one line; their names do not
//! matter. A layout is accepted if neighbours touch in it.

use crate::fold::fold;
use crate::model::{BoardModel, Cell, Coordinate, Kind, Square, TextPart};
use crate::pits::pits;
use crate::scene::{UNIT, signed};
use ggp_gdl::{Description, Literal, Rule, Term};
use std::collections::{BTreeMap, BTreeSet};

/// The distance between two lines of hexagons.
const LINE: i32 = 87;
/// A layout of hexagons is accepted if at least this share of the pairs of neighbours touch.
const TOUCHING: f64 = 0.85;
/// At least this share of the squares that touch must be neighbours. Rules may name only the neighbours ahead.
const COVERED: f64 = 0.45;
/// At least this share of the pairs must be neither in one row nor in one column of the plain board.
const OBLIQUE: f64 = 0.15;
/// A board with more squares than this is not laid out.
const MAX_SQUARES: usize = 600;

/// Pairs of squares, given by their numbers on one board, the smaller number first.
type Pairs = BTreeSet<(usize, usize)>;

/// Sets the shape and the places of the squares of `model`.
pub(crate) fn lay_out(relations: &[Vec<Vec<String>>], model: &mut BoardModel) {
    if model.kind == Kind::Table || model.stacked {
        return;
    }
    join(model);
    if model.kind == Kind::Track {
        if !pits(relations, model) {
            fold(relations, model);
        }
        return;
    }
    hexagons(relations, model);
    if model.places.is_empty() {
        staggered(model);
    }
}

/// Boards that two axes tell apart, or four or nine square boards, are the parts of one board.
fn join(model: &mut BoardModel) {
    let squares = model.columns.values.len() == model.rows.values.len();
    let counts: Vec<usize> = model.index.iter().map(|axis| axis.values.len()).collect();
    model.joined = model.groups.len() == 1
        && squares
        && match counts.as_slice() {
            [a, b] => a == b,
            [count] => *count == 4,
            _ => false,
        };
}

fn hexagons(relations: &[Vec<Vec<String>>], model: &mut BoardModel) {
    let count = model.columns.values.len() * model.rows.values.len();
    let thin = model.columns.values.len().min(model.rows.values.len()) < 3;
    if model.board_count() > 1 || thin || count > MAX_SQUARES {
        return;
    }
    let exists = |number: &usize| model.holes.binary_search(&model.square(*number)).is_err();
    let existing: Vec<usize> = (0..count).filter(exists).collect();
    let related: Vec<Pairs> = relations.iter().filter_map(|tuples| neighbours(tuples, model)).collect();
    if let Some(step) = slanting(relations, &existing, model) {
        // A step along a slanting line leads to the square that touches in the next row.
        model.places = sheared(model, if step > 0 { -UNIT / 2 } else { UNIT / 2 });
        model.cell = Cell::Hexagon;
        return;
    }
    let mut best: Option<(f64, Vec<[i32; 2]>)> = None;
    for places in hexagonal(model) {
        if let Some(share) = touching(&related, &existing, &places, model)
            && best.as_ref().is_none_or(|(most, _)| share > *most)
        {
            best = Some((share, places));
        }
    }
    if let Some((_, places)) = best {
        model.places = places;
        model.cell = Cell::Hexagon;
    }
}

/// The share of the touching squares that are neighbours, if the squares `existing` are hexagons at `places`. The
/// relations count that relate squares next to each other, in this layout or on the plain board. `None` if too few of
/// their pairs touch, or if they are the neighbours of a plain board.
fn touching(related: &[Pairs], existing: &[usize], places: &[[i32; 2]], model: &BoardModel) -> Option<f64> {
    let touch = |&(a, b): &(usize, usize)| {
        let [x, y] = [0, 1].map(|axis| places[b][axis] - places[a][axis]);
        (9_000..11_000).contains(&(x * x + y * y))
    };
    let apart = |&(a, b): &(usize, usize)| {
        let (a, b) = (model.square(a), model.square(b));
        [a.column.abs_diff(b.column), a.row.abs_diff(b.row)]
    };
    let mostly = |pairs: &Pairs, is: &dyn Fn(&(usize, usize)) -> bool| {
        pairs.iter().filter(|pair| is(pair)).count() as f64 >= TOUCHING * pairs.len() as f64
    };
    let near = |pairs: &&Pairs| {
        mostly(pairs, &touch) || mostly(pairs, &|pair| apart(pair).iter().all(|&by| by <= 1))
    };
    let pairs: Pairs = related.iter().filter(near).flatten().copied().collect();
    let possible = existing
        .iter()
        .enumerate()
        .map(|(number, &a)| existing[number + 1..].iter().filter(|&&b| touch(&(a, b))).count())
        .sum::<usize>();
    let found = pairs.iter().filter(|pair| touch(pair)).count();
    let oblique = pairs.iter().filter(|pair| apart(pair).iter().all(|&by| by > 0)).count();
    let covered = found as f64 / possible.max(1) as f64;
    let accepted =
        mostly(&pairs, &touch) && covered >= COVERED && oblique as f64 >= OBLIQUE * pairs.len() as f64;
    accepted.then_some(covered)
}

/// The places of hexagons in lines that are moved sideways by `step`, each against the one before.
fn sheared(model: &BoardModel, step: i32) -> Vec<[i32; 2]> {
    let width = model.columns.values.len();
    let place = |number: usize| {
        let (row, column) = (signed(number / width), signed(number % width));
        [column * UNIT + row * step, row * LINE]
    };
    (0..width * model.rows.values.len()).map(place).collect()
}

/// The step to the right, 1 or -1, of lines that lead one row down with each square, if a relation divides all squares
/// `existing` into such lines, and no relation into lines that slant the other way: rows, columns and these lines are the
/// three directions of hexagons. Each tuple of the relation names a line and then a square of it.
fn slanting(relations: &[Vec<Vec<String>>], existing: &[usize], model: &BoardModel) -> Option<i32> {
    let in_order = model.layers.first()?.y.as_ref().is_some_and(|y| model.layers[0].x.path < y.path);
    let step = |tuples: &Vec<Vec<String>>| -> Option<i32> {
        let mut lines: BTreeMap<&str, Vec<[i32; 2]>> = BTreeMap::new();
        let mut squares: BTreeSet<usize> = BTreeSet::new();
        for tuple in tuples {
            let [line, one, other] = tuple.as_slice() else { return None };
            let (x, y) = if in_order { (one, other) } else { (other, one) };
            let (column, row) = (model.columns.position(x)?, model.rows.position(y)?);
            lines.entry(line).or_default().push([signed(row), signed(column)]);
            if !squares.insert(row * model.columns.values.len() + column) {
                return None;
            }
        }
        let mut steps: BTreeSet<[i32; 2]> = BTreeSet::new();
        for line in lines.values_mut() {
            line.sort_unstable();
            steps.extend(line.windows(2).map(|pair| [pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]]));
        }
        let all = existing.iter().all(|square| squares.contains(square)) && lines.len() > 2;
        match steps.first() {
            Some(&[1, step]) if all && steps.len() == 1 && step.abs() == 1 => Some(step),
            _ => None,
        }
    };
    let steps: BTreeSet<i32> = relations.iter().filter_map(step).collect();
    steps.first().copied().filter(|_| steps.len() == 1)
}

/// The places of hexagons in several layouts: lines that are moved sideways, each half a square further than the one
/// before; every second line moved; lines in the middle above each other.
fn hexagonal(model: &BoardModel) -> Vec<Vec<[i32; 2]>> {
    let (width, height) = (model.columns.values.len(), model.rows.values.len());
    let exists = |row, column| model.holes.binary_search(&Square { board: 0, row, column }).is_err();
    let squares = || (0..width * height).map(|number| (number / width, number % width));
    let half = UNIT / 2;
    let bricks = |odd: usize| {
        let place = |(row, column): (usize, usize)| {
            [signed(column) * UNIT + if row % 2 == odd { half } else { 0 }, signed(row) * LINE]
        };
        squares().map(place).collect()
    };
    let centred_rows = squares()
        .map(|(row, column)| {
            let existing: Vec<usize> = (0..width).filter(|&column| exists(row, column)).collect();
            let ends = existing.first().zip(existing.last()).map_or(0, |(a, b)| a + b);
            [2 * signed(column) * half - signed(ends) * half, signed(row) * LINE]
        })
        .collect();
    let centred_columns = squares()
        .map(|(row, column)| {
            let existing: Vec<usize> = (0..height).filter(|&row| exists(row, column)).collect();
            let ends = existing.first().zip(existing.last()).map_or(0, |(a, b)| a + b);
            [signed(ends) * half - 2 * signed(row) * half, signed(column) * LINE]
        })
        .collect();
    vec![sheared(model, half), sheared(model, -half), centred_columns, centred_rows, bricks(0), bricks(1)]
}

/// Lays out columns that have no row in common with the next column: each column becomes a line of hexagons, and its
/// squares are counted, since the names of rows say nothing about the next column.
fn staggered(model: &mut BoardModel) {
    let (width, height) = (model.columns.values.len(), model.rows.values.len());
    if model.board_count() > 1 || width < 3 || width * height > MAX_SQUARES {
        return;
    }
    let rows = |column: usize| -> Vec<usize> {
        (0..height)
            .filter(|&row| model.holes.binary_search(&Square { board: 0, row, column }).is_err())
            .collect()
    };
    let lines: Vec<Vec<usize>> = (0..width).map(rows).collect();
    let apart = lines.windows(2).all(|pair| pair[0].iter().all(|row| !pair[1].contains(row)));
    let whole = lines.iter().all(|rows| rows.windows(2).all(|pair| pair[0] + 1 == pair[1]));
    if !apart || !whole || lines.iter().any(Vec::is_empty) {
        return;
    }
    let mut places = vec![[0, 0]; width * height];
    for (column, rows) in lines.iter().enumerate() {
        for (number, row) in rows.iter().rev().enumerate() {
            let x = 2 * signed(number) - signed(rows.len()) + 1;
            places[row * width + column] = [x * UNIT / 2, signed(column) * LINE];
        }
    }
    model.places = places;
    model.cell = Cell::Hexagon;
}

/// The pairs of squares that the tuples of a relation relate. `None` if they do not relate squares, or too few.
fn neighbours(tuples: &[Vec<String>], model: &BoardModel) -> Option<Pairs> {
    let arity = tuples.first()?.len();
    let layer = model.layers.first()?;
    let y = layer.y.as_ref()?;
    let whole = layer.x.part != TextPart::Whole;
    let take = if whole { 1 } else { 2 };
    let width = model.columns.values.len();
    let number = |values: &[String]| -> Option<usize> {
        let [first, last] = [values.first()?, values.last()?];
        let (x, y) = if whole || layer.x.path < y.path { (first, last) } else { (last, first) };
        let column = model.columns.position(layer.x.part_of(x)?)?;
        let row = model.rows.position(layer.y.as_ref()?.part_of(y)?)?;
        model.holes.binary_search(&Square { board: 0, row, column }).is_err().then_some(row * width + column)
    };
    (0..=arity.checked_sub(2 * take)?).find_map(|first| {
        let pair = |tuple: &Vec<String>| {
            let (a, b) =
                (number(&tuple[first..first + take])?, number(&tuple[first + take..first + 2 * take])?);
            Some((a.min(b), a.max(b)))
        };
        let pairs: Vec<(usize, usize)> = tuples.iter().filter_map(pair).collect();
        let enough = pairs.len() * 2 >= tuples.len();
        let pairs: Pairs = pairs.into_iter().filter(|(a, b)| a != b).collect();
        (enough && !pairs.is_empty()).then_some(pairs)
    })
}

/// The number of squares along a side of the boxes of a sudoku-like board: a square board of numbers, on which the
/// conditions of some rule are about as many columns and rows as a box has, and about all their squares. 0 if there are
/// no boxes.
pub(crate) fn boxes(description: &Description, model: &BoardModel) -> usize {
    let side = model.columns.values.len();
    let Some(root) = (2..=5).find(|root| root * root == side) else { return 0 };
    let Some(layer) = model.layers.first().filter(|_| model.kind == Kind::Grid && model.board_count() == 1)
    else {
        return 0;
    };
    let numbers = layer.values.first().is_some_and(|values| {
        values.len() == side && values.iter().all(|value| value.parse::<u64>().is_ok())
    });
    if !numbers || model.rows.values.len() != side || !model.places.is_empty() {
        return 0;
    }
    let names_box = |rule: &Rule| {
        let (mut columns, mut rows, mut squares) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for atom in rule.body.iter().filter_map(Literal::atom) {
            let Some(Term::Compound(function, args)) =
                atom.args.first().map(|term| description.terms.get(*term))
            else {
                continue;
            };
            let term = |coordinate: &Coordinate| {
                let term = args.get(*coordinate.path.first()?)?;
                match description.terms.get(*term) {
                    Term::Constant(name) | Term::Variable(name) => Some(description.name(*name)),
                    Term::Compound(..) => None,
                }
            };
            if description.name(*function) == layer.relation
                && let (Some(x), Some(y)) = (term(&layer.x), layer.y.as_ref().and_then(term))
            {
                columns.insert(x);
                rows.insert(y);
                squares.insert((x, y));
            }
        }
        (columns.len(), rows.len(), squares.len()) == (root, root, side)
    };
    if description.rules.iter().any(names_box) { root } else { 0 }
}

#[cfg(test)]
mod tests {
    use crate::Cell;
    use crate::sample::model;

    #[test]
    fn lines_in_a_third_direction_make_hexagons() {
        // A board of four times four squares without two corners.
        let squares = (1..5).flat_map(|x| (1..5).map(move |y| (x, y)));
        let squares: Vec<(i32, i32)> = squares.filter(|(x, y)| (3..8).contains(&(x + y))).collect();
        let up: String = squares.iter().map(|(x, y)| format!("(up l{} {x} {y})", x + y)).collect();
        let down: String = squares.iter().map(|(x, y)| format!("(down m{} {x} {y})", x - y + 4)).collect();
        let cell = |lines: &str| {
            let rules = format!(
                "(role r) (role s) (succ 1 2) (succ 2 3) (succ 3 4) {lines}
                (<= (legal ?r (put ?x ?y)) (role ?r) (up ?l ?x ?y) (not (true (man ?x ?y r))))
                (<= (next (man ?x ?y ?r)) (does ?r (put ?x ?y))) (init (man 1 2 s))
                (<= (next (man ?x ?y ?r)) (true (man ?x ?y ?r)))
                (<= (goal ?r 0) (role ?r)) (<= terminal (true (man 2 2 r)))"
            );
            let model = model(&rules);
            assert_eq!(model.holes.len(), 2);
            model.cell
        };
        assert_eq!(cell(&up), Cell::Hexagon);
        assert_eq!(cell(&(up + &down)), Cell::Square, "lines in four directions");
    }
}
