//! A conversation with a session that `claw serve` runs. The terminal, the page and programs use the same session.

mod answer;
mod http;
mod reader;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use claw_client::Error;
use claw_client::types::MessageUuid;
use claw_client::types::api::{ContentBlock, Source};
use claw_client::types::control::SlashCommand;
use claw_client::types::message::UserMessage;
use claw_client::types::options::PermissionMode;
use claw_server::{Choices, ProjectInfo, SessionPage, SessionView, State, UserSocket};
use claw_view::Change;
use claw_view::progress::Progress;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use self::http::{Failure, Server, VIEWER, encoded};
use self::reader::Reader;
use super::sent::Sent;
use crate::ask::Asker;
use crate::escape::one_line;
use crate::user_socket;

/// The pause between two attempts to reach a server.
const RETRY: Duration = Duration::from_millis(500);
/// Maximum number of this terminal's prompts and answers that are remembered. They are remembered so that the terminal
/// does not show them twice.
const OWN: usize = 256;
/// Maximum number of events that wait to be shown.
const WAITING: usize = 64;

/// An event of the session for the screen.
pub(super) enum Event {
    /// A change of the elements. Prompts of this terminal are left out.
    Change(Box<Change>),
    /// A prompt that another viewer has sent, or that was sent before this terminal has opened the session.
    Prompt {
        text: String,
        is_new: bool,
    },
    Progress(Box<Progress>),
    State(Box<State>),
    /// A sentence about the session, escaped and with a line ending.
    Text(String),
    /// A question of this terminal is no longer needed. It is taken back before the messages that follow.
    Withdrawn,
    /// Whether the server can be reached.
    Reachable(bool),
    /// This terminal can no longer follow the session, for this reason.
    Ended(String),
}

/// The conversation that a person chooses.
pub(crate) enum SessionChoice {
    New,
    /// The newest conversation of the folder.
    Last,
    /// The conversation with this ID.
    Of(String),
}

/// The request to open a conversation in a server.
pub(crate) struct Asked<'a> {
    /// The configuration folder of `claude`.
    pub(crate) config_dir: &'a Path,
    pub(crate) folder: &'a Path,
    pub(crate) session: SessionChoice,
    pub(crate) model: Option<&'a str>,
    pub(crate) mode: Option<&'a str>,
    /// Whether the conversation must run in a server. If `false`, it runs in a server only if the folder belongs to a
    /// project of the server.
    pub(crate) must: bool,
}

/// A session that a server runs.
pub(crate) struct Attached {
    server: Server,
    view: SessionView,
    pub(super) folder: PathBuf,
}

/// Opens the conversation in the server of this user. Returns `None` if there is no server, or if the server does not
/// have this folder or conversation.
///
/// # Errors
///
/// Fails with an unescaped text if the server does not open the conversation, or if the conversation must run in a
/// server and cannot.
pub(crate) async fn open(asked: Asked<'_>) -> Result<Option<Attached>, String> {
    let Some(server) = find(asked.config_dir, asked.must).await? else {
        return Ok(None);
    };
    let projects: Vec<ProjectInfo> = server
        .get("/api/projects")
        .await
        .map_err(Failure::message)?;
    let folder = asked.folder.canonicalize();
    let folder = folder.unwrap_or_else(|_| asked.folder.to_owned());
    let project = project(&projects, &folder, asked.must);
    let without = |must: bool, why: String| if must { Err(why) } else { Ok(None) };
    let mut new = json!({});
    match (&asked.session, project) {
        (SessionChoice::Of(id), _) => new["resume"] = json!(id),
        (_, None) => {
            let why = format!(
                "no project of the server has the folder {}",
                folder.display()
            );
            return without(asked.must, why);
        }
        (SessionChoice::New, Some(project)) => new["project"] = json!(project.name),
        (SessionChoice::Last, Some(project)) => {
            let path = format!("/api/sessions?limit=1&project={}", encoded(&project.name));
            let page: SessionPage = server.get(&path).await.map_err(Failure::message)?;
            match page.sessions.first() {
                Some(last) => new["resume"] = json!(last.id),
                None => {
                    return without(asked.must, "the project has no conversation yet".to_owned());
                }
            }
        }
    }
    for (name, value) in [("model", asked.model), ("mode", asked.mode)] {
        if let Some(value) = value {
            new[name] = json!(value);
        }
    }
    let mut view: SessionView = match server.post("/api/sessions", &new).await {
        Ok(view) => view,
        Err(failure) if failure.is_not_found() => return without(asked.must, failure.message()),
        Err(failure) => return Err(failure.message()),
    };
    // A session that was live keeps its model and mode when it is opened, so requested values that
    // differ are set here.
    let current = [
        ("model", asked.model, view.state.model.as_deref()),
        (
            "mode",
            asked.mode,
            view.state.mode.as_ref().map(PermissionMode::as_str),
        ),
    ];
    let other: serde_json::Map<_, _> = current
        .into_iter()
        .filter(|(_, asked, current)| asked.is_some() && current.is_some() && asked != current)
        .map(|(name, asked, _)| (name.to_owned(), json!(asked)))
        .collect();
    if !other.is_empty() {
        let path = format!("/api/sessions/{}/settings", encoded(&view.id));
        let changed = server.post(&path, &Value::Object(other)).await;
        view = changed.map_err(Failure::message)?;
    }
    let of_view = projects.iter().find(|project| project.name == view.project);
    let folder = of_view.map_or(folder, |project| PathBuf::from(&project.folder));
    Ok(Some(Attached {
        server,
        view,
        folder,
    }))
}

/// Finds a server that listens on one of this user's sockets.
async fn find(config_dir: &Path, must: bool) -> Result<Option<Server>, String> {
    for socket in user_socket::paths(config_dir) {
        match UserSocket::connect(&socket).await {
            Ok(_) => return Ok(Some(Server { socket })),
            Err(error) if error.is_absent() => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    if must {
        return Err("no `claw serve` of this user runs, or it has no socket".to_owned());
    }
    Ok(None)
}

/// Returns the project with this folder. If there is none and `may_be_below` is set, returns the project with the
/// nearest folder above it.
fn project<'a>(
    projects: &'a [ProjectInfo],
    folder: &Path,
    may_be_below: bool,
) -> Option<&'a ProjectInfo> {
    let above = projects
        .iter()
        .filter(|project| folder.starts_with(&project.folder));
    let nearest = above.max_by_key(|project| Path::new(&project.folder).components().count())?;
    (may_be_below || Path::new(&nearest.folder) == folder).then_some(nearest)
}

impl Attached {
    /// Starts reading the events of the session. The asker receives its questions.
    pub(super) async fn start(&self, asker: Asker) -> (Handle, mpsc::Receiver<Event>) {
        let choices = format!("/api/projects/{}/choices", encoded(&self.view.project));
        let commands = match self.server.get::<Choices>(&choices).await {
            Ok(choices) => commands(choices),
            // The commands only complete names, so an error is ignored.
            Err(_) => Vec::new(),
        };
        let (events, shown) = mpsc::channel(WAITING);
        let handle = Handle(Arc::new(Inner {
            server: self.server.clone(),
            folder: self.folder.clone(),
            commands,
            events,
            state: Mutex::new(Shared {
                session: self.view.id.clone(),
                prompts: VecDeque::new(),
                answers: VecDeque::new(),
            }),
        }));
        tokio::spawn(Reader::new(handle.clone(), asker).run());
        (handle, shown)
    }
}

fn commands(choices: Choices) -> Vec<SlashCommand> {
    let commands = choices.commands.into_iter().map(|choice| {
        let mut command = SlashCommand::new(choice.name, choice.description, choice.argument_hint);
        command.aliases = Some(choice.aliases);
        command
    });
    commands.collect()
}

/// A handle to a session of a server. Clones share the session.
#[derive(Clone)]
pub(super) struct Handle(Arc<Inner>);

struct Inner {
    server: Server,
    folder: PathBuf,
    commands: Vec<SlashCommand>,
    events: mpsc::Sender<Event>,
    state: Mutex<Shared>,
}

/// The state that the reader and the requests share.
struct Shared {
    /// The ID of the session, which `/clear` changes.
    session: String,
    /// The newest prompts of this terminal.
    prompts: VecDeque<MessageUuid>,
    /// The newest requests that this terminal has answered.
    answers: VecDeque<String>,
}

impl Handle {
    fn shared(&self) -> MutexGuard<'_, Shared> {
        let shared = self.0.state.lock();
        shared.unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn session(&self) -> String {
        self.shared().session.clone()
    }

    /// Returns the path of a route of the session.
    fn path(&self, rest: &str) -> String {
        format!("/api/sessions/{}{rest}", encoded(&self.session()))
    }

    pub(super) fn greeting(&self, keys: &str) -> String {
        let folder = one_line(&self.0.folder.display().to_string(), 200);
        format!(
            "`claw serve` runs this conversation in {folder}. It is also on its page, and goes on when you leave. {keys}\n"
        )
    }

    pub(super) fn commands(&self) -> Vec<SlashCommand> {
        self.0.commands.clone()
    }

    /// Sends a prompt. If the server cannot be reached, waits and tries again. A repeated prompt has the same UUID, so
    /// the server does not run it twice.
    pub(super) async fn send(self, prompt: UserMessage) -> Result<Sent, Error> {
        if let Some(uuid) = &prompt.uuid {
            push(&mut self.shared().prompts, uuid.clone());
        }
        let body = body(&prompt);
        match self.post("/prompts", &body).await {
            Ok(_) => Ok(Sent::Accepted),
            Err(why) => Ok(Sent::Refused(one_line(&why, 400))),
        }
    }

    /// Interrupts the turn. If the server cannot be reached, the request is not repeated, because it could interrupt a
    /// later turn.
    pub(super) async fn interrupt(self) {
        let path = self.path("/interrupt");
        match self.0.server.post::<Value>(&path, &json!({})).await {
            Ok(_) => {}
            Err(Failure::Unreachable(_)) => {
                let text = "The server cannot be reached, so the turn may not be interrupted.";
                self.text(text).await;
            }
            Err(refused @ Failure::Refused { .. }) => self.text(&refused.message()).await,
        }
    }

    /// Sends a request about the session. If the server cannot be reached, waits and tries again.
    ///
    /// # Errors
    ///
    /// Fails with the unescaped reason if the server refuses the request.
    async fn post(&self, rest: &str, body: &Value) -> Result<Value, String> {
        loop {
            match self.0.server.post(&self.path(rest), body).await {
                Ok(value) => return Ok(value),
                Err(Failure::Unreachable(_)) => tokio::time::sleep(RETRY).await,
                Err(failure @ Failure::Refused { .. }) => return Err(failure.message()),
            }
        }
    }

    /// Shows a sentence. This method escapes it.
    async fn text(&self, text: &str) {
        let text = format!("  {}\n", one_line(text, 400));
        let _ = self.0.events.send(Event::Text(text)).await;
    }

    /// Sends an answer as [`post`](Self::post) does. After a broken connection, the server may have the answer already: that is no
    /// error.
    async fn post_answer(&self, rest: &str, body: &Value) -> Result<(), String> {
        let mut is_repeated = false;
        loop {
            match self.0.server.post::<Value>(&self.path(rest), body).await {
                Ok(_) => return Ok(()),
                Err(Failure::Unreachable(_)) => tokio::time::sleep(RETRY).await,
                Err(failure) if is_repeated && failure.is_answered_by(VIEWER) => return Ok(()),
                Err(failure @ Failure::Refused { .. }) => return Err(failure.message()),
            }
            is_repeated = true;
        }
    }

    /// Waits until nobody shows the session at this terminal any more.
    async fn closed(&self) {
        self.0.events.closed().await;
    }

    /// Removes an answer that the server has not accepted from the remembered answers.
    fn forget_answer(&self, request: &str) {
        self.shared().answers.retain(|id| id != request);
    }

    /// Returns whether an element belongs to a prompt of this terminal.
    fn is_own(&self, message: Option<&MessageUuid>) -> bool {
        message.is_some_and(|message| self.shared().prompts.contains(message))
    }
}

/// Adds an item to the remembered items. Removes the oldest item if there are too many.
fn push<T>(items: &mut VecDeque<T>, item: T) {
    items.push_back(item);
    if items.len() > OWN {
        items.pop_front();
    }
}

/// Converts a prompt to the body of a request: its images and its text.
fn body(prompt: &UserMessage) -> Value {
    let mut images = Vec::new();
    for block in prompt.message.content.blocks() {
        if let ContentBlock::Image(image) = block
            && let Source::Base64(source) = &image.source
        {
            images.push(json!({"mediaType": source.media_type, "data": source.data}));
        }
    }
    let text = prompt.message.content.text();
    let mut body = json!({"uuid": prompt.uuid, "text": text, "images": images});
    if let Some(priority) = &prompt.priority {
        body["priority"] = json!(priority);
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(folders: &[&str]) -> Vec<ProjectInfo> {
        let of = |folder: &&str| {
            let info = json!({"name": folder, "folder": folder, "mode": "default", "model": null});
            serde_json::from_value(info).unwrap()
        };
        folders.iter().map(of).collect()
    }

    #[test]
    fn a_folder_is_that_of_a_project_or_if_allowed_one_below_it() {
        let projects = named(&["/srv", "/srv/shop", "/other"]);
        let name = |folder: &str, may_be_below| {
            let found = project(&projects, Path::new(folder), may_be_below);
            found.map(|project| project.name.clone())
        };
        assert_eq!(name("/srv/shop", false).as_deref(), Some("/srv/shop"));
        assert_eq!(name("/srv/shop/src", true).as_deref(), Some("/srv/shop"));
        assert_eq!(name("/srv/shop/src", false), None);
        // The nearest project has the folder `/srv`, which is another folder.
        assert_eq!(name("/srv/blog", false), None);
        assert_eq!(name("/srvshop", true), None);
    }

    #[test]
    fn a_prompt_has_its_images_and_its_priority() {
        use claw_client::types::message::Priority;
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.png"), b"\x89PNG\r\n\x1a\n").unwrap();
        let image = json!({"mediaType": "image/png", "data": "iVBORw0KGgo="});
        for (text, images) in [("Hi.", json!([])), ("See ./a.png", json!([image]))] {
            let written = crate::chat::images::with_images(text.to_owned(), folder.path());
            let prompt = UserMessage::prompt(written.content).priority(Priority::Later);
            let body = body(&prompt);
            assert_eq!((&body["text"], &body["images"]), (&json!(text), &images));
            assert_eq!(body["priority"], "later");
            assert_eq!(body["uuid"], prompt.uuid.unwrap().as_str());
        }
    }
}
