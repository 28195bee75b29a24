//! Text in markup. Names come from rulesheets and players, so any character may occur in them.

/// `text` without the characters that mean something in HTML and SVG, for elements and quoted attributes. Control
/// characters become blanks.
///
/// # Examples
/// ```
/// assert_eq!(ggp_game::escaped("<b x=\"1\">&\u{0}'"), "&lt;b x=&quot;1&quot;&gt;&amp; &#39;");
/// ```
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
