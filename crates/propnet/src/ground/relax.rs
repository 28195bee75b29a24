//! The relaxed rules: the game's rules without the negations of dynamic relations (those that depend on the
//! state or on the moves), plus rules that derive `true` from `init` and `next`, and `does` from `legal`. The
//! fixpoint of the relaxed rules contains every fact that may hold in some state.

use super::whole::whole_rules;
use super::{GroundError, GroundLimits};
use ggp_datalog::decompose::{Decomposed, decompose};
use ggp_datalog::demand::{Demanded, on_demand};
use ggp_datalog::{
    Argument, Atom, Body, Database, EvalError, Functor, Limits, Literal, Program, Query, Relation,
    RelationId, Rule, Signature, Statistics, Value, Variable,
};
use ggp_game::adapt::{demand_also, fit_demanded};
use ggp_game::lower::{BRIDGE, Carrier, Form, Lowering};
use ggp_game::{Game, StopToken};

/// The possible facts, and the rules that decide which of them hold.
pub(super) struct Relaxed {
    lowering: Lowering,
    /// The exact rules with all their negations, which decide what holds in a state.
    pub(super) exact: Program,
    /// For each relation, whether its possible facts may be false in some state. This is the case if the
    /// relation depends on the state, on the moves, or on a negation that the relaxed rules drop.
    dynamic: Vec<bool>,
    /// The relaxed rules, with planned joins. The bodies of the exact rules are planned with this program
    /// too.
    pub(super) program: Program,
    /// The relaxed rules that were decomposed, as they were before, and the rules of the parts, with all conditions
    /// on other parts replaced by their definitions.
    whole_rules: Vec<Rule>,
    pub(super) database: Database,
    /// For each relation, whether it is a demand (magic) predicate: its facts only say which other facts are
    /// demanded.
    wanted: Vec<bool>,
    roles: Vec<Value>,
    goal: Option<RelationId>,
    terminal: Option<RelationId>,
    pub(super) statistics: Statistics,
}

/// The rules to ground.
#[derive(Clone)]
pub(super) struct Rules {
    pub(super) lowering: Lowering,
    /// For each relation of `lowering`, whether it is evaluated on demand.
    pub(super) demanded: Vec<bool>,
    /// The sizes of the relations after the rewriting for evaluation on demand. `None` if no size is known.
    statistics: Option<Statistics>,
}

impl Rules {
    /// The rules of `game`.
    pub(super) fn of(game: &Game) -> Rules {
        let semantics = game.semantics();
        Rules {
            lowering: Lowering::stratified(game.description()),
            demanded: semantics.on_demand().to_vec(),
            statistics: Some(semantics.statistics().clone()),
        }
    }

    /// The rules of `lowering`, whose relations have not been observed yet.
    pub(super) fn rewritten(lowering: Lowering, demanded: Vec<bool>) -> Rules {
        Rules { lowering, demanded, statistics: None }
    }

    /// The same rules with no relation on demand.
    pub(super) fn evaluated_in_full(&self) -> Rules {
        Rules::rewritten(self.lowering.clone(), vec![false; self.demanded.len()])
    }
}

/// The joins are planned again when they have tried this many rows. The bound doubles at each new plan.
const ROWS_PER_PLAN: u64 = 2_000_000;

/// The maximum number of attempts to compute the possible facts. If an attempt exceeds a bound of
/// [`GroundLimits`], the next attempt evaluates one more relation on demand.
const ATTEMPTS: usize = 6;

/// The facts of a whole rule are foretold if the relations of its body have at most this many facts together.
const FORESEEN_UP_TO: usize = 20_000;

/// The facts of whole rules are foretold if there are at most this many pairs of a whole rule and a relation: each of
/// the rules has a list of the relations that it needs.
const MOST_NEEDS: usize = 10_000_000;

/// A static relation that rules derive is large from this many facts on.
const LARGE: usize = 10_000;

impl Relaxed {
    pub(super) fn new(
        game: &Game,
        rules: Rules,
        limits: &GroundLimits,
        stop: &StopToken,
    ) -> Result<Relaxed, GroundError> {
        let description = game.description();
        let Rules { lowering, mut demanded, mut statistics } = rules;
        let semantics = game.semantics();
        let mut attempt = 0;
        loop {
            let rewritten = on_demand(&lowering.signatures, &lowering.rules, |r| demanded[r.index()])
                .map_err(|_| GroundError::TooLarge("a relation cannot be evaluated on demand".to_owned()))?;
            let (mut relaxed, origin) = Relaxed::of_rules(game, lowering.clone(), rewritten, statistics)?;
            let Err((error, failed)) = relaxed.evaluate(limits, stop) else {
                let less = relaxed.with_less(game, &demanded, limits, stop)?;
                return Ok(less.unwrap_or(relaxed));
            };
            attempt += 1;
            let more = failed
                .filter(|_| attempt < ATTEMPTS && error != EvalError::Interrupted)
                .map(|relation| origin[relation.index()])
                .filter(|relation| !demanded[relation.index()] && !semantics.asked().contains(relation))
                .and_then(|relation| demand_also(&lowering, &demanded, relation, semantics.asked()));
            let fitted = more.as_ref().and_then(|d| fit_demanded(description, &lowering, d, game.limits()));
            let (Some(more), Some(fitted)) = (more, fitted) else {
                return Err(match error {
                    EvalError::Interrupted => GroundError::Interrupted,
                    error => GroundError::TooLarge(game.eval_error(&error).to_string()),
                });
            };
            demanded = more;
            statistics = Some(fitted.statistics().clone());
        }
    }

    /// The same rules with the largest static relation on demand as well, if that halves the number of facts.
    /// Rules may ask for few facts of a large relation, such as that of all pairs of different cells.
    fn with_less(
        &self,
        game: &Game,
        demanded: &[bool],
        limits: &GroundLimits,
        stop: &StopToken,
    ) -> Result<Option<Relaxed>, GroundError> {
        let lowering = &self.lowering;
        let is_large = |relation: &RelationId| self.rows(*relation).len() >= LARGE;
        let heads = lowering.rules.iter().filter(|rule| !rule.body.is_empty()).map(|rule| rule.head.relation);
        let fixed = heads.filter(|&relation| !self.is_dynamic(relation) && !demanded[relation.index()]);
        let asked = game.semantics().asked();
        let large = fixed.filter(is_large).filter(|relation| !asked.contains(relation));
        let Some(largest) = large.max_by_key(|&relation| self.rows(relation).len()) else { return Ok(None) };
        let is_demanded = |relation: RelationId| demanded[relation.index()] || relation == largest;
        let Ok(rewritten) = on_demand(&lowering.signatures, &lowering.rules, is_demanded) else {
            return Ok(None);
        };
        let facts: usize = (0..self.relation_count()).map(|r| self.rows(RelationId(r as u32)).len()).sum();
        let limits = GroundLimits { tuples: facts / 2, rows: self.database.total_work(), ..*limits };
        let (mut less, _) = Relaxed::of_rules(game, lowering.clone(), rewritten, None)?;
        match less.evaluate(&limits, stop) {
            Ok(()) => Ok(Some(less)),
            Err((EvalError::Interrupted, _)) => Err(GroundError::Interrupted),
            Err(_) => Ok(None),
        }
    }

    fn of_rules(
        game: &Game,
        lowering: Lowering,
        rewritten: Demanded,
        statistics: Option<Statistics>,
    ) -> Result<(Relaxed, Vec<RelationId>), GroundError> {
        let Demanded { signatures, mut rules, wanted: wanted_relations, mut origin } = rewritten;
        let mut wanted = vec![false; signatures.len()];
        for relation in wanted_relations {
            wanted[relation.index()] = true;
        }
        // Rules of demand predicates come last: an auxiliary relation that they share with other rules is
        // then not taken for a demand predicate.
        rules.sort_by_key(|rule| wanted[rule.head.relation.index()]);
        let whole = signatures.len();
        let undivided = rules.clone();
        let Decomposed { signatures, rules, guards, owners } = decompose(signatures, rules);
        let whole_rules = whole_rules(undivided, &rules, whole);
        for owner in owners {
            wanted.push(wanted[owner.index()]);
            origin.push(origin[owner.index()]);
        }
        let mut derived = vec![true; signatures.len()];
        for guard in guards {
            derived[guard.index()] = false;
        }
        let is_demand =
            |literal: &Literal| matches!(literal, Literal::Positive(a) if wanted[a.relation.index()]);
        let exact_rules: Vec<Rule> = rules
            .iter()
            .filter(|rule| derived[rule.head.relation.index()] && !wanted[rule.head.relation.index()])
            .map(|rule| Rule {
                body: rule.body.iter().filter(|l| !is_demand(l)).cloned().collect(),
                ..rule.clone()
            })
            .collect();
        let unstratified =
            |_| GroundError::TooLarge("the rules for evaluation on demand are not stratified".to_owned());
        let originals = lowering.signatures.len();
        let exact = Program::unplanned(signatures.clone(), exact_rules).map_err(unstratified)?;
        // A negation stays only if the relaxed rules compute its relation exactly: the relation is static, is
        // not computed on demand, and does not depend on an inexact negation.
        let dynamic = dynamic_relations(&exact, originals);
        let stays = |literal: &Literal| match literal {
            Literal::Negative(atom) => atom.relation.index() < originals && !dynamic[atom.relation.index()],
            _ => true,
        };
        let relax =
            |rule: Rule| Rule { body: rule.body.iter().filter(|l| stays(l)).cloned().collect(), ..rule };
        let mut relaxed_rules: Vec<Rule> = rules.into_iter().map(relax).collect();
        let whole_rules = whole_rules.into_iter().map(relax).collect();
        link(&lowering, Carrier::True, &[Carrier::Init, Carrier::Next], &mut relaxed_rules);
        link(&lowering, Carrier::Does, &[Carrier::Legal], &mut relaxed_rules);
        let fixed: Vec<Signature> = signatures.into_iter().map(|s| Signature { level: 0, ..s }).collect();
        let mut program = Program::unplanned(fixed, relaxed_rules).map_err(unstratified)?;
        let statistics = match statistics {
            Some(mut statistics) => {
                statistics.extend(program.signatures()[whole..].iter().map(|signature| signature.arity));
                statistics
            }
            None => program.statistics(),
        };
        program.plan(&statistics).map_err(unstratified)?;
        let description = game.description();
        let relaxed = Relaxed {
            database: Database::new(&program, lowering.values.clone()),
            roles: game.semantics().roles(),
            goal: lowering.relation(description, "goal", 2),
            terminal: lowering.relation(description, "terminal", 0),
            lowering,
            exact,
            dynamic,
            program,
            whole_rules,
            wanted,
            statistics,
        };
        Ok((relaxed, origin))
    }

    /// Computes the possible facts of all relations that the network needs.
    fn evaluate(
        &mut self,
        limits: &GroundLimits,
        stop: &StopToken,
    ) -> Result<(), (EvalError, Option<RelationId>)> {
        let limits = Limits {
            tuples: limits.tuples,
            terms: limits.tuples,
            rows: limits.rows,
            interrupt: Some(stop.flag()),
            ..Limits::default()
        };
        let mut asked: Vec<RelationId> = [self.goal, self.terminal].into_iter().flatten().collect();
        for carrier in
            [Carrier::Init, Carrier::Next, Carrier::Legal, Carrier::Sees, Carrier::True, Carrier::Does]
        {
            asked.extend(self.forms(carrier).iter().map(|form| form.relation));
        }
        // The query includes relations that are needed only under negation.
        let needed = self.exact.needed(&asked);
        self.foresee(&needed, &limits)?;
        self.evaluate_query(&self.program.query(&needed), &limits)
    }

    /// Fails if a whole rule is going to derive more facts than `limits` allow, of a relation on which those of `needed`
    /// depend. The parts of a decomposed rule may have millions of tuples before the rule itself or its last part
    /// derives any.
    fn foresee(
        &mut self,
        needed: &[RelationId],
        limits: &Limits,
    ) -> Result<(), (EvalError, Option<RelationId>)> {
        let all = self.program.needed(needed);
        let is_needed = |rule: &&Rule| all.contains(&rule.head.relation);
        let rules: Vec<Rule> = self.whole_rules.iter().filter(is_needed).cloned().collect();
        if rules.len().saturating_mul(self.relation_count()) > MOST_NEEDS {
            return Ok(());
        }
        let inputs = |rule: &Rule| -> Vec<RelationId> {
            let literals = rule.body.iter().filter_map(|literal| match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => Some(atom.relation),
                Literal::Distinct(..) | Literal::Compose { .. } => None,
            });
            literals.collect()
        };
        // 1. The rules that need the fewest relations come first.
        let mut ordered: Vec<(Vec<RelationId>, &Rule)> =
            rules.iter().map(|rule| (self.program.needed(&inputs(rule)), rule)).collect();
        ordered.retain(|(before, rule)| !before.contains(&rule.head.relation));
        ordered.sort_by_key(|(before, _)| before.len());
        for (before, rule) in ordered {
            // 2. The facts of the body.
            self.evaluate_query(&self.program.query(&before), limits)?;
            let facts = |relation: &RelationId| self.rows(*relation).len();
            let sizes: Vec<usize> = inputs(rule).iter().map(facts).collect();
            let solutions: f64 = sizes.iter().map(|&size| size.max(1) as f64).product();
            if solutions <= limits.tuples as f64 || sizes.iter().sum::<usize>() > FORESEEN_UP_TO {
                continue;
            }
            // 3. The forecast. Its indexes serve no other join.
            let mut program = self.program.clone();
            let body = Body::plan(&mut program, rule, &[], &self.statistics).expect("a safe rule");
            self.database.reindex(&program);
            let is_too_large = body.derives_more_than(limits.tuples, &rule.head, &mut self.database);
            self.database.reindex(&self.program);
            if is_too_large {
                let (label, bound) = (rule.label, limits.tuples);
                return Err((EvalError::TooManyTuples { label, bound }, Some(rule.head.relation)));
            }
        }
        Ok(())
    }

    /// Computes the possible facts of the relations in `query`.
    fn evaluate_query(
        &mut self,
        query: &Query,
        limits: &Limits,
    ) -> Result<(), (EvalError, Option<RelationId>)> {
        // There are many more possible facts than facts of one state, so joins that were planned for a state
        // may be slow. From time to time the joins are planned again for the sizes reached. The evaluation
        // can then continue, because no derived fact can become false.
        let mut rows = ROWS_PER_PLAN;
        while rows <= self.database.total_work() {
            rows *= 2;
        }
        rows = rows.min(limits.rows);
        loop {
            let result = self.program.evaluate(&mut self.database, query, &Limits { rows, ..limits.clone() });
            self.statistics = self.program.statistics();
            let all = (0..self.relation_count()).map(|r| RelationId(r as u32));
            self.database.observe(&mut self.statistics, all);
            match result {
                Ok(()) => return Ok(()),
                Err(EvalError::TooMuchWork { .. }) if rows < limits.rows => {
                    self.program.plan(&self.statistics).expect("planned before, so safe");
                    self.database.reindex(&self.program);
                    rows = (rows * 2).min(limits.rows);
                }
                Err(error) => return Err((error, self.database.failed())),
            }
        }
    }

    pub(super) fn relation_count(&self) -> usize {
        self.exact.signatures().len()
    }

    /// Whether possible facts of the relation may be false in some state.
    pub(super) fn is_dynamic(&self, relation: RelationId) -> bool {
        self.dynamic[relation.index()]
    }

    /// Whether the relation is a demand predicate.
    pub(super) fn is_demand(&self, relation: RelationId) -> bool {
        self.wanted[relation.index()]
    }

    pub(super) fn rows(&self, relation: RelationId) -> &Relation {
        self.database.relation(relation)
    }

    pub(super) fn forms(&self, carrier: Carrier) -> &[Form] {
        self.lowering.forms(carrier)
    }

    pub(super) fn roles(&self) -> &[Value] {
        &self.roles
    }

    pub(super) fn goal(&self) -> Option<RelationId> {
        self.goal
    }

    pub(super) fn terminal(&self) -> Option<RelationId> {
        self.terminal
    }

    pub(super) fn text(&self, value: Value) -> Box<str> {
        self.database.values().text(value).into()
    }

    /// The fluent, move or percept in row `row` of a relation. `form` says which relation it is and how the
    /// term is stored: as a whole in one column, or with one column for each of its arguments. The first
    /// `prefix` columns precede the term. `None` if the term has not been created.
    pub(super) fn carried(&self, form: &Form, row: usize, prefix: usize) -> Option<Value> {
        let columns = &self.rows(form.relation).row(row)[prefix..];
        match form.functor {
            None => Some(columns[0]),
            Some(functor) => self.database.values().find(functor, columns),
        }
    }

    /// Creates the terms that [`Relaxed::carried`] looks up for the possible facts of `carrier` (a keyword
    /// whose last argument is a fluent, a move or a percept, such as `next` or `legal`).
    pub(super) fn make_terms(&mut self, carrier: Carrier) {
        self.all_carried(carrier);
    }

    /// For each possible fact of `carrier` (a keyword such as `next` or `legal`), the value of its first
    /// column, and its last argument as a term: a fluent, a move or a percept. Terms that do not exist yet
    /// are created.
    pub(super) fn all_carried(&mut self, carrier: Carrier) -> Vec<(Value, Value)> {
        let mut all = Vec::new();
        for form in self.lowering.forms(carrier) {
            for row in 0..self.database.relation(form.relation).len() {
                let value = match form.functor {
                    None => self.database.relation(form.relation).row(row)[carrier.prefix()],
                    Some(functor) => self.database.term_of_row(functor, form.relation, row, carrier.prefix()),
                };
                let first = self.database.relation(form.relation).row(row).first().copied();
                all.push((first.unwrap_or(value), value));
            }
        }
        all
    }
}

/// For each relation, whether it is dynamic. A relation is dynamic if it depends on an input (`true` or
/// `does`) or on the negation of a relation that is computed on demand, because the relaxed rules drop that
/// negation. All relations except the first `originals` count as computed on demand.
fn dynamic_relations(exact: &Program, originals: usize) -> Vec<bool> {
    let mut dynamic: Vec<bool> =
        (0..exact.signatures().len()).map(|r| exact.level(RelationId(r as u32)) > 0).collect();
    for stratum in exact.strata() {
        let mut body = stratum.rules.iter().flat_map(|&rule| &exact.rules()[rule].body);
        let is_dynamic = body.any(|literal| match literal {
            Literal::Positive(a) => dynamic[a.relation.index()],
            Literal::Negative(a) => dynamic[a.relation.index()] || a.relation.index() >= originals,
            Literal::Distinct(..) | Literal::Compose { .. } => false,
        });
        for relation in &stratum.relations {
            dynamic[relation.index()] |= is_dynamic;
        }
    }
    dynamic
}

/// Adds to `rules` the rules that derive the facts of the keyword `to` from those of the keywords `from`, for
/// example `true` from `init` and `next`. Lowering turns such a keyword (a carrier) into several relations,
/// its forms. Each form of `to` gets a rule for each form of `from` that can hold the same terms.
fn link(lowering: &Lowering, to: Carrier, from: &[Carrier], rules: &mut Vec<Rule>) {
    let prefix = to.prefix() as u32;
    let variables = |range: std::ops::Range<u32>| -> Vec<Argument> {
        range.map(|v| Argument::Variable(Variable(v))).collect()
    };
    for target in lowering.forms(to) {
        for source in from.iter().flat_map(|&c| lowering.forms(c)).filter(|form| form.defined) {
            let mut compose = |flat: Functor, flat_is_head: bool| {
                let count = flat.arity.unwrap_or(0);
                let term = Argument::Variable(Variable(prefix + count));
                let flat_args = variables(0..prefix + count);
                let whole_args: Vec<Argument> = variables(0..prefix).into_iter().chain([term]).collect();
                let (head, body) =
                    if flat_is_head { (flat_args, whole_args) } else { (whole_args, flat_args) };
                rules.push(Rule {
                    head: Atom { relation: target.relation, args: head },
                    body: vec![
                        Literal::Positive(Atom { relation: source.relation, args: body }),
                        Literal::Compose { term, functor: flat, args: variables(prefix..prefix + count) },
                    ],
                    variables: prefix + count + 1,
                    label: BRIDGE,
                });
            };
            match (target.functor, source.functor) {
                (Some(flat), None) => compose(flat, true),
                (None, Some(flat)) => compose(flat, false),
                (a, b) if a == b => {
                    let arity = prefix + a.map_or(1, |f| f.arity.unwrap_or(0));
                    let args = variables(0..arity);
                    rules.push(Rule {
                        head: Atom { relation: target.relation, args: args.clone() },
                        body: vec![Literal::Positive(Atom { relation: source.relation, args })],
                        variables: arity,
                        label: BRIDGE,
                    });
                }
                _ => {}
            }
        }
    }
}
