//! Real processes. What is left behind is looked for in the system, never through a handle.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "tests"
)]

mod end;
#[cfg(target_os = "linux")]
mod end_linux;
mod files;
#[cfg(target_os = "linux")]
mod hang;
mod hook;
mod host;
mod launch;
#[cfg(target_os = "linux")]
mod launch_linux;
mod pipes;
mod recorder;
mod replay;
#[cfg(unix)]
mod shell;
mod start;
mod stderr;
mod support;
#[cfg(target_os = "linux")]
mod terminal;
#[cfg(windows)]
mod windows;
