//! Square boards whose squares have one name each: a relation of the rules lists the lines of the board, and each line
//! is a row, a column or a diagonal. The names may also be numbers with a common sum, in a magic square.

use crate::candidate::{Candidate, MAX_INDEX};
use crate::evidence::Evidence;
use crate::model::{BoardModel, TextPart};
use crate::scene::{UNIT, signed};
use std::collections::BTreeSet;

/// The search for an arrangement of the lines tries at most this many lines.
const MAX_STEPS: usize = 50_000;

/// Lays out the squares of a track as a square board if the tuples of a relation are its lines.
pub(crate) fn fold(relations: &[Vec<Vec<String>>], model: &mut BoardModel) {
    let values = &model.columns.values;
    let Some(board) = relations.iter().find_map(|tuples| arrangement(tuples, values)) else { return };
    let mut places = vec![[0, 0]; values.len()];
    for (y, row) in board.iter().enumerate() {
        for (x, square) in row.iter().enumerate() {
            places[*square] = [signed(x) * UNIT, signed(y) * UNIT];
        }
    }
    model.places = places;
}

/// The reading of `board` as several square boards, if one of its axes names the squares of a board by their lines. The
/// other axis then tells the boards apart.
pub(crate) fn folded(
    relations: &[Vec<Vec<String>>],
    evidence: &Evidence<'_>,
    board: &Candidate,
) -> Option<Candidate> {
    let y = board.y.filter(|_| board.index.is_empty())?;
    let column = |number: usize| &evidence.tables[board.table].columns[number];
    let axes = evidence.axes(board.table, board.x, y);
    let folds = |values: &[String]| {
        values.len() > 4 && relations.iter().any(|tuples| arrangement(tuples, values).is_some())
    };
    let (x, index) = match axes.each_ref().map(|axis| folds(&axis.values)) {
        [true, false] => (board.x, y),
        [false, true] => (y, board.x),
        _ => return None,
    };
    let whole = [x, index].iter().all(|&number| column(number).coordinate.part == TextPart::Whole);
    (whole && column(index).domain.len() <= MAX_INDEX).then(|| Candidate {
        x,
        y: None,
        index: vec![index],
        ..board.clone()
    })
}

/// The squares of a board, row by row, on which each of `tuples` is a row, a column or a diagonal. All rows and columns
/// are among the tuples. Squares are indices in `values`.
fn arrangement(tuples: &[Vec<String>], values: &[String]) -> Option<Vec<Vec<usize>>> {
    let side = (2..=5).find(|side| side * side == values.len())?;
    let line = |tuple: &Vec<String>| -> Option<BTreeSet<usize>> {
        let line: BTreeSet<usize> =
            tuple.iter().map(|value| values.iter().position(|v| v == value)).collect::<Option<_>>()?;
        (tuple.len() == side && line.len() == side).then_some(line)
    };
    let lines = tuples.iter().map(line).collect::<Option<BTreeSet<_>>>()?;
    let lines: Vec<BTreeSet<usize>> = lines.into_iter().collect();
    if !(2 * side..=2 * side + 2).contains(&lines.len()) {
        return None;
    }
    let mut board = None;
    let mut steps = MAX_STEPS;
    stack(&lines, &mut Vec::new(), &mut steps, &mut |rows, steps| {
        let crosses = |line: &&BTreeSet<usize>| rows.iter().all(|row| row.intersection(line).count() == 1);
        let across: Vec<BTreeSet<usize>> = lines.iter().filter(crosses).cloned().collect();
        stack(&across, &mut Vec::new(), steps, &mut |columns, _| {
            board = straight(&lines, rows, columns);
            board.is_some()
        })
    });
    board
}

/// Chooses disjoint lines, as many as each has squares, in any order. Extends `chosen` until `accept` returns true, and
/// returns whether it did.
fn stack(
    lines: &[BTreeSet<usize>],
    chosen: &mut Vec<BTreeSet<usize>>,
    steps: &mut usize,
    accept: &mut dyn FnMut(&[BTreeSet<usize>], &mut usize) -> bool,
) -> bool {
    if lines.first().is_some_and(|line| chosen.len() == line.len()) {
        return accept(chosen, steps);
    }
    for line in lines {
        let Some(left) = steps.checked_sub(1) else { return false };
        *steps = left;
        if chosen.iter().all(|other| other.is_disjoint(line)) {
            chosen.push(line.clone());
            if stack(lines, chosen, steps, accept) {
                return true;
            }
            chosen.pop();
        }
    }
    false
}

/// The board with these rows and columns, if all other lines are diagonals of it.
fn straight(
    lines: &[BTreeSet<usize>],
    rows: &[BTreeSet<usize>],
    columns: &[BTreeSet<usize>],
) -> Option<Vec<Vec<usize>>> {
    let square = |row: &BTreeSet<usize>, column| row.intersection(column).next().copied();
    let board: Vec<Vec<usize>> = rows
        .iter()
        .map(|row| columns.iter().map(|column| square(row, column)).collect())
        .collect::<Option<_>>()?;
    let down: BTreeSet<usize> = (0..rows.len()).map(|number| board[number][number]).collect();
    let up: BTreeSet<usize> = (0..rows.len()).map(|number| board[number][rows.len() - 1 - number]).collect();
    let is_straight = |line: &BTreeSet<usize>| {
        rows.contains(line) || columns.contains(line) || *line == down || *line == up
    };
    lines.iter().all(is_straight).then_some(board)
}

#[cfg(test)]
mod tests {
    use super::arrangement;
    use crate::sample::game;
    use crate::{BoardModel, Kind, infer};
    use ggp_game::Fact;

    fn tuples(lines: &[&str]) -> Vec<Vec<String>> {
        let words = |line: &&str| line.split(' ').map(str::to_owned).collect();
        lines.iter().map(words).collect()
    }

    #[test]
    fn numbers_with_a_common_sum_make_a_magic_square() {
        let values: Vec<String> = (1..10).map(|number| number.to_string()).collect();
        let sums = ["1 5 9", "1 6 8", "2 4 9", "2 5 8", "2 6 7", "3 4 8", "3 5 7", "4 5 6"];
        let board = arrangement(&tuples(&sums), &values).expect("a board");
        let lines = |of: &dyn Fn(usize, usize) -> usize| -> Vec<usize> {
            (0..3).map(|line| (0..3).map(|at| of(line, at) + 1).sum()).collect()
        };
        assert_eq!(lines(&|row, column| board[row][column]), [15; 3]);
        assert_eq!(lines(&|column, row| board[row][column]), [15; 3]);
        assert_eq!(board[1][1] + 1, 5, "the one number of both diagonals");
    }

    #[test]
    fn a_line_that_is_not_straight_makes_no_board() {
        let values: Vec<String> = ('a'..='i').map(String::from).collect();
        let lines = ["a b c", "d e f", "g h i", "a d g", "b e h", "c f i", "a e i"];
        let board = arrangement(&tuples(&lines), &values);
        assert_eq!(board, Some(vec![vec![0, 1, 2], vec![3, 4, 5], vec![6, 7, 8]]));
        let bent = [lines.as_slice(), &["a b d"]].concat();
        assert_eq!(arrangement(&tuples(&bent), &values), None);
        assert_eq!(arrangement(&tuples(&lines[..5]), &values), None, "a column is missing");
    }

    /// The boards `left` and `right` of nine squares each. `at` is the text of a square `S` on a board `B`.
    fn boards(at: &str, lines: &str) -> BoardModel {
        let square = |square: &str, board: &str| at.replace('S', square).replace('B', board);
        let all: Vec<String> = ["left", "right"]
            .iter()
            .flat_map(|board| ('a'..='i').map(move |name| (name.to_string(), *board)))
            .map(|(name, board)| format!("(free {})", square(&name, board)))
            .collect();
        let inits: String = all.iter().map(|fact| format!("(init {fact})")).collect();
        let at = square("?s", "?b");
        let game = game(&format!(
            "(role white) (role black) {inits} {lines}
            (<= (legal ?r (mark {at})) (role ?r) (true (free {at})))
            (<= (next (own {at})) (does ?r (mark {at}))) (<= (next (own {at})) (true (own {at})))
            (<= (next (free {at})) (true (free {at})) (not (taken {at}))) (<= (taken {at}) (does ?r (mark {at})))
            (<= (goal ?r 0) (role ?r)) (<= terminal (not open)) (<= open (true (free {at})))"
        ));
        let [first, second] = [square("a", "left"), square("c", "right")].map(|at| format!("(own {at})"));
        let later =
            all.iter().filter(|fact| !fact.contains('a') && !fact.contains('c')).chain([&first, &second]);
        let later: Vec<Fact> = later.map(|fact| Fact::from_canonical(fact.as_str())).collect();
        infer(&game, &[all.iter().map(|fact| Fact::from_canonical(fact.as_str())).collect(), later])
    }

    #[test]
    fn boards_whose_squares_have_one_name_each_are_told_apart_by_the_other_argument() {
        let lines = "(row a b c) (row d e f) (row g h i) (row a d g) (row b e h) (row c f i)";
        for at in ["S B", "B S"] {
            let model = boards(at, lines);
            assert_eq!((model.kind, model.board_count(), model.places.len()), (Kind::Track, 2, 9), "{at}");
            assert!(model.layers.iter().all(|layer| layer.index.len() == 1), "{:?}", model.layers);
            assert_eq!(model.layers.len(), 2, "{at}");
            let scene = model.scene();
            assert!(scene.width < 900 && scene.height < 500, "side by side: {scene:?}");
        }
        assert_eq!(boards("S B", "").board_count(), 1, "no lines");
    }
}
