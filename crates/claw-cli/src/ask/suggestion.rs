//! Permission changes that the CLI suggests. After such a change, the CLI does not ask again.

use claw_client::types::control::{CanUseTool, PermissionUpdate};
use claw_view::suggestion;

use crate::escape::one_line;

/// A permission change that the user may choose together with a yes.
#[derive(Debug)]
pub(super) struct Suggestion {
    /// An escaped description of the change and of the place where it is stored.
    pub(super) text: String,
    pub(super) update: PermissionUpdate,
}

/// Returns the suggestions that claw can describe. Other suggestions are left out, because the user must see everything
/// that is allowed.
pub(super) fn suggestions(question: &CanUseTool) -> Vec<Suggestion> {
    if question.suppress_always_allow_rule == Some(true) {
        return Vec::new();
    }
    let updates = question.permission_suggestions.iter().flatten();
    let named = updates.filter_map(|update| {
        Some(Suggestion {
            text: one_line(&suggestion(update)?, usize::MAX),
            update: update.clone(),
        })
    });
    named.collect()
}

/// Returns the suggestions that a line chooses: none for a yes, or those with the typed numbers. Returns `None` if the
/// line is neither.
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

#[cfg(test)]
mod tests;
