//! `ggp host`: one match between local and remote players, by the GGP protocol.

use crate::board::Board;
use crate::console::{self, BAD, FAINT};
use crate::destination::Destination;
use crate::exit::{Exit, UsageError};
use crate::logging::Logging;
use crate::narrate::{self, Narrator};
use crate::number::{positive_seconds, seconds, whole};
use crate::play::{any_seed, match_id, stop_on_signal};
use crate::reasoner::Reasoning;
use crate::rulesheet::GameFile;
use crate::seats::{self, Taker, kinds_help, seats};
use anyhow::Context;
use ggp::{LatePlayer, PlayerKind};
use ggp_arena::{CommandPlayer, Ending, Fault, MachineReferee, OnFault, Outcome};
use ggp_game::{Clocks, Game, Interpreter, Role, StateMachine, StopToken, rng};
use ggp_gdl::diagnostic::count;
use ggp_server::host::{Guest, HostSetup, LiveRecord, host};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Manage a match between local and remote players
///
/// All players are asked at the same time. The moves of the role `random` are drawn. A role without
/// a player is played by the tree search. The match goes on if standard output is closed.
#[derive(Debug, clap::Args)]
#[command(after_long_help = kinds_help(true) + "
Examples:
  ggp host games/hex.kif --player red=http://localhost:9147 --player blue=mcts
  ggp host games/connect_four.kif --player red=http://a:9147 --player yellow=http://b:9147 \\
    --startclock 30 --playclock 10 --scramble --save match.json")]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: GameFile,
    /// The player of a role; may be given once for each role
    #[arg(long, value_name = "ROLE=URL|SPEC")]
    player: Vec<String>,
    /// Seconds before the first move
    #[arg(long, value_name = "S", default_value = "10", value_parser = seconds)]
    startclock: Duration,
    /// Seconds for each move
    #[arg(long, value_name = "S", default_value = "5", value_parser = positive_seconds)]
    playclock: Duration,
    /// Send PREVIEW to remote players before the match, and wait this many seconds for the answers
    #[arg(long, value_name = "S", value_parser = positive_seconds)]
    preview: Option<Duration>,
    /// Replace the words of the rules by others in all messages to remote players
    #[arg(long)]
    scramble: bool,
    /// What happens if a player is at fault: `random` or `first` (a random or the first legal move is made for
    /// it), or `forfeit`
    #[arg(long, value_name = "POLICY", default_value_t)]
    on_fault: OnFault,
    /// The seed of all random numbers; drawn if not given
    #[arg(long, value_name = "N", value_parser = whole(0u64..))]
    seed: Option<u64>,
    /// Write the match to FILE after every move, as JSON in the format of ggp.org; an earlier record in FILE is replaced
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    #[command(flatten)]
    logging: Logging,
    #[command(flatten)]
    reasoning: Reasoning,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    arguments.logging.start();
    let game = arguments.file.load_to_play()?;
    let who = seats(&game, &[], &arguments.player, None, true)?;
    let is_elsewhere = who.iter().any(Taker::is_elsewhere);
    let clocks = Clocks { start: arguments.startclock, play: arguments.playclock };
    if is_elsewhere && [clocks.start, clocks.play].iter().any(|clock| clock.subsec_nanos() > 0) {
        return Err(UsageError("the protocol has whole seconds for clocks".to_owned()).into());
    }
    let stop = StopToken::new();
    stop_on_signal(&stop)?;
    if let Some(path) = &arguments.save {
        Destination::Record.check(path)?;
        // A page that watches the file does not show an earlier match.
        let cannot = || format!("cannot write {}", path.display());
        LiveRecord::write(path, &ggp_arena::Record::default()).with_context(cannot)?;
    }
    let outcome = Table { arguments, game: &game, who, clocks, stop }.run()?;
    conclude(&game, &outcome)
}

/// A match that is ready to start.
struct Table<'a> {
    arguments: &'a Arguments,
    game: &'a Arc<Game>,
    who: Vec<Taker>,
    clocks: Clocks,
    stop: StopToken,
}

impl Table<'_> {
    fn run(self) -> anyhow::Result<Outcome> {
        let Table { arguments, game, who, clocks, stop } = self;
        let preparation = seats::prepare(&who, arguments.reasoning, game)?;
        // The referee evaluates few states, so it uses the interpreter, which needs no preparation.
        let mut machine = Interpreter::new(game);
        let seed = arguments.seed.unwrap_or_else(any_seed);
        let id = match_id(&arguments.file);
        let board = Arc::new(Board::infer(&mut machine, &arguments.file.path));
        console::say(&console::paint_stderr(
            FAINT,
            &format!("{id}: {} (seed {seed})", seats::line(game, &who)),
        ));
        let names: Vec<String> = who.iter().map(|taker| taker.name().to_owned()).collect();
        let mut guests = Vec::new();
        for (role, taker) in who.into_iter().enumerate() {
            let seed = rng::mix(seed ^ rng::mix(role as u64 + 1));
            guests.push(match taker {
                Taker::Nature | Taker::Person => Guest::Nature,
                Taker::Player(_, PlayerKind::Local(spec)) => {
                    let spec = spec.with_seed(seed);
                    Guest::Local(
                        LatePlayer::in_game(spec, arguments.reasoning.choice(), &preparation, game)
                            .map_err(UsageError::of)?,
                    )
                }
                Taker::Player(_, PlayerKind::Command(command)) => {
                    Guest::Local(Box::new(CommandPlayer::spawn(&command, &id, ggp_server::remote::GRACE)?))
                }
                Taker::Player(_, PlayerKind::Remote(address)) => {
                    Guest::Remote { address, name: String::new() }
                }
            });
        }
        let mut setup = HostSetup::new(id, clocks);
        setup.preview = arguments.preview;
        setup.on_fault = arguments.on_fault;
        setup.seed = seed;
        setup.scramble = arguments.scramble;
        setup.live.clone_from(&arguments.save);
        setup.record.game_meta_url = arguments.file.path.display().to_string();
        setup.record.is_player_human = vec![false; names.len()];
        setup.record.player_names_from_host = names;
        let mut narrator = Narrator::new(game, board, 0, None, &stop);
        // Show the initial state first, since the start clock may be long.
        let (state, mut facts) = (machine.initial_state()?, Vec::new());
        machine.facts(&state, &mut facts)?;
        narrator.show_start([facts, Vec::new()], &[])?;
        let outcome = host(&mut MachineReferee::new(machine), guests, setup, &mut narrator, &stop);
        narrator.finish()?;
        Ok(outcome)
    }
}

/// A fault that a role repeats.
struct Repeated<'a> {
    /// The first one.
    fault: &'a Fault,
    /// The step of the last one, from 0.
    last: u32,
    times: u32,
}

/// The faults, those of the same role, kind and description once.
fn repeated(faults: &[Fault]) -> Vec<Repeated<'_>> {
    let mut told: Vec<Repeated<'_>> = Vec::new();
    for fault in faults {
        let key = |fault: &Fault| (fault.role, fault.kind, fault.detail.clone());
        match told.iter_mut().find(|earlier| key(earlier.fault) == key(fault)) {
            Some(earlier) => (earlier.last, earlier.times) = (fault.step, earlier.times + 1),
            None => told.push(Repeated { fault, last: fault.step, times: 1 }),
        }
    }
    told
}

/// Prints how the match ended, and returns the exit code.
fn conclude(game: &Game, outcome: &Outcome) -> anyhow::Result<Exit> {
    let name = |role: usize| game.role_name(Role(role as u8));
    for Repeated { fault, last, times } in repeated(&outcome.faults) {
        let (role, word) = (name(fault.role), fault.kind.word());
        let detail = console::printable(&fault.detail);
        let first = fault.step + 1;
        let steps = match last - fault.step + 1 {
            1 => format!("step {first}"),
            all if all == times => format!("steps {first} to {}", last + 1),
            _ => format!("{times} steps from {first} to {}", last + 1),
        };
        console::say(&console::paint_stderr(BAD, &format!("{role} in {steps}: {word}: {detail}")));
    }
    if outcome.ending.is_played() {
        narrate::print_ending(game, outcome)?;
        return Ok(if outcome.faults.is_empty() { Exit::Done } else { Exit::Fault });
    }
    let why = match &outcome.ending {
        Ending::Unplayed(why) => format!("the match was not played: {why}"),
        Ending::NoLegalMove { role } => {
            format!("the rules are at fault: {} has no legal move, but the game is not over", name(*role))
        }
        Ending::RulesFailed(why) => why.clone(),
        Ending::Terminal | Ending::Forfeit { .. } | Ending::StepLimit | Ending::Interrupted => {
            format!("ended after {}", count(outcome.steps as usize, "step"))
        }
    };
    console::say(&format!("{}: {}", console::paint_stderr(BAD, "error"), console::printable(&why)));
    let is_at_fault = !outcome.faults.is_empty() && outcome.ending != Ending::Interrupted;
    Ok(if is_at_fault { Exit::Fault } else { Exit::Findings })
}

#[cfg(test)]
mod tests {
    use super::repeated;
    use ggp_arena::{Fault, FaultKind};

    #[test]
    fn a_fault_that_is_repeated_is_told_once() {
        let fault = |role, step, detail: &str| Fault {
            role,
            step,
            kind: FaultKind::Illegal,
            detail: detail.to_owned(),
            late_start: false,
        };
        let faults = [
            fault(0, 0, "a"),
            fault(1, 0, "a"),
            fault(0, 1, "a"),
            fault(1, 1, "b"),
            fault(0, 2, "a"),
            fault(0, 4, "a"),
        ];
        let told: Vec<(usize, u32, u32, u32)> = repeated(&faults)
            .iter()
            .map(|one| (one.fault.role, one.fault.step, one.last, one.times))
            .collect();
        assert_eq!(told, [(0, 0, 4, 4), (1, 0, 0, 1), (1, 1, 1, 1)]);
    }
}
