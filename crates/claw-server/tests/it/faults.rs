//! The table of docs/serve.md, "What is wrong": a test causes each fault, which is seen where its row says.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use claw_client::pool::Pool;
use claw_client::store::{MemoryStore, SessionRef, SessionStore, StoreError, StoreOptions};
use claw_client::{QueryOptions, Session};
use claw_server::{NewUser, Project, Role, Users, Wall};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use claw_testkit::api::{Api, scenarios};
use claw_testkit::store::{Call, Intercept, Intercepted, intercepted};
use serde_json::{Value, json};
#[cfg(target_os = "linux")]
use tokio::net::TcpStream;
use tracing::Level;

use crate::activity::asks;
use crate::client::{Running, soon};
#[cfg(target_os = "linux")]
use crate::crowds::is_closed;
use crate::disk::transcript;
use crate::metrics::Log;
use crate::stores::append_to;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The rows of the table, each with the tests that cause its fault, by their files and names. A path begins in `crates`, the
/// name of a file alone in this folder.
const ROWS: &str = "
the CLI hangs in a turn
    live.rs::a_silent_cli_is_in_the_list_in_the_metrics_and_once_in_the_log
a hook of a settings file hangs at the start
    faults.rs::a_hook_hangs_at_the_start
    live.rs::a_hook_that_hangs_at_the_start_of_the_real_cli_is_named
an MCP server does not answer a call
    live.rs::a_server_or_a_tool_that_hangs_is_named
a tool, or a hook around it, hangs without a heartbeat
    live.rs::a_server_or_a_tool_that_hangs_is_named
nobody answers a request
    live.rs::a_request_that_waits_is_no_silence_and_its_age_is_measured
    stores.rs::a_deferred_request_of_a_session_that_is_not_live_is_counted_with_its_age
too few processes
    faults.rs::there_are_too_few_processes
the API refuses the login
    faults.rs::the_api_refuses_the_login
    metrics.rs::turns_are_counted_by_their_outcome_and_tokens_by_their_model
the API fails, or has a limit
    faults.rs::the_api_fails_or_has_a_limit
processes end by themselves
    faults.rs::processes_end_by_themselves
a line of the CLI is no JSON, or too long
    faults.rs::a_line_of_the_cli_is_no_json
`claude` is missing, or does not run
    faults.rs::claude_is_missing
    cli.rs::a_host_without_claude_or_a_login_is_not_ready
    cli.rs::a_cli_that_never_stops_writing_is_not_read_to_its_end
nobody is logged in to `claude`
    faults.rs::nobody_is_logged_in_to_claude
    cli.rs::a_host_without_claude_or_a_login_is_not_ready
the command of a wall is missing, or fails
    faults.rs::the_command_of_a_wall_is_missing_or_fails
    claw-cli/tests/it/serve_walls.rs::a_wall_that_cannot_be_started_is_refused_with_its_row
a user or a project is at a limit
    quotas.rs::turns_within_an_hour_are_counted_for_who_sends_them_on_each_way
    quotas.rs::a_prompt_over_the_limit_of_processes_waits_and_is_seen_to_wait
too many prompts of a session wait, or too many sessions are in use
    faults.rs::too_many_prompts_wait_and_too_many_sessions_are_in_use
a viewer reads too slowly
    stalled.rs::a_viewer_that_never_reads_is_cut_off_and_the_others_see_everything
the server has too few descriptors or connections
    faults.rs::there_are_too_few_descriptors_or_connections
    claw-cli/tests/it/serve.rs::idle_connections_keep_nobody_out_where_descriptors_are_few
the server does not run
    claw-cli/tests/it/serve_page.rs::a_page_survives_a_server_that_is_killed_in_mid_turn
the disk is full, or has no inodes left
    claw-cli/tests/it/serve_full.rs::on_a_full_disk_a_prompt_is_refused_and_one_that_was_accepted_is_answered
    claw-cli/tests/it/serve_full.rs::a_disk_without_inodes_is_named_and_a_prompt_is_refused
the audit log cannot be written
    faults.rs::the_audit_log_cannot_be_written
    claw-cli/tests/it/serve_full.rs::on_a_full_disk_nothing_is_done_that_the_audit_log_cannot_have
the file of users cannot be read
    faults.rs::the_file_of_users_cannot_be_read
a certificate cannot be read
    tls.rs::a_bad_file_is_named
    tls.rs::a_certificate_stays_while_its_file_cannot_be_read
    claw-cli/tests/it/serve_tls.rs::a_bad_file_is_named_and_nothing_is_served
a line of a transcript is damaged
    disk.rs::a_damaged_line_of_history_is_shown_in_its_place
    disk.rs::a_damaged_line_of_history_is_logged
an old session cannot be archived
    faults.rs::an_old_session_cannot_be_archived
    retention.rs::a_session_that_cannot_be_archived_stays
the store cannot be reached
    faults.rs::the_store_cannot_be_reached
    faults.rs::a_turn_fails_whose_store_stays_away
    cluster.rs::a_host_without_its_store_is_not_ready_and_says_nothing_of_the_store
    claw-cli/tests/it/serve_many/kept.rs::an_answer_that_was_shown_while_the_store_was_away_is_stored
the tables of the store are of a newer version
    claw-store-postgres/tests/it/setup.rs::tables_of_a_newer_version_are_refused
the index of the store cannot be written
    faults.rs::the_index_of_the_store_cannot_be_written
a host ended with lines that are on its disk alone
    claw-cli/tests/it/serve_many/kept.rs::what_only_a_killed_host_has_is_shown_and_the_session_goes_on_there
    claw-cli/tests/it/serve_many/kept.rs::an_answer_that_was_shown_while_the_store_was_away_is_stored
the home of a wall cannot be read
    walls.rs::a_home_that_cannot_be_read_affects_its_own_project_alone
    claw-server/src/hub/readable.rs::a_home_that_cannot_be_read_is_logged_with_its_path_and_not_at_each_request
a host loses the claim of a session
    faults.rs::a_host_loses_the_claim_of_a_session
    cluster.rs::a_host_that_loses_the_store_gives_its_sessions_up_and_another_one_names_their_prompts
the host of a session cannot be reached
    faults.rs::the_host_of_a_session_cannot_be_reached
the collector of traces takes none
    faults.rs::the_collector_of_traces_takes_none
the receiver of notices takes none
    faults.rs::the_receiver_of_notices_takes_none
a push service takes nothing
    push.rs::an_address_is_checked_again_when_something_is_sent
";

/// The faults of [`ROWS`] with their tests.
fn causes() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut all: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in ROWS.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("    ") {
            Some(test) => all.last_mut().unwrap().1.push(test),
            None => all.push((line, Vec::new())),
        }
    }
    all
}

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Row(Vec<String>);

impl Row {
    const METRIC: usize = 1;
    pub(crate) const LOG: usize = 2;
    pub(crate) const LIVE: usize = 3;
    pub(crate) const PAGE: usize = 4;

    fn all() -> Vec<Self> {
        let text = fs::read_to_string(format!("{REPOSITORY}/docs/serve.md")).unwrap();
        let (_, section) = text.split_once("\n### What is wrong\n").unwrap();
        let (section, _) = section.split_once("\n### ").unwrap();
        // The first two lines are the names of the columns and a rule.
        let lines = section.lines().filter_map(|line| line.strip_prefix('|'));
        let cells = |line: &str| {
            let cells = line.strip_suffix('|').unwrap().split('|');
            Self(cells.map(|cell| cell.trim().to_owned()).collect())
        };
        lines.skip(2).map(cells).collect()
    }

    /// The row of this fault.
    pub(crate) fn of(fault: &str) -> Self {
        let row = Self::all().into_iter().find(|row| row.0[0] == fault);
        row.unwrap_or_else(|| panic!("no row: {fault}"))
    }

    #[track_caller]
    pub(crate) fn names(&self, column: usize, text: &str) {
        let cell = &self.0[column];
        assert!(cell.contains(&format!("`{text}`")), "{text}: {cell}");
    }

    /// Waits until a metric of the row is over 0.
    pub(crate) async fn is_counted(&self, running: &Running, name: &str) {
        self.names(Self::METRIC, name);
        soon(async { while total(running, name).await <= 0.0 {} }).await;
    }

    /// Waits until the log has a message of the row.
    pub(crate) async fn is_logged(&self, log: &Log, message: &str) {
        self.names(Self::LOG, message);
        let message = message.trim_end_matches(" …");
        let logged = tokio::time::timeout(Duration::from_mins(1), async {
            while !log.text().contains(message) {
                tokio::task::yield_now().await;
            }
        });
        assert!(logged.await.is_ok(), "{message}: {}", log.text());
    }

    /// Waits until a live session has this phase, and waits for something of this kind.
    pub(crate) async fn is_live(&self, running: &Running, phase: &str, kind: &str) {
        self.names(Self::LIVE, phase);
        self.names(Self::LIVE, kind);
        soon(async {
            loop {
                let live = running.ask("GET", "/api/live", &Value::Null).await.json();
                let is = |it: &Value| it["phase"] == phase && it["waitsFor"]["kind"] == kind;
                if live.as_array().unwrap().iter().any(is) {
                    break;
                }
            }
        })
        .await;
    }

    /// Waits until a session has this phase, for which the page has these words.
    pub(crate) async fn is_in_phase(
        &self,
        running: &Running,
        session: &str,
        phase: &str,
        words: &str,
    ) {
        self.names(Self::PAGE, words);
        let page = format!("{REPOSITORY}/crates/claw-server/src/page/assets/session.js");
        let page = fs::read_to_string(page).unwrap();
        assert!(page.contains(&format!("{phase}: '{words}'")), "{words}");
        state(running, session, |state| state["phase"] == phase).await;
    }

    /// Checks a text that people see.
    #[track_caller]
    pub(crate) fn is_shown(&self, text: &str, shown: &str) {
        self.names(Self::PAGE, shown);
        assert!(text.contains(shown.trim_end_matches(" …")), "{text}");
    }
}

/// The sum of the values of a metric, for all labels if the name has none. A histogram has the number of its values.
async fn total(running: &Running, name: &str) -> f64 {
    let metrics = running.ask("GET", "/metrics", &Value::Null).await.body;
    let values = metrics.lines().filter_map(|line| {
        let (known, value) = line.rsplit_once(' ')?;
        let rest = known.strip_prefix(name)?;
        let rest = rest.strip_prefix("_count").unwrap_or(rest);
        (rest.is_empty() || rest.starts_with('{')).then(|| value.parse::<f64>().unwrap())
    });
    values.sum()
}

/// The state of a session once this holds for it.
async fn state(running: &Running, session: &str, is: impl Fn(&Value) -> bool) -> Value {
    soon(async {
        loop {
            let path = format!("/api/sessions/{session}");
            let view = running.ask("GET", &path, &Value::Null).await;
            if view.status == 200 && is(&view.json()["state"]) {
                break view.json()["state"].clone();
            }
        }
    })
    .await
}

/// The elements of a session that the page shows.
pub(crate) async fn elements(running: &Running, session: &str) -> Vec<Value> {
    let path = format!("/api/sessions/{session}/elements");
    let shown = running.ask("GET", &path, &Value::Null).await;
    assert_eq!(shown.status, 200, "{}", shown.body);
    shown.json().as_array().unwrap().clone()
}

fn has_failed(state: &Value) -> bool {
    state["phase"] == "idle" && state["error"].is_string()
}

/// The text of all sources of claw below a folder.
fn sources(folder: &Path, into: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|it| it == "rs" || it == "js") {
            *into += &fs::read_to_string(path).unwrap();
        }
    }
}

/// The texts in backticks.
fn spans(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[test]
fn each_row_has_a_test_and_names_only_what_there_is() {
    let rows = Row::all();
    let documented: Vec<_> = rows.iter().map(|row| &*row.0[0]).collect();
    let tested = causes();
    let faults: Vec<_> = tested.iter().map(|(fault, _)| *fault).collect();
    assert_eq!(documented, faults);
    for (fault, tests) in &tested {
        assert!(!tests.is_empty(), "{fault}");
        for test in tests {
            let (file, name) = test.split_once("::").unwrap();
            let folder = if file.contains('/') {
                "crates"
            } else {
                "crates/claw-server/tests/it"
            };
            let text = fs::read_to_string(format!("{REPOSITORY}/{folder}/{file}"));
            let text = text.unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(text.contains(&format!("fn {name}()")), "{test}");
        }
    }
    let mut code = String::new();
    for entry in fs::read_dir(format!("{REPOSITORY}/crates")).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut code);
    }
    // A text may go on in another line of the source.
    let words: Vec<_> = code.split_whitespace().filter(|it| *it != "\\").collect();
    let code = words.join(" ");
    let metrics = fs::read_to_string(format!("{REPOSITORY}/docs/serve.md")).unwrap();
    for row in &rows {
        assert_eq!(row.0.len(), 5, "{row:?}");
        for name in spans(&row.0[Row::METRIC]) {
            let name = name.split('{').next().unwrap();
            let is_known = name == "up" || metrics.contains(&format!("\n| `{name}"));
            assert!(
                is_known || metrics.contains(&format!(", `{name}")),
                "{name}"
            );
            assert!(
                name == "up" || code.contains(&format!("\"{name}\"")),
                "{name}"
            );
        }
        for column in [Row::LOG, Row::PAGE] {
            for text in spans(&row.0[column]).filter(|text| !text.contains('=')) {
                assert!(code.contains(text.trim_end_matches(" …")), "{text}");
            }
        }
    }
}

#[tokio::test]
async fn a_hook_hangs_at_the_start() {
    let row = Row::of("a hook of a settings file hangs at the start");
    let log = Log::new(Level::WARN);
    let hook = json!({"type": "system", "subtype": "hook_started", "hook_id": "h", "hook_name": "SessionStart:startup",
        "hook_event": "SessionStart", "uuid": "$uuid", "session_id": "$session_id"});
    let script = Script::new([Step::expect_initialize(), Step::Line(hook), Step::Hang]);
    let running = Running::start_as(script, |builder| {
        // The hook is reported after five seconds.
        builder.limits(|limits| limits.silence = Duration::from_secs(6))
    })
    .await;
    let session = running.session().await;
    running.prompt(&session, "Hello?").await;
    row.is_live(&running, "starting", "hook").await;
    row.is_in_phase(&running, &session, "starting", "Starting")
        .await;
    row.is_logged(&log, "a hook delays the start").await;
    row.is_counted(&running, "claw_sessions_silent").await;
    row.is_logged(&log, "waits_for=\"hook\"").await;
    let live = running.ask("GET", "/api/live", &Value::Null).await.json();
    assert_eq!(live[0]["waitsFor"]["name"], "SessionStart:startup");
    let close = format!("/api/sessions/{session}/close");
    running.ask("POST", &close, &Value::Null).await;
    running.end().await;
}

#[tokio::test]
async fn there_are_too_few_processes() {
    let row = Row::of("too few processes");
    let pool = Pool::builder().processes(1).build();
    let running = Running::start_as(asks(), |builder| builder.pool(pool)).await;
    let (one, other) = (running.session().await, running.session().await);
    running.prompt(&one, "How many?").await;
    state(&running, &one, |state| state["phase"] == "asking").await;
    running.prompt(&other, "How many?").await;
    row.is_live(&running, "waiting", "process").await;
    row.is_in_phase(&running, &other, "waiting", "Waiting for a free process")
        .await;
    row.is_counted(&running, "claw_pool_waiting").await;
    running.deny(&one).await;
    row.is_counted(&running, "claw_turn_wait_seconds").await;
    running.end().await;
}

#[tokio::test]
async fn the_api_refuses_the_login() {
    let row = Row::of("the API refuses the login");
    let refusal = "Invalid API key · Fix external API key";
    let refuse = Step::api_failure(401, "authentication_failed", refusal);
    let running = Running::start(Script::new([Step::Turn(vec![refuse])])).await;
    let session = running.session().await;
    running.prompt(&session, "Well?").await;
    let name = "claw_turns_failed_total{error_type=\"authentication\"}";
    row.is_counted(&running, name).await;
    let failed = state(&running, &session, has_failed).await;
    assert_eq!(failed["error"], refusal);
    let shown = elements(&running, &session).await;
    let is_shown = |element: &Value| element["content"]["text"] == refusal;
    assert!(shown.iter().any(is_shown), "{shown:?}");
    running.end().await;
}

#[tokio::test]
async fn the_api_fails_or_has_a_limit() {
    let row = Row::of("the API fails, or has a limit");
    let log = Log::new(Level::INFO);
    let script = Script::new([
        Step::Turn(vec![Step::api_failure(500, "api_error", "Overloaded")]),
        // The limit is reset too late to wait for it.
        crate::limited::limit(10 * 3600),
        crate::limited::limit(3600),
    ]);
    let running = Running::start_as(script, |builder| {
        builder.limits(|limits| limits.limit_wait = Some(Duration::from_hours(2)))
    })
    .await;
    let session = running.session().await;
    for name in ["api_error", "rate_limit"] {
        running.prompt(&session, "Well?").await;
        let name = format!("claw_turns_failed_total{{error_type=\"{name}\"}}");
        row.is_counted(&running, &name).await;
        state(&running, &session, has_failed).await;
    }
    running.prompt(&session, "Well?").await;
    row.is_live(&running, "limited", "limitReset").await;
    let words = "Waits for the reset of a usage limit";
    row.is_in_phase(&running, &session, "limited", words).await;
    let limited = state(&running, &session, |state| state["phase"] == "limited").await;
    assert!(limited["limitedUntil"].is_number(), "{limited}");
    row.is_counted(&running, "claw_turns_ended_total{outcome=\"limited\"}")
        .await;
    row.is_logged(&log, "a turn has ended at a usage limit")
        .await;
    running.end().await;
}

#[tokio::test]
async fn processes_end_by_themselves() {
    let row = Row::of("processes end by themselves");
    let log = Log::new(Level::WARN);
    let script = Script::new([Step::Turn(vec![Step::Signal(9)])]);
    let running = Running::start(script).await;
    let session = running.session().await;
    running.prompt(&session, "Well?").await;
    row.is_counted(&running, "claw_process_events_total{event=\"crashed\"}")
        .await;
    row.is_counted(
        &running,
        "claw_session_process_events_total{event=\"killed\"}",
    )
    .await;
    row.is_logged(&log, "a process has ended by itself").await;
    let failed = state(&running, &session, has_failed).await;
    let error = failed["error"].as_str().unwrap();
    assert!(error.contains("ended: signal: 9"), "{error}");
    running.end().await;
}

#[tokio::test]
async fn a_line_of_the_cli_is_no_json() {
    let row = Row::of("a line of the CLI is no JSON, or too long");
    let log = Log::new(Level::WARN);
    let script = Script::new([Step::Turn(vec![
        Step::Text("no JSON".to_owned()),
        Step::message([Block::text("After it.")]),
    ])]);
    let running = Running::start(script).await;
    let session = running.session().await;
    running.prompt(&session, "Well?").await;
    row.is_counted(&running, "claw_lines_unreadable_total")
        .await;
    row.is_logged(&log, "a line of claude cannot be read").await;
    state(&running, &session, |state| state["phase"] == "idle").await;
    let shown = elements(&running, &session).await;
    let texts = shown.iter().map(|element| &element["content"]["text"]);
    let texts = texts.take(3);
    assert!(texts.eq(["Well?", "no JSON", "After it."]), "{shown:?}");
    running.end().await;
}

#[tokio::test]
async fn claude_is_missing() {
    let row = Row::of("`claude` is missing, or does not run");
    let options = QueryOptions::default().path_to_claude_code_executable("/nowhere/claude");
    let running = Running::start_as(Script::default(), |builder| {
        builder.options(options).session(Session::builder)
    })
    .await;
    let session = running.session().await;
    running.prompt(&session, "Well?").await;
    row.is_counted(&running, "claw_process_events_total{event=\"failed\"}")
        .await;
    row.is_counted(
        &running,
        "claw_turns_failed_total{error_type=\"not_started\"}",
    )
    .await;
    let failed = state(&running, &session, has_failed).await;
    row.is_shown(failed["error"].as_str().unwrap(), "claude was not found");
    running.end().await;
}

/// The real CLI, without a login and without a key.
#[tokio::test]
async fn nobody_is_logged_in_to_claude() {
    let row = Row::of("nobody is logged in to `claude`");
    let api = Api::start(scenarios::text()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    fs::create_dir(path.join("home")).unwrap();
    let names = [
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
    ];
    let without = names.map(|name| (name, None));
    let running = Running::start_in(Script::default(), folder, |builder| {
        crate::real_cli::real_with(builder, &api, &path, &without)
    })
    .await;
    let session = running.session().await;
    running.prompt(&session, "Well?").await;
    let name = "claw_turns_failed_total{error_type=\"authentication\"}";
    row.is_counted(&running, name).await;
    let failed = state(&running, &session, has_failed).await;
    let error = failed["error"].as_str().unwrap();
    assert!(error.starts_with("Not logged in"), "{error}");
    assert!(api.requests().is_empty());
    running.end().await;
}

#[tokio::test]
async fn the_command_of_a_wall_is_missing_or_fails() {
    let row = Row::of("the command of a wall is missing, or fails");
    for (words, error_type) in [
        (["/nowhere/fence", "--"], "not_started"),
        (["false", "--"], "process_exited"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let yard = folder.path().join("yard");
        fs::create_dir(&yard).unwrap();
        let project = Project::new(&yard).unwrap().wall(Wall::new("fence", words));
        let running = Running::start_in(Script::default(), folder, |builder| {
            builder.project(project).session(Session::builder)
        })
        .await;
        let new = json!({"project": "yard"});
        let new = running.ask("POST", "/api/sessions", &new).await.json();
        let session = new["id"].as_str().unwrap();
        running.prompt(session, "Well?").await;
        let failed = state(&running, session, has_failed).await;
        assert!(!failed["error"].as_str().unwrap().is_empty());
        row.is_counted(&running, "claw_process_events_total{event=\"failed\"}")
            .await;
        let name = format!("claw_turns_failed_total{{error_type=\"{error_type}\"}}");
        row.is_counted(&running, &name).await;
        let live = running.ask("GET", "/api/live", &Value::Null).await.json();
        assert_eq!(live[0]["wall"], "fence", "{live}");
        row.names(Row::LIVE, "wall");
        running.end().await;
    }
}

#[tokio::test]
async fn too_many_prompts_wait_and_too_many_sessions_are_in_use() {
    let row = Row::of("too many prompts of a session wait, or too many sessions are in use");
    let pool = Pool::builder().processes(1).build();
    let running = Running::start_as(asks(), |builder| {
        builder.pool(pool).limits(|limits| limits.sessions = 2)
    })
    .await;
    let (one, other) = (running.session().await, running.session().await);
    running.prompt(&one, "How many?").await;
    state(&running, &one, |state| state["phase"] == "asking").await;
    let refused = soon(async {
        loop {
            let sent = running.prompt(&other, "How many?").await;
            if sent.status != 202 {
                break sent;
            }
        }
    })
    .await;
    assert_eq!(refused.status, 503, "{}", refused.body);
    row.is_shown(&refused.body, "too many prompts wait");
    row.is_counted(&running, "claw_turns_waiting").await;
    let new = json!({"project": "shop"});
    let refused = running.ask("POST", "/api/sessions", &new).await;
    assert_eq!(refused.status, 503, "{}", refused.body);
    row.is_shown(&refused.body, "too many sessions are in use");
    row.is_counted(&running, "claw_sessions").await;
    row.is_counted(&running, "claw_http_responses_total{status=\"5xx\"}")
        .await;
    for session in [other, one] {
        let close = format!("/api/sessions/{session}/close");
        running.ask("POST", &close, &Value::Null).await;
    }
    running.end().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn there_are_too_few_descriptors_or_connections() {
    let row = Row::of("the server has too few descriptors or connections");
    let log = Log::new(Level::WARN);
    let running = Running::start_as(Script::reply("Hi."), |builder| {
        builder.connections(|connections| connections.most = usize::MAX >> 4)
    })
    .await;
    row.is_logged(&log, "there are too few descriptors for all connections")
        .await;
    row.is_counted(&running, "process_unix_file_descriptor_count")
        .await;
    running.end().await;
    let running = Running::start_as(Script::reply("Hi."), |builder| {
        builder.connections(|connections| connections.most = 2)
    })
    .await;
    let session = running.session().await;
    let first = running.events(&session, None).await;
    let second = running.events(&session, None).await;
    let more = TcpStream::connect(running.address).await.unwrap();
    assert!(is_closed(more).await);
    drop(first);
    // The server learns of it in its own time.
    let head = running.head("GET", "/api/projects");
    let request = format!("{head}Connection: close\r\n\r\n");
    soon(async { while running.raw(&request).await.status != 200 {} }).await;
    row.is_counted(
        &running,
        "claw_connections_closed_total{reason=\"refused\"}",
    )
    .await;
    drop(second);
    running.end().await;
}

#[tokio::test]
async fn the_audit_log_cannot_be_written() {
    let row = Row::of("the audit log cannot be written");
    let log = Log::new(Level::WARN);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit");
    let audit = claw_server::Audit::open(&file).unwrap();
    let running =
        Running::start_in(Script::reply("Hi."), folder, |builder| builder.audit(audit)).await;
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let new = json!({"project": "shop"});
    let refused = running.ask("POST", "/api/sessions", &new).await;
    assert_eq!(refused.status, 500, "{}", refused.body);
    row.is_shown(
        &refused.body,
        "the audit log cannot be written, so nothing was done",
    );
    row.is_counted(&running, "claw_audit_errors_total").await;
    row.is_logged(&log, "an action is refused, because the audit log fails …")
        .await;
    running.end().await;
}

#[tokio::test]
async fn the_file_of_users_cannot_be_read() {
    let row = Row::of("the file of users cannot be read");
    let log = Log::new(Level::WARN);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("users.json");
    let token = Users::add(&file, NewUser::new("ana", Role::View)).unwrap();
    let users = Users::open(&file).unwrap();
    let running =
        Running::start_in(Script::reply("Hi."), folder, |builder| builder.users(users)).await;
    fs::write(&file, "no JSON").unwrap();
    row.is_logged(&log, "no user has access …").await;
    let (host, token) = (running.address, token.expose());
    let own = format!(
        "GET /api/projects HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(running.raw(&own).await.status, 401);
    let page = own.replace("/api/projects", "/");
    let page = page.replace("Connection:", "Accept: text/html\r\nConnection:");
    let page = running.raw(&page).await;
    assert_eq!(page.status, 401);
    row.is_shown(&page.body, "You are not logged in. …");
    row.is_counted(&running, "claw_http_responses_total{status=\"4xx\"}")
        .await;
    running.end().await;
}

#[tokio::test]
async fn an_old_session_cannot_be_archived() {
    let row = Row::of("an old session cannot be archived");
    let log = Log::new(Level::WARN);
    let file = tempfile::NamedTempFile::new().unwrap();
    let archive: Arc<dyn SessionStore> = Arc::new(claw_store::FsStore::new(file.path()));
    let running = Running::start_as(Script::reply("Hi."), |builder| {
        builder.limits(|limits| {
            limits.keep = Some(Duration::ZERO);
            limits.archive = Some(archive);
        })
    })
    .await;
    transcript(&running, "11111111-1111-4111-8111-111111111111");
    let round = running.server.hub().delete_old().await.unwrap();
    assert_eq!((round.deleted, round.kept), (0, 1));
    row.is_logged(&log, "an old session is not deleted").await;
    running.end().await;
}

/// A store of which a test fails the calls, except those for lists.
#[derive(Debug, Default)]
struct Away {
    is_away: AtomicBool,
}

impl Intercept for Away {
    async fn before(&self, call: Call) -> Result<(), StoreError> {
        if call != Call::Sessions && self.is_away.load(Relaxed) {
            return Err(StoreError::unavailable("the way is cut"));
        }
        Ok(())
    }
}

type Way = Arc<Intercepted<Away, MemoryStore>>;

fn way() -> Way {
    Arc::new(intercepted(Arc::default(), Away::default()))
}

/// Stores a session as another host has written it.
async fn store(way: &Way, id: &str) {
    let line = json!({"type": "user", "uuid": id, "parentUuid": null, "sessionId": id, "cwd": "/elsewhere",
        "timestamp": "2026-01-01T00:00:00.000Z", "message": {"role": "user", "content": "Two plums"}});
    let session = SessionRef::new("shop", id).unwrap();
    append_to(&**way, &session.main(), &[line]).await;
}

/// A turn that waits in its middle.
#[cfg(feature = "cluster")]
fn waits() -> Script {
    Script::new([Step::Turns(vec![Step::message([
        Block::text("I think.").hold(1, "half")
    ])])])
}

#[cfg(feature = "cluster")]
#[tokio::test]
async fn the_store_cannot_be_reached() {
    let row = Row::of("the store cannot be reached");
    let log = Log::new(Level::WARN);
    let [(one, way)] = crate::cluster::hosts(crate::cluster::LONG, waits).await;
    let session = one.session().await;
    way.intercept.cut(true);
    let sent = one.prompt(&session, "Think");
    let seen = async {
        let live = async {
            loop {
                let live = one.ask("GET", "/api/live", &Value::Null).await.json();
                if live[0]["waitsFor"]["kind"] == "store" {
                    break;
                }
            }
        };
        soon(live).await;
        row.names(Row::LIVE, "store");
        state(&one, &session, |state| state["waitsForStore"] == true).await;
        row.names(Row::PAGE, "waiting for the store");
        row.is_logged(&log, "the store is away: it is waited for")
            .await;
        row.is_counted(&one, "claw_store_errors_total").await;
        way.intercept.cut(false);
    };
    let (sent, ()) = futures::future::join(sent, seen).await;
    assert_eq!(sent.status, 202, "{}", sent.body);
    soon(one.agent.gates().reached("half")).await;
    one.agent.gates().open("half");
    state(&one, &session, |state| state["phase"] == "idle").await;
    one.end().await;
}

/// A session of the store has to be read again for its process.
#[tokio::test]
async fn a_turn_fails_whose_store_stays_away() {
    let row = Row::of("the store cannot be reached");
    let id = "11111111-1111-4111-8111-111111111111";
    let way = way();
    store(&way, id).await;
    let options = StoreOptions::new(way.clone() as Arc<dyn SessionStore>);
    let options = options.ttl(Duration::from_secs(1));
    let running = Running::start_as(Script::reply("Hi."), |builder| builder.store(options)).await;
    let resumed = json!({"resume": id});
    let resumed = running.ask("POST", "/api/sessions", &resumed).await;
    assert_eq!(resumed.status, 201, "{}", resumed.body);
    way.intercept.is_away.store(true, Relaxed);
    running.prompt(id, "Well?").await;
    row.is_counted(&running, "claw_turns_failed_total{error_type=\"store\"}")
        .await;
    row.is_counted(&running, "claw_store_errors_total").await;
    running.end().await;
}

#[tokio::test]
async fn the_index_of_the_store_cannot_be_written() {
    let row = Row::of("the index of the store cannot be written");
    let log = Log::new(Level::WARN);
    let file = tempfile::NamedTempFile::new().unwrap();
    let id = "11111111-1111-4111-8111-111111111111";
    let way = way();
    store(&way, id).await;
    let options = StoreOptions::new(way as Arc<dyn SessionStore>).index_folder(file.path());
    let running = Running::start_as(Script::reply("Hi."), |builder| builder.store(options)).await;
    let found = running
        .ask("GET", "/api/search?q=plums", &Value::Null)
        .await;
    assert_eq!(found.json()[0]["sessionId"], id, "{}", found.body);
    row.is_logged(&log, "the index of the store cannot be written")
        .await;
    running.end().await;
}

#[cfg(feature = "cluster")]
#[tokio::test]
async fn a_host_loses_the_claim_of_a_session() {
    let row = Row::of("a host loses the claim of a session");
    let log = Log::new(Level::WARN);
    let [(one, way)] = crate::cluster::hosts(Duration::from_secs(2), waits).await;
    let session = one.session().await;
    one.prompt(&session, "Think").await;
    soon(one.agent.gates().reached("half")).await;
    way.intercept.cut(true);
    row.is_counted(&one, "claw_claim_events_total{event=\"lost\"}")
        .await;
    row.is_logged(&log, "the claim of a session is lost").await;
    way.intercept.cut(false);
    let state = state(&one, &session, |state| state["phase"] == "cut").await;
    assert_eq!(state["unanswered"][0]["sent"], true, "{state}");
    // `tests/page/states.mjs` checks that the page shows this text for a session in this phase.
    row.names(Row::PAGE, "The last turn was cut off before its end.");
    one.end().await;
}

#[cfg(feature = "cluster")]
#[tokio::test]
async fn the_host_of_a_session_cannot_be_reached() {
    use claw_client::store::{Claims as _, Owner};

    let row = Row::of("the host of a session cannot be reached");
    let log = Log::new(Level::WARN);
    let [(one, way)] = crate::cluster::hosts(Duration::from_secs(2), waits).await;
    let session = SessionRef::new("shop", "11111111-1111-4111-8111-111111111111").unwrap();
    // Nobody listens there.
    let owner = Owner::new("other").at("http://127.0.0.1:9");
    let day = Duration::from_hours(24);
    way.inner.claim(&session, &owner, day).await.unwrap();
    let path = format!("/api/sessions/{}", session.session());
    let refused = one.ask("GET", &path, &Value::Null).await;
    assert_eq!(refused.status, 503, "{}", refused.body);
    row.is_shown(
        &refused.body,
        "the host that has the session cannot be reached",
    );
    row.is_logged(&log, "a request is not passed on").await;
    row.is_counted(&one, "claw_http_responses_total{status=\"5xx\"}")
        .await;
    one.end().await;
}

#[cfg(feature = "notify")]
#[tokio::test]
async fn the_collector_of_traces_takes_none() {
    let row = Row::of("the collector of traces takes none");
    let log = Log::new(Level::WARN);
    // Nobody listens there.
    let otlp = claw_server::Otlp::new("http://127.0.0.1:9").unwrap();
    let running = Running::start_as(Script::reply("Hi."), |builder| builder.otlp(otlp)).await;
    let session = running.session().await;
    running.prompt(&session, "Hello?").await;
    row.is_counted(&running, "claw_spans_lost_total").await;
    row.is_logged(&log, "spans are lost: the collector does not take them")
        .await;
    running.end().await;
}

#[cfg(feature = "notify")]
#[tokio::test]
async fn the_receiver_of_notices_takes_none() {
    let row = Row::of("the receiver of notices takes none");
    let log = Log::new(Level::WARN);
    // Nobody listens there.
    let topic = "http://127.0.0.1:9/topic";
    let notify = claw_server::Notify::new(topic, claw_server::NotifyFormat::Ntfy, None).unwrap();
    let notify = notify.pause(Duration::from_millis(1));
    let running = Running::start_as(asks(), |builder| builder.notify(notify)).await;
    let session = running.session().await;
    running.prompt(&session, "How many?").await;
    row.is_counted(&running, "claw_notices_lost_total{way=\"webhook\"}")
        .await;
    row.is_logged(&log, "a notice is lost after …").await;
    state(&running, &session, |state| state["phase"] == "asking").await;
    running.deny(&session).await;
    running.end().await;
}
