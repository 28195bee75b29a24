//! Matches at fixed descents in a tournament of the arena: mirrored openings, every game in turn, and the sequential
//! test over pairs.

use crate::arguments::options;
use crate::statistics::Mean;
use crate::suite;
use ggp_arena::elo::{Sprt, SprtState};
use ggp_arena::{
    Contest, Entrant, Event, MachineReferee, MatchResult, OnFault, PairSummary, Pairing, PlayerRequest,
    Players, Referee, Run, Tournament,
};
use ggp_game::{
    Clocks, CpuClock, Deadline, Game, Observation, PlayError, Player, Role, StateMachine, StopToken,
};
use ggp_propnet::PropNetMachine;
use ggp_search::{MctsOptions, MctsPlayer};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A match of a search at fixed descents has no clock.
const NO_CLOCK: Clocks = Clocks { start: Duration::MAX, play: Duration::MAX };

/// The names of the two sides in the tournament.
pub(crate) const SIDES: [&str; 2] = ["A", "B"];

/// The most joint moves of a match. A longer one has no score.
const MOST_STEPS: u32 = 1_000;

/// A game's name and network.
pub(crate) type Machine = (String, PropNetMachine);

/// One side of a duel.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    /// The specification, with its iterations.
    pub(crate) spec: String,
    /// The options that the specification gives, with the constants of this side. If they have no seed, each match draws one.
    pub(crate) options: MctsOptions,
}

impl Side {
    /// The player `spec`, with `descents` iterations a move unless it gives a number of its own.
    pub(crate) fn new(spec: &str, descents: u64) -> Side {
        let mut side = Side { spec: spec.to_owned(), options: options(spec) };
        if side.options.iterations.is_none() {
            let separator = if spec.contains(':') { ',' } else { ':' };
            side.spec = format!("{spec}{separator}iterations={descents}");
            side.options.iterations = Some(descents);
        }
        side
    }
}

/// The settings of a duel of two players over some games.
#[derive(Clone, Debug)]
pub(crate) struct Duel {
    pub(crate) sides: [Side; 2],
    pub(crate) seed: u64,
    /// The random joint moves before each pair of matches.
    pub(crate) opening: u32,
    pub(crate) matches: u64,
    pub(crate) jobs: usize,
    pub(crate) sprt: Option<Sprt>,
    /// The file of results. Those that it holds already count and are not played again.
    pub(crate) out: Option<PathBuf>,
}

/// The results of a duel.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// For each game, the first side's shares of the complete pairs.
    pub(crate) games: BTreeMap<String, Mean>,
    /// The results of all pairs from the first side. `None` without any.
    pub(crate) pairs: Option<PairSummary>,
    pub(crate) sprt: Option<SprtState>,
    /// The CPU time of each side in this run.
    pub(crate) cpu: [Duration; 2],
}

/// Plays the duel in games of at least two roles that think. `progress` is called after each match.
pub(crate) fn play(
    duel: &Duel,
    machines: Vec<Machine>,
    mut progress: impl FnMut(&MatchResult, u64, Option<SprtState>),
) -> Outcome {
    let contests: Vec<Contest> = machines
        .iter()
        .map(|(name, machine)| Contest { name: name.clone(), game: machine.game().clone() })
        .collect();
    for contest in &contests {
        assert!(suite::thinkers(&contest.game) > 1, "{}: a game of one role has no duel", contest.name);
    }
    let entrants = SIDES.iter().zip(&duel.sides);
    let entrants = entrants.map(|(name, side)| Entrant { name: (*name).to_owned(), spec: side.spec.clone() });
    let tournament = Tournament {
        pairing: Pairing::RoundRobin,
        seed: duel.seed,
        on_fault: OnFault::Forfeit,
        opening_plies: duel.opening,
        max_steps: MOST_STEPS,
        ..Tournament::new(entrants.collect(), contests, NO_CLOCK)
    };
    let run = Run {
        concurrency: duel.jobs.max(1),
        sprt: duel.sprt,
        out: duel.out.clone(),
        resume: duel.out.is_some(),
        ..Run::new(duel.matches)
    };
    let options = duel.sides.each_ref().map(|side| side.options.clone());
    let makers = Makers { machines, options, cpu: Arc::default() };
    let mut shares: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut games: BTreeMap<String, Mean> = BTreeMap::new();
    let mut count = |result: &MatchResult| {
        let matches = shares.entry(result.encounter.clone()).or_default();
        matches.extend(share(result));
        // An encounter of two roles is a pair.
        if matches.len() == 2 {
            games.entry(result.game.clone()).or_default().add(f64::midpoint(matches[0], matches[1]));
        }
    };
    for results in duel.out.iter().filter(|out| out.exists()) {
        ggp_arena::read_results(results, |result| count(&result)).expect("a file of results");
    }
    let on_event = &mut |event: Event<'_>| match event {
        Event::Ended { result, progress: done, sprt, .. } => {
            count(result);
            progress(result, done.done, sprt);
        }
        Event::Warning(text) | Event::Note(text) => eprintln!("{text}"),
        Event::Ready { .. } => {}
    };
    let report = tournament.run(&makers, &run, on_event, &StopToken::new()).expect("a tournament");
    let pairs = report.standings.summary().pairs.into_iter().next().map(from_first_side);
    let cpu = [0, 1].map(|side| Duration::from_nanos(makers.cpu[side].load(Ordering::Relaxed)));
    Outcome { games, pairs, sprt: report.sprt, cpu }
}

/// The first side's mean share of the goals, over its roles. `None` for a match without a score.
pub(crate) fn share(result: &MatchResult) -> Option<f64> {
    let own = result.players.iter().zip(&result.goals);
    let own: Option<Vec<f64>> = own
        .filter(|(player, _)| player.as_deref() == Some(SIDES[0]))
        .map(|(_, goal)| goal.map(|goal| f64::from(goal) / 100.0))
        .collect();
    own.filter(|shares| !shares.is_empty()).map(|shares| Mean::of(&shares).mean())
}

/// The summary of pairs, turned so that the first player is the first side.
fn from_first_side(mut pairs: PairSummary) -> PairSummary {
    if pairs.players[0] != SIDES[0] {
        pairs.players.swap(0, 1);
        pairs.pentanomial.reverse();
        std::mem::swap(&mut pairs.wins, &mut pairs.losses);
        pairs.difference = ggp_arena::elo::Scores::Pairs(pairs.pentanomial).difference();
    }
    pairs
}

/// Makes players on networks that exist already, so that no clock and no other thread has a part in a match.
struct Makers {
    machines: Vec<Machine>,
    options: [MctsOptions; 2],
    /// The nanoseconds of CPU time of each side.
    cpu: Arc<[AtomicU64; 2]>,
}

impl Makers {
    fn machine(&self, game: &Arc<Game>) -> PropNetMachine {
        let found = self.machines.iter().find(|(_, machine)| Arc::ptr_eq(machine.game(), game));
        found.expect("a machine for each game").1.clone()
    }
}

impl Players for Makers {
    fn player(
        &self,
        entrant: &Entrant,
        game: &Arc<Game>,
        request: &PlayerRequest<'_>,
    ) -> Result<Box<dyn Player>, PlayError> {
        let machine = self.machine(game);
        let side = usize::from(entrant.name == SIDES[1]);
        let mut options = self.options[side].clone();
        options.seed.get_or_insert(request.seed);
        let player = MctsPlayer::new(options, move |_, _, _| Ok(machine.clone()));
        Ok(Box::new(Metered { player: Box::new(player), side, cpu: self.cpu.clone() }))
    }

    fn referee(&self, game: &Arc<Game>) -> Result<Box<dyn Referee>, PlayError> {
        Ok(Box::new(MachineReferee::new(self.machine(game))))
    }
}

/// A player whose CPU time is counted.
struct Metered {
    player: Box<dyn Player>,
    side: usize,
    cpu: Arc<[AtomicU64; 2]>,
}

impl Player for Metered {
    fn start(
        &mut self,
        game: &Arc<Game>,
        role: Role,
        clocks: Clocks,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<(), PlayError> {
        self.player.start(game, role, clocks, deadline, stop)
    }

    fn play(
        &mut self,
        seen: Observation<'_>,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError> {
        let clock = CpuClock::of_this_thread();
        let answer = self.player.play(seen, deadline, stop);
        self.cpu[self.side].fetch_add(clock.elapsed().as_nanos() as u64, Ordering::Relaxed);
        answer
    }

    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        self.player.observe(seen)
    }

    fn stop(&mut self, seen: Observation<'_>) {
        self.player.stop(seen);
    }
}

/// The networks of games, by name.
pub(crate) fn machines(games: &[String]) -> Vec<Machine> {
    games.iter().map(|game| (suite::name(game), suite::network(game))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn duel(specs: [&str; 2], sprt: Option<Sprt>) -> Duel {
        let sides = specs.map(|spec| Side::new(spec, 1));
        Duel { sides, seed: 1, opening: 2, matches: 40, jobs: 1, sprt, out: None }
    }

    fn run(duel: &Duel) -> (Outcome, u64) {
        let machine = ggp_tests::network(&ggp_tests::rulesheet("connect_four"));
        let mut played = 0;
        let outcome = play(duel, vec![("connect_four".to_owned(), machine)], |_, _, _| played += 1);
        (outcome, played)
    }

    #[test]
    fn the_stronger_side_is_found_from_either_end() {
        let sprt = Sprt::new(0.0, 100.0, 0.05, 0.05).unwrap();
        let (strong, weak) = ("mcts:iterations=100", "mcts:iterations=2");
        let (outcome, played) = run(&duel([strong, weak], Some(sprt)));
        assert_eq!(outcome.sprt.unwrap().accepted, Some(ggp_arena::elo::Hypothesis::H1));
        assert!(played < 40, "{played}");
        let (outcome, _) = run(&duel([weak, strong], Some(sprt)));
        assert_eq!(outcome.sprt.unwrap().accepted, Some(ggp_arena::elo::Hypothesis::H0));
        let pairs = outcome.pairs.unwrap();
        assert!(pairs.losses > pairs.wins && pairs.difference.unwrap().elo.value < 0.0);
    }

    #[test]
    fn a_duel_repeats_and_a_player_against_itself_shares_alike() {
        let duel = Duel { matches: 8, ..duel(["mcts:iterations=20", "mcts:iterations=20"], None) };
        let (once, again) = (run(&duel).0, run(&duel).0);
        assert_eq!(once.pairs.unwrap().pentanomial, again.pairs.unwrap().pentanomial);
        assert_eq!(once.games, again.games);
    }

    #[test]
    fn descents_are_added_unless_they_are_given() {
        for (spec, expected) in [
            ("mcts", "mcts:iterations=5"),
            ("mcts:mast=off", "mcts:mast=off,iterations=5"),
            ("uct:iterations=9", "uct:iterations=9"),
        ] {
            let side = Side::new(spec, 5);
            assert_eq!((side.spec.as_str(), side.options), (expected, options(expected)));
        }
    }
}
