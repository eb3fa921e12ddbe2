//! Recordings of turns that end in unusual ways, each with an error added.

use claw_view::Rule;

use super::{Spoil, again, at};

/// Changes that make a valid recording invalid: a description, the name of the recording, the violated rule, and the
/// change.
pub(super) const BAD_ENDINGS: [(&str, &str, Rule, Spoil); 14] = [
    (
        "a third result for two turns",
        "subagent_background_closed",
        Rule::ResultClosesTurn,
        |lines| {
            let result = at(lines, "result", "");
            let mut line = lines[result].clone();
            line["uuid"] = "another".into();
            lines.insert(result + 2, line);
            result + 2
        },
    ),
    (
        "one result for two turns",
        "subagent_background_closed",
        Rule::ResultClosesTurn,
        |lines| {
            let result = at(lines, "result", "");
            lines.remove(result);
            lines.len() - 1
        },
    ),
    (
        "an open tool use in a turn that failed otherwise",
        "max_budget_tool",
        Rule::AllAnswered,
        |lines| {
            let result = at(lines, "result", "");
            lines[result]["subtype"] = "error_during_execution".into();
            result
        },
    ),
    (
        "an open tool use of an earlier answer at a limit",
        "max_budget_tool",
        Rule::AllAnswered,
        |lines| {
            let used = at(lines, "assistant", "tool_use");
            let mut earlier = lines[used].clone();
            earlier["uuid"] = "another".into();
            earlier["message"]["id"] = "msg_another".into();
            earlier["message"]["content"][0]["id"] = "toolu_another".into();
            lines.insert(used, earlier);
            at(lines, "result", "")
        },
    ),
    (
        "an open tool use of an earlier answer at a limit of answers",
        "max_turns_tool",
        Rule::AllAnswered,
        |lines| {
            let used = at(lines, "assistant", "server_tool_use");
            lines[used]["message"]["id"] = "msg_another".into();
            at(lines, "result", "")
        },
    ),
    (
        "a second result for a background turn that a prompt has joined",
        "background_joined",
        Rule::ResultClosesTurn,
        |lines| {
            let result = lines.iter().rposition(|line| line["type"] == "result");
            let result = result.unwrap();
            let mut line = lines[result].clone();
            line["uuid"] = "another".into();
            lines.insert(result + 1, line);
            result + 1
        },
    ),
    (
        "a tool at the API that is not answered, in a turn that went well",
        "server_tools_whole",
        Rule::AllAnswered,
        |lines| {
            let result = at(lines, "assistant", "bash_code_execution_tool_result");
            lines.remove(result);
            lines
                .iter()
                .rposition(|line| line["type"] == "result")
                .unwrap()
        },
    ),
    (
        "a tool of the CLI's that is not answered, in a turn that failed",
        "server_tools_whole",
        Rule::AllAnswered,
        |lines| {
            let used = at(lines, "assistant", "server_tool_use");
            lines[used]["message"]["content"][0]["type"] = "tool_use".into();
            at(lines, "result", "")
        },
    ),
    (
        "a tool at the API that is answered twice, by a result of an unknown kind",
        "server_tools_whole",
        Rule::AnsweredOnce,
        |lines| {
            let result = at(lines, "assistant", "advisor_tool_result");
            lines[result]["message"]["content"][0]["type"] = "tomorrow_tool_result".into();
            again(lines, "assistant", "tomorrow_tool_result")
        },
    ),
    (
        "a result of an unknown kind for a tool that was not used",
        "server_tools_whole",
        Rule::ResultAnswersUse,
        |lines| {
            let result = at(lines, "assistant", "advisor_tool_result");
            let block = &mut lines[result]["message"]["content"][0];
            block["type"] = "tomorrow_tool_result".into();
            block["tool_use_id"] = "srvtoolu_none".into();
            result
        },
    ),
    (
        "a forked command that is not there",
        "forked_command",
        Rule::ParentExists,
        |lines| {
            let said = at(lines, "user", "text");
            lines[said]["parent_tool_use_id"] = "forked-command-other".into();
            said
        },
    ),
    (
        "two deferred tools",
        "hook_defer_resumed.2",
        Rule::InitFirst,
        |lines| {
            let result = again(lines, "user", "tool_result");
            lines[result]["message"]["content"][0]["tool_use_id"] = "toolu_another".into();
            result
        },
    ),
    (
        "a deferred tool, and no init behind it",
        "hook_defer_resumed.2",
        Rule::InitFirst,
        |lines| {
            let init = at(lines, "system", "init");
            lines.remove(init);
            at(lines, "assistant", "")
        },
    ),
    (
        "a deferred tool in a session that has begun",
        "hook_defer_resumed.2",
        Rule::ResultAnswersUse,
        |lines| {
            let (result, init) = (
                at(lines, "user", "tool_result"),
                at(lines, "system", "init"),
            );
            let line = lines.remove(result);
            lines.insert(init, line);
            init
        },
    ),
];
