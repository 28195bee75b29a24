//! Captions: the facts beside the board in words. Fluents that say something about the same things, such as the place
//! and the speed of each role, make one table.

use crate::label::Labels;
use crate::model::{BoardModel, Kind, SideKind};
use crate::position::{Beside, Position, Token};
use crate::term::words;
use ggp_game::split_term;
use serde::Serialize;
use std::collections::BTreeSet;

/// A line of text below a drawing has about this many characters.
pub(crate) const LINE: usize = 36;

/// The largest number of rows of one fluent that are written.
const MAX_ROWS: usize = 200;
/// Of a fluent with more facts than this beside a board, only their number is written: the board shows what counts.
const FEW: usize = 12;

/// What is written beside a board about one fluent, or about several ones.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Caption {
    /// The name of the fluent. Empty for a table.
    pub title: String,
    /// The kind of the fluent.
    pub kind: SideKind,
    /// The heads of the columns of a table. Empty if there is no table.
    pub heads: Vec<String>,
    /// The rows of a table. For a single fluent, each row has one text; there is none for a flag.
    pub rows: Vec<Vec<String>>,
}

impl Caption {
    /// The sizes of a pile of things, the first one on top, with their names: if the only fact of the fluent is an order
    /// of things that are numbered from one on.
    pub(crate) fn pile(&self) -> Option<Vec<(usize, &str)>> {
        let [row] = self.rows.as_slice() else { return None };
        let names: Vec<&str> = row.first()?.split(' ').collect();
        let number = |name: &&str| {
            let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            digits.parse::<usize>().ok()
        };
        let numbers: Vec<usize> = names.iter().map(number).collect::<Option<_>>()?;
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        let is_order = sorted.iter().enumerate().all(|(at, number)| *number == at + 1);
        (is_order && (4..=32).contains(&names.len())).then(|| numbers.into_iter().zip(names).collect())
    }

    /// The caption as one text.
    pub(crate) fn text(&self) -> String {
        // A short row is not broken.
        let row = |row: &Vec<String>| {
            let text = row.join(" ");
            if text.chars().count() <= LINE / 2 { text.replace(' ', "\u{a0}") } else { text }
        };
        let rows: Vec<String> = self.rows.iter().map(row).collect();
        match (self.kind, rows.is_empty()) {
            (SideKind::Control, _) => format!("{} to move", rows.join(", ")),
            (_, true) => self.title.clone(),
            _ => format!("{}: {}", self.title, rows.join(" · ")),
        }
    }
}

impl BoardModel {
    /// The facts beside the board in words, in the order of [`Position::side`]. A table stands in the place of the first
    /// of its fluents.
    ///
    /// # Examples
    /// ```
    /// use ggp_game::{Fact, Game};
    /// let rules = b"(role red) (role blue) (init (coins red 3)) (init (coins blue 2)) (init (speed_x red 0))
    ///     (init (speed_x blue 1)) (<= (legal ?r wait) (role ?r)) (<= (next (coins ?r ?n)) (true (coins ?r ?n)))
    ///     (<= (next (speed_x ?r ?n)) (true (speed_x ?r ?n))) (terminal) (<= (goal ?r 0) (role ?r))";
    /// let model = ggp_view::infer(&ggp_game::Game::new(ggp_gdl::parse(rules).unwrap()).unwrap(), &[]);
    /// let facts = ["(coins red 3)", "(coins blue 2)", "(speed_x red 0)", "(speed_x blue 1)"];
    /// let position = model.place(&facts.map(|fact| Fact::new(fact).unwrap()));
    /// let captions = model.captions(&position);
    /// assert_eq!(captions[0].heads, ["", "coins", "speed x"]);
    /// assert_eq!(captions[0].rows, [["red", "3", "0"], ["blue", "2", "1"]]);
    /// ```
    pub fn captions(&self, position: &Position) -> Vec<Caption> {
        let mut out = Vec::new();
        let mut told = BTreeSet::new();
        for (number, beside) in position.side.iter().enumerate() {
            let is_drawn = self.is_told_by_towers(beside) || self.is_barrier(beside);
            if told.contains(&number) || beside.rows.is_empty() || is_drawn {
                continue;
            }
            let columns = self.columns_with(position, number);
            if columns.len() > 1 {
                out.push(self.table_of(position, &columns));
                told.extend(columns);
            } else {
                out.push(self.caption(beside));
            }
        }
        // Who moves comes first. Where several fluents say it, each of them keeps its name.
        let is_control = |caption: &Caption| caption.kind == SideKind::Control;
        if out.iter().filter(|caption| is_control(caption)).count() > 1 {
            out.iter_mut()
                .filter(|caption| is_control(caption))
                .for_each(|caption| caption.kind = SideKind::Other);
        }
        out.sort_by_key(|caption| !is_control(caption));
        out
    }

    /// Whether the facts of a fluent name one thing of a tower each: the drawing shows what stands on which.
    fn is_told_by_towers(&self, beside: &Beside) -> bool {
        let things = || self.layers.iter().flat_map(|layer| layer.values.iter().flatten());
        let known =
            |value: &String| self.columns.values.contains(value) || things().any(|thing| thing == value);
        self.stacked && beside.rows.iter().all(|row| row.len() == 1 && known(&row[0]))
    }

    /// Whether the facts of a fluent are drawn as walls.
    fn is_barrier(&self, beside: &Beside) -> bool {
        let fits = |row: &Vec<String>, arity: usize| row.len() == arity;
        self.barriers.iter().any(|barrier| {
            barrier.relation == beside.relation && beside.rows.iter().all(|row| fits(row, barrier.arity))
        })
    }

    /// The fluents that belong into one table with the fluent with the index `number`, itself included. All of them give
    /// one value to each of the same things.
    fn columns_with(&self, position: &Position, number: usize) -> Vec<usize> {
        let keys = |beside: &Beside| -> Option<BTreeSet<String>> {
            let pairs = beside.rows.iter().all(|row| row.len() == 2);
            let keys: BTreeSet<String> = beside.rows.iter().filter_map(|row| row.first().cloned()).collect();
            (pairs && keys.len() == beside.rows.len()).then_some(keys)
        };
        let Some(own) = keys(&position.side[number]).filter(|keys| keys.len() > 1) else {
            return vec![number];
        };
        let roles = |keys: &BTreeSet<String>| keys.iter().all(|key| self.roles.contains(key));
        let fits = |beside: &Beside| keys(beside).is_some_and(|keys| keys == own);
        let mut columns: Vec<usize> =
            (number..position.side.len()).filter(|&n| fits(&position.side[n])).collect();
        let of_role = |beside: &Beside| {
            beside.kind != SideKind::Control
                && beside.rows.iter().all(|row| row.len() == 1 && own.contains(&row[0]))
        };
        if columns.len() > 1 && roles(&own) {
            columns.extend((0..position.side.len()).filter(|&n| of_role(&position.side[n])));
        }
        columns
    }

    fn table_of(&self, position: &Position, columns: &[usize]) -> Caption {
        let sides: Vec<&Beside> = columns.iter().map(|&number| &position.side[number]).collect();
        let keys = sides[0].rows.iter().map(|row| row[0].clone());
        let mut keys: Vec<String> = keys.take(MAX_ROWS).collect();
        keys.sort_by_key(|key| self.roles.iter().position(|role| role == key));
        let value = |beside: &Beside, key: &String| {
            let row = beside.rows.iter().find(|row| row[0] == *key);
            row.map_or_else(
                || "–".to_owned(),
                |row| row.get(1).map_or("yes".to_owned(), |value| told(beside, value)),
            )
        };
        let rows = keys.iter().map(|key| {
            let values = sides.iter().map(|beside| value(beside, key));
            std::iter::once(words(key)).chain(values).collect()
        });
        let heads = sides.iter().map(|beside| words(&beside.relation));
        Caption {
            title: String::new(),
            kind: SideKind::Other,
            heads: std::iter::once(String::new()).chain(heads).collect(),
            rows: rows.collect(),
        }
    }

    fn caption(&self, beside: &Beside) -> Caption {
        let mut rows: Vec<String> = if beside.kind == SideKind::Hand {
            hands(beside)
        } else {
            let words =
                |row: &Vec<String>| row.iter().map(|value| told(beside, value)).collect::<Vec<_>>().join(" ");
            beside.rows.iter().map(words).filter(|row| !row.is_empty()).collect()
        };
        if self.kind != Kind::Table && rows.len() > FEW {
            rows = vec![format!("{} facts", rows.len())];
        }
        let hidden = rows.len().saturating_sub(MAX_ROWS);
        rows.truncate(MAX_ROWS);
        if hidden > 0 {
            rows.push(format!("and {hidden} more"));
        }
        Caption {
            title: words(&beside.relation),
            kind: beside.kind,
            heads: Vec::new(),
            rows: rows.into_iter().map(|row| vec![row]).collect(),
        }
    }

    /// The marks on the board, each with its picture and the name of its fluent.
    pub fn legend(&self, position: &Position, labels: &Labels) -> Vec<(String, String)> {
        let mut out: Vec<(String, String)> = Vec::new();
        for (number, layer) in self.layers.iter().enumerate() {
            let is_mark = |token: &&Token| token.layer == number && token.percent.is_none();
            let token = position.squares.iter().flatten().find(is_mark);
            let Some(token) = token.filter(|token| token.content.is_empty() && !self.draws_lines(number))
            else {
                continue;
            };
            if !layer.walker && !self.is_stroke(token) {
                out.push((self.picture(token, labels), words(&layer.relation)));
            }
        }
        out
    }

    /// The roles with things on the board whose names do not tell their colours, each with a disc.
    pub(crate) fn owners_in(&self, position: &Position) -> Vec<(String, String)> {
        let shown = |role: &usize| {
            let own = |token: &Token| token.owner == Some(*role) && !self.draws_lines(token.layer);
            let plain = |token: &Token| self.is_disc(token);
            let tokens = || position.squares.iter().flatten().filter(|token| own(token));
            tokens().next().is_some() && tokens().all(plain)
        };
        let known = |role: &usize| crate::colour::of_name(&self.roles[*role]).is_some();
        let roles = (0..self.roles.len()).filter(|role| !known(role) && shown(role));
        let disc = |role: usize| {
            let colour = self.colours.get(role).map_or("#888888", String::as_str);
            (format!(r#"<circle cx="50" cy="50" r="40" fill="{colour}"/>"#), words(&self.roles[role]))
        };
        if self.roles.len() > 1 { roles.map(disc).collect() } else { Vec::new() }
    }
}

/// What each role holds.
fn hands(beside: &Beside) -> Vec<String> {
    let mut roles: Vec<&String> = Vec::new();
    for row in &beside.rows {
        if let Some(role) = row.first().filter(|role| !roles.contains(role)) {
            roles.push(role);
        }
    }
    let held = |role: &&String| {
        let things =
            beside.rows.iter().filter(|row| row.first() == Some(*role) && row.len() == 3 && row[2] != "0");
        let things: Vec<String> = things
            .map(|row| if row[2] == "1" { words(&row[1]) } else { format!("{} {}", row[2], words(&row[1])) })
            .collect();
        let things = if things.is_empty() { "nothing".to_owned() } else { things.join(", ") };
        format!("{} {things}", words(role))
    };
    roles.iter().map(held).collect()
}

/// A value of a fluent in words: `(room 1 2)` becomes `room 1 2`, and `s20`, the value of a counter, becomes `20`.
fn told(beside: &Beside, value: &str) -> String {
    if value.starts_with('(') {
        let (name, arguments) = split_term(value);
        let parts =
            std::iter::once(words(name)).chain(arguments.into_iter().map(|argument| told(beside, argument)));
        return parts.collect::<Vec<_>>().join(" ");
    }
    if matches!(beside.kind, SideKind::Counter | SideKind::Hand)
        && let Some((letters, number)) = crate::term::letters_and_number(value)
        && letters.len() == 1
    {
        return number.to_owned();
    }
    words(value)
}
