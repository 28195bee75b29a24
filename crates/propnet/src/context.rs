//! The fluents that the rules connect most closely with each move: those that a short random walk from the move
//! through the network visits most often, in proportion to the number of their connections.

use crate::net::PropNet;
use crate::node::{Node, Signal};
use ggp_game::{EvalError, StopToken};

/// The number of steps of a walk.
const STEPS: usize = 7;
/// The share of the walks that go on after each step.
const GO_ON: f64 = 0.8;
/// Walks with a smaller share than this at a place end there.
const LEAST: f64 = 1e-5;
/// A set of more moves than this connects nothing.
const LARGEST_SET: usize = 4096;

/// The undirected graph of nodes and moves.
struct Graph {
    ends: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    fn of(net: &PropNet) -> (Graph, Vec<usize>) {
        let mut first = Vec::new();
        let mut places = net.nodes.len();
        for role in &net.roles {
            first.push(places);
            places += role.moves.len();
        }
        let mut edges: Vec<(u32, u32)> = Vec::new();
        let mut connect = |a: usize, b: usize| {
            if a != b && a != 0 && b != 0 {
                edges.push((a as u32, b as u32));
                edges.push((b as u32, a as u32));
            }
        };
        for (number, node) in net.nodes.iter().enumerate() {
            match node {
                Node::False => {}
                Node::State(fluent) => connect(number, net.fluents[*fluent as usize].next.node()),
                Node::And(inputs) => inputs.iter().for_each(|input| connect(number, input.node())),
                Node::Variable(unknown) | Node::Fixpoint(unknown) => {
                    let equation: Signal = net.components[unknown.component as usize][unknown.index as usize];
                    connect(number, equation.node());
                }
                Node::MoveSet(set) => {
                    let set = net.move_set(*set);
                    if set.members.len() <= LARGEST_SET {
                        let first = first[set.role as usize];
                        set.members.iter().for_each(|&member| connect(number, first + member as usize));
                    }
                }
            }
        }
        for (role, first) in net.roles.iter().zip(&first) {
            for (number, mv) in role.moves.iter().enumerate() {
                connect(first + number, mv.legal.node());
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let mut ends = vec![0; places];
        for &(from, _) in &edges {
            ends[from as usize] += 1;
        }
        let mut all = 0;
        for end in &mut ends {
            all += *end;
            *end = all;
        }
        (Graph { ends, neighbours: edges.into_iter().map(|edge| edge.1).collect() }, first)
    }

    fn of_place(&self, place: usize) -> &[u32] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.neighbours[start as usize..self.ends[place] as usize]
    }
}

/// For each fluent, at most `most` other fluents in ascending order.
pub(crate) fn of_fluents(net: &PropNet, most: usize, stop: &StopToken) -> Result<Vec<Vec<u32>>, EvalError> {
    let (graph, _) = Graph::of(net);
    let mut places = vec![None; net.fluents.len()];
    for (number, node) in net.nodes.iter().enumerate() {
        if let Node::State(fluent) = node {
            places[*fluent as usize] = Some(number);
        }
    }
    let mut here = vec![0.0f64; graph.ends.len()];
    let mut next = here.clone();
    let mut score = here.clone();
    let mut contexts = Vec::new();
    for place in places {
        stop.check()?;
        let Some(start) = place else {
            contexts.push(Vec::new());
            continue;
        };
        let mut frontier = vec![start];
        let mut seen: Vec<usize> = Vec::new();
        here[start] = 1.0;
        for _ in 0..STEPS {
            let mut reached: Vec<usize> = Vec::new();
            for &place in &frontier {
                let neighbours = graph.of_place(place);
                let share = std::mem::take(&mut here[place]) * GO_ON / neighbours.len().max(1) as f64;
                if share < LEAST {
                    continue;
                }
                for &other in neighbours {
                    if next[other as usize] == 0.0 {
                        reached.push(other as usize);
                    }
                    next[other as usize] += share;
                }
            }
            for &place in &reached {
                if let Node::State(_) = net.nodes.get(place).unwrap_or(&Node::False) {
                    if score[place] == 0.0 {
                        seen.push(place);
                    }
                    score[place] += next[place];
                }
            }
            std::mem::swap(&mut here, &mut next);
            frontier = reached;
        }
        frontier.into_iter().for_each(|place| here[place] = 0.0);
        let mut ranked: Vec<(f64, u32)> = seen
            .iter()
            .map(|&place| {
                let Node::State(fluent) = net.nodes[place] else { unreachable!() };
                let degree = graph.of_place(place).len() as f64;
                let score = std::mem::take(&mut score[place]) / degree.sqrt();
                (if place == start { 0.0 } else { score }, fluent)
            })
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.truncate(most);
        let mut fluents: Vec<u32> = ranked.into_iter().filter(|one| one.0 > 0.0).map(|one| one.1).collect();
        fluents.sort_unstable();
        contexts.push(fluents);
    }
    Ok(contexts)
}
