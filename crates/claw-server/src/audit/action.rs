//! What is recorded of the requests of a route.

/// An action in the audit log. The name of an action of the interface for programs is that of its operation in the OpenAPI
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
    /// Takes back a prompt.
    CancelPrompt,
    /// Brings files back to earlier contents. A request that only lists the changes is not recorded.
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
    /// Makes a login link.
    MakeLogin,
    /// Logs a browser in.
    LogIn,
    /// Logs a browser out.
    LogOut,
    /// Sends notifications to a device.
    SubscribeDevice,
    /// Sends no more notifications to a device.
    UnsubscribeDevice,
    /// Tries to send a request without the credentials for it.
    Access,
    /// Is no action: the number of refused requests without an entry of their own.
    LeftOut,
}

impl Action {
    /// Returns the name of the action in the log.
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

/// What the audit log has of the requests of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recorded {
    /// Nothing: the requests change nothing.
    Nothing,
    /// Each request as this action.
    Request(Action),
    /// Each message or call of a request by itself, as one of these actions.
    Messages(&'static [Action]),
}
