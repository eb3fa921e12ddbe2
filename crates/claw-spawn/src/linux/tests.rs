use std::ffi::OsStr;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{ExitStatus, Stdio};

use rustix::process::{Resource, getrlimit};

use super::*;

mod emulated;
mod sandbox;
mod signals;

/// What the program that was started prints, and how it ends.
fn run(mut command: Command) -> io::Result<(String, ExitStatus)> {
    let mut started = spawn(&mut command)?;
    drop(started.stdin);
    let mut said = String::new();
    started.stdout.read_to_string(&mut said)?;
    let status = waitpid(Some(started.pid), WaitOptions::empty())?;
    let status = status.map_or(-1, |(_, status)| status.as_raw());
    Ok((said, ExitStatus::from_raw(status)))
}

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

/// Whether this is the process that has a test for itself. If it is not, that process is run (the test
/// binary again, with this test alone) by these words before its own, and must succeed.
fn is_alone(test: &str, before: &[&str]) -> bool {
    const INSIDE: &str = "CLAW_TEST_ALONE";
    if std::env::var(INSIDE).is_ok_and(|inside| inside == test) {
        return true;
    }
    let binary = std::env::current_exe().unwrap();
    let words = before.iter().map(OsStr::new);
    let mut words = words.chain([binary.as_os_str()]);
    let program = words.next().unwrap();
    let output = Command::new(program)
        .args(words)
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(INSIDE, test)
        .output()
        .unwrap_or_else(|error| panic!("{0} (apt-get install {0}): {error}", program.display()));
    let said = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{}{}", said[0], said[1]);
    assert!(said[0].contains("1 passed"), "no such test: {}", said[0]);
    false
}

#[test]
fn what_is_started_has_the_limit_of_open_files_from_before_it_was_raised() {
    const TEST: &str =
        "linux::tests::what_is_started_has_the_limit_of_open_files_from_before_it_was_raised";
    let fewer = [
        "sh",
        "-c",
        "ulimit -Sn 100 && ulimit -Hn 200 && exec \"$0\" \"$@\"",
    ];
    if !is_alone(TEST, &fewer) {
        return;
    }
    let limits = || run(shell("ulimit -Sn; ulimit -Hn")).unwrap().0;
    assert_eq!(limits(), "100\n200\n");
    for _ in 0..2 {
        crate::raise_open_files().unwrap();
        let own = getrlimit(Resource::Nofile);
        assert_eq!((own.current, own.maximum), (Some(200), Some(200)));
        assert_eq!(limits(), "100\n200\n");
    }
}

/// Signals (up to 32; those above are the C library's own, or nobody's), arguments, environment and
/// folder are what the standard library gives. (Descriptors are not: it lets those of the host leak.)
#[test]
fn the_program_finds_what_it_would_find_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let command = || {
        let mut command = shell(
            "pwd; printf '<%s>' \"$@\"; env | sort; umask; ulimit -n; nice
             grep -E 'Sig(Blk|Ign|Cgt)' /proc/self/status | sed -E 's/\t[0-9a-f]{8}/ /'
             grep -E 'NoNewPrivs|Cap' /proc/self/status",
        );
        command
            .args(["name", "one", "", "t w o", "\u{fc}\n"])
            .env("CLAW_TEST_SET", "a=b\nc")
            .env_remove("HOME")
            .current_dir(&folder);
        command
    };
    let mut usual = command();
    let usual = usual.process_group(0).stderr(Stdio::piped());
    let usual = String::from_utf8(usual.stdin(Stdio::null()).output().unwrap().stdout).unwrap();
    let (said, status) = run(command()).unwrap();
    assert_eq!(said, usual);
    assert!(status.success() && said.contains("<t w o>") && said.contains("CLAW_TEST_SET=a=b"));
}

#[test]
fn its_streams_are_the_pipes_and_its_session_its_own() {
    let mut started = spawn(&mut shell(
        "read line; echo \"got $line\"; echo wrong >&2; cut -d ' ' -f 5,6 /proc/$$/stat; exit 3",
    ))
    .unwrap();
    started.stdin.write_all(b"it\n").unwrap();
    let [mut said, mut wrong] = [String::new(), String::new()];
    started.stdout.read_to_string(&mut said).unwrap();
    started.stderr.read_to_string(&mut wrong).unwrap();
    assert_eq!(said, format!("got it\n{0} {0}\n", started.pid));
    assert_eq!(wrong, "wrong\n");
    let status = waitpid(Some(started.pid), WaitOptions::empty()).unwrap();
    assert_eq!(status.unwrap().1.exit_status(), Some(3));
}

#[test]
fn a_bare_name_is_looked_for_in_the_path_that_it_gets() {
    let folder = tempfile::tempdir().unwrap();
    let program = |name: &str, mode: u32| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "#!/bin/sh\necho \"$0\"\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    };
    program("second/tool", 0o755);
    program("first/forbidden", 0o644);
    program("plain/tool", 0o755);
    fs::write(folder.path().join("plain/tool"), "echo no\n").unwrap();
    let look = |name: &str, path: &str| {
        let path = path.replace('@', &folder.path().display().to_string());
        let mut command = Command::new(name);
        command.env("PATH", path).current_dir(&folder);
        run(command).map(|(said, _)| said)
    };
    let kind = |name, path| look(name, path).unwrap_err().kind();
    assert!(
        look("tool", "@/first:/nowhere:@/second")
            .unwrap()
            .ends_with("/second/tool\n")
    );
    // Folders that are not absolute, and an empty one, are seen from where the program starts.
    assert!(look("tool", "second").unwrap().ends_with("/second/tool\n"));
    assert!(
        look("./second/tool", "")
            .unwrap()
            .ends_with("./second/tool\n")
    );
    assert_eq!(kind("tool", ""), io::ErrorKind::NotFound);
    assert_eq!(
        kind("tool", "@/first:@/first/forbidden"),
        io::ErrorKind::NotADirectory
    );
    assert_eq!(
        kind("forbidden", "@/first:@/second"),
        io::ErrorKind::PermissionDenied
    );
    assert_eq!(kind("", "@/second"), io::ErrorKind::NotFound);
    // No shell is asked what it makes of a file that is no program.
    let refused = look("tool", "@/plain").unwrap_err();
    assert_eq!(refused.raw_os_error(), Some(Errno::NOEXEC.raw_os_error()));
}

#[test]
fn a_failed_start_leaves_no_process() {
    let mut command = shell("exit 0");
    command.current_dir("/nowhere/at/all");
    assert_eq!(run(command).unwrap_err().kind(), io::ErrorKind::NotFound);
    let mut command = shell("exit 0");
    command.env("CLAW_TEST_NUL", "a\0b");
    assert_eq!(
        run(command).unwrap_err().kind(),
        io::ErrorKind::InvalidInput
    );
    let mut command = shell("exit 0");
    command.arg("a\0b");
    assert_eq!(
        run(command).unwrap_err().kind(),
        io::ErrorKind::InvalidInput
    );
    let tasks = fs::read_to_string("/proc/thread-self/children").unwrap();
    assert_eq!(tasks, "");
}
