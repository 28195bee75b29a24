//! Recursion among ground facts. Each strongly connected component of facts becomes a least fixpoint; facts
//! of a recursive relation that do not depend on themselves become plain gates.
//!
//! Components whose equations are equal up to the names of their unknowns have equal fixpoints, so they become one.
//! Rules often give many of them: an argument that only few instances of a recursive rule read multiplies all.

use crate::builder::NetBuilder;
use crate::node::Signal;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// One way to derive a fact of a recursive stratum: the fact `head` holds if all of `facts` and the signal
/// `rest` hold. `head` and `facts` are indices of facts of the stratum.
#[derive(Clone, Debug)]
pub(super) struct Alternative {
    pub(super) head: u32,
    pub(super) facts: Box<[u32]>,
    pub(super) rest: Signal,
}

/// The fixpoints of the components that have been solved, by their equations.
#[derive(Default)]
pub(super) struct Fixpoints(FxHashMap<Equations, Box<[Signal]>>);

/// The equations of a component, with the unknowns in an order that does not depend on their names wherever that
/// order is found.
#[derive(PartialEq, Eq, Hash)]
struct Equations(Box<[Term]>);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Term {
    /// The start of the equation of the next unknown.
    Unknown,
    /// The start of a product.
    Product,
    Member(u32),
    Input(Signal),
}

/// The order of the unknowns is refined at most this often. Each round tells unknowns apart by the unknowns that
/// they read, one step further away.
const ROUNDS: usize = 8;

/// A recursive stratum.
struct Stratum<'a> {
    alternatives: &'a [Alternative],
    /// For each fact, the indices of the alternatives that derive it.
    of_head: Vec<Vec<u32>>,
    /// For each fact, its signal. Facts of components that are not solved yet have none.
    signals: Vec<Signal>,
}

/// The signals of the `count` facts of a recursive stratum. `alternatives` are all ways to derive these
/// facts.
pub(super) fn solve(
    builder: &mut NetBuilder,
    count: usize,
    alternatives: &[Alternative],
    fixpoints: &mut Fixpoints,
) -> Vec<Signal> {
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(count, alternatives.len());
    for _ in 0..count {
        graph.add_node(());
    }
    let mut of_head: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (number, alternative) in alternatives.iter().enumerate() {
        of_head[alternative.head as usize].push(number as u32);
        for &fact in &alternative.facts {
            graph.add_edge(NodeIndex::new(alternative.head as usize), NodeIndex::new(fact as usize), ());
        }
    }
    let mut stratum = Stratum { alternatives, of_head, signals: vec![Signal::FALSE; count] };
    // The position of each fact in its component while that is solved.
    let mut place = vec![OUTSIDE; count];
    // Edges lead from heads to the facts they need, so components come in dependency order.
    for component in kosaraju_scc(&graph) {
        let mut members: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
        members.sort_unstable();
        if let [only] = members[..] {
            stratum.signals[only] = stratum.body(builder, only);
            continue;
        }
        // 1. A component with the same equations has the same fixpoint.
        for (at, &member) in (0..).zip(&members) {
            place[member] = at;
        }
        let order = stratum.order(&members, &place);
        for (at, &member) in (0..).zip(&order) {
            place[member] = at;
        }
        let equations = stratum.equations(&order, &place);
        for &member in &members {
            place[member] = OUTSIDE;
        }
        if let Some(known) = fixpoints.0.get(&equations) {
            for (&member, &signal) in order.iter().zip(known) {
                stratum.signals[member] = signal;
            }
            continue;
        }
        // 2. Otherwise it is a new one.
        let (number, unknowns) = builder.open_fixpoint(members.len());
        for (&member, unknown) in members.iter().zip(unknowns) {
            stratum.signals[member] = unknown;
        }
        let bodies = members.iter().map(|&member| stratum.body(builder, member)).collect();
        let solved = builder.close_fixpoint(number, bodies);
        for (&member, signal) in members.iter().zip(solved) {
            stratum.signals[member] = signal;
        }
        fixpoints.0.insert(equations, order.iter().map(|&member| stratum.signals[member]).collect());
    }
    stratum.signals
}

/// The place of a fact that is not in the component.
const OUTSIDE: u32 = u32::MAX;

impl Stratum<'_> {
    /// The alternatives that derive the fact `head`. One that needs its own head derives nothing new.
    fn options(&self, head: usize) -> impl Iterator<Item = &Alternative> {
        let all = self.of_head[head].iter().map(|&number| &self.alternatives[number as usize]);
        all.filter(move |one| !one.facts.contains(&(head as u32)))
    }

    fn body(&self, builder: &mut NetBuilder, head: usize) -> Signal {
        let product = |one: &Alternative| {
            builder.and(one.facts.iter().map(|&fact| self.signals[fact as usize]).chain([one.rest]))
        };
        let options: Vec<Signal> = self.options(head).map(product).collect();
        builder.or(options)
    }

    /// `members`, the facts of a component, in an order that depends on their equations alone, as far as these tell
    /// them apart. `place` gives the positions of the facts in `members`.
    fn order(&self, members: &[usize], place: &[u32]) -> Vec<usize> {
        let mut colours = vec![0u64; members.len()];
        let mut kinds = 1;
        for _ in 0..ROUNDS {
            let colour = |&member: &usize| {
                // A sum does not depend on the order of the products.
                let products = self.options(member).map(|one| {
                    let inside = |&fact: &u32| match place[fact as usize] {
                        OUTSIDE => hash((0, self.signals[fact as usize])),
                        at => hash((1, colours[at as usize])),
                    };
                    let facts = one.facts.iter().map(inside).fold(0, u64::wrapping_add);
                    hash((facts, one.rest))
                });
                products.fold(0, u64::wrapping_add)
            };
            colours = members.iter().map(colour).collect();
            let mut distinct = colours.clone();
            distinct.sort_unstable();
            distinct.dedup();
            if distinct.len() == members.len() || distinct.len() == kinds {
                break;
            }
            kinds = distinct.len();
        }
        let mut order: Vec<(u64, usize)> = colours.into_iter().zip(members.iter().copied()).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, member)| member).collect()
    }

    /// The equations of the facts `order`, whose positions are in `place`.
    fn equations(&self, order: &[usize], place: &[u32]) -> Equations {
        let mut equations = Vec::new();
        let mut products: Vec<Vec<Term>> = Vec::new();
        for &member in order {
            equations.push(Term::Unknown);
            products.clear();
            products.extend(self.options(member).map(|one| {
                let term = |&fact: &u32| match place[fact as usize] {
                    OUTSIDE => Term::Input(self.signals[fact as usize]),
                    at => Term::Member(at),
                };
                let mut product: Vec<Term> =
                    one.facts.iter().map(term).chain([Term::Input(one.rest)]).collect();
                product.sort_unstable();
                product.dedup();
                product
            }));
            products.sort_unstable();
            products.dedup();
            for product in &products {
                equations.push(Term::Product);
                equations.extend(product);
            }
        }
        Equations(equations.into())
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use crate::{GroundLimits, PropNet};
    use ggp_game::{Game, StopToken};
    use std::sync::Arc;

    /// The number of components of a game in which light spreads around a ring, for three observers who see the
    /// lamps that `opaque` does not hide from them.
    fn components(opaque: &str) -> usize {
        let rules = format!(
            "(role r) (after 0 1) (after 1 2) (after 2 3) (after 3 0) (observer a) (observer b) (observer c)
            (<= (point ?p) (after ?p ?q)) (<= (legal r (put ?p)) (point ?p)) (legal r wait)
            (<= (next (lamp ?p)) (does r (put ?p)))
            (<= (light ?o ?p) (observer ?o) (true (lamp ?p)))
            (<= (light ?o ?q) (light ?o ?p) (after ?p ?q) (not (opaque ?o ?q)))
            (<= (light ?o ?p) (light ?o ?q) (after ?p ?q) (not (true (lamp ?q))))
            (<= terminal (light a 0)) (<= terminal (light b 1)) (<= terminal (light c 3)) (goal r 0) {opaque}"
        );
        let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
        PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).unwrap().components.len()
    }

    #[test]
    fn equal_components_become_one() {
        assert_eq!(components("(opaque d 0)"), 1);
        assert_eq!(components("(opaque b 0) (opaque c 0)"), 2);
        assert_eq!(components("(opaque b 0) (opaque c 1)"), 3);
    }
}
