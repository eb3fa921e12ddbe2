//! Runs a test in a separate process, apart from the other tests of its program.

use std::env;
use std::process::Command;

/// An environment variable that is set in the separate process. Its value is the name of the test.
const INSIDE: &str = "CLAW_TEST_ALONE";

/// Returns whether this process runs only the test with this name (`module::function`). If not, this function runs that
/// test in a separate process, prints the test's output, and returns false.
///
/// Use it for a test that measures its process: memory, threads, file descriptors.
///
/// ```no_run
/// fn nothing_is_left() {
///     if !claw_testkit::alone("threads::nothing_is_left") {
///         return;
///     }
///     // Count the threads of this process.
/// }
/// ```
///
/// # Panics
/// Panics if the test fails in the separate process, or if no test has this name.
#[expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test fails where it cannot be started; what it wrote is the test's output"
)]
pub fn alone(name: &str) -> bool {
    if env::var_os(INSIDE).is_some() {
        return true;
    }
    let output = Command::new(env::current_exe().expect("this test's program"))
        .args(["--exact", "--nocapture", name])
        .env(INSIDE, name)
        .output()
        .expect("this test's program runs");
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(
        output.status.success() && out.contains("1 passed"),
        "{out}\n{err}"
    );
    print!("{out}");
    false
}
