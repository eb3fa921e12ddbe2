//! Sessions on disk, as programs use them.

mod folder;
mod forks;
#[cfg(target_os = "linux")]
mod kills;
mod main_job;
mod marks;
