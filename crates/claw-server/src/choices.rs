//! The commands, models and effort levels that sessions of a project can use, as reported by the project's processes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use claw_sessions::Sessions;
use claw_types::control::{InitializeResponse, ModelInfo, SlashCommand};
use claw_types::options::{EffortLevel, PermissionMode};
use serde::{Deserialize, Serialize};

use crate::Project;

/// Maximum number of stored commands, and maximum number of stored models. A CLI has about fifty commands.
const MOST: usize = 1000;
/// Maximum length of a stored name, in characters.
const NAME: usize = 200;
const DESCRIPTION: usize = 300;

/// The models, permission modes and commands that can be chosen in sessions of a project, according to the newest
/// report of a process of the project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Choices {
    /// The version of the CLI that has reported. Null if no process of the project has started since the server
    /// started. The models and commands are then unknown, and their lists are empty.
    pub version: Option<String>,
    /// The models that the CLI offers.
    pub models: Vec<ModelChoice>,
    /// The permission modes that sessions of the project may have. `auto` is one of them once a model supports it.
    pub modes: Vec<PermissionMode>,
    /// The slash commands, skills among them.
    pub commands: Vec<CommandChoice>,
}

/// A model that can be chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelChoice {
    /// The value to pass as the model in order to choose it, such as `opus`.
    pub value: String,
    /// The name of the model, for people.
    pub name: String,
    /// The description of the model, or the beginning of a long description.
    pub description: String,
    /// The full name of the model behind an alias. Null if the CLI does not report it.
    pub resolved: Option<String>,
    /// The effort levels that the model supports.
    pub efforts: Vec<EffortLevel>,
    /// Whether the model supports the permission mode `auto`.
    pub auto: bool,
}

/// A slash command that can be used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CommandChoice {
    /// The name, without the slash.
    pub name: String,
    /// The description of the command, or the beginning of a long description.
    pub description: String,
    /// A hint about the arguments. Empty if there is none.
    pub argument_hint: String,
    /// Other names of the command.
    pub aliases: Vec<String>,
}

/// The newest reports of the processes, for each project and configuration folder. Configuration folders can have
/// different commands, models and logins.
#[derive(Debug)]
pub(crate) struct Learned(HashMap<String, HashMap<PathBuf, ProjectChoices>>);

/// The newest report of a project's processes. Clones are cheap and share the report.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProjectChoices(Arc<Mutex<Choices>>);

impl Learned {
    pub(crate) fn new(projects: &[Project], sessions: &Sessions) -> Self {
        let new = |home: Sessions| (home.config_dir().to_owned(), ProjectChoices::default());
        let of = |project: &Project| (project.name.clone(), sessions.each().map(new).collect());
        Self(projects.iter().map(of).collect())
    }

    pub(crate) fn of(&self, project: &str, config_dir: &Path) -> ProjectChoices {
        let of_project = self.0.get(project);
        let found = of_project.and_then(|of_project| of_project.get(config_dir));
        found.cloned().unwrap_or_default()
    }
}

impl ProjectChoices {
    fn lock(&self) -> MutexGuard<'_, Choices> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Updates the choices when a process has started.
    pub(crate) fn on_start(&self, info: &InitializeResponse) {
        let mut choices = self.lock();
        let version = info.claude_code_version.as_deref();
        choices.version = Some(cut(version.unwrap_or("unknown"), NAME));
        choices.models = info.models.iter().take(MOST).map(model).collect();
        choices.commands = commands(&info.commands);
    }

    /// Updates the commands when a process reports a new list.
    pub(crate) fn on_commands(&self, changed: &[SlashCommand]) {
        self.lock().commands = commands(changed);
    }

    /// Whether a model supports this effort level.
    pub(crate) fn has_effort(&self, effort: &EffortLevel) -> bool {
        let choices = self.lock();
        let mut models = choices.models.iter();
        models.any(|model| model.efforts.contains(effort))
    }

    /// Returns the choices, with the permission modes that the project allows.
    pub(crate) fn read(&self, project: &Project) -> Choices {
        let mut choices = self.lock().clone();
        let has_auto = choices.models.iter().any(|model| model.auto);
        // The CLI reports no list of modes, so the modes come from the project's settings.
        let modes = project.modes().filter(|&mode| {
            *mode != PermissionMode::Auto || has_auto || project.mode == PermissionMode::Auto
        });
        choices.modes = modes.cloned().collect();
        choices
    }
}

fn model(model: &ModelInfo) -> ModelChoice {
    ModelChoice {
        value: cut(&model.value, NAME),
        name: cut(&model.display_name, NAME),
        description: cut(&model.description, DESCRIPTION),
        resolved: model.resolved_model.as_deref().map(|name| cut(name, NAME)),
        efforts: model.supported_effort_levels.clone().unwrap_or_default(),
        auto: model.supports_auto_mode == Some(true),
    }
}

/// Selects the commands that a person can use. The names of the other commands begin with an underscore.
fn commands(all: &[SlashCommand]) -> Vec<CommandChoice> {
    let own = all
        .iter()
        .filter(|command| !command.name.starts_with('_') && command.name.chars().count() <= NAME);
    let choice = |command: &SlashCommand| CommandChoice {
        name: command.name.clone(),
        description: cut(&command.description, DESCRIPTION),
        argument_hint: cut(&command.argument_hint, NAME),
        aliases: command.aliases.clone().unwrap_or_default(),
    };
    own.take(MOST).map(choice).collect()
}

/// Shortens a text, and puts it on one line.
fn cut(text: &str, most: usize) -> String {
    let mut line: String = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .take(most)
        .collect();
    if text.chars().nth(most).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_newest_report_counts_and_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::new(folder.path()).unwrap().name("shop");
        let config = Path::new("/config");
        let learned = Learned::new(std::slice::from_ref(&project), &Sessions::new("/config"));
        let nothing = learned.of("shop", config).read(&project);
        assert_eq!((nothing.version, nothing.modes.len()), (None, 4));
        let long = "word\n".repeat(1000);
        let command =
            |name: &str| json!({"name": name, "description": long, "argumentHint": "[what]"});
        let all: Vec<_> = (0..2000).map(|n| command(&format!("c{n}"))).collect();
        let info = json!({"commands": all, "agents": [], "output_style": "default", "available_output_styles": [],
            "models": [{"value": "opus", "displayName": "Opus", "description": "Large", "supportsAutoMode": true,
                "supportedEffortLevels": ["low", "max"]}],
            "account": {}, "claude_code_version": "2.1.330"});
        let info: InitializeResponse = serde_json::from_value(info).unwrap();
        learned.of("shop", config).on_start(&info);
        let known = learned.of("shop", config).read(&project);
        assert_eq!(known.commands.len(), MOST);
        assert_eq!(
            known.commands[0].description.chars().count(),
            DESCRIPTION + 1
        );
        assert!(!known.commands[0].description.contains('\n'));
        assert_eq!(
            known.models[0].efforts,
            [EffortLevel::Low, EffortLevel::Max]
        );
        assert!(known.modes.contains(&PermissionMode::Auto));
        let changed: Vec<SlashCommand> =
            serde_json::from_value(json!([command("hello"), command("__own")])).unwrap();
        learned.of("shop", config).on_commands(&changed);
        let names = learned.of("shop", config).read(&project).commands;
        assert_eq!(
            names.iter().map(|it| &*it.name).collect::<Vec<_>>(),
            ["hello"]
        );
        assert!(
            learned
                .of("other", config)
                .read(&project)
                .commands
                .is_empty()
        );
    }
}
