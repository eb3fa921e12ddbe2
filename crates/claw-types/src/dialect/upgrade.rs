//! Upgrades lines in old forms to the current form.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Fill, Today};
use crate::{DecodeError, FromLine, Json, StdinMessage, StdoutMessage};

/// The reason why a line in an old form could not be upgraded.
#[derive(Debug)]
#[non_exhaustive]
pub enum UpgradeError {
    /// The current protocol has no equivalent message.
    NoCounterpart {
        /// The name of the old form: its `type`, and its `subtype` if it has one.
        form: &'static str,
        /// The reason why today's protocol has no equivalent.
        why: &'static str,
    },
    /// The current form requires a value that neither the line nor the [`Fill`] contains.
    Missing {
        /// The name of the missing field of [`Fill`].
        field: &'static str,
    },
    /// The value of a field does not have the type that the field has in the current form.
    Misfit(DecodeError),
}

impl UpgradeError {
    /// Whether the upgrade failed because the current protocol has no equivalent message. If so, the upgrade fails with
    /// every [`Fill`].
    pub fn is_no_counterpart(&self) -> bool {
        matches!(self, Self::NoCounterpart { .. })
    }
}

impl fmt::Display for UpgradeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCounterpart { form, why } => {
                write!(f, "`{form}` has no counterpart today: {why}")
            }
            Self::Missing { field } => {
                write!(f, "neither the line nor the fill says `{field}`")
            }
            Self::Misfit(_) => f.write_str("the line does not fit today's form"),
        }
    }
}

impl std::error::Error for UpgradeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Misfit(error) => Some(error),
            _ => None,
        }
    }
}

/// An old form of a line.
pub(super) trait Old {
    /// Upgrades the line, see [`Dialect::upgrade`](super::Dialect::upgrade).
    fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError>;

    /// Whether a line that was read in this form is old. Implemented where the tags alone do not tell.
    fn is_old(&self) -> bool {
        true
    }
}

/// An object that is being upgraded.
#[derive(Serialize, Deserialize, Default)]
pub(super) struct Draft(BTreeMap<String, Json>);

impl Draft {
    /// A draft with all fields of the old form.
    pub(super) fn of<T: Serialize>(old: &T) -> Self {
        Self(json(old).parse().unwrap_or_default())
    }

    pub(super) fn set<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) {
        self.0.insert(key.to_owned(), json(value));
    }

    /// Sets a key that is absent or null.
    pub(super) fn fill<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) {
        if self.lacks(key) {
            self.set(key, value);
        }
    }

    /// Sets a key that is absent or null to a value from the fill, which must be there.
    pub(super) fn need<T: Serialize>(
        &mut self,
        key: &str,
        field: &'static str,
        value: Option<&T>,
    ) -> Result<(), UpgradeError> {
        if self.lacks(key) {
            self.set(key, value.ok_or(UpgradeError::Missing { field })?);
        }
        Ok(())
    }

    /// Sets an absent key to null.
    pub(super) fn nullable(&mut self, key: &str) {
        self.0.entry(key.to_owned()).or_insert_with(Json::null);
    }

    /// Sets the UUID of the message and the ID of its session.
    pub(super) fn identify(&mut self, fill: &Fill) {
        self.fill("uuid", &fill.uuid);
        self.fill("session_id", &fill.session_id);
    }

    /// Renames a key. If the new key is present, both stay.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        if self.lacks(to)
            && let Some(value) = self.0.remove(from)
        {
            self.0.insert(to.to_owned(), value);
        }
    }

    /// Removes a key.
    pub(super) fn remove(&mut self, key: &str) {
        self.0.remove(key);
    }

    /// Moves the keys that are present to another object.
    pub(super) fn move_to(&mut self, keys: &[&str], to: &mut Self) {
        for key in keys {
            if let Some((key, value)) = self.0.remove_entry(*key) {
                to.0.insert(key, value);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads the draft as a part of a message.
    pub(super) fn part<T: DeserializeOwned>(&self) -> Result<T, UpgradeError> {
        let read = json(self).parse();
        read.map_err(|error| UpgradeError::Misfit(error.into()))
    }

    /// Reads the draft as a line that `claude` writes.
    pub(super) fn stdout(&self) -> Result<Today, UpgradeError> {
        StdoutMessage::from_line(json(self).as_raw().as_bytes())
            .map(Today::Stdout)
            .map_err(UpgradeError::Misfit)
    }

    /// Reads the draft as a line that `claude` reads.
    pub(super) fn stdin(&self) -> Result<Today, UpgradeError> {
        StdinMessage::from_line(json(self).as_raw().as_bytes())
            .map(Today::Stdin)
            .map_err(UpgradeError::Misfit)
    }

    fn lacks(&self, key: &str) -> bool {
        self.0.get(key).is_none_or(|value| *value == Json::null())
    }
}

/// These forms always have a JSON text. Otherwise a null would make the reader fail.
fn json<T: Serialize + ?Sized>(value: &T) -> Json {
    Json::new(value).unwrap_or_else(|_| Json::null())
}
