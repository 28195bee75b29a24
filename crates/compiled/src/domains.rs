//! The values that can occur in each column of each relation: an over-approximation, computed by a fixpoint over
//! the rules that looks at each column by itself.

use crate::ground::Ground;
use crate::refusal::Refusal;
use ggp_datalog::{Argument, Functor, Literal, RelationId, Rule, Value, Values};
use ggp_game::StopToken;
use ggp_game::lower::{Carrier, Form, Lowering};

/// The maximum number of terms that one function term of a rule is composed to, and the maximum nesting and the
/// maximum length of the text of such terms, in bytes. A variable for more, deeper or longer terms counts as unbounded.
const MOST_COMPOSED: usize = 4096;
const DEEPEST: u32 = 40;
const LONGEST: u32 = 1 << 16;

/// The maximum nesting of described terms.
const MOST_NESTED: u32 = 3;

/// The maximum number of terms in all domains together.
const MOST_TERMS: usize = 200_000;

/// The maximum number of rounds of the fixpoint. Columns that still grow afterwards count as unbounded.
const ROUNDS: usize = 200;

/// A set of values: listed terms, and terms that are described by their root function and by the domains of the
/// function's arguments.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Domain {
    listed: Bits,
    described: Vec<(Functor, Vec<Domain>)>,
    /// Whether the domain contains all values.
    is_all: bool,
}

impl Domain {
    fn all() -> Domain {
        Domain { is_all: true, ..Domain::default() }
    }

    fn of(listed: Bits) -> Domain {
        Domain { listed, ..Domain::default() }
    }

    /// The values, if all of them are listed.
    pub(crate) fn listed(&self) -> Option<&Bits> {
        (!self.is_all && self.described.is_empty()).then_some(&self.listed)
    }

    fn is_empty(&self) -> bool {
        self.listed().is_some_and(Bits::is_empty)
    }

    /// The nesting of the described terms.
    fn nesting(&self) -> u32 {
        let parts = self.described.iter().flat_map(|(_, parts)| parts);
        parts.map(|part| part.nesting() + 1).max().unwrap_or(0)
    }

    /// Adds the values of `other`. Returns whether the domain has grown.
    fn unite(&mut self, other: &Domain) -> bool {
        if self.is_all {
            return false;
        }
        if other.is_all {
            *self = Domain::all();
            return true;
        }
        let mut grown = self.listed.unite(&other.listed);
        for (functor, parts) in &other.described {
            if let Some((_, own)) = self.described.iter_mut().find(|(own, _)| own == functor) {
                own.iter_mut().zip(parts).for_each(|(own, part)| grown |= own.unite(part));
            } else {
                self.described.push((*functor, parts.clone()));
                grown = true;
            }
        }
        if self.nesting() > MOST_NESTED {
            *self = Domain::all();
        }
        grown
    }

    /// Removes values that `other` does not contain; it can leave some of them.
    fn narrow(&mut self, other: &Domain) {
        match (self.listed().is_some(), other.listed()) {
            (true, Some(other)) => self.listed.intersect(other),
            (false, Some(_)) => *self = other.clone(),
            (_, None) if self.is_all => *self = other.clone(),
            _ => {}
        }
    }

    /// The domains of the arguments of the values with the root `functor`. `None` if there is no such value.
    pub(crate) fn parts(&self, functor: Functor, values: &Values) -> Option<Vec<Domain>> {
        let count = functor.arity.unwrap_or(0) as usize;
        if self.is_all {
            return Some(vec![Domain::all(); count]);
        }
        let mut parts = vec![Domain::default(); count];
        let mut is_any = false;
        for value in self.listed.iter().map(|value| Value::from_index(value as usize)) {
            if values.functor(value) == functor {
                is_any = true;
                for (part, argument) in parts.iter_mut().zip(values.arguments(value)) {
                    part.listed.insert(argument.index() as u32);
                }
            }
        }
        for (_, described) in self.described.iter().filter(|(own, _)| *own == functor) {
            is_any = true;
            parts.iter_mut().zip(described).for_each(|(part, described)| {
                part.unite(described);
            });
        }
        is_any.then_some(parts)
    }

    /// The root functions of the values. `None` if they are not bounded.
    pub(crate) fn functors(&self, values: &Values) -> Option<Vec<Functor>> {
        let listed = self.listed.iter().map(|value| values.functor(Value::from_index(value as usize)));
        let mut functors: Vec<Functor> = listed.chain(self.described.iter().map(|(own, _)| *own)).collect();
        functors.sort_unstable();
        functors.dedup();
        (!self.is_all).then_some(functors)
    }

    fn keep_root(&mut self, functor: Functor, values: &Values) {
        if self.is_all {
            return;
        }
        let mut kept = Bits::default();
        for value in self.listed.iter() {
            if values.functor(Value::from_index(value as usize)) == functor {
                kept.insert(value);
            }
        }
        self.listed = kept;
        self.described.retain(|(own, _)| *own == functor);
    }
}

/// A set of small numbers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = (number as usize / 64, 1 << (number % 64));
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    fn unite(&mut self, other: &Bits) -> bool {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut grown = false;
        for (own, &other) in self.0.iter_mut().zip(&other.0) {
            grown |= other & !*own != 0;
            *own |= other;
        }
        grown
    }

    fn intersect(&mut self, other: &Bits) {
        self.0.truncate(other.0.len());
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own &= other);
    }

    fn contains(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at as u32 * 64 + bit)
        })
    }
}

/// The domains of the columns of all relations.
#[derive(Debug)]
pub(crate) struct Domains {
    pub(crate) columns: Vec<Vec<Domain>>,
}

impl Domains {
    /// Computes the domains of the relations of `lowering`. The relations that `ground` holds have exactly
    /// its tuples. Adds the terms that rules compose to `values`.
    ///
    /// # Errors
    /// [`Refusal::Interrupted`] if `stop` is raised.
    pub(crate) fn new(
        lowering: &Lowering,
        ground: &Ground,
        values: &mut Values,
        stop: &StopToken,
    ) -> Result<Domains, Refusal> {
        let columns = lowering.signatures.iter().map(|s| vec![Domain::default(); s.arity]).collect();
        let mut domains = Domains { columns };
        for (relation, table) in ground.tables() {
            for (at, &value) in table.rows.iter().enumerate() {
                domains.columns[relation.index()][at % table.arity].listed.insert(value);
            }
        }
        let rules: Vec<&Rule> =
            lowering.rules.iter().filter(|rule| ground.table(rule.head.relation).is_none()).collect();
        for round in 0.. {
            let mut grown = false;
            for rule in &rules {
                if stop.is_stopped() {
                    return Err(Refusal::Interrupted);
                }
                grown |= domains.derive(rule, values, round >= ROUNDS, stop)?;
            }
            grown |= domains.feed(lowering, [Carrier::Init, Carrier::Next], Carrier::True, values);
            grown |= domains.feed(lowering, [Carrier::Legal, Carrier::Legal], Carrier::Does, values);
            if !grown {
                return Ok(domains);
            }
        }
        unreachable!("the fixpoint ends")
    }

    /// The domain of a column.
    pub(crate) fn of(&self, relation: RelationId, column: usize) -> &Domain {
        &self.columns[relation.index()][column]
    }

    fn add(&mut self, relation: RelationId, column: usize, more: &Domain) -> bool {
        self.columns[relation.index()][column].unite(more)
    }

    /// Adds the conclusions of `rule` for the current domains, and returns whether a domain has grown. If `widen`,
    /// columns that would grow become unbounded.
    fn derive(
        &mut self,
        rule: &Rule,
        values: &mut Values,
        widen: bool,
        stop: &StopToken,
    ) -> Result<bool, Refusal> {
        let mut variables: Vec<Domain> = vec![Domain::all(); rule.variables as usize];
        let narrow = |variables: &mut Vec<Domain>, argument: Argument, domain: &Domain| {
            if let Argument::Variable(variable) = argument {
                variables[variable.index()].narrow(domain);
            }
        };
        for literal in &rule.body {
            let Literal::Positive(atom) = literal else { continue };
            for (column, &argument) in atom.args.iter().enumerate() {
                let domain = &self.columns[atom.relation.index()][column];
                match argument {
                    Argument::Variable(_) => narrow(&mut variables, argument, domain),
                    Argument::Value(value) => {
                        if domain.listed().is_some_and(|listed| !listed.contains(value.index() as u32)) {
                            return Ok(false);
                        }
                    }
                }
            }
        }
        // Function terms: from the whole to the parts, and from the parts to the whole.
        for _ in 0..rule.body.len() {
            if stop.is_stopped() {
                return Err(Refusal::Interrupted);
            }
            let before = variables.clone();
            for literal in &rule.body {
                let Literal::Compose { term, functor, args } = literal else { continue };
                let mut whole = domain_of(&variables, *term);
                whole.keep_root(*functor, values);
                let Some(parts) = whole.parts(*functor, values) else { return Ok(false) };
                if !whole.is_all {
                    narrow(&mut variables, *term, &whole);
                }
                for (&argument, part) in args.iter().zip(&parts) {
                    narrow(&mut variables, argument, part);
                }
                if whole.is_all {
                    let parts: Vec<Domain> = args.iter().map(|&a| domain_of(&variables, a)).collect();
                    narrow(&mut variables, *term, &compose(*functor, &parts, values));
                }
            }
            if before == variables {
                break;
            }
        }
        if variables.iter().any(Domain::is_empty) {
            return Ok(false);
        }
        let mut grown = false;
        for (column, &argument) in rule.head.args.iter().enumerate() {
            let domain = domain_of(&variables, argument);
            let before = widen.then(|| self.columns[rule.head.relation.index()][column].clone());
            if self.add(rule.head.relation, column, &domain) {
                grown = true;
                if before.is_some() {
                    self.columns[rule.head.relation.index()][column] = Domain::all();
                }
            }
        }
        Ok(grown)
    }

    /// Adds to the forms of the input `to` what the forms of the carriers `from` give.
    fn feed(&mut self, lowering: &Lowering, from: [Carrier; 2], to: Carrier, values: &mut Values) -> bool {
        let mut grown = false;
        let prefix = to.prefix();
        let sources: Vec<Form> =
            from.iter().flat_map(|&carrier| lowering.forms(carrier)).filter(|f| f.defined).copied().collect();
        for source in &sources {
            let own: Vec<Domain> = self.columns[source.relation.index()].clone();
            for target in lowering.forms(to) {
                for (column, domain) in own.iter().enumerate().take(prefix) {
                    grown |= self.add(target.relation, column, domain);
                }
                match (source.functor, target.functor) {
                    (Some(a), Some(b)) if a != b => {}
                    (Some(_), Some(_)) | (None, None) => {
                        for (column, domain) in own.iter().enumerate().skip(prefix) {
                            grown |= self.add(target.relation, column, domain);
                        }
                    }
                    (Some(functor), None) => {
                        let whole = compose(functor, &own[prefix..], values);
                        grown |= self.add(target.relation, prefix, &whole);
                    }
                    (None, Some(functor)) => {
                        let parts = own[prefix].parts(functor, values);
                        for (at, part) in parts.into_iter().flatten().enumerate() {
                            grown |= self.add(target.relation, prefix + at, &part);
                        }
                    }
                }
            }
        }
        grown
    }
}

fn domain_of(variables: &[Domain], argument: Argument) -> Domain {
    match argument {
        Argument::Variable(variable) => variables[variable.index()].clone(),
        Argument::Value(value) => {
            let mut only = Bits::default();
            only.insert(value.index() as u32);
            Domain::of(only)
        }
    }
}

/// The terms that `functor` makes of the `parts`: listed if there are few.
fn compose(functor: Functor, parts: &[Domain], values: &mut Values) -> Domain {
    let described = |parts: &[Domain]| {
        let domain = Domain { described: vec![(functor, parts.to_vec())], ..Domain::default() };
        if domain.nesting() > MOST_NESTED { Domain::all() } else { domain }
    };
    if parts.iter().any(Domain::is_empty) {
        return Domain::default();
    }
    let listed: Option<Vec<&Bits>> = parts.iter().map(Domain::listed).collect();
    let Some(listed) = listed else { return described(parts) };
    let count = listed.iter().fold(1usize, |count, part| count.saturating_mul(part.len()));
    if count > MOST_COMPOSED || values.len() > MOST_TERMS {
        return described(parts);
    }
    let columns: Vec<Vec<u32>> = listed.iter().map(|part| part.iter().collect()).collect();
    let mut composed = Bits::default();
    let mut args = Vec::with_capacity(parts.len());
    for number in 0..count {
        let mut rest = number;
        args.clear();
        for column in &columns {
            args.push(Value::from_index(column[rest % column.len()] as usize));
            rest /= column.len();
        }
        let value = values.term(functor, &args);
        if values.depth(value) > DEEPEST || values.text_len(value) > LONGEST {
            return Domain::all();
        }
        composed.insert(value.index() as u32);
    }
    Domain::of(composed)
}

#[cfg(test)]
mod tests {
    use super::{Bits, Domain, Domains, LONGEST, compose};
    use crate::refusal::Refusal;
    use ggp_datalog::{Argument, Atom, Functor, Literal, RelationId, Rule, Value, Values, Variable};
    use ggp_game::StopToken;

    #[test]
    fn terms_with_long_texts_are_unbounded() {
        let mut values = Values::default();
        let functor = Functor { name: values.name("f"), arity: Some(2) };
        let mut only = Bits::default();
        only.insert(values.constant("a").index() as u32);
        let mut domain = Domain::of(only);
        while let Some(listed) = domain.listed() {
            let value = listed.iter().next().expect("a term");
            assert!(values.text_len(Value::from_index(value as usize)) <= LONGEST);
            domain = compose(functor, &[domain.clone(), domain], &mut values);
        }
        assert!(domain.is_all);
    }

    #[test]
    fn the_passes_over_the_functions_of_a_rule_can_be_interrupted() {
        let mut values = Values::default();
        let functor = Functor { name: values.name("f"), arity: Some(1) };
        let term = Argument::Variable(Variable(0));
        let rule = Rule {
            head: Atom { relation: RelationId(0), args: vec![term] },
            body: vec![Literal::Compose { term, functor, args: vec![Argument::Value(values.constant("a"))] }],
            variables: 1,
            label: 0,
        };
        let mut domains = Domains { columns: vec![vec![Domain::default()]] };
        let stop = StopToken::new();
        stop.stop();
        assert_eq!(domains.derive(&rule, &mut values, false, &stop), Err(Refusal::Interrupted));
        assert_eq!(domains.derive(&rule, &mut values, false, &StopToken::new()), Ok(true));
    }
}
