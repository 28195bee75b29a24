//! Checks whether a description is valid GDL. Each file checks one kind of error.
//!
//! Invariants: findings come in the order of the text and do not depend on hash order. A finding that is a
//! warning at one strictness is a warning at every lower one. The conditions are those of the specification
//! (Love et al. 2008), section 3, unless a file says otherwise.

mod arity;
mod base;
mod case;
mod constant;
mod dead;
mod dependency;
mod duplicate;
mod fold;
mod frames;
mod goals;
mod inference;
mod keywords;
mod missing;
mod negation;
mod operators;
mod pattern;
mod recursion;
mod relations;
mod rest;
mod roles;
mod safety;
mod start;
mod stratification;
mod subsumption;
mod typos;
mod variable;

use crate::ast::{Atom, Description, Literal, Rule, Span};
use crate::diagnostic::{Diagnostic, Severity};
use crate::keyword::Keyword;
use crate::lexer::{Lexer, TokenKind};
use crate::sexpr;
use crate::symbol::Symbol;
pub use frames::{Unkept, fold_unused, unkept};
pub(crate) use rest::check_rest;
pub use typos::suggest;

use dependency::{Dependencies, Grain};
use inference::Inference;
use relations::Relations;
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of findings that [`check`] returns. If there are more, one additional finding at the
/// end gives the number of omitted findings.
pub const MAX_FINDINGS: usize = 1000;

/// How strictly the specification is enforced.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Strictness {
    /// Only rules that cannot be evaluated are errors.
    Lenient,
    /// A breach of the specification is an error, except that breaches of a kind that occurs in published
    /// rulesheets are warnings.
    #[default]
    Default,
    /// Every breach of the specification is an error.
    Strict,
}

/// The seriousness of a finding, expressed as the lowest strictness at which the finding is an error. At a
/// lower strictness the finding is a warning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Weight {
    /// The rules cannot be evaluated: an error at every strictness.
    Fatal,
    /// A breach of the specification that occurs in no published rulesheet: an error at the default
    /// strictness and in strict mode.
    Grave,
    /// A breach of the specification that occurs in published rulesheets: an error in strict mode only.
    Breach,
    /// Probably a mistake but no breach of the specification: never an error.
    Lint,
}

impl Weight {
    fn severity(self, strictness: Strictness) -> Severity {
        let is_error = match self {
            Weight::Fatal => true,
            Weight::Grave => strictness >= Strictness::Default,
            Weight::Breach => strictness >= Strictness::Strict,
            Weight::Lint => false,
        };
        if is_error { Severity::Error } else { Severity::Warning }
    }
}

/// Checks `description` and returns the findings in the order of the text, the consequences of a mistake folded
/// into the finding about it. The description can be evaluated unless a finding is an error.
pub fn check(description: &Description, strictness: Strictness) -> Vec<Diagnostic> {
    let mut findings = fold::fold(description, strictness, raw(description, strictness));
    missing::fold(&description.source, &mut findings);
    fold_unused(&mut findings);
    findings
}

/// The errors of `description`, the consequences of a mistake folded into the error about it.
pub fn errors(description: &Description, strictness: Strictness) -> Vec<Diagnostic> {
    let is_error = |finding: &Diagnostic| finding.severity == Severity::Error;
    if !raw(description, strictness).iter().any(is_error) {
        return Vec::new();
    }
    let mut all = check(description, strictness);
    all.retain(is_error);
    all
}

/// All findings about `description` in the order of the text, those that are consequences of others included.
fn raw(description: &Description, strictness: Strictness) -> Vec<Diagnostic> {
    let relations = Relations::of(description);
    let patterns = Dependencies::of(description, &relations, Grain::Patterns);
    let whole = Dependencies::of(description, &relations, Grain::Relations);
    let inference = Inference::of(description);
    let mut checker = Checker {
        description,
        strictness,
        relations: &relations,
        inference: &inference,
        findings: Vec::new(),
        seen: FxHashSet::default(),
        omitted: 0,
    };
    arity::check(&mut checker);
    keywords::check(&mut checker, &patterns);
    safety::check(&mut checker);
    negation::check(&mut checker);
    stratification::check(&mut checker, &patterns, &whole);
    recursion::check(&mut checker, &patterns, &whole);
    missing::check(&mut checker);
    roles::check(&mut checker);
    constant::check(&mut checker);
    duplicate::check(&mut checker);
    frames::check(&mut checker);
    dead::check(&mut checker);
    base::check(&mut checker);
    relations::check(&mut checker);
    goals::check(&mut checker);
    case::check(&mut checker);
    typos::check(&mut checker);
    typos::check_values(&mut checker);
    variable::check(&mut checker);
    checker.finish()
}

/// The state that the checks share.
struct Checker<'a> {
    description: &'a Description,
    strictness: Strictness,
    relations: &'a Relations,
    inference: &'a Inference,
    findings: Vec<Diagnostic>,
    /// The code, place and message of each finding reported so far. Rules that are alternatives of one source
    /// rule give the same findings, which are reported only once.
    seen: FxHashSet<(&'static str, Span, String)>,
    omitted: usize,
}

impl<'a> Checker<'a> {
    fn report(&mut self, weight: Weight, mut diagnostic: Diagnostic) {
        diagnostic.severity = weight.severity(self.strictness);
        if !self.seen.insert((diagnostic.code, diagnostic.span, diagnostic.message.clone())) {
            return;
        }
        // Drop warnings beyond the limit, so that they never displace an error.
        if self.findings.len() >= MAX_FINDINGS && diagnostic.severity == Severity::Warning {
            self.omitted += 1;
        } else {
            self.findings.push(diagnostic);
        }
    }

    fn finish(mut self) -> Vec<Diagnostic> {
        self.findings.sort_by(|a, b| (a.span, b.severity, a.code).cmp(&(b.span, a.severity, b.code)));
        if self.findings.len() > MAX_FINDINGS {
            self.findings.sort_by_key(|d| std::cmp::Reverse(d.severity));
            self.omitted += self.findings.len() - MAX_FINDINGS;
            self.findings.truncate(MAX_FINDINGS);
            self.findings.sort_by_key(|d| d.span);
        }
        if self.omitted > 0 {
            let message = format!("and {} more findings, not shown", self.omitted);
            self.findings.push(Diagnostic::warning("too-many-findings", Span::default(), message));
        }
        self.findings
    }

    fn rules(&self) -> impl Iterator<Item = (usize, &'a Rule)> + use<'a> {
        self.description.rules.iter().enumerate()
    }

    /// The canonical text of an atom, shortened for a message.
    fn text(&self, atom: &Atom) -> String {
        brief(&self.description.atom_text(atom))
    }

    /// The bytes of the word that names the relation of `atom`.
    fn keyword_span(&self, atom: &Atom) -> Span {
        let mut words = Lexer::within(&self.description.source, atom.span);
        words.find(|t| t.kind == TokenKind::Word).map_or(atom.span, |t| t.span)
    }

    /// The bytes of the first occurrence of the word `name` within `span`; `span` itself if the word does not
    /// occur there.
    fn find_word(&self, span: Span, name: &str) -> Span {
        let source = &self.description.source;
        Lexer::within(source, span)
            .find(|t| t.kind == TokenKind::Word && &source[t.span.range()] == name.as_bytes())
            .map_or(span, |t| t.span)
    }
}

/// The bytes of the source that an argument of `atom` covers. `index` is the index of the argument, from 0.
/// If the argument cannot be found, returns the bytes of the whole atom.
fn argument_span(source: &[u8], atom: &Atom, index: usize) -> Span {
    let find = |tree: &sexpr::SyntaxTree<'_>| {
        let list = tree.roots().next()?;
        let Span { start, end } = tree.span(tree.children(list).nth(index + 1)?);
        Some(Span { start: atom.span.start + start, end: atom.span.start + end })
    };
    sexpr::read(&source[atom.span.range()]).ok().as_ref().and_then(find).unwrap_or(atom.span)
}

/// Shortens a text for a message. A text of more than 60 characters is cut there, and `...` is appended.
fn brief(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// The atom of a literal, and whether it is negated. `None` for a `distinct` literal.
fn atom_of(literal: &Literal) -> Option<(&Atom, bool)> {
    match literal {
        Literal::Positive(atom) => Some((atom, false)),
        Literal::Negative(atom) => Some((atom, true)),
        Literal::Distinct(..) => None,
    }
}

/// A map from symbols to keywords. It contains the symbol of each keyword whose name occurs in the
/// description. In relation position, such a symbol stands for the keyword.
fn keyword_symbols(description: &Description) -> FxHashMap<Symbol, Keyword> {
    Keyword::ALL.into_iter().filter_map(|k| Some((description.symbols.get(k.name())?, k))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game that gives no findings. Tests add rules to it.
    const GAME: &str = "(role white) (init (step 1)) (<= (next (step 2)) (true (step 1))) (legal white go)
        (<= terminal (true (step 2))) (goal white 100)";

    /// The findings about `rules` together with [`GAME`]. Each text holds the severity, the code and the
    /// underlined source.
    pub(super) fn findings_at(strictness: Strictness, rules: &str) -> Vec<String> {
        let kif = format!("{rules}\n{GAME}");
        let description = crate::parse(kif.as_bytes()).unwrap();
        let show = |d: &Diagnostic| format!("{} {} {}", d.severity.name(), d.code, &kif[d.span.range()]);
        raw(&description, strictness).iter().map(show).collect()
    }

    /// The lints that fragments of games give: their rules are not used, or do not fire.
    const LINTS_OF_PARTS: [&str; 9] = [
        "never-read",
        "never-used",
        "never-produced",
        "never-matched",
        "never-joined",
        "never-started",
        "several-goals",
        "not-listed",
        "duplicate-rule",
    ];

    /// The findings at the default strictness without [`LINTS_OF_PARTS`].
    pub(super) fn findings(rules: &str) -> Vec<String> {
        let mut all = findings_at(Strictness::Default, rules);
        all.retain(|f| !LINTS_OF_PARTS.iter().any(|lint| f.contains(lint)));
        all
    }

    #[track_caller]
    pub(super) fn accepts(rules: &str) {
        assert_eq!(findings(rules), Vec::<String>::new());
    }

    #[test]
    fn a_clean_game_is_clean_at_all_levels() {
        for strictness in [Strictness::Lenient, Strictness::Default, Strictness::Strict] {
            assert_eq!(findings_at(strictness, ""), Vec::<String>::new());
        }
    }

    #[test]
    fn findings_are_bounded_and_no_error_is_lost() {
        let rules: Vec<String> = (0..2000).map(|i| format!("(<= (unused{i}) (true (step 1)))")).collect();
        let all = findings_at(Strictness::Default, &format!("{} (init (step ?x))", rules.concat()));
        assert_eq!(all.len(), MAX_FINDINGS + 1);
        assert!(all.contains(&"error unsafe-variable ?x".to_owned()));
    }
}
