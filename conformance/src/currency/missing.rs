//! The names that are new and that claw's schemas do not have: what a person gives a type to. Each comes with the places where
//! it was found, the first version whose executable has it, and what the newer executable declares about it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use memchr::memmem;

use super::names::{Kind, Names, call, declares, is_word, run};
use xtask_recordings::fixtures::changes::{Traits, added};

/// The most places of a name that are listed.
const PLACES: usize = 4;
/// The most occurrences of a name in an executable that are looked at.
const OCCURRENCES: usize = 400;
/// The most declarations of a name that are listed.
const DECLARATIONS: usize = 2;
/// The most bytes of a declaration that are listed.
const LENGTH: usize = 500;
/// The kinds of names that a program notices. Fields of the CLI's own checks have a list of their own, because most of them
/// are internal.
const KINDS: [Kind; 6] = [
    Kind::HookEvent,
    Kind::Subtype,
    Kind::Type,
    Kind::Written,
    Kind::Setting,
    Kind::Capability,
];
/// The kinds of lines in transcripts that copy a request to the API, which claw does not type.
const COPIES: [&str; 2] = ["api-request-blob.", "api-request-shape."];

/// The names, in the order in which they were found, each with its places.
#[derive(Default)]
pub(super) struct Missing(Vec<(String, Vec<String>)>);

impl Missing {
    /// Adds the names of an executable.
    pub(super) fn add_names(&mut self, old: &Names, new: &Names, known: &BTreeSet<&str>) {
        let nothing = BTreeSet::new();
        for kind in KINDS {
            let (old, new) = (old.get(&kind), new.get(&kind));
            for place in new.unwrap_or(&nothing).difference(old.unwrap_or(&nothing)) {
                // A field that the CLI writes stands behind its subtype.
                let name = place.rsplit('.').next().unwrap_or(place);
                self.add(name, format!("{}: `{place}`", kind.title()), known);
            }
        }
    }

    /// Adds the fields and values of recorded lines.
    pub(super) fn add_traits(&mut self, old: &Traits, new: &Traits, known: &BTreeSet<&str>) {
        for (found, _) in added(old, new) {
            if COPIES.iter().any(|start| found.starts_with(start)) {
                continue;
            }
            if let Some((path, name)) = unknown(found, known) {
                self.add(name, format!("`{path}`"), known);
            }
        }
    }

    fn add(&mut self, name: &str, place: String, known: &BTreeSet<&str>) {
        if known.contains(name) {
            return;
        }
        match self.0.iter_mut().find(|(other, _)| other == name) {
            Some((_, places)) if places.contains(&place) => {}
            Some((_, places)) => places.push(place),
            None => self.0.push((name.to_owned(), vec![place])),
        }
    }

    /// Returns the names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }

    /// Returns the section of the page. `since` returns the first version whose executable has a name.
    pub(super) fn section(&self, new: &[u8], since: impl Fn(&str) -> String) -> String {
        let mut text = String::from("\n## New, and without a type\n");
        if self.0.is_empty() {
            text.push_str("\nnone\n");
        }
        for (name, places) in &self.0 {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "\n### `{name}`, since {}\n", since(name));
            for place in places.iter().take(PLACES) {
                let _ = writeln!(text, "- {place}");
            }
            if places.len() > PLACES {
                let _ = writeln!(text, "- and {} more", places.len() - PLACES);
            }
            let declared = declarations(new, name.as_bytes());
            if !declared.is_empty() {
                let _ = writeln!(text, "\n```text\n{}\n```", declared.join("\n"));
            }
        }
        text
    }
}

/// Whether an executable has this name.
pub(super) fn has(program: &[u8], name: &str) -> bool {
    occurrences(program, name.as_bytes()).next().is_some()
}

/// Returns the path and the name of a property of lines, if claw's schemas do not have this field, or its value.
fn unknown<'a>(found: &'a str, known: &BTreeSet<&str>) -> Option<(&'a str, &'a str)> {
    let (path, value) = match found.split_once(" = ") {
        Some((path, value)) => (path, value.strip_prefix('"')),
        None => (found.split_once(": ")?.0, None),
    };
    let field = path.rsplit('.').next()?.trim_end_matches("[]");
    if !known.contains(field) {
        return Some((path, field));
    }
    let value = value?.strip_suffix('"')?;
    (!known.contains(value)).then_some((found, value))
}

/// Returns the positions of a name in an executable.
fn occurrences(program: &[u8], name: &[u8]) -> impl Iterator<Item = usize> {
    let length = name.len();
    memmem::find_iter(program, name).filter(move |at| {
        let before = at.checked_sub(1).and_then(|before| program.get(before));
        let after = program.get(at + length);
        ![before, after]
            .into_iter()
            .flatten()
            .any(|byte| is_word(*byte))
    })
}

/// Returns what an executable declares about a name: the check of a field, the object of a tag, or the list of texts that
/// contains it. If there is none, the values with which a field is written.
fn declarations(program: &[u8], name: &[u8]) -> Vec<String> {
    let (mut declared, mut written) = (Vec::new(), Vec::new());
    for at in occurrences(program, name).take(OCCURRENCES) {
        let end = at + name.len();
        let before = at.checked_sub(1).and_then(|before| program.get(before));
        let (found, text) = match (before, program.get(end)) {
            (Some(b'{' | b','), Some(b':')) => {
                let check = &program[end + 1..];
                let check = check.strip_prefix(b"()=>").unwrap_or(check);
                let is_list = call(check).is_some_and(|list| list.starts_with(b"[\""));
                let is_check = is_list || declares(check);
                let found = if is_check {
                    &mut declared
                } else {
                    &mut written
                };
                (found, balanced(&program[at..], true))
            }
            (Some(b'"'), Some(b'"')) => match quoted(program, at, end) {
                Some(text) => (&mut declared, text),
                None => continue,
            },
            _ => continue,
        };
        let text = String::from_utf8_lossy(text);
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        let text = text.replace('`', "'");
        if !found.contains(&text) {
            found.push(text);
        }
    }
    let mut found = if declared.is_empty() {
        written
    } else {
        declared
    };
    // A longer one says more.
    found.sort_by_key(|text| std::cmp::Reverse(text.len()));
    found.truncate(DECLARATIONS);
    found
}

/// Returns the object of a tag, or the list of texts, in which a text in quotes stands.
fn quoted(program: &[u8], at: usize, end: usize) -> Option<&[u8]> {
    let open = at.checked_sub(2)?;
    let start = open.saturating_sub(LENGTH);
    let before = &program[start..open];
    match program[open] {
        // `hook_event_name:w("PreDance"),command:r()`
        b'(' => {
            let member = start
                + 1
                + before
                    .iter()
                    .rposition(|byte| matches!(byte, b'{' | b','))?;
            let key = run(&program[member..], is_word);
            let is_tag = [
                &b"hook_event_name"[..],
                b"hookEventName",
                b"subtype",
                b"type",
            ]
            .contains(&key)
                && program[member + key.len()] == b':';
            is_tag.then(|| balanced(&program[member..], false))
        }
        b'[' | b',' => {
            let is_text = |byte: &u8| is_word(*byte) || matches!(byte, b'"' | b',' | b'-' | b' ');
            let begin = start
                + program[start..=open]
                    .iter()
                    .rposition(|byte| !is_text(byte))?;
            let rest = &program[end..program.len().min(end + LENGTH)];
            let close = end + rest.iter().position(|byte| !is_text(byte))?;
            let is_list = program[begin] == b'[' && program[close] == b']';
            is_list.then(|| &program[begin..=close])
        }
        _ => None,
    }
}

/// Returns the text up to the end of what surrounds it, or up to the first comma outside of parentheses if it is one
/// member, at most [`LENGTH`] bytes.
fn balanced(text: &[u8], is_member: bool) -> &[u8] {
    let mut depth = 0;
    let end = text.iter().take(LENGTH).position(|byte| {
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth -= 1,
            _ => {}
        }
        depth < 0 || (is_member && depth == 0 && *byte == b',')
    });
    &text[..end.unwrap_or(text.len().min(LENGTH))]
}

#[cfg(test)]
mod tests;
