use super::{Kind, tokens};

fn kinds(line: &str) -> Vec<Kind> {
    tokens(line).iter().map(|token| token.kind).collect()
}

#[test]
fn numbers_are_told_from_names() {
    let rows = [
        ("12", Kind::Number(12)),
        ("1,234", Kind::Number(1234)),
        ("1.5", Kind::Decimal(1.5)),
        ("45%", Kind::Percent(45.0)),
        ("45.5 %", Kind::Percent(45.5)),
        ("3/12", Kind::Pair(3, 12)),
        ("3 of the 12", Kind::Pair(3, 12)),
        ("three out of twelve", Kind::Pair(3, 12)),
        ("1,234 / 5,678", Kind::Pair(1234, 5678)),
        ("3.0/12.0 MB", Kind::Sizes(3e6, 12e6)),
        ("1.5 of 6 MB", Kind::Sizes(1.5e6, 6e6)),
        ("12kB/4MB", Kind::Sizes(12e3, 4e6)),
        ("2KiB", Kind::Size(2048.0)),
        ("1.2MB/s", Kind::Rate),
        ("3.60it/s", Kind::Rate),
        ("1m12s", Kind::Time),
        ("00:12:40", Kind::Time),
        ("1.2.3", Kind::Other),
        ("v20/21", Kind::Other),
        ("3/4/2026", Kind::Other),
        ("2026-11-21", Kind::Other),
        ("10.0.0.0/24", Kind::Other),
        ("12:5:", Kind::Time),
        ("src/1/2", Kind::Other),
        ("3rd", Kind::Other),
        ("code-review", Kind::Word),
        ("[====>    ]", Kind::Bar),
        ("█████▌", Kind::Bar),
        ("—", Kind::Ornament),
    ];
    for (text, expected) in rows {
        assert_eq!(kinds(text), [expected], "{text:?}");
    }
}

#[test]
fn punctuation_ends_what_is_said_and_dots_do_not() {
    let tokens = tokens("Done. Now 3, then... 4");
    let ends: Vec<_> = tokens
        .iter()
        .map(|token| (token.text, token.ends()))
        .collect();
    let expected = [
        ("Done", true),
        ("Now", false),
        ("3", false),
        ("then", false),
        ("4", false),
    ];
    assert_eq!(ends, expected);
}

#[test]
fn what_stands_in_quotes_is_marked() {
    for line in ["say \"3/12\" now", "say 'at 3/12' now", "say `a 3/12` now"] {
        let tokens = tokens(line);
        let pair = tokens.iter().find(|token| token.kind == Kind::Pair(3, 12));
        assert!(pair.unwrap().quoted, "{line:?}");
        assert!(!tokens.last().unwrap().quoted, "{line:?}");
    }
    assert!(
        !tokens("don't say 3/12, it isn't")
            .iter()
            .any(|token| token.quoted)
    );
}
