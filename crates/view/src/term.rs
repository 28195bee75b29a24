//! Parts of canonical texts of ground terms.

use ggp_game::split_term;

/// The term at `path` in the term `text`. `path` holds the index of an argument for each level of nesting.
/// `None` if there is no such term.
pub(crate) fn at<'a>(text: &'a str, path: &[usize]) -> Option<&'a str> {
    let mut text = text;
    for &argument in path {
        text = split_term(text).1.get(argument).copied()?;
    }
    Some(text)
}

/// `text` with `term` in place of the term at `path`.
pub(crate) fn replaced(text: &str, path: &[usize], term: &str) -> String {
    let Some((&place, rest)) = path.split_first() else { return term.to_owned() };
    let (function, arguments) = split_term(text);
    let replace = |(at, argument): (usize, &&str)| {
        if at == place { replaced(argument, rest, term) } else { (*argument).to_owned() }
    };
    let arguments: Vec<String> = arguments.iter().enumerate().map(replace).collect();
    format!("({function} {})", arguments.join(" "))
}

/// A name of the rules in words: `box_count` and `boxCount` become `box count`.
pub(crate) fn words(name: &str) -> String {
    let mut out = String::new();
    let mut previous = ' ';
    for c in name.chars() {
        if matches!(c, '_' | '-') && !matches!(previous, ' ' | '_' | '-') {
            out.push(' ');
        } else if c.is_uppercase() && previous.is_lowercase() {
            out.push(' ');
            out.extend(c.to_lowercase());
        } else {
            out.push(c);
        }
        previous = c;
    }
    out.trim_end().to_owned()
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
    use super::{at, letters_and_number, replaced};

    #[test]
    fn a_path_leads_to_a_term() {
        assert_eq!(at("(cell (f 1 2) b)", &[0, 1]), Some("2"));
        assert_eq!(at("(cell (f 1 2) b)", &[2]), None);
    }

    #[test]
    fn a_term_at_a_path_is_replaced() {
        assert_eq!(replaced("(cell (f 1 2) b)", &[0, 1], "?x"), "(cell (f 1 ?x) b)");
        assert_eq!(replaced("(cell 1 b)", &[1], "?y"), "(cell 1 ?y)");
    }

    #[test]
    fn letters_and_a_number() {
        assert_eq!(letters_and_number("a12"), Some(("a", "12")));
        assert_eq!(letters_and_number("12"), None);
        assert_eq!(letters_and_number("a"), None);
        assert_eq!(letters_and_number("a1b2"), None);
    }
}
