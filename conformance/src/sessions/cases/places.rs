//! Cases for the places of files.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{link, links, text, user};
use crate::sessions::world::{World, own};
use xtask::run::{Result, run};

/// A file whose time of change is between two milliseconds.
pub(super) fn between(world: &mut World) -> Result {
    let (directory, folder) = world.project("between")?;
    // If no line has a time, the time of the file is used.
    let mut lines = links("u1 a1<u1");
    for line in &mut lines {
        line["timestamp"].take();
    }
    let id = world.session(&folder, &text(&lines))?;
    let time = UNIX_EPOCH + Duration::from_micros(1_780_000_000_123_700);
    let transcript = folder.join(format!("{id}.jsonl"));
    let transcript = File::options().write(true).open(transcript)?;
    transcript.set_modified(time)?;
    world.ask_all("a time between milliseconds", &id, &directory);
    Ok(())
}

/// Files in a session's folder.
pub(super) fn beside(world: &mut World) -> Result {
    let plain = text(&links("u1 a1<u1"));
    let files = [
        (
            "archived",
            "archived.json",
            json!({"archived": true, "at": "2026-06-02T00:00:00.000Z", "by": "sdk"}),
        ),
        (
            "archived, then spoken to",
            "archived.json",
            json!({"archived": true, "at": "2026-05-02T00:00:00.000Z"}),
        ),
        (
            "taken out again",
            "archived.json",
            json!({"archived": false, "at": "2026-05-02T00:00:00.000Z"}),
        ),
        (
            "archived at no time",
            "archived.json",
            json!({"archived": true, "at": "soon"}),
        ),
        (
            "archived by a word",
            "archived.json",
            json!({"archived": "yes", "at": "2026-05-02T00:00:00.000Z"}),
        ),
        (
            "a large file of archiving",
            "archived.json",
            json!({"archived": true, "at": "2026-06-02T00:00:00.000Z", "x": "x".repeat(5000)}),
        ),
        (
            "a title beside",
            "custom-title.json",
            json!({"customTitle": "  a\u{1}b  "}),
        ),
        (
            "a long title beside",
            "custom-title.json",
            json!({"customTitle": "\u{1f600}".repeat(300)}),
        ),
        (
            "a title beside that is none",
            "custom-title.json",
            json!({"customTitle": 5}),
        ),
    ];
    for (at, (name, file, value)) in files.into_iter().enumerate() {
        let (directory, folder) = world.project(&format!("beside-{at}"))?;
        let id = world.session(&folder, &plain)?;
        fs::create_dir_all(folder.join(&id))?;
        fs::write(folder.join(&id).join(file), value.to_string())?;
        world.ask_all(name, &id, &directory);
    }
    Ok(())
}

/// Folders and files at unusual places.
pub(super) fn places(world: &mut World) -> Result {
    let plain = text(&links("u1 a1<u1"));
    for (name, id) in [
        ("no id", "nothing"),
        ("nowhere", "00000000-0000-4000-8000-00000000000f"),
    ] {
        let work = world.work.clone();
        world.ask_all(name, id, &work);
    }
    let (directory, folder) = world.project("empty")?;
    let id = world.session(&folder, b"")?;
    world.ask_all("an empty file", &id, &directory);
    world.write(&folder, "not-a-session", &plain)?;
    let capitals = world.random.uuid().to_uppercase();
    world.write(&folder, &capitals, &plain)?;
    let other = world.project("empty-2")?;
    world.write(&other.1, &id, &plain)?;
    world.ask_all("a file that is not empty elsewhere", &id, &other.0);
    world.ask("a file that is not empty elsewhere", "info", &id, json!({}));

    // Two paths to which the same folder name belongs.
    let (one, folder) = world.project("same/b-c")?;
    let (other, _) = world.project("same/b/c")?;
    let gone = world.work.join("same-b/c");
    for cwd in [&one, &other, &gone] {
        let line = link("u1", json!({"cwd": cwd}));
        let id = world.session(&folder, &text(&[line]))?;
        world.ask_all("one name for two directories", &id, &one);
    }

    // A name over the limit, with another hash.
    let name = "long-".repeat(50);
    let (directory, folder) = world.project(&name)?;
    fs::remove_dir(&folder)?;
    let slug = claw_sessions::slug(&directory);
    for (cwd, hash) in [
        (directory.clone(), "older"),
        (world.work.join("x"), "other"),
    ] {
        let folder = world
            .config
            .join("projects")
            .join(format!("{}-{hash}", &slug[..200]));
        fs::create_dir_all(&folder)?;
        let id = world.session(&folder, &text(&[link("u1", json!({"cwd": cwd}))]))?;
        world.ask_all("a long name with another hash", &id, &directory);
    }

    // A folder name that is set for all projects.
    let folder = world.config.join("projects/shared");
    fs::create_dir_all(&folder)?;
    let id = world.session(&folder, &plain)?;
    let (directory, own) = world.project("named")?;
    world.session(&own, &plain)?;
    let from = world.questions.len();
    world.ask_all("a name that is set", &id, &directory);
    for question in &mut world.questions[from..] {
        question.environment = json!({"CLAUDE_CODE_PROJECT_DIR_NAME": "shared"});
    }
    links_and_pipes(world, &plain)
}

#[cfg(unix)]
fn links_and_pipes(world: &mut World, plain: &[u8]) -> Result {
    let (directory, folder) = world.project("linked")?;
    let id = world.session(&folder, plain)?;
    let other = world.random.uuid();
    std::os::unix::fs::symlink(
        folder.join(format!("{id}.jsonl")),
        folder.join(format!("{other}.jsonl")),
    )?;
    world.ask("a link", "info", &other, json!({"dir": directory}));
    world.ask("a link", "messages", &other, json!({"dir": directory}));
    world.ask("a link", "list", "", json!({"dir": directory}));
    let link = world.work.join("a-link");
    std::os::unix::fs::symlink(&directory, &link)?;
    world.ask("a directory by a link", "list", "", json!({"dir": link}));
    let projects = world.config.join("projects");
    std::os::unix::fs::symlink(&folder, projects.join("linked-folder"))?;
    Ok(())
}

#[cfg(not(unix))]
fn links_and_pipes(_: &mut World, _: &[u8]) -> Result {
    Ok(())
}

/// Sessions that continue in another session.
pub(super) fn continued(world: &mut World) -> Result {
    let cases = [
        ("goes on elsewhere", true, true, vec![]),
        ("goes on where nothing is", false, false, vec![]),
        ("goes on where nothing was said", true, false, vec![]),
        ("went on itself", true, true, vec![user(json!("more"))]),
        (
            "went on with mark-up",
            true,
            true,
            vec![user(json!(
                "<local-command-stdout>x</local-command-stdout>"
            ))],
        ),
        (
            "answered itself",
            true,
            true,
            vec![link("a9", json!({"message": {"stop_reason": "end_turn"}}))],
        ),
        (
            "began an answer",
            true,
            true,
            vec![link("a9", json!({"message": {"stop_reason": null}}))],
        ),
    ];
    for (at, (name, is_there, has_prompt, after)) in cases.into_iter().enumerate() {
        let (directory, folder) = world.project(&format!("continued-{at}"))?;
        let next = world.random.uuid();
        if is_there {
            let lines = if has_prompt {
                links("u1")
            } else {
                vec![json!({"type": "mode"})]
            };
            world.write(&folder, &next, &text(&lines))?;
        }
        let mark = json!({"type": "continued-in", "continuedInSessionId": next});
        let lines = [links("u1 a1<u1"), vec![mark], after].concat();
        let id = world.session(&folder, &text(&lines))?;
        world.ask_all(name, &id, &directory);
    }
    Ok(())
}

pub(super) fn worktrees(world: &mut World) -> Result {
    let main = world.work.join("repository");
    fs::create_dir_all(&main)?;
    let git = |folder: &Path, words: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(folder)
            .args(["-c", "user.name=a", "-c", "user.email=a@b"]);
        run(git.args(words).stdout(std::io::stderr()))
    };
    git(&main, &["init", "--quiet"])?;
    git(
        &main,
        &["commit", "--quiet", "--allow-empty", "-m", "empty"],
    )?;
    git(&main, &["worktree", "add", "--quiet", "../repository-side"])?;
    let side = world.work.join("repository-side");
    for directory in [&main, &side, &main.join("inside")] {
        fs::create_dir_all(directory)?;
        let folder = world.folder(directory)?;
        let id = world.session(&folder, &text(&[link("u1", json!({"cwd": directory}))]))?;
        for from in [&main, &side] {
            world.ask_all("worktrees", &id, from);
            world.ask(
                "worktrees",
                "list",
                "",
                json!({"dir": from, "includeWorktrees": false}),
            );
            world.ask(
                "worktrees",
                "list",
                "",
                json!({"dir": from, "limit": 1, "offset": 1}),
            );
        }
    }
    Ok(())
}

pub(super) fn agents(world: &mut World) -> Result {
    let (directory, folder) = world.project("agents")?;
    let id = world.session(&folder, &text(&links("u1 a1<u1")))?;
    let agents = folder.join(&id).join("subagents");
    let deep = agents.join("workflows/run-1");
    fs::create_dir_all(&deep)?;
    let text = |lines: &[Value]| own(&id, &text(lines));
    let lines = [
        vec![link("u1", json!({"isSidechain": true, "isMeta": true}))],
        links("a1<u1 q1<a1 u2<q1 p1<u2 a2<p1"),
    ];
    fs::write(agents.join("agent-one.jsonl"), text(&lines.concat()))?;
    fs::write(
        agents.join("agent-one.meta.json"),
        r#"{"agentType":"x","toolUseId":"toolu_1","parentAgentId":"p"}"#,
    )?;
    fs::write(
        agents.join("agent-two.jsonl"),
        text(&links("u1 a1<u1 s1<a1")),
    )?;
    fs::write(
        agents.join("agent-two.meta.json"),
        r#"{"toolUseId":"no good","parentAgentId":5}"#,
    )?;
    fs::write(deep.join("agent-three.jsonl"), text(&links("a1<u1 u1<a1")))?;
    fs::write(deep.join("journal.jsonl"), "{}\n")?;
    world.ask("sub-agents", "subagents", &id, json!({"dir": directory}));
    for agent in ["one", "two", "three", "four"] {
        for options in [json!({"dir": directory}), json!({"limit": 1, "offset": 1})] {
            world.ask("sub-agents", "subagent", &id, options);
            if let Some(question) = world.questions.last_mut() {
                agent.clone_into(&mut question.agent);
            }
        }
    }
    Ok(())
}
