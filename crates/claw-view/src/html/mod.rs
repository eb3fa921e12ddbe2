//! Writes elements and Markdown as HTML.
//!
//! [`Html`] is the only type that writes HTML. It escapes every text, so that no text of a session is ever interpreted
//! as markup. [`Html::page`] writes a session as one self-contained page. [`GrowingMarkdown`] renders a text while it
//! streams.
//!
//! ```
//! use claw_view::html::Html;
//!
//! let html = Html::fragment(|html| html.markdown("**Done**: <script>"));
//! assert_eq!(html, "<div class=\"block\"><p dir=\"auto\"><strong>Done</strong>: &lt;script&gt;</p></div>");
//! ```

mod blocks;
mod diagram;
mod growing;
mod highlight;
mod link;
mod markdown;
mod paste;

pub use growing::{GrowingMarkdown, Update};

use std::io::{self, Write};

use claw_types::escape;

use crate::diff::{DiffLine, FileDiff, LineKind};
use crate::drawn::{DIFF_LINES, Drawn, Part, hidden, task_state as state_name};
use crate::element::{Content, Element, ElementId, Media};

/// The style sheet (CSS) for elements and Markdown. [`Html::page`] includes it in the page.
pub const STYLE: &str = include_str!("page.css");

/// The media types of images that a page may show.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Writes elements and Markdown as HTML. Only [`Html::text`] writes text from a session, and only [`Html::raw`] writes
/// markup.
#[derive(Debug)]
pub struct Html<W> {
    out: W,
    live: bool,
}

impl Html<Vec<u8>> {
    /// Returns the HTML that `write` writes. It is meant for a page that scripts update (see [`Html::live`]).
    pub fn fragment(write: impl FnOnce(&mut Self) -> io::Result<()>) -> String {
        let mut html = Html::live(Vec::new());
        // Writing to memory cannot fail, so the result is ignored. Only valid UTF-8 is written.
        let _ = write(&mut html);
        String::from_utf8(html.out).unwrap_or_default()
    }
}

impl<W: Write> Html<W> {
    /// Creates a writer for a page that does not change. Elements have no IDs, and each image is replaced by a text.
    pub fn new(out: W) -> Self {
        Self { out, live: false }
    }

    /// Creates a writer for parts of a page that scripts update. Each element has the ID that [`id`] returns, and
    /// images are shown.
    pub fn live(out: W) -> Self {
        Self { out, live: true }
    }

    /// Returns the underlying writer.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Writes the elements of a session as a complete page. The page contains its style sheet, runs no scripts and
    /// loads nothing.
    pub fn page<'a>(
        &mut self,
        elements: impl Iterator<Item = &'a Element>,
        title: &str,
    ) -> io::Result<()> {
        self.raw(concat!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n",
            "<meta name=\"referrer\" content=\"no-referrer\">\n",
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>\n",
            include_str!("page.css"),
            "</style>\n<title>"
        ))?;
        self.text(title)?;
        self.raw("</title>\n</head>\n<body>\n<h1>")?;
        self.text(title)?;
        self.raw("</h1>\n<main>\n")?;
        for element in elements {
            self.element(element)?;
        }
        self.raw("</main>\n</body>\n</html>\n")
    }

    /// Writes an element.
    pub fn element(&mut self, element: &Element) -> io::Result<()> {
        let drawn = Drawn::of(element);
        self.raw("<section")?;
        if self.live {
            self.raw(" id=\"")?;
            self.text(&id(&element.id))?;
            self.raw("\"")?;
        }
        self.raw(" class=\"")?;
        self.raw(element.kind())?;
        self.raw(" ")?;
        self.raw(drawn.tone.as_str())?;
        self.raw(match element.parent {
            Some(_) => " sub\"",
            None => "\"",
        })?;
        if self.live {
            self.task_facts(element)?;
        }
        self.raw(">")?;
        if !drawn.mark.is_empty() {
            self.raw("<span class=\"mark\" aria-hidden=\"true\">")?;
            self.raw(drawn.mark)?;
            self.raw("</span>")?;
        }
        self.raw("<div class=\"all\">")?;
        // Thinking is folded, except on a live page, where it is shown while it streams.
        let folds =
            matches!(element.content, Content::Thinking(_)) && !self.live && !drawn.body.is_empty();
        // On a live page, two further kinds of elements are folded: the end of a successful turn and the summary of a
        // compaction.
        let is_done = self.live && matches!(&element.content, Content::TurnEnd(end) if end.ok);
        let is_summary = self.live
            && matches!(element.content, Content::ContextCompaction(_))
            && !drawn.body.is_empty();
        if is_done {
            self.raw("<details class=\"done\"><summary>Done</summary>")?;
        }
        if folds {
            self.raw("<details class=\"thought\" open><summary><span class=\"head\">")?;
            self.text(&drawn.head)?;
            self.raw("</span></summary>")?;
        } else if !drawn.head.is_empty() || !drawn.aside.is_empty() {
            self.raw("<p><span class=\"head\">")?;
            self.text(&drawn.head)?;
            self.raw("</span>")?;
            if !drawn.aside.is_empty() {
                self.raw(" <small>(")?;
                self.text(&drawn.aside)?;
                self.raw(")</small>")?;
            }
            self.raw("</p>")?;
        }
        if is_summary {
            self.raw("<details class=\"branch\"><summary>Summary</summary>")?;
        }
        if let (true, Content::Image(image)) = (self.live, &element.content) {
            self.image(&image.media)?;
        }
        for part in &drawn.body {
            match part {
                Part::Text(text) => {
                    self.written(text)?;
                    if self.live && matches!(element.content, Content::UserInput(_)) {
                        self.fold(text)?;
                    }
                }
                Part::Markdown(text) => {
                    self.raw("<div class=\"markdown\">")?;
                    self.markdown(text)?;
                    self.raw("</div>")?;
                }
                Part::Long(preview, text) => {
                    let folded = |html: &mut Self, hidden: &str, rest: &str| {
                        html.raw("<details><summary>")?;
                        html.text(hidden)?;
                        html.raw("</summary>")?;
                        html.pre("long", rest)?;
                        html.raw("</details>")
                    };
                    match hidden(preview) {
                        None => self.pre("long", &preview.text)?,
                        Some(hidden) if preview.at_end => {
                            folded(
                                self,
                                &hidden,
                                text.strip_suffix(&*preview.text).unwrap_or(text),
                            )?;
                            self.pre("long", &preview.text)?;
                        }
                        Some(hidden) => {
                            self.pre("long", &preview.text)?;
                            let rest = text.strip_prefix(&*preview.text).unwrap_or(text);
                            folded(self, &hidden, rest.strip_prefix('\n').unwrap_or(rest))?;
                        }
                    }
                }
                Part::Diff(diff) => self.diff(diff)?,
                Part::Folded(elements) => {
                    self.raw("<details class=\"branch\"><summary>show</summary>")?;
                    // On a page, only the elements of the main conversation have IDs. So the elements that are folded
                    // here are written without IDs.
                    let mut inner = Html::new(&mut self.out as &mut dyn Write);
                    for element in *elements {
                        inner.element(element)?;
                    }
                    self.raw("</details>")?;
                }
            }
        }
        if folds || is_done || is_summary {
            self.raw("</details>")?;
        }
        self.raw("</div></section>\n")
    }

    /// Writes data about a sub-agent or task as attributes, for the scripts of the page. The attributes contain its
    /// state, its start time, the ID with which it can be stopped, and whether it has a transcript.
    fn task_facts(&mut self, element: &Element) -> io::Result<()> {
        let (state, task, has_transcript) = match &element.content {
            Content::Subagent(agent) => {
                let has_transcript = agent.tool_use_id.is_some();
                (agent.state, agent.task_id.as_deref(), has_transcript)
            }
            Content::Task(task) => (task.state, Some(&*task.task_id), false),
            _ => return Ok(()),
        };
        self.raw(" data-state=\"")?;
        self.raw(state_name(state))?;
        self.raw("\"")?;
        if let Some(task) = task {
            self.raw(" data-task=\"")?;
            self.text(task)?;
            self.raw("\"")?;
        }
        if let Some(began) = &element.timestamp {
            self.raw(" data-began=\"")?;
            self.text(began)?;
            self.raw("\"")?;
        }
        if has_transcript {
            self.raw(" data-transcript=\"\"")?;
        }
        Ok(())
    }

    /// Writes the change to a file as a diff. If the diff is long, only its first [`DIFF_LINES`] lines are visible
    /// until the reader unfolds the rest. On a live page, the element around the lines has the path of the file in its
    /// attribute `data-file`.
    pub fn diff(&mut self, diff: &FileDiff) -> io::Result<()> {
        self.raw("<p><small>")?;
        if let Some(old) = &diff.old_path {
            self.text(old)?;
            self.raw(" → ")?;
        }
        self.text(&diff.path)?;
        self.raw("</small></p>")?;
        if !self.live {
            return self.diff_lines(diff);
        }
        self.raw("<div data-file=\"")?;
        self.text(&diff.path)?;
        self.raw("\">")?;
        self.diff_lines(diff)?;
        self.raw("</div>")
    }

    /// Writes a diff without the path of its file. If the diff is long, only its first [`DIFF_LINES`] lines are visible
    /// until the reader unfolds the rest.
    pub fn diff_lines(&mut self, diff: &FileDiff) -> io::Result<()> {
        let mut lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
        self.lines(lines.by_ref().take(DIFF_LINES), diff.numbered)?;
        let rest: Vec<_> = lines.collect();
        if !rest.is_empty() {
            write!(
                self.out,
                "<details><summary>{} more lines</summary>",
                rest.len()
            )?;
            self.lines(rest.into_iter(), diff.numbered)?;
            self.raw("</details>")?;
        }
        Ok(())
    }

    /// Writes text from a session, and escapes markup in it. Characters that change the writing direction or hide other
    /// text are escaped too. The text may also be the value of a quoted attribute.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        let text = escape(text);
        let mut rest = &*text;
        while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
            self.out.write_all(&rest.as_bytes()[..at])?;
            self.raw(match rest.as_bytes()[at] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'"' => "&quot;",
                _ => "&#39;",
            })?;
            rest = &rest[at + 1..];
        }
        self.out.write_all(rest.as_bytes())
    }

    /// Writes markup without escaping it. Because of the type `&'static str`, the markup is always a part of the
    /// program and never comes from a session.
    pub fn raw(&mut self, html: &'static str) -> io::Result<()> {
        self.out.write_all(html.as_bytes())
    }

    /// Writes lines of a diff. If the line numbers are not those of the file, they are left out, because they would be
    /// misleading.
    fn lines<'a>(
        &mut self,
        lines: impl Iterator<Item = &'a DiffLine>,
        is_numbered: bool,
    ) -> io::Result<()> {
        self.raw("<div class=\"diff\">")?;
        for line in lines {
            let class = match line.kind {
                LineKind::Added => "new",
                LineKind::Removed => "old",
                LineKind::Context => "same",
            };
            write!(self.out, "<div class=\"{class}\">")?;
            if is_numbered {
                let number = line.new_line.or(line.old_line).unwrap_or_default();
                write!(self.out, "<b>{number}</b>")?;
            }
            write!(self.out, "<i>{}</i><span>", line.kind.sign())?;
            self.text(&line.text)?;
            self.raw("</span></div>")?;
        }
        self.raw("</div>")
    }

    fn pre(&mut self, class: &'static str, text: &str) -> io::Result<()> {
        // HTML ignores a line ending at the beginning of a `pre` element, so an extra one is written.
        writeln!(self.out, "<pre class=\"{class}\">")?;
        self.text(text)?;
        self.raw("</pre>")
    }

    /// Writes an image if it is of a type that a browser can show.
    fn image(&mut self, media: &Media) -> io::Result<()> {
        let is_base64 = |data: &&String| {
            data.bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='))
        };
        let kind = media.media_type.as_deref();
        let kind = IMAGES.into_iter().find(|known| kind == Some(*known));
        let (Some(kind), Some(data)) = (kind, media.data.as_ref().filter(is_base64)) else {
            return Ok(());
        };
        self.raw("<img alt=\"Image\" src=\"data:")?;
        self.raw(kind)?;
        self.raw(";base64,")?;
        self.text(data)?;
        self.raw("\">")
    }
}

/// Returns the HTML ID of an element on a page that scripts update ([`Html::live`]).
pub fn id(id: &ElementId) -> String {
    format!("e-{}", escape(id.as_str()))
}
