//! A picture: lines, outlines and texts at places, and how they are written as SVG.

use std::io::{self, Write};

use super::super::Html;
use super::label::{LINE, Label};

/// The space around a picture, in pixels.
const MARGIN: i32 = 8;
/// The length of an arrowhead, in pixels.
pub(super) const HEAD: i32 = 9;

/// A point, or a size. Everything in a picture is in pixels, from the upper left corner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) x: i32,
    pub(super) y: i32,
}

/// A rectangle, from its upper left corner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) width: i32,
    pub(super) height: i32,
}

/// The outline of a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Outline {
    #[default]
    Rectangle,
    /// A rectangle with round corners.
    Round,
    /// A rectangle whose short sides are half circles.
    Stadium,
    Circle,
    /// Two circles.
    DoubleCircle,
    Diamond,
    Hexagon,
    Cylinder,
    /// A rectangle with two lines at its sides.
    Subroutine,
    /// A rectangle with a notch at the left.
    Flag,
    /// A parallelogram that leans to the right.
    LeansRight,
    /// A parallelogram that leans to the left.
    LeansLeft,
    /// A bar, where states divide or come together.
    Bar,
    /// The disc at which a state diagram starts.
    Start,
    /// The disc at which a state diagram ends.
    End,
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Stroke {
    #[default]
    Plain,
    Dotted,
    Thick,
    /// The line only keeps its two ends in their order.
    Invisible,
}

/// The sign at the end of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Tip {
    #[default]
    None,
    Arrow,
    /// An arrow of two lines.
    Open,
    Cross,
    Circle,
}

/// What a rectangle stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    /// A group of nodes, or a part of a sequence.
    Group,
    Note,
    /// The time in which a participant is active.
    Active,
}

/// The place of a text at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    /// The point is the middle of the text.
    Middle,
    /// The point is the left end of the first line, at half of its height.
    Start,
}

/// A picture. What is added later covers what was added before.
#[derive(Debug, Default)]
pub(super) struct Picture {
    shapes: Vec<Shape>,
    /// The right and lower ends of everything in the picture.
    size: Point,
}

#[derive(Debug)]
enum Shape {
    Frame(Frame, Area),
    Node(Outline, Area),
    /// A line through points. Where the next point is not straight ahead, the line is a curve that begins and ends
    /// vertically (`true`) or horizontally.
    Line(Stroke, Vec<Point>, bool),
    /// The sign at a point. The second point is the direction of the line there.
    Tip(Tip, Point, Point),
    Text(Anchor, Point, Label),
}

impl Picture {
    pub(super) fn width(&self) -> i32 {
        self.size.x + 2 * MARGIN
    }

    pub(super) fn height(&self) -> i32 {
        self.size.y + 2 * MARGIN
    }

    fn reach(&mut self, x: i32, y: i32) {
        self.size = Point {
            x: self.size.x.max(x),
            y: self.size.y.max(y),
        };
    }

    pub(super) fn frame(&mut self, frame: Frame, area: Area) {
        self.reach(area.x + area.width, area.y + area.height);
        self.shapes.push(Shape::Frame(frame, area));
    }

    pub(super) fn node(&mut self, outline: Outline, area: Area) {
        self.reach(area.x + area.width, area.y + area.height);
        self.shapes.push(Shape::Node(outline, area));
    }

    pub(super) fn line(&mut self, stroke: Stroke, points: Vec<Point>, is_vertical: bool) {
        for point in &points {
            self.reach(point.x, point.y);
        }
        self.shapes.push(Shape::Line(stroke, points, is_vertical));
    }

    pub(super) fn tip(&mut self, tip: Tip, at: Point, direction: Point) {
        if tip != Tip::None {
            self.shapes.push(Shape::Tip(tip, at, direction));
        }
    }

    pub(super) fn text(&mut self, anchor: Anchor, at: Point, label: Label) {
        let width = match anchor {
            Anchor::Middle => label.width() / 2,
            Anchor::Start => label.width(),
        };
        self.reach(at.x + width, at.y + label.height() / 2);
        self.shapes.push(Shape::Text(anchor, at, label));
    }
}

impl Picture {
    /// Adds another picture, which covers this one.
    pub(super) fn append(&mut self, other: Self) {
        self.reach(other.size.x, other.size.y);
        self.shapes.extend(other.shapes);
    }
}

/// Converts a count that a limit keeps small.
pub(super) fn count(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

impl<W: Write> Html<W> {
    /// Writes a picture as SVG. The style sheet has its colors.
    pub(super) fn picture(&mut self, picture: &Picture) -> io::Result<()> {
        let (width, height) = (picture.width(), picture.height());
        write!(
            self.out,
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"-{MARGIN} -{MARGIN} {width} {height}\" role=\"img\" aria-label=\"Diagram\">"
        )?;
        for shape in &picture.shapes {
            match shape {
                Shape::Frame(frame, area) => {
                    let class = match frame {
                        Frame::Group => "group",
                        Frame::Note => "remark",
                        Frame::Active => "active",
                    };
                    self.rectangle(class, *area, 3)?;
                }
                Shape::Node(outline, area) => self.outline(*outline, *area)?,
                Shape::Line(stroke, points, is_vertical) => {
                    let class = match stroke {
                        Stroke::Plain => "edge",
                        Stroke::Dotted => "edge dotted",
                        Stroke::Thick => "edge thick",
                        Stroke::Invisible => continue,
                    };
                    write!(self.out, "<path class=\"{class}\" d=\"")?;
                    self.curve(points, *is_vertical)?;
                    self.raw("\"/>")?;
                }
                Shape::Tip(tip, at, direction) => self.sign(*tip, *at, *direction)?,
                Shape::Text(anchor, at, label) => self.lines_of_text(*anchor, *at, label)?,
            }
        }
        self.raw("</svg>")
    }

    fn rectangle(&mut self, class: &'static str, area: Area, radius: i32) -> io::Result<()> {
        let Area {
            x,
            y,
            width,
            height,
        } = area;
        write!(
            self.out,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\"/>"
        )
    }

    fn circle(&mut self, class: &'static str, area: Area, inset: i32) -> io::Result<()> {
        let (x, y) = (area.x + area.width / 2, area.y + area.height / 2);
        let radius = area.width.min(area.height) / 2 - inset;
        write!(
            self.out,
            "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>"
        )
    }

    fn polygon(&mut self, class: &'static str, points: &[(i32, i32)]) -> io::Result<()> {
        write!(self.out, "<path class=\"{class}\" d=\"M")?;
        for (x, y) in points {
            write!(self.out, "{x} {y} ")?;
        }
        self.raw("z\"/>")
    }

    fn outline(&mut self, outline: Outline, area: Area) -> io::Result<()> {
        let Area {
            x,
            y,
            width,
            height,
        } = area;
        let (right, low) = (x + width, y + height);
        let (center, middle) = (x + width / 2, y + height / 2);
        match outline {
            Outline::Rectangle => self.rectangle("node", area, 2),
            Outline::Round => self.rectangle("node", area, 8),
            Outline::Stadium => self.rectangle("node", area, height / 2),
            Outline::Circle => self.circle("node", area, 0),
            Outline::DoubleCircle => {
                self.circle("node", area, 0)?;
                self.circle("node", area, 4)
            }
            Outline::Diamond => self.polygon(
                "node",
                &[(center, y), (right, middle), (center, low), (x, middle)],
            ),
            Outline::Hexagon => {
                let cut = height / 3;
                let (left, end) = (x + cut, right - cut);
                self.polygon(
                    "node",
                    &[
                        (left, y),
                        (end, y),
                        (right, middle),
                        (end, low),
                        (left, low),
                        (x, middle),
                    ],
                )
            }
            Outline::Cylinder => {
                let (half, top, bottom) = (width / 2, y + 6, low - 6);
                write!(
                    self.out,
                    "<path class=\"node\" d=\"M{x} {top}A{half} 6 0 0 1 {right} {top}V{bottom}A{half} 6 0 0 1 {x} {bottom}zA{half} 6 0 0 0 {right} {top}\"/>"
                )
            }
            Outline::Subroutine => {
                self.rectangle("node", area, 2)?;
                let (left, end) = (x + 7, right - 7);
                write!(
                    self.out,
                    "<path class=\"edge\" d=\"M{left} {y}V{low}M{end} {y}V{low}\"/>"
                )
            }
            Outline::Flag => {
                let notch = x + height / 3;
                self.polygon(
                    "node",
                    &[(x, y), (right, y), (right, low), (x, low), (notch, middle)],
                )
            }
            Outline::LeansRight => {
                let cut = height / 2;
                self.polygon(
                    "node",
                    &[(x + cut, y), (right, y), (right - cut, low), (x, low)],
                )
            }
            Outline::LeansLeft => {
                let cut = height / 2;
                self.polygon(
                    "node",
                    &[(x, y), (right - cut, y), (right, low), (x + cut, low)],
                )
            }
            Outline::Bar => self.rectangle("tip", area, 2),
            Outline::Start => self.circle("tip", area, 0),
            Outline::End => {
                self.circle("node", area, 0)?;
                self.circle("tip", area, 4)
            }
        }
    }

    /// Writes the commands of a path through points.
    fn curve(&mut self, points: &[Point], is_vertical: bool) -> io::Result<()> {
        let mut last: Option<Point> = None;
        for &Point { x, y } in points {
            match last {
                None => write!(self.out, "M{x} {y}")?,
                Some(last) if last.x == x || last.y == y => write!(self.out, "L{x} {y}")?,
                Some(last) if is_vertical => {
                    let middle = i32::midpoint(last.y, y);
                    write!(self.out, "C{} {middle} {x} {middle} {x} {y}", last.x)?;
                }
                Some(last) => {
                    let middle = i32::midpoint(last.x, x);
                    write!(self.out, "C{middle} {} {middle} {y} {x} {y}", last.y)?;
                }
            }
            last = Some(Point { x, y });
        }
        Ok(())
    }

    /// Writes the sign at the end of a line. `to` has the direction of the line: -1, 0 or 1 on each axis.
    fn sign(&mut self, tip: Tip, at: Point, to: Point) -> io::Result<()> {
        let back = |length: i32, side: i32| {
            (
                at.x - to.x * length - to.y * side,
                at.y - to.y * length + to.x * side,
            )
        };
        match tip {
            Tip::None => Ok(()),
            Tip::Arrow => self.polygon("tip", &[(at.x, at.y), back(HEAD, 4), back(HEAD, -4)]),
            Tip::Open => {
                let ((ax, ay), (bx, by)) = (back(HEAD, 5), back(HEAD, -5));
                write!(
                    self.out,
                    "<path class=\"edge\" d=\"M{ax} {ay}L{} {}L{bx} {by}\"/>",
                    at.x, at.y
                )
            }
            Tip::Cross => {
                let ((ax, ay), (bx, by)) = (back(HEAD, 4), back(1, -4));
                let ((cx, cy), (dx, dy)) = (back(HEAD, -4), back(1, 4));
                write!(
                    self.out,
                    "<path class=\"edge thick\" d=\"M{ax} {ay}L{bx} {by}M{cx} {cy}L{dx} {dy}\"/>"
                )
            }
            Tip::Circle => {
                let (x, y) = back(4, 0);
                write!(
                    self.out,
                    "<circle class=\"tip\" cx=\"{x}\" cy=\"{y}\" r=\"4\"/>"
                )
            }
        }
    }

    fn lines_of_text(&mut self, anchor: Anchor, at: Point, label: &Label) -> io::Result<()> {
        let (class, first) = match anchor {
            Anchor::Middle => ("", at.y - (label.height() - LINE) / 2),
            Anchor::Start => (" class=\"start\"", at.y),
        };
        for (line, text) in label.lines.iter().enumerate() {
            // The letters stand on a line below the middle.
            let y = first + LINE * count(line) + 5;
            write!(self.out, "<text{class} x=\"{}\" y=\"{y}\">", at.x)?;
            self.text(text)?;
            self.raw("</text>")?;
        }
        Ok(())
    }
}
