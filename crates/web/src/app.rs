//! The sessions and the games of a server.
//!
//! Invariant: there are at most [`Config::sessions`] sessions, and at most [`Config::uploads`] of them have
//! uploaded rules. When a limit is reached and a new session is wanted, the session that has been idle
//! longest is closed, but only if it has been idle for longer than [`LEFT`]. Otherwise the server refuses the
//! new session.

use crate::catalogue::{Folder, Offer, keep};
use crate::config::Config;
use crate::gallery::Gallery;
use crate::hidden::{Elsewhere, HiddenSession, sealed};
use crate::id::any_id;
use crate::known::{Known, check};
use crate::loading::{Cancelled, Loading, Stage};
use crate::lock::lock;
use crate::pool::Pool;
use crate::records::{self, Records};
use crate::reply::Failure;
use crate::seat_player::SeatPlayer;
use crate::session::{Opening, Session};
use crate::studio::{Part, Question, Saved, Studio};
use crate::table::Table;
use axum::http::StatusCode;
use ggp_arena::{Record, is_nature, is_sealed};
use ggp_game::{Game, StopToken};
use ggp_gdl::render::locate;
use ggp_view::Sidecar;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A session that has been idle for this long may be closed to make room for a new one.
const LEFT: Duration = Duration::from_secs(60);

/// The maximum number of games that are prepared at the same time. Preparation takes time and memory.
const LEARNING: usize = 2;

/// The maximum length of a ticket, in bytes.
const MAX_TICKET: usize = 64;

/// The state of a server: its sessions and its games.
pub(crate) struct App {
    pub(crate) config: Arc<Config>,
    learning: Arc<Semaphore>,
    pool: Arc<Pool>,
    pub(crate) studio: Studio,
    pub(crate) gallery: Gallery,
    /// The records that are watched. `None` if none are.
    pub(crate) records: Option<Records>,
    offers: Mutex<Vec<Offer>>,
    /// The folder of the offered games. `None` if the offers stay as they are.
    folder: Option<Mutex<Folder>>,
    known: Mutex<HashMap<String, Arc<Known>>>,
    sessions: Mutex<HashMap<String, Arc<dyn Table>>>,
    /// The preparations for which pages wait, by the tickets that the pages have chosen.
    loadings: Mutex<HashMap<String, Weak<Loading>>>,
    number: AtomicU64,
    /// The id of the session that shows the watched match. `None` if no match is watched.
    pub(crate) watched: Mutex<Option<String>>,
}

/// A request for a game, identified by its name or given by its rules.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Wanted {
    game: Option<String>,
    rules: Option<String>,
    /// The text of the view file beside `rules`.
    view: Option<String>,
    name: Option<String>,
    seats: Vec<SeatPlayer>,
    /// The record of a match to continue.
    record: Option<String>,
    /// The id of a session whose game is played again, instead of a game or rules.
    again: Option<String>,
    /// The name of a record in the watched folder, whose match is shown.
    replay: Option<String>,
    /// A word by which the page asks how far the preparation is.
    ticket: Option<String>,
}

/// A request to save a game.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Save {
    name: String,
    text: String,
    /// The version of the file that the page has read; `None` for a new file.
    version: Option<String>,
    /// Whether the text is the view file of the game, and not its rules.
    #[serde(default)]
    view: bool,
}

impl From<Cancelled> for Failure {
    fn from(_: Cancelled) -> Failure {
        Failure::new(StatusCode::REQUEST_TIMEOUT, "the page no longer waits")
    }
}

impl App {
    pub(crate) fn new(
        config: Config,
        offers: Vec<Offer>,
        folder: Option<Folder>,
        studio: Studio,
        records: Option<Records>,
    ) -> std::io::Result<App> {
        Ok(App {
            pool: Pool::start(config.threads.max(1))?,
            config: Arc::new(config),
            learning: Arc::new(Semaphore::new(LEARNING)),
            studio,
            gallery: Gallery::new(),
            records,
            offers: Mutex::new(offers),
            folder: folder.map(Mutex::new),
            known: Mutex::default(),
            sessions: Mutex::default(),
            loadings: Mutex::default(),
            number: AtomicU64::new(0),
            watched: Mutex::default(),
        })
    }

    /// The names of the offered games.
    pub(crate) fn games(&self) -> Vec<String> {
        self.refresh();
        lock(&self.offers).iter().map(|offer| offer.name.clone()).collect()
    }

    /// What is known of each offered game from its text.
    pub(crate) fn summaries(&self) -> Vec<Value> {
        let offers = lock(&self.offers).clone();
        offers.iter().map(|offer| Value::clone(&self.gallery.summary(offer, &self.offers))).collect()
    }

    /// The board of the first state of an offered game.
    pub(crate) fn picture(&self, name: &str) -> Result<Value, Failure> {
        let offer = self.offer(name).ok_or_else(|| Failure::missing("game"))?;
        Ok(Value::clone(&self.gallery.picture(&offer, &self.offers)))
    }

    /// Offers what the folder of the games has now. Sessions of earlier rules go on.
    fn refresh(&self) {
        let Some(folder) = &self.folder else { return };
        for name in lock(folder).refresh(&self.offers) {
            self.forget(&name);
        }
    }

    /// Forgets what was made from an earlier text of the game `name`.
    fn forget(&self, name: &str) {
        lock(&self.known).remove(name);
        self.gallery.forget(name);
    }

    /// The offered game `name`.
    fn offer(&self, name: &str) -> Option<Offer> {
        self.refresh();
        lock(&self.offers).iter().find(|offer| offer.name == name).cloned()
    }

    /// The rules and the view file of an offered game for an editor, each with the version of its file if it can be
    /// saved.
    pub(crate) fn source(&self, name: &str) -> Result<Value, Failure> {
        let offer = self.offer(name).ok_or_else(|| Failure::missing("game"))?;
        // A file whose name cannot be saved, or a link, is edited as a copy.
        let read = |part: Part, known: Vec<u8>| {
            let file = self.studio.shelf.as_ref().and_then(|shelf| shelf.read(name, part).ok().flatten());
            file.map_or((known, None), |(text, version)| (text, Some(version)))
        };
        let (kif, version) = read(Part::Rules, offer.kif);
        let (view, view_version) = read(Part::View, offer.sidecar.unwrap_or_default());
        Ok(json!({
            "text": String::from_utf8_lossy(&kif), "version": version,
            "view": String::from_utf8_lossy(&view), "viewVersion": view_version,
        }))
    }

    /// Saves a game in the folder of the studio, and offers it.
    pub(crate) fn save(&self, wanted: &Save) -> Result<Value, Failure> {
        let Save { name, text, version, view } = wanted;
        let part = if *view { Part::View } else { Part::Rules };
        let shelf = self.studio.shelf.as_ref();
        let shelf = shelf.ok_or_else(|| {
            Failure::new(
                StatusCode::FORBIDDEN,
                "nothing is saved here: `ggp web --games FOLDER` names a folder",
            )
        })?;
        // Between the change of the file and that of the offer, nobody looks into the folder.
        let _alone = self.folder.as_ref().map(lock);
        match shelf.save(name, part, text, version.as_deref()).map_err(Failure::bad)? {
            Saved::Done(version) => {
                self.replace(name, part, text);
                Ok(json!({ "version": version }))
            }
            Saved::Changed(now) => {
                let file = part.file(name);
                let error = match (&now, version) {
                    (Some(_), None) => format!("{file} exists already"),
                    (Some(_), Some(_)) => format!("{file} was changed elsewhere"),
                    (None, _) => format!("{file} was removed elsewhere"),
                };
                let body = json!({ "error": error, "changed": true, "version": now });
                Err(Failure { status: StatusCode::CONFLICT, body })
            }
        }
    }

    /// Offers the game `name` with the rules or the view file `text`. Sessions of the earlier rules go on. A view file
    /// without rules makes no offer.
    fn replace(&self, name: &str, part: Part, text: &str) {
        let mut offers = lock(&self.offers);
        let text = text.as_bytes().to_vec();
        match (offers.iter_mut().find(|offer| offer.name == name), part) {
            (Some(offer), Part::Rules) => offer.kif = text,
            (Some(offer), Part::View) => offer.sidecar = Some(text),
            (None, Part::Rules) => {
                let at = offers.partition_point(|offer| offer.name.as_str() < name);
                offers.insert(at, Offer { name: name.to_owned(), kif: text, sidecar: None });
            }
            (None, Part::View) => {}
        }
        drop(offers);
        self.forget(name);
    }

    /// Answers a question of an editor.
    pub(crate) fn ask(&self, what: &str, question: Question) -> Result<Value, Failure> {
        let sidecar = question.game.as_deref().and_then(|name| self.offer(name)?.sidecar);
        self.studio.answer(what, question, sidecar)
    }

    pub(crate) fn session(&self, id: &str) -> Result<Arc<dyn Table>, Failure> {
        let session = lock(&self.sessions).get(id).cloned();
        let session =
            session.ok_or_else(|| Failure::missing("session; it may have been left for too long"))?;
        session.touch();
        Ok(session)
    }

    /// Closes the session with this id and removes it.
    pub(crate) fn close(&self, id: &str) {
        let closed = lock(&self.sessions).remove(id);
        if let Some(session) = closed {
            session.close();
        }
    }

    /// Closes the sessions that have been idle for longer than [`Config::idle`]. The watched session
    /// stays.
    pub(crate) fn expire(&self) {
        let watched = lock(&self.watched).clone();
        let left: Vec<String> = lock(&self.sessions)
            .iter()
            .filter(|(id, session)| session.idle() > self.config.idle && Some(*id) != watched.as_ref())
            .map(|(id, _)| id.clone())
            .collect();
        for id in left {
            self.close(&id);
        }
    }

    /// Makes room for one more session, whose rules are uploaded if `upload` is true. If necessary, closes a
    /// session that has been idle for longer than [`LEFT`]. Fails if there is no such session.
    fn make_room(&self, upload: bool) -> Result<(), Failure> {
        let watched = lock(&self.watched).clone();
        let sessions = lock(&self.sessions);
        let uploads = sessions.values().filter(|session| !session.known().offered).count();
        // At the limit of the uploads, only the end of one of them makes room for another.
        let by_uploads = upload && uploads >= self.config.uploads;
        if !by_uploads && sessions.len() < self.config.sessions {
            return Ok(());
        }
        let most = if by_uploads { self.config.uploads } else { self.config.sessions };
        let counted = |session: &&Arc<dyn Table>| !by_uploads || !session.known().offered;
        let candidates = sessions.values().filter(counted).filter(|s| Some(s.id()) != watched.as_deref());
        let left = candidates.max_by_key(|session| session.idle()).filter(|session| session.idle() > LEFT);
        let Some(id) = left.map(|session| session.id().to_owned()) else {
            let error = format!("all {most} tables are taken; try again when one is free");
            return Err(Failure::new(StatusCode::SERVICE_UNAVAILABLE, error));
        };
        drop(sessions);
        self.close(&id);
        Ok(())
    }

    /// The findings of the rule checks and the roles of the requested game, as JSON. The roles are null if
    /// the rules have errors. The checks end when `loading` is cancelled.
    pub(crate) fn look(&self, wanted: &Wanted, loading: &Loading) -> Result<Value, Failure> {
        let (offer, upload) = self.rules(wanted)?;
        let (game, findings) = loading.run(Stage::Rules, |stop| check(&offer.kif, upload, Some(stop)))?;
        let findings: Vec<Value> = locate(&findings, "", &offer.kif)
            .iter()
            .map(|f| {
                json!({
                    "line": f.line, "column": f.column, "endLine": f.end_line, "endColumn": f.end_column,
                    "severity": f.severity, "code": f.code, "message": f.message, "help": f.help,
                })
            })
            .collect();
        let roles = game.as_ref().map(|game| {
            let role = |role| json!({"name": game.role_name(role), "nature": is_nature(game, role)});
            game.roles().map(role).collect::<Vec<_>>()
        });
        Ok(json!({ "findings": findings, "roles": roles }))
    }

    /// The name and text of the requested game, and whether its rules are uploaded.
    fn rules(&self, wanted: &Wanted) -> Result<(Offer, bool), Failure> {
        if let Some(rules) = &wanted.rules {
            let name = wanted.name.as_deref().unwrap_or("uploaded").chars().take(60).collect();
            let sidecar = wanted.view.clone().map(String::into_bytes);
            return Ok((Offer { name, kif: rules.clone().into_bytes(), sidecar }, true));
        }
        let name = wanted.game.as_deref().unwrap_or_default();
        Ok((self.offer(name).ok_or_else(|| Failure::missing("game"))?, false))
    }

    /// Waits until a game may be prepared.
    pub(crate) async fn turn_to_learn(&self) -> Result<OwnedSemaphorePermit, Failure> {
        Arc::clone(&self.learning).acquire_owned().await.map_err(Failure::bad)
    }

    /// Begins a preparation about which the page of `wanted` may ask.
    pub(crate) fn begin_loading(&self, wanted: &Wanted) -> Arc<Loading> {
        let loading = Loading::new();
        let mut loadings = lock(&self.loadings);
        loadings.retain(|_, loading| loading.strong_count() > 0);
        if let Some(ticket) = wanted.ticket.as_ref().filter(|ticket| ticket.len() <= MAX_TICKET) {
            loadings.insert(ticket.clone(), Arc::downgrade(&loading));
        }
        loading
    }

    /// How far the preparation with the ticket `ticket` is, as JSON. The stage is null if there is none.
    pub(crate) fn progress(&self, ticket: &str) -> Value {
        let loading = lock(&self.loadings).get(ticket).and_then(Weak::upgrade);
        let progress = loading.map(|loading| loading.progress());
        json!({
            "stage": progress.map(|(stage, _)| stage.words()),
            "seconds": progress.map(|(_, seconds)| seconds),
        })
    }

    fn learn(&self, wanted: &Wanted, loading: &Loading) -> Result<Arc<Known>, Failure> {
        if let Some(id) = &wanted.again {
            return Ok(Arc::clone(self.session(id)?.known()));
        }
        self.refresh();
        if let (None, Some(name)) = (&wanted.rules, &wanted.game)
            && let Some(known) = lock(&self.known).get(name)
        {
            return Ok(Arc::clone(known));
        }
        let (offer, upload) = self.rules(wanted)?;
        self.prepare(&offer, upload, loading)
    }

    /// Prepares the game `offer`, whose rules are uploaded if `upload` is true. An offered game is kept for
    /// the sessions to come, unless another text of it was saved in the meantime.
    fn prepare(&self, offer: &Offer, upload: bool, loading: &Loading) -> Result<Arc<Known>, Failure> {
        let read = |stop: &StopToken| check(&offer.kif, upload, Some(stop)).0;
        let game = loading.run(Stage::Rules, read)?;
        let game: Arc<Game> =
            Arc::new(game.ok_or_else(|| Failure::bad("the rules have errors; they are shown when checked"))?);
        let sidecar = offer.sidecar.as_ref();
        let sidecar = sidecar.and_then(|text| Sidecar::parse(&String::from_utf8_lossy(text)).ok());
        let Config { choice, cache, .. } = &*self.config;
        let prepare = |stop: &StopToken| {
            Known::prepare(offer.name.clone(), !upload, game, sidecar.as_ref(), *choice, cache.clone(), stop)
        };
        let known = loading
            .run(Stage::Board, prepare)?
            .map_err(|error| Failure::new(StatusCode::UNPROCESSABLE_ENTITY, error))?;
        let known = Arc::new(known.with_knowledge(self.config.knowledge.as_deref()));
        if !upload {
            keep(&self.offers, offer, Arc::clone(&known), &self.known);
        }
        Ok(known)
    }

    /// The player in the seat of each role; `None` for the role `random`. `wanted` lists the players in role
    /// order, without the role `random`. If the list is too short, the remaining roles get engines.
    pub(crate) fn seats(
        &self,
        game: &Game,
        wanted: &[SeatPlayer],
    ) -> Result<Vec<Option<SeatPlayer>>, Failure> {
        let roles: Vec<_> = game.roles().filter(|&role| !is_nature(game, role)).collect();
        if wanted.len() > roles.len() {
            return Err(Failure::bad(format!("the game has {} roles for players", roles.len())));
        }
        if let Some(why) = wanted.iter().find_map(|seat| seat.refuse(&self.config)) {
            return Err(Failure::bad(why));
        }
        let mut seats = vec![None; game.role_count()];
        for (number, role) in roles.into_iter().enumerate() {
            let seat = wanted.get(number).cloned();
            seats[role.index()] = Some(seat.unwrap_or(SeatPlayer::Engine { seconds: 1.0, iterations: None }));
        }
        Ok(seats)
    }

    /// Opens a session for the requested game.
    pub(crate) fn open(&self, wanted: &Wanted, loading: &Loading) -> Result<Arc<dyn Table>, Failure> {
        if let Some(name) = &wanted.replay {
            return self.replay(name, loading);
        }
        self.make_room(wanted.rules.is_some())?;
        let known = self.learn(wanted, loading)?;
        let seats = self.seats(&known.game, &wanted.seats)?;
        let record = match wanted.record.as_deref() {
            Some(text) if is_sealed(text) => Some(sealed::unseal(text, &known, &seats)?),
            Some(text) => Some(
                Record::read(text)
                    .map_err(|error| Failure::bad(format!("that is no record of a match: {error}")))?,
            ),
            None => None,
        };
        loading.run(Stage::Match, |_| self.add(known, seats, record))?
    }

    /// Opens a session that shows the match in the record `name` of the watched folder.
    fn replay(&self, name: &str, loading: &Loading) -> Result<Arc<dyn Table>, Failure> {
        let records = self.records.as_ref().ok_or_else(|| Failure::missing("record"))?;
        let record = records.read(name)?;
        let game = records::game(&record);
        self.make_room(false)?;
        loading.run(Stage::Match, |_| self.open_watched(&game, record))?
    }

    /// Opens a session that shows the match in `record`, which is played elsewhere. `name` is the name of the
    /// game.
    pub(crate) fn open_watched(&self, name: &str, record: Record) -> Result<Arc<dyn Table>, Failure> {
        let wanted = Wanted { game: Some(name.to_owned()), ..Wanted::default() };
        let known = self.learn(&wanted, &Loading::new())?;
        let seat = |role| (!is_nature(&known.game, role)).then_some(SeatPlayer::Elsewhere);
        let seats = known.game.roles().map(seat).collect();
        self.add(known, seats, Some(record))
    }

    fn add(
        &self,
        known: Arc<Known>,
        seats: Vec<Option<SeatPlayer>>,
        record: Option<Record>,
    ) -> Result<Arc<dyn Table>, Failure> {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let id = any_id(number);
        // The keys of the two hashes are secret, so neither the id nor the seed tells the other.
        let seed = RandomState::new().hash_one(number);
        let elsewhere = record.as_ref().map(Elsewhere::of).unwrap_or_default();
        let opening = Opening { id: id.clone(), seed, seats, record };
        let (upload, hidden) = (!known.offered, known.hidden_information);
        let session = Session::new(known, opening, &self.config, &self.pool)?;
        let session: Arc<dyn Table> =
            if hidden { HiddenSession::begin(session, elsewhere)? } else { session };
        if let Err(failure) = self.make_room(upload) {
            session.close();
            return Err(failure);
        }
        lock(&self.sessions).insert(id, Arc::clone(&session));
        Ok(session)
    }
}

#[cfg(test)]
mod tests;
