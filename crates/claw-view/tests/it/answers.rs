//! A result's text is shown where nobody else has said it.

use claw_view::element::Content;
use claw_view::{Elements, Input, Timeline};
use serde_json::Value;

use crate::sessions::sessions;

/// What is said in turns that are put together out of answers (`a` and a text) and results (`r`).
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
    // The model's own words are the answer where there are any.
    assert_eq!(shown(&[('a', "Hm."), ('r', "4")]), ["Hm.", "—"]);
    assert_eq!(shown(&[('r', " \n")]), ["—"]);
}

#[test]
fn what_was_said_is_not_said_again() {
    assert_eq!(shown(&[('a', "4"), ('r', "4\n")]), ["4", "—"]);
    // The next result may say the same, and alone.
    assert_eq!(
        shown(&[('a', "4"), ('r', "4"), ('r', "4")]),
        ["4", "—", "4", "—"]
    );
    // A turn in the background ends inside of another one.
    assert_eq!(
        shown(&[('a', "one"), ('a', "two"), ('r', "two"), ('r', "one")]),
        ["one", "two", "—", "—"]
    );
}
