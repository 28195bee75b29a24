//! Networks built by hand, for measurements without grounding: breakthrough on a board with four holes, and
//! connect four.

use ggp_game::{Fact, Game, Goal};
use ggp_propnet::{Fluent, NetBuilder, NetMove, NetRole, PropNet, PropNetMachine, Signal};
use std::sync::Arc;

/// A minimal game with two roles. A machine reads only the roles of its network's game.
fn two_roles() -> Arc<Game> {
    let rules = "(role white) (role black) (init (on)) (<= (next (on)) (true (on)))
        (<= (legal ?r noop) (role ?r)) (<= terminal (not (true (on)))) (<= (goal ?r 100) (role ?r))";
    Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).expect("parses")).expect("is a game"))
}

/// A machine that evaluates `net`, one of the networks of this module.
pub(crate) fn machine(net: PropNet) -> PropNetMachine {
    PropNetMachine::new(net).expect("fits")
}

fn fact(text: String) -> Fact {
    Fact::from_canonical(text)
}

fn goal(value: u8) -> Goal {
    Goal::new(value).expect("at most 100")
}

/// Breakthrough on 8×8 with holes at (3,3), (3,6), (6,3), (6,6) and two rows of pieces for each side. The
/// first side to cross, or to capture everything, wins.
pub(crate) fn breakthrough_holes() -> PropNet {
    let hole = |x: i32, y: i32| (x == 3 || x == 6) && (y == 3 || y == 6);
    let cells: Vec<(i32, i32)> =
        (1..=8).flat_map(|x| (1..=8).map(move |y| (x, y))).filter(|&(x, y)| !hole(x, y)).collect();
    let at = |x: i32, y: i32| cells.iter().position(|&cell| cell == (x, y));
    // A side's moves, in the order of their texts: the cells from and to, and whether the move is straight.
    let moves_of = |side: usize| -> Vec<(String, Option<(usize, usize, bool)>)> {
        let dy = if side == 0 { 1 } else { -1 };
        let mut moves = Vec::new();
        for (from, &(x, y)) in cells.iter().enumerate() {
            for dx in [-1, 0, 1] {
                if let Some(to) = at(x + dx, y + dy) {
                    let text = format!("(move {x} {y} {} {})", x + dx, y + dy);
                    moves.push((text, Some((from, to, dx == 0))));
                }
            }
        }
        moves.push(("noop".to_owned(), None));
        moves.sort();
        moves
    };
    let moves = [moves_of(0), moves_of(1)];
    let mut b = NetBuilder::new(&two_roles(), &[moves[0].len(), moves[1].len()]);
    // Fluents: white's cells, black's cells, the side to move.
    let n = cells.len();
    let piece: Vec<Vec<Signal>> =
        (0..2).map(|side| (0..n).map(|cell| b.state(side * n + cell)).collect()).collect();
    let control = [b.state(2 * n), b.state(2 * n + 1)];
    let mut fluents = Vec::new();
    let mut roles = Vec::new();
    let sets = |side: usize, pick: &dyn Fn(usize, usize) -> bool| -> Vec<u32> {
        let picked =
            moves[side].iter().enumerate().filter(|(_, (_, mv))| mv.is_some_and(|(f, t, _)| pick(f, t)));
        picked.map(|(number, _)| number as u32).collect()
    };
    for side in 0..2 {
        for (cell, &(x, y)) in cells.iter().enumerate() {
            let to = sets(side, &|_, to| to == cell);
            let to = b.move_set(side, &to);
            let from = sets(side, &|from, _| from == cell);
            let from = b.move_set(side, &from);
            let taken = sets(1 - side, &|_, to| to == cell);
            let taken = b.move_set(1 - side, &taken);
            let stays = b.and([piece[side][cell], !from, !taken]);
            let next = b.or([to, stays]);
            let name = ["white", "black"][side];
            let initial = if side == 0 { y <= 2 } else { y >= 7 };
            fluents.push(Fluent { fact: fact(format!("(cell {x} {y} {name})")), initial, next });
        }
    }
    for side in 0..2 {
        let name = ["white", "black"][side];
        let text = format!("(control {name})");
        fluents.push(Fluent { fact: fact(text), initial: side == 0, next: control[1 - side] });
    }
    let far = |side: usize| if side == 0 { 8 } else { 1 };
    let mut won = Vec::new();
    for side in 0..2 {
        let crossed: Vec<Signal> =
            (0..n).filter(|&cell| cells[cell].1 == far(side)).map(|cell| piece[side][cell]).collect();
        let crossed = b.or(crossed);
        let any = b.or(piece[1 - side].clone());
        won.push(b.or([crossed, !any]));
    }
    for side in 0..2 {
        let mut list = Vec::new();
        for (text, mv) in &moves[side] {
            let legal = match *mv {
                None => control[1 - side],
                Some((from, to, straight)) => {
                    let mut all = vec![control[side], piece[side][from], !piece[side][to]];
                    if straight {
                        all.push(!piece[1 - side][to]);
                    }
                    b.and(all)
                }
            };
            list.push(NetMove { text: text.as_str().into(), legal });
        }
        let goals = vec![(goal(100), won[side]), (goal(0), won[1 - side])];
        roles.push(NetRole { moves: list, goals, ..NetRole::default() });
    }
    let terminal = b.or(won);
    b.finish(fluents, roles, terminal)
}

/// Connect four on 7 columns of 6 cells.
pub(crate) fn connect_four() -> PropNet {
    const COLUMNS: usize = 7;
    const ROWS: usize = 6;
    let mut b = NetBuilder::new(&two_roles(), &[COLUMNS + 1, COLUMNS + 1]);
    let n = COLUMNS * ROWS;
    let piece: Vec<Vec<Signal>> =
        (0..2).map(|side| (0..n).map(|cell| b.state(side * n + cell)).collect()).collect();
    let control = [b.state(2 * n), b.state(2 * n + 1)];
    let mut fluents = Vec::new();
    let name = ["white", "black"];
    for side in 0..2 {
        for column in 0..COLUMNS {
            for row in 0..ROWS {
                let cell = column * ROWS + row;
                let drop = b.move_set(side, &[column as u32]);
                let empty = b.and([!piece[0][cell], !piece[1][cell]]);
                let below = match row {
                    0 => Signal::TRUE,
                    _ => b.or([piece[0][cell - 1], piece[1][cell - 1]]),
                };
                let lands = b.and([drop, empty, below]);
                let next = b.or([piece[side][cell], lands]);
                let text = format!("(cell {} {} {})", column + 1, row + 1, name[side]);
                fluents.push(Fluent { fact: fact(text), initial: false, next });
            }
        }
    }
    for side in 0..2 {
        let text = format!("(control {})", name[side]);
        fluents.push(Fluent { fact: fact(text), initial: side == 0, next: control[1 - side] });
    }
    let mut line = Vec::new();
    for side in 0..2 {
        let mut lines = Vec::new();
        for column in 0..COLUMNS as i32 {
            for row in 0..ROWS as i32 {
                for (dc, dr) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                    let (end_column, end_row) = (column + 3 * dc, row + 3 * dr);
                    if end_column < COLUMNS as i32 && (0..ROWS as i32).contains(&end_row) {
                        let four: Vec<Signal> = (0..4)
                            .map(|i| piece[side][((column + i * dc) * ROWS as i32 + row + i * dr) as usize])
                            .collect();
                        lines.push(b.and(four));
                    }
                }
            }
        }
        line.push(b.or(lines));
    }
    let open: Vec<Signal> = (0..COLUMNS)
        .map(|column| {
            let top = column * ROWS + ROWS - 1;
            b.and([!piece[0][top], !piece[1][top]])
        })
        .collect();
    let some_open = b.or(open.clone());
    let terminal = b.or([line[0], line[1], !some_open]);
    let roles = (0..2)
        .map(|side| {
            let mut moves: Vec<NetMove> = (0..COLUMNS)
                .map(|column| NetMove {
                    text: format!("(drop {})", column + 1).into(),
                    legal: b.and([control[side], open[column]]),
                })
                .collect();
            moves.push(NetMove { text: "noop".into(), legal: control[1 - side] });
            let draw = b.and([!line[0], !line[1]]);
            let goals = vec![(goal(100), line[side]), (goal(0), line[1 - side]), (goal(50), draw)];
            NetRole { moves, goals, ..NetRole::default() }
        })
        .collect();
    b.finish(fluents, roles, terminal)
}
