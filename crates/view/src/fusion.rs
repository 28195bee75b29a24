//! Two fluents that hold the column and the row of the same things, such as `(posx red 3)` and `(posy red 5)`. They are
//! read as one fluent that puts a thing on a square: `(posx-posy red 3 5)`.
//!
//! Two fluents are fused if each holds one value for each of the same owners in all states, if a relation that never
//! changes has all pairs of these values, and if a rule asks that relation about both values or about what another
//! relation leads to from them, such as the places that a racer can reach. The relation lists the squares of the plane.

use crate::fluent::{Row, Table};
use crate::model::{Coordinate, Fusion, TextPart};
use ggp_game::{Fact, split_term};
use ggp_gdl::{Atom, Description, Rule, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// A plane has at least this many columns, and as many rows.
const LEAST: usize = 3;
/// Not more different owners than this have places on a plane.
const MAX_OWNERS: usize = 16;

impl Fusion {
    /// The name of the fluent that the two make. No fluent of the rules has it with as many arguments.
    fn name(&self) -> String {
        self.parts.join("-")
    }

    /// The owner and the coordinate in `fact`, if it is one of the fluent with the index `part`.
    fn read<'a>(&self, part: usize, fact: &'a str) -> Option<(Vec<&'a str>, &'a str)> {
        let (function, mut owner) = split_term(fact);
        if function != self.parts[part] || owner.len() != self.arity {
            return None;
        }
        let value = owner.remove(self.argument);
        Some((owner, value))
    }

    /// The arguments of the fluent that the two make: the coordinates take the place of the one.
    fn arguments<'a>(&self, owner: &[&'a str], place: [&'a str; 2]) -> Row<'a> {
        let (before, after) = owner.split_at(self.argument);
        [before, &place, after].concat()
    }

    /// The facts with one fact in place of two where both coordinates of an owner are known.
    fn fuse(&self, facts: &[Fact]) -> Vec<Fact> {
        let rows: FxHashMap<Vec<&str>, &str> =
            facts.iter().filter_map(|fact| self.read(1, fact.as_str())).collect();
        let mut fused: FxHashSet<Vec<&str>> = FxHashSet::default();
        let mut out: Vec<Fact> = Vec::with_capacity(facts.len());
        for fact in facts {
            let column = self.read(0, fact.as_str());
            match column.and_then(|(owner, x)| Some((rows.get(&owner).copied()?, owner, x))) {
                Some((y, owner, x)) => {
                    let arguments = self.arguments(&owner, [x, y]).join(" ");
                    out.push(Fact::from_canonical(format!("({} {arguments})", self.name())));
                    fused.insert(owner);
                }
                None => out.push(fact.clone()),
            }
        }
        let is_used =
            |fact: &Fact| self.read(1, fact.as_str()).is_some_and(|(owner, _)| fused.contains(&owner));
        out.retain(|fact| !is_used(fact));
        out
    }
}

/// The facts in which the fluents of all `fusions` are fused.
pub(crate) fn fused<'a>(fusions: &[Fusion], facts: &'a [Fact]) -> Cow<'a, [Fact]> {
    fusions.iter().fold(Cow::Borrowed(facts), |facts, fusion| Cow::Owned(fusion.fuse(&facts)))
}

/// Fuses fluents of `tables`: one table takes the place of two. `relations` has the tuples of the relations that never
/// change, and `names` their names.
pub(crate) fn fuse<'a>(
    description: &Description,
    names: &[String],
    relations: &'a [Vec<Vec<String>>],
    tables: &mut Vec<Table<'a>>,
) -> Vec<Fusion> {
    let planes: FxHashMap<&str, &[Vec<String>]> = names
        .iter()
        .zip(relations)
        .filter(|(_, tuples)| is_plane(tuples))
        .map(|(name, tuples)| (name.as_str(), tuples.as_slice()))
        .collect();
    let mut fusions = Vec::new();
    for rule in description.rules.iter().filter(|_| !planes.is_empty()) {
        for (fusion, plane) in asked(description, rule, &planes) {
            let tuples = planes[plane];
            if let Some((table, parts)) = table(&fusion, tuples, tables) {
                tables[parts[0]] = table;
                tables.remove(parts[1]);
                fusions.push(fusion);
            }
        }
    }
    fusions
}

/// Whether the pairs are squares of a plane, and not an order, in which one of two values always comes first, or all
/// pairs of different values.
fn is_plane(tuples: &[Vec<String>]) -> bool {
    if tuples.iter().any(|tuple| tuple.len() != 2) {
        return false;
    }
    let values = |at: usize| tuples.iter().map(|tuple| tuple[at].as_str()).collect::<BTreeSet<&str>>();
    let [columns, rows] = [values(0), values(1)];
    let pairs: FxHashSet<[&str; 2]> = tuples.iter().map(|tuple| [&*tuple[0], &*tuple[1]]).collect();
    let turned = |[a, b]: &&[&str; 2]| a != b && pairs.contains(&[*b, *a]);
    let (diagonal, both) = (pairs.iter().any(|[a, b]| a == b), pairs.iter().any(|pair| turned(&pair)));
    let no_order = columns.is_disjoint(&rows) || diagonal && both;
    columns.len() >= LEAST && rows.len() >= LEAST && no_order
}

/// The fluents whose values `rule` looks up in one of `planes`, with the name of the plane.
fn asked<'a>(
    description: &'a Description,
    rule: &Rule,
    planes: &FxHashMap<&str, &[Vec<String>]>,
) -> Vec<(Fusion, &'a str)> {
    let atoms: Vec<&Atom> = rule.positive().collect();
    let fluent = |atom: &&&Atom| match atom.args.as_slice() {
        [term] if description.name(atom.relation) == "true" => match description.terms.get(*term) {
            Term::Compound(function, args) => Some((description.name(*function), &args[..])),
            _ => None,
        },
        _ => None,
    };
    let fluents: Vec<(&str, &[TermId])> = atoms.iter().filter_map(|atom| fluent(&atom)).collect();
    let is_variable = |term: &TermId| matches!(description.terms.get(*term), Term::Variable(_));
    let leads = |from: TermId, to: TermId| {
        let both = |atom: &&&Atom| atom.args.contains(&from) && atom.args.contains(&to);
        is_variable(&from)
            && (from == to || atoms.iter().filter(|atom| fluent(atom).is_none()).any(|atom| both(&atom)))
    };
    let mut out = Vec::new();
    for plane in &atoms {
        let name = description.name(plane.relation);
        let &[x, y] = plane.args.as_slice() else { continue };
        if !planes.contains_key(name) || x == y || ![x, y].iter().all(is_variable) {
            continue;
        }
        for (one, columns) in &fluents {
            for (other, rows) in
                fluents.iter().filter(|(other, rows)| other != one && rows.len() == columns.len())
            {
                let differ: Vec<usize> = (0..columns.len()).filter(|&at| columns[at] != rows[at]).collect();
                if let [argument] = differ[..]
                    && leads(columns[argument], x)
                    && leads(rows[argument], y)
                {
                    let parts = [(*one).to_owned(), (*other).to_owned()];
                    out.push((Fusion { parts, arity: columns.len(), argument }, name));
                }
            }
        }
    }
    out
}

/// The table of the fluent that two others make, and the indices of their tables. `None` if they do not hold the places
/// of the same owners on the squares `plane` in all states.
fn table<'a>(
    fusion: &Fusion,
    plane: &'a [Vec<String>],
    tables: &[Table<'a>],
) -> Option<(Table<'a>, [usize; 2])> {
    let argument = fusion.argument;
    let find = |name: &String| tables.iter().position(|t| t.name == *name && t.arity == fusion.arity);
    let parts = [find(&fusion.parts[0])?, find(&fusion.parts[1])?];
    let [one, other] = parts.map(|part| &tables[part]);
    let plain = |table: &Table<'_>| {
        let whole = |(at, coordinate): (usize, &Coordinate)| *coordinate == Coordinate::whole(vec![at]);
        table.columns.len() == table.arity
            && table.columns.iter().map(|c| &c.coordinate).enumerate().all(whole)
    };
    let taken = tables.iter().any(|t| t.name == fusion.name() && t.arity == fusion.arity + 1);
    if taken || !plain(one) || !plain(other) {
        return None;
    }
    let squares: FxHashSet<[&str; 2]> = plane.iter().map(|tuple| [&*tuple[0], &*tuple[1]]).collect();
    let mut owners: BTreeSet<Vec<&'a str>> = BTreeSet::new();
    let mut states = Vec::with_capacity(one.states.len());
    for (columns, rows) in one.states.iter().zip(&other.states) {
        let split = |row: &Row<'a>| {
            let mut owner = row.clone();
            let value = owner.remove(argument);
            (owner, value)
        };
        let rows_of: FxHashMap<Vec<&'a str>, &'a str> = rows.iter().map(split).collect();
        let columns_of: FxHashMap<Vec<&'a str>, &'a str> = columns.iter().map(split).collect();
        if columns.len() != rows.len() || columns_of.len() != columns.len() || rows_of.len() != rows.len() {
            return None;
        }
        let mut state = Vec::with_capacity(columns.len());
        for (owner, x) in columns.iter().map(split) {
            let y = *rows_of.get(&owner)?;
            if !squares.contains(&[x, y]) {
                return None;
            }
            state.push(fusion.arguments(&owner, [x, y]));
            owners.insert(owner);
        }
        states.push(state);
    }
    if !(1..=MAX_OWNERS).contains(&owners.len()) {
        return None;
    }
    let mut columns = one.columns.clone();
    columns.insert(argument + 1, other.columns[argument].clone());
    for (at, column) in columns.iter_mut().enumerate() {
        column.coordinate = Coordinate { path: vec![at], part: TextPart::Whole };
        if let Some(place) = at.checked_sub(argument).filter(|place| *place < 2) {
            column.domain.retain(|value| plane.iter().any(|tuple| tuple[place] == *value));
        }
    }
    let square = |owner: &Vec<&'a str>| {
        let at = |tuple: &'a Vec<String>| fusion.arguments(owner, [&*tuple[0], &*tuple[1]]);
        plane.iter().map(at).collect::<Vec<_>>()
    };
    let base: Vec<Row<'a>> = owners.iter().flat_map(square).collect();
    let table =
        Table { name: fusion.name(), arity: fusion.arity + 1, columns, states, possible: base.clone(), base };
    Some((table, parts))
}

#[cfg(test)]
mod tests {
    use crate::sample::{facts, model};
    use crate::{BoardModel, Kind};

    /// Two skaters whose columns and rows are facts of their own. They go to squares near them of the relation `ice`.
    fn rink(ice: &str) -> BoardModel {
        model(&format!(
            "(role ann) (role bob) (after 1 2) (after 2 3) (after 3 4) {ice}
            (init (east ann 1)) (init (north ann 1)) (init (east bob 2)) (init (north bob 1)) (init (round 1))
            (<= (near ?x ?u) (after ?x ?u)) (<= (near ?x ?u) (after ?u ?x)) (<= (near ?x ?x) (after ?x ?u))
            (<= (legal ?p (skate ?u ?v)) (true (east ?p ?x)) (true (north ?p ?y)) (near ?x ?u) (near ?y ?v)
                (ice ?u ?v))
            (<= (next (east ?p ?u)) (does ?p (skate ?u ?v))) (<= (next (north ?p ?v)) (does ?p (skate ?u ?v)))
            (<= (next (round ?v)) (true (round ?u)) (after ?u ?v))
            (<= (goal ?p 0) (role ?p)) (<= terminal (true (round 4)))"
        ))
    }

    const ICE: &str =
        "(ice 1 1) (ice 2 1) (ice 3 1) (ice 4 1) (ice 1 2) (ice 2 2) (ice 1 3) (ice 3 3) (ice 4 3)";

    #[test]
    fn two_coordinates_of_an_owner_are_a_place_on_the_plane() {
        let rink = rink(ICE);
        assert_eq!(rink.kind, Kind::Grid);
        assert_eq!(
            (rink.columns.values.join(""), rink.rows.values.join("")),
            ("1234".to_owned(), "321".to_owned())
        );
        assert_eq!(rink.holes.len(), 3, "{:?}", rink.holes);
        let position = rink.place(&facts(&["(east ann 4)", "(north ann 3)", "(east bob 2)", "(round 1)"]));
        let ann = position.squares[3].iter().map(|token| (token.owner, token.content.join(" ")));
        assert_eq!(ann.collect::<Vec<_>>(), [(Some(0), "ann".to_owned())]);
        // What has one coordinate only stays beside the board.
        let beside: Vec<&str> = position.side.iter().map(|beside| beside.relation.as_str()).collect();
        assert_eq!(beside, ["round", "east"]);
    }

    #[test]
    fn an_order_of_numbers_is_no_plane() {
        let order =
            "(ice 1 1) (ice 1 2) (ice 1 3) (ice 1 4) (ice 2 2) (ice 2 3) (ice 2 4) (ice 3 3) (ice 3 4)";
        assert!(rink(&order.replace("(ice 2 2)", "(ice 2 1)")).fusions.len() == 1);
        assert!(rink(order).fusions.is_empty());
    }
}
