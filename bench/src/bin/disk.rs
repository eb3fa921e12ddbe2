//! One call of claw-sessions in its own program, as for the official SDKs. Prints the measured figures as a line of
//! JSON.
//!
//! Arguments: "list", "newest", "history" or "fork"; the configuration folder; the session's id.

use std::error::Error;
use std::fs;
use std::time::Instant;

use claw_sessions::Sessions;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, config, id] = &arguments[..] else {
        return Err("arguments: what, the configuration folder, an id".into());
    };
    let sessions = Sessions::new(config);
    let begun = Instant::now();
    // The number of items, and the length of all of them as JSON.
    let (items, seconds, peak, returned) = match &**what {
        "list" | "newest" => {
            let limit = if what == "newest" { 20 } else { 0 };
            let list = sessions.list().limit(limit).run()?.sessions;
            let (seconds, peak) = (begun.elapsed(), peak()?);
            (list.len(), seconds, peak, length(&list)?)
        }
        "history" => {
            let messages = sessions.find(id)?.messages().read()?.messages;
            let (seconds, peak) = (begun.elapsed(), peak()?);
            (messages.len(), seconds, peak, length(&messages)?)
        }
        "fork" => {
            let fork = sessions.find(id)?.fork().run()?;
            let (seconds, peak) = (begun.elapsed(), peak()?);
            fs::remove_file(fork.transcript())?;
            (1, seconds, peak, 0)
        }
        _ => return Err(format!("{what} is nothing that is measured").into()),
    };
    let took = json!({"items": items, "seconds": seconds.as_secs_f64(), "peak_kb": peak, "returned": returned});
    println!("{took}");
    Ok(())
}

/// The peak memory of this process, in KiB.
fn peak() -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let line = line.ok_or("no VmHWM")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// The length of the items as JSON, in bytes.
fn length(items: &[impl serde::Serialize]) -> serde_json::Result<usize> {
    let mut all = 0;
    for item in items {
        all += serde_json::to_string(item)?.len();
    }
    Ok(all)
}
