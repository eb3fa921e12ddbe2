//! Reads the events of a session that a server runs.

use std::collections::{HashMap, HashSet};

use claw_server::{Answered, Moved, Pending, State};
use claw_view::element::{Content, Element, ElementId};
use claw_view::{Change, Growth};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::sleep;

use super::answer::{ask, is_answered_here, sentence};
use super::http::{Failure, SentEvent};
use super::{Event, Handle, RETRY};
use crate::ask::Asker;
use crate::escape::one_line;

/// Maximum number of elements of the earlier conversation that are shown at the start.
const EARLIER: usize = 40;

/// The data of the event `reset`.
#[derive(Deserialize)]
struct Reset {
    session: String,
    elements: Vec<Element>,
    requests: Vec<Pending>,
    state: State,
}

/// Signals that no further events must be read.
struct Stop;

/// Reads events, and asks the person at the terminal the questions in them.
pub(super) struct Reader {
    handle: Handle,
    asker: Asker,
    /// The ID of the last event.
    last: Option<String>,
    /// The elements that this terminal has already handled. `None` before the first reset.
    known: Option<HashSet<ElementId>>,
    /// The tasks that ask questions at the terminal. The keys are the IDs of the requests.
    questions: HashMap<String, AbortHandle>,
    tasks: JoinSet<()>,
}

impl Reader {
    pub(super) fn new(handle: Handle, asker: Asker) -> Self {
        Self {
            handle,
            asker,
            last: None,
            known: None,
            questions: HashMap::new(),
            tasks: JoinSet::new(),
        }
    }

    /// Reads until the session has ended, or until the screen receives no more events.
    pub(super) async fn run(mut self) {
        let mut is_reachable = true;
        loop {
            let path = self.handle.path("/events");
            let opened = self
                .handle
                .0
                .server
                .events(&path, self.last.as_deref())
                .await;
            match opened {
                Ok(mut events) => {
                    if !is_reachable {
                        is_reachable = true;
                        if self.show(Event::Reachable(true)).await.is_err() {
                            return;
                        }
                    }
                    while let Some(event) = events.next().await {
                        if self.event(event).await.is_err() {
                            return;
                        }
                    }
                }
                Err(failure) if failure.is_not_found() => {
                    let why = "the server does not have this conversation any more".to_owned();
                    let _ = self.show(Event::Ended(why)).await;
                    return;
                }
                // The server may have too many viewers at the moment, so the reader tries again.
                Err(Failure::Refused { .. } | Failure::Unreachable(_)) => {}
            }
            if is_reachable {
                is_reachable = false;
                if self.show(Event::Reachable(false)).await.is_err() {
                    return;
                }
            }
            tokio::select! {
                () = sleep(RETRY) => {}
                () = self.handle.0.events.closed() => return,
            }
        }
    }

    async fn show(&self, event: Event) -> Result<(), Stop> {
        let sent = self.handle.0.events.send(event).await;
        sent.map_err(|_| Stop)
    }

    async fn event(&mut self, event: SentEvent) -> Result<(), Stop> {
        // Removes the tasks of questions that have ended.
        while self.tasks.try_join_next().is_some() {}
        match &*event.kind {
            "reset" => self.reset(self.read(&event).await?).await?,
            "change" => {
                if let Some(change) = self.read(&event).await? {
                    self.change(change, true).await?;
                }
            }
            "request" => {
                if let Some(pending) = self.read(&event).await? {
                    self.request(pending).await?;
                }
            }
            "answered" => {
                if let Some(answered) = self.read(&event).await? {
                    self.answered(&answered).await?;
                }
            }
            "state" => {
                if let Some(state) = self.read(&event).await? {
                    self.show(Event::State(state)).await?;
                }
            }
            "progress" => {
                if let Some(progress) = self.read(&event).await? {
                    self.show(Event::Progress(progress)).await?;
                }
            }
            "moved" => {
                if let Some(moved) = self.read::<Moved>(&event).await? {
                    self.handle.shared().session = moved.session;
                }
            }
            "closed" => {
                let why = "the conversation was closed at the server".to_owned();
                self.show(Event::Ended(why)).await?;
                return Err(Stop);
            }
            _ => {}
        }
        self.last = Some(event.id);
        Ok(())
    }

    /// Parses the data of an event. If this fails, shows the error and returns `None`.
    async fn read<T: DeserializeOwned>(&self, event: &SentEvent) -> Result<Option<T>, Stop> {
        match serde_json::from_str(&event.data) {
            Ok(data) => Ok(Some(data)),
            Err(error) => {
                let kind = one_line(&event.kind, 20);
                let text = format!("claw: an event of the server ({kind}) cannot be read: {error}");
                self.show(Event::Text(format!("{}\n", one_line(&text, 400))))
                    .await?;
                Ok(None)
            }
        }
    }

    /// Handles the event `reset`, which contains all elements and requests of the session. The server sends it at the
    /// start, and again if it no longer has the events that this terminal has missed.
    async fn reset(&mut self, reset: Option<Reset>) -> Result<(), Stop> {
        let Some(reset) = reset else {
            return Ok(());
        };
        self.handle.shared().session = reset.session;
        let is_first = self.known.is_none();
        let start = first_shown(&reset.elements, self.known.as_ref());
        if is_first && start > 0 {
            let text = format!("  … {start} earlier parts of the conversation are on the page.\n");
            self.show(Event::Text(text)).await?;
        }
        for (position, element) in reset.elements.into_iter().enumerate() {
            let known = self.known.get_or_insert_default();
            if position < start && !known.contains(&element.id) {
                known.insert(element.id.clone());
                continue;
            }
            let change = if known.contains(&element.id) {
                Change::Updated(Box::new(element))
            } else {
                Change::Added(Box::new(element))
            };
            self.change(change, false).await?;
        }
        self.known.get_or_insert_default();
        let waiting: HashSet<_> = reset.requests.iter().map(|it| it.id.clone()).collect();
        self.questions.retain(|id, question| {
            let is_waiting = waiting.contains(id);
            if !is_waiting {
                question.abort();
            }
            is_waiting
        });
        for pending in reset.requests {
            self.request(pending).await?;
        }
        self.show(Event::State(Box::new(reset.state))).await
    }

    /// Shows a change. `is_new` is `true` if the change has just happened.
    async fn change(&mut self, change: Change, is_new: bool) -> Result<(), Stop> {
        let known = self.known.get_or_insert_default();
        match &change {
            Change::Added(element) => {
                known.insert(element.id.clone());
                if self.handle.is_own(element.message.as_ref()) {
                    return Ok(());
                }
                if let (Content::UserInput(input), None) = (&element.content, &element.parent) {
                    let text = input.text.clone();
                    return self.show(Event::Prompt { text, is_new }).await;
                }
            }
            Change::Grew(Growth { id, .. }) if !known.contains(id) => return Ok(()),
            Change::Removed(id) => {
                known.remove(id);
            }
            _ => {}
        }
        self.show(Event::Change(Box::new(change))).await
    }

    async fn request(&mut self, pending: Pending) -> Result<(), Stop> {
        if self.questions.contains_key(&pending.id) {
            return Ok(());
        }
        if !is_answered_here(&pending) {
            let title = one_line(&pending.title, 400);
            let text = format!("  ? {title}\n    Answer it on the page.\n");
            return self.show(Event::Text(text)).await;
        }
        let id = pending.id.clone();
        let asked = ask(self.handle.clone(), self.asker.clone(), pending);
        let question = self.tasks.spawn(asked);
        self.questions.insert(id, question);
        Ok(())
    }

    async fn answered(&mut self, answered: &Answered) -> Result<(), Stop> {
        let question = self.questions.remove(&answered.id);
        if self.handle.shared().answers.contains(&answered.id) {
            return Ok(());
        }
        if let Some(text) = sentence(answered) {
            self.show(Event::Text(text)).await?;
        }
        if let Some(question) = question {
            question.abort();
            while !question.is_finished() && self.tasks.join_next().await.is_some() {}
            self.show(Event::Withdrawn).await?;
        }
        Ok(())
    }
}

/// Returns the position of the first element to show. At the start, it is the last prompt, or a later element if there
/// are too many. Later, it is the element after the last known one.
fn first_shown(elements: &[Element], known: Option<&HashSet<ElementId>>) -> usize {
    if let Some(known) = known
        && let Some(last) = elements
            .iter()
            .rposition(|element| known.contains(&element.id))
    {
        return last + 1;
    }
    let is_prompt = |element: &Element| {
        matches!(element.content, Content::UserInput(_)) && element.parent.is_none()
    };
    let prompt = elements.iter().rposition(is_prompt).unwrap_or_default();
    prompt.max(elements.len().saturating_sub(EARLIER))
}
