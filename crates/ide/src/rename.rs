//! Renames a variable within its rule, or a relation, function or constant within the text.
//!
//! A new name that would merge two things, or that GDL reserves, is refused.

use crate::analysis::Analysis;
use crate::names::{Kind, Space};
use crate::tree::NodeId;
use ggp_gdl::keyword::Connective;
use ggp_gdl::lexer::{Lexer, TokenKind};
use ggp_gdl::{Edit, Keyword, Span};

/// The role whose moves are chance. GDL-II gives its name this meaning, in upper or lower case.
const NATURE: &str = "random";

fn is_nature(name: &str) -> bool {
    name.eq_ignore_ascii_case(NATURE)
}

/// The reason why a word cannot be renamed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RenameError {
    /// There is no word at the cursor.
    #[error("there is no name here")]
    NoName,
    /// GDL gives the old name its meaning.
    #[error("`{0}` has its meaning from GDL and cannot be renamed")]
    Reserved(String),
    /// GDL gives the new name a meaning.
    #[error("`{0}` has its meaning from GDL; take another name")]
    IntoReserved(String),
    /// The new name is not one word.
    #[error("`{0}` is not a name: a name has no blanks, parentheses, semicolons or invisible characters")]
    NotAName(String),
    /// A variable has to begin with `?`, and nothing else may.
    #[error("a variable begins with `?`, and no other name does")]
    Mark,
    /// Something else has the new name.
    #[error("`{0}` is in use; the two would become one")]
    Taken(String),
}

impl Analysis {
    /// The name at `offset` that can be renamed.
    ///
    /// # Errors
    /// If there is none.
    pub fn renamable(&self, offset: usize) -> Result<Span, RenameError> {
        self.renamable_word(offset).map(|word| self.span(word))
    }

    fn renamable_word(&self, offset: usize) -> Result<NodeId, RenameError> {
        let word = self.tree().word_at(offset).ok_or(RenameError::NoName)?;
        let reserved = || RenameError::Reserved(self.source(word).to_owned());
        if self.space(word) == Space::Keyword {
            return Err(reserved());
        }
        // Goals are numbers, and the role of chance is known by its name.
        let is_fixed = |node: NodeId| {
            let is_goal = self.tree().nodes[node].parent.is_some_and(|list| {
                self.info(list).kind == Kind::Keyword(Keyword::Goal) && self.info(node).index == 2
            });
            is_goal || is_nature(self.source(node)) && self.names().is_role(self.source(node))
        };
        let is_constant = self.space(word) == Space::Constant;
        if is_constant && (self.can_be_goal(self.source(word)) || self.same(word).into_iter().any(is_fixed)) {
            return Err(reserved());
        }
        Ok(word)
    }

    /// Whether the constant `name` can be a goal by the domains of the rules, perhaps as the value of a variable.
    fn can_be_goal(&self, name: &str) -> bool {
        let model = self.model();
        let goal = model.description.symbols.get(Keyword::Goal.name());
        let place = goal.and_then(|goal| model.domains.argument(goal, Keyword::Goal.arity(), 1));
        place.is_some_and(|place| model.constants(place).contains(&name))
    }

    /// The edits that replace the name at `offset` by `new` wherever it stands, in the order of the text.
    ///
    /// # Errors
    /// If the name cannot be renamed, or not into `new`.
    pub fn rename(&self, offset: usize, new: &str) -> Result<Vec<Edit>, RenameError> {
        let word = self.renamable_word(offset)?;
        let space = self.space(word);
        let mut tokens = Lexer::new(new.as_bytes());
        let whole = Span { start: 0, end: new.len() };
        let is_word = tokens.next().is_some_and(|token| token.kind == TokenKind::Word && token.span == whole);
        if !is_word || ggp_gdl::sexpr::read(new.as_bytes()).is_err() {
            return Err(RenameError::NotAName(new.to_owned()));
        }
        if new.starts_with('?') != (space == Space::Variable) || new == "?" {
            return Err(RenameError::Mark);
        }
        let is_chance = space == Space::Constant && is_nature(new);
        if Keyword::of(new).is_some() || Connective::of(new).is_some() || is_chance {
            return Err(RenameError::IntoReserved(new.to_owned()));
        }
        let same = self.same(word);
        if new != self.source(word) && self.is_taken(word, new) {
            return Err(RenameError::Taken(new.to_owned()));
        }
        Ok(same.into_iter().map(|node| Edit { span: self.span(node), text: new.to_owned() }).collect())
    }

    /// Whether something in the space and scope of `word` has the name `new`.
    fn is_taken(&self, word: NodeId, new: &str) -> bool {
        let (space, form) = (self.space(word), self.info(word).form);
        (0..self.tree().nodes.len()).any(|node| {
            self.is_word(node)
                && self.source(node) == new
                && self.space(node) == space
                && (space != Space::Variable || self.info(node).form == form)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "(role white) (role random) (goal white 100) (init (at 1)) (line a)
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y) (at a))
(<= (p ?x) (succ ?x 100))";

    fn rename(text: &str, nth: usize, new: &str) -> Result<usize, RenameError> {
        let at = GAME.match_indices(text).nth(nth).unwrap().0;
        Analysis::new(GAME).rename(at, new).map(|spans| spans.len())
    }

    #[test]
    fn names_are_renamed_in_their_scope() {
        assert_eq!(rename("?x", 0, "?from"), Ok(2));
        assert_eq!(rename("at 1", 0, "stands"), Ok(3), "the fluent");
        assert_eq!(rename("at a", 0, "stands"), Ok(1), "the relation of the same name");
        assert_eq!(rename("white", 0, "red"), Ok(2));
        assert_eq!(rename("white", 0, "white"), Ok(2));
        assert_eq!(rename("succ", 0, "at1"), Ok(2));
    }

    #[test]
    fn what_would_change_the_game_is_refused() {
        use RenameError::{IntoReserved, Mark, NoName, NotAName, Reserved, Taken};
        assert_eq!(rename("?x", 0, "?y"), Err(Taken("?y".to_owned())));
        assert_eq!(rename("?x", 0, "x"), Err(Mark));
        assert_eq!(rename("line", 0, "?l"), Err(Mark));
        assert_eq!(rename("line", 0, "at"), Err(Taken("at".to_owned())));
        assert_eq!(rename("line", 0, "legal"), Err(IntoReserved("legal".to_owned())));
        assert_eq!(rename("line", 0, "NOT"), Err(IntoReserved("NOT".to_owned())));
        assert_eq!(rename("true", 0, "t"), Err(Reserved("true".to_owned())));
        assert_eq!(rename("100", 0, "99"), Err(Reserved("100".to_owned())));
        assert_eq!(rename("100", 1, "99"), Err(Reserved("100".to_owned())), "also where it is no goal");
        assert_eq!(rename("random", 0, "dice"), Err(Reserved("random".to_owned())));
        assert_eq!(rename("a)", 0, "Random"), Err(IntoReserved("Random".to_owned())));
        for bad in ["", "a b", "(a)", "a;b", " a", "a\u{200b}"] {
            assert_eq!(rename("line", 0, bad), Err(NotAName(bad.to_owned())));
        }
        assert_eq!(Analysis::new(GAME).rename(GAME.find(" (role r").unwrap() + 1, "x"), Err(NoName));
    }

    #[test]
    fn goals_by_variables_and_chance_in_capitals_keep_their_names() {
        let text = "(role Random) (score 70) (<= (goal Random ?n) (score ?n)) (line 3)";
        let rename = |name: &str| Analysis::new(text).rename(text.find(name).unwrap(), "b");
        assert_eq!(rename("Random"), Err(RenameError::Reserved("Random".to_owned())));
        assert_eq!(rename("70"), Err(RenameError::Reserved("70".to_owned())));
        assert!(rename("3").is_ok());
    }
}
