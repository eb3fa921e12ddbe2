//! Tests with a process and a folder for temporary files of their own.

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

const INSIDE: &str = "CLAW_TEST_APART";

/// Whether this process runs nothing but the test with this name. Where it does not, that test is run in a process with
/// an empty folder for temporary files, in which nothing may be left.
pub(crate) fn apart(name: &str) -> bool {
    if part().is_some() {
        return true;
    }
    let temporary = tempfile::tempdir().unwrap();
    let output = Part::new(name, "all").temporary(temporary.path()).run();
    assert_passed(&output);
    print!("{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(left_in(temporary.path()), [""; 0]);
    false
}

/// The part of a test that this process is. `None`: the test itself.
pub(crate) fn part() -> Option<String> {
    std::env::var(INSIDE).ok()
}

/// A part of a test, in a process of its own.
pub(crate) struct Part(Command);

impl Part {
    /// Of the test with this name (`module::function`).
    pub(crate) fn new(test: &str, part: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "--nocapture", test])
            .env(INSIDE, part);
        Self(command)
    }

    pub(crate) fn temporary(self, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into().display().to_string();
        // The first is Unix's, the others are Windows's.
        let variables = ["TMPDIR", "TMP", "TEMP"].into_iter();
        variables.fold(self, |part, name| part.env(name, &folder))
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.0.env(name, value);
        self
    }

    /// Starts it. It does not outlive what is returned.
    pub(crate) fn spawn(mut self) -> Running {
        Running(self.0.stdout(Stdio::null()).spawn().unwrap())
    }

    pub(crate) fn run(mut self) -> Output {
        self.0.output().unwrap()
    }
}

pub(crate) struct Running(Child);

impl Running {
    /// SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

pub(crate) fn assert_passed(output: &Output) {
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(
        output.status.success() && out.contains("1 passed"),
        "{out}\n{err}"
    );
}

/// What a folder has, by its names.
pub(crate) fn left_in(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.collect()
}
