//! Stratification: no relation may depend on its own negation.
//!
//! The specification, section 3, states this condition for whole relations. This check first splits each
//! relation by the constant arguments of its atoms. The split keeps the meaning of programs and lets the
//! check accept more of them: six published games define `(goal ?r 0)` by negating `(goal ?r 100)`.

use super::dependency::Dependencies;
use super::{Checker, Weight, atom_of};
use crate::diagnostic::Diagnostic;
use rustc_hash::FxHashSet;

/// The maximum number of findings that show the rules on their cycle. Further findings show only the negated
/// condition, since each search for a cycle takes time linear in the size of the dependency graph.
const TRACED: usize = 20;
/// The maximum number of rules on a cycle that one diagnostic shows.
const SHOWN_STEPS: usize = 4;

pub(super) fn check(checker: &mut Checker<'_>, patterns: &Dependencies, whole: &Dependencies) {
    let mut traced = 0;
    let mut cycles: FxHashSet<usize> = FxHashSet::default();
    let mut components: FxHashSet<usize> = FxHashSet::default();
    for (r, rule) in checker.rules() {
        for (l, literal) in rule.body.iter().enumerate() {
            let Some((atom, true)) = atom_of(literal) else { continue };
            let (text, head) = (checker.text(atom), checker.text(&rule.head));
            if patterns.in_cycle(r, l) {
                // Each cycle is reported once.
                if !cycles.insert(patterns.component(r)) {
                    continue;
                }
                let message =
                    format!("negation through recursion: `{text}` is negated for `{head}` and depends on it");
                let mut diagnostic = Diagnostic::error("unstratified", atom.span, message)
                    .labelled(format!("`{head}` holds only if this does not"))
                    .help(
                        "what is negated must be known first: break the cycle, \
                         or keep the cases apart by a constant argument",
                    );
                traced += 1;
                if traced <= TRACED {
                    for (rule, literal) in patterns.way_back(r, l).into_iter().take(SHOWN_STEPS) {
                        let rule = &checker.description.rules[rule];
                        let head = checker.text(&rule.head);
                        diagnostic =
                            diagnostic.and_at(rule.body[literal].span(), format!("`{head}` depends on this"));
                    }
                }
                checker.report(Weight::Fatal, diagnostic);
            } else if whole.in_cycle(r, l) && components.insert(whole.component(r)) {
                let name = checker.description.name(atom.relation);
                let message = format!(
                    "`{name}` is negated on the way to itself; only constant arguments keep the cases apart"
                );
                let diagnostic = Diagnostic::error("stratified-by-constants", atom.span, message)
                    .help("the specification does not allow this; move one case into a relation of its own");
                checker.report(Weight::Breach, diagnostic);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepts, findings, findings_at};
    use crate::Strictness;

    #[test]
    fn constants_keep_cases_apart() {
        let rules = "(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))";
        assert_eq!(findings(rules), ["warning stratified-by-constants (goal ?r 100)"]);
        let strict = findings_at(Strictness::Strict, rules);
        assert_eq!(strict, ["error stratified-by-constants (goal ?r 100)"]);
        // Functions of moves keep cases apart too, but functions in other relations do not.
        let rules = "(<= (legal ?r pass) (role ?r) (not (legal ?r (mark 1))))";
        assert_eq!(findings(rules), ["warning stratified-by-constants (legal ?r (mark 1))"]);
        let rules = "(<= (p (f ?x)) (q ?x) (not (p (g ?x)))) (<= (p (g ?x)) (q ?x)) (q 1)";
        assert_eq!(findings(rules), ["error unstratified (p (g ?x))"]);
    }

    #[test]
    fn variables_do_not() {
        let rules = "(<= (goal ?r ?n) (role ?r) (n ?n) (not (goal ?r 100))) (n 0)";
        for strictness in [Strictness::Lenient, Strictness::Default, Strictness::Strict] {
            let errors = findings_at(strictness, rules);
            assert_eq!(errors, ["error unstratified (goal ?r 100)"], "{strictness:?}");
        }
    }

    #[test]
    fn the_state_is_an_input() {
        accepts("(<= (next (open)) (not (true (open)))) (<= (next (open)) (not (does white go)))");
    }

    #[test]
    fn a_long_ring_is_found() {
        let ring: Vec<String> = (0..20_000).map(|i| format!("(<= p{} p{i})", i + 1)).collect();
        let rules = format!("{} (<= p0 (not p20000))", ring.concat());
        assert_eq!(findings(&rules), ["error unstratified p20000"]);
    }
}
