//! Draws the elements of a conversation on a terminal while they arrive.

mod draw;

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use claw_types::{Message, ToolUseId};
use claw_view::diff::FileDiff;
use claw_view::drawn::{Tone, state_hash};
use claw_view::element::{Content, Element, ElementId, TaskState, ToolStatus};
use claw_view::{Change, Growth};

use self::draw::{margin, style};
use super::markdown::{MarkdownStyler, Rendering};
use super::wrap::{Wrap, spaces};
use crate::progress::{CurrentActivity, columns};

/// The indentation of a sub-agent's elements, and of the body of an element below its head.
const STEP: usize = 2;

/// Draws elements one below another. Drawn output does not change. An element is drawn when it has its final form. Only
/// a text of the model is drawn while it grows. An element outside of the conversation is drawn again when it changes.
pub(crate) struct Terminal<W> {
    out: W,
    width: Option<usize>,
    /// The way in which the model's text is drawn.
    rendering: Rendering,
    /// Whether a user decides about tool uses, so that edits are drawn before they are done.
    live: bool,
    /// Whether branches that were rewound are drawn.
    unfolds: bool,
    /// The elements that are not drawn yet, because they may still change. The number is their position in the order.
    waiting: HashMap<ElementId, (u64, Element)>,
    waited: u64,
    /// A compaction whose summary has not arrived yet.
    compaction: Option<Element>,
    /// The growing texts. The numbers are the start of the last line, and the length of the drawn part.
    texts: HashMap<ElementId, (usize, usize)>,
    /// The text whose last line has no line break yet.
    open: Option<(ElementId, Wrap, MarkdownStyler)>,
    /// The growing text that was last closed, and the state of its Markdown. The text may continue below other output.
    closed: Option<(ElementId, MarkdownStyler)>,
    /// The edits that are not drawn yet, by speaker. They are drawn before the speaker's next message.
    edits: HashMap<Option<ToolUseId>, BTreeMap<u64, ElementId>>,
    /// The last drawn states of elements that can change after they are drawn.
    drawn_states: HashMap<ElementId, u64>,
    /// The tool use whose change to a file was last drawn in full, with no other output after it.
    change_above: Option<ToolUseId>,
    doing: CurrentActivity,
    /// The number of columns of the progress line. 0 if no progress line is shown.
    progress_width: usize,
    /// Whether no progress line may be shown, because a notice was shown that may be a question. The value is reset
    /// when the conversation continues.
    is_held: bool,
}

/// Draws a change to a file in the same way as for an element, but in full.
pub(crate) fn change(diff: &FileDiff, width: Option<usize>, margin: usize) -> String {
    let mut terminal = Terminal::new(Vec::new(), width);
    // Writing to memory cannot fail.
    let _ = terminal.diff(diff, margin, &mut false, usize::MAX);
    String::from_utf8_lossy(&terminal.out).into_owned()
}

impl<W: Write> Terminal<W> {
    /// Creates a terminal. Lines have at most this width. They are unlimited if `width` is `None`.
    pub(crate) fn new(out: W, width: Option<usize>) -> Self {
        Self {
            out,
            width,
            rendering: Rendering::default(),
            live: false,
            unfolds: false,
            waiting: HashMap::new(),
            waited: 0,
            compaction: None,
            texts: HashMap::new(),
            open: None,
            closed: None,
            edits: HashMap::new(),
            drawn_states: HashMap::new(),
            change_above: None,
            doing: CurrentActivity::default(),
            progress_width: 0,
            is_held: false,
        }
    }

    /// Sets whether rewound branches are drawn in full. By default, they are only named.
    #[cfg(feature = "terminal")]
    pub(crate) fn unfolding(self, unfolds: bool) -> Self {
        Self { unfolds, ..self }
    }

    /// Sets the way in which the model's text is drawn.
    pub(crate) fn with_rendering(self, rendering: Rendering) -> Self {
        Self { rendering, ..self }
    }

    /// Creates a terminal for a user who decides whether tools may run.
    pub(crate) fn live(out: W, width: Option<usize>) -> Self {
        Self {
            live: true,
            ..Self::new(out, width)
        }
    }

    /// Sets the width of the following lines.
    #[cfg(feature = "terminal")]
    pub(crate) fn set_width(&mut self, width: usize) {
        self.width = Some(width);
        if let Some((_, wrap, _)) = &mut self.open {
            wrap.set_width(width);
        }
    }

    /// Returns whether the last line belongs to a growing text.
    #[cfg(feature = "terminal")]
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Returns the held-back end of the growing text, as it would be drawn if the text ended here. It continues the
    /// last line. The bounds of [`MarkdownStyler`] limit its length.
    #[cfg(feature = "terminal")]
    pub(crate) fn growing(&self) -> String {
        let Some((_, wrap, styler)) = &self.open else {
            return String::new();
        };
        let (mut wrap, mut styler, mut out) = (wrap.clone(), styler.clone(), Vec::new());
        // Writing to memory cannot fail.
        let _ = styler.end(&mut out, &mut wrap);
        let _ = wrap.end(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Draws an escaped text on separate lines.
    pub(crate) fn notice(&mut self, notice: &str) -> io::Result<()> {
        self.is_held = true;
        self.clear_progress()?;
        self.end_compaction()?;
        self.close()?;
        self.change_above = None;
        write!(self.out, "{notice}")?;
        self.flush()
    }

    /// Returns whether the change of this tool use is shown in full directly above.
    pub(crate) fn has_change_above(&self, id: &ToolUseId) -> bool {
        self.change_above.as_ref() == Some(id)
    }

    /// Draws a change.
    pub(crate) fn change(&mut self, change: Change) -> io::Result<()> {
        self.clear_progress()?;
        match change {
            Change::Added(element) => self.added(*element),
            Change::Updated(element) => self.updated(*element),
            Change::Grew(growth) => self.grew(&growth),
            Change::Removed(id) => self.removed(&id),
            _ => Ok(()),
        }
    }

    /// Shows the progress of the session on a line that the next output replaces. Shows nothing while a text grows.
    pub(crate) fn progress(&mut self, message: &Message, width: usize) -> io::Result<()> {
        self.doing.push(message);
        self.clear_progress()?;
        if matches!(message, Message::Assistant(_) | Message::User(_)) {
            self.is_held = false;
        }
        if self.open.is_none()
            && !self.is_held
            && let Some(line) = self.doing.line(width)
        {
            let style = style(Tone::Dim);
            write!(self.out, "{style}{line}{style:#}")?;
            self.progress_width = columns(&line);
        }
        self.flush()
    }

    /// Removes the progress line.
    pub(crate) fn clear_progress(&mut self) -> io::Result<()> {
        // Spaces overwrite the line. Escape sequences are not used, because they are removed for terminals without
        // colours, and some terminals do not support them.
        match std::mem::take(&mut self.progress_width) {
            0 => Ok(()),
            progress_width => write!(self.out, "\r{:progress_width$}\r", ""),
        }
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Draws the elements that never reached their final form. Called after the last change.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.clear_progress()?;
        self.edits.clear();
        self.end_compaction()?;
        let mut waiting: Vec<_> = self.waiting.drain().map(|(_, waiting)| waiting).collect();
        waiting.sort_by_key(|(number, _)| *number);
        for (_, element) in waiting {
            self.draw(&element)?;
        }
        self.close()?;
        self.texts.clear();
        self.drawn_states.clear();
        self.flush()
    }

    /// Draws a compaction whose summary has not arrived.
    fn end_compaction(&mut self) -> io::Result<()> {
        let compaction = self.compaction.take();
        compaction.map_or(Ok(()), |element| self.draw(&element))
    }

    fn added(&mut self, element: Element) -> io::Result<()> {
        self.end_compaction()?;
        if let Some(state) = state_hash(&element.content) {
            self.drawn_states.insert(element.id.clone(), state);
        }
        if is_answer(&element.content) {
            self.edits_of(element.parent.clone())?;
        }
        match &element.content {
            Content::AssistantText(text) if text.streaming => {
                let margin = margin(&element);
                self.texts.insert(element.id.clone(), (margin, 0));
                self.more(&element.id, &text.text)
            }
            // Usually the summary arrives next, so the compaction is drawn later.
            Content::ContextCompaction(compaction) if compaction.summary.is_none() => {
                self.compaction = Some(element);
                Ok(())
            }
            content if self.is_settled(content) => self.draw(&element),
            _ => {
                self.waited += 1;
                if let Content::EditDiff(_) = &element.content {
                    let edits = self.edits.entry(element.parent.clone()).or_default();
                    edits.insert(self.waited, element.id.clone());
                }
                let waiting = (self.waited, element);
                self.waiting.insert(waiting.1.id.clone(), waiting);
                Ok(())
            }
        }
    }

    fn updated(&mut self, element: Element) -> io::Result<()> {
        let is_updated = |waiting: &mut Element| waiting.id == element.id;
        if self.compaction.take_if(is_updated).is_some() {
            self.drawn_states
                .extend(state_hash(&element.content).map(|state| (element.id.clone(), state)));
            return self.draw(&element);
        }
        let settled = self.is_settled(&element.content);
        if let Content::Subagent(agent) = &element.content
            && agent.state != TaskState::Running
        {
            self.edits_of(agent.tool_use_id.clone())?;
        }
        if let Some((number, waiting)) = self.waiting.get_mut(&element.id) {
            if settled {
                if let Some(edits) = self.edits.get_mut(&element.parent) {
                    edits.remove(number);
                }
                self.waiting.remove(&element.id);
                return self.draw(&element);
            }
            *waiting = element;
        } else if let Some(&(_, drawn)) = self.texts.get(&element.id) {
            if let Content::AssistantText(text) = &element.content {
                self.more(&element.id, text.text.get(drawn..).unwrap_or_default())?;
                if !text.streaming {
                    self.texts.remove(&element.id);
                    // The user waits for the end of the text, so its last line is drawn immediately.
                    if self.live && self.open.as_ref().is_some_and(|open| open.0 == element.id) {
                        self.close()?;
                    }
                }
                if text.aborted {
                    self.note("cut off")?;
                }
            }
        } else if let Some(state) = state_hash(&element.content)
            && self.drawn_states.insert(element.id.clone(), state) != Some(state)
        {
            return self.draw(&element);
        }
        Ok(())
    }

    /// Draws the edits of a speaker that have no results yet, because they must precede the speaker's next message.
    fn edits_of(&mut self, speaker: Option<ToolUseId>) -> io::Result<()> {
        let is_written = |content: &Content| match content {
            Content::EditDiff(edit) => edit.status != ToolStatus::Streaming,
            _ => true,
        };
        let mut unwritten = BTreeMap::new();
        for (number, id) in self.edits.remove(&speaker).unwrap_or_default() {
            match self.waiting.remove(&id) {
                Some((_, element)) if is_written(&element.content) => self.draw(&element)?,
                Some(waiting) => {
                    unwritten.insert(number, id.clone());
                    self.waiting.insert(id, waiting);
                }
                None => {}
            }
        }
        if !unwritten.is_empty() {
            self.edits.insert(speaker, unwritten);
        }
        Ok(())
    }

    fn grew(&mut self, growth: &Growth) -> io::Result<()> {
        if self.texts.contains_key(&growth.id) {
            return self.more(&growth.id, &growth.text);
        }
        if let Some((_, element)) = self.waiting.get_mut(&growth.id)
            && let Content::Thinking(thinking) = &mut element.content
        {
            thinking.text.push_str(&growth.text);
        }
        Ok(())
    }

    fn removed(&mut self, id: &ElementId) -> io::Result<()> {
        self.waiting.remove(id);
        match self.texts.remove(id) {
            Some((_, drawn)) if drawn > 0 => self.note("taken back"),
            _ => Ok(()),
        }
    }

    /// Returns whether an element can be drawn in its final form.
    fn is_settled(&self, content: &Content) -> bool {
        match content {
            Content::Thinking(thinking) => !thinking.streaming,
            Content::ToolCall(call) => call.status != ToolStatus::Streaming,
            Content::EditDiff(edit) => match edit.status {
                ToolStatus::Streaming => false,
                // If no user decides, the edit is drawn when the tool has ended. Only then the line numbers of the file
                // are known.
                ToolStatus::Running | ToolStatus::Asking => self.live,
                _ => true,
            },
            _ => true,
        }
    }

    /// Draws the continuation of a text.
    fn more(&mut self, id: &ElementId, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.change_above = None;
        let Some((margin, drawn)) = self.texts.get_mut(id) else {
            return Ok(());
        };
        let margin = *margin;
        *drawn += text.len();
        match &mut self.open {
            Some((open, wrap, light)) if open == id => light.write(&mut self.out, wrap, text),
            _ => {
                self.close()?;
                let mut wrap = Wrap::new(self.width, margin, margin);
                spaces(&mut self.out, margin)?;
                let mut light = match self.closed.take() {
                    Some((closed, light)) if closed == *id => light,
                    _ => MarkdownStyler::new(self.rendering),
                };
                light.write(&mut self.out, &mut wrap, text)?;
                self.open = Some((id.clone(), wrap, light));
                Ok(())
            }
        }
    }

    /// Ends the line of the growing text.
    fn close(&mut self) -> io::Result<()> {
        match self.open.take() {
            Some((id, mut wrap, mut light)) => {
                light.end(&mut self.out, &mut wrap)?;
                self.closed = Some((id, light));
                wrap.close(&mut self.out)
            }
            None => Ok(()),
        }
    }

    /// Writes a remark about the text above.
    fn note(&mut self, text: &str) -> io::Result<()> {
        self.close()?;
        let style = style(Tone::Dim);
        writeln!(self.out, "{style}({text}){style:#}")
    }
}

/// Returns whether the element is a message of the conversation, which comes after the tool uses before it.
fn is_answer(content: &Content) -> bool {
    matches!(
        content,
        Content::AssistantText(_)
            | Content::Thinking(_)
            | Content::UserInput(_)
            | Content::Interrupted(_)
            | Content::ContextCompaction(_)
            | Content::TurnEnd(_)
    )
}
