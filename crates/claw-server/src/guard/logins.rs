//! The logins of browsers.

use std::collections::VecDeque;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use claw_client::transport::create_private_file;

use super::token::{SECRET, is_same, secret};
use crate::users::ID;

/// Validity of a login link.
const LINK: Duration = Duration::from_mins(15);
/// The owner's maximum number of valid links, and the owner's maximum number of logins. A new link or login replaces the
/// oldest.
const MOST: usize = 64;
/// A user's maximum number of valid links, and a user's maximum number of logins. A new link or login replaces the user's
/// oldest.
const MOST_OF_USER: usize = 8;
/// Maximum number of logins that are read from the file. Further logins in the file are ignored.
const MOST_READ: usize = 4096;
/// How long a browser's login cookie and a login that several hosts share are valid.
pub(super) const LOGIN: Duration = Duration::from_hours(30 * 24);
/// Maximum number of links and logins that this host remembers as invalid: links that were used, and logins that were ended.
const MOST_INVALID: usize = 1024;
/// The kinds of signed texts: links and logins.
const LINK_KIND: &str = "link";
const LOGIN_KIND: &str = "login";

/// The login links, which work once, and the logins of browsers. The secrets of the logins are in a file that only the
/// server's user can read. So browsers stay logged in when the server restarts.
pub(crate) struct Logins {
    known: Mutex<Known>,
    file: PathBuf,
    /// The lock on the file. Without the lock, this server keeps its logins only in memory. Two servers that use the
    /// same file would restore logins that the other server has ended.
    lock: Option<File>,
    /// Signs links and logins with a key that several hosts share. So a login on one host is valid on all of these hosts.
    sign: Option<Sign>,
}

/// A function that returns the signature of a text.
pub(crate) type Sign = Box<dyn Fn(&str) -> String + Send + Sync>;

#[derive(Default)]
struct Known {
    codes: VecDeque<Code>,
    logins: VecDeque<Login>,
    /// Signed texts that are no longer valid on this host: links that were used, and logins that were ended.
    invalid: VecDeque<String>,
}

/// The code of a login link.
struct Code {
    secret: String,
    made: Instant,
    /// The ID of the user whom the link logs in. `None` for the owner of the server.
    user: Option<String>,
}

/// A logged-in browser.
struct Login {
    cookie: String,
    /// The ID of the user who is logged in. `None` for the owner of the server.
    user: Option<String>,
    /// A secret that only the pages of this server know. The page that has logged the browser in has sent it. Browsers send a
    /// cookie to all servers with the same host name, even on other ports. Another server that receives the cookie cannot log
    /// in with it, because that server does not have the key.
    key: String,
}

/// The rights of a request with a cookie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Access {
    /// The cookie belongs to no login.
    None,
    /// The cookie belongs to a login, but the key that the page has sent is wrong or missing.
    Keyless,
    /// The cookie and the key are valid. The request has the rights of the user with this ID, or of the owner of the
    /// server if the ID is `None`.
    Acts(Option<String>),
}

impl Logins {
    /// Reads the logins that an earlier server has written to this file.
    pub(crate) fn open(file: PathBuf) -> io::Result<Self> {
        let lock = lock(&file.with_extension("lock"));
        let logins = if lock.is_some() {
            read(&file).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", file.display()))
            })?
        } else {
            VecDeque::new()
        };
        let known = Known {
            codes: VecDeque::new(),
            logins,
            invalid: VecDeque::new(),
        };
        Ok(Self {
            known: Mutex::new(known),
            file,
            lock,
            sign: None,
        })
    }

    /// Makes links and logins valid on all hosts that sign with the same key. A link then works once on each host.
    #[cfg(feature = "cluster")]
    pub(crate) fn share(&mut self, sign: Sign) {
        self.sign = Some(sign);
    }

    /// Returns a signed text of this kind with these contents. The hosts accept the text for the duration `lasts`.
    fn signed(sign: &Sign, kind: &str, lasts: Duration, contents: &str) -> String {
        let until = seconds() + lasts.as_secs();
        let text = format!("{kind}-{until}-{contents}");
        format!("{text}-{}", sign(&text))
    }

    /// Returns whether a text has this kind and is valid. A text is valid if one of the hosts has signed it, it has not
    /// expired, and it was not ended on this host.
    fn is_signed(&self, known: &Known, kind: &str, given: &str) -> bool {
        let Some(sign) = &self.sign else { return false };
        let Some((text, mac)) = given.rsplit_once('-') else {
            return false;
        };
        let mut parts = text.split('-');
        let is_kind = parts.next() == Some(kind);
        let until = parts.next().and_then(|until| until.parse().ok());
        let is_new = until.is_some_and(|until: u64| seconds() < until);
        let is_invalid = known.invalid.iter().any(|invalid| is_same(invalid, given));
        is_same(&sign(text), mac) && is_kind && is_new && !is_invalid
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates the code of a login link. The code works once, and logs in the user with this ID, or the owner if `user`
    /// is `None`.
    pub(crate) fn code(&self, user: Option<&str>) -> String {
        if let Some(sign) = &self.sign {
            return Self::signed(sign, LINK_KIND, LINK, &secret_of(user));
        }
        let code = secret();
        let mut known = self.lock();
        known.codes.push_back(Code {
            secret: code.clone(),
            made: Instant::now(),
            user: user.map(str::to_owned),
        });
        limit(&mut known.codes, user, |code| code.user.as_deref());
        code
    }

    /// Returns the rights that a login with this code would have. The code stays valid.
    pub(super) fn access_of_link(&self, given: &str) -> Access {
        let known = self.lock();
        if self.sign.is_some() {
            return if self.is_signed(&known, LINK_KIND, given) {
                Access::Acts(user_of(given).map(str::to_owned))
            } else {
                Access::None
            };
        }
        let is_it = |code: &&Code| is_same(&code.secret, given) && code.made.elapsed() < LINK;
        let found = known.codes.iter().find(is_it);
        found.map_or(Access::None, |code| Access::Acts(code.user.clone()))
    }

    /// Exchanges a code for a cookie that is valid only together with this key. Returns `None` if the code does not
    /// exist or is no longer valid.
    pub(super) fn login(&self, given: &str, key: &PageKey) -> Option<String> {
        let mut known = self.lock();
        if let Some(sign) = &self.sign {
            if !self.is_signed(&known, LINK_KIND, given) {
                return None;
            }
            known.end(given);
            return Some(Self::signed_login(sign, user_of(given), key));
        }
        known.codes.retain(|code| code.made.elapsed() < LINK);
        let at = known
            .codes
            .iter()
            .position(|code| is_same(&code.secret, given))?;
        let user = known.codes.remove(at)?.user;
        Some(self.add(known, user.as_deref(), key))
    }

    /// Logs in the user with this ID, after a browser has sent the user's token. Returns a cookie that is valid only
    /// together with this key.
    pub(super) fn login_user(&self, user: &str, key: &PageKey) -> String {
        match &self.sign {
            Some(sign) => Self::signed_login(sign, Some(user), key),
            None => self.add(self.lock(), Some(user), key),
        }
    }

    fn signed_login(sign: &Sign, user: Option<&str>, key: &PageKey) -> String {
        let contents = format!("{}-{}", secret_of(user), signed_key(sign, &key.0));
        Self::signed(sign, LOGIN_KIND, LOGIN, &contents)
    }

    fn add(&self, mut known: MutexGuard<'_, Known>, user: Option<&str>, key: &PageKey) -> String {
        let cookie = secret();
        known.logins.push_back(Login {
            cookie: cookie.clone(),
            user: user.map(str::to_owned),
            key: key.0.clone(),
        });
        limit(&mut known.logins, user, |login| login.user.as_deref());
        self.keep(&known);
        cookie
    }

    /// Returns the rights of a request with this cookie and this key. The key is empty if the page has sent none.
    pub(super) fn access(&self, given: &str, key: &str) -> Access {
        let known = self.lock();
        // All logins are compared, so that the duration does not reveal which login matched.
        let found = known.logins.iter().fold(None, |found, login| {
            if is_same(&login.cookie, given) {
                Some(login)
            } else {
                found
            }
        });
        let (has_key, user) = match (found, &self.sign) {
            (Some(login), _) => (is_same(&login.key, key), login.user.as_deref()),
            // Hosts share no list of logins. So the cookie of a shared login contains the signature of the login's key.
            (None, Some(sign)) if self.is_signed(&known, LOGIN_KIND, given) => {
                let own = given.rsplit('-').nth(1).unwrap_or_default();
                (is_same(own, &signed_key(sign, key)), user_of(given))
            }
            (None, _) => return Access::None,
        };
        if has_key {
            Access::Acts(user.map(str::to_owned))
        } else {
            Access::Keyless
        }
    }

    /// Ends the login with this cookie.
    pub(crate) fn logout(&self, given: &str) {
        let mut known = self.lock();
        if self.is_signed(&known, LOGIN_KIND, given) {
            known.end(given);
        }
        known.logins.retain(|login| !is_same(&login.cookie, given));
        self.keep(&known);
    }

    /// Writes the logins to the file. If that fails, browsers stay logged in until the server ends.
    fn keep(&self, known: &Known) {
        if self.lock.is_none() {
            return;
        }
        if let Err(error) = write(&self.file, &known.logins) {
            tracing::warn!("logins do not outlive this server: {error}");
        }
    }
}

impl Known {
    /// Marks a text as no longer valid. The caller has checked the signature, so clients cannot fill the list.
    fn end(&mut self, signed: &str) {
        self.invalid.push_back(signed.to_owned());
        if self.invalid.len() > MOST_INVALID {
            self.invalid.pop_front();
        }
    }
}

/// Creates a secret. If there is a user, the user's ID follows the secret.
fn secret_of(user: Option<&str>) -> String {
    match user {
        Some(user) => format!("{}.{user}", secret()),
        None => secret(),
    }
}

/// Returns the ID of the user in a signed text. The caller has checked the signature.
fn user_of(signed: &str) -> Option<&str> {
    let secret = signed.split('-').nth(2)?;
    secret.split_once('.').map(|(_, user)| user)
}

/// Removes the oldest entry of this user, or of the owner, if the user or owner has too many entries.
fn limit<T>(all: &mut VecDeque<T>, user: Option<&str>, of: impl Fn(&T) -> Option<&str>) {
    let most = if user.is_some() { MOST_OF_USER } else { MOST };
    let is_own = |entry: &T| of(entry) == user;
    if all.iter().filter(|entry| is_own(entry)).count() > most
        && let Some(oldest) = all.iter().position(is_own)
    {
        all.remove(oldest);
    }
}

/// Signs the key of a page. The prefix prevents that a signed key is also valid as a link or login.
fn signed_key(sign: &Sign, key: &str) -> String {
    sign(&format!("key-{key}"))
}

/// Returns the current time, in seconds since 1970.
fn seconds() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

/// Opens a file and locks it until it is closed. Returns `None` if another server has locked it, or if it cannot be
/// created.
fn lock(path: &Path) -> Option<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).ok()?;
    }
    let file = File::create(path).ok()?;
    file.try_lock().ok()?;
    Some(file)
}

/// The key of the pages of this server in one browser. The key is a secret that the browser sends to no other server.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PageKey(String);

impl PageKey {
    /// Reads a key. Returns `None` if the text does not have the form of a key.
    pub(super) fn new(text: &str) -> Option<Self> {
        is_secret(text).then(|| Self(text.to_owned()))
    }
}

/// Returns whether a text has the form of a secret that this server or one of its pages has created.
fn is_secret(text: &str) -> bool {
    text.len() == SECRET && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns whether a text has the form of a user's ID. A shortened ID does not have this form.
fn is_user(text: &str) -> bool {
    text.len() == ID && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Reads the logins. Each line contains a cookie, the key and, if the login belongs to a user, the user's ID. Spaces
/// separate them.
fn read(file: &Path) -> io::Result<VecDeque<Login>> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(VecDeque::new()),
        text => text?,
    };
    // Incomplete lines are skipped. Someone could guess a part of a secret, and an empty secret would match an empty
    // cookie.
    let login = |line: &str| {
        let mut parts = line.split(' ');
        let (cookie, key, user) = (parts.next()?, parts.next()?, parts.next());
        let is_user = user.is_none_or(is_user);
        (is_secret(cookie) && is_secret(key) && is_user && parts.next().is_none()).then(|| Login {
            cookie: cookie.to_owned(),
            user: user.map(str::to_owned),
            key: key.to_owned(),
        })
    };
    Ok(text.lines().filter_map(login).take(MOST_READ).collect())
}

fn write(file: &Path, logins: &VecDeque<Login>) -> io::Result<()> {
    let line = |login: &Login| match &login.user {
        Some(user) => format!("{} {} {user}\n", login.cookie, login.key),
        None => format!("{} {}\n", login.cookie, login.key),
    };
    let text: String = logins.iter().map(line).collect();
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

    impl Logins {
        fn is_logged_in(&self, given: &str) -> bool {
            self.access(given, "") != Access::None
        }
    }

    /// Returns a page key in which every character is this digit.
    fn key(digit: &str) -> PageKey {
        PageKey::new(&digit.repeat(SECRET)).unwrap()
    }

    #[test]
    fn a_login_belongs_to_the_pages_with_the_key_that_came_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("logins");
        let logins = Logins::open(file.clone()).unwrap();
        let (own, other) = (key("a"), key("b"));
        let cookie = logins.login(&logins.code(None), &own).unwrap();
        let check = |logins: &Logins| {
            assert_eq!(logins.access("no cookie", &own.0), Access::None);
            for wrong in ["", &*other.0, &own.0[1..]] {
                assert_eq!(logins.access(&cookie, wrong), Access::Keyless, "{wrong:?}");
            }
            assert_eq!(logins.access(&cookie, &own.0), Access::Acts(None));
        };
        check(&logins);
        drop(logins);
        check(&Logins::open(file).unwrap());
    }

    #[test]
    fn a_browser_stays_logged_in_when_the_server_starts_anew_and_a_link_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("claw").join("logins");
        let logins = Logins::open(file.clone()).unwrap();
        let (code, unused) = (logins.code(None), logins.code(None));
        let cookie = logins.login(&code, &key("a")).unwrap();
        let other = logins.login(&logins.code(None), &key("a")).unwrap();
        assert_eq!(logins.login(&code, &key("a")), None);
        logins.logout(&other);

        drop(logins);

        let anew = Logins::open(file.clone()).unwrap();
        assert!(anew.is_logged_in(&cookie));
        assert!(!anew.is_logged_in(&other) && !anew.is_logged_in(""));
        assert_eq!(anew.login(&unused, &key("a")), None);
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
        let cookie = first.login(&first.code(None), &key("a")).unwrap();
        let second = Logins::open(file.clone()).unwrap();
        assert!(!second.is_logged_in(&cookie));
        let of_second = second.login(&second.code(None), &key("a")).unwrap();
        first.logout(&cookie);
        assert!(second.is_logged_in(&of_second));
        second.logout(&of_second);
        drop((first, second));
        let anew = Logins::open(file).unwrap();
        assert!(!anew.is_logged_in(&cookie) && !anew.is_logged_in(&of_second));
    }

    #[cfg(feature = "cluster")]
    #[test]
    fn a_login_of_one_host_is_one_of_all_that_have_its_key() {
        let host = |key: &'static str| {
            let folder = tempfile::tempdir().unwrap();
            let mut logins = Logins::open(folder.path().join("logins")).unwrap();
            let key = claw_cluster::ClusterKey::new(key.repeat(32)).unwrap();
            logins.share(Box::new(move |text| key.sign_login(text)));
            (logins, folder)
        };
        let [(one, _a), (two, _b), (stranger, _c)] = [host("a"), host("a"), host("b")];
        let code = one.code(None);
        let (own, other) = (key("a"), key("b"));
        assert_eq!(stranger.login(&code, &own), None);
        let cookie = two.login(&code, &own).unwrap();
        assert_eq!(two.login(&code, &own), None, "it works once");
        for host in [&one, &two] {
            assert_eq!(host.access(&cookie, &own.0), Access::Acts(None));
            for wrong in ["", &*other.0, &own.0[1..]] {
                assert_eq!(host.access(&cookie, wrong), Access::Keyless, "{wrong:?}");
            }
        }
        assert!(!stranger.is_logged_in(&cookie) && !one.is_logged_in(&code));
        assert_eq!(one.login(&cookie, &own), None);
        // The key in a cookie cannot be replaced, because the signature covers it.
        let mut parts: Vec<_> = cookie.split('-').collect();
        let strange = stranger.login(&stranger.code(None), &other).unwrap();
        let at = parts.len() - 2;
        parts[at] = strange.rsplit('-').nth(1).unwrap();
        let forged = parts.join("-");
        for wrong in ["", "-", "login-99999999999-x-", &cookie[1..], &forged] {
            assert_eq!(one.access(wrong, &other.0), Access::None, "{wrong}");
        }
        one.logout(&cookie);
        assert!(!one.is_logged_in(&cookie));
    }

    #[test]
    fn a_damaged_file_logs_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("logins");
        let keyless = "c".repeat(SECRET);
        fs::write(&file, format!("\n\nx\n{keyless}\n{keyless} \n")).unwrap();
        let logins = Logins::open(file.clone()).unwrap();
        for wrong in ["", "x", &keyless] {
            assert!(!logins.is_logged_in(wrong), "{wrong}");
        }
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
