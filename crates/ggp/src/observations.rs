//! The observations of a role in a match.

use crate::error::Error;
use crate::reasoner::Reasoner;
use ggp_game::{OwnedObservation, Role, StateMachine};

impl Reasoner {
    /// The observations of `role` in a match in which `joints` are the joint moves from the initial state on, each with one
    /// text for each role. In a game of hidden information they hold the role's own moves and its percepts, else the joint
    /// moves. [`advice`](crate::advice) takes them.
    ///
    /// # Errors
    /// [`Error::JointMove`] if a move is not legal, and the errors of the evaluation.
    ///
    /// # Examples
    /// ```
    /// use ggp::{OwnedObservation, Reasoner};
    /// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
    /// let game = ggp::load("games/kuhn_poker.kif")?;
    /// let deal = ["wait", "wait", "(deal queen king)"].map(str::to_owned).to_vec();
    /// let seen = Reasoner::new(&game)?.observations(game.role("second")?, &[deal])?;
    /// let OwnedObservation::Percepts { turn: 1, own, seen } = &seen[1] else { panic!("{seen:?}") };
    /// assert_eq!((own.as_str(), seen[0].as_str()), ("wait", "(dealt king)"));
    /// # Ok::<(), ggp::Error>(())
    /// ```
    pub fn observations(
        &mut self,
        role: Role,
        joints: &[Vec<String>],
    ) -> Result<Vec<OwnedObservation>, Error> {
        let mut observations = vec![OwnedObservation::Start];
        let mut state = self.initial_state()?;
        let has_percepts = self.game().has_percepts();
        for (turn, joint) in (1..).zip(joints) {
            let moves = self.parse_legal_joint(&state, joint)?;
            observations.push(if has_percepts {
                let mut seen = Vec::new();
                self.percepts(&state, &moves, role, &mut seen)?;
                OwnedObservation::Percepts { turn, own: joint[role.index()].clone(), seen }
            } else {
                OwnedObservation::Moves(joint.clone())
            });
            state = self.next_state(&state, &moves)?;
        }
        Ok(observations)
    }
}
