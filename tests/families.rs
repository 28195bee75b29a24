//! Families of rulesheets: one game, written for boards of any size. The program `measure growth` measures how the
//! time and the memory of building a network grow with the size.

use std::fmt::Write as _;

/// A game on a board of `n` by `n`.
pub struct Family {
    /// The name, unique among the families.
    pub name: &'static str,
    /// The sizes that are measured, ascending.
    pub sizes: &'static [usize],
    rules: fn(usize) -> String,
}

/// Sizes up to boards whose networks take a quarter of a second or more to build.
const TO_49: &[usize] = &[5, 7, 9, 11, 13, 15, 17, 19, 25, 31, 37, 43, 49];

/// The same for rules that have instances for each pair of cells on a line.
const TO_19: &[usize] = &[5, 6, 7, 8, 9, 11, 13, 15, 17, 19];

/// All families.
pub const ALL: [Family; 5] = [
    Family { name: "hex", sizes: TO_49, rules: hex },
    Family { name: "gomoku", sizes: TO_49, rules: gomoku },
    Family { name: "breakthrough", sizes: TO_49, rules: breakthrough },
    Family { name: "lights-out", sizes: TO_49, rules: lights_out },
    Family { name: "amazons", sizes: TO_19, rules: amazons },
];

impl Family {
    /// The family of the name `name`.
    pub fn named(name: &str) -> Option<&'static Family> {
        const { &ALL }.iter().find(|family| family.name == name)
    }

    /// The text of the rulesheet for the size `n`, at least 4.
    pub fn rulesheet(&self, n: usize) -> String {
        (self.rules)(n)
    }
}

/// The facts `(index 1)` … `(index n)` and `(succ 1 2)` … for the numbers of rows and columns.
fn indices(n: usize) -> String {
    let mut text: String = (1..=n).map(|i| format!("(index {i})\n")).collect();
    (1..n).for_each(|i| _ = writeln!(text, "(succ {i} {})", i + 1));
    text
}

/// Two roles that move by turns: the facts of who moves, and the move of who waits.
const TURNS: &str = "
(role black) (role white)
(opponent black white) (opponent white black)
(init (control black))
(<= (next (control ?other)) (true (control ?player)) (opponent ?player ?other))
(<= (legal ?player noop) (opponent ?player ?other) (true (control ?other)))
";

/// Stones are placed on empty cells and stay.
const STONES: &str = "
(<= (occupied ?x ?y) (true (stone ?x ?y ?player)))
(<= (legal ?player (place ?x ?y))
    (true (control ?player)) (index ?x) (index ?y) (not (occupied ?x ?y)))
(<= (next (stone ?x ?y ?player)) (does ?player (place ?x ?y)))
(<= (next (stone ?x ?y ?player)) (true (stone ?x ?y ?player)))
";

/// A full board ends a match.
const FULL: &str = "
(<= open (index ?x) (index ?y) (not (occupied ?x ?y)))
(<= terminal (not open))
";

/// A player that has `won` gets 100, and the opponent 0. If no player has won, both get 50.
const WINNER: &str = "
(<= decided (won ?player))
(<= terminal decided)
(<= (goal ?player 100) (won ?player))
(<= (goal ?player 0) (opponent ?player ?other) (won ?other))
(<= (goal ?player 50) (role ?player) (not decided))
";

/// A chain of stones joins two opposite edges of a rhombus.
fn hex(n: usize) -> String {
    format!(
        "{TURNS}{STONES}{WINNER}{}
(<= (beside ?x ?y ?x ?z) (index ?x) (succ ?y ?z))
(<= (beside ?x ?y ?z ?y) (index ?y) (succ ?x ?z))
(<= (beside ?x ?v ?w ?y) (succ ?x ?w) (succ ?y ?v))
(<= (near ?x ?y ?v ?w) (beside ?x ?y ?v ?w))
(<= (near ?x ?y ?v ?w) (beside ?v ?w ?x ?y))
(<= (joined black ?x 1) (true (stone ?x 1 black)))
(<= (joined white 1 ?y) (true (stone 1 ?y white)))
(<= (joined ?player ?v ?w) (joined ?player ?x ?y) (near ?x ?y ?v ?w) (true (stone ?v ?w ?player)))
(<= (won black) (joined black ?x {n}))
(<= (won white) (joined white {n} ?y))
",
        indices(n)
    )
}

/// Five stones in a row win.
fn gomoku(n: usize) -> String {
    let five = |steps: &[&str]| -> String {
        let cells = "abcde".chars().map(|at| {
            let x = if steps.contains(&"x") { format!("?x{at}") } else { "?x".to_owned() };
            let y = if steps.contains(&"y") || steps.contains(&"-y") {
                format!("?y{at}")
            } else {
                "?y".to_owned()
            };
            format!("\n    (true (stone {x} {y} ?player))")
        });
        let mut conditions = String::new();
        for pair in ["ab", "bc", "cd", "de"] {
            let (from, to) = pair.split_at(1);
            for step in steps {
                let _ = match *step {
                    "-y" => write!(conditions, " (succ ?y{to} ?y{from})"),
                    axis => write!(conditions, " (succ ?{axis}{from} ?{axis}{to})"),
                };
            }
        }
        format!("(<= (won ?player)\n   {conditions}{})\n", cells.collect::<String>())
    };
    let lines = [five(&["x"]), five(&["y"]), five(&["x", "y"]), five(&["x", "-y"])].concat();
    format!("{TURNS}{STONES}{WINNER}{}{FULL}{lines}", indices(n))
}

/// Pawns step forwards or capture diagonally, and the first on the opposite edge wins.
fn breakthrough(n: usize) -> String {
    format!(
        "{TURNS}{WINNER}{}
(<= (init (pawn ?x 1 black)) (index ?x)) (<= (init (pawn ?x 2 black)) (index ?x))
(<= (init (pawn ?x {n} white)) (index ?x)) (<= (init (pawn ?x {} white)) (index ?x))
(<= (forward black ?y ?z) (succ ?y ?z))
(<= (forward white ?y ?z) (succ ?z ?y))
(<= (aside ?x ?z) (succ ?x ?z))
(<= (aside ?x ?z) (succ ?z ?x))
(<= (occupied ?x ?y) (true (pawn ?x ?y ?player)))
(<= (legal ?player (move ?x ?y ?x ?z))
    (true (control ?player)) (true (pawn ?x ?y ?player)) (forward ?player ?y ?z) (not (occupied ?x ?z)))
(<= (legal ?player (move ?x ?y ?w ?z))
    (true (control ?player)) (true (pawn ?x ?y ?player)) (forward ?player ?y ?z) (aside ?x ?w)
    (not (true (pawn ?w ?z ?player))))
(<= (left ?x ?y) (does ?player (move ?x ?y ?w ?z)))
(<= (entered ?x ?y) (does ?player (move ?v ?w ?x ?y)))
(<= (next (pawn ?x ?y ?player)) (does ?player (move ?v ?w ?x ?y)))
(<= (next (pawn ?x ?y ?player)) (true (pawn ?x ?y ?player)) (not (left ?x ?y)) (not (entered ?x ?y)))
(<= (won black) (true (pawn ?x {n} black)))
(<= (won white) (true (pawn ?x 1 white)))
(<= (remains ?player) (true (pawn ?x ?y ?player)))
(<= (won ?player) (opponent ?player ?other) (not (remains ?other)))
",
        indices(n),
        n - 1
    )
}

/// A lamp that is pressed changes with its neighbours. The puzzle is solved when all lamps are out. It begins with
/// a cross of burning lamps in the middle, and ends after as many steps as there are lamps.
fn lights_out(n: usize) -> String {
    let middle = n.div_ceil(2);
    let times: String = (0..n * n).map(|t| format!("(then {t} {})\n", t + 1)).collect();
    format!(
        "(role player)
{}{times}
(init (time 0)) (init (on {middle} {middle}))
(<= (init (on ?x {middle})) (close ?x {middle}))
(<= (init (on {middle} ?y)) (close {middle} ?y))
(<= (close ?x ?z) (succ ?x ?z))
(<= (close ?x ?z) (succ ?z ?x))
(<= (legal player (press ?x ?y)) (index ?x) (index ?y))
(<= (turned ?x ?y) (does player (press ?x ?y)))
(<= (turned ?x ?y) (does player (press ?z ?y)) (close ?x ?z))
(<= (turned ?x ?y) (does player (press ?x ?z)) (close ?y ?z))
(<= (next (on ?x ?y)) (true (on ?x ?y)) (not (turned ?x ?y)))
(<= (next (on ?x ?y)) (turned ?x ?y) (not (true (on ?x ?y))))
(<= (next (time ?later)) (true (time ?now)) (then ?now ?later))
(<= burning (true (on ?x ?y)))
(<= terminal (not burning))
(<= terminal (true (time {})))
(<= (goal player 100) (not burning))
(<= (goal player 0) burning)
",
        indices(n),
        n * n
    )
}

/// Each side has two queens, which move and then shoot an arrow that blocks a cell for ever. A player that cannot
/// move loses.
fn amazons(n: usize) -> String {
    let third = n.div_ceil(3);
    let far = n + 1 - third;
    format!(
        "(role black) (role white)
(opponent black white) (opponent white black)
{}
(init (turn black move))
(init (queen {third} 1 black)) (init (queen {far} 1 black))
(init (queen {third} {n} white)) (init (queen {far} {n} white))
(<= (step north ?x ?y ?x ?z) (index ?x) (succ ?y ?z))
(<= (step east ?x ?y ?z ?y) (index ?y) (succ ?x ?z))
(<= (step northeast ?x ?y ?v ?w) (succ ?x ?v) (succ ?y ?w))
(<= (step northwest ?x ?y ?v ?w) (succ ?v ?x) (succ ?y ?w))
(<= (step south ?x ?y ?v ?w) (step north ?v ?w ?x ?y))
(<= (step west ?x ?y ?v ?w) (step east ?v ?w ?x ?y))
(<= (step southwest ?x ?y ?v ?w) (step northeast ?v ?w ?x ?y))
(<= (step southeast ?x ?y ?v ?w) (step northwest ?v ?w ?x ?y))
(<= (blocked ?x ?y) (true (queen ?x ?y ?player)))
(<= (blocked ?x ?y) (true (arrow ?x ?y)))
(<= (reaches ?way ?x ?y ?v ?w) (step ?way ?x ?y ?v ?w) (not (blocked ?v ?w)))
(<= (reaches ?way ?x ?y ?v ?w)
    (reaches ?way ?x ?y ?s ?t) (step ?way ?s ?t ?v ?w) (not (blocked ?v ?w)))
(<= (legal ?player (move ?x ?y ?v ?w))
    (true (turn ?player move)) (true (queen ?x ?y ?player)) (reaches ?way ?x ?y ?v ?w))
(<= (legal ?player (shoot ?v ?w))
    (true (turn ?player shoot)) (true (moved ?x ?y)) (reaches ?way ?x ?y ?v ?w))
(<= (legal ?player noop) (opponent ?player ?other) (true (turn ?other ?task)))
(<= (next (turn ?player shoot)) (true (turn ?player move)))
(<= (next (turn ?other move)) (true (turn ?player shoot)) (opponent ?player ?other))
(<= (left ?x ?y) (does ?player (move ?x ?y ?v ?w)))
(<= (next (queen ?v ?w ?player)) (does ?player (move ?x ?y ?v ?w)))
(<= (next (queen ?x ?y ?player)) (true (queen ?x ?y ?player)) (not (left ?x ?y)))
(<= (next (moved ?v ?w)) (does ?player (move ?x ?y ?v ?w)))
(<= (next (arrow ?x ?y)) (does ?player (shoot ?x ?y)))
(<= (next (arrow ?x ?y)) (true (arrow ?x ?y)))
(<= mobile
    (true (turn ?player move)) (true (queen ?x ?y ?player)) (step ?way ?x ?y ?v ?w) (not (blocked ?v ?w)))
(<= stuck (true (turn ?player move)) (not mobile))
(<= terminal stuck)
(<= (goal ?player 0) stuck (true (turn ?player move)))
(<= (goal ?player 100) stuck (opponent ?player ?other) (true (turn ?other move)))
(<= (goal ?player 50) (role ?player) (not stuck))
",
        indices(n)
    )
}
