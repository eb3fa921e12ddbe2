//! Finds the sub-agent that a sentence mentions, and its state.

use super::token::{Kind, Token};
use super::words::Class;
use crate::progress::{State, Worker};

/// A sub-agent in a sentence.
#[derive(Debug, Clone)]
pub(super) struct Mention {
    /// The name of the sub-agent. `None` if it has none, and for several sub-agents.
    pub(super) name: Option<String>,
    /// The state of the sub-agent: working, started or done. `None` if the sentence mentions none.
    pub(super) state: Option<State>,
}

impl Mention {
    /// The worker, as far as the words describe it.
    pub(super) fn worker(&self) -> Worker {
        Worker {
            task_id: None,
            tool_use_id: None,
            task_type: None,
            agent_type: self.name.clone(),
            description: None,
        }
    }
}

/// The maximum length of a name, in bytes.
const LONGEST: usize = 64;

/// Words before an agent that refer to a certain one.
const ARTICLES: [&str; 12] = [
    "a", "an", "another", "my", "one", "our", "second", "that", "the", "this", "three", "two",
];

/// Words before an agent that are not its name.
const NO_NAMES: [&str; 24] = [
    "ai",
    "all",
    "background",
    "both",
    "claude",
    "each",
    "few",
    "first",
    "fresh",
    "her",
    "his",
    "its",
    "last",
    "new",
    "next",
    "other",
    "parallel",
    "same",
    "separate",
    "several",
    "single",
    "some",
    "their",
    "your",
];

/// The sub-agent that a sentence mentions: one that is clearly a sub-agent, or an agent that is said to work or to be
/// done.
pub(super) fn mention(sentence: &[Token<'_>]) -> Option<Mention> {
    let at = sentence
        .iter()
        .position(|t| t.is(Class::SUBAGENT.and(Class::AGENT)) && !t.quoted)?;
    let state = at_work(sentence, at);
    let is_certain = sentence.iter().any(|token| token.is(Class::SUBAGENT));
    (is_certain || state.is_some()).then(|| Mention {
        name: name(sentence, at),
        state,
    })
}

/// Whether the number counts agents: `2 of 4 subagents`, `subagent 2 of 3`.
pub(super) fn is_counted(sentence: &[Token<'_>], at: usize) -> bool {
    let is_agent = |token: &&Token<'_>| token.is(Class::SUBAGENT.and(Class::AGENT));
    let of = |token: &&Token<'_>| token.is_text() && !token.is(Class::SMALL);
    let next = sentence[at + 1..].iter().take(4).find(of);
    let before = sentence[..at].last();
    next.is_some_and(|next| is_agent(&next) && next.text.ends_with('s'))
        || before.is_some_and(|before| is_agent(&before))
}

/// The name of an agent: the word before it, or the quoted one after it.
fn name(sentence: &[Token<'_>], at: usize) -> Option<String> {
    if sentence[at].text.ends_with('s') {
        return None;
    }
    let is_name = |token: &&Token<'_>| {
        let is_word = matches!(token.kind, Kind::Word | Kind::Other);
        let said = Class::SMALL
            .and(Class::NOW)
            .and(Class::LAUNCH)
            .and(Class::DONE);
        let known = token.is(said) || token.reads(&ARTICLES) || token.reads(&NO_NAMES);
        is_word && (token.quoted || !known) && token.text.len() <= LONGEST
    };
    let before = sentence[..at].iter().rev().take(2).find(|t| t.is_text());
    let before = before.filter(|token| !token.ends()).filter(is_name);
    let quoted = || {
        sentence[at + 1..]
            .iter()
            .take(2)
            .find(|t| t.quoted && t.is_text())
            .filter(is_name)
    };
    let name = before.or_else(quoted)?;
    Some(name.text.to_owned())
}

/// Whether a sentence says that a certain agent works, is started, or is done.
fn at_work(sentence: &[Token<'_>], at: usize) -> Option<State> {
    let before = || sentence[..at].iter().rev().take(8);
    let after = || sentence[at + 1..].iter().take(8).filter(|t| t.is_text());
    let is_subagent = sentence[at].is(Class::SUBAGENT);
    let blocked = Class::AHEAD.and(Class::REFERENCE);
    if before().any(|t| t.is(blocked)) {
        return None;
    }
    let certain = before()
        .take(4)
        .any(|t| matches!(t.kind, Kind::Number(_)) || t.reads(&ARTICLES));
    let named = sentence
        .get(at + 1)
        .is_some_and(|next| next.quoted || next.is_mark("`\""));
    let several = is_subagent && sentence[at].text.ends_with('s');
    if !(certain || named || several) {
        return None;
    }
    if before().any(|t| t.is(Class::LAUNCH)) {
        return Some(State::Running);
    }
    let mut helped = false;
    for token in after() {
        if token.is(blocked.and(Class::UNDONE).and(Class::CLAUSE)) {
            return None;
        }
        let over = token.reads(&["returned", "reported", "back"]) || token.is(Class::DONE);
        let goes_on = (token.is(Class::GOING) && helped)
            || token.is(Class::LAUNCH)
            || token.reads(&["found"]);
        match (over, goes_on) {
            (true, _) => return Some(State::Completed),
            (_, true) => return Some(State::Running),
            _ => {}
        }
        let is_name = token.quoted;
        helped |= token.reads(&["is", "are", "has", "have", "now", "still"]);
        if !token.is(Class::SMALL.and(Class::NOW)) && !is_name {
            return None;
        }
    }
    None
}
