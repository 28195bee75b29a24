//! Reports rules that repeat an earlier rule, up to the names of variables and the order of conditions.

use super::{Checker, Weight};
use crate::ast::{Description, Literal, Rule, Span, Term, TermId};
use crate::diagnostic::Diagnostic;
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Rules whose text is longer than this are not compared, so that the memory stays linear in the text.
const LONGEST: usize = 20_000;
/// The maximum number of rules that are reported. A text that repeats itself as a whole has many.
const REPORTED: usize = 20;

pub(super) fn check(checker: &mut Checker<'_>) {
    let description = checker.description;
    let mut first: FxHashMap<String, Span> = FxHashMap::default();
    let mut left = REPORTED;
    // The alternatives of a source rule follow each other and have the same span.
    for alternatives in description.rules.chunk_by(|a, b| a.span == b.span) {
        let span = alternatives[0].span;
        if span.end - span.start > LONGEST {
            continue;
        }
        let mut key = String::new();
        for rule in alternatives {
            canonical(description, rule, &mut key);
        }
        let Some(&earlier) = first.get(&key) else {
            first.insert(key, span);
            continue;
        };
        if left == 0 {
            return;
        }
        left -= 1;
        let what = if alternatives[0].body.is_empty() { "fact" } else { "rule" };
        let source = &description.source;
        let same_text = source[span.range()] == source[earlier.range()];
        let how = if same_text || what == "fact" { "" } else { " in other words" };
        let message = format!("this {what} repeats an earlier one{how}");
        let diagnostic = Diagnostic::warning("duplicate-rule", span, message)
            .and_at(earlier, "the same stands here")
            .help("remove one of them; a second one adds nothing")
            .edit(with_line_end(source, span), "");
        checker.report(Weight::Lint, diagnostic);
    }
}

/// The bytes `span`, and the line end after it if nothing else stands on its lines.
fn with_line_end(source: &[u8], span: Span) -> Span {
    let starts_line = span.start == 0 || matches!(source[span.start - 1], b'\n' | b'\r');
    let rest = &source[span.end..];
    let end = match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        _ => 0,
    };
    Span { start: span.start, end: span.end + if starts_line { end } else { 0 } }
}

/// Appends a text of `rule` that is the same for rules that differ in the names of variables and, in most
/// cases, in the order of conditions.
fn canonical(description: &Description, rule: &Rule, out: &mut String) {
    // Order the conditions by their texts without the names of variables.
    let mut order: Vec<(String, &Literal)> = Vec::with_capacity(rule.body.len());
    for literal in &rule.body {
        let mut text = String::new();
        write_literal(description, literal, &mut |_| 0, &mut text);
        order.push((text, literal));
    }
    order.sort_by(|a, b| a.0.cmp(&b.0));
    let mut numbers: FxHashMap<Symbol, usize> = FxHashMap::default();
    let mut number = |variable: Symbol| {
        let next = numbers.len();
        *numbers.entry(variable).or_insert(next)
    };
    out.push_str(description.name(rule.head.relation));
    write_terms(description, &rule.head.args, &mut number, out);
    for (_, literal) in order {
        write_literal(description, literal, &mut number, out);
    }
    out.push('\n');
}

fn write_literal(
    description: &Description,
    literal: &Literal,
    number: &mut impl FnMut(Symbol) -> usize,
    out: &mut String,
) {
    match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => {
            out.push_str(if matches!(literal, Literal::Positive(_)) { " + " } else { " - " });
            out.push_str(description.name(atom.relation));
            write_terms(description, &atom.args, number, out);
        }
        Literal::Distinct(left, right, _) => {
            out.push_str(" / ");
            write_terms(description, &[*left, *right], number, out);
        }
    }
}

/// Writes terms in prefix form; the number of arguments after each function makes the form unambiguous.
fn write_terms(
    description: &Description,
    terms: &[TermId],
    number: &mut impl FnMut(Symbol) -> usize,
    out: &mut String,
) {
    let mut stack: Vec<TermId> = terms.iter().rev().copied().collect();
    while let Some(term) = stack.pop() {
        // Equalities can build terms that are larger than the text of the rule.
        if out.len() > LONGEST * 4 {
            return;
        }
        match description.terms.get(term) {
            Term::Variable(variable) => {
                let _ = write!(out, " ?{}", number(*variable));
            }
            Term::Constant(constant) => {
                let _ = write!(out, " {}", description.name(*constant));
            }
            Term::Compound(function, args) => {
                let _ = write!(out, " ({}/{}", description.name(*function), args.len());
                stack.extend(args.iter().rev());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::findings_at;
    use crate::Strictness;

    fn findings(rules: &str) -> Vec<String> {
        let mut all = findings_at(Strictness::Default, rules);
        all.retain(|f| f.contains("duplicate-rule"));
        all
    }

    #[test]
    fn names_of_variables_and_order_do_not_matter() {
        let rules = "(<= (p ?x ?y) (q ?x ?y) (q ?y ?x) (not (r ?x))) (q 1 2) (r 1)";
        for same in [
            "(<= (p ?x ?y) (q ?x ?y) (q ?y ?x) (not (r ?x)))",
            "(<= (p ?a ?b) (q ?a ?b) (q ?b ?a) (not (r ?a)))",
            "(<= (p ?a ?b) (not (r ?a)) (q ?a ?b) (q ?b ?a))",
            "(q 1 2)",
        ] {
            assert_eq!(findings(&format!("{rules} {same}")), [format!("warning duplicate-rule {same}")]);
        }
        for other in [
            "(<= (p ?a ?b) (q ?a ?b) (q ?b ?a) (not (r ?b)))",
            "(<= (p ?a ?a) (q ?a ?a) (not (r ?a)))",
            "(q 2 1)",
        ] {
            assert_eq!(findings(&format!("{rules} {other}")), Vec::<String>::new(), "{other}");
        }
        // Alternatives of one rule are one rule.
        assert_eq!(findings("(<= p (or (q 1) (q 1))) (q 1)"), Vec::<String>::new());
    }
}
