//! A table that is printed row by row, as aligned text or as lines of JSON.

use serde_json::{Map, Value, json};
use std::io::Write;

/// A value in a table.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    Text(String),
    Count(u64),
    /// A number and the decimals with which the text shows it. A number that is not finite is shown as `-`.
    Number(f64, usize),
}

impl Cell {
    pub(crate) fn text(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }

    fn shown(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Count(count) => count.to_string(),
            Cell::Number(number, decimals) if number.is_finite() => format!("{number:.decimals$}"),
            Cell::Number(..) => "-".to_owned(),
        }
    }

    fn value(&self) -> Value {
        match self {
            Cell::Text(text) => json!(text),
            Cell::Count(count) => json!(count),
            Cell::Number(number, _) => json!(number),
        }
    }
}

/// The head of a table.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    measure: &'static str,
    columns: &'static [&'static str],
    /// The number of columns of texts.
    texts: usize,
    json: bool,
}

/// The width of the columns of texts, which come first and are aligned on the left.
const TEXT: usize = 22;
/// The least width of a column of numbers.
const NUMBER: usize = 8;

impl Table {
    /// Prints the heading. `settings` describes what is measured.
    pub(crate) fn begin(
        measure: &'static str,
        settings: &str,
        columns: &'static [&'static str],
        json: bool,
    ) -> Table {
        let is_text = |name: &&&str| ["game", "player", "reference"].contains(*name);
        let texts = columns.iter().take_while(is_text).count();
        let table = Table { measure, columns, texts, json };
        if json {
            Table::print(&json!({ "measure": measure, "settings": settings }).to_string());
        } else {
            Table::print(&format!("{measure}: {settings}"));
            let heads = columns.iter().enumerate().map(|(at, head)| aligned(head, head, at < texts));
            Table::print(&heads.collect::<Vec<_>>().join(" "));
        }
        table
    }

    pub(crate) fn row(&self, cells: &[Cell]) {
        let named = self.columns.iter().zip(cells);
        if self.json {
            let mut row: Map<String, Value> =
                named.map(|(name, cell)| (name.replace(' ', "_"), cell.value())).collect();
            row.insert("measure".to_owned(), json!(self.measure));
            Table::print(&Value::Object(row).to_string());
        } else {
            let cells =
                named.enumerate().map(|(at, (name, cell))| aligned(&cell.shown(), name, at < self.texts));
            Table::print(&cells.collect::<Vec<_>>().join(" "));
        }
    }

    /// A remark below the table.
    pub(crate) fn note(&self, text: &str) {
        if self.json {
            Table::print(&json!({ "measure": self.measure, "note": text }).to_string());
        } else {
            Table::print(text);
        }
    }

    fn print(line: &str) {
        println!("{}", line.trim_end());
        // Rows of a long run are to be seen at once, even in a file.
        let _ = std::io::stdout().flush();
    }
}

fn aligned(text: &str, head: &str, is_text: bool) -> String {
    let width = head.chars().count().max(NUMBER);
    if is_text { format!("{text:<TEXT$}") } else { format!("{text:>width$}") }
}
