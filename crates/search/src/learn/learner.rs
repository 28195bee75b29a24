//! [`Learner`]: learning a policy by self-play, in generations: matches of short searches against themselves, whose nodes
//! train the policy that the searches of the next generation use.

use super::contest::{Contest, Novelty};
use super::lesson::Lesson;
use super::minimax_trial::MinimaxTrial;
use super::self_play::{CYCLE, Purpose, SelfPlayMatch};
use super::trial::Trial;
use crate::evaluation::Evaluation;
use crate::limits::Limits;
use crate::options::MctsOptions;
use crate::policy::Sample;
use crate::policy::{Features, Policy, explained_by_history, weight_of_history};
use crate::search::Search;
use crate::technique::Technique;
use ggp_game::{AnonymousRules, Deadline, EvalError, Playouts};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The number of descents of a search of self-play, unless the options give another. Many short searches teach more than
/// few long ones: their positions differ more.
pub(super) const DESCENTS: u64 = 300;
/// The largest number that the options can give.
const MOST_DESCENTS: u64 = 1_000;
/// The memory bound of the tree of self-play, in MiB.
const MEMORY: usize = 64;
/// The number of fluents in the context of a fluent.
const CONTEXT: usize = 32;
/// A game whose policy has more weights than this is not learnt.
const MOST_WEIGHTS: usize = 1 << 22;
/// The largest number of positions of a match against others that are kept.
const MOST_WATCHED: usize = 20_000;
/// The number of times that each generation trains with all samples.
const EPOCHS: usize = 2;
/// Each generation ends at this many times the time, or descents, of the one before.
const GROWTH: f64 = std::f64::consts::SQRT_2;
/// The first generation ends after this share of the time, or of the descents.
const FIRST: f64 = 0.125;
/// The part of the time that self-play takes; the last training takes a part of the rest.
const PLAYING: f64 = 0.85;
/// A test with so many positions replaces the test of any lesson.
const ENOUGH_TESTED: usize = 1_000;
/// By how much the policy must explain more of the held-out variance than the history of moves does.
const LEAST_GAIN: f64 = 0.02;

/// The test of one generation of self-play.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Generation {
    /// The matches played so far.
    pub matches: u64,
    /// The descents of their searches.
    pub descents: u64,
    /// The positions that train the policy.
    pub samples: u64,
    /// The share of the held-out variance of siblings' values that the history of moves explains. At most 1, negative for
    /// a prediction that is worse than none.
    pub by_history: f64,
    /// The share that the policy explains.
    pub by_policy: f64,
    /// The factor of the learnt weights with which searches use them, from 0 to 1.
    pub(crate) scale: f32,
}

impl Generation {
    /// Whether the policy predicts better than the history, so that searches use it.
    pub fn passes(&self) -> bool {
        self.by_policy >= self.by_history + LEAST_GAIN
    }

    /// Whether a test with `positions` positions says as much as this one. About one match in [`CYCLE`] tests the policy,
    /// so a test has somewhat more than this part of the positions that train.
    fn is_matched_by(&self, positions: usize) -> bool {
        positions >= ENOUGH_TESTED || positions as u64 * CYCLE >= self.samples
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.by_history.is_finite() && self.by_policy.is_finite() && (0.0..=1.0).contains(&self.scale)
    }
}

/// Learns one game by self-play.
///
/// # Examples
/// ```
/// use ggp_game::{Game, Interpreter};
/// use ggp_search::{Learner, Limits, MctsOptions};
/// # let game = Game::new(ggp_gdl::parse(b"(role a) (role b) (init x) (legal a go) (legal b go) (next x)
/// #     (goal a 50) (goal b 50) (<= terminal (not (true x)))").unwrap()).unwrap();
/// // Only machines that keep their states as bits can be learnt.
/// let machine = Interpreter::new(&game.into());
/// assert!(Learner::new(&machine, &MctsOptions::default(), None).is_none());
/// ```
#[derive(Debug)]
pub struct Learner<M: Playouts> {
    pub(super) machine: M,
    /// The options of the searches of self-play.
    pub(super) options: MctsOptions,
    rules: AnonymousRules,
    policy: Policy,
    /// The matches whose samples are kept, the oldest first.
    kept: VecDeque<SelfPlayMatch>,
    /// The bytes of their samples.
    bytes: usize,
    /// The largest number of these bytes: the memory bound of a player's tree.
    most_bytes: usize,
    pub(super) matches: u64,
    pub(super) descents: u64,
    generations: Vec<Generation>,
    /// The last test of the lesson that the learner goes on from, whose matches it does not have. `None` once a test of its
    /// own says as much.
    pub(super) inherited: Option<Generation>,
    /// The policy, if it has passed the last test. Self-play tries it out.
    pub(super) candidate: Option<Arc<Policy>>,
    /// Positions from the searches of a match against others.
    watched: Vec<Sample>,
    /// The result of matches against the search without the policy.
    pub(super) trial: Option<Trial>,
    /// The trial of minimax values; `None` before the first one.
    pub(super) minimax: Option<MinimaxTrial>,
}

impl<M: Playouts> Learner<M> {
    /// A learner of the game that `machine` executes. Its searches have `options`; their iterations are 300 if the options
    /// give none, and at most 1,000. It goes on from `known` if that is a lesson of this game. `None` in games that cannot be
    /// learnt: games of one role, machines that do not keep their states as bits, and games with too many fluents.
    pub fn new(machine: &M, options: &MctsOptions, known: Option<&Lesson>) -> Option<Learner<M>> {
        let mut machine = machine.clone();
        let game = machine.game().clone();
        let roles = game.role_count();
        let fluents = machine.fluents();
        if roles - usize::from(game.nature().is_some()) < 2 || fluents.is_empty() {
            return None;
        }
        let rules = AnonymousRules::new(game.description());
        let is_learnable =
            |features: &Features| !features.contexts.is_empty() && features.size * roles <= MOST_WEIGHTS;
        let fits = |(_, policy): &(&Lesson, Policy)| {
            is_learnable(&policy.features) && policy.weights.len() == policy.features.size * roles
        };
        let minimax = known.and_then(|lesson| lesson.minimax(&rules, &fluents));
        let known = known.and_then(|lesson| Some((lesson, lesson.policy(&rules, &fluents)?))).filter(fits);
        let (known, policy) = if let Some((lesson, policy)) = known {
            (Some(lesson), policy)
        } else {
            let features = Features::new(machine.fluent_contexts(CONTEXT));
            (None, is_learnable(&features).then(|| Policy::new(features.into(), roles))?)
        };
        let generations = known.map_or_else(Vec::new, |lesson| lesson.generations.clone());
        let inherited = generations.last().copied();
        let last = inherited.unwrap_or_default();
        let mut learner = Learner {
            machine,
            options: of_short_searches(options),
            rules,
            policy,
            kept: VecDeque::new(),
            bytes: 0,
            most_bytes: options.memory_bytes(),
            matches: last.matches,
            descents: last.descents,
            generations,
            inherited,
            candidate: None,
            watched: Vec::new(),
            trial: known.and_then(Lesson::trial),
            minimax,
        };
        learner.choose_candidate();
        Some(learner)
    }

    /// What has been learnt so far.
    pub fn lesson(&self) -> Lesson {
        let tested = (&*self.generations, self.trial, self.minimax.as_ref());
        Lesson::new(&self.policy, tested, &self.rules, &self.machine.fluents())
    }

    /// The tests of the generations, the oldest first.
    pub fn generations(&self) -> &[Generation] {
        &self.generations
    }

    /// The rules of the game without their words.
    pub fn rules(&self) -> &AnonymousRules {
        &self.rules
    }

    /// Keeps positions that `search`, in a match against others, has seen often enough to learn from them, until `deadline`.
    /// Does without the rest if the machine fails.
    pub(crate) fn watch(&mut self, search: &mut Search<M>, deadline: Deadline) {
        let limits = Limits::default().until(deadline);
        let _ = search.append_samples(&mut self.watched, MOST_WATCHED, &limits);
    }

    /// Trains with the positions of the match against others until a limit is reached, and keeps the evaluation that
    /// `search`, if there is one, has learnt in it.
    pub(crate) fn end_match(&mut self, search: Option<&Search<M>>, limits: &Limits) {
        if let (Some(minimax), Some(learnt)) =
            (&mut self.minimax, search.and_then(|search| search.evaluation.as_ref()))
        {
            minimax.evaluation.clone_from(learnt);
        }
        for sample in std::mem::take(&mut self.watched) {
            if limits.is_short_of(Duration::ZERO) {
                break;
            }
            self.policy.train(&sample);
        }
    }

    /// The result of matches of searches with the policy against searches without it.
    pub fn trial(&self) -> Option<Trial> {
        self.trial
    }

    /// The policy that searches should use: one that has passed its last test and does not lose.
    pub(crate) fn used(&self) -> Option<Arc<Policy>> {
        self.candidate.clone().filter(|_| self.trial.is_some_and(|trial| trial.passes()))
    }

    /// The evaluation of minimax values if they have won: all searches that try the policy use them, as players do.
    pub(super) fn evaluation(&self) -> Option<&Evaluation> {
        let won = self.minimax.as_ref().filter(|minimax| minimax.is_won());
        won.filter(|_| self.options.has(Technique::Minimax)).map(|minimax| &minimax.evaluation)
    }

    /// Matches of self-play.
    pub(super) fn self_play(&self) -> Contest<M> {
        Contest::of_self_play(&self.machine, &self.options).with_minimax(self.evaluation())
    }

    /// Matches of the trial of the policy.
    pub(super) fn trial_of_policy(&self) -> Contest<M> {
        Contest::of_trial(&self.machine, &self.options).with_minimax(self.evaluation())
    }

    /// The candidate, for a contest.
    pub(super) fn novelty(&self) -> Option<Novelty> {
        self.candidate.clone().map(Novelty::Policy)
    }

    /// Plays and trains until a limit is reached; an iteration of the limits is a descent. Matches run on `threads`
    /// threads; with one thread and a limit of iterations, equal seeds give equal weights. Calls `tell` after each
    /// generation. If `tell` returns false, learning ends.
    ///
    /// # Errors
    /// The machine's errors.
    pub fn run(
        &mut self,
        limits: &Limits,
        threads: usize,
        mut tell: impl FnMut(&Generation) -> bool,
    ) -> Result<(), EvalError> {
        let began = Instant::now();
        let playing = limits
            .deadline
            .remaining()
            .map_or(limits.deadline, |left| Deadline::after(left.mul_f64(PLAYING)));
        let time = playing.remaining();
        let first_descent = self.descents;
        let mut end = FIRST;
        loop {
            // 1. Play until a part of the time, or of the descents, is over.
            let is_over = |descents: u64| {
                let by_time = time.map_or(0.0, |time| began.elapsed().as_secs_f64() / time.as_secs_f64());
                let done = (descents - first_descent) as f64;
                let by_descents = limits.iterations.map_or(0.0, |most| done / most as f64);
                by_time.max(by_descents) >= end || limits.stop.is_stopped()
            };
            self.play_until(&limits.clone().until(playing), threads, is_over)?;
            // 2. Train with all samples, and test.
            let generation = self.end_generation(limits);
            end *= GROWTH;
            let goes_on = tell(&generation);
            if !goes_on || end > 1.0 + 1e-6 || limits.stop.is_stopped() || limits.is_short_of(Duration::ZERO)
            {
                return Ok(());
            }
        }
    }

    /// Plays matches on `threads` threads until `is_over` holds for the number of descents so far.
    fn play_until(
        &mut self,
        limits: &Limits,
        threads: usize,
        is_over: impl Fn(u64) -> bool + Sync,
    ) -> Result<(), EvalError> {
        let (number, descents) = (AtomicU64::new(self.matches), AtomicU64::new(self.descents));
        let candidate = self.novelty();
        let work = |contest: Contest<M>| -> Result<Vec<SelfPlayMatch>, EvalError> {
            let mut played = Vec::new();
            while !is_over(descents.load(Ordering::Relaxed)) {
                let number = number.fetch_add(1, Ordering::Relaxed);
                let one = contest.play(candidate.as_ref(), number, limits)?;
                descents.fetch_add(one.descents, Ordering::Relaxed);
                played.push(one);
            }
            Ok(played)
        };
        let found = on_threads(threads, || self.self_play(), work);
        let mut played = Vec::new();
        for matches in found {
            played.extend(matches?);
        }
        played.sort_unstable_by_key(|one| one.number);
        self.matches = number.into_inner();
        self.descents = descents.into_inner();
        for one in played {
            self.count(one);
        }
        Ok(())
    }

    /// Counts how the policy fared in a match of self-play, and keeps the match.
    pub(super) fn count(&mut self, played: SelfPlayMatch) {
        if let Some(share) = played.share {
            self.trial.get_or_insert_default().add(share);
        }
        self.push(played);
    }

    /// Keeps the samples of a match. The oldest matches make room.
    pub(super) fn push(&mut self, played: SelfPlayMatch) {
        self.bytes += played.bytes();
        self.kept.push_back(played);
        while self.bytes > self.most_bytes
            && let Some(oldest) = self.kept.pop_front()
        {
            self.bytes -= oldest.bytes();
        }
    }

    /// Trains the policy with the kept samples as long as `limits` allow, and decides whether searches use it. A learner
    /// that goes on from a lesson keeps its last test until there are enough positions for a new one.
    pub fn end_generation(&mut self, limits: &Limits) -> Generation {
        let of = |purpose: &Purpose| -> Vec<&Sample> {
            let matches = self.kept.iter().filter(|one| one.purpose() == *purpose);
            matches.flat_map(|one| &one.samples).collect()
        };
        let (training, scaling, testing) =
            (of(&Purpose::Training), of(&Purpose::Scaling), of(&Purpose::Testing));
        for sample in (0..EPOCHS).flat_map(|_| &training) {
            if limits.stop.is_stopped() || limits.is_short_of(Duration::ZERO) {
                break;
            }
            self.policy.train(sample);
        }
        let held_out = testing.len().min(scaling.len());
        self.inherited = self.inherited.filter(|test| !test.is_matched_by(held_out));
        let generation = if let Some(test) = self.inherited {
            Generation { matches: self.matches, descents: self.descents, ..test }
        } else {
            let scale = self.policy.best_scale(&scaling);
            Generation {
                matches: self.matches,
                descents: self.descents,
                samples: training.len() as u64,
                by_history: explained_by_history(&testing, weight_of_history(&training)),
                by_policy: self.policy.scaled(scale).explained(&testing),
                scale,
            }
        };
        self.generations.push(generation);
        self.choose_candidate();
        generation
    }

    /// Makes the policy the candidate if it has passed the last test.
    fn choose_candidate(&mut self) {
        let last = self.generations.last().filter(|last| last.passes());
        self.candidate = last.map(|last| Arc::new(self.policy.scaled(last.scale)));
    }
}

/// The options of the searches of self-play of a player with `options`.
pub(super) fn of_short_searches(options: &MctsOptions) -> MctsOptions {
    MctsOptions {
        iterations: Some(options.iterations.map_or(DESCENTS, |most| most.min(MOST_DESCENTS))),
        memory: MEMORY.min(options.memory),
        threads: 1,
        ..options.clone()
    }
}

/// Calls `work` on so many threads, of which one is this one, with what `make` makes for each. Returns all results.
pub(super) fn on_threads<T: Send, R: Send>(
    threads: usize,
    make: impl Fn() -> T,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let others: Vec<T> = (1..threads).map(|_| make()).collect();
    let (own, work) = (make(), &work);
    std::thread::scope(|scope| {
        let running: Vec<_> = others.into_iter().map(|made| scope.spawn(move || work(made))).collect();
        let mut results = vec![work(own)];
        results.extend(running.into_iter().map(|thread| thread.join().expect("no match panics")));
        results
    })
}

impl<M: Playouts> Search<M> {
    /// Uses the policy of `lesson` from now on if it has passed its test, and minimax values if they have won theirs, in place
    /// of what it used before. Returns whether the search uses the policy.
    ///
    /// # Errors
    /// The machine's errors.
    pub fn use_lesson(&mut self, lesson: &Lesson) -> Result<bool, EvalError> {
        let machine = &self.worker.machine;
        let rules = AnonymousRules::new(machine.game().description());
        let fluents = machine.fluents();
        let minimax = lesson.minimax(&rules, &fluents).filter(|_| self.options.has(Technique::Minimax));
        self.evaluation = minimax.filter(MinimaxTrial::is_won).map(|minimax| minimax.evaluation);
        self.forget_policy();
        let policy = lesson.policy(&rules, &fluents);
        let (Some(policy), Some(scale)) = (policy, lesson.scale()) else { return Ok(false) };
        self.use_policy(Arc::new(policy.scaled(scale)))?;
        Ok(true)
    }

    /// Learns a policy by self-play on this thread until a limit is reached; an iteration of the limits is a descent of
    /// self-play. If the policy of the last generation passes its test, this search uses it from now on. Returns the
    /// tests of the generations. Does nothing in games that cannot be learnt ([`Learner::new`]).
    ///
    /// # Errors
    /// The machine's errors.
    pub fn learn(&mut self, limits: &Limits) -> Result<Vec<Generation>, EvalError> {
        let Some(mut learner) = Learner::new(&self.worker.machine, &self.options, None) else {
            return Ok(Vec::new());
        };
        learner.run(limits, 1, |_| true)?;
        if let Some(policy) = learner.used() {
            self.use_policy(policy)?;
        }
        Ok(learner.generations)
    }
}
