//! Tool uses that the host made and the model does not see.
//!
//! An answer lists hidden tool uses in `hostHiddenToolUseIds`. The tool uses that the host made instead of them follow
//! as virtual lines, or as `host-row` lines outside of the conversation.

use std::collections::{HashMap, HashSet};
use std::io;

use super::index::{Id, Index, Kind, flag};
use super::names::NONE;
use super::{Read, Source};
use crate::members::{Members, array, items, quoted, text};

/// Adds the virtual lines to the chain. They hang from links of the chain but are not part of it.
pub(super) fn with_virtual(index: &Index, parents: &[Id], chain: Vec<Id>) -> Vec<Id> {
    let is_host = |id: Id| index.node(id).is(flag::HOST);
    if !chain.iter().any(|id| is_host(*id)) {
        return chain;
    }
    let mut is_in = vec![false; parents.len()];
    let mut is_parent = vec![false; parents.len()];
    for id in &chain {
        is_in[*id as usize] = true;
        let parent = parents[*id as usize];
        if parent != NONE {
            is_parent[parent as usize] = true;
        }
    }
    // For each link, its last child that is not in the chain.
    let mut next = vec![NONE; parents.len()];
    for id in index.ids().filter(|id| !is_in[*id as usize]) {
        if let Some(parent) = index.id(index.node(id).parent) {
            next[parent as usize] = id;
        }
    }
    let is_virtual = |id: Id| index.node(id).is(flag::VIRTUAL);
    let mut whole: Vec<Id> = Vec::with_capacity(chain.len());
    for id in chain {
        whole.push(id);
        let mut at = next[id as usize];
        if at == NONE || is_virtual(id) {
            continue;
        }
        if is_host(id) && index.kind(at) == Kind::User {
            is_in[at as usize] = true;
            at = next[at as usize];
        } else if index.kind(at) == Kind::Attachment
            && (index.kind(id) != Kind::User || is_parent[id as usize])
        {
            continue;
        }
        while at != NONE && !std::mem::replace(&mut is_in[at as usize], true) {
            let is_result = || {
                let is_behind = whole.last().is_some_and(|last| is_host(*last));
                index.kind(at) == Kind::User && is_behind
            };
            if is_virtual(at) && (is_host(at) || is_result()) {
                whole.push(at);
            } else if index.kind(at) != Kind::Attachment {
                break;
            }
            at = next[at as usize];
        }
    }
    whole
}

/// A tool use or result in a `host-row` line.
struct Row {
    uuid: Vec<u8>,
    ran_by: String,
    timestamp: Option<Vec<u8>>,
    block: Vec<u8>,
    /// The ID of the tool use that the row makes or answers.
    call: Option<String>,
}

impl Row {
    /// Returns the row as a line of the session's transcript.
    fn line(&self, kind: &str, session: Option<&[u8]>) -> Vec<u8> {
        let mut message = Members::default();
        message.set("role", quoted(kind));
        message.set("content", array([&self.block]));
        let mut line = Members::default();
        line.set("type", quoted(kind));
        line.set("uuid", &*self.uuid);
        line.set("parentUuid", *b"null");
        if let Some(session) = session {
            line.set("sessionId", session);
        }
        if let Some(timestamp) = &self.timestamp {
            line.set("timestamp", &**timestamp);
        }
        line.set("isVirtual", *b"true");
        line.set("ranByToolUseId", quoted(&self.ran_by));
        line.set("message", message.to_text());
        line.to_text()
    }
}

/// Adds the contents of the `host-row` lines to the conversation, each after the answer whose tool use it replaces.
pub(super) fn with_rows(
    index: &Index,
    chain: Vec<Id>,
    read: &mut Read<'_>,
) -> io::Result<(Vec<Source>, Vec<Vec<u8>>)> {
    let mut made = Vec::new();
    if index.host_rows.is_empty() {
        return Ok((chain.into_iter().map(Source::Link).collect(), made));
    }
    let mut rows = Rows::read(index, read)?;
    let mut sources = Vec::with_capacity(chain.len());
    for id in chain {
        sources.push(Source::Link(id));
        let node = index.node(id);
        if !node.is(flag::HOST) || node.is(flag::VIRTUAL) {
            continue;
        }
        let Some(text) = read(node.offset, node.length)? else {
            continue;
        };
        let Some(line) = Members::parse(&text) else {
            continue;
        };
        for hidden in strings(line.get("hostHiddenToolUseIds")) {
            for row in rows.take(&hidden) {
                let mut add = |line| {
                    sources.push(Source::Row(made.len()));
                    made.push(line);
                };
                add(row.line("assistant", line.get("sessionId")));
                if let Some(result) = row.call.as_ref().and_then(|call| rows.results.get(call)) {
                    add(result.line("user", line.get("sessionId")));
                }
            }
        }
    }
    Ok((sources, made))
}

/// Returns the strings of an array.
pub(crate) fn strings(list: Option<&[u8]>) -> Vec<String> {
    let all = list.and_then(items).unwrap_or_default().into_iter();
    all.filter_map(|item| text(item).map(std::borrow::Cow::into_owned))
        .collect()
}

#[derive(Default)]
struct Rows {
    withheld: HashSet<String>,
    calls: HashMap<String, Vec<Row>>,
    results: HashMap<String, Row>,
}

impl Rows {
    fn read(index: &Index, read: &mut Read<'_>) -> io::Result<Self> {
        let mut rows = Self::default();
        let mut known = HashSet::new();
        for (offset, length) in &index.host_rows {
            if let Some(text) = read(*offset, *length)?
                && let Some(line) = Members::parse(&text)
            {
                rows.add(index, &line, &mut known);
            }
        }
        Ok(rows)
    }

    fn add(&mut self, index: &Index, line: &Members<'_>, known: &mut HashSet<Vec<u8>>) {
        let Some(ran_by) = line
            .text("ranByToolUseId")
            .map(std::borrow::Cow::into_owned)
        else {
            return;
        };
        if line.get("withheld") == Some(b"true") {
            self.withheld.insert(ran_by);
            return;
        }
        let uuid = line.get("rowUuid").and_then(text);
        let Some((uuid, block)) = uuid.zip(line.get("block")) else {
            return;
        };
        let name = index.names.get(uuid.as_bytes());
        let is_link = name.and_then(|name| index.id(name)).is_some();
        let Some(parsed) = Members::parse(block) else {
            return;
        };
        if is_link || known.contains(uuid.as_bytes()) {
            return;
        }
        let kind = parsed.text("type");
        let call = |key| parsed.text(key).map(std::borrow::Cow::into_owned);
        let timestamp = line.get("timestamp").filter(|time| time.starts_with(b"\""));
        let row = |call| Row {
            uuid: quoted(&uuid),
            ran_by: ran_by.clone(),
            timestamp: timestamp.map(<[u8]>::to_vec),
            block: block.to_vec(),
            call,
        };
        match kind.as_deref() {
            Some("tool_result") => {
                if let Some(id) = call("tool_use_id") {
                    self.results.insert(id, row(None));
                }
            }
            Some("tool_use") => {
                known.insert(uuid.as_bytes().to_vec());
                let row = row(call("id"));
                self.calls.entry(ran_by.clone()).or_default().push(row);
            }
            _ => {}
        }
    }

    /// Returns the rows that replace a tool use. Each row is returned only once.
    fn take(&mut self, hidden: &str) -> Vec<Row> {
        let found = self.calls.remove(hidden).unwrap_or_default();
        if self.withheld.contains(hidden) {
            return Vec::new();
        }
        found
    }
}
