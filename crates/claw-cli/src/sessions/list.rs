//! `claw sessions list`: lists sessions.

use std::borrow::Cow;
use std::time::{SystemTime, UNIX_EPOCH};

use claw_sessions::{Cost, Session, Sessions};
use claw_types::store::SessionInfo;
use serde::Serialize;

use super::table::{Column, Table, ago, dollars, size};
use super::{Done, json_line, print, report_problems};
use crate::args::sessions::Scope;
use crate::view::terminal_width;

/// A session in the output of `--json`. It has the same fields as in the official SDKs, the cost, and the configuration
/// folder.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line<'a> {
    #[serde(flatten)]
    pub(super) info: &'a SessionInfo,
    pub(super) cost: Option<Cost>,
    /// The configuration folder. Absent for a session of a store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) config_dir: Option<Cow<'a, str>>,
}

/// The text for a list in which no session is large enough.
pub(super) const NONE_LARGER: &str =
    "No session here is larger. --all lists those of all projects.\n";

/// The options of the list, and of its output.
#[derive(Clone, Copy)]
pub(super) struct How {
    pub(super) limit: Option<usize>,
    pub(super) larger_than: Option<u64>,
    pub(super) json: bool,
}

pub(super) fn list(sessions: &Sessions, scope: &Scope, how: How) -> Done {
    let mut list = sessions.list();
    if let Some(directory) = scope.directory() {
        list = list.project(directory);
    }
    if let Some(limit) = how.limit {
        list = list.limit(limit);
    }
    if let Some(bytes) = how.larger_than {
        list = list.larger_than(bytes);
    }
    let list = list.run()?;
    // If a session was deleted in the meantime, its cost is absent.
    let cost = |session: &Session| session.cost().ok()?;
    if how.json {
        for (info, session) in list.sessions.iter().zip(&list.on_disk) {
            json_line(&Line {
                info,
                cost: cost(session),
                config_dir: Some(session.config_dir().to_string_lossy()),
            })?;
        }
    } else if list.sessions.is_empty() && how.larger_than.is_some() {
        print(NONE_LARGER)?;
    } else if list.sessions.is_empty() {
        print("There are no sessions here. --all lists those of all projects.\n")?;
    } else {
        let table = table(&list.sessions, scope.all, now(), |at| {
            let session = &list.on_disk[at];
            (cost(session), sessions.short_name(session.config_dir()))
        });
        print(&table.lines(terminal_width()))?;
    }
    report_problems(&list.problems);
    Ok(())
}

/// Returns the current time, in milliseconds since 1970.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}

/// Creates a table with a row for each session. `more` returns the cost of a session, and the short name of its
/// configuration folder if there are several folders.
pub(super) fn table(
    sessions: &[SessionInfo],
    with_project: bool,
    now: i64,
    more: impl Fn(usize) -> (Option<Cost>, Option<String>),
) -> Table {
    let mut table = Table::new(&[
        ("ID", Column::Text(36)),
        ("AGE", Column::Number),
        ("SIZE", Column::Number),
        ("COST", Column::Number),
        ("FOLDER", Column::Text(20)),
        ("PROJECT", Column::Text(20)),
        ("BRANCH", Column::Text(14)),
        ("TAG", Column::Text(12)),
        ("TITLE", Column::Rest),
    ]);
    let length = id_length(sessions);
    for (at, info) in sessions.iter().enumerate() {
        let (cost, folder) = more(at);
        let id = info.session_id.as_str();
        let archived = if info.archived == Some(true) {
            "(archived) "
        } else {
            ""
        };
        let then = info.last_modified.as_f64();
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let project = info.cwd.as_deref().filter(|_| with_project);
        let branch = info.git_branch.clone().filter(|branch| branch != "HEAD");
        #[expect(clippy::cast_possible_truncation, reason = "a time")]
        let then = then as i64;
        table.row([
            id.get(..length).unwrap_or(id).to_owned(),
            ago(then, now),
            info.file_size
                .map(|bytes| size(bytes.get()))
                .unwrap_or_default(),
            dollars(cost),
            folder.unwrap_or_default(),
            project.map(last_part).unwrap_or_default(),
            text(&branch),
            text(&info.tag),
            format!("{archived}{}", info.summary),
        ]);
    }
    table
}

/// Returns the number of characters that are needed to distinguish the IDs. It is at least eight.
fn id_length(sessions: &[SessionInfo]) -> usize {
    let mut ids: Vec<_> = sessions
        .iter()
        .map(|info| info.session_id.as_str())
        .collect();
    ids.sort_unstable();
    // Sessions of two configuration folders may have the same ID, so each ID is compared only once.
    ids.dedup();
    let alike = ids.windows(2).map(|pair| {
        let bytes = pair[0].bytes().zip(pair[1].bytes());
        bytes.take_while(|(one, other)| one == other).count() + 1
    });
    alike.max().unwrap_or(0).max(8)
}

/// Returns the last part of a path, by which people distinguish projects.
fn last_part(path: &str) -> String {
    let part = path.rsplit(['/', '\\']).find(|part| !part.is_empty());
    part.unwrap_or(path).to_owned()
}
