//! Tests that the transcript of a CLI in a terminal results in the elements that the terminal showed.

use claw_view::Elements;
use claw_view::element::{Content, NoticeKind, NoticeLevel};
use serde_json::json;

use crate::sessions::{fed, sessions};

/// Returns the elements of a recording of a CLI in a terminal.
fn elements(recording: &str) -> Elements {
    let sessions = sessions();
    let session = sessions.iter().find(|session| session.name == recording);
    let transcript = &session.unwrap().transcript;
    fed(transcript.iter().map(String::as_str)).0
}

/// Returns the notices of a recording of a CLI in a terminal.
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
            // The duration differs between recordings.
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
        // This prompt was rewound. The lines alone do not show that, so it is not folded.
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

/// The interactive CLI writes an answer of its own if it continues a conversation that ends with the output of a
/// command. This answer is not shown.
#[test]
fn reports_of_hooks_are_shown_and_an_answer_that_nobody_requested_is_not() {
    let notices = notices("interactive_resumed.3");
    let hooks: Vec<_> = notices
        .iter()
        .filter(|(kind, ..)| *kind == NoticeKind::Hook)
        .map(|(_, level, text)| (*level, &**text))
        .collect();
    let checked = (NoticeLevel::Info, "Stop: The turn was checked.");
    let (others, said): (Vec<_>, Vec<_>) = hooks.iter().partition(|hook| **hook != checked);
    assert!(said.len() > 5, "{hooks:#?}");
    let [(NoticeLevel::Warning, text)] = others[..] else {
        panic!("{hooks:#?}");
    };
    assert!(text.starts_with("PostToolUse:mcp__calc__add: ["), "{text}");
    assert!(!text.ends_with('\n'), "{text}");
    let elements = elements("interactive_resumed.3");
    assert!(!elements.iter().any(|element| matches!(&element.content,
        Content::AssistantText(text) if text.text == "No response requested.")));
}

/// Returns the texts of persons, models and commands in a recording, in order.
fn texts(recording: &str) -> Vec<String> {
    let elements = elements(recording);
    let texts = elements
        .iter()
        .filter_map(|element| match &element.content {
            Content::UserInput(input) => Some(input.text.clone()),
            Content::AssistantText(text) => Some(text.text.clone()),
            Content::CommandOutput(output) => Some(output.text.clone()),
            _ => None,
        });
    texts.collect()
}

/// The transcripts were written by the oldest supported CLI, three later versions and the pinned version.
#[test]
fn a_session_in_a_terminal_looks_the_same_of_all_versions() {
    for version in ["", "_200", "_243", "_286", "_316"] {
        let name = format!("interactive_basics{version}");
        let first = texts(&name);
        for text in [
            "What is 2 + 2?",
            "Greet the world.",
            "Count for long.",
            "! echo from the person",
            "from the person",
            "I have read it.",
        ] {
            assert!(
                first.iter().any(|is| is == text),
                "{name}: {text}: {first:#?}"
            );
        }
        let elements = elements(&name);
        let has = |is_it: fn(&Content) -> bool| elements.iter().any(|e| is_it(&e.content));
        assert!(has(|it| matches!(it, Content::Interrupted(_))), "{name}");
        assert!(
            has(|it| matches!(it, Content::ContextCompaction(_))),
            "{name}"
        );
        assert!(has(|it| matches!(it, Content::ToolResult(_))), "{name}");
        let continued = texts(&format!("{name}.2"));
        let at = |text: &str| continued.iter().position(|is| is == text);
        let places = [
            at("What is 3 + 1?"),
            at("Three and one make 4."),
            at("What is 4 + 1?"),
            at("Four and one make 5."),
        ];
        assert!(places.is_sorted() && places[0].is_some(), "{continued:#?}");
    }
}

/// A turn that was ended by SIGKILL has a prompt and no answer. Then two windows have continued the session at that
/// prompt.
#[test]
fn turns_of_a_killed_cli_and_of_two_windows_are_shown() {
    let texts = texts("interactive_killed.3");
    assert_eq!(
        texts,
        [
            "What is 2 + 2?",
            "Two and two make 4.",
            "# Count from one.",
            "I count from one.",
            "What is 3 + 1?",
            "Three and one make 4.",
            "Count for long.",
            // The turn of the other window is a branch. The lines alone do not show that, so it is not folded.
            "What is 4 + 1?",
            "Four and one make 5.",
            "What is 5 + 1?",
            "Five and one make 6.",
            "What is 6 + 1?",
            "Six and one make 7.",
        ]
    );
}

/// The model may write the same sentence as the CLI. Then it is shown.
#[test]
fn a_model_that_says_no_response_requested_is_shown() {
    for (model, shown) in [("claude-opus-5-5", 1), ("<synthetic>", 0)] {
        let line = json!({"type": "assistant", "uuid": "a", "parentUuid": null, "isSidechain": false, "sessionId": "s",
            "timestamp": "2026-11-28T01:33:50.000Z", "message": {"id": "m", "type": "message", "role": "assistant",
            "model": model, "content": [{"type": "text", "text": "No response requested."}], "stop_reason": "end_turn",
            "stop_sequence": null, "usage": {"input_tokens": 0, "output_tokens": 0}}});
        let (elements, ..) = fed([line.to_string().as_str()]);
        assert_eq!(elements.iter().count(), shown, "{elements:?}");
    }
}

/// If a hook stopped a tool, the tool's result contains the reason, so the hook is not shown. Any other failure of a
/// hook is shown.
#[test]
fn what_another_element_says_of_a_hook_is_shown_once() {
    let hook = |kind: &str, event: &str, more: serde_json::Value| {
        let mut attachment = json!({"type": kind, "hookName": format!("{event}:Bash"), "hookEvent": event, "toolUseID": "t"});
        let all = attachment.as_object_mut().unwrap();
        all.extend(more.as_object().unwrap().clone());
        let line = json!({"type": "attachment", "uuid": "a", "parentUuid": null, "isSidechain": false, "sessionId": "s",
            "timestamp": "2026-11-28T01:33:50.000Z", "attachment": attachment});
        let (elements, ..) = fed([line.to_string().as_str()]);
        let texts = elements.iter().map(|element| match &element.content {
            Content::Notice(notice) => notice.text.clone(),
            other => panic!("{other:?}"),
        });
        texts.collect::<Vec<_>>()
    };
    let blocking = json!({"blockingError": {"blockingError": "no", "command": "exit 2"}});
    assert!(hook("hook_blocking_error", "PreToolUse", blocking.clone()).is_empty());
    assert_eq!(
        hook("hook_blocking_error", "PostToolUse", blocking),
        ["PostToolUse:Bash: no"]
    );
    let failed = json!({"stdout": "", "stderr": "not found\n", "exitCode": 127});
    assert!(hook("hook_non_blocking_error", "Stop", failed.clone()).is_empty());
    assert_eq!(
        hook("hook_non_blocking_error", "PreToolUse", failed),
        ["PreToolUse:Bash failed: not found"]
    );
    assert_eq!(
        hook("hook_non_blocking_error", "PreToolUse", json!({})),
        ["PreToolUse:Bash failed."]
    );
    assert_eq!(
        hook(
            "hook_stopped_continuation",
            "PostToolUse",
            json!({"message": "enough"})
        ),
        ["PostToolUse:Bash ended the turn: enough"]
    );
}

/// A person may type the tags that the CLI writes around a paste.
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

/// Claude Code 2.1.332 wrote these texts. It escapes the output of a shell command, but not the command.
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

#[test]
fn what_a_person_has_summarised_is_named_and_was_not_rewound() {
    let elements = elements("interactive_rewound");
    let parts: Vec<_> = elements
        .iter()
        .filter_map(|element| match &element.content {
            Content::ContextCompaction(compaction) => compaction.part.as_deref(),
            _ => None,
        })
        .collect();
    assert_eq!(
        parts,
        ["3 messages from a prompt on", "23 messages before a prompt"]
    );
}
