//! Finds the sub-agent that a sentence mentions, and its state.

use super::token::{Kind, Token};
use super::words::Class;
use crate::progress::{State, Worker};

/// A mention of a sub-agent in a sentence.
#[derive(Debug, Clone)]
pub(super) struct Mention {
    /// The name of the sub-agent. `None` if the sentence contains no name, or if it mentions several sub-agents.
    pub(super) name: Option<String>,
    /// The state of the sub-agent: running or completed. `None` if the sentence does not report a state.
    pub(super) state: Option<State>,
}

impl Mention {
    /// Returns a worker with the name that the sentence contains.
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

/// Articles and similar words. Before the word `agent`, they show that the sentence is about a particular agent.
const ARTICLES: [&str; 12] = [
    "a", "an", "another", "my", "one", "our", "second", "that", "the", "this", "three", "two",
];

/// Words before the word `agent` that do not name the agent.
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

/// Words with which the model announces its next action, such as `I'll`.
const WILL: [&str; 4] = ["going", "i'll", "let", "let's"];

/// Words that may also occur in an announcement, together with a word of [`WILL`].
const BESIDE_WILL: [&str; 16] = [
    "alright", "also", "am", "first", "great", "i", "i'm", "me", "next", "now", "ok", "okay",
    "perfect", "so", "then", "to",
];

/// Verbs for starting an agent, such as `launch` or `use`. The first `LEADING` verbs have this meaning also as the
/// first word of a sentence.
const LAUNCHES: [&str; 10] = [
    "dispatch", "invoke", "launch", "spawn", "start", "ask", "call", "delegate", "run", "use",
];
const LEADING: usize = 5;

/// Returns the sub-agent that a sentence mentions. If the sentence uses a word such as `subagent`, that is enough. If
/// it uses only the word `agent`, it must also report that the agent works or is done.
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

/// Whether the number at this index counts agents, as in `2 of 4 subagents` or `subagent 2 of 3`.
pub(super) fn is_counted(sentence: &[Token<'_>], at: usize) -> bool {
    let is_agent = |token: &&Token<'_>| token.is(Class::SUBAGENT.and(Class::AGENT));
    let of = |token: &&Token<'_>| token.is_text() && !token.is(Class::SMALL);
    let next = sentence[at + 1..].iter().take(4).find(of);
    let before = sentence[..at].last();
    next.is_some_and(|next| is_agent(&next) && next.text.ends_with('s'))
        || before.is_some_and(|before| is_agent(&before))
}

/// Returns the name of the agent. `at` is the index of the word `agent` or `subagent`. The name is the word before it,
/// or the quoted word after it.
fn name(sentence: &[Token<'_>], at: usize) -> Option<String> {
    if sentence[at].text.ends_with('s') {
        return None;
    }
    let is_name = |token: &&Token<'_>| {
        let is_word = matches!(token.kind, Kind::Word | Kind::Other);
        let small_words = Class::SMALL
            .and(Class::NOW)
            .and(Class::LAUNCH)
            .and(Class::DONE);
        let known = token.is(small_words) || token.reads(&ARTICLES) || token.reads(&NO_NAMES);
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
    let started = || {
        let next = sentence.get(at + 1).filter(|_| is_started(sentence, at))?;
        let other = Class::GOING.and(Class::UNIT).and(Class::WORK);
        (is_name(&next) && !next.is(other)).then_some(next)
    };
    let name = before.or_else(quoted).or_else(started)?;
    Some(name.text.to_owned())
}

/// Whether the tokens announce a named sub-agent, as in `Spawning subagent docs-writer`.
fn is_started(sentence: &[Token<'_>], at: usize) -> bool {
    let before = sentence[..at].last();
    sentence[at].is(Class::SUBAGENT)
        && sentence[at].punctuation.is_none()
        && before.is_some_and(|before| before.is(Class::LAUNCH) || before.reads(&LAUNCHES))
}

/// Whether a sentence announces that the model starts an agent, such as `I'll use the docs-writer agent to …`.
fn is_announced(sentence: &[Token<'_>], at: usize) -> bool {
    let words = || sentence[..at].iter().filter(|token| token.is_text());
    let Some(verb) = words().position(|token| token.reads(&LAUNCHES)) else {
        return false;
    };
    let will = words().take(verb).any(|token| token.reads(&WILL));
    let has_only_auxiliaries = words()
        .take(verb)
        .all(|token| token.reads(&WILL) || token.reads(&BESIDE_WILL));
    let leads = verb == 0
        && words()
            .next()
            .is_some_and(|token| token.reads(&LAUNCHES[..LEADING]));
    let object: Vec<_> = words().skip(verb + 1).collect();
    let names = object
        .iter()
        .filter(|token| !token.reads(&ARTICLES) && !token.reads(&["to"]));
    let is_object = names.clone().count() <= 1 && !names.clone().any(|t| t.reads(&["user"]));
    // A noun after `agent`, as in "the agent framework", means that no agent is mentioned.
    let next = sentence.get(at + 1);
    let is_whole = sentence[at].punctuation.is_some()
        || next.is_none_or(|next| !next.is_text() || next.quoted || next.is(Class::SMALL))
        || next.is_some_and(|next| next.reads(&["again", "and", "first", "here", "now"]))
        || is_started(sentence, at);
    let open = |token: &Token<'_>| {
        token.reads(&["if", "once", "unless", "until", "when", "whenever"])
            || token.punctuation == Some('?')
    };
    let is_open = sentence[at..].iter().any(open);
    has_only_auxiliaries && (will || leads) && is_object && is_whole && !is_open
}

/// Returns the state of an agent, which is running or completed. `at` is the index of the word for the agent. Returns
/// `None` if the sentence is not about a particular agent, or does not report a state.
fn at_work(sentence: &[Token<'_>], at: usize) -> Option<State> {
    let before = || sentence[..at].iter().rev().take(8);
    let after = || sentence[at + 1..].iter().take(8).filter(|t| t.is_text());
    let is_subagent = sentence[at].is(Class::SUBAGENT);
    if is_announced(sentence, at) {
        return Some(State::Running);
    }
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
    if !(certain || named || several || is_started(sentence, at)) {
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
        let is_done = token.reads(&["returned", "reported", "back"]) || token.is(Class::DONE);
        let goes_on = (token.is(Class::GOING) && helped)
            || token.is(Class::LAUNCH)
            || token.reads(&["found"]);
        match (is_done, goes_on) {
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
