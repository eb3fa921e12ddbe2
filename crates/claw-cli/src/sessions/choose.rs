//! Lets the user choose a session to continue from a list.

use std::io::{IsTerminal as _, stdin, stdout};
use std::path::Path;

use claw_sessions::Session;
use claw_types::store::SessionInfo;
use claw_types::{QueryOptions, SessionId};

use super::list::{now, table};
use super::table::{Table, fit};
use super::{print, report_problems};
use crate::args::config_dirs::ConfigDirs;
use crate::outcome::{Outcome, report};
use crate::store::Opened;
use crate::view::terminal_width;

/// The maximum number of sessions that are offered.
const OFFERED: usize = 20;
/// The maximum number of offered sessions if the user can filter the list by typing words.
#[cfg(feature = "terminal")]
const SEARCHED: usize = 500;

/// The sessions that are offered.
struct Offered {
    infos: Vec<SessionInfo>,
    /// The sessions on disk, in the same order. Empty for sessions of a store.
    on_disk: Vec<Session>,
    /// The short names of the configuration folders of the sessions, if there are several folders.
    folders: Vec<Option<String>>,
}

impl Offered {
    fn table(&self) -> Table {
        let folder = |at: usize| self.folders.get(at).cloned().flatten();
        table(&self.infos, false, now(), |at| (None, folder(at)))
    }
}

/// Lets the user choose a session of the directory in which `claude` will work, or of the project in a store. Returns
/// its ID. Also returns the session itself if it is on disk.
#[cfg_attr(
    not(feature = "stores"),
    expect(clippy::unused_async, reason = "it is, where there are stores")
)]
pub(crate) async fn choose(
    options: &QueryOptions,
    store: Option<&Opened>,
    dirs: &ConfigDirs,
) -> Result<(SessionId, Option<Session>), Outcome> {
    if !(stdin().is_terminal() && stdout().is_terminal()) {
        return refuse(
            "there is no terminal to choose a session on: give --resume an id of `claw sessions list`",
        );
    }
    let mut offered = match store {
        #[cfg(feature = "stores")]
        Some(store) => Offered {
            infos: stored(store).await?,
            on_disk: Vec::new(),
            folders: Vec::new(),
        },
        _ => on_disk(options, dirs)?,
    };
    if offered.infos.is_empty() {
        return refuse("there is no session of this folder to go on with");
    }
    #[cfg(feature = "terminal")]
    let chosen = if crate::console::is_usable() {
        on_screen(&offered)
    } else {
        asked(&offered)
    };
    #[cfg(not(feature = "terminal"))]
    let chosen = asked(&offered);
    let at = chosen?;
    let place = (at < offered.on_disk.len()).then(|| offered.on_disk.swap_remove(at));
    Ok((offered.infos.swap_remove(at).session_id, place))
}

/// Returns the maximum number of sessions that are offered at this terminal.
fn offered() -> usize {
    #[cfg(feature = "terminal")]
    if crate::console::is_usable() {
        return SEARCHED;
    }
    OFFERED
}

/// Lets the user choose a session on a screen. The arrow keys choose a row, and typed words filter the rows.
#[cfg(feature = "terminal")]
fn on_screen(offered: &Offered) -> Result<usize, Outcome> {
    let lines = offered.table().lines(None);
    let mut lines = lines.lines().map(str::to_owned);
    let head = lines.next().unwrap_or_default();
    let chosen = crate::console::choose(&head, &lines.collect::<Vec<_>>());
    let chosen = chosen.map_err(|error| report(&error, Outcome::BrokeOff))?;
    let chosen = chosen.filter(|number| *number < offered.infos.len());
    chosen.ok_or(Outcome::Interrupted)
}

fn refuse<T>(why: &str) -> Result<T, Outcome> {
    anstream::eprintln!("claw: {why}");
    Err(Outcome::Usage)
}

#[cfg(feature = "stores")]
async fn stored(store: &Opened) -> Result<Vec<SessionInfo>, Outcome> {
    let listing = store.sessions().list(Some(&store.project)).await;
    let listing = listing.map_err(|error| report(&error, Outcome::Unreadable))?;
    super::stored::report_problems(&listing.problems);
    let infos = listing.sessions.into_iter().filter_map(|found| found.info);
    Ok(infos.take(offered()).collect())
}

fn on_disk(options: &QueryOptions, dirs: &ConfigDirs) -> Result<Offered, Outcome> {
    let failed = |error| report(&error, Outcome::Unreadable);
    let sessions = dirs.sessions(Some(options))?;
    let directory = options.cwd.as_deref().unwrap_or(Path::new("."));
    let list = sessions.list().project(directory).limit(offered()).run();
    let list = list.map_err(failed)?;
    report_problems(&list.problems);
    let folder = |session: &Session| sessions.short_name(session.config_dir());
    Ok(Offered {
        folders: list.on_disk.iter().map(folder).collect(),
        infos: list.sessions,
        on_disk: list.on_disk,
    })
}

/// Lets the user choose a session by its number.
fn asked(offered: &Offered) -> Result<usize, Outcome> {
    let width = terminal_width().map(|width| width.saturating_sub(4));
    let lines = offered.table().lines(width);
    let broke = |error| report(&error, Outcome::BrokeOff);
    for (number, line) in lines.lines().enumerate() {
        let number = if number == 0 {
            String::new()
        } else {
            number.to_string()
        };
        print(&format!("{number:>3} {line}\n")).map_err(broke)?;
    }
    loop {
        print("Which one? Its number, or nothing to leave: ").map_err(broke)?;
        let mut answer = String::new();
        let read = stdin().read_line(&mut answer);
        let answer = answer.trim();
        if read.is_err() || answer.is_empty() {
            return Err(Outcome::Interrupted);
        }
        let chosen = answer
            .parse::<usize>()
            .ok()
            .and_then(|number| number.checked_sub(1));
        if let Some(chosen) = chosen.filter(|number| *number < offered.infos.len()) {
            return Ok(chosen);
        }
        print(&format!("{} is none of them.\n", fit(answer, 40))).map_err(broke)?;
    }
}
