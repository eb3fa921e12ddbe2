//! Events of a session: its start and end, prompts, stops, compaction, change of the model.

use super::base::{HookPlace, HookPrompt, HookTurn, SubagentHookTurn};
use crate::message::{AssistantMessageError, CompactTrigger};
use crate::{Count, Number};

/// The user should look: a permission is asked for, or the session waits.
#[wire(tag(hook_event_name = "Notification"))]
pub struct NotificationInput {
    fields: HookPlace!(),
    /// What is said.
    pub message: String,
    /// Its title.
    pub title: Option<String>,
    /// What it is about: `permission_prompt`, `idle_prompt` ….
    pub notification_type: String,
    fields: HookTurn!(),
}

/// A prompt came; the model has not seen it.
#[wire(tag(hook_event_name = "UserPromptSubmit"))]
pub struct UserPromptSubmitInput {
    fields: HookPlace!(),
    /// What it says.
    pub prompt: String,
    /// Who wrote it.
    pub source: Option<PromptSource>,
    /// The session's title.
    pub session_title: Option<String>,
    fields: HookTurn!(),
}

/// Who wrote a prompt.
#[wire(open)]
pub enum PromptSource {
    /// The user.
    User = "user",
    /// The host.
    Sdk = "sdk",
    /// The CLI.
    System = "system",
    /// A loop that comes round.
    LoopWakeup = "loop_wakeup",
    /// A schedule that is due.
    ScheduleWakeup = "schedule_wakeup",
    /// An event that was waited for.
    PollEvent = "poll_event",
}

/// What was turned into a prompt.
#[wire(open)]
pub enum ExpansionType {
    /// A slash command.
    SlashCommand = "slash_command",
    /// A prompt of an MCP server.
    McpPrompt = "mcp_prompt",
}

/// A command was turned into a prompt.
#[wire(tag(hook_event_name = "UserPromptExpansion"))]
pub struct UserPromptExpansionInput {
    fields: HookPlace!(),
    /// Of what sort it is.
    pub expansion_type: ExpansionType,
    /// Its name.
    pub command_name: String,
    /// What it was given.
    pub command_args: String,
    /// Where it comes from.
    pub command_source: Option<String>,
    /// The prompt that it became.
    pub prompt: String,
    fields: HookTurn!(),
}

/// A session begins, or its conversation does anew.
#[wire(tag(hook_event_name = "SessionStart"))]
pub struct SessionStartInput {
    fields: HookPlace!(),
    /// Why.
    pub source: SessionStartSource,
    /// The model.
    pub model: Option<String>,
    /// The session's title.
    pub session_title: Option<String>,
    /// Where it is gone on with: how long ago the last answer was, in seconds.
    pub seconds_since_last_response: Option<Number>,
    /// How many tokens the conversation has.
    pub context_tokens: Option<Count>,
    /// The API has most likely forgotten the prompt by now.
    pub prompt_cache_likely_expired: Option<bool>,
    /// What it would cost to have it remembered again, in US dollars.
    pub estimated_cache_write_usd: Option<Number>,
    fields: HookTurn!(),
}

/// Why a session begins.
#[wire(open)]
pub enum SessionStartSource {
    /// It is new.
    Startup = "startup",
    /// It is gone on with.
    Resume = "resume",
    /// The conversation was thrown away.
    Clear = "clear",
    /// The conversation was compacted.
    Compact = "compact",
    /// It goes on from another one.
    Fork = "fork",
}

/// A session ends.
#[wire(tag(hook_event_name = "SessionEnd"))]
pub struct SessionEndInput {
    fields: HookPlace!(),
    /// Why.
    pub reason: ExitReason,
    fields: HookTurn!(),
}

/// Why a session ends.
#[wire(open)]
pub enum ExitReason {
    /// The conversation is thrown away.
    Clear = "clear",
    /// Another session is gone on with.
    Resume = "resume",
    /// The user logs out.
    Logout = "logout",
    /// The user leaves at the prompt.
    PromptInputExit = "prompt_input_exit",
    /// Anything else, the end of stdin among it.
    Other = "other",
    /// Older CLIs: the mode `bypassPermissions` was taken away.
    BypassPermissionsDisabled = "bypass_permissions_disabled",
}

/// The model has finished: the turn would end here.
#[wire(tag(hook_event_name = "Stop"))]
pub struct StopInput {
    fields: HookPlace!(),
    /// A hook has already kept it from stopping. To keep it again may never end.
    pub stop_hook_active: bool,
    /// The text of its last answer.
    pub last_assistant_message: Option<String>,
    /// What still runs in the background.
    pub background_tasks: Option<Vec<BackgroundTask>>,
    /// What will wake the session later.
    pub session_crons: Option<Vec<SessionCron>>,
    fields: HookTurn!(),
}

/// The turn ends with an error of the API's. Nothing that a hook says changes that.
#[wire(tag(hook_event_name = "StopFailure"))]
pub struct StopFailureInput {
    fields: HookPlace!(),
    /// What kind of error.
    pub error: AssistantMessageError,
    /// More about it.
    pub error_details: Option<String>,
    /// The text of the last answer.
    pub last_assistant_message: Option<String>,
    fields: HookTurn!(),
}

/// A sub-agent begins.
#[wire(tag(hook_event_name = "SubagentStart"))]
pub struct SubagentStartInput {
    fields: HookPlace!(),
    fields: SubagentHookTurn!(),
}

/// A sub-agent has finished. The CLI's own helpers count too: compaction sends these.
#[wire(tag(hook_event_name = "SubagentStop"))]
pub struct SubagentStopInput {
    fields: HookPlace!(),
    /// A hook has already kept it from stopping.
    pub stop_hook_active: bool,
    /// The sub-agent's own file.
    pub agent_transcript_path: String,
    /// The text of its last answer.
    pub last_assistant_message: Option<String>,
    /// What still runs in the background.
    pub background_tasks: Option<Vec<BackgroundTask>>,
    /// What will wake the session later.
    pub session_crons: Option<Vec<SessionCron>>,
    fields: SubagentHookTurn!(),
}

/// Something that runs in the background. Long texts are cut after 1,000 characters.
#[wire]
pub struct BackgroundTask {
    /// Names it.
    pub id: String,
    /// Of what sort it is: a shell, an agent, ….
    #[wire(rename = "type")]
    pub kind: String,
    /// How it is with it.
    pub status: String,
    /// What it is for.
    pub description: String,
    /// The command, of a shell.
    pub command: Option<String>,
    /// The kind of agent.
    pub agent_type: Option<String>,
    /// The MCP server.
    pub server: Option<String>,
    /// The MCP server's tool.
    pub tool: Option<String>,
    /// The name of a workflow, or of a teammate.
    pub name: Option<String>,
}

/// Something that will wake the session.
#[wire]
pub struct SessionCron {
    /// Names it.
    pub id: String,
    /// When, in the manner of cron.
    pub schedule: String,
    /// Again and again.
    pub recurring: bool,
    /// What it will say. Cut after 1,000 characters.
    pub prompt: String,
}

/// The conversation is about to be compacted.
#[wire(tag(hook_event_name = "PreCompact"))]
pub struct PreCompactInput {
    fields: HookPlace!(),
    /// Who wants it.
    pub trigger: CompactTrigger,
    /// What the user wants kept; null where nothing was said.
    #[wire(nullable)]
    pub custom_instructions: Option<String>,
    fields: HookTurn!(),
}

/// The conversation was compacted.
#[wire(tag(hook_event_name = "PostCompact"))]
pub struct PostCompactInput {
    fields: HookPlace!(),
    /// Who wanted it.
    pub trigger: CompactTrigger,
    /// What is left of it.
    pub compact_summary: String,
    fields: HookTurn!(),
}

/// A change of the model.
#[wire(fields)]
struct ModelSwitch {
    /// The model that was at work.
    pub from_model: String,
    /// The model that comes.
    pub to_model: String,
    /// What was asked for: a name or alias; null for the default.
    #[wire(nullable)]
    pub requested_model: Option<String>,
    /// Who asked for it.
    pub source: ModelSwitchSource,
    /// How many tokens the conversation has.
    pub context_tokens: Count,
    /// The API still remembers the prompt, for the model that was at work.
    pub prompt_cache_warm: bool,
    /// How long it remembers a prompt.
    pub cache_ttl: CacheTtl,
    /// What it costs to have the prompt remembered for the other, in US dollars.
    pub estimated_cache_write_usd: Number,
    /// Where that price comes from.
    pub pricing: PricingSource,
}

/// The model is about to be changed. May come more than once for one change, with the models
/// that are tried.
#[wire(tag(hook_event_name = "PreModelSwitch"))]
pub struct PreModelSwitchInput {
    fields: HookPlace!(),
    fields: ModelSwitch!(),
    fields: HookTurn!(),
}

/// The model was changed.
#[wire(tag(hook_event_name = "PostModelSwitch"))]
pub struct PostModelSwitchInput {
    fields: HookPlace!(),
    fields: ModelSwitch!(),
    fields: HookTurn!(),
}

/// Who changes the model.
#[wire(open)]
pub enum ModelSwitchSource {
    /// The user, with a command.
    Command = "command",
    /// The user, out of a list.
    Picker = "picker",
    /// The host.
    Sdk = "sdk",
    /// The CLI.
    Auto = "auto",
    /// The session that is gone on with.
    Resume = "resume",
}

/// How long the API remembers a prompt.
#[wire(open)]
pub enum CacheTtl {
    /// Five minutes.
    FiveMinutes = "5m",
    /// An hour.
    OneHour = "1h",
}

/// Where a price comes from.
#[wire(open)]
pub enum PricingSource {
    /// The settings.
    Configured = "configured",
    /// The list of models.
    Catalog = "catalog",
    /// Nowhere: it is guessed.
    Default = "default",
}

/// The CLI sets a project up, or looks after it.
#[wire(tag(hook_event_name = "Setup"))]
pub struct SetupInput {
    fields: HookPlace!(),
    /// Why.
    pub trigger: SetupTrigger,
    fields: HookTurn!(),
}

/// Why a project is set up.
#[wire(open)]
pub enum SetupTrigger {
    /// It is new.
    Init = "init",
    /// It is looked after.
    Maintenance = "maintenance",
}
