//! Which findings can be the cause of how a game begins: those about the relations that decide it in the first state.

use crate::needs::{asked, needed};
use ggp_gdl::{Description, Diagnostic, Keyword, Span};
use rustc_hash::FxHashSet;

/// What decides how a game begins.
pub(super) struct Reasons<'a> {
    description: &'a Description,
    /// The names of relations.
    names: FxHashSet<&'a str>,
    /// A rule that decides, although the others for its relation do not.
    rule: Option<Span>,
}

impl<'a> Reasons<'a> {
    /// The relations that decide which moves are legal in the first state.
    pub(super) fn of_moves(description: &'a Description) -> Reasons<'a> {
        let names = [Keyword::Role, Keyword::Legal].map(Keyword::name);
        Reasons { description, names: needed(description, names), rule: None }
    }

    /// The rule at `span`, which ends the game in the first state, and the relations that its conditions need.
    pub(super) fn of_end(description: &'a Description, span: Span) -> Reasons<'a> {
        let rules = description.rules.iter().filter(|rule| rule.span == span);
        let names = rules.flat_map(|rule| asked(description, rule));
        Reasons { description, names: needed(description, names), rule: Some(span) }
    }

    /// Whether `finding` is about one of the rules that decide, or its mending would make one.
    pub(super) fn include(&self, finding: &Diagnostic) -> bool {
        // A finding about rules that are missing marks none of them.
        if let Some(keyword) = finding.lacks {
            return self.names.contains(keyword.name());
        }
        let makes_one = |text: &str| self.names.contains(text.trim_start_matches('(').trim_end());
        let mut spans = finding.labels.iter().map(|label| label.span).chain([finding.span]);
        spans.any(|span| self.hold(span)) || finding.edits.iter().any(|edit| makes_one(&edit.text))
    }

    /// Whether a rule that decides holds `span`.
    fn hold(&self, span: Span) -> bool {
        let rules = &self.description.rules;
        let next = rules.partition_point(|rule| rule.span.start <= span.start);
        let rule = rules[..next].last().filter(|rule| span.start < span.end && span.end <= rule.span.end);
        rule.is_some_and(|rule| {
            self.rule == Some(rule.span) || self.names.contains(self.description.name(rule.head.relation))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::add_opening_findings;
    use crate::game::Game;
    use ggp_gdl::{Diagnostic, Severity, Strictness};

    /// The findings about `rules`.
    fn found(rules: &str) -> Vec<Diagnostic> {
        let description = ggp_gdl::parse(rules.as_bytes()).unwrap();
        let mut findings = ggp_gdl::check::check(&description, Strictness::Default);
        add_opening_findings(&mut findings, &Game::new(description).unwrap(), Strictness::Default);
        findings
    }

    /// Two roles take turns; `end` are the rules of `terminal`, `win` is what the first one wins by, `wait` is the move of
    /// the role that waits.
    fn game(end: &str, win: &str, wait: &str) -> String {
        format!(
            "(role red) (role blue) (init (control red)) (init (n 2)) (succ 1 2) (succ 0 1)
            (<= (legal ?r take) (true (control ?r))) {wait}
            (<= (next (control blue)) (true (control red))) (<= (next (control red)) (true (control blue)))
            (<= (next (n ?m)) (true (n ?n)) (succ ?m ?n)) {end}
            (<= (goal red 100) {win}) (<= (goal red 0) (not {win})) (goal blue 50)"
        )
    }

    const WAIT: &str = "(<= (legal ?r noop) (role ?r) (not (true (control ?r))))";

    #[test]
    fn a_mistake_that_does_not_end_the_game_is_not_blamed_for_its_end() {
        let with_typo = "(true (contrl blue))";
        for (end, marked) in [
            ("(<= terminal (true (n 2)))", "(<= terminal (true (n 2)))"),
            // A condition that never holds ends no game.
            ("(<= terminal (true (n 7))) (<= terminal (true (n 2)))", "(<= terminal (true (n 2)))"),
        ] {
            let rules = game(end, with_typo, WAIT);
            let all = found(&rules);
            let errors: Vec<&Diagnostic> =
                all.iter().filter(|finding| finding.severity == Severity::Error).collect();
            let [only] = errors.as_slice() else { panic!("{all:?}") };
            assert_eq!((only.code, &rules[only.span.range()]), ("over-at-start", marked));
            assert!(all.iter().all(|finding| !finding.message.contains("; the game is over")), "{all:?}");
        }
    }

    #[test]
    fn a_mistake_that_ends_the_game_is_the_finding() {
        let all =
            found(&game("(<= terminal (not opn)) (<= open (true (n 2)))", "(true (control blue))", WAIT));
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(all[0].message.ends_with("; the game is over before the first move"), "{all:?}");
        assert_eq!(all[0].severity, Severity::Error);
    }

    #[test]
    fn a_fact_for_terminal_has_a_help_of_its_own() {
        let all = found(&game("terminal", "(true (control blue))", WAIT));
        let over = all.iter().find(|finding| finding.code == "over-at-start").expect("the finding");
        assert!(
            over.help.as_deref().is_some_and(|help| help.starts_with("as a fact, `terminal`")),
            "{all:?}"
        );
    }

    #[test]
    fn a_first_state_without_facts_is_the_cause_of_roles_without_moves() {
        let rules = game("(<= terminal (true (n 0)))", "(true (control blue))", "");
        let all = found(&rules.replace("(init (control red)) (init (n 2))", ""));
        let message = "the first state is empty: the rulesheet has no `init`; \
                       `red` and `blue` have no legal move in the first state";
        assert_eq!((all[0].code, all[0].message.as_str()), ("missing-keyword", message));
    }

    #[test]
    fn a_mistake_about_the_goals_is_not_blamed_for_a_role_without_moves() {
        let end = "(<= terminal (true (n 0))) (<= won (true (contrl blue)))";
        let all = found(&game(end, "won", ""));
        assert!(all.iter().any(|finding| finding.code == "no-move-at-start"), "{all:?}");
        assert!(all.iter().all(|finding| !finding.message.contains("; `blue` has no legal move")), "{all:?}");
    }
}
