//! All successors of many states.

use crate::batch_error::BatchError;
use crate::reasoner::{Reasoner, State};
use ggp_game::{Batches, JointMoves, Move, Role, StopToken};

/// The successors of some states.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expansion {
    /// Where the successors of each state begin, and one place more. Terminal states have none.
    pub begins: Vec<usize>,
    /// The joint action that leads to each successor, one action a role.
    pub actions: Vec<i32>,
    /// The fluents of each successor as bits (see [`State::words`]).
    pub successors: Vec<u64>,
}

/// The largest number of successors.
const MAX_SUCCESSORS: usize = 1 << 24;
/// The number of states whose legal moves are found together.
const STATES: usize = 64;

impl Reasoner {
    /// All successors of `states`, in the order of their joint moves.
    ///
    /// # Errors
    /// [`BatchError::NoNetwork`]; [`BatchError::TooLarge`] for more than 2^24 successors; [`BatchError::Eval`] soon after
    /// `stop` is raised.
    ///
    /// # Examples
    /// ```
    /// use ggp::{Reasoner, StateMachine, StopToken};
    /// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
    /// let mut reasoner = Reasoner::new(&ggp::load("games/rock_paper_scissors.kif")?)?;
    /// let start = reasoner.initial_state()?;
    /// let found = reasoner.expand(&[start], &StopToken::new())?;
    /// assert_eq!(found.begins, [0, 9]);
    /// # Ok::<(), ggp::Error>(())
    /// ```
    pub fn expand(&self, states: &[State], stop: &StopToken) -> Result<Expansion, BatchError> {
        let mut machine = self.as_network().ok_or(BatchError::NoNetwork)?.clone();
        let own: Vec<_> =
            states.iter().map(|state| state.network()).collect::<Option<_>>().ok_or(BatchError::NoNetwork)?;
        let roles = machine.net().roles().len();
        let mut found = Expansion { begins: vec![0], ..Expansion::default() };
        let (mut legal, mut over, mut goals, mut next) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut joints, mut parents): (Vec<Move>, Vec<_>) = (Vec::new(), Vec::new());
        for states in own.chunks(STATES) {
            stop.check()?;
            machine.all_legal_moves(states, &mut legal)?;
            machine.outcomes(states, &mut over, &mut goals)?;
            for ((state, legal), &over) in states.iter().zip(legal.chunks(roles)).zip(&over) {
                joints.clear();
                parents.clear();
                let mut all = JointMoves::new(legal);
                while !over && let Some(joint) = all.next() {
                    joints.extend_from_slice(joint);
                    parents.push(*state);
                    let count = found.actions.len() / roles + parents.len();
                    if count > MAX_SUCCESSORS {
                        let what =
                            format!("there are more than {MAX_SUCCESSORS} successors: expand fewer states");
                        return Err(BatchError::TooLarge(what));
                    }
                }
                machine.next_states(&parents, &joints, &mut next)?;
                found.successors.extend(next.iter().flat_map(ggp_propnet::BitState::words));
                let actions = joints.iter().enumerate().map(|(at, &mv)| {
                    let action = machine.action_of(Role((at % roles) as u8), mv);
                    action.map_or(-1, u32::cast_signed)
                });
                found.actions.extend(actions);
                found.begins.push(found.actions.len() / roles);
            }
        }
        Ok(found)
    }
}
