//! Shows the progress of a session on one line of a terminal.

use claw_client::types::{Message, ToolUseId};
use claw_view::progress::{Progress, Source, State, Tracker};
use unicode_width::UnicodeWidthChar as _;

use crate::escape::escape;

/// The mark before the line.
const MARK: &str = "⋯ ";

/// The current activity, according to the messages that have arrived.
#[derive(Debug, Default)]
pub(crate) struct CurrentActivity {
    tracker: Tracker,
    /// The newest progress with numbers that has not ended.
    counted: Option<Progress>,
    /// The text of the current step, and the tool use that it belongs to.
    now: Option<(Option<ToolUseId>, String)>,
}

impl CurrentActivity {
    pub(crate) fn push(&mut self, message: &Message) {
        // A message of the model ends the wait for the model.
        if matches!(message, Message::Assistant(_) | Message::StreamEvent(_)) {
            self.now.take_if(|(tool, _)| tool.is_none());
        }
        for progress in self.tracker.push(message) {
            self.take(progress);
        }
    }

    pub(crate) fn take(&mut self, progress: Progress) {
        if progress.source == Source::Turn {
            (self.counted, self.now) = (None, None);
            return;
        }
        let is_active = matches!(progress.state, State::Running | State::Waiting);
        if !is_active {
            let tool = &progress.tool_use_id;
            self.now.take_if(|(of, _)| of == tool);
            let worker = &progress.worker;
            let is_it = |counted: &mut Progress| counted.worker == *worker;
            if progress.source != Source::ToolUse {
                self.counted.take_if(is_it);
            }
        } else if numbers(&progress).is_some() {
            self.counted = Some(progress);
        } else if let Some(step) = progress.step {
            let step = match progress.elapsed_ms {
                Some(ms) => format!("{step} {:.0} s", ms / 1_000.0),
                None => step,
            };
            self.now = Some((progress.tool_use_id, step));
        }
    }

    /// Returns the escaped line. It is one column shorter than the terminal, because some terminals start a new line
    /// after the last column. Returns `None` if nothing is running.
    pub(crate) fn line(&self, width: usize) -> Option<String> {
        let counted = self.counted.as_ref().and_then(|counted| {
            let step = counted.step.as_deref().unwrap_or("Progress");
            Some(format!("{step} {}", numbers(counted)?))
        });
        let now = self.now.as_ref().map(|(_, step)| step.clone());
        let parts: Vec<_> = counted.into_iter().chain(now).collect();
        (!parts.is_empty()).then(|| fit(&format!("{MARK}{}", parts.join(" · ")), width))
    }
}

/// Writes numbers for people, such as `5/20` or `45 %`.
fn numbers(progress: &Progress) -> Option<String> {
    let steps = progress.completed.zip(progress.total);
    let steps = steps.map(|(completed, total)| format!("{completed}/{total}"));
    steps.or_else(|| {
        progress
            .percentage
            .map(|percentage| format!("{percentage:.0} %"))
    })
}

/// Returns the number of columns that an escaped line occupies.
pub(crate) fn columns(line: &str) -> usize {
    line.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// Escapes a text, puts it on one line, and shortens it if it does not fit.
fn fit(text: &str, width: usize) -> String {
    let room = width.saturating_sub(1);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let safe = escape(&flat);
    let wide = |c: char| c.width().unwrap_or(0);
    if columns(&safe) <= room {
        return safe.into_owned();
    }
    let mut line = String::new();
    let mut taken = 1;
    for c in safe.chars() {
        taken += wide(c);
        if taken > room {
            break;
        }
        line.push(c);
    }
    if room > 0 {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests;
