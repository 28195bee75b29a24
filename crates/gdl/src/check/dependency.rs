//! The dependency graph of rules, used to check stratification, recursion and the use of keywords.
//!
//! The graph has two kinds of nodes, rules and keys. A key stands for all conditions with one pattern: the
//! same relation and the same constant arguments. Edges lead from a rule to the keys of its conditions, and
//! from a key to the rules whose heads may match the pattern. Since a key stands for a pattern and not for a
//! whole relation, the rule `(goal ?r 0) <= (not (goal ?r 100))` is in no cycle.
//!
//! Invariants: no rule derives `true` or `does`, since the state and the moves are given. Therefore no path
//! leads from `true` to `next`. The test whether a head may match a pattern over-approximates: the graph may
//! have too many edges, but never too few.

use super::atom_of;
use super::pattern::{PAIRS, Pattern, PatternIndex};
use super::relations::Relations;
use crate::ast::{Atom, Description};
use petgraph::Direction;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// How finely the nodes of the graph distinguish the conditions on one relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grain {
    /// Not at all: one node stands for all conditions on a relation, as in the specification.
    Relations,
    /// Conditions on one relation are distinguished by their constant arguments. Conditions on a keyword are
    /// also distinguished by the functions in their arguments. The evaluator distinguishes fluents and moves by
    /// their function and its constant and ground arguments, but not by the functions of other terms inside: it
    /// may refuse rules that have no cycle here.
    Patterns,
}

/// The dependency graph of a description.
pub(super) struct Dependencies {
    graph: DiGraph<(), (), u32>,
    /// For each node, by its index: the identifier of the strongly connected component that contains the
    /// node.
    component: Vec<usize>,
    /// For each rule and each literal of its body, the key of the literal: the graph node that stands for its
    /// pattern. `None` for `distinct`.
    keys: Vec<Vec<Option<NodeIndex>>>,
    /// For each key (a graph node that stands for a pattern): the index of its relation in
    /// [`Relations::all`]. Entry 0 is for the first key. In the graph, the keys come after the nodes of the
    /// rules.
    key_relations: Vec<usize>,
}

impl Dependencies {
    pub(super) fn of(description: &Description, relations: &Relations, grain: Grain) -> Dependencies {
        let rules = &description.rules;
        let mut graph = DiGraph::with_capacity(rules.len(), rules.len() * 2);
        for _ in rules {
            graph.add_node(());
        }
        let mut keys: Vec<Vec<Option<NodeIndex>>> = rules.iter().map(|r| vec![None; r.body.len()]).collect();
        let mut key_relations = Vec::new();
        let mut pairs = PAIRS;
        for (number, relation) in relations.all.iter().enumerate() {
            // A fact has no dependencies, so no path continues through a fact.
            let heads: Vec<usize> =
                relation.heads.iter().copied().filter(|&rule| !rules[rule].body.is_empty()).collect();
            let pattern_of = |atom: &Atom| match relation.keyword {
                Some(_) => Pattern::of(description, atom),
                None => Pattern::of_constants(description, atom),
            };
            let patterns = heads.iter().map(|&rule| pattern_of(&rules[rule].head)).collect();
            let index = PatternIndex::new(&description.terms, patterns);
            let mut by_pattern: FxHashMap<Pattern, NodeIndex> = FxHashMap::default();
            let mut hub: Option<NodeIndex> = None;
            for &(rule, literal) in &relation.uses {
                let Some((atom, _)) = atom_of(&rules[rule].body[literal]) else { continue };
                let pattern = pattern_of(atom);
                let mut new_key = |graph: &mut DiGraph<(), (), u32>| {
                    key_relations.push(number);
                    graph.add_node(())
                };
                let key = if let Some(&key) = by_pattern.get(&pattern) {
                    key
                } else if grain == Grain::Patterns && index.effort(&description.terms, &pattern) <= pairs {
                    pairs -= index.effort(&description.terms, &pattern);
                    let key = new_key(&mut graph);
                    for head in index.matches(&description.terms, &pattern) {
                        graph.add_edge(key, NodeIndex::new(heads[head]), ());
                    }
                    by_pattern.insert(pattern, key);
                    key
                } else {
                    *hub.get_or_insert_with(|| {
                        let key = new_key(&mut graph);
                        for &head in &heads {
                            graph.add_edge(key, NodeIndex::new(head), ());
                        }
                        key
                    })
                };
                graph.add_edge(NodeIndex::new(rule), key, ());
                keys[rule][literal] = Some(key);
            }
        }
        // Kosaraju's algorithm, because Tarjan's algorithm in petgraph recurses.
        let mut component = vec![0; graph.node_count()];
        for (number, members) in kosaraju_scc(&graph).into_iter().enumerate() {
            for node in members {
                component[node.index()] = number;
            }
        }
        Dependencies { graph, component, keys, key_relations }
    }

    /// Whether the literal with index `literal` in the body of the rule with index `rule` may depend on that
    /// rule.
    pub(super) fn in_cycle(&self, rule: usize, literal: usize) -> bool {
        self.keys[rule][literal].is_some_and(|key| self.component[key.index()] == self.component[rule])
    }

    /// The identifier of the strongly connected component that contains the rule with index `rule`.
    pub(super) fn component(&self, rule: usize) -> usize {
        self.component[rule]
    }

    /// The rules on a shortest path from the condition with index `literal` of the rule with index `rule`
    /// back to that rule. Each rule is paired with the index of the literal in its body through which the
    /// path continues.
    pub(super) fn way_back(&self, rule: usize, literal: usize) -> Vec<(usize, usize)> {
        let Some(start) = self.keys[rule][literal] else { return Vec::new() };
        let goal = NodeIndex::new(rule);
        let mut before: FxHashMap<NodeIndex, NodeIndex> = FxHashMap::default();
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            if node == goal {
                break;
            }
            for next in self.neighbors_in_order(node) {
                if next != start && !before.contains_key(&next) {
                    before.insert(next, node);
                    queue.push_back(next);
                }
            }
        }
        let mut path = Vec::new();
        let mut at = goal;
        while let Some(&key) = before.get(&at) {
            // `at` is a rule, `key` is a key that the head of `at` may match, and `asking` is a rule with a
            // condition that has this key.
            let Some(&asking) = before.get(&key) else { break };
            if let Some(literal) = self.keys[asking.index()].iter().position(|k| *k == Some(key)) {
                path.push((asking.index(), literal));
            }
            at = asking;
        }
        path.reverse();
        path
    }

    fn neighbors_in_order(&self, node: NodeIndex) -> Vec<NodeIndex> {
        let mut all: Vec<NodeIndex> = self.graph.neighbors(node).collect();
        all.reverse();
        all
    }

    /// Finds the rules from which a path leads to a condition on one of the relations `targets` (indices in
    /// [`Relations::all`]). Maps the index of each such rule to its next step on a shortest path: the index
    /// of the literal through which the path continues, and the index of the next rule. The next rule is
    /// `None` if the literal itself is a condition on a target.
    pub(super) fn ways_to(&self, targets: &[usize]) -> FxHashMap<usize, (usize, Option<usize>)> {
        let first_key = self.keys.len();
        let mut queue: VecDeque<(NodeIndex, Option<usize>)> = self
            .key_relations
            .iter()
            .enumerate()
            .filter(|(_, relation)| targets.contains(relation))
            .map(|(key, _)| (NodeIndex::new(first_key + key), None))
            .collect();
        let mut reached = vec![false; self.graph.node_count()];
        for (key, _) in &queue {
            reached[key.index()] = true;
        }
        let mut ways = FxHashMap::default();
        while let Some((key, to)) = queue.pop_front() {
            for rule in self.graph.neighbors_directed(key, Direction::Incoming) {
                if std::mem::replace(&mut reached[rule.index()], true) {
                    continue;
                }
                if let Some(literal) = self.keys[rule.index()].iter().position(|k| *k == Some(key)) {
                    ways.insert(rule.index(), (literal, to));
                }
                for asking in self.graph.neighbors_directed(rule, Direction::Incoming) {
                    if !std::mem::replace(&mut reached[asking.index()], true) {
                        queue.push_back((asking, Some(rule.index())));
                    }
                }
            }
        }
        ways
    }
}
