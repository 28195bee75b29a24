//! The interface that the interpreter and the propositional network implement.

use crate::{EvalError, Fact, Game, Goals, Move, Role, StopToken};
use std::hash::Hash;
use std::sync::Arc;

/// The executable rules of a game: states, legal moves, transitions, goals (Genesereth & Thielscher,
/// "General Game Playing", chapter 4).
///
/// Methods take `&mut self` because a machine owns its scratch memory; each thread uses its own clone. A
/// state or a move is valid in the machine that made it and in clones made from that machine afterwards.
///
/// An evaluation fails only for causes that static checks cannot exclude: terms or relations that exceed a
/// bound, or an interruption. A machine remains usable after an error.
pub trait StateMachine: Clone + Send {
    /// The type of states: compact, hashable, comparable.
    type State: Clone + Eq + Hash + Send + Sync + std::fmt::Debug;

    /// The game that this machine executes.
    fn game(&self) -> &Arc<Game>;

    /// The kind of the machine in one word, which records and reports show: `datalog` or `propnet`.
    fn name(&self) -> &'static str;

    /// The initial state: the fluents that `init` gives.
    ///
    /// # Errors
    /// See the trait.
    fn initial_state(&mut self) -> Result<Self::State, EvalError>;

    /// Whether `terminal` holds in `state`.
    ///
    /// # Errors
    /// See the trait.
    fn is_terminal(&mut self, state: &Self::State) -> Result<bool, EvalError>;

    /// Replaces `out` by the moves that `legal` gives for `role`, without duplicates, in bytewise order of
    /// their texts. The same holds in a terminal state, in which the rules can still give legal moves. `out`
    /// becomes empty if the rules give no legal move.
    ///
    /// # Errors
    /// See the trait.
    fn legal_moves(&mut self, state: &Self::State, role: Role, out: &mut Vec<Move>) -> Result<(), EvalError>;

    /// The state that follows `state` after the joint move `joint`, which holds one move per role in role
    /// order. The moves are not checked for legality.
    ///
    /// # Errors
    /// See the trait.
    fn next_state(&mut self, state: &Self::State, joint: &[Move]) -> Result<Self::State, EvalError>;

    /// Writes each role's goals in `state` to `out`, in role order. The length of `out` is the number of
    /// roles.
    ///
    /// # Errors
    /// See the trait.
    fn goals(&mut self, state: &Self::State, out: &mut [Goals]) -> Result<(), EvalError>;

    /// Replaces `out` by the facts that are true in `state`, sorted bytewise.
    ///
    /// # Errors
    /// See the trait.
    fn facts(&mut self, state: &Self::State, out: &mut Vec<Fact>) -> Result<(), EvalError>;

    /// The state in which exactly `facts` are true.
    ///
    /// # Errors
    /// See the trait; also [`EvalError::UnknownFact`] for a fact that can never be true in this game.
    fn state_of(&mut self, facts: &[Fact]) -> Result<Self::State, EvalError>;

    /// Replaces `out` by the percepts (`sees`, GDL-II) that `role` receives when `joint` is made in `state`,
    /// sorted bytewise. `out` is empty in GDL-I games.
    ///
    /// # Errors
    /// See the trait.
    fn percepts(
        &mut self,
        state: &Self::State,
        joint: &[Move],
        role: Role,
        out: &mut Vec<Fact>,
    ) -> Result<(), EvalError>;

    /// The size of the heap data of `state` in bytes, in addition to the size of the value itself. A search
    /// uses this size to bound its memory. The default, 0, is right only for states without heap data.
    fn heap_bytes(&self, state: &Self::State) -> usize {
        let _ = state;
        0
    }

    /// The canonical text of `mv`, which must be a move of this machine.
    fn move_text(&self, mv: Move) -> &str;

    /// The move whose text is `text`, whether or not it is legal now. Differences in whitespace do not count.
    /// An exact match is preferred. Otherwise the result is the only known move that matches without regard
    /// to ASCII case. `None` if there is no such move. A machine knows at least the moves that
    /// [`StateMachine::legal_moves`] has given since the last [`StateMachine::release_moves`].
    fn parse_move(&mut self, text: &str) -> Option<Move>;

    /// The joint move whose texts are `texts`: one for each role, in role order. [`StateMachine::parse_move`]
    /// reads each text. The moves need not be legal.
    ///
    /// # Errors
    /// When the number of texts is not the number of roles, or when the machine knows no move with one of the
    /// texts.
    ///
    /// # Examples
    /// ```
    /// use ggp_game::{Game, Interpreter, StateMachine};
    /// use std::sync::Arc;
    /// let rules = b"(role a) (role b) (legal a x) (legal b y) (<= terminal (true never)) (goal a 0) (goal b 0)";
    /// let mut machine = Interpreter::new(&Arc::new(Game::new(ggp_gdl::parse(rules).unwrap()).unwrap()));
    /// let state = machine.initial_state().unwrap();
    /// assert!(machine.parse_legal_joint(&state, &["x", "y"]).is_ok());
    /// let error = machine.parse_joint(&["x"]).unwrap_err();
    /// assert_eq!(error.to_string(), "a joint move has 2 moves, one for each role, not 1");
    /// ```
    fn parse_joint(&mut self, texts: &[impl AsRef<str>]) -> Result<Vec<Move>, JointMoveError> {
        self.parse_joint_among(&[], texts)
    }

    /// The same as [`StateMachine::parse_joint`], except for a text that differs from the texts of all known
    /// moves. The function compares such a text with the moves of the role in `legal`, which has one list of
    /// moves for each role. If the text matches exactly one of these moves without regard to ASCII case, it
    /// means that move. The resulting moves need not be legal.
    ///
    /// # Errors
    /// As [`StateMachine::parse_joint`].
    fn parse_joint_among(
        &mut self,
        legal: &[Vec<Move>],
        texts: &[impl AsRef<str>],
    ) -> Result<Vec<Move>, JointMoveError> {
        let game = Arc::clone(self.game());
        if texts.len() != game.role_count() {
            return Err(JointMoveError::WrongLength { given: texts.len(), roles: game.role_count() });
        }
        let mut joint = Vec::with_capacity(texts.len());
        for (role, text) in game.roles().zip(texts) {
            let text = text.as_ref();
            let mut known = self.parse_move(text);
            if known.is_none_or(|mv| self.move_text(mv) != text) {
                let fits = |mv: &Move| self.move_text(*mv).eq_ignore_ascii_case(text);
                let mut folded = legal.get(role.index()).into_iter().flatten().copied().filter(fits);
                if let (Some(mv), None) = (folded.next(), folded.next()) {
                    known = Some(mv);
                }
            }
            joint.push(known.ok_or_else(|| JointMoveError::unknown(game.role_name(role), text))?);
        }
        Ok(joint)
    }

    /// The joint move whose texts are `texts`. Each move must be legal in `state`.
    ///
    /// # Errors
    /// [`JointMoveError::WrongLength`] if the number of texts is not the number of roles,
    /// [`JointMoveError::Illegal`] if a move is not legal, and the errors of the evaluation.
    fn parse_legal_joint(
        &mut self,
        state: &Self::State,
        texts: &[impl AsRef<str>],
    ) -> Result<Vec<Move>, JointMoveError> {
        let game = Arc::clone(self.game());
        if texts.len() != game.role_count() {
            return Err(JointMoveError::WrongLength { given: texts.len(), roles: game.role_count() });
        }
        game.roles()
            .zip(texts)
            .map(|(role, text)| self.parse_legal_move(state, role, text.as_ref()))
            .collect()
    }

    /// The move whose text is `text`, if it is legal for `role` in `state`.
    ///
    /// # Errors
    /// [`JointMoveError::Illegal`], with the first legal moves, if the move is not legal; also the errors of
    /// the evaluation.
    fn parse_legal_move(
        &mut self,
        state: &Self::State,
        role: Role,
        text: &str,
    ) -> Result<Move, JointMoveError> {
        let mut legal = Vec::new();
        self.legal_moves(state, role, &mut legal)?;
        if let Some(mv) = self.parse_move(text).filter(|mv| legal.contains(mv)) {
            return Ok(mv);
        }
        let mut named: Vec<&str> = legal.iter().take(NAMED_MOVES).map(|&mv| self.move_text(mv)).collect();
        let more = format!("and {} more", legal.len().saturating_sub(NAMED_MOVES));
        if legal.len() > NAMED_MOVES {
            named.push(&more);
        }
        let legal = if named.is_empty() { "none".to_owned() } else { named.join(", ") };
        let role = self.game().role_name(role).to_owned();
        Err(JointMoveError::Illegal { role, text: printable(text), legal })
    }

    /// The canonical texts of `role`'s legal moves in `state`, in bytewise order.
    ///
    /// # Errors
    /// See the trait.
    fn legal_texts(&mut self, state: &Self::State, role: Role) -> Result<Vec<String>, EvalError> {
        let mut legal = Vec::new();
        self.legal_moves(state, role, &mut legal)?;
        Ok(legal.into_iter().map(|mv| self.move_text(mv).to_owned()).collect())
    }

    /// The facts that are true in `state`, sorted bytewise.
    ///
    /// # Errors
    /// See the trait.
    fn facts_of(&mut self, state: &Self::State) -> Result<Vec<Fact>, EvalError> {
        let mut facts = Vec::new();
        self.facts(state, &mut facts)?;
        Ok(facts)
    }

    /// The goals of all roles in `state`, in role order.
    ///
    /// # Errors
    /// See the trait.
    fn goals_of(&mut self, state: &Self::State) -> Result<Vec<Goals>, EvalError> {
        let mut goals = vec![Goals::None; self.game().role_count()];
        self.goals(state, &mut goals)?;
        Ok(goals)
    }

    /// Whether the move table is so large that [`StateMachine::release_moves`] is worth a call. A caller that
    /// holds no moves should then call it: otherwise the moves of an endless game take unbounded memory. The
    /// default is false.
    fn has_many_moves(&self) -> bool {
        false
    }

    /// Empties the move table. Moves that the machine gave before become invalid; states remain valid. The
    /// default does nothing.
    fn release_moves(&mut self) {}

    /// From now on, long evaluations return [`EvalError::Interrupted`] soon after `stop` is raised. The
    /// default does nothing.
    fn interrupt_on(&mut self, stop: &StopToken) {
        let _ = stop;
    }
}

/// The largest number of legal moves that an error message names.
const NAMED_MOVES: usize = 8;

/// The reason why texts cannot be read as a joint move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum JointMoveError {
    /// The number of texts is not the number of roles.
    #[error("a joint move has {roles} moves, one for each role, not {given}")]
    WrongLength {
        /// The number of texts.
        given: usize,
        /// The number of roles.
        roles: usize,
    },
    /// The machine knows no move with this text.
    #[error("`{text}` is not a move of {role}")]
    Unknown {
        /// The name of the role that should make the move.
        role: String,
        /// The text of the move; control characters are replaced.
        text: String,
    },
    /// The move is not legal in the state.
    #[error("{role} has no legal move `{text}`; legal: {legal}")]
    Illegal {
        /// The name of the role that should make the move.
        role: String,
        /// The text of the move; control characters are replaced.
        text: String,
        /// The texts of the role's first legal moves, separated by commas, and how many more there are.
        legal: String,
    },
    /// The legal moves could not be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

impl JointMoveError {
    /// The error for a move of the role `role` whose `text` the machine does not know.
    pub fn unknown(role: &str, text: &str) -> JointMoveError {
        JointMoveError::Unknown { role: role.to_owned(), text: printable(text) }
    }
}

/// `text` with control characters replaced, because a text from another program may be printed on a terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

impl From<JointMoveError> for EvalError {
    fn from(error: JointMoveError) -> EvalError {
        match error {
            JointMoveError::Eval(error) => error,
            JointMoveError::Unknown { text, .. } | JointMoveError::Illegal { text, .. } => {
                EvalError::UnknownFact(text)
            }
            JointMoveError::WrongLength { .. } => EvalError::UnknownFact(error.to_string()),
        }
    }
}
