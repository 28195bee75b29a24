//! What each word of a text is: a keyword, a relation, a fluent, a move, a variable and so on, by the place where it
//! stands.
//!
//! Two words name the same thing if they have the same [`Space`] and the same spelling, and for variables also stand in
//! the same form. Fluents, moves and other functions share a space, since rules pass fluents and moves on as terms. A
//! constant never equals a function of that spelling, and neither equals a relation.

use crate::tree::{NodeId, Tree};
use ggp_gdl::Keyword;
use ggp_gdl::keyword::Connective;
use rustc_hash::FxHashSet;

/// What a word is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Keyword(Keyword),
    Connective(Connective),
    Relation,
    /// A whole fluent, or the function of one.
    Fluent,
    /// A whole move, or the function of one.
    Move,
    /// A function inside a term, or what a role sees.
    Function,
    Variable,
    Constant,
}

/// The space of names to which a word belongs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Space {
    Keyword,
    Relation,
    Function,
    Constant,
    Variable,
}

/// The meaning of a list, or of the place of a word, by where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// At the top level: a fact or a rule.
    Form,
    /// The head of a rule.
    Head,
    /// A condition of a rule.
    Condition,
    /// A whole fluent.
    Fluent,
    /// A whole move.
    Move,
    /// Any other term.
    Term,
}

impl Role {
    /// Whether an atom or a rule stands here, in contrast to a term.
    pub(crate) fn is_atom(self) -> bool {
        matches!(self, Role::Form | Role::Head | Role::Condition)
    }
}

/// What is known of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Info {
    /// Where the node stands.
    pub(crate) role: Role,
    /// What the word is; for a list, what its first word is.
    pub(crate) kind: Kind,
    /// The index of the node among the members of its list. 0 for a form.
    pub(crate) index: usize,
    /// Whether the node belongs to a fact or to the head of a rule.
    pub(crate) in_head: bool,
    /// Whether the node belongs to a `not`, an `or` or a `distinct`, which give variables no value or only one of several.
    pub(crate) is_weak: bool,
    /// The index of the form.
    pub(crate) form: usize,
}

/// The meaning of all words of a text.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub(crate) infos: Vec<Info>,
    /// The number of members of each list; 0 for words.
    pub(crate) sizes: Vec<usize>,
    /// The nodes of the constants that `(role …)` facts declare.
    pub(crate) roles: Vec<NodeId>,
    declared: FxHashSet<Box<str>>,
}

impl Names {
    pub(crate) fn of(text: &str, tree: &Tree) -> Names {
        let mut names = Names {
            infos: Vec::with_capacity(tree.nodes.len()),
            sizes: vec![0; tree.nodes.len()],
            roles: Vec::new(),
            declared: FxHashSet::default(),
        };
        for (form, root) in tree.forms.iter().enumerate() {
            for node in root.node..tree.nodes[root.node].end {
                let parent = tree.nodes[node].parent;
                let index = parent.map_or(0, |list| {
                    names.sizes[list] += 1;
                    names.sizes[list] - 1
                });
                let info = names.info(text, tree, node, index, form);
                names.infos.push(info);
                if info.kind == Kind::Constant
                    && info.in_head
                    && index == 1
                    && parent.is_some_and(|list| names.infos[list].kind == Kind::Keyword(Keyword::Role))
                {
                    names.roles.push(node);
                    names.declared.insert(text[tree.nodes[node].span.range()].into());
                }
            }
        }
        names
    }

    fn info(&self, text: &str, tree: &Tree, node: NodeId, index: usize, form: usize) -> Info {
        let parent = tree.nodes[node].parent.map(|list| self.infos[list]);
        let role = parent.map_or(Role::Form, |list| role_in(list, index));
        let is_list = tree.nodes[node].is_list;
        let word = if is_list {
            tree.members(node).next().filter(|&first| !tree.nodes[first].is_list)
        } else {
            Some(node)
        };
        let kind = word.map_or(Kind::Function, |word| {
            let name = &text[tree.nodes[word].span.range()];
            match parent {
                // The first word of a list is what the list is.
                Some(list) if index == 0 && !is_list => list.kind,
                _ => kind_of(name, role, is_list),
            }
        });
        let is_rule = kind == Kind::Connective(Connective::If);
        let in_head = match parent {
            None => !is_rule,
            Some(_) if role == Role::Head => true,
            Some(list) => list.in_head,
        };
        let weakens = matches!(kind, Kind::Connective(c) if !matches!(c, Connective::If | Connective::And));
        let is_weak = parent.is_some_and(|list| list.is_weak) || weakens;
        Info { role, kind, index, in_head, is_weak, form }
    }

    /// Whether a role of that name is declared.
    pub(crate) fn is_role(&self, name: &str) -> bool {
        self.declared.contains(name)
    }
}

/// Where the member with the index `index` of a list stands.
fn role_in(list: Info, index: usize) -> Role {
    match (list.role, list.kind) {
        (role, _) if index == 0 => role,
        (Role::Form, Kind::Connective(Connective::If)) if index == 1 => Role::Head,
        (Role::Form | Role::Condition | Role::Head, Kind::Connective(Connective::Distinct)) => Role::Term,
        (Role::Form | Role::Condition | Role::Head, Kind::Connective(_)) => Role::Condition,
        (Role::Form | Role::Condition | Role::Head, Kind::Keyword(keyword)) => match (keyword, index) {
            (Keyword::True | Keyword::Next | Keyword::Init | Keyword::Base, 1) => Role::Fluent,
            (Keyword::Does | Keyword::Legal | Keyword::Input, 2) => Role::Move,
            _ => Role::Term,
        },
        _ => Role::Term,
    }
}

/// What a word is that stands alone, or that begins a list.
fn kind_of(name: &str, role: Role, begins_list: bool) -> Kind {
    if name.starts_with('?') {
        return Kind::Variable;
    }
    match role {
        Role::Form | Role::Head | Role::Condition => {
            if let Some(keyword) = Keyword::of(name) {
                Kind::Keyword(keyword)
            } else if let Some(connective) = Connective::of(name) {
                Kind::Connective(connective)
            } else {
                Kind::Relation
            }
        }
        Role::Fluent => Kind::Fluent,
        Role::Move => Kind::Move,
        Role::Term if begins_list => Kind::Function,
        Role::Term => Kind::Constant,
    }
}

impl Info {
    /// The space of the name of a word. `begins_list` tells whether the word is the first of a list.
    pub(crate) fn space(&self, begins_list: bool) -> Space {
        match self.kind {
            Kind::Keyword(_) | Kind::Connective(_) => Space::Keyword,
            Kind::Relation => Space::Relation,
            Kind::Variable => Space::Variable,
            Kind::Fluent | Kind::Move | Kind::Function | Kind::Constant if begins_list => Space::Function,
            Kind::Fluent | Kind::Move | Kind::Function | Kind::Constant => Space::Constant,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a text with their kinds.
    fn kinds(text: &str) -> Vec<String> {
        let tree = Tree::read(text);
        let names = Names::of(text, &tree);
        let word = |node: usize| {
            let kind = match names.infos[node].kind {
                Kind::Keyword(_) => "keyword",
                Kind::Connective(_) => "connective",
                Kind::Relation => "relation",
                Kind::Fluent => "fluent",
                Kind::Move => "move",
                Kind::Function => "function",
                Kind::Variable => "variable",
                Kind::Constant => "constant",
            };
            format!("{} {kind}", &text[tree.nodes[node].span.range()])
        };
        (0..tree.nodes.len()).filter(|&node| !tree.nodes[node].is_list).map(word).collect()
    }

    #[test]
    fn the_place_tells_what_a_word_is() {
        assert_eq!(
            kinds(
                "(<= (legal ?r (go ?x up)) (not (TRUE (at ?x))) (or (true over) (line a)) (distinct ?x b))"
            ),
            [
                "<= connective",
                "legal keyword",
                "?r variable",
                "go move",
                "?x variable",
                "up constant",
                "not connective",
                "TRUE keyword",
                "at fluent",
                "?x variable",
                "or connective",
                "true keyword",
                "over fluent",
                "line relation",
                "a constant",
                "distinct connective",
                "?x variable",
                "b constant",
            ]
        );
        assert_eq!(
            kinds("(role legal) terminal (next (pair (f a) true)) (does r noop"),
            [
                "role keyword",
                "legal constant",
                "terminal keyword",
                "next keyword",
                "pair fluent",
                "f function",
                "a constant",
                "true constant",
                "does keyword",
                "r constant",
                "noop move",
            ]
        );
    }

    #[test]
    fn roles_are_declared_by_facts() {
        let text = "(role white) (<= (role ?x) (p ?x)) (<= terminal (role black))";
        let tree = Tree::read(text);
        let names = Names::of(text, &tree);
        assert!(names.is_role("white") && !names.is_role("black") && !names.is_role("?x"));
    }
}
