//! Permission changes that the CLI suggests, so that it need not ask again.

use claw_client::types::control::{
    CanUseTool, PermissionBehavior, PermissionDestination, PermissionRule, PermissionUpdate,
};

use crate::escape::one_line;

/// A permission change that the user may choose together with a yes.
#[derive(Debug)]
pub(super) struct Suggestion {
    /// The change and where it is stored; escaped.
    pub(super) text: String,
    pub(super) update: PermissionUpdate,
}

/// The suggestions that claw can describe. Others are left out, because nobody should allow what is not shown.
pub(super) fn suggestions(question: &CanUseTool) -> Vec<Suggestion> {
    if question.suppress_always_allow_rule == Some(true) {
        return Vec::new();
    }
    let updates = question.permission_suggestions.iter().flatten();
    let told = updates.filter_map(|update| {
        Some(Suggestion {
            text: one_line(&text(update)?, usize::MAX),
            update: update.clone(),
        })
    });
    told.collect()
}

/// The suggestions chosen with a yes: none, or those with these numbers. `None` if the line is not a yes.
pub(super) fn chosen(line: &str, suggestions: &[Suggestion]) -> Option<Vec<PermissionUpdate>> {
    if matches!(line.trim().to_lowercase().as_str(), "y" | "yes") {
        return Some(Vec::new());
    }
    let mut numbers = Vec::new();
    for number in line.split(',') {
        let number: usize = number.trim().parse().ok()?;
        let index = number
            .checked_sub(1)
            .filter(|index| *index < suggestions.len())?;
        if !numbers.contains(&index) {
            numbers.push(index);
        }
    }
    let updates = numbers
        .into_iter()
        .map(|index| suggestions[index].update.clone());
    Some(updates.collect())
}

fn text(update: &PermissionUpdate) -> Option<String> {
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
            format!("go on in the permission mode {}", set.mode),
            &set.destination,
        ),
        Update::AddDirectories(add) => {
            let directories = list(&add.directories)?;
            (
                format!("allow the directories {directories}"),
                &add.destination,
            )
        }
        Update::RemoveDirectories(remove) => {
            let directories = list(&remove.directories)?;
            (
                format!("no longer allow the directories {directories}"),
                &remove.destination,
            )
        }
        _ => return None,
    };
    Some(format!("{what} ({})", kept(destination)?))
}

/// Where a change is stored.
fn kept(destination: &PermissionDestination) -> Option<&'static str> {
    Some(match *destination {
        PermissionDestination::Session | PermissionDestination::CliArg => {
            "in this session alone; nothing is written"
        }
        PermissionDestination::UserSettings => "written to your settings, ~/.claude/settings.json",
        PermissionDestination::ProjectSettings => {
            "written to the project's settings, .claude/settings.json"
        }
        PermissionDestination::LocalSettings => {
            "written to the project's local settings, .claude/settings.local.json"
        }
        _ => return None,
    })
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
mod tests;
