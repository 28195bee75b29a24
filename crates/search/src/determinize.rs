//! A player for games of hidden information (GDL-II): flat Monte-Carlo search over determinized states.
//!
//! Each iteration draws a state from the role's information set, treats it as known to all roles
//! (determinization; Long, Sturtevant, Buro & Furtak 2010), and plays out once after each legal move of the
//! role. The player makes the move with the best mean. It cannot value hiding or gathering information. If it
//! observes joint moves instead of percepts, it is a plain flat Monte-Carlo player.

use crate::interrupt::{interrupt_at, release};
use crate::limits::before_margin;
use crate::observation::not_started;
use crate::options::MctsOptions;
use crate::player::MakeMachine;
use crate::technique::Technique;
use ggp_game::rng::Sequence;
use ggp_game::{
    Candidate, Clocks, Deadline, EvalError, Game, InformationSet, JointMoveError, Move, Observation,
    PlayError, Player, PlayoutPlan, Playouts, Role, SearchReport, StopToken,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The maximum number of states in the information set.
const STATES: usize = 1000;

/// The number of iterations between two checks of the clock.
const BATCH: u64 = 4;

/// The options of [`DeterminizingPlayer`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeterminizeOptions {
    /// The number of iterations for each move; `None` for as many as the clock allows. With 0 the player
    /// plays at random.
    pub iterations: Option<u64>,
    /// The maximum size of the information set's states in bytes.
    pub memory: usize,
    /// The time reserved at the end of each clock for sending the answer.
    pub margin: Duration,
    /// The seed of the player's random numbers.
    pub seed: u64,
}

/// The error for an option of tree search that this player does not support.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the option `{option}` does not apply to a game of hidden information: {why}; remove it \
     (iterations, memory, margin and seed apply)"
)]
pub struct UnsupportedOption {
    option: &'static str,
    why: &'static str,
}

impl Default for DeterminizeOptions {
    fn default() -> DeterminizeOptions {
        let MctsOptions { margin, .. } = MctsOptions::default();
        let memory = MctsOptions::default().memory_bytes();
        DeterminizeOptions { iterations: None, memory, margin, seed: 0 }
    }
}

impl TryFrom<&MctsOptions> for DeterminizeOptions {
    type Error = UnsupportedOption;

    /// Takes over the options of a tree search that also apply without a tree.
    ///
    /// # Errors
    /// If any other option differs from its default in `mcts` or `uct`.
    fn try_from(options: &MctsOptions) -> Result<DeterminizeOptions, UnsupportedOption> {
        const NO_TREE: &str = "the player there samples possible states and has no search tree";
        // The options do not say whether the player is `mcts` or `uct`; the majority of the techniques does.
        let on = Technique::ALL.into_iter().filter(|&one| options.has(one)).count();
        let usual = if 2 * on > Technique::ALL.len() { MctsOptions::default() } else { MctsOptions::uct() };
        let switched = Technique::ALL.into_iter().find(|&one| options.has(one) != usual.has(one));
        let refused = [
            (switched.map_or("", Technique::name), switched.is_some(), NO_TREE),
            ("c", options.exploration.total_cmp(&usual.exploration).is_ne(), NO_TREE),
            ("threads", options.threads != usual.threads, "the player there uses one thread"),
            ("prior_weight", options.prior_weight != usual.prior_weight, NO_TREE),
        ];
        match refused.into_iter().find(|&(_, is_given, _)| is_given) {
            Some((option, _, why)) => Err(UnsupportedOption { option, why }),
            None => Ok(DeterminizeOptions {
                iterations: options.iterations,
                memory: options.memory_bytes(),
                margin: options.margin,
                seed: options.seed(),
            }),
        }
    }
}

/// Plays one role by determinized flat Monte-Carlo search.
///
/// ```
/// use ggp_game::{Clocks, Deadline, Fact, Game, Interpreter, Observation, Player, Role, StopToken};
/// use ggp_search::{DeterminizeOptions, DeterminizingPlayer};
/// use std::{sync::Arc, time::Duration};
///
/// // A coin falls on a side that the player hears, and then names.
/// let rules = "(role random) (role you) (side heads) (side tails) (init falling)
///     (<= (legal random (drop ?s)) (side ?s) (true falling)) (<= (legal you listen) (true falling))
///     (<= (next (lies ?s)) (does random (drop ?s))) (<= (sees you (heard ?s)) (does random (drop ?s)))
///     (<= (legal random wait) (not (true falling)))
///     (<= (legal you (name ?s)) (side ?s) (not (true falling)))
///     (<= (next right) (does you (name ?s)) (true (lies ?s))) (<= (next over) (not (true falling)))
///     (<= terminal (true over)) (goal random 0)
///     (<= (goal you 100) (true right)) (<= (goal you 0) (not (true right)))";
/// let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
/// let options = DeterminizeOptions { iterations: Some(10), ..DeterminizeOptions::default() };
/// let mut player = DeterminizingPlayer::new(options, |game, _, _| Ok(Interpreter::new(game)));
/// let (stop, never, second) = (StopToken::new(), Deadline::never(), Duration::from_secs(1));
/// let clocks = Clocks { start: second, play: second };
/// player.start(&game, Role(1), clocks, never, &stop).unwrap();
/// assert_eq!(player.play(Observation::Start, never, &stop).unwrap(), "listen");
/// let heard = [Fact::from_canonical("(heard tails)")];
/// let percepts = Observation::Percepts { turn: 1, own: "listen", seen: &heard };
/// assert_eq!(player.play(percepts, never, &stop).unwrap(), "(name tails)");
/// ```
pub struct DeterminizingPlayer<M: Playouts> {
    options: DeterminizeOptions,
    make: MakeMachine<M>,
    current: Option<RunningMatch<M>>,
    report: Option<SearchReport>,
}

/// The player's data for its current match.
struct RunningMatch<M: Playouts> {
    machine: M,
    /// The maximum number of states in the information set.
    bound: usize,
    possible: InformationSet<M>,
    role: Role,
    clocks: Clocks,
    random: Sequence,
    playouts: u64,
}

/// The playouts of one move.
#[derive(Clone, Copy, Default)]
struct MoveStats {
    sum: u64,
    count: u64,
}

impl MoveStats {
    fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }
}

impl DeterminizeOptions {
    /// The time by which the move must be chosen: `deadline` minus the margin. Without a deadline and a
    /// number of iterations, the play clock from now applies.
    fn clock(&self, clocks: Clocks, deadline: Deadline) -> Deadline {
        let untimed = self.iterations.is_none() && deadline.0.is_none();
        before_margin(if untimed { Deadline::after(clocks.play) } else { deadline }, self.margin)
    }
}

impl<M: Playouts> DeterminizingPlayer<M> {
    /// Creates a player with `options` whose machines come from `make`.
    pub fn new(
        options: DeterminizeOptions,
        make: impl FnMut(&Arc<Game>, Deadline, &StopToken) -> Result<M, PlayError> + Send + 'static,
    ) -> DeterminizingPlayer<M> {
        DeterminizingPlayer { options, make: Box::new(make), current: None, report: None }
    }
}

impl<M: Playouts> RunningMatch<M> {
    /// Updates the information set with an observation.
    fn update_states(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        // A machine may parse only the moves that it has listed before.
        let mut legal = Vec::new();
        self.possible.legal_moves(&mut self.machine, &mut legal)?;
        match seen {
            Observation::Start => {}
            Observation::Moves(texts) => {
                let Some((state, _)) = self.possible.states().first().cloned() else {
                    return Err(PlayError::Unable("no state agrees with what was observed".to_owned()));
                };
                for role in self.machine.game().clone().roles() {
                    self.machine.legal_moves(&state, role, &mut legal)?;
                }
                let joint = self.machine.parse_joint(texts)?;
                self.possible =
                    InformationSet::certain(self.machine.next_state(&state, &joint)?, self.role, self.bound);
            }
            Observation::Percepts { own, seen, .. } => {
                let name = self.machine.game().role_name(self.role).to_owned();
                let own = self.machine.parse_move(own).ok_or_else(|| JointMoveError::unknown(&name, own))?;
                let seed = self.random.below(1 << 30) as u64;
                self.possible.update(&mut self.machine, own, seen, seed)?;
            }
        }
        Ok(())
    }

    /// Plays out once after each of `own`, from each of `count` drawn states. Adds the scores to `of_moves`.
    fn iterate(&mut self, own: &[Move], count: u64, of_moves: &mut [MoveStats]) -> Result<(), EvalError> {
        let (mut starts, mut legal) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let bits = self.random.below(1 << 30) as u32;
            let Some(state) = self.possible.draw(bits << 2).cloned() else { return Ok(()) };
            let mut joint = Vec::new();
            for role in self.machine.game().clone().roles() {
                self.machine.legal_moves(&state, role, &mut legal)?;
                if legal.is_empty() {
                    return Ok(());
                }
                joint.push(legal[self.random.below(legal.len())]);
            }
            for &mv in own {
                joint[self.role.index()] = mv;
                starts.push(self.machine.next_state(&state, &joint)?);
            }
        }
        let plan =
            PlayoutPlan { first: self.playouts, ..PlayoutPlan::new(self.random.below(1 << 30) as u64) };
        self.playouts += starts.len() as u64;
        let role = self.role.index();
        self.machine.playouts(&starts, plan, &mut |playout| {
            let goals = playout.goals[role];
            let cut_off = !playout.terminal && playout.steps >= plan.max_steps;
            let score = if cut_off { goals.estimate() } else { goals.score() };
            let stats = &mut of_moves[playout.index % own.len()];
            stats.sum += u64::from(score.value());
            stats.count += 1;
        })
    }
}

impl<M: Playouts> Player for DeterminizingPlayer<M> {
    fn start(
        &mut self,
        game: &Arc<Game>,
        role: Role,
        clocks: Clocks,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<(), PlayError> {
        (self.current, self.report) = (None, None);
        let mut machine = (self.make)(game, deadline, stop)?;
        let state = machine.initial_state()?;
        let each = size_of::<M::State>() + machine.heap_bytes(&state);
        let bound = InformationSet::<M>::bound_within(self.options.memory, each).min(STATES);
        let possible = InformationSet::certain(state, role, bound);
        let random = Sequence::new(self.options.seed);
        self.current = Some(RunningMatch { machine, bound, possible, role, clocks, random, playouts: 0 });
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
        running.machine.interrupt_on(stop);
        running.update_states(seen)?;
        if running.machine.has_many_moves() {
            running.machine.release_moves();
        }
        let mut own = Vec::new();
        running.possible.legal_moves(&mut running.machine, &mut own)?;
        if own.is_empty() {
            return Err(PlayError::NoMove);
        }
        let deadline = self.options.clock(running.clocks, deadline);
        let watched = interrupt_at(&mut running.machine, deadline, stop);
        // A batch must end before the deadline; the longest batch so far is the estimate of its time.
        let mut longest = Duration::ZERO;
        let mut of_moves = vec![MoveStats::default(); own.len()];
        let mut done = 0;
        while own.len() > 1
            && !stop.is_stopped()
            && deadline.remaining().is_none_or(|left| left > 2 * longest)
        {
            let left = self.options.iterations.map_or(BATCH, |all| BATCH.min(all - done));
            if left == 0 {
                break;
            }
            let batch = Instant::now();
            let mut more = of_moves.clone();
            match running.iterate(&own, left, &mut more) {
                // The moves have unequal numbers of playouts, but even an incomplete batch is better than no
                // information.
                Err(EvalError::Interrupted) if done == 0 => {
                    of_moves = more;
                    break;
                }
                Err(EvalError::Interrupted) => break,
                iterated => iterated?,
            }
            of_moves = more;
            done += left;
            longest = longest.max(batch.elapsed());
        }
        drop(watched);
        release(&mut running.machine);
        let best = if of_moves.iter().all(|stats| stats.count == 0) {
            running.random.below(own.len())
        } else {
            (0..own.len())
                .reduce(|best, next| if of_moves[next].mean() > of_moves[best].mean() { next } else { best })
                .unwrap_or(0)
        };
        let text = |&mv: &Move| running.machine.move_text(mv).to_owned();
        let mut candidates: Vec<Candidate> = own
            .iter()
            .zip(&of_moves)
            .map(|(mv, stats)| Candidate {
                mv: text(mv),
                visits: stats.count,
                score: stats.mean(),
                proven: None,
            })
            .collect();
        candidates.sort_by(|a, b| b.score.unwrap_or(0.0).total_cmp(&a.score.unwrap_or(0.0)));
        let playouts = of_moves.iter().map(|stats| stats.count).sum();
        let elapsed = began.elapsed();
        self.report =
            Some(SearchReport { candidates, iterations: done, playouts, elapsed, ..SearchReport::default() });
        Ok(text(&own[best]))
    }

    fn report(&self) -> Option<SearchReport> {
        self.report.clone()
    }

    fn reasoner(&self) -> Option<&'static str> {
        self.current.as_ref().map(|running| running.machine.name())
    }

    fn stop(&mut self, _: Observation<'_>) {
        self.current = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ggp_game::{Fact, Interpreter};

    /// A coin under one of two cups; the seer hears under which, and guesses.
    const CUPS: &str = "(role random) (role seer) (cup 1) (cup 2) (init empty)
        (<= (legal random (hide ?c)) (cup ?c) (true empty))
        (<= (legal random idle) (not (true empty)))
        (<= (legal seer listen) (true empty))
        (<= (legal seer (guess ?c)) (cup ?c) (not (true empty)))
        (<= (next (under ?c)) (does random (hide ?c)))
        (<= (next found) (does seer (guess ?c)) (true (under ?c)))
        (<= (next over) (not (true empty)))
        (<= (sees seer (rustle ?c)) (does random (hide ?c)))
        (<= terminal (true over))
        (<= (goal seer 100) (true found)) (<= (goal seer 0) (not (true found))) (goal random 50)";

    fn play(iterations: u64, heard: Option<&str>) -> (String, SearchReport) {
        let game = Arc::new(Game::new(ggp_gdl::parse(CUPS.as_bytes()).unwrap()).unwrap());
        let options =
            DeterminizeOptions { iterations: Some(iterations), seed: 5, ..DeterminizeOptions::default() };
        let mut player = DeterminizingPlayer::new(options, |game, _, _| Ok(Interpreter::new(game)));
        let (stop, clock) = (StopToken::new(), std::time::Duration::from_secs(60));
        let clocks = Clocks { start: clock, play: clock };
        player.start(&game, Role(1), clocks, Deadline::never(), &stop).unwrap();
        assert_eq!(player.play(Observation::Start, Deadline::never(), &stop).unwrap(), "listen");
        let moves = ["(hide 2)".to_owned(), "listen".to_owned()];
        let seen: Vec<Fact> = heard.into_iter().map(Fact::from_canonical).collect();
        let seen = match heard {
            Some(_) => Observation::Percepts { turn: 1, own: "listen", seen: &seen },
            None => Observation::Moves(&moves),
        };
        let mv = player.play(seen, Deadline::never(), &stop).unwrap();
        (mv, player.report().unwrap())
    }

    #[test]
    fn percepts_determine_the_move() {
        for (heard, answer) in
            [(Some("(rustle 1)"), "(guess 1)"), (Some("(rustle 2)"), "(guess 2)"), (None, "(guess 2)")]
        {
            let (mv, report) = play(10, heard);
            assert_eq!(mv, answer);
            assert_eq!((report.iterations, report.playouts), (10, 20));
            assert_eq!((report.candidates[0].mv.as_str(), report.candidates[0].score), (answer, Some(100.0)));
        }
    }

    #[test]
    fn without_iterations_the_move_is_random() {
        let (mv, report) = play(0, Some("(rustle 1)"));
        assert!(mv.starts_with("(guess "));
        assert_eq!((report.iterations, report.candidates[0].score), (0, None));
    }

    #[test]
    fn the_margin_is_reserved() {
        let options = DeterminizeOptions { margin: Duration::from_secs(9), ..DeterminizeOptions::default() };
        let clocks = Clocks { start: Duration::MAX, play: Duration::from_secs(1000) };
        let due = Deadline::after(Duration::from_secs(500));
        assert_eq!(options.clock(clocks, due).0, due.0.unwrap().checked_sub(Duration::from_secs(9)));
        let by_play_clock = options.clock(clocks, Deadline::never()).remaining().unwrap();
        assert!(by_play_clock < Duration::from_secs(992) && by_play_clock > Duration::from_secs(500));
        let counted = DeterminizeOptions { iterations: Some(3), ..options };
        assert_eq!(counted.clock(clocks, Deadline::never()), Deadline::never());
    }

    #[test]
    fn memory_bounds_the_information_set() {
        let rules =
            CUPS.replace("(sees seer (rustle ?c)) (does random (hide ?c))", "(sees seer light) (true over)");
        let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
        let states = |memory| {
            let options = DeterminizeOptions { iterations: Some(1), memory, ..DeterminizeOptions::default() };
            let mut player = DeterminizingPlayer::new(options, |game, _, _| Ok(Interpreter::new(game)));
            let (stop, clock) = (StopToken::new(), Duration::from_secs(60));
            let clocks = Clocks { start: clock, play: clock };
            player.start(&game, Role(1), clocks, Deadline::never(), &stop).unwrap();
            player.play(Observation::Start, Deadline::never(), &stop).unwrap();
            let heard = Observation::Percepts { turn: 1, own: "listen", seen: &[] };
            player.play(heard, Deadline::never(), &stop).unwrap();
            player.current.as_ref().unwrap().possible.states().len()
        };
        assert_eq!((states(1 << 20), states(1)), (2, 1));
    }

    #[test]
    fn options_of_the_tree_are_refused() {
        let options = |spec: &str| match spec.parse().unwrap() {
            crate::PlayerSpec::Mcts(options) => DeterminizeOptions::try_from(&options),
            crate::PlayerSpec::Random(_) => unreachable!(),
        };
        let obeyed = options("mcts:iterations=7,memory=3,margin=50,seed=9").unwrap();
        let (memory, margin) = (3 << 20, Duration::from_millis(50));
        assert_eq!(obeyed, DeterminizeOptions { iterations: Some(7), memory, margin, seed: 9 });
        assert!(options("mcts").is_ok() && options("uct").is_ok());
        let all = Technique::ALL
            .into_iter()
            .flat_map(|one| [format!("mcts:{}=off", one.name()), format!("uct:{}=on", one.name())]);
        let others = ["c=3", "threads=2", "prior_weight=5"];
        let others = others.iter().flat_map(|given| ["mcts", "uct"].map(|name| format!("{name}:{given}")));
        for spec in all.chain(others) {
            let option = spec.split([':', '=']).nth(1).unwrap();
            let error = options(&spec).unwrap_err().to_string();
            assert!(error.starts_with(&format!("the option `{option}` does not apply")), "{spec}: {error}");
        }
    }
}
