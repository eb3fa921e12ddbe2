//! The hooks that settings files declare.

use crate::hook::HookOnFailure;
use crate::{Json, Map, Number};

/// The hooks for one event, and the matcher that selects when these hooks run.
#[wire]
pub struct SettingsHookMatcher {
    /// The matcher: a pattern that is compared with the subject of the event, most often a tool's name. If absent, the
    /// hooks run for every occurrence of the event.
    pub matcher: Option<String>,
    /// The hooks. They run in parallel.
    pub hooks: Vec<SettingsHook>,
}

/// A hook that a settings file declares.
#[wire]
pub enum SettingsHook {
    /// A hook that runs a shell command.
    Command(Box<CommandHook>),
    /// A hook that sends a prompt to a model.
    Prompt(Box<PromptHook>),
    /// A hook that sends a prompt to a sub-agent.
    Agent(Box<AgentHook>),
    /// A hook that sends an HTTP request.
    Http(Box<HttpHook>),
    /// A hook that calls a tool of an MCP server.
    McpTool(Box<McpToolHook>),
}

/// The settings about running that all kinds of hooks share.
#[wire(fields)]
struct HookRun {
    /// The message to show while the hook runs. Absent means the CLI's own message.
    pub status_message: Option<String>,
    /// Whether the hook runs only once in a session.
    pub once: Option<bool>,
}

/// A hook that runs a command. The command receives the hook's input as JSON on stdin.
#[wire(tag(type = "command"), rename_all = "camelCase")]
pub struct CommandHook {
    /// The command line for the shell. If `args` is present, this is the program to run instead.
    pub command: String,
    /// The arguments of the command. If they are present, the CLI runs the command without a shell.
    pub args: Option<Vec<String>>,
    /// A permission rule that the tool use must match for the hook to run. If absent, the hook runs for every tool use
    /// that its matcher selects.
    #[wire(rename = "if")]
    pub condition: Option<String>,
    /// The shell that runs the command. Absent means `bash`.
    pub shell: Option<HookShell>,
    /// The timeout of the hook, in seconds.
    pub timeout: Option<Number>,
    /// The action that the CLI takes if the hook fails. Absent means `continue`.
    pub on_failure: Option<HookOnFailure>,
    fields: HookRun!(),
    /// Whether the hook runs in the background, so that the CLI does not wait for it.
    #[wire(rename = "async")]
    pub is_async: Option<bool>,
    /// Whether the hook runs in the background and wakes the model if it exits with code 2.
    pub async_rewake: Option<bool>,
}

/// The condition and the timeout of a hook.
#[wire(fields)]
struct HookLimits {
    /// A permission rule that the tool use must match for the hook to run. If absent, the hook runs for every tool use
    /// that its matcher selects.
    #[wire(rename = "if")]
    pub condition: Option<String>,
    /// The timeout of the hook, in seconds.
    pub timeout: Option<Number>,
}

/// A hook that asks a model.
#[wire(tag(type = "prompt"), rename_all = "camelCase")]
pub struct PromptHook {
    /// The prompt. In the prompt, the CLI replaces `$ARGUMENTS` with the hook's input.
    pub prompt: String,
    fields: HookLimits!(),
    /// The name of the model that runs the hook. Absent means a small, fast model.
    pub model: Option<String>,
    /// Whether the model continues after the hook has blocked an action. The model then receives the hook's reason as
    /// feedback. If absent or `false`, the turn ends.
    pub continue_on_block: Option<bool>,
    fields: HookRun!(),
}

/// A hook that runs a sub-agent.
#[wire(tag(type = "agent"), rename_all = "camelCase")]
pub struct AgentHook {
    /// The prompt. In the prompt, the CLI replaces `$ARGUMENTS` with the hook's input.
    pub prompt: String,
    fields: HookLimits!(),
    /// The name of the model that runs the hook. Absent means a small, fast model.
    pub model: Option<String>,
    fields: HookRun!(),
}

/// A hook that sends an HTTP request. The server receives the hook's input as JSON.
#[wire(tag(type = "http"), rename_all = "camelCase")]
pub struct HttpHook {
    /// The URL to which the CLI sends the request.
    pub url: String,
    fields: HookLimits!(),
    /// The action that the CLI takes if the hook fails. Absent means `continue`.
    pub on_failure: Option<HookOnFailure>,
    /// The HTTP headers of the request. In a header's value, `$NAME` is replaced with the value of the environment
    /// variable `NAME` if `allowedEnvVars` contains this variable.
    #[wire(secret)]
    pub headers: Option<Map<String>>,
    /// The environment variables that may be used in the headers. The CLI replaces all other variables with an empty
    /// text. If absent, no variable may be used.
    pub allowed_env_vars: Option<Vec<String>>,
    fields: HookRun!(),
}

/// A hook that calls a tool of an MCP server.
#[wire(tag(type = "mcp_tool"), rename_all = "camelCase")]
pub struct McpToolHook {
    /// The name of the MCP server.
    pub server: String,
    /// The name that the MCP server gives the tool.
    pub tool: String,
    /// The input of the tool. The CLI replaces placeholders such as `${tool_input.path}` with values of the hook's
    /// input.
    pub input: Option<Json>,
    fields: HookLimits!(),
    /// The action that the CLI takes if the hook fails. Absent means `continue`.
    pub on_failure: Option<HookOnFailure>,
    fields: HookRun!(),
}

/// A shell that runs commands.
#[wire(open)]
pub enum HookShell {
    /// Commands run in the Bash shell.
    Bash = "bash",
    /// Commands run in PowerShell.
    PowerShell = "powershell",
}
