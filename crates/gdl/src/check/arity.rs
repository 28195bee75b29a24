//! Checks that each relation and each function has the same number of arguments everywhere.
//!
//! Section 2 of the specification gives each symbol one arity. A keyword with another arity cannot be
//! evaluated. Any other name that is used with two arities stands for two different relations or functions,
//! so the rules can still be evaluated.

use super::{Checker, Weight, atom_of};
use crate::ast::{Atom, Description, Span, Term, TermId};
use crate::diagnostic::{Diagnostic, Edit};
use crate::keyword::Keyword;
use crate::lexer::{Lexer, TokenKind};
use crate::sexpr;
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;

/// The maximum number of variables of a rule that are tried as a missing argument.
const VARIABLES: usize = 6;

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
            let message = format!(
                "`{}` takes {}, not {}",
                keyword.name(),
                count(keyword.arity()),
                count(relation.arity).trim_end_matches(" arguments").trim_end_matches(" argument")
            );
            let diagnostic = Diagnostic::error("keyword-arity", atom.span, message).help(keyword.usage());
            checker.report(Weight::Fatal, diagnostic);
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
        usages.push(Usage { arity: relation.arity, count: all.len(), is_made, first });
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
            stack.extend(atom.args.iter().rev().copied());
            while let Some(term) = stack.pop() {
                // A term counts once in each rule.
                if std::mem::replace(&mut last[term.index()], number) == number {
                    continue;
                }
                let Term::Compound(function, args) = description.terms.get(term) else { continue };
                stack.extend(args.iter().rev().copied());
                let usages = by_name.entry(*function).or_default();
                if usages.is_empty() {
                    order.push(*function);
                }
                match usages.iter_mut().find(|usage| usage.arity == args.len()) {
                    Some(usage) => usage.count += 1,
                    None => {
                        usages.push(Usage { arity: args.len(), count: 1, is_made: false, first: atom });
                    }
                }
            }
        }
    }
    for symbol in order {
        let usages = &by_name[&symbol];
        let Some(meant) = meant(usages) else { continue };
        let name = description.name(symbol);
        for odd in usages.iter().filter(|usage| usage.arity != meant.arity) {
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
    fn other_names_are_told_apart_by_arity() {
        let rules = "(p 1) (<= (next (step 3)) (p 1) (p 1 (step 1 1))) (p 1 1)";
        assert_eq!(
            findings(rules),
            ["warning relation-arity (p 1 (step 1 1))", "warning function-arity step"]
        );
        assert_eq!(findings_at(Strictness::Strict, rules)[0], "error relation-arity (p 1 (step 1 1))");
    }

    #[test]
    fn a_relation_and_a_function_may_share_a_name() {
        accepts("(<= (step 1 2) (true (step 1))) (<= (next (step 3)) (step 1 2))");
    }
}
