//! `--options`: reads the options for `claude` from a file.

use std::path::Path;

use claw_types::{DecodeError, QueryOptions, Untyped, untyped};

use crate::escape::escape;
use crate::outcome::Outcome;

/// Reads options from a JSON file. Prints each fault with the name of the file and the path in the JSON value.
pub(crate) fn read(file: &Path) -> Result<QueryOptions, Outcome> {
    let print_fault = |fault: &str| {
        let fault = format!("{}: {fault}", file.display());
        anstream::eprintln!("claw: {}", escape(&fault));
    };
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            print_fault(&error.to_string());
            return Err(Outcome::Unreadable);
        }
    };
    let faults = match serde_json::from_str(&text) {
        Ok(options) => {
            let unknown = unknown(&options);
            if unknown.is_empty() {
                // Flags may still change the options, so contradictory options are found only when the session starts.
                return Ok(options);
            }
            unknown
        }
        Err(error) => faults(&text, &error.into()),
    };
    for fault in &faults {
        print_fault(fault);
    }
    Err(Outcome::Usage)
}

/// Returns the faults of a text that cannot be read. With the feature `terminal`, returns all faults, and otherwise
/// only the first one. The schema takes time and memory, so it is used only for such a text.
fn faults(text: &str, error: &DecodeError) -> Vec<String> {
    #[cfg(feature = "terminal")]
    {
        let all = crate::schema::faults_of("options", text).unwrap_or_default();
        if !all.is_empty() {
            return all.iter().map(ToString::to_string).collect();
        }
    }
    #[cfg(not(feature = "terminal"))]
    let _ = text;
    vec![error.to_string()]
}

/// Returns an error text for each option that claw does not know, because such an option would have no effect.
fn unknown(options: &QueryOptions) -> Vec<String> {
    let unknown = untyped(options)
        .into_iter()
        .filter_map(|untyped| match untyped {
            Untyped::Field { path, .. } => Some(format!("{path}: there is no such option")),
            Untyped::Kind { path, kind, .. } => {
                Some(format!("{path}: the kind {kind:?} is not known"))
            }
            _ => None,
        });
    unknown.collect()
}
