//! [`Lesson`]: what was learnt of one game, without the words of its rules.

use super::learner::Generation;
use super::minimax_trial::MinimaxTrial;
use super::trial::Trial;
use crate::policy::{Features, Policy};
use ggp_game::{AnonymousRules, Fact, Role};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What was learnt of one game: the weights of a policy, and how well each generation of self-play predicted matches
/// that it did not know. The fluents have numbers for words, as [`AnonymousRules`] gives them, so that a lesson serves
/// every spelling of the rules.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Lesson {
    /// The fluents in bytewise order.
    fluents: Vec<String>,
    /// For each fluent, the fluents of its context in ascending order.
    contexts: Vec<Vec<u32>>,
    /// For each role, the weights of the fluents, and then those of the pairs of a fluent and one of its context.
    weights: Vec<f32>,
    /// For each weight, the sum of the squares of its slopes so far.
    squares: Vec<f32>,
    pub(crate) generations: Vec<Generation>,
    pub(crate) trial: Option<Trial>,
    /// The trial of minimax values. Its evaluation numbers the fluents as the lesson does.
    minimax: Option<MinimaxTrial>,
}

/// A lesson in a file of version 2, which knows nothing of minimax values.
#[derive(Deserialize)]
pub(crate) struct LessonOfVersion2 {
    fluents: Vec<String>,
    contexts: Vec<Vec<u32>>,
    weights: Vec<f32>,
    squares: Vec<f32>,
    generations: Vec<Generation>,
    trial: Option<Trial>,
}

impl LessonOfVersion2 {
    pub(crate) fn converted(self) -> Lesson {
        let LessonOfVersion2 { fluents, contexts, weights, squares, generations, trial } = self;
        Lesson { fluents, contexts, weights, squares, generations, trial, minimax: None }
    }
}

/// A lesson in a file of version 1. Its policy predicted the lead of a move in shares, as far as the history of moves did
/// not.
#[derive(Deserialize)]
pub(crate) struct LessonOfVersion1 {
    fluents: Vec<String>,
    contexts: Vec<Vec<u32>>,
    weights: Vec<f32>,
    squares: Vec<f32>,
    _history: f32,
    generations: Vec<Generation>,
    trial: Option<Trial>,
}

impl LessonOfVersion1 {
    /// The lesson with weights that predict leads in standard deviations. Version 1 does not tell these, so each is taken
    /// for a tenth of the range of the goals. More self-play mends what this misses.
    pub(crate) fn converted(self) -> Lesson {
        const PER_SHARE: f32 = 10.0;
        let LessonOfVersion1 { fluents, contexts, weights, squares, generations, trial, .. } = self;
        let times = |values: Vec<f32>, factor: f32| values.into_iter().map(|value| value * factor).collect();
        let (weights, squares) = (times(weights, PER_SHARE), times(squares, PER_SHARE * PER_SHARE));
        Lesson { fluents, contexts, weights, squares, generations, trial, minimax: None }
    }
}

/// One feature of a policy with its weight.
#[derive(Clone, PartialEq, Debug)]
pub struct Feature {
    /// The role whose moves it values.
    pub role: Role,
    /// The fluent that a move makes true.
    pub fluent: String,
    /// The fluent that must hold beside it; `None` for the fluent alone.
    pub beside: Option<String>,
    /// By how much a move with the feature leads over a move without it, in standard deviations of the values of the
    /// state's moves.
    pub weight: f32,
}

impl Lesson {
    /// The lesson of `policy`, whose fluents are `fluents` in the words of `rules`.
    pub(crate) fn new(
        policy: &Policy,
        (generations, trial, minimax): (&[Generation], Option<Trial>, Option<&MinimaxTrial>),
        rules: &AnonymousRules,
        fluents: &[Fact],
    ) -> Lesson {
        let anonymous = fluents.iter().map(|fluent| rules.anonymous(fluent.as_str()));
        let mut order: Vec<(String, u32)> = anonymous.zip(0..).collect();
        order.sort_unstable();
        let mut place = vec![0; fluents.len()];
        for (new, &(_, old)) in (0..).zip(&order) {
            place[old as usize] = new;
        }
        let to_old: Vec<u32> = order.iter().map(|&(_, old)| old).collect();
        let (contexts, moved) = renumber(&policy.features.contexts, &to_old, &place);
        let take = |values: &[f32]| -> Vec<f32> {
            let of_role = values.chunks_exact(policy.features.size);
            of_role.flat_map(|values| moved.iter().map(|&at| values[at as usize])).collect()
        };
        Lesson {
            fluents: order.into_iter().map(|(text, _)| text).collect(),
            contexts,
            weights: take(&policy.weights),
            squares: take(&policy.squares),
            generations: generations.to_vec(),
            trial,
            minimax: minimax.map(|known| known.renumbered(&to_old)),
        }
    }

    /// The trial of minimax values, for a game whose fluents are `fluents` in the words of `rules`. `None` if the lesson has
    /// none, or is of other fluents.
    pub(crate) fn minimax(&self, rules: &AnonymousRules, fluents: &[Fact]) -> Option<MinimaxTrial> {
        Some(self.minimax.as_ref()?.renumbered(&self.places(rules, fluents)?))
    }

    /// For each of `fluents` in the words of `rules`, its number in the lesson. `None` if the lesson is of other fluents.
    fn places(&self, rules: &AnonymousRules, fluents: &[Fact]) -> Option<Vec<u32>> {
        let places: FxHashMap<&str, u32> = self.fluents.iter().map(String::as_str).zip(0..).collect();
        let found: Option<Vec<u32>> =
            fluents.iter().map(|fluent| places.get(&*rules.anonymous(fluent.as_str())).copied()).collect();
        found.filter(|found| found.len() == self.fluents.len())
    }

    /// The policy for a game whose fluents are `fluents` in the words of `rules`. `None` if the lesson is of other
    /// fluents.
    pub(crate) fn policy(&self, rules: &AnonymousRules, fluents: &[Fact]) -> Option<Policy> {
        let to_old = self.places(rules, fluents)?;
        let mut place = vec![u32::MAX; to_old.len()];
        for (new, &old) in (0..).zip(&to_old) {
            place[old as usize] = new;
        }
        if place.contains(&u32::MAX) {
            return None;
        }
        let (contexts, moved) = renumber(&self.contexts, &to_old, &place);
        let features = Arc::new(Features::new(contexts));
        let size = features.size;
        let take = |values: &[f32]| -> Vec<f32> {
            values.chunks_exact(size).flat_map(|all| moved.iter().map(|&at| all[at as usize])).collect()
        };
        let (weights, squares) = (take(&self.weights), take(&self.squares));
        let mut policy = Policy::new(features, self.weights.len() / size.max(1));
        (policy.weights, policy.squares) = (weights, squares);
        Some(policy)
    }

    /// The lesson as bytes, for another process.
    ///
    /// # Panics
    /// Never: every lesson has bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("a lesson can be serialised")
    }

    /// The lesson that [`Lesson::to_bytes`] has written. `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Lesson> {
        postcard::from_bytes(bytes).ok().filter(Lesson::is_sound)
    }

    /// The tests of the generations of self-play, the oldest first.
    pub fn generations(&self) -> &[Generation] {
        &self.generations
    }

    /// The result of matches of searches with the policy against searches without it.
    pub fn trial(&self) -> Option<Trial> {
        self.trial
    }

    /// The result of short matches of searches with minimax values against searches without them; `None` without matches.
    pub fn minimax_trial(&self) -> Option<Trial> {
        self.minimax.as_ref().map(|minimax| minimax.trial).filter(|trial| trial.matches > 0)
    }

    /// Whether searches use minimax values: these win their matches clearly.
    pub fn uses_minimax(&self) -> bool {
        self.minimax.as_ref().is_some_and(MinimaxTrial::is_won)
    }

    /// Whether searches use the policy: the last generation has passed its test, and the policy does not lose matches
    /// ([`Trial::passes`]).
    pub fn is_used(&self) -> bool {
        self.scale().is_some()
    }

    /// The factor of the weights with which searches use the policy. `None` if they do not.
    pub(crate) fn scale(&self) -> Option<f32> {
        let last = self.generations.last().filter(|last| last.passes())?;
        self.trial.is_some_and(|trial| trial.passes()).then_some(last.scale)
    }

    /// The `most` features with the largest weights by absolute value, in the words of `rules`, the largest first.
    pub fn features(&self, rules: &AnonymousRules, most: usize) -> Vec<Feature> {
        let size = self.fluents.len() + self.contexts.iter().map(Vec::len).sum::<usize>();
        let mut order: Vec<usize> = (0..self.weights.len()).collect();
        order.sort_by(|&one, &other| {
            self.weights[other].abs().total_cmp(&self.weights[one].abs()).then(one.cmp(&other))
        });
        let scale = self.generations.last().map_or(1.0, |last| last.scale);
        let name = |fluent: u32| rules.named(&self.fluents[fluent as usize]);
        let feature = |at: usize| {
            let (role, mut rest) = (at / size, at % size);
            let (mut fluent, mut beside) = (rest as u32, None);
            if rest >= self.fluents.len() {
                rest -= self.fluents.len();
                // The weights of the pairs stand fluent by fluent.
                let mut contexts = (0..).zip(&self.contexts);
                (fluent, beside) = contexts
                    .find_map(|(fluent, context)| {
                        let other = context.get(rest).copied();
                        rest = rest.wrapping_sub(context.len());
                        other.map(|other| (fluent, Some(other)))
                    })
                    .expect("a weight of a pair");
            }
            Feature {
                role: Role(role as u8),
                fluent: name(fluent),
                beside: beside.map(name),
                weight: self.weights[at] * scale,
            }
        };
        order.into_iter().take(most).filter(|&at| self.weights[at] != 0.0).map(feature).collect()
    }

    /// The size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let texts: usize = self.fluents.iter().map(String::len).sum();
        texts
            + 4 * (self.contexts.iter().map(Vec::len).sum::<usize>()
                + 2 * self.weights.len()
                + 2 * self.fluents.len())
    }

    /// Whether the parts fit together, as they do in every lesson that this program has written.
    pub(crate) fn is_sound(&self) -> bool {
        let fluents = self.fluents.len();
        let size = fluents + self.contexts.iter().map(Vec::len).sum::<usize>();
        let in_order = |context: &Vec<u32>| {
            context.is_sorted_by(|one, two| one < two)
                && context.last().is_none_or(|&last| (last as usize) < fluents)
        };
        let finite = |values: &[f32]| values.iter().all(|value| value.is_finite());
        self.contexts.len() == fluents
            && self.contexts.iter().all(in_order)
            && fluents > 0
            && self.weights.len().is_multiple_of(size)
            && self.squares.len() == self.weights.len()
            && finite(&self.weights)
            && finite(&self.squares)
            && self.generations.iter().all(Generation::is_sound)
            && self.trial.is_none_or(|trial| trial.share.is_finite())
            && self
                .minimax
                .as_ref()
                .is_none_or(|minimax| minimax.trial.share.is_finite() && minimax.evaluation.is_sound(fluents))
    }
}

/// The contexts in another numbering of the fluents. `to_old[new]` is the old number of a fluent, and `place[old]` its new
/// one. Also returns, for each weight of a role in the new numbering, its old position.
fn renumber(contexts: &[Vec<u32>], to_old: &[u32], place: &[u32]) -> (Vec<Vec<u32>>, Vec<u32>) {
    let mut first = contexts.len();
    let mut firsts = Vec::with_capacity(contexts.len());
    for context in contexts {
        firsts.push(first);
        first += context.len();
    }
    let mut moved: Vec<u32> = to_old.to_vec();
    let mut renumbered = Vec::with_capacity(contexts.len());
    for &old in to_old {
        let context = contexts[old as usize].iter().zip(firsts[old as usize]..);
        let mut pairs: Vec<(u32, usize)> = context.map(|(&other, at)| (place[other as usize], at)).collect();
        pairs.sort_unstable();
        moved.extend(pairs.iter().map(|&(_, at)| at as u32));
        renumbered.push(pairs.into_iter().map(|(other, _)| other).collect());
    }
    (renumbered, moved)
}

#[cfg(test)]
mod tests {
    use super::Lesson;
    use crate::evaluation::Evaluation;
    use crate::learn::minimax_trial::MinimaxTrial;
    use crate::learn::{Generation, Trial};
    use crate::policy::{Features, Policy};
    use ggp_game::{AnonymousRules, Fact, Role};

    fn rules(text: &str) -> AnonymousRules {
        AnonymousRules::new(&ggp_gdl::parse(text.as_bytes()).unwrap())
    }

    fn facts(texts: &[&str]) -> Vec<Fact> {
        texts.iter().map(|&text| Fact::new(text).unwrap()).collect()
    }

    #[test]
    fn a_lesson_serves_other_words_whose_order_differs() {
        let (known, scrambled) =
            (rules("(init a) (init b) (init (c 1))"), rules("(init z) (init y) (init (x 1))"));
        let fluents = facts(&["(c 1)", "a", "b"]);
        let features = Features::new(vec![vec![1, 2], vec![], vec![0]]);
        let mut policy = Policy::new(features.into(), 2);
        // (c 1), a, b, (c 1) beside a, (c 1) beside b, b beside (c 1); twice.
        policy.weights = vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6];
        let lesson = Lesson::new(&policy, (&[Generation::default()], None, None), &known, &fluents);
        assert!(lesson.is_sound());
        let others = facts(&["(x 1)", "y", "z"]);
        let other = lesson.policy(&scrambled, &others).unwrap();
        assert_eq!(other.features.contexts, [vec![1, 2], vec![0], vec![]]);
        // (x 1), y, z, (x 1) beside y, (x 1) beside z, y beside (x 1).
        assert_eq!(other.weights[..6], [0.1, 0.3, 0.2, 0.5, 0.4, 0.6]);
        assert_eq!(other.weights[6..], [1.1, 1.3, 1.2, 1.5, 1.4, 1.6]);
        assert_eq!(Lesson::new(&other, (&[Generation::default()], None, None), &scrambled, &others), lesson);
        assert!(lesson.policy(&scrambled, &others[1..]).is_none(), "a fluent is missing");
        assert!(lesson.minimax(&known, &fluents).is_none());
        // An evaluation for which a state with `a` is worth more than one with `b`.
        let mut evaluation = Evaluation::new(3);
        for _ in 0..100 {
            evaluation.train(&[0b010], 0.9, 100);
            evaluation.train(&[0b100], 0.1, 100);
        }
        let minimax = MinimaxTrial { trial: Trial { matches: 12, share: 1.0 }, evaluation };
        let generations = [Generation::default()];
        let lesson = Lesson::new(&policy, (&generations, None, Some(&minimax)), &known, &fluents);
        assert!(lesson.is_sound() && lesson.uses_minimax());
        assert_eq!(lesson.minimax(&known, &fluents), Some(minimax.clone()));
        let other = lesson.minimax(&scrambled, &others).unwrap();
        let (of_known, of_other) = (
            [0b010, 0b100].map(|state| minimax.evaluation.share(&[state])),
            [0b100, 0b010].map(|state| other.evaluation.share(&[state])),
        );
        assert_eq!(of_known.map(f32::to_bits), of_other.map(f32::to_bits));
        assert!(of_known[0] > 0.5 && of_known[1] < 0.5 && other.trial == minimax.trial);
        assert!(lesson.policy(&known, &others).is_none(), "other words");
    }

    #[test]
    fn the_features_that_weigh_most_come_first() {
        let known = rules("(init a) (init b)");
        let mut policy = Policy::new(Features::new(vec![vec![1], vec![]]).into(), 2);
        policy.weights = vec![0.1, 0.0, -0.4, 0.2, 0.0, 0.3];
        let generation = Generation { scale: 0.5, ..Generation::default() };
        let lesson = Lesson::new(&policy, (&[generation], None, None), &known, &facts(&["a", "b"]));
        let features = lesson.features(&known, 2);
        let texts: Vec<_> =
            features.iter().map(|one| (one.role, &*one.fluent, one.beside.as_deref())).collect();
        assert_eq!(texts, [(Role(0), "a", Some("b")), (Role(1), "a", Some("b"))]);
        assert_eq!(features.iter().map(|one| one.weight).collect::<Vec<_>>(), [-0.2, 0.15]);
        assert_eq!(lesson.features(&known, 10).len(), 4, "weights of 0 are left out");
    }
}
