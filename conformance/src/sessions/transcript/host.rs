//! Calls that the host made in place of the model's own calls. The model does not see them.

use serde_json::{Value, json};

use super::Transcript;

impl Transcript<'_> {
    /// An answer with hidden tool uses, and the lines that the host wrote for them: virtual lines, or `host-row` lines
    /// beside the conversation.
    pub(super) fn hidden(&mut self) {
        let id = format!("msg_{}", self.random.below(1_000_000));
        let hidden = self.call();
        let mut content = vec![tool_use(&hidden)];
        if self.random.once_in(3) {
            let words = self.words();
            content.insert(0, json!({"type": "text", "text": words}));
        }
        let other = self.random.once_in(3).then(|| self.call());
        content.extend(other.as_deref().map(tool_use));
        let mut answer = json!({"hostHiddenToolUseIds": [hidden],
            "message": {"id": id, "role": "assistant", "type": "message", "content": content}});
        match self.random.below(6) {
            // The content that is shown in place of the hidden call.
            0 => answer["hostContent"] = json!([tool_use(&hidden)]),
            1 => answer["hostHiddenToolUseIds"] = json!("none"),
            _ => {}
        }
        self.link("assistant", answer);
        if self.random.once_in(2) {
            self.virtual_call(&hidden);
        } else {
            self.rows(&hidden);
        }
        let calls = other.into_iter().chain([hidden]);
        let content: Vec<_> = calls.map(|call| self.result(&call)).collect();
        let mut result = json!({"message": {"role": "user", "content": content}});
        if self.random.once_in(4) {
            result["hostContent"] = json!(content);
        }
        self.link("user", result);
        if self.random.once_in(2) {
            self.answer();
        }
    }

    /// The host's tool use and its result as virtual lines, in the conversation or on a branch beside it.
    fn virtual_call(&mut self, hidden: &str) {
        let made = self.call();
        let tip = self.tip.clone();
        let mut call = json!({"isVirtual": !self.random.once_in(8), "ranByToolUseId": hidden,
            "message": {"role": "assistant", "content": [tool_use(&made)]}});
        if self.random.once_in(2) {
            call["hostContent"] = json!([tool_use(&made)]);
        }
        self.link("assistant", call);
        // This line is never written a second time. If it were, TypeScript would show the first version of it, but the
        // last version of other lines.
        self.links.pop();
        if !self.random.once_in(5) {
            let content = [self.result(&made)];
            let mut result = json!({"isVirtual": !self.random.once_in(8),
                "message": {"role": "user", "content": content}});
            if self.random.once_in(2) {
                result["hostContent"] = json!(content);
            }
            self.link("user", result);
            self.links.pop();
        }
        if self.random.once_in(2) {
            self.tip = tip;
        }
    }

    /// The host's tool uses and their results as `host-row` lines.
    fn rows(&mut self, hidden: &str) {
        for _ in 0..=self.random.below(2) {
            let made = self.call();
            let blocks = [tool_use(&made), self.result(&made)];
            for block in blocks {
                let mut row = json!({"type": "host-row", "sessionId": self.session, "timestamp": self.time(),
                    "ranByToolUseId": hidden, "rowUuid": self.random.uuid(), "block": block});
                match self.random.below(16) {
                    0 => row["rowUuid"] = json!(self.random.one_of(&self.links)),
                    1 => row["timestamp"] = Value::Null,
                    2 => row["block"] = json!("none"),
                    3 => continue,
                    _ => {}
                }
                self.push(&row);
                if self.random.once_in(12) {
                    self.push(&row);
                }
            }
        }
        if self.random.once_in(8) {
            self.push(&json!({"type": "host-row", "ranByToolUseId": hidden, "withheld": true}));
        }
    }

    fn call(&mut self) -> String {
        format!("toolu_{}", self.random.below(1_000_000))
    }

    fn result(&mut self, call: &str) -> Value {
        json!({"type": "tool_result", "tool_use_id": call, "content": "done", "is_error": self.random.once_in(4)})
    }
}

fn tool_use(call: &str) -> Value {
    json!({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "true"}})
}
