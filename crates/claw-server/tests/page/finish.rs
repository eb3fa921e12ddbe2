//! The repository and what the scripted API does for `finish.mjs`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use claw_testkit::Block;
use claw_testkit::api::{Answer, Rule};
use serde_json::{Value, json};

/// The project that is a git repository.
const REPOSITORY: &str = "grove";

fn git(folder: &Path, arguments: &[&str]) {
    let git = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .status();
    assert!(git.expect("git is installed").success(), "{arguments:?}");
}

fn tree(root: &Path) -> PathBuf {
    root.join(REPOSITORY).join(".claude/worktrees/ripe")
}

/// Makes the repository.
pub(crate) fn prepare(root: &Path) {
    let folder = root.join(REPOSITORY);
    fs::write(folder.join("apples.txt"), "red\ngreen\nyellow\n").unwrap();
    git(&folder, &["init", "-q", "-b", "main"]);
    for (key, value) in [
        ("user.name", "A User"),
        ("user.email", "user@example.com"),
        ("commit.gpgSign", "false"),
    ] {
        git(&folder, &["config", key, value]);
    }
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "Fruit"]);
}

/// Makes a program that opens pull requests as `gh` does. Returns its path.
pub(crate) fn gh(root: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let gh = root.join("gh");
    let script = "#!/bin/sh\ncat > /dev/null\necho https://example.com/grove/pull/7\n";
    fs::write(&gh, script).unwrap();
    fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).unwrap();
    gh
}

/// Adds a remote repository, or removes it.
pub(crate) fn remote(root: &Path, what: &str) {
    let folder = root.join(REPOSITORY);
    if what == "remove" {
        return git(&folder, &["remote", "remove", "origin"]);
    }
    let bare = root.join("grove.git");
    let bare = bare.to_str().unwrap();
    git(&folder, &["init", "-q", "--bare", bare]);
    git(&folder, &["remote", "add", "origin", bare]);
}

/// Changes the apples of the main folder, and commits them.
pub(crate) fn commit_in_main(root: &Path, text: &str) {
    let folder = root.join(REPOSITORY);
    fs::write(folder.join("apples.txt"), text).unwrap();
    git(&folder, &["commit", "-q", "-a", "-m", "In main"]);
}

/// Writes a new file in the worktree.
pub(crate) fn write_in_tree(root: &Path, text: &str) {
    fs::write(tree(root).join("pears.txt"), text).unwrap();
}

/// Merges the main branch into that of the worktree, and resolves the conflict with this text.
pub(crate) fn resolve(root: &Path, text: &str) {
    let tree = tree(root);
    let merge = Command::new("git")
        .args(["merge", "-q", "main"])
        .current_dir(&tree)
        .status();
    assert!(!merge.expect("git is installed").success());
    fs::write(tree.join("apples.txt"), text).unwrap();
    git(&tree, &["commit", "-q", "-a", "-m", "Resolved"]);
}

/// The apples of the main folder.
pub(crate) fn apples(root: &Path) -> String {
    fs::read_to_string(root.join(REPOSITORY).join("apples.txt")).unwrap()
}

/// What the API answers the real CLI.
pub(crate) fn rules(root: &Path) -> Vec<Rule> {
    let apples = tree(root).join("apples.txt").display().to_string();
    let edit = json!({"file_path": apples, "old_string": "green", "new_string": "brown"});
    let turn = |prompt: &str, uses: Vec<(&str, Value)>, text: &str| {
        let uses = uses.into_iter().map(|(name, input)| {
            let answer = Answer::message([Block::tool_use(name, input)]);
            Rule::new(answer).on_prompt(prompt).times(1)
        });
        let done = Answer::message([Block::text(text)]);
        let all = uses.chain([Rule::new(done).on_prompt(prompt)]);
        all.collect::<Vec<_>>()
    };
    let grow = vec![("Read", json!({"file_path": apples})), ("Edit", edit)];
    [
        turn("Grow the apples", grow, "The apples are brown."),
        turn(
            "Merge the branch main into this branch",
            Vec::new(),
            "The apples are olive.",
        ),
    ]
    .concat()
}
