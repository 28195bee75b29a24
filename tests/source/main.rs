//! Tests of the source text itself: no circles between the modules of a crate, no second way to do what has
//! one place, a deliberate public surface of the library `ggp`, READMEs that follow the front pages, a
//! fingerprint of all sources that determine a network, a table of limits that says what the code says, and
//! tests that leave the cache of the user alone.

mod fingerprint;
mod limits;
mod modules;
mod one_place;
mod readmes;
mod surface;
mod syntax;
mod user_cache;
