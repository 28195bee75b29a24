//! Normalises rule bodies to conjunctions of literals by distributing `or`, `and` and `not`.
//!
//! A body is converted to disjunctive normal form, with negation pushed inwards by De Morgan's laws, and each
//! alternative becomes a rule. Invariant: one source rule becomes at most [`MAX_ALTERNATIVES`] rules, and the
//! size of all rules together stays linear in the length of the text ([`Budget`]).

use crate::ast::{Atom, Literal, Rule, Span, TermId};
use crate::atoms::{Place, Reader};
use crate::diagnostic::Diagnostic;
use crate::equality::Unifier;
use crate::foreign;
use crate::keyword::Connective;
use crate::sexpr::NodeId;

/// The maximum number of rules that one source rule may become.
pub const MAX_ALTERNATIVES: usize = 4096;

/// The work that normalising the rest of a text may still take. Each distribution step takes one unit. So do, in
/// a resulting rule, the head, each literal, each of their arguments, and each part of a term that an equality
/// changes. A text without `or` takes at most one unit for each byte, so it never exhausts the budget.
#[derive(Debug, Default)]
pub(crate) struct Budget(usize);

impl Budget {
    pub(crate) fn for_text(bytes: usize) -> Self {
        Budget(2_000_000 + bytes)
    }
}

/// A leaf in the tree of conditions: a literal or an equality.
#[derive(Clone, Debug)]
enum Leaf {
    Literal(Literal),
    /// `(not (distinct s t))`: the two terms are equal.
    Equal(TermId, TermId),
}

/// A node of the tree of conditions, which is in negation normal form and stored in preorder. `Leaf` holds an
/// index in the list of leaves. A conjunction (`All`) or a disjunction (`Any`) holds the index of the first
/// node after its subtree.
#[derive(Clone, Copy, Debug)]
enum Step {
    Leaf(usize),
    All(usize),
    Any(usize),
}

/// The body of one rule during normalisation.
#[derive(Default, Debug)]
pub(crate) struct Normaliser {
    steps: Vec<Step>,
    leaves: Vec<Leaf>,
    failed: bool,
}

impl Normaliser {
    /// Whether all conditions added so far are well-formed.
    pub(crate) fn is_sound(&self) -> bool {
        !self.failed
    }

    /// Adds a condition to the body. Appends syntax errors to those of the reader.
    pub(crate) fn add_condition(&mut self, reader: &mut Reader<'_>, condition: NodeId) {
        enum Work {
            Visit { node: NodeId, negated: bool },
            Close { step: usize },
        }
        let tree = reader.tree;
        let mut work = vec![Work::Visit { node: condition, negated: false }];
        while let Some(item) = work.pop() {
            let (node, negated) = match item {
                Work::Visit { node, negated } => (node, negated),
                Work::Close { step } => {
                    let end = self.steps.len();
                    if let Step::All(stop) | Step::Any(stop) = &mut self.steps[step] {
                        *stop = end;
                    }
                    continue;
                }
            };
            let connective = tree.head(node).filter(|_| tree.is_list(node)).and_then(Connective::of);
            let count = tree.children(node).count().saturating_sub(1);
            match connective {
                Some(Connective::Not) if count == 1 => {
                    let inner = tree.children(node).nth(1).unwrap_or(node);
                    work.push(Work::Visit { node: inner, negated: !negated });
                }
                Some(connective @ (Connective::And | Connective::Or)) if count > 0 => {
                    let step = self.steps.len();
                    let all = (connective == Connective::And) != negated;
                    self.steps.push(if all { Step::All(0) } else { Step::Any(0) });
                    work.push(Work::Close { step });
                    let first = work.len();
                    work.extend(tree.children(node).skip(1).map(|node| Work::Visit { node, negated }));
                    work[first..].reverse();
                }
                Some(Connective::Distinct) if count == 2 => {
                    let mut terms = tree.children(node).skip(1).map(|term| reader.term(term));
                    if let (Some(Some(left)), Some(Some(right))) = (terms.next(), terms.next()) {
                        self.add_leaf(if negated {
                            Leaf::Equal(left, right)
                        } else {
                            Leaf::Literal(Literal::Distinct(left, right, tree.span(node)))
                        });
                    } else {
                        self.failed = true;
                    }
                }
                Some(connective) => {
                    self.failed = true;
                    reader.errors.push(wrong_count(connective, count, tree.span(node)));
                }
                None => {
                    let atom = if let Some(error) = foreign::infix(tree, node, negated) {
                        reader.errors.push(error);
                        None
                    } else {
                        reader.atom(node, Place::Body)
                    };
                    match atom {
                        Some(atom) if negated => self.add_leaf(Leaf::Literal(Literal::Negative(atom))),
                        Some(atom) => self.add_leaf(Leaf::Literal(Literal::Positive(atom))),
                        None => self.failed = true,
                    }
                }
            }
        }
    }

    fn add_leaf(&mut self, leaf: Leaf) {
        self.steps.push(Step::Leaf(self.leaves.len()));
        self.leaves.push(leaf);
    }

    fn end(&self, step: usize) -> usize {
        match self.steps[step] {
            Step::Leaf(_) => step + 1,
            Step::All(end) | Step::Any(end) => end,
        }
    }

    fn members(&self, start: usize, end: usize) -> impl Iterator<Item = usize> + '_ {
        let mut at = start;
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let member = at;
                at = self.end(member);
                member
            })
        })
    }

    /// Adds one rule for each alternative of the body to the reader's description. If there are too many
    /// alternatives, adds no rule and reports an error.
    pub(crate) fn expand(&self, reader: &mut Reader<'_>, head: &Atom, span: Span, budget: &mut Budget) {
        /// A cell of a linked list of the steps that are still to be expanded. `rest` is the index of the
        /// next cell.
        struct Agenda {
            step: usize,
            rest: Option<usize>,
        }
        struct Branch {
            agenda: Option<usize>,
            chosen: usize,
            cells: usize,
        }
        let Budget(left) = budget;
        let first_rule = reader.description.rules.len();
        let mut alternatives = 0;
        let mut cells: Vec<Agenda> = Vec::new();
        let mut chosen: Vec<usize> = Vec::new();
        let prepend = |cells: &mut Vec<Agenda>, steps: &[usize], rest: Option<usize>| {
            steps.iter().rev().fold(rest, |rest, &step| {
                cells.push(Agenda { step, rest });
                Some(cells.len() - 1)
            })
        };
        let body: Vec<usize> = self.members(0, self.steps.len()).collect();
        let agenda = prepend(&mut cells, &body, None);
        let mut branches = vec![Branch { agenda, chosen: 0, cells: cells.len() }];
        while let Some(branch) = branches.pop() {
            cells.truncate(branch.cells);
            chosen.truncate(branch.chosen);
            let mut agenda = branch.agenda;
            while let Some(cell) = agenda {
                let Agenda { step, rest } = cells[cell];
                match self.steps[step] {
                    Step::Leaf(leaf) => {
                        chosen.push(leaf);
                        agenda = rest;
                    }
                    Step::All(end) => {
                        let members: Vec<usize> = self.members(step + 1, end).collect();
                        agenda = prepend(&mut cells, &members, rest);
                    }
                    Step::Any(end) => {
                        let members: Vec<usize> = self.members(step + 1, end).collect();
                        for &member in members.iter().rev() {
                            let agenda = prepend(&mut cells, &[member], rest);
                            branches.push(Branch { agenda, chosen: chosen.len(), cells: cells.len() });
                        }
                        let Some(first) = branches.pop() else { break };
                        agenda = first.agenda;
                    }
                }
                *left = left.saturating_sub(1);
                if *left == 0 {
                    break;
                }
            }
            alternatives += 1;
            *left = left.saturating_sub(self.size(head, &chosen));
            if *left == 0 || alternatives > MAX_ALTERNATIVES {
                reader.description.rules.truncate(first_rule);
                reader.errors.push(too_many_alternatives(span, *left == 0));
                return;
            }
            *left = left.saturating_sub(self.add_rule(reader, head, &chosen, span));
        }
    }

    /// The number of the literals and arguments of the alternative that consists of the leaves with the indices
    /// `chosen`.
    fn size(&self, head: &Atom, chosen: &[usize]) -> usize {
        let of_atom = |atom: &Atom| 1 + atom.args.len();
        let of_leaf = |&leaf: &usize| match &self.leaves[leaf] {
            Leaf::Literal(literal) => literal.atom().map_or(3, of_atom),
            Leaf::Equal(..) => 3,
        };
        of_atom(head) + chosen.iter().map(of_leaf).sum::<usize>()
    }

    /// Adds the rule of one alternative, which consists of the leaves with the indices `chosen`. Adds no rule
    /// if the equalities among these leaves have no unifier. Returns the number of parts of terms that the
    /// equalities changed.
    fn add_rule(&self, reader: &mut Reader<'_>, head: &Atom, chosen: &[usize], span: Span) -> usize {
        let leaves = || chosen.iter().map(|&leaf| &self.leaves[leaf]);
        let body = leaves().filter_map(|leaf| match leaf {
            Leaf::Literal(literal) => Some(literal.clone()),
            Leaf::Equal(..) => None,
        });
        let mut rule = Rule { head: head.clone(), body: body.collect(), span };
        let equations: Vec<_> = leaves()
            .filter_map(|leaf| match leaf {
                Leaf::Equal(left, right) => Some((*left, *right)),
                Leaf::Literal(_) => None,
            })
            .collect();
        let mut changed = 0;
        if !equations.is_empty() {
            let mut unifier = Unifier::new(&mut reader.description.terms);
            let applied = unifier.apply(&equations, &mut rule);
            changed = unifier.changed();
            match applied {
                Ok(true) => {}
                Ok(false) => return changed,
                Err(message) => {
                    reader.errors.push(
                        Diagnostic::error("term-too-large", span, message)
                            .help("write the term that is meant in place of `(not (distinct ...))`"),
                    );
                    return changed;
                }
            }
        }
        reader.description.rules.push(rule);
        changed
    }
}

fn wrong_count(connective: Connective, count: usize, span: Span) -> Diagnostic {
    let name = connective.name();
    if connective == Connective::If {
        return Diagnostic::error("nested-rule", span, "a rule stands inside a rule")
            .help("close the outer rule before this one; `<=` starts a rule of its own");
    }
    let wanted = match connective {
        Connective::Not => "exactly one condition",
        Connective::Distinct => "exactly two terms",
        _ => "at least one condition",
    };
    Diagnostic::error("connective-arity", span, format!("`{name}` takes {wanted}, not {count}"))
        .help(format!("`{name}` is written `{}`", connective.syntax()))
}

fn too_many_alternatives(span: Span, whole_text: bool) -> Diagnostic {
    let message = if whole_text {
        "the rules up to here have too many alternatives in all".to_owned()
    } else {
        format!("the `or`s of this rule make more than {MAX_ALTERNATIVES} alternatives")
    };
    Diagnostic::error("too-many-alternatives", span, message)
        .help("give the `or` conditions a relation of their own, with one rule for each case")
}
