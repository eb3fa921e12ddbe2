use super::examples::EXAMPLES;
use super::*;

/// Returns the words of a line as a shell splits it, from `claw` to a pipe or a redirection.
fn words(line: &str) -> Vec<String> {
    let line = &line[line.find("claw").unwrap()..];
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            '|' | '>' | ')' if !is_quoted => break,
            ' ' if !is_quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the words of each command and of each group of commands.
fn paths(command: &clap::Command, before: &str) -> Vec<String> {
    let subs = command.get_subcommands();
    let paths = subs.flat_map(|sub| {
        let path = format!("{before}{}", sub.get_name());
        let below = paths(sub, &format!("{path} "));
        [path].into_iter().chain(below)
    });
    paths.collect()
}

#[test]
fn every_command_has_examples_that_are_parsed() {
    let mut named: Vec<_> = EXAMPLES
        .iter()
        .map(|(path, _)| (*path).to_owned())
        .collect();
    let mut all = paths(&command(), "");
    named.sort();
    all.sort();
    assert_eq!(named, all);
    for (path, examples) in EXAMPLES {
        for (_, line) in examples {
            let words = words(line);
            if let Err(error) = command().try_get_matches_from(&words) {
                panic!("{line}: {error}");
            }
            let first = path.split(' ').next().unwrap();
            assert!(words.iter().any(|word| word == first), "{path}: {line}");
        }
    }
}

#[test]
fn the_help_has_the_examples() {
    let mut command = command();
    let run = command.find_subcommand_mut("run").unwrap();
    let help = run.render_long_help().to_string();
    assert!(
        help.contains("Exit codes:\n  0    there is an answer"),
        "{help}"
    );
    assert!(help.contains("git diff | claw run"), "{help}");
}

#[test]
fn only_the_called_command_has_its_arguments() {
    let mut parser = Cli::command();
    parser.try_get_matches_from_mut(["claw", "demo"]).unwrap();
    for sub in parser.get_subcommands() {
        let has_arguments = sub.get_arguments().next().is_some();
        let is_called = ["demo", "help"].contains(&sub.get_name());
        assert_eq!(has_arguments, is_called, "{}", sub.get_name());
    }
}

#[test]
fn a_command_whose_arguments_come_later_has_the_same_help() {
    for sub in command().get_subcommands() {
        for flag in ["-h", "--help"] {
            let words = ["claw", sub.get_name(), flag];
            let help =
                |cli: clap::Command| cli.try_get_matches_from(words).unwrap_err().to_string();
            let text = help(Cli::command());
            assert!(text.contains("Usage: claw"), "{text}");
            assert_eq!(text, help(command()));
        }
    }
}
