//! Finds the numbers of a printed line that report progress.

use super::measure::Line;
use super::token::Kind;
use super::words::Class;
use crate::progress::Certainty;

impl Line<'_> {
    pub(super) fn printed_pair(&self, at: usize) -> Option<Certainty> {
        // The word after the count shows that work is done, as in `12/192 completed`. That is unambiguous for any unit.
        let next = self.after(at, 1).next();
        if next.is_some_and(|next| next.is(Class::DONE) && !next.is(Class::RATE)) {
            return Some(Certainty::Likely);
        }
        if self.word_before(at, Class::MEASURE.and(Class::REFERENCE), 4) {
            return None;
        }
        if self.is_boxed(at, "[") || self.bar || self.rate {
            return Some(Certainty::Likely);
        }
        let boxed = self.is_boxed(at, "(");
        if boxed && at >= 2 && self.tokens[at - 2].is_mark("]") {
            return Some(Certainty::Likely);
        }
        // The count has a label, and other measured values follow, as in `step 3/12 loss 0.3`.
        let measured = self.after(at, 1).any(|next| next.is(Class::MEASURE));
        if self.is_labelled(at) && measured {
            return Some(Certainty::Likely);
        }
        let verdict = self.completion(at);
        if verdict == Some(false) || self.word_before(at, Class::UNDONE, 3) {
            return None;
        }
        let token = &self.tokens[at];
        let working = Class::GOING
            .and(Class::DONE)
            .and(Class::PAST)
            .and(Class::PROGRESS);
        if self.is_confirmed(at)
            || self.is_labelled(at)
            || verdict == Some(true)
            || self.word_before(at, working, 4)
        {
            return Some(Certainty::Likely);
        }
        if boxed && (self.is_first(at) || self.is_last(at)) {
            return Some(Certainty::Likely);
        }
        // A title follows the count, as in `3/12 Test #3`. In `03/12 10:15`, a time follows, so the number is a date.
        let next = self.tokens.get(at + 1);
        let follows = next.is_some_and(|next| next.kind != Kind::Time && !next.is(Class::SMALL));
        let unit = next.is_some_and(|next| next.is(Class::UNIT));
        let titled = unit || self.after(at, 2).count() == 2;
        let is_date = token.text.starts_with('0') || token.text.contains("/0");
        if self.is_first(at) && token.text.contains('/') && follows && titled && !is_date {
            return Some(Certainty::Possible);
        }
        // A label precedes the count and a plural noun follows it, as in `gen: 40 of 160 tables`.
        let label = at.checked_sub(1).map(|at| &self.tokens[at]);
        let is_label = label.is_some_and(|t| t.kind == Kind::Word && t.punctuation == Some(':'));
        let things = next.is_some_and(|next| next.kind == Kind::Word && next.text.ends_with('s'));
        (is_label && things && at == 1).then_some(Certainty::Possible)
    }

    pub(super) fn printed_percent(&self, at: usize) -> Option<Certainty> {
        if self.word_before(at, Class::MEASURE, 4) {
            return None;
        }
        if self.is_boxed(at, "[") || self.word_before(at, Class::PROGRESS, 3) {
            return Some(Certainty::Likely);
        }
        let measured = self
            .after(at, 4)
            .any(|t| t.is(Class::MEASURE.and(Class::RATE).and(Class::UNDONE)));
        if measured {
            return None;
        }
        if self.bar || self.is_confirmed(at) {
            return Some(Certainty::Likely);
        }
        let behind = &self.tokens[at + 1..];
        let transfer = behind.iter().take(4).any(|t| t.kind == Kind::Rate)
            || behind
                .windows(2)
                .take(3)
                .any(|pair| matches!(pair[0].kind, Kind::Size(_)) && pair[1].kind == Kind::Time);
        let only = self.is_first(at) && self.is_last(at);
        let leads = self.is_first(at)
            && (behind.first().is_some_and(|next| next.is_mark("[|"))
                || self.is_boxed(at, "(")
                || self.time.is_some_and(|time| time < at));
        let leads = leads || self.after(at, 1).any(|next| next.is(Class::GOING));
        if self.rate || transfer || only || leads {
            return Some(Certainty::Likely);
        }
        let done = self.completion(at) == Some(true);
        let going = self.word_before(at, Class::GOING, 5);
        let work = self.word_before(at, Class::WORK.and(Class::DONE), 3) && self.is_last(at)
            || self
                .before(at, 1)
                .any(|t| t.is(Class::DONE) && !t.is(Class::RATE));
        (done || going || work).then_some(Certainty::Likely)
    }

    pub(super) fn sizes(&self, at: usize) -> Option<Certainty> {
        if self.word_before(at, Class::MEASURE, 4) || self.completion(at) == Some(false) {
            return None;
        }
        let timed = self.tokens[at + 1..]
            .iter()
            .take(3)
            .any(|t| t.kind == Kind::Time);
        let moving =
            self.bar || self.rate || self.is_confirmed(at) || (timed && self.percents == 0);
        let working = Class::GOING.and(Class::DONE).and(Class::PROGRESS);
        if !self.prose && moving {
            return Some(Certainty::Likely);
        }
        (self.word_before(at, working, 5) || self.completion(at) == Some(true))
            .then_some(Certainty::Possible)
    }
}
