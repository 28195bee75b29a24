//! The command line of this program, as a person types it again.

use std::path::Path;

/// The command line without the options `without` and their values, quoted for a shell. With `more`, an option and the
/// path that is its value follow.
pub(crate) fn again(without: &[&str], more: Option<(&str, &Path)>) -> String {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    joined(words, without, more)
}

fn joined(mut words: impl Iterator<Item = String>, without: &[&str], more: Option<(&str, &Path)>) -> String {
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        if !without.contains(&name) {
            kept.push(quote(&word));
        } else if name == word {
            words.next();
        }
    }
    if let Some((option, path)) = more {
        kept.push(option.to_owned());
        kept.push(quote(&path.display().to_string()));
    }
    kept.join(" ")
}

/// `word`, quoted for a shell if necessary.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::{joined, quote};
    use std::path::Path;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quote("games/nim.kif"), "games/nim.kif");
        assert_eq!(quote("my game's.kif"), "'my game'\\''s.kif'");
        assert_eq!(quote(""), "''");
    }

    #[test]
    fn an_option_is_replaced_with_its_value() {
        let words = ["ggp", "play", "a b.kif", "--from", "old", "--step=3", "--save", "new"];
        let again =
            |without: &[&str], more| joined(words.iter().map(|word| (*word).to_owned()), without, more);
        assert_eq!(again(&[], None), "ggp play 'a b.kif' --from old --step=3 --save new");
        assert_eq!(
            again(&["--from", "--step"], Some(("--from", Path::new("new")))),
            "ggp play 'a b.kif' --save new --from new"
        );
    }
}
