//! The requests of a game manager, parsed and written.

use super::{MessageError, excerpt, read_one, term};
use ggp_game::{Clocks, Fact};
use ggp_gdl::sexpr::{NodeId, SyntaxTree};
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::time::Duration;

/// The request of a game manager to a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request<'a> {
    /// `(INFO)`: asks for the player's name and status.
    Info,
    /// `(PING)`: asks whether the player is reachable.
    Ping,
    /// `(PREVIEW (RULE…) CLOCK)`: announces a game that will be played later.
    Preview {
        /// The rules without the enclosing parentheses; [`ggp_gdl::parse()`] reads them.
        rules: Cow<'a, [u8]>,
        /// The time for preparation.
        clock: Duration,
    },
    /// `(START ID ROLE (RULE…) STARTCLOCK PLAYCLOCK)`: begins a match.
    Start {
        /// The match id.
        id: String,
        /// The role to play, as spelled in the (possibly scrambled) rules.
        role: String,
        /// The rules without the enclosing parentheses; [`ggp_gdl::parse()`] reads them.
        rules: Cow<'a, [u8]>,
        /// The start clock and the play clock.
        clocks: Clocks,
    },
    /// `(PLAY ID …)`: reports the last turn and asks for a move.
    Play {
        /// The match id.
        id: String,
        /// The report on the last turn.
        last_turn: LastTurn,
    },
    /// `(STOP ID …)`: ends a finished match.
    Stop {
        /// The match id.
        id: String,
        /// The report on the last turn.
        last_turn: LastTurn,
    },
    /// `(ABORT ID)`: ends a match before it is finished.
    Abort {
        /// The match id.
        id: String,
    },
}

/// What PLAY and STOP report about the last turn.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LastTurn {
    /// `NIL`, or any other atom: no turn has been played yet.
    Nothing,
    /// A list of terms, as canonical texts: the joint move in role order. In an old dialect of GDL-II, the
    /// list holds percepts instead. The message itself does not tell which of the two it holds, so the reader
    /// must decide by the rules of the game.
    Moves(Vec<String>),
    /// The report in GDL-II: `TURN OWN (PERCEPT…)`.
    Percepts {
        /// The number of finished turns: 0 in the first PLAY.
        turn: u32,
        /// The role's own last move, as canonical text. `None` in the first PLAY.
        own: Option<String>,
        /// The role's percepts in the last turn.
        percepts: Vec<Fact>,
    },
}

impl<'a> Request<'a> {
    /// Parses a request. Rules in the request are kept as text and are not parsed.
    ///
    /// # Errors
    /// When `text` is not a request.
    pub fn parse(text: &'a [u8]) -> Result<Request<'a>, MessageError> {
        let tree = read_one(text)?;
        let Some(root) = tree.roots().next() else { return Err(MessageError::NotOne(0)) };
        let verb = tree.word(root).or_else(|| tree.head(root)).unwrap_or("").to_ascii_uppercase();
        let mut arguments = Arguments::new(&tree, root, "INFO");
        match verb.as_str() {
            "INFO" => Ok(Request::Info),
            "PING" => Ok(Request::Ping),
            "PREVIEW" => {
                arguments.verb = "PREVIEW";
                let rules = arguments.rules()?;
                Ok(Request::Preview { rules, clock: arguments.clock("clock")? })
            }
            "START" => {
                arguments.verb = "START";
                let id = arguments.word("match id")?;
                let role = arguments.term("role")?;
                let rules = arguments.rules()?;
                let start = arguments.clock("start clock")?;
                let play = arguments.clock("play clock")?;
                Ok(Request::Start { id, role, rules, clocks: Clocks { start, play } })
            }
            "PLAY" => {
                arguments.verb = "PLAY";
                let id = arguments.word("match id")?;
                let last_turn = arguments.last_turn()?;
                let last_turn = last_turn.ok_or(MessageError::Missing { verb: "PLAY", argument: "moves" })?;
                Ok(Request::Play { id, last_turn })
            }
            "STOP" => {
                arguments.verb = "STOP";
                let id = arguments.word("match id")?;
                Ok(Request::Stop { id, last_turn: arguments.last_turn()?.unwrap_or(LastTurn::Nothing) })
            }
            "ABORT" => {
                arguments.verb = "ABORT";
                Ok(Request::Abort { id: arguments.word("match id")? })
            }
            _ => Err(MessageError::UnknownVerb(excerpt(verb.as_bytes()))),
        }
    }

    /// The verb of the request, in upper case.
    pub fn verb(&self) -> &'static str {
        match self {
            Request::Info => "INFO",
            Request::Ping => "PING",
            Request::Preview { .. } => "PREVIEW",
            Request::Start { .. } => "START",
            Request::Play { .. } => "PLAY",
            Request::Stop { .. } => "STOP",
            Request::Abort { .. } => "ABORT",
        }
    }

    /// The match id. `None` for INFO, PING and PREVIEW, which do not belong to a match.
    pub fn match_id(&self) -> Option<&str> {
        match self {
            Request::Start { id, .. }
            | Request::Play { id, .. }
            | Request::Stop { id, .. }
            | Request::Abort { id } => Some(id),
            Request::Info | Request::Ping | Request::Preview { .. } => None,
        }
    }
}

impl fmt::Display for Request<'_> {
    /// Writes the request. The output is a single line if the rules are a single line (see
    /// [`super::rules_line`]).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}", self.verb())?;
        if let Some(id) = self.match_id() {
            write!(f, " {id}")?;
        }
        match self {
            Request::Info | Request::Ping | Request::Abort { .. } => {}
            Request::Preview { rules, clock } => {
                write!(f, " ({}) {}", String::from_utf8_lossy(rules), Seconds(*clock))?;
            }
            Request::Start { role, rules, clocks, .. } => {
                let rules = String::from_utf8_lossy(rules);
                write!(f, " {role} ({rules}) {} {}", Seconds(clocks.start), Seconds(clocks.play))?;
            }
            Request::Play { last_turn, .. } | Request::Stop { last_turn, .. } => write!(f, " {last_turn}")?,
        }
        f.write_char(')')
    }
}

impl fmt::Display for LastTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LastTurn::Nothing => f.write_str("NIL"),
            LastTurn::Moves(moves) => write!(f, "({})", moves.join(" ")),
            LastTurn::Percepts { turn, own, percepts } => {
                write!(f, "{turn} {} (", own.as_deref().unwrap_or("NIL"))?;
                for (number, percept) in percepts.iter().enumerate() {
                    write!(f, "{}{percept}", if number == 0 { "" } else { " " })?;
                }
                f.write_char(')')
            }
        }
    }
}

/// Iterates over the arguments of a request.
struct Arguments<'t, 'a, I> {
    tree: &'t SyntaxTree<'a>,
    verb: &'static str,
    rest: I,
}

impl<'t, 'a> Arguments<'t, 'a, ()> {
    fn new(
        tree: &'t SyntaxTree<'a>,
        root: NodeId,
        verb: &'static str,
    ) -> Arguments<'t, 'a, impl Iterator<Item = NodeId> + Clone + 't> {
        Arguments { tree, verb, rest: tree.children(root).skip(1) }
    }
}

impl<'a, I: Iterator<Item = NodeId> + Clone> Arguments<'_, 'a, I> {
    fn next(&mut self, argument: &'static str) -> Result<NodeId, MessageError> {
        self.rest.next().ok_or(MessageError::Missing { verb: self.verb, argument })
    }

    fn malformed(&self, argument: &'static str, node: NodeId, wanted: &'static str) -> MessageError {
        MessageError::Malformed { verb: self.verb, argument, text: excerpt(self.tree.text(node)), wanted }
    }

    fn word(&mut self, argument: &'static str) -> Result<String, MessageError> {
        let node = self.next(argument)?;
        let word = self.tree.word(node).ok_or_else(|| self.malformed(argument, node, "a word"))?;
        Ok(word.to_owned())
    }

    fn term(&mut self, argument: &'static str) -> Result<String, MessageError> {
        let node = self.next(argument)?;
        term(self.tree, node).ok_or_else(|| self.malformed(argument, node, "a term"))
    }

    /// The content of the list of rules, without its parentheses. An atom in place of the list is returned
    /// unchanged.
    fn rules(&mut self) -> Result<Cow<'a, [u8]>, MessageError> {
        let node = self.next("rules")?;
        let text = self.tree.text(node);
        Ok(Cow::Borrowed(if self.tree.is_list(node) { &text[1..text.len() - 1] } else { text }))
    }

    fn clock(&mut self, argument: &'static str) -> Result<Duration, MessageError> {
        let node = self.next(argument)?;
        let seconds = self.tree.word(node).and_then(|word| word.parse::<f64>().ok());
        seconds
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .ok_or_else(|| self.malformed(argument, node, "a number of seconds"))
    }

    fn terms(&self, list: NodeId) -> Result<Vec<String>, MessageError> {
        let one = |node| term(self.tree, node).ok_or_else(|| self.malformed("moves", node, "a term"));
        self.tree.children(list).map(one).collect()
    }

    /// The report on the last turn. `None` if no argument is left.
    fn last_turn(&mut self) -> Result<Option<LastTurn>, MessageError> {
        let rest: Vec<NodeId> = self.rest.clone().take(3).collect();
        if let [turn, own, percepts] = rest[..]
            && let Some(turn) = self.tree.word(turn).and_then(|word| word.parse().ok())
        {
            let first = turn == 0 || self.tree.word(own).is_some_and(|w| w.eq_ignore_ascii_case("nil"));
            let own = if first { None } else { Some(self.terms_of_one(own)?) };
            let percepts = self.terms(percepts)?.into_iter().map(Fact::from_canonical).collect();
            return Ok(Some(LastTurn::Percepts { turn, own, percepts }));
        }
        let Some(&moves) = rest.first() else { return Ok(None) };
        if !self.tree.is_list(moves) {
            return Ok(Some(LastTurn::Nothing));
        }
        Ok(Some(LastTurn::Moves(self.terms(moves)?)))
    }

    fn terms_of_one(&self, node: NodeId) -> Result<String, MessageError> {
        term(self.tree, node).ok_or_else(|| self.malformed("own move", node, "a term"))
    }
}

/// A time that is written in seconds, such as `10` or `0.25`. A time above [`MAX_SECONDS`] is written as
/// [`MAX_SECONDS`], because players store clocks in 32 bits.
struct Seconds(Duration);

/// The largest number of seconds that is written for a clock.
const MAX_SECONDS: u64 = i32::MAX as u64;

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.0.min(Duration::from_secs(MAX_SECONDS));
        let (whole, part) = (time.as_secs(), time.subsec_nanos());
        if part == 0 {
            return write!(f, "{whole}");
        }
        let part = format!("{part:09}");
        write!(f, "{whole}.{}", part.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules_line;

    fn clocks(start: u64, play: u64) -> Clocks {
        Clocks { start: Duration::from_secs(start), play: Duration::from_secs(play) }
    }

    #[test]
    fn captured_requests_are_read() {
        assert_eq!(Request::parse(b"( INFO )"), Ok(Request::Info));
        assert_eq!(Request::parse(b"info"), Ok(Request::Info));
        assert_eq!(Request::parse(b"(Ping)\n"), Ok(Request::Ping));
        let start =
            b"( START scr.ttt.1795208841243 xPlayer (( role xPlayer ) ( init ( cell 1 1 b ) ) ) 30 15 )";
        assert_eq!(
            Request::parse(start),
            Ok(Request::Start {
                id: "scr.ttt.1795208841243".to_owned(),
                role: "xPlayer".to_owned(),
                rules: Cow::Borrowed(b"( role xPlayer ) ( init ( cell 1 1 b ) ) "),
                clocks: clocks(30, 15),
            })
        );
        for nothing in ["NIL", "nil", "none"] {
            let text = format!("(play m {nothing})");
            let play = Request::Play { id: "m".to_owned(), last_turn: LastTurn::Nothing };
            assert_eq!(Request::parse(text.as_bytes()), Ok(play));
        }
        let moves = LastTurn::Moves(vec!["(mark 1 2)".to_owned(), "noop".to_owned()]);
        let stop = Request::parse(b"( STOP M3 (( mark 1\t2 )\r\nnoop ) )");
        assert_eq!(stop, Ok(Request::Stop { id: "M3".to_owned(), last_turn: moves }));
        assert_eq!(Request::parse(b"( ABORT M3 )"), Ok(Request::Abort { id: "M3".to_owned() }));
    }

    #[test]
    fn surplus_arguments_and_both_forms_of_preview_are_accepted() {
        let start = Request::parse(b"(start m r ((role r)) 1 0.5 extra (more))").unwrap();
        let Request::Start { clocks, .. } = start else { panic!("{start:?}") };
        assert_eq!(clocks.play, Duration::from_millis(500));
        let rules = |text: &'static [u8]| match Request::parse(text) {
            Ok(Request::Preview { rules, .. }) => rules.into_owned(),
            other => panic!("{other:?}"),
        };
        assert_eq!(rules(b"(PREVIEW ((role r)) 10)"), b"(role r)");
        assert_eq!(rules(b"(PREVIEW tictactoe 10)"), b"tictactoe");
    }

    #[test]
    fn percepts_carry_a_turn_and_the_own_move() {
        let first = LastTurn::Percepts { turn: 0, own: None, percepts: vec![] };
        assert_eq!(
            Request::parse(b"(PLAY m 0 NIL NIL)"),
            Ok(Request::Play { id: "m".into(), last_turn: first })
        );
        let last_turn = LastTurn::Percepts {
            turn: 3,
            own: Some("(open 1)".to_owned()),
            percepts: vec![Fact::from_canonical("(hidden_car 2)"), Fact::from_canonical("x")],
        };
        let play = Request::Play { id: "m".to_owned(), last_turn };
        assert_eq!(Request::parse(b"(PLAY m 3 (open 1) ((hidden_car 2) x))"), Ok(play));
    }

    #[test]
    fn a_clock_without_end_is_written_as_one_that_players_can_read() {
        let preview = Request::Preview { rules: Cow::Borrowed(b"(role r)"), clock: Duration::MAX };
        assert_eq!(preview.to_string(), "(PREVIEW ((role r)) 2147483647)");
    }

    #[test]
    fn what_is_written_is_read_back() {
        let rules: Cow<'_, [u8]> = Cow::Owned(rules_line(b"(role r) ; one\n(<= (legal r ?x)\n\t(p ?x))"));
        assert_eq!(*rules, *b"(role r) (<= (legal r ?x) (p ?x))");
        let quick = Clocks { start: Duration::from_millis(1250), play: Duration::from_micros(10) };
        let moves = LastTurn::Moves(vec!["(mark 1 2)".to_owned(), "noop".to_owned()]);
        let percepts = LastTurn::Percepts {
            turn: 2,
            own: Some("a".to_owned()),
            percepts: vec![Fact::from_canonical("(f b)"), Fact::from_canonical("c")],
        };
        let id = || "m.1".to_owned();
        for request in [
            Request::Info,
            Request::Ping,
            Request::Preview { rules: rules.clone(), clock: Duration::from_secs(7) },
            Request::Start { id: id(), role: "r".to_owned(), rules, clocks: quick },
            Request::Play { id: id(), last_turn: LastTurn::Nothing },
            Request::Play { id: id(), last_turn: moves.clone() },
            Request::Play { id: id(), last_turn: percepts },
            Request::Stop { id: id(), last_turn: moves },
            Request::Abort { id: id() },
        ] {
            let text = request.to_string();
            assert!(!text.contains('\n'));
            assert_eq!(Request::parse(text.as_bytes()).as_ref(), Ok(&request), "{text}");
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let error = |text: &[u8]| Request::parse(text).unwrap_err().to_string();
        assert_eq!(error(b"(PLAY)"), "PLAY: missing match id");
        assert_eq!(error(b"(PLAY m)"), "PLAY: missing moves");
        assert_eq!(
            error(b"(START m r ((role r)) 5 soon)"),
            "START: the play clock must be a number of seconds, not `soon`"
        );
        assert_eq!(
            error(b"(START m r ((role r)) 5 -1)"),
            "START: the play clock must be a number of seconds, not `-1`"
        );
        assert!(error(b"(JUMP)").starts_with("unknown request `JUMP`"));
        assert!(error(b"(()").starts_with("not valid KIF"));
        assert!(error(&vec![b'('; 1_000_000]).starts_with("not valid KIF"));
        assert_eq!(error(b""), "expected one expression, but found 0");
        assert!(error(b"((INFO))").starts_with("unknown request ``"));
    }

    #[test]
    fn a_deep_move_does_not_overflow_the_stack() {
        let depth = 50_000;
        let text = format!("(PLAY m ({}a{}))", "(f ".repeat(depth), ")".repeat(depth));
        let Ok(Request::Play { last_turn: LastTurn::Moves(moves), .. }) = Request::parse(text.as_bytes())
        else {
            panic!("not read")
        };
        assert_eq!(moves[0].len(), depth * 4 + 1);
    }
}
