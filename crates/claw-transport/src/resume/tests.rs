use std::fs;

use super::*;

const ID: &str = "c9e6f683-ca97-4164-8ebb-155f270c0c85";

/// Creates a home folder with one session, which belongs to some working directory.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".claude/projects/-work-project");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(format!("{ID}.jsonl")), "{}\n").unwrap();
    // The folder may also contain a file.
    fs::write(home.path().join(".claude/projects/a-file"), "").unwrap();
    home
}

fn checked(
    options: &QueryOptions,
    variables: &[(&str, &Path)],
) -> Result<Option<Resumed>, TransportError> {
    check(options, |name| {
        let named = if name == "USERPROFILE" { "HOME" } else { name };
        let found = variables.iter().find(|(variable, _)| *variable == named);
        found.map(|(_, value)| value.as_os_str().to_owned())
    })
}

/// Returns the end of a process that wrote this text to stderr.
fn exited(stderr: &str) -> Exited {
    Exited {
        pid: Some(7),
        exit: crate::Exit::new(None, false),
        stderr: stderr.to_owned(),
        cut: None,
    }
}

fn resume(id: &str) -> QueryOptions {
    QueryOptions::default().resume(id)
}

#[test]
fn a_session_that_is_kept_is_gone_on_with() {
    let home = home();
    checked(&resume(ID), &[("HOME", home.path())]).unwrap();
    checked(&QueryOptions::default(), &[("HOME", home.path())]).unwrap();
}

#[test]
fn an_unknown_session_is_refused_and_the_folder_is_named() {
    let home = home();
    let unknown = "00000000-0000-4000-8000-000000000000";
    let error = checked(&resume(unknown), &[("HOME", home.path())]).unwrap_err();
    assert!(error.is_launch_failure());
    let text = error.to_string();
    let projects = home.path().join(".claude").join("projects");
    assert!(
        text.contains(unknown) && text.contains(&projects.display().to_string()),
        "{text}"
    );
    // An empty file does not count as a session.
    let folder = projects.join("-work-project");
    fs::write(folder.join(format!("{unknown}.jsonl")), "").unwrap();
    checked(&resume(unknown), &[("HOME", home.path())]).unwrap_err();
}

#[test]
fn sessions_are_where_the_configuration_is() {
    let (home, empty) = (home(), tempfile::tempdir().unwrap());
    let config = home.path().join(".claude");
    fs::create_dir_all(empty.path().join(".claude/projects")).unwrap();
    let moved = [
        ("HOME", empty.path()),
        ("CLAUDE_CONFIG_DIR", config.as_path()),
    ];
    checked(&resume(ID), &moved).unwrap();
    let moved = [("HOME", empty.path())];
    checked(&resume(ID), &moved).unwrap_err();
    // A relative folder is relative to the CLI's working directory.
    let relative = [("CLAUDE_CONFIG_DIR", Path::new(".claude"))];
    checked(&resume(ID).cwd(home.path()), &relative).unwrap();
    checked(&resume(ID).cwd(empty.path()), &relative).unwrap_err();
}

#[test]
fn what_is_not_certain_is_left_to_the_cli() {
    let home = home();
    let unknown = "00000000-0000-4000-8000-000000000000";
    let here = [("HOME", home.path())];
    // claw does not search for a title or for a file.
    checked(&resume("My title"), &here).unwrap();
    checked(&resume("/work/project/session.jsonl"), &here).unwrap();
    // An unknown flag may change where the CLI searches.
    let flags = [("worktree", None::<String>)];
    checked(&resume(unknown).extra_args(flags), &here).unwrap();
    // The folder of the sessions does not exist, no home is known, or the variable is empty.
    let fresh = tempfile::tempdir().unwrap();
    checked(&resume(unknown), &[("HOME", fresh.path())]).unwrap();
    checked(&resume(unknown), &[]).unwrap();
    let empty = [("HOME", home.path()), ("CLAUDE_CONFIG_DIR", Path::new(""))];
    checked(&resume(unknown), &empty).unwrap();
}

#[test]
fn an_empty_id_is_no_session_and_nothing_is_started() {
    for id in ["", "  ", "\n"] {
        let error = checked(&resume(id), &[]).unwrap_err();
        assert!(
            error.is_session_not_found() && error.is_launch_failure(),
            "{error}"
        );
        assert_eq!(error.to_string(), "there is no session without an id");
    }
}

#[test]
fn a_cli_that_does_not_find_a_session_says_it_as_claw_does() {
    let fresh = tempfile::tempdir().unwrap();
    let unknown = "00000000-0000-4000-8000-000000000000";
    let by_id = "No conversation found with session ID: ";
    // If `resume` contains the path of a file, the CLI's text contains the ID that the file's session would have.
    for (asked, said) in [
        (unknown, format!("{by_id}{unknown}")),
        ("/work/project/session.jsonl", format!("{by_id}{ID}")),
        (
            "My title",
            r#"Provided value "My title" is not a UUID and does not match any session title."#
                .into(),
        ),
    ] {
        let resumed = checked(&resume(asked), &[("HOME", fresh.path())]).unwrap();
        let error = resumed.unwrap().exit_error(exited(&said));
        assert!(error.is_session_not_found() && error.is_exited(), "{error}");
        assert!(!error.is_launch_failure(), "{error}");
        assert!(error.to_string().contains(asked), "{error}");
    }
    let resumed = checked(&resume("My title"), &[("HOME", fresh.path())]).unwrap();
    let error = resumed.unwrap().exit_error(exited("it burns"));
    assert!(
        !error.is_session_not_found() && error.is_exited(),
        "{error}"
    );
}

#[test]
fn a_cli_that_does_not_find_a_kept_session_is_told_where_it_is() {
    let home = home();
    let folder = [".claude", "projects", "-work-project"]
        .iter()
        .fold(home.path().to_owned(), |path, part| path.join(part));
    let file = folder.join(format!("{ID}.jsonl"));
    let kept = || {
        let found = checked(&resume(ID), &[("HOME", home.path())]).unwrap();
        found.expect("it is kept")
    };
    let refusal = format!("a warning\nNo conversation found with session ID: {ID}\n");
    let error = kept().exit_error(exited(&refusal));
    let text = error.to_string();
    assert!(text.contains(&file.display().to_string()), "{text}");
    assert!(!text.contains("of the directory"), "{text}");

    // The first lines of the file have no directory, and a later line may have another directory.
    let lines = [
        r#"{"type":"queue-operation","operation":"enqueue"}"#,
        "{",
        r#"{"type":"user","cwd":"/work/project"}"#,
        r#"{"type":"user","cwd":"/home/user"}"#,
    ];
    fs::write(&file, lines.join("\n")).unwrap();
    let error = kept().exit_error(exited(&refusal));
    assert!(error.is_exited() && !error.is_launch_failure());
    let text = error.to_string();
    assert!(
        text.contains("of the directory /work/project, kept in"),
        "{text}"
    );
    let session = error.session_not_found().unwrap();
    assert_eq!(session.id, ID);
    assert_eq!(session.cwd.as_deref(), Some(Path::new("/work/project")));
    assert_eq!(session.file.as_ref(), Some(&file));
    assert_eq!(session.exited.as_ref().unwrap().stderr, refusal);

    // For any other text on stderr, the error does not report a missing session.
    let other = "No conversation found with session ID: 00000000-0000-4000-8000-000000000000";
    for stderr in ["", "Error: out of memory", other] {
        let error = kept().exit_error(exited(stderr));
        assert!(!error.is_session_not_found(), "{error}");
        assert_eq!(error.exited().unwrap().stderr, stderr);
    }
}
