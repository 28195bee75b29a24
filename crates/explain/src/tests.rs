//! Tests that compare whole explanation trees in a small game.

use super::{Because, Explainer, Explanation, Verdict};
use ggp_game::{Fact, Game};
use std::sync::Arc;

const RULES: &str = "\
(role white) (role black)
(init (at a)) (init (control white))
(edge a b) (edge b c) (edge c a) (edge c d)
(<= (path ?x ?y) (edge ?x ?z) (path ?z ?y))
(<= (path ?x ?y) (edge ?x ?y))
(<= (legal ?r (go ?y)) (not (blocked ?y)) (true (control ?r)) (true (at ?x)) (edge ?x ?y) (distinct ?x ?y))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (blocked ?y) (true (wall (f ?y))))
(<= (next (at ?y)) (does ?r (go ?y)))
(<= (next (wall (f ?x))) (true (at ?x)))
(<= (next (control black)) (true (control white)))
(<= (next ?f) (true ?f) (kept ?f))
(kept (control black))
(<= terminal (true (at d)))
(<= (goal ?r 100) (true (at d)) (role ?r))
(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))
";

fn explainer(facts: &[&str], joint: &[&str]) -> Explainer {
    let game = Arc::new(Game::new(ggp_gdl::parse(RULES.as_bytes()).unwrap()).unwrap());
    let mut explainer = Explainer::new(&game);
    let facts: Vec<Fact> = facts.iter().map(|&f| Fact::from_canonical(f)).collect();
    let joint: Vec<String> = joint.iter().map(|&m| m.to_owned()).collect();
    explainer.load(&facts, &joint).unwrap();
    explainer
}

/// The tree of an explanation on one line: a mark for the verdict, the text, the reason, and the parts in
/// brackets.
fn brief(e: &Explanation) -> String {
    let mark = match e.verdict {
        Verdict::Holds => "+",
        Verdict::Fails => "-",
        Verdict::Untried => "?",
    };
    let because = match e.because {
        Because::Rule(line) => format!(":{line}"),
        Because::Nearest { line, of } => format!(":{line}/{of}"),
        Because::State => " state".to_owned(),
        Because::Moves => " moves".to_owned(),
        Because::NoRule => " none".to_owned(),
        Because::Elsewhere => " elsewhere".to_owned(),
        Because::Omitted => " omitted".to_owned(),
        Because::Itself => String::new(),
    };
    let parts: Vec<String> = e.parts.iter().map(brief).collect();
    let parts = if parts.is_empty() { String::new() } else { format!(" [{}]", parts.join(" ")) };
    format!("{mark}{}{because}{parts}", e.text)
}

#[test]
fn a_legal_move_rests_on_its_rule_and_the_state() {
    let mut explainer = explainer(&["(at a)", "(control white)"], &[]);
    assert_eq!(
        brief(&explainer.explain("(LEGAL White ( go b))").unwrap()),
        "+(legal white (go b)):6 [+(not (blocked b)) +(true (control white)) state +(true (at a)) state \
         +(edge a b):3 +(distinct a b)]"
    );
    assert_eq!(brief(&explainer.explain("(at a)").unwrap()), "+(true (at a)) state");
    assert_eq!(
        brief(&explainer.explain("(goal black 0)").unwrap()),
        "+(goal black 0):16 [+(role black):1 +(not (goal black 100))]"
    );
}

#[test]
fn what_fails_shows_the_nearest_rule_and_its_first_failing_condition() {
    let mut explainer = explainer(&["(at a)", "(control white)", "(wall (f b))"], &[]);
    assert_eq!(
        brief(&explainer.explain("(legal white (go b))").unwrap()),
        "-(legal white (go b)):6/1 [-(not (blocked b)) [+(blocked b):8 [+(true (wall (f b))) state]] \
         ?(true (control white)) ?(true (at ?x)) ?(edge ?x b) ?(distinct ?x b)]"
    );
    assert_eq!(
        brief(&explainer.explain("(legal white (go d))").unwrap()),
        "-(legal white (go d)):6/1 [+(not (blocked d)) +(true (control white)) +(true (at a)) \
         -(edge a d) none ?(distinct a d)]"
    );
    assert_eq!(brief(&explainer.explain("(role green)").unwrap()), "-(role green) none");
    assert_eq!(brief(&explainer.explain("terminal").unwrap()), "-terminal:14/1 [-(true (at d)) state]");
    assert_eq!(
        brief(&explainer.explain("(blocked a)").unwrap()),
        "-(blocked a):8/1 [-(true (wall (f a))) state]"
    );
}

#[test]
fn a_rule_whose_head_holds_another_term_is_no_candidate() {
    let rules = b"(role white) (init (at a)) (legal white go) (<= terminal (true (at c))) (goal white 50)
(<= (p (f ?x)) (role ?x))
(<= (p (g ?x)) (true (at ?x)))
(<= (way (f ?x) ?how) (role ?x) (true (at ?how)))
(<= open (way (g b) ?how)) (next (at a))";
    let game = Arc::new(Game::new(ggp_gdl::parse(rules).unwrap()).unwrap());
    let mut explainer = Explainer::new(&game);
    explainer.load(&["(at a)"].map(Fact::from_canonical), &[]).unwrap();
    assert_eq!(brief(&explainer.explain("(p (g b))").unwrap()), "-(p (g b)):3/1 [-(true (at b)) state]");
    assert_eq!(brief(&explainer.explain("(p (h b))").unwrap()), "-(p (h b)) none");
    assert_eq!(brief(&explainer.explain("open").unwrap()), "-open:5/1 [-(way (g b) ?how) none]");
}

#[test]
fn a_condition_with_open_variables_is_explained_by_its_nearest_instance() {
    let rules = b"(role white) (init (at a)) (init (fog b)) (edge a b) (edge b c) (edge c a)
(<= (legal white (go ?y)) (way ?x ?y ?how))
(<= (way ?x ?y walk) (true (at ?x)) (edge ?x ?y) (not (true (fog ?y))))
(<= (way ?x ?y fly) (true (wings ?x)) (open ?y))
(<= (open ?y) (far ?z ?y))
(<= (far ?z ?y) (far ?z ?w) (edge ?w ?y))
(<= (next (at ?y)) (does white (go ?y)))
(<= terminal (true (at c))) (goal white 50)";
    let game = Arc::new(Game::new(ggp_gdl::parse(rules).unwrap()).unwrap());
    let mut explainer = Explainer::new(&game);
    explainer.load(&["(at a)", "(fog b)"].map(Fact::from_canonical), &[]).unwrap();
    assert_eq!(
        brief(&explainer.explain("(legal white (go b))").unwrap()),
        "-(legal white (go b)):2/1 [-(way ?x b ?how):3/2 [+(true (at a)) +(edge a b) \
         -(not (true (fog b))) [+(true (fog b)) state]]]"
    );
    // No edge leads there from where the man stands.
    assert_eq!(
        brief(&explainer.explain("(legal white (go a))").unwrap()),
        "-(legal white (go a)):2/1 [-(way ?x a ?how):3/2 [+(true (at a)) -(edge a a) none ?(not (true (fog a)))]]"
    );
    // A recursive relation comes to an end.
    assert_eq!(
        brief(&explainer.explain("(open b)").unwrap()),
        "-(open b):5/1 [-(far ?z b):6/1 [-(far ?z ?w):6/1 [-(far ?z ?w) elsewhere ?(edge ?w ?y)] ?(edge ?w b)]]"
    );
}

/// Asserts that no atom occurs among its own descendants.
fn assert_founded(e: &Explanation, above: &mut Vec<String>) {
    assert!(!above.contains(&e.text), "{} rests on itself", e.text);
    above.push(e.text.clone());
    e.parts.iter().for_each(|part| assert_founded(part, above));
    above.pop();
}

#[test]
fn a_recursive_atom_never_rests_on_itself() {
    let mut explainer = explainer(&[], &[]);
    let explanation = explainer.explain("(path a a)").unwrap();
    assert_founded(&explanation, &mut Vec::new());
    assert_eq!(explanation.because, Because::Rule(4));
    // The explanation of a failing recursive atom is finite too.
    let failing = brief(&explainer.explain("(path d a)").unwrap());
    assert!(failing.starts_with("-(path d a):"), "{failing}");
}

#[test]
fn next_needs_the_moves_and_sees_through_whole_fluents() {
    let mut explainer = explainer(&["(at a)", "(control black)"], &["(go b)", "noop"]);
    assert_eq!(
        brief(&explainer.explain("(next (at b))").unwrap()),
        "+(next (at b)):9 [+(does white (go b)) moves]"
    );
    assert_eq!(
        brief(&explainer.explain("(next (control black))").unwrap()),
        "+(next (control black)):12 [+(true (control black)) state +(kept (control black)):13]"
    );
    assert_eq!(
        brief(&explainer.explain("(next (wall (f a)))").unwrap()),
        "+(next (wall (f a))):10 [+(true (at a)) state]"
    );
}

#[test]
fn what_the_rules_never_name_is_an_error() {
    let mut explainer = explainer(&[], &[]);
    for (fact, error) in [
        (
            "(legal white ?m)",
            "`(legal white ?m)` is not one fact without variables, such as (legal white noop)",
        ),
        ("(legal white", "`(legal white` cannot be read: this `(` is never closed; add a `)` where it ends"),
        ("(at a) (at b)", "`(at a) (at b)` is not one fact without variables, such as (legal white noop)"),
        ("(does white)", "`does` takes 2 arguments in these rules, not 1"),
        (
            "(does white noop)",
            "no rule asks for this move by `does`, so nothing follows from it; `legal` says whether it is allowed",
        ),
        ("(edge a)", "`edge` takes 2 arguments in these rules, not 1"),
        ("(legal white)", "`legal` takes 2 arguments in these rules, not 1"),
    ] {
        assert_eq!(explainer.explain(fact).unwrap_err().to_string(), error);
    }
}
