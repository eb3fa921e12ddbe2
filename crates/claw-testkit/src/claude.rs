//! The path of the real CLI, for tests that need it.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Returns the path of the real `claude`, for tests of claw's own workspace. This is the executable that the
/// environment variable `CLAW_TEST_CLAUDE` names, or else the executable that `cargo xtask claude` has installed in the
/// target directory.
///
/// # Errors
/// Fails if the CLI is not found, so that a test that needs the CLI fails. The error describes how to get the CLI.
pub fn claude() -> io::Result<PathBuf> {
    if let Some(named) = env::var_os("CLAW_TEST_CLAUDE") {
        return Ok(named.into());
    }
    let packages = target()?.join("ci/npm/node_modules/@anthropic-ai");
    let name = format!("claude{}", env::consts::EXE_SUFFIX);
    let found = fs::read_dir(&packages)
        .into_iter()
        .flatten()
        .flatten()
        .find_map(|entry| {
            let of_platform = entry
                .file_name()
                .to_string_lossy()
                .starts_with("claude-code-");
            Some(entry.path().join(&name)).filter(|path| of_platform && path.is_file())
        });
    found.ok_or_else(|| {
        let text = format!(
            "no claude in {}: run `cargo xtask claude`, or name one in CLAW_TEST_CLAUDE",
            packages.display()
        );
        io::Error::new(io::ErrorKind::NotFound, text)
    })
}

/// Returns the target directory, which contains the executable of the test.
fn target() -> io::Result<PathBuf> {
    let test = env::current_exe()?;
    let above = test.ancestors().find(|path| path.join("ci").is_dir());
    let usual = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
    Ok(above.map_or_else(usual, Path::to_owned))
}
