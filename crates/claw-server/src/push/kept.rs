//! The subscribed devices, in a file that survives a restart of the server.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use claw_client::transport::create_private_file;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Maximum number of devices of the owner of the server. Users cannot take these places.
pub(super) const MOST_OF_OWNER: usize = 32;
/// Maximum number of devices of one user.
pub(super) const MOST_OF_USER: usize = 8;
/// Maximum number of devices of all users together.
const MOST_OF_USERS: usize = 64;

/// A device that receives notifications.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Subscription {
    /// The address to which the messages to the device are sent.
    pub(super) endpoint: String,
    /// The device's key: a point of P-256, uncompressed.
    #[serde(serialize_with = "encode", deserialize_with = "decode")]
    pub(super) key: Vec<u8>,
    /// The device's secret.
    #[serde(serialize_with = "encode", deserialize_with = "decode")]
    pub(super) auth: Vec<u8>,
    /// Whether the messages to the device contain text of conversations.
    pub(super) content: bool,
    /// The ID of the user whose device this is. `None` for a device of the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) user: Option<String>,
}

pub(super) fn encode<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&BASE64.encode(bytes))
}

pub(super) fn decode<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(from)?;
    let text = text.trim_end_matches('=');
    BASE64.decode(text).map_err(serde::de::Error::custom)
}

/// All devices. They are stored in a file that only the server's user can read. If another server uses the file, they are only
/// in memory.
#[derive(Debug)]
pub(super) struct Kept {
    all: Mutex<Vec<Subscription>>,
    file: PathBuf,
    lock: Option<File>,
}

impl Kept {
    pub(super) fn open(file: PathBuf) -> Self {
        let lock = lock(&file.with_extension("lock"));
        let all = lock.as_ref().map(|_| read(&file)).transpose();
        let all = all.inspect_err(|error| tracing::warn!("the devices that are told: {error}"));
        let all = all.ok().flatten().unwrap_or_default();
        Self {
            all: Mutex::new(all),
            file,
            lock,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Subscription>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn all(&self) -> Vec<Subscription> {
        self.lock().clone()
    }

    pub(super) fn count(&self) -> usize {
        self.lock().len()
    }

    /// Adds or updates a device. Returns `false`, and changes nothing, if the owner or the user already has as many other
    /// devices as allowed, or if all users together have.
    pub(super) fn add(&self, new: Subscription) -> bool {
        let mut all = self.lock();
        let count = |is: &dyn Fn(&Subscription) -> bool| {
            let others = all.iter().filter(|known| known.endpoint != new.endpoint);
            others.filter(|known| is(known)).count()
        };
        let own = count(&|known| known.user == new.user);
        let has_room = match new.user {
            None => own < MOST_OF_OWNER,
            Some(_) => own < MOST_OF_USER && count(&|known| known.user.is_some()) < MOST_OF_USERS,
        };
        if has_room {
            all.retain(|known| known.endpoint != new.endpoint);
            all.push(new);
            self.write(&all);
        }
        has_room
    }

    pub(super) fn remove(&self, endpoint: &str) {
        let mut all = self.lock();
        let before = all.len();
        all.retain(|known| known.endpoint != endpoint);
        if all.len() != before {
            self.write(&all);
        }
    }

    fn write(&self, all: &[Subscription]) {
        if self.lock.is_none() {
            return;
        }
        let written = serde_json::to_vec(all)
            .map_err(io::Error::from)
            .and_then(|text| create_private_file(&self.file)?.write_all(&text));
        if let Err(error) = written {
            tracing::warn!("the devices that are told do not outlive this server: {error}");
        }
    }
}

/// Opens a file and locks it until it is closed. Returns `None` if another server has locked the file, or if it cannot be
/// created.
fn lock(path: &Path) -> Option<File> {
    let file = File::create(path).ok()?;
    file.try_lock().ok()?;
    Some(file)
}

fn read(file: &Path) -> io::Result<Vec<Subscription>> {
    let text = match fs::read(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text?,
    };
    let mut all: Vec<_> = serde_json::from_slice(&text)?;
    all.truncate(MOST_OF_OWNER + MOST_OF_USERS);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(user: Option<&str>, number: usize) -> Subscription {
        Subscription {
            endpoint: format!("https://push.example/{}/{number}", user.unwrap_or_default()),
            key: Vec::new(),
            auth: Vec::new(),
            content: false,
            user: user.map(str::to_owned),
        }
    }

    #[test]
    fn a_user_takes_no_place_of_another_one_or_of_the_owner() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::open(folder.path().join("subscriptions"));
        let added = |user: Option<&str>| {
            (0..100)
                .filter(|number| kept.add(of(user, *number)))
                .count()
        };
        assert_eq!(added(Some("ana")), MOST_OF_USER);
        assert_eq!(added(Some("bo")), MOST_OF_USER);
        let users = (0..20).map(|user| added(Some(&format!("user {user}"))));
        assert_eq!(users.sum::<usize>(), MOST_OF_USERS - 2 * MOST_OF_USER);
        assert_eq!(added(None), MOST_OF_OWNER);
        assert!(
            kept.add(of(Some("ana"), 0)),
            "a device that is known is updated"
        );
        // A user who has no place left does not remove the device of another one.
        let mut taken = of(None, 0);
        taken.user = Some("ana".to_owned());
        assert!(!kept.add(taken));
        assert!(kept.all().contains(&of(None, 0)));
    }
}
