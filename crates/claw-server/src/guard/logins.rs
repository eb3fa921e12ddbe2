//! The logins of browsers.

use std::collections::VecDeque;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use claw_client::transport::create_private_file;

use super::token::{SECRET, is_same, secret};

/// How long a login link works.
const LINK: Duration = Duration::from_mins(15);
/// How many links and logins there are at once. The oldest makes room.
const MOST: usize = 64;

/// The links that work once, and the browsers that have used one. Browsers stay logged in when the server starts anew:
/// their secrets are in a file that only the user can read.
pub(crate) struct Logins {
    known: Mutex<Known>,
    file: PathBuf,
    /// Held while the file is this server's. A second server of the same folder would revive logins that the first one
    /// has ended: it keeps its own in memory alone.
    lock: Option<File>,
}

#[derive(Default)]
struct Known {
    codes: VecDeque<(String, Instant)>,
    cookies: VecDeque<String>,
}

impl Logins {
    /// The logins that an earlier server has kept in this file.
    pub(crate) fn open(file: PathBuf) -> io::Result<Self> {
        let lock = lock(&file.with_extension("lock"));
        let cookies = if lock.is_some() {
            read(&file).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", file.display()))
            })?
        } else {
            VecDeque::new()
        };
        let known = Known {
            codes: VecDeque::new(),
            cookies,
        };
        Ok(Self {
            known: Mutex::new(known),
            file,
            lock,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A code that works once.
    pub(crate) fn code(&self) -> String {
        let code = secret();
        let mut known = self.lock();
        known.codes.push_back((code.clone(), Instant::now()));
        if known.codes.len() > MOST {
            known.codes.pop_front();
        }
        code
    }

    /// Takes a code, and gives a cookie for it. `None` if there is no such code, or no more.
    pub(crate) fn login(&self, given: &str) -> Option<String> {
        let mut known = self.lock();
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
    pub(crate) fn is_logged_in(&self, given: &str) -> bool {
        let known = self.lock();
        // All of them, so that the time does not say which one.
        known
            .cookies
            .iter()
            .fold(false, |found, cookie| found | is_same(cookie, given))
    }

    /// Forgets a cookie.
    pub(crate) fn logout(&self, given: &str) {
        let mut known = self.lock();
        known.cookies.retain(|cookie| !is_same(cookie, given));
        self.keep(&known);
    }

    /// Writes the cookies down. A browser is logged in even if that fails, until the server ends.
    fn keep(&self, known: &Known) {
        if self.lock.is_none() {
            return;
        }
        if let Err(error) = write(&self.file, &known.cookies) {
            tracing::warn!("logins do not outlive this server: {error}");
        }
    }
}

/// Locks a file for as long as it is open. `None` if another server has it, or there can be none.
fn lock(path: &Path) -> Option<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).ok()?;
    }
    let file = File::create(path).ok()?;
    file.try_lock().ok()?;
    Some(file)
}

fn read(file: &Path) -> io::Result<VecDeque<String>> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(VecDeque::new()),
        text => text?,
    };
    // A part of a secret could be guessed, and an empty line would be a secret that everybody knows.
    let whole = text.lines().filter(|line| line.len() == SECRET);
    Ok(whole.take(MOST).map(str::to_owned).collect())
}

fn write(file: &Path, cookies: &VecDeque<String>) -> io::Result<()> {
    let text: String = cookies.iter().flat_map(|cookie| [cookie, "\n"]).collect();
    create_private_file(file)?.write_all(text.as_bytes())
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
        let logins = Logins::open(file.clone()).unwrap();
        let (code, unused) = (logins.code(), logins.code());
        let cookie = logins.login(&code).unwrap();
        let other = logins.login(&logins.code()).unwrap();
        assert_eq!(logins.login(&code), None);
        logins.logout(&other);

        drop(logins);

        let anew = Logins::open(file.clone()).unwrap();
        assert!(anew.is_logged_in(&cookie));
        assert!(!anew.is_logged_in(&other) && !anew.is_logged_in(""));
        assert_eq!(anew.login(&unused), None);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(
                fs::metadata(&file).unwrap().permissions().mode() & 0o777,
                0o600
            );
        }
    }

    #[test]
    fn a_second_server_of_the_same_folder_neither_takes_logins_nor_revives_them() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("logins");
        let first = Logins::open(file.clone()).unwrap();
        let cookie = first.login(&first.code()).unwrap();
        let second = Logins::open(file.clone()).unwrap();
        assert!(!second.is_logged_in(&cookie));
        let of_second = second.login(&second.code()).unwrap();
        first.logout(&cookie);
        assert!(second.is_logged_in(&of_second));
        second.logout(&of_second);
        drop((first, second));
        let anew = Logins::open(file).unwrap();
        assert!(!anew.is_logged_in(&cookie) && !anew.is_logged_in(&of_second));
    }

    #[test]
    fn a_damaged_file_logs_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("logins");
        fs::write(&file, "\n\nx\n").unwrap();
        let logins = Logins::open(file.clone()).unwrap();
        assert!(!logins.is_logged_in("") && !logins.is_logged_in("x"));
        drop(logins);

        fs::write(&file, b"\xff").unwrap();
        let Err(error) = Logins::open(file.clone()) else {
            panic!("it is no text");
        };
        assert!(
            error.to_string().contains(&*file.to_string_lossy()),
            "{error}"
        );
    }
}
