//! A game that is prepared for play: its rules and its board. A game of the catalogue is prepared once, and
//! all its sessions share the result.

use crate::learnt::Learnt;
use crate::lock::lock;
use crate::style::Style;
use ggp::board::{self, BoardModel, Labels, Sidecar};
use ggp::{
    BackgroundBuild, Build, Choice, Deadline, Diagnostic, Error, Game, GroundLimits, LatePlayer, Limits,
    MctsOptions, NetworkCache, Player, PlayerSpec, Reasoner, Rulesheet, StateMachine, StopToken, Strictness,
};
use serde::Serialize;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The memory limit of the propositional network for uploaded rules, in MiB.
const UPLOAD_NETWORK: u64 = 512;

/// The evaluation limits for uploaded rules. They allow about half a GiB of memory.
fn upload_limits() -> Limits {
    Limits { terms: 1_000_000, depth: 10_000, tuples: 4_000_000, ..Limits::default() }
}

/// Checks the rules `kif`. Returns the game, or `None` if a finding is an error, and all findings. `upload`
/// is true for rules from a visitor and false for rules from the catalogue. Evaluations of the rules end when
/// `stop` is raised, even those of the game that is returned.
pub(crate) fn check(kif: &[u8], upload: bool, stop: Option<&StopToken>) -> (Option<Game>, Vec<Diagnostic>) {
    let limits = if upload { upload_limits() } else { Limits::default() };
    let limits = Limits { interrupt: stop.map(StopToken::flag), ..limits };
    Rulesheet::new("<upload>", kif).check(Strictness::Default, limits)
}

/// The game with the rules of `game`, except that its initial state is the state of `facts`. A remote player
/// that is to play from that state needs such a game, because the GGP protocol has no other way to tell it
/// the state. `None` if the state cannot be written as rules.
pub(crate) fn game_from(game: &Game, facts: &[ggp::Fact]) -> Option<Arc<Game>> {
    check(&ggp_arena::rules_from(game, facts), true, None).0.map(Arc::new)
}

/// A game that is prepared for play.
pub(crate) struct Known {
    pub(crate) name: String,
    /// Whether the game is in the catalogue. If not, a visitor has uploaded its rules.
    pub(crate) offered: bool,
    pub(crate) game: Arc<Game>,
    pub(crate) model: BoardModel,
    pub(crate) labels: Labels,
    /// Whether the game has percepts (GDL-II).
    pub(crate) hidden_information: bool,
    /// The lesson of the game in the file of knowledge.
    pub(crate) learnt: Option<Learnt>,
    /// The reasoner that evaluates the states of the sessions. Searches take clones of it.
    reasoner: Mutex<Reasoner>,
    network: BackgroundBuild,
}

/// Describes the reasoner with which searches evaluate the rules of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct ReasonerNote {
    /// The reasoner's kind in one word: `propnet`, or `datalog` for the interpreter, which plays far fewer
    /// playouts in the same time.
    pub(crate) name: &'static str,
    /// The reason why searches do not use the requested reasoner. `None` if they use it.
    pub(crate) why: Option<String>,
}

impl Known {
    /// Prepares a game. `choice` selects the state machine for searches. A propositional network is built in
    /// the background; the function waits for it only if `choice` is [`Choice::Propnet`]. Only an offered
    /// game uses `cache`. If `stop` is raised, the result is of no use.
    ///
    /// # Errors
    /// The reason why the game cannot be played.
    pub(crate) fn prepare(
        name: String,
        offered: bool,
        game: Arc<Game>,
        sidecar: Option<&Sidecar>,
        choice: Choice,
        cache: Option<NetworkCache>,
        stop: &StopToken,
    ) -> Result<Known, String> {
        // A visitor's rules keep a processor busy for a bounded time.
        let build = if offered {
            Build { cache, ..Build::within(Build::LONG_TIME) }
        } else {
            Build { limits: GroundLimits::within(UPLOAD_NETWORK), ..Build::default() }
        };
        let build = Build { choice, decisive: true, ..build };
        let network = build.begin(&game).map_err(|error| error.to_string())?;
        if choice == Choice::Propnet
            && let Some(Err(why)) = network.wait(Deadline::never(), stop)
        {
            return Err(format!("the game has no network: {why}"));
        }
        let mut reasoner = Reasoner::replaced_by(&game, network.clone());
        reasoner.interrupt_on(stop);
        let given = sidecar.and_then(|sidecar| board::of_game_with(&mut reasoner, sidecar).ok());
        let model = given.unwrap_or_else(|| board::of_game(&mut reasoner));
        let labels = Labels::new(&model, false);
        let hidden_information = game.has_percepts();
        let reasoner = Mutex::new(reasoner);
        Ok(Known { name, offered, game, model, labels, hidden_information, learnt: None, reasoner, network })
    }

    /// The same game with what `file` holds of it.
    pub(crate) fn with_knowledge(self, file: Option<&Path>) -> Known {
        let learnt = file.and_then(|file| Learnt::read(file, &self.game));
        Known { learnt, ..self }
    }

    /// The board, for display.
    pub(crate) fn style(&self) -> Style<'_> {
        Style { model: &self.model, labels: &self.labels }
    }

    /// Calls `work` with the reasoner that evaluates the states of the sessions.
    pub(crate) fn evaluate<T, E>(&self, work: impl FnOnce(&mut Reasoner) -> Result<T, E>) -> Result<T, E> {
        work(&mut lock(&self.reasoner))
    }

    /// A player for games of hidden information, whose search takes at most `memory` MiB and does at most
    /// `iterations` iterations for each move (`None` for no such limit). It searches on the network if that is
    /// ready within the start clock.
    ///
    /// # Errors
    /// When there is no such player for the game.
    pub(crate) fn player(
        &self,
        memory: usize,
        iterations: Option<u64>,
        seed: u64,
    ) -> Result<Box<dyn Player>, Error> {
        let options = MctsOptions { memory, iterations, seed: Some(seed), ..MctsOptions::default() };
        Ok(LatePlayer::in_game(PlayerSpec::Mcts(options), Choice::Auto, &self.network, &self.game)?)
    }

    /// The reasoner that searches use now.
    pub(crate) fn reasoner(&self) -> ReasonerNote {
        let (name, why) = match self.network.poll() {
            Some(Ok(reasoner)) => (reasoner.name(), reasoner.fallback().map(ToString::to_string)),
            Some(Err(why)) => (Reasoner::INTERPRETER, Some(why.to_string())),
            None => (Reasoner::INTERPRETER, Some("its network is still being built".to_owned())),
        };
        ReasonerNote { name, why }
    }
}
