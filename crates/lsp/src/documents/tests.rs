//! Random edits in the units of the protocol: the text that results is that of a plain replacement, and every request
//! is answered at every place. `GGP_EDITS` sets the number of edits; those of the largest rulesheet come on top.

use super::*;
use crate::answers;
use ggp_ide::Encoding;
use ggp_tests::survival::FRAGMENTS;
use serde_json::json;
use std::time::Instant;

/// Marsaglia's xorshift generator: sufficient for edits, and deterministic.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// The position of an offset, counted without the code under test.
fn position(text: &str, offset: usize, encoding: Encoding) -> lsp::Position {
    let before = &text[..offset];
    let unified = before.replace("\r\n", "\n").replace('\r', "\n");
    let line = unified.matches('\n').count() as u32;
    let start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    let column = &text[start..offset];
    let character = match encoding {
        Encoding::Utf8 => column.len(),
        Encoding::Utf16 => column.encode_utf16().count(),
    };
    lsp::Position { line, character: character as u32 }
}

/// Whether an editor can name the place: not inside a character, nor between CR and LF.
fn is_place(text: &str, offset: usize) -> bool {
    text.is_char_boundary(offset) && !(text[..offset].ends_with('\r') && text[offset..].starts_with('\n'))
}

fn place(text: &str, random: &mut Random) -> usize {
    let mut at = random.below(text.len() + 1);
    while !is_place(text, at) {
        at -= 1;
    }
    at
}

const NEW: [&str; 12] =
    ["", "", "é", "𝄞", "\r\n", "\n", "\r", "?x", " ", "(cell ?x ", "\u{feff}", ";; ----\n"];

const METHODS: [&str; 14] = [
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/completion",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/formatting",
    "textDocument/codeAction",
    "textDocument/codeLens",
    "textDocument/inlayHint",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range",
];

/// Makes `edits` random edits of `text`, and asks everything after each `every` of them.
fn edit(text: &str, edits: usize, every: usize, random: &mut Random) {
    let uri = lsp::Uri::from("file:///fuzz.kif");
    let encoding = if random.below(2) == 0 { "utf-8" } else { "utf-16" };
    let client = Client::of(&json!({"capabilities": {"general": {"positionEncodings": [encoding]}}}));
    let mut documents = Documents::default();
    let mut wanted = text.to_owned();
    let mut snapshot = documents.open(&uri, 0, wanted.clone(), &client);
    for number in 1..=edits {
        // 1. One or two changes in one notification.
        let mut changes = Vec::new();
        for _ in 0..=random.below(2) {
            let (a, b) = (place(&wanted, random), place(&wanted, random));
            let longest = if random.below(50) == 0 { usize::MAX } else { 30 };
            let (start, mut end) = (a.min(b), a.max(b));
            end = end.min(start.saturating_add(longest));
            while !is_place(&wanted, end) {
                end -= 1;
            }
            let new = match random.below(3) {
                0 => NEW[random.below(NEW.len())].to_owned(),
                1 => FRAGMENTS[random.below(FRAGMENTS.len())].to_owned(),
                // What was deleted grows back, so that the text keeps its size.
                _ => text.get(start..end).unwrap_or("(p)").to_owned(),
            };
            let range = lsp::Range {
                start: position(&wanted, start, client.encoding),
                end: position(&wanted, end, client.encoding),
            };
            changes.push(
                lsp::TextDocumentContentChangePartial { range, range_length: None, text: new.clone() }.into(),
            );
            wanted.replace_range(start..end, &new);
        }
        snapshot = documents.change(&uri, number as i32, changes, &client).expect("it is open");
        assert_eq!(snapshot.analysis.text(), wanted, "after edit {number}");
        // 2. All requests.
        if number % every == 0 {
            let (start, end) = (place(&wanted, random), place(&wanted, random));
            let at = position(&wanted, start, client.encoding);
            let params = json!({
                "textDocument": {"uri": uri},
                "position": at,
                "range": {"start": at, "end": position(&wanted, end.max(start), client.encoding)},
                "newName": "fresh",
            });
            for method in METHODS {
                assert!(answers::is_known(method));
                // A refusal is an answer too.
                let _ = answers::answer(method, &params, &snapshot, &client);
            }
        }
        if wanted.len() > 2 * text.len() + 2_000 {
            wanted.truncate(0);
            wanted.push_str(text);
            snapshot = documents.open(&uri, number as i32, wanted.clone(), &client);
        }
    }
    documents.close(&snapshot.uri.0);
    assert_eq!(documents.bytes, 0);
}

#[test]
fn edits_give_the_text_of_a_plain_replacement() {
    let edits: usize = std::env::var("GGP_EDITS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let mut texts = vec![String::new(), "é𝄞\r\n".to_owned(), "(role a)\r(role b".to_owned()];
    let folders =
        [Some(ggp_tests::workspace().join("games")), ggp_tests::corpus().map(|corpus| corpus.join("rules"))];
    for folder in folders.into_iter().flatten() {
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        let rules = files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "kif"));
        texts.extend(rules.map(|path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()));
    }
    let largest = texts.iter().max_by_key(|text| text.len()).unwrap().clone();
    let mut random = Random(20_261_126);
    let began = Instant::now();
    let mut done = 0;
    while done < edits {
        // Small texts as often as large ones, since more of their edits tear a rule.
        let text = if random.below(2) == 0 {
            let text = &texts[random.below(texts.len())];
            let mut start = random.below(text.len() + 1);
            while !text.is_char_boundary(start) {
                start -= 1;
            }
            let end = (start..text.len()).find(|&end| end > start + 200 && text.is_char_boundary(end));
            text[start..end.unwrap_or(text.len())].to_owned()
        } else {
            texts[random.below(texts.len())].clone()
        };
        let number = (edits - done).min(500);
        edit(&text, number, 50, &mut random);
        done += number;
    }
    edit(&largest, edits / 100, 100, &mut random);
    println!("{edits} edits, and {} of {} bytes: {:?}", edits / 100, largest.len(), began.elapsed());
}

#[test]
fn large_texts_are_refused_and_taken_again() {
    let uri = lsp::Uri::from("file:///large.kif");
    let client = Client::of(&json!({}));
    let mut documents = Documents::default();
    let large = "x".repeat(MAX_DOCUMENT_BYTES + 1);
    let snapshot = documents.open(&uri, 1, large.clone(), &client);
    assert_eq!(snapshot.findings()[0].code, "too-large");
    let part = lsp::TextDocumentContentChangePartial {
        range: lsp::Range::default(),
        range_length: None,
        text: "(p)".to_owned(),
    };
    let snapshot = documents.change(&uri, 2, vec![part.into()], &client).unwrap();
    assert_eq!(snapshot.findings()[0].code, "too-large", "the rest of the text is not known");
    let whole = |text: String| vec![lsp::TextDocumentContentChangeWholeDocument { text }.into()];
    let snapshot = documents.change(&uri, 3, whole("(role a)".to_owned()), &client).unwrap();
    assert_eq!((snapshot.analysis.text(), &snapshot.refusal), ("(role a)", &None));
    let snapshot = documents.change(&uri, 4, whole(large), &client).unwrap();
    assert_eq!(snapshot.findings()[0].code, "too-large");
    // The texts together are bounded too.
    let many = "y".repeat(MAX_DOCUMENT_BYTES);
    let refused = (0..12).filter(|i| {
        let uri = lsp::Uri::from(format!("file:///{i}.kif"));
        documents.open(&uri, 1, many.clone(), &client).refusal.is_some()
    });
    assert_eq!(refused.count(), 12 - MAX_TOTAL_BYTES / MAX_DOCUMENT_BYTES);
    assert!(documents.bytes <= MAX_TOTAL_BYTES);
}
