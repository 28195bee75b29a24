//! A state under way: a matrix of joint moves, of which as many cells are made as are needed.

use crate::node::Bounds;
use ggp_game::{Move, Role};
use rustc_hash::FxHashMap;

/// Joint moves that are made at once: twice as many as the widest machines evaluate together. In a state that
/// has more, a row begins with few, since one of them may refute it.
const BATCH: usize = 1024;
const FIRST: usize = 64;

/// A state whose children are being gone through.
#[derive(Debug)]
pub(super) struct Frame<S> {
    pub(super) state: S,
    /// What it takes, with its children, as whoever makes them counts it.
    pub(super) bytes: usize,
    /// The child that the frame above is about.
    pub(super) at: Place,
    role: Role,
    /// The moves of the role itself, then those of the others in their order.
    legal: Vec<Vec<Move>>,
    /// A row for each of the role's moves.
    rows: Vec<Row<S>>,
    /// How many joint moves the others have: the columns.
    columns: usize,
    /// Whether chance moves here.
    chance: bool,
    /// In how many rows the children of a column fall short of the goal asked for, where any do.
    short: FxHashMap<usize, u32>,
    /// The columns in which those of all rows do.
    short_columns: usize,
    /// Whether all children of a row reach the goal asked for.
    reached: bool,
    /// The rows before this are refuted, or there is nothing more to be learnt of them.
    next_row: usize,
    /// The same of rows that are refuted, as far as they are made.
    spare_row: usize,
}

/// One of the role's moves.
#[derive(Debug)]
struct Row<S> {
    /// The children in the columns from `first` on, as far as they are made.
    children: Vec<Child<S>>,
    /// In the columns before, all children reached the goal asked for and were forgotten; so many.
    first: usize,
    /// What those make sure of.
    low: u8,
    /// How many of `children` reach the goal asked for.
    withstood: usize,
    /// The children before this are done.
    open: usize,
    /// Whether a child falls short of the goal asked for.
    refuted: bool,
}

/// A state after a joint move.
#[derive(Debug)]
pub(super) struct Child<S> {
    pub(super) state: S,
    pub(super) bounds: Bounds,
    /// Whether nothing more can be learnt of it in this pass.
    pub(super) done: bool,
}

/// Where a child is: its row, and its position among those of the row that are kept.
pub(super) type Place = (usize, usize);

/// What to do next in a state.
pub(super) enum Next {
    /// Go into a child.
    Enter(Place),
    /// Make more children, of this row first.
    Make(usize),
    /// There is nothing more to be learnt.
    Leave,
}

impl<S> Frame<S> {
    /// A frame of `state`, with the moves of all roles in role order and no children.
    pub(super) fn new(state: S, role: Role, mut legal: Vec<Vec<Move>>, chance: bool) -> Frame<S> {
        legal[..=role.index()].rotate_right(1);
        let columns = legal[1..].iter().fold(1, |product: usize, moves| product.saturating_mul(moves.len()));
        let row = |_| Row { children: Vec::new(), first: 0, low: 100, withstood: 0, open: 0, refuted: false };
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
            short: FxHashMap::default(),
            short_columns: 0,
            reached: false,
            next_row: 0,
            spare_row: 0,
        }
    }

    /// Appends a joint move, in role order.
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

    /// How many children are made at once when `row` needs some.
    pub(super) fn batch(&self, row: usize) -> usize {
        if self.columns <= BATCH { BATCH } else { self.rows[row].made().clamp(FIRST, BATCH) }
    }

    /// The next cells to be made, as row and column: at most `most`, of `row` first.
    pub(super) fn unmade(&self, row: usize, most: usize) -> Vec<(usize, usize)> {
        let mut cells = Vec::new();
        for (number, of_row) in self.rows.iter().enumerate().skip(row) {
            if number == row || !of_row.refuted {
                let made = of_row.made();
                let count = (self.columns - made).min(most - cells.len());
                cells.extend((made..made + count).map(|column| (number, column)));
            }
        }
        cells
    }

    /// Adds the next child of `row`.
    pub(super) fn add(&mut self, row: usize, child: Child<S>, asked: u8) {
        let is_decided = child.is_decided(asked);
        let children = &mut self.rows[row].children;
        children.push(child);
        if is_decided {
            let place = (row, children.len() - 1);
            self.close(place, asked);
        }
    }

    pub(super) fn child(&mut self, (row, position): Place) -> &mut Child<S> {
        &mut self.rows[row].children[position]
    }

    /// Takes note that nothing more can be learnt of a child in this pass; once for each.
    pub(super) fn close(&mut self, (row, position): Place, asked: u8) {
        let rows = self.rows.len();
        let of_row = &mut self.rows[row];
        let child = &mut of_row.children[position];
        child.done = true;
        if child.bounds.low >= asked {
            of_row.withstood += 1;
            self.reached |= of_row.first + of_row.withstood == self.columns;
        } else if child.bounds.high < asked {
            of_row.refuted = true;
            let short = self.short.entry(of_row.first + position).or_default();
            *short += 1;
            self.short_columns += usize::from(*short as usize == rows);
        }
    }

    /// Whether the goal asked for is proved to be reached, or not to be.
    pub(super) fn is_settled(&self) -> bool {
        let columns = if self.chance { self.columns } else { 1 };
        self.reached || (self.columns > 0 && self.short_columns >= columns)
    }

    /// What to do next: in a row that may still reach the goal asked for, look at a child that may still fall
    /// short of it; then at any that is not known.
    pub(super) fn next(&mut self) -> Next {
        while let Some(row) = self.rows.get_mut(self.next_row) {
            if !row.refuted {
                if let Some(position) = row.next_open() {
                    return Next::Enter((self.next_row, position));
                }
                if row.made() < self.columns {
                    return Next::Make(self.next_row);
                }
            }
            self.next_row += 1;
        }
        while let Some(row) = self.rows.get_mut(self.spare_row) {
            if let Some(position) = row.next_open() {
                return Next::Enter((self.spare_row, position));
            }
            self.spare_row += 1;
        }
        let unmade = (0..self.rows.len()).filter(|&row| self.rows[row].made() < self.columns);
        let least = unmade.min_by_key(|&row| self.rows[row].made());
        least.map_or(Next::Leave, |row| {
            self.spare_row = 0;
            Next::Make(row)
        })
    }

    /// Forgets the children of a row that all reach the goal asked for, in a state of more joint moves than
    /// are made at once. Returns what `weigh` says of them.
    pub(super) fn forget(&mut self, row: usize, weigh: impl Fn(&S) -> usize) -> usize {
        let row = &mut self.rows[row];
        if self.columns <= BATCH || row.withstood < row.children.len() {
            return 0;
        }
        row.low = row.low();
        row.first += row.children.len();
        (row.withstood, row.open) = (0, 0);
        row.children.drain(..).map(|child| weigh(&child.state)).sum()
    }

    /// What the children prove of the state.
    pub(super) fn bounds(&self) -> Bounds {
        let complete = self.rows.iter().filter(|row| row.made() == self.columns);
        let low = complete.map(Row::low).max().filter(|_| self.columns > 0).unwrap_or(0);
        // The columns that are known in all rows.
        let first = self.rows.iter().map(|row| row.first).max().unwrap_or(0);
        let end = self.rows.iter().map(Row::made).min().unwrap_or(0);
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

    /// The joint move that shows that the goal asked for is or is not reached, if a single one does.
    pub(super) fn deciding(&self, asked: u8) -> Option<Vec<Move>> {
        let shows = |child: &Child<S>| {
            if self.reached { child.bounds.low >= asked } else { child.bounds.high < asked }
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

    /// The role's move that makes sure of `low`, if there is a choice.
    pub(super) fn best(&self, low: u8) -> Option<Move> {
        let sure = |row: &Row<S>| row.made() == self.columns && row.low() == low;
        let row = self.rows.iter().position(sure).filter(|_| self.rows.len() > 1)?;
        Some(self.legal[0][row])
    }
}

impl<S> Row<S> {
    /// How many of its children have been made.
    fn made(&self) -> usize {
        self.first + self.children.len()
    }

    /// What it makes sure of, if it is complete.
    fn low(&self) -> u8 {
        self.children.iter().map(|child| child.bounds.low).min().unwrap_or(100).min(self.low)
    }

    /// The next child that is not done.
    fn next_open(&mut self) -> Option<usize> {
        while self.children.get(self.open)?.done {
            self.open += 1;
        }
        Some(self.open)
    }
}

impl<S> Child<S> {
    /// Narrows its bounds.
    pub(super) fn learn(&mut self, known: Bounds) {
        self.bounds.low = self.bounds.low.max(known.low);
        self.bounds.high = self.bounds.high.min(known.high);
    }

    /// Whether it is known to reach the goal asked for, or not to.
    pub(super) fn is_decided(&self, asked: u8) -> bool {
        self.bounds.low >= asked || self.bounds.high < asked
    }
}
