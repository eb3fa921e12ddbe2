//! The counters of the server, in the text format of Prometheus. They contain no names of sessions, projects or
//! persons.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::conversation::Phase;
use crate::counts::{Histogram, Totals};
use crate::hub::Listed;
use crate::{Hub, descriptors};

/// The counters of the HTTP server.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// The number of responses for each class of status codes: 1xx, 2xx, 3xx, 4xx and 5xx.
    responses: [AtomicU64; 5],
    /// The number of open connections.
    pub(crate) open: AtomicU64,
    /// The number of connections that were refused because there were too many.
    pub(crate) refused: AtomicU64,
    /// The number of idle connections that were closed to make room for new ones.
    pub(crate) displaced: AtomicU64,
    /// The number of connections that were closed because their clients did not read the waiting data.
    pub(crate) stalled: AtomicU64,
}

pub(crate) fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Counts a request, and logs one line about it. The line contains the pattern of the route, and not the actual path or
/// query, because these may contain a secret.
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

/// Replaces unknown methods by `other`. A client may send any word as a method, so the number of names would not be
/// limited.
fn known(method: &str) -> &str {
    match method {
        "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" => method,
        _ => "other",
    }
}

/// The text of the metrics, to which families and values are added.
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

    /// Adds a value that is not an integer.
    fn decimal(&mut self, name: &str, labels: &str, value: f64) {
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    fn histogram(&mut self, name: &str, help: &str, of: &Histogram) {
        self.family(name, "histogram", help);
        self.buckets(name, "", of);
    }

    /// Adds the lines of a histogram. `labels` is empty, or contains the labels with a comma at the end.
    fn buckets(&mut self, name: &str, labels: &str, of: &Histogram) {
        for (bound, count) in of.up_to() {
            let _ = writeln!(self.0, "{name}_bucket{{{labels}le=\"{bound}\"}} {count}");
        }
        let (count, sum) = (of.count, of.sum);
        let _ = writeln!(self.0, "{name}_bucket{{{labels}le=\"+Inf\"}} {count}");
        let labels = match labels.strip_suffix(',') {
            Some(labels) => format!("{{{labels}}}"),
            None => String::new(),
        };
        let _ = writeln!(
            self.0,
            "{name}_sum{labels} {sum}\n{name}_count{labels} {count}"
        );
    }

    fn labelled(&mut self, name: &str, label: &str, values: &[(&str, u64)]) {
        for (of, value) in values {
            let _ = writeln!(self.0, "{name}{{{label}=\"{of}\"}} {value}");
        }
    }
}

impl Metrics {
    /// Returns all counters as text. `stored` is the list of the store's sessions, which may be a few minutes old.
    /// `unreadable` is the number of configuration folders that cannot be read.
    pub(crate) fn text(
        &self,
        hub: &Hub,
        viewers: usize,
        stored: &Listed,
        unreadable: usize,
    ) -> String {
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
        let help = "Configuration folders that exist and cannot be read.";
        let name = "claw_config_dirs_unreadable";
        text.one(name, gauge, help, unreadable as u64);
        sessions(&mut text, hub, stored);
        let totals = hub.activity().counts.totals();
        turns(&mut text, &totals);
        models(&mut text, &totals);
        store(&mut text, &totals, hub);
        process(&mut text, &totals);
        claims(&mut text, hub);
        kept(&mut text, hub);
        lost(&mut text, &totals);
        unstored(&mut text, hub);
        pool(&mut text, hub);
        if let Some(lost) = hub.activity().spans.lost() {
            let help =
                "Spans that were lost: too many waited for the collector, or it did not take them.";
            text.one("claw_spans_lost_total", counter, help, lost);
        }
        text.0
    }
}

fn sessions(text: &mut Text, hub: &Hub, stored: &Listed) {
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
    let (mut requests, mut prompts, mut silent) = (0, 0, 0);
    let (mut oldest, mut longest) = (Duration::ZERO, Duration::ZERO);
    for live in hub.live() {
        let phase = live.read(|conversation| {
            requests += conversation.requests().count() as u64;
            prompts += conversation.state().waiting_prompts.len() as u64;
            conversation.state().phase
        });
        let times = live.times();
        let age = times.oldest_request.map(|since| since.elapsed());
        oldest = oldest.max(age.unwrap_or_default());
        let silence = times.silence.unwrap_or_default();
        longest = longest.max(silence);
        silent += u64::from(silence >= hub.silence_limit());
        for (of, _, count) in &mut phases {
            *count += u64::from(*of == phase);
        }
    }
    let deferred = hub.deferred_in(stored);
    for request in &deferred {
        oldest = oldest.max(request.age());
    }
    let left = deferred.iter().filter(|request| !request.is_live).count() as u64;
    let name = "claw_sessions";
    text.family(name, "gauge", "Live sessions by their phase.");
    let by_phase = phases.map(|(_, name, count)| (name, count));
    text.labelled(name, "phase", &by_phase);
    let help = "Permission requests that wait for an answer.";
    text.one("claw_requests", "gauge", help, requests);
    if hub.stored_sessions().is_some() {
        let help = "Deferred requests of sessions of the store that are not live on this host.";
        text.one("claw_requests_deferred", "gauge", help, left);
    }
    let name = "claw_oldest_request_seconds";
    let help = "How long the request has waited that has waited longest. 0 if none waits.";
    text.family(name, "gauge", help);
    text.decimal(name, "", oldest.as_secs_f64());
    let help = "Prompts that no process works on yet.";
    text.one("claw_turns_waiting", "gauge", help, prompts);
    let help = "Sessions whose process has been silent for too long.";
    text.one("claw_sessions_silent", "gauge", help, silent);
    let name = "claw_longest_silence_seconds";
    let help = "How long the process has been silent that has been silent longest, of those that should write.";
    text.family(name, "gauge", help);
    text.decimal(name, "", longest.as_secs_f64());
}

fn turns(text: &mut Text, totals: &Totals) {
    let counter = "counter";
    let help = "Sessions that this server has deleted.";
    text.one("claw_sessions_deleted_total", counter, help, totals.deleted);
    let help = "Sessions that this server has deleted because of their age.";
    text.one("claw_sessions_expired_total", counter, help, totals.expired);
    let help = "Prompts that a process has received.";
    text.one("claw_turns_begun_total", counter, help, totals.begun);
    let name = "claw_turns_ended_total";
    text.family(name, counter, "Turns that have ended, by outcome.");
    let outcomes = [
        ("answered", totals.answered),
        ("failed", totals.failed.values().sum()),
        ("interrupted", totals.interrupted),
        ("limited", totals.limited),
        ("deferred", totals.deferred),
        ("cut", totals.cut),
    ];
    text.labelled(name, "outcome", &outcomes);
    let name = "claw_turns_failed_total";
    text.family(name, counter, "Turns that have failed, by reason.");
    let failed: Vec<_> = totals
        .failed
        .iter()
        .map(|(of, count)| (*of, *count))
        .collect();
    text.labelled(name, "error_type", &failed);
    let help = "From the acceptance of a prompt until a process has received it.";
    text.histogram("claw_turn_wait_seconds", help, &totals.waits);
    let help = "From the prompt until the first message of the model.";
    let name = "gen_ai_client_operation_time_to_first_chunk_seconds";
    text.histogram(name, help, &totals.first_messages);
    let help = "From the prompt until the result of its turn.";
    let name = "gen_ai_invoke_agent_duration_seconds";
    text.histogram(name, help, &totals.durations);
    let help = "From a request until its answer.";
    text.histogram("claw_request_wait_seconds", help, &totals.requests);
}

fn models(text: &mut Text, totals: &Totals) {
    let name = "gen_ai_client_token_usage";
    let help = "Tokens of a turn by model. Input tokens include those of the cache.";
    text.family(name, "histogram", help);
    for (model, of) in &totals.models {
        for (kind, tokens) in [("input", &of.input), ("output", &of.output)] {
            let labels = format!(
                "gen_ai_operation_name=\"invoke_agent\",gen_ai_provider_name=\"anthropic\",\
                 gen_ai_response_model=\"{model}\",gen_ai_token_type=\"{kind}\","
            );
            text.buckets(name, &labels, tokens);
        }
    }
    let name = "claw_cache_tokens_total";
    let help = "Input tokens that were read from the cache, and written to it.";
    text.family(name, "counter", help);
    for (model, of) in &totals.models {
        for (kind, tokens) in [("read", of.cache_read), ("write", of.cache_write)] {
            let _ = writeln!(
                text.0,
                "{name}{{gen_ai_response_model=\"{model}\",kind=\"{kind}\"}} {tokens}"
            );
        }
    }
    let name = "claw_cost_usd_total";
    text.family(
        name,
        "counter",
        "Cost of turns in US dollars, as the CLI reports it.",
    );
    for (model, of) in &totals.models {
        let labels = format!("{{gen_ai_response_model=\"{model}\"}}");
        text.decimal(name, &labels, of.cost_usd);
    }
}

fn store(text: &mut Text, totals: &Totals, hub: &Hub) {
    let Some(store) = hub.stored_sessions().filter(|_| !totals.store.is_empty()) else {
        return;
    };
    let system = store.store().system();
    let name = "db_client_operation_duration_seconds";
    text.family(name, "histogram", "Calls to the store by operation.");
    for (call, (times, _)) in &totals.store {
        let labels = format!("db_system_name=\"{system}\",db_operation_name=\"{call}\",");
        text.buckets(name, &labels, times);
    }
    let name = "claw_store_errors_total";
    let help = "Calls to the store that failed, or got no answer in time.";
    text.family(name, "counter", help);
    let failed = totals.store.iter();
    let failed: Vec<_> = failed
        .map(|(call, (_, failures))| (*call, *failures))
        .collect();
    text.labelled(name, "db_operation_name", &failed);
    let name = "claw_store_deleted_appends_total";
    let help = "Appends that the store has refused because their sessions were deleted.";
    text.one(name, "counter", help, totals.refused_deleted);
}

/// Adds the metrics of the server's process, and the version of its CLI.
fn process(text: &mut Text, totals: &Totals) {
    let name = "claw_session_process_events_total";
    let help = "Processes of sessions: those after the first one of a session, those that were killed by something else \
                than claw, and those that became silent.";
    text.family(name, "counter", help);
    let by_event = [
        ("restarted", totals.restarts),
        ("killed", totals.kills),
        ("silent", totals.silences),
    ];
    text.labelled(name, "event", &by_event);
    if let Some(open) = descriptors::open() {
        let name = "process_unix_file_descriptor_count";
        text.one(name, "gauge", "Open descriptors of the server.", open);
    }
    if let Some(limit) = descriptors::limit() {
        let help = "The limit of open descriptors.";
        text.one("claw_descriptors_limit", "gauge", help, limit);
    }
    let name = "target_info";
    text.family(name, "gauge", "The server, and the version of claw.");
    let version = env!("CARGO_PKG_VERSION");
    let of = format!("{{service_name=\"claw\",service_version=\"{version}\"}}");
    text.decimal(name, &of, 1.0);
    if let Some(version) = &totals.cli_version {
        let name = "claw_cli_info";
        text.family(
            name,
            "gauge",
            "The version of the CLI that has begun a turn last.",
        );
        text.labelled(name, "version", &[(version, 1)]);
    }
}

fn claims(text: &mut Text, hub: &Hub) {
    let Some(counts) = hub.claim_counts() else {
        return;
    };
    let help = "Sessions that this host has claimed.";
    text.one("claw_claims", "gauge", help, counts.held);
    let name = "claw_claim_events_total";
    let help = "Claims that this host got, those of them that it inherited, those that it lost, and those that another host had.";
    text.family(name, "counter", help);
    let by_event = [
        ("won", counts.won),
        ("inherited", counts.inherited),
        ("lost", counts.lost),
        ("refused", counts.refused),
    ];
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

/// Adds what could not be read, written or sent.
fn lost(text: &mut Text, totals: &Totals) {
    let counter = "counter";
    let help = "Lines of the CLI that cannot be read.";
    text.one(
        "claw_lines_unreadable_total",
        counter,
        help,
        totals.unreadable,
    );
    let help = "Entries that could not be written to the audit log.";
    text.one("claw_audit_errors_total", counter, help, totals.unrecorded);
    let name = "claw_notices_lost_total";
    text.family(name, counter, "Notices that nobody got, by their way.");
    let by_way = [
        ("webhook", totals.lost_webhooks),
        ("push", totals.lost_pushes),
    ];
    text.labelled(name, "way", &by_way);
}

fn unstored(text: &mut Text, hub: &Hub) {
    let Some(unstored) = hub.unstored() else {
        return;
    };
    let help = "Bytes of lines of live sessions that are not stored yet.";
    let name = "claw_store_unstored_bytes";
    text.one(name, "gauge", help, unstored.bytes);
    let name = "claw_store_oldest_unstored_seconds";
    let help =
        "How long the line has waited for the store that has waited longest. 0 if none waits.";
    text.family(name, "gauge", help);
    text.decimal(name, "", unstored.oldest.as_secs_f64());
    let help = "Sessions that have ended with lines that are on this disk alone.";
    let name = "claw_store_sessions_left";
    text.one(name, "gauge", help, unstored.left);
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
