//! `ggp learn`: learns a game by self-play and keeps what it has learnt in a file.

use crate::console;
use crate::exit::{Exit, UsageError};
use crate::number::{positive_minutes, whole};
use crate::output;
use crate::play::stop_on_signal;
use crate::progress::Progress;
use crate::reasoner::Reasoning;
use crate::rulesheet::GameFile;
use ggp::WithMachine;
use ggp_game::{AnonymousRules, Game, Playouts, StopToken};
use ggp_gdl::Strictness;
use ggp_search::{Feature, Generation, Knowledge, Learner, Lesson, Limits, MctsOptions, Trial};
use ggp_web::learnt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The time of learning, if the command line limits neither time nor descents.
const LEARNING_TIME: Duration = Duration::from_secs(600);

/// The part of the time, or of the descents, that goes to self-play.
const PLAYING: f64 = 0.75;

/// The part that goes to matches of searches with minimax values against searches without them. The matches of the policy
/// against the search without it have the rest.
const MINIMAX: f64 = 0.05;

/// The largest number of matches of the policy.
const TRIAL: u64 = 40;

/// The width of a bar of the chart, in characters.
const BAR: f64 = 40.0;

/// Learn a game by self-play, for players that use the file of knowledge
///
/// Short searches play matches against themselves, and which facts make a move good is learnt from all states that
/// they look at. The result is a policy, which rates moves. A generation is some matches, and a policy learnt from
/// them. Prints a line for each generation: how well the policy predicts which moves of a state are better, in
/// matches that it has not learnt from, and how well the history of moves does, which searches use without it. 0 is not
/// at all, and 1 is perfectly.
///
/// At the end, searches with the policy play against searches without it, and so do searches that back up values by
/// minimax. Players with `knowledge=FILE` use the policy if it predicts better and does not lose, and minimax values
/// if they win clearly. The file serves a game in every spelling, since the words of its
/// rules do not count. Ctrl-C ends learning early, and what was learnt is kept. The exit code is 1 if this game
/// cannot be learnt.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp learn games/breakthrough_holes.kif --minutes 10 --knowledge my.knowledge
  ggp play games/breakthrough_holes.kif --player white=mcts:knowledge=my.knowledge
  ggp serve mcts:knowledge=my.knowledge
  ggp analyze games/breakthrough_holes.kif --learnt my.knowledge")]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: GameFile,
    /// The file that keeps what was learnt of this and other games; learning goes on from it
    #[arg(long, value_name = "FILE")]
    knowledge: PathBuf,
    /// The maximum number of minutes; 10 if there is no limit of descents
    #[arg(long, value_name = "M", value_parser = positive_minutes)]
    minutes: Option<Duration>,
    /// The maximum number of descents of self-play; the matches that follow have about a third
    /// as many
    #[arg(long, value_name = "N", value_parser = whole(1u64..))]
    descents: Option<u64>,
    /// The number of matches at once; by default one for each processor. With one and --descents,
    /// equal seeds learn the same
    #[arg(long, value_name = "N", value_parser = whole(1u16..=1024))]
    threads: Option<u16>,
    /// The seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole(0u64..))]
    seed: u64,
    /// Print a JSON object for each generation instead of a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reasoning: Reasoning,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let game = arguments.file.load_to_play()?;
    // A file that cannot be used is refused before the work, not after it.
    let knowledge = Knowledge::read(&arguments.knowledge).map_err(UsageError::of)?;
    Knowledge::check_write(&arguments.knowledge).map_err(UsageError::of)?;
    if game.has_percepts() {
        return Ok(refuse("its roles see only a part of the state"));
    }
    let stop = StopToken::new();
    stop_on_signal(&stop)?;
    // Learning must not depend on the words of the rules, so it plays the game without them.
    let rules = AnonymousRules::new(game.description());
    let anonymous = without_words(&game, &rules);
    let progress = Progress::start("building the network");
    let reasoner = arguments.reasoning.build(&Arc::new(anonymous))?;
    reasoner.with(Learn { arguments, knowledge, rules, stop, progress })
}

/// The game of `rules`, the anonymous rules of `game`. Those of `game` have passed their checks, and numbered words look
/// like misspellings of each other, so only what cannot be evaluated counts.
fn without_words(game: &Game, rules: &AnonymousRules) -> Game {
    let description = ggp_gdl::parse(rules.text().as_bytes()).expect("printed rules are rules");
    let anonymous = Game::with_limits(description, Strictness::Lenient, game.limits().clone());
    anonymous.expect("other words break no rule")
}

/// Says why a game cannot be learnt.
fn refuse(why: &str) -> Exit {
    console::say(&format!("this game cannot be learnt: {why}"));
    Exit::Findings
}

struct Learn<'a> {
    arguments: &'a Arguments,
    knowledge: Knowledge,
    rules: AnonymousRules,
    stop: StopToken,
    progress: Progress,
}

impl WithMachine for Learn<'_> {
    type Output = anyhow::Result<Exit>;

    fn run<M: Playouts + 'static>(self, mut machine: M) -> anyhow::Result<Exit> {
        let Learn { arguments, knowledge, rules, stop, progress } = self;
        machine.interrupt_on(&stop);
        let options = MctsOptions { seed: Some(arguments.seed), ..MctsOptions::default() };
        let Some(mut learner) = Learner::new(&machine, &options, knowledge.lesson(&rules)) else {
            return Ok(refuse(if machine.game().role_count() < 2 {
                "it has one role"
            } else if machine.fluents().is_empty() {
                "only games with a propositional network can be"
            } else {
                "it has too many fluents"
            }));
        };
        let known = !learner.generations().is_empty();
        let time = arguments.minutes.or(arguments.descents.is_none().then_some(LEARNING_TIME));
        let until = |part: f64| {
            time.map_or(Limits::default(), |time| Limits::time(time.mul_f64(part))).or_when(&stop)
        };
        let limits = Limits { iterations: arguments.descents, ..until(PLAYING) };
        let until_end = until(1.0);
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads = arguments.threads.map_or(processors, usize::from);
        let mut out = console::stdout();
        if !arguments.json {
            if known {
                writeln!(out, "going on from {}", arguments.knowledge.display())?;
            }
            writeln!(out, "{}", header())?;
            out.flush()?;
        }
        progress.set("playing matches against itself");
        let mut written = Ok(());
        let learnt = learner.run(&limits, threads, |generation| {
            written = tell(&mut out, generation, arguments.json);
            written.is_ok()
        });
        // The descents of the matches that follow, if they have this part of all descents.
        let part_of_descents =
            |part: f64| arguments.descents.map(|descents| (descents as f64 * part / PLAYING) as u64);
        progress.set("playing with minimax values against the search without them");
        let matches = part_of_descents(MINIMAX).map(|descents| learner.matches_of_minimax(descents));
        let limits = Limits { iterations: matches, ..until(PLAYING + MINIMAX) };
        let learnt = learnt.and_then(|()| learner.try_minimax(&limits, threads));
        progress.set("playing with the policy against the search without it");
        let matches = part_of_descents(1.0 - PLAYING - MINIMAX)
            .map_or(TRIAL, |descents| learner.matches_of_trial(descents).min(TRIAL));
        let limits = Limits { iterations: Some(matches), ..until_end };
        let learnt = learnt.and_then(|()| learner.try_out(&limits, threads));
        drop(progress);
        match learnt {
            Err(ggp_game::EvalError::Interrupted) if stop.is_stopped() => {}
            other => other?,
        }
        // The message of the error has its source already.
        Knowledge::add_to(&arguments.knowledge, &rules, learner.lesson()).map_err(anyhow::Error::msg)?;
        console::unless_closed(written)?;
        if !arguments.json {
            let lesson = learner.lesson();
            console::unless_closed(writeln!(out, "{}\n{}", verdict(&lesson), verdict_on_minimax(&lesson)))?;
            console::unless_closed(writeln!(out, "kept in {}", arguments.knowledge.display()))?;
        }
        Ok(Exit::Done)
    }
}

/// Prints what `file` holds of `game`: the generations of self-play, and the features that weigh most.
pub(crate) fn show(game: &Game, file: &Path, json: bool) -> anyhow::Result<Exit> {
    let knowledge = Knowledge::read(file).map_err(UsageError::of)?;
    let rules = AnonymousRules::new(game.description());
    let Some(lesson) = knowledge.lesson(&rules) else {
        let why = if file.exists() {
            "holds nothing of this game; `ggp learn` learns it"
        } else {
            "does not exist: name a file that `ggp learn` has written"
        };
        console::say(&format!("{} {why}", file.display()));
        return Ok(Exit::Findings);
    };
    let mut out = console::stdout();
    if json {
        output::object(&mut out, output::LEARNT, &learnt::lesson(game, lesson))?;
        return Ok(Exit::Done);
    }
    writeln!(out, "{}", header())?;
    for generation in lesson.generations() {
        tell(&mut out, generation, false)?;
    }
    writeln!(out, "{}\n{}", verdict(lesson), verdict_on_minimax(lesson))?;
    writeln!(out, "\nThe features that weigh most, by the standard deviations that a move gains by them:")?;
    for Feature { role, fluent, beside, weight } in lesson.features(&rules, learnt::FEATURES) {
        let beside = beside.map_or(String::new(), |beside| format!(" while {beside}"));
        let role = game.role_name(role);
        writeln!(out, "{weight:>+7.2}  {role}: {}", console::printable(&format!("{fluent}{beside}")))?;
    }
    Ok(Exit::Done)
}

/// Whether players use the policy of `lesson`, and why.
fn verdict(lesson: &Lesson) -> String {
    let uses = if lesson.is_used() { "players use the policy" } else { "players do not use the policy" };
    if lesson.generations().last().is_none_or(|last| !last.passes()) {
        format!("{uses}: it explains too little")
    } else {
        format!("{uses}: {}", result(lesson.trial(), ["its", "it"]))
    }
}

/// Whether players with `lesson` use minimax values, and why.
fn verdict_on_minimax(lesson: &Lesson) -> String {
    let uses = if lesson.uses_minimax() { "players use" } else { "players do not use" };
    format!("{uses} minimax values: {}", result(lesson.minimax_trial(), ["their", "them"]))
}

/// The result of `trial`. The pronouns stand for what was tried.
fn result(trial: Option<Trial>, [its, it]: [&str; 2]) -> String {
    match trial {
        Some(Trial { matches, share }) => {
            format!("{its} share against the search without {it} is {share:.2} in {matches} matches")
        }
        None => format!("no match against the search without {it} has ended"),
    }
}

fn header() -> String {
    format!("{:>10} {:>8} {:>9} {:>8} {:>8}", "descents", "matches", "positions", "history", "policy")
}

/// Prints one generation: a line with a bar, or a JSON object.
fn tell(out: &mut impl Write, generation: &Generation, json: bool) -> std::io::Result<()> {
    let Generation { matches, descents, samples, by_history, by_policy, .. } = *generation;
    if json {
        writeln!(out, "{}", learnt::generation(generation))?;
    } else {
        let length = |share: f64| (share.clamp(0.0, 1.0) * BAR).round() as usize;
        let (history, policy) = (length(by_history), length(by_policy));
        let bar = "=".repeat(history.min(policy)) + &"#".repeat(policy.saturating_sub(history));
        writeln!(out, "{descents:>10} {matches:>8} {samples:>9} {by_history:>8.3} {by_policy:>8.3}  {bar}")?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_that_only_the_lenient_checks_accept_has_anonymous_rules_too() {
        let rules = "(player a) (player b) (<= (role ?r) (player ?r)) (<= (legal ?r go) (role ?r)) (next on)
            (<= terminal (true on)) (<= (goal ?r 50) (role ?r))";
        let description = ggp_gdl::parse(rules.as_bytes()).expect("rules");
        assert!(Game::new(description.clone()).is_err());
        let game = Game::with_limits(description, Strictness::Lenient, ggp_datalog::Limits::default());
        let game = game.expect("a game");
        let anonymous = without_words(&game, &AnonymousRules::new(game.description()));
        assert_eq!(anonymous.role_count(), 2);
    }
}
