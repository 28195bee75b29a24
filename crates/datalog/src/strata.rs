//! The dependency graph of a program, and its strata (Apt, Blair & Walker 1988).
//!
//! A stratum is one strongly connected component of the graph; strata come in an order in which
//! everything a stratum depends on comes before it.

use crate::error::ProgramError;
use crate::rule::{Literal, RelationId, Rule};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

/// The dependency graph: an edge from each body relation to the head's, `true` if negated.
pub type DependencyGraph = DiGraph<RelationId, bool>;

/// Relations that depend on one another, and their rules.
#[derive(Clone, Debug)]
pub struct Stratum {
    /// The relations, ascending.
    pub relations: Vec<RelationId>,
    /// The numbers of the rules whose heads they are, ascending.
    pub rules: Vec<usize>,
    /// Whether any relation depends on itself.
    pub recursive: bool,
}

/// The dependency graph of `rules` over `relations` relations. Parallel edges are merged.
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

/// The components of `graph`, dependencies first, each with its relations ascending.
pub fn components(graph: &DependencyGraph) -> Vec<Vec<RelationId>> {
    // Kosaraju's algorithm, since petgraph's version of Tarjan's recurses. Both give components in
    // reverse topological order of the edges' direction.
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

/// The number of the component of each of so many relations.
fn numbers(components: &[Vec<RelationId>], relations: usize) -> Vec<usize> {
    let mut component_of = vec![0; relations];
    for (number, component) in components.iter().enumerate() {
        for relation in component {
            component_of[relation.index()] = number;
        }
    }
    component_of
}

/// Relations that depend on themselves through negation, grouped by component.
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

/// The strata of `rules`.
///
/// # Errors
/// [`ProgramError::NotStratified`] when a relation depends on itself through negation.
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
