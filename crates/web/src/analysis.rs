//! The result of a search, in the form that a page shows.

use crate::gesture;
use crate::known::Known;
use ggp_arena::interval::wilson;
use ggp_game::SearchReport;
use ggp_view::Position;
use serde::Serialize;

/// The page shows at most this many candidate moves.
const SHOWN: usize = 8;

/// The page shows at most this many joint moves of the principal variation.
const LINE: usize = 12;

/// A move that the search considered.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Candidate {
    #[serde(rename = "move")]
    mv: String,
    /// The move in words.
    words: String,
    squares: Vec<usize>,
    visits: u64,
    /// The mean goal of the role that makes the move, from 0 to 100. `None` if the move has no visits.
    score: Option<f64>,
    /// The lower end of Wilson's 95 % interval for `score`. The interval is valid because goals lie between 0
    /// and 100: their variance is at most that of wins and losses with the same mean.
    low: Option<f64>,
    /// The upper end of Wilson's 95 % interval for `score`.
    high: Option<f64>,
    /// The final goal of the role that makes the move, if the search has proved it. Otherwise `None`.
    proven: Option<u8>,
    /// The probability of the move, from 0 to 1, if the role draws its move. Otherwise `None`.
    probability: Option<f64>,
}

/// A joint move of the principal variation, and for each of its moves its words and the squares that it names.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Step {
    moves: Vec<String>,
    words: Vec<String>,
    squares: Vec<Vec<usize>>,
}

/// The result of the search for a move of one role.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Analysis {
    /// The index of the role for whose move the search ran.
    pub(crate) role: usize,
    /// The index of the searched state in the history of the session.
    pub(crate) node: usize,
    /// Whether a person asked for this search, as a hint. Otherwise an engine searches for its own move.
    pub(crate) hint: bool,
    /// Whether the search has ended.
    pub(crate) done: bool,
    iterations: u64,
    /// Whether the best move is hardly better than a guess ([`SearchReport::is_guess`]).
    guess: bool,
    nodes: u64,
    /// The time that the search took, in seconds.
    elapsed: f64,
    candidates: Vec<Candidate>,
    principal: Vec<Step>,
}

impl Analysis {
    /// The score of the best move. `None` if no move has a score.
    pub(crate) fn best_score(&self) -> Option<f64> {
        self.candidates.first()?.score
    }

    /// The result of a search that has ended.
    pub(crate) fn into_done(self) -> Analysis {
        Analysis { done: true, ..self }
    }

    /// The result of a search that has ended and that a person asked for.
    pub(crate) fn into_hint(self) -> Analysis {
        Analysis { hint: true, done: true, ..self }
    }

    /// The form of `report` that a page shows. `position` is the layout of the state that was searched.
    pub(crate) fn new(
        known: &Known,
        position: &Position,
        report: &SearchReport,
        (role, node): (usize, usize),
        elapsed: f64,
    ) -> Analysis {
        let squares = |mv: &str| gesture::squares(&known.model, mv, position);
        // The moves behind the first are told in the layout of the state that was searched, as their squares are.
        let words = |mv: &str| gesture::words(&known.model, mv, position);
        let candidate = |c: &ggp_game::Candidate| {
            let share = c.score.map(|score| (score / 100.0).clamp(0.0, 1.0));
            let interval = share.map(|share| wilson(share, c.visits.max(1) as f64));
            Candidate {
                mv: c.mv.clone(),
                words: words(&c.mv),
                squares: squares(&c.mv),
                visits: c.visits,
                score: c.score,
                low: interval.map(|i| i.low * 100.0),
                high: interval.map(|i| i.high * 100.0),
                proven: c.proven,
                probability: c.probability,
            }
        };
        let step = |joint: &Vec<String>| Step {
            moves: joint.clone(),
            words: joint.iter().map(|mv| words(mv)).collect(),
            squares: joint.iter().map(|mv| squares(mv)).collect(),
        };
        Analysis {
            role,
            node,
            hint: false,
            done: false,
            iterations: report.iterations,
            guess: report.is_guess(),
            nodes: report.nodes,
            elapsed,
            candidates: report.candidates.iter().take(SHOWN).map(candidate).collect(),
            principal: report.principal.iter().take(LINE).map(step).collect(),
        }
    }
}
