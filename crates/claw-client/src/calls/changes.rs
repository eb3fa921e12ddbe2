//! Calls that change a session, one method each.

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
    /// Sets the permission mode from now on. The response contains the mode in effect.
    /// `bypassPermissions` is refused if the session was not started for it.
    pub fn set_permission_mode(&self, mode: impl Into<PermissionMode>) -> Call<SetPermissionMode> {
        self.call(SetPermissionMode::new(mode))
    }

    /// Sets the model for all later answers, by name or alias. The response contains the model's name. To go back to
    /// the model that the session began with, use `call(SetModel::new())`.
    pub fn set_model(&self, model: impl Into<String>) -> Call<SetModel> {
        self.call(SetModel::new().model(model.into()))
    }

    /// Sets the maximum number of thinking tokens from now on: 0 turns thinking off, and `None` restores the
    /// default.
    pub fn set_max_thinking_tokens(&self, tokens: Option<u64>) -> Call<SetMaxThinkingTokens> {
        let mut body = SetMaxThinkingTokens::new();
        body.max_thinking_tokens = tokens.map_or(Tri::Null, |tokens| Tri::Value(tokens.into()));
        self.call(body)
    }

    /// Applies settings that override all other settings. They have the form of a settings file. A null value removes
    /// an earlier override. If a setting is invalid, the call fails with an
    /// error that names the setting.
    pub fn apply_flag_settings(&self, settings: impl Into<Json>) -> Call<ApplyFlagSettings> {
        self.call(ApplyFlagSettings::new(settings))
    }

    /// Writes to a settings file: the key `outputStyle` to the project's local file, the key
    /// `effortLevel` to the user's file. Any other key is refused.
    pub fn update_settings(
        &self,
        source: impl Into<WritableSettings>,
        settings: impl Into<Json>,
    ) -> Call<UpdateSettings> {
        self.call(UpdateSettings::new(source, settings))
    }

    /// Pauses or resumes prompt suggestions.
    pub fn set_prompt_suggestions_paused(&self, paused: bool) -> Call<SetPromptSuggestionsPaused> {
        self.call(SetPromptSuggestionsPaused::new(paused))
    }

    /// Changes the working directory from now on. If the user has not trusted the directory yet,
    /// the directory stays unchanged, and the response says what must be trusted.
    pub fn set_cwd(&self, path: impl Into<String>) -> Call<SetCwd> {
        self.call(SetCwd::new(path))
    }

    /// Adds a directory to the session. It must be below the working directory, or below a directory that the CLI was
    /// started with. [`call`](Self::call) with [`RegisterRepoRoot`] can also load the directory's instructions,
    /// plugins and skills.
    pub fn register_repo_root(&self, directory: impl Into<String>) -> Call<RegisterRepoRoot> {
        self.call(RegisterRepoRoot::new(directory))
    }

    /// Reloads the plugins. [`call`](Self::call) with [`ReloadPlugins`] can also add plugins, or
    /// refuse to reload while the session is busy.
    pub fn reload_plugins(&self) -> Call<ReloadPlugins> {
        self.call(ReloadPlugins::new())
    }

    /// Reloads the skills.
    pub fn reload_skills(&self) -> Call<ReloadSkills> {
        self.call(ReloadSkills::new())
    }

    /// Reloads the output styles.
    pub fn reload_output_styles(&self) -> Call<ReloadOutputStyles> {
        self.call(ReloadOutputStyles::new())
    }

    /// Sets the title of the session.
    pub fn rename_session(&self, title: impl Into<String>) -> Call<RenameSession> {
        self.call(RenameSession::new(title))
    }

    /// Asks the model to generate a title from this description of the session's subject. The response contains the
    /// title. To also give the session this title, use [`call`](Self::call) with [`GenerateSessionTitle`].
    pub fn generate_session_title(
        &self,
        description: impl Into<String>,
    ) -> Call<GenerateSessionTitle> {
        self.call(GenerateSessionTitle::new(description))
    }

    /// Stops a background task. Stopping an unknown task is not an error.
    pub fn stop_task(&self, task_id: impl Into<String>) -> Call<StopTask> {
        self.call(StopTask::new(task_id))
    }

    /// Moves running tool uses to the background: all shells and agents that a turn waits for.
    /// [`call`](Self::call) with [`BackgroundTasks`] can move a single tool use.
    pub fn background_tasks(&self) -> Call<BackgroundTasks> {
        self.call(BackgroundTasks::new())
    }

    /// Rewinds files to their state before this prompt, in a session with
    /// [`enable_file_checkpointing`](claw_types::QueryOptions::enable_file_checkpointing).
    /// [`call`](Self::call) with [`RewindFiles::dry_run`] only reports the changes.
    pub fn rewind_files(&self, user_message_id: impl Into<MessageUuid>) -> Call<RewindFiles> {
        self.call(RewindFiles::new(user_message_id))
    }

    /// Marks a file as read by the model, so that the model can edit it. `mtime` says which state
    /// of the file counts as read: the state at that time, in milliseconds since 1970.
    pub fn seed_read_state(
        &self,
        path: impl Into<String>,
        mtime: impl Into<Number>,
    ) -> Call<SeedReadState> {
        self.call(SeedReadState::new(path, mtime))
    }
}
