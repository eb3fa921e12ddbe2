//! Stores the newest report of the usage limits in a file. A restarted server reads the file, and so knows the limits
//! before one of its sessions gets an answer.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use claw_sessions::{Sessions, on_pool};
use claw_types::Number;
use sha2::{Digest as _, Sha256};

use crate::limits::{LoginLimits, ReportedLimits};
use crate::whole_file;

/// Maximum number of bytes that are read from the file. The file has up to about 4 KiB.
const LARGEST: u64 = 64 << 10;

/// Returns the path of the file with the newest report, in the configuration folder. Servers with the same
/// configuration folder share the file, because they have the same login.
pub(crate) fn file(sessions: &Sessions) -> PathBuf {
    let folder = sessions.projects().with_file_name("claw");
    folder.join("limits.json")
}

/// Returns the path of the file with the newest report for the home of a [wall](crate::Wall). The file is in the server's
/// own configuration folder, because processes behind the wall can put links into the home. `sessions` has the server's
/// own folder as its first one.
pub(crate) fn file_of_wall(sessions: &Sessions, home: &Sessions) -> PathBuf {
    use std::fmt::Write as _;
    let path = home.config_dir().as_os_str().as_encoded_bytes();
    let mut name = String::new();
    for byte in Sha256::digest(path) {
        let _ = write!(name, "{byte:02x}");
    }
    let folder = sessions.projects().with_file_name("claw");
    folder.join("limits").join(name).with_extension("json")
}

/// Reads the report of an earlier server, without windows that have expired. `now` is in milliseconds since 1970.
/// Blocks.
pub(crate) fn read(file: &Path, now: i64) -> LoginLimits {
    let read = || -> io::Result<LoginLimits> {
        let mut text = Vec::new();
        File::open(file)?.take(LARGEST).read_to_end(&mut text)?;
        Ok(serde_json::from_slice(&text)?)
    };
    match read() {
        Ok(kept) => kept.kept(Number::from(now).as_f64()),
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                tracing::warn!(%error, file = %file.display(), "the last report of the limits cannot be read");
            }
            LoginLimits::default()
        }
    }
}

/// Starts a task that writes each report to the file. If reports arrive faster than they are written, only the newest
/// is written.
///
/// # Panics
///
/// Panics outside of a tokio runtime.
pub(crate) fn keep(limits: &ReportedLimits, file: PathBuf) {
    let mut newest = limits.subscribe();
    tokio::spawn(async move {
        while newest.changed().await.is_ok() {
            let limits = newest.borrow_and_update().clone();
            let file = file.clone();
            let written = on_pool::run(move || {
                let text = serde_json::to_vec(&*limits).map_err(io::Error::from)?;
                whole_file::write(&file, text)
            });
            if let Err(error) = written.await {
                tracing::warn!(%error, "the limits of the login are not kept for the next server");
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_read_or_does_not_count_any_more_has_no_limits() {
        let folder = tempfile::tempdir().unwrap();
        let file = file(&Sessions::new(folder.path()));
        let read_as = |text: &str| {
            whole_file::write(&file, text).unwrap();
            read(&file, 1_000)
        };
        let window = |kind: &str, resets: &str| {
            format!(r#"{{"kind":"{kind}","used":5.0,"resets":{resets},"status":null}}"#)
        };
        let report = |windows: &[String]| {
            let windows = windows.join(",");
            format!(r#"{{"seen":1.0,"status":"rejected","windows":[{windows}],"isOverage":true}}"#)
        };
        let week = window("seven_day", "2000.0");
        let kept = read_as(&report(&[
            window("five_hour", "1000.0"),
            window("opus", "null"),
            window(&"k".repeat(65), "2000.0"),
            week.clone(),
        ]));
        let kinds: Vec<_> = kept.windows.iter().map(|it| it.kind.as_str()).collect();
        assert_eq!((kinds, kept.seen), (vec!["seven_day"], Some(1.0)));
        assert_eq!(read_as(&report(&vec![week; 100])).windows.len(), 16);
        let long = report(&[window(&"k".repeat(100_000), "2000.0")]);
        for text in ["", "{", "[]", &report(&[]), &long] {
            assert_eq!(read_as(text), LoginLimits::default(), "{text:.20}");
        }
        assert_eq!(read(folder.path(), 0), LoginLimits::default());
    }
}
