//! [`Learner`]: learning a game by self-play in several processes, on the state machine of a reasoner.

use crate::error::Error;
use crate::reasoner::{Reasoner, WithMachine};
use ggp_game::{AnonymousRules, EvalError, Game, Playouts, StateMachine, StopToken};
use ggp_search::{Generation, Knowledge, KnowledgeError, Lesson, Limits, MctsOptions, SelfPlayMatch};
use std::fmt::{self, Debug, Formatter};
use std::path::Path;

/// A [`ggp_search::Learner`] that gives and takes lessons and matches as bytes, so that some processes can play for another
/// one that learns.
///
/// # Examples
/// ```
/// use ggp::{Learner, MctsOptions, Reasoner, StopToken};
/// # let rules = "(role a) (role b) (init (left 9)) (init (turn a)) (other a b) (other b a)
/// #     (less 9 8) (less 8 7) (less 7 6) (less 6 5) (less 5 4) (less 4 3) (less 3 2) (less 2 1) (less 1 0)
/// #     (<= (two ?x ?z) (less ?x ?y) (less ?y ?z)) (<= (legal ?r (take 1)) (true (turn ?r)))
/// #     (<= (legal ?r (take 2)) (true (turn ?r)) (true (left ?x)) (two ?x ?z)) (<= (legal ?r wait) (true (turn ?o)) (other ?o ?r))
/// #     (<= (next (turn ?o)) (true (turn ?r)) (other ?r ?o)) (<= (next (left ?y)) (true (left ?x)) (less ?x ?y) (does ?r (take 1)))
/// #     (<= (next (left ?z)) (true (left ?x)) (two ?x ?z) (does ?r (take 2))) (<= terminal (true (left 0)))
/// #     (<= (goal ?r 100) (true (turn ?o)) (other ?o ?r)) (<= (goal ?r 0) (true (turn ?r)))";
/// let reasoner = Reasoner::new(&ggp::parse(rules)?)?;
/// let (options, stop) = (MctsOptions { iterations: Some(100), ..MctsOptions::default() }, StopToken::new());
/// let mut learner = Learner::new(&reasoner, &options, None)?.expect("a game of two roles with a network");
/// // In another process:
/// let worker = Learner::new(&reasoner, &options, Some(&learner.lesson()))?.unwrap();
/// let played = worker.play(1, &stop)?;
/// // And in this one:
/// assert!(learner.keep(&played));
/// assert_eq!(learner.end_generation(&stop).matches, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Learner {
    inner: Box<dyn AnyLearner>,
    rules: AnonymousRules,
}

/// A [`ggp_search::Learner`] on a machine of any type.
trait AnyLearner: Send {
    fn play(&self, seed: u64, limits: &Limits) -> Result<SelfPlayMatch, EvalError>;
    fn keep(&mut self, played: SelfPlayMatch) -> bool;
    fn recall(&mut self, played: Vec<SelfPlayMatch>) -> bool;
    fn end_generation(&mut self, limits: &Limits) -> Generation;
    fn begin_trial(&mut self) -> bool;
    fn contest(&self, opening: u64, limits: &Limits) -> Result<Vec<f64>, EvalError>;
    fn end_trial(&mut self, shares: &[f64]);
    fn lesson(&self) -> Lesson;
}

impl<M: Playouts> AnyLearner for ggp_search::Learner<M> {
    fn play(&self, seed: u64, limits: &Limits) -> Result<SelfPlayMatch, EvalError> {
        ggp_search::Learner::play(self, seed, limits)
    }

    fn keep(&mut self, played: SelfPlayMatch) -> bool {
        ggp_search::Learner::keep(self, played)
    }

    fn recall(&mut self, played: Vec<SelfPlayMatch>) -> bool {
        ggp_search::Learner::recall(self, played)
    }

    fn end_generation(&mut self, limits: &Limits) -> Generation {
        ggp_search::Learner::end_generation(self, limits)
    }

    fn begin_trial(&mut self) -> bool {
        ggp_search::Learner::begin_trial(self)
    }

    fn contest(&self, opening: u64, limits: &Limits) -> Result<Vec<f64>, EvalError> {
        ggp_search::Learner::contest(self, opening, limits)
    }

    fn end_trial(&mut self, shares: &[f64]) {
        ggp_search::Learner::end_trial(self, shares);
    }

    fn lesson(&self) -> Lesson {
        ggp_search::Learner::lesson(self)
    }
}

struct MakeLearner<'a> {
    options: &'a MctsOptions,
    known: Option<&'a Lesson>,
}

impl WithMachine for MakeLearner<'_> {
    type Output = Option<Box<dyn AnyLearner>>;

    fn run<M: Playouts + 'static>(self, machine: M) -> Self::Output {
        let learner = ggp_search::Learner::new(&machine, self.options, self.known)?;
        Some(Box::new(learner))
    }
}

impl Learner {
    /// A learner that goes on from the lesson `known`, if that is one of this game. Its searches have `options`, with at most
    /// 1,000 iterations. `None` in games that cannot be learnt: games of one role, without a network, with too many fluents.
    ///
    /// # Errors
    /// [`Error::HiddenInformation`] in a game with percepts.
    pub fn new(
        reasoner: &Reasoner,
        options: &MctsOptions,
        known: Option<&Lesson>,
    ) -> Result<Option<Learner>, Error> {
        if reasoner.game().has_percepts() {
            return Err(Error::HiddenInformation);
        }
        let mut reasoner = reasoner.clone();
        reasoner.poll();
        let rules = AnonymousRules::new(reasoner.game().description());
        let inner = reasoner.with(MakeLearner { options, known });
        Ok(inner.map(|inner| Learner { inner, rules }))
    }

    /// What `file` holds of `game`. `None` if it holds nothing of it, or does not exist.
    ///
    /// # Errors
    /// See [`Knowledge::read`].
    pub fn known(file: &Path, game: &Game) -> Result<Option<Lesson>, KnowledgeError> {
        Ok(Knowledge::read(file)?.lesson(&AnonymousRules::new(game.description())).cloned())
    }

    /// What has been learnt so far.
    pub fn lesson(&self) -> Lesson {
        self.inner.lesson()
    }

    /// Puts what has been learnt so far into `file`, in the place of what it says of this game.
    ///
    /// # Errors
    /// See [`Knowledge::add_to`].
    pub fn write(&self, file: &Path) -> Result<(), KnowledgeError> {
        Knowledge::add_to(file, &self.rules, self.lesson())
    }

    /// Plays one match of self-play, which follows from the lesson and `seed`. The bytes are for [`Learner::keep`] in another
    /// process.
    ///
    /// # Errors
    /// The machine's errors.
    pub fn play(&self, seed: u64, stop: &StopToken) -> Result<Vec<u8>, EvalError> {
        Ok(self.inner.play(seed, &Limits::default().or_when(stop))?.to_bytes())
    }

    /// Keeps a match that [`Learner::play`] has played, as training data. Returns false if the bytes are not a match of this
    /// game.
    pub fn keep(&mut self, played: &[u8]) -> bool {
        SelfPlayMatch::from_bytes(played).is_some_and(|played| self.inner.keep(played))
    }

    /// Keeps the last matches that the lesson has counted already, the oldest first. Returns false, and keeps nothing, if
    /// some bytes are not a match of this game.
    pub fn recall(&mut self, played: &[impl AsRef<[u8]>]) -> bool {
        let played: Option<Vec<_>> =
            played.iter().map(|one| SelfPlayMatch::from_bytes(one.as_ref())).collect();
        played.is_some_and(|played| self.inner.recall(played))
    }

    /// Trains with all matches that are kept, and tests the policy. A stop ends training early.
    pub fn end_generation(&mut self, stop: &StopToken) -> Generation {
        self.inner.end_generation(&Limits::default().or_when(stop))
    }

    /// Begins a trial. Returns whether it is worth its time: whether the policy has passed its last test.
    pub fn begin_trial(&mut self) -> bool {
        self.inner.begin_trial()
    }

    /// Plays a match for each seat after the same opening: a search with the policy against searches without it. Returns the
    /// shares of the policy ([`Trial::share`](ggp_search::Trial::share)); fewer after a stop.
    ///
    /// # Errors
    /// The machine's errors.
    pub fn contest(&self, opening: u64, stop: &StopToken) -> Result<Vec<f64>, EvalError> {
        self.inner.contest(opening, &Limits::default().or_when(stop))
    }

    /// Ends a trial whose matches had these shares. The policy is used from now on only if it has not lost. Too few
    /// matches decide nothing: what was known remains.
    pub fn end_trial(&mut self, shares: &[f64]) {
        self.inner.end_trial(shares);
    }
}

impl Debug for Learner {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Learner").finish_non_exhaustive()
    }
}
