//! `cargo xtask release --published`: the pages name each crate and command as they are installed from a registry. Before the
//! first release, they name a checkout.

use std::fs;
use std::path::PathBuf;

use xtask::run::Result;
use xtask::workspace::{Workspace, has_extension, slashes};

use super::plan::Plan;

/// Sentences that hold only before the first release: the file, the sentence, and the text in its place.
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

/// The words that no page has after the first release.
const LEFT: [&str; 3] = ["claw/crates/claw-", "install --path", "not released"];

/// The message of the command about missing features. It names the command that installs all of it.
const MESSAGE: &str = "crates/claw-cli/src/left_out.rs";

/// Rewrites the pages, and prints the names of the files that changed.
///
/// # Errors
/// Fails if a sentence is missing, as after the first call, or if a page still names a checkout.
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
    for file in workspace.files()? {
        let name = slashes(&file);
        // The changelog describes what was.
        let is_page = has_extension(&file, "md") && !name.ends_with("CHANGELOG.md");
        if !is_page && name != MESSAGE {
            continue;
        }
        let before = fs::read_to_string(workspace.root.join(&file))?;
        let mut text = before.clone();
        for (_, old, new) in SENTENCES.iter().filter(|(of, ..)| *of == name) {
            if text.matches(old).count() != 1 {
                return Err(format!("{name} does not say once: {old}").into());
            }
            text = text.replace(old, new);
        }
        let text = with_names(&text, plan);
        if let Some(left) = LEFT.iter().find(|left| text.contains(**left)) {
            return Err(format!("{name} still has: {left}").into());
        }
        if text != before {
            changed.push((file, text));
        }
    }
    Ok(changed)
}

/// Returns a text in which dependencies and `cargo install` have published names.
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
        for checkout in ["", "claw/"] {
            text = text.replace(
                &format!("install --path {checkout}crates/{name}"),
                &format!("install {published}"),
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_the_first_release_no_page_names_a_checkout() {
        let workspace = Workspace::read().unwrap();
        let plan = Plan::new(&workspace).unwrap();
        let changed = changed(&workspace, &plan).unwrap();
        let text = |name: &str| {
            let found = changed.iter().find(|(file, _)| slashes(file) == name);
            &found.unwrap_or_else(|| panic!("{name}")).1
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
}
