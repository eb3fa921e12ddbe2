//! Forms with which MCP servers and the CLI ask a person for values.

mod check;
mod dialog;
mod format;
mod read;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

use claw_types::Json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use dialog::DIALOGS;
pub(super) use dialog::{CHOICE, of_dialog};
pub(super) use read::of_elicitation;

/// A form that a person fills in: a question of an MCP server (an elicitation), or a dialog of the CLI.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "RequestForm"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Form {
    /// The name of the MCP server that asks. `Claude Code` for a dialog of the CLI.
    pub from: String,
    /// The text of the question, as the MCP server or the CLI has written it.
    pub message: String,
    /// A longer explanation of the question. Null if there is none.
    pub explanation: Option<String>,
    /// The fields of the form, in the order in which they are asked for. Empty if the form only asks for consent.
    pub fields: Vec<Field>,
    /// The address that the person should open. Null unless the form is a link to open.
    pub url: Option<String>,
    /// The reason why the form cannot be accepted here, in words. Such a form can only be declined or cancelled. Null
    /// if the form can be accepted.
    pub problem: Option<String>,
}

/// A field of a form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "FormField"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Field {
    /// The name of the field, which is its key in the `content` of an answer.
    pub name: String,
    /// The title of the field, for people. Null if it has none.
    pub title: Option<String>,
    /// The purpose of the field. Null if unknown.
    pub description: Option<String>,
    /// Whether the field must have a value before the form can be accepted.
    pub required: bool,
    /// The value to begin with. Null if there is none.
    pub default: Option<Json>,
    /// The kind of value that the field has, with its bounds.
    pub kind: FieldKind,
}

/// The kind of value that a field has, with its bounds. A bound that is null does not apply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum FieldKind {
    /// The value is a text.
    Text {
        /// The minimum number of characters.
        min_length: Option<u64>,
        /// The maximum number of characters.
        max_length: Option<u64>,
        /// The format of the text. Null if every text is accepted.
        format: Option<TextFormat>,
        /// A regular expression for people to read. The server does not evaluate it: the MCP server checks the text.
        pattern: Option<String>,
    },
    /// The value is a number.
    Number {
        /// Whether the number must be an integer.
        is_integer: bool,
        /// The smallest number that is accepted.
        minimum: Option<f64>,
        /// The largest number that is accepted.
        maximum: Option<f64>,
    },
    /// The value is `true` or `false`.
    Boolean {},
    /// The value is one of the choices.
    Choice {
        /// The values to choose from.
        choices: Vec<Choice>,
    },
    /// The value is a list of choices, each at most once.
    Choices {
        /// The values to choose from.
        choices: Vec<Choice>,
        /// The minimum number of chosen values.
        min_items: Option<u64>,
        /// The maximum number of chosen values.
        max_items: Option<u64>,
    },
    /// The value is of a kind that no form can show, such as an object. Such a value cannot be entered.
    Unsupported {
        /// The kind of the value, in words.
        reason: String,
    },
}

/// A value that can be chosen in a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "FieldChoice"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Choice {
    /// The value, as it is in the `content` of an answer.
    pub value: Json,
    /// The value in words, for people.
    pub title: String,
}

impl Choice {
    /// Whether this choice has this value.
    pub(crate) fn has(&self, value: &Value) -> bool {
        let text = value.to_string();
        self.value.as_raw() == text
    }
}

/// The format of a text in a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TextFormat {
    /// An email address.
    Email,
    /// A URI with its scheme.
    Uri,
    /// A date, such as `2026-01-31`.
    Date,
    /// A date and time with its time zone, as in RFC 3339.
    DateTime,
    /// A secret, which is not shown while it is typed.
    Password,
}

/// The values that a person has given, by the names of the fields. They may be secret, so `Debug` shows only their
/// number.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct FormContent(
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, Json>"))]
    BTreeMap<String, Value>,
);

impl fmt::Debug for FormContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FormContent({} values)", self.0.len())
    }
}

impl<K: Into<String>> FromIterator<(K, Value)> for FormContent {
    fn from_iter<T: IntoIterator<Item = (K, Value)>>(values: T) -> Self {
        let values = values.into_iter();
        Self(values.map(|(name, value)| (name.into(), value)).collect())
    }
}

/// The reason why the value of a field is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FieldError {
    /// The name of the field.
    pub name: String,
    /// The reason in words, for people. It does not contain the value.
    pub message: String,
}
