//! A program: rules in strata with join plans, ready to evaluate.

use crate::error::ProgramError;
use crate::plan::{Indexes, Plan, Planner, Purpose};
use crate::rule::{Literal, RelationId, Rule, Signature, Variable};
use crate::statistics::Statistics;
use crate::strata::{Stratum, stratify};

/// The join plans of one rule.
#[derive(Clone, Default, Debug)]
pub(crate) struct RulePlans {
    /// The plan for the first round of a fixpoint. `None` if the rule has plans in `deltas`.
    pub(crate) whole: Option<Plan>,
    /// Whether later rounds run `whole` too.
    pub(crate) every_round: bool,
    /// The semi-naive plans: for each recursive literal, a plan in which that literal reads the delta of the last
    /// round.
    pub(crate) deltas: Vec<(RelationId, Plan)>,
}

/// A rule with more recursive literals than this has no semi-naive plans and is joined as a whole in every round:
/// one plan for each literal takes memory quadratic in the rule's length.
const MOST_DELTAS: usize = 64;

/// A stratified set of rules with join plans.
#[derive(Clone, Debug)]
pub struct Program {
    signatures: Vec<Signature>,
    rules: Vec<Rule>,
    strata: Vec<Stratum>,
    /// The stratum of each relation.
    stratum_of: Vec<usize>,
    /// The level of each relation: the highest level among the inputs on which it depends.
    levels: Vec<u8>,
    relations_from: Vec<Vec<RelationId>>,
    strata_from: Vec<Vec<u32>>,
    pub(crate) plans: Vec<RulePlans>,
    pub(crate) indexes: Indexes,
}

/// The strata on which some relations depend, in evaluation order.
#[derive(Clone, Debug, Default)]
pub struct Query {
    pub(crate) strata: Vec<u32>,
}

impl Program {
    /// Stratifies and plans `rules` over relations with `signatures`.
    ///
    /// # Errors
    /// Fails when a rule is unsafe or a relation depends on itself through negation.
    pub fn new(signatures: Vec<Signature>, rules: Vec<Rule>) -> Result<Program, ProgramError> {
        let mut program = Program::unplanned(signatures, rules)?;
        program.plan(&program.statistics())?;
        Ok(program)
    }

    /// The same as [`Program::new`], but without join plans. The caller calls [`Program::plan`] before it
    /// evaluates the program: rules without plans derive nothing.
    ///
    /// # Errors
    /// Fails when a relation depends on itself through negation.
    pub fn unplanned(signatures: Vec<Signature>, rules: Vec<Rule>) -> Result<Program, ProgramError> {
        let strata = stratify(signatures.len(), &rules)?;
        let mut stratum_of = vec![0; signatures.len()];
        let mut levels: Vec<u8> = signatures.iter().map(|s| s.level).collect();
        let highest = levels.iter().copied().max().unwrap_or(0);
        let mut relations_from = vec![Vec::new(); usize::from(highest) + 1];
        let mut strata_from = vec![Vec::new(); usize::from(highest) + 1];
        for (number, stratum) in strata.iter().enumerate() {
            let body = stratum.rules.iter().flat_map(|&r| &rules[r].body).filter_map(relation_of);
            let level = body.chain(stratum.relations.iter().copied()).map(|r| levels[r.index()]).max();
            let level = level.unwrap_or(0);
            for &relation in &stratum.relations {
                stratum_of[relation.index()] = number;
                levels[relation.index()] = level;
                relations_from[..=usize::from(level)].iter_mut().for_each(|r| r.push(relation));
            }
            strata_from[..=usize::from(level)].iter_mut().for_each(|s| s.push(number as u32));
        }
        Ok(Program {
            indexes: Indexes::new(signatures.len()),
            plans: vec![RulePlans::default(); rules.len()],
            signatures,
            rules,
            strata,
            stratum_of,
            levels,
            relations_from,
            strata_from,
        })
    }

    /// Plans all rules again, for the sizes of relations in `statistics`. The caller then calls
    /// [`crate::Database::reindex`] on each database of the program.
    ///
    /// # Errors
    /// Fails when a rule is unsafe. It never fails for a program that has been planned before.
    pub fn plan(&mut self, statistics: &Statistics) -> Result<(), ProgramError> {
        self.indexes = Indexes::new(self.signatures.len());
        self.plans = vec![RulePlans::default(); self.rules.len()];
        (0..self.strata.len()).try_for_each(|stratum| self.plan_stratum(stratum, statistics))
    }

    /// Plans the rules of one stratum.
    pub(crate) fn plan_stratum(
        &mut self,
        stratum: usize,
        statistics: &Statistics,
    ) -> Result<(), ProgramError> {
        let mut planner = Planner { statistics, indexes: &mut self.indexes };
        for &number in &self.strata[stratum].rules {
            let rule = &self.rules[number];
            let is_unsafe =
                |variable: Variable| ProgramError::Unsafe { label: rule.label, variable: variable.0 };
            let mut plans = RulePlans::default();
            let positive = rule.body.iter().enumerate().filter_map(positive_relation);
            let recursive: Vec<(usize, RelationId)> =
                positive.filter(|(_, relation)| self.stratum_of[relation.index()] == stratum).collect();
            plans.every_round = recursive.len() > MOST_DELTAS;
            if recursive.is_empty() || plans.every_round {
                plans.whole = Some(planner.plan(rule, Purpose::Derive, None, &[]).map_err(is_unsafe)?);
            } else {
                for (literal, relation) in recursive {
                    let plan = planner.plan(rule, Purpose::Derive, Some(literal), &[]).map_err(is_unsafe)?;
                    plans.deltas.push((relation, plan));
                }
            }
            self.plans[number] = plans;
        }
        Ok(())
    }

    /// Statistics without observations, to be filled for [`Program::plan`].
    pub fn statistics(&self) -> Statistics {
        Statistics::new(self.signatures.iter().map(|s| s.arity))
    }

    /// The rules.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The strata. Each comes after those on which it depends.
    pub fn strata(&self) -> &[Stratum] {
        &self.strata
    }

    /// The names, arities and input levels of the relations.
    pub fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    /// The highest level among the inputs on which `relation` depends.
    pub fn level(&self, relation: RelationId) -> u8 {
        self.levels[relation.index()]
    }

    /// `relations` and all relations on which they depend, in the order of the strata.
    pub fn needed(&self, relations: &[RelationId]) -> Vec<RelationId> {
        let needed = self.needed_strata(relations);
        let strata = self.strata.iter().zip(needed).filter(|(_, needed)| *needed);
        strata.flat_map(|(stratum, _)| stratum.relations.iter().copied()).collect()
    }

    fn needed_strata(&self, relations: &[RelationId]) -> Vec<bool> {
        let mut needed = vec![false; self.strata.len()];
        let mut open: Vec<usize> = relations.iter().map(|r| self.stratum_of[r.index()]).collect();
        while let Some(stratum) = open.pop() {
            if std::mem::replace(&mut needed[stratum], true) {
                continue;
            }
            let rules = self.strata[stratum].rules.iter().map(|&r| &self.rules[r]);
            let body = rules.flat_map(|rule| &rule.body).filter_map(relation_of);
            open.extend(body.map(|r| self.stratum_of[r.index()]));
        }
        needed
    }

    /// The query that evaluates all strata on which `relations` depend.
    pub fn query(&self, relations: &[RelationId]) -> Query {
        let needed = self.needed_strata(relations);
        let strata = (0..self.strata.len()).filter(|&s| needed[s] && !self.strata[s].rules.is_empty());
        Query { strata: strata.map(|s| s as u32).collect() }
    }

    /// The same as [`Program::query`], restricted to relations whose level is below `level`. They remain complete
    /// when the database is cleared from `level` on.
    pub fn query_below(&self, relations: &[RelationId], level: u8) -> Query {
        let mut query = self.query(relations);
        query.strata.retain(|&s| self.levels[self.strata[s as usize].relations[0].index()] < level);
        query
    }

    pub(crate) fn arity(&self, relation: usize) -> usize {
        self.signatures[relation].arity
    }

    pub(crate) fn relation_count(&self) -> usize {
        self.signatures.len()
    }

    pub(crate) fn relations_from(&self, level: u8) -> &[RelationId] {
        self.relations_from.get(usize::from(level)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn strata_from(&self, level: u8) -> &[u32] {
        self.strata_from.get(usize::from(level)).map_or(&[], Vec::as_slice)
    }
}

fn positive_relation((number, literal): (usize, &Literal)) -> Option<(usize, RelationId)> {
    match literal {
        Literal::Positive(atom) => Some((number, atom.relation)),
        _ => None,
    }
}

pub(crate) fn relation_of(literal: &Literal) -> Option<RelationId> {
    match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => Some(atom.relation),
        Literal::Distinct(..) | Literal::Compose { .. } => None,
    }
}
