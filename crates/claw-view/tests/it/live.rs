//! Tests that watching a session and reading its transcript result in the same conversation.

use std::collections::BTreeSet;

use claw_types::message::internal::{CommandState, InternalMessage};
use claw_types::message::{Message, UserMessage};
use claw_types::{StdinMessage, StdoutMessage, from_line};
use claw_view::element::Content;
use claw_view::{Element, Elements, Input, Timeline};
use proptest::prelude::*;
use serde_json::Value;

use crate::sessions::{Session, driven, fed, sessions};

/// The elements that only a watched session has: the recording, the text of the element, and the reason.
const ONLY_WATCHED: &[(&str, &str, &str)] = &[
    (
        "forked_command",
        "There is one file.",
        "what a forked command says last is the command's output in the transcript",
    ),
    (
        "hook_prompt_blocked",
        "A bad prompt.",
        "a blocked prompt is in no transcript",
    ),
    (
        "queue",
        "Second?",
        "two prompts were put together, and are one in the transcript",
    ),
    (
        "slash_commands",
        "/cost",
        "the transcript has the name that the command has today",
    ),
    (
        "structured_output",
        "{\"answer\":4}",
        "no text of the model, but the result has it, and no transcript has a result",
    ),
];
const ONLY_READ: &[(&str, &str, &str)] = &[
    (
        "hook_callbacks",
        "/model claude-sonnet-5",
        "a control request is a command in the transcript",
    ),
    (
        "slash_commands",
        "/usage",
        "the transcript has the name that the command has today",
    ),
];
/// The recordings in which the order of elements differs, with the reason.
const OTHER_ORDER: &[(&str, &str)] = &[
    (
        "compact",
        "the transcript has /compact behind the summary that it made",
    ),
    ("hook_callbacks", "the same"),
];

/// Returns the elements of sessions as a host sees them: the lines of `claude`, and each prompt at the place where
/// `claude` starts it.
fn watched(sessions: &[&Session]) -> Elements {
    let mut timeline = Timeline::default();
    let mut elements = Elements::default();
    for session in sessions {
        watch(session, &mut timeline, &mut elements);
    }
    elements
}

fn watch(session: &Session, timeline: &mut Timeline, elements: &mut Elements) {
    let prompts: Vec<_> = session
        .stdin
        .iter()
        .filter_map(|line| match from_line(line.as_bytes()) {
            Ok(StdinMessage::User(prompt)) => Some(UserMessage::from(*prompt)),
            _ => None,
        })
        .collect();
    for line in &session.stdout {
        if let Ok(StdoutMessage::Message(Message::Internal(InternalMessage::CommandLifecycle(
            life,
        )))) = from_line(line.as_bytes())
            && life.state == CommandState::Started
        {
            let named = |prompt: &&UserMessage| prompt.uuid.as_ref() == Some(&life.command_uuid);
            if let Some(prompt) = prompts.iter().find(named) {
                elements.extend(timeline.push(Input::Prompt(prompt)));
            }
        }
        elements.extend(timeline.push(Input::Line(line)));
    }
}

/// Returns the content of an element of the main conversation, without the parts that only one of stdout and transcript
/// has. `None` for other elements.
fn essence(element: &Element) -> Option<Value> {
    if !element.is_conversation() || element.parent.is_some() {
        return None;
    }
    let mut content = serde_json::to_value(&element.content).expect("JSON");
    // Only stdout reports how long a tool has run.
    if let Content::ToolCall(_) = &element.content {
        content["elapsedSeconds"] = Value::Null;
    }
    // Only stdout reports that a turn has ended before its tool ran.
    if content["status"] == "interrupted" {
        content["status"] = "running".into();
    }
    Some(content)
}

fn conversation(elements: &Elements) -> Vec<Value> {
    elements.iter().filter_map(essence).collect()
}

/// Removes the elements that are listed for this recording. Panics if one of them is missing.
fn without(name: &str, mut conversation: Vec<Value>, listed: &[(&str, &str, &str)]) -> Vec<Value> {
    for (_, text, why) in listed.iter().filter(|(recording, ..)| *recording == name) {
        let at = conversation
            .iter()
            .position(|content| content["text"] == *text);
        conversation
            .remove(at.unwrap_or_else(|| panic!("{name}: {text:?} is needlessly listed: {why}")));
    }
    conversation
}

#[test]
fn watched_and_read_are_the_same_conversation() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    let sessions = driven();
    for session in &sessions {
        if session.transcript.is_empty() {
            continue;
        }
        let name = &session.name;
        // A resumed conversation has one transcript, which begins with its first session.
        let first = name.split('.').next().unwrap_or(name);
        let before =
            |other: &&Session| other.name <= *name && other.name.split('.').next() == Some(first);
        let parts: Vec<_> = sessions.iter().filter(before).collect();
        let watched = without(name, conversation(&watched(&parts)), ONLY_WATCHED);
        let lines = session
            .transcript
            .iter()
            .chain(session.more.iter().flatten());
        let read = conversation(&fed(lines.map(String::as_str)).0);
        let read = without(name, read, ONLY_READ);
        compared += 1;
        let sorted = |contents: &[Value]| {
            let mut texts: Vec<_> = contents.iter().map(Value::to_string).collect();
            texts.sort();
            texts
        };
        let other_order = OTHER_ORDER.iter().any(|(recording, _)| recording == name);
        assert!(
            !other_order || watched != read,
            "{name} is needlessly listed"
        );
        if watched != read && !(other_order && sorted(&watched) == sorted(&read)) {
            let at = watched.iter().zip(&read).position(|(a, b)| a != b);
            let at = at.unwrap_or(watched.len().min(read.len()));
            wrong.push(format!(
                "{name} ({} and {}): at {at}\n  watched {}\n  read    {}",
                watched.len(),
                read.len(),
                watched.get(at).unwrap_or(&Value::Null),
                read.get(at).unwrap_or(&Value::Null),
            ));
        }
    }
    assert!(compared > 40);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// If a prefix of the lines is read twice, without stream events the second time, and then the remaining lines, the
/// result is the same conversation.
#[test]
fn any_prefix_then_the_rest_gives_the_same_as_the_whole() {
    let sessions = driven();
    let strategy = (0..sessions.len(), any::<prop::sample::Index>());
    proptest!(ProptestConfig::with_cases(300), |((session, at) in strategy)| {
        let lines = &sessions[session].stdout;
        let at = at.index(lines.len());
        let whole = conversation(&fed(lines.iter().map(String::as_str)).0);
        let mut timeline = Timeline::default();
        let mut elements = Elements::default();
        for line in &lines[..at] {
            elements.extend(timeline.push(Input::Line(line)));
        }
        let seen = elements.len();
        let again = lines[..at].iter().filter(|line| !line.contains(r#""type":"stream_event""#));
        for line in again {
            elements.extend(timeline.push(Input::Line(line)));
        }
        let new: Vec<_> = elements.iter().skip(seen).collect();
        prop_assert!(new.len() <= unnamed(lines), "{} at {at}: {new:?}", sessions[session].name);
        for line in &lines[at..] {
            elements.extend(timeline.push(Input::Line(line)));
        }
        let now = conversation(&elements);
        let differs = now.iter().zip(&whole).find(|(now, whole)| now != whole);
        prop_assert!(now == whole, "{} at {at}: {} and {}: {differs:?}", sessions[session].name, now.len(), whole.len());
    });
}

/// Returns the number of lines without a UUID, which cannot be recognised when they are repeated.
fn unnamed(lines: &[String]) -> usize {
    lines
        .iter()
        .filter(|line| !line.contains(r#""uuid":"#))
        .count()
}

/// The kinds of elements that only stdout results in. A transcript contains no ends of turns, and the lines of
/// sub-agents are in separate transcripts.
const ONLY_ON_THE_WIRE: [&str; 2] = ["subagent", "turnEnd"];

#[test]
fn kinds_that_no_transcript_has_are_listed() {
    let (mut wire, mut kept) = (BTreeSet::new(), BTreeSet::new());
    for session in sessions()
        .iter()
        .filter(|session| !session.transcript.is_empty())
    {
        let main = |lines: &[String]| -> Vec<&'static str> {
            let (elements, ..) = fed(lines.iter().map(String::as_str));
            elements.iter().map(Element::kind).collect()
        };
        wire.extend(main(&session.stdout));
        kept.extend(main(&session.transcript));
    }
    let only: Vec<_> = wire.difference(&kept).copied().collect();
    assert_eq!(only, ONLY_ON_THE_WIRE);
}
