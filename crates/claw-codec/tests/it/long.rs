//! Lines of megabytes and gigabytes.

use bytes::{Bytes, BytesMut};
use claw_codec::{DEFAULT_LIMIT, EXCERPT, FrameCodec, FrameItem, LineCodec, LineItem};
use futures::StreamExt as _;
use tokio::io::AsyncWriteExt as _;
use tokio_util::codec::{Decoder as _, FramedRead};

use crate::support::{Doc, block_on};

const KIB_64: usize = 64 << 10;

#[test]
fn a_line_of_10_mb_passes_through_a_pipe() {
    let image = "QUJD".repeat(2_500_000);
    let input = format!("{{\"before\":1}}\n{{\"data\":\"{image}\"}}\n{{\"after\":1}}\n");
    block_on(async {
        let (mut writer, reader) = tokio::io::duplex(KIB_64);
        let write = async move { writer.write_all(input.as_bytes()).await };
        let read = async {
            let mut frames = FramedRead::new(reader, FrameCodec::<Doc>::new());
            let mut keys = Vec::new();
            while let Some(item) = frames.next().await {
                let frame = item.unwrap().into_frame().unwrap();
                let (key, value) = frame.value().0.iter().next().unwrap();
                if key == "data" {
                    assert!(value.as_str() == Some(&image));
                }
                keys.push(key.clone());
            }
            assert_eq!(keys, ["before", "data", "after"]);
            // The buffer of the long line has gone with it.
            assert!(frames.read_buffer().capacity() <= 2 * KIB_64);
        };
        let (written, ()) = futures::join!(write, read);
        written.unwrap();
    });
}

/// Feeds `codec` as a reader would, without ever holding the input.
fn feed(codec: &mut LineCodec, src: &mut BytesMut, chunk: &[u8]) -> Option<LineItem> {
    src.extend_from_slice(chunk);
    codec.decode(src).unwrap()
}

#[test]
fn a_line_of_1_gb_is_skipped_in_constant_memory() {
    const CHUNK: usize = KIB_64;
    const GB: usize = 1 << 30;
    let chunk = vec![b'x'; CHUNK];
    let mut codec = LineCodec::new();
    let mut src = BytesMut::new();

    assert!(feed(&mut codec, &mut src, b"{\"type\":\"result\",").is_none());
    for read in (CHUNK..=GB).step_by(CHUNK) {
        assert!(feed(&mut codec, &mut src, &chunk).is_none());
        let bound = if read <= DEFAULT_LIMIT {
            2 * DEFAULT_LIMIT + 4 * CHUNK
        } else {
            2 * CHUNK
        };
        assert!(
            src.capacity() <= bound,
            "{} bytes kept after {read}",
            src.capacity()
        );
    }
    let Some(LineItem::TooLong(long)) = feed(&mut codec, &mut src, b"\"end\":1}\r\n{}\n\nlast")
    else {
        panic!("the line was not reported")
    };
    assert_eq!((long.line, long.length), (1, 17 + (1 << 30) + 8));
    assert_eq!(long.limit, DEFAULT_LIMIT);
    assert_eq!((long.head.len(), long.tail.len()), (EXCERPT, EXCERPT));
    assert!(long.head.starts_with(b"{\"type\":\"result\",xxx"));
    assert!(long.tail.ends_with(b"xxx\"end\":1}"));

    let mut rest = Vec::new();
    while let Some(item) = codec.decode_eof(&mut src).unwrap() {
        let LineItem::Line(line) = item else {
            panic!("{item:?}")
        };
        rest.push((line.number, line.raw));
    }
    assert_eq!(
        rest,
        [
            (2, Bytes::from_static(b"{}")),
            (4, Bytes::from_static(b"last"))
        ]
    );
}

#[test]
fn a_line_over_the_limit_that_never_ends_is_reported_at_the_end() {
    let mut codec = FrameCodec::<Doc>::new().with_limit(10);
    let mut src = BytesMut::new();
    for _ in 0..100 {
        src.extend_from_slice(b"0123456789");
        assert!(codec.decode(&mut src).unwrap().is_none());
    }
    let Some(FrameItem::TooLong(long)) = codec.decode_eof(&mut src).unwrap() else {
        panic!("the line was not reported")
    };
    assert_eq!((long.line, long.length, long.limit), (1, 1000, 10));
    assert!(codec.decode_eof(&mut src).unwrap().is_none());
}
