//! What the server tells about itself.

use std::io;
use std::sync::{Arc, Mutex};

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tracing::subscriber::{DefaultGuard, NoSubscriber};
use tracing::{Dispatch, Level};
use tracing_subscriber::fmt::MakeWriter;

use crate::client::{Running, soon};

#[tokio::test]
async fn metrics_count_and_name_nobody() {
    let running = Running::start(Script::reply("Yes.")).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Is it?").await;
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    running.ask("GET", "/api/sessions/x", &Value::Null).await;
    let metrics = running.ask("GET", "/metrics", &Value::Null).await;
    assert_eq!(metrics.status, 200);
    let kind = metrics.header("content-type").unwrap();
    assert!(kind.starts_with("text/plain; version=0.0.4"), "{kind}");
    for line in [
        "claw_http_responses_total{status=\"2xx\"} 3",
        "claw_http_responses_total{status=\"4xx\"} 1",
        "claw_viewers 1",
        "# HELP claw_sessions Live sessions by their phase.",
        "claw_sessions{phase=\"idle\"} 1",
        "claw_requests 0",
        "claw_process_events_total{event=\"started\"} 1",
        "claw_turns_begun_total 1",
        "claw_turns_ended_total{outcome=\"answered\"} 1",
        "claw_turns_ended_total{outcome=\"failed\"} 0",
        "claw_turns_waiting 0",
        "claw_turn_wait_seconds_count 1",
        "gen_ai_client_operation_time_to_first_chunk_seconds_count 1",
        "gen_ai_client_operation_time_to_first_chunk_seconds_bucket{le=\"+Inf\"} 1",
        "gen_ai_invoke_agent_duration_seconds_count 1",
        "claw_oldest_request_seconds 0",
        "claw_sessions_silent 0",
    ] {
        assert!(
            metrics.body.lines().any(|had| had == line),
            "{line}: {}",
            metrics.body
        );
    }
    // Every family is described, and every line is of a family.
    for line in metrics.body.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split(['{', ' ']).next().unwrap();
        let parts = ["_bucket", "_sum", "_count"];
        let family = parts.iter().find_map(|part| name.strip_suffix(part));
        let name = family.filter(|_| line.contains("_seconds") || line.contains("_usage"));
        let name = name.unwrap_or_else(|| line.split(['{', ' ']).next().unwrap());
        assert!(metrics.body.contains(&format!("# TYPE {name} ")), "{line}");
        assert!(
            line.rsplit(' ').next().unwrap().parse::<f64>().is_ok(),
            "{line}"
        );
    }
    for secret in [&*session, running.server.token().expose(), "shop"] {
        assert!(!metrics.body.contains(secret), "{}", metrics.body);
    }
    // A process is in one state: what is idle does not run as well.
    let processes = soon(async {
        loop {
            let metrics = running.ask("GET", "/metrics", &Value::Null).await.body;
            if metrics.contains("claw_processes{state=\"idle\"} 1\n") {
                break metrics;
            }
        }
    });
    let processes = processes.await;
    let counts = processes.lines().filter_map(|line| {
        let (_, count) = line.strip_prefix("claw_processes{")?.split_once(' ')?;
        count.parse::<u64>().ok()
    });
    assert_eq!(counts.sum::<u64>(), 1, "{processes}");
    running.end().await;
}

#[tokio::test]
async fn turns_are_counted_by_their_outcome_and_tokens_by_their_model() {
    let script = Script::new([
        Step::Turn(vec![Step::message([Block::text("One.")])]),
        Step::Turn(vec![Step::fail("error_max_turns", "too many turns")]),
        Step::Turn(vec![Step::api_failure(
            401,
            "authentication_failed",
            "Log in.",
        )]),
        Step::Turn(vec![Step::Exit(3)]),
    ]);
    let running = Running::start(script).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    for prompt in ["One?", "Two?", "Three?", "Four?", "Five?"] {
        running.prompt(&session, prompt).await;
        events
            .until("state", |state| state["phase"] == "running")
            .await;
        events
            .until("state", |state| state["phase"] == "idle")
            .await;
    }
    let metrics = running.ask("GET", "/metrics", &Value::Null).await.body;
    // The process that exits is followed by another one, which begins the script again.
    for line in [
        "claw_turns_begun_total 5",
        "claw_turns_ended_total{outcome=\"answered\"} 2",
        "claw_turns_ended_total{outcome=\"failed\"} 3",
        "claw_turns_failed_total{error_type=\"max_turns\"} 1",
        "claw_turns_failed_total{error_type=\"authentication\"} 1",
        "claw_turns_failed_total{error_type=\"process_exited\"} 1",
        "claw_turns_failed_total{error_type=\"stalled\"} 0",
        "claw_session_process_events_total{event=\"restarted\"} 1",
        "gen_ai_invoke_agent_duration_seconds_count 5",
    ] {
        assert!(metrics.lines().any(|had| had == line), "{line}: {metrics}");
    }
    let tokens = "gen_ai_client_token_usage_count{gen_ai_operation_name=\"invoke_agent\",gen_ai_provider_name=\"anthropic\",gen_ai_response_model=\"claude-";
    assert!(metrics.contains(tokens), "{metrics}");
    running.end().await;
}

/// What this thread logs while it lives.
pub(crate) struct Log {
    lines: Lines,
    _logged: DefaultGuard,
    _second: Dispatch,
}

impl Log {
    /// Collects lines up to this level. The server of a test runs in the test's thread.
    pub(crate) fn new(level: Level) -> Self {
        let lines = Lines::default();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_max_level(level)
            .with_writer(lines.clone())
            .finish();
        Self {
            lines,
            // With one subscriber alone, a thread without one may switch lines off for all.
            _second: Dispatch::new(NoSubscriber::default()),
            _logged: tracing::subscriber::set_default(subscriber),
        }
    }

    /// A runtime for a test that has a log. What its threads for blocking calls log is collected, too.
    pub(crate) fn runtime() -> Runtime {
        let dispatch = tracing::dispatcher::get_default(Dispatch::clone);
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().on_thread_start(move || {
            // The subscriber is that of the thread until the thread ends.
            std::mem::forget(tracing::dispatcher::set_default(&dispatch));
        });
        builder.build().unwrap()
    }

    /// What was written until now.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.lines.0.lock().unwrap().clone()).unwrap()
    }

    /// Ends the log, and returns what was written.
    pub(crate) fn end(self) -> String {
        self.text()
    }
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Lines {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn a_request_is_one_line_in_the_log_without_anything_that_the_client_says() {
    let log = Log::new(Level::INFO);
    let running = Running::start(Script::reply("Yes.")).await;
    let session = running.session().await;
    let path = running.server.login_path();
    running.ask("GET", &path, &Value::Null).await;
    running
        .ask("GET", "/api/search?q=hidden-query", &Value::Null)
        .await;
    running.ask("GET", "/hidden/path", &Value::Null).await;
    running.ask("HIDDEN", "/api/projects", &Value::Null).await;
    running
        .ask(
            "PATCH",
            &format!("/api/sessions/{session}"),
            &json!({"title": "hidden title"}),
        )
        .await;
    let token = running.server.token().expose().to_owned();
    running.end().await;
    let text = log.end();
    let requests = text.lines().filter(|line| line.contains("status="));
    assert_eq!(requests.count(), 6, "{text}");
    assert!(text.contains("route=\"/api/search\" status=200"), "{text}");
    assert!(text.contains("method=\"other\""), "{text}");
    let code = path.strip_prefix("/login/").unwrap();
    for secret in [
        &*token,
        code,
        &session,
        "idden-query",
        "idden/path",
        "HIDDEN",
        "idden title",
    ] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}
