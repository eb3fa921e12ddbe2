//! `docs/sentences.md` names each sentence that claw makes of the CLI's fields, and stays true.

use std::fs;
use std::path::Path;

/// The sources whose sentences are all in the table.
const WHOLE: [&str; 7] = [
    "crates/claw-view/src/folders.rs",
    "crates/claw-view/src/permission.rs",
    "crates/claw-view/src/servers.rs",
    "crates/claw-view/src/timeline/notice.rs",
    "crates/claw-acp/src/tool_request.rs",
    "crates/claw-cli/src/ask/question.rs",
    "crates/claw-server/src/page/requests.rs",
];

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A text with its white space as single spaces.
fn flat(text: &str) -> String {
    let text = text.replace("\\\n", " ").replace("\\\"", "\"");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The rows: sentence, source, when it is true, test.
fn rows(table: &str) -> Vec<[String; 4]> {
    let lines = table.lines().filter(|line| line.starts_with("| `"));
    let row = |line: &str| {
        let cells: Vec<_> = line.trim_matches('|').split(" | ").collect();
        let cells: [&str; 4] = cells.try_into().unwrap_or_else(|_| panic!("{line}"));
        cells.map(|cell| cell.trim().to_owned())
    };
    lines.map(row).collect()
}

/// What is in back quotes.
fn code(cell: &str) -> &str {
    cell.trim_matches('`')
}

#[test]
fn each_sentence_of_the_table_stands_in_its_source_and_has_a_test() {
    let rows = rows(&read("docs/sentences.md"));
    assert!(rows.len() > 40, "{}", rows.len());
    for [sentence, source, when, test] in &rows {
        let text = flat(&read(code(source)));
        for part in code(sentence).split('…').map(str::trim) {
            assert!(text.contains(part), "{source} does not say {part:?}");
        }
        assert!(!when.is_empty(), "{sentence}");
        let (file, name) = code(test).split_once(": ").unwrap();
        let tests = read(file);
        let is_there =
            tests.contains(&format!("fn {name}(")) || tests.contains(&format!("'{name}'"));
        assert!(is_there, "{file} has no test {name}");
    }
}

/// The texts of a source, without its tests, comments and documentation.
fn literals(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]").next().unwrap();
    let code = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let code = flat(&code.collect::<Vec<_>>().join("\n").replace("\\\"", "'"));
    let texts = code.split('"').skip(1).step_by(2);
    texts.map(str::to_owned).collect()
}

/// The parts of a text that a person reads: without markup, and without what is put in.
fn words(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_u32;
    for c in text.chars() {
        match c {
            '<' | '{' => {
                depth += 1;
                parts.push(String::new());
            }
            '>' | '}' => depth = depth.saturating_sub(1),
            c if depth == 0 => parts.last_mut().unwrap().push(c),
            _ => {}
        }
    }
    let is_sentence = |part: &String| {
        let words = part.split(' ').filter(|word| word.len() > 1);
        words
            .filter(|word| word.chars().all(|c| c.is_alphabetic() || c == '\''))
            .count()
            > 2
    };
    let parts = parts.into_iter().map(|part| part.trim().to_owned());
    parts.filter(is_sentence).collect()
}

#[test]
fn no_sentence_of_these_sources_is_missing_in_the_table() {
    let table = flat(&read("docs/sentences.md")).replace(['“', '”'], "'");
    for source in WHOLE {
        for text in literals(&read(source)) {
            for part in words(&text) {
                let part = part.replace(['“', '”'], "'");
                assert!(table.contains(&part), "{source}: the table lacks {part:?}");
            }
        }
    }
}
