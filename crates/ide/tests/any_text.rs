//! Every question has an answer at every place of every text: published rulesheets, torn ones, and hostile ones.

use ggp_gdl::Span;
use ggp_ide::{Analysis, Encoding, fixes};
use std::fs;

/// Asks everything about a text, with the questions that take an offset at each of `offsets`.
fn ask(analysis: &Analysis, offsets: impl Iterator<Item = usize>) {
    let text = analysis.text();
    let all = Span { start: 0, end: text.len() };
    let inside = |span: Span| text.get(span.range()).expect("a span of whole characters");
    for finding in analysis.findings() {
        inside(finding.span);
    }
    for token in analysis.tokens(all) {
        assert!(!inside(token.span).contains('\n'));
    }
    for fold in analysis.folds() {
        inside(fold.span);
    }
    for symbol in analysis.symbols() {
        inside(symbol.span);
        inside(symbol.name_span);
    }
    analysis.lenses(None);
    analysis.domain_hints(all);
    for fix in fixes(analysis.findings(), all) {
        assert_ne!(ggp_gdl::diagnostic::apply(&fix.edits, text.as_bytes()), text.as_bytes());
    }
    if let Ok(edits) = analysis.layout() {
        let laid_out = ggp_gdl::diagnostic::apply(&edits, text.as_bytes());
        assert_eq!(laid_out, ggp_gdl::format(text.as_bytes()).unwrap());
    }
    for offset in offsets {
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            let position = analysis.lines().position(text, offset, encoding);
            assert!(analysis.lines().offset(text, position, encoding) <= text.len());
        }
        analysis.hover(offset);
        analysis.completions(offset);
        for span in analysis.definitions(offset).into_iter().chain(analysis.references(offset, false)) {
            assert!(!inside(span).is_empty());
        }
        if let Ok(edits) =
            analysis.rename(offset, "?fresh-name").or_else(|_| analysis.rename(offset, "fresh-name"))
        {
            assert!(!edits.is_empty());
        }
    }
}

#[test]
fn own_rulesheets_and_torn_ones() {
    let folder = ggp_tests::workspace().join("games");
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "kif") {
            continue;
        }
        let text = fs::read_to_string(path).unwrap();
        ask(&Analysis::new(&*text), (0..text.len()).step_by(97));
        // The beginning of the text, and the text without one of its parentheses.
        for cut in (0..text.len()).step_by(text.len() / 5 + 1) {
            let torn = Analysis::new(&text[..cut]);
            ask(&torn, (0..=cut).step_by(211));
            let parenthesis = cut + text[cut..].find(['(', ')']).unwrap_or(0);
            let missing =
                Analysis::new(&*text).spliced(Span { start: parenthesis, end: parenthesis + 1 }, "");
            ask(&missing, (0..text.len()).step_by(1009));
        }
    }
}

#[test]
fn published_rulesheets() {
    let Some(corpus) = ggp_tests::corpus() else { return };
    for file in fs::read_dir(corpus.join("rules")).unwrap() {
        let text = String::from_utf8_lossy(&fs::read(file.unwrap().path()).unwrap()).into_owned();
        let step = text.len() / 20 + 1;
        ask(&Analysis::new(&*text), (0..text.len()).step_by(step));
    }
}

#[test]
fn hostile_texts_take_linear_time_and_no_stack() {
    let large = 1_000_000;
    let texts = [
        "(".repeat(large),
        ")".repeat(large),
        "(\n".repeat(large / 2),
        "(p ".repeat(large / 3),
        format!("{}a{}", "(f ".repeat(90_000), ")".repeat(90_000)),
        format!("(<= (p ?x) {})", "(q ?x)".repeat(large / 6)),
        format!("(p{})", " a".repeat(large / 2)),
        format!("(p{})", " é𝄞".repeat(large / 7)),
        "?x ".repeat(large / 3),
        "(role r)".repeat(large / 8),
        "; ----\n".repeat(large / 7),
        ";".repeat(large),
        "\r".repeat(large),
        "a".repeat(large),
        "(<= (<= (<= ".repeat(large / 12),
        "(true (".repeat(large / 7),
    ];
    for text in texts {
        let (middle, end) = (text.len() / 2, text.len());
        ask(&Analysis::new(text), [0, middle, end, end + 10].into_iter());
    }
}

#[test]
fn spliced_is_the_whole_text() {
    let analysis = Analysis::new("aé𝄞b");
    let spliced = |start, end, new: &str| analysis.spliced(Span { start, end }, new).text().to_owned();
    assert_eq!(spliced(1, 3, "x"), "ax𝄞b");
    assert_eq!(spliced(2, 5, ""), "a𝄞b", "inside characters");
    assert_eq!(spliced(100, 0, "!"), "aé𝄞b!");
    assert_eq!(spliced(5, 1, "-"), "aé-𝄞b", "an end before the start");
}
