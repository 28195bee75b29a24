//! Planes: the facts of a game as channels of an image, for a convolution.

use crate::model::{BoardModel, Kind};
use crate::term::replaced;
use ggp_game::split_term;
use rustc_hash::FxHashMap;

/// How facts become planes of the height and width of the board. Every fact belongs to one plane: a fact on the board sets
/// the square that it names, and a fact beside the board sets the whole plane.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Planes {
    /// The names of the planes. Those on the board come first: the text of their facts with `?x` for the column and `?y` for
    /// the row, or `?xy` if one argument names both. A plane beside the board has the text of its only fact.
    pub names: Vec<String>,
    /// The number of rows of the board.
    pub height: usize,
    /// The number of columns of the board.
    pub width: usize,
    /// For each fact, its plane, and its square in the plane from the top left on, row after row; `None` for the whole
    /// plane.
    pub places: Vec<(usize, Option<usize>)>,
}

impl Planes {
    /// The number of squares of all planes together.
    pub fn size(&self) -> usize {
        self.names.len() * self.height * self.width
    }

    /// Writes the planes of a state: plane after plane, row after row, each square 0 or 1. The facts that hold in it are the
    /// bits of `words`, lowest bit first.
    pub fn write<T: Copy + From<u8>>(&self, words: &[u64], out: &mut [T]) {
        let area = self.height * self.width;
        out.fill(0.into());
        for (first, &word) in (0..).step_by(64).zip(words) {
            let mut word = word;
            while word != 0 {
                let fact: usize = first + word.trailing_zeros() as usize;
                match self.places[fact] {
                    (plane, Some(square)) => out[plane * area + square] = 1.into(),
                    (plane, None) => out[plane * area..][..area].fill(1.into()),
                }
                word &= word - 1;
            }
        }
    }
}

impl BoardModel {
    /// The planes of a game whose facts are `facts`. `None` if there is no board, or one whose facts name no squares
    /// each: one of towers, or of fluents that name columns and rows apart.
    ///
    /// # Examples
    /// ```
    /// use ggp_game::{Fact, Game};
    /// let rules = b"(role x) (role o) (index 1) (index 2) (init (control x))
    ///     (<= (init (cell ?m ?n b)) (index ?m) (index ?n))
    ///     (<= (legal ?r (mark ?m ?n)) (true (control ?r)) (true (cell ?m ?n b)))
    ///     (<= (legal o noop) (true (control x))) (<= (legal x noop) (true (control o)))
    ///     (<= (next (cell ?m ?n ?r)) (does ?r (mark ?m ?n)))
    ///     (<= (next (cell ?m ?n ?c)) (true (cell ?m ?n ?c)) (distinct ?c b))
    ///     (<= (next (cell ?m ?n b)) (true (cell ?m ?n b)) (does ?r (mark ?j ?k)) (distinct ?m ?j))
    ///     (<= (next (cell ?m ?n b)) (true (cell ?m ?n b)) (does ?r (mark ?j ?k)) (distinct ?n ?k))
    ///     (<= (next (control o)) (true (control x))) (<= (next (control x)) (true (control o)))
    ///     (<= terminal (not open)) (<= open (true (cell ?m ?n b))) (goal x 50) (goal o 50)";
    /// let game = Game::new(ggp_gdl::parse(rules).unwrap()).unwrap();
    /// let state = ["(cell 1 1 x)", "(cell 1 2 b)", "(cell 2 1 b)", "(cell 2 2 b)", "(control o)"];
    /// let model = ggp_view::infer(&game, &[state.map(|fact| Fact::new(fact).unwrap()).to_vec()]);
    /// let planes = model.planes(&state).unwrap();
    /// assert_eq!(planes.names, ["(cell ?x ?y x)", "(cell ?x ?y b)", "(control o)"]);
    /// assert_eq!((planes.height, planes.width), (2, 2));
    /// assert_eq!(planes.places[4], (2, None));
    /// let mut out = [9u8; 12];
    /// planes.write(&[0b1_0001], &mut out);
    /// assert_eq!(out.iter().filter(|&&square| square == 1).count(), 1 + 4);
    /// ```
    pub fn planes(&self, facts: &[&str]) -> Option<Planes> {
        let (height, width) = (self.rows.values.len(), self.columns.values.len());
        let apart = self.stacked || !self.fusions.is_empty();
        if self.kind == Kind::Table || apart || height * width == 0 {
            return None;
        }
        let on_board: Vec<Option<(String, usize)>> = facts.iter().map(|fact| self.on_board(fact)).collect();
        let (mut names, mut numbers) = (Vec::new(), FxHashMap::default());
        for (name, _) in on_board.iter().flatten() {
            numbers.entry(name.as_str()).or_insert_with(|| {
                names.push(name.clone());
                names.len() - 1
            });
        }
        let mut places = Vec::with_capacity(facts.len());
        for (fact, on_board) in facts.iter().zip(&on_board) {
            if let Some((name, square)) = on_board {
                places.push((numbers[name.as_str()], Some(*square)));
            } else {
                places.push((names.len(), None));
                names.push((*fact).to_owned());
            }
        }
        Some(Planes { names, height, width, places })
    }

    /// The name of the plane and the square in it of a fact on the board.
    fn on_board(&self, fact: &str) -> Option<(String, usize)> {
        let (function, arguments) = split_term(fact);
        let layer =
            self.layers.iter().find(|layer| layer.relation == function && layer.arity == arguments.len())?;
        let square = self.square_at(layer, |coordinate| coordinate.read(fact))?;
        let name = match &layer.y {
            Some(y) if y.path == layer.x.path => replaced(fact, &layer.x.path, "?xy"),
            Some(y) => replaced(&replaced(fact, &layer.x.path, "?x"), &y.path, "?y"),
            None => replaced(fact, &layer.x.path, "?x"),
        };
        Some((name, square.row * self.columns.values.len() + square.column))
    }
}
