//! The spans of a hub. They describe how long sessions were live, their turns, the waits of the turns, and the calls to
//! the store. An exporter of traces receives the spans. They contain no text of a prompt or an answer.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Instant, SystemTime};

use claw_types::SessionId;
use tokio::sync::{mpsc, oneshot};

/// Maximum number of spans that wait for the exporter. Further spans are dropped, and their number is counted.
const MOST_WAITING: usize = 4096;

/// A span that has ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Span {
    /// The ID of the trace. It is never 0.
    pub(crate) trace: u128,
    /// The ID of the span. It is never 0.
    pub(crate) id: u64,
    pub(crate) parent: Option<u64>,
    pub(crate) name: &'static str,
    pub(crate) began: SystemTime,
    pub(crate) ended: SystemTime,
    /// The session to which the span belongs. `None` if it belongs to no session.
    pub(crate) session: Option<SessionId>,
    /// Whether the span is a call to another program, such as the store.
    pub(crate) is_call: bool,
    /// Further attributes.
    pub(crate) attributes: Vec<(&'static str, &'static str)>,
    /// Whether the turn, wait or call has failed.
    pub(crate) has_failed: bool,
}

/// An item that the exporter receives.
#[derive(Debug)]
pub(crate) enum Item {
    Span(Box<Span>),
    /// A request to send a notification as soon as all spans before this item are exported.
    Flush(oneshot::Sender<()>),
}

/// Sends spans to the exporter, if there is one. Never waits.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    sender: OnceLock<mpsc::Sender<Item>>,
    /// The number of spans that were dropped because too many were waiting, or because the collector did not take them.
    lost: Arc<AtomicU64>,
    /// The traces of the sessions that are live, if there is an exporter.
    live: Mutex<HashMap<SessionId, Weak<Trace>>>,
}

impl Spans {
    /// Returns the receiver of all later spans. Returns `None` if there is already a receiver.
    pub(crate) fn begin(&self) -> Option<mpsc::Receiver<Item>> {
        let (sender, receiver) = mpsc::channel(MOST_WAITING);
        self.sender.set(sender).ok().map(|()| receiver)
    }

    /// Returns whether there is an exporter.
    pub(crate) fn is_on(&self) -> bool {
        self.sender.get().is_some()
    }

    /// Returns the number of spans that were dropped because too many were waiting, or because the collector did not take
    /// them. Returns `None` without an exporter.
    pub(crate) fn lost(&self) -> Option<u64> {
        self.is_on().then(|| self.lost.load(Relaxed))
    }

    /// Returns the counter of the spans that were dropped, for the exporter.
    pub(crate) fn losses(&self) -> Arc<AtomicU64> {
        self.lost.clone()
    }

    fn add(&self, span: Span) {
        if let Some(sender) = self.sender.get()
            && sender.try_send(Item::Span(Box::new(span))).is_err()
        {
            self.lost.fetch_add(1, Relaxed);
        }
    }

    fn live(&self) -> MutexGuard<'_, HashMap<SessionId, Weak<Trace>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a session with this trace is live under this ID.
    pub(crate) fn enter(&self, session: SessionId, trace: &Arc<Trace>) {
        if self.is_on() {
            self.live().insert(session, Arc::downgrade(trace));
        }
    }

    /// Records that a session with this trace is no longer live under this ID.
    pub(crate) fn leave(&self, session: &SessionId, trace: &Arc<Trace>) {
        let mut live = self.live();
        let known = live.get(session);
        if known.is_some_and(|known| Weak::ptr_eq(known, &Arc::downgrade(trace))) {
            live.remove(session);
        }
    }

    /// Returns the trace and the parent span for a call to the store that begins now. If the session is live, the parent is
    /// the span of the running turn, or the span of the session if no turn runs. If the session is not live, or `session`
    /// is `None`, the call gets a new trace.
    ///
    /// Returns `None` without an exporter. Also returns `None` for a call with a new trace if more than half of the
    /// queue is full. Otherwise many such calls in a short time would displace the spans of turns.
    pub(crate) fn place_of(&self, session: Option<&str>) -> Option<CallPlace> {
        let sender = self.sender.get()?;
        let session = session.map(SessionId::from);
        let live = session.as_ref();
        let live = live.and_then(|id| self.live().get(id).and_then(Weak::upgrade));
        let (trace, parent) = match live {
            Some(trace) => (trace.id, Some(trace.newest())),
            None if sender.capacity() < MOST_WAITING / 2 => return None,
            None => (uuid::Uuid::new_v4().as_u128(), None),
        };
        Some(CallPlace {
            trace,
            parent,
            session,
        })
    }

    /// Adds the span of a call to the store that began at `began`.
    pub(crate) fn call(&self, place: CallPlace, about: About, began: Instant) {
        let ended = SystemTime::now();
        self.add(Span {
            trace: place.trace,
            id: random(),
            parent: place.parent,
            name: about.name,
            began: ended.checked_sub(began.elapsed()).unwrap_or(ended),
            ended,
            session: place.session,
            is_call: true,
            attributes: about.attributes,
            has_failed: about.has_failed,
        });
    }

    /// Waits until all spans that were added before this call are exported.
    pub(crate) async fn flushed(&self) {
        let Some(sender) = self.sender.get() else {
            return;
        };
        let (done, exported) = oneshot::channel();
        if sender.send(Item::Flush(done)).await.is_ok() {
            let _ = exported.await;
        }
    }
}

/// The trace and the parent span of a call to the store.
#[derive(Debug)]
pub(crate) struct CallPlace {
    trace: u128,
    parent: Option<u64>,
    session: Option<SessionId>,
}

/// The trace of a live session. The root is a span for the time for which the session is live.
#[derive(Debug)]
pub(crate) struct Trace {
    id: u128,
    root: u64,
    began: Instant,
    /// The ID of the span of the running turn. It is 0 if no turn runs.
    turn: AtomicU64,
}

/// The name, the attributes and the outcome of a span.
pub(crate) struct About {
    pub(crate) name: &'static str,
    pub(crate) attributes: Vec<(&'static str, &'static str)>,
    pub(crate) has_failed: bool,
}

impl About {
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            attributes: Vec::new(),
            has_failed: false,
        }
    }
}

impl Trace {
    pub(crate) fn new() -> Self {
        Self {
            id: uuid::Uuid::new_v4().as_u128(),
            root: random(),
            began: Instant::now(),
            turn: AtomicU64::new(0),
        }
    }

    /// Returns the value of `TRACEPARENT` for the processes of the session.
    pub(crate) fn parent(&self) -> String {
        format!("00-{:032x}-{:016x}-01", self.id, self.root)
    }

    /// Records that a turn has begun. From now on, the spans of calls to the store belong to this turn.
    pub(crate) fn turn_begins(&self, prompt: &str) {
        self.turn.store(self.turn_id(prompt), Relaxed);
    }

    /// Records that a process will receive the prompt of a turn next. If no other turn runs, the spans of calls to the
    /// store belong to this turn from now on.
    pub(crate) fn turn_comes(&self, prompt: &str) {
        let id = self.turn_id(prompt);
        let _ = self.turn.compare_exchange(0, id, Relaxed, Relaxed);
    }

    /// Adds the span of a turn that has ended. Its prompt was accepted at `began`.
    pub(crate) fn turn(
        &self,
        spans: &Spans,
        session: SessionId,
        prompt: &str,
        about: About,
        began: Instant,
    ) {
        let id = self.turn_id(prompt);
        let _ = self.turn.compare_exchange(id, 0, Relaxed, Relaxed);
        self.add(spans, session, about, began, id, Some(self.root));
    }

    /// Adds the span of something that a turn has waited for. If `prompt` is `None`, the wait belongs to the newest
    /// turn.
    pub(crate) fn wait(
        &self,
        spans: &Spans,
        session: SessionId,
        prompt: Option<&str>,
        about: About,
        began: Instant,
    ) {
        let parent = prompt.map_or_else(|| self.newest(), |prompt| self.turn_id(prompt));
        self.add(spans, session, about, began, random(), Some(parent));
    }

    /// Adds the span of the session. Called when the session is no longer live.
    pub(crate) fn end(&self, spans: &Spans, session: SessionId) {
        let about = About::new("claw.session");
        self.add(spans, session, about, self.began, self.root, None);
    }

    fn add(
        &self,
        spans: &Spans,
        session: SessionId,
        about: About,
        began: Instant,
        id: u64,
        parent: Option<u64>,
    ) {
        let ended = SystemTime::now();
        spans.add(Span {
            trace: self.id,
            id,
            parent,
            name: about.name,
            began: ended.checked_sub(began.elapsed()).unwrap_or(ended),
            ended,
            session: Some(session),
            is_call: false,
            attributes: about.attributes,
            has_failed: about.has_failed,
        });
    }

    /// Returns the ID of the newest turn's span. If that turn has ended, returns the ID of the session's span.
    fn newest(&self) -> u64 {
        match self.turn.load(Relaxed) {
            0 => self.root,
            turn => turn,
        }
    }

    /// Derives the ID of a turn's span from the UUID of its prompt.
    fn turn_id(&self, prompt: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.root, prompt).hash(&mut hasher);
        hasher.finish().max(1)
    }
}

/// Creates a random ID. It is never 0, because some bits of a random UUID are always set.
fn random() -> u64 {
    uuid::Uuid::new_v4().as_u64_pair().1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(receiver: &mut mpsc::Receiver<Item>) -> Span {
        match receiver.try_recv() {
            Ok(Item::Span(span)) => *span,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_a_turn_waits_for_is_below_the_turn_and_the_turn_below_the_session() {
        let (spans, trace) = (Spans::default(), Trace::new());
        let mut receiver = spans.begin().unwrap();
        assert!(spans.begin().is_none());
        let session = || SessionId::from("s");
        let began = Instant::now();
        trace.turn_begins("p");
        trace.wait(&spans, session(), None, About::new("one"), began);
        trace.turn(&spans, session(), "p", About::new("turn"), began);
        trace.wait(&spans, session(), Some("p"), About::new("two"), began);
        trace.wait(&spans, session(), None, About::new("other"), began);
        trace.end(&spans, session());
        let [one, turn, two, other, root] = std::array::from_fn(|_| received(&mut receiver));
        assert_eq!([one.parent, two.parent], [Some(turn.id); 2]);
        assert_eq!([turn.parent, other.parent], [Some(root.id); 2]);
        assert_eq!(root.parent, None);
        assert!(one.began <= one.ended);
        let header = format!("00-{:032x}-{:016x}-01", root.trace, root.id);
        assert_eq!(trace.parent(), header);
    }

    #[test]
    fn a_call_is_below_the_turn_that_runs_in_its_session() {
        let (spans, trace) = (Spans::default(), Arc::new(Trace::new()));
        let session = || SessionId::from("s");
        let call = |spans: &Spans, of: Option<&str>| {
            let place = spans.place_of(of)?;
            spans.call(place, About::new("append"), Instant::now());
            Some(())
        };
        // Without an exporter, nothing is recorded.
        spans.enter(session(), &trace);
        assert!(call(&spans, Some("s")).is_none() && spans.live().is_empty());
        let mut receiver = spans.begin().unwrap();
        spans.enter(session(), &trace);
        trace.turn_comes("p");
        // The prompt `q` waits until the turn of `p` has ended. So calls to the store still belong to the turn of `p`.
        trace.turn_comes("q");
        call(&spans, Some("s")).unwrap();
        trace.turn_begins("p");
        trace.turn(&spans, session(), "p", About::new("turn"), Instant::now());
        call(&spans, Some("s")).unwrap();
        call(&spans, Some("other")).unwrap();
        call(&spans, None).unwrap();
        // If a session is closed and quickly opened again, the end of the old trace does not remove the new one.
        spans.leave(&session(), &Arc::new(Trace::new()));
        call(&spans, Some("s")).unwrap();
        spans.leave(&session(), &trace);
        call(&spans, Some("s")).unwrap();
        let [in_turn, turn, idle, other, none, again, closed] =
            std::array::from_fn(|_| received(&mut receiver));
        assert_eq!((in_turn.trace, in_turn.parent), (turn.trace, Some(turn.id)));
        assert!(in_turn.is_call && !turn.is_call);
        for below in [idle, again] {
            assert_eq!((below.trace, below.parent), (turn.trace, turn.parent));
        }
        for apart in [&other, &none, &closed] {
            assert!(apart.parent.is_none() && apart.trace != turn.trace);
        }
        assert_eq!(other.session, Some(SessionId::from("other")));
        assert_eq!(none.session, None);
    }

    #[test]
    fn calls_of_no_session_leave_room_for_turns() {
        let (spans, trace) = (Spans::default(), Arc::new(Trace::new()));
        let _receiver = spans.begin().unwrap();
        spans.enter(SessionId::from("s"), &trace);
        let call = |of: Option<&str>| {
            let place = spans.place_of(of);
            place.map(|place| spans.call(place, About::new("load"), Instant::now()))
        };
        while call(None).is_some() {}
        assert_eq!(spans.lost(), Some(0));
        assert!(call(Some("other")).is_none() && call(Some("s")).is_some());
    }

    #[test]
    fn spans_that_are_too_many_are_lost_and_counted() {
        let (spans, trace) = (Spans::default(), Trace::new());
        trace.end(&spans, SessionId::from("s"));
        assert_eq!(spans.lost(), None);
        let _receiver = spans.begin();
        for _ in 0..MOST_WAITING + 3 {
            trace.end(&spans, SessionId::from("s"));
        }
        assert_eq!(spans.lost(), Some(3));
    }
}
