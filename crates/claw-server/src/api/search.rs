//! The search in all conversations on disk and in the store.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use claw_client::store::LeftOut;
use claw_sessions::{Hit, LineSearch};
use claw_types::SessionId;
use tokio::time::timeout;

use super::disk::project_of;
use super::response::Partial;
use super::{Api, Refusal, SearchQuery};
use crate::Project;
use crate::actor::{Actor, Sight};
use crate::hub::{Hub, HubError};

/// Maximum number of hits of a search.
const MOST_HITS: usize = 100;

/// Maximum duration of a search in the store if its list of sessions is out of date or incomplete.
const PATIENCE: Duration = Duration::from_secs(3);

/// The result of the search in the store.
#[derive(Default)]
struct InStore {
    /// The hits, with the times at which their sessions were last written to.
    hits: Vec<(i64, Hit)>,
    /// The sessions with hits. Their copies on disk are not searched.
    found: HashSet<SessionId>,
    missing: Missing,
}

/// How much of the store was not searched.
#[derive(Default)]
struct Missing {
    sessions: usize,
    lines: u64,
    kept: u64,
    by_time: u64,
    has_failed: bool,
}

pub(crate) async fn search(
    State(api): State<Arc<Api>>,
    actor: Actor,
    query: Result<Query<SearchQuery>, QueryRejection>,
) -> Result<Partial<Vec<Hit>>, Refusal> {
    let Query(query) = query?;
    let sight = actor.sight(api.hub.projects());
    let slot = api.searches.acquire().await?;
    let mut stored = InStore::default();
    let (_, is_whole) = api.hub.stored_and_whole().await;
    let searched = stored.search(&api.hub, &sight, &query.q);
    if is_whole {
        searched.await;
    } else if timeout(PATIENCE, searched).await.is_err() {
        // The store has not responded in time. So the response reports that hits may be missing.
        stored.missing.has_failed = true;
    }
    let hub = api.hub.clone();
    let found = stored.found;
    let on_disk =
        slot.run(move |is_cancelled| on_disk(&hub, &sight, query.q, &found, is_cancelled));
    let (on_disk, problems) = on_disk.await?;
    let mut hits = stored.hits;
    hits.extend(on_disk);
    // The sort is stable, so the hits of one session remain in the order of their lines.
    hits.sort_by_key(|(modified, _)| Reverse(*modified));
    hits.truncate(MOST_HITS);
    Ok(Partial {
        value: hits.into_iter().map(|(_, hit)| hit).collect(),
        missing: stored.missing.sentence(problems),
    })
}

impl InStore {
    /// Searches the sessions in the store that belong to the visible projects of this server.
    async fn search(&mut self, hub: &Hub, sight: &Sight, text: &str) {
        let Some(index) = hub.store_index() else {
            return;
        };
        let mut names: HashSet<_> = hub.projects().iter().map(Project::stored_name).collect();
        // Several projects may have the same name in the store. A sender who may not see all of these projects sees
        // none of their sessions there.
        let hidden = hub.projects().iter().filter(|it| !sight.has(&it.name));
        for name in hidden.map(Project::stored_name) {
            names.remove(&name);
        }
        for name in names {
            let search = LineSearch::new(text, true);
            let mut count = 0;
            let searched = index.search(Some(&name), search, |listed, hits| {
                let id = SessionId::from(listed.session.session());
                self.found.insert(id);
                count += hits.len();
                let config_dir = hub.sessions().config_dir();
                let hits = hits.into_iter().map(|hit| hit.into_hit(config_dir));
                self.hits.extend(hits.map(|hit| (listed.modified, hit)));
                count < MOST_HITS
            });
            match searched.await {
                Ok(left_out) => self.missing.add(&left_out),
                Err(error) => {
                    tracing::warn!(%error, "a search leaves out sessions of the store");
                    self.missing.has_failed = true;
                }
            }
        }
    }
}

/// Searches the sessions on disk that belong to the visible projects of this server, except the sessions in `except`.
/// Returns the hits with the times of the last writes to their sessions, and the number of files and lines that cannot
/// be read.
fn on_disk(
    hub: &Hub,
    sight: &Sight,
    text: String,
    except: &HashSet<SessionId>,
    is_cancelled: &Arc<AtomicBool>,
) -> Result<(Vec<(i64, Hit)>, u64), HubError> {
    let homes: Vec<_> = hub.sessions().each().collect();
    let index = hub.index()?;
    let mut own: HashMap<(PathBuf, SessionId), bool> = HashMap::new();
    let search = hub.sessions().search(text).ignore_case();
    let (mut found, mut problems) = (Vec::new(), 0);
    for hit in search.end_when(is_cancelled.clone()).run()? {
        let hit = match hit {
            Ok(hit) => hit,
            Err(error) => {
                tracing::warn!(%error, "a search leaves out what cannot be read");
                problems += 1;
                continue;
            }
        };
        if except.contains(&hit.session_id) {
            continue;
        }
        let key = (hit.config_dir.clone(), hit.session_id.clone());
        let is_own = *own.entry(key).or_insert_with(|| {
            let mut homes = homes.iter();
            let home = homes.find(|home| home.config_dir() == hit.config_dir);
            let found = home.and_then(|home| home.find(hit.session_id.as_str()).ok());
            found.is_some_and(|session| {
                project_of(hub, &session).is_ok_and(|project| sight.has(&project.name))
            })
        });
        if is_own {
            let known = index.get_in(&hit.config_dir, &hit.session_id);
            let modified = known.and_then(|known| known.info.last_modified.as_i64());
            found.push((modified.unwrap_or_default(), hit));
        }
        if found.len() == MOST_HITS {
            break;
        }
    }
    Ok((found, problems))
}

impl Missing {
    fn add(&mut self, left_out: &LeftOut) {
        for (session, error) in &left_out.problems {
            let id = session.session();
            tracing::warn!(session.id = id, %error, "a search leaves out a session of the store");
        }
        if let Some(error) = &left_out.index {
            tracing::warn!(%error, "the index of the store cannot be written");
        }
        self.sessions += left_out.problems.len();
        self.lines += left_out.lines.iter().map(|lines| lines.count).sum::<u64>();
        self.kept += left_out.kept;
        self.by_time += left_out.by_time;
    }

    /// Returns a sentence about what was not searched. `problems` is the number of files and lines on disk that cannot
    /// be read.
    fn sentence(&self, problems: u64) -> Option<String> {
        let of = |count: u64, what: &str| (count > 0).then(|| format!("{what}: {count}"));
        let parts = [
            self.has_failed
                .then(|| "the store cannot be reached, and was not searched to its end".to_owned()),
            of(
                self.sessions as u64,
                "sessions of the store that cannot be read",
            ),
            of(self.lines, "lines of the store that cannot be read"),
            of(
                self.kept,
                "entries kept beside sessions, which are not searched",
            ),
            of(
                self.by_time,
                "sessions whose sub-agents may have written since they were read",
            ),
            of(
                problems,
                "files and lines of this host's disk that cannot be read",
            ),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}
