//! The `claw` command, run as a person runs it.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests"
)]

mod chat;
mod check;
mod chromium;
mod claw;
mod demo;
mod faults;
mod page;
mod phone;
mod real_cli;
mod replayed;
mod schemas;
mod show;
