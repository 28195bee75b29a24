//! Tests of the sessions and games that a server keeps.

use super::*;
use ggp::Choice;
use ggp_game::{Simulate, Simulated};

/// A server that offers the embedded games.
fn app(config: Config) -> App {
    let simulate: Simulate = Arc::new(|_: &Arc<Game>, _, _: &StopToken| Ok(Simulated::default()));
    let config = Config { threads: 1, choice: Choice::Datalog, ..config };
    let studio = Studio::new(simulate, None);
    App::new(config, crate::catalogue::embedded(), None, studio, None).expect("a thread can be started")
}

fn wanted(request: Value) -> Wanted {
    serde_json::from_value(request).expect("a request")
}

#[test]
fn rules_that_are_saved_during_a_preparation_are_played_next() {
    let app = app(Config::default());
    let nim = wanted(json!({"game": "nim"}));
    let (earlier, upload) = app.rules(&nim).expect("it is offered");
    let maze = app.offer("maze").expect("it is offered");
    app.replace("nim", Part::Rules, &String::from_utf8_lossy(&maze.kif));
    let prepared = app.prepare(&earlier, upload, &Loading::new()).expect("the rules are in order");
    assert_eq!(prepared.game.role_count(), 2);
    let known = app.learn(&nim, &Loading::new()).expect("the rules are in order");
    assert_eq!(known.game.role_count(), 1, "the maze is a puzzle");
    let again = app.learn(&nim, &Loading::new()).expect("the rules are in order");
    assert!(Arc::ptr_eq(&known, &again));
}

#[test]
fn an_upload_takes_the_place_of_any_session_that_is_left() {
    let app = app(Config { sessions: 2, uploads: 1, ..Config::default() });
    let learn = |request: Value| app.learn(&wanted(request), &Loading::new()).expect("a game");
    let open = |id: &str, known: &Arc<Known>| {
        let seats = vec![Some(SeatPlayer::Person); known.game.role_count()];
        let opening = Opening { id: id.to_owned(), seed: 0, seats, record: None };
        let session = Session::new(Arc::clone(known), opening, &app.config, &app.pool);
        let session = session.expect("the game can begin");
        lock(&app.sessions).insert(id.to_owned(), Arc::<Session>::clone(&session));
        session
    };
    let refused = || app.make_room(true).expect_err("nobody has left").body["error"].to_string();
    let nim = learn(json!({"game": "nim"}));
    open("first", &nim);
    let left = open("second", &nim);
    assert!(refused().contains("all 2 tables are taken"), "{}", refused());
    left.age(2 * LEFT);
    app.make_room(true).expect("somebody has left");
    assert!(app.session("second").is_err() && app.session("first").is_ok());

    // At the limit of the uploads, only an upload makes room for another.
    let text = String::from_utf8(app.offer("nim").expect("it is offered").kif).expect("UTF-8");
    let upload = open("upload", &learn(json!({"rules": text})));
    open("third", &nim).age(2 * LEFT);
    assert!(refused().contains("all 1 tables are taken"), "{}", refused());
    upload.age(2 * LEFT);
    app.make_room(true).expect("somebody has left");
    assert!(app.session("upload").is_err() && app.session("third").is_ok());
}
