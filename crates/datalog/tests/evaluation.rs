//! Compares the evaluator with a naive evaluator on random stratified programs. The programs contain
//! recursion, mutual recursion, negation, constants, compound terms, repeated variables and relations without
//! columns.

mod naive;

use ggp_datalog::decompose::decompose;
use ggp_datalog::demand::{Refusal, on_demand};
use ggp_datalog::split::split_by_constants;
use ggp_datalog::{
    Argument, Atom, Database, Limits, Literal, Program, RelationId, Rule, Signature, Variable,
};
use naive::{Case, Choices, Tuples, all, constant, insert, tuples};
use proptest::collection::vec;
use proptest::prelude::*;

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..500)
}

fn program(case: &Case) -> Program {
    Program::new(case.signatures.clone(), case.rules.clone()).expect("safe and stratified")
}

fn evaluate(program: &Program, database: &mut Database, relations: &[RelationId]) {
    program.evaluate(database, &program.query(relations), &Limits::default()).expect("within bounds");
}

fn compare(program: &Program, database: &Database, expected: &[Tuples], asked: &[RelationId]) {
    for &relation in asked {
        let name = &program.signatures()[relation.index()].name;
        assert_eq!(tuples(database, relation), expected[relation.index()], "{name}: {:#?}", program.rules());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn semi_naive_is_naive(bytes in bytes()) {
        let choices = &mut Choices(&bytes);
        let case = Case::new(choices);
        let inputs = Case::all_inputs(choices);
        let expected = case.naive(&inputs);
        let mut program = program(&case);
        let mut database = Database::new(&program, case.values.clone());
        insert(&mut database, &inputs);
        evaluate(&program, &mut database, &all(&program));
        compare(&program, &database, &expected, &all(&program));

        // The results stay the same when plans use the observed sizes, in the same database and in a new one.
        let mut statistics = program.statistics();
        database.observe(&mut statistics, all(&program).into_iter());
        program.plan(&statistics).expect("safe");
        database.reindex(&program);
        compare(&program, &database, &expected, &all(&program));
        database.clear_from(&program, 0);
        insert(&mut database, &inputs);
        evaluate(&program, &mut database, &all(&program));
        compare(&program, &database, &expected, &all(&program));

        // They also stay the same when each stratum is planned just before it is evaluated.
        let mut database = Database::new(&program, case.values.clone());
        insert(&mut database, &inputs);
        let mut statistics = program.statistics();
        let query = program.query(&all(&program));
        program.evaluate_adaptively(&mut database, &query, &Limits::default(), &mut statistics).expect("in bounds");
        compare(&program, &database, &expected, &all(&program));
    }

    #[test]
    fn going_on_is_starting_anew(bytes in bytes()) {
        let choices = &mut Choices(&bytes);
        let case = Case::new(choices);
        let program = program(&case);
        let mut database = Database::new(&program, case.values.clone());
        let mut levels: Vec<_> = (0..3).map(|level| Case::inputs(choices, level)).collect();
        for inputs in &levels {
            insert(&mut database, inputs);
        }
        for _ in 0..6 {
            // Evaluate some relations in turn. Only these relations and their dependencies may be evaluated.
            let mut asked = Vec::new();
            for _ in 0..=choices.below(3) {
                asked.push(RelationId(choices.below(program.signatures().len()) as u32));
                evaluate(&program, &mut database, &asked[asked.len() - 1..]);
            }
            compare(&program, &database, &case.naive(&levels.concat()), &asked);
            let from = choices.below(3);
            database.clear_from(&program, from as u8);
            for (level, inputs) in levels.iter_mut().enumerate().skip(from) {
                *inputs = Case::inputs(choices, level as u8);
                insert(&mut database, inputs);
            }
        }
    }

    #[test]
    fn an_evaluation_that_was_stopped_can_be_repeated(bytes in bytes()) {
        let choices = &mut Choices(&bytes);
        let case = Case::new(choices);
        let program = program(&case);
        let inputs = Case::all_inputs(choices);
        let expected = case.naive(&inputs);
        let mut database = Database::new(&program, case.values.clone());
        let query = program.query(&all(&program));
        for level in [0, 0, 0] {
            insert(&mut database, &inputs);
            let limits = Limits { tuples: inputs.len() + choices.below(40), ..Limits::default() };
            let terms = database.values().len();
            if program.evaluate(&mut database, &query, &limits).is_err() {
                database.roll_back(&program, level, terms);
                prop_assert_eq!(database.values().len(), terms);
            } else {
                compare(&program, &database, &expected, &all(&program));
                database.clear_from(&program, level);
            }
        }
        insert(&mut database, &inputs);
        evaluate(&program, &mut database, &all(&program));
        compare(&program, &database, &expected, &all(&program));
    }

    #[test]
    fn an_evaluation_that_was_stopped_can_go_on(bytes in bytes()) {
        let choices = &mut Choices(&bytes);
        let case = Case::new(choices);
        let program = program(&case);
        let inputs = Case::all_inputs(choices);
        let expected = case.naive(&inputs);
        let mut database = Database::new(&program, case.values.clone());
        let query = program.query(&all(&program));
        insert(&mut database, &inputs);
        let steps = 1 + choices.below(4);
        let mut tuples = inputs.len();
        loop {
            let limits = Limits { tuples, ..Limits::default() };
            if program.evaluate(&mut database, &query, &limits).is_ok() {
                break;
            }
            tuples += steps;
        }
        compare(&program, &database, &expected, &all(&program));
    }

    #[test]
    fn terms_that_were_released_are_made_again(bytes in bytes()) {
        let choices = &mut Choices(&bytes);
        let case = Case::new(choices);
        let program = program(&case);
        let mut database = Database::new(&program, case.values.clone());
        let more = choices.below(4);
        let lasting = database.values().len() + more;
        database.values_mut().keep(more);
        for _ in 0..4 {
            let inputs = Case::all_inputs(choices);
            insert(&mut database, &inputs);
            evaluate(&program, &mut database, &all(&program));
            compare(&program, &database, &case.naive(&inputs), &all(&program));
            database.release_from(&program, 0);
            prop_assert!(database.values().len() <= lasting);
        }
    }

    #[test]
    fn what_is_on_demand_gives_the_same_answers(bytes in bytes()) {
        on_demand_or_not(&bytes);
    }

    #[test]
    fn what_is_decomposed_gives_the_same_answers(bytes in bytes()) {
        let choices = &mut Choices(&bytes);
        let case = Case::new(choices);
        let inputs = Case::all_inputs(choices);
        let expected = case.naive(&inputs);
        let parts = decompose(case.signatures.clone(), case.rules.clone());
        prop_assert_eq!(parts.owners.len(), parts.signatures.len() - case.signatures.len());
        let program = Program::new(parts.signatures, parts.rules).expect("as safe and stratified as before");
        let mut database = Database::new(&program, case.values.clone());
        insert(&mut database, &inputs);
        let asked: Vec<RelationId> = (0..case.signatures.len()).map(|r| RelationId(r as u32)).collect();
        evaluate(&program, &mut database, &asked);
        compare(&program, &database, &expected, &asked);
    }

    #[test]
    fn what_is_split_has_the_same_meaning(bytes in bytes()) {
        let choices = &mut Choices(&bytes);
        let case = Case::new(choices);
        let inputs = Case::all_inputs(choices);
        let expected = case.naive(&inputs);
        let merged = Merged::new(&case, choices.below(2) == 0);
        let (mut signatures, mut rules) = (merged.signatures.clone(), merged.rules.clone());
        split_by_constants(&mut signatures, &mut rules, &merged.values);
        let program = Program::new(signatures, rules).expect("stratified once it is split");
        let mut database = Database::new(&program, merged.values.clone());
        insert(&mut database, &inputs);
        evaluate(&program, &mut database, &all(&program));
        for (arity, &whole) in merged.wholes.iter().enumerate() {
            let mut union = Tuples::new();
            for (r, signature) in case.signatures.iter().enumerate().skip(naive::INPUTS.len()) {
                for tuple in expected[r].iter().filter(|_| signature.arity == arity) {
                    let mut tuple = tuple.clone();
                    tuple.insert(merged.column(arity), constant(&signature.name));
                    union.insert(tuple);
                }
            }
            prop_assert_eq!(tuples(&database, whole), union.clone());
            // A literal with a variable in that column reads the whole relation.
            prop_assert_eq!(tuples(&database, merged.readers[arity]), union);
        }
    }
}

/// Computes random relations on demand and compares the answers with the naive evaluator's.
fn on_demand_or_not(bytes: &[u8]) {
    let choices = &mut Choices(bytes);
    let case = Case::new(choices);
    let inputs = Case::all_inputs(choices);
    let expected = case.naive(&inputs);
    for _ in 0..4 {
        let demanded: Vec<bool> = (0..case.signatures.len()).map(|_| choices.below(3) == 0).collect();
        let Some(program) = demand(&case, &demanded) else { continue };
        let asked: Vec<RelationId> =
            (0..demanded.len()).filter(|&r| !demanded[r]).map(|r| RelationId(r as u32)).collect();
        let mut database = Database::new(&program, case.values.clone());
        insert(&mut database, &inputs);
        evaluate(&program, &mut database, &asked);
        compare(&program, &database, &expected, &asked);
    }
}

/// The program of `case`, rewritten so that the relations for which `demanded` is true are computed on
/// demand. `None` if the rewriting is refused.
fn demand(case: &Case, demanded: &[bool]) -> Option<Program> {
    match on_demand(&case.signatures, &case.rules, |r| demanded[r.index()]) {
        Ok(rewritten) => Program::new(rewritten.signatures, rewritten.rules).ok(),
        Err(_) => None,
    }
}

#[test]
fn much_can_be_put_on_demand() {
    let mut accepted = 0;
    for seed in 0..400u64 {
        let mut state = seed;
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        })
        .take(400)
        .collect();
        let choices = &mut Choices(&bytes);
        let case = Case::new(choices);
        let demanded: Vec<bool> = (0..case.signatures.len()).map(|_| choices.below(3) == 0).collect();
        let asked = |r: RelationId| demanded[r.index()];
        let used = case.rules.iter().filter(|rule| !asked(rule.head.relation)).any(|rule| {
            let mut atoms = rule.body.iter().filter_map(|literal| match literal {
                Literal::Positive(a) | Literal::Negative(a) => Some(a.relation),
                _ => None,
            });
            atoms.any(asked)
        });
        accepted += usize::from(used && demand(&case, &demanded).is_some());
    }
    assert!(accepted > 60, "only {accepted} of 400 programs are rewritten");
}

/// A case in which all derived relations of one arity are merged into one relation. A constant in an added
/// column tells the merged relations apart, so the merged program is stratified only after splitting.
struct Merged {
    signatures: Vec<Signature>,
    rules: Vec<Rule>,
    values: ggp_datalog::Values,
    wholes: Vec<RelationId>,
    readers: Vec<RelationId>,
    first: bool,
}

impl Merged {
    fn new(case: &Case, first: bool) -> Merged {
        let mut signatures = case.signatures.clone();
        let mut add = |name: String, arity| {
            signatures.push(Signature { name, arity, level: 0 });
            RelationId(signatures.len() as u32 - 1)
        };
        let wholes: Vec<RelationId> = (0..3).map(|arity| add(format!("whole{arity}"), arity + 1)).collect();
        let readers: Vec<RelationId> = (0..3).map(|arity| add(format!("reader{arity}"), arity + 1)).collect();
        let mut values = case.values.clone();
        let mut merged =
            Merged { signatures, rules: Vec::new(), values: values.clone(), wholes, readers, first };
        let tags: Vec<Argument> =
            case.signatures.iter().map(|s| Argument::Value(values.constant(&s.name))).collect();
        merged.values = values;
        for rule in &case.rules {
            let body = rule.body.iter().map(|literal| match literal {
                Literal::Positive(atom) => Literal::Positive(merged.atom(atom, &tags)),
                Literal::Negative(atom) => Literal::Negative(merged.atom(atom, &tags)),
                other => other.clone(),
            });
            let rule = Rule { head: merged.atom(&rule.head, &tags), body: body.collect(), ..rule.clone() };
            merged.rules.push(rule);
        }
        for (&whole, &reader) in merged.wholes.iter().zip(&merged.readers) {
            let variables = merged.signatures[whole.index()].arity as u32;
            let args: Vec<Argument> = (0..variables).map(|v| Argument::Variable(Variable(v))).collect();
            let body = vec![Literal::Positive(Atom { relation: whole, args: args.clone() })];
            merged.rules.push(Rule { head: Atom { relation: reader, args }, body, variables, label: 0 });
        }
        merged
    }

    fn column(&self, arity: usize) -> usize {
        if self.first { 0 } else { arity }
    }

    fn atom(&self, atom: &Atom, tags: &[Argument]) -> Atom {
        if atom.relation.index() < naive::INPUTS.len() {
            return atom.clone();
        }
        let arity = atom.args.len();
        let mut args = atom.args.clone();
        args.insert(self.column(arity), tags[atom.relation.index()]);
        Atom { relation: self.wholes[arity], args }
    }
}

/// The program `number(zero) ← given(zero)`, `number(s(X)) ← number(X)`, `taken(X) ← given(X)`.
fn growing() -> (Program, ggp_datalog::Values) {
    let mut values = ggp_datalog::Values::default();
    let zero = Argument::Value(values.constant("zero"));
    let s = ggp_datalog::Functor { name: values.name("s"), arity: Some(1) };
    let signature = |name: &str, level| Signature { name: name.to_owned(), arity: 1, level };
    let signatures = vec![signature("number", 0), signature("given", 1), signature("taken", 0)];
    let atom = |relation, argument| Atom { relation: RelationId(relation), args: vec![argument] };
    let variable = |v| Argument::Variable(Variable(v));
    let rule = |head, body, label| Rule { head, body, variables: 2, label };
    let compose = Literal::Compose { term: variable(1), functor: s, args: vec![variable(0)] };
    let rules = vec![
        rule(atom(0, zero), vec![Literal::Positive(atom(1, zero))], 5),
        rule(atom(0, variable(1)), vec![Literal::Positive(atom(0, variable(0))), compose], 7),
        rule(atom(2, variable(0)), vec![Literal::Positive(atom(1, variable(0)))], 9),
    ];
    (Program::new(signatures, rules).expect("safe"), values)
}

/// The rule `answer(X) ← given(X), chain(X)` with the rules of `chain`. The relation `chain` starts with the
/// terms of the input `end`. If `down` is true, `chain(s(X))` derives `chain(X)`; otherwise `chain(X)`
/// derives `chain(s(X))`.
fn chain(down: bool) -> (Vec<Signature>, Vec<Rule>, ggp_datalog::Values) {
    let mut values = ggp_datalog::Values::default();
    let s = ggp_datalog::Functor { name: values.name("s"), arity: Some(1) };
    let signature = |name: &str, level| Signature { name: name.to_owned(), arity: 1, level };
    let signatures =
        vec![signature("given", 1), signature("end", 1), signature("chain", 0), signature("answer", 0)];
    let variable = |v| Argument::Variable(Variable(v));
    let atom = |relation, v| Atom { relation: RelationId(relation), args: vec![variable(v)] };
    let holds = |relation, v| Literal::Positive(atom(relation, v));
    let (whole, part) = if down { (1, 0) } else { (0, 1) };
    let compose = Literal::Compose { term: variable(whole), functor: s, args: vec![variable(part)] };
    let rule = |head, body| Rule { head, body, variables: 2, label: 0 };
    let rules = vec![
        rule(atom(2, 0), vec![holds(1, 0)]),
        rule(atom(2, 0), vec![holds(2, 1), compose]),
        rule(atom(3, 0), vec![holds(0, 0), holds(2, 0)]),
    ];
    (signatures, rules, values)
}

#[test]
fn questions_that_grow_without_end_are_refused_and_those_that_shrink_are_not() {
    // Demand for chain(X) leads to demand for chain(s(X)), chain(s(s(X))) and so on without end, although
    // there are few answers.
    let (signatures, rules, _) = chain(true);
    let refusal = on_demand(&signatures, &rules, |r| r == RelationId(2)).err();
    assert_eq!(refusal, Some(Refusal::Endless { wanted: RelationId(2) }));

    // In the other direction the set of answers is infinite and the demand is finite.
    let (signatures, rules, mut values) = chain(false);
    let rewritten = on_demand(&signatures, &rules, |r| r == RelationId(2)).expect("questions shrink");
    let program = Program::new(rewritten.signatures, rewritten.rules).expect("safe");
    let s = ggp_datalog::Functor { name: values.name("s"), arity: Some(1) };
    let [zero, elsewhere] = ["zero", "elsewhere"].map(|name| {
        let name = values.name(name);
        values.term(ggp_datalog::Functor { name, arity: None }, &[])
    });
    let [one, other] = [zero, elsewhere].map(|below| values.term(s, &[below]));
    let mut database = Database::new(&program, values);
    for given in [one, other] {
        database.insert(RelationId(0), &[given]);
    }
    database.insert(RelationId(1), &[zero]);
    evaluate(&program, &mut database, &[RelationId(3)]);
    assert_eq!(database.relation(RelationId(3)).rows().collect::<Vec<_>>(), [&[one]]);
}

#[test]
fn growth_without_end_is_stopped_at_each_bound_and_leaves_a_usable_database() {
    use ggp_datalog::EvalError as E;
    let (program, values) = growing();
    let zero = values.find(ggp_datalog::Functor { name: values.clone().name("zero"), arity: None }, &[]);
    let mut database = Database::new(&program, values);
    let terms = database.values().len();
    let raised = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let none = Limits::default();
    for (limits, expected) in [
        (Limits { terms: 5_000, ..none.clone() }, E::TooManyTerms { label: 7, bound: 5_000 }),
        (Limits { depth: 300, ..none.clone() }, E::TooDeep { label: 7, bound: 300 }),
        (Limits { text: 4_000, ..none.clone() }, E::TooLong { label: 7, bound: 4_000 }),
        (Limits { tuples: 4_000, ..none.clone() }, E::TooManyTuples { label: 7, bound: 4_000 }),
        (Limits { rows: 60_000, ..none.clone() }, E::TooMuchWork { label: 7, bound: 60_000 }),
        (Limits { interrupt: Some(raised), ..none.clone() }, E::Interrupted),
    ] {
        database.insert(RelationId(1), &[zero.expect("in the rules")]);
        let query = program.query(&[RelationId(0)]);
        assert_eq!(program.evaluate(&mut database, &query, &limits), Err(expected));
        assert_eq!(database.failed(), Some(RelationId(0)));
        assert!(database.values().len() <= 30_000 && database.relation(RelationId(0)).len() <= 30_000);
        database.roll_back(&program, 1, terms);
        database.reset_work();
        assert_eq!(database.values().len(), terms);
        database.insert(RelationId(1), &[zero.expect("in the rules")]);
        evaluate(&program, &mut database, &[RelationId(2)]);
        assert_eq!(database.relation(RelationId(2)).len(), 1);
        database.clear_from(&program, 1);
    }
}

#[test]
fn a_rule_with_thousands_of_recursive_literals_takes_little() {
    let mut values = ggp_datalog::Values::default();
    let signatures = vec![
        Signature { name: "start".to_owned(), arity: 1, level: 1 },
        Signature { name: "done".to_owned(), arity: 1, level: 0 },
    ];
    let constants: Vec<Argument> =
        (0..=5_000).map(|n| Argument::Value(values.constant(&format!("c{n}")))).collect();
    let atom = |relation, argument| Atom { relation: RelationId(relation), args: vec![argument] };
    let x = Argument::Variable(Variable(0));
    let all = constants[..5_000].iter().map(|&c| Literal::Positive(atom(1, c))).collect();
    let rules = vec![
        Rule { head: atom(1, x), body: vec![Literal::Positive(atom(0, x))], variables: 1, label: 0 },
        Rule { head: atom(1, constants[5_000]), body: all, variables: 0, label: 1 },
    ];
    let program = Program::new(signatures, rules).expect("safe");
    for missing in [0, 1] {
        let mut database = Database::new(&program, values.clone());
        for &constant in &constants[missing..5_000] {
            let Argument::Value(value) = constant else { unreachable!() };
            database.insert(RelationId(0), &[value]);
        }
        evaluate(&program, &mut database, &[RelationId(1)]);
        assert_eq!(database.relation(RelationId(1)).len(), if missing == 0 { 5_001 } else { 4_999 });
    }
}
