//! Queued prompts, notes about their processing, and local commands.

use serde_json::{Value, json};

use super::Transcript;

impl Transcript<'_> {
    /// A queued prompt, which may have been added to a running turn.
    pub(super) fn queued(&mut self) {
        let mut attachment = json!({"type": "queued_command",
            "commandMode": self.random.one_of(&["prompt", "task-notification", "bash"])});
        let words = self.words();
        match self.random.below(8) {
            0 => attachment["prompt"] = json!([{"type": "text", "text": words}]),
            1 => attachment["prompt"] = json!([]),
            2 => attachment["prompt"] = json!({"text": words}),
            3 => {}
            _ => attachment["prompt"] = json!(words),
        }
        match self.random.below(6) {
            0 => {}
            1 => attachment["source_uuid"] = json!(self.random.one_of(&self.links)),
            2 => attachment["source_uuid"] = json!(self.random.one_of(&["q1", "q2", ""])),
            _ => attachment["source_uuid"] = json!(self.random.uuid()),
        }
        if self.random.once_in(3) {
            attachment["delivery_id"] = json!(self.random.one_of(&["d1", "d2", ""]));
        }
        if self.random.once_in(5) {
            attachment["isMeta"] = json!(true);
        }
        if self.random.once_in(5) {
            let kind = self
                .random
                .one_of(&["peer", "human", "task-notification", "channel"]);
            attachment["origin"] = json!({"kind": kind});
        }
        if self.random.once_in(12) {
            attachment["forwardedIntent"] = json!({"lineage": self.random.one_of(&["x", ""])});
        }
        // A prompt that was put back into the queue occurs a second time.
        for _ in 0..=usize::from(self.random.once_in(5)) {
            let more = json!({"attachment": attachment});
            if self.random.once_in(4) {
                let parent = self.tip.clone();
                self.hang("attachment", parent, more);
            } else {
                self.link("attachment", more);
            }
        }
        match self.random.below(4) {
            0 => self.answer(),
            1 => self.absorbed(&attachment),
            _ => {}
        }
    }

    /// A note about the processing of a queued prompt.
    fn absorbed(&mut self, attachment: &Value) {
        let mut note = json!({"type": "queue-operation", "sessionId": self.session, "timestamp": self.time(),
            "operation": self.random.one_of(&["remove", "remove", "remove", "dequeue"]),
            "reason": self.random.one_of(&["absorbed_mid_turn", "absorbed_mid_turn", "cancelled"])});
        if !self.random.once_in(4) {
            note["deliveryId"] = attachment["delivery_id"].clone();
        }
        if !self.random.once_in(4) {
            note["commandUuid"] = attachment["source_uuid"].clone();
        }
        self.push(&note);
    }

    /// A command that the CLI itself carries out: an announcement, a record and its output. Each of
    /// them may be missing.
    pub(super) fn command(&mut self) {
        let user_message = |text: &str| json!({"role": "user", "content": text});
        if !self.random.once_in(6) {
            let message = user_message("<local-command-caveat>Not for you</local-command-caveat>");
            let is_meta = !self.random.once_in(8);
            self.link("user", json!({"isMeta": is_meta, "message": message}));
        }
        if self.random.once_in(8) {
            self.step();
        }
        let records = [
            "<command-name>/cost</command-name>\n<command-args></command-args>",
            "<command-message>cost</command-message>\n<command-name>/cost</command-name>",
            "<bash-input>ls</bash-input>",
            " <command-name>/cost</command-name>",
        ];
        let outputs = [
            "<local-command-stdout>1</local-command-stdout>",
            "<local-command-stderr>no</local-command-stderr>",
            "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>",
            "<local-command-stdout>1",
        ];
        for texts in [records, outputs] {
            if self.random.once_in(6) {
                continue;
            }
            let text = self.random.one_of(&texts).copied().unwrap_or_default();
            let mut more = json!({"message": user_message(text)});
            if self.random.once_in(8) {
                more["promptSource"] = json!("typed");
            }
            if self.random.once_in(8) {
                more["message"]["content"] = json!([{"type": "text", "text": text}]);
            }
            self.link("user", more);
        }
    }
}
