use std::num::NonZero;

use vt100::Parser;

use super::*;

/// Writes these bytes to a terminal of this size. Returns the rows of its screen.
fn shown(columns: u16, rows: u16, bytes: &[u8]) -> Vec<String> {
    let [height, width] = [rows, columns].map(|size| NonZero::new(size).unwrap());
    let mut parser = Parser::new(height, width, 0);
    parser.process(bytes);
    parser.screen().rows(0, columns).collect()
}

fn screen(columns: usize, rows: usize) -> Screen<Vec<u8>> {
    Screen::new(Vec::new(), Size { columns, rows }, true)
}

fn live(rows: &[&str]) -> Live {
    let rows: Vec<_> = rows.iter().map(|&row| row.to_owned()).collect();
    let cursor = (rows.len() - 1, 2);
    Live { rows, cursor }
}

#[test]
fn output_stands_above_the_line_that_is_typed() {
    let mut screen = screen(20, 6);
    screen.draw("Hello", &live(&["> a"])).unwrap();
    screen
        .draw(" there.\nHow", &live(&["⋯ busy", "> ab"]))
        .unwrap();
    screen.draw(" are\nyou?\n", &live(&["> abc"])).unwrap();
    let rows = shown(20, 6, &screen.out);
    assert_eq!(rows, ["Hello there.", "How are", "you?", "> abc", "", ""]);
}

#[test]
fn a_style_that_goes_on_in_the_next_line_does_so_below_a_redraw() {
    let mut screen = screen(20, 6);
    screen.draw("\x1b[1mbold\nstill", &live(&["> a"])).unwrap();
    screen.draw(" bold\x1b[0m plain", &live(&["> b"])).unwrap();
    let [height, width] = [6, 20].map(|size| NonZero::new(size).unwrap());
    let mut parser = Parser::new(height, width, 0);
    parser.process(&screen.out);
    let bold = |row, column| parser.screen().cell(row, column).unwrap().bold();
    assert!(bold(0, 0) && bold(1, 0) && bold(1, 6));
    assert!(!bold(1, 12) && !bold(2, 0));
}

#[test]
fn without_colours_nothing_but_the_cursor_is_controlled() {
    let mut screen = Screen::new(
        Vec::new(),
        Size {
            columns: 20,
            rows: 6,
        },
        false,
    );
    screen
        .draw("\x1b[31mred\x1b[0m\n", &live(&["\x1b[2mdim\x1b[0m"]))
        .unwrap();
    let text = String::from_utf8(screen.out).unwrap();
    assert!(
        !text.contains("m\u{1b}") && !text.contains("[31m"),
        "{text:?}"
    );
    assert_eq!(shown(20, 6, text.as_bytes())[..2], ["red", "dim"]);
}

#[test]
fn a_tail_as_wide_as_the_terminal_is_redrawn_in_its_place() {
    let mut screen = screen(10, 8);
    for text in ["0123456789", "\n0123456789", "abcdefghij", "k\nend\n"] {
        screen.draw(text, &live(&["> a"])).unwrap();
    }
    let rows = shown(10, 8, &screen.out);
    assert_eq!(
        rows[..5],
        [
            "0123456789",
            "0123456789",
            "abcdefghijk"[..10].into(),
            "k",
            "end"
        ]
    );
    assert_eq!(rows[5], "> a");
}

#[test]
fn a_terminal_that_becomes_narrower_keeps_the_output() {
    let mut screen = screen(20, 8);
    screen
        .draw("Hello.\n", &live(&["0123456789abcdef"]))
        .unwrap();
    // The terminal wraps the row into two rows with ten columns.
    let mut bytes = std::mem::take(&mut screen.out);
    bytes.extend_from_slice(b"\r\n");
    screen.resize(Size {
        columns: 10,
        rows: 8,
    });
    assert_eq!(screen.cursor, (0, 2));
    screen.draw("More.\n", &live(&["> a"])).unwrap();
    assert!(String::from_utf8_lossy(&screen.out).contains("More."));
}

#[test]
fn ten_thousand_lines_end_with_the_line_that_is_typed() {
    let mut screen = screen(20, 5);
    for number in 0..10_000 {
        screen
            .draw(&format!("line {number}\n"), &live(&["> typed"]))
            .unwrap();
    }
    let rows = shown(20, 5, &screen.out);
    assert_eq!(
        rows,
        [
            "line 9996",
            "line 9997",
            "line 9998",
            "line 9999",
            "> typed"
        ]
    );
}
