//! Checks whether the lines of an agent fit the protocol's JSON Schema.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use jsonschema::Validator;
use serde_json::{Map, Value, json};
use xtask::run::Result;

use super::client::{Line, Log};

/// The types of the protocol, by method.
pub(super) struct Validity {
    /// The agent's responses to the client's requests.
    answers: BTreeMap<String, Validator>,
    /// The parameters of the agent's requests and notifications.
    params: BTreeMap<String, Validator>,
    error: Validator,
}

impl Validity {
    /// Reads the schema from the protocol's npm package.
    ///
    /// # Errors
    /// Fails if the schema is missing or does not have the expected form.
    pub(super) fn of_sdk(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path);
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        let schema: Value = serde_json::from_str(&text)?;
        let types = schema["$defs"]
            .as_object()
            .ok_or("the schema has no types")?;
        let validator = |name: &str| -> Result<Validator> {
            let root = json!({
                "$schema": schema["$schema"],
                "$ref": format!("#/$defs/{name}"),
                "$defs": types,
                // The protocol allows no additional members, but its schema does.
                "unevaluatedProperties": false,
            });
            Ok(jsonschema::draft202012::new(&root)?)
        };
        let mut validity = Self {
            answers: BTreeMap::new(),
            params: BTreeMap::new(),
            error: validator("Error")?,
        };
        for (name, definition) in types {
            let Some(method) = definition["x-method"].as_str() else {
                continue;
            };
            // The methods of a side are the methods that this side answers.
            let is_agents = definition["x-side"] == "agent";
            let place = match name {
                name if name.ends_with("Response") && is_agents => &mut validity.answers,
                name if !name.ends_with("Response") && !is_agents => &mut validity.params,
                _ => continue,
            };
            place.insert(method.to_owned(), validator(name)?);
        }
        for needed in ["initialize", "session/new", "session/prompt"] {
            if !validity.answers.contains_key(needed) {
                return Err(format!("the schema has no answer to {needed}").into());
            }
        }
        for needed in ["session/update", "session/request_permission"] {
            if !validity.params.contains_key(needed) {
                return Err(format!("the schema has no {needed}").into());
            }
        }
        Ok(validity)
    }

    /// Returns the faults in the lines of an agent.
    pub(super) fn faults(&self, log: &Log) -> Vec<String> {
        let mut asked = Map::new();
        let mut faults = Vec::new();
        for line in &log.0 {
            match line {
                Line::Sent(line) => {
                    if let Some(id) = line.get("id").filter(|_| line.get("method").is_some()) {
                        asked.insert(id.to_string(), line["method"].clone());
                    }
                }
                Line::Received(line) => {
                    let method = asked.get(&line["id"].to_string());
                    let method = method.and_then(Value::as_str);
                    if let Err(fault) = self.line(line, method) {
                        faults.push(format!("{fault}: {line}"));
                    }
                }
                Line::Unreadable(line) => faults.push(format!("no JSON: {line}")),
            }
        }
        faults
    }

    /// Checks a line. `asked` is the method of the request that the line answers.
    fn line(&self, line: &Value, asked: Option<&str>) -> std::result::Result<(), String> {
        if line["jsonrpc"] != "2.0" {
            return Err("jsonrpc is not 2.0".to_owned());
        }
        if let Some(method) = line["method"].as_str() {
            return match self.params.get(method) {
                Some(validator) => check(validator, &line["params"]),
                // Both sides may cancel a request.
                None if method == "$/cancel_request" => Ok(()),
                None => Err(format!("the protocol has no {method} for clients")),
            };
        }
        match (line.get("result"), line.get("error")) {
            (None, Some(error)) => check(&self.error, error),
            (Some(result), None) => {
                let validator = asked.and_then(|method| self.answers.get(method));
                let validator = validator.ok_or("an answer to no request of the protocol")?;
                check(validator, result)
            }
            _ => Err("an answer has a result or an error".to_owned()),
        }
    }
}

fn check(validator: &Validator, value: &Value) -> std::result::Result<(), String> {
    validator
        .validate(value)
        .map_err(|error| format!("{} {error}", error.instance_path()))
}
