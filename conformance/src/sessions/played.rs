//! Compares the results for sessions of the real CLI with those of the official TypeScript package. The sessions come
//! from recipes that are played.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::world::World;
use super::{asked, beside, ours, typescript};
use xtask::run::Result;
use xtask::workspace::{Workspace, has_extension};
use xtask_recordings::fixtures;

/// Fails unless both sides return the same values for every session.
pub(super) fn compare(workspace: &Workspace, recipes: &Path) -> Result {
    let folder = tempfile::tempdir()?;
    let mut world = World::new(folder.path(), 0)?;
    fixtures::play(workspace, recipes, |name, home| {
        take(&mut world, name, &home.join(".claude/projects"))
    })?;
    let file = asked(&world, folder.path())?;
    let theirs = typescript(workspace, &file)?;
    let ours = ours(&world)?;
    let found = beside(&world.questions, &ours, &theirs);
    println!(
        "{} sessions, {} questions, {} answered alike",
        world.transcripts,
        ours.len(),
        ours.len() - found.alike_not,
    );
    let answers = world.questions.iter().zip(&theirs);
    let answers = answers.filter(|(question, _)| ["messages", "subagent"].contains(&question.ask));
    let mut marked: BTreeMap<_, usize> = BTreeMap::new();
    for message in answers
        .filter_map(|(_, answers)| answers.as_array())
        .flatten()
    {
        *marked.entry("messages").or_default() += 1;
        for mark in [
            "isQueuedCommand",
            "isCompletedLocalCommand",
            "isCompactSummary",
        ] {
            *marked.entry(mark).or_default() += usize::from(message[mark] == true);
        }
    }
    println!("{marked:?}");
    let problems: Vec<_> = found
        .differences
        .iter()
        .map(|((case, field), (times, first))| format!("{case}: {field} ({times} times): {first}"))
        .collect();
    if problems.is_empty() {
        return Ok(());
    }
    Err(problems.join("\n").into())
}

/// Adds the projects of a home folder to the world, with every question about their sessions.
fn take(world: &mut World, case: &str, projects: &Path) -> Result {
    if !projects.is_dir() {
        return Ok(());
    }
    for project in fs::read_dir(projects)? {
        let project = project?;
        let folder = world.config.join("projects").join(project.file_name());
        copy(&project.path(), &folder)?;
        for transcript in fs::read_dir(&folder)? {
            let transcript = transcript?.path();
            if !has_extension(&transcript, "jsonl") {
                continue;
            }
            let id = transcript.file_stem().unwrap_or_default().to_string_lossy();
            // Several recipes use the same session ID, and a question must be about one session.
            if world.questions.iter().any(|question| question.id == *id) {
                fs::remove_file(&transcript)?;
                continue;
            }
            let text = fs::read_to_string(&transcript)?;
            let mut lines = text.lines();
            // serde_json, which reads the answers, refuses half of a surrogate pair.
            if lines.any(|line| serde_json::from_str::<Value>(line).is_err()) {
                println!("{case}: not compared");
                continue;
            }
            world.transcripts += 1;
            world.ask(case, "info", &id, json!({}));
            world.ask(case, "messages", &id, json!({}));
            world.ask(
                case,
                "messages",
                &id,
                json!({"includeSystemMessages": true}),
            );
            world.ask(case, "messages", &id, json!({"offset": 1, "limit": 3}));
            world.ask(case, "subagents", &id, json!({}));
            for agent in agents(&transcript.with_extension("").join("subagents"))? {
                world.ask_agent(case, &id, &agent, json!({}));
            }
        }
    }
    Ok(())
}

/// Returns the sub-agents that have a transcript in a folder.
fn agents(folder: &Path) -> Result<Vec<String>> {
    let mut agents = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry?.path();
        if path.is_dir() {
            agents.extend(self::agents(&path)?);
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let agent = name.strip_prefix("agent-");
        agents.extend(
            agent
                .filter(|_| has_extension(&path, "jsonl"))
                .map(str::to_owned),
        );
    }
    Ok(agents)
}

fn copy(from: &Path, to: &Path) -> Result {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), &to)?;
        }
    }
    Ok(())
}
