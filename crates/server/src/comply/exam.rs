//! The examination: its messages, their order, and the expected answers.

use super::sheet::{Finding, Requirement, Sheet, Verdict, shortened};
use super::trial::{Spelling, Trial};
use super::{ComplySetup, Failure};
use crate::http::post::post;
use crate::http::{Address, Answer, ReplyError};
use crate::scramble::Scramble;
use crate::wire;
use Requirement::{Must, Should};
use ggp_game::{EvalError, Game, Role, StopToken};
use ggp_protocol::About;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// The longest wait for an answer that the player must give at once, even while it thinks.
pub(super) const AT_ONCE: Duration = Duration::from_millis(500);

/// The longest wait for an answer where no clock of a match applies.
pub(super) const PATIENCE: Duration = Duration::from_secs(3);

/// An examination in progress.
pub(super) struct Exam<'a> {
    pub(super) address: &'a Address,
    pub(super) setup: &'a ComplySetup,
    pub(super) take: Arc<Game>,
    pub(super) guess: Arc<Game>,
    pub(super) cards: Arc<Game>,
    pub(super) sheet: Sheet,
    pub(super) watch: &'a mut dyn FnMut(&Finding),
    pub(super) stop: &'a StopToken,
    pub(super) matches: u32,
}

/// One check: its name, its importance and the expected behaviour.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) check: &'static str,
    pub(super) requirement: Requirement,
    pub(super) expected: &'static str,
}

pub(super) const fn must(check: &'static str, expected: &'static str) -> Line {
    Line { check, requirement: Must, expected }
}

pub(super) const fn should(check: &'static str, expected: &'static str) -> Line {
    Line { check, requirement: Should, expected }
}

type Said = Result<String, ReplyError>;

pub(super) fn text_of(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.text).trim().to_owned()
}

impl Exam<'_> {
    /// Runs the whole examination.
    pub(super) fn run(&mut self) -> Result<(), Failure> {
        if !self.introduce() {
            return Ok(());
        }
        self.frame();
        self.ask_as_stranger();
        self.play_match()?;
        self.play_other_spellings()?;
        self.interrupt_thinking()?;
        self.play_hidden()?;
        self.play_with_percepts()?;
        self.send_garbage();
        Ok(())
    }

    fn write(&mut self, line: Line, verdict: Verdict, sent: &str, got: &str, elapsed: Duration) -> bool {
        let finding = Finding {
            check: line.check,
            requirement: line.requirement,
            verdict,
            expected: line.expected,
            sent: shortened(sent),
            got: shortened(got),
            milliseconds: elapsed.as_millis() as u64,
        };
        (self.watch)(&finding);
        self.sheet.findings.push(finding);
        verdict == Verdict::Conforms
    }

    pub(super) fn judge(
        &mut self,
        line: Line,
        sent: &str,
        outcome: Result<String, String>,
        elapsed: Duration,
    ) -> bool {
        let verdict = if outcome.is_ok() { Verdict::Conforms } else { Verdict::Fails };
        let got = outcome.unwrap_or_else(|why| why);
        self.write(line, verdict, sent, &got, elapsed)
    }

    fn skip(&mut self, lines: &[Line]) {
        for &line in lines {
            self.write(line, Verdict::Skipped, "", "", Duration::ZERO);
        }
    }

    fn say(&self, text: &str, patience: Duration) -> (Said, Duration) {
        say(self.address, text, patience, self.stop)
    }

    /// Sends `text` and expects one of `words` as the answer. Returns the answer in lower case, or `None` if the
    /// check fails.
    fn word(&mut self, line: Line, text: &str, words: &[&str], patience: Duration) -> Option<String> {
        let (said, elapsed) = self.say(text, patience);
        let outcome = match said {
            Ok(reply) if words.iter().any(|word| word.eq_ignore_ascii_case(&reply)) => Ok(reply),
            Ok(reply) => Err(reply),
            Err(error) => Err(error.to_string()),
        };
        let word = outcome.clone().ok().map(|word| word.to_ascii_lowercase());
        self.judge(line, text, outcome, elapsed);
        word
    }

    fn status(&self, patience: Duration) -> (Result<String, String>, Duration) {
        let (said, elapsed) = self.say("( INFO )", patience);
        let status = said.map_err(|error| error.to_string()).and_then(|reply| {
            let about = About::parse(&reply).map_err(|_| reply.clone())?;
            about.status.ok_or(reply)
        });
        (status, elapsed)
    }

    pub(super) fn has_status(&mut self, line: Line, wanted: &[&str], patience: Duration) -> bool {
        let (status, elapsed) = self.status(patience);
        let outcome = status.and_then(|status| {
            let fits = wanted.iter().any(|word| word.eq_ignore_ascii_case(&status));
            if fits { Ok(status) } else { Err(status) }
        });
        self.judge(line, "( INFO )", outcome, elapsed)
    }

    /// Sends PREVIEW, and then messages that belong to no match, because START was never sent.
    fn ask_as_stranger(&mut self) {
        let moves = ggp_protocol::LastTurn::Moves(vec!["(take 1 9)".to_owned(), "wait".to_owned()]);
        let nothing = ggp_protocol::LastTurn::Nothing;
        let id = "no.such.match";
        self.word(must("idle.play", "busy"), &wire::play(id, &nothing), &["busy", "nil"], PATIENCE);
        self.word(must("idle.stop", "busy"), &wire::stop(id, &moves), &["busy"], PATIENCE);
        self.word(must("idle.abort", "busy"), &wire::abort(id), &["busy"], PATIENCE);
        let rules = String::from_utf8_lossy(&self.take.description().source).into_owned();
        let preview = wire::preview(&rules, Duration::from_secs(2));
        self.word(should("preview", "ready"), &preview, &["ready"], PATIENCE);
    }

    fn next_id(&mut self) -> String {
        self.matches += 1;
        format!("comply.{:08x}.{}", self.setup.seed & 0xffff_ffff, self.matches)
    }

    fn trial(&mut self, game: &Arc<Game>, role: u8, spelling: Spelling) -> Result<Trial, EvalError> {
        let id = self.next_id();
        Trial::new(id, game, Role(role), spelling)
    }

    /// Sends START and checks the answer. Returns whether the player accepts the match.
    fn start(&mut self, line: Line, trial: &Trial) -> bool {
        let clock = self.setup.clocks.start;
        self.word(line, &trial.start(self.setup.clocks), &["ready"], clock).is_some()
    }

    /// Sends the PLAY message `text` and expects one of the moves `legal` within the play clock. Returns the
    /// move, or `None` if the check fails.
    fn play(&mut self, line: Line, trial: &Trial, text: &str, legal: &[String]) -> Option<String> {
        let clock = self.setup.clocks.play;
        let (said, elapsed) = self.say(text, clock + crate::remote::GRACE);
        let outcome = match said {
            Ok(reply) => match trial.read(&reply) {
                Ok(mv) if !legal.contains(&mv) => Err(format!("{mv} is not legal")),
                Ok(mv) if elapsed > clock => Err(format!("{mv}, late")),
                Ok(mv) => Ok(mv),
                Err(why) => Err(why),
            },
            Err(error) => Err(error.to_string()),
        };
        let mv = outcome.clone().ok();
        self.judge(line, text, outcome, elapsed);
        mv
    }

    /// Sends the PLAY message `text`. Returns the answer if it is one of the moves `legal` and comes within the
    /// play clock.
    fn answer(&self, trial: &Trial, text: &str, legal: &[String]) -> Option<String> {
        let (said, elapsed) = self.say(text, self.setup.clocks.play + crate::remote::GRACE);
        let mv = said.ok().and_then(|reply| trial.read(&reply).ok());
        mv.filter(|mv| legal.contains(mv) && elapsed <= self.setup.clocks.play)
    }

    /// Notes whether all remaining moves of a match are `good`.
    fn judge_rest(&mut self, line: Line, text: &str, good: bool) {
        let outcome = if good { Ok("legal".to_owned()) } else { Err("illegal, late, or none".to_owned()) };
        self.judge(line, text, outcome, Duration::ZERO);
    }

    /// Plays a match from START to STOP.
    fn play_match(&mut self) -> Result<(), Failure> {
        const FIRST: Line = must("play.first", "a legal move before the play clock");
        const AGAIN: Line = should("play.again", "the same move, for a message that comes twice");
        const NEXT: Line = must("play.next", "the only legal move");
        const FOLLOW: Line = must("play.follow", "a legal move, when its own was replaced");
        const REST: Line = must("play.rest", "legal moves to the end");
        const OTHER: Line = must("match.other", "busy, for another match");
        const STATUS: Line = should("match.status", "status busy or available");
        const SECOND: Line = must("match.second", "busy or ready, for a second START");
        const STOP: Line = must("stop", "done");
        const OVER: Line = must("stop.over", "busy, for a match that is over");
        const FREE: Line = must("stop.available", "status available");
        let take = Arc::clone(&self.take);
        let mut trial = self.trial(&take, 0, Spelling::Plain)?;
        let all = [FIRST, AGAIN, OTHER, STATUS, SECOND, NEXT, FOLLOW, REST, STOP, OVER, FREE];
        if !self.start(must("start", "ready before the start clock"), &trial) {
            self.skip(&all);
            return Ok(());
        }
        let legal = trial.own_legal()?;
        let text = trial.play(None);
        let Some(first) = self.play(FIRST, &trial, &text, &legal) else {
            self.skip(&all[1..]);
            let _ = self.say(&wire::abort(&trial.id), PATIENCE);
            return Ok(());
        };
        let same = [first.clone()];
        self.play(AGAIN, &trial, &text, &same);
        let stranger = wire::play("no.such.match", &ggp_protocol::LastTurn::Nothing);
        self.word(OTHER, &stranger, &["busy", "nil"], PATIENCE);
        self.has_status(STATUS, &["busy", "available"], PATIENCE);
        let second = self.trial(&take, 1, Spelling::Plain)?;
        let words =
            self.word(SECOND, &second.start(self.setup.clocks), &["busy", "ready"], self.setup.clocks.start);
        if words.as_deref() == Some("ready") {
            let _ = self.say(&wire::abort(&second.id), PATIENCE);
        }
        self.play_on(&mut trial, first, NEXT, FOLLOW, REST, STOP)?;
        let text = trial.play(None);
        self.word(OVER, &text, &["busy", "nil"], PATIENCE);
        self.has_status(FREE, &["available"], PATIENCE);
        Ok(())
    }

    /// Continues a match to STOP, after the player has answered the first PLAY with the move `first`. The
    /// roles take turns; a role that is not on turn makes the move `wait`. When the player has moved on its
    /// second turn, the next PLAY reports another legal move in place of the player's move.
    fn play_on(
        &mut self,
        trial: &mut Trial,
        first: String,
        next: Line,
        follow: Line,
        rest: Line,
        stop: Line,
    ) -> Result<(), Failure> {
        let mut own = first;
        let mut good = true;
        for turn in 1.. {
            let joint = trial.joint(&own, 0)?;
            trial.advance(&joint)?;
            if trial.is_over()? || turn > 40 {
                let text = trial.stop(Some(&joint));
                self.judge_rest(rest, &text, good);
                self.word(stop, &text, &["done"], self.setup.clocks.play);
                return Ok(());
            }
            let legal = trial.own_legal()?;
            let text = trial.play(Some(&joint));
            let answer = match turn {
                1 => self.play(next, trial, &text, &legal),
                // The joint move of turn 3 has another move in place of the player's.
                4 => self.play(follow, trial, &text, &legal),
                _ => {
                    let mv = self.answer(trial, &text, &legal);
                    good &= mv.is_some();
                    mv
                }
            };
            own = answer.unwrap_or_else(|| legal[0].clone());
            if turn == 2
                && let Some(other) = legal.iter().find(|mv| **mv != own)
            {
                own.clone_from(other);
            }
        }
        Ok(())
    }

    /// Begins two more matches of the game that [`Exam::play_match`] plays, and aborts each after its first
    /// turns. The messages of the first have scrambled words, those of the second are in upper case.
    fn play_other_spellings(&mut self) -> Result<(), Failure> {
        const LINES: [[Line; 4]; 2] = [
            [
                must("scrambled.start", "ready"),
                must("scrambled.first", "a legal move in the match's words"),
                must("scrambled.next", "the only legal move"),
                must("abort", "aborted"),
            ],
            [
                should("upper-case.start", "ready"),
                should("upper-case.first", "a legal move in upper case"),
                should("upper-case.next", "the only legal move"),
                should("upper-case.abort", "aborted"),
            ],
        ];
        let take = Arc::clone(&self.take);
        let scramble = Scramble::new(take.description(), self.setup.seed);
        for (lines, spelling) in LINES.iter().zip([Spelling::Scrambled(Box::new(scramble)), Spelling::Upper])
        {
            let mut trial = self.trial(&take, 0, spelling)?;
            let [start, first, next, abort] = *lines;
            if !self.start(start, &trial) {
                self.skip(&lines[1..]);
                continue;
            }
            let legal = trial.own_legal()?;
            let text = trial.play(None);
            if let Some(own) = self.play(first, &trial, &text, &legal) {
                let joint = trial.joint(&own, 0)?;
                trial.advance(&joint)?;
                let legal = trial.own_legal()?;
                let text = trial.play(Some(&joint));
                self.play(next, &trial, &text, &legal);
            } else {
                self.skip(&[next]);
            }
            self.word(abort, &wire::abort(&trial.id), &["aborted"], PATIENCE);
        }
        self.has_status(must("abort.available", "status available"), &["available"], PATIENCE);
        Ok(())
    }

    /// Sends INFO, a PLAY for an unknown match, and ABORT, all while the player thinks.
    fn interrupt_thinking(&mut self) -> Result<(), Failure> {
        const INFO: Line = should("thinking.info", "an answer within half a second");
        const STRANGER: Line = should("thinking.stranger", "busy within half a second");
        const ABORT: Line = should("thinking.abort", "aborted within half a second");
        const FREE: Line = must("thinking.available", "status available, soon after");
        let take = Arc::clone(&self.take);
        let trial = self.trial(&take, 0, Spelling::Plain)?;
        if !self.start(must("start.again", "ready"), &trial) {
            self.skip(&[INFO, STRANGER, ABORT, FREE]);
            return Ok(());
        }
        let text = trial.play(None);
        let patience = self.setup.clocks.play + crate::remote::GRACE;
        let (address, stop) = (self.address, self.stop);
        thread::scope(|scope| {
            scope.spawn(|| drop(say(address, &text, patience, stop)));
            thread::sleep(Duration::from_millis(100));
            self.has_status(INFO, &["busy", "available"], AT_ONCE);
            let stranger = wire::play("no.such.match", &ggp_protocol::LastTurn::Nothing);
            self.word(STRANGER, &stranger, &["busy", "nil"], AT_ONCE);
            self.word(ABORT, &wire::abort(&trial.id), &["aborted"], AT_ONCE);
        });
        self.has_status(FREE, &["available"], PATIENCE);
        Ok(())
    }

    /// Plays the first turns of a game of hidden information with GDL-II messages.
    fn play_hidden(&mut self) -> Result<(), Failure> {
        const LINES: [Line; 4] = [
            should("gdl2.start", "ready"),
            should("gdl2.first", "the only legal move"),
            should("gdl2.next", "a legal move, after percepts"),
            should("gdl2.abort", "aborted"),
        ];
        let guess = Arc::clone(&self.guess);
        let mut trial = self.trial(&guess, 1, Spelling::Plain)?;
        let [start, first, next, abort] = LINES;
        if !self.start(start, &trial) {
            self.skip(&LINES[1..]);
            return Ok(());
        }
        let legal = trial.own_legal()?;
        let told = trial.told(0, None)?;
        let text = wire::play(&trial.id, &told);
        if let Some(own) = self.play(first, &trial, &text, &legal) {
            let joint = trial.joint(&own, 0)?;
            let told = trial.told(1, Some(&joint))?;
            let text = wire::play(&trial.id, &told);
            trial.advance(&joint)?;
            let legal = trial.own_legal()?;
            self.play(next, &trial, &text, &legal);
        } else {
            self.skip(&[next]);
        }
        self.word(abort, &wire::abort(&trial.id), &["aborted"], PATIENCE);
        Ok(())
    }

    /// Plays two matches of a game in which two roles have different percepts, with GDL-II messages from START
    /// to STOP. The player has each of the two roles in turn.
    fn play_with_percepts(&mut self) -> Result<(), Failure> {
        const LINES: [[Line; 5]; 2] = [
            [
                should("gdl2.left.start", "ready"),
                should("gdl2.left.first", "the only legal move, for NIL NIL"),
                should("gdl2.left.next", "a legal move with the card of its percepts"),
                should("gdl2.left.rest", "legal moves to the end, by its percepts"),
                should("gdl2.left.stop", "done, for STOP with percepts"),
            ],
            [
                should("gdl2.right.start", "ready"),
                should("gdl2.right.first", "the only legal move, for NIL NIL"),
                should("gdl2.right.next", "a legal move with the card of its percepts"),
                should("gdl2.right.rest", "legal moves to the end, by its percepts"),
                should("gdl2.right.stop", "done, for STOP with percepts"),
            ],
        ];
        let cards = Arc::clone(&self.cards);
        for (role, lines) in (1..).zip(&LINES) {
            let [start, first, next, rest, stop] = *lines;
            let mut trial = self.trial(&cards, role, Spelling::Plain)?;
            if !self.start(start, &trial) {
                self.skip(&lines[1..]);
                continue;
            }
            let legal = trial.own_legal()?;
            let told = trial.told(0, None)?;
            let text = wire::play(&trial.id, &told);
            let Some(own) = self.play(first, &trial, &text, &legal) else {
                self.skip(&lines[2..]);
                let _ = self.say(&wire::abort(&trial.id), PATIENCE);
                continue;
            };
            self.play_on_with_percepts(&mut trial, own, [next, rest, stop])?;
        }
        Ok(())
    }

    /// Continues a match with percepts to STOP, after the player has answered the first PLAY with the move
    /// `own`. The other roles choose another one of their moves in each turn.
    fn play_on_with_percepts(
        &mut self,
        trial: &mut Trial,
        mut own: String,
        [next, rest, stop]: [Line; 3],
    ) -> Result<(), Failure> {
        let mut good = true;
        for turn in 1.. {
            let joint = trial.joint(&own, turn)?;
            let told = trial.told(turn, Some(&joint))?;
            trial.advance(&joint)?;
            if trial.is_over()? {
                let text = wire::stop(&trial.id, &told);
                self.judge_rest(rest, &text, good);
                self.word(stop, &text, &["done"], self.setup.clocks.play);
                break;
            }
            let legal = trial.own_legal()?;
            let text = wire::play(&trial.id, &told);
            let answer = if turn == 1 {
                self.play(next, trial, &text, &legal)
            } else {
                let answer = self.answer(trial, &text, &legal);
                good &= answer.is_some();
                answer
            };
            own = answer.unwrap_or_else(|| legal[0].clone());
        }
        Ok(())
    }
}

fn say(address: &Address, text: &str, patience: Duration, stop: &StopToken) -> (Said, Duration) {
    let began = Instant::now();
    let said = post(address, "", text, began + patience, stop).map(|answer| text_of(&answer));
    (said, began.elapsed())
}
