//! `claw serve` under load: many sessions with many viewers each, one of which is a browser. Also compares it with a
//! minimal server on the Python SDK.
//!
//! It fails if a viewer misses a line or sees one twice, or takes too much memory. Server, agents, viewers and browser
//! share the machine. The agents are scripted: they write pieces of text at a steady pace, and each piece contains the
//! time of its write (`bin/stamped.rs`).

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use hyper::Method;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::{Result, block_on};

mod client;
mod collector;
mod page;
mod server;
mod tally;

use client::{Client, Events};
use collector::Collector;
use server::Server;
use tally::{Tally, Viewer};

/// The load of a server.
#[derive(Clone, Copy)]
struct Scale {
    sessions: usize,
    /// The number of viewers of each session.
    viewers: usize,
    /// The number of pieces of text in each session's turn.
    lines: u32,
    /// The time between two pieces.
    pace: Duration,
}

/// The full load. It is long enough for 200 lines in the browser.
const FULL: Scale = Scale {
    sessions: 200,
    viewers: 10,
    lines: 220,
    pace: Duration::from_millis(500),
};
/// The loads of the comparison. Each session has one viewer, because in the hosting contract, the client that posts a
/// message reads its answer. The first load has the same pace, and the second one streams as fast as a model.
const BESIDE: [Scale; 2] = [
    Scale {
        viewers: 1,
        lines: 40,
        ..FULL
    },
    Scale {
        viewers: 1,
        lines: 300,
        pace: Duration::from_millis(50),
        ..FULL
    },
];
/// The load with and without what operators need.
const OBSERVED: Scale = Scale { lines: 60, ..FULL };
/// The time between two requests for the metrics.
const SCRAPE: Duration = Duration::from_secs(5);
/// What a server has in addition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum With {
    Nothing,
    /// The page of one session, in a browser.
    Page,
    /// An audit log, limits, a log in JSON, traces, and a reader of its metrics.
    Observers,
}
/// The number of rounds of the comparison, in which the servers take turns.
const ROUNDS: usize = 3;
/// The number of pairs of runs with and without what operators need.
const OBSERVED_ROUNDS: usize = 5;
/// The maximum memory of a viewer, in KiB.
const OF_A_VIEWER: f64 = 64.0;
/// The number of pieces of text in one message of the model.
const OF_A_MESSAGE: u32 = 20;
/// The maximum number of concurrent requests of the driver.
const AT_ONCE: usize = 16;
/// The maximum time that a turn takes in addition to its pauses.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) fn main() -> Result {
    let part = part()?;
    block_on(async {
        claw(part.of(FULL), With::Page).await?;
        for scale in BESIDE.map(|scale| part.of(scale)) {
            for _ in 0..ROUNDS {
                claw(scale, With::Nothing).await?;
                python(scale).await?;
            }
        }
        Ok(())
    })?
}

/// The cost of what operators need: runs with and without it take turns.
pub(crate) fn observers() -> Result {
    let scale = part()?.of(OBSERVED);
    block_on(async {
        for _ in 0..OBSERVED_ROUNDS {
            claw(scale, With::Nothing).await?;
            claw(scale, With::Observers).await?;
        }
        Ok(())
    })?
}

/// The divisor of a load. For a trial with a tenth of the load, set CLAW_BENCH_PART=10.
struct Part(usize);

fn part() -> Result<Part> {
    let part = std::env::var("CLAW_BENCH_PART").map_or(Ok(1), |part| part.parse())?;
    Ok(Part(part))
}

impl Part {
    fn of(&self, scale: Scale) -> Scale {
        Scale {
            sessions: (scale.sessions / self.0).max(2),
            lines: (scale.lines / u32::try_from(self.0).unwrap_or(1)).max(2 * OF_A_MESSAGE),
            ..scale
        }
    }
}

/// Nanoseconds of the clock that agents and viewers share.
fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    // Neither part is negative.
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// The script: a short turn, which starts the process, and then turns with the load's number of pieces.
fn script(folder: &Path, scale: Scale) -> Result<std::path::PathBuf> {
    let lines = scale.lines;
    let piece = |number: u32| {
        let time = 0;
        format!("{number:06}@{time:019} is when this paragraph of some words was written.\\n\\n")
    };
    let message = |from: u32| {
        let to = (from + OF_A_MESSAGE).min(lines + 1);
        Step::message([Block::escaped_text((from..to).map(piece))])
    };
    let messages = (1..=lines).step_by(OF_A_MESSAGE as usize).map(message);
    let script = Script::new([
        Step::Turn(vec![Step::message([Block::escaped_text([piece(0)])])]),
        Step::Turns(messages.collect()),
    ]);
    let file = folder.join("script.json");
    fs::write(&file, serde_json::to_string(&script.pace(scale.pace))?)?;
    Ok(file)
}

/// Sessions of `claw serve`, with their viewers.
#[expect(clippy::cast_precision_loss, reason = "counts")]
async fn claw(scale: Scale, with: With) -> Result {
    let folder = tempfile::tempdir()?;
    let collector = match with {
        With::Observers => Some(Collector::start().await?),
        With::Nothing | With::Page => None,
    };
    let address = collector.as_ref().map(|collector| collector.address);
    let server = Server::claw(&script(folder.path(), scale)?, scale.sessions, address)?;
    let client = &server.client;
    client.text(Method::GET, "/health", None).await?;
    let empty = server.memory()?;
    // The first session and viewer include work that is done only once, so they are measured separately.
    let first = begin(client).await?;
    idle(client, 1).await?;
    client.events(Method::GET, &events_of(&first), None).await?;
    let before = server.memory()?;
    let more: Vec<String> = stream::iter(1..scale.sessions)
        .map(async |_| begin(client).await)
        .buffered(AT_ONCE)
        .try_collect()
        .await?;
    idle(client, scale.sessions).await?;
    let sessions = server.memory()?;
    let ids: Vec<String> = [vec![first], more].concat();

    let tally = Tally::default();
    let done = Arc::new(Semaphore::new(0));
    let end = watch::Sender::new(false);
    let ids = &ids;
    let places = (0..scale.viewers).flat_map(|viewer| ids.iter().map(move |id| (viewer, id)));
    let watching: Vec<_> = stream::iter(places)
        .map(async |(viewer, id)| {
            let mut events = client.events(Method::GET, &events_of(id), None).await?;
            // The first event contains the current state of the session.
            let mut viewer = tally.viewer(format!("viewer {viewer} of session {id}"));
            loop {
                let arrived = events.next().await?.ok_or("a stream ended")?;
                viewer.take(&arrived);
                if arrived.events().any(|(name, _)| name == "reset") {
                    return Result::Ok((events, viewer));
                }
            }
        })
        .buffered(AT_ONCE)
        .try_collect()
        .await?;
    let count = watching.len();
    for (events, viewer) in watching {
        tokio::spawn(follow(
            events,
            viewer,
            scale.lines,
            done.clone(),
            end.subscribe(),
        ));
    }
    let a_viewer = (server.memory()? - sessions) / count as f64;
    let page = if with == With::Page {
        Some(page::Page::open(&server, &ids[0], scale.lines).await?)
    } else {
        None
    };

    let (begun, cpu) = (Instant::now(), server.cpu()?);
    let scraped = collector
        .is_some()
        .then(|| tokio::spawn(scrape(client.clone())));
    spread(ids, scale.pace, async |id| {
        let path = format!("/api/sessions/{id}/prompts");
        let prompt = json!({"text": "Go"});
        client.text(Method::POST, &path, Some(prompt)).await
    })
    .await?;
    // Viewers that do not get all lines are reported below.
    let all_done = done.acquire_many(u32::try_from(count)?);
    let _ = timeout(scale.pace * scale.lines + PATIENCE, all_done).await;
    let seconds = begun.elapsed().as_secs_f64();
    let cpu = server.cpu()? - cpu;
    let after = server.memory()?;
    if let Some(scraped) = scraped {
        scraped.abort();
    }
    println!(
        "\n{} sessions, {count} viewers, {} lines each, {:?} apart",
        scale.sessions, scale.lines, scale.pace
    );
    println!(
        "claw: memory: empty {:.1} MB; with the first session {:.1} MB; each further one {:.1} KB; a viewer {:.1} KB; \
         after the load {:.1} MB",
        empty / 1024.0,
        before / 1024.0,
        (sessions - before) / (scale.sessions - 1) as f64,
        a_viewer,
        after / 1024.0,
    );
    println!(
        "processor time of the server: {cpu:.2} s, {:.0} % of a core",
        100.0 * cpu / seconds
    );
    if let Some(collector) = collector {
        let requests = collector.received();
        println!(
            "with an audit log, limits, metrics and traces, which came in {requests} requests"
        );
        if requests == 0 {
            return Err("the collector got no traces".into());
        }
    }
    Tally::head();
    tally.print("claw serve, events", seconds);
    end.send_replace(true);
    if let Some(page) = page {
        page.print().await?;
    }
    tally.judge(count, scale.lines)?;
    if a_viewer > OF_A_VIEWER {
        return Err(format!("a viewer takes {a_viewer:.1} KB").into());
    }
    Ok(())
}

fn events_of(session: &str) -> String {
    format!("/api/sessions/{session}/events")
}

/// Reads the metrics again and again, as Prometheus does, until a request fails.
async fn scrape(client: Client) {
    while client.text(Method::GET, "/metrics", None).await.is_ok() {
        sleep(SCRAPE).await;
    }
}

/// Waits until this many sessions are idle.
async fn idle(client: &Client, sessions: usize) -> Result {
    let line = format!("claw_sessions{{phase=\"idle\"}} {sessions}\n");
    timeout(PATIENCE, async {
        while !client
            .text(Method::GET, "/metrics", None)
            .await?
            .contains(&line)
        {
            sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    })
    .await?
}

/// Begins a session with a process, and returns its ID.
async fn begin(client: &Client) -> Result<String> {
    let new = json!({"project": "shop"});
    let session = client
        .text(Method::POST, "/api/sessions", Some(new))
        .await?;
    let session: Value = serde_json::from_str(&session)?;
    let id = session["id"].as_str().ok_or("no id")?.to_owned();
    let path = format!("/api/sessions/{id}/prompts");
    let prompt = json!({"text": "Begin"});
    client.text(Method::POST, &path, Some(prompt)).await?;
    Ok(id)
}

/// Calls a function for each session. The calls are spread evenly over one pause.
async fn spread<T>(
    ids: &[String],
    pace: Duration,
    what: impl AsyncFn(&str) -> Result<T>,
) -> Result<Vec<T>> {
    let begun = tokio::time::Instant::now();
    let apart = pace / u32::try_from(ids.len())?;
    let each = ids.iter().zip(0..).map(async |(id, at)| {
        tokio::time::sleep_until(begun + apart * at).await;
        what(id).await
    });
    futures::future::try_join_all(each).await
}

/// Views a session until the end, and reports when the last line has arrived or the stream has ended.
async fn follow(
    mut events: Events,
    mut viewer: Viewer,
    last: u32,
    done: Arc<Semaphore>,
    mut end: watch::Receiver<bool>,
) {
    loop {
        let next = tokio::select! {
            next = events.next() => next,
            _ = end.wait_for(|&is_end| is_end) => return,
        };
        let had = viewer.has(last);
        let wrong = match next {
            Ok(Some(arrived)) => {
                viewer.take(&arrived);
                None
            }
            Ok(None) if had => return,
            Ok(None) => Some("is sent no more".to_owned()),
            Err(error) => Some(format!("is cut off: {error}")),
        };
        if let Some(what) = wrong {
            viewer.wrong(what);
            done.add_permits(1);
            return;
        }
        if viewer.has(last) && !had {
            done.add_permits(1);
        }
    }
}

/// Sessions of the minimal server on the Python SDK, each with the client that posts to it.
#[expect(clippy::cast_precision_loss, reason = "counts")]
async fn python(scale: Scale) -> Result {
    let folder = tempfile::tempdir()?;
    let server = Server::python(&script(folder.path(), scale)?)?;
    let client = &server.client;
    timeout(PATIENCE, async {
        while client.text(Method::GET, "/health", None).await.is_err() {
            sleep(Duration::from_millis(100)).await;
        }
    })
    .await?;
    let empty = server.memory()?;
    let ids: Vec<String> = (0..scale.sessions).map(|at| format!("s{at}")).collect();
    let post = async |id: &str| {
        let path = format!("/sessions/{id}/messages");
        let prompt = json!({"prompt": "Go"});
        client.events(Method::POST, &path, Some(prompt)).await
    };
    // The first turn is short, and starts the process.
    let begin = async |id: &String| {
        let mut events = post(id).await?;
        while events.next().await?.is_some() {}
        Result::Ok(())
    };
    begin(&ids[0]).await?;
    let before = server.memory()?;
    stream::iter(&ids[1..])
        .map(begin)
        .buffer_unordered(AT_ONCE)
        .try_collect::<()>()
        .await?;
    let sessions = server.memory()?;

    let tally = Tally::default();
    let done = Arc::new(Semaphore::new(0));
    let end = watch::Sender::new(false);
    let (begun, cpu) = (Instant::now(), server.cpu()?);
    let posted = spread(&ids, scale.pace, async |id| {
        let viewer = tally.viewer(format!("the viewer of session {id}"));
        let events = post(id).await?;
        let (done, end) = (done.clone(), end.subscribe());
        tokio::spawn(follow(events, viewer, scale.lines, done, end));
        Ok(())
    });
    posted.await?;
    let all_done = done.acquire_many(u32::try_from(scale.sessions)?);
    let _ = timeout(scale.pace * scale.lines + PATIENCE, all_done).await;
    let seconds = begun.elapsed().as_secs_f64();
    let cpu = server.cpu()? - cpu;
    println!(
        "FastAPI: memory: empty {:.1} MB; with the first session {:.1} MB; each further one {:.1} KB; after the load {:.1} MB",
        empty / 1024.0,
        before / 1024.0,
        (sessions - before) / (scale.sessions - 1) as f64,
        server.memory()? / 1024.0,
    );
    println!(
        "processor time of the server: {:.0} % of a core",
        100.0 * cpu / seconds
    );
    tally.print("FastAPI and Python SDK", seconds);
    end.send_replace(true);
    tally.judge(scale.sessions, scale.lines)
}
