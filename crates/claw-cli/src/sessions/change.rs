//! Commands that change sessions.

use std::io::{IsTerminal as _, stdin, stdout};

use claw_sessions::Session;
use claw_types::store::SessionInfo;

use super::table::{fit, size};
use super::{Done, Failed, print};
use crate::escape::escape;
use crate::outcome::Outcome;

/// Deletes the session after the user has confirmed it.
pub(super) fn delete(session: &Session, yes: bool) -> Done {
    if !yes {
        confirm(session.id().as_str(), || Ok(session.info()?))?;
    }
    Ok(session.delete()?)
}

/// Asks the user whether to delete a session. Fails unless the answer is yes.
pub(super) fn confirm(
    id: &str,
    info: impl FnOnce() -> Result<Option<SessionInfo>, Failed>,
) -> Done {
    let refuse = |why: &str| {
        anstream::eprintln!("claw: {why}");
        Err(Failed::Reported(Outcome::Usage))
    };
    if !(stdin().is_terminal() && stdout().is_terminal()) {
        return refuse("nothing is deleted: there is no terminal to ask on, and no --yes");
    }
    let info = info()?;
    let title = info.as_ref().map_or("", |info| &info.summary);
    let bytes = info.as_ref().and_then(|info| info.file_size);
    let bytes = bytes.map_or_else(String::new, |bytes| format!(", {}", size(bytes.get())));
    print(&format!(
        "{}\n{}{bytes}\nDelete it for good? [y/N] ",
        fit(title, 200),
        escape(id),
    ))?;
    let mut answer = String::new();
    stdin().read_line(&mut answer)?;
    match answer.trim() {
        "y" | "Y" | "yes" | "Yes" => Ok(()),
        _ => refuse("nothing is deleted"),
    }
}

pub(super) fn fork(session: &Session, up_to: Option<String>, title: Option<String>) -> Done {
    let mut fork = session.fork();
    if let Some(uuid) = up_to {
        fork = fork.up_to(uuid);
    }
    if let Some(title) = title {
        fork = fork.title(title);
    }
    let fork = fork.run()?;
    print(&format!("{}\n", escape(fork.id().as_str())))?;
    Ok(())
}
