//! The progress of a tournament: a bar on a terminal, otherwise occasional lines.
//!
//! Invariant: totals are computed only for output, so that short matches are not slowed down.

use crate::console;
use ggp_arena::elo::SprtState;
use ggp_arena::{Progress, Standings, Summary};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// The minimum interval between two updates on a terminal.
const GLANCE: Duration = Duration::from_millis(300);

/// The interval between two lines of progress if standard error is not a terminal. A line also appears when
/// 10 %, 20 %, … of the matches have been played.
const LINE: Duration = Duration::from_secs(10);
const TENTHS: u64 = 10;

/// The maximum number of players whose mean goals the progress display shows.
const NAMED: usize = 4;

/// The progress display of a tournament.
#[derive(Debug)]
pub(crate) struct Score {
    bar: Option<ProgressBar>,
    shown: Instant,
    tenth: u64,
}

impl Score {
    /// Starts the display, before the first match.
    pub(crate) fn start() -> Score {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {prefix}\n{msg}");
            bar.set_style(style.expect("a template that is part of the program"));
            bar
        });
        Score { bar, shown: Instant::now(), tenth: 0 }
    }

    /// Tells the display how many matches there are, and how many of them an earlier run has played; both
    /// numbers are in `progress`. `unasked` is the number of earlier results that are not rated, because
    /// their matches are not among those that this command line asks for.
    pub(crate) fn ready(&mut self, progress: Progress, unasked: u64) {
        self.tenth = progress.done * TENTHS / progress.total.max(1);
        if let Some(bar) = &self.bar {
            bar.set_length(progress.total);
            bar.set_position(progress.done);
        } else if progress.done > 0 {
            console::say(&format!("{} of {} matches have been played before", progress.done, progress.total));
        }
        if unasked > 0 {
            self.say(&format!(
                "note: the file has {unasked} more, beyond what --games and --shard ask for: they are not rated here; \
                 `ggp stats` rates all"
            ));
        }
    }

    /// Prints a message above the bar.
    pub(crate) fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| console::say(text)),
            None => console::say(text),
        }
    }

    /// Updates the display after a match.
    pub(crate) fn update(&mut self, progress: Progress, standings: &Standings, sprt: Option<SprtState>) {
        let waited = self.shown.elapsed();
        let left = progress.time_left().map_or_else(String::new, |left| format!("{} left", spell(left)));
        if let Some(bar) = &self.bar {
            bar.set_position(progress.done);
            if waited >= GLANCE || progress.played == 1 {
                self.shown = Instant::now();
                bar.set_prefix(left);
                bar.set_message(line(&standings.summary(), sprt));
            }
            return;
        }
        let tenth = progress.done * TENTHS / progress.total.max(1);
        if waited >= LINE || tenth > self.tenth {
            (self.shown, self.tenth) = (Instant::now(), tenth);
            let score = line(&standings.summary(), sprt);
            console::say(&format!("{}/{} matches, {left}: {score}", progress.done, progress.total));
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A duration in at most two units: `2 h 5 min`, `3 min 20 s`, `12 s`.
fn spell(time: Duration) -> String {
    match time.as_secs() {
        s @ 0..60 => format!("{s} s"),
        s @ 60..3600 => format!("{} min {} s", s / 60, s % 60),
        s => format!("{} h {} min", s / 3600, s % 3600 / 60),
    }
}

/// The standings in one line: the players' mean goals with their intervals, the Elo difference if there is
/// only one pair of players, and the state of the sequential test.
pub(crate) fn line(summary: &Summary, sprt: Option<SprtState>) -> String {
    let mean = |player: &ggp_arena::PlayerSummary| {
        let goal =
            player.goal.map_or("-".to_owned(), |goal| format!("{:.1} ± {:.1}", goal.value, goal.margin()));
        format!("{} {goal}", player.name)
    };
    let mut parts: Vec<String> = summary.players.iter().take(NAMED).map(mean).collect();
    if let [pair] = &summary.pairs[..]
        && let Some(difference) = pair.difference
    {
        let elo = difference.elo;
        parts.push(format!("Elo {} [{}, {}]", signed(elo.value), signed(elo.low), signed(elo.high)));
    }
    parts.extend(sprt.map(|state| state.to_string()));
    parts.join(", ")
}

/// An Elo difference as a whole number with its sign: `+12`, `-3`, `+0`, `-∞`.
fn signed(value: f64) -> String {
    let sign = if value < -0.5 { "-" } else { "+" };
    if value.is_finite() { format!("{sign}{:.0}", value.abs()) } else { format!("{sign}∞") }
}

#[cfg(test)]
mod tests {
    use super::{signed, spell};
    use std::time::Duration;

    #[test]
    fn times_are_spelled_in_two_units() {
        let spelled = [12, 200, 7500].map(|s| spell(Duration::from_secs(s)));
        assert_eq!(spelled, ["12 s", "3 min 20 s", "2 h 5 min"]);
    }

    #[test]
    fn a_difference_has_a_sign_unless_it_is_rounded_to_0() {
        let shown = [-0.4, 0.4, -2.6, 2.6, f64::NEG_INFINITY, f64::INFINITY].map(signed);
        assert_eq!(shown, ["+0", "+0", "-3", "+3", "-∞", "+∞"]);
    }
}
