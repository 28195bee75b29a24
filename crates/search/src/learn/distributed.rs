//! Learning in several processes: some play matches of self-play with the policy of the latest [`Lesson`](super::Lesson), and
//! one learns from them.

use super::learner::Learner;
use super::self_play::SelfPlayMatch;
use crate::limits::Limits;
use ggp_game::{EvalError, Playouts};
use sha2::{Digest, Sha256};

impl<M: Playouts> Learner<M> {
    /// Plays one match of self-play, in which one role has the policy if it has passed its last test. The match follows from `seed` and the policy.
    /// It is not learnt: [`Learner::keep`] does so, here or in another process.
    ///
    /// # Errors
    /// The machine's errors.
    pub fn play(&self, seed: u64, limits: &Limits) -> Result<SelfPlayMatch, EvalError> {
        let played = self.self_play().play(self.novelty().as_ref(), seed, limits)?;
        Ok(SelfPlayMatch { fluents: self.order_of_fluents(), ..played })
    }

    /// Keeps a match that [`Learner::play`] has played, for [`Learner::end_generation`]. Returns false, and keeps nothing, if
    /// it is not a match of this game.
    ///
    /// Matches are numbered in the order in which they are kept, so one in eight is held out, whoever has played it.
    pub fn keep(&mut self, played: SelfPlayMatch) -> bool {
        if !self.fits(&played) {
            return false;
        }
        self.descents = self.descents.saturating_add(played.descents);
        self.count(SelfPlayMatch { number: self.matches, ..played });
        self.matches += 1;
        true
    }

    /// Keeps matches that the lesson with which this learner began has counted already: the last of them, the oldest first.
    /// They keep their numbers, so a match that was held out stays so. Returns false, and keeps nothing, if one of them is
    /// not a match of this game.
    pub fn recall(&mut self, played: Vec<SelfPlayMatch>) -> bool {
        let first = self.matches.saturating_sub(played.len() as u64);
        let fits = played.iter().all(|one| self.fits(one));
        if fits {
            // With all its matches, the lesson is tested as before.
            self.inherited = self.inherited.filter(|_| first > 0);
            for (number, one) in (first..).zip(played) {
                self.push(SelfPlayMatch { number, ..one });
            }
        }
        fits
    }

    /// Whether `played` is a match of this game, and numbers the fluents as the machine of this learner does.
    fn fits(&self, played: &SelfPlayMatch) -> bool {
        let (roles, fluents) = (self.machine.game().role_count(), self.machine.fluents().len());
        played.fluents == self.order_of_fluents()
            && played.samples.iter().all(|sample| sample.is_sound(roles, fluents))
    }

    /// A digest of the fluents in their order.
    fn order_of_fluents(&self) -> [u8; 32] {
        let mut digest = Sha256::new();
        for fluent in self.machine.fluents() {
            digest.update(fluent.as_str());
            digest.update("\n");
        }
        digest.finalize().into()
    }
}
