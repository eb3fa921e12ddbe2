//! Draws sequence diagrams.

use std::collections::HashMap;

use super::super::label::{LINE, Label};
use super::super::picture::{
    Anchor, Area, Frame, HEAD, Outline, Picture, Point, Stroke, Tip, count,
};
use super::{Event, Sequence, Side};

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

impl Sequence {
    /// Returns the picture of the sequence.
    pub(in super::super) fn drawn(&self) -> Picture {
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
                Event::Note(first, last, Side::On, label) => {
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
            Side::On if first == last => (left - width / 2, width),
            Side::On => {
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
