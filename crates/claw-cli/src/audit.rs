//! `claw audit`: prints the audit log of `claw serve`.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};

use claw_server::{AuditEntry, AuditSender};

use crate::args::audit::Audit;
use crate::escape::{escape, escape_json, one_line};
use crate::outcome::{Outcome, report};

/// Maximum length of a line, in bytes. The lines that the server writes are shorter.
const LONGEST: u64 = 64 << 10;

impl Audit {
    pub(crate) fn run(self) -> Outcome {
        let file = match File::open(&self.file) {
            Ok(file) => file,
            Err(error) => {
                let text = format!("{}: {error}", self.file.display());
                return report(
                    &*Box::<dyn std::error::Error>::from(text),
                    Outcome::Unreadable,
                );
            }
        };
        let mut reader = BufReader::new(file);
        let mut out = anstream::stdout().lock();
        let mut unreadable = 0_u64;
        let mut line = Vec::new();
        loop {
            line.clear();
            match reader.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => return report(&error, Outcome::Unreadable),
            }
            let text = String::from_utf8_lossy(&line);
            let Ok(entry) = serde_json::from_str::<AuditEntry>(&text) else {
                unreadable += 1;
                continue;
            };
            if !self.selects(&entry) {
                continue;
            }
            let printed = if self.json {
                writeln!(out, "{}", escape_json(text.trim_end()))
            } else {
                writeln!(out, "{}", in_words(&entry))
            };
            if let Err(error) = printed {
                return Outcome::unwritten(&error);
            }
        }
        if let Err(error) = out.flush() {
            return Outcome::unwritten(&error);
        }
        if unreadable > 0 {
            anstream::eprintln!("claw: {unreadable} lines are no entries of an audit log");
            return Outcome::ErrorResult;
        }
        Outcome::Success
    }

    fn selects(&self, entry: &AuditEntry) -> bool {
        let is_session = |id: &String| {
            let session = entry.session.as_ref();
            session.is_some_and(|session| session.starts_with(id))
        };
        self.user.as_ref().is_none_or(|name| who(entry) == name)
            && self.session.as_ref().is_none_or(is_session)
            && self.since.as_ref().is_none_or(|since| entry.time >= *since)
    }
}

/// Returns the name of the sender. A name in parentheses is never that of a user.
fn who(entry: &AuditEntry) -> &str {
    match (entry.by, &entry.user) {
        (AuditSender::User | AuditSender::Person, Some(name)) => name,
        (AuditSender::Token, _) => "(token)",
        (AuditSender::Socket, _) => "(socket)",
        _ => "(unknown)",
    }
}

/// Writes an entry as one line, without characters that a terminal would interpret.
fn in_words(entry: &AuditEntry) -> String {
    let or_none = |text: &Option<String>| one_line(text.as_deref().unwrap_or("-"), 200);
    let from = match &entry.forwarded {
        Some(forwarded) => format!("{} for {}", or_none(&entry.from), one_line(forwarded, 200)),
        None => or_none(&entry.from),
    };
    let what = entry.what.as_deref().unwrap_or_default();
    let cut = match entry.cut {
        Some(cut) => format!("… (and {cut} characters)"),
        None => String::new(),
    };
    let refused = match &entry.refused {
        Some(refused) => format!(
            "  refused ({}): {}",
            escape(&refused.kind),
            one_line(&refused.message, 2000)
        ),
        None => String::new(),
    };
    // The log keeps at most 1,000 characters of `what`. Escaping makes the text longer, so up to 8,000
    // characters are printed.
    let line = format!(
        "{}  {}  {from}  {}  {}  {}  {}",
        escape(&entry.time),
        one_line(who(entry), 200),
        or_none(&entry.project),
        or_none(&entry.session),
        one_line(&entry.action, 64),
        one_line(what, 8000),
    );
    format!("{}{cut}{refused}", line.trim_end())
}
