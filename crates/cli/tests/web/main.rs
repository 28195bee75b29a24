//! `ggp web`: the answers of its server, and whole games played by clicks in a browser.

mod access;
mod api;
mod base;
mod browser;
mod gallery;
mod hidden;
mod http;
mod pages;
mod replay;
#[path = "../served/mod.rs"]
mod served;
mod server;
mod studio;
mod table;
