//! Lets the user choose a session to continue from a list.

use std::io::{IsTerminal as _, stdin, stdout};
use std::path::Path;

use claw_sessions::Sessions;
use claw_types::store::SessionInfo;
use claw_types::{QueryOptions, SessionId};

use super::list::{now, table};
use super::table::fit;
use super::{print, report_problems};
use crate::outcome::{Outcome, report};
use crate::store::Opened;
use crate::view::terminal_width;

/// The maximum number of sessions that are offered.
const OFFERED: usize = 20;
/// The maximum number of sessions that are offered if typed words filter the list.
#[cfg(feature = "terminal")]
const SEARCHED: usize = 500;

/// Lets the user choose a session of the directory in which `claude` will work, or of the project in a store.
#[cfg_attr(
    not(feature = "stores"),
    expect(clippy::unused_async, reason = "it is, where there are stores")
)]
pub(crate) async fn choose(
    options: &QueryOptions,
    store: Option<&Opened>,
) -> Result<SessionId, Outcome> {
    if !(stdin().is_terminal() && stdout().is_terminal()) {
        return refuse(
            "there is no terminal to choose a session on: give --resume an id of `claw sessions list`",
        );
    }
    let infos = match store {
        #[cfg(feature = "stores")]
        Some(store) => stored(store).await?,
        _ => on_disk(options)?,
    };
    if infos.is_empty() {
        return refuse("there is no session of this folder to go on with");
    }
    #[cfg(feature = "terminal")]
    if crate::console::is_usable() {
        return on_screen(&infos);
    }
    asked(&infos)
}

/// The maximum number of sessions that are offered at this terminal.
fn offered() -> usize {
    #[cfg(feature = "terminal")]
    if crate::console::is_usable() {
        return SEARCHED;
    }
    OFFERED
}

/// The session that the user chooses on a screen. Arrows choose, and typed words filter the rows.
#[cfg(feature = "terminal")]
fn on_screen(infos: &[SessionInfo]) -> Result<SessionId, Outcome> {
    let lines = table(infos, false, now(), |_| None).lines(None);
    let mut lines = lines.lines().map(str::to_owned);
    let head = lines.next().unwrap_or_default();
    let chosen = crate::console::choose(&head, &lines.collect::<Vec<_>>());
    let chosen = chosen.map_err(|error| report(&error, Outcome::BrokeOff))?;
    let chosen = chosen.and_then(|number| infos.get(number));
    chosen
        .map(|info| info.session_id.clone())
        .ok_or(Outcome::Interrupted)
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

fn on_disk(options: &QueryOptions) -> Result<Vec<SessionInfo>, Outcome> {
    let variable = |name: &str| {
        let set = options.env.as_ref().and_then(|env| env.get(name));
        match set {
            Some(set) => set.as_ref().map(Into::into),
            None => std::env::var_os(name),
        }
    };
    let failed = |error| report(&error, Outcome::Unreadable);
    let sessions = Sessions::of_environment(variable).map_err(failed)?;
    let directory = options.cwd.as_deref().unwrap_or(Path::new("."));
    let list = sessions.list().project(directory).limit(offered()).run();
    let list = list.map_err(failed)?;
    report_problems(&list.problems);
    Ok(list.sessions)
}

/// The session that the user chooses by its number.
fn asked(infos: &[SessionInfo]) -> Result<SessionId, Outcome> {
    let width = terminal_width().map(|width| width.saturating_sub(4));
    let lines = table(infos, false, now(), |_| None).lines(width);
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
        if let Some(info) = chosen.and_then(|number| infos.get(number)) {
            return Ok(info.session_id.clone());
        }
        print(&format!("{} is none of them.\n", fit(answer, 40))).map_err(broke)?;
    }
}
