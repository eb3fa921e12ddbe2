use bytes::{BufMut as _, BytesMut};
use tokio_util::codec::Decoder as _;

use crate::{LineCodec, LineItem, READ_BUFFER, TooLong};

/// What the codec gives for `input`, read in one piece.
fn items(codec: &mut LineCodec, input: &[u8]) -> Vec<LineItem> {
    let mut src = BytesMut::from(input);
    let mut items = Vec::new();
    while let Some(item) = codec.decode_eof(&mut src).unwrap() {
        items.push(item);
    }
    assert!(src.is_empty());
    items
}

fn lines(input: &[u8]) -> Vec<(u64, Vec<u8>)> {
    items(&mut LineCodec::new(), input)
        .into_iter()
        .map(|item| match item {
            LineItem::Line(line) => (line.number, line.raw.to_vec()),
            LineItem::TooLong(long) => panic!("{long}"),
        })
        .collect()
}

fn too_long(limit: usize, input: &[u8]) -> Option<TooLong> {
    match items(&mut LineCodec::new().with_limit(limit), input).pop() {
        Some(LineItem::TooLong(long)) => Some(long),
        _ => None,
    }
}

fn line(number: u64, raw: &str) -> (u64, Vec<u8>) {
    (number, raw.as_bytes().to_vec())
}

#[test]
fn an_empty_stream_has_no_lines() {
    assert_eq!(lines(b""), []);
}

#[test]
fn both_line_endings_and_none() {
    assert_eq!(
        lines(b"a\nb\r\nc"),
        [line(1, "a"), line(2, "b"), line(3, "c")]
    );
}

#[test]
fn one_carriage_return_belongs_to_the_ending_and_others_to_the_line() {
    assert_eq!(lines(b"a\r\r\nb\rc\n"), [line(1, "a\r"), line(2, "b\rc")]);
    assert_eq!(lines(b"cut\r"), [line(1, "cut")]);
}

#[test]
fn blank_lines_count_but_are_no_items() {
    assert_eq!(
        lines(b"\n\r\n \t\na\n\n\nb\n \n "),
        [line(4, "a"), line(7, "b")]
    );
}

#[test]
fn a_byte_order_mark_is_dropped_from_the_first_line_alone() {
    assert_eq!(
        lines(b"\xEF\xBB\xBF{}\n\xEF\xBB\xBF{}"),
        [line(1, "{}"), line(2, "\u{feff}{}")]
    );
    assert_eq!(lines(b"\xEF\xBB\xBF\n{}"), [line(2, "{}")]);
    assert_eq!(lines(b"\n\xEF\xBB\xBF{}"), [line(2, "\u{feff}{}")]);
    assert_eq!(lines(b"\xEF\xBB"), [(1, b"\xEF\xBB".to_vec())]);
    assert_eq!(lines(b"\xEF\n"), [(1, b"\xEF".to_vec())]);
}

#[test]
fn what_others_take_for_line_endings_stays_in_the_line() {
    let text = "{\"a\":\"\u{2028}\u{2029}\u{85}\0\u{b}\u{c}\"}";
    assert_eq!(
        lines(format!("{text}\n{text}\n").as_bytes()),
        [line(1, text), line(2, text)]
    );
}

#[test]
fn bytes_that_are_no_text_are_a_line() {
    assert_eq!(
        lines(b"\xff\xfe\x80\n{}"),
        [(1, b"\xff\xfe\x80".to_vec()), line(2, "{}")]
    );
}

#[test]
fn the_limit_counts_the_content_alone() {
    assert_eq!(too_long(3, b"abc\n"), None);
    assert_eq!(too_long(3, b"abc\r\n"), None);
    assert_eq!(too_long(3, b"abc"), None);
    assert_eq!(too_long(3, b"\xEF\xBB\xBFabc\r\n"), None);
    assert_eq!(too_long(0, b"\r\n"), None);
    for input in [
        &b"abcd\n"[..],
        b"abcd\r\n",
        b"abcd",
        b"abcd\r",
        b"\xEF\xBB\xBFabcd\n",
    ] {
        let long = too_long(3, input).unwrap();
        assert_eq!((long.line, long.length, long.limit), (1, 4, 3));
        assert_eq!(
            (&long.head[..], &long.tail[..]),
            (&b"abcd"[..], &b"abcd"[..])
        );
    }
    // The second is no half of a line ending.
    assert_eq!(too_long(3, b"abc\r\r").unwrap().length, 4);
    assert_eq!(too_long(3, b"abc\r\r\n").unwrap().head, "abc\r");
    assert_eq!(too_long(3, b"abc\rd").unwrap().length, 5);
}

#[test]
fn a_limit_that_cannot_be_reached_is_none() {
    assert_eq!(too_long(usize::MAX, b"abcd\n"), None);
}

#[test]
fn numbers_go_on_when_a_file_grows_after_its_end() {
    let mut codec = LineCodec::new();
    let first = items(&mut codec, b"a\nb");
    let second = items(&mut codec, b"\xEF\xBB\xBFc\n");
    assert_eq!(first.last().unwrap().number(), 2);
    let LineItem::Line(line) = &second[0] else {
        panic!("{second:?}")
    };
    assert_eq!((line.number, &line.raw[..]), (3, "\u{feff}c".as_bytes()));
}

#[test]
fn no_byte_is_looked_at_twice() {
    let mut codec = LineCodec::new();
    let mut src = BytesMut::from("{\"a\":");
    assert!(codec.decode(&mut src).unwrap().is_none());
    // A line feed where it has looked is not seen.
    src[2] = b'\n';
    src.put_slice(b"1");
    assert!(codec.decode(&mut src).unwrap().is_none());
    src[5] = b'\n';
    src.put_slice(b"}\n");
    let Some(LineItem::Line(line)) = codec.decode(&mut src).unwrap() else {
        panic!("no line")
    };
    assert_eq!(line.raw, "{\"\n\":\n}");
}

#[test]
fn a_line_is_a_slice_of_the_read_buffer() {
    let mut src = BytesMut::from(&b"\n{\"a\":1}\r\n{}\n"[..]);
    let read = src[1..].as_ptr();
    let Some(LineItem::Line(line)) = LineCodec::new().decode(&mut src).unwrap() else {
        panic!("no line")
    };
    assert_eq!(line.raw.as_ptr(), read);
    let own = line.clone().detach();
    assert_eq!(own, line);
    assert_ne!(own.raw.as_ptr(), read);
}

#[test]
fn short_lines_that_are_dropped_leave_one_buffer_in_use() {
    let mut codec = LineCodec::new();
    let mut src = BytesMut::with_capacity(READ_BUFFER);
    let buffer = src.as_ptr() as usize;
    for _ in 0..10_000 {
        src.put_slice(&[b'x'; 300]);
        src.put_u8(b'\n');
        assert!(codec.decode(&mut src).unwrap().is_some());
        assert!(codec.decode(&mut src).unwrap().is_none());
        let at = src.as_ptr() as usize;
        assert!((buffer..=buffer + READ_BUFFER).contains(&at));
    }
}

#[test]
fn a_long_line_has_a_buffer_of_its_own_and_leaves_a_small_one() {
    let mut codec = LineCodec::new();
    let mut src = BytesMut::with_capacity(READ_BUFFER);
    let chunk = [b'x'; 1000];
    for _ in 0..10_000 {
        src.put_slice(&chunk);
        assert!(codec.decode(&mut src).unwrap().is_none());
    }
    src.put_slice(b"\nshort\n");
    let Some(LineItem::Line(long)) = codec.decode(&mut src).unwrap() else {
        panic!("no line")
    };
    let Some(LineItem::Line(short)) = codec.decode(&mut src).unwrap() else {
        panic!("no line")
    };
    assert_eq!(
        (long.raw.len(), &short.raw[..]),
        (10_000_000, &b"short"[..])
    );
    assert!(src.capacity() <= READ_BUFFER);
    let own = long
        .raw
        .try_into_mut()
        .expect("nothing else holds the long line's buffer");
    assert!(own.capacity() <= 30_000_000);
}

#[test]
fn a_long_blank_line_leaves_a_small_buffer_too() {
    let mut src = BytesMut::from(" ".repeat(10_000_000).as_bytes());
    src.put_slice(b"\n{}\n");
    let item = LineCodec::new().decode(&mut src).unwrap().unwrap();
    assert_eq!(item.number(), 2);
    assert!(src.capacity() <= READ_BUFFER);
}

#[test]
fn many_long_lines_in_one_big_buffer_are_not_moved_again_and_again() {
    let line = ["x".repeat(100_000).as_bytes(), b"\n"].concat();
    let mut src = BytesMut::from(&line.repeat(20)[..]);
    let end = src.as_ptr_range().end;
    let mut codec = LineCodec::new();
    let mut moved = Vec::new();
    while let Some(item) = codec.decode(&mut src).unwrap() {
        if src.as_ptr_range().end != end {
            moved.push(item.number());
        }
    }
    // The last of them took the buffer, with nothing behind it to move.
    assert_eq!(moved, [20]);
}

#[test]
fn nothing_is_shown_of_the_bytes_by_debug() {
    let shown = format!(
        "{:?}",
        items(&mut LineCodec::new().with_limit(6), b"secret\nsecret!\n")
    );
    assert_eq!(
        shown,
        "[Line(Line { number: 1, length: 6, .. }), \
         TooLong(TooLong { line: 2, length: 7, limit: 6, .. })]"
    );
}
