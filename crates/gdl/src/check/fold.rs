//! Folds the consequences of a mistake into the finding about it.
//!
//! One mistake can give several findings: a misspelled name is a relation that nothing uses, another one that
//! nothing produces, and rules that never fire. A finding is a consequence of another one if it vanishes when
//! the text is mended as the other one advises. So each finding with an edit is tried: the edited text is
//! checked again, and the advice counts only if it brings no new finding.

use super::arity;
use super::{Strictness, raw};
use crate::ast::{Description, Span};
use crate::diagnostic::{Diagnostic, Edit, Severity, apply};
use crate::lexer::{Lexer, TokenKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of bytes of edited text that are checked for one rulesheet, or one text if that is larger.
/// It bounds the time to a few tens of milliseconds.
const BYTES: usize = 1 << 18;
/// The maximum number of edited texts that are checked for one rulesheet.
const TRIALS: usize = 40;
/// The maximum number of consequences that a finding shows.
const SHOWN: usize = 3;

/// What a finding is recognised by in an edited text.
type Key = (&'static str, usize);

/// Folds the findings for which `follows` holds into the one with the index `cause`.
pub(super) fn absorb(findings: &mut Vec<Diagnostic>, cause: usize, follows: impl Fn(&Diagnostic) -> bool) {
    let consequences = findings.iter().filter(|finding| follows(finding)).take(SHOWN);
    let notes: Vec<(Span, String)> =
        consequences.map(|finding| (finding.span, format!("so: {}", finding.message))).collect();
    for (span, note) in notes {
        findings[cause] = findings[cause].clone().and_at(span, note);
    }
    findings.retain(|finding| !follows(finding));
}

/// The findings that vanish if a finding is mended.
struct Trial {
    /// The index of the mended finding.
    finding: usize,
    vanish: FxHashSet<usize>,
    /// Edits that are not in the finding, and the help that describes them.
    found: Option<(Vec<Edit>, String)>,
}

/// The texts that may still be checked.
struct Budget {
    bytes: usize,
    trials: usize,
}

impl Budget {
    fn take(&mut self, bytes: usize) -> bool {
        let is_left = self.trials > 0 && (bytes <= self.bytes || self.bytes == BYTES);
        self.trials = self.trials.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(bytes);
        is_left
    }
}

/// Folds consequences into their causes. `findings` are all findings about `description`.
pub(super) fn fold(
    description: &Description,
    strictness: Strictness,
    findings: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    let is_arity =
        |finding: &Diagnostic| matches!(finding.code, "relation-arity" | "function-arity" | "keyword-arity");
    if findings.len() < 2 && !findings.iter().any(is_arity) {
        return findings;
    }
    let mut budget = Budget { bytes: BYTES, trials: TRIALS };
    let mut trials: Vec<Trial> = Vec::new();
    for number in likely_first(&findings) {
        let finding = &findings[number];
        // A second rule has no consequences.
        if finding.code == "duplicate-rule" {
            continue;
        }
        let ways = if is_arity(finding) {
            arity::repairs(description, finding)
        } else if finding.edits.is_empty() {
            let names = finding.instead.iter();
            names.map(|name| (vec![Edit { span: finding.span, text: name.clone() }], name.clone())).collect()
        } else {
            vec![(finding.edits.clone(), String::new())]
        };
        trials.extend(best_way(description, strictness, &findings, number, ways, &mut budget));
    }
    let folded = settle(&description.source, findings, trials);
    fold_names(&description.source, folded)
}

/// The indices of findings, those first that are likely causes: the budget of a large text is one trial.
fn likely_first(findings: &[Diagnostic]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..findings.len()).collect();
    order.sort_by_key(|&number| std::cmp::Reverse(findings[number].rank()));
    order
}

/// Folds findings that a relation is never used or never produced into the one that it is used with different
/// numbers of arguments.
fn fold_names(source: &[u8], mut findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let name = |span: Span| {
        let mut words = Lexer::within(source, span).filter(|token| token.kind == TokenKind::Word);
        words.next().map(|token| &source[token.span.range()])
    };
    let odd: Vec<Option<&[u8]>> = findings
        .iter()
        .filter(|finding| finding.code == "relation-arity")
        .map(|finding| name(finding.span))
        .collect();
    findings.retain(|finding| {
        let is_half = matches!(finding.code, "never-used" | "never-produced") && finding.edits.is_empty();
        !is_half || !odd.contains(&name(finding.span))
    });
    findings
}

/// Folds findings greedily: first into the finding whose mending makes most others vanish.
fn settle(source: &[u8], mut findings: Vec<Diagnostic>, mut trials: Vec<Trial>) -> Vec<Diagnostic> {
    let mut gone: FxHashSet<usize> = FxHashSet::default();
    loop {
        let left = |trial: &Trial| trial.vanish.iter().filter(|f| !gone.contains(f)).count();
        let open = trials.iter().enumerate().filter(|(_, trial)| !gone.contains(&trial.finding));
        let best =
            open.filter(|(_, trial)| left(trial) > 1 || trial.found.is_some()).max_by_key(|(_, trial)| {
                let finding = &findings[trial.finding];
                (left(trial), finding.rank(), evidence(source, finding), std::cmp::Reverse(trial.finding))
            });
        let Some((at, _)) = best else { break };
        let Trial { finding, vanish, found } = trials.swap_remove(at);
        let mut consequences: Vec<usize> =
            vanish.into_iter().filter(|f| *f != finding && !gone.contains(f)).collect();
        consequences.sort_unstable();
        let mut cause = findings[finding].clone();
        if let Some((edits, help)) = found {
            cause.edits = edits;
            cause.help = Some(help);
        }
        for (number, &consequence) in consequences.iter().enumerate() {
            let Diagnostic { severity, span, message, .. } = &findings[consequence];
            cause.severity = cause.severity.max(*severity);
            if number < SHOWN && span.start < span.end {
                cause = cause.and_at(*span, format!("so: {message}"));
            }
        }
        gone.extend(consequences);
        findings[finding] = cause;
        trials.retain(|trial| trial.finding != finding);
    }
    let mut number = 0;
    findings.retain(|_| {
        number += 1;
        !gone.contains(&(number - 1))
    });
    findings
}

/// The indices of the findings that vanish if `edits` are made. `None` if the edits bring new findings, or if
/// the budget is used up.
fn vanishing(
    description: &Description,
    strictness: Strictness,
    findings: &[Diagnostic],
    edits: &[Edit],
    budget: &mut Budget,
) -> Option<FxHashSet<usize>> {
    if !budget.take(description.source.len()) {
        return None;
    }
    let text = apply(edits, &description.source);
    let mended = crate::parse(&text).ok()?;
    let mut left: FxHashMap<Key, usize> = FxHashMap::default();
    for finding in raw(&mended, strictness) {
        *left.entry((finding.code, finding.span.start)).or_default() += 1;
    }
    let mut vanish = FxHashSet::default();
    for (number, finding) in findings.iter().enumerate() {
        let at = left.get_mut(&(finding.code, moved(finding.span, edits)));
        match at {
            Some(count) if *count > 0 => *count -= 1,
            _ => {
                vanish.insert(number);
            }
        }
    }
    left.values().all(|&count| count == 0).then_some(vanish)
}

/// The offset of the start of `span` after `edits`.
fn moved(span: Span, edits: &[Edit]) -> usize {
    let mut start = span.start;
    for edit in edits.iter().rev() {
        if edit.span.end <= span.start {
            start = start + edit.text.len() - (edit.span.end - edit.span.start);
        } else if edit.span.start <= span.start {
            // The finding may be about the name that the edit replaces: it stays at its start.
            start = start - span.start + edit.span.start;
        }
    }
    start
}

/// The best of several ways to mend the finding with the index `number`: the one after which no finding is new
/// and most findings vanish.
fn best_way(
    description: &Description,
    strictness: Strictness,
    findings: &[Diagnostic],
    number: usize,
    ways: Vec<(Vec<Edit>, String)>,
    budget: &mut Budget,
) -> Option<Trial> {
    let is_advised = !findings[number].edits.is_empty();
    let mut best: Option<Trial> = None;
    let mut equal = 0;
    for (edits, text) in ways {
        let Some(vanish) = vanishing(description, strictness, findings, &edits, budget) else { continue };
        let most = best.as_ref().map_or(0, |best| best.vanish.len());
        if !vanish.contains(&number) || vanish.len() < most {
            continue;
        }
        if vanish.len() > most {
            equal = 0;
            let found = (!is_advised).then(|| (edits, format!("did you mean `{text}`?")));
            best = Some(Trial { finding: number, vanish, found });
        }
        equal += 1;
    }
    // Of several ways that are equally good none is advised.
    if let Some(best) = &mut best
        && equal > 1
    {
        best.found = None;
    }
    best
}

/// How much more often the text has the name that an edit writes than the name that it replaces.
fn evidence(source: &[u8], finding: &Diagnostic) -> isize {
    let [edit] = finding.edits.as_slice() else { return 0 };
    let old = &source[edit.span.range()];
    let count = |name: &[u8]| -> isize {
        Lexer::new(source).filter(|token| &source[token.span.range()] == name).count().cast_signed()
    };
    if old.is_empty() { 0 } else { count(edit.text.as_bytes()) - count(old) }
}

impl Diagnostic {
    /// How likely the finding is the cause if two findings explain each other.
    fn rank(&self) -> u8 {
        match (self.code, self.severity) {
            ("case-collision", _) => 4,
            ("constant-beside-variable" | "relation-arity" | "function-arity" | "unknown-role", _) => 3,
            ("fluent-as-relation" | "never-read" | "single-variable", _) => 2,
            (_, Severity::Error) => 1,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likely_causes_are_tried_first_and_equal_ones_in_the_order_of_the_text() {
        let at = |code| Diagnostic::warning(code, Span::default(), "");
        let error = Diagnostic::error("unsafe-variable", Span::default(), "");
        let findings =
            [at("never-used"), at("never-produced"), error, at("unknown-role"), at("single-variable")];
        assert_eq!(likely_first(&findings), [3, 4, 2, 0, 1]);
    }
}
