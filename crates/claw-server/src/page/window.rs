//! A part of a conversation as HTML. A page never contains a whole long conversation.

use std::collections::VecDeque;
use std::ops::Range;

use claw_types::ToolUseId;
use claw_view::Element;
use claw_view::element::Content;
use claw_view::html::{Html, id};
use serde::{Deserialize, Serialize};

use crate::conversation::Moment;

/// Maximum number of elements in one response.
const MOST: usize = 200;
/// Maximum number of elements in the first state of a page. They fill a screen, and a phone draws them in a fraction of the
/// time that it needs for [`MOST`]. The page requests older elements when these are drawn.
const FIRST: usize = 24;
/// Maximum number of opening and closing tags in one response. This limits the number of nodes in the document.
const TAGS: usize = 2400;
/// Maximum size of one response, in bytes.
const BYTES: usize = 1 << 20;

/// The query for a part of a conversation. Without parameters, the response contains the newest elements.
#[derive(Debug, Default, Deserialize)]
pub(super) struct WindowQuery {
    /// The ID of an element on the page. If set, the response contains the elements before it.
    before: Option<String>,
    /// The ID of an element on the page. If set, the response contains the elements after it.
    after: Option<String>,
    /// The ID of an element on the page. If set, the response contains this element and the elements around it.
    around: Option<String>,
    /// Whether the response contains the oldest elements.
    #[serde(default)]
    oldest: bool,
    /// The ID of a sub-agent's card on the page. If set, the response contains elements of this sub-agent, and not of
    /// the main conversation.
    agent: Option<String>,
    /// Maximum number of elements.
    limit: Option<usize>,
}

/// Consecutive elements, as HTML.
#[derive(Debug, Serialize)]
pub(super) struct Window {
    /// The epoch, which distinguishes this conversation from earlier conversations of the same session.
    epoch: String,
    /// The number of the last event that the elements contain.
    n: u64,
    /// The number of elements before these.
    before: usize,
    /// The number of elements after these.
    after: usize,
    html: String,
    /// The IDs of the cards that contain the requested element, outermost first. Empty if the element does not belong
    /// to a sub-agent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cards: Vec<String>,
}

impl Window {
    /// Returns the newest elements of the main conversation, for the first state of a page.
    pub(super) fn newest(moment: &Moment) -> Self {
        let moment = moment.clone().of_agent(None);
        Self::of(&moment, moment.elements.len(), 0, FIRST)
    }

    /// Returns the requested elements. Returns `None` if an element that the query names does not exist.
    pub(super) fn asked(moment: &Moment, mut query: WindowQuery) -> Option<Self> {
        let Some(card) = &query.agent else {
            let around = query.around.as_deref();
            let cards = around.map_or_else(Vec::new, |around| cards_around(moment, around));
            if let Some(outermost) = cards.first() {
                query.around = Some(outermost.clone());
            }
            let main = moment.clone().of_agent(None);
            let window = Self::asked_of(&main, &query)?;
            return Some(Self { cards, ..window });
        };
        let Content::Subagent(agent) = &moment.elements[place(moment, card)?].content else {
            return None;
        };
        let agent = agent.tool_use_id.as_ref()?;
        Self::asked_of(&moment.clone().of_agent(Some(agent)), &query)
    }

    fn asked_of(moment: &Moment, query: &WindowQuery) -> Option<Self> {
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

    /// Returns at most `after` elements that begin at the index `at`. If these are fewer than `limit`, adds elements before
    /// `at`.
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
            cards: Vec::new(),
        }
    }
}

/// Draws elements until the bounds are reached.
#[derive(Debug, Default)]
struct Drawing {
    parts: VecDeque<String>,
    tags: usize,
    bytes: usize,
}

impl Drawing {
    /// Adds an element if the response then stays within its maximum size, divided by `share`. The first element is always
    /// added. Returns whether the element was added.
    fn push(
        &mut self,
        element: &Element,
        share: usize,
        put: fn(&mut VecDeque<String>, String),
    ) -> bool {
        let html = Html::fragment(|html| html.element(element));
        // This count is exact: each `<` belongs to a tag, because `<` in text is escaped.
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

/// Returns the ID that the card of a sub-agent has on the page. `agent` is the tool use that started the sub-agent.
pub(super) fn card_of(agent: &ToolUseId) -> String {
    id(&claw_view::agent_element(agent))
}

/// Maximum number of nested cards that [`cards_around`] finds.
const DEEPEST: usize = 64;

/// Returns the IDs of the cards that contain an element, outermost first.
fn cards_around(moment: &Moment, on_page: &str) -> Vec<String> {
    let mut cards = VecDeque::new();
    let mut at = place(moment, on_page);
    while let Some(agent) = at.and_then(|at| moment.elements[at].parent.as_ref())
        && cards.len() < DEEPEST
    {
        let card = card_of(agent);
        at = place(moment, &card);
        cards.push_front(card);
    }
    cards.into()
}

/// Returns the index of the element with this ID on the page.
pub(super) fn place(moment: &Moment, on_page: &str) -> Option<usize> {
    let mut ids = moment.elements.iter().map(|element| id(&element.id));
    ids.position(|id| id == on_page)
}
