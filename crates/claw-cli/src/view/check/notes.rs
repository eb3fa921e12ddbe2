//! What of a line claw does not know.

use claw_types::{Json, Map};
use claw_view::Read;

/// Kinds and fields that claw does not know, each once, in order.
pub(super) fn notes(read: &Read) -> Vec<String> {
    match read {
        Read::Today(line) => unknowns(line),
        Read::Entry(entry) => unknowns(entry),
        Read::Other(kind) => vec![format!(
            "of {kind}, an older form, no more than its name is known"
        )],
        _ => Vec::new(),
    }
}

/// Read from `Debug`: there every type shows what it keeps of the unknown (a struct its `extra`, a union
/// the whole object), however deep it sits, so that none is forgotten. JSON and texts are one line each in it.
fn unknowns(value: &impl std::fmt::Debug) -> Vec<String> {
    let text = format!("{value:#?}");
    let mut structs: Vec<(usize, &str)> = Vec::new();
    let mut inside = None;
    let mut in_unknown = false;
    let mut found = Vec::new();
    let mut note = |note: String| {
        if !found.contains(&note) {
            found.push(note);
        }
    };
    for line in text.lines() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if let Some(outside) = inside {
            if indent == outside {
                inside = None;
            } else if let Some((key, _)) = trimmed
                .strip_prefix('"')
                .and_then(|line| line.split_once("\": "))
            {
                let owner = structs.last().map_or("", |(_, name)| name);
                note(format!("the field {key} of {owner} is not known"));
            }
            continue;
        }
        if in_unknown && trimmed.starts_with('{') {
            note(format!(
                "the kind {} is not known",
                kind(trimmed.trim_end_matches(','))
            ));
        }
        in_unknown = trimmed.ends_with("Unknown(");
        while structs.last().is_some_and(|(at, _)| *at >= indent) {
            structs.pop();
        }
        if trimmed == "extra: {" {
            inside = Some(indent);
        } else if let Some(opened) = trimmed.strip_suffix(" {") {
            structs.push((indent, opened.rsplit(' ').next().unwrap_or(opened)));
        }
    }
    found
}

/// What an object says that it is.
fn kind(json: &str) -> String {
    let object: Option<Map<Json>> = serde_json::from_str(json).ok();
    let text = |key: &str| object.as_ref()?.get(key)?.get::<String>().ok();
    match (text("type"), text("subtype")) {
        (Some(kind), Some(sub)) => format!("{kind}/{sub}"),
        (Some(kind), None) | (None, Some(kind)) => kind,
        (None, None) => "without a name".to_owned(),
    }
}
