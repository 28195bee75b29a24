//! Pages of Markdown: their code blocks, headings and links.

use std::path::{Path, PathBuf};

/// A fenced code block.
pub(crate) struct Block<'a> {
    /// What follows the opening fence, such as `gdl,file=nim.kif`: a language and its attributes.
    info: &'a str,
    /// The lines of the block, each with its end.
    pub(crate) text: &'a str,
    /// The offset of `text` in the page.
    pub(crate) start: usize,
}

impl<'a> Block<'a> {
    pub(crate) fn language(&self) -> &'a str {
        self.info.split(',').next().unwrap_or_default()
    }

    /// The value of the attribute `name=VALUE`, or the empty text of an attribute without a value.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'a str> {
        self.info.split(',').skip(1).find_map(|part| {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            (key == name).then_some(value)
        })
    }

    /// The names of all attributes.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = &'a str> {
        self.info.split(',').skip(1).map(|part| part.split('=').next().unwrap_or_default())
    }
}

/// The code blocks of a page. A fence is three or more backquotes at the beginning of a line. A fence of as many ends the
/// block.
pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, &str, usize)> = None;
    let mut offset = 0;
    for line in page.split_inclusive('\n') {
        let info = line.trim_start_matches('`');
        let fence = &line[..line.len() - info.len()];
        match open {
            None if fence.len() >= 3 => open = Some((fence, info.trim_end(), offset + line.len())),
            Some((opening, info, start)) if fence == opening => {
                blocks.push(Block { info, text: &page[start..offset], start });
                open = None;
            }
            _ => {}
        }
        offset += line.len();
    }
    assert!(open.is_none(), "a code block has no end");
    blocks
}

/// The page without its code blocks.
fn prose(page: &str) -> String {
    let mut out = String::new();
    let mut end = 0;
    for block in blocks(page) {
        out.push_str(&page[end..block.start]);
        end = block.start + block.text.len();
    }
    out + &page[end..]
}

/// The targets of the links and images of a page.
pub(crate) fn links(page: &str) -> Vec<String> {
    let prose = prose(page);
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split([')', '\n', ' ']).next());
    targets.map(str::to_owned).collect()
}

/// The anchors that mdBook gives to the headings of a page.
pub(crate) fn anchors(page: &str) -> Vec<String> {
    let prose = prose(page);
    let headings =
        prose.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let anchor = |heading: &str| {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
    };
    headings.map(anchor).collect()
}

/// All pages in `folder` and below, sorted.
pub(crate) fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of pages") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

#[test]
fn a_longer_fence_holds_shorter_ones() {
    let page = "a\n````text\n```x\n```\n````\n```gdl,file=n,fragment\ny\n```\n";
    let found: Vec<(&str, &str)> = blocks(page).iter().map(|block| (block.info, block.text)).collect();
    assert_eq!(found, [("text", "```x\n```\n"), ("gdl,file=n,fragment", "y\n")]);
    assert_eq!(blocks(page)[1].attribute("file"), Some("n"));
}
