//! Grounds the games in the given files and prints the sizes of their networks: `ground FILE…`.
use ggp_game::{Game, StopToken};
use ggp_propnet::{GroundLimits, PropNet};
use std::sync::Arc;
fn main() {
    for file in std::env::args().skip(1) {
        let text = std::fs::read(&file).expect("readable");
        let game = Arc::new(Game::new(ggp_gdl::parse(&text).expect("GDL")).expect("valid"));
        let t = std::time::Instant::now();
        let name = file.rsplit('/').next().unwrap_or("");
        match PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()) {
            Ok(net) => println!(
                "{name} {:.2} s {:?} nodes {}",
                t.elapsed().as_secs_f64(),
                net.counts(),
                net.nodes().len()
            ),
            Err(error) => println!("{name} {:.2} s FAILED {error}", t.elapsed().as_secs_f64()),
        }
    }
}
