//! An independent player of the protocol with one selectable flaw, for the tests of the examiner and the
//! manager.

use ggp_game::{Game, InformationSet, Interpreter, Move, Observation, Role, StateMachine};
use ggp_protocol::{LastTurn, Request};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The flaw of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flaw {
    /// No flaw.
    None,
    /// Applies the move that it gave instead of the one that it is told.
    LosesTrack,
    /// Accepts any match id.
    AnyId,
    /// Answers this number of milliseconds after the clock of one second has run out.
    Late(u64),
    /// Answers without an HTTP head.
    NoHead,
    /// Declares a length that is too large by three.
    WrongLength,
    /// Writes moves in capitals.
    Capitals,
    /// Chooses its move in a state that it imagines, without a look at its percepts.
    IgnoresPercepts,
    /// Gives no move in the first turn of a game of hidden information.
    NoFirstTurn,
    /// Serves one connection at a time, and thinks for most of a second.
    OneAtATime,
    /// Never answers PLAY and keeps the connection open.
    Silent,
    /// Closes the connection on PLAY.
    Closes,
    /// Answers PLAY with unbalanced parentheses.
    Garbage,
    /// Answers PLAY with megabytes.
    Huge,
    /// Answers PLAY with one byte per second.
    Drips,
    /// Answers PLAY with an illegal move.
    Illegal,
    /// Answers with status 500 and a legal move.
    Status500,
    /// Answers PLAY with status 500 and without a text.
    Fails,
    /// Answers every message with status 500 and one word.
    Broken,
    /// No player listens at the address.
    Absent,
}

struct Match {
    id: String,
    machine: Interpreter,
    state: <Interpreter as StateMachine>::State,
    role: Role,
    possible: InformationSet<Interpreter>,
    given: Option<Move>,
    last: Option<(LastTurn, String)>,
}

/// A running player. Dropping it ends its server.
pub(crate) struct Simple {
    pub(crate) address: SocketAddr,
    stop: Arc<AtomicBool>,
}

impl Simple {
    pub(crate) fn start(flaw: Flaw) -> Simple {
        let stop = Arc::new(AtomicBool::new(false));
        if flaw == Flaw::Absent {
            // A port that the system gave and took back may already belong to the server of another test.
            return Simple { address: SocketAddr::from(([127, 0, 0, 1], 1)), stop };
        }
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let token = Arc::clone(&stop);
        let table: Arc<Mutex<Option<Match>>> = Arc::default();
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                if token.load(Ordering::Relaxed) {
                    return;
                }
                let table = Arc::clone(&table);
                let serve = move || drop(serve(&stream, flaw, &table));
                if flaw == Flaw::OneAtATime {
                    serve();
                } else {
                    std::thread::spawn(serve);
                }
            }
        });
        Simple { address, stop }
    }
}

impl Drop for Simple {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
    }
}

/// Reads a head and as many bytes as it declares; without a length, all bytes until the sender closes.
fn read(mut stream: &TcpStream) -> std::io::Result<(String, Vec<u8>)> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let ends = [(&b"\r\n\r\n"[..], 4), (b"\n\n", 2)];
        let end = |(mark, length): &(&[u8], usize)| {
            bytes.windows(*length).position(|window| window == *mark).map(|at| at + length)
        };
        if let Some(start) = ends.iter().filter_map(end).min() {
            let head = String::from_utf8_lossy(&bytes[..start]).into_owned();
            let length = head.to_lowercase().lines().find_map(|line| {
                line.strip_prefix("content-length:").and_then(|length| length.trim().parse::<usize>().ok())
            });
            if !head.starts_with("POST") {
                return Ok((head, Vec::new()));
            }
            if length.is_some_and(|length| bytes.len() >= start + length) {
                return Ok((head, bytes.split_off(start)));
            }
        }
        match stream.read(&mut chunk)? {
            0 => {
                let start = bytes.windows(4).position(|w| w == b"\r\n\r\n").map_or(0, |at| at + 4);
                return Ok((String::new(), bytes.split_off(start)));
            }
            count => bytes.extend_from_slice(&chunk[..count]),
        }
    }
}

fn serve(stream: &TcpStream, flaw: Flaw, table: &Mutex<Option<Match>>) -> std::io::Result<()> {
    let (head, mut text) = read(stream)?;
    if flaw == Flaw::Broken {
        return reply(stream, "broken", flaw);
    }
    if head.starts_with("OPTIONS") {
        return reply(stream, "", flaw);
    }
    if let Some(rest) = head.strip_prefix("GET /") {
        let path = rest.split(' ').next().unwrap_or("");
        text = path.replace("%28", "(").replace("%29", ")").into_bytes();
    }
    // An invalid message is not answered; the connection is closed.
    let Ok(request) = Request::parse(&text) else { return Ok(()) };
    let playing = matches!(request, Request::Play { .. });
    let answer = answer(request, flaw, table);
    if !playing || answer == "busy" || answer == "nil" {
        return reply(
            stream,
            &answer,
            if flaw == Flaw::WrongLength || flaw == Flaw::NoHead { flaw } else { Flaw::None },
        );
    }
    match flaw {
        Flaw::Late(by) => std::thread::sleep(Duration::from_millis(1000 + by)),
        Flaw::OneAtATime => std::thread::sleep(Duration::from_millis(800)),
        Flaw::Silent => {
            std::thread::sleep(Duration::from_secs(4));
            return Ok(());
        }
        Flaw::Closes => return Ok(()),
        Flaw::Garbage => return reply(stream, "(((", flaw),
        Flaw::Fails => return reply(stream, "", flaw),
        Flaw::Illegal => return reply(stream, "(no such move)", flaw),
        Flaw::Huge => return reply(stream, &"x".repeat(8 << 20), flaw),
        Flaw::Drips => {
            let mut stream = stream;
            stream.write_all(b"HTTP/1.0 200 OK\r\n\r\n")?;
            for byte in answer.bytes().take(4) {
                stream.write_all(&[byte])?;
                std::thread::sleep(Duration::from_secs(1));
            }
            return Ok(());
        }
        _ => {}
    }
    reply(stream, &answer, flaw)
}

fn reply(mut stream: &TcpStream, text: &str, flaw: Flaw) -> std::io::Result<()> {
    let length = text.len() + if flaw == Flaw::WrongLength { 3 } else { 0 };
    let fails = matches!(flaw, Flaw::Status500 | Flaw::Fails | Flaw::Broken);
    let status = if fails { "500 Oops" } else { "200 OK" };
    if flaw != Flaw::NoHead {
        write!(
            stream,
            "HTTP/1.0 {status}\nContent-type: text/acl\nContent-length: {length}\nAccess-Control-Allow-Origin: *\n\n"
        )?;
    }
    stream.write_all(text.as_bytes())
}

fn answer(request: Request<'_>, flaw: Flaw, table: &Mutex<Option<Match>>) -> String {
    let mut table = table.lock().expect("no panic");
    let running = |id: &str| table.as_ref().is_some_and(|m| m.id == id || flaw == Flaw::AnyId);
    let text = match request {
        Request::Info => {
            let status = if table.is_some() { "busy" } else { "available" };
            return format!("((name simple) (status {status}))");
        }
        Request::Ping | Request::Preview { .. } => "ready",
        Request::Start { id, role, rules, .. } => {
            if table.is_some() {
                return "busy".to_owned();
            }
            match begin(id, &role, &rules) {
                Some(started) => {
                    *table = Some(started);
                    "ready"
                }
                None => "busy",
            }
        }
        Request::Play { id, last_turn } if running(&id) => {
            let playing = table.as_mut().expect("running");
            return play(playing, last_turn, flaw).unwrap_or_else(|| "nil".to_owned());
        }
        Request::Stop { id, .. } if running(&id) => {
            *table = None;
            "done"
        }
        Request::Abort { id } if running(&id) => {
            *table = None;
            "aborted"
        }
        _ => "busy",
    };
    text.to_owned()
}

fn begin(id: String, role: &str, rules: &[u8]) -> Option<Match> {
    let game = Arc::new(Game::new(ggp_gdl::parse(rules).ok()?).ok()?);
    let role = game.role_named(role)?;
    let mut machine = Interpreter::new(&game);
    let state = machine.initial_state().ok()?;
    let possible = InformationSet::initial(&mut machine, role, 1000).ok()?;
    Some(Match { id, machine, state, role, possible, given: None, last: None })
}

fn play(playing: &mut Match, last_turn: LastTurn, flaw: Flaw) -> Option<String> {
    if let Some((last, answer)) = &playing.last
        && *last == last_turn
    {
        return Some(answer.clone());
    }
    let Match { machine, state, role, possible, given, .. } = playing;
    let mut legal = Vec::new();
    for role in machine.game().clone().roles() {
        machine.legal_moves(state, role, &mut legal).ok()?;
    }
    if let LastTurn::Moves(joint) = &last_turn {
        let mut joint = machine.parse_joint(joint).ok()?;
        if let (Flaw::LosesTrack, Some(given)) = (flaw, *given) {
            joint[role.index()] = given;
        }
        *state = machine.next_state(state, &joint).ok()?;
    }
    match &last_turn {
        LastTurn::Percepts { turn: 0, .. } if flaw == Flaw::NoFirstTurn => return None,
        LastTurn::Percepts { turn, own: Some(own), percepts } if flaw != Flaw::IgnoresPercepts => {
            possible.follow(machine, Observation::Percepts { turn: *turn, own, seen: percepts }, 0).ok()?;
            possible.legal_moves(machine, &mut legal).ok()?;
        }
        LastTurn::Percepts { turn: 1.., .. } => {
            let mut joint = Vec::new();
            for role in machine.game().clone().roles() {
                machine.legal_moves(state, role, &mut legal).ok()?;
                joint.push(*legal.first()?);
            }
            *state = machine.next_state(state, &joint).ok()?;
            machine.legal_moves(state, *role, &mut legal).ok()?;
        }
        _ => machine.legal_moves(state, *role, &mut legal).ok()?,
    }
    *given = legal.first().copied();
    let mv = machine.move_text((*given)?).to_owned();
    let answer = if flaw == Flaw::Capitals { mv.to_uppercase() } else { mv };
    playing.last = Some((last_turn, answer.clone()));
    Some(answer)
}
