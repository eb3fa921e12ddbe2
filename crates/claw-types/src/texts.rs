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

/// What stands in tool results for which nobody could be asked: how each begins, and what stands further
/// on. Recorded with the oldest CLI that claw takes and with the pinned one.
const UNASKED: &[(&str, &str)] = &[
    ("Claude requested permissions to ", ""),
    (
        "This ",
        " command contains multiple operations. The following part",
    ),
];

/// A whole one of those.
const UNASKED_COMMAND: &str = "This command requires approval";

/// What stands in tool results of commands on paths for which nobody could be asked, behind the command
/// and the path in quotes.
const UNASKED_PATH: &[&str] = &[
    "' was blocked. For security, Claude Code may only ",
    "' needs approval. The path is ",
];

/// Whether a tool result says that a permission was wanted for which nobody could be asked.
pub(crate) fn is_unasked(text: &str) -> bool {
    let begins = |(begin, then): &(&str, &str)| {
        text.strip_prefix(begin)
            .is_some_and(|rest| rest.contains(then))
    };
    text == UNASKED_COMMAND || UNASKED.iter().any(begins) || is_unasked_path(text)
}

/// `cat in '/a' was blocked. …`, `Output redirection to '/a' needs approval. …`; a command's own output
/// stands behind a line with its exit code.
fn is_unasked_path(text: &str) -> bool {
    text.split_once('\'').is_some_and(|(command, path)| {
        let is_command = !command.contains('\n') && command.split(' ').count() <= 4;
        let line = path.lines().next().unwrap_or_default();
        is_command && UNASKED_PATH.iter().any(|said| line.contains(said))
    })
}
