//! Runs gates of `cargo xtask ci` in other programs, which are called as `<program> gate NAME`.

use crate::run::Result;
use crate::workspace::Workspace;

/// A gate: its name, and its check.
pub type Gate = (&'static str, fn(&Workspace) -> Result);

/// Runs the gate of this name.
///
/// # Errors
/// Fails if there is no such gate, or if the gate fails.
pub fn run(gates: &[Gate], name: &str) -> Result {
    let found = gates.iter().find(|(gate, _)| *gate == name);
    let (_, check) = found.ok_or_else(|| format!("there is no gate {name}"))?;
    check(&Workspace::read()?)
}
