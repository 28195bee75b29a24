//! Checks that each relation and each function has the same number of arguments everywhere.
//!
//! Section 2 of the specification gives each symbol one arity. A keyword with another arity cannot be
//! evaluated. Any other name that is used with two arities stands for two different relations or functions,
//! so the rules can still be evaluated.

use super::{Checker, Strictness, Weight, atom_of};
use crate::ast::{Atom, Description, Span, Term, TermId};
use crate::diagnostic::{Diagnostic, Edit};
use crate::keyword::Keyword;
use crate::lexer::{Lexer, TokenKind};
use crate::sexpr;
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;

/// The maximum number of variables of a rule that are tried as a missing argument.
const VARIABLES: usize = 6;
/// The maximum number of kinds of terms with one function that are told apart.
const KINDS: usize = 16;

pub(super) fn check(checker: &mut Checker<'_>) {
    keywords(checker);
    relations(checker);
    functions(checker);
}

fn count(arguments: usize) -> String {
    match arguments {
        0 => "no argument".to_owned(),
        1 => "1 argument".to_owned(),
        n => format!("{n} arguments"),
    }
}

/// The atoms of a relation: those in heads first, then those in bodies. `heads` holds indices of rules.
/// `uses` holds pairs of the index of a rule and the index of a literal in its body.
fn occurrences<'a>(checker: &Checker<'a>, heads: &'a [usize], uses: &'a [(usize, usize)]) -> Vec<&'a Atom> {
    let rules = &checker.description.rules;
    let bodies = uses.iter().filter_map(|&(rule, literal)| Some(atom_of(&rules[rule].body[literal])?.0));
    heads.iter().map(|&rule| &rules[rule].head).chain(bodies).collect()
}

fn keywords(checker: &mut Checker<'_>) {
    let relations = checker.relations;
    for relation in &relations.all {
        let Some(keyword) = relation.keyword else { continue };
        if relation.arity == keyword.arity() {
            continue;
        }
        for atom in occurrences(checker, &relation.heads, &relation.uses) {
            let given = if relation.arity == 0 { "none".to_owned() } else { relation.arity.to_string() };
            let message = format!("`{}` takes {}, not {given}", keyword.name(), count(keyword.arity()));
            // Other languages write `true(x)`.
            let is_before = relation.arity == 0
                && checker.description.source.get(atom.span.end) == Some(&b'(')
                && checker.description.source.get(atom.span.start) != Some(&b'(');
            let help = if is_before {
                format!("the `(` stands before the name: `{}`", keyword.syntax())
            } else {
                keyword.usage()
            };
            let diagnostic = Diagnostic::error("keyword-arity", atom.span, message).help(help);
            let is_longer = relation.arity == keyword.arity() + 1;
            checker.report(
                Weight::Fatal,
                if is_longer { joined(checker, atom, diagnostic) } else { diagnostic },
            );
        }
    }
}

/// `diagnostic` about `atom`, which has an argument too many. If one argument is a lone `?`, as in `(role ? r)`, it is
/// meant as a part of the next one: the help and the edit then join them.
fn joined(checker: &Checker<'_>, atom: &Atom, diagnostic: Diagnostic) -> Diagnostic {
    let Ok(tree) = sexpr::read(&checker.description.source[atom.span.range()]) else { return diagnostic };
    let members: Vec<sexpr::NodeId> = tree.roots().take(1).flat_map(|root| tree.children(root)).collect();
    let words: Vec<Option<&str>> = members.iter().map(|&node| tree.word(node)).collect();
    let is_split =
        |pair: &[Option<&str>]| pair[0] == Some("?") && pair[1].is_some_and(|name| !name.starts_with('?'));
    let Some(at) = words.windows(2).position(is_split) else { return diagnostic };
    let mut texts: Vec<String> =
        members.iter().map(|&node| String::from_utf8_lossy(tree.text(node)).into_owned()).collect();
    let name = texts.remove(at + 1);
    texts[at].push_str(&name);
    let [mark, name] = [at, at + 1].map(|index| tree.span(members[index]));
    let gap = Span { start: atom.span.start + mark.end, end: atom.span.start + name.start };
    diagnostic.help(format!("did you mean `({})`?", texts.join(" "))).edit(gap, "")
}

/// What a term stands for. Terms of different kinds are never compared with each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A whole fluent.
    Fluent,
    /// A whole move, with its role if that is a constant.
    Move(Option<TermId>),
    /// A whole percept.
    Percept,
    /// An argument of another term or relation, which may be a part of anything.
    Part,
}

impl Kind {
    /// The kind of the argument `index` of `atom`, whose relation is `keyword` if it is one.
    fn of(description: &Description, keyword: Option<Keyword>, atom: &Atom, index: usize) -> Kind {
        match (keyword, index) {
            (Some(Keyword::Init | Keyword::True | Keyword::Next | Keyword::Base), 0) => Kind::Fluent,
            (Some(Keyword::Legal | Keyword::Does | Keyword::Input), 1) => {
                Kind::Move(atom.args.first().copied().filter(|&role| description.terms.is_ground(role)))
            }
            (Some(Keyword::Sees), 1) => Kind::Percept,
            _ => Kind::Part,
        }
    }

    /// Whether a term of one kind can be compared with a term of the other.
    fn meets(self, other: Kind) -> bool {
        match (self, other) {
            (Kind::Move(Some(role)), Kind::Move(Some(other))) => role == other,
            (Kind::Part, _) | (_, Kind::Part) | (Kind::Move(_), Kind::Move(_)) => true,
            _ => self == other,
        }
    }
}

/// The uses of a relation or a function with one number of arguments.
struct Usage<'a> {
    arity: usize,
    count: usize,
    /// Whether a head has it.
    is_made: bool,
    /// The atom of the first use.
    first: &'a Atom,
    /// The kinds of the terms; for a relation none.
    kinds: Vec<Kind>,
}

impl Usage<'_> {
    fn add(&mut self, kind: Kind) {
        self.count += 1;
        if self.kinds.len() == KINDS {
            self.kinds = vec![Kind::Part];
        } else if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
    }

    /// Whether a term of this usage can be compared with a term of `other`.
    fn meets(&self, other: &Usage<'_>) -> bool {
        self.kinds.iter().any(|kind| other.kinds.iter().any(|other| kind.meets(*other)))
    }
}

/// Of several usages of one name, the one that is meant: the most frequent one, or the first of several.
fn meant<'a, 'b>(usages: &'b [Usage<'a>]) -> Option<&'b Usage<'a>> {
    usages.iter().rev().max_by_key(|usage| (usage.count, usage.is_made))
}

fn relations(checker: &mut Checker<'_>) {
    let relations = checker.relations;
    let mut order: Vec<Symbol> = Vec::new();
    let mut by_name: FxHashMap<Symbol, Vec<Usage<'_>>> = FxHashMap::default();
    for relation in relations.all.iter().filter(|relation| relation.keyword.is_none()) {
        let all = occurrences(checker, &relation.heads, &relation.uses);
        let Some(&first) = all.iter().min_by_key(|atom| atom.span) else { continue };
        let usages = by_name.entry(relation.name).or_default();
        if usages.is_empty() {
            order.push(relation.name);
        }
        let is_made = !relation.heads.is_empty();
        usages.push(Usage { arity: relation.arity, count: all.len(), is_made, first, kinds: Vec::new() });
    }
    for symbol in order {
        let usages = &by_name[&symbol];
        let Some(meant) = meant(usages) else { continue };
        let name = checker.description.name(symbol);
        for odd in usages.iter().filter(|usage| usage.arity != meant.arity) {
            let diagnostic = Diagnostic::error(
                "relation-arity",
                odd.first.span,
                format!("`{name}` is used with {} here and with {} elsewhere", count(odd.arity), meant.arity),
            )
            .and_at(meant.first.span, format!("with {} here", count(meant.arity)))
            .help("these are two different relations; give both the same number of arguments or rename one");
            let is_longer = odd.arity == meant.arity + 1;
            let diagnostic = if is_longer { joined(checker, odd.first, diagnostic) } else { diagnostic };
            checker.report(Weight::Breach, diagnostic);
        }
    }
}

fn functions(checker: &mut Checker<'_>) {
    let description = checker.description;
    let mut order: Vec<Symbol> = Vec::new();
    let mut by_name: FxHashMap<Symbol, Vec<Usage<'_>>> = FxHashMap::default();
    let mut last = vec![usize::MAX; description.terms.len()];
    let mut stack = Vec::new();
    for (number, rule) in description.rules.iter().enumerate() {
        for atom in std::iter::once(&rule.head).chain(rule.body.iter().filter_map(|l| Some(atom_of(l)?.0))) {
            let keyword = Keyword::of(description.name(atom.relation));
            let kind = |index: usize| Kind::of(description, keyword, atom, index);
            stack.extend(atom.args.iter().enumerate().rev().map(|(index, &arg)| (arg, kind(index))));
            while let Some((term, kind)) = stack.pop() {
                // A term counts once in each rule.
                if std::mem::replace(&mut last[term.index()], number) == number {
                    continue;
                }
                let Term::Compound(function, args) = description.terms.get(term) else { continue };
                stack.extend(args.iter().rev().map(|&arg| (arg, Kind::Part)));
                let usages = by_name.entry(*function).or_default();
                if usages.is_empty() {
                    order.push(*function);
                }
                let arity = args.len();
                if let Some(usage) = usages.iter_mut().find(|usage| usage.arity == arity) {
                    usage.add(kind);
                } else {
                    usages.push(Usage { arity, count: 1, is_made: false, first: atom, kinds: vec![kind] });
                }
            }
        }
    }
    for symbol in order {
        let usages = &by_name[&symbol];
        let Some(meant) = meant(usages) else { continue };
        let name = description.name(symbol);
        for odd in usages.iter().filter(|usage| usage.arity != meant.arity) {
            // The specification forbids two numbers of arguments also where it is harmless.
            if checker.strictness < Strictness::Strict && !odd.meets(meant) {
                continue;
            }
            let diagnostic = Diagnostic::error(
                "function-arity",
                term_span(checker, odd.first, name, odd.arity),
                format!(
                    "the function `{name}` is used with {} here and with {} elsewhere",
                    count(odd.arity),
                    meant.arity
                ),
            )
            .and_at(
                term_span(checker, meant.first, name, meant.arity),
                format!("with {} here", count(meant.arity)),
            )
            .help("terms of different length never match; give both the same number of arguments");
            checker.report(Weight::Breach, diagnostic);
        }
    }
}

/// The bytes of the name of the first term in `atom` that applies the function `name` to `arity` arguments.
fn term_span(checker: &Checker<'_>, atom: &Atom, name: &str, arity: usize) -> Span {
    let source = &checker.description.source;
    let find = || {
        let tree = sexpr::read(&source[atom.span.range()]).ok()?;
        let root = tree.roots().next()?;
        let is_meant = |&(node, _): &(sexpr::NodeId, sexpr::NodeId)| {
            tree.head(node) == Some(name) && tree.children(node).count() == arity + 1
        };
        let (node, _) = tree.subtree(root).find(is_meant)?;
        let Span { start, end } = tree.span(tree.children(node).next()?);
        Some(Span { start: atom.span.start + start, end: atom.span.start + end })
    };
    find().unwrap_or_else(|| checker.find_word(atom.span, name))
}

/// The ways to mend the finding `finding` about a number of arguments that is one too large or too small: the
/// edits, with the text that results in the place of the term or atom. An argument that is missing can be a
/// variable of the rule or a constant that stands at this place elsewhere.
pub(super) fn repairs(description: &Description, finding: &Diagnostic) -> Vec<(Vec<Edit>, String)> {
    if !finding.edits.is_empty() {
        return vec![(finding.edits.clone(), String::new())];
    }
    let source = &description.source;
    let Some(rule) = description
        .rules
        .iter()
        .find(|rule| rule.span.start <= finding.span.start && finding.span.end <= rule.span.end)
    else {
        return Vec::new();
    };
    let Ok(here) = sexpr::read(&source[rule.span.range()]) else { return Vec::new() };
    let at = |tree: &sexpr::SyntaxTree<'_>, node, offset: usize| {
        let Span { start, end } = tree.span(node);
        Span { start: start + offset, end: end + offset }
    };
    let Some(root) = here.roots().next() else { return Vec::new() };
    // The finding is at the atom or at the name of the term.
    let starts = |node: sexpr::NodeId| {
        here.is_list(node)
            && (at(&here, node, rule.span.start).start == finding.span.start
                || here.children(node).next().is_some_and(|n| at(&here, n, rule.span.start) == finding.span))
    };
    let Some((list, _)) = here.subtree(root).find(|&(node, _)| starts(node)) else { return Vec::new() };
    let members: Vec<Span> = here.children(list).map(|node| at(&here, node, rule.span.start)).collect();
    let arity = members.len() - 1;
    let text = |span: Span| String::from_utf8_lossy(&source[span.range()]).into_owned();
    let mut texts: Vec<String> = members.iter().map(|&span| text(span)).collect();
    let Some(wanted) = wanted(finding, &texts[0]) else { return Vec::new() };
    let mut out = Vec::new();
    if wanted + 1 == arity {
        for index in 1..=arity {
            let removed = texts.remove(index);
            let cut = Span { start: members[index - 1].end, end: members[index].end };
            let edit = Edit { span: cut, text: String::new() };
            out.push((vec![edit], format!("({})", texts.join(" "))));
            texts.insert(index, removed);
        }
    } else if wanted == arity + 1 {
        let mut words: Vec<String> = Vec::new();
        let variables = Lexer::within(source, rule.span).filter(|token| token.kind == TokenKind::Word);
        for token in variables.filter(|token| source[token.span.start] == b'?') {
            let word = text(token.span);
            if !words.contains(&word) && words.len() < VARIABLES {
                words.push(word);
            }
        }
        if rule.body.is_empty() {
            // A fact has no variables.
            words.clear();
        }
        // The arguments of a fact are examples of constants.
        words.extend(examples(description, &texts[0], wanted));
        for index in 1..=wanted {
            for word in &words {
                let place = Span { start: members[index - 1].end, end: members[index - 1].end };
                let edit = Edit { span: place, text: format!(" {word}") };
                texts.insert(index, word.clone());
                out.push((vec![edit], format!("({})", texts.join(" "))));
                texts.remove(index);
            }
        }
    }
    out
}

/// The number of arguments that `name` should have.
fn wanted(finding: &Diagnostic, name: &str) -> Option<usize> {
    if let Some(keyword) = Keyword::of(name) {
        return Some(keyword.arity());
    }
    let wanted = finding.labels.first()?.text.strip_prefix("with ")?.split(' ').next()?;
    if wanted == "no" { Some(0) } else { wanted.parse().ok() }
}

/// The constants in the first fact, or term of a fact, that applies `name` to `arity` arguments.
fn examples(description: &Description, name: &str, arity: usize) -> Vec<String> {
    let constants = |args: &[TermId]| -> Vec<String> {
        let mut words: Vec<String> = args.iter().map(|&arg| description.term_text(arg)).collect();
        words.dedup();
        words.truncate(VARIABLES);
        words
    };
    for rule in description.rules.iter().filter(|rule| rule.body.is_empty()) {
        let head = &rule.head;
        if description.name(head.relation) == name && head.args.len() == arity {
            return constants(&head.args);
        }
        for &arg in &head.args {
            match description.terms.get(arg) {
                Term::Compound(function, args)
                    if description.name(*function) == name && args.len() == arity =>
                {
                    return constants(args);
                }
                _ => {}
            }
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepts, findings, findings_at};
    use crate::Strictness;

    #[test]
    fn keywords_have_their_arity_at_every_level() {
        for strictness in [Strictness::Lenient, Strictness::Strict] {
            assert_eq!(findings_at(strictness, "(goal white)"), ["error keyword-arity (goal white)"]);
        }
        accepts("(<= (terminal) (true (step 2)))");
    }

    #[test]
    fn a_parenthesis_behind_a_keyword_is_told() {
        let all = crate::diagnose(b"(role white) (<= terminal true(step 1))", Strictness::Default);
        let finding = all.iter().find(|finding| finding.code == "keyword-arity").expect("the finding");
        assert_eq!(finding.message, "`true` takes 1 argument, not none");
        assert_eq!(finding.help.as_deref(), Some("the `(` stands before the name: `(true PROPOSITION)`"));
    }

    #[test]
    fn other_names_are_told_apart_by_arity() {
        let rules = "(p 1) (<= (next (step 3)) (p 1) (p 1 (step 1 1))) (p 1 1)";
        assert_eq!(
            findings(rules),
            ["warning relation-arity (p 1 (step 1 1))", "warning function-arity step"]
        );
        assert_eq!(findings_at(Strictness::Strict, rules)[0], "error relation-arity (p 1 (step 1 1))");
    }

    #[test]
    fn terms_that_are_never_compared_may_differ_in_their_number_of_arguments() {
        let of_functions = |strictness, rules: &str| -> usize {
            let all = findings_at(strictness, rules);
            all.iter().filter(|finding| finding.contains("function-arity")).count()
        };
        for rules in [
            "(<= (sees white (step ?x 1)) (true (step ?x)))",
            "(<= (legal white (step ?x 1)) (true (step ?x)))",
            "(role black) (legal white (put 1)) (legal black (put 1 1))",
        ] {
            assert_eq!(of_functions(Strictness::Default, rules), 0, "{rules}");
            assert_eq!(of_functions(Strictness::Strict, rules), 1, "{rules}");
        }
        for rules in [
            "(<= (next (step ?x 1)) (true (step ?x)))",
            "(<= (next (last (put ?x))) (does white (put ?x ?x)))",
            "(role black) (legal white (put 1)) (<= (legal ?r (put 1 1)) (role ?r))",
        ] {
            assert_eq!(of_functions(Strictness::Default, rules), 1, "{rules}");
        }
    }

    #[test]
    fn a_variable_that_a_blank_splits_is_joined() {
        let text = b"(role white) (<= (legal ? r go) (role ? r))";
        let all = crate::diagnose(text, Strictness::Default);
        let split: Vec<&crate::Diagnostic> =
            all.iter().filter(|finding| finding.code == "keyword-arity").collect();
        let helps: Vec<Option<&str>> = split.iter().map(|finding| finding.help.as_deref()).collect();
        assert_eq!(helps, [Some("did you mean `(legal ?r go)`?"), Some("did you mean `(role ?r)`?")]);
        let edits: Vec<crate::Edit> = split.iter().flat_map(|finding| finding.edits.clone()).collect();
        assert_eq!(crate::diagnostic::apply(&edits, text), b"(role white) (<= (legal ?r go) (role ?r))");
    }

    #[test]
    fn a_relation_and_a_function_may_share_a_name() {
        accepts("(<= (step 1 2) (true (step 1))) (<= (next (step 3)) (step 1 2))");
    }
}
