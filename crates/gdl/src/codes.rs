//! The pages about the codes of diagnostics: what each means, an example that shows it, and how to mend it.
//! `ggp check --explain` prints them, and the book has one page for each.
//!
//! Invariant: every code that the checks give has a page, and the example of a page gives its code.

mod lints;
mod play;
mod syntax;
mod validity;

/// A page about one code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Page {
    /// The code, such as `unsafe-variable`.
    pub code: &'static str,
    /// What the finding says, in one line without a full stop.
    pub summary: &'static str,
    /// What the finding means, in a few sentences.
    pub meaning: &'static str,
    /// A text that gives the finding.
    pub example: Example,
    /// How to mend the text.
    pub mend: &'static str,
}

/// A text that gives a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Example {
    /// Rules that stand before those of [`GAME`].
    Rules(&'static str),
    /// A whole rulesheet.
    Whole(&'static str),
    /// A whole rulesheet in which the checks find nothing. Playing the game gives the finding.
    Game(&'static str),
    /// A text, a part that is repeated so many times, and the text after it.
    Repeated(&'static str, &'static str, usize, &'static str),
    /// A whole text that is not UTF-8.
    Bytes(&'static [u8]),
    /// No short text gives the finding.
    None,
}

/// A game without findings, which completes the examples.
pub const GAME: &str = "\
(role white)
(init (step 1))
(<= (legal white go)
    (true (step 1)))
(<= (next (step 2))
    (does white go))
(<= terminal
    (true (step 2)))
(goal white 100)
";

impl Example {
    /// The rulesheet that gives the finding. `None` if there is none.
    pub fn rulesheet(self) -> Option<Vec<u8>> {
        match self {
            Example::Rules(rules) => Some(format!("{rules}\n{GAME}").into_bytes()),
            Example::Whole(text) | Example::Game(text) => Some(text.as_bytes().to_vec()),
            Example::Repeated(before, part, times, after) => {
                Some(format!("{before}{}{after}", part.repeat(times)).into_bytes())
            }
            Example::Bytes(bytes) => Some(bytes.to_vec()),
            Example::None => None,
        }
    }

    /// The part of the example that a page shows. `None` if there is no example.
    pub fn shown(self) -> Option<String> {
        match self {
            Example::Rules(text) | Example::Whole(text) | Example::Game(text) => Some(text.to_owned()),
            Example::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            Example::Repeated(before, part, times, after) => {
                Some(format!("{before}{part}{part}{part} ; ... {times} times `{}`\n{after}", part.trim_end()))
            }
            Example::None => None,
        }
    }
}

/// All pages: those about syntax, then those about validity, then those about probable mistakes, then those about play.
pub fn pages() -> impl Iterator<Item = &'static Page> {
    syntax::PAGES.iter().chain(validity::PAGES).chain(lints::PAGES).chain(play::PAGES)
}

/// The page about `code`; `None` if there is no such code.
pub fn page(code: &str) -> Option<&'static Page> {
    pages().find(|page| page.code == code)
}

impl Page {
    /// The page as Markdown.
    pub fn markdown(&self) -> String {
        let mut out = format!("# {}\n\n{}.\n\n{}\n", self.code, capital(self.summary), self.meaning);
        if let Some(example) = self.example.shown() {
            let what = match self.example {
                Example::Rules(_) => "These rules, beside a complete game, give",
                Example::Game(_) => "Random playouts of this game give",
                _ => "This text gives",
            };
            out.push_str(&format!(
                "\n## Example\n\n{what} the finding:\n\n```lisp\n{}\n```\n",
                example.trim_end()
            ));
        }
        out.push_str(&format!("\n## How to mend it\n\n{}\n", self.mend));
        out
    }
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + characters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Strictness, diagnose};

    /// The codes that the first steps of a game or its evaluation give. A test beside `ggp` looks at them.
    const OF_THE_GAME: [&str; 5] =
        ["role", "unbounded", "not-evaluable", "over-at-start", "no-move-at-start"];
    /// The codes that end a long list of findings.
    const LAST: [&str; 2] = ["too-many-errors", "too-many-findings"];

    #[test]
    fn each_example_gives_its_code_first() {
        assert!(diagnose(GAME.as_bytes(), Strictness::Strict).is_empty());
        let mut wrong = String::new();
        let of_the_text = |page: &&Page| {
            !OF_THE_GAME.contains(&page.code) && !matches!(page.example, Example::Game(_) | Example::None)
        };
        for page in pages().filter(of_the_text) {
            let Some(text) = page.example.rulesheet() else { panic!("{} has no example", page.code) };
            let findings = diagnose(&text, Strictness::Default);
            let finding = if LAST.contains(&page.code) { findings.last() } else { findings.first() };
            if finding.is_none_or(|finding| finding.code != page.code) {
                let shown: Vec<String> =
                    findings.iter().take(3).map(|f| format!("{}: {}", f.code, f.message)).collect();
                wrong.push_str(&format!("{}: {shown:?}\n", page.code));
            }
        }
        assert!(wrong.is_empty(), "{wrong}");
    }

    #[test]
    fn the_checks_find_nothing_in_games_that_are_examples_of_play() {
        let mut games = 0;
        for page in pages() {
            if let Example::Game(text) = page.example {
                let findings = diagnose(text.as_bytes(), Strictness::Strict);
                assert!(findings.is_empty(), "{}: {findings:?}", page.code);
                games += 1;
            }
        }
        assert!(games >= 8, "{games}");
    }

    #[test]
    fn edits_of_the_examples_mend_them() {
        let mut mended = 0;
        for page in pages() {
            let Some(text) = page.example.rulesheet() else { continue };
            let findings = diagnose(&text, Strictness::Default);
            for finding in findings.iter().filter(|f| f.code == page.code && !f.edits.is_empty()).take(1) {
                let after = crate::diagnostic::apply(&finding.edits, &text);
                let count = |text: &[u8]| {
                    diagnose(text, Strictness::Default).iter().filter(|f| f.code == page.code).count()
                };
                assert!(count(&after) < count(&text), "{}", String::from_utf8_lossy(&after));
                mended += 1;
            }
        }
        assert!(mended >= 13, "only {mended} examples have edits");
    }

    #[test]
    fn pages_have_one_line_summaries_and_distinct_codes() {
        let mut codes: Vec<&str> = pages().map(|page| page.code).collect();
        for page in pages() {
            assert!(!page.summary.contains('\n') && !page.summary.ends_with('.'), "{}", page.code);
            assert!(page.meaning.ends_with('.') && page.mend.ends_with('.'), "{}", page.code);
        }
        let count = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), count);
    }
}
