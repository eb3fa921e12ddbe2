//! The logins of browsers.

use std::collections::VecDeque;
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::token::{is_same, secret};

/// How long a login link works.
const LINK: Duration = Duration::from_mins(15);
/// How many links and logins there are at once. The oldest makes room.
const MOST: usize = 64;

/// The links that work once, and the browsers that have used one. Browsers stay logged in when the server starts anew:
/// their secrets are in a file that only the user can read.
pub(crate) struct Logins {
    known: Mutex<Known>,
    file: PathBuf,
}

#[derive(Default)]
struct Known {
    codes: VecDeque<(String, Instant)>,
    cookies: VecDeque<String>,
}

impl Logins {
    /// The logins that an earlier server has kept in this file.
    pub(crate) fn kept_in(file: PathBuf) -> io::Result<Self> {
        let cookies = match fs::read_to_string(&file) {
            Ok(text) => text.lines().map(str::to_owned).take(MOST).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => VecDeque::new(),
            Err(error) => return Err(error),
        };
        let known = Known {
            codes: VecDeque::new(),
            // An empty line would be a secret that everybody knows.
            cookies: cookies
                .into_iter()
                .filter(|cookie: &String| cookie.len() == secret().len())
                .collect(),
        };
        Ok(Self {
            known: Mutex::new(known),
            file,
        })
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A code that works once.
    pub(crate) fn code(&self) -> String {
        let code = secret();
        let mut known = self.known();
        known.codes.push_back((code.clone(), Instant::now()));
        if known.codes.len() > MOST {
            known.codes.pop_front();
        }
        code
    }

    /// Takes a code, and gives a cookie for it. `None` if there is no such code, or no more.
    pub(crate) fn login(&self, given: &str) -> Option<String> {
        let mut known = self.known();
        known.codes.retain(|(_, made)| made.elapsed() < LINK);
        let at = known
            .codes
            .iter()
            .position(|(code, _)| is_same(code, given))?;
        known.codes.remove(at);
        let cookie = secret();
        known.cookies.push_back(cookie.clone());
        if known.cookies.len() > MOST {
            known.cookies.pop_front();
        }
        self.keep(&known);
        Some(cookie)
    }

    /// Whether a browser with this cookie has logged in.
    pub(crate) fn knows(&self, given: &str) -> bool {
        let known = self.known();
        // All of them, so that the time does not say which one.
        known
            .cookies
            .iter()
            .fold(false, |found, cookie| found | is_same(cookie, given))
    }

    /// Forgets a cookie.
    pub(crate) fn logout(&self, given: &str) {
        let mut known = self.known();
        known.cookies.retain(|cookie| !is_same(cookie, given));
        self.keep(&known);
    }

    /// Writes the cookies down. A browser is logged in even if that fails, until the server ends.
    fn keep(&self, known: &Known) {
        if let Err(error) = write(&self.file, &known.cookies) {
            tracing::warn!(
                "logins do not outlive this server: {}: {error}",
                self.file.display()
            );
        }
    }
}

/// Replaces the file at once.
fn write(file: &Path, cookies: &VecDeque<String>) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let new = file.with_extension(secret());
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut to = options.open(&new)?;
    let written = cookies
        .iter()
        .try_for_each(|cookie| writeln!(to, "{cookie}"))
        .and_then(|()| to.sync_all())
        .and_then(|()| fs::rename(&new, file));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

impl fmt::Debug for Logins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Logins(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_stays_logged_in_when_the_server_starts_anew_and_a_link_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("claw").join("logins");
        let logins = Logins::kept_in(file.clone()).unwrap();
        let (code, unused) = (logins.code(), logins.code());
        let cookie = logins.login(&code).unwrap();
        let other = logins.login(&logins.code()).unwrap();
        assert_eq!(logins.login(&code), None);
        logins.logout(&other);

        let anew = Logins::kept_in(file.clone()).unwrap();
        assert!(anew.knows(&cookie));
        assert!(!anew.knows(&other) && !anew.knows(""));
        assert_eq!(anew.login(&unused), None);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(
                fs::metadata(&file).unwrap().permissions().mode() & 0o777,
                0o600
            );
        }
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_damaged_file_logs_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("logins");
        fs::write(&file, "\n\nx\n").unwrap();
        let logins = Logins::kept_in(file).unwrap();
        assert!(!logins.knows("") && !logins.knows("x"));
    }
}
