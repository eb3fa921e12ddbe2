//! What a terminal showed is also shown of its transcript.

use claw_view::Elements;
use claw_view::element::{Content, NoticeKind, NoticeLevel};
use serde_json::json;

use crate::sessions::{fed, sessions};

/// The elements of a recording in a terminal.
fn elements(recording: &str) -> Elements {
    let sessions = sessions();
    let session = sessions.iter().find(|session| session.name == recording);
    let transcript = &session.unwrap().transcript;
    fed(transcript.iter().map(String::as_str)).0
}

/// The notices of a recording in a terminal.
fn notices(recording: &str) -> Vec<(NoticeKind, NoticeLevel, String)> {
    let sessions = sessions();
    let session = sessions.iter().find(|session| session.name == recording);
    let transcript = &session.unwrap().transcript;
    let (elements, ..) = fed(transcript.iter().map(String::as_str));
    let notices = elements
        .iter()
        .filter_map(|element| match &element.content {
            Content::Notice(notice) => Some((notice.kind, notice.level, notice.text.clone())),
            _ => None,
        });
    notices.collect()
}

#[test]
fn goals_are_shown_when_they_are_reached_and_when_they_are_given_up() {
    let goals = notices("interactive_goals");
    let goals = goals.iter().filter(|(_, _, text)| text.contains("Goal "));
    let goals: Vec<_> = goals
        .map(|(kind, level, text)| {
            let (head, rest) = text.split_once(": ").unwrap();
            // The duration is that of one run.
            let head = match head.split_once(" turn") {
                Some((turns, _)) => turns,
                None => head,
            };
            (*kind, *level, head, rest)
        })
        .collect();
    let (session, info) = (NoticeKind::Session, NoticeLevel::Info);
    assert_eq!(
        goals,
        [
            (
                session,
                info,
                "Goal reached (1",
                "the sum is known\nIt is done."
            ),
            (
                session,
                info,
                "Goal not reached yet",
                "the sum is checked\nNobody has checked it."
            ),
            (
                session,
                info,
                "Goal reached (2",
                "the sum is checked\nIt is done."
            ),
            (
                session,
                NoticeLevel::Warning,
                "Goal given up (1",
                "the moon is cheese\nThe moon is rock."
            ),
        ]
    );
}

#[test]
fn every_turn_of_a_terminal_has_its_duration() {
    let turns = notices("interactive_goals");
    let turns = turns
        .iter()
        .filter(|(_, _, text)| text.starts_with("The turn took "));
    assert_eq!(turns.count(), 4);
}

#[test]
fn commands_are_shown_as_they_were_typed_and_with_their_output() {
    let elements = elements("interactive_work");
    let texts: Vec<_> = elements
        .iter()
        .filter_map(|element| match &element.content {
            Content::UserInput(input) => Some(input.text.as_str()),
            Content::CommandOutput(output) => Some(output.text.as_str()),
            _ => None,
        })
        .collect();
    let expected = [
        "Greet the world.",
        "Greet the world, please.",
        "Ask me.",
        "! echo from the person",
        "from the person",
        "Write the sum.",
        // This prompt was rewound. The lines alone do not fold it.
        "What is 2 + 2?",
        "What is 3 + 1?",
        "/rename Sums",
        "Session renamed to: Sums",
        "/color red",
        "Session color set to: red",
        "/model sonnet",
    ];
    assert_eq!(texts[..expected.len()], expected);
}

#[test]
fn pastes_mentioned_files_and_interruptions_are_shown_as_on_the_screen() {
    let elements = elements("interactive_turns");
    let inputs: Vec<_> = elements
        .iter()
        .filter_map(|element| match &element.content {
            Content::UserInput(input) => Some(&*input.text),
            _ => None,
        })
        .collect();
    let pasted: Vec<_> = (1..=12)
        .map(|number| format!("line {number} of a long text"))
        .collect();
    assert!(inputs.contains(&&*pasted.join("\n")), "{inputs:#?}");
    let notices = notices("interactive_turns");
    for expected in [
        "The CLI read notes.txt for the model.",
        "Task in the background: Look around (completed).",
    ] {
        assert!(
            notices.iter().any(|(_, _, text)| text == expected),
            "{expected}: {notices:#?}"
        );
    }
    let interrupted = elements
        .iter()
        .position(|element| matches!(element.content, Content::Interrupted(_)));
    let before = elements.iter().nth(interrupted.unwrap() - 1).unwrap();
    let Content::ToolResult(result) = &before.content else {
        panic!("{before:?}");
    };
    let denial = result.denial.as_ref().unwrap();
    assert_eq!(denial.text, "refused or interrupted");
}

/// A person may type the same tags.
#[test]
fn a_tag_of_a_paste_without_its_end_is_shown() {
    let (open, close) = ("<pasted_content id=\"a1\">", "</pasted_content id=\"a1\">");
    let other = "</pasted_content id=\"b2\">";
    for (text, shown) in [
        (
            format!("Read this:\n\n{open}\none\ntwo\n{close}\n"),
            "Read this:\n\none\ntwo".to_owned(),
        ),
        (
            format!("{open}\none\n{close} and {open}"),
            format!("one and {open}"),
        ),
        (
            format!(" {open}\none\n{other}"),
            format!(" {open}\none\n{other}"),
        ),
    ] {
        let line = json!({"type": "user", "uuid": "a", "parentUuid": null, "isSidechain": false, "sessionId": "s",
            "timestamp": "2026-11-28T01:33:50.000Z", "message": {"role": "user", "content": text}});
        let (elements, ..) = fed([line.to_string().as_str()]);
        let [element] = &elements.iter().collect::<Vec<_>>()[..] else {
            panic!("{elements:?}");
        };
        let Content::UserInput(input) = &element.content else {
            panic!("{element:?}");
        };
        assert_eq!(input.text, shown);
    }
}

/// Claude Code 2.1.332 wrote these texts: it escapes the output of a shell command, and not the command.
#[test]
fn the_output_of_a_shell_command_is_shown_without_the_clis_escapes() {
    let line = |uuid: &str, text: &str| {
        json!({"type": "user", "uuid": uuid, "parentUuid": null, "isSidechain": false, "sessionId": "s",
            "timestamp": "2026-11-27T21:38:10.000Z", "message": {"role": "user", "content": text}})
        .to_string()
    };
    let lines = [
        line(
            "a",
            "<bash-input>printf '<a> & b &lt; </bash-stdout>x'; echo err >&2</bash-input>",
        ),
        line(
            "b",
            "<bash-stdout>&lt;a&gt; &amp; b &amp;lt; &lt;/bash-stdout&gt;x</bash-stdout><bash-stderr>err\n</bash-stderr>",
        ),
    ];
    let (elements, ..) = fed(lines.iter().map(String::as_str));
    let texts: Vec<_> = elements
        .iter()
        .map(|element| match &element.content {
            Content::UserInput(input) => &*input.text,
            Content::CommandOutput(output) => &output.text,
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        "! printf '<a> & b &lt; </bash-stdout>x'; echo err >&2",
        "<a> & b &lt; </bash-stdout>x\nerr",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn the_output_of_a_shell_command_that_is_cut_off_is_not_lost() {
    let text = "<bash-stdout>half of";
    let line = json!({"type": "user", "uuid": "a", "parentUuid": null, "isSidechain": false, "sessionId": "s",
        "timestamp": "2026-11-27T21:38:10.000Z", "message": {"role": "user", "content": text}})
    .to_string();
    let (elements, ..) = fed([line.as_str()]);
    let element = elements.iter().next().unwrap();
    assert!(matches!(&element.content, Content::UserInput(input) if input.text == text));
}
