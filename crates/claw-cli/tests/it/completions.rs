//! `claw completions`, loaded by the shells themselves.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;

use super::claw::{claw, ran};

/// The script for a shell, in a file.
fn script(shell: &str, file: &Path) -> String {
    let printed = ran(claw(&["completions", shell]).output().unwrap());
    assert_eq!((printed.code, &*printed.stderr), (Some(0), ""), "{shell}");
    fs::write(file, &printed.stdout).unwrap();
    printed.stdout
}

/// What a shell prints when it has run this text.
fn shell(program: &str, args: &[&str], folder: &Path) -> String {
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(folder)
        .env("HOME", folder)
        .env("XDG_CONFIG_HOME", folder)
        .env("TERM", "dumb");
    let output = command.output();
    let output = output.unwrap_or_else(|error| {
        panic!("{program} is needed, such as Debian's package {program}: {error}")
    });
    let ran = ran(output);
    assert_eq!(
        (ran.code, &*ran.stderr),
        (Some(0), ""),
        "{program}: {}",
        ran.stdout
    );
    ran.stdout
}

#[test]
fn bash_completes_commands_options_and_values() {
    let folder = tempfile::tempdir().unwrap();
    script("bash", &folder.path().join("claw.bash"));
    let complete = |words: &str, index: usize| {
        let line = format!(
            "source ./claw.bash; COMP_WORDS=({words}); COMP_CWORD={index}; \
             _claw claw \"${{COMP_WORDS[{index}]}}\" \"${{COMP_WORDS[{}]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            index - 1
        );
        shell("bash", &["--norc", "-c", &line], folder.path())
    };
    assert_eq!(complete("claw doc", 1), "doctor\n");
    assert_eq!(complete("claw run --out", 2), "--output\n");
    assert_eq!(complete("claw run --output nd", 3), "ndjson\n");
    assert_eq!(complete("claw config un", 2), "unset\n");
}

#[test]
fn fish_completes_commands_options_and_values() {
    let folder = tempfile::tempdir().unwrap();
    script("fish", &folder.path().join("claw.fish"));
    let complete = |line: &str| {
        let line = format!("source claw.fish; complete --do-complete '{line}'");
        shell("fish", &["--no-config", "-c", &line], folder.path())
    };
    assert!(complete("claw doc").starts_with("doctor\t"));
    assert!(complete("claw run --out").contains("--output\t"));
    assert!(complete("claw run --output nd").starts_with("ndjson\t"));
}

#[test]
fn zsh_loads_its_function() {
    let folder = tempfile::tempdir().unwrap();
    script("zsh", &folder.path().join("_claw"));
    // As compinit finds it in `fpath`, and loaded as a whole.
    let line = "fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -d ./dump; \
        print $_comps[claw]; autoload +X _claw && whence -w _claw; zsh -n ./_claw";
    let printed = shell("zsh", &["-f", "-c", line], folder.path());
    assert_eq!(printed, "_claw\n_claw: function\n");
}

/// There is no PowerShell to load it: its brackets and quotes are balanced, and it has every command.
#[test]
fn powershell_has_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let text = script("powershell", &folder.path().join("claw.ps1"));
    assert!(text.contains("Register-ArgumentCompleter -Native -CommandName 'claw'"));
    for name in ["run", "chat", "config", "doctor", "serve"] {
        assert!(text.contains(&format!("'claw;{name}' {{")), "{name}");
    }
    let mut open = Vec::new();
    let mut is_quoted = false;
    for c in text.chars() {
        match c {
            // A quote in a text is doubled, which ends and begins one.
            '\'' => is_quoted = !is_quoted,
            '{' | '(' | '[' if !is_quoted => open.push(c),
            '}' | ')' | ']' if !is_quoted => {
                let begun = open.pop();
                assert!(matches!(
                    (begun, c),
                    (Some('{'), '}') | (Some('('), ')') | (Some('['), ']')
                ));
            }
            _ => {}
        }
    }
    assert!(open.is_empty() && !is_quoted);
}

#[test]
fn an_unknown_shell_is_refused() {
    let refused = ran(claw(&["completions", "tcsh"]).output().unwrap());
    assert_eq!((refused.code, &*refused.stdout), (Some(2), ""));
    assert!(refused.stderr.contains("bash, fish, powershell, zsh"));
}
