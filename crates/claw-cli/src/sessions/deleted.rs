//! `claw sessions delete` without an ID: deletes all sessions that the options select.

use std::io::{IsTerminal as _, stdin, stdout};

use claw_sessions::{Session, Sessions};
use claw_types::store::SessionInfo;

use super::list::{now, table};
use super::table::size;
use super::{Done, Failed, print, report_problems};
use crate::args::sessions::Selected;
use crate::escape::escape;
use crate::outcome::Outcome;
use crate::view::terminal_width;

impl Selected {
    /// Returns whether the options select a session. `modified` is the time at which the session was last changed. Both
    /// times are in milliseconds since 1970.
    pub(super) fn has(&self, info: &SessionInfo, modified: i64, now: i64) -> bool {
        let age = u128::try_from(now.saturating_sub(modified)).unwrap_or(0);
        let is_old = self.older_than.is_none_or(|time| age > time.as_millis());
        let has_tag = |tag: &String| info.tag.as_ref() == Some(tag);
        is_old && self.tag.as_ref().is_none_or(has_tag)
    }

    /// Prints the selected sessions with their sizes, and asks whether to delete them. Returns `false` if no session is
    /// selected, or if the user does not want to delete them.
    pub(super) fn confirm(&self, infos: &[SessionInfo], yes: bool) -> Result<bool, Failed> {
        if infos.is_empty() {
            print("No session is selected.\n")?;
            return Ok(false);
        }
        let sizes = infos.iter().filter_map(|info| info.file_size);
        let bytes: u64 = sizes.map(claw_types::Count::get).sum();
        let count = infos.len();
        let all = if bytes > 0 {
            format!("{}, {}", counted(count), size(bytes))
        } else {
            counted(count)
        };
        if yes {
            return Ok(true);
        }
        let table = table(infos, true, now(), |_| (None, None));
        print(&format!("{}{all}\n", table.lines(terminal_width())))?;
        if self.dry_run {
            return Ok(false);
        }
        if !(stdin().is_terminal() && stdout().is_terminal()) {
            anstream::eprintln!(
                "claw: nothing is deleted: there is no terminal to ask on, and no --yes"
            );
            return Err(Failed::Reported(Outcome::Usage));
        }
        print("Delete them for good? [y/N] ")?;
        let mut answer = String::new();
        stdin().read_line(&mut answer)?;
        Ok(matches!(answer.trim(), "y" | "Y" | "yes" | "Yes"))
    }
}

/// Prints how many sessions were deleted. Fails if `failed` is not zero: some were not deleted, or not completely.
pub(super) fn finish(deleted: usize, failed: usize) -> Done {
    print(&format!("{} deleted\n", counted(deleted)))?;
    if failed > 0 {
        return Err(Failed::Reported(Outcome::Unreadable));
    }
    Ok(())
}

fn counted(count: usize) -> String {
    match count {
        1 => "1 session".to_owned(),
        _ => format!("{count} sessions"),
    }
}

/// Reports that a session was not deleted.
pub(super) fn report_kept(id: &str, why: &str) {
    anstream::eprintln!("claw: {} is not deleted: {}", escape(id), escape(why));
}

pub(super) fn delete(sessions: &Sessions, selected: &Selected, yes: bool) -> Done {
    let mut list = sessions.list();
    if let Some(directory) = selected.scope.directory() {
        list = list.project(directory);
    }
    let list = list.run()?;
    report_problems(&list.problems);
    let now = now();
    let all = list.sessions.into_iter().zip(list.on_disk);
    let (infos, on_disk): (Vec<_>, Vec<_>) = all
        .filter(|(info, _)| selected.has(info, changed(info), now))
        .unzip();
    if !selected.confirm(&infos, yes)? {
        return Ok(());
    }
    let (mut deleted, mut failed) = (0, 0);
    for (info, session) in infos.iter().zip(&on_disk) {
        match delete_unused(session, changed(info)) {
            Ok(true) => deleted += 1,
            Ok(false) => {}
            Err(error) => {
                report_kept(session.id().as_str(), &error);
                failed += 1;
            }
        }
    }
    finish(deleted, failed)
}

/// The reason why a session stays that was selected before it was changed.
pub(super) const CHANGED: &str = "it was changed after it was listed";

/// Deletes a session, unless a running `claude` uses it, or it was changed after the time `listed`, in milliseconds since
/// 1970. Returns `false` if another program has deleted it meanwhile.
fn delete_unused(session: &Session, listed: i64) -> Result<bool, String> {
    let running = session.running_process();
    if let Some(pid) = running.map_err(|error| error.to_string())? {
        return Err(format!("a running claude uses it (process {pid})"));
    }
    // The user may have considered the question for a long time.
    match session.info() {
        Ok(Some(info)) if changed(&info) > listed => return Err(CHANGED.to_owned()),
        Ok(_) => {}
        Err(error) if error.is_not_found() => return Ok(false),
        Err(error) => return Err(error.to_string()),
    }
    match session.delete() {
        Ok(()) => Ok(true),
        Err(error) if error.is_not_found() => Ok(false),
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the time at which a session was last changed, in milliseconds since 1970.
#[expect(clippy::cast_possible_truncation, reason = "a time")]
fn changed(info: &SessionInfo) -> i64 {
    info.last_modified.as_f64() as i64
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::Write as _;

    use super::*;

    const ID: &str = "11111111-1111-4111-8111-111111111111";

    #[test]
    fn a_session_that_was_changed_after_it_was_listed_stays() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("projects").join("-work");
        fs::create_dir_all(&project).unwrap();
        let path = project.join(format!("{ID}.jsonl"));
        let line = |day: u32| {
            let line = serde_json::json!({"type": "user", "uuid": ID, "parentUuid": null, "sessionId": ID,
                "cwd": "/work", "timestamp": format!("2026-01-0{day}T00:00:00.000Z"),
                "message": {"role": "user", "content": "Two plums"}});
            format!("{line}\n")
        };
        let mut file = File::create(&path).unwrap();
        file.write_all(line(1).as_bytes()).unwrap();
        let session = Sessions::new(folder.path()).find(ID).unwrap();
        let listed = changed(&session.info().unwrap().unwrap());
        file.write_all(line(2).as_bytes()).unwrap();
        drop(file);
        let now = changed(&session.info().unwrap().unwrap());
        assert!(now > listed);
        assert_eq!(delete_unused(&session, listed), Err(CHANGED.to_owned()));
        assert!(path.exists());
        assert_eq!(delete_unused(&session, now), Ok(true));
        assert!(!path.exists());
        assert_eq!(delete_unused(&session, now), Ok(false));
    }
}
