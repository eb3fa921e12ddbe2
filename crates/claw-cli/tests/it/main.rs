//! The `claw` command, run as a person runs it.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests"
)]

#[cfg(feature = "terminal")]
mod acp;
mod acp_ends;
mod answer;
#[cfg(all(unix, feature = "serve", feature = "terminal"))]
mod attached;
mod chat;
#[cfg(feature = "terminal")]
mod check;
#[cfg(feature = "terminal")]
mod chromium;
mod claw;
#[cfg(feature = "terminal")]
mod completions;
#[cfg(feature = "terminal")]
mod config;
mod demo;
#[cfg(all(feature = "serve", feature = "terminal"))]
mod doctor;
#[cfg(feature = "terminal")]
mod documents;
mod drawn;
#[cfg(unix)]
mod environment;
mod faults;
mod limited;
mod options;
#[cfg(feature = "terminal")]
mod page;
mod permission;
#[cfg(feature = "terminal")]
mod phone;
#[cfg(feature = "terminal")]
mod pictures;
mod progress;
mod real_cli;
#[cfg(feature = "terminal")]
mod recorded;
mod render;
mod replayed;
#[cfg(feature = "terminal")]
mod rewound;
#[cfg(feature = "terminal")]
mod schemas;
mod screen;
#[cfg(all(unix, feature = "s3", feature = "terminal"))]
mod sdk_stores;
#[cfg(feature = "serve")]
mod sentences;
mod serve;
#[cfg(feature = "serve")]
mod serve_ends;
#[cfg(all(target_os = "linux", feature = "serve"))]
mod serve_full;
#[cfg(feature = "serve")]
mod serve_hosting;
#[cfg(all(unix, feature = "serve"))]
mod serve_log;
#[cfg(all(feature = "serve", feature = "stores"))]
mod serve_many;
#[cfg(all(unix, feature = "serve"))]
mod serve_notify;
#[cfg(all(feature = "serve", feature = "terminal"))]
mod serve_page;
#[cfg(feature = "serve")]
mod serve_phone;
#[cfg(all(unix, feature = "serve"))]
mod serve_socket;
#[cfg(all(unix, feature = "serve"))]
mod serve_tls;
#[cfg(feature = "serve")]
mod serve_traces;
#[cfg(all(target_os = "linux", feature = "serve"))]
mod serve_walls;
#[cfg(feature = "terminal")]
mod sessions;
#[cfg(feature = "terminal")]
mod sessions_dirs;
#[cfg(all(unix, feature = "stores", feature = "terminal"))]
mod sessions_indexed;
#[cfg(feature = "terminal")]
mod sessions_moved;
#[cfg(feature = "terminal")]
mod sessions_real;
#[cfg(feature = "terminal")]
mod sessions_repaired;
#[cfg(all(unix, feature = "stores", feature = "terminal"))]
mod sessions_synced;
#[cfg(target_os = "linux")]
mod shell;
#[cfg(feature = "terminal")]
mod show;
#[cfg(feature = "serve")]
mod starts;
mod stdin;
#[cfg(all(unix, feature = "stores", feature = "terminal"))]
mod stores;
#[cfg(unix)]
mod suspended;
#[cfg(target_os = "linux")]
mod threads;
mod typed;
#[cfg(feature = "serve")]
mod users;
mod version;
#[cfg(not(feature = "full"))]
mod without;
