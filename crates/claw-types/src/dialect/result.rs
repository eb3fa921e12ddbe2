//! `result` messages that have fewer fields than the current form, or other fields.

use super::assistant::no_usage;
use super::identity::OldIdentity;
use super::upgrade::{Draft, Old};
use super::{Fill, Today, UpgradeError};
use crate::api::{StopReason, Usage};
use crate::message::{ModelUsage, PermissionDenial, ResultErrorSubtype};
use crate::{Count, Json, Map, Number, Tri};

/// The fields that old results of any kind may have.
#[wire(fields)]
struct OldResult {
    /// The number of model responses in the turn.
    pub num_turns: Option<Count>,
    /// The cost of the session so far, in US dollars.
    pub total_cost_usd: Option<Number>,
    /// The token usage of the turn.
    pub usage: Option<Usage>,
    /// The reason why the model stopped.
    pub stop_reason: Tri<StopReason>,
    /// The token usage and cost, by model.
    #[wire(rename = "modelUsage")]
    pub model_usage: Option<Map<ModelUsage>>,
    /// The tool uses that were denied.
    pub permission_denials: Option<Vec<PermissionDenial>>,
    fields: OldIdentity!(),
}

/// An old form of the result of a turn that succeeded. Counts, durations and costs that are absent in the old form are
/// 0 in the upgraded result.
#[wire(tag(type = "result", subtype = "success"))]
pub struct OldResultSuccess {
    /// The text of the final response.
    pub result: String,
    /// The duration of the turn, in milliseconds.
    pub duration_ms: Option<Number>,
    /// The total duration of the API requests, in milliseconds.
    pub duration_api_ms: Option<Number>,
    /// Whether the text of the result reports a failure. Absent means `false`.
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

/// An old form of the result of a turn that failed, with any subtype.
#[wire(tag(type = "result"))]
pub struct OldResultError {
    /// The kind of failure. The upgrade turns the plain value `error` into `error_during_execution`.
    pub subtype: ResultErrorSubtype,
    /// The error message. The upgrade turns it into an entry of `errors`.
    pub error: Option<String>,
    /// The error code, such as `EACCES`. It can be any JSON value.
    pub error_code: Option<Json>,
    /// The exit code of the failed program. It can be any JSON value.
    pub exit_code: Option<Json>,
    /// The error messages.
    pub errors: Option<Vec<String>>,
    /// The error message. Some CLIs use this field for both errors and successes.
    pub result: Option<String>,
    /// The duration of the turn, in milliseconds.
    pub duration_ms: Option<Number>,
    /// The total duration of the API requests, in milliseconds.
    pub duration_api_ms: Option<Number>,
    /// Whether the result counts as an error. Absent means `true`.
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
        let errors = self.error.iter().chain(&self.result);
        let errors: Vec<_> = errors.chain(self.errors.iter().flatten()).collect();
        line.set("errors", &errors);
        line.fill("is_error", &true);
        whole(line, fill)
    }
}

/// Completes a result with the fields that every result has.
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

/// An old form of a result that pauses the session until the user enters something. The result has no fields except its
/// type and subtype.
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
