//! Messages in the spelling of ggp-base, the reference server, which puts blanks around nearly all
//! parentheses.
//!
//! Every player should also understand the canonical text that [`ggp_protocol`] writes, but some old players
//! were tested by their authors with the spelling of ggp-base only.

use ggp_game::{Clocks, Fact};
use ggp_gdl::lexer::{Lexer, TokenKind};
use ggp_protocol::LastTurn;
use std::time::Duration;

/// The shortest clock in a message.
pub(crate) const LEAST_CLOCK: Duration = Duration::from_secs(1);

/// `text` with one blank between all tokens and no comments: `( mark 1 2 )`.
pub(crate) fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 2);
    for token in Lexer::new(text.as_bytes()).filter(|token| token.kind != TokenKind::Comment) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&text[token.span.range()]);
    }
    out
}

/// A START message: `( START id role (( … ) ( … ) ) start play)`. `rules` is the list of rules without its
/// outer parentheses.
pub(crate) fn start(id: &str, role: &str, rules: &str, clocks: Clocks) -> String {
    let (start, play) = (whole_seconds(clocks.start), whole_seconds(clocks.play));
    format!("( START {id} {role} ({} ) {start} {play})", spaced(rules))
}

/// A PREVIEW message: `( PREVIEW (( … ) ( … ) ) clock )`. `rules` is the list of rules without its outer
/// parentheses.
pub(crate) fn preview(rules: &str, clock: Duration) -> String {
    format!("( PREVIEW ({} ) {} )", spaced(rules), whole_seconds(clock))
}

/// A PLAY message: `( PLAY id NIL )` for the first turn, `( PLAY id (( mark 1 2 ) noop ) )` with a joint
/// move, or `( PLAY id 1 noop (( wind ) ) )` with the turn number, the player's own move and its percepts
/// (GDL-II).
pub(crate) fn play(id: &str, last_turn: &LastTurn) -> String {
    format!("( PLAY {id} {} )", last_turn_text(last_turn))
}

/// A STOP message, in the same forms as PLAY: `( STOP id … )`.
pub(crate) fn stop(id: &str, last_turn: &LastTurn) -> String {
    format!("( STOP {id} {} )", last_turn_text(last_turn))
}

/// An ABORT message: `( ABORT id )`.
pub(crate) fn abort(id: &str) -> String {
    format!("( ABORT {id} )")
}

fn last_turn_text(last_turn: &LastTurn) -> String {
    match last_turn {
        LastTurn::Nothing => "NIL".to_owned(),
        LastTurn::Moves(joint) => list(joint.iter().map(String::as_str)),
        LastTurn::Percepts { turn: 0, .. } => "0 NIL NIL".to_owned(),
        LastTurn::Percepts { turn, own, percepts } => {
            let own = spaced(own.as_deref().unwrap_or("NIL"));
            format!("{turn} {own} {}", list(percepts.iter().map(Fact::as_str)))
        }
    }
}

fn list<'a>(terms: impl Iterator<Item = &'a str>) -> String {
    format!("({} )", terms.map(spaced).collect::<Vec<_>>().join(" "))
}

/// Rounds `time` down to whole seconds, because old programs cannot read fractions. The result is at least 1
/// and fits into 31 bits.
fn whole_seconds(time: Duration) -> u64 {
    time.as_secs().clamp(LEAST_CLOCK.as_secs(), i32::MAX as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ggp_protocol::Request;

    #[test]
    fn messages_have_the_captured_bytes() {
        let moves = |texts: &[&str]| LastTurn::Moves(texts.iter().map(|&t| t.to_owned()).collect());
        assert_eq!(play("scr.ttt.1795208841243", &LastTurn::Nothing), "( PLAY scr.ttt.1795208841243 NIL )");
        assert_eq!(play("m", &moves(&["(mark 1 2)", "noop"])), "( PLAY m (( mark 1 2 ) noop ) )");
        assert_eq!(stop("m", &moves(&["(mark 1 3)", "noop"])), "( STOP m (( mark 1 3 ) noop ) )");
        assert_eq!(abort("m"), "( ABORT m )");
        let clocks = Clocks { start: Duration::from_secs(30), play: Duration::from_millis(14_500) };
        assert_eq!(
            start("m", "x", "(role x) ; first\n(<= (next (p ?x))\n (true (p ?x)))", clocks),
            "( START m x (( role x ) ( <= ( next ( p ?x ) ) ( true ( p ?x ) ) ) ) 30 14)"
        );
        assert_eq!(preview("(role x)", Duration::from_secs(5)), "( PREVIEW (( role x ) ) 5 )");
    }

    #[test]
    fn what_is_written_is_read_back() {
        let percepts = vec![Fact::from_canonical("(door 1)"), Fact::from_canonical("wind")];
        for last_turn in [
            LastTurn::Nothing,
            LastTurn::Moves(vec!["(mark 1 2)".to_owned(), "noop".to_owned()]),
            LastTurn::Percepts { turn: 0, own: None, percepts: Vec::new() },
            LastTurn::Percepts { turn: 2, own: Some("(ask 1)".to_owned()), percepts },
            LastTurn::Percepts { turn: 3, own: Some("a".to_owned()), percepts: Vec::new() },
        ] {
            let request = Request::Play { id: "m".to_owned(), last_turn: last_turn.clone() };
            assert_eq!(Request::parse(play("m", &last_turn).as_bytes()), Ok(request));
            let request = Request::Stop { id: "m".to_owned(), last_turn: last_turn.clone() };
            assert_eq!(Request::parse(stop("m", &last_turn).as_bytes()), Ok(request));
        }
    }
}
