//! What the rules say: the parsed description and the domains of its arguments.
//!
//! The model of a text with broken forms is that of the forms which can be read. Those that cannot are replaced by
//! blanks, so that offsets stay the same.

use crate::names::{Info, Kind, Names};
use crate::tree::{NodeId, Tree};
use ggp_gdl::domains::{Domains, Place};
use ggp_gdl::{Description, Keyword, Literal, Symbol, parse};
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of times that forms with errors are blanked and the rest is parsed. The parser reports at most 100
/// errors at once.
const ROUNDS: usize = 8;

/// The nesting depth beyond which terms have no domains.
const MAX_DEPTH: usize = 6;

#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) description: Description,
    pub(crate) domains: Domains,
    dynamic: FxHashSet<Symbol>,
}

impl Model {
    pub(crate) fn of(text: &str, tree: &Tree) -> Model {
        let description = readable(text, tree);
        let domains = Domains::new(&description);
        let dynamic = dynamic_relations(&description);
        Model { description, domains, dynamic }
    }

    /// Whether the relation changes with the state or with the moves.
    pub(crate) fn is_dynamic(&self, relation: &str) -> bool {
        self.description.symbols.get(relation).is_some_and(|symbol| self.dynamic.contains(&symbol))
    }

    /// The place of a node, if terms at that place have a domain.
    pub(crate) fn place(&self, text: &str, tree: &Tree, names: &Names, node: NodeId) -> Option<Place> {
        let list = tree.nodes[node].parent?;
        self.member(text, tree, names, list, names.infos[node].index)
    }

    /// The place of the member with the index `index` of `list`, which may be missing there.
    pub(crate) fn member(
        &self,
        text: &str,
        tree: &Tree,
        names: &Names,
        list: NodeId,
        index: usize,
    ) -> Option<Place> {
        // 1. Climb to the atom.
        let mut path = vec![(list, index)];
        let mut at = list;
        while !names.infos[at].role.is_atom() {
            let parent = tree.nodes[at].parent?;
            path.push((parent, names.infos[at].index));
            at = parent;
            if path.len() > MAX_DEPTH {
                return None;
            }
        }
        // 2. Descend from the place of its argument.
        let mut place = None;
        for &(list, index) in path.iter().rev() {
            let argument = index.checked_sub(1)?;
            let first = tree.members(list).next()?;
            let name = &text[tree.nodes[first].span.range()];
            let arity = names.sizes[list] - 1;
            place = Some(match place {
                None => self.argument(names.infos[list], name, arity, argument)?,
                Some(outer) => self.inside(outer, name, arity, argument)?,
            });
        }
        place
    }

    /// The place of an argument of an atom. The number of arguments is that of the rules where `arity` has none.
    fn argument(&self, atom: Info, name: &str, arity: usize, argument: usize) -> Option<Place> {
        let domains = &self.domains;
        let relation = |name: &str, arity: usize| {
            let symbol = self.description.symbols.get(name)?;
            let arities = std::iter::once(arity).chain(argument + 1..argument + 16);
            arities
                .filter(|&arity| arity > argument)
                .find_map(|arity| domains.argument(symbol, arity, argument))
        };
        match (atom.kind, argument) {
            (Kind::Keyword(Keyword::True | Keyword::Next | Keyword::Init | Keyword::Base), 0) => {
                Some(domains.fluent())
            }
            (Kind::Keyword(Keyword::Does | Keyword::Legal | Keyword::Input), 1) => Some(domains.mv()),
            (Kind::Keyword(Keyword::Does | Keyword::Legal | Keyword::Input | Keyword::Role), 0) => {
                relation(Keyword::Role.name(), 1)
            }
            (Kind::Keyword(keyword), _) => relation(keyword.name(), keyword.arity()),
            (Kind::Relation, _) => relation(name, arity),
            _ => None,
        }
    }

    /// The place of an argument of the terms `(name …)` at a place.
    fn inside(&self, outer: Place, name: &str, arity: usize, argument: usize) -> Option<Place> {
        let function = self.description.symbols.get(name)?;
        self.domains.inside(outer, function, arity, argument).or_else(|| {
            let known = self.domains.functions(outer).iter();
            let mut fitting = known.filter(|(name, arity)| *name == function && *arity > argument);
            fitting.find_map(|&(name, arity)| self.domains.inside(outer, name, arity, argument))
        })
    }

    /// The names of the constants that can stand at a place, in the order of the text.
    pub(crate) fn constants(&self, place: Place) -> Vec<&str> {
        self.domains.constants(place).iter().map(|&symbol| self.description.name(symbol)).collect()
    }

    /// The names and arities of the functions that can stand at a place.
    pub(crate) fn functions(&self, place: Place) -> Vec<(&str, usize)> {
        let known = self.domains.functions(place).iter();
        known.map(|&(symbol, arity)| (self.description.name(symbol), arity)).collect()
    }

    /// The constants that are in the domains of all `places`.
    pub(crate) fn common(&self, places: &[Place]) -> Vec<&str> {
        let Some((&first, others)) = places.split_first() else { return Vec::new() };
        let mut common: Vec<Symbol> = self.domains.constants(first).to_vec();
        for &place in others {
            let other: FxHashSet<Symbol> = self.domains.constants(place).iter().copied().collect();
            common.retain(|symbol| other.contains(symbol));
        }
        common.into_iter().map(|symbol| self.description.name(symbol)).collect()
    }
}

/// The description of the forms that can be read.
fn readable(text: &str, tree: &Tree) -> Description {
    let mut bytes = text.as_bytes().to_vec();
    for form in tree.forms.iter().filter(|form| !form.is_whole) {
        blank(&mut bytes[form.span.range()]);
    }
    for stray in &tree.strays {
        blank(&mut bytes[stray.range()]);
    }
    for _ in 0..ROUNDS {
        let errors = match parse(&bytes) {
            Ok(description) => return description,
            Err(errors) => errors,
        };
        let mut has_blanked = false;
        for error in &errors.diagnostics {
            if let Some(form) = tree.form_at(error.span.start) {
                let span = tree.forms[form].span;
                has_blanked |= bytes[span.range()].iter().any(|byte| !byte.is_ascii_whitespace());
                blank(&mut bytes[span.range()]);
            }
        }
        if !has_blanked {
            break;
        }
    }
    Description::default()
}

/// Replaces all bytes except line ends by blanks.
fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| !matches!(byte, b'\r' | b'\n')) {
        *byte = b' ';
    }
}

/// The relations that depend, directly or through others, on the state or on the moves.
fn dynamic_relations(description: &Description) -> FxHashSet<Symbol> {
    let mut readers: FxHashMap<Symbol, Vec<Symbol>> = FxHashMap::default();
    for rule in &description.rules {
        for literal in &rule.body {
            if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                readers.entry(atom.relation).or_default().push(rule.head.relation);
            }
        }
    }
    let sources = [Keyword::True, Keyword::Does];
    let mut stack: Vec<Symbol> =
        sources.into_iter().filter_map(|keyword| description.symbols.get(keyword.name())).collect();
    let mut dynamic = FxHashSet::default();
    while let Some(relation) = stack.pop() {
        for &reader in readers.get(&relation).into_iter().flatten() {
            if dynamic.insert(reader) {
                stack.push(reader);
            }
        }
    }
    dynamic
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_forms_leave_the_others() {
        let text = "(role white)\n(<= (next (p ?x)) (true (p ?x))\n(init (p 1)) )\n(<= bad (?x a))\n(q 1 2)";
        let tree = Tree::read(text);
        let description = readable(text, &tree);
        let read: Vec<&str> = description.rules.iter().map(|rule| &text[rule.span.range()]).collect();
        assert_eq!(read.len(), 3, "the parenthesis after `init` closes the rule before it");
        assert_eq!((read[0], read[2]), ("(role white)", "(q 1 2)"));
        let open = "(role white)\n(<= (next (p ?x)) (true (p ?x))\n(init (p 1))\n(q 1 2)";
        let tree = Tree::read(open);
        assert_eq!(readable(open, &tree).rules.len(), 3);
    }
}
