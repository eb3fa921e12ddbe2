//! Real processes, small shell scripts most of them. Linux only: what is left behind is looked for
//! in `/proc`, never through a handle.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "tests"
)]

mod end;
mod files;
mod hang;
mod hook;
mod host;
mod launch;
mod pipes;
mod recorder;
mod replay;
mod start;
mod stderr;
mod support;
mod terminal;
