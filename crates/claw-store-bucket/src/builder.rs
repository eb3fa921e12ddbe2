//! The settings of a store.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use claw_store::StoreError;
use claw_store::adapter::{LINE_LIMIT, TIMEOUT};
use object_store::ObjectStore;

use crate::Store;
use crate::cache::Cache;
use crate::paths::Paths;
use crate::probe;
use crate::requests::Requests;

/// Settings of a [`Store`].
#[derive(Clone)]
#[must_use = "the store is made by `open`"]
pub struct Builder {
    pub(crate) objects: Arc<dyn ObjectStore>,
    pub(crate) prefix: String,
    pub(crate) timeout: Duration,
    pub(crate) line_limit: usize,
    memory: usize,
}

impl Builder {
    pub(crate) fn new(objects: Arc<dyn ObjectStore>) -> Self {
        Self {
            objects,
            prefix: "claw".to_owned(),
            timeout: TIMEOUT,
            line_limit: LINE_LIMIT,
            memory: 32 << 20,
        }
    }

    /// Sets the folder of the bucket that holds the store's objects, such as `claw` or `tenants/a`. Default: `claw`.
    /// Stores in two folders share nothing, and credentials can be restricted to one folder.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets the timeout of each call, including all its requests and the client's retries. For a load or a list, it
    /// applies to each step of the stream. Default: 30 seconds.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the maximum length of a line in bytes, for storing and loading. Default: 64 MiB.
    pub fn line_limit(mut self, bytes: usize) -> Self {
        self.line_limit = bytes;
        self
    }

    /// Sets approximately how many bytes of memory the store uses to remember transcripts. Most of this memory holds
    /// the UUIDs of lines, 40 bytes each. An append to a transcript that is no longer remembered reads the transcript
    /// again. Default: 32 MiB.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Opens the store. This call writes and deletes an object, to find out whether the bucket supports conditional
    /// writes.
    ///
    /// # Errors
    ///
    /// Fails with [`StoreError::Refused`] for an invalid folder, a bucket that does not exist, a missing permission,
    /// or a bucket without conditional writes. Fails with [`StoreError::Unavailable`] if the bucket cannot be reached.
    pub async fn open(self) -> Result<Store, StoreError> {
        let store = Store {
            requests: Requests::new(self.objects, self.timeout),
            paths: Paths::new(&self.prefix)?,
            line_limit: self.line_limit,
            cache: Cache::new(self.memory),
        };
        probe::conditional_writes(&store.requests, &store.paths).await?;
        Ok(store)
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Leaves out the client, because its output may contain secrets that only its author knows of.
        f.debug_struct("Builder")
            .field("prefix", &self.prefix)
            .field("timeout", &self.timeout)
            .field("line_limit", &self.line_limit)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}
