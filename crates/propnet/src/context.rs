//! The context of each fluent: the fluents that the rules connect most closely with it.
//!
//! A random walk starts at the fluent and goes along the connections of the network, in both directions: from a
//! conjunction to its inputs, from a fluent to the condition of its next value, from a move to its legality and to the
//! sets of moves that contain it. A fluent counts by the frequency with which walks of a few steps visit it, divided by
//! the square root of the number of its connections, so that fluents which every rule reads, such as whose turn it is,
//! do not fill all contexts. Names have no part in it, except that they decide between equal fluents.

use crate::net::PropNet;
use crate::node::Node;
use ggp_game::{EvalError, StopToken};

/// The number of steps of a walk. A fluent and one that a rule reads beside it are two to four steps apart.
const STEPS: usize = 7;
/// The share of the walks that go on after each step.
const GO_ON: f64 = 0.8;
/// If a smaller share than this goes to each neighbour of a place, the walks end there.
const LEAST: f64 = 1e-5;
/// A set of more moves than this connects nothing.
const LARGEST_SET: usize = 4096;

/// The nodes of a network and, behind them, the moves of all roles as places of an undirected graph.
struct Graph {
    /// For each place, the end of its part of `neighbours`.
    ends: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    fn of(net: &PropNet) -> Graph {
        let mut places = net.nodes.len();
        let mut first_move = Vec::new();
        for role in &net.roles {
            first_move.push(places);
            places += role.moves.len();
        }
        let mut edges: Vec<(u32, u32)> = Vec::new();
        // Constants connect nothing.
        let mut connect = |one: usize, other: usize| {
            if one != 0 && other != 0 && one != other {
                edges.extend([(one as u32, other as u32), (other as u32, one as u32)]);
            }
        };
        for (number, node) in net.nodes.iter().enumerate() {
            match node {
                Node::False => {}
                Node::State(fluent) => connect(number, net.fluents[*fluent as usize].next.node()),
                Node::And(inputs) => inputs.iter().for_each(|input| connect(number, input.node())),
                Node::Variable(unknown) | Node::Fixpoint(unknown) => {
                    let component = &net.components[unknown.component as usize];
                    connect(number, component[unknown.index as usize].node());
                }
                Node::MoveSet(set) => {
                    let set = net.move_set(*set);
                    let first = first_move[set.role as usize];
                    let members = set.members.iter().filter(|_| set.members.len() <= LARGEST_SET);
                    members.for_each(|&member| connect(number, first + member as usize));
                }
            }
        }
        for (role, first) in net.roles.iter().zip(first_move) {
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
        Graph { ends, neighbours: edges.into_iter().map(|(_, to)| to).collect() }
    }

    fn neighbours(&self, place: usize) -> &[u32] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.neighbours[start as usize..self.ends[place] as usize]
    }
}

/// The walks from one place: the shares of them that are at each place, and that have visited each fluent.
struct Walks {
    here: Vec<f64>,
    next: Vec<f64>,
    visits: Vec<f64>,
}

impl Walks {
    /// Walks from `start`. Returns the fluents other than that of `start` with their scores.
    fn from(&mut self, start: usize, net: &PropNet, graph: &Graph) -> Vec<(f64, u32)> {
        let mut seen: Vec<(usize, u32)> = Vec::new();
        let mut places = vec![start];
        self.here[start] = 1.0;
        for _ in 0..STEPS {
            let mut reached: Vec<usize> = Vec::new();
            for place in places {
                let neighbours = graph.neighbours(place);
                let share = std::mem::take(&mut self.here[place]) * GO_ON / neighbours.len().max(1) as f64;
                for &other in neighbours.iter().filter(|_| share >= LEAST) {
                    let other = other as usize;
                    if self.next[other] == 0.0 {
                        reached.push(other);
                    }
                    self.next[other] += share;
                }
            }
            for &place in &reached {
                if let Some(Node::State(fluent)) = net.nodes.get(place) {
                    if self.visits[place] == 0.0 {
                        seen.push((place, *fluent));
                    }
                    self.visits[place] += self.next[place];
                }
            }
            std::mem::swap(&mut self.here, &mut self.next);
            places = reached;
        }
        for place in places {
            self.here[place] = 0.0;
        }
        let mut found = Vec::new();
        for (place, fluent) in seen {
            let score = std::mem::take(&mut self.visits[place]);
            if place != start {
                found.push((score / (graph.neighbours(place).len() as f64).sqrt(), fluent));
            }
        }
        found
    }
}

/// For each fluent, its context in ascending order: at most `most` fluents.
///
/// # Errors
/// [`EvalError::Interrupted`] soon after `stop` is raised.
pub(crate) fn of_fluents(net: &PropNet, most: usize, stop: &StopToken) -> Result<Vec<Vec<u32>>, EvalError> {
    let graph = Graph::of(net);
    let none = vec![0.0; graph.ends.len()];
    let mut walks = Walks { here: none.clone(), next: none.clone(), visits: none };
    let mut contexts = vec![Vec::new(); net.fluents.len()];
    for (start, node) in net.nodes.iter().enumerate() {
        let Node::State(fluent) = node else { continue };
        stop.check()?;
        let mut found = walks.from(start, net, &graph);
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.truncate(most);
        let mut context: Vec<u32> = found.into_iter().map(|(_, fluent)| fluent).collect();
        context.sort_unstable();
        contexts[*fluent as usize] = context;
    }
    Ok(contexts)
}

#[cfg(test)]
mod tests {
    use super::of_fluents;
    use crate::ground::GroundLimits;
    use crate::net::PropNet;
    use ggp_game::{Game, StopToken};
    use std::sync::Arc;

    #[test]
    fn a_context_has_what_rules_read_beside_the_fluent() {
        let text = include_bytes!("../../../games/tic_tac_toe.kif");
        let game = Arc::new(Game::new(ggp_gdl::parse(text).unwrap()).unwrap());
        let net = PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).unwrap();
        let text = |fluent: usize| net.fluents[fluent].fact.as_str();
        let number = |wanted: &str| (0..net.fluents.len()).find(|&fluent| text(fluent) == wanted).unwrap();
        let contexts = of_fluents(&net, 14, &StopToken::new()).unwrap();
        let corner: Vec<&str> =
            contexts[number("(cell 1 1 x)")].iter().map(|&fluent| text(fluent as usize)).collect();
        assert!(corner.len() <= 14 && !corner.contains(&"(cell 1 1 x)"), "{corner:?}");
        for in_line in ["(cell 1 2 x)", "(cell 1 3 x)", "(cell 2 1 x)", "(cell 3 1 x)", "(cell 3 3 x)"] {
            assert!(corner.contains(&in_line), "{in_line} is in one of its lines: {corner:?}");
        }
        assert!(corner.contains(&"(cell 1 1 o)"), "a mark makes the other one impossible: {corner:?}");
        assert!(!corner.contains(&"(cell 2 3 o)"), "neither a line nor a move joins them: {corner:?}");
        assert_eq!(of_fluents(&net, 14, &StopToken::new()).unwrap(), contexts);
    }
}
