//! The state machine of a network: queries about single states. The submodules contain the shared data,
//! batches of states, and playouts.

pub(crate) mod batch;
mod bytes;
mod episodes;
mod playouts;
mod shared;

pub use self::episodes::{Checked, Episodes, IllegalAction, Seeds};
use self::playouts::PlayoutBuffers;
use self::shared::Shared;
use crate::cpu::{Cpu, Kernels};
use crate::nearness::Nearness;
use crate::net::PropNet;
use crate::program::{ONES, state_row};
use crate::report::{NetReport, ProgramCounts};
use crate::rows::Bits;
use crate::state::BitState;
use ggp_game::{EvalError, Fact, Game, Goals, Move, Role, StateMachine, StopToken};
use std::sync::Arc;

/// The number of 64-bit words of a row for playouts, which gives 512 lanes. In measurements this width was
/// the fastest.
pub(crate) const WORDS: usize = 8;

/// A state machine over a propositional network. Clones share the network and have their own rows.
#[derive(Clone, Debug)]
pub struct PropNetMachine {
    shared: Arc<Shared>,
    kernels: Kernels,
    /// The rows of the program for single states: one bit per state, up to 64 states.
    rows: Vec<u64>,
    /// The state whose values are in `rows`. `None` if no state or a batch of states is loaded.
    loaded: Option<BitState>,
    /// For each section except the next-state section, whether it has been evaluated for the loaded states.
    done: [bool; NEXT],
    /// The indices of the rows of moves and of sets of moves that are set for the joint moves of the last query. These rows are
    /// cleared only when the next joint moves are set, because the row of a move may also be the row of an
    /// output.
    made: Vec<usize>,
    /// Buffers for playouts without decisive moves, from states that are reachable from the initial state.
    reachable: PlayoutBuffers,
    /// Buffers for playouts with decisive moves, from states that are reachable from the initial state.
    decisive: PlayoutBuffers,
    /// Buffers for playouts from states that are not reachable from the initial state.
    general: PlayoutBuffers,
    /// Rows of the programs with decisive moves: one bit per state, up to 64 states.
    narrowed: Vec<u64>,
    /// Evaluates how near states are to the best goal of one role, the role of the last query about nearness.
    /// `None` before the first such query.
    nearness: Option<Box<Nearness>>,
    stop: StopToken,
}

const TERMINAL: usize = 0;
const GOALS: usize = 1;
const LEGAL: usize = 2;
const NEXT: usize = 3;

impl PropNetMachine {
    /// Creates a machine for the game of `net`.
    ///
    /// # Errors
    /// [`EvalError::TooLarge`] if a role has more than 2^20 moves.
    pub fn new(net: PropNet) -> Result<PropNetMachine, EvalError> {
        PropNetMachine::for_cpu(net, Cpu::detect())
    }

    /// Like [`PropNetMachine::new`], but uses no instructions beyond those of `cpu`.
    ///
    /// # Errors
    /// As [`PropNetMachine::new`].
    pub fn for_cpu(net: PropNet, cpu: Cpu) -> Result<PropNetMachine, EvalError> {
        PropNetMachine::compile(net, cpu, &StopToken::new())
    }

    /// Like [`PropNetMachine::for_cpu`], but stops compiling soon after `stop` is raised.
    ///
    /// # Errors
    /// As [`PropNetMachine::new`], and [`EvalError::Interrupted`] if `stop` is raised.
    pub fn compile(net: PropNet, cpu: Cpu, stop: &StopToken) -> Result<PropNetMachine, EvalError> {
        Ok(PropNetMachine::of(Shared::new(net, stop)?, cpu))
    }

    fn of(shared: Shared, cpu: Cpu) -> PropNetMachine {
        let mut rows = vec![0; shared.single.rows];
        rows[ONES as usize] = !0;
        PropNetMachine {
            shared: Arc::new(shared),
            kernels: Kernels::new(cpu),
            rows,
            loaded: None,
            done: [false; NEXT],
            made: Vec::new(),
            reachable: PlayoutBuffers::default(),
            decisive: PlayoutBuffers::default(),
            general: PlayoutBuffers::default(),
            narrowed: Vec::new(),
            nearness: None,
            stop: StopToken::new(),
        }
    }

    /// Restricts the machine to the instructions of `cpu`.
    #[must_use]
    pub fn limited_to(mut self, cpu: Cpu) -> PropNetMachine {
        self.kernels = Kernels::new(cpu);
        self
    }

    /// The state whose fluents are the bits of `words` (see [`BitState::words`]).
    ///
    /// # Errors
    /// [`EvalError::ForeignState`] if the words have not the length of a state or set bits behind the last fluent,
    /// [`EvalError::NeverTogether`] for fluents that cannot hold together.
    pub fn state_of_words(&self, words: &[u64]) -> Result<BitState, EvalError> {
        let fluents = self.shared.net.fluents.len();
        let mut state = BitState::empty(fluents);
        let spare =
            words.last().is_some_and(|&last| !fluents.is_multiple_of(64) && last >> (fluents % 64) != 0);
        if words.len() != state.words().len() || spare {
            return Err(EvalError::ForeignState);
        }
        state.words_mut().copy_from_slice(words);
        match self.shared.net.never_together(|fluent| state.has(fluent)) {
            Some((one, two)) => {
                Err(EvalError::NeverTogether(one.as_str().to_owned(), two.as_str().to_owned()))
            }
            None => Ok(state),
        }
    }

    /// The index of `mv` among the moves of `role` in the network. `None` if the role has no such move.
    pub fn action_of(&self, role: Role, mv: Move) -> Option<u32> {
        self.shared.own[role.index()].get(&mv).copied()
    }

    /// The network that the machine evaluates.
    pub fn net(&self) -> &PropNet {
        &self.shared.net
    }

    /// Sizes of the programs that run plain playouts.
    pub fn program_counts(&self) -> ProgramCounts {
        ProgramCounts::of(&self.shared.reachable)
    }

    /// Sizes of the programs that run playouts with decisive moves. The first call compiles these programs.
    /// `None` if no restriction of the moves applies.
    pub fn decisive_counts(&self) -> Option<ProgramCounts> {
        self.shared.narrowed().programs().map(ProgramCounts::of)
    }

    /// Compiles the programs for playouts with decisive moves now instead of on first use. If `stop` is
    /// raised before they are complete, this machine and its clones play without decisive moves.
    pub fn compile_decisive(&self, stop: &StopToken) {
        self.shared.narrowed_unless(stop);
    }

    /// A detailed report on the network and the compiled programs.
    pub fn report(&self) -> NetReport {
        let Shared { net, single, reachable, .. } = &*self.shared;
        NetReport::new(net, single, reachable, WORDS)
    }

    /// Evaluates `section` for `state`. Loads the state into the rows first, unless it is loaded already.
    fn evaluate(&mut self, state: &BitState, section: usize) {
        if self.loaded.as_ref() != Some(state) {
            let fluents = self.shared.net.fluents.len();
            for (fluent, row) in self.rows[state_row(0)..][..fluents].iter_mut().enumerate() {
                *row = u64::from(state.has(fluent));
            }
            self.loaded = Some(state.clone());
            self.done = [false; NEXT];
        }
        self.run_section(section);
    }

    /// Evaluates `section` for the loaded state, after the sections whose values `section` reads. Sections
    /// that have already been evaluated for that state are skipped, except the next-state section.
    fn run_section(&mut self, section: usize) {
        let single = &self.shared.single;
        let before: &[usize] = match section {
            NEXT => &[TERMINAL, LEGAL],
            _ => &[TERMINAL],
        };
        for section in before.iter().copied().chain([section]) {
            let blocks = match section {
                TERMINAL => &single.terminal_blocks,
                GOALS => &single.goal_blocks,
                LEGAL => &single.legal_blocks,
                _ => &single.next_blocks,
            };
            // The next-state section always runs again: it depends on moves that may have changed.
            if section == NEXT || !std::mem::replace(&mut self.done[section], true) {
                Kernels::run_packed(blocks, &single.gates, &mut self.rows);
            }
        }
    }

    /// Sets the rows of moves and of sets of moves according to `joints`, which holds one joint move for each loaded state.
    fn make_moves(&mut self, joints: &[Move]) -> Result<(), EvalError> {
        for row in self.made.drain(..) {
            self.rows[row] = 0;
        }
        let choices = &self.shared.single.choices;
        for (lane, joint) in joints.chunks_exact(choices.len()).enumerate() {
            for (choice, mv) in choices.iter().zip(joint) {
                let Some(&index) = self.shared.own[choice.role].get(mv) else {
                    let text = self.shared.texts.get(mv.index()).map_or("?", |text| text);
                    let role = self.shared.net.game.role_name(Role(choice.role as u8));
                    return Err(EvalError::UnknownFact(format!("(does {role} {text})")));
                };
                let own = [choice.base + index];
                let rows = choice.sets.as_ref().map_or(&own[..], |sets| sets.of(index as usize));
                for &row in rows {
                    self.rows[row as usize] |= 1 << lane;
                    self.made.push(row as usize);
                }
            }
        }
        Ok(())
    }

    /// Evaluates the next state and the percepts after `joint` in `state`.
    fn evaluate_next(&mut self, state: &BitState, joint: &[Move]) -> Result<(), EvalError> {
        self.evaluate(state, LEGAL);
        self.make_moves(joint)?;
        self.run_section(NEXT);
        Ok(())
    }

    fn value(&self, (row, negated): (u32, bool)) -> bool {
        self.rows[row as usize].negate_if(negated) & 1 == 1
    }
}

impl StateMachine for PropNetMachine {
    type State = BitState;

    fn game(&self) -> &Arc<Game> {
        &self.shared.net.game
    }

    fn name(&self) -> &'static str {
        "propnet"
    }

    fn initial_state(&mut self) -> Result<BitState, EvalError> {
        let fluents = &self.shared.net.fluents;
        let mut state = BitState::empty(fluents.len());
        (0..fluents.len()).filter(|&fluent| fluents[fluent].initial).for_each(|fluent| state.set(fluent));
        Ok(state)
    }

    fn is_terminal(&mut self, state: &BitState) -> Result<bool, EvalError> {
        self.evaluate(state, TERMINAL);
        Ok(self.value(self.shared.single.terminal))
    }

    fn legal_moves(&mut self, state: &BitState, role: Role, out: &mut Vec<Move>) -> Result<(), EvalError> {
        self.evaluate(state, LEGAL);
        out.clear();
        let legal = self.shared.single.legal[role.index()].iter().zip(&self.shared.moves[role.index()]);
        out.extend(legal.filter(|&(&literal, _)| self.value(literal)).map(|(_, &mv)| mv));
        Ok(())
    }

    fn next_state(&mut self, state: &BitState, joint: &[Move]) -> Result<BitState, EvalError> {
        self.evaluate_next(state, joint)?;
        let single = &self.shared.single;
        let mut next = BitState::empty(single.next.len());
        for (fluent, &literal) in single.next.iter().enumerate() {
            if self.value(literal) {
                next.set(fluent);
            }
        }
        Ok(next)
    }

    fn goals(&mut self, state: &BitState, out: &mut [Goals]) -> Result<(), EvalError> {
        self.evaluate(state, GOALS);
        let single = &self.shared.single;
        for ((out, rows), role) in out.iter_mut().zip(&single.goals).zip(&self.shared.net.roles) {
            // The last row belongs to `bad_goal`: a `goal` whose value is invalid.
            let goals = role.goals.iter().map(|&(goal, _)| Some(goal)).chain([None]);
            let holding = rows.iter().zip(goals).filter(|&(&literal, _)| self.value(literal));
            *out = Goals::of(holding.map(|(_, goal)| goal));
        }
        Ok(())
    }

    fn facts(&mut self, state: &BitState, out: &mut Vec<Fact>) -> Result<(), EvalError> {
        out.clear();
        let fluents = self.shared.net.fluents.iter().enumerate();
        out.extend(fluents.filter(|&(number, _)| state.has(number)).map(|(_, fluent)| fluent.fact.clone()));
        out.sort_unstable();
        Ok(())
    }

    fn state_of(&mut self, facts: &[Fact]) -> Result<BitState, EvalError> {
        let mut state = BitState::empty(self.shared.net.fluents.len());
        for fact in facts {
            let fluent = self.shared.fluent_of.get(fact);
            let fluent = fluent.ok_or_else(|| EvalError::UnknownFact(fact.as_str().to_owned()))?;
            state.set(*fluent as usize);
        }
        if let Some((one, two)) = self.shared.net.never_together(|fluent| state.has(fluent)) {
            return Err(EvalError::NeverTogether(one.as_str().to_owned(), two.as_str().to_owned()));
        }
        Ok(state)
    }

    fn percepts(
        &mut self,
        state: &BitState,
        joint: &[Move],
        role: Role,
        out: &mut Vec<Fact>,
    ) -> Result<(), EvalError> {
        self.evaluate_next(state, joint)?;
        out.clear();
        let rows = self.shared.single.percepts[role.index()].iter();
        let sees = rows.zip(&self.shared.net.roles[role.index()].sees);
        out.extend(sees.filter(|&(&literal, _)| self.value(literal)).map(|(_, (fact, _))| fact.clone()));
        out.sort_unstable();
        Ok(())
    }

    fn move_text(&self, mv: Move) -> &str {
        &self.shared.texts[mv.index()]
    }

    fn parse_move(&mut self, text: &str) -> Option<Move> {
        let text = ggp_game::canonical_term(text)?;
        self.shared.of_text.get(text.as_str()).copied().or_else(|| {
            let mut folded =
                (0..self.shared.texts.len()).filter(|&at| self.shared.texts[at].eq_ignore_ascii_case(&text));
            let number = folded.next()?;
            folded.next().is_none().then_some(Move(number as u32))
        })
    }

    fn interrupt_on(&mut self, stop: &StopToken) {
        self.stop = stop.clone();
    }
}
