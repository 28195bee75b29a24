//! The results of a tournament as plain-text tables for a terminal or a log.

use crate::elo::SprtState;
use crate::fault::FaultKind;
use crate::interval::Estimate;
use crate::standings::Summary;
use std::fmt::Write as _;

/// Formats rows of cells as lines; the first column is aligned left, the others right.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[column] - cell.chars().count());
            let _ = if column == 0 { write!(line, "{cell}{pad}") } else { write!(line, "  {pad}{cell}") };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn cells<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

/// Formats an estimate: `81.3 [75.2, 87.4]`.
fn interval(estimate: Option<Estimate>, decimals: usize, signed: bool) -> String {
    let Some(Estimate { value, low, high }) = estimate else { return "-".to_owned() };
    let number = |x: f64| {
        let sign = if signed && x > 0.0 { "+" } else { "" };
        if x.is_finite() { format!("{sign}{x:.decimals$}") } else { format!("{sign}{x}") }
    };
    format!("{} [{}, {}]", number(value), number(low), number(high))
}

impl Summary {
    /// The headline, then tables of ratings, comparisons, differences, games and faults, each with a title,
    /// separated by blank lines. All intervals are 95 % confidence intervals.
    pub fn to_text(&self) -> String {
        let mut parts = vec![self.headline_text().join("\n") + "\n", self.ratings_text()];
        if self.players.len() > 1 {
            parts.push(self.cross_table_text());
        }
        if !self.pairs.is_empty() {
            parts.push(self.differences_text());
        }
        parts.push(self.games_text());
        parts.push(self.conduct_text());
        parts.join("\n")
    }

    /// The sentences of [`Summary::headline`] as plain text.
    pub fn headline_text(&self) -> Vec<String> {
        self.headline(&str::to_owned, &|elo| interval(Some(elo), 0, true))
    }

    fn ratings_text(&self) -> String {
        let mut rows = vec![cells(["player", "Elo", "mean goal", "matches", "won", "drawn", "lost"])];
        for player in &self.players {
            rows.push(vec![
                player.name.clone(),
                interval(player.rating, 0, true),
                interval(player.goal, 1, false),
                player.matches.to_string(),
                player.wins.to_string(),
                player.draws.to_string(),
                player.losses.to_string(),
            ]);
        }
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
        format!("Ratings\n{}{unscored}", table(&rows))
    }

    fn cross_table_text(&self) -> String {
        let mut rows = vec![cells(["row : column"])];
        rows[0].extend(self.players.iter().map(|p| p.name.clone()));
        for row in &self.players {
            let mut line = vec![row.name.clone()];
            for column in &self.players {
                line.push(match self.meeting(&row.name, &column.name) {
                    Some([wins, draws, losses]) => format!("{wins}-{draws}-{losses}"),
                    None => "-".to_owned(),
                });
            }
            rows.push(line);
        }
        format!("Cross table: won-drawn-lost\n{}", table(&rows))
    }

    fn differences_text(&self) -> String {
        let mut rows =
            vec![cells(["players", "Elo", "normalised Elo", "superiority", "pairs 0, 1/4, 1/2, 3/4, 1"])];
        for pair in &self.pairs {
            let counts: Vec<String> = pair.pentanomial.iter().map(u64::to_string).collect();
            rows.push(vec![
                format!("{} : {}", pair.players[0], pair.players[1]),
                interval(pair.difference.map(|d| d.elo), 0, true),
                interval(pair.difference.and_then(|d| d.normalised), 0, true),
                pair.difference.map_or("-".to_owned(), |d| format!("{:.4}", d.superiority)),
                counts.join(", "),
            ]);
        }
        format!("Differences\n{}", table(&rows))
    }

    fn games_text(&self) -> String {
        let mut rows = vec![cells(["game", "role", "player", "mean goal", "times"])];
        let mut lines = Vec::new();
        for player in &self.players {
            for game in &player.games {
                for role in &game.roles {
                    let goal = interval(role.goal, 1, false);
                    lines.push(
                        [&game.game, &role.role, &player.name, &goal, &role.count.to_string()]
                            .map(String::clone),
                    );
                }
            }
        }
        // The order is by game, then role; the sort is stable, so players stay in their order.
        lines.sort_by(|a, b| a[..2].cmp(&b[..2]));
        rows.extend(lines.into_iter().map(|line| line.to_vec()));
        format!("Games\n{}", table(&rows))
    }

    fn conduct_text(&self) -> String {
        let mut rows = vec![cells(["player"])];
        rows[0].extend(FaultKind::ALL.iter().map(|kind| kind.word().to_owned()));
        rows[0].extend(cells([
            "moves",
            "s/move",
            "longest s",
            "over the clock",
            "99 % within ms",
            "worst ms",
        ]));
        for player in &self.players {
            let mut row = vec![player.name.clone()];
            row.extend(
                FaultKind::ALL.iter().map(|kind| player.faults.get(kind).copied().unwrap_or(0).to_string()),
            );
            let time = &player.time;
            row.extend([
                time.moves.to_string(),
                format!("{:.3}", time.seconds / time.moves.max(1) as f64),
                format!("{:.3}", time.longest),
                time.overshot.to_string(),
                time.overshoot_quantile(0.99).map_or("-".to_owned(), |ms| format!("{ms:.1}")),
                format!("{:.1}", time.overshoots.first().copied().unwrap_or(0.0)),
            ]);
            rows.push(row);
        }
        format!("Faults and time\n{}", table(&rows))
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
