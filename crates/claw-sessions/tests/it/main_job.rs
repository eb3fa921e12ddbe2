//! The real CLI goes on with what claw has written. It runs against the scripted Messages API.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use claw_client::types::{Map, Message, QueryOptions};
use claw_sessions::{Session, Sessions};
use claw_testkit::api::{Api, scenarios};
use futures::TryStreamExt as _;
use serde_json::Value;
use tempfile::TempDir;

use crate::folder::{read, values};

/// A home for one CLI, and its API.
struct Cli {
    folder: TempDir,
    api: Api,
}

async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_mins(1), future)
        .await
        .expect("took over a minute")
}

impl Cli {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "work"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let api = Api::start(scenarios::text()).await.unwrap();
        Self { folder, api }
    }

    fn options(&self) -> QueryOptions {
        let mut env = Map::default();
        for (name, value) in self.api.env() {
            env.insert(name, Some(value));
        }
        let home = self.folder.path().join("home");
        for name in ["HOME", "USERPROFILE"] {
            env.insert(name, Some(home.display().to_string()));
        }
        QueryOptions::default()
            .env(env)
            .cwd(self.work())
            .path_to_claude_code_executable(claw_testkit::claude().unwrap())
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn sessions(&self) -> Sessions {
        Sessions::new(self.folder.path().join("home/.claude"))
    }

    fn find(&self, id: &str) -> Session {
        self.sessions().find_in(&self.work(), id).unwrap()
    }

    /// The CLI gives a result before it has written down what led to it.
    async fn appears(&self, id: &str) -> Session {
        let (sessions, work, id) = (self.sessions(), self.work(), id.to_owned());
        let look = tokio::task::spawn_blocking(move || {
            let mut watching = sessions.watch().run();
            loop {
                if let Ok(session) = sessions.find_in(&work, &id) {
                    return session;
                }
                let change = watching.next(Duration::from_mins(1));
                change.expect("the transcript is written");
            }
        });
        soon(look).await.unwrap()
    }

    /// Asks something, in a new session or one that is resumed.
    async fn ask(&self, prompt: &str, resumed: Option<&Session>) -> Session {
        let mut options = self.options();
        if let Some(session) = resumed {
            options = options.resume(session.id().as_str());
        }
        let query = soon(claw_client::query(prompt, options)).await.unwrap();
        let messages: Vec<_> = soon(query.try_collect()).await.unwrap();
        let id = messages
            .iter()
            .find_map(|message| match message.message()? {
                Message::ResultSuccess(result) => Some(result.session_id.to_string()),
                _ => None,
            });
        let session = self.find(&id.unwrap_or_else(|| panic!("{messages:?}")));
        if let Some(resumed) = resumed {
            assert_eq!(session.id(), resumed.id());
        }
        session
    }

    /// What the model was told in the last request that has this prompt, and what it had said.
    fn told(&self, prompt: &str) -> String {
        let requests = self.api.requests();
        let request = requests
            .iter()
            .rfind(|it| it.is_message() && it.conversation().prompt.contains(prompt));
        request
            .unwrap_or_else(|| panic!("no request with {prompt}"))
            .body["messages"]
            .to_string()
    }
}

/// What a fork may have otherwise than its source.
const CHANGED: [&str; 16] = [
    "uuid",
    "parentUuid",
    "logicalParentUuid",
    "sessionId",
    "timestamp",
    "isSidechain",
    "forkedFrom",
    "requestSessionId",
    "teamName",
    "agentName",
    "sessionKind",
    "slug",
    "sourceToolAssistantUUID",
    "summarizedTurnPromptUuids",
    "sentAsUuid",
    "turnAttributionKey",
];

/// The fork's lines are those of the source, in order, but for what has to differ.
fn is_lossless(source: &Session, fork: &Session, up_to: Option<&str>) {
    let mut lines: Vec<_> = values(source)
        .into_iter()
        .filter(|line| {
            let kind = line["type"].as_str().unwrap();
            ["user", "assistant", "attachment", "system"].contains(&kind)
                && line["isSidechain"] != true
        })
        .collect();
    if let Some(last) = up_to {
        let end = lines.iter().position(|line| line["uuid"] == last).unwrap();
        lines.truncate(end + 1);
    }
    let copies: Vec<_> = values(fork)
        .into_iter()
        .filter(|line| line.get("forkedFrom").is_some())
        .collect();
    assert_eq!(lines.len(), copies.len());
    let mut names = BTreeSet::new();
    for (mut line, mut copy) in lines.into_iter().zip(copies) {
        assert_eq!(copy["forkedFrom"]["messageUuid"], line["uuid"]);
        assert_eq!(copy["sessionId"], fork.id().as_str());
        assert!(names.insert(copy["uuid"].to_string()));
        assert!(copy["parentUuid"].is_null() == line["parentUuid"].is_null());
        for (_, value) in [("line", &mut line), ("copy", &mut copy)] {
            let object = value.as_object_mut().unwrap();
            object.retain(|key, _| !CHANGED.contains(&key.as_str()));
        }
        assert_eq!(line, copy);
    }
}

fn first_answer(session: &Session) -> String {
    let lines = values(session);
    let answer = lines.iter().find(|line| line["type"] == "assistant");
    answer.unwrap()["uuid"].as_str().unwrap().to_owned()
}

fn title(session: &Session) -> Option<String> {
    session.info().unwrap().unwrap().custom_title
}

#[tokio::test]
async fn a_renamed_and_tagged_session_goes_on() {
    let cli = Cli::new().await;
    let session = cli.ask("prompt-one", None).await;
    let before = read(&session);
    session.rename("Sums: 日本 \"q\"").unwrap();
    session.tag("work").unwrap();
    session.archive().unwrap();
    let renamed = read(&session);
    assert!(renamed.starts_with(&before));
    let session = cli.ask("prompt-two", Some(&session)).await;
    assert!(cli.told("prompt-two").contains("prompt-one"));
    assert!(read(&session).starts_with(&renamed));
    let info = session.info().unwrap().unwrap();
    assert_eq!(info.custom_title.as_deref(), Some("Sums: 日本 \"q\""));
    assert_eq!(info.tag.as_deref(), Some("work"));
    session.delete().unwrap();
    assert!(cli.sessions().list().run().unwrap().sessions.is_empty());
}

#[tokio::test]
async fn a_fork_goes_on_by_itself() {
    let cli = Cli::new().await;
    let session = cli.ask("prompt-one", None).await;
    cli.ask("prompt-two", Some(&session)).await;
    let source = read(&session);
    let fork = session.fork().title("Other sums").run().unwrap();
    is_lossless(&session, &fork, None);
    let forked = read(&fork);

    cli.ask("prompt-three", Some(&fork)).await;
    let told = cli.told("prompt-three");
    assert!(
        told.contains("prompt-one") && told.contains("prompt-two"),
        "{told}"
    );
    assert!(read(&fork).starts_with(&forked));
    assert_eq!(title(&fork).as_deref(), Some("Other sums"));
    assert_eq!(read(&session), source);

    // The source goes on as well, and knows nothing of the fork.
    cli.ask("prompt-four", Some(&session)).await;
    let told = cli.told("prompt-four");
    assert!(
        told.contains("prompt-two") && !told.contains("prompt-three"),
        "{told}"
    );
    assert!(read(&session).starts_with(&source));

    // A fork of a fork.
    let again = cli.find(fork.id().as_str()).fork().run().unwrap();
    is_lossless(&fork, &again, None);
    cli.ask("prompt-five", Some(&again)).await;
    let told = cli.told("prompt-five");
    assert!(
        told.contains("prompt-one") && told.contains("prompt-three"),
        "{told}"
    );
}

#[tokio::test]
async fn a_fork_goes_on_from_the_message_that_it_ends_with() {
    let cli = Cli::new().await;
    let session = cli.ask("prompt-one", None).await;
    let answer = first_answer(&session);
    cli.ask("prompt-two", Some(&session)).await;
    let source = read(&session);
    let fork = session.fork().up_to(&*answer).run().unwrap();
    is_lossless(&session, &fork, Some(&answer));
    cli.ask("prompt-three", Some(&fork)).await;
    let told = cli.told("prompt-three");
    assert!(
        told.contains("prompt-one") && !told.contains("prompt-two"),
        "{told}"
    );
    assert_eq!(read(&session), source);
}

/// The CLI knows the title that the session had when it began, and writes its own notes behind the new one.
#[tokio::test]
async fn a_title_that_is_given_while_the_cli_runs_stays() {
    let cli = Cli::new().await;
    let running = soon(claw_client::Session::builder(cli.options()).connect())
        .await
        .unwrap();
    let result = soon(soon(running.send("prompt-one")).await.unwrap().result())
        .await
        .unwrap();
    let id = result.session_id().to_string();
    let session = cli.appears(&id).await;
    session.rename("First").unwrap();
    soon(soon(running.send("prompt-two")).await.unwrap().result())
        .await
        .unwrap();
    session.rename("Second").unwrap();
    session.tag("work").unwrap();
    let renamed = read(&session);
    soon(soon(running.send("prompt-three")).await.unwrap().result())
        .await
        .unwrap();
    soon(running.close()).await.unwrap();
    let after = read(&session);
    assert!(after.starts_with(&renamed) && after.len() > renamed.len());
    assert_eq!(title(&session).as_deref(), Some("Second"));
    let all: Vec<Value> = values(&session);
    let said = all
        .iter()
        .filter(|line| line["type"] == "assistant")
        .count();
    assert!(said >= 3);
    cli.ask("prompt-four", Some(&session)).await;
    assert!(cli.told("prompt-four").contains("prompt-two"));
    assert_eq!(title(&session).as_deref(), Some("Second"));
}
