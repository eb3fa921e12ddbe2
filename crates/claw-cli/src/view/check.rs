//! `claw check`: checks lines and their order.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use claw_client::transport::Replay;
use claw_sessions::{Sessions, real_path};
use claw_types::dialect::Today;
use claw_types::{Untyped, untyped};
use claw_view::{Flow, Read, Rule, TurnPattern, read};

use crate::escape::one_line;
use crate::file_lines::{file_lines, named};
use crate::outcome::{Outcome, report};

/// The maximum length of a finding, in characters.
const FINDING: usize = 300;

/// The numbers of lines, findings and turns.
#[derive(Debug, Default)]
struct Counts {
    lines: u64,
    violations: u64,
    notes: u64,
    /// The number of turns with each pattern.
    turns: BTreeMap<TurnPattern, u64>,
}

enum Failed {
    Read(io::Error),
    Write(io::Error),
}

/// Checks a file, or the files of a recording's folder, and prints each finding with its line.
pub(crate) fn check(path: &Path, gaps: bool) -> Outcome {
    let mut out = BufWriter::new(anstream::stdout());
    let mut counts = Counts::default();
    let checked = files(path)
        .map_err(Failed::Read)
        .and_then(|files| {
            let mut files = files.iter();
            files.try_for_each(|file| check_file(file, gaps, &mut out, &mut counts))
        })
        .and_then(|()| out.flush().map_err(Failed::Write));
    match checked {
        Ok(()) => {
            let Counts {
                lines,
                violations,
                notes,
                turns,
            } = counts;
            anstream::eprintln!("{lines} lines, {violations} violations, {notes} notes");
            if !turns.is_empty() {
                let turns = turns
                    .iter()
                    .map(|(pattern, count)| format!("{count} {}", pattern.as_str()));
                let turns = turns.collect::<Vec<_>>().join(", ");
                anstream::eprintln!("turns: {turns}");
            }
            if violations == 0 {
                Outcome::Success
            } else {
                if let Some(id) = session(path) {
                    anstream::eprintln!("A copy can be mended: claw sessions repair {id}");
                }
                Outcome::ErrorResult
            }
        }
        Err(Failed::Read(error)) => report(&error, Outcome::Unreadable),
        // The reader has closed the pipe. The outcome is not success, because findings may not have been printed.
        Err(Failed::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Outcome::BrokeOff,
        Err(Failed::Write(error)) => report(&error, Outcome::BrokeOff),
    }
}

/// Returns the ID of the session whose transcript this is, if it is a session of the current user.
fn session(path: &Path) -> Option<String> {
    let id = path.file_stem()?.to_str()?;
    let session = Sessions::of_user().ok()?.find(id).ok()?;
    let is_same = real_path(session.transcript()).ok()? == real_path(path).ok()?;
    is_same.then(|| session.id().as_str().to_owned())
}

/// Returns the files to check. For the folder of a recording, these are the output of `claude`, its input, and the
/// transcripts.
fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let [stdout, stdin] = [Replay::STDOUT, Replay::STDIN].map(|name| path.join(name));
    let is_line_file = |path: &PathBuf| {
        path.extension()
            .is_some_and(|end| end == "ndjson" || end == "jsonl")
            && path.is_file()
    };
    let entries = std::fs::read_dir(path).map_err(named(path))?;
    let entries = entries.map(|entry| Ok(entry.map_err(named(path))?.path()));
    let mut more: Vec<_> = entries.collect::<io::Result<_>>()?;
    let order = path.join(Replay::ORDER);
    more.retain(|path| is_line_file(path) && ![&stdout, &stdin, &order].contains(&path));
    more.sort();
    // A folder that contains only transcripts is not a recording, so it need not contain the output
    // of `claude`.
    let stdout = (more.is_empty() || stdout.exists()).then_some(stdout);
    let stdin = stdin.exists().then_some(stdin);
    Ok(stdout.into_iter().chain(stdin).chain(more).collect())
}

fn check_file(
    file: &Path,
    gaps: bool,
    out: &mut impl Write,
    counts: &mut Counts,
) -> Result<(), Failed> {
    // The order of lines to `claude` is not checked.
    let is_sent = file.file_name() == Some(Replay::STDIN.as_ref());
    let flow = if gaps {
        Flow::default().with_gaps()
    } else {
        Flow::default()
    };
    let mut flow = (!is_sent).then_some(flow);
    let name = one_line(&file.display().to_string(), FINDING);
    let mut print_finding = |number: u64, what: &str, text: &str| {
        let text = one_line(text, FINDING);
        writeln!(out, "{name}:{number}: {what}: {text}").map_err(Failed::Write)
    };
    let mut passed = 0;
    for line in file_lines(file).map_err(Failed::Read)? {
        let line = line.map_err(Failed::Read)?;
        let (number, text) = (line.number, line.text.trim());
        let read = (!text.is_empty()).then(|| read(text, number));
        counts.lines += u64::from(read.is_some() || line.unreadable.is_some());
        let unreadable = match &read {
            Some(Read::Unreadable(why)) => Some(why),
            _ => None,
        };
        if let Some(why) = line.unreadable.as_ref().or(unreadable) {
            counts.violations += 1;
            print_finding(number, &rule(Rule::Readable), why)?;
        }
        if let Some(flow) = &mut flow {
            // Blank lines are counted, so that a violation has the right line number.
            (passed + 1..number).for_each(|_| drop(flow.push("")));
            passed = number;
            // A line with invalid bytes is also checked for its order.
            for violation in flow.push(text) {
                if violation.rule != Rule::Readable {
                    counts.violations += 1;
                    print_finding(violation.line, &rule(violation.rule), &violation.text)?;
                }
            }
        }
        let known = read.filter(|_| line.unreadable.is_none());
        for note in known.iter().flat_map(notes) {
            counts.notes += 1;
            print_finding(number, "note", &note)?;
        }
    }
    for (pattern, turns) in flow.iter().flat_map(Flow::patterns) {
        *counts.turns.entry(pattern).or_default() += turns;
    }
    for violation in flow.map(|mut flow| flow.end()).unwrap_or_default() {
        counts.violations += 1;
        print_finding(violation.line, &rule(violation.rule), &violation.text)?;
    }
    Ok(())
}

/// Returns a note for each unknown kind and field. Each note is returned once, and the notes are sorted.
fn notes(read: &Read) -> Vec<String> {
    let untyped = match read {
        Read::Today(Today::Stdout(line)) => untyped(line),
        Read::Today(Today::Stdin(line)) => untyped(line),
        Read::Entry(entry) => untyped(entry),
        Read::Other(kind) => {
            return vec![format!(
                "of {kind}, an older form, no more than its name is known"
            )];
        }
        _ => return Vec::new(),
    };
    let mut seen = BTreeSet::new();
    let unknown = untyped
        .iter()
        .filter(|untyped| !is_second_id(read, untyped));
    let notes = unknown.map(note);
    notes.filter(|note| seen.insert(note.clone())).collect()
}

/// Returns whether this is the second ID of an entry: `session_id`, in addition to `sessionId`. It is the ID that the
/// session had when the CLI process began to work on it. claw's types have no such field, because in many languages
/// both fields would have the same name.
fn is_second_id(read: &Read, untyped: &Untyped) -> bool {
    matches!(read, Read::Entry(_))
        && matches!(untyped, Untyped::Field { key, .. } if key == "session_id")
}

/// Returns the text of a note. The text contains no path, so that a list with many items and a new field results in one
/// note.
fn note(untyped: &Untyped) -> String {
    match untyped {
        Untyped::Field { owner, key, .. } => format!("the field {key} of {owner} is not known"),
        Untyped::Null { owner, key, .. } => {
            format!("the field {key} of {owner} is null, and not absent")
        }
        Untyped::Kind { kind, .. } if kind.is_empty() => {
            "the kind without a name is not known".to_owned()
        }
        // The kind of a request has only a subtype, so it begins with the separator `/`.
        Untyped::Kind { kind, .. } => {
            let kind = kind.trim_start_matches('/');
            format!("the kind {kind} is not known")
        }
        // A later version of the enum may have further variants, which get this text.
        _ => "something is not known".to_owned(),
    }
}

/// Returns the name that the schema uses for a rule.
fn rule(rule: Rule) -> String {
    let name = serde_json::to_value(rule).ok();
    name.and_then(|name| name.as_str().map(str::to_owned))
        .unwrap_or_default()
}
