//! Searches the written text of a value for untyped ranges.

use std::fmt::Write as _;

use super::Untyped;
use crate::wire::{UntypedReason, Written};
use crate::{Json, Unknown};

/// The current path in the text.
#[derive(Default)]
pub(super) struct Search {
    pub(super) found: Vec<Untyped>,
    path: String,
    /// The start of the path's last key.
    key: usize,
}

impl Search {
    /// Searches the value at the current path.
    pub(super) fn value(&mut self, written: &Written<'_>) {
        if let Some((json, reason)) = written.untyped() {
            self.found.extend(self.untyped(json, reason));
            return;
        }
        match written.peek() {
            b'{' => {
                written.step();
                while !written.ends(b'}') {
                    let key = written.string();
                    written.step();
                    self.member(&key, written);
                }
            }
            b'[' => {
                written.step();
                let length = self.path.len();
                for index in 0.. {
                    if written.ends(b']') {
                        break;
                    }
                    // Writing to a String cannot fail.
                    let _ = write!(self.path, "[{index}]");
                    self.value(written);
                    self.path.truncate(length);
                }
            }
            b'"' => drop(written.string()),
            _ => drop(written.word()),
        }
    }

    fn member(&mut self, key: &str, written: &Written<'_>) {
        let (length, outer) = (self.path.len(), self.key);
        if length > 0 {
            self.path.push('.');
        }
        self.key = self.path.len();
        self.path.push_str(key);
        self.value(written);
        self.path.truncate(length);
        self.key = outer;
    }

    /// Returns the part at the current path if it has no type.
    fn untyped(&self, json: &str, reason: UntypedReason) -> Option<Untyped> {
        let path = self.path.clone();
        let key = path[self.key..].to_owned();
        Some(match reason {
            UntypedReason::Free => return None,
            UntypedReason::Field(owner) => Untyped::Field { owner, key, path },
            UntypedReason::Null(owner) => Untyped::Null { owner, key, path },
            UntypedReason::Kind => {
                let kind = Unknown::new(Json::of_raw(json)).kind().into_owned();
                Untyped::Kind { kind, path }
            }
        })
    }
}
