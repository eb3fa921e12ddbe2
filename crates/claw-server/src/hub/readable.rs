//! Configuration folders that cannot be read.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use claw_sessions::{Error, Sessions};

/// The time after which a folder that still cannot be read is reported again. Anyone with access can cause a report by a
/// request for an unknown session.
const AGAIN: Duration = Duration::from_mins(1);

/// Checks that the sessions in a configuration folder can be read. A folder that does not exist has no sessions, and is not
/// an error. Blocks.
///
/// # Errors
///
/// Fails with [`Error::Io`], which contains the path.
pub(super) fn check_readable(home: &Sessions) -> Result<(), Error> {
    let path = home.projects();
    match fs::read_dir(&path) {
        Err(source) if source.kind() != ErrorKind::NotFound => Err(Error::Io {
            what: "cannot read",
            path,
            source,
        }),
        _ => Ok(()),
    }
}

/// The homes of walls that were reported as unreadable, with the times of the newest reports. There are at most as many
/// as the server has configuration folders.
#[derive(Debug, Default)]
pub(super) struct ReportedHomes(Mutex<HashMap<PathBuf, Instant>>);

impl ReportedHomes {
    /// Logs that the home of a wall cannot be read, unless this was logged within the last minute.
    pub(super) fn report(&self, home: &Sessions, error: &Error) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let reported = all.get(home.config_dir());
        if reported.is_none_or(|at| at.elapsed() >= AGAIN) {
            all.insert(home.config_dir().to_owned(), Instant::now());
            tracing::warn!(%error, "the home of a wall cannot be read, so its sessions are not found");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use tracing::Dispatch;
    use tracing::subscriber::NoSubscriber;

    use super::*;

    #[derive(Debug, Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_home_that_cannot_be_read_is_logged_with_its_path_and_not_at_each_request() {
        let folder = tempfile::tempdir().unwrap();
        let home = Sessions::new(folder.path());
        check_readable(&home).unwrap();
        fs::write(home.projects(), "").unwrap();
        let error = check_readable(&home).unwrap_err();
        let lines = Lines::default();
        let to = lines.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(move || to.clone())
            .finish();
        // With one subscriber alone, a thread without one may switch lines off for all.
        let _second = Dispatch::new(NoSubscriber::default());
        tracing::subscriber::with_default(subscriber, || {
            let homes = ReportedHomes::default();
            homes.report(&home, &error);
            homes.report(&home, &error);
        });
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains("the home of a wall cannot be read"), "{text}");
        assert!(text.contains(home.projects().to_str().unwrap()), "{text}");
    }
}
