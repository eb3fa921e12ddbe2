//! The form in which elements are drawn, both on a terminal and on a page: a mark (a sign), a head, and parts below it.
//!
//! The texts in this form are not escaped, just like the texts in an [`Element`].

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::Preview;
use crate::diff::FileDiff;
use crate::element::{
    Content, ContextCompaction, Element, Media, NoticeLevel, Subagent, Task, TaskState, ToolCall,
    ToolResult, ToolStatus,
};
use crate::text::without_colours;

/// The maximum number of lines of a diff that are shown at first.
pub const DIFF_LINES: usize = 40;

/// The meaning of a text, which determines its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tone {
    /// Ordinary text, such as text of the model.
    Plain,
    /// Text that the user wrote.
    Person,
    /// A tool or task that is running.
    Tool,
    /// Text of less importance.
    Dim,
    /// A success.
    Good,
    /// Text that deserves attention.
    Warning,
    /// A failure or a denial.
    Bad,
}

impl Tone {
    /// Returns the name of the tone. HTML uses it as the name of a CSS class.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Person => "person",
            Self::Tool => "tool",
            Self::Dim => "dim",
            Self::Good => "good",
            Self::Warning => "warning",
            Self::Bad => "bad",
        }
    }
}

/// An element in the form in which it is drawn: a mark, a head, and parts below the head. Its texts are not escaped
/// yet.
#[derive(Debug)]
#[non_exhaustive]
pub struct Drawn<'a> {
    /// The sign that is drawn before the element. May be empty.
    pub mark: &'static str,
    /// The colour of the mark.
    pub tone: Tone,
    /// The text on the line of the mark. Elements that have only a body leave it empty.
    pub head: Cow<'a, str>,
    /// A remark that follows the head. May be empty.
    pub aside: String,
    /// The parts below the head.
    pub body: Vec<Part<'a>>,
}

/// A part of an element that is drawn below the element's head.
#[derive(Debug)]
#[non_exhaustive]
pub enum Part<'a> {
    /// A text that is shown in full. Escape sequences for colours have been removed from it.
    Text(Cow<'a, str>),
    /// A text in Markdown that is shown in full.
    Markdown(&'a str),
    /// A long text. The first field is a preview, which is the beginning or the end of the text. The second field is
    /// the whole text. Escape sequences for colours have been removed from both. An exception are lines that are
    /// unreadable or of an unknown kind, whose text is unchanged.
    Long(Cow<'a, Preview>, Cow<'a, str>),
    /// A change to a file.
    Diff(&'a FileDiff),
    /// Elements that are shown only on request.
    Folded(&'a [Element]),
}

impl<'a> Drawn<'a> {
    /// Converts an element into the form that is drawn.
    pub fn of(element: &'a Element) -> Self {
        match &element.content {
            Content::UserInput(input) => Self::new(">", Tone::Person).text(&input.text),
            Content::AssistantText(text) => {
                let drawn = Self::new("", Tone::Plain).part(Part::Markdown(&text.text));
                if text.aborted {
                    drawn.text("(cut off)")
                } else {
                    drawn
                }
            }
            Content::Thinking(thinking) => {
                let kept = thinking.redacted.then_some("not shown");
                Self::new("✻", Tone::Dim)
                    .head("Thinking")
                    .aside(kept)
                    .long(&thinking.text)
            }
            Content::ToolCall(call) => Self::call(call),
            Content::EditDiff(edit) => Self::new("●", tone(edit.status))
                .head(&edit.title)
                .aside([Some(edit.summary.as_str()), state(edit.status)])
                .part(Part::Diff(&edit.diff)),
            Content::ToolResult(result) => Self::result(result),
            Content::Diff(diff) => {
                let drawn = Self::new("±", Tone::Tool).head(&diff.summary);
                diff.files
                    .iter()
                    .fold(drawn, |drawn, file| drawn.part(Part::Diff(file)))
            }
            Content::Interrupted(interrupted) => {
                Self::new("■", Tone::Warning).head(&interrupted.text)
            }
            Content::ContextCompaction(compaction) => Self::compaction(compaction),
            Content::Rewound(rewound) => Self::new("↶", Tone::Dim)
                .head(&rewound.text)
                .part(Part::Folded(&rewound.elements)),
            Content::Image(image) => Self::media("Image", None, &image.media),
            Content::Document(document) => {
                Self::media("Document", document.title.as_deref(), &document.media)
            }
            Content::Subagent(agent) => Self::agent(agent),
            Content::Task(task) => Self::task(task),
            Content::Notice(notice) => {
                let tone = match notice.level {
                    NoticeLevel::Error => Tone::Bad,
                    NoticeLevel::Warning => Tone::Warning,
                    NoticeLevel::Info => Tone::Dim,
                };
                Self::new("·", tone).text(&notice.text)
            }
            Content::Error(error) => Self::new("✗", Tone::Bad)
                .text(&error.text)
                .aside(error.kind.as_deref()),
            Content::CommandOutput(output) => {
                let command = output.command.as_deref().unwrap_or_default();
                Self::new("/", Tone::Person)
                    .head(command)
                    .text(&output.text)
            }
            Content::TurnEnd(end) => {
                let tone = match (end.ok, end.interrupted) {
                    (true, _) => Tone::Good,
                    (false, true) => Tone::Warning,
                    (false, false) => Tone::Bad,
                };
                let drawn = Self::new("—", tone).head(&end.text);
                end.errors
                    .iter()
                    .fold(drawn, |drawn, text| drawn.text(text))
            }
            Content::Unknown(unknown) => Self::new("?", Tone::Warning)
                .head(&unknown.kind)
                .aside(unknown.error.as_deref())
                .verbatim((&*unknown.text).into()),
        }
    }

    fn call(call: &'a ToolCall) -> Self {
        let elapsed = call
            .elapsed_seconds
            .map(|seconds| format!("{seconds:.0} s"));
        let drawn = Self::new("●", tone(call.status)).head(&call.title).aside([
            call.description.as_deref(),
            elapsed.as_deref(),
            state(call.status),
        ]);
        match &call.diff {
            Some(diff) => drawn.part(Part::Diff(diff)),
            None => drawn,
        }
    }

    fn result(result: &'a ToolResult) -> Self {
        let (mark, tone) = match (&result.denial, result.is_error) {
            (None, false) => ("✓", Tone::Good),
            _ => ("✗", Tone::Bad),
        };
        let denial = result.denial.as_ref();
        let feedback = denial.and_then(|denial| denial.feedback.as_deref());
        let preview = Cow::Borrowed(&result.preview);
        let shown = result.shown.as_ref().unwrap_or(&result.text);
        let mut drawn = Self::new(mark, tone)
            .aside(denial.map(|denial| denial.text.as_str()))
            .part(Part::Long(preview, shown.into()));
        if let Some(feedback) = feedback {
            drawn = drawn.text(feedback);
        }
        if shown.is_empty() {
            drawn.head = "(nothing)".into();
        }
        drawn
    }

    fn compaction(compaction: &'a ContextCompaction) -> Self {
        let tokens = |count: Option<u64>| count.map_or_else(|| "?".to_owned(), |n| n.to_string());
        let shrunk = (compaction.tokens_before.is_some() || compaction.tokens_after.is_some())
            .then(|| {
                let (before, after) = (compaction.tokens_before, compaction.tokens_after);
                format!("{} → {} tokens", tokens(before), tokens(after))
            });
        let shown = compaction.shown.as_ref().or(compaction.summary.as_ref());
        Self::new("≡", Tone::Warning)
            .head("Conversation compacted")
            .aside([
                compaction.part.as_deref(),
                compaction.trigger.as_deref(),
                shrunk.as_deref(),
            ])
            .long(shown.map_or("", String::as_str))
    }

    fn media(what: &'static str, title: Option<&str>, media: &'a Media) -> Self {
        let data = media.data.as_ref();
        // In base64, four characters encode three bytes.
        let size = data.map(|data| format!("{} bytes", data.len() / 4 * 3));
        let place = media.url.as_deref().or(media.file.as_deref());
        let kind = media.media_type.as_deref();
        Self::new("▣", Tone::Dim)
            .head(what)
            .aside([title, kind, size.as_deref(), place])
            .long(media.text.as_deref().unwrap_or_default())
    }

    fn agent(agent: &'a Subagent) -> Self {
        let count = |count: Option<u64>, what| count.map(|count| format!("{count} {what}"));
        let tokens = count(agent.tokens, "tokens");
        let uses = match agent.tool_uses {
            Some(1) => Some("1 tool use".to_owned()),
            uses => count(uses, "tool uses"),
        };
        // While the agent runs, its reported duration is out of date.
        let took = agent
            .duration_ms
            .filter(|_| agent.state != TaskState::Running);
        let took = took.map(|ms| format!("{:.1} s", ms / 1000.0));
        let kind = agent.agent_type.as_deref();
        let doing = agent.doing.as_deref();
        Self::new("◆", task_tone(agent.state))
            .head(&agent.description)
            .aside([
                kind,
                Some(task_state(agent.state)),
                doing.filter(|_| agent.state == TaskState::Running),
                uses.as_deref(),
                tokens.as_deref(),
                took.as_deref(),
            ])
            .long(agent.summary.as_deref().unwrap_or_default())
    }

    fn task(task: &'a Task) -> Self {
        Self::new("◇", task_tone(task.state))
            .head(&task.description)
            .aside(Some(task_state(task.state)))
            .long(task.summary.as_deref().unwrap_or_default())
    }

    fn new(mark: &'static str, tone: Tone) -> Self {
        Self {
            mark,
            tone,
            head: Cow::Borrowed(""),
            aside: String::new(),
            body: Vec::new(),
        }
    }

    fn head(mut self, head: &'a str) -> Self {
        self.head = head.into();
        self
    }

    fn aside<'b>(mut self, asides: impl IntoIterator<Item = impl Into<Option<&'b str>>>) -> Self {
        let asides = asides.into_iter().filter_map(Into::into);
        let asides: Vec<_> = asides.filter(|aside| !aside.is_empty()).collect();
        self.aside = asides.join(", ");
        self
    }

    fn part(mut self, part: Part<'a>) -> Self {
        self.body.push(part);
        self
    }

    fn text(self, text: &'a str) -> Self {
        self.part(Part::Text(without_colours(text)))
    }

    fn long(self, text: &'a str) -> Self {
        self.verbatim(without_colours(text))
    }

    fn verbatim(self, text: Cow<'a, str>) -> Self {
        if text.is_empty() {
            self
        } else {
            self.part(Part::Long(Cow::Owned(Preview::of(&text)), text))
        }
    }
}

/// Returns a hash of those parts of an element that can change after it was drawn. If the hash has changed, draw the
/// element again. Returns `None` for all elements except sub-agents, tasks, compactions, notices and errors.
pub fn state_hash(content: &Content) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    match content {
        Content::Subagent(agent) => {
            (task_state(agent.state), &agent.summary).hash(&mut hasher);
        }
        Content::Task(task) => (task_state(task.state), &task.summary).hash(&mut hasher),
        Content::ContextCompaction(compaction) => compaction.summary.hash(&mut hasher),
        Content::Notice(notice) => notice.text.hash(&mut hasher),
        Content::Error(error) => error.text.hash(&mut hasher),
        _ => return None,
    }
    Some(hasher.finish())
}

fn tone(status: ToolStatus) -> Tone {
    match status {
        ToolStatus::Failed | ToolStatus::Denied => Tone::Bad,
        ToolStatus::Interrupted => Tone::Warning,
        _ => Tone::Tool,
    }
}

/// Returns the state in words. Returns `None` if a result of the tool use already shows the state.
fn state(status: ToolStatus) -> Option<&'static str> {
    match status {
        ToolStatus::Asking => Some("asks for permission"),
        ToolStatus::Denied => Some("denied"),
        ToolStatus::Interrupted => Some("interrupted"),
        _ => None,
    }
}

fn task_tone(state: TaskState) -> Tone {
    match state {
        TaskState::Completed => Tone::Good,
        TaskState::Failed => Tone::Bad,
        TaskState::Stopped => Tone::Warning,
        TaskState::Running => Tone::Tool,
    }
}

pub(crate) fn task_state(state: TaskState) -> &'static str {
    match state {
        TaskState::Running => "running",
        TaskState::Completed => "completed",
        TaskState::Failed => "failed",
        TaskState::Stopped => "stopped",
    }
}

/// Describes how much of a text the preview hides, in words such as `3 more lines`. Returns `None` if nothing is
/// hidden.
pub fn hidden(preview: &Preview) -> Option<String> {
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    let (more, before) = if preview.at_end {
        ("", " before")
    } else {
        ("more ", "")
    };
    match (preview.hidden_lines, preview.hidden_chars) {
        (_, 0) => None,
        (0, chars) => Some(format!("{chars} {more}character{}{before}", plural(chars))),
        (lines, _) => Some(format!("{lines} {more}line{}{before}", plural(lines))),
    }
}
