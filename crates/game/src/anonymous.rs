//! [`AnonymousRules`]: a game without its words, so that what is known of the game serves every spelling of it.

use ggp_gdl::rename::{is_free, rename, words};
use ggp_gdl::{Description, print};
use rustc_hash::FxHashMap;

/// The rules of a game with their symbols numbered in the order in which the rules mention them.
///
/// Two rulesheets have the same anonymous rules if they differ only in layout, comments, and the names of roles,
/// relations, functions, constants and variables, as a server scrambles them. The order of the rules and of their
/// conditions counts, and so do integers.
///
/// # Examples
/// ```
/// use ggp_game::AnonymousRules;
/// let rules = |text: &str| AnonymousRules::new(&ggp_gdl::parse(text.as_bytes()).unwrap());
/// let (known, scrambled) = (rules("(role red) (init (heap 7))"), rules("(role tak) (init (mog 7)) ; lum"));
/// assert_eq!(known.text(), scrambled.text());
/// let fact = known.anonymous("(heap 7)");
/// assert_eq!(scrambled.named(&fact), "(mog 7)");
/// ```
#[derive(Clone, Debug)]
pub struct AnonymousRules {
    text: String,
    numbered: FxHashMap<String, String>,
    names: FxHashMap<String, String>,
}

impl AnonymousRules {
    /// The anonymous rules of `description`.
    pub fn new(description: &Description) -> AnonymousRules {
        let text = print(description);
        let mut order: Vec<&str> = Vec::new();
        let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
        for word in words(&text).filter(|word| is_free(word)) {
            numbers.entry(word).or_insert_with(|| {
                order.push(word);
                order.len() - 1
            });
        }
        // Numbers of equal width, so that the order of the texts is the order of the numbers.
        let width = order.len().to_string().len();
        let mut rules = AnonymousRules {
            text: String::new(),
            numbered: FxHashMap::default(),
            names: FxHashMap::default(),
        };
        for (number, word) in order.iter().enumerate() {
            let sign = if word.starts_with('?') { "?" } else { "" };
            let numbered = format!("{sign}w{number:0width$}");
            rules.names.insert(numbered.clone(), (*word).to_owned());
            rules.numbered.insert((*word).to_owned(), numbered);
        }
        rules.text = rules.anonymous(&text);
        rules
    }

    /// The rules as KIF.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// `text`, a fact, a move or a role in the words of the game, with the numbered words.
    pub fn anonymous(&self, text: &str) -> String {
        rename(text, |word| self.numbered.get(word).map(String::as_str))
    }

    /// `text`, a fact, a move or a role with numbered words, in the words of the game.
    pub fn named(&self, text: &str) -> String {
        rename(text, |word| self.names.get(word).map(String::as_str))
    }
}
