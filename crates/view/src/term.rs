//! Decomposition of canonical texts of ground terms.

/// The function of a term, or the constant itself, and the texts of the arguments.
pub(crate) fn split(text: &str) -> (&str, Vec<&str>) {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return (text, Vec::new());
    };
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0usize);
    for (i, byte) in inner.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b' ' if depth == 0 => {
                parts.push(&inner[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    let arguments = parts.split_off(1);
    (parts[0], arguments)
}

/// The term at `path`, which holds the number of an argument for each level; `None` if there is none.
pub(crate) fn at<'a>(text: &'a str, path: &[usize]) -> Option<&'a str> {
    let mut text = text;
    for &argument in path {
        text = split(text).1.get(argument).copied()?;
    }
    Some(text)
}

/// Splits `a12` into `a` and `12`: letters followed by a number. `None` for any other text.
pub(crate) fn letters_and_number(text: &str) -> Option<(&str, &str)> {
    let digits = text.len() - text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (letters, number) = text.split_at(digits);
    let plain = !letters.is_empty() && letters.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
    (plain && !number.is_empty()).then_some((letters, number))
}

#[cfg(test)]
mod tests {
    use super::{at, letters_and_number, split};

    #[test]
    fn terms_come_apart_at_their_own_level() {
        assert_eq!(split("(cell (f 1 2) b (lock))"), ("cell", vec!["(f 1 2)", "b", "(lock)"]));
        assert_eq!(split("noop"), ("noop", vec![]));
        assert_eq!(split("(lock)"), ("lock", vec![]));
        assert_eq!(at("(cell (f 1 2) b)", &[0, 1]), Some("2"));
        assert_eq!(at("(cell (f 1 2) b)", &[2]), None);
    }

    #[test]
    fn letters_and_a_number() {
        assert_eq!(letters_and_number("a12"), Some(("a", "12")));
        assert_eq!(letters_and_number("12"), None);
        assert_eq!(letters_and_number("a"), None);
        assert_eq!(letters_and_number("a1b2"), None);
    }
}
