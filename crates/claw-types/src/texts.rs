//! Texts of the CLI's that are recognised where it says a thing in no other way.

/// Beginnings of tool results for which a person said no.
pub(crate) const REJECTED_BY_USER: &[&str] = &[
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
];

/// What stands in tool results for which a classifier said no, behind [`REFUSED`].
pub(crate) const BY_CLASSIFIER: &str = "auto mode classifier";

/// Beginnings of tool results for which a rule, a mode or a hook said no, or nobody could be asked.
pub(crate) const REFUSED: &[&str] = &[
    "Permission to use ",
    "Permission for this ",
    "PreToolUse:",
    "Tool permission request failed",
];

/// What stands further on in those that begin with `PreToolUse:`; other hooks begin so too.
pub(crate) const HOOK_ERROR: &str = " hook error: ";
