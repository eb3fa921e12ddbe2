//! `claw completions`: prints a script that completes the command line in a shell.

use std::io::{Write as _, stdout};

use clap_complete::Shell;

use crate::args;
use crate::outcome::Outcome;

pub(crate) fn print(shell: &str) -> Outcome {
    let shell = match shell {
        "bash" => Shell::Bash,
        "fish" => Shell::Fish,
        "powershell" => Shell::PowerShell,
        _ => Shell::Zsh,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "claw", &mut script);
    let mut out = stdout().lock();
    match out.write_all(&script).and_then(|()| out.flush()) {
        Ok(()) => Outcome::Success,
        Err(error) => Outcome::unwritten(&error),
    }
}
