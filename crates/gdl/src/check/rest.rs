//! Checks the forms of a text that can be read although others cannot.
//!
//! An author who is in the middle of a rule sees the findings about all the other rules. Nothing is known of the
//! rule, apart from its words. So the text is checked with rules in its place that let each relation, fluent and
//! move that it names be anything, and be used. Findings about the rules that stand in are dropped.
//!
//! Invariant: a finding here does not come from what is not read: it would be there whatever the unread forms say
//! of the names in them. (They may come to name more.)

use super::{Strictness, atom_of, check};
use crate::ast::{Atom, Description, Span, Term};
use crate::diagnostic::{Diagnostic, ParseErrors};
use crate::domains::MAX_DEPTH;
use crate::keyword::{Connective, Keyword};
use crate::lexer::{Lexer, TokenKind};
use crate::symbol::Symbol;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// A relation that holds of every term. No author writes such a name.
const ANY: &str = "%any";

/// What the checks find in the forms of `kif` that have none of the syntax `errors`.
pub(crate) fn check_rest(kif: &[u8], errors: &ParseErrors, strictness: Strictness) -> Vec<Diagnostic> {
    // Forms with errors that are not told are not known.
    if errors.omitted > 0 {
        return Vec::new();
    }
    let Some(unread) = Unread::of(kif, errors) else { return Vec::new() };
    let text = unread.blanked(kif);
    let Ok(description) = crate::parse(&text) else { return Vec::new() };
    if description.rules.is_empty() {
        return Vec::new();
    }
    let stand_in = unread.stand_in(&description);
    let whole = [&text, &b"\n"[..], stand_in.as_bytes()].concat();
    let Ok(description) = crate::parse(&whole) else { return Vec::new() };
    let mut findings = check(&description, strictness);
    findings.retain_mut(|finding| unread.spares(kif, finding));
    findings
}

/// The unread forms of a text.
struct Unread<'a> {
    /// The bytes of the forms, in the order of the text.
    spans: Vec<Span>,
    /// The words of the forms without the variables.
    words: FxHashSet<&'a str>,
    /// The beginnings of names that the forms may have.
    begun: Vec<&'a str>,
    /// The keywords of the forms, and whether a variable stands where a fluent or a move should.
    keywords: BTreeSet<(Keyword, bool)>,
}

impl<'a> Unread<'a> {
    /// `None` if a form has words that are not UTF-8.
    fn of(kif: &'a [u8], errors: &ParseErrors) -> Option<Unread<'a>> {
        let mut spans = errors.broken.clone();
        spans.sort_unstable();
        let mut unread =
            Unread { spans, words: FxHashSet::default(), begun: Vec::new(), keywords: BTreeSet::new() };
        for span in &unread.spans {
            let words = Lexer::within(kif, *span).filter(|token| token.kind == TokenKind::Word);
            let words = words.map(|token| std::str::from_utf8(&kif[token.span.range()]).ok());
            let words: Vec<&str> = words.collect::<Option<_>>()?;
            for (at, word) in words.iter().enumerate() {
                if let Some(keyword) = Keyword::of(word) {
                    let term = words.get(at + keyword.arity());
                    unread.keywords.insert((keyword, term.is_none_or(|term| term.starts_with('?'))));
                }
            }
            // The last word may be the beginning of a name. A form without a name may be about anything.
            let begun = words.last().filter(|word| **word != Connective::If.name()).copied().unwrap_or("");
            let keywords = Keyword::ALL.into_iter().filter(|keyword| keyword.name().starts_with(begun));
            unread.keywords.extend(keywords.map(|keyword| (keyword, true)));
            unread.begun.push(begun);
            unread.words.extend(words.into_iter().filter(|word| !word.starts_with('?')));
        }
        Some(unread)
    }

    /// The text with blanks in place of the forms.
    fn blanked(&self, kif: &[u8]) -> Vec<u8> {
        let mut text = kif.to_vec();
        for span in &self.spans {
            let bytes = &mut text[span.range()];
            bytes.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        }
        text
    }

    fn names(&self, name: &str) -> bool {
        self.words.contains(name) || self.begun.iter().any(|begun| name.starts_with(begun))
    }

    /// Rules by which everything that the forms name can be anything. `description` is what can be read.
    fn stand_in(&self, description: &Description) -> String {
        // 1. A relation that holds of everything: the domains are open inside terms that are nested too deep.
        let nest = usize::from(MAX_DEPTH) + 1;
        let deep = |inner: &str| format!("(%deep {}{inner}{})", "(%in ".repeat(nest), ")".repeat(nest));
        let mut out = format!("{}\n(<= ({ANY} ?x) {})\n", deep("%x"), deep("?x"));
        // 2. The keywords. A rule of `next` that names its fluent is about no other one.
        for &(keyword, is_open) in &self.keywords {
            match keyword {
                Keyword::True | Keyword::Does => {}
                Keyword::Init | Keyword::Next | Keyword::Base if !is_open => {
                    out.push_str(&rule(&format!("({} %new)", keyword.name()), &[]));
                }
                Keyword::Legal | Keyword::Input if !is_open => {
                    out.push_str(&rule(&format!("({} ?r %new)", keyword.name()), &["?r".to_owned()]));
                }
                _ => {
                    let variables = variables(keyword.arity());
                    out.push_str(&rule(&list(keyword.name(), &variables), &variables));
                }
            }
        }
        // 3. The relations, fluents and moves.
        let names = Names::of(description);
        let named = |names: BTreeSet<(Symbol, usize)>| -> Vec<(String, Vec<String>)> {
            let named = names.into_iter().filter(|&(name, _)| self.names(description.name(name)));
            named
                .map(|(name, arity)| (list(description.name(name), &variables(arity)), variables(arity)))
                .collect()
        };
        for (atom, variables) in named(names.relations) {
            out.push_str(&rule(&atom, &variables));
            out.push_str(&used(&atom));
        }
        let lists = |keyword: Keyword| self.keywords.iter().any(|&(other, _)| other == keyword);
        for (fluent, variables) in named(names.fluents) {
            for keyword in [Keyword::Init, Keyword::Next, Keyword::Base] {
                if keyword != Keyword::Base || lists(keyword) {
                    out.push_str(&rule(&format!("({} {fluent})", keyword.name()), &variables));
                }
            }
            out.push_str(&used(&format!("(true {fluent})")));
        }
        for (mv, mut variables) in named(names.moves) {
            variables.push("?r".to_owned());
            out.push_str(&rule(&format!("(legal ?r {mv})"), &variables));
            if lists(Keyword::Input) {
                out.push_str(&rule(&format!("(input ?r {mv})"), &variables));
            }
            out.push_str(&used(&format!("(does ?r {mv})")));
        }
        out
    }

    /// Whether a finding is about what can be read. Removes what it says of the rest.
    fn spares(&self, kif: &[u8], finding: &mut Diagnostic) -> bool {
        let is_read = |span: Span| {
            span.end <= kif.len()
                && !self.spans.iter().any(|unread| span.start < unread.end && unread.start < span.end)
        };
        // The unread forms may come to make or to use it.
        let is_lack = matches!(finding.code, "never-used" | "never-produced" | "missing-keyword");
        if is_lack && finding.edits.is_empty() {
            return false;
        }
        if !finding.edits.iter().all(|edit| is_read(edit.span)) {
            finding.edits.clear();
        }
        finding.labels.retain(|label| is_read(label.span));
        let word = std::str::from_utf8(kif.get(finding.span.range()).unwrap_or_default()).unwrap_or_default();
        is_read(finding.span) && !self.words.contains(word)
    }
}

/// The names in a description with their numbers of arguments.
#[derive(Default)]
struct Names {
    relations: BTreeSet<(Symbol, usize)>,
    fluents: BTreeSet<(Symbol, usize)>,
    moves: BTreeSet<(Symbol, usize)>,
}

impl Names {
    fn of(description: &Description) -> Names {
        let mut names = Names::default();
        for rule in &description.rules {
            let body = rule.body.iter().filter_map(|literal| Some(atom_of(literal)?.0));
            for atom in std::iter::once(&rule.head).chain(body) {
                names.add(description, atom);
            }
        }
        names
    }

    fn add(&mut self, description: &Description, atom: &Atom) {
        let (place, term) = match (Keyword::of(description.name(atom.relation)), atom.args.as_slice()) {
            (None, args) => {
                self.relations.insert((atom.relation, args.len()));
                return;
            }
            (Some(Keyword::Init | Keyword::Next | Keyword::True | Keyword::Base), &[fluent]) => {
                (&mut self.fluents, fluent)
            }
            (Some(Keyword::Legal | Keyword::Does | Keyword::Input), &[_, mv]) => (&mut self.moves, mv),
            _ => return,
        };
        match description.terms.get(term) {
            Term::Constant(name) => place.insert((*name, 0)),
            Term::Compound(name, args) => place.insert((*name, args.len())),
            Term::Variable(_) => false,
        };
    }
}

/// A rule by which each of `variables` is anything.
fn rule(head: &str, variables: &[String]) -> String {
    let body: String = variables.iter().map(|variable| format!(" ({ANY} {variable})")).collect();
    format!("(<= {head}{body})\n")
}

/// A rule that uses an atom.
fn used(atom: &str) -> String {
    format!("(<= %used {atom})\n")
}

fn variables(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("?x{number}")).collect()
}

fn list(name: &str, args: &[String]) -> String {
    if args.is_empty() { name.to_owned() } else { format!("({name} {})", args.join(" ")) }
}

#[cfg(test)]
mod tests {
    use crate::{Strictness, diagnose};

    const GAME: &str = "\
(role white)
(init (cell 1 b))
(init (cell 2 b))
(index 1)
(index 2)
(<= (legal white (mark ?f))
    (free ?f))
(<= (free ?f)
    (true (cell ?f b)))
(<= (next (cell ?f o))
    (does white (mark ?f)))
(<= (next (cell ?f ?c))
    (true (cell ?f ?c))
    (not (does white (mark ?f))))
(<= terminal
    (not open))
(<= open
    (index ?f)
    (true (cell ?f b)))
(goal white 100)
";

    fn codes(text: &str) -> Vec<&'static str> {
        diagnose(text.as_bytes(), Strictness::Strict).iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn a_form_that_is_being_written_is_all_that_is_wrong() {
        assert!(codes(GAME).is_empty());
        for (number, _) in GAME.match_indices('\n') {
            let broken = codes(&format!("{}\n(<= (next (cell ?f{}", &GAME[..number], &GAME[number..]));
            assert!(broken.iter().all(|code| *code == "unclosed-parenthesis"), "{number}: {broken:?}");
        }
        for (at, _) in GAME.match_indices(')') {
            let broken = codes(&format!("{}{}", &GAME[..at], &GAME[at + 1..]));
            assert_eq!(broken, ["unclosed-parenthesis"], "{}", &GAME[..at]);
        }
    }

    #[test]
    fn other_forms_are_checked_all_the_same() {
        let broken = GAME.replace("(not open))", "(not open)");
        let with = |rule: &str| codes(&format!("{broken}{rule}"));
        assert_eq!(with("(<= terminal (not (index ?x)))"), ["unclosed-parenthesis", "unsafe-variable"]);
        assert_eq!(with("(<= (goal white 0) (true (cell 3 b)))")[1..], ["several-goals", "never-matched"]);
        // The rule of `open` is not read.
        let broken = GAME.replace("(<= open", "(<= open)");
        let found = diagnose(broken.as_bytes(), Strictness::Strict);
        assert_eq!(found.iter().map(|f| f.code).collect::<Vec<_>>(), ["surplus-parenthesis"]);
    }
}
