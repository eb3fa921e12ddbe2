//! The calls of a session that have a blocking method. A test compares this list with the async
//! methods.

use claw_types::control::{
    ApplyFlagSettings, BackgroundTasks, ChannelEnable, ExportConversation, FileSuggestions,
    GenerateSessionTitle, GetBinaryVersion, GetContextUsage, GetHooksListing, GetPlan,
    GetSessionCost, GetSettings, GetTaskOutput, GetUsage, GetWorkspaceDiff, Initialize, Interrupt,
    ListModels, ListPermissionRules, McpAuthenticate, McpCall, McpClearAuth, McpOauthCallbackUrl,
    McpReadResource, McpReconnect, McpSetServers, McpStatus, McpToggle, ReadFile, RegisterRepoRoot,
    ReloadOutputStyles, ReloadPlugins, ReloadSkills, RenameSession, Request, RewindFiles,
    SeedReadState, SetCwd, SetMaxThinkingTokens, SetMcpPermissionModeOverride, SetModel,
    SetPermissionMode, SetPromptSuggestionsPaused, SideQuestion, StopTask, UpdateSettings,
    WritableSettings,
};
use claw_types::options::{McpServerConfig, PermissionMode};
use claw_types::{Json, Map, MessageUuid, Number};

use super::Blocking;
use crate::Error;

macro_rules! calls {
    ($($name:ident($($argument:ident: $type:ty),*): $request:ty;)+) => {
        /// Methods that call the CLI and wait for its response. They fail with the errors of
        /// [`call`](Self::call).
        impl Blocking<crate::Session> {$(
            #[doc = concat!(
                "Calls [`Session::", stringify!($name), "`](crate::Session::", stringify!($name),
                ") and waits for the response."
            )]
            #[track_caller]
            pub fn $name(&self, $($argument: $type),*) -> Result<<$request as Request>::Response, Error> {
                self.runtime.wait(self.inner.$name($($argument),*))
            }
        )+}
    };
}

calls! {
    interrupt(): Interrupt;
    reinitialize(): Initialize;

    set_permission_mode(mode: impl Into<PermissionMode>): SetPermissionMode;
    set_model(model: impl Into<String>): SetModel;
    set_max_thinking_tokens(tokens: Option<u64>): SetMaxThinkingTokens;
    apply_flag_settings(settings: impl Into<Json>): ApplyFlagSettings;
    update_settings(source: impl Into<WritableSettings>, settings: impl Into<Json>): UpdateSettings;
    set_prompt_suggestions_paused(paused: bool): SetPromptSuggestionsPaused;
    set_cwd(path: impl Into<String>): SetCwd;
    register_repo_root(directory: impl Into<String>): RegisterRepoRoot;
    reload_plugins(): ReloadPlugins;
    reload_skills(): ReloadSkills;
    reload_output_styles(): ReloadOutputStyles;
    rename_session(title: impl Into<String>): RenameSession;
    generate_session_title(description: impl Into<String>): GenerateSessionTitle;
    stop_task(task_id: impl Into<String>): StopTask;
    background_tasks(): BackgroundTasks;
    rewind_files(user_message_id: impl Into<MessageUuid>): RewindFiles;
    seed_read_state(path: impl Into<String>, mtime: impl Into<Number>): SeedReadState;

    context_usage(): GetContextUsage;
    session_cost(): GetSessionCost;
    usage_report(): GetUsage;
    settings(): GetSettings;
    list_models(): ListModels;
    list_permission_rules(): ListPermissionRules;
    list_hooks(): GetHooksListing;
    plan(): GetPlan;
    task_output(task_id: impl Into<String>): GetTaskOutput;
    workspace_diff(): GetWorkspaceDiff;
    binary_version(): GetBinaryVersion;
    read_file(path: impl Into<String>): ReadFile;
    file_suggestions(query: impl Into<String>): FileSuggestions;
    export_conversation(): ExportConversation;
    side_question(question: impl Into<String>): SideQuestion;

    set_mcp_servers(servers: impl Into<Map<McpServerConfig>>): McpSetServers;
    reconnect_mcp_server(server_name: impl Into<String>): McpReconnect;
    toggle_mcp_server(server_name: impl Into<String>, enabled: bool): McpToggle;
    set_mcp_permission_mode(
        server_name: impl Into<String>, mode: impl Into<Option<PermissionMode>>
    ): SetMcpPermissionModeOverride;
    authenticate_mcp_server(server_name: impl Into<String>): McpAuthenticate;
    submit_mcp_oauth_callback_url(
        server_name: impl Into<String>, callback_url: impl Into<String>
    ): McpOauthCallbackUrl;
    clear_mcp_auth(server_name: impl Into<String>): McpClearAuth;
    enable_mcp_channel(server_name: impl Into<String>): ChannelEnable;
    call_mcp_tool(tool: impl Into<String>): McpCall;
    read_mcp_resource(server_name: impl Into<String>, uri: impl Into<String>): McpReadResource;
    mcp_status(): McpStatus;
}

#[cfg(feature = "mcp")]
macro_rules! server_changes {
    ($($name:ident($($argument:ident: $type:ty),*);)+) => {
        /// Methods for MCP servers that run in this process.
        impl Blocking<crate::Session> {$(
            #[doc = concat!(
                "The blocking form of [`Session::", stringify!($name), "`](crate::Session::", stringify!($name), ")."
            )]
            #[track_caller]
            pub fn $name(
                &self,
                $($argument: $type),*
            ) -> Result<<McpSetServers as Request>::Response, Error> {
                self.runtime.wait(self.inner.$name($($argument),*))
            }
        )+}
    };
}

#[cfg(feature = "mcp")]
server_changes! {
    add_mcp_server(name: impl Into<String>, server: impl Into<crate::McpServer>);
    remove_mcp_server(name: impl Into<String>);
}
