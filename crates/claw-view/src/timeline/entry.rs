//! Entries of a transcript.

use claw_types::ToolUseId;
use claw_types::message::{CompactTrigger, Message};
use claw_types::transcript::{
    AgentMetadataEntry, Attachment, Entry, LocalCommandEntry, SummarizeDirection,
    SummarizeMetadata, UserEntry,
};

use super::notice::level;
use super::screen::{attachment_notice, screen_notice};
use super::user_text::{TASK_NOTIFICATION, UserText, by_use, command_line};
use super::{Origin, Timeline};
use crate::element::{Content, NoticeKind, NoticeLevel, UserInput};

impl Timeline {
    pub(super) fn entry(&mut self, entry: &Entry) {
        self.introduce(entry);
        let from = Origin::new(
            self.agent_of(entry).as_ref(),
            entry.uuid(),
            entry.timestamp(),
        );
        if !matches!(entry, Entry::User(_))
            && entry.uuid().is_some_and(|uuid| self.is_known_line(uuid))
        {
            return;
        }
        match entry {
            Entry::User(user) => self.user_entry(from, user, entry),
            Entry::Assistant(_) => {
                if let Some(Message::Assistant(mut message)) = self.message_of(entry) {
                    message.parent_tool_use_id = from.parent;
                    self.assistant(&message);
                }
            }
            Entry::CompactBoundary(boundary) => {
                let record = &boundary.compact_metadata;
                self.boundary(
                    &from,
                    Some(CompactTrigger::as_str(&record.trigger)),
                    Some(record.pre_tokens.get()),
                    record.post_tokens.map(u64::from),
                );
            }
            Entry::AgentMetadata(metadata) => {
                self.introduced = Some((**metadata).clone());
            }
            Entry::LocalCommand(command) => self.local_command(&from, command),
            Entry::ApiError(error) => {
                let text = error
                    .error
                    .formatted
                    .as_ref()
                    .unwrap_or(&error.error.message);
                self.retried(&from, text.clone());
            }
            Entry::StopHookSummary(hooks) if !hooks.hook_errors.is_empty() => {
                let text = hooks.hook_errors.join("\n");
                self.add_notice(
                    &from,
                    (NoticeKind::Hook, NoticeLevel::Warning, text.clone()),
                );
            }
            Entry::Informational(notice) => {
                let level = level(notice.level.as_deref().unwrap_or_default());
                self.add_notice(
                    &from,
                    (NoticeKind::Information, level, notice.content.clone()),
                );
            }
            Entry::ModelFallback(notice) => self.fallback(&from, notice.content.as_deref()),
            Entry::ModelRefusalFallback(notice) => {
                self.taken_back(notice.retracted_message_uuids.as_deref());
                self.fallback(&from, notice.content.as_deref());
            }
            Entry::ModelRefusalNoFallback(notice) => {
                self.fallback(&from, notice.content.as_deref());
            }
            Entry::Attachment(attached) => match &attached.attachment {
                Attachment::QueuedCommand(queued) => self.queued(&from, &queued.prompt.text()),
                other => {
                    if let Some(notice) = attachment_notice(other) {
                        self.add_notice(&from, notice);
                    }
                }
            },
            Entry::Unknown(unknown) => {
                self.unknown(&from, &unknown.kind(), unknown.json().as_raw(), None);
            }
            other => {
                if let Some(notice) = screen_notice(other) {
                    self.add_notice(&from, notice);
                }
            }
        }
    }

    /// Handles a queued message that the CLI delivered while the turn was running. The message is a prompt, or a
    /// notification that a task has ended.
    fn queued(&mut self, from: &Origin, text: &str) {
        if text.starts_with(TASK_NOTIFICATION) {
            return self.task_notification_text(from, text);
        }
        self.typed(from, text.to_owned());
    }

    /// Handles a text that the person typed.
    fn typed(&mut self, from: &Origin, text: String) {
        let id = format!("{}.0", self.name(from, "said"));
        self.put(from, id, Content::UserInput(UserInput { text }));
    }

    /// Handles the metadata of a sub-agent. The metadata comes before the sub-agent's first entry.
    fn introduce(&mut self, entry: &Entry) {
        if let Some(agent) = agent_id(entry)
            && let Some(metadata) = self.introduced.take()
        {
            self.metadata.insert(agent.to_owned(), metadata);
        }
    }

    /// Returns the tool use that started the sub-agent to which an entry belongs. If the tool use is unknown, returns
    /// the sub-agent's own ID instead.
    fn agent_of(&self, entry: &Entry) -> Option<ToolUseId> {
        let agent = agent_id(entry)?;
        let started = self
            .metadata
            .get(agent)
            .and_then(|known| known.tool_use_id.clone());
        Some(started.unwrap_or_else(|| ToolUseId::from(agent)))
    }

    fn message_of(&self, entry: &Entry) -> Option<Message> {
        let known = agent_id(entry).and_then(|agent| self.metadata.get(agent));
        match known {
            Some(known) => entry.message(Some(known)),
            None => entry.message(Some(&AgentMetadataEntry::new("agent"))),
        }
    }

    fn user_entry(&mut self, from: Origin, user: &UserEntry, entry: &Entry) {
        // The host has chosen a UUID for the prompt. The element gets this UUID, because the host knows no other one.
        let sent_as = Origin::new(None, user.sent_as_uuid.as_ref(), None);
        let from = Origin {
            message: sent_as.message.or(from.message),
            ..from
        };
        let Some(Message::User(message)) = self.message_of(entry) else {
            return;
        };
        self.subagent_message(
            &from,
            message.subagent_type.as_deref(),
            message.task_description.as_deref(),
        );
        if let (Some(part), Some(element)) = (&user.summarize_metadata, &mut self.compaction)
            && let Content::ContextCompaction(compaction) = &mut element.content
        {
            compaction.part = Some(summarized_part(part));
        }
        self.user_text(&UserText {
            from,
            content: &user.message.content,
            is_synthetic: message.is_synthetic == Some(true),
            may_be_caveat: message.is_synthetic == Some(true),
            is_summary: user.is_compact_summary == Some(true),
            output: message.tool_use_result.as_ref(),
            meta: by_use(message.tool_result_meta.as_deref()),
            denials: message.denials(),
        });
    }

    fn local_command(&mut self, from: &Origin, command: &LocalCommandEntry) {
        let text = command.content.trim();
        if let Some(text) = command_line(text) {
            return self.typed(from, text);
        }
        let inside = ["local-command-stdout", "local-command-stderr"]
            .iter()
            .find_map(|tag| {
                let text = text.strip_prefix(&format!("<{tag}>"))?;
                text.strip_suffix(&format!("</{tag}>"))
            });
        let text = inside.unwrap_or(text).trim();
        let run = command.command_run.as_ref();
        self.command_output(from, run.map(|run| &*run.command), text);
    }

    fn fallback(&mut self, from: &Origin, text: Option<&str>) {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.add_notice(
                from,
                (NoticeKind::Fallback, NoticeLevel::Warning, text.to_owned()),
            );
        }
    }
}

/// Returns words that describe which part of the conversation a summary replaces.
fn summarized_part(part: &SummarizeMetadata) -> String {
    let place = match &part.direction {
        Some(SummarizeDirection::From) => " from a prompt on",
        Some(SummarizeDirection::UpTo) => " before a prompt",
        _ => "",
    };
    match part.messages_summarized.get() {
        1 => format!("1 message{place}"),
        count => format!("{count} messages{place}"),
    }
}

/// Returns the ID of the sub-agent to which an entry belongs.
fn agent_id(entry: &Entry) -> Option<&str> {
    match entry {
        Entry::User(entry) if entry.is_sidechain => entry.agent_id.as_deref(),
        Entry::Assistant(entry) if entry.is_sidechain => entry.agent_id.as_deref(),
        _ => None,
    }
}
