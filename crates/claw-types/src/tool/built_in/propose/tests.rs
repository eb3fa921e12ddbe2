use serde_json::json;

use super::super::holds::{holds, texts};
use super::*;

#[test]
fn skills() {
    let proposal = SkillProposal::new("a-b", SkillProposalKind::Improvement, "Use it for a and b")
        .target("a")
        .evidence(texts(["memory/a.md"]))
        .edits(vec![SkillEdit::new("one", "two")])
        .skill_md("# A");
    holds(
        &ProposeSkillsInput::new(vec![proposal]),
        &json!({"proposals": [{
            "name": "a-b", "kind": "improvement", "description": "Use it for a and b", "target": "a",
            "evidence": ["memory/a.md"], "edits": [{"old_string": "one", "new_string": "two"}],
            "skillMd": "# A"
        }]}),
        &[],
    );
    holds(
        &ProposeSkillsOutput::new(1),
        &json!({"proposalCount": 1}),
        &[],
    );
}

#[test]
fn a_goal() {
    let input = ProposeGoalInput::new("All tests pass").ask_user(false);
    holds(
        &input,
        &json!({"condition": "All tests pass", "ask_user": false}),
        &[],
    );
    let output = ProposeGoalOutput::new("All tests pass", true);
    holds(
        &output,
        &json!({"condition": "All tests pass", "askUser": true}),
        &[],
    );
}
