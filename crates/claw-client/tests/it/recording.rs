//! A recording that cannot be written, because the disk is full.

use std::io::{Write, sink};
use std::path::Path;

use claw_client::transport::{Recorder, Subprocess};
use claw_client::{Error, Session};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};

use crate::agent::soon;
use crate::process::options;

type Copy = Box<dyn Write + Send + Unpin>;

#[cfg(target_os = "linux")]
fn full() -> Copy {
    let disk = std::fs::File::options().write(true).open("/dev/full");
    Box::new(disk.unwrap())
}

/// Elsewhere no file is a disk that is full.
#[cfg(not(target_os = "linux"))]
fn full() -> Copy {
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("No space left"))
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    Box::new(Full)
}

fn kept() -> Copy {
    Box::new(sink())
}

/// One of the three files is on a full disk.
fn disks() -> [(Copy, Copy, Copy); 3] {
    [
        (full(), kept(), kept()),
        (kept(), full(), kept()),
        (kept(), kept(), full()),
    ]
}

/// Asks something in a session that is recorded so.
async fn asks(folder: &Path, copies: (Copy, Copy, Copy), goes_on: bool) -> Result<String, Error> {
    let answer = Step::Turn(vec![Step::message([Block::text("Here I am.")])]);
    let transport = Subprocess::new(&options(folder, &Script::new([answer])));
    let (stdout, stdin, order) = copies;
    let recorder = Recorder::new(transport, stdout, stdin).with_order(order);
    let builder = Session::builder(claw_client::QueryOptions::default());
    let session = builder.transport(recorder.go_on(goes_on)).connect().await?;
    let answer = session.ask("Are you there?").await?;
    session.close().await?;
    Ok(answer)
}

#[tokio::test]
async fn a_full_disk_ends_the_session_and_is_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    for copies in disks() {
        let error = soon(asks(folder.path(), copies, false)).await.unwrap_err();
        assert!(error.is_recording(), "{error}");
        let text = error.to_string();
        assert!(
            text.contains("the recording cannot be written") && text.contains("No space left"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_session_can_go_on_without_its_recording() {
    let folder = tempfile::tempdir().unwrap();
    for copies in disks() {
        let answer = soon(asks(folder.path(), copies, true)).await.unwrap();
        assert_eq!(answer, "Here I am.");
    }
}
