//! Notices. A notice shows an event that is not part of the conversation.

use claw_types::api::Usage;
use claw_types::message::internal::InternalMessage;
use claw_types::message::{
    HookOutcome, Message, ResultError, ResultSuccess, SystemInit, TerminalReason,
};
use claw_types::{Count, MessageUuid, Number};

use super::{Origin, Timeline, wrapped};
use crate::element::{
    AssistantText, CommandOutput, Content, Error, Notice, NoticeKind, NoticeLevel, TaskState,
    Thinking, TurnEnd,
};
use crate::servers::unconnected_servers;

/// The beginning of error texts that contain internal data for the CLI's developers.
const DIAGNOSTIC: &str = "[ede_diagnostic]";

/// The kind, level and text of a notice.
pub(super) type NoticeText = (NoticeKind, NoticeLevel, String);

impl Timeline {
    pub(super) fn notice_of(&mut self, message: &Message) {
        let from = Origin::new(None, message.uuid(), None);
        match message {
            Message::ResultSuccess(result) => {
                // If the result is an error, its text is part of the turn's end and not an answer.
                let answer = Some(&*result.result).filter(|_| !result.is_error);
                self.turn_end(&from, answer, succeeded(result));
            }
            Message::ResultError(result) => {
                self.tools_cut_short();
                self.turn_end(&from, None, failed(result));
            }
            Message::ApiRetry(retry) => {
                let (error, number, most) = (&retry.error, &retry.attempt, &retry.max_retries);
                let text =
                    format!("A request to the API failed ({error}): retry {number} of {most}.");
                self.retried(&from, text);
            }
            Message::ModelRefusalFallback(fallback) => {
                self.taken_back(fallback.retracted_message_uuids.as_deref());
                let text = fallback.content.clone();
                self.add_notice(&from, (NoticeKind::Fallback, NoticeLevel::Warning, text));
            }
            Message::LocalCommandOutput(output) => {
                self.command_output(&from, None, &output.content);
            }
            Message::AuthStatus(status) => {
                if let Some(error) = &status.error {
                    self.error(&from, error, Some("auth_status"));
                }
            }
            Message::Status(status) => {
                if let Some(error) = &status.compact_error {
                    self.error(&from, error, Some("compact"));
                }
            }
            Message::SystemInit(init) => self.unconnected_servers(&from, init),
            Message::Internal(internal) => self.internal_notice_of(&from, internal),
            other => {
                if let Some(notice) = notice_text(other) {
                    self.add_notice(&from, notice);
                }
            }
        }
    }

    fn internal_notice_of(&mut self, from: &Origin, message: &InternalMessage) {
        match message {
            InternalMessage::ApiError(error) => self.retried(from, error.error.formatted.clone()),
            InternalMessage::Tombstone(tombstone) => {
                let uuid = tombstone.message.get("uuid");
                if let Some(uuid) = uuid.and_then(|uuid| uuid.parse::<MessageUuid>().ok()) {
                    self.take_back(&uuid);
                }
            }
            InternalMessage::Thinking(thinking) => {
                let content = Thinking {
                    text: thinking.content.clone(),
                    streaming: false,
                    redacted: false,
                };
                let id = self.name(from, "thinking");
                self.add(from, id, Content::Thinking(content));
            }
            other => {
                if let Some(notice) = internal_notice_text(other) {
                    self.add_notice(from, notice);
                }
            }
        }
    }

    /// Adds a notice that names the MCP servers that are not connected when a turn begins. Does nothing if the last
    /// turn had the same notice.
    fn unconnected_servers(&mut self, from: &Origin, init: &SystemInit) {
        let servers = unconnected_servers(init).join("\n");
        if servers == self.servers {
            return;
        }
        self.servers.clone_from(&servers);
        if !servers.is_empty() {
            self.add_notice(from, (NoticeKind::Session, NoticeLevel::Warning, servers));
        }
    }

    pub(super) fn add_notice(&mut self, from: &Origin, (kind, level, text): NoticeText) {
        let id = self.name(from, "notice");
        self.put(from, id, Content::Notice(Notice { kind, level, text }));
    }

    pub(super) fn command_output(&mut self, from: &Origin, command: Option<&str>, text: &str) {
        let content = CommandOutput {
            command: command.map(str::to_owned),
            text: text.to_owned(),
        };
        let id = self.name(from, "output");
        self.put(from, id, Content::CommandOutput(content));
    }

    fn error(&mut self, from: &Origin, text: &str, kind: Option<&str>) {
        let content = Error {
            text: text.to_owned(),
            kind: kind.map(str::to_owned),
        };
        let id = self.name(from, "error");
        self.add(from, id, Content::Error(content));
    }

    /// Handles a retry of an API request. All retries share one notice until the API responds.
    pub(super) fn retried(&mut self, from: &Origin, text: String) {
        let content = Content::Notice(Notice {
            kind: NoticeKind::Retry,
            level: NoticeLevel::Warning,
            text,
        });
        if let Some(mut element) = self.retry.take() {
            element.content = content;
            self.update(&element);
            self.retry = Some(element);
        } else {
            let id = self.name(from, "retry");
            self.retry = Some(self.add(from, id, content));
        }
    }

    /// Adds the end of a turn. If the text of the result was not shown yet, adds the text too.
    fn turn_end(&mut self, from: &Origin, answer: Option<&str>, end: TurnEnd) {
        self.abandon(0);
        self.growing = None;
        self.retry = None;
        self.interruption = None;
        self.is_interrupted = false;
        self.compaction = None;
        self.turn_tools.clear();
        if let Some(command) = self.forked_command.take() {
            let state = match (end.ok, end.interrupted) {
                (true, _) => TaskState::Completed,
                (false, true) => TaskState::Stopped,
                (false, false) => TaskState::Failed,
            };
            self.agent_ends(&command, state);
        }
        let is_shown = self.seen_texts.contains(answer.unwrap_or_default());
        if let Some(text) = answer
            && !text.trim().is_empty()
            && !is_shown
        {
            let content = AssistantText {
                text: text.to_owned(),
                streaming: false,
                aborted: false,
            };
            let id = format!("{}.answer", self.name(from, "turn"));
            self.add(from, id, Content::AssistantText(content));
        }
        let id = self.name(from, "turn");
        self.add(from, id, Content::TurnEnd(end));
    }
}

/// Returns a notice for a message. Returns `None` if the message is shown as an element of another kind, or not shown.
fn notice_text(message: &Message) -> Option<NoticeText> {
    use NoticeKind as Kind;
    use NoticeLevel::{Error, Info, Warning};
    let (kind, level, text) = match message {
        Message::Informational(notice) => (
            Kind::Information,
            level(notice.level.as_str()),
            notice.content.clone(),
        ),
        Message::Notification(notice) => (Kind::Information, Info, notice.text.clone()),
        Message::HookResponse(hook) => {
            let well = hook.outcome == HookOutcome::Success;
            let output = [&hook.output, &hook.stderr]
                .into_iter()
                .find(|text| !text.is_empty());
            let output = output.map_or_else(String::new, |text| format!(": {}", text.trim_end()));
            let level = if well { Info } else { Warning };
            let name = &hook.hook_name;
            (
                Kind::Hook,
                level,
                format!("{name} {}{output}", hook.outcome),
            )
        }
        Message::ModelRefusalNoFallback(notice) if !notice.content.is_empty() => {
            (Kind::Fallback, Warning, notice.content.clone())
        }
        Message::PermissionDenied(denied) => {
            let why = wrapped::denial(&denied.message);
            let why = why.as_ref().unwrap_or(&denied.message);
            let text = format!("{} was denied: {why}", denied.tool_name);
            (Kind::Permission, Warning, text)
        }
        Message::ToolUseSummary(notice) => (Kind::Summary, Info, notice.summary.clone()),
        Message::PromptSuggestion(notice) => (Kind::Suggestion, Info, notice.suggestion.clone()),
        Message::RateLimitEvent(limit) => {
            let info = &limit.rate_limit_info;
            let status = match info.status.as_str() {
                "allowed" => return None,
                "allowed_warning" => "nearly reached",
                "rejected" => "reached",
                other => other,
            };
            let used = info.utilization.as_ref().map(|used| 100.0 * used.as_f64());
            let used = used.map_or_else(String::new, |used| format!(", {used:.0} % used"));
            (
                Kind::RateLimit,
                Warning,
                format!("Rate limit: {status}{used}"),
            )
        }
        Message::ConversationReset(_) => {
            (Kind::Session, Info, "A new conversation begins.".to_owned())
        }
        Message::SessionWritesLost(lost) => {
            let text = format!(
                "Some of the conversation was not written to disk: {}",
                lost.error_code
            );
            (Kind::Session, Error, text)
        }
        Message::MirrorError(error) => (Kind::Session, Warning, error.error.clone()),
        Message::WorkerShuttingDown(notice) => (Kind::Session, Warning, notice.reason.clone()),
        Message::MemoryRecall(notice) => {
            let paths: Vec<_> = notice.memories.iter().map(|memory| &*memory.path).collect();
            (Kind::Other, Info, format!("Recalled: {}", paths.join(", ")))
        }
        Message::FilesPersisted(files) if !files.failed.is_empty() => {
            let failed = files
                .failed
                .iter()
                .map(|file| format!("{}: {}", file.filename, file.error));
            (Kind::Other, Warning, failed.collect::<Vec<_>>().join("\n"))
        }
        _ => return None,
    };
    Some((kind, level, text))
}

/// Returns the notice for a message of an internal kind. No published type of the protocol describes these kinds.
fn internal_notice_text(message: &InternalMessage) -> Option<NoticeText> {
    use NoticeKind as Kind;
    use NoticeLevel::{Info, Warning};
    Some(match message {
        InternalMessage::UiLog(notice) => (Kind::Information, Info, notice.text.clone()),
        InternalMessage::OsNotification(notice) => {
            (Kind::Information, Info, notice.message.clone())
        }
        InternalMessage::StopHookSummary(hooks) if !hooks.hook_errors.is_empty() => {
            (Kind::Hook, Warning, hooks.hook_errors.join("\n"))
        }
        InternalMessage::ModelFallback(notice) => (Kind::Fallback, Warning, notice.content.clone()),
        InternalMessage::ModelConsentFallback(notice) => {
            (Kind::Fallback, Warning, notice.content.clone())
        }
        InternalMessage::LateAllowNotRun(_) => {
            let text = "A permission came too late: the tool does not run.".to_owned();
            (Kind::Permission, Warning, text)
        }
        InternalMessage::AwaySummary(notice) => (Kind::Summary, Info, notice.content.clone()),
        InternalMessage::PostTurnSummary(notice) => {
            (Kind::Summary, Info, notice.status_detail.clone())
        }
        InternalMessage::AgentsKilled(_) => (Kind::Session, Info, agents_ended()),
        InternalMessage::ScheduledTaskFire(notice) => (Kind::Session, Info, notice.content.clone()),
        InternalMessage::CodeChangePublished(notice) => {
            (Kind::Repository, Info, notice.url.clone())
        }
        InternalMessage::MemorySaved(notice) => {
            (Kind::Other, Info, memories_saved(&notice.written_paths))
        }
        InternalMessage::FileAttachmentsMissing(notice) => {
            let text = format!(
                "{} of {} files did not arrive.",
                notice.missing.len(),
                notice.sent_count
            );
            (Kind::Other, Warning, text)
        }
        InternalMessage::InstructionSizeWarning(notice) => {
            let (now, most) = (notice.total_chars, notice.total_limit_chars);
            (
                Kind::Other,
                Warning,
                format!("The instructions are long: {now} of {most} characters"),
            )
        }
        InternalMessage::FeedbackDraftQueued(notice) => (Kind::Other, Info, notice.title.clone()),
        _ => return None,
    })
}

pub(super) fn agents_ended() -> String {
    "The sub-agents in the background were ended.".to_owned()
}

pub(super) fn memories_saved(paths: &[String]) -> String {
    format!("Saved: {}", paths.join(", "))
}

pub(super) fn level(level: &str) -> NoticeLevel {
    match level {
        "error" => NoticeLevel::Error,
        "warning" => NoticeLevel::Warning,
        _ => NoticeLevel::Info,
    }
}

/// If the message is a result, returns the end of its turn. Returns `None` for any other message.
pub(crate) fn turn_end(message: &Message) -> Option<TurnEnd> {
    match message {
        Message::ResultSuccess(result) => Some(succeeded(result)),
        Message::ResultError(result) => Some(failed(result)),
        _ => None,
    }
}

fn succeeded(result: &ResultSuccess) -> TurnEnd {
    let mut errors = Vec::new();
    if result.is_error {
        errors.push(result.result.clone());
    }
    if let Some(status) = result.api_error_status.value() {
        errors.push(format!("The Messages API answered with status {status}."));
    }
    let subtype = "success";
    let numbers = (
        &result.num_turns,
        &result.duration_ms,
        &result.total_cost_usd,
    );
    let how = if result.is_error {
        How::Failed
    } else {
        How::Done
    };
    end(how, subtype, errors, numbers, &result.usage)
}

fn failed(result: &ResultError) -> TurnEnd {
    let reason = result.terminal_reason.as_ref();
    let interrupted = reason.is_some_and(TerminalReason::is_interruption);
    let mut errors = result.errors.clone().unwrap_or_default();
    if interrupted {
        errors.retain(|error| !error.starts_with(DIAGNOSTIC));
    }
    let subtype = result.subtype.as_str();
    let numbers = (
        &result.num_turns,
        &result.duration_ms,
        &result.total_cost_usd,
    );
    let how = if interrupted {
        How::Interrupted
    } else {
        How::Failed
    };
    end(how, subtype, errors, numbers, &result.usage)
}

/// The outcome of a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Done,
    Interrupted,
    Failed,
}

fn end(
    how: How,
    subtype: &str,
    errors: Vec<String>,
    (turns, duration, cost): (&Count, &Number, &Number),
    usage: &Usage,
) -> TurnEnd {
    let cached = [
        &usage.cache_creation_input_tokens,
        &usage.cache_read_input_tokens,
    ];
    let read = cached.into_iter().chain([&usage.input_tokens]);
    let read = read.map(|tokens| tokens.value().map_or(0, |tokens| tokens.get()));
    let input_tokens = read.fold(0_u64, u64::saturating_add);
    let output_tokens = usage.output_tokens.get();
    let turns = turns.get();
    let word = match how {
        How::Done => "done",
        How::Interrupted => "interrupted",
        How::Failed => "error",
    };
    let cost_usd = cost.as_f64();
    // A figure of 0 is left out. In older forms of the protocol, it can mean that the figure is missing.
    let mut figures = Vec::new();
    if turns > 0 {
        let s = if turns == 1 { "" } else { "s" };
        figures.push(format!("{turns} turn{s}"));
    }
    if duration.as_f64() > 0.0 {
        figures.push(format!("{:.1} s", duration.as_f64() / 1_000.0));
    }
    if input_tokens > 0 || output_tokens > 0 {
        figures.push(format!("{input_tokens} tokens in, {output_tokens} out"));
    }
    let mut text = word.to_owned();
    if !figures.is_empty() {
        text = format!("{word}: {}", figures.join(", "));
    }
    if cost_usd > 0.0 {
        text = format!("{text}; the session so far: ${cost_usd:.4}");
    }
    TurnEnd {
        ok: how == How::Done,
        interrupted: how == How::Interrupted,
        subtype: subtype.to_owned(),
        text,
        errors,
        turns,
        duration_ms: duration.as_f64(),
        cost_usd,
        input_tokens,
        output_tokens,
    }
}
