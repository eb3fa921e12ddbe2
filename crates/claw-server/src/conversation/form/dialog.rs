//! The known dialogs of the CLI. Each asks for one choice.

use claw_types::Json;
use claw_types::control::RequestUserDialog;
use serde_json::Value;

use super::{Choice, Field, FieldKind, Form};

/// The kinds of dialogs that the server can show. The server reports them to the CLI, which then sends no other kinds.
pub(crate) const DIALOGS: [&str; 2] = [FALLBACK, OUTSIDE_READS];
/// The kind of the dialog that asks whether another model may try, after the model has refused.
const FALLBACK: &str = "refusal_fallback_prompt";
/// The kind of the dialog that asks whether to continue after a read outside of the working directories. The CLI asks
/// this in the permission mode `auto`.
const OUTSIDE_READS: &str = "auto_mode_outside_reads";
/// The name of the only field of a dialog.
pub(in super::super) const CHOICE: &str = "choice";
/// Maximum number of options of a dialog.
const MOST_OPTIONS: usize = 50;
/// Maximum size of a dialog, in bytes.
const LARGEST: usize = 64 << 10;

/// Returns the form of a dialog. Returns `None` if its kind is unknown, if it lacks a field of its kind, or if it is
/// too large.
pub(in super::super) fn of_dialog(dialog: &RequestUserDialog) -> Option<Form> {
    if dialog.payload.as_raw().len() > LARGEST {
        return None;
    }
    let payload = dialog.payload.to_value().ok()?;
    let text = |key: &str| Some(payload[key].as_str()?.to_owned());
    match &*dialog.dialog_kind {
        FALLBACK => {
            let (original, other) = (text("originalModel")?, text("fallbackModel")?);
            let options = [
                ("retry_fallback", format!("Try again with {other}")),
                ("edit_prompt", "Change the prompt".to_owned()),
            ];
            let options = options.map(|(value, title)| (value.to_owned(), title));
            Some(form(
                format!("{original} has refused to answer. What now?"),
                text("guidanceText"),
                options,
            ))
        }
        OUTSIDE_READS => {
            let options = payload["options"].as_array()?.iter().take(MOST_OPTIONS);
            let options: Vec<_> = options.filter_map(option).collect();
            let question = text("question")?;
            let question = match (text("toolName"), text("path")) {
                (Some(tool), Some(path)) => format!("{question}\n\n{tool}: {path}"),
                _ => question,
            };
            (!options.is_empty()).then(|| form(question, text("explainer"), options))
        }
        _ => None,
    }
}

fn option(option: &Value) -> Option<(String, String)> {
    let text = |key: &str| Some(option[key].as_str()?.to_owned());
    Some((text("value")?, text("label")?))
}

fn form(
    message: String,
    explanation: Option<String>,
    options: impl IntoIterator<Item = (String, String)>,
) -> Form {
    let choices = options.into_iter().map(|(value, title)| Choice {
        value: Json::from(Value::from(value)),
        title,
    });
    let choices = FieldKind::Choice {
        choices: choices.collect(),
    };
    Form {
        from: "Claude Code".to_owned(),
        message,
        explanation,
        fields: vec![Field {
            name: CHOICE.to_owned(),
            title: Some("Your choice".to_owned()),
            description: None,
            required: true,
            default: None,
            kind: choices,
        }],
        url: None,
        problem: None,
    }
}
