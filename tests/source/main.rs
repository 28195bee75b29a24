//! Tests of the source text itself: no circles between the modules of a crate, no second way to do what has
//! one place, and a deliberate public surface of the library `ggp`.

mod modules;
mod one_place;
mod surface;
mod syntax;
