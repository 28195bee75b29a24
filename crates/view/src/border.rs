//! Sides of a board that belong to roles: a role that has to connect two opposite sides owns both. Such a role is named
//! by a rule that mentions the first and the last line of an axis, or by a goal that depends on such a rule.

use crate::model::{Axis, BoardModel, Cell, Layer};
use ggp_gdl::{Atom, Description, Literal, Rule, Term, TermId};

/// Sets the sides of `model`, a board of hexagons for two roles.
pub(crate) fn give_sides(description: &Description, model: &mut BoardModel) {
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
    if let [Some(columns), Some(rows)] = owners
        && columns != rows
    {
        // Who connects the first and the last column owns the left and the right side.
        model.sides = [Some(rows.clone()), Some(columns.clone()), Some(rows), Some(columns)];
    }
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
