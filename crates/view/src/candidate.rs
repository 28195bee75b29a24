//! Rating of fluents as boards: every pair of arguments is rated as the two axes of a board, every single
//! argument as a track.
//!
//! The criteria, strongest first: each square holds one thing at a time; the axes are ordered by facts of the
//! rules or by their values; moves name squares; in some state the fluent has facts about most squares; the
//! fluent changes in play. Names of relations only break ties. The weights were fitted to the boards of 154
//! published games.

use crate::evidence::{Evidence, PLAYED};
use crate::fluent::{MAX_COLUMNS, Row, Table};
use crate::model::Order;
use rustc_hash::FxHashSet;

/// The least score at which a pair of arguments is accepted as the axes of a board.
const BOARD: f64 = 6.0;
/// The least score at which an argument is accepted as the axis of a track.
const TRACK: f64 = 4.5;
/// A board's score grows with the number of its squares. More squares than this add nothing.
const LARGE: usize = 100;
/// A mostly empty board with more squares than this gets a penalty.
const HUGE: usize = 900;
/// Facts of a fluent clash if they put several things on one square in one state. [`clash`] gives the share
/// of such surplus facts. If it is larger than this, the fluent may describe several boards, and another
/// argument may tell on which of them a square lies.
const CLASH: f64 = 0.2;
/// The largest number of values that an axis may have.
const MAX_AXIS: usize = 128;
/// The largest number of boards that one argument may tell apart.
pub(crate) const MAX_INDEX: usize = 32;

/// One reading of a fluent as a board or a track: a choice of the columns of the fluent's table that are the
/// axes. Columns and the table are given by their indices.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) table: usize,
    pub(crate) x: usize,
    pub(crate) y: Option<usize>,
    pub(crate) index: Vec<usize>,
    pub(crate) score: f64,
}

impl Candidate {
    /// The columns of the table that identify a square.
    pub(crate) fn key(&self) -> Vec<usize> {
        self.index.iter().copied().chain([self.x]).chain(self.y).collect()
    }

    /// The columns of the table that hold what is on a square.
    pub(crate) fn content(&self, table: &Table<'_>) -> Vec<usize> {
        let key = self.key();
        (0..table.columns.len()).filter(|column| !key.contains(column)).collect()
    }
}

/// The candidate with the highest score. `None` if no score reaches `least`. Of candidates with equal scores,
/// the first one.
fn best_of(candidates: impl Iterator<Item = Candidate>, least: f64) -> Option<Candidate> {
    candidates.filter(|c| c.score >= least).reduce(|best, c| if c.score > best.score { c } else { best })
}

fn column_numbers(evidence: &Evidence<'_>, table: usize) -> std::ops::Range<usize> {
    0..evidence.tables[table].columns.len().min(MAX_COLUMNS)
}

fn boards_of<'a>(evidence: &'a Evidence<'_>, table: usize) -> impl Iterator<Item = Candidate> + 'a {
    let columns = column_numbers(evidence, table);
    let pairs = columns.clone().flat_map(move |x| (x + 1..columns.end).map(move |y| (x, y)));
    pairs.filter_map(move |(x, y)| {
        let candidate = rate_board(evidence, table, x, y)?;
        let score = candidate.score - misgivings(&evidence.tables[table], &candidate);
        Some(Candidate { score, ..candidate })
    })
}

/// The penalty for reading a fluent as the board itself, to be subtracted from the score of `candidate`. It
/// does not count when the fluent is rated as a layer of another board. The penalty is large if all columns
/// are coordinates and the facts of the fluent never change. It is also large if the fluent never occurred in
/// play. It is small if the fluent is merely absent from the first state.
fn misgivings(table: &Table<'_>, candidate: &Candidate) -> f64 {
    let bare = candidate.content(table).is_empty() && !table.changes();
    let unseen = table.states.len() >= PLAYED && table.rows().next().is_none();
    let late = table.states.first().is_some_and(Vec::is_empty);
    if bare || unseen {
        6.0
    } else if late {
        1.0
    } else {
        0.0
    }
}

fn tracks_of<'a>(evidence: &'a Evidence<'_>, table: usize) -> impl Iterator<Item = Candidate> + 'a {
    column_numbers(evidence, table).filter_map(move |x| rate_track(evidence, table, x))
}

pub(crate) fn board_of(evidence: &Evidence<'_>, table: usize) -> Option<Candidate> {
    best_of(boards_of(evidence, table), f64::NEG_INFINITY)
}

pub(crate) fn track_of(evidence: &Evidence<'_>, table: usize) -> Option<Candidate> {
    best_of(tracks_of(evidence, table), f64::NEG_INFINITY)
}

/// The best board among the readings of all fluents. `None` if no score reaches [`BOARD`].
pub(crate) fn best_board(evidence: &Evidence<'_>) -> Option<Candidate> {
    best_of((0..evidence.tables.len()).flat_map(|table| boards_of(evidence, table)), BOARD)
}

/// The best track among the readings of all fluents. `None` if no score reaches [`TRACK`].
pub(crate) fn best_track(evidence: &Evidence<'_>) -> Option<Candidate> {
    best_of((0..evidence.tables.len()).flat_map(|table| tracks_of(evidence, table)), TRACK)
}

/// The contribution of an axis to the score, by the source of its order.
fn order_weight(order: Order) -> f64 {
    match order {
        Order::Successor | Order::Given => 2.5,
        Order::Integers => 2.0,
        Order::Letters | Order::Numbered => 1.5,
        Order::Listed => 0.0,
    }
}

/// Whether a column can be an axis: it has at least two values, not too many, and they are not all roles.
fn can_be_axis(evidence: &Evidence<'_>, table: usize, column: usize) -> bool {
    let domain = &evidence.tables[table].columns[column].domain;
    (2..=MAX_AXIS).contains(&domain.len()) && !evidence.is_role_column(table, column)
}

/// The share of surplus rows among all rows of `states`, from 0 to 1. Of the rows of one state that have the
/// same values in the columns `key`, all but one are surplus.
pub(crate) fn clash(states: &[Vec<Row<'_>>], key: &[usize]) -> f64 {
    let (mut rows, mut different) = (0usize, 0usize);
    for state in states {
        let keys: FxHashSet<Vec<&str>> =
            state.iter().map(|row| key.iter().map(|&c| row[c]).collect()).collect();
        rows += state.len();
        different += keys.len();
    }
    if rows == 0 { 0.0 } else { (rows - different) as f64 / rows as f64 }
}

/// Whether each state that has rows has exactly one for each value of `column`. If so, the other columns hold
/// attributes of that value and are not the coordinates of a square.
fn owns_rows(table: &Table<'_>, column: usize) -> bool {
    let count = table.columns[column].domain.len();
    count > 1
        && table.rows().next().is_some()
        && table.states.iter().all(|state| state.is_empty() || state.len() == count)
        && clash(&table.states, &[column]) == 0.0
}

/// The share of the board's squares that have a row of `table`, in the state where this share is largest. The
/// columns `key` identify the square of a row, and `cells` is the number of squares.
fn coverage(table: &Table<'_>, key: &[usize], cells: usize) -> f64 {
    let mut most = 0;
    for state in &table.states {
        let keys: FxHashSet<Vec<&str>> =
            state.iter().map(|row| key.iter().map(|&c| row[c]).collect()).collect();
        most = most.max(keys.len());
    }
    (most as f64 / cells.max(1) as f64).min(1.0)
}

/// The columns, at most two, whose values tell several boards apart. Such a column either resolves clashes
/// (several things on one square) or has the same domain as both axes. For example, the first two numbers of
/// `(mark 1 3 2 2 x)` give the board, and the other two give the square on it. `number` is the index of the
/// table, and `squares` the number of squares of one board.
fn index_columns(evidence: &Evidence<'_>, number: usize, axes: [usize; 2], squares: usize) -> Vec<usize> {
    let table = &evidence.tables[number];
    let others: Vec<usize> = (0..table.columns.len()).filter(|c| !axes.contains(c)).collect();
    let domain = |c: usize| &table.columns[c].domain;
    // The first state decides where possible: if rules forget to clear a square, several things are on the
    // square in later states.
    let first = table.states.first().filter(|state| state.len() >= 4);
    let clashes = |key: &[usize], candidate: usize| match first {
        Some(state) if state.iter().any(|row| row[candidate] != state[0][candidate]) => {
            clash(std::slice::from_ref(state), key)
        }
        _ => clash(&table.states, key),
    };
    let mut index: Vec<usize> = Vec::new();
    for _ in 0..2 {
        let key = |c: &[usize]| [c, index.as_slice(), axes.as_slice()].concat();
        let tells = |c: usize| {
            let axis = evidence.axis(number, c);
            let few = (2..=MAX_INDEX).contains(&axis.values.len()) && can_be_axis(evidence, number, c);
            let ordered = axis.order != Order::Listed;
            let fills = || coverage(table, &key(&[c]), squares * axis.values.len()) > 0.99;
            let bad = clashes(&key(&[]), c);
            few && bad > CLASH && (ordered || fills()) && clashes(&key(&[c]), c) < bad * 0.3
        };
        let alike = |c: usize| axes.iter().all(|&axis| domain(axis) == domain(c));
        let told_apart = |c: usize| first.is_none() || clashes(&key(&[]), c) > 0.0;
        let left =
            |c: usize| others.iter().copied().filter(|&o| o != c && !index.contains(&o)).collect::<Vec<_>>();
        // At least one argument must remain for the content.
        let leaves = |c: usize| left(c).iter().any(|&o| !alike(o));
        let next = others
            .iter()
            .copied()
            .filter(|&c| !index.contains(&c) && leaves(c) && (alike(c) && told_apart(c) || tells(c)));
        let Some(next) =
            next.min_by(|&a, &b| clashes(&key(&[a]), a).total_cmp(&clashes(&key(&[b]), b)).then(a.cmp(&b)))
        else {
            break;
        };
        index.push(next);
        index.sort_unstable();
    }
    index
}

/// The share of `columns`, from 0 to 1, for which a move has an argument that names a value of the column. Of
/// all kinds of moves, the one with the largest share counts.
fn named_by_moves(evidence: &Evidence<'_>, table: usize, columns: &[usize]) -> f64 {
    let domains = &evidence.domains;
    let places: Vec<_> = columns.iter().map(|&c| evidence.tables[table].columns[c].place).collect();
    let mut best = 0.0f64;
    for &(function, arity) in domains.functions(domains.mv()) {
        let arguments: Vec<_> =
            (0..arity).filter_map(|i| domains.inside(domains.mv(), function, arity, i)).collect();
        let named = places.iter().filter(|&&p| arguments.iter().any(|&a| domains.ties(p, a) > 0)).count();
        best = best.max(named as f64 / places.len() as f64);
    }
    best
}

fn name_hint(name: &str) -> f64 {
    let name = name.to_ascii_lowercase();
    let words = ["cell", "board", "loc", "square", "piece", "pos", "at", "holds"];
    if words.iter().any(|word| name.contains(word)) { 0.3 } else { 0.0 }
}

/// Rates the columns `x` and `y` of the table with index `number` as the axes of a board. `None` if these
/// columns cannot be the axes of a board.
pub(crate) fn rate_board(evidence: &Evidence<'_>, number: usize, x: usize, y: usize) -> Option<Candidate> {
    if !can_be_axis(evidence, number, x) || !can_be_axis(evidence, number, y) {
        return None;
    }
    let table = &evidence.tables[number];
    // The two parts of an argument such as `a12` belong to one square.
    let coordinate = |c: usize| &table.columns[c].coordinate;
    if coordinate(x).part != coordinate(y).part && coordinate(x).path != coordinate(y).path {
        return None;
    }
    // A single row with many arguments of the same domain is a tuple: `(order p1 p5 p3 p6 p4 p2)`.
    let alike = |c: &usize| table.columns[*c].domain == table.columns[x].domain;
    if table.states.iter().all(|state| state.len() <= 1) && (0..table.columns.len()).filter(alike).count() > 3
    {
        return None;
    }
    let axes = evidence.axes(number, x, y);
    if axes.iter().any(|axis| axis.values.len() < 2) {
        return None;
    }
    let sizes = axes[0].values.len() * axes[1].values.len();
    let index = index_columns(evidence, number, [x, y], sizes);
    let bad = clash(&table.states, &[index.as_slice(), &[x, y]].concat());
    let boards: usize = index.iter().map(|&c| table.columns[c].domain.len()).product();
    let key = [index.as_slice(), &[x, y]].concat();
    let covered = coverage(table, &key, sizes * boards);
    let same_domain = table.columns[x].domain == table.columns[y].domain;
    let owned = [x, y].iter().any(|&c| owns_rows(table, c)) && covered < 0.99;
    let unordered = axes.iter().all(|axis| axis.order == Order::Listed) && covered < 0.5;
    let score = order_weight(axes[0].order) + order_weight(axes[1].order)
        + if same_domain { 2.0 } else { 0.0 }
        // The axes of a board are usually adjacent arguments.
        + if y == x + 1 { 0.5 } else { -0.5 }
        + 2.5 * named_by_moves(evidence, number, &[x, y])
        + 2.5 * covered
        + if table.changes() { 1.5 } else { 0.0 }
        + (sizes.min(LARGE) as f64).ln() / 2.0
        - if sizes > HUGE && covered < 0.5 { 3.0 } else { 0.0 }
        - 6.0 * bad
        - if owned { 6.0 } else { 0.0 }
        - if unordered { 3.0 } else { 0.0 }
        // The inner coordinates come last: `(cell boardX boardY x y)`.
        - index.iter().filter(|&&c| c > x).count() as f64 * 0.2
        + name_hint(&table.name);
    Some(Candidate { table: number, x, y: Some(y), index, score })
}

/// Rates the column `x` of the table with index `number` as the axis of a track. `None` if this column cannot
/// be the axis of a track.
fn rate_track(evidence: &Evidence<'_>, number: usize, x: usize) -> Option<Candidate> {
    if !can_be_axis(evidence, number, x) {
        return None;
    }
    let table = &evidence.tables[number];
    let axis = evidence.axis(number, x);
    let length = axis.values.len();
    if length < 3 || (table.columns.len() == 1 && table.states.iter().all(|state| state.len() <= 1)) {
        return None;
    }
    let covered = coverage(table, &[x], length);
    // If each value of another argument has one row, then `x` is an attribute of that value, such as a
    // role's score, and not a place on a track.
    let owner = (0..table.columns.len()).find(|&c| c != x && owns_rows(table, c));
    let owned = match owner {
        Some(owner) if evidence.is_role_column(number, owner) => 4.0,
        Some(owner) if !owns_rows(table, x) || owner < x => 3.0,
        _ => 0.0,
    };
    let score = order_weight(axis.order)
        + 2.0 * named_by_moves(evidence, number, &[x])
        + 2.5 * covered
        + if table.changes() { 1.0 } else { 0.0 }
        + (length as f64).ln() / 2.0
        - 6.0 * clash(&table.states, &[x])
        - owned
        + name_hint(&table.name);
    Some(Candidate { table: number, x, y: None, index: Vec::new(), score })
}
