//! A web server on which people play games against engines. The crate holds the match sessions, the pool of
//! worker threads that runs their searches, and the embedded pages. [`serve`] is the entry point, and a
//! [`Site`] names the games that the server offers. The module `routes` lists the requests. The module
//! `guard` decides which requests are allowed.
//!
//! No text from a rulesheet or a visitor becomes a path, markup or a command. A [`Config`] bounds every
//! resource that a visitor can use up. The HTTP layer is axum (on hyper and tokio). Browsers keep many
//! connections open and listen to server-sent events for hours, so one thread per connection would be
//! expensive. axum bounds request bodies and is maintained (`tiny_http` has had no release since 2022).
//! Without its default features, axum adds 25 packages to those of `ggp`.
//!
//! # Examples
//! ```
//! // The games that are part of the program, for a server without a folder of its own.
//! let offers = ggp_web::catalogue::embedded();
//! assert!(offers.iter().any(|offer| offer.name == "connect_four"));
//! ```

mod analysis;
mod app;
mod assets;
mod base_path;
pub mod catalogue;
mod config;
mod deciding;
mod engine;
mod gallery;
mod gesture;
mod guard;
mod hidden;
mod history;
mod id;
mod known;
pub mod learnt;
mod listen;
mod loading;
mod lock;
mod moment;
mod open_session;
mod picture;
mod pool;
mod records;
mod remote;
mod reply;
mod routes;
mod seat_player;
mod serve;
mod session;
mod studio;
mod style;
mod table;
mod watch;

pub use base_path::{BasePath, BasePathError};
pub use catalogue::Offer;
pub use config::Config;
pub use serve::{Site, serve};
