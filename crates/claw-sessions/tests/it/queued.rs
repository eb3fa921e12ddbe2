//! Queued prompts and local commands in a session's history.

use claw_sessions::Session;
use serde_json::{Value, json};

use crate::folder::{Folder, uuid};

fn link(kind: &str, number: usize, more: &Value) -> String {
    let parent = number.checked_sub(1).map(uuid);
    let mut line = json!({"type": kind, "uuid": uuid(number), "parentUuid": parent, "sessionId": "s",
        "message": {"role": kind, "content": "said"}});
    let more = more.as_object().unwrap().clone();
    line.as_object_mut().unwrap().extend(more);
    line.to_string()
}

fn shown(session: &Session) -> Vec<(String, bool, bool)> {
    let history = session.messages().read().unwrap();
    assert!(history.problems.is_empty());
    let messages = history.messages.into_iter();
    let flags = |message: &claw_types::store::SessionMessage| {
        let is = |flag: Option<bool>| flag.unwrap_or_default();
        (
            message.uuid.as_str().to_owned(),
            is(message.is_queued_command),
            is(message.is_completed_local_command),
        )
    };
    messages.map(|message| flags(&message)).collect()
}

#[test]
fn prompts_that_were_taken_up_during_a_turn_are_messages() {
    let queued = |source: usize| {
        json!({"attachment": {"type": "queued_command", "prompt": "and this", "commandMode": "prompt",
            "source_uuid": uuid(source)}})
    };
    let lines = [
        link("user", 0, &json!({})),
        link("assistant", 1, &json!({})),
        link("attachment", 2, &queued(100)),
        link("assistant", 3, &json!({})),
        // Behind the end: taken up, though nothing was answered yet.
        link("attachment", 4, &queued(101)),
    ];
    let (_folder, session) = Folder::with(&lines);
    let plain = |number| (uuid(number), false, false);
    let taken_up = |number| (uuid(number), true, false);
    let expected = [plain(0), plain(1), taken_up(100), plain(3), taken_up(101)];
    assert_eq!(shown(&session), expected);
    let page = session.messages().offset(2).limit(1).read().unwrap();
    assert_eq!(
        page.messages[0].message.as_raw(),
        r#"{"role":"user","content":"and this"}"#
    );
}

#[test]
fn local_commands_that_are_done_are_marked() {
    let said = |text: &str| json!({"message": {"role": "user", "content": text}});
    let mut caveat = said("<local-command-caveat>x</local-command-caveat>");
    caveat["isMeta"] = true.into();
    let lines = [
        link("user", 0, &caveat),
        link("user", 1, &said("<command-name>/cost</command-name>")),
        link(
            "user",
            2,
            &said("<local-command-stdout>1</local-command-stdout>"),
        ),
        link(
            "user",
            3,
            &said("<local-command-stdout>mine</local-command-stdout>"),
        ),
        link("user", 4, &said("Hello")),
    ];
    let (_folder, session) = Folder::with(&lines);
    let marks: Vec<_> = shown(&session).into_iter().map(|shown| shown.2).collect();
    assert_eq!(marks, [true, true, true, false]);
}
