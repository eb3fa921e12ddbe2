//! Renders Markdown as HTML.

use std::io::{self, Write};

use pulldown_cmark::{
    Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd,
    TextMergeWithOffset,
};

use super::Html;
use super::blocks::{Block, Blocks};
use super::diagram;
use super::link::{leads, urls};

/// The maximum depth of nested quotes, lists and emphasis. Markup at a greater depth is left out, and only its text is
/// written.
const DEEPEST: usize = 24;
/// The maximum length of the name of a language.
const LONGEST_LANGUAGE: usize = 32;

impl<W: Write> Html<W> {
    /// Writes a Markdown text as HTML. Markdown is `CommonMark` with tables, task lists and strikethrough.
    ///
    /// HTML in the text is escaped and shown as text. Only `http`, `https` and `mailto` links can be followed. Other
    /// links, and images, show their destination as text. An `http` or `https` URL in the text becomes a link, unless
    /// it is in code. Each line ending becomes a line break. Each paragraph, list, quote and table has the writing
    /// direction of its first letter, and code is written from left to right. A code block in Mermaid's
    /// language becomes a picture if it is a flowchart, a state diagram or a sequence diagram; its code is folded below it.
    /// The text is rendered block by block: a reference link finds its definition only in its own block, and a block longer than 8 KiB is divided. With the
    /// feature `highlight`, the parts of code whose language is known have classes for their colours. [`STYLE`] shows the
    /// name of the language above the code, as its first line contains it.
    ///
    /// [`STYLE`]: super::STYLE
    pub fn markdown(&mut self, text: &str) -> io::Result<()> {
        let mut blocks = Blocks::default();
        let mut written = Ok(());
        blocks.push(text, |block| {
            if written.is_ok() {
                written = self.block(block, true);
            }
        });
        written?;
        self.block(blocks.open(), true)
    }

    /// Writes a block. Writes nothing for a blank block. Code gets colours only if the block is complete.
    pub(super) fn block(&mut self, block: Block<'_>, is_whole: bool) -> io::Result<()> {
        if block.text.trim().is_empty() && block.repeated.is_empty() {
            return Ok(());
        }
        self.raw(if block.repeated.is_empty() {
            "<div class=\"block\">"
        } else {
            "<div class=\"block more\">"
        })?;
        if block.repeated.is_empty() {
            self.rendered(block.text, is_whole)?;
        } else {
            self.rendered(&[block.repeated, block.text].concat(), is_whole)?;
        }
        self.raw("</div>")
    }

    fn rendered(&mut self, text: &str, is_whole: bool) -> io::Result<()> {
        let options =
            Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        let mut rendering = Rendering {
            is_whole,
            ..Rendering::default()
        };
        // The parser splits a text at characters such as `_`. `TextMergeWithOffset` joins the pieces again, so that a URL
        // is never split between two events.
        let events = Parser::new_ext(text, options).into_offset_iter();
        for (event, range) in TextMergeWithOffset::new(events) {
            rendering.event(self, event, &text[range])?;
        }
        Ok(())
    }
}

/// The state while a block is rendered.
#[derive(Debug, Default)]
struct Rendering<'a> {
    /// The ends of all open tags.
    ends: Vec<End<'a>>,
    /// The number of open links and images. Links cannot be nested, so only the outermost one is written as a link.
    links: usize,
    /// The alignment of the columns of a table, and the next column.
    columns: Vec<Alignment>,
    column: usize,
    in_head: bool,
    /// Whether the block is complete.
    is_whole: bool,
    /// Whether a code block is open.
    is_code: bool,
    /// The language and the text of the open code block. `None` if no code block is open, or if its code gets no
    /// colours.
    code: Option<(String, String)>,
}

/// The text that must be written where an open tag ends.
#[derive(Debug)]
enum End<'a> {
    Markup(&'static str),
    /// The end of a link or image that cannot be followed. Its destination is written here as text.
    Destination(pulldown_cmark::CowStr<'a>),
}

impl<'a> Rendering<'a> {
    /// Writes an event. `source` is the text of the event, and with the start of an element the text of the whole element.
    fn event<W: Write>(
        &mut self,
        html: &mut Html<W>,
        event: Event<'a>,
        source: &str,
    ) -> io::Result<()> {
        match event {
            Event::Start(tag) => self.start(html, tag, source),
            Event::End(end) => self.end(html, end),
            Event::Code(code) => {
                html.raw("<code dir=\"ltr\">")?;
                html.text(&code)?;
                html.raw("</code>")
            }
            Event::SoftBreak | Event::HardBreak => html.raw("<br>"),
            Event::Rule => html.raw("<hr>"),
            Event::TaskListMarker(true) => {
                html.raw("<span role=\"img\" aria-label=\"Done\">☑</span> ")
            }
            Event::TaskListMarker(false) => {
                html.raw("<span role=\"img\" aria-label=\"To do\">☐</span> ")
            }
            Event::Text(text) if self.code.is_some() => {
                if let Some((_, code)) = &mut self.code {
                    code.push_str(&text);
                }
                Ok(())
            }
            Event::Text(text) if self.links == 0 && !self.is_code => linked(html, &text),
            // All of these are written as text. HTML is escaped, and mathematics and footnotes are disabled.
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => html.text(&text),
        }
    }

    fn start<W: Write>(
        &mut self,
        html: &mut Html<W>,
        tag: Tag<'a>,
        source: &str,
    ) -> io::Result<()> {
        // Only an outermost element gets a writing direction. The elements inside it inherit this direction.
        let direction = if self.ends.is_empty() {
            " dir=\"auto\""
        } else {
            ""
        };
        let (start, end) = match tag {
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links += 1;
                return self.link(html, dest_url);
            }
            Tag::CodeBlock(kind) => {
                self.is_code = true;
                let language = match &kind {
                    CodeBlockKind::Fenced(info) => language(info),
                    CodeBlockKind::Indented => None,
                };
                let is_drawn = self.is_whole
                    && language == Some(diagram::LANGUAGE)
                    && html.diagram(fenced(source).unwrap_or_default())?;
                html.raw("<pre class=\"code\" dir=\"ltr\"")?;
                // The style sheet shows this attribute. The name is not in the text, so it is not copied with the code.
                if let Some(language) = language {
                    html.raw(" data-language=\"")?;
                    html.text(language)?;
                    html.raw("\"")?;
                }
                html.raw("><code")?;
                if let Some(language) = language {
                    html.raw(" class=\"language-")?;
                    html.text(language)?;
                    html.raw("\"")?;
                    if self.is_whole {
                        self.code = Some((language.to_owned(), String::new()));
                    }
                }
                (
                    ">",
                    if is_drawn {
                        "</code></pre></details></div>"
                    } else {
                        "</code></pre>"
                    },
                )
            }
            Tag::List(Some(start)) if self.ends.len() < DEEPEST => {
                write!(html.out, "<ol start=\"{start}\"")?;
                html.raw(direction)?;
                (">", "</ol>")
            }
            Tag::Table(columns) => {
                self.columns = columns;
                html.raw(
                    "<div class=\"table\" role=\"group\" tabindex=\"0\" aria-label=\"Table\"",
                )?;
                html.raw(direction)?;
                ("><table>", "</tbody></table></div>")
            }
            Tag::TableHead => {
                (self.column, self.in_head) = (0, true);
                ("<thead><tr>", "</tr></thead><tbody>")
            }
            Tag::TableRow => {
                (self.column, self.in_head) = (0, false);
                ("<tr>", "</tr>")
            }
            Tag::TableCell => {
                let alignment = self.columns.get(self.column).copied();
                self.column += 1;
                html.raw(if self.in_head { "<th" } else { "<td" })?;
                html.raw(match alignment {
                    Some(Alignment::Center) => " class=\"center\">",
                    Some(Alignment::Right) => " class=\"right\">",
                    _ => ">",
                })?;
                ("", if self.in_head { "</th>" } else { "</td>" })
            }
            Tag::HtmlBlock | Tag::MetadataBlock(_) => ("<pre class=\"text\">", "</pre>"),
            _ if self.ends.len() >= DEEPEST => (" ", ""),
            Tag::Paragraph | Tag::Heading { .. } | Tag::BlockQuote(_) | Tag::List(_) => {
                let (start, end) = match tag {
                    Tag::Heading { level, .. } => heading(level),
                    Tag::BlockQuote(_) => ("<blockquote", "</blockquote>"),
                    Tag::List(_) => ("<ul", "</ul>"),
                    _ => ("<p", "</p>"),
                };
                html.raw(start)?;
                html.raw(direction)?;
                (">", end)
            }
            Tag::Item => ("<li>", "</li>"),
            Tag::Emphasis => ("<em>", "</em>"),
            Tag::Strong => ("<strong>", "</strong>"),
            Tag::Strikethrough => ("<del>", "</del>"),
            // The parser does not produce these tags, because the extensions are disabled.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript => ("", ""),
        };
        html.raw(start)?;
        self.ends.push(End::Markup(end));
        Ok(())
    }

    fn end<W: Write>(&mut self, html: &mut Html<W>, end: TagEnd) -> io::Result<()> {
        if matches!(end, TagEnd::Link | TagEnd::Image) {
            self.links -= 1;
        }
        if end == TagEnd::CodeBlock {
            self.is_code = false;
        }
        if let Some((language, code)) = self.code.take() {
            html.code(&language, &code)?;
        }
        match self.ends.pop() {
            Some(End::Markup(end)) => html.raw(end),
            Some(End::Destination(destination)) if !destination.is_empty() => {
                html.raw(" <small>(")?;
                html.text(&destination)?;
                html.raw(")</small>")
            }
            _ => Ok(()),
        }
    }

    fn link<W: Write>(
        &mut self,
        html: &mut Html<W>,
        destination: pulldown_cmark::CowStr<'a>,
    ) -> io::Result<()> {
        if self.links > 1 || !leads(&destination) {
            self.ends.push(End::Destination(destination));
            return Ok(());
        }
        start_link(html, &destination)?;
        self.ends.push(End::Markup("</a>"));
        Ok(())
    }
}

/// Writes the start of a link that can be followed.
fn start_link<W: Write>(html: &mut Html<W>, destination: &str) -> io::Result<()> {
    html.raw("<a href=\"")?;
    html.text(destination)?;
    html.raw("\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">")
}

/// Writes a text in which URLs are links.
fn linked<W: Write>(html: &mut Html<W>, text: &str) -> io::Result<()> {
    let mut end = 0;
    for range in urls(text) {
        html.text(&text[end..range.start])?;
        end = range.end;
        let url = &text[range];
        start_link(html, url)?;
        html.text(url)?;
        html.raw("</a>")?;
    }
    html.text(&text[end..])
}

/// Returns the name of a code block's language, as the first line of the block contains it.
fn language(info: &str) -> Option<&str> {
    let name = info.split([' ', '\t', ',', '{']).next()?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '-' | '_' | '.');
    let fits = !name.is_empty() && name.len() <= LONGEST_LANGUAGE;
    (fits && name.chars().all(is_name)).then_some(name)
}

/// Returns the lines between the fences of a code block. Returns `None` if the last fence is missing.
fn fenced(block: &str) -> Option<&str> {
    let (_, rest) = block.trim_end().split_once('\n')?;
    let (lines, last) = rest.rsplit_once('\n')?;
    let last = last.trim_start();
    (last.starts_with("```") || last.starts_with("~~~")).then_some(lines)
}

/// Returns the start tag of a heading without its final `>`, and its end tag. All headings have the same level for a
/// screen reader, because a text may begin with any level and may skip levels.
fn heading(level: HeadingLevel) -> (&'static str, &'static str) {
    let start = match level {
        HeadingLevel::H1 => "<h2 class=\"first\"",
        HeadingLevel::H2 => "<h2 class=\"second\"",
        _ => "<h2",
    };
    (start, "</h2>")
}

#[cfg(test)]
mod tests;
