//! Reads state diagrams.

use std::collections::HashMap;

use super::graph::{Direction, Edge, Graph, Group, Item, Node};
use super::label::Label;
use super::picture::{Outline, Stroke, Tip};

/// Reads a state diagram from the lines after its first. Returns `None` if it has a statement that is not known.
pub(super) fn read<'a>(lines: impl Iterator<Item = &'a str> + Clone) -> Option<Graph> {
    let mut reader = Reader::default();
    // Edges may name a state before its contents.
    for line in lines.clone() {
        if let Some((name, _)) = line.strip_prefix("state ").and_then(opened) {
            let group = Item::Group(reader.graph.groups.len());
            if reader.names.insert(name, group).is_some() {
                return None;
            }
            reader.graph.groups.push(Group::default());
        }
    }
    for line in lines {
        // A class of colors could be anywhere.
        if line.contains(":::") {
            return None;
        }
        reader.statement(line.trim_end_matches(';').trim_end())?;
    }
    reader.open.is_empty().then_some(reader.graph)
}

#[derive(Default)]
struct Reader<'a> {
    graph: Graph,
    names: HashMap<&'a str, Item>,
    /// The states that contain the next statement, the innermost last.
    open: Vec<usize>,
    /// The first and last discs of each state that contains others, and of the whole diagram.
    discs: HashMap<(Option<usize>, bool), Item>,
}

impl<'a> Reader<'a> {
    fn statement(&mut self, line: &'a str) -> Option<()> {
        if let Some(name) = line.strip_prefix("direction ") {
            let direction = Direction::read(name.trim())?;
            match self.open.last() {
                Some(group) => self.graph.groups[*group].direction = Some(direction),
                None => self.graph.direction = direction,
            }
        } else if line == "}" {
            self.open.pop()?;
        } else if let Some(state) = line.strip_prefix("state ") {
            self.declaration(state.trim())?;
        } else if line.starts_with("classDef ") || line.starts_with("class ") {
            // Colors do not change what the diagram says.
        } else if let Some((from, to)) = line.split_once("-->") {
            let (to, text) = to.split_once(':').unwrap_or((to, ""));
            let ends = [self.end(from.trim(), true)?, self.end(to.trim(), false)?];
            self.graph.edges.push(Edge {
                ends,
                label: Label::read(text)?,
                stroke: Stroke::Plain,
                tips: [Tip::None, Tip::Arrow],
                length: 1,
            });
        } else if let Some((name, text)) = line.split_once(':') {
            let item = self.named(name.trim())?;
            let label = Label::read(text)?;
            let own = match item {
                Item::Node(node) => &mut self.graph.nodes[node].label,
                Item::Group(group) => &mut self.graph.groups[group].title,
            };
            // A second text would stand beside the first one.
            if !own.is_empty() && *own != Label::read(name.trim())? {
                return None;
            }
            *own = label;
        } else {
            self.named(line)?;
        }
        Some(())
    }

    /// Reads the rest of `state NAME`, `state "text" as NAME`, `state NAME <<fork>>` or `state NAME {`.
    fn declaration(&mut self, state: &'a str) -> Option<()> {
        if let Some((name, text)) = opened(state) {
            let Some(&Item::Group(index)) = self.names.get(name) else {
                return None;
            };
            let group = &mut self.graph.groups[index];
            group.title = Label::read(if text.is_empty() { name } else { text })?;
            group.parent = self.open.last().copied();
            self.open.push(index);
            return is_name(name).then_some(());
        }
        let (state, text) = named_text(state)?;
        let (name, outline) = match state.split_once("<<") {
            Some((name, kind)) => {
                let outline = match kind {
                    "choice>>" => Outline::Diamond,
                    "fork>>" | "join>>" => Outline::Bar,
                    _ => return None,
                };
                (name.trim_end(), Some(outline))
            }
            None => (state, None),
        };
        let Item::Node(node) = self.named(name)? else {
            return None;
        };
        let node = &mut self.graph.nodes[node];
        if let Some(outline) = outline {
            (node.outline, node.label) = (outline, Label::default());
        } else if !text.is_empty() {
            node.label = Label::read(text)?;
        }
        Some(())
    }

    /// Returns the state at an end of an edge. `[*]` is the first or the last state.
    fn end(&mut self, name: &'a str, is_start: bool) -> Option<Item> {
        if name != "[*]" {
            return self.named(name);
        }
        let group = self.open.last().copied();
        let outline = if is_start {
            Outline::Start
        } else {
            Outline::End
        };
        let item = *self.discs.entry((group, is_start)).or_insert_with(|| {
            let label = Label::default();
            self.graph.nodes.push(Node {
                label,
                outline,
                group,
            });
            Item::Node(self.graph.nodes.len() - 1)
        });
        Some(item)
    }

    /// Returns the state with this name.
    fn named(&mut self, name: &'a str) -> Option<Item> {
        if !is_name(name) {
            return None;
        }
        if let Some(item) = self.names.get(name) {
            return Some(*item);
        }
        let item = Item::Node(self.graph.nodes.len());
        self.names.insert(name, item);
        self.graph.nodes.push(Node {
            label: Label::read(name)?,
            outline: Outline::Round,
            group: self.open.last().copied(),
        });
        Some(item)
    }
}

/// Returns the name and the text of a state whose contents begin, from the rest of `state NAME {`.
fn opened(state: &str) -> Option<(&str, &str)> {
    named_text(state.trim().strip_suffix('{')?)
}

/// Returns the name and the text of a state, from `NAME` or `"text" as NAME`.
fn named_text(state: &str) -> Option<(&str, &str)> {
    let state = state.trim();
    let Some(quoted) = state.strip_prefix('"') else {
        return Some((state, ""));
    };
    let (text, name) = quoted.split_once('"')?;
    Some((name.trim_start().strip_prefix("as ")?.trim(), text))
}

fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    !name.is_empty() && !name.starts_with('-') && name.chars().all(is_part)
}
