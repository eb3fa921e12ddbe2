//! A graph of nodes in groups: what flowcharts and state diagrams have in common, and how it is drawn.

use super::label::Label;
use super::layers::{self, Arrow, Placed, Spot};
use super::picture::{Anchor, Area, Frame, Outline, Picture, Point, Stroke, Tip};

/// The maximum number of nodes, and of edges.
const MOST_NODES: usize = 120;
pub(super) const MOST_EDGES: usize = 240;
/// The maximum depth of groups in groups.
const DEEPEST: usize = 6;
/// The space between a group's border and its nodes, in pixels.
const PADDING: i32 = 16;
/// The size of the loop of an edge with one end, in pixels.
const LOOP: i32 = 30;

/// The direction in which most edges lead.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Direction {
    #[default]
    Down,
    Up,
    Right,
    Left,
}

impl Direction {
    /// Returns the direction that two letters such as `TD` or `LR` name.
    pub(super) fn read(name: &str) -> Option<Self> {
        Some(match name {
            "TD" | "TB" => Self::Down,
            "BT" => Self::Up,
            "LR" => Self::Right,
            "RL" => Self::Left,
            _ => return None,
        })
    }

    fn is_vertical(self) -> bool {
        matches!(self, Self::Down | Self::Up)
    }

    /// Converts a size to or from one across and along.
    fn turned(self, size: Point) -> Spot {
        if self.is_vertical() {
            Spot {
                across: size.x,
                along: size.y,
            }
        } else {
            Spot {
                across: size.y,
                along: size.x,
            }
        }
    }

    /// Returns the point of a spot in a graph of this size.
    fn point(self, spot: Spot, size: Spot) -> Point {
        let (across, along) = (spot.across, spot.along);
        match self {
            Self::Down => Point {
                x: across,
                y: along,
            },
            Self::Up => Point {
                x: across,
                y: size.along - along,
            },
            Self::Right => Point {
                x: along,
                y: across,
            },
            Self::Left => Point {
                x: size.along - along,
                y: across,
            },
        }
    }
}

/// A node, or a group at an end of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    Node(usize),
    Group(usize),
}

#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) label: Label,
    pub(super) outline: Outline,
    /// The group that contains the node.
    pub(super) group: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Edge {
    pub(super) ends: [Item; 2],
    pub(super) label: Label,
    pub(super) stroke: Stroke,
    pub(super) tips: [Tip; 2],
    /// The number of layers between the ends, at least.
    pub(super) length: usize,
}

/// Nodes with a frame around them.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) title: Label,
    /// The group that contains this group.
    pub(super) parent: Option<usize>,
    pub(super) direction: Option<Direction>,
}

#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) direction: Direction,
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    pub(super) groups: Vec<Group>,
}

/// The area of each node and group, and the way of each edge.
struct Layout {
    nodes: Vec<Area>,
    groups: Vec<Area>,
    edges: Vec<Way>,
}

impl Layout {
    fn area(&self, item: Item) -> Area {
        match item {
            Item::Node(node) => self.nodes[node],
            Item::Group(group) => self.groups[group],
        }
    }
}

/// The way of an edge: its points, the middle of its text, and whether its curves begin and end vertically.
#[derive(Clone, Default)]
struct Way {
    points: Vec<Point>,
    label: Point,
    is_vertical: bool,
}

impl Graph {
    /// Returns the picture of the graph, or `None` if it cannot be drawn: it has no nodes or too many,
    /// something has two edges to itself, or an edge leads from a group to something in the same group.
    pub(super) fn drawn(&self) -> Option<Picture> {
        let is_small = self.nodes.len() <= MOST_NODES && self.edges.len() <= MOST_EDGES;
        if self.nodes.is_empty() || !is_small || self.groups.len() > MOST_NODES {
            return None;
        }
        let mut layout = Layout {
            nodes: vec![Area::default(); self.nodes.len()],
            groups: vec![Area::default(); self.groups.len()],
            edges: vec![Way::default(); self.edges.len()],
        };
        self.place(None, self.direction, 0, &mut layout)?;
        Some(self.picture(&layout))
    }

    /// Places what is directly in a group, or in no group, from the point (0, 0). Returns the size.
    fn place(
        &self,
        group: Option<usize>,
        direction: Direction,
        depth: usize,
        layout: &mut Layout,
    ) -> Option<Point> {
        if depth > DEEPEST {
            return None;
        }
        let mut items = Vec::new();
        let mut sizes = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            if node.group == group {
                items.push(Item::Node(index));
                sizes.push(self.size(index, direction));
            }
        }
        for (index, inner) in self.groups.iter().enumerate() {
            if inner.parent == group {
                items.push(Item::Group(index));
                let direction = inner.direction.unwrap_or(direction);
                let size = self.place(Some(index), direction, depth + 1, layout)?;
                sizes.push(self.framed(index, size, layout));
            }
        }
        let mut arrows = Vec::new();
        let mut of_edges = Vec::new();
        let mut loops = Vec::new();
        for (index, edge) in self.edges.iter().enumerate() {
            let [from, to] = edge.ends.map(|end| self.at_level(end, group));
            let (Some(from), Some(to)) = (from, to) else {
                continue;
            };
            if from == to {
                // A deeper level has the other edges.
                if edge.ends.contains(&from) {
                    let is_second = loops.iter().any(|(item, _)| *item == from);
                    if edge.ends[0] != edge.ends[1] || is_second {
                        return None;
                    }
                    loops.push((from, index));
                    // The text is right of the loop. The same space at the left keeps the item in the middle.
                    let at = items.iter().position(|item| *item == from)?;
                    sizes[at].x += 2 * (LOOP + edge.label.width());
                }
                continue;
            }
            let label = if edge.label.is_empty() {
                Spot::default()
            } else {
                direction.turned(Point {
                    x: edge.label.width() + 8,
                    y: edge.label.height() + 4,
                })
            };
            arrows.push(Arrow {
                from: items.iter().position(|item| *item == from)?,
                to: items.iter().position(|item| *item == to)?,
                length: edge.length,
                label,
            });
            of_edges.push(index);
        }
        let turned: Vec<_> = sizes.iter().map(|size| direction.turned(*size)).collect();
        let placed = layers::place(&turned, &arrows)?;
        self.take(&placed, &items, direction, layout);
        for (item, index) in &loops {
            layout.edges[*index] = around(layout.area(*item), &self.edges[*index].label);
        }
        for (way, index) in placed.ways.iter().zip(of_edges) {
            let point = |spot: &Spot| direction.point(*spot, placed.size);
            layout.edges[index] = Way {
                points: way.spots.iter().map(point).collect(),
                label: point(&way.label),
                is_vertical: direction.is_vertical(),
            };
            self.reach_into(index, group, &loops, layout);
        }
        Some(if direction.is_vertical() {
            Point {
                x: placed.size.across,
                y: placed.size.along,
            }
        } else {
            Point {
                x: placed.size.along,
                y: placed.size.across,
            }
        })
    }

    /// Returns what is directly in `group` and contains an end of an edge. Returns `None` if the end is not in that group.
    fn at_level(&self, end: Item, group: Option<usize>) -> Option<Item> {
        let mut item = end;
        loop {
            let parent = match item {
                Item::Node(node) => self.nodes[node].group,
                Item::Group(group) => self.groups[group].parent,
            };
            if parent == group {
                return Some(item);
            }
            item = Item::Group(parent?);
        }
    }

    /// Returns the size of a node.
    fn size(&self, node: usize, direction: Direction) -> Point {
        let node = &self.nodes[node];
        let (width, height) = (node.label.width(), node.label.height());
        let (x, y) = match node.outline {
            Outline::Rectangle | Outline::Round => (width + 28, height + 18),
            Outline::Stadium | Outline::Hexagon => (width + 28 + height / 2, height + 18),
            Outline::Circle | Outline::DoubleCircle => {
                let across = width.max(height) + 22;
                (across, across)
            }
            Outline::Diamond => (width + width / 4 + 2 * height + 16, 2 * height + 26),
            Outline::Cylinder => (width + 28, height + 32),
            Outline::Subroutine | Outline::Flag => (width + 40, height + 18),
            Outline::LeansRight | Outline::LeansLeft => (width + 34 + height, height + 18),
            Outline::Bar if direction.is_vertical() => (64, 8),
            Outline::Bar => (8, 64),
            Outline::Start | Outline::End => (18, 18),
        };
        Point { x, y }
    }

    /// Moves what is in a group below the group's title, and returns the size of the group.
    fn framed(&self, group: usize, inner: Point, layout: &mut Layout) -> Point {
        let title = &self.groups[group].title;
        let head = if title.is_empty() {
            PADDING
        } else {
            title.height() + 12
        };
        let width = inner.x.max(title.width()) + 2 * PADDING;
        let by = Point {
            x: (width - inner.x) / 2,
            y: head,
        };
        self.shift(group, by, layout);
        let height = head + inner.y.max(PADDING) + PADDING;
        (layout.groups[group].width, layout.groups[group].height) = (width, height);
        Point {
            x: width,
            y: height,
        }
    }

    /// Moves everything in a group.
    fn shift(&self, group: usize, by: Point, layout: &mut Layout) {
        let is_inside = |item| self.at_level(item, Some(group)).is_some();
        for (index, area) in layout.nodes.iter_mut().enumerate() {
            if is_inside(Item::Node(index)) {
                (area.x, area.y) = (area.x + by.x, area.y + by.y);
            }
        }
        for (index, area) in layout.groups.iter_mut().enumerate() {
            if is_inside(Item::Group(index)) {
                (area.x, area.y) = (area.x + by.x, area.y + by.y);
            }
        }
        for (index, way) in layout.edges.iter_mut().enumerate() {
            if self.edges[index].ends.into_iter().all(is_inside) {
                for point in way.points.iter_mut().chain([&mut way.label]) {
                    (point.x, point.y) = (point.x + by.x, point.y + by.y);
                }
            }
        }
    }

    /// Takes over the places of nodes and groups.
    fn take(&self, placed: &Placed, items: &[Item], direction: Direction, layout: &mut Layout) {
        for (item, spot) in items.iter().zip(&placed.nodes) {
            let middle = direction.point(*spot, placed.size);
            match *item {
                Item::Node(node) => {
                    let size = self.size(node, direction);
                    layout.nodes[node] = Area {
                        x: middle.x - size.x / 2,
                        y: middle.y - size.y / 2,
                        width: size.x,
                        height: size.y,
                    };
                }
                Item::Group(group) => {
                    let Area { width, height, .. } = layout.groups[group];
                    let corner = Point {
                        x: middle.x - width / 2,
                        y: middle.y - height / 2,
                    };
                    self.shift(group, corner, layout);
                    (layout.groups[group].x, layout.groups[group].y) = (corner.x, corner.y);
                }
            }
        }
    }

    /// Lengthens the way of an edge whose ends are inside groups, so that it leads to these ends. A node with a loop has
    /// more space than its outline fills, so it is an inner end, too.
    fn reach_into(
        &self,
        edge: usize,
        level: Option<usize>,
        loops: &[(Item, usize)],
        layout: &mut Layout,
    ) {
        for (side, end) in self.edges[edge].ends.into_iter().enumerate() {
            let has_loop = loops.iter().any(|(item, _)| *item == end);
            if self.at_level(end, level) == Some(end) && !has_loop {
                continue;
            }
            let area = layout.area(end);
            let way = &mut layout.edges[edge];
            if side == 1 {
                way.points.reverse();
            }
            if let [first, second, ..] = way.points[..] {
                let center = Point {
                    x: area.x + area.width / 2,
                    y: area.y + area.height / 2,
                };
                // The way leaves the group straight ahead.
                let (start, exit) = if way.is_vertical {
                    let side = (second.y - first.y).signum() * area.height / 2;
                    let start = Point {
                        y: center.y + side,
                        ..center
                    };
                    (
                        start,
                        Point {
                            x: center.x,
                            ..first
                        },
                    )
                } else {
                    let side = (second.x - first.x).signum() * area.width / 2;
                    let start = Point {
                        x: center.x + side,
                        ..center
                    };
                    (
                        start,
                        Point {
                            y: center.y,
                            ..first
                        },
                    )
                };
                way.points.splice(..1, [start, exit]);
                way.points.dedup();
            }
            if side == 1 {
                way.points.reverse();
            }
        }
    }

    fn picture(&self, layout: &Layout) -> Picture {
        let mut picture = Picture::default();
        // A group covers the groups that contain it, and those come first.
        for (group, area) in self.groups.iter().zip(&layout.groups) {
            picture.frame(Frame::Group, *area);
            let at = Point {
                x: area.x + area.width / 2,
                y: area.y + 6 + group.title.height() / 2,
            };
            picture.text(Anchor::Middle, at, group.title.clone());
        }
        for (edge, way) in self.edges.iter().zip(&layout.edges) {
            picture.line(edge.stroke, way.points.clone(), way.is_vertical);
        }
        for (node, area) in self.nodes.iter().zip(&layout.nodes) {
            picture.node(node.outline, *area);
            let at = Point {
                x: area.x + area.width / 2,
                y: area.y + area.height / 2,
            };
            picture.text(Anchor::Middle, at, node.label.clone());
        }
        for (edge, way) in self.edges.iter().zip(&layout.edges) {
            let ends = [way.points.first_chunk(), way.points.last_chunk()];
            for ((side, tip), end) in edge.tips.into_iter().enumerate().zip(ends) {
                let Some(&[first, second]) = end else {
                    continue;
                };
                let (before, last) = if side == 0 {
                    (second, first)
                } else {
                    (first, second)
                };
                let (x, y) = ((last.x - before.x).signum(), (last.y - before.y).signum());
                let direction = if way.is_vertical {
                    Point { x: 0, y }
                } else {
                    Point { x, y: 0 }
                };
                picture.tip(tip, last, direction);
            }
            if !edge.label.is_empty() {
                picture.text(Anchor::Middle, way.label, edge.label.clone());
            }
        }
        picture
    }
}

/// Returns the way from the right side of an area back to that side.
fn around(area: Area, label: &Label) -> Way {
    let right = area.x + area.width;
    let (upper, lower) = (area.y + area.height / 4, area.y + area.height * 3 / 4);
    let far = right + LOOP - 8;
    let middle = i32::midpoint(upper, lower);
    Way {
        points: vec![
            Point { x: right, y: upper },
            Point { x: far, y: upper },
            Point { x: far, y: lower },
            Point { x: right, y: lower },
        ],
        label: Point {
            x: far + 4 + label.width() / 2,
            y: middle,
        },
        is_vertical: false,
    }
}
