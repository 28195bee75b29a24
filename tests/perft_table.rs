//! Numbers of joint-move sequences by depth: the tables `perft/NAME.perft` (lines `depth<TAB>count`, from
//! depth 0 on), and the comparison of two machines.

use crate::oracle::Difference;
use ggp_game::{StateMachine, perft};

/// Parses the counts of `text`, in order of depth.
///
/// # Errors
/// The first line that cannot be parsed.
pub fn read(text: &str) -> Result<Vec<u64>, String> {
    let mut counts = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let entry = line.split_once('\t').filter(|(depth, _)| depth.parse() == Ok(number));
        let count = entry.and_then(|(_, count)| count.parse().ok());
        counts.push(count.ok_or_else(|| format!("line {}: `{line}`", number + 1))?);
    }
    if counts.len() < 2 { Err("no depth but 0".to_owned()) } else { Ok(counts) }
}

/// Compares a machine's counts with `table`, to the greatest depth whose counts are at most `most`.
///
/// # Errors
/// When the counts differ.
pub fn check<M: StateMachine>(machine: &mut M, table: &[u64], most: u64) -> Result<(), String> {
    let depth = table.iter().take_while(|&&count| count <= most).count() - 1;
    let initial = machine.initial_state().map_err(|error| error.to_string())?;
    let counts = perft(machine, &initial, depth as u32).map_err(|error| error.to_string())?;
    if counts == table[..=depth] {
        return Ok(());
    }
    Err(format!("counted {counts:?}, the table says {:?}", &table[..=depth]))
}

/// The greatest depth that [`agree`] compares.
const DEEPEST: u32 = 12;

/// Compares the counts of two machines by depth and returns them. The depth is limited so that `network`
/// visits at most `most` states of a depth.
///
/// # Errors
/// Different counts, with those of `judge` first, or an evaluation error.
pub fn agree<A: StateMachine, B: StateMachine>(
    judge: &mut A,
    network: &mut B,
    most: u64,
) -> Result<Vec<u64>, Difference> {
    let initial = network.initial_state()?;
    let mut counts = vec![1];
    // States at the last depth are counted, but not visited.
    while counts.len() <= DEEPEST as usize && (1..=most).contains(&counts[counts.len() - 1]) {
        counts = perft(network, &initial, counts.len() as u32)?;
    }
    let initial = judge.initial_state()?;
    let expected = perft(judge, &initial, counts.len() as u32 - 1)?;
    if expected == counts {
        return Ok(counts);
    }
    Err(Difference::Disagreed(format!("perft: {expected:?} against {counts:?}")))
}
