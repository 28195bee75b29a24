//! `ggp solve` in games of hidden information: an equilibrium of two roles, or best play of one role against
//! chance.

use crate::console;
use crate::exit::Exit;
use crate::output;
use crate::progress::Progress;
use anyhow::{Context, anyhow};
use ggp::WithMachine;
use ggp_equilibrium::{
    BeliefError, BestPlay, Budget, CfrPlus, Equilibrium, UnfoldError, Unfolding, best_play, write_efg,
};
use ggp_game::{Deadline, Game, Playouts, Role, StopToken};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// The largest number of information sets whose strategy is printed as text. `--json` prints all of them.
const SHOWN: usize = 24;

/// The task of solving a game of hidden information, with the options of the command line.
pub(crate) struct Solve<'a> {
    pub(crate) name: String,
    /// The exploitability at which the computation ends, as a share of the goal range.
    pub(crate) target: f64,
    /// The memory limit, in bytes.
    pub(crate) memory: usize,
    pub(crate) end: Deadline,
    /// The file to which the extensive form is written. `None` if the command line does not ask for it.
    pub(crate) efg: Option<&'a Path>,
    pub(crate) json: bool,
    pub(crate) stop: StopToken,
    pub(crate) progress: Progress,
}

impl WithMachine for Solve<'_> {
    type Output = anyhow::Result<Exit>;

    fn run<M: Playouts + 'static>(self, mut machine: M) -> anyhow::Result<Exit> {
        machine.interrupt_on(&self.stop);
        let game = machine.game().clone();
        let roles: Vec<Role> = game.roles().filter(|&role| game.nature() != Some(role)).collect();
        let budget = Budget { bytes: self.memory, deadline: self.end, stop: &self.stop };
        if let [role] = roles[..] {
            if self.efg.is_some() {
                self.unfold(&mut machine, &budget)?;
            }
            self.progress.set("computing best play against chance");
            let best = best_play(&mut machine, role, &budget).map_err(|error| {
                let is_full = matches!(error, BeliefError::Full { .. });
                let is_late = matches!(error, BeliefError::Stopped { .. });
                self.refusal(&game, is_full, is_late, error)
            })?;
            drop(self.progress);
            console::unless_closed(print_best_play(game.role_name(role), &best, self.json))?;
            return Ok(Exit::Done);
        }
        let tree = self.unfold(&mut machine, &budget)?;
        let mut cfr = CfrPlus::new(&tree)
            .map_err(|error| anyhow!("{error}; its tree has {} nodes", tree.node_count()))?;
        self.progress.set(format!("computing an equilibrium of {} information sets", tree.set_count()));
        let equilibrium = cfr.run(self.target, &budget);
        let complete = equilibrium.exploitability <= self.target;
        drop(self.progress);
        console::unless_closed(print_equilibrium(&tree, &equilibrium, complete, self.json))?;
        Ok(if complete { Exit::Done } else { Exit::Findings })
    }
}

impl Solve<'_> {
    /// Unfolds the game into its tree (the extensive form). Writes the tree to a file if the command line
    /// asks for it.
    fn unfold<M: Playouts>(&self, machine: &mut M, budget: &Budget<'_>) -> anyhow::Result<Unfolding> {
        self.progress.set("unfolding the game");
        let game = machine.game().clone();
        let tree = Unfolding::new(machine, budget).map_err(|error| {
            let is_full = matches!(error, UnfoldError::Full { .. });
            let is_late = matches!(error, UnfoldError::Stopped { .. });
            self.refusal(&game, is_full, is_late, error)
        })?;
        if let Some(path) = self.efg {
            let write = || {
                let mut out = BufWriter::new(File::create(path)?);
                write_efg(&self.name, &tree, &mut out)?;
                out.flush()
            };
            write().with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(tree)
    }

    /// `error`, which keeps `game` from being solved, with the limit to blame: that of memory if it `is_full`, and that of
    /// time if it `is_late`, unless Ctrl-C has ended the time.
    fn refusal(
        &self,
        game: &Game,
        is_full: bool,
        is_late: bool,
        error: impl std::error::Error + Send + Sync + 'static,
    ) -> anyhow::Error {
        let game = game_text(&self.name, game);
        let limit = if is_full {
            format!(" within {} MiB (--memory)", self.memory >> 20)
        } else if is_late && !self.stop.is_stopped() {
            " in so little time (--seconds)".to_owned()
        } else {
            String::new()
        };
        anyhow::Error::new(error).context(format!("{game} cannot be solved{limit}"))
    }
}

/// The name of the game with its roles, for messages.
fn game_text(name: &str, game: &Game) -> String {
    let roles: Vec<&str> = game.roles().map(|role| game.role_name(role)).collect();
    format!("{} ({})", console::printable(name), roles.join(", "))
}

/// An information set in words. `history` contains the role's move and percepts of each turn so far.
fn history_text(history: &[Vec<String>]) -> String {
    if history.is_empty() {
        return "at the start".to_owned();
    }
    let turns: Vec<String> = history.iter().map(|turn| turn.join(" ")).collect();
    format!("after {}", console::printable(&turns.join(", ")))
}

fn print_best_play(role: &str, best: &BestPlay, json: bool) -> std::io::Result<()> {
    let mut out = console::stdout();
    if json {
        let plan: Vec<Value> = best
            .plan
            .iter()
            .map(|planned| json!({ "history": planned.history, "move": planned.mv }))
            .collect();
        let BestPlay { value, beliefs, states, .. } = best;
        let solution = json!({
            "role": role, "value": value, "beliefs": beliefs, "states": states, "plan": plan,
        });
        output::object(&mut out, output::SOLVE, &solution)?;
        return out.flush();
    }
    let BestPlay { value, beliefs, states, plan } = best;
    writeln!(
        out,
        "{role}  {value:.2} expected by best play against chance; {beliefs} beliefs over {states} states"
    )?;
    for planned in plan.iter().take(SHOWN) {
        writeln!(out, "  {}: {}", history_text(&planned.history), console::printable(&planned.mv))?;
    }
    if plan.len() > SHOWN {
        writeln!(out, "  … and {} more; --json prints all", plan.len() - SHOWN)?;
    }
    out.flush()
}

fn print_equilibrium(
    tree: &Unfolding,
    equilibrium: &Equilibrium,
    complete: bool,
    json: bool,
) -> std::io::Result<()> {
    let mut out = console::stdout();
    let Equilibrium { goals, exploitability, iterations, .. } = equilibrium;
    if json {
        let strategy: Vec<Value> = equilibrium
            .behaviour(tree)
            .map(|set| {
                let moves: Map<String, Value> =
                    set.moves.into_iter().map(|(mv, share)| (mv, json!(share))).collect();
                json!({ "role": set.role, "history": set.history, "moves": moves })
            })
            .collect();
        let solution = json!({
            "roles": tree.players(), "goals": goals, "exploitability": exploitability,
            "iterations": iterations, "complete": complete, "nodes": tree.node_count(),
            "information_sets": tree.set_count(), "strategy": strategy,
        });
        output::object(&mut out, output::SOLVE, &solution)?;
        return out.flush();
    }
    for (role, goal) in tree.players().iter().zip(goals) {
        writeln!(out, "{role}  {goal:.2} expected in equilibrium")?;
    }
    let so_far = if complete { "" } else { ", which is not as little as --exploitability asks for" };
    writeln!(out, "exploitability {exploitability:.1e} of the goal range{so_far}")?;
    let (nodes, sets) = (tree.node_count(), tree.set_count());
    writeln!(out, "{iterations} iterations of CFR+ on {nodes} nodes with {sets} information sets")?;
    for set in equilibrium.behaviour(tree).take(SHOWN) {
        let moves: Vec<String> =
            set.moves.iter().map(|(mv, share)| format!("{} {share:.3}", console::printable(mv))).collect();
        writeln!(out, "  {} {}: {}", set.role, history_text(&set.history), moves.join(", "))?;
    }
    if sets > SHOWN {
        writeln!(out, "  … and {} more information sets; --json prints all", sets - SHOWN)?;
    }
    out.flush()
}
