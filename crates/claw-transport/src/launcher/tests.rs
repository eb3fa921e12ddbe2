use super::*;

fn words(command: &CommandSpec) -> Vec<&str> {
    let args = command.args.iter().map(|arg| arg.to_str().unwrap());
    std::iter::once(command.program.to_str().unwrap())
        .chain(args)
        .collect()
}

const ENV: [&str; 17] = [
    "env",
    "-u",
    "CLAUDECODE",
    "-u",
    "CLAUDE_CODE_ENTRYPOINT",
    "-u",
    "NODE_OPTIONS",
    "-u",
    "DEBUG",
    "-u",
    "CLAUDE_CODE_QUESTION_EXTENDED",
    "-u",
    "CLAUDE_CODE_QUESTION_OPTIONAL_DESCRIPTIONS",
    "-u",
    "CLAUDE_CODE_AGENT_PROGRESS_SUMMARIES",
    "CLAUDE_CODE_SDK_READS_SESSION_STATE=1",
    "BUN_ENABLE_CRASH_REPORTING=0",
];

#[test]
fn a_prefix_stands_before_the_command() {
    let command = CommandSpec::new("claude").arg("--verbose");
    let wrapped = Prefix::exec(["docker", "exec", "-i", "box"])
        .wrap(command)
        .unwrap();
    let expected = [
        &["docker", "exec", "-i", "box"][..],
        &ENV,
        &["claude", "--verbose"],
    ]
    .concat();
    assert_eq!(words(&wrapped), expected);
}

#[test]
fn the_directory_is_entered_on_the_far_side() {
    let command = CommandSpec::new("claude").cwd("/far/away");
    let wrapped = Prefix::exec(["box"]).wrap(command).unwrap();
    assert_eq!(wrapped.cwd, None);
    assert_eq!(
        words(&wrapped)[1..5],
        ["sh", "-c", "cd -- \"$0\" && exec \"$@\"", "/far/away"]
    );
}

#[test]
fn a_shell_gets_each_word_quoted() {
    let command = CommandSpec::new("claude").arg("--model=it's $HOME");
    let wrapped = Prefix::shell(["ssh", "host"]).wrap(command).unwrap();
    assert_eq!(words(&wrapped)[..3], ["ssh", "host", "'env'"]);
    assert_eq!(words(&wrapped).last(), Some(&r"'--model=it'\''s $HOME'"));
}

#[test]
fn values_of_the_environment_stay_off_the_command_line() {
    let command = CommandSpec::new("claude").env("ANTHROPIC_API_KEY", "secret");
    let wrapped = Prefix::exec(["box"]).wrap(command).unwrap();
    assert!(!words(&wrapped).join(" ").contains("secret"));
    assert!(wrapped.env.contains_key(OsStr::new("ANTHROPIC_API_KEY")));
}

#[test]
fn a_host_that_wants_crash_reports_gets_them_on_the_far_side() {
    let command = CommandSpec::new("claude").env("BUN_CRASH_REPORT_URL", "http://127.0.0.1");
    let wrapped = Prefix::exec(["box"]).wrap(command).unwrap();
    assert!(!words(&wrapped).join(" ").contains("CRASH_REPORTING"));
}

#[test]
fn an_empty_prefix_is_refused() {
    let error = Prefix::exec([""; 0])
        .wrap(CommandSpec::new("claude"))
        .unwrap_err();
    let TransportError::InvalidOption(invalid) = error else {
        panic!("{error}")
    };
    assert_eq!(invalid.option, "launcher");
}

#[test]
fn a_program_that_env_would_take_for_something_else_is_run_all_the_same_or_refused() {
    let command = CommandSpec::new("/opt/a=b/claude").arg("--verbose");
    let wrapped = Prefix::exec(["box"]).wrap(command).unwrap();
    let expected = [
        "sh",
        "-c",
        "exec \"$0\" \"$@\"",
        "/opt/a=b/claude",
        "--verbose",
    ];
    assert_eq!(words(&wrapped)[1 + ENV.len()..], expected);

    let error = Prefix::exec(["box"]).wrap(CommandSpec::new("-claude"));
    let TransportError::InvalidOption(invalid) = error.unwrap_err() else {
        panic!("it is an option's fault")
    };
    assert_eq!(invalid.option, "path_to_claude_code_executable");
}

#[test]
fn a_relative_directory_is_entered_whatever_it_is_called() {
    for (cwd, entered) in [
        ("-", "./-"),
        ("-P", "./-P"),
        ("a/b", "./a/b"),
        ("./a", "././a"),
    ] {
        let command = CommandSpec::new("claude").cwd(cwd);
        let wrapped = Prefix::exec(["box"]).wrap(command).unwrap();
        assert_eq!(words(&wrapped)[4], entered);
    }
}
