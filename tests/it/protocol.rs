//! The GGP protocol over real sockets: transcripts of valid and invalid messages (`tests/protocol`),
//! server and client against each other, and hostile peers.

mod compliance;
mod hostile;
mod hosting;
mod players;
pub(crate) mod schema;
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

/// A stopped token ends the server: it answers waiting requests, closes the connections, and joins its
/// threads.
#[test]
fn a_raised_token_ends_it_all() {
    use ggp_server::player::PlayerConfig;
    use std::time::{Duration, Instant};
    let mut serving = serving::Serving::scripted(PlayerConfig::default(), players::Manner::Patient);
    let address = serving.address;
    let rules = include_str!("../../crates/server/src/comply/take.kif");
    assert_eq!(serving.say(&format!("( START m left ({rules}) 1 60)")), "ready");
    let say = |text: &str| {
        let bytes = format!("POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n{text}", text.len());
        let reply = serving::exchange(address, bytes.as_bytes(), false).expect("a reply");
        String::from_utf8(reply).expect("text")
    };
    std::thread::scope(|scope| {
        let thinking = scope.spawn(|| say("( PLAY m NIL )"));
        let silent = scope.spawn(|| serving::exchange(address, b"POST", false));
        std::thread::sleep(Duration::from_millis(200));
        let began = Instant::now();
        serving.end().expect("a clean end");
        assert!(thinking.join().expect("no panic").ends_with("\r\n\r\nnil"));
        assert!(silent.join().expect("no panic").is_ok_and(|reply| reply.is_empty()));
        assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    });
    assert!(std::net::TcpStream::connect(address).is_err(), "nobody listens any more");
}
