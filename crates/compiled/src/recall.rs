//! Recalled answers: a decision tree for each question, learned from the evaluations of the question.
//!
//! A variable is a group of fluents, the move of a role, or a question. Its value is a number. An evaluation of a
//! question reads variables one after the other, and its answer depends on nothing else. The tree of a question
//! holds the reads of earlier evaluations as paths: an inner node names the variable that is read next, and has a
//! child for each value seen so far; a leaf is the answer. A later evaluation that finds its values in the tree is
//! a walk from the root to a leaf. Another evaluation runs the rules and adds its path.
//!
//! An answer stays valid until a variable changes that an evaluation of the question has read.

use crate::key::NONE;
use rustc_hash::FxHashSet;

/// The mark of a leaf. The other bits are the answer.
const LEAF: u32 = 1 << 31;

/// The value of a question whose answer is not known in the present state.
pub(crate) const UNKNOWN: u32 = NONE;

/// The maximum length of a path.
pub(crate) const LONGEST: usize = 96;

/// The size of all trees together, in words, above which they are emptied. Later evaluations fill them anew, which is
/// far faster than to go on without what they would add. One path can exceed the size.
const MOST_WORDS: usize = 1 << 24;

/// The greatest value of a variable in a path.
const MOST_CHILDREN: usize = 1 << 16;

/// The maximum number of pairs of a question and a variable that it has read.
const MOST_READS: usize = 1 << 22;

/// The number of evaluations after which a question without enough recalled answers gets no tree, and the number
/// of recalled answers for each evaluation that are enough.
const TRIED: u32 = 4096;
const ENOUGH: u32 = 1;

/// The list of no question.
pub(crate) const UNLISTED: u32 = NONE;

/// A question.
#[derive(Clone, Copy, Debug)]
struct Question {
    root: u32,
    /// The list that the question joins when its answer becomes unknown, or [`UNLISTED`].
    list: u32,
    walks: u32,
    evaluations: u32,
    /// The only variable that the last walk read, or [`NONE`].
    only: u32,
    is_input: bool,
    /// Whether the question reads moves as a whole.
    reads_moves: bool,
    /// Whether the present evaluation has begun to read moves in another way.
    is_mixed: bool,
}

/// The values of all variables, and the trees.
#[derive(Clone, Debug)]
pub(crate) struct Recall {
    /// For each variable, its value. The questions come last.
    pub(crate) values: Vec<u32>,
    /// The number of the first question.
    first: usize,
    questions: Vec<Question>,
    /// The inner nodes: the variable, the number of children, the children.
    nodes: Vec<u32>,
    /// For each variable, the questions that have read it.
    readers: Vec<Vec<u32>>,
    reads: FxHashSet<(u32, u32)>,
    /// Questions whose reads are not known.
    volatile: Vec<u32>,
    /// The questions of each list whose answers became unknown.
    pub(crate) lists: Vec<Vec<u32>>,
    stack: Vec<(u32, u32)>,
    spread: Vec<u32>,
    /// The time spent so far, in units of about five nanoseconds.
    pub(crate) effort: u64,
    /// The part of it for walks.
    pub(crate) walk_effort: u64,
}

/// The effort of an evaluation in addition to that of its rows.
const EVALUATION: u64 = 300;

impl Recall {
    /// No questions, `variables` variables with the value 0, and `lists` lists.
    pub(crate) fn new(variables: usize, lists: usize) -> Recall {
        Recall {
            values: vec![0; variables],
            first: variables,
            questions: Vec::new(),
            nodes: Vec::new(),
            readers: vec![Vec::new(); variables],
            reads: FxHashSet::default(),
            volatile: Vec::new(),
            lists: vec![Vec::new(); lists],
            stack: Vec::new(),
            spread: Vec::new(),
            effort: 0,
            walk_effort: 0,
        }
    }

    /// The number of the first question's variable.
    #[inline]
    pub(crate) fn first(&self) -> usize {
        self.first
    }

    /// Whether the questions have read more variables than should be stored.
    pub(crate) fn has_many_reads(&self) -> bool {
        self.reads.len() > MOST_READS
    }

    /// Adds a variable that is not a question, with the value 0.
    pub(crate) fn add_input(&mut self) -> u32 {
        let variable = self.add();
        self.values[variable as usize] = 0;
        self.questions[variable as usize - self.first].is_input = true;
        variable
    }

    /// Adds a question. Returns its variable.
    pub(crate) fn add(&mut self) -> u32 {
        self.questions.push(Question {
            root: NONE,
            list: UNLISTED,
            walks: 0,
            evaluations: 0,
            only: NONE,
            is_input: false,
            reads_moves: false,
            is_mixed: false,
        });
        self.values.push(UNKNOWN);
        self.readers.push(Vec::new());
        self.values.len() as u32 - 1
    }

    /// Whether the question reads moves as a whole.
    pub(crate) fn reads_moves(&self, question: u32) -> bool {
        self.questions[question as usize - self.first].reads_moves
    }

    /// Lets the question read moves as a whole from now on.
    pub(crate) fn read_moves(&mut self, question: u32) {
        let own = &mut self.questions[question as usize - self.first];
        if !own.reads_moves {
            (own.reads_moves, own.is_mixed) = (true, true);
            own.root = NONE;
        }
    }

    /// Puts `question` on a list, now and whenever its answer becomes unknown.
    pub(crate) fn put_on(&mut self, question: u32, list: u32) {
        self.questions[question as usize - self.first].list = list;
        if self.values[question as usize] == UNKNOWN {
            self.lists[list as usize].push(question);
        }
    }

    /// Changes the value of a variable that is not a question.
    #[inline]
    pub(crate) fn set(&mut self, variable: u32, value: u32) {
        if self.values[variable as usize] != value {
            self.values[variable as usize] = value;
            self.invalidate(variable);
        }
    }

    /// Makes the answers unknown whose reads are not known. Called after every change of the variables.
    #[inline]
    pub(crate) fn changed(&mut self) {
        while let Some(question) = self.volatile.pop() {
            if self.values[question as usize] != UNKNOWN {
                self.forget(question);
                self.invalidate(question);
            }
        }
    }

    /// Makes all answers unknown.
    pub(crate) fn forget_all(&mut self) {
        self.lists.iter_mut().for_each(Vec::clear);
        for at in self.first..self.values.len() {
            if !self.questions[at - self.first].is_input {
                self.forget(at as u32);
            }
        }
        self.volatile.clear();
        self.stack.clear();
    }

    #[inline]
    fn forget(&mut self, question: u32) {
        self.values[question as usize] = UNKNOWN;
        let list = self.questions[question as usize - self.first].list;
        if list != UNLISTED {
            self.lists[list as usize].push(question);
        }
    }

    /// Makes the answers unknown that can depend on `variable`.
    #[inline]
    fn invalidate(&mut self, variable: u32) {
        let mut next = Some(variable);
        while let Some(variable) = next {
            for at in 0..self.readers[variable as usize].len() {
                let reader = self.readers[variable as usize][at];
                if self.values[reader as usize] != UNKNOWN {
                    let only = self.questions[reader as usize - self.first].only;
                    if only != NONE && only != variable {
                        continue;
                    }
                    self.forget(reader);
                    if !self.readers[reader as usize].is_empty() {
                        self.spread.push(reader);
                    }
                }
            }
            next = self.spread.pop();
        }
    }

    /// Looks the answer of a question up in its tree. Returns whether the answer is known.
    #[inline]
    pub(crate) fn walk(&mut self, question: u32) -> bool {
        let mut question = question;
        let mut at = self.questions[question as usize - self.first].root;
        // The number of variables that the innermost question has read, and the last of them.
        let (mut count_read, mut last) = (0u32, NONE);
        loop {
            if at & LEAF != 0 {
                if at == NONE {
                    self.stack.clear();
                    return false;
                }
                self.values[question as usize] = at & !LEAF;
                let own = &mut self.questions[question as usize - self.first];
                own.walks = own.walks.saturating_add(1);
                self.walk_effort += u64::from(count_read) / 2 + 3;
                own.only = if count_read == 1 { last } else { NONE };
                let Some(below) = self.stack.pop() else { return true };
                (question, at) = below;
                count_read = 1;
            }
            let node = &self.nodes[at as usize..];
            let (variable, count) = (node[0], node[1]);
            let value = self.values[variable as usize];
            if value < count {
                at = node[2 + value as usize];
                (count_read, last) = (count_read + 1, variable);
            } else if value == UNKNOWN {
                count_read = 0;
                self.stack.push((question, at));
                question = variable;
                at = self.questions[question as usize - self.first].root;
            } else {
                self.stack.clear();
                return false;
            }
        }
    }

    /// Records the answer of a question that was evaluated, and its reads in their order. `None` if the reads are
    /// not known.
    pub(crate) fn learn(&mut self, question: u32, answer: u32, reads: Option<&[u32]>) {
        self.values[question as usize] = answer;
        let own = &mut self.questions[question as usize - self.first];
        own.evaluations = own.evaluations.saturating_add(1);
        own.only = NONE;
        self.effort += EVALUATION;
        let Some(reads) = reads else {
            self.volatile.push(question);
            return;
        };
        let tried = own.evaluations;
        let mut known = 0;
        if std::mem::take(&mut own.is_mixed) {
            // Its next evaluation makes the tree.
        } else if tried > TRIED && tried.saturating_mul(ENOUGH) > own.walks {
            own.root = NONE;
        } else if reads.len() <= LONGEST {
            if self.nodes.len() > MOST_WORDS {
                self.forget_trees();
            }
            known = self.insert(question, answer, reads);
        }
        for &variable in &reads[known..] {
            if self.reads.insert((variable, question)) {
                self.readers[variable as usize].push(question);
            }
        }
    }

    /// Empties all trees. The answers that are known in the present state stay.
    #[cold]
    fn forget_trees(&mut self) {
        self.nodes.clear();
        self.questions.iter_mut().for_each(|question| question.root = NONE);
    }

    /// Adds a path to the tree of a question. Returns the number of reads that the tree had already.
    fn insert(&mut self, question: u32, answer: u32, reads: &[u32]) -> usize {
        let own = question as usize - self.first;
        // The place that refers to the present node: a child, or the root.
        let mut place: Option<usize> = None;
        let mut known = reads.len();
        for (number, &variable) in reads.iter().enumerate() {
            let value = self.values[variable as usize];
            let mut node = place.map_or(self.questions[own].root, |at| self.nodes[at]);
            if value as usize > MOST_CHILDREN {
                return known.min(number);
            }
            if node == NONE {
                known = known.min(number);
                node = self.nodes.len() as u32;
                let count = (value + 1).max(2);
                self.nodes.extend([variable, count]);
                self.nodes.extend(std::iter::repeat_n(NONE, count as usize));
            } else if node & LEAF != 0 || self.nodes[node as usize] != variable {
                return known.min(number);
            } else if value >= self.nodes[node as usize + 1] {
                let (start, count) = (node as usize, self.nodes[node as usize + 1]);
                node = self.nodes.len() as u32;
                let more = (value + 1).max(2 * count);
                self.nodes.extend([variable, more]);
                self.nodes.extend_from_within(start + 2..start + 2 + count as usize);
                self.nodes.extend(std::iter::repeat_n(NONE, (more - count) as usize));
            }
            match place {
                Some(at) => self.nodes[at] = node,
                None => self.questions[own].root = node,
            }
            place = Some((node + 2 + value) as usize);
        }
        match place {
            Some(at) => self.nodes[at] = answer | LEAF,
            None => self.questions[own].root = answer | LEAF,
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::{Recall, UNKNOWN};

    #[test]
    fn an_answer_is_recalled_for_the_same_values_of_what_was_read() {
        let mut recall = Recall::new(3, 1);
        let (inner, outer) = (recall.add(), recall.add());
        recall.put_on(outer, 0);
        assert_eq!(recall.lists[0], [outer]);
        recall.lists[0].clear();
        assert!(!recall.walk(outer), "nothing is known yet");
        recall.learn(inner, 7, Some(&[0, 1]));
        recall.learn(outer, 8, Some(&[2, inner]));
        recall.set(0, 1);
        assert_eq!((recall.values[inner as usize], recall.values[outer as usize]), (UNKNOWN, UNKNOWN));
        assert_eq!(recall.lists[0], [outer], "it is asked again");
        recall.lists[0].clear();
        assert!(!recall.walk(outer), "the inner question has not been evaluated for the value 1");
        recall.learn(inner, 5, Some(&[0]));
        recall.set(0, 0);
        assert!(recall.walk(outer));
        assert_eq!((recall.values[inner as usize], recall.values[outer as usize]), (7, 8));
        recall.set(2, 4);
        assert_eq!((recall.values[inner as usize], recall.values[outer as usize]), (7, UNKNOWN));
    }

    #[test]
    fn an_answer_depends_on_what_any_evaluation_has_read() {
        let mut recall = Recall::new(3, 0);
        let question = recall.add();
        recall.learn(question, 1, Some(&[0, 1]));
        recall.set(0, 1);
        recall.learn(question, 2, Some(&[0, 2]));
        recall.set(2, 1);
        assert_eq!(recall.values[question as usize], UNKNOWN, "the second path reads variable 2");
        recall.learn(question, 3, Some(&[0, 2]));
        recall.set(0, 0);
        assert!(recall.walk(question));
        recall.set(1, 1);
        assert_eq!(recall.values[question as usize], UNKNOWN, "the first path reads variable 1");
    }

    #[test]
    fn emptied_trees_are_filled_anew() {
        let mut recall = Recall::new(1, 0);
        let question = recall.add();
        recall.learn(question, 3, Some(&[0]));
        recall.forget_trees();
        assert_eq!(recall.values[question as usize], 3, "the answer is still known");
        recall.set(0, 1);
        recall.set(0, 0);
        assert!(!recall.walk(question));
        recall.learn(question, 3, Some(&[0]));
        recall.set(0, 1);
        recall.set(0, 0);
        assert!(recall.walk(question));
        assert_eq!(recall.values[question as usize], 3);
    }

    #[test]
    fn an_answer_with_unknown_reads_is_forgotten_at_each_change() {
        let mut recall = Recall::new(1, 0);
        let (inner, outer) = (recall.add(), recall.add());
        recall.learn(inner, 1, None);
        recall.learn(outer, 1, Some(&[inner]));
        recall.changed();
        assert_eq!((recall.values[inner as usize], recall.values[outer as usize]), (UNKNOWN, UNKNOWN));
        assert!(!recall.walk(inner));
    }
}
