//! The facts that may hold in some state, and the moves that may be legal in some state: a superset of those that occur
//! in play. It is the fixpoint of the rules without the negations of what changes, in which `true` follows from `init`
//! and `next`, and `does` from `legal`. Whatever it leaves out can never happen, so that squares without possible facts
//! and moves are no part of a board.
//!
//! Negations of fluents that never change stay: of those whose possible facts hold at the start, and follow in each state
//! from rules about such fluents alone. The walls of a maze are an example.

use ggp_datalog::{
    Argument, Atom, Database, Functor, Limits, Literal, Program, RelationId, Rule, Signature, Value, Variable,
};
use ggp_game::Fact;
use ggp_game::lower::{BRIDGE, Carrier, Lowering};
use ggp_gdl::Description;
use std::collections::BTreeSet;

/// A list of more possible facts or moves than this is ignored.
const MAX_LISTED: usize = 100_000;
/// A list of facts or moves whose texts have more bytes than this together is ignored. Without this bound, the texts of a
/// deep term and of all terms inside it would take memory that grows with the square of the depth.
pub(crate) const MAX_BYTES: u64 = 16 << 20;
/// The number of times that the fixpoint is computed, each time with more fluents known never to change.
const ROUNDS: usize = 3;
/// A fluent with more possible facts than this counts as one that changes.
const MAX_FIXED: usize = 2_000;

fn limits() -> Limits {
    Limits { terms: 300_000, depth: 1_000, tuples: 300_000, rows: 4_000_000, ..Limits::default() }
}

/// What may occur in play.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// The facts that may hold in some state, sorted.
    pub(crate) facts: Vec<Fact>,
    /// The moves that may be legal for some role in some state, sorted.
    pub(crate) moves: Vec<String>,
}

impl Reach {
    /// What may occur in the game of `description`. `None` if the evaluation exceeds a bound.
    pub(crate) fn new(description: &Description) -> Option<Reach> {
        let lowering = Lowering::stratified(description);
        let mut fixed: BTreeSet<RelationId> = BTreeSet::new();
        for round in 1.. {
            let program = relaxed(&lowering, &fixed)?;
            let all = [Carrier::Init, Carrier::Next, Carrier::Legal, Carrier::True];
            let database = evaluate(&program, &lowering, &all)?;
            let more = unchanging(&lowering, &database);
            if round == ROUNDS || more.is_subset(&fixed) {
                return listed(&lowering, database);
            }
            fixed = more;
        }
        None
    }
}

/// The facts and moves that `database` has.
fn listed(lowering: &Lowering, mut database: Database) -> Option<Reach> {
    let mut all = |carriers: &[Carrier]| -> Option<BTreeSet<String>> {
        let mut out = BTreeSet::new();
        let mut bytes = 0;
        for &carrier in carriers {
            for form in lowering.forms(carrier) {
                let rows = database.relation(form.relation).len();
                if out.len() + rows > MAX_LISTED {
                    return None;
                }
                for row in 0..rows {
                    let prefix = carrier.prefix();
                    let value = match form.functor {
                        Some(functor) => database.term_of_row(functor, form.relation, row, prefix),
                        None => database.relation(form.relation).row(row)[prefix],
                    };
                    bytes += u64::from(database.values().text_len(value));
                    if bytes > MAX_BYTES {
                        return None;
                    }
                    out.insert(database.values().text(value));
                }
            }
        }
        Some(out)
    };
    let facts = all(&[Carrier::Init, Carrier::Next])?;
    let moves = all(&[Carrier::Legal])?;
    Some(Reach {
        facts: facts.into_iter().map(Fact::from_canonical).collect(),
        moves: moves.into_iter().collect(),
    })
}

/// The levels of the relations of `lowering` if the fluents `fixed` never change: a relation has level 0 if it never
/// changes.
fn levelled(lowering: &Lowering, fixed: &BTreeSet<RelationId>, rules: Vec<Rule>) -> Option<Program> {
    let level = |(number, signature): (usize, &Signature)| Signature {
        level: if fixed.contains(&RelationId(number as u32)) { 0 } else { signature.level },
        ..signature.clone()
    };
    Program::unplanned(lowering.signatures.iter().enumerate().map(level).collect(), rules).ok()
}

/// The relaxed rules. The relations `fixed` hold fluents that never change.
fn relaxed(lowering: &Lowering, fixed: &BTreeSet<RelationId>) -> Option<Program> {
    let exact = levelled(lowering, fixed, lowering.rules.clone())?;
    let stays = |literal: &Literal| match literal {
        Literal::Negative(atom) => exact.level(atom.relation) == 0,
        _ => true,
    };
    let relax = |rule: &Rule| Rule {
        body: rule.body.iter().filter(|literal| stays(literal)).cloned().collect(),
        ..rule.clone()
    };
    let mut rules: Vec<Rule> = lowering.rules.iter().map(relax).collect();
    for form in lowering.forms(Carrier::True) {
        let sources: &[Carrier] =
            if fixed.contains(&form.relation) { &[Carrier::Init] } else { &[Carrier::Init, Carrier::Next] };
        link(lowering, Carrier::True, form.relation, sources, &mut rules);
    }
    for form in lowering.forms(Carrier::Does) {
        link(lowering, Carrier::Does, form.relation, &[Carrier::Legal], &mut rules);
    }
    let signatures = lowering.signatures.iter().map(|s| Signature { level: 0, ..s.clone() }).collect();
    Program::new(signatures, rules).ok()
}

fn evaluate(program: &Program, lowering: &Lowering, carriers: &[Carrier]) -> Option<Database> {
    let mut database = Database::new(program, lowering.values.clone());
    let forms = carriers.iter().flat_map(|&carrier| lowering.forms(carrier));
    let asked: Vec<RelationId> = forms.map(|form| form.relation).collect();
    program.evaluate(&mut database, &program.query(&asked), &limits()).ok()?;
    Some(database)
}

/// The fluents that never change, as relations for `true`: all of their facts that are possible by `database` hold at
/// the start, and follow in each state from what never changes.
fn unchanging(lowering: &Lowering, database: &Database) -> BTreeSet<RelationId> {
    // `None` if the texts are too long.
    let rows = |database: &Database, relation: RelationId| -> Option<BTreeSet<Vec<String>>> {
        let (values, relation) = (database.values(), database.relation(relation));
        let lengths = relation.rows().flatten().map(|&value| u64::from(values.text_len(value)));
        let text = |row: &[Value]| row.iter().map(|&value| values.text(value)).collect();
        (lengths.sum::<u64>() <= MAX_BYTES).then(|| relation.rows().map(text).collect())
    };
    let form = |carrier: Carrier, functor: Functor| {
        lowering.forms(carrier).iter().find(|form| form.functor == Some(functor)).map(|form| form.relation)
    };
    // For each candidate: its facts, and the relation that says which of them hold in the next state.
    let mut candidates: Vec<(RelationId, BTreeSet<Vec<String>>, RelationId)> = Vec::new();
    for fluent in lowering.forms(Carrier::True) {
        let Some(functor) = fluent.functor else { continue };
        let (Some(init), Some(next)) = (form(Carrier::Init, functor), form(Carrier::Next, functor)) else {
            continue;
        };
        let size = database.relation(fluent.relation).len();
        if size > 0
            && size <= MAX_FIXED
            && size == database.relation(init).len()
            && let Some(facts) = rows(database, init)
            && rows(database, fluent.relation).as_ref() == Some(&facts)
        {
            candidates.push((fluent.relation, facts, next));
        }
    }
    loop {
        let fixed: BTreeSet<RelationId> = candidates.iter().map(|candidate| candidate.0).collect();
        let kept = if fixed.is_empty() { None } else { certain(lowering, &fixed) };
        let Some(database) = kept else { return BTreeSet::new() };
        candidates
            .retain(|(_, facts, next)| rows(&database, *next).is_some_and(|next| facts.is_subset(&next)));
        if candidates.len() == fixed.len() {
            return fixed;
        }
    }
}

/// What follows in each state if the fluents `fixed` never change.
fn certain(lowering: &Lowering, fixed: &BTreeSet<RelationId>) -> Option<Database> {
    let exact = levelled(lowering, fixed, lowering.rules.clone())?;
    let is_fixed = |literal: &Literal| match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => exact.level(atom.relation) == 0,
        _ => true,
    };
    let mut rules: Vec<Rule> =
        lowering.rules.iter().filter(|rule| rule.body.iter().all(is_fixed)).cloned().collect();
    for &relation in fixed {
        link(lowering, Carrier::True, relation, &[Carrier::Init], &mut rules);
    }
    let signatures = lowering.signatures.iter().map(|s| Signature { level: 0, ..s.clone() }).collect();
    evaluate(&Program::new(signatures, rules).ok()?, lowering, &[Carrier::Next])
}

/// Adds to `rules` those that derive the facts of `target`, a form of the carrier `to`, from the forms of the carriers
/// `from` that hold the same terms.
fn link(lowering: &Lowering, to: Carrier, target: RelationId, from: &[Carrier], rules: &mut Vec<Rule>) {
    let prefix = to.prefix() as u32;
    let variables = |range: std::ops::Range<u32>| -> Vec<Argument> {
        range.map(|variable| Argument::Variable(Variable(variable))).collect()
    };
    let functor =
        lowering.forms(to).iter().find(|form| form.relation == target).and_then(|form| form.functor);
    for source in from.iter().flat_map(|&carrier| lowering.forms(carrier)).filter(|form| form.defined) {
        let Some((flat, is_head)) = (match (functor, source.functor) {
            (Some(flat), None) => Some((Some(flat), true)),
            (None, Some(flat)) => Some((Some(flat), false)),
            (one, other) if one == other => Some((None, true)),
            _ => None,
        }) else {
            continue;
        };
        let columns = flat.or(functor).map_or(1, |functor| functor.arity.unwrap_or(0));
        let flat_args = variables(0..prefix + columns);
        let term = Argument::Variable(Variable(prefix + columns));
        let whole_args: Vec<Argument> = variables(0..prefix).into_iter().chain([term]).collect();
        let (head, body) = match flat {
            None => (flat_args.clone(), flat_args),
            Some(_) if is_head => (flat_args, whole_args),
            Some(_) => (whole_args, flat_args),
        };
        let mut body = vec![Literal::Positive(Atom { relation: source.relation, args: body })];
        body.extend(flat.map(|functor| Literal::Compose {
            term,
            functor,
            args: variables(prefix..prefix + columns),
        }));
        let head = Atom { relation: target, args: head };
        let variables = prefix + columns + u32::from(flat.is_some());
        rules.push(Rule { head, body, variables, label: BRIDGE });
    }
}

#[cfg(test)]
mod tests {
    use super::Reach;

    fn reach(rules: &str) -> Reach {
        let description = ggp_gdl::parse(rules.as_bytes()).expect("it parses");
        Reach::new(&description).expect("it is small")
    }

    fn facts(reach: &Reach, start: &str) -> Vec<String> {
        reach.facts.iter().map(|f| f.as_str().to_owned()).filter(|f| f.starts_with(start)).collect()
    }

    #[test]
    fn static_conditions_bound_what_can_happen() {
        let reach = reach(
            "(role r) (init (at 1)) (n 1) (n 2) (n 3) (after 1 2) (after 2 3) (off 3)
            (<= (legal r (go ?y)) (true (at ?x)) (after ?x ?y) (not (off ?y)))
            (<= (legal r (wait ?x)) (true (at ?x)) (not (true (at 1))))
            (<= (next (at ?y)) (does r (go ?y))) (<= (next ?f) (true ?f) (does r (wait ?x)))
            (<= terminal (true (at 3))) (goal r 0)",
        );
        assert_eq!(facts(&reach, "(at"), ["(at 1)", "(at 2)"]);
        assert_eq!(reach.moves, ["(go 2)", "(wait 1)", "(wait 2)"]);
    }

    #[test]
    fn fluents_that_never_change_bound_it_as_well() {
        let rules = |wall: &str| {
            format!(
                "(role r) (init (at 1)) (init (wall 2)) (after 1 2) (after 2 3)
                (<= (legal r (go ?y)) (true (at ?x)) (after ?x ?y) (not (blocked ?x)))
                (<= (blocked ?x) (true (wall ?x))) (<= (next (at ?y)) (does r (go ?y)))
                (<= (next (wall ?x)) (true (wall ?x)) {wall}) (<= terminal (true (at 3))) (goal r 0)"
            )
        };
        assert_eq!(facts(&reach(&rules("(after ?x 3)")), "(at"), ["(at 1)", "(at 2)"]);
        // A wall that falls once somebody stands before it stops nobody.
        assert_eq!(facts(&reach(&rules("(not (true (at 2)))")), "(at").len(), 3);
        assert_eq!(facts(&reach(&rules("(after ?x 4)")), "(at").len(), 3);
    }

    #[test]
    fn the_texts_of_a_deep_term_and_of_all_terms_inside_it_are_not_listed() {
        let listed = |depth: usize| {
            let (open, close) = ("(f ".repeat(depth), ")".repeat(depth));
            let rules = format!(
                "(role r) (init (at {open}0{close})) (legal r wait) (<= (next (at ?x)) (true (at (f ?x))))
                (<= terminal (true (at 0))) (goal r 0)"
            );
            Reach::new(&ggp_gdl::parse(rules.as_bytes()).expect("it parses")).map(|reach| reach.facts.len())
        };
        assert_eq!(listed(200), Some(201));
        // Terms of up to 16,000 bytes: 32 MB in all.
        assert_eq!(listed(4_000), None);
    }
}
