//! Control requests and the types of their responses.

use serde::de::DeserializeOwned;

use super::{
    ApplyFlagSettings, BackgroundTasks, CanUseTool, CancelAsyncMessage, ChannelEnable, Elicitation,
    EndSession, ExportConversation, FileSuggestions, GenerateSessionTitle, GetBinaryVersion,
    GetContextUsage, GetHooksListing, GetPlan, GetSessionCost, GetSettings, GetTaskOutput,
    GetUsage, GetWorkspaceDiff, HookCallback, Initialize, Interrupt, ListModels,
    ListPermissionRules, McpAuthenticate, McpCall, McpClearAuth, McpMessage, McpOauthCallbackUrl,
    McpReadResource, McpReconnect, McpSetServers, McpStatus, McpToggle, ReadFile, RegisterRepoRoot,
    ReloadOutputStyles, ReloadPlugins, ReloadSkills, RenameSession, RequestUserDialog, RewindFiles,
    SeedReadState, SetColor, SetCwd, SetHasSubscribers, SetMaxThinkingTokens,
    SetMcpPermissionModeOverride, SetModel, SetPermissionMode, SetPromptSuggestionsPaused,
    SideQuestion, StopTask, UpdateSettings,
};
use crate::RequestId;

/// A control request. Requests to `claude` are written to its stdin, and requests to the host come from its stdout.
#[wire(tag(type = "control_request"))]
pub struct ControlRequest {
    /// The ID of the request, which the response repeats. It can be any text that differs from the IDs of all other
    /// pending requests.
    pub request_id: RequestId,
    /// The body of the request.
    pub request: ControlRequestBody,
}

/// The body of a control request.
// Each variant declares the method of claw-client that sends the request, or why there is none.
#[wire(tag = subtype, requests = each_request)]
pub enum ControlRequestBody {
    /// To the host: decide whether a tool may be used.
    #[wire(no_method = "the CLI sends it")]
    CanUseTool(Box<CanUseTool>),
    /// To the host: run a hook callback.
    #[wire(no_method = "the CLI sends it")]
    HookCallback(Box<HookCallback>),
    /// In both directions: forward a message to or from one of the host's own MCP servers.
    #[wire(no_method = "the transport of the host's own MCP servers")]
    McpMessage(Box<McpMessage>),
    /// To the host: answer an elicitation, which is a question from an MCP server to the user.
    #[wire(no_method = "the CLI sends it")]
    Elicitation(Box<Elicitation>),
    /// To the host: show a dialog.
    #[wire(no_method = "the CLI sends it")]
    RequestUserDialog(Box<RequestUserDialog>),
    /// To `claude`: initialize the session.
    #[wire(no_method = "Session::reinitialize sends it as it was sent at the start")]
    Initialize(Box<Initialize>),
    /// To `claude`: interrupt the running turn.
    #[wire(no_method = "Session::interrupt sends it, and says what a drop does")]
    Interrupt(Box<Interrupt>),
    /// To `claude`: set the permission mode.
    #[wire(method(
        /// Sets the permission mode from now on. The response contains the mode in effect. `bypassPermissions`
        /// is refused if the session was not started for it.
        set_permission_mode(mode: impl Into<PermissionMode>)
    ))]
    SetPermissionMode(Box<SetPermissionMode>),
    /// To `claude`: set the model.
    #[wire(method(
        /// Sets the model for all later answers, by name or alias. The response contains the model's name. To
        /// go back to the model that the session began with, use `call(SetModel::new())`.
        set_model(model: impl Into<String>) = { SetModel::new().model(model) }
    ))]
    SetModel(Box<SetModel>),
    /// To `claude`: set the amount of thinking.
    #[wire(method(
        /// Sets the maximum number of thinking tokens from now on: 0 turns thinking off, and `None` restores
        /// the default.
        set_max_thinking_tokens(tokens: Option<u64>) = {
            let mut body = SetMaxThinkingTokens::new();
            body.max_thinking_tokens = tokens.map_or(Tri::Null, |tokens| Tri::Value(tokens.into()));
            body
        }
    ))]
    SetMaxThinkingTokens(Box<SetMaxThinkingTokens>),
    /// To `claude`: get the status of the MCP servers.
    #[wire(method(
        /// Returns the status of each MCP server: whether it is connected, and which tools it has.
        mcp_status()
    ))]
    McpStatus(Box<McpStatus>),
    /// To `claude`: replace the MCP servers that the host declared.
    #[wire(method(
        /// Replaces the MCP servers that an earlier call of this method set. The response lists the servers
        /// that were added, were removed or failed.
        #[doc(alias = "mcp_set_servers")]
        set_mcp_servers(servers: impl Into<Map<McpServerConfig>>)
    ))]
    McpSetServers(Box<McpSetServers>),
    /// To `claude`: reconnect an MCP server.
    #[wire(method(
        /// Reconnects an MCP server. If the server cannot be connected, the call fails with an error that
        /// contains the reason.
        #[doc(alias = "mcp_reconnect")]
        reconnect_mcp_server(server_name: impl Into<String>)
    ))]
    McpReconnect(Box<McpReconnect>),
    /// To `claude`: enable or disable an MCP server.
    #[wire(method(
        /// Enables or disables an MCP server.
        #[doc(alias = "mcp_toggle")]
        toggle_mcp_server(server_name: impl Into<String>, enabled: bool)
    ))]
    McpToggle(Box<McpToggle>),
    /// To `claude`: rewind files to their state before a prompt.
    #[wire(method(
        /// Rewinds files to their state before this prompt, in a session with
        /// [`enable_file_checkpointing`](claw_types::QueryOptions::enable_file_checkpointing).
        /// [`call`](Self::call) with [`RewindFiles::dry_run`](claw_types::control::RewindFiles::dry_run) only
        /// reports the changes.
        rewind_files(user_message_id: impl Into<MessageUuid>)
    ))]
    RewindFiles(Box<RewindFiles>),
    /// To `claude`: stop a background task.
    #[wire(method(
        /// Stops a background task. Stopping an unknown task is not an error.
        stop_task(task_id: impl Into<String>)
    ))]
    StopTask(Box<StopTask>),
    /// To `claude`: move running tool uses to the background.
    #[wire(method(
        /// Moves running tool uses to the background: all shells and agents that a turn waits for.
        /// [`call`](Self::call) with [`BackgroundTasks`](claw_types::control::BackgroundTasks) can move a
        /// single tool use.
        background_tasks()
    ))]
    BackgroundTasks(Box<BackgroundTasks>),
    /// To `claude`: cancel a queued prompt.
    #[wire(no_method = "Turn::cancel sends it for the turn's own prompt")]
    CancelAsyncMessage(Box<CancelAsyncMessage>),
    /// To `claude`: apply settings that override the settings files.
    #[wire(method(
        /// Applies settings that override all other settings. They have the form of a settings file. A null
        /// value removes an earlier override. If a setting is invalid, the call fails with an error that names
        /// the setting.
        apply_flag_settings(settings: impl Into<Json>)
    ))]
    ApplyFlagSettings(Box<ApplyFlagSettings>),
    /// To `claude`: treat a file as read, so that it can be edited.
    #[wire(method(
        /// Marks a file as read by the model, so that the model can edit it. `mtime` says which state of the
        /// file counts as read: the state at that time, in milliseconds since 1970.
        seed_read_state(path: impl Into<String>, mtime: impl Into<Number>)
    ))]
    SeedReadState(Box<SeedReadState>),
    /// To `claude`: get the contents of the context window.
    #[wire(method(
        /// Returns the contents of the context window by category, with token counts from the API. Estimated
        /// counts are faster: use [`call`](Self::call) with
        /// [`GetContextUsage::detail`](claw_types::control::GetContextUsage::detail) for them.
        #[doc(alias = "get_context_usage")]
        context_usage()
    ))]
    GetContextUsage(Box<GetContextUsage>),
    /// To `claude`: get the cost of the session.
    #[wire(method(
        /// Returns the cost of the session as text for a person.
        #[doc(alias = "get_session_cost")]
        session_cost()
    ))]
    GetSessionCost(GetSessionCost),
    /// To `claude`: get the cost and token usage of the session, and the used share of the subscription plan's limits.
    #[wire(method(
        /// Returns the usage of the session. For accounts with a plan, the response also says how much of the
        /// plan's limits is used. [`Session::usage`], in contrast, sends nothing to the CLI and only adds up
        /// the results that have arrived.
        #[doc(alias = "get_usage")]
        #[doc(alias = "rate_limits")]
        usage_report()
    ))]
    GetUsage(Box<GetUsage>),
    /// To `claude`: list the models that can be chosen.
    #[wire(method(
        /// Returns the models that can be chosen.
        list_models()
    ))]
    ListModels(ListModels),
    /// To `claude`: suggest files for a text that was typed after `@`.
    #[wire(method(
        /// Suggests files, given the beginning of a file name that the user has typed.
        file_suggestions(query: impl Into<String>)
    ))]
    FileSuggestions(Box<FileSuggestions>),
    /// To `claude`: list the permission rules.
    #[wire(method(
        /// Returns the permission rules in effect and their sources.
        list_permission_rules()
    ))]
    ListPermissionRules(Box<ListPermissionRules>),
    /// To `claude`: list the hooks.
    #[wire(method(
        /// Returns the hooks of settings, plugins and the session.
        #[doc(alias = "get_hooks_listing")]
        list_hooks()
    ))]
    GetHooksListing(GetHooksListing),
    /// To `claude`: reload the plugins.
    #[wire(method(
        /// Reloads the plugins. [`call`](Self::call) with [`ReloadPlugins`](claw_types::control::ReloadPlugins)
        /// can also add plugins, or refuse to reload while the session is busy.
        reload_plugins()
    ))]
    ReloadPlugins(Box<ReloadPlugins>),
    /// To `claude`: reload the skills.
    #[wire(method(
        /// Reloads the skills.
        reload_skills()
    ))]
    ReloadSkills(ReloadSkills),
    /// To `claude`: reload the output styles.
    #[wire(method(
        /// Reloads the output styles.
        reload_output_styles()
    ))]
    ReloadOutputStyles(ReloadOutputStyles),
    /// To `claude`: add a directory to the session.
    #[wire(method(
        /// Adds a directory to the session. It must be below the working directory, or below a directory that
        /// the CLI was started with. [`call`](Self::call) with
        /// [`RegisterRepoRoot`](claw_types::control::RegisterRepoRoot) can also load the directory's
        /// instructions, plugins and skills.
        register_repo_root(directory: impl Into<String>)
    ))]
    RegisterRepoRoot(Box<RegisterRepoRoot>),
    /// To `claude`: read a file.
    #[wire(method(
        /// Reads a file, if the permission rules allow it. [`call`](Self::call) with
        /// [`ReadFile`](claw_types::control::ReadFile) can limit the size and set the encoding.
        read_file(path: impl Into<String>)
    ))]
    ReadFile(Box<ReadFile>),
    /// To `claude`: get the settings.
    #[wire(method(
        /// Returns the settings in effect and their sources.
        #[doc(alias = "get_settings")]
        settings()
    ))]
    GetSettings(GetSettings),
    /// To `claude`: write to a settings file.
    #[wire(method(
        /// Writes to a settings file: the key `outputStyle` to the project's local file, the key `effortLevel`
        /// to the user's file. Any other key is refused.
        update_settings(source: impl Into<WritableSettings>, settings: impl Into<Json>)
    ))]
    UpdateSettings(Box<UpdateSettings>),
    /// To `claude`: call a tool of an MCP server.
    #[wire(method(
        /// Calls a tool of an MCP server, named `mcp__server__tool`, without the model and without arguments.
        /// [`call`](Self::call) with [`McpCall`](claw_types::control::McpCall) can pass arguments.
        #[doc(alias = "mcp_call")]
        call_mcp_tool(tool: impl Into<String>)
    ))]
    McpCall(Box<McpCall>),
    /// To `claude`: read a resource of an MCP server.
    #[wire(method(
        /// Reads a resource of an MCP server.
        #[doc(alias = "mcp_read_resource")]
        read_mcp_resource(server_name: impl Into<String>, uri: impl Into<String>)
    ))]
    McpReadResource(Box<McpReadResource>),
    /// To `claude`: set a permission mode for the tools of one MCP server.
    #[wire(method(
        /// Sets a permission mode for the tools of an MCP server, in place of the session's mode. Only the
        /// modes `default` and `auto` are accepted. `None` restores the session's mode.
        #[doc(alias = "set_mcp_permission_mode_override")]
        set_mcp_permission_mode(
            server_name: impl Into<String>, mode: impl Into<Option<PermissionMode>>
        ) = {
            let mut body = SetMcpPermissionModeOverride::new(server_name);
            body.mode = mode.into();
            body
        }
    ))]
    SetMcpPermissionModeOverride(Box<SetMcpPermissionModeOverride>),
    /// To `claude`: start a login to an MCP server.
    #[wire(method(
        /// Starts a login to an MCP server.
        #[doc(alias = "mcp_authenticate")]
        authenticate_mcp_server(server_name: impl Into<String>)
    ))]
    McpAuthenticate(Box<McpAuthenticate>),
    /// To `claude`: delete the saved login to an MCP server.
    #[wire(method(
        /// Deletes the stored login to an MCP server.
        #[doc(alias = "mcp_clear_auth")]
        clear_mcp_auth(server_name: impl Into<String>)
    ))]
    McpClearAuth(Box<McpClearAuth>),
    /// To `claude`: complete a login to an MCP server.
    #[wire(method(
        /// Completes a login to an MCP server: submits the URL to which the login page redirected.
        #[doc(alias = "mcp_oauth_callback_url")]
        submit_mcp_oauth_callback_url(
            server_name: impl Into<String>, callback_url: impl Into<String>
        )
    ))]
    McpOauthCallbackUrl(Box<McpOauthCallbackUrl>),
    /// To `claude`: let an MCP server send messages into the session.
    #[wire(method(
        /// Lets an MCP server send messages into the session.
        #[doc(alias = "channel_enable")]
        enable_mcp_channel(server_name: impl Into<String>)
    ))]
    ChannelEnable(Box<ChannelEnable>),
    /// To `claude`: get the output of a background task.
    #[wire(method(
        /// Returns the output of a shell or monitor in the background.
        #[doc(alias = "get_task_output")]
        task_output(task_id: impl Into<String>)
    ))]
    GetTaskOutput(Box<GetTaskOutput>),
    /// To `claude`: ask the model a question that does not become part of the conversation.
    #[wire(method(
        /// Asks the model a question beside the conversation: the model knows the conversation, but neither the
        /// question nor its answer becomes part of the conversation.
        side_question(question: impl Into<String>)
    ))]
    SideQuestion(Box<SideQuestion>),
    /// To `claude`: let the model generate a title.
    #[wire(method(
        /// Asks the model to generate a title from this description of the session's subject. The response
        /// contains the title. To also give the session this title, use [`call`](Self::call) with
        /// [`GenerateSessionTitle`](claw_types::control::GenerateSessionTitle).
        generate_session_title(description: impl Into<String>)
    ))]
    GenerateSessionTitle(Box<GenerateSessionTitle>),
    /// To `claude`: set the title of the session.
    #[wire(method(
        /// Sets the title of the session.
        rename_session(title: impl Into<String>)
    ))]
    RenameSession(Box<RenameSession>),
    /// To `claude`: set the display colour of the session.
    #[wire(no_method = "a CLI on pipes refuses it")]
    SetColor(Box<SetColor>),
    /// To `claude`: report whether anyone watches the session.
    #[wire(no_method = "a window on the session reports it")]
    SetHasSubscribers(Box<SetHasSubscribers>),
    /// To `claude`: get the version of the CLI.
    #[wire(method(
        /// Returns the version of the CLI that is installed on disk. After an update, it can be newer than the
        /// version of the running CLI.
        #[doc(alias = "get_binary_version")]
        binary_version()
    ))]
    GetBinaryVersion(GetBinaryVersion),
    /// To `claude`: pause or resume prompt suggestions.
    #[wire(method(
        /// Pauses or resumes prompt suggestions.
        set_prompt_suggestions_paused(paused: bool)
    ))]
    SetPromptSuggestionsPaused(Box<SetPromptSuggestionsPaused>),
    /// To `claude`: export the conversation as text.
    #[wire(method(
        /// Returns the conversation as text.
        export_conversation()
    ))]
    ExportConversation(ExportConversation),
    /// To `claude`: get the plan of the session.
    #[wire(method(
        /// Returns the plan that the model has made, if there is one.
        #[doc(alias = "get_plan")]
        plan()
    ))]
    GetPlan(GetPlan),
    /// To `claude`: change the working directory.
    #[wire(method(
        /// Changes the working directory from now on. If the user has not trusted the directory yet, the
        /// directory stays unchanged, and the response says what must be trusted.
        set_cwd(path: impl Into<String>)
    ))]
    SetCwd(Box<SetCwd>),
    /// To `claude`: get the changes in the workspace, as git reports them.
    #[wire(method(
        /// Returns the changes in the repository of the working directory.
        #[doc(alias = "get_workspace_diff")]
        workspace_diff()
    ))]
    GetWorkspaceDiff(GetWorkspaceDiff),
    /// To `claude`: end the session.
    #[wire(no_method = "Session::close sends it, and waits for the process")]
    EndSession(EndSession),
    /// To `claude`: a request that is not part of the official SDK's published types, and for which `claw-client` has
    /// no method. Without the feature `internal`, the request is read as [`Unknown`](Self::Unknown). A request that
    /// does not have the form that claw knows is also read as `Unknown`.
    #[cfg(feature = "internal")]
    #[wire(also)]
    Internal(super::internal::InternalRequest),
}

/// A control request, together with the type of its response. In claw-client, a request to `claude` is called a call,
/// and a request to the host is called a request.
pub trait Request: Into<ControlRequestBody> {
    /// The type of the payload of a success response. The type `Option<Json>` also accepts a response without a
    /// payload.
    type Response: DeserializeOwned;
}
