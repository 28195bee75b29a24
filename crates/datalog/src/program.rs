//! A program: rules that are grouped into strata and have join plans.

use crate::error::ProgramError;
use crate::plan::{Indexes, Plan, Planner, Purpose};
use crate::rule::{Literal, RelationId, Rule, Signature, Variable};
use crate::statistics::Statistics;
use crate::strata::{Stratum, stratify};

/// The join plans of one rule.
#[derive(Clone, Default, Debug)]
pub(crate) struct RulePlans {
    /// The plan that joins the whole body, which the first round of the fixpoint runs. `None` if the rule has
    /// plans in `deltas`.
    pub(crate) whole: Option<Plan>,
    /// Whether the later rounds of the fixpoint run the plan `whole` too.
    pub(crate) every_round: bool,
    /// The semi-naive plans: for each recursive literal, the relation of the literal and a plan. In this plan
    /// the literal reads only the delta: the tuples that the previous round added to the relation.
    pub(crate) deltas: Vec<(RelationId, Plan)>,
}

/// The maximum number of recursive literals for which a rule gets semi-naive plans. For a rule with more
/// recursive literals, every round joins the whole body, since one plan per literal would take memory
/// quadratic in the length of the rule.
const MOST_DELTAS: usize = 64;

/// A set of rules that is divided into strata, with join plans for each rule.
#[derive(Clone, Debug)]
pub struct Program {
    signatures: Vec<Signature>,
    rules: Vec<Rule>,
    strata: Vec<Stratum>,
    /// For each relation, the index of its stratum in `strata`.
    stratum_of: Vec<usize>,
    /// For each relation, its level: the highest [`Signature::level`] among the input relations on which the
    /// relation depends.
    levels: Vec<u8>,
    relations_from: Vec<Vec<RelationId>>,
    strata_from: Vec<Vec<u32>>,
    pub(crate) plans: Vec<RulePlans>,
    pub(crate) indexes: Indexes,
}

/// The strata to evaluate in order to get the tuples of some relations, in evaluation order. Made by
/// [`Program::query`] or [`Program::query_below`].
#[derive(Clone, Debug, Default)]
pub struct Query {
    pub(crate) strata: Vec<u32>,
}

impl Program {
    /// Stratifies and plans `rules` over relations with `signatures`.
    ///
    /// # Errors
    /// Fails when a rule is unsafe, that is, when no literal binds one of its variables. Fails also when a
    /// relation depends on itself through negation.
    pub fn new(signatures: Vec<Signature>, rules: Vec<Rule>) -> Result<Program, ProgramError> {
        let mut program = Program::unplanned(signatures, rules)?;
        program.plan(&program.statistics())?;
        Ok(program)
    }

    /// Like [`Program::new`], but does not plan the rules. Call [`Program::plan`] before evaluating: rules
    /// without plans derive nothing.
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

    /// Plans all rules again for the relation sizes in `statistics`. The new plans can need other hash
    /// indexes, so call [`crate::Database::reindex`] afterwards on each database of the program.
    ///
    /// # Errors
    /// Fails when a rule is unsafe. It never fails for a program that has been planned before.
    pub fn plan(&mut self, statistics: &Statistics) -> Result<(), ProgramError> {
        self.indexes = Indexes::new(self.signatures.len());
        self.plans = vec![RulePlans::default(); self.rules.len()];
        (0..self.strata.len()).try_for_each(|stratum| self.plan_stratum(stratum, statistics))
    }

    /// Plans the rules of the stratum with index `stratum`.
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

    /// Empty statistics for the relations of this program: no sizes have been observed yet. Use them in
    /// [`Program::plan`].
    pub fn statistics(&self) -> Statistics {
        Statistics::new(self.signatures.iter().map(|s| s.arity))
    }

    /// The rules, in the order in which the caller gave them.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The strata in evaluation order: each stratum comes after the strata on which it depends.
    pub fn strata(&self) -> &[Stratum] {
        &self.strata
    }

    /// The signatures of the relations, indexed by [`RelationId::index`].
    pub fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    /// The highest [`Signature::level`] among the input relations on which `relation` depends.
    pub fn level(&self, relation: RelationId) -> u8 {
        self.levels[relation.index()]
    }

    /// The given `relations` and all relations on which they depend, in the order of the strata.
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

    /// The query that evaluates `relations` and all relations on which they depend.
    pub fn query(&self, relations: &[RelationId]) -> Query {
        let needed = self.needed_strata(relations);
        let strata = (0..self.strata.len()).filter(|&s| needed[s] && !self.strata[s].rules.is_empty());
        Query { strata: strata.map(|s| s as u32).collect() }
    }

    /// Like [`Program::query`], but the query evaluates only those strata whose relations have a level below
    /// `level` (see [`Program::level`]). Calling [`crate::Database::clear_from`] with the same `level` does
    /// not clear these strata.
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
