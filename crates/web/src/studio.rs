//! The author's studio: a rulesheet that is being written, and the answers to the questions of its page.
//!
//! The studio keeps no state for a page. Every request has the whole text, and offsets count UTF-16 code units, as the
//! strings of a browser do. Invariants: a request costs bounded time and memory whatever the text says, at most
//! [`AT_ONCE`] requests of each kind are worked on at the same time, and nothing is written except by [`shelf::Shelf`].

mod desk;
mod language;
mod live;
mod refuted;
mod seat;
mod shelf;
mod template;
mod view_file;
mod why;

pub(crate) use shelf::{Part, Saved, Shelf};

use crate::lock::lock;
use crate::reply::Failure;
use axum::http::StatusCode;
use desk::{Desk, Draft};
use ggp_game::Simulate;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The size limit of the body of a request to the studio, in bytes. The largest published rulesheets have 70 KB.
pub(crate) const MAX_BODY: usize = 1 << 20;

/// The maximum number of requests that are answered at the same time: questions about the text, and questions that
/// evaluate the rules. A permit is held until the work ends, even if the page does not wait for it.
const AT_ONCE: usize = 2;

/// A question of the page. Each question uses some of the fields.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Question {
    text: String,
    /// The text of the view file that describes the board. `None` for that of the game `game`.
    view: Option<String>,
    /// The name of the offered game that is edited.
    pub(crate) game: Option<String>,
    /// An offset.
    at: usize,
    /// The new name of what stands at the offset. `None` asks whether it can be renamed.
    rename: Option<String>,
    /// The joint moves from the initial state to the state that is meant.
    #[serde(rename = "moves")]
    line: Vec<Vec<String>>,
    /// The atom to explain.
    fact: String,
    /// The index of the role whose knowledge is shown. `None` for the true state.
    role: Option<usize>,
    /// The seed of a random playout. `None` walks along `line`.
    seed: Option<u64>,
}

/// The studio of a server.
pub(crate) struct Studio {
    simulate: Simulate,
    desk: Mutex<Desk>,
    reading: Arc<Semaphore>,
    playing: Arc<Semaphore>,
    /// The folder in which games are saved. `None` if nothing is saved.
    pub(crate) shelf: Option<Shelf>,
}

impl Studio {
    pub(crate) fn new(simulate: Simulate, shelf: Option<Shelf>) -> Studio {
        let semaphore = || Arc::new(Semaphore::new(AT_ONCE));
        Studio { simulate, desk: Mutex::default(), reading: semaphore(), playing: semaphore(), shelf }
    }

    /// What the page needs at first: the templates, and the name of the folder in which games are saved.
    pub(crate) fn about(&self) -> Value {
        json!({
            "templates": template::about(),
            "folder": self.shelf.as_ref().map(Shelf::name),
            "limit": MAX_BODY,
        })
    }

    /// The text of a template.
    pub(crate) fn template(name: &str) -> Result<Value, Failure> {
        let text = template::text(name).ok_or_else(|| Failure::missing("template"))?;
        Ok(json!({ "text": text }))
    }

    /// Waits for the permit to answer a question of the kind `what`.
    pub(crate) async fn permit(&self, what: &str) -> Result<OwnedSemaphorePermit, Failure> {
        let plays = matches!(what, "state" | "why" | "strip" | "refute" | "lenses" | "view");
        let semaphore = if plays { &self.playing } else { &self.reading };
        Arc::clone(semaphore).acquire_owned().await.map_err(Failure::bad)
    }

    /// Answers a question. `saved` is the text of the view file of the edited game, if the game has one.
    pub(crate) fn answer(
        &self,
        what: &str,
        question: Question,
        saved: Option<Vec<u8>>,
    ) -> Result<Value, Failure> {
        let Question { text, at, rename, line, fact, seed, view, role, .. } = question;
        // An empty text is no view file.
        let given = view.map(|view| Some(view.into_bytes()).filter(|view| !view.trim_ascii().is_empty()));
        let sidecar = given.unwrap_or(saved);
        let unplayable = |why: String| Failure::new(StatusCode::UNPROCESSABLE_ENTITY, why);
        match what {
            "findings" => Ok(language::findings(text)),
            "hover" => Ok(language::hover(text, at)),
            "complete" => Ok(language::complete(text, at)),
            "define" => Ok(language::define(text, at)),
            "references" => Ok(language::references(text, at)),
            "symbols" => Ok(language::symbols(text)),
            "format" => language::format(text).map_err(Failure::bad),
            "rename" => language::rename(text, at, rename.as_deref()).map_err(Failure::bad),
            "state" => live::state(&*self.draft(text, sidecar)?, &line, role).map_err(unplayable),
            "strip" => Ok(live::strip(&*self.draft(text, sidecar)?, &line, seed)),
            "refute" => refuted::refute(&*self.draft(text, sidecar)?, &self.simulate).map_err(unplayable),
            // Without a game that can be played, there are the lenses that need none.
            "lenses" => {
                let opening = self.draft(text.clone(), sidecar).ok().map(|draft| live::opening(&draft));
                Ok(language::lenses(text, opening.as_ref()))
            }
            "view" => Ok(self.flaw(text, sidecar)),
            "why" => {
                let draft = self.draft(text, sidecar)?;
                why::explain(&draft, &line, &fact).map_err(unplayable)
            }
            _ => Err(Failure::missing("page")),
        }
    }

    /// The first error of a view file, as JSON. If the game cannot be played, only what is wrong in any game.
    fn flaw(&self, text: String, sidecar: Option<Vec<u8>>) -> Value {
        let Some(view) = &sidecar else { return Value::Null };
        let wrong = view_file::parse(&String::from_utf8_lossy(view)).err();
        let wrong = wrong.or_else(|| self.draft(text, sidecar).ok()?.flaw.clone());
        wrong.map_or(Value::Null, |flaw| flaw.to_json())
    }

    /// The prepared game of a text.
    fn draft(&self, text: String, sidecar: Option<Vec<u8>>) -> Result<Arc<Draft>, Failure> {
        if let Some(draft) = lock(&self.desk).get(&text, sidecar.as_deref()) {
            return Ok(draft);
        }
        // The lock is not held while a game is prepared.
        let draft = Draft::prepare(text, sidecar)
            .map_err(|error| Failure::new(StatusCode::UNPROCESSABLE_ENTITY, error))?;
        let draft = Arc::new(draft);
        lock(&self.desk).add(Arc::clone(&draft));
        Ok(draft)
    }
}
