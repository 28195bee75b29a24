//! Decomposition of long rules. If a variable does not occur in the head, the conditions that contain it move
//! to the rule of a new relation, called a part, which has no column for this variable. The method is
//! variable elimination, which Bichler, Morak & Woltran 2016 ("lpopt") use for grounding.
//!
//! For example, `far(X, Z) :- near(X, Y), open(Y), city(Z), not shut(Z)` has one instance for each assignment
//! of `X`, `Y` and `Z`. The decomposition replaces the first two conditions by `part(X)`, with the rule
//! `part(X) :- near(X, Y), open(Y)`. The rule of the part then has one instance for each pair of `X` and `Y`,
//! and the rule of `far` has one for each pair of `X` and `Z`. The answers do not change.

use crate::rule::{Argument, Atom, Literal, RelationId, Rule, Signature, Variable};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The result of [`decompose`].
#[derive(Clone, Debug)]
pub struct Decomposed {
    /// The given relations, followed by the new relations. A new relation is a part (see the module's
    /// description) or a guard (see [`Decomposed::guards`]).
    pub signatures: Vec<Signature>,
    /// The decomposed rules, and the rules that define parts and guards.
    pub rules: Vec<Rule>,
    /// The guards: relations that bind variables in the rules of parts. The conditions that move to a part
    /// can contain a variable that none of them binds, for example because it occurs only under negation. The
    /// rule of the part then gets one more condition, an atom on a guard, and this atom binds the variable.
    /// The guard is the projection of a condition that stays in the decomposed rule. A guard therefore
    /// restricts the tuples of the part, but does not change the answers of the decomposed rule.
    pub guards: Vec<RelationId>,
    /// For each part and guard, in the order of `signatures`: the head relation of the rule whose
    /// decomposition created the part or guard.
    pub owners: Vec<RelationId>,
}

/// A rule with more conditions than this, or with more variables than this, is not decomposed.
const LONGEST: usize = 200;

/// Decomposes `rules` in order. Rules that need the same part share it.
pub fn decompose(signatures: Vec<Signature>, rules: Vec<Rule>) -> Decomposed {
    let done = Decomposed { signatures, rules: Vec::new(), guards: Vec::new(), owners: Vec::new() };
    let mut work = Decomposition { done, parts: FxHashMap::default() };
    let mut decomposed: Vec<Rule> = Vec::with_capacity(rules.len());
    for mut rule in rules {
        while let Some(group) = Group::best(&rule) {
            work.take_out(&mut rule, &group);
        }
        decomposed.push(rule);
    }
    work.join_alternatives(&mut decomposed);
    work.done.rules.append(&mut decomposed);
    work.done
}

struct Decomposition {
    done: Decomposed,
    /// Maps the definition of each part and guard to its relation. A definition consists of a flag that is
    /// true for a guard, the arity of the relation, and the body of its only rule. The variables in this rule
    /// are renumbered: those of the head come first, and the others follow in order of occurrence in the
    /// body.
    parts: FxHashMap<(bool, usize, Vec<Literal>), RelationId>,
}

/// A group of variables of one rule that do not occur in the head and occur in exactly the same conditions.
/// They are eliminated together: a new relation, called a part, without columns for these variables replaces
/// these conditions.
struct Group {
    eliminated: BTreeSet<Variable>,
    /// The conditions in which the eliminated variables occur, given as indices of body literals.
    conditions: Vec<usize>,
    /// The variables of these conditions that are not eliminated: the columns of the part.
    kept: Vec<Variable>,
    /// The guards that the part needs. Each guard is made from a body literal outside `conditions`, and binds
    /// variables that `conditions` contain but do not bind. It is given by the index of this literal in the
    /// body, and by the variables that the literal shares with `conditions`.
    guards: Vec<(usize, Vec<Variable>)>,
}

impl Group {
    /// The best group of variables to eliminate from `rule`: the one whose conditions together have the
    /// fewest variables. Skips each group whose conditions contain all variables of the body. Skips also each
    /// group whose conditions contain a variable that neither they nor guards can bind. Returns `None` if no
    /// group is left, if the rule has fewer than two conditions, or if it is longer than `LONGEST` allows.
    fn best(rule: &Rule) -> Option<Group> {
        if rule.body.len() < 2 || rule.body.len() > LONGEST || rule.variables as usize > LONGEST {
            return None;
        }
        let of_literal: Vec<BTreeSet<Variable>> = rule.body.iter().map(variables).collect();
        let head: BTreeSet<Variable> = rule.head.args.iter().filter_map(|a| a.variable()).collect();
        let all: BTreeSet<Variable> = of_literal.iter().flatten().copied().collect();
        // Group the variables by the conditions in which they occur.
        let mut groups: Vec<(Vec<usize>, BTreeSet<Variable>)> = Vec::new();
        for &variable in all.difference(&head) {
            let conditions: Vec<usize> =
                (0..of_literal.len()).filter(|&l| of_literal[l].contains(&variable)).collect();
            match groups.iter_mut().find(|(known, _)| *known == conditions) {
                Some((_, variables)) => {
                    variables.insert(variable);
                }
                None => groups.push((conditions, BTreeSet::from([variable]))),
            }
        }
        let inside = |conditions: &[usize]| -> BTreeSet<Variable> {
            conditions.iter().flat_map(|&l| &of_literal[l]).copied().collect()
        };
        let width = |(conditions, eliminated): &(Vec<usize>, BTreeSet<Variable>)| {
            let inside = inside(conditions).len();
            (inside, inside - eliminated.len(), conditions[0])
        };
        groups.sort_by_key(width);
        groups.into_iter().find_map(|(conditions, eliminated)| {
            let inside = inside(&conditions);
            if inside.len() == all.len() {
                return None;
            }
            let kept = inside.difference(&eliminated).copied().collect();
            let guards = guards(rule, &of_literal, &conditions, &inside)?;
            Some(Group { eliminated, conditions, kept, guards })
        })
    }
}

impl Decomposition {
    /// Replaces the conditions of `group` in `rule` by one literal on a part. The part has no columns for the
    /// eliminated variables.
    fn take_out(&mut self, rule: &mut Rule, group: &Group) {
        let mut body = Vec::with_capacity(group.conditions.len() + group.guards.len());
        for (literal, bound) in &group.guards {
            let guarding = [rule.body[*literal].clone()];
            let guard = self.part(rule, bound, &guarding, true);
            body.push(Literal::Positive(guard));
        }
        body.extend(group.conditions.iter().map(|&l| rule.body[l].clone()));
        let part = self.part(rule, &group.kept, &body, false);
        let mut number = 0;
        rule.body.retain(|_| {
            number += 1;
            !group.conditions.contains(&(number - 1))
        });
        rule.body.push(Literal::Positive(part));
        debug_assert!(rule.body.iter().all(|l| variables(l).is_disjoint(&group.eliminated)));
    }

    /// A rule with a disjunction of tests on its head, such as `h(X) :- a(X, Y), b(Y), (X /= 1 or not c(X))`, becomes
    /// one rule for each test when the disjunction is distributed. The conditions that these rules have in
    /// common move to a part, so that they are joined once. `rules` must be decomposed.
    fn join_alternatives(&mut self, rules: &mut [Rule]) {
        // 1. Alternatives have the same head and the same conditions that bind variables.
        let binds = |literal: &&Literal| matches!(literal, Literal::Positive(_) | Literal::Compose { .. });
        let mut alternatives: FxHashMap<(Atom, Vec<Literal>), Vec<usize>> = FxHashMap::default();
        for (number, rule) in rules.iter().enumerate().filter(|(_, rule)| rule.body.len() <= LONGEST) {
            let binding = rule.body.iter().filter(binds).cloned().collect();
            alternatives.entry((rule.head.clone(), binding)).or_default().push(number);
        }
        let mut alternatives: Vec<Vec<usize>> = alternatives.into_values().filter(|a| a.len() > 1).collect();
        alternatives.sort_unstable();
        for numbers in alternatives {
            // 2. The part has no column that the head does not have, or it could have more rows than the head.
            let first = rules[numbers[0]].clone();
            let is_common = |literal: &&Literal| numbers.iter().all(|&n| rules[n].body.contains(literal));
            let common: Vec<Literal> = first.body.iter().filter(is_common).cloned().collect();
            let mut tests =
                numbers.iter().flat_map(|&n| rules[n].body.iter().filter(|l| !common.contains(l)));
            let head: BTreeSet<Variable> = first.head.args.iter().filter_map(|a| a.variable()).collect();
            let inside: BTreeSet<Variable> = common.iter().flat_map(variables).collect();
            if inside.is_subset(&head) || !tests.all(|test| variables(test).is_subset(&head)) {
                continue;
            }
            // 3. The part replaces the common conditions.
            let kept: Vec<Variable> = inside.intersection(&head).copied().collect();
            let part = self.part(&first, &kept, &common, false);
            for number in numbers {
                let body = &mut rules[number].body;
                body.retain(|literal| !common.contains(literal));
                body.push(Literal::Positive(part.clone()));
            }
        }
    }

    /// Returns an atom on the part that is defined by the body `body`, or on the guard so defined if `guard`
    /// is true. The arguments of the atom are the variables `kept` of `rule`. Adds the part or guard and its
    /// only rule if they do not exist yet.
    fn part(&mut self, rule: &Rule, kept: &[Variable], body: &[Literal], guard: bool) -> Atom {
        let mut names: FxHashMap<Variable, Variable> = FxHashMap::default();
        for &variable in kept {
            names.insert(variable, Variable(names.len() as u32));
        }
        let body: Vec<Literal> =
            body.iter().map(|literal| literal.map(|argument| rename(argument, &mut names))).collect();
        let Decomposed { signatures, rules, guards, owners } = &mut self.done;
        let key = (guard, kept.len(), body);
        let relation = if let Some(&known) = self.parts.get(&key) {
            known
        } else {
            let relation = RelationId(signatures.len() as u32);
            let whole = &signatures[rule.head.relation.index()].name;
            let name = format!("{} of {whole}", if guard { "guard" } else { "part" });
            signatures.push(Signature { name, arity: kept.len(), level: 0 });
            owners.push(rule.head.relation);
            if guard {
                guards.push(relation);
            }
            let args = (0..kept.len() as u32).map(|v| Argument::Variable(Variable(v))).collect();
            rules.push(Rule {
                head: Atom { relation, args },
                body: key.2.clone(),
                variables: names.len() as u32,
                label: rule.label,
            });
            self.parts.insert(key, relation);
            relation
        };
        Atom { relation, args: kept.iter().map(|&v| Argument::Variable(v)).collect() }
    }
}

/// The guards that `conditions` need: other literals of the body, which bind those variables of `conditions`
/// that `conditions` do not bind. `inside` is the set of all variables of `conditions`. Each guard is given
/// by the index of its literal in the body, and by the variables that this literal shares with `inside`.
/// Returns `None` if a variable stays unbound even with guards.
fn guards(
    rule: &Rule,
    of_literal: &[BTreeSet<Variable>],
    conditions: &[usize],
    inside: &BTreeSet<Variable>,
) -> Option<Vec<(usize, Vec<Variable>)>> {
    let mut bound: BTreeSet<Variable> = BTreeSet::new();
    for &condition in conditions {
        if matches!(rule.body[condition], Literal::Positive(_)) {
            bound.extend(&of_literal[condition]);
        }
    }
    let mut guards = Vec::new();
    loop {
        compose(rule, conditions, &mut bound);
        let open: BTreeSet<Variable> = inside.difference(&bound).copied().collect();
        if open.is_empty() {
            return Some(guards);
        }
        let binds = |l: &usize| of_literal[*l].intersection(&open).count();
        let outside = (0..rule.body.len()).filter(|l| !conditions.contains(l));
        let positive = outside.filter(|&l| matches!(rule.body[l], Literal::Positive(_)) && binds(&l) > 0);
        // Prefer the literal that binds the most unbound variables. Among equals, prefer the one with the
        // fewest variables.
        let best = positive.min_by_key(|&l| (usize::MAX - binds(&l), of_literal[l].len(), l))?;
        let shared: Vec<Variable> = of_literal[best].intersection(inside).copied().collect();
        bound.extend(&shared);
        guards.push((best, shared));
    }
}

/// Adds to `bound` all variables that the [`Literal::Compose`] literals among `conditions` can bind, starting
/// from the variables that are in `bound`.
fn compose(rule: &Rule, conditions: &[usize], bound: &mut BTreeSet<Variable>) {
    loop {
        let before = bound.len();
        for &condition in conditions {
            let Literal::Compose { term, args, .. } = &rule.body[condition] else { continue };
            let has = |argument: &Argument| argument.variable().is_none_or(|v| bound.contains(&v));
            if has(term) || args.iter().all(has) {
                bound.extend(rule.body[condition].arguments().filter_map(Argument::variable));
            }
        }
        if bound.len() == before {
            return;
        }
    }
}

fn variables(literal: &Literal) -> BTreeSet<Variable> {
    literal.arguments().filter_map(Argument::variable).collect()
}

/// Renames the variable of `argument` according to `names`. A variable that `names` does not contain gets the next
/// free number and is added to `names`.
fn rename(argument: Argument, names: &mut FxHashMap<Variable, Variable>) -> Argument {
    match argument {
        Argument::Variable(variable) => {
            let next = Variable(names.len() as u32);
            Argument::Variable(*names.entry(variable).or_insert(next))
        }
        value @ Argument::Value(_) => value,
    }
}

#[cfg(test)]
mod tests {
    use super::{Decomposed, decompose};
    use crate::rule::{Argument, Atom, Literal, RelationId, Rule, Signature, Variable};

    /// The atom that applies the relation with index `relation` to the variables `args`.
    fn atom(relation: u32, args: &[u32]) -> Atom {
        let args = args.iter().map(|&v| Argument::Variable(Variable(v))).collect();
        Atom { relation: RelationId(relation), args }
    }

    fn holds(relation: u32, args: &[u32]) -> Literal {
        Literal::Positive(atom(relation, args))
    }

    fn taken_apart(heads: &[&[u32]], body: &[Literal]) -> Decomposed {
        let signature = |arity| Signature { name: "r".to_owned(), arity, level: 0 };
        let signatures = [2, 2, 1, 1, 2].map(signature).to_vec();
        let rule = |head: &&[u32]| Rule { head: atom(0, head), body: body.to_vec(), variables: 9, label: 0 };
        decompose(signatures, heads.iter().map(rule).collect())
    }

    #[test]
    fn what_only_a_part_reads_is_joined_there_and_once_for_all_rules() {
        // far(X, Z) :- near(X, Y), open(Y), city(Z), not far(X, Z).
        let body = [holds(1, &[0, 1]), holds(2, &[1]), holds(3, &[2]), Literal::Negative(atom(4, &[0, 2]))];
        let parts = taken_apart(&[&[0, 2], &[2, 0]], &body);
        let part = Rule {
            head: atom(5, &[0]),
            body: vec![holds(1, &[0, 1]), holds(2, &[1])],
            variables: 2,
            label: 0,
        };
        assert_eq!(parts.rules.iter().filter(|rule| rule.head.relation == RelationId(5)).count(), 1);
        assert!(parts.rules.contains(&part), "{:?}", parts.rules);
        assert_eq!(parts.rules.len(), 3);
        assert_eq!(parts.rules[1].body, [body[2].clone(), body[3].clone(), holds(5, &[0])]);
        assert_eq!((parts.signatures.len(), parts.owners, parts.guards), (6, vec![RelationId(0)], vec![]));
    }

    #[test]
    fn what_a_part_only_tests_is_bound_by_a_guard() {
        // h(X, Z) :- a(X, W), c(Z), b(Y), not d(Y, X): the part that projects out Y needs a guard to bind X.
        let body = [holds(1, &[0, 3]), holds(3, &[2]), holds(2, &[1]), Literal::Negative(atom(4, &[1, 0]))];
        let parts = taken_apart(&[&[0, 2]], &body);
        let guard = *parts.guards.first().expect("one is needed");
        let defined = |relation| parts.rules.iter().find(|rule| rule.head.relation == relation).unwrap();
        assert_eq!(defined(guard).body.len(), 1);
        let part = parts.rules.iter().find(|rule| rule.body.contains(&holds(guard.0, &[0]))).unwrap();
        assert!(part.body.iter().any(|literal| matches!(literal, Literal::Negative(_))));
        let reads = |rule: &&Rule| rule.head.relation == RelationId(0);
        let rule = parts.rules.iter().find(reads).unwrap();
        assert!(rule.body.iter().all(|literal| matches!(literal, Literal::Positive(_))));
    }

    #[test]
    fn alternatives_with_different_tests_of_the_head_join_the_rest_once() {
        // h(X, Z) :- a(X, Y), b(Y, Z), and one of: not c(X); not d(Z).
        let body = |test| vec![holds(1, &[0, 1]), holds(4, &[1, 2]), Literal::Negative(test)];
        let signature = |arity| Signature { name: "r".to_owned(), arity, level: 0 };
        let signatures = [2, 2, 1, 1, 2].map(signature).to_vec();
        let rule =
            |test, head: &[u32]| Rule { head: atom(0, head), body: body(test), variables: 9, label: 0 };
        let rules = vec![rule(atom(2, &[0]), &[0, 2]), rule(atom(3, &[2]), &[0, 2])];
        let parts = decompose(signatures.clone(), rules);
        let reads = |test| vec![Literal::Negative(test), holds(5, &[0, 2])];
        let bodies: Vec<&[Literal]> = parts.rules.iter().map(|rule| &rule.body[..]).collect();
        let joined = [holds(1, &[0, 2]), holds(4, &[2, 1])];
        assert_eq!(bodies, [&joined[..], &reads(atom(2, &[0])), &reads(atom(3, &[2]))]);
        // A test of Y leaves the rules apart, because the part would need a column for Y.
        let rules = vec![rule(atom(2, &[1]), &[0, 2]), rule(atom(3, &[2]), &[0, 2])];
        assert_eq!(decompose(signatures, rules.clone()).rules, rules);
    }

    #[test]
    fn a_rule_that_would_get_no_narrower_stays() {
        let body = [holds(1, &[0, 1]), holds(4, &[1, 2])];
        let parts = taken_apart(&[&[0, 2]], &body);
        assert_eq!((parts.rules.len(), &parts.rules[0].body[..]), (1, &body[..]));
    }
}
