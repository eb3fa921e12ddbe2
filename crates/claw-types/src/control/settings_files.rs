//! Requests about settings: what holds, and where it is written.

use super::SettingsParseError;
use crate::options::EffortLevel;
use crate::settings::Settings;
use crate::{Count, Json, Tri};

/// To `claude`: which settings hold, and which file says so?
#[wire(tag(subtype = "get_settings"), response = GetSettingsResponse)]
pub struct GetSettings {}

/// The answer to `get_settings`.
#[wire]
pub struct GetSettingsResponse {
    /// What holds, of all sources together.
    pub effective: Box<Settings>,
    /// What each source says; later ones go over earlier ones.
    pub sources: Vec<SourceSettings>,
    /// What the session makes of it.
    pub applied: Option<AppliedSettings>,
    /// Settings files that are left out, since they cannot be read.
    pub errors: Option<Vec<SettingsParseError>>,
    /// Why the session may not be controlled from elsewhere.
    pub remote_control_policy_lock_reason: Option<String>,
    /// How it is with settings that a server keeps.
    #[wire(since = "2.1.329")]
    pub served_settings_state: Option<ServedSettingsState>,
    /// Parts are left out, since whoever carries the answer keeps it.
    pub withheld: Option<bool>,
}

/// What one source of settings says.
#[wire]
pub struct SourceSettings {
    /// Which.
    pub source: SettingsFileSource,
    /// What it says.
    pub settings: Box<Settings>,
}

/// A source of settings.
#[wire(open)]
pub enum SettingsFileSource {
    /// The user's settings file.
    UserSettings = "userSettings",
    /// The project's.
    ProjectSettings = "projectSettings",
    /// The project's, of this machine alone.
    LocalSettings = "localSettings",
    /// The settings that the CLI was started with.
    FlagSettings = "flagSettings",
    /// The organisation's.
    PolicySettings = "policySettings",
}

/// How it is with settings that a server keeps.
#[wire(open)]
pub enum ServedSettingsState {
    /// They are there.
    Ok = "ok",
    /// They are being fetched.
    Pending = "pending",
    /// They could not be fetched: older ones hold.
    StaleCache = "stale_cache",
    /// They could not be fetched.
    Failed = "failed",
    /// There are none for this login.
    Ineligible = "ineligible",
}

/// What a session makes of its settings.
#[wire(rename_all = "camelCase")]
pub struct AppliedSettings {
    /// The model that answers.
    pub model: String,
    /// How hard it thinks; null where the model has no levels.
    #[wire(nullable)]
    pub effort: Option<EffortLevel>,
    /// The model that is asked for advice; null for none.
    pub advisor: Tri<String>,
    /// Whether `ultracode` is on.
    pub ultracode: Option<bool>,
    /// Whether it was asked for.
    pub ultracode_requested: Option<bool>,
    /// Whether it can be.
    pub ultracode_available: Option<bool>,
    /// Whether `ultrathink` in a prompt does something.
    pub ultrathink_available: Option<bool>,
    /// Whether files outside the working directories cannot be read.
    pub outside_file_tool_reads_blocked: Option<bool>,
    /// Whether they cannot be written.
    pub outside_file_tool_writes_blocked: Option<bool>,
    /// Whether only the folders that the CLI was started with count as inside.
    pub outside_blocks_count_launch_folders_only: Option<bool>,
    /// Folders whose own settings do not count.
    pub additional_directory_config_roots_withheld: Option<Vec<WithheldConfigRoot>>,
    /// Whether the CLI's own files are where they always are.
    pub launch_env_left_own_files_in_place: Option<bool>,
}

/// A folder whose own settings do not count, or not all.
#[wire(rename_all = "camelCase")]
pub struct WithheldConfigRoot {
    /// The folder.
    pub dir: String,
    /// The root that it belongs to.
    #[wire(nullable)]
    pub root: Option<String>,
    /// What of it counts: `root_less_entries` or `nothing`.
    pub reads: String,
    /// Why, as a word such as `unreadable`.
    pub reason: String,
    /// How many entries do not count.
    pub entries_withheld: Option<Count>,
}

/// To `claude`: write this into a settings file. The project's own of this machine takes
/// `outputStyle`, which then holds; the user's takes `effortLevel`, for the model that answers.
/// Anything else is refused.
#[wire(tag(subtype = "update_settings"), response = Option<Json>)]
pub struct UpdateSettings {
    /// The file.
    pub source: WritableSettings,
    /// Keys and values.
    pub settings: Json,
}

/// A settings file that can be written by a request.
#[wire(open)]
pub enum WritableSettings {
    /// The project's, of this machine alone.
    LocalSettings = "localSettings",
    /// The user's.
    UserSettings = "userSettings",
}
