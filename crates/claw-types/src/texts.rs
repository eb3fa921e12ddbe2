//! Texts of the CLI that claw recognises where the CLI reports a fact in no other way.

/// The beginnings of tool results that a person rejected.
pub(crate) const REJECTED_BY_USER: &[&str] = &[
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
];

/// The beginning of the note that the CLI puts into a conversation where a person interrupted a turn.
pub(crate) const INTERRUPTED: &str = "[Request interrupted";

/// The beginnings of the prompts by which the CLI makes the model continue an answer that was cut off, by the connection
/// or by the limit of output tokens. The model's next message continues the text of its last one.
const RESUMES: &[&str] = &[
    "Your response above was cut off mid-stream. Resume directly from where it stops",
    "Output token limit hit. Resume directly",
];

/// Whether a prompt of the CLI makes the model continue an answer that was cut off.
pub(crate) fn is_resumption(text: &str) -> bool {
    RESUMES.iter().any(|begin| text.starts_with(begin))
}

/// The text after [`REFUSED`] in tool results that a classifier denied.
pub(crate) const BY_CLASSIFIER: &str = "auto mode classifier";

/// The beginnings of tool results that a rule, a mode or a hook denied, or for which no one could
/// be asked.
pub(crate) const REFUSED: &[&str] = &[
    "Permission to use ",
    "Permission for this ",
    "PreToolUse:",
    "Tool permission request failed",
];

/// The text further on in tool results that begin with `PreToolUse:`. Other hooks begin in the same
/// way.
pub(crate) const HOOK_ERROR: &str = " hook error: ";

/// The beginning and a later part of tool results for which no one could be asked. Recorded with
/// the oldest supported CLI and with the pinned one.
const UNASKED: &[(&str, &str)] = &[
    ("Claude requested permissions to ", ""),
    (
        "This ",
        " command contains multiple operations. The following part",
    ),
];

/// A complete tool result for which no one could be asked.
const UNASKED_COMMAND: &str = "This command requires approval";

/// The text after the command and the quoted path in results of commands on paths for which no one
/// could be asked.
const UNASKED_PATH: &[&str] = &[
    "' was blocked. For security, Claude Code may only ",
    "' needs approval. The path is ",
];

/// Whether a tool result says that a permission was required, but no one could be asked.
pub(crate) fn is_unasked(text: &str) -> bool {
    let begins = |(begin, then): &(&str, &str)| {
        text.strip_prefix(begin)
            .is_some_and(|rest| rest.contains(then))
    };
    text == UNASKED_COMMAND || UNASKED.iter().any(begins) || is_unasked_path(text)
}

/// Matches `cat in '/a' was blocked. …` and `Output redirection to '/a' needs approval. …`. A
/// command's own output comes after a line with its exit code.
fn is_unasked_path(text: &str) -> bool {
    text.split_once('\'').is_some_and(|(command, path)| {
        let is_command = !command.contains('\n') && command.split(' ').count() <= 4;
        let line = path.lines().next().unwrap_or_default();
        is_command && UNASKED_PATH.iter().any(|part| line.contains(part))
    })
}
