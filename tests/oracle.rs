//! The answers of a reference implementation for one game, and their comparison with a state machine. The
//! README of the corpus describes the format.

use ggp_game::{EvalError, Fact, Goals, Move, Role, StateMachine, perft};
use serde::Deserialize;

/// The answers of the reference implementation for one game.
#[derive(Deserialize, Debug)]
pub struct Oracle {
    /// The roles, in order.
    pub roles: Vec<String>,
    /// The number of fluents in the initial state.
    pub n_init: Option<usize>,
    /// The hash of the initial state's fluents.
    pub init_hash: Option<String>,
    /// Whether the initial state is terminal.
    pub init_terminal: Option<bool>,
    /// Numbers of joint-move sequences by depth.
    #[serde(default)]
    pub perft: Vec<u64>,
    /// The numbers of the next depths, as far as they were computed.
    #[serde(default)]
    pub perft_extra: Vec<u64>,
    /// Random playouts.
    #[serde(default)]
    pub playouts: Vec<Playout>,
}

/// A recorded playout.
#[derive(Deserialize, Debug)]
pub struct Playout {
    /// The steps.
    pub steps: Vec<Step>,
    /// The goals of the last state.
    #[serde(default)]
    pub goals: Vec<Option<i64>>,
}

/// A step of a playout.
#[derive(Deserialize, Debug)]
pub struct Step {
    /// The legal moves before the step, by role.
    pub legal: Vec<Legal>,
    /// The joint move.
    #[serde(rename = "move")]
    pub joint: Vec<String>,
    /// The number of fluents in the state after the step.
    pub nprops: Option<usize>,
    /// The hash of these fluents.
    pub hash: Option<String>,
    /// Whether the state after the step is terminal.
    #[serde(alias = "terminal_after")]
    pub terminal: bool,
}

/// The legal moves of one role.
#[derive(Deserialize, Debug)]
pub struct Legal {
    /// The number of legal moves.
    pub n: usize,
    /// The hash of the legal moves.
    pub h: String,
    /// The legal moves; recorded for the first steps only.
    pub moves: Option<Vec<String>>,
}

/// A difference between a machine and an oracle, or between two machines.
#[derive(Debug)]
pub enum Difference {
    /// The answers differ.
    Disagreed(String),
    /// The machine failed to evaluate.
    Failed(EvalError),
}

impl From<EvalError> for Difference {
    fn from(error: EvalError) -> Self {
        Difference::Failed(error)
    }
}

fn equal<T: PartialEq + std::fmt::Debug>(
    what: impl Fn() -> String,
    ours: &T,
    theirs: &T,
) -> Result<(), Difference> {
    if ours == theirs {
        return Ok(());
    }
    Err(Difference::Disagreed(format!("{}: ours {ours:?}, the oracle's {theirs:?}", what())))
}

impl Oracle {
    /// Compares the initial state and the playouts.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare_playouts<M: StateMachine>(&self, machine: &mut M) -> Result<(), Difference> {
        let game = machine.game().clone();
        let roles: Vec<String> = game.roles().map(|r| game.role_name(r).to_owned()).collect();
        equal(|| "roles".to_owned(), &roles, &self.roles)?;
        let initial = machine.initial_state()?;
        let at = || "initial state".to_owned();
        compare_state(machine, &initial, self.n_init, self.init_hash.as_deref(), &at)?;
        if let Some(terminal) = self.init_terminal {
            equal(|| "initial state terminal".to_owned(), &machine.is_terminal(&initial)?, &terminal)?;
        }
        for (number, playout) in self.playouts.iter().enumerate() {
            playout.compare(machine, &initial, number)?;
        }
        Ok(())
    }

    /// Compares the numbers of joint-move sequences, to the depth of the oracle.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare_perft<M: StateMachine>(&self, machine: &mut M) -> Result<(), Difference> {
        let theirs: Vec<u64> = self.perft.iter().chain(&self.perft_extra).copied().collect();
        let Some(depth) = theirs.len().checked_sub(1) else { return Ok(()) };
        let initial = machine.initial_state()?;
        let ours = perft(machine, &initial, depth as u32)?;
        equal(|| "perft".to_owned(), &ours, &theirs)
    }
}

impl Playout {
    fn compare<M: StateMachine>(
        &self,
        machine: &mut M,
        initial: &M::State,
        number: usize,
    ) -> Result<(), Difference> {
        let mut state = initial.clone();
        let mut legal: Vec<Move> = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            for (role, theirs) in step.legal.iter().enumerate() {
                machine.legal_moves(&state, Role(role as u8), &mut legal)?;
                let texts: Vec<&str> = legal.iter().map(|&mv| machine.move_text(mv)).collect();
                let what = || format!("playout {number}, step {at}, role {role}, legal moves {texts:?}");
                equal(|| format!("{}, count", what()), &texts.len(), &theirs.n)?;
                if let Some(moves) = &theirs.moves {
                    equal(what, &texts, &moves.iter().map(String::as_str).collect())?;
                }
                equal(|| format!("{}, hash", what()), &hash(&texts), &theirs.h)?;
            }
            let joint = machine.parse_joint(&step.joint);
            let unknown = |error| Difference::Disagreed(format!("playout {number}, step {at}: {error}"));
            let joint = joint.map_err(unknown)?;
            state = machine.next_state(&state, &joint)?;
            let what = || format!("playout {number}, after step {at}");
            compare_state(machine, &state, step.nprops, step.hash.as_deref(), &what)?;
            let terminal = machine.is_terminal(&state)?;
            equal(|| format!("{}, terminal", what()), &terminal, &step.terminal)?;
        }
        let mut goals = vec![Goals::None; machine.game().role_count()];
        machine.goals(&state, &mut goals)?;
        let goals: Vec<Option<i64>> =
            goals.iter().map(|goals| goals.only().map(|goal| i64::from(goal.value()))).collect();
        if self.goals.is_empty() {
            Ok(())
        } else {
            equal(|| format!("playout {number}, goals"), &goals, &self.goals)
        }
    }
}

fn compare_state<M: StateMachine>(
    machine: &mut M,
    state: &M::State,
    count: Option<usize>,
    their_hash: Option<&str>,
    at: &dyn Fn() -> String,
) -> Result<(), Difference> {
    let mut facts: Vec<Fact> = Vec::new();
    machine.facts(state, &mut facts)?;
    let texts: Vec<&str> = facts.iter().map(Fact::as_str).collect();
    if let Some(count) = count {
        equal(|| format!("{}, number of fluents of {texts:?}", at()), &texts.len(), &count)?;
    }
    if let Some(theirs) = their_hash {
        equal(|| format!("{}, hash of {texts:?}", at()), &hash(&texts).as_str(), &theirs)?;
    }
    Ok(())
}

/// The 64-bit FNV-1a hash of sorted texts joined by line feeds, in hexadecimal.
pub fn hash(sorted: &[&str]) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for (number, text) in sorted.iter().enumerate() {
        let separator: &[u8] = if number == 0 { b"" } else { b"\n" };
        for &byte in separator.iter().chain(text.as_bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}
