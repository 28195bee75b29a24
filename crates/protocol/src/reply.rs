//! The replies of a player, parsed and written.

use super::{MessageError, read_one, term};
use std::fmt::{self, Write as _};

/// The reply of a player.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Reply {
    /// The reply to START, PREVIEW and PING.
    Ready,
    /// The player is busy with another match.
    Busy,
    /// The reply to STOP.
    Done,
    /// The reply to ABORT.
    Aborted,
    /// The reply `nil` to PLAY: the player gives no move.
    Nil,
    /// The reply to PLAY that gives a move. The field is the canonical text of the move.
    Move(String),
    /// The reply to INFO.
    Info(About),
}

/// The content of a player's reply to INFO.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct About {
    /// The player's name.
    pub name: Option<String>,
    /// The player's status: `available`, `busy`, or any other text.
    pub status: Option<String>,
    /// The kind of player, such as `program` or `human`.
    pub species: Option<String>,
}

impl Reply {
    /// Parses the reply to PLAY. The words `nil` and `busy`, in any letter case, become [`Reply::Nil`] and
    /// [`Reply::Busy`], unless `is_move` returns true for the word. Every other term is a move and is
    /// returned as canonical text.
    ///
    /// # Errors
    /// When `text` is not exactly one term.
    ///
    /// # Examples
    /// ```
    /// use ggp_protocol::Reply;
    /// assert_eq!(Reply::parse_move("( mark 3 3 )", |_| false), Ok(Reply::Move("(mark 3 3)".to_owned())));
    /// assert_eq!(Reply::parse_move("NIL", |_| false), Ok(Reply::Nil));
    /// ```
    pub fn parse_move(text: &str, is_move: impl Fn(&str) -> bool) -> Result<Reply, MessageError> {
        let tree = read_one(text.as_bytes())?;
        let mv = tree.roots().next().and_then(|root| term(&tree, root)).ok_or(MessageError::NotOne(0))?;
        Ok(match mv.to_ascii_lowercase().as_str() {
            _ if is_move(&mv) => Reply::Move(mv),
            "nil" => Reply::Nil,
            "busy" => Reply::Busy,
            _ => Reply::Move(mv),
        })
    }

    /// Parses the reply to a request other than PLAY and INFO: a status word in any letter case. `None` if
    /// the word is unknown. Most servers ignore these replies.
    pub fn parse_status(text: &str) -> Option<Reply> {
        match text.trim().trim_matches(['(', ')']).trim().to_ascii_lowercase().as_str() {
            "ready" => Some(Reply::Ready),
            "busy" => Some(Reply::Busy),
            "done" => Some(Reply::Done),
            "aborted" => Some(Reply::Aborted),
            "nil" => Some(Reply::Nil),
            _ => None,
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reply::Ready => "ready",
            Reply::Busy => "busy",
            Reply::Done => "done",
            Reply::Aborted => "aborted",
            Reply::Nil => "nil",
            Reply::Move(mv) => mv,
            Reply::Info(about) => return about.fmt(f),
        })
    }
}

impl About {
    /// Parses a reply to INFO: pairs such as `((name X) (status available))`, or a bare status.
    ///
    /// # Errors
    /// When `text` is not exactly one expression.
    pub fn parse(text: &str) -> Result<About, MessageError> {
        let tree = read_one(text.as_bytes())?;
        let mut about = About::default();
        let Some(root) = tree.roots().next() else { return Err(MessageError::NotOne(0)) };
        if let Some(status) = tree.word(root) {
            about.status = Some(status.to_ascii_lowercase());
            return Ok(about);
        }
        for pair in tree.children(root) {
            let key = tree.head(pair).unwrap_or("").to_ascii_lowercase();
            let words: Vec<&str> = tree.children(pair).skip(1).filter_map(|v| tree.word(v)).collect();
            let value = Some(words.join(" "));
            match key.as_str() {
                "name" => about.name = value,
                "status" => about.status = value,
                "species" => about.species = value,
                _ => {}
            }
        }
        Ok(about)
    }
}

impl fmt::Display for About {
    /// Writes each value as one token: blanks, parentheses and semicolons become `_`. The blanks of a value
    /// with several tokens would be lost, because servers join tokens without blanks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = [("name", &self.name), ("status", &self.status), ("species", &self.species)];
        f.write_char('(')?;
        let mut first = true;
        for (key, value) in pairs {
            let Some(value) = value else { continue };
            let token: String = value
                .trim()
                .chars()
                .map(|c| if c.is_whitespace() || "();".contains(c) { '_' } else { c })
                .collect();
            write!(f, "{}({key} {token})", if first { "" } else { " " })?;
            first = false;
        }
        f.write_char(')')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_leniently() {
        let none = |_: &str| false;
        assert_eq!(Reply::parse_move(" ( mark 3  3 )\n", none), Ok(Reply::Move("(mark 3 3)".to_owned())));
        assert_eq!(Reply::parse_move("NIL", none), Ok(Reply::Nil));
        assert_eq!(Reply::parse_move("busy", |mv| mv == "busy"), Ok(Reply::Move("busy".to_owned())));
        assert_eq!(Reply::parse_move("a b", none), Err(MessageError::NotOne(2)));
        assert!(matches!(Reply::parse_move("(((", none), Err(MessageError::Unreadable(_))));
        assert_eq!(Reply::parse_status(" READY\r\n"), Some(Reply::Ready));
        assert_eq!(Reply::parse_status("what"), None);
        let about = About::parse("( ( Name Random ) ( STATUS available ) (age 3) )").unwrap();
        assert_eq!((about.name.as_deref(), about.status.as_deref()), (Some("Random"), Some("available")));
        assert_eq!(About::parse("Busy").unwrap().status.as_deref(), Some("busy"));
        let ours = About {
            name: Some("My (own) player".to_owned()),
            status: Some("busy".to_owned()),
            species: None,
        };
        assert_eq!(ours.to_string(), "((name My__own__player) (status busy))");
    }
}
