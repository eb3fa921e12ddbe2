//! Describes suggested changes of the permissions in words.

use claw_types::control::{
    PermissionBehavior, PermissionDestination, PermissionRule, PermissionUpdate,
};
use claw_types::options::PermissionMode;

/// Describes a suggested change to the permissions in words: what the change allows, where it is stored, and how long
/// it applies. `None` if this version of the library does not know this kind of change. Do not offer an unknown change
/// to the user, because the user could not see what it allows.
///
/// ```
/// use claw_types::control::PermissionUpdate;
///
/// let rule = r#"{"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "ls:*"}],
///     "behavior": "allow", "destination": "session"}"#;
/// let update: PermissionUpdate = serde_json::from_str(rule)?;
/// let text = "always allow Bash(ls:*) (until this session's process ends; nothing is written)";
/// assert_eq!(claw_view::suggestion(&update).as_deref(), Some(text));
/// # Ok::<_, serde_json::Error>(())
/// ```
pub fn suggestion(update: &PermissionUpdate) -> Option<String> {
    use PermissionUpdate as Update;
    let (what, destination) = match update {
        Update::AddRules(add) => {
            let does = match add.behavior {
                PermissionBehavior::Allow => "always allow",
                PermissionBehavior::Deny => "always deny",
                PermissionBehavior::Ask => "always ask for",
                _ => return None,
            };
            (format!("{does} {}", rules(&add.rules)?), &add.destination)
        }
        Update::ReplaceRules(replace) => {
            let (does, rules) = (&replace.behavior, rules(&replace.rules)?);
            (
                format!("have these {does} rules and no other: {rules}"),
                &replace.destination,
            )
        }
        Update::RemoveRules(remove) => {
            let (does, rules) = (&remove.behavior, rules(&remove.rules)?);
            (
                format!("take away these {does} rules: {rules}"),
                &remove.destination,
            )
        }
        Update::SetMode(set) => (
            format!(
                "go on in the permission mode {}{}",
                set.mode,
                mode(&set.mode)
            ),
            &set.destination,
        ),
        Update::AddDirectories(add) => {
            let directories = list(&add.directories)?;
            (
                format!(
                    "add to the session's folders, which tools read without asking: {directories}"
                ),
                &add.destination,
            )
        }
        Update::RemoveDirectories(remove) => {
            let directories = list(&remove.directories)?;
            (
                format!("take away from the session's folders: {directories}"),
                &remove.destination,
            )
        }
        _ => return None,
    };
    Some(format!("{what} ({})", kept(destination)?))
}

/// Returns the place where a change is stored, and how long it applies.
fn kept(destination: &PermissionDestination) -> Option<&'static str> {
    Some(match *destination {
        PermissionDestination::Session | PermissionDestination::CliArg => {
            "until this session's process ends; nothing is written"
        }
        PermissionDestination::UserSettings => {
            "written to your user settings: for good, in all your projects"
        }
        PermissionDestination::ProjectSettings => {
            "written to the project's settings, .claude/settings.json: for good, for everybody in this project"
        }
        PermissionDestination::LocalSettings => {
            "written to the project's local settings, .claude/settings.local.json: for good, for you in this project"
        }
        _ => return None,
    })
}

/// Returns the meaning of a permission mode for the person who is asked.
fn mode(mode: &PermissionMode) -> &'static str {
    match *mode {
        PermissionMode::AcceptEdits => {
            ", which changes and deletes files in the session's folders without asking"
        }
        PermissionMode::BypassPermissions => ", which uses every tool without asking",
        _ => "",
    }
}

fn rules(rules: &[PermissionRule]) -> Option<String> {
    let rules = rules.iter().map(|rule| match &rule.rule_content {
        Some(content) => format!("{}({content})", rule.tool_name),
        None => format!("every use of {}", rule.tool_name),
    });
    list(&rules.collect::<Vec<_>>())
}

fn list(texts: &[String]) -> Option<String> {
    (!texts.is_empty()).then(|| texts.join(", "))
}
