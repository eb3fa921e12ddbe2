//! Tests whether the text of a result is shown: only if no earlier text of the turn shows it.

use claw_view::element::Content;
use claw_view::{Elements, Input, Timeline};
use serde_json::Value;

use crate::sessions::sessions;

/// Returns the texts that are shown for these steps: `a` is an answer of the model, and `r` is a result. A turn's end
/// is `—`.
fn shown(steps: &[(char, &str)]) -> Vec<String> {
    let sessions = sessions();
    let recorded = sessions.iter().find(|session| session.name == "text_whole");
    let lines = &recorded.expect("the recording is there").stdout;
    let of_type = |kind: &str| {
        let lines = lines.iter().map(|line| serde_json::from_str(line).unwrap());
        let mut found = lines.filter(|line: &Value| line["type"] == kind);
        found.next().expect("a line of that type")
    };
    let mut timeline = Timeline::default();
    let mut elements = Elements::default();
    for (number, (what, text)) in steps.iter().enumerate() {
        let mut line = if *what == 'a' {
            let mut line = of_type("assistant");
            line["message"]["content"][0]["text"] = (*text).into();
            line["message"]["id"] = format!("msg_{number}").into();
            line
        } else {
            let mut line = of_type("result");
            line["result"] = (*text).into();
            line
        };
        line["uuid"] = format!("uuid-{number}").into();
        elements.extend(timeline.push(Input::Line(&line.to_string())));
    }
    let texts = elements.iter().map(|element| match &element.content {
        Content::AssistantText(text) => text.text.clone(),
        Content::TurnEnd(_) => "—".to_owned(),
        other => panic!("{other:?}"),
    });
    texts.collect()
}

#[test]
fn a_result_is_the_answer_where_nobody_said_it() {
    assert_eq!(shown(&[('r', "4")]), ["4", "—"]);
    // If the model has answered, the text of the result is not shown.
    assert_eq!(shown(&[('a', "Hm."), ('r', "4")]), ["Hm.", "—"]);
    assert_eq!(shown(&[('r', " \n")]), ["—"]);
}

#[test]
fn what_was_said_is_not_said_again() {
    assert_eq!(shown(&[('a', "4"), ('r', "4\n")]), ["4", "—"]);
    // The next result has the same text. No answer precedes it, so its text is shown.
    assert_eq!(
        shown(&[('a', "4"), ('r', "4"), ('r', "4")]),
        ["4", "—", "4", "—"]
    );
    // The result of a background turn comes before the result of the turn around it.
    assert_eq!(
        shown(&[('a', "one"), ('a', "two"), ('r', "two"), ('r', "one")]),
        ["one", "two", "—", "—"]
    );
}
