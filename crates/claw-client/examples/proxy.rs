//! A proxy between a host and `claude`. It forwards every byte unchanged, reads the permission requests, and refuses
//! some of them even if the host allows them.
//!
//! A host starts the proxy in place of `claude`, by `path_to_claude_code_executable` or `CLAW_CLAUDE_PATH`. The proxy
//! starts the `claude` on the `PATH`, or the executable that `PROXY_CLAUDE` names.
#![expect(clippy::print_stderr, reason = "an example prints")]

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use claw_client::codec::{ExactCodec, FrameItem, Piece, decode_line, to_line};
use claw_client::transport::{CommandSpec, Launcher, Local, Pipes, Shutdown};
use claw_client::types::control::{ControlRequestBody, ControlResponse, PermissionResult};
use claw_client::types::{Json, RequestId, StdinMessage, StdoutMessage};
use futures::TryStreamExt;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio_util::codec::FramedRead;

/// The maximum number of refused requests that wait for the host's answer, and the maximum length of their IDs.
const MOST: usize = 1024;

#[tokio::main]
async fn main() {
    let code = match run().await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("proxy: {error}");
            1
        }
    };
    // `exit` instead of a return from `main`: one of tokio's threads may still wait for stdin.
    std::process::exit(code);
}

/// The exit code of `claude`.
async fn run() -> Result<i32, Box<dyn std::error::Error>> {
    let claude = std::env::var_os("PROXY_CLAUDE").unwrap_or_else(|| "claude".into());
    // Dropped after the last line of stderr. The lines arrive on one of claw's threads.
    let (last_line, mut no_more_lines) = tokio::sync::mpsc::channel::<()>(1);
    let command = CommandSpec::new(claude)
        .args(std::env::args_os().skip(1))
        .on_stderr(move |line| {
            let _ = &last_line;
            eprintln!("{line}");
        });
    let Pipes {
        process,
        reader,
        writer,
        ..
    } = Local::new().launch(command).await?;

    // Each direction has its own task, so that neither waits for the other.
    let guard = Arc::new(Guard::default());
    let answers = guard.clone();
    let to_claude = pump(tokio::io::stdin(), writer, move |piece| {
        answers.answered(piece)
    });
    let to_claude = tokio::spawn(async {
        if let Err(error) = to_claude.await
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            eprintln!("proxy: {error}");
        }
    });
    let to_host = pump(reader, tokio::io::stdout(), |piece| guard.asked(piece));
    tokio::pin!(to_host);
    let passed = loop {
        tokio::select! {
            passed = &mut to_host => break passed,
            () = shutdown_signal() => process.terminate(),
        }
    };

    // `claude` has written its last byte, or the host reads no more. Either way its stdin closes.
    to_claude.abort();
    let exit = process.shutdown(Shutdown::default()).await?;
    drop(process);
    // Not for ever: what `claude` started may hold its stderr.
    let _ = tokio::time::timeout(Duration::from_secs(2), no_more_lines.recv()).await;
    passed?;
    let by_signal = || 128 + exit.signal().unwrap_or_default();
    Ok(exit.code().unwrap_or_else(by_signal))
}

/// Passes everything on, until the end. `replace` sees each piece, and may put another line in its place.
///
/// It holds one piece at a time, of the codec's limit at most: who writes faster than the other reads
/// is made to wait by a full pipe.
async fn pump(
    from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut replace: impl FnMut(&Piece) -> io::Result<Option<Bytes>>,
) -> io::Result<()> {
    let mut pieces = FramedRead::new(from, ExactCodec::new());
    while let Some(piece) = pieces.try_next().await? {
        match replace(&piece)? {
            Some(line) => to.write_all(&piece.with_line(&line)).await?,
            None => to.write_all(&piece.bytes).await?,
        }
        to.flush().await?;
    }
    to.shutdown().await
}

/// Refuses what has `rm -rf` in it: a command of any shell, and a script that is written.
#[derive(Default)]
struct Guard {
    refused: Mutex<HashSet<RequestId>>,
}

impl Guard {
    fn refused(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For the host: passed on as it is.
    fn asked(&self, piece: &Piece) -> io::Result<Option<Bytes>> {
        let Some(FrameItem::Frame(frame)) = piece.line().map(decode_line) else {
            return Ok(None);
        };
        match frame.into_value() {
            StdoutMessage::ControlRequest(request) => {
                if let ControlRequestBody::CanUseTool(ask) = &request.request {
                    // `Debug` escapes characters that could control a terminal.
                    eprintln!("proxy: {:?} asks for permission", ask.tool_name);
                    if ask.input.as_raw().contains("rm -rf") {
                        self.refuse(request.request_id)?;
                    }
                }
            }
            // The host need not answer any more.
            StdoutMessage::ControlCancelRequest(cancel) => {
                self.refused().remove(&cancel.request_id);
            }
            _ => {}
        }
        Ok(None)
    }

    fn refuse(&self, id: RequestId) -> io::Result<()> {
        let mut refused = self.refused();
        if refused.len() == MOST || id.as_str().len() > MOST {
            return Err(io::Error::other("too many requests wait to be refused"));
        }
        refused.insert(id);
        Ok(())
    }

    /// For `claude`: the answer to a request that is refused becomes a refusal.
    fn answered(&self, piece: &Piece) -> io::Result<Option<Bytes>> {
        let mut refused = self.refused();
        let is_blank = piece.line().is_none() && !piece.is_too_long();
        if refused.is_empty() || is_blank {
            return Ok(None);
        }
        let Some(FrameItem::Frame(frame)) = piece.line().map(decode_line) else {
            return Err(io::Error::other("an answer to be refused may hide here"));
        };
        let StdinMessage::ControlResponse(answer) = frame.value() else {
            return Ok(None);
        };
        let id = answer.request_id().filter(|id| refused.remove(*id));
        let refusal = |id: &RequestId| {
            let refusal = PermissionResult::deny("`rm -rf` does not pass this proxy");
            let refusal = Json::new(&refusal).map_err(io::Error::other)?;
            to_line(&ControlResponse::success(id.clone(), refusal)).map_err(io::Error::other)
        };
        id.map(refusal).transpose()
    }
}

/// Waits for Ctrl-C, or on Unix for SIGTERM.
async fn shutdown_signal() {
    #[cfg(unix)]
    if let Ok(mut terminate) = {
        use tokio::signal::unix::{SignalKind, signal};
        signal(SignalKind::terminate())
    } {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
        return;
    }
    let _ = tokio::signal::ctrl_c().await;
}
