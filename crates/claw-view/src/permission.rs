//! Describes suggested changes of the permissions in words.

use claw_types::control::{
    PermissionBehavior, PermissionDestination, PermissionRule, PermissionUpdate,
};
use claw_types::options::PermissionMode;

/// Describes a suggested change to the permissions in words. The text contains what the change allows, where it is
/// stored, and how long it applies. Returns `None` if this version of the library does not know this kind of change. Do
/// not offer an unknown change to the user, because the user could not see what it allows.
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
    let (what, destination) = what(update)?;
    Some(format!("{what} ({})", kept(destination)?))
}

/// A suggested change of the permissions, with the texts for a button.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OfferedChange {
    /// The effect of the button, such as `Always: npm install *`.
    pub label: String,
    /// What the label means, where the change is stored, and how long it applies.
    pub details: String,
    /// Whether the change allows more than commands like the requested one. Such a change allows a mode, a folder,
    /// every use of a tool, every argument of a program, or something in other projects or for other people. Ask the
    /// user a second time before you make such a change.
    pub is_wide: bool,
}

/// Describes a suggested change for a button. Returns `None` in the same cases as [`suggestion`].
///
/// ```
/// use claw_types::control::PermissionUpdate;
///
/// let rule = r#"{"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "npm install:*"}],
///     "behavior": "allow", "destination": "localSettings"}"#;
/// let update: PermissionUpdate = serde_json::from_str(rule)?;
/// let offered = claw_view::offered_change(&update).unwrap();
/// assert_eq!((&*offered.label, offered.is_wide), ("Always: npm install *", false));
/// # Ok::<_, serde_json::Error>(())
/// ```
pub fn offered_change(update: &PermissionUpdate) -> Option<OfferedChange> {
    use PermissionUpdate as Update;
    let (what, destination) = what(update)?;
    let kept = kept(destination)?;
    let (label, details) = match update {
        Update::AddRules(add) if add.behavior == PermissionBehavior::Allow => {
            let rules: Vec<_> = add.rules.iter().map(short_rule).collect();
            (format!("Always: {}", rules.join(", ")), kept.to_owned())
        }
        Update::SetMode(set) => {
            let label = format!("Allow, and use the mode {}", set.mode);
            (label, format!("{}{} ({kept})", set.mode, mode(&set.mode)))
        }
        Update::AddDirectories(add) => {
            let label = format!("Allow, and add the folder {}", list(&add.directories)?);
            (label, format!("tools read there without asking ({kept})"))
        }
        _ => (format!("Allow, and {what}"), kept.to_owned()),
    };
    let is_here = matches!(
        *destination,
        PermissionDestination::Session
            | PermissionDestination::CliArg
            | PermissionDestination::LocalSettings
    );
    let is_narrow = match update {
        Update::AddRules(add) if add.behavior == PermissionBehavior::Allow => {
            is_here && add.rules.iter().all(is_narrow) && label.len() <= LONGEST_LABEL
        }
        _ => false,
    };
    Some(OfferedChange {
        details,
        label,
        is_wide: !is_narrow,
    })
}

/// Maximum length of a label, in bytes. A person must be able to read it quickly.
const LONGEST_LABEL: usize = 160;

/// The tools whose rules contain a command.
const SHELLS: [&str; 2] = ["Bash", "PowerShell"];

/// Returns the label of a rule. For a shell, the label consists only of the command.
fn short_rule(rule: &PermissionRule) -> String {
    match &rule.rule_content {
        Some(command) if SHELLS.contains(&&*rule.tool_name) => command
            .strip_suffix(":*")
            .map_or_else(|| command.clone(), |begin| format!("{begin} *")),
        Some(content) => format!("{}({content})", rule.tool_name),
        None => format!("every use of {}", rule.tool_name),
    }
}

/// Whether a rule allows only commands that are like the requested command. A rule such as `python3 *` is not narrow,
/// because a program with any arguments may do anything. The same applies to any arguments after an option, such as
/// `bash -c *`. The rule of a file tool may allow a whole folder, so it is not narrow either.
fn is_narrow(rule: &PermissionRule) -> bool {
    let Some(content) = &rule.rule_content else {
        return false;
    };
    if content.trim().is_empty() || content.contains(char::is_control) {
        return false;
    }
    if !SHELLS.contains(&&*rule.tool_name) {
        return ["WebFetch", "Skill"].contains(&&*rule.tool_name) && !content.contains('*');
    }
    let Some((begin, end)) = content.split_once('*') else {
        return true;
    };
    let words: Vec<_> = begin.trim_end_matches(':').split_whitespace().collect();
    end.is_empty() && words.len() > 1 && !words.iter().any(|word| word.starts_with('-'))
}

/// Returns words that describe the change, and the destination in which it is stored. Returns `None` if the kind of
/// change is unknown.
fn what(update: &PermissionUpdate) -> Option<(String, &PermissionDestination)> {
    use PermissionUpdate as Update;
    Some(match update {
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
    })
}

/// Returns words that name the destination of a change and how long the change applies. Returns `None` if the
/// destination is unknown.
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

/// Returns words that explain a permission mode to the person who decides about it.
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn offered(update: Value) -> OfferedChange {
        offered_change(&serde_json::from_value(update).unwrap()).unwrap()
    }

    fn rule(tool: &str, content: Option<&str>, destination: &str) -> OfferedChange {
        offered(
            json!({"type": "addRules", "rules": [{"toolName": tool, "ruleContent": content}],
            "behavior": "allow", "destination": destination}),
        )
    }

    #[test]
    fn a_button_names_the_command_and_what_is_wide_is_known() {
        for (content, label, is_wide) in [
            ("npm install:*", "Always: npm install *", false),
            ("npm install *", "Always: npm install *", false),
            ("rm -rf build", "Always: rm -rf build", false),
            ("npm:*", "Always: npm *", true),
            ("bash -c:*", "Always: bash -c *", true),
            ("*", "Always: *", true),
            ("git * --force", "Always: git * --force", true),
            ("one\ntwo", "Always: one\ntwo", true),
            ("ls -l\rrm x", "Always: ls -l\rrm x", true),
        ] {
            let change = rule("Bash", Some(content), "localSettings");
            assert_eq!((&*change.label, change.is_wide), (label, is_wide));
        }
        for (tool, content, is_wide) in [
            ("Bash", None, true),
            ("Read", Some("//tmp/**"), true),
            ("Edit", Some("/src"), true),
            ("mcp__clock__set", None, true),
            ("WebFetch", Some("domain:example.com"), false),
        ] {
            assert_eq!(
                rule(tool, content, "session").is_wide,
                is_wide,
                "{tool} {content:?}"
            );
        }
        for destination in ["userSettings", "projectSettings"] {
            assert!(rule("Bash", Some("npm install:*"), destination).is_wide);
        }
        assert!(rule("Bash", Some(&"a".repeat(200)), "session").is_wide);
    }

    #[test]
    fn a_mode_a_folder_and_changes_of_rules_are_wide() {
        let mode =
            offered(json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"}));
        assert_eq!(mode.label, "Allow, and use the mode acceptEdits");
        assert!(mode.is_wide && mode.details.contains("deletes files"));
        let folder = offered(
            json!({"type": "addDirectories", "directories": ["/a"], "destination": "session"}),
        );
        assert_eq!(folder.label, "Allow, and add the folder /a");
        assert!(folder.is_wide);
        let rules = json!([{"toolName": "Bash", "ruleContent": "ls"}]);
        let removed = offered(
            json!({"type": "removeRules", "rules": rules, "behavior": "deny", "destination": "session"}),
        );
        assert_eq!(
            removed.label,
            "Allow, and take away these deny rules: Bash(ls)"
        );
        assert!(removed.is_wide);
    }
}
