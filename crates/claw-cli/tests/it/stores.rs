//! `--store`, with the real CLI: a conversation goes on on another host.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use claw_testkit::Block;
use claw_testkit::api::{Answer, Rule, Scenario};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use crate::claw::Ran;
use crate::real_cli::{Place, wait};

/// A host: a home, a folder to work in, and one for temporary files.
struct Host<'a> {
    place: &'a Place,
    folder: PathBuf,
    store: &'a Path,
}

impl<'a> Host<'a> {
    fn new(place: &'a Place, name: &str, store: &'a Path) -> Self {
        let folder = place.folder.path().join(name);
        for name in ["home", "work", "tmp"] {
            std::fs::create_dir_all(folder.join(name)).unwrap();
        }
        Self {
            place,
            folder,
            store,
        }
    }

    fn command(&self, args: &[&str]) -> Command {
        let store = self.store.to_str().unwrap();
        let named = ["--store", store, "--store-project", "apples"];
        let mut command = self.place.claw(&[args, &named].concat());
        command
            .env("HOME", self.folder.join("home"))
            .env("TMPDIR", self.folder.join("tmp"))
            .current_dir(self.folder.join("work"));
        command
    }

    async fn run(&self, args: &[&str]) -> Ran {
        wait(self.command(args).output()).await
    }

    /// What a command writes, which has to succeed without a warning.
    async fn good(&self, args: &[&str]) -> String {
        let ran = self.run(args).await;
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{}", ran.stdout);
        ran.stdout
    }

    /// A chat of one prompt.
    async fn chat(&self, args: &[&str], prompt: &str) -> Ran {
        let mut child = self
            .command(&[&["chat"], args].concat())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin
            .write_all(format!("{prompt}\n").as_bytes())
            .await
            .unwrap();
        drop(stdin);
        wait(child.wait_with_output()).await
    }

    /// What is left of checkouts.
    fn left(&self) -> Vec<String> {
        let left = std::fs::read_dir(self.folder.join("tmp")).unwrap();
        let left = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        left.filter(|name| name.starts_with("claw-checkout"))
            .collect()
    }
}

fn says(prompt: &str, text: &str) -> Rule {
    Rule::new(Answer::message([Block::text(text)])).on_prompt(prompt)
}

#[tokio::test]
async fn a_chat_goes_on_on_another_host_and_its_session_is_listed_and_changed() {
    let rules = [
        says("Which word?", "It is plum."),
        says("The word is plum.", "I keep it."),
    ];
    let place = Place::new(Scenario::new("word", rules)).await;
    let store = place.folder.path().join("store");
    let (one, other) = (
        Host::new(&place, "one", &store),
        Host::new(&place, "other", &store),
    );
    let ran = one.chat(&[], "The word is plum.").await;
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{}", ran.stdout);
    let (_, id) = ran.stdout.split_once("claw chat --resume ").unwrap();
    let id = id.trim().to_owned();

    let listed = other.good(&["sessions", "list"]).await;
    assert!(listed.contains("The word is plum."), "{listed}");
    let ran = other.chat(&["--continue"], "Which word?").await;
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{}", ran.stdout);
    assert!(ran.stdout.contains("It is plum."), "{}", ran.stdout);
    // Claude has got what was said on the first host.
    let asked = place.api.requests().pop().unwrap().body.to_string();
    assert!(asked.contains("The word is plum."), "{asked}");

    // The first host sees what the other has added.
    let shown = one.good(&["sessions", "show", &id[..8]]).await;
    assert!(
        shown.contains("I keep it.") && shown.contains("It is plum."),
        "{shown}"
    );
    one.good(&["sessions", "rename", &id, "Plums"]).await;
    one.good(&["sessions", "tag", &id, "fruit"]).await;
    let fork = one
        .good(&["sessions", "fork", "--last", "--title", "Pears"])
        .await;
    let listed = other.good(&["sessions", "list"]).await;
    for part in ["Plums", "fruit", "Pears", &fork[..8]] {
        assert!(listed.contains(part), "{part} in {listed}");
    }
    let listed = other
        .good(&["sessions", "list", "--json", "--all", "--limit", "1"])
        .await;
    let newest: serde_json::Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(newest["sessionId"], fork.trim());
    let counted = other.good(&["sessions", "usage", &id]).await;
    assert!(counted.contains("total"), "{counted}");
    let exported = other
        .good(&[
            "sessions", "export", &id, "--output", "-", "--format", "markdown",
        ])
        .await;
    assert!(exported.contains("It is plum."), "{exported}");

    let ran = other.run(&["sessions", "delete", &id]).await;
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    other.good(&["sessions", "delete", &id, "--yes"]).await;
    let listed = one.good(&["sessions", "list"]).await;
    assert!(
        !listed.contains("Plums") && listed.contains("Pears"),
        "{listed}"
    );
    assert_eq!([one.left(), other.left()].concat(), Vec::<String>::new());
}

#[tokio::test]
async fn a_session_of_a_disk_is_brought_into_a_store() {
    let place = Place::new(Scenario::new("word", [says("plum", "I keep it.")])).await;
    let store = place.folder.path().join("store");
    let host = Host::new(&place, "one", &store);
    let run = place
        .claw(&["run", "The word is plum."])
        .env("HOME", host.folder.join("home"))
        .current_dir(host.folder.join("work"))
        .output()
        .await
        .unwrap();
    assert!(run.status.success());
    let imported = host.good(&["sessions", "import", "--last"]).await;
    assert!(
        imported.ends_with(" new lines are in the store.\n"),
        "{imported}"
    );
    let again = host.good(&["sessions", "import", "--last"]).await;
    assert_eq!(again, "0 new lines are in the store.\n");
    let listed = host.good(&["sessions", "list"]).await;
    assert!(listed.contains("The word is plum."), "{listed}");
}

#[tokio::test]
async fn what_a_store_cannot_do_is_said() {
    let place = Place::new(Scenario::new("none", [])).await;
    let store = place.folder.path().join("store");
    let host = Host::new(&place, "one", &store);
    for (args, why) in [
        (
            &["sessions", "search", "plum"][..],
            "the sessions of a disk alone",
        ),
        (
            &["sessions", "show", "12345678"],
            "there is no session */12345678 in the store",
        ),
        (
            &["sessions", "show", "--last", "--follow"],
            "cannot be followed",
        ),
        (
            &["sessions", "show", "--last"],
            "no session of this project",
        ),
    ] {
        let ran = host.run(args).await;
        assert!(ran.stderr.contains(why), "{args:?}: {}", ran.stderr);
        assert_ne!(ran.code, Some(0));
    }
    for (url, why) in [
        ("postgres://claw:secret@127.0.0.1:1/x", "CLAW_STORE"),
        ("mysql://127.0.0.1/x", "its URL is none of"),
    ] {
        let ran = wait(place.claw(&["run", "Hello", "--store", url]).output()).await;
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
        assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
        assert_ne!(ran.code, Some(0));
    }
    let mut command = place.claw(&["sessions", "list"]);
    command.env("CLAW_STORE", "mysql://claw:secret@127.0.0.1/x");
    let ran = wait(command.output()).await;
    assert!(ran.stderr.contains("its URL is none of"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
}
