//! A host that uses the library: single sessions, a pool, and sessions in a store.

use std::time::Duration;

use claw_client::pool::{Pool, PooledSession};
use claw_client::store::StoreOptions;
use claw_client::{Error, QueryOptions, Session};
use claw_store::Owner;
use tokio::io::AsyncReadExt as _;
use tokio::time::{sleep, timeout};

use crate::agent::{ANSWER, REAL, REAL_ANSWER, is_real};
use crate::tally::Tally;
use crate::{Leak, Result};

/// The name of this host, and the argument with which this program becomes this host.
pub(crate) const NAME: &str = "library";
/// The variables with the host's store, its seed, the pace of its prompts in milliseconds, and the kind of leak.
pub(crate) const STORE: &str = "CLAW_SOAK_STORE";
pub(crate) const SEED: &str = "CLAW_SOAK_SEED";
pub(crate) const PACE: &str = "CLAW_SOAK_PACE_MS";
pub(crate) const LEAK: &str = "CLAW_SOAK_LEAK";

const PROCESSES: usize = 3;
const POOLED: usize = 9;
/// The maximum duration of a prompt, including an outage.
const PATIENCE: Duration = Duration::from_secs(120);

fn variable(name: &str) -> Result<String> {
    std::env::var(name).map_err(|error| format!("{name}: {error}").into())
}

/// The resources that are leaked on purpose.
#[derive(Default)]
struct Leaked {
    bytes: Vec<Vec<u8>>,
    files: Vec<std::fs::File>,
    temporary: u32,
}

struct Library {
    pool: Pool,
    pooled: Vec<PooledSession>,
    store: StoreOptions,
    random: fastrand::Rng,
    prompts: u64,
    tally: Tally,
    leaked: Leaked,
}

pub(crate) async fn main() -> Result {
    let pace = Duration::from_millis(variable(PACE)?.parse()?);
    let leak = match variable(LEAK) {
        Ok(name) => Some(<Leak as clap::ValueEnum>::from_str(&name, false)?),
        Err(_) => None,
    };
    let store = claw_store::open(&variable(STORE)?, &[claw_store_postgres::SCHEME]).await?;
    let mut library = Library {
        pool: Pool::builder().processes(PROCESSES).build(),
        pooled: Vec::new(),
        store: StoreOptions::from(store).project("soak"),
        random: fastrand::Rng::with_seed(variable(SEED)?.parse()?),
        prompts: 0,
        tally: Tally::default(),
        leaked: Leaked::default(),
    };
    let mut end = Box::pin(async { tokio::io::stdin().read_u8().await });
    loop {
        library.act().await;
        library.leak(leak)?;
        tokio::select! {
            // Completes at the end of stdin, because nothing is ever written there.
            _ = &mut end => break,
            () = sleep(pace) => {}
        }
    }
    library.pooled.clear();
    library.pool.wait_for_endings().await;
    println!("{}", serde_json::to_string(&library.tally)?);
    Ok(())
}

impl Library {
    async fn act(&mut self) {
        match self.random.u32(..100) {
            0..60 => self.pooled().await,
            60..95 => self.alone().await,
            _ => self.stored().await,
        }
    }

    fn mark(&mut self) -> String {
        self.prompts += 1;
        format!("soak-library-{:08}", self.prompts)
    }

    /// A prompt in a session of the pool. A session that has had enough prompts is dropped, and a new one begins.
    async fn pooled(&mut self) {
        while self.pooled.len() < POOLED {
            self.pooled
                .push(self.pool.session(QueryOptions::default(), Session::builder));
        }
        let at = self.random.usize(..POOLED);
        let mark = self.mark();
        let session = self.pooled[at].clone();
        let is_real = is_real(session.id().as_str()) && std::env::var_os(REAL).is_some();
        if self.random.u32(..20) == 0 {
            // The turn continues without a reader.
            drop(session.send(format!("Answer {mark}.")).await);
            self.tally.count("left");
        } else {
            let answer = timeout(PATIENCE, session.ask(format!("Answer {mark}."))).await;
            self.judge("pooled", &mark, is_real, answer.ok());
        }
        if self.random.u32(..10) == 0 {
            self.pooled.swap_remove(at);
            self.tally.count("sessions left");
        }
    }

    /// Two prompts in a session outside of the pool.
    async fn alone(&mut self) {
        // Some sessions only begin, or are dropped during a turn.
        let is_short = self.random.u32(..10) == 0;
        let options = QueryOptions::default();
        // This ID selects the scripted CLI. The real CLI is used in the pool and with the store.
        let id = format!("{:08x}-0000-4000-8000-000000000001", self.random.u32(..));
        let session = match Session::builder(options.session_id(id)).connect().await {
            Ok(session) => session,
            Err(error) => return self.failed("alone", &error),
        };
        if is_short {
            drop(session.send("Answer soak-dropped.").await);
            return self.tally.count("dropped");
        }
        for _ in 0..2 {
            let mark = self.mark();
            let answer = timeout(PATIENCE, session.ask(format!("Answer {mark}."))).await;
            self.judge("alone", &mark, false, answer.ok());
        }
        if let Err(error) = session.close().await {
            self.failed("alone, at its end", &error);
        }
    }

    /// A prompt to the real CLI, in a session that is mirrored to the store and then deleted there.
    async fn stored(&mut self) {
        let mark = self.mark();
        let id = format!("{:08x}-0000-4000-8000-000000000000", self.random.u32(..));
        let options = QueryOptions::default().session_id(id);
        let session = match Session::builder(options)
            .store(self.store.clone())
            .connect()
            .await
        {
            Ok(session) => session,
            Err(error) => return self.failed("stored", &error),
        };
        let answer = timeout(PATIENCE, session.ask(format!("Answer {mark}."))).await;
        self.judge("stored", &mark, true, answer.ok());
        let stored = session.mirror().map(claw_client::store::Mirror::session);
        if let Err(error) = session.close().await {
            self.failed("stored, at its end", &error);
        }
        if let Some(stored) = stored {
            let deleted = self
                .store
                .sessions()
                .delete(&stored, &Owner::new("soak"))
                .await;
            self.tally.count(if deleted.is_ok() {
                "deleted"
            } else {
                "not deleted, in an outage"
            });
        }
    }

    fn judge(
        &mut self,
        place: &str,
        mark: &str,
        is_real: bool,
        answer: Option<std::result::Result<String, Error>>,
    ) {
        let expected = if is_real {
            REAL_ANSWER.to_owned()
        } else {
            format!("{ANSWER}{mark}")
        };
        match answer {
            None => self
                .tally
                .wrong(format!("{place}: {mark} was not answered in time")),
            Some(Err(error)) => self.failed(place, &error),
            Some(Ok(answer)) if answer == expected => {
                self.tally.count(if is_real {
                    "answered by the real CLI"
                } else {
                    "answered"
                });
            }
            Some(Ok(answer)) => self
                .tally
                .wrong(format!("{place}: {mark} was answered {answer:?}")),
        }
    }

    /// Counts a failure. Its reason must be a kill, which the run counts too, or an outage.
    fn failed(&mut self, place: &str, error: &Error) {
        if error.is_exited() {
            self.tally.count("killed");
        } else if error.store().is_some() {
            self.tally.count("without a store");
        } else {
            self.tally.wrong(format!("{place}: {error}"));
        }
    }

    fn leak(&mut self, leak: Option<Leak>) -> Result {
        match leak {
            None => {}
            Some(Leak::Memory) => self.leaked.bytes.push(vec![1; 128 << 10]),
            Some(Leak::Descriptors) => self.leaked.files.push(std::fs::File::open("/dev/null")?),
            Some(Leak::Threads) => {
                std::thread::Builder::new().spawn(|| std::thread::park())?;
            }
            Some(Leak::Processes) => {
                // The process does not end, and nothing waits for it.
                std::process::Command::new("sleep")
                    .arg("infinity")
                    .spawn()?;
            }
            Some(Leak::Files) => {
                self.leaked.temporary += 1;
                let path = std::env::temp_dir().join(format!("leaked-{}", self.leaked.temporary));
                std::fs::write(path, [])?;
            }
        }
        Ok(())
    }
}
