use claw_types::Json;
use claw_types::tool::{ToolInput, ToolOutput};
use serde_json::json;

use super::*;

fn of_input(tool: &str, input: serde_json::Value) -> FileDiff {
    FileDiff::of_input(&ToolInput::of(tool, &Json::from(input)).unwrap()).unwrap()
}

fn of_output(tool: &str, output: serde_json::Value) -> Option<FileDiff> {
    FileDiff::of_output(&ToolOutput::of(tool, &Json::from(output)).unwrap())
}

fn lines(diff: &FileDiff) -> Vec<String> {
    let lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
    let number = |number: Option<u64>| number.map_or("-".to_owned(), |number| number.to_string());
    let line = |line: &DiffLine| {
        let numbers = (number(line.old_line), number(line.new_line));
        format!(
            "{} {} {}{}",
            numbers.0,
            numbers.1,
            line.kind.sign(),
            line.text
        )
    };
    lines.map(line).collect()
}

fn numbered(word: &str, numbers: impl Iterator<Item = usize>) -> String {
    let lines: Vec<_> = numbers.map(|number| format!("{word} {number}\n")).collect();
    lines.concat()
}

#[test]
fn counts_in_words() {
    assert_eq!(summary(16, 2), "Added 16 lines, removed 2 lines");
    assert_eq!(summary(1, 1), "Added 1 line, removed 1 line");
    assert_eq!(summary(3, 0), "Added 3 lines");
    assert_eq!(summary(0, 1), "Removed 1 line");
    assert_eq!(summary(0, 0), "No changes");
}

#[test]
fn an_edit_is_numbered_by_its_passage_until_the_result_knows_the_file() {
    let edit = json!({"file_path": "/work/project/a.rs", "old_string": "a\nb\nc", "new_string": "a\nB\nc\nd"});
    let diff = of_input("Edit", edit);
    assert!(!diff.numbered);
    assert_eq!(
        lines(&diff),
        ["1 1  a", "2 - -b", "- 2 +B", "3 3  c", "- 4 +d"]
    );

    let result = json!({"filePath": "/work/project/a.rs", "oldString": "b", "newString": "B",
        "originalFile": null, "structuredPatch": [{"oldStart": 40, "oldLines": 3, "newStart": 41,
        "newLines": 3, "lines": [" a", "-b", "+B", " c", "\\ No newline at end of file"]}],
        "userModified": false, "replaceAll": false});
    let diff = of_output("Edit", result).unwrap();
    assert!(diff.numbered);
    assert_eq!(lines(&diff), ["40 41  a", "41 - -b", "- 42 +B", "42 43  c"]);
    assert_eq!(diff.summary(), "Added 1 line, removed 1 line");
}

#[test]
fn without_a_patch_the_file_before_is_compared() {
    let file = numbered("line", 1..=9);
    let result = json!({"filePath": "/work/project/a", "oldString": "line 7", "newString": "seven",
        "originalFile": file, "structuredPatch": [], "userModified": false, "replaceAll": false});
    let diff = of_output("Edit", result).unwrap();
    assert_eq!(diff.hunks[0].old_start, 4);
    assert!(lines(&diff).contains(&"7 - -line 7".to_owned()));
    let nothing = json!({"filePath": "/work/project/a", "oldString": "a", "newString": "b",
        "originalFile": null, "structuredPatch": [], "userModified": false, "replaceAll": false});
    assert_eq!(of_output("Edit", nothing), None);
}

#[test]
fn a_file_that_is_written_is_new_or_compared() {
    let new = json!({"type": "create", "filePath": "/a", "content": "x\ny\n", "structuredPatch": [], "originalFile": null});
    let diff = of_output("Write", new).unwrap();
    assert_eq!(
        (diff.status, diff.added, diff.removed),
        (FileStatus::Added, 2, 0)
    );
    let update = json!({"type": "update", "filePath": "/a", "content": "x\nz\n", "structuredPatch": [], "originalFile": "x\ny\n"});
    let diff = of_output("Write", update).unwrap();
    assert_eq!(
        (diff.status, diff.added, diff.removed),
        (FileStatus::Modified, 1, 1)
    );
}

#[test]
fn several_edits_are_several_hunks() {
    let edits =
        json!([{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "c\nd"}]);
    let diff = of_input("MultiEdit", json!({"file_path": "/a", "edits": edits}));
    assert_eq!((diff.hunks.len(), diff.added, diff.removed), (2, 2, 1));
}

#[test]
fn tools_that_change_no_file_have_no_diff() {
    let input = ToolInput::of("Bash", &Json::from(json!({"command": "ls"}))).unwrap();
    assert_eq!(FileDiff::of_input(&input), None);
}

#[test]
fn what_is_too_long_to_compare_changes_as_a_whole() {
    let old = numbered("old", 0..5_000);
    let new = numbered("new", 0..5_000);
    let edit = json!({"file_path": "/a", "old_string": format!("same\n{old}end\n"), "new_string": format!("same\n{new}end\n")});
    let diff = of_input("Edit", edit);
    assert_eq!((diff.added, diff.removed), (5_000, 5_000));
    assert_eq!(
        (diff.hunks[0].old_start, diff.hunks[0].old_lines),
        (1, 5_002)
    );
}

const GIT: &str = "\
commit 1234
diff --git a/src/main.rs b/src/main.rs
index 111..222 100644
--- a/src/main.rs
+++ b/src/main.rs
@@ -1,3 +1,4 @@ fn main()
 one
--- a comment that goes
+++ a comment that comes
+two
 three
@@ -10 +11 @@
-ten
\\ No newline at end of file
+TEN
\\ No newline at end of file
diff --git a/old name.txt b/new name.txt
similarity index 100%
rename from old name.txt
rename to new name.txt
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1,2 +0,0 @@
-a
-b
diff --git a/made b/made
new file mode 100644
--- /dev/null
+++ b/made
@@ -0,0 +1 @@
+a
diff --git a/picture.png b/picture.png
Binary files a/picture.png and b/picture.png differ
diff --git \"a/gr\\303\\274n.txt\" \"b/gr\\303\\274n.txt\"
new file mode 100644
";

#[test]
fn a_diff_of_git_is_read_file_by_file() {
    let files = git(GIT);
    let names: Vec<_> = files
        .iter()
        .map(|file| (&*file.path, file.status))
        .collect();
    assert_eq!(
        names,
        [
            ("src/main.rs", FileStatus::Modified),
            ("new name.txt", FileStatus::Renamed),
            ("gone", FileStatus::Deleted),
            ("made", FileStatus::Added),
            ("picture.png", FileStatus::Modified),
            ("grün.txt", FileStatus::Added),
        ]
    );
    assert_eq!(
        lines(&files[0]),
        [
            "1 1  one",
            "2 - --- a comment that goes",
            "- 2 +++ a comment that comes",
            "- 3 +two",
            "3 4  three",
            "10 - -ten",
            "- 11 +TEN"
        ]
    );
    assert_eq!(files[1].old_path.as_deref(), Some("old name.txt"));
    assert_eq!(files[0].old_path, None);
    assert_eq!((files[2].removed, files[3].added), (2, 1));
    assert!(files[4].binary);
}

#[test]
fn a_unified_diff_of_another_program_is_read_too() {
    let files = git(
        "--- old/a.txt\t2025-01-01\n+++ new/a.txt\t2025-01-02\n@@ -1 +1 @@\n-a\n+b\n--- x\n+++ y\n@@ -1 +1 @@\n-a\n+b\n",
    );
    let names: Vec<_> = files.iter().map(|file| &*file.path).collect();
    assert_eq!(names, ["new/a.txt", "y"]);
    assert_eq!(files[0].old_path.as_deref(), Some("old/a.txt"));
}

#[test]
fn what_is_no_diff_has_no_files() {
    for text in ["", "hello", "@@ -1 +1 @@\n-a", "@@ nonsense @@", "--- a"] {
        assert!(git(text).is_empty(), "{text}");
    }
    assert_eq!(git("diff --git a/x").len(), 1);
    assert!(
        git("diff --git a/x b/x\n@@ -1,99999999999999999999 +1 @@\n-a")
            .iter()
            .all(|file| file.hunks.is_empty())
    );
}

fn of_input_in(tool: &str, input: serde_json::Value, contents: &str) -> FileDiff {
    let input = ToolInput::of(tool, &Json::from(input)).unwrap();
    FileDiff::of_input_in(&input, contents).unwrap()
}

#[test]
fn a_change_that_is_asked_for_has_the_numbers_of_the_file() {
    let file = numbered("line", 1..=60);
    let edit = |old: &str, all: bool| json!({"file_path": "a", "old_string": old, "new_string": "X", "replace_all": all});
    let diff = of_input_in("Edit", edit("line 42", false), &file);
    assert!(diff.numbered);
    assert_eq!(lines(&diff)[3..5], ["42 - -line 42", "- 42 +X"]);
    // The tool would refuse these replacements. So the diff does not have the line numbers of the file.
    for input in [edit("line 4", false), edit("line 99", false)] {
        let diff = of_input_in("Edit", input, &file);
        assert!(!diff.numbered);
        assert!(lines(&diff)[0].starts_with("1 - -line"), "{diff:?}");
    }
    assert_eq!(of_input_in("Edit", edit("line 4", true), &file).removed, 11);
    let step = |old: &str, new: &str| json!({"old_string": old, "new_string": new});
    let steps = json!({"file_path": "a", "edits": [step("line 42\n", "Y\n"), step("Y", "Z")]});
    assert_eq!(
        lines(&of_input_in("MultiEdit", steps, &file))[3..5],
        ["42 - -line 42", "- 42 +Z"]
    );
    let write = json!({"file_path": "a", "content": file.replace("line 42\n", "")});
    let diff = of_input_in("Write", write, &file);
    assert_eq!((diff.added, diff.removed), (0, 1));
    assert_eq!(lines(&diff)[3], "42 - -line 42");
}

#[test]
fn a_file_that_cannot_be_read_has_no_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let edit = |path: &std::path::Path| {
        let edit = json!({"file_path": path, "old_string": "b\n", "new_string": "B\n"});
        let input = ToolInput::of("Edit", &Json::from(edit)).unwrap();
        FileDiff::on_disk(&input).unwrap().numbered
    };
    assert!(!edit(&path));
    assert!(!edit(folder.path()));
    std::fs::write(&path, "a\nb\n").unwrap();
    assert!(edit(&path));
    std::fs::write(&path, b"a\nb\n\xff").unwrap();
    assert!(!edit(&path));
}

fn edit_output(old: &str, new: &str, original: Option<&str>) -> ToolOutput {
    let output = json!({"filePath": "/a", "oldString": old, "newString": new, "originalFile": original,
        "structuredPatch": [], "userModified": false, "replaceAll": false});
    ToolOutput::of("Edit", &Json::from(output)).unwrap()
}

fn write_output(kind: &str, content: &str, original: Option<&str>) -> ToolOutput {
    let output = json!({"type": kind, "filePath": "/a", "content": content, "structuredPatch": [], "originalFile": original});
    ToolOutput::of("Write", &Json::from(output)).unwrap()
}

#[test]
fn many_edits_of_a_file_are_one_diff_in_any_order() {
    let outputs = [
        ("1", edit_output("a", "A", Some("a\nb\nc\n"))),
        ("2", edit_output("b", "B", Some("A\nb\nc\n"))),
        ("3", edit_output("B", "b", Some("A\nB\nc\n"))),
    ];
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let mut edits = CombinedEdits::default();
        for at in order {
            edits.push(outputs[at].0, &outputs[at].1);
        }
        let combined = edits.diff("a", &Contents::Unknown, None).unwrap();
        assert!(combined.is_combined);
        assert_eq!(
            lines(&combined.diff),
            ["1 - -a", "- 1 +A", "2 2  b", "3 3  c"]
        );
        assert_eq!(edits.edits(), 3);
        // The caller passes the contents that the file has on the disk. These are used instead of the contents after
        // the last edit.
        let now = Contents::of("a\nb\nc\n");
        assert_eq!(edits.diff("a", &now, None), None);
        let gone = edits.diff("a", &Contents::Missing, None).unwrap();
        assert_eq!(
            (gone.diff.status, gone.diff.removed),
            (FileStatus::Deleted, 3)
        );
    }
}

#[test]
fn a_new_file_is_added_and_one_that_is_gone_again_is_no_change() {
    let mut edits = CombinedEdits::default();
    edits.push("1", &write_output("create", "x\n", None));
    edits.push("2", &write_output("update", "x\ny\n", Some("x\n")));
    let combined = edits.diff("a", &Contents::Unknown, None).unwrap();
    assert_eq!(
        (combined.diff.status, combined.diff.added),
        (FileStatus::Added, 2)
    );
    assert_eq!(edits.diff("a", &Contents::Missing, None), None);
}

#[test]
fn without_the_file_before_the_edits_are_listed_one_after_the_other() {
    let mut edits = CombinedEdits::default();
    let patch = |line: &str, at: u64| {
        let hunk = json!({"oldStart": at, "oldLines": 1, "newStart": at, "newLines": 1, "lines": [format!("-{line}"), "+X"]});
        let output = json!({"filePath": "/a", "oldString": line, "newString": "X", "originalFile": null,
            "structuredPatch": [hunk], "userModified": false, "replaceAll": false});
        ToolOutput::of("Edit", &Json::from(output)).unwrap()
    };
    edits.push("1", &patch("one", 7));
    edits.push("2", &patch("two", 3));
    let combined = edits.diff("a", &Contents::of("X\n"), None).unwrap();
    assert!(!combined.is_combined && !combined.is_cut);
    assert_eq!(
        lines(&combined.diff),
        ["7 - -one", "- 7 +X", "3 - -two", "- 3 +X"]
    );
    // A thousand long edits use a limited amount of memory. Nevertheless, all of them are counted.
    let long = "x".repeat(2_000);
    for at in 0..1_000 {
        edits.push("3", &patch(&long, at));
    }
    assert!(edits.bytes() <= 300_000, "{}", edits.bytes());
    let combined = edits.diff("a", &Contents::Unknown, None).unwrap();
    assert!(combined.is_cut);
    assert_eq!((combined.diff.added, combined.diff.removed), (1_002, 1_002));
    edits.forget_texts();
    assert_eq!(edits.bytes(), 0);
    let combined = edits.diff("a", &Contents::Unknown, None).unwrap();
    assert!(combined.is_cut && combined.diff.hunks.is_empty());
}

#[test]
fn edits_of_which_only_the_input_is_known_are_combined_as_far_as_they_can_be() {
    let input =
        |tool: &str, input: serde_json::Value| ToolInput::of(tool, &Json::from(input)).unwrap();
    let write = input("Write", json!({"file_path": "/a", "content": "x\ny\n"}));
    assert_eq!(path_to_change(&write), Some("/a"));
    let mut edits = CombinedEdits::default();
    edits.push_input("1", &write, true);
    let combined = edits.diff("a", &Contents::Unknown, None).unwrap();
    assert_eq!(lines(&combined.diff), ["- 1 +x", "- 2 +y"]);
    assert!(combined.is_combined && combined.diff.status == FileStatus::Added);
    let edit = json!({"file_path": "/a", "old_string": "x", "new_string": "z"});
    let mut edits = CombinedEdits::default();
    edits.push_input("1", &input("Edit", edit), false);
    let combined = edits.diff("a", &Contents::of("z\ny\n"), None).unwrap();
    assert_eq!(lines(&combined.diff), ["1 - -x", "- 1 +z"]);
    assert!(!combined.is_combined && !combined.diff.numbered);
    let bash = input("Bash", json!({"command": "ls"}));
    edits.push_input("2", &bash, false);
    assert_eq!((edits.edits(), path_to_change(&bash)), (1, None));
}

#[test]
fn a_change_that_is_held_back_or_has_failed_is_none() {
    let mut staged = json!({"filePath": "/a", "oldString": "a", "newString": "b", "originalFile": "a",
        "structuredPatch": [], "userModified": false, "replaceAll": false, "staged": true});
    let mut edits = CombinedEdits::default();
    let output = ToolOutput::of("Edit", &Json::from(staged.clone())).unwrap();
    assert_eq!(changed_path(&output), None);
    edits.push("1", &output);
    assert_eq!(edits.edits(), 0);
    // A person has changed the proposal, so the contents after the edit are unknown.
    staged["staged"] = false.into();
    staged["userModified"] = true.into();
    edits.push("1", &ToolOutput::of("Edit", &Json::from(staged)).unwrap());
    let combined = edits.diff("a", &Contents::Unknown, None).unwrap();
    assert!(!combined.is_combined);
    let combined = edits.diff("a", &Contents::of("c"), None).unwrap();
    assert_eq!(lines(&combined.diff), ["1 - -a", "- 1 +c"]);
}

#[test]
fn with_a_deadline_long_passages_are_compared_and_a_past_one_ends_the_comparison() {
    let old = numbered("line", 0..9_000);
    let new = old
        .replace("line 10\n", "ten\n")
        .replace("line 8000\n", "eight\n");
    let mut edits = CombinedEdits::default();
    edits.push("1", &write_output("update", &new, Some(&old)));
    let diff = |until| {
        edits
            .diff("a", &Contents::Unknown, Some(until))
            .unwrap()
            .diff
    };
    let now = std::time::Instant::now();
    let whole = diff(now + std::time::Duration::from_mins(1));
    assert_eq!((whole.added, whole.removed, whole.hunks.len()), (2, 2, 2));
    let cut = diff(now);
    assert!(cut.added >= 2 && cut.added == cut.removed, "{}", cut.added);
}

#[test]
fn a_truncated_diff_keeps_its_counts() {
    let mut diff = of_output(
        "Write",
        json!({"type": "create", "filePath": "/a", "content": numbered("line", 0..100),
        "structuredPatch": [], "originalFile": null}),
    )
    .unwrap();
    let whole = diff.clone();
    assert!(!diff.truncate(10_000));
    assert_eq!(diff, whole);
    assert!(diff.truncate(20));
    assert_eq!((diff.added, lines(&diff).len()), (100, 2));
    assert!(diff.truncate(0));
    assert!(diff.hunks.is_empty());
}
