//! What the scripted agents offer for `complete.mjs`, and the files of their project.

use std::fs;
use std::path::Path;

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

/// Files of the real CLI's project, and those beside them that a careless reader of the name takes.
const NAMES: [(&str, &str); 4] = [
    ("name é ü.txt", "name"),
    ("name dot.", "name dot"),
    ("name trail)", "name trail"),
    ("name x@in.txt", "name x"),
];

/// The project whose files are completed.
const COMPLETE: &str = "complete";

fn command(name: &str, about: &str, arguments: &str) -> Value {
    json!({"name": name, "description": about, "argumentHint": arguments})
}

/// Answers `initialize` as a CLI with models that differ in what they support.
pub(crate) fn initialized() -> [Step; 2] {
    let model = |value: &str, name: &str, efforts: &[&str], auto: bool| {
        let resolved = if value == "default" {
            "claude-scripted-1"
        } else {
            value
        };
        json!({"value": value, "resolvedModel": resolved, "displayName": name, "description": format!("The model {name}"),
            "supportsEffort": !efforts.is_empty(), "supportedEffortLevels": efforts, "supportsAutoMode": auto})
    };
    let response = json!({
        "commands": [
            command("compact", "Summarise the conversation so far", "<instructions>"),
            command("clear", "Begin anew", "[name]"),
            command("code-review", "Read a change as a reviewer does. ".repeat(20).trim(), "[--fix] [<path>]"),
            command("hostile", "<img src=x onerror=\"window.ran=1\">", "<script>window.ran=1</script>"),
        ],
        "agents": [], "output_style": "default", "available_output_styles": ["default"],
        "models": [
            model("default", "Default (recommended)", &["low", "high"], true),
            model("opus", "Opus", &["low", "high", "max"], true),
            model("haiku", "Haiku", &[], false),
        ],
        "account": {}, "claude_code_version": "2.1.330", "current_permission_mode": "default"
    });
    [Step::expect_initialize(), Step::Reply(response)]
}

/// The agents, by the names of their projects.
pub(crate) fn agents() -> Vec<(&'static str, Script)> {
    let says = |text: &str| Step::message([Block::text(text)]);
    let changed = json!({"type": "system", "subtype": "commands_changed", "uuid": "$uuid", "session_id": "$session_id",
        "commands": [command("compact", "Summarise", ""), command("greet", "Says hello", "[who]")]});
    let steps = [
        Step::Turn(vec![says("Ready for commands.")]),
        Step::Turn(vec![Step::Line(changed), says("Reloaded.")]),
        Step::Turns(vec![says("Taken.")]),
    ];
    vec![(
        COMPLETE,
        Script::new(initialized().into_iter().chain(steps)),
    )]
}

/// Writes the files of the project.
pub(crate) fn prepare(root: &Path) {
    let folder = root.join(COMPLETE);
    for name in ["src/parser", "target", "my notes"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    for name in [
        "src/main.rs",
        "src/parser/mod.rs",
        "target/main.o",
        "my notes/a plan.md",
        ".env.example",
    ] {
        fs::write(folder.join(name), "").unwrap();
    }
    fs::write(folder.join("<img src=x onerror=ran=1>.txt"), "").unwrap();
    fs::write(folder.join(".gitignore"), "target/\n").unwrap();
    for (number, (name, other)) in NAMES.iter().enumerate() {
        fs::write(root.join("real").join(name), format!("FILE-{number}-END")).unwrap();
        fs::write(root.join("real").join(other), "ANOTHER-FILE").unwrap();
    }
    // Names that the CLI would take for others.
    fs::write(root.join("real/in.txt"), "ANOTHER-FILE").unwrap();
    fs::create_dir(root.join("real/odd @in.txt")).unwrap();
    for name in ["odd @in.txt/x.txt", "odd\"quote.txt", "odd tail ", "odd#L2"] {
        fs::write(root.join("real").join(name), "An odd file.").unwrap();
    }
    fs::write(
        root.join("real/two words.txt"),
        "The words are apples and pears.\n",
    )
    .unwrap();
}
