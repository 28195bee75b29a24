//! `ggp info --domains`: the values that can stand at each argument.

use crate::console;
use crate::exit::Exit;
use crate::output;
use ggp_gdl::domains::{Domains, Place};
use ggp_gdl::{Description, Keyword, Symbol};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::Write;

/// The largest number of values of an argument that are shown as text.
const SHOWN: usize = 12;

/// The output of `--json`. Scripts rely on the names of the members.
#[derive(Serialize)]
struct Output {
    game: String,
    fluents: Vec<Entry>,
    moves: Vec<Entry>,
    relations: Vec<Entry>,
    /// The lines of the rules that never fire, from 1.
    dead_rules: Vec<usize>,
}

/// The arguments of a relation, a fluent or a move.
#[derive(Serialize)]
struct Entry {
    name: String,
    arguments: Vec<Domain>,
}

/// What can stand at an argument.
#[derive(Default, Serialize)]
struct Domain {
    /// Whether anything can stand there; then the lists are examples.
    open: bool,
    constants: Vec<String>,
    /// The terms, each with the domains of its arguments.
    terms: Vec<Entry>,
}

struct Reader<'a> {
    description: &'a Description,
    domains: Domains,
}

impl Reader<'_> {
    /// What can stand at `place`. The recursion is as deep as the domains, which are at most a few levels.
    fn domain(&self, place: Place) -> Domain {
        let name = |&constant: &Symbol| self.description.name(constant).to_owned();
        Domain {
            open: self.domains.is_open(place),
            constants: self.domains.constants(place).iter().map(name).collect(),
            terms: self.terms(place),
        }
    }

    fn terms(&self, place: Place) -> Vec<Entry> {
        let functions = self.domains.functions(place).iter();
        functions
            .map(|&(function, arity)| Entry {
                name: self.description.name(function).to_owned(),
                arguments: self.arguments(arity, |i| self.domains.inside(place, function, arity, i)),
            })
            .collect()
    }

    fn arguments(&self, arity: usize, place: impl Fn(usize) -> Option<Place>) -> Vec<Domain> {
        let open = || Domain { open: true, ..Domain::default() };
        (0..arity).map(|i| place(i).map_or_else(open, |place| self.domain(place))).collect()
    }

    /// The fluents or moves at `place`: its constants and its terms.
    fn whole(&self, place: Place) -> Vec<Entry> {
        let constants = self.domains.constants(place).iter();
        let plain = constants
            .map(|&name| Entry { name: self.description.name(name).to_owned(), arguments: Vec::new() });
        plain.chain(self.terms(place)).collect()
    }

    /// The relations that are no keywords, and `role` and `goal`, in the order of the text.
    fn relations(&self) -> Vec<Entry> {
        let mut done: BTreeSet<(Symbol, usize)> = BTreeSet::new();
        let mut all = Vec::new();
        for rule in &self.description.rules {
            let (relation, arity) = (rule.head.relation, rule.head.args.len());
            let name = self.description.name(relation);
            let is_shown = matches!(Keyword::of(name), None | Some(Keyword::Role | Keyword::Goal));
            if is_shown && done.insert((relation, arity)) {
                let arguments = self.arguments(arity, |i| self.domains.argument(relation, arity, i));
                all.push(Entry { name: name.to_owned(), arguments });
            }
        }
        all
    }
}

/// Prints the domains of `description`, the rules of the game `name`.
pub(super) fn print(description: &Description, name: &str, json: bool) -> anyhow::Result<Exit> {
    let reader = Reader { description, domains: Domains::new(description) };
    let lines = ggp_gdl::lines::Lines::new(&description.source);
    let live = reader.domains.live_spans(description);
    let dead = description.rules.iter().filter(|rule| !live.contains(&rule.span));
    let mut dead_rules: Vec<usize> = dead.map(|rule| lines.position(rule.span.start).line).collect();
    dead_rules.dedup();
    let shown = Output {
        game: name.to_owned(),
        fluents: reader.whole(reader.domains.fluent()),
        moves: reader.whole(reader.domains.mv()),
        relations: reader.relations(),
        dead_rules,
    };
    let mut out = console::stdout();
    if json {
        output::object(&mut out, output::DOMAINS, &shown)?;
    } else {
        for (title, entries) in
            [("fluents", &shown.fluents), ("moves", &shown.moves), ("relations", &shown.relations)]
        {
            writeln!(out, "{title}")?;
            for entry in entries {
                write_entry(entry, 1, &mut out)?;
            }
        }
        if !shown.dead_rules.is_empty() {
            let lines: Vec<String> = shown.dead_rules.iter().map(usize::to_string).collect();
            writeln!(out, "rules that never fire, by line\n  {}", lines.join(" "))?;
        }
    }
    out.flush()?;
    Ok(Exit::Done)
}

fn write_entry(entry: &Entry, depth: usize, out: &mut impl Write) -> std::io::Result<()> {
    let indent = "  ".repeat(depth);
    writeln!(out, "{indent}{}", console::printable(&entry.name))?;
    for (number, domain) in entry.arguments.iter().enumerate() {
        let mut shown: Vec<String> = domain.constants.iter().take(SHOWN).cloned().collect();
        if domain.constants.len() > SHOWN {
            shown.push(format!("and {} more", domain.constants.len() - SHOWN));
        }
        if domain.open {
            shown.push("(anything)".to_owned());
        }
        writeln!(out, "{indent}  {}: {}", number + 1, console::printable(&shown.join(" ")))?;
        for term in &domain.terms {
            write_entry(term, depth + 2, out)?;
        }
    }
    Ok(())
}
