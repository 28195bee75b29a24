//! A person at the page as a player of a match of hidden information.

use super::screen::Screen;
use super::seat_view::SeatView;
use crate::known::Known;
use crate::session::{Refusal, evaluate};
use ggp_game::{
    Clocks, Deadline, Game, InformationSet, Interpreter, Observation, PlayError, Player, Role, StateMachine,
    StopToken,
};
use ggp_view::Position;
use std::sync::Arc;

/// The maximum number of states that are kept of a person's information set. The page shows what holds in these
/// states.
const STATES: usize = 2000;

/// The player of a role that a person plays at the page. It gets the observations of the role, shows the person
/// what follows from them, and waits for the person's choice.
pub(super) struct SeatPerson {
    known: Arc<Known>,
    machine: Interpreter,
    possible: InformationSet<Interpreter>,
    /// The layout of what the role knew when it was shown last.
    shown: Option<Position>,
    /// Whether it can no longer be determined what the role knows.
    is_lost: bool,
    screen: Arc<Screen>,
}

impl SeatPerson {
    /// A player of `role`, whose information set takes at most `memory` MiB. Shows the first state on `screen`.
    pub(super) fn new(
        known: &Arc<Known>,
        role: Role,
        memory: usize,
        screen: Arc<Screen>,
    ) -> Result<SeatPerson, Refusal> {
        let mut machine = Interpreter::new(&known.game);
        let possible = evaluate(|stop| {
            machine.interrupt_on(stop);
            InformationSet::initial_within(&mut machine, role, STATES, memory << 20)
        })?;
        let mut person =
            SeatPerson { known: Arc::clone(known), machine, possible, shown: None, is_lost: false, screen };
        let view = person.take_in(Observation::Start)?;
        person.screen.put(role.index(), &view)?;
        Ok(person)
    }

    /// Takes in the observation `seen`. Returns the role's view after it.
    fn take_in(&mut self, seen: Observation<'_>) -> Result<Arc<SeatView>, Refusal> {
        let view = evaluate(|stop| {
            self.machine.interrupt_on(stop);
            // The seed says nothing about the match, so neither does a sample that is drawn with it.
            self.possible.follow(&mut self.machine, seen, 0).map_err(|error| match error {
                PlayError::Eval(error) => Refusal::Rules(error),
                error => Refusal::Wrong(error.to_string()),
            })?;
            if self.machine.has_many_moves() {
                self.machine.release_moves();
            }
            let style = self.known.style();
            let view = SeatView::of(style, &mut self.machine, &self.possible, self.shown.as_ref());
            Ok::<_, Refusal>(view?)
        })?;
        self.shown = Some(view.position.clone());
        Ok(Arc::new(view))
    }

    /// As [`SeatPerson::take_in`]. After a failure, the person is told that the referee moves instead.
    fn follow(&mut self, seen: Observation<'_>) -> Result<Arc<SeatView>, PlayError> {
        if self.is_lost {
            return Err(PlayError::Unable("the knowledge of the role has been lost".to_owned()));
        }
        self.take_in(seen).map_err(|error| self.lose(&error))
    }

    fn lose(&mut self, error: &Refusal) -> PlayError {
        self.is_lost = true;
        let role = self.possible.role();
        let name = self.known.game.role_name(role);
        let note =
            format!("what {name} knows cannot be determined ({error}); random moves are made for {name}");
        self.screen.lose(role.index(), note);
        PlayError::Unable(error.to_string())
    }
}

impl Player for SeatPerson {
    fn start(
        &mut self,
        _game: &Arc<Game>,
        _role: Role,
        _clocks: Clocks,
        _deadline: Deadline,
        _stop: &StopToken,
    ) -> Result<(), PlayError> {
        Ok(())
    }

    fn play(
        &mut self,
        seen: Observation<'_>,
        _deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError> {
        let view = self.follow(seen)?;
        self.screen.ask(self.possible.role().index(), &view, stop)
    }

    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        let view = self.follow(seen)?;
        self.screen.put(self.possible.role().index(), &view).map_err(|error| self.lose(&error))
    }
}
