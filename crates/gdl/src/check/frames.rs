//! Finds fluents that perhaps nothing keeps from step to step.
//!
//! GDL has no inertia: a fact of the state that no `next` rule repeats is gone after a step. A rule that repeats
//! a fact under some conditions is called a frame rule. Whether a fluent without frame rules is a mistake shows
//! in the first steps of a game, so [`unkept`] only gives candidates, and [`Unkept::finding`] makes the finding
//! about a candidate that the first steps confirm.

use super::fold::absorb;
use super::inference::Inference;
use super::relations::Relations;
use super::{Checker, Weight};
use crate::ast::{Atom, Description, Literal, Rule, Span, Term, TermId};
use crate::diagnostic::Diagnostic;
use crate::domains::Need;
use crate::keyword::Keyword;
use crate::symbol::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The code of the finding that nothing keeps a fluent.
const NOT_KEPT: &str = "not-kept";

/// A fluent, or some values of an argument of it, that no frame rule keeps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unkept {
    /// The name of the fluent.
    pub name: String,
    /// The number of its arguments.
    pub arity: usize,
    /// The index of an argument, from 0, and those of its values that frame rules keep: only facts with other
    /// values there are unkept. `None` if no fact of the fluent is kept.
    pub kept: Option<(usize, Vec<String>)>,
    /// Whether the fluent has facts in the first state by `init`.
    pub begins: bool,
    /// Whether conditions on the fluent are negated only, as if it forbids something.
    pub forbids: bool,
    /// Whether a frame rule keeps facts of the fluent under some conditions.
    pub framed: bool,
    /// The largest number of facts of the fluent that one rule asks for at once.
    pub joined: usize,
    heads: Vec<Span>,
}

impl Unkept {
    /// The finding that nothing keeps the fluent. `after` names a move after which this shows, if other moves
    /// keep the fluent.
    pub fn finding(&self, after: Option<&str>) -> Diagnostic {
        let fact = any_fact(&self.name, self.arity);
        let what = match &self.kept {
            None => String::new(),
            Some((argument, kept)) => {
                let kept: Vec<String> = kept.iter().map(|value| format!("`{value}`")).collect();
                format!(" where argument {} is not {}", argument + 1, kept.join(" or "))
            }
        };
        let when = after.map_or("from step to step".to_owned(), |mv| format!("after the move `{mv}`"));
        let message = format!("nothing keeps `{}` {when}{what}", self.name);
        let mut diagnostic = Diagnostic::warning(NOT_KEPT, self.heads[0], message)
            .labelled("a fact that this rule does not make again is gone after the next step");
        for &head in self.heads.iter().skip(1).take(2) {
            diagnostic = diagnostic.and_at(head, "nor does this rule keep it");
        }
        diagnostic.help(format!(
            "add a frame rule: `(<= (next {fact}) (true {fact}) CONDITION)`, where CONDITION says when it stays"
        ))
    }
}

/// A fluent with a variable for each argument: `(cell ?a ?b)`.
fn any_fact(name: &str, arity: usize) -> String {
    let args: String = (0..arity).map(|i| format!(" ?{}", (b'a' + (i % 26) as u8) as char)).collect();
    if arity == 0 { name.to_owned() } else { format!("({name}{args})") }
}

/// Reports fluents that the first state has several times and no rule of `next` makes.
pub(super) fn check(checker: &mut Checker<'_>) {
    let description = checker.description;
    let makers = makers(checker.relations, description);
    let mut initial: BTreeMap<Functor, Vec<&Atom>> = BTreeMap::new();
    for &rule in checker.relations.rules_of(Keyword::Init) {
        let rule = &description.rules[rule];
        if let Some(functor) = functor(description, rule.head.args[0])
            && rule.body.is_empty()
        {
            initial.entry(functor).or_default().push(&rule.head);
        }
    }
    if makers.any || checker.relations.rules_of(Keyword::Next).is_empty() {
        return;
    }
    let readers = readers(description);
    for (functor, facts) in initial {
        if facts.len() < 2 || functor.1 == 0 || !readers.contains_key(&functor) {
            continue;
        }
        let name = description.name(functor.0);
        let fact = any_fact(name, functor.1);
        let Some(rules) = makers.by_functor.get(&functor) else {
            let message = format!("nothing keeps `{name}` from step to step: only `init` makes it");
            let diagnostic = Diagnostic::warning(NOT_KEPT, facts[0].span, message).help(format!(
                "if it never changes, add `(<= (next {fact}) (true {fact}))`, or make it a relation"
            ));
            checker.report(Weight::Lint, diagnostic);
            continue;
        };
        if let Some(value) = lost_value(checker, functor, &facts, rules) {
            let value = description.name(value);
            let message =
                format!("nothing keeps `{name}` with `{value}` from step to step: only `init` makes it");
            let diagnostic = Diagnostic::warning(NOT_KEPT, description.rules[rules[0]].head.span, message)
                .labelled("neither this nor any other rule for it gives such a fact")
                .and_at(facts[0].span, "the first state has such facts")
                .help(format!(
                    "add a frame rule: `(<= (next {fact}) (true {fact}) CONDITION)`, where CONDITION says when it stays"
                ));
            checker.report(Weight::Lint, diagnostic);
        }
    }
}

/// A constant that conditions ask for as an argument of a fluent, that at least two of the initial `facts` have
/// there, and that no rule of `rules` can give.
fn lost_value(checker: &Checker<'_>, functor: Functor, facts: &[&Atom], rules: &[usize]) -> Option<Symbol> {
    let description = checker.description;
    let inference = checker.inference;
    let fluent = inference.wide.fluent();
    let value_of = |fact: &Atom, argument: usize| match description.terms.get(fact.args[0]) {
        Term::Compound(_, args) => match description.terms.get(args[argument]) {
            Term::Constant(value) => Some(*value),
            _ => None,
        },
        _ => None,
    };
    for argument in 0..functor.1 {
        let Some(place) = inference.wide.inside(fluent, functor.0, functor.1, argument) else { continue };
        let mut counts: BTreeMap<Symbol, usize> = BTreeMap::new();
        for value in facts.iter().filter_map(|fact| value_of(fact, argument)) {
            *counts.entry(value).or_default() += 1;
        }
        for (value, count) in counts {
            let need = Need::Constant(place, value);
            let asked = || {
                let mut needs = inference.clauses.all.iter().flat_map(|clause| &clause.needs);
                needs.any(|&(_, other)| other == need)
            };
            let gives = |&rule: &usize| gives(checker, rule, argument, value);
            if count >= 2 && !rules.iter().any(gives) && asked() {
                return Some(value);
            }
        }
    }
    None
}

/// Whether a rule for `next` may give a fact with `value` as its argument with the index `argument`.
fn gives(checker: &Checker<'_>, rule: usize, argument: usize, value: Symbol) -> bool {
    let description = checker.description;
    let clause = &checker.inference.clauses.all[rule];
    let rule = &description.rules[rule];
    let Some(Term::Variable(name)) =
        argument_of(description, rule, argument).map(|t| description.terms.get(t))
    else {
        return covers(description, rule, argument, value);
    };
    let variable = clause.variables.iter().find(|variable| variable.name == *name);
    covers(description, rule, argument, value)
        && variable.is_none_or(|variable| {
            let mut places = variable.from.iter();
            places.all(|&(_, place)| checker.inference.wide.meets(Need::Constant(place, value)))
        })
}

/// A fluent: its name and the number of its arguments.
type Functor = (Symbol, usize);

fn functor(description: &Description, term: TermId) -> Option<Functor> {
    match description.terms.get(term) {
        Term::Constant(name) => Some((*name, 0)),
        Term::Compound(name, args) => Some((*name, args.len())),
        Term::Variable(_) => None,
    }
}

/// The rules of `next`.
struct Makers {
    by_functor: BTreeMap<Functor, Vec<usize>>,
    /// Whether a rule of `next` may make any fluent.
    any: bool,
}

fn makers(relations: &Relations, description: &Description) -> Makers {
    let mut makers = Makers { by_functor: BTreeMap::new(), any: false };
    for &rule in relations.rules_of(Keyword::Next) {
        match functor(description, description.rules[rule].head.args[0]) {
            Some(functor) => makers.by_functor.entry(functor).or_default().push(rule),
            None => makers.any = true,
        }
    }
    makers
}

/// How conditions ask for a fluent.
#[derive(Default)]
struct Reading {
    asked: bool,
    joined: usize,
}

fn readers(description: &Description) -> FxHashMap<Functor, Reading> {
    let mut readers: FxHashMap<Functor, Reading> = FxHashMap::default();
    for rule in &description.rules {
        let mut here: FxHashMap<Functor, FxHashSet<TermId>> = FxHashMap::default();
        for literal in &rule.body {
            let Some(atom) = literal.atom() else { continue };
            if description.name(atom.relation) != Keyword::True.name() || atom.args.len() != 1 {
                continue;
            }
            let Some(functor) = functor(description, atom.args[0]) else { continue };
            let reading = readers.entry(functor).or_default();
            if matches!(literal, Literal::Positive(_)) {
                reading.asked = true;
                here.entry(functor).or_default().insert(atom.args[0]);
            }
        }
        for (functor, terms) in here {
            let reading = readers.entry(functor).or_default();
            reading.joined = reading.joined.max(terms.len());
        }
    }
    readers
}

/// Folds findings about unused relations into a finding that nothing keeps a fluent, if there is one: the frame
/// rule that is missing probably asks for a relation about the moves.
pub fn fold_unused(findings: &mut Vec<Diagnostic>) {
    let Some(lost) = findings.iter().position(|finding| finding.code == NOT_KEPT) else { return };
    absorb(findings, lost, |finding| finding.code == "never-used" && finding.edits.is_empty());
}

/// The fluents of `description` that perhaps nothing keeps, in the order of their names in the text.
pub fn unkept(description: &Description) -> Vec<Unkept> {
    let relations = Relations::of(description);
    let inference = Inference::of(description);
    let makers = makers(&relations, description);
    if makers.any {
        return Vec::new();
    }
    let moved = moved(&relations, description);
    let readers = readers(description);
    let begins: FxHashSet<Functor> = relations
        .rules_of(Keyword::Init)
        .iter()
        .filter_map(|&rule| functor(description, description.rules[rule].head.args[0]))
        .collect();
    let mut out = Vec::new();
    for (functor, rules) in &makers.by_functor {
        let Some(reading) = readers.get(functor) else { continue };
        let rules: Vec<&Rule> = rules.iter().map(|&rule| &description.rules[rule]).collect();
        let by_moves = rules.iter().all(|rule| needs_move(description, rule, &moved));
        let (frames, makers): (Vec<&Rule>, Vec<&Rule>) =
            rules.iter().partition(|rule| is_frame(description, rule));
        let candidate = |kept: Option<(usize, Vec<String>)>, of: &[&Rule]| Unkept {
            name: description.name(functor.0).to_owned(),
            arity: functor.1,
            begins: begins.contains(functor),
            forbids: !reading.asked,
            framed: kept.is_none() && !frames.is_empty(),
            joined: reading.joined,
            kept,
            heads: of.iter().map(|rule| rule.head.span).collect(),
        };
        if frames.is_empty() || by_moves {
            if by_moves {
                out.push(candidate(None, &rules));
            }
            continue;
        }
        for argument in 0..functor.1 {
            let place = inference.wide.inside(inference.wide.fluent(), functor.0, functor.1, argument);
            let Some(place) = place.filter(|&place| !inference.wide.is_open(place)) else { continue };
            let keeps = |value: Symbol| frames.iter().any(|rule| covers(description, rule, argument, value));
            let (kept, lost): (Vec<Symbol>, Vec<Symbol>) =
                inference.wide.constants(place).iter().partition(|&&value| keeps(value));
            let gives = |rule: &&&Rule| match argument_of(description, rule, argument) {
                Some(term) => match description.terms.get(term) {
                    Term::Constant(value) => lost.contains(value),
                    _ => true,
                },
                None => true,
            };
            let of: Vec<&Rule> = makers.iter().filter(gives).copied().collect();
            let all_by_moves = of.iter().all(|rule| needs_move(description, rule, &moved));
            if !lost.is_empty() && !kept.is_empty() && !of.is_empty() && all_by_moves {
                let kept = kept.iter().map(|&value| description.name(value).to_owned()).collect();
                let joined = joined(description, *functor, argument, &lost);
                out.push(Unkept { joined, ..candidate(Some((argument, kept)), &of) });
            }
        }
    }
    out
}

/// The largest number of facts of a fluent that one rule asks for at once and that have the same value, one of
/// `lost`, as their argument with the index `argument`.
fn joined(description: &Description, wanted: Functor, argument: usize, lost: &[Symbol]) -> usize {
    let mut most = 0;
    for rule in &description.rules {
        let mut facts: FxHashMap<TermId, FxHashSet<TermId>> = FxHashMap::default();
        for atom in rule.positive() {
            if atom.args.len() != 1
                || description.name(atom.relation) != Keyword::True.name()
                || functor(description, atom.args[0]) != Some(wanted)
            {
                continue;
            }
            let Term::Compound(_, args) = description.terms.get(atom.args[0]) else { continue };
            let value = args[argument];
            let may_be_lost = match description.terms.get(value) {
                Term::Constant(constant) => lost.contains(constant),
                Term::Variable(_) => true,
                Term::Compound(..) => false,
            };
            if may_be_lost {
                facts.entry(value).or_default().insert(atom.args[0]);
            }
        }
        most = most.max(facts.values().map(FxHashSet::len).max().unwrap_or(0));
    }
    most
}

/// The argument with the index `argument` of the fluent in the head of a rule for `next`.
fn argument_of(description: &Description, rule: &Rule, argument: usize) -> Option<TermId> {
    match description.terms.get(rule.head.args[0]) {
        Term::Compound(_, args) => args.get(argument).copied(),
        _ => None,
    }
}

/// Whether a rule for `next` repeats a fact of the state.
fn is_frame(description: &Description, rule: &Rule) -> bool {
    rule.body.iter().any(|literal| match literal {
        Literal::Positive(atom) => {
            description.name(atom.relation) == Keyword::True.name() && atom.args == rule.head.args
        }
        _ => false,
    })
}

/// Whether a frame rule may keep a fact with `value` as its argument with the index `argument`.
fn covers(description: &Description, rule: &Rule, argument: usize, value: Symbol) -> bool {
    let Some(term) = argument_of(description, rule, argument) else { return true };
    match description.terms.get(term) {
        Term::Constant(constant) => *constant == value,
        Term::Compound(..) => false,
        Term::Variable(_) => !rule.body.iter().any(|literal| match literal {
            Literal::Distinct(a, b, _) => {
                let is_value =
                    |t: TermId| matches!(description.terms.get(t), Term::Constant(c) if *c == value);
                *a == term && is_value(*b) || *b == term && is_value(*a)
            }
            _ => false,
        }),
    }
}

/// The relations that hold only by a move: each of their rules needs one.
fn moved(relations: &Relations, description: &Description) -> FxHashSet<Functor> {
    let mut moved: FxHashSet<Functor> = FxHashSet::default();
    loop {
        let before = moved.len();
        for relation in relations.all.iter().filter(|relation| !relation.heads.is_empty()) {
            let needs = |&rule: &usize| needs_move(description, &description.rules[rule], &moved);
            if !moved.contains(&(relation.name, relation.arity)) && relation.heads.iter().all(needs) {
                moved.insert((relation.name, relation.arity));
            }
        }
        if moved.len() == before {
            return moved;
        }
    }
}

fn needs_move(description: &Description, rule: &Rule, moved: &FxHashSet<Functor>) -> bool {
    rule.body.iter().any(|literal| match literal {
        Literal::Positive(atom) => {
            description.name(atom.relation) == Keyword::Does.name()
                || moved.contains(&(atom.relation, atom.args.len()))
        }
        _ => false,
    })
}
