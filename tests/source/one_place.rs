//! What has one place: a second reader of joint moves, reader of match records or watchdog fails here.

use crate::syntax::{crates, sources};

/// Something that only certain files may do.
struct Rule {
    /// What it is.
    what: &'static str,
    /// Texts that show that a file does it.
    signs: &'static [&'static str],
    /// The files that may, each with the reason.
    allowed: &'static [(&'static str, &'static str)],
    /// What to use instead.
    instead: &'static str,
}

const RULES: &[Rule] = &[];

#[test]
fn what_has_one_place_is_done_nowhere_else() {
    let mut faults = Vec::new();
    for krate in crates() {
        for file in sources(&krate) {
            for rule in RULES {
                let sign = rule.signs.iter().find(|&&sign| file.text.contains(sign));
                if let Some(sign) = sign
                    && !rule.allowed.iter().any(|(name, _)| *name == file.name)
                {
                    let Rule { what, instead, .. } = rule;
                    faults.push(format!("{}: `{sign}` is {what}; use {instead}", file.name));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_exception_is_still_needed() {
    let mut stale = Vec::new();
    for rule in RULES {
        for (name, _) in rule.allowed {
            let krate = name.split('/').nth(1).expect("crates/NAME/…");
            let needed = sources(krate)
                .iter()
                .any(|file| file.name == *name && rule.signs.iter().any(|sign| file.text.contains(sign)));
            if !needed {
                stale.push(format!("{name}: no longer {}", rule.what));
            }
        }
    }
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}
