//! The results of a tournament as one self-contained HTML page: no network access, no script.
//!
//! Invariant: text from outside, such as the names of players and games, is escaped. The colours follow the
//! reader's light or dark setting.

use crate::chart::{Line, Whisker, lines, whiskers};
use crate::elo::{Hypothesis, SprtState};
use crate::fault::FaultKind;
use crate::interval::Estimate;
use crate::summary::Summary;
use ggp_game::escaped;
use std::fmt::Write as _;

/// The data that the page shows in addition to the [`Summary`] of the results.
#[derive(Clone, Debug, Default)]
pub struct ReportHead {
    /// The title of the page.
    pub title: String,
    /// Settings of the tournament, such as clocks and seed, as pairs of name and value.
    pub facts: Vec<(String, String)>,
    /// The specification of each player, as pairs of player name and specification.
    pub specs: Vec<(String, String)>,
    /// The sequential test: its settings as text, and its state. `None` if there is no test.
    pub sprt: Option<(String, SprtState)>,
    /// The records of the matches that were kept. `None` if none were.
    pub replays: Option<Replays>,
}

/// Records of matches, and where they can be replayed.
#[derive(Clone, Debug)]
pub struct Replays {
    /// The folder of the records.
    pub folder: String,
    /// The names of the records, without `.json`.
    pub names: Vec<String>,
}

/// The maximum number of lines in the chart of mean goals. A reader could not tell more lines apart.
const MAX_LINES: usize = 8;

const STYLE: &str = include_str!("report.css");

/// The results in `summary` and the data in `head` as an HTML page.
pub fn html(summary: &Summary, head: &ReportHead) -> String {
    let mut page = String::with_capacity(1 << 16);
    let title = escaped(&head.title);
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
    );
    write_verdict(&mut page, summary, head);
    write_ratings(&mut page, summary, head);
    write_cross_table(&mut page, summary);
    write_differences(&mut page, summary);
    write_course(&mut page, summary);
    write_games(&mut page, summary);
    write_conduct(&mut page, summary);
    write_replays(&mut page, head);
    write_facts(&mut page, head);
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

/// Writes the headline, the number of scored matches, and the state of the sequential test.
fn write_verdict(page: &mut String, summary: &Summary, head: &ReportHead) {
    let scored = summary.matches - summary.unscored;
    let mut sentences = summary.headline(&|name| format!("<b>{}</b>", escaped(name)), &elo);
    let verdict = sentences.pop().unwrap_or_default();
    for fault in sentences {
        let _ = writeln!(page, "<p class=\"lead fault\">{fault}</p>");
    }
    let _ = write!(page, "<p class=\"lead\">{verdict}");
    let _ = write!(page, " <span class=\"quiet\">{} scored", count(scored, "match", "matches"));
    if summary.unscored > 0 {
        let endings =
            summary.endings.iter().filter(|(ending, _)| *ending != "terminal" && *ending != "forfeit");
        let endings: Vec<String> =
            endings.map(|(ending, n)| format!("{n} {}", escaped(&ending.replace('_', " ")))).collect();
        let _ = write!(page, ", {} not", summary.unscored);
        if !endings.is_empty() {
            let _ = write!(page, " ({})", endings.join(", "));
        }
    }
    page.push_str(".</span></p>\n");
    let Some((test, state)) = &head.sprt else { return };
    let (class, words) = match state.accepted {
        Some(Hypothesis::H1) => ("good", "H1 accepted"),
        Some(Hypothesis::H0) => ("bad", "H0 accepted"),
        None => ("open", "undecided"),
    };
    let share = ((state.llr - state.lower) / (state.upper - state.lower)).clamp(0.0, 1.0) * 100.0;
    let _ = writeln!(
        page,
        "<section class=\"sprt\"><h2>Sequential test</h2><p><span class=\"badge {class}\">{words}</span> \
         {} <span class=\"quiet\">after {}</span></p>\
         <div class=\"meter\" role=\"img\" aria-label=\"log-likelihood ratio {:.2} between {:.2} and {:.2}\">\
         <i style=\"left:{share:.1}%\"></i></div>\
         <p class=\"scale\"><span>H0 {:.2}</span><span>LLR {:.2}</span><span>H1 {:.2}</span></p></section>",
        escaped(test),
        count(state.count, "pair", "pairs"),
        state.llr,
        state.lower,
        state.upper,
        state.lower,
        state.llr,
        state.upper
    );
}

fn write_ratings(page: &mut String, summary: &Summary, head: &ReportHead) {
    page.push_str(
        "<section><h2>Ratings</h2><p class=\"quiet\">Won, drawn and lost count each opponent of a match; goals \
         are from 0 to 100.</p><div class=\"scroll\"><table><thead><tr><th class=\"text\">player</th>\
         <th>Elo</th><th>±&nbsp;95&nbsp;%</th><th>mean goal</th><th>95&nbsp;%</th><th>matches</th><th>won</th><th>drawn</th>\
         <th>lost</th></tr></thead><tbody>\n",
    );
    for player in &summary.players {
        let spec = head.specs.iter().find(|(name, _)| *name == player.name).map(|(_, spec)| spec);
        let spec = spec.map(|spec| format!("<small>{}</small>", escaped(spec))).unwrap_or_default();
        let rating = player
            .rating
            .map_or(["–".to_owned(), String::new()], |r| [signed(r.value), format!("{:.0}", r.margin())]);
        let goal =
            player.goal.map_or(["–".to_owned(), String::new()], |g| [format!("{:.1}", g.value), spread(g)]);
        let _ = writeln!(
            page,
            "<tr><th class=\"text\" scope=\"row\">{}{spec}</th><td><b>{}</b></td><td class=\"quiet\">{}</td>\
             <td>{}</td><td class=\"quiet\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escaped(&player.name),
            rating[0],
            rating[1],
            goal[0],
            goal[1],
            player.matches,
            player.wins,
            player.draws,
            player.losses
        );
    }
    page.push_str("</tbody></table></div>\n");
    let rated: Vec<Whisker> = summary
        .players
        .iter()
        .filter_map(|player| Some(Whisker { name: player.name.clone(), estimate: player.rating? }))
        .collect();
    if rated.len() > 1 {
        page.push_str(&whiskers(&rated, "Elo, around the mean of all players; bars are 95 % intervals"));
    }
    page.push_str("</section>\n");
}

fn write_cross_table(page: &mut String, summary: &Summary) {
    if summary.players.len() < 2 {
        return;
    }
    page.push_str(
        "<section><h2>Cross table</h2><p class=\"quiet\">The score of the player on the left against the one \
         above: a win is 1, a draw ½. The second line is won – drawn – lost.</p>\
         <div class=\"scroll\"><table class=\"cross\"><thead><tr><th></th>",
    );
    for player in &summary.players {
        let _ = write!(page, "<th scope=\"col\">{}</th>", escaped(&player.name));
    }
    page.push_str("</tr></thead><tbody>\n");
    for row in &summary.players {
        let _ = write!(page, "<tr><th class=\"text\" scope=\"row\">{}</th>", escaped(&row.name));
        for column in &summary.players {
            match summary.meeting(&row.name, &column.name) {
                Some([wins, draws, losses]) => {
                    let total = (wins + draws + losses).max(1) as f64;
                    let score = (wins as f64 + draws as f64 / 2.0) / total;
                    let (class, depth) =
                        if score >= 0.5 { ("up", score - 0.5) } else { ("down", 0.5 - score) };
                    let _ = write!(
                        page,
                        "<td class=\"{class}\" style=\"--depth:{:.0}%\">{:.1} %<small>{wins} – {draws} – \
                         {losses}</small></td>",
                        depth * 110.0,
                        score * 100.0
                    );
                }
                None => page.push_str("<td class=\"none\"></td>"),
            }
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div></section>\n");
}

fn write_differences(page: &mut String, summary: &Summary) {
    if summary.pairs.is_empty() {
        return;
    }
    page.push_str(
        "<section><h2>Differences</h2><p class=\"quiet\">Pairs are the same opening with the seats swapped; \
         counted by the score of the first player.</p><div class=\"scroll\"><table><thead><tr>\
         <th class=\"text\">players</th><th>Elo</th><th>normalised Elo</th><th>superiority</th>\
         <th>0</th><th>¼</th><th>½</th><th>¾</th><th>1</th></tr></thead><tbody>\n",
    );
    for pair in &summary.pairs {
        let cells = pair.difference.map_or(["–".to_owned(), "–".to_owned(), "–".to_owned()], |d| {
            [elo(d.elo), d.normalised.map_or("–".to_owned(), elo), percent(d.superiority)]
        });
        let _ = write!(
            page,
            "<tr><th class=\"text\" scope=\"row\">{} <span class=\"quiet\">over</span> {}</th>",
            escaped(&pair.players[0]),
            escaped(&pair.players[1])
        );
        for cell in cells {
            let _ = write!(page, "<td>{cell}</td>");
        }
        for count in pair.pentanomial {
            let _ = write!(page, "<td class=\"quiet\">{count}</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div></section>\n");
}

fn write_course(page: &mut String, summary: &Summary) {
    let course: Vec<Line> = summary
        .players
        .iter()
        .filter(|player| player.series.len() > 1)
        .take(MAX_LINES)
        .map(|player| Line { name: player.name.clone(), points: player.series.clone() })
        .collect();
    if course.is_empty() {
        return;
    }
    page.push_str("<section><h2>Mean goal over time</h2>");
    if summary.players.len() > course.len() {
        let _ = write!(page, "<p class=\"quiet\">The {} best players.</p>", course.len());
    }
    page.push_str(&lines(&course, "roles played"));
    page.push_str("</section>\n");
}

fn write_games(page: &mut String, summary: &Summary) {
    let mut games: Vec<&str> =
        summary.players.iter().flat_map(|p| p.games.iter().map(|g| g.game.as_str())).collect();
    games.sort_unstable();
    games.dedup();
    if games.is_empty() {
        return;
    }
    page.push_str(
        "<section><h2>Games</h2><p class=\"quiet\">Mean goals with 95 % intervals, and how often the player took \
         the role.</p><div class=\"scroll\"><table><thead><tr><th class=\"text\">game and role</th>",
    );
    for player in &summary.players {
        let _ = write!(page, "<th scope=\"col\">{}</th>", escaped(&player.name));
    }
    page.push_str("</tr></thead>\n");
    for name in games {
        let of: Vec<_> = summary.players.iter().map(|p| p.games.iter().find(|g| g.game == name)).collect();
        let mut roles: Vec<&str> = Vec::new();
        for role in of.iter().flatten().flat_map(|game| &game.roles) {
            if !roles.contains(&role.role.as_str()) {
                roles.push(&role.role);
            }
        }
        let _ =
            write!(page, "<tbody><tr class=\"game\"><th class=\"text\" scope=\"row\">{}</th>", escaped(name));
        for game in &of {
            page.push_str(&goal_cell(game.map(|g| (g.goal, g.count))));
        }
        page.push_str("</tr>\n");
        for role in roles.into_iter().filter(|_| of.iter().flatten().any(|game| game.roles.len() > 1)) {
            let _ =
                write!(page, "<tr class=\"role\"><th class=\"text\" scope=\"row\">{}</th>", escaped(role));
            for game in &of {
                let found = game.and_then(|g| g.roles.iter().find(|r| r.role == role));
                page.push_str(&goal_cell(found.map(|r| (r.goal, r.count))));
            }
            page.push_str("</tr>\n");
        }
        page.push_str("</tbody>\n");
    }
    page.push_str("</table></div></section>\n");
}

fn goal_cell(goal: Option<(Option<Estimate>, u64)>) -> String {
    match goal {
        Some((Some(goal), count)) => {
            format!(
                "<td>{:.1} <span class=\"quiet\">{}</span><small>{count}</small></td>",
                goal.value,
                spread(goal)
            )
        }
        _ => "<td class=\"none\"></td>".to_owned(),
    }
}

fn write_conduct(page: &mut String, summary: &Summary) {
    page.push_str(
        "<section><h2>Faults and time</h2><div class=\"scroll\"><table><thead><tr><th class=\"text\">player</th>",
    );
    for kind in FaultKind::ALL {
        let _ = write!(page, "<th>{}</th>", kind.word());
    }
    page.push_str(
        "<th>matches with faults</th><th>moves</th><th>s per move</th><th>longest, s</th>\
         <th>over the clock</th><th>99 % within, ms</th><th>worst, ms</th></tr></thead><tbody>\n",
    );
    for player in &summary.players {
        let _ = write!(page, "<tr><th class=\"text\" scope=\"row\">{}</th>", escaped(&player.name));
        for kind in FaultKind::ALL {
            page.push_str(&fault_cell(player.faults.get(&kind).copied().unwrap_or(0)));
        }
        page.push_str(&fault_cell(player.faulty_matches));
        let time = &player.time;
        let _ = writeln!(
            page,
            "<td>{}</td><td>{:.3}</td><td>{:.3}</td><td>{}</td><td>{}</td><td>{:.1}</td></tr>",
            time.moves,
            time.seconds / time.moves.max(1) as f64,
            time.longest,
            time.overshot,
            time.overshoot_quantile(0.99).map_or("–".to_owned(), |ms| format!("{ms:.1}")),
            time.overshoots.first().copied().unwrap_or(0.0)
        );
    }
    page.push_str("</tbody></table></div></section>\n");
}

fn fault_cell(count: u64) -> String {
    match count {
        0 => "<td class=\"quiet\">0</td>".to_owned(),
        count => format!("<td class=\"fault\">{count}</td>"),
    }
}

/// The address of `ggp web` on the same machine, with its default port.
const REPLAY: &str = "http://127.0.0.1:8080/#replay=";

/// Writes links to the replays of the matches.
fn write_replays(page: &mut String, head: &ReportHead) {
    let Some(Replays { folder, names }) = &head.replays else { return };
    let _ = writeln!(
        page,
        "<section><h2>Matches</h2><p class=\"quiet\">The links replay the matches while <code>ggp web --watch {}</code> \
         runs on this machine.</p><ul class=\"replays\">",
        escaped(folder)
    );
    for name in names {
        let _ = writeln!(page, "<li><a href=\"{REPLAY}{}\">{}</a></li>", in_address(name), escaped(name));
    }
    page.push_str("</ul></section>\n");
}

/// The text for use in an address: all bytes but letters, digits and `-._` as `%XX`.
fn in_address(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._".contains(&byte) {
            out.push(byte as char);
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn write_facts(page: &mut String, head: &ReportHead) {
    if head.facts.is_empty() {
        return;
    }
    page.push_str("<section><h2>Settings</h2><dl>\n");
    for (word, what) in &head.facts {
        let _ = writeln!(page, "<dt>{}</dt><dd>{}</dd>", escaped(word), escaped(what));
    }
    page.push_str("</dl></section>\n");
}

/// Formats a value as an integer with its sign: `+12`, `−3`, `+∞`.
fn signed(value: f64) -> String {
    let sign = if value < -0.5 { "−" } else { "+" };
    if value.is_finite() { format!("{sign}{:.0}", value.abs()) } else { format!("{sign}∞") }
}

/// Formats an Elo estimate as `+12 (+3 to +21)`; both ends are shown because the interval is asymmetric.
fn elo(estimate: Estimate) -> String {
    format!(
        "{} <span class=\"quiet\">({} to {})</span>",
        signed(estimate.value),
        signed(estimate.low),
        signed(estimate.high)
    )
}

/// Formats an interval. A symmetric interval is given by its half width, as `± 5.0`; an asymmetric one is
/// given by its ends, as `81–100`.
fn spread(estimate: Estimate) -> String {
    let (below, above) = (estimate.value - estimate.low, estimate.high - estimate.value);
    if (below - above).abs() < 0.1 {
        format!("± {above:.1}")
    } else {
        format!("{:.0}–{:.0}", estimate.low, estimate.high)
    }
}

/// Formats a probability as a percentage. A value below 0.1 % becomes `< 0.1 %`, and a value above 99.9 %
/// becomes `> 99.9 %`.
fn percent(share: f64) -> String {
    match share * 100.0 {
        high if high > 99.9 => "> 99.9 %".to_owned(),
        low if low < 0.1 => "< 0.1 %".to_owned(),
        between => format!("{between:.1} %"),
    }
}

fn count(number: u64, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::result;
    use crate::elo::{Scores, Sprt};
    use crate::standings::Standings;

    fn page(names: [&str; 2]) -> String {
        let mut standings = Standings::default();
        for encounter in 0..30 {
            let name = format!("e{encounter}");
            standings.add(&result(&name, 0, &[(names[0], 100), (names[1], 0)]));
            let back = if encounter % 3 == 0 { [100, 0] } else { [50, 50] };
            standings.add(&result(&name, 1, &[(names[1], back[0]), (names[0], back[1])]));
        }
        let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05).unwrap();
        let head = ReportHead {
            title: "A & B".to_owned(),
            facts: vec![("seed".to_owned(), "<7>".to_owned())],
            specs: vec![(names[0].to_owned(), "random".to_owned())],
            sprt: Some(("elo0=0 elo1=10".to_owned(), sprt.state(&Scores::Pairs([0, 0, 10, 0, 20])))),
            replays: None,
        };
        html(&standings.summary(), &head)
    }

    #[test]
    fn matches_have_links() {
        let replays = Replays { folder: "a<b".to_owned(), names: vec!["x.1".to_owned(), "\"&#".to_owned()] };
        let head = ReportHead { replays: Some(replays), ..ReportHead::default() };
        let page = html(&Standings::default().summary(), &head);
        assert!(page.contains("--watch a&lt;b</code>"), "{page}");
        assert!(page.contains("#replay=x.1\">x.1</a>") && page.contains("#replay=%22%26%23\">"), "{page}");
    }

    #[test]
    fn the_page_is_whole_and_needs_no_network() {
        let page = page(["good", "bad"]);
        for part in [
            "<title>A &amp; B</title>",
            "Ratings",
            "Cross table",
            "Mean goal over time",
            "Faults",
            "<svg",
            "H1",
        ] {
            assert!(page.contains(part), "{part}");
        }
        assert!(page.contains("66.7 %<small>30 – 20 – 10"), "{page}");
        assert!(page.contains("<b>good</b> is stronger than <b>bad</b>: +120 <span"), "{page}");
        assert!(page.contains(" Elo in 30 pairs. <span class=\"quiet\">60 matches scored"), "{page}");
        for outside in ["http://", "https://", "<script", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert_eq!(page.matches("<section").count(), page.matches("</section>").count());
        assert_eq!(page.matches("<table").count(), page.matches("</table>").count());
    }

    #[test]
    fn who_is_often_at_fault_is_named_in_front() {
        let mut standings = Standings::default();
        let mut faulty = result("e", 0, &[("good", 100), ("<bad>", 0)]);
        faulty.faults = vec![crate::fault::Fault::new(1, 0, FaultKind::Crash, "")];
        standings.add(&faulty);
        let page = html(&standings.summary(), &ReportHead::default());
        let said = "<p class=\"lead fault\"><b>&lt;bad&gt;</b> was at fault in 1 of its 1 match.</p>";
        assert!(page.contains(said) && !page.contains("is stronger"), "{page}");
    }

    #[test]
    fn names_are_escaped_everywhere() {
        let page = page(["<b>x", "\"y'&"]);
        assert!(!page.contains("<b>x") && !page.contains("\"y'"));
        assert!(
            page.contains("&lt;b&gt;x") && page.contains("&quot;y&#39;&amp;") && page.contains("&lt;7&gt;")
        );
    }

    #[test]
    fn an_empty_tournament_makes_a_page() {
        let page = html(&Standings::default().summary(), &ReportHead::default());
        assert!(page.contains("0 matches scored") && !page.contains("NaN"));
    }
}
