//! `claw sessions repair`: repairs a broken session in a copy.

use std::fmt::Write as _;

use claw_sessions::{RepairChange, RepairEffect, Repaired, Session};
use serde_json::json;

use super::{Done, Failed, json_line, print};
use crate::escape::escape;
use crate::outcome::Outcome;

/// Repairs a session in a copy. If `check_only` is set, only prints what would be changed.
pub(super) fn repair(session: &Session, check_only: bool, json: bool) -> Done {
    let repair = session.repair();
    let repaired = if check_only {
        repair.plan()?
    } else {
        repair.run()?
    };
    if let Some(pid) = repaired.running {
        anstream::eprintln!(
            "claw: claude runs with the session, as process {pid}: what it writes later is not in the copy"
        );
    }
    for path in &repaired.left_out {
        let path = path.display().to_string();
        anstream::eprintln!("claw: {} is not copied: it is no file", escape(&path));
    }
    if json {
        json_line(&object(session, &repaired))?;
    } else {
        print(&drawn(session, &repaired))?;
    }
    if check_only && !repaired.changes.is_empty() {
        return Err(Failed::Reported(Outcome::ErrorResult));
    }
    Ok(())
}

fn drawn(session: &Session, repaired: &Repaired) -> String {
    let mut text = String::new();
    for change in &repaired.changes {
        text += &line(change);
    }
    if repaired.more > 0 {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "… and {} more changes", repaired.more);
    }
    let id = escape(session.id().as_str());
    if repaired.changes.is_empty() {
        let _ = writeln!(text, "Nothing is broken in {id}.");
        return text;
    }
    if !repaired.is_needed {
        text += "claude reads the session in the same way without a repair.\n";
    }
    let _ = match &repaired.copy {
        Some(copy) => writeln!(
            text,
            "{id} is unchanged. The mended copy: claude --resume {}",
            escape(copy.id().as_str())
        ),
        None => writeln!(
            text,
            "Nothing was written. Without --check-only, a mended copy is made."
        ),
    };
    text
}

fn line(change: &RepairChange) -> String {
    let file = change
        .file
        .as_ref()
        .map(|file| format!("{}: ", file.display()));
    let note = match change.effect {
        RepairEffect::Harmless => " (harmless)",
        _ => "",
    };
    let text = format!(
        "{}line {}: {}{note}",
        file.unwrap_or_default(),
        change.line,
        change.problem
    );
    format!("{}\n", escape(&text))
}

fn object(session: &Session, repaired: &Repaired) -> serde_json::Value {
    let changes = repaired.changes.iter().map(|change| {
        json!({
            "file": change.file.as_ref().map(|file| file.display().to_string()),
            "line": change.line,
            "problem": change.problem.name(),
            "effect": change.effect.as_str(),
            "text": change.problem.to_string(),
        })
    });
    let left_out = repaired.left_out.iter();
    json!({
        "sessionId": session.id().as_str(),
        "copyId": repaired.copy.as_ref().map(|copy| copy.id().as_str()),
        "isNeeded": repaired.is_needed,
        "changes": changes.collect::<Vec<_>>(),
        "moreChanges": repaired.more,
        "leftOut": left_out.map(|path| path.display().to_string()).collect::<Vec<_>>(),
    })
}
