//! Tells which rules fire in given states, and at which condition the others fail.
//!
//! For each rule of interest and each prefix of its conditions, the rules of the game get one more rule for
//! `next`, whose head is a mark. The marks among the next fluents tell which prefixes can be satisfied. Conditions
//! are taken in the order of the text, except that negated ones wait until their variables have values.

use crate::adapt::semantics_of;
use crate::error::EvalError;
use crate::fact::Fact;
use crate::game::Game;
use crate::lower::ground_term;
use crate::role::Role;
use crate::semantics::Semantics;
use ggp_datalog::{Database, Limits, Value, Values};
use ggp_gdl::{Atom, Description, Keyword, Literal, Rule, Span, Symbol, Term, TermId};
use rustc_hash::FxHashMap;

/// The name of the marks. A name with a blank occurs in no rulesheet.
const MARK: &str = "satisfied prefix";
/// The name of the relation that holds of the role of interest.
const CHOSEN: &str = "chosen role";
/// The largest number of conditions in the prefixes of all rules together. The number grows with the square of the
/// length of a rule.
const MOST_CONDITIONS: usize = 200_000;

/// A rule that has not fired.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unfired {
    /// The bytes of the head in the source.
    pub head: Span,
    /// The bytes of the first condition that failed: with the conditions before it, it held in no state that was
    /// looked at.
    pub condition: Span,
}

/// A prefix of the conditions of a rule.
struct Prefix {
    rule: usize,
    /// The number of conditions.
    length: usize,
    /// The bytes of its last condition.
    last: Span,
}

/// Evaluates prefixes of rules.
pub struct Firing {
    semantics: Semantics,
    database: Database,
    limits: Limits,
    prefixes: Vec<Prefix>,
    heads: FxHashMap<usize, Span>,
    /// The length of the longest prefix of each rule that was satisfied.
    reached: FxHashMap<usize, usize>,
}

impl Firing {
    /// Looks at all rules that may depend on the state or on the moves. `rows` bounds the work for each state.
    /// `None` if the rules cannot be evaluated with marks, or if all prefixes together have more than 200,000
    /// conditions.
    pub fn of_rules(game: &Game, rows: u64) -> Option<Firing> {
        let description = game.description();
        let skipped = [Keyword::Role, Keyword::Init, Keyword::Base, Keyword::Input].map(Keyword::name);
        let rules = description.rules.iter().enumerate();
        let of_interest = rules.filter(|(_, rule)| {
            !rule.body.is_empty() && !skipped.contains(&description.name(rule.head.relation))
        });
        let rules: Vec<usize> = of_interest.map(|(number, _)| number).collect();
        Firing::new(game, &rules, None, rows)
    }

    /// Looks at the rules that may make a move of `role` legal. `None` in the same cases as for
    /// [`Firing::of_rules`].
    pub fn of_legal(game: &Game, role: Role, rows: u64) -> Option<Firing> {
        let description = game.description();
        let name = game.role_name(role);
        let may_be = |rule: &Rule| match description.terms.get(rule.head.args[0]) {
            Term::Variable(_) => true,
            _ => description.term_text(rule.head.args[0]) == name,
        };
        let is_legal = |rule: &Rule| description.name(rule.head.relation) == Keyword::Legal.name();
        let rules = description.rules.iter().enumerate();
        let rules: Vec<usize> =
            rules.filter(|(_, rule)| is_legal(rule) && may_be(rule)).map(|(number, _)| number).collect();
        Firing::new(game, &rules, Some(name), rows)
    }

    fn new(game: &Game, rules: &[usize], role: Option<&str>, rows: u64) -> Option<Firing> {
        let lengths = rules.iter().map(|&rule| game.description().rules[rule].body.len());
        if lengths.map(|length| length * (length + 1) / 2).sum::<usize>() > MOST_CONDITIONS {
            return None;
        }
        let mut marked = game.description().clone();
        let chosen = role.map(|role| choose(&mut marked, role));
        let mut prefixes = Vec::new();
        let mut heads = FxHashMap::default();
        for &rule in rules {
            heads.insert(rule, marked.rules[rule].head.span);
            add_marks(&mut marked, rule, chosen, &mut prefixes);
        }
        let limits = Limits { rows, ..game.limits().clone() };
        let semantics = semantics_of(&marked, &limits).ok()?;
        let database = semantics.database();
        Some(Firing { semantics, database, limits, prefixes, heads, reached: FxHashMap::default() })
    }

    /// Looks at the state with the facts `facts`. `joint` is the joint move made there, if there is one.
    ///
    /// # Errors
    /// When the evaluation exceeds a bound.
    pub fn look(&mut self, facts: &[Fact], joint: Option<&[String]>) -> Result<(), EvalError> {
        let Firing { semantics, database, limits, .. } = self;
        semantics.clear_state(database);
        let mut terms = |text: &str| ground_term(text, database.values_mut());
        let state: Vec<Value> = facts.iter().filter_map(|fact| terms(fact.as_str())).collect();
        let moves: Option<Vec<Value>> = joint.map(|joint| joint.iter().filter_map(|mv| terms(mv)).collect());
        let known = state.into_iter().filter(|&fact| semantics.has_fluent(database.values().functor(fact)));
        let known: Vec<Value> = known.collect();
        semantics.load_state(database, &known);
        let roles = semantics.roles_in(database);
        match moves {
            Some(moves) => semantics.load_moves(database, &roles, &moves),
            None => semantics.load_moves(database, &[], &[]),
        }
        let next =
            semantics.ask_next(database, limits).map_err(|_| EvalError::TooLarge("firing".to_owned()))?;
        for fluent in next {
            let prefix = number_of_mark(fluent, database.values()).and_then(|n| self.prefixes.get(n));
            let Some(&Prefix { rule, length, .. }) = prefix else { continue };
            let reached = self.reached.entry(rule).or_default();
            *reached = length.max(*reached);
        }
        Ok(())
    }

    /// The rules that have not fired in the states that were looked at, in the order of the text. Alternatives of
    /// one source rule count as one rule.
    pub fn unfired(&self) -> Vec<Unfired> {
        let mut by_head: Vec<(Span, Option<Unfired>)> = Vec::new();
        for prefixes in self.prefixes.chunk_by(|a, b| a.rule == b.rule) {
            let rule = prefixes[0].rule;
            let head = self.heads[&rule];
            let reached = self.reached.get(&rule).copied().unwrap_or(0);
            let failing = prefixes.iter().find(|prefix| prefix.length == reached + 1);
            let unfired = failing.map(|prefix| Unfired { head, condition: prefix.last });
            match by_head.last_mut() {
                Some((last, fired)) if *last == head => {
                    if unfired.is_none() {
                        *fired = None;
                    }
                }
                _ => by_head.push((head, unfired)),
            }
        }
        by_head.into_iter().filter_map(|(_, unfired)| unfired).collect()
    }

    /// The rule that came nearest to firing: of those that failed, the one with the most satisfied conditions.
    pub fn nearest(&self) -> Option<Unfired> {
        let mut best: Option<(usize, Unfired)> = None;
        for prefixes in self.prefixes.chunk_by(|a, b| a.rule == b.rule) {
            let rule = prefixes[0].rule;
            let reached = self.reached.get(&rule).copied().unwrap_or(0);
            let Some(failing) = prefixes.iter().find(|prefix| prefix.length == reached + 1) else { continue };
            if best.as_ref().is_none_or(|(most, _)| reached > *most) {
                best = Some((reached, Unfired { head: self.heads[&rule], condition: failing.last }));
            }
        }
        best.map(|(_, unfired)| unfired)
    }
}

/// Adds the fact that `role` is the role of interest. Returns the relation.
fn choose(marked: &mut Description, role: &str) -> Symbol {
    let relation = marked.symbols.intern(CHOSEN);
    let symbol = marked.symbols.intern(role);
    let role = marked.terms.intern(Term::Constant(symbol));
    let head = Atom { relation, args: vec![role], span: Span::default() };
    marked.rules.push(Rule { head, body: Vec::new(), span: Span::default() });
    relation
}

/// Adds one rule for each prefix of the conditions of the rule with the index `rule`. `chosen` is the relation
/// that holds of the role of interest, the first argument of the head.
fn add_marks(marked: &mut Description, rule: usize, chosen: Option<Symbol>, prefixes: &mut Vec<Prefix>) {
    let Rule { head, body, span } = marked.rules[rule].clone();
    let next = marked.symbols.intern(Keyword::Next.name());
    let mark = marked.symbols.intern(MARK);
    let mut conditions: Vec<Literal> = Vec::new();
    if let Some(relation) = chosen {
        let args = vec![head.args[0]];
        conditions.push(Literal::Positive(Atom { relation, args, span: head.span }));
    }
    let given = conditions.len();
    for literal in in_order(marked, body, &conditions) {
        let last = literal.span();
        conditions.push(literal);
        let number = marked.symbols.intern(&prefixes.len().to_string());
        let number = marked.terms.intern(Term::Constant(number));
        let fluent = marked.terms.intern(Term::Compound(mark, [number].into()));
        let head = Atom { relation: next, args: vec![fluent], span: head.span };
        marked.rules.push(Rule { head, body: conditions.clone(), span });
        prefixes.push(Prefix { rule, length: conditions.len() - given, last });
    }
}

/// The number of the prefix of which `fluent` is the mark. `None` if it is a fluent of the game.
fn number_of_mark(fluent: Value, terms: &Values) -> Option<usize> {
    let is_mark = terms.spelling(terms.functor(fluent).name) == MARK;
    let &number = terms.arguments(fluent).first().filter(|_| is_mark)?;
    terms.text(number).parse().ok()
}

/// The conditions in the order of the text, except that each negated one comes after the positive ones that give
/// its variables values.
fn in_order(description: &Description, body: Vec<Literal>, before: &[Literal]) -> Vec<Literal> {
    let variables = |literal: &Literal| -> Vec<Symbol> {
        let mut all = Vec::new();
        let terms: Vec<TermId> = match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.args.clone(),
            Literal::Distinct(left, right, _) => vec![*left, *right],
        };
        for &term in &terms {
            description.terms.variables(term, &mut all);
        }
        all
    };
    let mut bound: Vec<Symbol> = before.iter().flat_map(variables).collect();
    let mut waiting: Vec<Literal> = Vec::new();
    let mut order = Vec::new();
    for literal in body {
        if matches!(literal, Literal::Positive(_)) {
            bound.extend(variables(&literal));
            order.push(literal);
        } else {
            waiting.push(literal);
        }
        let is_ready = |literal: &Literal| variables(literal).iter().all(|v| bound.contains(v));
        let (ready, rest): (Vec<Literal>, Vec<Literal>) = waiting.into_iter().partition(is_ready);
        order.extend(ready);
        waiting = rest;
    }
    order
}

/// The goals that the rules give in the state with the facts `facts`, as pairs of a role and a value, as they are
/// written and whether or not they are from 0 to 100.
///
/// # Errors
/// When the evaluation exceeds a bound.
pub fn written_goals(game: &Game, facts: &[Fact]) -> Result<Vec<(String, String)>, EvalError> {
    let semantics = game.semantics();
    let mut database = semantics.database();
    let state: Vec<Value> =
        facts.iter().filter_map(|fact| ground_term(fact.as_str(), database.values_mut())).collect();
    semantics.load_state(&mut database, &state);
    let mut found = Vec::new();
    semantics
        .ask_goals(&mut database, game.limits(), |role, value| found.push((role, value)))
        .map_err(|error| game.eval_error(&error))?;
    let text = |value: Value| database.values().text(value);
    let mut goals: Vec<(String, String)> =
        found.iter().map(|&(role, value)| (text(role), text(value))).collect();
    goals.sort();
    goals.dedup();
    Ok(goals)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = "(role a) (role b) (init (at 1)) (init (lamp off))
        (<= (legal a go) (true (at 1)))
        (<= (legal b go) (true (at ?x)) (blocked ?x) (not (true (lamp on))))
        (<= (legal b wait) (true (lamp on)) (true (at 1)))
        (<= (next (at 2)) (does a go))
        (<= (next (lamp on)) (not (true (lamp off))) (true (at 3)))
        (<= (next (lamp off)) (or (true (at 9)) (true (at 1))))
        (<= (goal ?r 150) (role ?r)) (<= (goal a 5) (true (at 1))) (<= terminal (true (at 2))) (blocked 7)";

    fn game() -> Game {
        Game::new(ggp_gdl::parse(RULES.as_bytes()).expect("well formed")).expect("playable")
    }

    fn facts(texts: &[&str]) -> Vec<Fact> {
        texts.iter().map(|text| Fact::new(text).expect("a fact")).collect()
    }

    #[test]
    fn rules_that_did_not_fire_name_the_first_condition_that_failed() {
        let game = game();
        let mut firing = Firing::of_rules(&game, 100_000).expect("marks can be evaluated");
        let moves = ["go".to_owned(), "go".to_owned()];
        firing.look(&facts(&["(at 1)", "(lamp off)"]), Some(&moves)).expect("within bounds");
        firing.look(&facts(&["(at 2)"]), None).expect("within bounds");
        let text = |span: Span| &RULES[span.range()];
        let shown: Vec<(&str, &str)> =
            firing.unfired().iter().map(|u| (text(u.head), text(u.condition))).collect();
        assert_eq!(
            shown,
            [
                ("(legal b go)", "(blocked ?x)"),
                ("(legal b wait)", "(true (lamp on))"),
                ("(next (lamp on))", "(true (at 3))"),
            ]
        );
    }

    #[test]
    fn the_nearest_rule_for_a_move_satisfies_most_conditions() {
        let game = game();
        let role = game.role_named("b").expect("a role");
        let mut firing = Firing::of_legal(&game, role, 100_000).expect("marks can be evaluated");
        firing.look(&facts(&["(at 1)", "(lamp off)"]), None).expect("within bounds");
        let nearest = firing.nearest().expect("a rule");
        assert_eq!(&RULES[nearest.condition.range()], "(blocked ?x)");
    }

    #[test]
    fn fluents_that_read_like_marks_are_none() {
        let rules = "(role a) (init (at 1)) (init (satisfied prefix 0)) (init (satisfied prefix 99)) (legal a go)
            (<= (next (lamp on)) (true (at 3))) (<= (next ?f) (true ?f)) (<= terminal (true (at 3))) (goal a 5)";
        let game = Game::new(ggp_gdl::parse(rules.as_bytes()).expect("well formed")).expect("playable");
        let mut firing = Firing::of_rules(&game, 100_000).expect("marks can be evaluated");
        let state = facts(&["(at 1)", "(satisfied prefix 0)", "(satisfied prefix 99)"]);
        firing.look(&state, Some(&["go".to_owned()])).expect("within bounds");
        let heads: Vec<&str> = firing.unfired().iter().map(|u| &rules[u.head.range()]).collect();
        assert_eq!(heads, ["(next (lamp on))", "terminal"]);
    }

    #[test]
    fn very_long_rules_are_left_out() {
        let of_length = |length: usize| {
            let conditions = "(true (at 1)) ".repeat(length);
            let rules = format!(
                "(role a) (init (at 1)) (legal a go) (<= (next (at 1)) {conditions}) (<= terminal (true (at 2)))
                (<= (next (at 2)) (does a go)) (goal a 5)"
            );
            let game = Game::new(ggp_gdl::parse(rules.as_bytes()).expect("well formed")).expect("playable");
            Firing::of_rules(&game, 100_000)
        };
        assert!(of_length(20).is_some());
        assert!(of_length(640).is_none());
    }

    #[test]
    fn goals_are_given_as_they_are_written() {
        let goals = written_goals(&game(), &facts(&["(at 1)"])).expect("within bounds");
        let goals: Vec<(&str, &str)> = goals.iter().map(|(r, v)| (r.as_str(), v.as_str())).collect();
        assert_eq!(goals, [("a", "150"), ("a", "5"), ("b", "150")]);
    }
}
