//! A player on a pair of streams, such as standard input and output. Each line of the input is one message, and
//! each line of the output is the answer to one message.
//!
//! Invariants: the answers have the order of the messages. The clock of a message starts when its line has
//! arrived, also if an earlier message is still being answered. The length of a line and the number of
//! waiting lines are bounded.

use super::{Dispatcher, Matches, PlayerConfig, PlayerFactory};
use ggp_game::StopToken;
use ggp_protocol::{MessageError, Request as Message};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// The interval at which the stop token is checked and the matches are tended.
const TICK: Duration = Duration::from_millis(20);

/// The maximum number of lines that wait for their answers. The input is not read while so many wait.
const QUEUE: usize = 16;

/// The reason why a line is no message.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// The line is longer than the bound for messages.
    #[error("the line is longer than {0} bytes")]
    TooLong(usize),
    /// The line cannot be read as a message.
    #[error(transparent)]
    Message(#[from] MessageError),
}

/// A line of the input.
struct Line {
    /// The text without the line break. `None` if the line is too long.
    text: Option<Vec<u8>>,
    arrived: Instant,
}

/// Answers the messages of `input` on `output` until the input ends, the reader of the output has gone, or
/// `stop` is raised. Messages that arrive before the end of the input are answered. A line that is no message is
/// answered with `nil`, and `on_error` receives its number and the reason. Then all matches are ended.
///
/// The thread that reads the input ends only with the input.
///
/// # Errors
/// When no thread can be started, or the output cannot be written for another reason than a reader that has
/// gone.
pub fn serve_lines(
    input: impl Read + Send + 'static,
    mut output: impl Write,
    config: PlayerConfig,
    factory: Arc<dyn PlayerFactory>,
    stop: &StopToken,
    mut on_error: impl FnMut(u64, &LineError),
) -> io::Result<()> {
    let longest = config.http.body;
    let (sender, lines) = sync_channel(QUEUE);
    thread::Builder::new().name("input".to_owned()).spawn(move || read_lines(input, longest, &sender))?;
    let dispatcher = Dispatcher { matches: Matches::new(config, factory) };
    let has_ended = AtomicBool::new(false);
    let served = thread::scope(|scope| {
        scope.spawn(|| {
            while !has_ended.load(Ordering::Relaxed) && !stop.is_stopped() {
                thread::sleep(TICK);
                dispatcher.matches.tend();
            }
            // This ends an answer that is under way.
            dispatcher.matches.close();
        });
        let served = answer_lines(&lines, longest, &dispatcher, &mut output, stop, &mut on_error);
        has_ended.store(true, Ordering::Relaxed);
        served
    });
    // A match may have begun while the other thread was ending all matches.
    dispatcher.matches.close();
    match served {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        served => served,
    }
}

/// Writes the answer to each of `lines` to `output`, until there are no more lines or `stop` is raised.
fn answer_lines(
    lines: &Receiver<Line>,
    longest: usize,
    dispatcher: &Dispatcher,
    output: &mut impl Write,
    stop: &StopToken,
    on_error: &mut impl FnMut(u64, &LineError),
) -> io::Result<()> {
    let mut number = 0;
    while !stop.is_stopped() {
        let line = match lines.recv_timeout(TICK) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        number += 1;
        let text = line.text.as_deref();
        if text.is_some_and(|text| text.trim_ascii().is_empty()) {
            continue;
        }
        let message = text.ok_or(LineError::TooLong(longest)).and_then(|text| Ok(Message::parse(text)?));
        let answer = match message {
            Ok(message) => dispatcher.answer(message, line.arrived),
            Err(error) => {
                on_error(number, &error);
                "nil".to_owned()
            }
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

/// Sends each line of `input` to `lines`, until the input ends, fails, or nobody receives the lines. Of a
/// line that is longer than `longest` bytes, no text is sent.
fn read_lines(input: impl Read, longest: usize, lines: &SyncSender<Line>) {
    let mut input = BufReader::new(input);
    loop {
        let mut text = Vec::new();
        // One byte more for the line break, and one by which a longer line is recognised.
        match input.by_ref().take(longest as u64 + 2).read_until(b'\n', &mut text) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let arrived = Instant::now();
        let is_whole = text.pop_if(|last| *last == b'\n').is_some();
        let text = if text.len() <= longest {
            Some(text)
        } else {
            if !is_whole && input.skip_until(b'\n').is_err() {
                return;
            }
            None
        };
        if lines.send(Line { text, arrived }).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::HttpLimits;
    use ggp_game::{Clocks, Deadline, Game, Observation, PlayError, Player, Role};
    use std::sync::mpsc::{Sender, channel};

    const START: &str = "(START m r ((role r) (init (step 0)) (succ 0 1) (succ 1 2) (legal r a) (legal r b) \
        (goal r 50) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= terminal (true (step 2)))) 5 5)";

    /// A test player that thinks until it is stopped if `thinks` holds, and plays `b`.
    struct Thinker {
        thinks: bool,
    }

    impl Player for Thinker {
        fn start(
            &mut self,
            _: &Arc<Game>,
            _: Role,
            _: Clocks,
            _: Deadline,
            _: &StopToken,
        ) -> Result<(), PlayError> {
            Ok(())
        }

        fn play(&mut self, _: Observation<'_>, _: Deadline, stop: &StopToken) -> Result<String, PlayError> {
            while self.thinks && !stop.is_stopped() {
                thread::sleep(Duration::from_millis(1));
            }
            Ok("b".to_owned())
        }
    }

    /// An input that ends when the sender of its parts is dropped.
    struct Parts(Receiver<&'static str>);

    impl Read for Parts {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let part = self.0.recv().unwrap_or("").as_bytes();
            buffer[..part.len()].copy_from_slice(part);
            Ok(part.len())
        }
    }

    /// The output for `input`, and the errors with the numbers of their lines.
    fn answers(input: impl Read + Send + 'static, thinks: bool, stop: &StopToken) -> (String, Vec<String>) {
        let (mut output, mut errors) = (Vec::new(), Vec::new());
        let factory = move |_: &str| -> Box<dyn Player> { Box::new(Thinker { thinks }) };
        let http = HttpLimits { body: 400, ..HttpLimits::default() };
        let config = PlayerConfig { http, ..PlayerConfig::default() };
        let on_error = |line: u64, error: &LineError| errors.push(format!("{line}: {error}"));
        serve_lines(input, &mut output, config, Arc::new(factory), stop, on_error).unwrap();
        (String::from_utf8(output).unwrap(), errors)
    }

    #[test]
    fn every_message_has_one_answer_and_no_other_line_ends_the_player() {
        let long = "x".repeat(401);
        let input = format!(
            "(info)\n\nhello\n{START}\n{long}\n(PLAY m nil)\n(PLAY m (b))\r\n(PLAY other nil)\n(STOP m (b))\n(ping)"
        );
        let (output, errors) = answers(io::Cursor::new(input), false, &StopToken::new());
        let info = "( ( name ggp ) ( status available ) )";
        let wanted = [info, "nil", "ready", "nil", "b", "b", "busy", "done", "ready"];
        assert_eq!(output.lines().collect::<Vec<_>>(), wanted);
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert!(errors[0].starts_with("3: ") && errors[1] == "5: the line is longer than 400 bytes");
    }

    #[test]
    fn a_stop_ends_the_player_while_it_thinks_and_while_the_input_is_open() {
        for thinks in [false, true] {
            let (parts, input): (Sender<&str>, _) = channel();
            for part in [START, "\n(PLAY m nil)\n"] {
                parts.send(part).unwrap();
            }
            let stop = StopToken::new();
            let begun = Instant::now();
            let (output, _) = thread::scope(|scope| {
                scope.spawn(|| {
                    thread::sleep(Duration::from_millis(300));
                    stop.stop();
                });
                answers(Parts(input), thinks, &stop)
            });
            assert!(begun.elapsed() < Duration::from_secs(3));
            let wanted = if thinks { "ready\nnil\n" } else { "ready\nb\n" };
            assert_eq!(output, wanted);
            drop(parts);
        }
    }
}
