//! Scrambled matches, as ggp-base, the reference server, offers them: every symbol of a rulesheet is replaced
//! by an artificial word, so that no player can recognise a game by its symbols.
//!
//! Invariants: the mapping is one to one, even if case is ignored. It preserves the lexical classes of GDL:
//! variables, names, integers, keywords. The order of the words and the arity of the terms stay the same.

use ggp_game::rng;
use ggp_gdl::Description;
use ggp_gdl::rename::{is_free, rename};
use rustc_hash::FxHashMap;

/// Words that never replace a symbol, because they are replies of players or stand for the absence of a move.
const RESERVED: [&str; 9] =
    ["random", "nil", "ready", "busy", "done", "aborted", "available", "error", "noop"];

const ONSETS: [&str; 20] = [
    "b", "br", "c", "cl", "d", "dr", "f", "fl", "g", "gr", "l", "m", "n", "p", "pr", "r", "s", "st", "t", "v",
];
const VOWELS: [&str; 6] = ["a", "e", "i", "o", "u", "ea"];
const CODAS: [&str; 8] = ["", "", "n", "r", "l", "s", "nd", "x"];

/// An artificial word of `syllables` syllables. `bits` selects the syllables.
fn word(mut bits: u64, syllables: usize) -> String {
    let mut pick = |from: &[&'static str]| {
        let chosen = from[(bits % from.len() as u64) as usize];
        bits /= from.len() as u64;
        chosen
    };
    (0..syllables).flat_map(|_| [pick(&ONSETS), pick(&VOWELS), pick(&CODAS)]).collect()
}

/// A one-to-one mapping between the symbols of one rulesheet and artificial words.
#[derive(Clone, Debug)]
pub struct Scramble {
    words: FxHashMap<String, String>,
    names: FxHashMap<String, String>,
}

impl Scramble {
    /// A mapping for all symbols of `rules`. It depends on `rules` and `seed` alone.
    pub fn new(rules: &Description, seed: u64) -> Scramble {
        let mut scramble = Scramble { words: FxHashMap::default(), names: FxHashMap::default() };
        let mut drawn = 0;
        for (_, name) in rules.symbols.iter() {
            if !is_free(name) {
                continue;
            }
            let sign = if name.starts_with('?') { "?" } else { "" };
            let word = loop {
                let bits = rng::Stream::new(seed, drawn).key();
                // Words get a third syllable after 500 draws and a fourth after 1000, so the supply suffices.
                let word = word(bits, 2 + (drawn / 500).min(2) as usize);
                drawn += 1;
                let taken = RESERVED.contains(&word.as_str())
                    || !is_free(&word)
                    || scramble.names.contains_key(&word)
                    || scramble.names.contains_key(&format!("?{word}"));
                if !taken {
                    break format!("{sign}{word}");
                }
            };
            scramble.words.insert(name.to_owned(), word.clone());
            scramble.names.insert(word, name.to_owned());
        }
        scramble
    }

    /// Replaces the symbols in `text`, which holds rules or moves, by their scrambled words. Symbols that the
    /// rules do not have stay unchanged.
    pub fn scramble(&self, text: &str) -> String {
        rename(text, |name| self.words.get(name).map(String::as_str))
    }

    /// Replaces the scrambled words in a player's text by the symbols of the rules. Ignores the case of the
    /// words, because some players change it.
    pub fn unscramble(&self, text: &str) -> String {
        rename(text, |word| self.names.get(word.to_ascii_lowercase().as_str()).map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = "(role Red) (role random) (init (heap 7)) (succ 1 2) (Succ -1 x)
        (<= (LEGAL Red (take ?x)) (true (heap ?x)) (not (distinct ?x ?x)) (or (p ?_) (q noop)))";

    fn scramble(seed: u64) -> Scramble {
        Scramble::new(&ggp_gdl::parse(RULES.as_bytes()).unwrap(), seed)
    }

    #[test]
    fn names_change_and_the_language_stays() {
        let text = scramble(1).scramble(RULES);
        for kept in ["(role random)", "(init (", "-1", "LEGAL", "not (distinct ?", "(or (", " 7))"] {
            assert!(text.contains(kept), "{kept}: {text}");
        }
        for name in ["Red", "heap", "take", "?x", "succ", "Succ", "noop"] {
            let tokens = text.split(|c: char| c.is_whitespace() || c == '(' || c == ')');
            assert!(tokens.into_iter().all(|token| token != name), "{name}: {text}");
        }
        assert_eq!(text, scramble(1).scramble(RULES));
        assert_ne!(text, scramble(2).scramble(RULES));
        assert!(ggp_gdl::parse(text.as_bytes()).is_ok());
    }

    #[test]
    fn what_is_scrambled_comes_back_in_any_case() {
        let scramble = scramble(3);
        let mv = "(take (heap Red) 7)";
        assert_eq!(scramble.unscramble(&scramble.scramble(mv)), mv);
        assert_eq!(scramble.unscramble(&scramble.scramble(mv).to_uppercase()), mv);
        assert_eq!(scramble.scramble("(unknown 1)"), "(unknown 1)");
    }

    #[test]
    fn thousands_of_names_get_different_words() {
        let rules: Vec<String> = (0..5000).map(|n| format!("(fact{n} n{n})")).collect();
        let scramble = Scramble::new(&ggp_gdl::parse(rules.join("\n").as_bytes()).unwrap(), 9);
        let mut words: Vec<_> = scramble.words.values().map(|w| w.to_ascii_lowercase()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), 10_000);
    }
}
