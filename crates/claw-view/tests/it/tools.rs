//! Tests of the display line of every built-in tool.

use claw_types::Json;
use claw_types::tool::BUILT_IN;
use claw_view::{Activity, ToolDisplay};
use serde_json::json;

/// The name of a tool, its input, its display line, and its kind of work.
const LINES: [(&str, &str, &str, Activity); 44] = [
    (
        "Agent",
        r#"{"description":"Count the files","prompt":"How many?"}"#,
        "Agent(Count the files)",
        Activity::Agent,
    ),
    (
        "Artifact",
        r#"{"action":"publish","file_path":"/work/project/a.html"}"#,
        "Artifact(publish)",
        Activity::Other,
    ),
    (
        "AskUserQuestion",
        r#"{"questions":[{"question":"Which?","header":"W","options":[],"multiSelect":false}]}"#,
        "AskUserQuestion(Which?)",
        Activity::Other,
    ),
    (
        "Bash",
        r#"{"command":"go test ./..."}"#,
        "Bash(go test ./...)",
        Activity::Command,
    ),
    (
        "ClaudeDesign",
        r#"{"operation":"list","arguments":{}}"#,
        "ClaudeDesign(list)",
        Activity::Other,
    ),
    (
        "CronCreate",
        r#"{"cron":"0 9 * * *","prompt":"Look."}"#,
        "CronCreate(0 9 * * *: Look.)",
        Activity::Other,
    ),
    (
        "CronDelete",
        r#"{"id":"c1"}"#,
        "CronDelete(c1)",
        Activity::Other,
    ),
    ("CronList", "{}", "CronList", Activity::Other),
    (
        "Edit",
        r#"{"file_path":"/path/to/file.go","old_string":"a","new_string":"b"}"#,
        "Update(.../file.go)",
        Activity::CodeChange,
    ),
    ("EnterPlanMode", "{}", "EnterPlanMode", Activity::Other),
    (
        "EnterWorktree",
        r#"{"name":"aside"}"#,
        "EnterWorktree(aside)",
        Activity::Other,
    ),
    (
        "ExitPlanMode",
        r##"{"plan":"# Plan"}"##,
        "ExitPlanMode",
        Activity::Other,
    ),
    (
        "ExitWorktree",
        r#"{"action":"keep"}"#,
        "ExitWorktree(keep)",
        Activity::Other,
    ),
    (
        "Glob",
        r#"{"pattern":"*.rs"}"#,
        r#"Glob(pattern: "*.rs")"#,
        Activity::FileSearch,
    ),
    (
        "Grep",
        r#"{"pattern":"func main","path":"/path/to"}"#,
        r#"Grep(pattern: "func main")"#,
        Activity::FileSearch,
    ),
    (
        "ListMcpResourcesTool",
        r#"{"server":"files"}"#,
        r#"ListMcpResources(server: "files")"#,
        Activity::Mcp,
    ),
    (
        "Monitor",
        r#"{"description":"Wait","timeout_ms":1000,"command":"tail -f log"}"#,
        "Monitor(tail -f log)",
        Activity::Command,
    ),
    (
        "MultiEdit",
        r#"{"file_path":"/path/to/file.go","edits":[]}"#,
        "MultiEdit(.../file.go)",
        Activity::CodeChange,
    ),
    (
        "NotebookEdit",
        r#"{"notebook_path":"/path/to/n.ipynb","new_source":"1"}"#,
        "NotebookEdit(.../n.ipynb)",
        Activity::CodeChange,
    ),
    (
        "OfferChromeSetup",
        "{}",
        "OfferChromeSetup",
        Activity::Other,
    ),
    (
        "Projects",
        r#"{"method":"project_search","query":"plan"}"#,
        "Projects(project_search plan)",
        Activity::Other,
    ),
    (
        "propose_skills",
        r#"{"proposals":[]}"#,
        "ProposeSkills(...)",
        Activity::Other,
    ),
    (
        "PushNotification",
        r#"{"message":"Done."}"#,
        "PushNotification(Done.)",
        Activity::Other,
    ),
    (
        "Read",
        r#"{"file_path":"/path/to/file.go","offset":10,"limit":20}"#,
        "Read(.../file.go)",
        Activity::FileRead,
    ),
    (
        "ReadMcpResourceTool",
        r#"{"server":"s","uri":"u:1"}"#,
        "ReadMcpResource(u:1)",
        Activity::Mcp,
    ),
    (
        "ReadMcpResourceDirTool",
        r#"{"server":"s","uri":"u:"}"#,
        "ReadMcpResourceDir(u:)",
        Activity::Mcp,
    ),
    (
        "ReadNotifications",
        "{}",
        "ReadNotifications",
        Activity::Other,
    ),
    ("RefreshMcpTools", "{}", "RefreshMcpTools", Activity::Mcp),
    (
        "RemoteTrigger",
        r#"{"action":"list"}"#,
        "RemoteTrigger(list)",
        Activity::Other,
    ),
    (
        "ReportFindings",
        r#"{"findings":[]}"#,
        "ReportFindings(...)",
        Activity::Other,
    ),
    (
        "ScheduleWakeup",
        r#"{"delaySeconds":60,"reason":"The build","prompt":"Look."}"#,
        "ScheduleWakeup(The build)",
        Activity::Other,
    ),
    (
        "SendFeedback",
        r#"{"type":"bug","title":"It broke","details":"Here."}"#,
        "SendFeedback(It broke)",
        Activity::Other,
    ),
    (
        "SetGoal",
        r#"{"condition":"Tests pass"}"#,
        "SetGoal(Tests pass)",
        Activity::Other,
    ),
    (
        "ShowOnboardingRolePicker",
        "{}",
        "ShowOnboardingRolePicker",
        Activity::Other,
    ),
    (
        "TaskCreate",
        r#"{"subject":"Fix it","description":"All of it"}"#,
        "TaskCreate(Fix it)",
        Activity::Other,
    ),
    (
        "TaskGet",
        r#"{"taskId":"1"}"#,
        "TaskGet(1)",
        Activity::Other,
    ),
    ("TaskList", "{}", "TaskList", Activity::Other),
    (
        "TaskStop",
        r#"{"task_id":"b1"}"#,
        "TaskStop(b1)",
        Activity::Command,
    ),
    (
        "TaskUpdate",
        r#"{"taskId":"1","status":"completed"}"#,
        "TaskUpdate(1: completed)",
        Activity::Other,
    ),
    (
        "TodoWrite",
        r#"{"todos":[]}"#,
        "TodoWrite(...)",
        Activity::Other,
    ),
    (
        "WebFetch",
        r#"{"url":"https://example.com","prompt":"What is it?"}"#,
        "WebFetch(https://example.com)",
        Activity::Web,
    ),
    (
        "WebSearch",
        r#"{"query":"claw"}"#,
        r#"WebSearch(query: "claw")"#,
        Activity::Web,
    ),
    (
        "Workflow",
        r#"{"name":"release"}"#,
        "Workflow(release)",
        Activity::Agent,
    ),
    (
        "Write",
        r#"{"file_path":"/path/to/file.go","content":"package main"}"#,
        "Write(.../file.go)",
        Activity::CodeChange,
    ),
];

#[test]
fn every_built_in_tool_has_its_line_and_its_work() {
    for tool in BUILT_IN {
        let named = LINES.iter().find(|(name, ..)| *name == tool.name);
        let (name, input, line, activity) =
            named.unwrap_or_else(|| panic!("{tool} has no line here"));
        let input = Json::from_text((*input).to_owned()).unwrap();
        let typed = claw_types::tool::ToolInput::of(name, &input);
        assert!(typed.is_ok(), "{name}: {typed:?}");
        assert_eq!(ToolDisplay::of(name, &input).text(), *line);
        assert_eq!(Activity::of(name), *activity, "{name}");
        for alias in tool.aliases {
            assert_eq!(ToolDisplay::of(alias, &input).text(), *line);
            assert_eq!(Activity::of(alias), *activity, "{alias}");
        }
    }
    assert_eq!(LINES.len(), BUILT_IN.len());
}

#[test]
fn tools_of_mcp_servers_and_unknown_ones_have_a_line_too() {
    for (tool, input, line) in [
        (
            "mcp__calculator__add",
            json!({"a": 1, "b": 2}),
            "calculator: add(a: 1, b: 2)",
        ),
        (
            "mcp__files__read",
            json!({"path": "/a"}),
            r#"files: read(path: "/a")"#,
        ),
        (
            "Skill",
            json!({"skill": "greet"}),
            r#"Skill(skill: "greet")"#,
        ),
        (
            "StructuredOutput",
            json!({"answer": 4}),
            "StructuredOutput(answer: 4)",
        ),
        ("Frobnicate", json!([1, 2]), "Frobnicate"),
    ] {
        assert_eq!(ToolDisplay::of(tool, &Json::from(input)).text(), line);
    }
}
