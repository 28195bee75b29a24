//! Tunes the Datalog program of a game before the first query. A short playout measures the size of each
//! relation and the work for it. The sizes determine the evaluation plans. Expensive relations are evaluated
//! on demand (magic sets) if that reduces the work.

use crate::lower::Lowering;
use crate::semantics::{Semantics, SemanticsError};
use ggp_datalog::demand::{Demanded, Refusal, on_demand};
use ggp_datalog::{Database, Limits, Literal, Program, RelationId, Rule, Statistics, Value};
use ggp_gdl::Description;
use rustc_hash::FxHashSet;

/// The number of steps of the sample playout.
const SAMPLE_STEPS: usize = 16;

/// The largest number of rows that joins may try in the sample playout. Trying that many rows takes one or two
/// tenths of a second. A program that needs more rows for the first step of a game is too slow to play it.
const SAMPLE_ROWS: u64 = 4_000_000;

/// A sample playout whose joins have tried this many rows ends before the next query, but not before it has
/// sampled a whole step. The few steps of a costly game tell its programs apart as well as many steps do.
const ENOUGH_ROWS: u64 = 1_000_000;

/// The largest number of terms that the sample playout may make, and also the largest number of tuples.
const SAMPLE_TERMS: usize = 500_000;

/// A relation is a candidate for evaluation on demand if it takes more than this share of all work, or if its
/// evaluation fails.
const WORTHWHILE_SHARE: f64 = 0.1;

/// A rewritten program is kept only if its work is less than this share of the previous program's work for the
/// same number of queries.
const WORTHWHILE_GAIN: f64 = 0.8;

/// The same share for programs with a sample playout of [`ENOUGH_ROWS`] or more. In such a program many
/// relations are costly, and it becomes fast only if many of them are on demand; each one gains little.
const SMALL_GAIN: f64 = 0.97;

/// If no evaluation fails, a program is rewritten only if its sample playout tries at least this many rows.
const CHEAP_ROWS: u64 = 2_000;

/// Work for static relations is divided by this number before it is compared. The static relations are evaluated
/// once in a game, which has many more states than the sample playout.
const FIXED_SHARE: u64 = 1024;

/// The rewriting of a program ([`rewrite`]) is given up after this many attempts. After a failed attempt, the
/// next one has one more relation on demand, or one fewer. Each attempt costs a pass over all rules.
const MOST_REFUSALS: usize = 200;

/// The largest number of relations whose evaluation on demand is tried.
const ATTEMPTS: usize = 12;

/// The measurements of a sample playout.
#[derive(Debug)]
struct Sample {
    /// For each query that was answered, the work until then, in rows. The first query asks for the static
    /// relations; its work is divided by [`FIXED_SHARE`].
    answered: Vec<u64>,
    /// The relation whose evaluation failed. `None` if none failed.
    failed: Option<RelationId>,
    /// For each relation, its work: the number of rows that the joins for this relation have tried. The work
    /// for static relations is divided by [`FIXED_SHARE`].
    work: Vec<u64>,
    /// The work of the whole sample playout, in rows, that for static relations included.
    total: u64,
    /// The bound on the total work.
    bound: u64,
}

impl Sample {
    /// Whether this sample shows a better program than `other` does. A program that answers a query at which
    /// the other one fails is better. Otherwise the work decides, for those queries that `other` has
    /// answered.
    fn is_better_than(&self, other: &Sample) -> bool {
        let (answers, others) = (self.answered.len(), other.answered.len());
        if answers < others {
            return false;
        }
        if answers > others && other.failed.is_some() {
            return true;
        }
        let work =
            |sample: &Sample| sample.answered[..others].last().map_or(0.0, |&w| sample.counted(w) as f64);
        let gain = if self.total.max(other.total) < ENOUGH_ROWS { WORTHWHILE_GAIN } else { SMALL_GAIN };
        work(self) < work(other) * gain
    }

    /// The work that counts if all work until some moment is `work`.
    fn counted(&self, work: u64) -> u64 {
        counted(work, self.answered.first().copied().unwrap_or(0).min(work))
    }

    /// The bound on the work of the next sample. A program that takes more work than a completed sample is
    /// not better.
    fn rows_to_beat(&self) -> u64 {
        if self.failed.is_none() { self.total } else { self.bound }
    }
}

/// The work that counts of the work `all`, of which `fixed` is for static relations.
fn counted(all: u64, fixed: u64) -> u64 {
    all - fixed + fixed / FIXED_SHARE
}

/// Plans the rules of `description`, tunes the plans, and evaluates the static relations.
pub(crate) fn semantics_of(description: &Description, limits: &Limits) -> Result<Semantics, SemanticsError> {
    let lowering = Lowering::stratified(description);
    let plain = Program::new(lowering.signatures.clone(), lowering.rules.clone());
    let plain = plain.map_err(|error| SemanticsError::refused(&lowering, &error))?;
    let mut semantics = fit(description, &lowering, plain, limits);
    semantics.complete(limits)?;
    Ok(semantics)
}

/// The semantics of a game with tuned plans. A relation is evaluated on demand if that reduces the work. The
/// static relations are not evaluated yet.
fn fit(description: &Description, lowering: &Lowering, program: Program, limits: &Limits) -> Semantics {
    let mut best = Semantics::of_program(program, description, lowering);
    let mut seen = sample(&mut best, limits, SAMPLE_ROWS);
    best.set_on_demand(vec![false; lowering.signatures.len()]);
    let mut demanded = vec![false; lowering.signatures.len()];
    let mut tried = demanded.clone();
    let mut sampled: FxHashSet<Vec<bool>> = FxHashSet::from_iter([demanded.clone()]);
    let mut origin: Vec<RelationId> = (0..demanded.len()).map(|r| RelationId(r as u32)).collect();
    for &asked in best.asked() {
        tried[asked.index()] = true;
    }
    for _ in 0..ATTEMPTS {
        let Some(relation) = most_costly(&seen, &origin, &tried) else { break };
        tried[relation.index()] = true;
        for deep in [false, true] {
            let mut attempt = demanded.clone();
            attempt[relation.index()] = true;
            if deep {
                include_askers(&mut attempt, &lowering.rules, relation, best.asked());
            }
            let Some(rewritten) = rewrite(lowering, &mut attempt, relation, best.asked()) else { continue };
            // Different attempts often become the same set of relations.
            if !sampled.insert(attempt.clone()) {
                continue;
            }
            let Ok(program) = Program::new(rewritten.signatures, rewritten.rules) else { continue };
            let mut candidate = Semantics::of_program(program, description, lowering);
            let shown = sample(&mut candidate, limits, seen.rows_to_beat());
            if shown.is_better_than(&seen) {
                (best, seen, demanded, origin) = (candidate, shown, attempt, rewritten.origin);
                best.set_on_demand(demanded.clone());
            }
        }
    }
    best
}

/// Returns `demanded`, the set of relations that are evaluated on demand, with `relation` added and with all
/// further changes that this addition requires. `None` if `relation` cannot be evaluated on demand.
pub fn demand_also(
    lowering: &Lowering,
    demanded: &[bool],
    relation: RelationId,
    asked: &[RelationId],
) -> Option<Vec<bool>> {
    let mut attempt = demanded.to_vec();
    attempt[relation.index()] = true;
    include_askers(&mut attempt, &lowering.rules, relation, asked);
    rewrite(lowering, &mut attempt, relation, asked).map(|_| attempt)
}

/// The semantics in which exactly the relations of `demanded` are evaluated on demand. `None` if the rules
/// cannot be rewritten in that way.
pub fn fit_demanded(
    description: &Description,
    lowering: &Lowering,
    demanded: &[bool],
    limits: &Limits,
) -> Option<Semantics> {
    let rewritten = on_demand(&lowering.signatures, &lowering.rules, |r| demanded[r.index()]).ok()?;
    let program = Program::new(rewritten.signatures, rewritten.rules).ok()?;
    let mut semantics = Semantics::of_program(program, description, lowering);
    sample(&mut semantics, limits, SAMPLE_ROWS);
    semantics.set_on_demand(demanded.to_vec());
    Some(semantics)
}

/// Adds to `attempt` all relations that depend on `relation`, directly or indirectly. Does not add the
/// relations of `asked`, which hold the answers of queries, nor those that depend on `relation` only through
/// them.
fn include_askers(attempt: &mut [bool], rules: &[Rule], relation: RelationId, asked: &[RelationId]) {
    let mut askers: Vec<Vec<RelationId>> = vec![Vec::new(); attempt.len()];
    for rule in rules {
        for literal in &rule.body {
            if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                askers[atom.relation.index()].push(rule.head.relation);
            }
        }
    }
    let asked: FxHashSet<RelationId> = asked.iter().copied().collect();
    let mut open = vec![relation];
    while let Some(wanted) = open.pop() {
        for &asker in &askers[wanted.index()] {
            if !attempt[asker.index()] && !asked.contains(&asker) {
                attempt[asker.index()] = true;
                open.push(asker);
            }
        }
    }
}

/// Rewrites the rules so that the relations of `attempt` are evaluated on demand. This is possible only if
/// every body literal that reads such a relation knows the value of at least one column, and if the demand
/// cannot grow without end. Until that is the case, the function adds relations to `attempt` or removes some.
/// `None` if `relation` itself would have to be removed, if the rewritten rules exceed a bound, or after
/// [`MOST_REFUSALS`] attempts.
fn rewrite(
    lowering: &Lowering,
    attempt: &mut [bool],
    relation: RelationId,
    asked: &[RelationId],
) -> Option<Demanded> {
    let mut out = vec![false; attempt.len()];
    for _ in 0..MOST_REFUSALS {
        match on_demand(&lowering.signatures, &lowering.rules, |r| attempt[r.index()]) {
            Ok(rewritten) => return Some(rewritten),
            Err(Refusal::TooMany) => return None,
            // A rule reads the relation `wanted` without a known column. Then the head relation of that rule,
            // `asker`, must be on demand, too. If that is impossible, `wanted` is evaluated in full.
            Err(Refusal::Unknown { asker, .. })
                if !attempt[asker.index()] && !out[asker.index()] && !asked.contains(&asker) =>
            {
                attempt[asker.index()] = true;
            }
            Err(Refusal::Unknown { wanted, .. } | Refusal::Endless { wanted }) => {
                if wanted == relation {
                    return None;
                }
                attempt[wanted.index()] = false;
                out[wanted.index()] = true;
            }
        }
    }
    None
}

/// The next candidate for evaluation on demand, among the relations that have not been tried: the relation
/// whose evaluation failed, otherwise the one with the most work. `None` if no relation takes enough work to
/// be worth a rewriting.
fn most_costly(sample: &Sample, origin: &[RelationId], tried: &[bool]) -> Option<RelationId> {
    if let Some(failed) = sample.failed {
        let failed = origin[failed.index()];
        if !tried[failed.index()] {
            return Some(failed);
        }
    }
    let total = sample.counted(sample.total);
    if total < CHEAP_ROWS {
        return None;
    }
    let mut costs = vec![0; tried.len()];
    for (relation, &work) in sample.work.iter().enumerate() {
        costs[origin[relation].index()] += work;
    }
    let costly = (0..tried.len()).filter(|&r| !tried[r]);
    let costly = costly.filter(|&r| costs[r] as f64 > total as f64 * WORTHWHILE_SHARE);
    costly.max_by_key(|&r| costs[r]).map(|r| RelationId(r as u32))
}

/// Plays a sample playout, whose joins may try `rows` rows, and plans the program from the statistics of the
/// playout.
fn sample(semantics: &mut Semantics, limits: &Limits, rows: u64) -> Sample {
    let limits = Limits {
        rows,
        terms: limits.terms.min(SAMPLE_TERMS),
        tuples: limits.tuples.min(SAMPLE_TERMS),
        ..limits.clone()
    };
    let mut statistics = semantics.program().statistics();
    let mut database = semantics.database();
    let (mut answered, mut fixed) = (Vec::new(), Vec::new());
    let end = playout(semantics, &mut database, &limits, &mut statistics, &mut answered, &mut fixed);
    semantics.plan(statistics);
    let fixed = |relation: usize| fixed.get(relation).copied().unwrap_or(0);
    let work = database.work().iter().enumerate().map(|(relation, &all)| counted(all, fixed(relation)));
    Sample {
        answered,
        failed: end.err().and_then(|_| database.failed()),
        work: work.collect(),
        total: database.total_work(),
        bound: rows,
    }
}

fn playout(
    semantics: &mut Semantics,
    database: &mut Database,
    limits: &Limits,
    statistics: &mut Statistics,
    answered: &mut Vec<u64>,
    fixed: &mut Vec<u64>,
) -> Result<(), ggp_datalog::EvalError> {
    let ask = semantics.queries().clone();
    let mut answer = |semantics: &mut Semantics, database: &mut Database, query| {
        let result = semantics.program_mut().evaluate_adaptively(database, query, limits, statistics);
        if result.is_ok() {
            answered.push(database.total_work());
        }
        result
    };
    answer(semantics, database, &ask.fixed)?;
    fixed.extend_from_slice(database.work());
    let roles = semantics.roles_in(database);
    let mut state = semantics.initial_state(database);
    for step in 0..SAMPLE_STEPS {
        semantics.clear_state(database);
        semantics.load_state(database, &state);
        for query in [&ask.terminal, &ask.legal, &ask.goal] {
            // A whole step at least, so that the sizes of all relations are known.
            if step > 0 && database.total_work() >= ENOUGH_ROWS {
                return Ok(());
            }
            answer(semantics, database, query)?;
        }
        let mut legal = vec![Vec::new(); roles.len()];
        semantics.legal_moves(database, &roles, &mut legal);
        // A deterministic choice that varies over the steps.
        let pick = |moves: &Vec<Value>| moves.get((step * 7919) % moves.len().max(1)).copied();
        let joint = legal.iter().map(pick).collect::<Option<Vec<Value>>>();
        let Some(joint) = joint.filter(|_| step == 0 || !semantics.is_terminal(database)) else { break };
        semantics.load_moves(database, &roles, &joint);
        answer(semantics, database, &ask.next)?;
        state = semantics.next_state(database);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(answered: &[u64], failed: bool) -> Sample {
        let failed = failed.then_some(RelationId(0));
        let total = answered.last().map_or(0, |&work| work);
        Sample { answered: answered.to_vec(), failed, work: Vec::new(), total, bound: SAMPLE_ROWS }
    }

    #[test]
    fn a_program_that_answers_more_before_it_fails_is_better() {
        let (short, long) = (sampled(&[10, 20], true), sampled(&[10, 400, 500], true));
        assert!(long.is_better_than(&short));
        assert!(!short.is_better_than(&long));
        assert!(sampled(&[10, 400, 500], false).is_better_than(&short));
    }

    #[test]
    fn less_work_for_the_same_queries_is_better() {
        let seen = sampled(&[100, 1000], false);
        assert!(sampled(&[100, 700], false).is_better_than(&seen));
        assert!(!sampled(&[100, 900], false).is_better_than(&seen), "the gain is not worth a rewriting");
        // Another move can make the sample playout longer.
        assert!(sampled(&[100, 700, 2000], false).is_better_than(&seen));
        assert!(!sampled(&[100, 900, 2000], false).is_better_than(&seen));
        assert!(!sampled(&[50], true).is_better_than(&seen), "a query is missing");
    }

    #[test]
    fn a_small_gain_counts_in_a_costly_program() {
        let seen = sampled(&[100, 2 * ENOUGH_ROWS], false);
        assert!(sampled(&[100, 2 * ENOUGH_ROWS / 10 * 9], false).is_better_than(&seen));
        assert!(!sampled(&[100, 2 * ENOUGH_ROWS / 100 * 99], false).is_better_than(&seen));
    }

    #[test]
    fn the_sample_of_a_costly_game_ends_after_a_step() {
        // Each state takes a join of 120 × 120 × 120 rows.
        let nodes: String = (0..120).map(|n| format!("(node {n}) ")).collect();
        let rules = format!(
            "{nodes} (role r) (init (at 0)) (legal r wait) (<= (next (at ?x)) (true (at ?x)))
             (<= (pair ?x ?y) (node ?x) (node ?y) (true (at 0)))
             (<= (far ?x ?z) (pair ?x ?y) (pair ?y ?z))
             (<= terminal (not (far 0 1))) (goal r 100)"
        );
        let description = ggp_gdl::parse(rules.as_bytes()).expect("well formed");
        let lowering = Lowering::stratified(&description);
        let program = Program::new(lowering.signatures.clone(), lowering.rules.clone()).expect("safe");
        let mut semantics = Semantics::of_program(program, &description, &lowering);
        let whole = sample(&mut semantics, &Limits::default(), SAMPLE_ROWS);
        assert_eq!((whole.answered.len(), whole.failed), (5, None));
        assert!(whole.total >= ENOUGH_ROWS, "{} rows are not costly", whole.total);
        let cut = sample(&mut semantics, &Limits::default(), whole.total / 2);
        assert!(cut.failed.is_some() && cut.total < whole.total, "the bound does not hold");
    }
}
