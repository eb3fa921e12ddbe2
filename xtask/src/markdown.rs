//! Links and headings of Markdown.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A link or an image.
#[derive(Debug, PartialEq)]
pub(crate) struct Link {
    /// The target, in the form in which it is written in the text.
    pub(crate) target: String,
    /// Whether it is an image: `![text](target)`.
    pub(crate) is_image: bool,
    /// The range of the whole link in the text, `[text](target)`.
    pub(crate) range: Range<usize>,
}

/// Returns all links and images of a text, in the order of their beginnings. Links in code are ignored.
pub(crate) fn links(text: &str) -> Vec<Link> {
    let link = |(event, range)| match event {
        Event::Start(Tag::Link { dest_url, .. }) => Some(Link {
            target: dest_url.into_string(),
            is_image: false,
            range,
        }),
        Event::Start(Tag::Image { dest_url, .. }) => Some(Link {
            target: dest_url.into_string(),
            is_image: true,
            range,
        }),
        _ => None,
    };
    parser(text).into_offset_iter().filter_map(link).collect()
}

/// Returns the anchors of the headings, as GitHub and mdBook create them. If two headings have the same text, the
/// anchor of the second one ends with `-1`.
pub(crate) fn anchors(text: &str) -> Vec<String> {
    let (mut anchors, mut seen) = (Vec::new(), HashMap::<String, usize>::new());
    let mut heading = None;
    for event in parser(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&part);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let anchor = anchor(&heading.take().unwrap_or_default());
                let before = seen.entry(anchor.clone()).or_default();
                anchors.push(match *before {
                    0 => anchor,
                    times => format!("{anchor}-{times}"),
                });
                *before += 1;
            }
            _ => {}
        }
    }
    anchors
}

fn anchor(heading: &str) -> String {
    let kept = heading
        .trim()
        .chars()
        .filter(|&c| c.is_alphanumeric() || " -_".contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c })
        .flat_map(char::to_lowercase)
        .collect()
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

/// Whether a target is outside of the project.
pub(crate) fn is_elsewhere(target: &str) -> bool {
    target.contains("://") || target.starts_with("mailto:")
}

/// Converts a relative target to a path from the root. Returns `None` for a target outside of the project.
pub(crate) fn resolve(from: &str, target: &str) -> Option<PathBuf> {
    let mut path = Path::new(from).parent()?.to_owned();
    for part in Path::new(target).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::ParentDir if !path.pop() => return None,
            _ => {}
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests;
