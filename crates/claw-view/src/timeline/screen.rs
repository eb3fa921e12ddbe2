//! Creates notices for information that the interactive CLI shows on its screen.

use claw_types::hook::HookEvent;
use claw_types::transcript::{Attachment, Entry, GoalStatusAttachment, TurnDurationEntry};

use super::notice::{NoticeText, agents_ended, level, memories_saved};
use crate::element::NoticeKind::{Fallback, Hook, Other, Permission, Session, Summary};
use crate::element::NoticeLevel::{Info, Warning};

/// Returns a notice for an entry. Returns `None` if the entry is shown as an element of another kind, or not shown.
pub(super) fn screen_notice(entry: &Entry) -> Option<NoticeText> {
    Some(match entry {
        Entry::TurnDuration(turn) => (Summary, Info, turn_duration(turn)),
        Entry::AwaySummary(summary) => (Summary, Info, summary.content.clone()),
        Entry::MemorySaved(saved) => (Other, Info, memories_saved(&saved.written_paths)),
        Entry::AgentsKilled(_) => (Session, Info, agents_ended()),
        Entry::PermissionRetry(retry) => (Permission, Info, retry.content.clone()),
        Entry::BridgeStatus(status) => (Session, Info, status.content.clone()),
        Entry::CloudSessionStatus(status) => {
            let level = level(status.level.as_deref().unwrap_or_default());
            (Session, level, status.content.clone())
        }
        Entry::ScheduledTaskFire(task) => (Session, Info, task.content.clone()),
        Entry::ModelConsentFallback(notice) => (Fallback, Warning, notice.content.clone()),
        _ => return None,
    })
}

fn turn_duration(turn: &TurnDurationEntry) -> String {
    let mut text = format!("The turn took {}", seconds(turn.duration_ms.as_f64()));
    let pending = turn.pending_background_agent_count.map_or(0, u64::from);
    if pending > 0 {
        let s = if pending == 1 { "" } else { "s" };
        text = format!("{text}; {pending} sub-agent{s} in the background had not ended");
    }
    text + "."
}

/// Returns a notice for an attachment. Returns `None` if a person does not see the attachment.
pub(super) fn attachment_notice(attachment: &Attachment) -> Option<NoticeText> {
    match attachment {
        Attachment::GoalStatus(goal) => goal_status(goal),
        Attachment::File(file) => {
            let path = file.display_path.as_ref().unwrap_or(&file.filename);
            Some((Other, Info, format!("The CLI read {path} for the model.")))
        }
        Attachment::TaskStatus(task) => {
            let name = task.description.as_ref().unwrap_or(&task.task_id);
            let text = format!("Task in the background: {name} ({}).", task.status);
            Some((Session, Info, text))
        }
        Attachment::HookSystemMessage(hook) => {
            let text = format!("{}: {}", hook.hook_name, hook.content);
            Some((Hook, Info, text))
        }
        // Only these events need a notice. For other events, the reason is shown in the tool's result, in the text to
        // the model, or in the entry for the end of the turn.
        Attachment::HookBlockingError(hook)
            if matches!(
                hook.hook_event,
                HookEvent::PostToolUse | HookEvent::PostToolUseFailure
            ) =>
        {
            let output = hook.blocking_error.blocking_error.trim();
            let text = format!("{}: {output}", hook.hook_name);
            Some((Hook, Warning, text))
        }
        // The errors of `Stop` and `SubagentStop` hooks need no notice, because the entry for the end of the turn
        // contains them.
        Attachment::HookNonBlockingError(hook)
            if !matches!(hook.hook_event, HookEvent::Stop | HookEvent::SubagentStop) =>
        {
            let output = hook.stderr.as_deref().unwrap_or_default().trim();
            let text = match output {
                "" => format!("{} failed.", hook.hook_name),
                output => format!("{} failed: {output}", hook.hook_name),
            };
            Some((Hook, Warning, text))
        }
        Attachment::HookStoppedContinuation(hook) => {
            let text = format!("{} ended the turn: {}", hook.hook_name, hook.message);
            Some((Hook, Warning, text))
        }
        _ => None,
    }
}

/// Returns the notice for the status of a goal. When a goal was just set, the CLI repeats it in a status. Returns
/// `None` for this status, because the output of the command `/goal` already shows the goal.
fn goal_status(goal: &GoalStatusAttachment) -> Option<NoticeText> {
    if goal.sentinel == Some(true) {
        return None;
    }
    let (level, outcome) = if goal.met {
        (Info, "Goal reached")
    } else if goal.failed == Some(true) {
        (Warning, "Goal given up")
    } else {
        (Info, "Goal not reached yet")
    };
    let mut figures = Vec::new();
    if let Some(turns) = goal.iterations.map(u64::from) {
        let s = if turns == 1 { "" } else { "s" };
        figures.push(format!("{turns} turn{s}"));
    }
    figures.extend(goal.duration_ms.as_ref().map(|ms| seconds(ms.as_f64())));
    figures.extend(goal.tokens.map(|tokens| format!("{tokens} tokens")));
    let figures = match &*figures.join(", ") {
        "" => String::new(),
        figures => format!(" ({figures})"),
    };
    let mut text = format!("{outcome}{figures}: {}", goal.condition);
    if let Some(reason) = &goal.reason {
        text = format!("{text}\n{reason}");
    }
    Some((Session, level, text))
}

fn seconds(milliseconds: f64) -> String {
    format!("{:.1} s", milliseconds / 1_000.0)
}
