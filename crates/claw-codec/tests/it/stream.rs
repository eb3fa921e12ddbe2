//! What a stream does after a bad line, after an error, and when nobody waits for it any more.

use std::io::{self, BufRead, BufReader, Read};

use bytes::BytesMut;
use claw_codec::{FrameCodec, LineCodec, LineItem, Lines};
use claw_types::DecodeErrorKind;
use futures::{FutureExt as _, StreamExt as _};
use tokio::io::AsyncWriteExt as _;
use tokio_util::codec::{Decoder as _, FramedRead};

use crate::support::{Doc, Plain, block_on, chunks, frames};

#[test]
fn lines_after_stray_text_arrive() {
    let input = b"{\"a\":1}\n[SandboxDebug] hello {\n\xff\xfe\n{\"cut\n\n[1]\n{\"b\":2}\n{\"c\":";
    let items = frames(1000, chunks(input, &[5]));
    let seen: Vec<(u64, bool)> = items
        .iter()
        .map(|item| match item {
            Plain::Frame(number, ..) => (*number, true),
            Plain::Malformed(number, ..) => (*number, false),
            Plain::TooLong(long) => panic!("{long}"),
        })
        .collect();
    assert_eq!(
        seen,
        [
            (1, true),
            (2, false),
            (3, false),
            (4, false),
            (6, false),
            (7, true),
            (8, false)
        ]
    );
}

#[test]
fn a_malformed_line_says_what_is_wrong() {
    let mut frames = FramedRead::new(&b"{\"a\":1]\n"[..], FrameCodec::<Doc>::new());
    let item = block_on(frames.next()).unwrap().unwrap();
    let claw_codec::FrameItem::Malformed(bad) = item else {
        panic!("{item:?}")
    };
    assert_eq!(
        (bad.error.kind(), bad.error.column()),
        (DecodeErrorKind::Syntax, Some(7))
    );
}

#[test]
fn half_a_line_survives_a_reader_who_gives_up() {
    block_on(async {
        let (mut writer, reader) = tokio::io::duplex(1 << 10);
        let mut lines = FramedRead::new(reader, LineCodec::new());
        writer.write_all(b"{\"half\":").await.unwrap();
        // One poll, which reads all there is; then the future is dropped.
        assert!(lines.next().now_or_never().is_none());
        writer.write_all(b"1}\n").await.unwrap();
        let LineItem::Line(line) = lines.next().await.unwrap().unwrap() else {
            panic!("too long")
        };
        assert_eq!(line.raw, "{\"half\":1}");
    });
}

/// Gives a line and a half, is interrupted, fails, and would go on.
#[derive(Debug, Default)]
struct Failing(usize);

impl Read for Failing {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0 += 1;
        match self.0 {
            1 => (&b"{}\n{\"ha"[..]).read(out),
            2 => Err(io::ErrorKind::Interrupted.into()),
            3 => (&b"lf\":1}\n{"[..]).read(out),
            4 => Err(io::ErrorKind::ConnectionReset.into()),
            _ => (&b"}\n"[..]).read(out),
        }
    }
}

#[test]
fn the_iterator_ends_after_an_error_of_its_reader() {
    let mut lines = Lines::new(BufReader::new(Failing::default()));
    assert_eq!(lines.next().unwrap().unwrap().number(), 1);
    assert_eq!(lines.next().unwrap().unwrap().number(), 2);
    assert_eq!(
        lines.next().unwrap().unwrap_err().kind(),
        io::ErrorKind::ConnectionReset
    );
    assert!(lines.next().is_none());
    assert!(lines.next().is_none());
}

#[test]
fn the_iterator_ends_at_the_end() {
    let mut lines = Lines::new(chunks(b"a\nb", &[1]));
    assert_eq!(lines.by_ref().count(), 2);
    assert!(lines.next().is_none());
}

#[test]
fn the_iterator_takes_large_pieces_in_small_bites() {
    // A reader that has all at hand offers all at once.
    let input = b"0123456789\n".repeat(100_000);
    let mut reader = &input[..];
    let mut lines = Lines::new(&mut reader);
    assert_eq!(lines.next().unwrap().unwrap().number(), 1);
    assert!(reader.fill_buf().unwrap().len() >= input.len() - (64 << 10));
}

#[test]
fn debug_shows_nothing_of_what_is_being_read() {
    let mut lines = Lines::new(chunks(b"{}\nsecret", &[100]));
    assert_eq!(lines.next().unwrap().unwrap().number(), 1);
    let shown = format!("{lines:?}");
    assert!(
        shown.starts_with("Lines { ") && !shown.contains("secret"),
        "{shown}"
    );

    let mut codec = LineCodec::new().with_limit(9);
    let mut src = BytesMut::from("secret, and over the limit");
    assert!(codec.decode(&mut src).unwrap().is_none());
    let shown = format!("{codec:?}");
    assert!(
        shown.contains("skip: Some(Skip { length: 26, .. })"),
        "{shown}"
    );
}
