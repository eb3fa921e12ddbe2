//! A program whose instructions `cargo xtask instructions` counts. It decodes a text of lines a
//! given number of times.
//!
//! `count-claw-codec <lines|scan> TEXT TIMES` prints the number of lines in a round.
#![forbid(unsafe_code)]
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that measures"
)]

use std::fs;
use std::hint::black_box;
use std::path::Path;

use bytes::BytesMut;
use claw_codec::LineCodec;
use memchr::memchr_iter;
use tokio_util::codec::Decoder as _;

const CHUNK: usize = 64 * 1024;

fn main() {
    let [what, scenario, times] = &xtask_instructions::arguments();
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(scenario)
        .join("stdout.ndjson");
    let text = fs::read(file).unwrap();
    for _ in 0..times.parse().unwrap() {
        match &**what {
            "lines" => lines(black_box(&text)),
            "scan" => scan(black_box(&text)),
            other => panic!("{other:?} is nothing to count"),
        }
    }
    println!("{}", memchr_iter(b'\n', &text).count());
}

fn lines(text: &[u8]) {
    let mut codec = LineCodec::new();
    let mut buffer = BytesMut::with_capacity(CHUNK);
    for chunk in text.chunks(CHUNK) {
        buffer.extend_from_slice(chunk);
        while let Ok(Some(line)) = codec.decode(&mut buffer) {
            black_box(line);
        }
    }
}

/// The minimum work of a reader: copies the chunk, and finds its lines.
fn scan(text: &[u8]) {
    let mut buffer = Vec::with_capacity(CHUNK);
    for chunk in text.chunks(CHUNK) {
        buffer.clear();
        buffer.extend_from_slice(chunk);
        black_box(memchr_iter(b'\n', &buffer).count());
    }
}
