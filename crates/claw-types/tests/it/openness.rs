//! What a newer CLI may say: on any recorded line, anywhere, a kind, a value or a field that nobody
//! knows is kept, can be reached and is sent on.

use std::sync::LazyLock;

use claw_types::{FromLine, StdinMessage, StdoutMessage, from_line, json_equal};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::kinds;
use crate::support::recorded;

/// A recorded line as a tree, and whether it went to `claude`.
struct Line {
    name: String,
    to_claude: bool,
    tree: Value,
}

/// Every recorded line that a tree can hold, and one of each kind.
static LINES: LazyLock<Vec<Line>> = LazyLock::new(|| {
    let mut lines = Vec::new();
    for (file, to_claude) in [("stdout.ndjson", false), ("stdin.ndjson", true)] {
        lines.extend(recorded(file).into_iter().filter_map(|sample| {
            let tree = serde_json::from_str(&sample.line).ok()?;
            let name = sample.name;
            Some(Line {
                name,
                to_claude,
                tree,
            })
        }));
    }
    lines.extend(kinds::all().into_iter().map(|(kind, built)| Line {
        name: kind.to_owned(),
        to_claude: false,
        tree: serde_json::to_value(built).unwrap(),
    }));
    lines
});

/// What nobody knows.
const TOMORROW: &str = "of tomorrow";

/// Tags that are no choice: with another, the line is malformed, and said to be.
fn is_fixed(path: &str) -> bool {
    let is_pending = path.starts_with("response.pending_") && path.ends_with("].type");
    // A property of what is listed, not a choice among forms.
    let is_listed = path.starts_with("context_usage.") || path.starts_with("metadata.artifacts[");
    is_pending || is_listed || ["message.type", "event.message.type"].contains(&path)
}

/// Where something can be put.
#[derive(Debug, Clone)]
struct Place {
    pointer: String,
    /// As an error names it.
    path: String,
}

/// What `Debug` does not show.
fn is_secret(path: &str) -> bool {
    let path = format!(".{path}");
    [
        ".env",
        ".headers",
        ".variables",
        ".settings",
        ".managedSettings",
        ".callbackUrl",
        ".extraArgs",
        ".pluginConfigs",
    ]
    .iter()
    .any(|secret| path.contains(secret))
}

/// Objects whose keys are data, and whose values are all of one type: of tomorrow is a key.
fn is_map(path: &str) -> bool {
    const MAPS: [&str; 14] = [
        "content_by_id",
        "modelUsage",
        "model_usage_since_last_result",
        "by_type",
        "hooks",
        "agents",
        "mcpServers",
        "servers",
        "sdkMcpServerConfigs",
        "sdkMcpServerManifests",
        "toolAliases",
        "variables",
        "env",
        "headers",
    ];
    MAPS.contains(&path.rsplit('.').next().unwrap_or_default())
}

/// The places that a tree has, by what stands there.
#[derive(Default)]
struct Places {
    texts: Vec<Place>,
    objects: Vec<Place>,
    /// Objects that are told apart by a tag: a block, an event, a delta, a request, an update …
    tagged: Vec<Place>,
}

impl Places {
    fn of(tree: &Value) -> Self {
        let mut places = Self::default();
        places.walk(
            tree,
            &Place {
                pointer: String::new(),
                path: String::new(),
            },
        );
        places
    }

    fn walk(&mut self, value: &Value, at: &Place) {
        match value {
            Value::String(_) => self.texts.push(at.clone()),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let inside = Place {
                        pointer: format!("{}/{index}", at.pointer),
                        path: format!("{}[{index}]", at.path),
                    };
                    self.walk(item, &inside);
                }
            }
            Value::Object(object) => {
                self.objects.push(at.clone());
                if ["type", "subtype", "kind"]
                    .iter()
                    .any(|tag| object.contains_key(*tag))
                {
                    self.tagged.push(at.clone());
                }
                for (key, value) in object {
                    let escaped = key.replace('~', "~0").replace('/', "~1");
                    let dot = if at.path.is_empty() { "" } else { "." };
                    let inside = Place {
                        pointer: format!("{}/{escaped}", at.pointer),
                        path: format!("{}{dot}{key}", at.path),
                    };
                    self.walk(value, &inside);
                }
            }
            _ => {}
        }
    }
}

/// The line is read, says the new thing, and is sent on as it came.
fn holds<T: FromLine + serde::Serialize + std::fmt::Debug>(name: &str, line: &str, place: &Place) {
    let read: T = match from_line(line.as_bytes()) {
        Ok(read) => read,
        Err(error) => {
            assert!(
                is_fixed(error.path()) && error.path().starts_with(&place.path),
                "{name}: {error}: {line}"
            );
            return;
        }
    };
    let is_shown = format!("{read:?}").contains(TOMORROW) || is_secret(&place.path);
    assert!(is_shown, "{name}: {} is out of reach: {line}", place.path);
    let written = serde_json::to_string(&read).unwrap();
    assert!(
        json_equal(&written, line),
        "{name}\n{written}\nis not\n{line}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_of_tomorrow_is_kept(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        how in 0..3,
        value in prop_oneof![Just(json!(null)), Just(json!(7)), Just(json!({"a": [TOMORROW]})), Just(json!("x"))],
    ) {
        let line = &LINES[which.index(LINES.len())];
        let mut tree = line.tree.clone();
        let places = Places::of(&tree);
        let choose = |places: &[Place]| places.get(at.index(places.len().max(1))).cloned();
        let place = match how {
            // Any text: a tag, a value of an enumeration, or plain.
            0 => choose(&places.texts),
            // A field, in any object.
            1 => choose(&places.objects),
            // A whole object of another kind.
            _ => choose(&places.tagged).filter(|place| !place.pointer.is_empty()),
        };
        let Some(place) = place else { return Ok(()) };
        let target = tree.pointer_mut(&place.pointer).unwrap();
        match how {
            0 => *target = json!(TOMORROW),
            1 if is_map(&place.path) => {
                let like = target.as_object().unwrap().values().next().cloned();
                target[TOMORROW] = like.unwrap_or_else(|| json!({}));
                if target[TOMORROW] == json!({}) {
                    return Ok(());
                }
            }
            1 => target[TOMORROW] = value,
            _ => {
                let tags = ["type", "subtype", "kind"].map(|tag| target.get(tag).is_some());
                *target = json!({ "deep": value });
                for (tag, _) in ["type", "subtype", "kind"].iter().zip(tags).filter(|(_, is)| *is) {
                    target[*tag] = json!(TOMORROW);
                }
            }
        }
        let text = tree.to_string();
        // A whole answer or prompt of another kind is no answer and no prompt.
        if how == 2 && ["message", "event.message"].contains(&place.path.as_str()) {
            return Ok(());
        }
        if line.to_claude {
            holds::<StdinMessage>(&line.name, &text, &place);
        } else {
            holds::<StdoutMessage>(&line.name, &text, &place);
        }
    }
}
