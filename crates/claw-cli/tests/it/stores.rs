//! `--store`, with the real CLI: a conversation goes on on another host.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use claw_testkit::Block;
use claw_testkit::api::{Answer, Rule, Scenario};
#[cfg(feature = "s3")]
use claw_testkit::server::BUCKET;
use claw_testkit::server::{self, Server};
#[cfg(any(feature = "serve", all(feature = "stores", feature = "terminal")))]
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
#[cfg(any(feature = "serve", feature = "stores"))]
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

use crate::claw::Ran;
use crate::real_cli::{LIMIT, Place, wait};

/// A host: a home, a folder to work in, and one for temporary files.
struct Host<'a> {
    place: &'a Place,
    folder: PathBuf,
    store: &'a StoreAt,
}

/// Where a store is: its URL, and the environment that it needs.
pub(crate) struct StoreAt {
    pub(crate) url: String,
    pub(crate) environment: Vec<(&'static str, String)>,
}

impl StoreAt {
    fn folder(path: &Path) -> Self {
        Self::url(path.to_str().unwrap())
    }

    pub(crate) fn url(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            environment: Vec::new(),
        }
    }

    #[cfg(feature = "s3")]
    pub(crate) fn bucket(server: &Server) -> Self {
        let mut store = Self::url(&format!("s3://{BUCKET}/conversations"));
        store.environment = vec![
            ("AWS_ENDPOINT", server.url().to_owned()),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_ACCESS_KEY_ID", "tests".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "none".to_owned()),
        ];
        store
    }

    /// Gives a command the environment that the store needs.
    pub(crate) fn environ(&self, command: &mut Command) {
        let environment = self.environment.iter();
        command.envs(environment.map(|(name, value)| (name, value)));
    }
}

impl<'a> Host<'a> {
    fn new(place: &'a Place, name: &str, store: &'a StoreAt) -> Self {
        let folder = place.folder.path().join(name);
        for name in ["home", "work", "tmp"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        Self {
            place,
            folder,
            store,
        }
    }

    fn command(&self, args: &[&str]) -> Command {
        let url = &*self.store.url;
        let named = ["--store-project", "apples", "--store", url];
        // A password is refused on the command line.
        let is_secret = url.contains("secret");
        let named = &named[..if is_secret { 2 } else { 4 }];
        let mut command = self.place.claw(&[args, named].concat());
        if is_secret {
            command.env("CLAW_STORE", url);
        }
        self.store.environ(&mut command);
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
        let left = fs::read_dir(self.folder.join("tmp")).unwrap();
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
    let folder = tempfile::tempdir().unwrap();
    a_chat_goes_on(&StoreAt::folder(&folder.path().join("store"))).await;
}

#[cfg(feature = "stores")]
#[tokio::test]
async fn a_chat_goes_on_from_postgres() {
    let server = Server::postgres(&["-F"]).unwrap();
    a_chat_goes_on(&StoreAt::url(server.url())).await;
}

#[cfg(feature = "stores")]
#[tokio::test]
async fn a_chat_goes_on_from_redis() {
    let server = Server::redis(&[]).unwrap();
    a_chat_goes_on(&StoreAt::url(server.url())).await;
}

#[cfg(feature = "s3")]
#[tokio::test]
async fn a_chat_goes_on_from_a_bucket() {
    let server = Server::s3(0).unwrap();
    a_chat_goes_on(&StoreAt::bucket(&server)).await;
}

/// With the real CLI: begun on one host, gone on with on another, listed, renamed, tagged, forked, exported, deleted.
async fn a_chat_goes_on(store: &StoreAt) {
    let rules = [
        says("Which word?", "It is plum."),
        says("The word is plum.", "I keep it."),
    ];
    let place = Place::new(Scenario::new("word", rules)).await;
    let (one, other) = (
        Host::new(&place, "one", store),
        Host::new(&place, "other", store),
    );
    let ran = one.chat(&[], "The word is plum.").await;
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{}", ran.stdout);
    let (_, id) = ran.stdout.split_once("claw chat --resume ").unwrap();
    let id = id.trim().to_owned();

    let listed = other.good(&["sessions", "list"]).await;
    assert!(listed.contains("The word is plum."), "{listed}");
    assert!(listed.contains(" SIZE "), "{listed}");
    let large = ["sessions", "list", "--larger-than", "100"];
    let large = other.good(&large).await;
    assert!(large.contains("The word is plum."), "{large}");
    let larger = ["sessions", "list", "--larger-than", "10MB"];
    let larger = other.good(&larger).await;
    assert!(larger.starts_with("No session here is larger."), "{larger}");
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
    let printed = other
        .good(&["sessions", "delete", "--tag", "fruit", "--dry-run"])
        .await;
    assert!(
        printed.contains("Plums") && !printed.contains("Pears"),
        "{printed}"
    );
    let none = other
        .good(&["sessions", "delete", "--older-than", "1d", "--yes"])
        .await;
    assert_eq!(none, "No session is selected.\n");
    let gone = other
        .good(&["sessions", "delete", "--tag", "fruit", "--yes"])
        .await;
    assert_eq!(gone, "1 session deleted\n");
    let listed = one.good(&["sessions", "list"]).await;
    assert!(
        !listed.contains("Plums") && listed.contains("Pears"),
        "{listed}"
    );
    assert_eq!([one.left(), other.left()].concat(), Vec::<String>::new());
}

/// A host that is killed in a turn, with a store that is a server: once the time of its claim is over, another host goes
/// on with all that was said.
#[cfg(feature = "stores")]
#[tokio::test]
async fn another_host_goes_on_after_a_kill() {
    let server = Server::redis(&[]).unwrap();
    after_a_kill(&StoreAt::url(server.url())).await;
}

#[cfg(feature = "stores")]
#[tokio::test]
async fn another_host_goes_on_after_a_kill_from_postgres() {
    let server = Server::postgres(&["-F"]).unwrap();
    after_a_kill(&StoreAt::url(server.url())).await;
}

#[cfg(feature = "s3")]
#[tokio::test]
async fn another_host_goes_on_after_a_kill_from_a_bucket() {
    let server = Server::s3(0).unwrap();
    after_a_kill(&StoreAt::bucket(&server)).await;
}

#[cfg(feature = "stores")]
async fn after_a_kill(store: &StoreAt) {
    let rules = [
        says("Which word?", "It is plum."),
        says("The word is plum.", "I keep it."),
    ];
    let place = Place::new(Scenario::new("word", rules)).await;
    let (one, other) = (
        Host::new(&place, "one", store),
        Host::new(&place, "other", store),
    );
    let mut child = one
        .command(&["chat"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"The word is plum.\n").await.unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut shown = Vec::new();
    // Its result is shown when what was said is stored.
    while !shown
        .last()
        .is_some_and(|line: &String| line.contains("— done:"))
    {
        shown.push(lines.next_line().await.unwrap().expect("more lines"));
    }
    child.kill().await.unwrap();

    let refused = other.chat(&["--continue"], "Which word?").await;
    assert!(
        refused
            .stderr
            .contains("the session is held by claw chat, process"),
        "{}{}",
        refused.stdout,
        refused.stderr
    );
    assert_ne!(refused.code, Some(0));
    let freed = async {
        loop {
            let ran = other.chat(&["--continue"], "Which word?").await;
            if !ran.stderr.contains("the session is held by") {
                return ran;
            }
        }
    };
    let ran = tokio::time::timeout(LIMIT, freed).await.unwrap();
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{}", ran.stdout);
    assert!(ran.stdout.contains("It is plum."), "{}", ran.stdout);
    let asked = place.api.requests().pop().unwrap().body.to_string();
    assert!(asked.contains("The word is plum."), "{asked}");
    // The next start on the killed host removes what the kill has left there.
    let ran = one.chat(&["--continue"], "Which word?").await;
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{}", ran.stdout);
    assert_eq!([one.left(), other.left()].concat(), Vec::<String>::new());
}

#[tokio::test]
async fn a_session_of_a_disk_is_brought_into_a_store() {
    let place = Place::new(Scenario::new("word", [says("plum", "I keep it.")])).await;
    let store = StoreAt::folder(&place.folder.path().join("store"));
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

/// Returns the path of the only main transcript in a store in a folder.
fn transcript(store: &Path) -> PathBuf {
    let mut folders = vec![store.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "jsonl") {
                return path;
            }
        }
    }
    panic!("{} has no transcript", store.display())
}

#[tokio::test]
async fn the_sessions_of_a_store_are_copied_into_another_one() {
    let place = Place::new(Scenario::new("word", [says("plum", "I keep it.")])).await;
    let at = |name: &str| StoreAt::folder(&place.folder.path().join(name));
    let (from, to) = (at("from"), at("to"));
    let host = Host::new(&place, "one", &from);
    let ran = host.chat(&[], "The word is plum.").await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let folder = |name: &str| place.folder.path().join(name).display().to_string();
    let copy = async |from: &str| {
        place
            .claw(&["store", "copy", from, &folder("to")])
            .env("OLD_STORE", folder("from"))
            .output()
            .await
            .unwrap()
    };
    let copied = copy(&folder("from")).await;
    let said = String::from_utf8(copied.stderr).unwrap();
    assert_eq!(copied.status.code(), Some(0), "{said}");
    let lines: u64 = said
        .strip_prefix("1 session is copied. New lines: ")
        .and_then(|rest| rest.strip_suffix(".\n"))
        .unwrap_or_else(|| panic!("{said}"))
        .parse()
        .unwrap();
    assert!(lines > 2, "{said}");
    // By the name of a variable, and again.
    let copied = copy("env:OLD_STORE").await;
    let said = String::from_utf8(copied.stderr).unwrap();
    assert_eq!(said, "1 session is copied. New lines: 0.\n");
    // A copy that is compared, and a check.
    let claw = async |args: &[&str]| {
        let ran = place.claw(args).output().await.unwrap();
        let said = String::from_utf8(ran.stderr).unwrap();
        (ran.status.code(), said)
    };
    let (from_url, to_url) = (folder("from"), folder("to"));
    let (code, said) = claw(&["store", "copy", "--compare", &from_url, &to_url]).await;
    assert_eq!(code, Some(0), "{said}");
    let compared = format!("1 session, 1 transcript, {lines} lines and ");
    assert!(said.contains(&compared), "{said}");
    assert!(said.ends_with(" bytes were read and compared. No problem was found.\n"));
    let (code, said) = claw(&["store", "check", &to_url]).await;
    assert_eq!(code, Some(0), "{said}");
    assert!(said.starts_with(&compared), "{said}");
    // A further prompt adds lines to the session in the copy.
    let other = Host::new(&place, "two", &to);
    let ran = other.chat(&["--continue"], "Again?").await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let (code, said) = claw(&["store", "check", &from_url, "--against", &to_url]).await;
    assert_eq!(code, Some(1), "{said}");
    let more = format!(": the other store has lines after line {lines}\n");
    assert!(said.contains(&more), "{said}");
    let (code, said) = claw(&["store", "check", &to_url, "--against", &from_url]).await;
    assert_eq!(code, Some(1), "{said}");
    let fewer = format!(
        ": line {} and those after it are not in the other store\n",
        lines + 1
    );
    assert!(said.contains(&fewer), "{said}");
    assert!(said.ends_with("1 problem was found.\n"), "{said}");
    // Somebody changes a line of the copy, and then loses a half of it.
    let file = transcript(&place.folder.path().join("to"));
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("I keep it", "I lose it", 1)).unwrap();
    let (code, said) = claw(&["store", "check", &from_url, "--against", &to_url]).await;
    assert_eq!(code, Some(1), "{said}");
    let changed = text
        .lines()
        .position(|line| line.contains("I keep it"))
        .unwrap()
        + 1;
    let other_text = format!(": line {changed} has another text in the other store\n");
    assert!(said.contains(&other_text), "{said}");
    fs::write(&file, &text.as_bytes()[..text.len() / 2]).unwrap();
    let (code, said) = claw(&["store", "check", &to_url]).await;
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains(": after line "), "{said}");
    fs::write(&file, &text).unwrap();
    let listed = other.good(&["sessions", "list", "--all"]).await;
    assert!(listed.contains("The word is plum."), "{listed}");
    for (from, why) in [
        ("postgres://claw:secret@db/claw", "read a command line"),
        ("env:NO_SUCH_STORE", "NO_SUCH_STORE is not set"),
    ] {
        let refused = copy(from).await;
        let said = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains(why) && !said.contains("secret"), "{said}");
    }
}

/// A session has its tombstone before its lines are removed, and the process may end between the two.
#[cfg(all(feature = "stores", feature = "terminal"))]
#[tokio::test]
async fn an_interrupted_deletion_is_found_and_finished() {
    use claw_client::store::{Owner, SessionRef};

    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let url = store.to_str().unwrap();
    let id = "11111111-1111-4111-8111-111111111111";
    let file = store.join("projects/shop").join(id).with_extension("jsonl");
    let write = || {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let line =
            json!({"type": "user", "uuid": "u", "message": {"role": "user", "content": "a"}});
        fs::write(&file, format!("{line}\n")).unwrap();
    };
    let claw = |args: &[&str]| {
        let mut command = crate::claw::claw(args);
        command.env("HOME", folder.path());
        let ran = crate::claw::ran(command.output().unwrap());
        (ran.code, ran.stderr)
    };
    write();
    let delete = ["sessions", "delete", id, "--yes", "--store", url];
    let (code, said) = claw(&[&delete[..], &["--store-project", "shop"]].concat());
    assert_eq!(code, Some(0), "{said}");
    assert!(!file.exists());
    write();
    let check = ["store", "check", url];
    let finish = ["store", "check", url, "--finish-deletions"];
    let claims = claw_client::store::open(url, &[]).await.unwrap();
    let claims = claims.claims().unwrap();
    let session = SessionRef::new("shop", id).unwrap();
    let owner = Owner::new("another host");
    let claim = claims.claim(&session, &owner, LIMIT).await.unwrap();
    for (args, part) in [
        (&check[..], "--finish-deletions removes them"),
        (&finish[..], "another host has claimed it"),
    ] {
        let (code, said) = claw(args);
        assert_eq!(code, Some(1), "{said}");
        let place = format!("claw: {session}: it is deleted, and its lines are still there");
        assert!(said.starts_with(&place) && said.contains(part), "{said}");
        assert!(file.exists());
    }
    claims.release(&claim).await.unwrap();
    let (code, said) = claw(&finish);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("1 interrupted deletion finished."), "{said}");
    assert!(!file.exists());
    let (code, said) = claw(&check);
    assert_eq!(code, Some(0), "{said}");
}

/// Sends a request about an object of the store in a bucket, and returns the body of the response.
#[cfg(all(feature = "s3", feature = "terminal"))]
fn object(server: &Server, method: &str, name: &str, body: &str) -> String {
    use std::io::{Read as _, Write as _};

    let mut stream = std::net::TcpStream::connect(server.address()).unwrap();
    let (address, length) = (server.address(), body.len());
    let request = format!(
        "{method} /{BUCKET}/conversations/{name} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    body.to_owned()
}

/// The store of a bucket has objects that no session uses, and a process may end before it has removed them.
#[cfg(all(feature = "s3", feature = "terminal"))]
#[tokio::test]
async fn what_a_killed_process_has_left_in_a_bucket_is_found_and_removed() {
    let server = Server::s3(0).unwrap();
    let store = StoreAt::bucket(&server);
    let folder = tempfile::tempdir().unwrap();
    let claw = async |args: &[&str]| {
        let mut command = Command::from(crate::claw::claw(args));
        store.environ(&mut command);
        command.env("HOME", folder.path());
        wait(command.output()).await
    };
    let copy = async |session: &str, line: &str| {
        let from = folder.path().join("from");
        let file = from
            .join("projects/shop")
            .join(session)
            .with_extension("jsonl");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, format!("{line}\n")).unwrap();
        let ran = claw(&["store", "copy", from.to_str().unwrap(), &store.url]).await;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        fs::remove_dir_all(from).unwrap();
    };
    let id = "11111111-1111-4111-8111-111111111111";
    let line = json!({"type": "user", "uuid": "u", "message": {"role": "user", "content": "a"}});
    copy(id, &line.to_string()).await;
    let part = format!("parts/shop/{id}/main/0000000000000000");
    let body = object(&server, "GET", &part, "");
    let delete = ["sessions", "delete", id, "--yes", "--store", &store.url];
    let ran = claw(&[&delete[..], &["--store-project", "shop"]].concat()).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let check = ["store", "check", &store.url];
    let finish = ["store", "check", &store.url, "--finish-deletions"];
    let ran = claw(&check).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    object(&server, "PUT", &part, &body);
    let left = format!(
        "claw: shop/{id}: parts of a deleted transcript: 1 object of {} bytes",
        body.len()
    );
    let ran = claw(&check).await;
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let expected = format!("{left}, which --finish-deletions removes\n");
    assert!(ran.stderr.starts_with(&expected), "{}", ran.stderr);
    let one_project = [&check[..], &["--project", "shop"]].concat();
    assert_eq!(claw(&one_project).await.code, Some(0));
    let ran = claw(&finish).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let expected = format!("{left} removed\n");
    assert!(ran.stderr.starts_with(&expected), "{}", ran.stderr);
    assert!(
        ran.stderr
            .ends_with("1 leftover removed. No problem was found.\n"),
        "{}",
        ran.stderr
    );
    object(&server, "PUT", "notes.txt", "four");
    for args in [&check[..], &finish] {
        let ran = claw(args).await;
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        let named =
            "claw: conversations/notes.txt: claw knows no such object: 1 object of 4 bytes\n";
        assert!(ran.stderr.starts_with(named), "{}", ran.stderr);
    }
}

/// Makes a certificate for `localhost` that signs itself, and returns the paths of it and of its key. Both belong to the
/// user of the servers, because Postgres refuses a key that others own.
fn certificate(folder: &Path) -> [String; 2] {
    let paths = ["server.crt", "server.key"].map(|name| folder.join(name).display().to_string());
    let mut openssl = server::command(Path::new("openssl"));
    openssl.args(["req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"]);
    openssl.args([
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-subj",
        "/CN=localhost",
    ]);
    openssl.args(["-addext", "subjectAltName=DNS:localhost"]);
    openssl.args(["-addext", "basicConstraints=critical,CA:false"]);
    let made = openssl
        .args(["-out", &paths[0], "-keyout", &paths[1]])
        .output();
    let made = made.expect("openssl is installed");
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{said}");
    paths
}

/// Checks that the store is reached if its certificate is trusted and has its name, and is not reached otherwise.
async fn is_reached_by_tls_alone(url: &str, certificate: &str) {
    let place = Place::new(Scenario::new("none", [])).await;
    for (url, trusted, code) in [
        (url, Some(certificate), 0),
        (url, None, 3),
        (&url.replace("localhost", "127.0.0.1"), Some(certificate), 3),
    ] {
        let mut command = place.claw(&["store", "check", "env:STORE"]);
        command.env("STORE", url);
        if let Some(trusted) = trusted {
            command.env("SSL_CERT_FILE", trusted);
        }
        let ran = wait(command.output()).await;
        assert_eq!(ran.code, Some(code), "{url}: {}", ran.stderr);
        assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
    }
}

#[tokio::test]
async fn postgres_is_reached_by_tls() {
    let folder = server::folder().unwrap();
    let [certificate, key] = certificate(folder.path());
    let [file, key] = [
        format!("ssl_cert_file={certificate}"),
        format!("ssl_key_file={key}"),
    ];
    let server = Server::postgres(&["-F", "-c", "ssl=on", "-c", &file, "-c", &key]).unwrap();
    let url = server.url().replace("127.0.0.1", "localhost");
    for mode in ["require", "verify-full"] {
        is_reached_by_tls_alone(&format!("{url}?sslmode={mode}"), &certificate).await;
    }
}

#[tokio::test]
async fn redis_is_reached_by_tls() {
    let folder = server::folder().unwrap();
    let [certificate, key] = certificate(folder.path());
    let port = server::free_address().unwrap().port().to_string();
    let _server = Server::redis(&[
        "--tls-port",
        &port,
        "--tls-cert-file",
        &certificate,
        "--tls-key-file",
        &key,
        "--tls-auth-clients",
        "no",
    ])
    .unwrap();
    is_reached_by_tls_alone(&format!("rediss://localhost:{port}"), &certificate).await;
}

#[tokio::test]
async fn what_a_store_cannot_do_is_said() {
    let place = Place::new(Scenario::new("none", [])).await;
    let store = StoreAt::folder(&place.folder.path().join("store"));
    let host = Host::new(&place, "one", &store);
    for (args, why) in [
        (
            &["sessions", "move", "one", "two"][..],
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

/// A server of a host, which is killed when it is dropped.
#[cfg(feature = "serve")]
struct Served {
    child: tokio::process::Child,
    address: String,
    token: String,
}

#[cfg(feature = "serve")]
impl Served {
    async fn start(host: &Host<'_>, args: &[&str]) -> Self {
        const TOKEN: &str = "0123456789abcdef";
        let token = host.folder.join("token");
        fs::write(&token, TOKEN).unwrap();
        let common = ["serve", "--listen", "127.0.0.1:0", "--token-file"];
        let mut child = host
            .command(&[&common[..], &[token.to_str().unwrap()], args].concat())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.next_line().await.unwrap().unwrap();
        let (_, address) = line.split_once("http://").unwrap();
        let address = address.split(". How").next().unwrap();
        Self {
            child,
            address: address.trim().to_owned(),
            token: TOKEN.to_owned(),
        }
    }

    async fn ask(&self, request: &str, body: &serde_json::Value) -> String {
        let (address, token) = (self.address.clone(), self.token.clone());
        let (request, body) = (request.to_owned(), body.to_string());
        let own = format!("Authorization: Bearer {token}\r\n");
        let asked =
            tokio::task::spawn_blocking(move || crate::serve::ask(&address, &request, &own, &body));
        asked.await.unwrap()
    }

    /// Ends it as an operator does.
    async fn end(mut self) {
        let pid = self.child.id().unwrap().cast_signed();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        self.child.wait().await.unwrap();
    }
}

#[cfg(feature = "serve")]
#[tokio::test(flavor = "multi_thread")]
async fn a_hosted_session_goes_on_on_another_server() {
    const MESSAGES: &str = "POST /sessions/demo-1/messages";
    let rules = [
        says("Which word?", "It is plum."),
        says("The word is plum.", "I keep it."),
    ];
    let place = Place::new(Scenario::new("word", rules)).await;
    let store = StoreAt::folder(&place.folder.path().join("store"));
    let (one, other) = (
        Host::new(&place, "one", &store),
        Host::new(&place, "other", &store),
    );
    let first = Served::start(&one, &["--hosting"]).await;
    let second = Served::start(&other, &["--hosting"]).await;
    let turn = first
        .ask(MESSAGES, &json!({"prompt": "The word is plum."}))
        .await;
    assert!(
        turn.contains("I keep it.") && turn.contains("event: done"),
        "{turn}"
    );
    // The process of the first server has the session.
    let refused = second
        .ask(MESSAGES, &json!({"prompt": "Which word?"}))
        .await;
    assert!(
        refused.contains("the session is held by claw serve, process"),
        "{refused}"
    );
    first.end().await;
    let turn = second
        .ask(MESSAGES, &json!({"prompt": "Which word?"}))
        .await;
    assert!(turn.contains("It is plum."), "{turn}");
    let asked = place.api.requests().pop().unwrap().body.to_string();
    assert!(asked.contains("The word is plum."), "{asked}");
    second.end().await;
    assert_eq!([one.left(), other.left()].concat(), Vec::<String>::new());
}

#[cfg(feature = "serve")]
#[tokio::test(flavor = "multi_thread")]
async fn a_server_lists_shows_and_changes_what_another_host_has_stored() {
    let rules = [says("The word is plum.", "I keep it.")];
    let place = Place::new(Scenario::new("word", rules)).await;
    let store = StoreAt::folder(&place.folder.path().join("store"));
    let (one, other) = (
        Host::new(&place, "one", &store),
        Host::new(&place, "other", &store),
    );
    one.good(&["run", "--quiet", "The word is plum."]).await;
    let server = Served::start(&other, &[]).await;
    let none = json!(null);
    let listed = server.ask("GET /api/sessions", &none).await;
    let (_, page) = listed.split_once("\r\n\r\n").unwrap();
    let page: serde_json::Value = serde_json::from_str(page).unwrap();
    let session = &page["sessions"][0];
    assert_eq!(session["title"], "The word is plum.", "{listed}");
    let id = session["id"].as_str().unwrap();

    let view = server.ask(&format!("GET /api/sessions/{id}"), &none).await;
    assert!(view.starts_with("HTTP/1.1 200"), "{view}");
    let changed = server
        .ask(
            &format!("PATCH /api/sessions/{id}"),
            &json!({"title": "Plums", "tag": "fruit"}),
        )
        .await;
    assert!(changed.starts_with("HTTP/1.1 204"), "{changed}");
    let fork = server
        .ask(
            &format!("POST /api/sessions/{id}/fork"),
            &json!({"title": "Pears"}),
        )
        .await;
    assert!(fork.starts_with("HTTP/1.1 201"), "{fork}");
    let listed = server.ask("GET /api/sessions", &none).await;
    for part in ["Plums", "fruit", "Pears"] {
        assert!(listed.contains(part), "{part} in {listed}");
    }
    let found = server.ask("GET /api/sessions?q=plums", &none).await;
    assert!(
        found.contains("Plums") && !found.contains("Pears"),
        "{found}"
    );
    server.end().await;
    let listed = one.good(&["sessions", "list"]).await;
    assert!(
        listed.contains("Plums") && listed.contains("Pears"),
        "{listed}"
    );
}

#[cfg(feature = "serve")]
#[tokio::test(flavor = "multi_thread")]
async fn a_server_searches_counts_and_archives_what_another_host_has_stored() {
    let folder = tempfile::tempdir().unwrap();
    a_server_searches(&StoreAt::folder(&folder.path().join("store"))).await;
}

#[cfg(feature = "serve")]
#[tokio::test(flavor = "multi_thread")]
async fn a_server_searches_counts_and_archives_what_another_host_has_stored_in_postgres() {
    let server = Server::postgres(&["-F"]).unwrap();
    a_server_searches(&StoreAt::url(server.url())).await;
}

#[cfg(feature = "serve")]
#[tokio::test(flavor = "multi_thread")]
async fn a_server_searches_counts_and_archives_what_another_host_has_stored_in_redis() {
    let server = Server::redis(&[]).unwrap();
    a_server_searches(&StoreAt::url(server.url())).await;
}

/// With the real CLI: a server finds, counts and archives a session that another host has stored and continues. The server
/// has no file of the session on its disk.
#[cfg(feature = "serve")]
async fn a_server_searches(store: &StoreAt) {
    let rules = [
        says("The word is plum.", "I keep it."),
        says("The word is pear.", "I keep that as well."),
    ];
    let place = Place::new(Scenario::new("word", rules)).await;
    let (one, other) = (
        Host::new(&place, "one", store),
        Host::new(&place, "other", store),
    );
    one.good(&["run", "--quiet", "The word is plum."]).await;
    let server = Served::start(&other, &[]).await;
    let value = async |request: &str| -> serde_json::Value {
        let response = server.ask(request, &json!(null)).await;
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{response}");
        assert!(!head.contains("claw-missing"), "{response}");
        serde_json::from_str(body).unwrap()
    };
    let hits = value("GET /api/search?q=WORD%20is%20plum").await;
    let id = hits[0]["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(hits.as_array().unwrap().len(), 1, "{hits}");
    assert_eq!(hits[0]["excerpt"], "The word is plum.", "{hits}");
    assert_eq!(hits[0]["transcript"], format!("apples/{id}"), "{hits}");
    let usage = value("GET /api/usage?by=session").await;
    assert_eq!(usage[&id]["answers"], 1, "{usage}");
    // The index is beside the sessions of the server's disk, which has none.
    let home = other.folder.join("home/.claude");
    let indexes = fs::read_dir(home.join("claw-index")).unwrap();
    let index = indexes.map(|entry| entry.unwrap().path()).next().unwrap();
    assert!(index.join("apples").join(&id).is_file());
    assert!(!home.join("projects").exists());

    let ran = one.chat(&["--continue"], "The word is pear.").await;
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{}", ran.stdout);
    let hits = value("GET /api/search?q=is%20pear").await;
    assert_eq!(hits[0]["sessionId"], *id, "{hits}");
    let usage = value("GET /api/usage?by=session").await;
    assert_eq!(usage[&id]["answers"], 2, "{usage}");

    for archived in [true, false] {
        let path = format!("PATCH /api/sessions/{id}");
        let changed = server.ask(&path, &json!({ "archived": archived })).await;
        assert!(changed.starts_with("HTTP/1.1 204"), "{changed}");
        let ids = async |query: &str| {
            let page = value(&format!("GET /api/sessions?{query}")).await;
            page["sessions"].as_array().unwrap().len()
        };
        let listed = (ids("archived=false").await, ids("archived=true").await);
        assert_eq!(listed, if archived { (0, 1) } else { (1, 0) });
    }
    server.end().await;
}

/// What another host wrote, and what is not part of the conversation, is named by the commands that read the store.
#[tokio::test]
async fn entries_that_are_kept_beside_a_session_are_shown() {
    use claw_store::{Batch, Line, SessionRef, Subpath, WriterId};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let id = "11111111-0000-4000-8000-000000000013";
    let entry = |uuid: &str, parent: Option<&str>, text: &str| {
        json!({"parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": "/srv/shop", "sessionId": id,
            "version": "2.1.330", "uuid": uuid, "type": "user", "timestamp": "2026-11-20T10:00:01.000Z",
            "message": {"role": "user", "content": text}})
    };
    let main = entry("aaaaaaaa-0000-4000-8000-000000000001", None, "Taken over");
    let kept = entry(
        "aaaaaaaa-0000-4000-8000-000000000002",
        Some("aaaaaaaa-0000-4000-8000-000000000001"),
        "Only \u{1b}[31mthere",
    );
    let record = json!({"host": "http://one", "line": kept.to_string(),
        "after": "aaaaaaaa-0000-4000-8000-000000000001"});
    let store = claw_store::open(path.to_str().unwrap(), &[]).await.unwrap();
    let session = SessionRef::new("apples", id).unwrap();
    let beside = session.at(Subpath::new("claw/kept").unwrap());
    for (key, line) in [(session.main(), main), (beside, record)] {
        let batch = Batch {
            writer: &WriterId::random(),
            number: 0,
            lines: &[Line::new(line.to_string()).unwrap()],
            epoch: None,
        };
        store.append(&key, batch).await.unwrap();
    }
    let named = [
        "--store",
        path.to_str().unwrap(),
        "--store-project",
        "apples",
    ];
    let run = |args: &[&str]| {
        let mut command = crate::claw::claw(&[args, &named].concat());
        let ran = crate::claw::ran(command.env("HOME", folder.path()).output().unwrap());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran
    };
    let shown = run(&["sessions", "show", id]);
    assert_eq!(shown.stdout, "> Taken over\n");
    let begin = "claw: Written on host http://one, not taken over";
    assert!(shown.stderr.starts_with(begin), "{}", shown.stderr);
    let is_escaped = !shown.stderr.contains('\u{1b}') && shown.stderr.contains("there");
    assert!(is_escaped, "{}", shown.stderr);
    let exported = run(&["sessions", "export", id, "-o", "-", "--format", "markdown"]);
    assert!(
        exported.stdout.contains("Taken over"),
        "{}",
        exported.stdout
    );
    let notice = "claw: 1 entry is kept beside the session and not exported";
    assert!(exported.stderr.starts_with(notice), "{}", exported.stderr);
}
