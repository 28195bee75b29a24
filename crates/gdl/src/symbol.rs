//! Names, interned per description: no global table, so that two rulesheets never share state.
//!
//! Invariant: a [`Symbol`] is meaningful only with the [`Symbols`] that made it.

use rustc_hash::FxHashMap;

/// An interned name: a constant, a function, a relation or a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(u32);

impl Symbol {
    /// The position in the table that made it, from 0.
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
    /// The symbol of `name`, made if it is new.
    ///
    /// # Panics
    /// When more than 2³² names are interned.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.by_name.get(name) {
            return symbol;
        }
        let symbol = Symbol(u32::try_from(self.names.len()).expect("fewer than 2^32 names"));
        self.names.push(name.into());
        self.by_name.insert(name.into(), symbol);
        symbol
    }

    /// The symbol of `name`, if it has one. Exact spelling.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.by_name.get(name).copied()
    }

    /// The spelling of `symbol`; a variable's includes its `?`.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.index()]
    }

    /// All symbols, in order of first use.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, &str)> {
        self.names.iter().enumerate().map(|(i, name)| (Symbol(i as u32), &**name))
    }
}
