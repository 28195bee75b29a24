//! Players that are external programs. Each message of the GGP protocol is a line on the program's standard
//! input; each answer is a line on its standard output.
//!
//! Invariants: the program cannot block a call for longer than the clock and the grace time, because separate
//! threads serve its pipes. The length of a line is bounded. The program is killed when the player is
//! dropped, on Unix together with the programs that it has started.

use crate::trial::Trial;
use ggp_game::{Clocks, Deadline, Game, Observation, PlayError, Player, Role, StopToken};
use ggp_protocol::{LastTurn, Reply, Request, rules_line};
use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The maximum length of a line that the program writes to its standard output, in bytes.
const MAX_LINE: u64 = 1 << 20;

/// The maximum number of the program's output lines that are buffered until they are read.
const QUEUE: usize = 64;

/// The number of bytes that are kept for error messages from the end of the program's standard error.
const STDERR_TAIL: usize = 2000;

/// The interval at which a wait for an answer checks the stop token.
const POLL: Duration = Duration::from_millis(20);

/// The maximum time to wait for the answer to a STOP message.
const STOP_CLOCK: Duration = Duration::from_secs(1);

/// The maximum time to wait for the exit status of a program that has closed its output.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// A player that is an external program, started for one match.
pub struct CommandPlayer {
    child: Child,
    requests: Option<Sender<String>>,
    answers: Receiver<String>,
    errors: Arc<Mutex<Vec<u8>>>,
    grace: Duration,
    /// The least time to wait for the answer to START.
    start_patience: Duration,
    match_id: String,
    play_clock: Duration,
    /// The number of requests that timed out and have not been answered since. Answers to them that arrive
    /// late are skipped.
    owed: usize,
    /// Whether an earlier call has found that the program has ended.
    is_gone: bool,
    /// Whether an earlier call has learnt the program's exit status. The system may then give the program's number to
    /// another process.
    has_ended: bool,
}

/// Splits a command line into words. Blanks separate words. `'…'` and `"…"` quote text. `\` escapes the next
/// character, except within `'…'`.
///
/// # Errors
/// When the line is empty, ends with `\`, or a quote is not closed.
pub fn split_command(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => {
                let next = chars.next().ok_or("the command ends with `\\`")?;
                word.get_or_insert_default().push(next);
            }
            (c, Some(q)) if c == q => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    if let Some(quote) = quote {
        return Err(format!("a {quote} is not closed"));
    }
    words.extend(word);
    if words.is_empty() { Err("the command is empty".to_owned()) } else { Ok(words) }
}

impl CommandPlayer {
    /// Starts the program of the command line `command`, which [`split_command`] splits into words. An answer
    /// is accepted until `grace` after the clock of its request has run out. `match_id` identifies the match
    /// in the protocol's messages.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn spawn(command: &str, match_id: &str, grace: Duration) -> Result<CommandPlayer, PlayError> {
        let words = split_command(command).map_err(PlayError::Unable)?;
        let mut program = Command::new(&words[0]);
        program.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // The signal of a terminal goes to a whole group of processes. The program has one of its own, so that Ctrl-C ends
        // the match before the program can be blamed for ending. Its programs belong to the group as well, and end with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut program, 0);
        let mut child = program
            .spawn()
            .map_err(|error| PlayError::Gone(format!("`{}` cannot be started: {error}", words[0])))?;
        let (requests, lines) = channel::<String>();
        let (sender, answers) = sync_channel(QUEUE);
        let errors = Arc::new(Mutex::new(Vec::new()));
        let tail = Arc::clone(&errors);
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let spawned = [
            serve(move || write_lines(stdin, &lines)),
            serve(move || read_lines(stdout, &sender)),
            serve(move || keep_tail(stderr, &tail)),
        ];
        let player = CommandPlayer {
            child,
            requests: Some(requests),
            answers,
            errors,
            grace,
            start_patience: Duration::ZERO,
            match_id: match_id.to_owned(),
            play_clock: Duration::MAX,
            owed: 0,
            is_gone: false,
            has_ended: false,
        };
        match spawned.into_iter().find_map(Result::err) {
            Some(error) => Err(PlayError::Gone(format!("cannot start a thread for `{}`: {error}", words[0]))),
            None => Ok(player),
        }
    }

    /// Sets the least time to wait for the answer to START, even if its deadline is earlier.
    #[must_use]
    pub fn with_start_patience(mut self, patience: Duration) -> CommandPlayer {
        self.start_patience = patience;
        self
    }

    /// Sends a START message with `clocks`, and returns the program's answer. The answer must arrive before
    /// `stop` is raised, and at the latest when the grace time after `deadline` has passed.
    fn begin(
        &mut self,
        game: &Game,
        role: Role,
        clocks: Clocks,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError> {
        self.play_clock = clocks.play;
        let patient = Deadline::after(self.start_patience).0.zip(deadline.0);
        let deadline = Deadline(patient.map(|(patient, at)| patient.max(at)));
        let request = Request::Start {
            id: self.match_id.clone(),
            role: game.role_name(role).to_owned(),
            rules: Cow::Owned(rules_line(&game.description().source)),
            clocks,
        };
        self.ask(&request, deadline, stop)
    }

    /// Checks that the program of the command line `command` can be started and answers. Sends it a START
    /// message and, once that is answered, a STOP message. Returns the answer to START, which must arrive
    /// within `patience`.
    ///
    /// # Errors
    /// When the program cannot be started, ends, or does not answer in time.
    pub fn trial(command: &str, trial: &Trial<'_>, patience: Duration) -> Result<String, PlayError> {
        let mut player = CommandPlayer::spawn(command, "trial", Duration::ZERO)?;
        let answer =
            player.begin(trial.game, trial.role, trial.clocks, Deadline::after(patience), trial.stop)?;
        player.stop(Observation::Start);
        Ok(answer)
    }

    /// Sends `request` to the program and returns the program's answer. Stops waiting when `stop` is raised
    /// or the grace time after `deadline` has passed.
    fn ask(
        &mut self,
        request: &Request<'_>,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError> {
        let sent = self.requests.as_ref().is_some_and(|requests| requests.send(request.to_string()).is_ok());
        if !sent {
            return Err(self.gone());
        }
        let deadline = deadline.0.and_then(|at| at.checked_add(self.grace));
        loop {
            let left = deadline.map_or(POLL, |at| at.saturating_duration_since(Instant::now()));
            match self.answers.recv_timeout(left.min(POLL)) {
                Ok(_) if self.owed > 0 => self.owed -= 1,
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(self.gone()),
                Err(RecvTimeoutError::Timeout) => {
                    if stop.is_stopped() || left.is_zero() {
                        self.owed += 1;
                        return Err(PlayError::TimedOut);
                    }
                }
            }
        }
    }

    /// The error for a program that has ended. Its text gives the exit status and the last line that the
    /// program wrote to standard error.
    fn gone(&mut self) -> PlayError {
        let since = Instant::now();
        while !self.is_gone && since.elapsed() < LAST_WORDS && self.exit_status().is_none() {
            std::thread::sleep(POLL);
        }
        if !self.is_gone {
            // Gives the other thread time to read the last lines of standard error.
            std::thread::sleep(POLL);
            self.is_gone = true;
        }
        let mut why = match self.exit_status() {
            Some(status) => format!("the program ended ({status})"),
            None => "the program closed its output".to_owned(),
        };
        let tail = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = String::from_utf8_lossy(&tail).lines().rfind(|line| !line.trim().is_empty()) {
            why.push_str(": ");
            why.push_str(line.trim());
        }
        PlayError::Gone(why)
    }

    /// The program's exit status, or `None` while it runs. Kills what is left of its group when the status is learnt.
    fn exit_status(&mut self) -> Option<ExitStatus> {
        let status = self.child.try_wait().ok().flatten()?;
        if !self.has_ended {
            kill_group(&self.child);
            self.has_ended = true;
        }
        Some(status)
    }

    fn last_turn(seen: Observation<'_>) -> LastTurn {
        match seen {
            Observation::Start => LastTurn::Nothing,
            Observation::Moves(moves) => LastTurn::Moves(moves.to_vec()),
            Observation::Percepts { turn, own, seen } => {
                LastTurn::Percepts { turn, own: Some(own.to_owned()), percepts: seen.to_vec() }
            }
        }
    }

    fn play_request(&self, seen: Observation<'_>) -> Request<'static> {
        Request::Play { id: self.match_id.clone(), last_turn: CommandPlayer::last_turn(seen) }
    }
}

impl Player for CommandPlayer {
    fn start(
        &mut self,
        game: &Arc<Game>,
        role: Role,
        clocks: Clocks,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<(), PlayError> {
        match Reply::parse_status(&self.begin(game, role, clocks, deadline, stop)?) {
            Some(Reply::Busy) => Err(PlayError::Unable("it is busy with another match".to_owned())),
            _ => Ok(()),
        }
    }

    fn play(
        &mut self,
        seen: Observation<'_>,
        deadline: Deadline,
        stop: &StopToken,
    ) -> Result<String, PlayError> {
        let answer = self.ask(&self.play_request(seen), deadline, stop)?;
        // Here every answer counts as a move, even `nil` or `busy`. The referee decides whether the game has
        // such a move.
        match Reply::parse_move(&answer, |_| true) {
            Ok(Reply::Move(mv)) => Ok(mv),
            _ => Err(PlayError::BadAnswer(answer)),
        }
    }

    /// Sends the observation in a PLAY message, as if the program were asked for a move. Waits up to the play
    /// clock and the grace time for the program's answer, and ignores it.
    fn observe(&mut self, seen: Observation<'_>) -> Result<(), PlayError> {
        self.ask(&self.play_request(seen), Deadline::after(self.play_clock), &StopToken::new()).map(drop)
    }

    fn stop(&mut self, seen: Observation<'_>) {
        let request = Request::Stop { id: self.match_id.clone(), last_turn: CommandPlayer::last_turn(seen) };
        let clock = self.play_clock.min(STOP_CLOCK);
        if self.owed == 0 {
            let _ = self.ask(&request, Deadline::after(clock), &StopToken::new());
        }
        self.requests = None;
    }
}

impl Drop for CommandPlayer {
    fn drop(&mut self) {
        self.requests = None;
        if !self.has_ended {
            kill_group(&self.child);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Kills the program `leader` and the programs that it has started, except those that have left its group.
#[cfg(unix)]
fn kill_group(leader: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let _ = kill_process_group(Pid::from_child(leader), Signal::KILL);
}

/// Does nothing, because only Unix has groups of processes.
#[cfg(not(unix))]
fn kill_group(_: &Child) {}

fn serve(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().spawn(work).map(drop)
}

fn write_lines(stdin: Option<impl Write>, lines: &Receiver<String>) {
    let Some(mut stdin) = stdin else { return };
    for line in lines {
        let written = stdin.write_all(line.as_bytes()).and_then(|()| stdin.write_all(b"\n"));
        if written.and_then(|()| stdin.flush()).is_err() {
            break;
        }
    }
}

/// Sends each line of `stdout` to `answers`, except blank lines. A line longer than [`MAX_LINE`] is split
/// after that many bytes.
fn read_lines(stdout: Option<impl Read>, answers: &SyncSender<String>) {
    let Some(stdout) = stdout else { return };
    let mut reader = BufReader::new(stdout);
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if !text.is_empty() && answers.send(text.to_owned()).is_err() {
            return;
        }
    }
}

fn keep_tail(stderr: Option<impl Read>, tail: &Mutex<Vec<u8>>) {
    let Some(mut stderr) = stderr else { return };
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut buffer) {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend_from_slice(&buffer[..count]);
        let surplus = tail.len().saturating_sub(STDERR_TAIL);
        tail.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_split() {
        let split = |line| split_command(line).unwrap();
        assert_eq!(split("  ./p --fast  7 "), ["./p", "--fast", "7"]);
        assert_eq!(split(r#"sh -c 'echo "a  b"' "c \" d"''"#), ["sh", "-c", "echo \"a  b\"", "c \" d"]);
        assert_eq!(split(r"a\ b ''"), ["a b", ""]);
        for bad in ["", "  ", "'a", "a\\"] {
            assert!(split_command(bad).is_err(), "{bad}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_cannot_be_started_is_an_error() {
        let error = CommandPlayer::spawn("/nonexistent/player", "m", Duration::ZERO).map(drop).unwrap_err();
        assert!(error.to_string().contains("`/nonexistent/player` cannot be started"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn late_answers_are_not_taken_for_the_next_question() {
        let script = r"sh -c 'read a; sleep 0.3; echo first; while read b; do echo second; done'";
        let mut player = CommandPlayer::spawn(script, "m", Duration::ZERO).unwrap();
        let stop = StopToken::new();
        let soon = Deadline::after(Duration::from_millis(50));
        assert!(matches!(player.play(Observation::Start, soon, &stop), Err(PlayError::TimedOut)));
        let later = Deadline::after(Duration::from_secs(10));
        assert_eq!(player.play(Observation::Start, later, &stop).unwrap(), "second");
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_ends_says_why() {
        let mut player =
            CommandPlayer::spawn("sh -c 'read a; echo out of luck >&2; exit 3'", "m", Duration::ZERO)
                .unwrap();
        let later = Deadline::after(Duration::from_secs(10));
        let error = player.play(Observation::Start, later, &StopToken::new()).unwrap_err();
        assert!(matches!(error, PlayError::Gone(_)), "{error}");
        let text = error.to_string();
        assert!(text.contains("exit status: 3") && text.contains("out of luck"), "{text}");
    }

    #[cfg(unix)]
    #[test]
    fn what_a_program_has_started_ends_with_it() {
        let later = Deadline::after(Duration::from_secs(10));
        // The second program ends before the player is dropped.
        for script in [
            "sh -c 'sleep 60 & read a; echo left; sleep 60'",
            "sh -c 'sleep 60 > /dev/null & read a; exit 3'",
        ] {
            let mut player = CommandPlayer::spawn(script, "m", Duration::ZERO).unwrap();
            let answer = player.play(Observation::Start, later, &StopToken::new());
            assert!(matches!(answer.as_deref(), Ok("left") | Err(PlayError::Gone(_))), "{answer:?}");
            // The thread that reads standard error holds it until the last process that can write there has ended.
            let errors = Arc::downgrade(&player.errors);
            drop(player);
            let since = Instant::now();
            while errors.strong_count() > 0 {
                assert!(since.elapsed() < Duration::from_secs(30), "{script}");
                std::thread::sleep(POLL);
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_reads_nothing_blocks_nobody() {
        let mut player = CommandPlayer::spawn("sleep 30", "m", Duration::ZERO).unwrap();
        let moves = ["x".repeat(1 << 20)];
        let began = Instant::now();
        let soon = Deadline::after(Duration::from_millis(50));
        let answer = player.play(Observation::Moves(&moves), soon, &StopToken::new());
        assert!(matches!(answer, Err(PlayError::TimedOut)));
        drop(player);
        assert!(began.elapsed() < Duration::from_secs(5));
    }
}
