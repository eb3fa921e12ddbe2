//! `POST /sessions/{id}/messages`: a turn, as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use claw_types::SessionId;
use futures::{StreamExt as _, stream};
use serde_json::{Value, json};

use super::refusal::Detail;
use super::{Hosted, hosted_session};
use crate::NewPrompt;
use crate::api::ViewerSlot;
use crate::api::events::SIGN_OF_LIFE;
use crate::api::response::Events;
use crate::hub::{TurnItem, TurnReceiver};

pub(super) async fn messages(
    State(hosted): State<Arc<Hosted>>,
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Events, Detail> {
    let session = id.ok().and_then(|Path(id)| hosted_session(&id));
    let Some(session) = session else {
        return Err(Detail::new(StatusCode::BAD_REQUEST, "invalid session_id"));
    };
    let prompt = prompt(&headers, &body?)?;
    // The response begins with an empty comment, so that the client receives bytes before the first event.
    let first = Bytes::from_static(b":\n\n");
    let first = stream::iter([Ok::<_, Infallible>(first)]);
    let rest = match begin(&hosted, &session, prompt).await {
        Ok((receiver, place)) => {
            stream::unfold((receiver, place), async |(mut receiver, place)| {
                Some((Ok(next(&mut receiver).await?), (receiver, place)))
            })
            .left_stream()
        }
        Err(error) => stream::iter([Ok(event(TurnItem::Failed(error)))]).right_stream(),
    };
    Ok(Events::of(first.chain(rest)))
}

/// Returns the next bytes to send: an event, or a comment as a keepalive. Returns `None` at the end.
async fn next(receiver: &mut TurnReceiver) -> Option<Bytes> {
    match tokio::time::timeout(SIGN_OF_LIFE, receiver.next()).await {
        Ok(item) => item.map(event),
        Err(_) => Some(Bytes::from_static(b":\n\n")),
    }
}

/// Sends the prompt. The error is a text for the client.
async fn begin(
    hosted: &Hosted,
    session: &SessionId,
    prompt: String,
) -> Result<(TurnReceiver, ViewerSlot), String> {
    let place = hosted.api.viewers.acquire(session.as_str());
    let place = place.map_err(|refusal| refusal.message().to_owned())?;
    let hub = &hosted.api.hub;
    let live = hub.host(session, &hosted.project).await;
    let live = live.map_err(|error| error.to_string())?;
    // The handle of the session is dropped at the end of this function. After that, the session is in use only as long
    // as the turn runs.
    let receiver = live.prompt_with_output(NewPrompt::new(prompt), hub.unread());
    let receiver = receiver.await.map_err(|error| error.to_string())?;
    Ok((receiver, place))
}

/// Reads the prompt from a body. Ignores other fields.
fn prompt(headers: &HeaderMap, body: &[u8]) -> Result<String, Detail> {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    if kind != "application/json" && !(kind.starts_with("application/") && kind.ends_with("+json"))
    {
        let text = "the body has to be JSON, and to say so: Content-Type: application/json";
        return Err(Detail::body("model_attributes_type", &["body"], text));
    }
    let mut body: Value = serde_json::from_slice(body)
        .map_err(|error| Detail::body("json_invalid", &["body"], &error.to_string()))?;
    if !body.is_object() {
        let text = "the body has to be an object";
        return Err(Detail::body("model_attributes_type", &["body"], text));
    }
    let at = ["body", "prompt"];
    match body.get_mut("prompt").map(Value::take) {
        Some(Value::String(prompt)) if prompt.is_empty() => {
            Err(Detail::body("string_too_short", &at, "the prompt is empty"))
        }
        Some(Value::String(prompt)) => Ok(prompt),
        Some(_) => Err(Detail::body(
            "string_type",
            &at,
            "the prompt has to be a text",
        )),
        None => Err(Detail::body("missing", &at, "a prompt is needed")),
    }
}

/// Writes an item as a server-sent event.
fn event(item: TurnItem) -> Bytes {
    match item {
        TurnItem::Line(line) => {
            let mut event = Vec::with_capacity(line.len() + 32);
            event.extend_from_slice(b"event: message\n");
            // Other lines than the JSON lines of the CLI may contain carriage returns. A carriage return ends a line of
            // the event, so each part gets its own `data` field.
            for part in line.split(|byte| *byte == b'\r') {
                event.extend_from_slice(b"data: ");
                event.extend_from_slice(part);
                event.push(b'\n');
            }
            event.push(b'\n');
            event.into()
        }
        TurnItem::TooLong(number) => {
            format!(": line {number} of claude is too long, and left out\n\n").into()
        }
        // The `data` field is empty but present, because clients ignore an event without it.
        TurnItem::Done => Bytes::from_static(b"event: done\ndata: \n\n"),
        TurnItem::Failed(message) => {
            format!("event: error\ndata: {}\n\n", json!({ "message": message })).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::TurnSender;

    #[tokio::test(start_paused = true)]
    async fn a_turn_that_is_silent_sends_comments() {
        let (output, mut receiver) = TurnSender::new(1);
        let began = tokio::time::Instant::now();
        for _ in 0..3 {
            assert_eq!(next(&mut receiver).await.unwrap(), ":\n\n");
        }
        assert_eq!(began.elapsed(), std::time::Duration::from_secs(45));
        output.end();
        assert_eq!(
            next(&mut receiver).await.unwrap(),
            "event: done\ndata: \n\n"
        );
        assert_eq!(next(&mut receiver).await, None);
    }

    #[test]
    fn events_are_lines_of_their_own() {
        let text = |item| String::from_utf8(event(item).to_vec()).unwrap();
        let line = |text: &'static str| TurnItem::Line(Bytes::from_static(text.as_bytes()));
        assert_eq!(text(line("{ }")), "event: message\ndata: { }\n\n");
        // A line whose text looks like an event does not begin a new event.
        assert_eq!(
            text(line("a\rdata: b\r\revent: done")),
            "event: message\ndata: a\ndata: data: b\ndata: \ndata: event: done\n\n"
        );
        let failed = TurnItem::Failed("two\nlines\r".to_owned());
        assert_eq!(
            text(failed),
            "event: error\ndata: {\"message\":\"two\\nlines\\r\"}\n\n"
        );
        assert_eq!(text(TurnItem::Done), "event: done\ndata: \n\n");
    }
}
