//! The state that the parts of a mirror share: the reader of lines, the handles and the task.

use std::any::Any;
use std::collections::{HashSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use claw_codec::{Line, LineItem};
use claw_store::{SessionRef, StoreError, StoreKey};
use claw_transport::{Exit, Killer};
use claw_types::message::MirrorError;
use claw_types::store::SessionKey;
use claw_types::{MessageUuid, SessionId, members};
use futures::task::AtomicWaker;
use futures::{Stream, StreamExt as _};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep_until, timeout};

use super::lease::{Lease, Lost, lock, lose};
use super::running::Life;
use super::unstored::Waiting;
use crate::waiting::LINGER;

/// Maximum number of transcripts of a session.
const MOST: usize = 10_000;

/// Maximum number of waiting messages from the mirror.
const MOST_NOTICES: usize = 1000;

/// Copies a session's transcripts to its store. Returned by [`Session::mirror`](crate::Session::mirror).
#[derive(Clone)]
pub struct Mirror(pub(super) Arc<Shared>);

/// The state that the reader of lines, the handles and the mirror's task share.
pub(super) struct Shared {
    pub(super) touched: Mutex<Touched>,
    /// Wakes the task.
    pub(super) work: Notify,
    /// The generation up to which everything is stored. A generation is a number of reported changes.
    pub(super) stored: watch::Sender<u64>,
    notices: Mutex<VecDeque<LineItem>>,
    /// Wakes the reader of lines.
    pub(super) reader: AtomicWaker,
    pub(super) lost: Lost,
    pub(super) life: Arc<Life>,
    killer: Killer,
    /// The deadline for storing the remaining lines. Set when the process has ended.
    pub(super) ending: watch::Sender<Option<Instant>>,
    /// Whether all lines of the process that report changed transcripts were read.
    is_read: AtomicBool,
    pub(super) is_finished: watch::Sender<bool>,
    pub(super) session: watch::Sender<SessionRef>,
    close_delay: Duration,
    waiting: Arc<Waiting>,
}

#[derive(Default)]
pub(super) struct Touched {
    /// The transcripts that may have new lines, in the order in which they were reported.
    paths: Vec<PathBuf>,
    waiting: HashSet<PathBuf>,
    known: HashSet<PathBuf>,
    /// The number of reported changes so far.
    generation: u64,
}

impl Mirror {
    /// Waits until everything that the CLI has written to its transcripts so far is stored, but no longer than
    /// `within`.
    ///
    /// # Errors
    ///
    /// Fails with [`StoreError::Unavailable`] if that takes longer than `within`. The mirror continues to store the
    /// lines.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the mirror continues to store the lines.
    pub async fn flush(&self, within: Duration) -> Result<(), StoreError> {
        let generation = self.0.touch_all();
        let mut stored = self.0.stored.subscribe();
        let done = timeout(within, stored.wait_for(|stored| *stored >= generation)).await;
        match done {
            Ok(Ok(_)) => Ok(()),
            _ => Err(StoreError::unavailable(format!(
                "not everything was stored within {within:?}"
            ))),
        }
    }

    /// Sets the handles of the session. When the last of these handles is dropped, the session ends.
    pub(crate) fn ends_with(&self, handles: Weak<dyn Any + Send + Sync>) {
        self.0.life.has(handles);
    }

    /// After the end of the process, waits until the rest is stored and the claim is released.
    pub(crate) async fn finished(&self) {
        // The wait is limited, because the mirror never finishes if nothing reads the session's remaining lines.
        let most = 2 * self.0.close_delay + LINGER;
        let mut finished = self.0.is_finished.subscribe();
        let _ = timeout(most, finished.wait_for(|finished| *finished)).await;
    }

    /// Returns the current session in the store. After `/clear`, this is the new session as soon as the CLI has
    /// reported its ID. The CLI may report the ID only after the result of the new session's first turn.
    pub fn session(&self) -> SessionRef {
        self.0.session.borrow().clone()
    }

    /// Waits until the conversation continues in a session other than `session`, for example after `/clear`, and
    /// returns that other session. Returns `None` if the session ends without such a change.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn following(&self, session: &SessionRef) -> Option<SessionRef> {
        let mut current = self.0.session.subscribe();
        let mut finished = self.0.is_finished.subscribe();
        tokio::select! {
            biased;
            moved = current.wait_for(|current| current != session) => moved.ok().map(|moved| moved.clone()),
            _ = finished.wait_for(|finished| *finished) => None,
        }
    }
}

impl Shared {
    pub(super) fn new(
        session: SessionRef,
        lost: Lost,
        life: Arc<Life>,
        killer: Killer,
        close_delay: Duration,
        waiting: Arc<Waiting>,
    ) -> Self {
        Self {
            touched: Mutex::default(),
            work: Notify::new(),
            stored: watch::Sender::new(0),
            notices: Mutex::default(),
            reader: AtomicWaker::new(),
            lost,
            life,
            killer,
            ending: watch::Sender::new(None),
            is_read: AtomicBool::new(false),
            is_finished: watch::Sender::new(false),
            session: watch::Sender::new(session),
            close_delay,
            waiting,
        }
    }

    /// Records that a transcript has new lines.
    pub(super) fn touch(&self, path: PathBuf) {
        let mut touched = lock(&self.touched);
        if touched.known.len() < MOST || touched.known.contains(&path) {
            touched.known.insert(path.clone());
            self.begins(&path);
            touched.add(path);
        }
        drop(touched);
        self.work.notify_one();
    }

    /// Records that each transcript may have new lines. Returns the generation that [`is_stored`](Self::is_stored) must
    /// reach for these lines.
    pub(super) fn touch_all(&self) -> u64 {
        let mut touched = lock(&self.touched);
        let known: Vec<_> = touched.known.iter().cloned().collect();
        for path in known {
            self.begins(&path);
            touched.add(path);
        }
        touched.generation += 1;
        let generation = touched.generation;
        drop(touched);
        self.work.notify_one();
        generation
    }

    /// Records that a transcript has lines to store, unless the task has ended. The caller must hold the lock of
    /// `touched`.
    fn begins(&self, path: &Path) {
        if !*self.is_finished.borrow() {
            self.waiting.begins(path);
        }
    }

    /// Records that all lines of a transcript are stored. Does nothing if the transcript has new lines.
    pub(super) fn has_stored(&self, path: &Path) {
        let touched = lock(&self.touched);
        if !touched.waiting.contains(path) {
            self.waiting.ends(path);
        }
    }

    /// Records that the session has ended. Its transcripts no longer count as transcripts with lines to store.
    pub(super) fn waits_no_more(&self) {
        self.waiting.forget(&lock(&self.touched).known);
    }

    pub(super) fn is_stored(&self, generation: u64) -> bool {
        *self.stored.borrow() >= generation
    }

    /// Whether the claim was lost before this generation was stored. The generation will then never be stored, because
    /// another process may write to the session.
    pub(super) fn is_refused(&self, generation: u64) -> bool {
        self.lost.borrow().is_some() && !self.is_stored(generation)
    }

    /// Whether the process has ended. The mirror itself holds no handle, because the process ends when the session's
    /// last handle is dropped.
    pub(super) fn has_ended(&self) -> bool {
        self.ending.borrow().is_some()
    }

    pub(super) fn next_notice(&self) -> Option<LineItem> {
        lock(&self.notices).pop_front()
    }

    pub(super) fn take_notices(&self) -> Vec<LineItem> {
        lock(&self.notices).drain(..).collect()
    }

    /// Reports to the application that a transcript is not stored.
    pub(super) fn report(&self, key: &StoreKey, error: String) {
        let id = key.session().session();
        tracing::warn!(session.id = id, %key, %error, "a transcript is not stored");
        let wire = SessionKey::from(key);
        let session = SessionId::from(key.session().session());
        let uuid = MessageUuid::from(uuid::Uuid::new_v4().to_string());
        let message = MirrorError::new(error, wire, uuid, session);
        if let Ok(text) = serde_json::to_string(&message) {
            let mut notices = lock(&self.notices);
            if notices.len() < MOST_NOTICES {
                notices.push_back(LineItem::Line(Line::new(0, text.into())));
            }
        }
        self.reader.wake();
    }

    /// Reads the remaining output of a process that is ending. Uses only the lines that report changed transcripts.
    pub(super) async fn read_rest(
        &self,
        mut lines: impl Stream<Item = io::Result<LineItem>> + Unpin,
    ) {
        let rest = async {
            while let Some(Ok(item)) = lines.next().await {
                if let Some(path) = touched_path(&item) {
                    self.touch(path);
                }
            }
        };
        let mut ending = self.ending.subscribe();
        let ended = async {
            let until = ending.wait_for(Option::is_some).await.ok();
            let until = until.and_then(|until| *until);
            // If descendants of the process keep the pipe open, the output does not end. So the reading stops at this
            // time.
            if let Some(ended) = until.and_then(|until| until.checked_sub(self.close_delay)) {
                sleep_until(ended + LINGER).await;
            }
        };
        let either = async {
            tokio::select! {
                () = rest => {}
                () = ended => {}
            }
        };
        let _ = timeout(self.close_delay, either).await;
    }

    /// Waits until the process has ended and the remaining lines are stored. Kills the process if it does not end in
    /// time, and waits for the lines no longer than the options allow.
    pub(super) async fn end(&self) {
        // Waits for the process first, because it can still write to its transcripts while it ends.
        let mut ending = self.ending.subscribe();
        if timeout(self.close_delay, ending.wait_for(Option::is_some))
            .await
            .is_err()
        {
            // The process did not end in time. It is killed, because the claim must not be released before the process
            // has ended.
            self.killer.kill();
            let _ = timeout(LINGER, ending.wait_for(Option::is_some)).await;
        }
        self.was_read();
        self.process_ended();
        let mut finished = self.is_finished.subscribe();
        let _ = finished.wait_for(|finished| *finished).await;
    }

    /// Runs a future until it completes, or the mirror's task ends.
    pub(super) fn while_it_runs(&self, work: Option<impl Future<Output = ()> + Send + 'static>) {
        let mut finished = self.is_finished.subscribe();
        if let Some(work) = work {
            tokio::spawn(async move {
                let finished = async { drop(finished.wait_for(|finished| *finished).await) };
                tokio::select! {
                    () = work => {}
                    () = finished => {}
                }
            });
        }
    }

    /// If this lease loses its claim, reports that the session is lost.
    pub(super) fn lose_with(&self, lease: &Lease) {
        let (lost, own) = (lease.lost(), self.lost.clone());
        tokio::spawn(async move {
            if lost.await.is_some() {
                lose(
                    &own,
                    StoreError::uncertain("the claim of the session was lost"),
                );
            }
        });
    }

    /// Records that no more lines of the process will be read.
    pub(super) fn was_read(&self) {
        self.is_read.store(true, Relaxed);
        self.work.notify_one();
    }

    /// Whether the process has ended and all of its lines were read. No further lines will have to be stored.
    pub(super) fn is_all_there(&self) -> bool {
        self.is_read.load(Relaxed) && self.has_ended()
    }

    /// Records that the process has ended, and sets the deadline for storing the rest.
    fn process_ended(&self) {
        self.life.ends();
        self.ending.send_if_modified(|ending| {
            let is_first = ending.is_none();
            ending.get_or_insert(Instant::now() + self.close_delay);
            is_first
        });
        self.work.notify_one();
    }

    /// Waits for the end of the process. If the session may not be written any more, ends the process and all processes
    /// that it started. This works even if nothing reads the lines of the process.
    ///
    /// # Drop
    ///
    /// Kills the process, because without this future its claim is no longer watched.
    pub(super) async fn watch(
        self: Arc<Self>,
        exited: impl Future<Output = Exit>,
        patience: Duration,
    ) {
        let mut watched = Watched(Some(&self.killer));
        let mut exited = pin!(exited);
        let mut lost = self.lost.subscribe();
        let lost = async { drop(lost.wait_for(Option::is_some).await) };
        tokio::select! {
            _ = &mut exited => {}
            () = lost => {
                self.life.ends();
                // The process gets time to end its child processes, and to write the last messages to its transcript.
                self.killer.terminate();
                if timeout(patience, &mut exited).await.is_err() {
                    self.killer.kill();
                    exited.await;
                }
            }
        }
        watched.0 = None;
        self.process_ended();
    }
}

impl Touched {
    fn add(&mut self, path: PathBuf) {
        if self.waiting.insert(path.clone()) {
            self.paths.push(path);
        }
    }

    /// Takes the transcripts that must be stored, in the order in which they were reported. Also returns their
    /// generation.
    pub(super) fn take(&mut self) -> (Vec<PathBuf>, u64) {
        self.waiting.clear();
        (std::mem::take(&mut self.paths), self.generation)
    }
}

/// A guard that kills the process if the future of [`Shared::watch`] is dropped before it completes.
struct Watched<'a>(Option<&'a Killer>);

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        if let Some(killer) = self.0 {
            killer.kill();
        }
    }
}

/// Returns the path of the transcript if a line of the CLI reports that this transcript has changed.
pub(super) fn touched_path(item: &LineItem) -> Option<PathBuf> {
    const START: &[u8] = br#"{"type":"transcript_mirror","#;
    match item {
        LineItem::Line(line) if line.raw.starts_with(START) => {
            let [path] = members(&line.raw, ["filePath"])?;
            Some(PathBuf::from(&*path?.as_str()?))
        }
        LineItem::TooLong(long) if long.head.starts_with(START) => {
            crate::engine::text_at_start(&long.head, "filePath").map(PathBuf::from)
        }
        _ => None,
    }
}

impl std::fmt::Debug for Mirror {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mirror")
            .field("session", &self.session())
            .finish_non_exhaustive()
    }
}
