//! The reasons for the differences of claw's answers.

use std::collections::BTreeMap;

/// An intended difference.
#[derive(Clone)]
pub(super) struct Reason {
    pub(super) sdk: &'static str,
    /// The case, or `*` for any.
    pub(super) case: &'static str,
    /// The question and the field, or `*` for any.
    pub(super) field: &'static str,
    pub(super) why: &'static str,
}

const REASONS: &[Reason] = &[
    Reason {
        sdk: "TypeScript",
        case: "a link to nobody",
        field: "messages.length",
        why: "behind a link to nobody the CLI goes on with what stands before it in the file, and so does claw; TypeScript ends there",
    },
    Reason {
        sdk: "TypeScript",
        case: "a link to nobody",
        field: "messages[].message",
        why: "behind a link to nobody the CLI goes on with what stands before it in the file, and so does claw; TypeScript ends there",
    },
    Reason {
        sdk: "TypeScript",
        case: "a link to nobody",
        field: "messages[].type",
        why: "behind a link to nobody the CLI goes on with what stands before it in the file, and so does claw; TypeScript ends there",
    },
    Reason {
        sdk: "TypeScript",
        case: "a link to nobody",
        field: "messages[].uuid",
        why: "behind a link to nobody the CLI goes on with what stands before it in the file, and so does claw; TypeScript ends there",
    },
    Reason {
        sdk: "TypeScript",
        case: "generated",
        field: "messages.length",
        why: "behind a link to nobody the CLI goes on with what stands before it in the file, and so does claw; TypeScript ends there",
    },
    Reason {
        sdk: "TypeScript",
        case: "generated",
        field: "messages[].message",
        why: "behind a link to nobody the CLI goes on with what stands before it in the file, and so does claw; TypeScript ends there",
    },
    Reason {
        sdk: "TypeScript",
        case: "generated",
        field: "messages[].type",
        why: "behind a link to nobody the CLI goes on with what stands before it in the file, and so does claw; TypeScript ends there",
    },
    Reason {
        sdk: "TypeScript",
        case: "generated",
        field: "messages[].uuid",
        why: "behind a link to nobody the CLI goes on with what stands before it in the file, and so does claw; TypeScript ends there",
    },
    Reason {
        sdk: "TypeScript",
        case: "generated",
        field: "messages[].timestamp",
        why: "behind a link to nobody the CLI goes on with what stands before it in the file, and so does claw; TypeScript ends there",
    },
    Reason {
        sdk: "TypeScript",
        case: "generated",
        field: "messages[].isQueuedCommand",
        why: "behind a link to nobody the CLI goes on with what stands before it in the file, and so does claw; TypeScript ends there",
    },
    Reason {
        sdk: "TypeScript",
        case: "a last prompt",
        field: "info.summary",
        why: "a title is a person's, else the CLI's, else the first prompt; TypeScript takes the last prompt, and summaries of other sessions",
    },
    Reason {
        sdk: "TypeScript",
        case: "a last prompt",
        field: "list[].summary",
        why: "a title is a person's, else the CLI's, else the first prompt; TypeScript takes the last prompt, and summaries of other sessions",
    },
    Reason {
        sdk: "TypeScript",
        case: "a summary",
        field: "info.summary",
        why: "a title is a person's, else the CLI's, else the first prompt; TypeScript takes the last prompt, and summaries of other sessions",
    },
    Reason {
        sdk: "TypeScript",
        case: "a summary",
        field: "list[].summary",
        why: "a title is a person's, else the CLI's, else the first prompt; TypeScript takes the last prompt, and summaries of other sessions",
    },
    Reason {
        sdk: "TypeScript",
        case: "generated",
        field: "info.summary",
        why: "a title is a person's, else the CLI's, else the first prompt; TypeScript takes the last prompt, and summaries of other sessions",
    },
    Reason {
        sdk: "TypeScript",
        case: "a link",
        field: "*",
        why: "TypeScript reads messages through a link that it does not list; claw follows no links",
    },
    Reason {
        sdk: "TypeScript",
        case: "a title in the middle",
        field: "*",
        why: "claw reads the last two lines whole, however long: what stands before a long last line is found",
    },
    Reason {
        sdk: "TypeScript",
        case: "generated",
        field: "list[].customTitle",
        why: "claw reads the last two lines whole, however long: what stands before a long last line is found",
    },
    Reason {
        sdk: "TypeScript",
        case: "generated",
        field: "list[].summary",
        why: "claw reads the last two lines whole, however long: what stands before a long last line is found",
    },
    Reason {
        sdk: "TypeScript",
        case: "a task's notice",
        field: "messages[].origin",
        why: "TypeScript drops members of an origin that it does not know; claw keeps the origin as it is",
    },
    Reason {
        sdk: "TypeScript",
        case: "generated",
        field: "info.cwd",
        why: "of a line that is cut within a value TypeScript takes the value up to a quote in the next line; claw passes over it",
    },
    Reason {
        sdk: "TypeScript",
        case: "generated",
        field: "list[].cwd",
        why: "of a line that is cut within a value TypeScript takes the value up to a quote in the next line; claw passes over it",
    },
    Reason {
        sdk: "TypeScript",
        case: "generated",
        field: "info.createdAt",
        why: "of a line that is cut within its time TypeScript reads no time; claw takes that of the first whole line",
    },
    Reason {
        sdk: "TypeScript",
        case: "generated",
        field: "list[].createdAt",
        why: "of a line that is cut within its time TypeScript reads no time; claw takes that of the first whole line",
    },
    Reason {
        sdk: "TypeScript",
        case: "no folder",
        field: "messages[].session_id",
        why: "a line that names no session has the session that was asked for",
    },
    Reason {
        sdk: "TypeScript",
        case: "no session in a line",
        field: "messages[].session_id",
        why: "a line that names no session has the session that was asked for",
    },
    Reason {
        sdk: "Python",
        case: "no folder",
        field: "messages[].session_id",
        why: "a line that names no session has the session that was asked for",
    },
    Reason {
        sdk: "Python",
        case: "no session in a line",
        field: "messages[].session_id",
        why: "a line that names no session has the session that was asked for",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "messages.length",
        why: "Python has no system messages, reads compactions only as boundaries, and ends a conversation by another rule; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "messages[].message",
        why: "another conversation, see messages.length: the first messages of a page differ",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "messages[].type",
        why: "another conversation, see messages.length: the first messages of a page differ",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "messages[].uuid",
        why: "another conversation, see messages.length: the first messages of a page differ",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "info",
        why: "Python has no includeProgrammatic, continued sessions, titles beside, pictures as prompts, name collisions or set names, and follows links; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "list.length",
        why: "Python has no includeProgrammatic, continued sessions, titles beside, pictures as prompts, name collisions or set names, and follows links; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "info.firstPrompt",
        why: "Python searches the text of lines and cuts by code points, knows no shell commands, titles beside or relocations; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "info.summary",
        why: "Python searches the text of lines and cuts by code points, knows no shell commands, titles beside or relocations; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "info.customTitle",
        why: "Python searches the text of lines and cuts by code points, knows no shell commands, titles beside or relocations; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "info.tag",
        why: "Python searches the text of lines and cuts by code points, knows no shell commands, titles beside or relocations; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "info.cwd",
        why: "Python searches the text of lines and cuts by code points, knows no shell commands, titles beside or relocations; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "list[].firstPrompt",
        why: "Python searches the text of lines and cuts by code points, knows no shell commands, titles beside or relocations; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "list[].summary",
        why: "Python searches the text of lines and cuts by code points, knows no shell commands, titles beside or relocations; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "list[].customTitle",
        why: "Python searches the text of lines and cuts by code points, knows no shell commands, titles beside or relocations; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "list[].tag",
        why: "Python searches the text of lines and cuts by code points, knows no shell commands, titles beside or relocations; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "list[].cwd",
        why: "Python searches the text of lines and cuts by code points, knows no shell commands, titles beside or relocations; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "list[].fileSize",
        why: "another session in this place of the list, see list.length",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "list[].lastModified",
        why: "another session in this place of the list, see list.length",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "list[].sessionId",
        why: "another session in this place of the list, see list.length",
    },
    Reason {
        sdk: "Python",
        case: "*",
        field: "list[].createdAt",
        why: "another session in this place of the list, see list.length",
    },
    Reason {
        sdk: "Python",
        case: "generated",
        field: "subagent.length",
        why: "Python takes progress and system lines as links of a sub-agent's conversation, and knows no queued prompts; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "generated",
        field: "subagent[].message",
        why: "another conversation, see subagent.length, or calls of a host, which Python does not know; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "generated",
        field: "subagent[].type",
        why: "another conversation, see subagent.length, or calls of a host, which Python does not know; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "generated",
        field: "subagent[].uuid",
        why: "another conversation, see subagent.length, or calls of a host, which Python does not know; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "a time between milliseconds",
        field: "info.lastModified",
        why: "Python cuts the time off; claw takes the nearest millisecond, as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "a time between milliseconds",
        field: "list[].lastModified",
        why: "Python cuts the time off; claw takes the nearest millisecond, as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "sub-agents",
        field: "subagent.length",
        why: "Python takes progress and system lines as links of a sub-agent's conversation; claw answers as TypeScript does",
    },
    Reason {
        sdk: "Python",
        case: "sub-agents",
        field: "subagent[].parent_tool_use_id",
        why: "Python does not check the id; claw answers as TypeScript does",
    },
];

/// Differences that occur for a store and not on disk: the case, the field, and the reason.
const OF_STORES: [(&str, &str, &str); 6] = [
    ("*", "info.fileSize", "a store's list has no sizes"),
    (
        "*",
        "info.cwd",
        "without a directory in the lines, Python says the one that was asked about",
    ),
    (
        "*",
        "list[].cwd",
        "without a directory in the lines, Python says the one that was asked about",
    ),
    ("a line written twice", "messages[].message", AGAIN),
    ("went on itself", "messages[].message", AGAIN),
    ("went on with mark-up", "messages[].message", AGAIN),
];
const AGAIN: &str = "a store of claw has one line of a UUID, the first, as the SDK asks of stores; the package's has both";

/// The fields that Python's answers never have.
const NOT_IN_PYTHON: [&str; 20] = [
    "messages[].timestamp",
    "messages[].isCompactSummary",
    "messages[].is_meta",
    "messages[].origin",
    "messages[].tool_result_meta",
    "messages[].toolDenialUnanswered",
    "messages[].interruptedByShutdown",
    "subagent[].timestamp",
    "info.archived",
    "list[].archived",
    "messages[].isQueuedCommand",
    "messages[].isCompletedLocalCommand",
    "subagent[].isQueuedCommand",
    "subagent[].isCompletedLocalCommand",
    "subagent[].isCompactSummary",
    "subagent[].is_meta",
    "subagent[].origin",
    "subagent[].tool_result_meta",
    "subagent[].toolDenialUnanswered",
    "subagent[].interruptedByShutdown",
];

/// Returns the found differences without a reason, and the reasons without a difference.
pub(super) fn judge(
    sdk: &str,
    is_full: bool,
    found: &BTreeMap<(String, String), (usize, String)>,
) -> Vec<String> {
    let missing = NOT_IN_PYTHON.map(|field| Reason {
        sdk: "Python",
        case: "*",
        field,
        why: "Python has no such field",
    });
    let stored = OF_STORES.map(|(case, field, why)| Reason {
        sdk: super::STORED,
        case,
        field,
        why,
    });
    judge_by(&[REASONS, &missing, &stored].concat(), sdk, is_full, found)
}

/// As [`judge`], with this list of reasons. A difference of generated transcripts need not occur in
/// a small sample of them. So an unused reason for such a difference is reported only if all
/// transcripts were compared (`is_full`).
pub(super) fn judge_by(
    reasons: &[Reason],
    sdk: &str,
    is_full: bool,
    found: &BTreeMap<(String, String), (usize, String)>,
) -> Vec<String> {
    let of_sdk = || reasons.iter().filter(|reason| reason.sdk == sdk);
    let mut problems = Vec::new();
    for ((case, field), (times, first)) in found {
        if !of_sdk().any(|reason| reason.explains(case, field)) {
            problems.push(format!("{sdk}: {case}: {field} ({times} times): {first}"));
        }
    }
    let is_certain = |reason: &&Reason| is_full || !["*", "generated"].contains(&reason.case);
    for reason in of_sdk().filter(is_certain) {
        if !found
            .keys()
            .any(|(case, field)| reason.explains(case, field))
        {
            let Reason {
                case, field, why, ..
            } = reason;
            problems.push(format!(
                "{sdk}: {case}: {field}: no longer different: {why}"
            ));
        }
    }
    problems
}

impl Reason {
    fn explains(&self, case: &str, field: &str) -> bool {
        let fits = |expected: &str, is: &str| expected == "*" || expected == is;
        fits(self.case, case) && fits(self.field, field)
    }
}
