//! The attempts of a step. They are recorded in the store, in a log that belongs to the session.
//!
//! A step cannot learn from Restate whether it ran before, because an aborted step has reported nothing to Restate.
//! Therefore, each attempt writes a line before its CLI starts, with the epoch of its claim, and another line with its
//! result. If an attempt finds a result, it returns this result. In that case, the worker of an earlier attempt ended
//! after the turn but before Restate received the result.

use std::io;
use std::sync::Arc;

use claw_client::store::{
    Batch, Lease, Line, SessionStore, StoreError, StoreKey, Subpath, WriterId,
};
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};

use crate::step::StepOutcome;

/// The prefix of the names of these logs. The name of the step follows it.
const BEGIN: &str = "claw/turn-";

/// The attempts of one step.
pub(crate) struct Attempts {
    store: Arc<dyn SessionStore>,
    key: StoreKey,
    /// The number of attempts that have begun.
    pub(crate) begun: u32,
    /// The result, if an attempt has stored one.
    pub(crate) outcome: Option<StepOutcome>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Record {
    /// An attempt has begun.
    Begun { epoch: u64 },
    /// The step has a result.
    Ended(StepOutcome),
}

impl Attempts {
    /// Reads the attempts of a step, and deletes the logs of earlier steps. The caller has claimed the session.
    pub(crate) async fn read(
        store: &Arc<dyn SessionStore>,
        lease: &Lease,
        step: &str,
    ) -> Result<Self, StoreError> {
        let name = format!("{BEGIN}{step}");
        let key = lease
            .session()
            .at(Subpath::new(&name).map_err(StoreError::refused)?);
        // Restate runs the steps of a session one after the other, so it already has the results of earlier steps.
        if let (Some(subkeys), Some(deletes)) = (store.subkeys(), store.deletes()) {
            for path in subkeys.subkeys(lease.session()).await? {
                if path.as_str().starts_with(BEGIN) && path.as_str() != name {
                    deletes.delete(&lease.session().at(path)).await?;
                }
            }
        }
        let mut attempts = Self {
            store: store.clone(),
            key,
            begun: 0,
            outcome: None,
        };
        let mut lines = store.load(&attempts.key);
        while let Some(line) = lines.try_next().await? {
            let record: Record = serde_json::from_str(line.line.as_str())
                .map_err(|error| StoreError::corrupt(io::Error::other(error)))?;
            match record {
                Record::Begun { .. } => attempts.begun += 1,
                Record::Ended(outcome) => attempts.outcome = Some(outcome),
            }
        }
        drop(lines);
        Ok(attempts)
    }

    /// Records that an attempt has begun.
    pub(crate) async fn begin(&mut self, lease: &Lease) -> Result<(), StoreError> {
        let epoch = lease.epoch().0;
        self.append(lease, &Record::Begun { epoch }).await?;
        self.begun += 1;
        Ok(())
    }

    /// Stores the result.
    pub(crate) async fn end(&self, lease: &Lease, outcome: &StepOutcome) -> Result<(), StoreError> {
        self.append(lease, &Record::Ended(outcome.clone())).await
    }

    async fn append(&self, lease: &Lease, record: &Record) -> Result<(), StoreError> {
        let text = serde_json::to_string(record).map_err(StoreError::refused)?;
        let lines = [Line::new(text).map_err(StoreError::refused)?];
        // Each line gets a new writer ID. No line is sent twice, because an uncertain write ends the attempt.
        let writer = WriterId::random();
        let batch = Batch {
            writer: &writer,
            number: 0,
            lines: &lines,
            epoch: Some(lease.epoch()),
        };
        self.store.append(&self.key, batch).await.map(drop)
    }
}
