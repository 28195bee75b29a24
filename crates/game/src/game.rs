//! A game: rules that passed their checks, lowered to Datalog.

use crate::adapt::semantics_of;
use crate::needs::{asked, needed};
use crate::semantics::{Semantics, SemanticsError};
use crate::{EvalError, Role};
use ggp_datalog::Limits;
use ggp_gdl::check::errors;
use ggp_gdl::lines::Lines;
use ggp_gdl::{Description, Diagnostic, Rule, Span, Strictness};

/// A playable rulesheet. A value of this type exists only if the rules have no error at the chosen
/// [`Strictness`]; warnings may remain.
#[derive(Debug)]
pub struct Game {
    description: Description,
    semantics: Semantics,
    limits: Limits,
    roles: Vec<String>,
}

impl Game {
    /// Checks `description` at the default strictness and lowers it to Datalog.
    ///
    /// # Errors
    /// All diagnostics of severity error, if there are any.
    pub fn new(description: Description) -> Result<Game, Vec<Diagnostic>> {
        Game::with_limits(description, Strictness::default(), Limits::default())
    }

    /// The same as [`Game::new`], with a given strictness of the checks and given bounds for every evaluation
    /// of the rules.
    ///
    /// # Errors
    /// As [`Game::new`].
    pub fn with_limits(
        description: Description,
        strictness: Strictness,
        limits: Limits,
    ) -> Result<Game, Vec<Diagnostic>> {
        let errors = errors(&description, strictness);
        if !errors.is_empty() {
            return Err(errors);
        }
        let semantics = semantics_of(&description, &limits)
            .map_err(|error| vec![semantics_diagnostic(&description, &error)])?;
        let values = semantics.program_values();
        let roles: Vec<String> = semantics.roles().into_iter().map(|v| values.text(v)).collect();
        if roles.is_empty() {
            let whole = Span { start: 0, end: 0 };
            return Err(vec![Diagnostic::error("role", whole, "the game has no role")]);
        }
        if roles.len() > MAX_ROLES {
            let whole = Span { start: 0, end: 0 };
            let message = format!("the game has {} roles; at most {MAX_ROLES} can be played", roles.len());
            return Err(vec![Diagnostic::error("role", whole, message)]);
        }
        Ok(Game { description, semantics, limits, roles })
    }

    /// The parsed rules.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The rules as a Datalog program.
    pub fn semantics(&self) -> &Semantics {
        &self.semantics
    }

    /// The bounds that apply to each evaluation of the rules.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The number of roles, from 1 to [`MAX_ROLES`].
    pub fn role_count(&self) -> usize {
        self.roles.len()
    }

    /// Whether the rules define `sees` (GDL-II). If so, players receive percepts instead of joint moves.
    pub fn has_percepts(&self) -> bool {
        let is_sees = |rule: &ggp_gdl::Rule| self.description.name(rule.head.relation) == "sees";
        self.description.rules.iter().any(is_sees)
    }

    /// The roles, in the order of the `role` facts.
    pub fn roles(&self) -> impl Iterator<Item = Role> + use<> {
        (0..self.roles.len() as u8).map(Role)
    }

    /// The canonical text of a role.
    pub fn role_name(&self, role: Role) -> &str {
        &self.roles[role.index()]
    }

    /// The role `random`, if there is one: the chance player, whose moves are drawn uniformly (GDL-II,
    /// Thielscher 2010; some GDL-I games use it too).
    pub fn nature(&self) -> Option<Role> {
        self.roles().find(|&role| self.role_name(role).eq_ignore_ascii_case("random"))
    }

    /// The role called `name`. An exact match is preferred. Otherwise the result is the only role whose name
    /// matches without regard to ASCII case. `None` if there is no such role.
    pub fn role_named(&self, name: &str) -> Option<Role> {
        let exact = self.roles.iter().position(|r| r == name);
        let role = exact.or_else(|| {
            let mut folded = (0..self.roles.len()).filter(|&i| self.roles[i].eq_ignore_ascii_case(name));
            folded.next().filter(|_| folded.next().is_none())
        });
        role.map(|i| Role(i as u8))
    }

    /// The role called `name`. The same as [`Game::role_named`], but with an error instead of `None`.
    ///
    /// # Errors
    /// If the game has no such role. The message lists the roles of the game.
    pub fn role(&self, name: &str) -> Result<Role, UnknownRole> {
        self.role_named(name)
            .ok_or_else(|| UnknownRole { name: name.to_owned(), known: self.roles.join(", ") })
    }

    /// Translates `error` into an error whose message names the rule that caused it, and the line of that
    /// rule.
    pub fn eval_error(&self, error: &ggp_datalog::EvalError) -> EvalError {
        match error {
            ggp_datalog::EvalError::Interrupted => EvalError::Interrupted,
            other => EvalError::TooLarge(eval_message(&self.description, other).0),
        }
    }
}

/// The error for a name that is not the name of a role of the game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the game has no role `{name}`; its roles are {known}")]
pub struct UnknownRole {
    name: String,
    known: String,
}

/// The largest number of roles of a playable game.
pub const MAX_ROLES: usize = 255;

/// The message for `error`, and the span of the rule that caused it.
fn eval_message(description: &Description, error: &ggp_datalog::EvalError) -> (String, Span) {
    use ggp_datalog::EvalError as E;
    let (label, what) = match error {
        E::TooManyTerms { label, bound } => (*label, format!("makes more than {bound} different terms")),
        E::TooDeep { label, bound } => (*label, format!("nests terms more than {bound} deep")),
        E::TooLong { label, bound } => (*label, format!("makes terms that are longer than {bound} bytes")),
        E::TooManyTuples { label, bound } => (*label, format!("makes more than {bound} facts")),
        E::TooMuchWork { label, bound } => (*label, format!("takes more than {bound} steps")),
        E::Interrupted => return ("interrupted".to_owned(), Span::default()),
    };
    let Some(rule) = description.rules.get(label as usize) else {
        return (format!("evaluation {what}"), Span::default());
    };
    let line = Lines::new(&description.source).position(rule.span.start).line;
    let head = description.atom_text(&rule.head);
    (format!("the rule for `{head}` in line {line} {what}"), rule.span)
}

/// Whether the conditions of `rule` depend on its own relation.
fn is_recursive(description: &Description, rule: &Rule) -> bool {
    needed(description, asked(description, rule)).contains(description.name(rule.head.relation))
}

/// The diagnostic of rules that pass the checks of `ggp-gdl` but cannot be evaluated.
fn semantics_diagnostic(description: &Description, error: &SemanticsError) -> Diagnostic {
    match error {
        SemanticsError::Eval(error) => {
            let (message, span) = eval_message(description, error);
            let mut guilty = description.rules.iter().filter(|rule| rule.span == span).peekable();
            let help = if guilty.peek().is_none() || guilty.any(|rule| is_recursive(description, rule)) {
                "give the recursion a limit: a term that grows at each step never ends"
            } else {
                "its conditions have too many combinations: keep fewer variables in the head, or narrow the conditions"
            };
            Diagnostic::error("unbounded", span, message).help(help)
        }
        // The checks of `ggp-gdl` report unsafe and unstratified rules. The only other causes are fluents or
        // moves that differ in nothing but the functions of terms inside, which the checks tell apart and the
        // evaluator does not, a relation with more cases than the evaluator splits, and a fault of `ggp`.
        SemanticsError::Refused { rule, reason } => {
            let span = description.rules.get(*rule as usize).map_or(Span::default(), |rule| rule.span);
            Diagnostic::error("not-evaluable", span, format!("the evaluator refuses these rules: {reason}"))
                .help("move the negated cases into relations of their own, or report this rulesheet as a fault of ggp")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::Lowering;
    use ggp_datalog::Program;

    #[test]
    fn only_a_recursive_rule_that_makes_too_much_needs_a_limit() {
        let rules = "(role a) (d 0) (<= (pair ?x ?y) (d ?x) (d ?y)) (<= (up ?y) (from ?x) (s ?x ?y))
            (<= (from ?x) (up ?x)) (<= (from ?x) (d ?x)) (s 0 1)";
        let description = ggp_gdl::parse(rules.as_bytes()).expect("well formed");
        let help = |head: &str| {
            let is_meant = |rule: &Rule| description.atom_text(&rule.head) == head;
            let label = description.rules.iter().position(is_meant).expect("the rule") as u32;
            let error = ggp_datalog::EvalError::TooManyTuples { label, bound: 10 };
            semantics_diagnostic(&description, &SemanticsError::Eval(error)).help.unwrap_or_default()
        };
        assert!(help("(up ?y)").starts_with("give the recursion a limit"));
        assert!(help("(pair ?x ?y)").starts_with("its conditions have too many combinations"));
    }

    #[test]
    fn rules_that_only_the_evaluator_refuses_get_a_diagnostic() {
        let rules = "(role a) (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))";
        let description = ggp_gdl::parse(rules.as_bytes()).expect("well formed");
        // Without the split by constants, `goal` depends on its own negation.
        let lowering = Lowering::new(&description);
        let refusal = Program::new(lowering.signatures.clone(), lowering.rules.clone()).expect_err("a cycle");
        let error = SemanticsError::refused(&lowering, &refusal);
        let diagnostic = semantics_diagnostic(&description, &error);
        assert_eq!(diagnostic.code, "not-evaluable");
        assert_eq!(
            diagnostic.message,
            "the evaluator refuses these rules: negation through recursion among `goal/2`"
        );
        assert_eq!(&rules[diagnostic.span.start as usize..diagnostic.span.end as usize], &rules[9..]);
    }
}
