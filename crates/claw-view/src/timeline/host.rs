//! Control requests of the host and the CLI.

use claw_types::Unknown;
use claw_types::control::{
    ControlRequest, ControlRequestBody, ControlResponse, ControlResponseBody,
    GetWorkspaceDiffResponse,
};

use super::{Origin, Timeline};
use crate::diff::{self, FileDiff};
use crate::element::{Content, GitDiff, Interrupted, Notice, NoticeKind, NoticeLevel, ToolStatus};

/// The maximum number of requests for the workspace diff that are remembered until their responses arrive.
const ASKED: usize = 64;

impl Timeline {
    /// Handles a control request. It is a permission request of the CLI, or a request of the host that a timeline
    /// shows.
    pub(super) fn control_request(&mut self, request: &ControlRequest) {
        match &request.request {
            ControlRequestBody::CanUseTool(ask) => {
                self.set_tool_status(&ask.tool_use_id, ToolStatus::Asking);
            }
            ControlRequestBody::Interrupt(_) => self.interrupt(),
            ControlRequestBody::GetWorkspaceDiff(_) if self.diffs.len() < ASKED => {
                self.diffs.insert(request.request_id.clone());
            }
            _ => {}
        }
    }

    /// Handles a control response of the CLI.
    pub(super) fn control_response(&mut self, answer: &ControlResponse) {
        if !answer.request_id().is_some_and(|id| self.diffs.remove(id)) {
            return;
        }
        if let ControlResponseBody::Success(success) = &answer.response
            && let Some(payload) = &success.response
            && let Ok(answer) = payload.parse::<GetWorkspaceDiffResponse>()
            && let Some(changed) = answer.diff
        {
            self.file_changes(diff::workspace(&changed));
        }
    }

    /// Handles a line of an unknown kind. Wrappers write `git_diff` events between the lines of the CLI. Such an event
    /// contains the output of `git diff` in its member `diff`, or in the member `diff` of its `payload`.
    pub(super) fn unknown_message(&mut self, unknown: &Unknown) {
        let json = unknown.json();
        let diff = (unknown.kind() == "git_diff")
            .then(|| {
                json.get("diff")
                    .or_else(|| json.get("payload")?.get("diff"))
            })
            .flatten()
            .and_then(|diff| diff.parse::<String>().ok());
        let files = diff.map(|diff| diff::git(&diff)).unwrap_or_default();
        if files.is_empty() {
            self.unknown(&Origin::default(), &unknown.kind(), json.as_raw(), None);
        } else {
            self.file_changes(files);
        }
    }

    /// Adds an element with changes to files.
    pub(super) fn file_changes(&mut self, files: Vec<FileDiff>) {
        let (added, removed) = files.iter().fold((0_u64, 0_u64), |(added, removed), file| {
            (
                added.saturating_add(file.added),
                removed.saturating_add(file.removed),
            )
        });
        let diff = GitDiff {
            summary: diff::summary(added, removed),
            files,
        };
        let id = self.nameless("diff");
        self.add(&Origin::default(), id, Content::Diff(diff));
    }

    /// Adds a notice that the host itself wrote.
    pub(super) fn host_notice(&mut self, text: &str) {
        let notice = Notice {
            kind: NoticeKind::Other,
            level: NoticeLevel::Warning,
            text: text.to_owned(),
        };
        let id = self.nameless("notice");
        self.add(&Origin::default(), id, Content::Notice(notice));
    }

    /// Adds an interruption by the user, unless the CLI has already reported it.
    pub(super) fn interrupt(&mut self) {
        if self.interruption.is_some() || std::mem::take(&mut self.is_interrupted) {
            return;
        }
        let interrupted = Interrupted {
            text: "Interrupted".to_owned(),
            during_tool_use: !self.tools.is_empty(),
        };
        let id = self.nameless("interrupted");
        let element = self.add(&Origin::default(), id, Content::Interrupted(interrupted));
        self.interruption = Some(element);
    }
}
