//! `result` with few of today's fields, or with others.

use super::assistant::no_usage;
use super::identity::OldIdentity;
use super::upgrade::{Draft, Old};
use super::{Fill, Today, UpgradeError};
use crate::api::{StopReason, Usage};
use crate::message::{ModelUsage, PermissionDenial, ResultErrorSubtype};
use crate::{Count, Json, Map, Number, Tri};

/// What a result of any kind may say.
#[wire(fields)]
struct OldResult {
    /// Answers of the model in this turn.
    pub num_turns: Option<Count>,
    /// Cost in US dollars.
    pub total_cost_usd: Option<Number>,
    /// Tokens of this turn.
    pub usage: Option<Usage>,
    /// Why the model stopped.
    pub stop_reason: Tri<StopReason>,
    /// Tokens and cost, a model each.
    #[wire(rename = "modelUsage")]
    pub model_usage: Option<Map<ModelUsage>>,
    /// Tools that were refused.
    pub permission_denials: Option<Vec<PermissionDenial>>,
    fields: OldIdentity!(),
}

/// The turn is over and has an answer. Whatever was not counted is 0 today.
#[wire(tag(type = "result", subtype = "success"))]
pub struct OldResultSuccess {
    /// The answer's text.
    pub result: String,
    /// How long the turn took, in milliseconds.
    pub duration_ms: Option<Number>,
    /// How long the API took, in milliseconds.
    pub duration_api_ms: Option<Number>,
    /// Whether the answer is an account of a failure. Absent: it is not.
    pub is_error: Option<bool>,
    fields: OldResult!(),
}

impl Old for OldResultSuccess {
    fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError> {
        let mut line = Draft::of(self);
        line.fill("is_error", &false);
        whole(line, fill)
    }
}

/// The turn is over and went wrong, whatever the subtype.
#[wire(tag(type = "result"))]
pub struct OldResultError {
    /// How it went wrong. Some say no more than `error`, which today is `error_during_execution`.
    pub subtype: ResultErrorSubtype,
    /// What went wrong, in words. Today an entry of `errors`.
    pub error: Option<String>,
    /// What went wrong, as a code such as `EACCES`. Nothing fixes its shape.
    pub error_code: Option<Json>,
    /// The exit code of what failed. Nothing fixes its shape.
    pub exit_code: Option<Json>,
    /// What went wrong, in words.
    pub errors: Option<Vec<String>>,
    /// The same, where successes and errors had one form.
    pub result: Option<String>,
    /// How long the turn took, in milliseconds.
    pub duration_ms: Option<Number>,
    /// How long the API took, in milliseconds.
    pub duration_api_ms: Option<Number>,
    /// Whether it counts as an error. Absent: it does.
    pub is_error: Option<bool>,
    fields: OldResult!(),
}

impl Old for OldResultError {
    fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError> {
        let mut line = Draft::of(self);
        if self.subtype.as_str() == "error" {
            line.set("subtype", &ResultErrorSubtype::ErrorDuringExecution);
        }
        line.remove("error");
        line.remove("result");
        let said = self.error.iter().chain(&self.result);
        let said: Vec<_> = said.chain(self.errors.iter().flatten()).collect();
        line.set("errors", &said);
        line.fill("is_error", &true);
        whole(line, fill)
    }
}

/// What every result has.
fn whole(mut line: Draft, fill: &Fill) -> Result<Today, UpgradeError> {
    for count in [
        "duration_ms",
        "duration_api_ms",
        "num_turns",
        "total_cost_usd",
    ] {
        line.fill(count, &0);
    }
    line.fill("usage", &no_usage());
    line.nullable("stop_reason");
    line.fill("modelUsage", &Map::<ModelUsage>::default());
    line.fill("permission_denials", &[(); 0]);
    line.identify(fill);
    line.stdout()
}

/// The session is paused until the user says something. Nothing but the tags.
#[wire(tag(type = "result", subtype = "input_required"))]
pub struct OldInputRequired {}

impl Old for OldInputRequired {
    fn upgrade(&self, _: &Fill) -> Result<Today, UpgradeError> {
        Err(UpgradeError::NoCounterpart {
            form: "result/input_required",
            why: "a turn that ends has an answer or an error; questions are control requests",
        })
    }
}
