//! Signs of other languages in place of `<=` and `;`: arrows of rules, and comments.
//!
//! Invariant: a name that the conditions of a rulesheet use is no such sign, and a fact is taken for a rule only if it
//! names a keyword or a variable, which a fact cannot use. The time is linear in the text.

use crate::ast::Span;
use crate::diagnostic::Diagnostic;
use crate::keyword::{Connective, Keyword};
use crate::sexpr::{NodeId, SyntaxTree};
use rustc_hash::FxHashSet;

/// The signs with which rules are written in other languages.
const ARROWS: [&str; 14] = [
    "=>", "==>", "->", "-->", "<-", "<--", "<==", ":-", ":=", "if", "\u{21d0}", "\u{2190}", "\u{2264}",
    "\u{27f8}",
];
/// Parts of `<=`, and signs that resemble it. They can be relations of numbers.
const PARTS: [&str; 3] = ["<", "=", "=<"];
/// The signs with which comments begin in other languages.
pub(crate) const COMMENTS: [&str; 5] = ["//", BLOCK, "#", "--", "%"];
/// The sign of a comment that goes on to `*/`.
const BLOCK: &str = "/*";

/// How a comment is written.
pub(crate) const COMMENT_HELP: &str = "a comment begins with `;` and goes to the end of the line";

/// A comment with a sign of another language.
#[derive(Debug)]
pub(crate) struct Comment {
    /// The bytes that are not read: all forms that begin in the comment.
    pub(crate) span: Span,
    /// The finding about it.
    pub(crate) finding: Diagnostic,
}

/// The comments with signs of other languages, in the order of the text. Only a word that stands on its own begins one.
pub(crate) fn comments(tree: &SyntaxTree<'_>) -> Vec<Comment> {
    let source = tree.source();
    let is_line_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let mut comments = Vec::new();
    let mut listed: Option<FxHashSet<&str>> = None;
    // An end that the rest of the text lacks is not searched for again.
    let mut has_ends = true;
    let mut roots = tree.roots().peekable();
    while let Some(root) = roots.next() {
        let Some(word) = tree.word(root) else { continue };
        let Some(sign) = COMMENTS.into_iter().find(|sign| word.starts_with(*sign)) else { continue };
        let Span { start, end: mut unread } = tree.span(root);
        let behind = start + sign.len();
        let mut end = None;
        if sign == BLOCK && has_ends {
            end = source[behind..].windows(2).position(|two| two == b"*/").map(|at| behind + at + 2);
            has_ends = end.is_some();
        }
        let line_end = || source[start..].iter().position(is_line_end).map_or(source.len(), |at| start + at);
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
        let message = format!("`{sign}` begins no comment: the words behind it are read as facts");
        let mut finding = Diagnostic::error("foreign-sign", Span { start, end: unread.min(end) }, message)
            .help(COMMENT_HELP);
        if !source[start..unread].iter().any(is_line_end) {
            finding = finding.edit(Span { start, end: behind }, ";");
        }
        comments.push(Comment { span: Span { start, end: unread }, finding });
    }
    comments
}

/// Whether one of `comments`, which are in the order of the text, holds the form `span`.
pub(crate) fn is_in(comments: &[Comment], span: Span) -> bool {
    let next = comments.partition_point(|comment| comment.span.end <= span.start);
    comments.get(next).is_some_and(|comment| comment.span.start <= span.start)
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
    fn found(rules: &str) -> Vec<Diagnostic> {
        diagnose(format!("{rules}\n{GAME}").as_bytes(), Strictness::Default)
    }

    /// The marked text and the text after the edits of the only finding, which is about a sign.
    #[track_caller]
    fn only(rules: &str) -> (String, String) {
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
    fn a_name_that_conditions_use_begins_no_comment() {
        let all = found("-- // (<= (goal white 50) -- // (true (step 1)))");
        assert!(all.iter().all(|finding| finding.code != "foreign-sign"), "{all:?}");
    }
}
