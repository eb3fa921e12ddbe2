//! The tasks that each version runs with the scripted API.

use std::fs;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use claw_client::transport::{Recorder, Subprocess};
use claw_client::types::control::PermissionResult;
use claw_client::types::options::PermissionMode;
use claw_client::types::{Map, Message, QueryOptions};
use claw_client::{Session, SessionBuilder};
use claw_testkit::api::{Api, Scenario, scenarios};
use futures::TryStreamExt as _;
use xtask::run::Result;

/// A folder in which a CLI runs one task.
pub(super) struct Place {
    path: PathBuf,
    folder: PathBuf,
    /// The number of recorded processes.
    recorded: AtomicUsize,
}

type Doing<'a> = Pin<Box<dyn Future<Output = Result<Duration>> + 'a>>;
/// A task of a CLI. It returns the duration of the start.
type Thing = fn(&Place) -> Doing<'_>;

/// The names are the headings of the columns.
pub(super) const THINGS: [(&str, Thing); 8] = [
    ("text", |place| Box::pin(text(place))),
    ("a tool, allowed", |place| Box::pin(tool(place, true))),
    ("a tool, denied", |place| Box::pin(tool(place, false))),
    ("interrupt", |place| Box::pin(interrupt(place))),
    ("resume", |place| Box::pin(resume(place))),
    ("calls", |place| Box::pin(calls(place))),
    ("sub-agent", |place| Box::pin(sub_agent(place))),
    ("refused by the API", |place| Box::pin(refused(place))),
];

impl Place {
    pub(super) fn new(path: &Path, folder: &Path) -> Result<Self> {
        fs::create_dir(folder.join("home"))?;
        fs::create_dir(folder.join("work"))?;
        Ok(Self {
            path: path.to_owned(),
            folder: folder.to_owned(),
            recorded: AtomicUsize::new(0),
        })
    }

    fn options(&self, api: &Api) -> QueryOptions {
        let mut env = Map::default();
        for (name, value) in api.env() {
            env.insert(name, Some(value));
        }
        env.insert("HOME", Some(self.folder.join("home").display().to_string()));
        QueryOptions::default()
            .env(env)
            .cwd(self.folder.join("work"))
            .path_to_claude_code_executable(self.path.display().to_string())
            .include_partial_messages(true)
            // Some versions begin in the mode `auto`, in which the API decides about tools and the host receives no
            // request.
            .permission_mode(PermissionMode::Default)
    }

    /// Starts a process whose lines are recorded.
    async fn start(
        &self,
        options: QueryOptions,
        build: impl FnOnce(SessionBuilder) -> SessionBuilder,
    ) -> Result<(Session, Duration)> {
        let number = self.recorded.fetch_add(1, Ordering::Relaxed);
        let at = |name: &str| self.folder.join(format!("{name}-{number}"));
        let transport = Subprocess::new(&options).permission_prompts(true);
        let transport = Recorder::create(transport, at("stdout"), at("stdin"))?;
        let begun = Instant::now();
        let builder = build(Session::builder(options)).transport(transport);
        let session = builder.connect().await?;
        Ok((session, begun.elapsed()))
    }

    /// Returns all lines of the CLI.
    pub(super) fn lines(&self) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        for number in 0..self.recorded.load(Ordering::Relaxed) {
            let text = fs::read_to_string(self.folder.join(format!("stdout-{number}")))?;
            lines.extend(text.lines().map(str::to_owned));
        }
        Ok(lines)
    }
}

fn allows(builder: SessionBuilder) -> SessionBuilder {
    builder.can_use_tool(|_| async { PermissionResult::allow() })
}

fn expect(found: &str, expected: &str) -> Result {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{found:?} in place of {expected:?}").into())
    }
}

/// Plays a scenario in which every tool is allowed. Returns the turn's messages.
async fn play(place: &Place, scenario: Scenario) -> Result<(Vec<Message>, Duration)> {
    let prompt = scenario.prompt.clone();
    let api = Api::start(scenario).await?;
    let (session, took) = place.start(place.options(&api), allows).await?;
    let received: Vec<_> = session.send(prompt).await?.try_collect().await?;
    session.close().await?;
    let messages = received.into_iter().map(claw_client::Received::into_result);
    Ok((messages.collect::<std::result::Result<_, _>>()?, took))
}

async fn text(place: &Place) -> Result<Duration> {
    let api = Api::start(scenarios::text()).await?;
    let (session, took) = place.start(place.options(&api), allows).await?;
    expect(&session.ask("What is 2 + 2?").await?, "Two and two make 4.")?;
    expect(&session.ask("Once more").await?, "Two and two make 4.")?;
    session.close().await?;
    Ok(took)
}

async fn tool(place: &Place, is_allowed: bool) -> Result<Duration> {
    let scenario = scenarios::bash();
    let prompt = scenario.prompt.clone();
    let api = Api::start(scenario).await?;
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let (session, took) = place
        .start(place.options(&api), move |builder| {
            builder.can_use_tool(move |_| {
                counted.fetch_add(1, Ordering::Relaxed);
                async move {
                    if is_allowed {
                        PermissionResult::allow()
                    } else {
                        PermissionResult::deny("not today")
                    }
                }
            })
        })
        .await?;
    let received: Vec<_> = session.send(prompt).await?.try_collect().await?;
    session.close().await?;
    let mut failed = Vec::new();
    for received in received {
        let message = received.into_result()?;
        failed.extend(
            message
                .tool_results()
                .map(|result| result.is_error.unwrap_or(false)),
        );
    }
    expect(&format!("{failed:?}"), &format!("{:?}", [!is_allowed]))?;
    expect(&asked.load(Ordering::Relaxed).to_string(), "1")?;
    Ok(took)
}

async fn interrupt(place: &Place) -> Result<Duration> {
    let api = Api::start(scenarios::slow()).await?;
    let (session, took) = place.start(place.options(&api), allows).await?;
    let turn = session.send("Count").await?;
    api.gates().open("first");
    api.gates().reached("half").await;
    session.interrupt().await?;
    if !turn.result().await?.is_error() {
        return Err("the interrupted turn has no error".into());
    }
    for gate in ["half", "end"] {
        api.gates().open(gate);
    }
    if session.send("Again").await?.result().await?.is_error() {
        return Err("the turn after the interrupt has an error".into());
    }
    session.close().await?;
    Ok(took)
}

async fn resume(place: &Place) -> Result<Duration> {
    let api = Api::start(scenarios::text()).await?;
    let id = "5a5a5a5a-0000-4000-8000-000000000001";
    let (session, took) = place
        .start(place.options(&api).session_id(id), allows)
        .await?;
    session.ask("The word is plum.").await?;
    session.close().await?;
    let (session, _) = place.start(place.options(&api).resume(id), allows).await?;
    session.ask("Which word?").await?;
    session.close().await?;
    let requests = api.requests();
    let last = requests
        .iter()
        .rfind(|request| request.is_message() && request.body.to_string().contains("Which word?"));
    match last {
        Some(request) if request.body.to_string().contains("The word is plum.") => Ok(took),
        _ => Err("the model was not told what was said before".into()),
    }
}

/// Makes the calls that most hosts make.
async fn calls(place: &Place) -> Result<Duration> {
    let api = Api::start(scenarios::text()).await?;
    let (session, took) = place.start(place.options(&api), allows).await?;
    session.set_model("haiku").await?;
    session.set_permission_mode(PermissionMode::Plan).await?;
    session.mcp_status().await?;
    expect(&session.ask("What is 2 + 2?").await?, "Two and two make 4.")?;
    session.context_usage().await?;
    session.close().await?;
    Ok(took)
}

async fn sub_agent(place: &Place) -> Result<Duration> {
    let (messages, took) = play(place, scenarios::subagent()).await?;
    match messages.last() {
        Some(Message::ResultSuccess(result)) if !result.is_error => Ok(took),
        other => Err(format!("{other:?}").into()),
    }
}

async fn refused(place: &Place) -> Result<Duration> {
    let (messages, took) = play(place, scenarios::unauthorized().prompt("Hi")).await?;
    let status = match messages.last() {
        Some(Message::ResultSuccess(result)) if result.is_error => result
            .api_error_status
            .value()
            .and_then(claw_client::types::Number::as_u64),
        _ => None,
    };
    expect(&format!("{status:?}"), "Some(401)")?;
    Ok(took)
}
