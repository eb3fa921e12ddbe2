//! Which lines of a batch are new: the rule that every adapter follows.

use std::collections::HashSet;

use crate::{Batch, Line, StoreError};

/// What of a batch is to be stored.
#[derive(Debug)]
#[non_exhaustive]
pub struct Planned<'a> {
    /// The lines that are new, in their order: new of this writer, and, after [`without`](Self::without), in the
    /// transcript.
    pub lines: Vec<&'a Line>,
    /// How many lines of the writer the transcript has afterwards.
    pub next: u64,
}

impl<'a> Batch<'a> {
    /// Takes away what the writer has stored already. `next` is how many lines of the writer the transcript has.
    /// `None` if that is all of it. A UUID that stands twice in the batch is kept once.
    ///
    /// # Errors
    ///
    /// [`StoreError::Gap`].
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
    /// Takes away the lines whose UUID the transcript has already.
    pub fn without(&mut self, mut has_uuid: impl FnMut(&str) -> bool) {
        self.lines
            .retain(|line| !line.uuid().is_some_and(&mut has_uuid));
    }

    /// The UUIDs of the lines.
    pub fn uuids(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|line| line.uuid())
    }
}
