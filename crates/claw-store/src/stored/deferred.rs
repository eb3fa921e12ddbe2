//! Deferred permission requests, which wait for an answer while their session has no process.
//!
//! A CLI that is killed while it waits for a permission leaves a tool use without a result at the end of its
//! transcript. This module appends a line that marks the tool use as deferred. The CLI itself writes such a line if a
//! hook answers `defer`. The next CLI that resumes the session then begins with this tool use. It asks its hooks, its
//! rules and its host for the permission again, under the same ID. Without that line, the CLI would treat the tool use
//! as interrupted.
//!
//! The store also contains the request and its answer, in a separate transcript. So they can be shown without a CLI.

use claw_types::control::CanUseTool;
use claw_types::transcript::HookDeferredToolAttachment;
use futures::TryStreamExt as _;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{StoredError, StoredSessions};
use crate::{Batch, Epoch, Line, SessionRef, StoreError, StoreKey, Subpath, WriterId};

/// The transcript that contains the requests and answers. The CLI itself has no file with this name.
const NAME: &str = "claw/deferred";
/// The number of lines from which on the transcript is deleted before another request is stored in
/// it. So requests that no longer wait for an answer do not accumulate.
const LONG: usize = 256;
/// The members of a JSON line that marks a tool use as deferred. They have the same values as in
/// the line before it.
const IN_COMMON: [&str; 7] = [
    "userType",
    "entrypoint",
    "cwd",
    "sessionId",
    "version",
    "gitBranch",
    "timestamp",
];

/// A permission request that was deferred. The store contains the request, and it waits for an answer while the session
/// has no process. See [`StoredSessions::defer`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Deferred {
    /// The ID of the request, which the program that deferred it has chosen.
    pub id: String,
    /// The permission request, as the CLI sent it.
    pub request: CanUseTool,
    /// The answer that takes effect. This is the first answer under the newest claim. `None` if there is no answer yet.
    pub answer: Option<DeferredAnswer>,
    /// Whether the conversation has continued since the request was deferred. If so, the request no longer waits for an
    /// answer.
    pub has_continued: bool,
}

/// The answer to a deferred request: the decision, and who made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DeferredAnswer {
    /// The name of the person or program that answered.
    pub by: String,
    /// The decision. The program that answers chooses the text.
    pub decision: String,
    /// The epoch of the claim under which the answer was given.
    pub epoch: Epoch,
}

impl DeferredAnswer {
    /// Creates an answer under the claim of this epoch.
    pub fn new(by: impl Into<String>, decision: impl Into<String>, epoch: Epoch) -> Self {
        Self {
            by: by.into(),
            decision: decision.into(),
            epoch,
        }
    }
}

impl Deferred {
    /// Whether the owner of the claim with this epoch must answer the request. This is the case if the request has no
    /// answer yet. It is also the case if the request was answered under an earlier claim, but the conversation did not
    /// continue. That answer was lost with its host, and it is not known whether the tool ran.
    pub fn is_waiting(&self, epoch: Epoch) -> bool {
        let is_answered = self.answer.as_ref().is_some_and(|it| it.epoch >= epoch);
        !self.has_continued && !is_answered
    }
}

/// A line in the transcript of requests and answers.
#[derive(Serialize, Deserialize)]
struct Record {
    /// The ID of the request.
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<CanUseTool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<DeferredAnswer>,
}

/// The end of a transcript, as far as it concerns one tool use.
#[derive(Default)]
struct End {
    /// Whether the transcript contains the tool use without a result.
    is_open: bool,
    /// The last entry of the conversation.
    last: Option<Map<String, Value>>,
    /// The deferred tool uses with which the conversation ends.
    deferred: Vec<String>,
}

impl StoredSessions {
    /// Whether the tool use with the ID `tool` can be deferred. This is the case if the session's main transcript in
    /// the store contains the tool use, but not its result.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::Store`] for any error of the store.
    pub async fn can_defer(&self, session: &SessionRef, tool: &str) -> Result<bool, StoredError> {
        Ok(self.end_of(session, tool).await?.is_open)
    }

    /// Stores a permission request of a process that has ended, so that the next process of the session sends the
    /// request again. `id` is a new ID, which [`answer_deferred`](Self::answer_deferred) takes. The caller must have
    /// claimed the session, and `epoch` is the epoch of that claim.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::NotDeferrable`] if the session does not end with this tool use, and with
    /// [`StoredError::Store`] for any error of the store. After an error, the request was not stored. An exception is
    /// [`StoreError::Uncertain`](crate::StoreError::Uncertain): then the request may have been stored.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the request may or may not have been stored.
    pub async fn defer(
        &self,
        session: &SessionRef,
        epoch: Epoch,
        id: &str,
        request: &CanUseTool,
    ) -> Result<Deferred, StoredError> {
        let tool = request.tool_use_id.as_str();
        let end = self.end_of(session, tool).await?;
        let (Some(last), true, None) = (end.last, end.is_open, &request.agent_id) else {
            return Err(StoredError::NotDeferrable);
        };
        let key = key_of(session)?;
        let is_long = self.records(&key).await?.len() >= LONG;
        if let (true, Some(deletes)) = (is_long, self.store.deletes()) {
            deletes.delete(&key).await?;
        }
        let record = Record {
            id: id.to_owned(),
            request: Some(request.clone()),
            answer: None,
        };
        // The record is stored before the line that marks the tool use. Without that line, the record has no effect.
        self.add(&key, epoch, serde_json::to_string(&record))
            .await?;
        let line = deferred_line(&last, request);
        self.add(&session.main(), epoch, line).await?;
        Ok(Deferred {
            id: id.to_owned(),
            request: request.clone(),
            answer: None,
            has_continued: false,
        })
    }

    /// Returns the deferred requests of a session, oldest first. A stored request that cannot be read is left out.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::Store`] for any error of the store.
    pub async fn deferred(&self, session: &SessionRef) -> Result<Vec<Deferred>, StoredError> {
        let mut all: Vec<Deferred> = Vec::new();
        for record in self.records(&key_of(session)?).await? {
            let known = all.iter_mut().find(|known| known.id == record.id);
            match (known, record.request, record.answer) {
                (None, Some(request), _) => all.push(Deferred {
                    id: record.id,
                    request,
                    answer: None,
                    has_continued: true,
                }),
                (Some(known), _, Some(answer)) => {
                    // The first answer under the newest claim takes effect. An answer under an earlier claim was lost
                    // with its host.
                    let is_newer = known
                        .answer
                        .as_ref()
                        .is_none_or(|it| it.epoch < answer.epoch);
                    if is_newer {
                        known.answer = Some(answer);
                    }
                }
                _ => {}
            }
        }
        if !all.is_empty() {
            let end = self.end_of(session, "").await?;
            for deferred in &mut all {
                let tool = deferred.request.tool_use_id.as_str();
                deferred.has_continued = !end.deferred.iter().any(|open| open == tool);
            }
        }
        Ok(all)
    }

    /// Records the answer to a deferred request. Call this method before the session is resumed. Returns the answer
    /// that takes effect, which is the first one under the same claim. It may differ from the given answer.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::Store`] for any error of the store.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the answer may or may not have been recorded.
    pub async fn answer_deferred(
        &self,
        session: &SessionRef,
        id: &str,
        answer: DeferredAnswer,
    ) -> Result<DeferredAnswer, StoredError> {
        let key = key_of(session)?;
        let record = Record {
            id: id.to_owned(),
            request: None,
            answer: Some(answer.clone()),
        };
        let epoch = answer.epoch;
        self.add(&key, epoch, serde_json::to_string(&record))
            .await?;
        // If several answers were stored, the one that comes first in the store takes effect.
        let mut all = self.records(&key).await?.into_iter();
        let first = all.find_map(|record| {
            let is_of = record.id == id;
            record.answer.filter(|it| is_of && it.epoch == epoch)
        });
        Ok(first.unwrap_or(answer))
    }

    async fn records(&self, key: &StoreKey) -> Result<Vec<Record>, StoredError> {
        let mut lines = self.store.load(key);
        let mut all = Vec::new();
        while let Some(line) = lines.try_next().await? {
            // Skips a record that is damaged or from another version. Its request is not lost, because the CLI asks
            // again in any case.
            all.extend(serde_json::from_str(line.line.as_str()));
        }
        Ok(all)
    }

    async fn add(
        &self,
        key: &StoreKey,
        epoch: Epoch,
        text: Result<String, serde_json::Error>,
    ) -> Result<(), StoredError> {
        let text = text.map_err(StoreError::refused)?;
        let lines = [Line::new(text).map_err(StoreError::refused)?];
        let writer = WriterId::random();
        let batch = Batch {
            writer: &writer,
            number: 0,
            lines: &lines,
            epoch: Some(epoch),
        };
        self.store.append(key, batch).await?;
        Ok(())
    }

    async fn end_of(&self, session: &SessionRef, tool: &str) -> Result<End, StoredError> {
        let key = session.main();
        let mut lines = self.store.load(&key);
        let mut end = End::default();
        let mut last = None;
        while let Some(line) = lines.try_next().await? {
            let text = line.line.as_str();
            let Some(link) = Link::of(text) else { continue };
            let is_message = link.kind != "attachment";
            if is_message {
                end.deferred.clear();
            }
            end.deferred.extend(link.deferred());
            if is_message && !tool.is_empty() && text.contains(tool) {
                for (id, is_use) in link.tools() {
                    if id == tool {
                        end.is_open = is_use;
                    }
                }
            }
            last = Some(line.line);
        }
        end.last = last.and_then(|line| serde_json::from_str(line.as_str()).ok());
        Ok(end)
    }
}

/// The parts of a line of the main transcript that this module needs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Link {
    #[serde(rename = "type")]
    kind: String,
    #[expect(dead_code, reason = "it has to be there")]
    uuid: IgnoredAny,
    #[serde(default)]
    is_sidechain: bool,
    message: Option<LinkMessage>,
    attachment: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct LinkMessage {
    #[serde(default)]
    content: Value,
}

impl Link {
    fn of(text: &str) -> Option<Self> {
        let link: Self = serde_json::from_str(text).ok()?;
        let is_link = ["user", "assistant", "attachment"].contains(&&*link.kind);
        (is_link && !link.is_sidechain).then_some(link)
    }

    /// Returns the ID of the tool use that this line marks as deferred.
    fn deferred(&self) -> Option<String> {
        let attachment = self.attachment.as_ref()?;
        let is_deferred = attachment.get("type")? == "hook_deferred_tool";
        let id = attachment.get("toolUseID")?.as_str()?;
        is_deferred.then(|| id.to_owned())
    }

    /// Returns the IDs of the line's tool uses (`true`) and tool results (`false`).
    fn tools(&self) -> impl Iterator<Item = (&str, bool)> {
        let message = self.message.as_ref();
        let blocks = message.and_then(|message| message.content.as_array());
        blocks.into_iter().flatten().filter_map(|block| {
            let id = |name: &str| block.get(name)?.as_str();
            match block.get("type")?.as_str()? {
                "tool_use" => Some((id("id")?, true)),
                "tool_result" => Some((id("tool_use_id")?, false)),
                _ => None,
            }
        })
    }
}

/// Returns the line that a CLI writes for a tool use that a hook defers.
fn deferred_line(
    last: &Map<String, Value>,
    request: &CanUseTool,
) -> Result<String, serde_json::Error> {
    let attachment = HookDeferredToolAttachment::new(
        request.tool_use_id.as_str(),
        &*request.tool_name,
        request.input.clone(),
        "claw",
        claw_types::hook::HookEvent::PreToolUse,
    );
    let mut line = Map::new();
    line.insert("parentUuid".to_owned(), last["uuid"].clone());
    line.insert("isSidechain".to_owned(), json!(false));
    line.insert("attachment".to_owned(), serde_json::to_value(attachment)?);
    line.insert("type".to_owned(), json!("attachment"));
    line.insert("uuid".to_owned(), json!(uuid::Uuid::new_v4().to_string()));
    for name in IN_COMMON {
        if let Some(value) = last.get(name) {
            line.insert(name.to_owned(), value.clone());
        }
    }
    serde_json::to_string(&line)
}

fn key_of(session: &SessionRef) -> Result<StoreKey, StoreError> {
    let path = Subpath::new(NAME).map_err(StoreError::refused)?;
    Ok(session.at(path))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use futures::executor::block_on;

    use super::*;
    use crate::{MemoryStore, Owner, SessionStore as _};

    const SESSION: &str = "11111111-1111-4111-8111-111111111111";
    const TTL: Duration = Duration::from_mins(1);

    struct Place {
        store: Arc<MemoryStore>,
        stored: StoredSessions,
        session: SessionRef,
    }

    impl Place {
        fn new() -> Self {
            let store = Arc::new(MemoryStore::new());
            let place = Self {
                stored: StoredSessions::new(store.clone()),
                session: SessionRef::new("p", SESSION).unwrap(),
                store,
            };
            let tool = json!([{"type": "tool_use", "id": "t-1", "name": "Bash", "input": {}}]);
            place.line(&json!({"type": "user", "uuid": "u-1", "message": {"content": "Go."}}));
            place.line(
                &json!({"type": "assistant", "uuid": "u-2", "parentUuid": "u-1",
                "cwd": "/work/project", "sessionId": SESSION, "message": {"content": tool}}),
            );
            place.line(&json!({"type": "last-prompt", "sessionId": SESSION}));
            place
        }

        fn line(&self, line: &Value) {
            let lines = [Line::new(line.to_string()).unwrap()];
            let writer = WriterId::random();
            let batch = Batch {
                writer: &writer,
                number: 0,
                lines: &lines,
                epoch: None,
            };
            block_on(self.store.append(&self.session.main(), batch)).unwrap();
        }

        fn claim(&self, owner: &str) -> Epoch {
            let claims = self.store.claims().unwrap();
            let claim = block_on(claims.claim(&self.session, &Owner::new(owner), TTL)).unwrap();
            block_on(claims.release(&claim)).unwrap();
            claim.epoch
        }

        fn all(&self) -> Vec<Deferred> {
            block_on(self.stored.deferred(&self.session)).unwrap()
        }

        fn defer(&self, epoch: Epoch, id: &str) -> Result<Deferred, StoredError> {
            block_on(self.stored.defer(&self.session, epoch, id, &request()))
        }

        fn answer(&self, epoch: Epoch, by: &str) -> String {
            let answer = DeferredAnswer::new(by, "allow", epoch);
            let counts = self.stored.answer_deferred(&self.session, "r-1", answer);
            block_on(counts).unwrap().by
        }
    }

    fn request() -> CanUseTool {
        CanUseTool::new("Bash", json!({}), "t-1")
    }

    #[test]
    fn a_request_waits_until_the_conversation_goes_on() {
        let place = Place::new();
        assert!(block_on(place.stored.can_defer(&place.session, "t-1")).unwrap());
        let epoch = place.claim("one");
        let deferred = place.defer(epoch, "r-1").unwrap();
        assert_eq!(place.all(), std::slice::from_ref(&deferred));
        assert!(deferred.is_waiting(epoch));
        let listing = block_on(place.stored.list(None)).unwrap();
        assert!(listing.sessions[0].is_deferred);
        // This line of the CLI is not an entry of the conversation. So the conversation has not continued.
        place.line(&json!({"type": "mode", "sessionId": SESSION}));
        assert!(!place.all()[0].has_continued);
        let result = json!([{"type": "tool_result", "tool_use_id": "t-1", "content": "done"}]);
        place.line(&json!({"type": "user", "uuid": "u-4", "message": {"content": result}}));
        assert!(place.all()[0].has_continued);
        let listing = block_on(place.stored.list(None)).unwrap();
        assert!(!listing.sessions[0].is_deferred);
        let refused = place.defer(epoch, "r-2").unwrap_err();
        assert!(matches!(refused, StoredError::NotDeferrable), "{refused}");
    }

    #[test]
    fn the_first_answer_of_the_newest_claim_counts() {
        let place = Place::new();
        let epoch = place.claim("one");
        place.defer(epoch, "r-1").unwrap();
        assert_eq!(place.answer(epoch, "Ada"), "Ada");
        assert_eq!(place.answer(epoch, "Bob"), "Ada");
        let deferred = place.all().remove(0);
        assert!(!deferred.is_waiting(epoch));
        // The host of the first claim has ended before the tool had a result. So the next owner must answer again.
        let next = place.claim("other");
        assert!(deferred.is_waiting(next));
        assert_eq!(place.answer(next, "Cid"), "Cid");
        assert_eq!(place.all()[0].answer.as_ref().unwrap().by, "Cid");
        let late = DeferredAnswer::new("Dan", "deny", epoch);
        let late = place.stored.answer_deferred(&place.session, "r-1", late);
        let refused = block_on(late).unwrap_err();
        assert!(matches!(&refused, StoredError::Store(error) if error.is_superseded()));
    }

    #[test]
    fn only_a_tool_use_without_a_result_of_the_main_conversation_is_deferred() {
        let place = Place::new();
        let epoch = place.claim("one");
        let other = CanUseTool::new("Bash", json!({}), "t-2");
        let of_agent = request().agent_id("a-1");
        for request in [other, of_agent] {
            let refused = place.stored.defer(&place.session, epoch, "r-1", &request);
            let refused = block_on(refused).unwrap_err();
            assert!(matches!(refused, StoredError::NotDeferrable), "{refused}");
        }
        place.claim("other");
        let refused = place.defer(epoch, "r-1").unwrap_err();
        assert!(matches!(&refused, StoredError::Store(error) if error.is_superseded()));
        assert_eq!(place.all(), []);
    }
}
