//! Queued prompts that the CLI took from the queue during a turn.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::message::member;
use super::names::{NONE, Name, Names};
use crate::cursor::Cursor;

/// The origins whose lines are shown although the CLI marked them as internal.
pub(super) const SHOWN_ORIGINS: [&[u8]; 6] = [
    b"channel",
    b"observer",
    b"observer-activity",
    b"slack-ping",
    b"voice-call",
    b"peer",
];

/// The members of an attachment that describe a queued prompt.
#[derive(Debug, Default)]
pub(super) struct QueuedAttachment<'a> {
    source: Option<Cow<'a, [u8]>>,
    delivery: Option<Cow<'a, [u8]>>,
    is_meta: bool,
    has_shown_origin: bool,
    has_prompt: bool,
    is_forwarded: bool,
    hash: u64,
}

/// A queued prompt.
#[derive(Debug, Clone, Copy)]
pub(super) struct Queued {
    /// The ID that the prompt had in the queue.
    pub(super) source: Name,
    pub(super) delivery: Name,
    /// Whether no person typed the prompt. Such a prompt is shown only in the conversations of sub-agents.
    pub(super) is_hidden: bool,
    /// Whether the prompt can be shown as a message.
    pub(super) is_message: bool,
    hash: u64,
}

impl Queued {
    pub(super) fn new(attachment: &QueuedAttachment<'_>, names: &mut Names) -> Self {
        let mut number = |name: &Option<Cow<'_, [u8]>>| {
            let name = name.as_ref().filter(|name| !name.is_empty());
            name.map_or(NONE, |name| names.number(name))
        };
        Self {
            source: number(&attachment.source),
            delivery: number(&attachment.delivery),
            is_hidden: attachment.is_meta && !attachment.has_shown_origin,
            is_message: attachment.has_prompt && !attachment.is_forwarded,
            hash: attachment.hash,
        }
    }
}

/// Returns the kind of an attachment, and its members if it is a queued prompt.
#[expect(clippy::type_complexity, reason = "taken apart at once")]
pub(super) fn parse_attachment<'a>(
    cursor: &mut Cursor<'a>,
) -> Option<(Option<Cow<'a, [u8]>>, Option<QueuedAttachment<'a>>)> {
    if !cursor.is_object() {
        cursor.skip()?;
        return Some((None, None));
    }
    let start = cursor.place();
    let (mut kind, mut attachment) = (None, QueuedAttachment::default());
    cursor.object(|key, cursor| {
        match key {
            b"type" => kind = cursor.text()?,
            b"source_uuid" => attachment.source = cursor.text()?,
            b"delivery_id" => attachment.delivery = cursor.text()?,
            b"isMeta" => attachment.is_meta = cursor.is_truthy()?,
            b"origin" => {
                let kind = member(cursor, b"kind")?;
                attachment.has_shown_origin =
                    kind.is_some_and(|kind| SHOWN_ORIGINS.contains(&&*kind));
            }
            b"forwardedIntent" => {
                let lineage = member(cursor, b"lineage")?;
                attachment.is_forwarded = lineage.is_some_and(|lineage| !lineage.is_empty());
            }
            b"prompt" => {
                attachment.has_prompt = cursor.is_string() || cursor.is_array();
                cursor.skip()?;
            }
            _ => cursor.skip()?,
        }
        Some(())
    })?;
    let is_queued = kind.as_deref() == Some(b"queued_command");
    let attachment = is_queued.then(|| {
        let mut hasher = DefaultHasher::new();
        cursor.from(start).hash(&mut hasher);
        attachment.hash = hasher.finish();
        attachment
    });
    Some((kind, attachment))
}

/// The queued prompts that were taken from the queue according to notes, and their copies in the transcript.
#[derive(Debug, Default)]
pub(super) struct Deliveries {
    /// The number of times that each delivery was taken from the queue.
    absorbed: HashMap<Name, usize>,
    /// The number of times that each prompt was taken from the queue.
    sources: HashMap<Name, usize>,
    /// For each delivery, the names of the lines that contain its prompt, in order.
    copies: HashMap<Name, Vec<Name>>,
    copied: HashSet<Name>,
    /// The hash of each prompt's lines, and whether the lines differ.
    texts: HashMap<Name, (u64, bool)>,
}

impl Deliveries {
    /// Records a note that a prompt was taken from the queue.
    pub(super) fn absorbed(
        &mut self,
        names: &mut Names,
        delivery: Option<Cow<'_, [u8]>>,
        source: Option<Cow<'_, [u8]>>,
    ) {
        let count = match (delivery, source) {
            (Some(delivery), _) => self.absorbed.entry(names.number(&delivery)).or_default(),
            (None, Some(source)) => self.sources.entry(names.number(&source)).or_default(),
            (None, None) => return,
        };
        *count += 1;
    }

    /// Records a line that contains a prompt.
    pub(super) fn copied(&mut self, line: Name, queued: &Queued) {
        if queued.delivery != NONE {
            if self.copied.insert(line) {
                self.copies.entry(queued.delivery).or_default().push(line);
            }
        } else if queued.source != NONE {
            let text = self.texts.entry(queued.source);
            let (hash, is_mixed) = text.or_insert((queued.hash, false));
            *is_mixed |= *hash != queued.hash;
        }
    }

    /// Returns, for each of these prompts, whether it was taken from the queue according to notes. `None` means that no
    /// note mentions the prompt.
    pub(super) fn taken_up(&self, prompts: &[(Name, Queued)]) -> Vec<Option<bool>> {
        let mut taken: HashSet<Name> = HashSet::new();
        for (delivery, lines) in &self.copies {
            let count = self.absorbed.get(delivery).copied().unwrap_or_default();
            // The last copies are those that were taken, because a prompt that was returned to the queue is written
            // again.
            taken.extend(lines.iter().rev().take(count));
        }
        let mut left: HashMap<Name, usize> = HashMap::new();
        let mut states = vec![None; prompts.len()];
        for (at, (line, queued)) in prompts.iter().enumerate().rev() {
            if queued.delivery != NONE {
                let is_known = self.absorbed.contains_key(&queued.delivery);
                states[at] = is_known.then(|| taken.contains(line));
            } else if let Some(count) = self.sources.get(&queued.source)
                && !self.texts.get(&queued.source).is_some_and(|text| text.1)
            {
                let left = left.entry(queued.source).or_insert(*count);
                states[at] = Some(*left > 0);
                *left = left.saturating_sub(1);
            }
        }
        states
    }
}
