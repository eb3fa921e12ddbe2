//! Creates the form of an elicitation. An MCP server describes the form with a JSON Schema.

use claw_types::control::Elicitation;
use claw_types::hook::ElicitationMode;
use claw_types::{Json, Map};
use claw_view::is_web_address;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::check::check_value;
use super::{Choice, Field, FieldKind, Form, TextFormat};

/// Maximum size of an elicitation, in bytes. A person can only decline a larger elicitation.
const LARGEST: usize = 256 << 10;
/// Maximum length of the question that is shown for a larger elicitation, in characters.
const SHOWN: usize = 2_000;
/// Maximum number of fields in a form.
const MOST_FIELDS: usize = 100;
/// Maximum number of choices in all fields of a form together.
const MOST_CHOICES: usize = 1_000;

/// Creates the form of an elicitation. If the elicitation is invalid or too large, the form contains a problem.
pub(in super::super) fn of_elicitation(asked: &Elicitation) -> Form {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let message = match given(&asked.title) {
        Some(title) => format!("{title}\n\n{}", asked.message),
        None => asked.message.clone(),
    };
    let mut form = Form {
        from: given(&asked.display_name).unwrap_or_else(|| asked.mcp_server_name.clone()),
        message,
        explanation: given(&asked.description),
        fields: Vec::new(),
        url: None,
        problem: None,
    };
    let schema = asked.requested_schema.as_ref().map_or("", Json::as_raw);
    let url = asked.url.as_deref().unwrap_or_default();
    let explanation = form.explanation.as_ref().map_or(0, String::len);
    let length = form.from.len() + form.message.len() + explanation + schema.len() + url.len();
    if length > LARGEST {
        form.from = form.from.chars().take(SHOWN).collect();
        form.message = form.message.chars().take(SHOWN).collect();
        form.explanation = None;
        form.problem = Some(format!("The form is too large: {length} bytes."));
        return form;
    }
    match &asked.mode {
        None | Some(ElicitationMode::Form) => match fields(asked) {
            Ok(fields) => form.fields = fields,
            Err(problem) => form.problem = Some(problem),
        },
        Some(ElicitationMode::Url) => {
            form.url = Some(url.to_owned());
            if !is_web_address(url) {
                form.problem = Some("The address is not one of the web.".to_owned());
            }
        }
        Some(mode) => {
            form.problem = Some(format!(
                "Questions in the mode {:.50} are unknown here.",
                mode.as_str()
            ));
        }
    }
    form
}

/// Returns the fields of a form, in the order in which a person fills them in.
fn fields(asked: &Elicitation) -> Result<Vec<Field>, String> {
    let Some(schema) = &asked.requested_schema else {
        return Ok(Vec::new());
    };
    let schema: Map<Json> = parsed(Some(schema))?;
    let properties: Map<Json> = parsed(schema.get("properties"))?;
    let required: Vec<String> = parsed(schema.get("required"))?;
    let count = properties.len();
    if count > MOST_FIELDS {
        return Err(format!(
            "The form has {count} fields. At most {MOST_FIELDS} can be shown."
        ));
    }
    let mut choices = MOST_CHOICES;
    let mut fields: Vec<_> = properties
        .iter()
        .map(|(name, schema_of_field)| {
            let required = required.iter().any(|required| required == name);
            field(name, schema_of_field, required, &mut choices)
        })
        .collect();
    // The order that the CLI reports takes precedence, because the fields of a JSON object may lose their order in
    // transit.
    let order = asked.property_order.as_deref().unwrap_or_default();
    let place = |field: &Field| order.iter().position(|name| *name == field.name);
    fields.sort_by_key(|field| place(field).unwrap_or(usize::MAX));
    Ok(fields)
}

/// Parses a part of a schema. Returns the default value if the part is absent.
fn parsed<T: DeserializeOwned + Default>(part: Option<&Json>) -> Result<T, String> {
    let parsed = part.map_or_else(|| Ok(T::default()), Json::parse);
    parsed.map_err(|_| "The form cannot be read: its schema is not that of an object.".to_owned())
}

fn field(name: &str, schema: &Json, required: bool, choices: &mut usize) -> Field {
    // If the JSON is invalid or nested too deeply, `schema` is null, and the field is unsupported.
    let schema = schema.to_value().unwrap_or_default();
    let text = |key: &str| schema[key].as_str().filter(|text| !text.is_empty());
    let kind = kind(&schema, choices);
    let default = Some(&schema["default"]).filter(|value| !value.is_null());
    let default = default.filter(|value| check_value(&kind, value).is_ok());
    Field {
        name: name.to_owned(),
        title: text("title").map(str::to_owned),
        description: text("description").map(str::to_owned),
        required,
        default: default.cloned().map(Json::from),
        kind,
    }
}

fn kind(schema: &Value, choices: &mut usize) -> FieldKind {
    let number = |key: &str| schema[key].as_f64();
    let length = |key: &str| schema[key].as_u64();
    let listed = values(schema);
    if !listed.is_empty() {
        return bounded(listed, choices, |choices| FieldKind::Choice { choices });
    }
    let types = &schema["type"];
    let mut names = types.as_array().into_iter().flatten().chain([types]);
    let kind = names.find_map(|name| name.as_str().filter(|name| *name != "null"));
    match kind {
        Some("string") => FieldKind::Text {
            min_length: length("minLength"),
            max_length: length("maxLength"),
            format: serde_json::from_value::<TextFormat>(schema["format"].clone()).ok(),
            pattern: schema["pattern"].as_str().map(str::to_owned),
        },
        Some(name @ ("number" | "integer")) => FieldKind::Number {
            is_integer: name == "integer",
            minimum: number("minimum"),
            maximum: number("maximum"),
        },
        Some("boolean") => FieldKind::Boolean {},
        Some("array") => {
            let listed = values(&schema["items"]);
            if listed.is_empty() {
                return unsupported("a list of values that are not named");
            }
            bounded(listed, choices, |choices| FieldKind::Choices {
                choices,
                min_items: length("minItems"),
                max_items: length("maxItems"),
            })
        }
        Some("object") => unsupported("an object"),
        _ => unsupported("a value of an unknown type"),
    }
}

fn unsupported(reason: &str) -> FieldKind {
    FieldKind::Unsupported {
        reason: reason.to_owned(),
    }
}

/// Returns the kind of a field with these choices. If the form has too many choices in total, the field is unsupported.
fn bounded(
    listed: Vec<Choice>,
    choices: &mut usize,
    kind: impl FnOnce(Vec<Choice>) -> FieldKind,
) -> FieldKind {
    match choices.checked_sub(listed.len()) {
        Some(rest) => {
            *choices = rest;
            kind(listed)
        }
        None => unsupported("a choice of too many values"),
    }
}

/// Returns the values that the schema of a field allows, with their titles. A schema lists them in `enum` (with the
/// titles in `enumNames`), in `oneOf` or in `anyOf`.
fn values(schema: &Value) -> Vec<Choice> {
    let is_plain = |value: &&Value| value.is_string() || value.is_number() || value.is_boolean();
    if let Some(listed) = schema["enum"].as_array() {
        let names = schema["enumNames"].as_array();
        let title = |place: usize| names.and_then(|names| names.get(place)?.as_str());
        let listed = listed.iter().enumerate();
        return listed
            .filter(|(_, value)| is_plain(value))
            .map(|(place, value)| choice(value, title(place)))
            .collect();
    }
    let listed = ["oneOf", "anyOf"].map(|key| schema[key].as_array());
    let listed = listed.into_iter().flatten().flatten();
    listed
        .filter(|schema| is_plain(&&schema["const"]))
        .map(|schema| choice(&schema["const"], schema["title"].as_str()))
        .collect()
}

fn choice(value: &Value, title: Option<&str>) -> Choice {
    let plain = || match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let title = title.filter(|title| !title.is_empty());
    Choice {
        value: Json::from(value.clone()),
        title: title.map_or_else(plain, str::to_owned),
    }
}
