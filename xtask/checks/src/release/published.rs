//! `cargo xtask release --published`: rewrites the pages so that they name crates and commands as they are installed
//! from a registry. Before the first release, the pages describe how to use a checkout. For later releases, the command
//! updates the version in the pages.

use std::fs;
use std::path::PathBuf;

use xtask::run::Result;
use xtask::workspace::{Workspace, has_extension, slashes};

use super::plan::Plan;

/// Sentences that are correct only before the first release. Each row contains the file, the sentence, and the text
/// that replaces the sentence.
const SENTENCES: [(&str, &str, &str); 6] = [
    (
        "README.md",
        "claw is not released yet, so the dependency names a checkout by its path.\n\n",
        "",
    ),
    (
        "README.md",
        "are made by the authors of Claude Code, are released, and include a CLI. claw is not released, and needs an\n  installed \
         `claude`.",
        "are made by the authors of Claude Code and include a CLI. claw needs an installed `claude`.",
    ),
    (
        "SECURITY.md",
        "claw is not released yet: fixes go to `main`. From the first release on, the newest minor version gets them.",
        "The newest minor version gets fixes.",
    ),
    (
        "docs/releasing.md",
        "Nothing has been published yet. Two commands",
        "Two commands",
    ),
    (
        "docs/guides/mcp.md",
        "claw is not released yet, so the dependency names a checkout by its path.\n\n",
        "",
    ),
    (
        "docs/guides/README.md",
        " claw is not released yet, so the dependency names a checkout by its path, which begins at your package's folder:\n\
         `claw/…` is a checkout inside of it, `../claw/…` one beside it.",
        "",
    ),
];

/// Texts that no page may contain after the first release.
const LEFT: [&str; 3] = ["claw/crates/claw-", "install --path", "not released"];

/// The file with the command's message about missing features. The message names the command that installs claw with
/// all features.
const MESSAGE: &str = "crates/claw-cli/src/left_out.rs";

/// Rewrites the pages, and prints the names of the files that changed.
///
/// # Errors
/// Fails if only some of the sentences are missing, or if a page still describes a checkout.
pub(super) fn write(workspace: &Workspace, plan: &Plan) -> Result {
    for (file, text) in changed(workspace, plan)? {
        fs::write(workspace.root.join(&file), text)?;
        println!("{}", file.display());
    }
    Ok(())
}

/// Returns the files that change, with their new texts.
fn changed(workspace: &Workspace, plan: &Plan) -> Result<Vec<(PathBuf, String)>> {
    let mut changed = Vec::new();
    // Before the first release, the pages contain all of the sentences. After that, they contain none of them.
    let (file, sentence, _) = SENTENCES[0];
    let is_first = fs::read_to_string(workspace.root.join(file))?.contains(sentence);
    for file in workspace.files()? {
        let name = slashes(&file);
        // The changelog describes the past, so it is not changed.
        let is_page = has_extension(&file, "md") && !name.ends_with("CHANGELOG.md");
        if !is_page && name != MESSAGE {
            continue;
        }
        let before = fs::read_to_string(workspace.root.join(&file))?;
        let mut text = before.clone();
        for (_, old, new) in SENTENCES.iter().filter(|(of, ..)| *of == name) {
            if text.matches(old).count() != usize::from(is_first) {
                let times = if is_first {
                    "does not say once"
                } else {
                    "still says"
                };
                return Err(format!("{name} {times}: {old}").into());
            }
            text = text.replace(old, new);
        }
        let text = with_names(&text, plan);
        if let Some(left) = left(&text, plan) {
            return Err(format!("{name} still has: {left}").into());
        }
        if text != before {
            changed.push((file, text));
        }
    }
    Ok(changed)
}

/// Returns the first text that makes sense only in a checkout. It is a path, or a command with a crate's name in the
/// project. In the registry, that name is unused or belongs to another author.
fn left(text: &str, plan: &Plan) -> Option<String> {
    let renamed = plan.crates.iter().filter(|it| it.name != it.published);
    let names =
        renamed.flat_map(|it| ["install", "add"].map(|verb| format!("cargo {verb} {}", it.name)));
    let words = LEFT.map(str::to_owned).into_iter().chain(names);
    words.into_iter().find(|words| text.contains(words))
}

/// Returns a text in which dependencies and `cargo install` commands have the published names.
fn with_names(text: &str, plan: &Plan) -> String {
    let mut text = text.to_owned();
    for planned in &plan.crates {
        let (name, published, version) = (&planned.name, &planned.published, &plan.version);
        let dependency = if name == published {
            format!("{name} = {{ version = \"{version}\"")
        } else {
            format!("{name} = {{ package = \"{published}\", version = \"{version}\"")
        };
        text = text.replace(
            &format!("{name} = {{ path = \"claw/crates/{name}\""),
            &dependency,
        );
        // After an earlier release, the page contains an older version of the dependency.
        let start = &dependency[..dependency.len() - version.len() - 1];
        text = with_version(&text, start, version);
        for checkout in ["", "claw/"] {
            text = text.replace(
                &format!("install --path {checkout}crates/{name}"),
                &format!("install {published}"),
            );
        }
    }
    text
}

/// Returns a text in which this version replaces the version after each occurrence of `start`.
fn with_version(text: &str, start: &str, version: &str) -> String {
    let mut parts = text.split(start);
    let mut new = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find('"').unwrap_or(part.len());
        new.extend([start, version, &part[end..]]);
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_the_first_release_no_page_names_a_checkout() {
        let workspace = Workspace::read().unwrap();
        let plan = Plan::new(&workspace).unwrap();
        let changed = changed(&workspace, &plan).unwrap();
        // If a page does not change, it already has the form that it has after a release.
        let text = |name: &str| {
            let found = changed.iter().find(|(file, _)| slashes(file) == name);
            let there = || fs::read_to_string(workspace.root.join(name)).unwrap();
            found.map_or_else(there, |(_, text)| text.clone())
        };
        let version = &plan.version;
        assert!(text("README.md").contains(&format!(
            "\nclaw-client = {{ package = \"claw-stream-client\", version = \"{version}\" }}\n"
        )));
        assert!(text("docs/guides/mcp.md").contains(&format!(
            "\nclaw-client = {{ package = \"claw-stream-client\", version = \"{version}\", features = [\"mcp\"] }}\n"
        )));
        for page in [
            "README.md",
            "docs/serve.md",
            "docs/guides/showing.md",
            MESSAGE,
        ] {
            assert!(
                text(page).contains("cargo install claw-stream-cli --features full"),
                "{page}"
            );
        }
    }

    #[test]
    fn a_name_that_the_registry_does_not_have_is_found() {
        let plan = Plan::new(&Workspace::read().unwrap()).unwrap();
        for (text, found) in [
            (
                "`cargo install claw-testkit`",
                Some("cargo install claw-testkit"),
            ),
            ("`cargo add claw-client`", Some("cargo add claw-client")),
            ("claw/crates/claw-client", Some("claw/crates/claw-")),
            (
                "`cargo install claw-stream-testkit`, `cargo add claude-claw`",
                None,
            ),
        ] {
            assert_eq!(left(text, &plan).as_deref(), found);
        }
    }

    #[test]
    fn a_later_release_raises_the_version_and_nothing_else() {
        let workspace = Workspace::read().unwrap();
        let mut plan = Plan::new(&workspace).unwrap();
        let old = plan.version.clone();
        let page = "claw-client = { path = \"claw/crates/claw-client\", features = [\"mcp\"] }\n\
                    claude-claw = { path = \"claw/crates/claude-claw\" }\nother = { version = \"0.1.0\" }\n";
        let first = with_names(page, &plan);
        assert_eq!(with_names(&first, &plan), first);
        plan.version = "9.10.11".to_owned();
        let dependency = |version: &str| {
            format!("claw-client = {{ package = \"claw-stream-client\", version = \"{version}\", f")
        };
        let later = with_names(&first, &plan);
        assert!(first.starts_with(&dependency(&old)) && later.starts_with(&dependency("9.10.11")));
        let unchanged = later.replace("9.10.11", &old);
        assert_eq!(unchanged, first);
        assert_eq!(later.matches("9.10.11").count(), 2);
    }
}
