//! The classic kinds, one message each, built as another crate would: what is required of each, and
//! what is said where it is missing or wrong.

use claw_types::api::{
    ApiMessage, ContentBlockDeltaEvent, MessageParam, Role, TextBlock, TextDelta, ThinkingBlock,
    ToolResultBlock, ToolUseBlock, Usage,
};
use claw_types::message::{
    AssistantMessage, AuthStatus, CompactBoundary, CompactMetadata, CompactTrigger, FailedFile,
    FilesPersisted, HookOutcome, HookProgress, HookResponse, HookStarted, McpServerInfo,
    ModelUsage, PermissionDenial, PersistedFile, PluginInfo, ResultError, ResultErrorSubtype,
    ResultSuccess, SessionStatus, StatusMessage, StreamEventMessage, SystemInit, TaskNotification,
    TaskStatus, TaskUsage, ToolProgress, ToolUseSummary, UserMessage, UserMessageReplay,
};
use claw_types::options::PermissionMode;
use claw_types::{DecodeErrorKind, Map, Message, StdoutMessage, from_line};
use serde_json::{Value, json};

use crate::support::message;

/// A message of each of the classic kinds, with all that is required and one of everything that has
/// required parts of its own.
pub(crate) fn classic() -> Vec<(&'static str, Message)> {
    let answer = ApiMessage::new(
        "msg_1",
        Role::Assistant,
        "claude-opus-5-5",
        vec![
            TextBlock::new("I look.").into(),
            ThinkingBlock::new("Where?", "c2ln").into(),
            ToolUseBlock::new("toolu_1", "Read", json!({"file_path": "/w/a"})).into(),
        ],
        Usage::new(5),
    );
    let usage = || Map::from_iter([("claude-opus-5-5", ModelUsage::new(1, 2, 3, 4, 0, 0.5, 6))]);
    let denials = || vec![PermissionDenial::new("Bash", "toolu_1", json!({}))];
    let read = ToolResultBlock::new("toolu_1").content(vec![TextBlock::new("a").into()]);
    let delta = ContentBlockDeltaEvent::new(0, TextDelta::new("Fo"));
    vec![
        (
            "AssistantMessage",
            AssistantMessage::new(answer, "u", "s").into(),
        ),
        (
            "UserMessage",
            UserMessage::new(MessageParam::user(vec![read.into()])).into(),
        ),
        (
            "UserMessageReplay",
            UserMessageReplay::new(MessageParam::user("hi"), "u", "s").into(),
        ),
        (
            "ResultSuccess",
            ResultSuccess::new(
                5,
                4.5,
                false,
                1,
                "Four.",
                0,
                Usage::new(5),
                usage(),
                denials(),
                "u",
                "s",
            )
            .into(),
        ),
        (
            "ResultError",
            ResultError::new(
                ResultErrorSubtype::ErrorMaxTurns,
                5,
                4,
                true,
                1,
                0.5,
                Usage::new(5),
                usage(),
                denials(),
                "u",
                "s",
            )
            .errors(vec!["why".to_owned()])
            .into(),
        ),
        (
            "SystemInit",
            SystemInit::new(
                "/w",
                "s",
                vec!["Bash".to_owned()],
                vec![McpServerInfo::new("calc", "connected")],
                "m",
                PermissionMode::Plan,
                vec!["compact".to_owned()],
                "none",
                "2.1.329",
                "default",
                vec!["pdf".to_owned()],
                vec![PluginInfo::new("p", "builtin")],
                "u",
            )
            .into(),
        ),
        (
            "StreamEventMessage",
            StreamEventMessage::new(delta, "u", "s").into(),
        ),
        (
            "CompactBoundary",
            CompactBoundary::new(CompactMetadata::new(CompactTrigger::Auto, 9), "u", "s").into(),
        ),
        (
            "StatusMessage",
            StatusMessage::new("u", "s")
                .status(SessionStatus::Compacting)
                .into(),
        ),
        (
            "HookStarted",
            HookStarted::new("h", "Stop", "Stop", "u", "s").into(),
        ),
        (
            "HookProgress",
            HookProgress::new("h", "Stop", "Stop", "out", "err", "outerr", "u", "s").into(),
        ),
        (
            "HookResponse",
            HookResponse::new(
                "h",
                "Stop",
                "Stop",
                "out",
                "err",
                "outerr",
                HookOutcome::Success,
                "u",
                "s",
            )
            .into(),
        ),
        (
            "ToolProgress",
            ToolProgress::new("toolu_1", "Bash", 30, "u", "s").into(),
        ),
        (
            "AuthStatus",
            AuthStatus::new(true, vec!["Open the page.".to_owned()], "u", "s").into(),
        ),
        (
            "TaskNotification",
            TaskNotification::new("t", TaskStatus::Completed, "/w/t.output", "Done.", "u", "s")
                .usage(TaskUsage::new(17, 1, 336))
                .into(),
        ),
        (
            "FilesPersisted",
            FilesPersisted::new(
                vec![PersistedFile::new("a.txt", "file_1")],
                vec![FailedFile::new("b.txt", "too big")],
                "2026-01-02T03:04:05Z",
                "u",
                "s",
            )
            .into(),
        ),
        (
            "ToolUseSummary",
            ToolUseSummary::new("Read a file.", vec!["toolu_1".into()], "u", "s").into(),
        ),
    ]
}

/// What a value must be.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Is {
    Text,
    /// Text, or null.
    TextOrNull,
    Number,
    Count,
    Bool,
    Object,
    List,
    /// Text, or a list.
    Content,
    Any,
}

impl Is {
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::TextOrNull => value.is_string() || value.is_null(),
            Self::Number => value.is_number(),
            Self::Count => value.is_u64(),
            Self::Bool => value.is_boolean(),
            Self::Object => value.is_object(),
            Self::List => value.is_array(),
            Self::Content => value.is_string() || value.is_array(),
            Self::Any => true,
        }
    }
}

const WRONG: [fn() -> Value; 7] = [
    || Value::Null,
    || json!(false),
    || json!(-7.5),
    || json!("x"),
    || json!([]),
    || json!({}),
    || json!(7),
];

const NAMES: [(&str, Is); 2] = [("uuid", Is::Text), ("session_id", Is::Text)];
const PARENT: (&str, Is) = ("parent_tool_use_id", Is::TextOrNull);

const RESULT: &[(&str, Is)] = &[
    ("duration_ms", Is::Number),
    ("duration_api_ms", Is::Number),
    ("is_error", Is::Bool),
    ("num_turns", Is::Count),
    ("stop_reason", Is::TextOrNull),
    ("total_cost_usd", Is::Number),
    ("usage", Is::Object),
    ("usage.output_tokens", Is::Count),
    ("modelUsage", Is::Object),
    ("modelUsage.claude-opus-5-5.inputTokens", Is::Count),
    ("modelUsage.claude-opus-5-5.outputTokens", Is::Count),
    ("modelUsage.claude-opus-5-5.cacheReadInputTokens", Is::Count),
    (
        "modelUsage.claude-opus-5-5.cacheCreationInputTokens",
        Is::Count,
    ),
    ("modelUsage.claude-opus-5-5.webSearchRequests", Is::Count),
    ("modelUsage.claude-opus-5-5.costUSD", Is::Number),
    ("modelUsage.claude-opus-5-5.contextWindow", Is::Count),
    ("permission_denials", Is::List),
    ("permission_denials[0].tool_name", Is::Text),
    ("permission_denials[0].tool_use_id", Is::Text),
    ("permission_denials[0].tool_input", Is::Any),
];

const HOOK: &[(&str, Is)] = &[
    ("hook_id", Is::Text),
    ("hook_name", Is::Text),
    ("hook_event", Is::Text),
];

const HOOK_OUTPUT: &[(&str, Is)] = &[
    ("stdout", Is::Text),
    ("stderr", Is::Text),
    ("output", Is::Text),
];

/// What is required of each kind, besides its tags. By hand: what the CLI always sends.
fn required(kind: &str) -> Vec<(&'static str, Is)> {
    let own: &[&[(&str, Is)]] = match kind {
        "AssistantMessage" => &[
            &NAMES,
            &[
                PARENT,
                ("message", Is::Object),
                ("message.id", Is::Text),
                ("message.role", Is::Text),
                ("message.model", Is::Text),
                ("message.content", Is::List),
                ("message.content[0].text", Is::Text),
                ("message.content[1].thinking", Is::Text),
                ("message.content[1].signature", Is::Text),
                ("message.content[2].id", Is::Text),
                ("message.content[2].name", Is::Text),
                ("message.content[2].input", Is::Any),
                ("message.stop_reason", Is::TextOrNull),
                ("message.stop_sequence", Is::TextOrNull),
                ("message.usage", Is::Object),
                ("message.usage.output_tokens", Is::Count),
            ],
        ],
        "UserMessage" => &[&[
            PARENT,
            ("message", Is::Object),
            ("message.role", Is::Text),
            ("message.content", Is::Content),
            ("message.content[0].tool_use_id", Is::Text),
            ("message.content[0].content[0].text", Is::Text),
        ]],
        "UserMessageReplay" => &[
            &NAMES,
            &[
                PARENT,
                ("message", Is::Object),
                ("message.role", Is::Text),
                ("message.content", Is::Content),
            ],
        ],
        "ResultSuccess" => &[&NAMES, RESULT, &[("result", Is::Text)]],
        "ResultError" => &[&NAMES, RESULT, &[("subtype", Is::Text)]],
        "SystemInit" => &[
            &NAMES,
            &[
                ("cwd", Is::Text),
                ("tools", Is::List),
                ("mcp_servers", Is::List),
                ("mcp_servers[0].name", Is::Text),
                ("mcp_servers[0].status", Is::Text),
                ("model", Is::Text),
                ("permissionMode", Is::Text),
                ("slash_commands", Is::List),
                ("apiKeySource", Is::Text),
                ("claude_code_version", Is::Text),
                ("output_style", Is::Text),
                ("skills", Is::List),
                ("plugins", Is::List),
                ("plugins[0].name", Is::Text),
                ("plugins[0].path", Is::Text),
            ],
        ],
        "StreamEventMessage" => &[
            &NAMES,
            &[
                PARENT,
                ("event", Is::Object),
                ("event.index", Is::Count),
                ("event.delta", Is::Object),
                ("event.delta.text", Is::Text),
            ],
        ],
        "CompactBoundary" => &[
            &NAMES,
            &[
                ("compact_metadata", Is::Object),
                ("compact_metadata.trigger", Is::Text),
                ("compact_metadata.pre_tokens", Is::Count),
            ],
        ],
        "StatusMessage" => &[&NAMES, &[("status", Is::TextOrNull)]],
        "HookStarted" => &[&NAMES, HOOK],
        "HookProgress" => &[&NAMES, HOOK, HOOK_OUTPUT],
        "HookResponse" => &[&NAMES, HOOK, HOOK_OUTPUT, &[("outcome", Is::Text)]],
        "ToolProgress" => &[
            &NAMES,
            &[
                PARENT,
                ("tool_use_id", Is::Text),
                ("tool_name", Is::Text),
                ("elapsed_time_seconds", Is::Number),
            ],
        ],
        "AuthStatus" => &[
            &NAMES,
            &[("isAuthenticating", Is::Bool), ("output", Is::List)],
        ],
        "TaskNotification" => &[
            &NAMES,
            &[
                ("task_id", Is::Text),
                ("status", Is::Text),
                ("output_file", Is::Text),
                ("summary", Is::Text),
                ("usage.total_tokens", Is::Count),
                ("usage.tool_uses", Is::Count),
                ("usage.duration_ms", Is::Number),
            ],
        ],
        "FilesPersisted" => &[
            &NAMES,
            &[
                ("files", Is::List),
                ("files[0].filename", Is::Text),
                ("files[0].file_id", Is::Text),
                ("failed", Is::List),
                ("failed[0].filename", Is::Text),
                ("failed[0].error", Is::Text),
                ("processed_at", Is::Text),
            ],
        ],
        "ToolUseSummary" => &[
            &NAMES,
            &[("summary", Is::Text), ("preceding_tool_use_ids", Is::List)],
        ],
        other => panic!("nobody says what is required of {other}"),
    };
    own.concat()
}

/// Tags are what makes a line one of its kind: without them it is none, and no error.
fn is_outer_tag(path: &str) -> bool {
    matches!(path, "type" | "subtype" | "isReplay")
}

/// The object that holds the last step of a path, and that step.
fn holder<'a, 'p>(line: &'a mut Value, path: &'p str) -> (&'a mut Value, &'p str, &'p str) {
    let (parent, key) = path.rsplit_once('.').unwrap_or(("", path));
    let mut pointer = String::new();
    for step in parent
        .split(['.', '[', ']'])
        .filter(|step| !step.is_empty())
    {
        pointer.push('/');
        pointer.push_str(step);
    }
    (line.pointer_mut(&pointer).unwrap(), parent, key)
}

#[test]
fn a_built_message_has_its_own_keys_alone() {
    for (kind, built) in classic() {
        let line = serde_json::to_string(&built).unwrap();
        let read = message(&line);
        assert_eq!(read, built, "{kind}");
        assert!(!read.is_unknown(), "{kind}");
        let debug = format!("{read:?}");
        assert!(!debug.contains("extra: {\""), "{kind}: {debug}");
        let is_strict = serde_json::from_str::<Message>(&line);
        assert_eq!(is_strict.unwrap(), built, "{kind}");
    }
}

#[test]
fn what_is_missing_or_wrong_is_named() {
    let mut made = 0;
    for (kind, built) in classic() {
        let line = serde_json::to_value(&built).unwrap();
        for (path, is) in required(kind) {
            let mut without = line.clone();
            let (object, parent, key) = holder(&mut without, path);
            let removed = object.as_object_mut().unwrap().remove(key);
            assert!(removed.is_some_and(|old| is.fits(&old)), "{kind}: {path}");
            refused(kind, &without, parent, &format!("missing field `{key}`"));
            made += 1;
            for wrong in WRONG
                .map(|wrong| wrong())
                .iter()
                .filter(|wrong| !is.fits(wrong))
            {
                let mut line = line.clone();
                let (object, _, key) = holder(&mut line, path);
                object[key] = wrong.clone();
                refused(kind, &line, path, "invalid ");
                made += 1;
            }
        }
    }
    assert!(made > 800, "{made}");
}

/// The line does not fit, and the error says where; through every union that can hold it.
fn refused(kind: &str, line: &Value, path: &str, text: &str) {
    let line = line.to_string();
    let error = from_line::<Message>(line.as_bytes()).expect_err(&line);
    assert_eq!(error.kind(), DecodeErrorKind::Data, "{kind}: {line}");
    assert_eq!(error.path(), path, "{kind}: {error}: {line}");
    assert!(error.to_string().contains(text), "{kind}: {error}: {line}");
    let outer = from_line::<StdoutMessage>(line.as_bytes()).expect_err(&line);
    assert_eq!(outer.to_string(), error.to_string());
}

/// The table above and the types say the same: nothing required is left out of it.
#[cfg(feature = "schema")]
#[test]
fn the_table_is_whole() {
    use std::collections::BTreeSet;

    let files = claw_types::schema::files();
    let (_, bundle) = files
        .into_iter()
        .find(|(path, _)| path.starts_with("codegen"))
        .unwrap();
    for (kind, built) in classic() {
        let line = serde_json::to_value(&built).unwrap();
        let mut found = BTreeSet::new();
        let schema = &bundle["$defs"][kind];
        required_by(&bundle, schema, &line, "", &mut found);
        let listed: BTreeSet<_> = required(kind)
            .iter()
            .map(|(path, _)| (*path).to_owned())
            .collect();
        found.retain(|path| !is_outer_tag(path) || listed.contains(path));
        found.retain(|path| path.rsplit('.').next() != Some("type") || !path.contains('.'));
        assert_eq!(found, listed, "{kind}");
    }
}

/// The paths on a line that a schema requires.
#[cfg(feature = "schema")]
fn required_by(
    bundle: &Value,
    schema: &Value,
    value: &Value,
    at: &str,
    found: &mut std::collections::BTreeSet<String>,
) {
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|path| path.rsplit('/').next())
    {
        return required_by(bundle, &bundle["$defs"][name], value, at, found);
    }
    for member in ["oneOf", "anyOf"]
        .iter()
        .filter_map(|key| schema[key].as_array())
        .flatten()
    {
        let name = member["$ref"]
            .as_str()
            .and_then(|path| path.rsplit('/').next());
        let target = name.map_or(member, |name| &bundle["$defs"][name]);
        let fits = match target["type"].as_str() {
            Some("array") => value.is_array(),
            Some("object") => {
                target["properties"]
                    .as_object()
                    .unwrap()
                    .iter()
                    .all(|(key, property)| {
                        property["enum"]
                            .as_array()
                            .is_none_or(|tags| tags.contains(&value[key]))
                    })
            }
            Some(_) => false,
            None => value.is_object(),
        };
        if fits {
            required_by(bundle, target, value, at, found);
        }
    }
    let inside = |key: &str| {
        if at.is_empty() {
            key.to_owned()
        } else {
            format!("{at}.{key}")
        }
    };
    for key in schema["required"].as_array().into_iter().flatten() {
        let key = key.as_str().unwrap();
        if schema["properties"][key]["x-expected"].is_null() {
            found.insert(inside(key));
        }
    }
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let schema = match &schema["properties"][key] {
                    Value::Null => &schema["additionalProperties"],
                    property => property,
                };
                required_by(bundle, schema, value, &inside(key), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                required_by(
                    bundle,
                    &schema["items"],
                    item,
                    &format!("{at}[{index}]"),
                    found,
                );
            }
        }
        _ => {}
    }
}

#[test]
fn a_replay_is_told_by_its_one_field() {
    let line = |is_replay: &str| {
        format!(
            r#"{{"type":"user","message":{{"role":"user","content":"hi"}},"parent_tool_use_id":null,"uuid":"u","session_id":"s"{is_replay}}}"#
        )
    };
    let plain = message(&line(""));
    assert!(matches!(plain, Message::User(_)), "{plain:?}");
    let not = message(&line(r#","isReplay":false"#));
    assert!(matches!(not, Message::User(_)), "{not:?}");
    let replay = message(&line(r#","isReplay":true"#));
    assert!(matches!(replay, Message::UserReplay(_)), "{replay:?}");
    assert_eq!((replay.text(), replay.uuid()), (plain.text(), plain.uuid()));
    // To claude it is what a host would write: a prompt with a field that says nothing.
    let back: claw_types::StdinMessage = from_line(line(r#","isReplay":true"#).as_bytes()).unwrap();
    assert!(matches!(back, claw_types::StdinMessage::User(_)));
    let odd = line(r#","isReplay":1"#);
    let error = from_line::<Message>(odd.as_bytes()).unwrap_err();
    assert_eq!(error.path(), "isReplay");
}
