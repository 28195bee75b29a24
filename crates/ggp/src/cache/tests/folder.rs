//! The folder of a cache: other files, other writers, and its size.

use super::{NIM, build, cache, file_of, fill, game, has, key, names, network, numbered};
use crate::build::Build;
use crate::cache::folder::{LEFT_BEHIND, UNFINISHED};
use crate::cache::network_file::{EXTENSION, is_file_name};
use crate::cache::{CachedNetwork, NetworkCache};
use ggp_game::{Game, StopToken};
use ggp_propnet::GroundLimits;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

#[test]
#[cfg(unix)]
fn a_file_of_other_writers_is_ignored() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (_folder, cache) = cache();
    let game = game(NIM);
    let path = fill(&cache, &game);
    for (mode, is_read) in [(0o620, false), (0o602, false), (0o644, true), (0o600, true)] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(has(&cache, &game), is_read, "{mode:o}");
    }
    let moved = cache.folder().join("elsewhere");
    fs::rename(&path, &moved).unwrap();
    symlink(&moved, &path).unwrap();
    assert!(!has(&cache, &game), "a link");
    let whole = fs::read(&moved).unwrap();
    fs::write(&moved, "the target of the link").unwrap();
    fill(&cache, &game);
    assert_eq!(fs::read(&path).unwrap().len(), whole.len());
    assert!(fs::symlink_metadata(&path).unwrap().is_file(), "the link is replaced");
    assert_eq!(fs::read(&moved).unwrap(), b"the target of the link");
    // A pipe that nobody writes does not keep the reader waiting.
    fs::remove_file(&path).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert!(!has(&cache, &game), "a pipe");
}

#[test]
fn only_names_of_networks_are_touched() {
    let name = key(&numbered(1), &GroundLimits::default()).file_name();
    assert!(is_file_name(&name));
    for other in [&name[1..], &name.to_uppercase(), &name.replace('.', ""), "notes.network", ".network", ""] {
        assert!(!is_file_name(other), "{other}");
    }
}

#[test]
fn what_is_no_file_is_ignored() {
    let (_folder, cache) = cache();
    let game = game(NIM);
    let path = fill(&cache, &game);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(!has(&cache, &game));
    let (_, times) = network(&build(&cache), &game);
    assert!(times.read.is_none(), "the network is built, although it cannot be kept");
    assert_eq!(names(&cache).len(), 1, "no unfinished file is left");

    let file = path.join("file");
    fs::write(&file, "").unwrap();
    let nowhere = NetworkCache::in_folder(&file).keeping_from(Duration::ZERO);
    assert!(network(&build(&nowhere), &game).1.read.is_none());
    assert!(nowhere.usage().is_err());
}

#[test]
fn several_writers_and_readers_do_no_harm() {
    let (_folder, cache) = cache();
    let game = game(NIM);
    let expected = network(&Build::default(), &game).0.to_bytes();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    // Each thread has a cache of its own, as each process has.
                    let own = NetworkCache::in_folder(cache.folder()).keeping_from(Duration::ZERO);
                    let Build { limits, cpu, .. } = Build::default();
                    let stop = StopToken::new();
                    let (machine, times) = network(&build(&own), &game);
                    let (ground, compile) = (times.ground, times.compile);
                    own.store(&game, &limits, &CachedNetwork { machine, ground, compile });
                    let found = own.load(&game, &limits, cpu, &stop).expect("a complete file");
                    assert_eq!(found.machine.to_bytes(), expected);
                }
            });
        }
    });
    assert_eq!(names(&cache).len(), 1);
}

#[test]
fn the_networks_used_longest_ago_make_room() {
    let (_folder, cache) = cache();
    let games: Vec<Arc<Game>> = (10..15).map(numbered).collect();
    let one = fs::metadata(fill(&cache, &games[0])).unwrap().len();
    let cache = cache.within(3 * one + one / 2);
    let now = SystemTime::now();
    let set_used = |game: &Arc<Game>, ago: u64| {
        let file = fs::File::options().write(true).open(file_of(&cache, game)).unwrap();
        file.set_modified(now - Duration::from_secs(ago)).unwrap();
    };
    set_used(&games[0], 40);
    for (game, ago) in games[1..3].iter().zip([30, 20]) {
        fill(&cache, game);
        set_used(game, ago);
    }
    assert!(has(&cache, &games[0]), "used again");
    fill(&cache, &games[3]);
    let present = |game: &Arc<Game>| file_of(&cache, game).exists();
    assert_eq!(games.iter().map(present).collect::<Vec<_>>(), [true, false, true, true, false]);
    // A file in place of its predecessor needs no other room.
    set_used(&games[2], 10);
    let path = file_of(&cache, &games[3]);
    fs::write(&path, "torn").unwrap();
    fill(&cache, &games[3]);
    assert_eq!(cache.usage().unwrap().networks, 3);
    assert!(cache.usage().unwrap().bytes <= 3 * one + one / 2);

    let tiny = cache.clone().within(one - 1);
    fill_nothing(&tiny, &games[4]);
    assert_eq!(cache.usage().unwrap().networks, 3, "a network that cannot fit displaces nothing");
}

fn fill_nothing(cache: &NetworkCache, game: &Arc<Game>) {
    assert!(network(&build(cache), game).1.read.is_none());
    assert!(!has(cache, game));
}

#[test]
fn other_files_stay_and_unfinished_ones_go() {
    let (_folder, cache) = cache();
    fill(&cache, &numbered(1));
    let old = cache.folder().join(format!("{UNFINISHED}old"));
    let new = cache.folder().join(format!("{UNFINISHED}new"));
    let foreign = cache.folder().join(format!("notes.{EXTENSION}"));
    for path in [&old, &new, &foreign] {
        fs::write(path, "").unwrap();
    }
    let file = fs::File::options().write(true).open(&old).unwrap();
    file.set_modified(SystemTime::now() - 2 * LEFT_BEHIND).unwrap();
    fill(&cache, &numbered(2));
    assert!(!old.exists() && new.exists() && foreign.exists());
    assert_eq!(cache.clear().unwrap().networks, 2);
    assert_eq!(names(&cache), [foreign.file_name().unwrap().to_str().unwrap()]);
}
