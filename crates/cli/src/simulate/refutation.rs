//! A property that a playout refutes, with the joint moves that lead there.

use super::property::Property;
use crate::console;
use ggp_game::{Game, Unfired};
use ggp_gdl::Span;
use ggp_gdl::diagnostic::count;
use ggp_gdl::lines::Lines;
use serde::Serialize;
use std::io::Write;

/// The refutation of a property by a playout. Scripts rely on the names of the members.
#[derive(Debug, Serialize)]
pub(super) struct Refutation {
    pub(super) property: Property,
    /// The code of the page about the property.
    pub(super) code: &'static str,
    /// The index of the playout, from 0. It also identifies the random stream of the playout.
    pub(super) playout: u64,
    /// The number of joint moves before the state that refutes the property.
    pub(super) step: u32,
    pub(super) why: String,
    /// Whether the game can be played as it is meant in spite of the refutation.
    pub(super) harmless: bool,
    /// The facts of the state that refutes the property, at most [`super::FACTS`]. Empty for some properties.
    pub(super) state: Vec<String>,
    /// For a role without a legal move: the line of the rule of `legal` that comes nearest, and the condition that
    /// fails.
    pub(super) nearest: Option<Place>,
    /// The number of joint moves after which an endless playout comes back to the state before them.
    pub(super) repeats: Option<usize>,
    /// The place in the playout of the joint move with which `moves` begins. The first joint move of the
    /// playout has the place 1. If `moves` is empty, `first` is 1.
    pub(super) first: usize,
    /// The last joint moves before the state that refutes the property, at most [`super::SHOWN`].
    pub(super) moves: Vec<Vec<String>>,
    /// The joint moves of the playout before those in `moves`.
    #[serde(skip)]
    pub(super) before: Vec<Vec<String>>,
}

impl Refutation {
    /// Writes the refutation as text: the property, and the joint moves of `moves` with their numbers.
    pub(super) fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let words = self.property.words();
        if let Some(repeats) = self.repeats {
            let many = count(repeats, "joint move");
            let all = if repeats > self.moves.len() {
                format!(", of which the last {} are these", self.moves.len())
            } else {
                String::new()
            };
            writeln!(
                out,
                "  ; `{words}` is refuted: {many}{all} lead back to the same state, so nothing counts the steps:"
            )?;
            return self.write_moves(out);
        }
        let place = match (self.moves.len(), self.before.len()) {
            (0, _) => "in the initial state".to_owned(),
            (shown, 0) => format!("by {}:", count(shown, "joint move")),
            (shown, before) => format!(
                "by {}; the last {shown} are these, --save FILE keeps all:",
                count(before + shown, "joint move")
            ),
        };
        writeln!(out, "  ; `{words}` is refuted {place}")?;
        self.write_moves(out)?;
        if !self.state.is_empty() {
            writeln!(out, "  ; the state then: {}", console::printable(&self.state.join(" ")))?;
        }
        if let Some(Place { line, rule, condition_line, condition, .. }) = &self.nearest {
            let condition = console::printable(condition);
            let rule = console::printable(rule);
            writeln!(
                out,
                "  ; the nearest rule is `{rule}` in line {line}; `{condition}` in line {condition_line} fails"
            )?;
        }
        Ok(())
    }

    fn write_moves(&self, out: &mut impl Write) -> std::io::Result<()> {
        for (number, joint) in (self.first..).zip(&self.moves) {
            writeln!(out, "  {number:>5}. ({})", console::printable(&joint.join(" ")))?;
        }
        Ok(())
    }
}

/// A rule and one of its conditions.
#[derive(Debug, Serialize)]
pub(super) struct Place {
    /// The line of the rule, from 1.
    pub(super) line: usize,
    /// The head of the rule.
    pub(super) rule: String,
    /// The line of the condition, from 1.
    pub(super) condition_line: usize,
    /// The condition that fails.
    pub(super) condition: String,
    #[serde(skip)]
    pub(super) places: Unfired,
}

impl Place {
    pub(super) fn of(game: &Game, unfired: &Unfired) -> Place {
        let source = &game.description().source;
        let lines = Lines::new(source);
        let text = |span: Span| {
            let text = String::from_utf8_lossy(&source[span.range()]).into_owned();
            text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
        };
        Place {
            line: lines.position(unfired.head.start).line,
            rule: text(unfired.head),
            condition_line: lines.position(unfired.condition.start).line,
            condition: text(unfired.condition),
            places: unfired.clone(),
        }
    }
}
