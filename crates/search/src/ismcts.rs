//! A player for games of hidden information (GDL-II): information-set Monte-Carlo tree search with one tree for
//! each role (MO-ISMCTS; Cowling, Powley & Whitehouse 2012).
//!
//! Each iteration draws a state from the information set of the player's role ([`belief`]) and descends from it
//! ([`descend`]). A node stands for what one role has observed, so a role makes the same choice in all states
//! that it cannot tell apart ([`node`]). The first visits of a node play one playout after each of its moves,
//! all playouts of a batch in lanes. If one role chooses, it selects by UCB1. If several roles choose, they
//! select by regret matching with an average strategy, as in Monte-Carlo counterfactual regret minimisation
//! (Lanctot, Waugh, Zinkevich & Bowling 2009), and the player draws its move from the average strategy. Some
//! iterations then begin at the start of the match, as the untargeted ones of online outcome sampling (Lisý,
//! Lanctot & Bowling 2015). They teach the other roles, and the player weighs the states of its information set
//! by what the other roles have learnt.

mod belief;
mod descend;
mod node;
mod options;
mod running_match;
mod tree;

use self::node::{Arm, Node};
pub use self::options::{InformationSetOptions, UnsupportedOption};
use self::running_match::RunningMatch;
use crate::interrupt::{interrupt_at, release};
use crate::observation::not_started;
use crate::player::MakeMachine;
use ggp_game::{
    Candidate, Clocks, Deadline, Draft, Game, Move, Observation, PlayError, Player, Playouts, Role,
    SearchReport, StateMachine, StopToken,
};
use std::sync::Arc;
use std::time::Instant;

/// Plays one role by information-set Monte-Carlo tree search.
///
/// ```
/// use ggp_game::{Clocks, Deadline, Fact, Game, Interpreter, Observation, Player, Role, StopToken};
/// use ggp_search::{InformationSetOptions, InformationSetPlayer};
/// use std::{sync::Arc, time::Duration};
///
/// // A coin falls; the player hears on which side and then names that side.
/// let rules = "(role random) (role you) (side heads) (side tails) (init falling)
///     (<= (legal random (drop ?s)) (side ?s) (true falling)) (<= (legal you listen) (true falling))
///     (<= (next (lies ?s)) (does random (drop ?s))) (<= (sees you (heard ?s)) (does random (drop ?s)))
///     (<= (legal random wait) (not (true falling)))
///     (<= (legal you (name ?s)) (side ?s) (not (true falling)))
///     (<= (next right) (does you (name ?s)) (true (lies ?s))) (<= (next over) (not (true falling)))
///     (<= terminal (true over)) (goal random 0)
///     (<= (goal you 100) (true right)) (<= (goal you 0) (not (true right)))";
/// let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
/// let options = InformationSetOptions { iterations: Some(10), ..InformationSetOptions::default() };
/// let mut player = InformationSetPlayer::new(options, |game, _, _| Ok(Interpreter::new(game)));
/// let (stop, never, second) = (StopToken::new(), Deadline::never(), Duration::from_secs(1));
/// let clocks = Clocks { start: second, play: second };
/// player.start(&game, Role(1), clocks, never, &stop).unwrap();
/// assert_eq!(player.play(Observation::Start, never, &stop).unwrap(), "listen");
/// let heard = [Fact::from_canonical("(heard tails)")];
/// let percepts = Observation::Percepts { turn: 1, own: "listen", seen: &heard };
/// assert_eq!(player.play(percepts, never, &stop).unwrap(), "(name tails)");
/// ```
pub struct InformationSetPlayer<M: Playouts> {
    options: InformationSetOptions,
    make: MakeMachine<M>,
    current: Option<RunningMatch<M>>,
    report: Option<SearchReport>,
    draft: Draft,
}

impl<M: Playouts> InformationSetPlayer<M> {
    /// Creates a player with `options`. `make` creates the player's machine for each match.
    pub fn new(
        options: InformationSetOptions,
        make: impl FnMut(&Arc<Game>, Deadline, &StopToken) -> Result<M, PlayError> + Send + 'static,
    ) -> InformationSetPlayer<M> {
        InformationSetPlayer {
            options,
            make: Box::new(make),
            current: None,
            report: None,
            draft: Draft::default(),
        }
    }
}

impl<M: Playouts> Player for InformationSetPlayer<M> {
    fn start(
        &mut self,
        game: &Arc<Game>,
        role: Role,
        clocks: Clocks,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<(), PlayError> {
        (self.current, self.report) = (None, None);
        let machine = (self.make)(game, deadline, stop)?;
        self.current = Some(RunningMatch::new(machine, role, clocks, &self.options)?);
        Ok(())
    }

    fn play(
        &mut self,
        seen: Observation<'_>,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError> {
        let began = Instant::now();
        let running = self.current.as_mut().ok_or_else(not_started)?;
        running.recall.interrupt_on(stop);
        running.update_states(seen)?;
        running.free_memory();
        let mut own = Vec::new();
        running.legal_moves(&mut own)?;
        if own.is_empty() {
            return Err(PlayError::NoMove);
        }
        let deadline = self.options.clock(running.clocks, deadline);
        let watched = interrupt_at(&mut running.recall, deadline, stop);
        let (before, iterations) = (running.playouts(), self.options.iterations);
        let searched =
            if own.len() > 1 { running.search(&own, iterations, deadline, stop, &self.draft) } else { Ok(0) };
        drop(watched);
        release(&mut running.recall);
        let done = searched?;
        let best = running.choose(&own);
        self.draft.set(Some(running.recall.move_text(own[best]).to_owned()));
        let playouts = running.playouts() - before;
        let text = |&mv: &Move| running.recall.move_text(mv).to_owned();
        let arms = running.node().map(Node::arms);
        let mixed = running.strategy(&own);
        let mut candidates: Vec<Candidate> = own
            .iter()
            .enumerate()
            .map(|(index, mv)| {
                let arm = arms.and_then(|arms| arms.get(index));
                Candidate {
                    mv: text(mv),
                    visits: arm.map_or(0, |arm| arm.count() as u64),
                    score: arm.and_then(Arm::mean).map(|mean| mean * 100.0),
                    proven: None,
                    probability: mixed.as_ref().map(|strategy| strategy[index]),
                }
            })
            .collect();
        // The chosen move comes first, even if it was drawn from a mixed strategy.
        let chosen = candidates.remove(best);
        candidates.sort_by(|a, b| b.score.unwrap_or(0.0).total_cmp(&a.score.unwrap_or(0.0)));
        candidates.insert(0, chosen);
        let elapsed = began.elapsed();
        self.report =
            Some(SearchReport { candidates, iterations: done, playouts, elapsed, ..SearchReport::default() });
        Ok(text(&own[best]))
    }

    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        // The update must not be interrupted, because later observations build on it.
        let running = self.current.as_mut().ok_or_else(not_started)?;
        release(&mut running.recall);
        running.update_states(seen)
    }

    fn draft(&self) -> Option<Draft> {
        Some(self.draft.clone())
    }

    fn report(&self) -> Option<SearchReport> {
        self.report.clone()
    }

    fn reasoner(&self) -> Option<&'static str> {
        self.current.as_ref().map(|running| running.recall.name())
    }

    fn stop(&mut self, _: Observation<'_>) {
        self.current = None;
    }
}

#[cfg(test)]
mod tests;
