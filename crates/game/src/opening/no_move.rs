//! The finding that a role has no legal move in the first state, although the game is not over. Usually the rules lack a
//! move that does nothing for the roles that wait.

use crate::fact::split_term;
use crate::game::Game;
use ggp_gdl::{Atom, Description, Diagnostic, Keyword, Literal, Rule, Span, Term, TermId};
use std::collections::BTreeSet;

/// The name of a move that does nothing, if the rulesheet has no word for it.
const IDLE: &str = "noop";

/// The code of the finding that a role has no legal move in the first state.
const NO_MOVE_AT_START: &str = "no-move-at-start";

/// A first state in which roles have no legal move.
pub(super) struct Stuck {
    /// The names of these roles.
    pub(super) roles: Vec<String>,
    /// The facts of the state.
    pub(super) facts: Vec<String>,
    /// The legal moves of the other roles.
    pub(super) moves: Vec<String>,
}

impl Stuck {
    /// The findings about the roles.
    pub(super) fn findings(&self, game: &Game) -> Vec<Diagnostic> {
        let description = game.description();
        if self.moves.is_empty()
            && let Some(rule) = rules_of(description, Keyword::Legal).next()
        {
            let who = match self.roles.as_slice() {
                [only] => format!("`{only}` has no legal move"),
                _ => "no role has a legal move".to_owned(),
            };
            let message = format!("{who} in the first state, and the game is not over");
            let help = "compare the conditions of the rules for `legal` with the facts that `init` gives";
            return vec![Diagnostic::warning(NO_MOVE_AT_START, rule.span, message).help(help)];
        }
        let idle = self.idle_move(description);
        let turn = self.turn_fluent(game);
        let about = |role: &String| {
            let message = format!("`{role}` has no legal move in the first state, and the game is not over");
            let help = match &turn {
                Some(turn) => format!(
                    "let a role wait while it is not its turn: `(<= (legal ?role {idle}) (role ?role) (not (true ({turn} ?role))))`"
                ),
                None => format!(
                    "let it wait by a move that does nothing: `(<= (legal {role} {idle}) CONDITION)`, where CONDITION says when it waits"
                ),
            };
            Diagnostic::warning(NO_MOVE_AT_START, role_span(description, role), message).help(help)
        };
        self.roles.iter().map(about).collect()
    }

    /// What the message of another finding says in addition, if it may be the cause.
    pub(super) fn remark(&self) -> String {
        let names: Vec<String> = self.roles.iter().map(|role| format!("`{role}`")).collect();
        let verb = if names.len() == 1 { "has" } else { "have" };
        format!("; {} {verb} no legal move in the first state", names.join(" and "))
    }

    /// The name of the fluent that says whose turn it is: of its one argument, the first state gives a single role,
    /// which can move. `None` if no fluent or several ones are like this.
    fn turn_fluent(&self, game: &Game) -> Option<String> {
        let roles: Vec<&str> = game.roles().map(|role| game.role_name(role)).collect();
        let facts = self.facts.iter().map(|fact| split_term(fact));
        let given: Vec<(&str, &str)> = facts
            .filter_map(|(name, args)| match args.as_slice() {
                &[role] if roles.contains(&role) => Some((name, role)),
                _ => None,
            })
            .collect();
        let is_turn = |(name, role): &&(&str, &str)| {
            let moves = !self.roles.iter().any(|stuck| stuck == role);
            moves && given.iter().filter(|(other, _)| other == name).count() == 1
        };
        let mut turns = given.iter().filter(is_turn);
        let (name, _) = turns.next()?;
        turns.next().is_none().then(|| (*name).to_owned())
    }

    /// The word for a move that does nothing: a move without arguments that a condition asks for and no rule allows, or
    /// one that is allowed in other states and that no condition asks for.
    fn idle_move<'a>(&self, description: &'a Description) -> &'a str {
        let constant = |atom: &Atom| match description.terms.get(*atom.args.get(1)?) {
            Term::Constant(name) => Some(description.name(*name)),
            _ => None,
        };
        let allowed: BTreeSet<&str> =
            rules_of(description, Keyword::Legal).filter_map(|rule| constant(&rule.head)).collect();
        let conditions = description.rules.iter().flat_map(|rule| &rule.body).filter_map(Literal::atom);
        let asked: BTreeSet<&str> =
            conditions.filter(|atom| is(description, atom, Keyword::Does)).filter_map(constant).collect();
        let words = asked.difference(&allowed).chain(allowed.difference(&asked));
        words.copied().find(|&word| !self.moves.iter().any(|mv| mv == word)).unwrap_or(IDLE)
    }
}

/// The place of the fact that names `role`, else of the first rule for `role`.
fn role_span(description: &Description, role: &str) -> Span {
    let names = |term: TermId| match description.terms.get(term) {
        Term::Constant(name) => description.name(*name) == role,
        _ => false,
    };
    let is_fact =
        |rule: &&Rule| rule.body.is_empty() && rule.head.args.first().is_some_and(|&term| names(term));
    let of_roles = || rules_of(description, Keyword::Role);
    of_roles().find(is_fact).or(of_roles().next()).map_or(Span::default(), |rule| rule.head.span)
}

fn rules_of(description: &Description, keyword: Keyword) -> impl Iterator<Item = &Rule> {
    description.rules.iter().filter(move |rule| is(description, &rule.head, keyword))
}

fn is(description: &Description, atom: &Atom, keyword: Keyword) -> bool {
    description.name(atom.relation) == keyword.name()
}

#[cfg(test)]
mod tests {
    use super::super::add_opening_findings;
    use crate::game::Game;
    use ggp_gdl::Strictness;

    /// The findings about `rules` beside those about relations that nothing uses: code, marked text and help.
    fn found(rules: &str) -> Vec<(String, String, String)> {
        let description = ggp_gdl::parse(rules.as_bytes()).unwrap();
        let mut findings = ggp_gdl::check::check(&description, Strictness::Default);
        add_opening_findings(&mut findings, &Game::new(description).unwrap(), Strictness::Default);
        let shown = |finding: &ggp_gdl::Diagnostic| {
            let marked = rules[finding.span.range()].to_owned();
            let help = finding.help.clone().unwrap_or_default();
            (format!("{}: {}", finding.code, finding.message), marked, help)
        };
        findings.iter().map(shown).collect()
    }

    /// Two roles take turns; `more` are rules of `legal` beside the move of the role on turn.
    fn by_turns(more: &str) -> String {
        format!(
            "(role red) (role blue) (init (turn red)) (init (heap 2)) (succ 1 2) (succ 2 3)
            (<= (legal ?r (take ?n)) (true (turn ?r)) (succ ?n ?m)) {more}
            (<= (next (turn blue)) (true (turn red))) (<= (next (turn red)) (true (turn blue)))
            (<= (next (heap 1)) (does ?r (take ?n))) (<= (next (heap ?n)) (true (heap ?n)) (does red rest))
            (<= terminal (true (heap 1))) (goal red 50) (goal blue 50)"
        )
    }

    #[test]
    fn a_role_that_cannot_wait_is_found_with_the_rule_that_lets_it_wait() {
        let all = found(&by_turns(""));
        let (message, marked, help) = &all[0];
        assert!(
            message.starts_with("no-move-at-start: `blue` has no legal move in the first state"),
            "{all:?}"
        );
        assert_eq!(marked, "(role blue)");
        // A condition asks for `rest`, which nothing allows.
        assert!(help.ends_with("`(<= (legal ?role rest) (role ?role) (not (true (turn ?role))))`"), "{help}");
        let mended = found(&by_turns("(<= (legal ?role rest) (role ?role) (not (true (turn ?role))))"));
        assert!(mended.is_empty(), "{mended:?}");
        // The word of the other role's move serves.
        // A move that the role on turn makes is not one.
        let other = found(&by_turns(
            "(<= (legal red rest) (true (turn red))) (<= (legal red pass) (true (turn red)))",
        ));
        assert!(other[0].2.contains("(legal ?role noop)"), "{other:?}");
        let word = found(&by_turns(
            "(<= (legal red rest) (true (turn blue))) (<= (legal red idle) (true (turn blue)))",
        ));
        assert!(word[0].2.contains("(legal ?role idle)"), "{word:?}");
    }

    #[test]
    fn what_cannot_be_a_matter_of_turns_has_a_general_help() {
        let all = found(
            "(role red) (role blue) (init (at 1)) (<= (legal red go) (true (at 1))) (<= (legal blue go) (true (at 2)))
            (<= (next (at 2)) (does red go)) (<= terminal (true (at 2))) (goal red 50) (goal blue 50)",
        );
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(all[0].2.contains("`(<= (legal blue noop) CONDITION)`"), "{all:?}");
    }

    #[test]
    fn a_game_in_which_nobody_can_move_has_one_finding_at_its_moves() {
        let all = found(
            "(role red) (role blue) (init (at 1)) (init (at 3)) (<= (legal ?r go) (role ?r) (true (at 2)))
            (<= (next (at 2)) (true (at 1))) (<= (next (at 3)) (true (at 3))) (<= terminal (true (at 4)))
            (<= (next (at 4)) (true (at 2))) (goal red 50) (goal blue 50)",
        );
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(all[0].0.starts_with("no-move-at-start: no role has a legal move"), "{all:?}");
        assert!(all[0].1.starts_with("(<= (legal ?r go)"), "{all:?}");
    }

    #[test]
    fn a_start_whose_texts_are_long_is_not_looked_at() {
        // A term of three quarters of a MiB stands once in a move, or six times.
        let double = |n: usize| format!("(<= (b{} (f ?x ?x)) (b{n} ?x)) ", n + 1);
        let terms: String = (0..17).map(double).collect();
        let is_found = |mv: &str| {
            let all = found(&by_turns(&format!("(b0 a) {terms} (<= (legal red ({mv})) (b17 ?x))")));
            all.iter().any(|(message, ..)| message.contains("`blue` has no legal move"))
        };
        assert!(is_found("long ?x"));
        assert!(!is_found("long ?x ?x ?x ?x ?x ?x"));
    }

    #[test]
    fn another_mistake_that_takes_the_moves_is_the_finding() {
        let rules = by_turns("(<= (legal ?r rest) (role ?r) (waits ?r))");
        let all = found(&rules);
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(
            all[0].0.starts_with("never-produced") && all[0].0.contains("; `blue` has no legal move"),
            "{all:?}"
        );
    }
}
