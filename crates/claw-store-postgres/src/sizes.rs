//! The sizes of main transcripts.
//!
//! A row of `transcripts` contains the number of lines that were measured (`sized`), and their length in bytes
//! (`bytes`). An append measures its own lines if all earlier lines were measured. A host with an older version of claw
//! appends lines without measuring them. The next list measures these lines. The lines of a transcript do not change,
//! so a measured length remains right.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use claw_store::StoreError;
use tokio_postgres::types::Type;

use crate::Store;
use crate::failure::unreadable;

/// The maximum number of lines that are measured for a page of a list. So a list of a large store does not take too
/// long. A transcript with more lines is measured alone.
const MOST: i64 = 20_000;

/// Adds up the lengths of lines. If lines are missing, the sum is null.
const LENGTHS: &str = "
    SELECT requested.id, (
        SELECT CASE WHEN count(*) = requested.lines - requested.sized THEN sum(octet_length(line)) END
        FROM {s}.lines WHERE transcript = requested.id AND position >= requested.sized AND position < requested.lines
    )
    FROM unnest($1, $2, $3) requested (id, sized, lines)";

/// Stores measured lengths. Skips a row that another transaction has locked, so this statement never waits for a lock.
const KEEP: &str = "
    WITH free AS (SELECT id FROM {s}.transcripts WHERE id = ANY ($1) FOR UPDATE SKIP LOCKED)
    UPDATE {s}.transcripts t SET sized = measured.lines, bytes = measured.bytes
    FROM free JOIN unnest($1, $2, $3) measured (id, lines, bytes) ON measured.id = free.id
    WHERE t.id = free.id AND t.sized < measured.lines";

/// The size of a transcript, as its row contains it.
pub(crate) struct Size {
    transcript: i64,
    lines: i64,
    /// The number of measured lines.
    sized: i64,
    /// The length of the measured lines, in bytes, without line feeds.
    bytes: i64,
}

impl Size {
    pub(crate) fn new(transcript: i64, lines: i64, sized: i64, bytes: i64) -> Self {
        Self {
            transcript,
            lines,
            sized,
            bytes,
        }
    }

    /// Returns the length of all lines, each with a line feed. `None` if it is not known.
    pub(crate) fn total(&self) -> Option<u64> {
        if self.sized != self.lines {
            return None;
        }
        u64::try_from(self.bytes.checked_add(self.lines)?).ok()
    }

    /// Returns the number of lines that were not measured yet.
    fn rest(&self) -> i64 {
        self.lines.saturating_sub(self.sized)
    }
}

impl Store {
    /// Measures those transcripts of a page that were not measured completely, at most [`MOST`] lines. Stores the
    /// results. If this fails, the list does not fail, but nothing is measured from then on. Possible reasons are that
    /// the role may not write, or that there are too many lines.
    pub(crate) async fn measure(&self, sizes: &mut [Size]) {
        if !self.measures.load(Ordering::Relaxed) {
            return;
        }
        if let Err(StoreError::Refused(_)) = self.try_measure(sizes).await {
            self.measures.store(false, Ordering::Relaxed);
        }
    }

    async fn try_measure(&self, sizes: &mut [Size]) -> Result<(), StoreError> {
        let mut left = MOST;
        let mut requested: Vec<&mut Size> = Vec::new();
        for size in sizes.iter_mut().filter(|size| size.rest() > 0) {
            if requested.is_empty() || size.rest() <= left {
                left = left.saturating_sub(size.rest());
                requested.push(size);
            }
        }
        if requested.is_empty() {
            return Ok(());
        }
        let column =
            |of: fn(&Size) -> i64| requested.iter().map(|size| of(size)).collect::<Vec<_>>();
        let (ids, measured) = (column(|size| size.transcript), column(|size| size.sized));
        let lines = column(|size| size.lines);
        let params = [
            (&ids as _, Type::INT8_ARRAY),
            (&measured as _, Type::INT8_ARRAY),
            (&lines as _, Type::INT8_ARRAY),
        ];
        let rows = self.pool.read(&self.schema.sql(LENGTHS), &params).await?;
        let rows = rows
            .iter()
            .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)));
        let found: Result<HashMap<i64, Option<i64>>, _> = rows.collect();
        let found = found.map_err(unreadable)?;
        let (mut ids, mut lines, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        for size in requested {
            let length = found.get(&size.transcript).copied().flatten();
            let Some(total) = length.and_then(|length| size.bytes.checked_add(length)) else {
                continue;
            };
            (size.sized, size.bytes) = (size.lines, total);
            ids.push(size.transcript);
            lines.push(size.lines);
            bytes.push(total);
        }
        if ids.is_empty() {
            return Ok(());
        }
        let params = [
            (&ids as _, Type::INT8_ARRAY),
            (&lines as _, Type::INT8_ARRAY),
            (&bytes as _, Type::INT8_ARRAY),
        ];
        self.pool.read(&self.schema.sql(KEEP), &params).await?;
        Ok(())
    }
}
