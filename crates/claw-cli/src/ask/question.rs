//! Displays a tool use that needs permission.

use claw_client::types::control::CanUseTool;
use claw_client::types::tool::ToolInput;
use claw_client::types::{Json, Map};
use claw_view::diff::FileDiff;
use claw_view::{AskedPath, ToolDisplay};

use crate::view::wrap::{Wrap, spaces};

/// The column of lines with details about the question.
const MARGIN: usize = 4;
/// The column at which long texts of the session continue on the next line. No text of claw itself starts at this
/// column.
const BEHIND: usize = 6;

/// A tool use that needs permission. The user must see everything that is allowed, so the input is shown in full.
pub(super) struct Use {
    /// The tool use in one line, unshortened.
    pub(super) line: String,
    /// The change that the tool would make to a file.
    pub(super) change: Option<FileDiff>,
    /// The members of the input that neither the line nor the change shows.
    rest: Vec<(String, String)>,
}

impl Use {
    pub(super) fn of(question: &CanUseTool) -> Self {
        let (tool, input) = (&*question.tool_name, &question.input);
        let display = ToolDisplay::of(tool, input);
        let line = display.full();
        let known = ToolInput::of(tool, input).ok();
        let change = known.as_ref().and_then(FileDiff::on_disk);
        let change = change.filter(|change| !change.hunks.is_empty());
        let Ok(fields) = input.parse::<Map<Json>>() else {
            let rest = vec![("input".to_owned(), input.as_raw().to_owned())];
            return Self { line, change, rest };
        };
        let in_change: &[&str] = match &known {
            _ if change.is_none() => &[],
            Some(ToolInput::Edit(_)) => &["file_path", "old_string", "new_string"],
            Some(ToolInput::Write(_)) => &["file_path", "content"],
            Some(ToolInput::MultiEdit(edit)) => {
                let all = edit.edits.iter().any(|step| step.replace_all == Some(true));
                if all {
                    &["file_path"]
                } else {
                    &["file_path", "edits"]
                }
            }
            Some(ToolInput::NotebookEdit(_)) => &["notebook_path", "new_source"],
            _ => &[],
        };
        // The line of such a tool contains all members, so none is left for the rest.
        let is_listed = matches!(
            known,
            None | Some(ToolInput::Mcp(_) | ToolInput::Unknown(_))
        );
        let is_shown = |name: &str, value: &Json| {
            let text = value.parse::<String>().ok();
            is_listed
                || in_change.contains(&name)
                || text.is_some_and(|text| {
                    let tool = display.name();
                    line == format!("{tool}({text})")
                        || line == format!("{tool}({name}: \"{text}\")")
                })
        };
        let rest = fields.iter().filter(|(name, value)| !is_shown(name, value));
        let rest = rest.map(|(name, value)| {
            let text = value.parse().unwrap_or_else(|_| value.as_raw().to_owned());
            (name.to_owned(), text)
        });
        let rest = rest.collect();
        Self { line, change, rest }
    }

    /// Returns the rest of the input and the reason of the request. They are escaped, and each begins on a new line.
    pub(super) fn details(
        &self,
        question: &CanUseTool,
        path: Option<AskedPath>,
        width: Option<usize>,
    ) -> String {
        let rest = self
            .rest
            .iter()
            .map(|(name, text)| format!("{name}: {text}"));
        let path = path.map(|path| path.to_string());
        let why = question.decision_reason.as_ref();
        let why = why.map(|why| format!("Why it is asked: {why}"));
        rest.chain(path)
            .chain(why)
            .map(|text| safe(MARGIN, &text, width))
            .collect()
    }
}

/// Returns an escaped text on separate lines, which begin at this column.
pub(super) fn safe(column: usize, text: &str, width: Option<usize>) -> String {
    let mut out = Vec::new();
    let mut wrap = Wrap::new(width, BEHIND, column);
    // Writing to memory cannot fail.
    let _ = spaces(&mut out, column);
    let _ = wrap.write(&mut out, text);
    let _ = wrap.close(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}
