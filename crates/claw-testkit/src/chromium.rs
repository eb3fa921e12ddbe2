//! The paths of Chromium, for tests of pages.

use std::path::PathBuf;
use std::{env, io};

/// Returns the path of a Chromium without windows, for tests of claw's own workspace. This is the executable that the
/// environment variable `CLAW_TEST_CHROMIUM` names, or else `chromium-headless-shell` in the `PATH`, or else `chromium`.
/// `chromium-headless-shell` takes less processor time, and has no notifications.
///
/// # Errors
/// Fails if Chromium is not found, so that a test that needs the browser fails. The error describes how to get
/// Chromium.
pub fn chromium() -> io::Result<PathBuf> {
    found(&["chromium-headless-shell", "chromium"])
}

/// Returns the path of the whole browser, which has notifications. This is the executable that the environment variable
/// `CLAW_TEST_CHROMIUM` names, or else `chromium` in the `PATH`.
///
/// # Errors
/// Fails if Chromium is not found. The error describes how to get Chromium.
pub fn whole_chromium() -> io::Result<PathBuf> {
    found(&["chromium"])
}

/// Returns the path of the first of these programs that is there.
fn found(programs: &[&str]) -> io::Result<PathBuf> {
    let named = env::var_os("CLAW_TEST_CHROMIUM").map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let mut places = programs
        .iter()
        .flat_map(|program| env::split_paths(&path).map(move |folder| folder.join(program)));
    let found = match named {
        Some(named) => Some(named).filter(|place| place.is_file()),
        None => places.find(|place| place.is_file()),
    };
    found.ok_or_else(|| {
        let text = "no Chromium: on Debian `apt-get install --no-install-recommends chromium`; elsewhere \
            CLAW_TEST_CHROMIUM names its executable";
        io::Error::new(io::ErrorKind::NotFound, text)
    })
}
