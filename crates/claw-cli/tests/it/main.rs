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
mod schemas;
mod show;
