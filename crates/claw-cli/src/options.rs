//! `--options`: reads the options of claude from a file.

use std::path::Path;

use claw_types::{DecodeError, QueryOptions, Untyped, untyped};

use crate::escape::escape;
use crate::outcome::Outcome;

/// Reads options from a JSON file. Defects are printed with the file's name and the path in it.
pub(crate) fn read(file: &Path) -> Result<QueryOptions, Outcome> {
    let told = |fault: &str| {
        let fault = format!("{}: {fault}", file.display());
        anstream::eprintln!("claw: {}", escape(&fault));
    };
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            told(&error.to_string());
            return Err(Outcome::Unreadable);
        }
    };
    // Of what does not fit, all is said at once.
    #[cfg(feature = "schema")]
    {
        let faults = crate::schema::faults_of("options", &text);
        let faults = faults.map_err(|error| crate::outcome::report(&*error, Outcome::Usage))?;
        if !faults.is_empty() {
            for fault in &*faults {
                told(&fault.to_string());
            }
            return Err(Outcome::Usage);
        }
    }
    let options: QueryOptions = serde_json::from_str(&text).map_err(|error| {
        told(&DecodeError::from(error).to_string());
        Outcome::Usage
    })?;
    let unknown = unknown(&options);
    if !unknown.is_empty() {
        for fault in &unknown {
            told(fault);
        }
        return Err(Outcome::Usage);
    }
    // Contradictory options are found at the start, because flags may change them.
    Ok(options)
}

/// Options that claw does not know are errors, because they would have no effect.
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
