//! Lines above the text that offer to do something: play, explain, count the moves at the start.
//!
//! What has to be computed by playing comes from the caller, as an [`Opening`].

use crate::analysis::Analysis;
use crate::names::Kind;
use ggp_gdl::diagnostic::count;
use ggp_gdl::{Keyword, Span};

/// What is known of the initial state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Opening {
    /// The legal moves of each role: the name of the role, the number of its moves, and the canonical text of the first one.
    pub legal: Vec<(String, usize, Option<String>)>,
    /// The goals that hold: the name of a role and the number.
    pub goals: Vec<(String, u8)>,
    /// Whether the game is over before the first move.
    pub is_over: bool,
}

/// What a lens does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LensAction {
    /// Play the game.
    Play,
    /// Play random playouts, and show what they refute and which rules never fired.
    Simulate,
    /// Show the legal moves of the initial state.
    Moves,
    /// Explain an atom in the initial state.
    Explain(String),
}

/// A line above a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lens {
    /// The place above which it is shown.
    pub span: Span,
    /// What it says.
    pub title: String,
    /// What it does.
    pub action: LensAction,
}

impl Analysis {
    /// The lenses. Without an `opening`, only those that need none.
    pub fn lenses(&self, opening: Option<&Opening>) -> Vec<Lens> {
        let mut lenses = Vec::new();
        let mut has = [false; 4];
        for form in &self.tree().forms {
            let head = match self.info(form.node).kind {
                Kind::Connective(_) => self.tree().members(form.node).nth(1),
                _ => Some(form.node),
            };
            let Some(Kind::Keyword(keyword)) = head.map(|head| self.info(head).kind) else { continue };
            let first = match keyword {
                Keyword::Role => 0,
                Keyword::Legal => 1,
                Keyword::Goal => 2,
                Keyword::Terminal => 3,
                _ => continue,
            };
            if std::mem::replace(&mut has[first], true) {
                continue;
            }
            let mut add = |title: String, action| lenses.push(Lens { span: form.span, title, action });
            match keyword {
                Keyword::Role => {
                    add("play".to_owned(), LensAction::Play);
                    add("simulate".to_owned(), LensAction::Simulate);
                }
                Keyword::Legal => {
                    let Some(opening) = opening else { continue };
                    let moves: usize = opening.legal.iter().map(|&(_, number, _)| number).sum();
                    add(format!("{} at the start", count(moves, "move")), LensAction::Moves);
                    // The role with the most moves is the one whose turn it is.
                    let most = opening.legal.iter().rev().max_by_key(|&&(_, number, _)| number);
                    if let Some((role, _, Some(mv))) = most {
                        add(format!("explain {mv}"), LensAction::Explain(format!("(legal {role} {mv})")));
                    }
                }
                Keyword::Goal => {
                    if let Some((role, goal)) = opening.and_then(|opening| opening.goals.first()) {
                        let atom = format!("(goal {role} {goal})");
                        add(format!("{goal} for {role} at the start"), LensAction::Explain(atom));
                    }
                }
                _ => {
                    let is_over = opening.is_some_and(|opening| opening.is_over);
                    let title = if is_over { "explain: over before the first move" } else { "explain" };
                    add(title.to_owned(), LensAction::Explain(Keyword::Terminal.name().to_owned()));
                }
            }
        }
        lenses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "(role a) (role b) (legal a go) (legal b go) (<= terminal (true x)) (goal a 0)";

    fn titles(opening: Option<&Opening>) -> Vec<String> {
        Analysis::new(GAME).lenses(opening).into_iter().map(|lens| lens.title).collect()
    }

    #[test]
    fn the_opening_adds_lenses() {
        assert_eq!(titles(None), ["play", "simulate", "explain"]);
        let opening = Opening {
            legal: ["a", "b"].map(|role| (role.to_owned(), 1, Some("go".to_owned()))).into(),
            goals: vec![("a".to_owned(), 0)],
            is_over: false,
        };
        assert_eq!(
            titles(Some(&opening)),
            ["play", "simulate", "2 moves at the start", "explain go", "explain", "0 for a at the start"]
        );
    }
}
