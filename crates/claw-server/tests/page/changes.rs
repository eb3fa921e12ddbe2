//! The repository and what the scripted API does for `changes.mjs`.

use std::fs;
use std::path::Path;
use std::process::Command;

use claw_testkit::Block;
use claw_testkit::api::{Answer, Rule};
use serde_json::json;

/// The project that is a git repository.
const REPOSITORY: &str = "orchard";

/// Makes the repository.
pub(crate) fn prepare(root: &Path) {
    let folder = root.join(REPOSITORY);
    let git = |arguments: &[&str]| {
        let git = Command::new("git")
            .args([
                "-c",
                "user.name=A User",
                "-c",
                "user.email=user@example.com",
            ])
            .args(arguments)
            .current_dir(&folder)
            .status();
        assert!(git.expect("git is installed").success(), "{arguments:?}");
    };
    fs::write(folder.join("apples.txt"), "red\ngreen\nyellow\n").unwrap();
    fs::write(folder.join("plums.txt"), "blue\n").unwrap();
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "Fruit"]);
}

/// What the API answers the real CLI.
pub(crate) fn rules(root: &Path) -> Vec<Rule> {
    let worktree = root.join(REPOSITORY).join(".claude/worktrees/fix-apples");
    let path = |name: &str| worktree.join(name).display().to_string();
    let apples = path("apples.txt");
    let edit =
        |old: &str, new: &str| json!({"file_path": apples, "old_string": old, "new_string": new});
    let write = |name: &str, text: &str| json!({"file_path": path(name), "content": text});
    let lines: Vec<_> = (1..=2_000).map(|line| format!("line {line}\n")).collect();
    let command = "node -e \"require('fs').writeFileSync('plums.txt', 'violet\\n')\"";
    let uses = [
        ("Read", json!({"file_path": apples})),
        ("Edit", edit("green", "GREEN")),
        ("Edit", edit("GREEN", "brown")),
        ("Write", write("a folder/<b>pears.txt", "sweet\n")),
        ("Write", write("long.txt", &lines.concat())),
        (
            "Bash",
            json!({"command": command, "description": "Colour the plums"}),
        ),
    ];
    let uses = uses.into_iter().map(|(name, input)| {
        let answer = Answer::message([Block::tool_use(name, input)]);
        Rule::new(answer).on_prompt("Change the fruit").times(1)
    });
    let done = Answer::message([Block::text("The fruit is changed.")]);
    uses.chain([Rule::new(done).on_prompt("Change the fruit")])
        .collect()
}
