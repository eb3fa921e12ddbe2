//! What the scripted agent and the scripted API do for `back.mjs`.

use std::path::Path;

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use claw_testkit::api::{Answer, Rule};
use serde_json::json;

/// The file that the real CLI writes.
pub(crate) const POEM: &str = "real/poem.txt";

/// The agents, by the names of their projects.
pub(crate) fn agents() -> Vec<(&'static str, Script)> {
    let says = |text: &str| Step::message([Block::text(text)]);
    let steps = [
        Step::Turn(vec![
            says("I work."),
            // The prompt that is taken back.
            Step::expect_prompt(),
            Step::expect_request("cancel_async_message"),
            Step::Reply(json!({"cancelled": true})),
            Step::expect_request("cancel_async_message"),
            Step::Reply(json!({"cancelled": false})),
            Step::gate("worked"),
            says("Done."),
        ]),
        Step::Turn(vec![says("The second as well.")]),
        Step::Turn(vec![says("And again.")]),
    ];
    let rewinds = [
        Step::Turn(vec![says("Nothing to see.")]),
        Step::expect_request("rewind_files"),
        Step::Reply(
            json!({"canRewind": false, "error": "<img src=x onerror=window.ran=1> is not enabled"}),
        ),
        Step::expect_request("rewind_files"),
        Step::Reply(
            json!({"canRewind": true, "filesChanged": ["/other/<b>.rs"], "insertions": 1, "deletions": 2}),
        ),
        Step::gate("never"),
    ];
    vec![
        ("queue", Script::new(steps)),
        ("rewind", Script::new(rewinds)),
    ]
}

/// What the API answers the real CLI.
pub(crate) fn rules(root: &Path) -> Vec<Rule> {
    let says = |text: &str| Answer::message([Block::text(text)]);
    let writes = |text: &str| {
        let input = json!({"file_path": root.join(POEM), "content": text});
        Answer::message([Block::tool_use("Write", input)])
    };
    let on = |prompt: &str, answer| Rule::new(answer).on_prompt(prompt);
    vec![
        on("Write the poem", says("It is written.")).on_tool_result(""),
        on("Write the poem", writes("roses\nviolets\n")),
        on("Change the poem", says("It is changed.")).on_tool_result(""),
        on("Change the poem", writes("roses\nare\nred\n")),
        on(
            "Slowly",
            Answer::message([Block::text("This takes long.").hold(1, "slowly")]),
        ),
    ]
}
