//! The public surface of the library `ggp`, as a listing beside its tests. A change of the surface changes the
//! listing: `GGP_UPDATE=1 cargo test -p ggp-tests --test source` rewrites it, and the diff is reviewed.

use crate::syntax::{attributes, crates, sources};
use ggp_tests::workspace;
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::{Attribute, Fields, ImplItem, Item, TraitItem, Type, UseTree, Visibility};

const LISTING: &str = "tests/source/surface.txt";

/// The lines of each public name: its own, and those of its members.
type Members = BTreeMap<String, BTreeSet<String>>;

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    // Comments are attributes too, of another form.
    let list = |attribute: &Attribute| Some(attribute.meta.require_list().ok()?.tokens.to_string());
    attributes.iter().filter_map(list).any(|tokens| tokens == "hidden")
}

/// Tokens as text, with the spaces that a reader expects.
fn text(tokens: impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (from, to) in [
        (" :: ", "::"),
        (":: ", "::"),
        (" < ", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        ("& ", "&"),
        (" :", ":"),
        (" [", "["),
        (" ]", "]"),
        ("[ ", "["),
        (" ;", ";"),
        (",)", ")"),
        ("->", " -> "),
        ("  ", " "),
        (" ! ", "!"),
    ] {
        text = text.replace(from, to);
    }
    text
}

/// The last identifier of a type's path.
fn name_of(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|part| part.ident.to_string()),
        _ => None,
    }
}

/// Adds the public members of all types, traits and functions of the workspace.
fn members() -> Members {
    let mut all = Members::new();
    for krate in crates() {
        for file in sources(&krate) {
            for item in &file.items {
                if !is_hidden(attributes(item)) {
                    add(item, &mut all);
                }
            }
        }
    }
    all
}

fn add(item: &Item, all: &mut Members) {
    let mut line = |name: String, line: String| {
        all.entry(name).or_default().insert(line);
    };
    match item {
        Item::Struct(item) if is_public(&item.vis) => {
            let name = item.ident.to_string();
            line(name.clone(), format!("struct {name}{}", text(&item.generics)));
            if let Fields::Named(fields) = &item.fields {
                for field in fields.named.iter().filter(|field| is_public(&field.vis)) {
                    let own = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
                    line(name.clone(), format!("  field {own}: {}", text(&field.ty)));
                }
            }
        }
        Item::Enum(item) if is_public(&item.vis) => {
            let name = item.ident.to_string();
            line(name.clone(), format!("enum {name}{}", text(&item.generics)));
            for variant in &item.variants {
                let mut variant = variant.clone();
                variant.attrs.clear();
                for field in &mut variant.fields {
                    field.attrs.clear();
                }
                line(name.clone(), format!("  variant {}", text(&variant)));
            }
        }
        Item::Trait(item) if is_public(&item.vis) => {
            let name = item.ident.to_string();
            line(name.clone(), format!("trait {name}{}", text(&item.generics)));
            for member in &item.items {
                match member {
                    TraitItem::Fn(function) => line(name.clone(), format!("  {}", text(&function.sig))),
                    TraitItem::Type(ty) => line(name.clone(), format!("  type {}", ty.ident)),
                    _ => {}
                }
            }
        }
        Item::Fn(item) if is_public(&item.vis) => {
            line(item.sig.ident.to_string(), text(&item.sig));
        }
        Item::Const(item) if is_public(&item.vis) => {
            line(item.ident.to_string(), format!("const {}: {}", item.ident, text(&item.ty)));
        }
        Item::Impl(item) if item.trait_.is_none() => {
            let Some(name) = name_of(&item.self_ty) else { return };
            for member in &item.items {
                match member {
                    ImplItem::Fn(function) if is_public(&function.vis) && !is_hidden(&function.attrs) => {
                        line(name.clone(), format!("  {}", text(&function.sig)));
                    }
                    ImplItem::Const(constant) if is_public(&constant.vis) => {
                        line(name.clone(), format!("  const {}: {}", constant.ident, text(&constant.ty)));
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// The names that the root of `ggp` exports, each with the name of its definition.
fn exports() -> BTreeMap<String, String> {
    fn walk(tree: &UseTree, out: &mut BTreeMap<String, String>) {
        match tree {
            UseTree::Path(path) => walk(&path.tree, out),
            UseTree::Group(group) => group.items.iter().for_each(|tree| walk(tree, out)),
            UseTree::Name(name) => {
                out.insert(name.ident.to_string(), name.ident.to_string());
            }
            UseTree::Rename(name) => {
                out.insert(name.rename.to_string(), name.ident.to_string());
            }
            UseTree::Glob(_) => panic!("the library exports no globs"),
        }
    }
    let mut names = BTreeMap::new();
    for file in sources("ggp").iter().filter(|file| file.module.is_empty()) {
        for item in &file.items {
            if let Item::Use(item) = item
                && is_public(&item.vis)
            {
                walk(&item.tree, &mut names);
            }
        }
    }
    names
}

#[test]
fn the_surface_is_as_listed() {
    let (members, exports) = (members(), exports());
    let mut listing = String::new();
    for (name, defined) in &exports {
        match members.get(defined) {
            Some(lines) => {
                let as_name = if name == defined { String::new() } else { format!(" as {name}") };
                // The line of the item itself has no indent; the others follow it.
                let (own, of_it): (Vec<&String>, Vec<&String>) =
                    lines.iter().partition(|line| !line.starts_with(' '));
                for line in own {
                    listing.push_str(&format!("{line}{as_name}\n"));
                }
                for line in of_it {
                    listing.push_str(&format!("{line}\n"));
                }
            }
            None => listing.push_str(&format!("mod {defined} as {name}\n")),
        }
    }
    let path = workspace().join(LISTING);
    if std::env::var_os("GGP_UPDATE").is_some() {
        std::fs::write(&path, &listing).expect("the listing can be written");
    }
    let listed = std::fs::read_to_string(&path).unwrap_or_default();
    let (old, new): (BTreeSet<&str>, BTreeSet<&str>) = (listed.lines().collect(), listing.lines().collect());
    let gone: Vec<String> = old.difference(&new).map(|line| format!("- {line}")).collect();
    let added: Vec<String> = new.difference(&old).map(|line| format!("+ {line}")).collect();
    assert!(
        listing == listed,
        "the public surface of `ggp` differs from {LISTING}; if that is meant, GGP_UPDATE=1 rewrites the \
         listing:\n{}\n{}",
        gone.join("\n"),
        added.join("\n")
    );
}
