//! The GGP protocol over real sockets: transcripts of good and bad messages (`tests/protocol`),
//! both ends against each other, and hostile peers.

mod compliance;
mod hostile;
mod hosting;
mod players;
mod schema;
mod serving;
mod simple;
mod transcript;

macro_rules! transcripts {
    ($($test:ident $file:literal)*) => {$(
        #[test]
        fn $test() {
            transcript::run($file, include_str!(concat!("../protocol/", $file)));
        }
    )*};
}

transcripts! {
    the_reference_dialect "ggp-base.txt"
    the_stanford_dialect "stanford.txt"
    the_dresden_dialect "dresden.txt"
    framing_as_it_comes "framing.txt"
    while_it_thinks "thinking.txt"
    repeated_messages "repeated.txt"
    bad_players "bad-players.txt"
}
