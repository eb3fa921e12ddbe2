//! The files under `schemas/`.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::closed;
use super::facts::{Facts, facts, state};
use super::open::open;
use super::refers_to;
use super::union::LENIENT;
use crate::control::ControlRequestBody;
use crate::dialect::Dialect;
use crate::hook::{HookInput, HookOutput};
use crate::settings::{ConfigScope, ResolvedSettings};
use crate::store::{SessionInfo, SessionMessage, SessionSummaryEntry};
use crate::tool::{self, McpOutput};
use crate::transcript::Entry;
use crate::{CLI_VERSION, QueryOptions, StdinMessage, StdoutMessage};

/// The version of the schemas, independent of that of the crates. Raised when a definition changes.
const VERSION: &str = "0.1.0";

/// Returns all schema files. Each item contains the path of the file, relative to `schemas/`, and the content of the
/// file.
///
/// `stdout`, `stdin`, `options`, `hooks`, `tools`, `transcript` (an entry of a session's transcript) and `dialect` (a
/// line in its current form or an older one) are schemas for validation. These schemas are open, which means that they
/// accept kinds of messages that this version of claw does not know. Each of these files is self-contained.
/// `codegen/claw` is a closed schema for code generation, which contains every definition once. `meta` describes the
/// schema files.
pub fn files() -> Vec<(&'static str, Value)> {
    let (bundle, facts) = bundle();
    let dialect = validation::<Dialect>("dialect", &facts);
    vec![
        ("meta.json", meta(&bundle)),
        ("codegen/claw.schema.json", bundle),
        ("dialect.schema.json", dialect),
        ("hooks.schema.json", hooks(&facts)),
        (
            "options.schema.json",
            validation::<QueryOptions>("options", &facts),
        ),
        (
            "stdin.schema.json",
            validation::<StdinMessage>("stdin", &facts),
        ),
        (
            "stdout.schema.json",
            validation::<StdoutMessage>("stdout", &facts),
        ),
        ("tools.schema.json", tools(&facts)),
        (
            "transcript.schema.json",
            validation::<Entry>("transcript", &facts),
        ),
    ]
}

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().into_generator()
}

fn validation<T: JsonSchema>(name: &str, facts: &Facts) -> Value {
    let mut root = generator().into_root_schema_for::<T>().to_value();
    open(&mut root);
    identify(&mut root, name);
    state(&mut root["$defs"], facts, name);
    root
}

/// The input and output of hooks.
fn hooks(facts: &Facts) -> Value {
    let mut generator = generator();
    let roots = [
        generator.subschema_for::<HookInput>(),
        generator.subschema_for::<HookOutput>(),
    ];
    let mut root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Hooks",
        "description": "The input or the output of a hook.",
        "anyOf": roots,
        "$defs": generator.take_definitions(true)
    });
    open(&mut root);
    identify(&mut root, "hooks");
    state(&mut root["$defs"], facts, "hooks");
    root
}

/// Returns the schema of the inputs and outputs of tools, together with the tool's name: the three
/// keys of a tool use in hooks.
fn tools(facts: &Facts) -> Value {
    let mut generator = generator();
    let known = tool::BUILT_IN.iter().zip(tool::schemas(&mut generator));
    let mut known: Vec<_> = known
        .map(|(tool, [input, output])| {
            let names: Vec<_> = [tool.name].iter().chain(tool.aliases).copied().collect();
            json!({
                "if": { "properties": { "tool_name": { "enum": names } } },
                "then": { "properties": {
                    "tool_input": input,
                    "tool_response": {
                        "description": "The output of the tool. Text if the tool failed.",
                        "anyOf": [output, { "type": "string" }]
                    }
                } }
            })
        })
        .collect();
    known.push(json!({
        "if": { "properties": { "tool_name": { "pattern": "^mcp__.*__" } } },
        "then": { "properties": { "tool_response": generator.subschema_for::<McpOutput>() } }
    }));
    let mut root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Tools",
        "description": "A tool use, with the input and output of the built-in tools.",
        "type": "object",
        "required": ["tool_name"],
        "properties": {
            "tool_name": { "description": "The name of the tool.", "type": "string" }
        },
        "allOf": known,
        "$defs": generator.take_definitions(true)
    });
    open(&mut root);
    identify(&mut root, "tools");
    state(&mut root["$defs"], facts, "tools");
    root
}

/// Adds the types that session stores exchange and that an SDK returns. They are not part of any
/// line.
fn beside(generator: &mut SchemaGenerator) {
    drop(generator.subschema_for::<ResolvedSettings>());
    drop(generator.subschema_for::<ConfigScope>());
    drop(generator.subschema_for::<SessionInfo>());
    drop(generator.subschema_for::<SessionMessage>());
    drop(generator.subschema_for::<SessionSummaryEntry>());
}

fn bundle() -> (Value, Facts) {
    let mut generator = generator();
    drop(generator.subschema_for::<StdoutMessage>());
    drop(generator.subschema_for::<StdinMessage>());
    drop(generator.subschema_for::<QueryOptions>());
    drop(generator.subschema_for::<Entry>());
    let responses = ControlRequestBody::responses(&mut generator);
    beside(&mut generator);
    tool::schemas(&mut generator);
    drop(generator.subschema_for::<McpOutput>());
    let definitions = generator.take_definitions(true);
    let mut roots = vec![
        ("options", "QueryOptions"),
        ("transcript", "Entry"),
        ("tools", "McpOutput"),
    ];
    for tool in tool::BUILT_IN {
        roots.extend([("tools", tool.input), ("tools", tool.output)]);
    }
    let mut root = closed::bundle(definitions);
    let facts = root["$defs"]
        .as_object()
        .map(|definitions| facts(definitions, &responses, &roots))
        .unwrap_or_default();
    identify(&mut root, "codegen");
    state(&mut root["$defs"], &facts, "sdk");
    (root, facts)
}

/// Writes the file's name, claw's version and the CLI's version into a schema file.
pub fn identify(root: &mut Value, name: &str) {
    root["$id"] = format!("urn:claw:schema:{name}:{VERSION}").into();
    root["x-schema-version"] = VERSION.into();
    root["x-cli-version"] = CLI_VERSION.into();
}

/// Describes the files: every kind of line with its definition and its tags, and the definitions
/// that are not part of the official SDK's published types.
fn meta(bundle: &Value) -> Value {
    let mut generator = generator();
    drop(generator.subschema_for::<Dialect>());
    let old = json!({ "$defs": generator.take_definitions(true) });
    let mut kinds = Vec::new();
    kinds.extend(kinds_of(bundle, "StdoutMessage", "direction", "stdout"));
    kinds.extend(kinds_of(bundle, "StdinMessage", "direction", "stdin"));
    kinds.extend(kinds_of(bundle, "Entry", "direction", "transcript"));
    let old = kinds_of(&old, "Dialect", "file", "dialect");
    // The union also contains today's kinds.
    let is_old = |kind: &Value| bundle["$defs"].get(name_of(kind)).is_none();
    kinds.extend(old.into_iter().filter(is_old));
    let internal: Vec<_> = ["StdoutMessage", "StdinMessage"]
        .into_iter()
        .filter_map(|union| bundle["$defs"][union][LENIENT].as_array())
        .flatten()
        .collect();
    let tools: Vec<_> = tool::BUILT_IN
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name,
                "aliases": tool.aliases,
                "input": tool.input,
                "output": tool.output
            })
        })
        .collect();
    json!({
        "schemaVersion": VERSION,
        "cliVersion": CLI_VERSION,
        "kinds": kinds,
        "internal": internal,
        "tools": tools
    })
}

fn name_of(kind: &Value) -> &str {
    kind["definition"].as_str().unwrap_or_default()
}

/// Returns the kinds of a union: the name, the tags, and `key` with `value`.
fn kinds_of(bundle: &Value, union: &str, key: &str, value: &str) -> Vec<Value> {
    let definitions = &bundle["$defs"];
    let union = &definitions[union];
    let members = union.get("oneOf").unwrap_or(&union["anyOf"]).as_array();
    let kind = |member: &Value| {
        // The form, then the part that belongs to another form.
        let name = refers_to(member).or_else(|| refers_to(&member["allOf"][0]))?;
        let definition = &definitions[name];
        let mut kind: Map<_, _> = definition["properties"]
            .as_object()?
            .iter()
            .filter(|(key, _)| {
                let required = definition["required"].as_array();
                required.is_some_and(|required| required.contains(&key.as_str().into()))
            })
            .filter_map(
                |(key, property)| match property["enum"].as_array()?.as_slice() {
                    [only] => Some((key.clone(), only.clone())),
                    _ => None,
                },
            )
            .collect();
        kind.insert("definition".to_owned(), name.into());
        kind.insert(key.to_owned(), value.into());
        Some(Value::Object(kind))
    };
    members.into_iter().flatten().filter_map(kind).collect()
}
