//! The evidence for boards: data about a game's fluents from the rules and the given states, and the axes
//! that these data suggest.

use crate::fluent::{Row, Table};
use crate::model::{Axis, Fusion, Order};
use crate::order::{Pairs, order};
use ggp_gdl::domains::Domains;
use rustc_hash::FxHashSet;

/// If at least this many states are given, a value or a fluent that occurs in none of them may count as
/// impossible.
pub(crate) const PLAYED: usize = 10;

/// The collected evidence about a game's fluents.
pub(crate) struct Evidence<'a> {
    pub(crate) domains: Domains,
    pub(crate) tables: Vec<Table<'a>>,
    /// The pairs of fluents that have one table.
    pub(crate) fusions: Vec<Fusion>,
    pub(crate) chains: Vec<Pairs>,
    pub(crate) roles: Vec<String>,
    /// The fluents without arguments.
    pub(crate) flags: Vec<String>,
    /// The moves that may be legal in some state. `None` if it is not known what may occur in play.
    pub(crate) moves: Option<&'a [String]>,
}

impl Evidence<'_> {
    /// Whether all values of a column are roles.
    pub(crate) fn is_role_column(&self, table: usize, column: usize) -> bool {
        let domain = &self.tables[table].columns[column].domain;
        !domain.is_empty() && domain.iter().all(|value| self.roles.contains(value))
    }

    /// The axis of a column, in ascending order. The column's domain, which follows from the rules, is often
    /// too large, so values are dropped. If the values that occur in the states have a known order and the whole
    /// domain has none, only those that occur remain. If the values that occur span less than a third of the axis,
    /// the axis is cut to a range around them.
    pub(crate) fn axis(&self, table: usize, column: usize) -> Axis {
        let table = &self.tables[table];
        let seen: FxHashSet<&str> = table.rows().map(|row| row[column]).collect();
        let values: Vec<&str> = table.columns[column].domain.iter().map(String::as_str).collect();
        let base: FxHashSet<&str> = table.base.iter().map(|row| row[column]).collect();
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

    /// Finds a bound for an axis on which only the values `seen` occur. For example, the walls around a
    /// walker show how large its maze is. The values that occur in one column, over all states, form a set;
    /// only tables with several columns count. Returns the smallest such set that contains `seen` and at
    /// least one more value, in the order of `allowed`. `None` if there is no such set, or if the smallest
    /// one has a value outside `allowed`.
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

    /// The axes of the columns `x` and `y` of the table with index `number`, which together form a board. If
    /// the squares that occur in some state fill a rectangle completely, and no state has a square outside
    /// it, the axes are cut to this rectangle.
    pub(crate) fn axes(&self, number: usize, x: usize, y: usize) -> [Axis; 2] {
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
            // Axes with the same domain have the same bounds.
            let longer = usize::from(axes[1].values.len() > axes[0].values.len());
            if axes[1 - longer].values.iter().all(|value| axes[longer].values.contains(value)) {
                axes[1 - longer] = axes[longer].clone();
            }
        }
        if let Some(rectangle) = rectangle {
            let everywhere = |row: &Row<'_>| rectangle[0].contains(row[x]) && rectangle[1].contains(row[y]);
            if table.rows().all(everywhere) {
                for (i, column) in [x, y].into_iter().enumerate() {
                    // Rows 1, 2, 7 and 8 form a rectangle too; such a gap does not cut an ordered axis.
                    let inside = axes[i].values.iter().map(|v| rectangle[i].contains(v.as_str()));
                    if axes[i].order != Order::Listed && runs(inside) > 1 {
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

/// The number of runs of consecutive `true` values in `flags`.
fn runs(flags: impl Iterator<Item = bool>) -> usize {
    let mut before = false;
    flags.filter(|&flag| std::mem::replace(&mut before, flag) != flag && flag).count()
}
