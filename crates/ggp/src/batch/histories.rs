//! The observations of the roles of a game of hidden information in the running episodes: their moves and percepts.

use super::{Batch, Inner};
use crate::batch_error::BatchError;
use ggp_game::{Fact, OwnedObservation, Role};

/// The observations of each role in a lane's episode.
#[derive(Clone, Default)]
pub(super) struct History {
    episode: u32,
    steps: u32,
    /// For each role, its observations from the start on.
    of_roles: Vec<Vec<OwnedObservation>>,
}

impl Batch {
    /// The observations of `role` in the lane's episode.
    pub(super) fn observations(&self, lane: usize, role: Role) -> &[OwnedObservation] {
        &self.histories[lane].of_roles[role.index()]
    }

    /// Begins the histories of episodes that have made no step.
    ///
    /// # Errors
    /// [`BatchError::UnseenSteps`] if steps of an episode are not in its history.
    pub(super) fn begin_histories(&mut self) -> Result<(), BatchError> {
        let (mut steps, mut episodes, mut over) =
            (vec![0; self.lanes], vec![0; self.lanes], vec![0; self.lanes]);
        self.write_steps(&mut steps);
        self.write_episodes(&mut episodes);
        self.write_over(&mut over);
        self.histories.resize(self.lanes, History::default());
        let roles = self.roles;
        for (lane, history) in self.histories.iter_mut().enumerate().filter(|(lane, _)| over[*lane] == 0) {
            if steps[lane] == 0 {
                let of_roles = vec![vec![OwnedObservation::Start]; roles];
                *history = History { episode: episodes[lane], steps: 0, of_roles };
            } else if (history.episode, history.steps) != (episodes[lane], steps[lane]) {
                return Err(BatchError::UnseenSteps(lane));
            }
        }
        Ok(())
    }

    /// The texts of the moves of all roles in the lanes that `moving` accepts, if `actions` has an action for each lane
    /// and role.
    pub(super) fn move_texts(&self, actions: &[i32], moving: &[bool]) -> Vec<(usize, Vec<String>)> {
        let size = self.size();
        let text = |lane: usize, role: usize| {
            let action = actions[lane * self.roles + role];
            let text = match &self.inner {
                Inner::Network(_) => self.reasoner.move_at(Role(role as u8), action),
                Inner::OneByOne(blocks) => blocks[lane / size].move_text(
                    lane % size,
                    role,
                    usize::try_from(action).unwrap_or(usize::MAX),
                ),
            };
            text.unwrap_or_default().to_owned()
        };
        let lanes = (0..self.lanes).filter(|&lane| moving[lane]);
        lanes.map(|lane| (lane, (0..self.roles).map(|role| text(lane, role)).collect())).collect()
    }

    /// Adds the last step of the lanes of `moves`, in which the roles have made these moves.
    pub(super) fn add_to_histories(&mut self, moves: Vec<(usize, Vec<String>)>) {
        let (mut steps, mut over) = (vec![0; self.lanes], vec![0; self.lanes]);
        self.write_steps(&mut steps);
        self.write_over(&mut over);
        for (lane, joint) in moves.into_iter().filter(|(lane, _)| over[*lane] == 0) {
            for (role, own) in joint.into_iter().enumerate() {
                let seen = self.percepts(lane, Role(role as u8));
                let turn = OwnedObservation::Percepts { turn: steps[lane], own, seen };
                self.histories[lane].of_roles[role].push(turn);
            }
            self.histories[lane].steps = steps[lane];
        }
    }

    /// The percepts of `role` in the last step of the lane's episode, sorted. There are none before the first step, and
    /// in a game without percepts.
    pub fn percepts(&self, lane: usize, role: Role) -> Vec<Fact> {
        let (block, lane) = (lane / self.size(), lane % self.size());
        let mut seen: Vec<Fact> = match &self.inner {
            Inner::Network(blocks) => blocks[block].percepts(lane, role.index()).cloned().collect(),
            Inner::OneByOne(blocks) => blocks[block].percepts(lane, role.index()).to_vec(),
        };
        seen.sort_unstable();
        seen
    }

    /// The lanes in which `role` has got a percept in the last step.
    pub(super) fn perceiving(&self, role: Role) -> Vec<bool> {
        let (size, lanes) = (self.size(), self.lanes);
        match &self.inner {
            Inner::Network(blocks) => {
                let mut perceives = vec![0; lanes];
                let parts = blocks.iter().zip(perceives.chunks_mut(size));
                parts.for_each(|(block, out)| block.write_perceiving(role.index(), out));
                perceives.into_iter().map(|byte| byte == 1).collect()
            }
            Inner::OneByOne(blocks) => (0..lanes)
                .map(|lane| !blocks[lane / size].percepts(lane % size, role.index()).is_empty())
                .collect(),
        }
    }
}
