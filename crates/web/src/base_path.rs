//! The path below which a server has its pages.

use std::fmt;
use std::str::FromStr;

/// A path such as `/ggp`, without a slash at its end; empty for the root. The pages name each other by relative
/// addresses, so nothing but the routes depends on it.
///
/// # Examples
/// ```
/// use ggp_web::BasePath;
/// let base: BasePath = "/games/ggp/".parse().unwrap();
/// assert_eq!(base.to_string(), "/games/ggp");
/// assert!("ggp".parse::<BasePath>().is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BasePath(String);

/// The text is no path for pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BasePathError;

impl fmt::Display for BasePathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "not a path for pages; write `/` and words of letters, digits, `-`, `_` and `.`, such as /ggp or /games/ggp",
        )
    }
}

impl std::error::Error for BasePathError {}

impl BasePath {
    /// Whether the pages are at the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The address of the first page on a server.
    pub(crate) fn page(&self) -> String {
        format!("{}/", self.0)
    }
}

impl fmt::Display for BasePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for BasePath {
    type Err = BasePathError;

    fn from_str(text: &str) -> Result<BasePath, BasePathError> {
        let bare = text.strip_suffix('/').unwrap_or(text);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        // Clients remove words of dots before they send a path.
        let is_word =
            |word: &str| word.chars().all(is_plain) && word.chars().any(|character| character != '.');
        let mut words = bare.split('/');
        let begins = words.next() == Some("");
        let is_path = begins && !text.is_empty() && words.all(is_word);
        if is_path { Ok(BasePath(bare.to_owned())) } else { Err(BasePathError) }
    }
}

#[cfg(test)]
mod tests {
    use super::BasePath;

    #[test]
    fn a_path_has_plain_words() {
        for (text, path) in [("/", ""), ("/ggp", "/ggp"), ("/a.b/c-1_/", "/a.b/c-1_")] {
            assert_eq!(text.parse::<BasePath>().unwrap().to_string(), path);
        }
        for text in
            ["", "ggp", "//", "/a//b", "/..", "/a/./b", "/{id}", "/*", "/a b", "/%2e", "/a?b", "/ä", "/a\r\n"]
        {
            assert!(text.parse::<BasePath>().is_err(), "{text}");
        }
    }
}
