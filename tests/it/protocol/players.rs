//! Players for the protocol tests: scripted ones, some of them flawed.

use ggp_game::{
    Clocks, Deadline, Game, InformationSet, Interpreter, JointMoveError, Observation, PlayError, Player,
    Role, StateMachine, StopToken,
};
use ggp_propnet::{GroundLimits, PropNet, PropNetMachine};
use ggp_search::{MctsOptions, MctsPlayer};
use std::sync::Arc;
use std::time::Duration;

/// A player that searches with `options` on a network.
pub(crate) fn searching(options: MctsOptions) -> Box<dyn Player> {
    let make = |game: &Arc<Game>, _: Deadline, stop: &StopToken| {
        let net = PropNet::ground(game, &GroundLimits::default(), stop);
        let net = net.map_err(|error| PlayError::Unable(error.to_string()))?;
        Ok(PropNetMachine::new(net)?)
    };
    Box::new(MctsPlayer::new(options, make))
}

/// The behaviour of a [`Scripted`] player, which otherwise plays its first legal move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Manner {
    /// Answers at once.
    Quick,
    /// Uses its whole clock when starting and playing, unless it is stopped.
    Patient,
    /// Sleeps for three seconds and ignores stop requests.
    Deaf,
    /// Panics when it is asked for a move.
    Panics,
    /// Panics when it is started.
    PanicsAtStart,
    /// Answers with an illegal move.
    Illegal,
    /// Reports that it has no move.
    Fails,
    /// Answers `a` without evaluating the rules.
    Blind,
}

impl Manner {
    pub(crate) fn named(name: &str) -> Manner {
        match name {
            "quick" => Manner::Quick,
            "patient" => Manner::Patient,
            "deaf" => Manner::Deaf,
            "panics" => Manner::Panics,
            "panics-at-start" => Manner::PanicsAtStart,
            "illegal" => Manner::Illegal,
            "fails" => Manner::Fails,
            "blind" => Manner::Blind,
            other => panic!("no player is called {other}"),
        }
    }

    fn think(self, deadline: Deadline, stop: &StopToken) {
        match self {
            Manner::Patient => {
                while !stop.is_stopped() && !deadline.is_over() {
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
            Manner::Deaf => std::thread::sleep(Duration::from_secs(3)),
            _ => {}
        }
    }
}

struct MatchView {
    machine: Interpreter,
    state: <Interpreter as StateMachine>::State,
    role: Role,
    possible: InformationSet<Interpreter>,
}

/// A player that makes its first legal move.
pub(crate) struct Scripted {
    manner: Manner,
    view: Option<MatchView>,
}

impl Scripted {
    pub(crate) fn new(manner: Manner) -> Scripted {
        Scripted { manner, view: None }
    }
}

impl Player for Scripted {
    fn start(
        &mut self,
        game: &Arc<Game>,
        role: Role,
        _: Clocks,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<(), PlayError> {
        assert!(self.manner != Manner::PanicsAtStart, "as it was told to");
        self.manner.think(deadline, stop);
        if self.manner == Manner::Blind {
            return Ok(());
        }
        let mut machine = Interpreter::new(game);
        let state = machine.initial_state()?;
        let possible = InformationSet::initial(&mut machine, role, 100)?;
        self.view = Some(MatchView { machine, state, role, possible });
        Ok(())
    }

    fn play(
        &mut self,
        seen: Observation<'_>,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError> {
        if self.manner == Manner::Blind {
            return Ok("a".to_owned());
        }
        let Some(MatchView { machine, state, role, possible }) = &mut self.view else {
            return Err(PlayError::Unable("not started".to_owned()));
        };
        let mut legal = Vec::new();
        for role in machine.game().clone().roles() {
            machine.legal_moves(state, role, &mut legal)?;
        }
        if let Observation::Moves(joint) = seen {
            let joint = machine.parse_joint(joint)?;
            *state = machine.next_state(state, &joint)?;
        }
        if let Observation::Percepts { own, seen, .. } = seen {
            let own = machine.parse_move(own).ok_or_else(|| JointMoveError::unknown("the player", own))?;
            possible.update(machine, own, seen, 0)?;
            *state = possible.draw(0).ok_or_else(|| PlayError::Unable("impossible".to_owned()))?.clone();
        }
        self.manner.think(deadline, stop);
        machine.legal_moves(state, *role, &mut legal)?;
        let mv = machine.move_text(*legal.first().ok_or(PlayError::NoMove)?).to_owned();
        match self.manner {
            Manner::Panics => panic!("as it was told to"),
            Manner::Illegal => Ok("(no such move)".to_owned()),
            Manner::Fails => Err(PlayError::NoMove),
            _ => Ok(mv),
        }
    }

    fn ponder(&mut self, stop: &StopToken) {
        if self.manner == Manner::Patient {
            self.manner.think(Deadline::never(), stop);
        }
    }
}
