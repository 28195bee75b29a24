//! `ggp graph`: the dependency graph of the relations, or the propositional network (see
//! [`crate::netgraph`]), in Graphviz DOT.
//!
//! The relations are those of the lowered program. A relation of fluents or moves is split by the root
//! function of the fluent or move, so that `next cell/3` and `next control/1` are two nodes. The stratum of a
//! relation is the largest number of negations on a path to it (Apt, Blair & Walker 1988); each stratum is
//! drawn as a cluster.

use crate::console;
use crate::dot::quoted;
use crate::exit::Exit;
use crate::netgraph;
use crate::number::whole;
use crate::rulesheet::GameFile;
use ggp::Build;
use ggp_datalog::RelationId;
use ggp_datalog::split::split_by_constants;
use ggp_datalog::strata::{DependencyGraph, components, dependency_graph};
use ggp_game::lower::Lowering;
use ggp_gdl::Description;
use std::io::Write;
use std::time::Duration;

/// Draw the relations' dependency graph, or the propositional network
///
/// Writes Graphviz DOT. An arrow leads from a relation to one whose rules ask for it; it is dashed
/// if they ask that it does not hold. Boxes are the relations that a state or a joint move fills.
/// Each stratum is a cluster. A relation that depends on itself has a double line.
///
/// With --propnet, boxes are fluents, rounded boxes are sets of moves, circles are gates (∧ and ∨),
/// and tagged shapes are outputs. A node that depends on itself has a double line.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  ggp graph games/nim.kif | dot -Tsvg > nim.svg
  ggp graph games/nim.kif | dot -Tpng | display
  ggp graph games/nim.kif --propnet | dot -Tsvg > network.svg")]
pub(crate) struct Arguments {
    #[command(flatten)]
    file: GameFile,
    /// Draw the propositional network instead
    #[arg(long)]
    propnet: bool,
    /// The largest number of nodes that is drawn; layout programs take very long for more
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "propnet", value_parser = whole(1usize..))]
    limit: usize,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let game = arguments.file.load()?;
    if arguments.propnet {
        let net =
            Build::within(Duration::MAX).ground(&game).map_err(|why| anyhow::anyhow!("no network: {why}"))?;
        let picture = netgraph::Picture::of(&net);
        if picture.nodes() > arguments.limit {
            let (name, nodes) = (arguments.file.game_name(), picture.nodes());
            anyhow::bail!(
                "the network of {name} has {nodes} nodes, too many to draw: `--limit {nodes}` draws it all \
                 the same, `ggp info` gives its sizes"
            );
        }
        let mut out = console::stdout();
        picture.write(&arguments.file.game_name(), &mut out)?;
        out.flush()?;
        return Ok(Exit::Done);
    }
    let mut out = console::stdout();
    Picture::of(game.description()).write(&arguments.file.game_name(), &mut out)?;
    out.flush()?;
    Ok(Exit::Done)
}

struct Picture {
    names: Vec<String>,
    inputs: Vec<bool>,
    graph: DependencyGraph,
    /// For each relation, its stratum, from 0.
    strata: Vec<usize>,
    /// For each relation, whether it depends on itself, directly or through other relations.
    recursive: Vec<bool>,
}

impl Picture {
    fn of(description: &Description) -> Picture {
        let mut lowering = Lowering::new(description);
        split_by_constants(&mut lowering.signatures, &mut lowering.rules, &lowering.values);
        let relations = lowering.signatures.len();
        let graph = dependency_graph(relations, &lowering.rules);
        let mut strata = vec![0; relations];
        let mut recursive = vec![false; relations];
        let mut component_of = vec![0; relations];
        let components = components(&graph);
        for (number, component) in components.iter().enumerate() {
            for relation in component {
                component_of[relation.index()] = number;
            }
        }
        for (number, component) in components.iter().enumerate() {
            let into = |relation: &RelationId| {
                let node = petgraph_index(*relation);
                graph.edges_directed(node, petgraph::Direction::Incoming).map(|edge| {
                    use petgraph::visit::EdgeRef;
                    (graph[edge.source()], *edge.weight())
                })
            };
            let edges: Vec<(RelationId, bool)> = component.iter().flat_map(into).collect();
            let inner = |relation: RelationId| component_of[relation.index()] == number;
            let below = edges.iter().filter(|(from, _)| !inner(*from));
            let stratum = below.map(|&(from, negated)| strata[from.index()] + usize::from(negated)).max();
            let is_recursive = edges.iter().any(|(from, _)| inner(*from));
            for relation in component {
                strata[relation.index()] = stratum.unwrap_or(0);
                recursive[relation.index()] = is_recursive;
            }
        }
        Picture {
            inputs: lowering.signatures.iter().map(|s| s.level > 0).collect(),
            names: lowering.signatures.into_iter().map(|s| s.name).collect(),
            graph,
            strata,
            recursive,
        }
    }

    fn write(&self, game: &str, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "digraph {} {{", quoted(game))?;
        writeln!(out, "    rankdir=BT;")?;
        writeln!(out, "    node [shape=ellipse, fontname=\"sans-serif\"];")?;
        let highest = self.strata.iter().copied().max().unwrap_or(0);
        for stratum in 0..=highest {
            writeln!(out, "    subgraph cluster_{stratum} {{")?;
            writeln!(out, "        label=\"stratum {stratum}\"; style=rounded; color=gray;")?;
            for (number, name) in self.names.iter().enumerate().filter(|(n, _)| self.strata[*n] == stratum) {
                let shape = if self.inputs[number] { ", shape=box" } else { "" };
                let line = if self.recursive[number] { ", peripheries=2" } else { "" };
                writeln!(out, "        r{number} [label={}{shape}{line}];", quoted(name))?;
            }
            writeln!(out, "    }}")?;
        }
        for edge in self.graph.raw_edges() {
            let style = if edge.weight { " [style=dashed]" } else { "" };
            writeln!(out, "    r{} -> r{}{style};", edge.source().index(), edge.target().index())?;
        }
        writeln!(out, "}}")
    }
}

fn petgraph_index(relation: RelationId) -> petgraph::graph::NodeIndex {
    petgraph::graph::NodeIndex::new(relation.index())
}
