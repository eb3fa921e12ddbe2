//! The mode, the model and the effort level of a session, which the client shows and changes.

use agent_client_protocol::v1::schema::{
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption,
    SessionConfigValueId, SessionMode, SessionModeId, SessionModeState,
};
use claw_types::QueryOptions;
use claw_types::control::{InitializeResponse, ModelInfo};
use claw_types::options::{EffortLevel, PermissionMode};

/// The IDs of the config options.
pub(crate) const MODE: &str = "mode";
pub(crate) const MODEL: &str = "model";
pub(crate) const EFFORT: &str = "effort";

/// The value that means that the CLI chooses the model or the effort level.
pub(crate) const DEFAULT: &str = "default";

/// The current settings of a session, and their possible values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    pub(crate) mode: PermissionMode,
    pub(crate) model: String,
    pub(crate) effort: Option<EffortLevel>,
    models: Vec<ModelInfo>,
    may_bypass: bool,
}

impl Settings {
    /// Returns the settings with which a session begins.
    pub(crate) fn new(options: &QueryOptions, info: Option<&InitializeResponse>) -> Self {
        let reported = info.and_then(|info| info.current_permission_mode.clone());
        let asked = options.permission_mode.clone();
        Self {
            mode: reported.or(asked).unwrap_or(PermissionMode::Default),
            model: options.model.clone().unwrap_or_else(|| DEFAULT.to_owned()),
            effort: options.effort.clone(),
            models: info.map(|info| info.models.clone()).unwrap_or_default(),
            may_bypass: options.allow_dangerously_skip_permissions == Some(true),
        }
    }

    /// Stores these settings in the options of another process.
    pub(crate) fn keep(&self, options: &mut QueryOptions) {
        options.permission_mode = Some(self.mode.clone());
        options.model = Some(self.model.clone()).filter(|model| model != DEFAULT);
        options.effort.clone_from(&self.effort);
    }

    /// Whether the session can be set to this mode.
    pub(crate) fn has_mode(&self, mode: &PermissionMode) -> bool {
        self.mode_list().contains(mode)
    }

    /// Whether the CLI offers this model.
    pub(crate) fn has_model(&self, value: &str) -> bool {
        value == self.model || self.models.iter().any(|model| model.value == value)
    }

    /// Whether the current model supports this effort level.
    pub(crate) fn has_effort(&self, level: &EffortLevel) -> bool {
        self.efforts().contains(level)
    }

    fn mode_list(&self) -> Vec<PermissionMode> {
        let mut modes = vec![
            PermissionMode::Default,
            PermissionMode::AcceptEdits,
            PermissionMode::Plan,
        ];
        let has_auto = |model: &ModelInfo| model.supports_auto_mode == Some(true);
        if self.models.iter().any(has_auto) {
            modes.push(PermissionMode::Auto);
        }
        modes.push(PermissionMode::DontAsk);
        if self.may_bypass {
            modes.push(PermissionMode::BypassPermissions);
        }
        if !modes.contains(&self.mode) {
            modes.push(self.mode.clone());
        }
        modes
    }

    fn efforts(&self) -> Vec<EffortLevel> {
        let mut models = self.models.iter();
        let current = models.find(|model| model.value == self.model);
        current
            .and_then(|model| model.supported_effort_levels.clone())
            .unwrap_or_default()
    }

    /// Returns the modes of the session in the form of session modes. The protocol has this form in addition to the
    /// config options.
    pub(crate) fn modes(&self) -> SessionModeState {
        let modes = self.mode_list();
        let modes = modes.iter().map(|mode| {
            let (name, description) = describe(mode);
            SessionMode::new(SessionModeId::new(mode.as_str()), name).description(description)
        });
        SessionModeState::new(SessionModeId::new(self.mode.as_str()), modes.collect())
    }

    fn mode_option(&self) -> SessionConfigOption {
        let modes = self.mode_list();
        let modes = modes.iter().map(|mode| {
            let (name, description) = describe(mode);
            SessionConfigSelectOption::new(id(mode.as_str()), name).description(description)
        });
        let modes: Vec<_> = modes.collect();
        SessionConfigOption::select(MODE, "Mode", id(self.mode.as_str()), modes)
            .category(SessionConfigOptionCategory::Mode)
    }

    /// Returns the config options with their current values.
    pub(crate) fn options(&self) -> Vec<SessionConfigOption> {
        let mut options = vec![self.mode_option()];
        let mut choices: Vec<_> = self
            .models
            .iter()
            .map(|model| {
                SessionConfigSelectOption::new(id(&model.value), &*model.display_name)
                    .description(model.description.clone())
            })
            .collect();
        if !self.models.is_empty() {
            if !self.models.iter().any(|model| model.value == self.model) {
                choices.push(SessionConfigSelectOption::new(
                    id(&self.model),
                    &*self.model,
                ));
            }
            options.push(
                SessionConfigOption::select(MODEL, "Model", id(&self.model), choices)
                    .category(SessionConfigOptionCategory::Model),
            );
        }
        let efforts = self.efforts();
        if !efforts.is_empty() {
            let default = SessionConfigSelectOption::new(DEFAULT, "Default");
            let levels = efforts.iter().map(|level| {
                SessionConfigSelectOption::new(id(level.as_str()), capitalised(level.as_str()))
            });
            let levels: Vec<_> = std::iter::once(default).chain(levels).collect();
            let current = self.effort.as_ref().filter(|level| efforts.contains(level));
            let current = current.map_or(DEFAULT, EffortLevel::as_str);
            options.push(
                SessionConfigOption::select(EFFORT, "Effort", id(current), levels)
                    .category(SessionConfigOptionCategory::ThoughtLevel),
            );
        }
        options
    }
}

/// Returns the name and the description of a mode.
fn describe(mode: &PermissionMode) -> (String, Option<String>) {
    let (name, description) = match *mode {
        PermissionMode::Default => ("Ask", "Asks before a tool changes something"),
        PermissionMode::AcceptEdits => ("Accept edits", "Changes files without asking"),
        PermissionMode::Plan => ("Plan", "Plans and changes nothing"),
        PermissionMode::Auto => ("Auto", "A model decides what may run"),
        PermissionMode::DontAsk => ("Don't ask", "Denies what nobody has allowed"),
        PermissionMode::BypassPermissions => ("Bypass permissions", "Allows everything"),
        _ => return (capitalised(mode.as_str()), None),
    };
    (name.to_owned(), Some(description.to_owned()))
}

fn id(value: &str) -> SessionConfigValueId {
    SessionConfigValueId::new(value)
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}
