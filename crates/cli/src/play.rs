//! `ggp play`: one match with its boards, moves, search results and goals.

use crate::board::Board;
use crate::command_line;
use crate::console::{self, BAD, FAINT};
use crate::destination::Destination;
use crate::exit::{Exit, UsageError};
use crate::narrate::{self, Narrator};
use crate::number::{positive_seconds, seconds, whole};
use crate::person::{HINT_ITERATIONS, Lines, Outlook, Person};
use crate::progress::Progress;
use crate::reasoner::Reasoning;
use crate::record::{Origin, Record, Saved};
use crate::rulesheet::GameFile;
use crate::save::{self, SaveFile, Seal};
use crate::seats::{self, Taker, kinds_help, play_clock, seats};
use anyhow::Context;
use ggp::{LatePlayer, PlayerKind};
use ggp_arena::{
    Ending, MachineReferee, MatchSetup, Outcome, Referee, SealedContents, SealedRecord, Seat, UserKey,
};
use ggp_game::{Clocks, Deadline, Fact, Game, Interpreter, Role, StateMachine, StopToken, rng};
use ggp_gdl::diagnostic::count;
use ggp_search::{MctsOptions, PlayerSpec};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Play a match and show it
///
/// The computer plays every role that no person plays, by Monte-Carlo tree search unless --player
/// names another player. Ctrl-C ends the match; a match that is saved with --save can be continued.
///
/// In a game of hidden information, the file of --save is sealed until the match is over: only the same people
/// can continue it, and no command shows it. Its key is in the user's data folder, or in the folder that the
/// environment variable `GGP_DATA` names.
#[derive(Debug, clap::Args)]
#[command(after_long_help = kinds_help(false) + "
Examples:
  ggp play games/breakthrough_holes.kif
  ggp play games/connect_four.kif --human red
  ggp play games/hex.kif --player red=mcts:iterations=500 --player blue=random --seed 7
  ggp play games/endgame.kif --playclock 0.2 --save match.json
  ggp play games/endgame.kif --from match.json
  ggp play games/endgame.kif --from match.json --step 6 --iterations 1000 --save branch.json")]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: GameFile,
    /// A person plays this role; may be given several times
    #[arg(long, value_name = "ROLE")]
    human: Vec<String>,
    /// The player of a role; may be given once for each role
    #[arg(long, value_name = "ROLE=SPEC")]
    player: Vec<String>,
    /// Seconds for each move of a computer; 1 by default, unlimited if --iterations limits all searches
    #[arg(long, value_name = "S", value_parser = positive_seconds)]
    playclock: Option<Duration>,
    /// The iterations for each move of every search whose specification gives none
    #[arg(long, value_name = "N", value_parser = whole(1u64..))]
    iterations: Option<u64>,
    /// Seconds for each computer before the first move
    #[arg(long, value_name = "S", default_value = "0", value_parser = seconds)]
    startclock: Duration,
    /// The seed of all random numbers; drawn if not given
    #[arg(long, value_name = "N", value_parser = whole(0u64..))]
    seed: Option<u64>,
    /// Write the match to FILE as JSON, in the format of ggp.org, and sealed while it hides information from
    /// people; an earlier record in FILE is replaced
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Show people the whole state, as a watcher sees it, in a game of hidden information
    #[arg(long)]
    reveal: bool,
    #[command(flatten)]
    origin: Origin,
    #[command(flatten)]
    reasoning: Reasoning,
}

/// The time by which a local player may exceed its clock. Local players keep to their clocks, so this matters
/// only on a busy computer.
const GRACE: Duration = Duration::from_secs(5);

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let is_stdin =
        [!arguments.human.is_empty(), arguments.origin.is_stdin(), arguments.file.path == Path::new("-")];
    if is_stdin.into_iter().filter(|&is_stdin| is_stdin).count() > 1 {
        return Err(UsageError("standard input cannot be two things at once".to_owned()).into());
    }
    let saved = arguments.origin.read_saved(&arguments.file.path)?;
    let progress = Progress::start("reading the rules");
    let game = arguments.file.load_to_play()?;
    let who = seats(&game, &arguments.human, &arguments.player, arguments.iterations, false)?;
    if let Some(other) = who.iter().find(|taker| taker.is_elsewhere()) {
        let name = other.name();
        return Err(UsageError(format!("`{name}` plays outside of this program: `ggp host` asks it")).into());
    }
    let hides = hides(arguments, &game, &who);
    let (record, sealed_seed) = match saved {
        None => (None, None),
        Some(Saved::Open(record)) => (Some(record), None),
        Some(Saved::Sealed(sealed)) => {
            let SealedContents { seed, record } = open(&sealed, arguments, &game, &who)?;
            (Some(Record::opened(sealed.game(), &record)?), Some(seed))
        }
    };
    if let Some(path) = &arguments.save {
        Destination::Record.check(path)?;
    }
    let stop = StopToken::new();
    stop_on_signal(&stop)?;
    let seed = arguments.seed.or(sealed_seed).unwrap_or_else(any_seed);
    let given = record.as_ref().map_or(0, |record| record.moves().len() as u32);
    let outcome = Table { arguments, game: &game, who, hides, seed, record, stop, progress }.run()?;
    if hides && outcome.ending == Ending::Terminal {
        console::say(&console::paint_stderr(FAINT, &format!("(seed {seed})")));
    }
    conclude(arguments, &game, &outcome, hides, given)
}

/// Whether the match hides information from the people who play in it.
fn hides(arguments: &Arguments, game: &Game, who: &[Taker]) -> bool {
    game.has_percepts() && who.iter().any(Taker::is_person) && !arguments.reveal
}

/// Opens the sealed record of a match in which the same people play as before. The people see only what their
/// roles know.
fn open(
    sealed: &SealedRecord,
    arguments: &Arguments,
    game: &Game,
    who: &[Taker],
) -> anyhow::Result<SealedContents> {
    let people: Vec<&str> = people(who).map(|role| game.role_name(role)).collect();
    if people != sealed.roles() {
        let wanted: Vec<String> = sealed.roles().iter().map(|role| format!("--human {role}")).collect();
        let why = format!("the match is sealed for its players: continue it with {}", wanted.join(" "));
        return Err(UsageError(why).into());
    }
    if arguments.reveal {
        let why = "--reveal is not allowed: the match is sealed until it is over";
        return Err(UsageError(why.to_owned()).into());
    }
    Ok(sealed.open(game, &UserKey::of_user()?)?)
}

/// The roles that people play.
fn people(who: &[Taker]) -> impl Iterator<Item = Role> {
    who.iter().enumerate().filter(|(_, taker)| taker.is_person()).map(|(role, _)| Role(role as u8))
}

/// Installs the signal handler: the first Ctrl-C raises `stop`, the second ends the process.
pub(crate) fn stop_on_signal(stop: &StopToken) -> anyhow::Result<()> {
    let stop = stop.clone();
    ctrlc::set_handler(move || {
        if stop.is_stopped() {
            std::process::exit(130);
        }
        stop.stop();
    })
    .context("cannot listen for Ctrl-C")
}

/// A match that is ready to start.
struct Table<'a> {
    arguments: &'a Arguments,
    game: &'a Arc<Game>,
    who: Vec<Taker>,
    /// Whether information is hidden from the people who play.
    hides: bool,
    seed: u64,
    record: Option<Record>,
    stop: StopToken,
    progress: Progress,
}

impl Table<'_> {
    fn run(self) -> anyhow::Result<Outcome> {
        let Table { arguments, game, who, hides, seed, record, stop, progress } = self;
        let preparation = seats::prepare(&who, arguments.reasoning, game)?;
        let mut machine = Interpreter::new(game);
        let opening = Opening::read(&mut machine, record.as_ref())?;
        let board = Arc::new(Board::infer(&mut machine, &arguments.file.path));
        let seal = (hides && arguments.save.is_some()).then(|| Seal::new(game, seed, people(&who)));
        let seal = seal.transpose()?;
        let save = arguments.save.as_deref().map(|path| SaveFile::new(path, seal));
        let people = people(&who).count();
        let lines = (people > 0).then(|| Arc::new(Mutex::new(Lines::read())));
        let mut seats = Vec::new();
        for (role, taker) in who.iter().enumerate() {
            seats.push(match (taker, &lines) {
                (Taker::Person, Some(lines)) => {
                    let board = Arc::clone(&board);
                    let outlook = hides.then_some(Outlook { board, curtain: people > 1 });
                    let iterations = game.has_percepts().then_some(HINT_ITERATIONS);
                    let spec = PlayerSpec::Mcts(MctsOptions { iterations, ..MctsOptions::default() });
                    let choice = arguments.reasoning.choice();
                    let adviser =
                        LatePlayer::in_game(spec, choice, &preparation, game).map_err(UsageError::of)?;
                    Seat::Player(Box::new(Person::new(machine.clone(), Arc::clone(lines), outlook, adviser)))
                }
                (Taker::Player(_, PlayerKind::Local(spec)), _) => {
                    let seed = rng::mix(seed ^ rng::mix(role as u64 + 1));
                    let spec = spec.clone().with_seed(seed);
                    Seat::Player(
                        LatePlayer::in_game(spec, arguments.reasoning.choice(), &preparation, game)
                            .map_err(UsageError::of)?,
                    )
                }
                // `lines` exists if there is a person, and external players have been refused above.
                (Taker::Nature | Taker::Person | Taker::Player(..), _) => Seat::Nature,
            });
        }
        drop(progress);
        let clocks = clocks(arguments, &who);
        let mut setup = MatchSetup::new(match_id(&arguments.file), clocks);
        // A person at the keyboard has no time limit.
        setup.grace = if people > 0 { Duration::MAX } else { GRACE };
        setup.seed = seed;
        setup.opening = opening.joints;
        setup.record = Some(ggp_arena::Record {
            game_meta_url: arguments.file.path.display().to_string(),
            player_names_from_host: who.iter().map(|taker| taker.name().to_owned()).collect(),
            is_player_human: who.iter().map(Taker::is_person).collect(),
            ..ggp_arena::Record::default()
        });
        // The seed determines the moves of chance, so people may know it only once the match is over.
        let seed_text = if hides { String::new() } else { format!(" (seed {seed})") };
        let text = seats::line(game, &who) + &seed_text;
        console::say(&console::paint_stderr(FAINT, &text));
        let given = setup.opening.len() as u32;
        let last = setup.opening.last().cloned().unwrap_or_default();
        let mut narrator = Narrator::new(game, board, given, save, &stop);
        if hides {
            narrator = narrator.hide();
        }
        // Show the first state before the players start, which may take long.
        narrator.show_start(opening.facts, &last)?;
        if who.iter().any(Taker::counts_iterations) {
            // With a limit of iterations, the moves must depend on the seed only, so every search runs on
            // the network.
            let _progress = Progress::start("building the network of the game");
            preparation.wait(Deadline::never(), &stop);
        }
        let outcome = MachineReferee::new(machine).play(setup, &mut seats, &mut narrator, &stop);
        narrator.finish()?;
        Ok(outcome)
    }
}

fn clocks(arguments: &Arguments, who: &[Taker]) -> Clocks {
    let unlimited = arguments.iterations.is_some() && who.iter().all(Taker::ends_by_itself);
    Clocks { start: arguments.startclock, play: play_clock(arguments.playclock, unlimited) }
}

/// The state in which a match begins, and the joint moves that lead to this state.
#[derive(Default)]
struct Opening {
    /// The joint moves of the record, spelled as the state machine spells them. All of them are legal.
    joints: Vec<Vec<String>>,
    /// The facts of the state after all these moves, and the facts of the state before the last move.
    facts: [Vec<Fact>; 2],
}

impl Opening {
    /// The opening that `record` gives. Without a record, the initial state.
    fn read(machine: &mut Interpreter, record: Option<&Record>) -> anyhow::Result<Opening> {
        let mut opening = Opening::default();
        let Some(record) = record else {
            let state = machine.initial_state()?;
            machine.facts(&state, &mut opening.facts[0])?;
            return Ok(opening);
        };
        record.follow(machine, |machine, _, state| {
            opening.facts.swap(0, 1);
            Ok(machine.facts(state, &mut opening.facts[0])?)
        })?;
        for joint in record.moves() {
            let moves = machine.parse_joint(joint).context("a move that has just been made is known")?;
            opening.joints.push(moves.iter().map(|&mv| machine.move_text(mv).to_owned()).collect());
        }
        Ok(opening)
    }
}

pub(crate) fn any_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // A short number is easy to type again.
    rng::mix(now.as_nanos() as u64) % 1_000_000
}

/// A match id that no other match has, so that a player does not confuse this match with one that it is still
/// playing, and so that tables count each match. The id does not depend on the seed, since from the seed a player could
/// compute the moves of the role `random`.
pub(crate) fn match_id(file: &GameFile) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = file.game_name().chars().map(plain).collect();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{name}.{:x}.{:x}", now.as_millis(), std::process::id())
}

/// Saves the match, and reports how it ended and how to resume it. If `hides` is true (the match hides
/// information from the people who play), the file of a match that can be continued stays sealed. A match that ended before
/// its first `given` moves, which come from a record, were replayed is not saved: the record has more of it.
fn conclude(
    arguments: &Arguments,
    game: &Game,
    outcome: &Outcome,
    hides: bool,
    given: u32,
) -> anyhow::Result<Exit> {
    let can_continue =
        matches!(outcome.ending, Ending::Interrupted | Ending::Unplayed(_) | Ending::RulesFailed(_));
    let stays_sealed = hides && can_continue;
    let is_replayed = outcome.steps >= given;
    if let (Some(path), Some(record), true) = (&arguments.save, &outcome.record, is_replayed && !stays_sealed)
    {
        save::write(path, &record.to_json())?;
    }
    for fault in &outcome.faults {
        let role = game.role_name(Role(fault.role as u8));
        let text = format!("{role} in step {}: {}: {}", fault.step + 1, fault.kind.word(), fault.detail);
        console::say(&console::paint_stderr(BAD, &text));
    }
    let fault_exit = if outcome.faults.is_empty() { Exit::Done } else { Exit::Fault };
    let name = |role: usize| game.role_name(Role(role as u8)).to_owned();
    let why = match &outcome.ending {
        Ending::Terminal => {
            narrate::print_ending(game, outcome)?;
            return Ok(fault_exit);
        }
        Ending::Interrupted => {
            console::say(&format!("ended after {}", count(outcome.steps as usize, "step")));
            if !is_replayed {
                console::say(&format!(
                    "the record is unchanged; go on with: {}",
                    command_line::again(&[], None)
                ));
                return Ok(Exit::Findings);
            }
            if stays_sealed && arguments.save.is_some() {
                console::say(
                    "saved, but sealed until the match is over: the record holds what is hidden from you",
                );
            }
            match &arguments.save {
                Some(path) => console::say(&format!(
                    "go on with: {}",
                    command_line::again(&["--from", "--step"], Some(("--from", path)))
                )),
                None => console::say("not saved; --save FILE keeps a match, --from FILE goes on with it"),
            }
            return Ok(Exit::Findings);
        }
        Ending::Forfeit { role } => format!("{} forfeits the match", name(*role)),
        Ending::Unplayed(why) => format!("the match was not played: {why}"),
        Ending::NoLegalMove { role } => {
            format!("the rules are at fault: {} has no legal move, but the game is not over", name(*role))
        }
        Ending::StepLimit => format!("the match was given up after {} steps", outcome.steps),
        Ending::RulesFailed(why) => why.clone(),
    };
    console::say(&format!("{}: {why}", console::paint_stderr(BAD, "error")));
    Ok(fault_exit.max(Exit::Findings))
}
