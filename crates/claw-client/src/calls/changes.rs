//! Calls that change a session: a method each.

use claw_types::control::{
    ApplyFlagSettings, BackgroundTasks, GenerateSessionTitle, RegisterRepoRoot, ReloadOutputStyles,
    ReloadPlugins, ReloadSkills, RenameSession, RewindFiles, SeedReadState, SetCwd,
    SetMaxThinkingTokens, SetModel, SetPermissionMode, SetPromptSuggestionsPaused, StopTask,
    UpdateSettings, WritableSettings,
};
use claw_types::options::PermissionMode;
use claw_types::{Json, MessageUuid, Number, Tri};

use crate::{Call, Session};

impl Session {
    /// Asks for other things from now on, or for nothing. The answer names the mode that holds.
    /// `bypassPermissions` is refused where the session was not started for it.
    pub fn set_permission_mode(&self, mode: impl Into<PermissionMode>) -> Call<SetPermissionMode> {
        self.call(SetPermissionMode::new(mode))
    }

    /// Has this model answer from its next answer on: a name or an alias. The answer names it. For
    /// the model that the session began with, `call(SetModel::new())`.
    pub fn set_model(&self, model: impl Into<String>) -> Call<SetModel> {
        self.call(SetModel::new().model(model.into()))
    }

    /// Lets a thought take this many tokens from now on: 0 for none, None for the default.
    pub fn set_max_thinking_tokens(&self, tokens: Option<u64>) -> Call<SetMaxThinkingTokens> {
        let mut body = SetMaxThinkingTokens::new();
        body.max_thinking_tokens = tokens.map_or(Tri::Null, |tokens| Tri::Value(tokens.into()));
        self.call(body)
    }

    /// Puts settings over all others, in the form of a settings file; a null takes one back. One that
    /// is wrong is an error that names it.
    pub fn apply_flag_settings(&self, settings: impl Into<Json>) -> Call<ApplyFlagSettings> {
        self.call(ApplyFlagSettings::new(settings))
    }

    /// Writes into a settings file: `outputStyle` into the project's own of this machine,
    /// `effortLevel` into the user's. Anything else is refused.
    pub fn update_settings(
        &self,
        source: impl Into<WritableSettings>,
        settings: impl Into<Json>,
    ) -> Call<UpdateSettings> {
        self.call(UpdateSettings::new(source, settings))
    }

    /// Stops the suggesting of prompts for a while, or goes on with it.
    pub fn set_prompt_suggestions_paused(&self, paused: bool) -> Call<SetPromptSuggestionsPaused> {
        self.call(SetPromptSuggestionsPaused::new(paused))
    }

    /// Works in another folder from now on. One that nobody has trusted yet is not entered: the
    /// answer says what it needs.
    pub fn set_cwd(&self, path: impl Into<String>) -> Call<SetCwd> {
        self.call(SetCwd::new(path))
    }

    /// Takes a folder below the working directory as one more root of the session.
    /// [`RegisterRepoRoot`] can have what is in it read, too.
    pub fn register_repo_root(&self, directory: impl Into<String>) -> Call<RegisterRepoRoot> {
        self.call(RegisterRepoRoot::new(directory))
    }

    /// Reads the plugins again. [`ReloadPlugins`] can also add some, or refuse while the session
    /// works.
    pub fn reload_plugins(&self) -> Call<ReloadPlugins> {
        self.call(ReloadPlugins::new())
    }

    /// Reads the skills again.
    pub fn reload_skills(&self) -> Call<ReloadSkills> {
        self.call(ReloadSkills::new())
    }

    /// Reads the output styles again.
    pub fn reload_output_styles(&self) -> Call<ReloadOutputStyles> {
        self.call(ReloadOutputStyles::new())
    }

    /// Gives the session a title.
    pub fn rename_session(&self, title: impl Into<String>) -> Call<RenameSession> {
        self.call(RenameSession::new(title))
    }

    /// Has the model find a title for a session that is about this. It is not kept, unless
    /// [`GenerateSessionTitle`] says so.
    pub fn generate_session_title(
        &self,
        description: impl Into<String>,
    ) -> Call<GenerateSessionTitle> {
        self.call(GenerateSessionTitle::new(description))
    }

    /// Ends a background task. Ending an unknown task is not an error.
    pub fn stop_task(&self, task_id: impl Into<String>) -> Call<StopTask> {
        self.call(StopTask::new(task_id))
    }

    /// Lets what runs go on in the background: all shells and agents that a turn waits for.
    /// [`BackgroundTasks`] can name one.
    pub fn background_tasks(&self) -> Call<BackgroundTasks> {
        self.call(BackgroundTasks::new())
    }

    /// Brings files back to what they were before this prompt, in a session with
    /// [`enable_file_checkpointing`](claw_types::QueryOptions::enable_file_checkpointing). With
    /// [`RewindFiles::dry_run`] it only says what it would do.
    pub fn rewind_files(&self, user_message_id: impl Into<MessageUuid>) -> Call<RewindFiles> {
        self.call(RewindFiles::new(user_message_id))
    }

    /// Takes a file as read by the model, so that it can be edited: as it was at this time, in
    /// milliseconds since 1970.
    pub fn seed_read_state(
        &self,
        path: impl Into<String>,
        mtime: impl Into<Number>,
    ) -> Call<SeedReadState> {
        self.call(SeedReadState::new(path, mtime))
    }
}
