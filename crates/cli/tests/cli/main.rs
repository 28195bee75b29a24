//! The `ggp` command as scripts and users see it: output formats, exit codes, streams.
//!
//! The tests run `ggp` at the root of the workspace. Scripts of users depend on the exact output that
//! these tests check.

mod check;
mod counts;
mod formats;
mod outputs;
mod play;
mod replay;
mod rules;
#[path = "../run/mod.rs"]
mod run;
mod simulate;
mod usage;

use run::{Run, command, feed, ggp, ggp_with};
use std::path::{Path, PathBuf};

/// Writes a file that only one test uses, and returns its path.
fn scratch(name: &str, contents: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, contents).expect("a scratch file");
    path
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A game of two steps in which `a` chooses and `b` has one move.
const TINY: &str = "\
(role a) (role b)
(init (step 0))
(succ 0 1) (succ 1 2)
(<= (legal a (pick ?x)) (choice ?x))
(<= (legal b noop) (role b))
(choice l) (choice r)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (picked ?x)) (does a (pick ?x)))
(<= terminal (true (step 2)))
(<= (goal a 100) (true (picked l)))
(<= (goal a 30) (not (true (picked l))))
(<= (goal b 50) (role b))
";
