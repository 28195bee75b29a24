//! Interned names. Each description has a table of its own, so rulesheets share no state.
//!
//! Invariant: a [`Symbol`] is meaningful only with the [`Symbols`] that interned it.

use rustc_hash::FxHashMap;

/// An interned name of a constant, function, relation or variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(u32);

impl Symbol {
    /// The position of the name in the table, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The table of names of one description, in order of first use.
#[derive(Clone, Default, Debug)]
pub struct Symbols {
    names: Vec<Box<str>>,
    by_name: FxHashMap<Box<str>, Symbol>,
}

impl Symbols {
    /// Interns `name` and returns its symbol. Equal spellings get equal symbols.
    ///
    /// # Panics
    /// Panics when there are more than 2³² names.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.by_name.get(name) {
            return symbol;
        }
        let symbol = Symbol(u32::try_from(self.names.len()).expect("fewer than 2^32 names"));
        self.names.push(name.into());
        self.by_name.insert(name.into(), symbol);
        symbol
    }

    /// The symbol with exactly the spelling `name`; `None` if the table does not contain that spelling.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.by_name.get(name).copied()
    }

    /// The spelling of `symbol`. The name of a variable includes the `?`.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.index()]
    }

    /// All symbols, in order of first use.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, &str)> {
        self.names.iter().enumerate().map(|(i, name)| (Symbol(i as u32), &**name))
    }
}
