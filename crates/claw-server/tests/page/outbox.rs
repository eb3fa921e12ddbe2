//! The scripted agents of `outbox.mjs`.

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::json;

/// The agents, by the names of their projects.
pub(crate) fn agents() -> Vec<(&'static str, Script)> {
    let says = |text| Step::message([Block::text(text)]);
    let asks = Step::Turns(vec![
        Step::message([Block::tool_use("Bash", json!({"command": "rm -rf build"}))]),
        Step::permission([says("It was allowed.")], [says("It was denied.")]),
    ]);
    let script = |step| Script::new(crate::offers::initialized().into_iter().chain([step]));
    vec![
        ("outbox", script(Step::Turns(vec![says("It has arrived.")]))),
        ("late-answer", script(asks)),
    ]
}
