//! What the rules tell of the way in which a board stands: the direction that they call up, and the order in which a goal
//! reads the squares.

use crate::model::{Axis, BoardModel, Coordinate, Layer, TextPart};
use crate::step::{Step, steps};
use crate::term::words;
use ggp_gdl::{Atom, Description, Rule, Term, TermId};
use std::collections::{BTreeMap, BTreeSet};

/// The words for directions, and whether each means up.
const WORDS: [(&str, bool); 4] = [("up", true), ("north", true), ("down", false), ("south", false)];

/// The words for directions to a side.
const ASIDE: [&str; 4] = ["left", "right", "east", "west"];

/// Of a relation with more definitions than this, only the first ones are read.
const MAX_DEFINITIONS: usize = 64;

/// How a board stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Stance {
    /// Whether the columns of the model go up and down.
    pub(crate) transposed: bool,
    /// Whether the first value of the vertical axis is at the top.
    pub(crate) downwards: bool,
}

/// How `model` stands, whose axes are in ascending order, if the rules tell it. The names of directions come first.
pub(crate) fn stance(description: &Description, model: &BoardModel) -> Option<Stance> {
    named(description, model).or_else(|| read(description, model))
}

/// How the rules want it in which a thing takes a step in a direction with a name. `None` if they contradict each other.
fn named(description: &Description, model: &BoardModel) -> Option<Stance> {
    let steps = steps(description, model);
    let mut told: BTreeSet<Stance> = BTreeSet::new();
    for rule in description.rules.iter().filter(|rule| description.name(rule.head.relation) == "next") {
        for layer in &model.layers {
            let Some(new) = square(description, &rule.head, "next", layer) else { continue };
            for conditions in readings(description, rule) {
                told.extend(stepping(description, &conditions, new, layer, &steps));
            }
        }
    }
    told.first().copied().filter(|_| told.len() == 1)
}

/// How a board stands on which a thing of `layer` comes to the square `new` under `conditions` that call its way up or down.
fn stepping(
    description: &Description,
    conditions: &[Condition<'_>],
    new: [TermId; 2],
    layer: &Layer,
    steps: &[Step<'_>],
) -> BTreeSet<Stance> {
    let Some(up) = conditions.iter().find_map(|condition| direction(description, condition.atom)) else {
        return BTreeSet::new();
    };
    let olds = conditions.iter().filter_map(|condition| {
        let old = square(description, condition.atom, "true", layer)?;
        Some(old.map(|term| condition.meaning(term)))
    });
    let paths = olds.flat_map(|old| [0, 1].map(|axis| (axis, [old[axis], Meaning::Own(new[axis])])));
    let step = |(axis, path): (usize, [Meaning; 2])| {
        let step =
            conditions.iter().find_map(|condition| along(description, condition, steps, axis, path))?;
        Some(Stance { transposed: axis == 0, downwards: (step < 0) == up })
    };
    paths.filter_map(step).collect()
}

/// What a term of a condition stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    /// A term of the rule.
    Own(TermId),
    /// A variable that only the definition of a relation has.
    Inner(TermId),
}

/// A condition of a rule, or of the definition of a relation that the rule names.
struct Condition<'a> {
    atom: &'a Atom,
    /// For a definition, the terms of the rule for the variables in its head.
    arguments: Option<BTreeMap<TermId, TermId>>,
}

impl Condition<'_> {
    fn meaning(&self, term: TermId) -> Meaning {
        match &self.arguments {
            None => Meaning::Own(term),
            Some(arguments) => arguments.get(&term).map_or(Meaning::Inner(term), |own| Meaning::Own(*own)),
        }
    }
}

/// The conditions of `rule`, once as they stand, and once with each definition of each relation that they name.
fn readings<'a>(description: &'a Description, rule: &'a Rule) -> Vec<Vec<Condition<'a>>> {
    let own = || rule.positive().map(|atom| Condition { atom, arguments: None });
    let defines = |call: &Atom, definition: &Rule| {
        definition.head.relation == call.relation
            && definition.head.args.len() == call.args.len()
            && !definition.body.is_empty()
    };
    let mut out = vec![own().collect()];
    for call in rule.positive() {
        let definitions = description.rules.iter().filter(|definition| defines(call, definition));
        for definition in definitions.take(MAX_DEFINITIONS) {
            let arguments = definition.head.args.iter().copied().zip(call.args.iter().copied()).collect();
            let inner = |atom| Condition { atom, arguments: Some(BTreeMap::clone(&arguments)) };
            out.push(own().chain(definition.positive().map(inner)).collect());
        }
    }
    out
}

/// Whether the move in a condition is called up (true) or down (false).
fn direction(description: &Description, atom: &Atom) -> Option<bool> {
    let ("does", [_, mv]) = (description.name(atom.relation), atom.args.as_slice()) else { return None };
    let names: Vec<&str> = match description.terms.get(*mv) {
        Term::Constant(name) => vec![description.name(*name)],
        Term::Compound(name, args) => {
            let constant = |term: &TermId| match description.terms.get(*term) {
                Term::Constant(name) => Some(description.name(*name)),
                _ => None,
            };
            args.iter().filter_map(constant).chain([description.name(*name)]).collect()
        }
        Term::Variable(_) => return None,
    };
    names.into_iter().find_map(called)
}

/// Whether a name has a word for up (true) or down (false), such as `moveUp` or `go_down2`, and no other direction.
fn called(name: &str) -> Option<bool> {
    let name = words(name).to_ascii_lowercase();
    let mut found = name.split(' ').filter_map(|word| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        if ASIDE.contains(&word) {
            return Some(None);
        }
        WORDS.iter().find(|(known, _)| *known == word).map(|known| Some(known.1))
    });
    let up = found.next()?;
    if found.next().is_none() { up } else { None }
}

/// The step along an axis, 1 or -1, by which `condition` leads from the first to the second of `path`.
fn along(
    description: &Description,
    condition: &Condition<'_>,
    steps: &[Step<'_>],
    axis: usize,
    path: [Meaning; 2],
) -> Option<i32> {
    let step = steps.iter().find(|step| step.name == description.name(condition.atom.relation))?;
    let by = [step.column, step.row][axis];
    let [from, to] = condition.atom.args.as_slice() else { return None };
    let ends = [condition.meaning(*from), condition.meaning(*to)];
    let sign = if ends == path {
        by
    } else if ends == [path[1], path[0]] {
        -by
    } else {
        0
    };
    (sign != 0 && path[0] != path[1]).then_some(sign)
}

/// How a condition for the end of the game wants it, which lists the board: in the order of the numbers on them, the
/// squares follow each other like letters on a page.
fn read(description: &Description, model: &BoardModel) -> Option<Stance> {
    let layer = model.layers.first().filter(|layer| layer.content.len() == 1)?;
    let listed = |rule: &Rule| {
        let head = description.name(rule.head.relation);
        if matches!(head, "next" | "legal" | "init") {
            return None;
        }
        let mut squares: Vec<(u32, [usize; 2])> =
            rule.positive().filter_map(|atom| numbered(description, atom, model, layer)).collect();
        squares.sort_unstable();
        in_lines(&squares, [&model.columns, &model.rows])
    };
    description.rules.iter().find_map(listed)
}

/// How the board of two axes stands on which `squares`, sorted by their numbers, stand line by line. They must be all
/// squares, or all but one.
fn in_lines(squares: &[(u32, [usize; 2])], axes: [&Axis; 2]) -> Option<Stance> {
    let count = axes[0].values.len() * axes[1].values.len();
    if squares.len() < 3 || !(count.saturating_sub(1)..=count).contains(&squares.len()) {
        return None;
    }
    let ascending = |first: usize| {
        let key = |square: &[usize; 2]| [square[first], square[1 - first]];
        squares.windows(2).all(|pair| pair[0].0 < pair[1].0 && key(&pair[0].1) < key(&pair[1].1))
    };
    let down = [0, 1].into_iter().find(|first| ascending(*first))?;
    Some(Stance { transposed: down == 0, downwards: true })
}

/// The number and the square, as indices on both axes, in a condition that names them.
fn numbered(
    description: &Description,
    atom: &Atom,
    model: &BoardModel,
    layer: &Layer,
) -> Option<(u32, [usize; 2])> {
    let [column, row] = square(description, atom, "true", layer)?;
    let content = argument(description, atom, layer.content.first()?)?;
    let text = |term: TermId| match description.terms.get(term) {
        Term::Constant(name) => Some(description.name(*name)),
        _ => None,
    };
    let at = [model.columns.position(text(column)?)?, model.rows.position(text(row)?)?];
    Some((text(content)?.parse().ok()?, at))
}

/// The terms for the column and the row in an atom that applies `keyword` to the fluent of `layer`.
fn square(description: &Description, atom: &Atom, keyword: &str, layer: &Layer) -> Option<[TermId; 2]> {
    let Term::Compound(function, args) = description.terms.get(*atom.args.first()?) else { return None };
    let is_meant = description.name(atom.relation) == keyword
        && description.name(*function) == layer.relation
        && args.len() == layer.arity;
    let term = |coordinate: &Coordinate| argument(description, atom, coordinate);
    if is_meant { Some([term(&layer.x)?, term(layer.y.as_ref()?)?]) } else { None }
}

/// The argument at `coordinate` of the fluent in `atom`.
fn argument(description: &Description, atom: &Atom, coordinate: &Coordinate) -> Option<TermId> {
    if coordinate.part != TextPart::Whole {
        return None;
    }
    let mut term = *atom.args.first()?;
    for &number in &coordinate.path {
        let Term::Compound(_, args) = description.terms.get(term) else { return None };
        term = *args.get(number)?;
    }
    Some(term)
}

#[cfg(test)]
mod tests {
    use crate::sample::model;

    #[test]
    fn a_board_stands_as_its_directions_are_called() {
        let rows = |word: &str| {
            let rules = format!(
                "(role r) (line 1) (line 2) (line 3) (after 1 2) (after 2 3) (init (at 2 2 me))
                (init (at 1 1 you)) (init (at 3 3 you)) (init (at 3 1 you))
                (<= (legal r (go {word})) (true (at ?x ?y me)))
                (<= (next (at ?x ?w me)) (does r (go {word})) (true (at ?x ?v me)) (after ?v ?w))
                (<= (goal r 0) (role r)) (<= terminal (true (at 3 3 me)))"
            );
            model(&rules).rows.values.join("")
        };
        assert_eq!([rows("north"), rows("South"), rows("aside")], ["321", "123", "321"]);
    }

    #[test]
    fn the_first_argument_may_go_up_and_down() {
        // The row of a square comes first, and rows count from the top.
        let rules = |word: &str| {
            format!(
                "(role r) (after 1 2) (after 2 3) (beside a b) (beside b c) (init (at 2 b me)) (init (at 1 c you))
                (init (at 1 a you)) (init (at 1 b you)) (<= (legal r {word}) (true (at ?x ?y me)))
                (<= (next (at ?w ?y me)) (does r {word}) (true (at ?v ?y me)) (after ?v ?w))
                (<= (goal r 0) (role r)) (<= terminal (true (at 3 c me)))"
            )
        };
        let axes = |word: &str| {
            let model = model(&rules(word));
            (model.columns.values.join(""), model.rows.values.join(""))
        };
        assert_eq!(axes("down"), ("abc".to_owned(), "123".to_owned()));
        assert_eq!(axes("wait"), ("abc".to_owned(), "321".to_owned()));
    }

    #[test]
    fn a_word_in_a_name_tells_the_direction_and_a_definition_the_step() {
        // Rows count from the top. The step leads from the new row to the old one.
        let rows = |up: &str, next: &str| {
            let rules = format!(
                "(role r) (after 1 2) (after 2 3) (init (at 2 2 me)) (init (at 1 1 you)) (init (at 3 3 you))
                (init (at 3 1 you)) (<= (legal r {up}) (true (at ?x ?y me))) {next}
                (<= (goal r 0) (role r)) (<= terminal (true (at 3 3 me)))"
            );
            model(&rules).rows.values.join("")
        };
        let plain = |up: &str| {
            let next = format!("(<= (next (at ?x ?w me)) (does r {up}) (true (at ?x ?v me)) (after ?w ?v))");
            rows(up, &next)
        };
        let names = ["moveUp", "go_up", "up1", "moveDown", "upset", "moveUpLeft"];
        assert_eq!(names.map(plain), ["123", "123", "123", "321", "321", "321"]);
        // The definition has variables of its own, with the names of others in the rule.
        let square = "(<= (next (at ?x ?y ?me)) (comes ?x ?y ?me))
            (<= (comes ?x ?w ?v) (does r goUp) (true (at ?x ?y ?v)) (after ?w ?y))";
        let row = "(<= (next (at ?x ?w me)) (true (at ?x ?y me)) (does r goUp) (above ?w))
            (<= (above ?w) (true (at ?x ?y me)) (after ?w ?y))";
        assert_eq!([rows("goUp", square), rows("goUp", row)], ["123", "123"]);
    }

    #[test]
    fn a_goal_that_lists_numbers_is_read_like_a_page() {
        let axes = |goal: [&str; 4]| {
            let goal: String = goal.iter().map(|square| format!("(true (at {square}))")).collect();
            let rules = format!(
                "(role r) (line 1) (line 2) (after 1 2) (init (at 1 1 3)) (init (at 1 2 2)) (init (at 2 1 1))
                (init (at 2 2 gap)) (<= (legal r (go ?x ?y)) (true (at ?x ?y ?n)) (distinct ?n gap))
                (<= (next (at ?x ?y gap)) (does r (go ?x ?y)))
                (<= (next (at ?x ?y ?n)) (true (at ?x ?y ?n)) (not (does r (go ?x ?y))))
                (<= (goal r 100) {goal}) (<= terminal {goal})"
            );
            let model = model(&rules);
            let coordinate = &model.layers[0].x.path;
            (model.rows.values.join(""), coordinate[0])
        };
        // The row comes first: the columns of the drawing are the second argument.
        assert_eq!(axes(["1 1 1", "1 2 2", "2 1 3", "2 2 gap"]), ("12".to_owned(), 1));
        assert_eq!(axes(["1 1 1", "2 1 2", "1 2 3", "2 2 gap"]), ("12".to_owned(), 0));
        assert_eq!(axes(["1 1 1", "2 1 3", "1 2 2", "2 2 4"]), ("12".to_owned(), 1));
        assert_eq!(axes(["1 1 2", "1 2 1", "2 1 3", "2 2 gap"]), ("21".to_owned(), 0), "in no order");
    }
}
