//! Owners of pieces, and the content that means an empty square.
//!
//! A piece belongs to the role that occurs with it in facts and rules: `(owner white wp)`,
//! `(<= (legal white …) (true (cell ?x ?y wp)))`. Where facts and rules do not decide, the name of the piece
//! does: it may begin or end with a role's name, or begin with a role's initial.

use crate::colour::is_name;
use crate::evidence::Evidence;
use crate::fluent::Table;
use crate::model::{BoardModel, Coordinate, Layer, Order};
use crate::order::natural_order;
use crate::term::letters_and_number;
use ggp_gdl::{Atom, Description, Literal, Rule, Term, TermId};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The number of votes that a fact gives to a role as the owner of a piece, if the fact names this role and
/// this piece. A rule that names a role and a piece gives one vote.
const FACT: u32 = 3;
/// The number of votes that a rule gives by which a move of one role puts a piece on the board.
const PUT: u32 = 2;
/// The role with the most votes for a piece wins if it has at least this many votes, and also at least this
/// many times as many votes as any other role. Otherwise the votes do not decide.
const LEAD: u32 = 2;
/// A content that no role owns can mean an empty square if at least this share of the layer's facts, over all
/// states, has this content.
const MOSTLY: f64 = 0.3;

/// Sets, in `model`, the values that the contents of each layer can have, the owners of contents, the
/// contents that mean an empty square, and the glyphs of contents that end in numbers.
pub(crate) fn assign(description: &Description, evidence: &Evidence<'_>, model: &mut BoardModel) {
    let mut contents: Vec<String> = Vec::new();
    for number in 0..model.layers.len() {
        let Some(table) = table_of(evidence, &model.layers[number]) else { continue };
        let columns = content_columns(table, &model.layers[number]);
        for (i, &column) in columns.iter().enumerate() {
            let domain = &table.columns[column].domain;
            contents
                .extend(domain.iter().filter(|value| !contents.contains(value)).cloned().collect::<Vec<_>>());
            number_glyphs(domain, model);
            model.layers[number].values[i].clone_from(domain);
        }
    }
    if evidence.roles.len() > 1 {
        model.owners = owners(description, evidence, &contents);
    }
    for number in 0..model.layers.len() {
        let Some(empty) = empty(evidence, model, number) else { continue };
        model.owners.remove(&empty);
        model.layers[number].values[0].retain(|value| *value != empty);
        model.layers[number].empty = Some(empty);
    }
}

/// If all contents consist of a common name and a number, as `s0` to `s30` do, sets the glyph of each content
/// to its number.
fn number_glyphs(domain: &[String], model: &mut BoardModel) {
    let parts: Option<Vec<(&str, &str)>> = domain.iter().map(|value| letters_and_number(value)).collect();
    let Some(parts) = parts.filter(|parts| parts.len() > 2) else { return };
    if parts.iter().all(|part| part.0 == parts[0].0) {
        let number = |digits: &str| digits.parse::<u64>().map_or(digits.to_owned(), |n| n.to_string());
        let glyphs = domain.iter().zip(&parts).map(|(value, part)| (value.clone(), number(part.1)));
        model.glyphs.extend(glyphs);
    }
}

fn table_of<'a, 'b>(evidence: &'a Evidence<'b>, layer: &Layer) -> Option<&'a Table<'b>> {
    evidence.tables.iter().find(|t| t.name == layer.relation && t.arity == layer.arity)
}

fn content_columns(table: &Table<'_>, layer: &Layer) -> Vec<usize> {
    let find = |coordinate: &Coordinate| table.columns.iter().position(|c| c.coordinate == *coordinate);
    layer.content.iter().filter_map(find).collect()
}

fn owners(
    description: &Description,
    evidence: &Evidence<'_>,
    contents: &[String],
) -> BTreeMap<String, usize> {
    let role_number: FxHashMap<&str, usize> =
        evidence.roles.iter().enumerate().map(|(i, role)| (role.as_str(), i)).collect();
    let content_number: FxHashMap<&str, usize> =
        contents.iter().enumerate().map(|(i, content)| (content.as_str(), i)).collect();
    let mut votes = vec![vec![0u32; evidence.roles.len()]; contents.len()];
    for rule in &description.rules {
        let put = puts(description, rule);
        let names = constants(description, rule);
        let roles: BTreeSet<usize> = names.iter().filter_map(|n| role_number.get(n).copied()).collect();
        let pieces: BTreeSet<usize> = names
            .iter()
            .filter(|n| !role_number.contains_key(*n))
            .filter_map(|n| content_number.get(n).copied())
            .collect();
        // A move puts the piece in the head; the others are those that it meets.
        let pieces: BTreeSet<usize> = if put {
            let head = constants_of(description, rule.head.args.clone());
            pieces.into_iter().filter(|&piece| head.contains(contents[piece].as_str())).collect()
        } else {
            pieces
        };
        if let (1, 1) = (roles.len(), pieces.len()) {
            let weight = if rule.body.is_empty() {
                FACT
            } else if put {
                PUT
            } else {
                1
            };
            for &piece in &pieces {
                votes[piece][*roles.first().expect("one")] += weight;
            }
        }
    }
    let mut owners: BTreeMap<String, usize> = BTreeMap::new();
    for (content, votes) in contents.iter().zip(&votes) {
        if let Some(&role) = role_number.get(content.as_str()) {
            owners.insert(content.clone(), role);
            continue;
        }
        let mut ranked: Vec<usize> = (0..votes.len()).collect();
        ranked.sort_by_key(|&role| std::cmp::Reverse(votes[role]));
        let (first, second) = (votes[ranked[0]], votes[ranked[1]]);
        let named = named_owner(content, &evidence.roles);
        if first >= LEAD && first >= LEAD * second.max(1) && (named.is_none() || named == Some(ranked[0])) {
            owners.insert(content.clone(), ranked[0]);
        } else if let Some(role) = named {
            owners.insert(content.clone(), role);
        }
    }
    by_initials(contents, evidence, &mut owners);
    owners
}

/// Whether a rule says what a move leads to.
fn puts(description: &Description, rule: &Rule) -> bool {
    let is_move = |literal: &Literal| matches!(literal, Literal::Positive(atom) if description.name(atom.relation) == "does");
    description.name(rule.head.relation) == "next" && rule.body.iter().any(is_move)
}

/// The role whose whole name stands at the beginning or the end of the content. `None` unless there is
/// exactly one such role.
fn named_owner(content: &str, roles: &[String]) -> Option<usize> {
    let content = content.to_ascii_lowercase();
    let mut fitting = roles.iter().enumerate().filter(|(_, role)| {
        let role = role.to_ascii_lowercase();
        let stem = role.strip_suffix("player").filter(|stem| !stem.is_empty()).unwrap_or(&role);
        // A role with a one-letter name such as `x` must match the whole content, since many names begin
        // with it.
        content == stem || (stem.len() > 1 && (content.starts_with(stem) || content.ends_with(stem)))
    });
    let first = fitting.next()?.0;
    fitting.next().is_none().then_some(first)
}

/// Assigns contents such as `wp` and `bp` to roles such as `white` and `black`. A content goes to the role
/// with the same initial if another content has the same remaining letters. Assigns nothing if two roles have
/// the same initial.
fn by_initials(contents: &[String], evidence: &Evidence<'_>, owners: &mut BTreeMap<String, usize>) {
    let initial = |text: &str| text.chars().next().map(|c| c.to_ascii_lowercase());
    let initials: Vec<Option<char>> = evidence.roles.iter().map(|role| initial(role)).collect();
    let distinct: BTreeSet<_> = initials.iter().collect();
    if distinct.len() < initials.len() {
        return;
    }
    // Single letters are owners if all roles have theirs.
    let letter =
        |role: &Option<char>| contents.iter().find(|c| c.chars().count() == 1 && initial(c) == *role);
    let letters: Vec<Option<&String>> = initials.iter().map(letter).collect();
    if letters.iter().all(Option::is_some) {
        for (role, content) in letters.into_iter().enumerate() {
            owners.entry(content.cloned().unwrap_or_default()).or_insert(role);
        }
    }
    for content in contents.iter().filter(|c| c.chars().count() > 1) {
        if owners.contains_key(content) {
            continue;
        }
        let tail: String = content.chars().skip(1).collect();
        // The same piece of another role must exist: `wp` says nothing without a `bp`.
        let twins = contents.iter().filter(|c| c.chars().skip(1).collect::<String>() == tail).count();
        if twins >= 2
            && let Some(role) = initials.iter().position(|i| *i == initial(content))
        {
            owners.insert(content.clone(), role);
        }
    }
}

/// The names of the constants in the head and the positive conditions of a rule.
fn constants<'a>(description: &'a Description, rule: &Rule) -> BTreeSet<&'a str> {
    let mut stack: Vec<TermId> = rule.head.args.clone();
    for literal in &rule.body {
        match literal {
            Literal::Positive(Atom { args, .. }) => stack.extend(args),
            Literal::Negative(_) | Literal::Distinct(..) => {}
        }
    }
    constants_of(description, stack)
}

/// The names of the constants in terms.
fn constants_of(description: &Description, mut stack: Vec<TermId>) -> BTreeSet<&str> {
    let mut out = BTreeSet::new();
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    while let Some(term) = stack.pop() {
        if !seen.insert(term.index()) {
            continue;
        }
        match description.terms.get(term) {
            Term::Constant(constant) => {
                out.insert(description.name(*constant));
            }
            Term::Variable(_) => {}
            Term::Compound(_, args) => stack.extend(args.iter()),
        }
    }
    out
}

/// The content that means an empty square in the layer with index `number`. It is a content whose name says
/// so ([`is_called_empty`]). If no name does, other contents are considered only if nearly every square has a
/// content. Then it is the only content that is not a number. If several contents are not numbers, it is the
/// most frequent content that no role owns, if this content is frequent enough ([`MOSTLY`]). `None` if no
/// content qualifies.
fn empty(evidence: &Evidence<'_>, model: &BoardModel, number: usize) -> Option<String> {
    let layer = &model.layers[number];
    let table = table_of(evidence, layer)?;
    let column = *content_columns(table, layer).first()?;
    if evidence.is_role_column(evidence.tables.iter().position(|t| std::ptr::eq(t, table))?, column) {
        return None;
    }
    let domain = &table.columns[column].domain;
    // A content that is on every square in every state, beside others, says nothing.
    let squares =
        model.columns.values.len() * model.rows.values.len() * model.board_count() - model.holes.len();
    let everywhere = |value: &&String| {
        let count = |state: &Vec<Vec<&str>>| state.iter().filter(|row| row[column] == value.as_str()).count();
        table.states.len() > 1 && table.states.iter().all(|state| count(state) >= squares)
    };
    if layer.content.len() == 1
        && domain.len() > 1
        && let Some(value) = domain.iter().find(everywhere)
    {
        return Some(value.clone());
    }
    let owned = |value: &str| evidence.roles.iter().any(|role| role == value);
    let is_empty = |value: &&String| {
        is_called_empty(value) && !owned(value) && !stands_like_a_piece(table, column, value)
    };
    if let Some(named) = domain.iter().find(is_empty) {
        return Some(named.clone());
    }
    let first = table.states.first()?;
    let full = first.len() * 10 >= squares * 9 && table.states.iter().all(|state| state.len() == first.len());
    if !full || domain.len() < 2 {
        return None;
    }
    // A single name among numbers is the gap of a sliding puzzle or an open square of a sudoku.
    let mut names = domain.iter().filter(|value| value.parse::<i64>().is_err());
    match (names.next(), names.next()) {
        (Some(only), None) if domain.len() > 2 => return Some(only.clone()),
        (None, _) => return None,
        _ => {}
    }
    if natural_order(&domain.iter().map(String::as_str).collect::<Vec<_>>()) == Some(Order::Numbered) {
        return None;
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in table.rows() {
        *counts.entry(row[column]).or_default() += 1;
    }
    let rows: usize = counts.values().sum();
    // One of several colours is a thing.
    let colours = domain.iter().filter(|value| is_name(value)).count();
    let unowned = counts.iter().filter(|(value, _)| {
        !(owned(value) || model.owners.contains_key(**value) || colours > 1 && is_name(value))
    });
    let (value, count) = unowned.max_by_key(|(value, count)| (**count, std::cmp::Reverse(**value)))?;
    (*count as f64 >= MOSTLY * rows as f64).then(|| (*value).to_owned())
}

/// Whether the first state suggests that `value` is a piece and not a blank. It does if some other content is
/// as frequent there as `value`, and yet another content is more frequent. Where there are as many `b` as
/// `r`, `b` is blue or a bishop.
fn stands_like_a_piece(table: &Table<'_>, column: usize, value: &str) -> bool {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in table.states.first().into_iter().flatten() {
        *counts.entry(row[column]).or_default() += 1;
    }
    let Some(&own) = counts.get(value) else { return false };
    let others = || counts.iter().filter(|(other, _)| **other != value).map(|(_, &count)| count);
    others().any(|count| count == own) && others().any(|count| count > own)
}

/// Whether the name of a content means an empty square.
pub(crate) fn is_called_empty(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    value.starts_with("zero")
        || matches!(value.as_str(), "b" | "blank" | "empty" | "none" | "free" | "nothing" | "e" | "_" | "-")
}

#[cfg(test)]
mod tests {
    use crate::infer;
    use crate::sample::game;

    /// The empty content of a board of three by three squares. `contents` holds the content of each square,
    /// row by row.
    fn empty(contents: [&str; 9]) -> Option<String> {
        let at = |(number, content)| format!("(init (at {} {} {content}))", number % 3 + 1, number / 3 + 1);
        let squares: String = contents.into_iter().enumerate().map(at).collect();
        let rules = format!(
            "(role one) (role two) {squares} (after 1 2) (after 2 3)
            (<= (legal ?r (go ?x ?y)) (role ?r) (true (at ?x ?y ?c)))
            (<= (next (at ?x ?y ?c)) (true (at ?x ?y ?c)) (not (gone ?x ?y)))
            (<= (gone ?x ?y) (does ?r (go ?x ?y))) (<= (goal ?r 0) (role ?r)) (<= terminal (true (at 1 1 q)))"
        );
        let game = game(&rules);
        infer(&game, &[]).layers[0].empty.clone()
    }

    #[test]
    fn what_is_called_like_a_blank_but_stands_like_a_piece_is_one() {
        assert_eq!(empty(["r", "o", "o", "o", "o", "o", "o", "o", "b"]), Some("o".to_owned()));
        assert_eq!(empty(["r", "b", "b", "b", "b", "b", "b", "b", "s"]), Some("b".to_owned()));
        assert_eq!(empty(["p", "p", "p", "p", "b", "p", "p", "p", "p"]), Some("b".to_owned()));
    }
}
