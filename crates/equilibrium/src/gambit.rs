//! The extensive form in Gambit's text format, version 2 (`.efg`), which Gambit and `OpenSpiel` read.

use crate::unfold::{Kind, Unfolding};
use std::io::{self, Write};

/// Writes `tree` to `out`, with the title `game`. The payoffs are the goals. The name of an information set
/// is the history of its player. Each player's information sets are numbered from 1.
///
/// # Errors
/// Fails when writing to `out` fails.
pub fn write_efg(game: &str, tree: &Unfolding, out: &mut impl Write) -> io::Result<()> {
    let players: Vec<String> = tree.players().iter().map(|name| quoted(name)).collect();
    writeln!(out, "EFG 2 R {} {{ {} }}", quoted(game), players.join(" "))?;
    writeln!(out, "\"\"")?;
    writeln!(out)?;
    let mut numbers = vec![0; tree.players().len()];
    let numbers: Vec<u32> = tree
        .sets()
        .iter()
        .map(|set| {
            numbers[set.player] += 1;
            numbers[set.player]
        })
        .collect();
    // The nodes follow in preorder.
    let (mut chances, mut outcomes) = (0, 0);
    let mut stack = vec![0u32];
    while let Some(number) = stack.pop() {
        let node = tree.nodes()[number as usize];
        let children = tree.children(node);
        match node.kind {
            Kind::Terminal(row) => {
                outcomes += 1;
                let goals: Vec<String> =
                    (0..tree.players().len()).map(|player| tree.goal(row, player).to_string()).collect();
                writeln!(out, "t \"\" {outcomes} \"\" {{ {} }}", goals.join(", "))?;
            }
            Kind::Chance(number) => {
                chances += 1;
                let share = |&mv| format!("{} 1/{}", quoted(tree.move_text(mv)), children.len());
                let moves: Vec<String> = tree.chance_moves(number).iter().map(share).collect();
                writeln!(out, "c \"\" {chances} \"\" {{ {} }} 0", moves.join(" "))?;
            }
            Kind::Decision(number) => {
                let set = &tree.sets()[number as usize];
                let moves: Vec<String> = set.moves.iter().map(|&mv| quoted(tree.move_text(mv))).collect();
                let history: Vec<String> = tree.history(set).into_iter().map(|turn| turn.join(" ")).collect();
                let (player, number) = (set.player + 1, numbers[number as usize]);
                let name = quoted(&history.join(", "));
                writeln!(out, "p \"\" {player} {number} {name} {{ {} }} 0", moves.join(" "))?;
            }
        }
        stack.extend(children.iter().rev());
    }
    Ok(())
}

/// The text in double quotes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
