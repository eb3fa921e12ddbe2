//! Texts that the CLI wraps for the model, as a person reads them: without tags and without parts for the model only.

use claw_types::tool::{AgentCompleted, AgentOutput, ToolOutput, built_in};

/// What is shown in the place of the CLI's words to the model about something that was started.
const LAUNCHED: &str = "Runs in the background.";
/// The beginnings of what the CLI tells the model of a sub-agent that it has started.
const LAUNCHES: [&str; 3] = [
    "Async agent launched successfully",
    "Cloud agent launched",
    "Spawned successfully",
];

/// The part of a tool result to show. `None` if it is the same as the text.
pub(super) fn result(
    tool: Option<&str>,
    text: &str,
    output: Option<&ToolOutput>,
) -> Option<String> {
    if let Some(ToolOutput::Agent(output)) = output {
        let shown = match &**output {
            AgentOutput::Completed(agent) => Some(report(agent)),
            AgentOutput::RemoteLaunched(agent) => {
                Some(format!("{LAUNCHED}\n{}", agent.session_url))
            }
            AgentOutput::AsyncLaunched(_) => Some(LAUNCHED.to_owned()),
            _ => None,
        };
        if let Some(shown) = shown {
            return Some(shown).filter(|shown| shown != text);
        }
    }
    if let Some(ToolOutput::Bash(bash)) = output
        && bash.background_task_id.is_some()
    {
        let limit = bash.timed_out_after_ms.map(|limit| limit.get() / 1_000);
        let why = limit.map_or_else(String::new, |limit| {
            format!(" It took longer than {limit} s.")
        });
        let printed = bash.stdout.trim_end();
        let line = if printed.is_empty() { "" } else { "\n" };
        return Some(format!("{printed}{line}{LAUNCHED}{why}"));
    }
    let mut rest = inside(text.trim(), "tool_use_error").map_or(text, str::trim);
    rest = without_first(rest, "tools-used-before-summary");
    rest = without_last(rest, "system-reminder");
    if tool.is_some_and(|tool| built_in(tool).is_some_and(|tool| tool.name == "Agent")) {
        rest = without_last(rest, "usage");
        rest = without_agent_id(rest);
        if LAUNCHES.iter().any(|begin| rest.starts_with(begin)) {
            rest = LAUNCHED;
        }
    }
    // A reminder that is the whole text is shown.
    if rest.is_empty() {
        rest = inside(text.trim(), "system-reminder").map_or(text, str::trim);
    }
    (rest != text).then(|| rest.to_owned())
}

/// The part of a summary to show. `None` if it is the same as the text.
pub(super) fn summary(text: &str) -> Option<String> {
    const TAGS: [&str; 2] = ["system-reminder", "tools-used-before-summary"];
    let mut shown = String::new();
    // The end of the copied part, and the start of the search for the next tag.
    let (mut copied, mut from) = (0, 0);
    while let Some(at) = text[from..].find('<').map(|at| from + at) {
        let open = TAGS.iter().find_map(|tag| {
            let behind = text[at..].strip_prefix('<')?.strip_prefix(tag)?;
            behind.starts_with('>').then_some(*tag)
        });
        let Some(tag) = open.filter(|_| begins_line(text, at)) else {
            from = at + 1;
            continue;
        };
        let close = format!("</{tag}>");
        let Some(end) = text[at..].find(&close).map(|end| at + end + close.len()) else {
            break;
        };
        shown.push_str(&text[copied..at]);
        copied = end + usize::from(text[end..].starts_with('\n'));
        from = copied;
    }
    shown.push_str(&text[copied..]);
    (copied > 0).then_some(shown)
}

/// The report alone, without the CLI's own text before and after it.
fn report(agent: &AgentCompleted) -> String {
    let count = |count: Option<claw_types::Count>| {
        count.map_or(0, |count| {
            usize::try_from(count.get()).unwrap_or(usize::MAX)
        })
    };
    let texts = agent.content.iter().map(|block| block.text.as_str());
    let end = agent
        .content
        .len()
        .saturating_sub(count(agent.harness_tail_count));
    let texts: Vec<_> = texts
        .take(end)
        .skip(count(agent.harness_note_count))
        .collect();
    let report = texts.join("\n");
    without_first(&report, "tools-used-before-summary").to_owned()
}

/// The text between a tag and its end tag, if that is the whole text.
fn inside<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let text = text.strip_prefix(&format!("<{tag}>"))?;
    text.strip_suffix(&format!("</{tag}>"))
}

/// The text after a first element of this tag.
fn without_first<'a>(text: &'a str, tag: &str) -> &'a str {
    let begun = text.trim_start().strip_prefix(&format!("<{tag}>"));
    let behind = begun.and_then(|text| text.split_once(&format!("</{tag}>")));
    behind.map_or(text, |(_, behind)| behind.trim_start())
}

/// The text before its last elements of this tag, each of which starts a line.
fn without_last<'a>(mut text: &'a str, tag: &str) -> &'a str {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    while let Some(begun) = text.trim_end().strip_suffix(&close)
        && let Some(at) = begun.rfind(&open)
        && begins_line(text, at)
    {
        text = text[..at].trim_end();
    }
    text
}

/// The text before a last line that says how the model can write to the sub-agent.
fn without_agent_id(text: &str) -> &str {
    let at = text.rfind('\n').map_or(0, |end| end + 1);
    if text[at..].starts_with("agentId: ") {
        text[..at].trim_end()
    } else {
        text
    }
}

fn begins_line(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes()[at - 1] == b'\n'
}
