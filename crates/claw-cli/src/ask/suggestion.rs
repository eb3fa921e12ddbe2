//! Permission changes that the CLI suggests, so that it need not ask again.

use claw_client::types::control::{CanUseTool, PermissionUpdate};
use claw_view::suggestion;

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
    let named = updates.filter_map(|update| {
        Some(Suggestion {
            text: one_line(&suggestion(update)?, usize::MAX),
            update: update.clone(),
        })
    });
    named.collect()
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

#[cfg(test)]
mod tests;
