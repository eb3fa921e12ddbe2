//! NDJSON framing for the Claude Code protocol: bytes ⇄ lines ⇄ typed frames.
//!
//! This crate is for programs that already have the bytes: proxies, recorders, readers of files. The crate claw-client
//! starts and controls a `claude` process, and re-exports this crate as `claw_client::codec`. Guide:
//! `docs/guides/proxy.md`.
//!
//! - [`LineCodec`] splits bytes into [`LineItem`]s: lines with their numbers and exact bytes.
//! - [`FrameCodec`] splits bytes into lines and deserializes each line. It returns [`FrameItem`]s.
//! - [`ExactCodec`] splits bytes into [`Piece`]s, for programs that forward a stream unchanged. Every byte of the
//!   stream is in one of the pieces. [`Piece::line`] returns the line that a piece contains.
//! - [`Lines`], [`Frames`] and [`Pieces`] return the same items from a [`BufRead`](std::io::BufRead), without an async
//!   runtime.
//!
//! ```
//! use claw_codec::{LineItem, Lines};
//!
//! let input = b"{\"type\":\"keep_alive\"}\r\n\nhello\n";
//! let items: Vec<LineItem> = Lines::new(&input[..]).collect::<Result<_, _>>()?;
//! let LineItem::Line(last) = &items[1] else { unreachable!() };
//! assert_eq!((last.number, &last.raw[..]), (3, &b"hello"[..]));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Lines
//!
//! A line consists of the bytes up to `\n`; one `\r` before it belongs to the line ending. The last line of a stream
//! needs no line ending. (A `\r` at the very end of the stream counts as the first half of a line ending.) Nothing else
//! ends a line: not a lone `\r`, not NUL, not U+2028 or U+2029. A UTF-8 byte order mark at the start of the stream is
//! dropped. A blank line, which is empty or has only spaces, tabs and carriage returns, gives no item. Line numbers
//! start at 1, and blank lines are counted too. A line over the limit is counted as one line. All codecs and readers of
//! this crate number lines in this way, and so do the crates that use them: a line number in an error of claw-client is
//! the number of the line in the CLI's output.
//!
//! # Bad lines are items
//!
//! A line that cannot be read is a [`Malformed`], and a line over the limit is a [`TooLong`]. Both are items, not
//! errors, because [`FramedRead`](tokio_util::codec::FramedRead) ends a stream after an error. So the lines after a bad
//! line still arrive. The only errors of the codecs while reading are the I/O errors of the underlying reader.
//!
//! # Memory
//!
//! Lines are not copied: they share the buffer that they were read into (64 KiB). So **if you keep a short line, its
//! whole read buffer stays in memory**. [`Line::detach`] and [`FrameItem::detach`] copy the line out of the read
//! buffer. A line longer than the buffer has a separate buffer, at most two or three times its length, which is freed
//! with the line. Memory does not grow with the length of a line over the limit: the codec keeps the first and the last
//! 64 KiB, counts the rest, and releases the buffer.
#![forbid(unsafe_code)]

/// Compiles the README's example with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod encode;
mod exact;
mod excerpt;
mod frame;
mod frame_codec;
mod line;
mod line_codec;
mod skip;
mod sync;

pub use encode::{EncodeError, frame_line, to_line};
pub use exact::{ExactCodec, Piece};
pub use frame::{FrameItem, Malformed, decode_line, detach};
pub use frame_codec::FrameCodec;
pub use line::{Line, LineItem, TooLong};
pub use line_codec::LineCodec;
pub use sync::{Frames, Lines, Pieces};

/// The default maximum length of a line, in bytes without its ending: 64 MiB. An image of 10 MB fits, even as base64.
pub const DEFAULT_LIMIT: usize = 64 << 20;

/// The number of bytes that [`TooLong`] keeps of the start of a line, and also of its end.
pub const EXCERPT: usize = 64 << 10;

/// The size of the buffer that short lines share, in bytes.
const READ_BUFFER: usize = 64 << 10;
