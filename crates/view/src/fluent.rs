//! The fluents of a game as tables. A table has one column for each argument that holds constants. For each
//! given state, it has one row for each fact of the fluent that holds in the state.

use crate::model::{Coordinate, TextPart};
use crate::term::letters_and_number;
use ggp_game::Fact;
use ggp_game::split_term;
use ggp_gdl::domains::{Domains, Place};
use ggp_gdl::{Description, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Only the first `MAX_COLUMNS` columns of a table can be axes.
pub(crate) const MAX_COLUMNS: usize = 8;
/// The largest number of states that are read. If more are given, only every n-th one is read, counted from
/// the first.
const MAX_STATES: usize = 64;
/// The largest number of facts that are read from the states. Fewer states are read to keep this bound.
/// However, at least two states are read, whatever their number of facts.
const MAX_FACTS: usize = 12_000;

/// One column of a table: an argument of the fluent, possibly inside a nested term, or one of the two parts
/// of an argument such as `a12`.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) coordinate: Coordinate,
    /// The place that stands for the argument in [`Domains`].
    pub(crate) place: Place,
    /// The possible values. Values of the rulesheet come first, in the order in which it mentions them.
    /// Further values that occur in states follow. If `base` lists all values that occur, only those that it lists.
    pub(crate) domain: Vec<String>,
    /// The values of the whole argument, if the column is a part of an argument such as `a12`. Otherwise
    /// empty.
    pub(crate) whole: Vec<String>,
}

/// One row of a table: for each column, the text that one fact has there.
pub(crate) type Row<'a> = Vec<&'a str>;

/// The table of one fluent.
#[derive(Clone, Debug)]
pub(crate) struct Table<'a> {
    pub(crate) name: String,
    pub(crate) arity: usize,
    pub(crate) columns: Vec<Column>,
    /// For each state that is read, its rows.
    pub(crate) states: Vec<Vec<Row<'a>>>,
    /// The rows of the facts that the rules list with `base`.
    pub(crate) base: Vec<Row<'a>>,
    /// The rows of the facts that may hold in some state, if they are known.
    pub(crate) possible: Vec<Row<'a>>,
}

impl Table<'_> {
    /// The rows of all states.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row<'_>> {
        self.states.iter().flatten()
    }

    /// Whether there are two consecutive states with different rows.
    pub(crate) fn changes(&self) -> bool {
        self.states.windows(2).any(|pair| pair[0] != pair[1])
    }
}

/// Makes the tables of all fluents with arguments, in the order in which the rules mention them.
pub(crate) fn tables<'a>(
    description: &Description,
    domains: &Domains,
    states: &[&'a [Fact]],
    base: &'a [Fact],
    possible: &'a [Fact],
) -> Vec<Table<'a>> {
    let mut tables: Vec<Table<'a>> = Vec::new();
    let mut number: FxHashMap<(String, usize), usize> = FxHashMap::default();
    for &(function, arity) in domains.functions(domains.fluent()) {
        let name = description.name(function).to_owned();
        let columns = columns(description, domains, domains.fluent(), function, arity);
        number.insert((name.clone(), arity), tables.len());
        tables.push(Table {
            name,
            arity,
            columns,
            states: Vec::new(),
            base: Vec::new(),
            possible: Vec::new(),
        });
    }
    let largest = states.iter().map(|facts| facts.len()).max().unwrap_or(0).max(1);
    let most = (MAX_FACTS / largest).clamp(2, MAX_STATES);
    let step = states.len().div_ceil(most).max(1);
    let chosen: Vec<&[Fact]> = states.iter().step_by(step).copied().collect();
    // An argument such as `a12` is split into two columns only if all occurring values allow it.
    for facts in chosen.iter().copied().chain([base]) {
        for fact in facts {
            let (function, arguments) = split_term(fact.as_str());
            let Some(&table) = number.get(&(function.to_owned(), arguments.len())) else { continue };
            for column in &mut tables[table].columns {
                if let Some(text) = column.coordinate.read(fact.as_str())
                    && !column.domain.iter().any(|known| known == text)
                    && column.domain.len() < 4096
                {
                    column.domain.push(text.to_owned());
                }
            }
        }
    }
    for table in &mut tables {
        table.columns = table.columns.drain(..).flat_map(split_column).collect();
        table.states = vec![Vec::new(); chosen.len()];
    }
    for (state, facts) in chosen.iter().enumerate() {
        read_rows(facts, &number, &mut tables, |table, row| table.states[state].push(row));
    }
    read_rows(base, &number, &mut tables, |table, row| table.base.push(row));
    tables.iter_mut().for_each(keep_listed);
    read_rows(possible, &number, &mut tables, |table, row| table.possible.push(row));
    tables
}

/// Drops the values that `base` does not list, if it lists all that occur: the rules often seem to allow more.
fn keep_listed(table: &mut Table<'_>) {
    for column in 0..table.columns.len() {
        let listed: FxHashSet<&str> = table.base.iter().map(|row| row[column]).collect();
        if !listed.is_empty() && table.rows().all(|row| listed.contains(row[column])) {
            table.columns[column].domain.retain(|value| listed.contains(value.as_str()));
        }
    }
}

fn read_rows<'a>(
    facts: &'a [Fact],
    number: &FxHashMap<(String, usize), usize>,
    tables: &mut [Table<'a>],
    mut add: impl FnMut(&mut Table<'a>, Row<'a>),
) {
    for fact in facts {
        let (function, arguments) = split_term(fact.as_str());
        let Some(&at) = number.get(&(function.to_owned(), arguments.len())) else { continue };
        let row: Option<Row<'a>> =
            tables[at].columns.iter().map(|column| column.coordinate.read(fact.as_str())).collect();
        if let Some(row) = row {
            add(&mut tables[at], row);
        }
    }
}

/// The columns of a fluent or a move. An argument that is always a term with the same function is replaced by
/// the arguments of that term.
pub(crate) fn columns(
    description: &Description,
    domains: &Domains,
    root: Place,
    function: Symbol,
    arity: usize,
) -> Vec<Column> {
    let mut out = Vec::new();
    let argument = |place, function, arity, i| domains.inside(place, function, arity, i);
    let mut stack: Vec<(Vec<usize>, Place)> = Vec::new();
    let push = |path: &[usize], place, function, arity: usize, stack: &mut Vec<(Vec<usize>, Place)>| {
        for i in (0..arity).rev() {
            if let Some(inner) = argument(place, function, arity, i) {
                stack.push(([path, &[i]].concat(), inner));
            }
        }
    };
    push(&[], root, function, arity, &mut stack);
    while let Some((path, place)) = stack.pop() {
        match domains.functions(place) {
            &[(inner, inner_arity)] if inner_arity > 0 && domains.constants(place).is_empty() => {
                push(&path, place, inner, inner_arity, &mut stack);
            }
            _ => {
                let constants = domains.constants(place).iter();
                let domain = constants.map(|&c| description.name(c).to_owned()).collect();
                out.push(Column { coordinate: Coordinate::whole(path), place, domain, whole: Vec::new() });
            }
        }
    }
    out
}

/// Splits a column with the values `a1`, `a2`, `b1`, … into a column of letters and one of numbers. Returns
/// any other column unchanged.
fn split_column(column: Column) -> Vec<Column> {
    let parts: Option<Vec<(&str, &str)>> = column.domain.iter().map(|v| letters_and_number(v)).collect();
    let Some(parts) = parts else { return vec![column] };
    let letters: BTreeSet<&str> = parts.iter().map(|p| p.0).collect();
    let numbers: BTreeSet<&str> = parts.iter().map(|p| p.1).collect();
    // The squares must fill at least a third of the rectangle around them. This rectangle must have at least
    // three letters and three numbers.
    let fits = letters.len() >= 3 && numbers.len() >= 3 && parts.len() * 3 >= letters.len() * numbers.len();
    if !fits {
        return vec![column];
    }
    let part = |part, values: BTreeSet<&str>| Column {
        coordinate: Coordinate { path: column.coordinate.path.clone(), part },
        place: column.place,
        domain: values.into_iter().map(str::to_owned).collect(),
        whole: column.domain.clone(),
    };
    vec![part(TextPart::Letters, letters), part(TextPart::Number, numbers)]
}
