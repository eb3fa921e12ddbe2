//! `cargo xtask upgrade`: replaces three hosts of `claw serve` of an earlier commit by hosts of this tree, one after the
//! other on one store, while prompts run. Then replaces one of them by the earlier version again.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::claude;
use xtask::run::{Result, cargo, run};
use xtask::workspace::Workspace;

/// The command line of `cargo xtask upgrade`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The commit of the earlier version, in any form that git takes.
    #[arg(default_value = "HEAD~1")]
    commit: String,
    /// The number of sessions that send prompts.
    #[arg(long, default_value_t = 16)]
    sessions: usize,
}

/// Builds the earlier `claw`, and runs the test of claw-cli with it and with the `claw` of this tree.
pub(crate) fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    let commit = commit_of(&workspace.root, &args.commit)?;
    let old = build(&workspace, &commit)?;
    println!("from {commit} to this tree");
    let mut test = cargo("test");
    test.env(claude::VARIABLE, claude::install(&workspace)?);
    test.env("CLAW_TEST_UPGRADE_FROM", old);
    test.env("CLAW_TEST_UPGRADE_SESSIONS", args.sessions.to_string());
    test.args(["--package", "claw-cli", "--all-features"]);
    run(test.args(["--test", "it", "serve_many::upgrade", "--", "--nocapture"]))
}

/// Returns the ID of a commit.
///
/// # Errors
/// Fails if the repository does not have the commit.
fn commit_of(root: &Path, name: &str) -> Result<String> {
    let mut parse = Command::new("git");
    parse.args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
    parse.arg(format!("{name}^{{commit}}")).current_dir(root);
    let output = parse.output()?;
    if !output.status.success() {
        let text = "this repository has no commit of this name. `git fetch --unshallow` completes a shallow clone";
        return Err(format!("{name}: {text}").into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Builds `claw` of a commit, in a work tree and a target folder that later runs use again. Returns its path.
fn build(workspace: &Workspace, commit: &str) -> Result<PathBuf> {
    let folder = workspace.ci_directory().join("upgrade");
    let (tree, target) = (folder.join("tree"), folder.join("target"));
    let git = |folder: &Path| {
        let mut git = Command::new("git");
        git.arg("-C").arg(folder);
        git
    };
    if tree.join(".git").exists() {
        run(git(&tree).args(["checkout", "--quiet", "--force", "--detach", commit]))?;
    } else {
        fs::create_dir_all(&folder)?;
        // The option `--force` is needed if someone has removed the folder of an earlier run.
        let mut add = git(&workspace.root);
        add.args(["worktree", "add", "--quiet", "--force", "--detach"]);
        run(add.arg(&tree).arg(commit))?;
    }
    let mut build = cargo("build");
    build.current_dir(&tree);
    build.args(["--package", "claw-cli", "--features", "full"]);
    run(build.arg("--target-dir").arg(&target))?;
    Ok(target.join(format!("debug/claw{EXE_SUFFIX}")))
}

#[cfg(test)]
mod tests {
    use super::{Path, commit_of};

    #[test]
    fn a_missing_commit_is_named() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let error = commit_of(root, "no-such-commit").unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("no-such-commit: this repository has no commit")
        );
    }
}
