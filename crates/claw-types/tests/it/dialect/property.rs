//! Old lines with more in them than claw knows.

use std::sync::LazyLock;

use claw_types::dialect::Dialect;
use proptest::prelude::*;
use serde_json::Value;

use super::documents::all;
use super::read;
use crate::mutate::{any_json, objects};
use crate::property::holds;
use crate::support::assert_lossless;

static LINES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let lines = all();
    let lines = lines.iter().filter(|example| example.part == "line");
    lines.flat_map(super::documents::Example::values).collect()
});

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// At any depth, with any value; and the line is still of its form.
    #[test]
    fn a_field_of_tomorrow_is_kept_in_an_old_line(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        json in any_json(),
    ) {
        let line = which.get(&LINES);
        let mut tree: Value = serde_json::from_str(line).unwrap();
        let mut found = Vec::new();
        objects(&tree, "", &mut found);
        let object = tree.pointer_mut(&found[at.index(found.len())]).unwrap();
        object["of tomorrow"] = json;
        let more = tree.to_string();
        let old = read(&more);
        assert_lossless(&old, &more);
        prop_assert_eq!(form(&old), form(&read(line)), "{}", more);
    }
}

/// What holds of any bytes holds of old lines, whole and cut.
#[test]
fn old_lines_hold_what_any_line_does() {
    for line in LINES.iter() {
        holds(line.as_bytes());
        for end in 0..line.len() {
            holds(&line.as_bytes()[..end]);
        }
    }
}

fn form(old: &Dialect) -> std::mem::Discriminant<Dialect> {
    std::mem::discriminant(old)
}
