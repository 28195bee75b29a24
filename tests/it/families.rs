//! The families of rulesheets by size: at small sizes, the rules have no fault, network and interpreter agree, and
//! matches begin and end as the games do.

use ggp::{Limits, Rulesheet, Strictness};
use ggp_game::Interpreter;
use ggp_tests::families::{ALL, Family};
use ggp_tests::{game, network, perft_table, playouts, position, walk};

/// A board on which playouts of the interpreter are short. Five in a row need five cells.
const SMALL: usize = 5;

/// More playouts than the network also plays one by one.
const PLAYOUTS: usize = 40;

fn rules(family: &str, n: usize) -> String {
    Family::named(family).expect("a family").rulesheet(n)
}

#[test]
fn no_rule_breaks_the_specification() {
    for family in &ALL {
        for n in [4, 5, 8] {
            let sheet = Rulesheet::new(family.name, family.rulesheet(n));
            let (game, findings) = sheet.check(Strictness::Strict, Limits::default());
            assert!(game.is_some() && findings.is_empty(), "{}", sheet.render(&findings, false));
        }
    }
}

#[test]
fn network_and_interpreter_agree() {
    for (family, seed) in ALL.iter().zip(1..) {
        let rules = family.rulesheet(SMALL);
        let (mut interpreter, mut network) = (Interpreter::new(&game(&rules)), network(&rules));
        walk::agree(&mut interpreter, &mut network, 60, seed)
            .unwrap_or_else(|why| panic!("{}: {why}", family.name));
        let counts = playouts::agree(&mut interpreter, &network, PLAYOUTS, seed);
        let counts = counts.unwrap_or_else(|why| panic!("{}: {why:?}", family.name));
        if counts.goal_sums.len() == 2 {
            let sum: u64 = counts.goal_sums.iter().sum();
            assert_eq!(sum, 100 * PLAYOUTS as u64, "{}: goals of constant sum", family.name);
        }
    }
}

#[test]
fn counts_of_the_first_moves_are_known() {
    // Breakthrough: 13 moves; a white pawn is blocked by the black one before it. Amazons: each of two queens has 9.
    let tables: [(&str, usize, &[u64]); 6] = [
        ("hex", 4, &[1, 16, 16 * 15]),
        ("gomoku", 6, &[1, 36, 36 * 35]),
        ("breakthrough", 5, &[1, 13, 13 * 12]),
        ("breakthrough", 6, &[1, 16, 16 * 16]),
        ("lights-out", 5, &[1, 25, 24 * 25]),
        ("amazons", 5, &[1, 18]),
    ];
    for (family, n, table) in tables {
        let mut network = network(&rules(family, n));
        perft_table::check(&mut network, table, u64::MAX).unwrap_or_else(|why| panic!("{family} {n}: {why}"));
    }
}

/// Positions of each family on a board of [`SMALL`] by [`SMALL`].
const POSITIONS: [(&str, &str); 5] = [
    (
        "hex",
        "
position A chain from edge to edge wins, and cells on a short diagonal do not touch
state    (control black) (stone 3 1 black) (stone 3 2 black) (stone 2 3 black) (stone 2 4 black)
         (stone 4 5 black)
terminal no
play     (place 1 5) noop
terminal yes
goals    100 0

position The other short diagonal does not join
state    (control black) (stone 3 1 black) (stone 3 2 black) (stone 4 3 black) (stone 4 4 black)
play     (place 4 5) noop
terminal no
forbids  white (place 4 5)

position White joins the other edges
state    (control white) (stone 1 2 white) (stone 2 2 white) (stone 3 2 white) (stone 4 2 white)
play     noop (place 5 1)
terminal yes
goals    0 100
",
    ),
    (
        "gomoku",
        "
position Five on a diagonal win
state    (control white) (stone 1 5 white) (stone 2 4 white) (stone 3 3 white) (stone 5 1 white)
terminal no
play     noop (place 4 2)
terminal yes
goals    0 100

position Four and one beside them do not
state    (control black) (stone 1 1 black) (stone 2 2 black) (stone 3 3 black) (stone 4 4 black)
play     (place 5 4) noop
terminal no
goals    50 50

position Five in a line of each axis
state    (control black) (stone 1 2 black) (stone 2 2 black) (stone 3 2 black) (stone 4 2 black)
play     (place 5 2) noop
goals    100 0
",
    ),
    (
        "breakthrough",
        "
position Pawns capture diagonally only
state    (control black) (pawn 3 2 black) (pawn 3 3 white) (pawn 4 3 white) (pawn 2 3 black)
legal    black (move 3 2 4 3) (move 2 3 2 4) (move 2 3 1 4) (move 2 3 3 4)
play     (move 3 2 4 3) noop
holds    (pawn 4 3 black) (pawn 3 3 white)
lacks    (pawn 4 3 white) (pawn 3 2 black)

position The last row wins
state    (control white) (pawn 5 2 white) (pawn 1 2 black)
play     noop (move 5 2 4 1)
terminal yes
goals    0 100

position Who has lost all pawns has lost
state    (control black) (pawn 2 2 black) (pawn 3 3 white)
terminal no
play     (move 2 2 3 3) noop
terminal yes
goals    100 0
",
    ),
    (
        "lights-out",
        "
position The cross of the beginning goes out at once
beginning (time 0) (on 3 3) (on 2 3) (on 4 3) (on 3 2) (on 3 4)
terminal no
goals    0
play     (press 3 3)
terminal yes
goals    100

position Presses in a corner light three lamps, and time runs out
state    (time 23) (on 4 4)
play     (press 1 1)
holds    (on 1 1) (on 1 2) (on 2 1) (on 4 4)
terminal no
play     (press 1 1)
lacks    (on 1 1) (on 1 2) (on 2 1)
terminal yes
goals    0
",
    ),
    (
        "amazons",
        "
position An arrow blocks, and who cannot move loses
state    (turn black move) (queen 3 1 black) (queen 1 1 white) (arrow 1 2) (arrow 2 2)
terminal no
play     (move 3 1 2 1) noop
holds    (turn black shoot) (moved 2 1)
legal    black (shoot 3 1) (shoot 4 1) (shoot 5 1) (shoot 3 2) (shoot 4 3) (shoot 5 4)
play     (shoot 5 4) noop
terminal yes
goals    100 0
",
    ),
];

#[test]
fn matches_end_as_the_games_do() {
    for (family, text) in POSITIONS {
        let rules = rules(family, SMALL);
        for position in position::read(text).expect("well formed") {
            let checked = position.check(&mut Interpreter::new(&game(&rules)));
            assert_eq!(checked, Ok(true), "{family}: {}", position.name);
            let checked = position.check(&mut network(&rules));
            assert_eq!(checked, Ok(true), "{family}, network: {}", position.name);
        }
    }
}
