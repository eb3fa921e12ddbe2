//! Searches for a text in a whole conversation.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use claw_view::drawn::{Drawn, Part};
use claw_view::element::Element;
use claw_view::html::id;
use serde::{Deserialize, Serialize};

use super::window::place;
use crate::conversation::Moment;

/// Maximum number of hits. If there are more, only the newest hits are returned.
const MOST: usize = 1000;
/// Maximum length of the text to search for, in characters.
const LONGEST: usize = 200;

/// The query of a search.
#[derive(Debug, Deserialize)]
pub(super) struct FindQuery {
    /// The text to search for. Its case is ignored.
    q: String,
    /// The ID of the element that is in view on the page.
    from: Option<String>,
}

/// The result of a search.
#[derive(Debug, Serialize)]
pub(super) struct Found {
    /// The number of elements that contain the text.
    total: usize,
    /// The IDs of these elements on the page, in the order of the conversation. If there are more than [`MOST`], the
    /// list contains only the newest.
    hits: VecDeque<String>,
    /// The index of the nearest hit. This is the first hit that is not before the element in view. If there is none, it is the
    /// last hit.
    nearest: usize,
}

impl FindQuery {
    /// Checks that the text is neither empty nor too long.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        if self.q.trim().is_empty() {
            return Err("`q` is empty");
        }
        if self.q.chars().count() > LONGEST {
            return Err("`q` is longer than 200 characters");
        }
        Ok(())
    }
}

impl Found {
    /// Searches for the text of a query. Ends early if `is_cancelled` is set.
    pub(super) fn of(moment: &Moment, query: &FindQuery, is_cancelled: &AtomicBool) -> Self {
        let needle = lower(query.q.trim()).into_owned();
        let from = query.from.as_ref().and_then(|id| place(moment, id));
        let (mut total, mut hits, mut before) = (0, VecDeque::new(), 0);
        for (at, element) in moment.elements.iter().enumerate() {
            if is_cancelled.load(Ordering::Relaxed) {
                break;
            }
            if !has(element, &needle) {
                continue;
            }
            total += 1;
            hits.push_back(id(&element.id));
            before += usize::from(from.is_none_or(|from| at < from));
            if hits.len() > MOST {
                hits.pop_front();
                before = before.saturating_sub(1);
            }
        }
        let nearest = before.min(hits.len().saturating_sub(1));
        Self {
            total,
            hits,
            nearest,
        }
    }
}

/// Returns whether the text of an element on the page contains `needle`, in upper or lower case. `needle` must be in
/// lower case.
fn has(element: &Element, needle: &str) -> bool {
    let drawn = Drawn::of(element);
    let is_in = |text: &str| lower(text).contains(needle);
    is_in(&drawn.head)
        || is_in(&drawn.aside)
        || drawn.body.iter().any(|part| match part {
            Part::Text(text) | Part::Long(_, text) => is_in(text),
            Part::Markdown(text) => is_in(text) || is_in(&without_marks(text)),
            Part::Diff(diff) => {
                let lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
                is_in(&diff.path) || lines.into_iter().any(|line| is_in(&line.text))
            }
            Part::Folded(elements) => elements.iter().any(|element| has(element, needle)),
            _ => false,
        })
}

/// Removes the marks of emphasis and code from Markdown. Without them, the search also finds words that contain such
/// marks.
fn without_marks(text: &str) -> String {
    let is_mark = |c: char| matches!(c, '*' | '_' | '`' | '~');
    text.replace(is_mark, "")
}

fn lower(text: &str) -> Cow<'_, str> {
    if text
        .chars()
        .all(|c| c.is_ascii() && !c.is_ascii_uppercase())
    {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().flat_map(char::to_lowercase).collect())
}

#[cfg(test)]
mod tests {
    use claw_types::message::UserMessage;
    use claw_types::{MessageUuid, SessionId};

    use super::*;
    use crate::conversation::Conversation;

    /// Creates a conversation with these prompts. The UUID of a prompt ends with its number.
    fn moment(prompts: &[&str]) -> Moment {
        let session = SessionId::from("11111111-1111-4111-8111-111111111111");
        let mut conversation = Conversation::new(session, "epoch".to_owned(), 1 << 20);
        for (number, text) in prompts.iter().enumerate() {
            let mut prompt = UserMessage::prompt((*text).to_owned());
            let uuid = format!("00000000-0000-4000-8000-{number:012}");
            prompt.uuid = Some(MessageUuid::from(uuid.as_str()));
            conversation.prompt(&prompt);
        }
        conversation.moment()
    }

    fn find(moment: &Moment, q: &str, from: Option<usize>) -> (usize, Vec<usize>, usize) {
        let ids: Vec<_> = moment.elements.iter().map(|it| id(&it.id)).collect();
        let query = FindQuery {
            q: q.to_owned(),
            from: from.map(|from| ids[from].clone()),
        };
        let Found {
            total,
            hits,
            nearest,
        } = Found::of(moment, &query, &AtomicBool::new(false));
        let at = |hit: &String| ids.iter().position(|id| id == hit).unwrap();
        (total, hits.iter().map(at).collect(), nearest)
    }

    #[test]
    fn a_text_is_found_in_any_case_and_the_nearest_hit_is_not_before_the_reader() {
        let moment = moment(&["Äpfel", "pears", "ÄPFEL and pears", "nuts"]);
        assert_eq!(find(&moment, "äpfel", None), (2, vec![0, 2], 1));
        assert_eq!(find(&moment, " äpfel ", Some(0)), (2, vec![0, 2], 0));
        assert_eq!(find(&moment, "äpfel", Some(1)), (2, vec![0, 2], 1));
        assert_eq!(find(&moment, "äpfel", Some(3)), (2, vec![0, 2], 1));
        assert_eq!(find(&moment, "plums", Some(3)), (0, vec![], 0));
    }

    #[test]
    fn a_cancelled_search_finds_nothing() {
        let moment = moment(&["a nut", "a nut"]);
        let query = || FindQuery {
            q: "nut".to_owned(),
            from: None,
        };
        let found = |flag| Found::of(&moment, &query(), &AtomicBool::new(flag)).total;
        assert_eq!((found(false), found(true)), (2, 0));
    }

    #[test]
    fn of_more_hits_than_are_named_the_newest_are() {
        let many = vec!["a nut"; MOST + 5];
        let (total, hits, nearest) = find(&moment(&many), "nut", Some(7));
        assert_eq!(
            (total, hits.len(), hits[0], nearest),
            (MOST + 5, MOST, 5, 2)
        );
    }

    #[test]
    fn marks_of_markdown_are_not_in_the_way() {
        let text = "It is **very** `im_portant`";
        assert!(without_marks(text).contains("is very important"));
    }
}
