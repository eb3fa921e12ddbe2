//! Pushes the branch of a worktree, and opens a pull request for it.

use std::env;
use std::path::{Path, PathBuf};

use super::finish::check;
use super::git::run_program;
use super::problem::{Problem, plain};
use super::tree::{HEADS, Tree};

/// The remote to which a branch is pushed if the branch has no upstream.
const ORIGIN: &str = "origin";
/// Maximum length of a URL, in bytes.
const LONGEST_URL: usize = 500;

impl Tree {
    /// Returns the remote to which the branch is pushed. This is the remote of its upstream, or else `origin`. Returns
    /// `None` if neither exists.
    pub(crate) async fn remote(&self) -> Result<Option<String>, Problem> {
        let Some(branch) = &self.branch else {
            return Ok(None);
        };
        let all = self.git.read(&["remote"]).await?.text();
        let is_known = |name: &str| !name.starts_with('-') && all.lines().any(|it| it == name);
        let key = format!("branch.{branch}.remote");
        let own = self.git.read(&["config", "--get", &key]).await?.line();
        let own = own.filter(|name| is_known(name));
        Ok(own.or_else(|| is_known(ORIGIN).then(|| ORIGIN.to_owned())))
    }

    /// Returns the same remote as [`remote`](Self::remote).
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] if there is no remote.
    pub(crate) async fn some_remote(&self) -> Result<String, Problem> {
        self.remote().await?.ok_or_else(|| {
            let text = "the repository has no remote `origin`, and the branch has no upstream: add a remote with `git remote add origin URL`";
            Problem::new("noRemote", text)
        })
    }

    /// Returns the number of commits that are not in the branch with the same name on the remote. The comparison uses
    /// the state of the last fetch. Returns `None` if the branch was never pushed.
    pub(crate) async fn unpushed(&self, remote: &str) -> Result<Option<u64>, Problem> {
        let Some(branch) = &self.branch else {
            return Ok(None);
        };
        let tracked = format!("refs/remotes/{remote}/{branch}");
        Ok(self.distance(&tracked).await?.map(|(_, ahead)| ahead))
    }

    /// Pushes the branch to the branch with the same name on a remote, and makes that branch its upstream. Never
    /// replaces commits of the remote. Runs the hook `pre-push`.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] if the remote refuses the push or cannot be reached.
    pub(crate) async fn push(&self, remote: &str) -> Result<String, Problem> {
        let branch = self.ready()?;
        let refs = format!("{HEADS}{branch}:{HEADS}{branch}");
        let arguments = ["push", "--porcelain", "--set-upstream", "--", remote, &refs];
        let pushed = self.git.send(&arguments).await?;
        if pushed.is_success {
            return Ok(format!("{branch} is pushed to {remote}"));
        }
        let (text, errors) = (pushed.text(), pushed.errors());
        let has = |part: &str| text.contains(part) || errors.contains(part);
        if has("[rejected]") {
            let text = format!(
                "{remote} has commits of {branch} that the worktree does not have: run `git pull --rebase {remote} {branch}` in {folder}. If they are the same commits before a rebase, run `git push --force-with-lease {remote} {branch}` there",
                folder = self.folder.display()
            );
            return Err(Problem::new("rejected", text));
        }
        let is_refused = [
            "terminal prompts disabled",
            "Permission denied",
            "Authentication failed",
            "could not read Username",
            "could not read Password",
            "Host key verification failed",
        ];
        if is_refused.into_iter().any(has) {
            let text = format!(
                "{remote} asks for credentials that git does not have: push once in a terminal on the server's machine, or set up a credential helper or a key. {}",
                plain(&errors)
            );
            return Err(Problem::new("credentials", text));
        }
        check(&pushed, "the push")?;
        Ok(String::new())
    }

    /// Opens a pull request with `gh`, to merge the branch into the base branch. Returns the URL of the pull request.
    /// Returns `None` if `gh` prints no URL.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] that contains the output of `gh`.
    pub(crate) async fn open_pull_request(
        &self,
        gh: &Path,
        title: &str,
        body: &str,
    ) -> Result<Option<String>, Problem> {
        let (branch, base) = (self.ready()?, self.ready_base()?);
        let arguments = [
            "pr".to_owned(),
            "create".to_owned(),
            format!("--head={branch}"),
            format!("--base={base}"),
            format!("--title={title}"),
            "--body-file=-".to_owned(),
        ];
        let opened = run_program(gh, &self.folder, &arguments, body).await?;
        check(&opened, "gh pr create")?;
        let text = opened.text();
        let mut lines = text.lines().rev().map(str::trim);
        Ok(lines.find(|line| is_url(line)).map(str::to_owned))
    }
}

/// Returns whether a text is an HTTPS URL that contains only characters that are safe to display.
fn is_url(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"'<>`\\".contains(&byte);
    let rest = text.strip_prefix("https://");
    rest.is_some_and(|rest| !rest.is_empty())
        && text.len() <= LONGEST_URL
        && text.bytes().all(is_plain)
}

/// Returns the path of the program `gh` in `PATH`. Returns `None` if `PATH` has no `gh`. Blocks for a moment.
pub(crate) fn find_gh() -> Option<PathBuf> {
    let name = format!("gh{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH")?;
    let mut found = env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&name));
    found.find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_urls_are_shown() {
        assert!(is_url("https://github.com/a/b/pull/7"));
        for text in [
            "http://github.com/",
            "https://",
            "javascript:alert(1)",
            "https://a/ b",
            "https://a/\"onclick",
            "https://a/é",
        ] {
            assert!(!is_url(text), "{text}");
        }
        assert!(!is_url(&format!("https://{}", "a".repeat(LONGEST_URL))));
    }
}
