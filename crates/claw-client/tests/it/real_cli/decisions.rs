//! What people decide: plans, what MCP servers ask them, what need not be asked again.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use claw_client::types::Message;
use claw_client::types::control::{
    ElicitationResponse, PermissionAllow, PermissionResult, PermissionUpdate,
};
use claw_client::types::hook::ElicitationAction;
use claw_client::types::options::{McpServerConfig, PermissionMode};
use claw_client::types::{Json, Map, QueryOptions};
use claw_client::{Session, SessionBuilder, ToolPermissionRequest, hook};
use claw_testkit::api::{Api, Scenario};
use claw_testkit::processes;
use serde_json::{Value, json};

use super::{cli::Cli, patience};
use crate::agent::{next, soon};

/// A conversation by these rules.
pub(super) fn scenario(rules: &Value) -> Scenario {
    serde_json::from_value(json!({"name": "decisions", "rules": rules})).unwrap()
}

/// The model uses a tool.
pub(super) fn uses(tool: &str, input: &Value) -> Value {
    json!({"message": [{"type": "tool_use", "name": tool, "input": input}]})
}

/// The model writes a file outside of the working directory, which needs a permission in the mode `acceptEdits` as well.
pub(super) fn writes_outside(folder: &Path) -> Value {
    let file = folder.join("outside.txt");
    uses("Write", &json!({"file_path": file, "content": "here\n"}))
}

pub(super) fn says(text: &str) -> Value {
    json!({"message": [{"type": "text", "text": text}]})
}

/// One turn: what it says at its end.
async fn answer(
    rules: &Value,
    options: impl FnOnce(QueryOptions) -> QueryOptions,
    build: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> String {
    let api = Api::start(scenario(rules)).await.unwrap();
    let cli = Cli::new(&api);
    let builder = build(Session::builder(options(cli.options())));
    let session = soon(builder.connect()).await.unwrap();
    let text = soon(session.ask("Go")).await.unwrap();
    soon(session.close_with(patience())).await.unwrap();
    text
}

/// Where the model is told to write its plan.
fn plan_file(api: &Api) -> std::path::PathBuf {
    let requests = api.requests();
    let mut bodies = requests.iter().map(|request| request.body.to_string());
    let told = bodies.find_map(|body| {
        let (_, path) = body.split_once("create your plan at ")?;
        Some(path.split_once(' ')?.0.into())
    });
    told.unwrap()
}

#[tokio::test]
async fn a_plan_is_refused_then_approved() {
    let rules = json!([
        {"when": {"prompt": "Think"}, "answer": says("I have thought.")},
        {"when": {"tool_result": "approved"}, "answer": says("The plan is made.")},
        {"answer": uses("ExitPlanMode", &json!({}))}
    ]);
    let api = Api::start(scenario(&rules)).await.unwrap();
    let cli = Cli::new(&api);
    let plans = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&plans);
    let decide = move |request: ToolPermissionRequest| {
        let asked = request.plan().unwrap();
        assert!(request.questions().is_none());
        let plan = asked.plan.unwrap();
        seen.lock().unwrap().push(plan.clone());
        async move {
            if plan.contains("Test") {
                return PermissionResult::approve_plan();
            }
            // As the model would write it, told what to change.
            std::fs::write(
                asked.plan_file_path.unwrap(),
                format!("{plan}\n2. Test it."),
            )
            .unwrap();
            PermissionResult::deny("Test it too.")
        }
    };
    let options = cli.options().permission_mode(PermissionMode::Plan);
    let session = soon(Session::builder(options).can_use_tool(decide).connect())
        .await
        .unwrap();
    soon(session.ask("Think.")).await.unwrap();
    let file = plan_file(&api);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "1. Write it.").unwrap();
    let plan = soon(session.plan()).await.unwrap();
    assert_eq!(plan.content.as_deref(), Some("1. Write it."));
    let mut turn = session.send("Plan.").await.unwrap();
    let mut modes = Vec::new();
    while let Some(message) = next(&mut turn).await.unwrap() {
        if let Message::Status(status) = &message {
            modes.extend(status.permission_mode.clone());
        }
    }
    assert_eq!(
        plans.lock().unwrap()[..],
        ["1. Write it.", "1. Write it.\n2. Test it."]
    );
    // Approved, it is carried out: the mode is another one.
    assert!(
        modes.iter().any(|mode| *mode != PermissionMode::Plan),
        "{modes:?}"
    );
    // What was refused, the model was told why.
    let requests = api.requests();
    let told = |words| {
        requests
            .iter()
            .any(|request| request.body.to_string().contains(words))
    };
    assert!(told("Test it too."));
    soon(session.close_with(patience())).await.unwrap();
}

#[tokio::test]
async fn a_server_asks_the_user() {
    type Answer = fn() -> Result<ElicitationResponse, String>;
    let accept: Answer = || {
        let answer = ElicitationResponse::new(ElicitationAction::Accept);
        Ok(answer.content(Json::from(json!({"name": "Ada"}))))
    };
    let decline: Answer = || Ok(ElicitationResponse::new(ElicitationAction::Decline));
    let fail: Answer = || Err("nobody is there".to_owned());
    let cases = [
        (Some(accept), "accept:Ada"),
        (Some(decline), "decline:"),
        // As the table says: who fails has turned away, and where nobody is, it is declined.
        (Some(fail), "cancel:"),
        (None, "decline:"),
    ];
    for (answered, expected) in cases {
        let rules = json!([
            {"when": {"tool_result": expected}, "answer": says(expected)},
            {"when": {"tool_result": ""}, "answer": says("something else")},
            {"answer": uses("mcp__asking__ask", &json!({}))}
        ]);
        let with_server = |options: QueryOptions| {
            let program = processes::program().unwrap().display().to_string();
            let server = McpServerConfig::stdio(program, ["mcp-asking"]);
            let servers: Map<_> = [("asking", server)].into_iter().collect();
            options
                .mcp_servers(servers)
                .allowed_tools(vec!["mcp__asking__ask".to_owned()])
        };
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (asks, answers) = (Arc::clone(&heard), Arc::clone(&heard));
        let hooked = |builder: SessionBuilder| {
            let builder = builder.hook::<hook::Elicitation>("", move |_, _| {
                asks.lock().unwrap().push("asked");
                async {}
            });
            builder.hook::<hook::ElicitationResult>("", move |_, _| {
                answers.lock().unwrap().push("answered");
                async {}
            })
        };
        let text = answer(&rules, with_server, |builder| match answered {
            None => hooked(builder),
            Some(answer) => hooked(builder).on_elicitation(move |asked, _| async move {
                assert_eq!(
                    (&*asked.mcp_server_name, &*asked.message),
                    ("asking", "Which name?")
                );
                let schema = asked.requested_schema.unwrap().to_value().unwrap();
                assert_eq!(schema["required"], json!(["name"]));
                answer()
            }),
        })
        .await;
        assert_eq!(text, expected);
        assert_eq!(heard.lock().unwrap()[..], ["asked", "answered"]);
    }
}

/// The mode that the CLI suggests holds for the rest of the session; without it, it asks again.
#[tokio::test]
async fn what_is_allowed_for_the_session_is_not_asked_again() {
    let write = |name: &str| uses("Write", &json!({"file_path": name, "content": "words\n"}));
    let rules = json!([
        {"when": {"tool_result": ""}, "times": 1, "answer": write("two")},
        {"when": {"tool_result": ""}, "answer": says("Both.")},
        {"answer": write("one")}
    ]);
    for (for_session, times) in [(true, 1), (false, 2)] {
        let asked = Arc::new(Mutex::new(BTreeMap::new()));
        let count = Arc::clone(&asked);
        let text = answer(
            &rules,
            |options| options,
            |builder| {
                builder.can_use_tool(move |request: ToolPermissionRequest| {
                    *count
                        .lock()
                        .unwrap()
                        .entry(request.tool_name().to_owned())
                        .or_insert(0) += 1;
                    async move {
                        if for_session {
                            request.allow_for_session()
                        } else {
                            PermissionResult::allow()
                        }
                    }
                })
            },
        )
        .await;
        assert_eq!(text, "Both.");
        assert_eq!(asked.lock().unwrap()["Write"], times, "{for_session}");
    }
}

/// One's own updates, of each kind that takes effect at once.
#[tokio::test]
async fn updates_of_ones_own_hold() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("outside.txt");
    let write = uses("Write", &json!({"file_path": file, "content": "here\n"}));
    let rules = json!([
        {"when": {"tool_result": "outside.txt"}, "answer": says("Written.")},
        {"when": {"tool_result": "first"}, "answer": write},
        {"answer": uses("Write", &json!({"file_path": "first", "content": "here\n"}))}
    ]);
    let updates = json!([
        {"type": "addDirectories", "directories": [folder.path()], "destination": "session"},
        {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
    ]);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    let text = answer(
        &rules,
        |options| options,
        |builder| {
            builder.can_use_tool(move |request: ToolPermissionRequest| {
                noted.lock().unwrap().push(request.tool_name().to_owned());
                let updates: Vec<PermissionUpdate> =
                    serde_json::from_value(updates.clone()).unwrap();
                async move {
                    PermissionResult::from(PermissionAllow::new().updated_permissions(updates))
                }
            })
        },
    )
    .await;
    assert_eq!(text, "Written.");
    assert_eq!(asked.lock().unwrap()[..], ["Write"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "here\n");
}
