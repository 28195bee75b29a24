//! Steps of one role against opponents inside: the other roles move until the role is asked again.

use super::thought::{Known, Thought};
use super::{Batch, Inner};
use crate::batch_error::BatchError;
use crate::spec::information_set_options;
use ggp_game::{Role, StateMachine, StopToken};
use ggp_search::{MctsOptions, PlayerSpec};

/// How the other roles move.
#[derive(Clone, Debug)]
pub enum Opponents {
    /// At random.
    Random,
    /// By a tree search with this number of iterations for each move. In a game of hidden information it is an
    /// information-set search, which knows what its role has seen.
    Search(Box<MctsOptions>, u64),
}

impl Opponents {
    /// The opponents that `spec` describes: `random`, or `mcts` with the option `iterations`.
    ///
    /// # Errors
    /// When `spec` describes another player, or a search without a number of iterations.
    ///
    /// # Examples
    /// ```
    /// use ggp::Opponents;
    /// assert!(matches!("mcts:iterations=200".parse(), Ok(Opponents::Search(_, 200))));
    /// assert!("mcts".parse::<Opponents>().is_err());
    /// ```
    pub fn of(spec: &PlayerSpec) -> Result<Opponents, UnfitOpponents> {
        match spec {
            PlayerSpec::Random(_) => Ok(Opponents::Random),
            PlayerSpec::Mcts(options) => match options.iterations {
                Some(iterations) => Ok(Opponents::Search(Box::new(options.clone()), iterations)),
                None => Err(UnfitOpponents::NoIterations),
            },
        }
    }
}

/// The reason why a text describes no opponents.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum UnfitOpponents {
    /// A search needs a number of iterations, so that its moves do not depend on the machine.
    #[error("opponents that search need a number of iterations: mcts:iterations=200")]
    NoIterations,
    /// The text describes no player.
    #[error(transparent)]
    Spec(#[from] ggp_search::SpecError),
}

impl std::str::FromStr for Opponents {
    type Err = UnfitOpponents;

    fn from_str(text: &str) -> Result<Opponents, UnfitOpponents> {
        Opponents::of(&text.parse()?)
    }
}

impl Batch {
    /// Makes steps until `role` is asked in each lane whose episode is not over: until it has a choice, or, in a game of
    /// hidden information, has got percepts, which the next step would replace. The first step makes the role's
    /// `actions`, one for each lane; the opponents choose the moves of the other roles. Lanes in which the role is asked
    /// wait for the others. Without `actions`, lanes in which the role is asked make no step.
    ///
    /// Rewards and ends are those of all steps together.
    ///
    /// # Errors
    /// As [`Batch::step`]. In a game of hidden information, [`BatchError::UnseenSteps`] if the opponents search and an
    /// episode has made steps without them. Once `stop` is raised, [`BatchError::Eval`]: some lanes may then have made
    /// more steps than others.
    pub fn step_against(
        &mut self,
        role: Role,
        actions: Option<&[i32]>,
        opponents: &Opponents,
        stop: &StopToken,
    ) -> Result<(), BatchError> {
        let outcome = self.steps_against(role, actions, opponents, stop);
        self.pause(|_| false);
        outcome
    }

    fn steps_against(
        &mut self,
        role: Role,
        actions: Option<&[i32]>,
        opponents: &Opponents,
        stop: &StopToken,
    ) -> Result<(), BatchError> {
        let roles = self.roles;
        let mut ended = Vec::new();
        self.earlier.clear();
        self.has_stepped = false;
        let has_percepts = self.reasoner.game().has_percepts();
        let mut keeps_histories = false;
        if let Opponents::Search(options, _) = opponents
            && has_percepts
        {
            let spec = PlayerSpec::Mcts(*options.clone());
            information_set_options(&spec).map_err(|error| BatchError::Opponents(error.to_string()))?;
            self.begin_histories()?;
            keeps_histories = true;
        }
        let mut own = actions;
        loop {
            stop.check()?;
            // 1. The lanes that step.
            let chooses = self.choosing(role);
            let mut asked = chooses.clone();
            if has_percepts {
                asked
                    .iter_mut()
                    .zip(self.perceiving(role))
                    .for_each(|(asked, perceives)| *asked |= perceives);
            }
            let waits = |lane: usize| own.is_none() && asked[lane];
            let mut over = vec![0; self.lanes];
            self.write_over(&mut over);
            if (0..self.lanes).all(|lane| over[lane] == 1 || waits(lane)) {
                break;
            }
            self.pause(waits);
            // 2. All actions.
            let mut all = vec![-1; self.lanes * roles];
            for lane in (0..self.lanes).filter(|&lane| over[lane] == 0 && !waits(lane)) {
                if let Some(own) = own
                    && asked[lane]
                {
                    all[lane * roles + role.index()] = own[lane];
                }
            }
            let moving: Vec<bool> = (0..self.lanes).map(|lane| over[lane] == 0 && !waits(lane)).collect();
            self.choose_others(role, opponents, &moving, &mut all, stop)?;
            // 3. The step.
            let moves = if keeps_histories {
                self.complete(&mut all, |lane, one| one == role.index() && chooses[lane]);
                self.move_texts(&all, &moving)
            } else {
                Vec::new()
            };
            self.step(Some(&all))?;
            self.add_to_histories(moves);
            self.for_each_ended(|lane| ended.push(lane));
            own = None;
        }
        self.earlier = ended;
        Ok(())
    }

    /// Puts drawn actions where `actions` has none, except for the lanes and roles that `is_needed` accepts.
    fn complete(&mut self, actions: &mut [i32], is_needed: impl Fn(usize, usize) -> bool) {
        let roles = self.roles;
        let mut drawn = vec![-1; actions.len()];
        self.write_drawn(&mut drawn);
        for (at, (action, drawn)) in actions.iter_mut().zip(drawn).enumerate() {
            if *action < 0 && !is_needed(at / roles, at % roles) {
                *action = drawn;
            }
        }
    }

    /// The lanes in which `role` has several legal moves.
    fn choosing(&mut self, role: Role) -> Vec<bool> {
        let (size, lanes) = (self.size(), self.lanes);
        match &mut self.inner {
            Inner::Network(blocks) => {
                let mut chooses = vec![0; lanes];
                let parts = blocks.iter_mut().zip(chooses.chunks_mut(size));
                parts.for_each(|(block, out)| block.write_choosing(role.index(), out));
                chooses.into_iter().map(|byte| byte == 1).collect()
            }
            Inner::OneByOne(blocks) => {
                (0..lanes).map(|lane| blocks[lane / size].count(lane % size, role.index()) > 1).collect()
            }
        }
    }

    /// Writes whether the episode of each lane is over.
    pub(super) fn write_over(&self, out: &mut [u8]) {
        let mut truncated = vec![0; out.len()];
        self.write_terminated(out);
        self.write_truncated(&mut truncated);
        out.iter_mut().zip(truncated).for_each(|(out, truncated)| *out |= truncated);
    }

    /// From now on, the lanes that `paused` accepts make no steps.
    fn pause(&mut self, paused: impl Fn(usize) -> bool) {
        let size = self.size();
        match &mut self.inner {
            Inner::Network(blocks) => {
                (0..).zip(blocks).for_each(|(at, block)| block.pause(|lane| paused(at * size + lane)));
            }
            Inner::OneByOne(blocks) => {
                (0..).zip(blocks).for_each(|(at, block)| block.pause(|lane| paused(at * size + lane)));
            }
        }
    }

    /// Writes the actions of the roles other than `role` and chance in the lanes of `moving`, where they have a choice.
    fn choose_others(
        &mut self,
        role: Role,
        opponents: &Opponents,
        moving: &[bool],
        all: &mut [i32],
        stop: &StopToken,
    ) -> Result<(), BatchError> {
        let roles = self.roles;
        let game = self.reasoner.game().clone();
        let others: Vec<Role> =
            game.roles().filter(|&other| other != role && Some(other) != game.nature()).collect();
        match opponents {
            Opponents::Random => {
                let mut drawn = vec![-1; all.len()];
                self.write_drawn(&mut drawn);
                for lane in (0..moving.len()).filter(|&lane| moving[lane]) {
                    for at in others.iter().map(|other| lane * roles + other.index()) {
                        all[at] = drawn[at];
                    }
                }
            }
            Opponents::Search(options, iterations) => {
                for other in others {
                    let chooses = self.choosing(other);
                    let lanes: Vec<usize> =
                        (0..moving.len()).filter(|&lane| moving[lane] && chooses[lane]).collect();
                    let mut thoughts: Vec<Thought> = Vec::with_capacity(lanes.len());
                    for lane in lanes {
                        let known = if game.has_percepts() {
                            Known::Observations(self.observations(lane, other).to_vec())
                        } else {
                            Known::State(self.state(lane, &mut self.reasoner.clone())?)
                        };
                        let seed = u64::from(self.bits(lane, other)) << 8 | u64::from(other.0);
                        thoughts.push(Thought::new(lane, known, seed));
                    }
                    let reasoner = &self.reasoner;
                    super::each(self.pool.as_ref(), &mut thoughts, |thought| {
                        thought.think(reasoner, other, options, *iterations, stop);
                    });
                    stop.check()?;
                    for thought in thoughts {
                        let (lane, mv) = thought.found()?;
                        all[lane * roles + other.index()] = self.action_of(lane, other, &mv);
                    }
                }
            }
        }
        Ok(())
    }

    /// The action of `role` that is the move with the text `text`, or -1.
    fn action_of(&self, lane: usize, role: Role, text: &str) -> i32 {
        let size = self.size();
        let action = match &self.inner {
            Inner::Network(_) => {
                self.reasoner.moves(role).and_then(|moves| moves.iter().position(|mv| *mv == text))
            }
            Inner::OneByOne(blocks) => {
                let (block, lane, role) = (&blocks[lane / size], lane % size, role.index());
                (0..block.count(lane, role)).find(|&rank| block.move_text(lane, role, rank) == Some(text))
            }
        };
        action.map_or(-1, |action| (action as u32).cast_signed())
    }

    fn bits(&self, lane: usize, role: Role) -> u32 {
        let (block, lane) = (lane / self.size(), lane % self.size());
        match &self.inner {
            Inner::Network(blocks) => blocks[block].bits(lane, role.index()),
            Inner::OneByOne(blocks) => blocks[block].bits(lane, role.index()),
        }
    }
}
