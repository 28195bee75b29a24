//! A drawing of a propositional network.
//!
//! The gates of the network are conjunctions. A conjunction of negated inputs is drawn as the equivalent
//! negated disjunction, so that fewer edges are dashed (negated).

use crate::dot::quoted;
use ggp_game::Role;
use ggp_propnet::{Node, PropNet, Signal};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// The number of moves that the label of a move set names.
const NAMED_MOVES: usize = 3;

/// The part of the network that is drawn: the outputs, and the nodes on which at least one output depends.
pub(crate) struct Picture<'a> {
    net: &'a PropNet,
    /// The nodes to draw, as indices into the network's nodes. A fixpoint component is a system of mutually
    /// recursive equations. One of its unknowns may have several nodes in the network. Only one of these
    /// nodes is drawn, and it stands for the value that the unknown has in the fixpoint.
    drawn: BTreeSet<usize>,
    /// For each unknown of a fixpoint component, the node that is drawn for it. The key consists of the index
    /// of the component and the index of the unknown in the component.
    unknowns: BTreeMap<(u32, u32), usize>,
    /// The outputs, with their names.
    outputs: Vec<(String, Signal)>,
}

impl<'a> Picture<'a> {
    pub(crate) fn of(net: &'a PropNet) -> Picture<'a> {
        let mut outputs = vec![("terminal".to_owned(), net.terminal())];
        for (number, role) in net.roles().iter().enumerate() {
            let name = net.game().role_name(Role(number as u8));
            outputs.extend(role.moves.iter().map(|mv| (format!("legal {name} {}", mv.text), mv.legal)));
            outputs.extend(role.goals.iter().map(|(goal, when)| (format!("goal {name} {goal}"), *when)));
            outputs.extend(role.bad_goal.map(|when| (format!("goal {name} ?"), when)));
            outputs.extend(role.sees.iter().map(|(fact, when)| (format!("sees {name} {fact}"), *when)));
        }
        outputs.extend(net.fluents().iter().map(|fluent| (format!("next {}", fluent.fact), fluent.next)));
        // Constantly false outputs are left out.
        outputs.retain(|&(_, signal)| signal != Signal::FALSE);
        let mut picture =
            Picture { net, drawn: BTreeSet::new(), unknowns: BTreeMap::new(), outputs: Vec::new() };
        let mut stack: Vec<usize> = outputs.iter().map(|(_, signal)| signal.node()).collect();
        let mut seen = vec![false; net.nodes().len()];
        while let Some(at) = stack.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if let Node::Variable(unknown) | Node::Fixpoint(unknown) = net.nodes()[at] {
                picture.unknowns.entry((unknown.component, unknown.index)).or_insert(at);
            }
            stack.extend(picture.inputs(at).map(Signal::node));
        }
        for at in (0..seen.len()).filter(|&at| seen[at]) {
            picture.drawn.insert(picture.place(at));
        }
        picture.outputs = outputs;
        picture
    }

    /// The number of nodes in the drawing.
    pub(crate) fn nodes(&self) -> usize {
        self.drawn.len() + self.outputs.len()
    }

    /// The node that is drawn in place of the network's node `at`: for an unknown of a fixpoint component,
    /// the one node that is drawn for the unknown; otherwise `at` itself.
    fn place(&self, at: usize) -> usize {
        match self.net.nodes()[at] {
            Node::Variable(unknown) | Node::Fixpoint(unknown) => {
                self.unknowns[&(unknown.component, unknown.index)]
            }
            _ => at,
        }
    }

    /// The signals that are drawn as the inputs of the network's node `at`.
    fn inputs(&self, at: usize) -> impl Iterator<Item = Signal> + '_ {
        let (many, one): (&[Signal], Option<Signal>) = match &self.net.nodes()[at] {
            Node::And(inputs) => (inputs, None),
            Node::Variable(unknown) | Node::Fixpoint(unknown) => {
                (&[], Some(self.net.component(unknown.component)[unknown.index as usize]))
            }
            Node::False | Node::State(_) | Node::MoveSet(_) => (&[], None),
        };
        many.iter().copied().chain(one)
    }

    /// Whether the node `at` is drawn as its negation. This is so for a conjunction whose inputs are all
    /// negated, which is drawn as a disjunction, and for the constant false, which is drawn as true.
    fn is_flipped(&self, at: usize) -> bool {
        match &self.net.nodes()[at] {
            Node::And(inputs) => inputs.iter().all(|input| input.is_negated()),
            node => *node == Node::False,
        }
    }

    fn label(&self, at: usize) -> (String, &'static str) {
        match &self.net.nodes()[at] {
            Node::False => ("true".to_owned(), "plaintext"),
            Node::State(fluent) => (self.net.fluents()[*fluent as usize].fact.to_string(), "box"),
            Node::MoveSet(number) => {
                let set = self.net.move_set(*number);
                let moves = &self.net.roles()[set.role as usize].moves;
                let named = set.members.iter().take(NAMED_MOVES).map(|&mv| &*moves[mv as usize].text);
                let mut named = named.collect::<Vec<_>>().join(" | ");
                if let more @ 1.. = set.members.len().saturating_sub(NAMED_MOVES) {
                    named += &format!(" | {more} more");
                }
                let role = self.net.game().role_name(Role(set.role as u8));
                (format!("does {role} {named}"), "box, style=rounded")
            }
            Node::And(_) => (if self.is_flipped(at) { "∨" } else { "∧" }.to_owned(), "circle"),
            Node::Variable(_) | Node::Fixpoint(_) => ("fixpoint".to_owned(), "ellipse, peripheries=2"),
        }
    }

    fn write_edge(
        &self,
        signal: Signal,
        negate: bool,
        to: &str,
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        let dashed = signal.is_negated() ^ negate ^ self.is_flipped(signal.node());
        let style = if dashed { " [style=dashed]" } else { "" };
        writeln!(out, "    n{} -> {to}{style};", self.place(signal.node()))
    }

    pub(crate) fn write(&self, game: &str, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "digraph {} {{", quoted(game))?;
        writeln!(out, "    rankdir=LR;")?;
        writeln!(out, "    node [fontname=\"sans-serif\"];")?;
        for &at in &self.drawn {
            let (label, shape) = self.label(at);
            writeln!(out, "    n{at} [label={}, shape={shape}];", quoted(&label))?;
        }
        for (number, (name, _)) in self.outputs.iter().enumerate() {
            writeln!(out, "    o{number} [label={}, shape=cds];", quoted(name))?;
        }
        for &at in &self.drawn {
            for signal in self.inputs(at) {
                self.write_edge(signal, self.is_flipped(at), &format!("n{at}"), out)?;
            }
        }
        for (number, (_, signal)) in self.outputs.iter().enumerate() {
            self.write_edge(*signal, false, &format!("o{number}"), out)?;
        }
        writeln!(out, "}}")
    }
}
