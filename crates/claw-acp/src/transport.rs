//! Lines of JSON-RPC over a reader and a writer.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use agent_client_protocol::Lines;
use claw_client::codec::{LineCodec, LineItem};
use futures::{Sink, Stream, StreamExt as _, sink};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio_util::codec::FramedRead;

use crate::outbox::Outbox;

/// The maximum length of a received line, in bytes. A prompt with images is long.
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

/// Returns a transport for the crate that implements the protocol.
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

/// Returns the lines of the client. A line that is too long or is not UTF-8 is replaced by a text that is not JSON. The
/// client then receives an error for that line.
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
        Ok(whole(line))
    })
}

/// Converts a message to the form that the protocol's crate accepts. That crate silently drops a response that does not
/// have exactly the form of JSON-RPC 2.0, and the request would then wait forever. Some clients write null for the
/// unused member `result` or `error`, leave out both members, or write an error as a text.
fn whole(line: String) -> String {
    let Ok(mut members) = serde_json::from_str::<BTreeMap<String, &RawValue>>(&line) else {
        return line;
    };
    let is_null = |value: &&RawValue| value.get() == "null";
    let before = members.len();
    if members.contains_key("method") {
        members.retain(|name, value| !(matches!(&**name, "result" | "error") && is_null(value)));
        return if members.len() == before {
            line
        } else {
            serde_json::to_string(&members).unwrap_or_default()
        };
    }
    if !members.contains_key("id") {
        return line;
    }
    let error = members.get("error").filter(|error| !is_null(error));
    let is_error = |error: &&RawValue| serde_json::from_str::<ErrorShape>(error.get()).is_ok();
    let is_whole = members
        .get("jsonrpc")
        .is_some_and(|version| version.get() == "\"2.0\"")
        && match (
            members.contains_key("result"),
            members.contains_key("error"),
        ) {
            (true, false) => true,
            (false, true) => error.is_some_and(is_error),
            _ => false,
        };
    if is_whole {
        return line;
    }
    let (name, value) = match (error, members.get("result")) {
        (Some(error), _) if is_error(error) => ("error", json!(error)),
        (Some(error), _) => ("error", json!({"code": -32603, "message": error.get()})),
        (None, Some(result)) => ("result", json!(result)),
        (None, None) if members.contains_key("error") => ("result", Value::Null),
        (None, None) => {
            let message = "the response has neither a result nor an error";
            ("error", json!({"code": -32603, "message": message}))
        }
    };
    json!({"jsonrpc": "2.0", "id": members["id"], name: value}).to_string()
}

/// The required members of a JSON-RPC error.
#[derive(Deserialize)]
#[expect(dead_code, reason = "only whether they are there counts")]
struct ErrorShape {
    code: i32,
    message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_one_in_any_form_of_its_members() {
        let of = |line: &str| serde_json::from_str::<Value>(&whole(line.to_owned())).unwrap();
        let ok = json!({"jsonrpc": "2.0", "id": 1, "result": {"a": [1]}});
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"result":{"a":[1]},"error":null}"#,
            r#"{"id":1,"error":null,"result":{"a":[1]}}"#,
            r#"{"jsonrpc":"1.0","id":1,"result":{"a":[1]}}"#,
        ] {
            assert_eq!(of(line), ok, "{line}");
        }
        let error = json!({"jsonrpc": "2.0", "id": "x", "error": {"code": 5, "message": "no"}});
        let line = r#"{"jsonrpc":"2.0","id":"x","result":null,"error":{"code":5,"message":"no"}}"#;
        assert_eq!(of(line), error);
        let text = of(r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#);
        assert_eq!(text["error"], json!({"code": -32603, "message": "\"no\""}));
        assert!(of(r#"{"jsonrpc":"2.0","id":1}"#)["error"]["message"].is_string());
        let null = of(r#"{"jsonrpc":"2.0","id":1,"error":null}"#);
        assert_eq!(null, json!({"jsonrpc": "2.0", "id": 1, "result": null}));
        let request = of(r#"{"jsonrpc":"2.0","id":1,"method":"m","result":null,"error":null}"#);
        assert_eq!(request, json!({"jsonrpc": "2.0", "id": 1, "method": "m"}));
    }

    #[test]
    fn what_is_in_form_or_no_message_stays_byte_for_byte() {
        for line in [
            r#"{"jsonrpc": "2.0", "id":1, "result":null }"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":1}}"#,
            r#"{"jsonrpc":"2.0","method":"m","params":{"result":null}}"#,
            "no JSON",
            "[1]",
            "{}",
        ] {
            assert_eq!(whole(line.to_owned()), line);
        }
    }
}
