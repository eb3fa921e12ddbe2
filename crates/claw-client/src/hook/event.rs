//! The events that hooks can be registered for, a type each.

use claw_types::hook::{self, HookEvent, HookInput, HookOutput, HookSpecificOutput};

use super::sealed::Sealed;
use super::{Hook, IntoHookOutput};

macro_rules! events {
    ($($(#[doc = $doc:literal])+ $event:ident($input:ident $(, $output:ident)?);)+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum $event {}

        impl Sealed for $event {}

        impl Hook for $event {
            const EVENT: HookEvent = HookEvent::$event;
            type Input = hook::$input;

            fn input(input: HookInput) -> Option<hook::$input> {
                match input {
                    HookInput::$event(input) => Some(*input),
                    _ => None,
                }
            }
        }

        $(impl IntoHookOutput<$event> for hook::$output {
            fn into_output(self) -> Result<HookOutput, String> {
                Ok(HookSpecificOutput::from(self).into())
            }
        })?
    )+

        /// All of them.
        #[cfg(test)]
        pub(super) const ALL: &[HookEvent] = &[$($event::EVENT),+];
    };
}

events! {
    /// A tool is about to be used: before rules and permission callbacks.
    PreToolUse(PreToolUseInput, PreToolUseOutput);
    /// A tool was used.
    PostToolUse(PostToolUseInput, PostToolUseOutput);
    /// A tool failed.
    PostToolUseFailure(PostToolUseFailureInput, PostToolUseFailureOutput);
    /// All tools of one answer were used.
    PostToolBatch(PostToolBatchInput, PostToolBatchOutput);
    /// The user should look.
    Notification(NotificationInput, NotificationOutput);
    /// A prompt came.
    UserPromptSubmit(UserPromptSubmitInput, UserPromptSubmitOutput);
    /// A command was turned into a prompt.
    UserPromptExpansion(UserPromptExpansionInput, UserPromptExpansionOutput);
    /// The conversation begins anew: after a compaction (`compact`) or `/clear` (`clear`). The matcher has to
    /// name these alone: the CLI calls no callback at the start of a session.
    SessionStart(SessionStartInput, SessionStartOutput);
    /// A session ends. A matcher has to name `clear` alone: the CLI calls no callback at its own end.
    SessionEnd(SessionEndInput);
    /// The model has finished.
    Stop(StopInput, StopOutput);
    /// The turn ends with an error of the API's.
    StopFailure(StopFailureInput);
    /// A sub-agent begins.
    SubagentStart(SubagentStartInput, SubagentStartOutput);
    /// A sub-agent has finished.
    SubagentStop(SubagentStopInput, SubagentStopOutput);
    /// The conversation is about to be compacted.
    PreCompact(PreCompactInput);
    /// The conversation was compacted.
    PostCompact(PostCompactInput);
    /// The model is about to be changed.
    PreModelSwitch(PreModelSwitchInput, PreModelSwitchOutput);
    /// The model was changed.
    PostModelSwitch(PostModelSwitchInput, PostModelSwitchOutput);
    /// A permission is about to be asked for. Runs beside `can_use_tool`: the first answer counts.
    PermissionRequest(PermissionRequestInput, PermissionRequestOutput);
    /// A permission was refused without a request.
    PermissionDenied(PermissionDeniedInput, PermissionDeniedOutput);
    /// The CLI sets a project up. It calls no callback for it: registering one is an error.
    Setup(SetupInput, SetupOutput);
    /// A teammate has nothing to do.
    TeammateIdle(TeammateIdleInput);
    /// A task was put on the list.
    TaskCreated(TaskCreatedInput);
    /// A task of the list is done.
    TaskCompleted(TaskCompletedInput);
    /// An MCP server asks the user something, before the request to the host.
    Elicitation(ElicitationInput, ElicitationOutput);
    /// The user has answered an MCP server.
    ElicitationResult(ElicitationResultInput, ElicitationResultOutput);
    /// Settings were changed.
    ConfigChange(ConfigChangeInput);
    /// A worktree is to be made.
    WorktreeCreate(WorktreeCreateInput, WorktreeCreateOutput);
    /// A worktree is to be removed.
    WorktreeRemove(WorktreeRemoveInput);
    /// Instructions were read from a file.
    InstructionsLoaded(InstructionsLoadedInput);
    /// The working directory was changed.
    CwdChanged(CwdChangedInput, CwdChangedOutput);
    /// A file that is watched was changed.
    FileChanged(FileChangedInput, FileChangedOutput);
    /// A directory was added to those that tools may use.
    DirectoryAdded(DirectoryAddedInput);
    /// Text of the model's is about to be shown.
    MessageDisplay(MessageDisplayInput, MessageDisplayOutput);
}
