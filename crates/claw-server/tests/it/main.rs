//! The server over its interfaces.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that fails says where"
)]

mod activity;
mod agents;
mod attacks;
mod audit;
mod changes;
mod choices;
mod cli;
mod client;
#[cfg(feature = "cluster")]
mod cluster;
mod config_dirs;
mod crowds;
mod delete;
mod disk;
mod document;
mod embedding;
mod ends;
mod faults;
mod files;
mod finish;
mod forms;
#[cfg(feature = "cluster")]
mod forwarding;
mod hosting;
mod idle;
mod kept;
mod labels;
mod limited;
mod limits;
mod list;
mod live;
mod logins;
mod long;
mod may;
mod metrics;
mod moved;
#[cfg(feature = "notify")]
mod notify;
mod page;
mod past;
mod proxy;
#[cfg(feature = "notify")]
mod push;
mod queries;
mod quotas;
mod ready;
mod real_changes;
mod real_cli;
mod retention;
mod rpc;
mod socket;
mod stalled;
mod starts;
mod stores;
mod suggestions;
mod suspended;
mod thin;
#[cfg(feature = "notify")]
mod tls;
#[cfg(feature = "notify")]
mod tls_local;
#[cfg(feature = "notify")]
mod traces;
mod user_header;
#[cfg(unix)]
mod user_socket;
mod users;
mod users_of_hosts;
#[cfg(unix)]
mod walls;
mod window;
mod worktrees;
