//! What can be chosen in a project, and the names of its files.

use claw_server::Project;
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::client::Running;

async fn files(running: &Running, project: &str, text: &str) -> Vec<String> {
    let path = format!("/api/projects/{project}/files?q={text}");
    let response = running.ask("GET", &path, &Value::Null).await;
    assert_eq!(response.status, 200, "{}", response.body);
    serde_json::from_value(response.json()["files"].clone()).unwrap()
}

#[tokio::test]
async fn choices_are_those_that_a_process_of_the_project_has_reported() {
    let command = |name: &str| json!({"name": name, "description": "", "argumentHint": ""});
    let changed = json!({"type": "system", "subtype": "commands_changed", "uuid": "$uuid",
        "session_id": "$session_id", "commands": [command("greet")]});
    let says = |text: &str| Step::message([Block::text(text)]);
    let script = Script::new([
        Step::Turn(vec![says("One.")]),
        Step::Turn(vec![Step::Line(changed), says("Two.")]),
    ]);
    let running = Running::start(script).await;
    let choices = async || {
        let path = "/api/projects/shop/choices";
        running.ask("GET", path, &Value::Null).await.json()
    };
    let nothing = choices().await;
    assert_eq!(
        (&nothing["version"], &nothing["commands"]),
        (&Value::Null, &json!([]))
    );
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    let mut turn = async |text: &str| {
        running.prompt(&session, text).await;
        events
            .until("state", |state| state["phase"] == "running")
            .await;
        events
            .until("state", |state| state["phase"] == "idle")
            .await;
    };
    turn("Hello").await;
    let known = choices().await;
    assert_eq!(known["commands"][0]["name"], "compact");
    assert_eq!(known["models"][0]["value"], "default");
    turn("Reload").await;
    assert_eq!(choices().await["commands"][0]["name"], "greet");
    // What the CLI would take and not obey is refused.
    let path = format!("/api/sessions/{session}/settings");
    let nonsense = running
        .ask("POST", &path, &json!({"effort": "nonsense"}))
        .await;
    assert_eq!(nonsense.status, 400, "{}", nonsense.body);
    let new = json!({"project": "shop", "effort": "nonsense"});
    assert_eq!(running.ask("POST", "/api/sessions", &new).await.status, 400);
    // The CLI would never take it up.
    let prompt = json!({"text": "Hello", "priority": "nonsense"});
    let path = format!("/api/sessions/{session}/prompts");
    let nonsense = running.ask("POST", &path, &prompt).await;
    assert_eq!(nonsense.status, 400, "{}", nonsense.body);
    let text = "there is no such `priority`: it is `now`, `next` or `later`";
    assert_eq!(nonsense.json()["error"]["message"], text);
    let settings = format!("/api/sessions/{session}/settings");
    for (path, body) in [
        (&*settings, json!({"mode": "nonsense"})),
        (
            "/api/sessions",
            json!({"project": "shop", "mode": "bypassPermissions"}),
        ),
    ] {
        let refused = running.ask("POST", path, &body).await;
        assert_eq!(refused.status, 400, "{}", refused.body);
        let text = "the project does not allow this mode; it allows: default, acceptEdits, plan, dontAsk, auto";
        assert_eq!(refused.json()["error"]["message"], text);
    }
    let new = json!({"project": "shop", "effort": "high"});
    let begun = running.ask("POST", "/api/sessions", &new).await.json();
    assert_eq!(begun["state"]["effort"], "high");
    running.end().await;
}

#[tokio::test]
async fn names_of_files_stay_inside_of_their_project() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("password"), "").unwrap();
    let running = Running::start_in(Script::reply("Hi."), folder, |builder| {
        builder.project(Project::new(&other).unwrap())
    })
    .await;
    let shop = running.folder.path().join("shop");
    std::fs::write(shop.join("apples.txt"), "").unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&other, shop.join("out")).unwrap();
        std::os::unix::fs::symlink(other.join("password"), shop.join("link")).unwrap();
    }
    assert_eq!(files(&running, "shop", "").await, ["apples.txt"]);
    assert_eq!(files(&running, "other", "").await, ["password"]);
    let absolute = other.join("password").display().to_string();
    for text in [
        "..",
        "../",
        "..%2f",
        "../other/password",
        "%2fetc%2fpasswd",
        "out/",
        "link",
        "%00",
        &absolute,
    ] {
        assert_eq!(files(&running, "shop", text).await, [""; 0], "{text:?}");
    }
    for project in [
        "",
        "nobody",
        "..",
        "%2e%2e",
        "..%2fother",
        "shop%2f..%2fother",
        "%2fetc",
    ] {
        for what in ["files", "choices"] {
            let path = format!("/api/projects/{project}/{what}");
            let status = running.ask("GET", &path, &Value::Null).await.status;
            assert_eq!(status, 404, "{path}");
        }
    }
    running.end().await;
}
