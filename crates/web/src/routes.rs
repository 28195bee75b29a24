//! The requests of the HTTP interface.
//!
//! All addresses are below the base path of the server, which is empty unless [`Config`](crate::Config) says otherwise.
//!
//! | request | body | answer |
//! |---|---|---|
//! | `GET /`, `GET /assets/NAME` | | the pages |
//! | `GET /api/games` | | the offered games, and what the server allows |
//! | `GET /api/games/NAME/picture` | | the board of the first state |
//! | `POST /api/rules` | `game`, or `rules`; `ticket` | findings and roles |
//! | `POST /api/sessions` | `game`, or `rules`, `view` and `name`, or `again`, or `replay`; `seats`; `record`; `ticket` | a session |
//! | `GET /api/records` | | the records in the watched folder |
//! | `GET /api/loading/TICKET` | | what is being done for the request with that ticket |
//! | `GET /api/sessions/ID` | | the constant properties, and the status |
//! | `GET /api/sessions/ID/tree?from=N` | | the states from index N on, in brief |
//! | `GET /api/sessions/ID/nodes/N` | | the state with index N for display, with its legal moves |
//! | `GET /api/sessions/ID/nodes/N/deciding` | | the squares that decided the match that ends there |
//! | `GET /api/sessions/ID/events?from=N` | | the status, whenever it changes |
//! | `GET /api/sessions/ID/record?to=N` | | the match up to state N, in the format of ggp.org |
//! | `POST /api/sessions/ID/move` | `node`, `role`, `move` | the status |
//! | `POST /api/sessions/ID/go` | `node` | continues play from that state |
//! | `POST /api/sessions/ID/undo`, `…/hurry` | | takes a move back; ends the engine's search |
//! | `POST /api/sessions/ID/hold` | `hold` | pauses or resumes the engines |
//! | `POST /api/sessions/ID/advise` | `node`, `role`, `seconds` | starts a search for a hint |
//! | `POST /api/sessions/ID/seats` | `seats` | changes the seats |
//! | `POST /api/sessions/ID/lift` | `role` | in a game of hidden information that several people play: shows what the role knows, when it is the role's turn |
//! | `GET /api/studio` | | the templates, and the folder in which games are saved |
//! | `GET /api/studio/templates/NAME`, `…/games/NAME` | | the text from which an author begins |
//! | `POST /api/studio/save` | `name`, `text`, `version` | the new version |
//! | `POST /api/studio/ask/WHAT` | `text`, and what the question needs | the answer about a rulesheet that is being written ([`crate::studio`]) |
//! | `DELETE /api/sessions/ID` | | closes the session |
//!
//! A `POST` request to `/api/sessions/ID/…` is an action, and the answer is the status. If the body of the
//! request has `from`, the answer includes the states from that index on, in brief (without squares). It
//! also includes the current state for display, if its index is at least `from`. A click therefore takes one
//! request instead of three.
//!
//! In a running match of hidden information, every answer shows only what one role knows, or nothing at all
//! ([`crate::hidden`]). The member `sight` of the status tells which.

use crate::app::{App, Save, Wanted};
use crate::assets::{asset, page};
use crate::guard::guard;
use crate::id::any_id;
use crate::loading::Wait;
use crate::reply::{Failure, Json};
use crate::seat_player::SeatPlayer;
use crate::session::Listener;
use crate::studio::{MAX_BODY, Question, Studio};
use crate::table::{Action, Table};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, RawQuery, State};
use axum::http::{StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use futures_util::stream::{Stream, unfold};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The minimum interval between two events that are sent for a session.
const APART: Duration = Duration::from_millis(40);

type Result<T> = std::result::Result<T, Failure>;

/// All requests, below the base path of the server.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let base = &app.config.base_path;
    let pages = pages(app);
    let below = if base.is_root() {
        pages
    } else {
        // The relative addresses of a page need the slash at the end of its own.
        let address = base.page();
        Router::new()
            .nest(&address, pages)
            .route(&base.to_string(), get(|| async move { Redirect::permanent(&address) }))
    };
    below
        .fallback(|| async { Failure::missing("page") })
        .layer(DefaultBodyLimit::max(app.config.upload))
        .layer(from_fn_with_state(Arc::clone(app), guard))
        .with_state(Arc::clone(app))
}

fn pages(app: &Arc<App>) -> Router<Arc<App>> {
    Router::new()
        .route("/", get(|| async { page(&any_id(0)) }))
        .route("/favicon.ico", get(|| async { asset("icon.svg") }))
        .route("/assets/{name}", get(|Path(name): Path<String>| async move { asset(&name) }))
        .route("/api/games", get(games))
        .route("/api/games/{name}/picture", get(picture))
        .route("/api/rules", post(rules))
        .route("/api/records", get(records))
        .route("/api/loading/{ticket}", get(progress))
        .route("/api/sessions", post(open))
        .route("/api/sessions/{id}", get(about).delete(close))
        .route("/api/sessions/{id}/tree", get(tree))
        .route("/api/sessions/{id}/nodes/{number}", get(node))
        .route("/api/sessions/{id}/nodes/{number}/deciding", get(deciding))
        .route("/api/sessions/{id}/events", get(events))
        .route("/api/sessions/{id}/record", get(record))
        .route("/api/sessions/{id}/{action}", post(act))
        .merge(studio(app))
}

/// The requests of the author's studio.
fn studio(app: &Arc<App>) -> Router<Arc<App>> {
    Router::new()
        .route("/api/studio", get(|State(app): State<Arc<App>>| async move { Json(app.studio.about()) }))
        .route("/api/studio/templates/{name}", get(template))
        .route("/api/studio/games/{name}", get(source))
        .route("/api/studio/save", post(save))
        .route("/api/studio/ask/{what}", post(ask))
        .layer(DefaultBodyLimit::max(app.config.upload.min(MAX_BODY)))
}

async fn template(Path(name): Path<String>) -> Result<Json> {
    Studio::template(&name).map(Json)
}

async fn source(State(app): State<Arc<App>>, Path(name): Path<String>) -> Result<Json> {
    aside(move || app.source(&name).map(Json)).await
}

async fn save(State(app): State<Arc<App>>, body: Bytes) -> Result<Json> {
    let wanted: Save = read(&body)?;
    aside(move || app.save(&wanted).map(Json)).await
}

async fn ask(State(app): State<Arc<App>>, Path(what): Path<String>, body: Bytes) -> Result<Json> {
    let question: Question = read(&body)?;
    let permit = app.studio.permit(&what).await?;
    aside(move || {
        let answer = app.ask(&what, question).map(Json);
        drop(permit);
        answer
    })
    .await
}

/// Runs `work`, which may take long, on tokio's pool of blocking threads. The server's thread stays free for
/// other requests.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let failed = |error| Failure::new(StatusCode::INTERNAL_SERVER_ERROR, error);
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}

fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T> {
    serde_json::from_slice(body).map_err(Failure::bad)
}

async fn games(State(app): State<Arc<App>>) -> Result<Json> {
    let watched = crate::lock::lock(&app.watched).clone();
    let longest = app.config.longest.as_secs_f64();
    aside(move || {
        Ok(Json(json!({
            "games": app.games(), "summaries": app.summaries(), "watched": watched, "upload": app.config.upload,
            "longest": longest, "remote": app.config.remote, "records": app.records.is_some(),
        })))
    })
    .await
}

async fn picture(State(app): State<Arc<App>>, Path(name): Path<String>) -> Result<Json> {
    // Held until the work ends, even if the page does not wait for it.
    let permit = Arc::clone(&app.gallery.drawing).acquire_owned().await.map_err(Failure::bad)?;
    aside(move || {
        let answer = app.picture(&name).map(Json);
        drop(permit);
        answer
    })
    .await
}

async fn rules(State(app): State<Arc<App>>, body: Bytes) -> Result<Json> {
    let wanted: Wanted = read(&body)?;
    let loading = app.begin_loading(&wanted);
    // If the page closes the connection or has waited too long, this future is dropped, and the checks end.
    let _wait = Wait(Arc::clone(&loading));
    let permit = app.turn_to_learn().await?;
    aside(move || {
        let answer = app.look(&wanted, &loading).map(Json);
        drop(permit);
        answer
    })
    .await
}

async fn open(State(app): State<Arc<App>>, body: Bytes) -> Result<Json> {
    let wanted: Wanted = read(&body)?;
    let loading = app.begin_loading(&wanted);
    // If the page closes the connection, this future is dropped, and the work ends.
    let _wait = Wait(Arc::clone(&loading));
    let permit = app.turn_to_learn().await?;
    aside(move || {
        let opened = app.open(&wanted, &loading);
        drop(permit);
        Ok(Json(opened?.about()))
    })
    .await
}

async fn records(State(app): State<Arc<App>>) -> Result<Json> {
    aside(move || {
        app.records.as_ref().map(|records| Json(records.list())).ok_or_else(|| Failure::missing("folder"))
    })
    .await
}

async fn progress(State(app): State<Arc<App>>, Path(ticket): Path<String>) -> Json {
    Json(app.progress(&ticket))
}

async fn about(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Json> {
    let session = app.session(&id)?;
    aside(move || Ok(Json(session.about()))).await
}

async fn close(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Json> {
    aside(move || {
        app.close(&id);
        Ok(Json(json!({})))
    })
    .await
}

/// The value of the parameter `name` in a query string. `None` if the parameter is missing or is not a
/// number.
fn number(query: Option<&str>, name: &str) -> Option<usize> {
    let pairs = query?.split('&').filter_map(|pair| pair.split_once('='));
    pairs.into_iter().find(|(key, _)| *key == name)?.1.parse().ok()
}

async fn tree(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Json> {
    let session = app.session(&id)?;
    let from = number(query.as_deref(), "from").unwrap_or(0);
    aside(move || Ok(Json(session.tree(from)))).await
}

async fn node(State(app): State<Arc<App>>, Path((id, number)): Path<(String, usize)>) -> Result<Json> {
    let session = app.session(&id)?;
    aside(move || session.node(number).map(Json).ok_or_else(|| Failure::missing("state"))).await
}

async fn deciding(State(app): State<Arc<App>>, Path((id, number)): Path<(String, usize)>) -> Result<Json> {
    let session = app.session(&id)?;
    aside(move || {
        let squares = session.deciding(number).ok_or_else(|| Failure::missing("state"))?;
        Ok(Json(json!({ "squares": squares })))
    })
    .await
}

async fn record(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let session = app.session(&id)?;
    let to = number(query.as_deref(), "to");
    let text = aside(move || session.record(to)?.ok_or_else(|| Failure::missing("state")));
    Ok(([(header::CONTENT_TYPE, "application/json")], text.await? + "\n").into_response())
}

/// The body of a request for an action. Each action uses some of the fields.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Act {
    /// The index of the first state that the page does not have. If `from` is missing, the response contains
    /// no states.
    from: Option<usize>,
    node: usize,
    role: usize,
    #[serde(rename = "move")]
    mv: String,
    seconds: f64,
    hold: bool,
    seats: Vec<SeatPlayer>,
}

async fn act(
    State(app): State<Arc<App>>,
    Path((id, action)): Path<(String, String)>,
    body: Bytes,
) -> Result<Json> {
    let session = app.session(&id)?;
    let act: Act = if body.is_empty() { Act::default() } else { read(&body)? };
    let acting = Arc::clone(&app);
    aside(move || {
        let action = match action.as_str() {
            "move" => Action::Move { at: act.node, role: act.role, mv: act.mv },
            "go" => Action::Go(act.node),
            "undo" => Action::Undo,
            "hurry" => Action::Hurry,
            "hold" => Action::Hold(act.hold),
            "advise" => {
                let time = Duration::try_from_secs_f64(act.seconds).map_err(Failure::bad)?;
                Action::Advise { at: act.node, role: act.role, time }
            }
            "seats" => Action::Seats(acting.seats(&session.known().game, &act.seats)?),
            "lift" => Action::Lift(act.role),
            _ => return Err(Failure::missing("page")),
        };
        Arc::clone(&session).act(action)?;
        Ok(Json(act.from.map_or_else(|| session.status(), |from| session.news(from).value)))
    })
    .await
}

/// A page that listens to the events of a session.
struct Ear {
    session: Arc<dyn Table>,
    changed: watch::Receiver<u64>,
    _listener: Listener,
    first: bool,
    /// The index of the first state that has not been sent to the page.
    from: usize,
}

async fn events(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Sse<impl Stream<Item = std::result::Result<Event, Infallible>>>> {
    let session = app.session(&id)?;
    let (listener, changed) = Arc::clone(&session).listen();
    let from = number(query.as_deref(), "from").unwrap_or(0);
    let ear = Ear { session, changed, _listener: listener, first: true, from };
    Ok(Sse::new(unfold(Some(ear), next_event)).keep_alive(KeepAlive::default()))
}

/// Waits for the next event of the session to which `ear` listens. Returns the event and the listener for the
/// event after it. That listener is `None` if the event reports that the session is closed. The function
/// returns `None` if no further event can come. All changes between two events are combined into one event,
/// so a slow listener takes no memory.
async fn next_event(ear: Option<Ear>) -> Option<(std::result::Result<Event, Infallible>, Option<Ear>)> {
    let mut ear = ear?;
    if !ear.first {
        tokio::time::sleep(APART).await;
        ear.changed.changed().await.ok()?;
    }
    ear.first = false;
    ear.changed.mark_unchanged();
    let (session, from) = (Arc::clone(&ear.session), ear.from);
    let told = tokio::task::spawn_blocking(move || {
        let news = session.news(from);
        let (name, data) =
            if news.over { ("closed", "{}".to_owned()) } else { ("status", news.value.to_string()) };
        let event = Event::default().event(name).data(data);
        (event, news.count, news.over)
    });
    let (event, count, over) = told.await.ok()?;
    ear.from = count;
    Some((Ok(event), (!over).then_some(ear)))
}
