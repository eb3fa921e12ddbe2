use super::*;

fn definitions() -> Definitions {
    Definitions::of(&serde_json::json!({
        "title": "Claw",
        "$defs": { "Json": {}, "ModeKnown": {}, "Stop": { "properties": { "hook_event_name": {} } } }
    }))
}

fn with(file: &str, code: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, code).unwrap();
    folder
}

#[test]
fn typescript_has_the_definitions_and_no_any() {
    let good = "/**\n * any\n */\nexport type Json = unknown;\nexport type ModeKnown = \"a\";\n\
        export type ModeOther = string & {};\nexport interface Stop {\n}\nexport interface Claw {}\n";
    for (code, fits) in [
        (good.to_owned(), true),
        (good.replace("unknown", "any"), false),
        (good.replace("Stop", "Go"), false),
        (good.to_owned() + "export interface Stop1 {}\n", false),
        (good.replace("ModeOther", "StopOther"), false),
    ] {
        let folder = with("src/claw.ts", &code);
        assert_eq!(
            typescript(&definitions(), folder.path()).is_ok(),
            fits,
            "{code}"
        );
    }
}

#[test]
fn python_has_the_definitions_and_any_in_json_alone() {
    let good = "from typing import Any\nclass Json(RootModel[Any]):\n    root: Any = Field('Any \\' JSON')\n\
        class ModeKnown(StrEnum):\nclass Stop(M):\n    x: int = Field(\"Any\")\nclass Claw(M):\n";
    for (code, fits) in [
        (good.to_owned(), true),
        (good.replace("x: int", "x: Any"), false),
        (good.to_owned() + "class Type1(Enum):\n", false),
    ] {
        let folder = with("claw.py", &code);
        assert_eq!(
            python(&definitions(), folder.path()).is_ok(),
            fits,
            "{code}"
        );
    }
}

#[test]
fn rust_has_the_definitions_and_their_tags() {
    let good = "pub struct Json(V);\npub enum ModeKnown {}\npub struct ModeOther(S);\npub struct Stop {}\npub enum StopHookEventName {}\npub struct Claw {}\n";
    for (code, fits) in [
        (good.to_owned(), true),
        (good.to_owned() + "pub enum StopOther {}\n", false),
        (good.replace("pub struct Stop ", "pub struct Stop1 "), false),
    ] {
        let folder = with("target/debug/build/read-1/out/claw.rs", &code);
        assert_eq!(rust(&definitions(), folder.path()).is_ok(), fits, "{code}");
    }
}
