//! Output of a form that a type gives.

use claw_types::Json;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;

use crate::{Error, TurnResult};

/// The JSON Schema of a type, all in one, as the CLI takes it.
pub(crate) fn schema_of<T: JsonSchema>() -> Json {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    Json::from(schema.to_value())
}

/// What a turn gave, read as what was asked for.
pub(crate) fn read<T: DeserializeOwned>(result: TurnResult) -> Result<T, Error> {
    let output = match &result {
        TurnResult::Success(success) if !success.is_error => success.structured_output.as_ref(),
        _ => return Err(Error::Failed(Box::new(result))),
    };
    let Some(output) = output else {
        let text = result.text().into_owned();
        return Err(Error::NoOutput { text });
    };
    output.get().map_err(|error| Error::BadOutput {
        reason: error.to_string(),
        output: output.clone(),
    })
}
