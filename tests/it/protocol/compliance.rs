//! `comply`: no findings for this project's player, and the right findings for flawed ones.

use super::players::{Manner, Scripted};
use super::serving::Serving;
use super::simple::{Flaw, Simple};
use ggp_game::{Clocks, Player, StopToken};
use ggp_server::comply::{ComplySetup, Requirement, Sheet, Verdict, comply};
use ggp_server::player::PlayerConfig;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

fn examine(address: SocketAddr) -> Sheet {
    let clock = Duration::from_secs(1);
    let setup = ComplySetup { clocks: Clocks { start: clock, play: clock }, seed: 7 };
    let address = address.to_string().parse().expect("an address");
    let sheet = comply(&address, &setup, &mut |_| {}, &StopToken::new()).expect("an examination");
    for finding in sheet.findings.iter().filter(|finding| finding.verdict != Verdict::Conforms) {
        eprintln!("{finding:?}");
    }
    sheet
}

fn failures(flaw: Flaw) -> (Vec<&'static str>, Sheet) {
    let player = Simple::start(flaw);
    let sheet = examine(player.address);
    (sheet.failures().map(|finding| finding.check).collect(), sheet)
}

#[test]
fn our_player_has_a_clean_sheet() {
    for manner in [Manner::Quick, Manner::Patient] {
        let config = PlayerConfig { matches: 1, ..PlayerConfig::default() };
        let serving = Serving::start(
            config,
            Arc::new(move |_: &str| Box::new(Scripted::new(manner)) as Box<dyn Player>),
        );
        let sheet = examine(serving.address);
        assert!(sheet.is_clean(), "{manner:?}: {:?}", sheet.failures().collect::<Vec<_>>());
        assert!(sheet.findings.len() > 50);
    }
}

#[test]
fn a_simple_player_is_usable() {
    let (failures, sheet) = failures(Flaw::None);
    assert!(sheet.is_usable(), "{failures:?}");
    // Only the actual flaws are reported.
    assert_eq!(failures, [] as [&str; 0]);
}

#[test]
fn what_is_wrong_with_a_player_is_named() {
    let cases = [
        (Flaw::LosesTrack, "play.follow", false),
        (Flaw::AnyId, "match.other", false),
        (Flaw::Late(300), "play.first", false),
        (Flaw::NoHead, "info", false),
        (Flaw::WrongLength, "http.length", false),
        (Flaw::Capitals, "play.first", false),
        (Flaw::IgnoresPercepts, "gdl2.left.rest", true),
        (Flaw::IgnoresPercepts, "gdl2.right.next", true),
        (Flaw::NoFirstTurn, "gdl2.left.first", true),
        (Flaw::NoFirstTurn, "gdl2.right.first", true),
        (Flaw::OneAtATime, "thinking.info", true),
        (Flaw::Illegal, "play.first", false),
    ];
    std::thread::scope(|scope| {
        for (flaw, named, usable) in cases {
            scope.spawn(move || {
                let (failures, sheet) = failures(flaw);
                assert!(failures.contains(&named), "{flaw:?}: {failures:?}");
                assert_eq!(sheet.is_usable(), usable, "{flaw:?}: {failures:?}");
                let finding = sheet.failures().find(|finding| finding.check == named).expect("it failed");
                assert_eq!(finding.requirement == Requirement::Must, !usable);
            });
        }
    });
}
