//! `claw sessions --store`: the commands for sessions of a store.

use std::env::temp_dir;
use std::time::Duration;

use claw_client::store::{
    Changes, Checkout, Import, SessionIndex, SessionRef, StoreError, StoredError, kept_notices,
};
use claw_sessions::Sessions;
use claw_types::Count;
use claw_types::store::SessionInfo;

use super::list::{How, Line, NONE_LARGER, now, table};
use super::{
    Done, Failed, change, deleted, export, indexed, json_line, print, search, synced, usage,
};
use crate::args::sessions::{Command, Id, Scope, Selected, Which};
use crate::escape::escape;
use crate::outcome::Outcome;
use crate::store::Opened;
use crate::view;
use crate::view::terminal_width;

/// The duration of the claim with which an import protects a session.
const IMPORT: Duration = Duration::from_mins(10);

impl From<StoredError> for Failed {
    fn from(error: StoredError) -> Self {
        match error {
            StoredError::Sessions(error) => error.into(),
            error => Self::Stored(error),
        }
    }
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        StoredError::from(error).into()
    }
}

impl Command {
    /// Runs a command with a store. `sessions` are the sessions on this disk.
    pub(super) async fn with_store(
        self,
        store: &Opened,
        sessions: Result<Sessions, claw_sessions::Error>,
    ) -> Done {
        match self {
            Self::List {
                scope,
                limit,
                larger_than,
                json,
            } => {
                let how = How {
                    limit,
                    larger_than,
                    json,
                };
                list(store, &scope, how).await
            }
            Self::Show { follow: true, .. } => {
                refuse("a session of a store cannot be followed: it is shown as it is now")
            }
            Self::Show {
                which,
                json,
                rewound,
                width,
                ..
            } => {
                let how = view::show::How {
                    json,
                    follow: false,
                    rewound,
                    width,
                };
                let session = which.stored(store).await?;
                let checkout = checkout(store, &session).await?;
                let shown = view::show::show(checkout.session().transcript(), how).await;
                checkout.close().await?;
                match shown {
                    Outcome::Success => show_kept(store, &session).await,
                    outcome => Err(Failed::Reported(outcome)),
                }
            }
            Self::Rename { id, title } => {
                let changes = Changes::new().title(title);
                Ok(store
                    .sessions()
                    .change(&id.stored(store).await?, &changes)
                    .await?)
            }
            Self::Tag { id, tag, .. } => {
                let changes = Changes::new().tag(tag.unwrap_or_default());
                Ok(store
                    .sessions()
                    .change(&id.stored(store).await?, &changes)
                    .await?)
            }
            Self::Archive { id, undo } => {
                let changes = Changes::new().archived(!undo);
                Ok(store
                    .sessions()
                    .change(&id.stored(store).await?, &changes)
                    .await?)
            }
            Self::Move { .. } => {
                refuse("this moves the sessions of a disk alone. A store keeps them.")
            }
            Self::Repair { .. } => {
                refuse("this mends the sessions of a disk alone. A store takes no broken lines.")
            }
            Self::Delete {
                id: Some(id), yes, ..
            } => {
                let session = Id { id }.stored(store).await?;
                delete(store, sessions.ok().as_ref(), &session, yes).await
            }
            Self::Delete { selected, yes, .. } => {
                delete_all(store, sessions.ok().as_ref(), &selected, yes).await
            }
            Self::Fork {
                which,
                up_to,
                title,
            } => fork(store, &which.stored(store).await?, up_to, title).await,
            Self::Search {
                text,
                scope,
                ignore_case,
                everything,
                json,
            } => {
                let how = search::How {
                    ignore_case,
                    everything,
                    json,
                };
                indexed::search(store, sessions.ok().as_ref(), &scope, &text, how).await
            }
            Self::Usage {
                id: None,
                scope,
                report,
            } => indexed::usage(store, sessions.ok().as_ref(), &scope, &report).await,
            Self::Usage {
                id: Some(id),
                scope,
                report,
            } => {
                let session = Id { id }.stored(store).await?;
                let checkout = checkout(store, &session).await?;
                let taken = Sessions::new(checkout.config());
                let counted = usage::usage(&taken, Some(session.session()), &scope, &report);
                checkout.close().await?;
                counted
            }
            Self::Import { which } => import(store, &which, &sessions?).await,
            Self::Sync {
                project,
                watch,
                json,
                ..
            } => {
                let how = synced::SyncHow { watch, json };
                synced::sync(store, sessions?, project, how).await
            }
            Self::Pull {
                project,
                all,
                dry_run,
                json,
            } => {
                let how = synced::PullHow { all, dry_run, json };
                synced::pull(store, sessions?, project, how).await
            }
            Self::Export {
                which,
                output,
                format,
            } => {
                let session = which.stored(store).await?;
                let checkout = checkout(store, &session).await?;
                let written = export::export(checkout.session(), &output, format);
                checkout.close().await?;
                written?;
                report_kept(store, &session).await
            }
        }
    }
}

impl Id {
    async fn stored(&self, store: &Opened) -> Result<SessionRef, Failed> {
        find(store, &self.id).await
    }
}

/// Finds the session with an ID or with the beginning of an ID, in all projects. If the ID is complete and belongs to
/// the store's project, no list is read.
async fn find(store: &Opened, id: &str) -> Result<SessionRef, Failed> {
    let sessions = store.sessions();
    if id.len() == 36 {
        match sessions.find(Some(&store.project), id).await {
            Err(error) if error.is_not_found() => {}
            found => return Ok(found?),
        }
    }
    Ok(sessions.find(None, id).await?)
}

impl Which {
    async fn stored(&self, store: &Opened) -> Result<SessionRef, Failed> {
        if let Some(id) = &self.id {
            return find(store, id).await;
        }
        let listing = store.sessions().list(Some(&store.project)).await?;
        report_problems(&listing.problems);
        let mut shown = listing.sessions.into_iter();
        let newest = shown.find(|session| session.info.is_some());
        newest.map(|newest| newest.session).ok_or_else(|| {
            anstream::eprintln!("claw: the store has no session of this project");
            Failed::Reported(Outcome::Unreadable)
        })
    }
}

/// The sessions of a list, and the numbers of sessions whose size was compared.
#[derive(Default)]
struct Chosen {
    infos: Vec<SessionInfo>,
    /// The number of sessions whose size the store knows.
    known: usize,
    /// The number of sessions whose size the store does not know. They are left out.
    unknown: usize,
}

impl Chosen {
    /// Chooses the sessions of a list. The size of every session is examined, also after the limit is reached, so that the
    /// numbers do not depend on the limit.
    fn of(sessions: impl IntoIterator<Item = (SessionInfo, Option<u64>)>, how: How) -> Self {
        let mut chosen = Self::default();
        let limit = how.limit.unwrap_or(usize::MAX);
        for (mut info, size) in sessions {
            info.file_size = size.map(Count::from);
            let is_listed = match (how.larger_than, size) {
                (None, _) => true,
                (Some(bytes), Some(size)) => {
                    chosen.known += 1;
                    size > bytes
                }
                (Some(_), None) => {
                    chosen.unknown += 1;
                    false
                }
            };
            if is_listed && chosen.infos.len() < limit {
                chosen.infos.push(info);
            }
        }
        chosen
    }
}

async fn list(store: &Opened, scope: &Scope, how: How) -> Done {
    let project = (!scope.all).then_some(&*store.project);
    let listing = store.sessions().list(project).await?;
    let sessions = listing.sessions.into_iter();
    let sessions = sessions.filter_map(|found| Some((found.info?, found.size)));
    let Chosen {
        infos,
        known,
        unknown,
    } = Chosen::of(sessions, how);
    if unknown > 0 && known == 0 {
        return refuse("the store knows no size of these sessions: --larger-than cannot be used");
    }
    if how.json {
        for info in &infos {
            json_line(&Line {
                info,
                cost: None,
                config_dir: None,
            })?;
        }
    } else if infos.is_empty() && how.larger_than.is_some() {
        print(NONE_LARGER)?;
    } else if infos.is_empty() {
        print("The store has no sessions of this project. --all lists those of all projects.\n")?;
    } else {
        let table = table(&infos, scope.all, now(), |_| (None, None));
        print(&table.lines(terminal_width()))?;
    }
    if unknown > 0 {
        anstream::eprintln!(
            "claw: sessions whose size the store does not know are left out: {unknown}"
        );
    }
    report_problems(&listing.problems);
    Ok(())
}

/// Deletes a session. `sessions` are the sessions on this disk, beside which the index of the store is.
async fn delete(
    store: &Opened,
    sessions: Option<&Sessions>,
    session: &SessionRef,
    yes: bool,
) -> Done {
    if !yes {
        let listing = store.sessions().list(Some(session.project())).await?;
        let mut sessions = listing.sessions.into_iter();
        let found = sessions.find(|found| found.session == *session);
        change::confirm(session.session(), || Ok(found.and_then(|found| found.info)))?;
    }
    store.sessions().delete(session, &store.owner).await?;
    if leave_index(&store.index(sessions), session).await {
        Ok(())
    } else {
        Err(Failed::Reported(Outcome::Unreadable))
    }
}

/// Removes the texts of a deleted session from the index. If that fails, reports the error and returns `false`.
async fn leave_index(index: &SessionIndex, session: &SessionRef) -> bool {
    let Err(error) = index.remove(session).await else {
        return true;
    };
    let (id, why) = (escape(session.session()), error.to_string());
    anstream::eprintln!(
        "claw: {id} is deleted, but its texts are still in the index: {}",
        escape(&why)
    );
    false
}

/// Deletes all sessions that the options select.
async fn delete_all(
    store: &Opened,
    sessions: Option<&Sessions>,
    selected: &Selected,
    yes: bool,
) -> Done {
    let index = store.index(sessions);
    let project = (!selected.scope.all).then_some(&*store.project);
    let listing = store.sessions().list(project).await?;
    report_problems(&listing.problems);
    let now = now();
    let found = listing.sessions.into_iter().filter_map(|found| {
        let info = found.info?;
        let is_selected = selected.has(&info, found.modified, now);
        is_selected.then_some((info, (found.session, found.modified)))
    });
    let (infos, found): (Vec<_>, Vec<_>) = found.unzip();
    if !selected.confirm(&infos, yes)? {
        return Ok(());
    }
    let (mut deleted, mut failed) = (0, 0);
    let stored = store.sessions();
    for (session, modified) in &found {
        match stored
            .delete_unchanged(session, &store.owner, *modified)
            .await
        {
            Ok(true) => {
                deleted += 1;
                if !leave_index(&index, session).await {
                    failed += 1;
                }
            }
            Ok(false) => {
                deleted::report_kept(session.session(), deleted::CHANGED);
                failed += 1;
            }
            Err(error) => {
                deleted::report_kept(session.session(), &error.to_string());
                failed += 1;
            }
        }
    }
    deleted::finish(deleted, failed)
}

async fn fork(
    store: &Opened,
    session: &SessionRef,
    up_to: Option<String>,
    title: Option<String>,
) -> Done {
    let sessions = store.sessions();
    let mut fork = sessions.fork(session);
    if let Some(uuid) = up_to {
        fork = fork.up_to(uuid);
    }
    if let Some(title) = title {
        fork = fork.title(title);
    }
    let fork = fork.run().await?;
    print(&format!("{}\n", escape(fork.session())))?;
    Ok(())
}

/// Copies a session from this disk into the store.
async fn import(store: &Opened, which: &Which, sessions: &Sessions) -> Done {
    let session = which.session(sessions)?;
    let to = SessionRef::new(&*store.project, session.id().as_str()).map_err(StoreError::from)?;
    let stored = store.sessions();
    let claims = stored.store().claims();
    let claim = match claims {
        Some(claims) => Some((claims, claims.claim(&to, &store.owner, IMPORT).await?)),
        None => None,
    };
    let mut import = Import::new(&session).to(to);
    if let Some((_, claim)) = &claim {
        import = import.epoch(claim.epoch);
    }
    let imported = import.run(&**stored.store()).await;
    if let Some((claims, claim)) = claim {
        // If the release fails, the claim expires.
        let _ = claims.release(&claim).await;
    }
    let imported = imported?;
    for problem in &imported.problems {
        anstream::eprintln!("claw: {}", escape(&problem.to_string()));
    }
    print(&format!("{} new lines are in the store.\n", imported.new))?;
    Ok(())
}

/// Prints on stderr the entries that are stored beside a session, because its transcript does not contain them.
async fn show_kept(store: &Opened, session: &SessionRef) -> Done {
    for notice in kept_notices(&store.sessions().kept(session).await?) {
        anstream::eprintln!("claw: {}", escape(&notice.text));
    }
    Ok(())
}

/// Prints on stderr the number of entries that are stored beside a session and are not exported.
async fn report_kept(store: &Opened, session: &SessionRef) -> Done {
    let count = store.sessions().kept(session).await?.len();
    if count > 0 {
        let entries = if count == 1 {
            "entry is"
        } else {
            "entries are"
        };
        anstream::eprintln!(
            "claw: {count} {entries} kept beside the session and not exported: another host had gone on with it. \
             `claw sessions show --store` shows them."
        );
    }
    Ok(())
}

async fn checkout(store: &Opened, session: &SessionRef) -> Result<Checkout, Failed> {
    Ok(store.sessions().checkout(session, &temp_dir()).await?)
}

/// Prints on stderr the parts that could not be read. All other parts were read.
pub(super) fn report_problems(problems: &[(SessionRef, StoredError)]) {
    for (session, problem) in problems {
        let text = format!("{session}: {problem}");
        anstream::eprintln!("claw: {}", escape(&text));
    }
}

fn refuse(why: &str) -> Done {
    anstream::eprintln!("claw: {why}");
    Err(Failed::Reported(Outcome::Usage))
}

pub(super) fn outcome(error: &StoredError) -> Outcome {
    match error {
        StoredError::Ambiguous { .. } | StoredError::Lacks(_) => Outcome::Usage,
        _ => Outcome::Unreadable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_of_unknown_size_count_after_the_limit_too() {
        let info = |id: &str| -> SessionInfo {
            let info = serde_json::json!({"sessionId": id, "summary": "", "lastModified": 1});
            serde_json::from_value(info).unwrap()
        };
        let sessions = [
            (info("small"), Some(10)),
            (info("large"), Some(30)),
            (info("other"), None),
            (info("larger"), Some(40)),
            (info("more"), None),
        ];
        for (limit, larger_than, listed, unknown) in [
            (None, Some(20), &["large", "larger"][..], 2),
            (Some(1), Some(20), &["large"], 2),
            (Some(1), Some(50), &[], 2),
            (Some(1), None, &["small"], 0),
        ] {
            let how = How {
                limit,
                larger_than,
                json: false,
            };
            let chosen = Chosen::of(sessions.clone(), how);
            let ids: Vec<_> = chosen
                .infos
                .iter()
                .map(|it| it.session_id.as_str())
                .collect();
            assert_eq!((&*ids, chosen.unknown), (listed, unknown));
        }
    }
}
