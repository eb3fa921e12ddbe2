//! `claw sessions sync` and `claw sessions pull`, with the real CLI.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command as Blocking, Stdio};

use claw_sessions::{Session, Sessions};
use claw_testkit::Block;
use claw_testkit::api::{Answer, ApiRequest, Rule, Scenario};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::claw::Ran;
use crate::real_cli::{Place, wait};
use crate::sessions::Home;

/// A machine: a home, and a directory of the project.
struct Machine<'a> {
    place: &'a Place,
    home: PathBuf,
    work: PathBuf,
    store: PathBuf,
}

impl<'a> Machine<'a> {
    /// The project's directory has the same git remote on each machine, by another URL.
    fn new(place: &'a Place, name: &str, remote: &str) -> Self {
        let folder = claw_sessions::real_path(place.folder.path()).unwrap();
        let machine = Self {
            place,
            home: folder.join(name).join("home"),
            work: folder.join(name).join(format!("project of {name}")),
            store: folder.join("store"),
        };
        for folder in [&machine.home, &machine.work] {
            fs::create_dir_all(folder).unwrap();
        }
        clone_of(&machine.work, remote);
        machine
    }

    fn sessions(&self) -> Sessions {
        Sessions::new(self.home.join(".claude"))
    }

    /// Runs the real CLI with a prompt, as a person does.
    async fn ask(&self, arguments: &[&str], prompt: &str) -> Ran {
        let mut command = Command::new(claw_testkit::claude().unwrap());
        command
            .args(["-p", prompt, "--permission-mode", "acceptEdits"])
            .args(arguments)
            .envs(self.place.api.env())
            .env("HOME", &self.home)
            .current_dir(&self.work)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        wait(command.output()).await
    }

    /// Resumes a session, and returns the messages that the model was sent.
    async fn resumed(&self, id: &str) -> Vec<Value> {
        self.place.api.take_requests();
        let answer = self.ask(&["--resume", id], "And now?").await;
        assert_eq!(answer.code, Some(0), "{}", answer.stderr);
        let mut requests = self.place.api.take_requests().into_iter().rev();
        let is_asked =
            |request: &ApiRequest| request.body["messages"].to_string().contains("And now?");
        requests.find(is_asked).expect("a request").messages()
    }

    async fn claw(&self, arguments: &[&str]) -> Ran {
        let mut command = self.place.claw(&[&["sessions"], arguments].concat());
        command
            .env("HOME", &self.home)
            .env("CLAW_STORE", format!("file://{}", self.store.display()))
            .current_dir(&self.work);
        wait(command.output()).await
    }

    /// What a command writes, which has to succeed without a warning.
    async fn good(&self, arguments: &[&str]) -> String {
        let ran = self.claw(arguments).await;
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{}", ran.stdout);
        ran.stdout
    }

    fn find(&self, id: &str) -> Session {
        self.sessions().find(id).unwrap()
    }

    /// The only session.
    fn only(&self) -> String {
        let found = self.sessions().all().unwrap().sessions;
        assert_eq!(found.len(), 1);
        found[0].id().as_str().to_owned()
    }
}

fn scenario() -> Scenario {
    let agent = json!({
        "description": "Count", "prompt": "Count the words.", "subagent_type": "general-purpose",
        "run_in_background": false,
    });
    Scenario::new(
        "synced",
        [
            Rule::new(Answer::message([Block::text("It has counted.")])).on_tool_result(""),
            Rule::new(Answer::message([Block::text("Two words.")])).on_prompt("Count the words."),
            Rule::new(Answer::message([Block::tool_use("Agent", agent)]))
                .on_prompt("Ask an agent."),
            Rule::new(Answer::message([Block::text("Yes.")])),
        ],
    )
}

fn transcripts(session: &Session) -> Vec<String> {
    let mut names = Vec::new();
    let folder = session.folder().join("subagents");
    for entry in fs::read_dir(folder).into_iter().flatten() {
        names.push(entry.unwrap().file_name().into_string().unwrap());
    }
    names.sort();
    names
}

/// The lines of a transcript, except those that the CLI passes to no store.
fn lines(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let kept = text.split_inclusive('\n');
    kept.filter(|line| !line.contains("\"api-request"))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_goes_to_another_machine_and_the_cli_resumes_it_there() {
    let place = Place::new(scenario()).await;
    let one = Machine::new(&place, "one", "git@example.com:user/sums.git");
    let two = Machine::new(&place, "two", "https://user:secret@example.com/user/sums");
    assert_eq!(one.ask(&[], "Begin.").await.code, Some(0));
    let id = one.only();
    let asked = one.ask(&["--resume", &id], "Ask an agent.").await;
    assert_eq!(asked.code, Some(0), "{}", asked.stderr);

    let stored = one.good(&["sync"]).await;
    assert!(stored.starts_with(&format!("{id}: ")), "{stored}");
    assert!(
        stored.ends_with("\n1 session stored, 0 unchanged.\n"),
        "{stored}"
    );
    assert_eq!(
        one.good(&["sync"]).await,
        "0 sessions stored, 1 unchanged.\n"
    );

    let planned = two.good(&["pull", "--dry-run"]).await;
    let list = format!("{id}: new\n1 session brought, 0 unchanged.\n");
    let none = "Nothing was changed. Without --dry-run, this is brought.\n";
    assert_eq!(planned, format!("{list}{none}"));
    assert_eq!(two.sessions().all().unwrap().sessions.len(), 0);
    assert_eq!(two.good(&["pull"]).await, list);
    assert_eq!(
        two.good(&["pull"]).await,
        "0 sessions brought, 1 unchanged.\n"
    );
    assert_eq!(
        two.good(&["sync"]).await,
        "0 sessions stored, 1 unchanged.\n"
    );

    // All lines and the files of the agent are there, and a note of the directory.
    let (here, there) = (one.find(&id), two.find(&id));
    let brought = fs::read_to_string(there.transcript()).unwrap();
    let kept = lines(here.transcript());
    let relocated = brought.strip_prefix(&*kept).expect("the same lines");
    let relocated: Value = serde_json::from_str(relocated).unwrap();
    assert_eq!(relocated["relocatedCwd"], two.work.to_str().unwrap());
    let agents = transcripts(&here);
    assert_eq!(agents.len(), 2, "{agents:?}");
    assert_eq!(transcripts(&there), agents);
    let agent = |session: &Session| session.folder().join("subagents").join(&agents[0]);
    assert_eq!(lines(&agent(&here)), lines(&agent(&there)));

    // The CLI sends what it sends on the first machine, and the new directory.
    let unmoved = one.resumed(&id).await;
    let mut moved = two.resumed(&id).await;
    assert!(unmoved.len() > 4);
    let update = moved.pop_if(|last| last.to_string().contains("# Environment update"));
    assert_eq!(moved.len(), unmoved.len());
    for (one, other) in unmoved.iter().zip(&moved) {
        assert!(one == other, "{one}\n{other}");
    }
    if let Some(update) = update {
        let update = update.to_string();
        let paths = [&one.work, &two.work].map(|path| path.to_str().unwrap());
        assert!(paths.iter().all(|path| update.contains(path)), "{update}");
    }
}

/// Runs git in a directory, which is made.
fn git(directory: &Path, arguments: &[&str]) {
    fs::create_dir_all(directory).unwrap();
    let mut git = Blocking::new("git");
    let done = git.args(arguments).current_dir(directory).status();
    assert!(done.unwrap().success());
}

fn clone_of(directory: &Path, remote: &str) {
    git(directory, &["init", "-q"]);
    git(directory, &["remote", "add", "origin", remote]);
}

#[test]
fn all_projects_that_are_found_are_brought_and_the_others_are_listed() {
    let (one, two) = (Home::new(), Home::new());
    let store = one.path().join("store");
    let store = store.to_str().unwrap();
    let remote = |name: &str| format!("https://example.com/user/{name}.git");
    // Sessions of: a clone, a directory below it, one of the same name, one that two clones have, and one of none.
    let sums = one.path().join("src/sums");
    clone_of(&sums, &remote("sums"));
    fs::create_dir(sums.join("docs")).unwrap();
    clone_of(&one.path().join("src/twice"), &remote("twice"));
    let names = [
        "src/sums",
        "src/sums/docs",
        "notes",
        "src/twice",
        "lost\u{1b}",
    ];
    for (number, name) in names.iter().enumerate() {
        let directory = one.path().join(name);
        fs::create_dir_all(&directory).unwrap();
        let id = id(number);
        let entry = json!({
            "type": "user", "uuid": "a", "parentUuid": null, "sessionId": id, "cwd": directory,
            "message": {"role": "user", "content": "One"},
        });
        let slug = claw_sessions::slug(&claw_sessions::real_path(&directory).unwrap());
        let file = one.path().join(".claude/projects").join(slug);
        fs::create_dir_all(&file).unwrap();
        fs::write(file.join(format!("{id}.jsonl")), format!("{entry}\n")).unwrap();
    }
    one.good(&["sync", "--store", store]);

    let code = two.path().join("code");
    clone_of(&code.join("other name"), "git@example.com:user/sums");
    fs::create_dir(code.join("other name/docs")).unwrap();
    fs::create_dir(code.join("notes")).unwrap();
    clone_of(&code.join("first"), &remote("twice"));
    clone_of(&code.join("second"), &remote("twice"));
    let pull = |more: &[&str]| {
        let arguments = ["pull", "--all", "--store", store, "--project"];
        two.good(&[&arguments[..], &[code.to_str().unwrap()], more].concat())
    };
    let real = claw_sessions::real_path(&code).unwrap();
    let new: Vec<_> = (0..3)
        .map(|number| format!("{}: new\n", id(number)))
        .collect();
    let new = new.concat();
    let left = format!(
        "example.com/user/twice: 1 session not brought: several directories have this git remote or name: {}, {}\n\
         lost-: 1 session not brought: no directory with this git remote or name was found\n",
        real.join("first").display(),
        real.join("second").display(),
    );
    let end = "3 sessions brought, 0 unchanged.\n";
    let none = "Nothing was changed. Without --dry-run, this is brought.\n";
    let sorted = |text: &str| {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let planned = pull(&["--dry-run"]);
    assert_eq!(sorted(&planned), sorted(&format!("{new}{left}{end}{none}")));
    let brought = pull(&[]);
    assert_eq!(sorted(&brought), sorted(&format!("{new}{left}{end}")));
    for (number, name) in ["other name", "other name/docs", "notes"]
        .iter()
        .enumerate()
    {
        let sessions = Sessions::new(two.path().join(".claude"));
        let session = sessions.find_in(&real.join(name), &id(number)).unwrap();
        assert_eq!(session.directory().unwrap(), Some(real.join(name)));
    }
    assert_eq!(
        pull(&[]).lines().last(),
        Some("0 sessions brought, 3 unchanged.")
    );
    // The directories of sessions are searched from anywhere, and the directories beside them.
    let elsewhere = ["pull", "--all", "--store", store, "--json"];
    let lines = two.good(&elsewhere);
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut outcomes: Vec<_> = lines.iter().map(|line| &line["storeProject"]).collect();
    outcomes.sort_by_key(ToString::to_string);
    assert_eq!(outcomes, ["example.com/user/twice", "lost-"]);
    assert_eq!(lines[0]["candidates"].as_array().unwrap().len(), 2);
}

#[test]
fn the_store_can_be_named_in_the_configuration_file() {
    let home = Home::new();
    let (store, other) = (home.path().join("store"), home.path().join("other"));
    let config = home.path().join("config.toml");
    grow(&home, 1);
    let ran = |arguments: &[&str], url: &str| {
        let mut command = home.command(arguments);
        command.env("CLAW_CONFIG", &config).env("CLAW_STORE", url);
        crate::claw::ran(command.output().unwrap())
    };
    fs::write(&config, format!("[sync]\nstore = {:?}\n", store.display())).unwrap();
    let all = format!("{MANY} sessions stored, 0 unchanged.");
    let last = |ran: &Ran| ran.stdout.lines().last().map(str::to_owned);
    assert_eq!(last(&ran(&["sync"], "")), Some(all.clone()));
    assert!(store.join("projects/work").exists());
    let pulled = last(&ran(&["pull"], "")).unwrap();
    assert_eq!(pulled, format!("0 sessions brought, {MANY} unchanged."));
    // The environment and the command line take precedence.
    assert_eq!(
        last(&ran(&["sync"], other.to_str().unwrap())),
        Some(all.clone())
    );
    assert!(other.join("projects/work").exists());
    let third = home.path().join("third");
    let named = ["sync", "--store", third.to_str().unwrap()];
    assert_eq!(last(&ran(&named, "")), Some(all));
    assert!(third.join("projects/work").exists());
    // Other commands are about the disk.
    fs::remove_dir_all(&store).unwrap();
    let listed = ran(&["list"], "");
    assert_eq!(listed.stdout.lines().count(), MANY + 1, "{}", listed.stderr);

    for (text, fault) in [
        ("store = \"redis://:secret@db\"", "the store has a password"),
        ("store = \"store\"", "store is an absolute path"),
        (
            "store = \"/a\"\nstore-file = \"/b\"",
            "[sync] has a store and a store-file",
        ),
    ] {
        fs::write(&config, format!("[sync]\n{text}\n")).unwrap();
        let refused = ran(&["sync"], "");
        assert_eq!(refused.code, Some(2), "{text}: {}", refused.stderr);
        assert!(refused.stderr.contains(fault), "{text}: {}", refused.stderr);
        assert!(!refused.stderr.contains("secret"), "{}", refused.stderr);
    }
}

/// The number of sessions, and of kills.
const MANY: usize = 20;

fn id(number: usize) -> String {
    format!("{number:08}-1111-4111-8111-111111111111")
}

/// Adds an entry, and a note that all rounds have, to each session.
fn grow(home: &Home, round: usize) {
    for number in 0..MANY {
        let (id, path) = (id(number), home.file(&format!("{}.jsonl", id(number))));
        let entry = json!({
            "type": "user", "uuid": format!("{round:08}-0000-4000-8000-000000000001"),
            "parentUuid": null, "sessionId": id, "cwd": home.work(), "message": {"role": "user", "content": "One"},
        });
        let note = json!({"type": "last-prompt", "sessionId": id});
        let file = fs::File::options().create(true).append(true).open(path);
        let lines = format!("{entry}\n{note}\n");
        file.unwrap().write_all(lines.as_bytes()).unwrap();
    }
}

/// Runs a command until it has printed this number of sessions, and kills it.
fn killed(home: &Home, arguments: &[&str], after: usize) {
    let mut child = home
        .command(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let printed = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(printed.take(after).all(|line| line.is_ok()));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn after_kills_nothing_is_lost_and_nothing_is_there_twice() {
    let (one, two) = (Home::new(), Home::new());
    let store = one.path().join("store");
    let store = store.to_str().unwrap();
    let sync = ["sync", "--store", store];
    let pull = ["pull", "--store", store];
    for round in 1..=MANY {
        grow(&one, round);
        killed(&one, &sync, round);
        if round % 2 == 0 {
            one.good(&sync);
        }
        killed(&two, &pull, round / 2);
    }
    one.good(&sync);
    two.good(&pull);
    let text = |path: &Path| fs::read_to_string(path).unwrap();
    for number in 0..MANY {
        let name = format!("{}.jsonl", id(number));
        let here = text(&one.file(&name));
        assert_eq!(here.lines().count(), 2 * MANY);
        let stored = Path::new(store).join("projects/work").join(&name);
        assert!(text(&stored) == here, "{name}");
        let brought = text(&two.file(&name));
        let own = brought.split_inclusive('\n');
        let own = own.filter(|line| !line.contains("\"relocated\""));
        assert!(own.collect::<String>() == here, "{name}");
    }
    assert_eq!(
        two.good(&sync),
        format!("0 sessions stored, {MANY} unchanged.\n")
    );
    let left = fs::read_dir(two.file("")).unwrap().count();
    assert_eq!(left, MANY);
}

#[test]
fn lines_are_stored_while_they_are_written_and_the_last_ones_at_the_end() {
    let home = Home::new();
    let store = home.path().join("store");
    let sync = ["sync", "--watch", "--store", store.to_str().unwrap()];
    grow(&home, 1);
    let mut child = home.command(&sync).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for round in 2..4 {
        for _ in 0..MANY {
            let line = lines.next().expect("a line").unwrap();
            assert!(line.ends_with(": 2 new lines"), "{line}");
        }
        grow(&home, round);
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(lines.count(), MANY);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    for number in 0..MANY {
        let name = format!("{}.jsonl", id(number));
        let stored = fs::read(store.join("projects/work").join(&name)).unwrap();
        assert!(stored == fs::read(home.file(&name)).unwrap(), "{name}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_service_is_written_that_survives_updates_and_knows_no_password() {
    let home = Home::new();
    let unit = home.path().join(".config/systemd/user/claw-sync.service");
    let config = home.path().join("claude");
    // An installation links the program of a version.
    let bin = home.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let program = crate::claw::claw(&[]).get_program().to_owned();
    std::os::unix::fs::symlink(program, bin.join("claw")).unwrap();
    let install = |store: &[&str], url: &str| {
        let mut command = home.command(&[&["sync", "--install"], store].concat());
        command
            .env("PATH", &bin)
            .env("CLAUDE_CONFIG_DIR", &config)
            .env("CLAW_STORE", url)
            .env_remove("XDG_CONFIG_HOME");
        crate::claw::ran(command.output().unwrap())
    };
    let written = install(&["--store", "a store", "--project", "."], "");
    assert_eq!((written.code, &*written.stderr), (Some(0), ""));
    let expected = format!(
        "Written: {}\nStart it, now and at each login:\n",
        unit.display()
    );
    assert!(written.stdout.starts_with(&expected), "{}", written.stdout);
    let text = fs::read_to_string(&unit).unwrap();
    let work = home.work();
    let command = format!(
        "ExecStart=\"{}\" \"sessions\" \"sync\" \"--watch\" \"--store\" \"{}\" \"--project\" \"{}\"",
        bin.join("claw").display(),
        work.join("a store").display(),
        work.display(),
    );
    assert!(
        text.lines().any(|line| line == command),
        "{command}\n{text}"
    );
    let variable = format!("Environment=\"CLAUDE_CONFIG_DIR={}\"", config.display());
    assert!(text.lines().any(|line| line == variable), "{text}");

    // A password is in no file, and the store of another call takes the first one's place.
    let url = format!("file://{}", work.join("other").display());
    let refused = install(&[], "redis://:secret@127.0.0.1:1");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("--store-file"),
        "{}",
        refused.stderr
    );
    assert!(!refused.stderr.contains("secret"), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(&unit).unwrap(), text);
    assert_eq!(install(&[], &url).code, Some(0));
    let again = fs::read_to_string(&unit).unwrap();
    assert!(
        again.contains(&format!("\"--store\" \"{url}\"\n")),
        "{again}"
    );

    // A person's own unit stays.
    fs::write(&unit, "[Unit]\n").unwrap();
    let refused = install(&[], &url);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("so it stays"), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(&unit).unwrap(), "[Unit]\n");
}
