//! What the real CLI writes and claw does not type: a list that fails both ways.

use std::collections::BTreeSet;

use claw_types::{StdinMessage, StdoutMessage, Typed, Untyped, from_line, untyped};

use crate::support::recorded;

/// Struct, key, and why the key is not a field. A key that lands in `extra` on a recording and does
/// not stand here fails the test, and so does one that stands here and no longer lands there.
const LISTED: &[(&str, &str, &str)] = &[
    (
        "UserMessage",
        "sourceToolAssistantUUID",
        "the oldest CLI writes a deferred tool's result as it stands in the transcript",
    ),
    ("UserMessage", "toolUseResult", "the same"),
];

/// The structs and keys of all that a value keeps in `extra`, however deep it sits.
pub(crate) fn extras(value: &impl Typed) -> BTreeSet<(String, String)> {
    let kept = untyped(value)
        .into_iter()
        .filter_map(|untyped| match untyped {
            Untyped::Field { owner, key, .. } | Untyped::Null { owner, key, .. } => {
                Some((owner.to_owned(), key))
            }
            _ => None,
        });
    kept.collect()
}

#[test]
fn what_lands_in_extra_is_listed() {
    let mut found = BTreeSet::new();
    for sample in recorded("stdout.ndjson") {
        found.extend(extras(
            &from_line::<StdoutMessage>(sample.line.as_bytes()).unwrap(),
        ));
    }
    for sample in recorded("stdin.ndjson") {
        found.extend(extras(
            &from_line::<StdinMessage>(sample.line.as_bytes()).unwrap(),
        ));
    }
    // A store's entry keeps all there that it says; what that is is looked at among transcripts.
    found.retain(|(owner, _)| owner != "SessionStoreEntry");
    let listed = LISTED
        .iter()
        .map(|(owner, key, _)| ((*owner).to_owned(), (*key).to_owned()))
        .collect();
    let new: Vec<_> = found.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&found).collect();
    assert!(
        new.is_empty(),
        "make these fields, or list them with a reason: {new:?}"
    );
    assert!(
        gone.is_empty(),
        "no longer in extra on any recording: {gone:?}"
    );
}
