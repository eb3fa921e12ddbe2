//! A part of a conversation, as a page shows it: a page never holds a long conversation whole.

use std::collections::VecDeque;
use std::ops::Range;

use claw_types::ToolUseId;
use claw_view::Element;
use claw_view::element::Content;
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
    /// The ID of a sub-agent's card on the page: its own elements, and not those of the main conversation.
    agent: Option<String>,
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
    /// If the element that was asked for belongs to a sub-agent: the cards in which it is, from the outermost.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cards: Vec<String>,
}

impl Window {
    /// The newest elements of the main conversation.
    pub(super) fn newest(moment: &Moment) -> Self {
        let moment = moment.clone().of_agent(None);
        Self::of(&moment, moment.elements.len(), 0, MOST)
    }

    /// What was asked for. `None` if an element that it names is not there.
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
            cards: Vec::new(),
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

/// The ID on the page of the card of the sub-agent that this tool use has started.
pub(super) fn card_of(agent: &ToolUseId) -> String {
    id(&claw_view::agent_element(agent))
}

/// How deep cards are looked for in each other.
const DEEPEST: usize = 64;

/// The cards in which an element is, from the outermost.
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

/// The place of an element by its ID on the page.
pub(super) fn place(moment: &Moment, on_page: &str) -> Option<usize> {
    let mut ids = moment.elements.iter().map(|element| id(&element.id));
    ids.position(|id| id == on_page)
}
