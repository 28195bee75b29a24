//! Sides of a board that belong to roles: a role that has to connect two opposite sides owns both. Such a role is named
//! by a rule that mentions the first and the last line of an axis, or by a goal that depends on such a rule, or by facts
//! that give a role all squares of these lines.

use crate::model::{Axis, BoardModel, Cell, Layer};
use ggp_gdl::{Atom, Description, Literal, Rule, Term, TermId};
use std::collections::BTreeSet;

/// Sets the sides of `model`, a board of hexagons for two roles.
pub(crate) fn give_sides(description: &Description, relations: &[Vec<Vec<String>>], model: &mut BoardModel) {
    let Some(layer) = model.layers.first() else { return };
    if model.cell != Cell::Hexagon || model.roles.len() != 2 || !model.holes.is_empty() {
        return;
    }
    let alike = model.columns.values.iter().any(|value| model.rows.values.contains(value));
    let mut owners: [Option<String>; 2] = [None, None];
    for rule in description.rules.iter().filter(|rule| !rule.body.is_empty()) {
        let Some(owner) = owner_of(description, model, rule) else { continue };
        for (number, axis) in [&model.columns, &model.rows].into_iter().enumerate() {
            if names_both_ends(description, rule, axis, if alike { Some((layer, number)) } else { None }) {
                owners[number].get_or_insert_with(|| owner.clone());
            }
        }
    }
    let listed = listed(relations, model);
    for (owner, listed) in owners.iter_mut().zip(listed) {
        *owner = owner.take().or(listed);
    }
    if let [Some(columns), Some(rows)] = owners
        && columns != rows
    {
        // Who connects the first and the last column owns the left and the right side.
        model.sides = [Some(rows.clone()), Some(columns.clone()), Some(rows), Some(columns)];
    }
}

/// The roles to which facts, each with a role, a column and a row, give the first and the last column, and the first and
/// the last row.
fn listed(relations: &[Vec<Vec<String>>], model: &BoardModel) -> [Option<String>; 2] {
    let (width, height) = (model.columns.values.len(), model.rows.values.len());
    let in_order = |layer: &Layer| layer.y.as_ref().is_some_and(|y| layer.x.path < y.path);
    let in_order = model.layers.first().is_some_and(in_order);
    // For each role, the sides whose squares some relation lists: left, right, top, bottom.
    let mut sides = vec![[false; 4]; model.roles.len()];
    for tuples in relations.iter().filter(|tuples| tuples[0].len() == 3) {
        for (role, sides) in model.roles.iter().zip(&mut sides) {
            let square = |tuple: &&Vec<String>| {
                let (x, y) = if in_order { (&tuple[1], &tuple[2]) } else { (&tuple[2], &tuple[1]) };
                Some((model.columns.position(x)?, model.rows.position(y)?))
            };
            let own: BTreeSet<(usize, usize)> =
                tuples.iter().filter(|tuple| tuple[0] == *role).filter_map(|tuple| square(&tuple)).collect();
            sides[0] |= own.len() == height && own.iter().all(|square| square.0 == 0);
            sides[1] |= own.len() == height && own.iter().all(|square| square.0 + 1 == width);
            sides[2] |= own.len() == width && own.iter().all(|square| square.1 == 0);
            sides[3] |= own.len() == width && own.iter().all(|square| square.1 + 1 == height);
        }
    }
    let owner = |one: usize, other: usize| {
        let role = sides.iter().position(|sides| sides[one] && sides[other])?;
        model.roles.get(role).cloned()
    };
    [owner(0, 1), owner(2, 3)]
}

/// The only role or thing on the board that a rule names, or that a rule about a goal names which needs the head of this
/// rule.
fn owner_of(description: &Description, model: &BoardModel, rule: &Rule) -> Option<String> {
    let named = |rule: &Rule| {
        let constants: Vec<&str> = constants(description, rule).collect();
        let things = model.layers.first().into_iter().flat_map(|layer| layer.values.iter().flatten());
        let mut names: Vec<&String> = model.roles.iter().chain(things).collect();
        names.retain(|name| constants.contains(&name.as_str()));
        names.dedup();
        let first = names.first()?;
        names.iter().all(|name| name == first).then(|| (*first).clone())
    };
    named(rule).or_else(|| {
        let needs = |goal: &&Rule| {
            let needed = |literal: &Literal| matches!(literal, Literal::Positive(atom) if atom.relation == rule.head.relation);
            description.name(goal.head.relation) == "goal" && goal.body.iter().any(needed)
        };
        description.rules.iter().filter(needs).find_map(named)
    })
}

/// Whether a rule mentions the first and the last value of `axis`. If columns and rows have values in common, a literal
/// about the board itself must give such a value as the coordinate: the column if the number in `place` is 0.
fn names_both_ends(
    description: &Description,
    rule: &Rule,
    axis: &Axis,
    place: Option<(&Layer, usize)>,
) -> bool {
    let (Some(first), Some(last)) = (axis.values.first(), axis.values.last()) else { return false };
    let constants: Vec<&str> = constants(description, rule).collect();
    let both = constants.contains(&first.as_str()) && constants.contains(&last.as_str());
    both && place.is_none_or(|(layer, number)| {
        let coordinate = if number == 0 { Some(&layer.x) } else { layer.y.as_ref() };
        let path = coordinate.map(|coordinate| coordinate.path.as_slice());
        let Some(&[argument]) = path else { return false };
        rule.body.iter().filter_map(atom).any(|atom| {
            let Some(Term::Compound(function, args)) =
                atom.args.first().map(|term| description.terms.get(*term))
            else {
                return false;
            };
            let constant = args.get(argument).and_then(|term| match description.terms.get(*term) {
                Term::Constant(constant) => Some(description.name(*constant)),
                _ => None,
            });
            description.name(*function) == layer.relation
                && constant.is_some_and(|constant| constant == first || constant == last)
        })
    })
}

fn atom(literal: &Literal) -> Option<&Atom> {
    match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
        Literal::Distinct(..) => None,
    }
}

/// The names of the constants in a rule.
fn constants<'a>(description: &'a Description, rule: &'a Rule) -> impl Iterator<Item = &'a str> {
    let atoms = rule.body.iter().filter_map(atom).chain([&rule.head]);
    let mut stack: Vec<TermId> = atoms.flat_map(|atom| atom.args.iter().copied()).collect();
    std::iter::from_fn(move || {
        while let Some(term) = stack.pop() {
            match description.terms.get(term) {
                Term::Constant(constant) => return Some(description.name(*constant)),
                Term::Compound(_, args) => stack.extend(args.iter().copied()),
                Term::Variable(_) => {}
            }
        }
        None
    })
}
