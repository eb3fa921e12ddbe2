//! Sessions of directories that were moved.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use claw_sessions::{Error, LeftReason, Relocated, Sessions, slug};
use serde_json::{Value, json};
use tempfile::TempDir;

const ONE: &str = "11111111-1111-4111-8111-111111111111";
const TWO: &str = "22222222-2222-4222-8222-222222222222";

/// A configuration folder, beside directories that are moved. Their paths are those that the CLI writes.
struct Place {
    _folder: TempDir,
    path: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = claw_sessions::real_path(folder.path()).unwrap();
        fs::create_dir_all(path.join("config/projects")).unwrap();
        Self {
            _folder: folder,
            path,
        }
    }

    fn at(&self, directory: &str) -> PathBuf {
        // With this system's separators.
        directory
            .split('/')
            .fold(self.path.clone(), |path, name| path.join(name))
    }

    fn project(&self, directory: &str) -> PathBuf {
        self.path
            .join("config/projects")
            .join(slug(&self.at(directory)))
    }

    fn transcript(&self, directory: &str, id: &str) -> PathBuf {
        self.project(directory).join(format!("{id}.jsonl"))
    }

    /// A session of a directory, with the files of a sub-agent and a title beside it.
    fn add(&self, directory: &str, id: &str) -> PathBuf {
        let cwd = self.at(directory);
        let file = |name: &str| cwd.join(name);
        let lines = [
            json!({"type": "user", "uuid": "a", "parentUuid": null, "sessionId": id, "cwd": cwd,
                "timestamp": "2026-11-20T10:00:00.000Z", "isSidechain": false,
                "message": {"role": "user", "content": format!("What is in {}?", cwd.display())}}),
            json!({"type": "file-history-snapshot", "messageId": "a", "isSnapshotUpdate": false,
                "snapshot": {"messageId": "a", "timestamp": "2026-11-20T10:00:00.000Z", "trackedFileBackups": {
                    "a.txt": {"backupFileName": "1@v1", "version": 1, "realParentDir": cwd},
                    file("b/c").to_str().unwrap(): {"backupFileName": null, "version": 1, "realParentDir": file("b")},
                    "/other/d": {"backupFileName": "2@v1", "version": 1, "realParentDir": "/other"}}}}),
            json!({"type": "file-history-delta", "messageId": "a", "trackingPath": file("e"),
                "backup": {"backupFileName": null, "version": 1, "realParentDir": cwd}}),
        ];
        let transcript = self.transcript(directory, id);
        let subagents = transcript.with_extension("").join("subagents");
        fs::create_dir_all(&subagents).unwrap();
        let lines: Vec<_> = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(&transcript, lines.concat()).unwrap();
        fs::write(subagents.join("agent-x.jsonl"), "{}\n").unwrap();
        fs::write(transcript.with_extension("precompact.json"), "{}").unwrap();
        transcript
    }

    fn memory(&self, directory: &str, name: &str, text: &str) {
        let memory = self.project(directory).join("memory");
        fs::create_dir_all(&memory).unwrap();
        fs::write(memory.join(name), text).unwrap();
    }

    fn sessions(&self) -> Sessions {
        Sessions::new(self.path.join("config"))
    }

    fn relocate(&self, from: &str, to: &str) -> Relocated {
        let sessions = self.sessions();
        let relocation = sessions.relocation(self.at(from), self.at(to));
        let before = self.files();
        let plan = relocation.plan().unwrap();
        assert_eq!(self.files(), before, "a plan changes nothing");
        let done = relocation.run().unwrap();
        // The plan is what is done.
        assert_eq!(summary(&plan), summary(&done));
        done
    }

    fn relocate_all(&self, from: &str, to: &str) -> Relocated {
        let sessions = self.sessions();
        let relocation = sessions.relocation(self.at(from), self.at(to)).all_below();
        let plan = relocation.plan().unwrap();
        let done = relocation.run().unwrap();
        assert_eq!(summary(&plan), summary(&done));
        done
    }

    /// All files below the configuration folder, with their texts and times.
    fn files(&self) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
        let mut files = BTreeMap::new();
        collect(&self.path.join("config"), &mut files);
        files
    }

    /// The IDs that a list of a directory has.
    fn listed(&self, directory: &str) -> Vec<String> {
        let list = self.sessions().list().project(self.at(directory)).run();
        let list = list.unwrap();
        assert!(list.problems.is_empty(), "{:?}", list.problems);
        let cwd = self.at(directory);
        for session in &list.sessions {
            assert_eq!(session.cwd.as_deref(), cwd.to_str());
        }
        let ids = list.sessions.into_iter();
        ids.map(|session| session.session_id.as_str().to_owned())
            .collect()
    }
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, (Vec<u8>, SystemTime)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stat = path.symlink_metadata().unwrap();
        if stat.is_dir() {
            collect(&path, files);
        } else if stat.is_file() {
            let text = fs::read(&path).unwrap();
            files.insert(path, (text, stat.modified().unwrap()));
        }
    }
}

/// What was moved, and why the rest was not.
fn summary(relocated: &Relocated) -> Vec<String> {
    let mut lines = Vec::new();
    for directory in &relocated.directories {
        let ids = directory
            .sessions
            .iter()
            .map(|id| id.as_str()[..1].to_owned());
        let moved: Vec<_> = ids.chain(directory.others.iter().cloned()).collect();
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        lines.push(format!("{}: {}", name(&directory.from), moved.join(" ")));
        for left in &directory.left {
            lines.push(format!("{} stays: {:?}", name(&left.path), left.reason));
        }
    }
    lines
}

fn values(transcript: &Path) -> Vec<Value> {
    let text = fs::read_to_string(transcript).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn everything_of_a_directory_moves_and_comes_back_as_it_was() {
    let place = Place::new();
    let old = place.add("old", ONE);
    let written = SystemTime::now() - Duration::from_hours(100);
    File::options()
        .append(true)
        .open(&old)
        .unwrap()
        .set_modified(written)
        .unwrap();
    place.add("old", TWO);
    place.memory("old", "MEMORY.md", "Tabs.");
    place.add("old-er", ONE);
    let before = place.files();

    let done = place.relocate("old", "new/place");
    assert_eq!(summary(&done), ["old: 1 2 memory"]);
    assert!(!place.project("old").exists());
    assert_eq!(place.listed("old"), [""; 0]);
    // The session that was changed last is still the first.
    assert_eq!(place.listed("new/place"), [TWO, ONE]);
    let new = place.transcript("new/place", ONE);
    assert_eq!(fs::metadata(&new).unwrap().modified().unwrap(), written);
    let agent = new.with_extension("").join("subagents/agent-x.jsonl");
    assert!(agent.exists());
    assert!(new.with_extension("precompact.json").exists());
    let memory = place.project("new/place").join("memory/MEMORY.md");
    assert_eq!(fs::read_to_string(memory).unwrap(), "Tabs.");

    let lines = values(&new);
    let cwd = place.at("new/place");
    let backups = &lines[1]["snapshot"]["trackedFileBackups"];
    assert_eq!(backups["a.txt"]["realParentDir"], json!(cwd));
    let below = &backups[cwd.join("b").join("c").to_str().unwrap()];
    assert_eq!(below["realParentDir"], json!(cwd.join("b")));
    assert_eq!(backups["/other/d"]["realParentDir"], "/other");
    assert_eq!(lines[2]["trackingPath"], json!(cwd.join("e")));
    assert_eq!(lines[2]["backup"]["realParentDir"], json!(cwd));
    // What was said is not changed.
    let said = lines[0]["message"]["content"].as_str().unwrap();
    assert!(said.contains(place.at("old").to_str().unwrap()), "{said}");
    assert_eq!(lines[0]["cwd"], json!(place.at("old")));
    assert_eq!(
        lines[3],
        json!({"type": "relocated", "sessionId": ONE, "relocatedCwd": cwd})
    );
    assert_eq!(lines.len(), 4);
    // A second time, there is nothing to do.
    assert_eq!(summary(&place.relocate("old", "new/place")), [""; 0]);

    place.relocate("new/place", "old");
    assert_eq!(place.files(), before);
    assert!(!place.project("new/place").exists());
}

#[test]
fn nothing_is_overwritten() {
    let place = Place::new();
    place.add("old", ONE);
    place.add("old", TWO);
    for name in ["MEMORY.md", "own.md"] {
        place.memory("old", name, "old");
    }
    // What the CLI makes when it is started in the new place, and what somebody has copied there.
    fs::create_dir_all(place.transcript("new", ONE).parent().unwrap()).unwrap();
    fs::write(place.transcript("new", ONE), "another\n").unwrap();
    place.memory("new", "MEMORY.md", "new");
    let old = fs::read(place.transcript("old", ONE)).unwrap();

    let sessions = place.sessions();
    let relocation = sessions.relocation(place.at("old"), place.at("new"));
    let done = relocation.run().unwrap();
    let [directory] = &done.directories[..] else {
        panic!("{done:?}")
    };
    assert_eq!(directory.sessions.len(), 1);
    assert_eq!(directory.others, [""; 0]);
    let [session, memory] = &directory.left[..] else {
        panic!("{directory:?}")
    };
    assert_eq!(session.path, place.transcript("old", ONE));
    let taken = |reason: &LeftReason| match reason {
        LeftReason::Exists { path } => path.clone(),
        reason => panic!("{reason}"),
    };
    assert_eq!(taken(&session.reason), place.transcript("new", ONE));
    assert!(taken(&memory.reason).starts_with(place.project("new").join("memory")));
    assert_eq!(fs::read(place.transcript("old", ONE)).unwrap(), old);
    let there = |name: &str| fs::read_to_string(place.project("new").join(name)).unwrap();
    assert_eq!(there(&format!("{ONE}.jsonl")), "another\n");
    assert_eq!(there("memory/MEMORY.md"), "new");
    assert_eq!(there("memory/own.md"), "old");
    assert!(place.transcript("new", TWO).exists());
    assert!(place.project("old").join("memory/MEMORY.md").exists());
}

#[test]
fn directories_below_move_with_their_directory_if_asked() {
    let place = Place::new();
    let below = "old/.claude/worktrees/w";
    place.add("old", ONE);
    place.add("old/sub", TWO);
    place.add(below, ONE);
    // Its folder begins with the same name.
    place.add("old-er", TWO);
    // The names of both folders are cut, and end in a hash.
    let long = format!("old/{}", "long-".repeat(50));
    place.add(&long, TWO);
    let before = place.files();
    let alone = place.relocate("old", "new");
    assert_eq!(summary(&alone), ["old: 1"]);
    place.relocate("new", "old");
    assert_eq!(place.files(), before);

    let done = place.relocate_all("old", "new");
    let mut expected = ["old: 1", "w: 1", "sub: 2"].map(ToOwned::to_owned).to_vec();
    expected.insert(2, format!("{}: 2", "long-".repeat(50)));
    assert_eq!(summary(&done), expected);
    assert_eq!(place.listed("new"), [ONE]);
    assert_eq!(place.listed("new/sub"), [TWO]);
    assert_eq!(place.listed("new/.claude/worktrees/w"), [ONE]);
    assert_eq!(place.listed(&long.replacen("old", "new", 1)), [TWO]);
    assert_eq!(place.listed("old-er"), [TWO]);
    place.relocate_all("new", "old");
    assert_eq!(place.files(), before);
}

#[test]
fn directories_whose_folders_have_one_name_are_kept_apart() {
    let place = Place::new();
    // The CLI keeps the sessions of both in one folder.
    place.add("a/b-c", ONE);
    place.add("a/b/c", TWO);
    assert_eq!(place.project("a/b-c"), place.project("a/b/c"));
    place.memory("a/b-c", "MEMORY.md", "Whose?");
    let before = place.files();
    let done = place.relocate("a/b-c", "new");
    let lines = summary(&done);
    assert_eq!(lines[0], "b-c: 1", "{lines:?}");
    assert!(lines[1].contains("OtherDirectory"), "{lines:?}");
    assert_eq!(lines[2], "memory stays: Shared", "{lines:?}");
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(place.transcript("a/b/c", TWO).exists());
    place.relocate("new", "a/b-c");
    assert_eq!(place.files(), before);

    // The folder of the new path is that of the old one: only the session says where it is.
    let done = place.relocate("a/b-c", "a/b_c");
    assert_eq!(summary(&done), ["b-c: 1"]);
    let last = values(&place.transcript("a/b_c", ONE)).pop().unwrap();
    assert_eq!(last["relocatedCwd"], json!(place.at("a/b_c")));
    assert_eq!(values(&place.transcript("a/b/c", TWO)).len(), 3);
    place.relocate("a/b_c", "a/b-c");
    assert_eq!(place.files(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_session_that_claude_runs_with_stays_and_is_named() {
    let place = Place::new();
    place.add("old", ONE);
    place.add("old", TWO);
    place.memory("old", "MEMORY.md", "Tabs.");
    let records = place.path.join("config/sessions");
    fs::create_dir(&records).unwrap();
    let pid = std::process::id();
    let record = json!({"pid": pid, "sessionId": ONE, "cwd": place.at("old")});
    let record_path = records.join(format!("{pid}.json"));
    fs::write(&record_path, record.to_string()).unwrap();
    let lines = summary(&place.relocate("old", "new"));
    let stays = format!("{ONE}.jsonl stays: Running {{ pid: {pid} }}");
    assert_eq!(lines, ["old: 2", &stays, "memory stays: Shared"]);
    fs::remove_file(record_path).unwrap();
    assert_eq!(summary(&place.relocate("old", "new")), ["old: 1 memory"]);
    assert!(!place.project("old").exists());
}

#[test]
fn both_paths_must_be_of_two_directories() {
    let place = Place::new();
    let sessions = place.sessions();
    for to in ["old", "old/", "new/../old"] {
        let relocation = sessions.relocation(place.at("old"), place.path.join(to));
        let error = relocation.run().unwrap_err();
        assert!(matches!(error, Error::SameDirectory { .. }), "{error}");
    }
    // Without a configuration folder, there is nothing to move.
    let none = Sessions::new(place.path.join("none"));
    let relocation = none.relocation("/old", "/new").all_below();
    assert!(relocation.run().unwrap().directories.is_empty());
}

#[cfg(unix)]
#[test]
fn links_are_moved_and_not_followed() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    place.add("old", ONE);
    let outside = place.path.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join(format!("{TWO}.jsonl")), "outside\n").unwrap();
    let link = place.transcript("old", TWO);
    symlink(outside.join(format!("{TWO}.jsonl")), &link).unwrap();
    symlink(&outside, place.project("old").join("memory")).unwrap();
    // A link was left at the old path.
    fs::create_dir(place.at("new")).unwrap();
    symlink(place.at("new"), place.at("old")).unwrap();
    let done = place.relocate("old", "new");
    assert_eq!(summary(&done), [format!("old: 1 {TWO}.jsonl memory")]);
    assert!(place.transcript("new", TWO).is_symlink());
    assert!(place.project("new").join("memory").is_symlink());
    assert_eq!(
        fs::read_to_string(outside.join(format!("{TWO}.jsonl"))).unwrap(),
        "outside\n"
    );

    // A folder that is a link itself stays.
    symlink(&outside, place.project("linked")).unwrap();
    for (from, to) in [("linked", "x"), ("new", "linked")] {
        let lines = summary(&place.relocate(from, to));
        assert!(lines[1].contains("stays: NotAFolder"), "{lines:?}");
        assert_eq!(lines.len(), 2, "{lines:?}");
    }
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn a_transcript_keeps_every_byte_that_is_not_a_path() {
    let place = Place::new();
    let transcript = place.add("old", ONE);
    let mut text = fs::read(&transcript).unwrap();
    let history = text.split(|byte| *byte == b'\n').nth(2).unwrap().to_vec();
    // Broken lines, a line of two records, a number that no double holds, and a torn end.
    text.extend_from_slice(b"{\"type\":\"file-history-delta\",\"n\":1e400\n\0\xff\n");
    text.extend_from_slice(b"{\"type\":\"x\",\"n\":12345678901234567890.10} ");
    text.extend_from_slice(&history);
    text.extend_from_slice(b"\n{\"type\":\"us");
    fs::write(&transcript, &text).unwrap();
    place.relocate("old", "new");
    let moved = fs::read(place.transcript("new", ONE)).unwrap();
    let plain = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    // As JSON has it, with the separators of Windows escaped.
    let json_of = |directory: &str| {
        let text = json!(place.at(directory)).to_string();
        text[..text.len() - 1].to_owned()
    };
    let (old, new) = (json_of("old"), json_of("new"));
    let expected: Vec<_> = plain(&text)
        .lines()
        .map(|line| {
            if line.contains("trackedFileBackups") || line.contains("trackingPath") {
                line.replace(&old, &new)
            } else {
                line.to_owned()
            }
        })
        .collect();
    let moved = plain(&moved);
    let lines: Vec<_> = moved.lines().collect();
    assert_eq!(lines[..lines.len() - 1], expected);
    assert!(lines[lines.len() - 1].starts_with(r#"{"type":"relocated""#));
    place.relocate("new", "old");
    text.push(b'\n');
    assert_eq!(plain(&fs::read(&transcript).unwrap()), plain(&text));
}

#[test]
fn directories_that_are_gone_are_found_by_their_names() {
    let place = Place::new();
    for (directory, id) in [
        ("here", ONE),
        ("work/sums", ONE),
        ("work/sums", TWO),
        ("work/sums/below", ONE),
        ("away/up", ONE),
        ("renamed", TWO),
    ] {
        place.add(directory, id);
    }
    for directory in ["here", "work", "away", "home/sums", "up", "named"] {
        fs::create_dir_all(place.at(directory)).unwrap();
    }
    let missing = || {
        let found = place.sessions().missing_directories().unwrap();
        let found = found
            .into_iter()
            .map(|it| (it.path, it.sessions, it.has_below, it.candidates));
        found.collect::<Vec<_>>()
    };
    let up = (place.at("away/up"), 1, false, vec![place.at("up")]);
    let renamed = (place.at("renamed"), 1, false, Vec::new());
    let sums = (place.at("work/sums"), 3, true, vec![place.at("home/sums")]);
    assert_eq!(missing(), [up, renamed, sums.clone()]);
    // As a program does what is proposed.
    let sessions = place.sessions();
    let relocation = sessions.relocation(&sums.0, &sums.3[0]).all_below();
    relocation.run().unwrap();
    assert_eq!(place.listed("home/sums").len(), 2);
    fs::create_dir(place.at("home/sums/below")).unwrap();
    assert_eq!(missing().len(), 2);
    // Two directories have the name.
    fs::create_dir(place.at("named/up")).unwrap();
    assert_eq!(missing()[0].3, [place.at("named/up"), place.at("up")]);
}

/// The directory of the recordings is a path of Unix.
#[cfg(unix)]
#[test]
fn recorded_sessions_move_and_come_back_as_they_were() {
    let place = Place::new();
    let project = place.path.join("config/projects/-work-project");
    fs::create_dir(&project).unwrap();
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    for (number, recording) in fs::read_dir(recordings).unwrap().enumerate() {
        let transcript = recording.unwrap().path().join("transcript.ndjson");
        if let Ok(text) = fs::read_to_string(&transcript)
            && text.contains(r#""cwd":"/work/project""#)
        {
            let name = format!("{number:08x}-0000-4000-8000-000000000000.jsonl");
            fs::write(project.join(name), text).unwrap();
        }
    }
    let before = place.files();
    assert!(before.len() > 50, "{}", before.len());
    let sessions = place.sessions();
    let done = sessions
        .relocation("/work/project", "/moved")
        .run()
        .unwrap();
    let [directory] = &done.directories[..] else {
        panic!("{done:?}")
    };
    assert!(directory.left.is_empty(), "{directory:?}");
    let after = place.files();
    assert_eq!(after.len(), before.len());
    let mut with_history = 0;
    for (path, (text, time)) in &before {
        let moved = place.path.join("config/projects/-moved");
        let (moved, moved_time) = &after[&moved.join(path.file_name().unwrap())];
        let id = path.file_stem().unwrap().to_str().unwrap();
        let note = json!({"type": "relocated", "sessionId": id, "relocatedCwd": "/moved"});
        let text = std::str::from_utf8(text).unwrap();
        let (old, new) = (
            r#""realParentDir":"/work/project"#,
            r#""realParentDir":"/moved"#,
        );
        with_history += usize::from(text.contains(old));
        let expected = text.replace(old, new);
        let moved = std::str::from_utf8(moved).unwrap();
        let rest = moved.strip_prefix(&*expected).unwrap();
        assert_eq!(serde_json::from_str::<Value>(rest).unwrap(), note);
        assert_eq!(moved_time, time);
    }
    assert!(with_history > 0);
    let undone = sessions.relocation("/moved", "/work/project").run();
    assert_eq!(undone.unwrap().directories.len(), 1);
    assert_eq!(place.files(), before);
}
