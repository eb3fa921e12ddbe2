//! The limits of users and projects.

use std::collections::BTreeMap;

use claw_client::pool::Pool;
use claw_server::{NewUser, Quota, Quotas, Role, ServerBuilder, Users};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use claw_testkit::api::{Api, Reply, Rule, Scenario};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Response, Running, soon, uuid};
use crate::document;
use crate::faults::Row;
use crate::kept::{prompts, view};
use crate::list::{id, write};
use crate::real_cli;
use crate::socket::{connect, heard, say};

/// A server with the users `ana` and `bo`.
struct Limited {
    running: Running,
    tokens: BTreeMap<&'static str, String>,
}

/// A turn that waits until its request is answered.
fn asks() -> Script {
    Script::new([Step::Turns(vec![
        Step::message([Block::tool_use("Bash", json!({"command": "ls"}))]),
        Step::permission([Step::tool_result("7")], [Step::tool_error("no")]),
    ])])
}

fn quota(change: impl FnOnce(&mut Quota)) -> Quota {
    let mut quota = Quota::default();
    change(&mut quota);
    quota
}

impl Limited {
    async fn start(script: Script, quotas: Quotas) -> Self {
        Self::start_in(script, tempfile::tempdir().unwrap(), quotas, |it| it).await
    }

    async fn start_in(
        script: Script,
        folder: TempDir,
        quotas: Quotas,
        change: impl FnOnce(ServerBuilder) -> ServerBuilder,
    ) -> Self {
        let file = folder.path().join("users.json");
        let _ = std::fs::remove_file(&file);
        let tokens = ["ana", "bo"].map(|name| {
            let token = Users::add(&file, NewUser::new(name, Role::Answer)).unwrap();
            (name, token.expose().to_owned())
        });
        let users = Users::open(&file).unwrap();
        let running = Running::start_in(script, folder, |builder| {
            change(builder.users(users).quotas(quotas))
        });
        Self {
            running: running.await,
            tokens: tokens.into(),
        }
    }

    async fn ask(&self, user: &str, method: &str, path: &str, body: &Value) -> Response {
        let (host, token) = (self.running.address, &self.tokens[user]);
        let body = body.to_string();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        let response = self.running.raw(&request).await;
        document::check(method, path, &response);
        response
    }

    async fn begin(&self, user: &str) -> Response {
        let new = json!({"project": "shop"});
        self.ask(user, "POST", "/api/sessions", &new).await
    }

    async fn session(&self, user: &str) -> String {
        let response = self.begin(user).await;
        assert_eq!(response.status, 201, "{}", response.body);
        response.json()["id"].as_str().unwrap().to_owned()
    }

    async fn prompt(&self, user: &str, session: &str, body: &Value) -> Response {
        let path = format!("/api/sessions/{session}/prompts");
        self.ask(user, "POST", &path, body).await
    }

    async fn accepted(&self, user: &str, session: &str) {
        let response = self.prompt(user, session, &json!({"text": "Hi."})).await;
        assert_eq!(response.status, 202, "{}", response.body);
    }

    /// Waits until the state of a session has a property.
    async fn until(&self, session: &str, is: impl Fn(&Value) -> bool) {
        let newest = view(&self.running, session).await;
        if is(&newest["state"]) {
            return;
        }
        let after = newest["lastEvent"].as_str().map(str::to_owned);
        let mut events = self.running.events(session, after.as_deref()).await;
        soon(events.until("state", is)).await;
    }

    /// What a user, or the owner, sees of the limits: the used part of each.
    async fn used(&self, user: Option<&str>) -> Value {
        let response = match user {
            Some(user) => self.ask(user, "GET", "/api/quotas", &Value::Null).await,
            None => self.running.ask("GET", "/api/quotas", &Value::Null).await,
        };
        let all = response.json();
        let all = all.as_array().unwrap().iter().map(|it| {
            let limits = it["limits"].as_array().unwrap().iter();
            let limits =
                limits.map(|it| (it["kind"].as_str().unwrap().to_owned(), it["used"].clone()));
            let name = it["name"].as_str().unwrap().to_owned();
            (name, Value::Object(limits.collect()))
        });
        Value::Object(all.collect())
    }
}

/// The status, the kind of the limit, and whose it is.
fn refused(response: &Response) -> (u16, Value, Value) {
    let error = response.json()["error"].clone();
    assert_eq!(error["kind"], "limit", "{error}");
    let limit = &error["limit"];
    (
        response.status,
        limit["kind"].clone(),
        limit["name"].clone(),
    )
}

fn is_asking(state: &Value) -> bool {
    state["phase"] == "asking"
}

fn is_idle(state: &Value) -> bool {
    state["phase"] == "idle"
}

#[tokio::test]
async fn turns_within_an_hour_are_counted_for_who_sends_them_on_each_way() {
    let row = Row::of("a user or a project is at a limit");
    let quotas = Quotas::new().other_users(quota(|it| it.turns_per_hour = Some(2)));
    let limited = Limited::start(Script::reply("Hi."), quotas).await;
    let session = limited.session("ana").await;
    let first = json!({"text": "Hi.", "uuid": uuid(1)});
    assert_eq!(limited.prompt("ana", &session, &first).await.status, 202);
    // The same prompt again is no other turn.
    assert_eq!(limited.prompt("ana", &session, &first).await.status, 200);
    limited.accepted("ana", &session).await;
    let response = limited
        .prompt("ana", &session, &json!({"text": "Hi."}))
        .await;
    assert_eq!(
        refused(&response),
        (429, json!("turnsPerHour"), json!("ana"))
    );
    let after: u64 = response.header("retry-after").unwrap().parse().unwrap();
    assert!((3500..=3600).contains(&after), "{after}");
    let error = response.json()["error"].clone();
    let text = "a limit of the user ana is reached: 2 turns within an hour; it is free again one hour after the oldest of \
        them";
    assert_eq!(
        (&error["message"], &error["limit"]["value"]),
        (&json!(text), &json!(2.0))
    );
    row.is_shown(text, "a limit of the …");
    row.is_counted(
        &limited.running,
        "claw_http_responses_total{status=\"4xx\"}",
    )
    .await;
    // Neither another interface nor another session leads around it.
    let params = json!({"session_id": session, "text": "Hi."});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params});
    let response = limited.ask("ana", "POST", "/rpc", &call).await.json();
    assert_eq!(response["error"]["data"]["kind"], "limit", "{response}");
    let token = format!("Bearer {}", limited.tokens["ana"]);
    let connected = connect(&limited.running, &session, &[("authorization", token)]).await;
    let mut viewer = connected.unwrap();
    say(&mut viewer, &json!({"type": "prompt", "text": "Hi."})).await;
    assert_eq!(heard(&mut viewer, "error").await["kind"], "limit");
    let other = limited.session("ana").await;
    let response = limited.prompt("ana", &other, &json!({"text": "Hi."})).await;
    assert_eq!(response.status, 429);
    // Others may still send prompts to the same session. The owner has no limits.
    limited.accepted("bo", &session).await;
    for _ in 0..3 {
        assert_eq!(limited.running.prompt(&session, "Hi.").await.status, 202);
    }
    limited.until(&session, is_idle).await;
    assert_eq!(prompts(&limited.running.agent).len(), 6);
    assert_eq!(
        limited.used(Some("bo")).await,
        json!({"bo": {"turnsPerHour": 1.0}})
    );
    // The page shows what is nearly used up.
    for (user, is_shown) in [("ana", true), ("bo", false)] {
        let page = limited.ask(user, "GET", "/", &Value::Null).await;
        assert_eq!(page.status, 200);
        let text = format!("Limit of {user}: 2 of 2 turns within an hour. It is used up.");
        assert_eq!(page.body.contains(&text), is_shown, "{}", page.body);
        assert_eq!(page.body.contains("Limit of "), is_shown);
        if is_shown {
            row.is_shown(&page.body, "Limit of …");
        }
    }
    let all = json!({"ana": {"turnsPerHour": 2.0}, "bo": {"turnsPerHour": 1.0}});
    assert_eq!(limited.used(None).await, all);
    limited.running.end().await;
}

#[tokio::test]
async fn a_prompt_over_the_limit_of_processes_waits_and_is_seen_to_wait() {
    let row = quota(|it| (it.processes, it.waiting) = (Some(1), Some(1)));
    let limited = Limited::start(asks(), Quotas::new().user("ana", row)).await;
    let [first, second, third] = [
        limited.session("ana").await,
        limited.session("ana").await,
        limited.session("ana").await,
    ];
    limited.accepted("ana", &first).await;
    limited.until(&first, is_asking).await;
    limited.accepted("ana", &second).await;
    limited
        .until(&second, |state| !state["waitsForLimit"].is_null())
        .await;
    let row = Row::of("a user or a project is at a limit");
    row.is_live(&limited.running, "waiting", "process").await;
    let words = "Waiting for a free process";
    row.is_in_phase(&limited.running, &second, "waiting", words)
        .await;
    let state = view(&limited.running, &second).await["state"].clone();
    let limit =
        json!({"kind": "processes", "of": "user", "name": "ana", "value": 1.0, "freeAt": null});
    assert_eq!(
        (&state["phase"], &state["waitsForLimit"]),
        (&json!("waiting"), &limit)
    );
    let used = json!({"ana": {"processes": 1.0, "waiting": 1.0}});
    assert_eq!(limited.used(Some("ana")).await, used);
    // One prompt may wait, and no second one.
    let response = limited.prompt("ana", &third, &json!({"text": "Hi."})).await;
    assert_eq!(refused(&response), (409, json!("waiting"), json!("ana")));
    assert_eq!(response.header("retry-after"), None);
    // Another user has processes still.
    let other = limited.session("bo").await;
    limited.accepted("bo", &other).await;
    limited.until(&other, is_asking).await;
    // After the turn, the next session gets the process.
    limited.running.deny(&first).await;
    limited.until(&second, is_asking).await;
    let state = view(&limited.running, &second).await["state"].clone();
    assert_eq!(state["waitsForLimit"], Value::Null);
    limited.until(&first, is_idle).await;
    let used = json!({"ana": {"processes": 1.0, "waiting": 0.0}});
    assert_eq!(limited.used(Some("ana")).await, used);
    limited.accepted("ana", &third).await;
    // A prompt that waits can be interrupted, and its place is free then.
    let interrupt = format!("/api/sessions/{third}/interrupt");
    limited
        .until(&third, |state| !state["waitsForLimit"].is_null())
        .await;
    assert_eq!(
        limited
            .ask("ana", "POST", &interrupt, &Value::Null)
            .await
            .status,
        204
    );
    limited.until(&third, is_idle).await;
    assert_eq!(limited.used(Some("ana")).await, used);
    for session in [&second, &other] {
        limited.running.deny(session).await;
        limited.until(session, is_idle).await;
    }
    assert_eq!(prompts(&limited.running.agent).len(), 3);
    limited.running.end().await;
}

/// Four sessions with one process, whose prompts come in this order. The last one is of another user.
async fn in_turn(limited: Limited, is_waiting: impl AsyncFn(&str, usize)) {
    let mut sessions = Vec::new();
    for (at, user) in ["ana", "ana", "ana", "bo"].into_iter().enumerate() {
        let session = limited.session(user).await;
        limited.accepted(user, &session).await;
        if at == 0 {
            limited.until(&session, is_asking).await;
        } else {
            is_waiting(&session, at).await;
        }
        sessions.push(session);
    }
    for next in [0, 3, 1, 2] {
        limited.until(&sessions[next], is_asking).await;
        let phase =
            async |at: usize| view(&limited.running, &sessions[at]).await["state"]["phase"].clone();
        for other in (0..4).filter(|other| *other != next) {
            assert_ne!(phase(other).await, "asking", "{other} before {next}");
        }
        limited.running.deny(&sessions[next]).await;
    }
    limited.until(&sessions[2], is_idle).await;
    limited.running.end().await;
}

#[tokio::test]
async fn a_free_process_goes_to_the_user_who_has_had_none_for_the_longest_time() {
    // The limit of a project, and the server's own.
    let row = quota(|it| it.processes = Some(1));
    let limited = Limited::start(asks(), Quotas::new().other_projects(row)).await;
    let server = limited.running.server.clone();
    in_turn(limited, async |session, _| {
        let live = server.hub().open(session).await.unwrap();
        soon(async {
            while live.read(|it| it.state().waits_for_limit.is_none()) {
                tokio::task::yield_now().await;
            }
        })
        .await;
    })
    .await;
    let pool = Pool::builder().processes(1).build();
    let change = |builder: ServerBuilder| builder.pool(pool.clone());
    let folder = tempfile::tempdir().unwrap();
    let limited = Limited::start_in(asks(), folder, Quotas::new(), change).await;
    in_turn(limited, async |_, waiting| {
        soon(async {
            while pool.stats().waiting < waiting {
                tokio::task::yield_now().await;
            }
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_session_over_the_limit_closes_an_unused_one_of_the_same_user_or_is_refused() {
    let quotas = Quotas::new().other_users(quota(|it| it.sessions = Some(1)));
    let limited = Limited::start(asks(), quotas).await;
    let other = limited.session("bo").await;
    let first = limited.session("ana").await;
    let second = limited.session("ana").await;
    let live = || {
        let live = limited.running.server.hub().live();
        live.iter()
            .map(|it| it.id().to_string())
            .collect::<Vec<_>>()
    };
    assert!(!live().contains(&first) && live().contains(&other));
    limited.accepted("ana", &second).await;
    limited.until(&second, is_asking).await;
    let response = limited.begin("ana").await;
    assert_eq!(refused(&response), (409, json!("sessions"), json!("ana")));
    assert_eq!(
        limited.used(Some("ana")).await,
        json!({"ana": {"sessions": 1.0}})
    );
    // A fork is a session too.
    let fork = json!({"fork": {"session": second}});
    let response = limited.ask("ana", "POST", "/api/sessions", &fork).await;
    assert_ne!(response.status, 201, "{}", response.body);
    limited.running.deny(&second).await;
    limited.until(&second, is_idle).await;
    soon(async {
        // A viewer of the test may be there still.
        while limited.begin("ana").await.status != 201 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    limited.running.end().await;
}

#[tokio::test]
async fn what_a_user_has_spent_counts_for_the_next_server_too() {
    // A turn of the scripted agent costs $0.00028.
    let row = || quota(|it| (it.cost_per_day, it.cost_per_month) = (Some(0.0002), Some(1.0)));
    let quotas = || Quotas::new().other_users(row());
    let limited = Limited::start(Script::reply("Hi."), quotas()).await;
    let session = limited.session("ana").await;
    limited.accepted("ana", &session).await;
    let is_paid = |state: &Value| is_idle(state) && state["costUsd"] != 0.0;
    limited.until(&session, is_paid).await;
    let refusal = async |limited: &Limited| {
        let response = limited
            .prompt("ana", &session, &json!({"text": "Hi."}))
            .await;
        assert_eq!(refused(&response), (429, json!("costPerDay"), json!("ana")));
        let after: u64 = response.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=24 * 3600).contains(&after), "{after}");
    };
    refusal(&limited).await;
    let used = limited.used(Some("ana")).await["ana"].clone();
    assert_eq!(
        used,
        json!({"costPerDay": 0.00028, "costPerMonth": 0.00028})
    );
    // The prompts of others are not charged to her.
    limited.accepted("bo", &session).await;
    assert_eq!(limited.running.prompt(&session, "Hi.").await.status, 202);
    limited.until(&session, is_idle).await;
    let folder = limited.running.end_and_keep().await;

    std::fs::remove_dir_all(folder.path().join("shop")).unwrap();
    let next = Limited::start_in(Script::reply("Hi."), folder, quotas(), |it| it).await;
    let session = next.session("ana").await;
    let response = next.prompt("ana", &session, &json!({"text": "Hi."})).await;
    assert_eq!(refused(&response), (429, json!("costPerDay"), json!("ana")));
    assert_eq!(next.used(Some("ana")).await["ana"], used);
    next.running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_of_the_real_cli_ends_at_what_is_left_of_the_limit() {
    let reply = Reply::new([Block::text("That was dear.")]).usage("output_tokens", 50_000);
    let scenario = Scenario::new("dear", [Rule::new(reply.into())]);
    let api = Api::start(scenario).await.unwrap();
    let start = async |folder, usd: f64| {
        let row = quota(|it| it.cost_per_day = Some(usd));
        let quotas = Quotas::new().other_projects(row);
        real_cli::start_with(&api, folder, |builder| builder.quotas(quotas)).await
    };
    let spent = async |running: &Running| {
        let all = running.ask("GET", "/api/quotas", &Value::Null).await.json();
        all[0]["limits"][0]["used"].as_f64().unwrap()
    };
    let ended = async |running: &Running, session: &str, before: f64| {
        let mut events = running.events(session, None).await;
        assert_eq!(running.prompt(session, "Hello?").await.status, 202);
        let is_over = |state: &Value| is_idle(state) && state["costUsd"].as_f64() > Some(before);
        let over = events.until("state", is_over).await;
        over.last().unwrap().data["error"].clone()
    };
    let running = start(tempfile::tempdir().unwrap(), 1000.0).await;
    let session = running.session().await;
    assert_eq!(ended(&running, &session, 0.0).await, Value::Null);
    let turn = spent(&running).await;
    assert!(turn > 0.5, "{turn}");
    let folder = running.end_and_keep().await;

    // Two and a half turns are within the limit. One was before, with another process.
    std::fs::remove_dir_all(folder.path().join("shop")).unwrap();
    let running = start(folder, 2.5 * turn).await;
    assert_eq!(ended(&running, &session, 1.5 * turn).await, Value::Null);
    let error = ended(&running, &session, 2.5 * turn).await;
    let error = error.as_str().unwrap();
    assert!(error.starts_with("Reached maximum budget ($"), "{error}");
    let whose = "): a limit of the project shop is reached: $";
    assert!(error.contains(whose), "{error}");
    assert!((spent(&running).await - 3.0 * turn).abs() < 0.01 * turn);
    let response = running.prompt(&session, "Hello?").await;
    assert_eq!(
        refused(&response),
        (429, json!("costPerDay"), json!("shop"))
    );
    running.end().await;
}

#[tokio::test]
async fn a_fork_counts_as_a_prompt_of_the_user() {
    let quotas = Quotas::new().other_users(quota(|quota| quota.turns_per_hour = Some(2)));
    let limited = Limited::start(Script::reply("Yes."), quotas).await;
    write(&limited.running, 1, 1);
    let fork = format!("/api/sessions/{}/fork", id(1));
    for _ in 0..2 {
        let forked = limited.ask("ana", "POST", &fork, &json!({})).await;
        assert_eq!(forked.status, 201, "{}", forked.body);
    }
    let new = json!({"fork": {"session": id(1)}});
    for (path, body) in [(&*fork, json!({})), ("/api/sessions", new)] {
        let refused = limited.ask("ana", "POST", path, &body).await;
        assert_eq!(refused.status, 429, "{}", refused.body);
        let limit = &refused.json()["error"]["limit"];
        assert_eq!(
            (&limit["kind"], &limit["name"]),
            (&json!("turnsPerHour"), &json!("ana"))
        );
    }
    let session = limited.session("ana").await;
    let refused = limited
        .prompt("ana", &session, &json!({"text": "Hi."}))
        .await;
    assert_eq!(refused.status, 429, "{}", refused.body);
    let forked = limited.ask("bo", "POST", &fork, &json!({})).await;
    assert_eq!(forked.status, 201, "{}", forked.body);
    // The owner has no limit.
    let forked = limited.running.ask("POST", &fork, &json!({})).await;
    assert_eq!(forked.status, 201, "{}", forked.body);
    limited.running.end().await;
}

/// The number of transcripts on disk.
fn transcripts(limited: &Limited) -> usize {
    let projects = limited.running.folder.path().join("config/projects");
    let projects = std::fs::read_dir(projects).unwrap();
    let files = projects.flat_map(|project| std::fs::read_dir(project.unwrap().path()).unwrap());
    files.count()
}

#[tokio::test]
async fn a_refused_fork_copies_nothing_and_counts_nowhere() {
    let quotas = Quotas::new()
        .other_users(quota(|quota| quota.turns_per_hour = Some(10)))
        .other_projects(quota(|quota| quota.sessions = Some(1)));
    let limited = Limited::start(asks(), quotas).await;
    write(&limited.running, 1, 1);
    let session = limited.session("ana").await;
    limited.accepted("ana", &session).await;
    limited.until(&session, is_asking).await;
    let fork = format!("/api/sessions/{}/fork", id(1));
    let response = limited.ask("ana", "POST", &fork, &json!({})).await;
    assert_eq!(refused(&response), (409, json!("sessions"), json!("shop")));
    assert_eq!(transcripts(&limited), 1);
    let turns = async || limited.used(Some("ana")).await["ana"]["turnsPerHour"].clone();
    assert_eq!(turns().await, 1.0);
    limited.running.deny(&session).await;
    limited.until(&session, is_idle).await;
    // The message does not exist.
    let missing = json!({"upTo": uuid(9)});
    let response = limited.ask("ana", "POST", &fork, &missing).await;
    assert!(response.status >= 400, "{}", response.body);
    assert_eq!((transcripts(&limited), turns().await), (1, json!(1.0)));
    soon(async {
        // A viewer of the test may be there still.
        while limited.ask("ana", "POST", &fork, &json!({})).await.status != 201 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!((transcripts(&limited), turns().await), (2, json!(2.0)));
    limited.running.end().await;
}

#[tokio::test]
async fn a_fork_counts_as_a_prompt_of_the_project() {
    let quotas = Quotas::new().other_projects(quota(|quota| quota.turns_per_hour = Some(1)));
    let limited = Limited::start(Script::reply("Yes."), quotas).await;
    write(&limited.running, 1, 1);
    let fork = format!("/api/sessions/{}/fork", id(1));
    let forked = limited.running.ask("POST", &fork, &json!({})).await;
    assert_eq!(forked.status, 201, "{}", forked.body);
    let response = limited.running.ask("POST", &fork, &json!({})).await;
    assert_eq!(
        refused(&response),
        (429, json!("turnsPerHour"), json!("shop"))
    );
    assert_eq!(transcripts(&limited), 2);
    limited.running.end().await;
}
