//! Generates pseudo-random transcripts with everything that a transcript may contain.

use serde_json::{Value, json};

use super::random::Random;

mod host;
mod queued;

/// A transcript that is being generated.
pub(super) struct Transcript<'a> {
    random: &'a mut Random,
    session: String,
    cwd: String,
    lines: Vec<String>,
    /// The links so far, newest last.
    links: Vec<String>,
    /// The parent of the next link.
    tip: Option<String>,
    clock: u64,
}

const WORDS: [&str; 8] = [
    "Add the numbers",
    "wörter",
    "\u{1f600} smile",
    "a \"quoted\" line",
    "two\nlines",
    "<b>markup</b>",
    "",
    "tab\there",
];

/// Returns the text of a transcript of the session.
pub(super) fn transcript(random: &mut Random, session: &str, cwd: &str) -> Vec<u8> {
    let mut made = Transcript {
        clock: 1_780_000_000_000 + (random.next() & 0xff_ffff),
        random,
        session: session.to_owned(),
        cwd: cwd.to_owned(),
        lines: Vec::new(),
        links: Vec::new(),
        tip: None,
    };
    for _ in 0..made.random.below(12) {
        made.step();
    }
    made.finish()
}

impl Transcript<'_> {
    fn step(&mut self) {
        match self.random.below(30) {
            0..=5 => self.turn(),
            6..=8 => self.parallel(),
            9 => self.compact(),
            10 => self.rewind(),
            11 => self.sidechain(),
            12 | 13 => self.note(),
            14 => self.link(
                "attachment",
                json!({"attachment": {"type": "file", "name": "a"}}),
            ),
            15 => self.link(
                "system",
                json!({"subtype": "informational", "content": "notice"}),
            ),
            16 => self.link("progress", json!({"data": {"type": "bash_progress"}})),
            17 => self.again(),
            18 => self.odd(),
            19 => self.meta(),
            20 => self.broken(),
            21 => self.denied(),
            22 => self.link(
                "user",
                json!({"teamName": "red", "message": {"role": "user", "content": "team"}}),
            ),
            23 => self.link(
                "attachment",
                json!({"attachment": {"type": "fork_briefing"}}),
            ),
            24..=26 => self.queued(),
            27 => self.command(),
            _ => self.hidden(),
        }
    }

    fn words(&mut self) -> &'static str {
        self.random.one_of(&WORDS).copied().unwrap_or_default()
    }

    fn time(&mut self) -> String {
        // Some times are equal to the previous one, and some are earlier.
        self.clock = self.clock + self.random.next() % 3 * 700 - self.random.next() % 2 * 300;
        let (seconds, millis) = (self.clock / 1000, self.clock % 1000);
        let (minutes, second) = (seconds / 60, seconds % 60);
        let (hours, minute) = (minutes / 60, minutes % 60);
        let (days, hour) = (hours / 24 - 20_601, hours % 24);
        // The day number counts from 28 May 2026. It becomes a day of June 2026.
        format!(
            "2026-06-{:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z",
            1 + days % 28
        )
    }

    fn push(&mut self, line: &Value) {
        self.lines.push(line.to_string());
    }

    /// Adds a link whose parent is the tip. The link becomes the new tip.
    fn link(&mut self, kind: &str, more: Value) {
        let parent = self.tip.clone();
        let uuid = self.hang(kind, parent, more);
        self.tip = Some(uuid);
    }

    #[expect(clippy::needless_pass_by_value, reason = "its callers have it to give")]
    fn hang(&mut self, kind: &str, parent: Option<String>, more: Value) -> String {
        let uuid = self.random.uuid();
        let mut line = json!({
            "parentUuid": parent, "isSidechain": false, "type": kind, "uuid": uuid,
            "timestamp": self.time(), "sessionId": self.session, "cwd": self.cwd, "gitBranch": "main",
            "version": "2.1.330", "entrypoint": self.random.one_of(&["cli", "sdk-ts", "claude-vscode"]),
        });
        if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
            line.extend(more);
        }
        if self.random.once_in(40) {
            // The line is truncated at any place, so it is not valid JSON.
            let text = line.to_string();
            let mut at = self.random.below(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            self.lines.push(text[..at].to_owned());
        } else {
            self.push(&line);
        }
        self.links.push(uuid.clone());
        uuid
    }

    fn prompt(&mut self) {
        let words = self.words();
        let content = if self.random.once_in(3) {
            json!([{"type": "text", "text": words}, {"type": "image", "source": {}}])
        } else {
            json!(words)
        };
        self.link(
            "user",
            json!({"message": {"role": "user", "content": content}}),
        );
    }

    fn answer(&mut self) {
        let id = format!("msg_{}", self.random.below(1_000_000));
        for _ in 0..=self.random.below(2) {
            let words = self.words();
            let quiet = self.random.once_in(12);
            let more = json!({"closesQuietTurn": quiet, "message": {
                "id": id, "role": "assistant", "type": "message", "stop_reason": "end_turn",
                "content": [{"type": "text", "text": words}]}});
            self.link("assistant", more);
        }
    }

    fn turn(&mut self) {
        self.prompt();
        self.answer();
    }

    /// Parallel tool uses. The parent of each result is the line of its tool use, or another line.
    fn parallel(&mut self) {
        let id = format!("msg_{}", self.random.below(1_000_000));
        let mut calls = Vec::new();
        for _ in 0..=self.random.below(4) {
            let call = format!("toolu_{}", self.random.below(1_000_000));
            let more = json!({"message": {"id": id, "role": "assistant",
                "content": [{"type": "tool_use", "id": call, "name": "Bash", "input": {}}]}});
            self.link("assistant", more);
            calls.push((call, self.tip.clone()));
        }
        let mut last = self.tip.clone();
        for (call, line) in calls {
            if self.random.once_in(8) {
                continue;
            }
            let parent = match self.random.below(8) {
                0 => self.random.one_of(&self.links).cloned(),
                1 => self.tip.clone(),
                2 => Some("ffffffff-0000-4000-8000-000000000000".to_owned()),
                _ => line.clone(),
            };
            let mut more = json!({"message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": call, "content": "done"}]}});
            if self.random.once_in(2) {
                more["sourceToolAssistantUUID"] = json!(line);
            }
            if self.random.once_in(15) {
                more["agentId"] = json!("a1");
            }
            last = Some(self.hang("user", parent, more));
        }
        self.tip = last;
    }

    fn compact(&mut self) {
        let mut metadata = json!({"trigger": "auto", "preTokens": 1000});
        let summary = self.random.uuid();
        let recent: Vec<String> = self.links.iter().rev().take(4).rev().cloned().collect();
        match self.random.below(5) {
            0 => metadata["preservedMessages"] = json!({"anchorUuid": summary, "uuids": recent}),
            1 => {
                let anchor = self.random.one_of(&self.links).cloned();
                metadata["preservedMessages"] = json!({"anchorUuid": anchor, "uuids": recent});
            }
            2 => {
                metadata["preservedSegment"] = json!({"anchorUuid": summary,
                    "headUuid": recent.first(), "tailUuid": recent.last()});
            }
            _ => {}
        }
        let logical = self.tip.take();
        self.link(
            "system",
            json!({"subtype": "compact_boundary", "content": "Conversation compacted",
            "logicalParentUuid": logical, "compactMetadata": metadata}),
        );
        let tip = self.tip.clone();
        self.hang("user", tip, json!({"uuid": summary, "isCompactSummary": true,
            "isVisibleInTranscriptOnly": true, "message": {"role": "user", "content": "So far: sums"}}));
        self.links.push(summary.clone());
        self.tip = Some(summary);
    }

    /// The conversation continues from an earlier link.
    fn rewind(&mut self) {
        self.tip = self.random.one_of(&self.links).cloned();
        self.turn();
    }

    fn sidechain(&mut self) {
        let tip = self.tip.clone();
        for kind in ["user", "assistant"] {
            let more = json!({"isSidechain": true, "message": {"role": kind, "content": "aside"}});
            self.link(kind, more);
        }
        if !self.random.once_in(4) {
            self.tip = tip;
        }
    }

    fn note(&mut self) {
        let words = self.words();
        let session = self.session.clone();
        let line = match self.random.below(9) {
            0 => json!({"type": "custom-title", "customTitle": words, "sessionId": session}),
            1 => json!({"type": "ai-title", "aiTitle": words, "sessionId": session}),
            2 => json!({"type": "tag", "tag": words, "sessionId": session}),
            3 => json!({"type": "summary", "summary": words, "leafUuid": self.tip}),
            4 => json!({"type": "last-prompt", "lastPrompt": words, "sessionId": session}),
            5 => json!({"type": "relocated", "relocatedCwd": "/elsewhere", "sessionId": session}),
            6 => json!({"type": "mode", "mode": "normal", "sessionId": session}),
            7 => json!({"type": "file-history-snapshot", "messageId": self.tip, "snapshot": {}}),
            _ => json!({"sessionId": session, "customTitle": words, "type": "custom-title"}),
        };
        self.push(&line);
    }

    /// Writes a line with a UUID that was used before, and with other contents.
    fn again(&mut self) {
        if let Some(uuid) = self.random.one_of(&self.links).cloned() {
            let parent = self.random.one_of(&self.links).cloned();
            let parent = if self.random.once_in(2) {
                parent
            } else {
                self.tip.clone()
            };
            let kind = if self.random.once_in(2) {
                "user"
            } else {
                "assistant"
            };
            self.hang(
                kind,
                parent,
                json!({"uuid": uuid, "message": {"role": kind, "content": "again"}}),
            );
        }
    }

    fn odd(&mut self) {
        match self.random.below(6) {
            0 => self.link(
                "user",
                json!({"parentUuid": null, "message": {"role": "user", "content": "anew"}}),
            ),
            1 => self.link(
                "user",
                json!({"parentUuid": "nobody", "message": {"role": "user", "content": "lost"}}),
            ),
            2 => self.link("user", json!({"message": "no object"})),
            3 => self.link(
                "assistant",
                json!({"message": {"role": "assistant", "content": []}, "timestamp": null}),
            ),
            4 => {
                // A circle of two links: each is the parent of the other.
                let (uuid, last) = (self.random.uuid(), self.random.uuid());
                let (of, tip) = (
                    json!({"role": "user", "content": "round"}),
                    self.tip.clone(),
                );
                self.hang(
                    "user",
                    Some(last.clone()),
                    json!({"uuid": uuid, "message": of}),
                );
                self.hang(
                    "user",
                    Some(uuid.clone()),
                    json!({"uuid": last, "message": of}),
                );
                self.tip = if self.random.once_in(2) {
                    Some(last)
                } else {
                    tip
                };
            }
            _ => self.link(
                "user",
                json!({"forkedFrom": {"sessionId": "s", "messageUuid": "m"},
                "message": {"role": "user", "content": "forked"}}),
            ),
        }
    }

    fn meta(&mut self) {
        let origin = match self.random.below(3) {
            0 => json!({"kind": "channel", "server": "chat"}),
            1 => json!({"kind": "human"}),
            _ => Value::Null,
        };
        let more = json!({"isMeta": true, "origin": origin, "message": {"role": "user", "content": "for the model"}});
        self.link("user", more);
    }

    fn denied(&mut self) {
        let more = json!({"toolDenialKind": self.random.one_of(&["user-rejected", "interrupted", "other"]),
            "toolDenialUnanswered": self.random.one_of(&["stream-closed", "other"]),
            "interruptedByShutdown": self.random.once_in(2),
            "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_x", "is_error": true, "content": "no"}]}});
        self.link("user", more);
    }

    fn broken(&mut self) {
        let line = match self.random.below(5) {
            0 => "",
            1 => "  ",
            2 => r#"{"type":"user","uuid":"x","message":"#,
            3 => "[1,2]",
            _ => r#"{"type":"user","uuid":"x","parentUuid":null,"message":nope}"#,
        };
        self.lines.push(line.to_owned());
    }

    fn finish(self) -> Vec<u8> {
        let mut text = self.lines.join("\n");
        match self.random.below(10) {
            // The end of the text is cut off at any byte.
            0 => {
                let mut bytes = text.into_bytes();
                let cut = self.random.below(bytes.len().min(200) + 1);
                bytes.truncate(bytes.len() - cut);
                return bytes;
            }
            1 => {}
            2 => {
                // Longer than the two ends of a file that a list reads.
                let filler = json!({"type": "queue-operation", "operation": "enqueue", "content": "x".repeat(70_000)});
                let again = self.lines.join("\n");
                text = format!("{text}\n{filler}\n{filler}\n{again}\n");
            }
            _ => text.push('\n'),
        }
        text.into_bytes()
    }
}
