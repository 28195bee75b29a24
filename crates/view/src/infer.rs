//! Which fluent is the board: every pair of arguments of every fluent is scored as the two sides
//! of a board, every single argument as a track, and the best one wins if it is good enough.
//!
//! What counts, strongest first: each square holds one thing at a time; the axes are ordered by
//! facts of the rules or by their values; moves name squares; most squares occur; the fluent
//! changes in play. Names of relations only decide between equals.

use crate::domain::Domains;
use crate::fluent::{MAX_COLUMNS, Row, Table, tables};
use crate::layer::{groups_and_layers, holes};
use crate::model::{Axis, BoardModel, Kind, Order, Part};
use crate::moves::patterns;
use crate::order::{Pairs, order};
use crate::orient::orient;
use crate::owner::assign;
use crate::side::side;
use crate::sidecar::{Sidecar, SidecarError};
use crate::statics::{Listed, pairs};
use ggp_game::{Fact, Game};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A score from which a pair of arguments is a board.
const BOARD: f64 = 6.0;
/// A score from which an argument is a track.
const TRACK: f64 = 4.5;
/// More squares than this make a board no better; more than `HUGE`, mostly empty, worse.
const LARGE: usize = 100;
const HUGE: usize = 900;
/// From which share of clashing rows something must tell several boards apart.
const CLASH: f64 = 0.2;
/// From how many states on what did not occur is taken for impossible.
const PLAYED: usize = 10;
/// The longest axis.
const MAX_AXIS: usize = 128;
/// The most boards that an argument tells apart.
const MAX_INDEX: usize = 16;

/// Everything that is known of a game's fluents.
pub(crate) struct Evidence<'a> {
    pub(crate) domains: Domains,
    pub(crate) tables: Vec<Table<'a>>,
    pub(crate) chains: Vec<Pairs>,
    pub(crate) roles: Vec<String>,
    /// The fluents without arguments.
    pub(crate) flags: Vec<String>,
}

impl Evidence<'_> {
    /// Whether a column only ever holds roles.
    pub(crate) fn is_role_column(&self, table: usize, column: usize) -> bool {
        let domain = &self.tables[table].columns[column].domain;
        !domain.is_empty() && domain.iter().all(|value| self.roles.contains(value))
    }

    /// The axis of a column, in ascending order. What rules allow is often too much: it is cut to
    /// what `base` lists, to the kind of values that occur, and to where they occur if that is
    /// less than a third of it.
    pub(crate) fn axis(&self, table: usize, column: usize) -> Axis {
        let table = &self.tables[table];
        let seen: FxHashSet<&str> = table.rows().map(|row| row[column]).collect();
        let mut values: Vec<&str> = table.columns[column].domain.iter().map(String::as_str).collect();
        let base: FxHashSet<&str> = table.base.iter().map(|row| row[column]).collect();
        if !base.is_empty() && base.is_superset(&seen) {
            values.retain(|value| base.contains(value));
        }
        let keep = |value: &str| seen.contains(value) || base.contains(value);
        let (ordered, how) = order(&values, &self.chains, keep);
        let occurring: Vec<&str> = values.iter().copied().filter(|value| seen.contains(value)).collect();
        if occurring.len() < 2 || ordered.len() <= occurring.len() {
            return Axis { values: ordered, order: how };
        }
        let (narrow, narrow_how) = order(&occurring, &self.chains, |_| true);
        if how == Order::Listed && narrow_how != Order::Listed {
            return Axis { values: narrow, order: narrow_how };
        }
        let first = ordered.iter().position(|value| seen.contains(value.as_str())).unwrap_or(0);
        let last = ordered.iter().rposition(|value| seen.contains(value.as_str())).unwrap_or(0);
        let enough = table.states.len() >= PLAYED && how != Order::Listed && base.is_empty();
        if enough && (last + 1 - first) * 3 < ordered.len() {
            let values = self.smallest_around(&seen, &values).map_or_else(
                || ordered[first..=last].to_vec(),
                |around| order(&around, &self.chains, |_| true).0,
            );
            return Axis { values, order: how };
        }
        Axis { values: ordered, order: how }
    }

    /// The smallest set of values that some argument of a fluent takes and that holds all of
    /// `seen` and only `allowed` ones: the walls around a mummy tell how large its maze is.
    fn smallest_around<'b>(&self, seen: &FxHashSet<&str>, allowed: &[&'b str]) -> Option<Vec<&'b str>> {
        let wide = self.tables.iter().filter(|table| table.columns.len() >= 2);
        let occurring = wide.flat_map(|table| {
            (0..table.columns.len()).map(|c| table.rows().map(|row| row[c]).collect::<FxHashSet<&str>>())
        });
        let around = occurring.filter(|set| set.len() > seen.len() && set.is_superset(seen));
        let smallest = around.min_by_key(FxHashSet::len)?;
        let values: Vec<&str> = allowed.iter().copied().filter(|value| smallest.contains(value)).collect();
        (values.len() == smallest.len()).then_some(values)
    }

    /// The axes of two columns that make a board. A state that fills a rectangle shows the board.
    fn axes(&self, number: usize, x: usize, y: usize) -> [Axis; 2] {
        let table = &self.tables[number];
        let rectangle = table.states.iter().find_map(|state| {
            let squares: FxHashSet<(&str, &str)> = state.iter().map(|row| (row[x], row[y])).collect();
            let columns: FxHashSet<&str> = squares.iter().map(|s| s.0).collect();
            let rows: FxHashSet<&str> = squares.iter().map(|s| s.1).collect();
            let full = columns.len() >= 3 && rows.len() >= 3 && squares.len() == columns.len() * rows.len();
            full.then_some([columns, rows])
        });
        let mut axes = [self.axis(number, x), self.axis(number, y)];
        let alike = table.columns[x].domain == table.columns[y].domain;
        if alike && axes[0] != axes[1] && table.base.is_empty() {
            // What bounds one bounds the other.
            let longer = usize::from(axes[1].values.len() > axes[0].values.len());
            if axes[1 - longer].values.iter().all(|value| axes[longer].values.contains(value)) {
                axes[1 - longer] = axes[longer].clone();
            }
        }
        if let Some(rectangle) = rectangle {
            let everywhere = |row: &Row<'_>| rectangle[0].contains(row[x]) && rectangle[1].contains(row[y]);
            if table.rows().all(everywhere) {
                for (i, column) in [x, y].into_iter().enumerate() {
                    // Rows 1, 2, 7 and 8 are a rectangle too.
                    let inside: Vec<bool> =
                        axes[i].values.iter().map(|v| rectangle[i].contains(v.as_str())).collect();
                    let steps = inside.windows(2).filter(|pair| pair[0] != pair[1]).count();
                    let inner_gap = steps > 1 && !(steps == 2 && !inside[0]);
                    if axes[i].order != Order::Listed && inner_gap {
                        continue;
                    }
                    let domain = table.columns[column].domain.iter().map(String::as_str);
                    let domain: Vec<&str> = domain.filter(|value| rectangle[i].contains(value)).collect();
                    let (values, order) = order(&domain, &self.chains, |_| true);
                    axes[i] = Axis { values, order };
                }
            }
        }
        axes
    }
}

/// One reading of a fluent as a board.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) table: usize,
    pub(crate) x: usize,
    pub(crate) y: Option<usize>,
    pub(crate) index: Vec<usize>,
    pub(crate) score: f64,
}

impl Candidate {
    /// The columns that tell squares apart.
    pub(crate) fn key(&self) -> Vec<usize> {
        self.index.iter().copied().chain([self.x]).chain(self.y).collect()
    }

    /// The columns that say what is on a square.
    pub(crate) fn content(&self, table: &Table<'_>) -> Vec<usize> {
        let key = self.key();
        (0..table.columns.len()).filter(|column| !key.contains(column)).collect()
    }
}

/// The board of `game`, judged by its rules and by `states`, the facts of some states of
/// playouts in the order in which they came; without any, by the rules and the initial state.
pub fn infer(game: &Game, states: &[Vec<Fact>]) -> BoardModel {
    infer_with(game, states, &Sidecar::default()).expect("nothing is asked of the board")
}

/// As [`infer`], with what `sidecar` says taken for granted.
///
/// # Errors
/// When the sidecar names a fluent, an argument, a square or a role that the game does not have.
pub fn infer_with(game: &Game, states: &[Vec<Fact>], sidecar: &Sidecar) -> Result<BoardModel, SidecarError> {
    let description = game.description();
    let listed = Listed::new(description);
    let mut seen: Vec<&[Fact]> = vec![&listed.init];
    seen.extend(states.iter().map(Vec::as_slice));
    let domains = Domains::new(description);
    let tables = tables(description, &domains, &seen, &listed.base);
    let chains = pairs(description).into_iter().map(|facts| {
        let text = |symbol| description.name(symbol).to_owned();
        facts.into_iter().map(|(a, b)| (text(a), text(b))).collect()
    });
    let roles = game.roles().map(|role| game.role_name(role).to_owned()).collect();
    let flags = domains.constants(domains.fluent()).iter().map(|&f| description.name(f).to_owned()).collect();
    let evidence = Evidence { chains: chains.collect(), domains, tables, roles, flags };
    let best = match &sidecar.relation {
        Some(relation) => Some(given(&evidence, relation, sidecar)?),
        None => best_board(&evidence).or_else(|| best_track(&evidence)),
    };
    let mut model = match &best {
        Some(candidate) => board(&evidence, candidate),
        None => table(&evidence),
    };
    model.side = side(&evidence, &model);
    if best.is_none() {
        return Ok(model);
    }
    model.moves = patterns(description, &evidence, &model);
    orient(description, &mut model, sidecar);
    sidecar.give_axes(&mut model);
    model.holes = holes(&evidence, &model);
    assign(description, &evidence, &mut model);
    sidecar.give_contents(&mut model)?;
    Ok(model)
}

/// The board that a sidecar names; its arguments inferred if it does not say.
fn given(evidence: &Evidence<'_>, relation: &str, sidecar: &Sidecar) -> Result<Candidate, SidecarError> {
    let arity = |table: &Table<'_>| sidecar.arity.is_none_or(|arity| table.arity == arity);
    let table = evidence.tables.iter().position(|table| table.name == relation && arity(table));
    let table = table.ok_or_else(|| SidecarError::NoRelation(relation.to_owned()))?;
    let Some(x) = &sidecar.x else {
        let found = board_of(evidence, table).or_else(|| track_of(evidence, table));
        return found.ok_or(SidecarError::Incomplete("`relation` has no argument like an axis; give `x`"));
    };
    let column = |path: Vec<usize>| {
        let columns = &evidence.tables[table].columns;
        let found = columns.iter().position(|c| c.coordinate.path == path && !c.domain.is_empty());
        found.ok_or_else(|| SidecarError::NoArgument { relation: relation.to_owned(), path })
    };
    let mut y = match &sidecar.y {
        Some(y) => Some(column(y.path())?),
        None => None,
    };
    let x = column(x.path())?;
    if y == Some(x) || evidence.tables[table].columns[x].coordinate.part != Part::Whole {
        y = Some(x + 1);
    }
    let index: Result<Vec<usize>, SidecarError> =
        sidecar.index.iter().flatten().take(2).map(|argument| column(argument.path())).collect();
    Ok(Candidate { table, x, y, index: index?, score: 0.0 })
}

fn table(evidence: &Evidence<'_>) -> BoardModel {
    BoardModel {
        kind: Kind::Table,
        roles: evidence.roles.clone(),
        columns: Axis { values: Vec::new(), order: Order::Listed },
        rows: Axis { values: Vec::new(), order: Order::Listed },
        index: Vec::new(),
        groups: Vec::new(),
        layers: Vec::new(),
        holes: Vec::new(),
        owners: BTreeMap::new(),
        glyphs: BTreeMap::new(),
        chequered: false,
        side: Vec::new(),
        moves: Vec::new(),
    }
}

fn board(evidence: &Evidence<'_>, candidate: &Candidate) -> BoardModel {
    let axis = |column| evidence.axis(candidate.table, column);
    let mut model = table(evidence);
    [model.columns, model.rows] = match candidate.y {
        Some(y) => evidence.axes(candidate.table, candidate.x, y),
        None => [axis(candidate.x), Axis { values: vec![String::new()], order: Order::Listed }],
    };
    model.index = candidate.index.iter().map(|&column| axis(column)).collect();
    groups_and_layers(evidence, candidate, &mut model);
    model.kind = match candidate.y {
        None => Kind::Track,
        Some(_) if model.layers[0].content.is_empty() => Kind::Occupancy,
        Some(_) => Kind::Grid,
    };
    model
}

/// The candidate with the highest score of at least `least`; the first of equals.
fn best_of(candidates: impl Iterator<Item = Candidate>, least: f64) -> Option<Candidate> {
    candidates.filter(|c| c.score >= least).reduce(|best, c| if c.score > best.score { c } else { best })
}

fn column_numbers(evidence: &Evidence<'_>, table: usize) -> std::ops::Range<usize> {
    0..evidence.tables[table].columns.len().min(MAX_COLUMNS)
}

fn boards_of<'a>(evidence: &'a Evidence<'_>, table: usize) -> impl Iterator<Item = Candidate> + 'a {
    let columns = column_numbers(evidence, table);
    let pairs = columns.clone().flat_map(move |x| (x + 1..columns.end).map(move |y| (x, y)));
    pairs.filter_map(move |(x, y)| rate_board(evidence, table, x, y))
}

fn tracks_of<'a>(evidence: &'a Evidence<'_>, table: usize) -> impl Iterator<Item = Candidate> + 'a {
    column_numbers(evidence, table).filter_map(move |x| rate_track(evidence, table, x))
}

fn board_of(evidence: &Evidence<'_>, table: usize) -> Option<Candidate> {
    best_of(boards_of(evidence, table), f64::NEG_INFINITY)
}

fn track_of(evidence: &Evidence<'_>, table: usize) -> Option<Candidate> {
    best_of(tracks_of(evidence, table), f64::NEG_INFINITY)
}

/// The best board of all fluents.
fn best_board(evidence: &Evidence<'_>) -> Option<Candidate> {
    best_of((0..evidence.tables.len()).flat_map(|table| boards_of(evidence, table)), BOARD)
}

/// The best track of all fluents.
fn best_track(evidence: &Evidence<'_>) -> Option<Candidate> {
    best_of((0..evidence.tables.len()).flat_map(|table| tracks_of(evidence, table)), TRACK)
}

/// What an axis is worth by its order.
fn order_weight(order: Order) -> f64 {
    match order {
        Order::Successor | Order::Given => 2.5,
        Order::Integers => 2.0,
        Order::Letters | Order::Numbered => 1.5,
        Order::Listed => 0.0,
    }
}

/// Whether a column can be an axis: a few values, not just the roles.
fn can_be_axis(evidence: &Evidence<'_>, table: usize, column: usize) -> bool {
    let domain = &evidence.tables[table].columns[column].domain;
    (2..=MAX_AXIS).contains(&domain.len()) && !evidence.is_role_column(table, column)
}

/// The share of rows that share the values of `key` with another row of their state.
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

/// Whether each state has one row for each value of `column`: then the other columns are what
/// that one has, not squares.
fn owns_rows(table: &Table<'_>, column: usize) -> bool {
    let count = table.columns[column].domain.len();
    count > 1
        && table.states.iter().all(|state| state.len() == count)
        && clash(&table.states, &[column]) == 0.0
}

/// The largest share of `cells` that is occupied in a state.
fn coverage(table: &Table<'_>, key: &[usize], cells: usize) -> f64 {
    let mut most = 0;
    for state in &table.states {
        let keys: FxHashSet<Vec<&str>> =
            state.iter().map(|row| key.iter().map(|&c| row[c]).collect()).collect();
        most = most.max(keys.len());
    }
    (most as f64 / cells.max(1) as f64).min(1.0)
}

/// The arguments that tell several boards apart: at most two, without which squares would hold
/// several things, or which have the same values as both axes, as in `(mark 1 3 2 2 x)`.
fn index_columns(evidence: &Evidence<'_>, number: usize, axes: [usize; 2], squares: usize) -> Vec<usize> {
    let table = &evidence.tables[number];
    let others: Vec<usize> = (0..table.columns.len()).filter(|c| !axes.contains(c)).collect();
    let domain = |c: usize| &table.columns[c].domain;
    // What happens in the first state counts more than what rules that forget to clear a square
    // leave there later.
    let first = table.states.first().filter(|state| state.len() >= 4);
    let varied = |state: &&Vec<Row<'_>>| {
        others.iter().all(|&c| state.iter().any(|row| row[c] != state[0][c]) || domain(c).len() < 3)
    };
    let first = first.filter(varied);
    let clashes = |key: &[usize]| {
        let all = clash(&table.states, key);
        first.map_or(all, |state| all.min(clash(std::slice::from_ref(state), key)))
    };
    let mut index: Vec<usize> = Vec::new();
    for _ in 0..2 {
        let key = |c: &[usize]| [c, index.as_slice(), axes.as_slice()].concat();
        let bad = clashes(&key(&[]));
        let tells = |c: usize| {
            let axis = evidence.axis(number, c);
            let few = (2..=MAX_INDEX).contains(&axis.values.len()) && can_be_axis(evidence, number, c);
            let ordered = axis.order != Order::Listed;
            let fills = || coverage(table, &key(&[c]), squares * axis.values.len()) > 0.99;
            few && bad > CLASH && (ordered || fills()) && clashes(&key(&[c])) < bad * 0.3
        };
        let alike = |c: usize| axes.iter().all(|&axis| domain(axis) == domain(c));
        let left =
            |c: usize| others.iter().copied().filter(|&o| o != c && !index.contains(&o)).collect::<Vec<_>>();
        // Something must be left that is on the squares.
        let leaves = |c: usize| left(c).iter().any(|&o| !alike(o));
        let next =
            others.iter().copied().filter(|&c| !index.contains(&c) && leaves(c) && (alike(c) || tells(c)));
        let Some(next) =
            next.min_by(|&a, &b| clashes(&key(&[a])).total_cmp(&clashes(&key(&[b]))).then(a.cmp(&b)))
        else {
            break;
        };
        index.push(next);
        index.sort_unstable();
    }
    index
}

/// How well moves name the values of `columns`: 1 when one kind of move names all of them.
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

/// Columns `x` and `y` of a table as the sides of a board.
pub(crate) fn rate_board(evidence: &Evidence<'_>, number: usize, x: usize, y: usize) -> Option<Candidate> {
    if !can_be_axis(evidence, number, x) || !can_be_axis(evidence, number, y) {
        return None;
    }
    let table = &evidence.tables[number];
    // Both parts of `a12` are one square.
    let coordinate = |c: usize| &table.columns[c].coordinate;
    if coordinate(x).part != coordinate(y).part && coordinate(x).path != coordinate(y).path {
        return None;
    }
    // One row of many like arguments is a tuple: `(order p1 p5 p3 p6 p4 p2)`.
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
        // Sides of a board stand next to each other.
        + if y == x + 1 { 0.5 } else { -0.5 }
        + 2.5 * named_by_moves(evidence, number, &[x, y])
        + 2.5 * covered
        + if table.changes() { 1.5 } else { 0.0 }
        + (sizes.min(LARGE) as f64).ln() / 2.0
        - if sizes > HUGE && covered < 0.5 { 3.0 } else { 0.0 }
        - 6.0 * bad
        - if owned { 6.0 } else { 0.0 }
        - if unordered { 3.0 } else { 0.0 }
        // Inner squares come last: `(cell boardX boardY x y)`.
        - index.iter().filter(|&&c| c > x).count() as f64 * 0.2
        + name_hint(&table.name);
    Some(Candidate { table: number, x, y: Some(y), index, score })
}

/// Column `x` of a table as a track.
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
    // One row for each role: that is the role's score, not a place on a track.
    let scores = (0..table.columns.len()).any(|c| evidence.is_role_column(number, c) && owns_rows(table, c));
    let score = order_weight(axis.order)
        + 2.0 * named_by_moves(evidence, number, &[x])
        + 2.5 * covered
        + if table.changes() { 1.0 } else { 0.0 }
        + (length as f64).ln() / 2.0
        - 6.0 * clash(&table.states, &[x])
        - if scores { 4.0 } else { 0.0 }
        + name_hint(&table.name);
    Some(Candidate { table: number, x, y: None, index: Vec::new(), score })
}
