//! Tests with texts that an attacker writes.

#[cfg(target_os = "linux")]
use std::hint::black_box;

#[cfg(target_os = "linux")]
use claw_testkit::cost::{self, Row};
use claw_view::progress::{in_output, in_prose};
use proptest::prelude::*;

use super::recordings::is_plausible;

/// Texts with the maximum lengths that are read: 4 KiB for a line of output, and 16 KiB for a paragraph of prose.
#[cfg(target_os = "linux")]
#[test]
fn twice_as_long_a_text_takes_twice_as_long() {
    let pieces = [
        "7",
        "9,999,",
        "1/2 ",
        "1/2\n",
        "[",
        "[=",
        "(((1/2",
        "50%",
        "\u{1b}[",
        "\u{1b}]",
        "\u{8}",
        "\r45%",
        "█",
        "\u{202e}1/2 ",
        "Step 3: ",
        "- [x] ",
        "```\n",
        "the agent ",
    ];
    let row = |what: &str, piece: &'static str, size, read: fn(&str)| {
        Row::new(format!("{what}: {piece:?}"), size, move |length| {
            let text = piece.repeat(length / piece.len());
            Box::new(move || read(&text))
        })
    };
    let rows: Vec<_> = pieces
        .into_iter()
        .flat_map(|piece| {
            [
                row("output", piece, 1_000, |text| {
                    drop(black_box(in_output(text)));
                }),
                row("prose", piece, 3_500, |text| {
                    drop(black_box(in_prose(text)));
                }),
            ]
        })
        .collect();
    cost::is_linear(
        "progress::hostile::twice_as_long_a_text_takes_twice_as_long",
        &rows,
    );
}

#[test]
fn a_long_line_hides_nothing_around_it() {
    let long = "1/2 ".repeat(1 << 18);
    let text = format!("{long}\n[3/12] Compiling\n{long}");
    assert_eq!(
        in_output(&text).and_then(|progress| progress.completed),
        Some(3)
    );
}

#[test]
fn steps_hold_no_codes_of_the_terminal() {
    let progress =
        in_output("\u{1b}[31m[1/2]\u{1b}[0m Comp\u{1b}]0;title\u{7}iling \u{1b}[2Ja.c").unwrap();
    assert_eq!(progress.step.as_deref(), Some("Compiling a.c"));
}

#[test]
fn numbers_too_large_for_a_count_are_none() {
    assert!(in_output("[1/99999999999999999999999] Compiling").is_none());
    assert!(in_output("[0/0] Compiling").is_none());
    assert!(in_output("[9/3] Compiling").is_none());
    assert!(in_output("Compiling 450%").is_none());
}

/// Generates a text of pieces that resemble progress, and of any characters.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "1/2",
            "3 of 7",
            "45%",
            "[",
            "]",
            "(",
            ")",
            "<",
            ">",
            "|",
            "\"",
            "'",
            "`",
            "=",
            "====>",
            "██",
            " ",
            "\n",
            "\r",
            "\u{8}",
            "\u{1b}[2K",
            "\u{1b}]0;",
            "\u{7}",
            "Step",
            "Running",
            "test",
            "done",
            "failed",
            "subagent",
            "is",
            ":",
            ".",
            ",",
            "...",
            "—",
            "- [x] ",
            "- [ ] ",
            "```",
            "MB",
            "1.5",
            "/",
            "%",
            "total",
            "passed",
            "Tests:",
            "’",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
        "[0-9.,/%:]{1,12}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_gives_plausible_progress_or_none(text in text()) {
        for progress in [in_output(&text), in_prose(&text)].into_iter().flatten() {
            prop_assert!(is_plausible(&progress), "{progress:?}");
            let step = progress.step.unwrap_or_default();
            let is_one_line = !step.contains(['\n', '\r', '\u{1b}']);
            prop_assert!(is_one_line && step.chars().count() <= 81);
        }
    }

    /// The last progress in a text is returned.
    #[test]
    fn what_was_printed_last_counts(earlier in prop::collection::vec((1_u64..50, 50_u64..99), 0..20)) {
        let line = |(n, m): &(u64, u64)| format!("[{n}/{m}] Compiling");
        let mut lines: Vec<_> = earlier.iter().map(line).collect();
        lines.push("[7/9] Linking".to_owned());
        let found = in_output(&lines.join("\n"));
        prop_assert_eq!(found.and_then(|progress| progress.completed), Some(7));
    }
}
