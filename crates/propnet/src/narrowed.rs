//! The programs for playouts with restricted legal moves: decisive moves for every role except chance, and one move
//! of each class of equivalent moves.
//!
//! Their cost decides whether they are used. It is estimated by counts of gates and not measured, so that a search
//! with a fixed number of iterations gives the same result everywhere.

use crate::decisive::{Certain, Scope, decisive, have_rivals};
use crate::encoding::DecodeError;
use crate::equivalence::EquivalentMoves;
use crate::evaluator::{PhasePrograms, specialised};
use crate::net::PropNet;
use crate::specialise::Specialised;
use ggp_game::{DecisiveCost, DecisiveMoves, EvalError, NoDecisiveMoves, StopToken};
use serde::{Deserialize, Serialize};

/// Networks with more nodes than this get no decisive moves: the images of so many nodes take too long.
const MOST_NODES: usize = 200_000;
/// Restricted networks with more gates than this in total get no programs. The gates are counted before equal parts
/// are shared, because that takes too long for so many.
const MOST_GATES: usize = 100_000;
/// The time of a playout step without its gates, as a number of gates that take as long: choosing the moves, and
/// starting and ending playouts. With this number the estimated ratio of step times agrees with the measured one
/// within a third in games with 2 to 12 times the gates.
const REST_OF_STEP: usize = 4_000;
/// Playouts use decisive moves if a step takes at most this many per cent of the time without them. At 200 to 250
/// per cent, searches of 0.1 s a move gain or stay equal. At 360 per cent, a search of 0.05 s loses nearly every match,
/// because it has time for a few batches only.
const DEAREST: usize = 300;

/// The programs for playouts with restricted legal moves, and what they restrict.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Narrowed {
    /// `None` if no restriction applies.
    programs: Option<PhasePrograms>,
    /// For each phase and role, which ends are certain. Empty without decisive moves.
    certain: Vec<Vec<Certain>>,
    /// What they say of decisive moves.
    decisive: Decisive,
}

/// What the programs of [`Narrowed`] say of decisive moves.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Decisive {
    /// They restrict moves to decisive ones.
    On,
    /// They do not, because a step would take so many gates, as a mean over the phases.
    TooSlow(usize),
    /// They do not. The number is the index of the reason in [`NoDecisiveMoves::ALL`].
    Off(u8),
}

impl Narrowed {
    /// Programs for the same states as `plain`, which [`PhasePrograms::reachable`] has made. The moves of the role
    /// `nature` (chance) stay unrestricted.
    pub(crate) fn new(
        net: &PropNet,
        plain: &PhasePrograms,
        nature: Option<usize>,
        equivalent: Option<&EquivalentMoves>,
        stop: &StopToken,
    ) -> Narrowed {
        let built = Narrowed::build(net, plain, nature, equivalent, stop);
        built.unwrap_or_else(|_| Narrowed::without(NoDecisiveMoves::Stopped))
    }

    fn build(
        net: &PropNet,
        plain: &PhasePrograms,
        nature: Option<usize>,
        equivalent: Option<&EquivalentMoves>,
        stop: &StopToken,
    ) -> Result<Narrowed, EvalError> {
        if net.nodes.len() > MOST_NODES {
            return Ok(Narrowed::without(NoDecisiveMoves::TooLarge));
        }
        let mut constant = vec![None; net.fluents.len()];
        plain.constants.iter().for_each(|&(fluent, value)| constant[fluent as usize] = Some(value));
        let phases: Vec<_> = plain.phases.iter().map(|phase| phase.fixed.clone()).collect();
        let all = specialised(net, &constant, &phases, stop)?;
        let one_each = equivalent.and_then(|equivalent| equivalent.one_each(&all));
        stop.check()?;
        let gates = |nets: &[Specialised]| nets.iter().map(|one| one.net.counts().gates).sum::<usize>();
        // Where the wins beside simultaneous moves are too dear, those of roles that choose alone may not be.
        let mut missing = Narrowed::without(NoDecisiveMoves::Stopped);
        let nets = one_each.as_ref().unwrap_or(&all);
        let scopes: &[Scope] =
            if have_rivals(nets, nature) { &[Scope::All, Scope::Alone] } else { &[Scope::Alone] };
        for &scope in scopes {
            let found = decisive(nets, nature, scope);
            stop.check()?;
            let is_least = found.as_ref().is_ok_and(|found| !found.beside_others);
            missing = match found {
                Ok(found) if gates(&found.nets) <= MOST_GATES => {
                    let programs = PhasePrograms::of(&found.nets, &constant, phases.clone(), stop)?;
                    let cost = cost(plain, mean_gates(&programs));
                    if cost.time <= DEAREST {
                        let (programs, certain) = (Some(programs), found.certain);
                        return Ok(Narrowed { programs, certain, decisive: Decisive::On });
                    }
                    Narrowed::unrestricted(Decisive::TooSlow(cost.decisive))
                }
                Ok(_) => Narrowed::without(NoDecisiveMoves::TooLarge),
                Err(why) => Narrowed::without(why),
            };
            if is_least {
                break;
            }
        }
        if let Some(one_each) = one_each.filter(|nets| gates(nets) <= MOST_GATES) {
            let programs = PhasePrograms::of(&one_each, &constant, phases, stop)?;
            missing.programs =
                Some(programs).filter(|programs| cost(plain, mean_gates(programs)).time <= DEAREST);
        }
        Ok(missing)
    }

    fn without(why: NoDecisiveMoves) -> Narrowed {
        let index = NoDecisiveMoves::ALL.iter().position(|&one| one == why).unwrap_or(0) as u8;
        Narrowed::unrestricted(Decisive::Off(index))
    }

    fn unrestricted(decisive: Decisive) -> Narrowed {
        Narrowed { programs: None, certain: Vec::new(), decisive }
    }

    /// The programs. `None` if no restriction applies.
    pub(crate) fn programs(&self) -> Option<&PhasePrograms> {
        self.programs.as_ref()
    }

    /// Which ends are certain after the decisive moves of the role `role` in the phase `phase`.
    pub(crate) fn certain(&self, phase: usize, role: usize) -> Certain {
        self.certain.get(phase).and_then(|roles| roles.get(role)).copied().unwrap_or_default()
    }

    /// Whether the programs restrict moves to decisive ones, and the cost in comparison with `plain`.
    pub(crate) fn moves(&self, plain: &PhasePrograms) -> DecisiveMoves {
        match self.decisive {
            Decisive::On => DecisiveMoves::On(cost(plain, self.programs().map_or(0, mean_gates))),
            Decisive::TooSlow(gates) => DecisiveMoves::TooSlow(cost(plain, gates)),
            Decisive::Off(index) => {
                let why = NoDecisiveMoves::ALL.get(usize::from(index)).copied();
                DecisiveMoves::Off(why.unwrap_or(NoDecisiveMoves::Stopped))
            }
        }
    }

    /// Checks decoded programs of `net`, and completes them.
    ///
    /// # Errors
    /// When the programs are no programs of `net`.
    pub(crate) fn checked(self, net: &PropNet) -> Result<Narrowed, DecodeError> {
        let programs = self.programs.map(|programs| programs.checked(net)).transpose()?;
        Ok(Narrowed { programs, ..self })
    }
}

/// The number of gates of a step, as a mean over the phases.
fn mean_gates(programs: &PhasePrograms) -> usize {
    programs.gates() / programs.phases.len().max(1)
}

/// The cost of a step of `decisive` gates in comparison with the programs `plain`.
fn cost(plain: &PhasePrograms, decisive: usize) -> DecisiveCost {
    let plain = mean_gates(plain);
    let time = |gates: usize| gates.saturating_add(REST_OF_STEP);
    DecisiveCost { plain, decisive, time: time(decisive).saturating_mul(100) / time(plain) }
}
