//! The limits of a hub: how many sessions are live, how much data is stored, and how long the hub waits.

use std::sync::Arc;
use std::time::Duration;

use claw_client::store::SessionStore;

/// The limits of a hub: how many sessions are live, how much data is stored, and how long the hub waits.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum size of a session's log of events, in bytes. Default: 4 MiB.
    pub log: usize,
    /// The maximum number of live sessions. If it is reached and another session opens, the server closes the session
    /// that has been unused for the longest time. If all sessions are in use, the server refuses the other session.
    /// Default: 1,000.
    pub sessions: usize,
    /// The time for which an unused session stays live. A session is unused if it has no viewer, no running turn and no
    /// request that waits for an answer. After this time, the server closes the session. When the session is opened
    /// again, it is read from disk. Default: half an hour.
    pub idle: Duration,
    /// How long a permission request waits for an answer before it is denied. Default: one hour.
    pub answer: Duration,
    /// How long a session of one of [several hosts](crate::ServerBuilder::cluster) keeps its process while a permission
    /// request waits for an answer. After this time, the process is ended, and the request waits in the store without a
    /// time limit. Default: `None`, which means that the process is never ended for this reason.
    pub defer: Option<Duration>,
    /// The maximum time for which a prompt waits for the reset of a usage limit of the login. A prompt waits if its
    /// turn ends at a limit, and the CLI has reported a reset within this time. The server then accepts the prompt
    /// again under another UUID, and sends it once, five seconds after the reset. Until then, the prompt does not count
    /// as begun, and holds no process. Prompts of the [hosting contract](crate::Hosting) do not wait. Default: `None`,
    /// so the turn fails.
    pub limit_wait: Option<Duration>,
    /// How long the CLI may write nothing while it starts or runs a turn. After this time, the server reports the
    /// silence in the log, in the metrics and in the response of `GET /api/live`. While a tool runs for long, the CLI
    /// writes a heartbeat every 30 seconds. Default: 45 seconds.
    pub silence: Duration,
    /// How long the CLI may write nothing in the middle of a turn before the turn fails. Default: ten minutes.
    pub stall: Duration,
    /// How long a session is kept after its last change. Older sessions are deleted, on the disk and in the store: see
    /// [`Hub::delete_old`](crate::Hub::delete_old). Default: `None`, which means that no session is deleted by its age.
    pub keep: Option<Duration>,
    /// The store into which a session is copied before it is deleted because of its age, such as a store in a folder.
    /// Default: `None`, which means that sessions are deleted without a copy.
    pub archive: Option<Arc<dyn SessionStore>>,
    /// The maximum size of a turn's messages that wait for a slow client of the [hosting contract](crate::Hosting), in
    /// bytes. If more messages wait, the client's response ends with an error, and the turn continues. Default: 4 MiB.
    pub unread: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            log: 4 << 20,
            sessions: 1000,
            idle: Duration::from_mins(30),
            answer: Duration::from_hours(1),
            defer: None,
            limit_wait: None,
            silence: Duration::from_secs(45),
            stall: Duration::from_mins(10),
            keep: None,
            archive: None,
            unread: 4 << 20,
        }
    }
}
