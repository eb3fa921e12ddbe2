//! The actions that the audit log records, and what it records of each route.

/// An action in the audit log. An action of the REST interface has the same name as its operation in the OpenAPI
/// document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// Begins, resumes or forks a session.
    OpenSession,
    /// Changes the title or the tag of a session, or archives it.
    ChangeSession,
    /// Deletes a session.
    DeleteSession,
    /// Sends a prompt.
    SendPrompt,
    /// Cancels a waiting prompt.
    CancelPrompt,
    /// Restores earlier contents of files. A request that only lists the changes is not recorded.
    RewindFiles,
    /// Commits, rebases, merges, pushes or removes a worktree, or opens a pull request. A request that only lists what
    /// would be lost is not recorded.
    FinishWorktree,
    /// Answers a request of a session.
    AnswerRequest,
    /// Stops the running turn.
    InterruptTurn,
    /// Stops a task.
    StopTask,
    /// Changes the model, the permission mode or the effort level.
    ChangeSettings,
    /// Copies a session.
    ForkSession,
    /// Closes a live session.
    CloseSession,
    /// Creates a login link.
    MakeLogin,
    /// Logs a browser in.
    LogIn,
    /// Logs a browser out.
    LogOut,
    /// Subscribes a device to notifications.
    SubscribeDevice,
    /// Ends a device's subscription to notifications.
    UnsubscribeDevice,
    /// A request that was refused because it had no valid credentials.
    Access,
    /// Not an action. The entry contains the number of refused requests that have no separate entry.
    LeftOut,
}

impl Action {
    /// Returns the name that the log uses for the action.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenSession => "openSession",
            Self::ChangeSession => "changeSession",
            Self::DeleteSession => "deleteSession",
            Self::SendPrompt => "sendPrompt",
            Self::CancelPrompt => "cancelPrompt",
            Self::RewindFiles => "rewindFiles",
            Self::FinishWorktree => "finishWorktree",
            Self::AnswerRequest => "answerRequest",
            Self::InterruptTurn => "interruptTurn",
            Self::StopTask => "stopTask",
            Self::ChangeSettings => "changeSettings",
            Self::ForkSession => "forkSession",
            Self::CloseSession => "closeSession",
            Self::MakeLogin => "makeLogin",
            Self::LogIn => "logIn",
            Self::LogOut => "logOut",
            Self::SubscribeDevice => "subscribeDevice",
            Self::UnsubscribeDevice => "unsubscribeDevice",
            Self::Access => "access",
            Self::LeftOut => "leftOut",
        }
    }
}

/// What the audit log records of the requests of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recorded {
    /// Nothing is recorded, because the requests change nothing.
    Nothing,
    /// Each request is recorded as this action.
    Request(Action),
    /// Each message or call of a request is recorded separately, as one of these actions.
    Messages(&'static [Action]),
}
