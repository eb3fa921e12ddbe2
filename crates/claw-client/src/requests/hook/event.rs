//! The events for which hooks can be registered, one type each.

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

        /// All events, for tests.
        #[cfg(test)]
        pub(super) const ALL: &[HookEvent] = &[$($event::EVENT),+];
    };
}

events! {
    /// A tool is about to be used. The hook runs before rules and permission callbacks decide.
    PreToolUse(PreToolUseInput, PreToolUseOutput);
    /// A tool was used successfully.
    PostToolUse(PostToolUseInput, PostToolUseOutput);
    /// A tool use failed.
    PostToolUseFailure(PostToolUseFailureInput, PostToolUseFailureOutput);
    /// All tool uses of one answer are complete.
    PostToolBatch(PostToolBatchInput, PostToolBatchOutput);
    /// The CLI notifies the user.
    Notification(NotificationInput, NotificationOutput);
    /// A prompt was submitted.
    UserPromptSubmit(UserPromptSubmitInput, UserPromptSubmitOutput);
    /// A slash command was expanded into a prompt.
    UserPromptExpansion(UserPromptExpansionInput, UserPromptExpansionOutput);
    /// A conversation begins again, after a compaction (source `compact`) or `/clear` (source `clear`). The matcher
    /// must name one or both of these sources and no other: the CLI calls no callback when its process starts.
    SessionStart(SessionStartInput, SessionStartOutput);
    /// A session ends because of `/clear`. Register the hook with the matcher `clear`. The CLI calls no callback when
    /// its process ends, so every other matcher is an error.
    SessionEnd(SessionEndInput);
    /// The model has finished its answer, and the turn is about to end.
    Stop(StopInput, StopOutput);
    /// A turn ends with an API error.
    StopFailure(StopFailureInput);
    /// A sub-agent begins.
    SubagentStart(SubagentStartInput, SubagentStartOutput);
    /// A sub-agent has finished its work.
    SubagentStop(SubagentStopInput, SubagentStopOutput);
    /// The conversation is about to be compacted.
    PreCompact(PreCompactInput);
    /// The conversation was compacted.
    PostCompact(PostCompactInput);
    /// The model is about to be changed.
    PreModelSwitch(PreModelSwitchInput, PreModelSwitchOutput);
    /// The model was changed.
    PostModelSwitch(PostModelSwitchInput, PostModelSwitchOutput);
    /// A permission is about to be requested. The hook runs concurrently with the `can_use_tool` callback: the first
    /// answer is used.
    PermissionRequest(PermissionRequestInput, PermissionRequestOutput);
    /// A tool use was denied without a permission request.
    PermissionDenied(PermissionDeniedInput, PermissionDeniedOutput);
    /// The CLI sets up a project. The CLI calls no callback for this event: registering a hook for
    /// it is an error.
    Setup(SetupInput, SetupOutput);
    /// A teammate is idle.
    TeammateIdle(TeammateIdleInput);
    /// A task was added to the task list.
    TaskCreated(TaskCreatedInput);
    /// A task of the task list was completed.
    TaskCompleted(TaskCompletedInput);
    /// An MCP server asks the user for input. The hook runs before the CLI sends the request to
    /// your program.
    Elicitation(ElicitationInput, ElicitationOutput);
    /// The user has answered an MCP server's request for input.
    ElicitationResult(ElicitationResultInput, ElicitationResultOutput);
    /// Settings were changed.
    ConfigChange(ConfigChangeInput);
    /// A worktree is about to be created.
    WorktreeCreate(WorktreeCreateInput, WorktreeCreateOutput);
    /// A worktree is about to be removed.
    WorktreeRemove(WorktreeRemoveInput);
    /// Instructions were loaded from a file.
    InstructionsLoaded(InstructionsLoadedInput);
    /// The working directory was changed.
    CwdChanged(CwdChangedInput, CwdChangedOutput);
    /// A watched file was changed.
    FileChanged(FileChangedInput, FileChangedOutput);
    /// A directory was added to those that tools may use.
    DirectoryAdded(DirectoryAddedInput);
    /// Text of the model is about to be displayed.
    MessageDisplay(MessageDisplayInput, MessageDisplayOutput);
    /// A shell command in the text of a skill or slash command is about to run. The matcher selects shell tools, such as
    /// `Bash`. CLIs before 2.1.332 do not call the hook.
    PreSkillShellCommand(PreSkillShellCommandInput, PreSkillShellCommandOutput);
}
