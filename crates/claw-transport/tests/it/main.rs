//! Real processes, small shell scripts most of them. Linux only: what is left behind is looked for
//! in `/proc`, never through a handle.
#![cfg(target_os = "linux")]

mod end;
mod host;
mod launch;
mod pipes;
mod start;
mod stderr;
mod support;
