//! Generates unbroken sessions, as the CLI writes them.

use serde_json::{Value, json};

use crate::sessions::random::Random;

/// A picture of one pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const WORDS: [&str; 6] = [
    "Add the numbers.",
    "wörter und \u{1f600}",
    "a \"quoted\" line\nand another one",
    "<b>markup</b> & more",
    "tab\there \\ back\u{2028}slash",
    "{\"type\":\"user\",\"uuid\":\"in a text\"}",
];

struct Unbroken<'a> {
    random: &'a mut Random,
    session: &'a str,
    cwd: &'a str,
    text: String,
    tip: Option<String>,
    /// The ends of turns, at which a person can continue.
    ends: Vec<String>,
    /// Milliseconds since the first line.
    clock: u64,
    /// The number of answers and of tool uses.
    count: u32,
}

/// Returns the text of an unbroken transcript.
pub(super) fn unbroken(random: &mut Random, session: &str, cwd: &str) -> Vec<u8> {
    let mut made = Unbroken {
        random,
        session,
        cwd,
        text: String::new(),
        tip: None,
        ends: Vec::new(),
        clock: 0,
        count: 0,
    };
    for _ in 0..=made.random.below(9) {
        made.turn();
        match made.random.below(8) {
            0 => made.compact(),
            1 => made.tip = made.random.one_of(&made.ends).cloned(),
            2 => made.note(),
            _ => {}
        }
    }
    made.turn();
    made.text.into_bytes()
}

impl Unbroken<'_> {
    fn push(&mut self, line: &Value) {
        self.text += &line.to_string();
        self.text.push('\n');
    }

    /// Adds a link behind a line, and returns its UUID.
    fn add(&mut self, kind: &str, parent: Option<&str>, more: Value) -> String {
        let uuid = self.random.uuid();
        // Some lines follow after more than five seconds, which matters where a parent is missing.
        self.clock += 1 + self.random.next() % 900 + 9_000 * u64::from(self.random.once_in(6));
        let (seconds, millis) = (self.clock / 1000, self.clock % 1000);
        let (minutes, second) = (seconds / 60, seconds % 60);
        let mut line = json!({
            "parentUuid": parent, "isSidechain": false, "type": kind, "uuid": uuid,
            "timestamp": format!("2026-06-01T{:02}:{:02}:{second:02}.{millis:03}Z", minutes / 60, minutes % 60),
            "sessionId": self.session, "cwd": self.cwd, "gitBranch": "main", "version": "2.1.332", "userType": "external",
        });
        if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
            line.extend(more);
        }
        self.push(&line);
        uuid
    }

    fn link(&mut self, kind: &str, more: Value) {
        let parent = self.tip.take();
        self.tip = Some(self.add(kind, parent.as_deref(), more));
    }

    fn words(&mut self) -> &'static str {
        self.random.one_of(&WORDS).copied().unwrap_or_default()
    }

    fn next(&mut self, name: &str) -> String {
        self.count += 1;
        format!("{name}_{:04}", self.count)
    }

    fn turn(&mut self) {
        let words = self.words();
        let content = if self.random.once_in(4) {
            let source = json!({"type": "base64", "media_type": "image/png", "data": PNG});
            json!([{"type": "text", "text": words}, {"type": "image", "source": source}])
        } else {
            json!(words)
        };
        let message = json!({"role": "user", "content": content});
        let prompt = self.random.uuid();
        self.link("user", json!({"message": message, "promptId": prompt}));
        if self.random.once_in(5) {
            let notice = json!({"subtype": "informational", "content": "notice", "level": "info"});
            self.link("system", notice);
        }
        for _ in 0..self.random.below(3) {
            self.tools();
        }
        let id = self.next("msg");
        for _ in 0..=self.random.below(2) {
            let words = self.words();
            self.answer(&id, &json!({"type": "text", "text": words}));
        }
        self.ends.extend(self.tip.clone());
    }

    fn answer(&mut self, id: &str, block: &Value) {
        let message = json!({"id": id, "role": "assistant", "type": "message", "model": "claude-opus-5-5",
            "stop_reason": "end_turn", "content": [block], "usage": {"input_tokens": 3, "output_tokens": 4}});
        self.link("assistant", json!({"message": message}));
    }

    /// Tool uses of one answer. The parent of each result is the line of its tool use.
    fn tools(&mut self) {
        let id = self.next("msg");
        let mut uses = Vec::new();
        for _ in 0..=self.random.below(3) {
            let call = self.next("toolu");
            let input = json!({"command": "true", "description": "Does nothing"});
            let tool = json!({"type": "tool_use", "id": call, "name": "Bash", "input": input});
            self.answer(&id, &tool);
            uses.push((call, self.tip.clone()));
        }
        for (call, line) in uses {
            let words = self.words();
            let result = json!({"type": "tool_result", "tool_use_id": call, "content": words,
                "is_error": self.random.once_in(4)});
            let more = json!({"sourceToolAssistantUUID": line,
                "message": {"role": "user", "content": [result]}});
            self.tip = Some(self.add("user", line.as_deref(), more));
        }
    }

    fn compact(&mut self) {
        let before = self.tip.take();
        let metadata = json!({"trigger": "manual", "preTokens": 1000});
        let boundary = json!({"subtype": "compact_boundary", "content": "Conversation compacted", "level": "info",
            "logicalParentUuid": before, "compactMetadata": metadata});
        self.link("system", boundary);
        let summary = json!({"role": "user", "content": "So far: sums"});
        self.link(
            "user",
            json!({"isCompactSummary": true, "isVisibleInTranscriptOnly": true, "message": summary}),
        );
        self.ends.clear();
    }

    fn note(&mut self) {
        let words = self.words();
        let note = match self.random.below(3) {
            0 => json!({"type": "custom-title", "customTitle": words, "sessionId": self.session}),
            1 => json!({"type": "last-prompt", "lastPrompt": words, "sessionId": self.session}),
            _ => json!({"type": "mode", "mode": "normal", "sessionId": self.session}),
        };
        self.push(&note);
    }
}
