use super::*;
use crate::record::{RecordError, read_steps};
use serde_json::{Value, json};
use tempfile::TempDir;

const RULES: &str = "(role random) (role you) (side heads) (side tails) (init falling) (legal you listen)
    (<= (legal random (drop ?s)) (side ?s)) (<= (next (lies ?s)) (does random (drop ?s)))
    (<= (sees you click) (true falling)) (<= terminal (true never)) (goal random 0) (goal you 0)";

fn game(rules: &str) -> Game {
    Game::new(ggp_gdl::parse(rules.as_bytes()).unwrap()).unwrap()
}

fn key() -> (TempDir, UserKey) {
    let folder = tempfile::tempdir().unwrap();
    let key = UserKey::in_folder(folder.path()).unwrap();
    (folder, key)
}

/// A match in which the coin has fallen on `side`, `steps` times.
fn contents(side: &str, steps: usize) -> SealedContents {
    let record = Record {
        match_id: "coin.7".to_owned(),
        game_meta_url: "coin.kif".to_owned(),
        moves: vec![vec![format!("(drop {side})"), "listen".to_owned()]; steps],
        ..Record::default()
    };
    SealedContents { seed: 7, record }
}

fn heard(steps: usize) -> Vec<OwnTurn> {
    vec![OwnTurn { own: "listen".to_owned(), seen: vec![Fact::from_canonical("click")] }; steps]
}

fn sealed(side: &str, steps: usize, key: &UserKey) -> SealedRecord {
    let history = heard(steps);
    SealedRecord::seal(&game(RULES), &[(Role(1), &history)], &contents(side, steps), key).unwrap()
}

#[test]
fn a_sealed_record_is_opened_again() {
    let (_folder, key) = key();
    let text = sealed("heads", 2, &key).to_json() + "\n";
    let read = SealedRecord::read(&text).unwrap();
    assert_eq!((read.game(), read.roles()), ("coin.kif", &["you".to_owned()][..]));
    assert_eq!(read.history(), heard(2));
    assert_eq!(read.open(&game(RULES), &key).unwrap(), contents("heads", 2));
    // Nothing of the hidden part is in clear, not even the match id with the seed.
    for hidden in ["heads", "drop", "coin.7", "random"] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
}

#[test]
fn states_are_dropped() {
    let (_folder, key) = key();
    let mut full = contents("heads", 1);
    full.record.states = vec!["( falling )".to_owned(), "( (lies heads) )".to_owned()];
    let sealed = SealedRecord::seal(&game(RULES), &[(Role(1), &heard(1))], &full, &key).unwrap();
    assert_eq!(sealed.open(&game(RULES), &key).unwrap(), contents("heads", 1));
}

#[test]
fn what_is_hidden_shows_neither_in_the_clear_part_nor_in_the_length() {
    let (_folder, key) = key();
    for steps in [0, 1, 15, 16, 200] {
        let (one, other) = (sealed("h", steps, &key), sealed(&"tails".repeat(20), steps, &key));
        assert_eq!(one.known, other.known);
        assert_eq!(one.to_json().len(), other.to_json().len(), "{steps} steps");
        assert_ne!(one.sealed, other.sealed);
    }
    // Even the same match never gives the same text twice.
    assert_ne!(sealed("h", 3, &key).sealed, sealed("h", 3, &key).sealed);
}

#[test]
fn several_people_keep_their_percepts_from_each_other() {
    let (_folder, key) = key();
    let rules = RULES.replace("(role you)", "(role you) (role me) (legal me listen) (goal me 0)");
    let mine = vec![OwnTurn { own: "listen".to_owned(), seen: vec![Fact::from_canonical("secret")] }];
    let (history, contents) = (heard(1), contents("heads", 1));
    let people: [(Role, &[OwnTurn]); 2] = [(Role(1), &history), (Role(2), &mine)];
    let sealed = SealedRecord::seal(&game(&rules), &people, &contents, &key).unwrap();
    assert_eq!((sealed.roles(), sealed.history()), (&["you".to_owned(), "me".to_owned()][..], Vec::new()));
    assert!(!sealed.to_json().contains("click") && !sealed.to_json().contains("secret"));
}

/// Every value in `value`, as JSON pointers.
fn leaves(value: &Value, path: &str, out: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| leaves(value, &format!("{path}/{name}"), out));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, value)| leaves(value, &format!("{path}/{at}"), out));
        }
        _ => out.push(path.to_owned()),
    }
}

#[test]
fn a_change_of_any_value_is_noticed() {
    let (_folder, key) = key();
    let value: Value = serde_json::from_str(&sealed("heads", 1, &key).to_json()).unwrap();
    let mut paths = Vec::new();
    leaves(&value, "", &mut paths);
    assert_eq!(paths.len(), 9, "{paths:?}");
    for path in paths {
        let mut changed = value.clone();
        let leaf = changed.pointer_mut(&path).unwrap();
        *leaf = match &*leaf {
            Value::String(text) => {
                // Another first letter, so that base64 stays base64.
                let first = if text.starts_with('A') { "B" } else { "A" };
                json!(format!("{first}{}", &text[1..]))
            }
            number => json!(number.as_u64().unwrap() + 1),
        };
        let opened =
            SealedRecord::read(&changed.to_string()).and_then(|record| record.open(&game(RULES), &key));
        match (path.as_str(), opened.unwrap_err()) {
            ("/format", SealError::Json(_))
            | ("/version", SealError::Format(FormatError::Version { .. }))
            | ("/known/rules", SealError::OtherRules(_))
            | ("/known/game" | "/known/roles/0" | "/nonce" | "/sealed", SealError::Changed) => {}
            (turn, SealError::Changed) if turn.starts_with("/known/turns/0/") => {}
            (path, error) => panic!("{path}: {error}"),
        }
    }
    let mut longer = value.clone();
    longer["known"]["turns"].as_array_mut().unwrap().clear();
    let opened = SealedRecord::read(&longer.to_string()).unwrap().open(&game(RULES), &key);
    assert!(matches!(opened, Err(SealError::Changed)));
    longer["more"] = json!(1);
    assert!(matches!(SealedRecord::read(&longer.to_string()), Err(SealError::Json(_))));
}

#[test]
fn another_user_and_other_rules_are_refused() {
    let ((_mine, key), (_theirs, other)) = (key(), key());
    let sealed = sealed("heads", 1, &key);
    let error = sealed.open(&game(RULES), &other).unwrap_err().to_string();
    assert!(error.contains("was changed, or was sealed by another user"), "{error}");
    // Rules that show what the others hide.
    let revealing = RULES.replace("(sees you click) (true falling)", "(sees you ?s) (true (lies ?s))");
    let error = sealed.open(&game(&revealing), &key).unwrap_err().to_string();
    assert!(error.contains("with other rules, those of coin.kif"), "{error}");
}

#[test]
fn a_file_that_is_cut_off_or_newer_is_named_so() {
    let (_folder, key) = key();
    let text = sealed("heads", 1, &key).to_json();
    for length in [60, text.len() / 2, text.len() - 1] {
        assert!(matches!(SealedRecord::read(&text[..length]), Err(SealError::Truncated)), "{length}");
    }
    let newer = text.replace("\"version\":1", "\"version\":2").replace("\"known\"", "\"public\"");
    let error = SealedRecord::read(&newer).unwrap_err().to_string();
    assert!(error.contains("version 2 of the format `ggp sealed record` is unknown to ggp "), "{error}");
    for other in ["", "{}", "[]", "((a b))", r#"{"version":1}"#] {
        assert!(matches!(SealedRecord::read(other), Err(SealError::Json(_))), "{other}");
    }
}

#[test]
fn readers_of_open_records_refuse_sealed_ones() {
    let (_folder, key) = key();
    let text = sealed("heads", 1, &key).to_json();
    let spaced = serde_json::to_string_pretty(&serde_json::from_str::<Value>(&text).unwrap()).unwrap();
    let cut = &text[..100];
    for text in [text.as_str(), &spaced, cut, &format!("\u{feff} {text}")] {
        assert!(matches!(Record::read(text), Err(RecordError::Sealed)), "{text}");
        assert!(matches!(read_steps(text), Err(RecordError::Sealed)), "{text}");
    }
}
