//! Records how much of their limits users and projects have used.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use claw_client::pool::PooledSession;
use tokio::sync::Notify;

use crate::quota::{Account, LimitKind, Quotas, ReachedLimit};
use crate::quota_costs::{self, Costs};

/// An hour, in milliseconds.
const HOUR: i64 = 3_600_000;

/// The user and the project to which a prompt is charged.
#[derive(Debug, Clone, Default)]
pub(crate) struct Payer {
    /// The user who sent the prompt. `None` for the owner of the server.
    pub(crate) user: Option<Arc<str>>,
    /// The user and the project to which the prompt is charged, except those without limits.
    accounts: Arc<[Account]>,
}

impl Payer {
    /// Creates the payer of a prompt that this user sends in this project.
    pub(crate) fn new(
        book: Option<&Arc<QuotaBook>>,
        user: Option<Arc<str>>,
        project: &str,
    ) -> Self {
        let accounts = book.map(|book| {
            let user = user.as_deref().map(|name| Account::User(name.to_owned()));
            let project = Account::Project(project.to_owned());
            let both = user.into_iter().chain([project]);
            both.filter(|account| book.quotas.of(account).is_some())
                .collect()
        });
        Self {
            user,
            accounts: accounts.unwrap_or_default(),
        }
    }

    /// Returns the name under which the prompt waits in the process pool. This is the name of the user. If the owner
    /// sends the prompt, it is the name of the project.
    pub(crate) fn tenant(&self, project: &str) -> String {
        match &self.user {
            Some(user) => format!("user {user}"),
            None => project.to_owned(),
        }
    }

    /// Returns whether the prompt is charged to this user or project.
    pub(crate) fn is_of(&self, account: &Account) -> bool {
        self.accounts.contains(account)
    }

    pub(crate) fn accounts(&self) -> &[Account] {
        &self.accounts
    }
}

/// Records how much of their limits users and projects have used. The number of entries is limited, because the keys
/// are the users in the server's file and the projects of the server. Texts from requests are never keys.
#[derive(Debug)]
pub(crate) struct QuotaBook {
    quotas: Quotas,
    inner: Mutex<Inner>,
    /// Notified when a waiting session may be able to get a process.
    changed: Notify,
    /// The file with the costs.
    file: PathBuf,
    /// Locked while the file is written, so that the newest costs are written last.
    writing: Mutex<()>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Whether the costs have changed since the file was written.
    is_unwritten: bool,
    used: BTreeMap<Account, Used>,
    /// The sessions that have a process, or will get one at once. Each key is the key of the session's slot.
    holders: HashMap<u64, Holder>,
    /// The prompts that wait for a process, in the order in which they arrived.
    waiters: BTreeMap<u64, Payer>,
    /// For each user, and for the owner (`None`), a number that shows when a session of this payer last got a process. A larger
    /// number means a later time.
    served: HashMap<Option<Arc<str>>, u64>,
    next: u64,
}

/// The amounts that a user or project has used.
#[derive(Debug, Default)]
struct Used {
    /// The number of accepted prompts that no process has received yet.
    waiting: u32,
    /// The times at which the prompts of the last hour were accepted, in milliseconds since 1970, oldest first.
    turns: VecDeque<i64>,
    costs: Costs,
}

/// A session that has a process, or will get one at once.
#[derive(Debug)]
struct Holder {
    /// The payer to whom the process is charged: the payer of the session's newest prompt.
    payer: Payer,
    session: PooledSession,
    /// The time at which the last turn of the session ended. `None` while a turn runs.
    idle_since: Option<Instant>,
    /// Whether the server is ending the process, so that another session can get a process.
    is_ending: bool,
}

/// The position of an accepted prompt in the queues of its user and project. Dropping this value removes the prompt
/// from the queues.
#[derive(Debug)]
pub(crate) struct QueuePlace {
    book: Arc<QuotaBook>,
    payer: Payer,
    accepted: i64,
}

/// A copy of a session that is counted as a prompt before it is made. Dropping this value withdraws the copy, so that it is
/// not counted.
#[derive(Debug)]
pub(crate) struct CountedCopy {
    book: Arc<QuotaBook>,
    payer: Payer,
    counted: i64,
}

/// The slot of a session. With it, the session acquires and releases the right to have a process.
#[derive(Debug)]
pub(crate) struct ProcessSlot {
    book: Arc<QuotaBook>,
    key: u64,
    session: PooledSession,
}

/// The reason why a session has to wait for a process.
#[derive(Default)]
struct Wait {
    limit: Option<ReachedLimit>,
    /// An idle session, if there is one. The caller ends its process, so that the waiting session can get a process.
    evicted: Option<(u64, PooledSession)>,
}

/// A prompt that waits for a process. Dropping this value ends the wait.
struct Waiter<'a> {
    book: &'a QuotaBook,
    ticket: u64,
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.book.lock().waiters.remove(&self.ticket);
        self.book.changed.notify_waiters();
    }
}

impl Used {
    fn count(&self, kind: LimitKind) -> f64 {
        match kind {
            LimitKind::TurnsPerHour => number(self.turns.len()),
            LimitKind::Waiting => f64::from(self.waiting),
            LimitKind::CostPerDay | LimitKind::CostPerMonth => self.costs.of(kind),
            LimitKind::Processes | LimitKind::Sessions => 0.0,
        }
    }

    fn forget_old(&mut self, now: i64) {
        self.costs.advance(now);
        while self.turns.front().is_some_and(|turn| *turn <= now - HOUR) {
            self.turns.pop_front();
        }
    }

    /// Returns the time at which a reached limit allows a further prompt, in milliseconds since 1970. Returns `None`
    /// for a limit that does not depend on the time.
    fn free_at(&self, kind: LimitKind) -> Option<i64> {
        match kind {
            LimitKind::TurnsPerHour => self.turns.front().map(|oldest| oldest + HOUR),
            LimitKind::CostPerDay | LimitKind::CostPerMonth => self.costs.free_at(kind),
            LimitKind::Processes | LimitKind::Sessions | LimitKind::Waiting => None,
        }
    }
}

impl Inner {
    fn processes(&self, account: &Account) -> usize {
        let holders = self.holders.values();
        holders.filter(|it| it.payer.is_of(account)).count()
    }

    /// Removes a turn, which was counted at the time `counted`, from the turns of the last hour.
    fn withdraw_turn(&mut self, payer: &Payer, counted: i64) {
        for account in payer.accounts() {
            let turns = self.used.get_mut(account).map(|used| &mut used.turns);
            if let Some(turns) = turns
                && let Some(at) = turns.iter().rposition(|turn| *turn == counted)
            {
                turns.remove(at);
            }
        }
    }

    /// Among the other sessions of a user or project, chooses the session that has been idle for the longest time. The
    /// caller ends its process.
    fn evict(&mut self, own: u64, account: &Account) -> Option<(u64, PooledSession)> {
        let others = self.holders.iter_mut().filter(|(key, _)| **key != own);
        let others = others.filter(|(_, it)| !it.is_ending && it.payer.is_of(account));
        let idle = others.filter_map(|(key, it)| Some((it.idle_since?, *key, it)));
        let (_, key, holder) = idle.min_by_key(|(since, key, _)| (*since, *key))?;
        holder.is_ending = true;
        Some((key, holder.session.clone()))
    }
}

fn number(count: usize) -> f64 {
    u32::try_from(count).unwrap_or(u32::MAX).into()
}

impl QuotaBook {
    /// Creates a book with the costs in this file. The file need not exist. Blocks.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub(crate) fn open(quotas: Quotas, file: PathBuf) -> io::Result<Self> {
        let kept = quota_costs::read(&file)?.into_iter();
        let used = kept.map(|(account, costs)| {
            let used = Used {
                costs,
                ..Used::default()
            };
            (account, used)
        });
        let inner = Inner {
            used: used.collect(),
            ..Inner::default()
        };
        Ok(Self {
            quotas,
            inner: Mutex::new(inner),
            changed: Notify::new(),
            file,
            writing: Mutex::default(),
        })
    }

    /// Charges the cost of a turn to its payer. `cost` is in US dollars, and `now` is in milliseconds since 1970.
    pub(crate) fn charge(&self, payer: &Payer, cost: f64, now: i64) {
        let mut inner = self.lock();
        for account in payer.accounts() {
            let mut kinds = LimitKind::COSTS.into_iter();
            if cost > 0.0 && kinds.any(|kind| self.limit(account, kind).is_some()) {
                let used = inner.used.entry(account.clone()).or_default();
                used.costs.advance(now);
                used.costs.add(cost);
                inner.is_unwritten = true;
            }
        }
    }

    /// Writes the costs to the file, if they have changed. Blocks.
    pub(crate) fn save(&self) {
        let _in_order = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let costs = {
            let mut inner = self.lock();
            if !std::mem::take(&mut inner.is_unwritten) {
                return;
            }
            let used = inner.used.iter();
            used.map(|(account, used)| (account.clone(), used.costs.clone()))
                .collect()
        };
        if let Err(error) = quota_costs::write(&self.file, costs) {
            self.lock().is_unwritten = true;
            let file = self.file.display();
            tracing::error!(%error, %file, "the costs of users and projects are not kept for the next server");
        }
    }

    /// Returns the amount that a payer may still spend at the time `now`, in US dollars. Returns `None` if there is no
    /// limit.
    ///
    /// # Errors
    ///
    /// Fails if a limit is already reached. The error is that limit.
    pub(crate) fn left(&self, payer: &Payer, now: i64) -> Result<Option<f64>, ReachedLimit> {
        let mut inner = self.lock();
        let mut least: Option<f64> = None;
        for account in payer.accounts() {
            for kind in LimitKind::COSTS {
                let Some(most) = self.limit(account, kind) else {
                    continue;
                };
                let used = inner.used.entry(account.clone()).or_default();
                used.forget_old(now);
                let left = most - used.count(kind);
                if left <= 0.0 {
                    return Err(ReachedLimit::new(account, kind, most, used.free_at(kind)));
                }
                least = Some(least.map_or(left, |least| least.min(left)));
            }
        }
        Ok(least)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the limit of this kind. Returns `None` if the user or project has no such limit.
    pub(crate) fn limit(&self, account: &Account, kind: LimitKind) -> Option<f64> {
        self.quotas.of(account)?.limit(kind)
    }

    /// Returns the names of the users who have used something, or who have own limits.
    pub(crate) fn users(&self) -> Vec<String> {
        let inner = self.lock();
        let used = inner.used.keys().filter_map(|account| match account {
            Account::User(name) => Some(name.as_str()),
            Account::Project(_) => None,
        });
        let mut all: Vec<_> = used.chain(self.quotas.users()).map(str::to_owned).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Returns how much of a limit a user or project has used at the time `now`. If the limit is reached, also returns the
    /// time at which it allows a further prompt. Returns 0 for the limit of live sessions, because the book does not count
    /// live sessions.
    pub(crate) fn used(&self, account: &Account, kind: LimitKind, now: i64) -> (f64, Option<i64>) {
        let mut inner = self.lock();
        if kind == LimitKind::Processes {
            return (number(inner.processes(account)), None);
        }
        let Some(used) = inner.used.get_mut(account) else {
            return (0.0, None);
        };
        used.forget_old(now);
        let count = used.count(kind);
        let is_reached = self.limit(account, kind).is_some_and(|most| count >= most);
        (count, used.free_at(kind).filter(|_| is_reached))
    }

    /// Counts a prompt. Called directly before the server accepts the prompt. `now` is in milliseconds since 1970.
    ///
    /// # Errors
    ///
    /// Fails with the limit that the prompt would exceed. The prompt is then not counted.
    pub(crate) fn accept(
        self: &Arc<Self>,
        payer: &Payer,
        now: i64,
    ) -> Result<QueuePlace, ReachedLimit> {
        let mut inner = self.lock();
        self.count_turn(&mut inner, payer, &LimitKind::ALL, now)?;
        for account in payer.accounts() {
            inner.used.entry(account.clone()).or_default().waiting += 1;
        }
        Ok(QueuePlace {
            book: self.clone(),
            payer: payer.clone(),
            accepted: now,
        })
    }

    /// Counts a copy of a session as a prompt in the limits of prompts per hour. Called before the copy is made. `now` is in
    /// milliseconds since 1970.
    ///
    /// # Errors
    ///
    /// Fails with the limit that is reached. The copy is then not counted.
    pub(crate) fn count_copy(
        self: &Arc<Self>,
        payer: &Payer,
        now: i64,
    ) -> Result<CountedCopy, ReachedLimit> {
        let kinds = [LimitKind::TurnsPerHour];
        self.count_turn(&mut self.lock(), payer, &kinds, now)?;
        Ok(CountedCopy {
            book: self.clone(),
            payer: payer.clone(),
            counted: now,
        })
    }

    /// Counts a turn, if no limit of these kinds is reached.
    fn count_turn(
        &self,
        inner: &mut Inner,
        payer: &Payer,
        kinds: &[LimitKind],
        now: i64,
    ) -> Result<(), ReachedLimit> {
        for account in payer.accounts() {
            let used = inner.used.entry(account.clone()).or_default();
            used.forget_old(now);
            for &kind in kinds {
                if let Some(most) = self.limit(account, kind)
                    && used.count(kind) >= most
                {
                    // The limits of processes and sessions are checked elsewhere. `count` returns 0 for them, so a
                    // limit above 0 never causes this error.
                    return Err(ReachedLimit::new(account, kind, most, used.free_at(kind)));
                }
            }
        }
        for account in payer.accounts() {
            if self.limit(account, LimitKind::TurnsPerHour).is_some() {
                let used = inner.used.entry(account.clone()).or_default();
                used.turns.push_back(now);
            }
        }
        Ok(())
    }

    /// Gives a session a process slot, if the limits allow that. `ticket` is the number of the waiting prompt.
    /// `evicted` is the session whose process is being ended for this prompt.
    fn hold(
        &self,
        slot: &ProcessSlot,
        payer: &Payer,
        ticket: u64,
        evicted: Option<u64>,
    ) -> Result<(), Wait> {
        let mut inner = self.lock();
        let own = inner.holders.get(&slot.key);
        if own.is_some_and(|own| own.is_ending) {
            // The server is ending the process of this session, to make room for another session. The process is counted
            // until it has ended, so this session must wait.
            return Err(Wait::default());
        }
        let is_held = own.is_some_and(|own| own.payer.accounts == payer.accounts);
        let full = (!is_held).then(|| self.full(&inner, slot.key, payer, ticket));
        let Some((account, most)) = full.flatten() else {
            self.set_holder(&mut inner, slot, payer);
            return Ok(());
        };
        let mut holders = inner.holders.iter_mut();
        let has_evicted = holders.any(|(key, it)| Some(*key) == evicted && it.is_ending);
        let evicted = (!has_evicted).then(|| inner.evict(slot.key, &account));
        Err(Wait {
            limit: Some(ReachedLimit::new(
                &account,
                LimitKind::Processes,
                most,
                None,
            )),
            evicted: evicted.flatten(),
        })
    }

    /// Returns the limit that prevents the session from getting a process now. Waiting prompts are served in this
    /// order: first the prompts of the user who has not got a process for the longest time, and then the prompts of the
    /// other users. Prompts of one user are served in the order of their arrival.
    fn full(&self, inner: &Inner, key: u64, payer: &Payer, ticket: u64) -> Option<(Account, f64)> {
        let mut counts: BTreeMap<&Account, usize> = BTreeMap::new();
        for (_, holder) in inner.holders.iter().filter(|(of, _)| **of != key) {
            for account in holder.payer.accounts() {
                *counts.entry(account).or_default() += 1;
            }
        }
        let served = |payer: &Payer| inner.served.get(&payer.user).copied().unwrap_or_default();
        let own = (served(payer), ticket);
        let waiters = inner.waiters.iter();
        let places = waiters.map(|(ticket, payer)| ((served(payer), *ticket), payer));
        let mut before: Vec<_> = places.filter(|(place, _)| *place < own).collect();
        before.sort_unstable_by_key(|(place, _)| *place);
        let full = |payer: &Payer, counts: &BTreeMap<&Account, usize>| {
            payer.accounts().iter().find_map(|account| {
                let most = self.limit(account, LimitKind::Processes)?;
                let held = counts.get(account).copied().unwrap_or_default();
                (number(held) >= most).then(|| (account.clone(), most))
            })
        };
        for (_, payer) in before {
            if full(payer, &counts).is_none() {
                for account in payer.accounts() {
                    *counts.entry(account).or_default() += 1;
                }
            }
        }
        full(payer, &counts)
    }

    fn set_holder(&self, inner: &mut Inner, slot: &ProcessSlot, payer: &Payer) {
        let holder = Holder {
            payer: payer.clone(),
            session: slot.session.clone(),
            idle_since: None,
            is_ending: false,
        };
        if inner.holders.insert(slot.key, holder).is_none() {
            inner.next += 1;
            inner.served.insert(payer.user.clone(), inner.next);
        }
        // If the session is now charged to another payer, the previous payer has one process less, and may get another.
        self.changed.notify_waiters();
    }

    fn release(&self, key: u64) {
        let removed = self.lock().holders.remove(&key);
        if removed.is_some() {
            self.changed.notify_waiters();
        }
    }
}

impl QueuePlace {
    /// Withdraws an accepted prompt. The prompt is then not counted as a turn of the last hour.
    pub(crate) fn take_back(self) {
        let mut inner = self.book.lock();
        inner.withdraw_turn(&self.payer, self.accepted);
    }
}

impl CountedCopy {
    /// Keeps the copy counted. Called when the copy is made and opened.
    pub(crate) fn keep(mut self) {
        self.payer = Payer::default();
    }
}

impl Drop for CountedCopy {
    fn drop(&mut self) {
        let mut inner = self.book.lock();
        inner.withdraw_turn(&self.payer, self.counted);
    }
}

impl Drop for QueuePlace {
    fn drop(&mut self) {
        let mut inner = self.book.lock();
        for account in self.payer.accounts() {
            if let Some(used) = inner.used.get_mut(account) {
                used.waiting -= 1;
            }
        }
    }
}

impl ProcessSlot {
    /// Creates a slot for a session that has no process yet.
    pub(crate) fn new(book: &Arc<QuotaBook>, session: PooledSession) -> Self {
        let mut inner = book.lock();
        inner.next += 1;
        Self {
            book: book.clone(),
            key: inner.next,
            session,
        }
    }

    /// Waits until the session may have a process for a prompt of this payer. If a limit is reached, ends the process
    /// of an idle session. While the session waits, calls `on_wait` with the limit for which it waits, each time that
    /// this limit may have changed. At the end, calls `on_wait` with `None`.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe. If the future is dropped, `on_wait` is not called with `None`.
    pub(crate) async fn acquire(&self, payer: &Payer, on_wait: impl Fn(Option<ReachedLimit>)) {
        let book = &*self.book;
        let mut changed = pin!(book.changed.notified());
        let ticket = {
            let mut inner = book.lock();
            inner.next += 1;
            let ticket = inner.next;
            inner.waiters.insert(ticket, payer.clone());
            ticket
        };
        let _waiter = Waiter { book, ticket };
        let mut ended = None;
        loop {
            // The registration for notifications happens before the check of the state, so that no change is missed.
            changed.as_mut().enable();
            let Err(wait) = book.hold(self, payer, ticket, ended) else {
                on_wait(None);
                return;
            };
            on_wait(wait.limit);
            if let Some((key, session)) = wait.evicted {
                ended = Some(key);
                let (book, exited) = (self.book.clone(), session.end_process());
                tokio::spawn(async move {
                    exited.await;
                    // Usually the driver of the other session has already released its slot. If that driver never received
                    // the messages of the process, the slot is released here.
                    if !session.has_process() {
                        book.release(key);
                    }
                });
            }
            changed.as_mut().await;
            changed.set(book.changed.notified());
        }
    }

    /// Records that the session has a process for this payer, even if this exceeds the limits.
    pub(crate) fn take(&self, payer: &Payer) {
        let mut inner = self.book.lock();
        let own = inner.holders.get(&self.key);
        if own.is_none_or(|own| own.is_ending) {
            self.book.set_holder(&mut inner, self, payer);
        }
    }

    /// Records whether the session is idle. The process of an idle session may be ended to make room for another session.
    pub(crate) fn set_idle(&self, is_idle: bool) {
        let mut inner = self.book.lock();
        if let Some(own) = inner.holders.get_mut(&self.key) {
            own.idle_since = is_idle.then(Instant::now);
        }
        drop(inner);
        if is_idle {
            self.book.changed.notify_waiters();
        }
    }

    /// Records that the session has no process.
    pub(crate) fn release(&self) {
        self.book.release(self.key);
    }
}

impl Drop for ProcessSlot {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Quota;

    fn book(turns: u32, waiting: u32) -> Arc<QuotaBook> {
        let quota = Quota {
            turns_per_hour: Some(turns),
            waiting: Some(waiting),
            ..Quota::default()
        };
        let quotas = Quotas::new().other_users(quota);
        Arc::new(QuotaBook::open(quotas, PathBuf::from("no/such/file")).unwrap())
    }

    fn payer(book: &Arc<QuotaBook>, user: &str) -> Payer {
        Payer::new(Some(book), Some(user.into()), "shop")
    }

    #[test]
    fn a_turn_is_forgotten_after_an_hour() {
        let book = book(2, 10);
        let ana = payer(&book, "ana");
        drop([0, 1000].map(|at| book.accept(&ana, at).unwrap()));
        for (at, seconds) in [(1000, 3599), (HOUR - 1, 1)] {
            let reached = book.accept(&ana, at).unwrap_err();
            assert_eq!(reached.kind, LimitKind::TurnsPerHour);
            assert_eq!(reached.seconds(at), Some(seconds));
        }
        drop(book.accept(&ana, HOUR).unwrap());
        assert!(book.accept(&ana, HOUR).is_err());
        // A withdrawn prompt is not counted.
        book.accept(&ana, HOUR + 1000).unwrap().take_back();
        drop(book.accept(&ana, HOUR + 1000).unwrap());
    }

    #[test]
    fn costs_are_those_of_the_payer_and_survive_the_server() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("claw/quotas.json");
        let open = || {
            let mut quota = Quota::default();
            (quota.cost_per_day, quota.cost_per_month) = (Some(1.0), Some(1.5));
            let quotas = Quotas::new().other_users(quota);
            Arc::new(QuotaBook::open(quotas, file.clone()).unwrap())
        };
        let mut book = open();
        let (ana, bo) = (payer(&book, "ana"), payer(&book, "bo"));
        // Noon of 2026-11-28, and the two days after it.
        let [noon, second, third] = [0, 1, 2].map(|days| (20_785 + days) * 24 * HOUR + 12 * HOUR);
        assert_eq!(book.left(&ana, noon), Ok(Some(1.0)));
        book.charge(&ana, 0.75, noon);
        assert_eq!(book.left(&ana, noon), Ok(Some(0.25)));
        assert_eq!(book.left(&bo, noon), Ok(Some(1.0)));
        book.charge(&ana, 0.5, noon);
        book.save();
        book = open();
        let reached = book.accept(&ana, noon).unwrap_err();
        assert_eq!(reached.kind, LimitKind::CostPerDay);
        assert_eq!(reached.seconds(noon), Some(12 * 3600));
        assert_eq!(book.left(&ana, second), Ok(Some(0.25)));
        drop(book.accept(&ana, second).unwrap());
        book.charge(&ana, 0.25, second);
        let reached = book.accept(&ana, second).unwrap_err();
        assert_eq!(reached.kind, LimitKind::CostPerMonth);
        assert_eq!(reached.seconds(second), Some(36 * 3600));
        assert!(book.left(&ana, third).is_err());
        // The next day is the first day of December.
        assert_eq!(book.left(&ana, third + 24 * HOUR), Ok(Some(1.0)));
    }

    #[test]
    fn a_place_in_the_queue_is_free_when_its_prompt_has_a_process() {
        let book = book(100, 2);
        let (ana, bo) = (payer(&book, "ana"), payer(&book, "bo"));
        let places = [0, 0].map(|at| book.accept(&ana, at).unwrap());
        let reached = book.accept(&ana, 0).unwrap_err();
        assert_eq!(
            (reached.kind, reached.seconds(0)),
            (LimitKind::Waiting, None)
        );
        drop(book.accept(&bo, 0).unwrap());
        drop(places);
        let used = |kind| book.used(&Account::User("ana".to_owned()), kind, 0);
        assert_eq!(used(LimitKind::Waiting), (0.0, None));
        assert_eq!(used(LimitKind::TurnsPerHour), (2.0, None));
    }
}
