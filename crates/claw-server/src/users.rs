//! The users of a server: a file with their names, roles and the hashes of their tokens.

use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::hint::black_box;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use claw_client::transport::create_private_file;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

use crate::role::Role;
use crate::{Project, Token};

/// Maximum number of users.
const MOST: usize = 256;
/// Maximum number of a user's folders.
const MOST_FOLDERS: usize = 64;
/// Maximum length of a name, in bytes.
const LONGEST_NAME: usize = 64;
/// Maximum size of a file of users, in bytes.
const LARGEST: u64 = 2 << 20;
/// Interval between two checks of the file. If a user is removed, the user's open streams end within this time.
const REFRESH: Duration = Duration::from_secs(1);

/// A user of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct User {
    /// The random ID of the entry. If a user is removed and added again, the new entry has another ID, so that earlier
    /// logins with the same name stay invalid.
    pub(crate) id: String,
    /// The name, which is unique in the file.
    pub name: String,
    /// The rights of the user.
    pub role: Role,
    /// The folders to which the user is limited. The user sees a project only if its folder is one of these folders, or
    /// is below one of them. `None` means all projects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub projects: Option<Vec<PathBuf>>,
    /// The SHA-256 of the token. `None` if the user has no token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token: Option<Hash>,
}

impl User {
    /// Returns whether the user has a token. A user without a token has access only through a [trusted
    /// proxy](crate::TrustedProxy).
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Returns whether the user may see this project and its sessions.
    pub(crate) fn sees(&self, project: &Project) -> bool {
        let folders = self.projects.as_ref();
        folders.is_none_or(|folders| folders.iter().any(|it| project.folder.starts_with(it)))
    }

    /// Checks the entry. Fails with the reason why it is invalid.
    fn check(&self) -> Result<(), &'static str> {
        check_name(&self.name)?;
        if self.id.len() != ID || !self.id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err("the ID of a user is not 32 hexadecimal digits");
        }
        let folders = self.projects.as_deref().unwrap_or_default();
        if folders.len() > MOST_FOLDERS {
            return Err("a user has too many folders");
        }
        if !folders.iter().all(|folder| folder.is_absolute()) {
            return Err("a folder of a user is not absolute");
        }
        Ok(())
    }
}

/// Length of a user's ID, in characters.
pub(crate) const ID: usize = 32;

fn check_name(name: &str) -> Result<(), &'static str> {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+@".contains(&byte);
    let begins_well = name
        .bytes()
        .next()
        .is_some_and(|it| it.is_ascii_alphanumeric());
    if !begins_well || name.len() > LONGEST_NAME || !name.bytes().all(is_inner) {
        return Err(
            "a name has 1 to 64 characters, each a letter or digit of ASCII, `.`, `_`, `-`, `+` or `@`, and begins with a letter or digit",
        );
    }
    Ok(())
}

/// The SHA-256 of a token. A slow hash function is not needed, because tokens have 244 random bits.
#[derive(Clone, PartialEq, Eq)]
struct Hash([u8; 32]);

impl Hash {
    fn of(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    /// Returns whether two hashes are equal. Compares every byte, so that the duration does not reveal where they
    /// differ.
    fn is(&self, other: &Self) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        black_box(pairs.fold(0, |differing, (a, b)| black_box(differing | (a ^ b)))) == 0
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hash(***)")
    }
}

impl Serialize for Hash {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let digits = self.0.iter().map(|byte| format!("{byte:02x}"));
        to.serialize_str(&digits.collect::<String>())
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let invalid =
            || serde::de::Error::custom("the hash of a token is not 64 hexadecimal digits");
        let mut hash = [0; 32];
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(invalid());
        }
        for (byte, at) in hash.iter_mut().zip((0..).step_by(2)) {
            *byte = u8::from_str_radix(&text[at..at + 2], 16).map_err(|_| invalid())?;
        }
        Ok(Self(hash))
    }
}

/// The contents of a file of users.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    users: Vec<User>,
}

/// The reason why a file of users cannot be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UsersError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The file is not a valid file of users.
    #[error("{}: {reason}", path.display())]
    Invalid {
        /// The path of the file.
        path: PathBuf,
        /// The part that is invalid, in words.
        reason: String,
    },
    /// There is already a user with this name.
    #[error("there is a user {0} already: remove that one first")]
    Known(String),
    /// There is no user with this name.
    #[error("there is no user {0}")]
    Unknown(String),
    /// The new user's name or folders are not allowed. The text gives the reason.
    #[error("{0}")]
    Refused(String),
}

/// A user who is added to a file of users with [`Users::add`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewUser {
    /// The name: 1 to 64 characters, each a letter or digit of ASCII, `.`, `_`, `-`, `+` or `@`.
    pub name: String,
    /// The rights of the user.
    pub role: Role,
    /// The folders to which the user is limited. `None` means all projects.
    pub projects: Option<Vec<PathBuf>>,
}

impl NewUser {
    /// Creates a user who sees all projects.
    pub fn new(name: impl Into<String>, role: Role) -> Self {
        Self {
            name: name.into(),
            role,
            projects: None,
        }
    }
}

/// The users of a server. They are in a file that contains their names, their roles, the projects that they see, and
/// the hashes of their tokens. The file never contains a token. Clones share the same users.
///
/// A server reads the file again after a change. A new user has access from the next request on. A removed user has no
/// access from the next request on, and open event streams and web sockets of a removed or changed user end within a
/// second. If the file cannot be read, no user has access until it can be read again.
///
/// ```
/// use claw_server::{NewUser, Role, Users};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("users.json");
/// let token = Users::add(&file, NewUser::new("ana", Role::Answer))?;
/// println!("{}", token.expose());
/// let users = Users::open(&file)?;
/// assert_eq!(users.list()[0].name, "ana");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Users {
    inner: Arc<Inner>,
}

struct Inner {
    file: PathBuf,
    /// The version of the file that was last read.
    read: Mutex<Option<Stamp>>,
    newest: watch::Sender<Arc<Vec<Arc<User>>>>,
}

/// The metadata of a file. If the metadata has changed, the file has changed too, and is read again.
#[derive(Clone, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    /// The device, the inode, and the time of the last metadata change. A file that replaces another file has another
    /// inode.
    #[cfg(unix)]
    node: (u64, u64, i64, i64),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt as _;
        Self {
            modified: metadata.modified().ok(),
            length: metadata.len(),
            #[cfg(unix)]
            node: (
                metadata.dev(),
                metadata.ino(),
                metadata.ctime(),
                metadata.ctime_nsec(),
            ),
        }
    }
}

impl Users {
    /// Reads a file of users.
    ///
    /// # Errors
    ///
    /// Fails if the file does not exist, if it cannot be read, if it is not valid, or if other users of the machine can
    /// write to it.
    pub fn open(file: impl Into<PathBuf>) -> Result<Self, UsersError> {
        let file = file.into();
        let (stamp, contents) = read(&file)?;
        Ok(Self {
            inner: Arc::new(Inner {
                file,
                read: Mutex::new(Some(stamp)),
                newest: watch::Sender::new(shared(contents)),
            }),
        })
    }

    /// Adds a user to a file. Creates the file and its folder if they do not exist. Returns the user's token. The token
    /// is stored nowhere.
    ///
    /// # Errors
    ///
    /// Fails if there is already a user with this name, if the name is not allowed, if there are already 256 users, or
    /// if the file cannot be read or written.
    pub fn add(file: impl AsRef<Path>, new: NewUser) -> Result<Token, UsersError> {
        let token = Token::random();
        Self::add_as(file.as_ref(), new, Some(Hash::of(token.expose())))?;
        Ok(token)
    }

    /// Adds a user without a token to a file, as [`add`](Self::add) does. The user can log in only through a [trusted
    /// proxy](crate::TrustedProxy). After such a login, the user can create login links with "Log in another device".
    ///
    /// # Errors
    ///
    /// The errors of [`add`](Self::add).
    pub fn add_without_token(file: impl AsRef<Path>, new: NewUser) -> Result<(), UsersError> {
        Self::add_as(file.as_ref(), new, None)
    }

    fn add_as(file: &Path, new: NewUser, token: Option<Hash>) -> Result<(), UsersError> {
        let user = User {
            id: uuid::Uuid::new_v4().simple().to_string(),
            name: new.name,
            role: new.role,
            projects: new.projects,
            token,
        };
        let refused = |reason: &str| UsersError::Refused(reason.to_owned());
        user.check().map_err(refused)?;
        change(file, |users| {
            if users.iter().any(|known| known.name == user.name) {
                return Err(UsersError::Known(user.name.clone()));
            }
            if users.len() >= MOST {
                return Err(UsersError::Refused(format!(
                    "there are {MOST} users already"
                )));
            }
            users.push(user);
            Ok(())
        })
    }

    /// Removes a user from a file. A running server ends the user's open streams within a second.
    ///
    /// # Errors
    ///
    /// Fails if there is no user with this name, or if the file cannot be read or written.
    pub fn remove(file: impl AsRef<Path>, name: &str) -> Result<(), UsersError> {
        change(file.as_ref(), |users| {
            let before = users.len();
            users.retain(|known| known.name != name);
            if users.len() == before {
                return Err(UsersError::Unknown(name.to_owned()));
            }
            Ok(())
        })
    }

    /// Returns the users, in the order in which they were added.
    pub fn list(&self) -> Vec<User> {
        let users = self.current();
        users.iter().map(|user| (**user).clone()).collect()
    }

    /// Returns the current users. Checks the file's metadata, and reads the file if it has changed.
    pub(crate) fn current(&self) -> Arc<Vec<Arc<User>>> {
        self.inner.refresh();
        self.inner.newest.borrow().clone()
    }

    /// Returns the user with this token. Compares the tokens of all users, so that the duration does not reveal which
    /// user has it.
    pub(crate) fn by_token(&self, given: &str) -> Option<Arc<User>> {
        let hash = Hash::of(given);
        let users = self.current();
        let found = users.iter().fold(None, |found, user| {
            if user.token.as_ref().is_some_and(|token| token.is(&hash)) {
                Some(user)
            } else {
                found
            }
        });
        found.cloned()
    }

    /// Returns the user with this name.
    pub(crate) fn by_name(&self, name: &str) -> Option<Arc<User>> {
        let users = self.current();
        users.iter().find(|user| user.name == name).cloned()
    }

    /// Returns the user with this ID.
    pub(crate) fn by_id(&self, id: &str) -> Option<Arc<User>> {
        let users = self.current();
        users.iter().find(|user| user.id == id).cloned()
    }

    /// Completes when this user is removed from the file of users, or when the user's entry there changes.
    pub(crate) fn gone(&self, user: &Arc<User>) -> impl Future<Output = ()> + Send + use<> {
        let (user, mut newest) = (user.clone(), self.inner.newest.subscribe());
        async move {
            let is_gone = |users: &Arc<Vec<Arc<User>>>| !users.contains(&user);
            // The wait fails only if the server has ended. The future then completes too.
            drop(newest.wait_for(is_gone).await);
        }
    }

    /// Starts a task that checks the file once per second. The task ends when these users are dropped.
    pub(crate) fn watch(&self) {
        let inner = Arc::downgrade(&self.inner);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(REFRESH).await;
                let refresh = |inner: Arc<Inner>| inner.refresh();
                if Weak::upgrade(&inner).map(refresh).is_none() {
                    return;
                }
            }
        });
    }
}

impl Inner {
    /// Reads the file if it has changed. If the file cannot be read, the list of users becomes empty.
    fn refresh(&self) {
        let mut known = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = fs::metadata(&self.file).ok().map(|it| Stamp::of(&it));
        if stamp.is_some() && *known == stamp {
            return;
        }
        match read(&self.file) {
            Ok((stamp, contents)) => {
                *known = Some(stamp);
                self.newest.send_replace(shared(contents));
            }
            Err(error) => {
                let had_users = !self.newest.borrow().is_empty();
                if had_users || *known != stamp {
                    tracing::error!("no user has access: {error}");
                }
                *known = stamp;
                self.newest.send_replace(Arc::default());
            }
        }
    }
}

impl fmt::Debug for Users {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Users")
            .field("file", &self.inner.file)
            .finish_non_exhaustive()
    }
}

fn shared(contents: Contents) -> Arc<Vec<Arc<User>>> {
    Arc::new(contents.users.into_iter().map(Arc::new).collect())
}

/// Reads and checks a file.
fn read(path: &Path) -> Result<(Stamp, Contents), UsersError> {
    let io = |source| UsersError::Io {
        path: path.to_owned(),
        source,
    };
    let invalid = |reason: String| UsersError::Invalid {
        path: path.to_owned(),
        reason,
    };
    let file = File::open(path).map_err(io)?;
    let metadata = file.metadata().map_err(io)?;
    if !metadata.is_file() {
        return Err(invalid("it is no regular file".to_owned()));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if metadata.permissions().mode() & 0o022 != 0 {
            let text = "other users of this machine can write it: chmod 600 it first";
            return Err(invalid(text.to_owned()));
        }
    }
    let mut text = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut text).map_err(io)?;
    if text.len() as u64 > LARGEST {
        return Err(invalid(format!("it has more than {LARGEST} bytes")));
    }
    let contents: Contents =
        serde_json::from_slice(&text).map_err(|error| invalid(error.to_string()))?;
    if contents.users.len() > MOST {
        return Err(invalid(format!("it has more than {MOST} users")));
    }
    for (at, user) in contents.users.iter().enumerate() {
        user.check().map_err(|reason| invalid(reason.to_owned()))?;
        let is_same = |other: &User| other.name == user.name || other.id == user.id;
        if contents.users[..at].iter().any(is_same) {
            return Err(invalid(format!("it has the user {} twice", user.name)));
        }
    }
    Ok((Stamp::of(&metadata), contents))
}

/// Changes a file. Concurrent changes are made one after another. A concurrent reader gets either the old or the new
/// users.
fn change(
    path: &Path,
    change: impl FnOnce(&mut Vec<User>) -> Result<(), UsersError>,
) -> Result<(), UsersError> {
    let io = |source| UsersError::Io {
        path: path.to_owned(),
        source,
    };
    if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(io)?;
    }
    let beside = |more: &str| {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(more);
        path.with_file_name(name)
    };
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(beside(".lock"))
        .map_err(io)?;
    lock.lock().map_err(io)?;
    let mut contents = match read(path) {
        Ok((_, contents)) => contents,
        Err(UsersError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            Contents::default()
        }
        Err(error) => return Err(error),
    };
    change(&mut contents.users)?;
    let mut text = serde_json::to_vec_pretty(&contents)
        .map_err(io::Error::from)
        .map_err(io)?;
    text.push(b'\n');
    let new = beside(".new");
    let mut file = create_private_file(&new).map_err(io)?;
    file.write_all(&text).map_err(io)?;
    file.sync_all().map_err(io)?;
    fs::rename(&new, path).map_err(io)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("claw").join("users.json");
        (folder, file)
    }

    #[test]
    fn the_file_has_hashes_and_no_tokens_and_only_its_owner_reads_it() {
        let (_folder, file) = file();
        let token = Users::add(&file, NewUser::new("ana", Role::Prompt)).unwrap();
        let users = Users::open(&file).unwrap();
        assert_eq!(users.by_token(token.expose()).unwrap().name, "ana");
        assert_eq!(users.by_token(&token.expose()[1..]), None);
        assert_eq!(users.by_token(""), None);
        for found in fs::read_dir(file.parent().unwrap()).unwrap() {
            let path = found.unwrap().path();
            assert!(!fs::read_to_string(&path).unwrap().contains(token.expose()));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&file), 0o600);
            fs::set_permissions(&file, fs::Permissions::from_mode(0o620)).unwrap();
            assert!(Users::open(&file).is_err());
            // A running server rejects the invalid file too, so no user has access.
            assert_eq!(users.by_token(token.expose()), None);
        }
    }

    #[test]
    fn names_are_bounded_and_unique() {
        let (_folder, file) = file();
        let add = |name: &str| Users::add(&file, NewUser::new(name, Role::View)).is_ok();
        let long = "a".repeat(65);
        for name in [
            "", ".", "-a", "@", "a b", "a\n", "a/b", "é", "a\u{1b}", "a\0", &long,
        ] {
            assert!(!add(name), "{name:?}");
        }
        for name in ["a", "ana@example.org", "A.b_c-d+e", &long[1..]] {
            assert!(add(name), "{name}");
            assert!(!add(name), "{name} twice");
        }
        assert_eq!(Users::open(&file).unwrap().list().len(), 4);
        Users::remove(&file, "a").unwrap();
        assert!(matches!(
            Users::remove(&file, "a"),
            Err(UsersError::Unknown(_))
        ));
    }

    #[test]
    fn a_user_who_is_added_again_is_another_one() {
        let (_folder, file) = file();
        let users = || Users::open(&file).unwrap();
        Users::add(&file, NewUser::new("ana", Role::View)).unwrap();
        let first = users().list().remove(0);
        Users::remove(&file, "ana").unwrap();
        Users::add(&file, NewUser::new("ana", Role::View)).unwrap();
        assert_eq!(users().by_id(&first.id), None);
    }

    #[test]
    fn a_file_that_is_broken_or_gone_has_no_users() {
        let (_folder, file) = file();
        let token = Users::add(&file, NewUser::new("ana", Role::Own)).unwrap();
        let users = Users::open(&file).unwrap();
        let whole = fs::read(&file).unwrap();
        let user = String::from_utf8(whole.clone()).unwrap();
        let more_fields = user.replace("\"name\"", "\"other\": 1, \"name\"");
        let none = b"{\"users\": []}".as_slice();
        for broken in [
            b"".as_slice(),
            b"{",
            &whole[..40],
            more_fields.as_bytes(),
            none,
        ] {
            fs::write(&file, broken).unwrap();
            assert_eq!(users.by_token(token.expose()), None);
            fs::write(&file, &whole).unwrap();
            assert!(users.by_token(token.expose()).is_some());
        }
        fs::remove_file(&file).unwrap();
        assert_eq!(users.by_token(token.expose()), None);
        assert!(Users::open(&file).is_err());
    }
}
