//! Requests that ask how it is with a session, and change nothing: a method each, as in `controls.rs`.

use claw_types::control::{
    ExportConversation, FileSuggestions, GetBinaryVersion, GetContextUsage, GetHooksListing,
    GetPlan, GetSessionCost, GetSettings, GetTaskOutput, GetUsage, GetWorkspaceDiff, ListModels,
    ListPermissionRules, ReadFile, SideQuestion,
};

use crate::{Call, Session};

impl Session {
    /// Asks what the context window is full of. The API counts it; with [`GetContextUsage::detail`]
    /// it is estimated, which is quicker.
    pub fn get_context_usage(&self) -> Call<GetContextUsage> {
        self.request(GetContextUsage::new())
    }

    /// Asks what the session has cost, as text for a person.
    pub fn get_session_cost(&self) -> Call<GetSessionCost> {
        self.request(GetSessionCost::new())
    }

    /// Asks what the session and, for who has one, the plan has used. [`Session::usage`] sums up the
    /// results that came, and asks nobody.
    pub fn get_usage(&self) -> Call<GetUsage> {
        self.request(GetUsage::new())
    }

    /// Asks which settings hold, and where each comes from.
    pub fn get_settings(&self) -> Call<GetSettings> {
        self.request(GetSettings::new())
    }

    /// Asks which models there are.
    pub fn list_models(&self) -> Call<ListModels> {
        self.request(ListModels::new())
    }

    /// Asks which permission rules hold, and where each comes from.
    pub fn list_permission_rules(&self) -> Call<ListPermissionRules> {
        self.request(ListPermissionRules::new())
    }

    /// Asks which hooks there are.
    pub fn get_hooks_listing(&self) -> Call<GetHooksListing> {
        self.request(GetHooksListing::new())
    }

    /// Asks for the session's plan, if there is one.
    pub fn get_plan(&self) -> Call<GetPlan> {
        self.request(GetPlan::new())
    }

    /// Asks what a shell or a monitor in the background has written.
    pub fn get_task_output(&self, task_id: impl Into<String>) -> Call<GetTaskOutput> {
        self.request(GetTaskOutput::new(task_id))
    }

    /// Asks what is changed in the working directory's repository.
    pub fn get_workspace_diff(&self) -> Call<GetWorkspaceDiff> {
        self.request(GetWorkspaceDiff::new())
    }

    /// Asks which version the CLI on disk is: a newer one than the one that runs, after an update.
    pub fn get_binary_version(&self) -> Call<GetBinaryVersion> {
        self.request(GetBinaryVersion::new())
    }

    /// Reads a file, as far as the permission rules let the session. [`ReadFile`] can say how much,
    /// and in what form.
    pub fn read_file(&self, path: impl Into<String>) -> Call<ReadFile> {
        self.request(ReadFile::new(path))
    }

    /// Asks which files somebody may mean who has typed this much of a name.
    pub fn file_suggestions(&self, query: impl Into<String>) -> Call<FileSuggestions> {
        self.request(FileSuggestions::new(query))
    }

    /// Asks for the conversation as text.
    pub fn export_conversation(&self) -> Call<ExportConversation> {
        self.request(ExportConversation::new())
    }

    /// Asks the model something beside the conversation: it knows what was said, and this is not kept
    /// there.
    pub fn side_question(&self, question: impl Into<String>) -> Call<SideQuestion> {
        self.request(SideQuestion::new(question))
    }
}
