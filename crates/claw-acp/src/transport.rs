//! Lines of JSON-RPC over a reader and a writer.

use std::io;
use std::sync::Arc;

use agent_client_protocol::Lines;
use claw_client::codec::{LineCodec, LineItem};
use futures::{Sink, Stream, StreamExt as _, sink};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio_util::codec::FramedRead;

use crate::outbox::Outbox;

/// The longest line that is taken, in bytes. A prompt with images is long.
const LONGEST: usize = 64 << 20;

/// The direction of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a connection has two directions")]
pub enum Direction {
    /// The line went from the client to the agent.
    Received,
    /// The line went from the agent to the client.
    Sent,
}

/// A callback for each line in either direction, without its line ending.
pub(crate) type Tap = Arc<dyn Fn(Direction, &str) + Send + Sync>;

type Incoming = futures::stream::BoxStream<'static, io::Result<String>>;
type Outgoing = std::pin::Pin<Box<dyn Sink<String, Error = io::Error> + Send>>;

/// Makes a transport of the protocol's crate.
pub(crate) fn lines(
    reader: impl AsyncRead + Send + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    outbox: Outbox,
    tap: Option<Tap>,
) -> Lines<Outgoing, Incoming> {
    let incoming = incoming(reader, tap.clone()).boxed();
    let outgoing = sink::unfold((writer, outbox, tap), async |state, line: String| {
        let (mut writer, outbox, tap) = state;
        if let Some(tap) = &tap {
            tap(Direction::Sent, &line);
        }
        let mut bytes = line.into_bytes();
        bytes.push(b'\n');
        writer.write_all(&bytes).await?;
        writer.flush().await?;
        bytes.pop();
        outbox.written(&String::from_utf8_lossy(&bytes[..bytes.len().min(200)]));
        Ok((writer, outbox, tap))
    });
    Lines::new(Box::pin(outgoing), incoming)
}

/// The lines of the client. A line that is too long or is not UTF-8 becomes a text that is no JSON, so that the client
/// gets an error for it.
fn incoming(
    reader: impl AsyncRead + Send + 'static,
    tap: Option<Tap>,
) -> impl Stream<Item = io::Result<String>> + Send {
    let lines = FramedRead::new(Box::pin(reader), LineCodec::new().with_limit(LONGEST));
    lines.map(move |item| {
        let line = match item? {
            LineItem::Line(line) => String::from_utf8(line.raw.into())
                .unwrap_or_else(|_| format!("line {} is not UTF-8", line.number)),
            LineItem::TooLong(long) => format!(
                "line {} has {} bytes, more than the limit of {LONGEST}",
                long.line, long.length
            ),
            _ => "the line cannot be read".to_owned(),
        };
        if let Some(tap) = &tap {
            tap(Direction::Received, &line);
        }
        Ok(line)
    })
}
