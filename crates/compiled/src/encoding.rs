//! Codes of fluents and of moves: each possible term has a number, and numbers are in the order of the texts.
//!
//! The terms with the same root function have consecutive codes. Within them, a code is a number in a mixed
//! radix, with one digit for each argument of the function. The digits of an argument are in the order of the
//! argument's text followed by the character that ends it, so the order of the codes is the bytewise order of
//! the texts of the whole terms.

use crate::domains::{Bits, Domain, Domains};
use crate::key::{NONE, Numbering};
use crate::refusal::Refusal;
use ggp_datalog::{Functor, Value, Values};
use ggp_game::lower::{Carrier, Form, Lowering};
use rustc_hash::FxHashMap;

/// The maximum number of codes.
const MOST_CODES: u64 = 1 << 28;

/// The maximum number of bytes in the texts of all possible arguments of a function. It bounds the text of each term.
const MOST_TEXT: u64 = 32 << 20;

/// The terms with the same root function.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub(crate) functor: Functor,
    /// The code of the family's first term.
    pub(crate) first: u32,
    size: u32,
    pub(crate) columns: Vec<Column>,
}

impl Family {
    /// The number of the family's terms.
    pub(crate) fn size(&self) -> u32 {
        self.size
    }
}

/// An argument of the function of a family.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// The possible values, in the order of their texts.
    pub(crate) values: Vec<u32>,
    pub(crate) numbering: Numbering,
    pub(crate) stride: u32,
}

/// The codes of all terms that one carrier can carry.
#[derive(Clone, Debug)]
pub(crate) struct Encoding {
    pub(crate) families: Vec<Family>,
    by_functor: FxHashMap<Functor, usize>,
    pub(crate) size: u32,
    /// Whether the codes are in the order of the texts.
    pub(crate) is_ordered: bool,
}

impl Encoding {
    /// Numbers the terms that the forms of `carriers` can hold. `what` names the terms in a refusal.
    pub(crate) fn new(
        lowering: &Lowering,
        carriers: &[Carrier],
        domains: &Domains,
        values: &Values,
        what: &str,
    ) -> Result<Encoding, Refusal> {
        let mut columns: FxHashMap<Functor, Vec<Bits>> = FxHashMap::default();
        let forms = carriers.iter().flat_map(|&carrier| {
            lowering
                .forms(carrier)
                .iter()
                .filter(|form| form.defined)
                .map(move |form| (carrier.prefix(), form))
        });
        for (prefix, form) in forms {
            let unbounded = || Refusal::Unbounded(what.to_owned());
            for (functor, parts) in families_of(form, prefix, domains, values).ok_or_else(unbounded)? {
                let parts: Option<Vec<Bits>> = parts.iter().map(|part| part.listed().cloned()).collect();
                let parts = parts.ok_or_else(unbounded)?;
                match columns.get_mut(&functor) {
                    Some(known) => known.iter_mut().zip(&parts).for_each(|(own, part)| {
                        part.iter().for_each(|value| {
                            own.insert(value);
                        });
                    }),
                    None => {
                        columns.insert(functor, parts);
                    }
                }
            }
        }
        let start = |functor: Functor| {
            let name = values.spelling(functor.name);
            match functor.arity {
                None => name.to_owned(),
                Some(0) => format!("({name})"),
                Some(_) => format!("({name} "),
            }
        };
        let mut columns: Vec<(String, Functor, Vec<Bits>)> =
            columns.into_iter().map(|(functor, parts)| (start(functor), functor, parts)).collect();
        columns.sort_by(|a, b| (&a.0, a.1.arity).cmp(&(&b.0, b.1.arity)));
        let is_ordered = columns.windows(2).all(|pair| pair[0].0 != pair[1].0);
        let mut encoding =
            Encoding { families: Vec::new(), by_functor: FxHashMap::default(), size: 0, is_ordered };
        let mut first = 0u64;
        for (_, functor, parts) in columns {
            let count = parts.len();
            let text_len = |value: u32| u64::from(values.text_len(Value::from_index(value as usize)));
            if parts.iter().flat_map(Bits::iter).map(text_len).sum::<u64>() > MOST_TEXT {
                return Err(Refusal::TooMany(what.to_owned()));
            }
            let mut size = 1u64;
            let mut own = Vec::with_capacity(count);
            for (at, part) in parts.into_iter().enumerate().rev() {
                let end = if at + 1 == count { ')' } else { ' ' };
                let key = |value: u32| format!("{}{end}", values.text(Value::from_index(value as usize)));
                let mut keyed: Vec<(String, u32)> = part.iter().map(|value| (key(value), value)).collect();
                keyed.sort_unstable();
                let ordered: Vec<u32> = keyed.into_iter().map(|(_, value)| value).collect();
                let numbering = Numbering::of(&ordered);
                own.push(Column { numbering, stride: size as u32, values: ordered });
                size = size.saturating_mul(own.last().expect("just added").values.len() as u64);
                if first.saturating_add(size) > MOST_CODES {
                    return Err(Refusal::TooMany(what.to_owned()));
                }
            }
            own.reverse();
            encoding.by_functor.insert(functor, encoding.families.len());
            encoding.families.push(Family { functor, first: first as u32, size: size as u32, columns: own });
            first += size;
        }
        encoding.size = first as u32;
        Ok(encoding)
    }

    /// Families whose columns have the values from 0 to these sizes.
    #[cfg(test)]
    pub(crate) fn of_sizes(sizes: &[&[u32]]) -> Encoding {
        let mut families = Vec::new();
        let mut first = 0;
        let mut values = Values::default();
        for (number, sizes) in sizes.iter().enumerate() {
            let mut size = 1;
            let mut columns = Vec::new();
            for &count in sizes.iter().rev() {
                let all: Vec<u32> = (0..count).collect();
                columns.push(Column { numbering: Numbering::of(&all), values: all, stride: size });
                size *= count;
            }
            columns.reverse();
            let name = values.name(&format!("f{number}"));
            let functor = Functor { name, arity: Some(sizes.len() as u32) };
            families.push(Family { functor, first, size, columns });
            first += size;
        }
        Encoding { families, by_functor: FxHashMap::default(), size: first, is_ordered: true }
    }

    /// The family of the terms with the root `functor`.
    pub(crate) fn family(&self, functor: Functor) -> Option<usize> {
        self.by_functor.get(&functor).copied()
    }

    /// The code of the term of `family` with these arguments. `None` if the term cannot occur.
    #[inline]
    pub(crate) fn code(&self, family: usize, args: &[u32]) -> Option<u32> {
        let family = &self.families[family];
        let mut code = family.first;
        for (column, &value) in family.columns.iter().zip(args) {
            let number = *column.numbering.numbers.get(value as usize)?;
            if number == NONE {
                return None;
            }
            code += number * column.stride;
        }
        Some(code)
    }

    /// The code of the term `value`. `None` if the term cannot occur.
    pub(crate) fn code_of(&self, value: Value, values: &Values) -> Option<u32> {
        let family = self.family(values.functor(value))?;
        let args: Vec<u32> = values.arguments(value).iter().map(|argument| argument.index() as u32).collect();
        self.code(family, &args)
    }

    /// The family of the term with this code.
    #[inline]
    pub(crate) fn family_of(&self, code: u32) -> usize {
        self.families.partition_point(|family| family.first + family.size <= code)
    }

    /// Appends the arguments of the term with this code to `out`. Returns the family of the term.
    #[inline]
    pub(crate) fn decode(&self, code: u32, out: &mut Vec<u32>) -> usize {
        let number = self.family_of(code);
        let family = &self.families[number];
        let mut rest = code - family.first;
        for column in &family.columns {
            let digit = rest / column.stride;
            rest -= digit * column.stride;
            out.push(column.values[digit as usize]);
        }
        number
    }

    /// The text of the term with this code.
    pub(crate) fn text(&self, code: u32, values: &Values) -> String {
        let mut args = Vec::new();
        let functor = self.families[self.decode(code, &mut args)].functor;
        let name = values.spelling(functor.name);
        if functor.arity.is_none() {
            return name.to_owned();
        }
        let mut text = format!("({name}");
        for value in args {
            text.push(' ');
            text.push_str(&values.text(Value::from_index(value as usize)));
        }
        text.push(')');
        text
    }

    /// The only code whose term has the text `text` without regard to ASCII case. `None` if there is no such
    /// term, or if there are several. `text` is canonical.
    pub(crate) fn folded(&self, text: &str, values: &Values) -> Option<u32> {
        let (name, arguments) = ggp_game::split_term(text);
        let is_compound = text.starts_with('(');
        let mut found = None;
        for family in &self.families {
            let fits = family.functor.arity.is_some() == is_compound
                && family.columns.len() == arguments.len()
                && values.spelling(family.functor.name).eq_ignore_ascii_case(name);
            if !fits {
                continue;
            }
            let mut code = family.first;
            let mut only = true;
            for (column, argument) in family.columns.iter().zip(&arguments) {
                let is_it = |value: &u32| {
                    values.text(Value::from_index(*value as usize)).eq_ignore_ascii_case(argument)
                };
                let mut fitting = (0..column.values.len()).filter(|&at| is_it(&column.values[at]));
                match (fitting.next(), fitting.next()) {
                    (Some(digit), None) => code += digit as u32 * column.stride,
                    (Some(_), Some(_)) => return None,
                    (None, _) => only = false,
                }
            }
            if only && found.replace(code).is_some() {
                return None;
            }
        }
        found
    }
}

/// The root functions of the terms that `form` can hold, with the domains of their arguments. `None` if they are
/// not bounded.
fn families_of(
    form: &Form,
    prefix: usize,
    domains: &Domains,
    values: &Values,
) -> Option<Vec<(Functor, Vec<Domain>)>> {
    if let Some(functor) = form.functor {
        return Some(vec![(functor, domains.columns[form.relation.index()][prefix..].to_vec())]);
    }
    let whole = domains.of(form.relation, prefix);
    let parts = |functor: Functor| Some((functor, whole.parts(functor, values)?));
    Some(whole.functors(values)?.into_iter().filter_map(parts).collect())
}
