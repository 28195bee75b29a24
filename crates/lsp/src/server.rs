//! The loop that owns the documents: reads messages, hands jobs to the workers, and sends what they find out.

use crate::answers::{self, Answer, error};
use crate::client::{COMMANDS, Client, SIMULATE};
use crate::commands;
use crate::conversion::Converter;
use crate::documents::{Documents, Snapshot};
use crate::transport::{Connection, Incoming, Outgoing};
use crate::trial::Trial;
use crate::workers::Workers;
use crossbeam_channel::{Receiver, Sender, never, select, unbounded};
use gen_lsp_types as lsp;
use ggp::StopToken;
use ggp_game::Simulate;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time after the last change until the second tier starts.
const PAUSE: Duration = Duration::from_millis(200);

/// The number of threads that answer requests and check texts.
const WORKERS: usize = 2;

/// The maximum number of requests that wait for an answer. Further ones are refused.
const MAX_PENDING: usize = 1_000;

/// How a session ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The client has asked for it in the order of the protocol.
    Orderly,
    /// The client went away, or left without `shutdown`.
    Abrupt,
}

/// What a job sends back.
enum Report {
    /// The answer to a request.
    Answer(RequestId, Answer),
    /// A text for the person.
    Note(String),
    /// There are findings about a snapshot: those of the first tier, or the rules that never fired.
    Checked(Arc<Snapshot>),
    /// The result of the second tier; `None` if it was stopped or failed.
    Tried(Arc<Snapshot>, Option<Trial>),
}

/// Sends a report when a job ends, also if it panics.
struct Reporter {
    reports: Sender<Report>,
    report: Option<Report>,
}

impl Reporter {
    fn finish(mut self, report: Report) {
        self.report = Some(report);
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        if let Some(report) = self.report.take() {
            // Without a server nobody waits for it.
            let _ = self.reports.send(report);
        }
    }
}

/// A request that waits for its answer.
struct Pending {
    stop: StopToken,
    /// The document whose change makes the answer useless. `None` if the answer is of use all the same.
    about: Option<String>,
}

/// The second tier that is running.
struct Running {
    uri: String,
    stop: StopToken,
}

struct Server {
    client: Arc<Client>,
    documents: Documents,
    outgoing: Sender<Outgoing>,
    reports: Sender<Report>,
    workers: Workers,
    /// What takes seconds has a thread of its own: the second tier, and playouts on demand.
    player: Workers,
    simulate: Simulate,
    /// The newest versions that wait for the first tier.
    unchecked: Arc<Mutex<BTreeMap<String, Arc<Snapshot>>>>,
    /// The requests that wait for an answer.
    pending: HashMap<RequestId, Pending>,
    /// When the second tier is due, for each document that waits for it.
    due: BTreeMap<String, Instant>,
    running: Option<Running>,
    next_request: i32,
}

/// Serves one client until it leaves.
pub fn serve(connection: Connection, simulate: Simulate) -> End {
    let end = match greet(&connection) {
        Some(client) => converse(&connection, client, simulate),
        None => End::Abrupt,
    };
    connection.finish();
    end
}

/// Waits for `initialize` and answers it. `None` if the client leaves before.
fn greet(connection: &Connection) -> Option<Client> {
    loop {
        match connection.incoming.recv().ok()? {
            Incoming::Message(Message::Request(request)) if request.method == "initialize" => {
                let client = Client::of(&request.params);
                send(&connection.outgoing, Response::new_ok(request.id, client.welcome()));
                return Some(client);
            }
            Incoming::Message(Message::Request(request)) => {
                let code = ErrorCode::ServerNotInitialized as i32;
                let why = "the first request is `initialize`".to_owned();
                send(&connection.outgoing, Response::new_err(request.id, code, why));
            }
            Incoming::Message(Message::Notification(note)) if note.method == "exit" => return None,
            Incoming::Message(_) => {}
            Incoming::Fault(id, why) => complain(&connection.outgoing, id, &why),
        }
    }
}

fn converse(connection: &Connection, client: Client, simulate: Simulate) -> End {
    let (reports, reported) = unbounded();
    let mut server = Server {
        client: Arc::new(client),
        documents: Documents::default(),
        outgoing: connection.outgoing.clone(),
        reports,
        workers: Workers::start(WORKERS),
        player: Workers::start(1),
        simulate,
        unchecked: Arc::default(),
        pending: HashMap::new(),
        due: BTreeMap::new(),
        running: None,
        next_request: 0,
    };
    let end = server.run(&connection.incoming, &reported);
    if let Some(running) = &server.running {
        running.stop.stop();
    }
    end
}

impl Server {
    fn run(&mut self, incoming: &Receiver<Incoming>, reported: &Receiver<Report>) -> End {
        let mut is_shut_down = false;
        loop {
            let timer = match self.due.values().min() {
                Some(&at) if self.running.is_none() => crossbeam_channel::at(at),
                _ => never(),
            };
            select! {
                recv(reported) -> report => {
                    if let Ok(report) = report {
                        self.take(report);
                    }
                }
                recv(timer) -> _ => self.start_trial(),
                recv(incoming) -> message => match message {
                    Err(_) => return End::Abrupt,
                    Ok(Incoming::Fault(id, why)) => complain(&self.outgoing, id, &why),
                    Ok(Incoming::Message(Message::Notification(note))) => {
                        if note.method == "exit" {
                            return if is_shut_down { End::Orderly } else { End::Abrupt };
                        }
                        self.notice(note);
                    }
                    Ok(Incoming::Message(Message::Request(request))) => {
                        if is_shut_down || request.method == "initialize" {
                            let why = error(ErrorCode::InvalidRequest, "the session does not accept this now");
                            self.reply(request.id, Err(why));
                        } else if request.method == "shutdown" {
                            is_shut_down = true;
                            self.reply(request.id, Ok(Value::Null));
                        } else {
                            self.request(request);
                        }
                    }
                    // Answers to requests of the server carry nothing of use.
                    Ok(Incoming::Message(Message::Response(_))) => {}
                },
            }
        }
    }

    fn reply(&self, id: RequestId, answer: Answer) {
        send(&self.outgoing, Response { id, response_result: answer });
    }

    fn notify(&self, method: &str, params: Value) {
        send(&self.outgoing, Notification { method: method.to_owned(), params });
    }

    /// Hands a request to a worker, or answers it at once.
    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        if method == "workspace/executeCommand" {
            return self.command(id, &params);
        }
        if !answers::is_known(&method) {
            let why = error(ErrorCode::MethodNotFound, format!("there is no method `{method}`"));
            return self.reply(id, Err(why));
        }
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
        let Some(snapshot) = uri.and_then(|uri| self.documents.get(uri)).map(Arc::clone) else {
            return self.reply(id, Err(error(ErrorCode::InvalidParams, "the document is not open")));
        };
        let client = Arc::clone(&self.client);
        self.submit(id, None, move |_| (answers::answer(&method, &params, &snapshot, &client), None));
    }

    /// Hands a command to a worker.
    fn command(&mut self, id: RequestId, params: &Value) {
        let text = |path: &str| params.pointer(path).and_then(Value::as_str).map(str::to_owned);
        let command = text("/command").unwrap_or_default();
        if !COMMANDS.contains(&&*command) {
            let why = error(ErrorCode::InvalidParams, format!("there is no command `{command}`"));
            return self.reply(id, Err(why));
        }
        let uri = text("/arguments/0");
        let Some(snapshot) = uri.and_then(|uri| self.documents.get(&uri)).map(Arc::clone) else {
            return self.reply(id, Err(error(ErrorCode::InvalidParams, "the document is not open")));
        };
        let argument = text("/arguments/1");
        let about = (command == SIMULATE).then(|| snapshot.uri.0.clone());
        let (simulate, reports) = (Arc::clone(&self.simulate), self.reports.clone());
        self.submit(id, about, move |stop| {
            match commands::run(&command, &snapshot, argument.as_deref(), &simulate, stop) {
                Ok((value, note)) => {
                    if command == SIMULATE {
                        let _ = reports.send(Report::Checked(snapshot));
                    }
                    (Ok(value), note)
                }
                Err(why) => (Err(error(ErrorCode::RequestFailed, why)), None),
            }
        });
    }

    /// Runs a job that answers the request `id`, and perhaps tells the person something. A job that takes seconds is
    /// stopped when the document `about` changes.
    fn submit(
        &mut self,
        id: RequestId,
        about: Option<String>,
        job: impl FnOnce(&StopToken) -> (Answer, Option<String>) + Send + 'static,
    ) {
        let is_full = self.pending.len() >= MAX_PENDING || self.documents.is_crowded();
        if is_full || self.pending.contains_key(&id) {
            let why = error(ErrorCode::RequestFailed, "too many requests wait, or one has the same id");
            return self.reply(id, Err(why));
        }
        let stop = StopToken::new();
        let workers = if about.is_some() { &self.player } else { &self.workers };
        self.pending.insert(id.clone(), Pending { stop: stop.clone(), about });
        let failed = Report::Answer(id.clone(), Err(error(ErrorCode::InternalError, "the answer failed")));
        let reporter = Reporter { reports: self.reports.clone(), report: Some(failed) };
        let reports = self.reports.clone();
        workers.run(move || {
            if stop.is_stopped() {
                // The request has been answered when it was cancelled.
                return;
            }
            let (answer, note) = job(&stop);
            if let Some(note) = note.filter(|_| !stop.is_stopped()) {
                let _ = reports.send(Report::Note(note));
            }
            reporter.finish(Report::Answer(id, answer));
        });
    }

    fn notice(&mut self, note: Notification) {
        let Notification { method, params } = note;
        // What cannot be read changes nothing: a notification has no answer.
        match &*method {
            "textDocument/didOpen" => {
                if let Ok(params) = serde_json::from_value::<lsp::DidOpenTextDocumentParams>(params) {
                    let document = params.text_document;
                    let snapshot =
                        self.documents.open(&document.uri, document.version, document.text, &self.client);
                    self.check(&snapshot);
                }
            }
            "textDocument/didChange" => {
                if let Ok(params) = serde_json::from_value::<lsp::DidChangeTextDocumentParams>(params) {
                    let id = params.text_document;
                    let uri = &id.text_document_identifier.uri;
                    let changed =
                        self.documents.change(uri, id.version, params.content_changes, &self.client);
                    if let Some(snapshot) = changed {
                        self.check(&snapshot);
                    }
                }
            }
            "textDocument/didClose" => {
                if let Some(uri) = params.pointer("/textDocument/uri").and_then(Value::as_str) {
                    self.outdate(uri);
                    self.due.remove(uri);
                    if self.documents.get(uri).is_some() {
                        self.documents.close(uri);
                        let none: [Value; 0] = [];
                        self.notify(
                            "textDocument/publishDiagnostics",
                            json!({ "uri": uri, "diagnostics": none }),
                        );
                    }
                }
            }
            "$/cancelRequest" => {
                let id =
                    params.get("id").cloned().and_then(|id| serde_json::from_value::<RequestId>(id).ok());
                if let Some(id) = id {
                    self.abandon(id, ErrorCode::RequestCanceled, "cancelled by the client");
                }
            }
            _ => {}
        }
    }

    /// Begins the first tier for a new version, and sets the time of the second.
    fn check(&mut self, snapshot: &Arc<Snapshot>) {
        let uri = snapshot.uri.0.clone();
        self.outdate(&uri);
        self.due.insert(uri.clone(), Instant::now() + PAUSE);
        // A version that still waits is replaced, so that no number of changes makes a queue.
        let replaced = locked(&self.unchecked).insert(uri.clone(), Arc::clone(snapshot));
        if replaced.is_some() {
            return;
        }
        let reporter = Reporter { reports: self.reports.clone(), report: None };
        let unchecked = Arc::clone(&self.unchecked);
        self.workers.run(move || {
            let Some(snapshot) = locked(&unchecked).remove(&uri) else { return };
            snapshot.analysis.findings();
            reporter.finish(Report::Checked(snapshot));
        });
    }

    /// Stops what takes long and is about an old version of a document.
    fn outdate(&mut self, uri: &str) {
        if let Some(running) = self.running.as_ref().filter(|running| running.uri == uri) {
            running.stop.stop();
        }
        let is_old = |pending: &Pending| pending.about.as_deref() == Some(uri);
        let old: Vec<RequestId> =
            self.pending.iter().filter(|(_, pending)| is_old(pending)).map(|(id, _)| id.clone()).collect();
        for id in old {
            self.abandon(id, ErrorCode::ContentModified, "the text has changed");
        }
    }

    /// Stops the job of a request that waits, and answers it by an error.
    fn abandon(&mut self, id: RequestId, code: ErrorCode, why: &str) {
        if let Some(pending) = self.pending.remove(&id) {
            pending.stop.stop();
            self.reply(id, Err(error(code, why)));
        }
    }

    /// Starts the second tier for the document that has waited longest.
    fn start_trial(&mut self) {
        let now = Instant::now();
        let first = self.due.iter().filter(|(_, at)| **at <= now).min_by_key(|(_, at)| **at);
        let Some(uri) = first.map(|(uri, _)| uri.clone()) else { return };
        self.due.remove(&uri);
        let Some(snapshot) = self.documents.get(&uri).map(Arc::clone) else { return };
        if snapshot.refusal.is_some() {
            return;
        }
        let stop = StopToken::new();
        self.running = Some(Running { uri, stop: stop.clone() });
        let failed = Report::Tried(Arc::clone(&snapshot), None);
        let reporter = Reporter { reports: self.reports.clone(), report: Some(failed) };
        let (simulate, playouts) = (Arc::clone(&self.simulate), self.client.playouts);
        self.player.run(move || {
            let trial = Trial::run(&snapshot.analysis, playouts, &simulate, &stop);
            reporter.finish(Report::Tried(snapshot, trial));
        });
    }

    fn take(&mut self, report: Report) {
        match report {
            Report::Answer(id, answer) => {
                // A cancelled request has its answer already.
                if self.pending.remove(&id).is_some() {
                    self.reply(id, answer);
                }
            }
            Report::Note(message) if self.client.shows_answers => {
                self.notify(
                    "window/showMessage",
                    json!({ "type": lsp::MessageType::Info, "message": message }),
                );
            }
            Report::Note(_) => {}
            // If the second tier was faster, these are its findings.
            Report::Checked(snapshot) => self.publish(&snapshot),
            Report::Tried(snapshot, trial) => {
                self.running = None;
                let Some(trial) = trial.filter(|_| self.documents.is_newest(&snapshot)) else { return };
                let has_opening = trial.opening.is_some();
                let is_news = trial.findings != snapshot.analysis.findings();
                if snapshot.tried.set(trial).is_err() {
                    return;
                }
                if is_news {
                    self.publish(&snapshot);
                }
                if has_opening && self.client.can_refresh_lenses {
                    self.next_request += 1;
                    let id = RequestId::from(format!("ggp-{}", self.next_request));
                    let (method, params) = ("workspace/codeLens/refresh".to_owned(), Value::Null);
                    send(&self.outgoing, Request { id, method, params });
                }
            }
        }
    }

    /// Sends the findings about a snapshot, unless it is out of date.
    fn publish(&self, snapshot: &Snapshot) {
        if !self.documents.is_newest(snapshot) {
            return;
        }
        let converter = Converter { analysis: &snapshot.analysis, client: &self.client, uri: &snapshot.uri };
        let findings = snapshot.findings().iter().chain(snapshot.never_fired.get().into_iter().flatten());
        let diagnostics: Vec<lsp::Diagnostic> =
            findings.map(|finding| converter.diagnostic(finding)).collect();
        let params = json!({ "uri": snapshot.uri, "version": snapshot.version, "diagnostics": diagnostics });
        self.notify("textDocument/publishDiagnostics", params);
    }
}

/// The value behind a lock. No job leaves it half changed.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn send(outgoing: &Sender<Outgoing>, message: impl Into<Message>) {
    // Without a client the end of the input ends the session.
    let _ = outgoing.send(Outgoing::Message(message.into()));
}

/// Answers a message that cannot be understood.
fn complain(outgoing: &Sender<Outgoing>, id: Option<Value>, why: &str) {
    let code = if id.is_some() { ErrorCode::InvalidRequest } else { ErrorCode::ParseError } as i32;
    let id = id.filter(|id| id.is_number() || id.is_string());
    let message: String = why.chars().take(300).collect();
    let answer = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } });
    let _ = outgoing.send(Outgoing::Raw(answer));
}
