//! What holds of any bytes in any pieces. The fuzz target and the ordinary tests share it.

use claw_codec::{LineItem, Piece};

use crate::support::{
    chunks, frame_model, frames, lines, model, pieces, sync_frames, sync_lines, sync_pieces,
};

/// Reads what a fuzz target was given: a limit, the sizes of two pieces that alternate, and the bytes.
pub(crate) fn holds(data: &[u8]) {
    if let [limit, one, other, input @ ..] = data {
        let sizes = [usize::from(*one), usize::from(*other)];
        same(usize::from(*limit), &sizes, input);
    }
}

/// Panics unless the codecs and the iterators give the items of the model.
pub(crate) fn same(limit: usize, sizes: &[usize], input: &[u8]) {
    let reader = chunks(input, sizes);
    let expected = model(limit, input);
    assert_eq!(lines(limit, reader.clone()), expected, "the codec");
    assert_eq!(sync_lines(limit, reader.clone()), expected, "the iterator");

    passes_on(&pieces(limit, reader.clone()), &expected, input);
    passes_on(&sync_pieces(limit, reader.clone()), &expected, input);

    let expected = frame_model(limit, input);
    assert_eq!(frames(limit, reader.clone()), expected, "the frame codec");
    assert_eq!(sync_frames(limit, reader), expected, "the frame iterator");
}

/// Panics unless the pieces are the very input, and number lines as the model does.
pub(crate) fn passes_on(pieces: &[Piece], expected: &[LineItem], input: &[u8]) {
    let mut passed = Vec::new();
    for piece in pieces {
        assert_eq!(piece.offset, passed.len() as u64);
        assert!(!piece.bytes.is_empty());
        passed.extend_from_slice(&piece.bytes);
        if let Some(line) = piece.line() {
            assert_eq!(piece.with_line(&line.raw), piece.bytes);
        }
    }
    assert!(passed == input, "the bytes that came are not passed on");

    let lines = |item: &LineItem| match item {
        LineItem::Line(line) => Some(line.clone()),
        _ => None,
    };
    let expected_lines: Vec<_> = expected.iter().filter_map(lines).collect();
    let read: Vec<_> = pieces.iter().filter_map(Piece::line).collect();
    assert_eq!(read, expected_lines, "the lines of the pieces");

    let too_long = |item: &LineItem| matches!(item, LineItem::TooLong(_));
    let expected_long = expected.iter().filter(|item| too_long(item));
    let mut long: Vec<_> = pieces.iter().filter(|piece| piece.is_too_long()).collect();
    long.dedup_by_key(|piece| piece.number);
    assert!(
        long.iter()
            .map(|piece| piece.number)
            .eq(expected_long.map(LineItem::number)),
        "the numbers of the lines over the limit"
    );
}
