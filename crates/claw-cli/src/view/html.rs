//! `claw view --html`: a session as one self-contained page.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use claw_client::transport::create_private_file;
use claw_view::diff::{DiffLine, FileDiff, LineKind};
use claw_view::element::Element;
use claw_view::{Elements, Input, Timeline};

use super::drawn::{DIFF_LINES, Drawn, Part, Tone, hidden};
use super::source::Source;
use crate::escape::escape;
use crate::outcome::{Outcome, report};

/// Writes the session in a file or folder as a page to another file; `-` is stdout.
pub(crate) fn view(path: &Path, page: &Path) -> Outcome {
    let elements = match elements(path) {
        Ok(elements) => elements,
        Err(error) => return report(&error, Outcome::Unreadable),
    };
    let name = path.file_name().unwrap_or(path.as_os_str());
    match write_to(page, &elements, &name.to_string_lossy()) {
        Ok(()) => Outcome::Success,
        Err(error) => report(&error, Outcome::BrokeOff),
    }
}

fn elements(path: &Path) -> io::Result<Elements> {
    let mut source = Source::open(path)?;
    let mut timeline = Timeline::default();
    let mut elements = Elements::default();
    while let Some(line) = source.next()? {
        elements.extend(timeline.push(Input::Line(&line)));
    }
    for line in source.rest()? {
        elements.extend(timeline.push(Input::Line(&line)));
    }
    Ok(elements)
}

fn write_to(page: &Path, elements: &Elements, title: &str) -> io::Result<()> {
    if page == Path::new("-") {
        let mut html = Html(BufWriter::new(io::stdout().lock()));
        html.page(elements.iter(), title)?;
        return html.0.flush();
    }
    // The page contains the whole conversation.
    let mut html = Html(BufWriter::new(create_private_file(page)?));
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", page.display()));
    html.page(elements.iter(), title).map_err(named)?;
    html.0.flush().map_err(named)
}

/// Writes pages. Text from the session is written with [`Html::text`] only.
pub(super) struct Html<W>(pub(super) W);

impl<W: Write> Html<W> {
    pub(super) fn page<'a>(
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

    fn element(&mut self, element: &Element) -> io::Result<()> {
        let drawn = Drawn::of(element);
        let sub = if element.parent.is_some() { " sub" } else { "" };
        let kind = element.kind();
        write!(
            self.0,
            "<section class=\"{kind} {}{sub}\">",
            class(drawn.tone)
        )?;
        if !drawn.mark.is_empty() {
            self.raw("<span class=\"mark\">")?;
            self.text(drawn.mark)?;
            self.raw("</span>")?;
        }
        self.raw("<div class=\"all\">")?;
        if !drawn.head.is_empty() || !drawn.aside.is_empty() {
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
        for part in &drawn.body {
            match part {
                Part::Text(text) => self.pre("text", text)?,
                Part::Long(preview, text) => {
                    self.pre("long", &preview.text)?;
                    if let Some(hidden) = hidden(preview) {
                        self.raw("<details><summary>")?;
                        self.text(&hidden)?;
                        self.raw("</summary>")?;
                        let rest = text.strip_prefix(&*preview.text).unwrap_or(text);
                        self.pre("long", rest.strip_prefix('\n').unwrap_or(rest))?;
                        self.raw("</details>")?;
                    }
                }
                Part::Diff(diff) => self.diff(diff)?,
            }
        }
        self.raw("</div></section>\n")
    }

    fn diff(&mut self, diff: &FileDiff) -> io::Result<()> {
        self.raw("<p><small>")?;
        if let Some(old) = &diff.old_path {
            self.text(old)?;
            self.raw(" → ")?;
        }
        self.text(&diff.path)?;
        self.raw("</small></p>")?;
        let mut lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
        self.lines(lines.by_ref().take(DIFF_LINES))?;
        let rest: Vec<_> = lines.collect();
        if !rest.is_empty() {
            write!(
                self.0,
                "<details><summary>{} more lines</summary>",
                rest.len()
            )?;
            self.lines(rest.into_iter())?;
            self.raw("</details>")?;
        }
        Ok(())
    }

    fn lines<'a>(&mut self, lines: impl Iterator<Item = &'a DiffLine>) -> io::Result<()> {
        self.raw("<div class=\"diff\">")?;
        for line in lines {
            let class = match line.kind {
                LineKind::Added => "new",
                LineKind::Removed => "old",
                _ => "same",
            };
            let number = line.new_line.or(line.old_line).unwrap_or_default();
            let sign = line.kind.sign();
            write!(
                self.0,
                "<div class=\"{class}\"><b>{number}</b><i>{sign}</i><span>"
            )?;
            self.text(&line.text)?;
            self.raw("</span></div>")?;
        }
        self.raw("</div>")
    }

    fn pre(&mut self, class: &str, text: &str) -> io::Result<()> {
        // The first line ending in such an element is not part of it.
        writeln!(self.0, "<pre class=\"{class}\">")?;
        self.text(text)?;
        self.raw("</pre>")
    }

    /// Writes text, the only way for it to get into the page: markup is escaped, and so are characters that change the
    /// writing direction or hide something.
    fn text(&mut self, text: &str) -> io::Result<()> {
        let text = escape(text);
        let mut rest = &*text;
        while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
            self.raw(&rest[..at])?;
            self.raw(match rest.as_bytes()[at] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'"' => "&quot;",
                _ => "&#39;",
            })?;
            rest = &rest[at + 1..];
        }
        self.raw(rest)
    }

    fn raw(&mut self, html: &str) -> io::Result<()> {
        self.0.write_all(html.as_bytes())
    }
}

fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "plain",
        Tone::Person => "person",
        Tone::Tool => "tool",
        Tone::Dim => "dim",
        Tone::Good => "good",
        Tone::Warning => "warning",
        Tone::Bad => "bad",
    }
}
