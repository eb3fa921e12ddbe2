//! The conversation in a request to the Messages API.

use serde_json::Value;

#[cfg(test)]
mod tests;

/// The parts of a conversation on which scenarios depend, such as the user's last text, the tool results that the model
/// has not answered yet, and the model's name.
///
/// The CLI adds its own content to the user's messages. It adds `<system-reminder>` blocks, even after the prompt, and
/// whole messages of such blocks. [`prompt`](Self::prompt) does not contain this content, so that a scenario depends
/// only on what the person wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conversation {
    /// The last text that the user wrote.
    pub prompt: String,
    /// The tool results since the model's last answer.
    pub tool_results: Vec<ToolResult>,
    /// The content that the CLI itself has added since the model's last answer, such as the notification that a
    /// background task has ended.
    pub reminders: String,
    /// The system prompt. If it consists of several texts, they are joined.
    pub system: String,
    /// The names of the tools that the request offers to the model.
    pub tools: Vec<String>,
    /// The requested model.
    pub model: String,
}

/// The result of a tool use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolResult {
    /// The ID of the tool use.
    pub tool_use_id: String,
    /// The tool's output. If it consists of several texts, they are joined.
    pub text: String,
    /// Whether the tool failed or was denied.
    pub is_error: bool,
}

impl Conversation {
    /// Reads the body of a `/v1/messages` request. Unknown parts are ignored.
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

    /// Returns the texts of the tool results, joined by line feeds.
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
        let mut prompt = String::new();
        while let Some((before, after)) = rest.split_once(OPEN) {
            prompt.push_str(before);
            let (reminder, behind) = after.split_once(CLOSE).unwrap_or((after, ""));
            self.reminders.push_str(reminder);
            rest = behind;
        }
        prompt.push_str(rest);
        if !prompt.trim().is_empty() {
            prompt.trim().clone_into(&mut self.prompt);
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
