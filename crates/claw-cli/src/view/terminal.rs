//! Elements on a terminal, while they come.

use std::collections::HashMap;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use claw_types::ToolUseId;
use claw_view::diff::{DiffLine, FileDiff, LineKind};
use claw_view::element::{Content, Element, ElementId, ToolStatus};
use claw_view::{Change, Growth};

use super::drawn::{DIFF_LINES, Drawn, Part, Tone, hidden, news};
use super::wrap::{Wrap, spaces};
use crate::escape::one_line;

/// How far the elements of a sub-agent, and what stands below a head, are moved to the right.
const STEP: usize = 2;

/// Draws elements one below the other. What stands there stays: an element is drawn when it is settled,
/// a text of the model while it grows, and what goes on beside the conversation again when there is
/// news of it.
pub(crate) struct Terminal<W> {
    out: W,
    width: Option<usize>,
    /// Somebody decides on what is drawn: edits are drawn before they are done.
    live: bool,
    /// Elements that are not settled, and which of them came first.
    waiting: HashMap<ElementId, (u64, Element)>,
    waited: u64,
    /// Texts that grow: where they begin, and how much of them is drawn.
    texts: HashMap<ElementId, (usize, usize)>,
    /// The text whose last line is not ended.
    open: Option<(ElementId, Wrap)>,
    /// What was last told of elements that change later on.
    told: HashMap<ElementId, u64>,
    /// The use of a tool whose change of a file is the last thing that is drawn, whole.
    change_above: Option<ToolUseId>,
}

/// A change of a file, drawn as an element draws it, but whole.
pub(crate) fn change(diff: &FileDiff, width: Option<usize>, margin: usize) -> String {
    let mut terminal = Terminal::new(Vec::new(), width);
    // What is written to memory is written.
    let _ = terminal.diff(diff, margin, &mut false, usize::MAX);
    String::from_utf8_lossy(&terminal.out).into_owned()
}

impl<W: Write> Terminal<W> {
    /// Draws into lines of that width; where there is none, as long as they are.
    pub(crate) fn new(out: W, width: Option<usize>) -> Self {
        Self {
            out,
            width,
            live: false,
            waiting: HashMap::new(),
            waited: 0,
            texts: HashMap::new(),
            open: None,
            told: HashMap::new(),
            change_above: None,
        }
    }

    /// Draws for somebody who is asked whether tools may run.
    pub(crate) fn live(out: W, width: Option<usize>) -> Self {
        Self {
            live: true,
            ..Self::new(out, width)
        }
    }

    /// Draws a text on lines of its own, safe already.
    pub(crate) fn notice(&mut self, notice: &str) -> io::Result<()> {
        self.close()?;
        self.change_above = None;
        write!(self.out, "{notice}")?;
        self.flush()
    }

    /// Whether what that use of a tool changes stands right above, whole.
    pub(crate) fn has_change_above(&self, id: &ToolUseId) -> bool {
        self.change_above.as_ref() == Some(id)
    }

    /// Draws what changes.
    pub(crate) fn change(&mut self, change: Change) -> io::Result<()> {
        match change {
            Change::Added(element) => self.added(*element),
            Change::Updated(element) => self.updated(*element),
            Change::Grew(growth) => self.grew(&growth),
            Change::Removed(id) => self.removed(&id),
            _ => Ok(()),
        }
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Nothing more comes: draws what still waits.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let mut waiting: Vec<_> = self.waiting.drain().map(|(_, waiting)| waiting).collect();
        waiting.sort_by_key(|(number, _)| *number);
        for (_, element) in waiting {
            self.draw(&element)?;
        }
        self.close()?;
        self.texts.clear();
        self.told.clear();
        self.flush()
    }

    fn added(&mut self, element: Element) -> io::Result<()> {
        if let Some(news) = news(&element.content) {
            self.told.insert(element.id.clone(), news);
        }
        match &element.content {
            Content::AssistantText(text) if text.streaming => {
                let margin = margin(&element);
                self.texts.insert(element.id.clone(), (margin, 0));
                self.more(&element.id, &text.text)
            }
            content if self.is_settled(content) => self.draw(&element),
            _ => {
                self.waited += 1;
                let waiting = (self.waited, element);
                self.waiting.insert(waiting.1.id.clone(), waiting);
                Ok(())
            }
        }
    }

    fn updated(&mut self, element: Element) -> io::Result<()> {
        let settled = self.is_settled(&element.content);
        if let Some((_, waiting)) = self.waiting.get_mut(&element.id) {
            if settled {
                self.waiting.remove(&element.id);
                return self.draw(&element);
            }
            *waiting = element;
        } else if let Some(&(_, drawn)) = self.texts.get(&element.id) {
            if let Content::AssistantText(text) = &element.content {
                self.more(&element.id, text.text.get(drawn..).unwrap_or_default())?;
                if !text.streaming {
                    self.texts.remove(&element.id);
                }
                if text.aborted {
                    self.remark("cut off")?;
                }
            }
        } else if let Some(news) = news(&element.content)
            && self.told.insert(element.id.clone(), news) != Some(news)
        {
            return self.draw(&element);
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
            Some((_, drawn)) if drawn > 0 => self.remark("taken back"),
            _ => Ok(()),
        }
    }

    /// Whether an element can be drawn, for good.
    fn is_settled(&self, content: &Content) -> bool {
        match content {
            Content::Thinking(thinking) => !thinking.streaming,
            Content::ToolCall(call) => call.status != ToolStatus::Streaming,
            Content::EditDiff(edit) => match edit.status {
                ToolStatus::Streaming => false,
                // With the line numbers of the file, which are known when it is done.
                ToolStatus::Running | ToolStatus::Asking => self.live,
                _ => true,
            },
            _ => true,
        }
    }

    /// Draws how a text goes on.
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
            Some((open, wrap)) if open == id => wrap.write(&mut self.out, text),
            _ => {
                self.close()?;
                let mut wrap = Wrap::new(self.width, margin, margin);
                spaces(&mut self.out, margin)?;
                wrap.write(&mut self.out, text)?;
                self.open = Some((id.clone(), wrap));
                Ok(())
            }
        }
    }

    /// Ends the line of the text that grows.
    fn close(&mut self) -> io::Result<()> {
        match self.open.take() {
            Some((_, mut wrap)) => wrap.close(&mut self.out),
            None => Ok(()),
        }
    }

    /// Says something of the text above.
    fn remark(&mut self, text: &str) -> io::Result<()> {
        self.close()?;
        let style = style(Tone::Dim);
        writeln!(self.out, "{style}({text}){style:#}")
    }

    fn draw(&mut self, element: &Element) -> io::Result<()> {
        self.close()?;
        let drawn = Drawn::of(element);
        let mut margin = margin(element);
        let paint = style(drawn.tone);
        spaces(&mut self.out, margin)?;
        if !drawn.mark.is_empty() {
            write!(self.out, "{paint}{}{paint:#} ", drawn.mark)?;
            margin += STEP;
        }
        // What stands behind the mark: the head, or the first part.
        let mut begun = true;
        let words = style(match drawn.tone {
            Tone::Tool | Tone::Good => Tone::Plain,
            tone => tone,
        });
        if !drawn.head.is_empty() || !drawn.aside.is_empty() {
            let mut wrap = Wrap::new(self.width, margin, margin);
            write!(self.out, "{words}")?;
            wrap.write(&mut self.out, &one_line(&drawn.head, HEAD))?;
            wrap.end(&mut self.out)?;
            write!(self.out, "{words:#}")?;
            if !drawn.aside.is_empty() {
                let dim = style(Tone::Dim);
                let space = if drawn.head.is_empty() { "" } else { "  " };
                write!(self.out, "{dim}")?;
                let aside = format!("{space}({})", one_line(&drawn.aside, HEAD));
                wrap.write(&mut self.out, &aside)?;
                wrap.end(&mut self.out)?;
                write!(self.out, "{dim:#}")?;
            }
            writeln!(self.out)?;
            begun = false;
        }
        for part in &drawn.body {
            match part {
                Part::Text(text) => self.text(text, words, margin, &mut begun)?,
                Part::Long(preview, _) => {
                    self.text(&preview.text, style(Tone::Dim), margin, &mut begun)?;
                    if let Some(hidden) = hidden(preview) {
                        self.text(&format!("… {hidden}"), style(Tone::Dim), margin, &mut begun)?;
                    }
                }
                Part::Diff(diff) => self.diff(diff, margin, &mut begun, DIFF_LINES)?,
            }
        }
        self.change_above = whole_change(&element.content);
        if begun {
            writeln!(self.out)?;
        }
        Ok(())
    }

    fn text(
        &mut self,
        text: &str,
        paint: Style,
        margin: usize,
        begun: &mut bool,
    ) -> io::Result<()> {
        if !std::mem::take(begun) {
            spaces(&mut self.out, margin)?;
        }
        let mut wrap = Wrap::new(self.width, margin, margin);
        write!(self.out, "{paint}")?;
        wrap.write(&mut self.out, text)?;
        wrap.end(&mut self.out)?;
        write!(self.out, "{paint:#}")?;
        wrap.close(&mut self.out)
    }

    fn diff(
        &mut self,
        diff: &FileDiff,
        margin: usize,
        begun: &mut bool,
        most: usize,
    ) -> io::Result<()> {
        let name = match &diff.old_path {
            Some(old) => format!("{old} → {}", diff.path),
            None => diff.path.clone(),
        };
        self.text(&name, style(Tone::Dim), margin, begun)?;
        let all = || diff.hunks.iter().flat_map(|hunk| &hunk.lines);
        let number = |line: &DiffLine| line.new_line.or(line.old_line);
        let digits = all()
            .filter_map(number)
            .max()
            .map_or(0, |last| last.to_string().len());
        for line in all().take(most) {
            let paint = match line.kind {
                LineKind::Added => AnsiColor::Green.on_default(),
                LineKind::Removed => AnsiColor::Red.on_default(),
                _ => style(Tone::Dim),
            };
            spaces(&mut self.out, margin)?;
            let number = number(line).unwrap_or_default();
            let sign = line.kind.sign();
            write!(self.out, "{paint}{number:digits$} {sign} ")?;
            let behind = margin + digits + 3;
            let mut wrap = Wrap::new(self.width, behind, behind);
            wrap.write(&mut self.out, &line.text)?;
            wrap.end(&mut self.out)?;
            writeln!(self.out, "{paint:#}")?;
        }
        match all().count().saturating_sub(most) {
            0 => Ok(()),
            more => self.text(
                &format!("… {more} more lines"),
                style(Tone::Dim),
                margin,
                begun,
            ),
        }
    }
}

/// The use of a tool of which the element draws the whole change.
fn whole_change(content: &Content) -> Option<ToolUseId> {
    let (id, diff) = match content {
        Content::EditDiff(edit) => (&edit.tool_use_id, &edit.diff),
        Content::ToolCall(call) => (&call.tool_use_id, call.diff.as_ref()?),
        _ => return None,
    };
    let lines = diff
        .hunks
        .iter()
        .map(|hunk| hunk.lines.len())
        .sum::<usize>();
    (lines <= DIFF_LINES).then(|| id.clone())
}

/// How long a head may be, in characters.
const HEAD: usize = 400;

fn margin(element: &Element) -> usize {
    if element.parent.is_some() { STEP } else { 0 }
}

fn style(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Person => AnsiColor::Cyan.on_default().bold(),
        Tone::Tool => AnsiColor::Blue.on_default(),
        Tone::Dim => Style::new().dimmed(),
        Tone::Good => AnsiColor::Green.on_default(),
        Tone::Warning => AnsiColor::Yellow.on_default(),
        Tone::Bad => AnsiColor::Red.on_default(),
    }
}
