//! Texts that were made to do harm.

use std::time::{Duration, Instant};

use claw_view::progress::{in_output, in_prose};

/// Also by a build that is not optimised; what takes quadratic time takes minutes. Short lines are read
/// one by one, and a quarter of a megabyte of them is enough to see it.
#[test]
fn a_megabyte_is_read_at_once() {
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
    for piece in pieces {
        let len = if piece.contains(['\n', '\r']) {
            1 << 18
        } else {
            1 << 20
        };
        let text = piece.repeat(len / piece.len());
        let start = Instant::now();
        let found = (in_output(&text), in_prose(&text));
        let took = start.elapsed();
        assert!(
            took < Duration::from_secs(20),
            "{piece:?} took {took:?}: {found:?}"
        );
    }
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
