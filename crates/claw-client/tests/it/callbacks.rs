//! What the CLI asks, and what it gets where a callback fails.

use std::future::{pending, ready};
use std::time::{Duration, Instant};

use claw_client::hook::{
    ElicitationResult, HookFor, PermissionRequest as Permission, PreModelSwitch,
    PreSkillShellCommand, PreToolUse, Stop, UserPromptSubmit,
};
use claw_client::types::control::{
    DialogCompleted, ElicitationResponse, PermissionResult, UserDialogResponse,
};
use claw_client::types::hook::{
    AsyncHookOutput, ElicitationAction, HookInput, HookOutput, HookPermissionDecision,
    HookSpecificOutput, PreToolUseOutput,
};
use claw_client::types::{Json, QueryOptions};
use claw_client::{IncomingRequest, OauthToken, Responder, Session, SessionBuilder};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::agent::{answers, builder, connect_as, soon};
use crate::log::Log;

fn request(id: &str, request: &Value) -> Value {
    json!({"type": "control_request", "request_id": id, "request": request})
}

/// Asks, waits for the answer, and then has a turn: the session is alive.
fn asks(what: &Value) -> Script {
    asks_as("q", what)
}

fn asks_as(id: &str, what: &Value) -> Script {
    Script::new([
        Step::Line(request(id, what)),
        serde_json::from_value(json!({"expect": {"type": "control_response"}})).unwrap(),
        Step::Turns(vec![Step::message([Block::text("alive")])]),
    ])
}

/// The answer that the CLI gets; the requests that come to the application are handled by `answer`.
async fn answered(
    builder: SessionBuilder,
    what: &Value,
    answer: impl FnMut(IncomingRequest),
) -> Value {
    let (session, agent) = connect_as(builder, asks(what)).await;
    let requests = session.requests();
    let result = session.send("Go").await.unwrap().result();
    let result = match requests {
        Ok(requests) => {
            let answering = requests.map(answer).count();
            tokio::select! {
                result = soon(result) => result,
                _ = answering => panic!("the session is over"),
            }
        }
        Err(_) => soon(result).await,
    };
    assert_eq!(result.unwrap().text(), "alive");
    soon(session.close()).await.unwrap();
    let received = agent.received().await;
    let answers = answers(&received, "q");
    assert_eq!(answers.len(), 1, "{answers:?}");
    answers[0].clone()
}

fn with_dialogs() -> SessionBuilder {
    let options = QueryOptions::default().supported_dialog_kinds(vec!["pick".to_owned()]);
    Session::builder(options)
}

/// How a callback fails.
#[derive(Debug, Clone, Copy)]
enum Failure {
    Error,
    Panic,
    Timeout,
}

impl Failure {
    async fn happen<A>(self) -> Result<A, String> {
        match self {
            Self::Error => Err("it broke".to_owned()),
            Self::Panic => panic!("on purpose"),
            Self::Timeout => pending().await,
        }
    }

    /// What the log says.
    fn cause(self) -> &'static str {
        match self {
            Self::Error => "it broke",
            Self::Panic => "on purpose",
            Self::Timeout => "did not answer within",
        }
    }
}

const SHORT: Duration = Duration::from_millis(40);

fn about_hooks(event: &str) -> Value {
    let mut input = json!({"hook_event_name": event, "session_id": "s", "transcript_path": "/t",
        "cwd": "/c", "tool_name": "Bash", "tool_input": {}, "tool_use_id": "t"});
    let own = match event {
        "UserPromptSubmit" => json!({"prompt": "hi"}),
        "Stop" => json!({"stop_hook_active": false}),
        "PreSkillShellCommand" => json!({"tool_input": {"command": "true"}, "command_name": "c",
            "invoked_by": "user"}),
        "ElicitationResult" => json!({"mcp_server_name": "s", "action": "accept"}),
        "PreModelSwitch" => json!({"from_model": "a", "to_model": "b", "requested_model": null,
            "source": "sdk", "context_tokens": 0, "prompt_cache_warm": false, "cache_ttl": "5m",
            "estimated_cache_write_usd": 0, "pricing": "default"}),
        _ => json!({}),
    };
    input
        .as_object_mut()
        .unwrap()
        .extend(own.as_object().unwrap().clone());
    json!({"subtype": "hook_callback", "callback_id": "hook_0", "input": input})
}

fn about_permission() -> Value {
    json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "true"},
        "tool_use_id": "t"})
}

fn about_elicitation() -> Value {
    json!({"subtype": "elicitation", "mcp_server_name": "s", "message": "Which?"})
}

fn about_dialog() -> Value {
    json!({"subtype": "request_user_dialog", "dialog_kind": "pick", "payload": {"of": 2}})
}

/// Whether an answer is the one of the table.
type Safe = fn(&Value) -> bool;

/// A kind of callback: what is asked, who answers, what is safe.
struct Kind {
    name: &'static str,
    asked: Value,
    fails: fn(Failure) -> SessionBuilder,
    by_stream: fn() -> SessionBuilder,
    safe: Safe,
}

macro_rules! hook_kind {
    ($event:ident, $name:literal, $safe:expr) => {
        Kind {
            name: $name,
            asked: about_hooks($name),
            fails: |failure| {
                builder().hook::<$event>(HookFor::all().timeout(SHORT), move |_, _| {
                    failure.happen::<HookOutput>()
                })
            },
            by_stream: || builder().hook_request::<$event>(HookFor::all()),
            safe: $safe,
        }
    };
}

macro_rules! named_hook_kind {
    ($name:literal, $safe:expr) => {
        Kind {
            name: $name,
            asked: about_hooks($name),
            fails: |failure| {
                let what = HookFor::all().timeout(SHORT);
                builder().hook_named($name, what, move |_, _| failure.happen::<Json>())
            },
            by_stream: || builder().hook_request_named($name, HookFor::all()),
            safe: $safe,
        }
    };
}

fn kinds() -> Vec<Kind> {
    let denied: Safe =
        |answer| answer["response"]["hookSpecificOutput"]["permissionDecision"] == "deny";
    let nothing: Safe = |answer| answer["response"] == json!({});
    vec![
        Kind {
            name: "can_use_tool",
            asked: about_permission(),
            fails: |failure| {
                let builder = builder().callback_timeout(SHORT);
                builder.can_use_tool(move |_| failure.happen::<PermissionResult>())
            },
            by_stream: || builder().answer_requests(),
            safe: |answer| {
                answer["response"]["behavior"] == "deny" && answer["response"]["toolUseID"] == "t"
            },
        },
        hook_kind!(PreToolUse, "PreToolUse", denied),
        hook_kind!(PreModelSwitch, "PreModelSwitch", denied),
        hook_kind!(PreSkillShellCommand, "PreSkillShellCommand", denied),
        hook_kind!(Permission, "PermissionRequest", |answer| {
            answer["response"]["hookSpecificOutput"]["decision"]["behavior"] == "deny"
        }),
        hook_kind!(UserPromptSubmit, "UserPromptSubmit", |answer| {
            answer["response"]["decision"] == "block"
        }),
        hook_kind!(Stop, "Stop", nothing),
        hook_kind!(ElicitationResult, "ElicitationResult", nothing),
        named_hook_kind!("PreToolUse", denied),
        named_hook_kind!("PreSkillShellCommand", denied),
        named_hook_kind!("Stop", nothing),
        // The CLI blocks the action, because the matcher has `onFailure`.
        named_hook_kind!("BrandNewEvent", |answer| answer["subtype"] == "error"),
        Kind {
            name: "elicitation",
            asked: about_elicitation(),
            fails: |failure| {
                let builder = builder().callback_timeout(SHORT);
                builder.on_elicitation(move |_, _| failure.happen::<ElicitationResponse>())
            },
            by_stream: || builder().answer_requests(),
            safe: |answer| answer["response"] == json!({"action": "cancel"}),
        },
        Kind {
            name: "request_user_dialog",
            asked: about_dialog(),
            fails: |failure| {
                let builder = with_dialogs().callback_timeout(SHORT);
                builder.on_user_dialog(move |_, _| failure.happen::<UserDialogResponse>())
            },
            by_stream: || with_dialogs().answer_requests(),
            safe: |answer| answer["response"] == json!({"behavior": "cancelled"}),
        },
        Kind {
            name: "oauth_token_refresh",
            asked: json!({"subtype": "oauth_token_refresh", "token_state": "expired"}),
            fails: |failure| {
                let builder = builder().callback_timeout(SHORT);
                builder.on_oauth_token_refresh(move |_, _| failure.happen::<OauthToken>())
            },
            by_stream: || builder().answer_requests(),
            safe: |answer| answer["subtype"] == "error",
        },
    ]
}

#[tokio::test]
async fn whatever_fails_is_answered_by_the_table() {
    for kind in kinds() {
        for failure in [Failure::Error, Failure::Panic, Failure::Timeout] {
            let log = Log::new();
            let answer = answered((kind.fails)(failure), &kind.asked, |_| {}).await;
            assert!((kind.safe)(&answer), "{} {failure:?}: {answer}", kind.name);
            let log = log.text();
            assert!(
                log.contains(failure.cause()),
                "{} {failure:?}: {log}",
                kind.name
            );
            assert!(log.contains(kind.name), "{log}");
        }
        let log = Log::new();
        let answer = answered((kind.by_stream)(), &kind.asked, drop).await;
        assert!((kind.safe)(&answer), "{} dropped: {answer}", kind.name);
        assert!(log.text().contains("nobody answered"), "{}", log.text());
    }
}

/// Blocks the thread until a deadline of [`SHORT`] has passed. That is the fault of the callback: with one thread, nothing
/// else runs meanwhile, and nobody looks at the clock.
fn block_thread() {
    let begun = Instant::now();
    while begun.elapsed() <= 3 * SHORT {
        std::thread::sleep(SHORT);
    }
}

#[tokio::test(flavor = "current_thread")]
async fn an_allow_of_a_callback_that_blocked_the_only_thread_past_its_deadline_is_a_no() {
    let permission = builder().callback_timeout(SHORT).can_use_tool(async |_| {
        block_thread();
        PermissionResult::allow()
    });
    let log = Log::new();
    let answer = answered(permission, &about_permission(), |_| {}).await;
    assert_eq!(answer["response"]["behavior"], "deny", "{answer}");
    assert!(
        log.text().contains("did not answer within"),
        "{}",
        log.text()
    );

    let limit = HookFor::all().timeout(SHORT);
    let hook = builder().hook::<PreToolUse>(limit, async |_, _| {
        block_thread();
        let output = PreToolUseOutput::new().permission_decision(HookPermissionDecision::Allow);
        HookOutput::from(HookSpecificOutput::from(output))
    });
    let answer = answered(hook, &about_hooks("PreToolUse"), |_| {}).await;
    let decision = &answer["response"]["hookSpecificOutput"]["permissionDecision"];
    assert_eq!(decision, "deny", "{answer}");

    let elicitation = builder()
        .callback_timeout(SHORT)
        .on_elicitation(async |_, _| {
            block_thread();
            ElicitationResponse::new(ElicitationAction::Accept)
        });
    let answer = answered(elicitation, &about_elicitation(), |_| {}).await;
    assert_eq!(answer["response"], json!({"action": "cancel"}), "{answer}");
}

#[tokio::test]
async fn what_the_cli_writes_steers_no_log() {
    let script = asks_as("q\u{1b}[2J\u{9b}\nforged", &about_permission());
    let log = Log::new();
    let asking = builder().can_use_tool(|_| Failure::Panic.happen::<PermissionResult>());
    let (session, agent) = connect_as(asking, script).await;
    assert_eq!(soon(session.ask("Go")).await.unwrap(), "alive");
    soon(session.close()).await.unwrap();
    agent.received().await;
    let log = log.text();
    assert!(log.contains("forged"), "{log}");
    assert!(
        !log.contains(['\u{1b}', '\u{9b}']) && !log.contains("\nforged"),
        "{log:?}"
    );
}

#[tokio::test]
async fn nobody_reads_what_the_application_let_go_of() {
    let (session, agent) = connect_as(builder().answer_requests(), asks(&about_permission())).await;
    drop(session.requests().unwrap());
    assert!(session.requests().unwrap_err().is_taken());
    let result = soon(session.send("Go").await.unwrap().result()).await;
    assert_eq!(result.unwrap().text(), "alive");
    soon(session.close()).await.unwrap();
    let received = agent.received().await;
    assert_eq!(answers(&received, "q")[0]["response"]["behavior"], "deny");
    let (session, agent) = connect_as(builder(), Script::reply("fine")).await;
    assert!(session.requests().unwrap_err().is_taken());
    drop(session);
    agent.gone().await;
}

/// Answers as a person would.
fn answer(request: IncomingRequest) {
    fn accept<A>(responder: Responder<A>, answer: A) {
        assert_eq!(responder.context().request_id(), "q");
        responder.answer(answer);
    }
    match request {
        IncomingRequest::Permission(request, responder) => {
            assert_eq!(request.tool_name(), "Bash");
            accept(responder, PermissionResult::allow());
        }
        IncomingRequest::Hook(_, responder) => {
            let output = PreToolUseOutput::new();
            let output = output.permission_decision(HookPermissionDecision::Ask);
            let output = HookSpecificOutput::from(output);
            accept(responder, output.into());
        }
        IncomingRequest::Elicitation(request, responder) => {
            assert_eq!(request.message, "Which?");
            accept(
                responder,
                ElicitationResponse::new(ElicitationAction::Accept),
            );
        }
        IncomingRequest::Dialog(request, responder) => {
            let completed = DialogCompleted::new(request.payload);
            accept(responder, completed.into());
        }
        IncomingRequest::Other {
            body, responder, ..
        } => accept(responder, body),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn requests_are_answered_by_data() {
    let yes = answered(builder().answer_requests(), &about_permission(), answer).await;
    assert_eq!(yes["response"]["updatedInput"], json!({"command": "true"}));
    let hooks = builder().hook_request::<PreToolUse>("Bash");
    let ask = answered(hooks, &about_hooks("PreToolUse"), answer).await;
    assert_eq!(
        ask["response"]["hookSpecificOutput"]["permissionDecision"],
        "ask"
    );
    let accepted = answered(builder().answer_requests(), &about_elicitation(), answer).await;
    assert_eq!(accepted["response"], json!({"action": "accept"}));
    let shown = answered(with_dialogs().answer_requests(), &about_dialog(), answer).await;
    assert_eq!(
        shown["response"],
        json!({"behavior": "completed", "result": {"of": 2}})
    );
    let dance = json!({"subtype": "dance", "steps": 3});
    let danced = answered(builder().answer_requests(), &dance, answer).await;
    assert_eq!(danced["response"], dance);
}

#[tokio::test]
async fn closures_are_asked_before_the_application() {
    let builder = builder()
        .answer_requests()
        .on_elicitation(|_, _| async { ElicitationResponse::new(ElicitationAction::Decline) })
        .on_request("dance", |body, _| ready(body));
    let (session, agent) = connect_as(
        builder,
        Script::new([
            Step::Line(request("e", &about_elicitation())),
            Step::Line(request("d", &json!({"subtype": "dance"}))),
            Step::Line(request("p", &about_permission())),
        ]),
    )
    .await;
    let mut requests = session.requests().unwrap();
    let Some(IncomingRequest::Permission(_, responder)) = soon(requests.next()).await else {
        panic!("only the permission has no closure")
    };
    responder.fail("not here");
    soon(session.interrupt()).await.unwrap();
    soon(session.close()).await.unwrap();
    // The session is over, and so are its requests.
    assert!(soon(requests.next()).await.is_none());
    let received = agent.received().await;
    assert_eq!(
        answers(&received, "e")[0]["response"],
        json!({"action": "decline"})
    );
    assert_eq!(
        answers(&received, "d")[0]["response"],
        json!({"subtype": "dance"})
    );
    assert_eq!(
        answers(&received, "p")[0]["response"]["message"],
        "not here"
    );
}

#[tokio::test]
async fn a_hook_in_the_background_is_waited_for_by_nobody() {
    let (ends, mut ended) = mpsc::unbounded_channel();
    let (goes, go) = tokio::sync::watch::channel(false);
    let what = HookFor::matching("Bash").in_background();
    let builder = builder().hook::<PreToolUse>(what, move |input, context| {
        let (ends, mut go) = (ends.clone(), go.clone());
        async move {
            go.wait_for(|go| *go).await.unwrap();
            ends.send((input.tool_name, context.token().is_cancelled()))
                .unwrap();
            Err::<(), _>("nobody hears it")
        }
    });
    let (session, agent) = connect_as(builder, asks(&about_hooks("PreToolUse"))).await;
    // The turn comes behind the answer, which comes before the hook's end.
    let result = soon(session.send("Go").await.unwrap().result()).await;
    assert_eq!(result.unwrap().text(), "alive");
    goes.send(true).unwrap();
    assert_eq!(
        soon(ended.recv()).await.unwrap(),
        ("Bash".to_owned(), false)
    );
    soon(session.close()).await.unwrap();
    let received = agent.received().await;
    assert_eq!(
        answers(&received, "q")[0]["response"],
        json!({"async": true})
    );
}

#[tokio::test]
async fn a_hook_by_name_receives_and_returns_json_of_any_form() {
    // The first event is new. The second one is known, and has another form than claw knows.
    for (event, on_failure) in [("BrandNewEvent", json!("block")), ("Stop", Value::Null)] {
        let text = format!(
            r#"{{"new":{{"b":[1.50,null],"a":2}},"hook_event_name":"{event}","cwd":7,"stop_hook_active":"often"}}"#
        );
        let call = format!(
            r#"{{"subtype":"hook_callback","callback_id":"hook_0","tool_use_id":"t","input":{text}}}"#
        );
        let script = Script::new([
            Step::Text(format!(
                r#"{{"type":"control_request","request_id":"q","request":{call}}}"#
            )),
            serde_json::from_value(json!({"expect": {"type": "control_response"}})).unwrap(),
            Step::Turns(vec![Step::message([Block::text("alive")])]),
        ]);
        let output = json!({"hookSpecificOutput": {"hookEventName": event, "verdict": {"not": 1}},
            "brandNew": true});
        let (sender, mut inputs) = mpsc::unbounded_channel();
        let returned = output.clone();
        let what = HookFor::matching("Bash").timeout(Duration::from_secs(5));
        let builder = builder().hook_named(event, what, move |input: Json, _| {
            sender.send(input).unwrap();
            ready(returned.clone())
        });
        let (session, agent) = connect_as(builder, script).await;
        let result = soon(session.send("Go").await.unwrap().result()).await;
        assert_eq!(result.unwrap().text(), "alive");
        soon(session.close()).await.unwrap();
        let received = agent.received().await;
        let mut matcher = json!({"matcher": "Bash", "hookCallbackIds": ["hook_0"], "timeout": 5});
        if !on_failure.is_null() {
            matcher["onFailure"] = on_failure;
        }
        assert_eq!(received[0]["request"]["hooks"], json!({event: [matcher]}));
        assert_eq!(answers(&received, "q")[0]["response"], output);
        assert_eq!(inputs.try_recv().unwrap().as_raw(), text);
    }
}

#[tokio::test]
async fn a_hook_by_name_that_returns_no_output_of_its_event_has_failed() {
    for (output, reason) in [
        (json!("deny"), "not an object"),
        (Value::Null, "not an object"),
        (json!([]), "not an object"),
        (
            json!({"hookSpecificOutput": {"permissionDecision": "allow"}}),
            "no `hookEventName`",
        ),
        (json!({"hookSpecificOutput": null}), "no `hookEventName`"),
        (
            json!({"hookSpecificOutput": {"hookEventName": "Stop"}}),
            "is for Stop",
        ),
    ] {
        let log = Log::new();
        let returned = output.clone();
        let what = HookFor::all();
        let builder = builder().hook_named("PreToolUse", what, move |_, _| ready(returned.clone()));
        let answer = answered(builder, &about_hooks("PreToolUse"), |_| {}).await;
        let decision = &answer["response"]["hookSpecificOutput"]["permissionDecision"];
        assert_eq!(decision, "deny", "{output}: {answer}");
        assert!(log.text().contains(reason), "{output}: {}", log.text());
    }
    let setup = builder().hook_named("Setup", HookFor::all(), |_, _| ready(json!({})));
    let error = soon(setup.connect()).await.unwrap_err();
    assert!(error.is_hook_never_called(), "{error}");
}

#[tokio::test]
async fn a_hook_by_name_is_answered_as_data() {
    let log = Log::new();
    let hook = builder().hook_request_named("BrandNewEvent", "");
    let asked = about_hooks("BrandNewEvent");
    let answer = answered(hook, &asked, |request| {
        let IncomingRequest::Hook(call, responder) = request else {
            panic!("{request:?}");
        };
        let HookInput::Unknown(input) = call.input else {
            panic!("{call:?}");
        };
        assert_eq!(input.text("tool_name").as_deref(), Some("Bash"));
        let output = json!({"hookSpecificOutput": {"hookEventName": "BrandNewEvent", "x": 1}});
        responder.answer(serde_json::from_value(output).unwrap());
    });
    let answer = answer.await;
    assert_eq!(answer["response"]["hookSpecificOutput"]["x"], 1, "{answer}");
    assert_eq!(log.text(), "");
}

#[tokio::test]
async fn a_hook_may_say_itself_that_it_goes_on() {
    let builder = builder().hook::<Stop>(HookFor::all(), |_, _| ready(AsyncHookOutput::new()));
    let answer = answered(builder, &about_hooks("Stop"), |_| {}).await;
    assert_eq!(answer["response"], json!({"async": true}));
}

#[tokio::test]
async fn what_is_taken_back_cancels_its_token_and_gets_no_answer() {
    let script = Script::new([
        Step::Line(request("q", &about_permission())),
        Step::gate("asked"),
        Step::Line(json!({"type": "control_cancel_request", "request_id": "q"})),
    ]);
    let (session, agent) = connect_as(builder().answer_requests(), script).await;
    let mut requests = session.requests().unwrap();
    let request = soon(requests.next()).await.unwrap();
    assert!(!request.context().token().is_cancelled());
    let cancelled = request.context().cancelled();
    agent.gates.open("asked");
    soon(cancelled).await;
    drop(request);
    soon(session.interrupt()).await.unwrap();
    soon(session.close()).await.unwrap();
    assert!(answers(&agent.received().await, "q").is_empty());
}

#[tokio::test]
async fn a_callback_may_ask_the_session() {
    let builder = builder().hook::<Stop>(HookFor::all(), |_, context| async move {
        let session = context.session().ok_or("no session")?;
        session
            .interrupt()
            .await
            .map_err(|error| error.to_string())?;
        Ok::<_, String>(HookOutput::none())
    });
    let log = Log::new();
    answered(builder, &about_hooks("Stop"), |_| {}).await;
    assert_eq!(log.text(), "");
}

#[tokio::test]
async fn a_hook_that_is_never_called_starts_nothing() {
    let (pipe, agent) = crate::agent::Agent::start(Script::reply("fine"));
    let builder = builder().hook::<claw_client::hook::Setup>("", |_, _| async {});
    let error = soon(builder.transport(pipe).connect()).await.unwrap_err();
    assert!(error.is_hook_never_called(), "{error}");
    assert!(agent.received().await.is_empty());
}

#[tokio::test]
async fn tokens_are_given_and_not_shown() {
    let builder = builder().on_oauth_token_refresh(|asked: Json, _| async move {
        let state: String = asked.get("token_state").unwrap().parse().unwrap();
        OauthToken::new("s3cret").reason(state)
    });
    let asked = json!({"subtype": "oauth_token_refresh", "token_state": "expired"});
    let answer = answered(builder, &asked, |_| {}).await;
    assert_eq!(
        answer["response"],
        json!({"accessToken": "s3cret", "reason": "expired"})
    );
    assert!(!format!("{:?}", OauthToken::new("s3cret")).contains("s3cret"));
}
