//! Latched recursion: least fixpoints that only grow while a game is played, such as what is connected in a game
//! that takes no stone away.
//!
//! The equations of a fixpoint are monotone in its unknowns. If they are also monotone in fluents that never become
//! false again, then the fixpoint of an earlier step of the same playout lies below that of this step, and iteration
//! from the earlier one ends at this one. Playouts therefore keep the unknowns of such a fixpoint from step to step.

use crate::net::PropNet;
use crate::node::{Node, Signal};

/// The unknowns that a program keeps from step to step, in rows behind the state rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    /// For each fixpoint component, the position of its first unknown among the kept rows. `None` for a component
    /// that is computed anew in each step.
    first: Vec<Option<u32>>,
    /// The number of kept rows of all programs that run by turns.
    rows: u32,
}

impl Kept {
    /// The unknowns that each of the programs of `nets` keeps. The programs run by turns on the same rows, each of
    /// them on rows of its own.
    pub(crate) fn of_phases(nets: &[&PropNet]) -> Vec<Kept> {
        let trends = Trend::of_fluents(nets);
        let mut rows = 0;
        let mut all: Vec<Kept> = nets
            .iter()
            .map(|net| {
                let first = net.components.iter().zip(latched(net, &trends)).map(|(bodies, is_latched)| {
                    let first = rows;
                    rows += if is_latched { bodies.len() as u32 } else { 0 };
                    is_latched.then_some(first)
                });
                Kept { first: first.collect(), rows: 0 }
            })
            .collect();
        for kept in &mut all {
            kept.rows = rows;
        }
        all
    }

    /// The position of the first unknown of `component` among the kept rows, if its unknowns are kept.
    pub(crate) fn first(&self, component: usize) -> Option<u32> {
        self.first.get(component).copied().flatten()
    }

    /// The number of kept rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows as usize
    }
}

/// How a value can change from one step of a playout to the next.
#[derive(Clone, Copy)]
struct Trend {
    /// It never becomes false.
    grows: bool,
    /// It never becomes true.
    falls: bool,
}

impl Trend {
    const STEADY: Trend = Trend { grows: true, falls: true };

    fn negated_if(self, negate: bool) -> Trend {
        if negate { Trend { grows: self.falls, falls: self.grows } } else { self }
    }

    /// The trend of a value that is monotone in values of both trends.
    fn and(self, other: Trend) -> Trend {
        Trend { grows: self.grows && other.grows, falls: self.falls && other.falls }
    }

    /// The trend of each fluent in a game that plays the steps of `nets` by turns.
    fn of_fluents(nets: &[&PropNet]) -> Vec<Trend> {
        let fluents = nets.first().map_or(0, |net| net.fluents.len());
        (0..fluents)
            .map(|fluent| {
                let in_net = |net: &&PropNet| {
                    let next = net.fluents[fluent].next;
                    let implies = |negated: bool| {
                        // Whether the value, or its negation, implies the next value, or its negation.
                        let next = next.negated_if(negated);
                        let is_value = |signal: Signal| {
                            signal.is_negated() == negated
                                && net.nodes[signal.node()] == Node::State(fluent as u32)
                        };
                        let is_case = |inputs: &[Signal]| inputs.iter().any(|&input| is_value(!input));
                        next == Signal::TRUE
                            || is_value(next)
                            || next.is_negated()
                                && matches!(&net.nodes[next.node()], Node::And(inputs) if is_case(inputs))
                    };
                    Trend { grows: implies(false), falls: implies(true) }
                };
                nets.iter().map(in_net).fold(Trend::STEADY, Trend::and)
            })
            .collect()
    }
}

/// For each fixpoint component, whether it only grows if the fluents have `trends`.
fn latched(net: &PropNet, trends: &[Trend]) -> Vec<bool> {
    let mut latched = vec![true; net.components.len()];
    // All components are taken to grow until an equation contradicts.
    loop {
        let mut of_nodes: Vec<Trend> = Vec::with_capacity(net.nodes.len());
        for node in &net.nodes {
            let trend = match node {
                Node::False => Trend::STEADY,
                Node::State(fluent) => trends[*fluent as usize],
                Node::MoveSet(_) => Trend { grows: false, falls: false },
                Node::And(inputs) => inputs
                    .iter()
                    .map(|input| of_nodes[input.node()].negated_if(input.is_negated()))
                    .fold(Trend::STEADY, Trend::and),
                Node::Variable(unknown) | Node::Fixpoint(unknown) => {
                    Trend { grows: latched[unknown.component as usize], falls: false }
                }
            };
            of_nodes.push(trend);
        }
        let grows = |body: &Signal| of_nodes[body.node()].negated_if(body.is_negated()).grows;
        let before = latched.clone();
        for (is_latched, bodies) in latched.iter_mut().zip(&net.components) {
            *is_latched = *is_latched && bodies.iter().all(grows);
        }
        if latched == before {
            return latched;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Kept;
    use crate::ground::GroundLimits;
    use crate::net::PropNet;
    use ggp_game::{Game, StopToken};
    use std::sync::Arc;

    /// The unknowns that a game keeps in which `linked` spreads over the points of a ring for which `open` holds.
    fn kept(rules: &str) -> Kept {
        let rest = "(role r) (after 0 1) (after 1 2) (after 2 3) (after 3 0) (<= (point ?p) (after ?p ?q))
            (<= (legal r (put ?p)) (point ?p)) (legal r wait) (goal r 0)
            (<= (linked 0) (open 0)) (<= (linked 1) (open 1))
            (<= (linked ?q) (linked ?p) (after ?p ?q) (open ?q))
            (<= (linked ?p) (linked ?q) (after ?p ?q) (open ?p))";
        let game =
            Arc::new(Game::new(ggp_gdl::parse(format!("{rest} {rules}").as_bytes()).unwrap()).unwrap());
        let net = PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).unwrap();
        let mut kept = Kept::of_phases(&[&net]);
        assert_eq!(net.components.len(), 1, "{rules}");
        assert_eq!(kept[0].rows() > 0, kept[0].first(0).is_some());
        kept.remove(0)
    }

    /// The end of the games.
    const END: &str = "(<= terminal (linked 3))";
    /// Stones that nobody takes away.
    const STONES: &str = "(<= (next (stone ?p)) (does r (put ?p))) (<= (next (stone ?p)) (true (stone ?p)))";
    /// Holes that stones fill.
    const HOLES: &str =
        "(<= (init (hole ?p)) (point ?p)) (<= (next (hole ?p)) (true (hole ?p)) (not (does r (put ?p))))";

    #[test]
    fn what_never_shrinks_is_kept() {
        for rules in [
            format!("{STONES} (<= (open ?p) (true (stone ?p)))"),
            format!("{HOLES} (<= (open ?p) (point ?p) (not (true (hole ?p))))"),
            format!("{STONES} {HOLES} (<= (open ?p) (true (stone ?p)) (not (true (hole ?p))))"),
        ] {
            assert!(kept(&format!("{rules} {END}")).rows() > 0, "{rules}");
        }
    }

    #[test]
    fn what_may_shrink_is_computed_anew() {
        let moved = "(<= (next (stone ?p)) (does r (put ?p)))
            (<= (next (stone ?p)) (true (stone ?p)) (does r wait))";
        for rules in [
            format!("{moved} (<= (open ?p) (true (stone ?p))) {END}"),
            format!("{STONES} (<= (open ?p) (point ?p) (not (true (stone ?p)))) {END}"),
            format!("{HOLES} (<= (open ?p) (true (hole ?p))) {END}"),
            // The recursion reads the move.
            format!(
                "{STONES} (<= (open ?p) (true (stone ?p))) (<= (open ?p) (does r (put ?p)))
                (<= (next over) (linked 3)) (<= terminal (true over))"
            ),
        ] {
            assert_eq!(kept(&rules).rows(), 0, "{rules}");
        }
    }
}
