//! A state on the solver's stack: a matrix of joint moves whose cells are created on demand. A row is a move
//! of the solver's role; a column is a joint move of the other roles; a cell is a child.

use crate::bounds::Bounds;
use ggp_game::{Move, Role};
use rustc_hash::FxHashMap;

/// The number of children created at once. It is twice the largest number of lanes that a machine has (a
/// machine evaluates one state in each lane at once).
const BATCH: usize = 1024;
/// In a state with more than [`BATCH`] columns, only this many children of a row are created at first,
/// since one of them may refute the row.
const FIRST: usize = 64;

/// A state whose children are being examined.
#[derive(Debug)]
pub(super) struct Frame<S> {
    pub(super) state: S,
    /// The bytes of the frame with its children, as counted by the solver.
    pub(super) bytes: usize,
    /// The position of the child whose frame lies directly above this one on the stack.
    pub(super) at: Place,
    role: Role,
    /// The moves of the solver's role, then those of the other roles in their order.
    legal: Vec<Vec<Move>>,
    /// One row for each move of the solver's role.
    rows: Vec<Row<S>>,
    /// The number of columns; saturates at `usize::MAX`.
    columns: usize,
    /// Whether the role `random` has more than one legal move in the state.
    chance: bool,
    /// For each column, the number of rows whose child in this column is proved below the target. Columns
    /// without such rows are absent.
    below: FxHashMap<usize, u32>,
    /// The number of columns in which the children of all rows are proved below the target.
    below_columns: usize,
    /// Whether some row reaches the target, that is, whether all children of some row reach it.
    reached: bool,
    /// The index of the first row that may still have to be examined. Each row before it is settled: some
    /// child refutes the row, or all children of the row are created and done ([`Child::done`]).
    next_row: usize,
    /// The index of the first row that may hold a child that is not done. In each row before it, all
    /// children created so far are done, whether the row is refuted or not.
    next_spare_row: usize,
}

/// One move of the solver's role.
#[derive(Debug)]
struct Row<S> {
    /// The kept children: those that have been created so far, from column `first` on.
    children: Vec<Child<S>>,
    /// The number of columns at the beginning of the row whose children reached the target and have been
    /// discarded.
    first: usize,
    /// The minimum of the discarded children's lower bounds; 100 if no child has been discarded.
    low: u8,
    /// The number of kept children that reach the target.
    reaching: usize,
    /// All kept children before this index are done.
    open: usize,
    /// Whether some child is proved below the target.
    refuted: bool,
}

/// The state after one joint move.
#[derive(Debug)]
pub(super) struct Child<S> {
    pub(super) state: S,
    pub(super) bounds: Bounds,
    /// Whether this pass can prove nothing more about the child.
    pub(super) done: bool,
}

/// The position of a child: its row, and its index among the row's kept children.
pub(super) type Place = (usize, usize);

/// The next action of the solver in a state.
pub(super) enum Next {
    /// Enter this child.
    Enter(Place),
    /// Create more children, those of this row first.
    Create(usize),
    /// Return to the parent: this pass can prove nothing more here.
    Leave,
}

impl<S> Frame<S> {
    /// Creates a frame for `state` without children. `legal` holds the moves of all roles in role order.
    /// `chance` tells whether the role `random` has a choice.
    pub(super) fn new(state: S, role: Role, mut legal: Vec<Vec<Move>>, chance: bool) -> Frame<S> {
        legal[..=role.index()].rotate_right(1);
        let columns = legal[1..].iter().fold(1, |product: usize, moves| product.saturating_mul(moves.len()));
        let row = |_| Row { children: Vec::new(), first: 0, low: 100, reaching: 0, open: 0, refuted: false };
        let rows: Vec<Row<S>> = (0..legal[0].len()).map(row).collect();
        let moves = legal.iter().map(|moves| size_of::<Vec<Move>>() + size_of_val(&**moves)).sum::<usize>();
        let bytes = size_of::<Frame<S>>() + size_of_val(&*rows) + moves;
        Frame {
            state,
            bytes,
            at: (0, 0),
            role,
            legal,
            rows,
            columns,
            chance,
            below: FxHashMap::default(),
            below_columns: 0,
            reached: false,
            next_row: 0,
            next_spare_row: 0,
        }
    }

    /// Appends to `out` the joint move of the cell in `row` and `column`, in role order.
    pub(super) fn push_joint(&self, (row, mut column): (usize, usize), out: &mut Vec<Move>) {
        let start = out.len();
        out.extend(self.legal.iter().map(|moves| moves[0]));
        out[start] = self.legal[0][row];
        for (place, moves) in self.legal.iter().enumerate().skip(1).rev() {
            out[start + place] = moves[column % moves.len()];
            column /= moves.len();
        }
        out[start..=start + self.role.index()].rotate_left(1);
    }

    /// The number of children to create at once when `row` needs more children.
    pub(super) fn batch(&self, row: usize) -> usize {
        if self.columns <= BATCH { BATCH } else { self.rows[row].created().clamp(FIRST, BATCH) }
    }

    /// The next cells without a child, each as a row and a column: at most `most` cells, first those of
    /// `row`, then those of later rows that are not refuted.
    pub(super) fn uncreated(&self, row: usize, most: usize) -> Vec<(usize, usize)> {
        let mut cells = Vec::new();
        for (number, of_row) in self.rows.iter().enumerate().skip(row) {
            if number == row || !of_row.refuted {
                let made = of_row.created();
                let count = (self.columns - made).min(most - cells.len());
                cells.extend((made..made + count).map(|column| (number, column)));
            }
        }
        cells
    }

    /// Appends `child` to `row`, in the next column.
    pub(super) fn add(&mut self, row: usize, child: Child<S>, target: u8) {
        let is_decided = child.is_decided(target);
        let children = &mut self.rows[row].children;
        children.push(child);
        if is_decided {
            let place = (row, children.len() - 1);
            self.finish_child(place, target);
        }
    }

    pub(super) fn child(&mut self, (row, position): Place) -> &mut Child<S> {
        &mut self.rows[row].children[position]
    }

    /// Marks a child as done in this pass. The solver calls this function once for each child.
    pub(super) fn finish_child(&mut self, (row, position): Place, target: u8) {
        let rows = self.rows.len();
        let of_row = &mut self.rows[row];
        let child = &mut of_row.children[position];
        child.done = true;
        if child.bounds.low >= target {
            of_row.reaching += 1;
            self.reached |= of_row.first + of_row.reaching == self.columns;
        } else if child.bounds.high < target {
            of_row.refuted = true;
            let below = self.below.entry(of_row.first + position).or_default();
            *below += 1;
            self.below_columns += usize::from(*below as usize == rows);
        }
    }

    /// Whether the children prove that the state reaches the target, or prove that it does not.
    pub(super) fn is_settled(&self) -> bool {
        let columns = if self.chance { self.columns } else { 1 };
        self.reached || (self.columns > 0 && self.below_columns >= columns)
    }

    /// The next action of the solver in the state. The solver first completes the rows that may still reach
    /// the target. Then it examines the remaining children, and then it creates further children.
    pub(super) fn next(&mut self) -> Next {
        while let Some(row) = self.rows.get_mut(self.next_row) {
            if !row.refuted {
                if let Some(position) = row.next_open() {
                    return Next::Enter((self.next_row, position));
                }
                if row.created() < self.columns {
                    return Next::Create(self.next_row);
                }
            }
            self.next_row += 1;
        }
        while let Some(row) = self.rows.get_mut(self.next_spare_row) {
            if let Some(position) = row.next_open() {
                return Next::Enter((self.next_spare_row, position));
            }
            self.next_spare_row += 1;
        }
        let uncreated = (0..self.rows.len()).filter(|&row| self.rows[row].created() < self.columns);
        let least = uncreated.min_by_key(|&row| self.rows[row].created());
        least.map_or(Next::Leave, |row| {
            self.next_spare_row = 0;
            Next::Create(row)
        })
    }

    /// Discards the children of a row, but only if all of them reach the target and the state has more than
    /// [`BATCH`] columns. Returns the sum of `bytes_of` over the discarded children.
    pub(super) fn discard_children(&mut self, row: usize, bytes_of: impl Fn(&S) -> usize) -> usize {
        let row = &mut self.rows[row];
        if self.columns <= BATCH || row.reaching < row.children.len() {
            return 0;
        }
        row.low = row.low();
        row.first += row.children.len();
        (row.reaching, row.open) = (0, 0);
        row.children.drain(..).map(|child| bytes_of(&child.state)).sum()
    }

    /// The bounds that the children prove for the state.
    pub(super) fn bounds(&self) -> Bounds {
        let complete = self.rows.iter().filter(|row| row.created() == self.columns);
        let low = complete.map(Row::low).max().filter(|_| self.columns > 0).unwrap_or(0);
        // The columns whose children exist in all rows.
        let first = self.rows.iter().map(|row| row.first).max().unwrap_or(0);
        let end = self.rows.iter().map(Row::created).min().unwrap_or(0);
        let column_high = |column: usize| {
            let of_column = self.rows.iter().map(|row| row.children[column - row.first].bounds.high);
            of_column.max().unwrap_or(100)
        };
        let highs = (first..end).map(column_high);
        let all_known = first == 0 && end == self.columns;
        let high = match (self.chance, all_known) {
            (true, true) => highs.max().unwrap_or(100),
            (true, false) => 100,
            (false, _) => highs.min().unwrap_or(100),
        };
        Bounds { low, high: high.max(low) }
    }

    /// A joint move that decides the state. If the state reaches the target, this is the first joint move
    /// whose child reaches it. Otherwise it is the first joint move whose child is proved below the target.
    /// `None` if there is no such child.
    pub(super) fn deciding(&self, target: u8) -> Option<Vec<Move>> {
        let shows = |child: &Child<S>| {
            if self.reached { child.bounds.low >= target } else { child.bounds.high < target }
        };
        let in_row = |(number, row): (usize, &Row<S>)| {
            let position = row.children.iter().position(shows)?;
            Some((number, row.first + position))
        };
        let cell = self.rows.iter().enumerate().find_map(in_row)?;
        let mut joint = Vec::new();
        self.push_joint(cell, &mut joint);
        Some(joint)
    }

    /// The role's move that guarantees the goal `low`. `None` if the role has only one move, or if no move
    /// is proved to guarantee `low`.
    pub(super) fn best(&self, low: u8) -> Option<Move> {
        let sure = |row: &Row<S>| row.created() == self.columns && row.low() == low;
        let row = self.rows.iter().position(sure).filter(|_| self.rows.len() > 1)?;
        Some(self.legal[0][row])
    }
}

impl<S> Row<S> {
    /// The number of children created, including the discarded ones.
    fn created(&self) -> usize {
        self.first + self.children.len()
    }

    /// The goal that the row's move guarantees, if all children of the row have been created.
    fn low(&self) -> u8 {
        self.children.iter().map(|child| child.bounds.low).min().unwrap_or(100).min(self.low)
    }

    /// The index of the next child that is not done. `None` if all are done.
    fn next_open(&mut self) -> Option<usize> {
        while self.children.get(self.open)?.done {
            self.open += 1;
        }
        Some(self.open)
    }
}

impl<S> Child<S> {
    /// Narrows the child's bounds by `known`, other bounds that are proved for the child's state.
    pub(super) fn narrow(&mut self, known: Bounds) {
        self.bounds.low = self.bounds.low.max(known.low);
        self.bounds.high = self.bounds.high.min(known.high);
    }

    /// Whether the bounds prove that the child reaches the target, or prove that it does not.
    pub(super) fn is_decided(&self, target: u8) -> bool {
        self.bounds.low >= target || self.bounds.high < target
    }
}
