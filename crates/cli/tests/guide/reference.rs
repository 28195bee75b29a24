//! The generated parts of the reference: the words of the language, from the table that hover and the diagnostics use,
//! and the keys of a view, from the table of its parser.

use ggp_gdl::keyword::{Connective, Keyword};
use ggp_view::Sidecar;
use std::fmt::Write;

fn word(name: &str, syntax: &str, meaning: &str, example: &str) -> String {
    format!(
        "### `{name}`\n\n```gdl,fragment\n{syntax}\n```\n\n{meaning} For example:\n\n```gdl,fragment\n{example}\n```\n\n"
    )
}

fn keywords() -> String {
    Keyword::ALL.map(|entry| word(entry.name(), entry.syntax(), entry.meaning(), entry.example())).concat()
}

fn connectives() -> String {
    Connective::ALL.map(|entry| word(entry.name(), entry.syntax(), entry.meaning(), entry.example())).concat()
}

fn view_keys() -> String {
    let mut table = "| key | example | meaning |\n|---|---|---|\n".to_owned();
    for key in Sidecar::KEYS {
        writeln!(table, "| `{}` | `{}` | {} |", key.name, key.example, key.meaning).expect("a string");
    }
    table
}

/// `page` with `text` between its marks `<!-- name -->` and `<!-- end -->`.
fn with_part(page: &str, name: &str, text: &str) -> String {
    let mark = format!("<!-- {name} -->\n");
    let (before, rest) = page.split_once(&mark).expect("the page has the mark");
    let (_, after) = rest.split_once("<!-- end -->").expect("the part has an end");
    format!("{before}{mark}{text}<!-- end -->{after}")
}

/// `page` of the guide, whose file has the name `file`, with its generated parts.
pub(crate) fn with_parts(file: &str, page: &str) -> String {
    match file {
        "gdl.md" => with_part(&with_part(page, "keywords", &keywords()), "connectives", &connectives()),
        "view.md" => with_part(page, "keys", &view_keys()),
        _ => page.to_owned(),
    }
}
