//! Explanations in words.

use crate::{Because, Explanation, Verdict};

impl Explanation {
    /// In words, the reason why the atom or condition holds or fails.
    pub fn reason(&self) -> String {
        let holds = self.verdict == Verdict::Holds;
        match self.because {
            Because::State if holds => "in the state".to_owned(),
            Because::State => "not in the state".to_owned(),
            Because::Moves if holds => "the move made".to_owned(),
            Because::Moves => "not the move made".to_owned(),
            Because::Rule(line) if self.parts.is_empty() => format!("line {line}: a fact"),
            Because::Rule(line) => format!("line {line}: a rule"),
            Because::Nearest { line, of: 1 } => format!("line {line}: the one rule that could give it"),
            Because::Nearest { line, of } => format!("line {line}: the nearest of {of} rules"),
            Because::NoRule => "no rule gives it".to_owned(),
            Because::Elsewhere => "explained elsewhere in this tree".to_owned(),
            Because::Omitted => "… (the tree is cut here)".to_owned(),
            Because::Itself if self.verdict == Verdict::Untried => "not looked at".to_owned(),
            Because::Itself => String::new(),
        }
    }

    /// The tree as text, one line for each node.
    pub fn tree(&self) -> String {
        let mut out = String::new();
        self.write("", "", &mut out);
        out
    }

    /// Recursion is safe here, since the depth of an explanation is bounded.
    fn write(&self, lead: &str, below: &str, out: &mut String) {
        let mark = match self.verdict {
            Verdict::Holds => "✓",
            Verdict::Fails => "✗",
            Verdict::Untried => "·",
        };
        out.push_str(format!("{lead}{mark} {}  {}", self.text, self.reason()).trim_end());
        out.push('\n');
        let last = self.parts.len().saturating_sub(1);
        for (index, part) in self.parts.iter().enumerate() {
            let (branch, trunk) = if index == last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            part.write(&format!("{below}{branch}"), &format!("{below}{trunk}"), out);
        }
    }
}
