//! The path of Chromium, for tests of pages.

use std::path::PathBuf;
use std::{env, io};

/// Returns the path of Chromium, for tests of claw's own workspace. This is the executable that the environment
/// variable `CLAW_TEST_CHROMIUM` names, or else `chromium` in the `PATH`.
///
/// # Errors
/// Fails if Chromium is not found, so that a test that needs the browser fails. The error describes how to get
/// Chromium.
pub fn chromium() -> io::Result<PathBuf> {
    let named = env::var_os("CLAW_TEST_CHROMIUM").map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let mut places = env::split_paths(&path).map(|folder| folder.join("chromium"));
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
