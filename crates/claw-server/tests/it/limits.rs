//! The usage limits of the login, and the tokens and costs of turns.

use claw_sessions::{Prices, slug};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::activity::Stream;
use crate::client::{Running, soon};

/// A time in seconds at which no limit of a test is reset yet.
const FAR: u64 = 4_000_000_000;

/// What the scripted agent's model costs, and no other.
fn prices() -> Prices {
    let prices = json!({"date": "2026-11-25", "webSearch": 0, "usInference": 1, "models": {"claude-scripted-1":
        {"input": 10, "output": 50, "cacheRead": 1, "cacheWrite5m": 12, "cacheWrite1h": 20}}});
    Prices::from_json(&prices.to_string()).unwrap()
}

pub(crate) fn limits(five_hours: f64) -> Step {
    Step::Line(
        json!({"type": "rate_limit_event", "uuid": "$uuid", "session_id": "$session_id",
        "rate_limit_info": {"status": "allowed_warning", "rateLimitType": "five_hour", "resetsAt": FAR,
            "unifiedWindows": {
                "seven_day": {"utilization": 0.13, "resetsAt": FAR, "status": "allowed"},
                "five_hour": {"utilization": five_hours, "resetsAt": FAR, "status": "allowed_warning"}}}}),
    )
}

/// The shares of the windows, in percent.
fn shares(limits: &Value) -> Vec<(&str, f64)> {
    let windows = limits["windows"].as_array().unwrap().iter();
    let share = |window: &Value| window["used"].as_f64().unwrap().round();
    windows
        .map(|window| (window["kind"].as_str().unwrap(), share(window)))
        .collect()
}

#[tokio::test]
async fn every_page_is_told_the_limits_that_any_session_reported_last() {
    let turn = |share| Step::Turn(vec![Step::message([Block::text("Yes.")]), limits(share)]);
    let running = Running::start(Script::new([turn(0.42), turn(0.93)])).await;
    let read = async || {
        let response = running.ask("GET", "/api/limits", &Value::Null).await;
        assert_eq!(response.status, 200);
        response.json()
    };
    let nothing = json!({"seen": null, "status": null, "windows": [], "isOverage": false});
    assert_eq!(read().await, nothing);
    let (one, other) = (running.session().await, running.session().await);
    let mut list = Stream::open(&running, "/stream").await;
    let mut page = Stream::open(&running, &format!("/s/{other}/stream")).await;
    running.prompt(&one, "Well?").await;
    let expected = [("five_hour", 42.0), ("seven_day", 13.0)];
    for stream in [&mut list, &mut page] {
        let told = stream.until_event("limits", |_| true).await;
        assert_eq!(shares(&told), expected);
    }
    let first = read().await;
    assert_eq!(shares(&first), expected);
    assert_eq!(first["status"], "allowed_warning");
    assert_eq!(first["windows"][0]["resets"], json!(1000.0 * 4e9));
    // A page that comes late is told at once.
    let mut late = Stream::open(&running, &format!("/s/{one}/stream")).await;
    late.until_event("limits", |told| shares(told) == expected)
        .await;
    running.prompt(&one, "And now?").await;
    let newer = [("five_hour", 93.0), ("seven_day", 13.0)];
    list.until_event("limits", |told| shares(told) == newer)
        .await;
    let second = read().await;
    assert_eq!(shares(&second), newer);
    assert!(second["seen"].as_f64() >= first["seen"].as_f64());
    running.end().await;
}

#[tokio::test]
async fn the_next_server_knows_the_last_report() {
    let turn = || {
        Step::Turns(vec![
            Step::message([Block::text("Yes.")]),
            limits(0.25),
            limits(0.5),
        ])
    };
    let running = Running::start(Script::new([turn()])).await;
    let session = running.session().await;
    running.prompt(&session, "Well?").await;
    let file = running.folder.path().join("config/claw/limits.json");
    soon(async {
        let kept = || std::fs::read_to_string(&file).unwrap_or_default();
        while !kept().contains(r#""used":50.0"#) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let read = async |running: &Running| {
        let limits = running.ask("GET", "/api/limits", &Value::Null).await;
        limits.json()
    };
    let before = read(&running).await;
    let folder = running.end_and_keep().await;
    std::fs::remove_dir(folder.path().join("shop")).unwrap();
    let running = Running::start_in(Script::default(), folder, |builder| builder).await;
    assert_eq!(read(&running).await, before);
    assert_eq!(shares(&before), [("five_hour", 50.0), ("seven_day", 13.0)]);
    // Each page is told as of any other report.
    let mut list = Stream::open(&running, "/stream").await;
    let told = list.until_event("limits", |_| true).await;
    assert_eq!(told, before);
    running.end().await;
}

#[tokio::test]
async fn a_turn_has_its_tokens_while_it_runs_and_its_cost_after_it() {
    let script = Script::new([Step::Turns(vec![
        Step::message([Block::text("First.")]),
        Step::Gate("more".to_owned()),
        Step::message([Block::text("Second.")]),
    ])]);
    let running = Running::start_as(script, |builder| builder.prices(prices())).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Well?").await;
    let is_counted = |state: &Value| state["turn"]["outputTokens"] == 12;
    let running_turn = events.until("state", is_counted).await;
    let state = &running_turn.last().unwrap().data;
    assert_eq!(state["phase"], "running");
    assert_eq!(state["turn"]["inputTokens"], 10);
    assert_eq!(state["turn"]["isEstimate"], true);
    // Ten tokens at 10 dollars a million, and twelve at 50.
    assert_eq!(state["turn"]["costUsd"], 0.0007);
    assert_eq!(
        (&state["costUsd"], &state["costIsEstimate"]),
        (&json!(0.0007), &json!(true))
    );
    running.agent.gates().open("more");
    let over = events
        .until("state", |state| state["phase"] == "idle")
        .await;
    let state = &over.last().unwrap().data;
    assert_eq!(state["turn"]["outputTokens"], 24);
    assert_eq!(state["turn"]["isEstimate"], false);
    assert_eq!(state["turn"]["costUsd"], state["costUsd"]);
    assert_eq!(state["costIsEstimate"], false);
    assert!(state["costUsd"].as_f64().unwrap() > 0.0, "{state}");
    running.end().await;
}

/// An answer in a transcript.
fn answer(id: &str, day: &str, model: &str) -> Value {
    json!({"type": "assistant", "uuid": format!("u-{id}"), "requestId": format!("req-{id}"), "cwd": "/",
        "timestamp": format!("{day}T12:00:00.000Z"), "sessionId": "s", "isSidechain": false, "message": {"id": id,
            "model": model, "role": "assistant", "type": "message", "content": [{"type": "text", "text": "Yes."}],
            "usage": {"input_tokens": 100, "output_tokens": 20}}})
}

/// Writes a transcript of a session that began in this folder of the server's place.
fn write(running: &Running, folder: &str, id: &str, lines: &[Value]) {
    let folder = running.folder.path().join(folder);
    let place = running.folder.path().join("config/projects");
    std::fs::create_dir_all(&folder).unwrap();
    let place = place.join(slug(&folder.canonicalize().unwrap()));
    std::fs::create_dir_all(&place).unwrap();
    let asked = json!({"type": "user", "uuid": format!("p-{id}"), "cwd": folder, "sessionId": id,
        "timestamp": "2026-11-20T12:00:00.000Z", "message": {"role": "user", "content": "Well?"}});
    let lines = std::iter::once(&asked).chain(lines);
    let lines: Vec<_> = lines.map(Value::to_string).collect();
    std::fs::write(place.join(format!("{id}.jsonl")), lines.join("\n") + "\n").unwrap();
    let hub = running.server.hub();
    hub.refresh(&hub.sessions().find(id).unwrap());
}

#[tokio::test]
async fn the_usage_of_the_projects_is_told_by_each_group_and_as_a_table() {
    const ONE: &str = "11111111-1111-4111-8111-111111111111";
    const TWO: &str = "22222222-2222-4222-8222-222222222222";
    const ELSEWHERE: &str = "33333333-3333-4333-8333-333333333333";
    let running = Running::start_as(Script::default(), |builder| builder.prices(prices())).await;
    let scripted = |id, day| answer(id, day, "claude-scripted-1");
    let lines = [scripted("a", "2026-11-22"), scripted("b", "2026-11-23")];
    write(&running, "shop", ONE, &lines);
    let written =
        json!({"type": "cost-state", "sessionId": TWO, "totalCostUSD": 0.25, "modelUsage": {}});
    let lines = [answer("c", "2026-12-01", "=unpriced"), written];
    write(&running, "shop/inner", TWO, &lines);
    // No project of the server has it.
    write(&running, "other", ELSEWHERE, &[scripted("d", "2026-11-22")]);
    let get = async |query: &str, accept: &str| {
        let path = format!("/api/usage?{query}");
        running.ask_with("GET", &path, &Value::Null, accept).await
    };
    for (by, names) in [
        ("day", vec!["2026-11-22", "2026-11-23", "2026-12-01"]),
        ("week", vec!["2026-W47", "2026-W48", "2026-W49"]),
        ("month", vec!["2026-11", "2026-12"]),
        ("project", vec!["shop"]),
        ("model", vec!["=unpriced", "claude-scripted-1"]),
        ("session", vec![ONE, TWO]),
    ] {
        let rows = get(&format!("by={by}"), "").await.json();
        let rows = rows.as_object().unwrap();
        assert_eq!(rows.keys().collect::<Vec<_>>(), names, "{by}");
        let answers = rows
            .values()
            .map(|usage| usage["answers"].as_u64().unwrap());
        assert_eq!(answers.sum::<u64>(), 3, "{by}");
    }
    let sessions = get("by=session", "").await.json();
    // Two answers of 100 tokens at 10 dollars a million, and 20 at 50.
    assert_eq!(sessions[ONE]["estimate"]["usd"], 0.004);
    assert_eq!(sessions[ONE]["cost"], Value::Null);
    assert_eq!(sessions[TWO]["cost"], json!({"usd": 0.25, "isWhole": true}));
    assert_eq!(sessions[TWO]["estimate"]["unpricedAnswers"], 1);
    let days = get("since=2026-11-23&until=2026-11-30", "").await.json();
    assert_eq!(
        days.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["2026-11-23"]
    );
    // As a table, by either way to ask for it.
    for (query, accept) in [
        ("by=model&format=csv", ""),
        ("by=model", "Accept: text/csv, application/json;q=0.5\r\n"),
    ] {
        let table = get(query, accept).await;
        assert_eq!(
            table.header("content-type"),
            Some("text/csv; charset=utf-8")
        );
        let lines: Vec<_> = table.body.lines().collect();
        assert!(
            lines[0].starts_with("model,answers,input,output,"),
            "{lines:?}"
        );
        // No spreadsheet takes a name for a formula.
        assert!(lines[1].starts_with("'=unpriced,1,100,20,"), "{lines:?}");
        assert!(
            lines[2].starts_with("claude-scripted-1,2,200,40,"),
            "{lines:?}"
        );
    }
    let json = get("by=model&format=json", "Accept: text/csv\r\n").await;
    assert_eq!(json.header("content-type"), Some("application/json"));
    for wrong in [
        "since=2026-11-31",
        "until=tomorrow",
        "by=mood",
        "format=xml",
    ] {
        let refused = get(wrong, "").await;
        assert_eq!(refused.status, 400, "{wrong}: {}", refused.body);
    }
    // What is written meanwhile is in the next report.
    write(&running, "shop", ONE, &[scripted("a", "2026-11-22")]);
    let sessions = get("by=session", "").await.json();
    assert_eq!(sessions[ONE]["answers"], 1);
    // The page has the same, with the names of the sessions.
    let page = running
        .ask("GET", "/usage?since=2026-11-01&until=", &Value::Null)
        .await;
    for part in [
        "value=\"2026-11-01\"",
        "<a href=\"/s/22222222-2222-4222-8222-222222222222\">Well?</a>",
        "less than $0.01",
        "$0.25",
        "/api/usage?by=session&amp;since=2026-11-01&amp;format=csv",
        "No prices are known of =unpriced:",
    ] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    assert!(!page.body.contains(ELSEWHERE));
    let wrong = running
        .ask("GET", "/usage?since=%3Cb%3E", &Value::Null)
        .await;
    assert_eq!(wrong.status, 400);
    assert!(!wrong.body.contains("<b>"), "{}", wrong.body);
    // What an earlier server's process cost is estimated where the CLI did not write it.
    let opened = running
        .ask("GET", &format!("/api/sessions/{ONE}"), &Value::Null)
        .await;
    let state = &opened.json()["state"];
    assert_eq!(
        (&state["costUsd"], &state["costIsEstimate"]),
        (&json!(0.002), &json!(true))
    );
    running.end().await;
}
