//! How things on the board behave, as far as their pictures show it: who goes about alone, which lights go out by
//! themselves, which squares are shaded, and whose men point ahead. Rules and playouts tell all of it; names do not matter.

use crate::model::{Axis, BoardModel, Cell, Coordinate, Kind, Layer, SideKind};
use crate::position::Position;
use crate::scene::signed;
use ggp_gdl::{Atom, Description, Literal, Term};
use std::collections::BTreeMap;

/// Men are told apart by letters if there are at least this many kinds of them.
const KINDS: usize = 4;

/// Completes `model`. `positions` are positions of playouts.
pub(crate) fn observe(description: &Description, positions: &[Position], model: &mut BoardModel) {
    if model.stacked {
        return;
    }
    for number in 0..model.layers.len() {
        model.layers[number].walker = walks(positions, model, number);
    }
    if model.kind == Kind::Grid {
        model.fading = fading(description, model);
        model.shades = shades(positions, model);
        model.ahead = ahead(positions, model);
        if model.boxes == 0 {
            model.boxes = parts(description, model);
        }
    }
}

/// Whether the layer with the index `number` marks at most one square in every state, and not always the same one.
fn walks(positions: &[Position], model: &BoardModel, number: usize) -> bool {
    let layer = &model.layers[number];
    if !layer.content.is_empty() || layer.ground || model.draws_lines(number) {
        return false;
    }
    let mut seen: Vec<usize> = Vec::new();
    for position in positions {
        let marked = |square: &usize| position.squares[*square].iter().any(|token| token.layer == number);
        let mut marked = (0..position.squares.len()).filter(marked);
        match (marked.next(), marked.next()) {
            (_, Some(_)) => return false,
            (Some(square), None) if !seen.contains(&square) => seen.push(square),
            (None, _) if positions.first() == Some(position) => return false,
            _ => {}
        }
    }
    seen.len() > 1
}

/// The contents of the first layer that turn into each other by themselves, the first of them first. The content at the end,
/// which stays, is left out.
fn fading(description: &Description, model: &BoardModel) -> Vec<String> {
    let Some(layer) = model.layers.first().filter(|layer| layer.content.len() == 1) else {
        return Vec::new();
    };
    let mut follows: BTreeMap<&str, &str> = BTreeMap::new();
    for rule in &description.rules {
        let [Literal::Positive(body)] = rule.body.as_slice() else { continue };
        if description.name(rule.head.relation) != "next" || description.name(body.relation) != "true" {
            continue;
        }
        let Some((old, new)) = content(description, body, layer).zip(content(description, &rule.head, layer))
        else {
            continue;
        };
        if old.1 == new.1 && old.0 != new.0 {
            follows.insert(old.0, new.0);
        }
    }
    let starts: Vec<&str> =
        follows.keys().copied().filter(|old| !follows.values().any(|new| new == old)).collect();
    let [start] = *starts.as_slice() else { return Vec::new() };
    let mut chain = vec![start.to_owned()];
    let mut at = start;
    while let Some(next) =
        follows.get(at).filter(|next| follows.contains_key(*next) && chain.len() < follows.len())
    {
        chain.push((*next).to_owned());
        at = next;
    }
    if chain.len() == follows.len() && chain.len() > 1 { chain } else { Vec::new() }
}

/// The content, a constant, of a fact of `layer` in a condition or a head, and its other arguments.
fn content<'a>(description: &'a Description, atom: &Atom, layer: &Layer) -> Option<(&'a str, Vec<&'a str>)> {
    let Term::Compound(function, args) = description.terms.get(*atom.args.first()?) else { return None };
    let &[place] = layer.content.first()?.path.as_slice() else { return None };
    if description.name(*function) != layer.relation || args.len() != layer.arity {
        return None;
    }
    let Term::Constant(value) = description.terms.get(*args.get(place)?) else { return None };
    let mut others = Vec::new();
    for (_, arg) in args.iter().enumerate().filter(|(number, _)| *number != place) {
        let Term::Variable(name) = description.terms.get(*arg) else { return None };
        others.push(description.name(*name));
    }
    Some((description.name(*value), others))
}

/// The two states of the squares, if each square holds a value that stays and one of two states, which is the same for all
/// squares at first.
fn shades(positions: &[Position], model: &BoardModel) -> Option<[String; 2]> {
    let layer = model.layers.first()?;
    let [values, states] = layer.values.as_slice() else { return None };
    let [one, two] = states.as_slice() else { return None };
    let first = positions.first()?;
    let role = |value: &String| model.roles.contains(value) || model.owners.contains_key(value);
    if positions.len() < 2 || values.len() < 2 || states.iter().any(role) || values.iter().any(role) {
        return None;
    }
    let held = |position: &Position, place: usize| -> Option<Vec<String>> {
        let value = |tokens: &Vec<crate::position::Token>| match tokens.as_slice() {
            [token] => token.content.get(place).cloned(),
            _ => None,
        };
        position.squares.iter().map(value).collect()
    };
    let numbers = held(first, 0)?;
    let plain = held(first, 1)?.first()?.clone();
    if held(first, 1)?.iter().any(|state| *state != plain)
        || positions.iter().any(|position| held(position, 0).as_ref() != Some(&numbers))
    {
        return None;
    }
    let shaded = if *one == plain { two } else { one };
    Some([plain, shaded.clone()])
}

/// The number of squares along the side of the parts of a square board, if relations with one argument divide both axes into
/// runs of this length, and a move needs several of them.
fn parts(description: &Description, model: &BoardModel) -> usize {
    let side = model.columns.values.len();
    let plain =
        model.board_count() == 1 && model.places.is_empty() && model.cell == Cell::Square && !model.chequered;
    if !plain || side != model.rows.values.len() || model.layers.iter().any(|layer| layer.to.is_some()) {
        return 0;
    }
    let mut sets: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for rule in description.rules.iter().filter(|rule| rule.body.is_empty() && rule.head.args.len() == 1) {
        if let Term::Constant(value) = description.terms.get(rule.head.args[0]) {
            sets.entry(description.name(rule.head.relation)).or_default().push(description.name(*value));
        }
    }
    // 1. The runs of equal length: for each relation, the place of its first value on each axis.
    let run = |values: &Vec<&str>, axis: &Axis, length: usize| {
        let mut at: Vec<usize> = values.iter().filter_map(|value| axis.position(value)).collect();
        at.sort_unstable();
        let whole = at.len() == length && values.len() == length && at[0].is_multiple_of(length);
        (whole && at[length - 1] == at[0] + length - 1).then(|| at[0] / length)
    };
    for length in (2..side).filter(|length| side.is_multiple_of(*length)) {
        let of_axis = |axis: &Axis| -> BTreeMap<&str, usize> {
            sets.iter().filter_map(|(name, values)| Some((*name, run(values, axis, length)?))).collect()
        };
        let [columns, rows] = [of_axis(&model.columns), of_axis(&model.rows)];
        let all = |found: &BTreeMap<&str, usize>| {
            (0..side / length).all(|part| found.values().any(|at| *at == part))
        };
        // 2. A move that needs them.
        let used = description.rules.iter().any(|rule| {
            let known = |literal: &Literal| match literal {
                Literal::Positive(atom) => {
                    columns.keys().find(|name| **name == description.name(atom.relation)).copied()
                }
                _ => None,
            };
            let mut names: Vec<&str> = rule.body.iter().filter_map(known).collect();
            names.sort_unstable();
            names.dedup();
            description.name(rule.head.relation) == "legal" && names.len() > 1
        });
        if all(&columns) && all(&rows) && used {
            return length;
        }
    }
    0
}

/// For each of two roles, whether its men point up or down: where men of several kinds are taken into the hand and come
/// back for the other side, their colour does not tell whose they are.
fn ahead(positions: &[Position], model: &BoardModel) -> Vec<i32> {
    let none = Vec::new();
    let held = model.side.iter().any(|side| side.kind == SideKind::Hand);
    let Some(layer) = model.layers.first().filter(|layer| held && layer.content.len() > 1) else {
        return none;
    };
    let of_roles = |values: &Vec<String>| values.iter().all(|value| model.roles.contains(value));
    let kinds = layer.values.iter().filter(|values| !of_roles(values)).map(Vec::len).max().unwrap_or(0);
    let owned = layer.values.iter().any(of_roles);
    if !owned
        || kinds < KINDS
        || model.roles.len() != 2
        || model.cell != Cell::Square
        || !model.glyphs.is_empty()
    {
        return none;
    }
    let Some(first) = positions.first() else { return none };
    let mut sums = [[0i32; 2]; 2];
    for (number, token) in
        first.squares.iter().enumerate().flat_map(|(n, tokens)| tokens.iter().map(move |t| (n, t)))
    {
        if let Some(sum) = token.owner.and_then(|owner| sums.get_mut(owner)) {
            sum[0] += signed(model.square(number).row);
            sum[1] += 1;
        }
    }
    let [one, two] = sums.map(|[sum, count]| sum * 10 / count.max(1));
    // The sides stand apart by a quarter of the board.
    if (one - two).abs() * 4 < signed(model.rows.values.len()) * 10 {
        return none;
    }
    if one > two { vec![-1, 1] } else { vec![1, -1] }
}

/// The sizes of things that stand on each other, if their names end in numbers, and no larger number ever stands on a
/// smaller one.
pub(crate) fn sizes(
    states: &[Vec<Vec<&str>>],
    uppers: &[String],
    x: &Coordinate,
    upper: &Coordinate,
) -> BTreeMap<String, u8> {
    let number = |value: &str| {
        crate::term::letters_and_number(value).and_then(|(_, number)| number.parse::<u32>().ok())
    };
    let mut ordered: Vec<(u32, &String)> =
        uppers.iter().filter_map(|value| Some((number(value)?, value))).collect();
    ordered.sort_unstable();
    let things: Vec<&str> = ordered.iter().map(|(_, value)| value.as_str()).collect();
    let rank = |value: &str| things.iter().position(|thing| *thing == value);
    let (Some(&below), Some(&above)) = (x.path.first(), upper.path.first()) else { return BTreeMap::new() };
    let pairs: Vec<(usize, usize)> = states
        .iter()
        .flatten()
        .filter_map(|row| Some((rank(row.get(above)?)?, rank(row.get(below)?)?)))
        .collect();
    let sorted = pairs.len() > 1 && pairs.iter().all(|(upper, lower)| upper < lower);
    if ordered.len() != uppers.len() || !sorted {
        return BTreeMap::new();
    }
    let percent = |rank: usize| u8::try_from(100 * (rank + 1) / things.len().max(1)).unwrap_or(100);
    things.iter().enumerate().map(|(rank, thing)| ((*thing).to_owned(), percent(rank))).collect()
}

#[cfg(test)]
mod tests {
    use crate::sample::{facts, game};
    use crate::{BoardModel, Changes, infer};
    use ggp_game::Fact;

    fn model(rules: &str, states: &[&[&str]]) -> BoardModel {
        let game = game(rules);
        let states: Vec<Vec<Fact>> = states.iter().map(|state| facts(state)).collect();
        infer(&game, &states)
    }

    const LINES: &str = "(role r) (line 1) (line 2) (line 3) (after 1 2) (after 2 3)
        (<= (legal r (go ?x ?y)) (line ?x) (line ?y)) (<= (goal r 0) (role r)) (<= terminal (true (end)))";

    #[test]
    fn lights_go_out_by_themselves_and_the_rest_is_no_thing() {
        let rules = format!(
            "{LINES} (<= (init (lamp ?x ?y q)) (line ?x) (line ?y))
            (<= (next (lamp ?x ?y w)) (does r (go ?x ?y))) (<= (next (lamp ?x ?y v)) (true (lamp ?x ?y w)))
            (<= (next (lamp ?x ?y q)) (true (lamp ?x ?y v))) (<= (next (lamp ?x ?y q)) (true (lamp ?x ?y q)))"
        );
        let squares = (1..4).flat_map(|x| (1..4).map(move |y| format!("(lamp {x} {y} q)")));
        let dark: Vec<String> = squares.collect();
        let mut lit: Vec<&str> = dark.iter().map(String::as_str).collect();
        let first = lit.clone();
        lit.push("(lamp 2 3 w)");
        let model = model(&rules, &[&first, &lit]);
        assert_eq!((model.fading.join(" "), model.layers[0].empty.as_deref()), ("w v".to_owned(), Some("q")));
        let drawn = model.svg(&model.place(&facts(&lit)), &Changes::default());
        assert_eq!(drawn.matches("#f5c518").count(), 1);
    }

    #[test]
    fn a_square_with_a_number_is_shaded_when_its_state_changes() {
        let rules = format!(
            "{LINES} (<= (init (field ?x ?y ?x left)) (line ?x) (line ?y))
            (<= (next (field ?x ?y ?n out)) (does r (go ?x ?y)) (true (field ?x ?y ?n left)))
            (<= (next (field ?x ?y ?n ?s)) (true (field ?x ?y ?n ?s)) (not (does r (go ?x ?y))))"
        );
        let state = |out: usize| -> Vec<String> {
            let squares = (1..4).flat_map(|x| (1..4).map(move |y| (x, y)));
            let word = |number| if number < out { "out" } else { "left" };
            squares
                .enumerate()
                .map(|(number, (x, y))| format!("(field {x} {y} {x} {})", word(number)))
                .collect()
        };
        let states: Vec<Vec<String>> = (0..3).map(state).collect();
        let states: Vec<Vec<&str>> = states.iter().map(|s| s.iter().map(String::as_str).collect()).collect();
        let states: Vec<&[&str]> = states.iter().map(Vec::as_slice).collect();
        let model = model(&rules, &states);
        assert_eq!(model.shades, Some(["left".to_owned(), "out".to_owned()]));
        let drawn = model.svg(&model.place(&facts(states[2])), &Changes::default());
        assert_eq!(drawn.matches(r##"height="106" fill="#2c2a24""##).count(), 2);
    }

    #[test]
    fn a_mark_that_goes_about_alone_is_a_man() {
        let rules = format!(
            "{LINES} (init (seen 1 1)) (init (seen 2 1)) (init (seen 3 1)) (init (here 1 1))
            (<= (next (here ?x ?y)) (does r (go ?x ?y)))
            (<= (next (seen ?x ?y)) (true (seen ?x ?y))) (<= (next (seen ?x ?y)) (does r (go ?x ?y)))"
        );
        let states: [&[&str]; 2] = [
            &["(seen 1 1)", "(seen 2 1)", "(seen 3 1)", "(here 1 1)"],
            &["(seen 1 1)", "(seen 2 1)", "(seen 3 1)", "(seen 3 2)", "(here 3 2)"],
        ];
        let model = model(&rules, &states);
        let walkers: Vec<_> =
            model.layers.iter().filter(|layer| layer.walker).map(|layer| &layer.relation).collect();
        assert_eq!(walkers, ["here"], "{:?}", model.layers);
    }

    #[test]
    fn things_that_are_always_piled_by_number_have_sizes() {
        let rules = "(role r) (init (on w1 w2)) (init (on w2 w3)) (init (on w3 a)) (init (bare w1)) (init (bare b))
            (disk w1) (disk w2) (disk w3)
            (<= (legal r (put ?x ?y)) (disk ?x) (true (bare ?x)) (true (bare ?y)) (distinct ?x ?y))
            (<= (next (on ?x ?y)) (does r (put ?x ?y)))
            (<= (next (on ?x ?y)) (true (on ?x ?y)) (not (moved ?x))) (<= (moved ?x) (does r (put ?x ?y)))
            (<= (next (bare ?x)) (does r (put ?x ?z))) (<= (next (bare ?y)) (does r (put ?x ?z)) (true (on ?x ?y)))
            (<= (goal r 0) (role r)) (<= terminal (true (on w1 b)))";
        let states: [&[&str]; 2] = [
            &["(on w1 w2)", "(on w2 w3)", "(on w3 a)", "(bare w1)", "(bare b)"],
            &["(on w1 b)", "(on w2 w3)", "(on w3 a)", "(bare w1)", "(bare w2)"],
        ];
        let sizes = model(rules, &states).sizes;
        assert!(sizes["w1"] < sizes["w2"] && sizes["w2"] < sizes["w3"], "{sizes:?}");
        let states: [&[&str]; 2] =
            [states[0], &["(on w2 w1)", "(on w1 b)", "(on w3 a)", "(bare w2)", "(bare w3)"]];
        assert!(model(rules, &states).sizes.is_empty(), "a larger one stands on a smaller one");
    }

    #[test]
    fn a_trail_that_is_entered_is_no_wall_and_the_ground_below_a_board_is_left_out() {
        let rules = format!(
            "{LINES} (init (at 2 2 me)) (<= (init (at ?x 1 stone)) (line ?x))
            (<= (next (at ?x ?y me)) (does r (go ?x ?y))) (<= (next (at ?x ?y tail)) (true (at ?x ?y me)))
            (<= (next (at ?x ?y ?c)) (true (at ?x ?y ?c)) (distinct ?c me))"
        );
        let ground = ["(at 1 1 stone)", "(at 2 1 stone)", "(at 3 1 stone)"];
        let with = |more: &[&'static str]| -> Vec<&str> { ground.iter().chain(more).copied().collect() };
        let states = [
            with(&["(at 2 2 me)"]),
            with(&["(at 2 3 me)", "(at 2 2 tail)"]),
            with(&["(at 2 2 me)", "(at 2 2 tail)", "(at 2 3 tail)"]),
        ];
        let states: Vec<&[&str]> = states.iter().map(Vec::as_slice).collect();
        let model = model(&rules, &states);
        assert!(model.blocks.contains("stone") && model.trails.contains("tail"), "{model:?}");
        assert_eq!(model.holes.len(), 3);
        let drawn = model.svg(&model.place(&facts(states[0])), &Changes::default());
        assert!(!drawn.contains("mortar"), "the ground is not drawn");
    }
}
