//! Reading of Rust files: the crates of the workspace as syntax trees, without their tests.

use ggp_tests::workspace;
use std::fs;
use std::path::{Path, PathBuf};
use syn::{Attribute, Item, Meta};

/// One file of a crate.
pub(crate) struct Source {
    /// The path from the workspace's root.
    pub(crate) name: String,
    /// The module path within the crate: empty for `lib.rs` and `main.rs`.
    pub(crate) module: Vec<String>,
    /// The items outside of `#[cfg(test)]`.
    pub(crate) items: Vec<Item>,
    /// The text, without anything behind the first `#[cfg(test)]` module.
    pub(crate) text: String,
}

/// The names of the workspace's crates, which are folders in `crates`.
pub(crate) fn crates() -> Vec<String> {
    let folders = fs::read_dir(workspace().join("crates")).expect("the crates");
    let name = |folder: fs::DirEntry| folder.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = folders.map(|folder| name(folder.expect("a crate"))).collect();
    names.sort();
    names
}

/// The source files of a crate, sorted by name. Files of modules named `tests` are left out.
pub(crate) fn sources(krate: &str) -> Vec<Source> {
    let root = workspace().join("crates").join(krate).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    files.iter().filter_map(|path| read(&root, krate, path)).collect()
}

/// Adds the Rust files in `folder` and in the folders below it to `files`.
pub(crate) fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn read(root: &Path, krate: &str, path: &Path) -> Option<Source> {
    let inner = path.strip_prefix(root).expect("a file of the crate").with_extension("");
    let mut module: Vec<String> =
        inner.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    if module.iter().any(|part| part == "tests") {
        return None;
    }
    if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        module.pop();
    }
    let text = fs::read_to_string(path).expect("a text");
    let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut items = file.items;
    items.retain(|item| !is_test(attributes(item)));
    let end = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
    let name = format!("crates/{krate}/src/{}.rs", inner.display());
    Some(Source { name, module, items, text: text[..end].to_owned() })
}

pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether the attributes say `#[cfg(test)]`.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}
