//! Layers and groups of a board model. After one fluent has been chosen as the board, other fluents on the
//! same axes become layers above it, or separate boards beside it, each with a group of its own. The module
//! also finds the holes, that is, the squares that do not exist.

use crate::candidate::{Candidate, clash, rate_board};
use crate::evidence::{Evidence, PLAYED};
use crate::fluent::Table;
use crate::model::{Axis, BoardModel, Coordinate, Layer, Order, Square, TextPart};
use crate::wall::atoms;
use ggp_gdl::{Atom, Description, Rule, Term};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// The least score, rated as a board by [`rate_board`], at which another fluent with the board's axes can be
/// drawn on the board.
const LAYER: f64 = 2.0;
/// An argument fits an axis of the board if at least this share of its values is on the axis.
const ON_AXIS: f64 = 0.8;
/// If the content of a fluent's squares can have more different values than this, the fluent does not become
/// a layer above the board.
const MAX_VALUES: usize = 24;

/// Sets the layers and groups of `model`. The first layer is that of `candidate`, the board itself.
pub(crate) fn groups_and_layers(
    description: &Description,
    evidence: &Evidence<'_>,
    candidate: &Candidate,
    model: &mut BoardModel,
) {
    let main = &evidence.tables[candidate.table];
    let mut on_main = vec![candidate.clone()];
    model.groups = vec![main.name.clone()];
    model.layers = vec![layer(main, candidate, 0)];
    for (number, table) in evidence.tables.iter().enumerate() {
        if number == candidate.table {
            continue;
        }
        let Some(reading) = reading(evidence, number, candidate, model) else { continue };
        let apart = || on_main.iter().any(|one| is_another_game(description, evidence, one, &reading));
        let group = if is_board_of_its_own(evidence, candidate, &reading) || apart() {
            model.groups.push(table.name.clone());
            model.groups.len() - 1
        } else if belongs_above(evidence, candidate, &reading) {
            on_main.push(reading.clone());
            0
        } else {
            continue;
        };
        let mut layer = layer(table, &reading, group);
        layer.ground = is_ground(table, &layer, model);
        model.layers.push(layer);
    }
}

/// Whether the facts of a layer only state that every square exists.
fn is_ground(table: &Table<'_>, layer: &Layer, model: &BoardModel) -> bool {
    let Some(first) = table.states.first().filter(|_| layer.content.is_empty() && !table.changes()) else {
        return false;
    };
    let squares: BTreeSet<Square> =
        first.iter().filter_map(|row| locate_row(table, layer, model, row)).collect();
    let boards: usize = model.index.iter().map(|axis| axis.values.len()).product();
    squares.len() == boards * model.columns.values.len() * model.rows.values.len()
}

/// The layer of the fluent of `table`, read as `reading`, in the group with index `group`.
pub(crate) fn layer(table: &Table<'_>, reading: &Candidate, group: usize) -> Layer {
    let coordinate = |column: usize| table.columns[column].coordinate.clone();
    let mut content: Vec<Coordinate> = reading.content(table).into_iter().map(coordinate).collect();
    content.dedup_by(|a, b| a.path == b.path);
    Layer {
        relation: table.name.clone(),
        arity: table.arity,
        group,
        x: coordinate(reading.x),
        y: reading.y.map(coordinate),
        index: reading.index.iter().map(|&column| coordinate(column)).collect(),
        values: vec![Vec::new(); content.len()],
        content,
        empty: None,
        ground: false,
        walls: BTreeMap::new(),
        compares: None,
        walker: false,
        to: None,
    }
}

/// Chooses the columns of the table with index `number` that are coordinates on the axes of the board. `None`
/// if the table does not fit the axes.
fn reading(
    evidence: &Evidence<'_>,
    number: usize,
    main: &Candidate,
    model: &BoardModel,
) -> Option<Candidate> {
    let table = &evidence.tables[number];
    let columns = 0..table.columns.len().min(crate::fluent::MAX_COLUMNS);
    let share = |column: usize, values: &[String]| {
        let domain = &table.columns[column].domain;
        domain.iter().filter(|v| values.contains(v)).count() as f64 / domain.len().max(1) as f64
    };
    // Where the rules alone allow the same values for both coordinates, and far more than the board has, what occurs counts.
    let occurs = |column: usize, values: &[String]| {
        let rows = table.rows().count().max(1);
        let on_axis = table.rows().filter(|row| values.iter().any(|value| value == row[column])).count();
        on_axis as f64 / rows as f64
    };
    let alike = |x: usize, y: usize| {
        table.states.len() >= PLAYED && table.columns[x].domain == table.columns[y].domain
    };
    // The columns that tell the boards apart, apart from those that are `taken`.
    let index_beside = |taken: &[usize]| -> Option<Vec<usize>> {
        let fits = |c: &usize, axis: &Axis| !taken.contains(c) && share(*c, &axis.values) > 0.99;
        model.index.iter().map(|axis| columns.clone().find(|c| fits(c, axis))).collect()
    };
    if main.y.is_none() {
        return columns.clone().find_map(|x| {
            let reading = Candidate { table: number, x, y: None, index: index_beside(&[x])?, score: 0.0 };
            let fits = share(x, &model.columns.values) > 0.99
                && table.columns[x].domain.len() >= 3
                && clash(&table.states, &reading.key()) == 0.0
                && table.columns[x].coordinate.part == model.layers[0].x.part
                && table.states.iter().any(|state| state.len() > 1);
            fits.then_some(reading)
        });
    }
    let mut best: Option<Candidate> = None;
    for x in columns.clone() {
        for y in columns.clone().filter(|&y| y != x) {
            let parts = (table.columns[x].coordinate.part, table.columns[y].coordinate.part);
            let board = (model.layers[0].x.part, model.layers[0].y.as_ref().map(|y| y.part));
            let both = |share: &dyn Fn(usize, &[String]) -> f64| {
                share(x, &model.columns.values) >= ON_AXIS && share(y, &model.rows.values) >= ON_AXIS
            };
            let fits = both(&share) || alike(x, y) && both(&occurs);
            if !fits || (parts.0, Some(parts.1)) != board {
                continue;
            }
            let rated = rate_board(evidence, number, x.min(y), x.max(y));
            // A term that names a square of the board does so even where few squares occur.
            let named = || {
                let coordinates = [x, y].map(|column| &table.columns[column].coordinate);
                let is_square = names_square(&model.layers[0], coordinates);
                is_square.then(|| Candidate {
                    table: number,
                    x,
                    y: Some(y),
                    index: Vec::new(),
                    score: LAYER + 1.0,
                })
            };
            let Some(mut candidate) = rated.or_else(named) else { continue };
            (candidate.x, candidate.y) = (x, Some(y));
            candidate.score -= if x > y { 0.1 } else { 0.0 };
            if main.index.is_empty() {
                candidate.index.clear();
            } else if candidate.index.len() != main.index.len() {
                let Some(index) = index_beside(&[x, y]) else { continue };
                candidate.index = index;
            }
            if candidate.score >= LAYER && best.as_ref().is_none_or(|b| b.score < candidate.score) {
                best = Some(candidate);
            }
        }
    }
    best
}

/// Whether two coordinates are arguments of one term, as in `(lying key (room 1 2))`, and in the places that the
/// coordinates of the board `layer` have in such a term.
fn names_square(layer: &Layer, coordinates: [&Coordinate; 2]) -> bool {
    let Some(y) = &layer.y else { return false };
    let split = |coordinate: &Coordinate| {
        let (last, term) = coordinate.path.split_last()?;
        (!term.is_empty()).then(|| (term.to_vec(), *last))
    };
    let pair = |x: &Coordinate, y: &Coordinate| {
        let ((term, x), (same, y)) = (split(x)?, split(y)?);
        (term == same).then_some((x, y))
    };
    let square = pair(&layer.x, y);
    square.is_some() && square == pair(coordinates[0], coordinates[1])
}

/// Whether the fluent of `other` adds something to the board, which is the fluent of `main`: marks, other
/// contents, or the same contents on other squares. Fluents that describe attributes of pieces, such as which
/// pieces have moved, are rejected, since they would look like more pieces. Fluents that relate two squares
/// and fluents whose contents have many values are rejected too.
fn belongs_above(evidence: &Evidence<'_>, main: &Candidate, other: &Candidate) -> bool {
    let (first, second) = (&evidence.tables[main.table], &evidence.tables[other.table]);
    let content = other.content(second);
    let domain = |column: usize| &second.columns[column].domain;
    let axes = [Some(other.x), other.y];
    let on_axis =
        |c: usize| axes.iter().flatten().any(|&axis| domain(axis).len() > 2 && domain(axis) == domain(c));
    if content.len() > 2 || content.iter().any(|&c| domain(c).len() > MAX_VALUES || on_axis(c)) {
        return false;
    }
    let known: FxHashSet<&String> =
        main.content(first).iter().flat_map(|&c| &first.columns[c].domain).collect();
    let same =
        !content.is_empty() && content.iter().all(|&c| domain(c).iter().all(|value| known.contains(value)));
    !same || {
        let squares = |table: &Table<'_>, reading: &Candidate| -> FxHashSet<Vec<String>> {
            let key = reading.key();
            table.rows().map(|row| key.iter().map(|&c| row[c].to_owned()).collect()).collect()
        };
        let (one, two) = (squares(first, main), squares(second, other));
        !two.is_empty() && one.is_disjoint(&two)
    }
}

/// Whether two fluents are two boards rather than two layers of one board. For two boards, their contents
/// must have the same domains, and they must share more than half of the squares of the fluent with fewer
/// squares. If the names of the fluents differ at most in a trailing number, one shared square is enough.
fn is_board_of_its_own(evidence: &Evidence<'_>, main: &Candidate, other: &Candidate) -> bool {
    let (first, second) = (&evidence.tables[main.table], &evidence.tables[other.table]);
    let contents = |table: &Table<'_>, reading: &Candidate| -> Vec<BTreeSet<String>> {
        let columns = reading.content(table).into_iter();
        columns.map(|c| table.columns[c].domain.iter().cloned().collect()).collect()
    };
    if contents(first, main).is_empty() || contents(first, main) != contents(second, other) {
        return false;
    }
    let squares = |table: &Table<'_>, reading: &Candidate| -> FxHashSet<Vec<String>> {
        let key = reading.key();
        table.rows().map(|row| key.iter().map(|&c| row[c].to_owned()).collect()).collect()
    };
    let (one, two) = (squares(first, main), squares(second, other));
    let shared = one.intersection(&two).count();
    let stem = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let alike = stem(&first.name) == stem(&second.name);
    // Two halves of one board share no square.
    shared * 2 > one.len().min(two.len()) || (alike && shared > 0)
}

/// Whether two fluents are boards of two games that are played side by side: some thing is on each of them once in every
/// state, and not always in the same place, and no rule is about both fluents.
fn is_another_game(
    description: &Description,
    evidence: &Evidence<'_>,
    one: &Candidate,
    other: &Candidate,
) -> bool {
    let tables = [one, other].map(|reading| &evidence.tables[reading.table]);
    let is_about = |rule: &Rule, table: &Table<'_>| {
        let names = |atom: &Atom| match atom.args.first().map(|term| description.terms.get(*term)) {
            Some(Term::Compound(function, args)) => {
                description.name(*function) == table.name && args.len() == table.arity
            }
            _ => false,
        };
        atoms(rule).any(names)
    };
    if description.rules.iter().any(|rule| tables.iter().all(|table| is_about(rule, table))) {
        return false;
    }
    let ([content], [other_content]) = (&one.content(tables[0])[..], &other.content(tables[1])[..]) else {
        return false;
    };
    let place = |which: usize, state: usize, value: &str| -> Option<Vec<&str>> {
        let (reading, column) = if which == 0 { (one, *content) } else { (other, *other_content) };
        let mut rows = tables[which].states.get(state)?.iter().filter(|row| row[column] == value);
        let row = rows.next().filter(|_| rows.next().is_none())?;
        Some(reading.key().into_iter().map(|column| row[column]).collect())
    };
    let states = 0..tables[0].states.len();
    let lives_twice = |value: &String| {
        let places = states.clone().map(|state| (place(0, state, value), place(1, state, value)));
        let places: Vec<_> = places.collect();
        places.iter().all(|(here, there)| here.is_some() && there.is_some())
            && places.iter().any(|(here, there)| here != there)
    };
    tables[0].columns[*content].domain.iter().any(lives_twice)
}

/// The holes: squares that cannot hold anything. They are the squares that no layer shows to exist, and those on which
/// nothing can ever stand and that no move names.
pub(crate) fn holes(evidence: &Evidence<'_>, model: &BoardModel) -> Vec<Square> {
    let shown = shown(evidence, model);
    let possible = possible(evidence, model);
    let exists = |square: &Square| {
        [&shown, &possible].into_iter().flatten().all(|squares: &BTreeSet<Square>| squares.contains(square))
    };
    let mut holes = Vec::new();
    for board in 0..model.board_count() {
        for row in 0..model.rows.values.len() {
            for column in 0..model.columns.values.len() {
                let square = Square { board, row, column };
                if !exists(&square) {
                    holes.push(square);
                }
            }
        }
    }
    holes
}

/// The squares on which a thing may stand in some state, and those that a move may name. `None` if they are not known, if
/// the rules name squares as a whole, or if the squares fill a rectangle: it tells how far a few things can go, not where
/// the board ends.
fn possible(evidence: &Evidence<'_>, model: &BoardModel) -> Option<BTreeSet<Square>> {
    let moves = evidence.moves.filter(|_| model.layers[0].x.part == TextPart::Whole)?;
    let mut squares: BTreeSet<Square> = moves.iter().flat_map(|mv| model.squares_of(mv)).collect();
    for layer in &model.layers {
        let table = evidence.tables.iter().find(|t| t.name == layer.relation && t.arity == layer.arity)?;
        squares.extend(table.possible.iter().filter_map(|row| locate_row(table, layer, model, row)));
    }
    let lines = |line: fn(&Square) -> usize| squares.iter().map(line).collect::<BTreeSet<usize>>().len();
    let rectangle = lines(|square| square.column) * lines(|square| square.row);
    (model.board_count() * rectangle > squares.len()).then_some(squares)
}

/// Removes the last of several boards, and the first and the last columns and rows, as long as they have only holes.
pub(crate) fn trim(model: &mut BoardModel) {
    let squares = model.columns.values.len() * model.rows.values.len();
    while model.groups.len() == 1 && model.index.len() == 1 && model.board_count() > 2 {
        let last = model.board_count() - 1;
        if model.holes.iter().filter(|hole| hole.board == last).count() < squares {
            break;
        }
        model.holes.retain(|hole| hole.board < last);
        model.index[0].values.pop();
    }
    let (width, height) = (model.columns.values.len(), model.rows.values.len());
    let boards = model.board_count();
    let is_hole = |row: usize, column: usize| {
        (0..boards).all(|board| model.holes.binary_search(&Square { board, row, column }).is_ok())
    };
    let kept = |axis: &Axis, is_empty: &dyn Fn(usize) -> bool| {
        let used: Vec<usize> = (0..axis.values.len()).filter(|line| !is_empty(*line)).collect();
        match used.as_slice() {
            [first, .., last] if axis.order != Order::Given => *first..last + 1,
            _ => 0..axis.values.len(),
        }
    };
    let columns = kept(&model.columns, &|column| (0..height).all(|row| is_hole(row, column)));
    let rows = kept(&model.rows, &|row| (0..width).all(|column| is_hole(row, column)));
    let placed = !model.places.is_empty() || model.layers.iter().any(|layer| layer.y.is_none());
    if placed || columns.len() * rows.len() == width * height {
        return;
    }
    model.holes.retain(|hole| columns.contains(&hole.column) && rows.contains(&hole.row));
    for hole in &mut model.holes {
        hole.column -= columns.start;
        hole.row -= rows.start;
    }
    model.columns.values = model.columns.values[columns].to_vec();
    model.rows.values = model.rows.values[rows].to_vec();
}

/// The squares that the layers show to exist. For each layer, the first of these three sources that applies shows which
/// squares exist. First: the squares that `base` lists. Second: the squares that the rules name as a whole, such as
/// `a12`, and those that occur in the states. Third: the squares that occur in the states, if they are the same in all
/// states and more than half of the board. If none applies to a layer above a board, the squares that occur in the
/// states exist. `None` if none applies to a board itself.
fn shown(evidence: &Evidence<'_>, model: &BoardModel) -> Option<BTreeSet<Square>> {
    let mut exists: BTreeSet<Square> = BTreeSet::new();
    for (number, layer) in model.layers.iter().enumerate() {
        let table = evidence.tables.iter().find(|t| t.name == layer.relation && t.arity == layer.arity);
        let Some(table) = table else { continue };
        let locate = |row: &[&str]| locate_row(table, layer, model, row);
        let seen: BTreeSet<Square> = table.rows().filter_map(|row| locate(row)).collect();
        let base: BTreeSet<Square> = table.base.iter().filter_map(|row| locate(row)).collect();
        let squares = |state: &Vec<Vec<&str>>| -> BTreeSet<Square> {
            state.iter().filter_map(|row| locate(row)).collect()
        };
        let first = table.states.first().map(&squares).unwrap_or_default();
        let total = model.board_count() / model.groups.len().max(1)
            * model.columns.values.len()
            * model.rows.values.len();
        let constant = first.len() * 2 > total
            && table.states.len() > 1
            && table.states.iter().all(|state| squares(state) == first);
        let composite: BTreeSet<Square> = whole_squares(evidence, layer, model);
        if !base.is_empty() && base.is_superset(&seen) {
            exists.extend(base);
        } else if !composite.is_empty() {
            exists.extend(composite);
            exists.extend(seen);
        } else if constant {
            exists.extend(first);
        } else if layer.group > 0 || number == 0 {
            return None;
        } else {
            exists.extend(seen);
        }
    }
    Some(exists)
}

/// The squares that the rules name as a whole, such as `a12`.
fn whole_squares(evidence: &Evidence<'_>, layer: &Layer, model: &BoardModel) -> BTreeSet<Square> {
    if layer.x.part == TextPart::Whole {
        return BTreeSet::new();
    }
    let table = evidence.tables.iter().find(|t| t.name == layer.relation && t.arity == layer.arity);
    let column = table.and_then(|t| t.columns.iter().find(|c| c.coordinate == layer.x));
    let whole = column.map(|c| c.whole.as_slice()).unwrap_or_default().iter();
    whole.filter_map(|text| model.square_at(layer, |coordinate| coordinate.part_of(text))).collect()
}

fn locate_row(table: &Table<'_>, layer: &Layer, model: &BoardModel, row: &[&str]) -> Option<Square> {
    let value = |coordinate: &Coordinate| {
        let column = table.columns.iter().position(|c| c.coordinate == *coordinate)?;
        row.get(column).copied()
    };
    model.square_at(layer, value)
}

#[cfg(test)]
mod tests {
    use crate::sample::game;
    use crate::{Kind, infer};
    use ggp_game::Fact;

    #[test]
    fn squares_that_nothing_can_enter_and_no_move_names_are_no_part_of_the_board() {
        // Rows 0 and 4 and columns 0 and 4 are off the board, except for the corner from which the man starts.
        let rules = |outside: &str| {
            format!(
                "(role r) (line 0) (line 1) (line 2) (line 3) (line 4) (next_to 0 1) (next_to 1 2) (next_to 2 3)
                (next_to 3 4) (init (man 4 4 me)) (init (man 2 2 you)) (<= (near ?x ?y) (next_to ?x ?y))
                (<= (near ?x ?y) (next_to ?y ?x)) (<= (near ?x ?x) (line ?x))
                (<= (inside ?x ?y) (line ?x) (line ?y) {outside})
                (<= (legal r (go ?x ?y)) (true (man ?u ?v me)) (near ?u ?x) (near ?v ?y) (inside ?x ?y))
                (<= (next (man ?x ?y me)) (does r (go ?x ?y)))
                (<= (next (man ?x ?y you)) (true (man ?x ?y you)) (not (does r (go ?x ?y))))
                (<= (goal r 0) (role r)) (<= terminal (true (man 1 1 me)))"
            )
        };
        let holes = |rules: &str| {
            let game = game(rules);
            let model = infer(&game, &[]);
            (model.columns.values.join(""), model.rows.values.join(""), model.holes.len())
        };
        let rim = "(distinct ?x 0) (distinct ?y 0) (distinct ?x 4) (distinct ?y 4)";
        assert_eq!(holes(&rules(rim)), ("1234".to_owned(), "4321".to_owned(), 6));
        assert_eq!(holes(&rules("")), ("01234".to_owned(), "43210".to_owned(), 0));
    }

    const RULES: &str = "(role r) (line 1) (line 2) (line 3) (next_to 1 2) (next_to 2 3) (init (at 1 1 me))
        (<= (init (room ?x ?y)) (line ?x) (line ?y)) (<= (next (room ?x ?y)) (true (room ?x ?y)))
        (<= (legal r (go ?x ?y)) (line ?x) (line ?y)) (<= (next (at ?x ?y me)) (does r (go ?x ?y)))
        (<= (goal r 0) (role r)) (<= terminal (true (at 3 3 me)))";

    #[test]
    fn squares_that_are_always_there_are_neither_the_board_nor_marked() {
        let game = game(RULES);
        let mut first: Vec<Fact> = Vec::new();
        for (x, y) in (1..4).flat_map(|x| (1..4).map(move |y| (x, y))) {
            first.push(Fact::from_canonical(format!("(room {x} {y})")));
        }
        let mut second = first.clone();
        first.insert(0, Fact::from_canonical("(at 1 1 me)"));
        second.insert(0, Fact::from_canonical("(at 2 3 me)"));
        let model = infer(&game, &[first.clone(), second]);
        assert_eq!((model.kind, model.layers[0].relation.as_str()), (Kind::Grid, "at"));
        let position = model.place(&first);
        assert_eq!(position.squares.iter().flatten().count(), 1, "only the piece is drawn");
        assert!(position.side.is_empty(), "{:?}", position.side);
    }

    #[test]
    fn a_thing_in_two_places_at_once_is_on_two_boards() {
        let walk = |at: &str, go: &str| {
            format!(
                "(init ({at} 1 1 me)) (<= (legal r ({go} ?u ?v)) ({go}_to ?u ?v))
                (<= ({go}_to ?u ?y) (true ({at} ?x ?y me)) (after ?x ?u))
                (<= ({go}_to ?x ?v) (true ({at} ?x ?y me)) (after ?y ?v))
                (<= (next ({at} ?u ?v me)) (does r ({go} ?u ?v)))
                (<= (next ({at} ?x ?y me)) (true ({at} ?x ?y me)) (not (does_{go})))
                (<= (does_{go}) (does r ({go} ?u ?v)))"
            )
        };
        let states = |here: &str, there: &str| -> Vec<Vec<Fact>> {
            let state = |a: usize, b: usize| {
                let at = |name: &str, n: usize| {
                    Fact::from_canonical(format!("({name} {} {} me)", n % 3 + 1, n / 3 + 1))
                };
                vec![at(here, a), at(there, b)]
            };
            (0..9).map(|n| state(n, n / 2)).collect()
        };
        let boards = |more: &str| {
            let rules = format!(
                "(role r) (after 1 2) (after 2 3) {} {} {more} (<= (goal r 0) (role r))
                (<= terminal (true (at 3 3 me)))",
                walk("at", "walk"),
                walk("swims", "swim"),
            );
            let rules = format!("{rules} (<= (next (swims ?x ?y wake)) (true (swims ?x ?y me)) (does_swim))");
            infer(&game(&rules), &states("at", "swims")).board_count()
        };
        assert_eq!(boards(""), 2);
        assert_eq!(boards("(<= met (true (at ?x ?y me)) (true (swims ?x ?y me)))"), 1);
    }
}
