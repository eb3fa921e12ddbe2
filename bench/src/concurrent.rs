//! Many sessions at once in one process, each with its CLI.

use std::time::Instant;

use claw_client::Session;
use claw_client::types::QueryOptions;
use futures::future::try_join_all;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::agent::Flood;
use crate::{Result, block_on, process};

/// The number of messages in each session's turn.
const MESSAGES: usize = 50;

pub(crate) fn main() -> Result {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: limit.maximum,
            maximum: limit.maximum,
        },
    )?;
    println!(
        "{:>9}{:>12}{:>14}{:>16}{:>18}{:>16}{:>20}{:>20}",
        "sessions",
        "seconds",
        "ms a session",
        "CPU ms each",
        "their processes'",
        "KB a session",
        "tasks a session",
        "descriptors each"
    );
    let flood = Flood::of("stream_event", MESSAGES)?;
    // The first session includes work that is done only once, so it is not measured.
    block_on(round(1, flood.options()?))??;
    for sessions in [1, 100, 1000] {
        let took = block_on(round(sessions, flood.options()?))??;
        println!(
            "{sessions:>9}{:>12.2}{:>14.2}{:>16.2}{:>18.2}{:>16.1}{:>20.1}{:>20.1}",
            took.seconds,
            took.seconds * 1e3 / took.sessions,
            took.cpu * 1e3 / took.sessions,
            took.of_children * 1e3 / took.sessions,
            took.kilobytes / took.sessions,
            took.tasks / took.sessions,
            took.descriptors / took.sessions,
        );
    }
    Ok(())
}

/// The resources of all sessions.
struct Took {
    sessions: f64,
    seconds: f64,
    /// The processor time of this process, and of the processes that it has started.
    cpu: f64,
    of_children: f64,
    kilobytes: f64,
    tasks: f64,
    descriptors: f64,
}

#[expect(clippy::cast_precision_loss, reason = "counts")]
async fn round(count: usize, options: QueryOptions) -> Result<Took> {
    let alive = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    let (begun, cpu) = (Instant::now(), process::cpu()?);
    let of_children = process::cpu_of_children()?;
    let (memory, tasks, descriptors) =
        (process::memory("VmRSS")?, alive(), process::descriptors()?);
    let sessions = try_join_all((0..count).map(|_| async {
        let session = Session::builder(options.clone()).connect().await?;
        session.send("Go").await?.result().await?;
        Ok::<_, claw_client::Error>(session)
    }))
    .await?;
    let took = Took {
        sessions: count as f64,
        seconds: 0.0,
        cpu: 0.0,
        of_children: 0.0,
        kilobytes: (process::memory("VmRSS")? as f64 - memory as f64).max(0.0),
        tasks: (alive() - tasks) as f64,
        descriptors: (process::descriptors()? - descriptors) as f64,
    };
    try_join_all(sessions.iter().map(Session::close)).await?;
    Ok(Took {
        seconds: begun.elapsed().as_secs_f64(),
        cpu: process::cpu()? - cpu,
        of_children: process::cpu_of_children()? - of_children,
        ..took
    })
}
