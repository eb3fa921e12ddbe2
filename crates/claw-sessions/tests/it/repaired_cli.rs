//! The real CLI resumes the mended copies of broken sessions. The CLI runs against the scripted Messages API.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use claw_client::Session;
use claw_client::types::message::UserMessage;
use claw_client::types::options::PermissionMode;
use claw_client::types::{Map, QueryOptions};
use claw_sessions::{RepairEffect, Sessions, real_path, slug};
use claw_testkit::Block;
use claw_testkit::api::{Answer, Api, ApiRequest, Rule, Scenario};
use futures::StreamExt as _;
use serde_json::{Value, json};
use tempfile::TempDir;

use RepairEffect::{Harmless, LeftOut, Recovered};

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// The number of sessions that are resumed at the same time.
const AT_ONCE: usize = 3;

/// A working directory, and the transcript of a session that was made in it.
struct Place {
    api: Api,
    _folder: TempDir,
    path: PathBuf,
    id: String,
    lines: Vec<Vec<u8>>,
}

async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_mins(1), future)
        .await
        .expect("took over a minute")
}

async fn ask(session: &Session, prompt: UserMessage) {
    let turn = soon(session.send(prompt)).await.unwrap();
    soon(turn.result()).await.unwrap();
}

impl Place {
    /// Makes a session with parallel tool uses and a picture.
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = real_path(folder.path()).unwrap();
        fs::create_dir(path.join("work")).unwrap();
        let read = |name: &str| {
            let file = path.join("work").join(name);
            fs::write(&file, format!("words of {name}\n")).unwrap();
            Block::tool_use("Read", json!({"file_path": file}))
        };
        let scenario = Scenario::new(
            "repaired",
            [
                Rule::new(Answer::message([Block::text("Both are read.")])).on_tool_result(""),
                Rule::new(Answer::message([read("left"), read("right")])).on_prompt("Read both."),
                Rule::new(Answer::message([Block::text("Yes.")])),
            ],
        );
        let api = Api::start(scenario).await.unwrap();
        let mut place = Self {
            api,
            _folder: folder,
            path,
            id: String::new(),
            lines: Vec::new(),
        };
        let builder = Session::builder(place.options("first"));
        let session = soon(builder.connect()).await.unwrap();
        ask(&session, UserMessage::prompt("Begin.")).await;
        ask(&session, UserMessage::prompt("Read both.")).await;
        let picture = json!([
            {"type": "text", "text": "Look."},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        ]);
        let look = json!({
            "type": "user", "message": {"role": "user", "content": picture},
            "parent_tool_use_id": null, "uuid": "0a0a0a0a-1111-4000-8000-000000000001",
        });
        ask(&session, serde_json::from_value(look).unwrap()).await;
        ask(&session, UserMessage::prompt("Finish.")).await;
        soon(session.close()).await.unwrap();
        let sessions = place.sessions("first");
        let list = sessions.list().run().unwrap().sessions;
        list[0].session_id.as_str().clone_into(&mut place.id);
        let text = fs::read(sessions.find(&place.id).unwrap().transcript()).unwrap();
        let lines = text
            .strip_suffix(b"\n")
            .unwrap()
            .split(|byte| *byte == b'\n');
        place.lines = lines.map(<[u8]>::to_vec).collect();
        place
    }

    fn sessions(&self, home: &str) -> Sessions {
        Sessions::new(self.path.join(home).join(".claude"))
    }

    fn options(&self, home: &str) -> QueryOptions {
        let mut env = Map::default();
        for (name, value) in self.api.env() {
            env.insert(name, Some(value));
        }
        let home = self.path.join(home).display().to_string();
        for name in ["HOME", "USERPROFILE"] {
            env.insert(name, Some(home.clone()));
        }
        QueryOptions::default()
            .env(env)
            .cwd(self.path.join("work"))
            .permission_mode(PermissionMode::AcceptEdits)
            .path_to_claude_code_executable(claw_testkit::claude().unwrap())
    }

    /// The index of the line of the conversation that contains a text.
    fn at(&self, kind: &str, text: &str) -> usize {
        let found = self.lines.iter().position(|line| {
            let value: Value = serde_json::from_slice(line).unwrap();
            value["type"] == kind
                && value["uuid"].is_string()
                && value["message"].to_string().contains(text)
        });
        found.unwrap_or_else(|| panic!("{kind} {text}"))
    }

    /// Writes a transcript into a home of its own.
    fn write(&self, home: &str, transcript: &[u8]) {
        let folder = self.sessions(home).projects();
        let folder = folder.join(slug(&self.path.join("work")));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{}.jsonl", self.id)), transcript).unwrap();
    }

    /// Resumes a session, and returns the messages that the model was sent. `None` if nothing was sent.
    async fn resumed(&self, home: &str, id: &str) -> Option<Vec<Value>> {
        let options = self.options(home).resume(id);
        let session = soon(Session::builder(options).connect()).await.unwrap();
        let prompt = format!("And now, {home} {id}?");
        let turn = soon(session.send(prompt.as_str())).await.unwrap();
        soon(turn.result()).await.unwrap();
        soon(session.close()).await.unwrap();
        let mut requests = self.api.requests().into_iter().rev();
        let is_asked =
            |request: &ApiRequest| request.body["messages"].to_string().contains(&prompt);
        let messages = requests.find(is_asked)?.messages();
        let text = Value::from(messages).to_string();
        serde_json::from_str(&text.replace(&prompt, "And now?")).ok()
    }
}

/// The expected request to the API when the CLI resumes the copy.
enum Sent {
    /// The request is that of the session before it was broken.
    Same,
    /// The request contains the first texts, and none of the second ones.
    With(&'static [&'static str], &'static [&'static str]),
}

use Sent::{Same, With};

/// A way to break a session.
struct Break {
    name: &'static str,
    lines: Vec<Vec<u8>>,
    changes: Vec<(&'static str, RepairEffect)>,
    sent: Sent,
}

fn joined(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

fn edited(line: &[u8], edit: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut value = serde_json::from_slice(line).unwrap();
    edit(&mut value);
    value.to_string().into_bytes()
}

/// Gives lines from an index on a later time.
fn a_year_later(mut lines: Vec<Vec<u8>>, from: usize) -> Vec<Vec<u8>> {
    for line in &mut lines[from..] {
        *line = edited(line, |line| {
            if let Some((year, rest)) = line["timestamp"].as_str().and_then(|it| it.split_once('-'))
            {
                let year = year.parse::<u32>().unwrap() + 1;
                line["timestamp"] = format!("{year}-{rest}").into();
            }
        });
    }
    lines
}

/// The type of a line.
fn type_of(line: &[u8]) -> Value {
    serde_json::from_slice::<Value>(line).unwrap()["type"].take()
}

fn replaced(line: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = std::str::from_utf8(line).unwrap();
    assert!(text.contains(from), "{text}");
    text.replace(from, to).into_bytes()
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn breaks(place: &Place) -> Vec<Break> {
    let prompt = place.at("user", "Read both.");
    let left_use = place.at("assistant", "work/left");
    let right_use = place.at("assistant", "work/right");
    let left = place.at("user", "words of left");
    let right = place.at("user", "words of right");
    let answer = place.at("assistant", "Both are read.");
    let look = place.at("user", "Look.");
    let last = place.at("assistant", "Yes.");
    assert!(last < prompt, "the first answer");
    let line = |at: usize| &place.lines[at][..];
    let put = |at: usize, new: &[Vec<u8>]| {
        let mut lines = place.lines.clone();
        lines.splice(at..=at, new.iter().cloned());
        lines
    };
    let without = |gone: &[usize]| {
        let kept = place.lines.iter().enumerate();
        let kept = kept.filter(|(at, _)| !gone.contains(at));
        kept.map(|(_, line)| line.clone()).collect::<Vec<_>>()
    };
    let spliced = |first: usize, second: usize| {
        let mut lines = place.lines.clone();
        lines[first] = joined(&[line(first), line(second)]);
        lines.remove(second);
        lines
    };
    let picture = |edit: fn(&mut Value)| {
        let edit = |line: &mut Value| {
            let blocks = line["message"]["content"].as_array_mut().unwrap();
            let picture = blocks.iter_mut().find(|block| block["type"] == "image");
            edit(&mut picture.unwrap()["source"]);
        };
        put(look, &[edited(line(look), edit)])
    };
    // The attachments between the first prompt and its answer.
    let notes: Vec<_> = (0..last)
        .filter(|at| type_of(line(*at)) == "attachment")
        .collect();
    let nuls = [0; 64];
    let mark = "\u{feff}".as_bytes();
    let half = |at: usize| line(at)[..line(at).len() / 2].to_vec();
    let case = |name, lines, changes: &[_], sent| Break {
        name,
        lines,
        changes: changes.to_vec(),
        sent,
    };
    let mut breaks = vec![
        case(
            "mark-first",
            put(0, &[joined(&[mark, line(0)])]),
            &[("byte_order_mark", Harmless)],
            Same,
        ),
        case(
            "mark-later",
            put(prompt, &[joined(&[mark, line(prompt)])]),
            &[("byte_order_mark", Recovered)],
            Same,
        ),
        case(
            "nul-before",
            put(answer, &[joined(&[&nuls, line(answer)])]),
            &[("nul", Recovered)],
            Same,
        ),
        case(
            "nul-behind",
            put(answer, &[joined(&[line(answer), &nuls])]),
            &[("nul", Harmless)],
            Same,
        ),
        case(
            "nul-line",
            put(prompt, &[nuls.to_vec(), line(prompt).to_vec()]),
            &[("nul", Harmless)],
            Same,
        ),
        case(
            "record-and-rest",
            put(answer, &[joined(&[line(answer), &half(prompt)])]),
            &[("spliced", Harmless), ("torn", LeftOut)],
            Same,
        ),
        case(
            "two-records",
            spliced(left_use, right_use),
            &[("spliced", Recovered)],
            Same,
        ),
        case(
            "rest-and-record",
            put(answer, &[joined(&[&half(prompt), line(answer)])]),
            &[("spliced", Recovered), ("torn", LeftOut)],
            Same,
        ),
        case(
            "torn",
            put(prompt, &[half(prompt)]),
            &[("torn", LeftOut), ("missing_parent", Harmless)],
            With(&["Begin.", "words of left", "Look."], &["Read both."]),
        ),
        case(
            "parent-lost",
            without(&[answer]),
            &[("missing_parent", Harmless)],
            With(
                &["words of left", "words of right", "Look.", PNG],
                &["Both are read."],
            ),
        ),
        case(
            "parent-lost-late",
            a_year_later(without(&[answer]), answer),
            &[("missing_parent", Recovered)],
            With(
                &["words of left", "words of right", "Look.", PNG],
                &["Both are read."],
            ),
        ),
        case(
            "note-lost",
            without(&notes[notes.len() - 1..]),
            &[("missing_parent", Harmless)],
            With(&["Begin.", "<system-reminder>", "Both are read."], &[]),
        ),
        case(
            "twice",
            put(answer, &[line(answer).to_vec(), line(answer).to_vec()]),
            &[("duplicate", Harmless)],
            Same,
        ),
        case(
            "twice-later",
            [&place.lines[..], &[line(prompt).to_vec()]].concat(),
            &[("duplicate", Harmless)],
            Same,
        ),
        case(
            "escape",
            put(
                prompt,
                &[replaced(line(prompt), "Read both.", "Read \\x both.")],
            ),
            &[("invalid_escape", Recovered)],
            With(&["Read \\\\x both."], &[]),
        ),
        case(
            "control",
            put(
                prompt,
                &[replaced(line(prompt), "Read both.", "Read \u{1} both.")],
            ),
            &[("invalid_escape", Recovered)],
            With(&["Read \\u0001 both."], &[]),
        ),
        case(
            "surrogate",
            put(
                prompt,
                &[replaced(line(prompt), "Read both.", "Read \\ud83d both.")],
            ),
            &[("half_surrogate", Harmless)],
            With(&["Read \u{fffd} both."], &[]),
        ),
        case(
            "no-result",
            without(&[right]),
            &[("use_without_result", Recovered)],
            With(
                &[
                    "work/right",
                    "words of left",
                    "is missing in the transcript",
                ],
                &["words of right"],
            ),
        ),
        case(
            "no-results",
            without(&[left, right]),
            &[
                ("use_without_result", Recovered),
                ("use_without_result", Recovered),
            ],
            With(
                &[
                    "work/left",
                    "work/right",
                    "is missing in the transcript",
                    "Both are read.",
                ],
                &["words of left"],
            ),
        ),
        case(
            "no-uses",
            without(&[left_use, right_use]),
            &[
                ("result_without_use", Recovered),
                ("result_without_use", Recovered),
            ],
            With(
                &["words of left", "words of right", "Both are read."],
                &["tool_use"],
            ),
        ),
        case(
            "no-use-left",
            without(&[left_use]),
            &[("result_without_use", Recovered)],
            With(
                &[
                    "words of left",
                    "words of right",
                    "work/right",
                    "Both are read.",
                ],
                &["\"work/left"],
            ),
        ),
        case(
            "no-use-right",
            without(&[right_use]),
            &[("result_without_use", Recovered)],
            With(
                &[
                    "words of left",
                    "words of right",
                    "work/left",
                    "Both are read.",
                ],
                &["\"work/right"],
            ),
        ),
        case(
            "picture-type",
            picture(|source| source["media_type"] = json!("image/jpeg")),
            &[("picture_type", Recovered)],
            Same,
        ),
        case(
            "picture-empty",
            picture(|source| source["data"] = json!("")),
            &[("picture_refused", LeftOut)],
            With(&["Look.", "because it is empty"], &["\"image\""]),
        ),
        case(
            "picture-long",
            picture(|source| {
                source["data"] = json!(PNG.trim_end_matches('=').to_owned() + &"A".repeat(6 << 20));
            }),
            &[("picture_refused", LeftOut)],
            With(&["Look.", "over 5 MiB"], &["\"image\""]),
        ),
    ];
    // CLI 2.1.200 writes fewer attachments.
    if let [_, second, _, fourth, ..] = notes[..] {
        breaks.push(case(
            "notes-lost",
            without(&[second, fourth]),
            &[("missing_parent", Harmless), ("missing_parent", Harmless)],
            With(&["Begin.", "<system-reminder>", "Both are read."], &[]),
        ));
    }
    breaks
}

/// Checks one broken session: what the CLI sends of it, and what it sends of the mended copy.
async fn check(place: &Place, unbroken: &[Value], broken: Break) {
    let name = broken.name;
    let transcript = broken.lines.join(&b'\n');
    let transcript = [&transcript[..], b"\n"].concat();
    place.write(name, &transcript);
    let sessions = place.sessions(name);
    let session = sessions.find(&place.id).unwrap();
    let repair = session.repair();
    let planned = repair.plan().unwrap();
    assert!(planned.copy.is_none());
    let before = Sessions::list(&sessions).run().unwrap().sessions.len();
    let repaired = repair.run().unwrap();
    assert_eq!(planned.changes, repaired.changes, "{name}");
    let changes = repaired.changes.iter();
    // Lines below a line that is missing have a missing parent, too.
    let is_named = |problem: &str| broken.changes.iter().any(|(named, _)| *named == problem);
    let changes = changes.map(|change| (change.problem.name(), change.effect));
    let changes: Vec<_> = changes
        .filter(|(problem, _)| *problem != "missing_parent" || is_named(problem))
        .collect();
    assert_eq!(changes, broken.changes, "{name}: {:?}", repaired.changes);
    let copy = repaired.copy.unwrap();
    assert_eq!(sessions.list().run().unwrap().sessions.len(), before + 1);
    assert_eq!(
        fs::read(session.transcript()).unwrap(),
        transcript,
        "{name}"
    );
    assert!(copy.repair().plan().unwrap().changes.is_empty(), "{name}");

    let sent = place.resumed(name, copy.id().as_str()).await.unwrap();
    match broken.sent {
        Same => assert_eq!(sent, unbroken, "{name}"),
        With(with, without) => {
            let sent = Value::from(sent.clone()).to_string();
            for text in with {
                assert!(sent.contains(text), "{name}: {text}: {sent}");
            }
            for text in without {
                assert!(!sent.contains(text), "{name}: {text}: {sent}");
            }
        }
    }
    assert!(
        fs::read(session.transcript()).unwrap() == transcript,
        "{name}"
    );

    // The original, which is resumed last because the CLI continues it.
    let without = place.resumed(name, &place.id).await;
    let is_sent_the_same = without.as_deref() == Some(&sent[..]);
    assert_eq!(is_sent_the_same, !repaired.is_needed, "{name}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cli_resumes_the_mended_copy_of_every_broken_session() {
    let place = Place::new().await;
    place.write("unbroken", &[&place.lines.join(&b'\n')[..], b"\n"].concat());
    let session = place.sessions("unbroken").find(&place.id).unwrap();
    let repaired = session.repair().run().unwrap();
    assert!(
        repaired.changes.is_empty() && repaired.copy.is_none(),
        "{repaired:?}"
    );
    let unbroken = place.resumed("unbroken", &place.id).await.unwrap();
    assert!(unbroken.len() > 8, "{unbroken:?}");
    let checks = breaks(&place).into_iter();
    let checks = checks.map(|broken| check(&place, &unbroken, broken));
    futures::stream::iter(checks)
        .buffer_unordered(AT_ONCE)
        .collect::<()>()
        .await;
}

/// After an error, the CLI leaves out every picture before it, also those that are fine.
#[tokio::test(flavor = "multi_thread")]
async fn pictures_come_back_after_one_was_refused() {
    let place = Place::new().await;
    let look = place.at("user", "Look.");
    let mut lines = place.lines.clone();
    lines[look] = edited(&lines[look], |line| {
        let blocks = line["message"]["content"].as_array_mut().unwrap();
        let picture = blocks.iter().find(|block| block["type"] == "image");
        let mut long = picture.unwrap().clone();
        long["source"]["data"] = json!(format!("iVBORw0KGgoA{}", "A".repeat(6 << 20)));
        blocks.push(long);
    });
    place.write("refused", &[&lines.join(&b'\n')[..], b"\n"].concat());
    assert!(place.resumed("refused", &place.id).await.is_none());
    let session = place.sessions("refused").find(&place.id).unwrap();
    let repaired = session.repair().run().unwrap();
    let problems = repaired.changes.iter();
    let problems: Vec<_> = problems.map(|change| change.problem.name()).collect();
    assert_eq!(problems, ["picture_refused", "picture_error"]);
    let copy = repaired.copy.unwrap();
    let sent = place.resumed("refused", copy.id().as_str()).await.unwrap();
    let sent = Value::from(sent).to_string();
    assert!(sent.contains(PNG) && sent.contains("over 5 MiB"), "{sent}");
    let sent = place.resumed("refused", &place.id).await.unwrap();
    assert!(!Value::from(sent).to_string().contains(PNG));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_copy_takes_files_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = real_path(folder.path()).unwrap();
    fs::create_dir(path.join("work")).unwrap();
    let file = path.join("work/kept.txt");
    fs::write(&file, "old\n").unwrap();
    let write = json!({"file_path": file, "content": "new\n"});
    let read = json!({"file_path": file});
    let scenario = Scenario::new(
        "taken back",
        [
            Rule::new(Answer::message([Block::tool_use("Write", write)]))
                .on_tool_result("")
                .times(1),
            Rule::new(Answer::message([Block::text("Written.")])).on_tool_result(""),
            Rule::new(Answer::message([Block::tool_use("Read", read)])).on_prompt("Write it."),
            Rule::new(Answer::message([Block::text("Nothing.")])),
        ],
    );
    let place = Place {
        api: Api::start(scenario).await.unwrap(),
        _folder: folder,
        path,
        id: String::new(),
        lines: Vec::new(),
    };
    let options = || place.options("home").enable_file_checkpointing(true);
    let session = soon(Session::builder(options()).connect()).await.unwrap();
    let prompt = UserMessage::prompt("Write it.");
    let message = prompt.uuid.clone().unwrap();
    ask(&session, prompt).await;
    soon(session.close()).await.unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "new\n");

    let sessions = place.sessions("home");
    let list = sessions.list().run().unwrap().sessions;
    let broken = sessions.find(list[0].session_id.as_str()).unwrap();
    let transcript = fs::read_to_string(broken.transcript()).unwrap();
    let transcript = transcript.replace('\n', "\n\0");
    fs::write(broken.transcript(), transcript).unwrap();
    let repaired = broken.repair().run().unwrap();
    let copy = repaired.copy.unwrap();
    broken.delete().unwrap();
    let history = place.path.join("home/.claude/file-history");
    fs::remove_dir_all(history.join(broken.id().as_str())).unwrap();

    let options = options().resume(copy.id().as_str());
    let session = soon(Session::builder(options).connect()).await.unwrap();
    ask(&session, UserMessage::prompt("And now?")).await;
    let rewound = soon(session.rewind_files(message)).await.unwrap();
    assert!(rewound.can_rewind, "{rewound:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "old\n");
    soon(session.close()).await.unwrap();
}
