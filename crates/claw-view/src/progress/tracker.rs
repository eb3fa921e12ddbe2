//! Derives progress from messages.

mod streaming;
mod worker;

use std::collections::HashMap;

use claw_types::api::{ContentBlock, ToolResultBlock, ToolUseBlock};
use claw_types::message::internal::{CompactEvent, InternalMessage};
use claw_types::message::{
    CompactResult, ControlRequestStatus, SessionState, SessionStatus, StatusMessage, ToolProgress,
    UserMessage,
};
use claw_types::tool::{ToolInput, ToolOutput};
use claw_types::{Count, Json, Message, ToolUseId};

use crate::{Activity, ToolDisplay};

use self::streaming::Answer;
use self::worker::{Key, Workers};
use super::list::List;
use super::{Certainty, Progress, Source, State, in_output, in_short};

/// Derives progress from the messages of one session. Pass all messages to it, in their order.
///
/// The tracker prefers fields of the protocol. If no field reports progress, the tracker reads the text of the model
/// and the output of the commands that the model runs. If the session has partial messages, the tracker reads each line
/// of text as soon as the line is complete. The complete message then does not report the same progress again. If the
/// session gets a new ID, as after `/clear`, continue with the same tracker.
///
/// ```
/// use claw_types::{Message, from_line};
/// use claw_view::progress::Tracker;
///
/// let line = br#"{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant",
///     "model":"claude-opus-5-5","content":[{"type":"text","text":"Running test 5 of 20..."}],
///     "stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":2}},
///     "parent_tool_use_id":null,"uuid":"u-1","session_id":"s-1"}"#;
/// let message: Message = from_line(line)?;
/// let mut tracker = Tracker::new();
/// let progress = tracker.push(&message);
/// assert_eq!(progress[0].percentage, Some(25.0));
/// assert_eq!(tracker.current(), progress.last());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Tracker {
    /// Tool uses without a result.
    uses: HashMap<ToolUseId, Use>,
    /// The to-do lists of the main conversation and of each sub-agent.
    lists: HashMap<Option<ToolUseId>, List>,
    /// The streaming responses of the main conversation and of each sub-agent.
    answers: HashMap<Option<ToolUseId>, Answer>,
    workers: Workers,
    current: Option<Progress>,
}

/// A tool use.
#[derive(Debug)]
enum Use {
    /// A command: its description, and the fields that the reports of its progress contain.
    Command(String, ToolReport),
    /// A use of `TodoWrite` or of a task-list tool. If it succeeds, the list changes.
    List(Box<ToolInput>),
    /// The start of a sub-agent.
    Agent,
    /// Any other tool.
    Other(ToolReport),
}

/// The fields that all reports of a tool use's progress contain.
#[derive(Debug)]
struct ToolReport {
    title: String,
    activity: Activity,
}

impl ToolReport {
    fn progress(&self, tool: &ToolUseId, state: State) -> Progress {
        Progress {
            tool_use_id: Some(tool.clone()),
            step: Some(self.title.clone()),
            state,
            activity: Some(self.activity),
            ..Progress::new(Source::ToolUse, Certainty::Certain)
        }
    }
}

impl Tracker {
    /// Creates a tracker that has not received any messages yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Handles a message, and returns the progress that the message reports. Most messages report no progress, and some
    /// report several kinds of progress.
    pub fn push(&mut self, message: &Message) -> Vec<Progress> {
        let mut progress = Vec::new();
        self.read(message, &mut progress);
        let own = |progress: &&Progress| progress.source != Source::ToolUse;
        for progress in progress.iter().filter(own) {
            if progress.worker.is_some() {
                self.workers.keep(progress);
            } else {
                self.current = Some(progress.clone());
            }
        }
        progress
    }

    /// Returns the last progress of the main conversation, ignoring the progress of tool uses. `None` if no progress
    /// was reported yet.
    pub fn current(&self) -> Option<&Progress> {
        self.current.as_ref()
    }

    /// Returns the last progress of each task and sub-agent, in the order in which they started. Ended tasks and
    /// sub-agents are included. The progress of tool uses is ignored.
    pub fn workers(&self) -> impl Iterator<Item = &Progress> {
        self.workers.progress()
    }

    fn read(&mut self, message: &Message, out: &mut Vec<Progress>) {
        match message {
            Message::Assistant(message) => {
                let parent = message.parent_tool_use_id.as_ref();
                let worker = Key::new(message.agent_id.as_deref(), parent);
                // Some texts come from the CLI and not from the model: errors, and the output of slash commands. They
                // report no progress.
                let is_model_text =
                    message.error.is_none() && message.local_command_source.is_none();
                for block in &message.message.content {
                    match block {
                        ContentBlock::Text(text) if is_model_text => {
                            for progress in streaming::whole(&mut self.answers, message, &text.text)
                            {
                                out.push(self.attribute(worker.as_ref(), progress));
                            }
                        }
                        ContentBlock::ToolUse(tool) => {
                            self.tool_use(tool, worker.as_ref(), out);
                        }
                        _ => {}
                    }
                }
            }
            Message::StreamEvent(message) => {
                let worker = Key::new(None, message.parent_tool_use_id.as_ref());
                for progress in streaming::streamed(&mut self.answers, message) {
                    out.push(self.attribute(worker.as_ref(), progress));
                }
            }
            Message::User(message) => self.results(message, out),
            Message::ToolProgress(message) => out.push(self.tool_progress(message)),
            Message::TaskStarted(message) => out.extend(self.workers.started(message)),
            Message::TaskProgress(message) => out.push(self.workers.on_progress(message)),
            Message::TaskUpdated(message) => out.push(self.workers.updated(message)),
            Message::TaskNotification(message) => out.push(self.workers.ended(message)),
            Message::Internal(InternalMessage::AgentsKilled(_)) => {
                out.extend(self.workers.kill_running());
            }
            Message::Internal(InternalMessage::TaskListStatuses(message)) => {
                let list = self.lists.entry(None).or_default();
                if list.set(message) {
                    out.extend(list.progress());
                }
            }
            Message::ConversationReset(_) => {
                // The maps are replaced and not cleared. Clearing a map takes time in proportion to the largest size
                // that it has had.
                self.uses = HashMap::new();
                self.lists = HashMap::new();
            }
            Message::ResultSuccess(_) | Message::ResultError(_) => {
                out.extend(self.workers.turn_ends());
                out.extend(of_session(message));
            }
            _ => out.extend(of_session(message)),
        }
    }

    fn of(&self, worker: Option<&Key>, progress: Progress) -> Progress {
        Progress {
            worker: worker.map(|key| self.workers.get(key)),
            ..progress
        }
    }

    /// Determines to whom a report from the model's text belongs. In the main conversation, a report that mentions a
    /// sub-agent belongs to that sub-agent. Any other report belongs to the main conversation. A report in a
    /// sub-agent's text belongs to that sub-agent, even if it mentions other sub-agents.
    fn attribute(&mut self, speaker: Option<&Key>, progress: Progress) -> Progress {
        match (speaker, &progress.worker) {
            (None, Some(_)) => self.workers.attribute_mention(progress),
            (Some(_), Some(_)) => Progress {
                state: State::Running,
                ..self.of(speaker, progress)
            },
            _ => self.of(speaker, progress),
        }
    }

    fn tool_use(&mut self, tool: &ToolUseBlock, worker: Option<&Key>, out: &mut Vec<Progress>) {
        let input = tool.typed_input();
        let title = match &input {
            Ok(input) => ToolDisplay::of_input(input),
            Err(_) => ToolDisplay::of(&tool.name, &tool.input),
        };
        let act = ToolReport {
            title: title.text(),
            activity: Activity::of(&tool.name),
        };
        let used = match input {
            Ok(ToolInput::Bash(input)) => {
                let name = input.description.unwrap_or(input.command);
                Use::Command(in_short(&name), act)
            }
            Ok(
                input @ (ToolInput::TodoWrite(_)
                | ToolInput::TaskCreate(_)
                | ToolInput::TaskUpdate(_)
                | ToolInput::TaskList(_)),
            ) => Use::List(Box::new(input)),
            Ok(ToolInput::Agent(input)) => {
                out.extend(self.workers.launched(&tool.id, &input));
                Use::Agent
            }
            // These are tools of older CLIs and of other shells. claw has no types for their inputs, so they are
            // recognised by their names.
            _ if matches!(&*tool.name, "PowerShell" | "BashOutput" | "TaskOutput") => {
                Use::Command(in_short(&tool.name), act)
            }
            _ => Use::Other(act),
        };
        if let Use::Command(_, act) | Use::Other(act) = &used {
            out.push(self.of(worker, act.progress(&tool.id, State::Running)));
        }
        self.uses.insert(tool.id.clone(), used);
    }

    fn results(&mut self, message: &UserMessage, out: &mut Vec<Progress>) {
        let parent = message.parent_tool_use_id.as_ref();
        let worker = Key::new(message.agent_id.as_deref(), parent);
        let worker = worker.as_ref();
        for block in message.message.content.blocks() {
            let ContentBlock::ToolResult(result) = block else {
                continue;
            };
            let raw = message.tool_use_result.as_ref();
            let finished = |act: &ToolReport| {
                let state = match result.is_error {
                    Some(true) => State::Failed,
                    _ => State::Completed,
                };
                act.progress(&result.tool_use_id, state)
            };
            match self.uses.remove(&result.tool_use_id) {
                Some(Use::Other(act)) => out.push(self.of(worker, finished(&act))),
                Some(Use::Command(name, act)) => {
                    let progress = in_output(&printed(result, raw)).map(|progress| Progress {
                        step: progress.step.clone().or(Some(name)),
                        tool_use_id: Some(result.tool_use_id.clone()),
                        ..self.of(worker, progress)
                    });
                    out.extend(progress);
                    out.push(self.of(worker, finished(&act)));
                }
                Some(Use::List(input)) if result.is_error != Some(true) => {
                    let output = raw.and_then(|raw| ToolOutput::of(&input.tool_name(), raw).ok());
                    // The task-list tools of the main conversation and of all sub-agents change the same list.
                    // `TodoWrite` has a separate list for each sub-agent.
                    let owner = match *input {
                        ToolInput::TodoWrite(_) => parent.cloned(),
                        _ => None,
                    };
                    let list = self.lists.entry(owner).or_default();
                    if list.apply(&input, output.as_ref())
                        && let Some(progress) = list.progress()
                    {
                        out.push(Progress {
                            tool_use_id: Some(result.tool_use_id.clone()),
                            ..self.of(worker, progress)
                        });
                    }
                }
                Some(Use::Agent) => {
                    let failed = result.is_error == Some(true);
                    out.extend(self.workers.answered(&result.tool_use_id, failed));
                }
                _ => {}
            }
        }
    }

    fn tool_progress(&self, message: &ToolProgress) -> Progress {
        // A heartbeat has a separate ID. Its parent is the tool use that it is about.
        let (tool, parent) = match (message.heartbeat, &message.parent_tool_use_id) {
            (Some(true), Some(tool)) => (tool, None),
            (_, parent) => (&message.tool_use_id, parent.as_ref()),
        };
        let name = match self.uses.get(tool) {
            Some(Use::Command(name, _)) => name.clone(),
            _ => in_short(&message.tool_name),
        };
        let retry = message.subagent_retry.as_ref();
        let worker = Key::new(message.task_id.as_deref(), parent);
        let progress = Progress {
            tool_use_id: Some(tool.clone()),
            step: Some(match retry {
                Some(retry) => attempt(Some(retry.attempt), Some(retry.max_retries)),
                None => name,
            }),
            state: if retry.is_some() {
                State::Waiting
            } else {
                State::Running
            },
            elapsed_ms: Some(message.elapsed_time_seconds.as_f64() * 1000.0),
            ..Progress::new(
                if retry.is_some() {
                    Source::Retry
                } else {
                    Source::ToolProgress
                },
                Certainty::Certain,
            )
        };
        self.of(worker.as_ref(), progress)
    }
}

/// Returns the output of a command. If the result has a structured output, that is used. Otherwise, the text for the
/// model is used.
fn printed(result: &ToolResultBlock, raw: Option<&Json>) -> String {
    match raw.map(|raw| ToolOutput::of("Bash", raw)) {
        Some(Ok(ToolOutput::Bash(output))) => format!("{}\n{}", output.stderr, output.stdout),
        _ => result
            .content
            .as_ref()
            .map(claw_types::api::Content::text)
            .unwrap_or_default(),
    }
}

/// Returns the number of a retry in words, such as `Retry 2 of 10`. The text is reported as a step and not as a count,
/// because a retry does not advance the work.
fn attempt(attempt: Option<Count>, of: Option<Count>) -> String {
    match (attempt, of) {
        (Some(attempt), Some(of)) => format!("Retry {} of {}", attempt.get(), of.get()),
        _ => "Retry".to_owned(),
    }
}

/// Returns the progress that a message reports about the session itself, such as its status, a retry or a compaction.
fn of_session(message: &Message) -> Option<Progress> {
    let progress = |source, state, step: Option<String>| Progress {
        step,
        state,
        ..Progress::new(source, Certainty::Certain)
    };
    let retry = |step| Some(progress(Source::Retry, State::Waiting, Some(step)));
    match message {
        Message::ThinkingTokens(message) => Some(Progress {
            tokens: Some(message.estimated_tokens.get()),
            ..progress(
                Source::Thinking,
                State::Running,
                Some("Thinking".to_owned()),
            )
        }),
        Message::SessionStateChanged(message) => {
            let state = match message.state {
                SessionState::Idle => State::Completed,
                SessionState::RequiresAction => State::Waiting,
                _ => State::Running,
            };
            Some(progress(Source::Session, state, None))
        }
        Message::Internal(InternalMessage::TaskSummary(message)) => {
            let doing = message.detail.clone();
            let state = if doing.is_some() {
                State::Running
            } else {
                State::Completed
            };
            Some(progress(Source::Session, state, doing))
        }
        Message::Status(message) => of_status(message),
        Message::Internal(InternalMessage::CompactProgress(message)) => {
            let (step, state) = match &message.event {
                CompactEvent::HooksStart(hooks) => {
                    (format!("Running {} hooks", hooks.hook_type), State::Running)
                }
                CompactEvent::CompactStart(_) => (COMPACTING.to_owned(), State::Running),
                CompactEvent::CompactEnd(_) => (COMPACTING.to_owned(), State::Completed),
                _ => return None,
            };
            Some(progress(Source::Compaction, state, Some(step)))
        }
        Message::CompactBoundary(message) => Some(Progress {
            elapsed_ms: message.compact_metadata.duration_ms.map(|ms| ms.as_f64()),
            ..progress(
                Source::Compaction,
                State::Completed,
                Some(COMPACTING.to_owned()),
            )
        }),
        Message::ApiRetry(message) => {
            retry(attempt(Some(message.attempt), Some(message.max_retries)))
        }
        Message::Internal(InternalMessage::ApiError(message)) => retry(attempt(
            Some(message.retry_attempt),
            Some(message.max_retries),
        )),
        Message::ControlRequestProgress(message) => match message.status {
            ControlRequestStatus::ApiRetry => retry(attempt(message.attempt, message.max_retries)),
            _ => None,
        },
        Message::ResultSuccess(result) => {
            let state = if result.is_error {
                State::Failed
            } else {
                State::Completed
            };
            Some(Progress {
                elapsed_ms: Some(result.duration_ms.as_f64()),
                ..progress(Source::Turn, state, None)
            })
        }
        Message::ResultError(result) => Some(Progress {
            elapsed_ms: Some(result.duration_ms.as_f64()),
            ..progress(Source::Turn, State::Failed, None)
        }),
        _ => None,
    }
}

const COMPACTING: &str = "Compacting the conversation";

fn of_status(message: &StatusMessage) -> Option<Progress> {
    let compaction = |state| Progress {
        step: Some(COMPACTING.to_owned()),
        state,
        ..Progress::new(Source::Compaction, Certainty::Certain)
    };
    match (&message.compact_result, &message.status) {
        (Some(result), _) if *result == CompactResult::Failed => Some(compaction(State::Failed)),
        (Some(_), _) => Some(compaction(State::Completed)),
        (None, Some(SessionStatus::Compacting)) => Some(compaction(State::Running)),
        (None, Some(SessionStatus::Requesting)) => Some(Progress {
            step: Some("Waiting for the model".to_owned()),
            state: State::Waiting,
            ..Progress::new(Source::Session, Certainty::Certain)
        }),
        _ => None,
    }
}
