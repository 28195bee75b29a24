//! The answers of a machine from recalled questions: the state as values of variables, the legal moves as bits.
//!
//! Each possible value of a variable after a move is a question, and so is each legal move, or each group of legal
//! moves with some arguments in common. Only questions whose answers have become unknown are asked again.

mod session;

use crate::code::Code;
use crate::compiled::{Asked, Compiled};
use crate::engine::{Engine, Sources, Tracing};
use crate::key::NONE;
use crate::layout::Layout;
use crate::sets::Sets;
use ggp_game::Goals;
pub(crate) use session::Session;
use std::sync::Arc;

/// The maximum number of groups of legal moves of one family for one role, and of possible moves of all roles.
pub(crate) const MOST_PARTS: usize = 1 << 7;
const MOST_MOVES: usize = 1 << 20;

/// The list of the questions for the next state. That of a role's legal moves is the role's number plus one.
const NEXT: u32 = 0;

/// A question with a meaning for the machine.
#[derive(Clone, Debug)]
struct Part {
    procedure: u32,
    key: Box<[u32]>,
    /// The state variable whose next value the answer is, or the smallest code of the moves in the answer.
    target: u32,
    /// The number of the family in its encoding.
    family: u32,
    /// The last answer to a question for legal moves.
    answer: u32,
}

/// The legal moves of a role, as bits by code.
#[derive(Clone, Default, Debug)]
pub(crate) struct LegalSet {
    words: Vec<u64>,
    pub(crate) count: u32,
}

impl LegalSet {
    #[inline]
    fn put(&mut self, code: u32, holds: bool) {
        let (word, bit) = (&mut self.words[code as usize / 64], 1u64 << (code % 64));
        if (*word & bit != 0) != holds {
            *word ^= bit;
            self.count = if holds { self.count + 1 } else { self.count - 1 };
        }
    }

    /// The legal move with this rank in the order of the codes.
    #[inline]
    pub(crate) fn nth(&self, mut rank: u32) -> u32 {
        for (at, &word) in self.words.iter().enumerate() {
            let count = word.count_ones();
            if rank < count {
                let mut word = word;
                for _ in 0..rank {
                    word &= word - 1;
                }
                return at as u32 * 64 + word.trailing_zeros();
            }
            rank -= count;
        }
        unreachable!("the rank is below the number of moves")
    }

    /// All legal moves in the order of their codes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let next = |word: &u64| Some(word & (word - 1)).filter(|&word| word != 0);
            let words = std::iter::successors(Some(word).filter(|&word| word != 0), next);
            words.map(move |word| at as u32 * 64 + word.trailing_zeros())
        })
    }
}

/// The memory of a machine that recalls.
#[derive(Clone, Debug)]
pub(crate) struct Recalled {
    /// For each family of fluents, the values of its variables: sets of codes without the key digits.
    values: Vec<Sets>,
    /// For each procedure that gives next values or legal moves: the meanings of its sets of answers.
    next_values: Vec<Vec<u32>>,
    codes: Vec<Vec<Box<[u32]>>>,
    /// For each state variable, its next value.
    next: Vec<u32>,
    /// The state variables that may have another next value than their present one. `None` if any may.
    different: Option<Vec<u32>>,
    /// For each question, its part, or [`NONE`].
    parts_of: Vec<u32>,
    parts: Vec<Part>,
    pub(crate) legal: Vec<LegalSet>,
    /// For each role and code of a move, the number of the move among those that the role has made.
    made: Vec<Vec<u32>>,
    terminal: Option<u32>,
    goals: Vec<Option<u32>>,
    goal_values: Vec<Option<Goals>>,
    /// Whether the inputs of the engine do not hold the present state, and the present moves.
    is_stale: (bool, bool),
    pairs: Vec<(u32, u32)>,
    scratch: Vec<u32>,
}

impl Recalled {
    /// Prepares `engine` for recalling. `None` if the game has too many parts. `procedures` holds the procedures of
    /// the next fluents with the key columns bound, and the legal moves with the `bound` first columns bound.
    pub(crate) fn new(
        compiled: &Compiled,
        engine: &mut Engine,
        layout: &Layout,
        (next, legal): (&[Asked], &[(Asked, usize)]),
    ) -> Option<Recalled> {
        let roles = compiled.roles.len();
        if (compiled.moves.size as usize).saturating_mul(roles) > MOST_MOVES || !compiled.is_flat() {
            return None;
        }
        let mut families = vec![None; compiled.first_move_input];
        for (family, input) in compiled.fluent_inputs.iter().enumerate() {
            if let Some(input) = input {
                families[*input as usize] = Some(family);
            }
        }
        let places = families.iter().zip(&compiled.code.inputs).map(|(family, shape)| {
            let place = |columns: &[usize]| layout.place(&compiled.fluents, (*family)?, columns);
            shape.indexes.iter().map(|(columns, _)| place(columns)).collect()
        });
        let sources = Arc::new(Sources {
            places: places.collect(),
            fluents: compiled.fluents.clone(),
            layout: layout.clone(),
            families,
            roles: compiled.roles.clone(),
        });
        let code = &compiled.code;
        let mut tracing = Tracing::new(sources, code.procedures.len(), 1 + roles);
        let mut recalled = Recalled {
            values: vec![Sets::default(); compiled.fluents.families.len()],
            next_values: vec![vec![0]; code.procedures.len()],
            codes: vec![vec![Box::from([])]; code.procedures.len()],
            next: vec![0; layout.variables],
            different: None,
            parts_of: Vec::new(),
            parts: Vec::new(),
            legal: vec![
                LegalSet { words: vec![0; compiled.moves.size.div_ceil(64) as usize], count: 0 };
                roles
            ],
            made: vec![vec![NONE; compiled.moves.size as usize]; roles],
            terminal: None,
            goals: vec![None; roles],
            goal_values: Vec::new(),
            is_stale: (true, true),
            pairs: Vec::new(),
            scratch: Vec::new(),
        };
        let mut args = Vec::new();
        for asked in next {
            let family = asked.family?;
            let group = &layout.groups[family];
            for variable in group.first..group.first + group.count {
                let base = layout.base(&compiled.fluents, variable);
                args.clear();
                compiled.fluents.decode(base, &mut args);
                let mut keys: Vec<usize> = group.keys.iter().map(|&(column, _)| column).collect();
                keys.sort_unstable();
                let key: Box<[u32]> = keys.into_iter().map(|column| args[column]).collect();
                recalled.add(code, &mut tracing, NEXT, asked.procedure, key, variable, family)?;
            }
        }
        for (asked, bound) in legal {
            let family = asked.family?;
            let own = &compiled.moves.families[family];
            let step = own.columns.get(bound.wrapping_sub(1)).map_or(own.size(), |column| column.stride);
            for (role, &term) in compiled.roles.iter().enumerate() {
                for base in (own.first..own.first + own.size()).step_by(step.max(1) as usize) {
                    args.clear();
                    args.push(term);
                    compiled.moves.decode(base, &mut args);
                    let key = args[..1 + bound].into();
                    recalled.add(code, &mut tracing, 1 + role as u32, asked.procedure, key, base, family)?;
                }
            }
        }
        let question = |tracing: &mut Tracing, procedure: u32, key: &[u32]| {
            let own = &code.procedures[procedure as usize];
            own.is_recallable().then(|| tracing.variable(code, procedure, key.iter().copied()))
        };
        if let Some(terminal) = compiled.terminal {
            recalled.terminal = question(&mut tracing, terminal, &[])?;
        }
        if let Some(goal) = compiled.goal {
            for (own, &role) in recalled.goals.iter_mut().zip(&compiled.roles) {
                *own = question(&mut tracing, goal, &[role])?;
            }
        }
        engine.tracing = Some(Box::new(tracing));
        Some(recalled)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one question")]
    fn add(
        &mut self,
        code: &Code,
        tracing: &mut Tracing,
        list: u32,
        procedure: u32,
        key: Box<[u32]>,
        target: u32,
        family: usize,
    ) -> Option<()> {
        if !code.procedures[procedure as usize].is_recallable() {
            return None;
        }
        let Some(variable) = tracing.variable(code, procedure, key.iter().copied()) else { return Some(()) };
        let at = variable as usize - tracing.recall.first();
        if self.parts_of.len() <= at {
            self.parts_of.resize(at + 1, NONE);
        }
        self.parts_of[at] = self.parts.len() as u32;
        self.parts.push(Part { procedure, key, target, family: family as u32, answer: 0 });
        tracing.recall.put_on(variable, list);
        Some(())
    }
}

/// The number of first columns of a family of moves by which legal moves are put into at most `most` groups.
pub(crate) fn grouping(sizes: &[usize], most: usize) -> usize {
    let mut count = 1usize;
    let fits = |&&size: &&usize| {
        count = count.saturating_mul(size);
        count <= most
    };
    sizes.iter().take_while(fits).count()
}
