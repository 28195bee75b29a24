//! What can be written at the cursor.
//!
//! The list around the cursor decides: at its beginning stands a keyword, a relation or a function; after that a
//! condition, or a term from the domain of that argument, or a variable of the rule.

use crate::analysis::Analysis;
use crate::names::{Kind, Role, Space};
use crate::tree::NodeId;
use ggp_gdl::diagnostic::count;
use ggp_gdl::domains::Place;
use ggp_gdl::keyword::Connective;
use ggp_gdl::{Keyword, Span};
use rustc_hash::FxHashSet;

/// The maximum number of completions.
pub const MAX_COMPLETIONS: usize = 500;

/// The sort of thing that a completion names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompletionKind {
    /// A keyword, such as `legal` or `not`.
    Keyword,
    /// A relation.
    Relation,
    /// A fluent.
    Fluent,
    /// A move.
    Move,
    /// Another function.
    Function,
    /// A constant.
    Constant,
    /// A variable of the rule.
    Variable,
}

/// Something that can be written at the cursor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// The name.
    pub label: String,
    /// The sort of thing that it names.
    pub kind: CompletionKind,
    /// A few words about it.
    pub detail: String,
    /// The arguments to write after the name, in parentheses together with it. `None` if only the name is inserted.
    pub arguments: Option<Vec<String>>,
}

/// The completions at a place.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Completions {
    /// The bytes to replace: the word at the cursor.
    pub span: Span,
    /// The completions, the most probable first.
    pub items: Vec<Completion>,
    /// Whether there are more.
    pub is_incomplete: bool,
}

/// The completions found so far.
struct Found {
    items: Vec<Completion>,
    seen: FxHashSet<(String, bool)>,
    prefix: String,
    is_incomplete: bool,
}

impl Found {
    /// Whether a completion is wanted: it begins as the prefix does, it is new, and there is room for it.
    fn admits(&mut self, label: &str, has_arguments: bool) -> bool {
        let starts =
            label.get(..self.prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(&self.prefix));
        if !starts || !self.seen.insert((label.to_owned(), has_arguments)) {
            return false;
        }
        let has_room = self.items.len() < MAX_COMPLETIONS;
        self.is_incomplete |= !has_room;
        has_room
    }

    fn add(
        &mut self,
        label: &str,
        kind: CompletionKind,
        detail: impl Into<String>,
        arguments: Option<Vec<String>>,
    ) {
        if self.admits(label, arguments.is_some()) {
            self.items.push(Completion { label: label.to_owned(), kind, detail: detail.into(), arguments });
        }
    }
}

impl Analysis {
    /// What can be written at `offset` in place of the word there.
    pub fn completions(&self, offset: usize) -> Completions {
        let tree = self.tree();
        if tree.is_in_comment(offset) {
            return Completions { span: Span { start: offset, end: offset }, ..Completions::default() };
        }
        let word = tree.word_at(offset);
        let span = word.map_or(Span { start: offset, end: offset }, |word| self.span(word));
        let prefix = self.text().get(span.start..offset).unwrap_or_default().to_owned();
        let mut found = Found { items: Vec::new(), seen: FxHashSet::default(), prefix, is_incomplete: false };
        match tree.list_at(span.start) {
            None => self.add_atoms(Role::Form, true, word, &mut found),
            Some(list) => {
                let index =
                    tree.members(list).take_while(|&member| self.span(member).start < span.start).count();
                self.add_members(list, index, word, &mut found);
            }
        }
        Completions { span, items: found.items, is_incomplete: found.is_incomplete }
    }

    /// Adds what can be the member with the index `index` of `list`.
    fn add_members(&self, list: NodeId, index: usize, word: Option<NodeId>, found: &mut Found) {
        let info = self.info(list);
        let role = match (index, info.role, info.kind) {
            (0, role, _) if role.is_atom() => return self.add_atoms(role, false, word, found),
            (0, ..) => {
                let place = self.model().place(self.text(), self.tree(), self.names(), list);
                return self.add_functions(info.role, place, false, found);
            }
            (_, role, Kind::Connective(Connective::Distinct)) if role.is_atom() => Role::Term,
            (1, Role::Form, Kind::Connective(Connective::If)) => Role::Head,
            (_, role, Kind::Connective(_)) if role.is_atom() => Role::Condition,
            (1, role, Kind::Keyword(Keyword::True | Keyword::Next | Keyword::Init | Keyword::Base))
                if role.is_atom() =>
            {
                Role::Fluent
            }
            (2, role, Kind::Keyword(Keyword::Does | Keyword::Legal | Keyword::Input)) if role.is_atom() => {
                Role::Move
            }
            _ => Role::Term,
        };
        if role.is_atom() {
            return self.add_atoms(role, true, word, found);
        }
        self.add_variables(list, word, found);
        if self.info(list).kind == Kind::Keyword(Keyword::Goal) && index == 2 {
            for goal in ["100", "50", "0"] {
                found.add(goal, CompletionKind::Constant, "goal", None);
            }
        }
        if self.info(list).kind == Kind::Connective(Connective::Distinct) {
            self.add_values_of_neighbours(list, word, found);
        }
        let place = self.model().member(self.text(), self.tree(), self.names(), list, index);
        self.add_constants(role, place, found);
        self.add_functions(role, place, true, found);
    }

    /// Adds relations and keywords, but not the name that `word` alone has. `with_arguments` tells whether a parenthesis
    /// has to be written too.
    fn add_atoms(&self, role: Role, with_arguments: bool, word: Option<NodeId>, found: &mut Found) {
        for keyword in Keyword::ALL {
            let fits = match keyword {
                Keyword::True | Keyword::Does => role == Role::Condition,
                Keyword::Init
                | Keyword::Next
                | Keyword::Base
                | Keyword::Input
                | Keyword::Sees
                | Keyword::Legal => role != Role::Condition,
                Keyword::Role => role != Role::Head,
                Keyword::Goal | Keyword::Terminal => true,
            };
            if fits {
                let syntax = keyword.syntax().trim_matches(['(', ')']);
                let arguments: Vec<String> = syntax.split(' ').skip(1).map(str::to_lowercase).collect();
                let arguments = (with_arguments && !arguments.is_empty()).then_some(arguments);
                found.add(keyword.name(), CompletionKind::Keyword, keyword.syntax(), arguments);
            }
        }
        for connective in Connective::ALL {
            let fits = match connective {
                Connective::If => role == Role::Form,
                _ => role == Role::Condition,
            };
            if fits {
                let arguments = match connective {
                    Connective::If => vec!["head", "condition"],
                    Connective::Distinct => vec!["?a", "?b"],
                    _ => vec!["condition"],
                };
                let arguments = with_arguments.then(|| arguments.into_iter().map(str::to_owned).collect());
                found.add(connective.name(), CompletionKind::Keyword, connective.syntax(), arguments);
            }
        }
        for node in self.distinct_names(Space::Relation, word) {
            let name = self.source(node);
            let kind = if self.model().is_dynamic(name) { "relation" } else { "static relation" };
            let detail = format!("{kind}, {}", count(self.arity(node), "argument"));
            let arguments = self.sample_arguments(node).filter(|_| with_arguments);
            found.add(name, CompletionKind::Relation, detail, arguments);
        }
    }

    /// Adds the variables of the rule around `list`, except `word` itself if it occurs nowhere else.
    fn add_variables(&self, list: NodeId, word: Option<NodeId>, found: &mut Found) {
        let form = self.info(list).form;
        if !matches!(self.info(self.tree().forms[form].node).kind, Kind::Connective(_)) {
            return;
        }
        for occurrences in self.variables_of(form) {
            let Some(&other) = occurrences.iter().find(|&&node| Some(node) != word) else { continue };
            let label = self.source(other);
            // The detail takes long to find, so only what is shown gets one.
            if found.admits(label, false) {
                let detail = self.variable_in_words(&occurrences).unwrap_or_else(|| "variable".to_owned());
                let kind = CompletionKind::Variable;
                found.items.push(Completion { label: label.to_owned(), kind, detail, arguments: None });
            }
        }
    }

    fn add_constants(&self, role: Role, place: Option<Place>, found: &mut Found) {
        let kind = match role {
            Role::Fluent => CompletionKind::Fluent,
            Role::Move => CompletionKind::Move,
            _ => CompletionKind::Constant,
        };
        for name in place.map_or_else(Vec::new, |place| self.model().constants(place)) {
            let is_role = self.names().is_role(name);
            let detail = match kind {
                CompletionKind::Fluent => "fluent",
                CompletionKind::Move => "move",
                _ if is_role => "role",
                _ => "constant",
            };
            found.add(name, kind, detail, None);
        }
    }

    fn add_functions(&self, role: Role, place: Option<Place>, with_arguments: bool, found: &mut Found) {
        let kind = match role {
            Role::Fluent => CompletionKind::Fluent,
            Role::Move => CompletionKind::Move,
            _ => CompletionKind::Function,
        };
        let names = place.map_or_else(Vec::new, |place| self.model().functions(place));
        let samples = self.distinct_names(Space::Function, None);
        for (name, arity) in names {
            let sample = samples.iter().find(|&&node| self.source(node) == name && self.arity(node) == arity);
            let arguments = sample.and_then(|&node| self.sample_arguments(node)).filter(|_| with_arguments);
            found.add(name, kind, count(arity, "argument"), arguments);
        }
    }

    /// Adds the values of the variables that stand beside the cursor in a `distinct`.
    fn add_values_of_neighbours(&self, list: NodeId, word: Option<NodeId>, found: &mut Found) {
        for member in self.tree().members(list).take(3).filter(|&member| Some(member) != word) {
            if self.is_word(member) && self.space(member) == Space::Variable {
                let places = self.places_of(&self.same(member));
                for name in self.model().common(&places) {
                    found.add(name, CompletionKind::Constant, "constant", None);
                }
            }
        }
    }

    /// One word for each name and arity in a space, in the order of the text: where it is defined, if it is. Leaves out
    /// the word `except`.
    fn distinct_names(&self, space: Space, except: Option<NodeId>) -> Vec<NodeId> {
        let mut seen: FxHashSet<(&str, usize)> = FxHashSet::default();
        let is_wanted =
            |node: &NodeId| Some(*node) != except && self.is_word(*node) && self.space(*node) == space;
        let words: Vec<NodeId> = (0..self.tree().nodes.len()).filter(is_wanted).collect();
        let (heads, others): (Vec<NodeId>, Vec<NodeId>) =
            words.into_iter().partition(|&node| self.info(node).in_head);
        let mut found: Vec<NodeId> = heads.into_iter().chain(others).collect();
        found.retain(|&node| seen.insert((self.source(node), self.arity(node))));
        found.sort_unstable();
        found
    }

    /// What to write for the arguments of a relation or function: the words that its definition has there, with a `?`
    /// before them if they are no variables. `None` if it has no arguments.
    fn sample_arguments(&self, word: NodeId) -> Option<Vec<String>> {
        let list = self.tree().nodes[word].parent.filter(|_| self.arity(word) > 0)?;
        let arguments = self.tree().members(list).skip(1).enumerate();
        let name = |(index, node): (usize, NodeId)| {
            let is_variable = self.is_word(node) && self.space(node) == Space::Variable;
            if is_variable { self.source(node).to_owned() } else { format!("?{}", index + 1) }
        };
        Some(arguments.map(name).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str =
        "(role red) (role blue) (init (cell 1 b)) (init (cell 2 b)) (init (control red)) (column 1)
(<= (next (cell ?x ?who)) (does ?who (mark ?x)) (true (cell ?x b)))
(<= (legal ?r (mark ?x)) (true (control ?r)) (true (cell ?x b)))
(<= (legal ?r noop) (role ?r)) (<= (line ?who) (column ?c))
";

    /// The labels at the `|` in a text after the rules of the game.
    fn labels(text: &str) -> Vec<String> {
        items(text).into_iter().map(|item| item.label).collect()
    }

    fn items(text: &str) -> Vec<Completion> {
        let whole = format!("{GAME}{text}");
        let at = whole.find('|').unwrap();
        Analysis::new(whole.replace('|', "")).completions(at).items
    }

    #[test]
    fn terms_come_from_the_domain_of_their_place() {
        assert_eq!(labels("(<= (p ?a) (true (cell |"), ["?a", "1", "2"]);
        assert_eq!(labels("(<= (p ?a) (true (cell ?a |)))"), ["?a", "red", "blue", "b"]);
        assert_eq!(labels("(<= (p ?a) (true (cell ?a r|)))"), ["red"]);
        assert_eq!(labels("(<= (p ?a) (true |))"), ["?a", "cell", "control"]);
        assert_eq!(labels("(<= (p ?a) (true (c|)))"), ["cell", "control"]);
        assert_eq!(labels("(<= (p ?a) (does |"), ["?a", "red", "blue"]);
        assert_eq!(labels("(<= (p ?a) (does red |"), ["?a", "noop", "mark"]);
        assert_eq!(labels("(goal red |"), ["100", "50", "0"]);
        assert_eq!(labels("(<= (p ?r) (role ?r) (distinct ?r |))"), ["?r", "red", "blue"]);
        assert_eq!(labels("(init (control |"), ["red"], "no variables in a fact");
    }

    #[test]
    fn a_place_for_conditions_offers_relations_and_keywords() {
        assert_eq!(labels("(<= (p ?a) (t|"), ["true", "terminal"]);
        assert_eq!(labels("(<= (p ?a) (li|"), ["line"]);
        assert_eq!(labels("(<= (ne|"), ["next"]);
        assert_eq!(labels("(<= (p ?a) (n|)"), ["not"]);
        assert_eq!(labels("<|"), ["<="]);
        assert!(labels("(<= (p ?a) (or (and (co|").contains(&"column".to_owned()));
        assert!(labels("; (p|").is_empty(), "a comment");
    }

    #[test]
    fn what_needs_arguments_brings_them() {
        let line = &items("(<= (p ?a) li|")[0];
        assert_eq!(line.arguments.as_deref(), Some(&["?who".to_owned()][..]));
        assert_eq!(items("(<= (p ?a) (li|")[0].arguments, None, "the parenthesis is there");
        let mark = &items("(<= (p ?a) (does red m|")[0];
        assert_eq!(mark.arguments.as_deref(), Some(&["?x".to_owned()][..]));
        assert_eq!(items("(<= (p ?a) te|")[0].arguments, None, "`terminal` has none");
    }
}
