//! What claw is for, on the CLI that it is pinned to and on the oldest that it takes: CI runs this
//! module once with each.

use claw_client::transport::{Recorder, Subprocess};
use claw_client::types::control::{GetBinaryVersion, PermissionResult};
use claw_client::types::message::UserMessage;
use claw_client::types::{Message, MessageUuid, StdinMessage, StdoutMessage, from_line};
use claw_client::{OLDEST_CLI, Session};
use claw_testkit::api::{Api, scenarios};
use futures::FutureExt;

use super::{cli::Cli, patience};
use crate::agent::{all, next, soon};

#[tokio::test]
async fn a_query_is_answered() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let mut messages = soon(claw_client::query("What is 2 + 2?", cli.options()))
        .await
        .unwrap();
    let (mut text, mut results) = (String::new(), 0);
    while let Some(message) = next(&mut messages).await.unwrap() {
        if let Message::Assistant(_) = message {
            text.push_str(&message.text());
        }
        results += usize::from(message.is_result());
    }
    assert_eq!((text.as_str(), results), ("Two and two make 4.", 1));
    assert!(messages.session().process().exit().unwrap().is_success());
}

#[tokio::test]
async fn a_tool_is_used_as_the_callback_decides() {
    let allow: fn() -> PermissionResult = PermissionResult::allow;
    let deny: fn() -> PermissionResult = || PermissionResult::deny("not today");
    for (decide, denials) in [(allow, 0), (deny, 1)] {
        let api = Api::start(scenarios::write()).await.unwrap();
        let cli = Cli::new(&api);
        let builder = Session::builder(cli.options()).can_use_tool(move |request| async move {
            assert_eq!(request.tool_name(), "Write");
            decide()
        });
        let session = soon(builder.connect()).await.unwrap();
        let turn = session.send(scenarios::write().prompt).await.unwrap();
        let messages = all(turn).await.unwrap();
        let Some(Message::ResultSuccess(result)) = messages.last() else {
            panic!("{messages:?}")
        };
        assert_eq!(result.permission_denials.len(), denials);
        let results: Vec<_> = messages.iter().flat_map(Message::tool_results).collect();
        assert_eq!(results.len(), 1);
        assert_eq!(
            results[0].is_error.unwrap_or(false),
            denials == 1,
            "{results:?}"
        );
        assert!(
            soon(session.close_with(patience()))
                .await
                .unwrap()
                .is_success()
        );
    }
}

#[tokio::test]
async fn an_interrupt_leaves_the_session() {
    let api = Api::start(scenarios::slow()).await.unwrap();
    let cli = Cli::new(&api);
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    let turn = session.send("Count").await.unwrap();
    api.gates().open("first");
    soon(api.gates().reached("half")).await;
    soon(session.interrupt()).await.unwrap();
    assert!(soon(turn.result()).await.unwrap().is_error());
    for gate in ["half", "end"] {
        api.gates().open(gate);
    }
    assert!(
        !soon(session.send("Again").await.unwrap().result())
            .await
            .unwrap()
            .is_error()
    );
    // The exit code tells of the last result.
    assert!(
        soon(session.close_with(patience()))
            .await
            .unwrap()
            .is_success()
    );
}

#[tokio::test]
async fn a_refused_key_is_an_error_result() {
    let api = Api::start(scenarios::unauthorized()).await.unwrap();
    let cli = Cli::new(&api);
    let messages = soon(claw_client::query("Hi", cli.options())).await.unwrap();
    let messages = all(messages).await.unwrap();
    let result = messages.iter().find(|message| message.is_result()).unwrap();
    let Message::ResultSuccess(result) = result else {
        panic!("{result:?}")
    };
    assert!(result.is_error);
    assert_eq!(result.api_error_status.value().unwrap().as_u64(), Some(401));
}

#[tokio::test]
async fn a_command_of_the_clis_own_is_a_turn_too() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    for prompt in ["/context", "/clear", "What is 2 + 2?", "/no-such-command"] {
        let result = soon(session.send(prompt).await.unwrap().result()).await;
        assert!(!result.unwrap().is_error(), "{prompt}");
    }
    assert!(
        soon(session.close_with(patience()))
            .await
            .unwrap()
            .is_success()
    );
}

#[tokio::test]
async fn every_line_is_typed_and_nothing_of_it_is_lost() {
    for scenario in [scenarios::text(), scenarios::thinking(), scenarios::bash()] {
        let prompt = scenario.prompt.clone();
        let api = Api::start(scenario).await.unwrap();
        let cli = Cli::new(&api);
        let (stdout, stdin) = (cli.folder().join("stdout"), cli.folder().join("stdin"));
        let options = cli.options();
        let transport = Subprocess::new(&options).permission_prompts(true);
        let transport = Recorder::create(transport, &stdout, &stdin).unwrap();
        let builder = Session::builder(options);
        let builder = builder.can_use_tool(|_| async { PermissionResult::allow() });
        let session = soon(builder.transport(transport).connect()).await.unwrap();
        soon(session.send(prompt).await.unwrap().result())
            .await
            .unwrap();
        soon(session.close_with(patience())).await.unwrap();
        let mut lines = 0;
        for line in std::fs::read_to_string(&stdout).unwrap().lines() {
            let read: StdoutMessage = from_line(line.as_bytes()).unwrap();
            assert!(!read.is_unknown(), "{line}");
            let written = serde_json::to_string(&read).unwrap();
            assert!(
                claw_client::types::json_equal(&written, line),
                "{written}\n{line}"
            );
            lines += 1;
        }
        for line in std::fs::read_to_string(&stdin).unwrap().lines() {
            let read: StdinMessage = from_line(line.as_bytes()).unwrap();
            assert!(!read.is_unknown(), "{line}");
            lines += 1;
        }
        assert!(lines > 10, "{lines}");
    }
}

/// The pinned version resumes a session of another directory. The oldest does not: then the error says
/// where the session is, and from there it is resumed.
#[tokio::test]
async fn a_session_of_another_directory_is_resumed_or_its_place_is_named() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let begun = soon(claw_client::query("What is 2 + 2?", cli.options())).await;
    let messages = all(begun.unwrap()).await.unwrap();
    let init = messages.iter().find_map(|message| match message {
        Message::SystemInit(init) => {
            Some((init.session_id.clone(), init.claude_code_version.clone()))
        }
        _ => None,
    });
    let (session, version) = init.unwrap();

    let elsewhere = cli.folder().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let options = cli.options().resume(session.clone());
    let resumed = soon(Session::builder(options.clone().cwd(elsewhere)).connect()).await;
    let resumed = match resumed {
        Ok(resumed) => {
            assert_ne!(version, OLDEST_CLI);
            resumed
        }
        Err(error) => {
            assert_eq!(version, OLDEST_CLI, "{error}");
            assert!(error.is_exited());
            let found = error
                .session_not_found()
                .unwrap_or_else(|| panic!("{error}"));
            assert_eq!(found.id, session.to_string());
            assert_eq!(found.cwd, Some(cli.folder().join("work")));
            assert!(
                found.file.as_ref().is_some_and(|file| file.is_file()),
                "{error}"
            );
            soon(Session::builder(options).connect()).await.unwrap()
        }
    };
    let turn = resumed.send("Again").await.unwrap();
    let result = soon(turn.result()).await.unwrap();
    assert_eq!(result.session_id(), &session);
    soon(resumed.close_with(patience())).await.unwrap();
}

/// A CLI drops a prompt whose uuid it has seen. One that says when it is idle settles it; the oldest
/// says nothing at all, and goes on.
#[tokio::test]
async fn a_prompt_that_was_sent_before_is_not_answered_again() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    let prompt = UserMessage::prompt("What is 2 + 2?").uuid(MessageUuid::random());
    let answer = soon(session.ask(prompt.clone())).await.unwrap();
    assert_eq!(answer, "Two and two make 4.");
    let asked = || {
        let requests = api.requests();
        let messages = requests
            .iter()
            .filter(|one| one.path.starts_with("/v1/messages"));
        messages.count()
    };
    let before = asked();
    let mut again = session.send(prompt).await.unwrap().result().boxed();
    // It has read the prompt when it has answered what was written later.
    drop(soon(session.call(GetBinaryVersion::new())).await);
    let says_its_version = session
        .info()
        .is_some_and(|info| info.claude_code_version.is_some());
    if says_its_version {
        let error = soon(&mut again).await.unwrap_err();
        assert!(error.is_result_lost(), "{error}");
        let answer = soon(session.ask("What is 2 + 2?")).await.unwrap();
        assert_eq!(answer, "Two and two make 4.");
        assert!(asked() > before);
    } else {
        assert!(futures::poll!(&mut again).is_pending());
        assert_eq!(asked(), before);
    }
    soon(session.close_with(patience())).await.unwrap();
}
