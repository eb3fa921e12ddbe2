//! Starts and supervises a `claude` process, and connects to it.
//!
//! This crate is for programs that implement the protocol themselves or have another transport. The crate claw-client
//! builds conversations on it, and re-exports it as `claw_client::transport`. Guides: `docs/guides/recording.md`,
//! `docs/processes.md`, `docs/options.md`.
//!
//! Opening a [`Transport`] returns [`Pipes`]: a reader and a writer of bytes, and the [`Process`]. Pipes can be
//! converted into [`Parts`], which read and write whole lines. [`Subprocess`] runs the CLI with [`QueryOptions`],
//! [`Io`] uses any reader and writer, [`Recorder`] records what passes through another transport, and [`Replay`] plays
//! a recording.
//!
//! ```no_run
//! use claw_transport::{Shutdown, Subprocess, Transport};
//! use claw_types::options::QueryOptions;
//! use futures::TryStreamExt;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let mut parts = Subprocess::new(&QueryOptions::default()).open().await?.into_parts();
//! parts.outgoing.send(r#"{"type":"keep_alive"}"#.into()).await?;
//! parts.outgoing.close().await?;
//! while let Some(_line) = parts.incoming.try_next().await? {}
//! let exit = parts.process.shutdown(Shutdown::default()).await?;
//! assert!(exit.is_success());
//! # Ok(())
//! # }
//! ```
//!
//! # Lifetime of processes
//!
//! The [`Process`] handles own the process. When they are dropped, a thread of claw ends the process and its
//! descendants, and reaps it. This works inside and outside of a runtime, and even if the handles are dropped while the
//! process is being started. On Linux, the process also gets SIGTERM when your program ends. Only your program can kill
//! a process that ignores SIGTERM. So a program that ends right after it has dropped the handles should call
//! [`wait_for_dropped`] before it ends.
//!
//! [`QueryOptions`]: claw_types::options::QueryOptions
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

/// Compiles the README's example with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod argv;
mod command;
mod discovery;
mod environment;
mod error;
mod exit;
mod host;
mod io_transport;
mod launcher;
mod mask;
mod memory;
mod open_files;
mod parts;
mod pipes;
mod private_file;
mod process;
mod recorder;
mod replay;
mod resume;
mod shutdown_steps;
mod stderr;
mod subprocess;
mod supervisor;
#[cfg(feature = "otel")]
mod trace;

pub use argv::{argv, file_arguments};
pub use command::{CommandSpec, FileArgument};
pub use discovery::discover;
pub use environment::environment;
pub use error::{Exited, LaunchHookTooLate, SessionNotFound, TransportError};
pub use exit::{Exit, Shutdown};
pub use host::{ProcessControl, ProcessHost, ProcessStderr};
pub use io_transport::Io;
pub use launcher::{Launcher, Launching, Local, Prefix};
pub use memory::return_large_blocks;
pub use open_files::raise_open_files;
pub use parts::{Incoming, Outgoing, Parts};
pub use pipes::{Pipes, Transport};
pub use private_file::create_private_file;
pub use process::{Killer, Process};
pub use recorder::Recorder;
pub use replay::{Deviation, Replay};
pub use subprocess::Subprocess;
pub use supervisor::{set_launch_hook, wait_for_dropped};
