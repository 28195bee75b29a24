//! The dependency graph of a program, and its strata (Apt, Blair & Walker 1988).
//!
//! A stratum is one strongly connected component of the graph. Each stratum comes after all strata on which
//! it depends.

use crate::error::ProgramError;
use crate::rule::{Literal, RelationId, Rule};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

/// The dependency graph of relations. For each body literal of a rule, an edge leads from the relation of the
/// literal to the relation of the head. The weight of the edge is `true` if the literal is negated.
pub type DependencyGraph = DiGraph<RelationId, bool>;

/// A set of mutually dependent relations, with the rules that derive their tuples.
#[derive(Clone, Debug)]
pub struct Stratum {
    /// The relations, in ascending order.
    pub relations: Vec<RelationId>,
    /// The indices of the rules whose head is on one of these relations, in ascending order.
    pub rules: Vec<usize>,
    /// Whether a relation of the stratum depends on itself.
    pub recursive: bool,
}

/// The dependency graph of `rules` over the relations numbered from 0 to `relations` - 1. Equal edges are
/// merged.
pub fn dependency_graph(relations: usize, rules: &[Rule]) -> DependencyGraph {
    let mut graph = DependencyGraph::with_capacity(relations, rules.len());
    for relation in 0..relations {
        graph.add_node(RelationId(relation as u32));
    }
    let mut edges: Vec<(usize, usize, bool)> = Vec::new();
    for rule in rules {
        for literal in &rule.body {
            let (atom, negated) = match literal {
                Literal::Positive(atom) => (atom, false),
                Literal::Negative(atom) => (atom, true),
                Literal::Distinct(..) | Literal::Compose { .. } => continue,
            };
            edges.push((atom.relation.index(), rule.head.relation.index(), negated));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    for (from, to, negated) in edges {
        graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), negated);
    }
    graph
}

/// The strongly connected components of `graph`. Each component comes after those on which it depends, and
/// the relations of a component are in ascending order.
pub fn components(graph: &DependencyGraph) -> Vec<Vec<RelationId>> {
    // This uses Kosaraju's algorithm, because petgraph implements Tarjan's algorithm by recursion. Both
    // return the components in reverse topological order, so that dependent components come first.
    let mut components: Vec<Vec<RelationId>> = kosaraju_scc(graph)
        .into_iter()
        .map(|nodes| {
            let mut relations: Vec<RelationId> = nodes.into_iter().map(|n| graph[n]).collect();
            relations.sort_unstable();
            relations
        })
        .collect();
    components.reverse();
    components
}

/// For each relation, the index in `components` of the component that contains the relation.
fn numbers(components: &[Vec<RelationId>], relations: usize) -> Vec<usize> {
    let mut component_of = vec![0; relations];
    for (number, component) in components.iter().enumerate() {
        for relation in component {
            component_of[relation.index()] = number;
        }
    }
    component_of
}

/// The strongly connected components that contain a negated edge. Their relations depend on themselves
/// through negation.
pub fn negative_cycles(graph: &DependencyGraph) -> Vec<Vec<RelationId>> {
    let components = components(graph);
    let component_of = numbers(&components, graph.node_count());
    let mut bad: Vec<usize> = graph
        .edge_references()
        .filter(|e| *e.weight() && component_of[e.source().index()] == component_of[e.target().index()])
        .map(|e| component_of[e.source().index()])
        .collect();
    bad.sort_unstable();
    bad.dedup();
    bad.into_iter().map(|number| components[number].clone()).collect()
}

/// Groups `rules` over the relations numbered from 0 to `relations` - 1 into strata. Each stratum comes after
/// the strata on which it depends.
///
/// # Errors
/// Fails with [`ProgramError::NotStratified`] when a relation depends on itself through negation.
pub fn stratify(relations: usize, rules: &[Rule]) -> Result<Vec<Stratum>, ProgramError> {
    let graph = dependency_graph(relations, rules);
    if let Some(cycle) = negative_cycles(&graph).into_iter().next() {
        return Err(ProgramError::NotStratified(cycle));
    }
    let components = components(&graph);
    let stratum_of = numbers(&components, relations);
    let mut strata: Vec<Stratum> = components
        .into_iter()
        .map(|relations| Stratum { recursive: relations.len() > 1, relations, rules: Vec::new() })
        .collect();
    for (number, rule) in rules.iter().enumerate() {
        let stratum = stratum_of[rule.head.relation.index()];
        strata[stratum].rules.push(number);
        strata[stratum].recursive |= rule.body.iter().any(
            |literal| matches!(literal, Literal::Positive(a) if stratum_of[a.relation.index()] == stratum),
        );
    }
    Ok(strata)
}
