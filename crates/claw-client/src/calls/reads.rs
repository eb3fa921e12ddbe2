//! Calls that tell how it is with a session, and change nothing: a method each.

use claw_types::control::{
    ExportConversation, FileSuggestions, GetBinaryVersion, GetContextUsage, GetHooksListing,
    GetPlan, GetSessionCost, GetSettings, GetTaskOutput, GetUsage, GetWorkspaceDiff, ListModels,
    ListPermissionRules, ReadFile, SideQuestion,
};

use crate::{Call, Session};

impl Session {
    /// What the context window is full of. The API counts it; with [`GetContextUsage::detail`] it is
    /// estimated, which is quicker.
    #[doc(alias = "get_context_usage")]
    pub fn context_usage(&self) -> Call<GetContextUsage> {
        self.call(GetContextUsage::new())
    }

    /// What the session has cost, as text for a person.
    #[doc(alias = "get_session_cost")]
    pub fn session_cost(&self) -> Call<GetSessionCost> {
        self.call(GetSessionCost::new())
    }

    /// What the session has used and, for who has a plan, how much of its limits is left.
    /// [`Session::usage`] sums up the results that came, and calls nobody.
    #[doc(alias = "get_usage")]
    #[doc(alias = "rate_limits")]
    pub fn usage_report(&self) -> Call<GetUsage> {
        self.call(GetUsage::new())
    }

    /// Which settings hold, and where each comes from.
    #[doc(alias = "get_settings")]
    pub fn settings(&self) -> Call<GetSettings> {
        self.call(GetSettings::new())
    }

    /// Which models there are.
    pub fn list_models(&self) -> Call<ListModels> {
        self.call(ListModels::new())
    }

    /// Which permission rules hold, and where each comes from.
    pub fn list_permission_rules(&self) -> Call<ListPermissionRules> {
        self.call(ListPermissionRules::new())
    }

    /// Which hooks there are.
    #[doc(alias = "get_hooks_listing")]
    pub fn list_hooks(&self) -> Call<GetHooksListing> {
        self.call(GetHooksListing::new())
    }

    /// The plan that the model has made, if there is one.
    #[doc(alias = "get_plan")]
    pub fn plan(&self) -> Call<GetPlan> {
        self.call(GetPlan::new())
    }

    /// What a shell or a monitor in the background has written.
    #[doc(alias = "get_task_output")]
    pub fn task_output(&self, task_id: impl Into<String>) -> Call<GetTaskOutput> {
        self.call(GetTaskOutput::new(task_id))
    }

    /// What is changed in the working directory's repository.
    #[doc(alias = "get_workspace_diff")]
    pub fn workspace_diff(&self) -> Call<GetWorkspaceDiff> {
        self.call(GetWorkspaceDiff::new())
    }

    /// Which version the CLI on disk is: a newer one than the one that runs, after an update.
    #[doc(alias = "get_binary_version")]
    pub fn binary_version(&self) -> Call<GetBinaryVersion> {
        self.call(GetBinaryVersion::new())
    }

    /// Reads a file, as far as the permission rules let the session. [`ReadFile`] can say how much,
    /// and in what form.
    pub fn read_file(&self, path: impl Into<String>) -> Call<ReadFile> {
        self.call(ReadFile::new(path))
    }

    /// Which files somebody may mean who has typed this much of a name.
    pub fn file_suggestions(&self, query: impl Into<String>) -> Call<FileSuggestions> {
        self.call(FileSuggestions::new(query))
    }

    /// The conversation as text.
    pub fn export_conversation(&self) -> Call<ExportConversation> {
        self.call(ExportConversation::new())
    }

    /// Puts a question to the model beside the conversation: the model knows what was said, and the
    /// question and its answer are not kept there.
    pub fn side_question(&self, question: impl Into<String>) -> Call<SideQuestion> {
        self.call(SideQuestion::new(question))
    }
}
