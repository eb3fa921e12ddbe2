//! Takes secrets out of text that is shown.

use std::collections::BTreeMap;
use std::ffi::OsString;

const MASK: &str = "***";
/// Shorter values are numbers and switches, and stand in ordinary words.
const SHORTEST: usize = 8;

/// Knows the secrets of one process's environment.
#[derive(Default)]
pub(crate) struct Mask {
    values: Vec<String>,
}

impl Mask {
    /// The secrets in the host's environment as `changes` alter it.
    pub(crate) fn of_environment(changes: &BTreeMap<OsString, Option<OsString>>) -> Self {
        let inherited = std::env::vars_os().filter(|(name, _)| !changes.contains_key(name));
        let given = changes
            .iter()
            .filter_map(|(n, v)| Some((n.clone(), v.clone()?)));
        Self::of_variables(inherited.chain(given))
    }

    fn of_variables(variables: impl Iterator<Item = (OsString, OsString)>) -> Self {
        let mut values: Vec<String> = variables
            .filter(|(name, _)| is_secret(&name.to_string_lossy()))
            .flat_map(|(_, value)| {
                let value = value.to_string_lossy().into_owned();
                value
                    .lines()
                    .map(str::trim)
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            })
            .filter(|value| value.len() >= SHORTEST)
            .collect();
        // The longest first: a secret may contain another.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values.dedup();
        Self { values }
    }

    /// `text` with every known or recognisable secret masked.
    pub(crate) fn apply(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for value in &self.values {
            if text.contains(value) {
                text = text.replace(value, MASK);
            }
        }
        for prefix in ["sk-ant-", "bearer ", "basic ", "x-api-key: ", "x-api-key:"] {
            text = mask_after(&text, prefix);
        }
        text
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "HEADERS"]
        .iter()
        .any(|word| name.contains(word))
}

/// Masks the word that follows each `prefix`, which is matched without regard to case.
fn mask_after(text: &str, prefix: &str) -> String {
    // ASCII lower case changes no byte offset.
    let lower = text.to_ascii_lowercase();
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    while let Some(found) = lower[done..].find(prefix) {
        let start = done + found + prefix.len();
        let word = text[start..]
            .find(|c: char| !(c.is_ascii_alphanumeric() || "-_.~+/=*".contains(c)))
            .map_or(text.len(), |length| start + length);
        out.push_str(&text[done..start]);
        if word > start {
            out.push_str(MASK);
        }
        done = word;
    }
    out.push_str(&text[done..]);
    out
}

#[cfg(test)]
mod tests;
