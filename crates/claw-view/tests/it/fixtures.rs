//! Tests that the elements of each recording and transcript contain every text, image and document of its lines.

use std::collections::HashSet;

use claw_types::api::{Content as Blocks, ContentBlock};
use claw_types::transcript::Entry;
use claw_types::{Message, from_line};
use claw_view::element::Content;
use claw_view::{Change, Elements};

use crate::sessions::{Session, fed, sessions};

/// The beginnings of texts that are only for the model and are not shown.
const LEFT_OUT: [&str; 16] = [
    "<local-command-caveat>",
    "Your response above was cut off mid-stream.",
    "Your response above was stopped by a safety classifier",
    "Output token limit hit.",
    "[structured-output-enforce]",
    "[Image: source:",
    "<system-reminder>",
    "Base directory for this skill:",
    "Continue from where you left off.",
    "No response requested.",
    "(Th-esewordsst an /greet",
    "## Context Usage",
    "Say hello to Ada.",
    "Please greet Ada.",
    "A session-scoped Stop hook is now active with condition:",
    "The coordinator sent a message while you were working:",
];

/// Returns the content blocks of a line of stdout or of a transcript.
fn blocks(line: &str) -> Vec<ContentBlock> {
    let whole = |content: &Blocks| match content {
        Blocks::Text(text) => vec![ContentBlock::Text(claw_types::api::TextBlock::new(
            text.clone(),
        ))],
        Blocks::Blocks(blocks) => blocks.clone(),
    };
    if let Ok(entry) = from_line::<Entry>(line.as_bytes())
        && entry.is_link()
    {
        return match entry {
            Entry::User(user) => whole(&user.message.content),
            Entry::Assistant(assistant) => assistant.message.content.clone(),
            _ => Vec::new(),
        };
    }
    match from_line::<claw_types::StdoutMessage>(line.as_bytes()) {
        Ok(claw_types::StdoutMessage::Message(message)) => match message {
            Message::Assistant(assistant) => assistant.message.content.clone(),
            Message::User(user) => whole(&user.message.content),
            Message::UserReplay(user) => whole(&user.message.content),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Returns all texts that the elements show.
fn shown(elements: &Elements) -> String {
    let mut all = String::new();
    for element in elements.iter() {
        let text = match &element.content {
            Content::UserInput(input) => &input.text,
            Content::AssistantText(text) => &text.text,
            Content::Thinking(thinking) => &thinking.text,
            Content::Interrupted(interrupted) => &interrupted.text,
            Content::Notice(notice) => &notice.text,
            Content::Error(error) => &error.text,
            Content::CommandOutput(output) => &output.text,
            Content::ContextCompaction(compaction) => compaction.summary.as_ref().unwrap_or(&all),
            Content::Subagent(agent) => agent.summary.as_ref().unwrap_or(&agent.description),
            Content::Task(task) => task.summary.as_ref().unwrap_or(&task.description),
            _ => continue,
        };
        let text = text.clone();
        all.push('\u{1}');
        all.push_str(&text);
    }
    all
}

/// Returns the part of a text that must be shown: the contents of the tags of commands, tasks and pastes.
fn essence(text: &str) -> String {
    if let Some((before, rest)) = text.split_once("<pasted_content ")
        && let Some((_, pasted)) = rest.split_once(">\n")
        && let Some((inside, after)) = pasted.split_once("\n</pasted_content ")
        && let Some((_, after)) = after.split_once('>')
    {
        return format!("{before}{inside}{after}").trim().to_owned();
    }
    for (open, close) in [
        ("<command-name>", "</command-name>"),
        ("<bash-input>", "</bash-input>"),
        ("<bash-stdout>", "</bash-stdout>"),
        ("<local-command-stdout>", "</local-command-stdout>"),
        ("<summary>", "</summary>"),
    ] {
        if text.starts_with('<')
            && let Some((_, rest)) = text.split_once(open)
            && let Some((inside, _)) = rest.split_once(close)
        {
            return inside.trim().to_owned();
        }
    }
    text.to_owned()
}

/// Returns the ID of the element for a result whose kind is unknown to claw.
fn result_of(block: &claw_types::Unknown) -> String {
    format!("{}.result", block.text("tool_use_id").unwrap_or_default())
}

fn lost(lines: &[String]) -> Vec<String> {
    let (elements, changes, timeline) = fed(lines.iter().map(String::as_str));
    let removed = changes
        .iter()
        .filter(|change| matches!(change, Change::Removed(_)))
        .count();
    let all = shown(&elements);
    let ids: HashSet<_> = elements
        .iter()
        .map(|element| element.id.as_str().to_owned())
        .collect();
    let count = |kind: &str| {
        elements
            .iter()
            .filter(|element| element.kind() == kind)
            .count()
    };
    let (mut images, mut documents, mut redacted, mut hidden) = (0, 0, 0, 0);
    let mut lost = Vec::new();
    for block in lines.iter().flat_map(|line| blocks(line)) {
        match block {
            ContentBlock::Text(block) => {
                let is_for_the_model = LEFT_OUT.iter().any(|text| block.text.starts_with(text));
                // A sub-agent's prompt is shown, whatever its beginning is.
                if is_for_the_model && !all.contains(&essence(&block.text)) {
                    hidden += 1;
                } else if !all.contains(&essence(&block.text)) && removed == 0 {
                    lost.push(format!("text {:?}", block.text));
                }
            }
            ContentBlock::Thinking(block) if !all.contains(&block.thinking) => {
                lost.push(format!("thinking {:?}", block.thinking));
            }
            ContentBlock::ToolUse(block) if !ids.contains(block.id.as_str()) => {
                lost.push(format!("use {}", block.id));
            }
            ContentBlock::ServerToolUse(block) if !ids.contains(block.id.as_str()) => {
                lost.push(format!("use {}", block.id));
            }
            ContentBlock::ToolResult(block) => {
                if !ids.contains(&format!("{}.result", block.tool_use_id)) {
                    lost.push(format!("result {}", block.tool_use_id));
                }
                let inner = block.content.iter().flat_map(Blocks::blocks);
                for block in inner {
                    match block {
                        ContentBlock::Image(_) => images += 1,
                        ContentBlock::Document(_) => documents += 1,
                        _ => {}
                    }
                }
            }
            ContentBlock::WebSearchToolResult(block)
                if !ids.contains(&format!("{}.result", block.tool_use_id)) =>
            {
                lost.push(format!("result {}", block.tool_use_id));
            }
            ContentBlock::RedactedThinking(_) => redacted += 1,
            ContentBlock::Image(_) => images += 1,
            ContentBlock::Document(_) => documents += 1,
            // The result of a tool that ran at the API is shown, whatever its kind is.
            ContentBlock::Unknown(block) if ids.contains(&result_of(&block)) => {}
            ContentBlock::Unknown(_) => lost.push("an unknown block".to_owned()),
            _ => {}
        }
    }
    let thoughts = elements.iter().filter(|element| match &element.content {
        Content::Thinking(thinking) => thinking.redacted,
        _ => false,
    });
    for (what, said, seen) in [
        ("images", images, count("image")),
        ("documents", documents, count("document")),
        ("redacted", redacted, thoughts.count()),
    ] {
        if said != seen {
            lost.push(format!("{what}: {said} said, {seen} seen"));
        }
    }
    let left_out = timeline.left_out();
    if left_out != hidden {
        lost.push(format!("{left_out} left out, {hidden} should be"));
    }
    lost
}

#[test]
fn no_content_block_is_lost() {
    let mut all = Vec::new();
    for session in sessions() {
        for (number, lines) in session.files().enumerate() {
            let lost = lost(lines);
            all.extend(
                lost.into_iter()
                    .map(|what| format!("{} {number}: {what}", session.name)),
            );
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// Lines that are not shown, such as the CLI's own records, do not become unknown elements.
#[test]
fn no_recorded_line_is_unknown_but_those_that_claw_does_not_know() {
    for session in sessions() {
        for lines in session.files() {
            let (elements, ..) = fed(lines.iter().map(String::as_str));
            for element in elements.iter() {
                if let Content::Unknown(unknown) = &element.content {
                    assert!(
                        unknown.kind == "system/bridge_state",
                        "{}: {unknown:?}",
                        session.name
                    );
                }
            }
        }
    }
}

#[test]
fn ids_are_given_once() {
    for session in sessions() {
        for lines in session.files() {
            let (_, changes, _) = fed(lines.iter().map(String::as_str));
            let mut there = HashSet::new();
            for change in changes {
                let is_well = match &change {
                    Change::Added(element) => there.insert(element.id.clone()),
                    Change::Updated(element) => there.contains(&element.id),
                    Change::Grew(growth) => there.contains(&growth.id),
                    Change::Elapsed(elapsed) => there.contains(&elapsed.id),
                    Change::Removed(id) => there.remove(id),
                    _ => false,
                };
                assert!(is_well, "{}: {change:?}", session.name);
            }
        }
    }
}

#[test]
fn nothing_streams_and_no_tool_runs_when_a_turn_is_over() {
    for Session { name, stdout, .. } in sessions() {
        if !stdout
            .last()
            .is_some_and(|line| line.contains(r#""state":"idle""#))
        {
            continue;
        }
        let (elements, ..) = fed(stdout.iter().map(String::as_str));
        for element in elements.iter().filter(|element| element.parent.is_none()) {
            let streams = match &element.content {
                Content::AssistantText(text) => text.streaming,
                Content::Thinking(thinking) => thinking.streaming,
                _ => false,
            };
            assert!(!streams, "{name}: {element:?}");
        }
    }
}
