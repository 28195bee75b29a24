//! The gallery: what the front page shows of each offered game.
//!
//! The summary of a game comes from its text alone, so that a page with many games is there at once. Its picture, the
//! board of the first state, needs the rules to be evaluated. It is made when a page asks for it, and kept.

use crate::catalogue::{Offer, keep};
use crate::known::check;
use crate::lock::lock;
use crate::moment::Moment;
use crate::picture;
use crate::style::Style;
use ggp::board::{self, Labels, Sidecar};
use ggp::{Game, Interpreter, StopToken};
use ggp_game::rng::Stream;
use ggp_game::{Deadline, Watchdog};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;

/// The CPU time for one picture. Of the published rulesheets, a few need more than a second.
const TIME: Duration = Duration::from_secs(5);

/// The largest length of the text about a game, in characters.
const MAX_ABOUT: usize = 400;

/// A paragraph of fewer words is a title.
const TITLE_WORDS: usize = 6;

/// The number of steps of a random playout in which two roles are looked for that decide at the same time.
const STEPS: u32 = 12;

/// The summaries and pictures of the offered games.
pub(crate) struct Gallery {
    summaries: Mutex<HashMap<String, Arc<Value>>>,
    pictures: Mutex<HashMap<String, Arc<Value>>>,
    /// One picture is made at a time, so that the engines and the other requests have the rest of the machine.
    pub(crate) drawing: Arc<Semaphore>,
}

impl Gallery {
    pub(crate) fn new() -> Gallery {
        Gallery {
            summaries: Mutex::default(),
            pictures: Mutex::default(),
            drawing: Arc::new(Semaphore::new(1)),
        }
    }

    /// The summary of an offered game. It is kept if `offers` still has the text of `offer`.
    pub(crate) fn summary(&self, offer: &Offer, offers: &Mutex<Vec<Offer>>) -> Arc<Value> {
        if let Some(known) = lock(&self.summaries).get(&offer.name) {
            return Arc::clone(known);
        }
        let summary = Arc::new(summary(offer));
        keep(offers, offer, Arc::clone(&summary), &self.summaries);
        summary
    }

    /// The picture of an offered game, or the reason why there is none. It is kept if `offers` still has the
    /// text of `offer`.
    pub(crate) fn picture(&self, offer: &Offer, offers: &Mutex<Vec<Offer>>) -> Arc<Value> {
        if let Some(known) = lock(&self.pictures).get(&offer.name) {
            return Arc::clone(known);
        }
        let dog = Watchdog::until(Deadline::never()).or_after_cpu_time(TIME);
        let picture =
            Arc::new(dog.watch(|stop| draw(offer, stop)).unwrap_or_else(|error| json!({ "error": error })));
        keep(offers, offer, Arc::clone(&picture), &self.pictures);
        picture
    }

    /// Forgets a game whose text has changed.
    pub(crate) fn forget(&self, name: &str) {
        lock(&self.summaries).remove(name);
        lock(&self.pictures).remove(name);
    }
}

/// The name, the roles, and a paragraph about a game, from its text. A text that cannot be read has no roles.
fn summary(offer: &Offer) -> Value {
    let mut roles = Vec::new();
    let mut has_percepts = false;
    if let Ok(description) = ggp_gdl::parse(&offer.kif) {
        for rule in &description.rules {
            match description.name(rule.head.relation) {
                "role" if rule.body.is_empty() => {
                    roles.extend(rule.head.args.first().map(|&role| description.term_text(role)));
                }
                "sees" => has_percepts = true,
                _ => {}
            }
        }
    }
    let players = roles.iter().filter(|role| *role != "random").count();
    json!({
        "name": offer.name,
        "players": players,
        "chance": players < roles.len(),
        "hidden": has_percepts,
        "about": about(&String::from_utf8_lossy(&offer.kif)),
    })
}

/// The first paragraph of the comment at the head of a rulesheet that is more than a title. Empty if there is none.
fn about(text: &str) -> String {
    let head = text.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with(';'));
    let mut paragraphs = vec![String::new()];
    for line in head {
        let line = line.trim_matches(|c: char| c.is_whitespace() || matches!(c, ';' | '*' | '-' | '=' | '#'));
        let Some(last) = paragraphs.last_mut() else { break };
        match (line.is_empty(), last.is_empty()) {
            (true, false) => paragraphs.push(String::new()),
            (true, true) => {}
            (false, true) => last.push_str(line),
            (false, false) => *last = format!("{last} {line}"),
        }
    }
    let words = |paragraph: &String| paragraph.split_whitespace().count();
    let found = paragraphs.into_iter().find(|paragraph| words(paragraph) >= TITLE_WORDS).unwrap_or_default();
    match found.char_indices().nth(MAX_ABOUT) {
        Some((end, _)) => format!("{}…", &found[..end]),
        None => found,
    }
}

/// The board of the first state, and whether roles decide at the same time.
///
/// # Errors
/// The reason why it cannot be drawn.
fn draw(offer: &Offer, stop: &StopToken) -> Result<Value, String> {
    let (game, _) = check(&offer.kif, false, Some(stop));
    let late = || "it takes too long to draw".to_owned();
    let game = Arc::new(
        game.ok_or_else(|| if stop.is_stopped() { late() } else { "the rules have errors".to_owned() })?,
    );
    let mut machine = Interpreter::new(&game);
    let first = Moment::initial(&mut machine, stop).map_err(|error| error.to_string())?;
    let view = offer.sidecar.as_ref().map(|text| String::from_utf8_lossy(text));
    let view = view.and_then(|text| Sidecar::parse(&text).ok());
    let given = view.and_then(|view| board::of_game_with(&mut machine, &view).ok());
    let model = given.unwrap_or_else(|| board::of_game(&mut machine));
    let labels = Labels::new(&model, false);
    let style = Style { model: &model, labels: &labels };
    let position = model.place(&first.facts);
    let mut shown = json!({
        "roles": game.roles().map(|role| game.role_name(role)).collect::<Vec<_>>(),
        "board": picture::board(&model),
        "simultaneous": is_simultaneous(&game, &mut machine, first, stop),
    });
    picture::draw(style, &position, &[], &mut shown);
    Ok(shown)
}

/// Whether two roles have a choice in the same state of a random playout. The role of chance has none.
fn is_simultaneous(game: &Game, machine: &mut Interpreter, first: Moment, stop: &StopToken) -> bool {
    let stream = Stream::new(0, 0);
    let mut moment = first;
    for step in 0..STEPS {
        let roles = || game.roles().zip(&moment.legal);
        if moment.terminal || roles().any(|(_, moves)| moves.is_empty()) {
            return false;
        }
        if roles().filter(|&(role, moves)| game.nature() != Some(role) && moves.len() > 1).count() > 1 {
            return true;
        }
        let choose = |(role, moves): (ggp::Role, &Vec<String>)| {
            moves[stream.below(step, role, moves.len() as u32) as usize].clone()
        };
        let joint: Vec<String> = roles().map(choose).collect();
        match moment.next(&joint, machine, stop) {
            Ok(next) => moment = next,
            Err(_) => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_comment_says_what_a_game_is() {
        let text = ";;; A game\n;;; =====\n;;;\n;;; Two players take turns\n;;; to place a stone.\n\n;; State: (cell ?x)\n(role a)";
        assert_eq!(about(text), "Two players take turns to place a stone.");
        assert_eq!(about("(role a)\n; Two players take turns to place a stone."), "");
        assert_eq!(about(""), "");
        assert_eq!(about(&format!("; {}", "\u{e9} ".repeat(500))).chars().count(), MAX_ABOUT + 1);
    }

    #[test]
    fn a_game_is_summed_up_and_drawn() {
        let embedded = crate::catalogue::embedded();
        let offer = |name: &str| embedded.iter().find(|offer| offer.name == name).expect("it is there");
        let (gallery, offers) = (Gallery::new(), Mutex::new(embedded.clone()));
        let poker = gallery.summary(offer("kuhn_poker"), &offers);
        assert_eq!(
            (&poker["players"], &poker["chance"], &poker["hidden"]),
            (&json!(2), &json!(true), &json!(true))
        );
        for (name, simultaneous) in [("tic_tac_toe", false), ("rock_paper_scissors", true)] {
            let picture = gallery.picture(offer(name), &offers);
            assert_eq!(picture["simultaneous"], simultaneous, "{name}");
        }
        let broken = Offer { name: "broken".to_owned(), kif: b"(role".to_vec(), sidecar: None };
        assert_eq!(gallery.summary(&broken, &offers)["players"], 0);
        assert_eq!(gallery.picture(&broken, &offers)["error"], "the rules have errors");
        // A growth without bound ends.
        let endless = b"(role a) (init (n 0)) (legal a go) (<= (next (n 0)) (true (n 0))) (p 0) (<= (p (s ?x)) (p ?x)) (<= terminal (p z)) (goal a 0)";
        let endless = Offer { name: "endless".to_owned(), kif: endless.to_vec(), sidecar: None };
        assert!(gallery.picture(&endless, &offers)["error"].is_string());
    }

    #[test]
    fn what_was_made_from_an_earlier_text_is_not_kept() {
        let now = Offer { name: "mine".to_owned(), kif: b"(role a) (role b)".to_vec(), sidecar: None };
        let (gallery, offers) = (Gallery::new(), Mutex::new(vec![now.clone()]));
        let other_rules = Offer { kif: b"(role a)".to_vec(), ..now.clone() };
        let other_view = Offer { sidecar: Some(b"{}".to_vec()), ..now.clone() };
        for earlier in [&other_rules, &other_view] {
            gallery.summary(earlier, &offers);
            gallery.picture(earlier, &offers);
            assert!(lock(&gallery.summaries).is_empty() && lock(&gallery.pictures).is_empty(), "{earlier:?}");
        }
        gallery.summary(&now, &offers);
        gallery.picture(&now, &offers);
        assert_eq!(lock(&gallery.summaries)["mine"]["players"], 2);
        assert!(lock(&gallery.pictures).contains_key("mine"));
    }
}
