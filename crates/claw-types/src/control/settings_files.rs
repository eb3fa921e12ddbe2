//! Requests about the settings in effect and about settings files.

use super::SettingsParseError;
use crate::options::EffortLevel;
use crate::settings::Settings;
use crate::{Count, Json, Tri};

/// To `claude`: get the settings in effect, and their sources.
#[wire(tag(subtype = "get_settings"), response = GetSettingsResponse)]
pub struct GetSettings {}

/// The response to `get_settings`.
#[wire]
pub struct GetSettingsResponse {
    /// The settings in effect, merged from all sources.
    pub effective: Box<Settings>,
    /// The settings of each source. Later sources override earlier ones.
    pub sources: Vec<SourceSettings>,
    /// The session state that results from the settings, such as the model and its effort level.
    pub applied: Option<AppliedSettings>,
    /// The settings files that were ignored because they cannot be parsed.
    pub errors: Option<Vec<SettingsParseError>>,
    /// The reason why remote control of the session is not allowed.
    pub remote_control_policy_lock_reason: Option<String>,
    /// Whether the CLI could fetch the settings that the organisation keeps on a server.
    #[wire(since = "2.1.329")]
    pub served_settings_state: Option<ServedSettingsState>,
    /// Whether the CLI left out parts of the response because the connection to the host stores all responses, as it
    /// does in the cloud.
    pub withheld: Option<bool>,
}

/// The settings of one source.
#[wire]
pub struct SourceSettings {
    /// The source from which the settings come.
    pub source: SettingsFileSource,
    /// The settings of this source.
    pub settings: Box<Settings>,
}

/// A source of settings.
#[wire(open)]
pub enum SettingsFileSource {
    /// The settings file of the user.
    UserSettings = "userSettings",
    /// The settings file of the project.
    ProjectSettings = "projectSettings",
    /// The settings file of the project on this machine only.
    LocalSettings = "localSettings",
    /// The settings with which the CLI was started.
    FlagSettings = "flagSettings",
    /// The organisation's managed settings.
    PolicySettings = "policySettings",
}

/// Whether the CLI could fetch the settings that an organisation keeps on a server.
#[wire(open)]
pub enum ServedSettingsState {
    /// The settings were fetched.
    Ok = "ok",
    /// The settings are being fetched.
    Pending = "pending",
    /// The settings could not be fetched. Settings that were fetched earlier are in effect.
    StaleCache = "stale_cache",
    /// The settings could not be fetched.
    Failed = "failed",
    /// The server provides no settings for this kind of login.
    Ineligible = "ineligible",
}

/// The session state that results from the settings, such as the model and its effort level.
#[wire(rename_all = "camelCase")]
pub struct AppliedSettings {
    /// The name of the model that answers.
    pub model: String,
    /// The effort level of the model. Null if the model has none.
    #[wire(nullable)]
    pub effort: Option<EffortLevel>,
    /// The name of the advisor model, which the main model asks for advice. Null if there is no advisor.
    pub advisor: Tri<String>,
    /// Whether the mode `ultracode` is on. In this mode, the model works with workflows of several agents.
    pub ultracode: Option<bool>,
    /// Whether the settings request the mode `ultracode`, even if it cannot be turned on in this session.
    pub ultracode_requested: Option<bool>,
    /// Whether the mode `ultracode` can be turned on in this session. In this mode, the model works with workflows of
    /// several agents.
    pub ultracode_available: Option<bool>,
    /// Whether the word `ultrathink` in a prompt makes the turn of that prompt run at the effort level `xhigh` or
    /// higher.
    pub ultrathink_available: Option<bool>,
    /// Whether file tools cannot read outside of the working directories.
    pub outside_file_tool_reads_blocked: Option<bool>,
    /// Whether file tools cannot write outside of the working directories.
    pub outside_file_tool_writes_blocked: Option<bool>,
    /// Whether only the directories that the CLI was started with count as working directories. This matters if reads
    /// or writes outside of the working directories are blocked.
    pub outside_blocks_count_launch_folders_only: Option<bool>,
    /// The added directories whose own settings are ignored, in whole or in part.
    pub additional_directory_config_roots_withheld: Option<Vec<WithheldConfigRoot>>,
    /// Whether the CLI's own files are in their usual place. `false` if an environment variable with which the CLI was
    /// started may have moved them.
    pub launch_env_left_own_files_in_place: Option<bool>,
}

/// An added directory whose own settings are ignored, in whole or in part.
#[wire(rename_all = "camelCase")]
pub struct WithheldConfigRoot {
    /// The path of the directory.
    pub dir: String,
    /// The directory that contains the added directory's own settings. The setting `additionalDirectoryConfigRoots`
    /// names this directory. Null if the named directory is not usable, or if the CLI ignored the setting.
    #[wire(nullable)]
    pub root: Option<String>,
    /// The part of the added directory's own settings that the CLI still reads: `nothing`, or `root_less_entries` (all
    /// entries except the ignored ones).
    pub reads: String,
    /// A code for the reason why the settings are ignored, such as `root_moved` or `unreadable`.
    pub reason: String,
    /// The number of entries that are ignored.
    pub entries_withheld: Option<Count>,
}

/// To `claude`: write to a settings file. In the project's local file, `claude` accepts only the key `outputStyle`, and
/// the new style then takes effect. In the user's file, it accepts only the key `effortLevel`, which becomes the
/// default of the session's current model. It refuses all other keys.
#[wire(tag(subtype = "update_settings"), response = Option<Json>)]
pub struct UpdateSettings {
    /// The settings file to write.
    pub source: WritableSettings,
    /// The keys and values to write.
    pub settings: Json,
}

/// A settings file that a request can write.
#[wire(open)]
pub enum WritableSettings {
    /// The settings file of the project on this machine only.
    LocalSettings = "localSettings",
    /// The settings file of the user.
    UserSettings = "userSettings",
}
