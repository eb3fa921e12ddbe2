//! Measurements with the real CLI and the scripted API: the first answer of a resumed session, and the cost of
//! mirroring.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use claw_client::store::{
    FsStore, SessionRef, StoreOptions, WriterId, copy_transcript, project_name,
};
use claw_client::types::Message;
use claw_client::{Session, SessionBuilder};
use claw_testkit::Block;
use claw_testkit::api::{Api, ApiRequest, Scenario, scenarios};
use futures::StreamExt as _;

use super::servers::Served;
use super::{Place, milliseconds};
use crate::rounds::{interval, median, quantile};
use crate::sessions::folders;
use crate::spares::options;
use crate::{Result, process};

const PROJECT: &str = "-work-project";
/// The text of the summary at the end of each transcript.
const SUMMARY: &str = "The word was plum.";
/// The number of words in a streamed answer.
const WORDS: usize = 60_000;

/// The length of a transcript in MB, and its number of runs.
const RESUMED: [(u64, usize); 2] = [(1, 30), (100, 15)];
/// The name of a mirrored conversation, its number of prompts, and its number of runs.
const MIRRORED: [(&str, usize, usize); 2] = [("a streamed answer", 1, 20), ("ten turns", 10, 10)];

pub(super) fn main(served: &[Served]) -> Result {
    let executable = claw_testkit::claude()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    println!("\nreal CLI, milliseconds from the call to the first answer of a resumed session");
    let row = ["median", "99 %", "more than from disk", "95 % interval"];
    println!(
        "{:<34}{:>9}{:>9}{:>22}{:>18}",
        "", row[0], row[1], row[2], row[3]
    );
    for (megabytes, rounds) in RESUMED {
        runtime.block_on(resumed(&executable, served, megabytes, rounds))?;
    }
    println!("\nreal CLI, milliseconds from the prompt, mirrored to an FsStore and not");
    println!(
        "{:<34}{:>9}{:>9}{:>22}{:>18}",
        "", row[0], row[1], "mirroring costs", row[3]
    );
    for (what, prompts, rounds) in MIRRORED {
        runtime.block_on(mirrored(&executable, what, prompts, rounds))?;
    }
    Ok(())
}

/// Compares a session on the local disk with one in each store. Each is resumed on a new host.
async fn resumed(executable: &Path, served: &[Served], megabytes: u64, rounds: usize) -> Result {
    let api = Api::start(scenarios::text()).await?;
    let made = tempfile::tempdir()?;
    let (id, transcript) = transcript(&made.path().join("source"), megabytes)?;
    let key = SessionRef::new(PROJECT, &*id)?.main();
    let source = FsStore::new(made.path().join("source"));
    let folder = format!("file:{}", made.path().join("store").display());
    let mut stores = vec![("FsStore", &*folder)];
    stores.extend(served.iter().map(|served| (served.name, &*served.url)));
    let mut contestants = Vec::new();
    for (name, url) in stores {
        let Place::Store(store) = super::open(url).await? else {
            return Err("no store".into());
        };
        // The servers may have the session of another length, from an earlier row.
        if let Some(deletes) = store.deletes() {
            deletes.delete(&key).await?;
        }
        copy_transcript(&source, &*store, &key, &WriterId::new("source")).await?;
        contestants.push((name, store, Vec::new()));
    }
    let mut local = Vec::new();
    for round in 0..=rounds {
        let home = tempfile::tempdir()?;
        let project = home.path().join(".claude/projects");
        let project = project.join(project_name(home.path()));
        fs::create_dir_all(&project)?;
        fs::copy(&transcript, project.join(format!("{id}.jsonl")))?;
        let of_disk = options(&api, home.path(), executable).resume(&*id);
        let took = first_answer(Session::builder(of_disk), &api).await?;
        // The first starts fill the machine's caches.
        if round > 0 {
            local.push(took);
        }
        for (_, store, all) in &mut contestants {
            let home = tempfile::tempdir()?;
            let of_store = options(&api, home.path(), executable).resume(&*id);
            let kept = StoreOptions::from(store.clone()).project(PROJECT);
            let took = first_answer(Session::builder(of_store).store(kept), &api).await?;
            if round > 0 {
                all.push(took);
            }
        }
    }
    row(
        &format!("{megabytes} MB, from disk"),
        &mut local.clone(),
        "",
        "",
    );
    for (name, _, mut stored) in contestants {
        let mut more: Vec<f64> = stored.iter().zip(&local).map(|(a, b)| a - b).collect();
        let (low, high) = interval(&mut more);
        row(
            &format!("{megabytes} MB, from {name}"),
            &mut stored,
            &format!("{:.0} ms", median(&mut more)),
            &format!("{low:.0} to {high:.0}"),
        );
    }
    println!("({rounds} interleaved runs)");
    Ok(())
}

async fn first_answer(builder: SessionBuilder, api: &Api) -> Result<f64> {
    let begun = Instant::now();
    let session = builder.connect().await?;
    let mut turn = session.send("Go").await?;
    let mut took = None;
    while let Some(received) = turn.next().await {
        if let Message::Assistant(_) = received?.into_result()? {
            took = took.or(Some(milliseconds(begun)));
        }
    }
    session.close().await?;
    let asked =
        |request: &ApiRequest| request.is_message() && request.body.to_string().contains(SUMMARY);
    if !api.requests().last().is_some_and(asked) {
        return Err("the model was not told what was said before".into());
    }
    Ok(took.ok_or("no message of the model")?)
}

/// Creates a transcript of this length that ends with a compaction, as real ones of this length do. Returns the session
/// and the path.
fn transcript(config: &Path, megabytes: u64) -> Result<(String, PathBuf)> {
    let (id, _) = folders::long(config, megabytes << 20)?;
    let path = config.join(format!("projects/{PROJECT}/{id}.jsonl"));
    let [boundary, summary] = ["1", "2"].map(|n| format!("00000000-0000-4000-8000-00000000000{n}"));
    let rest = format!(
        r#""isSidechain":false,"timestamp":"2026-06-02T10:00:00.000Z","userType":"external","entrypoint":"cli","cwd":"/work/project","sessionId":"{id}","version":"2.1.329","gitBranch":"main"}}"#
    );
    let mut file = File::options().append(true).open(&path)?;
    writeln!(
        file,
        r#"{{"parentUuid":null,"type":"system","subtype":"compact_boundary","content":"Conversation compacted","isMeta":false,"uuid":"{boundary}","level":"info","compactMetadata":{{"trigger":"auto","preTokens":150000}},{rest}"#
    )?;
    writeln!(
        file,
        r#"{{"parentUuid":"{boundary}","type":"user","message":{{"role":"user","content":"{SUMMARY}"}},"isVisibleInTranscriptOnly":true,"isCompactSummary":true,"uuid":"{summary}",{rest}"#
    )?;
    Ok((id, path))
}

/// Compares prompts and their answers with a store and without one.
async fn mirrored(executable: &Path, what: &str, prompts: usize, rounds: usize) -> Result {
    let answer = if prompts == 1 {
        Scenario::always([Block::text("word ".repeat(WORDS))])
    } else {
        scenarios::text()
    };
    let api = Api::start(answer).await?;
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    fs::create_dir_all(&home)?;
    let (mut bare, mut with) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let builder = || Session::builder(options(&api, &home, executable));
        let store = Arc::new(FsStore::new(folder.path().join("store")));
        let without = answered(builder(), prompts).await?;
        let stored = answered(builder().store(StoreOptions::from(store)), prompts).await?;
        if round > 0 {
            bare.push(without);
            with.push(stored);
        }
    }
    for (until, of) in [
        ("said", (|took| took.last_message) as fn(&Answered) -> f64),
        ("done", |took| took.done),
        ("processor", |took| took.processor),
    ] {
        let [mut bare, mut with] =
            [&bare, &with].map(|runs: &Vec<Answered>| runs.iter().map(of).collect::<Vec<_>>());
        let percent = with.iter().zip(&bare).map(|(a, b)| (a / b - 1.0) * 100.0);
        let mut percent: Vec<f64> = percent.collect();
        let (low, high) = interval(&mut percent);
        row(&format!("{what}, {until}"), &mut bare, "", "");
        row(
            &format!("{what}, {until}, mirrored"),
            &mut with,
            &format!("{:.1} %", median(&mut percent)),
            &format!("{low:.1} to {high:.1}"),
        );
    }
    println!("({rounds} interleaved runs)");
    Ok(())
}

/// The times of all prompts together, in milliseconds.
#[derive(Default)]
struct Answered {
    /// The time to the last message of the model.
    last_message: f64,
    /// The time to the result, which arrives when all lines are stored.
    done: f64,
    /// The processor time from the start of the CLI to its end: that of this process, which includes the scripted API,
    /// and that of the CLI.
    processor: f64,
}

async fn answered(builder: SessionBuilder, prompts: usize) -> Result<Answered> {
    let before = processor()?;
    let session = builder.connect().await?;
    let mut took = Answered::default();
    for _ in 0..prompts {
        let begun = Instant::now();
        let mut turn = session.send("Go").await?;
        let mut last_message = None;
        while let Some(received) = turn.next().await {
            if let Message::Assistant(_) = received?.into_result()? {
                last_message = Some(milliseconds(begun));
            }
        }
        took.last_message += last_message.ok_or("no message of the model")?;
        took.done += milliseconds(begun);
    }
    session.close().await?;
    took.processor = processor()? - before;
    Ok(took)
}

fn processor() -> Result<f64> {
    let seconds = process::cpu_of(std::process::id())? + process::cpu_of_children()?;
    Ok(seconds * 1e3)
}

fn row(name: &str, values: &mut [f64], more: &str, range: &str) {
    let (middle, late) = (median(values), quantile(values, 0.99));
    println!("{name:<34}{middle:>9.0}{late:>9.0}{more:>22}{range:>18}");
}
