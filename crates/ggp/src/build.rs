//! The choice of the state machine for a game, and the limits of building it.

use crate::cache::{CachedNetwork, NetworkCache};
use ggp_game::{Deadline, EvalError, Game, StopToken, Watchdog};
use ggp_propnet::{Cpu, GroundError, GroundLimits, PropNet, PropNetMachine};
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The state machine that the caller wants.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Choice {
    /// The network if it can be built within the limits, else the compiled evaluator if it takes the game and a trial
    /// of up to two seconds shows that it plays at least 20 times as fast as the interpreter, else the interpreter.
    #[default]
    Auto,
    /// The interpreter, which evaluates the rules as Datalog, bottom-up. It is the reference: the network
    /// must give the same answers. The interpreter is ready at once.
    Datalog,
    /// The compiled evaluator. It is ready after about a second. If it does not take the game, the result is an
    /// error.
    Compiled,
    /// The propositional network. Its build has no time limit. If the build fails, the result is an error,
    /// not the interpreter.
    Propnet,
}

impl Choice {
    /// All values, in the order of their declaration.
    pub const ALL: [Choice; 4] = [Choice::Auto, Choice::Datalog, Choice::Compiled, Choice::Propnet];

    /// The word for the value: `auto`, `datalog`, `compiled` or `propnet`.
    pub fn name(self) -> &'static str {
        match self {
            Choice::Auto => "auto",
            Choice::Datalog => "datalog",
            Choice::Compiled => "compiled",
            Choice::Propnet => "propnet",
        }
    }

    /// Whether the interpreter may replace a machine that cannot be built.
    pub fn falls_back(self) -> bool {
        !matches!(self, Choice::Compiled | Choice::Propnet)
    }
}

impl Display for Choice {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for a word that names no [`Choice`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no reasoner `{0}`; write auto, datalog, compiled or propnet")]
pub struct UnknownChoice(String);

impl FromStr for Choice {
    type Err = UnknownChoice;

    /// ```
    /// use ggp::Choice;
    /// assert_eq!("propnet".parse(), Ok(Choice::Propnet));
    /// assert!("fast".parse::<Choice>().is_err());
    /// ```
    fn from_str(word: &str) -> Result<Choice, UnknownChoice> {
        let known = Choice::ALL.into_iter().find(|choice| choice.name() == word);
        known.ok_or_else(|| UnknownChoice(word.to_owned()))
    }
}

/// The parameters of the construction of a [`Reasoner`](crate::Reasoner).
///
/// # Examples
/// ```
/// use ggp::{Build, Choice, StateMachine};
/// use std::time::Duration;
/// let game = ggp::parse("(role a) (legal a go) (next done) (<= terminal (true done)) (goal a 100)")?;
///
/// let network = Build::default().reasoner(&game)?;
/// assert_eq!(network.name(), "propnet");
///
/// // Without any time for a network, `auto` falls back to the interpreter and says why.
/// let fallback = Build::within(Duration::ZERO).reasoner(&game)?;
/// assert_eq!(fallback.name(), "datalog");
/// assert_eq!(fallback.fallback().unwrap().to_string(), "building its network takes more than 0 s of CPU time");
///
/// let chosen = Build { choice: Choice::Datalog, ..Build::default() }.reasoner(&game)?;
/// assert!(chosen.fallback().is_none());
/// # Ok::<(), ggp::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Build {
    /// The machine that the caller wants.
    pub choice: Choice,
    /// The limits of memory and sizes for grounding.
    pub limits: GroundLimits,
    /// The CPU time limit of grounding and compiling together. [`Choice::Propnet`] ignores it.
    pub time: Duration,
    /// The class of processors for which the network is compiled.
    pub cpu: Cpu,
    /// Whether the build also compiles the network for playouts with decisive moves (a role that can win at
    /// once does so). If `false`, the first search that needs this code compiles it.
    pub decisive: bool,
    /// The cache from which the network is read if it has been built before, and in which it is kept. `None` for a
    /// build that neither reads nor writes files.
    pub cache: Option<NetworkCache>,
}

impl Default for Build {
    /// The defaults: [`Choice::Auto`], the time limit [`Build::TIME`], the default limits of grounding, and code
    /// for this processor, and no cache.
    fn default() -> Build {
        Build {
            choice: Choice::Auto,
            limits: GroundLimits::default(),
            time: Build::TIME,
            cpu: Cpu::detect(),
            decisive: false,
            cache: None,
        }
    }
}

/// The durations of the two parts of a build.
#[derive(Clone, Copy, Debug)]
pub struct BuildTimes {
    /// The time of grounding. For a network from the cache, the time that it took when the network was built.
    pub ground: Duration,
    /// The time of compiling. For a network from the cache, the time that it took when the network was built.
    pub compile: Duration,
    /// The time of reading the network from the cache. `None` if the network has just been built.
    pub read: Option<Duration>,
}

/// The reason why a game has no network, or why the compiled evaluator does not take it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BuildError {
    /// The build reached its CPU time limit, which this value holds.
    #[error("building its network takes more than {} s of CPU time", .0.as_secs_f64())]
    TimeOut(Duration),
    /// The build was stopped from outside.
    #[error("building its network was stopped")]
    Stopped,
    /// The grounded rules exceed one of [`Build::limits`]. Holds the message.
    #[error("{0}")]
    TooLarge(String),
    /// The compiled evaluator was required, and does not take the game.
    #[error("the game cannot be compiled: {0}")]
    Refused(#[from] ggp_compiled::Refusal),
    /// The rules cannot be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The building thread could not be started, or it panicked.
    #[error("building its network failed")]
    Failed,
}

impl Build {
    /// The default limit of CPU time, for a build that a user waits for. Nearly all published games need less.
    pub const TIME: Duration = Duration::from_secs(20);

    /// A limit of CPU time for a build in the background, or for one that serves a whole tournament.
    pub const LONG_TIME: Duration = Duration::from_secs(120);

    /// The interval at which a thread that waits for a build checks its stop token and its deadline.
    pub(crate) const POLL: Duration = Duration::from_millis(20);

    /// The default parameters with `time` as the limit of CPU time.
    pub fn within(time: Duration) -> Build {
        Build { time, ..Build::default() }
    }

    /// Builds the network for any value of [`Build::choice`]. Ends soon after `halt` is raised.
    ///
    /// # Errors
    /// When the network cannot be built. The error is the reason.
    pub fn network(&self, game: &Arc<Game>, halt: &StopToken) -> Result<PropNetMachine, BuildError> {
        Ok(self.timed_network(game, halt)?.0)
    }

    /// The same as [`Build::network`]. Also returns the durations of the two parts of the build.
    ///
    /// # Errors
    /// When the network cannot be built. The error is the reason.
    pub fn timed_network(
        &self,
        game: &Arc<Game>,
        halt: &StopToken,
    ) -> Result<(PropNetMachine, BuildTimes), BuildError> {
        if let Some(cache) = &self.cache
            && let Some(found) = self.read(cache, game, halt)
        {
            return Ok(found);
        }
        let (network, complete) = self.watched(halt, |stop| -> Result<_, BuildError> {
            let began = Instant::now();
            let net = self.ground_unless(game, stop, halt)?;
            let ground = began.elapsed();
            let began = Instant::now();
            let machine = PropNetMachine::compile(net, self.cpu, stop).map_err(|error| match error {
                EvalError::Interrupted => self.interruption(halt),
                other => BuildError::Eval(other),
            })?;
            if self.decisive {
                machine.compile_decisive(stop);
            }
            Ok((CachedNetwork { machine, ground, compile: began.elapsed() }, !stop.is_stopped()))
        })?;
        if let Some(cache) = &self.cache
            && complete
            && cache.keeps(network.ground + network.compile)
        {
            cache.store(game, &self.limits, &network);
        }
        let CachedNetwork { machine, ground, compile } = network;
        Ok((machine, BuildTimes { ground, compile, read: None }))
    }

    /// The network of `game` from `cache`. `None` if the cache does not have it. If it lacks the programs for
    /// decisive moves, and this build wants them, they are compiled and kept too.
    fn read(
        &self,
        cache: &NetworkCache,
        game: &Arc<Game>,
        halt: &StopToken,
    ) -> Option<(PropNetMachine, BuildTimes)> {
        let began = Instant::now();
        self.watched(halt, |stop| {
            let mut network = cache.load(game, &self.limits, self.cpu, stop)?;
            let read = began.elapsed();
            if self.decisive && !network.machine.knows_decisive() {
                let began = Instant::now();
                network.machine.compile_decisive(stop);
                let time = began.elapsed();
                network.compile += time;
                if !stop.is_stopped() && cache.keeps(time) {
                    cache.store(game, &self.limits, &network);
                }
            }
            let CachedNetwork { machine, ground, compile } = network;
            Some((machine, BuildTimes { ground, compile, read: Some(read) }))
        })
    }

    /// Grounds `game` without compiling it.
    ///
    /// # Errors
    /// When the game cannot be grounded. The error is the reason.
    pub fn ground(&self, game: &Arc<Game>) -> Result<PropNet, BuildError> {
        let halt = StopToken::new();
        self.watched(&halt, |stop| self.ground_unless(game, stop, &halt))
    }

    fn ground_unless(
        &self,
        game: &Arc<Game>,
        stop: &StopToken,
        halt: &StopToken,
    ) -> Result<PropNet, BuildError> {
        PropNet::ground(game, &self.limits, stop).map_err(|error| match error {
            GroundError::Interrupted => self.interruption(halt),
            GroundError::TooLarge(_) => BuildError::TooLarge(error.to_string()),
        })
    }

    /// The limit of CPU time. [`Duration::MAX`], which means no limit, if the network is required.
    fn time_limit(&self) -> Duration {
        if self.choice == Choice::Propnet { Duration::MAX } else { self.time }
    }

    fn interruption(&self, halt: &StopToken) -> BuildError {
        if halt.is_stopped() { BuildError::Stopped } else { BuildError::TimeOut(self.time_limit()) }
    }

    /// Calls `work` with a stop token. The token is raised when this thread has used the CPU time that
    /// [`Build::time_limit`] allows, or soon after `halt` is raised.
    fn watched<T>(&self, halt: &StopToken, work: impl FnOnce(&StopToken) -> T) -> T {
        let watchdog = Watchdog::until(Deadline::never()).or_when(halt);
        match self.time_limit() {
            Duration::MAX => watchdog.watch(work),
            limit => watchdog.or_after_cpu_time(limit).watch(work),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Build, BuildError};
    use ggp_game::{Game, StopToken};
    use ggp_propnet::{Cpu, GroundLimits, PropNet, PropNetMachine};
    use rustix::time::{ClockId, clock_gettime};
    use std::sync::Arc;
    use std::time::Duration;

    fn nim() -> Arc<Game> {
        let rules = include_str!("../../../games/nim.kif");
        crate::parse(rules).expect("a game")
    }

    #[test]
    fn a_build_ends_with_its_time_or_when_it_is_halted() {
        let (game, halt) = (nim(), StopToken::new());
        assert!(Build::default().network(&game, &halt).is_ok());
        let late = Build::within(Duration::ZERO).network(&game, &halt).unwrap_err();
        assert_eq!(late, BuildError::TimeOut(Duration::ZERO));
        halt.stop();
        let halted = Build::default().network(&game, &halt).unwrap_err();
        assert_eq!(halted, BuildError::Stopped);
    }

    /// The CPU time that this thread has used.
    fn cpu_time() -> Duration {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }

    /// A game with four dials, each of which can be turned to any of `values` values. One of the rules has
    /// about `values`^4 ground instances. With 60 values it has 13 million, and grounding takes far longer
    /// than any time limit of these tests.
    fn dials(values: usize) -> Arc<Game> {
        let values: String = (0..values).map(|value| format!("(value {value}) ")).collect();
        let dials: String = (0..4).map(|dial| format!("(dial {dial}) (init (at {dial} {dial})) ")).collect();
        let rules = format!(
            "(role turner) {values} {dials} (<= (legal turner (turn ?d ?v)) (dial ?d) (value ?v))
            (<= (next (at ?d ?v)) (does turner (turn ?d ?v)))
            (<= (next (at ?d ?v)) (true (at ?d ?v)) (not (turned ?d))) (<= (turned ?d) (does turner (turn ?d ?v)))
            (<= (next (open ?a ?d)) (true (at 0 ?a)) (true (at 1 ?b)) (true (at 2 ?c)) (true (at 3 ?d))
                (distinct ?a ?b) (distinct ?a ?c) (distinct ?a ?d) (distinct ?b ?c) (distinct ?b ?d) (distinct ?c ?d))
            (<= terminal (true (open ?a ?d))) (goal turner 100)"
        );
        crate::parse(&rules).expect("a game")
    }

    /// The CPU time that a build may use beyond its limit. It is far more than the check interval of the
    /// watchdog's thread, which runs late when other programs keep all processors busy, and far less than the
    /// builds of these tests use without a limit.
    const LATE: Duration = Duration::from_secs(5);

    /// Builds the network of `game`, which must take longer than `limit`. Returns the CPU time that the build
    /// used until it was stopped.
    fn stopped_after(game: &Arc<Game>, limit: Duration) -> Duration {
        let began = cpu_time();
        let error = Build::within(limit).network(game, &StopToken::new()).unwrap_err();
        assert_eq!(error, BuildError::TimeOut(limit));
        cpu_time().saturating_sub(began)
    }

    #[test]
    fn the_time_limit_counts_cpu_time() {
        // Other threads compete for the processors: the limit still allows the full CPU time.
        let busy = StopToken::new();
        let others = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..others {
                scope.spawn(|| while !busy.is_stopped() {});
            }
            let limit = Duration::from_millis(500);
            let used = stopped_after(&dials(60), limit);
            busy.stop();
            assert!(used >= limit && used <= limit + LATE, "{used:?}");
        });
    }

    #[test]
    fn the_time_limit_includes_compiling() {
        // Compiling takes several times as long as grounding, so that the limit expires in its first part.
        let game = dials(28);
        let began = cpu_time();
        PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).expect("a network");
        let ground = cpu_time().saturating_sub(began);
        let limit = 2 * ground;
        let used = stopped_after(&game, limit);
        assert!(used >= limit && used <= limit + LATE, "{used:?} of {limit:?}");
    }

    #[test]
    fn compiling_can_be_stopped_too() {
        let (game, stop) = (nim(), StopToken::new());
        let net = PropNet::ground(&game, &GroundLimits::default(), &stop).expect("a network");
        stop.stop();
        let error = PropNetMachine::compile(net, Cpu::detect(), &stop).unwrap_err();
        assert_eq!(error, ggp_game::EvalError::Interrupted);
    }
}
