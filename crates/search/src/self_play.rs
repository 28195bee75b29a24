//! Learning a policy by self-play, in generations: matches of short searches against themselves, whose nodes train the
//! policy that the searches of the next generation use.

use crate::arm::Arm;
use crate::limits::{Halt, Limits};
use crate::node::Phase;
use crate::options::MctsOptions;
use crate::policy::{Policy, Sample, explained_by_history, weight_of_history};
use crate::search::Search;
use ggp_game::rng::{Sequence, mix};
use ggp_game::{Deadline, EvalError, Move, Playouts};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The number of descents of a search of self-play.
const DESCENTS: u64 = 1_000;
/// The memory bound of the tree of self-play, in MiB.
const MEMORY: usize = 64;
/// The largest number of random steps at the beginning of a match.
const OPENING: usize = 6;
/// The number of fluents in the context of a fluent.
const CONTEXT: usize = 32;
/// A game whose policy has more weights than this is not learnt.
const MOST_WEIGHTS: usize = 1 << 22;
/// The bytes of samples that are kept.
const MOST_BYTES: usize = 256 << 20;
/// Of so many matches, one is held out and tests the policy, one scales it, and the others train it.
const CYCLE: u64 = 8;
/// The number of times that each generation trains with all samples.
const EPOCHS: usize = 2;
/// Each generation ends at this many times the time, or descents, of the one before.
const GROWTH: f64 = 2.0;
/// The first generation ends after this share of the time, or of the descents.
const FIRST: f64 = 0.125;
/// If the policy predicts no better than the history after so many generations, self-play may end.
const TRIALS: usize = 2;
/// The part of the time that self-play takes; the last training takes a part of the rest.
const PLAYING: f64 = 0.85;
/// By how much the policy must explain more of the held-out variance than the history of moves does.
const LEAST_GAIN: f64 = 0.02;

/// What has been learnt by self-play.
#[derive(Debug)]
struct SelfPlay {
    policy: Policy,
    trained: Vec<Sample>,
    validation: Vec<Sample>,
    held_out: Vec<Sample>,
    bytes: usize,
    matches: u64,
    descents: u64,
    /// The policy that searches use, if it has passed the last test.
    used: Option<Arc<Policy>>,
    generations: Vec<Generation>,
}

/// The test of one generation.
#[derive(Clone, Copy, Debug)]
pub struct Generation {
    /// The matches played so far.
    pub matches: u64,
    /// The samples so far that train the policy.
    pub samples: usize,
    /// The share of the held-out variance of siblings' values that the history of moves explains.
    pub by_history: f64,
    /// The share that the policy explains.
    pub by_policy: f64,
}

impl Generation {
    /// Whether the policy predicts better than the history, so that a search should use it.
    pub fn passes(&self) -> bool {
        self.by_policy >= self.by_history + LEAST_GAIN
    }
}

impl SelfPlay {
    /// Plays one match, whose searches use the policy, and keeps its samples. Returns whether the match has come to its
    /// end; a limit may stop it before.
    fn play<M: Playouts>(
        &mut self,
        machine: &M,
        options: &MctsOptions,
        limits: &Limits,
    ) -> Result<bool, EvalError> {
        let seed = mix(options.seed() ^ mix(self.matches));
        let mut random = Sequence::new(seed);
        let mut opening = random.below(OPENING + 1);
        let options = MctsOptions { seed: Some(seed), ..options.clone() };
        let mut search = Search::new(machine.clone(), &options)?;
        if let Some(policy) = self.used.clone() {
            search.use_policy(policy)?;
        }
        let limits = Limits { iterations: Some(DESCENTS), ..limits.clone() };
        let mut samples = Vec::new();
        let ended = loop {
            search.open_root()?;
            let root = search.tree.root();
            if search.tree[root].phase == Phase::Ended {
                break true;
            }
            let draws_uniformly = opening > 0;
            if draws_uniformly {
                opening -= 1;
            } else {
                let halt = search.run(&limits);
                self.descents += DESCENTS;
                search.append_samples(&mut samples)?;
                match halt {
                    Halt::Iterations => {}
                    Halt::Decided => break true,
                    _ => break false,
                }
            }
            let joint = search.draw_joint(draws_uniformly, &mut random);
            search.advance(&joint)?;
        };
        self.bytes += samples.iter().map(Sample::bytes).sum::<usize>();
        self.matches += 1;
        let kept = match self.matches % CYCLE {
            1 => &mut self.held_out,
            2 => &mut self.validation,
            _ => &mut self.trained,
        };
        kept.append(&mut samples);
        Ok(ended)
    }

    /// Trains the policy with all samples as long as `limits` allow, and decides whether it is used.
    fn end_generation(&mut self, limits: &Limits) {
        let by_history = weight_of_history(&self.trained);
        self.policy.history = by_history;
        for sample in (0..EPOCHS).flat_map(|_| &self.trained) {
            if limits.stop.is_stopped() || limits.is_short_of(Duration::ZERO) {
                break;
            }
            self.policy.train(sample);
        }
        let policy = self.policy.shrunk_for(&self.validation);
        let generation = Generation {
            matches: self.matches,
            samples: self.trained.len(),
            by_history: explained_by_history(&self.held_out, by_history),
            by_policy: policy.explained(&self.held_out),
        };
        self.generations.push(generation);
        self.used = generation.passes().then(|| Arc::new(policy));
    }
}

impl SelfPlay {
    /// Whether the policy predicts no better than the history of moves although it has been tested with enough matches,
    /// or half of the time did not suffice for so many.
    fn is_hopeless(&self) -> bool {
        let tested = self.matches >= 2 * CYCLE;
        let better = self.generations.last().is_some_and(|last| last.by_policy > last.by_history);
        self.generations.len() >= TRIALS && tested && !better || self.generations.len() > TRIALS && !tested
    }
}

impl<M: Playouts> Search<M> {
    /// Learns a policy by self-play until a limit is reached; an iteration of the limits is a descent of self-play. If the
    /// policy of the last generation passes its test, nodes that are opened from now on use it. Returns the tests of
    /// the generations. Does nothing in games whose machine gives no contexts of fluents, and in games of one role.
    ///
    /// # Errors
    /// The machine's errors.
    pub fn learn(&mut self, limits: &Limits) -> Result<Vec<Generation>, EvalError> {
        let roles = self.tree.roles();
        let contexts = self.worker.machine.fluent_contexts(CONTEXT);
        let weights = roles * contexts.iter().map(|context| context.len() + 1).sum::<usize>();
        if roles < 2 || contexts.is_empty() || weights > MOST_WEIGHTS {
            return Ok(Vec::new());
        }
        let began = Instant::now();
        let options = MctsOptions {
            iterations: None,
            memory: MEMORY.min(self.options.memory),
            threads: 1,
            ..self.options.clone()
        };
        let mut learning = SelfPlay {
            policy: Policy::new(&contexts, roles),
            trained: Vec::new(),
            validation: Vec::new(),
            held_out: Vec::new(),
            bytes: 0,
            matches: 0,
            descents: 0,
            used: None,
            generations: Vec::new(),
        };
        let playing = Limits {
            deadline: limits
                .deadline
                .remaining()
                .map_or(limits.deadline, |left| Deadline::after(left.mul_f64(PLAYING))),
            ..limits.clone()
        };
        let time = playing.deadline.remaining();
        let mut end = FIRST;
        loop {
            let by_time = time.map_or(0.0, |time| began.elapsed().as_secs_f64() / time.as_secs_f64());
            let by_descents = limits.iterations.map_or(0.0, |most| learning.descents as f64 / most as f64);
            let done = by_time.max(by_descents);
            let goes_on = done < end
                && learning.bytes < MOST_BYTES
                && learning.play(&self.worker.machine, &options, &playing)?;
            if !goes_on {
                learning.end_generation(limits);
                end *= GROWTH;
                if end > 1.0
                    || learning.bytes >= MOST_BYTES
                    || learning.is_hopeless()
                    || limits.stop.is_stopped()
                {
                    break;
                }
            }
        }
        if let Some(policy) = learning.used {
            self.use_policy(policy)?;
        }
        Ok(learning.generations)
    }

    /// A joint move at the root, for variety in self-play: drawn uniformly from the legal moves, or in proportion to the
    /// squares of the visits.
    fn draw_joint(&self, uniformly: bool, random: &mut Sequence) -> Vec<Move> {
        let root = self.tree.root();
        let mut draw = |role| {
            let arms = self.tree.arms(root, role);
            let weight = |arm: &Arm| if uniformly { 1.0 } else { f64::from(arm.visits).powi(2) + 1e-9 };
            let mut left = random.between(0.0..arms.iter().map(weight).sum());
            let drawn = arms.iter().find(|arm| {
                left -= weight(arm);
                left < 0.0
            });
            drawn.unwrap_or(&arms[0]).mv
        };
        self.tree.each_role().map(&mut draw).collect()
    }
}
