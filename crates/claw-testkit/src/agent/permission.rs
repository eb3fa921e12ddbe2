//! Asks for permission to use a tool, and writes the outcome of the tool use.

use serde_json::Value;
use tokio::io::AsyncWrite;

use super::{
    AgentError, Permission, ToolOutcome,
    engine::{Engine, Stop},
    line,
};
use crate::block::quoted;

impl<W: AsyncWrite + Unpin> Engine<'_, W> {
    /// Asks for permission, and continues according to the response.
    pub(super) async fn permission(&mut self, permission: &Permission) -> Result<(), Stop> {
        let Some(call) = self.current()?.call.clone() else {
            return Err(AgentError::Misplaced {
                what: "a permission without a tool call",
            }
            .into());
        };
        self.state("requires_action").await?;
        let asked = self.uuid();
        self.asked = Some(asked.clone());
        self.write(line::CAN_USE_TOOL, |name| match name {
            "asked" => Some(quoted(&asked)),
            name => call.value(name),
        })
        .await?;
        self.stop_message().await?;
        let answer = self.answer().await?;
        self.state("running").await?;
        let decision = Decision::of(answer.as_ref());
        if decision.allows {
            self.current()?.decision = Some(decision.meta);
            return self.steps(&permission.allow).await;
        }
        let turn = self.current()?;
        turn.denials.push(call.denial()?);
        if decision.interrupts {
            return Err(Stop::Interrupted { exit: false });
        }
        turn.decision = Some(decision.meta);
        let content = decision.message;
        let refused = ToolOutcome {
            content,
            is_error: true,
            tool_use_result: None,
        };
        self.tool_result(&refused).await?;
        self.steps(&permission.deny).await
    }

    /// Writes the outcome of the last tool use.
    pub(super) async fn tool_result(&mut self, outcome: &ToolOutcome) -> Result<(), Stop> {
        let turn = self.current()?;
        let (call, decision) = (turn.call.take(), turn.decision.take());
        turn.user_lines += 1;
        let Some(call) = call else {
            return Err(AgentError::Misplaced {
                what: "a tool's result without its call",
            }
            .into());
        };
        let template = match decision {
            Some(decision) => {
                let id = call.value("tool_use_id").unwrap_or_default();
                let meta = format!(r#""tool_result_meta":[{{"id":{id},{decision}}}]"#);
                line::with(line::TOOL_RESULT, &meta)
            }
            None => line::TOOL_RESULT.to_owned(),
        };
        let content = quoted(&outcome.content);
        let seen_by_host = match &outcome.tool_use_result {
            Some(value) => value.to_string(),
            None if outcome.is_error => quoted(&format!("Error: {}", outcome.content)),
            None => format!(
                r#"{{"stdout":{content},"stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}}"#
            ),
        };
        self.write(&template, |name| match name {
            "content" => Some(content.clone()),
            "is_error" => Some(outcome.is_error.to_string()),
            "tool_use_result" => Some(seen_by_host.clone()),
            name => call.value(name),
        })
        .await
    }
}

/// The decision in the response to a permission request.
struct Decision {
    allows: bool,
    interrupts: bool,
    /// The text for the model if the tool use is denied.
    message: String,
    /// The JSON for `tool_result_meta` in the outcome.
    meta: String,
}

impl Decision {
    /// Reads the decision from a control response. `None` means that the input has ended.
    fn of(answer: Option<&Value>) -> Self {
        let refuse = |message: String| Self {
            allows: false,
            interrupts: false,
            message,
            meta: meta("permission-rule", "config"),
        };
        let Some(answer) = answer.map(|answer| &answer["response"]) else {
            return refuse(
                "Tool permission request failed: AbortError: Tool permission stream closed before \
                 response received"
                    .to_owned(),
            );
        };
        if let Some(error) = answer["error"].as_str() {
            return refuse(format!("Tool permission request failed: Error: {error}"));
        }
        let response = &answer["response"];
        let source = |default| {
            response["decisionClassification"]
                .as_str()
                .unwrap_or(default)
        };
        match (response["behavior"].as_str(), response["message"].as_str()) {
            (Some("allow"), _) => Self {
                allows: true,
                interrupts: false,
                message: String::new(),
                meta: format!(
                    r#""permission_decision":{{"decision":"accept","source":{}}}"#,
                    quoted(source("user_temporary"))
                ),
            },
            (Some("deny"), Some(message)) => Self {
                allows: false,
                interrupts: response["interrupt"] == true,
                message: message.to_owned(),
                meta: meta("permission-rule", source("user_reject")),
            },
            _ => {
                refuse("The canUseTool callback returned an invalid permission result.".to_owned())
            }
        }
    }
}

fn meta(kind: &str, source: &str) -> String {
    format!(
        r#""non_execution_kind":"{kind}","permission_decision":{{"decision":"reject","source":{}}}"#,
        quoted(source)
    )
}
