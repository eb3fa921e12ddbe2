//! The other working trees of a git repository.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

/// The timeout of git.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// The maximum number of bytes that are read of git's output.
const MOST: u64 = 1 << 20;

/// Returns the working trees of the repository that contains a directory, as git names them. The list is empty if there
/// is only one tree, no repository or no git, or if git does not respond within five seconds.
pub(crate) fn worktrees(directory: &Path) -> Vec<PathBuf> {
    let listed = list(directory).unwrap_or_default();
    if listed.len() > 1 { listed } else { Vec::new() }
}

fn list(directory: &Path) -> Option<Vec<PathBuf>> {
    let mut git = git(directory);
    git.args(["worktree", "list", "--porcelain"]);
    output(git, PATIENCE).map(|porcelain| paths(&porcelain))
}

/// Returns a command for git in a directory. The command runs no program of the repository.
pub(crate) fn git(directory: &Path) -> Command {
    let mut git = Command::new("git");
    // A repository can configure programs that git runs. These options disable them.
    git.args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor="]);
    // If commits are missing in a repository, git fetches them with a program that the repository configures as well.
    git.env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none");
    git.current_dir(directory);
    git
}

/// Returns the stdout of a program that succeeds before the timeout. After the timeout, the program is killed.
pub(crate) fn output(mut program: Command, patience: Duration) -> Option<Vec<u8>> {
    let deadline = Instant::now() + patience;
    program
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = Running(program.spawn().ok()?);
    let answer = child.0.stdout.take()?;
    let (sender, receiver) = channel();
    // Processes that git has started may hold the pipe open after git's exit. A separate thread reads the pipe, and
    // this function does not wait for that thread.
    thread::Builder::new()
        .name("claw-git".to_owned())
        .spawn(move || {
            let mut bytes = Vec::new();
            let read = answer.take(MOST).read_to_end(&mut bytes);
            let _ = sender.send(read.map(|_| bytes));
        })
        .ok()?;
    let bytes = receiver.recv_timeout(patience).ok()?.ok()?;
    // Git exits directly after its output, unless it hangs. A hanging git is killed.
    let status = loop {
        match child.0.try_wait().ok()? {
            Some(status) => break status,
            None if Instant::now() >= deadline => return None,
            None => thread::sleep(Duration::from_millis(1)),
        }
    };
    status.success().then_some(bytes)
}

/// A process that is killed when this value is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // If the process has already exited, the kill fails, which is harmless.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn paths(porcelain: &[u8]) -> Vec<PathBuf> {
    let lines = porcelain.split(|byte| *byte == b'\n');
    let paths = lines.filter_map(|line| line.strip_prefix(b"worktree "));
    paths
        .map(|path| PathBuf::from(String::from_utf8_lossy(path.trim_ascii_end()).into_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worktree_is_a_line_with_its_path() {
        let porcelain = b"worktree /a b\nHEAD 12\nbranch refs/heads/x\n\nworktree /c\ndetached\n";
        assert_eq!(paths(porcelain), [Path::new("/a b"), Path::new("/c")]);
    }

    #[test]
    fn a_program_that_hangs_is_not_waited_for() {
        let git = claw_testkit::processes::program().unwrap();
        let mark = std::process::id().to_string();
        let run = |steps: &[&str], patience| {
            let mut git = Command::new(&git);
            git.args(steps).env("CLAW_TEST_GIT", &mark);
            output(git, patience)
        };
        let long = Duration::from_mins(1);
        assert_eq!(run(&["say=a"], long).as_deref(), Some(&b"a\n"[..]));
        assert_eq!(run(&["say=a", "exit=1"], long), None);
        let begun = Instant::now();
        let short = Duration::from_millis(100);
        assert_eq!(run(&["say=a", "wait"], short), None);
        if cfg!(unix) {
            assert_eq!(run(&["say=a", "close-stdout", "wait"], short), None);
        }
        // The process that the program has started holds the pipe open.
        assert_eq!(run(&["spawn=wait", "say=a"], short), None);
        assert!(begun.elapsed() < long);
        let left = claw_testkit::processes::with_variable(&format!("CLAW_TEST_GIT={mark}"));
        for pid in left {
            claw_testkit::processes::kill(pid).unwrap();
        }
    }

    #[test]
    fn no_repository_has_no_trees() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(worktrees(folder.path()), [""; 0].map(PathBuf::from));
        assert_eq!(
            worktrees(Path::new("/nowhere/at/all")),
            [""; 0].map(PathBuf::from)
        );
    }
}
