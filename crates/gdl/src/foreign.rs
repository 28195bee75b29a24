//! Signs of other languages: arrows of rules and comments, in place of `<=` and `;`, clauses of Prolog, operators between
//! operands, and square brackets.
//!
//! Invariant: a name that the conditions of a rulesheet use is no such sign, and a fact is taken for a rule only if it
//! names a keyword or a variable, which a fact cannot use. The time is linear in the text.

mod brackets;
mod operator;

pub(crate) use brackets::square_brackets;
pub(crate) use operator::{Operator, infix};

use crate::ast::Span;
use crate::diagnostic::Diagnostic;
use crate::keyword::{Connective, Keyword};
use crate::sexpr::{NodeId, SyntaxTree, begins_line};
use rustc_hash::FxHashSet;

/// The signs with which rules are written in other languages.
const ARROWS: [&str; 14] = [
    "=>", "==>", "->", "-->", "<-", "<--", "<==", NECK, ":=", "if", "\u{21d0}", "\u{2190}", "\u{2264}",
    "\u{27f8}",
];
/// The sign between the head and the conditions of a clause of Prolog.
const NECK: &str = ":-";
/// Parts of `<=`, and signs that resemble it. They can be relations of numbers.
const PARTS: [&str; 3] = ["<", "=", "=<"];
/// The signs with which comments begin in other languages.
const COMMENTS: [&str; 5] = ["//", BLOCK, "#", "--", "%"];
/// The sign of a comment that goes on to `*/`.
const BLOCK: &str = "/*";

/// How a comment is written.
const COMMENT_HELP: &str = "a comment begins with `;` and goes to the end of the line";
/// How a clause of Prolog is written in GDL.
const CLAUSE_HELP: &str =
    "GDL writes `(<= (legal ?x noop) (true (control ?y)))` for `legal(X, noop) :- true(control(Y)).`";

/// A passage in another language: a comment or a clause.
#[derive(Debug)]
pub(crate) struct Passage {
    /// The bytes that are not read: all forms that begin in the passage.
    pub(crate) span: Span,
    /// The finding about it.
    pub(crate) finding: Diagnostic,
}

/// The comments with signs of other languages and the clauses of Prolog, in the order of the text. Each takes the rest of
/// its last line. Only a word that stands on its own begins one.
pub(crate) fn passages(tree: &SyntaxTree<'_>) -> Vec<Passage> {
    let source = tree.source();
    let is_line_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let mut passages = Vec::new();
    let mut listed: Option<FxHashSet<&str>> = None;
    // An end that the rest of the text lacks is not searched for again.
    let mut has_ends = true;
    let mut roots = tree.roots().peekable();
    while let Some(root) = roots.next() {
        let Some(word) = tree.word(root) else { continue };
        let Span { start, end: mut unread } = tree.span(root);
        let sign = COMMENTS.into_iter().find(|sign| word.starts_with(*sign));
        let behind = start + sign.map_or(0, str::len);
        let last = sign.map(|_| start).or_else(|| clause_end(tree, root, roots.clone()));
        let Some(last) = last else { continue };
        let mut end = None;
        if sign == Some(BLOCK) && has_ends {
            end = source[behind..].windows(2).position(|two| two == b"*/").map(|at| behind + at + 2);
            has_ends = end.is_some();
        }
        let line_end = || source[last..].iter().position(is_line_end).map_or(source.len(), |at| last + at);
        let end = end.unwrap_or_else(line_end);
        let mut words = vec![word];
        while let Some(next) = roots.next_if(|&next| tree.span(next).start < end) {
            words.extend(tree.word(next));
            unread = tree.span(next).end;
        }
        let listed = listed.get_or_insert_with(|| words_in_lists(tree));
        if words.iter().all(|word| listed.contains(word)) {
            continue;
        }
        let (message, help) = match sign {
            Some(sign) => {
                (format!("`{sign}` begins no comment: the words behind it are read as facts"), COMMENT_HELP)
            }
            None => ("this clause is written in Prolog, not in GDL".to_owned(), CLAUSE_HELP),
        };
        let place = Span { start, end: unread.min(end) };
        let mut finding = Diagnostic::error("foreign-sign", place, message).help(help);
        if sign.is_some() && !source[start..unread].iter().any(is_line_end) {
            finding = finding.edit(Span { start, end: behind }, ";");
        }
        passages.push(Passage { span: Span { start, end: unread }, finding });
    }
    passages
}

/// Where the clause of Prolog ends that begins with the form `first`; `None` if none begins there. `rest` are the forms
/// behind it. A list at the start of a line is no part of a clause.
fn clause_end(tree: &SyntaxTree<'_>, first: NodeId, rest: impl Iterator<Item = NodeId>) -> Option<usize> {
    let word = tree.word(first)?;
    let mut rest = rest.peekable();
    let is_arguments = |&next: &NodeId| tree.is_list(next) && tree.span(next).start == tree.span(first).end;
    let is_applied = rest.next_if(is_arguments).is_some();
    let behind = rest.peek().and_then(|&next| tree.word(next)).unwrap_or_default();
    let is_clause = word.contains(NECK) || behind.starts_with(NECK) || is_applied && behind.starts_with('.');
    if !is_clause {
        return None;
    }
    let is_part = |&next: &NodeId| !tree.is_list(next) || !begins_line(tree.source(), tree.span(next).start);
    let mut last = first;
    while !tree.text(last).ends_with(b".")
        && let Some(next) = rest.next_if(is_part)
    {
        last = next;
    }
    Some(tree.span(last).end)
}

/// Whether one of `passages`, which are in the order of the text, holds the form `span`.
pub(crate) fn is_in(passages: &[Passage], span: Span) -> bool {
    let next = passages.partition_point(|passage| passage.span.end <= span.start);
    passages.get(next).is_some_and(|passage| passage.span.start <= span.start)
}

fn words_in_lists<'a>(tree: &SyntaxTree<'a>) -> FxHashSet<&'a str> {
    let lists = tree.roots().filter(|&root| tree.is_list(root));
    lists.flat_map(|root| tree.subtree(root)).filter_map(|(node, _)| tree.word(node)).collect()
}

/// The finding that `form` is a rule with another sign in place of `<=`, or with its sign behind the head. `is_fact` says
/// whether it stands as a fact; it is the head of a rule otherwise.
pub(crate) fn arrow(tree: &SyntaxTree<'_>, form: NodeId, is_fact: bool) -> Option<Diagnostic> {
    let mut members = tree.children(form);
    let (first, second) = (members.next()?, members.next()?);
    let is_one = |node: NodeId, signs: &[&str]| {
        tree.word(node).is_some_and(|word| signs.iter().any(|sign| sign.eq_ignore_ascii_case(word)))
    };
    let is_arrow = is_one(first, &ARROWS);
    let is_first = is_arrow || is_one(first, &PARTS);
    let is_second = is_one(second, &ARROWS) || is_one(second, &[Connective::If.name()]);
    if !is_first && !is_second {
        return None;
    }
    let names_keyword = |node: NodeId| {
        let is_terminal = |word: &str| Keyword::of(word) == Some(Keyword::Terminal);
        let is_known = |head: &str| Keyword::of(head).is_some() || Connective::of(head).is_some();
        tree.word(node).is_some_and(is_terminal) || tree.head(node).is_some_and(is_known)
    };
    let is_variable = |node: NodeId| tree.word(node).is_some_and(|word| word.starts_with('?'));
    let has_variable = || tree.subtree(form).any(|(node, _)| is_variable(node));
    let is_rule = tree.children(form).any(names_keyword) || is_fact && is_arrow && has_variable();
    if !is_rule {
        return None;
    }
    let is_split = is_one(first, &["<"]) && is_one(second, &["="]);
    let sign = match (is_first, is_split) {
        (true, true) => Span { start: tree.span(first).start, end: tree.span(second).end },
        (true, false) => tree.span(first),
        (false, _) => tree.span(second),
    };
    let text = String::from_utf8_lossy(&tree.source()[sign.range()]);
    let message = if is_first {
        format!("`{text}` begins no rule")
    } else {
        format!("`{text}` stands behind the head of a rule")
    };
    let diagnostic = Diagnostic::error("foreign-sign", sign, message)
        .help(format!("a rule begins with `<=`, and its head comes next: `{}`", Connective::If.syntax()));
    let head = match (is_first, is_split) {
        (true, true) => members.next()?,
        (true, false) => second,
        (false, _) => first,
    };
    // In other languages the conditions can come first.
    let is_condition = tree.head(head).is_some_and(|name| {
        matches!(Keyword::of(name), Some(Keyword::True | Keyword::Does)) || Connective::of(name).is_some()
    });
    Some(if is_condition || !is_fact {
        diagnostic
    } else if is_first {
        diagnostic.edit(sign, Connective::If.name())
    } else {
        let Span { start, end } = tree.span(first);
        diagnostic.edit(Span { start, end: start }, "<= ").edit(Span { start: end, end: sign.end }, "")
    })
}

#[cfg(test)]
mod tests {
    use crate::codes::GAME;
    use crate::diagnostic::apply;
    use crate::{Diagnostic, Strictness, diagnose};

    /// The findings about `rules` before a complete game.
    pub(super) fn found(rules: &str) -> Vec<Diagnostic> {
        diagnose(format!("{rules}\n{GAME}").as_bytes(), Strictness::Default)
    }

    /// The marked text and the text after the edits of the only finding, which is about a sign.
    #[track_caller]
    pub(super) fn only(rules: &str) -> (String, String) {
        let all = found(rules);
        let [finding] = all.as_slice() else { panic!("{rules}: {all:?}") };
        assert_eq!((finding.code, finding.severity.name()), ("foreign-sign", "error"), "{rules}");
        let mended = String::from_utf8(apply(&finding.edits, rules.as_bytes())).unwrap();
        (rules[finding.span.range()].to_owned(), mended)
    }

    #[test]
    fn arrows_of_other_languages_give_one_finding_each() {
        for sign in ["=>", ":-", "<-", "->", "if", "IF", "=", "<", "< =", "=<"] {
            let (marked, mended) = only(&format!("({sign} (goal white 50) (not (true (step 1))))"));
            assert_eq!(
                (marked.as_str(), mended.as_str()),
                (sign, "(<= (goal white 50) (not (true (step 1))))")
            );
        }
        assert_eq!(only("(:- (p ?x) (q ?x))").1, "(<= (p ?x) (q ?x))");
        assert_eq!(only("(terminal <= (true (step 2)))").1, "(<= terminal (true (step 2)))");
        assert_eq!(only("((p ?x) :- (true (step ?x)))").1, "(<= (p ?x) (true (step ?x)))");
        // The conditions come first.
        assert_eq!(only("(=> (true (step 2)) terminal)").1, "(=> (true (step 2)) terminal)");
    }

    #[test]
    fn facts_with_such_names_are_facts() {
        let rules = "(< 1 2) (= a a) (=> a b) (if a b) (<= (goal white 50) (< 2 1) (= b a) (=> b a) (if b a))
            (<= (=> ?x ?y) (if ?x ?y))";
        let all = found(rules);
        assert!(all.iter().all(|finding| finding.code != "foreign-sign"), "{all:?}");
    }

    #[test]
    fn a_rule_without_its_sign_is_recognised() {
        let all = found("((goal white 50) (not (true (step 1))))");
        let help = all[0].help.as_deref().unwrap_or_default();
        assert!(all[0].code == "list-as-name" && help.starts_with("is `<=` missing here"), "{all:?}");
    }

    #[test]
    fn a_comment_of_another_language_gives_one_finding() {
        for sign in ["//", "#", "--", "%", "/*"] {
            let comment = format!("{sign} terminal or not, the game goes on (see below)");
            let (marked, mended) = only(&comment);
            assert_eq!((marked, mended), (comment.clone(), format!("; {}", &comment[sign.len() + 1..])));
        }
        let block = "/* the end:\n(legal white stop)\n comes later */";
        assert_eq!(only(block), (block.to_owned(), block.to_owned()));
        assert_eq!(only("(<= (legal white stay) (true (step 1))) //again").0, "//again");
        assert_eq!(only("// (legal white stop)").1, "; (legal white stop)");
    }

    #[test]
    fn a_clause_of_prolog_gives_one_finding() {
        for clause in [
            "legal(X, noop) :- true(control(Y)).",
            "legal(X, noop) :-\n    role(X),\n    true(control(Y)).",
            "legal(X,noop):-true(control(Y)).",
            "legal(X, noop) :- true(control(Y))",
            "role(red). role(blue).",
            "terminal :- open.",
            ":- dynamic step/1.",
        ] {
            assert_eq!(only(clause), (clause.to_owned(), clause.to_owned()));
        }
        let rules = "role(red).\nrole(blue). % two\nlegal(X, noop) :-\n    role(X).\n(role green)";
        let all = found(rules);
        let clauses = all.iter().filter(|finding| finding.code == "foreign-sign");
        let marked: Vec<&str> = clauses.map(|finding| &rules[finding.span.range()]).collect();
        assert_eq!(marked, ["role(red).", "role(blue). % two", "legal(X, noop) :-\n    role(X)."]);
        assert_eq!(all[0].help.as_deref(), Some(super::CLAUSE_HELP));
    }

    #[test]
    fn names_that_conditions_use_begin_no_clause() {
        let all = found("won(q a). terminal(role red) (<= (goal white 50) (won) (q a) .)");
        assert!(all.iter().all(|finding| finding.code != "foreign-sign"), "{all:?}");
    }

    #[test]
    fn a_name_that_conditions_use_begins_no_comment() {
        let all = found("-- // (<= (goal white 50) -- // (true (step 1)))");
        assert!(all.iter().all(|finding| finding.code != "foreign-sign"), "{all:?}");
    }
}
