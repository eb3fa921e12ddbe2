//! The list of keyboard shortcuts of a page.

use std::io::{self, Write};

use claw_view::html::Html;

use super::may::May;

/// A heading, and the keys below it.
struct Group {
    heading: &'static str,
    /// The lines of the group. Each line has its keys, separated by spaces, and a description of their effect.
    keys: &'static [(&'static str, &'static str)],
}

const PROMPT: &str = "In the prompt";
const ASKED: &str = "What is asked";
const MENU: &str = "The menu of a prompt";
const CHANGES: &str = "On the number of a line of a diff";

const EVERYWHERE: Group = Group {
    heading: "Everywhere",
    keys: &[
        ("?", "Show this list, outside of a field"),
        ("Escape", "Close this list, or another dialog"),
        ("Tab", "Go to the next field or button"),
        (
            "Ctrl+K",
            "Choose a session, a project, a command or a setting",
        ),
        ("Ctrl+Shift+O", "Begin a session"),
        ("Ctrl+Shift+E", "Go to the next session that asks"),
        ("Ctrl+Shift+L", "Go to the session that was open before"),
    ],
};

const SESSION: [Group; 7] = [
    EVERYWHERE,
    Group {
        heading: PROMPT,
        keys: &[
            ("Enter", "Send the prompt. On a phone: a new line"),
            ("Ctrl+Enter", "Send the prompt, also on a phone"),
            ("Shift+Enter", "A new line"),
            (
                "ArrowUp ArrowDown",
                "In an empty prompt: bring earlier prompts",
            ),
            ("/ @", "Suggest commands, or files of the project"),
            ("ArrowUp ArrowDown", "Choose among the suggestions"),
            ("Enter Tab", "Take the chosen suggestion"),
            (
                "Escape",
                "Close the suggestions. In an empty prompt: stop the turn",
            ),
        ],
    },
    Group {
        heading: "In the conversation",
        keys: &[
            ("Escape", "Stop the turn"),
            ("Home End", "Go to the oldest, or to the newest"),
        ],
    },
    Group {
        heading: ASKED,
        keys: &[
            (
                "Enter",
                "In a field: go to the next one. In a reason: deny, or keep planning",
            ),
            (
                "Enter Space",
                "On a button: press it. What was not shown to its end is shown first, and not allowed",
            ),
        ],
    },
    Group {
        heading: "Find in the conversation",
        keys: &[
            ("Ctrl+Shift+F", "Open the search"),
            ("Enter", "Go to an older place"),
            ("Shift+Enter", "Go to a newer place"),
            ("Escape", "Close the search, and go back"),
        ],
    },
    Group {
        heading: MENU,
        keys: &[
            ("ArrowUp ArrowDown", "Go through the menu"),
            ("Home End", "Go to its first, or to its last line"),
            ("Escape Tab", "Close the menu"),
        ],
    },
    Group {
        heading: CHANGES,
        keys: &[
            ("ArrowUp ArrowDown", "Go to another line"),
            ("Shift+ArrowUp Shift+ArrowDown", "Choose several lines"),
            ("Enter Space", "Comment on the chosen lines"),
            ("Escape", "In a comment: close it, and keep what is written"),
        ],
    },
];

const SESSIONS: [Group; 2] = [
    EVERYWHERE,
    Group {
        heading: "In the search",
        keys: &[("Enter", "Search all sessions")],
    },
];

/// Writes the keyboard shortcuts of the page of a session.
pub(super) fn of_session<W: Write>(html: &mut Html<W>, may: &May) -> io::Result<()> {
    list(html, &SESSION, may)
}

/// Writes the keyboard shortcuts of the page of all sessions.
pub(super) fn of_sessions<W: Write>(html: &mut Html<W>, may: &May) -> io::Result<()> {
    list(html, &SESSIONS, may)
}

/// Returns the operation that a keyboard shortcut uses. Returns `None` if everyone may use the shortcut.
fn operation(heading: &str, keys: &str) -> Option<&'static str> {
    match (heading, keys) {
        (_, "Ctrl+Shift+O") => Some("openSession"),
        ("In the conversation", "Escape") => Some("interruptTurn"),
        (PROMPT | CHANGES, _) => Some("sendPrompt"),
        (ASKED, _) => Some("answerRequest"),
        (MENU, _) => Some("openSession"),
        _ => None,
    }
}

fn list<W: Write>(html: &mut Html<W>, groups: &[Group], may: &May) -> io::Result<()> {
    html.raw(concat!(
        "<dialog id=\"keys\" class=\"keys\" aria-labelledby=\"keys-title\"><header><h2 id=\"keys-title\">Keys</h2>",
        "<button id=\"hide-keys\" type=\"button\" class=\"quiet\" aria-label=\"Close\" title=\"Close (Escape)\">×</button></header>"
    ))?;
    for group in groups {
        let is_allowed = |keys: &str| operation(group.heading, keys).is_none_or(|it| may.does(it));
        let keys = group.keys.iter().filter(|(keys, _)| is_allowed(keys));
        let keys: Vec<_> = keys.collect();
        if keys.is_empty() {
            continue;
        }
        html.raw("<h3>")?;
        html.raw(group.heading)?;
        html.raw("</h3><dl>")?;
        for (keys, does) in keys {
            html.raw("<dt>")?;
            for key in keys.split(' ') {
                html.raw("<kbd>")?;
                html.raw(match key {
                    "ArrowUp" => "↑",
                    "ArrowDown" => "↓",
                    "Shift+ArrowUp" => "Shift+↑",
                    "Shift+ArrowDown" => "Shift+↓",
                    key => key,
                })?;
                html.raw("</kbd>")?;
            }
            html.raw("</dt><dd>")?;
            html.raw(does)?;
            html.raw("</dd>")?;
        }
        html.raw("</dl>")?;
    }
    html.raw("</dialog>")
}

#[cfg(test)]
mod tests {
    use super::super::assets::ASSETS;
    use super::*;

    /// The names of the keys that scripts handle. The browser itself handles keys that only move the caret in a field.
    const NAMES: [&str; 12] = [
        "Enter",
        "Escape",
        "Tab",
        "Space",
        "ArrowUp",
        "ArrowDown",
        "Home",
        "End",
        "PageUp",
        "PageDown",
        "Delete",
        "Backspace",
    ];

    #[test]
    fn every_key_that_a_script_handles_is_in_the_list() {
        let listed: Vec<_> = SESSION.iter().flat_map(|group| group.keys).collect();
        let is_listed = |name: &str| {
            listed
                .iter()
                .any(|(keys, _)| keys.split([' ', '+']).any(|key| key == name))
        };
        let mut handled = 0;
        for asset in ASSETS
            .iter()
            .filter(|asset| asset.kind.contains("javascript"))
        {
            let script = std::str::from_utf8(asset.body).unwrap();
            if !script.contains(".key") {
                continue;
            }
            for name in NAMES {
                let forms = [format!("'{name}'"), format!("{name}:")];
                if forms.iter().any(|form| script.contains(form)) {
                    handled += 1;
                    assert!(is_listed(name), "{name} in {} is in no list", asset.name);
                }
            }
        }
        assert!(handled > 10, "{handled}");
    }
}
