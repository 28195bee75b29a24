//! The results of a tournament as plain-text tables for a terminal or a log.

use crate::elo::SprtState;
use crate::fault::FaultKind;
use crate::interval::Estimate;
use crate::settings::Settings;
use crate::summary::{FirstFault, PairSummary, PlayerSummary, Summary};
use comfy_table::{Cell, CellAlignment, Table, presets};
use std::fmt::Write as _;

/// Formats a table without borders. The first `texts` columns hold text and are aligned left. The others hold
/// numbers and are aligned right.
fn table<H: Into<Cell>>(header: impl IntoIterator<Item = H>, texts: usize, rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header.into_iter().collect::<Vec<H>>()).add_rows(rows);
    for (number, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if number >= texts {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt() + "\n"
}

/// Formats an estimate with its interval, as `81.3 [75.2, 87.4]`. A hyphen stands for `None`.
fn interval(estimate: Option<Estimate>, decimals: usize, signed: bool) -> String {
    let Some(Estimate { value, low, high }) = estimate else { return "-".to_owned() };
    let number = |x: f64| {
        let sign = if signed && x > 0.0 { "+" } else { "" };
        if x.is_finite() { format!("{sign}{x:.decimals$}") } else { format!("{sign}{x}") }
    };
    format!("{} [{}, {}]", number(value), number(low), number(high))
}

impl Summary {
    /// The headline, followed by tables of ratings, comparisons, differences, games, faults and time. Each
    /// table has a title, and blank lines separate the tables. Below the faults, each player's first fault of each
    /// kind is told. All intervals are 95 % confidence intervals.
    pub fn to_text(&self) -> String {
        let mut parts = vec![self.headline_text().join("\n") + "\n", self.ratings_text()];
        if self.players.len() > 1 {
            parts.push(self.cross_table_text());
        }
        if !self.pairs.is_empty() {
            parts.push(self.differences_text());
        }
        parts.push(self.games_text());
        parts.extend([self.faults_text(), self.time_text()]);
        parts.join("\n")
    }

    /// A table of the settings of the tournaments that the results come from; empty if no result tells its settings.
    pub fn settings_text(&self) -> String {
        if self.settings.is_empty() {
            return String::new();
        }
        let players = Settings::specs(&self.settings).into_iter();
        let facts = players.map(|(name, spec)| (format!("player {name}"), spec));
        let rows = facts.chain(Settings::facts(&self.settings)).map(|(name, value)| vec![name, value]);
        format!("Settings\n{}", table(["setting", "value"], 2, rows.collect()))
    }

    /// The sentences of [`Summary::headline`] as plain text.
    pub fn headline_text(&self) -> Vec<String> {
        self.headline(&str::to_owned, &|elo| interval(Some(elo), 0, true))
    }

    fn ratings_text(&self) -> String {
        let row = |player: &PlayerSummary| {
            vec![
                player.name.clone(),
                interval(player.rating, 0, true),
                interval(player.goal, 1, false),
                player.matches.to_string(),
                player.wins.to_string(),
                player.draws.to_string(),
                player.losses.to_string(),
            ]
        };
        let header = ["player", "Elo", "mean goal", "matches", "won", "drawn", "lost"];
        let ratings = table(header, 1, self.players.iter().map(row).collect());
        let mut unscored = String::new();
        if self.unscored > 0 {
            let endings =
                self.endings.iter().filter(|(ending, _)| *ending != "terminal" && *ending != "forfeit");
            let endings: Vec<String> = endings.map(|(ending, n)| format!("{n} {ending}")).collect();
            let _ = writeln!(
                unscored,
                "not scored: {} of {} ({})",
                self.unscored,
                self.matches,
                endings.join(", ")
            );
        }
        format!("Ratings\n{ratings}{unscored}")
    }

    fn cross_table_text(&self) -> String {
        let header = std::iter::once("row : column").chain(self.players.iter().map(|p| p.name.as_str()));
        let row = |row: &PlayerSummary| {
            let cell = |column: &PlayerSummary| match self.meeting(&row.name, &column.name) {
                Some([wins, draws, losses]) => format!("{wins}-{draws}-{losses}"),
                None => "-".to_owned(),
            };
            std::iter::once(row.name.clone()).chain(self.players.iter().map(cell)).collect()
        };
        let rows = self.players.iter().map(row).collect();
        format!("Cross table: won-drawn-lost\n{}", table(header, 1, rows))
    }

    fn differences_text(&self) -> String {
        let row = |pair: &PairSummary| {
            let counts: Vec<String> = pair.pentanomial.iter().map(u64::to_string).collect();
            vec![
                format!("{} : {}", pair.players[0], pair.players[1]),
                interval(pair.difference.map(|d| d.elo), 0, true),
                interval(pair.difference.and_then(|d| d.normalised), 0, true),
                pair.difference.map_or("-".to_owned(), |d| format!("{:.4}", d.superiority)),
                counts.join(", "),
            ]
        };
        let header = ["players", "Elo", "normalised Elo", "LOS", "pairs with\n0, ¼, ½, ¾, 1"];
        format!("Differences\n{}", table(header, 1, self.pairs.iter().map(row).collect()))
    }

    fn games_text(&self) -> String {
        let mut rows = Vec::new();
        for player in &self.players {
            for game in &player.games {
                for role in &game.roles {
                    rows.push(vec![
                        game.game.clone(),
                        role.role.clone(),
                        player.name.clone(),
                        interval(role.goal, 1, false),
                        role.count.to_string(),
                    ]);
                }
            }
        }
        // Rows are ordered by game, then by role. The sort is stable, so the players of a role stay in their
        // order.
        rows.sort_by(|a, b| a[..2].cmp(&b[..2]));
        format!("Games\n{}", table(["game", "role", "player", "mean goal", "times"], 3, rows))
    }

    fn faults_text(&self) -> String {
        let header = std::iter::once("player").chain(FaultKind::ALL.iter().map(|kind| kind.word()));
        let row = |player: &PlayerSummary| {
            let count = |kind| player.faults.get(kind).copied().unwrap_or(0).to_string();
            std::iter::once(player.name.clone()).chain(FaultKind::ALL.iter().map(count)).collect()
        };
        let mut text = format!("Faults\n{}", table(header, 1, self.players.iter().map(row).collect()));
        for player in &self.players {
            for (kind, first) in &player.first_faults {
                // A detail may hold line breaks that a player sent.
                let detail: Vec<&str> = first.detail.split_whitespace().collect();
                let FirstFault { id, step, role, .. } = first;
                let _ = writeln!(
                    text,
                    "{} as {role}, step {} of {id}: {}: {}",
                    player.name,
                    step + 1,
                    kind.word(),
                    detail.join(" ")
                );
            }
        }
        text
    }

    fn time_text(&self) -> String {
        let header =
            ["player", "moves", "s/move", "longest s", "over the clock", "99 % within ms", "worst ms"];
        let row = |player: &PlayerSummary| {
            let time = &player.time;
            vec![
                player.name.clone(),
                time.moves.to_string(),
                format!("{:.3}", time.seconds / time.moves.max(1) as f64),
                format!("{:.3}", time.longest),
                time.overshot.to_string(),
                time.overshoot_quantile(0.99).map_or("-".to_owned(), |ms| format!("{ms:.1}")),
                format!("{:.1}", time.overshoots.first().copied().unwrap_or(0.0)),
            ]
        };
        format!("Time\n{}", table(header, 1, self.players.iter().map(row).collect()))
    }
}

impl std::fmt::Display for SprtState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let verdict = match self.accepted {
            Some(hypothesis) => format!("{hypothesis:?} accepted"),
            None => "undecided".to_owned(),
        };
        write!(
            f,
            "LLR {:.2} in ({:.2}, {:.2}) after {} pairs: {verdict}",
            self.llr, self.lower, self.upper, self.count
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::comparison::tests::result;
    use crate::elo::{Scores, Sprt};
    use crate::result::MatchResult;
    use crate::settings::Settings;
    use crate::standings::Standings;

    #[test]
    fn tables_line_up() {
        let mut standings = Standings::default();
        for encounter in 0..10 {
            let name = format!("e{encounter}");
            standings.add(&result(&name, 0, &[("strong", 100), ("w", 0)]));
            standings.add(&result(&name, 1, &[("w", 50), ("strong", 50)]));
        }
        let text = standings.summary().to_text();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("strong is ahead of w: +191 ["), "{text}");
        let lines = &lines[2..];
        assert_eq!(lines[0], "Ratings");
        assert!(lines[1].starts_with("player ") && lines[1].ends_with("won  drawn  lost"), "{text}");
        assert!(lines[2].starts_with("strong") && lines[2].ends_with(" 10     10     0"), "{text}");
        assert_eq!(lines[1].chars().count(), lines[2].chars().count());
        assert_eq!(
            lines[7..9],
            ["strong              -  10-10-0", "w             0-10-10        -"],
            "{text}"
        );
        assert!(text.contains("strong : w") && text.contains("0, 0, 0, 10, 0"), "{text}");
        let role = |line: &&&str| line.starts_with("game  role1 ");
        let roles: Vec<&str> = lines.iter().filter(role).copied().collect();
        assert!(roles[0].starts_with("game  role1  strong  ") && roles[1].starts_with("game  role1  w  "));
        assert!(lines.iter().all(|line| line.chars().count() <= 80 && *line == line.trim_end()), "{text}");
    }

    #[test]
    fn settings_of_results_are_listed() {
        let mut standings = Standings::default();
        standings.add(&result("e", 0, &[("a", 100), ("b", 0)]));
        assert_eq!(standings.summary().settings_text(), "");
        let settings = Settings {
            playclock: Some(0.1),
            players: [("a".to_owned(), "mcts".to_owned())].into(),
            ..Settings::default()
        };
        for seating in 1..4 {
            let settings = Settings { seed: 1 + seating / 3, ..settings.clone() };
            let result = result("e", seating as usize, &[("a", 100), ("b", 0)]);
            standings.add(&MatchResult { settings: Some(settings), ..result });
        }
        let text = standings.summary().settings_text();
        let lines: Vec<Vec<&str>> =
            text.lines().map(|line| line.split("  ").map(str::trim).collect()).collect();
        let value =
            |name: &str| lines.iter().find(|line| line[0] == name).and_then(|line| line.last().copied());
        assert_eq!(value("player a"), Some("mcts"), "{text}");
        assert_eq!((value("play clock"), value("start clock")), (Some("0.1 s"), Some("none")), "{text}");
        assert_eq!(value("seed"), Some("1, 2"), "{text}");
    }

    #[test]
    fn a_test_says_where_it_stands() {
        let state = Sprt::new(0.0, 50.0, 0.05, 0.05).unwrap().state(&Scores::Pairs([0, 0, 40, 0, 0]));
        let text = state.to_string();
        assert!(
            text.starts_with("LLR -") && text.ends_with("(-2.94, 2.94) after 40 pairs: H0 accepted"),
            "{text}"
        );
    }
}
