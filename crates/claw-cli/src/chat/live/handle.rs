//! Handles keys in a conversation.

use claw_client::types::control::GetWorkspaceDiffResponse;
use claw_client::types::message::UserMessage;
use claw_client::{Error, Session};
use claw_view::Input;
use crossterm::event::Event;

use super::{CHANGES, Conversation, Done, End, draw};
use crate::chat::images::with_images;
use crate::console::Edit;
use crate::escape::{escape, one_line};
use crate::input::InputEvent;
use crate::limit;

impl Conversation<'_> {
    /// Handles a key or a paste. Ignores a change of the terminal's size, because the next draw reads the size.
    pub(super) async fn event(&mut self, event: Event) -> Option<End> {
        if let Event::Resize(..) = event {
            return None;
        }
        self.hint = None;
        let asked = self.question.as_mut().filter(|question| question.is_open);
        let is_answer = asked.is_some();
        let editor = asked.map_or(&mut self.editor, |question| &mut question.editor);
        let edit = match event {
            Event::Paste(text) => editor.paste(&text),
            Event::Key(key) => editor.key(key),
            _ => return None,
        };
        if edit != Edit::Interrupt {
            self.interrupts = 0;
        }
        match edit {
            Edit::Suspend => self.suspend().await,
            Edit::Clear => {
                if let Some(question) = &mut self.question {
                    question.lines = usize::MAX;
                }
                let cleared = self.screen.clear();
                cleared.err().map(|error| End::unwritable(&error))
            }
            Edit::TooLong => {
                self.hint = Some(
                    "A prompt has 10 MiB at most: write it to a file, and name the file.".into(),
                );
                None
            }
            edit if is_answer => {
                self.answer(edit);
                None
            }
            edit => {
                if let Some(question) = &mut self.question {
                    question.put_off();
                }
                self.prompt(edit)
            }
        }
    }

    /// Handles a key for the answer to the question.
    fn answer(&mut self, edit: Edit) {
        let event = match edit {
            Edit::Enter(line) => InputEvent::Line(line),
            Edit::Interrupt => InputEvent::Interrupt,
            Edit::End => InputEvent::End,
            Edit::Escape => match &mut self.question {
                Some(question) if !question.editor.line.is_empty() => {
                    question.editor.line.take();
                    return;
                }
                _ => InputEvent::Line(String::new()),
            },
            _ => return,
        };
        let Some(question) = self.question.take() else {
            return;
        };
        let answer = match &event {
            InputEvent::Line(line) => one_line(line, 400),
            _ => String::new(),
        };
        let width = self.screen.size().columns;
        self.output
            .text(&draw::answered(&question.prompt, &answer, width));
        if event == InputEvent::Interrupt {
            self.interrupts = 1;
            self.show_interruption();
        }
        question.answer(event);
        self.restore();
    }

    /// Restores the line that was set aside for a question.
    pub(super) fn restore(&mut self) {
        if let Some(text) = self.set_aside.take() {
            let more = self.editor.line.take();
            self.editor.line.set(text + &more);
        }
    }

    /// Handles a key for the prompt.
    fn prompt(&mut self, edit: Edit) -> Option<End> {
        match edit {
            Edit::Enter(text) => self.submit(text, false),
            Edit::Tab if self.is_working() => {
                let text = self.editor.line.take();
                self.submit(text, true);
            }
            Edit::Escape if self.question.is_some() => {
                let text = self.editor.line.take();
                self.set_aside = Some(self.set_aside.take().unwrap_or_default() + &text);
            }
            Edit::Escape if self.is_working() && self.editor.line.is_empty() => self.interrupt(),
            Edit::Interrupt => return self.interrupt_or_leave(),
            Edit::End => return Some(End::Left),
            _ => {}
        }
        None
    }

    fn interrupt_or_leave(&mut self) -> Option<End> {
        self.interrupts += 1;
        if self.interrupts > 1 {
            return Some(End::Interrupted);
        }
        if self.is_working() {
            self.interrupt();
        } else {
            self.editor.line.take();
            self.hint = Some("Once more to leave, or Ctrl-D.".into());
        }
        None
    }

    fn interrupt(&mut self) {
        self.interrupts = 1;
        let waiting = self.limited.take();
        if !waiting.is_empty() {
            for kept in &waiting {
                self.outgoing.release(kept);
            }
            self.output.text("  The prompt is not sent again.\n");
            if !self.is_working() {
                return;
            }
        }
        self.output.text("  Interrupting. Once more to leave.\n");
        self.show_interruption();
        self.link.interrupt();
    }

    /// Shows that the user interrupts the turn. For a session of a server, the server itself shows this to all viewers.
    fn show_interruption(&mut self) {
        if self.link.own().is_some() {
            self.output.push(Input::Interruption);
        }
    }

    /// Sends a prompt. If `later` is set, claude reads it after the running turn.
    fn submit(&mut self, text: String, later: bool) {
        if text.trim().is_empty() {
            return;
        }
        if text.trim().strip_prefix('/') == Some(CHANGES) {
            self.echo(&text, &[]);
            match self.link.own() {
                Some(session) => {
                    let diff = session.workspace_diff();
                    self.work
                        .spawn(async { Done::Changes(Box::new(diff.await)) });
                }
                None => self
                    .output
                    .text("  The page of the conversation shows what it has changed.\n"),
            }
        } else {
            let written = with_images(text.clone(), self.folder());
            if !self.outgoing.push(
                UserMessage::prompt(written.content),
                written.bytes,
                later,
                self.limited.is_used(),
            ) {
                self.hint =
                    Some("Too much waits for claude. Try again when it has read more.".into());
                self.editor.line.set(text);
                return;
            }
            self.echo(&text, &written.notes);
        }
        self.editor.remember(&text);
    }

    /// Shows a prompt in the conversation.
    fn echo(&mut self, text: &str, notes: &[String]) {
        let width = self.screen.size().columns;
        self.echoes.push(draw::echo(text, notes, width));
    }

    /// Handles a completed background task.
    pub(super) fn done(&mut self, done: Done) {
        match done {
            Done::Changes(answer) => self.changes(*answer),
            Done::Turn(None) => {}
            Done::Turn(Some(ended)) => {
                let (kept, result) = *ended;
                let reset = self.link.own().and_then(Session::limit_reset);
                match self.limited.add(kept, &result, reset) {
                    Ok(wait) => self.output.text(&limit::sentence(&wait)),
                    Err(kept) => self.outgoing.release(&kept),
                }
            }
            Done::Lost(kept) => self.outgoing.release(&kept),
        }
        if !self.is_working() {
            self.interrupts = 0;
        }
    }

    /// Sends the prompts that have waited for the reset of a limit.
    pub(super) fn send_again(&mut self) {
        for kept in self.limited.take() {
            self.outgoing.push_again(kept);
        }
    }

    fn changes(&mut self, answer: Result<GetWorkspaceDiffResponse, Error>) {
        match answer {
            // The error is only shown. If it ends the session, the stream of messages ends with the same error.
            Err(error) => self
                .output
                .text(&format!("claw: {}\n", escape(&error.to_string()))),
            Ok(answer) => {
                if let Some(diff) = &answer.diff {
                    self.output.push(Input::WorkspaceDiff(diff));
                } else {
                    let why = answer.no_diff_reason.map(|reason| reason.to_string());
                    let why = one_line(&why.unwrap_or_default(), 60);
                    self.output
                        .text(&format!("  No changes are known: {why}\n"));
                }
            }
        }
    }

    /// Handles Ctrl-Z. Suspends the process until the user continues it in the shell.
    #[cfg_attr(
        not(unix),
        expect(clippy::unused_async, reason = "it stops where there is job control")
    )]
    async fn suspend(&mut self) -> Option<End> {
        #[cfg(unix)]
        {
            if let Err(error) = self.screen.leave() {
                return Some(End::unwritable(&error));
            }
            self.raw = None;
            super::signals::stop().await;
            match crate::console::RawMode::enter() {
                Ok(raw) => self.raw = Some(raw),
                Err(error) => return Some(End::unwritable(&error)),
            }
            // Keys that were typed for the shell must not answer the question.
            if let Some(question) = &mut self.question {
                question.put_off();
                question.lines = usize::MAX;
            }
            self.screen.forget();
        }
        None
    }
}
