//! A machine as bytes: its network and all programs that have been compiled, so that another process need not
//! ground and compile the game again.

use super::PropNetMachine;
use super::shared::Shared;
use crate::cpu::Cpu;
use crate::encoding::{DecodeError, decode, encode, require};
use crate::equivalence::EquivalentMoves;
use crate::evaluator::PhasePrograms;
use crate::narrowed::Narrowed;
use crate::net_form::NetForm;
use crate::program::{Layout, Program};
use ggp_game::{Game, StopToken};
use std::sync::Arc;

impl PropNetMachine {
    /// A fingerprint of the sources that determine networks, programs and their bytes. Bytes of another
    /// fingerprint may be valid and give another network than these sources build.
    pub const SOURCES: &str = env!("GGP_PROPNET_SOURCES");

    /// The network, its programs for single states and for playouts, and, if they are compiled, the programs
    /// for playouts with decisive moves, as bytes. The bytes do not depend on the processor. They do not
    /// contain the game.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Shared { net, single, reachable, narrowed, equivalent, .. } = &*self.shared;
        let mut bytes = encode(&NetForm::of(net), Vec::new());
        bytes = encode(single, bytes);
        bytes = encode(reachable, bytes);
        bytes = encode(&narrowed.get(), bytes);
        encode(&equivalent.get(), bytes)
    }

    /// The machine with the bytes that [`PropNetMachine::to_bytes`] gave for a machine of the same rules. It
    /// answers every query as that machine does.
    ///
    /// Any bytes are safe to decode: the result is an error, or a machine that stays within its memory. But
    /// the bytes determine how the game is played, so they must come from a place that the caller trusts.
    ///
    /// # Errors
    /// When the bytes are no machine of a game with these roles, and soon after `stop` is raised.
    ///
    /// # Examples
    /// ```
    /// use ggp_game::{Game, StateMachine, StopToken};
    /// use ggp_propnet::{Cpu, GroundLimits, PropNet, PropNetMachine};
    /// # let rules = b"(role a) (legal a x) (<= terminal (true over)) (next over) (goal a 100)";
    /// # let game = std::sync::Arc::new(Game::new(ggp_gdl::parse(rules).unwrap()).unwrap());
    /// let stop = StopToken::new();
    /// let machine = PropNetMachine::new(PropNet::ground(&game, &GroundLimits::default(), &stop)?)?;
    /// let bytes = machine.to_bytes();
    /// let mut same = PropNetMachine::from_bytes(&game, &bytes, Cpu::detect(), &stop)?;
    /// let state = same.initial_state()?;
    /// assert!(!same.is_terminal(&state)?);
    /// assert!(PropNetMachine::from_bytes(&game, &bytes[1..], Cpu::detect(), &stop).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_bytes(
        game: &Arc<Game>,
        bytes: &[u8],
        cpu: Cpu,
        stop: &StopToken,
    ) -> Result<PropNetMachine, DecodeError> {
        let mut bytes = bytes;
        let proceed = || stop.check().map_err(|_| DecodeError::Interrupted);
        let net = decode::<NetForm>(&mut bytes)?.net(game)?;
        proceed()?;
        let single: Program = decode(&mut bytes)?;
        require(single.layout == Layout::Keep, "layout of a program")?;
        let moves: Vec<usize> = net.roles.iter().map(|role| role.moves.len()).collect();
        let single = single.checked(&net.roles, net.fluents.len(), 0, &moves)?;
        proceed()?;
        let reachable = decode::<PhasePrograms>(&mut bytes)?.checked(&net)?;
        proceed()?;
        let narrowed: Option<Narrowed> = decode(&mut bytes)?;
        let narrowed = narrowed.map(|narrowed| narrowed.checked(&net)).transpose()?;
        let equivalent: Option<Option<EquivalentMoves>> = decode(&mut bytes)?;
        let fit = equivalent.iter().flatten().all(|equivalent| equivalent.fit(&net.roles));
        require(fit, "classes of moves")?;
        require(bytes.is_empty(), "bytes are left over")?;
        proceed()?;
        let shared = Shared::of(net, single, reachable);
        if let Some(narrowed) = narrowed {
            shared.narrowed.get_or_init(|| narrowed);
        }
        let _ = equivalent.map(|classes| shared.equivalent.set(classes));
        Ok(PropNetMachine::of(shared, cpu))
    }

    /// Whether the programs for playouts with decisive moves are compiled, or known not to exist.
    pub fn knows_decisive(&self) -> bool {
        self.shared.narrowed.get().is_some()
    }
}
