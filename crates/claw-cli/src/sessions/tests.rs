use super::table::{Column, Table, ago, fit, number, size};

#[test]
fn a_table_fits_and_hides_nothing() {
    let mut table = Table::new(&[
        ("ID", Column::Text(8)),
        ("SIZE", Column::Number),
        ("TAG", Column::Text(6)),
        ("TITLE", Column::Rest),
    ]);
    let row = |cells: [&str; 4]| cells.map(ToOwned::to_owned);
    table.row(row([
        "a",
        "12 kB",
        "",
        "Wide \u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}",
    ]));
    table.row(row([
        "123456789",
        "1 B",
        "",
        "red \u{1b}[31m\u{202e}\nline",
    ]));
    let shown = table.lines(Some(29));
    let expected = "\
ID         SIZE  TITLE
a         12 kB  Wide 日本語…
1234567…    1 B  red \\u{1b}[…
";
    assert_eq!(shown, expected);
    assert!(
        table
            .lines(None)
            .contains("red \\u{1b}[31m\\u{202e} line\n")
    );
}

#[test]
fn a_text_is_cut_by_the_room_that_it_takes() {
    assert_eq!(fit("abc", 3), "abc");
    assert_eq!(fit("abcd", 3), "ab…");
    assert_eq!(fit("\u{65e5}\u{672c}", 3), "\u{65e5}…");
    assert_eq!(fit("\u{65e5}\u{672c}", 4), "\u{65e5}\u{672c}");
    assert_eq!(fit("", 0), "");
    let heap = format!("e{}", "\u{301}".repeat(100_000));
    assert!(fit(&heap, 10).len() < 200);
}

#[test]
fn numbers_are_short() {
    let numbers = [
        0,
        999,
        1000,
        1250,
        9999,
        12_345,
        999_499,
        999_999,
        1_500_000,
        u64::MAX,
    ];
    let short = [
        "0", "999", "1.0k", "1.2k", "9.9k", "12k", "999k", "999k", "1.5M", "18E",
    ];
    assert_eq!(numbers.map(number), short);
    assert_eq!(size(12_345), "12 kB");
}

#[test]
fn times_are_told_by_how_long_ago_they_are() {
    let minute = 60_000;
    let now = 1_000_000 * minute;
    let of = |minutes: i64| ago(now - minutes * minute, now);
    assert_eq!(ago(now + 5, now), "now");
    assert_eq!(
        (of(59), of(60), of(47 * 60)),
        ("59 min".into(), "1 h".into(), "47 h".into())
    );
    assert_eq!(
        (of(48 * 60), of(100 * 1440)),
        ("2 d".into(), "3 mon".into())
    );
    assert_eq!(ago(i64::MIN, i64::MAX), "292471208 y");
}
