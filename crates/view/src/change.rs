//! The difference between two positions: which things moved from square to square, which came and which went. It is read
//! from the states alone, whatever the rules call their moves.

use crate::model::{BoardModel, Square};
use crate::position::{Line, Position, Token};
use std::collections::BTreeMap;

/// If more things than this of one kind move at once, no ways are told.
const MAX_MOVED: usize = 3;
/// If more squares than this change at once, none is marked as that of the last move.
const MAX_MARKED: usize = 6;

/// The difference between two positions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Changes {
    /// The squares that a thing left and came to.
    pub slides: Vec<(Square, Square)>,
    /// The squares where something new stands that came from nowhere.
    pub new: Vec<Square>,
    /// The squares whose things went away, or were replaced by things that came there.
    pub taken: Vec<Square>,
    /// The lines that are new.
    pub lines: Vec<Line>,
}

impl Changes {
    /// The squares to mark as those of the last move. Empty if too many changed, as where the whole board turns.
    pub fn squares(&self) -> Vec<Square> {
        let ways = self.slides.iter().flat_map(|(from, to)| [*from, *to]);
        let squares: Vec<Square> = ways.chain(self.new.iter().copied()).collect();
        if squares.len() > MAX_MARKED { Vec::new() } else { squares }
    }
}

impl BoardModel {
    /// The difference between the position `before` and the next one, `after`.
    ///
    /// # Examples
    /// ```
    /// use ggp_game::{Fact, Game};
    /// let rules = b"(role a) (row 1) (row 2) (init (at 1 1 a)) (<= (base (at ?x ?y a)) (row ?x) (row ?y))
    ///     (<= (legal a (go ?x ?y)) (row ?x) (row ?y)) (<= (next (at ?x ?y a)) (does a (go ?x ?y)))
    ///     (<= terminal (true (at 2 2 a))) (goal a 0)";
    /// let model = ggp_view::infer(&Game::new(ggp_gdl::parse(rules).unwrap()).unwrap(), &[]);
    /// let [before, after] = ["(at 1 1 a)", "(at 2 1 a)"].map(|fact| model.place(&[Fact::new(fact).unwrap()]));
    /// assert_eq!(model.changes(&before, &after).slides.len(), 1);
    /// ```
    pub fn changes(&self, before: &Position, after: &Position) -> Changes {
        // 1. For each content, the squares that it left and those that it came to.
        let mut moved: BTreeMap<&[String], [Vec<usize>; 2]> = BTreeMap::new();
        let pairs = before.squares.iter().zip(&after.squares);
        for (number, (old, new)) in pairs.enumerate().filter(|(_, (old, new))| old != new) {
            for (tokens, others, which) in [(old, new, 0), (new, old, 1)] {
                let changed = tokens.iter().filter(|token| !others.contains(token) && is_thing(self, token));
                for token in changed {
                    moved.entry(&token.content).or_default()[which].push(number);
                }
            }
        }
        // 2. Things of one content that went and came in equal number slid.
        let mut changes = Changes::default();
        let mut left: [Vec<(usize, Option<usize>)>; 2] = Default::default();
        for (content, [from, to]) in &moved {
            if from.len() == to.len() && from.len() <= MAX_MOVED {
                changes.slides.extend(from.iter().zip(to).map(|(&a, &b)| (self.square(a), self.square(b))));
                continue;
            }
            let owner = content.iter().find_map(|value| {
                self.roles.iter().position(|role| role == value).or_else(|| self.owners.get(value).copied())
            });
            left[0].extend(from.iter().map(|&number| (number, owner)));
            left[1].extend(to.iter().map(|&number| (number, owner)));
        }
        // 3. One thing of a role that became another one, as a pawn that is promoted, slid too.
        let [mut gone, mut come] = left;
        for role in 0..self.roles.len() {
            let of = |list: &[(usize, Option<usize>)]| {
                let mut own = list.iter().filter(|(_, owner)| *owner == Some(role));
                own.next().copied().filter(|_| own.next().is_none())
            };
            if let (Some(from), Some(to)) = (of(&gone), of(&come)) {
                changes.slides.push((self.square(from.0), self.square(to.0)));
                gone.retain(|one| *one != from);
                come.retain(|one| *one != to);
            }
        }
        changes.new = come.into_iter().map(|(number, _)| self.square(number)).collect();
        changes.lines = after.lines.iter().filter(|line| !before.lines.contains(line)).cloned().collect();
        changes.taken = gone.into_iter().map(|(number, _)| self.square(number)).collect();
        changes
    }

    /// The square with the index `number` in [`Position::squares`].
    pub fn square(&self, number: usize) -> Square {
        let width = self.columns.values.len().max(1);
        let height = self.rows.values.len().max(1);
        Square { board: number / (width * height), row: number / width % height, column: number % width }
    }
}

fn is_thing(model: &BoardModel, token: &Token) -> bool {
    if model.layers.get(token.layer).is_some_and(|layer| layer.to.is_some()) {
        return false;
    }
    token.layer == 0 || !token.content.is_empty() || model.layers.len() <= 1
}
