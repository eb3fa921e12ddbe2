//! Stores of sessions, compared with a plain file: appends, loads, claims.
//!
//! A load runs in a separate program, which prints the growth of its memory.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use claw_store::{
    Batch, FsStore, Line, MemoryStore, Owner, SessionRef, SessionStore, StoreKey, WriterId,
    copy_transcript,
};
use claw_testkit::server::BUCKET;
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};

use crate::rounds::{median, quantile};
use crate::sessions::folders;
use crate::{Result, block_on, pipe, process};

mod real;
pub(crate) mod servers;

use servers::Served;

const ROUNDS: usize = 5;
/// The numbers of operations in each round.
const APPENDS: usize = 200;
const BATCHES: usize = 20;
const BATCH: usize = 100;
const CLAIMS: usize = 20;
/// The length of the loaded transcript, in bytes.
const LONG: u64 = 100 << 20;
const TTL: Duration = Duration::from_mins(1);

/// A measured store, or a plain file.
pub(crate) enum Place {
    /// Files in a folder, and whether a write ends when it is on the disk.
    Plain(PathBuf, bool),
    Store(Arc<dyn SessionStore>),
}

/// A row of the table: the store's name, the store, and its URL for the program that loads.
struct Contestant {
    name: &'static str,
    place: Place,
    url: String,
    took: Took,
}

/// The measured times, in milliseconds unless stated otherwise.
#[derive(Default)]
struct Took {
    appends: Vec<f64>,
    /// Lines per second.
    batched: Vec<f64>,
    claims: Vec<f64>,
    renewals: Vec<f64>,
    loads: Vec<Loaded>,
}

#[derive(Serialize, Deserialize)]
struct Loaded {
    lines: f64,
    megabytes: f64,
    seconds: f64,
    growth_kb: f64,
}

pub(crate) fn main() -> Result {
    let (served, missing) = servers::all();
    block_on(measure(&served))??;
    real::main(&served)?;
    for (name, error) in missing {
        println!("{name:<22} not measured: {error}");
    }
    Ok(())
}

async fn measure(served: &[Served]) -> Result {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("source");
    let (id, lines) = folders::long(&source, LONG)?;
    println!("loads: a transcript of 100 MB with {lines} lines; appends: lines of 1 KB");
    let mut found: Vec<(&str, String)> = Vec::new();
    for (name, kind) in [
        ("plain file, synced", "plain"),
        ("plain file", "plain-unsynced"),
        ("MemoryStore", "memory"),
        ("FsStore", "file"),
        ("FsStore, sync(false)", "unsynced"),
    ] {
        let path = match kind {
            // A store in memory is filled by each program that loads, and a plain file is the
            // source itself.
            "memory" | "plain" | "plain-unsynced" => source.clone(),
            _ => folder.path().join(kind),
        };
        found.push((name, format!("{kind}:{}", path.display())));
    }
    found.extend(
        served
            .iter()
            .map(|served| (served.name, served.url.clone())),
    );
    let session = SessionRef::new("-work-project", id)?;
    let mut contestants = Vec::new();
    for (name, url) in found {
        let place = open(&url).await?;
        if let Place::Store(store) = &place
            && !url.starts_with("memory")
        {
            fill(&**store, &source, &session.main()).await?;
        }
        contestants.push(Contestant {
            name,
            place,
            url,
            took: Took::default(),
        });
    }
    for round in 0..ROUNDS {
        for one in &mut contestants {
            one.round(round, session.session()).await?;
        }
    }
    print(&mut contestants);
    println!("({ROUNDS} interleaved rounds; medians, and of appends the 99th percentile of all)");
    Ok(())
}

/// Opens the store or the plain file with this URL.
pub(crate) async fn open(url: &str) -> Result<Place> {
    let (kind, rest) = url.split_once(':').ok_or("no kind")?;
    Ok(Place::Store(match kind {
        "plain" | "plain-unsynced" => return Ok(Place::Plain(rest.into(), kind == "plain")),
        "memory" => Arc::new(MemoryStore::new()),
        "unsynced" => Arc::new(FsStore::new(rest).sync(false)),
        "bucket" => {
            let client = claw_store_bucket::s3()?
                .with_endpoint(format!("http://{rest}"))
                .with_allow_http(true)
                .with_bucket_name(BUCKET)
                .with_region("us-east-1")
                .with_access_key_id("bench")
                .with_secret_access_key("none");
            Arc::new(claw_store_bucket::Store::open(Arc::new(client.build()?)).await?)
        }
        _ => {
            let schemes = [claw_store_postgres::SCHEME, claw_store_redis::SCHEME];
            claw_store::open(url, &schemes).await?
        }
    }))
}

async fn fill(store: &dyn SessionStore, source: &Path, key: &StoreKey) -> Result {
    let writer = WriterId::new("source");
    copy_transcript(&FsStore::new(source), store, key, &writer).await?;
    Ok(())
}

impl Contestant {
    async fn round(&mut self, round: usize, long: &str) -> Result {
        let key = SessionRef::new("-work-project", format!("round-{round}"))?;
        let took = &mut self.took;
        match &self.place {
            Place::Plain(folder, is_synced) => {
                plain_appends(&folder.join(format!("{key}{is_synced}")), *is_synced, took)?;
            }
            Place::Store(store) => store_appends(&**store, &key, took).await?,
        }
        let mut program = Command::new(std::env::current_exe()?);
        took.loads.push(pipe::measured(
            program.args(["host", "load", &self.url, long]),
        )?);
        Ok(())
    }
}

async fn store_appends(store: &dyn SessionStore, session: &SessionRef, took: &mut Took) -> Result {
    let claims = store.claims().ok_or("a store without claims")?;
    let owner = Owner::new("bench");
    for _ in 0..CLAIMS {
        let begun = Instant::now();
        let claim = claims.claim(session, &owner, TTL).await?;
        took.claims.push(milliseconds(begun));
        let begun = Instant::now();
        claims.renew(&claim, TTL).await?;
        took.renewals.push(milliseconds(begun));
        claims.release(&claim).await?;
    }
    let claim = claims.claim(session, &owner, TTL).await?;
    let (key, writer) = (session.main(), WriterId::random());
    let lines = lines(APPENDS + BATCHES * BATCH)?;
    let (single, batched) = lines.split_at(APPENDS);
    let mut number = 0;
    let mut append = async |lines: &[Line]| -> Result {
        let batch = Batch {
            writer: &writer,
            number,
            lines,
            epoch: Some(claim.epoch),
        };
        number += lines.len() as u64;
        let appended = store.append(&key, batch).await?;
        if appended.new == lines.len() as u64 {
            Ok(())
        } else {
            Err(format!("{appended:?} of {} lines", lines.len()).into())
        }
    };
    for line in single.chunks(1) {
        let begun = Instant::now();
        append(line).await?;
        took.appends.push(milliseconds(begun));
    }
    let begun = Instant::now();
    for batch in batched.chunks(BATCH) {
        append(batch).await?;
    }
    took.batched.push(a_second(begun));
    claims.release(&claim).await?;
    Ok(())
}

fn plain_appends(path: &Path, is_synced: bool, took: &mut Took) -> Result {
    fs::create_dir_all(path.parent().ok_or("no folder")?)?;
    let mut file = File::options().create(true).append(true).open(path)?;
    let lines = lines(APPENDS + BATCHES * BATCH)?;
    let (single, batched) = lines.split_at(APPENDS);
    let mut append = |lines: &[Line]| -> Result {
        let mut text = String::new();
        for line in lines {
            text.push_str(line.as_str());
            text.push('\n');
        }
        file.write_all(text.as_bytes())?;
        if is_synced {
            file.sync_data()?;
        }
        Ok(())
    };
    for line in single.chunks(1) {
        let begun = Instant::now();
        append(line)?;
        took.appends.push(milliseconds(begun));
    }
    let begun = Instant::now();
    for batch in batched.chunks(BATCH) {
        append(batch)?;
    }
    took.batched.push(a_second(begun));
    Ok(())
}

/// Lines of 1 KB, each with a different UUID.
fn lines(count: usize) -> Result<Vec<Line>> {
    let line = |at: usize| {
        let head = format!(
            r#"{{"type":"user","uuid":"00000000-0000-4000-8000-{at:012x}","message":{{"role":"user","content":""#
        );
        let text = "text ".repeat(204);
        Line::new(format!("{head}{}\"}}}}", &text[..1021 - head.len()]))
    };
    Ok((0..count)
        .map(line)
        .collect::<std::result::Result<_, _>>()?)
}

fn milliseconds(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e3
}

/// Of the batches, in lines.
#[expect(clippy::cast_precision_loss, reason = "a count")]
fn a_second(begun: Instant) -> f64 {
    (BATCHES * BATCH) as f64 / begun.elapsed().as_secs_f64()
}

/// The program that loads a transcript, and prints the figures as a line of JSON.
pub(crate) fn load(rest: &[String]) -> Result {
    let [url, session] = rest else {
        return Err("arguments: a place, a session".into());
    };
    let key = SessionRef::new("-work-project", &**session)?.main();
    let loaded = block_on(async {
        let place = open(url).await?;
        if let (Place::Store(store), Some(source)) = (&place, url.strip_prefix("memory:")) {
            fill(&**store, source.as_ref(), &key).await?;
        }
        // Resets the peak memory.
        fs::write("/proc/self/clear_refs", "5")?;
        let before = process::memory("VmRSS")?;
        let begun = Instant::now();
        let (mut lines, mut bytes) = (0_u32, 0);
        match place {
            Place::Plain(folder, _) => {
                let path = folder.join(format!("projects/{key}.jsonl"));
                let (mut file, mut line) = (BufReader::new(File::open(path)?), Vec::new());
                while file.read_until(b'\n', &mut line)? > 0 {
                    lines += 1;
                    bytes += line.len();
                    line.clear();
                }
            }
            Place::Store(store) => {
                let mut stream = store.load(&key);
                while let Some(stored) = stream.try_next().await? {
                    lines += 1;
                    bytes += stored.line.as_str().len() + 1;
                }
            }
        }
        let seconds = begun.elapsed().as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "megabytes")]
        Ok::<_, Box<dyn std::error::Error>>(Loaded {
            lines: lines.into(),
            megabytes: bytes as f64 / f64::from(1 << 20),
            seconds,
            growth_kb: process::memory("VmHWM")?.saturating_sub(before) as f64,
        })
    })??;
    println!("{}", serde_json::to_string(&loaded)?);
    Ok(())
}

fn print(contestants: &mut [Contestant]) {
    println!(
        "{:<22}{:>11}{:>8}{:>8}{:>16}{:>15}{:>7}{:>13}{:>9}{:>9}",
        "",
        "appends/s",
        "ms",
        "99 %",
        "lines/s by 100",
        "lines/s loaded",
        "MB/s",
        "memory grows",
        "claim ms",
        "renewal"
    );
    for Contestant { name, took, .. } in contestants {
        let of = |figure: fn(&Loaded) -> f64| {
            median(&mut took.loads.iter().map(figure).collect::<Vec<_>>())
        };
        let (lines, speed) = (
            of(|load| load.lines / load.seconds),
            of(|load| load.megabytes / load.seconds),
        );
        let growth = took.loads.iter().map(|load| load.growth_kb);
        let growth = growth.fold(0.0, f64::max) / 1024.0;
        #[expect(clippy::cast_precision_loss, reason = "a count")]
        let appends = took.appends.len() as f64 * 1e3 / took.appends.iter().sum::<f64>();
        let shown = |values: &mut [f64]| {
            if values.is_empty() {
                "-".to_owned()
            } else {
                format!("{:.2}", median(values))
            }
        };
        println!(
            "{name:<22}{appends:>11.0}{:>8.3}{:>8.3}{:>16.0}{lines:>15.0}{speed:>7.0}{growth:>10.1} MB{:>9}{:>9}",
            median(&mut took.appends),
            quantile(&mut took.appends, 0.99),
            median(&mut took.batched),
            shown(&mut took.claims),
            shown(&mut took.renewals),
        );
    }
}
