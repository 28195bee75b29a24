//! The pages. They are compiled into the program, so the program reads them neither from files nor from the
//! network.

use crate::guard::POLICY;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

macro_rules! files {
    ($($name:literal: $kind:literal),* $(,)?) => {
        &[$(($name, $kind, include_str!(concat!("../assets/", $name)))),*]
    };
}

/// The name, the media type and the text of each file.
const FILES: &[(&str, &str, &str)] = files![
    "index.html": "text/html; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
    "board.css": "text/css; charset=utf-8",
    "home.css": "text/css; charset=utf-8",
    "match.css": "text/css; charset=utf-8",
    "studio.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "main.js": "text/javascript; charset=utf-8",
    "api.js": "text/javascript; charset=utf-8",
    "arrows.js": "text/javascript; charset=utf-8",
    "drag.js": "text/javascript; charset=utf-8",
    "players.js": "text/javascript; charset=utf-8",
    "records.js": "text/javascript; charset=utf-8",
    "result.js": "text/javascript; charset=utf-8",
    "sound.js": "text/javascript; charset=utf-8",
    "begin.js": "text/javascript; charset=utf-8",
    "board.js": "text/javascript; charset=utf-8",
    "codemirror.js": "text/javascript; charset=utf-8",
    "codemirror.txt": "text/plain; charset=utf-8",
    "curtain.js": "text/javascript; charset=utf-8",
    "dom.js": "text/javascript; charset=utf-8",
    "editor.js": "text/javascript; charset=utf-8",
    "files.js": "text/javascript; charset=utf-8",
    "gallery.js": "text/javascript; charset=utf-8",
    "history.js": "text/javascript; charset=utf-8",
    "input.js": "text/javascript; charset=utf-8",
    "learnt.js": "text/javascript; charset=utf-8",
    "legal.js": "text/javascript; charset=utf-8",
    "sentence.js": "text/javascript; charset=utf-8",
    "live.js": "text/javascript; charset=utf-8",
    "pieces.js": "text/javascript; charset=utf-8",
    "plot.js": "text/javascript; charset=utf-8",
    "problems.js": "text/javascript; charset=utf-8",
    "seats.js": "text/javascript; charset=utf-8",
    "setup.js": "text/javascript; charset=utf-8",
    "side.js": "text/javascript; charset=utf-8",
    "strip.js": "text/javascript; charset=utf-8",
    "studio.js": "text/javascript; charset=utf-8",
    "table.js": "text/javascript; charset=utf-8",
    "thumbnail.js": "text/javascript; charset=utf-8",
    "thinking.js": "text/javascript; charset=utf-8",
    "upload.js": "text/javascript; charset=utf-8",
    "viewfile.js": "text/javascript; charset=utf-8",
    "why.js": "text/javascript; charset=utf-8",
];

/// The element by which the page loads its style sheet.
const LINK: &str = r#"<link rel="stylesheet" href="assets/style.css" />"#;

/// The style sheets, in the order of the cascade.
const STYLES: [&str; 5] = ["style.css", "home.css", "board.css", "match.css", "studio.css"];

/// The index page. Its style sheets are inlined, so that the first paint needs a single request. The content
/// security policy allows only the style element with the attribute `nonce`, which must be unguessable.
pub(crate) fn page(nonce: &str) -> Response {
    let text = |name: &str| FILES.iter().find(|(known, ..)| *known == name).map_or("", |(.., text)| text);
    let style: String = STYLES.iter().copied().map(text).collect();
    let style = format!("<style nonce=\"{nonce}\">{style}</style>");
    let policy = POLICY.replace("style-src 'self'", &format!("style-src 'nonce-{nonce}'"));
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, policy.as_str()),
    ];
    (headers, text("index.html").replace(LINK, &style)).into_response()
}

/// The response with the file `name` of [`FILES`], or with status 404 if that list has no such file. No other
/// file can be read.
pub(crate) fn asset(name: &str) -> Response {
    let found = FILES.iter().find(|(known, ..)| *known == name);
    match found {
        Some((_, kind, text)) => {
            ([(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, "no-cache")], *text).into_response()
        }
        None => (StatusCode::NOT_FOUND, "there is no such page").into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::FILES;
    use sha2::{Digest, Sha256};

    #[test]
    fn the_editor_is_what_its_notices_say() {
        let text =
            |name: &str| FILES.iter().find(|(known, ..)| *known == name).map(|(.., text)| *text).unwrap();
        let digest = Sha256::digest(text("codemirror.js"));
        let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let notices = text("codemirror.txt");
        assert!(notices.contains(&format!("SHA-256 of codemirror.js: {hash}")), "{hash}");
        // The versions are those that the script installs.
        let lock = include_str!("../editor/package-lock.json");
        let versions = notices.lines().skip(2).take_while(|line| !line.is_empty());
        let mut count = 0;
        for (name, version) in versions.filter_map(|line| line.split_once(' ')) {
            let entry = lock.split_once(&format!("\"node_modules/{name}\": {{")).expect("it is installed").1;
            assert!(
                entry.trim_start().starts_with(&format!("\"version\": \"{version}\"")),
                "{name} {version}"
            );
            count += 1;
        }
        assert!(count > 10 && notices.matches("Permission is hereby granted").count() >= 4);
    }
}
