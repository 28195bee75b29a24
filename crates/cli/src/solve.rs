//! `ggp solve`: proves the goal that each role can guarantee.

use crate::console;
use crate::destination::Destination;
use crate::equilibrium;
use crate::exit::{Exit, UsageError};
use crate::number::{positive_seconds, share_of_range, whole};
use crate::play::stop_on_signal;
use crate::progress::Progress;
use crate::reasoner::Reasoning;
use crate::record::{Origin, Record};
use crate::rulesheet::GameFile;
use ggp::WithMachine;
use ggp_game::{Deadline, Playouts, Role, StopToken};
use ggp_search::{Halt, Limits, Solver};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// The number of states that the solver expands between two updates of the progress display.
const SLICE: u64 = 10_000;

/// Prove the goal that each role can guarantee against all others
///
/// Searches the game tree, so it is for small games and for the ends of games. Prints for each role the least
/// and the greatest goal that it may be able to guarantee. The goal is proved when both are equal; with chance
/// and simultaneous moves they can stay apart. The exit code is 1 if the time or the memory did not suffice.
///
/// In a game of hidden information (with `sees`), roles know only what they see. If two roles have
/// goals of constant sum, computes an equilibrium by CFR+ on the whole tree. If there is one role
/// beside `random`, computes its best play against chance. Other such games are refused.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp solve games/tic_tac_toe.kif
  ggp solve games/connect_four.kif --from match.json --seconds 60 --memory 2000
  ggp solve games/nim.kif --json | jq '.[0].low'
  ggp solve games/monty_hall.kif
  ggp solve games/monty_hall.kif --efg monty_hall.efg")]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: GameFile,
    #[command(flatten)]
    origin: Origin,
    /// The maximum number of seconds for all proofs together; each role gets an equal share of the
    /// time that the roles before it have left
    #[arg(long, value_name = "S", value_parser = positive_seconds)]
    seconds: Option<Duration>,
    /// The memory for the proof of a role, or for the tree of a game of hidden information
    #[arg(long, value_name = "MIB", default_value_t = 500, value_parser = whole(1u32..))]
    memory: u32,
    /// With hidden information: stop when best responses gain at most this share of the goal range
    #[arg(long, value_name = "SHARE", default_value_t = 1e-5, value_parser = share_of_range)]
    exploitability: f64,
    /// With hidden information: write the whole tree to FILE, in Gambit's extensive form
    #[arg(long, value_name = "FILE")]
    efg: Option<PathBuf>,
    /// Print a JSON array with an object for each role; one object if there is hidden information
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reasoning: Reasoning,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let progress = Progress::start("reading the rules");
    let record = arguments.origin.read(&arguments.file.path)?;
    let game = arguments.file.load()?;
    let stop = StopToken::new();
    stop_on_signal(&stop)?;
    if game.has_percepts() {
        if record.is_some() {
            let why = "no role knows the state of a recorded match; solve games of hidden information from the start";
            return Err(UsageError(why.to_owned()).into());
        }
        if let Some(path) = &arguments.efg {
            Destination::Tree.check(path)?;
        }
        let solve = equilibrium::Solve {
            name: arguments.file.game_name(),
            target: arguments.exploitability,
            memory: (arguments.memory as usize).saturating_mul(1 << 20),
            end: arguments.seconds.map_or(Deadline::never(), Deadline::after),
            efg: arguments.efg.as_deref(),
            json: arguments.json,
            stop,
            progress,
        };
        return arguments.reasoning.build(&game)?.with(solve);
    }
    if arguments.efg.is_some() {
        let why = "--efg is for games of hidden information; the rules of this game have no `sees`";
        return Err(UsageError(why.to_owned()).into());
    }
    arguments.reasoning.build(&game)?.with(Prove { arguments, record, stop, progress })
}

struct Prove<'a> {
    arguments: &'a Arguments,
    record: Option<Record>,
    stop: StopToken,
    progress: Progress,
}

/// The result for one role. Scripts rely on the names of the members.
#[derive(Serialize)]
struct Proof {
    role: String,
    low: u8,
    high: u8,
    best: Option<String>,
    states: u64,
    /// Whether the solver can improve the bounds no further. The bounds of a complete proof may still differ.
    complete: bool,
    /// Whether the proof ended because the memory limit was reached.
    out_of_memory: bool,
}

impl WithMachine for Prove<'_> {
    type Output = anyhow::Result<Exit>;

    fn run<M: Playouts + 'static>(self, mut machine: M) -> anyhow::Result<Exit> {
        let Prove { arguments, record, stop, progress } = self;
        machine.interrupt_on(&stop);
        let state = match &record {
            None => machine.initial_state()?,
            Some(record) => record.follow(&mut machine, |_, _, _| Ok(()))?,
        };
        let game = machine.game().clone();
        let roles: Vec<Role> = game.roles().filter(|&role| !ggp_arena::is_nature(&game, role)).collect();
        let end = arguments.seconds.map_or(Deadline::never(), Deadline::after);
        let mut proofs = Vec::new();
        for (number, &role) in roles.iter().enumerate() {
            let name = game.role_name(role).to_owned();
            progress.set(format!("proving what {name} can make sure of"));
            let memory = (arguments.memory as usize).saturating_mul(1 << 20);
            let time = share(end.remaining(), roles.len() - number);
            let proof = prove(&machine, &state, role, memory, time, &stop, &progress)?;
            proofs.push(Proof { role: name, ..proof });
        }
        drop(progress);
        console::unless_closed(print(&proofs, arguments.json))?;
        Ok(if proofs.iter().all(|proof| proof.complete) { Exit::Done } else { Exit::Findings })
    }
}

fn print(proofs: &[Proof], json: bool) -> std::io::Result<()> {
    let mut out = console::stdout();
    if json {
        serde_json::to_writer(&mut out, proofs)?;
        writeln!(out)?;
    } else {
        for proof in proofs {
            writeln!(out, "{}", proof.line())?;
        }
    }
    out.flush()
}

/// The time for the proof of one role, if `roles` roles share the time `left` equally. `None` if the time is
/// not limited.
fn share(left: Option<Duration>, roles: usize) -> Option<Duration> {
    left.map(|left| left / roles as u32)
}

fn prove<M: Playouts + 'static>(
    machine: &M,
    state: &M::State,
    role: Role,
    memory: usize,
    time: Option<Duration>,
    stop: &StopToken,
    progress: &Progress,
) -> anyhow::Result<Proof> {
    let mut solver = Solver::new(machine.clone(), state.clone(), role, memory);
    let deadline = time.map_or(Deadline::never(), Deadline::after);
    let halt = loop {
        match solver.run(&Limits::iterations(SLICE).until(deadline).or_when(stop)) {
            Halt::Iterations => {
                let solution = solver.solution();
                let (low, high) = (solution.low, solution.high);
                progress.set(format!("{low} to {high}, {} states", solution.states));
            }
            Halt::Failing(error) => return Err(error.into()),
            halt => break halt,
        }
    };
    let solution = solver.solution();
    Ok(Proof {
        role: String::new(),
        low: solution.low,
        high: solution.high,
        best: solution.best.map(|mv| solver.machine().move_text(mv).to_owned()),
        states: solution.states,
        complete: halt == Halt::Decided,
        out_of_memory: halt == Halt::Full,
    })
}

impl Proof {
    /// The result as a line of text.
    fn line(&self) -> String {
        let Proof { role, low, high, states, .. } = self;
        let value = match (low == high, self.complete) {
            (true, _) => format!("{low}, proved"),
            (false, true) => format!("between {low} and {high}, which is all that can be proved"),
            (false, false) => format!("between {low} and {high} so far"),
        };
        let best =
            self.best.as_ref().map_or(String::new(), |mv| format!("; {} makes sure", console::printable(mv)));
        let why = if self.out_of_memory { "; the memory is used up, and --memory gives more" } else { "" };
        format!("{role}  {value} in {states} states{best}{why}")
    }
}

#[cfg(test)]
mod tests {
    use super::share;
    use std::time::Duration;

    #[test]
    fn the_time_is_shared_and_what_is_left_goes_to_the_others() {
        let seconds = |s| Some(Duration::from_secs(s));
        assert_eq!(share(seconds(60), 3), seconds(20));
        // The first role has used 4 of its 20 seconds.
        assert_eq!(share(seconds(56), 2), seconds(28));
        assert_eq!(share(seconds(28), 1), seconds(28));
        assert_eq!(share(None, 2), None);
    }
}
