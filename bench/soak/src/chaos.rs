//! The faults of a run: `claude` processes of the hosts are killed, and their store is paused or restarted.

use std::sync::Arc;
use std::time::Duration;

use claw_testkit::server::Server;
use rustix::process::Signal;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::hosts::{is_cli_of, send};
use crate::samples::processes;

/// The numbers of faults.
#[derive(Default)]
pub(crate) struct Done {
    /// The number of killed CLIs of each host.
    pub(crate) kills: [u64; 2],
    pub(crate) pauses: u64,
    pub(crate) restarts: u64,
    pub(crate) failed: Option<String>,
}

/// Causes faults until the end of the run, with pauses between them.
pub(crate) async fn run(
    run: String,
    hosts: [(&'static str, u32); 2],
    store: Arc<Server>,
    pace: Duration,
    mut random: fastrand::Rng,
    end: watch::Receiver<bool>,
) -> Done {
    let mut done = Done::default();
    loop {
        let pause = pace.mul_f64(4.0 + 8.0 * random.f64());
        if timeout(pause, end.clone().wait_for(|&end| end))
            .await
            .is_ok()
        {
            return done;
        }
        match random.u32(..10) {
            0 => {
                let paused = store.clone();
                match spawn_blocking(move || paused.stop()).await {
                    Ok(Ok(stopped)) => {
                        tokio::time::sleep(Duration::from_secs(random.u64(1..8))).await;
                        drop(stopped);
                        done.pauses += 1;
                    }
                    other => done.failed = Some(format!("the store cannot be paused: {other:?}")),
                }
            }
            1 => {
                let killed = store.clone();
                match spawn_blocking(move || killed.kill_and_restart()).await {
                    Ok(Ok(())) => done.restarts += 1,
                    other => {
                        done.failed = Some(format!("the store does not start again: {other:?}"))
                    }
                }
            }
            _ => {
                let at = random.usize(..hosts.len());
                let (host, parent) = hosts[at];
                let mut clis = processes(&run, host);
                clis.retain(|&process| is_cli_of(process, parent));
                if let Some(process) = random.choice(clis) {
                    send(process, Signal::KILL);
                    done.kills[at] += 1;
                }
            }
        }
    }
}
