//! The `claw` command, run as a person runs it.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests"
)]

mod answer;
mod chat;
mod check;
mod chromium;
mod claw;
mod demo;
#[cfg(feature = "schema")]
mod documents;
mod faults;
mod options;
mod page;
mod permission;
mod phone;
mod pictures;
mod progress;
mod pty;
mod real_cli;
mod recorded;
mod render;
mod replayed;
#[cfg(feature = "schema")]
mod schemas;
mod sessions;
mod sessions_real;
mod show;
mod version;
#[cfg(not(feature = "schema"))]
mod without;
