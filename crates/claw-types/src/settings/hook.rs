//! Hooks as settings declare them.

use crate::hook::HookOnFailure;
use crate::{Json, Map, Number};

/// Hooks for one event, and what of it they are called for.
#[wire]
pub struct SettingsHookMatcher {
    /// What they are called for, of what the event is about (a tool's name, mostly); absent for
    /// everything.
    pub matcher: Option<String>,
    /// The hooks. They run at the same time.
    pub hooks: Vec<SettingsHook>,
}

/// A hook of a settings file.
#[wire]
pub enum SettingsHook {
    /// A command.
    Command(Box<CommandHook>),
    /// A question to a model.
    Prompt(Box<PromptHook>),
    /// A task for a sub-agent.
    Agent(Box<AgentHook>),
    /// A call of a server.
    Http(Box<HttpHook>),
    /// A tool of an MCP server.
    McpTool(Box<McpToolHook>),
}

/// How a hook is run.
#[wire(fields)]
struct HookRun {
    /// What is shown while it runs.
    pub status_message: Option<String>,
    /// It is called once a session.
    pub once: Option<bool>,
}

/// A hook that is a command. It is told of the event as JSON on stdin.
#[wire(tag(type = "command"), rename_all = "camelCase")]
pub struct CommandHook {
    /// The command.
    pub command: String,
    /// What it is given. Without a shell, then.
    pub args: Option<Vec<String>>,
    /// A permission rule that a tool's use has to fit.
    #[wire(rename = "if")]
    pub condition: Option<String>,
    /// The shell; absent for `bash`.
    pub shell: Option<HookShell>,
    /// How long it may take, in seconds.
    pub timeout: Option<Number>,
    /// What happens where it fails.
    pub on_failure: Option<HookOnFailure>,
    fields: HookRun!(),
    /// Nobody waits for it.
    #[wire(rename = "async")]
    pub is_async: Option<bool>,
    /// Nobody waits for it, but with the exit code 2 it has the model go on.
    pub async_rewake: Option<bool>,
}

/// When a hook runs, and for how long.
#[wire(fields)]
struct HookLimits {
    /// A permission rule that a tool's use has to fit.
    #[wire(rename = "if")]
    pub condition: Option<String>,
    /// How long it may take, in seconds.
    pub timeout: Option<Number>,
}

/// A hook that is a question to a model.
#[wire(tag(type = "prompt"), rename_all = "camelCase")]
pub struct PromptHook {
    /// The question. `$ARGUMENTS` becomes what is known of the event.
    pub prompt: String,
    fields: HookLimits!(),
    /// The model; absent for a small one.
    pub model: Option<String>,
    /// Where it says no, the model goes on and is told why.
    pub continue_on_block: Option<bool>,
    fields: HookRun!(),
}

/// A hook that is a task for a sub-agent.
#[wire(tag(type = "agent"), rename_all = "camelCase")]
pub struct AgentHook {
    /// The task. `$ARGUMENTS` becomes what is known of the event.
    pub prompt: String,
    fields: HookLimits!(),
    /// The model; absent for a small one.
    pub model: Option<String>,
    fields: HookRun!(),
}

/// A hook that is a call of a server. It is told of the event as JSON.
#[wire(tag(type = "http"), rename_all = "camelCase")]
pub struct HttpHook {
    /// The address.
    pub url: String,
    fields: HookLimits!(),
    /// What happens where it fails.
    pub on_failure: Option<HookOnFailure>,
    /// Headers. `$NAME` becomes a variable that the next allows.
    #[wire(secret)]
    pub headers: Option<Map<String>>,
    /// Variables for the headers.
    pub allowed_env_vars: Option<Vec<String>>,
    fields: HookRun!(),
}

/// A hook that is a tool of an MCP server.
#[wire(tag(type = "mcp_tool"), rename_all = "camelCase")]
pub struct McpToolHook {
    /// The server.
    pub server: String,
    /// The tool, by its name on the server.
    pub tool: String,
    /// What it is given. Texts such as `${tool_input.path}` become what is known of the event.
    pub input: Option<Json>,
    fields: HookLimits!(),
    /// What happens where it fails.
    pub on_failure: Option<HookOnFailure>,
    fields: HookRun!(),
}

/// A shell that runs commands.
#[wire(open)]
pub enum HookShell {
    /// bash.
    Bash = "bash",
    /// PowerShell.
    PowerShell = "powershell",
}
