//! Why an atom holds or fails in the state that an author looks at.

use super::desk::{Draft, failed, within_time};
use ggp::{Because, Explainer, Explanation, Fact, Verdict};
use serde_json::{Value, json};

/// Explains `atom` in the state after `moves`. A fact of the state, `(true FACT)`, is explained by the rules that gave
/// it: those of `init`, or those of `next` in the state before with the joint move that was made there.
///
/// # Errors
/// When the text is no atom of the rules, or they cannot be evaluated.
pub(super) fn explain(draft: &Draft, moves: &[Vec<String>], atom: &str) -> Result<Value, String> {
    let (steps, problem) = draft.walk(moves);
    if let Some(problem) = problem {
        return Err(problem);
    }
    let at = steps.len() - 1;
    let now = &steps[at];
    let fluent = atom.trim().strip_prefix("(true ").and_then(|rest| rest.strip_suffix(')'));
    let none: (&[Fact], &[String]) = (&[], &[]);
    let (asked, (facts, joint)) = match (fluent, at.checked_sub(1)) {
        (None, _) => (atom.to_owned(), (&now.moment.facts[..], none.1)),
        (Some(fluent), None) => (format!("(init {fluent})"), none),
        (Some(fluent), Some(before)) => {
            (format!("(next {fluent})"), (&steps[before].moment.facts[..], &now.joint[..]))
        }
    };
    let explanation = within_time(|stop| {
        let mut explainer = Explainer::new(&draft.game);
        explainer.interrupt_on(stop);
        explainer.load(facts, joint).map_err(|error| failed(&error))?;
        explainer.explain(&asked).map_err(|error| error.to_string())
    })?;
    Ok(json!({ "asked": asked, "before": fluent.is_some() && at > 0, "tree": tree(&explanation) }))
}

/// A tree of bounded depth as JSON. The recursion is bounded with it.
fn tree(explanation: &Explanation) -> Value {
    let line = match explanation.because {
        Because::Rule(line) | Because::Nearest { line, .. } => Some(line),
        _ => None,
    };
    json!({
        "text": explanation.text,
        "verdict": match explanation.verdict {
            Verdict::Holds => "holds",
            Verdict::Fails => "fails",
            Verdict::Untried => "untried",
        },
        "line": line,
        "reason": explanation.reason(),
        "parts": explanation.parts.iter().map(tree).collect::<Vec<_>>(),
    })
}
