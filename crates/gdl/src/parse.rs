//! Parses a text to a [`Description`]. The module [`crate::sexpr`] reads the text as nested lists. This
//! module reads the lists as rules and facts.
//!
//! Invariant: the time is linear in the text, apart from the bounded distribution of `or`
//! ([`crate::MAX_ALTERNATIVES`]). Nothing recurses. One pass reports all errors. The grammar is that of the
//! specification, section 2.

use crate::ast::{Description, Rule};
use crate::atoms::{Place, Reader};
use crate::diagnostic::{Diagnostic, ParseErrors};
use crate::foreign;
use crate::keyword::Connective;
use crate::lexer::{Lexer, TokenKind};
use crate::normalise::{Budget, Normaliser};
use crate::sexpr::{NodeId, SyntaxTree, read_forms};
use std::borrow::Cow;

/// The maximum number of heads for which the rules are written out in place of a head with `or` or `and`.
const MAX_SPLIT: usize = 8;

/// Parses a rulesheet.
///
/// # Errors
/// Returns all errors that the parser finds in the text, not only the first.
pub fn parse(kif: &[u8]) -> Result<Description, ParseErrors> {
    parse_forms(kif, false)
}

/// Parses a rulesheet, which may be wrapped in one outer list, as in the START messages of the game protocol:
/// `((role white) (<= terminal …) …)`.
///
/// # Errors
/// Fails for the same reasons as [`parse`].
pub fn parse_rules(kif: &[u8]) -> Result<Description, ParseErrors> {
    let mut tokens = Lexer::new(kif).map(|t| t.kind).filter(|&k| k != TokenKind::Comment);
    let wrapped = tokens.next() == Some(TokenKind::Open) && tokens.next() != Some(TokenKind::Word);
    parse_forms(kif, wrapped)
}

fn parse_forms(kif: &[u8], wrapped: bool) -> Result<Description, ParseErrors> {
    let (description, errors) = read(kif, wrapped);
    if errors.is_empty() { Ok(description) } else { Err(errors) }
}

/// The rules and facts that can be read, and the errors in the others.
pub(crate) fn read(kif: &[u8], wrapped: bool) -> (Description, ParseErrors) {
    let mut errors = ParseErrors::default();
    let mut text = Cow::Borrowed(kif);
    if !wrapped && let Some((rounded, finding)) = foreign::square_brackets(kif) {
        text = Cow::Owned(rounded);
        errors.push(finding);
    }
    let tree = read_forms(&text, Some(usize::from(wrapped)), &mut errors);
    let description = Description { source: kif.to_vec(), ..Description::default() };
    let mut reader = Reader { tree: &tree, description, errors };
    let mut budget = Budget::for_text(kif.len());
    let mut torn = reader.errors.broken.clone();
    torn.sort_unstable();
    let passages = if wrapped { Vec::new() } else { foreign::passages(&tree) };
    for root in tree.roots() {
        if wrapped && tree.is_list(root) {
            for child in tree.children(root) {
                form_or_error(&mut reader, &mut budget, child);
            }
        } else if !foreign::is_in(&passages, tree.span(root)) {
            // A form with a word that cannot be read is read for its further errors.
            let span = tree.span(root);
            let next = torn.partition_point(|part| part.end <= span.start);
            if torn.get(next).is_some_and(|part| part.start < span.end) {
                reader.errors.breaks(span);
            }
            form_or_error(&mut reader, &mut budget, root);
        }
    }
    for passage in passages {
        reader.errors.push(passage.finding);
        reader.errors.breaks(passage.span);
    }
    (reader.description, reader.errors)
}

/// Parses a rule or a fact, and notes it if it has errors.
fn form_or_error(reader: &mut Reader<'_>, budget: &mut Budget, node: NodeId) {
    let before = reader.errors.mark();
    form(reader, budget, node);
    if reader.errors.mark() != before {
        reader.errors.breaks(reader.tree.span(node));
    }
}

/// Parses a rule or a fact. Adds the rules that result from it to the reader's description.
fn form(reader: &mut Reader<'_>, budget: &mut Budget, node: NodeId) {
    let tree = reader.tree;
    let span = tree.span(node);
    let is_rule = tree.is_list(node) && tree.head(node) == Some(Connective::If.name());
    if !is_rule {
        if let Some(error) = foreign::arrow(tree, node, true) {
            reader.errors.push(error);
            return;
        }
        if let Some(head) = reader.atom(node, Place::Fact) {
            reader.description.rules.push(Rule { head, body: Vec::new(), span });
        }
        return;
    }
    let mut members = tree.children(node).skip(1);
    let Some(head) = members.next() else {
        reader.errors.push(
            Diagnostic::error("rule-without-head", span, "a rule without a head")
                .help(format!("a rule is written `{}`", Connective::If.syntax())),
        );
        return;
    };
    if let Some(rules) = split_head(tree, node, head) {
        let name = tree.children(head).next().map_or(span, |name| tree.span(name));
        let word = tree.head(head).unwrap_or_default().to_lowercase();
        reader.errors.push(
            Diagnostic::error("misplaced-connective", name, format!("`{word}` cannot be the head of a rule"))
                .help(format!(
                    "write one rule for each: `{}`",
                    rules.join("` and `").split_ascii_whitespace().collect::<Vec<_>>().join(" ")
                ))
                .edit(span, rules.join("\n")),
        );
        return;
    }
    if let Some(error) = foreign::arrow(tree, head, false) {
        reader.errors.push(error);
        return;
    }
    let head = reader.atom(head, Place::Head);
    let mut normaliser = Normaliser::default();
    for condition in members {
        normaliser.add_condition(reader, condition);
    }
    if let Some(head) = head
        && normaliser.is_sound()
    {
        normaliser.expand(reader, &head, span, budget);
    }
}

/// The rules to write in place of a rule whose head is `or` or `and` of several heads. `None` for any other rule.
fn split_head(tree: &SyntaxTree<'_>, rule: NodeId, head: NodeId) -> Option<Vec<String>> {
    if !tree.is_list(head)
        || !matches!(Connective::of(tree.head(head)?), Some(Connective::Or | Connective::And))
    {
        return None;
    }
    let text = |node: NodeId| String::from_utf8_lossy(tree.text(node)).into_owned();
    let body: String = tree.children(rule).skip(2).map(|node| format!(" {}", text(node))).collect();
    let heads = tree.children(head).skip(1).take(MAX_SPLIT + 1);
    let rules: Vec<String> = heads.map(|head| format!("(<= {}{body})", text(head))).collect();
    (1..=MAX_SPLIT).contains(&rules.len()).then_some(rules)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::Literal;

    fn rules(kif: &str) -> Vec<String> {
        let description = parse(kif.as_bytes()).unwrap();
        let text = |literal: &Literal| match literal {
            Literal::Positive(atom) => description.atom_text(atom),
            Literal::Negative(atom) => format!("~{}", description.atom_text(atom)),
            Literal::Distinct(l, r, _) => {
                format!("{}!={}", description.term_text(*l), description.term_text(*r))
            }
        };
        let rule = |rule: &Rule| {
            let body: Vec<_> = rule.body.iter().map(text).collect();
            format!("{} :- {}", description.atom_text(&rule.head), body.join(" "))
        };
        description.rules.iter().map(rule).collect()
    }

    fn codes(kif: &str) -> Vec<&'static str> {
        parse(kif.as_bytes()).unwrap_err().into_diagnostics().iter().map(|d| d.code).collect()
    }

    #[test]
    fn keywords_are_case_blind_and_other_names_are_not() {
        assert_eq!(
            rules("(ROLE White)(Init (Cell LEGAL))\r(<= (TERMINAL) (True (lock)) Terminal)"),
            ["(role White) :- ", "(init (Cell LEGAL)) :- ", "terminal :- (true (lock)) terminal"]
        );
    }

    #[test]
    fn conditions_become_alternatives() {
        assert_eq!(
            rules("(<= p (or a (and b (not (or c (not d))))) (not (and e f)))"),
            ["p :- a ~e", "p :- a ~f", "p :- b ~c d ~e", "p :- b ~c d ~f"]
        );
        assert_eq!(rules("(<= p)"), ["p :- "]);
        assert_eq!(rules("(<= p (not (not (distinct a b))))"), ["p :- a!=b"]);
    }

    #[test]
    fn not_distinct_is_equality() {
        assert_eq!(rules("(<= (p ?x) (q ?x ?y) (not (distinct ?x ?y)))").len(), 1);
        assert_eq!(
            rules("(<= (p ?x ?y) (q ?x ?y) (not (distinct ?x (f ?y))))"),
            ["(p (f ?y) ?y) :- (q (f ?y) ?y)"]
        );
        assert_eq!(rules("(<= p q (not (distinct a b)))"), Vec::<String>::new());
        assert_eq!(rules("(<= p q (not (distinct a a)))"), ["p :- q"]);
        assert_eq!(rules("(<= p (q ?x) (not (distinct ?x (f ?x))))"), Vec::<String>::new());
        assert_eq!(rules("(<= p (q ?x ?y) (not (distinct ?x (f ?y))) (not (distinct ?y (f ?x))))").len(), 0);
    }

    #[test]
    fn an_equality_cannot_explode() {
        let equal = |i: usize| format!("(not (distinct ?x{} (f ?x{i} ?x{i})))", i - 1);
        let equations: String = (1..65).map(equal).collect();
        assert_eq!(codes(&format!("(<= (p ?x0) (q ?x0 ?x64) {equations})")), ["term-too-large"]);
    }

    #[test]
    fn alternatives_are_bounded() {
        let ors = |n: usize| format!("(<= p {})", "(or a b)".repeat(n));
        assert_eq!(rules(&ors(12)).len(), 4096);
        assert_eq!(codes(&ors(13)), ["too-many-alternatives"]);
        assert!(codes(&ors(12).repeat(100)).contains(&"too-many-alternatives"));
    }

    #[test]
    fn alternatives_are_bounded_by_their_arguments() {
        let wide = format!("(<= p {} (q {}))", "(or a b)".repeat(12), "a ".repeat(1000));
        assert_eq!(codes(&wide), ["too-many-alternatives"]);
        // Each alternative has another term with 600 arguments.
        let either = |i: usize| format!("(or (not (distinct ?x{i} a)) (not (distinct ?x{i} b)))");
        let ors: String = (0..12).map(either).collect();
        let variables: String = (0..12).map(|i| format!("?x{i} ")).collect();
        let equal = format!("(<= p {ors} (q (f {})))", variables.repeat(50));
        assert_eq!(codes(&equal), ["too-many-alternatives"]);
    }

    #[test]
    fn deep_nests_are_read() {
        for (open, inner, close) in [("(not ", "q", ")"), ("(or (and ", "q", "))"), ("", "(r (s))", "")] {
            let text = format!("(<= p {}{inner}{})", open.repeat(20_000), close.repeat(20_000));
            assert!(!rules(&text).is_empty());
        }
        let text = format!("(p {}a{})", "(f ".repeat(50_000), ")".repeat(50_000));
        assert_eq!(rules(&text).len(), 1);
    }

    #[test]
    fn all_errors_are_found_at_once() {
        assert_eq!(
            codes("(<= p (not a b)) ) (q ()) (<=) (<= p (q \n(<= r s) (?x) (<= t"),
            [
                "connective-arity",
                "surplus-parenthesis",
                "empty-list",
                "rule-without-head",
                "unclosed-parenthesis",
                "variable-as-relation",
                "unclosed-parenthesis"
            ]
        );
    }

    #[test]
    fn rules_may_stand_in_a_list() {
        let description = parse_rules(b" ; x\n( (role x) terminal (<= p q))").unwrap();
        assert_eq!(description.rules.len(), 3);
        assert_eq!(parse_rules(b"()").unwrap().rules.len(), 0);
        assert_eq!(parse_rules(b"(role x) (<= p q)").unwrap().rules.len(), 2);
        assert!(parse_rules(b"((role x) (<= p q)").is_err());
    }

    #[test]
    fn comments_may_hold_any_bytes() {
        assert_eq!(parse(b"; \xff\xfe\r(p) ; \x80").unwrap().rules.len(), 1);
        assert!(parse(b"(p \xff)").is_err());
    }
}
