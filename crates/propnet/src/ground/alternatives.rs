//! Rules that are equal except for one condition, such as those that come from `(or (rook ?x) (queen ?x))`,
//! become one rule. Its condition reads a new relation, which is the union of the alternatives. A long rule
//! then has its instances once, instead of once for each alternative.

use super::relax::Rules;
use ggp_datalog::{Argument, Atom, Literal, RelationId, Rule, Signature, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of conditions of a rule that is compared with others.
const LONGEST: usize = 64;

/// Merges rules of `rules` as long as two of them are equal except for one condition.
pub(super) fn merge(rules: &mut Rules) {
    let mut unions: FxHashMap<(Vec<Argument>, Vec<Literal>), RelationId> = FxHashMap::default();
    let mut read: FxHashSet<RelationId> = FxHashSet::default();
    loop {
        let Some((members, place)) = alternatives(&rules.lowering.rules, &read) else { return };
        let literal = |rule: &usize| rules.lowering.rules[*rule].body[place].clone();
        let literals: Vec<Literal> = members.iter().map(literal).collect();
        let kept = &rules.lowering.rules[members[0]];
        let columns: Vec<Argument> = needed(kept, place).into_iter().map(Argument::Variable).collect();
        let label = kept.label;
        let variables = members.iter().map(|&rule| rules.lowering.rules[rule].variables).max().unwrap_or(0);
        let next = RelationId(rules.lowering.signatures.len() as u32);
        let union = *unions.entry((columns.clone(), literals.clone())).or_insert(next);
        if union == next {
            let name = format!("one of {} alternatives", literals.len());
            rules.lowering.signatures.push(Signature { name, arity: columns.len(), level: 0 });
            let on_demand = |literal: &Literal| match literal {
                Literal::Positive(atom) => rules.demanded.get(atom.relation.index()) == Some(&true),
                _ => false,
            };
            let demanded = literals.iter().any(on_demand);
            rules.demanded.resize(next.index(), false);
            rules.demanded.push(demanded);
            read.insert(union);
            for literal in literals {
                let head = Atom { relation: union, args: columns.clone() };
                rules.lowering.rules.push(Rule { head, body: vec![literal], variables, label });
            }
        }
        rules.lowering.rules[members[0]].body[place] =
            Literal::Positive(Atom { relation: union, args: columns });
        let dropped: FxHashSet<usize> = members[1..].iter().copied().collect();
        let mut at = 0;
        rules.lowering.rules.retain(|_| {
            at += 1;
            !dropped.contains(&(at - 1))
        });
    }
}

/// The variables of the condition `place` of `rule` that the rest of the rule reads, in ascending order.
fn needed(rule: &Rule, place: usize) -> Vec<Variable> {
    let rest = rule.body.iter().enumerate().filter(|&(at, _)| at != place).map(|(_, literal)| literal);
    let read: FxHashSet<Variable> = rest
        .flat_map(Literal::arguments)
        .chain(rule.head.args.iter().copied())
        .filter_map(Argument::variable)
        .collect();
    let mut needed: Vec<Variable> =
        rule.body[place].arguments().filter_map(Argument::variable).filter(|v| read.contains(v)).collect();
    needed.sort_unstable();
    needed.dedup();
    needed
}

/// The parts that alternatives have in common: the head, the other conditions, the place of the condition that differs,
/// and those of its variables that the rest reads.
type Common<'a> = (&'a Atom, Vec<&'a Literal>, usize, Vec<Variable>);

/// Two or more rules, by their indices, which are equal except for the positive condition with the returned
/// index. Rules that derive a relation of `unions` are left out.
fn alternatives(rules: &[Rule], unions: &FxHashSet<RelationId>) -> Option<(Vec<usize>, usize)> {
    let mut groups: FxHashMap<Common, Vec<usize>> = FxHashMap::default();
    let mut order: Vec<Common> = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        if rule.body.len() < 2 || rule.body.len() > LONGEST || unions.contains(&rule.head.relation) {
            continue;
        }
        for (place, literal) in rule.body.iter().enumerate() {
            if !matches!(literal, Literal::Positive(_)) {
                continue;
            }
            let rest = rule.body.iter().enumerate().filter(|&(at, _)| at != place).map(|(_, l)| l);
            let common: Common = (&rule.head, rest.collect(), place, needed(rule, place));
            let group = groups.entry(common.clone()).or_default();
            if group.is_empty() {
                order.push(common);
            }
            if group.iter().all(|&other| rules[other].body[place] != *literal) {
                group.push(number);
            }
        }
    }
    order.into_iter().find_map(|common| {
        let members = &groups[&common];
        (members.len() > 1).then(|| (members.clone(), common.2))
    })
}

#[cfg(test)]
mod tests {
    use super::{Rules, merge};
    use ggp_game::Game;

    /// The number of conditions of each rule for `p` after the merge.
    fn merged(rules: &str) -> Vec<usize> {
        let rules = format!(
            "(role white) (init a) (init (b 1)) (init (c 1)) (<= (legal white m) (true a)) (<= (next a) (true a))
             (<= (next (b ?x)) (true (b ?x))) (<= (next (c ?x)) (true (c ?x)))
             (<= terminal (p 1)) (<= (goal white 50) (true a)) {rules}"
        );
        let game = Game::new(ggp_gdl::parse(rules.as_bytes()).expect("GDL")).expect("a game");
        let mut rules = Rules::of(&game);
        merge(&mut rules);
        let Rules { lowering, .. } = rules;
        let is_p = |relation: usize| lowering.signatures[relation].name == "p/1";
        lowering.rules.iter().filter(|r| is_p(r.head.relation.index())).map(|r| r.body.len()).collect()
    }

    #[test]
    fn rules_that_differ_in_one_condition_become_one() {
        assert_eq!(merged("(<= (p ?x) (or (true (b ?x)) (true (c ?x))) (true a))"), [2]);
    }

    #[test]
    fn rules_that_differ_in_their_head_or_in_two_conditions_stay() {
        assert_eq!(merged("(<= (p 1) (true (b 1)) (true a)) (<= (p 2) (true (c 1)) (true a))"), [2, 2]);
        assert_eq!(merged("(<= (p 1) (true (b 1)) (true a)) (<= (p 1) (true (c 1)) (true (b 2)))"), [2, 2]);
        assert_eq!(merged("(<= (p 1) (true (b 1)) (true a)) (<= (p 1) (not (true (c 1))) (true a))"), [2, 2]);
    }
}
