//! Learning a game by self-play: [`Learner`] plays matches of short searches, whose nodes train a policy that
//! guides the exploration of searches; a [`Lesson`] is what was learnt of one game, without the words of its
//! rules; [`Knowledge`] is a file of lessons.

mod contest;
mod distributed;
mod knowledge;
mod learner;
mod lesson;
mod matches;
mod minimax_trial;
mod positions;
mod self_play;
mod study;
mod trial;

pub use knowledge::{KNOWLEDGE, Knowledge, KnowledgeError};
pub use learner::{Generation, Learner};
pub use lesson::{Feature, Lesson};
pub use self_play::SelfPlayMatch;
pub use trial::Trial;
