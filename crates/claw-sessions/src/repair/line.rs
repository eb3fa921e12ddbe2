//! Divides a line into the records that can be read.

use std::borrow::Cow;
use std::ops::Range;

use super::change::RepairEffect::{Harmless, LeftOut, Recovered};
use super::change::{RepairProblem, Report};
use super::text::{with_valid_escapes, without_half_surrogates};
use crate::members::{Members, is_json};
use crate::records::{is_record, records};

const MARK: &[u8] = b"\xef\xbb\xbf";

/// A part of a line.
pub(super) struct Part<'a> {
    pub(super) range: Range<usize>,
    /// The mended text of the record. `None` if the part is not a record.
    pub(super) record: Option<Record<'a>>,
}

/// The text of a record, and what was mended in it.
pub(super) struct Record<'a> {
    pub(super) text: Cow<'a, [u8]>,
    has_invalid_escape: bool,
    is_not_utf8: bool,
    has_half_surrogate: bool,
}

/// Returns the parts of a line. A blank line has no parts.
pub(super) fn parts(line: &[u8]) -> Vec<Part<'_>> {
    if line.trim_ascii().is_empty() {
        return Vec::new();
    }
    // A line that is one record is recognized without a second reading of its strings.
    let part = |range: Range<usize>| Part {
        record: record(&line[range.clone()]),
        range,
    };
    if is_record(line) {
        return vec![part(0..line.len())];
    }
    let ranges = records(line).into_iter();
    let filled = ranges.filter(|range| !range.is_empty());
    filled.map(part).collect()
}

/// Returns the text of a record, if the text is an object or can be changed to one.
pub(super) fn record(part: &[u8]) -> Option<Record<'_>> {
    if part.trim_ascii().first() != Some(&b'{') {
        return None;
    }
    let mut text = Cow::Borrowed(part);
    let has_invalid_escape = !is_json(&text);
    if has_invalid_escape {
        text = Cow::Owned(with_valid_escapes(&text));
        if !is_json(&text) {
            return None;
        }
    }
    let is_not_utf8 = std::str::from_utf8(&text).is_err();
    if is_not_utf8 {
        text = Cow::Owned(String::from_utf8_lossy(&text).into_owned().into_bytes());
    }
    let without = without_half_surrogates(&text);
    let has_half_surrogate = without.is_some();
    if let Some(without) = without {
        text = Cow::Owned(without);
    }
    Members::parse(&text)?;
    Some(Record {
        text,
        has_invalid_escape,
        is_not_utf8,
        has_half_surrogate,
    })
}

/// Reports the problems of a line.
pub(super) fn report(number: u64, line: &[u8], parts: &[Part<'_>], report: &mut Report) {
    if line.trim_ascii().is_empty() {
        return;
    }
    let count = |is_record: bool| {
        let parts = parts.iter();
        parts
            .filter(|part| part.record.is_some() == is_record)
            .count()
    };
    let (whole, other) = (count(true), count(false));
    let first = parts.first().map_or(line.len(), |part| part.range.start);
    let mut at = 0;
    let (mut nuls, mut marks) = (0, false);
    for part in parts {
        let between = &line[at..part.range.start];
        nuls += memchr::memchr_iter(0, between).count();
        marks |= memchr::memmem::find(between, MARK).is_some();
        at = part.range.end;
    }
    let rest = &line[at..];
    nuls += memchr::memchr_iter(0, rest).count();
    marks |= memchr::memmem::find(rest, MARK).is_some();
    // The CLI reads the record with which a line begins, and ignores the rest of the line.
    let is_read = line[..first].trim_ascii().is_empty();
    let is_file_mark = number == 1 && line.starts_with(MARK);
    let is_read_after_mark = is_file_mark && line[MARK.len()..first].trim_ascii().is_empty();
    let effect = |is_read: bool| {
        if is_read || whole == 0 {
            Harmless
        } else {
            Recovered
        }
    };
    if marks {
        report.add(
            number,
            RepairProblem::ByteOrderMark,
            effect(is_read || is_read_after_mark),
        );
    }
    if nuls > 0 {
        let bytes = nuls as u64;
        report.add(
            number,
            RepairProblem::Nul { bytes },
            effect(is_read || is_read_after_mark),
        );
    }
    if whole > 0 && whole + other > 1 {
        let is_first_alone = whole == 1 && parts[0].record.is_some();
        let records = whole as u64;
        report.add(
            number,
            RepairProblem::Spliced { records },
            effect(is_first_alone),
        );
    }
    if other > 0 {
        let torn = parts.iter().filter(|part| part.record.is_none());
        let bytes = torn.map(|part| part.range.len() as u64).sum();
        report.add(number, RepairProblem::Torn { bytes }, LeftOut);
    }
    let records = || parts.iter().filter_map(|part| part.record.as_ref());
    for (has, problem, effect) in [
        (
            records().any(|record| record.has_invalid_escape),
            RepairProblem::InvalidEscape,
            Recovered,
        ),
        (
            records().any(|record| record.is_not_utf8),
            RepairProblem::InvalidUtf8,
            Harmless,
        ),
        (
            records().any(|record| record.has_half_surrogate),
            RepairProblem::HalfSurrogate,
            Harmless,
        ),
    ] {
        if has {
            report.add(number, problem, effect);
        }
    }
}
