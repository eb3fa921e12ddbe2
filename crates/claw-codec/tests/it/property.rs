//! What holds of any bytes in any pieces. The fuzz target and the ordinary tests share it.

use crate::support::{chunks, frame_model, frames, lines, model, sync_frames, sync_lines};

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

    let expected = frame_model(limit, input);
    assert_eq!(frames(limit, reader.clone()), expected, "the frame codec");
    assert_eq!(sync_frames(limit, reader), expected, "the frame iterator");
}
