//! Lines of a board: walls on sides of squares, and edges between squares. Facts with a square and perhaps a direction
//! are walls if they never change, and if the rules use each of them together with the step to the next square in one
//! direction only. Facts that name two squares are edges if these are always neighbours.

use crate::barrier::barrier;
use crate::evidence::Evidence;
use crate::fluent::Table;
use crate::model::{BoardModel, Cell, Coordinate, Kind, Layer, TextPart};
use crate::position::{Position, Token};
use crate::scene::signed;
use crate::step::{Step, steps};
use ggp_gdl::{Atom, Description, Literal, Rule, Term, TermId};
use std::collections::{BTreeMap, BTreeSet};

/// The sides that names of fluents tell.
const COMPASS: [(&str, [i32; 2]); 4] =
    [("north", [0, -1]), ("south", [0, 1]), ("east", [1, 0]), ("west", [-1, 0])];

/// The words that say which of two squares has the greater value.
const COMPARISONS: [(&str, bool); 8] = [
    ("gt", true),
    ("greater", true),
    ("more", true),
    ("larger", true),
    ("lt", false),
    ("less", false),
    ("smaller", false),
    ("fewer", false),
];

/// The comparison that the name of a fluent tells.
fn comparison(name: &str) -> Option<bool> {
    let name = crate::term::words(name).to_ascii_lowercase();
    name.split(' ').find_map(|word| COMPARISONS.iter().find(|(known, _)| *known == word)).map(|found| found.1)
}

/// Finds the lines of `model`.
pub(crate) fn draw_lines(description: &Description, evidence: &Evidence<'_>, model: &mut BoardModel) {
    if model.kind == Kind::Table || model.kind == Kind::Track || model.stacked {
        return;
    }
    edges(evidence, model);
    if !model.places.is_empty() {
        return;
    }
    let steps = steps(description, model);
    let drawn = |table: &&Table<'_>| {
        !model.layers.iter().any(|layer| layer.relation == table.name && layer.arity == table.arity)
    };
    let beside = evidence.tables.iter().filter(drawn);
    model.barriers = beside.filter_map(|table| barrier(description, table, model, &steps)).collect();
    for number in 1..model.layers.len() {
        let walls = walls(description, evidence, model, number, &steps);
        if !walls.is_empty() {
            let layer = &mut model.layers[number];
            if let (Some(empty), Some(values)) = (layer.empty.take(), layer.values.first_mut()) {
                values.push(empty);
            }
            layer.walls = walls;
            if layer.content.is_empty() {
                layer.compares = comparison(&layer.relation);
            }
        }
    }
}

/// Makes the squares holes that walls part from all things of the first of `positions`, if nothing ever stands on them
/// and the rules never take a wall away.
pub(crate) fn wall_off(description: &Description, positions: &[Position], model: &mut BoardModel) {
    let mut walls = model.layers.iter().filter(|layer| !layer.walls.is_empty()).peekable();
    let has_walls = walls.peek().is_some() && walls.all(|layer| stays(description, layer));
    let Some(first) = positions.first().filter(|_| has_walls && model.board_count() == 1) else { return };
    let is_thing = |token: &Token| model.layers.get(token.layer).is_some_and(|layer| layer.walls.is_empty());
    let occupied = |position: &Position| -> Vec<usize> {
        (0..position.squares.len()).filter(|&square| position.squares[square].iter().any(is_thing)).collect()
    };
    let walls: BTreeSet<(usize, [i32; 2])> =
        first.lines.iter().map(|line| (model.square_number(line.from), line.side)).collect();
    let (width, height) = (model.columns.values.len(), model.rows.values.len());
    let mut stack = occupied(first);
    let mut inside: BTreeSet<usize> = stack.iter().copied().collect();
    while let Some(square) = stack.pop() {
        for side in [[1, 0], [-1, 0], [0, 1], [0, -1]] {
            let (x, y) = (signed(square % width) + side[0], signed(square / width) + side[1]);
            let (Ok(column), Ok(row)) = (usize::try_from(x), usize::try_from(y)) else { continue };
            let next = row * width + column;
            let parted = walls.contains(&(square, side)) || walls.contains(&(next, [-side[0], -side[1]]));
            if column < width && row < height && !parted && inside.insert(next) {
                stack.push(next);
            }
        }
    }
    if positions.iter().flat_map(occupied).all(|square| inside.contains(&square)) {
        let outside = (0..width * height).filter(|square| !inside.contains(square));
        model.holes.extend(outside.map(|square| model.square(square)).collect::<Vec<_>>());
        model.holes.sort_unstable();
        model.holes.dedup();
    }
}

/// Whether each fact of the fluent of `layer` holds for ever once it holds: it is the only condition of a rule that keeps
/// it.
fn stays(description: &Description, layer: &Layer) -> bool {
    let fluent = |atom: &Atom, keyword: &str| -> Option<Vec<TermId>> {
        let term = *atom.args.first().filter(|_| description.name(atom.relation) == keyword)?;
        let Term::Compound(function, args) = description.terms.get(term) else { return None };
        (description.name(*function) == layer.relation && args.len() == layer.arity).then(|| args.to_vec())
    };
    let keeps = |rule: &Rule| {
        let [Literal::Positive(condition)] = rule.body.as_slice() else { return false };
        let (Some(head), Some(body)) = (fluent(&rule.head, "next"), fluent(condition, "true")) else {
            return false;
        };
        let alike = head.iter().zip(&body).all(|(one, other)| same(description, Some(*one), Some(*other)));
        let names: BTreeSet<TermId> = head.iter().copied().collect();
        alike && names.len() == head.len()
    };
    description.rules.iter().any(keeps)
}

/// The walls that the facts of the layer with index `number` are: for each content, the side of the square. Empty if they
/// are no walls.
fn walls(
    description: &Description,
    evidence: &Evidence<'_>,
    model: &BoardModel,
    number: usize,
    steps: &[Step<'_>],
) -> BTreeMap<String, [i32; 2]> {
    let layer = &model.layers[number];
    let table = evidence.tables.iter().find(|t| t.name == layer.relation && t.arity == layer.arity);
    let fixed = table.is_some_and(|table| !table.changes() && table.rows().next().is_some());
    if !fixed || layer.content.len() > 1 {
        return BTreeMap::new();
    }
    // The rules need not use a sign together with a step; those that list it do.
    let sign = layer.content.is_empty() && comparison(&layer.relation).is_some();
    let mut sides: BTreeMap<String, BTreeSet<[i32; 2]>> = BTreeMap::new();
    for rule in &description.rules {
        let atoms: Vec<&Atom> = atoms(rule).collect();
        for atom in &atoms {
            let Some((square, content)) = square_of(description, atom, layer, sign) else { continue };
            for step in atoms.iter().filter(|step| step.args.len() == 2) {
                let name = description.name(step.relation);
                let Some(way) = steps.iter().find(|way| way.name == name) else { continue };
                let side = |variable: Option<TermId>, along: i32, side: [i32; 2]| {
                    let at = step.args.iter().position(|arg| same(description, Some(*arg), variable))?;
                    // The wall stands on the far side of the square where the step begins.
                    (along != 0).then(|| if at == 0 { side } else { [-side[0], -side[1]] })
                };
                let found = side(square[0], way.column, [way.column, 0])
                    .or_else(|| side(square[1], way.row, [0, way.row]));
                sides.entry(content.clone()).or_default().extend(found);
            }
        }
    }
    sides.retain(|_, sides| !sides.is_empty());
    let one: BTreeMap<String, [i32; 2]> = sides
        .iter()
        .filter(|(_, sides)| sides.len() == 1)
        .filter_map(|(c, s)| Some((c.clone(), *s.first()?)))
        .collect();
    let contents = layer.values.first().map_or(1, Vec::len) + usize::from(layer.empty.is_some());
    if one.len() == sides.len() && one.len() == contents {
        return one;
    }
    // Where the rules leave it open, the name of the fluent may tell the side.
    let named = |(word, side): &(&str, [i32; 2])| {
        layer.relation.to_ascii_lowercase().ends_with(word).then(|| BTreeMap::from([(String::new(), *side)]))
    };
    let by_name = if layer.content.is_empty() { COMPASS.iter().find_map(named) } else { None };
    by_name.unwrap_or_default()
}

/// The atoms in the body and the head of a rule.
pub(crate) fn atoms(rule: &Rule) -> impl Iterator<Item = &Atom> {
    let body = rule.body.iter().filter_map(|literal| match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
        Literal::Distinct(..) => None,
    });
    body.chain([&rule.head])
}

/// If `atom` is about the fluent of `layer`: the terms that give the column and the row, and the content, which must be a
/// constant.
fn square_of(
    description: &Description,
    atom: &Atom,
    layer: &Layer,
    sign: bool,
) -> Option<([Option<TermId>; 2], String)> {
    let name = description.name(atom.relation);
    if name != "true" && !(sign && name == "init") {
        return None;
    }
    let Term::Compound(function, args) = description.terms.get(*atom.args.first()?) else { return None };
    if description.name(*function) != layer.relation || args.len() != layer.arity {
        return None;
    }
    let term = |coordinate: &Coordinate| match coordinate.path.as_slice() {
        [argument] if coordinate.part == TextPart::Whole => args.get(*argument).copied(),
        _ => None,
    };
    let content = match layer.content.first() {
        None => String::new(),
        Some(coordinate) => match description.terms.get(term(coordinate)?) {
            Term::Constant(constant) => description.name(*constant).to_owned(),
            _ => return None,
        },
    };
    Some(([term(&layer.x), layer.y.as_ref().and_then(term)], content))
}

/// Whether two terms are the same variable.
fn same(description: &Description, one: Option<TermId>, other: Option<TermId>) -> bool {
    let name = |term: Option<TermId>| match description.terms.get(term?) {
        Term::Variable(variable) => Some(description.name(*variable)),
        _ => None,
    };
    name(one).is_some() && name(one) == name(other)
}

/// Finds edges: facts with the coordinates of two squares, which are neighbours in all states.
fn edges(evidence: &Evidence<'_>, model: &mut BoardModel) {
    let Some(board) = model.layers.first() else { return };
    if board.y.is_none()
        || board.x.part != TextPart::Whole
        || !board.index.is_empty()
        || model.groups.len() > 1
    {
        return;
    }
    let mut found: Vec<Layer> = Vec::new();
    for table in &evidence.tables {
        let [a, b, c, d] = match table.columns.len() {
            4 | 5 => [0, 1, 2, 3],
            _ => continue,
        };
        let at = |row: &[&str], x: usize, y: usize| {
            Some((signed(model.columns.position(row[x])?), signed(model.rows.position(row[y])?)))
        };
        let reads = |x: usize, y: usize, u: usize, v: usize| {
            table.rows().next().is_some()
                && table.rows().all(|row| {
                    let (Some(from), Some(to)) = (at(row, x, y), at(row, u, v)) else { return false };
                    from != to && (from.0 - to.0).abs() <= 1 && (from.1 - to.1).abs() <= 1
                })
        };
        let in_order = board.y.as_ref().is_some_and(|y| board.x.path < y.path);
        let [x, y, u, v] = if in_order { [a, b, c, d] } else { [b, a, d, c] };
        if !reads(x, y, u, v) {
            continue;
        }
        let coordinate = |column: usize| table.columns[column].coordinate.clone();
        let content: Vec<Coordinate> = (4..table.columns.len()).map(coordinate).collect();
        found.push(Layer {
            relation: table.name.clone(),
            arity: table.arity,
            group: 0,
            x: coordinate(x),
            y: Some(coordinate(y)),
            index: Vec::new(),
            values: vec![Vec::new(); content.len()],
            content,
            empty: None,
            ground: false,
            walls: BTreeMap::new(),
            compares: None,
            walker: false,
            to: Some([coordinate(u), coordinate(v)]),
        });
    }
    for layer in found {
        let known = model.layers.iter().position(|l| l.relation == layer.relation && l.arity == layer.arity);
        if let Some(number) = known {
            let known = &mut model.layers[number];
            (known.x, known.y, known.to) = (layer.x, layer.y, layer.to);
            if number == 0 {
                model.cell = Cell::Dot;
            }
        } else {
            model.side.retain(|side| side.relation != layer.relation || side.arity != layer.arity);
            model.layers.push(layer);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::infer;
    use crate::sample::game;
    use ggp_game::Fact;

    const WALLS: [&str; 5] = ["(wall 1 1)", "(wall 1 2)", "(wall 1 3)", "(wall 1 4)", "(wall 4 2)"];

    /// A walker among four columns and rows. A wall parts the first column from the others.
    fn rules(fall: &str) -> String {
        let walls: String = WALLS.iter().map(|wall| format!("(init {wall})")).collect();
        format!(
            "(role r) (line 1) (line 2) (line 3) (line 4) (after 0 1) (after 1 2) (after 2 3) (after 3 4)
            (init (at 2 1 me)) {walls}
            (<= (legal r (east ?u)) (true (at ?x ?y me)) (after ?x ?u) (not (true (wall ?x ?y))))
            (<= (legal r (west ?u)) (true (at ?x ?y me)) (after ?u ?x) (not (true (wall ?u ?y))))
            (<= (legal r (north ?v)) (true (at ?x ?y me)) (after ?y ?v))
            (<= (next (at ?u ?y me)) (true (at ?x ?y me)) (does r (east ?u)))
            (<= (next (at ?u ?y me)) (true (at ?x ?y me)) (does r (west ?u)))
            (<= (next (at ?x ?v me)) (true (at ?x ?y me)) (does r (north ?v)))
            (<= (next (wall ?x ?y)) (true (wall ?x ?y)) {fall})
            (<= (goal r 0) (role r)) (<= terminal (true (at 4 3 me)))"
        )
    }

    #[test]
    fn squares_beyond_a_wall_that_stays_are_no_part_of_the_board() {
        for (fall, columns) in [("", "234"), ("(not (true (at 2 2 me)))", "01234")] {
            let rules = rules(fall);
            let game = game(&rules);
            let facts = |at: &str| -> Vec<Fact> {
                let walls = WALLS.iter().map(|wall| (*wall).to_owned());
                [format!("(at {at} me)")].into_iter().chain(walls).map(Fact::from_canonical).collect()
            };
            let model = infer(&game, &[facts("2 1"), facts("2 2"), facts("3 2"), facts("4 2")]);
            assert_eq!(model.columns.values.join(""), columns, "{fall}");
            let position = model.place(&facts("3 1"));
            // Walls of squares beside the board stand on its rim.
            assert_eq!(position.lines.len(), 5, "{:?}", position.lines);
        }
    }
}
