//! Prints the JSON Schemas, and validates files of lines against them.

use std::path::Path;

use claw_types::line_to_value;
use jsonschema::Validator;

use crate::escape::escape;
use crate::file_lines::file_lines;
use crate::outcome::{Outcome, report};

use super::schema;

mod fault;

/// Prints a schema in the form of the files in the project's folder `schemas/`.
pub(crate) fn print(name: &str) -> Outcome {
    // Writing a JSON value cannot fail.
    anstream::println!("{:#}", schema(name));
    Outcome::Success
}

/// Validates each line of a file, and prints each fault with its line and its path. Reads stdin if the file is `-`.
pub(crate) fn check(name: &str, file: &Path) -> Outcome {
    let validator = match jsonschema::validator_for(&schema(name)) {
        Ok(validator) => validator,
        Err(error) => return report(&error, Outcome::Usage),
    };
    let read = match file_lines(file) {
        Ok(read) => read,
        Err(error) => return report(&error, Outcome::Unreadable),
    };
    let file = file.display().to_string();
    let file = escape(&file);
    let (mut lines, mut bad) = (0, 0);
    for line in read {
        let line = match line {
            Ok(line) => line,
            Err(error) => return report(&error, Outcome::Unreadable),
        };
        lines += 1;
        let faults = match line.unreadable {
            Some(why) => vec![why],
            None => faults(&validator, &line.text)
                .iter()
                .map(ToString::to_string)
                .collect(),
        };
        bad += usize::from(!faults.is_empty());
        for fault in faults {
            anstream::println!("{file}:{}: {}", line.number, escape(&fault));
        }
    }
    anstream::eprintln!("{lines} lines, {bad} of them do not fit {name}");
    if bad == 0 {
        Outcome::Success
    } else {
        Outcome::ErrorResult
    }
}

/// Validates a document against the schema with this name, and returns the faults.
pub(crate) fn faults_of(
    name: &str,
    document: &str,
) -> Result<Vec<fault::Fault>, Box<dyn std::error::Error>> {
    let validator = jsonschema::validator_for(&schema(name))?;
    Ok(faults(&validator, document))
}

/// Returns the faults of a line.
fn faults(validator: &Validator, line: &str) -> Vec<fault::Fault> {
    match line_to_value(line) {
        Ok(value) => {
            let errors = validator.iter_errors(&value);
            errors.flat_map(|error| fault::faults(&error)).collect()
        }
        Err(error) => vec![fault::Fault::json(&error)],
    }
}

#[cfg(test)]
mod tests;
