use super::super::names::names;
use super::*;
use xtask_recordings::fixtures::changes::add;

const OLD: &str = r#"u({subtype:P("init"),mode:r()}),["local","hook"]"#;
const NEW: &str = r#"u({subtype:P("init"),mode:r(),rowSource:e(["local","hook"]).optional().describe("From (here), or not"),x:1}),
u({hook_event_name:P("PreDance"),command:r(),shell:r().optional()}),{kind:a,rowSource:b.c},["local","hook","harness"],
{type:"system",subtype:"task",ownNote:!0}"#;

fn traits(lines: &str) -> Traits {
    let mut traits = Traits::new();
    add(&mut traits, "fixtures/a/stdout.ndjson", lines);
    traits
}

/// The section of a page, whose executables are the texts above.
fn section() -> String {
    let known = BTreeSet::from(["local", "source", "type", "user", "command"]);
    let mut missing = Missing::default();
    missing.add_names(&names(OLD.as_bytes()), &names(NEW.as_bytes()), &known);
    let old = traits(r#"{"type":"user","source":"local"}"#);
    let lines = [
        r#"{"type":"user","source":"local","command":1}"#,
        r#"{"type":"user","source":"harness","rowSource":"local"}"#,
        r#"{"type":"api-request-blob","odd":1}"#,
    ];
    missing.add_traits(&old, &traits(&lines.join("\n")), &known);
    missing.section(NEW.as_bytes(), |name| {
        let is_new = name == "harness";
        if is_new { "2.0.2" } else { "2.0.1" }.to_owned()
    })
}

#[test]
fn what_is_new_and_unknown_comes_with_its_places_and_declaration() {
    assert_eq!(
        section(),
        "\n## New, and without a type\n\
         \n### `PreDance`, since 2.0.1\n\n- Hook events: `PreDance`\n\
         \n```text\nhook_event_name:P(\"PreDance\"),command:r(),shell:r().optional()\n```\n\
         \n### `ownNote`, since 2.0.1\n\n- Fields of messages and requests that the CLI writes: `task.ownNote`\n\
         \n```text\nownNote:!0\n```\n\
         \n### `rowSource`, since 2.0.1\n\n- `user.rowSource`\n\
         \n```text\nrowSource:e([\"local\",\"hook\"]).optional().describe(\"From (here), or not\")\n```\n\
         \n### `harness`, since 2.0.2\n\n- `user.source = \"harness\"`\n\
         \n```text\n[\"local\",\"hook\",\"harness\"]\n```\n"
    );
}

#[test]
fn nothing_new_is_none() {
    let text = Missing::default().section(NEW.as_bytes(), str::to_owned);
    assert_eq!(text, "\n## New, and without a type\n\nnone\n");
}

#[test]
fn a_name_is_a_whole_word() {
    assert!(has(NEW.as_bytes(), "rowSource") && has(NEW.as_bytes(), "PreDance"));
    assert!(!has(NEW.as_bytes(), "rowSour") && !has(NEW.as_bytes(), "owSource"));
    assert!(has(b"ended", "ended") && !has(b"", "ended"));
}
