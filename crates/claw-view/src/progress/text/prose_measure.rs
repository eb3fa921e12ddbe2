//! Finds the numbers of a sentence that report progress.

use super::measure::Line;
use super::token::Token;
use super::words::Class;
use crate::progress::Certainty;

/// Words before a count such as `3 of 4`. They show that the count selects a part of something, and does not report
/// progress.
const INSIDE: [&str; 9] = ["a", "at", "by", "from", "in", "of", "on", "since", "the"];

/// Words that can precede a verb of work. They show that the work is in progress, and that the verb is not part of a
/// name.
const WORKING: [&str; 14] = [
    "am",
    "and",
    "are",
    "been",
    "busy",
    "currently",
    "i'm",
    "is",
    "just",
    "now",
    "still",
    "was",
    "we're",
    "were",
];

impl Line<'_> {
    pub(super) fn prose_pair(&self, at: usize) -> Option<Certainty> {
        let ahead = Class::AHEAD.and(Class::REFERENCE);
        if (self.word_before(at, ahead, 12) && !self.now) || self.word_before(at, Class::MEASURE, 4)
        {
            return None;
        }
        let verdict = self.completion(at);
        if verdict == Some(false) || self.word_before(at, Class::UNDONE, 3) {
            return None;
        }
        if self.is_confirmed(at) || self.bar || (self.is_boxed(at, "[") && self.is_first(at)) {
            return Some(Certainty::Likely);
        }
        // In "in 3 of 4 browsers", "the 3/9 split" and "3/4 of the branches", the count selects a part. It does not
        // report progress.
        let token = &self.tokens[at];
        let next = self.after(at, 1).next();
        let fraction = token.text.contains('/') && next.is_some_and(|next| next.text == "of");
        if fraction || self.before(at, 1).any(|t| t.reads(&INSIDE)) {
            return None;
        }
        if self.is_labelled(at)
            && !self
                .before(at, 2)
                .nth(1)
                .is_some_and(|t| t.reads(&["in", "of", "from"]))
        {
            // A label is enough only for a step or with further words: "Step 2 of 5 adds …" reports work, but "Chapter
            // 2 of 5 tells …" does not.
            let step = self.before(at, 1).any(|label| label.is(Class::STEP));
            let is_reported = self.now || self.is_going(at) || verdict == Some(true);
            let bare = next.is_none_or(|next| next.reads(&["is", "has"]));
            let led = self.before(at, 4).any(|t| t.reads(&["on", "to", "with"]));
            if step || is_reported || bare || led {
                return Some(Certainty::Likely);
            }
        }
        let was_done = self
            .before(at, 2)
            .any(|t| t.is(Class::DONE) && !t.is(Class::RATE));
        let done = verdict == Some(true) || was_done || self.word_before(at, Class::PROGRESS, 3);
        (done || self.so_far || self.is_going(at)).then_some(Certainty::Possible)
    }

    /// Whether the words before a number report that work is in progress.
    fn is_going(&self, at: usize) -> bool {
        let mut before = self.before(at, 6).peekable();
        while let Some(token) = before.next() {
            if token.is(Class::GOING) && !token.is(Class::MEASURE) {
                return before.peek().is_none_or(|subject| subject.reads(&WORKING));
            }
        }
        false
    }

    pub(super) fn prose_percent(&self, at: usize) -> Option<Certainty> {
        let ahead = Class::AHEAD.and(Class::REFERENCE);
        if (self.word_before(at, ahead, 12) && !self.now) || self.word_before(at, Class::MEASURE, 5)
        {
            return None;
        }
        let measured = Class::MEASURE.and(Class::RATE);
        if self.after(at, 5).any(|token| token.is(measured)) {
            return None;
        }
        if self.bar || self.is_confirmed(at) || self.word_before(at, Class::PROGRESS, 4) {
            return Some(Certainty::Likely);
        }
        let mut after = self.after(at, 1);
        let previous = at.checked_sub(1).map(|at| &self.tokens[at]);
        let at_a_place = previous.is_some_and(|t| {
            t.reads(&["at", "to", "reached", "hit"]) || t.punctuation == Some(':')
        });
        let through = after.any(|next| next.reads(&["through", "there", "in"]))
            || self
                .after(at, 3)
                .last()
                .is_some_and(|token| token.text == "way");
        let ours = |t: &Token<'_>| t.reads(&["we", "we're", "i'm", "us"]);
        let at_work = at_a_place
            && (self.word_before(at, Class::WORK, 6)
                || self.is_going(at)
                || self.before(at, 4).any(ours));
        (self.completion(at) == Some(true) || through || at_work).then_some(Certainty::Possible)
    }
}
