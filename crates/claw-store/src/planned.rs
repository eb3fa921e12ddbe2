//! The plan of an append. It determines which lines of a batch are new, by the same rule for every adapter.

use std::collections::HashSet;

use crate::{Batch, Line, StoreError};

/// The part of a batch that an adapter must store. Made by [`Batch::plan`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Planned<'a> {
    /// The lines of the batch that the writer has not stored yet, in their order. [`without`](Self::without) removes
    /// the lines whose UUID the transcript already has.
    pub lines: Vec<&'a Line>,
    /// The number of the writer's lines in the transcript after the batch is stored.
    pub next: u64,
}

impl<'a> Batch<'a> {
    /// Returns the part of the batch that is not stored yet. `next` is the number of this writer's lines that the
    /// transcript already has. Returns `None` if no line is left. If several lines of the batch have the same UUID,
    /// only one of them is kept.
    ///
    /// # Errors
    ///
    /// Fails with [`StoreError::Gap`] if lines before the batch are missing.
    pub fn plan(&self, next: u64) -> Result<Option<Planned<'a>>, StoreError> {
        let number = self.number;
        let Some(known) = next.checked_sub(number) else {
            return Err(StoreError::Gap {
                expected: next,
                number,
            });
        };
        let known = usize::try_from(known).unwrap_or(usize::MAX);
        let lines = self.lines.get(known..).unwrap_or_default();
        if lines.is_empty() {
            return Ok(None);
        }
        let mut seen = HashSet::new();
        let mut planned = Planned {
            lines: lines.iter().collect(),
            next: number + self.lines.len() as u64,
        };
        planned
            .lines
            .retain(|line: &&'a Line| line.uuid().is_none_or(|uuid| seen.insert(uuid)));
        Ok(Some(planned))
    }
}

impl Planned<'_> {
    /// Removes the lines whose UUID the transcript already has.
    pub fn without(&mut self, mut has_uuid: impl FnMut(&str) -> bool) {
        self.lines
            .retain(|line| !line.uuid().is_some_and(&mut has_uuid));
    }

    /// The UUIDs of the new lines.
    pub fn uuids(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|line| line.uuid())
    }
}
