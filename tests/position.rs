//! Test positions: states given by facts, and what must hold in them and after given moves.
//!
//! The text form (`positions/NAME.txt`) is a sequence of lines, each a keyword and terms. An indented
//! line continues the line before it. A line that begins with `#` is a comment.
//!
//! ```text
//! position A pawn captures on row 8 and becomes a queen
//! state    (control white) (cell 2 7 white pawn) (cell 1 8 black rook)
//!                                        `beginning` instead: these are the initial state's facts
//! terminal no
//! legal    white (move 2 7 1 8)          all of them; none at all if no move follows
//! allows   white (move 2 7 1 8)          these among others
//! forbids  white (move 2 7 2 8)          none of these
//! goals    0 0                           in role order, `-` for none or several
//! play     (move 2 7 1 8) noop           a joint move; what follows is about the state after it
//! holds    (cell 1 8 white queen)        these among others
//! lacks    (cell 1 8 white pawn)         none of these
//! ```
//!
//! `unreachable` marks a position with facts that no sequence of moves makes true; a machine may refuse
//! it with [`EvalError::UnknownFact`]. `play` takes legal moves only. Invariant: a position that was
//! parsed has an expectation after its last `state` or `play`, so every position checks something.

use ggp_game::{EvalError, Fact, Move, Role, StateMachine};
use std::collections::BTreeSet;

/// A position and its expectations.
#[derive(Debug)]
pub struct Position {
    /// The description of the position.
    pub name: String,
    /// The number of its first line, from 1.
    pub line: usize,
    /// Whether no sequence of moves leads to the position.
    pub unreachable: bool,
    initial: bool,
    state: Vec<String>,
    clauses: Vec<(usize, Clause)>,
}

#[derive(Debug)]
enum Clause {
    Terminal(bool),
    Legal(String, BTreeSet<String>),
    Allows(String, Vec<String>),
    Forbids(String, Vec<String>),
    Goals(Vec<Option<u8>>),
    Play(Vec<String>),
    Holds(Vec<String>),
    Lacks(Vec<String>),
}

/// Parses the positions of `text`.
///
/// # Errors
/// The line that cannot be parsed, and the reason.
pub fn read(text: &str) -> Result<Vec<Position>, String> {
    let mut positions: Vec<Position> = Vec::new();
    for (line, entry) in entries(text) {
        let (keyword, rest) = entry.split_once(char::is_whitespace).unwrap_or((&entry, ""));
        let fail = |why: &str| Err(format!("line {line}: {why}"));
        if keyword == "position" {
            let name = rest.trim().to_owned();
            positions.push(Position {
                name,
                line,
                unreachable: false,
                initial: false,
                state: Vec::new(),
                clauses: Vec::new(),
            });
            continue;
        }
        let Some(position) = positions.last_mut() else { return fail("`position` must come first") };
        let mut terms = terms(rest).map_err(|why| format!("line {line}: {why}"))?;
        let clause = match keyword {
            "state" | "beginning" if position.state.is_empty() && position.clauses.is_empty() => {
                position.initial = keyword == "beginning";
                position.state = terms;
                continue;
            }
            "unreachable" if terms.is_empty() => {
                position.unreachable = true;
                continue;
            }
            "terminal" if terms == ["yes"] => Clause::Terminal(true),
            "terminal" if terms == ["no"] => Clause::Terminal(false),
            "legal" | "allows" | "forbids" if !terms.is_empty() => {
                let moves = terms.split_off(1);
                let role = terms.remove(0);
                match keyword {
                    "legal" => Clause::Legal(role, moves.into_iter().collect()),
                    "allows" if !moves.is_empty() => Clause::Allows(role, moves),
                    "forbids" if !moves.is_empty() => Clause::Forbids(role, moves),
                    _ => return fail("no move follows"),
                }
            }
            "goals" => Clause::Goals(terms.iter().map(|t| t.parse().ok()).collect()),
            "play" => Clause::Play(terms),
            "holds" if !terms.is_empty() => Clause::Holds(terms),
            "lacks" if !terms.is_empty() => Clause::Lacks(terms),
            _ => return fail(&format!("`{entry}` is no clause")),
        };
        position.clauses.push((line, clause));
    }
    for position in &positions {
        if position.state.is_empty() {
            return Err(format!("line {}: no state is given", position.line));
        }
        if position.clauses.last().is_none_or(|(_, last)| matches!(last, Clause::Play(_))) {
            return Err(format!("line {}: nothing is expected at the end", position.line));
        }
    }
    Ok(positions)
}

/// The lines with their numbers, without comments; indented lines are joined to the line before them.
fn entries(text: &str) -> Vec<(usize, String)> {
    let mut entries: Vec<(usize, String)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        match entries.last_mut() {
            Some((_, entry)) if line.starts_with(' ') => *entry += line,
            _ => entries.push((number + 1, line.to_owned())),
        }
    }
    entries
}

/// The terms of `text` in canonical form.
fn terms(text: &str) -> Result<Vec<String>, &'static str> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let (mut terms, mut depth) = (Vec::<String>::new(), 0usize);
    for token in spaced.split_whitespace() {
        if depth == 0 {
            terms.push(String::new());
        }
        let term = terms.last_mut().expect("pushed at depth 0");
        if token == ")" {
            depth = depth.checked_sub(1).ok_or("a `)` too many")?;
        } else if !term.is_empty() && !term.ends_with('(') {
            term.push(' ');
        }
        term.push_str(token);
        depth += usize::from(token == "(");
    }
    if depth > 0 { Err("a `)` is missing") } else { Ok(terms) }
}

impl Position {
    /// Builds the position in `machine` and checks its expectations. Returns `Ok(false)` if the machine
    /// does not know the facts of an unreachable position.
    ///
    /// # Errors
    /// The line whose expectation fails, and what holds instead.
    pub fn check<M: StateMachine>(&self, machine: &mut M) -> Result<bool, String> {
        let mut facts: Vec<Fact> = self.state.iter().map(|t| Fact::from_canonical(t.as_str())).collect();
        let built = if self.initial { machine.initial_state() } else { machine.state_of(&facts) };
        let mut state = match built {
            Err(EvalError::UnknownFact(_)) if self.unreachable => return Ok(false),
            state => state.map_err(|error| format!("line {}: {error}", self.line))?,
        };
        facts.sort_unstable();
        let mut seen = Vec::new();
        machine.facts(&state, &mut seen).map_err(|error| error.to_string())?;
        if seen != facts {
            return Err(format!("line {}: of {facts:?}, the state has {seen:?}", self.line));
        }
        for (line, clause) in &self.clauses {
            let outcome = clause.check(machine, &mut state);
            outcome.map_err(|why| format!("line {line}, `{}`: {why}", self.name))?;
        }
        Ok(true)
    }
}

impl Clause {
    fn check<M: StateMachine>(&self, machine: &mut M, state: &mut M::State) -> Result<(), String> {
        let text = |error: EvalError| error.to_string();
        match self {
            Clause::Terminal(expected) => {
                let terminal = machine.is_terminal(state).map_err(text)?;
                expect(terminal == *expected, || format!("terminal is {terminal}"))
            }
            Clause::Legal(role, moves) => {
                let legal = legal(machine, state, role)?;
                expect(legal == *moves, || format!("{role}'s legal moves are {legal:?}"))
            }
            Clause::Allows(role, moves) => {
                let legal = legal(machine, state, role)?;
                expect(moves.iter().all(|mv| legal.contains(mv)), || {
                    format!("{role}'s legal moves are {legal:?}")
                })
            }
            Clause::Forbids(role, moves) => {
                let legal = legal(machine, state, role)?;
                expect(!moves.iter().any(|mv| legal.contains(mv)), || {
                    format!("{role}'s legal moves are {legal:?}")
                })
            }
            Clause::Goals(expected) => {
                let mut goals = vec![ggp_game::Goals::None; machine.game().role_count()];
                machine.goals(state, &mut goals).map_err(text)?;
                let goals: Vec<Option<u8>> =
                    goals.iter().map(|goals| goals.only().map(ggp_game::Goal::value)).collect();
                expect(goals == *expected, || format!("the goals are {goals:?}"))
            }
            Clause::Play(moves) => {
                *state = play(machine, state, moves)?;
                Ok(())
            }
            Clause::Holds(expected) => {
                let facts = facts(machine, state)?;
                expect(expected.iter().all(|fact| facts.contains(fact)), || {
                    format!("what holds is {facts:?}")
                })
            }
            Clause::Lacks(expected) => {
                let facts = facts(machine, state)?;
                expect(!expected.iter().any(|fact| facts.contains(fact)), || {
                    format!("what holds is {facts:?}")
                })
            }
        }
    }
}

fn expect(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

fn facts<M: StateMachine>(machine: &mut M, state: &M::State) -> Result<BTreeSet<String>, String> {
    let mut facts = Vec::new();
    machine.facts(state, &mut facts).map_err(|error| error.to_string())?;
    Ok(facts.iter().map(|fact| fact.as_str().to_owned()).collect())
}

fn legal<M: StateMachine>(machine: &mut M, state: &M::State, role: &str) -> Result<BTreeSet<String>, String> {
    let role = machine.game().role_named(role).ok_or_else(|| format!("`{role}` is no role"))?;
    let mut legal = Vec::new();
    machine.legal_moves(state, role, &mut legal).map_err(|error| error.to_string())?;
    Ok(legal.iter().map(|&mv| machine.move_text(mv).to_owned()).collect())
}

fn play<M: StateMachine>(machine: &mut M, state: &M::State, moves: &[String]) -> Result<M::State, String> {
    let roles = machine.game().role_count();
    expect(moves.len() == roles, || format!("{} moves for {roles} roles", moves.len()))?;
    let mut joint: Vec<Move> = Vec::with_capacity(roles);
    let mut legal = Vec::new();
    for (number, text) in moves.iter().enumerate() {
        machine.legal_moves(state, Role(number as u8), &mut legal).map_err(|error| error.to_string())?;
        let mv = legal.iter().copied().find(|&mv| machine.move_text(mv) == text);
        joint.push(mv.ok_or_else(|| format!("`{text}` is not legal"))?);
    }
    machine.next_state(state, &joint).map_err(|error| error.to_string())
}
