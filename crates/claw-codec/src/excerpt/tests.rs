fn excerpt(raw: &[u8], max: usize) -> String {
    super::excerpt(raw, raw.len() as u64, max)
}

#[test]
fn short_text_is_shown_whole() {
    assert_eq!(
        excerpt("[\"it's\"] größe \\n".as_bytes(), 200),
        "[\"it's\"] größe \\n"
    );
}

#[test]
fn what_could_move_a_cursor_or_hide_text_is_escaped() {
    assert_eq!(
        excerpt("\x1b[2J\0\u{202e}\u{9b}x".as_bytes(), 200),
        "\\u{1b}[2J\\0\\u{202e}\\u{9b}x"
    );
}

#[test]
fn a_cut_counts_what_is_missing_and_spares_characters() {
    assert_eq!(excerpt("aé€😀z".as_bytes(), 7), "aé€… (5 bytes more)");
    assert_eq!(excerpt("aé€😀z".as_bytes(), 2), "a… (10 bytes more)");
    assert_eq!(excerpt("😀".as_bytes(), 0), "… (4 bytes more)");
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    assert_eq!(excerpt(b"a\xffb", 200), "a\u{fffd}b");
    // A run of continuation bytes is no character to be spared.
    assert_eq!(
        excerpt(&[0x80; 10], 5),
        format!("{}… (8 bytes more)", "\u{fffd}".repeat(2))
    );
}

#[test]
fn what_was_never_kept_is_counted_too() {
    assert_eq!(super::excerpt(b"abcd", 1000, 200), "abcd… (996 bytes more)");
}
