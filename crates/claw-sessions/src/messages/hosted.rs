//! Conversations with tool uses that the host made and the model does not see. They are shown as if the model had made
//! the host's tool uses.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;

use claw_types::store::SessionMessage;

use super::lines::{self, Line};
use crate::chain::{Index, Role, Source, strings};
use crate::members::{Members, array, is_json, items};

/// Returns the messages of the shown lines in order, and the number of lines that could not be read.
pub(super) fn messages(
    file: &File,
    index: &Index,
    rows: &[Vec<u8>],
    lines: &[Line],
    message: impl Fn(&[u8], Role) -> Option<SessionMessage>,
) -> io::Result<(Vec<SessionMessage>, usize)> {
    let (mut shown, mut unread) = (Vec::new(), 0);
    for line in lines {
        let text = match line.source {
            Source::Row(row) => Some(rows[row].clone()),
            Source::Link(id) => {
                let (offset, length) = index.place(id);
                lines::read(file, offset, length)?
            }
        };
        match text.filter(|text| is_json(text)) {
            None => unread += 1,
            Some(text) if line.is_shown => shown.push((text, line.role)),
            Some(_) => {}
        }
    }
    let twice = duplicate_calls(&shown);
    let mut hidden = Hidden {
        twice,
        ..Hidden::default()
    };
    let shown = shown.into_iter();
    let shown: Vec<_> = shown
        .flat_map(|(text, role)| hidden.show(text, role))
        .collect();
    let count = shown.len();
    let messages = shown.iter().filter_map(|(text, role)| message(text, *role));
    let messages: Vec<_> = messages.collect();
    unread += count - messages.len();
    Ok((messages, unread))
}

/// A block of a message.
struct Block<'a> {
    raw: &'a [u8],
    members: Members<'a>,
}

impl<'a> Block<'a> {
    /// Returns the blocks of a line's message, if it contains a list of blocks.
    fn all(message: Option<&'a [u8]>, key: &str) -> Vec<Self> {
        let list = match key {
            "content" => message.and_then(|message| member(message, key)),
            _ => message,
        };
        let all = list.and_then(items).unwrap_or_default().into_iter();
        all.map(|raw| Self {
            raw,
            members: Members::parse(raw).unwrap_or_default(),
        })
        .collect()
    }

    fn is(&self, kind: &str) -> bool {
        self.members.text("type").as_deref() == Some(kind)
    }

    fn text(&self, key: &str) -> Option<String> {
        self.members.text(key).map(std::borrow::Cow::into_owned)
    }
}

/// Returns the value of a member of an object, as it is written.
fn member<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let mut found = None;
    crate::cursor::Cursor::new(object).object(|key, cursor| {
        let value = cursor.value()?;
        if key == name.as_bytes() {
            found = Some(value);
        }
        Some(())
    })?;
    found
}

/// Returns the IDs of tool uses that two answers contain.
fn duplicate_calls(lines: &[(Vec<u8>, Role)]) -> HashSet<String> {
    let (mut once, mut twice) = (HashSet::new(), HashSet::new());
    for (line, role) in lines {
        let is_answer = Members::parse(line)
            .is_some_and(|line| line.text("type").as_deref() == Some("assistant"));
        if !is_answer || *role != Role::Itself {
            continue;
        }
        for block in Block::all(member(line, "message"), "content") {
            if let Some(id) = block.text("id").filter(|_| block.is("tool_use"))
                && !once.insert(id.clone())
            {
                twice.insert(id);
            }
        }
    }
    twice
}

/// The hidden tool uses before a line.
#[derive(Default)]
struct Hidden {
    twice: HashSet<String>,
    /// The messages that contained the hidden tool uses.
    calls: HashMap<String, Vec<u8>>,
    /// The lines that replace an answer with only one hidden tool use, once its result is known.
    instead: HashMap<String, Vec<u8>>,
    /// The tool uses that the host made.
    made: HashSet<String>,
}

impl Hidden {
    /// Returns the lines to show instead of a line: none, the line itself, or other lines.
    fn show(&mut self, line: Vec<u8>, role: Role) -> Vec<(Vec<u8>, Role)> {
        let shown = match Members::parse(&line) {
            Some(members) if role == Role::Itself && is_object(&members) => {
                match members.text("type").as_deref() {
                    Some("assistant") => self.show_answer(&line),
                    Some("user") => self.show_result(&line),
                    _ => None,
                }
            }
            _ => None,
        };
        match shown {
            None => vec![(line, role)],
            Some(shown) => shown.into_iter().map(|line| (line, role)).collect(),
        }
    }

    /// Returns the lines to show instead of an answer. `None` means that the answer is shown unchanged.
    fn show_answer(&mut self, line: &[u8]) -> Option<Vec<Vec<u8>>> {
        let members = Members::parse(line)?;
        let hidden = members.get("hostHiddenToolUseIds");
        let is_list = hidden.is_some_and(|list| list.starts_with(b"["));
        let ran_by = members.text("ranByToolUseId");
        if !is_list && ran_by.is_none() {
            return None;
        }
        let hidden: HashSet<String> = strings(hidden).into_iter().collect();
        let message = members.get("message")?;
        let blocks = Block::all(Some(message), "content");
        let mut left = Vec::new();
        for block in &blocks {
            let id = block.text("id").filter(|_| block.is("tool_use"));
            match id.filter(|id| hidden.contains(id) && !self.twice.contains(id)) {
                Some(id) => {
                    self.calls.insert(id, message.to_vec());
                }
                None => left.push(block.raw),
            }
        }
        if left.len() < blocks.len() {
            let host = Block::all(members.get("hostContent"), "hostContent");
            if let ([one], Some(first)) = (&blocks[..], host.first())
                && one.is("tool_use")
                && first.is("tool_use")
                && let Some(id) = one
                    .text("id")
                    .filter(|id| first.text("id").as_ref() == Some(id))
            {
                self.instead
                    .insert(id, with_content(line, message, &array([first.raw]))?);
            }
            if left.is_empty() {
                return Some(Vec::new());
            }
            return Some(vec![with_content(line, message, &array(left))?]);
        }
        let [one] = &blocks[..] else { return None };
        let ran_by =
            ran_by.filter(|_| members.get("isVirtual") == Some(b"true") && one.is("tool_use"))?;
        self.made.extend(one.text("id"));
        let content = by_host(&members, one, "id");
        let own = member(message, "content")?.to_vec();
        let message = self.calls.get(&*ran_by).map_or(message, |message| message);
        Some(vec![with_content(line, message, &content.unwrap_or(own))?])
    }

    fn show_result(&mut self, line: &[u8]) -> Option<Vec<Vec<u8>>> {
        let members = Members::parse(line)?;
        let message = members.get("message")?;
        let blocks = Block::all(Some(message), "content");
        let results: Vec<_> = blocks
            .iter()
            .filter(|block| block.is("tool_result"))
            .collect();
        let of = |block: &Block<'_>| block.text("tool_use_id").unwrap_or_default();
        if let [one] = results[..] {
            let instead = self.instead.get(&of(one)).cloned();
            let is_shown = if instead.is_some() {
                one.members.get("is_error") == Some(b"true")
            } else {
                members.get("isVirtual") == Some(b"true") && self.made.contains(&of(one))
            };
            if let Some(content) = by_host(&members, one, "tool_use_id").filter(|_| is_shown) {
                self.instead.remove(&of(one));
                let shown = with_content(line, message, &content)?;
                return Some(instead.into_iter().chain([shown]).collect());
            }
        }
        let is_hidden =
            |block: &Block<'_>| block.is("tool_result") && self.calls.contains_key(&of(block));
        let hidden = results.iter().filter(|block| is_hidden(block)).count();
        if hidden == 0 {
            return None;
        }
        if hidden == results.len() {
            return Some(Vec::new());
        }
        let left = blocks.iter().filter(|block| !is_hidden(block));
        let left = array(left.map(|block| block.raw));
        let shown = with_content(line, message, &left)?;
        let mut shown = Members::parse(&shown)?;
        shown.remove(&["toolDenialKind", "toolDenialUnanswered"]);
        Some(vec![shown.to_text()])
    }
}

fn is_object(line: &Members<'_>) -> bool {
    line.get("message")
        .is_some_and(|message| message.starts_with(b"{"))
}

/// Returns the host's content that replaces a block, if the content belongs to this block.
fn by_host(line: &Members<'_>, block: &Block<'_>, key: &str) -> Option<Vec<u8>> {
    let content = line.get("hostContent")?;
    let kind = block.text("type")?;
    let same = Block::all(Some(content), "hostContent");
    let mut same = same.iter().filter(|other| other.is(&kind));
    let (one, more) = (same.next()?, same.next());
    let is_same = |key: &str| one.members.get(key) == block.members.get(key);
    (more.is_none() && is_same(key) && is_same("name")).then(|| content.to_vec())
}

/// Returns a line with this message. The content of the message is replaced.
fn with_content(line: &[u8], message: &[u8], content: &[u8]) -> Option<Vec<u8>> {
    let mut message = Members::parse(message)?;
    message.set("content", content);
    let mut line = Members::parse(line)?;
    line.set("message", message.to_text());
    Some(line.to_text())
}
