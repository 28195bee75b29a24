//! The demand transformation: the rewritten program computes only those tuples of a relation that some rule
//! asks for (magic sets, Beeri & Ramakrishnan 1991). A rule asks for the relations of its body literals.
//!
//! Bottom-up evaluation of `reaches(X, Y)` computes all pairs even if a rule asks for one pair only. After
//! the rewriting, such a relation is computed on demand. A body literal that asks for the relation knows the
//! values of some of its columns. The rewriting replaces the relation by copies: one copy for each set of
//! columns that some literal knows. Each rule of a copy gets one more condition: a magic ("wanted") atom over
//! the known columns. Further rules, the magic rules, derive the magic tuples. There is one magic rule for
//! each literal that asks for a copy. Its body consists of the literals that precede the asking literal in
//! the rewritten rule, except the negated ones.
//!
//! Demand can be infinite although the answers are finite. With the rule `p(X) :- p(s(X))`, demand for `p(X)`
//! leads to demand for `p(s(X))`, so the terms in magic tuples grow without bound, whereas bottom-up
//! evaluation of this rule only makes terms smaller. A rewriting whose demand can grow in this way is
//! refused. Only magic tuples can grow, because the tuples of a copy are tuples of the original relation.

use crate::rule::{Argument, Atom, Literal, RelationId, Rule, Signature, Variable};
use crate::strata::{DependencyGraph, negative_cycles};
use petgraph::graph::NodeIndex;
use rustc_hash::FxHashMap;

/// A rewritten program in which some relations are computed on demand.
#[derive(Clone, Debug)]
pub struct Demanded {
    /// The given relations, followed by the copies and their magic relations.
    pub signatures: Vec<Signature>,
    /// The rewritten rules, and the rules that derive magic tuples.
    pub rules: Vec<Rule>,
    /// The magic relations, one for each copy. Each magic tuple is one demand: it holds the values that some
    /// asking rule knows, one for each known column of the copy. Removing the literals on magic relations
    /// from all bodies would change the amount of work but not the answers.
    pub wanted: Vec<RelationId>,
    /// For each relation of `signatures`, the given relation from which it was made. The origin of a given
    /// relation is the relation itself. The origin of a copy and of its magic relation is the relation that
    /// was copied.
    pub origin: Vec<RelationId>,
}

/// The reason why a program cannot be rewritten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// A rule asks for a relation that is computed on demand, but knows the values of none of its columns.
    /// Another attempt can succeed only if `asker` is computed on demand too, or if `wanted` is not computed
    /// on demand.
    Unknown {
        /// The relation of the asking rule's head.
        asker: RelationId,
        /// The relation for which the rule asks.
        wanted: RelationId,
    },
    /// Magic tuples of a relation can lead to ever larger magic tuples, so demand could grow without end.
    Endless {
        /// The given relation whose demand could grow.
        wanted: RelationId,
    },
    /// The rewriting exceeds the maximum number of copies of relations or of literals in magic rules.
    TooMany,
}

/// Identifies a copy: the original relation and, for each of its columns, whether a rule that asks for the
/// copy knows the value in this column.
type Copied = (RelationId, Vec<bool>);

/// The maximum number of copies of relations in one rewriting.
const MAX_COPIES: usize = 200;

/// The maximum number of literals in the bodies of all magic rules together.
const MAX_LITERALS: usize = 2_000_000;

/// Rewrites `rules` so that the relations for which `on_demand` holds are computed on demand: the new rules
/// derive only those of their tuples that some rule asks for. Input relations are not rewritten, since the
/// caller inserts their tuples.
///
/// # Errors
/// Fails in each of three cases: a rule asks for a relation that is computed on demand but knows the values
/// of none of its columns, demand could grow without end, or the rewritten program is too large.
pub fn on_demand(
    signatures: &[Signature],
    rules: &[Rule],
    on_demand: impl Fn(RelationId) -> bool,
) -> Result<Demanded, Refusal> {
    let mut derived = vec![false; signatures.len()];
    for rule in rules {
        derived[rule.head.relation.index()] = true;
    }
    let mut rewriting = Rewriting {
        on_demand: (0..signatures.len()).map(|r| derived[r] && on_demand(RelationId(r as u32))).collect(),
        literals: 0,
        result: Demanded {
            signatures: signatures.to_vec(),
            rules: Vec::new(),
            wanted: Vec::new(),
            origin: (0..signatures.len()).map(|r| RelationId(r as u32)).collect(),
        },
        copies: FxHashMap::default(),
        open: Vec::new(),
        wishes: Vec::new(),
    };
    for rule in rules {
        if !rewriting.is_on_demand(rule.head.relation) {
            rewriting.rewrite(rule, None)?;
        }
    }
    while let Some(copied) = rewriting.open.pop() {
        for rule in rules.iter().filter(|rule| rule.head.relation == copied.0) {
            rewriting.rewrite(rule, Some(&copied))?;
        }
        if rewriting.copies.len() > MAX_COPIES {
            return Err(Refusal::TooMany);
        }
    }
    match rewriting.endless() {
        Some(wanted) => Err(Refusal::Endless { wanted: rewriting.result.origin[wanted.index()] }),
        None => Ok(rewriting.result),
    }
}

struct Rewriting {
    on_demand: Vec<bool>,
    /// The number of body literals in all magic rules so far.
    literals: usize,
    result: Demanded,
    /// The copies made so far: for each original relation and set of known columns, the copy and the magic
    /// relation of this copy.
    copies: FxHashMap<Copied, (RelationId, RelationId)>,
    open: Vec<Copied>,
    /// One entry for each magic rule whose body starts with a magic atom: the relation of this atom, the
    /// magic relation of the rule's head, and a flag. The flag is true if the rule can derive a tuple with a
    /// term that is larger than the terms in the tuple that matches the magic atom.
    wishes: Vec<(RelationId, RelationId, bool)>,
}

impl Rewriting {
    fn is_on_demand(&self, relation: RelationId) -> bool {
        self.on_demand.get(relation.index()).copied().unwrap_or(false)
    }

    /// The copy of a relation for a set of known columns, and the magic relation of this copy. Creates both
    /// if they do not exist yet.
    fn copy(&mut self, copied: Copied) -> (RelationId, RelationId) {
        if let Some(&known) = self.copies.get(&copied) {
            return known;
        }
        let signatures = &mut self.result.signatures;
        let original = signatures[copied.0.index()].clone();
        let shape: String = copied.1.iter().map(|&known| if known { 'b' } else { 'f' }).collect();
        let copy = RelationId(signatures.len() as u32);
        let wanted = RelationId(copy.0 + 1);
        signatures.push(Signature { name: format!("{} {shape}", original.name), ..original.clone() });
        let columns = copied.1.iter().filter(|&&known| known).count();
        signatures.push(Signature {
            name: format!("wanted {} {shape}", original.name),
            arity: columns,
            level: 0,
        });
        self.result.wanted.push(wanted);
        self.result.origin.extend([copied.0, copied.0]);
        self.copies.insert(copied.clone(), (copy, wanted));
        self.open.push(copied);
        (copy, wanted)
    }

    /// Adds the rewritten `rule`, and a magic rule for each body literal whose relation is computed on
    /// demand. If `copied` is given, the rewritten rule derives this copy of the head relation. If it is
    /// `None`, the rewritten rule keeps its head.
    fn rewrite(&mut self, rule: &Rule, copied: Option<&Copied>) -> Result<(), Refusal> {
        let mut bound = vec![false; rule.variables as usize];
        let mut head = rule.head.clone();
        let mut body = Vec::with_capacity(rule.body.len() + 1);
        if let Some(copied) = copied {
            let (copy, wanted) = self.copy(copied.clone());
            head.relation = copy;
            let args = known_arguments(&rule.head.args, &copied.1);
            bind(&args, &mut bound);
            body.push(Literal::Positive(Atom { relation: wanted, args }));
        }
        // 1. Literals on relations that are not on demand come first, since these relations are computed in
        // any case.
        let asks = |literal: &Literal| matches!(literal, Literal::Positive(a) | Literal::Negative(a) if self.is_on_demand(a.relation));
        let (mut questions, mut open): (Vec<&Literal>, Vec<&Literal>) =
            rule.body.iter().partition(|l| asks(l));
        for literal in &open {
            if let Literal::Positive(atom) = literal {
                bind(&atom.args, &mut bound);
            }
        }
        take_bound(&mut open, &mut bound, &mut body);
        // 2. Literals on relations on demand follow, ordered by the number of unknown columns, fewest first.
        // Negated literals with unknown columns come last.
        while !questions.is_empty() {
            let known = |literal: &&Literal| {
                let (atom, negative) = question(literal);
                let known = known_columns(&atom.args, &bound);
                let free = known.iter().filter(|&&k| !k).count();
                (negative && free > 0, free, negative)
            };
            let next = (0..questions.len()).min_by_key(|&q| known(&questions[q])).expect("not empty");
            let literal = questions.remove(next);
            let (atom, negative) = question(literal);
            let columns = known_columns(&atom.args, &bound);
            if !columns.contains(&true) && !columns.is_empty() {
                return Err(Refusal::Unknown { asker: rule.head.relation, wanted: atom.relation });
            }
            let (copy, wanted) = self.copy((atom.relation, columns.clone()));
            // Magic rules leave out negated literals, so that the program stays stratified. They then derive
            // a superset of the demand, which is sound.
            self.literals += body.len();
            if self.literals > MAX_LITERALS {
                return Err(Refusal::TooMany);
            }
            let reasons = body.iter().filter(|l| !matches!(l, Literal::Negative(_))).cloned().collect();
            let wanted_head = Atom { relation: wanted, args: known_arguments(&atom.args, &columns) };
            if let (Some(_), Some(Literal::Positive(wish))) = (copied, body.first()) {
                let larger = makes_larger(&body, &wanted_head, rule.variables);
                self.wishes.push((wish.relation, wanted, larger));
            }
            self.result.rules.push(Rule {
                head: wanted_head,
                body: reasons,
                variables: rule.variables,
                label: rule.label,
            });
            let atom = Atom { relation: copy, args: atom.args.clone() };
            if negative {
                body.push(Literal::Negative(atom));
            } else {
                bind(&atom.args, &mut bound);
                body.push(Literal::Positive(atom));
            }
            take_bound(&mut open, &mut bound, &mut body);
        }
        body.extend(open.into_iter().cloned());
        self.result.rules.push(Rule { head, body, variables: rule.variables, label: rule.label });
        Ok(())
    }

    /// Finds a magic relation whose tuples can lead to larger tuples of the same relation. Returns `None` if
    /// there is no such relation.
    fn endless(&self) -> Option<RelationId> {
        let mut graph = DependencyGraph::new();
        for relation in 0..self.result.signatures.len() as u32 {
            graph.add_node(RelationId(relation));
        }
        for &(from, to, larger) in &self.wishes {
            graph.add_edge(NodeIndex::new(from.index()), NodeIndex::new(to.index()), larger);
        }
        // Demand is finite if no cycle contains an edge for which the flag of `wishes` is true.
        // `negative_cycles` finds such edges, because the flag is the weight of the edge here.
        negative_cycles(&graph).first().map(|circle| circle[0])
    }
}

/// Whether a magic rule can make terms larger. `asked` is the head of the rule, and `body` starts with a
/// magic atom. Returns true if `asked` contains a term that `body` composes from values bound by this magic
/// atom. Values that other positive literals bind do not count, since they come from answers. `variables` is
/// the number of variables in the rule.
fn makes_larger(body: &[Literal], asked: &Atom, variables: u32) -> bool {
    #[derive(Clone, Copy, PartialEq)]
    enum Source {
        Answer,
        Wish,
        Larger,
    }
    // 1. The variables of all positive literals but the first get their values from answers. The remaining
    // variables of the first literal get their values from the magic atom.
    let mut sources: Vec<Option<Source>> = vec![None; variables as usize];
    for (at, literal) in body.iter().enumerate().rev() {
        if let Literal::Positive(atom) = literal {
            let source = if at == 0 { Source::Wish } else { Source::Answer };
            for variable in atom.args.iter().filter_map(|a| a.variable()) {
                sources[variable.index()].get_or_insert(source);
            }
        }
    }
    // 2. Taking a term apart gives no larger term. Composing a term gives a larger term, unless all its
    // arguments come from answers.
    for literal in body {
        let Literal::Compose { term, args, .. } = literal else { continue };
        let source = |a: Argument| a.variable().map_or(Some(Source::Answer), |v| sources[v.index()]);
        let (to, source) = match source(*term) {
            Some(whole) => (args.as_slice(), whole),
            None if args.iter().all(|&a| source(a) == Some(Source::Answer)) => {
                (std::slice::from_ref(term), Source::Answer)
            }
            None => (std::slice::from_ref(term), Source::Larger),
        };
        for variable in to.iter().filter_map(|a| a.variable()) {
            sources[variable.index()].get_or_insert(source);
        }
    }
    let mut asked = asked.args.iter().filter_map(|a| a.variable());
    asked.any(|variable| sources[variable.index()] == Some(Source::Larger))
}

fn question(literal: &Literal) -> (&Atom, bool) {
    match literal {
        Literal::Positive(atom) => (atom, false),
        Literal::Negative(atom) => (atom, true),
        _ => unreachable!("only relations are on demand"),
    }
}

fn is_bound(argument: Argument, bound: &[bool]) -> bool {
    argument.variable().is_none_or(|v| bound[v.index()])
}

fn known_columns(args: &[Argument], bound: &[bool]) -> Vec<bool> {
    args.iter().map(|&a| is_bound(a, bound)).collect()
}

fn known_arguments(args: &[Argument], columns: &[bool]) -> Vec<Argument> {
    args.iter().zip(columns).filter(|(_, known)| **known).map(|(&a, _)| a).collect()
}

fn bind(args: &[Argument], bound: &mut [bool]) {
    for variable in args.iter().filter_map(|a| a.variable()) {
        bound[Variable::index(variable)] = true;
    }
}

/// Moves each literal from `open` to `body` if all its variables are bound. A [`Literal::Compose`] is moved
/// as soon as its term or all its arguments are bound, and then binds all its variables.
fn take_bound(open: &mut Vec<&Literal>, bound: &mut [bool], body: &mut Vec<Literal>) {
    loop {
        let before = open.len();
        open.retain(|literal| {
            let ready = match literal {
                Literal::Compose { term, args, .. } => {
                    is_bound(*term, bound) || args.iter().all(|&a| is_bound(a, bound))
                }
                other => other.arguments().all(|a| is_bound(a, bound)),
            };
            if ready {
                bind(&literal.arguments().collect::<Vec<_>>(), bound);
                body.push((*literal).clone());
            }
            !ready
        });
        if open.len() == before {
            return;
        }
    }
}
