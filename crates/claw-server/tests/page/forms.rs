//! What scripted agents ask for in `forms.mjs`: forms of MCP servers, dialogs of the CLI, a plan, a long command.

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

const HOSTILE: &str = "<img src=x onerror=\"window.ran=1\">\u{202e}\u{1b}[2J";

fn says(text: &str) -> Step {
    Step::message([Block::text(text)])
}

/// A turn in which an MCP server asks for this.
fn elicits(message: &str, schema: &Value, order: &[&str]) -> Step {
    let mut body = json!({"mcp_server_name": "calc", "message": message, "mode": "form"});
    body["requested_schema"] = schema.clone();
    body["property_order"] = json!(order);
    Step::Turn(vec![
        Step::request("elicitation", body),
        says("It goes on."),
    ])
}

fn shows(kind: &str, payload: Value) -> Step {
    let mut body = json!({"dialog_kind": kind});
    body["payload"] = payload;
    Step::Turn(vec![
        Step::request("request_user_dialog", body),
        says("It goes on."),
    ])
}

/// A form with a field of each kind.
fn every_kind() -> Step {
    let cities: Vec<_> = (1..=12).map(|n| format!("City {n}")).collect();
    let schema = json!({"type": "object",
        "required": ["name", "born", "count", "sure", "size", "days"],
        "properties": {
            "name": {"type": "string", "title": "Name", "description": "Your first name.", "minLength": 2, "maxLength": 20},
            "mail": {"type": "string", "title": "Mail", "format": "email"},
            "site": {"type": "string", "title": "Site", "format": "uri", "default": "https://example.com"},
            "born": {"type": "string", "title": "Born", "format": "date"},
            "at": {"type": "string", "title": "At", "format": "date-time", "default": "2026-01-31T09:30:00Z"},
            "count": {"type": "integer", "title": "Count", "minimum": 1, "maximum": 9},
            "share": {"type": "number", "title": "Share", "default": 0.5},
            "sure": {"type": "boolean", "title": "Are you sure?"},
            "maybe": {"type": "boolean", "title": "Maybe"},
            "size": {"type": "string", "title": "Size", "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]},
            "city": {"type": "string", "title": "City", "enum": cities},
            "days": {"type": "array", "title": "Days", "minItems": 1, "maxItems": 2, "items": {"type": "string", "enum": ["Mo", "Tu", "We"]}},
            "about": {"type": "string", "title": "About", "maxLength": 1000},
            "key": {"type": "string", "title": "Key", "format": "password"},
            "code": {"type": "string", "title": "Code", "pattern": "^[a-z]+$"},
            "thing": {"type": "object", "title": "Thing"}}});
    let order = [
        "name", "mail", "site", "born", "at", "count", "share", "sure", "maybe", "size", "city",
        "days", "about", "key", "code", "thing",
    ];
    elicits("Tell me about yourself.\nI ask for a lot.", &schema, &order)
}

/// The agents, by the names of their projects.
pub(crate) fn agents() -> Vec<(&'static str, Script)> {
    let name =
        json!({"properties": {"name": {"type": "string", "title": "Name"}}, "required": ["name"]});
    let many: serde_json::Map<_, _> = (0..10_000)
        .map(|n| (format!("f{n}"), json!({"type": "string"})))
        .collect();
    let hostile = json!({"properties": {HOSTILE: {"type": "string", "title": HOSTILE, "description": HOSTILE,
        "enum": [HOSTILE, "other"]}}});
    let link = |url: &str| {
        let body = json!({"mcp_server_name": "calc", "message": "Please log in.", "mode": "url", "url": url, "elicitation_id": "e"});
        Step::Turn(vec![
            Step::request("elicitation", body),
            says("It goes on."),
        ])
    };
    let options = json!([{"value": "keep_allowing", "label": "Keep allowing"}, {"value": "block", "label": "Block them"}]);
    let outside = json!({"toolName": "Read", "path": "/etc/hosts", "title": "Reads outside",
        "question": "May it read outside of the working directories?", "explainer": "It has just done so.", "options": options});
    let plan = json!({"tool_name": "ExitPlanMode", "tool_use_id": "toolu_plan",
        "input": {"plan": "# Mend the clock\n\n1. Use **UTC**\n2. Add a test"}});
    let long: Vec<_> = (1..=80).map(|n| format!("echo {n}\n")).collect();
    let long = json!({"tool_name": "Bash", "input": {"command": long.concat()}, "tool_use_id": "toolu_long",
        "description": "Count", "blocked_path": "/etc/passwd",
        "decision_reason": "Path is outside allowed working directories"});
    let asks = |body: Value| {
        Step::Turn(vec![
            Step::request("can_use_tool", body),
            says("It goes on."),
        ])
    };
    let only = |step: Step| Script::new([step]);
    vec![
        ("form", only(every_kind())),
        (
            "forms",
            Script::new([
                elicits("First?", &name, &["name"]),
                elicits("Second?", &name, &["name"]),
                elicits("Third?", &name, &["name"]),
                elicits("Do you agree?", &json!({"type": "object"}), &[]),
            ]),
        ),
        (
            "form-hostile",
            Script::new([
                elicits(HOSTILE, &hostile, &[]),
                elicits("Much?", &json!({"properties": many}), &[]),
            ]),
        ),
        (
            "form-link",
            Script::new([
                link("https://login.example.com/start?from=calc"),
                link("javascript:window.ran=1"),
            ]),
        ),
        (
            "dialog",
            Script::new([
                shows("auto_mode_outside_reads", outside),
                shows("quite_new", json!({})),
            ]),
        ),
        ("plan-edits", only(asks(plan))),
        (
            "long-command",
            Script::new([Step::Turn(vec![says("Ready.")]), asks(long)]),
        ),
    ]
}
