//! The path of the agent's program.

use std::io;
use std::path::PathBuf;

/// Builds the program `scripted-agent` and returns its path. The build runs only once in each process.
///
/// This function is meant for the tests of claw's own workspace. It blocks while it runs `cargo build`, which is quick
/// if the program is already built. If cargo is not available, because the tests were built for another platform, the
/// environment variable `CLAW_TEST_PROGRAMS` names the folder of the program.
///
/// # Errors
/// Fails if cargo cannot be run or the build fails. Cargo writes its own messages to standard error.
pub fn program() -> io::Result<PathBuf> {
    crate::program::program("scripted-agent")
}
