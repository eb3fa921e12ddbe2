//! Measures the cost of a build on a user's machine.

use std::fs;
use std::process::Command;

use crate::run::{Result, read};

/// Removes this project's settings from the environment of a build, so that it runs as on a user's machine.
pub fn as_a_stranger(build: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PROFILE_")
            || ["CARGO_INCREMENTAL", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"].contains(&&*text)
        {
            build.env_remove(name);
        }
    }
}

/// Returns the processor seconds of all child processes that have ended, including their own children.
///
/// # Errors
/// Fails on other systems than Linux.
pub fn children() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")
        .map_err(|error| format!("processor time is read from /proc/self/stat: {error}"))?;
    // The name may contain spaces, and the last closing bracket ends it. The user time and the system time of child
    // processes are the 16th and 17th field, in ticks.
    let behind = stat.rsplit(')').next().unwrap_or_default();
    let ticks: Vec<f64> = behind
        .split_whitespace()
        .skip(13)
        .take(2)
        .map(str::parse)
        .collect::<std::result::Result<_, _>>()?;
    let per_second: f64 = read(Command::new("getconf").arg("CLK_TCK"))?
        .trim()
        .parse()?;
    Ok(ticks.iter().sum::<f64>() / per_second)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::run::{cargo, read};

    /// The packages that a user of claw-client builds on Linux, with default features, in addition to claw's own
    /// crates. Each of them makes every build longer. `cargo xtask bench build` measures by how many seconds.
    /// `serde_derive` must not be one of them, because the builds of nearly all of claw's crates would wait for it.
    const PACKAGES: &str = "bitflags bytes cfg-if errno fastrand futures futures-channel futures-core futures-io \
        futures-sink futures-task futures-util getrandom itoa libc linux-raw-sys memchr mio once_cell pin-project-lite \
        proc-macro2 quote rustix serde serde_core serde_json signal-hook-registry slab syn tempfile thiserror \
        thiserror-impl tokio tokio-macros tokio-util tracing tracing-core unicode-ident uuid which zmij";

    #[test]
    fn a_default_client_builds_nothing_more() {
        let mut tree = cargo("tree");
        tree.args([
            "--locked",
            "--package=claw-client",
            "--edges=normal,build",
            "--target=x86_64-unknown-linux-gnu",
            "--prefix=none",
            "--format={p}",
        ]);
        let tree = read(&mut tree).unwrap();
        let names = tree
            .lines()
            .filter_map(|line| line.split_whitespace().next());
        let found: BTreeSet<_> = names.filter(|name| !name.starts_with("claw-")).collect();
        let expected: BTreeSet<_> = PACKAGES.split_whitespace().collect();
        assert_eq!(
            found,
            expected,
            "new: {:?}, gone: {:?}",
            found.difference(&expected),
            expected.difference(&found)
        );
    }
}
