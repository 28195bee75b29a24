//! Hints: knowledge about a game that a machine may have in addition to the answers of the rules.

use crate::{EvalError, Fact, Goal, Move, Role, StateMachine};

/// Knowledge of a machine about its game that makes a search faster or stronger. Hints never change legal
/// moves, states or goals: a search without hints is slower or weaker, but still correct. By default a
/// machine gives no hints.
pub trait Hints: StateMachine {
    /// Makes the preparations for playouts with decisive moves
    /// ([`PlayoutPlan::decisive`](crate::PlayoutPlan::decisive)). If this method is not called, the first of
    /// these playouts waits for the preparations.
    fn prepare_decisive(&mut self) {}

    /// Whether the machine computes decisive moves, and at what cost or why not. The first call makes the
    /// preparations of [`Hints::prepare_decisive`].
    fn decisive(&mut self) -> DecisiveMoves {
        DecisiveMoves::Off(NoDecisiveMoves::Unsupported)
    }

    /// Removes superfluous moves from `moves`, a list of moves of `role`. Two moves are equivalent if, after
    /// either of them, the game ends at the same time with the same goals. Of equivalent moves the function
    /// keeps the one that comes first among all moves of the role, as [`Hints::decisive_moves`] does. If the
    /// machine does not know whether two moves are equivalent, it keeps both.
    fn distinct_moves(&mut self, role: Role, moves: &mut Vec<Move>) {
        let _ = (role, moves);
    }

    /// The subgames of a single-role game. A game has subgames if its state consists of parts, and each move
    /// affects at most one part. Each part on which the game's best goal depends gives one subgame. A subgame
    /// is a machine with the same states and moves as the game, in which only the moves that affect this part
    /// are legal. The subgame ends with goal 100 as soon as its part satisfies all conditions that the best
    /// goal sets for the part. The result is empty if the machine cannot find at least two subgames.
    fn subgames(&mut self) -> Vec<Self> {
        Vec::new()
    }

    /// Replaces `out` by one entry for each role in each of `states`: state by state, and role by role within
    /// a state. An entry holds the moves of one role in one state among which a playout with decisive moves
    /// ([`PlayoutPlan::decisive`](crate::PlayoutPlan::decisive)) draws. `out` becomes empty if the machine does
    /// not know these moves.
    ///
    /// # Errors
    /// See [`StateMachine`].
    fn decisive_moves(
        &mut self,
        states: &[&Self::State],
        out: &mut Vec<RestrictedMoves>,
    ) -> Result<(), EvalError> {
        let _ = states;
        out.clear();
        Ok(())
    }

    /// Replaces `out` by one number from 0 to 1 for each of `states`: how near the state is to `role`'s best
    /// goal, measured by the share of the goal's conditions that hold. `out` becomes empty if the machine
    /// cannot compute this measure. The measure is a heuristic for ordering states.
    ///
    /// # Errors
    /// See [`StateMachine`].
    fn nearness(&mut self, states: &[&Self::State], role: Role, out: &mut Vec<f32>) -> Result<(), EvalError> {
        let _ = (states, role);
        out.clear();
        Ok(())
    }

    /// Replaces `out` by the conditions of `role`'s best goal that hold in each of `states`. `out` becomes empty if the
    /// machine does not know the conditions, or if the goal is not a conjunction of several ones. The conditions and
    /// their order are the same for all states.
    ///
    /// # Errors
    /// See [`StateMachine`].
    fn goal_parts(
        &mut self,
        states: &[&Self::State],
        role: Role,
        out: &mut GoalParts,
    ) -> Result<(), EvalError> {
        let _ = (states, role);
        out.clear(0);
        Ok(())
    }

    /// The fluents that may hold in some state, in the order of their bits in [`Hints::fluent_words`]. Empty if the
    /// machine does not keep its states as bits.
    fn fluents(&self) -> Vec<Fact> {
        Vec::new()
    }

    /// For each fluent, at most `most` fluents that the rules connect with it, by their indices in [`Hints::fluents`] in
    /// ascending order. Empty if the machine does not know them.
    fn fluent_contexts(&mut self, most: usize) -> Vec<Vec<u32>> {
        let _ = most;
        Vec::new()
    }

    /// The fluents of `state` as bits, 64 in a word, in the order of [`Hints::fluents`]. Empty if the machine does not
    /// keep its states as bits.
    fn fluent_words<'s>(&self, state: &'s Self::State) -> &'s [u64] {
        let _ = state;
        &[]
    }
}

/// For some states, the conditions of a goal that hold: the parts of the conjunction that the goal is.
///
/// ```
/// use ggp_game::GoalParts;
///
/// let mut parts = GoalParts::default();
/// parts.clear(70);
/// parts.push(&[0b101, 1 << 5]);
/// assert_eq!((parts.count(), parts.of(0)), (70, &[0b101, 1 << 5][..]));
/// ```
#[derive(Clone, Default, Debug)]
pub struct GoalParts {
    count: usize,
    words: Vec<u64>,
}

impl GoalParts {
    /// Removes all states, and sets the number of conditions.
    pub fn clear(&mut self, count: usize) {
        self.count = count;
        self.words.clear();
    }

    /// Adds a state: one bit for each condition, 64 bits in a word. The bits behind the last condition are 0.
    ///
    /// # Panics
    /// If there are not as many words as the conditions need.
    pub fn push(&mut self, words: &[u64]) {
        assert_eq!(words.len(), self.width(), "a bit for each condition");
        self.words.extend_from_slice(words);
    }

    /// The number of conditions.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The conditions that hold in the state with this number.
    pub fn of(&self, state: usize) -> &[u64] {
        &self.words[state * self.width()..][..self.width()]
    }

    fn width(&self) -> usize {
        self.count.div_ceil(64)
    }
}

/// The moves of a role in a state among which a playout with decisive moves draws.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RestrictedMoves {
    /// The moves, in the order in which the machine lists legal moves: that is not the order of the numbers of moves
    /// ([`Move`]) in general.
    pub moves: Vec<Move>,
    /// The machine's knowledge of the role's legal moves.
    pub verdict: Verdict,
}

/// A machine's knowledge of the legal moves of a role that chooses alone, in a game of two roles beside chance.
///
/// A verdict assumes that each role takes a move that gives it its best goal if it has one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Verdict {
    /// The machine knows nothing.
    #[default]
    Open,
    /// Each move of [`RestrictedMoves::moves`] ends the game with these goals. The winner is the role itself.
    Wins(Ending),
    /// No move wins at once. After each legal move that is neither in [`RestrictedMoves::moves`] nor equivalent to one
    /// of these ([`Hints::distinct_moves`]), the other role ends the game at once with these goals.
    OthersLose(Ending),
    /// After each legal move, the other role ends the game at once with these goals.
    Loses(Ending),
}

/// The goals with which a game ends when one of two roles wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending {
    /// The winner.
    pub winner: Role,
    /// The goal of the winner: the role's largest goal.
    pub best: Goal,
    /// The goal of the other role: that role's smallest goal.
    pub least: Goal,
}

/// Whether a machine computes decisive moves: moves that win at once or prevent a loss at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecisiveMoves {
    /// The machine computes them.
    On(DecisiveCost),
    /// The machine could compute them, but playouts would become too slow.
    TooSlow(DecisiveCost),
    /// The machine does not compute them.
    Off(NoDecisiveMoves),
}

/// The cost of decisive moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DecisiveCost {
    /// The number of gates of a playout step without decisive moves, as a mean over the phases of the game.
    pub plain: usize,
    /// The same with decisive moves.
    pub decisive: usize,
    /// The estimated time of a playout step with decisive moves, in per cent of one without.
    pub time: usize,
}

/// The reason why a machine computes no decisive moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoDecisiveMoves {
    /// The machine has no propositional network, which finds these moves.
    #[error("the machine has no network")]
    Unsupported,
    /// The preparations were stopped.
    #[error("the search for them was stopped")]
    Stopped,
    /// No role ever chooses alone, so that what a move leads to depends on the moves of others.
    #[error("no role is known to choose alone")]
    NobodyAlone,
    /// Whether the game ends, or who wins, depends on recursive rules.
    #[error("the end of the game or its goals depend on recursive rules")]
    Recursive,
    /// No move is found that wins at once and that another role can prevent.
    #[error("no move is found to win at once")]
    NoneFound,
    /// The conditions for a win after each move take too much work or too many gates.
    #[error("the conditions for a win after each move take too many gates")]
    TooLarge,
}

impl NoDecisiveMoves {
    /// All reasons.
    pub const ALL: [NoDecisiveMoves; 6] = [
        NoDecisiveMoves::Unsupported,
        NoDecisiveMoves::Stopped,
        NoDecisiveMoves::NobodyAlone,
        NoDecisiveMoves::Recursive,
        NoDecisiveMoves::NoneFound,
        NoDecisiveMoves::TooLarge,
    ];
}

impl std::fmt::Display for DecisiveMoves {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (text, DecisiveCost { plain, decisive, time }) = match self {
            DecisiveMoves::On(cost) => ("on", cost),
            DecisiveMoves::TooSlow(cost) => ("off: playouts would be too slow", cost),
            DecisiveMoves::Off(why) => return write!(f, "off: {why}"),
        };
        let times = *time as f64 / 100.0;
        write!(f, "{text} ({decisive} gates a step, {plain} without; about {times:.1} times the time)")
    }
}
