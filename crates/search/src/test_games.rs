//! Small games for this crate's tests, written directly as machines: the tests of the search must not depend
//! on an evaluator of rules.

mod faulty;
mod latin;

pub(crate) use faulty::{ILL_FORMED_SCORES, Slow, hanging, hanging_of_two, ill_formed, slow};
use ggp_game::{
    Batches, EvalError, Fact, Game, Goal, GoalParts, Goals, Hints, Move, Role, StateMachine, StopToken,
};
pub(crate) use latin::latin;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

/// The rules of a game whose states are vectors of small numbers. A move is a number below 100, which is also
/// its text.
pub(crate) trait Rules: Clone + Send {
    fn initial(&self) -> Vec<u8>;
    fn is_over(&self, state: &[u8]) -> bool;
    fn legal(&self, state: &[u8], role: usize) -> Vec<u32>;
    fn next(&self, state: &[u8], joint: &[u32]) -> Vec<u8>;
    fn goal(&self, state: &[u8], role: usize) -> Option<u8>;

    /// The role's goals in a state: one or none, unless the rules are not well-formed.
    fn goals(&self, state: &[u8], role: usize) -> Goals {
        self.goal(state, role).and_then(Goal::new).map_or(Goals::None, Goals::One)
    }

    /// Whether this transition hangs until the machine is interrupted.
    fn hangs(&mut self, _state: &[u8], _joint: &[Move]) -> bool {
        false
    }

    /// Which conditions of the best goal hold. Empty if the machine does not know the conditions.
    fn parts(&self, _state: &[u8]) -> Vec<bool> {
        Vec::new()
    }

    /// Whether the machine's current query is interrupted. The query asks how near some states are to the
    /// goal.
    fn is_interrupted(&mut self) -> bool {
        false
    }
}

/// A machine that executes the rules `R`.
#[derive(Clone, Debug)]
pub(crate) struct TestMachine<R> {
    pub(crate) rules: R,
    game: Arc<Game>,
    texts: Arc<Vec<String>>,
    stop: StopToken,
}

impl<R: Rules> TestMachine<R> {
    pub(crate) fn new(rules: R, roles: &[&str]) -> TestMachine<R> {
        TestMachine {
            rules,
            stop: StopToken::new(),
            game: game(roles),
            texts: Arc::new((0..100).map(|i| i.to_string()).collect()),
        }
    }
}

/// A game with these roles; its other rules are placeholders.
pub(crate) fn game(roles: &[&str]) -> Arc<Game> {
    let mut kif = String::new();
    for role in roles {
        let _ =
            write!(kif, "(role {role}) (<= (legal {role} wait) (true on)) (<= (goal {role} 0) (true on)) ");
    }
    kif.push_str("(init on) (<= (next on) (true on)) (<= terminal (not (true on)))");
    let description = ggp_gdl::parse(kif.as_bytes()).expect("the text above parses");
    Arc::new(Game::new(description).expect("the rules above are valid"))
}

impl<R: Rules> StateMachine for TestMachine<R> {
    type State = Vec<u8>;

    fn game(&self) -> &Arc<Game> {
        &self.game
    }

    fn name(&self) -> &'static str {
        "test"
    }

    fn initial_state(&mut self) -> Result<Vec<u8>, EvalError> {
        Ok(self.rules.initial())
    }

    fn is_terminal(&mut self, state: &Vec<u8>) -> Result<bool, EvalError> {
        Ok(self.rules.is_over(state))
    }

    fn legal_moves(&mut self, state: &Vec<u8>, role: Role, out: &mut Vec<Move>) -> Result<(), EvalError> {
        out.clear();
        out.extend(self.rules.legal(state, role.index()).into_iter().map(Move));
        Ok(())
    }

    fn next_state(&mut self, state: &Vec<u8>, joint: &[Move]) -> Result<Vec<u8>, EvalError> {
        if self.rules.hangs(state, joint) {
            while !self.stop.is_stopped() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        self.stop.check()?;
        let joint: Vec<u32> = joint.iter().map(|mv| mv.0).collect();
        Ok(self.rules.next(state, &joint))
    }

    fn goals(&mut self, state: &Vec<u8>, out: &mut [Goals]) -> Result<(), EvalError> {
        for (role, goals) in out.iter_mut().enumerate() {
            *goals = self.rules.goals(state, role);
        }
        Ok(())
    }

    fn facts(&mut self, state: &Vec<u8>, out: &mut Vec<Fact>) -> Result<(), EvalError> {
        out.clear();
        out.extend(state.iter().enumerate().map(|(i, v)| Fact::from_canonical(format!("(at {i} {v})"))));
        out.sort();
        Ok(())
    }

    fn state_of(&mut self, facts: &[Fact]) -> Result<Vec<u8>, EvalError> {
        let mut state = vec![0; facts.len()];
        for fact in facts {
            let numbers: Vec<usize> = fact.arguments().iter().filter_map(|a| a.parse().ok()).collect();
            let unknown = || EvalError::UnknownFact(fact.to_string());
            *state.get_mut(numbers[0]).ok_or_else(unknown)? = numbers[1] as u8;
        }
        Ok(state)
    }

    fn percepts(&mut self, _: &Vec<u8>, _: &[Move], _: Role, out: &mut Vec<Fact>) -> Result<(), EvalError> {
        out.clear();
        Ok(())
    }

    fn move_text(&self, mv: Move) -> &str {
        &self.texts[mv.index()]
    }

    fn parse_move(&mut self, text: &str) -> Option<Move> {
        text.parse().ok().filter(|&number: &u32| number < 100).map(Move)
    }

    fn interrupt_on(&mut self, stop: &StopToken) {
        self.stop = stop.clone();
    }

    fn heap_bytes(&self, state: &Vec<u8>) -> usize {
        state.capacity()
    }
}

impl<R: Rules> Batches for TestMachine<R> {
    fn clones_agree(&self) -> bool {
        true
    }
}

impl<R: Rules> Hints for TestMachine<R> {
    fn nearness(&mut self, _: &[&Vec<u8>], _: Role, out: &mut Vec<f32>) -> Result<(), EvalError> {
        out.clear();
        if self.rules.is_interrupted() { Err(EvalError::Interrupted) } else { Ok(()) }
    }

    fn goal_parts(&mut self, states: &[&Vec<u8>], _: Role, out: &mut GoalParts) -> Result<(), EvalError> {
        out.clear(states.first().map_or(0, |state| self.rules.parts(state).len()));
        for state in states {
            let parts = self.rules.parts(state);
            let bits =
                |parts: &[bool]| parts.iter().rev().fold(0, |word, &holds| word << 1 | u64::from(holds));
            out.push(&parts.chunks(64).map(bits).collect::<Vec<_>>());
        }
        Ok(())
    }
}

/// The move of a role that is not in control.
pub(crate) const NOOP: u32 = 99;

/// Tic-tac-toe. The state holds cells 0 to 8, then the role in control.
#[derive(Clone, Debug)]
pub(crate) struct TicTacToe;

pub(crate) fn tic_tac_toe() -> TestMachine<TicTacToe> {
    TestMachine::new(TicTacToe, &["x", "o"])
}

impl TicTacToe {
    fn has_line(state: &[u8], mark: u8) -> bool {
        const LINES: [[usize; 3]; 8] =
            [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
        LINES.iter().any(|line| line.iter().all(|&cell| state[cell] == mark))
    }
}

impl Rules for TicTacToe {
    fn initial(&self) -> Vec<u8> {
        vec![0; 10]
    }

    fn is_over(&self, state: &[u8]) -> bool {
        Self::has_line(state, 1) || Self::has_line(state, 2) || !state[..9].contains(&0)
    }

    fn legal(&self, state: &[u8], role: usize) -> Vec<u32> {
        if usize::from(state[9]) != role {
            return vec![NOOP];
        }
        (0..9).filter(|&cell| state[cell as usize] == 0).collect()
    }

    fn next(&self, state: &[u8], joint: &[u32]) -> Vec<u8> {
        let mut next = state.to_vec();
        let control = state[9];
        next[joint[usize::from(control)] as usize] = control + 1;
        next[9] = 1 - control;
        next
    }

    fn goal(&self, state: &[u8], role: usize) -> Option<u8> {
        let mark = role as u8 + 1;
        Some(match (Self::has_line(state, mark), Self::has_line(state, 3 - mark)) {
            (true, _) => 100,
            (_, true) => 0,
            _ => 50,
        })
    }
}

/// Two roles move simultaneously once, and then the game ends. The first role chooses a row and the second
/// role a column. Each entry of the matrix holds the goals of both roles.
#[derive(Clone, Debug)]
pub(crate) struct Matrix(pub(crate) Vec<Vec<[u8; 2]>>);

pub(crate) fn matrix(payoffs: &[&[[u8; 2]]]) -> TestMachine<Matrix> {
    TestMachine::new(Matrix(payoffs.iter().map(|row| row.to_vec()).collect()), &["row", "column"])
}

impl Rules for Matrix {
    fn initial(&self) -> Vec<u8> {
        vec![255, 255]
    }

    fn is_over(&self, state: &[u8]) -> bool {
        state[0] != 255
    }

    fn legal(&self, _: &[u8], role: usize) -> Vec<u32> {
        (0..[self.0.len(), self.0[0].len()][role] as u32).collect()
    }

    fn next(&self, _: &[u8], joint: &[u32]) -> Vec<u8> {
        joint.iter().map(|&mv| mv as u8).collect()
    }

    fn goal(&self, state: &[u8], role: usize) -> Option<u8> {
        self.is_over(state).then(|| self.0[usize::from(state[0])][usize::from(state[1])][role])
    }
}

/// `roles` roles take turns to remove one to three items from a heap. The role that removes the last item
/// gets 100, all others get 0.
#[derive(Clone, Debug)]
pub(crate) struct Heap {
    pub(crate) size: u8,
    pub(crate) roles: usize,
}

pub(crate) fn heap(size: u8, roles: usize) -> TestMachine<Heap> {
    TestMachine::new(Heap { size, roles }, &["a", "b", "c", "d"][..roles])
}

impl Rules for Heap {
    fn initial(&self) -> Vec<u8> {
        vec![self.size, 0]
    }

    fn is_over(&self, state: &[u8]) -> bool {
        state[0] == 0
    }

    fn legal(&self, state: &[u8], role: usize) -> Vec<u32> {
        if usize::from(state[1]) != role {
            return vec![NOOP];
        }
        (1..=u32::from(state[0].min(3))).collect()
    }

    fn next(&self, state: &[u8], joint: &[u32]) -> Vec<u8> {
        let taken = joint[usize::from(state[1])] as u8;
        vec![state[0] - taken, (state[1] + 1) % self.roles as u8]
    }

    fn goal(&self, state: &[u8], role: usize) -> Option<u8> {
        let last = (usize::from(state[1]) + self.roles - 1) % self.roles;
        self.is_over(state).then_some(if role == last { 100 } else { 0 })
    }
}

/// The player chooses between a certain goal of 60 and a chance move of the role `random`, which gives 100 in
/// one of three cases and otherwise 30.
#[derive(Clone, Debug)]
pub(crate) struct Gamble;

pub(crate) fn gamble() -> TestMachine<Gamble> {
    TestMachine::new(Gamble, &["player", "random"])
}

impl Rules for Gamble {
    fn initial(&self) -> Vec<u8> {
        vec![0, 0]
    }

    fn is_over(&self, state: &[u8]) -> bool {
        state[0] == 1 || state[1] != 0
    }

    fn legal(&self, state: &[u8], role: usize) -> Vec<u32> {
        match (state[0], role) {
            (0, 0) => vec![1, 2],
            (2, 1) => vec![1, 2, 3],
            _ => vec![NOOP],
        }
    }

    fn next(&self, state: &[u8], joint: &[u32]) -> Vec<u8> {
        if state[0] == 0 { vec![joint[0] as u8, 0] } else { vec![2, joint[1] as u8] }
    }

    fn goal(&self, state: &[u8], role: usize) -> Option<u8> {
        Some(match (role, state[0], state[1]) {
            (1, ..) => 0,
            (_, 1, _) => 60,
            (.., 1) => 100,
            _ => 30,
        })
    }
}

/// One role walks forward or back on a ring of ten places. States have no step counter, so they repeat. The game
/// ends at place 5 with the goal 100.
#[derive(Clone, Debug)]
pub(crate) struct Ring;

pub(crate) fn ring() -> TestMachine<Ring> {
    TestMachine::new(Ring, &["walker"])
}

impl Rules for Ring {
    fn initial(&self) -> Vec<u8> {
        vec![0]
    }

    fn is_over(&self, state: &[u8]) -> bool {
        state[0] == 5
    }

    fn legal(&self, _: &[u8], _: usize) -> Vec<u32> {
        vec![1, 9]
    }

    fn next(&self, state: &[u8], joint: &[u32]) -> Vec<u8> {
        vec![(state[0] + joint[0] as u8) % 10]
    }

    fn goal(&self, state: &[u8], _: usize) -> Option<u8> {
        Some(if state[0] == 5 { 100 } else { 0 })
    }
}

/// One role enters a combination of digits from 0 to 2. The goal is 100 for the right combination, otherwise
/// 10.
#[derive(Clone, Debug)]
pub(crate) struct Combination {
    digits: Vec<u32>,
    /// How many more queries will fail before one succeeds. A query asks how near some states are to the
    /// goal.
    interruptions: usize,
}

pub(crate) fn combination(digits: &[u32]) -> TestMachine<Combination> {
    interrupted_combination(digits, 0)
}

/// The game of [`combination`], on a machine whose first `interruptions` queries fail. A query asks how near
/// some states are to the goal.
pub(crate) fn interrupted_combination(digits: &[u32], interruptions: usize) -> TestMachine<Combination> {
    TestMachine::new(Combination { digits: digits.to_vec(), interruptions }, &["thief"])
}

impl Rules for Combination {
    fn initial(&self) -> Vec<u8> {
        vec![0, 0]
    }

    fn is_over(&self, state: &[u8]) -> bool {
        usize::from(state[0]) == self.digits.len()
    }

    fn legal(&self, _: &[u8], _: usize) -> Vec<u32> {
        vec![0, 1, 2]
    }

    fn next(&self, state: &[u8], joint: &[u32]) -> Vec<u8> {
        let right = self.digits[usize::from(state[0])] == joint[0];
        // The state counts the right digits, but they score only if all are right.
        vec![state[0] + 1, state[1] + u8::from(right)]
    }

    fn goal(&self, state: &[u8], _: usize) -> Option<u8> {
        Some(if usize::from(state[1]) == self.digits.len() { 100 } else { 10 })
    }

    fn is_interrupted(&mut self) -> bool {
        let interrupted = self.interruptions > 0;
        self.interruptions -= usize::from(interrupted);
        interrupted
    }
}
