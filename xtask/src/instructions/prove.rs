//! Inserts slow-downs into a copy of the project, and checks that the counts reveal each of them.

use std::fs;
use std::path::Path;

use super::{baseline, count, differences};
use xtask::run::Result;
use xtask::workspace::Workspace;

/// A slow piece of code that is inserted after a fast one.
struct SlowDown {
    name: &'static str,
    file: &'static str,
    quick: &'static str,
    slow: &'static str,
    /// The beginnings of the names of rows. At least one row with such a name must change, and no other row may change.
    rows: &'static [&'static str],
}

const LINE: &str = "crates/claw-wire/src/line.rs";
const READS: &str = "pub fn decode_line<U: Union>(line: &[u8]) -> Result<U, DecodeError> {\n";

const DECODE: [&str; 2] = ["claw-types decode", "claw-client turn"];

const SLOW_DOWNS: [SlowDown; 4] = [
    SlowDown {
        name: "a clone of the line",
        file: LINE,
        quick: READS,
        slow: "    let line = &std::hint::black_box(line.to_vec())[..];\n",
        rows: &DECODE,
    },
    SlowDown {
        name: "a detour through Value",
        file: LINE,
        quick: READS,
        slow: "    let line = &serde_json::from_slice::<serde_json::Value>(line).map(|value| value.to_string().into_bytes()).unwrap_or_else(|_| line.to_vec())[..];\n",
        rows: &DECODE,
    },
    SlowDown {
        name: "a line written twice",
        file: "crates/claw-types/src/line.rs",
        quick: "    let mut line = Vec::with_capacity(512);\n",
        slow: "    value.append_line(&mut line)?;\n    line = std::hint::black_box(line);\n    line.clear();\n",
        rows: &["claw-types encode"],
    },
    SlowDown {
        name: "a line parsed before it is handed on",
        file: "crates/claw-client/src/driver/reading.rs",
        quick: "            taken += 1;\n",
        slow: "            if let LineItem::Line(line) = &line { drop(std::hint::black_box(serde_json::from_slice::<serde::de::IgnoredAny>(&line.raw))); }\n",
        rows: &["claw-client turn"],
    },
];

pub(super) fn main(workspace: &Workspace) -> Result {
    let accepted = baseline(&workspace.root)?;
    let copy = workspace.ci_directory().join("prove");
    for slow in &SLOW_DOWNS {
        println!("\n=== {} ===", slow.name);
        for file in workspace.files()? {
            put(&copy.join(&file), &fs::read(workspace.root.join(&file))?)?;
        }
        let file = copy.join(slow.file);
        let text = fs::read_to_string(&file)?;
        let Some((before, behind)) = text.split_once(slow.quick) else {
            return Err(format!("{} no longer has {:?}", slow.file, slow.quick).into());
        };
        put(
            &file,
            [before, slow.quick, slow.slow, behind].concat().as_bytes(),
        )?;
        let report = differences(
            &accepted,
            &count(&copy, &workspace.ci_directory().join("proof"))?,
        );
        let (must, others): (Vec<_>, Vec<_>) = report
            .into_iter()
            .partition(|row| slow.rows.iter().any(|start| row.starts_with(start)));
        println!("told: {}", must.join("; "));
        // The rows need not all change. On long lines, for example, the cost of a clone is small compared with the
        // rest.
        if must.is_empty() || !others.is_empty() {
            return Err(format!("{}: not told of it, or of others: {others:?}", slow.name).into());
        }
    }
    Ok(())
}

/// Writes a file if its contents differ. Unchanged files are not built again.
fn put(file: &Path, text: &[u8]) -> Result {
    if fs::read(file).ok().as_deref() != Some(text) {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, text)?;
    }
    Ok(())
}
