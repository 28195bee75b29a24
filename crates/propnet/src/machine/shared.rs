//! The data that all machines of one network share: the network, its programs, and the tables of moves.

use crate::circuit::Sharing;
use crate::equivalence::EquivalentMoves;
use crate::evaluator::{PhasePrograms, fits};
use crate::guard::Sizes;
use crate::latch::Kept;
use crate::narrowed::Narrowed;
use crate::net::PropNet;
use crate::program::{Layout, Outputs, Program};
use crate::schedule::Compiler;
use crate::select::MAX_MOVES;
use ggp_game::{EvalError, Fact, Move, Role, StopToken};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// In a network with at least this many nodes, the program for single states is compiled without the sharing
/// of gates, because sharing would take too long.
const SHARE_BELOW: usize = 50_000;

/// Data shared by all machines of one network.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) net: PropNet,
    /// The index of the role `random` (chance). `None` if the game has no such role.
    pub(super) nature: Option<usize>,
    /// The program for single states: it computes every output of the network.
    pub(super) single: Program,
    /// Programs for playouts from states that are reachable from the initial state.
    pub(super) reachable: PhasePrograms,
    /// Programs for playouts with decisive moves, compiled on first use.
    pub(super) narrowed: OnceLock<Narrowed>,
    /// The classes of equivalent moves, computed on first use. The inner `None` means that no moves may be
    /// merged.
    pub(super) equivalent: OnceLock<Option<EquivalentMoves>>,
    /// Programs for playouts from states that are not reachable from the initial state, compiled on first
    /// use.
    pub(super) general: OnceLock<PhasePrograms>,
    /// The programs for episodes that a caller steps, compiled on first use.
    pub(super) episodes: OnceLock<PhasePrograms>,
    /// The distinct texts of all moves of all roles; a [`Move`] is an index into this list.
    pub(super) texts: Vec<Box<str>>,
    pub(super) of_text: FxHashMap<Box<str>, Move>,
    /// The moves of each role as [`Move`] values, in the order of `net`.
    pub(super) moves: Vec<Vec<Move>>,
    /// For each role, the index of each [`Move`] in the role's own list of moves.
    pub(super) own: Vec<FxHashMap<Move, u32>>,
    pub(super) fluent_of: FxHashMap<Fact, u32>,
}

impl Shared {
    /// Compiles the programs for single states and for playouts from reachable states.
    ///
    /// # Errors
    /// [`EvalError::TooLarge`] if a role has more than [`MAX_MOVES`] moves; [`EvalError::Interrupted`] if
    /// `stop` is raised.
    pub(super) fn new(net: PropNet, stop: &StopToken) -> Result<Shared, EvalError> {
        if !fits(&net) {
            return Err(EvalError::TooLarge(format!(
                "a role has more than {MAX_MOVES} moves, the maximum for a network"
            )));
        }
        let fluents: Vec<u32> = (0..net.fluents.len() as u32).collect();
        let moves = net.roles.iter().map(|role| (0..role.moves.len() as u32).collect()).collect();
        let outputs = Outputs {
            net: &net,
            fluents: &fluents,
            moves,
            percepts: true,
            kept: Kept::default(),
            verdicts: &[],
        };
        let sharing = if net.nodes.len() < SHARE_BELOW { Sharing::Once } else { Sharing::Off };
        let single = Compiler::new(&outputs, sharing, stop)?;
        let single = single.compile(Layout::Keep, Sizes::LANES, stop)?;
        let reachable = PhasePrograms::reachable(&net, stop)?;
        Ok(Shared::of(net, single, reachable))
    }

    /// The data of a network with the programs for single states and for playouts from reachable states.
    pub(super) fn of(net: PropNet, single: Program, reachable: PhasePrograms) -> Shared {
        let mut texts: Vec<Box<str>> = Vec::new();
        let mut of_text: FxHashMap<Box<str>, Move> = FxHashMap::default();
        let mut number = |text: &str| {
            *of_text.entry(text.into()).or_insert_with(|| {
                texts.push(text.into());
                Move(texts.len() as u32 - 1)
            })
        };
        let moves: Vec<Vec<Move>> =
            net.roles.iter().map(|role| role.moves.iter().map(|mv| number(&mv.text)).collect()).collect();
        let own = moves.iter().map(|moves| moves.iter().copied().zip(0..).collect()).collect();
        let facts = net.fluents.iter().map(|fluent| fluent.fact.clone());
        let fluent_of = facts.zip(0..).collect();
        let nature = net.game.nature().map(Role::index);
        let (narrowed, equivalent) = (OnceLock::new(), OnceLock::new());
        let (general, episodes) = (OnceLock::new(), OnceLock::new());
        Shared {
            net,
            nature,
            single,
            reachable,
            narrowed,
            equivalent,
            general,
            episodes,
            texts,
            of_text,
            moves,
            own,
            fluent_of,
        }
    }

    /// The programs for playouts with decisive moves.
    pub(super) fn narrowed(&self) -> &Narrowed {
        self.narrowed_unless(&StopToken::new())
    }

    /// The same as [`Shared::narrowed`], but `stop` can end the compilation. The programs are then
    /// permanently unavailable.
    pub(super) fn narrowed_unless(&self, stop: &StopToken) -> &Narrowed {
        self.narrowed
            .get_or_init(|| Narrowed::new(&self.net, &self.reachable, self.nature, self.equivalent(), stop))
    }

    /// The programs for states that are not reachable from the initial state.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised; a later call compiles again from the start.
    pub(super) fn general(&self, stop: &StopToken) -> Result<&PhasePrograms, EvalError> {
        if let Some(programs) = self.general.get() {
            return Ok(programs);
        }
        let programs = PhasePrograms::general(&self.net, stop)?;
        Ok(self.general.get_or_init(|| programs))
    }

    /// The programs for episodes that a caller steps.
    ///
    /// # Errors
    /// [`EvalError::Interrupted`] soon after `stop` is raised; a later call compiles again from the start.
    pub(super) fn episodes(&self, stop: &StopToken) -> Result<&PhasePrograms, EvalError> {
        if let Some(programs) = self.episodes.get() {
            return Ok(programs);
        }
        let programs = PhasePrograms::episodes(&self.net, &self.reachable.phases, stop)?;
        Ok(self.episodes.get_or_init(|| programs))
    }

    /// The classes of equivalent moves, or `None` if there are none.
    pub(super) fn equivalent(&self) -> Option<&EquivalentMoves> {
        self.equivalent.get_or_init(|| EquivalentMoves::find(&self.net, self.nature)).as_ref()
    }
}
