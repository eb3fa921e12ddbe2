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
use crate::api::Place;
use crate::api::events::SIGN_OF_LIFE;
use crate::api::reply::Events;
use crate::hub::{Heard, Tapped};

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
    // The first thing that a client sees, so that it knows that the prompt is taken.
    let first = Bytes::from_static(b":\n\n");
    let first = stream::iter([Ok::<_, Infallible>(first)]);
    let rest = match begin(&hosted, &session, prompt).await {
        Ok((tapped, place)) => stream::unfold((tapped, place), async |(mut tapped, place)| {
            Some((Ok(next(&mut tapped).await?), (tapped, place)))
        })
        .left_stream(),
        Err(error) => stream::iter([Ok(event(Heard::Failed(error)))]).right_stream(),
    };
    Ok(Events::of(first.chain(rest)))
}

/// What is sent next: an event, or a comment as a sign of life. `None` at the end.
async fn next(tapped: &mut Tapped) -> Option<Bytes> {
    match tokio::time::timeout(SIGN_OF_LIFE, tapped.next()).await {
        Ok(heard) => heard.map(event),
        Err(_) => Some(Bytes::from_static(b":\n\n")),
    }
}

/// Has the prompt sent. An error is in words, for the client.
async fn begin(
    hosted: &Hosted,
    session: &SessionId,
    prompt: String,
) -> Result<(Tapped, Place), String> {
    let place = hosted.api.viewers.enter(session.as_str());
    let place = place.map_err(|refusal| refusal.message().to_owned())?;
    let hub = &hosted.api.hub;
    let live = hub.host(session, &hosted.project).await;
    let live = live.map_err(|error| error.to_string())?;
    // The session itself is let go of: only what runs keeps it.
    let tapped = live.prompt_tapped(NewPrompt::new(prompt), hub.unread());
    let tapped = tapped.await.map_err(|error| error.to_string())?;
    Ok((tapped, place))
}

/// The prompt in a body. What else is in it does not matter.
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

/// The server-sent event.
fn event(heard: Heard) -> Bytes {
    match heard {
        Heard::Line(line) => {
            let mut event = Vec::with_capacity(line.len() + 32);
            event.extend_from_slice(b"event: message\n");
            // A line of the CLI that is JSON has no carriage return within it. One that is not may have some, and each would
            // end a line of the event.
            for part in line.split(|byte| *byte == b'\r') {
                event.extend_from_slice(b"data: ");
                event.extend_from_slice(part);
                event.push(b'\n');
            }
            event.push(b'\n');
            event.into()
        }
        Heard::TooLong(number) => {
            format!(": line {number} of claude is too long, and left out\n\n").into()
        }
        // The data are empty, and yet there: without them there would be no event.
        Heard::Done => Bytes::from_static(b"event: done\ndata: \n\n"),
        Heard::Failed(message) => {
            format!("event: error\ndata: {}\n\n", json!({ "message": message })).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::Tap;

    #[tokio::test(start_paused = true)]
    async fn a_turn_that_is_silent_sends_comments() {
        let (tap, mut tapped) = Tap::new(1);
        let began = tokio::time::Instant::now();
        for _ in 0..3 {
            assert_eq!(next(&mut tapped).await.unwrap(), ":\n\n");
        }
        assert_eq!(began.elapsed(), std::time::Duration::from_secs(45));
        tap.end();
        assert_eq!(next(&mut tapped).await.unwrap(), "event: done\ndata: \n\n");
        assert_eq!(next(&mut tapped).await, None);
    }

    #[test]
    fn events_are_lines_of_their_own() {
        let text = |heard| String::from_utf8(event(heard).to_vec()).unwrap();
        let line = |text: &'static str| Heard::Line(Bytes::from_static(text.as_bytes()));
        assert_eq!(text(line("{ }")), "event: message\ndata: { }\n\n");
        // What a page's or program's own text looks like begins no event of its own.
        assert_eq!(
            text(line("a\rdata: b\r\revent: done")),
            "event: message\ndata: a\ndata: data: b\ndata: \ndata: event: done\n\n"
        );
        let failed = Heard::Failed("two\nlines\r".to_owned());
        assert_eq!(
            text(failed),
            "event: error\ndata: {\"message\":\"two\\nlines\\r\"}\n\n"
        );
        assert_eq!(text(Heard::Done), "event: done\ndata: \n\n");
    }
}
