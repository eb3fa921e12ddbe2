use std::collections::BTreeSet;

use serde_json::Value;

/// Requests that only [`Session::call`](crate::Session::call) sends, or that have a method elsewhere, each with the
/// reason.
const OTHERS: [(&str, &str); 18] = [
    (
        "CancelAsyncMessage",
        "Turn::cancel sends it for the turn's own prompt",
    ),
    (
        "ClaimSession",
        "for a CLI that was started before its session; claw starts none",
    ),
    (
        "DecideHeldPeerMessage",
        "the decision of a person, whose fields depend on each other",
    ),
    (
        "EndSession",
        "Session::close sends it, and waits for the process",
    ),
    ("GetMemoryDialog", "a page of the CLI's own screen"),
    ("GetSandboxDialog", "a page of the CLI's own screen"),
    ("GetSkillsDialog", "a page of the CLI's own screen"),
    ("GetStatus", "a page of the CLI's own screen"),
    (
        "Initialize",
        "Session::reinitialize sends it as it was sent at the start",
    ),
    (
        "Interrupt",
        "Session::interrupt sends it, and says what a drop does",
    ),
    ("McpMessage", "the transport of the host's own MCP servers"),
    ("MessageRated", "a window on the session reports it"),
    ("PromptDraftActivity", "a window on the session reports it"),
    ("SetColor", "a CLI on pipes refuses it"),
    ("SetHasSubscribers", "a window on the session reports it"),
    ("SetMessageWaiting", "a window on the session reports it"),
    ("SetPeerDelivery", "an absent field and null differ"),
    (
        "SubmitFeedback",
        "sends the conversation to the CLI's makers: nothing to do by one word",
    ),
];

/// Returns the names of the requests to `claude` in the committed schema.
fn requests() -> BTreeSet<String> {
    let schema = include_str!("../../../../schemas/codegen/claw.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let types = &schema["$defs"];
    let requests = types["ControlRequestBody"]["oneOf"].as_array().unwrap();
    let requests = requests.iter().filter_map(|request| {
        let name = request["$ref"].as_str()?.rsplit('/').next()?;
        let directions = types[name]["x-direction"].as_array()?;
        let to_claude = directions.iter().any(|direction| direction == "stdin");
        to_claude.then(|| name.to_owned())
    });
    requests.collect()
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*): $request:ident $(= $body:block)?;)+) => {
        [$(stringify!($request)),+]
    };
}

#[test]
fn each_request_has_a_method_or_a_reason() {
    let rows = super::each_call!(names);
    let others = OTHERS.map(|(request, _)| request);
    let known: Vec<_> = rows.into_iter().chain(others).map(str::to_owned).collect();
    let once: BTreeSet<_> = known.iter().cloned().collect();
    assert_eq!(once.len(), known.len(), "named twice: {known:?}");
    assert_eq!(once, requests());
}
