//! Where a prompt comes from.

use crate::Count;

/// Where a prompt comes from, where it is known. On `user` lines and on the result of the turn that
/// answers them.
#[wire]
pub enum MessageOrigin {
    /// A person.
    Human(HumanOrigin),
    /// A channel of an MCP server.
    Channel(ChannelOrigin),
    /// Another session, or a sub-agent.
    Peer(Box<PeerOrigin>),
    /// The CLI: a background task is over, or a scheduled one begins.
    TaskNotification(Box<TaskNotificationOrigin>),
    /// The agent that leads a team.
    Coordinator(CoordinatorOrigin),
    /// Nobody said.
    Unclassified(UnclassifiedOrigin),
    /// A sub-agent that watches this one.
    Observer(Box<ObserverOrigin>),
    /// The CLI, to let the model go on.
    AutoContinuation(AutoContinuationOrigin),
    /// The CLI, on what a watching sub-agent saw.
    ObserverActivity(ObserverActivityOrigin),
}

/// A person wrote it.
#[wire(tag(kind = "human"))]
pub struct HumanOrigin {}

/// The agent that leads a team wrote it.
#[wire(tag(kind = "coordinator"))]
pub struct CoordinatorOrigin {}

/// Nobody said who wrote it.
#[wire(tag(kind = "unclassified"))]
pub struct UnclassifiedOrigin {}

/// The CLI wrote it, to let the model go on.
#[wire(tag(kind = "auto-continuation"))]
pub struct AutoContinuationOrigin {}

/// The CLI wrote it, on what a watching sub-agent saw.
#[wire(tag(kind = "observer-activity"))]
pub struct ObserverActivityOrigin {}

/// It came over a channel of an MCP server.
#[wire(tag(kind = "channel"))]
pub struct ChannelOrigin {
    /// The server.
    pub server: String,
}

/// Whether the sender's tools run without asking.
#[wire(open)]
pub enum PeerMode {
    /// They do.
    Bypass = "bypass",
    /// They ask.
    Prompting = "prompting",
}

/// Another session wrote it, or a sub-agent of this one.
#[wire(tag(kind = "peer"), rename_all = "camelCase")]
pub struct PeerOrigin {
    /// The sender.
    pub from: String,
    /// Whether the sender's tools run without asking, by its own word.
    pub from_mode: Option<PeerMode>,
    /// The sender's name for people.
    pub name: Option<String>,
    /// The sender's session.
    pub from_session: Option<String>,
    /// The background task that sent it; absent where another session did.
    pub sender_task_id: Option<String>,
    /// The text alone, as the model reads it.
    pub body: Option<String>,
    /// The sender's process, as the kernel says.
    pub verified_peer_pid: Option<Count>,
}

/// What kind of notice it is.
#[wire(open)]
pub enum NotificationSubkind {
    /// A scheduled task begins.
    ScheduledTrigger = "scheduled-trigger",
    /// Another session sent a message.
    PeerSendMessage = "peer-send-message",
    /// It was passed on from a project.
    ProjectsRelay = "projects-relay",
    /// It lay in the session's inbox.
    SessionInbox = "session-inbox",
    /// The server tells of something outside of the session, as a webhook does.
    ExternalEvent = "external-event",
}

/// The CLI wrote it: a background task is over, or a scheduled one begins.
#[wire(tag(kind = "task-notification"), rename_all = "camelCase")]
pub struct TaskNotificationOrigin {
    /// What kind of notice; absent for the end of a background task.
    pub subkind: Option<NotificationSubkind>,
    /// Why a scheduled task began: `scheduled`, `manual`, `retry` ….
    pub fire_reason: Option<String>,
    /// The run of the task, as on its own lines.
    pub run_id: Option<String>,
    /// `session-task` where the notice is about work that this session began.
    pub producer: Option<String>,
}

/// A sub-agent that watches this one wrote it.
#[wire(tag(kind = "observer"), rename_all = "camelCase")]
pub struct ObserverOrigin {
    /// The sub-agent.
    pub from: String,
    /// Its task.
    pub sender_task_id: String,
}

#[cfg(test)]
mod tests;
