//! Outputs of the `Artifact` tool about watches of artifacts.

use crate::by_key::by_key;
use crate::{Count, Number};

/// Output of the `Artifact` tool after starting to watch an artifact.
#[wire]
pub struct ArtifactWatching {
    /// The result of starting the watch.
    pub watch: ArtifactWatchStarted,
}

/// The result of starting to watch an artifact.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire]
pub struct ArtifactWatchStarted {
    /// The URL of the artifact.
    pub url: String,
    /// Whether the session now watches the artifact.
    pub watching: bool,
    /// A code for the outcome of the attempt to start the watch. The CLI does not document its codes.
    pub outcome: String,
    /// The reason for this outcome of the attempt to start the watch.
    pub reason: Option<String>,
    /// The reason why the watch does not outlive the session. The CLI does not document its values.
    pub durable_skip_reason: Option<String>,
    /// The ID of the background task that watches the artifact.
    pub task_id: Option<String>,
    /// The time at which the watch began.
    pub since: Option<Number>,
    /// The time at which the watch's token expires.
    pub token_expires_at: Option<Number>,
    /// The kind of watch, such as `durable_wake` for a watch that outlives the session.
    pub rail: Option<String>,
    /// The ID of the trigger that wakes the session.
    pub trigger_id: Option<String>,
    /// The time at which the durable watch began. A durable watch outlives the session.
    pub durable_since: Option<String>,
    /// The HTTP status code with which Anthropic's server refused to start the watch.
    pub status: Option<Count>,
    /// The explanation by Anthropic's server of why it refused to start the watch.
    pub detail: Option<String>,
    /// A note for the model.
    pub note: Option<String>,
    /// The kinds of events that are reported to the session.
    pub events: Option<Vec<String>>,
}

/// Output of the `Artifact` tool after ending the watch of an artifact.
#[wire]
pub struct ArtifactUnwatched {
    /// The result of stopping the watch.
    pub unwatch: ArtifactUnwatch,
}

/// The result of ending the watch of an artifact.
#[wire]
pub struct ArtifactUnwatch {
    /// The URL of the artifact.
    pub url: String,
    /// Whether the artifact was watched before.
    pub was_watching: bool,
}

/// Output of the `Artifact` tool after listing the watches of artifacts.
#[wire]
pub struct ArtifactWatches {
    /// The watches of all artifacts, or of one artifact.
    pub watches: Vec<ArtifactWatch>,
    /// The URL of the artifact to which the list is limited.
    pub filter_url: Option<String>,
    /// Watches that are being set up or could not be set up.
    pub arms: Option<Vec<ArtifactArm>>,
}

by_key! {
    /// A watch of an artifact.
    ArtifactWatch {
        /// A watch that names its kind: a watch that outlives the session, or a watch that has
        /// stopped.
        "rail" Rail(ArtifactRailWatch),
        /// A watch that a background task of this session runs.
        "task_id" Live(ArtifactLiveWatch),
    }
}

/// A watch of an artifact that a background task of this session runs.
#[wire]
pub struct ArtifactLiveWatch {
    /// The URL of the artifact.
    pub url: String,
    /// The ID of the background task that watches the artifact.
    pub task_id: String,
    /// The time at which the watch began.
    pub since: Number,
    /// Whether the watch was requested explicitly. If `false`, the watch began when the session published the artifact.
    pub explicit: bool,
    /// Whether the watch is connected.
    pub connected: bool,
    /// The time at which the watch's token expires.
    pub token_expires_at: Number,
    /// Whether the watch is currently connecting.
    pub connecting: Option<bool>,
    /// The action that began the watch. The CLI does not document its values.
    pub armed_via: Option<String>,
}

/// A watch of an artifact. The field `rail` names the kind of watch.
#[wire]
pub enum ArtifactRailWatch {
    /// A watch that outlives the session.
    Durable(Box<ArtifactDurableWatch>),
    /// A watch that has stopped.
    Stopped(Box<ArtifactStoppedWatch>),
}

/// A watch of an artifact that outlives the session and can wake it.
#[wire(tag(rail = "durable_wake"))]
pub struct ArtifactDurableWatch {
    /// The URL of the artifact.
    pub url: String,
    /// The ID of the trigger that wakes the session.
    pub trigger_id: String,
    /// The time at which the watch began.
    pub since: String,
    /// The kinds of events that are reported to the session.
    pub events: Option<Vec<String>>,
    /// Whether the watch existed before the session was resumed.
    pub restored: Option<bool>,
}

/// A watch of an artifact that has stopped. A background task of this session ran the watch.
#[wire(tag(rail = "live_stopped"))]
pub struct ArtifactStoppedWatch {
    /// The URL of the artifact.
    pub url: String,
    /// The reason why the watch stopped, as a code. The CLI does not document its codes.
    pub stop_kind: String,
    /// The time at which the watch began.
    pub since: Option<Number>,
    /// Whether the watch was requested explicitly. If `false`, the watch began when the session published the artifact.
    pub explicit: Option<bool>,
    /// The action that began the watch. The CLI does not document its values.
    pub armed_via: Option<String>,
}

/// A watch of an artifact that is still being set up, or that could not be set up.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire]
pub struct ArtifactArm {
    /// The URL of the artifact.
    pub url: String,
    /// The state of the setup, as a code. The CLI does not document its codes.
    pub state: String,
    /// The kind of watch, such as `durable_wake` for a watch that outlives the session.
    pub rail: Option<String>,
    /// Whether an existing watch that lost its connection is being reconnected.
    pub reconnect: Option<bool>,
    /// The number of failed attempts to set up the watch.
    pub failures: Option<Count>,
    /// The number of failed attempts to set up the watch after which the CLI gives up.
    pub max_failures: Option<Count>,
    /// The time until the next attempt to set up the watch, in seconds.
    pub next_in_s: Option<Number>,
    /// The error of the last failed attempt to set up the watch.
    pub last_failure: Option<String>,
    /// The reason why the setup failed, as a code. The CLI does not document its codes.
    pub reason: Option<String>,
    /// The reason why the setup failed, in words.
    pub detail: Option<String>,
    /// The explanation of the failure by Anthropic's server.
    pub server_message: Option<String>,
    /// The time at which the setup failed.
    pub at: Option<Number>,
}
