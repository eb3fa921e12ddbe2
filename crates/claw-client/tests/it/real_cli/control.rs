//! What a host does to a running session, and what comes of it.

use std::path::Path;

use claw_client::types::Message;
use claw_client::types::control::{Interrupt, PermissionResult, RewindFiles};
use claw_client::types::message::UserMessage;
use claw_client::types::options::PermissionMode;
use claw_client::{Messages, Session};
use claw_testkit::api::{Api, scenarios};
use serde_json::json;

use super::decisions::{says, scenario, uses};
use super::{cli::Cli, patience};
use crate::agent::{next, soon};
use crate::proc::come_true;

async fn connect(cli: &Cli) -> Session {
    soon(Session::builder(cli.options()).connect())
        .await
        .unwrap()
}

#[tokio::test]
async fn an_interrupt_names_what_still_waits() {
    for cancel in [false, true] {
        let api = Api::start(scenarios::slow()).await.unwrap();
        let cli = Cli::new(&api);
        let session = connect(&cli).await;
        let running = session.send("Count").await.unwrap();
        api.gates().open("first");
        soon(api.gates().reached("half")).await;
        let prompt = UserMessage::prompt("And this").priority("later");
        let id = prompt.uuid.clone().unwrap();
        let waiting = session.send(prompt).await.unwrap();
        let receipt = if cancel {
            soon(session.call(Interrupt::new().cancel_queued(true))).await
        } else {
            soon(session.interrupt()).await
        };
        let receipt = receipt.unwrap().unwrap();
        assert!(soon(running.result()).await.unwrap().is_error());
        for gate in ["half", "end"] {
            api.gates().open(gate);
        }
        if cancel {
            assert_eq!(receipt.cancelled.as_deref(), Some(&[id][..]), "{receipt:?}");
            let error = soon(waiting.result()).await.unwrap_err();
            assert!(error.is_result_lost(), "{error}");
        } else {
            assert_eq!(receipt.still_queued, [id], "{receipt:?}");
            assert!(!soon(waiting.result()).await.unwrap().is_error());
        }
        soon(session.close_with(patience())).await.unwrap();
    }
}

#[tokio::test]
async fn another_model_answers() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let session = connect(&cli).await;
    for model in ["claude-haiku-4-5", "claude-opus-4-5"] {
        let changed = soon(session.set_model(model)).await.unwrap().unwrap();
        assert!(changed.model.contains(model), "{changed:?}");
        soon(session.ask("Who are you?")).await.unwrap();
        let requests = api.requests();
        let last = requests
            .iter()
            .rfind(|request| request.is_message())
            .unwrap();
        assert!(
            last.body["model"].as_str().unwrap().contains(model),
            "{}",
            last.body["model"]
        );
    }
    let thinking = soon(session.set_max_thinking_tokens(Some(3000))).await;
    assert_eq!(thinking.unwrap(), None);
    soon(session.close_with(patience())).await.unwrap();
}

#[tokio::test]
async fn another_mode_asks_for_less() {
    let folder = tempfile::tempdir().unwrap();
    let api = Api::start(scenario(&json!([
        {"when": {"tool_result": ""}, "answer": says("Done.")},
        {"answer": uses("Write", &json!({"file_path": folder.path().join("work/a.txt"), "content": "a\n"}))}
    ])))
    .await
    .unwrap();
    let cli = Cli::in_folder(&api, folder.path());
    let builder =
        Session::builder(cli.options()).can_use_tool(|_| async { PermissionResult::deny("no") });
    let session = soon(builder.connect()).await.unwrap();
    let written = folder.path().join("work/a.txt");
    soon(session.ask("Write")).await.unwrap();
    assert!(!written.exists());
    let mode = soon(session.set_permission_mode(PermissionMode::AcceptEdits)).await;
    assert_eq!(
        mode.unwrap().unwrap().mode,
        Some(PermissionMode::AcceptEdits)
    );
    soon(session.ask("Write")).await.unwrap();
    assert!(written.exists());
    soon(session.close_with(patience())).await.unwrap();
}

#[tokio::test]
async fn a_file_is_brought_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("work/a.txt");
    let api = Api::start(scenario(&json!([
        {"when": {"tool_result": ""}, "answer": says("Written.")},
        {"answer": uses("Write", &json!({"file_path": file, "content": "new\n"}))}
    ])))
    .await
    .unwrap();
    let cli = Cli::in_folder(&api, folder.path());
    let options = cli.options().enable_file_checkpointing(true);
    let options = options.permission_mode(PermissionMode::AcceptEdits);
    let session = soon(Session::builder(options).connect()).await.unwrap();
    let prompt = UserMessage::prompt("Write it.");
    let id = prompt.uuid.clone().unwrap();
    soon(session.send(prompt).await.unwrap().result())
        .await
        .unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "new\n");
    let dry = RewindFiles::new(id.clone()).dry_run(true);
    let dry = soon(session.call(dry)).await.unwrap();
    let changed = dry.files_changed.unwrap();
    assert!(dry.can_rewind && changed.len() == 1, "{changed:?}");
    assert!(Path::new(&changed[0]).ends_with("a.txt"), "{changed:?}");
    assert!(file.exists());
    assert!(soon(session.rewind_files(id)).await.unwrap().can_rewind);
    assert!(!file.exists());
    soon(session.close_with(patience())).await.unwrap();
}

#[tokio::test]
async fn a_session_says_how_it_is() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let session = connect(&cli).await;
    soon(session.ask("What is 2 + 2?")).await.unwrap();
    let usage = soon(session.context_usage()).await.unwrap();
    assert!(usage.total_tokens.get() > 0 && usage.max_tokens.get() > usage.total_tokens.get());
    assert!(
        !usage.categories.is_empty() && usage.api_usage.is_some(),
        "{usage:?}"
    );
    assert!(
        soon(session.mcp_status())
            .await
            .unwrap()
            .mcp_servers
            .is_empty()
    );
    let info = session.info().unwrap();
    assert!(!info.commands.is_empty() && !info.models.is_empty());
    assert!(!soon(session.list_models()).await.unwrap().models.is_empty());
    let settings = soon(session.settings()).await.unwrap();
    assert!(
        !settings.sources.is_empty() || settings.applied.is_some(),
        "{settings:?}"
    );
    std::fs::write(cli.folder().join("work/notes.txt"), "hello").unwrap();
    let file = soon(session.read_file("notes.txt")).await.unwrap();
    assert_eq!(file.contents, "hello");
    let error = soon(session.read_file("nowhere.txt")).await.unwrap_err();
    assert!(error.is_refused(), "{error}");
    assert!(
        soon(session.export_conversation())
            .await
            .unwrap()
            .text
            .contains("Two and two")
    );
    soon(session.rename_session("A sum")).await.unwrap();
    soon(session.close_with(patience())).await.unwrap();
}

/// What the official SDK has functions for, the CLI says itself: which settings are in effect, which mode it begins in, and
/// which models it offers.
#[tokio::test]
async fn settings_are_in_effect_as_the_cli_says() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    for (file, settings) in [
        (
            "home/.claude/settings.json",
            json!({"model": "opus", "env": {"A": "1", "B": "2"},
                "permissions": {"allow": ["Bash(ls)"], "defaultMode": "plan"}}),
        ),
        (
            "work/.claude/settings.json",
            json!({"model": "sonnet", "env": {"B": "3"},
                "permissions": {"allow": ["Bash(cat)"], "defaultMode": "acceptEdits"}}),
        ),
        (
            "work/.claude/settings.local.json",
            json!({"env": {"C": "4"}}),
        ),
    ] {
        let file = cli.folder().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, settings.to_string()).unwrap();
    }
    let offers_haiku = |session: &Session| {
        let models = &session.info().unwrap().models;
        models.iter().any(|model| model.value.contains("haiku"))
    };
    let session = connect(&cli).await;
    assert!(offers_haiku(&session));
    soon(session.close_with(patience())).await.unwrap();

    let managed = json!({"deniedModels": ["haiku"], "permissions": {"deny": ["Bash(rm)"]}});
    let options = cli.options().managed_settings(managed);
    let session = soon(Session::builder(options).connect()).await.unwrap();
    assert!(!offers_haiku(&session));
    let mode = session.info().unwrap().current_permission_mode.clone();
    assert_eq!(mode, Some(PermissionMode::AcceptEdits));
    let settings = soon(session.settings()).await.unwrap();
    assert_eq!(
        serde_json::to_value(&settings.effective).unwrap(),
        json!({
            "model": "sonnet", "env": {"A": "1", "B": "3", "C": "4"}, "deniedModels": ["haiku"],
            "permissions": {"allow": ["Bash(ls)", "Bash(cat)"], "deny": ["Bash(rm)"],
                "defaultMode": "acceptEdits"},
        })
    );
    let sources: Vec<_> = settings
        .sources
        .iter()
        .map(|of| of.source.as_str())
        .collect();
    assert_eq!(
        sources,
        [
            "userSettings",
            "projectSettings",
            "localSettings",
            "policySettings"
        ]
    );
    soon(session.close_with(patience())).await.unwrap();
}

/// Something that the model has running in the background.
struct Background {
    api: Api,
    folder: tempfile::TempDir,
    is_shell: bool,
}

impl Background {
    /// A shell, or an agent. Claude Code has Bash on Windows only where Git Bash is.
    async fn all() -> Vec<Self> {
        let mut all = vec![Self::start(false).await];
        if cfg!(unix) {
            all.push(Self::start(true).await);
        }
        all
    }

    async fn start(is_shell: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = |name| folder.path().join(name).display().to_string();
        let call = if is_shell {
            let (runs, go) = (file("runs"), file("go"));
            let command =
                format!("echo > {runs}; until [ -e {go} ]; do sleep 0.05; done; echo over");
            uses(
                "Bash",
                &json!({"command": command, "description": "Wait", "run_in_background": true}),
            )
        } else {
            uses(
                "Agent",
                &json!({"description": "Wait", "prompt": "Wait for it.", "subagent_type": "general-purpose", "run_in_background": true}),
            )
        };
        let waits =
            json!({"type": "text", "text": "It is over", "hold": [{"before": 2, "gate": "go"}]});
        let api = Api::start(scenario(&json!([
            {"when": {"prompt": "Wait for it"}, "answer": {"message": [waits]}},
            {"when": {"reminder": "task-notification"}, "answer": says("It has ended.")},
            {"when": {"tool_result": ""}, "answer": says("It runs.")},
            {"answer": call}
        ])));
        Self {
            api: api.await.unwrap(),
            folder,
            is_shell,
        }
    }

    async fn runs(&self) {
        if self.is_shell {
            let file = self.folder.path().join("runs");
            come_true("the shell", || file.exists()).await;
        } else {
            soon(self.api.gates().reached("go")).await;
        }
    }

    fn let_go(&self) {
        if self.is_shell {
            std::fs::write(self.folder.path().join("go"), "").unwrap();
        } else {
            self.api.gates().open("go");
        }
    }

    /// A session in which it runs, and what the session tells.
    async fn session(&self, cli: &Cli) -> (Session, Messages) {
        let builder =
            Session::builder(cli.options()).can_use_tool(|_| async { PermissionResult::allow() });
        let session = soon(builder.connect()).await.unwrap();
        let messages = session.messages().unwrap();
        assert_eq!(soon(session.ask("Run it.")).await.unwrap(), "It runs.");
        self.runs().await;
        (session, messages)
    }
}

/// What goes on after the result is told of when it ends, and the model hears of it in a turn that nobody prompted.
#[tokio::test]
async fn what_runs_in_the_background_ends_after_the_result() {
    for background in Background::all().await {
        let cli = Cli::new(&background.api);
        let (session, mut messages) = background.session(&cli).await;
        background.let_go();
        let (mut started, mut ended, mut results) = (None, None, Vec::new());
        while results.len() < 2 {
            let message = next(&mut messages).await.unwrap().unwrap();
            match &message {
                Message::TaskStarted(task) => started = Some(task.task_id.clone()),
                Message::TaskNotification(task) => {
                    ended = Some((task.task_id.clone(), results.len()));
                }
                Message::ResultSuccess(result) => results.push(result.result.clone()),
                _ => {}
            }
        }
        assert_eq!(results, ["It runs.", "It has ended."]);
        let started = started.unwrap();
        // Between the two.
        assert_eq!(ended, Some((started.clone(), 1)));
        if background.is_shell {
            let output = soon(session.task_output(started)).await.unwrap();
            assert!(output.output.contains("over"), "{output:?}");
        }
        soon(session.close_with(patience())).await.unwrap();
    }
}

#[tokio::test]
async fn a_task_is_stopped() {
    for background in Background::all().await {
        let cli = Cli::new(&background.api);
        let (session, mut messages) = background.session(&cli).await;
        let task = loop {
            if let Message::TaskStarted(started) = next(&mut messages).await.unwrap().unwrap() {
                break started.task_id.clone();
            }
        };
        soon(session.stop_task(task.clone())).await.unwrap();
        loop {
            if let Message::TaskNotification(ended) = next(&mut messages).await.unwrap().unwrap() {
                assert_eq!((&ended.task_id, ended.status.as_str()), (&task, "stopped"));
                break;
            }
        }
        background.let_go();
        soon(session.close_with(patience())).await.unwrap();
    }
}
