//! Calls that read the state of a session and change nothing, one method each.

use claw_types::control::{
    ExportConversation, FileSuggestions, GetBinaryVersion, GetContextUsage, GetHooksListing,
    GetPlan, GetSessionCost, GetSettings, GetTaskOutput, GetUsage, GetWorkspaceDiff, ListModels,
    ListPermissionRules, ReadFile, SideQuestion,
};

use crate::{Call, Session};

impl Session {
    /// Returns the contents of the context window by category, with token counts from the API. Estimated counts are
    /// faster: use [`call`](Self::call) with [`GetContextUsage::detail`] for them.
    #[doc(alias = "get_context_usage")]
    pub fn context_usage(&self) -> Call<GetContextUsage> {
        self.call(GetContextUsage::new())
    }

    /// Returns the cost of the session as text for a person.
    #[doc(alias = "get_session_cost")]
    pub fn session_cost(&self) -> Call<GetSessionCost> {
        self.call(GetSessionCost::new())
    }

    /// Returns the usage of the session. For accounts with a plan, the response also says how much of the plan's
    /// limits is used. [`Session::usage`], in contrast, sends nothing to the CLI and only adds up the results that
    /// have arrived.
    #[doc(alias = "get_usage")]
    #[doc(alias = "rate_limits")]
    pub fn usage_report(&self) -> Call<GetUsage> {
        self.call(GetUsage::new())
    }

    /// Returns the settings in effect and their sources.
    #[doc(alias = "get_settings")]
    pub fn settings(&self) -> Call<GetSettings> {
        self.call(GetSettings::new())
    }

    /// Returns the models that can be chosen.
    pub fn list_models(&self) -> Call<ListModels> {
        self.call(ListModels::new())
    }

    /// Returns the permission rules in effect and their sources.
    pub fn list_permission_rules(&self) -> Call<ListPermissionRules> {
        self.call(ListPermissionRules::new())
    }

    /// Returns the hooks of settings, plugins and the session.
    #[doc(alias = "get_hooks_listing")]
    pub fn list_hooks(&self) -> Call<GetHooksListing> {
        self.call(GetHooksListing::new())
    }

    /// Returns the plan that the model has made, if there is one.
    #[doc(alias = "get_plan")]
    pub fn plan(&self) -> Call<GetPlan> {
        self.call(GetPlan::new())
    }

    /// Returns the output of a shell or monitor in the background.
    #[doc(alias = "get_task_output")]
    pub fn task_output(&self, task_id: impl Into<String>) -> Call<GetTaskOutput> {
        self.call(GetTaskOutput::new(task_id))
    }

    /// Returns the changes in the repository of the working directory.
    #[doc(alias = "get_workspace_diff")]
    pub fn workspace_diff(&self) -> Call<GetWorkspaceDiff> {
        self.call(GetWorkspaceDiff::new())
    }

    /// Returns the version of the CLI that is installed on disk. After an update, it can be newer than the version of
    /// the running CLI.
    #[doc(alias = "get_binary_version")]
    pub fn binary_version(&self) -> Call<GetBinaryVersion> {
        self.call(GetBinaryVersion::new())
    }

    /// Reads a file, if the permission rules allow it. [`call`](Self::call) with [`ReadFile`] can limit the size and
    /// set the encoding.
    pub fn read_file(&self, path: impl Into<String>) -> Call<ReadFile> {
        self.call(ReadFile::new(path))
    }

    /// Suggests files, given the beginning of a file name that the user has typed.
    pub fn file_suggestions(&self, query: impl Into<String>) -> Call<FileSuggestions> {
        self.call(FileSuggestions::new(query))
    }

    /// Returns the conversation as text.
    pub fn export_conversation(&self) -> Call<ExportConversation> {
        self.call(ExportConversation::new())
    }

    /// Asks the model a question beside the conversation: the model knows the conversation, but neither the question
    /// nor its answer becomes part of the conversation.
    pub fn side_question(&self, question: impl Into<String>) -> Call<SideQuestion> {
        self.call(SideQuestion::new(question))
    }
}
