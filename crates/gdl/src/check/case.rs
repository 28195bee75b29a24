//! Names that differ only by case are different names, and seldom on purpose.
//!
//! KIF is blind to case; this project keeps the spelling of all but the keywords, as the field's
//! servers do, so the specification's reader and ours may disagree here.

use super::{Checker, Weight};
use crate::ast::Span;
use crate::diagnostic::Diagnostic;
use crate::keyword::{Connective, Keyword};
use crate::lexer::{Lexer, TokenKind};
use rustc_hash::FxHashMap;

struct Spelling<'a> {
    name: &'a str,
    first: Span,
    count: usize,
}

pub(super) fn check(checker: &mut Checker<'_>) {
    let source = &checker.description.source;
    let mut groups: Vec<Vec<Spelling<'_>>> = Vec::new();
    let mut by_folded: FxHashMap<String, usize> = FxHashMap::default();
    let mut by_name: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
    for token in Lexer::new(source).filter(|t| t.kind == TokenKind::Word) {
        let Ok(name) = std::str::from_utf8(&source[token.span.range()]) else { continue };
        // Variables are local to their rule; the safety check knows about them.
        if name.starts_with('?') {
            continue;
        }
        if let Some(&(group, at)) = by_name.get(name) {
            groups[group][at].count += 1;
            continue;
        }
        if Keyword::of(name).is_some() || Connective::of(name).is_some() {
            continue;
        }
        let next = groups.len();
        let group = *by_folded.entry(name.to_lowercase()).or_insert(next);
        if group == next {
            groups.push(Vec::new());
        }
        by_name.insert(name, (group, groups[group].len()));
        groups[group].push(Spelling { name, first: token.span, count: 1 });
    }
    for group in &groups {
        // The rarest spelling is the suspect; of equally rare ones the last.
        let Some(common) = group.iter().rev().max_by_key(|s| s.count) else { continue };
        for odd in group.iter().filter(|s| s.name != common.name) {
            let diagnostic = Diagnostic::error(
                "case-collision",
                odd.first,
                format!("`{}` and `{}` differ only by case and are different names", odd.name, common.name),
            )
            .and_at(common.first, format!("`{}` first stands here", common.name))
            .help(format!("did you mean `{}`?", common.name));
            checker.report(Weight::Breach, diagnostic);
        }
    }
}
