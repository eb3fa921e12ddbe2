//! Tests that forms are made from schemas, and that their values are checked.
#![expect(
    clippy::needless_pass_by_value,
    reason = "helpers take what `json!` makes"
)]

use claw_types::control::{Elicitation, RequestUserDialog};
use claw_types::{Json, SessionId};
use serde_json::{Value, json};

use super::*;
use crate::conversation::{
    Answer, AnswerError, Asked, Conversation, Decision, Next, Reply, RequestKind,
};

fn elicitation(body: Value) -> Elicitation {
    let mut body = body;
    body["subtype"] = json!("elicitation");
    body["mcp_server_name"] = json!("calc");
    body["message"] = json!("Who are you?");
    serde_json::from_value(body).unwrap()
}

fn form(schema: Value) -> Form {
    of_elicitation(&elicitation(json!({"requested_schema": schema})))
}

fn of_fields(fields: Value) -> Form {
    form(json!({"type": "object", "properties": fields}))
}

/// Returns the errors for these values, each with the name of its field.
fn wrong(form: &Form, values: Value) -> Vec<(String, String)> {
    let content: FormContent = serde_json::from_value(values).unwrap();
    let errors = form.check(&content).err().unwrap_or_default();
    let errors = errors.into_iter().map(|error| (error.name, error.message));
    let mut errors: Vec<_> = errors.collect();
    errors.sort();
    errors
}

fn accepted(form: &Form, values: Value) -> Value {
    let content: FormContent = serde_json::from_value(values).unwrap();
    form.check(&content).unwrap().to_value().unwrap()
}

#[test]
fn a_form_has_the_fields_of_its_schema_in_the_order_of_the_cli() {
    let schema = json!({"type": "object", "required": ["name", "age"], "properties": {
        "age": {"type": "integer", "minimum": 3, "maximum": 120, "default": 30},
        "name": {"type": "string", "title": "Name", "description": "A first name", "minLength": 2, "maxLength": 9},
        "sure": {"type": "boolean", "default": true},
        "size": {"type": "string", "enum": ["s", "l"], "enumNames": ["Small", "Large"], "default": "l"},
        "colour": {"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "b", "title": "Blue"}]},
        "days": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string", "enum": ["mo", "tu", "we"]}, "default": ["tu"]},
        "share": {"type": ["number", "null"], "default": "no number"},
        "mail": {"type": "string", "format": "email"},
        "odd": {"type": "string", "format": "hostname"},
        "thing": {"type": "object", "properties": {}},
        "list": {"type": "array", "items": {"type": "string"}}}});
    let order = [
        "name", "age", "sure", "size", "colour", "days", "share", "mail", "odd", "thing",
    ];
    let asked = json!({"requested_schema": schema, "property_order": order, "title": "About you",
        "description": "A server that adds."});
    let form = of_elicitation(&elicitation(asked));
    assert_eq!(form.message, "About you\n\nWho are you?");
    assert_eq!(form.explanation.as_deref(), Some("A server that adds."));
    let names: Vec<_> = form.fields.iter().map(|field| &*field.name).collect();
    assert_eq!(names, [&order[..], &["list"]].concat());
    assert_eq!((form.problem, &*form.from), (None, "calc"));
    let [
        name,
        age,
        sure,
        size,
        colour,
        days,
        share,
        mail,
        odd,
        thing,
        list,
    ] = &form.fields[..]
    else {
        panic!("there are eleven")
    };
    assert!(name.required && age.required && !sure.required);
    assert_eq!(name.title.as_deref(), Some("Name"));
    let default = |field: &Field| field.default.as_ref().map(|it| it.as_raw().to_owned());
    assert_eq!(default(age).as_deref(), Some("30"));
    assert_eq!(default(days).as_deref(), Some(r#"["tu"]"#));
    // A default value that does not fit its field is ignored.
    assert_eq!(default(share), None);
    let titles = |field: &Field| match &field.kind {
        FieldKind::Choice { choices } | FieldKind::Choices { choices, .. } => {
            choices.iter().map(|choice| choice.title.clone()).collect()
        }
        _ => Vec::new(),
    };
    assert_eq!(titles(size), ["Small", "Large"]);
    assert_eq!(titles(colour), ["Red", "Blue"]);
    assert_eq!(titles(days), ["mo", "tu", "we"]);
    let format = |field: &Field| match field.kind {
        FieldKind::Text { format, .. } => format,
        _ => None,
    };
    assert_eq!((format(mail), format(odd)), (Some(TextFormat::Email), None));
    for field in [thing, list] {
        assert!(matches!(field.kind, FieldKind::Unsupported { .. }));
    }
}

#[test]
fn values_are_checked_field_by_field_and_no_error_has_a_value() {
    let form = form(
        json!({"type": "object", "required": ["name", "days"], "properties": {
        "name": {"type": "string", "minLength": 2, "maxLength": 4},
        "age": {"type": "integer", "minimum": 3, "maximum": 120},
        "share": {"type": "number", "minimum": 0.5},
        "sure": {"type": "boolean"},
        "size": {"enum": ["s", 7]},
        "days": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"enum": ["mo", "tu", "we"]}}}}),
    );
    let good = json!({"name": "Änne", "age": 3.0, "share": 0.5, "sure": false, "size": 7, "days": ["we", "mo"]});
    let mut expected = good.clone();
    expected["age"] = json!(3);
    assert_eq!(accepted(&form, good), expected);
    assert_eq!(
        wrong(&form, json!({})),
        [
            ("days".to_owned(), "is missing".to_owned()),
            ("name".to_owned(), "is missing".to_owned())
        ]
    );
    let bad = json!({"name": "secret", "age": 2.5, "share": 0.4, "sure": "yes", "size": "7", "days": ["mo", "mo"], "more": 1});
    let errors = wrong(&form, bad);
    let expected = [
        ("name", "must have at most 4 characters, and has 6"),
        ("age", "must be an integer"),
        ("share", "must be at least 0.5"),
        ("sure", "must be true or false"),
        ("size", "must be one of the choices"),
        ("days", "must have only values of the choices, each once"),
        ("more", "is not a field of this form"),
    ];
    let mut expected = expected.map(|(name, message)| (name.to_owned(), message.to_owned()));
    expected.sort();
    assert_eq!(errors, expected);
    for (days, message) in [
        (json!([]), "must have at least 1 chosen"),
        (json!(["mo", "tu", "we"]), "must have at most 2 chosen"),
        (json!("mo"), "must be a list"),
    ] {
        let errors = wrong(&form, json!({"name": "Ada", "days": days}));
        assert_eq!(errors, [("days".to_owned(), message.to_owned())]);
    }
    for (age, message) in [
        (json!(2), "must be at least 3"),
        (json!(121), "must be at most 120"),
        (json!("4"), "must be a number"),
    ] {
        let errors = wrong(&form, json!({"name": "Ada", "days": ["mo"], "age": age}));
        assert_eq!(errors, [("age".to_owned(), message.to_owned())]);
    }
}

#[test]
fn formats_are_those_of_the_protocol() {
    let cases = [
        (
            "email",
            &["ada@example.com", "a.b+c@d"][..],
            &["ada", "@b", "a@", "a b@c", "a@b.", "<a>@b"][..],
        ),
        (
            "uri",
            &["https://example.com/a?b#c", "urn:isbn:1"],
            &["example.com", ":x", "a:", "http://a b", "1a:b"],
        ),
        (
            "date",
            &["2026-01-31", "2024-02-29"],
            &[
                "2026-02-29",
                "2026-13-01",
                "2026-1-1",
                "20260131",
                "2026-01-31x",
                "２０２６-01-31",
            ],
        ),
        (
            "date-time",
            &["2026-01-31T09:30:00Z", "2026-01-31t09:30:60.123+05:30"],
            &[
                "2026-01-31",
                "2026-01-31T09:30Z",
                "2026-01-31T24:00:00Z",
                "2026-01-31T09:30:00",
                "2026-01-31T09:30:00.Z",
                "2026-01-31T09:30:00+5:30",
            ],
        ),
    ];
    for (format, good, bad) in cases {
        let form = of_fields(json!({"it": {"type": "string", "format": format}}));
        for text in good {
            assert_eq!(accepted(&form, json!({"it": text}))["it"], json!(text));
        }
        for text in bad {
            assert_eq!(
                wrong(&form, json!({"it": text})).len(),
                1,
                "{format} {text}"
            );
        }
    }
}

#[test]
fn a_pattern_is_shown_and_never_evaluated() {
    let form = of_fields(json!({"it": {"type": "string", "pattern": "^(a+)+$"}}));
    let long = "a".repeat(100_000) + "!";
    assert_eq!(accepted(&form, json!({"it": long}))["it"], json!(long));
}

#[test]
fn hostile_schemas_become_forms_that_cannot_be_accepted() {
    let many: serde_json::Map<_, _> = (0..10_000)
        .map(|n| (n.to_string(), json!({"type": "string"})))
        .collect();
    let many = of_fields(Value::from(many));
    let large = of_fields(json!({"a": {"type": "string", "title": "t".repeat(300 << 10)}}));
    for form in [
        many,
        large,
        form(json!([])),
        form(json!({"properties": 7})),
        form(json!({"required": [1]})),
    ] {
        assert!(form.problem.is_some() && form.fields.is_empty(), "{form:?}");
    }
    // A schema that is nested too deeply only makes its own field unsupported.
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    let schema = format!(
        r#"{{"properties": {{"deep": {{"type": {deep}}}, "name": {{"type": "string"}}}}}}"#
    );
    let mut asked = elicitation(json!({}));
    asked.requested_schema = Some(Json::from_text(schema).unwrap());
    let form = of_elicitation(&asked);
    assert!(matches!(form.fields[0].kind, FieldKind::Unsupported { .. }));
    assert_eq!(accepted(&form, json!({"name": "Ada"}))["name"], "Ada");
    // The limit applies to the choices of all fields together.
    let values: Vec<_> = (0..600).collect();
    let form = of_fields(json!({"a": {"enum": values}, "b": {"enum": values}}));
    let kinds = form
        .fields
        .iter()
        .map(|field| matches!(field.kind, FieldKind::Choice { .. }));
    assert_eq!(kinds.collect::<Vec<_>>(), [true, false]);
    // A form with a required field that cannot be shown cannot be accepted.
    let form = self::form(json!({"properties": {"it": {"type": "object"}}, "required": ["it"]}));
    assert!(wrong(&form, json!({}))[0].1.contains("an object"));
    assert!(wrong(&form, json!({"it": {}}))[0].1.contains("an object"));
}

#[test]
fn only_addresses_of_the_web_can_be_opened() {
    let link = |url: &str| of_elicitation(&elicitation(json!({"mode": "url", "url": url})));
    for url in [
        "https://example.com/login?a=b#c",
        "http://127.0.0.1:8080",
        "https://[::1]/",
    ] {
        let form = link(url);
        assert_eq!((form.problem, form.url.as_deref()), (None, Some(url)));
    }
    for url in [
        "",
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "//example.com",
        "https://",
        "https:///a",
        "https://good.example\\@evil.example/",
        "https://github.com@evil.example",
        "https://github.com:443@evil.example/login",
        "https://@evil.example/",
        "https://github.com%2flogin@evil.example/",
        "https://a b",
        "https://a\u{202e}b",
        "https://ex\u{e4}mple.com",
        "HTTPS\u{0}://a",
    ] {
        assert!(link(url).problem.is_some(), "{url:?}");
    }
    assert!(
        of_elicitation(&elicitation(json!({"mode": "other"})))
            .problem
            .is_some()
    );
}

fn conversation() -> Conversation {
    Conversation::new(SessionId::from("s-1"), "e".to_owned(), 1 << 20)
}

fn answer(decision: Decision, content: Option<Value>) -> Answer {
    let mut answer = Answer::new(decision);
    answer.content = content.map(|content| serde_json::from_value(content).unwrap());
    answer
}

#[test]
fn a_form_waits_is_answered_once_and_its_values_are_in_no_event() {
    let mut conversation = conversation();
    let schema = json!({"properties": {"key": {"type": "string", "format": "password", "minLength": 3}}, "required": ["key"]});
    let asked = elicitation(json!({"requested_schema": schema}));
    conversation
        .ask("f".to_owned(), Asked::Elicitation(Box::new(asked)))
        .unwrap();
    let pending = conversation.requests().next().unwrap();
    assert_eq!(
        (pending.kind, &*pending.title),
        (RequestKind::Form, "calc asks: Who are you?")
    );
    assert_eq!((&pending.tool, &pending.tool_use_id), (&None, &None));
    let short = answer(Decision::Accept, Some(json!({"key": "s3"})));
    let refused = conversation.answer("f", &short, "phone").unwrap_err();
    assert!(
        matches!(&refused, AnswerError::Fields(fields) if fields.len() == 1),
        "{refused}"
    );
    for unfit in [
        answer(Decision::Allow, None),
        answer(Decision::Decline, Some(json!({}))),
    ] {
        assert!(matches!(
            conversation.answer("f", &unfit, "phone"),
            Err(AnswerError::Unfit(_))
        ));
    }
    let secret = answer(Decision::Accept, Some(json!({"key": "s3cr3t"})));
    assert!(!format!("{secret:?} {refused:?}").contains("s3"));
    let (answered, reply) = conversation.answer("f", &secret, "phone").unwrap();
    assert_eq!(
        (answered.decision, &*answered.by),
        (Decision::Accept, "phone")
    );
    let reply = serde_json::to_value(reply).unwrap();
    assert_eq!(
        reply,
        json!({"action": "accept", "content": {"key": "s3cr3t"}})
    );
    let late = conversation.answer("f", &secret, "desk").unwrap_err();
    assert!(matches!(late, AnswerError::Late(first) if first.by == "phone"));
    let Next::Events(events) = conversation.next(Some(0), 99) else {
        panic!("nothing is gone")
    };
    assert!(events.iter().all(|event| !event.data.contains("s3cr3t")));
}

#[test]
fn who_does_not_answer_a_form_has_cancelled_it_and_who_declines_has_declined() {
    let mut conversation = conversation();
    for id in ["a", "b", "c"] {
        let asked = elicitation(json!({"requested_schema": {}}));
        conversation
            .ask(id.to_owned(), Asked::Elicitation(Box::new(asked)))
            .unwrap();
    }
    conversation.withdraw("a", "timeout");
    let late = conversation.answer("a", &answer(Decision::Accept, None), "phone");
    assert!(matches!(late, Err(AnswerError::Late(before)) if before.decision == Decision::Cancel));
    for (id, decision, action) in [
        ("b", Decision::Decline, "decline"),
        ("c", Decision::Cancel, "cancel"),
    ] {
        let (_, reply) = conversation
            .answer(id, &answer(decision, None), "phone")
            .unwrap();
        assert_eq!(
            serde_json::to_value(reply).unwrap(),
            json!({"action": action})
        );
    }
}

fn dialog(kind: &str, payload: Value) -> Asked {
    let body = json!({"subtype": "request_user_dialog", "dialog_kind": kind, "payload": payload});
    Asked::Dialog(Box::new(
        serde_json::from_value::<RequestUserDialog>(body).unwrap(),
    ))
}

#[test]
fn known_dialogs_are_forms_and_others_are_cancelled_and_shown() {
    let mut conversation = conversation();
    let options =
        json!([{"value": "block", "label": "Block"}, {"value": "allow", "label": "Keep allowing"}]);
    let outside = json!({"toolName": "Read", "path": "/etc/hosts", "title": "t", "question": "May it?", "explainer": "Why", "options": options});
    conversation
        .ask("d".to_owned(), dialog("auto_mode_outside_reads", outside))
        .unwrap();
    let pending = conversation.requests().next().unwrap();
    assert_eq!(pending.kind, RequestKind::Dialog);
    assert!(
        pending
            .form
            .as_ref()
            .unwrap()
            .message
            .contains("Read: /etc/hosts")
    );
    let wrong = answer(Decision::Accept, Some(json!({"choice": "other"})));
    assert!(matches!(
        conversation.answer("d", &wrong, "phone"),
        Err(AnswerError::Fields(_))
    ));
    let right = answer(Decision::Accept, Some(json!({"choice": "block"})));
    let (_, reply) = conversation.answer("d", &right, "phone").unwrap();
    assert_eq!(
        serde_json::to_value(&reply).unwrap(),
        json!({"behavior": "completed", "result": "block"})
    );
    let refused = json!({"originalModel": "one", "fallbackModel": "two"});
    conversation
        .ask("r".to_owned(), dialog("refusal_fallback_prompt", refused))
        .unwrap();
    let (_, reply) = conversation
        .answer("r", &answer(Decision::Cancel, None), "phone")
        .unwrap();
    assert!(matches!(reply, Reply::Dialog(_)));
    assert_eq!(
        serde_json::to_value(reply).unwrap(),
        json!({"behavior": "cancelled"})
    );

    let before = conversation.elements().iter().count();
    let unknown = dialog(&"<b>".repeat(100), json!({}));
    assert!(conversation.ask("u".to_owned(), unknown).is_err());
    assert!(
        conversation
            .ask("v".to_owned(), dialog("auto_mode_outside_reads", json!({})))
            .is_err()
    );
    assert_eq!(conversation.requests().count(), 0);
    assert_eq!(conversation.elements().iter().count(), before + 2);
}
