//! Reads what `claude` writes (or, with the argument `stdin`, what it is written) from stdin, a line
//! each, and prints what there was in it. Never fails on a line that it does not know.

use std::collections::BTreeMap;
use std::io::BufRead as _;

use claw::{
    ContentBlock, ContentBlockDelta, ControlRequestBody, ControlResponseBody, PermissionMode,
    PermissionModeKnown, StdinMessage, StdoutMessage, StreamEvent,
};

/// What typify makes of the schema.
#[allow(dead_code, clippy::all)]
mod claw {
    include!(concat!(env!("OUT_DIR"), "/claw.rs"));
}

/// What a mode does: in the words of a known one, or by a name of tomorrow.
fn does(mode: PermissionMode) -> String {
    match mode {
        PermissionMode::Known(PermissionModeKnown::Default) => "asks".to_owned(),
        PermissionMode::Known(PermissionModeKnown::Plan) => "plans".to_owned(),
        PermissionMode::Known(PermissionModeKnown::BypassPermissions) => "does all".to_owned(),
        PermissionMode::Known(other) => other.to_string(),
        PermissionMode::Other(text) => text.to_string(),
    }
}

#[derive(Default, serde::Serialize)]
struct Found {
    known: u64,
    unknown: u64,
    tools: BTreeMap<String, u64>,
    modes: BTreeMap<String, u64>,
    asked: BTreeMap<String, u64>,
    answers: BTreeMap<&'static str, u64>,
    output_tokens: u64,
    text_deltas: u64,
    prompts: u64,
}

impl Found {
    /// A line that `claude` wrote: its variant says what it is.
    fn wrote(&mut self, line: StdoutMessage) {
        match line {
            StdoutMessage::AssistantMessage(answer) => {
                for block in answer.message.content {
                    if let ContentBlock::ToolUseBlock(block) = block {
                        *self.tools.entry(block.name).or_default() += 1;
                    }
                }
            }
            StdoutMessage::StreamEventMessage(line) => {
                if let StreamEvent::ContentBlockDeltaEvent(event) = line.event
                    && let ContentBlockDelta::TextDelta(delta) = event.delta
                    && !delta.text.is_empty()
                {
                    self.text_deltas += 1;
                }
            }
            StdoutMessage::ResultSuccess(result) => {
                self.output_tokens += result.usage.output_tokens
            }
            StdoutMessage::SystemInit(init) => {
                *self.modes.entry(does(init.permission_mode)).or_default() += 1;
            }
            StdoutMessage::ControlRequest(question) => {
                if let ControlRequestBody::CanUseTool(question) = question.request {
                    *self.asked.entry(question.tool_name).or_default() += 1;
                }
            }
            _ => {}
        }
    }

    /// A line that `claude` read.
    fn read(&mut self, line: StdinMessage) {
        match line {
            StdinMessage::UserPrompt(_) => self.prompts += 1,
            StdinMessage::ControlResponse(answer) => {
                let how = match answer.response {
                    ControlResponseBody::Success(_) => "success",
                    ControlResponseBody::Error(_) => "error",
                };
                *self.answers.entry(how).or_default() += 1;
            }
            _ => {}
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let is_stdin = std::env::args().nth(1).as_deref() == Some("stdin");
    let mut found = Found::default();
    for text in std::io::stdin().lock().lines() {
        let text = text?;
        // An error is a line of a newer CLI, or one with half of a surrogate pair in it: `text` has
        // it all.
        let known = if is_stdin {
            serde_json::from_str(&text).map(|line| found.read(line))
        } else {
            serde_json::from_str(&text).map(|line| found.wrote(line))
        };
        match known {
            Ok(()) => found.known += 1,
            Err(_) => found.unknown += 1,
        }
    }
    println!("{}", serde_json::to_string(&found)?);
    Ok(())
}
