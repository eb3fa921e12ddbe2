//! The origin of a prompt.

use crate::Count;

/// The origin of a prompt: who or what wrote it. The field `origin` of `user` messages and of results contains it.
#[wire]
pub enum MessageOrigin {
    /// A prompt that a person wrote.
    Human(HumanOrigin),
    /// A prompt from a channel: an MCP server that sends messages into the session.
    Channel(ChannelOrigin),
    /// A prompt from another session or from a sub-agent.
    Peer(Box<PeerOrigin>),
    /// A prompt with which the CLI reports that a background task has ended or that a scheduled task begins.
    TaskNotification(Box<TaskNotificationOrigin>),
    /// A prompt from the agent that leads a team.
    Coordinator(CoordinatorOrigin),
    /// A prompt whose sender stated no origin.
    Unclassified(UnclassifiedOrigin),
    /// A prompt from an observer: a sub-agent that watches the agent to which it sends the prompt.
    Observer(Box<ObserverOrigin>),
    /// A prompt with which the CLI makes the model continue.
    AutoContinuation(AutoContinuationOrigin),
    /// A prompt with which the CLI reports what an observer (a watching sub-agent) saw.
    ObserverActivity(ObserverActivityOrigin),
}

/// The origin of a prompt that a person wrote.
#[wire(tag(kind = "human"))]
pub struct HumanOrigin {}

/// The origin of a prompt from the agent that leads a team.
#[wire(tag(kind = "coordinator"))]
pub struct CoordinatorOrigin {}

/// The origin of a prompt whose sender stated no origin.
#[wire(tag(kind = "unclassified"))]
pub struct UnclassifiedOrigin {}

/// The origin of a prompt with which the CLI makes the model continue.
#[wire(tag(kind = "auto-continuation"))]
pub struct AutoContinuationOrigin {}

/// The origin of a prompt with which the CLI reports what an observer (a watching sub-agent) saw.
#[wire(tag(kind = "observer-activity"))]
pub struct ObserverActivityOrigin {}

/// The origin of a prompt from a channel: an MCP server that sends messages into the session.
#[wire(tag(kind = "channel"))]
pub struct ChannelOrigin {
    /// The name of the MCP server.
    pub server: String,
}

/// Whether tools in the sender's session run without asking for permission.
#[wire(open)]
pub enum PeerMode {
    /// Tools in the sender's session run without asking for permission.
    Bypass = "bypass",
    /// Tools in the sender's session ask for permission.
    Prompting = "prompting",
}

/// The origin of a prompt from another session, or from a sub-agent of this session.
///
/// A field is absent if it does not apply, or if the sender is too old to send it.
#[wire(tag(kind = "peer"), rename_all = "camelCase")]
pub struct PeerOrigin {
    /// The address of the sender.
    pub from: String,
    /// Whether tools in the sender's session run without asking for permission, according to the sender.
    pub from_mode: Option<PeerMode>,
    /// The display name of the sender.
    pub name: Option<String>,
    /// The ID of the sender's session, as stated by the sender.
    pub from_session: Option<String>,
    /// The ID of the background task that sent the prompt. Absent if another session sent it.
    pub sender_task_id: Option<String>,
    /// The sender's text as the model reads it, but without the tags that the CLI puts around the text.
    pub body: Option<String>,
    /// The process ID of the sender, as verified by the kernel.
    pub verified_peer_pid: Option<Count>,
}

/// The kind of task notification.
#[wire(open)]
pub enum NotificationSubkind {
    /// The start of a scheduled task.
    ScheduledTrigger = "scheduled-trigger",
    /// A message that another session sent.
    PeerSendMessage = "peer-send-message",
    /// A message that was relayed from a project.
    ProjectsRelay = "projects-relay",
    /// A message from the session's inbox.
    SessionInbox = "session-inbox",
    /// An event outside of the session that Anthropic's server reports, such as a webhook.
    ExternalEvent = "external-event",
}

/// The origin of a prompt with which the CLI reports that a background task has ended or that a scheduled task begins.
#[wire(tag(kind = "task-notification"), rename_all = "camelCase")]
pub struct TaskNotificationOrigin {
    /// The kind of notification. Absent for the end of a background task.
    pub subkind: Option<NotificationSubkind>,
    /// The reason why the scheduled task began, such as `scheduled`, `manual` or `retry`.
    pub fire_reason: Option<String>,
    /// The ID of the task's run. The messages about the task contain the same ID.
    pub run_id: Option<String>,
    /// The origin of the work that the notification is about. The value is `session-task` if this session itself began
    /// the work.
    pub producer: Option<String>,
}

/// The origin of a prompt from an observer: a sub-agent that watches the agent to which it sends the prompt.
#[wire(tag(kind = "observer"), rename_all = "camelCase")]
pub struct ObserverOrigin {
    /// The name of the watching sub-agent.
    pub from: String,
    /// The task ID of the watching sub-agent.
    pub sender_task_id: String,
}

#[cfg(test)]
mod tests;
