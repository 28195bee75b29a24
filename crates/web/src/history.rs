//! The states of a session. They form a tree, since a session can continue from any earlier state.
//!
//! Invariant: a node has a larger index than its parent, and a joint move leads from a node to at most one
//! child. The memory is bounded: a full history refuses further states.

use crate::analysis::Analysis;
use crate::moment::Moment;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The largest total size of the texts of a session's states, in bytes.
const MOST_BYTES: usize = 32 << 20;

/// A node of the tree: a state, and the joint move that led to it.
pub(crate) struct Node {
    pub(crate) parent: Option<usize>,
    /// The joint move from the parent to this state. Empty for the first state.
    pub(crate) joint: Vec<String>,
    pub(crate) moment: Moment,
    /// The moves of `joint` in words.
    pub(crate) words: Vec<String>,
    /// The time at which the state was added, in milliseconds since 1970.
    pub(crate) time: u64,
    /// For each role, the results of the engine's search for the role's move in `joint`. `None` if no engine
    /// chose that move.
    pub(crate) thoughts: Vec<Option<Arc<Analysis>>>,
}

/// All states of a session.
#[derive(Default)]
pub(crate) struct History {
    nodes: Vec<Arc<Node>>,
    bytes: usize,
}

/// The error of a full history.
#[derive(Debug, thiserror::Error)]
#[error("this session has seen too many states; save the match and load it in a new one")]
pub(crate) struct Full;

impl History {
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn get(&self, number: usize) -> Option<&Arc<Node>> {
        self.nodes.get(number)
    }

    /// The index of the state that follows the state `parent` after `joint`. `None` if the history does not
    /// have this state.
    pub(crate) fn child(&self, parent: usize, joint: &[String]) -> Option<usize> {
        let after = parent + 1;
        let children = self.nodes.iter().enumerate().skip(after);
        children.into_iter().find(|(_, n)| n.parent == Some(parent) && n.joint == joint).map(|(i, _)| i)
    }

    /// Adds a state and returns its index. With the joint move that led to it come its moves in words.
    pub(crate) fn add(
        &mut self,
        parent: Option<usize>,
        (joint, words): (Vec<String>, Vec<String>),
        moment: Moment,
        thoughts: Vec<Option<Arc<Analysis>>>,
    ) -> Result<usize, Full> {
        let facts: usize = moment.facts.iter().map(|fact| fact.as_str().len() + 32).sum();
        let legal: usize = moment.legal.iter().flatten().map(|mv| mv.len() + 32).sum();
        if self.bytes + facts + legal > MOST_BYTES {
            return Err(Full);
        }
        self.bytes += facts + legal;
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
        self.nodes.push(Arc::new(Node { parent, joint, moment, words, time, thoughts }));
        Ok(self.nodes.len() - 1)
    }

    /// The indices of the states on the path from the first state to `tip`.
    pub(crate) fn line(&self, tip: usize) -> Vec<usize> {
        let mut line = vec![tip];
        while let Some(parent) = line.last().and_then(|&at| self.nodes[at].parent) {
            line.push(parent);
        }
        line.reverse();
        line
    }
}
