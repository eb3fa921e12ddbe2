//! Files that an editor links, with the real CLI: what the API is sent is the judge.

use std::fmt::Write as _;
use std::path::Path;

use claw_testkit::api::{Api, scenarios};
use serde_json::json;

use crate::real_cli::{begin, editor};

/// Files beside which others lie that a careless reader of the name takes.
const NAMES: [(&str, &str); 9] = [
    ("my file.txt", "my"),
    ("dot.", "dot"),
    ("trail)", "trail"),
    ("café", "caf"),
    ("mix é ü.txt", "mix"),
    ("at x@in.txt", "in.txt"),
    ("  lead.txt", "lead.txt"),
    ("x y\u{3000}z.txt", "x"),
    ("100%25.txt", "100%.txt"),
];

/// The address of a file, as editors write it.
fn uri(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.to_str().unwrap().bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            write!(uri, "%{byte:02X}").unwrap();
        }
    }
    uri
}

#[tokio::test]
async fn the_model_gets_the_file_that_is_linked_and_no_other() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let editor = editor(&api, |_, _| None).await;
    let session = begin(&editor).await;
    let work = editor.folder.path().join("work");
    let prompt = async |name: &str| {
        let link = json!({"type": "resource_link", "name": name, "uri": uri(&work.join(name))});
        let words = json!({"type": "text", "text": "Read"});
        let params = json!({"sessionId": session, "prompt": [words, link]});
        editor.ask("session/prompt", params).await.unwrap();
        api.requests().pop().unwrap().body.to_string()
    };
    for (number, (name, other)) in NAMES.iter().enumerate() {
        std::fs::write(work.join(name), format!("FILE-{number}-END")).unwrap();
        std::fs::write(work.join(other), "ANOTHER").unwrap();
        let request = prompt(name).await;
        assert!(request.contains(&format!("FILE-{number}-END")), "{name}");
        assert!(!request.contains("ANOTHER"), "{name}");
    }
    // No mention of these names is read as them alone: the model gets the link.
    let secret = editor.folder.path().join("secret.txt");
    let outside = format!("x @{}", secret.display());
    std::fs::write(&secret, "ANOTHER").unwrap();
    std::fs::write(work.join("tail"), "ANOTHER").unwrap();
    std::fs::write(work.join("new"), "ANOTHER").unwrap();
    std::fs::write(work.join("part"), "ANOTHER\nANOTHER\n").unwrap();
    for name in [
        &*outside,
        "x @tail",
        "tail ",
        "new\nline",
        "quo\"te",
        "part#L2",
    ] {
        let path = work.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "An odd file.").unwrap();
        let request = prompt(name).await;
        assert!(!request.contains("ANOTHER"), "{name}");
        assert!(request.contains(&uri(&path)), "{name}: {request}");
    }
    editor.leave().await.unwrap();
}
