//! Git worktrees of sessions. Each worktree has its own folder and branch. The CLI creates both with its option
//! `--worktree`.
//!
//! The CLI creates the worktree NAME in `.claude/worktrees/NAME` of the repository, on the branch `worktree-NAME`. If
//! the folder is missing but the branch exists, the CLI resets the branch to the current commit, and the commits on the
//! branch are lost. The server therefore sets the option only if neither or both exist. A session whose worktree was
//! removed accepts no prompts. A resumed session finds its worktree without the option. A copy of a session does not
//! find it, so the server sets the option once for a copy.
//!
//! A worktree is finished with git. `tree.rs` reads its state. `finish.rs`, `publish.rs` and `discard.rs` contain the
//! operations.

mod discard;
mod finish;
mod git;
mod hidden;
mod problem;
mod proposal;
mod publish;
mod tree;

use std::path::{Path, PathBuf};

use claw_types::options::QueryOptions;
use claw_types::transcript::WorktreeRecord;
use claw_view::real_path::real_or_missing;
use serde::{Deserialize, Serialize};

use crate::Project;
use git::Git;

pub use discard::WorktreeLoss;
pub(crate) use finish::{Finished, MOST_FILES, files};
pub(crate) use problem::Problem;
pub(crate) use proposal::proposal;
pub(crate) use publish::find_gh;
pub(crate) use tree::Tree;
pub use tree::WorktreeState;

/// The folder of all worktrees, relative to the repository's folder.
const FOLDER: &str = ".claude/worktrees";
/// The option of the CLI that creates a worktree.
const OPTION: &str = "worktree";
/// Maximum length of a name, in characters.
const LONGEST_NAME: usize = 64;

/// A git worktree that belongs to one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Worktree {
    /// The name of the worktree.
    pub name: String,
    /// The git branch of the worktree, such as `worktree-NAME`.
    pub branch: String,
    /// The absolute path of the worktree's folder. The folder is made when the session's first process starts.
    pub folder: PathBuf,
}

impl Worktree {
    /// Returns the worktree with this name in a project's repository.
    fn new(project: &Project, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            branch: format!("worktree-{name}"),
            folder: project.folder.join(FOLDER).join(name),
        }
    }

    /// Returns the worktree that a transcript names. Returns `None` if its name or branch is missing.
    pub(crate) fn recorded(record: &WorktreeRecord) -> Option<Self> {
        Some(Self {
            name: record.worktree_name.clone()?,
            branch: record.worktree_branch.clone()?,
            folder: PathBuf::from(&record.worktree_path),
        })
    }

    /// Returns the worktree of a project that contains a folder. Returns `None` if no worktree contains it.
    pub(crate) fn around(project: &Project, folder: &Path, branch: Option<&str>) -> Option<Self> {
        let inside = folder.strip_prefix(project.folder.join(FOLDER)).ok()?;
        let name = inside.iter().next()?.to_str()?;
        check_name(name).ok()?;
        let made = Self::new(project, name);
        Some(Self {
            branch: branch.map_or(made.branch, str::to_owned),
            ..made
        })
    }

    /// Returns whether the folder exists. Blocks for a moment.
    pub(crate) fn exists(&self) -> bool {
        let has_git = |folder: &Path| folder.join(".git").exists();
        // If a hook has created the worktree, it may belong to another version control system than git. Then there is
        // no `.git` in or above the folder.
        self.folder.is_dir()
            && (has_git(&self.folder) || !self.folder.ancestors().skip(1).any(has_git))
    }

    /// Sets the option with which the CLI creates the worktree.
    pub(crate) fn add_to(&self, options: &mut QueryOptions) {
        let more = options.extra_args.get_or_insert_default();
        more.insert(OPTION, Some(self.name.clone()));
    }

    /// Removes the option, so that the CLI creates no worktree.
    pub(crate) fn remove_from(options: &mut QueryOptions) {
        let more = options.extra_args.take().into_iter().flatten();
        let rest = more.filter(|(name, _)| name != OPTION);
        options.extra_args = Some(rest.collect());
    }

    /// Returns the reason why a session whose worktree was removed accepts no prompt.
    pub(crate) fn gone(&self) -> String {
        format!(
            "the worktree of this session is gone: if its branch is there, bring it back with `git worktree add {FOLDER}/{} {}`, or begin another session",
            self.name, self.branch
        )
    }

    /// Returns the reason why no operation is possible on a worktree whose folder does not exist.
    fn missing(&self) -> String {
        format!(
            "the worktree {} has no folder: it is made with the first prompt of its session, or it was removed",
            self.name
        )
    }
}

/// Returns whether a path is in a worktree of a session. The path is relative to the repository's folder.
pub(crate) fn is_below(path: impl AsRef<Path>) -> bool {
    path.as_ref().starts_with(FOLDER)
}

/// Plans a new worktree for a session. Checks that the name is free, and that the CLI can create a worktree in the
/// project. Generates a name if `name` is `None`. Does not create the worktree.
///
/// # Errors
///
/// Fails with a text for people if the name is invalid or taken, if the repository is unsuitable, or if git fails.
pub(crate) async fn plan(project: &Project, name: Option<&str>) -> Result<Worktree, String> {
    let made = || uuid::Uuid::new_v4().simple().to_string()[..8].to_owned();
    let name = name.map_or_else(made, str::to_owned);
    check_name(&name)?;
    let worktree = Worktree::new(project, &name);
    check_folder(project, &worktree)?;
    let head = git(
        project,
        &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"],
    )
    .await?;
    if !head {
        return Err(
            "the repository of the project has no commit yet, and a worktree begins with one"
                .to_owned(),
        );
    }
    let branch = format!("refs/heads/{}", worktree.branch);
    if git(project, &["show-ref", "--verify", "--quiet", &branch]).await? {
        return Err(format!("there is a branch {} already", worktree.branch));
    }
    Ok(worktree)
}

/// Checks that a name is valid on every operating system as a folder, as a part of a branch's name and as an argument.
fn check_name(name: &str) -> Result<(), &'static str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let is_fit = (1..=LONGEST_NAME).contains(&name.len())
        && name.chars().all(is_plain)
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.ends_with(|last: char| last.is_ascii_alphanumeric())
        && !name.contains("..")
        && !name.to_ascii_lowercase().ends_with(".lock");
    is_fit.then_some(()).ok_or(
        "the name of a worktree has up to 64 letters, digits, `-`, `_` and `.`, and begins and ends with a letter or a digit",
    )
}

/// Checks that the project's folder is the main folder of its repository, because the CLI creates worktrees there.
/// Blocks for a moment.
fn check_folder(project: &Project, worktree: &Worktree) -> Result<(), String> {
    let git = project.folder.join(".git");
    if !git.is_dir() {
        return Err(if git.exists() {
            "the project's folder is itself a worktree or a submodule: sessions of it cannot have worktrees of their own"
        } else {
            "the project's folder is not the main folder of a git repository: sessions of it cannot have worktrees of their own"
        }
        .to_owned());
    }
    // No symbolic link in the path of the worktree's folder may lead out of the project.
    let real = real_or_missing(&worktree.folder);
    if real.as_ref() != Some(&worktree.folder) {
        return Err(format!("{FOLDER} leads out of the project's folder"));
    }
    if worktree.folder.exists() {
        return Err(format!("there is a worktree {} already", worktree.name));
    }
    Ok(())
}

/// Runs git in the project's folder. Returns whether git succeeds.
async fn git(project: &Project, arguments: &[&str]) -> Result<bool, String> {
    match Git::of(&project.folder).read(arguments).await {
        Ok(output) => Ok(output.is_success),
        Err(problem) => Err(format!(
            "{}: sessions cannot have worktrees of their own",
            problem.text
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_a_folder_and_a_branch() {
        for name in ["a", "fix-login", "v1.2_x", "0", &"a".repeat(64)] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        for name in [
            "",
            "-a",
            "--force",
            ".",
            "..",
            "a..b",
            ".a",
            "a.",
            "a/b",
            "a\\b",
            "../x",
            "a b",
            "a\n",
            "ä",
            "a.lock",
            "a.LOCK",
            "a~1",
            "a:b",
            "@{-1}",
            &"a".repeat(65),
        ] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
