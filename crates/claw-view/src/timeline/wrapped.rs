//! Shortens texts that the CLI wrote for the model. Removes tags, and parts that only the model needs.

use claw_types::tool::{AgentCompleted, AgentOutput, ToolOutput, built_in};

/// The text that replaces the CLI's message to the model that a sub-agent or command was started.
const LAUNCHED: &str = "Runs in the background.";
/// The text that replaces the CLI's message that a sub-agent has moved to the background because it waits for an
/// answer.
const ASKS: &str = "Waits for an answer to its request, and goes on in the background.";
/// The beginnings of the CLI's messages to the model that a sub-agent was started. Each has the text that is shown
/// instead.
const LAUNCHES: [(&str, &str); 4] = [
    ("Async agent launched successfully", LAUNCHED),
    ("Cloud agent launched", LAUNCHED),
    ("Spawned successfully", LAUNCHED),
    (
        "The agent has not finished. It is waiting for the user",
        ASKS,
    ),
];

/// The beginnings of those parts of a denial that tell the model how to react.
const DENIALS: [&str; 5] = [
    " The tool use was rejected (eg. if it was a file edit",
    " STOP what you are doing",
    " IMPORTANT: You *may*",
    " If you believe this capability is essential",
    " Try a different approach or report",
];
/// The text that precedes the user's own words in a denial.
const REASON: &str = " user said:\n";
/// The text in which the CLI explains that the tool was not denied, but stopped.
const STOPPED: &str = "this call was stopped while running";
/// For each tool, the beginnings of the parts of its result that advise the model what to do next.
const ADVICE: [(&str, &str); 7] = [
    ("Edit", " (file state is current in your context"),
    ("Write", " (file state is current in your context"),
    (
        "AskUserQuestion",
        " You can now continue with these answers",
    ),
    ("AskUserQuestion", " Read the answers carefully"),
    ("EnterPlanMode", " You should now focus on"),
    ("EnterPlanMode", "\n\nIn plan mode, you should:"),
    (
        "TodoWrite",
        " Ensure that you continue to use the todo list",
    ),
];

/// Returns the part of a denial that is shown. Returns `None` if the whole text is shown.
pub(super) fn denial(text: &str) -> Option<String> {
    if text.contains(STOPPED) {
        return Some("Stopped while it was running.".to_owned());
    }
    let end = DENIALS
        .iter()
        .filter_map(|advice| text.find(advice))
        .min()?;
    let reason = text.split_once(REASON).map(|(_, reason)| reason);
    Some(match reason {
        Some(reason) => format!("{}\n{reason}", &text[..end]),
        None => text[..end].to_owned(),
    })
}

/// Returns the part of a tool result that is shown. Returns `None` if the whole text is shown.
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
            AgentOutput::AsyncLaunched(_) => Some(launched(text).unwrap_or(LAUNCHED).to_owned()),
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
        let runs = format!("{LAUNCHED}{why}");
        let parts = [bash.stdout.trim_end(), bash.stderr.trim_end(), &runs];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        return Some(parts.collect::<Vec<_>>().join("\n"));
    }
    let mut rest = inside(text.trim(), "tool_use_error").map_or(text, str::trim);
    rest = without_first(rest, "tools-used-before-summary");
    rest = without_last(rest, "system-reminder");
    let name = tool
        .and_then(built_in)
        .map_or_else(|| tool.unwrap_or_default(), |tool| tool.name);
    let advice = ADVICE.iter().filter(|(tool, _)| *tool == name);
    rest = advice.fold(rest, |rest, (_, advice)| {
        rest.find(advice).map_or(rest, |end| &rest[..end])
    });
    if name == "Agent" {
        rest = without_last(rest, "usage");
        rest = without_agent_id(rest);
        rest = launched(rest).unwrap_or(rest);
    }
    // The whole text is a reminder. It is shown, because nothing else is left.
    if rest.is_empty() {
        rest = inside(text.trim(), "system-reminder").map_or(text, str::trim);
    }
    (rest != text).then(|| rest.to_owned())
}

/// Returns the part of a summary that is shown. Returns `None` if the whole text is shown.
pub(super) fn summary(text: &str) -> Option<String> {
    const TAGS: [&str; 2] = ["system-reminder", "tools-used-before-summary"];
    let mut shown = String::new();
    // `copied` is the end of the text that was copied so far. `from` is the position at which the search for the next
    // tag begins.
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

/// Returns the report of a sub-agent. Removes the text that the CLI adds before and after it.
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

/// Returns the text between a tag and its end tag. Returns `None` if the tags do not enclose the whole text.
fn inside<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let text = text.strip_prefix(&format!("<{tag}>"))?;
    text.strip_suffix(&format!("</{tag}>"))
}

/// Removes an element with this tag from the beginning of the text. Returns the whole text if it does not begin with
/// such an element.
fn without_first<'a>(text: &'a str, tag: &str) -> &'a str {
    let begun = text.trim_start().strip_prefix(&format!("<{tag}>"));
    let behind = begun.and_then(|text| text.split_once(&format!("</{tag}>")));
    behind.map_or(text, |(_, behind)| behind.trim_start())
}

/// Removes all elements with this tag from the end of the text. Only elements that begin at the start of a line are
/// removed.
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

/// Returns the text that is shown instead of a message that a sub-agent was started. Returns `None` for other messages.
fn launched(text: &str) -> Option<&'static str> {
    let mut launches = LAUNCHES.into_iter();
    launches.find_map(|(begin, shown)| text.starts_with(begin).then_some(shown))
}

/// Removes the last lines of a text. In them, the CLI reports the sub-agent's ID and working trees to the model.
fn without_agent_id(text: &str) -> &str {
    let mut rest = text;
    loop {
        let at = rest.rfind('\n').map_or(0, |end| end + 1);
        let line = &rest[at..];
        if line.starts_with("agentId: ") {
            return rest[..at].trim_end();
        }
        if !line.starts_with("worktree") || at == 0 {
            return text;
        }
        rest = &rest[..at - 1];
    }
}

fn begins_line(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes()[at - 1] == b'\n'
}
