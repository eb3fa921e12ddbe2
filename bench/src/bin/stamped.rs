//! The scripted agent, which writes into each piece of text the time of its write.
//!
//! The texts of the script have marks: six digits, which number the pieces, `@`, and room for nineteen digits. When a
//! piece is first written, the time is inserted there, in nanoseconds of CLOCK_MONOTONIC. When the piece is repeated in
//! the complete message, it has the same time.
//!
//! It accepts the same settings as `scripted-agent`, and reports the session ID of its arguments.

use std::collections::HashMap;
use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::pin::Pin;
use std::task::{Context, Poll};

use claw_testkit::agent::{self, Launch};
use rustix::time::{ClockId, clock_gettime};
use tokio::io::AsyncWrite;

/// The numbers of digits of a piece's number and of a time.
const NUMBER: usize = 6;
const TIME: usize = 19;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<OsString> = env::args_os().skip(1).collect();
    let mut launch = Launch::from_args(args.clone(), |name| env::var_os(name))?;
    if let Some(id) = session(&args) {
        launch.script.session_id = id;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let played = runtime.block_on(agent::run(
        &launch.script,
        tokio::io::stdin(),
        Stamped::default(),
        &launch.gates,
    ));
    // The runtime is not dropped: it would wait for the thread that reads standard input.
    std::process::exit(played.map_or(1, |outcome| outcome.code))
}

/// The ID that the host has chosen for the session.
fn session(args: &[OsString]) -> Option<String> {
    let flag = "--session-id";
    let at = args
        .iter()
        .position(|arg| arg.to_str().is_some_and(|arg| arg.starts_with(flag)))?;
    match args[at].to_str()?.strip_prefix("--session-id=") {
        Some(id) => Some(id.to_owned()),
        None => Some(args.get(at + 1)?.to_str()?.to_owned()),
    }
}

/// Standard output. It inserts the times.
#[derive(Default)]
struct Stamped {
    /// The time at which each piece was first written.
    times: HashMap<Vec<u8>, String>,
}

impl Stamped {
    fn stamp(&mut self, line: &[u8]) -> Vec<u8> {
        let mut line = line.to_vec();
        let mut at = 0;
        while let Some(found) = line[at..].iter().position(|&byte| byte == b'@') {
            let mark = at + found;
            at = mark + 1;
            let Some(from) = mark.checked_sub(NUMBER) else {
                continue;
            };
            let number = line[from..mark].to_vec();
            let Some(conversation) = line.get_mut(at..at + TIME) else {
                break;
            };
            if number.iter().chain(&*conversation).all(u8::is_ascii_digit) {
                let time = self.times.entry(number).or_insert_with(now);
                conversation.copy_from_slice(time.as_bytes());
            }
        }
        line
    }
}

/// The current time, with the number of digits that a mark has.
fn now() -> String {
    let now = clock_gettime(ClockId::Monotonic);
    format!("{:010}{:09}", now.tv_sec, now.tv_nsec)
}

impl AsyncWrite for Stamped {
    /// Writes directly, and blocks on a full pipe, because there is nothing else to do.
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let line = self.stamp(bytes);
        let mut out = io::stdout().lock();
        let written = out.write_all(&line).and_then(|()| out.flush());
        Poll::Ready(written.map(|()| bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
