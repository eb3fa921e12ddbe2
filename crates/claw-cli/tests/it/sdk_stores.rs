//! `claw store copy --sdk`: the official Python package fills its example stores, claw copies them, and the real CLI resumes
//! the copied sessions.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use claw_testkit::Block;
use claw_testkit::api::{Answer, Rule, Scenario};
use claw_testkit::server::Server;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::real_cli::{Place, wait};
use crate::stores::StoreAt;

/// The folder with the package: a Python that has it, and its source.
fn package() -> PathBuf {
    let folder = env::var_os("CLAW_TEST_SDK").map(PathBuf::from);
    folder.expect("CLAW_TEST_SDK names the folder of the official Python package: `cargo xtask ci` installs it")
}

/// A home folder. All hosts share the working folder.
struct Host<'a> {
    place: &'a Place,
    home: PathBuf,
}

impl<'a> Host<'a> {
    fn new(place: &'a Place, name: &str) -> Self {
        let home = place.folder.path().join(name);
        std::fs::create_dir(&home).unwrap();
        Self { place, home }
    }

    /// Runs the official package. Returns the ID of the session.
    async fn package(&self, example: &StoreAt, prompt: &str, session: Option<&str>) -> String {
        let package = package();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/sdk_store.py");
        let mut python = Command::new(package.join("bin/python"));
        python
            .arg(script)
            .arg(package.join("source/examples/session_stores"))
            .arg(&example.url)
            .arg(claw_testkit::claude().unwrap())
            .arg(prompt)
            .args(session)
            .envs(self.place.api.env())
            .env("HOME", &self.home)
            .current_dir(self.place.folder.path().join("work"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        example.environ(&mut python);
        let ran = wait(python.output()).await;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stdout.trim().to_owned()
    }

    async fn claw(&self, args: &[&str], example: &StoreAt) -> crate::claw::Ran {
        let mut claw = self.place.claw(args);
        example.environ(&mut claw);
        claw.env("HOME", &self.home).env("OLD_STORE", &example.url);
        wait(claw.output()).await
    }

    /// The conversation that the model got with this prompt: what was said, and what tools were used with which results.
    fn conversation(&self, prompt: &str) -> Vec<Value> {
        let requests = self.place.api.take_requests();
        let mut requests = requests.into_iter().rev();
        let request = requests.find(|request| {
            request.is_message() && request.body["messages"].to_string().contains(prompt)
        });
        let body = request.expect("the prompt was sent").body;
        let mut blocks = Vec::new();
        for message in body["messages"].as_array().unwrap() {
            // What the CLI adds says where it runs, and which program has started it.
            if message["role"] == "system" {
                continue;
            }
            let text = json!([{"type": "text", "text": message["content"]}]);
            for block in message["content"].as_array().or(text.as_array()).unwrap() {
                let mut block = block.clone();
                block.as_object_mut().unwrap().remove("cache_control");
                let text = block["text"].as_str().unwrap_or_default();
                if !text.starts_with("<system-reminder>") {
                    blocks.push(json!([message["role"], block]));
                }
            }
        }
        blocks
    }
}

async fn is_copied_and_goes_on(example: StoreAt) {
    let rules = [
        Rule::new(Answer::message([Block::text("It is plum — \u{1f351}.")]))
            .on_prompt("Which word?"),
        Rule::new(Answer::message([Block::text("I keep it.")])).on_tool_result("seven"),
        Rule::new(Answer::message([
            Block::text("I look."),
            Block::tool_use(
                "Bash",
                json!({"command": "echo seven", "description": "Say seven"}),
            ),
        ]))
        .on_prompt("plum"),
    ];
    let place = Place::new(Scenario::new("word", rules)).await;
    let sdk = Host::new(&place, "sdk");
    let session = sdk
        .package(&example, "The word is plum.\n\u{1f351}", None)
        .await;
    let target = place.folder.path().join("copies").display().to_string();
    let claw = Host::new(&place, "claw");
    let copy = ["store", "copy", "--sdk", "python", "env:OLD_STORE", &target];
    let copied = claw.claw(&copy, &example).await;
    assert_eq!(copied.code, Some(0), "{}", copied.stderr);
    assert!(
        copied
            .stderr
            .starts_with("1 session is copied. New lines: "),
        "{}",
        copied.stderr
    );
    let again = claw.claw(&copy, &example).await;
    assert_eq!(again.stderr, "1 session is copied. New lines: 0.\n");
    // Compares the request of a resumed copy with the request of the package's resumed session.
    place.api.take_requests();
    let run = [
        "run",
        "--store",
        &target,
        "--resume",
        &session,
        "Which word?",
    ];
    let ran = claw.claw(&run, &example).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let of_copy = claw.conversation("Which word?");
    let other = Host::new(&place, "other");
    assert_eq!(
        other.package(&example, "Which word?", Some(&session)).await,
        session
    );
    let of_package = other.conversation("Which word?");
    assert_eq!(of_copy, of_package);
    let text = Value::from(of_copy).to_string();
    for part in ["The word is plum.", "echo seven", "I keep it."] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn a_session_of_the_official_packages_postgres_store_goes_on_as_a_copy() {
    let server = Server::postgres(&["-F"]).unwrap();
    is_copied_and_goes_on(StoreAt::url(server.url())).await;
}

#[tokio::test]
async fn a_session_of_the_official_packages_redis_store_goes_on_as_a_copy() {
    let server = Server::redis(&[]).unwrap();
    is_copied_and_goes_on(StoreAt::url(server.url())).await;
}

#[tokio::test]
async fn a_session_of_the_official_packages_s3_store_goes_on_as_a_copy() {
    let server = Server::s3(0).unwrap();
    is_copied_and_goes_on(StoreAt::bucket(&server)).await;
}
