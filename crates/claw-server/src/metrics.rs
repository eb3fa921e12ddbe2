//! The counters of the server, in the text format of Prometheus. They contain no names of sessions, projects or
//! persons.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::Hub;
use crate::conversation::Phase;

/// The counters.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// Responses by the first digit of their status, from 1.
    responses: [AtomicU64; 5],
    /// The number of open connections.
    pub(crate) open: AtomicU64,
    /// The number of connections that were closed at once, because there were too many.
    pub(crate) refused: AtomicU64,
    /// The number of idle connections that were closed to make room.
    pub(crate) displaced: AtomicU64,
    /// The number of connections that were closed because their clients read nothing.
    pub(crate) stalled: AtomicU64,
}

pub(crate) fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Counts a request, and logs one line about it. The line contains the route but not the actual path or query, which
/// may contain a secret.
pub(crate) async fn count(
    State(metrics): State<Arc<Metrics>>,
    request: Request,
    next: Next,
) -> Response {
    let began = Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    if let Some(counter) = metrics
        .responses
        .get(usize::from(status / 100).wrapping_sub(1))
    {
        add(counter);
    }
    tracing::info!(
        method = known(method.as_str()),
        route = route.as_ref().map_or("none", MatchedPath::as_str),
        status,
        milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        "request"
    );
    response
}

/// Replaces unknown methods, because a client may send any word as a method.
fn known(method: &str) -> &str {
    match method {
        "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" => method,
        _ => "other",
    }
}

/// The text that is being written.
struct Text(String);

impl Text {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: u64) {
        self.family(name, kind, help);
        let _ = writeln!(self.0, "{name} {value}");
    }

    fn labelled(&mut self, name: &str, label: &str, values: &[(&str, u64)]) {
        for (of, value) in values {
            let _ = writeln!(self.0, "{name}{{{label}=\"{of}\"}} {value}");
        }
    }
}

impl Metrics {
    /// All counters as text.
    pub(crate) fn text(&self, hub: &Hub, viewers: usize) -> String {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut text = Text(String::new());
        let name = "claw_http_responses_total";
        text.family(name, "counter", "Responses by the class of their status.");
        let classes = ["1xx", "2xx", "3xx", "4xx", "5xx"];
        let by_class: Vec<_> = classes
            .into_iter()
            .zip(self.responses.iter().map(read))
            .collect();
        text.labelled(name, "status", &by_class);
        let (gauge, counter) = ("gauge", "counter");
        let open = read(&self.open);
        text.one(
            "claw_connections",
            gauge,
            "Connections that are open.",
            open,
        );
        let name = "claw_connections_closed_total";
        text.family(
            name,
            counter,
            "Connections that the server closed, by reason.",
        );
        let by_reason = [
            ("refused", read(&self.refused)),
            ("displaced", read(&self.displaced)),
            ("stalled", read(&self.stalled)),
        ];
        text.labelled(name, "reason", &by_reason);
        let viewers = viewers as u64;
        text.one("claw_viewers", gauge, "Viewers of all sessions.", viewers);
        sessions(&mut text, hub);
        claims(&mut text, hub);
        kept(&mut text, hub);
        pool(&mut text, hub);
        text.0
    }
}

fn sessions(text: &mut Text, hub: &Hub) {
    let mut phases = [
        (Phase::Idle, "idle", 0),
        (Phase::Waiting, "waiting", 0),
        (Phase::Starting, "starting", 0),
        (Phase::Running, "running", 0),
        (Phase::Asking, "asking", 0),
        (Phase::Deferred, "deferred", 0),
        (Phase::Limited, "limited", 0),
        (Phase::Cut, "cut", 0),
    ];
    let mut requests = 0;
    for live in hub.live() {
        let phase = live.read(|conversation| {
            requests += conversation.requests().count() as u64;
            conversation.state().phase
        });
        for (of, _, count) in &mut phases {
            *count += u64::from(*of == phase);
        }
    }
    let name = "claw_sessions";
    text.family(name, "gauge", "Live sessions by their phase.");
    let by_phase = phases.map(|(_, name, count)| (name, count));
    text.labelled(name, "phase", &by_phase);
    let help = "Permission requests that wait for an answer.";
    text.one("claw_requests", "gauge", help, requests);
}

fn claims(text: &mut Text, hub: &Hub) {
    let Some(counts) = hub.claim_counts() else {
        return;
    };
    let help = "Sessions that this host has claimed.";
    text.one("claw_claims", "gauge", help, counts.held);
    let name = "claw_claim_events_total";
    let help = "Claims that were lost, and those that another host had already.";
    text.family(name, "counter", help);
    let by_event = [("lost", counts.lost), ("refused", counts.refused)];
    text.labelled(name, "event", &by_event);
}

fn kept(text: &mut Text, hub: &Hub) {
    let Some(entries) = hub.kept_entries() else {
        return;
    };
    let help = "Entries that only this host had, and that are kept beside the conversation because another host had \
                gone on with it.";
    text.one("claw_kept_entries_total", "counter", help, entries);
}

fn pool(text: &mut Text, hub: &Hub) {
    let stats = hub.pool().stats();
    let name = "claw_processes";
    text.family(
        name,
        "gauge",
        "Processes of the pool by what they do. Each is counted once.",
    );
    let by_state = [
        ("running", stats.running.saturating_sub(stats.idle) as u64),
        ("idle", stats.idle as u64),
        ("spare", stats.spares as u64),
        ("starting", stats.starting as u64),
        ("ending", stats.ending as u64),
    ];
    text.labelled(name, "state", &by_state);
    let help = "Turns and calls that wait for a process.";
    text.one("claw_pool_waiting", "gauge", help, stats.waiting as u64);
    let name = "claw_process_events_total";
    text.family(
        name,
        "counter",
        "What has happened to processes of the pool.",
    );
    let by_event = [
        ("started", stats.starts),
        ("failed", stats.failed_starts),
        ("evicted", stats.evictions),
        ("crashed", stats.crashes),
    ];
    text.labelled(name, "event", &by_event);
}
