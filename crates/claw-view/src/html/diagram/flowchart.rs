//! Reads flowcharts.

use std::collections::HashMap;

use super::graph::{Direction, Edge, Graph, Group, Item, MOST_EDGES, Node};
use super::label::Label;
use super::picture::{Outline, Stroke, Tip};

/// The statements that do not change what a flowchart says: colors, the effect of a click, and texts for screen readers.
const IGNORED: [&str; 7] = [
    "classDef",
    "class",
    "style",
    "linkStyle",
    "click",
    "accTitle:",
    "accDescr:",
];

/// The outlines of nodes, with the characters before and after their texts. Longer beginnings come before
/// shorter ones.
const OUTLINES: [(&str, &str, Outline); 14] = [
    ("(((", ")))", Outline::DoubleCircle),
    ("((", "))", Outline::Circle),
    ("([", "])", Outline::Stadium),
    ("(", ")", Outline::Round),
    ("[[", "]]", Outline::Subroutine),
    ("[(", ")]", Outline::Cylinder),
    ("[/", "/]", Outline::LeansRight),
    ("[/", "\\]", Outline::Rectangle),
    ("[\\", "\\]", Outline::LeansLeft),
    ("[\\", "/]", Outline::Rectangle),
    ("[", "]", Outline::Rectangle),
    ("{{", "}}", Outline::Hexagon),
    ("{", "}", Outline::Diamond),
    (">", "]", Outline::Flag),
];

/// The kinds of edges: the characters with which an edge begins, the character that makes it longer, and the characters before
/// the sign at its end.
const STROKES: [(&str, char, &str, Stroke); 4] = [
    ("--", '-', "--", Stroke::Plain),
    ("==", '=', "==", Stroke::Thick),
    ("-.", '.', ".-", Stroke::Dotted),
    ("~~~", '~', "~~~", Stroke::Invisible),
];

/// Reads a flowchart. Returns `None` if it has a statement that is not known.
pub(super) fn read(source: &str) -> Option<Graph> {
    let mut reader = Reader {
        rest: source,
        graph: Graph::default(),
        names: HashMap::new(),
        open: Vec::new(),
        subgraphs: 0,
    };
    // Edges may name a group before its statement.
    for line in source.lines() {
        if let Some(head) = line.trim().strip_prefix("subgraph ") {
            let (name, _) = subgraph(head)?;
            let group = Item::Group(reader.graph.groups.len());
            reader.names.insert(name, group);
            reader.graph.groups.push(Group::default());
        }
    }
    while reader.skip_to_statement() {
        reader.statement()?;
    }
    let is_whole = reader.open.is_empty() && reader.subgraphs == reader.graph.groups.len();
    is_whole.then_some(reader.graph)
}

/// Returns the name of a group, and its title.
fn subgraph(head: &str) -> Option<(&str, Label)> {
    let head = head.trim().trim_end_matches(';').trim_end();
    let (name, title) = match head.split_once('[') {
        Some((name, title)) => (name.trim_end(), title.strip_suffix(']')?),
        None => (head.trim_matches('"'), head),
    };
    Some((name, Label::read(title)?))
}

struct Reader<'a> {
    rest: &'a str,
    graph: Graph,
    names: HashMap<&'a str, Item>,
    /// The groups that contain the next statement, the innermost last.
    open: Vec<usize>,
    /// The number of groups whose statements were read.
    subgraphs: usize,
}

impl<'a> Reader<'a> {
    /// Skips space and comments. Returns `false` at the end of the diagram.
    fn skip_to_statement(&mut self) -> bool {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n', ';']);
            if !self.rest.starts_with("%%") {
                return !self.rest.is_empty();
            }
            self.line();
        }
    }

    /// Takes the rest of the line.
    fn line(&mut self) -> &'a str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line.trim()
    }

    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    /// Takes these characters if they are next.
    fn takes(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn statement(&mut self) -> Option<()> {
        let is_end = |c: char| c.is_whitespace() || c == ';';
        let word = self.rest.split(is_end).next().unwrap_or_default();
        match word {
            "graph" | "flowchart" => {
                self.rest = &self.rest[word.len()..];
                self.skip_spaces();
                let name = self.rest.split(is_end).next().unwrap_or_default();
                self.rest = &self.rest[name.len()..];
                if !name.is_empty() {
                    self.graph.direction = Direction::read(name)?;
                }
                Some(())
            }
            "subgraph" => {
                let line = self.line();
                let (_, title) = subgraph(&line["subgraph".len()..])?;
                let group = self.graph.groups.get_mut(self.subgraphs)?;
                group.title = title;
                group.parent = self.open.last().copied();
                self.open.push(self.subgraphs);
                self.subgraphs += 1;
                Some(())
            }
            "end" => {
                self.rest = &self.rest[word.len()..];
                self.open.pop().map(|_| ())
            }
            "direction" => {
                let line = self.line();
                let direction =
                    Direction::read(line["direction".len()..].trim_matches([' ', ';']))?;
                match self.open.last() {
                    Some(group) => self.graph.groups[*group].direction = Some(direction),
                    None => self.graph.direction = direction,
                }
                Some(())
            }
            word if IGNORED.contains(&word) => {
                self.line();
                Some(())
            }
            _ => self.chain(),
        }
    }

    /// Reads nodes, and edges between them.
    fn chain(&mut self) -> Option<()> {
        let mut from = self.items()?;
        loop {
            self.skip_spaces();
            if self.rest.is_empty() || self.rest.starts_with(['\n', '\r', ';']) {
                return Some(());
            }
            let edge = self.edge()?;
            self.skip_spaces();
            let to = self.items()?;
            // A short line such as `a & b --> c & d` has the product of its nodes as edges.
            if self.graph.edges.len() + from.len() * to.len() > MOST_EDGES {
                return None;
            }
            for start in &from {
                for end in &to {
                    self.graph.edges.push(Edge {
                        ends: [*start, *end],
                        label: edge.label.clone(),
                        ..edge
                    });
                }
            }
            from = to;
        }
    }

    /// Reads nodes with `&` between them.
    fn items(&mut self) -> Option<Vec<Item>> {
        let mut items = vec![self.item()?];
        loop {
            self.skip_spaces();
            if !self.takes("&") {
                return Some(items);
            }
            self.skip_spaces();
            items.push(self.item()?);
        }
    }

    /// Reads a node, or the name of a group.
    fn item(&mut self) -> Option<Item> {
        let name = self.name()?;
        let has_shape = self.rest.starts_with(['[', '(', '{', '>', '@']);
        let shape = if has_shape { Some(self.shape()?) } else { None };
        if self.takes(":::") {
            self.name()?;
        }
        let group = self.open.last().copied();
        let item = *self.names.entry(name).or_insert_with(|| {
            self.graph.nodes.push(Node::default());
            Item::Node(self.graph.nodes.len() - 1)
        });
        if let Item::Node(index) = item {
            let node = &mut self.graph.nodes[index];
            node.group = node.group.or(group);
            if let Some((outline, label)) = shape {
                (node.outline, node.label) = (outline, label);
            } else if node.label.is_empty() {
                node.label = Label::read(name)?;
            }
        } else if shape.is_some() {
            return None;
        }
        Some(item)
    }

    /// Takes the name of a node: letters, digits and `_`, and `-`, `.` and `/` between them.
    fn name(&mut self) -> Option<&'a str> {
        let mut end = 0;
        let mut characters = self.rest.char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            let is_before_letter = characters
                .peek()
                .is_some_and(|(_, next)| next.is_alphanumeric() || *next == '_');
            let is_part = c.is_alphanumeric()
                || c == '_'
                || (at > 0 && matches!(c, '-' | '.' | '/') && is_before_letter);
            if !is_part {
                break;
            }
            end = at + c.len_utf8();
        }
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!name.is_empty()).then_some(name)
    }

    /// Reads the outline and the text of a node. Returns `None` for a text that does not end, and for a shape of a newer
    /// version.
    fn shape(&mut self) -> Option<(Outline, Label)> {
        for (start, end, outline) in OUTLINES {
            let Some(rest) = self.rest.strip_prefix(start) else {
                continue;
            };
            let length = match rest.trim_start().strip_prefix('"') {
                Some(quoted) => {
                    let quote = rest.len() - quoted.len() + quoted.find('"')?;
                    let after = rest[quote + 1..].trim_start();
                    after.starts_with(end).then_some(rest.len() - after.len())
                }
                None => rest.find(end).filter(|at| !rest[..*at].contains('\n')),
            };
            if let Some(length) = length {
                self.rest = &rest[length + end.len()..];
                return Some((outline, Label::read(&rest[..length])?));
            }
        }
        None
    }

    /// Reads an edge: its sign at the start, its line with a text, its sign at the end.
    fn edge(&mut self) -> Option<Edge> {
        let mut tips = [Tip::None; 2];
        if let Some(tip) = self.rest.chars().next()
            && matches!(tip, '<' | 'o' | 'x')
            && STROKES
                .iter()
                .any(|stroke| self.rest[1..].starts_with(stroke.0))
        {
            tips[0] = sign(tip);
            self.rest = &self.rest[1..];
        }
        let (start, repeated, before_sign, stroke) = STROKES
            .into_iter()
            .find(|stroke| self.rest.starts_with(stroke.0))?;
        let mut label = Label::default();
        let mut whole = self.line_of_edge(repeated);
        if whole.is_none() {
            // The text is in the line: `-- text -->`.
            self.rest = &self.rest[start.len()..];
            let end = self.rest.find(before_sign)?;
            let text = &self.rest[..end];
            if text.contains('\n') {
                return None;
            }
            label = Label::read(text)?;
            self.rest = &self.rest[end..];
            whole = self.line_of_edge(repeated);
        }
        let (length, tip) = whole?;
        tips[1] = tip;
        self.skip_spaces();
        if self.takes("|") {
            let end = self.rest.find('|')?;
            label = Label::read(&self.rest[..end])?;
            self.rest = &self.rest[end + 1..];
        }
        Some(Edge {
            ends: [Item::Node(0); 2],
            label,
            stroke,
            tips,
            length,
        })
    }

    /// Takes the line of an edge without a text, with the sign at its end. Returns its length in layers. Takes nothing if
    /// the line is not complete.
    fn line_of_edge(&mut self, repeated: char) -> Option<(usize, Tip)> {
        let (line, rest) = if repeated == '.' {
            // `-.->`, or `.->` after a text.
            let dots = self.rest.strip_prefix('-').unwrap_or(self.rest);
            let rest = dots.trim_start_matches('.');
            (dots.len() - rest.len(), rest.strip_prefix('-')?)
        } else {
            let rest = self.rest.trim_start_matches(repeated);
            (self.rest.len() - rest.len(), rest)
        };
        let tip = rest.chars().next();
        let tip = tip.filter(|tip| matches!(tip, '>' | 'o' | 'x'));
        // The least line without a sign is longer by one character.
        let least = match (repeated, tip) {
            ('.', _) => 1,
            ('-' | '=', Some(_)) => 2,
            _ => 3,
        };
        let length = (line + 1).checked_sub(least).filter(|length| *length > 0)?;
        self.rest = match tip {
            Some(_) => &rest[1..],
            None => rest,
        };
        Some((length, tip.map_or(Tip::None, sign)))
    }
}

/// Returns the sign at an end of an edge.
fn sign(tip: char) -> Tip {
    match tip {
        'o' => Tip::Circle,
        'x' => Tip::Cross,
        _ => Tip::Arrow,
    }
}
