//! The files of recordings.

use std::fs;
#[cfg(unix)]
use std::{
    fs::Permissions,
    io::ErrorKind,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::Path,
};

use claw_transport::{Recorder, Replay, Transport};
use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{Started, process, soon};

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[cfg(unix)]
#[test]
fn a_recording_is_for_its_owner_alone_whatever_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [Replay::STDOUT, Replay::STDIN].map(|name| folder.path().join(name));
    let [stdout, stdin] = &paths;
    let ways: [fn(&Path, &Path, &Path); 2] = [
        |_, stdout, stdin| drop(Recorder::create(Started(process(&[])), stdout, stdin).unwrap()),
        |folder, _, _| drop(Recorder::create_in(Started(process(&[])), folder).unwrap()),
    ];
    for create in ways {
        create(folder.path(), stdout, stdin);
        assert_eq!(paths.each_ref().map(|path| mode(path)), [0o600, 0o600]);
        let order = folder.path().join(Replay::ORDER);
        assert!(!order.exists() || mode(&order) == 0o600);
        for path in &paths {
            fs::write(path, "earlier").unwrap();
            fs::set_permissions(path, Permissions::from_mode(0o644)).unwrap();
        }
        // Another name of the file that is there.
        let other = folder.path().join("other");
        fs::hard_link(stdout, &other).unwrap();
        create(folder.path(), stdout, stdin);
        assert_eq!(paths.each_ref().map(|path| mode(path)), [0o600, 0o600]);
        assert_eq!(stdout.metadata().unwrap().len(), 0);
        assert_ne!(
            stdout.metadata().unwrap().ino(),
            other.metadata().unwrap().ino()
        );
        assert_eq!(fs::read(&other).unwrap(), b"earlier");
        for path in [stdout, stdin, &other] {
            fs::remove_file(path).unwrap();
        }
    }
}

#[cfg(unix)]
#[test]
fn a_recording_follows_no_symbolic_link() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("target");
    fs::write(&target, "kept").unwrap();
    for name in [Replay::STDOUT, Replay::STDIN, Replay::ORDER] {
        let link = folder.path().join(name);
        for target in [&target, &folder.path().join("nothing")] {
            symlink(target, &link).unwrap();
            let error = Recorder::create_in(Started(process(&[])), folder.path()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{error}");
            let error = error.to_string();
            assert!(
                error.contains(name) && error.contains("symbolic link"),
                "{error}"
            );
            fs::remove_file(&link).unwrap();
        }
        assert_eq!(fs::read(&target).unwrap(), b"kept");
        assert!(!folder.path().join("nothing").exists());
    }
}

#[derive(Deserialize)]
struct Chunk {
    stream: String,
    bytes: usize,
    ms: u64,
}

/// Two tasks, one that writes and one that reads: each line comes back, and never before it was sent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recording_says_what_passed_first() {
    const LINES: usize = 300;
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::create_in(Started(process(&["cat"])), folder.path()).unwrap();
    let mut pipes = recorder.open().await.unwrap();
    let mut writer = pipes.writer;
    let writing = tokio::spawn(async move {
        for number in 0..LINES {
            let line = format!("{number:0>9}\n");
            writer.write_all(line.as_bytes()).await.unwrap();
            writer.flush().await.unwrap();
        }
        writer.shutdown().await.unwrap();
    });
    let mut echoed = Vec::new();
    soon(pipes.reader.read_to_end(&mut echoed)).await.unwrap();
    writing.await.unwrap();
    assert_eq!(echoed.len(), LINES * 10);

    let order = fs::read_to_string(folder.path().join(Replay::ORDER)).unwrap();
    let (mut sent, mut heard, mut last) = (0, 0, 0);
    for line in order.lines() {
        let chunk: Chunk = serde_json::from_str(line).unwrap();
        assert!(chunk.bytes > 0 && chunk.ms >= last, "{line}");
        last = chunk.ms;
        match &*chunk.stream {
            "stdin" => sent += chunk.bytes,
            "stdout" => heard += chunk.bytes,
            other => panic!("{other}"),
        }
        assert!(heard <= sent, "{heard} came back of {sent} that were sent");
    }
    assert_eq!((sent, heard), (echoed.len(), echoed.len()));
    for name in [Replay::STDOUT, Replay::STDIN] {
        assert_eq!(fs::read(folder.path().join(name)).unwrap(), echoed);
    }
}
