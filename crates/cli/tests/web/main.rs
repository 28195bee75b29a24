//! `ggp web`: what its server answers, and whole games played in a browser by clicks.

mod api;
mod browser;
mod http;
mod pages;
mod server;
