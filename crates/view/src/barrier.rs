//! Barriers: facts about a line of squares, whose content says at which of its squares the way to the next line is shut.
//! `(wall a left)` may shut two of the three ways from the row `a` to the row `b`. The rules show it: each of them allows
//! the way at one square of the line while the fact has a certain content, and other contents shut it.

use crate::fluent::Table;
use crate::model::{Axis, Barrier, BoardModel, Coordinate, TextPart};
use crate::step::Step;
use ggp_gdl::{Atom, Description, Rule, Term, TermId};
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of contents of a barrier.
const MAX_CONTENTS: usize = 8;

/// For each content, values of the axis along a line.
type Places = BTreeMap<String, BTreeSet<String>>;

/// The barrier that `table` is on the board of `model`, if any.
pub(crate) fn barrier(
    description: &Description,
    table: &Table<'_>,
    model: &BoardModel,
    steps: &[Step<'_>],
) -> Option<Barrier> {
    let on = |column: usize, axis: &Axis| {
        let domain = &table.columns[column].domain;
        !domain.is_empty() && domain.iter().all(|value| axis.position(value).is_some())
    };
    let mut rest: Vec<usize> = (0..table.columns.len()).collect();
    let mut index = Vec::new();
    for axis in &model.index {
        let at = rest.iter().position(|&column| on(column, axis))?;
        index.push(rest.remove(at));
    }
    let &[one, other] = rest.as_slice() else { return None };
    let argument = |column: usize| match &table.columns[column].coordinate {
        Coordinate { path, part: TextPart::Whole } if path.len() == 1 => Some(path[0]),
        _ => None,
    };
    let readings = [(one, other, true), (one, other, false), (other, one, true), (other, one, false)];
    readings.into_iter().find_map(|(line, content, upright)| {
        let contents = &table.columns[content].domain;
        if !on(line, model.line_axes(upright).0) || contents.len() > MAX_CONTENTS {
            return None;
        }
        let reading = Reading { table, line: argument(line)?, content: argument(content)?, upright };
        let (open, side) = reading.ways(description, model, steps)?;
        let all: BTreeSet<String> = open.values().flatten().cloned().collect();
        let shut = |content: &String| match open.get(content) {
            Some(open) => (content.clone(), all.difference(open).cloned().collect()),
            None => (content.clone(), all.clone()),
        };
        let shut: BTreeMap<String, BTreeSet<String>> = contents.iter().map(shut).collect();
        let coordinate = |column: usize| table.columns[column].coordinate.clone();
        (shut.values().any(BTreeSet::is_empty) && !shut.values().all(BTreeSet::is_empty)).then(|| Barrier {
            relation: table.name.clone(),
            arity: table.arity,
            index: index.iter().map(|&column| coordinate(column)).collect(),
            line: coordinate(line),
            upright,
            content: coordinate(content),
            shut,
            side,
        })
    })
}

/// One reading of a table as a barrier: which arguments are the line and the content.
struct Reading<'a> {
    table: &'a Table<'a>,
    line: usize,
    content: usize,
    upright: bool,
}

impl Reading<'_> {
    /// For each content, where the rules let a way from a line to the next one pass, and the side on which the next line
    /// lies. `None` if the rules tell no side, or several.
    fn ways(
        &self,
        description: &Description,
        model: &BoardModel,
        steps: &[Step<'_>],
    ) -> Option<(Places, [i32; 2])> {
        let mut open: Places = BTreeMap::new();
        let mut sides: BTreeSet<[i32; 2]> = BTreeSet::new();
        for rule in &description.rules {
            let body: Vec<&Atom> = rule.positive().collect();
            for (line, content) in body.iter().filter_map(|atom| self.read(description, atom)) {
                for step in body.iter().filter(|step| step.args.len() == 2) {
                    let Some(way) = steps.iter().find(|way| way.name == description.name(step.relation))
                    else {
                        continue;
                    };
                    let along = if self.upright { way.column } else { way.row };
                    let (to, along) = match *step.args.as_slice() {
                        [from, to] if from == line => (to, along),
                        [to, from] if from == line => (to, -along),
                        _ => continue,
                    };
                    let Some(place) = self.place(description, model, rule, [line, to]).filter(|_| along != 0)
                    else {
                        continue;
                    };
                    open.entry(content.to_owned()).or_default().insert(place);
                    sides.insert(if self.upright { [along, 0] } else { [0, along] });
                }
            }
        }
        let side = *sides.first()?;
        (sides.len() == 1).then_some((open, side))
    }

    /// The terms that `atom` has for the line and for the content, if it is about the table.
    fn read<'a>(&self, description: &'a Description, atom: &Atom) -> Option<(TermId, &'a str)> {
        let [term] = atom.args.as_slice() else { return None };
        let Term::Compound(function, args) = description.terms.get(*term) else { return None };
        let is_fact = description.name(atom.relation) == "true"
            && description.name(*function) == self.table.name
            && args.len() == self.table.arity;
        match description.terms.get(*args.get(self.content).filter(|_| is_fact)?) {
            Term::Constant(content) => Some((args[self.line], description.name(*content))),
            _ => None,
        }
    }

    /// Where on the lines `between` the way passes that the head of `rule` names: both of its squares have the same place
    /// beside their line.
    fn place(
        &self,
        description: &Description,
        model: &BoardModel,
        rule: &Rule,
        between: [TermId; 2],
    ) -> Option<String> {
        let layer = model.layers.first()?;
        let column_first = layer.x.path < layer.y.as_ref()?.path;
        let beside = |line: TermId| {
            let at = rule.head.args.iter().position(|term| *term == line)?;
            rule.head.args.get(if column_first == self.upright { at + 1 } else { at.checked_sub(1)? })
        };
        let [from, to] = between.map(beside);
        match description.terms.get(*from.filter(|_| from == to)?) {
            Term::Constant(place) => {
                let place = description.name(*place);
                model.line_axes(self.upright).1.position(place).map(|_| place.to_owned())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::sample::{facts, model};
    use std::collections::BTreeSet;

    #[test]
    fn a_content_of_a_row_shuts_some_ways_to_the_next_row() {
        let squares: String = ["a", "b", "c"]
            .iter()
            .flat_map(|row| ["1", "2", "3"].map(|column| format!("(init (on {row} {column} none))")))
            .collect();
        let corridor = model(&format!(
            "(role r) {squares} (init (bar a up)) (init (bar b up)) (below a b) (below b c) (right 1 2) (right 2 3)
            (<= (way ?r 1 ?s 1) (below ?r ?s) (true (bar ?r up)))
            (<= (way ?r 1 ?s 1) (below ?r ?s) (true (bar ?r half)))
            (<= (way ?r 2 ?s 2) (below ?r ?s) (true (bar ?r up)))
            (<= (way ?r 3 ?s 3) (below ?r ?s) (true (bar ?r up)))
            (<= (legal r (go ?u ?v)) (true (on ?x ?y me)) (way ?x ?y ?u ?v))
            (<= (legal r (let ?x)) (true (bar ?x up)))
            (<= (next (bar ?x half)) (does r (let ?x))) (<= (next (bar ?x ?c)) (true (bar ?x ?c)))
            (<= (next (on ?u ?v me)) (does r (go ?u ?v))) (<= (next (on ?x ?y ?c)) (true (on ?x ?y ?c)))
            (<= (goal r 0) (role r)) (<= terminal (true (on c 1 me)))"
        ));
        let position = corridor.place(&facts(&["(on a 1 me)", "(bar a half)", "(bar b up)"]));
        let walls: BTreeSet<(String, [i32; 2])> =
            position.lines.iter().map(|line| (corridor.square_name(line.from), line.side)).collect();
        let up = |square: &str| (square.to_owned(), walls.first().map_or([0, 0], |wall| wall.1));
        assert_eq!(walls.len(), 2, "{walls:?}");
        let names = if walls.contains(&up("2 a")) { ["2 a", "3 a"] } else { ["a 2", "a 3"] };
        assert_eq!(walls, names.map(up).into());
        assert!(corridor.captions(&position).is_empty(), "{:?}", corridor.captions(&position));
    }
}
