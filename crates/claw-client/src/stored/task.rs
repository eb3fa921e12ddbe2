//! The task of a mirror. It stores the lines that the CLI writes to its transcripts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::future::pending;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use claw_store::{Batch, Epoch, Retry, SessionRef, StoreError, StoreKey, WriterId};
use claw_transport::Process;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, sleep_until};

use super::StoreOptions;
use super::lease::{Lease, Lost, RELEASE, lock, lose};
use super::mirror::{Mirror, Shared};
use super::origin::{Origin, transcripts_below};
use super::running::{Key, Life, Running};
use super::source::{Source, Unsent};
use crate::waiting::LINGER;

/// The pauses between attempts. The last pause is used for all further attempts.
const PAUSES: [Duration; 4] = [
    Duration::from_millis(200),
    Duration::from_millis(800),
    Duration::from_secs(2),
    Duration::from_secs(5),
];

/// The task of a mirror.
pub(super) struct Task {
    shared: Arc<Shared>,
    options: StoreOptions,
    origin: Origin,
    sources: HashMap<PathBuf, Source>,
    /// The sessions to which the CLI has written: the first session, and the sessions that `/clear` began.
    sessions: BTreeSet<SessionRef>,
    /// The claims on the sessions. After `/clear`, several sessions are claimed.
    leases: BTreeMap<SessionRef, Lease>,
    /// Transcripts whose lines could not be stored, and which were reported to the application. Each has the reason.
    reported: HashMap<PathBuf, String>,
    is_away: bool,
}

impl Task {
    /// Starts the task. The task does not keep the process alive.
    pub(super) fn start(
        options: StoreOptions,
        origin: Origin,
        lease: Option<Lease>,
        lost: Lost,
        life: Arc<Life>,
        process: &Process,
    ) -> Mirror {
        let session = origin.session.clone();
        let killer = process.killer();
        let shared = Arc::new(Shared::new(
            session.clone(),
            lost,
            life,
            killer,
            options.close_delay,
            options.waiting.clone(),
        ));
        // A claim is reported as lost when a fifth of its time is left: see `Lease`. The process gets half of this
        // fifth to end.
        let patience = options.ttl / 10;
        tokio::spawn(shared.clone().watch(process.exited(), patience));
        let task = Self {
            shared: shared.clone(),
            options,
            origin,
            sources: HashMap::new(),
            sessions: [session.clone()].into(),
            leases: lease.map(|lease| (session, lease)).into_iter().collect(),
            reported: HashMap::new(),
            is_away: false,
        };
        tokio::spawn(task.run());
        Mirror(shared)
    }

    async fn run(mut self) {
        loop {
            self.shared.work.notified().await;
            let is_last = self.shared.is_all_there();
            if is_last {
                self.find_all();
                self.shared.touch_all();
            }
            let (paths, generation) = lock(&self.shared.touched).take();
            let mut is_whole = true;
            for path in paths {
                is_whole &= self.store(&path).await;
            }
            // Transcripts that could not be stored earlier are still incomplete in the store. So the session is not stored
            // as a whole.
            is_whole &= self.reported.is_empty();
            if is_whole {
                self.shared.stored.send_replace(generation);
                self.shared.reader.wake();
            }
            if is_last {
                return self.finish(is_whole).await;
            }
        }
    }

    /// Marks the transcripts in the session's folder as changed. This includes transcripts that the CLI did not report,
    /// for example because it was killed.
    fn find_all(&self) {
        let mut known: Vec<_> = self
            .sources
            .values()
            .map(|source| source.path.clone())
            .collect();
        if let Some(main) = self.origin.main.clone().filter(|main| main.exists()) {
            self.shared.touch(main.clone());
            known.push(main);
        }
        for main in known.iter().filter(|path| path.extension().is_some()) {
            let folder = main.with_extension("").join("subagents");
            transcripts_below(&folder, &mut |path| self.shared.touch(path));
        }
    }

    /// Stores the new lines of a transcript. Returns whether all of them were stored.
    async fn store(&mut self, path: &Path) -> bool {
        match self.try_store(path).await {
            Ok(()) => {
                self.reported.remove(path);
                self.shared.has_stored(path);
                true
            }
            Err(Stop(key, why)) => {
                if self.reported.get(path) != Some(&why) {
                    self.shared.report(&key, why.clone());
                    self.reported.insert(path.to_owned(), why);
                }
                false
            }
        }
    }

    async fn try_store(&mut self, path: &Path) -> Result<(), Stop> {
        let mut source = self.source(path).await?;
        let epoch = self.epoch(source.key.session());
        let mut moved = 0;
        let stored = loop {
            let (read, back) = blocking(source, Source::read).await;
            source = back;
            let unsent = match read {
                Ok(None) => break Ok(()),
                Ok(Some(unsent)) => unsent,
                Err(error) => break Err(Stop::because(&source.key, error)),
            };
            if let Some((at, error)) = unsent.broken {
                let text = format!("{}: at byte {at}: {error}; it is left out", path.display());
                self.shared.report(&source.key, text);
            }
            if unsent.lines.is_empty() {
                continue;
            }
            match self.append(&source, &unsent, epoch).await {
                Ok(()) => {
                    source.stored(&unsent);
                    self.options.waiting.is_stored_to(path, source.offset());
                    moved = 0;
                }
                // The store expects a line of this writer with another number. This happens if a response was lost, or
                // if the session was deleted.
                Err(Failed::Gap(expected)) if moved == 0 => {
                    moved += 1;
                    let (found, back) =
                        blocking(source, move |source| source.go_to(expected)).await;
                    source = back;
                    match found {
                        Ok(true) => {}
                        Ok(false) => {
                            break Err(Stop::because(
                                &source.key,
                                "the store has lines that the transcript lacks",
                            ));
                        }
                        Err(error) => break Err(Stop::because(&source.key, error)),
                    }
                }
                Err(Failed::Gap(_)) => {
                    break Err(Stop::because(
                        &source.key,
                        "the store changes its mind about what it has",
                    ));
                }
                Err(Failed::Stop(stop)) => break Err(stop),
            }
        };
        let stored = match stored {
            Ok(()) => self.store_metadata(&source, epoch).await,
            stopped => stopped,
        };
        self.sources.insert(path.to_owned(), source);
        stored
    }

    /// Returns the source of a transcript, with the position up to which it is stored.
    async fn source(&mut self, path: &Path) -> Result<Source, Stop> {
        if let Some(source) = self.sources.remove(path) {
            return Ok(source);
        }
        let key = self.origin.key(path).map_err(|why| {
            Stop::because(
                &self.origin.session.main(),
                format!("{}: {why}", path.display()),
            )
        })?;
        self.claim(key.session()).await?;
        let (writer, start) = self.origin.writer(path);
        self.options.waiting.is_stored_to(path, start);
        let mut source = Source::new(key, path.to_owned(), writer, start);
        let store = self.options.store.clone();
        let next = self
            .patiently(&source.key, || {
                store.next_number(&source.key, &source.writer)
            })
            .await;
        let next = next.map_err(|failed| failed.stop(&source.key))?;
        if next > 0 {
            let (found, back) = blocking(source, move |source| source.go_to(next)).await;
            source = back;
            match found {
                Ok(true) => {}
                Ok(false) => {
                    return Err(Stop::because(
                        &source.key,
                        "the store has lines that the transcript lacks",
                    ));
                }
                Err(error) => return Err(Stop::because(&source.key, error)),
            }
            self.options.waiting.is_stored_to(path, source.offset());
        }
        Ok(source)
    }

    /// Claims a session that the CLI has begun by itself, after `/clear`.
    async fn claim(&mut self, session: &SessionRef) -> Result<(), Stop> {
        // The CLI may write to an old session again after it has begun a new one. The old session is already claimed.
        if self.sessions.contains(session) {
            return Ok(());
        }
        if let Some(leases) = self.options.leases.clone() {
            let key = session.main();
            let claimed = self.patiently(&key, || leases.claim(session)).await;
            let lease = claimed.map_err(|failed| failed.stop(&key))?;
            self.shared.lose_with(&lease);
            self.leases.insert(session.clone(), lease);
        } else if !self.leases.contains_key(session) {
            let (options, shared) = (self.options.clone(), self.shared.clone());
            let key = session.main();
            let claimed = self
                .patiently(&key, || {
                    claim(&options, session, &shared.lost, &shared.life)
                })
                .await;
            if let Some(lease) = claimed.map_err(|failed| failed.stop(&key))? {
                self.leases.insert(session.clone(), lease);
            }
        }
        self.sessions.insert(session.clone());
        self.shared.session.send_replace(session.clone());
        Ok(())
    }

    fn epoch(&self, session: &SessionRef) -> Option<Epoch> {
        self.leases.get(session).map(Lease::epoch)
    }

    async fn append(
        &mut self,
        source: &Source,
        unsent: &Unsent,
        epoch: Option<Epoch>,
    ) -> Result<(), Failed> {
        let store = self.options.store.clone();
        let batch = Batch {
            writer: &source.writer,
            number: source.number,
            lines: &unsent.lines,
            epoch,
        };
        self.patiently(&source.key, || store.append(&source.key, batch))
            .await?;
        Ok(())
    }

    /// Stores the metadata file beside a sub-agent's transcript.
    async fn store_metadata(&mut self, source: &Source, epoch: Option<Epoch>) -> Result<(), Stop> {
        if source.key.subpath().is_none() {
            return Ok(());
        }
        let path = source.path.with_extension("meta.json");
        let read = spawn_blocking(move || claw_store::agent_metadata(&path)).await;
        let Ok(Ok(line)) = read else {
            return Ok(());
        };
        // The writer ID is derived from the content. So the store takes the same content only once.
        let writer = WriterId::new(&format!("meta-{:016x}", fingerprint(&line)));
        let store = self.options.store.clone();
        let batch = Batch {
            writer: &writer,
            number: 0,
            lines: std::slice::from_ref(&line),
            epoch,
        };
        let appended = self
            .patiently(&source.key, || store.append(&source.key, batch))
            .await;
        appended
            .map(drop)
            .map_err(|failed| failed.stop(&source.key))
    }

    /// Repeats the call until it succeeds. Stops earlier if the call fails with an error that a repetition cannot
    /// resolve, or when the deadline for the end of the session has passed.
    async fn patiently<T, F: Future<Output = Result<T, StoreError>>>(
        &mut self,
        key: &StoreKey,
        mut call: impl FnMut() -> F,
    ) -> Result<T, Failed> {
        let mut tries = 0;
        loop {
            let mut ending = self.shared.ending.subscribe();
            let answered = within(&mut ending, call()).await;
            let error = match answered {
                Some(Ok(done)) => {
                    self.is_away = false;
                    return Ok(done);
                }
                Some(Err(error)) => error,
                None => StoreError::uncertain("the store took too long"),
            };
            match &error {
                StoreError::Gap { expected, .. } => return Err(Failed::Gap(*expected)),
                StoreError::Superseded { .. } | StoreError::Deleted { .. } => {
                    let why = error.to_string();
                    lose(&self.shared.lost, error);
                    return Err(Failed::Stop(Stop::because(key, why)));
                }
                _ if error.retry() == Retry::No => {
                    return Err(Failed::Stop(Stop::because(key, error)));
                }
                _ => {}
            }
            tries += 1;
            // The application is notified once for each outage of the store.
            if tries == 3 && !self.is_away {
                self.is_away = true;
                self.shared.report(
                    key,
                    format!("{error}; the lines are stored when it is back"),
                );
            }
            let pause = PAUSES[(tries - 1).min(PAUSES.len() - 1)];
            if ending
                .borrow_and_update()
                .is_some_and(|ending| ending <= Instant::now() + pause)
            {
                return Err(Failed::Stop(Stop::because(key, error)));
            }
            // The end of the process sets a deadline for the remaining lines, so it also ends this pause.
            tokio::select! {
                () = sleep(pause) => {}
                _ = ending.changed() => {}
            }
        }
    }

    /// Releases the claims, and removes the files that were needed only for this session. If lines are not stored,
    /// reports that.
    async fn finish(&mut self, is_whole: bool) {
        for lease in std::mem::take(&mut self.leases).into_values() {
            lease.release(RELEASE).await;
        }
        if let Some((key, why)) = self.origin.clean_up(is_whole).await {
            if !is_whole {
                self.options.waiting.leaves(key.session());
            }
            self.shared.report(&key, why);
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        // This runs when the task is dropped before its end, for example because the runtime is shut down.
        self.origin.leave();
        self.shared.is_finished.send_replace(true);
        self.shared.waits_no_more();
        self.shared.reader.wake();
    }
}

/// Claims a session for a process of this program, if the store has claims. A store accepts a second claim of the same
/// owner, which would take the claim away from a running process of this owner. So the list of running sessions is
/// checked first. A claim that a killed program has left is replaced.
pub(super) async fn claim(
    options: &StoreOptions,
    session: &SessionRef,
    lost: &Lost,
    life: &Arc<Life>,
) -> Result<Option<Lease>, StoreError> {
    let Some(claims) = options.store.claims() else {
        return Ok(None);
    };
    let (owner, ttl) = (&options.owner, options.ttl);
    let key = Key {
        store: options.address,
        owner: owner.id.clone(),
        session: session.clone(),
    };
    // The longest time that the end of a session can take. The claim waits for a session that is ending, but no longer
    // than this.
    let patience = 3 * options.close_delay + 2 * LINGER + RELEASE;
    let running = Running::begin(&key, life, patience).await;
    let running = running.ok_or_else(|| StoreError::Held {
        owner: owner.clone(),
        expires_in: ttl,
    })?;
    let claim = claims.claim(session, owner, ttl).await?;
    let (store, running) = (options.store.clone(), Box::new(running));
    Ok(Some(Lease::keep(store, claim, ttl, lost.clone(), running)))
}

/// A transcript that cannot be stored at the moment: its key and the reason.
struct Stop(StoreKey, String);

impl Stop {
    fn because(key: &StoreKey, why: impl fmt::Display) -> Self {
        Self(key.clone(), why.to_string())
    }
}

/// The reason why a call failed.
enum Failed {
    Gap(u64),
    Stop(Stop),
}

impl Failed {
    fn stop(self, key: &StoreKey) -> Stop {
        match self {
            Self::Gap(_) => Stop::because(key, "the store reports a gap where there is none"),
            Self::Stop(stop) => stop,
        }
    }
}

/// Waits for a call, which has its own timeout. After the process has ended, waits at most until the session's
/// deadline. Returns `None` if the deadline has passed.
async fn within<T>(
    ending: &mut watch::Receiver<Option<Instant>>,
    call: impl Future<Output = T>,
) -> Option<T> {
    let mut call = pin!(call);
    loop {
        let until = *ending.borrow_and_update();
        let deadline = async {
            match until {
                Some(until) => sleep_until(until).await,
                None => pending().await,
            }
        };
        tokio::select! {
            answer = &mut call => return Some(answer),
            () = deadline => return None,
            changed = ending.changed() => changed.ok()?,
        }
    }
}

fn fingerprint(line: &claw_store::Line) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.as_str().hash(&mut hasher);
    hasher.finish()
}

/// Works with a source on a separate thread, so that waiting for the disk blocks no task.
async fn blocking<T: Send + 'static>(
    mut source: Source,
    work: impl FnOnce(&mut Source) -> std::io::Result<T> + Send + 'static,
) -> (std::io::Result<T>, Source) {
    let kept = source.clone();
    let done = spawn_blocking(move || {
        let done = work(&mut source);
        (done, source)
    });
    match done.await {
        Ok(done) => done,
        Err(error) => (Err(std::io::Error::other(error)), kept),
    }
}
