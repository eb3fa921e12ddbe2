//! Finds the numbers of a line that report progress.

use super::token::{Kind, Token};
use super::words::Class;
use crate::progress::{Certainty, Progress, Source};

/// Progress from the numbers of a line. It contains a count, a percentage, or both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measure {
    pub(super) done: Option<u64>,
    pub(super) total: Option<u64>,
    pub(super) percentage: Option<f64>,
    pub(super) certainty: Certainty,
    /// The index of the number's first token in the line.
    pub(super) at: usize,
    /// Whether the line is the summary of a list of outcomes, whose total may still grow.
    pub(super) is_summary: bool,
}

impl Measure {
    pub(super) fn count(done: u64, total: u64, at: usize, certainty: Certainty) -> Self {
        Self {
            done: Some(done),
            total: Some(total),
            percentage: Some(percentage(done, total)),
            certainty,
            at,
            is_summary: false,
        }
    }

    pub(super) fn progress(self, step: Option<String>, source: Source) -> Progress {
        Progress {
            step,
            completed: self.done,
            total: self.total,
            percentage: self.percentage,
            ..Progress::new(source, self.certainty)
        }
    }

    pub(super) fn is_finished(&self) -> bool {
        self.percentage.is_none_or(|percentage| percentage >= 100.0)
    }

    pub(super) fn percent(percentage: f64, at: usize, certainty: Certainty) -> Self {
        Self {
            done: None,
            total: None,
            percentage: Some(percentage),
            certainty,
            at,
            is_summary: false,
        }
    }
}

/// Returns the share in percent, rounded to one decimal.
#[expect(
    clippy::cast_precision_loss,
    reason = "a percentage is shown to one decimal"
)]
pub(crate) fn percentage(done: u64, total: u64) -> f64 {
    rounded(100.0 * done as f64 / total as f64)
}

fn rounded(percentage: f64) -> f64 {
    (percentage * 10.0).round() / 10.0
}

/// The maximum distance between a token and another token near it, as a number of tokens. Signs are counted too.
const NEAR: usize = 32;

/// A line of a program's output, or a sentence of prose.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'t> {
    pub(super) tokens: &'t [Token<'t>],
    pub(super) prose: bool,
    /// Whether the line has a progress bar.
    pub(super) bar: bool,
    /// Whether the line contains a rate or a remaining time.
    pub(super) rate: bool,
    /// Whether the line reports the present moment, for example with the word `now`.
    pub(super) now: bool,
    /// Whether the line contains "so far".
    pub(super) so_far: bool,
    /// The number of percentages.
    pub(super) percents: usize,
    /// The index of the first word, and the index of the last word or time.
    pub(super) first: usize,
    pub(super) last: Option<usize>,
    /// The index of the first time.
    pub(super) time: Option<usize>,
}

impl<'t> Line<'t> {
    pub(super) fn new(tokens: &'t [Token<'t>], prose: bool) -> Self {
        let any = |is: fn(&Token<'_>) -> bool| tokens.iter().any(is);
        Self {
            tokens,
            prose,
            bar: any(|t| t.kind == Kind::Bar),
            rate: any(|t| t.kind == Kind::Rate || t.reads(&["eta"])),
            now: any(|t| t.is(Class::NOW)),
            so_far: (1..tokens.len())
                .any(|at| tokens[at].reads(&["far"]) && tokens[at - 1].reads(&["so"])),
            percents: tokens
                .iter()
                .filter(|t| matches!(t.kind, Kind::Percent(_)))
                .count(),
            first: tokens
                .iter()
                .position(Token::is_text)
                .unwrap_or(tokens.len()),
            last: tokens
                .iter()
                .rposition(|t| t.is_text() || t.kind == Kind::Time),
            time: tokens.iter().position(|t| t.kind == Kind::Time),
        }
    }

    /// Returns the progress that the line reports. If the line contains several measures, returns the first one,
    /// because a total usually precedes its parts. If a count increases later in the line, its last value is used.
    pub(super) fn place(&self) -> Option<Measure> {
        let place = self
            .meter()
            .or_else(|| (0..self.tokens.len()).find_map(|at| self.measure(at)))
            .or_else(|| self.summary())?;
        let (Some(done), Some(total)) = (place.done, place.total) else {
            return Some(place);
        };
        let last = self.last_count(place.at + 1, done, total);
        Some(last.map_or(place, |done| Measure {
            is_summary: place.is_summary,
            ..Measure::count(done, total, place.at, place.certainty)
        }))
    }

    /// Returns the last count of an increasing sequence that begins at this token, such as `14 of 20… 15 of 20…`.
    /// Returns `None` if there is no such sequence.
    pub(super) fn last_count(&self, from: usize, mut done: u64, total: u64) -> Option<u64> {
        let between = Class::GOING.and(Class::NOW).and(Class::UNIT);
        let mut last = None;
        for at in from..self.tokens.len() {
            let token = &self.tokens[at];
            match token.kind {
                Kind::Pair(next, of) if of == total && next > done && !self.is_notation(at) => {
                    done = next;
                    last = (self.completion(at) != Some(false)).then_some(next);
                }
                Kind::Mark(_) | Kind::Ornament | Kind::Bar => {}
                Kind::Word if token.is(between) || token.reads(&["then", "and"]) => {}
                _ => break,
            }
        }
        last
    }

    pub(super) fn measure(&self, at: usize) -> Option<Measure> {
        let token = &self.tokens[at];
        let is_number = matches!(
            token.kind,
            Kind::Pair(..) | Kind::Percent(_) | Kind::Sizes(..)
        );
        if !is_number || self.is_notation(at) {
            return None;
        }
        match token.kind {
            Kind::Pair(done, total) if done <= total && total > 0 => {
                let certainty = if self.prose {
                    self.prose_pair(at)
                } else {
                    self.printed_pair(at)
                }?;
                Some(self.with_percentage(Measure::count(done, total, at, certainty)))
            }
            Kind::Percent(percentage) if percentage <= 100.0 => {
                let certainty = if self.prose {
                    self.prose_percent(at)
                } else {
                    self.printed_percent(at)
                }?;
                Some(self.with_count(Measure::percent(percentage, at, certainty)))
            }
            Kind::Sizes(done, total) if done <= total && total > 0.0 => {
                let certainty = self.sizes(at)?;
                let share = rounded(100.0 * done / total);
                let written = self.others(at).find_map(|(_, other)| match other.kind {
                    Kind::Percent(p) if (p - share).abs() <= 1.0 => Some(p),
                    _ => None,
                });
                Some(Measure::percent(written.unwrap_or(share), at, certainty))
            }
            _ => None,
        }
    }

    /// Whether the number is only a part of something else, such as a name, code or a quotation.
    pub(super) fn is_notation(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        if token.quoted {
            return true;
        }
        let next_glued = self.tokens.get(at + 1).is_some_and(|next| {
            next.glued && token.punctuation.is_none() && (next.is_text() || next.is_mark("=<*`"))
        });
        let Some(before) = at.checked_sub(1) else {
            return next_glued;
        };
        let previous = &self.tokens[before];
        let further = before.checked_sub(1).map(|at| &self.tokens[at]);
        let is_key =
            further.is_some_and(|key| key.is(Class::PROGRESS.and(Class::DONE).and(Class::UNIT)));
        if previous.is_mark("=") && !is_key {
            return true;
        }
        // A number after a single `>` or `<` is a comparison, as in `> 90%`. An arrow such as `=> 90%` is not a
        // comparison.
        let arrow = further.is_some_and(|t| t.is_mark("=") || t.kind == Kind::Ornament);
        if previous.is_mark("<>") && !previous.glued && !token.glued && further.is_some() && !arrow
        {
            return true;
        }
        // A bracketed number does not report progress if it directly follows a name or a long row of signs. It belongs
        // to the name or to a headline.
        let name = |token: &Token<'_>| {
            token.is_text() && !token.is(Class::STEP.and(Class::UNIT))
                || token.kind == Kind::Ornament && token.text.len() > 3
        };
        next_glued
            || token.glued && previous.is_text()
            || token.glued && previous.is_mark("[(") && previous.glued && further.is_some_and(name)
    }

    /// Returns up to `count` tokens before this index. The nearest token comes first, and signs are left out. Ends at
    /// the beginning of the clause.
    pub(super) fn before(&self, at: usize, count: usize) -> impl Iterator<Item = &'t Token<'t>> {
        let tokens = self.tokens[..at].iter().rev();
        tokens
            .take(NEAR)
            .take_while(|token| !token.ends() && !token.is(Class::CLAUSE))
            .filter(|token| token.is_text())
            .take(count)
    }

    /// Returns up to `count` tokens after this index, until the next punctuation mark. Leaves out signs and text in
    /// brackets.
    pub(super) fn after(&self, at: usize, count: usize) -> impl Iterator<Item = &'t Token<'t>> {
        let (mut has_ended, mut depth) = (false, 0);
        self.tokens[at..]
            .iter()
            .take_while(move |token| {
                let was = has_ended;
                has_ended = token.punctuation.is_some() || token.kind == Kind::Ornament;
                !was
            })
            .take(NEAR)
            .skip(1)
            .filter(move |token| {
                depth += i32::from(token.is_mark("([")) - i32::from(token.is_mark(")]"));
                // A closing bracket without an opening one belongs to the bracket that contains the number itself. It
                // is ignored.
                depth = depth.max(0);
                depth == 0 && token.is_text()
            })
            .take(count)
    }

    pub(super) fn word_before(&self, at: usize, class: Class, count: usize) -> bool {
        self.before(at, count).any(|token| token.is(class))
    }

    /// Returns the tokens near a token. The tokens after it come first, then those before it. Both begin with the
    /// nearest one.
    pub(super) fn others(&self, at: usize) -> impl Iterator<Item = (usize, &'t Token<'t>)> {
        let tokens = self.tokens;
        let behind = (at + 1..tokens.len()).take(12);
        let before = (at.saturating_sub(12)..at).rev();
        behind.chain(before).map(|at| (at, &tokens[at]))
    }

    /// Whether at most `words` words are between two tokens. Signs and bars between them are not counted.
    pub(super) fn is_beside(&self, one: usize, other: usize, words: usize) -> bool {
        let between = &self.tokens[one.min(other) + 1..one.max(other)];
        between.iter().filter(|t| t.is_text()).count() <= words
    }

    /// Adjusts the percentage of a count. If a percentage near the count matches it, that percentage replaces the
    /// computed one. If an adjacent percentage does not match, it measures something else. The result is then a measure
    /// with that percentage instead of the count.
    pub(super) fn with_percentage(&self, place: Measure) -> Measure {
        let share = place.percentage.unwrap_or_default();
        let percents = self
            .others(place.at)
            .filter_map(|(at, token)| match token.kind {
                Kind::Percent(p) if p <= 100.0 && !self.is_notation(at) => Some((at, p)),
                _ => None,
            });
        for (at, percentage) in percents {
            if (percentage - share).abs() <= 1.0 {
                return Measure {
                    percentage: Some(percentage),
                    ..place
                };
            }
            let whole = self.is_labelled(place.at) || at < place.at;
            if !whole && self.is_beside(place.at, at, 0) && self.printed_percent(at).is_some() {
                return Measure::percent(percentage, at, place.certainty);
            }
        }
        place
    }

    /// Looks for a count near a percentage. If it matches the percentage, adds the count to the measure.
    pub(super) fn with_count(&self, place: Measure) -> Measure {
        let share = place.percentage.unwrap_or_default();
        let count = self
            .others(place.at)
            .find_map(|(at, token)| match token.kind {
                Kind::Pair(done, total)
                    if total > 0
                        && done <= total
                        && (percentage(done, total) - share).abs() <= 1.0
                        && !self.is_notation(at) =>
                {
                    Some((done, total))
                }
                _ => None,
            });
        let Some((done, total)) = count else {
            return place;
        };
        Measure {
            done: Some(done),
            total: Some(total),
            certainty: Certainty::Likely,
            ..place
        }
    }

    /// Whether an adjacent number confirms this number. A count confirms a percentage with the same share, and a
    /// percentage confirms a count.
    pub(super) fn is_confirmed(&self, at: usize) -> bool {
        let share = |token: &Token<'_>| match token.kind {
            Kind::Pair(done, total) if done <= total && total > 0 => Some(percentage(done, total)),
            Kind::Sizes(done, total) if done <= total && total > 0.0 => Some(100.0 * done / total),
            Kind::Percent(percentage) => Some(percentage),
            _ => None,
        };
        let own = share(&self.tokens[at]);
        let is_percent = |at: usize| matches!(self.tokens[at].kind, Kind::Percent(_));
        // Several percentages in a line without a bar are columns of a table. There, an adjacent number confirms
        // nothing.
        if self.percents > 1 && !self.bar {
            return false;
        }
        self.others(at).any(|(other, token)| {
            is_percent(at) != is_percent(other)
                && self.is_beside(at, other, 0)
                && !self.is_notation(other)
                && matches!((own, share(token)), (Some(a), Some(b)) if (a - b).abs() <= 1.0)
        })
    }

    /// Whether the number is in brackets, such as `[3/12]`, `[ 45%]` or `[builder 4/7]`.
    pub(super) fn is_boxed(&self, at: usize, open: &str) -> bool {
        let close = self
            .tokens
            .get(at + 1)
            .is_some_and(|next| next.is_mark("])"));
        let opens = |back: usize| {
            at.checked_sub(back)
                .is_some_and(|at| self.tokens[at].is_mark(open))
        };
        close && (opens(1) || (opens(2) && self.tokens[at - 1].kind == Kind::Word))
    }

    /// Whether the number has a label, such as `step 3/12` or `tests: 3/12`.
    pub(super) fn is_labelled(&self, at: usize) -> bool {
        let Some(at) = at.checked_sub(1) else {
            return false;
        };
        let at = if self.tokens[at].is_mark("[(=") {
            at.saturating_sub(1)
        } else {
            at
        };
        self.tokens[at].is(Class::UNIT) && !self.tokens[at].ends()
    }

    /// Whether only signs precede the number.
    pub(super) fn is_first(&self, at: usize) -> bool {
        self.first >= at
    }

    pub(super) fn is_last(&self, at: usize) -> bool {
        self.last.is_none_or(|last| last <= at)
    }

    /// Returns whether the words after a number report that the work is done. `Some(false)` means that they report
    /// something else, such as a failure or a measurement. `None` means that the words are not conclusive.
    pub(super) fn completion(&self, at: usize) -> Option<bool> {
        let mut unknown = 0;
        let mut after = self.after(at, 7).peekable();
        while let Some(token) = after.next() {
            if token.is(Class::UNDONE.and(Class::MEASURE)) {
                return Some(false);
            }
            if token.reads(&["i", "we", "you", "they"]) {
                return None;
            }
            if token.is(Class::DONE) && after.peek().is_none_or(|next| next.text != "by") {
                return Some(true);
            }
            let known = Class::SMALL
                .and(Class::NOW)
                .and(Class::UNIT)
                .and(Class::SUBAGENT);
            if !token.is(known) {
                unknown += 1;
                if unknown > 2 {
                    return None;
                }
            }
        }
        None
    }
}
