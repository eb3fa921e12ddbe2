//! The calls that have a separate method, with one row for each.

/// Passes the rows on to a macro. A row has the documentation of the method, its name, its arguments, and the request. The
/// method sends `Request::new(arguments)`, or the value of the block behind `=`. [`Session`](crate::Session) has the
/// methods; the blocking session has those that wait for the response.
///
/// Types of arguments are named as the modules that use the rows import them.
#[rustfmt::skip]
macro_rules! each_call {
    ($make:ident) => { $make! {
        // Calls that change a session.
        /// Sets the permission mode from now on. The response contains the mode in effect. `bypassPermissions`
        /// is refused if the session was not started for it.
        set_permission_mode(mode: impl Into<PermissionMode>): SetPermissionMode;

        /// Sets the model for all later answers, by name or alias. The response contains the model's name. To
        /// go back to the model that the session began with, use `call(SetModel::new())`.
        set_model(model: impl Into<String>): SetModel = { SetModel::new().model(model) };

        /// Sets the maximum number of thinking tokens from now on: 0 turns thinking off, and `None` restores
        /// the default.
        set_max_thinking_tokens(tokens: Option<u64>): SetMaxThinkingTokens = {
            let mut body = SetMaxThinkingTokens::new();
            body.max_thinking_tokens = tokens.map_or(Tri::Null, |tokens| Tri::Value(tokens.into()));
            body
        };

        /// Applies settings that override all other settings. They have the form of a settings file. A null
        /// value removes an earlier override. If a setting is invalid, the call fails with an error that names
        /// the setting.
        apply_flag_settings(settings: impl Into<Json>): ApplyFlagSettings;

        /// Writes to a settings file: the key `outputStyle` to the project's local file, the key `effortLevel`
        /// to the user's file. Any other key is refused.
        update_settings(source: impl Into<WritableSettings>, settings: impl Into<Json>): UpdateSettings;

        /// Pauses or resumes prompt suggestions.
        set_prompt_suggestions_paused(paused: bool): SetPromptSuggestionsPaused;

        /// Changes the working directory from now on. If the user has not trusted the directory yet, the
        /// directory stays unchanged, and the response says what must be trusted.
        set_cwd(path: impl Into<String>): SetCwd;

        /// Adds a directory to the session. It must be below the working directory, or below a directory that
        /// the CLI was started with. [`call`](Self::call) with
        /// [`RegisterRepoRoot`](claw_types::control::RegisterRepoRoot) can also load the directory's
        /// instructions, plugins and skills.
        register_repo_root(directory: impl Into<String>): RegisterRepoRoot;

        /// Reloads the plugins. [`call`](Self::call) with [`ReloadPlugins`](claw_types::control::ReloadPlugins)
        /// can also add plugins, or refuse to reload while the session is busy.
        reload_plugins(): ReloadPlugins;

        /// Reloads the skills.
        reload_skills(): ReloadSkills;

        /// Reloads the output styles.
        reload_output_styles(): ReloadOutputStyles;

        /// Sets the title of the session.
        rename_session(title: impl Into<String>): RenameSession;

        /// Asks the model to generate a title from this description of the session's subject. The response
        /// contains the title. To also give the session this title, use [`call`](Self::call) with
        /// [`GenerateSessionTitle`](claw_types::control::GenerateSessionTitle).
        generate_session_title(description: impl Into<String>): GenerateSessionTitle;

        /// Stops a background task. Stopping an unknown task is not an error.
        stop_task(task_id: impl Into<String>): StopTask;

        /// Moves running tool uses to the background: all shells and agents that a turn waits for.
        /// [`call`](Self::call) with [`BackgroundTasks`](claw_types::control::BackgroundTasks) can move a
        /// single tool use.
        background_tasks(): BackgroundTasks;

        /// Rewinds files to their state before this prompt, in a session with
        /// [`enable_file_checkpointing`](claw_types::QueryOptions::enable_file_checkpointing).
        /// [`call`](Self::call) with [`RewindFiles::dry_run`](claw_types::control::RewindFiles::dry_run) only
        /// reports the changes.
        rewind_files(user_message_id: impl Into<MessageUuid>): RewindFiles;

        /// Marks a file as read by the model, so that the model can edit it. `mtime` says which state of the
        /// file counts as read: the state at that time, in milliseconds since 1970.
        seed_read_state(path: impl Into<String>, mtime: impl Into<Number>): SeedReadState;

        // Calls that read the state of a session and change nothing.
        /// Returns the contents of the context window by category, with token counts from the API. Estimated
        /// counts are faster: use [`call`](Self::call) with
        /// [`GetContextUsage::detail`](claw_types::control::GetContextUsage::detail) for them.
        #[doc(alias = "get_context_usage")]
        context_usage(): GetContextUsage;

        /// Returns the cost of the session as text for a person.
        #[doc(alias = "get_session_cost")]
        session_cost(): GetSessionCost;

        /// Returns the usage of the session. For accounts with a plan, the response also says how much of the
        /// plan's limits is used. [`Session::usage`], in contrast, sends nothing to the CLI and only adds up
        /// the results that have arrived.
        #[doc(alias = "get_usage")]
        #[doc(alias = "rate_limits")]
        usage_report(): GetUsage;

        /// Returns the settings in effect and their sources.
        #[doc(alias = "get_settings")]
        settings(): GetSettings;

        /// Returns the models that can be chosen.
        list_models(): ListModels;

        /// Returns the permission rules in effect and their sources.
        list_permission_rules(): ListPermissionRules;

        /// Returns the hooks of settings, plugins and the session.
        #[doc(alias = "get_hooks_listing")]
        list_hooks(): GetHooksListing;

        /// Returns the plan that the model has made, if there is one.
        #[doc(alias = "get_plan")]
        plan(): GetPlan;

        /// Returns the output of a shell or monitor in the background.
        #[doc(alias = "get_task_output")]
        task_output(task_id: impl Into<String>): GetTaskOutput;

        /// Returns the changes in the repository of the working directory.
        #[doc(alias = "get_workspace_diff")]
        workspace_diff(): GetWorkspaceDiff;

        /// Returns the version of the CLI that is installed on disk. After an update, it can be newer than the
        /// version of the running CLI.
        #[doc(alias = "get_binary_version")]
        binary_version(): GetBinaryVersion;

        /// Reads a file, if the permission rules allow it. [`call`](Self::call) with
        /// [`ReadFile`](claw_types::control::ReadFile) can limit the size and set the encoding.
        read_file(path: impl Into<String>): ReadFile;

        /// Suggests files, given the beginning of a file name that the user has typed.
        file_suggestions(query: impl Into<String>): FileSuggestions;

        /// Returns the conversation as text.
        export_conversation(): ExportConversation;

        /// Asks the model a question beside the conversation: the model knows the conversation, but neither the
        /// question nor its answer becomes part of the conversation.
        side_question(question: impl Into<String>): SideQuestion;

        // Calls about MCP servers that the CLI runs or connects to.
        /// Returns the status of each MCP server: whether it is connected, and which tools it has.
        mcp_status(): McpStatus;

        /// Replaces the MCP servers that an earlier call of this method set. The response lists the servers
        /// that were added, were removed or failed.
        #[doc(alias = "mcp_set_servers")]
        set_mcp_servers(servers: impl Into<Map<McpServerConfig>>): McpSetServers;

        /// Reconnects an MCP server. If the server cannot be connected, the call fails with an error that
        /// contains the reason.
        #[doc(alias = "mcp_reconnect")]
        reconnect_mcp_server(server_name: impl Into<String>): McpReconnect;

        /// Enables or disables an MCP server.
        #[doc(alias = "mcp_toggle")]
        toggle_mcp_server(server_name: impl Into<String>, enabled: bool): McpToggle;

        /// Sets a permission mode for the tools of an MCP server, in place of the session's mode. Only the
        /// modes `default` and `auto` are accepted. `None` restores the session's mode.
        #[doc(alias = "set_mcp_permission_mode_override")]
        set_mcp_permission_mode(
            server_name: impl Into<String>, mode: impl Into<Option<PermissionMode>>
        ): SetMcpPermissionModeOverride = {
            let mut body = SetMcpPermissionModeOverride::new(server_name);
            body.mode = mode.into();
            body
        };

        /// Starts a login to an MCP server.
        #[doc(alias = "mcp_authenticate")]
        authenticate_mcp_server(server_name: impl Into<String>): McpAuthenticate;

        /// Completes a login to an MCP server: submits the URL to which the login page redirected.
        #[doc(alias = "mcp_oauth_callback_url")]
        submit_mcp_oauth_callback_url(
            server_name: impl Into<String>, callback_url: impl Into<String>
        ): McpOauthCallbackUrl;

        /// Deletes the stored login to an MCP server.
        #[doc(alias = "mcp_clear_auth")]
        clear_mcp_auth(server_name: impl Into<String>): McpClearAuth;

        /// Lets an MCP server send messages into the session.
        #[doc(alias = "channel_enable")]
        enable_mcp_channel(server_name: impl Into<String>): ChannelEnable;

        /// Calls a tool of an MCP server, named `mcp__server__tool`, without the model and without arguments.
        /// [`call`](Self::call) with [`McpCall`](claw_types::control::McpCall) can pass arguments.
        #[doc(alias = "mcp_call")]
        call_mcp_tool(tool: impl Into<String>): McpCall;

        /// Reads a resource of an MCP server.
        #[doc(alias = "mcp_read_resource")]
        read_mcp_resource(server_name: impl Into<String>, uri: impl Into<String>): McpReadResource;
    } };
}
pub(crate) use each_call;
