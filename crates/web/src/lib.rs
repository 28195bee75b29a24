//! Games in the browser: sessions that people play against engines, the threads that think for
//! them, and the pages, all in one program.
//!
//! [`serve`] is told what it cannot know by a [`Workshop`]: which machines evaluate rules, and how
//! players elsewhere are reached. What a page may ask is in `routes`; who may ask is decided in
//! `guard`. Nothing that a rulesheet or a visitor says becomes a path, markup or a command, and
//! everything that they can make grow is bounded by a [`Config`].
//!
//! Why axum, on hyper and tokio: browsers keep connections open, ask in parallel, and listen to
//! server-sent events for hours, which a thread a connection would pay for dearly; it bounds
//! bodies; and it is the one small server here that is kept well (`tiny_http` has
//! had no release since 2022). Without its default features it adds 25 packages, beside what
//! `ggp` has already. The framing in `ggp-server` is for players of 2005.

mod app;
mod assets;
pub mod catalogue;
mod config;
mod guard;
mod guest;
mod history;
mod known;
mod limited;
mod listen;
mod mind;
mod picture;
mod pool;
mod reply;
mod routes;
mod rules;
mod seat;
mod serve;
mod session;
mod thinking;
mod watch;

pub use catalogue::Offer;
pub use config::Config;
pub use known::{Learned, ReasonerNote, Workshop};
pub use mind::{Mind, Slice};
pub use rules::{MachineRules, Moment, Rules};
pub use serve::{Site, serve};
