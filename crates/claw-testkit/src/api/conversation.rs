//! What a request to the Messages API is about.

use serde_json::Value;

#[cfg(test)]
mod tests;

/// A conversation, as far as a scenario cares: the user's last words, the tool results that wait
/// for an answer, and who is asked.
///
/// The CLI adds content of its own to the user's messages (`<system-reminder>` blocks, even behind
/// the prompt, and whole messages of them). It is left out, so that a scenario sees what a person said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conversation {
    /// The last text that a user wrote.
    pub prompt: String,
    /// The tool results since the last answer.
    pub tool_results: Vec<ToolResult>,
    /// What the CLI itself has added since the last answer, such as the news that a task in the
    /// background has ended.
    pub reminders: String,
    /// The system prompt: all text in it, joined.
    pub system: String,
    /// The names of the tools that are offered.
    pub tools: Vec<String>,
    /// The model that is asked for.
    pub model: String,
}

/// What came of a tool call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolResult {
    /// The call.
    pub tool_use_id: String,
    /// Its output: all text in it, joined.
    pub text: String,
    /// Whether it failed, or was denied.
    pub is_error: bool,
}

impl Conversation {
    /// Reads the body of a `/v1/messages` request. What is not understood is passed over.
    pub fn of(body: &Value) -> Self {
        let mut this = Self {
            system: all_text(&body["system"]),
            tools: list(&body["tools"])
                .iter()
                .filter_map(|tool| tool["name"].as_str().map(str::to_owned))
                .collect(),
            model: body["model"].as_str().unwrap_or_default().to_owned(),
            ..Self::default()
        };
        for message in list(&body["messages"]) {
            match message["role"].as_str() {
                Some("assistant") => {
                    this.tool_results.clear();
                    this.reminders.clear();
                }
                Some("user") => this.add(&message["content"]),
                _ => {}
            }
        }
        this
    }

    /// What the tools said, joined by line ends.
    pub(super) fn results_text(&self) -> String {
        let texts: Vec<_> = self
            .tool_results
            .iter()
            .map(|result| result.text.as_str())
            .collect();
        texts.join("\n")
    }

    fn add(&mut self, content: &Value) {
        if let Some(text) = content.as_str() {
            self.add_text(text);
        }
        for block in list(content) {
            match block["type"].as_str() {
                Some("text") => self.add_text(block["text"].as_str().unwrap_or_default()),
                Some("tool_result") => self.tool_results.push(ToolResult {
                    tool_use_id: block["tool_use_id"].as_str().unwrap_or_default().to_owned(),
                    text: all_text(&block["content"]),
                    is_error: block["is_error"] == true,
                }),
                _ => {}
            }
        }
    }

    fn add_text(&mut self, text: &str) {
        const OPEN: &str = "<system-reminder>";
        const CLOSE: &str = "</system-reminder>";
        let mut rest = text;
        let mut said = String::new();
        while let Some((before, after)) = rest.split_once(OPEN) {
            said.push_str(before);
            let (reminder, behind) = after.split_once(CLOSE).unwrap_or((after, ""));
            self.reminders.push_str(reminder);
            rest = behind;
        }
        said.push_str(rest);
        if !said.trim().is_empty() {
            said.trim().clone_into(&mut self.prompt);
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn all_text(content: &Value) -> String {
    let texts = list(content)
        .iter()
        .filter_map(|block| block["text"].as_str());
    content.as_str().into_iter().chain(texts).collect()
}
