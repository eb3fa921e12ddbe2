//! A conversation as Markdown.

use std::io::{self, Write};

use claw_types::api::{ApiMessage, Content, ContentBlock, ToolResultBlock};
use claw_types::escape;
use claw_types::transcript::{Attachment, Entry};

use crate::chain::NO_ANSWER;
use crate::members::Members;
use crate::{Conversation, Session};

/// Whether the CLI has written this message itself because nothing was asked of the model. The interactive CLI does not
/// show such a message.
fn is_no_answer(message: &ApiMessage) -> bool {
    message.model == "<synthetic>" && message.text().as_bytes() == NO_ANSWER
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speaker {
    User,
    Model,
}

pub(super) struct Markdown<W> {
    out: W,
    /// The last speaker. A transcript has one line for each block of an answer, but the answer gets only one heading.
    speaker: Option<Speaker>,
    /// The rewound branch that is being written.
    branch: Option<u32>,
}

impl<W: Write> Markdown<W> {
    pub(super) fn new(out: W) -> Self {
        Self {
            out,
            speaker: None,
            branch: None,
        }
    }

    pub(super) fn begin(&mut self, session: &Session, title: &str) -> io::Result<()> {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let title = if title.is_empty() { "Session" } else { &title };
        writeln!(self.out, "# {}\n", escape(title))?;
        writeln!(self.out, "Session `{}`", escape(session.id().as_str()))
    }

    /// Opens and closes the fold of a branch that was rewound, before an entry. A note belongs to no branch.
    pub(super) fn branch(
        &mut self,
        entry: &Entry,
        branch: Option<u32>,
        read: &Conversation,
    ) -> io::Result<()> {
        if !entry.is_link() || self.branch == branch {
            return Ok(());
        }
        self.end_branch()?;
        if let Some(branch) = branch {
            self.speaker = None;
            let what = match read.prompts(branch) {
                0 => "an answer".to_owned(),
                1 => "1 prompt".to_owned(),
                prompts => format!("{prompts} prompts"),
            };
            writeln!(self.out, "\n<details>\n<summary>rewound: {what}</summary>")?;
        }
        self.branch = branch;
        Ok(())
    }

    pub(super) fn end_branch(&mut self) -> io::Result<()> {
        if self.branch.take().is_some() {
            self.speaker = None;
            writeln!(self.out, "\n</details>")?;
        }
        Ok(())
    }

    pub(super) fn entry(&mut self, entry: &Entry) -> io::Result<()> {
        match entry {
            Entry::User(user) if user.is_meta == Some(true) => Ok(()),
            Entry::User(user) if user.is_compact_summary == Some(true) => {
                self.speaker = None;
                writeln!(
                    self.out,
                    "\n---\n\nWhat came before was replaced by this summary:"
                )?;
                self.quote(&user.message.content.text())
            }
            Entry::User(user) => self.user(&user.message.content),
            Entry::Assistant(answer) if is_no_answer(&answer.message) => Ok(()),
            Entry::Assistant(answer) => {
                for block in &answer.message.content {
                    self.answer(block)?;
                }
                Ok(())
            }
            Entry::Attachment(attachment) => match &attachment.attachment {
                Attachment::QueuedCommand(queued) => self.user(&queued.prompt),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Writes a record that does not have the form of its kind. This is a queued prompt outside the chain, as CLIs of
    /// April 2026 wrote it, or a note where a message is expected.
    pub(super) fn incomplete(&mut self, record: &Members<'_>) -> io::Result<()> {
        let attachment = record.get("attachment").and_then(Members::parse);
        let queued = attachment
            .filter(|attachment| attachment.text("type").as_deref() == Some("queued_command"));
        let prompt = queued.and_then(|queued| serde_json::from_slice(queued.get("prompt")?).ok());
        match (prompt, record.text("type").as_deref()) {
            (Some(prompt), _) => self.user(&prompt),
            (None, Some(kind @ ("user" | "assistant"))) => {
                self.speaker = None;
                writeln!(
                    self.out,
                    "\n(A line of the kind `{kind}` lacks a field and is not shown.)"
                )
            }
            _ => Ok(()),
        }
    }

    fn user(&mut self, content: &Content) -> io::Result<()> {
        let blocks = match content {
            Content::Text(text) => return self.text(text),
            Content::Blocks(blocks) => blocks,
        };
        for block in blocks {
            match block {
                ContentBlock::Text(text) => self.text(&text.text)?,
                ContentBlock::ToolResult(result) => self.result(result)?,
                ContentBlock::Image(_) => self.text("[image]")?,
                ContentBlock::Document(_) => self.text("[document]")?,
                _ => {}
            }
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.speaker(Speaker::User)?;
        self.quote(text)
    }

    fn answer(&mut self, block: &ContentBlock) -> io::Result<()> {
        match block {
            ContentBlock::Text(text) => {
                self.speaker(Speaker::Model)?;
                writeln!(self.out, "\n{}", escape(text.text.trim_end()))
            }
            ContentBlock::ToolUse(tool) => {
                self.speaker(Speaker::Model)?;
                self.tool(&tool.name)?;
                self.code("json", tool.input.as_raw())
            }
            ContentBlock::ServerToolUse(tool) => {
                self.speaker(Speaker::Model)?;
                self.tool(&tool.name)?;
                self.code("json", tool.input.as_raw())
            }
            _ => Ok(()),
        }
    }

    fn tool(&mut self, name: &str) -> io::Result<()> {
        // The name must not contain a character that ends the code span.
        let name = name
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .replace('`', "'");
        writeln!(self.out, "\nUses `{}`:", escape(&name))
    }

    fn result(&mut self, result: &ToolResultBlock) -> io::Result<()> {
        let failed = if result.is_error == Some(true) {
            "The tool failed"
        } else {
            "The tool gave"
        };
        let text = result
            .content
            .as_ref()
            .map(Content::text)
            .unwrap_or_default();
        if text.trim().is_empty() {
            return writeln!(self.out, "\n{failed}, without words.");
        }
        writeln!(self.out, "\n{failed}:")?;
        self.code("", &text)
    }

    fn speaker(&mut self, speaker: Speaker) -> io::Result<()> {
        if self.speaker.replace(speaker) == Some(speaker) {
            return Ok(());
        }
        let name = match speaker {
            Speaker::User => "User",
            Speaker::Model => "Claude",
        };
        writeln!(self.out, "\n## {name}")
    }

    fn quote(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out)?;
        for line in text.trim_end().lines() {
            let line = format!("> {}", escape(line));
            writeln!(self.out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// Writes a code block. Its fence is longer than any fence in the text.
    fn code(&mut self, language: &str, text: &str) -> io::Result<()> {
        let runs = text.split(|c| c != '`').map(str::len);
        let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
        let text = escape(text.trim_end_matches('\n'));
        writeln!(self.out, "\n{fence}{language}\n{text}\n{fence}")
    }
}
