//! The names in the executable of a CLI, which contains its source with short names for variables and the original names
//! for everything that is written or read as data.

use std::collections::{BTreeMap, BTreeSet};

/// What a name is, in the order in which a program notices a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    HookEvent,
    /// The `subtype` of a request or message.
    Subtype,
    /// The `type` of a message, entry or block.
    Type,
    /// A field of an object that is written with a constant `subtype`, behind that subtype.
    Written,
    /// A field that the CLI's own checks of data declare.
    Field,
    /// A field that they declare lazily, as the settings are.
    Setting,
    Capability,
    Flag,
    Variable,
    /// A text such as a value of an enumeration.
    Value,
    /// A field that is both written and read somewhere. Most of these are internal.
    Name,
}

impl Kind {
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::HookEvent => "Hook events",
            Self::Subtype => "Subtypes of requests and messages",
            Self::Type => "Types of messages, entries and blocks",
            Self::Written => "Fields of messages and requests that the CLI writes",
            Self::Field => "Fields in the CLI's own checks",
            Self::Setting => "Settings and other fields that are checked lazily",
            Self::Capability => "Capabilities",
            Self::Flag => "Flags in the executable, also those of other programs",
            Self::Variable => "Environment variables",
            Self::Value => "Values",
            Self::Name => "Other fields",
        }
    }

    /// Whether most names of this kind are internal.
    pub(super) fn is_noise(self) -> bool {
        self >= Self::Value
    }
}

/// The names of each kind.
pub(super) type Names = BTreeMap<Kind, BTreeSet<String>>;

/// The longest name.
const LONGEST: usize = 60;
/// The most bytes of a declaration that are read.
const DECLARATION: usize = 4096;
/// How the names of variables begin that are only in quotes.
const VARIABLES: [&str; 8] = [
    "ANTHROPIC_",
    "BUN_",
    "CCR_",
    "CLAUDE_",
    "DISABLE_",
    "ENABLE_",
    "MCP_",
    "OTEL_",
];
/// What the CLI's checks add to the declaration of a field.
const ADDED: [&str; 9] = [
    "catch", "default", "describe", "max", "min", "nullable", "nullish", "optional", "refine",
];

/// Returns the names in an executable.
pub(super) fn names(program: &[u8]) -> Names {
    let mut names = Names::new();
    let (mut keys, mut members) = (BTreeSet::new(), BTreeSet::new());
    let mut add = |kind, name: &[u8]| {
        let name = String::from_utf8_lossy(name).into_owned();
        names.entry(kind).or_default().insert(name);
    };
    let mut at = 0;
    while at < program.len() {
        let byte = program[at];
        if matches!(byte, b'"' | b'\'' | b'`') {
            let text = run(&program[at + 1..], |byte| is_word(byte) || byte == b'-');
            if program.get(at + 1 + text.len()) == Some(&byte)
                && let Some(kind) = quoted(text)
            {
                add(kind, text);
            }
            at += 1;
        } else if is_word(byte) {
            let word = run(&program[at..], is_word);
            let end = at + word.len();
            let before = if at == 0 { 0 } else { program[at - 1] };
            at = end;
            if word.len() < 2 || word.len() > LONGEST || byte.is_ascii_digit() {
                continue;
            }
            match (before, program.get(end)) {
                (b'{' | b',', Some(b':')) => {
                    let rest = &program[end + 1..];
                    if word == b"subtype" {
                        for field in written(rest) {
                            add(Kind::Written, &field);
                        }
                    }
                    if let Some((kind, tag)) = tag(word, rest) {
                        add(kind, tag);
                    } else if declares(rest) {
                        add(Kind::Field, word);
                    } else if rest.strip_prefix(b"()=>").is_some_and(declares) {
                        add(Kind::Setting, word);
                    }
                    keys.insert(word);
                }
                (b'.', _) if program[..end - word.len()].ends_with(b"process.env.") => {
                    add(Kind::Variable, word);
                }
                (b'.', _) => {
                    members.insert(word);
                }
                _ => {}
            }
        } else {
            at += 1;
        }
    }
    // Shorter names are mostly those that a minifier has made.
    for name in keys.intersection(&members).filter(|name| name.len() > 4) {
        add(Kind::Name, name);
    }
    names
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// Returns the bytes at the start that satisfy the condition.
pub(super) fn run(text: &[u8], is_part: impl Fn(u8) -> bool) -> &[u8] {
    let end = text.iter().position(|byte| !is_part(*byte));
    &text[..end.unwrap_or(text.len())]
}

/// Returns the kind of a text in quotes. `None` if it is no name.
fn quoted(text: &[u8]) -> Option<Kind> {
    let text = std::str::from_utf8(text).ok()?;
    let is_lower = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let first = text.chars().next()?;
    if text.len() > LONGEST {
        return None;
    }
    if let Some(flag) = text.strip_prefix("--") {
        let is_flag = flag.len() > 1 && flag.chars().all(|c| c == '-' || is_lower(c));
        return is_flag.then_some(Kind::Flag);
    }
    if VARIABLES.iter().any(|start| text.starts_with(start)) {
        return (!text.chars().any(|c| c.is_ascii_lowercase())).then_some(Kind::Variable);
    }
    // The last ones are switches of experiments, which every version renames.
    if !first.is_ascii_lowercase()
        || !text.chars().all(is_lower)
        || !text.contains('_')
        || text.contains("tengu_")
    {
        return None;
    }
    let version = text.rsplit_once("_v").map_or("", |(_, version)| version);
    let is_versioned = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
    Some(if is_versioned {
        Kind::Capability
    } else {
        Kind::Value
    })
}

/// Returns the constant value that a declaration gives to a tag, such as `subtype:P("init")`.
fn tag<'a>(key: &[u8], declaration: &'a [u8]) -> Option<(Kind, &'a [u8])> {
    let kind = match key {
        b"hook_event_name" | b"hookEventName" => Kind::HookEvent,
        b"subtype" => Kind::Subtype,
        b"type" => Kind::Type,
        _ => return None,
    };
    let argument = call(declaration)?.strip_prefix(b"\"")?;
    let value = run(argument, |byte| byte != b'"' && byte.is_ascii_graphic());
    let is_whole = argument[value.len()..].starts_with(b"\")");
    (is_whole && !value.is_empty() && value.len() <= LONGEST).then_some((kind, value))
}

/// Returns the fields that follow a constant `subtype` in the same object, each with the subtype before it.
fn written(value: &[u8]) -> Vec<Vec<u8>> {
    let value = &value[..value.len().min(DECLARATION)];
    let Some(text) = value.strip_prefix(b"\"") else {
        return Vec::new();
    };
    let subtype = run(text, is_word);
    let (mut fields, mut depth, mut at) = (Vec::new(), 0, subtype.len());
    while at < text.len() && depth >= 0 {
        match text[at] {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth -= 1,
            b',' if depth == 0 => {
                let key = run(&text[at + 1..], is_word);
                if !key.is_empty() && text.get(at + 1 + key.len()) == Some(&b':') {
                    fields.push([subtype, b".", key].concat());
                }
            }
            _ => {}
        }
        at += 1;
    }
    fields
}

/// Returns what follows the opening parenthesis of a call of a function with a minified name.
pub(super) fn call(text: &[u8]) -> Option<&[u8]> {
    let function = run(text, is_word);
    let is_minified = (1..=4).contains(&function.len()) && !function[0].is_ascii_digit();
    text[function.len()..]
        .strip_prefix(b"(")
        .filter(|_| is_minified)
}

/// Whether the text begins with the declaration of a field, such as `r().optional()`.
pub(super) fn declares(text: &[u8]) -> bool {
    let Some(arguments) = call(&text[..text.len().min(DECLARATION)]) else {
        return false;
    };
    let mut depth = 1;
    let end = arguments.iter().position(|byte| {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let Some(end) = end else {
        return false;
    };
    match &arguments[end + 1..] {
        // A required field without a description.
        [b',' | b'}', ..] => end == 0 || arguments[..end].ends_with(b"()"),
        [b'.', rest @ ..] => {
            let added = run(rest, is_word);
            rest[added.len()..].starts_with(b"(")
                && ADDED.iter().any(|name| name.as_bytes() == added)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
