//! Structured output that is described by a Rust type.

use claw_types::{Json, Map};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;

use super::error::{Cause, Error};
use super::result::TurnResult;

/// Returns the JSON Schema of a type without references to other documents, as the CLI requires it.
pub(crate) fn schema_of<T: JsonSchema>() -> Json {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    Json::from(schema.to_value())
}

impl TurnResult {
    /// Deserializes the structured output of the turn. The session must have been built with
    /// [`SessionBuilder::output_as`](crate::SessionBuilder::output_as) for `T`, or with a schema that `T` fits.
    ///
    /// Models sometimes wrap the requested output: `{"output": …}`. For an object whose only key is `output`, this
    /// method tries both the inner value and the whole object:
    ///
    /// - The inner value is tried first if the schema of `T` describes an object that does not intentionally allow the
    ///   key `output`: the schema has `properties` without that key, and beside them none of `additionalProperties`
    ///   (except `false`), `patternProperties`, `$ref`, `allOf`, `anyOf` and `oneOf`.
    /// - Otherwise, the whole object is tried first.
    ///
    /// If the value that is tried first is not a `T`, the other value is tried.
    ///
    /// # Errors
    ///
    /// Fails if the turn failed ([`Error::is_turn_failed`] is true for that error), and if the model gave no output or
    /// output that is not a `T` ([`Error::is_output`] is true).
    pub fn output<T: DeserializeOwned + JsonSchema>(self) -> Result<T, Error> {
        read(self)
    }
}

/// Deserializes the output of a turn as the requested type: see [`TurnResult::output`].
fn read<T: DeserializeOwned + JsonSchema>(result: TurnResult) -> Result<T, Error> {
    let output = match &result {
        TurnResult::Success(success) if !success.is_error => success.structured_output.as_ref(),
        _ => return Err(Cause::Failed(Box::new(result)).into()),
    };
    let Some(output) = output else {
        return Err(Cause::NoOutput(Box::new(result)).into());
    };
    let whole = || output.parse();
    let read = match wrapped(output) {
        None => whole(),
        Some(inside) if forbids_wrapper(&schema_of::<T>()) => inside.parse().or_else(|_| whole()),
        // The error of the whole output is returned, because it is the one that the model can
        // correct.
        Some(inside) => whole().or_else(|error| inside.parse().map_err(|_| error)),
    };
    read.map_err(|error| {
        Error::from(Cause::BadOutput {
            reason: error.to_string(),
            result: Box::new(result),
        })
    })
}

/// The key in which models wrap their output.
const WRAPPER: &str = "output";

/// Returns the inner value if the output is an object with that key only.
fn wrapped(output: &Json) -> Option<Json> {
    let object: Map<Json> = output.parse().ok()?;
    let mut entries = object.iter();
    match (entries.next(), entries.next()) {
        (Some((key, inside)), None) if key == WRAPPER => Some(inside.clone()),
        _ => None,
    }
}

/// Whether a value that fits the schema cannot have that key, or can have it only as an undeclared
/// property.
fn forbids_wrapper(schema: &Json) -> bool {
    let Ok(schema) = schema.parse::<Map<Json>>() else {
        return false;
    };
    let has_other_keywords = ["patternProperties", "$ref", "allOf", "anyOf", "oneOf"]
        .iter()
        .any(|key| schema.get(key).is_some());
    let more = schema.get("additionalProperties");
    let properties = schema.get("properties");
    let properties = properties.and_then(|properties| properties.parse::<Map<Json>>().ok());
    !has_other_keywords
        && more.is_none_or(|more| more.parse().ok() == Some(false))
        && properties.is_some_and(|properties| properties.get(WRAPPER).is_none())
}

#[cfg(test)]
mod tests;
