//! The faults of a value that does not conform to a schema.

use std::fmt;

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};

/// A fault: a path in the value, and the reason.
#[derive(Debug, PartialEq)]
pub(crate) struct Fault {
    /// The path, such as `message.content[1].text`. Empty for the line itself.
    path: String,
    /// The reason, in words.
    why: String,
}

impl Fault {
    /// Returns the fault of a line that is not JSON.
    pub(crate) fn json(error: &serde_json::Error) -> Self {
        Self {
            path: String::new(),
            why: format!("no JSON: {error}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.path {
            "" => f.write_str(&self.why),
            path => write!(f, "{path}: {}", self.why),
        }
    }
}

/// Returns the faults in a validation error. If the schema has several alternatives, returns only the faults of the
/// alternative that the value is probably meant to have: the only one with the value's tags, or the only one except
/// `null`.
pub(crate) fn faults(error: &ValidationError<'_>) -> Vec<Fault> {
    if let Kind::AnyOf { context } | Kind::OneOfNotValid { context } = error.kind() {
        let here = depth(error);
        let mut meant = context.iter().filter(|errors| is_meant(errors, here));
        let mut present = context.iter().filter(|errors| !is_null(errors));
        if let (Some(only), None) = (meant.next(), meant.next()) {
            return only.iter().flat_map(faults).collect();
        }
        if let (Some(only), None) = (present.next(), present.next()) {
            return only.iter().flat_map(faults).collect();
        }
    }
    vec![Fault {
        path: path(&error.instance_path().to_string()),
        why: error.masked().to_string(),
    }]
}

/// Returns whether an alternative is `null`.
fn is_null(errors: &[ValidationError<'_>]) -> bool {
    let is_null = |error: &ValidationError<'_>| {
        matches!(
            error.kind(),
            Kind::Type {
                kind: TypeKind::Single(JsonType::Null)
            }
        )
    };
    errors.len() == 1 && errors.iter().all(is_null)
}

/// Returns whether a value is probably meant to have this alternative, at the depth `here`. This is the case if no
/// error is about what distinguishes the alternatives: the JSON type of the value, its tags, and excluded values.
fn is_meant(errors: &[ValidationError<'_>], here: usize) -> bool {
    errors.iter().all(|error| match error.kind() {
        Kind::Not { .. } | Kind::Type { .. } => depth(error) > here,
        Kind::Enum { .. } | Kind::Constant { .. } => depth(error) > here + 1,
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            depth(error) > here || context.iter().any(|errors| is_meant(errors, here))
        }
        _ => true,
    })
}

/// Returns the depth of an error in the value.
fn depth(error: &ValidationError<'_>) -> usize {
    error.instance_path().to_string().matches('/').count()
}

/// Converts a JSON pointer to the form of paths in claw's own errors.
fn path(pointer: &str) -> String {
    let mut path = String::new();
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        if step.bytes().all(|b| b.is_ascii_digit()) && !step.is_empty() {
            path.extend(["[", &step, "]"]);
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path += &step;
        }
    }
    path
}
