//! Checks whether the values that a person has entered fit a form.

use claw_types::{Json, Map};
use serde_json::Value;

use super::{Choice, FieldError, FieldKind, Form, FormContent, format};

/// Maximum number of reported errors.
const MOST_ERRORS: usize = 100;
/// Maximum length of the part of an unknown field's name that an error contains, in characters.
const LONGEST_NAME: usize = 100;

impl Form {
    /// Checks the values of a completed form. Returns them as the JSON that the MCP server or the CLI expects.
    ///
    /// # Errors
    ///
    /// Returns an error for each field whose value is wrong. The errors do not contain the values.
    pub(in super::super) fn check(&self, content: &FormContent) -> Result<Json, Vec<FieldError>> {
        let mut errors = Vec::new();
        let mut values = Vec::new();
        for field in &self.fields {
            match (content.0.get(&field.name), &field.kind) {
                (None, FieldKind::Unsupported { reason }) if field.required => {
                    let message = format!("cannot be filled in here: it is {reason}");
                    errors.push(FieldError::new(&field.name, message));
                }
                (None, _) if field.required => {
                    errors.push(FieldError::new(&field.name, "is missing"));
                }
                (None, _) => {}
                (Some(value), kind) => match check_value(kind, value) {
                    Ok(value) => values.push((field.name.clone(), Json::from(value))),
                    Err(message) => errors.push(FieldError::new(&field.name, message)),
                },
            }
        }
        let is_known = |name: &String| self.fields.iter().any(|field| field.name == *name);
        let unknown = content.0.keys().filter(|name| !is_known(name));
        for name in unknown.take(MOST_ERRORS - errors.len().min(MOST_ERRORS)) {
            let name: String = name.chars().take(LONGEST_NAME).collect();
            errors.push(FieldError::new(&name, "is not a field of this form"));
        }
        if errors.is_empty() {
            let values: Map<Json> = values.into_iter().collect();
            return Json::new(&values).map_err(|_| Vec::new());
        }
        Err(errors)
    }
}

impl FieldError {
    fn new(name: &str, message: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            message: message.into(),
        }
    }
}

/// Returns the value if it fits this kind of field.
///
/// # Errors
///
/// Returns what the value must be, as the end of a sentence that begins with the name of the field.
pub(super) fn check_value(kind: &FieldKind, value: &Value) -> Result<Value, String> {
    match kind {
        FieldKind::Text {
            min_length,
            max_length,
            format,
            pattern: _,
        } => {
            let text = value.as_str().ok_or("must be a text")?;
            let length = text.chars().count() as u64;
            let of = |count: u64| format!("{count} character{}", plural(count));
            if let Some(least) = min_length.filter(|least| length < *least) {
                return Err(format!(
                    "must have at least {}, and has {length}",
                    of(least)
                ));
            }
            if let Some(most) = max_length.filter(|most| length > *most) {
                return Err(format!("must have at most {}, and has {length}", of(most)));
            }
            if let Some(format) = format {
                format::check(*format, text)?;
            }
            Ok(value.clone())
        }
        FieldKind::Number {
            is_integer,
            minimum,
            maximum,
        } => {
            let number = value.as_f64().ok_or("must be a number")?;
            let is_whole = value.is_i64() || value.is_u64() || number.fract() == 0.0;
            if *is_integer && !is_whole {
                return Err("must be an integer".to_owned());
            }
            if let Some(least) = minimum.filter(|least| number < *least) {
                return Err(format!("must be at least {least}"));
            }
            if let Some(most) = maximum.filter(|most| number > *most) {
                return Err(format!("must be at most {most}"));
            }
            Ok(if *is_integer {
                integer(value)
            } else {
                value.clone()
            })
        }
        FieldKind::Boolean {} if value.is_boolean() => Ok(value.clone()),
        FieldKind::Boolean {} => Err("must be true or false".to_owned()),
        FieldKind::Choice { choices } if is_listed(choices, value) => Ok(value.clone()),
        FieldKind::Choice { .. } => Err("must be one of the choices".to_owned()),
        FieldKind::Choices {
            choices,
            min_items,
            max_items,
        } => {
            let chosen = value.as_array().ok_or("must be a list")?;
            let is_again = |place: usize| chosen[..place].contains(&chosen[place]);
            // The number of values is checked first, because it bounds the comparison of all pairs of values.
            if chosen.len() > choices.len()
                || !chosen.iter().all(|value| is_listed(choices, value))
                || (0..chosen.len()).any(is_again)
            {
                return Err("must have only values of the choices, each once".to_owned());
            }
            let count = chosen.len() as u64;
            if let Some(least) = min_items.filter(|least| count < *least) {
                return Err(format!("must have at least {least} chosen"));
            }
            if let Some(most) = max_items.filter(|most| count > *most) {
                return Err(format!("must have at most {most} chosen"));
            }
            Ok(value.clone())
        }
        FieldKind::Unsupported { reason } => {
            Err(format!("cannot be filled in here: it is {reason}"))
        }
    }
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn is_listed(choices: &[Choice], value: &Value) -> bool {
    choices.iter().any(|choice| choice.has(value))
}

/// Converts an integer that was written with a fraction of zero, such as `3.0`. Returns other values unchanged.
fn integer(value: &Value) -> Value {
    let text = value.as_f64().map(|number| format!("{number:.0}"));
    let whole = text.and_then(|text| text.parse::<i64>().ok());
    match whole {
        Some(whole) if value.is_f64() => Value::from(whole),
        _ => value.clone(),
    }
}
