use std::fs;
use std::path::Path;

use crate::{Error, Session, Sessions};

const ONE: &str = "11111111-1111-4111-8111-111111111111";

fn session(folder: &Path, text: &[u8]) -> Session {
    let path = folder.join("projects/p");
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join(format!("{ONE}.jsonl")), text).unwrap();
    Sessions::new(folder).find(ONE).unwrap()
}

fn place() -> &'static str {
    r#""parentUuid":null,"isSidechain":false,"uuid":"u","timestamp":"2026-11-22T10:00:00Z","sessionId":"s""#
}

fn user(content: &str) -> String {
    let place = place();
    format!(r#"{{"type":"user",{place},"message":{{"role":"user","content":{content}}}}}"#)
}

fn answer(block: &str) -> String {
    let place = place();
    format!(
        r#"{{"type":"assistant",{place},"message":{{"id":"m","type":"message","role":"assistant","model":"m","content":[{block}],"stop_reason":null,"stop_sequence":null,"usage":{{"output_tokens":1}}}}}}"#
    )
}

#[test]
fn a_conversation_is_readable_and_nothing_breaks_out_of_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let lines = [
        user(r#""First\n# no heading \u001b[31m""#),
        answer(r#"{"type":"text","text":"**Gladly.**\n"}"#),
        answer(r#"{"type":"tool_use","id":"t","name":"Ba`sh","input":{"command":"echo"}}"#),
        user(r#"[{"type":"tool_result","tool_use_id":"t","content":"```\n# out\n````"}]"#),
        user(r#"[{"type":"tool_result","tool_use_id":"t","is_error":true}]"#),
        answer(r#"{"type":"text","text":"Done."}"#),
        "{broken".to_owned(),
        user(r#""Thanks.""#),
    ];
    let session = session(folder.path(), (lines.join("\n") + "\n").as_bytes());
    let mut out = Vec::new();
    let problems = session.export_markdown(&mut out).unwrap();
    let expected = format!(
        "\
# First # no heading \\u{{1b}}[31m

Session `{ONE}`

## User

> First
> # no heading \\u{{1b}}[31m

## Claude

**Gladly.**

Uses `Ba'sh`:

```json
{{\"command\":\"echo\"}}
```

The tool gave:

`````
```
# out
````
`````

The tool failed, without words.

Done.

## User

> Thanks.
"
    );
    assert_eq!(String::from_utf8(out).unwrap(), expected);
    assert!(
        matches!(
            problems[..],
            [Error::Broken {
                count: 1,
                first: 7,
                ..
            }]
        ),
        "{problems:?}"
    );
}

#[test]
fn lines_are_kept_byte_by_byte() {
    let folder = tempfile::tempdir().unwrap();
    let text = b"{\"a\": 1.0}\n\n{broken \xff\r\n{\"b\":\"\\ud83d\"}\nno end";
    let session = session(folder.path(), text);
    let mut out = Vec::new();
    session.export_ndjson(&mut out).unwrap();
    assert_eq!(out, text);
}

#[test]
fn who_does_not_take_it_is_no_broken_transcript() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let session = session(folder.path(), user(r#""Hello""#).as_bytes());
    assert!(matches!(
        session.export_markdown(&mut Full),
        Err(Error::Write(_))
    ));
    assert!(matches!(
        session.export_ndjson(&mut Full),
        Err(Error::Write(_))
    ));
}

#[test]
fn an_answer_that_nobody_asked_for_is_not_written() {
    let text = r#"{"type":"text","text":"No response requested."}"#;
    let own = answer(text).replace(r#""model":"m""#, r#""model":"<synthetic>""#);
    for (line, is_written) in [(own, false), (answer(text), true)] {
        let folder = tempfile::tempdir().unwrap();
        let session = session(
            folder.path(),
            format!("{}\n{line}\n", user(r#""One""#)).as_bytes(),
        );
        let mut out = Vec::new();
        assert!(session.export_markdown(&mut out).unwrap().is_empty());
        let out = String::from_utf8(out).unwrap();
        assert_eq!(out.contains("No response"), is_written, "{out}");
    }
}
