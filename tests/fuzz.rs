//! Feeds mutated rulesheets to `ggp-gdl` for a given time:
//!
//! `cargo run --release -p ggp-tests --bin fuzz -- --seconds 600 [--seed N] FILE-OR-FOLDER…`
//!
//! The program writes each input to `fuzz-failure.kif` before it tries it, and removes the file at the
//! end. A panic, a stack overflow or a slow input ends the program and leaves the file.

use ggp_gdl::lexer::{Lexer, TokenKind};
use ggp_tests::survival::{FRAGMENTS, exercise};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs, process};

/// Time limit of one input.
const LONGEST: Duration = Duration::from_secs(5);
/// Size limit of an input, in bytes. Small inputs allow many tries.
const BYTES: usize = 20_000;
/// The file with the current input.
const FAILURE: &str = "fuzz-failure.kif";

/// Marsaglia's xorshift generator: sufficient for mutations, and deterministic.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }

    fn range(&mut self, length: usize, longest: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        start..(start + self.below(longest)).min(length)
    }
}

fn main() {
    let mut seconds = 60;
    let mut seed = 1;
    let mut texts = Vec::new();
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number = || args.next().and_then(|n| n.parse().ok()).unwrap_or_else(|| usage());
        match arg.as_str() {
            "--seconds" => seconds = number(),
            "--seed" => seed = number().max(1),
            path => read(Path::new(path), &mut texts),
        }
    }
    if texts.is_empty() {
        texts.push(b"(role x)\n(<= (next (p ?x)) (or (true (p ?x)) (not (does x ?x)))) ; comment\n".to_vec());
    }
    let mut random = Random(seed);
    let (start, mut tries, mut parsed, mut slowest) = (Instant::now(), 0u64, 0u64, Duration::ZERO);
    while start.elapsed() < Duration::from_secs(seconds) {
        let kif = mutate(&texts, &mut random);
        fs::write(FAILURE, &kif).expect("the input can be kept");
        let began = Instant::now();
        parsed += u64::from(exercise(&kif));
        let took = began.elapsed();
        assert!(took < LONGEST, "{FAILURE} took {took:?}");
        slowest = slowest.max(took);
        tries += 1;
    }
    fs::remove_file(FAILURE).expect("the input can be removed");
    println!("{tries} inputs, {parsed} of them rulesheets, slowest {slowest:?}, nothing found");
}

fn usage() -> ! {
    eprintln!("fuzz [--seconds N] [--seed N] [FILE-OR-FOLDER...]");
    process::exit(2);
}

fn read(path: &Path, texts: &mut Vec<Vec<u8>>) {
    if path.is_dir() {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(path).expect("a folder").filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths.iter().filter(|p| p.extension().is_some_and(|e| e == "kif")) {
            read(path, texts);
        }
    } else {
        texts.push(fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display())));
    }
}

fn mutate(texts: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut kif = texts[random.below(texts.len())].clone();
    // Cut a window out of the text, so that its later parts are reached too.
    let start = random.below(kif.len().saturating_sub(BYTES) + 1);
    kif.drain(..start);
    kif.truncate(BYTES);
    for _ in 0..=random.below(12) {
        let at = random.below(kif.len() + 1);
        match random.below(9) {
            0 if at < kif.len() => kif[at] = random.next() as u8,
            1 => kif.insert(at, random.next() as u8),
            2 => drop(kif.drain(random.range(kif.len(), 40))),
            3 => drop(kif.drain(random.range(kif.len(), 3))),
            4 => {
                let copy = kif[random.range(kif.len(), 200)].to_vec();
                drop(kif.splice(at..at, copy));
            }
            5 => {
                let other = &texts[random.below(texts.len())];
                let part = other[random.range(other.len(), 500)].to_vec();
                drop(kif.splice(at..at, part));
            }
            6 => {
                let part = FRAGMENTS[random.below(FRAGMENTS.len())].repeat(1 + random.below(2000));
                drop(kif.splice(at..at, part.into_bytes()));
            }
            7 => {
                // Wrap a whole form, so that parentheses stay balanced.
                let open = random.below(4);
                let (before, after) = [("(not ", ")"), ("(or ", " p)"), ("(f ", ")"), ("(and ", ")")][open];
                let count = 1 + random.below(200);
                let words: Vec<_> = Lexer::new(&kif).filter(|t| t.kind == TokenKind::Word).collect();
                if let Some(token) = words.get(random.below(words.len())) {
                    let word = String::from_utf8_lossy(&kif[token.span.range()]).into_owned();
                    let nest = format!("{}{word}{}", before.repeat(count), after.repeat(count));
                    drop(kif.splice(token.span.range(), nest.into_bytes()));
                }
            }
            _ => {
                // Replace one word by another.
                let words: Vec<_> = Lexer::new(&kif).filter(|t| t.kind == TokenKind::Word).collect();
                if let (Some(from), Some(to)) =
                    (words.get(random.below(words.len())), words.get(random.below(words.len())))
                {
                    let word = kif[from.span.range()].to_vec();
                    drop(kif.splice(to.span.range(), word));
                }
            }
        }
    }
    kif
}
