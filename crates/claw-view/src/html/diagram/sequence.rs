//! Reads sequence diagrams.

use std::collections::HashMap;

use super::label::Label;
use super::picture::{Stroke, Tip};

mod drawing;

/// The maximum number of participants, and of statements.
const MOST_PARTICIPANTS: usize = 30;
const MOST_EVENTS: usize = 300;

/// The arrows of messages, with their lines and the signs at both ends. An arrow that contains another one comes first.
const ARROWS: [(&str, Stroke, Tip, Tip); 10] = [
    ("<<-->>", Stroke::Dotted, Tip::Arrow, Tip::Arrow),
    ("<<->>", Stroke::Plain, Tip::Arrow, Tip::Arrow),
    ("-->>", Stroke::Dotted, Tip::None, Tip::Arrow),
    ("->>", Stroke::Plain, Tip::None, Tip::Arrow),
    ("-->", Stroke::Dotted, Tip::None, Tip::None),
    ("->", Stroke::Plain, Tip::None, Tip::None),
    ("--)", Stroke::Dotted, Tip::None, Tip::Open),
    ("-)", Stroke::Plain, Tip::None, Tip::Open),
    ("--x", Stroke::Dotted, Tip::None, Tip::Cross),
    ("-x", Stroke::Plain, Tip::None, Tip::Cross),
];

/// The statements that begin a part, such as a loop.
const PARTS: [&str; 7] = ["loop", "alt", "opt", "par", "critical", "break", "rect"];

#[derive(Debug, Default)]
pub(super) struct Sequence {
    participants: Vec<Label>,
    events: Vec<Event>,
}

#[derive(Debug)]
enum Event {
    Message {
        ends: [usize; 2],
        label: Label,
        stroke: Stroke,
        tips: [Tip; 2],
    },
    /// A note over participants, or at a side of one.
    Note(usize, usize, Side, Label),
    Activated(usize),
    Deactivated(usize),
    /// The begin of a part, with its text.
    Begin(Label),
    /// The begin of the next section of a part, such as `else`.
    Next(Label),
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    On,
    Left,
    Right,
}

/// Reads a sequence diagram from the lines after its first. Returns `None` if it has a statement that is not known, or is
/// too large.
pub(super) fn read<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Sequence> {
    let mut reader = Reader::default();
    for line in lines {
        reader.statement(line.trim_end_matches(';').trim_end())?;
    }
    let sequence = reader.sequence;
    let is_small = sequence.participants.len() <= MOST_PARTICIPANTS
        && sequence.events.len() <= MOST_EVENTS
        && !sequence.participants.is_empty();
    (is_small && reader.parts == 0).then_some(sequence)
}

#[derive(Default)]
struct Reader<'a> {
    sequence: Sequence,
    names: HashMap<&'a str, usize>,
    /// The number of open parts.
    parts: usize,
    /// The number of the next message, if messages have numbers.
    number: Option<usize>,
    /// The number of open activations of each participant.
    active: HashMap<usize, usize>,
}

impl<'a> Reader<'a> {
    fn statement(&mut self, line: &'a str) -> Option<()> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim();
        match word.to_ascii_lowercase().as_str() {
            "participant" | "actor" => self.participant(rest),
            "autonumber" if rest.is_empty() => {
                self.number = Some(1);
                Some(())
            }
            "activate" => {
                let name = self.named(rest)?;
                self.activate(name);
                Some(())
            }
            "deactivate" => {
                let name = self.named(rest)?;
                self.deactivate(name)
            }
            "note" => self.note(rest),
            "end" if rest.is_empty() => {
                self.parts = self.parts.checked_sub(1)?;
                self.sequence.events.push(Event::End);
                Some(())
            }
            "else" | "and" | "option" => {
                self.sequence.events.push(Event::Next(section("", rest)?));
                (self.parts > 0).then_some(())
            }
            part if PARTS.contains(&part) => {
                self.parts += 1;
                let label = if part == "rect" {
                    Label::default()
                } else {
                    section(part, rest)?
                };
                self.sequence.events.push(Event::Begin(label));
                Some(())
            }
            _ => self.message(line),
        }
    }

    /// Reads `NAME` or `NAME as text`.
    fn participant(&mut self, rest: &'a str) -> Option<()> {
        let (name, text) = rest.split_once(" as ").unwrap_or((rest, rest));
        let name = name.trim();
        if name.is_empty() || name.contains(['@', '{']) {
            return None;
        }
        let index = self.named(name)?;
        self.sequence.participants[index] = Label::read(text)?;
        Some(())
    }

    /// Returns the participant with this name, which a message may be the first to name.
    fn named(&mut self, name: &'a str) -> Option<usize> {
        let name = name.trim();
        if name.is_empty() {
            return None;
        }
        if let Some(index) = self.names.get(name) {
            return Some(*index);
        }
        let index = self.sequence.participants.len();
        self.names.insert(name, index);
        self.sequence.participants.push(Label::read(name)?);
        Some(index)
    }

    fn activate(&mut self, participant: usize) {
        *self.active.entry(participant).or_default() += 1;
        self.sequence.events.push(Event::Activated(participant));
    }

    fn deactivate(&mut self, participant: usize) -> Option<()> {
        let open = self.active.get_mut(&participant)?;
        *open = open.checked_sub(1)?;
        self.sequence.events.push(Event::Deactivated(participant));
        Some(())
    }

    /// Reads `over A,B: text`, `left of A: text` or `right of A: text`.
    fn note(&mut self, rest: &'a str) -> Option<()> {
        let (place, text) = rest.split_once(':')?;
        let sides = [
            ("over ", Side::On),
            ("left of ", Side::Left),
            ("right of ", Side::Right),
        ];
        let (names, side) = sides
            .into_iter()
            .find_map(|(start, side)| Some((place.strip_prefix(start)?, side)))?;
        let (first, last) = names.split_once(',').unwrap_or((names, names));
        let (first, last) = (self.named(first)?, self.named(last)?);
        let (first, last) = (first.min(last), first.max(last));
        let note = Event::Note(first, last, side, Label::read(text)?);
        self.sequence.events.push(note);
        Some(())
    }

    /// Reads a message, such as `A->>+B: text`.
    fn message(&mut self, line: &'a str) -> Option<()> {
        let (head, text) = line.split_once(':').unwrap_or((line, ""));
        // A name may contain `-x`, so arrows with `>` are looked for first.
        let (arrows, rare) = ARROWS.split_at(6);
        let first = |arrows: &'static [(&str, Stroke, Tip, Tip)]| {
            let found = arrows
                .iter()
                .filter_map(|arrow| Some((head.find(arrow.0)?, arrow)));
            found.min_by_key(|(at, arrow)| (*at, std::cmp::Reverse(arrow.0.len())))
        };
        let (at, &(arrow, stroke, start, end)) = first(arrows).or_else(|| first(rare))?;
        let to = head[at + arrow.len()..].trim_start();
        let (is_on, is_off) = (to.starts_with('+'), to.starts_with('-'));
        let to = to.trim_start_matches(['+', '-']);
        let ends = [self.named(&head[..at])?, self.named(to)?];
        let mut label = Label::read(text)?;
        if let Some(number) = &mut self.number {
            let first = label.lines.first_mut()?;
            *first = format!("{number}. {first}");
            *number += 1;
        }
        self.sequence.events.push(Event::Message {
            ends,
            label,
            stroke,
            tips: [start, end],
        });
        if is_on {
            self.activate(ends[1]);
        }
        if is_off {
            self.deactivate(ends[0])?;
        }
        Some(())
    }
}

/// Returns the text of a part or of one of its sections.
fn section(name: &str, text: &str) -> Option<Label> {
    let label = Label::read(text)?;
    let text = label.lines.join(" ");
    let text = match (name, text.as_str()) {
        (name, "") => name.to_owned(),
        ("", text) => format!("[{text}]"),
        (name, text) => format!("{name} [{text}]"),
    };
    Some(Label { lines: vec![text] })
}
