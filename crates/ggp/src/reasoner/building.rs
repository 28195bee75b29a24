//! The builds whose outcome is a [`Reasoner`].

use super::Reasoner;
use super::comparison::replaces;
use crate::background::{BackgroundBuild, Built};
use crate::build::{Build, BuildError, Choice};
use crate::machine::BuiltMachine;
use ggp_compiled::CompiledMachine;
use ggp_game::{Deadline, Game, Interpreter, StopToken};
use std::sync::Arc;

impl Build {
    /// Builds the reasoner and waits for the end of the build. With [`Choice::Auto`], the compiled evaluator or the
    /// interpreter replaces a network that cannot be built; [`Reasoner::fallback`] gives the reason.
    ///
    /// # Errors
    /// When the machine that [`Build::choice`] requires cannot be built. The error is the reason.
    pub fn reasoner(&self, game: &Arc<Game>) -> Result<Reasoner, BuildError> {
        match self.built(game, &StopToken::new()) {
            Ok(built) => Ok(Reasoner::of_built(built)),
            Err(why) if self.choice == Choice::Auto => {
                Ok(Reasoner { fallback: Some(why), ..Reasoner::interpreter(game) })
            }
            Err(why) => Err(why),
        }
    }

    /// Starts to build the reasoner on another thread. With [`Choice::Datalog`] the build is finished at
    /// once, without a thread.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn begin(&self, game: &Arc<Game>) -> std::io::Result<BackgroundBuild> {
        if self.choice == Choice::Datalog {
            return Ok(BackgroundBuild::of_outcome(Ok(Interpreter::new(game).into())));
        }
        let (game, build) = (Arc::clone(game), self.clone());
        BackgroundBuild::run(move |halt| build.built(&game, halt))
    }

    /// The machine that [`Build::choice`] selects. With [`Choice::Auto`], the compiled evaluator replaces a network
    /// that cannot be built, if a trial shows that it is at least 20 times as fast as the interpreter.
    fn built(&self, game: &Arc<Game>, halt: &StopToken) -> Built {
        match self.choice {
            Choice::Datalog => Ok(Interpreter::new(game).into()),
            Choice::Propnet => Ok(self.network(game, halt)?.into()),
            Choice::Compiled => Ok(CompiledMachine::new(game, halt)?.into()),
            Choice::Auto => match self.network(game, halt) {
                Ok(machine) => Ok(machine.into()),
                Err(BuildError::Stopped) => Err(BuildError::Stopped),
                Err(why) => match compiled(game, halt) {
                    Some(machine) => Ok(BuiltMachine { machine: machine.into(), instead_of: Some(why) }),
                    None => Err(why),
                },
            },
        }
    }
}

/// The compiled evaluator, if it takes the game and is much faster than the interpreter.
fn compiled(game: &Arc<Game>, halt: &StopToken) -> Option<CompiledMachine> {
    match CompiledMachine::new(game, halt) {
        Ok(mut machine) => {
            let is_kept = replaces(&mut machine, &mut Interpreter::new(game), halt);
            if !is_kept {
                tracing::info!("the compiled evaluator is not much faster than the interpreter");
            }
            is_kept.then_some(machine)
        }
        Err(refusal) => {
            tracing::info!(%refusal, "the compiled evaluator does not take the game");
            None
        }
    }
}

impl BackgroundBuild {
    /// A finished build whose outcome is the machine of `reasoner`.
    pub fn finished(reasoner: Reasoner) -> BackgroundBuild {
        BackgroundBuild::of_outcome(Ok(BuiltMachine {
            machine: reasoner.machine,
            instead_of: reasoner.fallback,
        }))
    }

    /// The outcome of the build: the reasoner, or the error if no network could be built. `None` while the
    /// build runs.
    pub fn poll(&self) -> Option<Result<Reasoner, BuildError>> {
        Some(self.machine()?.map(Reasoner::of_built))
    }

    /// Waits for the outcome until `deadline` or until `stop` is raised. `None` if the build has not finished by
    /// then.
    pub fn wait(&self, deadline: Deadline, stop: &StopToken) -> Option<Result<Reasoner, BuildError>> {
        Some(self.wait_for_machine(deadline, stop)?.map(Reasoner::of_built))
    }
}
