//! Measures the cost of work as the number of instructions that the processor executes. Valgrind counts the
//! instructions. Their number does not depend on the load of the machine.
//!
//! ```no_run
//! use claw_testkit::cost::{Row, is_linear};
//!
//! // In the test `words::twice_as_many_words_take_twice_the_work`:
//! let row = Row::new("words", 100, |size| {
//!     let text = "word ".repeat(size);
//!     Box::new(move || assert_eq!(text.split_whitespace().count(), size))
//! });
//! is_linear("words::twice_as_many_words_take_twice_the_work", &[row]);
//! ```

use std::fs;
use std::hint::black_box;
use std::path::PathBuf;
use std::process::{Command, Stdio, id};

/// An environment variable that is set in the process whose instructions are counted.
const COUNTED: &str = "CLAW_TEST_COUNTED";

/// Work that is ready to run. Only the instructions of this function are counted, and not those of `prepare`.
pub type Work = Box<dyn FnOnce()>;

/// Work whose cost must be linear in the size of its input. The cost is the number of processor instructions.
#[must_use]
pub struct Row<'a> {
    what: String,
    size: usize,
    prepare: Box<dyn Fn(usize) -> Work + 'a>,
}

impl<'a> Row<'a> {
    /// Creates a row for work that runs with inputs of a quarter of the given size, of half this size and of this size.
    /// `prepare` receives the size and returns the work. The cost of `prepare` itself is not counted.
    pub fn new(what: impl Into<String>, size: usize, prepare: impl Fn(usize) -> Work + 'a) -> Self {
        Self {
            what: what.into(),
            size,
            prepare: Box::new(prepare),
        }
    }

    fn sizes(&self) -> [usize; 3] {
        [self.size / 4, self.size / 2, self.size]
    }
}

/// Checks that the cost of each row is linear. Each row runs at the sizes n/4, n/2 and n. The number of instructions
/// may increase from n/2 to n by at most twice the increase from n/4 to n/2, plus ten percent. Constant costs have no
/// influence on these differences, and costs of the first run are not counted. If a row exceeds this limit, all rows
/// are counted a second time. A row fails only if it exceeds the limit both times.
///
/// `test` is the full name of the test that calls this function, such as `growth::of_a_diff`. Valgrind runs this test
/// again in a separate process.
///
/// # Panics
///
/// Panics if a cost grows faster than linearly, or if valgrind is missing or fails.
pub fn is_linear(test: &str, rows: &[Row<'_>]) {
    if std::env::var_os(COUNTED).is_some() {
        for row in rows {
            // Runs the work once, so that one-time initialisation is not counted below.
            (row.prepare)(row.size / 4)();
            for size in row.sizes() {
                counted((row.prepare)(size));
            }
        }
        return;
    }
    let mut wrong = not_linear(rows, &instructions(test));
    if !wrong.is_empty() {
        // The counts of hash maps and of the allocator vary a little from run to run. Growth that is more than linear
        // appears in every run.
        let again = not_linear(rows, &instructions(test));
        wrong.retain(|(row, _)| again.iter().any(|(other, _)| other == row));
    }
    let wrong: Vec<_> = wrong.into_iter().map(|(_, growth)| growth).collect();
    assert!(wrong.is_empty(), "more than linear:\n{}", wrong.join("\n"));
}

/// Returns the indexes of the rows whose counts grow faster than linearly, each with its counts.
fn not_linear(rows: &[Row<'_>], counts: &[i64]) -> Vec<(usize, String)> {
    assert_eq!(
        counts.len(),
        3 * rows.len(),
        "each is counted at three sizes"
    );
    let mut wrong = Vec::new();
    for (index, (row, counts)) in rows.iter().zip(counts.chunks(3)).enumerate() {
        let (small, large) = (counts[1] - counts[0], counts[2] - counts[1]);
        let (what, sizes) = (&row.what, row.sizes());
        assert!(small > 0, "{what}: nothing was done");
        if 10 * large > 22 * small {
            let growth = format!("{what}: {counts:?} instructions for {sizes:?}");
            wrong.push((index, growth));
        }
    }
    wrong
}

/// Runs the work between two calls of [`cost_mark`].
fn counted(work: Work) {
    cost_mark();
    work();
    cost_mark();
}

/// A mark for valgrind. When this function returns, valgrind writes the counts to a file and resets them. Valgrind
/// finds the function by its name.
#[inline(never)]
fn cost_mark() {
    black_box(());
}

/// Returns the number of instructions of each work that [`counted`] ran, in order.
#[expect(
    clippy::expect_used,
    reason = "a test fails where they cannot be counted"
)]
fn instructions(test: &str) -> Vec<i64> {
    let folder = Folder(std::env::temp_dir().join(format!(
        "claw-cost-{}-{}",
        id(),
        test.replace("::", ".")
    )));
    fs::create_dir(&folder.0).expect("a folder for the counts");
    let mut valgrind = Command::new("valgrind");
    // `--zero-before` would save the first mark, but valgrind 3.19 does not accept it together with `--dump-after`.
    valgrind.args(["--tool=callgrind", "--dump-after=*cost_mark*"]);
    let file = |name: &str| folder.0.join(name);
    valgrind.arg(format!("--callgrind-out-file={}", file("counts").display()));
    valgrind.arg(std::env::current_exe().expect("this test's program"));
    let run = valgrind
        .args([test, "--exact", "--test-threads=1"])
        .env(COUNTED, "1")
        .stdin(Stdio::null())
        .output()
        .expect("valgrind is there: apt-get install --no-install-recommends valgrind");
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{errors}");
    let total = |number: usize| {
        let counts = fs::read_to_string(file(&format!("counts.{number}"))).ok()?;
        let total = counts
            .lines()
            .find_map(|line| line.strip_prefix("totals: "));
        Some(total.expect("a total").trim().parse().expect("a number"))
    };
    // Every second dump counts the work. The other dumps count the preparation.
    (2..).step_by(2).map_while(total).collect()
}

/// A folder that is deleted together with its files when it is dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // If this fails, the folder remains in the folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
