//! Splits relations by the constants in the heads of their rules, so that more programs are stratified: after
//! the split, `goal(R, 0) ← not goal(R, 100)` negates a different part of `goal` than it defines.
//!
//! The pattern of an atom states for each column which constant it contains, or that it contains a variable.
//! A relation that depends on itself through negation is split into parts, one for each pattern that occurs
//! in the heads of its rules. A body literal then reads a view instead of the relation: the union of the
//! parts whose patterns are compatible with the pattern of the literal. The relation itself becomes the union
//! of all parts. All columns are split at once, because splitting one column after the other would not
//! suffice. After a split of `goal` by its first column alone, the literal `goal(R, 100)` would still read
//! every goal value of every role.

use crate::rule::{Argument, Atom, Literal, RelationId, Rule, Signature, Variable};
use crate::strata::{dependency_graph, negative_cycles};
use crate::value::{Value, Values};
use rustc_hash::FxHashMap;

/// For each column of an atom, the constant in it; `None` for a variable.
type Pattern = Vec<Option<Value>>;

/// The maximum number of rules that copy tuples between parts, views and relations. A view is not created if
/// its rules would raise the total above this maximum. Body literals then read the whole relation instead.
const MAX_VIEWED: usize = 1_000_000;

/// Splits the relations of `rules` that depend on themselves through negation. Appends the new relations to
/// `signatures`. Appends to `rules` the rules that copy tuples between relations. Each given relation still
/// gets the same tuples.
pub fn split_by_constants(signatures: &mut Vec<Signature>, rules: &mut Vec<Rule>, values: &Values) {
    let cycles = negative_cycles(&dependency_graph(signatures.len(), rules));
    let mut relations: FxHashMap<RelationId, Split> =
        cycles.into_iter().flatten().map(|relation| (relation, Split::default())).collect();
    for rule in rules.iter() {
        if let Some(split) = relations.get_mut(&rule.head.relation) {
            split.add(rule);
        }
    }
    relations.retain(|_, split| split.has_constants);
    if relations.is_empty() {
        return;
    }
    let mut order: Vec<RelationId> = relations.keys().copied().collect();
    order.sort_unstable();
    let mut new = NewRelations { signatures, values, copies: Vec::new() };
    for whole in &order {
        let split = relations.get_mut(whole).expect("a key");
        split.index();
        for (pattern, part) in &mut split.parts {
            part.relation = new.add(*whole, pattern);
            new.copy(part, *whole, pattern);
        }
    }
    for rule in rules.iter_mut() {
        if let Some(split) = relations.get(&rule.head.relation) {
            rule.head.relation = split.parts[split.numbers[&pattern_of_head(rule)]].1.relation;
        }
        for literal in &mut rule.body {
            let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else { continue };
            if let Some(split) = relations.get_mut(&atom.relation) {
                atom.relation = split.view(atom, &mut new);
            }
        }
    }
    rules.append(&mut new.copies);
}

/// A part of a relation: the tuples that are derived by all rules with the same head pattern.
#[derive(Debug)]
struct RelationPart {
    relation: RelationId,
    /// The label of the first rule that derives the part.
    label: u32,
}

/// The split of one relation: its parts, and the views that body literals read instead of the relation.
#[derive(Debug, Default)]
struct Split {
    parts: Vec<(Pattern, RelationPart)>,
    /// For each head pattern, the index in `parts` of the part with this pattern.
    numbers: FxHashMap<Pattern, usize>,
    has_constants: bool,
    /// The column by whose constants the parts are indexed. `by_constant` and `general` form this index.
    column: usize,
    /// For each constant, the indices in `parts` of the parts whose pattern has this constant in `column`.
    by_constant: FxHashMap<Value, Vec<usize>>,
    /// The indices in `parts` of the parts whose pattern has a variable in `column`.
    general: Vec<usize>,
    /// For each pattern of a body literal, the relation that the literal reads.
    views: FxHashMap<Pattern, RelationId>,
}

impl Split {
    fn add(&mut self, rule: &Rule) {
        let pattern = pattern_of_head(rule);
        self.has_constants |= pattern.iter().any(Option::is_some);
        if !self.numbers.contains_key(&pattern) {
            self.numbers.insert(pattern.clone(), self.parts.len());
            self.parts.push((pattern, RelationPart { relation: rule.head.relation, label: rule.label }));
        }
    }

    /// Indexes the parts by one column: the column in which the greatest number of parts have a constant.
    fn index(&mut self) {
        let columns = 0..self.parts.first().map_or(0, |(pattern, _)| pattern.len());
        let constants = |&c: &usize| self.parts.iter().filter(|(pattern, _)| pattern[c].is_some()).count();
        self.column = columns.max_by_key(constants).unwrap_or(0);
        for (number, (pattern, _)) in self.parts.iter().enumerate() {
            match pattern.get(self.column).copied().flatten() {
                Some(constant) => self.by_constant.entry(constant).or_default().push(number),
                None => self.general.push(number),
            }
        }
    }

    /// The relation that replaces `atom.relation` in a body literal with the atom `atom`. This is usually a
    /// view: the union of the parts whose patterns are compatible with the atom. Adds the view to `new` if it
    /// does not exist yet.
    fn view(&mut self, atom: &Atom, new: &mut NewRelations<'_>) -> RelationId {
        let pattern = pattern_of(&atom.args);
        if pattern.iter().all(Option::is_none) {
            return atom.relation;
        }
        if let Some(&view) = self.views.get(&pattern) {
            return view;
        }
        let admits =
            |part: &Pattern| part.iter().zip(&pattern).all(|(a, b)| a.is_none() || b.is_none() || a == b);
        let near: Vec<usize> = match pattern[self.column] {
            Some(constant) => {
                self.by_constant.get(&constant).into_iter().flatten().chain(&self.general).copied().collect()
            }
            None => (0..self.parts.len()).collect(),
        };
        let fitting: Vec<usize> = near.into_iter().filter(|&number| admits(&self.parts[number].0)).collect();
        let view = match fitting[..] {
            [only] if self.parts[only].0 == pattern => self.parts[only].1.relation,
            _ if new.copies.len() + fitting.len() > MAX_VIEWED => atom.relation,
            _ => {
                let view = new.add(atom.relation, &pattern);
                for number in fitting {
                    new.copy(&self.parts[number].1, view, &pattern);
                }
                view
            }
        };
        self.views.insert(pattern, view);
        view
    }
}

/// The head pattern of `rule`, which determines the part that the rule derives. A fact gets the pattern
/// without constants: facts depend on nothing, so all facts of a relation can share one part.
fn pattern_of_head(rule: &Rule) -> Pattern {
    if rule.body.is_empty() { vec![None; rule.head.args.len()] } else { pattern_of(&rule.head.args) }
}

fn pattern_of(args: &[Argument]) -> Pattern {
    let constant = |argument: &Argument| match argument {
        Argument::Value(value) => Some(*value),
        Argument::Variable(_) => None,
    };
    args.iter().map(constant).collect()
}

/// The relations that splitting adds, and the rules that copy tuples between relations.
struct NewRelations<'a> {
    signatures: &'a mut Vec<Signature>,
    values: &'a Values,
    copies: Vec<Rule>,
}

impl NewRelations<'_> {
    /// Adds a new, empty relation and returns it. It is meant for the tuples of the relation `whole` that
    /// match `pattern`.
    fn add(&mut self, whole: RelationId, pattern: &Pattern) -> RelationId {
        let whole = self.signatures[whole.index()].clone();
        let column = |constant: &Option<Value>| constant.map_or("*".to_owned(), |c| self.values.text(c));
        let columns: Vec<String> = pattern.iter().map(column).collect();
        self.signatures.push(Signature { name: format!("{}[{}]", whole.name, columns.join(" ")), ..whole });
        RelationId(self.signatures.len() as u32 - 1)
    }

    /// Adds a rule that copies those tuples of the part `from` that match `pattern` to the relation `to`.
    fn copy(&mut self, from: &RelationPart, to: RelationId, pattern: &Pattern) {
        let column = |(number, constant): (usize, &Option<Value>)| match constant {
            Some(value) => Argument::Value(*value),
            None => Argument::Variable(Variable(number as u32)),
        };
        let args: Vec<Argument> = pattern.iter().enumerate().map(column).collect();
        self.copies.push(Rule {
            head: Atom { relation: to, args: args.clone() },
            body: vec![Literal::Positive(Atom { relation: from.relation, args })],
            variables: pattern.len() as u32,
            label: from.label,
        });
    }
}
