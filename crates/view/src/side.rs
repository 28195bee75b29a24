//! The fluents beside the board: control, counters, hands, flags.

use crate::candidate::clash;
use crate::evidence::Evidence;
use crate::model::{BoardModel, Order, Side, SideKind};
use ggp_gdl::{Atom, Description, Literal, Rule, Symbol, Term, TermId};
use std::collections::{BTreeMap, BTreeSet};

/// A condition is followed through at most this many relations, one defined by the other.
const MAX_DEPTH: usize = 8;

/// The fluents that no layer of `model` draws, in the order in which the rules mention them. Flags come last.
pub(crate) fn side(description: &Description, evidence: &Evidence<'_>, model: &BoardModel) -> Vec<Side> {
    let drawn = |name: &str, arity| model.layers.iter().any(|l| l.relation == name && l.arity == arity);
    let mut out = Vec::new();
    for (number, table) in evidence.tables.iter().enumerate() {
        if !drawn(&table.name, table.arity) {
            let kind = kind(description, evidence, number);
            out.push(Side { relation: table.name.clone(), arity: table.arity, kind });
        }
    }
    out.extend(evidence.flags.iter().map(|flag| Side {
        relation: flag.clone(),
        arity: 0,
        kind: SideKind::Flag,
    }));
    out
}

fn kind(description: &Description, evidence: &Evidence<'_>, number: usize) -> SideKind {
    let table = &evidence.tables[number];
    let at_most_one = table.states.iter().all(|state| state.len() <= 1);
    let roles: Vec<bool> = (0..table.columns.len()).map(|c| evidence.is_role_column(number, c)).collect();
    let number_like = |column: usize| {
        let order = evidence.axis(number, column).order;
        matches!(order, Order::Successor | Order::Integers | Order::Numbered)
    };
    match roles.as_slice() {
        [] => SideKind::Flag,
        [true] if at_most_one && evidence.roles.len() > 1 && gives_turns(description, &table.name) => {
            SideKind::Control
        }
        [false] if at_most_one && number_like(0) => SideKind::Counter,
        [true, false] if number_like(1) && clash(&table.states, &[0]) == 0.0 => SideKind::Counter,
        [false, true] if number_like(0) && clash(&table.states, &[1]) == 0.0 => SideKind::Counter,
        [true, false, false] if number_like(2) && clash(&table.states, &[0, 1]) == 0.0 => SideKind::Hand,
        _ => SideKind::Other,
    }
}

/// Whether some kind of move is legal only for the role that the fluent `name` names, so that the fluent gives turns.
fn gives_turns(description: &Description, name: &str) -> bool {
    let named = named(description, name);
    let mut kinds: BTreeMap<Option<(Symbol, usize)>, bool> = BTreeMap::new();
    for rule in description.rules.iter().filter(|rule| description.name(rule.head.relation) == "legal") {
        let [role, mv] = rule.head.args.as_slice() else { continue };
        let kind = match description.terms.get(*mv) {
            Term::Constant(name) => Some((*name, 0)),
            Term::Compound(name, args) => Some((*name, args.len())),
            Term::Variable(_) => None,
        };
        let is_named = needed(description, rule, name, &named).contains(role);
        // Who waits for another role may have to make a move of the same kind that does nothing.
        if is_named || !asks(description, rule, name) {
            kinds.entry(kind).and_modify(|all| *all &= is_named).or_insert(is_named);
        }
    }
    kinds.values().any(|all| *all)
}

/// What a relation tells of the role that a fluent names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    /// It is the argument of this index.
    Argument(usize),
    /// It is this constant.
    Constant(TermId),
}

/// For each relation that holds only if the fluent `name` names some role: what the relation tells of this role.
fn named(description: &Description, name: &str) -> BTreeMap<Symbol, BTreeSet<Named>> {
    let mut known: BTreeMap<Symbol, BTreeSet<Named>> = BTreeMap::new();
    for _ in 0..MAX_DEPTH {
        let mut told: BTreeMap<Symbol, BTreeSet<Named>> = BTreeMap::new();
        for rule in &description.rules {
            let terms = needed(description, rule, name, &known);
            let arguments = rule.head.args.iter().enumerate().filter(|(_, term)| terms.contains(term));
            let constants =
                terms.iter().filter(|term| matches!(description.terms.get(**term), Term::Constant(_)));
            let of_rule: BTreeSet<Named> = arguments
                .map(|(number, _)| Named::Argument(number))
                .chain(constants.map(|term| Named::Constant(*term)))
                .collect();
            // The relation tells what all its rules tell.
            told.entry(rule.head.relation)
                .and_modify(|all| all.retain(|named| of_rule.contains(named)))
                .or_insert(of_rule);
        }
        told.retain(|_, named| !named.is_empty());
        if told == known {
            break;
        }
        known = told;
    }
    known
}

/// Whether a condition of `rule` asks whom the fluent `name` names.
fn asks(description: &Description, rule: &Rule, name: &str) -> bool {
    rule.body.iter().any(|literal| match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => role_in(description, atom, name).is_some(),
        Literal::Distinct(..) => false,
    })
}

/// The argument of the fluent `name`, if `atom` is a condition about it.
fn role_in(description: &Description, atom: &Atom, name: &str) -> Option<TermId> {
    let ("true", [fluent]) = (description.name(atom.relation), atom.args.as_slice()) else { return None };
    match description.terms.get(*fluent) {
        Term::Compound(function, args) if description.name(*function) == name && args.len() == 1 => {
            Some(args[0])
        }
        _ => None,
    }
}

/// The terms that the fluent `name` must name for the conditions of `rule` to hold.
fn needed(
    description: &Description,
    rule: &Rule,
    name: &str,
    known: &BTreeMap<Symbol, BTreeSet<Named>>,
) -> BTreeSet<TermId> {
    let mut terms = BTreeSet::new();
    for literal in &rule.body {
        let Literal::Positive(atom) = literal else { continue };
        terms.extend(role_in(description, atom, name));
        for named in known.get(&atom.relation).into_iter().flatten() {
            match named {
                Named::Argument(number) => terms.extend(atom.args.get(*number)),
                Named::Constant(term) => terms.extend([*term]),
            }
        }
    }
    terms
}

#[cfg(test)]
mod tests {
    use crate::sample::model;
    use crate::{Side, SideKind};

    /// The kinds of the fluents of a game in which `x` and `o` have turns and `x` has a token, with these rules for moves.
    fn kinds(legal: &str) -> Vec<(String, SideKind)> {
        let rules = format!(
            "(role x) (role o) (other x o) (other o x) (init (turn x)) (init (token x)) {legal}
            (<= (next (turn ?r)) (true (turn ?q)) (other ?q ?r)) (<= (next (token ?r)) (does ?r (bid ?n yes)))
            (<= (next (token ?r)) (true (token ?r)) (not (spent ?r))) (<= (spent ?r) (does ?r (bid ?n yes)))
            (number 1) (number 2) (<= (legal ?r wait) (true (turn ?q)) (other ?q ?r))
            (<= (goal ?r 0) (role ?r)) (<= terminal (not (true (token x))))"
        );
        let kind = |side: &Side| (side.relation.clone(), side.kind);
        model(&rules).side.iter().map(kind).collect()
    }

    #[test]
    fn a_fluent_gives_turns_if_a_kind_of_move_is_legal_only_for_the_role_that_it_names() {
        let expected = [("turn".to_owned(), SideKind::Control), ("token".to_owned(), SideKind::Other)];
        // Who has the token has one more kind of bid.
        let may = "(<= (may ?r no) (role ?r)) (<= (may ?r yes) (true (token ?r)))";
        let bid = "(<= (legal ?r (bid ?n ?t)) (role ?r) (number ?n) (may ?r ?t))";
        let direct = "(<= (legal ?r (bid ?n no)) (role ?r) (number ?n))
            (<= (legal ?r (bid ?n yes)) (true (token ?r)) (number ?n))";
        let put = "(<= (legal ?r (put ?n)) (true (turn ?r)) (number ?n))";
        assert_eq!(kinds(&format!("{may} {bid} {put}")), expected);
        assert_eq!(kinds(&format!("{direct} {put}")), expected);
        // The rules ask for turns by other relations, or role by role.
        let through =
            "(<= (legal ?r (put ?n)) (active ?r) (number ?n)) (<= (active ?r) (role ?r) (true (turn ?r)))";
        assert_eq!(kinds(&format!("{may} {bid} {through}")), expected);
        let same = "(<= (legal ?r (put ?n)) (true (turn ?r)) (number ?n))
            (<= (legal ?r (put nothing)) (role ?r) (not (true (turn ?r))))";
        assert_eq!(kinds(&format!("{may} {bid} {same}")), expected);
        let each = "(<= (legal x (put ?n)) turn_of_x (number ?n)) (<= turn_of_x (true (turn x)))
            (<= (legal o (put ?n)) (true (turn o)) (number ?n))";
        assert_eq!(kinds(&format!("{may} {bid} {each}")), expected);
    }
}
