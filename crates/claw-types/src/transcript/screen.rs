//! `system` entries for what the interactive CLI shows on its screen. No recording of the CLI in print mode has them.

use crate::{Count, MessageUuid, Number};

use super::chain::{ChainLink, ChainPlace};

/// A transcript entry for the duration of a turn. The interactive CLI writes it at the end of the turn.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(
    tag(type = "system", subtype = "turn_duration"),
    rename_all = "camelCase"
)]
pub struct TurnDurationEntry {
    fields: ChainPlace!(),
    /// The elapsed time of the turn, in milliseconds.
    pub duration_ms: Number,
    /// The number of output tokens of the turn that count towards its token budget.
    pub budget_tokens: Option<Count>,
    /// The token budget of the turn.
    pub budget_limit: Option<Count>,
    /// The number of times that the CLI asked the model to continue and use more of the budget.
    pub budget_nudges: Option<Count>,
    /// The number of messages in the conversation.
    pub message_count: Option<Count>,
    /// The number of sub-agents that still run in the background.
    pub pending_background_agent_count: Option<Count>,
    /// The number of workflows that still run.
    pub pending_workflow_count: Option<Count>,
    fields: ChainLink!(),
}

/// A transcript entry with a summary of what happened while the person was away.
#[wire(
    tag(type = "system", subtype = "away_summary"),
    rename_all = "camelCase"
)]
pub struct AwaySummaryEntry {
    fields: ChainPlace!(),
    /// The text of the summary.
    pub content: String,
    fields: ChainLink!(),
}

/// A transcript entry for memories that were saved.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(
    tag(type = "system", subtype = "memory_saved"),
    rename_all = "camelCase"
)]
pub struct MemorySavedEntry {
    fields: ChainPlace!(),
    /// The paths of the memory files that were written.
    pub written_paths: Vec<String>,
    /// The number of the written files that belong to the team.
    pub team_count: Option<Count>,
    /// A verb that says what happened to the memories. If it is absent, the memories were saved.
    pub verb: Option<String>,
    fields: ChainLink!(),
}

/// A transcript entry for the end of all sub-agents in the background, for example by an interrupt.
#[wire(
    tag(type = "system", subtype = "agents_killed"),
    rename_all = "camelCase"
)]
pub struct AgentsKilledEntry {
    fields: ChainPlace!(),
    fields: ChainLink!(),
}

/// A transcript entry for denied commands that are retried, because the permission mode has changed and now allows them.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(
    tag(type = "system", subtype = "permission_retry"),
    rename_all = "camelCase"
)]
pub struct PermissionRetryEntry {
    fields: ChainPlace!(),
    /// A text that describes the retry.
    pub content: String,
    /// The commands, in the form in which they are displayed.
    pub commands: Vec<String>,
    /// Whether the model learns of the retry with the next prompt.
    #[wire(rename = "heardAtNextPrompt")]
    pub known_at_next_prompt: Option<bool>,
    /// The severity of the entry, such as `info` or `warning`.
    pub level: Option<String>,
    fields: ChainLink!(),
}

/// A transcript entry that names the address at which the session can be used from another device
/// (`/remote-control`).
#[wire(
    tag(type = "system", subtype = "bridge_status"),
    rename_all = "camelCase"
)]
pub struct BridgeStatusEntry {
    fields: ChainPlace!(),
    /// The text that is shown to a person.
    pub content: String,
    /// The URL of the session.
    pub url: Option<String>,
    fields: ChainLink!(),
}

/// A transcript entry about the session's counterpart in Anthropic's cloud.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(
    tag(type = "system", subtype = "cloud_session_status"),
    rename_all = "camelCase"
)]
pub struct CloudSessionStatusEntry {
    fields: ChainPlace!(),
    /// The text that is shown to a person.
    pub content: String,
    /// The way in which the screen shows the entry, such as `hidden`.
    pub entry: Option<String>,
    /// The URL of the session.
    pub url: Option<String>,
    /// The severity of the entry, such as `notice`.
    pub level: Option<String>,
    fields: ChainLink!(),
}

/// A transcript entry for the start of a scheduled prompt.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(
    tag(type = "system", subtype = "scheduled_task_fire"),
    rename_all = "camelCase"
)]
pub struct ScheduledTaskFireEntry {
    fields: ChainPlace!(),
    /// A text that describes the scheduled prompt.
    pub content: String,
    /// The ID of the schedule.
    pub task_id: Option<String>,
    /// The times of the schedule, as a cron expression.
    pub cron: Option<String>,
    /// The beginning of the scheduled prompt.
    pub prompt: Option<String>,
    /// The kind of schedule: `loop` for a prompt that is repeated. Absent for all others.
    pub task_kind: Option<String>,
    /// The kind of times that the cron expression describes.
    pub cron_kind: Option<String>,
    /// The number of runs in a row that had nothing to do. Absent if the last run had something to do.
    pub no_op_streak: Option<Count>,
    /// The time at which those runs began, in milliseconds since 1970-01-01 UTC.
    pub streak_started_at: Option<Number>,
    /// The UUIDs of the entries of earlier runs that the screen shows as a part of this entry.
    pub folded_uuids: Option<Vec<MessageUuid>>,
    fields: ChainLink!(),
}

/// A transcript entry for a switch to another model. The requested model needs the person's consent. Either the person
/// did not consent, or the model could not be used in spite of the consent.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(
    tag(type = "system", subtype = "model_consent_fallback"),
    rename_all = "camelCase"
)]
pub struct ModelConsentFallbackEntry {
    fields: ChainPlace!(),
    /// The text that is shown to a person.
    pub content: String,
    /// The severity of the entry: `warning`.
    pub level: Option<String>,
    /// The person's decision about the requested model, such as `switch_default` or `cancelled`.
    pub choice: String,
    /// The model that was requested.
    pub original_model: String,
    /// The display name of the model that was requested.
    pub original_model_name: Option<String>,
    /// The model that responds instead.
    pub fallback_model: String,
    /// Whether the model that responds instead also becomes the default model.
    pub persisted_as_default: bool,
    fields: ChainLink!(),
}
