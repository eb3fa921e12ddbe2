//! What the model says: sentences, steps, check lists, sub-agents.

use super::place::{Line, Place};
use super::step;
use super::token::{self, Kind, Token};
use super::words::Class;
use crate::progress::{Certainty, Progress, Source};

/// A paragraph that is longer is not read.
const LONGEST: usize = 16 * 1024;

/// How far the last place is that a text names, and what is under way there.
pub(super) fn progress(text: &str) -> Option<Progress> {
    let mut prose = Prose::default();
    for line in text.lines() {
        prose.take(line);
    }
    prose.progress()
}

/// A text that is read line by line.
#[derive(Debug, Default)]
pub(in crate::progress) struct Prose {
    best: Option<Progress>,
    agent: Option<Progress>,
    steps: u64,
    headed: Option<Progress>,
    boxes: Boxes,
    fence: Option<&'static str>,
}

impl Prose {
    /// Reads the next line, and gives the progress that it tells of whatever follows.
    pub(in crate::progress) fn take(&mut self, line: &str) -> Option<&Progress> {
        let line = line.trim_start();
        if let Some(mark) = ["```", "~~~"]
            .into_iter()
            .find(|mark| line.starts_with(mark))
        {
            self.fence = match self.fence {
                None => Some(mark),
                Some(open) if open == mark => None,
                open => open,
            };
            return None;
        }
        if self.fence.is_some()
            || line.starts_with('|')
            || line.len() > LONGEST
            || self.boxes.take(line)
        {
            return None;
        }
        let line = line.trim_start_matches(['#', '>', ' ']);
        let line = line.strip_prefix("- ").unwrap_or(line);
        let tokens = token::tokens(line);
        let mut said = false;
        for sentence in tokens.split_inclusive(|token| token.ends() && !is_step_number(token)) {
            if let Some(place) = Line::new(sentence, true).place() {
                let of_agent = sentence.iter().any(|token| token.is(Class::SUBAGENT))
                    || is_agent_at_work(sentence);
                let source = if of_agent {
                    Source::SubagentMention
                } else {
                    Source::AssistantText
                };
                let name = step::name(line, sentence, place.at, true);
                self.best = Some(place.progress(name, source));
                said = true;
            } else if let Some(header) = step::header(sentence) {
                let name = step::name(line, sentence, header.place.at, true);
                let progress = header.place.progress(name, Source::AssistantText);
                if header.leads {
                    self.steps += 1;
                    self.headed = Some(progress);
                } else {
                    self.best = Some(progress);
                    said = true;
                }
            } else if is_agent_at_work(sentence) {
                let progress = Progress::new(Source::SubagentMention, Certainty::Possible);
                self.agent = Some(Progress {
                    step: whole(line, sentence),
                    ..progress
                });
            }
        }
        self.best.as_ref().filter(|_| said)
    }

    /// What the text as a whole tells of.
    fn progress(self) -> Option<Progress> {
        // Several steps are a plan.
        let headed = self.headed.filter(|_| self.steps == 1);
        let boxes = self.boxes;
        self.best
            .or(headed)
            .or_else(|| boxes.progress())
            .or(self.agent)
    }
}

/// Whether a sentence goes on behind the token, though it has a full stop: `Step 3. Move the file`.
fn is_step_number(token: &Token<'_>) -> bool {
    matches!(token.kind, Kind::Number(_)) && token.punctuation == Some('.') && token.at <= 8
}

fn whole(line: &str, sentence: &[Token<'_>]) -> Option<String> {
    let (first, last) = (sentence.first()?, sentence.last()?);
    step::short(line.get(first.at..last.end)?)
}

/// Boxes of a check list.
#[derive(Debug, Default)]
struct Boxes {
    ticked: u64,
    open: u64,
    next: Option<String>,
}

impl Boxes {
    /// Whether the line is an entry of the list.
    fn take(&mut self, line: &str) -> bool {
        let entry = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let entry = entry
            .strip_prefix(['-', '*', '+', '.', ')'])
            .map(str::trim_start);
        let Some(entry) = entry
            .or(Some(line))
            .and_then(|entry| entry.strip_prefix('['))
        else {
            return false;
        };
        if entry.starts_with("x]") || entry.starts_with("X]") {
            self.ticked += 1;
        } else if let Some(text) = entry.strip_prefix(" ]") {
            self.open += 1;
            self.next = self.next.take().or_else(|| step::short(text));
        } else {
            return false;
        }
        true
    }

    fn progress(self) -> Option<Progress> {
        let place = Place::count(self.ticked, self.ticked + self.open, 0, Certainty::Likely);
        (self.ticked > 0 && self.open > 0).then(|| place.progress(self.next, Source::AssistantText))
    }
}

/// Words before an agent that make it a certain one.
const ARTICLES: [&str; 12] = [
    "a", "an", "another", "my", "one", "our", "second", "that", "the", "this", "three", "two",
];

/// Whether a sentence says that a certain sub-agent works, is set to work, or is done.
fn is_agent_at_work(sentence: &[Token<'_>]) -> bool {
    let Some(at) = sentence
        .iter()
        .position(|t| t.is(Class::SUBAGENT.and(Class::AGENT)) && !t.quoted)
    else {
        return false;
    };
    let before = || sentence[..at].iter().rev().take(8);
    let after = || sentence[at + 1..].iter().take(8).filter(|t| t.is_text());
    let is_subagent = sentence[at].is(Class::SUBAGENT);
    let blocked = Class::AHEAD.and(Class::REFERENCE);
    if before().any(|t| t.is(blocked)) {
        return false;
    }
    let certain = before()
        .take(4)
        .any(|t| matches!(t.kind, Kind::Number(_)) || t.reads(&ARTICLES));
    let named = sentence
        .get(at + 1)
        .is_some_and(|next| next.quoted || next.is_mark("`\""));
    let several = is_subagent && sentence[at].text.ends_with('s');
    if !(certain || named || several) {
        return false;
    }
    if before().any(|t| t.is(Class::LAUNCH)) {
        return true;
    }
    let mut helped = false;
    for token in after() {
        if token.is(blocked.and(Class::UNDONE).and(Class::CLAUSE)) {
            return false;
        }
        let going = token.is(Class::GOING) && helped;
        let over = token.reads(&["returned", "reported", "found", "back"]);
        if going || over || token.is(Class::DONE.and(Class::LAUNCH)) {
            return true;
        }
        let is_name = token.quoted;
        helped |= token.reads(&["is", "are", "has", "have", "now", "still"]);
        if !token.is(Class::SMALL.and(Class::NOW)) && !is_name {
            return false;
        }
    }
    false
}
