//! The graph of modules within each crate: an edge from a module to each module of the same crate that it
//! names. A circle means that neither can be understood, tested or moved without the other.
//!
//! A node is a top-level module with everything below it: `solve.rs` and `solve/frame.rs` are one node.

use crate::syntax::{Source, crates, sources};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::{Item, ItemUse, Path, UseTree};

/// Circles that remain, each with its reason.
const ALLOWED: &[(&str, &[&str], &str)] = &[];

/// The edges of one file: the top-level modules that it names.
struct Edges<'a> {
    /// The module path of the file.
    module: &'a [String],
    /// Which module defines what the crate's root re-exports.
    exported: &'a BTreeMap<String, String>,
    named: BTreeSet<String>,
}

impl Edges<'_> {
    /// Notes the module that a path of identifiers leads to.
    fn follow(&mut self, path: &[String]) {
        let (first, mut rest) = match path.split_first() {
            Some((first, rest)) => (first.as_str(), rest),
            None => return,
        };
        // The module that the rest of the path starts from; empty for the crate's root.
        let mut base: &[String] = match first {
            "crate" => &[],
            "super" => &self.module[..self.module.len().saturating_sub(1)],
            _ => return,
        };
        while rest.first().is_some_and(|part| part == "super") {
            base = &base[..base.len().saturating_sub(1)];
            rest = &rest[1..];
        }
        let target = base.first().or_else(|| rest.first());
        if let Some(target) = target {
            let module = self.exported.get(target).unwrap_or(target);
            self.named.insert(module.clone());
        }
    }

    fn follow_tree(&mut self, before: &mut Vec<String>, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.follow_tree(before, &path.tree);
                before.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.follow_tree(before, tree);
                }
            }
            UseTree::Name(name) => self.follow(&[&before[..], &[name.ident.to_string()]].concat()),
            UseTree::Rename(name) => self.follow(&[&before[..], &[name.ident.to_string()]].concat()),
            UseTree::Glob(_) => self.follow(before),
        }
    }
}

impl<'ast> Visit<'ast> for Edges<'_> {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.follow_tree(&mut Vec::new(), &item.tree);
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let parts: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        self.follow(&parts);
        visit::visit_path(self, path);
    }
}

/// The module of each name that `pub use` or `use` in the crate's root gives.
fn exported(root: &Source) -> BTreeMap<String, String> {
    fn walk(tree: &UseTree, module: Option<&str>, out: &mut BTreeMap<String, String>) {
        match tree {
            UseTree::Path(path) => {
                let name = path.ident.to_string();
                let module = module.map_or(name, str::to_owned);
                walk(
                    &path.tree,
                    if module == "crate" || module == "self" { None } else { Some(&module) },
                    out,
                );
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| walk(tree, module, out)),
            UseTree::Name(name) => {
                if let Some(module) = module {
                    out.insert(name.ident.to_string(), module.to_owned());
                }
            }
            UseTree::Rename(name) => {
                if let Some(module) = module {
                    out.insert(name.rename.to_string(), module.to_owned());
                }
            }
            UseTree::Glob(_) => {}
        }
    }
    let mut names = BTreeMap::new();
    for item in &root.items {
        if let Item::Use(item) = item {
            walk(&item.tree, None, &mut names);
        }
    }
    names
}

/// The circles of a crate: each is a sorted list of modules that reach one another.
fn circles(files: &[Source]) -> Vec<Vec<String>> {
    let tops: BTreeSet<&str> = files.iter().filter_map(|file| Some(file.module.first()?.as_str())).collect();
    let root = files.iter().find(|file| file.module.is_empty());
    let exported = root.map(exported).unwrap_or_default();
    let mut graph: DiGraphMap<&str, ()> = DiGraphMap::new();
    for file in files {
        let Some(top) = file.module.first().map(String::as_str) else { continue };
        let mut edges = Edges { module: &file.module, exported: &exported, named: BTreeSet::new() };
        file.items.iter().for_each(|item| edges.visit_item(item));
        for named in edges.named {
            if let Some(&target) = tops.get(named.as_str()).filter(|&&target| target != top) {
                graph.add_edge(top, target, ());
            }
        }
    }
    let mut found: Vec<Vec<String>> = tarjan_scc(&graph)
        .into_iter()
        .filter(|component| component.len() > 1)
        .map(|component| {
            let mut names: Vec<String> = component.iter().map(|&name| name.to_owned()).collect();
            names.sort();
            names
        })
        .collect();
    found.sort();
    found
}

#[test]
fn the_modules_of_a_crate_form_no_circle() {
    let mut found = Vec::new();
    for krate in crates() {
        for circle in circles(&sources(&krate)) {
            if !ALLOWED.iter().any(|(name, modules, _)| *name == krate && *modules == circle) {
                found.push(format!("{krate}: {}", circle.join(", ")));
            }
        }
    }
    let (found, help) = (found.join("\n"), "move what both need into a module below them");
    assert!(found.is_empty(), "modules that use one another; {help}:\n{found}");
}

#[test]
fn a_circle_is_found() {
    let file = |module: &[&str], text: &str| Source {
        name: String::new(),
        module: module.iter().map(|&part| part.to_owned()).collect(),
        items: syn::parse_file(text).expect("Rust").items,
        text: String::new(),
    };
    let root = file(&[], "mod a; mod b; mod c; mod d; pub use c::Cee;");
    let a = file(&["a"], "use crate::{b::X, other};");
    let b = file(&["b"], "fn f(cee: crate::Cee) {}");
    let c = file(&["c"], "mod inner;");
    let inner = file(&["c", "inner"], "fn g() { super::super::a::h() }");
    let d = file(&["d"], "use super::a; use crate::d::own;");
    assert_eq!(circles(&[root, a, b, c, inner, d]), [["a", "b", "c"]]);
}
