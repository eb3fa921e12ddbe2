//! Hook events of a session: its start and end, prompts, the end of turns, compaction, and switches to another model.

use super::base::{HookPlace, HookPrompt, HookTurn, SubagentHookTurn};
use crate::message::{AssistantMessageError, CompactTrigger};
use crate::{Count, Number};

/// The hook input for a notification to the user: for example, a permission is requested, or the session waits for
/// input.
#[wire(tag(hook_event_name = "Notification"))]
pub struct NotificationInput {
    fields: HookPlace!(),
    /// The text of the notification.
    pub message: String,
    /// The title of the notification. Absent if the notification has no title.
    pub title: Option<String>,
    /// The kind of notification, such as `permission_prompt` or `idle_prompt`.
    pub notification_type: String,
    fields: HookTurn!(),
}

/// The hook input for a submitted prompt that the model has not seen yet.
#[wire(tag(hook_event_name = "UserPromptSubmit"))]
pub struct UserPromptSubmitInput {
    fields: HookPlace!(),
    /// The text of the prompt.
    pub prompt: String,
    /// The source of the prompt.
    pub source: Option<PromptSource>,
    /// The title of the session.
    pub session_title: Option<String>,
    fields: HookTurn!(),
}

/// The source of a prompt.
#[wire(open)]
pub enum PromptSource {
    /// The user wrote the prompt.
    User = "user",
    /// The host wrote the prompt.
    Sdk = "sdk",
    /// The CLI wrote the prompt.
    System = "system",
    /// The prompt is the next round of a loop.
    LoopWakeup = "loop_wakeup",
    /// The prompt is a scheduled wake-up.
    ScheduleWakeup = "schedule_wakeup",
    /// The prompt reports an event that the session waited for.
    PollEvent = "poll_event",
}

/// The kind of command that was expanded into a prompt.
#[wire(open)]
pub enum ExpansionType {
    /// A slash command of the session.
    SlashCommand = "slash_command",
    /// A prompt of an MCP server.
    McpPrompt = "mcp_prompt",
}

/// The hook input for a command that was expanded into a prompt.
#[wire(tag(hook_event_name = "UserPromptExpansion"))]
pub struct UserPromptExpansionInput {
    fields: HookPlace!(),
    /// The kind of command.
    pub expansion_type: ExpansionType,
    /// The name of the command.
    pub command_name: String,
    /// The arguments of the command.
    pub command_args: String,
    /// The origin of the command, such as `plugin`.
    pub command_source: Option<String>,
    /// The prompt into which the command was expanded.
    pub prompt: String,
    fields: HookTurn!(),
}

/// The hook input for the start of a session, or for the start of a new conversation in a session.
#[wire(tag(hook_event_name = "SessionStart"))]
pub struct SessionStartInput {
    fields: HookPlace!(),
    /// The way in which the session begins.
    pub source: SessionStartSource,
    /// The model of the session.
    pub model: Option<String>,
    /// The title of the session.
    pub session_title: Option<String>,
    /// The time since the last response in the resumed conversation, in seconds. Sent only if the session is resumed or
    /// forked.
    pub seconds_since_last_response: Option<Number>,
    /// The number of tokens in the conversation.
    pub context_tokens: Option<Count>,
    /// Whether the API's prompt cache has most likely expired.
    pub prompt_cache_likely_expired: Option<bool>,
    /// The estimated cost of writing the prompt to the cache again, in US dollars.
    pub estimated_cache_write_usd: Option<Number>,
    fields: HookTurn!(),
}

/// The way in which a session begins.
#[wire(open)]
pub enum SessionStartSource {
    /// A new session is started.
    Startup = "startup",
    /// An earlier session is resumed.
    Resume = "resume",
    /// The conversation was cleared.
    Clear = "clear",
    /// The conversation was compacted.
    Compact = "compact",
    /// The session is a fork of another session.
    Fork = "fork",
}

/// The hook input for the end of a session.
#[wire(tag(hook_event_name = "SessionEnd"))]
pub struct SessionEndInput {
    fields: HookPlace!(),
    /// The reason why the session ends.
    pub reason: ExitReason,
    fields: HookTurn!(),
}

/// The reason why a session ends.
#[wire(open)]
pub enum ExitReason {
    /// The conversation is cleared.
    Clear = "clear",
    /// Another session is resumed.
    Resume = "resume",
    /// The user logs out.
    Logout = "logout",
    /// The user exits the CLI at its input prompt.
    PromptInputExit = "prompt_input_exit",
    /// Any other reason, such as the end of stdin.
    Other = "other",
    /// The permission mode `bypassPermissions` was disabled. Sent by older CLIs only.
    BypassPermissionsDisabled = "bypass_permissions_disabled",
}

/// The hook input after the model has finished, just before the turn ends.
#[wire(tag(hook_event_name = "Stop"))]
pub struct StopInput {
    fields: HookPlace!(),
    /// Whether a hook has already prevented the model from stopping in this turn. If hooks prevent it again and again,
    /// the turn never ends.
    pub stop_hook_active: bool,
    /// The text of the model's last answer.
    pub last_assistant_message: Option<String>,
    /// The tasks that still run in the background.
    pub background_tasks: Option<Vec<BackgroundTask>>,
    /// The schedules that will wake the session later.
    pub session_crons: Option<Vec<SessionCron>>,
    fields: HookTurn!(),
}

/// The hook input for a turn that ends with an API error. The output of the hook has no effect.
#[wire(tag(hook_event_name = "StopFailure"))]
pub struct StopFailureInput {
    fields: HookPlace!(),
    /// The kind of error.
    pub error: AssistantMessageError,
    /// The unchanged error message of the API. It can contain details that the text for the user lacks.
    pub error_details: Option<String>,
    /// The text of the model's last answer.
    pub last_assistant_message: Option<String>,
    fields: HookTurn!(),
}

/// The hook input for the start of a sub-agent.
#[wire(tag(hook_event_name = "SubagentStart"))]
pub struct SubagentStartInput {
    fields: HookPlace!(),
    fields: SubagentHookTurn!(),
}

/// The hook input for a sub-agent that has finished. Hooks are also called for internal helpers of
/// the CLI, such as the helpers of a compaction.
#[wire(tag(hook_event_name = "SubagentStop"))]
pub struct SubagentStopInput {
    fields: HookPlace!(),
    /// Whether a hook has already prevented this sub-agent from stopping.
    pub stop_hook_active: bool,
    /// The path of the sub-agent's own transcript.
    pub agent_transcript_path: String,
    /// The text of the sub-agent's last answer.
    pub last_assistant_message: Option<String>,
    /// The tasks that still run in the background.
    pub background_tasks: Option<Vec<BackgroundTask>>,
    /// The schedules that will wake the session later.
    pub session_crons: Option<Vec<SessionCron>>,
    fields: SubagentHookTurn!(),
}

/// A task that runs in the background. Long texts are cut off after 1,000 characters.
#[wire]
pub struct BackgroundTask {
    /// The ID of the task.
    pub id: String,
    /// The kind of task, such as `shell`, `subagent`, `monitor` or `workflow`.
    #[wire(rename = "type")]
    pub kind: String,
    /// The state of the task, such as `running`.
    pub status: String,
    /// A description of the task.
    pub description: String,
    /// The command line that a shell runs. Absent for a task that is not a shell.
    pub command: Option<String>,
    /// The type of the sub-agent. Absent for a task that is not a sub-agent.
    pub agent_type: Option<String>,
    /// The name of the MCP server. Absent for a task that uses no MCP server.
    pub server: Option<String>,
    /// The name of the MCP server's tool. Absent for a task that uses no MCP server.
    pub tool: Option<String>,
    /// The name of the workflow or the teammate. Absent for a task that is neither.
    pub name: Option<String>,
}

/// A schedule that will wake the session.
#[wire]
pub struct SessionCron {
    /// The ID of the schedule.
    pub id: String,
    /// The time or times at which the schedule wakes the session, as a cron expression.
    pub schedule: String,
    /// Whether the schedule repeats.
    pub recurring: bool,
    /// The prompt that the schedule will submit. Cut off after 1,000 characters.
    pub prompt: String,
}

/// The hook input for a conversation that is about to be compacted.
#[wire(tag(hook_event_name = "PreCompact"))]
pub struct PreCompactInput {
    fields: HookPlace!(),
    /// The cause of the compaction: a request of the user, or a full context.
    pub trigger: CompactTrigger,
    /// The user's instructions for the summary. Null if the user gave none.
    #[wire(nullable)]
    pub custom_instructions: Option<String>,
    fields: HookTurn!(),
}

/// The hook input for a conversation that was compacted.
#[wire(tag(hook_event_name = "PostCompact"))]
pub struct PostCompactInput {
    fields: HookPlace!(),
    /// The cause of the compaction: a request of the user, or a full context.
    pub trigger: CompactTrigger,
    /// The summary that replaces the conversation.
    pub compact_summary: String,
    fields: HookTurn!(),
}

/// A change of the model.
#[wire(fields)]
struct ModelSwitch {
    /// The model before the switch.
    pub from_model: String,
    /// The model after the switch.
    pub to_model: String,
    /// The requested model: a name or an alias. Null for the default model.
    #[wire(nullable)]
    pub requested_model: Option<String>,
    /// The cause of the switch to another model: the user, the host, the CLI or a resumed session.
    pub source: ModelSwitchSource,
    /// The number of tokens in the conversation.
    pub context_tokens: Count,
    /// Whether the API's prompt cache still holds the prompt for the model before the switch.
    pub prompt_cache_warm: bool,
    /// The time for which the API's prompt cache keeps an entry.
    pub cache_ttl: CacheTtl,
    /// The estimated cost of writing the prompt to the new model's cache, in US dollars.
    pub estimated_cache_write_usd: Number,
    /// How the CLI determined the model's price: from the settings, from the list of models, or as a default estimate.
    pub pricing: PricingSource,
}

/// The hook input for an upcoming switch to another model. The CLI can call the hook more than once for one switch:
/// once for each model that it tries.
#[wire(tag(hook_event_name = "PreModelSwitch"))]
pub struct PreModelSwitchInput {
    fields: HookPlace!(),
    fields: ModelSwitch!(),
    fields: HookTurn!(),
}

/// The hook input for a completed switch to another model.
#[wire(tag(hook_event_name = "PostModelSwitch"))]
pub struct PostModelSwitchInput {
    fields: HookPlace!(),
    fields: ModelSwitch!(),
    fields: HookTurn!(),
}

/// The cause of the switch to another model: the user, the host, the CLI or a resumed session.
#[wire(open)]
pub enum ModelSwitchSource {
    /// The user switched the model with a command.
    Command = "command",
    /// The user chose the model from a list.
    Picker = "picker",
    /// The host requested the switch.
    Sdk = "sdk",
    /// The CLI switched the model by itself.
    Auto = "auto",
    /// A session was resumed that uses another model.
    Resume = "resume",
}

/// The time for which the API's prompt cache keeps an entry.
#[wire(open)]
pub enum CacheTtl {
    /// A lifetime of five minutes.
    FiveMinutes = "5m",
    /// A lifetime of one hour.
    OneHour = "1h",
}

/// How the CLI determined the price of a model.
#[wire(open)]
pub enum PricingSource {
    /// The settings define the price.
    Configured = "configured",
    /// The list of models contains the price.
    Catalog = "catalog",
    /// The price is a default estimate.
    Default = "default",
}

/// The hook input for the first set-up of a project, or for its later maintenance.
#[wire(tag(hook_event_name = "Setup"))]
pub struct SetupInput {
    fields: HookPlace!(),
    /// Whether the project is set up for the first time or maintained.
    pub trigger: SetupTrigger,
    fields: HookTurn!(),
}

/// Whether a project is set up for the first time or maintained.
#[wire(open)]
pub enum SetupTrigger {
    /// The project is set up for the first time.
    Init = "init",
    /// The project is maintained.
    Maintenance = "maintenance",
}
