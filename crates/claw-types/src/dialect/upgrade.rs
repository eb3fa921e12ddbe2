//! From an old form to today's: an object is edited, and today's strict reader judges it.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Fill, Today};
use crate::{DecodeError, FromLine, Json, StdinMessage, StdoutMessage};

/// Why an old form could not be turned into today's.
#[derive(Debug)]
#[non_exhaustive]
pub enum UpgradeError {
    /// Today has no message that says the same.
    NoCounterpart {
        /// The old form, by its tags.
        form: &'static str,
        /// What is the matter.
        why: &'static str,
    },
    /// Today's message needs what neither the old form nor the [`Fill`] says.
    Missing {
        /// The field of the fill.
        field: &'static str,
    },
    /// A field that the old form let pass has one of today's names and holds something else.
    Misfit(DecodeError),
}

impl UpgradeError {
    /// Whether no fill can help: today has no such message.
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
    /// See [`Dialect::upgrade`](super::Dialect::upgrade).
    fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError>;

    /// Whether a line that reads so is old at all, where the tags alone do not say.
    fn is_old(&self) -> bool {
        true
    }
}

/// An object on its way from an old form to today's.
#[derive(Serialize, Deserialize, Default)]
pub(super) struct Draft(BTreeMap<String, Json>);

impl Draft {
    /// Starts from everything that stands in the old form.
    pub(super) fn of<T: Serialize>(old: &T) -> Self {
        Self(json(old).parse().unwrap_or_default())
    }

    pub(super) fn set<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) {
        self.0.insert(key.to_owned(), json(value));
    }

    /// Sets a key where nothing stands, or null.
    pub(super) fn fill<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) {
        if self.lacks(key) {
            self.set(key, value);
        }
    }

    /// The same with what the caller had to say.
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

    /// Puts null where a key is not there at all.
    pub(super) fn nullable(&mut self, key: &str) {
        self.0.entry(key.to_owned()).or_insert_with(Json::null);
    }

    /// The line's own name and its session.
    pub(super) fn identify(&mut self, fill: &Fill) {
        self.fill("uuid", &fill.uuid);
        self.fill("session_id", &fill.session_id);
    }

    /// Moves a key's value. Where the new key has one already, both stay.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        if self.lacks(to)
            && let Some(value) = self.0.remove(from)
        {
            self.0.insert(to.to_owned(), value);
        }
    }

    /// Takes a key out.
    pub(super) fn remove(&mut self, key: &str) {
        self.0.remove(key);
    }

    /// Moves keys that are there into another object.
    pub(super) fn give(&mut self, keys: &[&str], to: &mut Self) {
        for key in keys {
            if let Some((key, value)) = self.0.remove_entry(*key) {
                to.0.insert(key, value);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As a part of a message.
    pub(super) fn part<T: DeserializeOwned>(&self) -> Result<T, UpgradeError> {
        let read = json(self).parse();
        read.map_err(|error| UpgradeError::Misfit(error.into()))
    }

    /// As a line that `claude` writes.
    pub(super) fn stdout(&self) -> Result<Today, UpgradeError> {
        StdoutMessage::from_line(json(self).as_raw().as_bytes())
            .map(Today::Stdout)
            .map_err(UpgradeError::Misfit)
    }

    /// As a line that `claude` reads.
    pub(super) fn stdin(&self) -> Result<Today, UpgradeError> {
        StdinMessage::from_line(json(self).as_raw().as_bytes())
            .map(Today::Stdin)
            .map_err(UpgradeError::Misfit)
    }

    fn lacks(&self, key: &str) -> bool {
        self.0.get(key).is_none_or(|value| *value == Json::null())
    }
}

/// What these forms hold always has a JSON text; a null in its place would be refused by the reader.
fn json<T: Serialize + ?Sized>(value: &T) -> Json {
    Json::new(value).unwrap_or_else(|_| Json::null())
}
