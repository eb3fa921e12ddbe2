//! A part of a conversation, as a page shows it: a page never holds a long conversation whole.

use std::collections::VecDeque;
use std::ops::Range;

use claw_view::Element;
use claw_view::html::{Html, id};
use serde::{Deserialize, Serialize};

use crate::conversation::Moment;

/// How many elements a page is given at once.
const MOST: usize = 200;
/// How many tags they have together, those that open and those that close. There may be as many nodes in the document.
const TAGS: usize = 2400;
/// How many bytes they have together.
const BYTES: usize = 1 << 20;

/// What a page asks for. Without anything: the newest elements.
#[derive(Debug, Default, Deserialize)]
pub(super) struct WindowQuery {
    /// The ID of an element on the page: those before it.
    before: Option<String>,
    /// Those after it.
    after: Option<String>,
    /// Those around it, and itself.
    around: Option<String>,
    /// The oldest elements.
    #[serde(default)]
    oldest: bool,
    /// How many at most.
    limit: Option<usize>,
}

/// Elements that follow each other, as HTML.
#[derive(Debug, Serialize)]
pub(super) struct Window {
    /// What tells the conversation from an earlier one of the same session.
    epoch: String,
    /// The last event that is contained.
    n: u64,
    /// How many elements are before these.
    before: usize,
    /// How many are after these.
    after: usize,
    html: String,
}

impl Window {
    /// The newest elements.
    pub(super) fn newest(moment: &Moment) -> Self {
        let count = moment.elements.len();
        Self::of(moment, count, 0, MOST)
    }

    /// What was asked for. `None` if the element that it names is not there.
    pub(super) fn asked(moment: &Moment, query: &WindowQuery) -> Option<Self> {
        let limit = query.limit.unwrap_or(MOST).clamp(1, MOST);
        let count = moment.elements.len();
        let (at, after) = match query {
            WindowQuery {
                before: Some(id), ..
            } => (place(moment, id)?, 0),
            WindowQuery {
                after: Some(id), ..
            } => (place(moment, id)? + 1, limit),
            WindowQuery {
                around: Some(id), ..
            } => (place(moment, id)?, limit.div_ceil(2)),
            WindowQuery { oldest: true, .. } => (0, limit),
            WindowQuery { .. } => (count, 0),
        };
        Some(Self::of(moment, at, after, limit))
    }

    /// The elements from this place on, `after` at most, and those before it, until there are `limit`.
    fn of(moment: &Moment, at: usize, after: usize, limit: usize) -> Self {
        let mut drawn = Drawing::default();
        let share = if after == limit { 1 } else { 2 };
        let mut end = at;
        for element in moment.elements.iter().skip(at).take(after) {
            if !drawn.push(element, share, VecDeque::push_back) {
                break;
            }
            end += 1;
        }
        let mut start = at;
        if after < limit {
            let most = limit - (end - at);
            for element in moment.elements[..at].iter().rev().take(most) {
                if !drawn.push(element, 1, VecDeque::push_front) {
                    break;
                }
                start -= 1;
            }
        }
        Self::drawn(moment, start..end, drawn)
    }

    fn drawn(moment: &Moment, place: Range<usize>, drawing: Drawing) -> Self {
        Self {
            epoch: moment.epoch.clone(),
            n: moment.number,
            before: place.start,
            after: moment.elements.len() - place.end,
            html: drawing.parts.into_iter().collect(),
        }
    }
}

/// Elements that are being drawn, up to a bound.
#[derive(Debug, Default)]
struct Drawing {
    parts: VecDeque<String>,
    tags: usize,
    bytes: usize,
}

impl Drawing {
    /// Draws one more, if this share of the room has place for it. The first one always has.
    fn push(
        &mut self,
        element: &Element,
        share: usize,
        put: fn(&mut VecDeque<String>, String),
    ) -> bool {
        let html = Html::fragment(|html| html.element(element));
        // Text has none of these: it is escaped.
        let tags = self.tags + html.matches('<').count();
        let bytes = self.bytes + html.len();
        let fits = tags <= TAGS / share && bytes <= BYTES / share;
        if !fits && !self.parts.is_empty() {
            return false;
        }
        (self.tags, self.bytes) = (tags, bytes);
        put(&mut self.parts, html);
        true
    }
}

/// The place of an element by its ID on the page.
pub(super) fn place(moment: &Moment, on_page: &str) -> Option<usize> {
    let mut ids = moment.elements.iter().map(|element| id(&element.id));
    ids.position(|id| id == on_page)
}
