//! The sessions that a running `claude` uses.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use claw_types::{Json, SessionId};

use crate::file;
use crate::home::names;
use crate::{Error, Sessions};

/// The maximum size of a record that is read, in bytes.
const MOST: u64 = 1 << 20;

/// A running `claude`, as its record in the folder `sessions` of the configuration folder describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunningClaude {
    /// The ID of the process.
    pub process: u32,
    /// The ID of the session that the process uses.
    pub session_id: SessionId,
    /// The working directory of the process. `None` if the record has none.
    pub directory: Option<PathBuf>,
    /// Whether a turn was running when the record was written. `None` if the record does not say it, as those of older
    /// versions.
    pub is_busy: Option<bool>,
}

impl Sessions {
    /// Returns the running `claude` processes that use the configuration folders. A process of another machine or container may
    /// have ended.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if a list of running processes cannot be read.
    pub fn running(&self) -> Result<Vec<RunningClaude>, Error> {
        let mut all = Vec::new();
        for home in self.each() {
            let config = home.config_dir();
            let found = running(config)
                .map_err(|error| Error::io("cannot read", config.join("sessions"), error))?;
            all.extend(found);
        }
        Ok(all)
    }
}

/// Returns the running `claude` processes of a configuration folder.
///
/// Each `claude` keeps a record in the folder `sessions` of its configuration folder, and removes it when it exits. A
/// record whose process has ended does not count. If that cannot be found out, because the process runs on another
/// machine, in another container, or on Windows, the record counts.
pub(crate) fn running(config: &Path) -> io::Result<Vec<RunningClaude>> {
    let folder = config.join("sessions");
    let names = match names(&folder) {
        Ok(names) => names,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut running = Vec::new();
    for name in names {
        let Some(process) = name.strip_suffix(".json").and_then(|pid| pid.parse().ok()) else {
            continue;
        };
        let mut text = String::new();
        let read = file::open(&folder.join(&name))
            .and_then(|file| file.take(MOST).read_to_string(&mut text));
        match read {
            Ok(_) => {}
            // The process has ended meanwhile.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        }
        let Ok(record) = Json::from_text(text) else {
            continue;
        };
        let member = |name| Some(record.get(name)?.as_str()?.into_owned());
        let (domain, start) = (member("pidDomain"), member("procStart"));
        if let Some(id) = member("sessionId")
            && may_run(process, domain.as_deref(), start.as_deref())
        {
            running.push(RunningClaude {
                process,
                session_id: SessionId::from(id),
                directory: member("cwd").map(PathBuf::from),
                is_busy: member("status").map(|status| status == "busy"),
            });
        }
    }
    Ok(running)
}

/// Returns the processes by the IDs of their sessions.
pub(crate) fn processes(config: &Path) -> io::Result<HashMap<String, u32>> {
    let running = running(config)?.into_iter();
    let by_id = running.map(|claude| (claude.session_id.as_str().to_owned(), claude.process));
    Ok(by_id.collect())
}

/// Whether a process may still run. `domain` names its machine and container, and `start` is its start time, if the
/// record has them.
#[cfg(target_os = "linux")]
fn may_run(pid: u32, domain: Option<&str>, start: Option<&str>) -> bool {
    if domain.is_some_and(|domain| !is_own(domain)) {
        return true;
    }
    let process = std::fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
    let process = String::from_utf8_lossy(&process);
    // The name of the program is in brackets and may contain any characters, even brackets. So the other fields
    // follow the last bracket.
    let Some((_, fields)) = process.rsplit_once(')') else {
        return false;
    };
    let began = fields.split_whitespace().nth(19);
    start.is_none() || began == start
}

/// Whether this process is in a domain of process IDs, such as `linux:MACHINE:pid:[4026531836]`.
#[cfg(target_os = "linux")]
fn is_own(domain: &str) -> bool {
    let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let machine = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
    domain.contains(machine.trim()) && domain.ends_with(&*namespace.to_string_lossy())
}

/// Whether a process may still run. The start time has another form on each system, and is not compared.
#[cfg(all(unix, not(target_os = "linux")))]
fn may_run(pid: u32, domain: Option<&str>, _: Option<&str>) -> bool {
    let number = i32::try_from(pid)
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    let is_gone = number
        .is_some_and(|pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH));
    !is_gone || domain.is_some_and(|domain| domain.starts_with("linux:"))
}

/// Whether a process may still run. Returns `true`, because this system does not report it.
#[cfg(not(unix))]
fn may_run(_: u32, _: Option<&str>, _: Option<&str>) -> bool {
    true
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_record_counts_while_its_process_runs() {
        let own = std::process::id();
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        let began = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19);
        let namespace = fs::read_link("/proc/self/ns/pid").unwrap();
        let machine = fs::read_to_string("/etc/machine-id").unwrap_or_default();
        let domain = format!("linux:{}:{}", machine.trim(), namespace.display());
        assert!(may_run(own, None, None));
        assert!(may_run(own, Some(&domain), began));
        // A later process has the same ID.
        assert!(!may_run(own, Some(&domain), Some("1")));
        // No process has such an ID.
        assert!(!may_run(u32::MAX, Some(&domain), None));
        assert!(may_run(u32::MAX, Some("linux:other:pid:[1]"), None));
    }

    #[test]
    fn what_is_not_a_record_does_not_count() {
        let config = tempfile::tempdir().unwrap();
        assert!(running(config.path()).unwrap().is_empty());
        let folder = config.path().join("sessions");
        fs::create_dir(&folder).unwrap();
        let own = std::process::id();
        for (name, text) in [
            (
                format!("{own}.json"),
                r#"{"sessionId":"a","cwd":"/w","status":"busy"}"#,
            ),
            (format!("{}.json", u32::MAX), r#"{"sessionId":"b"}"#),
            ("1.json".to_owned(), "{"),
            ("x.json".to_owned(), r#"{"sessionId":"c"}"#),
            (format!("{own}.key"), r#"{"sessionId":"d"}"#),
        ] {
            fs::write(folder.join(name), text).unwrap();
        }
        let expected = RunningClaude {
            process: own,
            session_id: SessionId::from("a"),
            directory: Some(PathBuf::from("/w")),
            is_busy: Some(true),
        };
        assert_eq!(running(config.path()).unwrap(), [expected]);
        let found = processes(config.path()).unwrap();
        assert_eq!(found, HashMap::from([("a".to_owned(), own)]));
    }
}
