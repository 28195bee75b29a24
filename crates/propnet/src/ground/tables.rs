//! Replaces conditions on small tables by constants. A table is a relation that has only facts, such as
//! `(opponent white black)`. A rule with a condition on a table that fits few of its rows becomes one rule for
//! each of these rows, with constants in place of the condition's variables. The relations that a rule calls,
//! and the parts into which its body is decomposed, then have no facts for combinations that no row allows.

use ggp_datalog::{Argument, Atom, Literal, RelationId, Rule, Value, Variable};
use ggp_game::lower::Lowering;
use rustc_hash::FxHashMap;

/// A condition that fits more rows than this stays.
const MOST_ROWS: usize = 4;

/// A rule becomes at most about this many rules.
const MOST_COPIES: usize = 16;

/// The number of rounds. In each round, relations whose rules have become facts count as tables.
const ROUNDS: usize = 3;

/// Replaces conditions on small tables in the rules of `lowering`. The facts of all relations stay the same.
pub(super) fn inline_tables(lowering: &mut Lowering) {
    for _ in 0..ROUNDS {
        let tables = Tables::of(lowering);
        let inlined = |rule: Rule| tables.inlined(rule);
        lowering.rules = std::mem::take(&mut lowering.rules).into_iter().flat_map(inlined).collect();
    }
}

/// The relations that have only facts, with their rows.
struct Tables(FxHashMap<RelationId, Vec<Vec<Value>>>);

impl Tables {
    fn of(lowering: &Lowering) -> Tables {
        let mut tables: FxHashMap<RelationId, Option<Vec<Vec<Value>>>> = FxHashMap::default();
        for rule in &lowering.rules {
            let row = |argument: &Argument| match argument {
                Argument::Value(value) => Some(*value),
                Argument::Variable(_) => None,
            };
            let row: Option<Vec<Value>> = rule.head.args.iter().map(row).collect();
            let rows = tables.entry(rule.head.relation).or_insert_with(|| Some(Vec::new()));
            match (rows.as_mut(), row) {
                (Some(rows), Some(row)) if rule.body.is_empty() => {
                    if !rows.contains(&row) {
                        rows.push(row);
                    }
                }
                _ => *rows = None,
            }
        }
        Tables(tables.into_iter().filter_map(|(relation, rows)| Some((relation, rows?))).collect())
    }

    /// The rows that `atom` fits, up to one more than [`MOST_ROWS`]. `None` if its relation is no table.
    fn fitting(&self, atom: &Atom) -> Option<Vec<&[Value]>> {
        let rows = self.0.get(&atom.relation)?;
        let fits = |row: &&Vec<Value>| {
            atom.args.iter().enumerate().all(|(column, argument)| match argument {
                Argument::Value(value) => row[column] == *value,
                // A variable that occurs twice has one value.
                Argument::Variable(_) => {
                    let first = atom.args.iter().position(|other| other == argument);
                    first.is_none_or(|first| row[first] == row[column])
                }
            })
        };
        Some(rows.iter().filter(fits).take(MOST_ROWS + 1).map(Vec::as_slice).collect())
    }

    /// The rules that replace `rule`.
    fn inlined(&self, rule: Rule) -> Vec<Rule> {
        let mut done = Vec::new();
        let mut open = vec![rule];
        while let Some(rule) = open.pop() {
            let Some(mut rule) = without_constant_tests(rule) else { continue };
            let conditions = rule.body.iter().enumerate();
            let fitting = conditions.filter_map(|(place, literal)| match literal {
                Literal::Positive(atom) => Some((place, atom, self.fitting(atom)?)),
                _ => None,
            });
            let few = fitting.min_by_key(|(_, _, rows)| rows.len());
            let most = if open.len() + done.len() < MOST_COPIES { MOST_ROWS } else { 1 };
            let Some((place, atom, rows)) = few.filter(|(_, _, rows)| rows.len() <= most) else {
                done.push(rule);
                continue;
            };
            let atom = atom.clone();
            rule.body.remove(place);
            // The last copy is taken first, so the order of the rows is kept by reversing them.
            open.extend(rows.iter().rev().map(|row| substituted(&rule, &atom.args, row)));
        }
        done
    }
}

/// `rule` with the values `row` in place of the variables among `args`.
fn substituted(rule: &Rule, args: &[Argument], row: &[Value]) -> Rule {
    let given: FxHashMap<Variable, Value> =
        args.iter().zip(row).filter_map(|(argument, &value)| Some((argument.variable()?, value))).collect();
    let place = |argument: Argument| match argument {
        Argument::Variable(variable) => {
            given.get(&variable).map_or(argument, |&value| Argument::Value(value))
        }
        Argument::Value(_) => argument,
    };
    let body = rule.body.iter().map(|literal| literal.map(place)).collect();
    Rule { head: rule.head.map(place), body, ..*rule }
}

/// `rule` without inequalities of two constants. `None` if the constants are equal, so that the rule never
/// applies.
fn without_constant_tests(mut rule: Rule) -> Option<Rule> {
    let values = |literal: &Literal| match literal {
        Literal::Distinct(Argument::Value(a), Argument::Value(b)) => Some((*a, *b)),
        _ => None,
    };
    if rule.body.iter().filter_map(values).any(|(a, b)| a == b) {
        return None;
    }
    rule.body.retain(|literal| values(literal).is_none());
    Some(rule)
}

#[cfg(test)]
mod tests {
    use super::inline_tables;
    use ggp_game::Game;
    use ggp_game::lower::Lowering;

    /// The number of rules with conditions for the relation `name`, before and after.
    fn counts(rules: &str, name: &str) -> [usize; 2] {
        let rules = format!(
            "(role white) (role black) (init a) (<= (legal ?r m) (role ?r)) (<= (next a) (true a)) \
             (<= terminal (not (true a))) (<= (goal ?r 50) (role ?r)) {rules}"
        );
        let game = Game::new(ggp_gdl::parse(rules.as_bytes()).expect("GDL")).expect("a game");
        let mut lowering = Lowering::stratified(game.description());
        let count = |lowering: &Lowering| {
            let named = |relation: usize| lowering.signatures[relation].name.split('/').next() == Some(name);
            lowering.rules.iter().filter(|r| named(r.head.relation.index()) && !r.body.is_empty()).count()
        };
        let before = count(&lowering);
        inline_tables(&mut lowering);
        [before, count(&lowering)]
    }

    #[test]
    fn a_rule_becomes_one_rule_for_each_fitting_row() {
        let table = "(enemy white black) (enemy black white) (enemy white red) (colour white)";
        assert_eq!(counts(&format!("{table} (<= (p ?x ?y) (enemy ?x ?y) (true a))"), "p"), [1, 3]);
        assert_eq!(
            counts(&format!("{table} (<= (p ?x ?y) (enemy ?x ?y) (colour ?x) (true a))"), "p"),
            [1, 2]
        );
        assert_eq!(counts(&format!("{table} (<= (p ?x) (enemy ?x ?x) (true a))"), "p"), [1, 0]);
    }

    #[test]
    fn a_relation_whose_rules_become_facts_is_a_table_of_the_next_round() {
        let rules =
            "(<= (enemy ?x ?y) (role ?x) (role ?y) (distinct ?x ?y)) (<= (p ?x) (enemy ?x ?y) (true a))";
        assert_eq!(counts(rules, "enemy"), [1, 0]);
        assert_eq!(counts(rules, "p"), [1, 2]);
    }

    #[test]
    fn a_condition_that_fits_many_rows_stays() {
        let rules = "(s 1) (s 2) (s 3) (s 4) (s 5) (<= (p ?x) (s ?x) (true a))";
        assert_eq!(counts(rules, "p"), [1, 1]);
    }
}
