//! Forks.

use std::fs;

use claw_sessions::{Error, Session};
use claw_types::json_equal;
use serde_json::{Value, json};

use crate::folder::{Folder, ID, conversation, read, uuid, values};
use crate::marks::assert_private;

/// The lines of a fork's conversation.
fn links(fork: &Session) -> Vec<Value> {
    values(fork)
        .into_iter()
        .filter(|line| line.get("forkedFrom").is_some())
        .collect()
}

/// The old names of a fork's conversation.
fn origins(fork: &Session) -> Vec<String> {
    let text = |line: &Value| {
        line["forkedFrom"]["messageUuid"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    links(fork).iter().map(text).collect()
}

#[test]
fn a_fork_is_a_session_of_its_own() {
    let (folder, session) = Folder::with(&conversation(4));
    session.rename("Sums").unwrap();
    let before = read(&session);
    let fork = session.fork().run().unwrap();
    assert_eq!(read(&session), before);
    assert_ne!(fork.id(), session.id());
    assert_eq!(fork.transcript().parent(), session.transcript().parent());
    assert_private(fork.transcript(), 0o600);
    assert_eq!(folder.files().len(), 2);

    let lines = links(&fork);
    assert_eq!(origins(&fork), (0..4).map(uuid).collect::<Vec<_>>());
    let mut parent = Value::Null;
    for (number, line) in lines.iter().enumerate() {
        assert_eq!(line["parentUuid"], parent);
        parent = line["uuid"].clone();
        assert_ne!(parent, uuid(number));
        assert_eq!(line["sessionId"], fork.id().as_str());
        assert_eq!(line["forkedFrom"]["sessionId"], ID);
        assert_eq!(line["message"]["content"], format!("words {number}"));
        let is_kept = line["timestamp"] == format!("2026-01-01T00:00:0{number}.000Z");
        assert_eq!(is_kept, number != 3);
    }
    assert_eq!(lines[1]["requestSessionId"], ID);
    let info = fork.info().unwrap().unwrap();
    assert_eq!(info.custom_title.as_deref(), Some("Sums (fork)"));
    let named = session.fork().title(" Other ").run().unwrap();
    assert_eq!(
        named.info().unwrap().unwrap().custom_title.as_deref(),
        Some("Other")
    );
    assert_eq!(named.forked_from().unwrap().as_ref(), Some(session.id()));
    assert_eq!(session.forked_from().unwrap(), None);
    // A fork of a fork remembers which session asked.
    let again = fork.fork().run().unwrap();
    assert_eq!(again.forked_from().unwrap().as_ref(), Some(fork.id()));
    assert_eq!(links(&again)[1]["requestSessionId"], ID);
    assert_eq!(
        again.info().unwrap().unwrap().custom_title.as_deref(),
        Some("Sums (fork) (fork)")
    );
}

/// What serde or JavaScript would change is written as it was read.
#[test]
fn what_a_fork_does_not_change_it_keeps_to_the_letter() {
    let odd =
        r#""n":12345678901234567890.10,"e":1.50e+2,"s":"\ud83d \u0041\/","o":{"b" : 1, "a":[ ]}"#;
    let line = format!(
        r#"{{ "type":"user","uuid":"u1","parentUuid":null,"timestamp":"t","sessionId":"{ID}",{odd},"message":{{"content":"a"}} }}"#
    );
    let last = conversation(1);
    let (_folder, session) = Folder::with(&[line.clone(), last[0].clone()]);
    let fork = session.fork().run().unwrap();
    let text = read(&fork);
    let forked = text.lines().next().unwrap();
    assert!(forked.contains(odd), "{forked}");
    let id = |key: &str| values_of(forked, key);
    let expected = format!(
        r#"{{"type":"user","uuid":{},"parentUuid":null,"timestamp":"t","sessionId":{},{odd},"message":{{"content":"a"}},"isSidechain":false,"forkedFrom":{{"sessionId":"{ID}","messageUuid":"u1"}}}}"#,
        id("uuid"),
        id("sessionId"),
    );
    assert!(json_equal(forked, &expected), "{forked}");
}

fn values_of(line: &str, key: &str) -> String {
    let line = claw_types::Json::from_text(line.to_owned()).unwrap();
    line.get(key).unwrap().as_raw().to_owned()
}

#[test]
fn what_belongs_to_the_old_session_is_not_taken_along() {
    let mut lines = conversation(2);
    let mut own: Value = serde_json::from_str(&lines[1]).unwrap();
    for key in [
        "teamName",
        "agentName",
        "slug",
        "sessionKind",
        "sourceToolAssistantUUID",
        "turnAttributionKey",
    ] {
        own[key] = json!("x");
    }
    lines[1] = own.to_string();
    // A sub-agent's line, broken ones, and one that another follows in the chain.
    lines.push(
        json!({"type": "user", "uuid": "side", "isSidechain": true, "parentUuid": uuid(1)})
            .to_string(),
    );
    lines.push("{broken".to_owned());
    lines.push(json!({"type": "progress", "uuid": "p", "parentUuid": uuid(1)}).to_string());
    lines.push(json!({"type": "progress", "uuid": "q", "parentUuid": "p"}).to_string());
    lines.push(
        json!({"type": "user", "uuid": "end", "parentUuid": "q", "logicalParentUuid": "gone"})
            .to_string(),
    );
    lines.push(json!({"type": "last-prompt", "lastPrompt": "x", "sessionId": ID}).to_string());
    let (_folder, session) = Folder::with(&lines);
    let fork = session.fork().run().unwrap();
    assert_eq!(origins(&fork), [uuid(0), uuid(1), "end".to_owned()]);
    let lines = links(&fork);
    let mut keys: Vec<_> = lines[1].as_object().unwrap().keys().cloned().collect();
    keys.sort();
    assert_eq!(
        keys,
        [
            "forkedFrom",
            "isSidechain",
            "message",
            "parentUuid",
            "requestSessionId",
            "sessionId",
            "timestamp",
            "type",
            "uuid"
        ]
    );
    assert_eq!(lines[2]["parentUuid"], lines[1]["uuid"]);
    assert_eq!(lines[2].get("logicalParentUuid"), Some(&Value::Null));
    assert_eq!(lines[1].get("logicalParentUuid"), None);
    assert_eq!(values(&fork).len(), 4);
}

#[test]
fn notes_that_the_conversation_needs_go_along() {
    let mut lines = conversation(2);
    for note in [
        json!({"type": "content-replacement", "sessionId": ID, "replacements": [{"a": 1}, 7]}),
        json!({"type": "content-replacement", "sessionId": "other", "replacements": [{"b": 1}]}),
        json!({"type": "content-replacement", "sessionId": ID, "replacements": [{"c": 1.0}]}),
        json!({"type": "history-suppression", "sessionId": ID, "cause": "x"}),
        json!({"type": "hybrid-organization", "organizationUuid": uuid(77).to_uppercase()}),
        json!({"type": "hybrid-organization", "organizationUuid": uuid(77)}),
        json!({"type": "atis-latch", "sessionId": ID, "atis": "one"}),
        json!({"type": "atis-latch", "sessionId": ID, "atis": "two"}),
        json!({"type": "tools-used", "sessionId": ID, "tools": ["Bash"]}),
        json!({"type": "relocated", "sessionId": ID, "relocatedCwd": "/new"}),
        json!({"type": "derived-from", "v": 1, "sessionId": ID, "sessions": []}),
    ] {
        lines.push(note.to_string());
    }
    let (_folder, session) = Folder::with(&lines);
    let fork = session.fork().run().unwrap();
    let id = fork.id().as_str();
    let all = values(&fork);
    let kinds: Vec<_> = all
        .iter()
        .map(|line| line["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        [
            "history-suppression",
            "hybrid-organization",
            "user",
            "assistant",
            "content-replacement",
            "atis-latch",
            "tools-used",
            "derived-from",
            "relocated",
            "custom-title"
        ]
    );
    assert!(all.iter().all(|line| line["sessionId"] == id));
    assert_eq!(all[0]["cause"], "fork_inherit");
    assert_eq!(all[1]["organizationUuid"], uuid(77));
    assert_eq!(all[4]["replacements"], json!([{"a": 1}, {"c": 1.0}]));
    assert_eq!(all[5]["atis"], "two");
    assert_eq!(
        all[7]["sessions"],
        json!([{"type": "claude_code_session", "id": ID, "via": "fork"}])
    );
    assert_eq!(all[8]["relocatedCwd"], "/new");
}

#[test]
fn a_fork_ends_with_the_message_that_it_goes_up_to() {
    let (_folder, session) = Folder::with(&conversation(6));
    let fork = session.fork().up_to(&*uuid(3)).run().unwrap();
    assert_eq!(origins(&fork), (0..4).map(uuid).collect::<Vec<_>>());
    let error = session.fork().up_to(&*uuid(9)).run().unwrap_err();
    assert!(
        matches!(&error, Error::NoSuchMessage { message, .. } if *message == uuid(9)),
        "{error}"
    );
}

#[test]
fn names_of_other_lines_are_mapped() {
    let mut lines = conversation(2);
    lines.push(json!({"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": null,
        "logicalParentUuid": uuid(1), "compactMetadata": {"trigger": "auto", "preTokens": 5,
        "preservedMessages": {"anchorUuid": "s", "uuids": [uuid(1)], "allUuids": [uuid(1), "gone"]}}}).to_string());
    lines.push(
        json!({"type": "user", "uuid": "s", "parentUuid": "b", "isCompactSummary": true})
            .to_string(),
    );
    lines.push(
        json!({"type": "attachment", "uuid": "q", "parentUuid": "s",
        "attachment": {"type": "queued_command", "source_uuid": uuid(0), "prompt": "x"}})
        .to_string(),
    );
    lines.push(json!({"type": "attachment", "uuid": "d", "parentUuid": "q",
        "attachment": {"type": "deferred_tools_record", "nameOnlyAnnouncements": [uuid(0), "gone"]}}).to_string());
    lines.push(json!({"type": "system", "subtype": "model_refusal_fallback", "uuid": "m", "parentUuid": "d"}).to_string());
    let (_folder, session) = Folder::with(&lines);
    let all = links(&session.fork().run().unwrap());
    let id = |at: usize| all[at]["uuid"].clone();
    assert_eq!(all[2]["logicalParentUuid"], id(1));
    assert_eq!(
        all[2]["compactMetadata"],
        json!({"trigger": "auto", "preTokens": 5,
            "preservedMessages": {"anchorUuid": id(3), "uuids": [id(1)], "allUuids": [id(1), "gone"]}})
    );
    assert_eq!(all[4]["attachment"]["source_uuid"], id(0));
    assert_eq!(
        all[5]["attachment"]["nameOnlyAnnouncements"],
        json!([id(0)])
    );
    assert_eq!(all[6]["neutralizedByFork"], true);
}

#[test]
fn a_session_without_messages_is_not_forked() {
    let side = json!({"type": "user", "uuid": "a", "isSidechain": true}).to_string();
    let progress = json!({"type": "progress", "uuid": "a"}).to_string();
    for line in [side, progress, "{}".to_owned()] {
        let (folder, session) = Folder::with(&[line]);
        assert!(matches!(
            session.fork().run(),
            Err(Error::NothingToFork { .. })
        ));
        assert_eq!(folder.files().len(), 1);
    }
}

/// Circles, and one uuid on very many lines, cost no more than as many other lines.
#[test]
fn hostile_chains_are_forked_as_well() {
    let mut lines = vec![
        json!({"type": "progress", "uuid": "p", "parentUuid": "q"}).to_string(),
        json!({"type": "progress", "uuid": "q", "parentUuid": "p"}).to_string(),
        json!({"type": "user", "uuid": "u", "parentUuid": "p"}).to_string(),
        json!({"type": "user", "uuid": "self", "parentUuid": "self"}).to_string(),
    ];
    let same = json!({"type": "progress", "uuid": "same", "parentUuid": "p"}).to_string();
    lines.extend(std::iter::repeat_n(same, 20_000));
    // A chain of progress, and many that hang on its end.
    for at in 0..20_000 {
        let parent = if at == 0 {
            "u".to_owned()
        } else {
            format!("c{}", at - 1)
        };
        lines.push(
            json!({"type": "progress", "uuid": format!("c{at}"), "parentUuid": parent}).to_string(),
        );
    }
    for at in 0..20_000 {
        lines.push(
            json!({"type": "user", "uuid": format!("e{at}"), "parentUuid": "c19999"}).to_string(),
        );
    }
    let (_folder, session) = Folder::with(&lines);
    let fork = session.fork().run().unwrap();
    let all = links(&fork);
    assert_eq!(all.len(), 20_002);
    assert_eq!(all[0]["parentUuid"], Value::Null);
    assert_eq!(all[1]["parentUuid"], all[1]["uuid"]);
    assert_eq!(all[20_001]["parentUuid"], all[0]["uuid"]);
}

/// The conversation continues before a parent that no line has, in a fork as in its session. (The last line of a fork has
/// the time of the fork, so it is not the one whose parent is missing.)
#[test]
fn a_parent_that_no_line_has_is_one_in_the_fork_too() {
    let mut lines = conversation(2);
    for (second, name, parent) in [
        (2, "p", "gone"),
        (3, "u", "p"),
        (4, "v", "gone"),
        (5, "w", "v"),
    ] {
        let kind = if name == "p" { "progress" } else { "user" };
        let message = json!({"role": "user", "content": format!("behind {name}")});
        let line = json!({
            "type": kind, "uuid": name, "parentUuid": parent, "sessionId": ID, "message": message,
            "timestamp": format!("2026-01-01T00:00:{second:02}.000Z"),
        });
        lines.push(line.to_string());
    }
    let (_folder, session) = Folder::with(&lines);
    let fork = session.fork().run().unwrap();
    let all = links(&fork);
    let missing = all[2]["parentUuid"].as_str().unwrap();
    assert_eq!(all[3]["parentUuid"], missing);
    assert_ne!(missing, "gone");
    assert!(all.iter().all(|line| line["uuid"] != missing), "{all:#?}");
    let texts = |session: &Session| {
        let messages = session.messages().read().unwrap().messages.into_iter();
        let texts = messages.map(|message| {
            let value: Value = serde_json::from_str(message.message.as_raw()).unwrap();
            value["content"].clone()
        });
        texts.collect::<Vec<_>>()
    };
    assert_eq!(texts(&fork), texts(&session));
    assert_eq!(texts(&fork).len(), 5);
}

#[test]
fn what_cannot_be_written_leaves_nothing() {
    let (folder, session) = Folder::with(&conversation(2));
    let before = folder.files();
    // The folder is a file now: the transcript cannot be opened, and nothing is made beside it.
    let moved = folder.config().join("moved");
    fs::rename(folder.project(), &moved).unwrap();
    fs::write(folder.project(), "").unwrap();
    assert!(session.fork().run().unwrap_err().is_not_found());
    fs::remove_file(folder.project()).unwrap();
    fs::rename(&moved, folder.project()).unwrap();
    assert_eq!(folder.files(), before);
}

#[test]
fn a_fork_up_to_what_is_not_copied_is_refused() {
    let mut lines = vec![json!({"type": "progress", "uuid": "p", "parentUuid": null}).to_string()];
    lines.extend(conversation(2));
    let (folder, session) = Folder::with(&lines);
    let error = session.fork().up_to("p").run().unwrap_err();
    assert!(matches!(error, Error::NothingToFork { .. }), "{error}");
    assert_eq!(folder.files().len(), 1);
}

/// The CLI would take the newest end for the end of the conversation.
#[test]
fn a_branch_that_would_be_gone_on_with_instead_is_not_in_the_fork() {
    let line = |kind: &str, name: &str, parent: &str| {
        json!({"type": kind, "uuid": name, "parentUuid": parent}).to_string()
    };
    let lines = [
        line("user", "a", ""),
        line("user", "b", "a"),
        line("user", "rival", "a"),
        line("user", "below", "rival"),
        // It says nothing, so that the branch above ends later.
        line("progress", "end", "b"),
        line("user", "c", "end"),
    ];
    let (_folder, session) = Folder::with(&lines);
    assert_eq!(
        origins(&session.fork().run().unwrap()),
        ["a", "b", "rival", "below", "c"]
    );
    assert_eq!(
        origins(&session.fork().up_to("below").run().unwrap()),
        ["a", "b", "rival", "below"]
    );
    assert_eq!(
        origins(&session.fork().up_to("end").run().unwrap()),
        ["a", "b"]
    );
}
