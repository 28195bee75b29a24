//! Networks in a cache: what is kept, for whom, and what becomes of damaged files.

mod folder;

use super::network_file::{HASH, HEADER, Key, MAGIC, checksum_of};
use super::{CacheUsage, NetworkCache};
use crate::build::{Build, BuildTimes};
use ggp_game::{Game, StopToken};
use ggp_propnet::{GroundLimits, PropNetMachine};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

const NIM: &str = include_str!("../../../../games/nim.kif");

/// A folder of its own, and the cache in it, which keeps every network.
fn cache() -> (TempDir, NetworkCache) {
    let folder = tempfile::tempdir().unwrap();
    let cache = NetworkCache::in_folder(folder.path().join("cache")).keeping_from(Duration::ZERO);
    (folder, cache)
}

fn game(rules: &str) -> Arc<Game> {
    crate::parse(rules).unwrap()
}

/// A small game that differs from those of other numbers.
fn numbered(number: usize) -> Arc<Game> {
    game(&format!("(role a) (legal a (go {number})) (next done) (<= terminal (true done)) (goal a 100)"))
}

fn build(cache: &NetworkCache) -> Build {
    Build { cache: Some(cache.clone()), ..Build::default() }
}

fn network(build: &Build, game: &Arc<Game>) -> (PropNetMachine, BuildTimes) {
    build.timed_network(game, &StopToken::new()).unwrap()
}

/// The file of the network of `game`.
fn file_of(cache: &NetworkCache, game: &Arc<Game>) -> PathBuf {
    cache.folder().join(key(game, &GroundLimits::default()).file_name())
}

fn key(game: &Game, limits: &GroundLimits) -> Key {
    Key::of(game, limits).expect("the program has a file")
}

/// Builds the network of `game`, so that `cache` has it. Returns its file.
fn fill(cache: &NetworkCache, game: &Arc<Game>) -> PathBuf {
    let (_, times) = network(&build(cache), game);
    assert!(times.read.is_none(), "the cache has it only now");
    let path = file_of(cache, game);
    assert!(path.is_file());
    path
}

fn has(cache: &NetworkCache, game: &Arc<Game>) -> bool {
    let Build { limits, cpu, .. } = Build::default();
    cache.load(game, &limits, cpu, &StopToken::new()).is_some()
}

/// The names of all files in the folder of `cache`.
fn names(cache: &NetworkCache) -> Vec<String> {
    let files = fs::read_dir(cache.folder()).unwrap();
    files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn the_second_build_reads_the_network_of_the_first() {
    let (_folder, cache) = cache();
    let game = game(NIM);
    let (first, built) = network(&build(&cache), &game);
    let (second, read) = network(&build(&cache), &game);
    assert!(built.read.is_none() && read.read.is_some());
    assert_eq!((read.ground, read.compile), (built.ground, built.compile));
    assert_eq!(second.report(), first.report());
    assert_eq!(second.to_bytes(), first.to_bytes());
    let usage = cache.usage().unwrap();
    assert_eq!(usage.networks, 1);
    assert_eq!(usage.bytes, (HEADER + first.to_bytes().len()) as u64);
    assert_eq!(names(&cache).len(), 1, "no unfinished file is left");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(cache.folder().to_owned()), 0o700);
        assert_eq!(mode(cache.folder().join(&names(&cache)[0])), 0o600);
    }
    assert_eq!(cache.clear().unwrap(), usage);
    assert!(names(&cache).is_empty() && !has(&cache, &game));
}

#[test]
fn a_build_without_a_cache_writes_nothing() {
    assert!(Build::default().cache.is_none() && Build::within(Duration::MAX).cache.is_none());
    let (_folder, cache) = cache();
    let picky = cache.clone().keeping_from(Duration::from_secs(3600));
    let (_, times) = network(&build(&picky), &game(NIM));
    assert!(times.read.is_none());
    assert!(!cache.folder().exists(), "a network that is built quickly is not kept");
    assert_eq!(cache.usage().unwrap(), CacheUsage::default());
}

#[test]
fn the_key_has_the_rules_and_the_limits() {
    let limits = GroundLimits::default();
    let of = |rules: &str, limits: &GroundLimits| key(&game(rules), limits);
    assert_eq!(of(NIM, &limits), of(&format!("; a comment\n  {NIM}\n\n"), &limits));
    assert_ne!(of(NIM, &limits), of(NIM, &GroundLimits::within(64)));
    assert_ne!(key(&numbered(1), &limits), key(&numbered(2), &limits));
    let description = ggp_gdl::parse(NIM.as_bytes()).unwrap();
    let bounds = ggp_datalog::Limits { terms: 10_000, ..ggp_datalog::Limits::default() };
    let bounded = Game::with_limits(description, ggp_gdl::Strictness::default(), bounds).unwrap();
    assert_ne!(key(&bounded, &limits), of(NIM, &limits));
}

#[test]
fn a_torn_file_is_replaced() {
    let (_folder, cache) = cache();
    let game = game(NIM);
    let path = fill(&cache, &game);
    let whole = fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(41).chain([1, HEADER - 1, HEADER, HEADER + 1, whole.len() - 1]) {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(!has(&cache, &game), "{length} of {} bytes", whole.len());
    }
    fs::write(&path, [&whole[..], &[0]].concat()).unwrap();
    assert!(!has(&cache, &game), "a byte too many");
    fill(&cache, &game);
    assert!(has(&cache, &game));
    assert_eq!(fs::metadata(&path).unwrap().len(), whole.len() as u64);
}

#[test]
fn a_file_with_a_flipped_bit_is_ignored() {
    let (_folder, cache) = cache();
    let game = game(NIM);
    let path = fill(&cache, &game);
    let whole = fs::read(&path).unwrap();
    for at in (0..HEADER).chain((HEADER..whole.len()).step_by(37)) {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        fs::write(&path, flipped).unwrap();
        assert!(!has(&cache, &game), "byte {at}");
    }
    fs::write(&path, whole).unwrap();
    assert!(has(&cache, &game));
}

/// `file` with another checksum, which is the right one for its other bytes.
fn with_checksum(file: &[u8]) -> Vec<u8> {
    let (told, rest) = file.split_at(HEADER - HASH);
    [told, &checksum_of(told, &rest[HASH..]), &rest[HASH..]].concat()
}

#[test]
fn the_checksum_alone_does_not_make_a_file_valid() {
    let (_folder, cache) = cache();
    let (game, other) = (game(NIM), numbered(1));
    let (path, of_other) = (fill(&cache, &game), fill(&cache, &other));
    let whole = fs::read(&path).unwrap();
    let length_at = HEADER - HASH - 8;
    for (at, what) in [
        (0, "magic"),
        (MAGIC.len() - 1, "version of the form"),
        (MAGIC.len(), "key"),
        (length_at, "length"),
        (length_at + 7, "length"),
    ] {
        let mut altered = whole.clone();
        altered[at] ^= 1;
        fs::write(&path, with_checksum(&altered)).unwrap();
        assert!(!has(&cache, &game), "{what}");
    }
    // Networks that are damaged in a file that is not.
    for at in (HEADER..whole.len()).step_by(59) {
        let mut altered = whole.clone();
        altered[at..].fill(0xff);
        fs::write(&path, with_checksum(&altered)).unwrap();
        assert!(!has(&cache, &game), "{at}");
    }
    fs::write(&path, with_checksum(&whole)).unwrap();
    assert!(has(&cache, &game));
    fs::copy(&of_other, &path).unwrap();
    assert!(!has(&cache, &game), "the network of another game");
}

#[test]
fn programs_for_decisive_moves_are_added() {
    let (_folder, cache) = cache();
    let game = game(NIM);
    fill(&cache, &game);
    let decisive = Build { decisive: true, ..build(&cache) };
    let (plain, _) = network(&build(&cache), &game);
    assert!(!plain.knows_decisive());
    assert!(network(&decisive, &game).0.knows_decisive());
    let (again, times) = network(&build(&cache), &game);
    assert!(times.read.is_some() && again.knows_decisive(), "kept by the build before");
}
