//! Perft tables (`perft/NAME.perft`): one line a depth, `depth<TAB>count`, from depth 0 on.

use ggp_game::{StateMachine, perft};

/// Reads the counts of `text`, in order of depth.
///
/// # Errors
/// The line that cannot be read.
pub fn read(text: &str) -> Result<Vec<u64>, String> {
    let mut counts = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let entry = line.split_once('\t').filter(|(depth, _)| depth.parse() == Ok(number));
        let count = entry.and_then(|(_, count)| count.parse().ok());
        counts.push(count.ok_or_else(|| format!("line {}: `{line}`", number + 1))?);
    }
    if counts.len() < 2 { Err("no depth but 0".to_owned()) } else { Ok(counts) }
}

/// Counts as deep as `table` goes while its counts stay within `most`.
///
/// # Errors
/// Where the machine's counts differ.
pub fn check<M: StateMachine>(machine: &mut M, table: &[u64], most: u64) -> Result<(), String> {
    let depth = table.iter().take_while(|&&count| count <= most).count() - 1;
    let initial = machine.initial_state().map_err(|error| error.to_string())?;
    let counts = perft(machine, &initial, depth as u32).map_err(|error| error.to_string())?;
    if counts == table[..=depth] {
        return Ok(());
    }
    Err(format!("counted {counts:?}, the table says {:?}", &table[..=depth]))
}
