//! Memos: the answers of a procedure to the questions asked so far.

use crate::key::{KeySpace, NONE, Slots, direct_index, hash};

/// The state of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// Not evaluated, or evaluated with answers that are right but perhaps not all.
    Open,
    /// The evaluation runs.
    Running,
    /// Evaluated, but on the assumption that a question which still runs has no further answers.
    Provisional,
    /// All answers are known.
    Complete,
}

/// A question to a procedure: the values of its bound arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question {
    pub(crate) status: Status,
    /// Whether a procedure without free arguments holds.
    pub(crate) holds: bool,
    /// The depth of the question that this one waits for, if the status is `Running` or `Provisional`. A
    /// running question waits for itself.
    pub(crate) waits: u32,
    /// The round of the fixpoint in which the evaluation began last.
    pub(crate) round: u32,
    /// The serial number of the traced question for which the evaluation began last.
    pub(crate) serial: u32,
    /// The first answer, or [`NONE`].
    pub(crate) first: u32,
    last: u32,
}

/// The memo of one procedure.
#[derive(Clone, Default, Debug)]
pub(crate) struct Memo {
    slots: Slots,
    pub(crate) questions: Vec<Question>,
    keys: Vec<u32>,
    /// The answers of all questions, one after the other.
    pub(crate) answers: Vec<u32>,
    /// For each answer, the next one to the same question, or [`NONE`].
    pub(crate) next: Vec<u32>,
    /// For each answer, its question.
    asked_by: Vec<u32>,
    known: Slots,
}

impl Memo {
    /// Forgets all questions.
    pub(crate) fn clear(&mut self) {
        if self.questions.is_empty() {
            return;
        }
        self.slots.clear();
        self.questions.clear();
        self.keys.clear();
        if !self.next.is_empty() {
            self.answers.clear();
            self.next.clear();
            self.asked_by.clear();
            self.known.clear();
        }
    }

    /// The size of the memo in words.
    pub(crate) fn words(&self) -> usize {
        self.questions.len() * 6 + self.keys.len() + self.answers.len() + 4 * self.next.len()
    }

    /// The question with this key, which is added if it is new. `None` if a value of the key cannot occur in
    /// the relation, so that there is no answer.
    #[inline]
    pub(crate) fn question(
        &mut self,
        space: &KeySpace,
        key: impl ExactSizeIterator<Item = u32> + Clone,
    ) -> Option<u32> {
        let number = self.questions.len() as u32;
        match space {
            KeySpace::Direct { columns, size } => {
                let at = direct_index(columns, key)?;
                let known = self.slots.get(at);
                if known != NONE {
                    return Some(known);
                }
                self.slots.allocate(*size);
                self.slots.set(at, number);
            }
            KeySpace::Hashed => {
                let width = key.len();
                let hashed = hash(key.clone());
                let own = |question: u32| self.keys[question as usize * width..][..width].iter().copied();
                let known = self.slots.find(hashed, |question| own(question).eq(key.clone()));
                if known != NONE {
                    return Some(known);
                }
                let keys = &self.keys;
                self.slots.insert(hashed, number, |question| {
                    hash(keys[question as usize * width..][..width].iter().copied())
                });
                self.keys.extend(key);
            }
        }
        self.questions.push(Question {
            status: Status::Open,
            holds: false,
            waits: NONE,
            round: 0,
            serial: 0,
            first: NONE,
            last: NONE,
        });
        Some(number)
    }

    /// The first answer to a question, and the last one if there will be no more, each [`NONE`] otherwise.
    #[inline]
    pub(crate) fn span(&self, question: u32) -> (u32, u32) {
        let own = &self.questions[question as usize];
        (own.first, if own.status == Status::Complete { own.last } else { NONE })
    }

    /// Adds an answer to `question`. Returns whether it is new. Without `distinct`, the caller accepts
    /// duplicates, and every answer counts as new.
    #[inline]
    pub(crate) fn answer(&mut self, question: u32, row: &[u32], distinct: bool) -> bool {
        let number = self.next.len() as u32;
        let width = row.len();
        if distinct {
            let hash_of =
                |question: u32, row: &[u32]| hash(std::iter::once(question).chain(row.iter().copied()));
            let hashed = hash_of(question, row);
            let (answers, asked_by) = (&self.answers, &self.asked_by);
            let own = |answer: u32| &answers[answer as usize * width..][..width];
            let is_it = |answer: u32| asked_by[answer as usize] == question && own(answer) == row;
            if self.known.find(hashed, is_it) != NONE {
                return false;
            }
            self.known.insert(hashed, number, |answer| hash_of(asked_by[answer as usize], own(answer)));
            self.asked_by.push(question);
        }
        self.answers.extend_from_slice(row);
        self.next.push(NONE);
        let question = &mut self.questions[question as usize];
        if question.first == NONE {
            question.first = number;
        } else {
            self.next[question.last as usize] = number;
        }
        question.last = number;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Memo;
    use crate::key::{KeySpace, NONE, Numbering};

    fn answers(memo: &Memo, question: u32) -> Vec<u32> {
        let mut all = Vec::new();
        let mut answer = memo.questions[question as usize].first;
        while answer != NONE {
            all.push(memo.answers[answer as usize]);
            answer = memo.next[answer as usize];
        }
        all
    }

    #[test]
    fn each_question_has_its_own_distinct_answers() {
        let values = Numbering::of(&[4, 5]);
        for space in [KeySpace::new(&[Some(&values)], 10), KeySpace::Hashed] {
            let mut memo = Memo::default();
            for _ in 0..2 {
                let [four, five] = [4, 5].map(|value| memo.question(&space, [value].into_iter()).unwrap());
                assert_eq!(memo.question(&space, [4].into_iter()), Some(four));
                assert!(memo.answer(four, &[1], true) && memo.answer(five, &[1], true));
                assert!(memo.answer(four, &[2], true) && !memo.answer(four, &[1], true));
                assert_eq!((answers(&memo, four), answers(&memo, five)), (vec![1, 2], vec![1]));
                memo.clear();
            }
        }
        let direct = KeySpace::new(&[Some(&values)], 10);
        assert_eq!(Memo::default().question(&direct, [6].into_iter()), None, "6 cannot occur");
    }
}
