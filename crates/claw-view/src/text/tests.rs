use super::*;

#[test]
fn a_short_text_hides_nothing() {
    for text in ["", "one", "one\n", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"] {
        let preview = Preview::of(text);
        assert_eq!(
            (preview.hidden_lines, preview.is_cut()),
            (0, false),
            "{text:?}"
        );
    }
}

#[test]
fn a_long_text_says_how_many_lines_are_hidden() {
    let lines: Vec<_> = (1..=25).map(|number| format!("line {number}\n")).collect();
    let text = lines.concat();
    let preview = Preview::of(&text);
    assert!(preview.text.ends_with("line 10"));
    assert_eq!(preview.hidden_lines, 15);
    let without_end = text.strip_suffix('\n').unwrap_or(&text);
    assert_eq!(Preview::of(without_end).hidden_lines, 15);
}

#[test]
fn a_long_line_is_cut_between_characters() {
    let preview = Preview::of(&"é".repeat(1_500));
    assert_eq!(preview.text.chars().count(), 1_000);
    assert_eq!((preview.hidden_lines, preview.hidden_chars), (0, 500));
}

#[test]
fn a_path_keeps_its_end() {
    for (path, short) in [
        ("/path/to/file.go", ".../file.go"),
        ("/etc/hosts", "/etc/hosts"),
        ("src/main.rs", "src/main.rs"),
        ("a/b/c.rs", ".../c.rs"),
        ("/a/b/c/", ".../c"),
        (r"C:\work\project\main.rs", ".../main.rs"),
        ("file", "file"),
        ("/", "/"),
        ("", ""),
    ] {
        assert_eq!(short_path(path), short);
    }
}

#[test]
fn an_argument_is_one_line() {
    assert_eq!(one_line("  a\n\tb  c "), "a b c");
    assert_eq!(one_line("a\u{1b}[31mb"), "a\u{fffd}[31mb");
    let long = one_line(&"x".repeat(1_000));
    assert_eq!(long.chars().count(), 81);
    assert!(long.ends_with('…'));
}

#[test]
fn a_name_that_is_too_long_is_shortened_and_still_its_own() {
    let long = |end: &str| "ä".repeat(400) + end;
    let (one, other) = (long("1"), long("2"));
    assert!(short_name(&one).len() < 100 && short_name(&one) != short_name(&other));
    assert_eq!(short_name(&one), short_name(&one.clone()));
    assert_eq!(short_name("toolu_1"), "toolu_1");
}

#[test]
fn a_long_failure_shows_its_end() {
    let lines: Vec<_> = (1..=25).map(|number| format!("line {number}\n")).collect();
    let preview = Preview::of_end(&lines.concat());
    assert!(preview.at_end);
    assert_eq!(preview.text, lines[15..].concat());
    assert_eq!(
        (preview.hidden_lines, preview.hidden_chars),
        (15, 9 * 7 + 6 * 8)
    );
    let long = Preview::of_end(&"é".repeat(1_500));
    assert_eq!(long.text.chars().count(), 1_000);
    assert_eq!((long.hidden_lines, long.hidden_chars), (0, 500));
    for text in ["", "one", "one\n", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"] {
        let preview = Preview::of_end(text);
        assert_eq!(
            (&*preview.text, preview.is_cut()),
            (text, false),
            "{text:?}"
        );
    }
}

#[test]
fn colours_are_dropped_and_nothing_else() {
    for (text, plain) in [
        ("\u{1b}[1;31merror\u{1b}[0m: no", "error: no"),
        ("\u{1b}[38:2::1:2:3mx\u{1b}[m", "x"),
        // grep writes these sequences.
        ("a \u{1b}[01;31m\u{1b}[Kb\u{1b}[m\u{1b}[K c", "a b c"),
    ] {
        assert_eq!(without_colours(text), plain);
    }
    for kept in [
        "plain",
        "\u{1b}[2J",
        "\u{1b}[",
        "\u{1b}[31",
        "\u{1b}]0;m",
        "\u{1b}[?25hm",
        "[31m",
    ] {
        assert!(
            matches!(without_colours(kept), Cow::Borrowed(text) if text == kept),
            "{kept:?}"
        );
    }
}
