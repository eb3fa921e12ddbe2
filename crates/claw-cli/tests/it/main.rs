//! The `claw` command, run as a person runs it.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests"
)]

#[cfg(feature = "acp")]
mod acp;
mod acp_ends;
mod answer;
mod chat;
#[cfg(feature = "view")]
mod check;
#[cfg(feature = "view")]
mod chromium;
mod claw;
#[cfg(feature = "completions")]
mod completions;
#[cfg(feature = "config")]
mod config;
mod demo;
#[cfg(all(feature = "doctor", feature = "config"))]
mod doctor;
#[cfg(feature = "schema")]
mod documents;
#[cfg(unix)]
mod environment;
mod faults;
mod options;
#[cfg(feature = "view")]
mod page;
mod permission;
#[cfg(feature = "view")]
mod phone;
#[cfg(feature = "view")]
mod pictures;
mod progress;
mod pty;
mod real_cli;
#[cfg(feature = "view")]
mod recorded;
mod render;
mod replayed;
#[cfg(feature = "view")]
mod rewound;
#[cfg(feature = "schema")]
mod schemas;
mod screen;
#[cfg(feature = "serve")]
mod sentences;
mod serve;
#[cfg(feature = "serve")]
mod serve_ends;
#[cfg(feature = "serve")]
mod serve_hosting;
#[cfg(all(feature = "serve", feature = "postgres"))]
mod serve_many;
#[cfg(all(unix, feature = "notify"))]
mod serve_notify;
#[cfg(all(feature = "serve", feature = "view"))]
mod serve_page;
#[cfg(feature = "serve")]
mod serve_phone;
#[cfg(feature = "sessions")]
mod sessions;
#[cfg(feature = "sessions")]
mod sessions_real;
#[cfg(target_os = "linux")]
mod shell;
#[cfg(feature = "view")]
mod show;
mod stdin;
#[cfg(all(unix, feature = "store", feature = "sessions"))]
mod stores;
#[cfg(unix)]
mod suspended;
#[cfg(target_os = "linux")]
mod threads;
mod typed;
mod version;
#[cfg(not(feature = "full"))]
mod without;
