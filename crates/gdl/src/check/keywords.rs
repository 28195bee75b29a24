//! Checks that keywords occur only where the specification allows them.
//!
//! `role` is defined by facts only. `init`, `next`, `base`, `input` and `sees` may stand only in heads.
//! `true` and `does` may stand only in bodies. `init`, `base` and `input` must not depend on a state or on
//! moves; `legal`, `goal` and `terminal` must not depend on `does`. These are conditions of the
//! specification, section 3, except that the condition on `sees` comes from Thielscher (2010).

use super::dependency::Dependencies;
use super::{Checker, Weight, atom_of};
use crate::ast::{Atom, Term};
use crate::diagnostic::Diagnostic;
use crate::keyword::{Connective, Keyword};

pub(super) fn check(checker: &mut Checker<'_>, dependencies: &Dependencies) {
    heads(checker);
    bodies(checker);
    reach(checker, dependencies);
    inside_terms(checker);
}

fn misplaced(keyword: Keyword, atom: &Atom, message: &str) -> Diagnostic {
    let help = keyword.usage();
    Diagnostic::error("keyword-placement", atom.span, format!("`{}` {message}", keyword.name())).help(help)
}

fn heads(checker: &mut Checker<'_>) {
    let relations = checker.relations;
    for relation in &relations.all {
        let Some(keyword) = relation.keyword else { continue };
        for &rule in &relation.heads {
            let rule = &checker.description.rules[rule];
            match keyword {
                Keyword::True | Keyword::Does => {
                    let (meant, help) = match keyword {
                        Keyword::Does => (
                            Keyword::Legal,
                            "the players choose what they do; what they may do is said by `(legal ROLE MOVE)`",
                        ),
                        _ if rule.body.is_empty() => {
                            (Keyword::Init, "the first state is made by `(init PROPOSITION)`")
                        }
                        _ => (Keyword::Next, "the state after a step is made by `(next PROPOSITION)`"),
                    };
                    let message = "stands in conditions only, never as a head or a fact";
                    let word = checker.keyword_span(&rule.head);
                    let diagnostic = misplaced(keyword, &rule.head, message).help(help);
                    checker.report(Weight::Fatal, diagnostic.edit(word, meant.name()));
                }
                Keyword::Role if !rule.body.is_empty() => {
                    checker.report(
                        Weight::Grave,
                        misplaced(keyword, &rule.head, "is for facts only, not for rules"),
                    );
                }
                _ => {}
            }
        }
    }
}

fn bodies(checker: &mut Checker<'_>) {
    let relations = checker.relations;
    for relation in &relations.all {
        let Some(keyword @ (Keyword::Init | Keyword::Next | Keyword::Base | Keyword::Input | Keyword::Sees)) =
            relation.keyword
        else {
            continue;
        };
        for &(rule, literal) in &relation.uses {
            let Some((atom, _)) = atom_of(&checker.description.rules[rule].body[literal]) else { continue };
            let mut diagnostic =
                misplaced(keyword, atom, "stands at the head of rules only, never in conditions");
            if matches!(keyword, Keyword::Init | Keyword::Next) {
                diagnostic = diagnostic
                    .help("what holds in the state is asked by `(true PROPOSITION)`")
                    .edit(checker.keyword_span(atom), Keyword::True.name());
            }
            checker.report(Weight::Grave, diagnostic);
        }
    }
}

/// Reports each rule whose head is a keyword and which depends on a keyword that is forbidden for this head.
/// The dependency may be direct or go through any number of rules.
fn reach(checker: &mut Checker<'_>, dependencies: &Dependencies) {
    use Keyword::{Base, Does, Goal, Init, Input, Legal, Next, Terminal, True};
    let before_any_state: &[Keyword] = &[True, Does, Next, Legal, Goal, Terminal];
    let without_moves: &[Keyword] = &[Does];
    let cases = [
        (&[Init][..], before_any_state, Weight::Fatal, "is decided before there is a state"),
        (&[Base, Input][..], before_any_state, Weight::Grave, "is the same in all states"),
        (&[Legal, Goal, Terminal][..], without_moves, Weight::Fatal, "is decided before the moves are made"),
    ];
    let relations = checker.relations;
    let description = checker.description;
    for (keywords, forbidden, weight, why) in cases {
        let targets: Vec<usize> = (0..relations.all.len())
            .filter(|&i| relations.all[i].keyword.is_some_and(|k| forbidden.contains(&k)))
            .collect();
        let ways = dependencies.ways_to(&targets);
        for &keyword in keywords {
            for &rule in relations.rules_of(keyword) {
                let mut at = rule;
                let mut steps = Vec::new();
                while let Some(&(literal, to)) = ways.get(&at) {
                    let Some((atom, _)) = atom_of(&description.rules[at].body[literal]) else { break };
                    steps.push((at, atom));
                    match to {
                        Some(next) => at = next,
                        None => break,
                    }
                }
                let (Some(&(_, first)), Some(&(_, last))) = (steps.first(), steps.last()) else { continue };
                let message = format!(
                    "`{}` depends on `{}`, but {why}",
                    keyword.name(),
                    description.name(last.relation)
                );
                let mut diagnostic = Diagnostic::error("keyword-dependency", first.span, message);
                for &(rule, atom) in steps.iter().skip(1).take(4) {
                    let head = checker.text(&description.rules[rule].head);
                    diagnostic = diagnostic.and_at(atom.span, format!("`{head}` needs this"));
                }
                let help = match keyword {
                    Init | Base | Input => "use only relations that do not look at the state or the moves",
                    _ => "what follows from the moves belongs into `next`",
                };
                checker.report(weight, diagnostic.help(help));
            }
        }
    }
}

/// Reports keywords in function position, as in `(next (true (cell 1 1 x)))`. Inside a term, a keyword is an
/// ordinary name.
fn inside_terms(checker: &mut Checker<'_>) {
    let description = checker.description;
    let mut visited = vec![false; description.terms.len()];
    let mut stack = Vec::new();
    for rule in &description.rules {
        for atom in std::iter::once(&rule.head).chain(rule.body.iter().filter_map(|l| Some(atom_of(l)?.0))) {
            stack.extend(atom.args.iter().copied());
            while let Some(term) = stack.pop() {
                if std::mem::replace(&mut visited[term.index()], true) {
                    continue;
                }
                let Term::Compound(function, args) = description.terms.get(term) else { continue };
                stack.extend(args.iter().copied());
                let name = description.name(*function);
                if Keyword::of(name).is_none() && Connective::of(name).is_none() {
                    continue;
                }
                let span = checker.find_word(atom.span, name);
                let diagnostic = Diagnostic::error(
                    "keyword-as-function",
                    span,
                    format!("the keyword `{name}` stands inside a term, where it has no meaning"),
                )
                .help("is it nested one level too deep? Within a term it is a name like any other");
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
    fn legal_and_goal_may_stand_in_bodies() {
        accepts("(<= terminal (legal white go) (goal white 100)) (<= (goal white 0) (true (step 1)))");
        accepts("(<= (next (moved ?p)) (does ?p go)) (<= (base (moved ?p)) (role ?p))");
    }

    #[test]
    fn heads_and_bodies() {
        assert_eq!(findings("(true (step 1))"), ["error keyword-placement (true (step 1))"]);
        assert_eq!(
            findings("(<= (role ?p) (q ?p)) (q black) (<= terminal (next (step 1)))"),
            ["error keyword-placement (role ?p)", "error keyword-placement (next (step 1))"]
        );
        let lenient = findings_at(Strictness::Lenient, "(<= terminal (init (step 1)))");
        assert_eq!(lenient, ["warning keyword-placement (init (step 1))"]);
    }

    #[test]
    fn dependencies_are_followed_through_any_number_of_rules() {
        assert_eq!(
            findings("(<= (legal white b) (p)) (<= p (not q)) (<= q (r ?x)) (<= (r ?x) (does ?x go))"),
            ["error keyword-dependency (p)"]
        );
        // Only (p b) depends on a move; `legal` uses (p a).
        accepts("(<= (legal white b) (p a)) (<= (p a) (true (step 1))) (<= (p b) (does white go))");
    }
}
