//! Finds texts that reveal the machine or the person from which they originate.
//!
//! Texts of this project use two fixed names instead of real folders: `/home/user` and
//! `/work/project`. This module finds the real folders of a person.

/// Folders that belong to a person. Each has the only name that is allowed below it.
const OWN: [(&str, Option<&str>); 4] = [
    ("/root", None),
    ("/home/", Some("user")),
    ("/Users/", Some("user")),
    ("/work/", Some("project")),
];

/// Folders for temporary files. Paths in them are allowed only in the code of tests.
const PASSING: [&str; 2] = ["/tmp/", "/var/folders/"];

/// Whether a text contains the name of one of these folders, possibly as a part of another name. This function is fast.
pub fn may_have_path(text: &str) -> bool {
    let mut folders = OWN.iter().map(|(folder, _)| folder).chain(&PASSING);
    folders.any(|folder| has(text, folder))
}

/// Whether one text contains another. `str::contains` is slow in a program without optimisation, so this function does
/// not use it.
pub fn has(text: &str, part: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some()
}

/// Returns the first path in a text that is in a folder of a person or a machine.
pub fn machine_path(text: &str) -> Option<&str> {
    OWN.iter()
        .flat_map(|&(folder, fixed)| {
            starts(text, folder).filter_map(move |start| {
                let path = path_at(&text[start..]);
                let below = path[folder.len()..].split('/').next().unwrap_or_default();
                // A path may be followed by the full stop of a sentence.
                let below = below.trim_end_matches('.');
                let own = match fixed {
                    // The bare folder `/home/` does not name a person.
                    Some(fixed) => !below.is_empty() && below != fixed,
                    None => path.len() == folder.len() || path[folder.len()..].starts_with('/'),
                };
                own.then_some((start, path))
            })
        })
        .min()
        .map(|(_, path)| path)
}

/// Returns the first path in a text that is in a folder for temporary files.
pub fn temporary_path(text: &str) -> Option<&str> {
    PASSING
        .iter()
        .flat_map(|folder| starts(text, folder).map(|start| path_at(&text[start..])))
        .find(|path| !PASSING.contains(path))
}

/// Returns the first text that resembles an API key.
pub fn key(text: &str) -> Option<&str> {
    starts(text, "sk-")
        .map(|start| {
            word_at(&text[start..], |c| {
                c.is_ascii_alphanumeric() || "-_".contains(c)
            })
        })
        .find(|key| key.len() > "sk-".len())
}

/// Returns the first e-mail address in a text, except addresses of the domains that are reserved
/// for examples.
pub fn email(text: &str) -> Option<&str> {
    let local = |c: char| c.is_ascii_alphanumeric() || "._%+-".contains(c);
    let domain = |c: char| c.is_ascii_alphanumeric() || ".-".contains(c);
    text.match_indices('@').find_map(|(at, _)| {
        let before = text[..at].chars().rev().take_while(|&c| local(c)).count();
        let host = word_at(&text[at + 1..], domain).trim_end_matches('.');
        let (_, top) = host.rsplit_once('.')?;
        let real = before > 0
            && top.len() >= 2
            && top.chars().all(|c| c.is_ascii_alphabetic())
            && !["example.com", "example.org", "example.net"].contains(&host);
        real.then(|| &text[at - before..at + 1 + host.len()])
    })
}

/// Returns the offsets at which `needle` begins a word or a path.
pub fn starts<'a>(text: &'a str, needle: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(needle)
        .map(|(start, _)| start)
        .filter(|&start| {
            !text[..start].ends_with(|c: char| c.is_alphanumeric() || "._-~$})/".contains(c))
        })
}

fn path_at(text: &str) -> &str {
    word_at(text, |c| c.is_alphanumeric() || "/._-~+@".contains(c))
}

fn word_at(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    &text[..text.find(|c| !belongs(c)).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests;
