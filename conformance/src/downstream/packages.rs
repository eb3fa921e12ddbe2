//! Tests the packages for other languages: builds them from the generated code, installs them into an empty project,
//! and reads lines with them.

use std::path::Path;

use serde_json::{Value, json};

use super::lines::{Lines, WAYS};
use super::{read, shell};
use xtask::run::{Result, run};

/// A package in schemas/packages.
pub(super) struct Package {
    folder: &'static str,
    /// The command of the empty project's program, which is compiled if necessary.
    program: &'static [&'static str],
}

pub(super) const NPM: Package = Package {
    folder: "npm",
    program: &["node", "dist/read.js"],
};

pub(super) const PYTHON: Package = Package {
    folder: "python",
    program: &["bin/python", "read.py"],
};

impl Package {
    /// Builds the package and the project, and reads the lines of both directions with the project's program.
    ///
    /// # Errors
    /// Fails if a build fails, if a line of the fixtures or of an internal kind is refused, lost or changed, or if an
    /// invalid line is not refused with the path of the mistake.
    pub(super) fn check(&self, lines: &Lines, copy: &Path, by_tags: bool) -> Result {
        let folder = copy.join("schemas/packages").join(self.folder);
        run(shell(&folder).arg("sh build.sh"))?;
        let project = folder.join("empty");
        for way in WAYS {
            let whole = lines.whole(way);
            let found = read(self.program, &project, way, &whole)?;
            let unknown = lines.unknown(way, by_tags);
            let known = whole.lines().count() - unknown;
            let is_right = found["known"] == known && found["unknown"] == unknown;
            if !is_right || !is_clean(&found) {
                let text = format!("{known} lines are known, {unknown} are not; {found}");
                return Err(format!("package {}, {way}: {text}", self.folder).into());
            }
            // A line with half of a surrogate pair may be known or unknown, but must not be refused.
            let cut = lines.cut(way);
            let after = read(self.program, &project, way, &cut)?;
            let count = |key: &str| after[key].as_u64().unwrap_or_default();
            if count("known") + count("unknown") != cut.lines().count() as u64 || !is_clean(&after)
            {
                return Err(format!("package {}: {after} of {cut}", self.folder).into());
            }
            let name = self.folder;
            println!("package {name}, {way}: {known} lines known, {unknown} kept as they are");
            if way == "stdout" {
                self.reaches(&found)?;
            }
        }
        self.keeps(&project)?;
        self.refuses(&project)
    }

    /// Fails unless a line of an internal kind in another form is kept as an unknown line.
    fn keeps(&self, project: &Path) -> Result {
        let line = json!({
            "type": "system", "subtype": "task_summary", "detail": 7, "uuid": "u", "session_id": "s"
        });
        let found = read(self.program, project, "stdout", &line.to_string())?;
        if found["unknown"] == 1 && is_clean(&found) {
            Ok(())
        } else {
            Err(format!("package {}: {line} is internal; {found}", self.folder).into())
        }
    }

    /// Fails unless the program accessed the contents of the lines.
    fn reaches(&self, found: &Value) -> Result {
        match ["tools", "asks"].iter().find(|fact| found[**fact] == 0) {
            Some(fact) => Err(format!("package {}: no {fact} in {found}", self.folder).into()),
            None => Ok(()),
        }
    }

    /// Fails unless each invalid line is refused with the path of its mistake.
    fn refuses(&self, project: &Path) -> Result {
        let (lines, paths): (Vec<_>, Vec<_>) = wrong().into_iter().unzip();
        let found = read(self.program, project, "stdout", &lines.join("\n"))?;
        if found["wrong"] == json!(paths) {
            Ok(())
        } else {
            Err(format!("package {}: {paths:?} are wrong; {found}", self.folder).into())
        }
    }
}

/// Whether no line was refused, or had other contents after it was read.
fn is_clean(found: &Value) -> bool {
    ["wrong", "changed"].iter().all(|key| {
        let lines = found[*key].as_array();
        lines.is_none_or(Vec::is_empty)
    })
}

/// Returns invalid lines, each with the path of its mistake.
fn wrong() -> Vec<(String, &'static str)> {
    let answer = |block: Value| {
        json!({
            "type": "assistant", "uuid": "u", "session_id": "s", "parent_tool_use_id": null,
            "message": {
                "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [block],
                "stop_reason": null, "stop_sequence": null,
                "usage": { "input_tokens": 1, "output_tokens": 1 }
            }
        })
        .to_string()
    };
    let use_of = |name: Value| json!({ "type": "tool_use", "id": "t", "name": name, "input": {} });
    vec![
        (answer(use_of(json!(7))), "/message/content/0/name"),
        (answer(json!({ "type": "text" })), "/message/content/0"),
        ("half of a line".to_owned(), ""),
        ("[]".to_owned(), ""),
        ("{\"type\":NaN}".to_owned(), ""),
        ("[".repeat(100_000) + &"]".repeat(100_000), ""),
    ]
}
