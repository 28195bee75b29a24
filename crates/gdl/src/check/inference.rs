//! The domains that the checks share.

use crate::ast::{Atom, Description, Span};
use crate::domains::{Assumptions, Clauses, Domains, Need, Place};
use crate::sexpr;
use crate::symbol::Symbol;

/// The rules as the inference of domains reads them, and the domains if every rule fires.
pub(super) struct Inference {
    pub(super) clauses: Clauses,
    /// The domains if every rule fires, also those whose conditions nothing meets. What is missing here is
    /// missing whatever the other mistakes of the rulesheet are.
    pub(super) wide: Domains,
    /// The place of the roles; `None` if the rules do not mention `role`.
    pub(super) role: Option<Place>,
}

impl Inference {
    pub(super) fn of(description: &Description) -> Inference {
        let clauses = Clauses::of(description);
        let wide = clauses.settle(&Assumptions { all_fire: true, ..Assumptions::default() });
        let role = description.symbols.get("role").and_then(|role| wide.argument(role, 1, 0));
        Inference { clauses, wide, role }
    }

    /// What a condition of a rule asks for, or denies, that nothing gives even if every rule fires. `literal` is
    /// the index of the condition.
    pub(super) fn unmet(&self, rule: usize, literal: usize) -> Option<Need> {
        let clause = &self.clauses.all[rule];
        let mut needs = clause.needs.iter().chain(&clause.denials);
        needs.find(|&&(at, need)| at == literal && !self.wide.meets(need)).map(|&(_, need)| need)
    }

    /// Whether a condition asks for a fluent with the name and the number of arguments of `atom`.
    pub(super) fn is_asked(&self, atom: &Atom) -> bool {
        let place = self.wide.fluent();
        let wanted = match atom.args.len() {
            0 => Need::Constant(place, atom.relation),
            arity => Need::Function(place, (atom.relation, arity)),
        };
        let mut needs = self.clauses.all.iter().flat_map(|clause| clause.needs.iter().chain(&clause.denials));
        needs.any(|&(_, need)| need == wanted)
    }

    /// The names of the fluents for which conditions ask, in order of first occurrence. `None` if a condition asks
    /// for all fluents.
    pub(super) fn asked(&self) -> Option<Vec<Symbol>> {
        let fluent = self.wide.fluent();
        let mut names = Vec::new();
        for clause in &self.clauses.all {
            if clause.variables.iter().any(|v| v.from.iter().any(|&(_, place)| place == fluent)) {
                return None;
            }
            for (_, need) in clause.needs.iter().chain(&clause.denials) {
                match *need {
                    Need::Constant(place, name) | Need::Function(place, (name, _))
                        if place == fluent && !names.contains(&name) =>
                    {
                        names.push(name);
                    }
                    _ => {}
                }
            }
        }
        Some(names)
    }

    /// Whether the rules make a fluent with the name and the number of arguments of `atom`.
    pub(super) fn is_fluent(&self, atom: &Atom) -> bool {
        let place = self.wide.fluent();
        match atom.args.len() {
            0 => self.wide.constants(place).contains(&atom.relation),
            arity => self.wide.functions(place).contains(&(atom.relation, arity)),
        }
    }
}

/// The bytes of the part of `atom` at the end of `path`, which gives the index of an argument at each depth.
/// `None` if the source has something else there, because an equality of the rule was substituted in the atom.
pub(super) fn part_span(source: &[u8], atom: &Atom, path: &[usize]) -> Option<Span> {
    let tree = sexpr::read(&source[atom.span.range()]).ok()?;
    let mut node = tree.roots().next()?;
    for &index in path {
        node = tree.children(node).nth(index + 1)?;
    }
    let Span { start, end } = tree.span(node);
    Some(Span { start: atom.span.start + start, end: atom.span.start + end })
}

/// The bytes of the word `name` in `atom` at the place `place`. For a function, that is the first word of the term.
pub(super) fn word_at(
    description: &Description,
    domains: &Domains,
    atom: &Atom,
    place: Place,
    name: Symbol,
) -> Option<Span> {
    let span = part_span(&description.source, atom, &domains.path(place))?;
    let name = description.name(name);
    let word = |at: usize| {
        let span = Span { start: at, end: at + name.len() };
        (description.source.get(span.range()) == Some(name.as_bytes())).then_some(span)
    };
    let text = &description.source[span.range()];
    if text == name.as_bytes() {
        return Some(span);
    }
    let skipped = text.iter().skip(1).take_while(|byte| byte.is_ascii_whitespace()).count();
    (text.first() == Some(&b'(')).then(|| word(span.start + 1 + skipped)).flatten()
}

/// The constants of `domains` at `place` as text, in the order of the text.
pub(super) fn names<'a>(description: &'a Description, domains: &'a Domains, place: Place) -> Vec<&'a str> {
    domains.constants(place).iter().map(|&constant| description.name(constant)).collect()
}

/// The words as a list for a message: `a`, `b` or `c`. At most six are shown.
pub(super) fn listed(names: &[&str], last: &str) -> String {
    const SHOWN: usize = 6;
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if names.len() > SHOWN {
        return format!("{} and {} more", shown.join(", "), names.len() - SHOWN);
    }
    match shown.pop() {
        None => String::new(),
        Some(end) if shown.is_empty() => end,
        Some(end) => format!("{} {last} {end}", shown.join(", ")),
    }
}
