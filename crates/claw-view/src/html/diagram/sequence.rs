//! Reads and draws sequence diagrams.

use std::collections::HashMap;

use super::label::{LINE, Label};
use super::picture::{Anchor, Area, Frame, HEAD, Outline, Picture, Point, Stroke, Tip, count};

/// The maximum number of participants, and of statements.
const MOST_PARTICIPANTS: usize = 30;
const MOST_EVENTS: usize = 300;
/// The space between the boxes of two participants, at least, in pixels.
const BESIDE: i32 = 24;
/// The space between two events, in pixels.
const BETWEEN: i32 = 14;
/// The width and height of the way of a message from a participant to itself, in pixels.
const LOOP: i32 = 28;
/// The space between the border of a part and what is in it, in pixels.
const PADDING: i32 = 12;
/// Half of the width of the bar of an active participant, in pixels.
const ACTIVE: i32 = 5;

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
    Over,
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
    (is_small && reader.parts == 0 && reader.boxes == 0).then_some(sequence)
}

#[derive(Default)]
struct Reader<'a> {
    sequence: Sequence,
    names: HashMap<&'a str, usize>,
    /// The number of parts, and of boxes around participants, that are open.
    parts: usize,
    boxes: usize,
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
            "box" => {
                self.boxes += 1;
                (self.boxes == 1).then_some(())
            }
            "end" if rest.is_empty() && self.boxes == 1 => {
                self.boxes = 0;
                Some(())
            }
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
            ("over ", Side::Over),
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

impl Sequence {
    /// Returns the picture of the sequence.
    pub(super) fn drawn(&self) -> Picture {
        let columns = self.columns();
        let mut drawing = Drawing {
            picture: Picture::default(),
            back: Vec::new(),
            y: 0,
            columns: &columns,
            parts: Vec::new(),
            active: HashMap::new(),
        };
        let heads = self.participants.iter().map(Label::height).max();
        let head = heads.unwrap_or(LINE) + 16;
        drawing.y = head + BETWEEN;
        for event in &self.events {
            drawing.event(event);
        }
        let mut open: Vec<_> = drawing.active.drain().collect();
        open.sort_unstable();
        for (participant, starts) in open {
            for (depth, start) in starts.into_iter().enumerate() {
                let area = bar(columns[participant], count(depth), start, drawing.y);
                drawing.back.push((Frame::Active, area));
            }
        }
        let end = drawing.y + BETWEEN;
        let mut picture = Picture::default();
        for (column, label) in columns.iter().zip(&self.participants) {
            let line = vec![
                Point {
                    x: *column,
                    y: head,
                },
                Point { x: *column, y: end },
            ];
            picture.line(Stroke::Dotted, line, true);
            let width = label.width() + 24;
            let area = Area {
                x: column - width / 2,
                y: 0,
                width,
                height: head,
            };
            picture.node(Outline::Round, area);
            let middle = Point {
                x: *column,
                y: head / 2,
            };
            picture.text(Anchor::Middle, middle, label.clone());
        }
        // The outer parts ended last, and everything else is drawn over them.
        for (frame, area) in drawing.back.into_iter().rev() {
            picture.frame(frame, area);
        }
        picture.append(drawing.picture);
        picture
    }

    /// Returns the middle of each participant, with room for the texts between them.
    fn columns(&self) -> Vec<i32> {
        let half = |index: usize| i32::midpoint(self.participants[index].width(), 24);
        let last = self.participants.len() - 1;
        // The least distance between each participant and the next one, and the room before the first.
        let mut gaps: Vec<_> = (0..last)
            .map(|index| half(index) + half(index + 1) + BESIDE)
            .collect();
        let mut room = half(0);
        let mut wide = Vec::new();
        for event in &self.events {
            match event {
                Event::Message { ends, label, .. } if ends[0] == ends[1] => {
                    if let Some(gap) = gaps.get_mut(ends[0]) {
                        *gap = (*gap).max(label.width().max(LOOP) + LOOP);
                    }
                }
                Event::Message { ends, label, .. } => {
                    let (first, last) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
                    wide.push((last - first, first, last, label.width() + 3 * HEAD));
                }
                Event::Note(first, last, Side::Over, label) => {
                    let width = label.width() + 24;
                    if first == last {
                        if *first == 0 {
                            room = room.max(width / 2);
                        }
                        for gap in [first.checked_sub(1), Some(*first)].into_iter().flatten() {
                            if let Some(gap) = gaps.get_mut(gap) {
                                *gap = (*gap).max(width / 2 + BESIDE);
                            }
                        }
                    } else {
                        wide.push((last - first, *first, *last, width - 24));
                    }
                }
                Event::Note(at, _, side, label) => {
                    let width = label.width() + 24 + 2 * PADDING;
                    let gap = match side {
                        Side::Left => at.checked_sub(1),
                        _ => Some(*at),
                    };
                    match gap {
                        None => room = room.max(width),
                        Some(gap) => {
                            if let Some(gap) = gaps.get_mut(gap) {
                                *gap = (*gap).max(width + PADDING);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        // The shortest come first, so that the others already have their space.
        wide.sort_unstable();
        for (steps, first, last, width) in wide {
            let missing = width - gaps[first..last].iter().sum::<i32>();
            if missing > 0 {
                let share = missing / count(steps) + 1;
                gaps[first..last].iter_mut().for_each(|gap| *gap += share);
            }
        }
        let mut x = room + self.depth() * PADDING;
        let mut columns = vec![x];
        for gap in gaps {
            x += gap;
            columns.push(x);
        }
        columns
    }

    /// Returns the greatest number of parts around an event.
    fn depth(&self) -> i32 {
        let (mut depth, mut deepest) = (0, 0);
        for event in &self.events {
            match event {
                Event::Begin(_) => depth += 1,
                Event::End => depth -= 1,
                _ => {}
            }
            deepest = deepest.max(depth);
        }
        deepest
    }
}

/// A picture while events are drawn from top to bottom.
struct Drawing<'a> {
    picture: Picture,
    /// The frames behind everything else.
    back: Vec<(Frame, Area)>,
    y: i32,
    columns: &'a [i32],
    parts: Vec<Part>,
    /// The begins of the bars of each participant.
    active: HashMap<usize, Vec<i32>>,
}

/// A part that has not ended: its texts with their heights, and the left and right ends of what is in it.
struct Part {
    texts: Vec<(i32, Label)>,
    left: i32,
    right: i32,
}

impl Drawing<'_> {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Message {
                ends,
                label,
                stroke,
                tips,
            } => self.message(*ends, label, *stroke, *tips),
            Event::Note(first, last, side, label) => self.note(*first, *last, *side, label),
            Event::Activated(participant) => {
                let start = self.y - BETWEEN;
                self.active.entry(*participant).or_default().push(start);
            }
            Event::Deactivated(participant) => {
                let starts = self.active.entry(*participant).or_default();
                if let Some(start) = starts.pop() {
                    let depth = count(starts.len());
                    let area = bar(self.columns[*participant], depth, start, self.y - BETWEEN);
                    self.back.push((Frame::Active, area));
                }
            }
            Event::Begin(label) => {
                self.parts.push(Part {
                    texts: Vec::new(),
                    left: i32::MAX,
                    right: i32::MIN,
                });
                self.section(label);
            }
            Event::Next(label) => self.section(label),
            Event::End => self.end(),
        }
    }

    /// Begins a section of the innermost part.
    fn section(&mut self, label: &Label) {
        if let Some(part) = self.parts.last_mut() {
            part.texts.push((self.y, label.clone()));
        }
        self.y += label.height() + BETWEEN;
    }

    /// Ends the innermost part.
    fn end(&mut self) {
        let Some(part) = self.parts.pop() else {
            return;
        };
        let is_empty = part.left > part.right;
        let (first, last) = (self.columns.first(), self.columns.last());
        let (left, right) = match (first, last) {
            (Some(first), Some(last)) if is_empty => (*first, *last),
            _ => (part.left, part.right),
        };
        let left = left - PADDING;
        let widths = part.texts.iter().map(|text| text.1.width() + 2 * PADDING);
        let right = (right + PADDING).max(left + widths.max().unwrap_or(0));
        let top = part.texts.first().map_or(self.y, |text| text.0);
        let area = Area {
            x: left,
            y: top,
            width: right - left,
            height: self.y - top,
        };
        self.back.push((Frame::Group, area));
        for (index, (y, label)) in part.texts.into_iter().enumerate() {
            if index > 0 {
                let line = vec![Point { x: left, y }, Point { x: right, y }];
                self.picture.line(Stroke::Dotted, line, false);
            }
            let at = Point {
                x: left + 8,
                y: y + 4 + LINE / 2,
            };
            self.picture.text(Anchor::Start, at, label);
        }
        self.reach(left, right);
        self.y += BETWEEN;
    }

    /// Widens the innermost part.
    fn reach(&mut self, left: i32, right: i32) {
        if let Some(part) = self.parts.last_mut() {
            part.left = part.left.min(left);
            part.right = part.right.max(right);
        }
    }

    fn message(&mut self, ends: [usize; 2], label: &Label, stroke: Stroke, tips: [Tip; 2]) {
        let [from, to] = ends.map(|end| self.columns[end]);
        self.y += label.height();
        let middle = self.y - label.height() / 2;
        let y = self.y + 4;
        let (points, is_right, text) = if ends[0] == ends[1] {
            let far = from + LOOP;
            let points = [
                (from, y),
                (far, y),
                (far, y + LOOP / 2),
                (from, y + LOOP / 2),
            ];
            self.y += LOOP / 2;
            let width = label.width();
            self.reach(from, from + 8 + width.max(LOOP));
            (points.to_vec(), false, from + 8 + width / 2)
        } else {
            self.reach(from.min(to), from.max(to));
            let text = i32::midpoint(from, to);
            let side = label.width() / 2;
            self.reach(text - side, text + side);
            (vec![(from, y), (to, y)], to > from, text)
        };
        let points: Vec<_> = points.into_iter().map(|(x, y)| Point { x, y }).collect();
        let step = Point {
            x: if is_right { 1 } else { -1 },
            y: 0,
        };
        let back = Point { x: -step.x, y: 0 };
        if let [first, .., last] = points[..] {
            self.picture.tip(tips[0], first, back);
            self.picture.tip(tips[1], last, step);
        }
        self.picture.line(stroke, points, false);
        let at = Point { x: text, y: middle };
        self.picture.text(Anchor::Middle, at, label.clone());
        self.y += 4 + BETWEEN;
    }

    fn note(&mut self, first: usize, last: usize, side: Side, label: &Label) {
        let (left, right) = (self.columns[first], self.columns[last]);
        let width = label.width() + 24;
        let (x, width) = match side {
            Side::Over if first == last => (left - width / 2, width),
            Side::Over => {
                let width = width.max(right - left + 2 * PADDING);
                (i32::midpoint(left, right) - width / 2, width)
            }
            Side::Left => (left - width - PADDING, width),
            Side::Right => (right + PADDING, width),
        };
        let area = Area {
            x,
            y: self.y,
            width,
            height: label.height() + 12,
        };
        self.reach(x, x + width);
        self.picture.frame(Frame::Note, area);
        let at = Point {
            x: x + width / 2,
            y: self.y + area.height / 2,
        };
        self.picture.text(Anchor::Middle, at, label.clone());
        self.y += area.height + BETWEEN;
    }
}

/// Returns the bar of an active participant. Bars in bars are moved to the right.
fn bar(column: i32, depth: i32, start: i32, end: i32) -> Area {
    Area {
        x: column - ACTIVE + depth * ACTIVE,
        y: start,
        width: 2 * ACTIVE,
        height: (end - start).max(2 * ACTIVE),
    }
}
