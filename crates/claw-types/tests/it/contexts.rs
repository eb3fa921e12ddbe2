//! Inside other people's types, and from any source, serde reads what `from_line` reads.

use std::fmt::Debug;

use claw_types::api::{ContentBlock, StopReason, Usage};
use claw_types::control::PermissionUpdate;
use claw_types::message::AssistantMessage;
use claw_types::options::PermissionMode;
use claw_types::{
    Count, Extra, Json, Map, Message, Number, RequestId, SessionId, StdoutMessage, from_line,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::{assert_lossless, seed, valid_seeds};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Flat<T> {
    at: u64,
    #[serde(flatten)]
    inner: T,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Internal<T> {
    Of(T),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "inner")]
enum Adjacent<T> {
    Of(T),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged<T> {
    Never { never_there: u64 },
    Of(T),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Field<T> {
    inner: T,
}

/// Every source that `serde_json` has, spaced and not.
fn sources<T>(line: &str) -> T
where
    T: DeserializeOwned + Serialize + PartialEq + Debug,
{
    let value: T = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let tree: Value = serde_json::from_str(line).unwrap();
    let pretty = serde_json::to_string_pretty(&tree).unwrap();
    assert_eq!(serde_json::from_slice::<T>(line.as_bytes()).unwrap(), value);
    assert_eq!(
        serde_json::from_reader::<_, T>(line.as_bytes()).unwrap(),
        value
    );
    assert_eq!(serde_json::from_str::<T>(&pretty).unwrap(), value);
    assert_eq!(
        serde_json::from_reader::<_, T>(pretty.as_bytes()).unwrap(),
        value
    );
    assert_eq!(T::deserialize(&tree).unwrap(), value);
    assert_eq!(serde_json::to_value(&value).unwrap(), tree);
    assert_eq!(serde_json::from_value::<T>(tree).unwrap(), value);
    assert_lossless(&value, line);
    value
}

/// All contexts, with a type that stands in an object of its own.
fn objects<T>(line: &str, expected: &T)
where
    T: DeserializeOwned + Serialize + PartialEq + Debug,
{
    let body = line.trim().strip_prefix('{').unwrap();
    let comma = if body.starts_with('}') { "" } else { "," };
    assert_eq!(&sources::<T>(line), expected);
    let flat = sources::<Flat<T>>(&format!("{{\"at\":1{comma}{body}"));
    assert_eq!(&flat.inner, expected);
    // The other's key last.
    let open = line.trim().strip_suffix('}').unwrap();
    let flat = sources::<Flat<T>>(&format!("{open}{comma}\"at\":1}}"));
    assert_eq!(&flat.inner, expected);
    let Internal::Of(inner) = sources::<Internal<T>>(&format!("{{\"kind\":\"Of\"{comma}{body}"));
    assert_eq!(&inner, expected);
    let Internal::Of(inner) = sources::<Internal<T>>(&format!("{open}{comma}\"kind\":\"Of\"}}"));
    assert_eq!(&inner, expected);
    let Untagged::Of(inner) = sources::<Untagged<T>>(line) else {
        panic!("{line}");
    };
    assert_eq!(&inner, expected);
    anywhere(line, expected);
}

/// The contexts that any value can stand in.
fn anywhere<T>(json: &str, expected: &T)
where
    T: DeserializeOwned + Serialize + PartialEq + Debug,
{
    let field = sources::<Field<T>>(&format!("{{\"inner\":{json}}}"));
    assert_eq!(&field.inner, expected);
    let flat = sources::<Flat<Field<T>>>(&format!("{{\"inner\":{json},\"at\":1}}"));
    assert_eq!(&flat.inner.inner, expected);
    let Internal::Of(field) =
        sources::<Internal<Field<T>>>(&format!("{{\"inner\":{json},\"kind\":\"Of\"}}"));
    assert_eq!(&field.inner, expected);
    for line in [
        format!("{{\"kind\":\"Of\",\"inner\":{json}}}"),
        format!("{{\"inner\":{json},\"kind\":\"Of\"}}"),
    ] {
        let Adjacent::Of(inner) = sources::<Adjacent<T>>(&line);
        assert_eq!(&inner, expected);
    }
    let Untagged::Of(field) = sources::<Untagged<Field<T>>>(&format!("{{\"inner\":{json}}}"))
    else {
        panic!("{json}");
    };
    assert_eq!(&field.inner, expected);
    let list = sources::<Vec<T>>(&format!("[{json},{json}]"));
    assert_eq!(list.len(), 2);
    sources::<Map<T>>(&format!("{{\"b\":{json},\"a\":{json}}}"));
}

/// Seeds that serde's own buffer and a tree can hold: neither keeps a number beyond 64 bits, nor
/// which of two equal keys was the last.
fn seeds() -> impl Iterator<Item = String> {
    valid_seeds()
        .into_iter()
        .filter(|seed| !seed.name.starts_with("duplicate"))
        .map(|seed| {
            let tree: Value = serde_json::from_str(&seed.line).unwrap();
            tree.to_string()
        })
}

#[test]
fn messages_in_any_context() {
    for line in seeds() {
        objects(&line, &from_line::<StdoutMessage>(line.as_bytes()).unwrap());
        objects(&line, &from_line::<Message>(line.as_bytes()).unwrap());
    }
}

#[test]
fn one_kind_in_any_context() {
    for name in [
        "assistant_text",
        "assistant_blocks",
        "assistant_unknown_block",
        "assistant_error",
    ] {
        let line = serde_json::from_str::<Value>(&seed(name))
            .unwrap()
            .to_string();
        let Message::Assistant(message) = from_line(line.as_bytes()).unwrap() else {
            panic!("{name}");
        };
        objects::<AssistantMessage>(&line, &message);
    }
}

#[test]
fn parts_in_any_context() {
    let block = r#"{"content":[{"text":"a","type":"text","x":[1.0,{"type":"image"}]}],"tool_use_id":"t","type":"tool_result"}"#;
    objects::<ContentBlock>(block, &serde_json::from_str(block).unwrap());
    let unknown = r#"{"a":[1,2.0,null,{"b":"\u00fc"}],"type":"of_tomorrow"}"#;
    objects::<ContentBlock>(unknown, &serde_json::from_str(unknown).unwrap());
    let usage = r#"{"output_tokens":1.0,"input_tokens":null,"of_tomorrow":[0,0.0]}"#;
    let read: Usage = serde_json::from_str(usage).unwrap();
    objects::<Usage>(usage, &read);
    assert_eq!(read.extra.len(), 1);
    let update = r#"{"directories":["/w"],"destination":"nowhere","type":"addDirectories"}"#;
    objects::<PermissionUpdate>(update, &serde_json::from_str(update).unwrap());
}

#[test]
fn values_in_any_context() {
    anywhere("\"plan\"", &PermissionMode::Plan);
    anywhere("\"of tomorrow\"", &PermissionMode::from("of tomorrow"));
    anywhere("\"\\u0070lan\"", &PermissionMode::Plan);
    anywhere("\"end_turn\"", &Some(StopReason::EndTurn));
    anywhere("null", &None::<StopReason>);
    anywhere("\"s-1\"", &SessionId::from("s-1"));
    anywhere("\"\\u00fc\"", &RequestId::from("ü"));
    for count in ["0", "1.0", "18446744073709551615"] {
        anywhere::<Count>(count, &serde_json::from_str(count).unwrap());
    }
    for number in ["0", "0.0", "-1", "1e-7", "-0.0", "18446744073709551615"] {
        anywhere::<Number>(number, &serde_json::from_str(number).unwrap());
    }
    for json in [
        "null",
        "true",
        "\"a\\nb\"",
        "[]",
        "[1,[2.0,{\"type\":\"user\"}]]",
        "{\"b\":1,\"a\":{\"type\":\"result\"}}",
        "1e-7",
    ] {
        anywhere::<Json>(json, &Json::from_text(json.to_owned()).unwrap());
        anywhere::<Map<Json>>(
            &format!("{{\"k\":{json}}}"),
            &Map::from_iter([("k", Json::from_text(json.to_owned()).unwrap())]),
        );
    }
}

#[test]
fn an_id_and_an_enumeration_are_keys_too() {
    let map: std::collections::HashMap<SessionId, u8> =
        serde_json::from_value(json!({"s": 1})).unwrap();
    assert_eq!(map[&SessionId::from("s")], 1);
}

#[test]
fn json_from_a_pretty_source_stays_on_one_line() {
    let pretty = "{\n  \"type\": \"of_tomorrow\",\r\n  \"a\": [\n    1\n  ]\n}";
    let value: Message = serde_json::from_str(pretty).unwrap();
    assert!(value.is_unknown());
    assert_eq!(from_line::<Message>(pretty.as_bytes()).unwrap(), value);
    for value in [value, from_line(pretty.as_bytes()).unwrap()] {
        assert!(
            !serde_json::to_string(&value)
                .unwrap()
                .contains(['\n', '\r'])
        );
    }
}

#[test]
fn an_error_in_somebodys_buffer_still_has_its_path() {
    let line = seed("bad_body");
    let line = format!("{{\"kind\":\"Of\",{}", &line[1..]);
    let error = serde_json::from_str::<Internal<Message>>(&line).unwrap_err();
    assert!(
        error.to_string().contains("message.content[0].text"),
        "{error}"
    );
}

#[test]
fn extra_is_empty_by_default() {
    assert!(Extra::default().is_empty());
    assert_eq!(Extra::default(), Extra::default());
}

/// Under somebody's `flatten` an object is taken apart and put together again.
#[test]
fn the_order_of_keys_survives_a_flatten() {
    let line = r#"{"at":1,"type":"keep_alive","z":{"b":1,"a":2.0},"y":"\n","x":[null,true,-7]}"#;
    let flat: Flat<StdoutMessage> = serde_json::from_str(line).unwrap();
    assert_eq!(serde_json::to_string(&flat).unwrap(), line);
}
