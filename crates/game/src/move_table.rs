//! The move table of a machine: the terms of its moves, their texts, and the order of these texts.

use crate::{EvalError, Move};
use ggp_datalog::{Value, Values};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A table of moves, which only grows. A [`Move`] is an index into the table.
#[derive(Clone, Default, Debug)]
pub(crate) struct MoveTable {
    terms: Vec<Term>,
    texts: Vec<Arc<str>>,
    /// The total size of the texts in bytes.
    bytes: usize,
    by_value: FxHashMap<Value, Move>,
    by_text: FxHashMap<Arc<str>, Move>,
    /// For each move, its rank in the order of texts. Moves that were added after the last computation of the
    /// ranks have no rank.
    ranks: Vec<u32>,
    /// The number of moves that [`MoveTable::sort`] has been asked to sort without ranks since it last
    /// computed the ranks.
    misses: usize,
}

/// The term of a move.
#[derive(Clone, Debug)]
enum Term {
    Permanent(Value),
    /// A temporary term, in serialised form.
    Temporary(Box<[u32]>),
}

/// The largest total size, in bytes, of the texts of all moves in a move table. The same limit applies to the
/// texts of all facts of one state, and of all percepts of one role.
pub const MAX_TEXT: usize = 256 << 20;

/// A table with at least this number of moves is large ([`MoveTable::is_large`]).
const MANY: usize = 1 << 17;
/// A table with fewer moves is also large if their texts take at least this many bytes together.
const MANY_BYTES: usize = MAX_TEXT / 8;

impl MoveTable {
    /// The move with the term `value`. Adds the move if the table does not have it.
    ///
    /// # Errors
    /// When the texts of all moves would exceed [`MAX_TEXT`].
    pub(crate) fn of_value(&mut self, value: Value, values: &Values) -> Result<Move, EvalError> {
        if let Some(&mv) = self.by_value.get(&value) {
            return Ok(mv);
        }
        let is_permanent = values.is_permanent(value);
        if !is_permanent && let Some(&mv) = self.by_text.get(values.text(value).as_str()) {
            return Ok(mv);
        }
        let bytes = self.bytes + values.text_len(value) as usize;
        if bytes > MAX_TEXT {
            return Err(too_much_text("moves", MAX_TEXT));
        }
        self.bytes = bytes;
        let mv = Move(self.terms.len() as u32);
        let text: Arc<str> = values.text(value).into();
        if is_permanent {
            self.terms.push(Term::Permanent(value));
            self.by_value.insert(value, mv);
        } else {
            let mut written = Vec::new();
            values.write(value, &mut written);
            self.terms.push(Term::Temporary(written.into()));
        }
        self.by_text.insert(Arc::clone(&text), mv);
        self.texts.push(text);
        Ok(mv)
    }

    /// The term of `mv`. A temporary term is interned again.
    pub(crate) fn value(&self, mv: Move, values: &mut Values) -> Value {
        match &self.terms[mv.index()] {
            Term::Permanent(value) => *value,
            Term::Temporary(written) => {
                let mut read = Vec::with_capacity(1);
                values.read(written, &mut read);
                read[0]
            }
        }
    }

    /// Whether the table is so large that it should be replaced by an empty one.
    pub(crate) fn is_large(&self) -> bool {
        self.texts.len() >= MANY || self.bytes >= MANY_BYTES
    }

    pub(crate) fn text(&self, mv: Move) -> &str {
        &self.texts[mv.index()]
    }

    /// The move with that text. An exact match is preferred. Otherwise the result is the only move that
    /// matches without regard to ASCII case. `None` if there is no such move.
    pub(crate) fn of_text(&self, text: &str) -> Option<Move> {
        let text = canonical_term(text)?;
        self.by_text.get(text.as_str()).copied().or_else(|| {
            let mut folded = self.texts.iter().enumerate().filter(|(_, t)| t.eq_ignore_ascii_case(&text));
            let (number, _) = folded.next()?;
            folded.next().is_none().then_some(Move(number as u32))
        })
    }

    /// Sorts moves bytewise by their texts. If every move of the table has a rank, the function compares
    /// ranks, which is much cheaper than to compare texts. New moves have no rank, and while there are such
    /// moves, the function compares texts. Once it has sorted as many moves by text as the table holds, it
    /// computes all ranks again.
    pub(crate) fn sort(&mut self, moves: &mut [Move]) {
        if self.ranks.len() != self.texts.len() {
            self.misses += moves.len();
            if self.misses < self.texts.len() {
                moves.sort_unstable_by(|a, b| self.text(*a).cmp(self.text(*b)));
                return;
            }
            self.misses = 0;
            let mut order: Vec<u32> = (0..self.texts.len() as u32).collect();
            order.sort_unstable_by(|a, b| self.texts[*a as usize].cmp(&self.texts[*b as usize]));
            self.ranks = vec![0; order.len()];
            for (rank, &mv) in order.iter().enumerate() {
                self.ranks[mv as usize] = rank as u32;
            }
        }
        moves.sort_unstable_by_key(|mv| self.ranks[mv.index()]);
    }
}

/// The error for texts that take more than `most` bytes together. `of` is `moves` or `facts`, depending on
/// what the texts denote.
pub fn too_much_text(of: &str, most: usize) -> EvalError {
    EvalError::TooLarge(format!("the texts of the {of} take more than {} MiB", most >> 20))
}

/// Rewrites a term in canonical form: one blank between tokens and none inside the parentheses. `None` if
/// `text` is not exactly one term. A list that does not begin with a name is not a term.
pub fn canonical_term(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut depth = 0usize;
    let mut terms = 0usize;
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        if depth == 0 {
            terms += 1;
        }
        if out.ends_with('(') && matches!(first, '(' | ')') {
            return None;
        }
        let blank = !out.is_empty() && !out.ends_with('(') && first != ')';
        if blank {
            out.push(' ');
        }
        let len = match first {
            '(' => {
                depth += 1;
                1
            }
            ')' => {
                depth = depth.checked_sub(1)?;
                1
            }
            _ => rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len()),
        };
        out.push_str(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    (depth == 0 && terms == 1).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::canonical_term;

    #[test]
    fn text_is_made_canonical_term() {
        assert_eq!(canonical_term(" ( move  1\t2 (f ) ) ").as_deref(), Some("(move 1 2 (f))"));
        assert_eq!(canonical_term("noop").as_deref(), Some("noop"));
        for bad in ["", "a b", "(a", "a)", "(a) (b)", ")(", "()", "((a))", "(f () a)"] {
            assert_eq!(canonical_term(bad), None, "{bad}");
        }
    }
}
