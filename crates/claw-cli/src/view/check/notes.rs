//! Notes about the parts of a line that claw does not know.

use std::collections::BTreeSet;

use claw_types::dialect::Today;
use claw_types::{Untyped, untyped};
use claw_view::Read;

/// Returns a note for each unknown kind and field. Each note is returned once, and the notes are sorted.
pub(super) fn notes(read: &Read) -> Vec<String> {
    let untyped = match read {
        Read::Today(Today::Stdout(line)) => untyped(line),
        Read::Today(Today::Stdin(line)) => untyped(line),
        Read::Entry(entry) => untyped(entry),
        Read::Other(kind) => {
            return vec![format!(
                "of {kind}, an older form, no more than its name is known"
            )];
        }
        _ => return Vec::new(),
    };
    let mut seen = BTreeSet::new();
    let unknown = untyped
        .iter()
        .filter(|untyped| !is_second_id(read, untyped));
    let notes = unknown.map(note);
    notes.filter(|note| seen.insert(note.clone())).collect()
}

/// Returns whether this is the second ID of an entry: `session_id`, in addition to `sessionId`. It is the ID that the
/// session had when the CLI process began to work on it. claw's types have no such field, because in many languages
/// both fields would have the same name.
fn is_second_id(read: &Read, untyped: &Untyped) -> bool {
    matches!(read, Read::Entry(_))
        && matches!(untyped, Untyped::Field { key, .. } if key == "session_id")
}

/// Returns the text of a note. The text contains no path, so that a list with many items and a new field results in one
/// note.
fn note(untyped: &Untyped) -> String {
    match untyped {
        Untyped::Field { owner, key, .. } => format!("the field {key} of {owner} is not known"),
        Untyped::Null { owner, key, .. } => {
            format!("the field {key} of {owner} is null, and not absent")
        }
        Untyped::Kind { kind, .. } if kind.is_empty() => {
            "the kind without a name is not known".to_owned()
        }
        // The kind of a request has only a subtype, so it begins with the separator `/`.
        Untyped::Kind { kind, .. } => {
            let kind = kind.trim_start_matches('/');
            format!("the kind {kind} is not known")
        }
        // A later version of the enum may have further variants, which get this text.
        _ => "something is not known".to_owned(),
    }
}
