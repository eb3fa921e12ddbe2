use bytes::{BufMut as _, BytesMut};
use tokio_util::codec::Decoder as _;

use crate::{ExactCodec, LineCodec, Piece, READ_BUFFER};

/// What the codec gives for `input`, read in one piece.
fn pieces(codec: &mut ExactCodec, input: &[u8]) -> Vec<Piece> {
    let mut src = BytesMut::from(input);
    let mut pieces = Vec::new();
    while let Some(piece) = codec.decode_eof(&mut src).unwrap() {
        pieces.push(piece);
    }
    assert!(src.is_empty());
    pieces
}

#[test]
fn a_piece_is_a_line_with_all_that_stands_around_it() {
    let input = b"\xEF\xBB\xBFone\r\n\r\n \ntwo\n\xff\r\r\nthree";
    let pieces = pieces(&mut ExactCodec::new(), input);
    let seen: Vec<_> = pieces
        .iter()
        .map(|piece| {
            let line = piece.line();
            (
                piece.number,
                piece.offset,
                &piece.bytes[..],
                line.map(|line| (line.raw.to_vec(), line.cut)),
            )
        })
        .collect();
    let line = |raw: &[u8], cut| Some((raw.to_vec(), cut));
    assert_eq!(
        seen,
        [
            (1, 0, &b"\xEF\xBB\xBFone\r\n"[..], line(b"one", false)),
            (2, 8, &b"\r\n"[..], None),
            (3, 10, &b" \n"[..], None),
            (4, 12, &b"two\n"[..], line(b"two", false)),
            (5, 16, &b"\xff\r\r\n"[..], line(b"\xff\r", false)),
            (6, 20, &b"three"[..], line(b"three", true)),
        ]
    );
}

#[test]
fn a_line_that_is_replaced_keeps_what_stands_around_it() {
    let input = b"\xEF\xBB\xBFone\r\ntwo\nthree";
    let replaced: Vec<_> = pieces(&mut ExactCodec::new(), input)
        .iter()
        .map(|piece| piece.with_line(b"{}"))
        .collect();
    assert_eq!(replaced, [&b"\xEF\xBB\xBF{}\r\n"[..], b"{}\n", b"{}"]);
    let long = pieces(&mut ExactCodec::new().with_limit(2), b"one\n");
    assert_eq!(long[0].with_line(b"{}"), "one\n");
}

#[test]
fn a_long_line_passes_while_it_comes_and_counts_as_one() {
    let mut codec = ExactCodec::new().with_limit(1000);
    let mut src = BytesMut::new();
    let (mut passed, mut most) = (0, 0);
    for _ in 0..10_000 {
        src.put_slice(&[b'x'; 1500]);
        while let Some(piece) = codec.decode(&mut src).unwrap() {
            assert_eq!((piece.number, piece.is_too_long()), (1, true));
            assert_eq!(piece.line(), None);
            passed += piece.bytes.len();
        }
        most = most.max(src.capacity());
    }
    assert_eq!(passed, 15_000_000);
    assert!(most <= 2 * READ_BUFFER, "{most}");
    src.put_slice(b"\nshort\n");
    let end = codec.decode(&mut src).unwrap().unwrap();
    assert_eq!(
        (end.number, end.is_too_long(), &end.bytes[..]),
        (1, true, &b"\n"[..])
    );
    let short = codec.decode(&mut src).unwrap().unwrap();
    assert_eq!((short.number, short.offset), (2, 15_000_001));
    assert_eq!(short.line().unwrap().raw, "short");
}

#[test]
fn numbers_go_on_as_those_of_lines_do_when_a_file_grows_after_its_end() {
    for (first, second) in [
        (&b"a\nb"[..], &b"\xEF\xBB\xBFc\n"[..]),
        (b"\xEF\xBB\xBF", b"a\n"),
        (b"", b"\xEF\xBB\xBFa\n"),
        (b"\xEF\xBB", b"\xBFa\n"),
        (b"too long\r", b"a"),
        (b"\r", b"a"),
    ] {
        let mut codec = ExactCodec::new().with_limit(4);
        let mut lines = LineCodec::new().with_limit(4);
        for input in [first, second] {
            let mut src = BytesMut::from(input);
            let mut expected = Vec::new();
            while let Some(item) = lines.decode_eof(&mut src).unwrap() {
                if let crate::LineItem::Line(line) = item {
                    expected.push(line);
                }
            }
            // Twice at its end, as a reader of a file that grows asks.
            let mut pieces = pieces(&mut codec, input);
            pieces.extend(self::pieces(&mut codec, b""));
            let read: Vec<_> = pieces.iter().filter_map(Piece::line).collect();
            assert_eq!(read, expected, "{first:?} {second:?}");
        }
    }
}

#[test]
fn nothing_is_shown_of_the_bytes_by_debug() {
    let shown = format!("{:?}", pieces(&mut ExactCodec::new(), b"secret\n"));
    assert_eq!(
        shown,
        "[Piece { number: 1, offset: 0, length: 7, is_too_long: false, .. }]"
    );
}
