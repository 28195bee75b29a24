//! A sequential test over results that arrive in any order. The test reads them in the order of the plan.

use crate::comparison::Comparisons;
use crate::elo::{Scores, Sprt, SprtState};
use crate::result::MatchResult;
use std::collections::{BTreeMap, VecDeque};

/// A sequential test in progress. Once it has accepted a hypothesis, its state is final.
#[derive(Debug)]
pub(crate) struct SequentialTest {
    sprt: Sprt,
    /// The two players. The hypotheses are about the strength of the first player compared with the second.
    players: Vec<String>,
    /// The plan indices of the matches whose results have not been read yet, in order.
    expected: VecDeque<u64>,
    /// Results that have arrived and not been read, by the plan index of their match. They wait for the
    /// results of earlier matches.
    early: BTreeMap<u64, MatchResult>,
    comparisons: Comparisons,
    counts: [u64; 5],
    state: SprtState,
}

impl SequentialTest {
    pub(crate) fn new(sprt: Sprt, players: Vec<String>) -> SequentialTest {
        let counts = [0; 5];
        SequentialTest {
            sprt,
            players,
            expected: VecDeque::new(),
            early: BTreeMap::new(),
            comparisons: Comparisons::default(),
            counts,
            state: sprt.state(&Scores::Pairs(counts)),
        }
    }

    /// Announces the next match, whose plan index is `number`. The caller announces all matches in order
    /// before it adds a result.
    pub(crate) fn expect(&mut self, number: u64) {
        self.expected.push_back(number);
    }

    /// Adds the result of the match with plan index `number`.
    pub(crate) fn add(&mut self, number: u64, result: &MatchResult) {
        self.early.insert(number, result.clone());
    }

    /// Reads results in the order of the plan, up to the first match without a result. Stops when a
    /// hypothesis is accepted.
    pub(crate) fn advance(&mut self) {
        while self.state.accepted.is_none()
            && let Some(number) = self.expected.front()
            && let Some(result) = self.early.remove(number)
        {
            self.expected.pop_front();
            if !result.is_scored() {
                continue;
            }
            for pair in self.comparisons.add(&result).1 {
                let own = if pair.players[0] == self.players[0] { pair.score } else { 4 - pair.score };
                self.counts[usize::from(own)] += 1;
            }
            self.state = self.sprt.state(&Scores::Pairs(self.counts));
        }
    }

    pub(crate) fn state(&self) -> SprtState {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::result;
    use crate::elo::Hypothesis;

    #[test]
    fn results_are_looked_at_in_order_and_the_decision_stays() {
        let sprt = Sprt::new(0.0, 100.0, 0.05, 0.05).unwrap();
        let matches = 200u64;
        let results: Vec<MatchResult> = (0..matches)
            .map(|number| {
                let encounter = format!("e{}", number / 2);
                // The second half of the plan alone would give the opposite decision.
                let (b, a) = if number < 100 { (100, 0) } else { (0, 100) };
                let seats = [("b", b), ("a", a)];
                let seats = if number % 2 == 0 { seats } else { [seats[1], seats[0]] };
                result(&encounter, number as usize % 2, &seats)
            })
            .collect();
        let run = |order: &[u64]| {
            let mut sprt = SequentialTest::new(sprt, vec!["b".to_owned(), "a".to_owned()]);
            (0..matches).for_each(|number| sprt.expect(number));
            for &number in order {
                sprt.add(number, &results[number as usize]);
                sprt.advance();
            }
            sprt.state()
        };
        let forward: Vec<u64> = (0..matches).collect();
        let backward: Vec<u64> = (0..matches).rev().collect();
        let state = run(&forward);
        assert_eq!(state.accepted, Some(Hypothesis::H1));
        assert!(state.count < 50);
        assert_eq!(run(&backward), state);
        assert_eq!(run(&backward[..150]).count, 0, "nothing before the first");
    }
}
