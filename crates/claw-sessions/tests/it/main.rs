//! Sessions on disk, as programs use them.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests fail like tests"
)]

mod config_dirs;
mod examples;
mod folder;
mod forks;
mod hosted;
mod hostile;
#[cfg(unix)]
mod hostile_unix;
#[cfg(target_os = "linux")]
mod kills;
mod linear;
mod listed;
mod long;
mod main_job;
mod marks;
mod property;
mod queued;
#[cfg(target_os = "linux")]
mod reading;
mod relocated;
mod relocated_cli;
mod repaired;
mod repaired_cli;
mod rewound;
mod watched;
#[cfg(windows)]
mod windows;
mod writes;
