//! Static facts of the rules: the initial state, the fluents that `base` lists, and the facts with two
//! arguments that may order an axis.
//!
//! `init` and `base` are evaluated under small bounds of their own. A list that exceeds these bounds is
//! ignored, so that it does not delay the drawing.

use crate::reach::MAX_BYTES;
use ggp_datalog::split::split_by_constants;
use ggp_datalog::{Database, Limits, Program, RelationId};
use ggp_game::Fact;
use ggp_game::lower::{Carrier, Lowering};
use ggp_gdl::{Description, Symbol, Term};

/// The largest number of fluents that `init` or `base` may list. A longer list is ignored.
const MAX_FLUENTS: usize = 200_000;

fn limits() -> Limits {
    Limits { terms: 400_000, depth: 1_000, tuples: 400_000, rows: 4_000_000, ..Limits::default() }
}

/// The fluents that `init` lists (field `init`) and those that `base` lists (field `base`), each sorted.
#[derive(Clone, Default, Debug)]
pub(crate) struct Listed {
    pub(crate) init: Vec<Fact>,
    pub(crate) base: Vec<Fact>,
}

impl Listed {
    /// Evaluates `init` and `base` of `description`. A list whose evaluation exceeds a bound is empty.
    pub(crate) fn new(description: &Description) -> Listed {
        let mut lowering = Lowering::new(description);
        split_by_constants(&mut lowering.signatures, &mut lowering.rules, &lowering.values);
        let Ok(program) = Program::new(lowering.signatures.clone(), lowering.rules.clone()) else {
            return Listed::default();
        };
        let init = list(&program, &lowering, Carrier::Init);
        let base = list(&program, &lowering, Carrier::Base);
        Listed { init, base }
    }
}

fn list(program: &Program, lowering: &Lowering, carrier: Carrier) -> Vec<Fact> {
    let forms: Vec<_> = lowering.forms(carrier).iter().filter(|form| form.defined).copied().collect();
    let relations: Vec<_> = forms.iter().map(|form| form.relation).collect();
    if relations.is_empty() {
        return Vec::new();
    }
    let mut database = Database::new(program, lowering.values.clone());
    if program.evaluate(&mut database, &program.query(&relations), &limits()).is_err() {
        return Vec::new();
    }
    let mut facts = Vec::new();
    let mut bytes = 0;
    for form in forms {
        let rows = database.relation(form.relation).len();
        if facts.len() + rows > MAX_FLUENTS {
            return Vec::new();
        }
        for row in 0..rows {
            let value = match form.functor {
                Some(functor) => database.term_of_row(functor, form.relation, row, 0),
                None => database.relation(form.relation).row(row)[0],
            };
            bytes += u64::from(database.values().text_len(value));
            if bytes > MAX_BYTES {
                return Vec::new();
            }
            facts.push(Fact::from_canonical(database.values().text(value)));
        }
    }
    facts.sort_unstable();
    facts.dedup();
    facts
}

/// The largest number of tuples of a relation that can tell which squares are neighbours.
const MAX_TUPLES: usize = 6_000;

/// The names and the tuples of the relations with two to five arguments that do not depend on the state, as texts. A
/// relation whose evaluation exceeds small bounds is left out.
pub(crate) fn relations(description: &Description) -> Vec<(String, Vec<Vec<String>>)> {
    let mut lowering = Lowering::new(description);
    split_by_constants(&mut lowering.signatures, &mut lowering.rules, &lowering.values);
    let Ok(program) = Program::new(lowering.signatures.clone(), lowering.rules.clone()) else {
        return Vec::new();
    };
    let limits = Limits { terms: 40_000, depth: 100, tuples: 40_000, rows: 300_000, ..Limits::default() };
    let mut database = Database::new(&program, lowering.values.clone());
    let mut out = Vec::new();
    for (number, signature) in program.signatures().iter().enumerate() {
        let relation = RelationId(number as u32);
        let carrier = signature.name.contains(' ');
        if carrier || !(2..=5).contains(&signature.arity) || program.level(relation) > 0 {
            continue;
        }
        if program.evaluate(&mut database, &program.query(&[relation]), &limits).is_err() {
            database = Database::new(&program, lowering.values.clone());
            continue;
        }
        let rows = database.relation(relation).len();
        let values = database.relation(relation).rows().flatten();
        let lengths = values.map(|&value| u64::from(database.values().text_len(value)));
        if (1..=MAX_TUPLES).contains(&rows) && lengths.sum::<u64>() <= MAX_BYTES {
            let row = |row| {
                let values = database.relation(relation).row(row).iter();
                values.map(|&value| database.values().text(value)).collect()
            };
            let name = signature.name.split('/').next().unwrap_or_default().to_owned();
            out.push((name, (0..rows).map(row).collect()));
        }
    }
    out
}

/// For each relation with two arguments, the pairs of constants in its facts. Relations and pairs are in the
/// order of the text.
pub(crate) fn pairs(description: &Description) -> Vec<Vec<(Symbol, Symbol)>> {
    let mut out: Vec<Vec<(Symbol, Symbol)>> = Vec::new();
    let mut numbers = rustc_hash::FxHashMap::default();
    for rule in description.rules.iter().filter(|rule| rule.body.is_empty() && rule.head.args.len() == 2) {
        let constant = |i: usize| match description.terms.get(rule.head.args[i]) {
            Term::Constant(constant) => Some(*constant),
            _ => None,
        };
        if let (Some(first), Some(second)) = (constant(0), constant(1)) {
            let number = *numbers.entry(rule.head.relation).or_insert_with(|| {
                out.push(Vec::new());
                out.len() - 1
            });
            out[number].push((first, second));
        }
    }
    out
}
