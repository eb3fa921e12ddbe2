//! The final view of a connection: the responses, the conversation, the tool calls, the settings.
//!
//! Two agents may split the same text into different chunks, and fill in a tool call in different steps. The comparison
//! uses the result that a person sees, which is the same.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::client::{Line, Log};

/// The members of a tool call that updates replace.
const FIELDS: [&str; 7] = [
    "title",
    "kind",
    "content",
    "locations",
    "rawInput",
    "rawOutput",
    "name",
];

/// A tool call, including all its updates.
#[derive(Default)]
struct Tool {
    fields: Map<String, Value>,
    statuses: Vec<Value>,
    meta: Map<String, Value>,
}

/// The data that is collected from a connection.
#[derive(Default)]
struct View {
    /// The client's requests without a response, by ID.
    open: BTreeMap<u64, String>,
    answers: Map<String, Value>,
    /// The elements of the conversation, in order.
    order: Vec<String>,
    texts: BTreeMap<&'static str, Vec<Value>>,
    tools: Vec<(String, Tool)>,
    requests: Vec<Value>,
    plans: Vec<Value>,
    modes: Vec<Value>,
    config: Vec<Value>,
    commands: Value,
    usage: Value,
    others: Vec<Value>,
    extensions: BTreeSet<String>,
}

/// Returns the view of a log, as JSON without IDs and times. With `at_once`, the order of tool updates between two
/// texts is ignored.
pub(super) fn view(log: &Log, at_once: bool) -> Value {
    let mut view = View::default();
    for line in &log.0 {
        match line {
            Line::Sent(line) => view.sent(line),
            Line::Received(line) => view.received(line),
            Line::Unreadable(line) => view.order.push(format!("unreadable {line}")),
        }
    }
    if at_once {
        let is_of_tool = |item: &String| item.starts_with("tool ") || item.contains('/');
        for part in view
            .order
            .chunk_by_mut(|one, next| is_of_tool(one) && is_of_tool(next))
        {
            part.sort();
        }
    }
    view.into_json()
}

impl View {
    fn sent(&mut self, line: &Value) {
        if let (Some(id), Some(method)) = (line["id"].as_u64(), line["method"].as_str()) {
            self.open.insert(id, method.to_owned());
        }
    }

    fn received(&mut self, line: &Value) {
        let params = &line["params"];
        match line["method"].as_str() {
            Some("session/update") => self.update(&params["update"]),
            // An extension that only the agent's own clients know.
            Some(method) if method.starts_with('_') => {
                self.extensions.insert(method.to_owned());
            }
            Some(method) => {
                self.order.push(method.to_owned());
                let mut params = anonymous(params);
                if params["options"].is_array() {
                    params["options"] = options(&params["options"]);
                }
                self.requests
                    .push(json!({"method": method, "params": params}));
            }
            None => self.answer(line),
        }
    }

    fn answer(&mut self, line: &Value) {
        let id = line["id"].as_u64().unwrap_or_default();
        let method = self
            .open
            .remove(&id)
            .unwrap_or_else(|| "nothing".to_owned());
        if method == "initialize" && self.answers.contains_key("initialize") {
            // A restarted agent responds in the same way.
            return;
        }
        let answer = match line.get("error") {
            Some(error) => json!({"error": error}),
            None => line["result"].clone(),
        };
        if method == "session/prompt" {
            let stop = answer["stopReason"].as_str().unwrap_or("error");
            self.order.push(format!("answer {stop}"));
        } else if method != "initialize" && method != "session/new" {
            self.order.push(format!("answer {method}"));
        }
        let mut name = method.clone();
        let mut number = 1;
        while self.answers.contains_key(&name) {
            number += 1;
            name = format!("{method} #{number}");
        }
        self.answers.insert(name, anonymous(&answer));
    }

    fn update(&mut self, update: &Value) {
        match update["sessionUpdate"].as_str().unwrap_or_default() {
            "agent_message_chunk" => self.chunk("text", update),
            "agent_thought_chunk" => self.chunk("thought", update),
            "user_message_chunk" => self.chunk("user", update),
            "tool_call" | "tool_call_update" => self.tool(update),
            "plan" => self.plans.push(update["entries"].clone()),
            "current_mode_update" => self.modes.push(update["currentModeId"].clone()),
            "config_option_update" => self.config.push(values(&update["configOptions"])),
            "available_commands_update" => self.commands = commands(&update["availableCommands"]),
            "usage_update" => self.usage = without_kind(update),
            // Claude Code writes titles at any time. The responses to session/list contain the title.
            "session_info_update" => {}
            _ => {
                self.order.push(update["sessionUpdate"].to_string());
                self.others.push(anonymous(update));
            }
        }
    }

    /// Adds a chunk, which continues the previous text or begins a new one.
    fn chunk(&mut self, kind: &'static str, update: &Value) {
        let texts = self.texts.entry(kind).or_default();
        let content = &update["content"];
        let Some(text) = content["text"].as_str() else {
            self.order.push(format!("{kind} with {}", content["type"]));
            texts.push(content.clone());
            return;
        };
        if self.order.last().is_some_and(|last| last == kind)
            && let Some(Value::String(before)) = texts.last_mut()
        {
            before.push_str(text);
            return;
        }
        if text.is_empty() {
            return;
        }
        self.order.push(kind.to_owned());
        texts.push(Value::String(text.to_owned()));
    }

    fn tool(&mut self, update: &Value) {
        let id = update["toolCallId"].as_str().unwrap_or_default();
        let place = self.tools.iter().position(|(known, _)| known == id);
        let place = place.unwrap_or_else(|| {
            self.order.push(format!("tool {}", self.tools.len()));
            self.tools.push((id.to_owned(), Tool::default()));
            self.tools.len() - 1
        });
        let tool = &mut self.tools[place].1;
        for field in FIELDS {
            if let Some(value) = update.get(field).filter(|value| !value.is_null()) {
                tool.fields.insert(field.to_owned(), anonymous(value));
            }
        }
        // The default kind of a tool call.
        let kind = tool.fields.entry("kind".to_owned());
        kind.or_insert_with(|| "other".into());
        let first = update["sessionUpdate"] == "tool_call";
        let pending = Value::from("pending");
        let status = update.get("status").or(first.then_some(&pending));
        if let Some(status) = status.filter(|status| !status.is_null())
            && tool.statuses.last() != Some(status)
        {
            tool.statuses.push(status.clone());
        }
        let meta = anonymous(&update["_meta"]);
        for (name, value) in meta.as_object().into_iter().flatten() {
            match (tool.meta.get_mut(name), value) {
                (Some(Value::Object(before)), Value::Object(more)) => before.extend(more.clone()),
                _ => {
                    tool.meta.insert(name.clone(), value.clone());
                }
            }
        }
    }

    fn into_json(self) -> Value {
        // Tool calls are identified by their position, including references from other tool calls.
        let names: Vec<_> = self.tools.iter().map(|(id, _)| id.clone()).collect();
        let tools: Map<_, _> = self
            .tools
            .into_iter()
            .enumerate()
            .map(|(place, (_, tool))| {
                let mut fields = tool.fields;
                fields.insert("statuses".to_owned(), tool.statuses.into());
                fields.insert("_meta".to_owned(), tool.meta.into());
                (place.to_string(), fields.into())
            })
            .collect();
        let view = json!({
            "answers": self.answers,
            "order": self.order,
            "text": self.texts.get("text"),
            "thought": self.texts.get("thought"),
            "user": self.texts.get("user"),
            "tools": tools,
            "requests": self.requests,
            "plans": self.plans,
            "modes": self.modes,
            "config": self.config,
            "commands": self.commands,
            "usage": self.usage,
            "others": self.others,
            "extensions": self.extensions,
        });
        renamed(&view, &names)
    }
}

/// Returns the current values of config options.
fn values(options: &Value) -> Value {
    let options = options.as_array().into_iter().flatten();
    let values = options.filter_map(|option| {
        let name = option["id"].as_str()?;
        Some((name.to_owned(), option["currentValue"].clone()))
    });
    Value::Object(values.collect())
}

/// Returns the names of the options of a permission request, by kind. Each agent has different IDs.
fn options(options: &Value) -> Value {
    let mut kinds: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for option in options.as_array().into_iter().flatten() {
        let kind = option["kind"].as_str().unwrap_or_default();
        kinds.entry(kind).or_default().push(&option["name"]);
    }
    json!(kinds)
}

/// Returns the names of commands, with their arguments.
fn commands(commands: &Value) -> Value {
    let commands = commands.as_array().into_iter().flatten();
    let hints = commands.filter_map(|command| {
        let hint = command["input"]["hint"].as_str().unwrap_or_default();
        Some((command["name"].as_str()?.to_owned(), hint.into()))
    });
    Value::Object(hints.collect())
}

fn without_kind(update: &Value) -> Value {
    let mut update = update.clone();
    if let Some(members) = update.as_object_mut() {
        members.remove("sessionUpdate");
    }
    update
}

/// Returns a value in which UUIDs, times and durations are replaced by names.
fn anonymous(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(anonymous_text(text)),
        Value::Array(items) => items.iter().map(anonymous).collect(),
        Value::Object(members) => {
            let members = members.iter();
            members
                .map(|(name, value)| (name.clone(), anonymous(value)))
                .collect()
        }
        other => other.clone(),
    }
}

/// Returns the text in which UUIDs and times are replaced by `$uuid` and `$time`.
fn anonymous_text(text: &str) -> String {
    let mut done = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if let Some(length) = shape(rest, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh") {
            done.push_str("$uuid");
            rest = &rest[length..];
        } else if let Some(length) = shape(rest, "dddd-dd-ddTdd:dd:dd.dddZ") {
            done.push_str("$time");
            rest = &rest[length..];
        } else {
            done.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    done
}

/// Returns the length of a shape at the start of a text. In a shape, `h` stands for a hexadecimal digit, and `d` for a
/// decimal digit.
fn shape(text: &str, shape: &str) -> Option<usize> {
    let start = text.as_bytes().get(..shape.len())?;
    let fits = start
        .iter()
        .zip(shape.bytes())
        .all(|(byte, class)| match class {
            b'h' => byte.is_ascii_hexdigit(),
            b'd' => byte.is_ascii_digit(),
            other => *byte == other,
        });
    fits.then_some(shape.len())
}

/// Returns the value in which the IDs of tool calls are replaced by their positions.
fn renamed(value: &Value, names: &[String]) -> Value {
    match value {
        Value::String(text) => {
            let mut text = text.clone();
            for (place, name) in names
                .iter()
                .enumerate()
                .filter(|(_, name)| !name.is_empty())
            {
                text = text.replace(name, &format!("$tool-{place}"));
            }
            Value::String(text)
        }
        Value::Array(items) => items.iter().map(|item| renamed(item, names)).collect(),
        Value::Object(members) => {
            let members = members.iter();
            members
                .map(|(name, value)| (name.clone(), renamed(value, names)))
                .collect()
        }
        other => other.clone(),
    }
}
