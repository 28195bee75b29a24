//! The trial of external players before a tournament. A trial checks whether a program starts and answers, or
//! whether a player answers at an address.
//!
//! Invariants: a trial takes bounded time; a player passes with any well-formed answer.

use crate::spec::PlayerKind;
use ggp_arena::{CommandPlayer, Trial, Unfit};
use ggp_game::{Clocks, PlayError};
use ggp_protocol::Reply;
use ggp_server::http::{Address, ReplyError};
use ggp_server::remote::{Presence, RemotePlayer, TrialError};
use std::time::Duration;

/// The time within which a remote player must answer each message of its trial.
const ADDRESS_PATIENCE: Duration = Duration::from_secs(8);

/// The minimum time that a program has to start and to answer START. If the tournament's start clock and
/// grace time add up to more, the program has their sum.
const PROGRAM_PATIENCE: Duration = Duration::from_secs(15);

/// A program's trial sends START with the tournament's start clock, shortened to this time if it is longer. A
/// short clock keeps the trial short.
const START_CLOCK: Duration = Duration::from_secs(1);

/// The maximum number of characters that an error quotes from an answer.
const EXCERPT: usize = 60;

/// Holds the trial of the player `name` of the kind `kind`, and returns warnings. A remote player first
/// receives INFO. If it gives no readable answer, it receives START with the match id `id`.
pub(crate) fn hold(kind: &PlayerKind, name: &str, id: &str, trial: &Trial<'_>) -> Result<Vec<String>, Unfit> {
    match kind {
        PlayerKind::Local(_) => Ok(Vec::new()),
        PlayerKind::Command(command) => {
            let patience = PROGRAM_PATIENCE.max(trial.clocks.start.saturating_add(trial.grace));
            try_program(command, trial, patience).map(|()| Vec::new())
        }
        PlayerKind::Remote(address) => {
            let presence = try_address(address, name, id, trial, ADDRESS_PATIENCE)?;
            let busy = format!("player {name} ({address}) says that it is busy with another match");
            Ok(if presence == Presence::Busy { vec![busy] } else { Vec::new() })
        }
    }
}

fn try_program(command: &str, trial: &Trial<'_>, patience: Duration) -> Result<(), Unfit> {
    let clocks = Clocks { start: trial.clocks.start.min(START_CLOCK), ..trial.clocks };
    let unfit = |why: String, help: &str| Unfit { why: format!("`{command}`: {why}"), help: help.to_owned() };
    match CommandPlayer::trial(command, &Trial { clocks, ..*trial }, patience) {
        Ok(answer) if Reply::parse_move(&answer, |_| true).is_ok() => Ok(()),
        Ok(answer) => Err(unfit(
            format!("it answers START with `{}`, not with a word such as `ready`", excerpt(&answer)),
            "only answers belong on its standard output, the rest on its standard error",
        )),
        Err(PlayError::TimedOut) => Err(unfit(
            format!("it has started, but not answered START in {} s", patience.as_secs()),
            "a player answers each line on its standard input with one line on its standard output, flushed",
        )),
        Err(PlayError::Gone(why) | PlayError::Unable(why)) => {
            Err(unfit(why, "correct the command, or run it by hand to see why it fails"))
        }
        Err(error) => Err(unfit(error.to_string(), "run it by hand to see why it fails")),
    }
}

fn try_address(
    address: &Address,
    name: &str,
    id: &str,
    trial: &Trial<'_>,
    patience: Duration,
) -> Result<Presence, Unfit> {
    let mut player = RemotePlayer::new(address.clone(), id).named(name);
    player.trial(trial.game, trial.role, patience, trial.stop).map_err(|error| {
        let (why, help) = match error {
            TrialError::Reply(ReplyError::TimedOut) => (
                format!("it answers neither INFO nor START within {} s", patience.as_secs()),
                "wait until it is free if it plays another match, else start it again",
            ),
            TrialError::Reply(error @ (ReplyError::Closed | ReplyError::TooLarge)) => (
                format!("it answers neither INFO nor START: {error}"),
                "another program than a player may listen there: correct the address",
            ),
            TrialError::Reply(error) => (error.to_string(), "start the player there, or correct the address"),
            TrialError::Strange(answer) => (
                format!("it answers START with `{}`, not with a word such as `ready`", excerpt(&answer)),
                "another program than a player may listen there: correct the address",
            ),
        };
        Unfit { why: format!("{address}: {why}"), help: help.to_owned() }
    })
}

fn excerpt(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ggp_game::{Game, Role, StopToken};
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::time::Instant;

    const SHORT: Duration = Duration::from_millis(300);
    const LONG: Duration = Duration::from_secs(20);

    fn with_trial<T>(work: impl FnOnce(&Trial<'_>) -> T) -> T {
        let rules = "(role x) (role y) (legal x a) (legal y a) (init s) (next t) (<= terminal (true t)) \
                     (goal x 50) (goal y 50)";
        let game = Arc::new(Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap());
        let clocks = Clocks { start: Duration::MAX, play: Duration::from_secs(1) };
        let stop = StopToken::new();
        work(&Trial { game: &game, role: Role(0), clocks, grace: Duration::ZERO, stop: &stop })
    }

    #[cfg(unix)]
    #[test]
    fn a_program_passes_by_any_answer_and_fails_by_none() {
        let run = |command: &str, patience| with_trial(|trial| try_program(command, trial, patience));
        for good in ["echo ready", "echo READY", "echo nil; sleep 30", "read line; echo nonsense"] {
            assert_eq!(run(&format!("sh -c '{good}'"), LONG), Ok(()), "{good}");
        }
        for (bad, patience, said) in [
            ("/no/such/program", LONG, "`/no/such/program` cannot be started: No such file"),
            ("sh -c 'echo no luck >&2; exit 3'", LONG, "the program ended (exit status: 3): no luck"),
            ("sleep 30", SHORT, "it has started, but not answered START in 0 s"),
            (
                "sh -c 'echo I am ready; read line'",
                LONG,
                "it answers START with `I am ready`, not with a word",
            ),
        ] {
            let began = Instant::now();
            let unfit = run(bad, patience).unwrap_err();
            assert!(
                unfit.why.starts_with(&format!("`{bad}`: ")) && unfit.why.contains(said),
                "{}",
                unfit.why
            );
            assert!(!unfit.help.is_empty() && began.elapsed() < LONG, "{bad}");
        }
    }

    /// The address of a new server, and a channel with the messages that the server receives. The server
    /// answers each message with the text that `answer` returns, which may have an HTTP head of its own. If the text is
    /// empty, it closes the connection. If `answer` returns `None`, it keeps the connection open and sends nothing.
    fn somebody(answer: fn(&str) -> Option<&'static str>) -> (Address, std::sync::mpsc::Receiver<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string().parse().unwrap();
        let (sender, asked) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut silent = Vec::new();
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.unwrap());
                let (mut line, mut length) = (String::new(), 0);
                while stream.read_line(&mut line).unwrap() > 2 {
                    if let Some(value) = line.strip_prefix("Content-Length: ") {
                        length = value.trim().parse().unwrap();
                    }
                    line.clear();
                }
                let mut text = vec![0; length];
                stream.read_exact(&mut text).unwrap();
                let text = String::from_utf8(text).unwrap();
                let reply = answer(&text);
                let _ = sender.send(text);
                match reply {
                    Some("") => {}
                    Some(reply) if reply.starts_with("HTTP/") => {
                        let _ = stream.get_mut().write_all(reply.as_bytes());
                    }
                    Some(reply) => {
                        let head = format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n", reply.len());
                        let _ = stream.get_mut().write_all((head + reply).as_bytes());
                    }
                    None => silent.push(stream),
                }
            }
        });
        (address, asked)
    }

    #[test]
    fn whoever_answers_is_reachable() {
        let run = |answer, patience| {
            let (address, asked) = somebody(answer);
            let held = with_trial(|trial| try_address(&address, "p", "trial.1", trial, patience));
            (held, asked.try_iter().map(|text| text.chars().take(7).collect()).collect::<Vec<String>>())
        };
        let info = "( INFO ".to_owned();
        let all = [info.clone(), "( START".to_owned(), "( STOP ".to_owned()];
        let answers: [fn(&str) -> Option<&'static str>; 3] =
            [|_| Some("((name x) (status available))"), |_| Some("ready"), |_| Some("nil")];
        for answer in answers {
            assert_eq!(run(answer, LONG), (Ok(Presence::Available), vec![info.clone()]), "{:?}", answer(""));
        }
        assert_eq!(run(|_| Some("( ( name x ) ( status BUSY ) )"), LONG), (Ok(Presence::Busy), vec![info]));
        // A player that does not know INFO gives no answer, closes the connection, or gives an unexpected
        // answer.
        let start = |text: &str| if text.contains("START") { Some("ready") } else { None };
        assert_eq!(run(start, SHORT), (Ok(Presence::Available), all.to_vec()));
        let start = |text: &str| Some(if text.contains("START") { "busy" } else { "" });
        assert_eq!(run(start, LONG), (Ok(Presence::Busy), all.to_vec()));
    }

    #[test]
    fn whoever_does_not_answer_as_a_player_is_refused() {
        let run = |address: &Address, patience| {
            with_trial(|trial| try_address(address, "p", "trial.1", trial, patience)).unwrap_err()
        };
        let (silent, _asked) = somebody(|_| None);
        let began = Instant::now();
        assert!(run(&silent, SHORT).why.ends_with("/: it answers neither INFO nor START within 0 s"));
        assert!(began.elapsed() < LONG);
        let (closing, _asked) = somebody(|_| Some(""));
        assert!(run(&closing, LONG).why.contains("the connection was closed without a reply"));
        let (page, _asked) = somebody(|_| Some("<html> Not found </html>"));
        assert!(run(&page, LONG).why.contains("it answers START with `<html> Not found </html>`"));
        let (missing, _asked) = somebody(|_| Some("HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n"));
        assert!(run(&missing, LONG).why.contains("it answers START with `HTTP 404 Not Found`, not with"));
        let (broken, _asked) = somebody(|_| Some("HTTP/1.0 500 Oops\r\nContent-Length: 6\r\n\r\nbroken"));
        assert!(run(&broken, LONG).why.contains("it answers START with `HTTP 500 Oops`, not with"));
        let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let unfit = run(&gone.to_string().parse().unwrap(), LONG);
        assert!(unfit.why.starts_with(&format!("http://{gone}/: cannot connect: ")), "{}", unfit.why);
        assert_eq!(unfit.help, "start the player there, or correct the address");
    }
}
