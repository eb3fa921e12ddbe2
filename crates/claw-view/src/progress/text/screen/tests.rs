use super::plain;

#[test]
fn a_terminal_s_codes_are_understood() {
    let rows = [
        ("plain", "plain"),
        ("\u{1b}[1m\u{1b}[96mBuilding\u{1b}[0m 1/5", "Building 1/5"),
        ("45%\u{8}\u{8}\u{8}50%", "50%"),
        ("a\n\u{8}b", "a\nb"),
        ("\u{1b}[1A\u{1b}[2Knew", "\rnew"),
        ("a\u{1b}[3Cb", "a b"),
        ("\u{1b}]0;title\u{7}text", "text"),
        ("\u{1b}]8;;https://example.com\u{1b}\\link", "link"),
        ("\u{1b}(Btext", "Btext"),
        ("cut off \u{1b}[3", "cut off "),
        ("cut off \u{1b}]0;", "cut off "),
        ("cut off \u{1b}", "cut off "),
    ];
    for (text, expected) in rows {
        assert_eq!(plain(text), expected, "{text:?}");
    }
}
