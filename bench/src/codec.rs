//! The codec alone, compared with a bare scan and with `LinesCodec`.

use bytes::BytesMut;
use claw_codec::LineCodec;
use memchr::memchr_iter;
use tokio_util::codec::{Decoder, LinesCodec};

use crate::rounds::{median, time};
use crate::{Result, lines};

const CHUNK: usize = 64 * 1024;
const ROUNDS: usize = 41;

pub(crate) fn main() -> Result {
    println!(
        "{:<24}{:>8}{:>10}{:>10}{:>14}",
        "lines", "bytes", "MB/s", "of scan", "of LinesCodec"
    );
    let mut all = lines::all()?;
    table("all", &all)?;
    all.retain(|line| line.len() <= 8 * 1024);
    table("all, up to 8 kB", &all)?;
    for kind in ["stream_event", "assistant"] {
        table(kind, &lines::of_type(kind)?)?;
    }
    Ok(())
}

fn table(name: &str, lines: &[String]) -> Result {
    let mut text = String::new();
    while text.len() < 4 << 20 {
        for line in lines {
            text.push_str(line);
            text.push('\n');
        }
    }
    let text = text.as_bytes();
    let count = memchr_iter(b'\n', text).count();
    let (mut speed, mut of_scan, mut of_lines) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let ours = time(1, || assert_eq!(decode(LineCodec::new(), text), count)).as_secs_f64();
        let bare = time(1, || assert_eq!(scan(text), count)).as_secs_f64();
        let theirs = time(1, || assert_eq!(decode(LinesCodec::new(), text), count)).as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a few megabytes")]
        speed.push(text.len() as f64 / 1e6 / ours);
        of_scan.push(bare / ours);
        of_lines.push(theirs / ours);
    }
    println!(
        "{name:<24}{:>8}{:>10.0}{:>10.2}{:>14.2}",
        text.len() / count,
        median(&mut speed),
        median(&mut of_scan),
        median(&mut of_lines)
    );
    Ok(())
}

/// The minimum work of a reader: copies the chunk, as from a pipe, and finds its lines.
fn scan(text: &[u8]) -> usize {
    let mut buffer = Vec::with_capacity(CHUNK);
    let mut lines = 0;
    for chunk in text.chunks(CHUNK) {
        buffer.clear();
        buffer.extend_from_slice(chunk);
        lines += memchr_iter(b'\n', std::hint::black_box(&buffer)).count();
    }
    lines
}

/// Decodes as a framed reader does.
fn decode(mut codec: impl Decoder, text: &[u8]) -> usize {
    let mut buffer = BytesMut::with_capacity(CHUNK);
    let mut lines = 0;
    for chunk in text.chunks(CHUNK) {
        buffer.extend_from_slice(chunk);
        while let Ok(Some(line)) = codec.decode(&mut buffer) {
            std::hint::black_box(line);
            lines += 1;
        }
    }
    lines
}
