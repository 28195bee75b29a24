//! The `ggp` command.
fn main() {}
