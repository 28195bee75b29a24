//! The values that rules ask for, column by column. A relation such as `(coordinate ?x)` often holds more
//! values than a rule has use for, files and ranks together for instance, and every relation that it binds
//! then has facts for which no rule asks.
//!
//! 1. [`Possible`]: the values that each column can have. They go from the bodies of the rules to the heads:
//!    a least fixpoint, which includes every fact that may hold.
//! 2. [`wanted`]: the values for which some rule asks. They go from the heads to the bodies.
//! 3. [`restrict_to_asked`]: a rule gets a condition for each variable of its head that can have other values.
//!
//! All columns are treated apart from each other, so the work grows with the rules and the values, and not
//! with the tuples as that of evaluation on demand.

use super::relax::Rules;
use ggp_datalog::{Argument, Atom, Functor, Literal, RelationId, Rule, Signature, Value, Variable};
use ggp_game::lower::{BRIDGE, Carrier, Lowering};
use rustc_hash::{FxHashMap, FxHashSet};

/// A set of values. `None` for all values.
pub(super) type Domain = Option<FxHashSet<Value>>;

/// The values of the variables of a rule. All values for a variable that is not contained.
type Variables = FxHashMap<Variable, Domain>;

/// A domain with more values than this counts as all values.
const MOST_VALUES: usize = 20_000;

/// Adds `values` to `domain`. Returns whether the domain has changed.
fn extend(domain: &mut Domain, values: &Domain) -> bool {
    let Some(known) = domain else { return false };
    let Some(values) = values else {
        *domain = None;
        return true;
    };
    let before = known.len();
    known.extend(values);
    let changed = known.len() > before;
    if known.len() > MOST_VALUES {
        *domain = None;
    }
    changed
}

/// The values of `argument`.
fn values_of(argument: Argument, variables: &Variables) -> Domain {
    match argument {
        Argument::Value(value) => Some([value].into_iter().collect()),
        Argument::Variable(variable) => variables.get(&variable).cloned().unwrap_or(None),
    }
}

/// Restricts `argument` to `domain`. Returns whether a value is left.
fn restrict(variables: &mut Variables, argument: Argument, domain: &Domain) -> bool {
    let Some(domain) = domain else { return true };
    match argument {
        Argument::Value(value) => domain.contains(&value),
        Argument::Variable(variable) => {
            let known = variables.entry(variable).or_insert(None);
            match known {
                None => *known = Some(domain.clone()),
                Some(known) => known.retain(|value| domain.contains(value)),
            }
            known.as_ref().is_none_or(|known| !known.is_empty())
        }
    }
}

/// Restricts the variables of `atom` to `domains`, one for each column. Returns whether the atom can hold.
fn restrict_all(variables: &mut Variables, args: &[Argument], domains: &[Domain]) -> bool {
    args.iter().zip(domains).all(|(&argument, domain)| restrict(variables, argument, domain))
}

fn nothing(columns: usize) -> Vec<Domain> {
    vec![Some(FxHashSet::default()); columns]
}

/// For each relation, the values of its columns.
type Columns = Vec<Vec<Domain>>;

/// Adds the values of the arguments of `atom` to its columns. Returns whether a column has changed.
fn extend_columns(columns: &mut Columns, atom: &Atom, variables: &Variables) -> bool {
    let mut changed = false;
    for (domain, &argument) in columns[atom.relation.index()].iter_mut().zip(&atom.args) {
        changed |= extend(domain, &values_of(argument, variables));
    }
    changed
}

/// The values that may occur.
struct Possible {
    columns: Columns,
    /// The arguments of compound terms, by function.
    terms: FxHashMap<Functor, Vec<Domain>>,
    /// For some relations, values that include those of their columns.
    bounds: Bounds,
}

/// For some relations, values that include those of their columns.
pub(super) type Bounds = FxHashMap<RelationId, Vec<Domain>>;

impl Possible {
    fn new(lowering: &Lowering, bounds: Bounds) -> Possible {
        let mut possible = Possible {
            columns: lowering.signatures.iter().map(|signature| nothing(signature.arity)).collect(),
            terms: FxHashMap::default(),
            bounds,
        };
        let values = &lowering.values;
        for value in (0..values.len()).map(Value::from_index) {
            let one = |&part: &Value| -> Domain { Some([part].into_iter().collect()) };
            let parts: Vec<Domain> = values.arguments(value).iter().map(one).collect();
            possible.extend_terms(values.functor(value), &parts);
        }
        let links = links(lowering);
        loop {
            let mut changed = false;
            for rule in &lowering.rules {
                if let Some(variables) = possible.variables(rule) {
                    changed |= possible.compose(rule, &variables);
                    changed |= extend_columns(&mut possible.columns, &rule.head, &variables);
                }
            }
            for &(from, functor, to) in &links {
                changed |= possible.link(from, functor, to);
            }
            if !changed {
                return possible;
            }
        }
    }

    fn extend_terms(&mut self, functor: Functor, domains: &[Domain]) -> bool {
        let known = self.terms.entry(functor).or_insert_with(|| nothing(domains.len()));
        known.iter_mut().zip(domains).fold(false, |changed, (known, domain)| extend(known, domain) || changed)
    }

    /// The values of the variables of `rule`. `None` if a condition cannot hold.
    fn variables(&self, rule: &Rule) -> Option<Variables> {
        let mut variables = Variables::default();
        for literal in &rule.body {
            let Literal::Positive(atom) = literal else { continue };
            if !restrict_all(&mut variables, &atom.args, &self.columns[atom.relation.index()]) {
                return None;
            }
        }
        for literal in &rule.body {
            let Literal::Compose { term, functor, args } = literal else { continue };
            if is_taken_apart(rule, *term) {
                let domains = self.terms.get(functor)?;
                if !restrict_all(&mut variables, args, domains) {
                    return None;
                }
            }
        }
        if let Some(bounds) = self.bounds.get(&rule.head.relation)
            && !restrict_all(&mut variables, &rule.head.args, bounds)
        {
            return None;
        }
        Some(variables)
    }

    /// Adds the terms that `rule` composes. Returns whether there are new ones.
    fn compose(&mut self, rule: &Rule, variables: &Variables) -> bool {
        let mut changed = false;
        for literal in &rule.body {
            let Literal::Compose { term, functor, args } = literal else { continue };
            if !is_taken_apart(rule, *term) {
                let domains: Vec<Domain> = args.iter().map(|&arg| values_of(arg, variables)).collect();
                changed |= self.extend_terms(*functor, &domains);
            }
        }
        changed
    }

    /// Adds the facts of the form `from` to the form `to`, both of fluents or both of moves. Returns whether
    /// something has changed.
    fn link(&mut self, from: RelationId, functor: [Option<Functor>; 2], to: RelationId) -> bool {
        let source = self.columns[from.index()].clone();
        let target = self.columns[to.index()].clone();
        let domains = match functor {
            [a, b] if a == b => source,
            // The term is taken apart.
            [None, Some(functor)] => {
                let parts = functor.arity.unwrap_or(0) as usize;
                let prefix = &source[..target.len() - parts];
                let parts = self.terms.get(&functor).cloned().unwrap_or_else(|| nothing(parts));
                [prefix, &parts].concat()
            }
            // The term is composed.
            [Some(functor), None] => {
                let prefix = target.len() - 1;
                let changed = self.extend_terms(functor, &source[prefix..]);
                let whole = [&source[..prefix], &[None]].concat();
                return self.extend_relation(to, &whole) || changed;
            }
            _ => return false,
        };
        self.extend_relation(to, &domains)
    }

    fn extend_relation(&mut self, relation: RelationId, domains: &[Domain]) -> bool {
        if domains.iter().any(|domain| domain.as_ref().is_some_and(FxHashSet::is_empty)) {
            return false;
        }
        let columns = &mut self.columns[relation.index()];
        columns
            .iter_mut()
            .zip(domains)
            .fold(false, |changed, (column, domain)| extend(column, domain) || changed)
    }
}

/// Whether a [`Literal::Compose`] of `rule` takes `term` apart, because another condition binds it.
fn is_taken_apart(rule: &Rule, term: Argument) -> bool {
    let binds = |literal: &Literal| match literal {
        Literal::Positive(atom) => atom.args.contains(&term),
        Literal::Compose { args, .. } => args.contains(&term),
        Literal::Negative(_) | Literal::Distinct(..) => false,
    };
    term.variable().is_none() || rule.body.iter().any(binds)
}

/// The forms of `init`, `next` and `legal`, with the forms of `true` and `does` that get their facts, and the
/// functions of both.
fn links(lowering: &Lowering) -> Vec<(RelationId, [Option<Functor>; 2], RelationId)> {
    let mut links = Vec::new();
    let pairs =
        [(Carrier::Init, Carrier::True), (Carrier::Next, Carrier::True), (Carrier::Legal, Carrier::Does)];
    for (from, to) in pairs {
        for target in lowering.forms(to) {
            let sources = lowering.forms(from).iter().filter(|form| form.defined);
            links.extend(sources.map(|s| (s.relation, [s.functor, target.functor], target.relation)));
        }
    }
    links
}

/// For each relation, the values for which some rule asks. `variables` are those of each rule; `None` for a rule
/// that cannot apply.
fn wanted(lowering: &Lowering, asked: &[RelationId], variables: &[Option<Variables>]) -> Columns {
    let mut wanted: Columns = lowering.signatures.iter().map(|signature| nothing(signature.arity)).collect();
    let mut is_asked = vec![false; lowering.signatures.len()];
    for &relation in asked {
        wanted[relation.index()].fill(None);
        is_asked[relation.index()] = true;
    }
    loop {
        let mut changed = false;
        for (rule, variables) in lowering.rules.iter().zip(variables) {
            let (true, Some(variables)) = (is_asked[rule.head.relation.index()], variables) else { continue };
            let mut variables = variables.clone();
            if !restrict_all(&mut variables, &rule.head.args, &wanted[rule.head.relation.index()]) {
                continue;
            }
            for literal in &rule.body {
                if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                    changed |= extend_columns(&mut wanted, atom, &variables);
                    changed |= !std::mem::replace(&mut is_asked[atom.relation.index()], true);
                }
            }
        }
        if !changed {
            return wanted;
        }
    }
}

/// Restricts `rules` to the facts for which some rule asks. The relations `asked` keep all their facts. The
/// columns of the relations in `bounds` are known to have no other values than those.
pub(super) fn restrict_to_asked(rules: &mut Rules, asked: &[RelationId], bounds: Bounds) {
    let lowering = &rules.lowering;
    let possible = Possible::new(lowering, bounds);
    let variables: Vec<Option<Variables>> =
        lowering.rules.iter().map(|rule| possible.variables(rule)).collect();
    let wanted = wanted(lowering, asked, &variables);
    let mut signatures = lowering.signatures.clone();
    let mut domains: FxHashMap<Vec<Value>, RelationId> = FxHashMap::default();
    let mut facts: Vec<Rule> = Vec::new();
    let mut restricted: Vec<Rule> = Vec::with_capacity(lowering.rules.len());
    for (rule, variables) in lowering.rules.iter().zip(&variables) {
        let Some(variables) = variables else { continue };
        let mut rule = rule.clone();
        let mut is_wanted = true;
        for (argument, domain) in rule.head.args.clone().into_iter().zip(&wanted[rule.head.relation.index()])
        {
            let Some(domain) = domain else { continue };
            match values_of(argument, variables) {
                Some(values) if values.is_subset(domain) => continue,
                Some(values) if values.is_disjoint(domain) => is_wanted = false,
                _ => {}
            }
            let mut values: Vec<Value> = domain.iter().copied().collect();
            values.sort_unstable();
            let next = RelationId(signatures.len() as u32);
            let relation = *domains.entry(values.clone()).or_insert(next);
            if relation == next {
                signatures.push(Signature { name: "values asked for".to_owned(), arity: 1, level: 0 });
                facts.extend(values.into_iter().map(|value| Rule {
                    head: Atom { relation, args: vec![Argument::Value(value)] },
                    body: Vec::new(),
                    variables: 0,
                    label: BRIDGE,
                }));
            }
            let condition = Literal::Positive(Atom { relation, args: vec![argument] });
            if !rule.body.contains(&condition) {
                rule.body.push(condition);
            }
        }
        if is_wanted {
            restricted.push(rule);
        }
    }
    restricted.extend(facts);
    rules.demanded.resize(signatures.len(), false);
    rules.lowering.signatures = signatures;
    rules.lowering.rules = restricted;
}

#[cfg(test)]
mod tests {
    use super::{Bounds, restrict_to_asked};
    use crate::ground::relax::{Relaxed, Rules};
    use crate::ground::{GroundLimits, network};
    use ggp_datalog::RelationId;
    use ggp_game::{Game, StopToken};
    use std::sync::Arc;

    /// A man walks along a row. Five numbers and three names are coordinates, but men stand on numbers only.
    const RULES: &str = "(role white) (init (at 1)) (coordinate 1) (coordinate 2) (coordinate 3) (coordinate 4)
        (coordinate 5) (coordinate a) (coordinate b) (coordinate c) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
        (<= (far ?x ?y) (coordinate ?x) (coordinate ?y) (true (at ?x)) (not (near ?x ?y)))
        (<= (near ?x ?y) (coordinate ?y) (succ ?x ?y) (true (at ?x)))
        (<= (pair ?x ?y) (coordinate ?x) (coordinate ?y) (true (at ?z)))
        (<= (legal white (go ?y)) (true (at ?x)) (succ ?x ?y) (pair ?x ?y) (not (far ?x ?y)))
        (<= (legal white (go 1)) (true (at ?x)))
        (<= (next (at ?y)) (does white (go ?y)))
        (<= terminal (true (at 5))) (goal white 100)";

    #[test]
    fn only_facts_that_are_asked_for_remain_and_the_network_is_the_same() {
        let game = Arc::new(Game::new(ggp_gdl::parse(RULES.as_bytes()).expect("GDL")).expect("a game"));
        let (limits, stop) = (GroundLimits::default(), StopToken::new());
        let facts = |rules: Rules| {
            let number = |name: &str| {
                let named = rules.lowering.signatures.iter().position(|signature| signature.name == name);
                RelationId(named.expect("a relation") as u32)
            };
            let (pair, far) = (number("pair/2"), number("far/2"));
            let mut relaxed = Relaxed::new(&game, rules, &limits, &stop).expect("small");
            let sizes = [relaxed.rows(pair).len(), relaxed.rows(far).len()];
            let net = network(&game, &mut relaxed, &limits, &stop, false).expect("small");
            let fluents: Vec<String> = net.fluents.iter().map(|fluent| fluent.fact.to_string()).collect();
            let moves: Vec<String> = net.roles[0].moves.iter().map(|mv| mv.text.to_string()).collect();
            (sizes, fluents, moves)
        };
        let whole = Rules::of(&game).evaluated_in_full();
        let mut restricted = whole.clone();
        restrict_to_asked(&mut restricted, game.semantics().asked(), Bounds::default());
        let (before, after) = (facts(whole), facts(restricted));
        assert_eq!(before.0, [64, 40]);
        // The men stand on 1 to 5; they ask for pairs of 1 to 4 with 2 to 5.
        assert_eq!(after.0, [16, 16]);
        assert_eq!((before.1, before.2), (after.1, after.2));
    }
}
