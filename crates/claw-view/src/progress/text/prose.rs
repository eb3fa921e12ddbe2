//! Finds progress in the model's text: sentences, steps, check lists, sub-agents.

use std::collections::BTreeMap;

use super::agent;
use super::measure::{Line, Measure, percentage};
use super::step;
use super::token::{Kind, Token};
use super::tokenizer::tokens;
use crate::progress::{Certainty, Progress, Source};

/// The maximum length of a line, in bytes. A longer line is skipped.
const LONGEST: usize = 16 * 1024;

/// Returns the last progress that a text reports.
pub(super) fn progress(text: &str) -> Option<Progress> {
    Prose::of(text).parts().0
}

/// The progress that was found in a text so far. The text is read line by line.
#[derive(Debug, Default)]
pub(in crate::progress) struct Prose {
    /// The last progress that the text reports for anyone, and the last progress that it reports for the agent that
    /// wrote it.
    best: Option<Progress>,
    own: Option<Progress>,
    /// The last mention of a sub-agent without numbers.
    agent: Option<Progress>,
    /// The last progress of each sub-agent. If a mention contains no numbers, it is the last reported state.
    agents: BTreeMap<Option<String>, Progress>,
    steps: u64,
    headed: Option<Progress>,
    boxes: Checkboxes,
    fence: Option<&'static str>,
}

impl Prose {
    pub(in crate::progress) fn of(text: &str) -> Self {
        let mut prose = Self::default();
        for line in text.lines() {
            prose.take(line);
        }
        prose
    }

    /// Reads the next line. Returns the progress if this line reports progress. Later lines can change the result.
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
        let tokens = tokens(line);
        let mut is_measured = false;
        for sentence in tokens.split_inclusive(|token| token.ends() && !is_step_number(token)) {
            is_measured |= self.sentence(line, sentence);
        }
        self.best.as_ref().filter(|_| is_measured)
    }

    /// Reads a sentence. Returns whether it reports progress.
    fn sentence(&mut self, line: &str, sentence: &[Token<'_>]) -> bool {
        if let Some(place) = Line::new(sentence, true).place() {
            let name = step::name(line, sentence, place.at, true);
            let mention = agent::mention(sentence);
            let source = if mention.is_some() {
                Source::SubagentMention
            } else {
                Source::AssistantText
            };
            let progress = place.progress(name, source);
            if let Some(mention) = mention.filter(|_| !agent::is_counted(sentence, place.at)) {
                let progress = Progress {
                    worker: Some(mention.worker()),
                    ..progress
                };
                self.agents.insert(mention.name, progress.clone());
                self.best = Some(progress);
            } else {
                self.own = Some(progress.clone());
                self.best = Some(progress);
            }
            return true;
        }
        if let Some(counted) = self.goes_on(sentence) {
            if self.own == self.best {
                self.own = Some(counted.clone());
            }
            if let Some(worker) = &counted.worker {
                self.agents
                    .insert(worker.agent_type.clone(), counted.clone());
            }
            self.best = Some(counted);
            return true;
        }
        if let Some(header) = step::header(sentence) {
            let name = step::name(line, sentence, header.place.at, true);
            let progress = header.place.progress(name, Source::AssistantText);
            if header.leads {
                self.steps += 1;
                self.headed = Some(progress);
                return false;
            }
            self.own = Some(progress.clone());
            self.best = Some(progress);
            return true;
        }
        if let Some(mention) = agent::mention(sentence)
            && let Some(state) = mention.state
        {
            let progress = Progress {
                worker: Some(mention.worker()),
                step: whole(line, sentence),
                state,
                ..Progress::new(Source::SubagentMention, Certainty::Possible)
            };
            self.agent = Some(progress.clone());
            let known = self.agents.get(&mention.name);
            // If progress with numbers is known, a mention without numbers does not replace it.
            if known.is_none_or(|known| known.percentage.is_none()) {
                self.agents.insert(mention.name, progress);
            }
        }
        false
    }

    /// Handles a sentence that contains only a count, such as the second sentence of `Running test 14 of 20. 15 of 20.`
    /// Returns the last progress with this new count. Returns `None` for any other sentence.
    fn goes_on(&self, sentence: &[Token<'_>]) -> Option<Progress> {
        let best = self.best.as_ref()?;
        let (done, total) = best.completed.zip(best.total)?;
        let done = Line::new(sentence, true).last_count(0, done, total)?;
        Some(Progress {
            completed: Some(done),
            percentage: Some(percentage(done, total)),
            ..best.clone()
        })
    }

    /// Returns two values: the last progress that the text reports for anyone, and a list with the last progress of the
    /// agent that wrote the text and of each sub-agent.
    fn parts(self) -> (Option<Progress>, Vec<Progress>) {
        // If the text contains one heading with a step, the step is current. Several such headings form a plan, which
        // is no progress.
        let headed = self.headed.filter(|_| self.steps == 1);
        let whole = headed.or_else(|| self.boxes.progress());
        let own = self.own.or_else(|| whole.clone());
        let last = self.best.or(whole).or(self.agent);
        (last, self.agents.into_values().chain(own).collect())
    }

    /// Returns the last progress of the agent that wrote the text, and of each sub-agent that the text mentions. The
    /// most recent progress is at the end of the list.
    pub(in crate::progress) fn all(self) -> Vec<Progress> {
        let (last, mut all) = self.parts();
        all.retain(|progress| Some(progress) != last.as_ref());
        all.extend(last);
        all
    }
}

/// Whether the full stop after this token belongs to a step number, as in `Step 3. Move the file`. Such a full stop
/// does not end the sentence.
fn is_step_number(token: &Token<'_>) -> bool {
    matches!(token.kind, Kind::Number(_)) && token.punctuation == Some('.') && token.at <= 8
}

fn whole(line: &str, sentence: &[Token<'_>]) -> Option<String> {
    let (first, last) = (sentence.first()?, sentence.last()?);
    step::short(line.get(first.at..last.end)?)
}

/// The numbers of ticked and open boxes in a check list.
#[derive(Debug, Default)]
struct Checkboxes {
    ticked: u64,
    open: u64,
    next: Option<String>,
}

impl Checkboxes {
    /// Reads a line. Returns whether the line is an entry of a check list.
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
        let place = Measure::count(self.ticked, self.ticked + self.open, 0, Certainty::Likely);
        (self.ticked > 0 && self.open > 0).then(|| place.progress(self.next, Source::AssistantText))
    }
}
