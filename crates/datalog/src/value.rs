//! Ground terms, interned: equal terms have equal [`Value`]s, so that a join compares integers.
//!
//! Invariant: the arguments of a compound term have smaller indices than the term itself. No function
//! recurses over the nesting of terms.
//!
//! [`Values::keep`] divides the terms into permanent and temporary ones. Temporary terms live until
//! [`Values::release`]. A caller that needs a temporary term for longer serialises it with [`Values::write`]
//! and restores it with [`Values::read`].

use crate::table::IdTable;
use rustc_hash::FxHashMap;

/// An interned ground term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Value(pub(crate) u32);

impl Value {
    /// The index of the term in the table of terms, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The value with the given index. This is the inverse of [`Value::index`].
    pub fn from_index(index: usize) -> Value {
        Value(index as u32)
    }
}

/// An interned name of a constant or of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Name(pub(crate) u32);

/// The symbol at the root of a term: the name and the arity of a function, or the name of a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Functor {
    /// The name of the function or constant.
    pub name: Name,
    /// The number of arguments; `None` for a constant. The constant `c` differs from the function `c` applied
    /// to no arguments.
    pub arity: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    functor: Functor,
    /// The index of the first argument of the term in the array of all arguments.
    first: u32,
}

/// The number of arguments that count as much as one term in bounds on memory. In the bound on tuples, a
/// tuple counts as one, plus one for each full group of this many columns.
pub(crate) const COLUMNS_PER_UNIT: usize = 16;

/// The tag bit that marks a name in a serialised term. The indices of permanent terms are smaller than this
/// value, so this bit is never set in an index.
const NAME: u32 = 1 << 31;

/// The table of ground terms.
#[derive(Clone, Debug)]
pub struct Values {
    names: Vec<Box<str>>,
    by_name: FxHashMap<Box<str>, Name>,
    nodes: Vec<Node>,
    arguments: Vec<Value>,
    depths: Vec<u32>,
    /// The length of each term's text in bytes. Terms share their subterms, so the length of the text can
    /// grow exponentially with the depth of the term.
    lengths: Vec<u32>,
    /// The hash table of the permanent terms. [`Values::release`] keeps these terms.
    by_term: IdTable,
    /// The hash table of the temporary terms. [`Values::release`] removes these terms.
    temporary: IdTable,
    /// Terms with an index below this bound are permanent. The bound can fall, but never below the number of
    /// existing permanent terms, so these stay permanent. It never rises, because a temporary term that
    /// became permanent would have two serialisations.
    permanent: usize,
    /// Once all terms together have more arguments than this, all later terms are temporary.
    permanent_arguments: usize,
    /// The number of temporary terms above which [`Values::is_crowded`] holds.
    crowd: usize,
}

impl Default for Values {
    /// An empty table in which all terms are permanent.
    fn default() -> Values {
        Values {
            names: Vec::new(),
            by_name: FxHashMap::default(),
            nodes: Vec::new(),
            arguments: Vec::new(),
            depths: Vec::new(),
            lengths: Vec::new(),
            by_term: IdTable::default(),
            temporary: IdTable::default(),
            permanent: usize::MAX,
            permanent_arguments: usize::MAX,
            crowd: usize::MAX,
        }
    }
}

impl Values {
    /// Interns the name `text` and returns it.
    pub fn name(&mut self, text: &str) -> Name {
        if let Some(&name) = self.by_name.get(text) {
            return name;
        }
        let name = Name(self.names.len() as u32);
        self.names.push(text.into());
        self.by_name.insert(text.into(), name);
        name
    }

    /// The spelling of `name`.
    pub fn spelling(&self, name: Name) -> &str {
        &self.names[name.0 as usize]
    }

    /// Interns the constant `text` and returns its value.
    pub fn constant(&mut self, text: &str) -> Value {
        let name = self.name(text);
        self.term(Functor { name, arity: None }, &[])
    }

    /// Interns the term that applies `functor` to `args` and returns its value.
    pub fn term(&mut self, functor: Functor, args: &[Value]) -> Value {
        debug_assert_eq!(functor.arity.unwrap_or(0) as usize, args.len());
        let hash = hash_term(functor, args);
        if let Some(id) = self.lookup(hash, functor, args) {
            return Value(id);
        }
        let id = self.nodes.len() as u32;
        self.nodes.push(Node { functor, first: self.arguments.len() as u32 });
        self.arguments.extend_from_slice(args);
        let depth = args.iter().map(|a| self.depths[a.index()]).max().unwrap_or(0);
        self.depths.push(depth.saturating_add(1));
        let around = if functor.arity.is_some() { 2 } else { 0 };
        let own = u32::try_from(self.spelling(functor.name).len() + around).unwrap_or(u32::MAX);
        let blank_and = |sum: u32, a: &Value| sum.saturating_add(self.lengths[a.index()]).saturating_add(1);
        self.lengths.push(args.iter().fold(own, blank_and));
        if self.arguments.len() > self.permanent_arguments {
            self.permanent = self.permanent.min(self.nodes.len());
        }
        self.enter(hash, id);
        Value(id)
    }

    fn enter(&mut self, hash: u32, id: u32) {
        let table = if (id as usize) < self.permanent { &mut self.by_term } else { &mut self.temporary };
        table.insert(hash, id);
    }

    /// The value of the term that applies `functor` to `args`; `None` if the table does not contain this
    /// term.
    pub fn find(&self, functor: Functor, args: &[Value]) -> Option<Value> {
        self.lookup(hash_term(functor, args), functor, args).map(Value)
    }

    #[inline]
    fn lookup(&self, hash: u32, functor: Functor, args: &[Value]) -> Option<u32> {
        let is_it = |id: u32| self.nodes[id as usize].functor == functor && self.arguments(Value(id)) == args;
        let found = self.by_term.find(hash, is_it);
        if found.is_some() || self.nodes.len() <= self.permanent {
            return found;
        }
        self.temporary.find(hash, is_it)
    }

    /// Removes all terms but the first `len` from the table.
    pub(crate) fn truncate(&mut self, len: usize) {
        if len >= self.nodes.len() {
            return;
        }
        self.arguments.truncate(self.nodes[len].first as usize);
        self.nodes.truncate(len);
        self.depths.truncate(len);
        self.lengths.truncate(len);
        self.temporary.clear();
        if len < self.permanent {
            self.by_term.clear();
        }
        let first = if len < self.permanent { 0 } else { self.permanent };
        for id in first..len {
            let id = id as u32;
            let hash = hash_term(self.nodes[id as usize].functor, self.arguments(Value(id)));
            self.enter(hash, id);
        }
    }

    /// Makes all existing terms and the next `more` new terms permanent: [`Values::release`] keeps them. All
    /// terms after these are temporary: [`Values::release`] removes them. If the new terms have more than 16
    /// arguments on average, fewer than `more` of them become permanent. Call this at most once.
    pub fn keep(&mut self, more: usize) {
        let most = |len: usize, more: usize| len.saturating_add(more);
        self.permanent = self.permanent.min(most(self.nodes.len(), more).min(NAME as usize));
        self.permanent_arguments = most(self.arguments.len(), more.saturating_mul(COLUMNS_PER_UNIT));
        self.crowd = more;
    }

    /// Whether `value` is a permanent term, which survives [`Values::release`].
    #[inline]
    pub fn is_permanent(&self, value: Value) -> bool {
        value.index() < self.permanent
    }

    /// Whether there are more temporary terms than the number `more` that the caller passed to
    /// [`Values::keep`]. If temporary terms have more than 16 arguments on average, every 16 arguments count
    /// as one term.
    #[inline]
    pub fn is_crowded(&self) -> bool {
        let Some(first) = self.nodes.get(self.permanent) else { return false };
        let arguments = self.arguments.len() - first.first as usize;
        (self.nodes.len() - self.permanent).max(arguments / COLUMNS_PER_UNIT) > self.crowd
    }

    /// Removes all temporary terms from the table. Their values must no longer be used.
    pub fn release(&mut self) {
        self.truncate(self.permanent);
    }

    /// Appends the serialisation of `value` to `out`. A permanent term is written as its index. A temporary
    /// term is written as its name and arity, followed by its arguments. A term always has the same
    /// serialisation.
    pub fn write(&self, value: Value, out: &mut Vec<u32>) {
        let mut stack = vec![value];
        while let Some(value) = stack.pop() {
            if self.is_permanent(value) {
                out.push(value.0);
                continue;
            }
            let Functor { name, arity } = self.functor(value);
            out.push(NAME | name.0);
            out.push(arity.map_or(0, |arity| arity + 1));
            stack.extend(self.arguments(value).iter().rev());
        }
    }

    /// Appends to `out` the values of the terms in `written`, and interns these terms again where necessary.
    /// `written` holds the serialisations of one or more terms by [`Values::write`], one after the other.
    pub fn read(&mut self, written: &[u32], out: &mut Vec<Value>) {
        // The functions for which some arguments have not been read yet. Each comes with the index in `out`
        // of its first argument.
        let mut open: Vec<(Functor, usize)> = Vec::new();
        let mut words = written.iter();
        while let Some(&word) = words.next() {
            if word & NAME == 0 {
                out.push(Value(word));
            } else {
                let arity = words.next().copied().unwrap_or(0).checked_sub(1);
                open.push((Functor { name: Name(word & !NAME), arity }, out.len()));
            }
            while let Some(&(functor, first)) = open.last()
                && out.len() - first == functor.arity.unwrap_or(0) as usize
            {
                let value = self.term(functor, &out[first..]);
                out.truncate(first);
                out.push(value);
                open.pop();
            }
        }
    }

    /// The function symbol or the constant at the root of `value`.
    pub fn functor(&self, value: Value) -> Functor {
        self.nodes[value.index()].functor
    }

    /// The arguments of `value`; empty for a constant.
    pub fn arguments(&self, value: Value) -> &[Value] {
        let node = self.nodes[value.index()];
        let first = node.first as usize;
        &self.arguments[first..first + node.functor.arity.unwrap_or(0) as usize]
    }

    /// The nesting depth of `value`; 1 for a constant.
    pub fn depth(&self, value: Value) -> u32 {
        self.depths[value.index()]
    }

    /// The length of [`Values::text`] in bytes, saturating at `u32::MAX`.
    pub fn text_len(&self, value: Value) -> u32 {
        self.lengths[value.index()]
    }

    /// The sum of [`Values::text_len`] over all terms.
    pub fn text_bytes(&self) -> u64 {
        self.lengths.iter().map(|&length| u64::from(length)).sum()
    }

    /// The number of terms in the table.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The larger of two numbers: the number of terms, and the total number of arguments divided by
    /// [`COLUMNS_PER_UNIT`].
    #[inline]
    pub(crate) fn size(&self) -> usize {
        self.nodes.len().max(self.arguments.len() / COLUMNS_PER_UNIT)
    }

    /// Whether the table has no terms.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The canonical text of `value`: one blank before each argument and no other white space.
    pub fn text(&self, value: Value) -> String {
        enum Piece {
            Value(Value),
            Blank,
            Close,
        }
        let mut out = String::new();
        let mut stack = vec![Piece::Value(value)];
        while let Some(piece) = stack.pop() {
            match piece {
                Piece::Blank => out.push(' '),
                Piece::Close => out.push(')'),
                Piece::Value(value) => {
                    let functor = self.functor(value);
                    if functor.arity.is_some() {
                        out.push('(');
                        stack.push(Piece::Close);
                    }
                    out.push_str(self.spelling(functor.name));
                    for &arg in self.arguments(value).iter().rev() {
                        stack.push(Piece::Value(arg));
                        stack.push(Piece::Blank);
                    }
                }
            }
        }
        out
    }
}

fn hash_term(functor: Functor, args: &[Value]) -> u32 {
    let root = functor.name.0.wrapping_mul(2).wrapping_add(u32::from(functor.arity.is_some()));
    hash_values(root, args.iter().copied())
}

/// A multiplicative hash of a sequence of values. Its upper bits are distributed best.
#[inline]
pub(crate) fn hash_values(seed: u32, values: impl Iterator<Item = Value>) -> u32 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = u64::from(seed).wrapping_add(1).wrapping_mul(K);
    for value in values {
        hash = (hash.rotate_left(26) ^ u64::from(value.0)).wrapping_mul(K);
    }
    (hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_are_one_value_and_print_canonically() {
        let mut values = Values::default();
        let one = values.constant("1");
        let cell = Functor { name: values.name("cell"), arity: Some(2) };
        let a = values.term(cell, &[one, one]);
        assert_eq!(a, values.term(cell, &[one, one]));
        assert_eq!(values.text(a), "(cell 1 1)");
        assert_eq!(values.text_len(a), 10);
        assert_eq!(values.depth(a), 2);
    }

    #[test]
    fn a_constant_differs_from_a_function_without_arguments() {
        let mut values = Values::default();
        let lock = values.constant("lock");
        let name = values.name("lock");
        let applied = values.term(Functor { name, arity: Some(0) }, &[]);
        assert_ne!(lock, applied);
        assert_eq!(values.text(applied), "(lock)");
        assert_eq!((values.text_len(applied), values.text_len(lock)), (6, 4));
    }

    #[test]
    fn what_is_truncated_can_be_made_again() {
        let mut values = Values::default();
        let s = Functor { name: values.name("s"), arity: Some(2) };
        let zero = values.constant("0");
        let one = values.term(s, &[zero, zero]);
        let two = values.term(s, &[one, zero]);
        values.truncate(2);
        assert_eq!(values.len(), 2);
        assert_eq!(values.find(s, &[zero, zero]), Some(one));
        assert_eq!(values.find(s, &[one, zero]), None);
        assert_eq!(values.term(s, &[one, zero]), two);
        assert_eq!(values.text(two), "(s (s 0 0) 0)");
    }

    #[test]
    fn temporary_terms_are_released_and_read_again_as_they_were_written() {
        let mut values = Values::default();
        let f = Functor { name: values.name("f"), arity: Some(2) };
        let none = Functor { name: values.name("none"), arity: Some(0) };
        let zero = values.constant("0");
        let one = values.constant("1");
        values.keep(1);
        let kept = values.term(f, &[zero, one]);
        let empty = values.term(none, &[]);
        let deep = values.term(f, &[kept, empty]);
        let deeper = values.term(f, &[deep, deep]);
        assert_eq!([kept, empty, deep].map(|v| values.is_permanent(v)), [true, false, false]);
        let text = values.text(deeper);
        let mut written = Vec::new();
        values.write(deeper, &mut written);
        values.write(zero, &mut written);
        values.write(empty, &mut written);

        values.release();
        assert_eq!((values.len(), values.find(f, &[zero, one])), (3, Some(kept)));
        assert_eq!(values.find(none, &[]), None);
        // The new term reuses the index of a released term.
        assert_eq!(values.term(f, &[one, one]), empty);
        let mut read = Vec::new();
        values.read(&written, &mut read);
        assert_eq!(read.iter().map(|&v| values.text(v)).collect::<Vec<_>>(), [&text, "0", "(none)"]);
        assert_eq!(values.find(none, &[]), Some(read[2]), "a temporary term is found");
        let mut again = Vec::new();
        for &value in &read {
            values.write(value, &mut again);
        }
        assert_eq!(again, written);
        // Truncation keeps the temporary terms below the new length, and their hash entries.
        values.truncate(4);
        assert_eq!(values.find(f, &[one, one]), Some(empty));
        assert_eq!(values.find(none, &[]), None);
    }

    #[test]
    fn wide_terms_use_up_what_is_permanent_and_are_a_crowd_earlier() {
        let mut values = Values::default();
        let wide = Functor { name: values.name("wide"), arity: Some(160) };
        let numbers: Vec<Value> = (0..200).map(|n| values.constant(&n.to_string())).collect();
        values.keep(10);
        let all: Vec<Value> = (0..12).map(|n| values.term(wide, &numbers[n..n + 160])).collect();
        assert_eq!(all.iter().filter(|&&v| values.is_permanent(v)).count(), 2);
        assert!(values.is_crowded());
        values.release();
        assert!(!values.is_crowded());
        assert_eq!(values.len(), 202);
        assert_eq!(values.term(wide, &numbers[..160]), all[0]);
    }

    #[test]
    fn a_term_nested_a_million_deep_prints() {
        let mut values = Values::default();
        let mut term = values.constant("0");
        let s = Functor { name: values.name("s"), arity: Some(1) };
        for _ in 0..1_000_000 {
            term = values.term(s, &[term]);
        }
        assert_eq!(values.depth(term), 1_000_001);
        assert_eq!(values.text(term).len(), 4_000_001);
        assert_eq!(values.text_len(term), 4_000_001);
    }

    #[test]
    fn the_length_of_a_text_that_nobody_could_write_is_known() {
        let mut values = Values::default();
        let mut term = values.constant("0");
        let s = Functor { name: values.name("s"), arity: Some(2) };
        for level in 0..100 {
            term = values.term(s, &[term, term]);
            let written = if level < 10 { values.text(term).len() as u32 } else { u32::MAX };
            assert!(values.text_len(term) <= written);
            assert!(level >= 10 || values.text_len(term) == written);
        }
        assert_eq!(values.text_len(term), u32::MAX);
    }
}
