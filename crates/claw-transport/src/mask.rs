//! Masks secrets in text that is shown.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::Range;

const MASK: &str = "***";
/// The minimum length of a secret. Shorter values are usually numbers and switches, and also occur in ordinary words.
const SHORTEST: usize = 8;
/// The maximum length of the context that identifies a secret, which is a word before the secret or the URL that
/// contains it.
const CONTEXT: usize = 1024;

/// The secrets in the environment of one process.
#[derive(Default)]
pub(crate) struct Mask {
    values: Vec<String>,
    longest: usize,
}

impl Mask {
    /// Finds the secrets in the environment that results when `changes` are applied to the host's environment.
    pub(crate) fn of_environment(changes: &BTreeMap<OsString, Option<OsString>>) -> Self {
        let inherited = std::env::vars_os().filter(|(name, _)| !changes.contains_key(name));
        let given = changes
            .iter()
            .filter_map(|(n, v)| Some((n.clone(), v.clone()?)));
        Self::of_variables(inherited.chain(given))
    }

    fn of_variables(variables: impl Iterator<Item = (OsString, OsString)>) -> Self {
        let mut values = Vec::new();
        for (name, value) in variables {
            let value = value.to_string_lossy();
            for password in passwords(&value) {
                let password = &value[password];
                values.push(decoded(password));
                values.push(password.to_owned());
            }
            if is_secret(&name.to_string_lossy()) {
                values.extend(value.lines().map(|line| line.trim().to_owned()));
            }
        }
        values.retain(|value| value.len() >= SHORTEST);
        values.sort();
        values.dedup();
        let longest = values.iter().map(String::len).max();
        Self {
            longest: longest.unwrap_or_default(),
            values,
        }
    }

    /// Returns the number of bytes before and after a passage that are needed to recognise a secret at the edge of the
    /// passage. Otherwise, a part of the secret could be shown.
    pub(crate) fn margin(&self) -> usize {
        self.longest.max(CONTEXT)
    }

    /// Returns `text` with every known or recognisable secret masked.
    #[cfg(test)]
    pub(crate) fn apply(&self, text: &str) -> String {
        self.apply_to(text, 0..text.len())
    }

    /// Returns a passage of `text` in which all secrets are masked, including those that lie only partly in the
    /// passage.
    pub(crate) fn apply_to(&self, text: &str, passage: Range<usize>) -> String {
        let mut out = String::with_capacity(passage.len());
        let mut done = passage.start;
        for secret in self.secrets(text) {
            if secret.end <= done || secret.start >= passage.end {
                continue;
            }
            out.push_str(text.get(done..secret.start).unwrap_or_default());
            out.push_str(MASK);
            done = secret.end.min(passage.end);
        }
        out.push_str(&text[done..passage.end]);
        out
    }

    /// Returns the ranges of secrets, in order. Adjacent ranges are merged.
    fn secrets(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = passwords(text);
        for value in &self.values {
            let places = text.match_indices(value);
            found.extend(places.map(|(at, _)| at..at + value.len()));
        }
        // Conversion to ASCII lower case changes no byte offset.
        let lower = text.to_ascii_lowercase();
        for word in ["sk-ant-", "bearer ", "basic ", "x-api-key: ", "x-api-key:"] {
            found.extend(words_after(&lower, word));
        }
        found.sort_by_key(|range| range.start);
        let mut apart: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for range in found {
            match apart.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => apart.push(range),
            }
        }
        apart
    }
}

/// Whether the name of a variable suggests that its value is a secret. In doubtful cases, the result is `true`.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    [
        "KEY",
        "TOKEN",
        "SECRET",
        "PASS",
        "CREDENTIAL",
        "AUTH",
        "HEADERS",
    ]
    .iter()
    .any(|word| name.contains(word))
}

/// Returns the ranges of the words that directly follow an occurrence of `before`.
fn words_after(text: &str, before: &str) -> Vec<Range<usize>> {
    let starts = text.match_indices(before).map(|(at, _)| at + before.len());
    let words = starts.map(|start| {
        let is_other = |c: char| !(c.is_ascii_alphanumeric() || "-_.~+/=*".contains(c));
        let length = text[start..].find(is_other);
        start..length.map_or(text.len(), |length| start + length)
    });
    words.filter(|word| !word.is_empty()).collect()
}

/// Returns the ranges of passwords in URLs such as `scheme://user:password@host`.
fn passwords(text: &str) -> Vec<Range<usize>> {
    let addresses = text
        .match_indices("://")
        .map(|(at, scheme)| at + scheme.len());
    let passwords = addresses.filter_map(|start| {
        let is_end = |c: char| c.is_whitespace() || "/?#\"'<>`".contains(c);
        let rest = &text[start..];
        let authority = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        // A password may contain an unescaped @.
        let (who, _) = authority.rsplit_once('@')?;
        let (user, password) = who.split_once(':')?;
        let at = start + user.len() + 1;
        Some(at..at + password.len())
    });
    passwords.filter(|password| !password.is_empty()).collect()
}

/// Decodes the percent encoding in a part of a URL. For example, `%20` becomes a space.
fn decoded(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let digits = (*first == b'%').then(|| behind.get(..2)).flatten();
        let byte =
            digits.and_then(|digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests;
