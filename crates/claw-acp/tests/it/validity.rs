//! Whether the agent's lines fit the protocol's JSON Schema, as the protocol's crate has it.

use std::collections::HashMap;
use std::sync::LazyLock;

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{AgentNotification, AgentRequest, AgentResponse};
use jsonschema::Validator;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

/// The types of the agent's answers and of its requests and notifications, by method.
struct Types {
    answers: HashMap<String, Validator>,
    params: HashMap<String, Validator>,
    error: Validator,
}

static TYPES: LazyLock<Types> =
    LazyLock::new(Types::of::<AgentResponse, AgentRequest, AgentNotification>);

impl Types {
    fn of<Answer: JsonSchema, Request: JsonSchema, Notification: JsonSchema>() -> Self {
        let mut generator = SchemaGenerator::default();
        generator.subschema_for::<Answer>();
        generator.subschema_for::<Request>();
        generator.subschema_for::<Notification>();
        generator.subschema_for::<Error>();
        let types = json!(generator.definitions());
        let validator = |name: &str| {
            // The protocol allows no further members, but its schema does.
            let root = json!({"$ref": format!("#/$defs/{name}"), "$defs": types,
                "unevaluatedProperties": false});
            jsonschema::draft202012::new(&root).unwrap()
        };
        let mut found = Self {
            answers: HashMap::new(),
            params: HashMap::new(),
            error: validator(&Error::schema_name()),
        };
        for (name, definition) in types.as_object().unwrap() {
            let Some(method) = definition["x-method"].as_str() else {
                continue;
            };
            let is_answer = name.ends_with("Response");
            let place = if is_answer {
                &mut found.answers
            } else {
                &mut found.params
            };
            place.insert(method.to_owned(), validator(name));
        }
        assert!(found.answers.contains_key("session/prompt"));
        assert!(found.params.contains_key("session/update"));
        found
    }

    fn check(&self, line: &Value, asked: Option<&str>) {
        assert_eq!(line["jsonrpc"], "2.0", "{line}");
        let (validator, value) = if let Some(method) = line["method"].as_str() {
            if method == "$/cancel_request" {
                return;
            }
            let validator = self.params.get(method);
            (validator.expect(method), &line["params"])
        } else if let Some(error) = line.get("error") {
            assert!(line.get("result").is_none(), "{line}");
            (&self.error, error)
        } else {
            let method = asked.unwrap_or_else(|| panic!("an answer to no request: {line}"));
            let validator = self.answers.get(method);
            (validator.expect(method), &line["result"])
        };
        if let Err(error) = validator.validate(value) {
            panic!("{error} at {}: {line}", error.instance_path());
        }
    }
}

/// Panics if a line of the agent is not valid. `asked` is the method of the request that it answers.
pub(crate) fn check(line: &Value, asked: Option<&str>) {
    TYPES.check(line, asked);
}

/// The lines of version 2.
#[cfg(feature = "v2-draft")]
pub(crate) mod v2 {
    use agent_client_protocol::v2::schema::{AgentNotification, AgentRequest, AgentResponse};

    use super::{LazyLock, Types, Value};

    static TYPES: LazyLock<Types> =
        LazyLock::new(Types::of::<AgentResponse, AgentRequest, AgentNotification>);

    pub(crate) fn check(line: &Value, asked: Option<&str>) {
        TYPES.check(line, asked);
    }
}

#[test]
#[should_panic(expected = "surplus")]
fn a_member_that_the_protocol_does_not_have_is_not_valid() {
    let mut line = json!({"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "end_turn"}});
    check(&line, Some("session/prompt"));
    line["result"]["surplus"] = json!(1);
    check(&line, Some("session/prompt"));
}
