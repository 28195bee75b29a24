//! `ggp play`: one match, watched: boards, moves, what the search thought of them, goals.

use crate::bench::seconds;
use crate::board::Board;
use crate::console::{self, BAD, FAINT, GOOD};
use crate::entry::{self, Kind};
use crate::exit::{Exit, UsageError};
use crate::narrate::Narrator;
use crate::person::{Lines, Person};
use crate::progress::Progress;
use crate::reasoner::{Reasoner, Reasoning, WithMachine};
use crate::record::Record;
use crate::rulesheet::GameFile;
use crate::seats::{self, Taker, seats};
use anyhow::Context;
use ggp_arena::{Ending, MachineReferee, MatchSetup, Outcome, Referee, Seat};
use ggp_game::{Clocks, Game, Playouts, Role, StopToken, rng};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Play a match and watch it
///
/// The computer plays every role that no person takes, by Monte-Carlo tree search unless --player
/// says otherwise. Ctrl-C ends the match; with --save it can be taken up again.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Players:
  mcts                        tree search, as long as the play clock lasts
  mcts:iterations=N           at most so many iterations a move, within the play clock
  mcts:memory=MIB,c=X,seed=N  its memory, its exploration constant, its seed
  mcts:threads=N              N threads on one tree; seeds repeat with one only
  uct                         tree search without anything beyond UCT
  random                      random legal moves

Examples:
  ggp play games/breakthrough_holes.kif
  ggp play games/connect_four.kif --human red
  ggp play games/hex.kif --player red=mcts:iterations=500 --player blue=random --seed 7
  ggp play games/endgame.kif --playclock 0.2 --save match.json
  ggp play games/endgame.kif --from match.json")]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: GameFile,
    /// A person plays this role; may be given several times
    #[arg(long, value_name = "ROLE")]
    human: Vec<String>,
    /// Who plays a role; may be given once a role
    #[arg(long, value_name = "ROLE=SPEC")]
    player: Vec<String>,
    /// Seconds for each move of a computer
    #[arg(long, value_name = "S", default_value = "1", value_parser = seconds)]
    playclock: Duration,
    /// Seconds for each computer before the first move
    #[arg(long, value_name = "S", default_value = "0", value_parser = seconds)]
    startclock: Duration,
    /// The seed of whatever is random; drawn if not given
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Write the match to FILE as JSON, in the format of ggp.org
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Go on from the last state of a recorded match
    #[arg(long, value_name = "RECORD")]
    from: Option<PathBuf>,
    #[command(flatten)]
    reasoning: Reasoning,
}

/// How long an answer of a computer may be late: players of this program keep their clock, so this
/// is for a machine that is busy.
const GRACE: Duration = Duration::from_secs(5);

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let keyboard = !arguments.human.is_empty() || arguments.from.as_deref() == Some(Path::new("-"));
    if keyboard && arguments.file.path == Path::new("-") {
        return Err(UsageError("standard input cannot be two things at once".to_owned()).into());
    }
    let progress = Progress::start("reading the rules");
    let game = arguments.file.load()?;
    let reasoner = arguments.reasoning.build(&game)?;
    let who = seats(&game, &arguments.human, &arguments.player)?;
    if let Some(other) = who.iter().find(|taker| taker.is_elsewhere()) {
        let name = other.name();
        return Err(UsageError(format!("`{name}` plays outside of this program: `ggp host` asks it")).into());
    }
    let record = arguments.from.as_deref().map(Record::read).transpose()?;
    if let Some(path) = &arguments.save {
        // Better now than after the match.
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.with_context(|| format!("cannot write {}", path.display()))?;
    }
    let stop = StopToken::new();
    stop_on_signal(&stop)?;
    let table = Table { arguments, game: &game, reasoner: &reasoner, who, record, stop, progress };
    let outcome = reasoner.with(table)?;
    conclude(arguments, &game, &outcome)
}

/// The first Ctrl-C asks for an end, the second takes it.
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

/// The match, before it has a machine.
struct Table<'a> {
    arguments: &'a Arguments,
    game: &'a Arc<Game>,
    reasoner: &'a Reasoner,
    who: Vec<Taker>,
    record: Option<Record>,
    stop: StopToken,
    progress: Progress,
}

impl WithMachine for Table<'_> {
    type Output = anyhow::Result<Outcome>;

    fn run<M: Playouts + 'static>(self, mut machine: M) -> anyhow::Result<Outcome> {
        let Table { arguments, game, reasoner, who, record, stop, progress } = self;
        let seed = arguments.seed.unwrap_or_else(any_seed);
        let opening = opening(&mut machine, record.as_ref())?;
        let board = Board::infer(&mut machine, &arguments.file.path);
        let people = who.iter().filter(|taker| taker.is_person()).count();
        let lines = (people > 0).then(|| Arc::new(Mutex::new(Lines::read())));
        let mut seats = Vec::new();
        for (role, taker) in who.iter().enumerate() {
            seats.push(match (taker, &lines) {
                (Taker::Person, Some(lines)) => {
                    Seat::Player(Box::new(Person::new(machine.clone(), Arc::clone(lines))))
                }
                (Taker::Player(_, Kind::Local(spec)), _) => {
                    let seed = rng::mix(seed ^ rng::mix(role as u64 + 1));
                    Seat::Player(entry::player(reasoner, game, spec.clone().with_seed(seed))?)
                }
                // Lines are read when there is a person, and nobody here is elsewhere.
                (Taker::Nature | Taker::Person | Taker::Player(..), _) => Seat::Nature,
            });
        }
        drop(progress);
        let clocks = Clocks { start: arguments.startclock, play: arguments.playclock };
        let mut setup = MatchSetup::new(match_id(arguments, seed), clocks);
        // Whoever sits at the keyboard takes the time that it takes.
        setup.grace = if people > 0 { Duration::MAX } else { GRACE };
        setup.seed = seed;
        setup.opening = opening;
        setup.record = Some(ggp_arena::Record {
            game_meta_url: arguments.file.path.display().to_string(),
            player_names_from_host: who.iter().map(|taker| taker.name().to_owned()).collect(),
            is_player_human: who.iter().map(Taker::is_person).collect(),
            ..ggp_arena::Record::default()
        });
        let text = format!("{} (seed {seed})", seats::line(game, &who));
        console::say(&console::paint_stderr(FAINT, &text));
        let given = setup.opening.len() as u32;
        let mut narrator = Narrator::new(game, board, given, arguments.save.as_deref(), &stop);
        let outcome = MachineReferee::new(machine).play(setup, &mut seats, &mut narrator, &stop);
        narrator.finish()?;
        Ok(outcome)
    }
}

/// The joint moves of the record, each legal, as this machine spells them.
fn opening<M: Playouts>(machine: &mut M, record: Option<&Record>) -> anyhow::Result<Vec<Vec<String>>> {
    let Some(record) = record else { return Ok(Vec::new()) };
    record.follow(machine, |_, _, _| Ok(()))?;
    let mut opening = Vec::new();
    for joint in record.moves() {
        let moves: Option<Vec<_>> = joint.iter().map(|text| machine.parse_move(text)).collect();
        let moves = moves.context("a move that has just been made is known")?;
        opening.push(moves.iter().map(|&mv| machine.move_text(mv).to_owned()).collect());
    }
    Ok(opening)
}

pub(crate) fn any_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Short enough to be typed again.
    rng::mix(now.as_nanos() as u64) % 1_000_000
}

fn match_id(arguments: &Arguments, seed: u64) -> String {
    let name: String =
        arguments.file.game_name().chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    format!("{name}.{seed}")
}

/// Says how the match ended, saves it, and how to go on with it.
fn conclude(arguments: &Arguments, game: &Game, outcome: &Outcome) -> anyhow::Result<Exit> {
    if let (Some(path), Some(record)) = (&arguments.save, &outcome.record) {
        let text = record.to_json() + "\n";
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
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
            let mut out = console::stdout();
            let goal = |role: Role| {
                let text = outcome.score_text(role.index());
                format!("{} {}", game.role_name(role), console::paint_stdout(GOOD, &text))
            };
            let goals: Vec<String> = game.roles().map(goal).collect();
            writeln!(out, "Over after {} steps: {}", outcome.steps, goals.join(", "))?;
            out.flush()?;
            return Ok(fault_exit);
        }
        Ending::Interrupted => {
            console::say(&format!("ended after {} steps", outcome.steps));
            match &arguments.save {
                Some(path) => console::say(&format!("go on with: {}", resume_command(path))),
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

/// This command line, going on from what was saved.
fn resume_command(saved: &Path) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut arguments = std::env::args();
    words.extend(arguments.next().map(|program| quote(&program)));
    while let Some(word) = arguments.next() {
        if word == "--from" {
            arguments.next();
        } else if !word.starts_with("--from=") {
            words.push(quote(&word));
        }
    }
    words.push("--from".to_owned());
    words.push(quote(&saved.display().to_string()));
    words.join(" ")
}

/// A word as a shell takes it.
pub(crate) fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quote("games/nim.kif"), "games/nim.kif");
        assert_eq!(quote("my game's.kif"), "'my game'\\''s.kif'");
        assert_eq!(quote(""), "''");
    }
}
