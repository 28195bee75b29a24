//! Loads a game, prints the legal moves, searches for a second, and prints the move. Run it in the folder
//! that holds `games`: `cargo run --release -p ggp --example first`.

use ggp::{MctsOptions, Reasoner, Search, SearchLimits, StateMachine};

fn main() -> Result<(), ggp::Error> {
    let game = ggp::load("games/connect_four.kif")?;
    let mut reasoner = Reasoner::new(&game)?;
    let state = reasoner.initial_state()?;
    let red = game.role("red")?;
    let legal = reasoner.legal_texts(&state, red)?;
    println!("legal moves: {}", legal.join(" "));
    let mut search = Search::new(&reasoner, &MctsOptions::default())?;
    search.run(&SearchLimits::time(std::time::Duration::from_secs(1)));
    let best = search.best_move(red)?;
    println!("best move: {best}");
    assert!(legal.contains(&best));
    Ok(())
}
