//! Commands that change sessions.

use std::io::{IsTerminal as _, stdin, stdout};

use claw_sessions::Session;

use super::table::{fit, size};
use super::{Done, Failed, say};
use crate::escape::escape;
use crate::outcome::Outcome;

/// Deletes the session, once the person has said yes.
pub(super) fn delete(session: &Session, yes: bool) -> Done {
    if !yes {
        let refuse = |why: &str| {
            anstream::eprintln!("claw: {why}");
            Err(Failed::Reported(Outcome::Usage))
        };
        if !(stdin().is_terminal() && stdout().is_terminal()) {
            return refuse("nothing is deleted: there is no terminal to ask on, and no --yes");
        }
        let info = session.info()?;
        let title = info.as_ref().map_or("", |info| &info.summary);
        let bytes = info.as_ref().and_then(|info| info.file_size);
        say(&format!(
            "{}\n{}, {}\nDelete it for good? [y/N] ",
            fit(title, 200),
            escape(session.id().as_str()),
            size(bytes.map_or(0, claw_types::Count::get)),
        ))?;
        let mut answer = String::new();
        stdin().read_line(&mut answer)?;
        if !matches!(answer.trim(), "y" | "Y" | "yes" | "Yes") {
            return refuse("nothing is deleted");
        }
    }
    Ok(session.delete()?)
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
    say(&format!("{}\n", escape(fork.id().as_str())))?;
    Ok(())
}
