//! Debug.
use ggp_game::{Game, StopToken};
use ggp_propnet::{GroundLimits, PropNet};
fn main() {
    let file = std::env::args().nth(1).unwrap();
    let game = Game::new(ggp_gdl::parse(&std::fs::read(&file).expect("readable")).expect("GDL")).expect("valid");
    let net = PropNet::ground(&game, &GroundLimits::default(), &StopToken::new()).expect("ground");
    for f in net.fluents() { if f.fact.as_str().contains("30)") || f.fact.as_str().contains(" 1)") { println!("{} initial {} next {:?} {:?}", f.fact, f.initial, f.next, net.nodes()[f.next.node()]); } }
    for r in net.roles() { for m in &r.moves { println!("{} {:?}", m.text, m.legal); } }
}
