//! What `Artifact` gives: watches.

use crate::by_key::by_key;
use crate::{Count, Number};

/// Whether a page is watched now.
#[wire]
pub struct ArtifactWatching {
    /// What came of it.
    pub watch: ArtifactWatchStarted,
}

/// What came of watching a page.
#[wire]
pub struct ArtifactWatchStarted {
    /// The page.
    pub url: String,
    /// Whether it is watched.
    pub watching: bool,
    /// What came of it, as a word.
    pub outcome: String,
    /// Why.
    pub reason: Option<String>,
    /// Why it is not watched beyond the session.
    pub durable_skip_reason: Option<String>,
    /// The background task that watches.
    pub task_id: Option<String>,
    /// Since when.
    pub since: Option<Number>,
    /// When the right to watch ends.
    pub token_expires_at: Option<Number>,
    /// How it is watched.
    pub rail: Option<String>,
    /// What wakes the session.
    pub trigger_id: Option<String>,
    /// Since when it is watched beyond the session.
    pub durable_since: Option<String>,
    /// The HTTP status of a refusal.
    pub status: Option<Count>,
    /// What the server said.
    pub detail: Option<String>,
    /// What the model should know.
    pub note: Option<String>,
    /// What the session is told of.
    pub events: Option<Vec<String>>,
}

/// A page is not watched any more.
#[wire]
pub struct ArtifactUnwatched {
    /// What came of it.
    pub unwatch: ArtifactUnwatch,
}

/// What came of watching a page no more.
#[wire]
pub struct ArtifactUnwatch {
    /// The page.
    pub url: String,
    /// Whether it was watched.
    pub was_watching: bool,
}

/// What is watched.
#[wire]
pub struct ArtifactWatches {
    /// All watches, or those of one page.
    pub watches: Vec<ArtifactWatch>,
    /// That page.
    pub filter_url: Option<String>,
    /// Watches that are being set up, or could not be.
    pub arms: Option<Vec<ArtifactArm>>,
}

by_key! {
    /// A page that is watched.
    ArtifactWatch {
        /// In a way that is named: beyond the session, or no more.
        "rail" Rail(ArtifactRailWatch),
        /// By a task of this session.
        "task_id" Live(ArtifactLiveWatch),
    }
}

/// A page that is watched by a task of this session.
#[wire]
pub struct ArtifactLiveWatch {
    /// The page.
    pub url: String,
    /// The background task that watches.
    pub task_id: String,
    /// Since when.
    pub since: Number,
    /// Whether it was asked for, and did not come with publishing.
    pub explicit: bool,
    /// Whether there is a connection.
    pub connected: bool,
    /// When the right to watch ends.
    pub token_expires_at: Number,
    /// Whether a connection is being made.
    pub connecting: Option<bool>,
    /// What began it.
    pub armed_via: Option<String>,
}

/// A page that is watched, or was, in a way that is named.
#[wire]
pub enum ArtifactRailWatch {
    /// Beyond the session.
    Durable(Box<ArtifactDurableWatch>),
    /// No more.
    Stopped(Box<ArtifactStoppedWatch>),
}

/// A page that is watched beyond the session, which is woken by it.
#[wire(tag(rail = "durable_wake"))]
pub struct ArtifactDurableWatch {
    /// The page.
    pub url: String,
    /// What wakes the session.
    pub trigger_id: String,
    /// Since when.
    pub since: String,
    /// What the session is told of.
    pub events: Option<Vec<String>>,
    /// Whether it is from before the session was resumed.
    pub restored: Option<bool>,
}

/// A page that a task of this session watches no more.
#[wire(tag(rail = "live_stopped"))]
pub struct ArtifactStoppedWatch {
    /// The page.
    pub url: String,
    /// Why it ended, as a word.
    pub stop_kind: String,
    /// Since when it was watched.
    pub since: Option<Number>,
    /// Whether it was asked for, and did not come with publishing.
    pub explicit: Option<bool>,
    /// What began it.
    pub armed_via: Option<String>,
}

/// A watch that is being set up, or could not be.
#[wire]
pub struct ArtifactArm {
    /// The page.
    pub url: String,
    /// How far it is, as a word.
    pub state: String,
    /// How it is to be watched.
    pub rail: Option<String>,
    /// Whether it was there before, and the connection is lost.
    pub reconnect: Option<bool>,
    /// How often it has failed.
    pub failures: Option<Count>,
    /// How often it may.
    pub max_failures: Option<Count>,
    /// When it is tried again, in seconds from now.
    pub next_in_s: Option<Number>,
    /// How it failed last.
    pub last_failure: Option<String>,
    /// Why it failed, as a word.
    pub reason: Option<String>,
    /// Why it failed.
    pub detail: Option<String>,
    /// What the server said.
    pub server_message: Option<String>,
    /// When that was.
    pub at: Option<Number>,
}
