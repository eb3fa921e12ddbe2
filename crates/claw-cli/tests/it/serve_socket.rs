//! The socket of `claw serve` for commands of its own user.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use claw_testkit::agent::Script;
use rustix::process::{Pid, Signal, kill_process};

use crate::serve::{Place, Served};

/// The status of a request without a token over the socket.
fn status(socket: &Path) -> Option<String> {
    let mut stream = UnixStream::connect(socket).ok()?;
    let request = "GET /api/projects HTTP/1.1\r\nHost: claw\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).map(str::to_owned)
}

/// Starts a server and ends it with SIGTERM. Returns what it wrote to stderr.
fn ended(place: &Place, args: &[&str], while_it_runs: impl FnOnce()) -> String {
    let mut command = place.command();
    command.args(args).stderr(Stdio::piped());
    let mut served = Served::of(command);
    while_it_runs();
    kill_process(Pid::from_child(&served.child), Signal::TERM).unwrap();
    assert!(served.child.wait().unwrap().success());
    let mut stderr = String::new();
    let mut pipe = served.child.stderr.take().unwrap();
    pipe.read_to_string(&mut stderr).unwrap();
    stderr
}

#[test]
fn a_server_has_a_private_socket_until_it_ends() {
    let place = Place::new(&Script::reply("Four."));
    let socket = place.at("config/claw/run/serve.sock");
    let stderr = ended(&place, &[], || {
        let mode = |path: &Path| fs::symlink_metadata(path).unwrap().mode() & 0o777;
        assert_eq!(mode(&socket), 0o600);
        assert_eq!(mode(socket.parent().unwrap()), 0o700);
        assert_eq!(status(&socket).as_deref(), Some("200"));
    });
    assert_eq!(stderr, "");
    assert!(!socket.exists());
}

#[test]
fn the_socket_is_in_the_runtime_folder_if_there_is_one() {
    let place = Place::new(&Script::reply("Four."));
    fs::create_dir(place.at("runtime")).unwrap();
    let mut command = place.command();
    command.env("XDG_RUNTIME_DIR", place.at("runtime"));
    let _served = Served::of(command);
    let socket = place.at("runtime/claw/serve.sock");
    assert_eq!(status(&socket).as_deref(), Some("200"));
    assert!(!place.at("config/claw/run").exists());
}

#[test]
fn a_second_server_leaves_the_socket_to_the_first_and_a_killed_one_is_replaced() {
    let place = Place::new(&Script::reply("Four."));
    let socket = place.at("config/claw/run/serve.sock");
    let first = Served::of(place.command());
    let inode = |path: &PathBuf| fs::symlink_metadata(path).unwrap().ino();
    let of_first = inode(&socket);
    let stderr = ended(&place, &[], || {
        assert_eq!(status(&socket).as_deref(), Some("200"));
    });
    let why =
        "claw: `claw chat` cannot join this server: another server of this user has the socket";
    assert!(stderr.starts_with(why), "{stderr}");
    assert_eq!(inode(&socket), of_first);
    assert_eq!(status(&socket).as_deref(), Some("200"));
    first.kill();
    assert!(socket.exists());
    assert_eq!(status(&socket), None);
    let _next = Served::of(place.command());
    assert_eq!(status(&socket).as_deref(), Some("200"));
}

#[test]
fn a_link_in_place_of_the_folder_is_not_followed_and_the_server_starts() {
    let place = Place::new(&Script::reply("Four."));
    fs::create_dir_all(place.at("config/claw")).unwrap();
    fs::create_dir(place.at("elsewhere")).unwrap();
    std::os::unix::fs::symlink(place.at("elsewhere"), place.at("config/claw/run")).unwrap();
    let stderr = ended(&place, &[], || {});
    assert!(stderr.contains("is no folder"), "{stderr}");
    assert_eq!(fs::read_dir(place.at("elsewhere")).unwrap().count(), 0);
}

#[test]
fn no_socket_is_there_where_none_is_wanted_or_where_walls_are() {
    let place = Place::new(&Script::reply("Four."));
    fs::write(place.at("walls.toml"), "[none]\ncommand = []\n").unwrap();
    let walls = place.at("walls.toml").display().to_string();
    for args in [&["--no-socket"][..], &["--walls", &walls]] {
        ended(&place, args, || {
            assert!(!place.at("config/claw/run").exists(), "{args:?}");
        });
    }
}
