//! Exports spans with OTLP over HTTP, as JSON.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use crate::notify::NotifyError;
use crate::notify::http::{PostError, Target};
use crate::spans::{Item, Span, Spans};

/// The path to which traces are sent, below the address of a collector.
const PATH: &str = "/v1/traces";
/// Maximum number of spans in one request.
const MOST: usize = 512;
/// Maximum time for which a span waits, so that further spans are sent in the same request.
const PERIOD: Duration = Duration::from_secs(2);
/// Maximum duration of a request.
const DEADLINE: Duration = Duration::from_secs(10);
/// Maximum number of attempts to send a request.
const TRIES: u32 = 3;
/// The pause before the second attempt. Each further pause is twice as long.
const PAUSE: Duration = Duration::from_millis(500);

/// A collector of traces. Set with [`ServerBuilder::otlp`](crate::ServerBuilder::otlp).
#[derive(Clone)]
#[must_use = "a server exports traces if it is built with it"]
pub struct Otlp {
    target: Target,
    headers: HeaderMap,
}

/// The reason why traces cannot be exported in the requested way.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OtlpError {
    /// The address is not an HTTP address.
    #[error("the address of traces is not one such as http://127.0.0.1:4318")]
    Address,
    /// The headers are not a list of `name=value` with percent-encoded values.
    #[error("the headers of traces are not a list such as name=value,name=value")]
    Headers,
    /// TLS cannot be set up.
    #[error("traces cannot be sent by https: {0}")]
    Tls(String),
}

impl Otlp {
    /// Creates a collector with this address, such as `http://127.0.0.1:4318`. Spans are sent to `/v1/traces` below it.
    ///
    /// # Errors
    ///
    /// Fails with an [`OtlpError`] if spans cannot be sent to this address.
    pub fn new(url: &str) -> Result<Self, OtlpError> {
        let mut target = Target::new(url).map_err(|error| match error {
            NotifyError::Tls(error) => OtlpError::Tls(error),
            _ => OtlpError::Address,
        })?;
        if target.path.query().is_some() {
            return Err(OtlpError::Address);
        }
        let path = format!("{}{PATH}", target.path.path().trim_end_matches('/'));
        target.path = PathAndQuery::try_from(path).map_err(|_| OtlpError::Address)?;
        Ok(Self {
            target,
            headers: HeaderMap::new(),
        })
    }

    /// Adds headers. The text has the form of `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,name=value`. Values are
    /// percent-encoded as in W3C Baggage: `Basic%20abc` is `Basic abc`. Headers may be secrets, so logs and errors do not
    /// contain them.
    ///
    /// # Errors
    ///
    /// Fails with [`OtlpError::Headers`] if the text has another form, or if it names a header that the request itself
    /// sets.
    pub fn headers(mut self, text: &str) -> Result<Self, OtlpError> {
        let all = text.split(',').map(str::trim);
        for one in all.filter(|one| !one.is_empty()) {
            let (name, value) = one.split_once('=').ok_or(OtlpError::Headers)?;
            let name = HeaderName::try_from(name.trim()).map_err(|_| OtlpError::Headers)?;
            let value = decoded(value.trim()).ok_or(OtlpError::Headers)?;
            let mut value = HeaderValue::from_bytes(&value).map_err(|_| OtlpError::Headers)?;
            value.set_sensitive(true);
            let own = [
                header::CONTENT_LENGTH,
                header::CONTENT_TYPE,
                header::HOST,
                header::TRANSFER_ENCODING,
            ];
            if own.contains(&name) {
                return Err(OtlpError::Headers);
            }
            self.headers.insert(name, value);
        }
        Ok(self)
    }

    /// Starts to export spans.
    pub(crate) fn start(mut self, spans: &Spans) {
        let json = HeaderValue::from_static("application/json");
        self.headers.insert(header::CONTENT_TYPE, json);
        if let Some(receiver) = spans.begin() {
            tokio::spawn(export(self, receiver, spans.losses()));
        }
    }

    /// Sends spans. If the collector does not take them, adds their number to `lost`. If several requests fail one after
    /// another, logs only the first failure.
    async fn send(&self, spans: &[Span], lost: &AtomicU64, has_failed: &mut bool) {
        let body = Bytes::from(body(spans).to_string());
        let mut pause = PAUSE;
        for attempt in 1..=TRIES {
            let error = match self.try_send(body.clone()).await {
                Ok(()) => {
                    *has_failed = false;
                    return;
                }
                Err(error) => error,
            };
            if attempt < TRIES && error.may_pass() {
                sleep(pause).await;
                pause *= 2;
                continue;
            }
            lost.fetch_add(spans.len() as u64, Ordering::Relaxed);
            if !std::mem::replace(has_failed, true) {
                tracing::warn!(%error, spans = spans.len(), "spans are lost: the collector does not take them");
            }
            return;
        }
    }

    async fn try_send(&self, body: Bytes) -> Result<(), PostError> {
        let sent = timeout(DEADLINE, self.target.post(self.headers.clone(), body));
        let status = sent.await.map_err(|_| PostError::Silent)??;
        if status.is_success() {
            Ok(())
        } else {
            Err(PostError::Status(status))
        }
    }
}

impl std::fmt::Debug for Otlp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The headers are left out, because they may be secrets.
        f.debug_struct("Otlp")
            .field("host", &self.target.host)
            .finish_non_exhaustive()
    }
}

/// Decodes a percent-encoded value. Returns `None` if a `%` is not followed by two hexadecimal digits.
fn decoded(value: &str) -> Option<Vec<u8>> {
    let mut parts = value.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..2)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend(part[2..].bytes());
    }
    Some(bytes)
}

/// Sends the spans that arrive, several in one request, and counts those that are lost. Ends when the hub is dropped.
async fn export(otlp: Otlp, mut receiver: mpsc::Receiver<Item>, lost: Arc<AtomicU64>) {
    let (mut has_failed, mut spans) = (false, Vec::new());
    while let Some(first) = receiver.recv().await {
        let (mut next, mut flush) = (Some(first), None);
        let until = tokio::time::Instant::now() + PERIOD;
        while let Some(item) = next.take() {
            match item {
                Item::Span(span) => spans.push(*span),
                Item::Flush(done) => flush = Some(done),
            }
            if flush.is_none() && spans.len() < MOST {
                let waited = tokio::time::timeout_at(until, receiver.recv()).await;
                next = waited.ok().flatten();
            }
        }
        if !spans.is_empty() {
            otlp.send(&spans, &lost, &mut has_failed).await;
            spans.clear();
        }
        if let Some(done) = flush {
            let _ = done.send(());
        }
    }
}

/// Returns the body of a request with these spans.
fn body(spans: &[Span]) -> Value {
    let text = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    let spans: Vec<_> = spans
        .iter()
        .map(|span| {
            let session = span.session.as_ref();
            let mut attributes = Vec::from_iter(session.map(|it| text("session.id", it.as_str())));
            attributes.extend(span.attributes.iter().map(|(key, value)| text(key, value)));
            let mut object = json!({
                "traceId": format!("{:032x}", span.trace),
                "spanId": format!("{:016x}", span.id),
                "name": span.name,
                // In OTLP, the kind 3 is a client's span, and the kind 1 is an internal span.
                "kind": if span.is_call { 3 } else { 1 },
                "startTimeUnixNano": nanoseconds(span.began),
                "endTimeUnixNano": nanoseconds(span.ended),
                "attributes": attributes,
                "status": if span.has_failed { json!({"code": 2}) } else { json!({}) },
            });
            if let Some(parent) = span.parent {
                object["parentSpanId"] = format!("{parent:016x}").into();
            }
            object
        })
        .collect();
    let version = env!("CARGO_PKG_VERSION");
    let resource = [
        text("service.name", "claw"),
        text("service.version", version),
    ];
    json!({"resourceSpans": [{
        "resource": {"attributes": resource},
        "scopeSpans": [{"scope": {"name": "claw-server", "version": version}, "spans": spans}],
    }]})
}

/// Converts a time to nanoseconds since 1970. The result is a text, because OTLP writes integers of 64 bits as JSON
/// strings.
fn nanoseconds(at: SystemTime) -> String {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_nanos().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_and_headers_are_those_of_opentelemetry() {
        for (url, path) in [
            ("http://127.0.0.1:4318", "/v1/traces"),
            ("http://collector:4318/", "/v1/traces"),
            ("http://collector/otlp/", "/otlp/v1/traces"),
        ] {
            assert_eq!(Otlp::new(url).unwrap().target.path.as_str(), path);
        }
        for url in ["collector:4318", "ftp://collector", "http://c/?key=secret"] {
            let error = Otlp::new(url).unwrap_err();
            assert!(matches!(error, OtlpError::Address), "{url}");
        }
        let otlp = || Otlp::new("http://127.0.0.1:4318").unwrap();
        let with = otlp().headers("x-key=secret=1, other=2,").unwrap();
        assert_eq!(with.headers["x-key"], "secret=1");
        assert_eq!(with.headers["other"], "2");
        assert!(!format!("{with:?}").contains("secret"));
        let with = otlp()
            .headers("authorization=Basic%20YTpi%3D,x=a%2Cb")
            .unwrap();
        assert_eq!(with.headers["authorization"], "Basic YTpi=");
        assert_eq!(with.headers["x"], "a,b");
        for bad in [
            "key",
            "a b=c",
            "host=x",
            "k=a\u{7f}",
            "k=1%",
            "k=%+1",
            "k=%é",
            "k=a%0D%0Ab",
        ] {
            let bad = otlp().headers(bad).map(drop);
            assert!(matches!(bad, Err(OtlpError::Headers)), "{bad:?}");
        }
    }
}
