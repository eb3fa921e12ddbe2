//! Readers that give their input in pieces, a type to read lines as, and the model: what the codec
//! must give, found the simple way, with the whole input at hand.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf as _, Bytes};
use claw_codec::{
    EXCERPT, ExactCodec, FrameCodec, FrameItem, Frames, Line, LineCodec, LineItem, Lines, Piece,
    Pieces, TooLong,
};
use claw_types::{DecodeError, FromLine, Json, ToLine};
use futures::StreamExt as _;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::codec::FramedRead;

/// Any JSON object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Doc(pub(crate) serde_json::Map<String, serde_json::Value>);

impl FromLine for Doc {
    fn from_line(line: &[u8]) -> Result<Self, DecodeError> {
        Ok(serde_json::from_slice(line)?)
    }
}

impl ToLine for Doc {
    fn append_line(&self, line: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        Json::new(&self.0)?.append_line(line)
    }
}

/// What a line item would be, computed from all of the input at once.
pub(crate) fn model(limit: usize, input: &[u8]) -> Vec<LineItem> {
    let input = input.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(input);
    let mut items = Vec::new();
    let pieces: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
    let ended = pieces.len() as u64 - 1;
    for (number, line) in (1..).zip(pieces) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > limit {
            items.push(LineItem::TooLong(TooLong::new(
                number,
                line.len() as u64,
                limit,
                Bytes::copy_from_slice(&line[..line.len().min(EXCERPT)]),
                Bytes::copy_from_slice(&line[line.len().saturating_sub(EXCERPT)..]),
            )));
        } else if line.iter().any(|byte| !b" \t\r".contains(byte)) {
            let mut line = Line::new(number, Bytes::copy_from_slice(line));
            line.cut = number > ended;
            items.push(LineItem::Line(line));
        }
    }
    items
}

/// Cuts `input` into pieces of `sizes`, over and over; no piece is empty.
pub(crate) fn chunks(input: &[u8], sizes: &[usize]) -> Chunks {
    let mut rest = Bytes::copy_from_slice(input);
    let mut pieces = VecDeque::new();
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        pieces.push_back(rest.split_to(rest.len().min((*size).max(1))));
    }
    Chunks { pieces }
}

/// A reader that gives one piece at a time.
#[derive(Debug, Clone)]
pub(crate) struct Chunks {
    pieces: VecDeque<Bytes>,
}

impl AsyncRead for Chunks {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let piece = self.fill_buf()?;
        let taken = piece.len().min(out.remaining());
        out.put_slice(&piece[..taken]);
        self.consume(taken);
        Poll::Ready(Ok(()))
    }
}

impl Read for Chunks {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let taken = self.fill_buf()?.read(out)?;
        self.consume(taken);
        Ok(taken)
    }
}

impl BufRead for Chunks {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(self.pieces.front().map_or(&[], |piece| &piece[..]))
    }

    fn consume(&mut self, taken: usize) {
        if let Some(piece) = self.pieces.front_mut() {
            piece.advance(taken);
            if piece.is_empty() {
                self.pieces.pop_front();
            }
        }
    }
}

pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(work)
}

/// The lines that the async codec gives.
pub(crate) fn lines(limit: usize, reader: Chunks) -> Vec<LineItem> {
    let codec = LineCodec::new().with_limit(limit);
    block_on(FramedRead::new(reader, codec).map(Result::unwrap).collect())
}

/// The lines that the iterator gives.
pub(crate) fn sync_lines(limit: usize, reader: Chunks) -> Vec<LineItem> {
    let codec = LineCodec::new().with_limit(limit);
    Lines::with_codec(reader, codec)
        .map(Result::unwrap)
        .collect()
}

/// The pieces that the async codec gives.
pub(crate) fn pieces(limit: usize, reader: Chunks) -> Vec<Piece> {
    let codec = ExactCodec::new().with_limit(limit);
    block_on(FramedRead::new(reader, codec).map(Result::unwrap).collect())
}

/// The pieces that the iterator gives.
pub(crate) fn sync_pieces(limit: usize, reader: Chunks) -> Vec<Piece> {
    let codec = ExactCodec::new().with_limit(limit);
    Pieces::with_codec(reader, codec)
        .map(Result::unwrap)
        .collect()
}

/// The frames that the async codec gives, in a form that can be compared.
pub(crate) fn frames(limit: usize, reader: Chunks) -> Vec<Plain> {
    let codec = FrameCodec::<Doc>::new().with_limit(limit);
    block_on(
        FramedRead::new(reader, codec)
            .map(|item| item.unwrap().into())
            .collect(),
    )
}

/// The frames that the iterator gives, in a form that can be compared.
pub(crate) fn sync_frames(limit: usize, reader: Chunks) -> Vec<Plain> {
    let lines = Lines::with_codec(reader, LineCodec::new().with_limit(limit));
    Frames::<Doc, _>::from(lines)
        .map(|item| item.unwrap().into())
        .collect()
}

#[derive(Debug, PartialEq)]
pub(crate) enum Plain {
    Frame(u64, Bytes, Doc),
    Malformed(u64, Bytes, String),
    TooLong(TooLong),
}

impl From<FrameItem<Doc>> for Plain {
    fn from(item: FrameItem<Doc>) -> Self {
        match item {
            FrameItem::Frame(frame) => {
                let raw = frame.raw_buffer().cloned().unwrap();
                Self::Frame(frame.number(), raw, frame.into_value())
            }
            FrameItem::Malformed(bad) => Self::Malformed(bad.line, bad.raw, bad.error.to_string()),
            FrameItem::TooLong(long) => Self::TooLong(long),
        }
    }
}

/// The model, with every line read as a `Doc`.
pub(crate) fn frame_model(limit: usize, input: &[u8]) -> Vec<Plain> {
    let read = |item| match item {
        LineItem::Line(line) => match Doc::from_line(&line.raw) {
            Ok(doc) => Plain::Frame(line.number, line.raw, doc),
            Err(error) => Plain::Malformed(line.number, line.raw, error.to_string()),
        },
        LineItem::TooLong(long) => Plain::TooLong(long),
        _ => panic!("a kind of item that this test does not know"),
    };
    model(limit, input).into_iter().map(read).collect()
}
