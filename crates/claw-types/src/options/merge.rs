//! Merges settings and sandbox, because the CLI takes the sandbox as a key of the settings.

use serde_json::{Map, Value};

use super::{InvalidOption, QueryOptions, SettingsOrPath};
use crate::JsonOf;
use crate::settings::Settings;

impl QueryOptions {
    /// Returns the option `settings` as an object into which the option `sandbox` is merged. This is the form in which
    /// claw passes the settings to the CLI. Returns `None` if neither option is set, or if `settings` is the path of a
    /// file.
    ///
    /// If the option `sandbox` and the key `sandbox` of `settings` both set a value, the option takes precedence. Lists
    /// of denied paths, of denied domains and of credentials are joined, so that all entries of both lists apply.
    ///
    /// # Errors
    ///
    /// Fails if `sandbox` is set and `settings` is the path of a file, or if the settings cannot be read.
    pub fn merged_settings(&self) -> Result<Option<JsonOf<Settings>>, InvalidOption> {
        match (&self.settings, &self.sandbox) {
            (Some(SettingsOrPath::Path(_)), Some(_)) => Err(InvalidOption::new(
                "sandbox",
                "cannot be put into a settings file: say it there, or give the settings as an object",
            )),
            (Some(SettingsOrPath::Inline(settings)), None) => Ok(Some(settings.clone())),
            (None | Some(SettingsOrPath::Path(_)), None) => Ok(None),
            (settings, Some(sandbox)) => {
                let unreadable = |error| InvalidOption::new("settings", format!("{error}"));
                let mut merged = match settings {
                    Some(SettingsOrPath::Inline(settings)) => {
                        settings.parse::<Map<String, Value>>().map_err(unreadable)?
                    }
                    _ => Map::new(),
                };
                let mut upper = serde_json::to_value(sandbox).map_err(unreadable)?;
                without_nulls(&mut upper);
                let mut under = match merged.remove("sandbox") {
                    Some(Value::Object(under)) => Value::Object(under),
                    _ => Value::Object(Map::new()),
                };
                make_way(&mut under, &upper);
                overlay(&mut under, upper, "");
                if under["enabled"] == true && under.get("failIfUnavailable").is_none() {
                    under["failIfUnavailable"] = true.into();
                }
                merged.insert("sandbox".to_owned(), under);
                Ok(Some(Value::Object(merged).into()))
            }
        }
    }
}

/// Lists of denials, which are joined.
const JOINED: [&str; 5] = [
    "/filesystem/denyRead",
    "/filesystem/denyWrite",
    "/network/deniedDomains",
    "/credentials/files",
    "/credentials/envVars",
];
/// Objects that are replaced as a whole.
const WHOLE: [&str; 2] = ["/ripgrep", "/network/tlsTerminate"];

/// Removes nulls. A null counts as an option that is not set: it does not undo a setting.
fn without_nulls(value: &mut Value) {
    if let Value::Object(map) = value {
        map.retain(|_, value| !value.is_null());
        map.values_mut().for_each(without_nulls);
    }
}

/// Removes from `under` what would undo the restrictions of `upper`.
fn make_way(under: &mut Value, upper: &Value) {
    let denies = ["/credentials/files", "/credentials/envVars"]
        .iter()
        .filter_map(|list| upper.pointer(list)?.as_array())
        .flatten()
        .any(|entry| entry["mode"] == "deny");
    if (upper.get("filesystem").is_some() || denies)
        && let Some(filesystem) = under.get_mut("filesystem").and_then(Value::as_object_mut)
        && filesystem.get("disabled") == Some(&Value::Bool(true))
    {
        filesystem.remove("disabled");
    }
    let restricts = ["/network/allowedDomains", "/network/deniedDomains"]
        .iter()
        .any(|list| upper.pointer(list).is_some());
    if restricts && let Some(network) = under.get_mut("network").and_then(Value::as_object_mut) {
        // An external proxy would not know the lists.
        network.remove("httpProxyPort");
        network.remove("socksProxyPort");
    }
}

fn overlay(under: &mut Value, upper: Value, path: &str) {
    match (under, upper) {
        (Value::Object(under), Value::Object(upper)) if !WHOLE.contains(&path) => {
            for (key, value) in upper {
                let path = format!("{path}/{key}");
                match under.get_mut(&key) {
                    Some(below) => overlay(below, value, &path),
                    None => {
                        under.insert(key, value);
                    }
                }
            }
        }
        (Value::Array(under), Value::Array(upper)) if JOINED.contains(&path) => {
            for entry in upper {
                if !under.contains(&entry) {
                    under.push(entry);
                }
            }
        }
        (under, upper) => *under = upper,
    }
}

#[cfg(test)]
mod tests;
