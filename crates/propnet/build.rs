//! Computes a fingerprint of the sources that determine a network, for `PropNetMachine::SOURCES`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The folders with the sources of this crate and of the crates that it builds on. The others exist only in the
/// workspace.
const FOLDERS: [&str; 4] = ["src", "../gdl/src", "../datalog/src", "../game/src"];

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let mut files = Vec::new();
    for folder in FOLDERS.map(Path::new).into_iter().filter(|folder| folder.is_dir()) {
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(folder, &mut files)?;
    }
    files.sort();
    let mut hash = DefaultHasher::new();
    for file in files {
        fs::read(&file)?.hash(&mut hash);
        file.hash(&mut hash);
    }
    println!("cargo::rustc-env=GGP_PROPNET_SOURCES={:016x}", hash.finish());
    Ok(())
}
